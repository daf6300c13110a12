"""What a release of Adult keeps, whoever made it: every figure from which rows it makes alike.

SQL on the release's own rows and the source's, which shares nothing with the product. A class is what a reader
cannot tell apart: the rows whose released cells are all alike. From the values of its rows follow both ways to
label it, and each figure is given for both: "lines", an interval of each column from the first value of the class
to the last, and "sets", the values that are there (of age the interval). Texts have four orders: that of their
hierarchy, of the alphabet, of their first rows, and of how many rows have them. Programs cut by any of these, so "lines" are
in the one in which the release has the lowest NCP. A reader spreads the rows of a class evenly over what its labels cover, columns
independent.

* C_DM is the sum of the squares of the classes, and n for each suppressed row; C_AVG is rows / classes / k.
* NCP (Xu et al., KDD 2006) is the mean over all cells of what each was widened by: age by (high - low) over that
  of the column, any other by the share of the column's values that its label covers, nothing if that is one; a
  suppressed cell counts as 1.
* COUNT error: a seeded workload of conjunctions of 2 or 3 columns, on each an interval of values in the order of their hierarchy;
  the relative error of a query is |estimate - true| / max(true, 0.1 % of n), and its median and mean are given.
* Marginals: the total variation distance of the released counts of two columns from the true ones, mean of all
  pairs of columns.
* pMSE (Snoke et al., JRSS A 2018; Woo et al. 2009): the mean squared difference of propensity scores from a half,
  in the table of source and release together; the propensities are those of the model that has all values of two
  columns and their interaction, of which the maximum likelihood is the share of released rows in each cell. Mean of all
  pairs; 0 where nothing tells release and source apart, at most 1/4.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, Self

import duckdb

from benchmarks.recount import NUMBER, ROW, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ORDERS = ("hierarchy", "text", "rows", "frequency")
QUERIES = 1_500
SEED = 22
FLOOR = 0.001
"""Least count that an error is relative to, as a share of the rows."""
SETS = "sets"


@dataclass(frozen=True, slots=True)
class Spread:
    """What is left of a release by one way to label its classes; shares are between 0 and 1."""

    ncp: float
    count_median: float
    count_mean: float
    marginals: float
    pmse: float


@dataclass(frozen=True, slots=True)
class Kept:
    """What a release keeps, by both ways to label its classes."""

    rows: int
    classes: int
    smallest: int
    suppressed: int
    discernibility: int
    c_avg: float
    order: str
    lines: Spread
    sets: Spread

    def document(self) -> dict[str, Any]:
        return asdict(self)


def draw(sizes: Sequence[int], queries: int, seed: int) -> list[list[tuple[int, int]]]:
    """Draw for each query the first and last place of each column, those without a condition whole."""
    random = Random(seed)
    drawn = []
    for _ in range(queries):
        whole = [(0, size - 1) for size in sizes]
        for column in random.sample(range(len(sizes)), random.choice((2, 3))):
            first, last = sorted(random.randrange(sizes[column]) for _ in range(2))
            whole[column] = (first, last)
        drawn.append(whole)
    return drawn


class Recounter:
    """The source with the places of its values, a workload with its true counts, and the true counts of all pairs."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        folder: Path,
        source: Path,
        names: Sequence[str],
        *,
        queries: int = QUERIES,
        seed: int = SEED,
    ) -> None:
        self.connection, self.names = connection, names
        connection.read_parquet(str(source)).create_view("adult")
        self.sizes = [self._place(folder, at, name) for at, name in enumerate(names)]
        placed = ", ".join(
            f"p{at}.place AS p{at}, "
            + ", ".join(f"p{at}.{order}_place AS {order}_{at}" for order in ORDERS)
            for at, _ in enumerate(names)
        )
        joins = " ".join(
            f"JOIN places_{at} AS p{at} ON p{at}.value = a.{quoted(name)}"
            for at, name in enumerate(names)
        )
        connection.execute(
            f"CREATE TEMP TABLE coded AS SELECT {ROW}, {placed} FROM adult a {joins}"
        )
        self.rows = int(self._one("SELECT COUNT(*) FROM coded"))
        if self.rows != self._one("SELECT COUNT(*) FROM adult"):
            raise ValueError("a value of the source has no place in its hierarchy")
        self._draw(queries, seed)
        self.true = self._true_counts()

    @classmethod
    @contextmanager
    def opened(
        cls, folder: Path, source: Path, names: Sequence[str], **options: int
    ) -> Iterator[Self]:
        """Count in memory, for as long as the block runs."""
        with duckdb.connect() as connection:
            yield cls(connection, folder, source, names, **options)

    def _one(self, query: str) -> float:
        ((found,),) = self.connection.execute(query).fetchall()
        return float(found)

    def _place(self, folder: Path, at: int, name: str) -> int:
        """Number the values of a column from 0: their place in their hierarchy, and in the other orders of texts."""
        there = f"(SELECT {quoted(name)} AS value, MIN({ROW}) AS first, COUNT(*) AS row_count FROM adult GROUP BY ALL)"
        orders = dict.fromkeys(ORDERS, "CAST(value AS INTEGER)")
        source = there
        if name != NUMBER:
            paths = self.connection.read_csv(
                str(folder / f"hierarchy_{name}.csv"), sep=";", header=False, all_varchar=True
            )
            first, *above = paths.columns
            tree = ", ".join(map(quoted, [*reversed(above), first]))
            by = (tree, "value", "first", "row_count DESC, value")
            orders = dict(zip(ORDERS, by, strict=True))
            source = f"{there} JOIN paths ON value = {quoted(first)}"
        numbered = ", ".join(
            f"CAST(ROW_NUMBER() OVER (ORDER BY {by}) - 1 AS INTEGER) AS {order}_place"
            for order, by in orders.items()
        )
        self.connection.execute(
            f"""CREATE TEMP TABLE places_{at} AS
                  SELECT *, hierarchy_place AS place FROM (SELECT value, {numbered} FROM {source})"""
        )
        return int(self._one(f"SELECT COUNT(*) FROM places_{at}"))

    def _draw(self, queries: int, seed: int) -> None:
        columns = ", ".join(f"f{at} INTEGER, t{at} INTEGER" for at, _ in enumerate(self.names))
        self.connection.execute(f"CREATE TEMP TABLE queries (query INTEGER, {columns})")
        marks = ", ".join("?" for _ in range(1 + 2 * len(self.names)))
        self.connection.executemany(
            f"INSERT INTO queries VALUES ({marks})",
            [
                (number, *(end for ends in query for end in ends))
                for number, query in enumerate(draw(self.sizes, queries, seed))
            ],
        )

    def _true_counts(self) -> dict[int, float]:
        met = " AND ".join(f"p{at} BETWEEN f{at} AND t{at}" for at, _ in enumerate(self.names))
        every = ", ".join(f"p{at}" for at, _ in enumerate(self.names))
        return dict(
            self.connection.execute(
                f"""SELECT query, COALESCE(SUM(m), 0) FROM queries LEFT JOIN
                      (SELECT {every}, COUNT(*) AS m FROM coded GROUP BY ALL) AS c ON {met}
                    GROUP BY query"""
            ).fetchall()
        )

    def columns(self, release: str) -> list[str]:
        """Name the columns of a relation in SQL."""
        return [
            str(name)
            for name, *_ in self.connection.execute(f"DESCRIBE SELECT * FROM {release}").fetchall()
        ]

    def write_rows(self, out: Path) -> None:
        """Write the numbered rows with the quasi-identifiers, as other programs read them."""
        listed = ", ".join(map(quoted, self.names))
        self.connection.execute(
            f"COPY (SELECT {ROW}, {listed} FROM adult ORDER BY {ROW}) TO '{out}' (FORMAT CSV, HEADER)"
        )

    def measure(self, release: str, shown: Sequence[str], *, k: int) -> Kept:
        """Measure a release, a relation in SQL: one row for each row released, with its number and the columns that are shown."""
        cells = ", ".join(f"CAST({quoted(each)} AS VARCHAR)" for each in shown)
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE dealt AS
                  SELECT {ROW}, DENSE_RANK() OVER (ORDER BY {cells}) AS class FROM {release}"""
        )
        if self._one(f"SELECT COUNT(*) - COUNT(DISTINCT {ROW}) FROM dealt"):
            raise ValueError("a row is released twice")
        kept, squares = self._label_classes()
        suppressed = self.rows - kept
        ncp = {way: self._ncp(way, suppressed) for way in (*ORDERS, SETS)}
        order = min(ORDERS, key=lambda each: ncp[each])
        lines, sets = (
            Spread(ncp[way], *self._errors(way), *self._marginals(way)) for way in (order, SETS)
        )
        ((classes, smallest),) = self.connection.execute(
            "SELECT COUNT(*), MIN(m) FROM boxes"
        ).fetchall()
        return Kept(
            rows=self.rows,
            classes=classes,
            smallest=smallest,
            suppressed=suppressed,
            discernibility=squares + suppressed * self.rows,
            c_avg=kept / classes / k,
            order=order,
            lines=lines,
            sets=sets,
        )

    def _label_classes(self) -> tuple[int, int]:
        """Make the table of classes with the places that each of their labels covers, as bits; give the rows and squares."""
        ends = ", ".join(
            f"BIT_OR(CAST(1 AS HUGEINT) << p{at}) AS {SETS}_{at}, "
            + ", ".join(
                f"MIN({order}_{at}) AS low_{order}_{at}, MAX({order}_{at}) AS high_{order}_{at}"
                for order in ORDERS
            )
            for at, _ in enumerate(self.names)
        )
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE ends AS SELECT class, COUNT(*) AS m, {ends}
                FROM dealt JOIN coded USING ({ROW}) GROUP BY class"""
        )
        covers, joins = [], []
        for at, name in enumerate(self.names):
            for order in ORDERS:
                covers.append(f"{order}_{at}.bits AS {order}_{at}")
                joins.append(
                    f"""JOIN (SELECT a.{order}_place AS low, b.{order}_place AS high,
                                BIT_OR(CAST(1 AS HUGEINT) << c.place) AS bits
                              FROM places_{at} a, places_{at} b, places_{at} c
                              WHERE c.{order}_place BETWEEN a.{order}_place AND b.{order}_place
                              GROUP BY ALL) AS {order}_{at}
                        ON {order}_{at}.low = low_{order}_{at} AND {order}_{at}.high = high_{order}_{at}"""
                )
            own = f"hierarchy_{at}.bits" if name == NUMBER else f"{SETS}_{at}"
            covers.append(f"{own} AS {SETS}_{at}")
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE boxes AS SELECT m, {', '.join(covers)} FROM ends {' '.join(joins)}"
        )
        ((kept, squares),) = self.connection.execute(
            "SELECT CAST(SUM(m) AS BIGINT), CAST(SUM(m * m) AS BIGINT) FROM boxes"
        ).fetchall()
        return kept, squares

    def _ncp(self, way: str, suppressed: int) -> float:
        summed = 0.0
        for at, (name, size) in enumerate(zip(self.names, self.sizes, strict=True)):
            covered = f"BIT_COUNT({way}_{at})"
            share = f"CASE WHEN {covered} = 1 THEN 0 ELSE {covered} / CAST({size} AS DOUBLE) END"
            joined = ""
            if name == NUMBER:
                joined = f"""JOIN (SELECT bits, MAX(number) - MIN(number) AS width FROM
                    (SELECT DISTINCT {way}_{at} AS bits FROM boxes) JOIN
                    (SELECT place, CAST(value AS INTEGER) AS number FROM places_{at}) ON (bits >> place) & 1 = 1
                    GROUP BY bits) ON bits = {way}_{at}"""
                span = f"(SELECT MAX(CAST(value AS INTEGER)) - MIN(CAST(value AS INTEGER)) FROM places_{at})"
                share = f"width / CAST({span} AS DOUBLE)"
            summed += self._one(f"SELECT SUM(m * {share}) FROM boxes {joined}")
        return (summed / len(self.names) + suppressed) / self.rows

    def _errors(self, way: str) -> tuple[float, float]:
        """Give the median and the mean of the relative errors of the workload."""
        shares = []
        for at, _ in enumerate(self.names):
            inside = f"((CAST(1 AS HUGEINT) << (t{at} + 1)) - (CAST(1 AS HUGEINT) << f{at}))"
            shares.append(
                f"BIT_COUNT({way}_{at} & {inside}) / CAST(BIT_COUNT({way}_{at}) AS DOUBLE)"
            )
        found = self.connection.execute(
            f"SELECT query, SUM(m * {' * '.join(shares)}) FROM queries, boxes GROUP BY query"
        ).fetchall()
        least = FLOOR * self.rows
        errors = sorted(
            abs(estimate - self.true[query]) / max(self.true[query], least)
            for query, estimate in found
        )
        middle = len(errors) // 2
        median = errors[middle] if len(errors) % 2 else (errors[middle - 1] + errors[middle]) / 2
        return median, sum(errors) / len(errors)

    def _marginals(self, way: str) -> tuple[float, float]:
        """Give the mean total variation distance of all pairs of columns, and the mean of their pMSE."""
        for at, _ in enumerate(self.names):
            self.connection.execute(
                f"""CREATE OR REPLACE TEMP TABLE cover_{at} AS
                      SELECT bits, place, 1 / CAST(BIT_COUNT(bits) AS DOUBLE) AS w
                      FROM (SELECT DISTINCT {way}_{at} AS bits FROM boxes)
                      JOIN places_{at} ON (bits >> place) & 1 = 1"""
            )
        distances, squared = [], []
        for one, other in combinations(range(len(self.names)), 2):
            ((distance, square),) = self.connection.execute(
                f"""SELECT SUM(ABS(own - told)) / 2, SUM((own + told) / 2 * POWER(told / (own + told) - 0.5, 2))
                    FROM (
                      SELECT COALESCE(o.m / CAST({self.rows} AS DOUBLE), 0) AS own,
                        COALESCE(r.m / {self.rows}, 0) AS told
                      FROM (SELECT p{one} AS a, p{other} AS b, COUNT(*) AS m FROM coded GROUP BY ALL) AS o
                      FULL JOIN (
                        SELECT x.place AS a, y.place AS b, SUM(g.m * x.w * y.w) AS m
                        FROM (SELECT {way}_{one} AS la, {way}_{other} AS lb, SUM(m) AS m
                              FROM boxes GROUP BY ALL) AS g
                        JOIN cover_{one} AS x ON x.bits = la JOIN cover_{other} AS y ON y.bits = lb
                        GROUP BY ALL
                      ) AS r ON o.a = r.a AND o.b = r.b
                    )"""
            ).fetchall()
            distances.append(distance)
            squared.append(square)
        return sum(distances) / len(distances), sum(squared) / len(squared)
