"""The columns of a table in the database, and what their nodes and splits gain: by default, information on a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name
from kanon_sql.policy.cut_steps import CutCandidate, bits
from kanon_sql.policy.privacy.fitting_sql import whole
from kanon_sql.policy.privacy.privacy_model import Requirement
from kanon_sql.recoding.multidimensional.regions_sql import tuple_rows
from kanon_sql.recoding.single_dimensional import information_gain_sql

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.cut_steps import AnonymityRequirement
    from kanon_sql.policy.privacy.fitting_sql import ClassRows
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute
    from kanon_sql.recoding.single_dimensional.removed_loss import RemovedLoss


@dataclass(frozen=True, slots=True)
class InformationGain:
    """The gain of a specialization is the information about the target that it adds, in bits per row."""

    def counts(self, table: exp.Table, tuples: exp.Table, quasi: int) -> Statement:
        return information_gain_sql.target_counts(table, tuples, quasi)

    def node_gains(
        self, table: exp.Table, ancestors: exp.Table, counts: exp.Table, _quasi: int, *, depth: int
    ) -> Statement:
        return information_gain_sql.node_gains(table, ancestors, counts, depth=depth)

    def best_splits(
        self, counts: exp.Table, _quasi: int, intervals: Sequence[tuple[int, int]]
    ) -> Statement:
        return information_gain_sql.best_splits(counts, intervals)

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
        ancestors, gained = (
            source.scratch.table(f"{what}_{quasi}") for what in ("ancestors", "gains")
        )
        (found,) = engine.fetch(information_gain_sql.tree_depth(nodes))
        steps, roots = (int(str(each)) for each in found)
        depth = max(steps, 1)
        engine.execute(information_gain_sql.ancestors(ancestors, nodes, depth=depth))
        gains = source.gains
        engine.execute(gains.node_gains(gained, ancestors, counts, quasi, depth=depth))
        return cls(engine, quasi, counts, nodes, ancestors, gained, gains, depth, roots)

    def inner_nodes(self) -> list[CutCandidate]:
        """Return all inner nodes: their number depends on the hierarchy, and not on the rows."""
        found = []
        for *numbers, gained, rows, above in self.engine.fetch(
            information_gain_sql.inner_nodes(self.nodes, self.gained)
        ):
            node, low, high, level = (int(str(number)) for number in numbers)
            parent = None if above is None else int(str(above))
            gain = self.gains.of(str(gained), int(str(rows)))
            found.append(
                CutCandidate(self.quasi, node, low, high, gain, level=level, parent=parent)
            )
        return found
