"""Columns that a call classifies by lists of their names, in place of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

Label = str | int
"""The label of a column of a frame: its name, or a number, which `checked` reads as its text."""
Names = Label | Sequence[Label]
"""One column's name, or several."""


class ColumnRoles(TypedDict, total=False):
    """What a call may say beside its quasi-identifiers; what is None is as if it were not there."""

    sensitive: Names | None
    keep: Names | None
    drop: Names | None
    hierarchies: Mapping[Label, object] | None
    entity: Label | None
    k: int | None
    l: int | None  # noqa: E741  the model's own name
    suppression: int | str | None


TYPES = {name: str(each.__forward_arg__) for name, each in ColumnRoles.__annotations__.items()}
"""The type of each as it is written."""
