"""A chart: what is drawn, the same figures as a table, and a text for those who see neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import printable
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.charts.theme import Spec

LONGEST_LABEL = 36
"""Most characters of a label in a chart."""
LONGEST_TEXT = 200
"""Most characters of a label in the table beside it."""
WIDTH = 560
"""Pixels of what is drawn between the axes of a chart with one panel."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and the table of its figures.

    `name` is the name of its file, `text` the alternative text. `spec` is a Vega-Lite specification with its data, whose
    colours are CSS variables; `rows` are the figures that it draws, under their `headings`. Labels of the data in it are
    on one line, without characters that do not print, and not longer than `LONGEST_TEXT`.
    """

    name: str
    title: str
    text: str
    spec: Mapping[str, object]
    headings: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "headings", tuple(shortened(each, LONGEST_TEXT) for each in self.headings)
        )
        rows = tuple(tuple(_cell(cell) for cell in row) for row in self.rows)
        object.__setattr__(self, "rows", rows)


def shortened(label: str, longest: int = LONGEST_LABEL) -> str:
    r"""Cut a label that is long; what does not print is escaped.

    >>> shortened("a\nb"), shortened("abcdefgh", 5)
    ('a\\nb', 'abcd…')
    """
    text = printable(label[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _cell(value: object) -> object:
    return shortened(value, LONGEST_TEXT) if isinstance(value, str) else value


def told_apart(labels: Sequence[str], longest: int = LONGEST_LABEL) -> list[str]:
    """Cut labels, and number those that would be equal then, as equal labels are one bar.

    >>> told_apart(["abcdefgh", "abcdefxy", "b"], 6)
    ['abcde…', 'abcde… (2)', 'b']
    """
    seen: set[str] = set()
    found = []
    for label in labels:
        text = short = shortened(label, longest)
        number = 1
        while text in seen:
            number += 1
            text = f"{short} ({number})"
        seen.add(text)
        found.append(text)
    return found


def share_text(share: float) -> str:
    """Write a share as a percentage.

    >>> share_text(0.2), share_text(0.01234), share_text(0.000834), share_text(0.00001), share_text(0)
    ('20%', '1.2%', '0.08%', '<0.01%', '0%')
    """
    percent = 100 * share
    if 0 < percent < 0.005:
        return "<0.01%"
    if 0 < percent < 0.995:
        return f"{percent:.2f}".rstrip("0") + "%"
    return f"{percent:.1f}".removesuffix(".0") + "%"


def loss_text(metric: str) -> str:
    """Name a loss for an axis.

    >>> loss_text("LM"), loss_text("loss (geometric mean)")
    ('information loss (LM)', 'loss (geometric mean)')
    """
    name = shortened(metric, 60)
    return name if "loss" in name.lower() else f"information loss ({name})"


def data(rows: Sequence[Mapping[str, object]]) -> Spec:
    """Give the data of a specification."""
    return {"values": list(rows)}


def mark(kind: str, **settings: object) -> Spec:
    """Give a mark that no reader of a screen meets: beside the mark that has the figures, it only helps the eye."""
    return {"type": kind, "aria": False, **settings}


def described(kind: str, **settings: object) -> Spec:
    """Give a mark whose figures are in `tip`: read aloud, and shown where a pointer or the keyboard is on it."""
    return {"type": kind, "ariaRoleDescription": "figure", **settings}


def nominal(field: str, **settings: object) -> Spec:
    """Give a channel of labels, which have no order of their own."""
    return {"field": field, "type": "nominal", **settings}


def quantity(field: str, **settings: object) -> Spec:
    """Give a channel of numbers."""
    return {"field": field, "type": "quantitative", **settings}


TIP: Spec = {"field": "tip", "type": "nominal"}
"""The channel `description` of marks that are `described`."""
