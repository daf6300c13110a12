"""What the policy that `init` writes costs, command by command, against one GROUP BY of the same columns.

    python -m benchmarks.first_policy --rows 100000,1000000
    python -m benchmarks.first_policy --rows 1000000 --before OTHER_CHECKOUT --out new.json

The table is the census with all nine columns quasi-identifiers, income too, and disease sensitive. Every command is a
process of its own, start and imports included, and its figure is the CPU seconds of all its threads. The yardstick is
the GROUP BY of eight raw columns over the same Parquet file, in a process of its own in turn with the commands. With
--before another checkout runs the same commands, in turn; the releases of both must have the same rows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb

from benchmarks import census
from benchmarks.measure import ROOT, machine, middle, write
from benchmarks.pipeline import group_by
from kanon_sql import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWERS = ("--known", "income", "--sensitive", "disease", "--for", "records")
QUASI = ",".join([*census.QUASI, "income"])
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "init": ("init", "census.parquet", *ANSWERS, "-o", "own.yml", "--replace"),
    "plan": ("plan", "own.yml", "-o", "own.plan.yml"),
    "apply": ("apply", "own.plan.yml", "--release", "applied.parquet", "--replace"),
    "anonymize": ("anonymize", "own.yml", "--release", "whole.parquet", "--replace"),
    "verify": (
        "verify",
        "applied.parquet",
        "--quasi",
        QUASI,
        "-k",
        "11",
        "--distinct-l",
        "disease=3",
    ),
    "certify": ("certify", "applied.parquet", "--plan", "own.plan.yml", "--replace"),
    "quality": ("quality", "applied.parquet", "--plan", "own.plan.yml"),
}


def taken(arguments: tuple[str, ...], folder: Path, root: Path) -> dict[str, float]:
    """Run a command of a checkout to its end; give the CPU and wall seconds that it took, and its peak memory."""
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "kanon_sql", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        told = process.stderr.read().decode() if process.stderr is not None else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{told}kanon-sql {' '.join(arguments)} failed with {process.returncode}")
    return {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.perf_counter() - started,
        "peak_mib": usage.ru_maxrss / 1024,
    }


def same_rows(one: Path, other: Path) -> bool:
    """Compare two releases as bags of rows, by an engine of its own."""
    with duckdb.connect() as connection:
        connection.read_parquet(str(one)).create_view("one")
        connection.read_parquet(str(other)).create_view("other")
        rest = "SELECT count(*) FROM (FROM {} EXCEPT ALL FROM {})"
        counted = [rest.format("one", "other"), rest.format("other", "one")]
        return all(connection.sql(each).fetchall() == [(0,)] for each in counted)


def measured(given: argparse.Namespace, rows: int, folder: Path) -> dict[str, object]:
    """Generate a census, and run all commands of each checkout in turn, again and again."""
    source = folder / "census.parquet"
    settings = Settings(threads=given.threads)
    census.generate(rows, source, threads=given.threads)
    checkouts = {"now": ROOT, **({} if given.before is None else {"before": given.before})}
    folders = {name: folder / name for name in checkouts}
    for each in folders.values():
        each.mkdir()
        (each / source.name).symlink_to(source)
    group_by(source, settings, given.k)  # brings the file into memory
    base: list[float] = []
    runs: dict[str, dict[str, list[dict[str, float]]]] = {name: {} for name in checkouts}
    for _ in range(given.repeat):
        base.append(group_by(source, settings, given.k).cpu)
        for command in given.only or COMMANDS:
            for name, root in checkouts.items():
                one = taken(COMMANDS[command], folders[name], root.resolve())
                runs[name].setdefault(command, []).append(one)
    told: dict[str, object] = {"base_cpu": middle(base)}
    for name, commands in runs.items():
        told[name] = {
            command: {
                **{figure: middle([one[figure] for one in every], 2) for figure in every[0]},
                "cpu/base": round(middle([one["cpu"] for one in every]) / middle(base), 1),
            }
            for command, every in commands.items()
        }
    if given.before is not None and (folders["now"] / "applied.parquet").exists():
        pairs = [[each / file for each in folders.values()] for file in ("applied.parquet",)]
        told["same_rows"] = all(same_rows(one, other) for one, other in pairs)
    return told


def main() -> None:
    """Print the figures of each size, or write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", default="100000,1000000")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-k", type=int, default=11)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--before", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    told: dict[str, object] = {"benchmark": "first_policy", "machine": machine()}
    for rows in map(int, given.rows.split(",")):
        with TemporaryDirectory() as folder:
            told[f"{rows:,} rows"] = measured(given, rows, Path(folder))
    write(told, given.out)


if __name__ == "__main__":
    main()
