"""Searches that cut, a table into boxes or columns into parts: what they come to, as a plan tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.metrics.class_metrics import Discernibility
from kanon_sql.metrics.registry import C_AVG, GCP, LOWER_BOUND, average_class_size
from kanon_sql.policy.search_options import OF_PARTS
from kanon_sql.privacy.demands import demands
from kanon_sql.recoding.multidimensional.regions import BILLION, cut
from kanon_sql.recoding.quality import Outcome
from kanon_sql.recoding.single_dimensional.cut_columns import search_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.plans.recodings import Boxes, Parts
    from kanon_sql.plans.set_quality import SetFigures
    from kanon_sql.policy.cut_steps import CutStep
    from kanon_sql.recoding.multidimensional.regions import Cut
    from kanon_sql.recoding.single_dimensional.cut_columns import Parted
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


@dataclass(frozen=True, slots=True)
class CutFound:
    """What was cut, what that releases, and what the search tells of itself."""

    made: Cut | Parted
    outcome: Outcome
    checks_in_time: int | None = None
    steps: tuple[CutStep, ...] = ()
    over: tuple[SetFigures, ...] = ()
    state: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()


def cut_by_policy(
    run: Session,
    opened: OpenSource,
    mapped: Sequence[Mapped],
    *,
    deadline: float | None,
    left: Mapping[str, object] | None = None,
) -> CutFound:
    """Cut by the policy's algorithm, until nothing can be cut or the deadline, or go on as it was left.

    Raises InfeasibleError, and StalePlanError where that is no such search.
    """
    if run.policy.search.algorithm in OF_PARTS:
        return _into_parts(run, opened, mapped, deadline, left)
    made = cut(run, opened, mapped, deadline=deadline)
    return CutFound(
        made,
        _outcome(
            run,
            made.recoding,
            rows=opened.rows,
            gcp=made.gcp,
            counts=(made.classes, made.smallest, made.squares, 0),
        ),
        checks_in_time=None if made.in_time else made.recoding.depth,
        notes=made.notes,
    )


def _into_parts(
    run: Session,
    opened: OpenSource,
    mapped: Sequence[Mapped],
    deadline: float | None,
    left: Mapping[str, object] | None,
) -> CutFound:
    found = search_parts(run, opened, mapped, deadline=deadline, left=left)
    made, searched = found.parted, found.searched
    report, steps = searched.report, searched.steps
    done = len(steps) if report is None else report.heads
    outcome = _outcome(
        run,
        made.recoding,
        rows=opened.rows,
        gcp=sum(made.widths) / BILLION / len(made.widths) / opened.rows,
        counts=found.figures[()],
        cost=None if report is None else (float(report.cost),),
        proven=report is not None and report.proven,
        more={} if report is None else {LOWER_BOUND.key: float(report.bound)},
    )
    in_time = done if searched.cut_short else None
    return CutFound(made, outcome, in_time, steps, found.over, searched.left, found.notes)


def _outcome(
    run: Session,
    recoding: Boxes | Parts,
    *,
    rows: int,
    gcp: float,
    counts: tuple[int, int, int, int],
    cost: Cost | None = None,
    proven: bool = False,
    more: dict[str, float] | None = None,
) -> Outcome:
    """Tell what is released by its classes, the smallest, their squared rows, and the rows suppressed."""
    classes, smallest, squares, suppressed = counts
    k = demands(run.policy.privacy)[0].class_size
    figures = {
        Discernibility.quality.key: float(squares + suppressed * rows),
        C_AVG.key: average_class_size(rows - suppressed, classes, k),
        **(more or {}),
    }
    return Outcome(
        recoding,
        (gcp,) if cost is None else cost,
        optimal=proven,
        suppressed=suppressed,
        classes=classes,
        smallest=smallest,
        figures=figures if suppressed else {GCP.key: gcp, **figures},
    )
