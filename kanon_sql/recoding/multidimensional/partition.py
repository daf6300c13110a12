"""A table's tuples in regions that are cut further and further: what a partition search may ask.

All regions of one depth are cut by the same few statements, and those that cannot be cut leave the
working table. Python sees how many there are, and nothing of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kanon_sql.policy.search_options import Choose
from kanon_sql.recoding.multidimensional import cut_scores_sql
from kanon_sql.recoding.multidimensional import region_cuts_sql as said
from kanon_sql.recoding.multidimensional.region_cuts_sql import RegionTuples
from kanon_sql.recoding.multidimensional.regions_sql import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.recoding.multidimensional.regions_sql import Regions
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class Partition:
    """A finished partition: the boxes of its regions, and the branches that lead there, by depth."""

    boxes: exp.Table
    branches: tuple[exp.Table, ...]
    depth: int
    cuts: int


class Partitioning(Protocol):
    """Regions of one depth, of which all begin as one; tests give one that cuts in Python."""

    def cut(self) -> int:
        """Cut every region that has an allowable cut, once; say how many were cut."""
        ...

    def late(self) -> bool:
        """Whether no time is left, or it was cut as often as was asked for."""
        ...


@dataclass
class SqlPartitioning:
    """Regions as a working table of tuples: (region, places, what models spread over, rows).

    With a `depth` it is cut so often at most: as often as it was when time ended another run.
    """

    engine: Engine
    scratch: Scratch
    regions: Regions
    working: exp.Table
    is_late: Callable[[], bool]
    depth: int | None = None
    boxes: list[exp.Table] = field(default_factory=list)
    branches: list[exp.Table] = field(default_factory=list)
    cuts: int = 0
    _next: int = ROOT + 1
    _open: bool = True

    def cut(self) -> int:
        """Cut every region that has an allowable cut, once; say how many were cut."""
        surveyed = self._make("regions", self.regions.survey, self.working)
        found = self._choose(surveyed)
        branches = self.scratch.table("branches")
        self.engine.execute(said.branches(self.regions, branches, found, first=self._next))
        ((cut, made),) = self.engine.fetch(said.count_branches(branches))
        uncut = self.scratch.table("boxes")
        self.engine.execute(said.uncut(uncut, surveyed, [cuts for cuts, _ in found]))
        self.boxes.append(uncut)
        for table in (surveyed, *(each for pair in found for each in pair)):
            self.scratch.drop(table)
        self._next += int(str(made))
        self.cuts += int(str(cut))
        self._open = bool(cut)
        if cut:
            self.branches.append(branches)
            after = self.scratch.table("working")
            self.engine.execute(said.split(self.regions, after, self.working, branches))
            self.scratch.drop(self.working)
            self.working = after
        return int(str(cut))

    def _choose(self, surveyed: exp.Table) -> list[tuple[exp.Table, exp.Table]]:
        """Choose a cut for each region that has one: the cuts, and the parts that they are of.

        By width first on the axis each is widest on; only regions that have none there ask for the others.
        """
        if self.regions.choose is not Choose.WIDTH:
            return [self._score(RegionTuples(self.working, surveyed))]
        found: list[tuple[exp.Table, exp.Table]] = []
        beside = None
        for _ in range(2 if len(self.regions.axes) > 1 else 1):
            asked = RegionTuples(self.working, surveyed, beside)
            parts = self.scratch.table("parts")
            self.engine.execute(said.parts(self.regions, parts, asked))
            beside = self.scratch.table("cuts")
            self.engine.execute(said.cuts(self.regions, beside, parts))
            found.append((beside, parts))
        return found

    def _score(self, asked: RegionTuples) -> tuple[exp.Table, exp.Table]:
        """Choose the cut of least score, of all axes at once."""
        parts, scored, cuts = (self.scratch.table(what) for what in ("parts", "scored", "cuts"))
        self.engine.execute(said.parts(self.regions, parts, asked))
        if self.regions.choose is Choose.LOSS:
            sides = self.scratch.table("sides")
            self.engine.execute(cut_scores_sql.sides(self.regions, sides, parts))
            self.engine.execute(cut_scores_sql.losses(self.regions, scored, parts, sides))
            self.scratch.drop(sides)
        else:
            self.engine.execute(cut_scores_sql.by_target(self.regions, scored, parts, asked))
        self.scratch.drop(parts)
        self.engine.execute(said.cuts(self.regions, cuts, scored))
        return cuts, scored

    def _make(
        self, what: str, statement: Callable[..., Statement], *leaves: exp.Table
    ) -> exp.Table:
        table = self.scratch.table(what)
        self.engine.execute(statement(table, *leaves))
        return table

    def late(self) -> bool:
        """Whether no time is left, or it was cut as often as was asked for."""
        return self.is_late() or len(self.branches) == self.depth

    def partition(self) -> Partition:
        """Give what is done, and what is still open as it is."""
        if self._open:
            self.boxes.append(self._make("boxes", self.regions.survey, self.working))
        boxes = self.scratch.table("boxes")
        self.engine.execute(said.together(boxes, self.boxes))
        for table in self.boxes:
            self.scratch.drop(table)
        return Partition(boxes, tuple(self.branches), len(self.branches), self.cuts)
