"""What is certain of the recoding that an algorithm gives."""

from __future__ import annotations

from enum import StrEnum


class Guarantee(StrEnum):
    """A promise in words; what is promised of a plan depends on the metric too, and the plan says it."""

    OPTIMUM = "no feasible node costs less under the metric"
    MONOTONE_OPTIMUM = "no feasible node costs less, if the metric is monotone along the lattice"
    LEAST_HEIGHT = "no feasible node is lower"
    MINIMAL = "no finer node is feasible"
    FEASIBLE = "feasible"
    UNCUT = "no region can be cut further on any axis"
    BENEFICIAL = "no part can be specialized with any gain and without classes too small"
    LARGE_ENOUGH = "classes as large as is asked, without suppression"
    BEST_PARTS = "no parts by the columns' orders cost less, if it ends in time; else how much less they might"
    RARITY = "no value of a tested combination is rare; what fails the recount is not released"
