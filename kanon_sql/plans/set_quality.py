"""What a release comes to over one set of quasi-identifiers, where there are several."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one set of quasi-identifiers of several."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int
