"""The names of the charts of a state."""

from __future__ import annotations

from enum import StrEnum


class ChartName(StrEnum):
    """What is drawn of a state."""

    SIZES = "sizes"
    RISK = "risk"
    LOSS = "loss"
