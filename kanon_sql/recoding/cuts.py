"""The interface of searches that cut, the table into regions or each column into intervals.

They search no lattice: each is a `CutSearch`, which planning finds in `searches/algorithms.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.class_metrics import Discernibility
from kanon_sql.policy.metrics.registry import C_AVG, GCP, LOWER_BOUND, average_class_size
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import ReleaseRisk
from kanon_sql.recoding.axes import BILLION
from kanon_sql.recoding.quality import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.lattice.result import SetFigures
    from kanon_sql.counting.plans.recodings import Multidimensional, SingleDimensional
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.cut_steps import CutStep
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.single_dimensional.column_cuts import ColumnCuts


@dataclass(frozen=True, slots=True)
class CutFound:
    """The result of a search for cuts: the cut table or columns, their outcome, and notes for the plan.

    `checks_in_time` counts the steps, depths or heads of a search that the time limit ended. The search can be resumed
    from `state`, if it has one.
    """

    made: PartitionedTable | ColumnCuts
    outcome: Outcome
    checks_in_time: int | None = None
    steps: tuple[CutStep, ...] = ()
    over: tuple[SetFigures, ...] = ()
    state: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CutRequest:
    """The input of a search for cuts, which ends at the `deadline` (on the monotonic clock) at the latest."""

    run: Session
    opened: OpenSource
    mapped: Sequence[Mapped]
    deadline: float | None
    resumed: Mapping[str, object] | None


CutSearch: TypeAlias = "Callable[[CutRequest], CutFound]"
"""A search for cuts. It may raise InfeasibleError, and StalePlanError where a resumed state does not fit the source."""


def outcome_of_cut(
    run: Session,
    recoding: Multidimensional | SingleDimensional,
    *,
    opened: OpenSource,
    widths: Sequence[int],
    counts: tuple[int, int, int, int],
    sizes: Sequence[SizeCount],
    cost: Cost | None = None,
    proven: bool = False,
    lower_bound: int | None = None,
) -> Outcome:
    """Return the outcome of a release by cuts.

    `counts` are its classes, the smallest, their squared rows, and the suppressed rows. The cost is the global
    certainty penalty, unless the search minimized another: the mean of the widths of all cells, in billionths of an
    axis. A cell of a row that was left out is as wide as the axis.
    """
    classes, smallest, squares, by_size = counts
    rows, suppressed = opened.source_rows, by_size + opened.left_out
    gcp = (sum(widths) / BILLION / len(widths) + opened.left_out) / rows
    k = demands(run.policy.privacy)[0].class_size
    figures = {
        Discernibility.quality.key: float(squares + suppressed * rows),
        C_AVG.key: average_class_size(rows - suppressed, classes, k),
    }
    if lower_bound is not None:
        figures[LOWER_BOUND.key] = float(lower_bound)
    return Outcome(
        recoding,
        (gcp,) if cost is None else cost,
        optimal=proven,
        suppressed=suppressed,
        classes=classes,
        smallest=smallest,
        # The penalty of rows that are suppressed for the size of their class is not defined.
        figures=figures if by_size else {GCP.key: gcp, **figures},
        risk=ReleaseRisk.of(sizes, run.policy.entity),
    )
