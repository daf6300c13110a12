"""What the report of a release costs on a generated census, beside one GROUP BY of its source's raw columns.

    python -m benchmarks.report
    python -m benchmarks.report --rows 1000000 --policy init

The census is planned and released once. Then the yardstick (`base_group_by.sql`) and the report of the release take
turns, the report in a process of its own that reads the same files; nothing else is searched for. What a report costs
however few rows there are, its statements and Python, is measured beside it: the report of a census of 100 rows. It fails
where a report is over its bounds: of memory, and of the CPU that it takes beyond that of 100 rows, which is a multiple of the
yardstick. Without `--rows` it does so at all three sizes.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import kanon_sql
from benchmarks import census
from benchmarks.measure import (
    Measured,
    machine,
    middle,
    own_peak,
    run,
    run_command,
    write,
    write_policy,
)
from benchmarks.pipeline import Base, group_by

SIZES = (100_000, 1_000_000, 10_000_000)
FEW_ROWS = 100
MOST_RATIO = 3.0
"""The most CPU that a report takes beyond one of a few rows, as a multiple of the yardstick's."""
NOISE, MOST_BYTES = 0.5, 1 << 30
"""CPU seconds by which two runs of the same process differ, and the most bytes of memory."""


def report_once(release: Path, settings: kanon_sql.Settings) -> None:
    """Report a release, and print what that took."""
    started, cpu = time.perf_counter(), time.process_time()
    plan = release.with_name("policy.plan.yml")
    found = kanon_sql.report(release, plan=plan, search=False, settings=settings)
    taken = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}
    page = len(found.to_html().encode())
    write({**taken, "classes": found.risk.classes, "page_bytes": page, **own_peak()}, None)


def release_of(folder: Path, source: Path, given: argparse.Namespace) -> Path:
    """Plan and release a census in a folder."""
    folder.mkdir(exist_ok=True)
    if given.policy == "init":
        run_command(["init", str(source.resolve()), "-o", "policy.yml"], folder)
    else:
        policy = census.policy(source.resolve(), k=given.k, suppression="1%", metric="loss")
        write_policy(policy, folder / "policy.yml")
    run_command(["plan", "policy.yml"], folder)
    release = folder / "release.parquet"
    run_command(["apply", "policy.plan.yml", "--release", str(release)], folder)
    return release


def measure(rows: int, given: argparse.Namespace) -> list[str]:
    """Measure one size, print or write it, and list the bounds that it is over."""
    settings = kanon_sql.Settings(threads=given.threads)
    with TemporaryDirectory() as text:
        folder = Path(text)
        source = given.source or folder / "census.parquet"
        if given.source is None:
            census.generate(rows, source)
        few = folder / "few.parquet"
        census.generate(FEW_ROWS, few)
        release = release_of(folder / "census", source, given)
        of_few = release_of(folder / "few", few, given)
        bases: list[Base] = []
        taken: list[Measured] = []
        fixed: list[Measured] = []
        group_by(source, settings, given.k)  # brings the file into memory
        for _ in range(given.repeat):
            bases.append(group_by(source, settings, given.k))
            for runs, of in ((taken, release), (fixed, of_few)):
                options = ["--release", str(of), "--threads", str(given.threads)]
                runs.append(run(["benchmarks.report", *options]))
    base = {"seconds": middle([b.seconds for b in bases]), "cpu": middle([b.cpu for b in bases])}
    seconds, cpu = (middle([each.summary[of] for each in taken]) for of in ("seconds", "cpu"))
    of_few_cpu = middle([each.summary["cpu"] for each in fixed])
    beyond = max(0.0, cpu - of_few_cpu)
    peak = max(each.peak_bytes for each in taken)
    summary = {
        "benchmark": "report",
        "machine": machine(),
        "policy": given.policy,
        "rows": bases[-1].rows,
        "classes": taken[-1].summary["classes"],
        "base_group_by": base,
        "report": {"seconds": seconds, "cpu": cpu, "peak_bytes": peak},
        f"report of {FEW_ROWS} rows": {"cpu": of_few_cpu},
        "ratios": {
            "report/base": round(seconds / base["seconds"], 2),
            "report cpu/base cpu": round(cpu / base["cpu"], 2),
            f"report cpu beyond {FEW_ROWS} rows/base cpu": round(beyond / base["cpu"], 2),
        },
        "page_bytes": taken[-1].summary["page_bytes"],
    }
    write(summary, given.out)
    over = []
    if beyond > max(MOST_RATIO * base["cpu"], NOISE):
        what = f"{beyond:.2f} CPU s beyond those of {FEW_ROWS} rows"
        over.append(f"{rows:,} rows: {what}, and the yardstick {base['cpu']:.2f}")
    if peak > MOST_BYTES:
        over.append(f"{rows:,} rows: {peak / 2**20:,.0f} MiB of memory")
    return over


def main() -> None:
    """Measure, print or write the figures, and fail where one is over its bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, help="one size in place of all three")
    parser.add_argument("--policy", choices=("full_domain", "init"), default="full_domain")
    parser.add_argument("--source", type=Path, help="a census that was generated before")
    parser.add_argument("--release", type=Path, help="report this once, and nothing else")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.release is not None:
        report_once(given.release, kanon_sql.Settings(threads=given.threads))
        return
    sizes = SIZES if given.rows is None else (given.rows,)
    if over := [each for rows in sizes for each in measure(rows, given)]:
        sys.exit("over the bounds of a report: " + "; ".join(over))


if __name__ == "__main__":
    main()
