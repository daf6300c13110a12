"""The parts of a report as dataclasses: counts, names, released labels; never a value of the source.

A section of a report: sentences, charts and tables, which pages and terminals show alike.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import Chart  # noqa: TC001  the type of a field
from kanon_sql.base.documents.shown import ShownTable
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.evidence.explanation.explanation import BestOfK, Explanation


NULL = "NULL"
"""The text of a released NULL."""
STEP = 0.05
"""The width of the bands in which classes are counted by distance and by share."""


LEAST_RISE = 1e-6
"""The least rise of a correlation, in bits per row; a smaller rise is rounding."""


class ReportOf(StrEnum):
    """The subject of a report: the rows that a plan would release, or a release."""

    PLAN = "plan"
    RELEASE = "release"


class Section(StrEnum):
    """The sections of measurements that can be missing, by their names in `left_out`."""

    MODELS = "models"
    RISK_BEFORE = "risk before"
    UTILITY = "utility"
    DISTRIBUTIONS = "distributions before"
    SENSITIVE = "sensitive values"
    CORRELATIONS = "correlations"
    BOXES = "two dimensions"
    TREES = "hierarchies"
    SEARCH = "search"
    LATTICE = "lattice"
    SMALL_TABLES = "small tables"


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A requirement of a privacy model: its measure, the columns it is counted over, bound and count.

    `found` and `holds` are None if it could not be counted.
    """

    model: str
    measure: str
    over: tuple[str, ...]
    at_most: bool
    required: float
    found: float | None
    holds: bool | None


@dataclass(frozen=True, slots=True)
class LabelRows:
    """A released label and its number of rows, and `before` the source's rows under it, if known.

    `text` is None for a released NULL. `own` is true if the label is a value of the source; None if it was not read.
    """

    text: str | None
    rows: int
    before: int | None = None
    own: bool | None = None


@dataclass(frozen=True, slots=True)
class ReportedColumn:
    """One quasi-identifier of a release: its labels with most rows, and its number of labels."""

    name: str
    recoded: str
    labels: tuple[LabelRows, ...]
    distinct: int
    distinct_before: int | None

    @property
    def other_labels(self) -> int:
        """The number of labels that are not listed."""
        return self.distinct - len(self.labels)


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """The classes in one band, which begins at `least`; `rows` counts their rows with a value."""

    least: float
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class SensitiveSpread:
    """Counts of classes by the distribution of a sensitive column's values in them.

    `distances` are by the distance of a class's distribution from that of the whole release (t-closeness with equal
    distance), `shares` by the share of its most frequent value, `distinct` by its number of distinct values, where the
    last band has that many or more. NULL is no value.
    """

    column: str
    distances: tuple[ClassSpread, ...]
    shares: tuple[ClassSpread, ...]
    distinct: tuple[ClassSpread, ...]
    largest_distance: float
    largest_share: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """The mutual information of two quasi-identifiers, in bits per row, in the source and in the release."""

    one: str
    other: str
    before: float
    after: float

    @property
    def rises(self) -> bool:
        """True if it is higher in the release than in the source, by more than rounding."""
        return self.after > self.before + LEAST_RISE


@dataclass(frozen=True, slots=True)
class LabelPair:
    """A pair of labels of two quasi-identifiers, and its number of released rows."""

    one: str | None
    other: str | None
    rows: int


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """The pairs of labels of two quasi-identifiers with most rows, and the number of all pairs."""

    columns: tuple[str, str]
    pairs: tuple[LabelPair, ...]
    all_pairs: int


@dataclass(frozen=True, slots=True)
class TreeLabel:
    """A node of a hierarchy, its parent `above` it, and the number of released rows under it."""

    level: int
    label: str
    above: str | None
    rows: int


@dataclass(frozen=True, slots=True)
class LabelTree:
    """The nodes of a hierarchy with released rows, from the released `level` up; `hidden` counts others."""

    column: str
    level: int
    height: int
    nodes: tuple[TreeLabel, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """The results under other limits: an explanation with nodes, and the best node for each other k."""

    explanation: Explanation
    of_k: tuple[BestOfK, ...] = ()


def label_text(key: str, parts: int) -> str | None:
    """Return the label of a class's key: two bounds are joined by `to`, and NULL is None.

    >>> label_text("v20-39", 1), label_text("", 1), label_text("v20|v39", 2), label_text("|", 2)
    ('20-39', None, '20 to 39', None)
    """
    if parts == 1:
        return key[1:] if key else None
    low, _, high = key.partition("|")
    if not low and not high:
        return None
    return f"{low[1:] or '…'} to {high[1:] or '…'}"


def node_text(label: object) -> str:
    """Return the text of a hierarchy's node, where NULL is a node like any other."""
    return NULL if label is None else str(label)


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One section: sentences, charts, and tables, in this order; `missing` says why some are missing."""

    id: str
    title: str
    sentences: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[ShownTable] = ()
    missing: str | None = None


def percent(share: float | None) -> str:
    """Format a share as a percentage; None is a dash.

    >>> percent(0.2), percent(0.01234), percent(0.00001), percent(None)
    ('20%', '1.23%', '<0.01%', '-')
    """
    if share is None:
        return "-"
    if 0 < share < 0.00005:
        return "<0.01%"
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def tables_of(section: ReportSection) -> Sequence[ShownTable]:
    """Return the tables of a section for readers without charts: its own, or else those of its charts."""
    return section.tables or [ShownTable(each.headings, each.rows) for each in section.charts]
