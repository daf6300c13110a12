"""The table that bottom-up generalizes, in the database: classes of parts, fewer with each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.recoding.single_dimensional import generalizations_sql, specializations_sql
from kanon_sql.recoding.single_dimensional.bottom_up import Rarest
from kanon_sql.recoding.single_dimensional.margins import Margins
from kanon_sql.recoding.single_dimensional.margins_sql import place
from kanon_sql.recoding.single_dimensional.specializations_sql import CutColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine, Row
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate


class SqlGeneralizations:
    """Implements Generalizations: a part is known by its lowest place, so that merging is arithmetic.

    Columns that no requirement names stay as they are.
    """

    def __init__(
        self,
        engine: Engine,
        scratch: Scratch,
        *,
        places: exp.Table,
        trees: Sequence[exp.Table | None],
        requirements: Sequence[AnonymityRequirement],
        entity: bool = False,
    ) -> None:
        """Take the distinct tuples of places and the nodes of each column; ValueError for a line."""
        if any(nodes is None for nodes in trees):
            raise ValueError("bottom-up generalization needs a tree for each column; one is a line")
        self._engine = engine
        self._scratch = scratch
        self._places = places
        self._trees = [nodes for nodes in trees if nodes is not None]
        self._requirements = requirements
        self._entity = entity
        self._held = sorted({quasi for each in requirements for quasi in each.columns})
        self._margins = Margins(engine, scratch)
        if not self._held:
            raise ValueError("bottom-up generalization needs a requirement to reach")
        self._classes: list[exp.Table] = []
        """The classes as they are, after those that a step may go back to."""

    def nodes(self) -> list[CutCandidate]:
        """Begin with each place as a part; give all inner nodes of the columns of a requirement."""
        first = self._scratch.table("classes")
        self._engine.execute(
            generalizations_sql.first_classes(first, self._places, self._held, entity=self._entity)
        )
        self._classes.append(first)
        found: list[CutCandidate] = []
        for quasi in self._held:
            tree = self._margins.tree(quasi, self._places, self._trees[quasi])
            found += self._margins.inner_nodes(tree)
        return found

    def rarest(self) -> list[Rarest]:
        """Give the smallest classes of each requirement; of an empty table none, and size 0."""
        of = [each.columns for each in self._requirements]
        rows = self._engine.fetch(
            generalizations_sql.rarest(self._classes[-1], of, self._held, entity=self._entity)
        )
        found = {int(str(row[0])): row[1:] for row in rows}
        nothing: Row = (None,) * (2 * len(self._held) + 1)
        return [self._rarest(found.get(number, nothing)) for number in range(len(of))]

    def _rarest(self, row: Row) -> Rarest:
        *ends, size = (None if each is None else int(str(each)) for each in row)
        spans = {}
        for quasi, low, high in zip(self._held, ends[::2], ends[1::2], strict=True):
            if low is not None and high is not None:
                spans[quasi] = (low, high)
        return Rarest(size or 0, spans)

    def smallest(self, asked: Sequence[tuple[int, CutCandidate]]) -> list[int]:
        """Give how large the smallest class of each requirement is after each candidate."""
        told = [
            (self._requirements[number].columns, each.quasi, each.low, each.high)
            for number, each in asked
        ]
        rows = self._engine.fetch(
            generalizations_sql.smallest_merged(self._classes[-1], told, entity=self._entity)
        )
        found = {int(str(number)): int(str(size)) for number, size in rows}
        return [found[number] for number in range(len(asked))]

    def generalize(self, nodes: Sequence[CutCandidate]) -> None:
        """Replace all parts below some nodes, none of which is below another, by the nodes."""
        merged: dict[int, list[tuple[int, int]]] = {}
        for each in nodes:
            merged.setdefault(each.quasi, []).append((each.low, each.high))
        made = self._scratch.table("classes")
        self._engine.execute(
            generalizations_sql.generalize(
                made, self._classes[-1], self._held, merged, entity=self._entity
            )
        )
        self._classes.append(made)
        while len(self._classes) > 2:
            self._scratch.drop(self._classes.pop(0))

    def back(self) -> None:
        """Put the parts back that the last nodes have replaced: one step back, and not a second."""
        self._scratch.drop(self._classes.pop())

    def cuts(self) -> exp.Table:
        """Make the table of all parts: quasi, part, low and high, numbered from 0 by low."""
        made = self._scratch.table("cuts")
        columns = []
        for quasi in range(len(self._trees)):
            own = place(quasi).name
            if quasi in self._held:
                kept = generalizations_sql.part(quasi)
                columns.append(CutColumn(quasi, self._classes[-1], kept, own, ends=self._places))
            else:
                columns.append(CutColumn(quasi, self._places, own, own))
        self._engine.execute(specializations_sql.cuts(made, columns))
        return made
