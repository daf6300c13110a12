"""What each idea of the search brings: the same plan with one of them taken away at a time.

    python -m benchmarks.ablation --rows 0,3000000 --out ablation.json

0 rows are Adult itself, more are drawn from it as in `benchmarks.scaled`. Every variant must end
with the same cost, or the benchmark stops: what is taken away costs checks, statements, rows and
seconds, never the optimum. Counts are exact; seconds are medians of the search step.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.adult import FOLDER
from benchmarks.measure import machine, middle, write, write_policy
from benchmarks.scaled import generate, nine
from kanon_sql import Settings, plan
from kanon_sql.counting.lattice import result, sql_checker
from kanon_sql.recoding.searches import optimal, predictive_tagging
from kanon_sql.recoding.searches.predictive_tagging import NodeSets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.engines.base import PreparedStatement
    from kanon_sql.policy.metrics.node import Node


def _nothing(sets_: result.FrequencySets, node: Node) -> Node | None:
    del sets_, node
    return None


def _hopeful(search: object, at: int) -> bool:
    del search, at
    return False


def _the_first(sets_: result.FrequencySets, node: Node) -> result.FrequencySet:
    del node
    return sets_.base


def _made_from_the_first(asking: sql_checker.SqlChecker, node: Node) -> None:
    with patch.object(result.FrequencySets, "covering", _the_first):
        ROLL_UP(asking, node)


def _prepared_anew(
    asking: sql_checker.SqlChecker,
    finer: result.FrequencySet,
    key: tuple[object, ...],
    statement: Callable[[], Statement],
) -> PreparedStatement:
    finer.prepared.clear()
    return PREPARED(asking, finer, key, statement)


def _everything(order: NodeSets, cost: object) -> int:
    del cost
    return order.all


SEARCH = optimal._Search  # noqa: SLF001  the benchmark takes it apart
ROLL_UP = sql_checker.SqlChecker._roll_up  # noqa: SLF001
PREPARED = sql_checker.SqlChecker._prepared  # noqa: SLF001
VARIANTS: dict[str, tuple[object, str, object] | None] = {
    "all of it": None,
    "one node a statement": (sql_checker, "BATCH", 1),
    "each statement rendered and prepared anew": (
        sql_checker.SqlChecker,
        "_prepared",
        _prepared_anew,
    ),
    "no roll-ups": (result.FrequencySets, "worth_making", _nothing),
    "roll-ups made from the first set": (sql_checker.SqlChecker, "_roll_up", _made_from_the_first),
    "a roll-up once it would have saved one scan": (result, "PRICE", 1.0),
    "a roll-up once it would have saved ten scans": (result, "PRICE", 10.0),
    "no bound by unavoidable suppression": (SEARCH, "hopeless", _hopeful),
    "no bound by cost": (NodeSets, "within", _everything),
    "a fixed share of a path, no forecast": (predictive_tagging, "ENOUGH", sys.maxsize),
}
"""What is taken away, and what stands in its place; three are scans of what a roll-up is made from."""


def measured(file: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Plan with every variant and give what each took."""
    found: dict[str, Any] = {}
    cost = None
    for name, instead in VARIANTS.items():
        seconds, cpu = [], []
        for _ in range(given.repeat):
            with ExitStack() as stack:
                if instead is not None:
                    stack.enter_context(patch.object(*instead))
                started = time.process_time()
                made = plan(file, settings=Settings(threads=given.threads))
                cpu.append(time.process_time() - started)
            run: Mapping[str, Any] = made.run
            seconds.append(run["seconds"]["search"])
        if cost not in (None, made.cost) or not made.optimal:
            sys.exit(f"{name}: another cost than the whole search's, or not proven")
        cost = made.cost
        sys.stderr.write(f"{name}: {made.checks} checks\n")
        found[name] = {
            "checks": made.checks,
            "statements": run["statements"],
            "rows_scanned": run["rows_scanned"],
            "search_seconds": middle(seconds),
            "plan_cpu_seconds": middle(cpu),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--rows", default="0,3000000")
    parser.add_argument("--suppression", default="2%")
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    adult = given.folder.resolve()
    if not (adult / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    results = {}
    with TemporaryDirectory() as folder:
        for rows in given.rows.split(","):
            source = adult / "adult.csv"
            if int(rows):
                source = Path(folder) / f"{rows}.parquet"
                generate(adult, int(rows), source)
            spec = nine(adult, source, metric=given.metric, suppression=given.suppression)
            file = write_policy(spec, Path(folder) / "policy.yml")
            plan(file, settings=Settings(threads=given.threads))  # warms up
            results[rows] = measured(file, given)
    report: dict[str, object] = {
        "benchmark": "ablation",
        "machine": machine(),
        "k": 5,
        "suppression": given.suppression,
        "metric": given.metric,
        "threads": given.threads,
        "repetitions": given.repeat,
        "by_rows": results,
    }
    write(report, given.out)


if __name__ == "__main__":
    main()
