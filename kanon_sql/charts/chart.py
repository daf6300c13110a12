"""A chart: its specification, a table of its numbers, its alternative text; parts of specifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import printable
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.charts.theme import Spec

LONGEST_LABEL = 36
"""The most characters of a label in a chart."""
LONGEST_TEXT = 200
"""The most characters of a label in the table beside a chart."""
WIDTH = 560
"""The width in pixels of the plot, between its axes, of a chart with one panel."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and the table of its numbers.

    `name` is the name of its file, `text` the alternative text. `spec` is a Vega-Lite specification with its data, whose
    colors are CSS variables; `rows` are the numbers that it draws, under their `headings`. The table's labels are
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
    r"""Cut a label to the `longest` number of characters, and escape characters that do not print.

    >>> shortened("a\nb"), shortened("abcdefgh", 5)
    ('a\\nb', 'abcd…')
    """
    text = printable(label[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _cell(value: object) -> object:
    return shortened(value, LONGEST_TEXT) if isinstance(value, str) else value


def told_apart(labels: Sequence[str], longest: int = LONGEST_LABEL) -> list[str]:
    """Cut labels, and number those that would then be equal: a chart draws equal labels as one bar.

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
    """Format a share, from 0 to 1, as a percentage.

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
    """Return the title of an axis of information loss, from the name of its metric.

    >>> loss_text("LM"), loss_text("loss (geometric mean)")
    ('information loss (LM)', 'loss (geometric mean)')
    """
    name = shortened(metric, 60)
    return name if "loss" in name.lower() else f"information loss ({name})"


def data(rows: Sequence[Mapping[str, object]]) -> Spec:
    """Return rows as the data of a specification."""
    return {"values": list(rows)}


def mark(kind: str, **settings: object) -> Spec:
    """Return a mark that screen readers skip, because another mark has the same numbers."""
    return {"type": kind, "aria": False, **settings}


def described(kind: str, **settings: object) -> Spec:
    """Return a mark whose field `tip` is read by screen readers, and shown on hover and keyboard focus."""
    return {"type": kind, "ariaRoleDescription": "figure", **settings}


def nominal(field: str, **settings: object) -> Spec:
    """Return a channel of labels."""
    return {"field": field, "type": "nominal", **settings}


def quantity(field: str, **settings: object) -> Spec:
    """Return a channel of numbers."""
    return {"field": field, "type": "quantitative", **settings}


TIP: Spec = {"field": "tip", "type": "nominal"}
"""The channel `description` of marks that are `described`."""
