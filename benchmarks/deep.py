"""Plans that are wide, deep or of many sets: 20 quasi-identifiers, columns of 100,000 values, 31 sets of `over:`.

    python -m benchmarks.deep
    python -m benchmarks.deep --rows 100000 --cases deep --repeat 1

"wide" is the census of `benchmarks.wide`, 20 quasi-identifiers: as ordered columns by Mondrian, and its lattice, searched
by `lightning` for `--seconds`. "deep" has a zip code of nine digits under a mask and a birth to the second under dates,
100,000 values each, beside two small columns: its lattice, searched to the end, and as lines by Mondrian. "sets" is the
census with five quasi-identifiers, and asks for a k of each of the 31 sets of these.

Every plan is made by a process of its own, start and imports included. The yardstick, measured beside each, is the
GROUP BY of the raw quasi-identifiers over the same Parquet file. Ratios are medians over medians: of CPU seconds for the
whole process, of seconds for its steps. A plan that searches for a given time has no ratio of its search.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks import census, wide
from benchmarks.measure import Measured, machine, middle, run, write, write_policy
from benchmarks.quality import CUTS, table
from kanon_sql.engines.duckdb.session import open_duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DOMAIN = 100_000
DEEP: Mapping[str, object] = {
    "sex": "suppress",
    "household": {"intervals": [2, 4]},
    "zip": {"mask": 9},
    "born": {"dates": ["day", "month", "year", "decade"]},
}
ORDERS = {"sex": "text", "zip": "text", "born": "date"}
FIVE = ("sex", "age", "education", "marital", "workclass")
PLANNING = ("open", "hierarchies", "encode", "search", "link")


@dataclass(frozen=True, slots=True)
class Case:
    """A table, and a policy of it that is planned."""

    name: str
    table: str
    columns: Mapping[str, object]
    others: tuple[str, ...]
    privacy: object
    search: Mapping[str, object]
    suppression: str = "0%"
    timed: bool = False


def as_lines(columns: Mapping[str, object]) -> dict[str, object]:
    """Read columns by the order of their values."""
    texts = {name for name, spec in census.QUASI.items() if name != "age"}
    return {
        name: {
            "role": "quasi",
            "order": ORDERS.get(name, "text" if name in texts else "number"),
        }
        for name in columns
    }


def as_hierarchies(columns: Mapping[str, object]) -> dict[str, object]:
    return {name: {"role": "quasi", "hierarchy": spec} for name, spec in columns.items()}


def cases() -> list[Case]:
    """List what is planned."""
    mondrian = CUTS
    lightning, loss = {"algorithm": "lightning", "metric": "loss"}, {"metric": "loss"}
    five = {name: census.QUASI[name] for name in FIVE}
    rest = tuple(name for name in census.QUASI if name not in FIVE)
    sets: Sequence[tuple[str, ...]] = [
        each for size in range(1, len(FIVE) + 1) for each in combinations(FIVE, size)
    ]
    ks = [{"k": 5 * (1 + len(FIVE) - len(each)), "over": [*each]} for each in sets]
    wide_rest, deep_rest, own_rest = ("disease", "income"), ("disease",), (*rest, "disease", "income")  # fmt: skip
    k = {"k": 5}
    return [
        Case("wide, lines", "wide", as_lines(wide.QUASI), wide_rest, k, mondrian),
        Case(
            *("wide, lattice", "wide", as_hierarchies(wide.QUASI), wide_rest, k, lightning),
            suppression="5%",
            timed=True,
        ),
        Case("deep, lattice", "deep", as_hierarchies(DEEP), deep_rest, k, loss, suppression="5%"),
        Case("deep, lines", "deep", as_lines(DEEP), deep_rest, k, mondrian),
        Case("sets", "census", as_hierarchies(five), own_rest, ks, loss, suppression="1%"),
        Case("sets, lines", "census", as_lines(five), own_rest, ks, mondrian),
    ]


def generate_deep(rows: int, out: Path) -> None:
    """Write a table whose columns have many values as Parquet."""
    text = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    with duckdb.connect() as connection:
        connection.execute("SET VARIABLE people = ?", [rows])
        connection.execute("SET VARIABLE domain = ?", [DOMAIN])
        connection.sql(text).write_parquet(str(out), compression="snappy")


TABLES: Mapping[str, Callable[[int, Path], None]] = {
    "wide": wide.generate,
    "deep": generate_deep,
    "census": census.generate,
}


def policy(case: Case, source: Path, seconds: float) -> dict[str, object]:
    """Give the policy of a case."""
    search = dict(case.search)
    if case.timed:
        search["time_limit"] = f"{seconds:g}s"
    return {
        "version": 1,
        "source": str(source),
        "entity": "row",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            **case.columns,
            **{name: {"role": "insensitive"} for name in case.others},
        },
        "privacy": case.privacy,
        "suppression": case.suppression,
        "search": search,
    }


def base_group_by(source: Path, names: Sequence[str], threads: int) -> tuple[float, float, int]:
    """Time the GROUP BY of the raw quasi-identifiers: seconds, CPU seconds and distinct tuples."""
    text = Path(__file__).with_name("wide_group_by.sql").read_text(encoding="utf-8")
    with open_duckdb(threads=threads) as engine:
        relation = engine.connection.read_parquet(str(source))
        relation.select(*map(duckdb.ColumnExpression, names)).create_view("quasi")
        began, spent = time.perf_counter(), time.process_time()
        ((distinct, _),) = engine.connection.execute(text).fetchall()
        return time.perf_counter() - began, time.process_time() - spent, int(distinct)


def figures(
    case: Case, base: list[tuple[float, float, int]], runs: list[Measured]
) -> dict[str, Any]:
    """Reduce the repetitions of one case."""
    last = runs[-1].summary
    seconds = {
        step: middle([r.summary["seconds"].get(step, 0.0) for r in runs]) for step in PLANNING
    }
    cpu, wall = middle([c for _, c, _ in base]), middle([s for s, _, _ in base])
    process = middle([r.cpu for r in runs])
    ratios: dict[str, float | None] = {
        step: round(spent / wall, 2) for step, spent in seconds.items()
    }
    if case.timed:
        ratios["search"] = None
    else:
        ratios["process cpu/base cpu"] = round(process / cpu, 1)
    return {
        "distinct_tuples": base[-1][2],
        "base": {"seconds": wall, "cpu": cpu},
        "seconds": seconds,
        "process_cpu": round(process, 2),
        "ratios": ratios,
        "checks": last.get("checks"),
        "statements": last["statements"],
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
    }


def lines(results: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Give the rows of the table: the yardstick and the steps, as ratios to it."""
    rows: list[tuple[str, ...]] = []
    for name, each in results.items():
        steps = [each["ratios"][step] for step in PLANNING[1:]]
        told = ["" if step is None else f"{step:.1f}" for step in steps]
        whole = each["ratios"].get("process cpu/base cpu", "")
        base = f"{each['base']['cpu']:.2f}"
        rows.append(("", name, base, *told, str(whole), f"{each['process_cpu']:.1f}", str(each["peak_mib"])))  # fmt: skip
    return rows


HEADINGS = ("", "plan", "base CPU s", *PLANNING[1:], "process", "CPU s", "peak MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cases", nargs="+", default=["wide", "deep", "sets"], help="how names of cases begin")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=10, help="for the lattice that is wide")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    asked = [case for case in cases() if case.name.startswith(tuple(given.cases))]
    if not asked:
        sys.exit("no case begins like this")
    results: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory() as folder:
        for case in asked:
            source = Path(folder) / f"{case.table}.parquet"
            if not source.is_file():
                TABLES[case.table](given.rows, source)
            file = write_policy(policy(case, source, given.seconds), Path(folder) / "policy.yml")
            arguments = ["benchmarks.measure", str(file), "--threads", str(given.threads)]
            base_group_by(source, [*case.columns], given.threads)  # brings the file into memory
            base, runs = [], []
            for _ in range(given.repeat):
                base.append(base_group_by(source, [*case.columns], given.threads))
                runs.append(run(arguments))
            results[case.name] = figures(case, base, runs)
    sys.stdout.write(table(HEADINGS, lines(results)))
    report: dict[str, object] = {
        "benchmark": "deep",
        "machine": machine(),
        "rows": given.rows,
        "domain": DOMAIN,
        "threads": given.threads,
        "repetitions": given.repeat,
        "time_limit": given.seconds,
        "by_case": results,
    }
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
