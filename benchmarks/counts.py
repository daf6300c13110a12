"""By how much simple counts on a release are wrong: the uses of `init` and one level a column, table by table.

    python -m benchmarks.counts ../shared/data/adult/adult.csv ../shared/data/nist/national2019.csv more.csv

Of each table, and of three that are drawn here (the sample's patients, a census, a hospital), a first policy is suggested
from the columns alone, and released in four ways with the same k:

* records: labels that nest, what `init --for records` writes;
* intervals: the same with an order for numbers and dates, so that intervals overlap;
* counts: values in place of labels, what `init --for counts` writes;
* one level: full-domain generalization, with 1 % suppressed.

    python -m benchmarks.counts --cost 1000000 --repeat 3

measures in place of that what values for counts and the error itself cost on a census: CPU seconds of a plan of
representatives, of one of apportioned values, and of the error of its simple counts, beside the base (a GROUP BY of the
quasi-identifiers by DuckDB alone).

    python -m benchmarks.counts --cost 100000 --engine spark

measures the error of a release at one level a column, by the CPU seconds of a database and of this process, beside the
same GROUP BY there.

The error is the median over all pairs of values, or bands, of two columns (`count_error`): of labels that are spread over
what they cover, and of a plain GROUP BY. Columns of more than ten quasi-identifiers are dropped from the last on.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import duckdb
import yaml

from benchmarks import census, hospital
from benchmarks.engines import BASE, STARTS, _stat, cpu_seconds
from benchmarks.measure import machine, write
from kanon_sql import InfeasibleError, apply, plan, quality
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.propose_columns import Answers
from kanon_sql.evidence.release_quality.simple_counts import count_release, count_simply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MOST_QUASI = 10
MONDRIAN = {"algorithm": "mondrian", "choose": "loss"}
WAYS = ("records", "intervals", "counts", "one level")


def proposed(source: Path, use: str, known: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the policy that `init` proposes for a file, without its bounds on sensitive columns.

    Columns that are `known` are quasi-identifiers, whatever their names say; without these, `init` has no answer.
    A column of which `init` reads some texts as no number, as NIST's N, keeps its texts: others compare these. Files of
    hierarchies are named in full, so that the policy may be written to any folder.
    """
    answers = Answers(use=use, known=known and tuple(known))  # type: ignore[arg-type]
    policy: dict[str, Any] = yaml.safe_load(first_policy(str(source), answers=answers))
    quasi = [name for name, each in policy["columns"].items() if each["role"] == "quasi"]
    for name in quasi[MOST_QUASI:]:
        policy["columns"][name] = {"role": "identifying", "action": "drop"}
    for name, each in policy["columns"].items():
        if each["role"] != "quasi":
            policy["columns"][name] = {"role": "identifying", "action": "drop"}
        elif "unparsed" in each:
            policy["columns"][name] = {"role": "quasi", "hierarchy": "suppress"}
        elif isinstance(each.get("hierarchy"), dict) and "csv" in each["hierarchy"]:
            each["hierarchy"]["csv"] = str(Path(each["hierarchy"]["csv"]).resolve())
    policy.pop("release")  # none is written
    return {**policy, "entity": "row"}


def in_intervals(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a column's entry with an order, by which it is cut into intervals."""
    match entry.get("hierarchy"):
        case {"intervals": list()}:
            return {**entry, "order": "number"}
        case {"dates": _}:
            return {**entry, "order": "date", "snap": "month"}
        case _:
            return entry


def policies(
    source: Path, k: int, known: Sequence[str] | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the four ways of releasing a file."""
    for way in WAYS:
        policy = proposed(source, "counts" if way == "counts" else "records", known)
        policy |= {"privacy": [{"k": k}], "suppression": 0, "search": MONDRIAN}
        if way == "intervals":
            columns = policy["columns"]
            policy["columns"] = {name: in_intervals(each) for name, each in columns.items()}
        if way == "one level":
            policy |= {"suppression": "1%", "search": {"algorithm": "optimal"}}
        yield way, policy


def measured(source: Path, k: int) -> Iterator[dict[str, object]]:
    """Release a file in each way, and measure the error of simple counts of each."""
    for way, policy in policies(source, k):
        quasi = sum(each["role"] == "quasi" for each in policy["columns"].values())
        began = time.process_time()
        try:
            made = plan(policy)
            with apply(made, policy=policy) as release:
                took = time.process_time() - began
                rows = release.to_arrow()
                found = quality(rows, plan=made, policy=policy)
        except InfeasibleError as error:
            yield {"table": source.stem, "way": way, "k": k, "error": str(error)[:60]}
            continue
        classes = Counter(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        if min(classes.values()) < k:
            sys.exit(f"{source.stem}, {way}: a class of {min(classes.values())}")
        yield {
            "table": source.stem,
            "rows": found.rows,
            "quasi": quasi,
            "k": k,
            "way": way,
            "classes": found.classes,
            "suppressed": found.suppressed_rows,
            "count_error": found.figures["count_error"],
            "count_error_plain": found.figures["count_error_plain"],
            "cpu_seconds": round(took, 2),
        }


def drawn(folder: Path, rows: int) -> Iterator[Path]:
    """Write the tables that are drawn here."""
    people = folder / "people.csv"
    people.write_bytes((files("kanon_sql") / "apps" / "sample" / "people.csv").read_bytes())
    yield people
    census.generate(rows, folder / "census.parquet")
    yield folder / "census.parquet"
    hospital.generate(rows // 5, folder / "hospital.duckdb")
    with duckdb.connect(str(folder / "hospital.duckdb")) as connection:
        visits = connection.sql(
            "SELECT birth_date, upper(trim(sex)) AS sex, lower(trim(race)) AS race, zip, admitted_at, diagnosis_code FROM visits"
        )
        visits.write_parquet(str(folder / "hospital.parquet"))
    yield folder / "hospital.parquet"


def costs(rows: int, repeat: int) -> Iterator[dict[str, object]]:
    """Measure CPU seconds: of the base, and of plans of released values with and without the error of simple counts."""
    orders = {name: "number" if name == "age" else "text" for name in census.QUASI}
    with TemporaryDirectory() as folder:
        source = Path(folder) / "census.parquet"
        census.generate(rows, source)
        dropped = {
            each[0]: {"role": "identifying", "action": "drop"}
            for each in duckdb.execute(f"DESCRIBE FROM '{source}'").fetchall()
        }
        for _ in range(repeat):
            began = time.process_time()
            duckdb.execute(f"SELECT COUNT(*) FROM (SELECT {', '.join(orders)} FROM '{source}' GROUP BY ALL)").fetchall()  # fmt: skip
            found: dict[str, object] = {"base": round(time.process_time() - began, 2)}
            for output in ("representative", "apportioned"):
                values = {n: {"role": "quasi", "order": o, "output": output} for n, o in orders.items()}  # fmt: skip
                policy = {
                    "version": 1,
                    "source": str(source),
                    "entity": "row",
                    "columns": {**dropped, **values},
                    "privacy": {"k": 10},
                    "search": MONDRIAN,
                }
                for examples in (False, True):
                    began = time.process_time()
                    with patch(
                        "kanon_sql.evidence.release_quality.simple_counts.count_simply",
                        counted(found),
                    ):
                        plan(policy, examples=examples)
                    if not examples:
                        found[output] = round(time.process_time() - began, 2)
            yield found


def costs_on(engine: str, rows: int, repeat: int) -> Iterator[dict[str, object]]:
    """Measure CPU seconds of an engine: of the base, and of the error of simple counts of a full-domain plan."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "census.parquet"
        census.generate(rows, source)
        with STARTS[engine](source, Path(folder), None) as (connection, ask):
            policy = {**census.policy(source), "source": {"table": "census"}}
            for _ in range(repeat):
                found: dict[str, object] = {"engine": engine}
                before = spent_by(connection)
                ask(BASE)
                found["base"] = round(spent_by(connection) - before, 2)
                counts = counted(found, lambda: spent_by(connection))
                with patch("kanon_sql.evidence.release_quality.simple_counts.count_simply", counts):
                    plan(policy, connection=connection, examples=True)
                yield found


def spent_by(connection: Any) -> float:  # noqa: ANN401
    """Sum the CPU seconds of this process and of a connection's database: a server's process, or Spark's."""
    context = getattr(connection, "sparkContext", None)
    spent = cpu_seconds(connection)
    if context is not None:
        ticks = _stat(context._gateway.proc.pid)[11:13]  # noqa: SLF001
        spent += sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return spent


def counted(
    found: dict[str, object], spent: Callable[[], float] = time.process_time
) -> Callable[..., object]:
    """Return the function that counts simply, which notes its CPU seconds, whatever the number of rows."""

    def count(run: Any, planned: Any, released: Any, weight: Any = None) -> object:  # noqa: ANN401
        began = spent()
        made = count_release(run, planned, released) if weight is None else count_simply(run, planned, released, weight)  # fmt: skip
        found["count_error"] = round(spent() - began, 2)
        return made

    return count


def main() -> None:
    """Measure all tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", type=Path)
    parser.add_argument("-k", type=int, default=11)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the census")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cost", type=int, metavar="ROWS", help="measure CPU seconds on a census")
    parser.add_argument("--engine", choices=sorted(STARTS))
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    found = []
    if given.cost:
        measure = costs if given.engine is None else partial(costs_on, given.engine)
        for each in measure(given.cost, given.repeat):
            print(each, file=sys.stderr, flush=True)
            found.append(each)
        write({"machine": machine(), "rows": given.cost, "found": found}, given.out)
        return
    with TemporaryDirectory() as name:
        for source in (*given.tables, *drawn(Path(name), given.rows)):
            for each in measured(source, given.k):
                print(*each.values(), file=sys.stderr, flush=True)
                found.append(each)
    write({"machine": machine(), "found": found}, given.out)


if __name__ == "__main__":
    main()
