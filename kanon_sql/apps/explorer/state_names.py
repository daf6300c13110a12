"""The names of the charts of a state."""

from __future__ import annotations

from enum import StrEnum


class ChartName(StrEnum):
    """The charts of a state."""

    SIZES = "sizes"
    RISK = "risk"
    LOSS = "loss"
