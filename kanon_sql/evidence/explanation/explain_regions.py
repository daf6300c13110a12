"""Explains a plan of regions: cuts the source into them again, and then under other requirements.

Guarantee: the numbers are of the plan's own regions, whose hash is compared first, and of partitions that the same
search completed. Reads only. Cost: one search, and one more for each model and each k until the time limit.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import InfeasibleError
from kanon_sql.evidence.explanation.explanation import Certainty
from kanon_sql.evidence.explanation.regions_explanation import (
    LooserModel,
    Overlap,
    Partitioned,
    PartitionOfK,
    RegionColumn,
    RegionEnds,
    RegionsExplanation,
    SizesInK,
)
from kanon_sql.policy.metrics.class_metrics import Discernibility
from kanon_sql.policy.metrics.registry import C_AVG, GCP
from kanon_sql.policy.privacy.demands import Over
from kanon_sql.policy.privacy.k_anonymity import stated_k, with_other_k
from kanon_sql.policy.privacy.risks import size_counts
from kanon_sql.recoding.axes import BILLION, count_tuples
from kanon_sql.recoding.multidimensional import regions_sql
from kanon_sql.recoding.multidimensional.assign_regions import assign_tuples, run_steps
from kanon_sql.recoding.multidimensional.mondrian import partition_table
from kanon_sql.recoding.multidimensional.regions_sql import TreeAxis
from kanon_sql.recoding.multidimensional.runs import ONE_IN, smallest_sampled_cut
from kanon_sql.recoding.new_rows.assign import Boxes, boxes_containing, may_overlap
from kanon_sql.recoding.rare_bounds import CutRequest
from kanon_sql.recoding.recode import cut_regions_again
from kanon_sql.recoding.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.privacy.privacy_model import Monotony, PrivacyModel, Requirement
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.multidimensional.regions_sql import Axis
    from kanon_sql.recoding.planning.make_plan import Planned


KS = (2, 3, 5, 10, 25, 50, 100)
"""The other k that are searched, after the policy's k + 1 and 2k."""

BANDS = (1, 2, 3, 5, 10)
"""The bands of class sizes begin at these multiples of k."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A privacy model with each of its bounds one step looser."""

    model: PrivacyModel

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return tuple(
            replace(each, bound=each.relaxed) if each.binding else each
            for each in self.model.requirements
        )

    @property
    def monotony(self) -> Monotony:
        return self.model.monotony

    def __str__(self) -> str:
        return f"{self.model}, one step looser"


def relaxed(model: PrivacyModel) -> PrivacyModel:
    """Return a model with its bounds one step looser, over the same columns."""
    if isinstance(model, Over):
        return replace(model, model=Relaxed(model.model))
    return Relaxed(model)


def explain_regions(
    run: Session, planned: Planned, *, time_limit: float, all_k: bool
) -> RegionsExplanation:
    """Explain a plan of regions, with half and twice its k or, by `all_k`, with many. Raises StalePlanError where the source is cut into other regions."""
    deadline = time.monotonic() + time_limit
    with run.engine.journal.step("explain"):
        made = cut_regions_again(run, planned)
        of_regions = _OfRegions(run, planned, made)
        k = made.space.regions.requirements[0].bound
        columns, sizes = of_regions.columns(), of_regions.sizes()
        ends, overlap = of_regions.ends(2 * k), of_regions.overlap()
        cutter = _Cutter(run, planned, deadline)
        bounds = tuple(cutter.bounds())
        found = {each.k: each for each in cutter.other_k(all_k=all_k)}
    described = ALGORITHMS[run.policy.search.algorithm]
    return RegionsExplanation(
        plan=replace(planned.plan, privacy=tuple(map(str, run.policy.privacy))),
        promise=described.promises(run.policy.search),
        paper=described.paper,
        k=k,
        bounds=bounds,
        columns=columns,
        ends=ends,
        sizes=tuple(_bands(sizes, k)),
        overlap=overlap,
        steps=None if made.space.regions.runs is None else made.space.regions.runs.steps,
        sampled=None if smallest_sampled_cut(made.space.regions) is None else ONE_IN,
        other_k=tuple(found[each] for each in sorted(found)),
    )


@dataclass(frozen=True, slots=True)
class _OfRegions:
    """Counts of the plan's regions."""

    run: Session
    planned: Planned
    made: PartitionedTable

    @property
    def many(self) -> int:
        return len(self.made.space.regions.axes)

    def columns(self) -> tuple[RegionColumn, ...]:
        rows = column_widths(self.run, self.made)
        whole, total = self.planned.opened.rows, sum(widths for _, widths, *_ in rows)
        return tuple(
            RegionColumn(
                column.name,
                widths / BILLION / whole,
                widths / total if total else 0.0,
                *counts,
            )
            for column, (_, widths, *counts) in zip(self.run.policy.quasi, rows, strict=True)
        )

    def ends(self, least: int) -> RegionEnds:
        tuples = self._assigned()[0] if self.made.space.regions.entity else None
        statement = region_ends(self.made.regions, self.many, least=least, tuples=tuples)
        (row,) = self.run.engine.fetch(statement)
        return RegionEnds(*(int(str(cell)) for cell in row))

    def sizes(self) -> list[SizeCount]:
        assigned, released = self._assigned()
        entity = self.made.space.regions.entity
        statement = regions_sql.class_sizes(
            assigned if entity else None, released, self.made.space.labels
        )
        return size_counts(self.run.engine.fetch(statement))

    def overlap(self) -> Overlap | None:
        """Count the rows whose values lie in several regions; None if the policy's regions cannot overlap."""
        if not may_overlap(self.run.policy):
            return None
        space, create = self.made.space, self.run.scratch.create
        boxes = create("boxes", region_boxes, self.made.regions, space.regions.axes)
        plain = replace(
            space, regions=replace(space.regions, relaxed=False, runs=None)
        ).for_assignment
        working = count_tuples(self.run, self.planned.opened, plain, self.planned.mapped)
        containing = self.run.scratch.table("containing_boxes")
        most = Boxes(boxes, self.made.recoding.regions)
        named = self.run.scratch.table
        steps = boxes_containing(containing, working, most, self.many, lambda what, _: named(what))
        run_steps(self.run, steps)
        statement = overlap(working, containing, self.many)
        ((shared, within),) = self.run.engine.fetch(statement)
        return Overlap(int(str(shared)), int(str(within)) / self.planned.opened.rows)

    def _assigned(self) -> tuple[exp.Table, exp.Table]:
        made = self.made
        if made.assigned is not None and made.released is not None:
            return made.assigned, made.released.table
        tuples = count_tuples(self.run, self.planned.opened, made.space, self.planned.mapped)
        assigned, released = assign_tuples(self.run, made.space, tuples, made.branches)
        return assigned, released.table


def _bands(sizes: Sequence[SizeCount], k: int) -> Iterator[SizesInK]:
    """Count classes and their rows in bands of multiples of k."""
    for at, times in enumerate(BANDS):
        below = BANDS[at + 1] * k if at + 1 < len(BANDS) else None
        within = [
            each
            for each in sizes
            if each.size >= times * k and (below is None or each.size < below)
        ]
        yield SizesInK(times, sum(e.classes for e in within), sum(e.rows for e in within))


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts the plan's source under other requirements, until the deadline (of `time.monotonic`)."""

    run: Session
    planned: Planned
    deadline: float

    @property
    def own(self) -> Partitioned:
        """The plan's own partition, as the plan states it."""
        plan = self.planned.plan
        return Partitioned(
            Certainty.BEST_FOUND,
            plan.recoding.region_count,
            plan.classes,
            plan.smallest_class,
            plan.cost[0],
            plan.figures.get(Discernibility.quality.key),
            plan.figures.get(C_AVG.key),
        )

    def cut(self, models: tuple[PrivacyModel, ...]) -> Partitioned:
        if time.monotonic() >= self.deadline:
            return Partitioned(Certainty.NOT_REACHED)
        with scratch(self.run.engine) as tables:
            policy = replace(self.run.policy, privacy=models)
            other = replace(self.run, policy=policy, scratch=tables)
            opened, mapped = self.planned.opened, self.planned.mapped
            try:
                _, found = partition_table(CutRequest(other, opened, mapped, self.deadline, None))
            except InfeasibleError:
                return Partitioned(Certainty.INFEASIBLE)
        if found.checks_in_time is not None:
            return Partitioned(Certainty.NOT_REACHED)
        outcome = found.outcome
        return Partitioned(
            Certainty.BEST_FOUND,
            outcome.recoding.region_count,
            outcome.classes,
            outcome.smallest,
            outcome.figures[GCP.key],
            outcome.figures[Discernibility.quality.key],
            outcome.figures[C_AVG.key],
        )

    def bounds(self) -> Iterator[LooserModel]:
        """Yield each privacy model that a class can fail, with the partition for this model one step looser."""
        models = self.run.policy.privacy
        for at, model in enumerate(models):
            if not any(each.binding for each in model.requirements):
                continue
            looser = self.cut((*models[:at], relaxed(model), *models[at + 1 :]))
            yield LooserModel(str(model), looser, self._loses_less(looser))

    def _loses_less(self, looser: Partitioned) -> bool | None:
        if looser.gcp is None or self.own.gcp is None:
            return None
        return looser.gcp < self.own.gcp

    def other_k(self, *, all_k: bool) -> Iterator[PartitionOfK]:
        """Yield the plan's own partition, then that of each other k, the most telling first."""
        rows = self.planned.opened.rows
        own = stated_k(self.run.policy.privacy)
        yield PartitionOfK(own, of_policy=True, partition=self.own)
        searched = [2 * own, max(own // 2, 2)]
        if all_k:
            searched += [own + 1, *sorted(KS, key=lambda each: (abs(each - own), each))]
        for other in dict.fromkeys(searched):
            if other == own or other > rows:
                continue
            models = with_other_k(self.run.policy.privacy, other)
            yield PartitionOfK(other, of_policy=False, partition=self.cut(models))


def column_widths(run: Session, made: PartitionedTable) -> list[list[int]]:
    """Sum what each column's cells cover, and count rows that keep one value, or none, and the regions that are widest on it.

    Where cells stand for what their class has, classes are counted in place of regions.
    """
    regions, many = made.regions, len(made.space.regions.axes)
    measured = made.class_widths
    statement = region_columns(measured or regions, many, whole=measured is not None)
    return [[int(str(cell)) for cell in row] for row in run.engine.fetch(statement)]


def region_columns(regions: exp.Table, axes: int, *, whole: bool = False) -> Statement:
    """Sum the widths of each column over all rows, and count rows that keep one value, or none.

    Widths are shares of the column, or `whole` billionths of it.
    """
    leaves = {"regions": regions, "axes": range(axes), "whole": whole}
    return Statement("explanation/region_columns", leaves)


def region_ends(
    regions: exp.Table, axes: int, *, least: int, tuples: exp.Table | None = None
) -> Statement:
    """Count the regions by why they were not cut again; `least` is what two parts need.

    Their rows are counted, or the entities of `tuples`.
    """
    leaves = {"regions": regions, "tuples": tuples, "axes": range(axes), "least": least}
    return Statement("explanation/region_ends", leaves)


def region_boxes(table: exp.Table, regions: exp.Table, axes: Sequence[Axis]) -> Statement:
    """Give the boxes of regions as coordinates of their own table."""
    described = [
        {
            "number": n,
            "sizes": [(level, axis.masks[0] - mask) for level, mask in enumerate(axis.masks)]
            if isinstance(axis, TreeAxis)
            else (),
        }
        for n, axis in enumerate(axes)
    ]
    leaves = {"boxes": table, "regions": regions, "axes": described}
    return Statement("explanation/region_boxes", leaves)


def overlap(working: exp.Table, containing: exp.Table, axes: int) -> Statement:
    """Count the rows that lie within several boxes, and the boxes of all rows."""
    leaves = {"working": working, "containing": containing, "axes": range(axes)}
    return Statement("explanation/overlap", leaves)
