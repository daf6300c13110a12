"""The table that bottom-up generalizes, in the database: classes of parts, fewer with each step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.search.bottom_up import Rarest
from kanon_sql.search.sql_margins import Margins, read_nodes
from kanon_sql.sql import generalizing, specializing
from kanon_sql.sql.margins import place
from kanon_sql.sql.specializing import CutColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engine.base import Engine
    from kanon_sql.engine.scratch import Scratch
    from kanon_sql.model.cutting import AnonymityRequirement, Candidate
    from kanon_sql.search.sql_margins import Tree


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
        self._columns: dict[int, Tree] = {}
        self._pending: dict[tuple[int, int], int] = {}
        self._classes: exp.Table | None = None

    def lowest(self) -> list[Candidate]:
        """Begin with each place as a part; give the nodes whose children are all leaves."""
        self._merge(None)
        found = []
        for quasi in self._held:
            column = self._margins.tree(quasi, self._places, self._trees[quasi])
            self._columns[quasi] = column
            found += [candidate for candidate, _ in self._nodes(column, None)]
        return found

    def _nodes(self, tree: Tree, node: int | None) -> list[tuple[Candidate, int]]:
        """Give nodes, and how many of the children of each are inner nodes."""
        rows = self._engine.ask(generalizing.generalizations(tree.nodes, tree.gains, node))
        found = read_nodes(tree.quasi, [row[:6] for row in rows])
        return [
            (replace(each, parent=None if parent is None else int(str(parent))), int(str(inner)))
            for each, (*_, parent, inner) in zip(found, rows, strict=True)
        ]

    def _merge(self, candidate: Candidate | None) -> None:
        after = self._scratch.table("classes")
        merged = None
        if candidate is not None:
            merged = candidate.quasi, candidate.low, candidate.high
        before = self._classes or self._places
        self._engine.say(
            generalizing.generalize(after, before, self._held, merged, entity=self._entity)
        )
        if self._classes is not None:
            self._scratch.drop(self._classes)
        self._classes = after

    @property
    def _now(self) -> exp.Table:
        if self._classes is None:
            raise InternalError("classes are asked for before the first were made")
        return self._classes

    def rarest(self) -> list[Rarest]:
        """Give the smallest classes of each requirement."""
        of = [each.columns for each in self._requirements]
        rows = self._engine.ask(generalizing.rarest(self._now, of, self._held, entity=self._entity))
        found = sorted([None if c is None else int(str(c)) for c in row] for row in rows)
        return [self._rarest(row) for row in found]

    def _rarest(self, row: Sequence[int | None]) -> Rarest:
        _, *ends, size = row
        spans = {}
        for quasi, low, high in zip(self._held, ends[::2], ends[1::2], strict=True):
            if low is not None and high is not None:
                spans[quasi] = (low, high)
        return Rarest(size or 0, spans)

    def smallest(self, asked: Sequence[tuple[int, Candidate]]) -> list[int]:
        """Give how large the smallest class of each requirement is after each candidate."""
        told = [
            (self._requirements[number].columns, each.quasi, each.low, each.high)
            for number, each in asked
        ]
        rows = self._engine.ask(generalizing.smallest_merged(self._now, told, entity=self._entity))
        found = {int(str(number)): int(str(size)) for number, size in rows}
        return [found[number] for number in range(len(asked))]

    def generalize(self, candidate: Candidate) -> Candidate | None:
        """Replace all children of a node by it; give its parent if that has only parts below it now."""
        self._merge(candidate)
        if candidate.parent is None:
            return None
        column = self._columns[candidate.quasi]
        ((above, inner),) = self._nodes(column, candidate.parent)
        key = candidate.quasi, candidate.parent
        self._pending[key] = self._pending.get(key, inner) - 1
        return None if self._pending[key] else above

    def cuts(self) -> exp.Table:
        """Make the table of all parts: quasi, part, low and high, numbered from 0 by low."""
        made = self._scratch.table("cuts")
        columns = []
        for quasi in range(len(self._trees)):
            own = place(quasi).name
            if quasi in self._held:
                kept = generalizing.part(quasi)
                columns.append(CutColumn(quasi, self._now, kept, own, ends=self._places))
            else:
                columns.append(CutColumn(quasi, self._places, own, own))
        self._engine.say(specializing.cuts(made, columns))
        return made
