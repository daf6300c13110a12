"""One property of two plans side by side: a row of a comparison's tables, sentences and document."""

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
    """How a property changed: a bound of a privacy model, a column's recoding, or a number."""

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
    """Compare a value of two plans, where None is a value that a plan lacks.

    `higher` and `lower` name the change to a higher and to a lower value.
    """
    if old == new:
        return ChangeKind.SAME
    if old is None or new is None:
        return ChangeKind.ADDED if old is None else ChangeKind.GONE
    if higher is lower:
        return higher
    return higher if new > old else lower


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A property that at least one of two plans has, named by `title` and `names`.

    Text from a plan's file is in `names`, and in both values if they are `from_file`: a caller that prints it must
    make it safe. The document has the row under its `key`, inside its `group` if there is one, with `more` beside both
    values. Tables list a row if it changed or is marked `always`; a row without a table is in the document only.
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
        """True if a bound is weaker, or a privacy model or quasi-identifier is gone."""
        return self.protects and self.change in {ChangeKind.WEAKER, ChangeKind.GONE}

    @property
    def strengthens(self) -> bool:
        return self.protects and self.change in {ChangeKind.STRICTER, ChangeKind.ADDED}

    @property
    def protects(self) -> bool:
        """True if the property is a privacy model or a quasi-identifier."""
        return self.group in {"privacy", "columns"}

    def titled(self, show: Show, *, brief: bool = False) -> str:
        """Return the title, or its brief form, with the row's names as `show` prints them."""
        title = (self.brief or self.title) if brief else self.title
        return " ".join(filter(None, [title, ", ".join(map(show, self.names))]))

    def cells(self, show: Show) -> tuple[str, str]:
        """Return both values as text; decimal numbers have as many digits as it takes to see that they differ."""
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
        """Return a sentence on the change, without its period."""
        now = "now" if self.change is ChangeKind.ADDED else "no longer"
        old, new = self.cells(show)
        if self.change not in {ChangeKind.ADDED, ChangeKind.GONE}:
            return f"{self.titled(show, brief=True)} is {new} instead of {old}"
        if self.group == "columns":
            return f"{self.titled(show)} is {now} a quasi-identifier"
        bound = new if self.change is ChangeKind.ADDED else old
        return f"{self.titled(show)}{f' ({bound})' if self.brief else ''} is {now} required"


def text_of(value: object) -> str:
    """Format a value of a plan; None, a value that the plan lacks, is a dash."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
