"""What an attacker gains from a release of half a table about its rows, beside the half that no release is made of.

    python -m venv anonymeter && anonymeter/bin/pip install anonymeter
    python -m benchmarks.attacks --adult ../shared/data/adult --nist ../shared/data/nist/national2019.csv \\
        --anonymeter-python anonymeter/bin/python

A figure of its own says little, because people are alike: what a release says of people in general is right of the
control half too. So each figure stands beside that of the control, and the gain is the difference.

* Anonymeter's singling out, linkability and inference (Giomi et al., PoPETs 2023): see `run_anonymeter.py`.
* Rows rebuilt: distinct rows of the release that are, in all columns, a row of which its half has one alone.
* The last row: the attacker knows all rows of the source but one, and guesses each of its columns from the counts of the
  release less those of the known rows. Exact totals would give it away. In the control the attacker knows all rows, and
  is asked for one that is not among them; the third figure is the share of each column's commonest value.
* Adult's sensitive column: that of the released row that is nearest by all others.

Anonymeter and the count of rows take values. Of labels the attacker draws values: each row has one below each
label, by how often the control half has it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from benchmarks.adult import FOLDER
from benchmarks.halves import STRICT, VALUES, WAYS, Halves, adult, nist
from benchmarks.measure import machine, write
from benchmarks.nist import SOURCE, told_by
from benchmarks.quality import table
from benchmarks.recount import ROW, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ATTACKS = 1000


class Tables(Protocol):
    """A connection with the tables `source`, `control` and `shown`, of the columns `names`, and `kept` as they are."""

    @property
    def connection(self) -> duckdb.DuckDBPyConnection: ...

    @property
    def scratch(self) -> Path: ...

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def kept(self) -> Sequence[str]: ...


def draw(halves: Halves, *, labels: bool) -> None:
    """Make the table of released rows as values: of labels one below each is drawn, by the shares of the control half."""
    kept = "".join(f", {quoted(name)}" for name in halves.kept)
    columns, joins = [], []
    for at, name in enumerate(halves.names):
        if not labels:
            columns.append(quoted(name))
            continue
        columns.append(f"d{at}.value AS {quoted(name)}")
        joins.append(
            f"""JOIN (SELECT label, value,
                      (SUM(share) OVER below - share) / SUM(share) OVER all_of_label AS low, SUM(share) OVER below / SUM(share) OVER all_of_label AS high
                    FROM tree_{at} WINDOW below AS (PARTITION BY label ORDER BY value), all_of_label AS (PARTITION BY label)) AS d{at}
                  ON d{at}.label = r.{quoted(name)}
                  AND HASH(r.{ROW}, {at}) % 1000000 / 1000000.0 >= d{at}.low AND HASH(r.{ROW}, {at}) % 1000000 / 1000000.0 < d{at}.high"""
        )
    halves.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE shown AS SELECT {', '.join(columns)}{kept} FROM released AS r {' '.join(joins)}"
    )


def rebuilt(halves: Tables) -> dict[str, int]:
    """Count unique rows of either half, and those that the release shows in all columns."""
    listed = ", ".join(map(quoted, halves.names))
    counts: dict[str, int] = {}
    for half in ("source", "control"):
        ((unique, shown),) = halves.connection.execute(
            f"""SELECT COUNT(*), COUNT(*) FILTER (WHERE n > 0)
                FROM (SELECT {listed} FROM {half} GROUP BY ALL HAVING COUNT(*) = 1)
                LEFT JOIN (SELECT {listed}, COUNT(*) AS n FROM shown GROUP BY ALL) USING ({listed})"""
        ).fetchall()
        counts |= {f"unique_of_{half}": unique, f"rebuilt_of_{half}": shown}
    ((distinct,),) = halves.connection.execute(
        f"SELECT COUNT(*) FROM (SELECT DISTINCT {listed} FROM shown)"
    ).fetchall()
    return {**counts, "distinct_shown": distinct}


def last_row(halves: Halves) -> dict[str, float]:
    """Give how often the attacker who knows all other rows is right about a column of the last row; means of the columns.

    `excess` is how many rows more show a value than are known to have it: one more if it is that of the last row.
    The attacker says the value of the greatest posterior, by its share of the known rows and by how likely its
    excess is with one row less and as it is, of a Laplace distribution as wide as the column's excesses are.
    Totals that are exact have no width, and tell the value.
    """
    found = {"source": 0.0, "control": 0.0, "commonest": 0.0}
    for name in halves.names:
        value = quoted(name)
        ((source, control, commonest),) = halves.connection.execute(
            f"""WITH counted AS (
                  SELECT value, COALESCE(s.m, 0) AS own, COALESCE(c.m, 0) AS held, COALESCE(r.m, 0) - COALESCE(s.m, 0) AS excess
                  FROM (SELECT {value} AS value, COUNT(*) AS m FROM source GROUP BY ALL) AS s
                  FULL JOIN (SELECT {value} AS value, COUNT(*) AS m FROM shown GROUP BY ALL) AS r USING (value)
                  FULL JOIN (SELECT {value} AS value, COUNT(*) AS m FROM control GROUP BY ALL) AS c USING (value)),
                weighed AS (
                  SELECT *, LN(own + 0.5) + (ABS(excess + 1) - ABS(excess)) / width AS asked,
                    LN(own + 0.5) + (ABS(excess) - ABS(excess - 1)) / width AS other
                  FROM counted, (SELECT AVG(ABS(excess)) + 0.1 AS width FROM counted)),
                told AS (
                  SELECT a.value, a.own, a.held, BOOL_AND(a.asked > b.other) AS told, BOOL_AND(a.other > b.other) AS guessed
                  FROM weighed AS a JOIN weighed AS b ON a.value <> b.value GROUP BY ALL)
                SELECT COALESCE(SUM(own) FILTER (WHERE told), 0) / SUM(own), COALESCE(SUM(held) FILTER (WHERE guessed), 0) / SUM(held),
                  ARG_MAX(held, own) / SUM(held) FROM told"""
        ).fetchall()
        for what, share in (("source", source), ("control", control), ("commonest", commonest)):
            found[what] += share / len(halves.names)
    return found


def with_anonymeter(halves: Tables, python: str, attacks: int) -> dict[str, Any]:
    """Let anonymeter attack the quasi-identifiers, and then the sensitive column beside them."""
    files = {}
    for relation in ("source", "shown", "control"):
        for what, columns in (
            ("rows", halves.names),
            ("kept", (*halves.names, *halves.kept)),
        ):
            files[relation, what] = halves.scratch / f"{relation}-{what}.csv"
            listed = ", ".join(map(quoted, columns))
            halves.connection.execute(
                f"COPY (SELECT {listed} FROM {relation} ORDER BY HASH({listed})) TO '{files[relation, what]}' (HEADER)"
            )
    asked = [str(files[relation, "rows"]) for relation in ("source", "shown", "control")]
    found = told_by(python, "run_anonymeter.py", *asked, str(attacks))
    for secret in halves.kept:
        asked = [str(files[relation, "kept"]) for relation in ("source", "shown", "control")]
        told = told_by(python, "run_anonymeter.py", *asked, str(attacks), "inference")
        found["sensitive"] = told["inference"]["each"][secret]
    return found


def attacked(halves: Halves, k: int, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Release a table in each way, and attack what is released."""
    for way in WAYS:
        if way == STRICT:
            continue
        halves.release(way, k)
        draw(halves, labels=way not in VALUES)
        found: dict[str, Any] = {"k": k, "table": halves.table.name, "way": way, **rebuilt(halves)}
        if way in VALUES:
            found["last_row"] = last_row(halves)
        if given.anonymeter_python:
            found |= with_anonymeter(halves, given.anonymeter_python, given.attacks)
        yield found


HEADINGS = ("k", "table", "release", "singled out", "linked", "inferred", "sensitive", "rows rebuilt",
            "last row")  # fmt: skip


def line(each: Mapping[str, Any]) -> tuple[str, ...]:
    """Give one row of the table: in each cell the figure of the source, that of the control, and the risk that follows."""
    told = []
    for what in ("singling_out", "linkability", "inference", "sensitive"):
        one = each.get(what)
        rates = one and ", ".join(f"{100 * one[of]:.1f}" for of in ("attack", "control"))
        told.append(f"{rates}: {one['risk']:.3f}" if one else "-")
    last = each.get("last_row")
    return (
        *(str(each["k"]), each["table"], each["way"]),
        *told,
        f"{each['rebuilt_of_source']:,}, {each['rebuilt_of_control']:,}",
        ", ".join(f"{100 * share:.1f}" for share in last.values()) if last else "-",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--adult", type=Path, default=FOLDER, help="the folder of Adult")
    parser.add_argument("--nist", type=Path, default=SOURCE, help="NIST's national2019.csv")
    parser.add_argument("--k", default="6,11")
    parser.add_argument("--anonymeter-python", help="a Python that has anonymeter")
    parser.add_argument("--attacks", type=int, default=ATTACKS, help="of anonymeter, each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    results: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        scratch = Path(folder)
        tables = [adult(given.adult)] if given.adult.is_dir() else []
        if given.nist.is_file():
            tables.append(nist(connection, given.nist, scratch))
        if not tables:
            sys.exit("there is no such table; name the folder of Adult, or NIST's national2019.csv")
        for each in tables:
            halves = Halves(connection, each, scratch, threads=given.threads)
            for k in map(int, given.k.split(",")):
                results += attacked(halves, k, given)
    sys.stdout.write(table(HEADINGS, [line(each) for each in results]))
    report: dict[str, object] = {"benchmark": "attacks", "machine": machine(), "results": results}
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
