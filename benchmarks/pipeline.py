"""The whole path on a census in Parquet, step by step, against one GROUP BY of the raw columns.

    python -m benchmarks.pipeline --rows 10000000 --out new.json
    python -m benchmarks.pipeline --rows 10000000 --before OTHER_CHECKOUT
    python -m benchmarks.compare old.json new.json

Every repetition measures the yardstick (a GROUP BY of the raw quasi-identifiers over the same
file, on a fresh connection with the same settings), then a plan and an anonymization, each in a
process of its own; with --before the same of another checkout, in turn. A plan that is kept hashes
its source, an anonymization does not. Figures are medians; ratios are medians over medians.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import census
from benchmarks.measure import ROOT, Measured, machine, middle, run, write, write_policy
from kanon_sql import Settings
from kanon_sql.engines.duckdb.session import open_duckdb

STEPS = ("open", "hierarchies", "encode", "search", "recode", "verify", "publish")
PLANNING = (*STEPS[:4], "fingerprint")


@dataclass(frozen=True, slots=True)
class Base:
    """What the yardstick took, and found."""

    seconds: float
    cpu: float
    distinct: int
    rows: int


def group_by(source: Path, settings: Settings, k: int) -> Base:
    """Time the yardstick."""
    text = Path(__file__).with_name("base_group_by.sql").read_text(encoding="utf-8")
    with open_duckdb(threads=settings.threads, memory_limit=settings.memory_limit) as engine:
        connection = engine.connection
        connection.read_parquet(str(source)).create_view("census")
        connection.execute("SET VARIABLE k = ?", [k])
        started, spent = time.perf_counter(), time.process_time()
        ((distinct, rows, _),) = connection.execute(text).fetchall()
        seconds, cpu = time.perf_counter() - started, time.process_time() - spent
        return Base(seconds, cpu, int(distinct), int(rows))


@dataclass(frozen=True, slots=True)
class Taken:
    """What a checkout took, repetition by repetition."""

    plans: list[Measured] = field(default_factory=list)
    runs: list[Measured] = field(default_factory=list)

    def take(self, root: Path, policy: str, release: str, options: list[str]) -> None:
        """Make a plan and an anonymization once more."""
        self.plans.append(run(["benchmarks.measure", policy, *options], root))
        self.runs.append(run(["benchmarks.measure", policy, release, *options], root))

    def ratios(self, base: list[Base]) -> dict[str, float]:
        """Set it against the yardstick, of the same run."""
        wall, cpu = middle([b.seconds for b in base]), middle([b.cpu for b in base])
        steps = {step: _median_of(self.plans, step) for step in PLANNING}
        search = sum(_median_of(self.runs, step) for step in ("encode", "search"))
        return {
            "plan/base": round(sum(steps.values()) / wall, 2),
            "fingerprint/base": round(steps["fingerprint"] / wall, 2),
            "plan process cpu/base cpu": round(middle([p.cpu for p in self.plans]) / cpu, 2),
            "(encode+search)/base": round(search / wall, 2),
            "whole/base": round(middle([_whole(r) for r in self.runs]) / wall, 2),
            "whole process cpu/base cpu": round(middle([r.cpu for r in self.runs]) / cpu, 2),
        }


def _median_of(runs: list[Measured], step: str) -> float:
    return middle([r.summary["seconds"].get(step, 0.0) for r in runs])


def _whole(measured: Measured) -> float:
    return float(sum(measured.summary["seconds"].values()))


def report(
    given: argparse.Namespace, base: list[Base], taken: Taken, before: Taken | None
) -> dict[str, object]:
    """Reduce the repetitions to medians and ratios."""
    runs, plans = taken.runs, taken.plans
    last = runs[-1].summary
    return {
        "benchmark": "pipeline",
        "machine": machine(),
        "rows": base[-1].rows,
        "quasi_identifiers": len(census.QUASI),
        "distinct_tuples": base[-1].distinct,
        "lattice_nodes": last["lattice_nodes"],
        "k": given.k,
        "suppression": given.suppression,
        "metric": given.metric,
        "threads": given.threads,
        "memory_limit": given.memory_limit,
        "repetitions": given.repeat,
        "levels": last["levels"],
        "optimal": last["optimal"],
        "checks": last["checks"],
        "statements": {"plan": last["plan_run"]["statements"], "whole": last["statements"]},
        "rows_scanned": {"plan": last["plan_run"]["rows_scanned"], "whole": last["rows_scanned"]},
        "seconds": {
            "base_group_by": middle([b.seconds for b in base]),
            "base_group_by_cpu": middle([b.cpu for b in base]),
            **{step: _median_of(runs, step) for step in STEPS},
            "fingerprint": _median_of(plans, "fingerprint"),
            "plan": middle([_whole(p) for p in plans]),
            "whole": middle([_whole(r) for r in runs]),
            "plan_process_cpu": middle([p.cpu for p in plans]),
            "process_wall": middle([r.wall for r in runs]),
            "process_cpu": middle([r.cpu for r in runs]),
        },
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
        "ratios": taken.ratios(base),
        **({} if before is None else {"before": before.ratios(base)}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument(
        "--source", type=Path, help="a census that was generated before, for --rows"
    )
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", default="1%")
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-limit")
    parser.add_argument("--before", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    settings = Settings(threads=given.threads, memory_limit=given.memory_limit)
    with TemporaryDirectory() as folder:
        source = given.source or Path(folder) / "census.parquet"
        if given.source is None:
            census.generate(given.rows, source)
        policy = census.policy(
            source.resolve(), k=given.k, suppression=given.suppression, metric=given.metric
        )
        options = ["--threads", str(given.threads)]
        if given.memory_limit is not None:
            options += ["--memory-limit", given.memory_limit]
        asked = (
            str(write_policy(policy, Path(folder) / "policy.yml")),
            str(Path(folder) / "release.parquet"),
            options,
        )
        group_by(source, settings, given.k)  # brings the file into memory
        taken, before = Taken(), Taken() if given.before is not None else None
        base = []
        for _ in range(given.repeat):
            base.append(group_by(source, settings, given.k))
            taken.take(ROOT, *asked)
            if before is not None:
                before.take(given.before.resolve(), *asked)
    write(report(given, base, taken, before), given.out)


if __name__ == "__main__":
    main()
