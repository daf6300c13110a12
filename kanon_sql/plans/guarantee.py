"""The guarantees that search algorithms give for the recoding that they find."""

from __future__ import annotations

from enum import StrEnum


class Guarantee(StrEnum):
    """A guarantee in words. Whether one plan is optimal depends on the metric too: see `Plan.optimal`."""

    OPTIMUM = "no feasible node costs less under the metric"
    MONOTONE_OPTIMUM = "no feasible node costs less, if the metric is monotone along the lattice"
    LEAST_HEIGHT = "no feasible node is lower"
    MINIMAL = "no finer node is feasible"
    FEASIBLE = "feasible"
    UNCUT = "no region has another allowable cut"
    RUNS = "every run of the order is as large as required; boxes may overlap"
    BENEFICIAL = "no further specialization has a gain and keeps every class large enough"
    LARGE_ENOUGH = "every class is as large as required, without suppression"
    BEST_PARTS = "no cuts of the columns' orders cost less, if it ends in time; else a lower bound of the cost"
    RARITY = "no tested combination of columns has rare values; a release that fails its recount is not published"
