"""What the report of a release costs on a generated census, beside one GROUP BY of its source's raw columns.

    python -m benchmarks.report --rows 10000000

The census is planned and released once. Then the yardstick (`base_group_by.sql`) and the report of the release take
turns, each on a connection of its own that reads the same files; nothing else is searched for.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import kanon_sql
from benchmarks import census
from benchmarks.measure import machine, middle, write, write_policy
from benchmarks.pipeline import Base, group_by


def main() -> None:
    """Measure, and print or write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--source", type=Path, help="a census that was generated before")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    settings = kanon_sql.Settings(threads=given.threads)
    with TemporaryDirectory() as text:
        folder = Path(text)
        source = given.source or folder / "census.parquet"
        if given.source is None:
            census.generate(given.rows, source)
        policy = census.policy(source.resolve(), k=given.k, suppression="1%", metric="loss")
        written = write_policy(policy, folder / "policy.yml")
        plan = kanon_sql.plan(written, settings=settings).named("policy.yml")
        (folder / "policy.plan.yml").write_text(plan.to_yaml(), encoding="utf-8")
        release = folder / "release.parquet"
        made = kanon_sql.apply(folder / "policy.plan.yml", release=str(release), settings=settings)
        made.close()
        bases: list[Base] = []
        walls, spent, pages = [], [], []
        group_by(source, settings, given.k)  # brings the file into memory
        for _ in range(given.repeat):
            bases.append(group_by(source, settings, given.k))
            started, cpu = time.perf_counter(), time.process_time()
            found = kanon_sql.report(
                release, plan=folder / "policy.plan.yml", search=False, settings=settings
            )
            walls.append(time.perf_counter() - started)
            spent.append(time.process_time() - cpu)
            pages.append(len(found.to_html().encode()))
    base = {"seconds": middle([b.seconds for b in bases]), "cpu": middle([b.cpu for b in bases])}
    summary = {
        "benchmark": "report",
        "machine": machine(),
        "rows": bases[-1].rows,
        "classes": found.risk.classes,
        "base_group_by": base,
        "report": {"seconds": middle(walls), "cpu": middle(spent)},
        "ratios": {
            "report/base": round(middle(walls) / base["seconds"], 2),
            "report cpu/base cpu": round(middle(spent) / base["cpu"], 2),
        },
        "page_bytes": max(pages),
    }
    write(summary, given.out)


if __name__ == "__main__":
    main()
