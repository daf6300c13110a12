"""A population beside a frequency set: encoded by the same codes, and counted by the classes of the same nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.fitting_sql import ClassPopulation
from kanon_sql.sql.quoting import column, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.statistics import Counts
    from kanon_sql.privacy.privacy_model import Measure, Requirement
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class CodedPopulation:
    """The frequency set of a population, by the keys of the source's, and how many rows the population has."""

    table: exp.Table
    rows: int

    @property
    def of_classes(self) -> ClassPopulation:
        """Say where the rows of a class are in it."""
        return ClassPopulation(self.table, weighted=True)

    def leaves(self, counted: Sequence[dict[str, object]], *, of_rest: bool) -> dict[str, object]:
        """Describe what is counted of the classes of nodes, beside each, and `of_rest` of those that do not fit."""
        beside = {
            "beside": True,
            "in_population": column("in_population", of="g"),
            "of_population": literal(self.rows),
            "node": column("node", of="p0"),
            "class_rows": column("row_count", of="p0"),
        }
        return {
            "table": self.table,
            "rows": literal(self.rows),
            "of_rest": of_rest,
            "counted": [{**each, **beside} for each in counted],
        }

    def roll_up(self, counting: Counting, rolled_up: exp.Table, node: Node) -> Statement:
        """Raise it to a node, as the source's frequency set is."""
        alone = replace(counting, sensitive=(), entity=False, signature=False)
        return alone.roll_ups(rolled_up, self.table, [node], rows=self.rows)


def compared(measures: Sequence[Measure]) -> list[Measure]:
    """Give the measures that compare a class with its rows in a population."""
    return [each for each in measures if each.population is not None]


def rest_fits(required: Sequence[Requirement], counts: Counts) -> bool:
    """Whether the suppressed rows are neither too many nor too few of what a population has beside the kept classes."""
    return all(
        each.holds(each.measure.of_rest_rows(counts.suppressed, counts.beyond))
        for each in required
        if each.measure.of_rest
    )
