"""All quality metrics: those that a search can minimize, and those that a plan states.

Every cost is computed in this folder, in a fixed order, from exact integers that the engine summed:
the same table gives the same cost to the last bit, whatever the order of its rows.
"""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

from kanon_sql.policy.metrics.class_metrics import (
    Ambiguity,
    CertaintyPenalty,
    ClassSize,
    Discernibility,
)
from kanon_sql.policy.metrics.column_metrics import (
    Distortion,
    Entropy,
    Height,
    Loss,
    NormalizedEntropy,
)
from kanon_sql.policy.metrics.statistics import Basis, Need, QualityMetric
from kanon_sql.policy.privacy.risks import STATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import Cost, Counts, Metric, Sums, TableStatistics

SEARCHED: tuple[Callable[..., Metric], ...] = (
    Height,
    Distortion,
    Loss,
    Discernibility,
    ClassSize,
    NormalizedEntropy,
    CertaintyPenalty,
    Ambiguity,
    Entropy,
)
"""The metrics that a search can minimize. A plan lists those that it states in this order."""

DEFAULTS = tuple(make() for make in SEARCHED)


def _is_stated(metric: Metric) -> bool:
    return metric.stated


METRICS = tuple(metric.name for metric in DEFAULTS)

GCP = QualityMetric(
    "gcp",
    "information loss",
    "mean of all cells: 0 of original values, 1 of suppressed ones (GCP, Ghinita et al.)",
)
C_AVG = QualityMetric(
    "c_avg",
    "class size over k",
    "average class size over k: at best 1 (C_AVG, LeFevre et al.)",
    basis=frozenset({Basis.COLUMNS, Basis.CLASS_SIZE}),
    layout=",.2f",
)
LOWER_BOUND = QualityMetric(
    "lower_bound", "lower bound", "lower bound of the cost by any cuts", higher_is_better=None
)
CLASSES_BEFORE = QualityMetric(
    "classes_before", "distinct tuples", "distinct tuples in the source", higher_is_better=None
)

COUNT_ERROR = QualityMetric(
    "count_error",
    "simple counts",
    "counts by two columns: median error, each label spread over its values",
)
COUNT_ERROR_PLAIN = QualityMetric(
    "count_error_plain",
    "simple counts (plain)",
    "counts by two columns: median error, labels counted as they are",
)
COUNT_ERROR_TENTH = QualityMetric(
    "count_error_tenth",
    "simple counts (one in ten)",
    "counts by two columns: error that one in ten has at least, each label spread",
)

OF_SIMPLE_COUNTS = (COUNT_ERROR.key, COUNT_ERROR_PLAIN.key, COUNT_ERROR_TENTH.key)
"""The keys of the errors of simple counts: with labels spread and as they are, and of one in ten."""

SUPPRESSED_SHARE = QualityMetric(
    "suppressed_share", "the share of suppressed rows", "suppressed rows", basis=frozenset()
)
HIGHEST_RISK = QualityMetric(
    "highest_prosecutor_risk",
    "the prosecutor's highest risk",
    "highest prosecutor risk, 1 / smallest class",
    basis=frozenset(),
)
AVERAGE_RISK = QualityMetric(
    "average_prosecutor_risk",
    "the prosecutor's average risk",
    "average prosecutor risk",
    basis=frozenset(),
)
SHARE_ABOVE = QualityMetric(
    "rows_above",
    f"the share of rows above {STATED}",
    f"rows whose risk is above {STATED}",
    basis=frozenset(),
)
UNIQUE_ROWS = QualityMetric("unique_rows", "unique rows", "unique rows", basis=frozenset())
BESIDE_FIGURES = (HIGHEST_RISK, AVERAGE_RISK, SHARE_ABOVE, UNIQUE_ROWS, SUPPRESSED_SHARE)
"""The numbers of a plan outside its figures for which lower is better."""

QUALITY = {
    each.key: each
    for each in (
        GCP,
        *(metric.quality for metric in filter(_is_stated, DEFAULTS)),
        C_AVG,
        LOWER_BOUND,
        CLASSES_BEFORE,
        COUNT_ERROR,
        COUNT_ERROR_PLAIN,
        COUNT_ERROR_TENTH,
    )
}
"""The metrics that a plan can have among its figures, by their key there, in the order in which readers see them."""

SUMMARIZED = tuple(each for each in QUALITY.values() if each.layout is not None)

OLDER = {"precision": "distortion"}
"""Earlier names of metrics. A search that minimizes distortion maximizes Prec, the precision: a policy may still say
precision, and all that is printed says distortion."""

NAMES = (*METRICS, *OLDER)
"""The names that a policy, or an option of a command, may use for a metric."""

OLDER_LABELS = {**OLDER, "loss": Loss().label}
"""Earlier labels of metrics in plans, with the labels of today."""

BY_LABEL = {GCP.key: GCP, **{metric.label: metric.quality for metric in DEFAULTS}}


def quality_of_label(label: str) -> QualityMetric:
    """Return the quality metric that displays the cost of a plan, or else one that displays the bare cost.

    >>> quality_of_label("distortion").key, quality_of_label("loss (max)").title
    ('precision', 'cost by loss (max)')
    """
    if label in BY_LABEL:
        return BY_LABEL[label]
    name = f"cost by {label}"
    return QualityMetric(name, name, name, basis=frozenset(Basis) - {Basis.CLASS_SIZE})


def shown_label(label: str) -> str:
    """Name a plan's metric as readers know it.

    >>> shown_label("gcp"), shown_label("loss (geometric mean)")
    ('NCP, mean over cells', 'loss (geometric mean)')
    """
    return "NCP, mean over cells" if label == GCP.key else label


def metric_named(name: str, **options: object) -> Metric:
    """Return the metric that a policy names; options that it does not have are ignored.

    >>> metric_named("precision", count_suppressed=True).label
    'distortion'
    """
    return _make(name)(
        **{option: value for option, value in options.items() if takes(name, option)}
    )


def takes(name: str, option: str) -> bool:
    """Whether the metric of a name has an option.

    >>> takes("loss", "weights"), takes("discernibility", "weights"), takes("height", "factor")
    (True, False, False)
    """
    return option in signature(_make(name)).parameters


def _make(name: str) -> Callable[..., Metric]:
    name = OLDER.get(name, name)
    if name not in METRICS:
        raise ValueError(f"no metric is named {name}")
    return SEARCHED[METRICS.index(name)]


def quality_at_node(
    stats: TableStatistics, node: Node, counts: Counts, leaves: Sequence[float], k: int
) -> dict[str, float]:
    """Return all quality metrics of a release at one node; `leaves` are those of suppressed rows."""
    return dict(
        _quality(
            lambda metric: metric.cost(
                stats, node, counts, leaves if metric.need is Need.LEAVES else ()
            ),
            stats,
            average_class_size(stats.rows - counts.suppressed, counts.classes, k),
        )
    )


def quality_of_sums(stats: TableStatistics, sums: Sums, k: int) -> dict[str, float]:
    """Return all quality metrics of a recoding that is not of one node, from its sums."""
    return dict(
        _quality(
            lambda metric: metric.cost_of(stats, sums),
            stats,
            average_class_size(stats.rows - sums.suppressed, sums.classes, k),
        )
    )


def _quality(
    cost: Callable[[Metric], Cost], stats: TableStatistics, c_avg: float
) -> Iterator[tuple[str, float]]:
    for metric in filter(_is_stated, DEFAULTS):
        yield metric.quality.key, metric.quality.of_cost(cost(metric)[0])
    yield C_AVG.key, c_avg
    yield CLASSES_BEFORE.key, float(stats.classes)


def average_class_size(released: int, classes: int, k: int) -> float:
    """Return C_AVG (LeFevre et al., 2006): the released rows a class, divided by k."""
    return released / max(classes, 1) / k
