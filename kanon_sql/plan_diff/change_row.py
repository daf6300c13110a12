"""One property of two plans side by side: the row that tables, sentences and the document are made of."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kanon_sql.documents.text import apart, decimal_text
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Show = Callable[[str], str]

TABLES = ("Privacy", "Recoding", "Quality and risk", "Search", "Inputs")
PRIVACY, RECODING, QUALITY_AND_RISK, SEARCH, INPUTS = TABLES


class ChangeKind(StrEnum):
    """How a bound, a column, or a number that can be better or worse changed."""

    SAME = "same"
    WEAKER = "weaker"
    STRICTER = "stricter"
    GONE = "gone"
    ADDED = "new"
    FINER = "finer"
    COARSER = "coarser"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"


def compared(
    old: Any,  # noqa: ANN401  anything that has an order
    new: Any,  # noqa: ANN401
    higher: ChangeKind = ChangeKind.CHANGED,
    lower: ChangeKind = ChangeKind.CHANGED,
) -> ChangeKind:
    """Compare a value of both plans; None where a plan does not have it."""
    if old == new:
        return ChangeKind.SAME
    if old is None or new is None:
        return ChangeKind.ADDED if old is None else ChangeKind.GONE
    if higher is lower:
        return higher
    return higher if new > old else lower


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A property that either plan has, named by `title` and `names`.

    What comes from a plan's file is in `names`, and in the values where they are `from_file`: whoever prints it makes it
    safe. The document has it under its `key`, in a `group` where there are many of its kind, with `more` beside
    both values. A row is listed in its table where it changed, or `always`; without a table it is in the document alone.
    `brief` is the title in a sentence, and `note` replaces the change in the table.
    """

    table: str
    title: str
    old: object
    new: object
    change: ChangeKind = ChangeKind.SAME
    names: tuple[str, ...] = ()
    texts: tuple[str, str] | None = None
    from_file: bool = False
    always: bool = False
    brief: str = ""
    note: str = ""
    group: str = ""
    key: str = ""
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def weakens(self) -> bool:
        """Whether less is required, or of fewer columns."""
        return self.protects and self.change in {ChangeKind.WEAKER, ChangeKind.GONE}

    @property
    def strengthens(self) -> bool:
        return self.protects and self.change in {ChangeKind.STRICTER, ChangeKind.ADDED}

    @property
    def protects(self) -> bool:
        """Whether it is a privacy model, or a quasi-identifier."""
        return self.group in {"privacy", "columns"}

    def titled(self, show: Show, *, brief: bool = False) -> str:
        """Give the title with its names."""
        title = (self.brief or self.title) if brief else self.title
        return " ".join(filter(None, [title, ", ".join(map(show, self.names))]))

    def cells(self, show: Show) -> tuple[str, str]:
        """Give both values as they are shown; numbers in as few digits as show that they differ."""
        if self.texts is not None:
            return self.texts
        if isinstance(self.old, float) or isinstance(self.new, float):
            return apart(self.old, self.new, decimal_text)  # type: ignore[arg-type]
        old, new = (
            show(str(value)) if self.from_file and value is not None else text_of(value)
            for value in (self.old, self.new)
        )
        return old, new

    def sentence(self, show: Show) -> str:
        """Say what changed."""
        now = "now" if self.change is ChangeKind.ADDED else "no longer"
        old, new = self.cells(show)
        if self.change not in {ChangeKind.ADDED, ChangeKind.GONE}:
            return f"{self.titled(show, brief=True)} is {new} instead of {old}"
        if self.group == "columns":
            return f"{self.titled(show)} is {now} a quasi-identifier"
        bound = new if self.change is ChangeKind.ADDED else old
        return f"{self.titled(show)}{f' ({bound})' if self.brief else ''} is {now} required"


def text_of(value: object) -> str:
    """Write a value of a plan; None, what a plan does not have, is a dash."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
