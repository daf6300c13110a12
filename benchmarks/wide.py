"""Lightning on a lattice that nobody can enumerate, against plain searches through the same checker.

    python -m benchmarks.wide --rows 1000000 --columns 15 --seconds 60 --out wide.json

Every search runs in a process of its own, on the same file, with the same time limit from the
moment when the frequency set is there, and with the quasi-identifiers in several orders, which
decide ties and where paths begin. Of each the curve is told: seconds, checks and cost whenever
the best became better.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb

from benchmarks import census
from benchmarks.measure import machine, run, write, write_policy
from kanon_sql.counting.hierarchies.mapping import map_columns
from kanon_sql.counting.lattice.encode import encode
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.result import LeastCost, offer
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.recoding.searches.lightning import lightning

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.counting.lattice.result import Verdict
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.policy.metrics.statistics import Cost, Metric, TableStatistics

INTERVALS = {
    "hours": [5, 10, 20, 40],
    "commute": [5, 15, 30, 60],
    "rooms": [2, 4],
    "children": [2, 4],
    "rent": [100, 200, 1000],
    "arrived": [5, 10, 20, 40],
    "height": [5, 10, 20],
    "weight": [5, 10, 20, 40],
    "cars": [2],
    "storey": [5, 10],
    "bill": [10, 50, 100],
    "tenure": [5, 10, 20],
}
QUASI: dict[str, object] = {
    **census.QUASI,
    **{name: {"intervals": widths} for name, widths in INTERVALS.items()},
}


class Traced:
    """A checker with its own time limit, which notes when the best so far became better."""

    def __init__(self, checker: SqlChecker, seconds: float) -> None:
        self.inner = checker
        self.curve: list[dict[str, object]] = []
        self.best = LeastCost()
        self.started = time.monotonic()
        self.seconds = seconds

    @property
    def lattice(self) -> Lattice:
        return self.inner.lattice

    @property
    def stats(self) -> TableStatistics:
        return self.inner.stats

    @property
    def metric(self) -> Metric:
        return self.inner.metric

    @property
    def max_suppressed(self) -> int:
        return self.inner.max_suppressed

    @property
    def class_size(self) -> int:
        return self.inner.class_size

    @property
    def monotone(self) -> bool:
        return self.inner.monotone

    @property
    def batch(self) -> int:
        return self.inner.batch

    def check(self, nodes: Sequence[Node]) -> list[Verdict]:
        return self.inner.check(nodes)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        costs = self.inner.costs(verdicts)
        for verdict, cost in zip(verdicts, costs, strict=True):
            before = self.best.cost
            self.best.offer(verdict, cost)
            if self.best.cost != before:
                self.curve.append(
                    {
                        "seconds": round(time.monotonic() - self.started, 2),
                        "checks": self.inner.checks,
                        "cost": list(cost),
                    }
                )
        return costs

    def late(self) -> bool:
        return time.monotonic() - self.started > self.seconds


def _raised(levels: tuple[int, ...], column: int, by: int = 1) -> tuple[int, ...]:
    return (*levels[:column], levels[column] + by, *levels[column + 1 :])


def greedy(checker: Traced, _: random.Random) -> None:
    """Raise the column with most distinct values until the node is feasible, as Datafly does."""
    levels = checker.lattice.bottom.levels
    while not checker.late():
        verdicts = checker.check([Node(levels)])
        offer(checker, LeastCost(), verdicts)
        open_ = [c for c, top in enumerate(checker.lattice.tops) if levels[c] < top]
        if verdicts[0].feasible or not open_:
            return
        columns = checker.stats.columns
        levels = _raised(levels, max(open_, key=lambda c: columns[c].levels[levels[c]].values))


def _random_path(checker: Traced, draw: random.Random) -> Node | None:
    """Give the lowest feasible node of a random path from the bottom to the top, by halving it."""
    levels, path = checker.lattice.bottom.levels, [checker.lattice.bottom]
    while open_ := [c for c, top in enumerate(checker.lattice.tops) if levels[c] < top]:
        levels = _raised(levels, draw.choice(open_))
        path.append(Node(levels))
    low, high = -1, len(path) - 1
    while high - low > 1:
        middle = (low + high) // 2
        (verdict,) = checker.check([path[middle]])
        offer(checker, LeastCost(), [verdict])
        low, high = (low, middle) if verdict.feasible else (middle, high)
    return path[high]


def restarts(checker: Traced, draw: random.Random) -> None:
    """Take one random path after the other."""
    while not checker.late():
        _random_path(checker, draw)


def climbs(checker: Traced, draw: random.Random) -> None:
    """Take a random path, go down from its end a level at a time while that is feasible; again."""
    while not checker.late():
        node = _random_path(checker, draw)
        while node is not None and not checker.late():
            children = list(node.children(checker.lattice.bottoms))
            draw.shuffle(children)
            node = None
            for child in children:
                (verdict,) = checker.check([child])
                offer(checker, LeastCost(), [verdict])
                if verdict.feasible:
                    node = child
                    break
                if checker.late():
                    break


def ours(checker: Traced, _: random.Random) -> None:
    """Run the search of the package."""
    lightning(checker)


SEARCHES: dict[str, Callable[[Traced, random.Random], None]] = {
    "lightning": ours,
    "greedy": greedy,
    "random restarts": restarts,
    "random descents": climbs,
}

BASE = "base GROUP BY"


def generate(rows: int, out: Path) -> None:
    """Write a census with twenty quasi-identifiers as Parquet."""
    text = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        plain = Path(folder) / "census.parquet"
        census.generate(rows, plain)
        connection.read_parquet(str(plain)).create_view("census")
        connection.sql(text).write_parquet(str(out), compression="snappy")


def policy(source: Path, given: argparse.Namespace, seed: int) -> dict[str, object]:
    """Give a policy over so many quasi-identifiers, in an order that the seed decides."""
    names = list(QUASI)[: given.columns]
    if seed:
        random.Random(seed).shuffle(names)
    rest = [name for name in [*QUASI, "disease", "income"] if name not in names]
    return {
        "version": 1,
        "source": str(source),
        "entity": "row",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            **{name: {"role": "quasi", "hierarchy": QUASI[name]} for name in names},
            **{name: {"role": "insensitive"} for name in rest},
        },
        "privacy": {"k": given.k},
        "suppression": given.suppression,
        "search": {"metric": given.metric},
    }


def base_group_by(source: Path, names: list[str], threads: int) -> dict[str, object]:
    """Time the GROUP BY of the raw quasi-identifiers, and count its classes."""
    text = Path(__file__).with_name("wide_group_by.sql").read_text(encoding="utf-8")
    with open_duckdb(threads=threads) as engine:
        relation = engine.connection.read_parquet(str(source))
        relation.select(*map(duckdb.ColumnExpression, names)).create_view("quasi")
        engine.connection.execute(text).fetchall()  # brings the file into memory
        started = time.perf_counter()
        ((distinct, rows),) = engine.connection.execute(text).fetchall()
        seconds = time.perf_counter() - started
    return {"seconds": round(seconds, 2), "distinct_tuples": distinct, "rows": int(rows)}


def searched(given: argparse.Namespace) -> dict[str, object]:
    """Run one search in this process."""
    read = read_policy(given.policy)
    started = time.perf_counter()
    with (
        open_duckdb(threads=given.threads) as engine,
        session(engine, read) as opened_run,
    ):
        opened = open_source(opened_run, None)
        encoded = encode(opened_run, opened, map_columns(opened_run, opened))
        checker = make_checker(
            opened_run,
            encoded,
            metric=read.metric,
            max_suppressed=read.suppression.limit(opened.rows),
            deadline=None,
        )
        prepared = time.perf_counter() - started
        journal = engine.journal
        before = journal.statements, journal.scanned
        traced = Traced(checker, given.seconds)
        SEARCHES[given.search](traced, random.Random(given.seed))
        verdict = traced.best.verdict
        return {
            "search": given.search,
            "seed": given.seed,
            "lattice_nodes": encoded.lattice.size,
            "keys": len(encoded.counting.packing.keys),
            "seconds": {
                "open_to_frequency_set": round(prepared, 2),
                "search": round(time.monotonic() - traced.started, 2),
            },
            "checks": checker.checks,
            "statements": journal.statements - before[0],
            "rows_scanned": journal.scanned - before[1],
            "cost": list(traced.best.cost or ()),
            "levels": dict(
                zip((c.name for c in read.quasi), verdict.node.levels, strict=True)
                if verdict
                else ()
            ),
            "suppressed_rows": verdict.counts.suppressed if verdict else None,
            "curve": traced.curve,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=15, choices=range(10, len(QUASI) + 1))
    parser.add_argument("--source", type=Path, help="a table that was generated before")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", default="5%")
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=list(SEARCHES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--search", choices=[*SEARCHES, BASE], help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--policy", type=str, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.search is not None:
        base = given.search == BASE
        names = list(QUASI)[: given.columns]
        told = base_group_by(given.source, names, given.threads) if base else searched(given)
        json.dump(told, sys.stdout)
        return
    with TemporaryDirectory() as folder:
        source = given.source or Path(folder) / "wide.parquet"
        if given.source is None:
            generate(given.rows, source)
        # In a process of its own: one that is started has the memory of its parent as its peak.
        arguments = ["benchmarks.wide", "--search", BASE, "--source", str(source.resolve())]
        arguments += ["--columns", str(given.columns), "--threads", str(given.threads)]
        base = run(arguments).summary
        runs = []
        for seed in given.seeds:
            said = write_policy(
                policy(source.resolve(), given, seed), Path(folder) / f"policy{seed}.yml"
            )
            for search in given.searches:
                arguments = ["benchmarks.wide", "--search", search, "--seed", str(seed)]
                arguments += ["--policy", str(said), "--seconds", str(given.seconds)]
                found = run([*arguments, "--threads", str(given.threads)])
                runs.append({**found.summary, "peak_mib": round(found.peak_bytes / 2**20)})
        write(
            {
                "benchmark": "wide",
                "machine": machine(),
                "columns": given.columns,
                "k": given.k,
                "suppression": given.suppression,
                "metric": given.metric,
                "threads": given.threads,
                "time_limit": given.seconds,
                "base_group_by": base,
                "runs": runs,
            },
            given.out,
        )


if __name__ == "__main__":
    main()
