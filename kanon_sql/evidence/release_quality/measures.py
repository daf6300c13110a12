"""The measures of a release: metrics that plans state, and metrics that are measured only afterwards."""

from __future__ import annotations

from kanon_sql.policy.metrics.column_metrics import Loss
from kanon_sql.policy.metrics.metric import Basis, QualityMetric
from kanon_sql.policy.metrics.registry import (
    C_AVG,
    COUNT_ERROR,
    COUNT_ERROR_PLAIN,
    DEFAULTS,
    GCP,
    HIGHEST_RISK,
    SUPPRESSED_SHARE,
)

_SEARCHED = {metric.name: metric.quality for metric in DEFAULTS}
HEIGHT, PREC, LM = (_SEARCHED[name] for name in ("height", "distortion", Loss.name))
NORMALIZED_ENTROPY = _SEARCHED["normalized_entropy"]
NCP, AMBIGUITY = _SEARCHED["ncp"], _SEARCHED["ambiguity"]
C_DM, AECS, ENTROPY = (_SEARCHED[name] for name in ("discernibility", "class_size", "entropy"))

LM_SUM = QualityMetric("loss_sum", "LM (sum)", "LM, loss metric (Iyengar), sum of the columns")
LM_MEAN = QualityMetric("loss_mean", "LM (mean)", "LM, loss metric, mean of the columns")
C_DM_RELEASED = QualityMetric(
    "discernibility_released", "C_DM (released)", "C_DM of released rows alone (LeFevre et al.)"
)
DM_STAR = QualityMetric(
    "discernibility_star",
    "DM*",
    "DM*, C_DM with the classes of suppressed rows in place of a penalty (ARX)",
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
    "KL divergence",
    "KL divergence, bits, of the source from the release (Kifer and Gehrke)",
)
CLASSIFICATION = QualityMetric(
    "classification",
    "CM",
    "CM, classification metric (Iyengar): share of rows not of their class's majority",
)
PRIVACY_GAIN = QualityMetric(
    "privacy_gain", "privacy gain", "1 - 1 / smallest class", higher_is_better=True
)

COUNT_MEDIAN = QualityMetric(
    "count_error_median",
    "COUNT error (median)",
    "error of COUNT queries on two columns, median of a standard workload",
)
COUNT_MEAN = QualityMetric(
    "count_error_mean",
    "COUNT error (mean)",
    "error of COUNT queries on two columns, mean of a standard workload",
)
MARGINALS = QualityMetric(
    "marginal_distance",
    "two-way marginals",
    "total variation distance of two columns' counts, mean of all pairs",
)
PMSE = QualityMetric(
    "pmse",
    "pMSE",
    "propensity score mean squared error (Snoke et al.), mean of all pairs",
)
OF_TWO_COLUMNS = (COUNT_ERROR, COUNT_ERROR_PLAIN, COUNT_MEDIAN, COUNT_MEAN, MARGINALS, PMSE)
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
