"""The measures of a release: metrics that plans state, and metrics that are measured only afterwards, all from counts.

Metrics that plans state are computed by the functions that planning uses, from counts of the released rows. If plan
and release belong together, both values are the same to the last bit. No table is read here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.class_metrics import certainty
from kanon_sql.policy.metrics.column_metrics import Aggregate, Entropy, Loss
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.registry import (
    C_AVG,
    COUNT_ERROR,
    COUNT_ERROR_PLAIN,
    COUNT_ERROR_TENTH,
    DEFAULTS,
    GCP,
    HIGHEST_RISK,
    SUPPRESSED_SHARE,
    average_class_size,
    quality_at_node,
)
from kanon_sql.policy.metrics.statistics import Basis, Counts, QualityMetric, rows_and_logarithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.policy.metrics.statistics import TableStatistics
    from kanon_sql.recoding.measured import TwoColumns


_SEARCHED = {metric.name: metric.quality for metric in DEFAULTS}
HEIGHT, PREC, LM = (_SEARCHED[name] for name in ("height", "distortion", Loss.name))
NORMALIZED_ENTROPY = _SEARCHED["normalized_entropy"]
NCP, AMBIGUITY = _SEARCHED["ncp"], _SEARCHED["ambiguity"]
C_DM, AECS, ENTROPY = (_SEARCHED[name] for name in ("discernibility", "class_size", "entropy"))

LM_SUM = QualityMetric(
    "loss_sum", "loss (sum)", "share of values that a label hides, sum of the columns (LM)"
)
LM_MEAN = QualityMetric(
    "loss_mean", "loss (mean)", "share of values that a label hides, mean of the columns (LM)"
)
C_DM_RELEASED = QualityMetric(
    "discernibility_released",
    "discernibility (released)",
    "of released rows alone (LeFevre et al.)",
)
DM_STAR = QualityMetric(
    "discernibility_star",
    "discernibility (all classes)",
    "with the classes of suppressed rows in place of a penalty (DM*, ARX)",
)
AVERAGE_CLASS = QualityMetric(
    "average_class_size", "average class", "released rows a class", basis=frozenset({Basis.COLUMNS})
)
ENTROPY_SUPPRESSED = QualityMetric(
    "entropy_suppressed",
    "entropy (suppressed counted)",
    "non-uniform entropy with what suppressed rows had left (ARX)",
)
KL_DIVERGENCE = QualityMetric(
    "kl_divergence",
    "divergence",
    "bits by which the source differs from the release (KL divergence, Kifer and Gehrke)",
)
CLASSIFICATION = QualityMetric(
    "classification",
    "classification",
    "share of rows that are not of their class's majority (CM, Iyengar)",
)
PRIVACY_GAIN = QualityMetric(
    "privacy_gain", "privacy gain", "1 - 1 / smallest class", higher_is_better=True
)

COUNT_MEDIAN = QualityMetric(
    "count_error_median",
    "COUNT queries (median)",
    "error of COUNT queries on two columns, median of a standard workload",
)
COUNT_MEAN = QualityMetric(
    "count_error_mean",
    "COUNT queries (mean)",
    "error of COUNT queries on two columns, mean of a standard workload",
)
MARGINALS = QualityMetric(
    "marginal_distance",
    "shares of two columns",
    "how far shares of two columns' values move, mean of all pairs (two-way marginals)",
)
PMSE = QualityMetric(
    "pmse",
    "recognizability",
    "how well a model tells released rows from others: 0 not at all (pMSE, Snoke et al.)",
)
OF_TWO_COLUMNS = (
    COUNT_ERROR,
    COUNT_ERROR_PLAIN,
    COUNT_ERROR_TENTH,
    COUNT_MEDIAN,
    COUNT_MEAN,
    MARGINALS,
    PMSE,
)
"""The measures of two columns at a time."""

MEASURES = {
    each.key: each
    for each in (
        PREC,
        HEIGHT,
        LM_SUM,
        LM_MEAN,
        LM,
        GCP,
        NCP,
        C_DM,
        C_DM_RELEASED,
        DM_STAR,
        C_AVG,
        AECS,
        AVERAGE_CLASS,
        ENTROPY,
        ENTROPY_SUPPRESSED,
        NORMALIZED_ENTROPY,
        KL_DIVERGENCE,
        AMBIGUITY,
        CLASSIFICATION,
        *OF_TWO_COLUMNS,
        SUPPRESSED_SHARE,
        HIGHEST_RISK,
        PRIVACY_GAIN,
    )
}
"""All measures, in the order in which they are printed."""

PLAN_STATES = (PREC, HEIGHT, LM, C_DM, AECS, ENTROPY, C_AVG)
"""The measures that plans state too. Measured on the plan's release, they must have the same value."""


NO_K = "k is not known: give it, or a plan or policy"
NO_HIERARCHIES = "needs hierarchies: give a plan or a policy"
NO_INTERVALS = "the squared error needs an interval hierarchy, below its root"
OF_CLASSES = "cells stand for what their class has, and no hierarchy shows what that is"
NO_COUNTS = "no two values or bands of two columns are often enough together in the source"
NO_ROWS = "the release has no rows"
PERSONS = "counts rows, and the policy protects persons, whose classes may be smaller"
NO_TARGET = "needs a class column"
BY_CLASSES = "it needs all classes of the source at the node, which were not counted"
BY_CLASSES_ALONE = "it needs the tuples of the source, which were not counted"
SEVERAL_NODES = "the rows are not released at one node of the hierarchies"
WHERE_SUPPRESSED = "the release does not show at which of several nodes its suppressed rows lie"


@dataclass(frozen=True, slots=True)
class ClassSums:
    """Sums over a table's classes; `logarithms` sums each class's size times its natural logarithm."""

    classes: int
    rows: int
    smallest: int
    squares: int
    logarithms: float


@dataclass(frozen=True, slots=True)
class LabelSums:
    """Sums over the released rows for the labels of one column.

    `unknown` rows have a label that the hierarchy lacks, `at_several` rows one that is at several levels, `unclear`
    rows one with different leaves at these. `lowest` and `highest` are levels. `levels`, `leaves`, `leaf_logarithms`
    and `shared` (the logarithm of the source's rows under the label) are summed over rows; `wide` sums the leaves of
    labels with more than one.
    """

    unknown: int
    at_several: int
    unclear: int
    lowest: int | None
    highest: int | None
    levels: int
    leaves: int
    wide: int
    leaf_logarithms: float
    shared: float


@dataclass(frozen=True, slots=True)
class Hidden:
    """Sums over the labels of a release, column by column, with the statistics of its source.

    `ambiguity` sums the tuples of leaves that each released row may stand for. Only a release at one node has the
    others: `suppressed_logs` sums, for each column, n ln n over labels with n suppressed rows, `excess` counts released
    rows of a label beyond those of the source, and `star` is the DM* of the source at the node.
    """

    stats: TableStatistics
    columns: tuple[LabelSums, ...]
    ambiguity: float | None = None
    suppressed_logs: tuple[float, ...] | None = None
    excess: int = 0
    star: int | None = None

    @property
    def problem(self) -> str | None:
        """The reason why the labels' information loss cannot be measured; None if it can."""
        unknown = max(each.unknown for each in self.columns)
        unclear = max(each.unclear for each in self.columns)
        if unknown:
            return f"up to {unknown:,} released rows have a label that its hierarchy does not have there"
        if self.excess:
            return f"{self.excess:,} released rows have labels of which the source has fewer rows"
        if unclear:
            return (
                f"up to {unclear:,} released rows have a label with other leaves at another level"
            )
        return None

    @property
    def node(self) -> Node | None:
        """The node at which all rows are released; None if labels show several, or are at several levels."""
        if self.problem or any(each.at_several for each in self.columns):
            return None
        levels = [each.lowest for each in self.columns if each.lowest == each.highest]
        known = [level for level in levels if level is not None]
        return Node(tuple(known)) if len(known) == len(self.columns) else None


def bits(nats: float, rows: int) -> float:
    """Convert nats of all rows to bits per row: to eight places, as logarithms have nine; never negative."""
    return round(max(nats / (rows * math.log(2)), 0.0), 8) if rows else 0.0


class Figures:
    """The values of a release's metrics by key, as they are added; a metric without a value has a reason."""

    def __init__(self) -> None:
        self.values: dict[str, float | None] = {}
        self.reasons: dict[str, str] = {}

    def add(self, quality: QualityMetric, value: float | None) -> None:
        """Set the value of a metric, which has no reason then."""
        self.values[quality.key] = value
        self.reasons.pop(quality.key, None)

    def miss(self, reason: str, *missing: QualityMetric) -> None:
        """Set metrics to None, for one reason."""
        for each in missing:
            self.values[each.key] = None
            self.reasons[each.key] = reason

    def add_two_columns(self, found: TwoColumns | str) -> None:
        """Add the measures of two columns at a time, or the reason why they were not measured."""
        of_two = OF_TWO_COLUMNS
        if isinstance(found, str):
            self.miss(found, *of_two)
        else:
            values = found.summary()
            for each in of_two:
                if values[each.key] is None:
                    self.miss(NO_COUNTS, each)
                else:
                    self.add(each, values[each.key])

    def ordered(self) -> dict[str, float | None]:
        """Return all values in the order of `MEASURES`."""
        return {key: self.values[key] for key in MEASURES}


OF_LABELS = (
    PREC,
    HEIGHT,
    LM_SUM,
    LM_MEAN,
    LM,
    GCP,
    NCP,
    DM_STAR,
    ENTROPY,
    ENTROPY_SUPPRESSED,
    NORMALIZED_ENTROPY,
    KL_DIVERGENCE,
    AMBIGUITY,
)
"""The metrics that need the hierarchies of the labels."""


def figures_of(
    source: ClassSums,
    released: ClassSums,
    hidden: Hidden | str,
    *,
    k: int | None,
    majority: int | None,
    of_persons: bool = False,
) -> Figures:
    """Compute all metrics but those of two columns; `hidden` may be the reason why it is unknown.

    `majority` counts the rows with their class's most frequent value of the class column.
    """
    found = Figures()
    _add_of_classes(found, source, released, k, majority)
    risks = (HIGHEST_RISK, PRIVACY_GAIN)
    if not released.rows or of_persons:
        found.miss(PERSONS if of_persons else NO_ROWS, *risks)
    else:
        found.add(HIGHEST_RISK, 1 / released.smallest)
        found.add(PRIVACY_GAIN, 1 - 1 / released.smallest)
    problem = hidden if isinstance(hidden, str) else hidden.problem
    if isinstance(hidden, str) or problem is not None:
        found.miss(problem or "", *OF_LABELS)
        return found
    if not released.rows:
        found.miss(NO_ROWS, *OF_LABELS)
        return found
    _add_of_cells(found, source, released, hidden)
    if (node := hidden.node) is not None:
        _add_at_node(found, source, released, hidden, node)
    else:
        _add_at_nodes(found, source, released, hidden)
    return found


def _add_of_classes(
    found: Figures, source: ClassSums, released: ClassSums, k: int | None, majority: int | None
) -> None:
    suppressed = source.rows - released.rows
    found.add(C_DM, float(released.squares + source.rows * suppressed))
    found.add(C_DM_RELEASED, float(released.squares))
    found.add(SUPPRESSED_SHARE, suppressed / source.rows)
    found.add(AECS, source.rows / (released.classes + (1 if suppressed else 0)))
    if released.rows:
        found.add(AVERAGE_CLASS, released.rows / released.classes)
    else:
        found.miss(NO_ROWS, AVERAGE_CLASS)
    if k is None:
        found.miss(NO_K, C_AVG)
    elif not released.rows:
        found.miss(NO_ROWS, C_AVG)
    else:
        found.add(C_AVG, average_class_size(released.rows, released.classes, k))
    if majority is None:
        found.miss(NO_TARGET, CLASSIFICATION)
    else:
        found.add(CLASSIFICATION, (source.rows - majority) / source.rows)


def column_losses(source: ClassSums, released: ClassSums, hidden: Hidden) -> list[float]:
    """Return the loss (LM) of each column; a suppressed cell's is 1."""
    suppressed = source.rows - released.rows
    return [
        (each.leaves + suppressed * of.domain - source.rows) / (source.rows * (of.domain - 1))
        if of.domain > 1
        else 0.0
        for each, of in zip(hidden.columns, hidden.stats.columns, strict=True)
    ]


def column_certainties(source: ClassSums, released: ClassSums, hidden: Hidden) -> list[float]:
    """Return the mean normalized certainty penalty (NCP) of each column's cells; a suppressed cell's is 1."""
    suppressed = source.rows - released.rows
    return [
        certainty(source.rows, of.domain, each.wide, suppressed)
        for each, of in zip(hidden.columns, hidden.stats.columns, strict=True)
    ]


def _add_of_cells(found: Figures, source: ClassSums, released: ClassSums, hidden: Hidden) -> None:
    """Add the metrics that need only the leaves under each cell, for releases at one or several nodes."""
    rows, suppressed = source.rows, source.rows - released.rows
    losses = column_losses(source, released, hidden)
    for measure, aggregate in (
        (LM_SUM, Aggregate.SUM),
        (LM_MEAN, Aggregate.MEAN),
        (LM, Aggregate.GEOMETRIC_MEAN),
    ):
        found.add(measure, Loss(aggregate=aggregate).of_losses(losses)[0])
    certainties = column_certainties(source, released, hidden)
    found.add(GCP, math.fsum(certainties) / len(certainties))
    found.add(NCP, rows * math.fsum(certainties))
    domains = [column.domain for column in hidden.stats.columns]
    whole = math.prod(domains)
    if hidden.ambiguity is None:
        found.miss(NO_ROWS, AMBIGUITY)
    else:
        found.add(AMBIGUITY, hidden.ambiguity + float(suppressed * whole))
    # With p(x) = f(x)/n for each tuple x of the source, and |E|/n over all tuples of leaves of its class.
    everywhere = math.fsum(math.log(domain) for domain in domains)
    nats = math.fsum(
        [
            source.logarithms,
            -released.logarithms,
            *(each.leaf_logarithms for each in hidden.columns),
            -rows_and_logarithm(suppressed),
            suppressed * everywhere,
        ]
    )
    found.add(KL_DIVERGENCE, bits(nats, rows))


def _add_at_node(
    found: Figures,
    source: ClassSums,
    released: ClassSums,
    hidden: Hidden,
    node: Node,
) -> None:
    """Add the other label metrics of a release at one node, by the functions that planning uses."""
    stats = hidden.stats
    suppressed = source.rows - released.rows
    counts = Counts(
        rows=source.rows,
        classes=released.classes,
        failing=0,
        suppressed=suppressed,
        squares=released.squares,
    )
    at = list(zip(hidden.columns, stats.columns, node.levels, strict=True))
    leaves = [of.levels[level].leaves - each.leaves for each, of, level in at]
    stated = quality_at_node(stats, node, counts, leaves, k=1)
    for measure in (PREC, HEIGHT, LM, ENTROPY):
        found.add(measure, stated[measure.key])
    for measure, aggregate in (
        (LM_SUM, Aggregate.SUM),
        (LM_MEAN, Aggregate.MEAN),
    ):
        found.add(measure, Loss(aggregate).cost(stats, node, counts, leaves)[0])
    lost = [of.levels[level].entropy - of.levels[0].entropy for _, of, level in at]
    found.add(NORMALIZED_ENTROPY, _normalized(stats, lost))
    if hidden.suppressed_logs is not None:
        counted = Entropy(count_suppressed=True)
        (value,) = counted.cost(stats, node, counts, hidden.suppressed_logs)
        found.add(ENTROPY_SUPPRESSED, value)
    else:
        found.miss(SEVERAL_NODES, ENTROPY_SUPPRESSED)
    if hidden.star is not None:
        found.add(DM_STAR, float(hidden.star))
    else:
        found.miss(BY_CLASSES, DM_STAR)


def _add_at_nodes(found: Figures, source: ClassSums, released: ClassSums, hidden: Hidden) -> None:
    """Add the other label metrics of a release at several nodes, as far as its labels show them."""
    stats, suppressed = hidden.stats, source.rows - released.rows
    found.miss(SEVERAL_NODES, DM_STAR)
    if several := max(each.at_several for each in hidden.columns):
        what = f"up to {several:,} released rows have a label that is at several levels"
        found.miss(what, PREC, HEIGHT)
    else:
        climbed = math.fsum(
            each.levels / (len(of.levels) - 1)
            for each, of in zip(hidden.columns, stats.columns, strict=True)
            if len(of.levels) > 1
        )
        cells = source.rows * len(hidden.columns)
        distortion = (climbed + suppressed * len(hidden.columns)) / cells
        found.add(PREC, 1 - distortion)
        if suppressed:
            found.miss(WHERE_SUPPRESSED, HEIGHT)
        else:
            found.add(HEIGHT, sum(each.levels for each in hidden.columns) / source.rows)
    entropies = (ENTROPY, ENTROPY_SUPPRESSED, NORMALIZED_ENTROPY)
    if suppressed:
        found.miss(WHERE_SUPPRESSED, *entropies)
        return
    pairs = zip(hidden.columns, stats.columns, strict=True)
    lost = [each.shared - of.levels[0].entropy for each, of in pairs]
    for measure in entropies[:2]:
        found.add(measure, math.fsum(lost) / math.log(2))
    found.add(NORMALIZED_ENTROPY, _normalized(stats, lost))


def _normalized(stats: TableStatistics, lost: Sequence[float]) -> float:
    """Return the mean over columns of the lost entropy, as a share of the loss at full generalization."""
    shares = []
    for own, of in zip(lost, stats.columns, strict=True):
        all_of_it = rows_and_logarithm(stats.rows) - of.levels[0].entropy
        shares.append(min(max(own / all_of_it, 0.0), 1.0) if all_of_it > 0 else 0.0)
    return math.fsum(shares) / len(shares)
