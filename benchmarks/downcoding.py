"""Downcoding (Cohen, USENIX Security 2022): labels are turned back into finer ones, because none is coarser than it must be.

    python -m benchmarks.downcoding --adult ../shared/data/adult --nist ../shared/data/nist/national2019.csv

The attacker has a release and its hierarchies, and the other half of the table: how often each value and each pair of
values of two columns occurs. They know that each label is the lowest node that covers its class, so the rows of a
class are never all below one child of its label. Of strict cuts they know, too, that no cut into children would have left k
rows in each. A label that has two children tells for sure that both have a row. The attacker says how the
rows of each class divide over the children of each label ("splits"), and over its values ("cells"); up to the order of
the rows, as rows of a class are alike.

Each guess is the best that there is for its cells if the rows of a class are drawn from the values below its label, each as
likely as it is beside the class's other labels. The baseline ("by shares") is the same guess without minimality. So
what the second is more often right about is what minimality gives away. One level a column is no lowest node of a
class: there the second reading is wrong, and is shown to be. Of values there are no labels: the attacker takes what is
shown for each row of the class.

The clustered table is made so that the attack must work, as in the paper: groups of k to 2k - 1 rows that no minimal
recoding mixes, and columns of two values of which one is so rare that a group that is not all alike has it once. The benchmark ends with 1
if the attack does not tell nearly all splits there.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks.adult import FOLDER
from benchmarks.halves import LABELS, STRICT, WAYS, Halves, Table, adult, nist
from benchmarks.measure import machine, write
from benchmarks.nist import SOURCE
from benchmarks.quality import table
from benchmarks.recount import ROW, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST = 60
"""Rows of the largest class that is guessed row by row; the rows of a larger one are divided by the public shares alone."""
SMOOTHING = 5
"""Rows of all columns' own shares that a chance beside a value is smoothed by."""
GROUPS, FLAGS = 1000, 8
"""Groups of the clustered table, and columns of two values."""
LEAST_TOLD = 0.8
"""The share of splits of the clustered table that an attack that works is right about."""


def parts(share: float, rows: int, least: int) -> list[float]:
    """Give the weight of each number of rows that a child may have where a cut is allowed: none, or `least` and more."""
    return [share**n / math.factorial(n) if n == 0 or n >= least else 0.0 for n in range(rows + 1)]


def together(one: list[float], other: list[float]) -> list[float]:
    """Give the weights of the rows that two sets of children have together."""
    found = [0.0] * len(one)
    for n, weight in enumerate(one):
        if weight:
            for m, more in enumerate(other[: len(one) - n]):
                found[n + m] += weight * more
    return found


def of_others(weights: list[list[float]], rows: int) -> list[list[float]]:
    """Give for each child the weights of the rows that all others have together."""
    none = [1.0] + [0.0] * rows
    before, after = [none], [none]
    for each in weights[:-1]:
        before.append(together(before[-1], each))
    for each in reversed(weights[1:]):
        after.append(together(after[-1], each))
    return [together(one, other) for one, other in zip(before, reversed(after), strict=True)]


def tails(
    share: float, own: float, others: list[float] | None, rows: int, least: int
) -> list[float]:
    """Give the chance that a value has at least 1, 2, ... of the rows of a class that no cut into children could part.

    `share` is the value's share of its label, `own` that of its child. `others` are the weights of the rows of the other
    children where a cut is allowed; without them any rows are possible.
    """
    chances = []
    for n in range(rows + 1):
        chance = math.comb(rows, n) * share**n * (1 - share) ** (rows - n)
        if others is not None:
            cut = sum(
                (own - share) ** more / math.factorial(more) * others[rows - n - more]
                for more in ([0] if n == 0 else []) + [*range(max(least - n, 0), rows - n + 1)]
            )
            chance -= math.perm(rows, rows - n) * share**n * cut
        chances.append(max(chance, 0.0))
    total, found = sum(chances), 0.0
    summed = []
    for chance in reversed(chances[1:]):
        found += chance
        summed.append(found / total if total else 0.0)
    return summed[::-1]


def guess(
    children: Mapping[str, Mapping[str, float]], rows: int, least: int | None
) -> dict[str, int]:
    """Divide the rows of a class over the values below its label so that most of them are expected to be right.

    `children` has the weights of the values below each child of the label. Where `least` is given, the class would
    have been parted if each child had no row, or at least so many. A value gets an n-th row if it is among the
    `rows` likeliest of all "this value has at least n rows", whose chances fall with n: so no guess expects more to
    be right.
    """
    weights = {value: each for values in children.values() for value, each in values.items()}
    if rows > MOST:
        return proportional(weights, rows)
    total = sum(weights.values())
    shares = [sum(values.values()) / total for values in children.values()]
    others: list[list[float]] | list[None] = [None] * len(shares)
    if least is not None and len(shares) > 1:
        others = of_others([parts(share, rows, least) for share in shares], rows)
    likeliest = [
        (-chance, n, value)
        for values, own, rest in zip(children.values(), shares, others, strict=True)
        for value, weight in values.items()
        for n, chance in enumerate(tails(weight / total, own, rest, rows, least or rows))
    ]
    given: dict[str, int] = {}
    for _, _, value in sorted(likeliest)[:rows]:
        given[value] = given.get(value, 0) + 1
    return given


def proportional(weights: Mapping[str, float], rows: int) -> dict[str, int]:
    """Divide rows by weights, what is left over by the largest remainders."""
    total = sum(weights.values())
    exact = {value: rows * weight / total for value, weight in weights.items()}
    given = {value: math.floor(each) for value, each in exact.items()}
    left = sorted(exact, key=lambda value: (given[value] - exact[value], value))
    for value in left[: rows - sum(given.values())]:
        given[value] += 1
    return given


class Attack:
    """What a release gives away, by column and class."""

    def __init__(self, halves: Halves) -> None:
        self.halves, self.connection = halves, halves.connection
        cells = ", ".join(f"ANY_VALUE({quoted(name)}) AS {quoted(name)}" for name in halves.names)
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE classes AS SELECT class, ANY_VALUE(m) AS m, {cells} FROM released GROUP BY class"
        )
        self.connection.execute(
            "CREATE OR REPLACE TEMP TABLE guesses (class BIGINT, minimal BOOLEAN, fine BOOLEAN, value VARCHAR, n BIGINT)"
        )

    def labels(self, least: int | None) -> dict[str, float]:
        """Attack labels: counts of cells and splits, and of those that are right.

        A class is parted where each child has no row or at least `least`; by default where one child has all.
        """
        summed: dict[str, float] = {}
        for at, name in enumerate(self.halves.names):
            for what, count in self._column(at, name, least).items():
                summed[what] = summed.get(what, 0) + count
        return summed

    def _weigh(self, at: int, name: str) -> None:
        """Make the table of the weights of the values below the label of each class.

        A value weighs as much as the control half has of it, times the chance of each other label of the class beside
        it there: as if other columns were independent of each other, but not of this one. A chance is of
        the rows there and of `SMOOTHING` rows that have the label as often as all.
        """
        chances, joins = ["share"], []
        for other, other_name in enumerate(self.halves.names):
            if other == at:
                continue
            self.connection.execute(
                f"""CREATE OR REPLACE TEMP TABLE beside_{other} AS
                    WITH pairs AS (
                        SELECT {quoted(name)} AS value, label, COUNT(*) AS m
                        FROM control JOIN tree_{other} AS t ON t.value = {quoted(other_name)} GROUP BY ALL)
                    SELECT v.value, l.label, (COALESCE(m, 0) + {SMOOTHING} * chance) / (share + {SMOOTHING}) AS chance
                    FROM (SELECT value, share FROM tree_{at} WHERE child IS NULL) AS v
                    CROSS JOIN (
                      SELECT label, SUM(share) / (SELECT SUM(share) FROM tree_{other} WHERE child IS NULL) AS chance
                      FROM tree_{other} GROUP BY label) AS l
                    LEFT JOIN pairs USING (value, label)"""
            )
            chances.append(f"b{other}.chance")
            joins.append(
                f"JOIN beside_{other} AS b{other} ON b{other}.value = t.value AND b{other}.label = c.{quoted(other_name)}"
            )
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE weighed AS
                SELECT class, m, c.{quoted(name)} AS label, child, t.value, {" * ".join(chances)} AS weight
                FROM classes AS c JOIN tree_{at} AS t ON t.label = c.{quoted(name)} {" ".join(joins)}
                WHERE child IS NOT NULL"""
        )

    def _guess(self, least: int | None) -> None:
        """Make the table of what the attacker says of each class, with minimality and without."""
        trees: dict[tuple[int, int], dict[str, dict[str, float]]] = {}
        for class_, rows, child, value, weight in self.connection.execute(
            "SELECT class, m, child, value, weight FROM weighed ORDER BY ALL"
        ).fetchall():
            trees.setdefault((class_, rows), {}).setdefault(child, {})[value] = weight
        self.connection.execute("DELETE FROM guesses")
        said = [
            (class_, minimal, children is fine, value, n)
            for (class_, rows), fine in trees.items()
            for children in (fine, {child: {child: sum(of.values())} for child, of in fine.items()})
            for minimal in (False, True)
            for value, n in guess(children, rows, (least or rows) if minimal else None).items()
        ]
        if said:
            marks = ", ".join(["UNNEST(?)"] * len(said[0]))
            listed = [list(each) for each in zip(*said, strict=True)]
            self.connection.execute(f"INSERT INTO guesses SELECT {marks}", listed)

    def _column(self, at: int, name: str, least: int | None) -> dict[str, float]:
        self._weigh(at, name)
        self._guess(least)
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE truth AS
                SELECT class, w.m, w.label, child, value, COUNT(*) AS n
                FROM released JOIN source USING ({ROW}) JOIN weighed AS w USING (class)
                WHERE value = source.{quoted(name)} GROUP BY ALL"""
        )
        ((all_cells, cells, splits, several, pairs, right),) = self.connection.execute(
            f"""SELECT (SELECT COUNT(*) FROM released), COALESCE(SUM(m), 0), COUNT(*),
                  COUNT(*) FILTER (WHERE met > 1), COUNT(*) FILTER (WHERE children = 2),
                  COUNT(*) FILTER (WHERE children = 2 AND met = 2)
                FROM (SELECT class, label, m, COUNT(DISTINCT child) AS met FROM truth GROUP BY ALL)
                JOIN (SELECT label, COUNT(DISTINCT child) AS children FROM tree_{at} GROUP BY label) USING (label)"""
        ).fetchall()
        return {
            "all_cells": all_cells,
            "cells": cells,
            "splits": splits,
            "in_several_children": several,
            "pairs": pairs,
            "pairs_right": right,
            **self._right(),
        }

    def _right(self) -> dict[str, float]:
        """Count the cells and the whole splits that each guess is right about."""
        found: dict[str, float] = {}
        for said, minimal in (("shares", "NOT minimal"), ("minimal", "minimal")):
            for what, fine, of in (("cells", "fine", "value"), ("splits", "NOT fine", "child")):
                ((cells, splits),) = self.connection.execute(
                    f"""SELECT COALESCE(SUM(own), 0), COUNT(*) FILTER (WHERE own = m) FROM (
                          SELECT class, m, SUM(LEAST(t.n, g.n)) AS own
                          FROM (SELECT class, m, {of} AS value, SUM(n) AS n FROM truth GROUP BY ALL) AS t
                          JOIN guesses AS g USING (class, value) WHERE {minimal} AND {fine} GROUP BY ALL)"""
                ).fetchall()
                found[f"{what}_by_{said}"] = float(cells if fine == "fine" else splits)
        return found

    def values(self) -> dict[str, float]:
        """Attack released values: each row of a class is taken for what the class shows."""
        cells, right = 0, 0
        for name in self.halves.names:
            ((all_, own),) = self.connection.execute(
                f"""SELECT COUNT(*), COUNT(*) FILTER (WHERE released.{quoted(name)} = source.{quoted(name)})
                    FROM released JOIN source USING ({ROW})"""
            ).fetchall()
            cells, right = cells + all_, right + own
        return {"all_cells": cells, "cells_by_value": right}


def clustered(connection: duckdb.DuckDBPyConnection, scratch: Path, k: int) -> Table:
    """Draw the table that must be downcoded: see above. Each half has the same k to 2k - 1 rows of each group."""
    out = scratch / "clustered.csv"
    flags = ", ".join(
        f"CASE WHEN HASH(g, i, {flag}) % {20 * k} = 0 THEN 'rare' ELSE 'usual' END AS flag_{flag}"
        for flag in range(FLAGS)
    )
    connection.execute(
        f"""COPY (SELECT 'group ' || g AS place, {flags}
              FROM RANGE({GROUPS}) AS groups(g), RANGE({4 * k}) AS rows(i)
              WHERE i < 2 * ({k} + HASH(g) % {k}) ORDER BY g, i) TO '{out}' (HEADER)"""
    )
    names = ("place", *(f"flag_{flag}" for flag in range(FLAGS)))
    entries = {name: {"role": "quasi", "hierarchy": "suppress"} for name in names}
    return Table("clustered", out, entries, in_turn=True)


HEADINGS = ("k", "table", "release", "classes", "generalized %", "in several children %", "pairs, right",
            "splits by shares %", "with minimality %", "cells by shares %", "with minimality %", "all cells %")  # fmt: skip


def percent(part: float, whole: float) -> str:
    """Give a share in percent."""
    return f"{100 * part / whole:.1f}" if whole else "-"


def line(each: Mapping[str, Any]) -> tuple[str, ...]:
    """Give one row of the table."""
    begun = (str(each["k"]), each["table"], each["way"], f"{each['classes']:,}")
    if each["way"] not in LABELS:
        return (*begun, *["-"] * 7, percent(each["cells_by_value"], each["all_cells"]))
    cells, splits = each["cells"], each["splits"]
    return (
        *begun,
        percent(cells, each["all_cells"]),
        percent(each["in_several_children"], splits),
        f"{each['pairs']:,}, {each['pairs_right']:,}",
        *(percent(each[f"splits_by_{said}"], splits) for said in ("shares", "minimal")),
        *(percent(each[f"cells_by_{said}"], cells) for said in ("shares", "minimal")),
        percent(each["all_cells"] - cells + each["cells_by_minimal"], each["all_cells"]),
    )


def attacked(halves: Halves, k: int) -> Iterator[dict[str, Any]]:
    """Release a table in each way, and attack what is released."""
    for way in WAYS:
        halves.release(way, k)
        ((classes,),) = halves.connection.execute(
            "SELECT COUNT(DISTINCT class) FROM released"
        ).fetchall()
        attack = Attack(halves)
        least = k if way == STRICT else None
        found = attack.labels(least) if way in LABELS else attack.values()
        yield {"k": k, "table": halves.table.name, "way": way, "classes": classes, **found}


def works(results: list[dict[str, Any]]) -> bool:
    """Whether the attack tells the splits of the clustered table, and public shares do not."""
    least = [
        (each["splits_by_minimal"] / each["splits"], each["splits_by_shares"] / each["splits"])
        for each in results
        if each["table"] == "clustered" and each["way"] in {"labels", STRICT}
    ]
    return all(told > LEAST_TOLD > 1 - LEAST_TOLD > guessed for told, guessed in least)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--adult", type=Path, default=FOLDER, help="the folder of Adult")
    parser.add_argument("--nist", type=Path, default=SOURCE, help="NIST's national2019.csv")
    parser.add_argument("--k", default="6,11")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    results: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        scratch = Path(folder)
        for k in map(int, given.k.split(",")):
            tables = [clustered(connection, scratch, k)]
            if given.adult.is_dir():
                tables.append(adult(given.adult))
            if given.nist.is_file():
                tables.append(nist(connection, given.nist, scratch))
            for each in tables:
                halves = Halves(connection, each, scratch, threads=given.threads)
                results += attacked(halves, k)
    sys.stdout.write(table(HEADINGS, [line(each) for each in results]))
    report: dict[str, object] = {
        "benchmark": "downcoding",
        "machine": machine(),
        "results": results,
    }
    if given.out is not None:
        write(report, given.out)
    if not works(results):
        sys.exit("the attack does not tell the clustered table's splits: it is no attack")


if __name__ == "__main__":
    main()
