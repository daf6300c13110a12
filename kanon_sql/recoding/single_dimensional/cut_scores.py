"""What the nodes and splits of a column gain: information on a target, or, without one, the loss that they remove.

Columns and tuples are tables in the database. Information is summed over the target's values at the coordinates of one
column, and loss over the widths of its nodes and intervals: the loss of a release is the mean width of all its cells,
its `gcp`. A column's cells do not depend on how other columns are cut, so the loss that a specialization removes
follows from the rows of each of the column's values alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.cut_steps import CutCandidate, bits
from kanon_sql.policy.privacy.fitting_sql import whole
from kanon_sql.policy.privacy.privacy_model import Requirement
from kanon_sql.recoding.axes import BILLION
from kanon_sql.recoding.multidimensional.regions_sql import tuple_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.cut_steps import AnonymityRequirement
    from kanon_sql.policy.privacy.fitting_sql import ClassRows
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute
    from kanon_sql.recoding.multidimensional.regions_sql import TreeAxis


def upward(depth: int) -> list[tuple[int, int]]:
    """Pair the number of each step on a way up a tree with the one below it."""
    return [(step, step - 1) for step in range(1, depth + 1)]


def target_counts(table: exp.Table, tuples: exp.Table, quasi: int) -> Statement:
    return Statement(
        "single_dimensional/information_gain/target_counts",
        {"counts": table, "tuples": tuples, "quasi": quasi},
    )


def tree_depth(nodes: exp.Table) -> Statement:
    return Statement("single_dimensional/information_gain/tree_depth", {"nodes": nodes})


def ancestors(table: exp.Table, nodes: exp.Table, *, depth: int) -> Statement:
    leaves = {"ancestors": table, "nodes": nodes, "steps": upward(depth)[1:]}
    return Statement("single_dimensional/information_gain/ancestors", leaves)


def node_gains(
    table: exp.Table, ancestors: exp.Table, counts: exp.Table, *, depth: int
) -> Statement:
    """Create the information gain of each inner node, in nats of all its rows."""
    return Statement(
        "single_dimensional/information_gain/node_gains",
        {"gains": table, "ancestors": ancestors, "counts": counts, "steps": upward(depth)},
    )


def best_splits(counts: exp.Table, intervals: Sequence[tuple[int, int]]) -> Statement:
    """Fetch the best split of each of several disjoint intervals that has more than one coordinate.

    A row has the first coordinate that was asked for, the interval's own lowest and highest coordinate, the
    last coordinate of the lower half, the gain in nats of all its rows, and these.
    """
    return Statement(
        "single_dimensional/information_gain/best_splits",
        {"counts": counts, "intervals": intervals},
    )


def inner_nodes(nodes: exp.Table, gains: exp.Table) -> Statement:
    return Statement(
        "single_dimensional/information_gain/inner_nodes", {"nodes": nodes, "gains": gains}
    )


@dataclass(frozen=True, slots=True)
class InformationGain:
    """The gain of a specialization is the information about the target that it adds, in bits per row."""

    def counts(self, table: exp.Table, tuples: exp.Table, quasi: int) -> Statement:
        return target_counts(table, tuples, quasi)

    def node_gains(
        self, table: exp.Table, ancestors: exp.Table, counts: exp.Table, _quasi: int, *, depth: int
    ) -> Statement:
        return node_gains(table, ancestors, counts, depth=depth)

    def best_splits(
        self, counts: exp.Table, _quasi: int, intervals: Sequence[tuple[int, int]]
    ) -> Statement:
        return best_splits(counts, intervals)

    def of(self, nats: str, rows: int) -> Fraction:
        return bits(nats, rows)


BY_INFORMATION = InformationGain()


@dataclass(frozen=True, slots=True)
class TupleSource:
    """The distinct tuples of coordinates in a database, and the nodes of each column that has a hierarchy.

    Classes are counted in entities, where the tuples have any, or else in rows; the values of `sensitive` columns
    have codes. `gains` says what a specialization is good for.
    """

    engine: Engine
    scratch: Scratch
    tuples: exp.Table
    trees: Sequence[exp.Table | None]
    requirements: Sequence[AnonymityRequirement]
    entity: bool = False
    sensitive: tuple[SensitiveAttribute, ...] = ()
    gains: InformationGain | RemovedLoss = BY_INFORMATION

    @property
    def carried(self) -> list[exp.Identifier]:
        """The columns that distinguish tuples beside coordinates, until classes are counted."""
        values = [name(f"spread_{n}") for n in range(len(self.sensitive))]
        return [*([name("entity")] if self.entity else []), *values]

    def class_rows(self, alias: str) -> ClassRows:
        """Return where the numbers that classes are measured by are, in a table of this alias."""
        return tuple_rows(self.sensitive, entity=self.entity, alias=alias)

    def counted(self, alias: str) -> list[dict[str, object]]:
        """Return the leaves that count each requirement's measure of classes, in a table of this alias."""
        where = self.class_rows(alias)
        return [where.measure(each.measure) for each in self.requirements]

    def whole_table(self) -> tuple[int, ...]:
        """Return each requirement's measure of all tuples as one class."""
        if not self.requirements:
            return ()
        required = [Requirement(each.measure, each.at_least) for each in self.requirements]
        (row,) = self.engine.fetch(whole(self.tuples, required, self.class_rows("w")))
        return tuple(int(str(each or 0)) for each in row)


@dataclass(frozen=True, slots=True)
class LineColumn:
    """A column whose values lie in an order, and the rows of each coordinate, from which the gains of splits follow."""

    engine: Engine
    quasi: int
    counts: exp.Table
    gains: InformationGain | RemovedLoss

    @classmethod
    def open(cls, source: TupleSource, quasi: int) -> LineColumn:
        name_of = f"counts_{quasi}"
        counts = source.scratch.create(name_of, source.gains.counts, source.tuples, quasi)
        return cls(source.engine, quasi, counts, source.gains)

    def best_splits(self, intervals: Sequence[tuple[int, int]]) -> list[CutCandidate]:
        """Return the best split of each interval that can be split."""
        found = []
        for *numbers, gained, rows in self.engine.fetch(
            self.gains.best_splits(self.counts, self.quasi, intervals)
        ):
            part, low, high, split = (int(str(number)) for number in numbers)
            gain = self.gains.of(str(gained), int(str(rows)))
            found.append(CutCandidate(self.quasi, part, low, high, gain, split=split))
        return found


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """A column with a hierarchy: its nodes, those above each coordinate, and each inner node's gain."""

    engine: Engine
    quasi: int
    counts: exp.Table
    nodes: exp.Table
    ancestors: exp.Table
    gained: exp.Table
    gains: InformationGain | RemovedLoss
    depth: int
    roots: int

    @classmethod
    def open(cls, source: TupleSource, quasi: int, nodes: exp.Table) -> TreeColumn:
        engine, counts = source.engine, LineColumn.open(source, quasi).counts
        above, gained = (source.scratch.table(f"{what}_{quasi}") for what in ("ancestors", "gains"))
        (found,) = engine.fetch(tree_depth(nodes))
        steps, roots = (int(str(each)) for each in found)
        depth = max(steps, 1)
        engine.execute(ancestors(above, nodes, depth=depth))
        gains = source.gains
        engine.execute(gains.node_gains(gained, above, counts, quasi, depth=depth))
        return cls(engine, quasi, counts, nodes, above, gained, gains, depth, roots)

    def inner_nodes(self) -> list[CutCandidate]:
        """Return all inner nodes: their number depends on the hierarchy, and not on the rows."""
        found = []
        for *numbers, gained, rows, above in self.engine.fetch(
            inner_nodes(self.nodes, self.gained)
        ):
            node, low, high, level = (int(str(number)) for number in numbers)
            parent = None if above is None else int(str(above))
            gain = self.gains.of(str(gained), int(str(rows)))
            found.append(
                CutCandidate(self.quasi, node, low, high, gain, level=level, parent=parent)
            )
        return found


def measured_counts(
    table: exp.Table, tuples: exp.Table, quasi: int, *, line: exp.Table | None
) -> Statement:
    """Count the rows of each place of a column; with the place's measure, if the column is a line."""
    leaves = {"counts": table, "tuples": tuples, "quasi": quasi, "line": line}
    return Statement("single_dimensional/removed_loss/measured_counts", leaves)


def node_widths(table: exp.Table, nodes: exp.Table, ranked: exp.Table, axis: TreeAxis) -> Statement:
    """Create the width of each node of a tree, as a plan states it, in billionths of the column's."""
    leaves = {"widths": table, "nodes": nodes, "ranked": ranked, "labels": axis.nodes}
    return Statement(
        "single_dimensional/removed_loss/node_widths",
        {**leaves, "values": not axis.least, "levels": axis.allowed},
    )


def nodes_by_loss(
    table: exp.Table, ancestors: exp.Table, counts: exp.Table, widths: exp.Table, *, depth: int
) -> Statement:
    """Create the loss that the children of each inner node remove, in billionths of a cell."""
    leaves = {"gains": table, "ancestors": ancestors, "counts": counts, "widths": widths}
    return Statement(
        "single_dimensional/removed_loss/nodes_by_loss", {**leaves, "steps": upward(depth)}
    )


def splits_by_loss(
    counts: exp.Table, intervals: Sequence[tuple[int, int]], *, least: int
) -> Statement:
    """Fetch the split that removes the most loss of each of several disjoint intervals.

    A row is as one of `best_splits`, with the loss removed in billionths of a cell. An interval has none where no
    split leaves each half `least` rows.
    """
    return Statement(
        "single_dimensional/removed_loss/splits_by_loss",
        {"counts": counts, "intervals": intervals, "least": least},
    )


@dataclass(frozen=True, slots=True)
class RemovedLoss:
    """The gain of a specialization is the loss that it removes, as a share of all cells.

    `lines` has the axis of each column that is a line, `widths` the widths of each other column's nodes. A split
    leaves each half the rows that any class must have at least, as no other could ever be valid.
    """

    lines: Sequence[exp.Table | None]
    widths: Sequence[exp.Table | None]
    cells: int
    requirements: Sequence[AnonymityRequirement]

    def counts(self, table: exp.Table, tuples: exp.Table, quasi: int) -> Statement:
        return measured_counts(table, tuples, quasi, line=self.lines[quasi])

    def node_gains(
        self, table: exp.Table, ancestors: exp.Table, counts: exp.Table, quasi: int, *, depth: int
    ) -> Statement:
        widths = self.widths[quasi]
        if widths is None:
            raise ValueError("a column without widths has no nodes")
        return nodes_by_loss(table, ancestors, counts, widths, depth=depth)

    def best_splits(
        self, counts: exp.Table, quasi: int, intervals: Sequence[tuple[int, int]]
    ) -> Statement:
        of_column = [each.at_least for each in self.requirements if quasi in each.columns]
        least = max(of_column, default=1)
        return splits_by_loss(counts, intervals, least=least)

    def of(self, billionths: str, _rows: int) -> Fraction:
        return Fraction(int(billionths), BILLION * self.cells)
