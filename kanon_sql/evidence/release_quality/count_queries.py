"""Compares COUNT queries on a release and on its source: a seeded workload, or the user's own queries.

A query counts the rows that meet a predicate on each of some quasi-identifiers. On a release its count is an estimate:
rows are spread uniformly over the values that a label covers, and columns are independent within a class
(Xiao and Tao, Anatomy, VLDB 2006; LeFevre, DeWitt and Ramakrishnan, Mondrian, ICDE 2006).
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import yaml

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import condition
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.release_quality import quality_sql
from kanon_sql.evidence.release_quality.quality_sql import Predicate
from kanon_sql.recoding.measured import QueryErrors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Row

SELECTIVITY = 0.05
"""The share of all combinations of values that a drawn query selects, as in Anatomy's experiments."""
MOST_COLUMNS = 3
"""The most columns with a predicate in a query of the workload."""
MOST_QUERIES = 1_000
AT_ONCE = 50
"""The number of queries in one statement: each is a column of the tables that classes are joined with."""


@dataclass(frozen=True, slots=True)
class Workload:
    """COUNT queries: `count` queries to draw by `seed`, or the user's `own`, each as conditions by column."""

    count: int = 0
    seed: int = 0
    own: tuple[Mapping[str, str], ...] = ()

    @property
    def queries(self) -> int:
        return len(self.own) or self.count


def read_workload(queries: object, workload: int, seed: int) -> Workload | None:
    """Read the query arguments of `quality`; None if they ask for no queries. Raises InputError."""
    if queries is None:
        if not 0 <= workload <= MOST_QUERIES:
            what = f"must be at least 0 and at most {MOST_QUERIES:,}"
            raise InputError("quality", [Fault("workload", what)])
        return Workload(workload, seed) if workload else None
    if workload:
        raise InputError("quality", [Fault("queries", "goes without workload")])
    listed = _read_file(queries) if isinstance(queries, str | Path) else queries
    what = "must be a list of mappings of quasi-identifiers to SQL conditions on them"
    if not isinstance(listed, list | tuple) or not 0 < len(listed) <= MOST_QUERIES:
        raise InputError("quality", [Fault("queries", what)])
    for number, each in enumerate(listed, start=1):
        texts = isinstance(each, dict) and all(
            isinstance(text, str) for pair in each.items() for text in pair
        )
        if not texts or not each:
            raise InputError("quality", [Fault(f"queries {number}", what)])
    return Workload(own=tuple(listed))


def _read_file(path: str | Path) -> object:
    try:
        read = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("queries", "there is no such file")]) from error
    except yaml.YAMLError as error:
        raise InputError(str(path), [Fault("queries", "is not YAML")]) from error
    if not isinstance(read, dict) or list(read) != ["queries"]:
        raise InputError(str(path), [Fault("queries", "must be the one key of the file")])
    return read["queries"]


def draw_ranges(domains: Sequence[int], count: int, seed: int) -> Iterator[Row]:
    """Draw `count` queries, each with a range of places on one to three columns; other columns are whole.

    Yields a row per query and column: both their numbers, the first and the last place. With m columns a range has the
    share 0.05^(1/m) of the column's values, so that all ranges together select one twentieth of all combinations.

    >>> list(draw_ranges([100], 2, seed=1))
    [('0', '0', '74', '78'), ('1', '0', '44', '48')]
    """
    draw = Random(seed)  # noqa: S311  a workload is no secret
    for query in range(count):
        many = 1 + int(draw.random() * min(MOST_COLUMNS, len(domains)))
        order = sorted(range(len(domains)), key=lambda _: draw.random())
        for quasi, domain in enumerate(domains):
            length = domain
            if quasi in order[:many]:
                length = max(round(domain * SELECTIVITY ** (1 / many)), 1)
            first = 1 + int(draw.random() * (domain - length + 1))
            yield str(query), str(quasi), str(first), str(first + length - 1)


@dataclass(frozen=True, slots=True)
class QueriedRelease:
    """A source's tuples (`before`), its release's classes (`after`), and tables of values and labels."""

    run: Session
    mapped: Sequence[Mapped]
    values: Sequence[exp.Table]
    before: exp.Table
    after: exp.Table

    def errors(self, workload: Workload, domains: Sequence[int]) -> QueryErrors:
        """Count each query on the source, and estimate it on the release; `domains` are numbers of values."""
        scratch = self.run.scratch
        values = self.values
        if workload.own:
            predicates = list(self._predicates(workload.own))
            ranges = scratch.create("ranges", quality_sql.taken, predicates, values)
            on = [(each.query, each.quasi) for each in predicates if each.condition is not None]
        else:
            ranges = scratch.table("ranges")
            drawn = list(draw_ranges(domains, workload.count, workload.seed))
            names = ("value", "quasi", "first_place", "last_place")
            self.run.engine.load(ranges, names, drawn)
            taken = [tuple(int(str(cell)) for cell in row) for row in drawn]
            on = [
                (query, quasi)
                for query, quasi, first, last in taken
                if last - first + 1 < domains[quasi]
            ]
        columns: dict[int, list[int]] = {query: [] for query in range(workload.queries)}
        for query, quasi in on:
            columns[query].append(quasi)
        queries = list(columns.items())
        true, estimates = (
            self._counts(table, ranges, queries, before=before)
            for table, before in ((self.before, True), (self.after, False))
        )
        # Sums of floating point differ in their last digits by the order of their rows.
        return QueryErrors(
            tuple(
                (round(was), float(f"{now:.9g}")) for was, now in zip(true, estimates, strict=True)
            )
        )

    def _counts(
        self,
        table: exp.Table,
        ranges: exp.Table,
        queries: Sequence[tuple[int, Sequence[int]]],
        *,
        before: bool,
    ) -> list[float]:
        shares = [
            self.run.scratch.create("shares", quality_sql.shares, of, ranges, quasi, before=before)
            for quasi, of in enumerate(self.values)
        ]
        found: list[float] = []
        for first in range(0, len(queries), AT_ONCE):
            some = queries[first : first + AT_ONCE]
            (row,) = self.run.engine.fetch(quality_sql.count_queries(table, shares, some))
            found += [float(str(counted or 0)) for counted in row]
        return found

    def _predicates(self, own: Sequence[Mapping[str, str]]) -> Iterator[Predicate]:
        """Parse the user's conditions. Raises InputError where one names another column than its own."""
        names = [each.column.name for each in self.mapped]
        faults = []
        for number, query in enumerate(own):
            where = f"queries {number + 1}"
            faults += [Fault(where, f"{n} is no quasi-identifier") for n in query if n not in names]
            for quasi, text in enumerate(names):
                read = None
                if text in query:
                    try:
                        read = condition(query[text], dialect=self.run.engine.dialect)
                    except ValueError as error:
                        faults.append(Fault(f"{where}.{text}", str(error)))
                        continue
                    others = {each.name for each in _columns_of(read)} - {text}
                    if others:
                        faults.append(Fault(f"{where}.{text}", "names another column than its own"))
                yield Predicate(number, quasi, text, read)
        if faults:
            raise InputError("quality", faults)


def _columns_of(read: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the column nodes of a condition's syntax tree."""
    return (node for node in read.walk() if node.key == "column")
