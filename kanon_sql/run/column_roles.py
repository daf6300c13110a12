"""Arguments by which a call classifies columns without a policy: lists of their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

Label = str | int
"""The label of a column of a frame: its name, or a whole number, which `checked` turns into a text."""
Names = Label | Sequence[Label]
"""One column's name, or several."""


class ColumnRoles(TypedDict, total=False):
    """The roles and bounds that a call may pass beside its quasi-identifiers. None means not passed."""

    sensitive: Names | None
    keep: Names | None
    drop: Names | None
    hierarchies: Mapping[Label, object] | None
    entity: Label | None
    k: int | None
    l: int | None  # noqa: E741  the model's own name
    suppression: int | str | None


TYPES = {name: str(each.__forward_arg__) for name, each in ColumnRoles.__annotations__.items()}
"""The text of each argument's type annotation."""
