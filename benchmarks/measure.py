"""One anonymization in a process of its own, measured from outside; what the benchmarks share."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import yaml

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process printed as JSON, and what it took."""

    summary: dict[str, Any]
    wall: float
    cpu: float
    peak_bytes: int


def machine() -> dict[str, object]:
    """Describe what the figures were taken on."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30, 1),
        "python": platform.python_version(),
        "duckdb": version("duckdb"),
        "kanon_sql": version("kanon-sql"),
    }


def run(arguments: list[str], root: Path = ROOT) -> Measured:
    """Run a Python module of a checkout to its end.

    Its peak memory is what it says itself, or else what the system says, which may be the peak of this process: on Linux
    a process that is started takes over the peak of the one that starts it.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", *arguments], cwd=root, stdout=subprocess.PIPE
    ) as process:
        told = process.stdout.read() if process.stdout is not None else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"python -m {' '.join(arguments)} failed with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    summary = json.loads(told)
    peak = summary.get("peak_bytes", usage.ru_maxrss * unit)
    return Measured(summary, wall, usage.ru_utime + usage.ru_stime, peak)


def own_peak() -> dict[str, int]:
    """Give the peak memory of this process since it began its program, where the system says it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    found = re.search(r"^VmHWM:\s*(\d+) kB", status.read_text(encoding="ascii"), re.MULTILINE)
    return {} if found is None else {"peak_bytes": int(found[1]) * 1024}


def run_command(arguments: list[str], folder: Path) -> float:
    """Run a command of kanon-sql in a folder to its end, and give the CPU seconds that it took."""
    own = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "kanon_sql", *arguments], cwd=folder, env=own, stdout=sys.stderr
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"kanon-sql {' '.join(arguments)} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def write_policy(policy: dict[str, object], path: Path) -> Path:
    """Write a policy where a process can read it."""
    path.write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    return path


def middle(values: list[float], digits: int = 4) -> float:
    """Give the median, rounded."""
    return round(median(values), digits)


def write(report: dict[str, object], out: Path | None) -> None:
    """Print a report, or write it."""
    text = json.dumps(report, indent=2) + "\n"
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")


def main() -> None:
    """Anonymize, or only plan where no release is named, and print the summary: what `run` starts."""
    from kanon_sql import Settings, anonymize, plan  # noqa: PLC0415  its import is part of the run

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("policy", type=Path)
    parser.add_argument("release", type=Path, nargs="?")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--memory-limit")
    parser.add_argument("--temp-directory")
    parser.add_argument("--cpu", action="store_true", help="steps in CPU seconds of all threads")
    given = parser.parse_args()
    if given.cpu:
        patch("time.perf_counter", time.process_time).start()
    settings = Settings(
        threads=given.threads,
        memory_limit=given.memory_limit,
        temp_directory=given.temp_directory,
    )
    if given.release is None:
        made = plan(given.policy, settings=settings)
        json.dump({**made.summary(), **own_peak()}, sys.stdout)
        return
    release = anonymize(given.policy, release=str(given.release), replace=True, settings=settings)
    planned = release.plan.run or {}
    counted = {"plan_run": planned, "checks": release.plan.checks}
    json.dump({**release.summary(), **counted, **own_peak()}, sys.stdout)


if __name__ == "__main__":
    main()
