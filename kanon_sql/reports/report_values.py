"""What a report shows: figures, counts, names, and labels that are released; never a value of the source."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from kanon_sql.explanation.explanation import BestOfK, Explanation


NULL = "NULL"
"""How a released NULL is shown."""
STEP = 0.05
"""The step in which distances and shares of classes are counted."""


LEAST_RISE = 1e-6
"""Bits a row by which a correlation is higher in the release: less is rounding."""


class ReportOf(StrEnum):
    """What is reported: what a plan would release, or a release."""

    PLAN = "plan"
    RELEASE = "release"


class Section(StrEnum):
    """The sections of measured figures, by the names that `left_out` gives them."""

    MODELS = "models"
    RISK_BEFORE = "risk before"
    UTILITY = "utility"
    DISTRIBUTIONS = "distributions before"
    SENSITIVE = "sensitive values"
    CORRELATIONS = "correlations"
    BOXES = "two dimensions"
    TREES = "hierarchies"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A requirement of a privacy model: what is counted, over which columns, what is required, and what was found.

    `found` is None where it could not be counted; `holds` then is, too.
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
    """A released label and its rows; `before` are the rows of the source under it, where that is known.

    The `text` is None where NULL is released. It is the source's `own` where it is one of its values; None if the source
    was not read.
    """

    text: str | None
    rows: int
    before: int | None = None
    own: bool | None = None


@dataclass(frozen=True, slots=True)
class ReportedColumn:
    """One quasi-identifier of a release: its labels with most rows, and how many labels it has."""

    name: str
    recoded: str
    labels: tuple[LabelRows, ...]
    distinct: int
    distinct_before: int | None

    @property
    def other_labels(self) -> int:
        """How many labels are not listed."""
        return self.distinct - len(self.labels)


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """Classes whose values are distributed alike: from `least` on, in one step; of so many rows with a value."""

    least: float
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class SensitiveSpread:
    """How the values of a sensitive column are distributed in the classes, each step a count of classes.

    `distances` are by the distance of a class's distribution from that of the whole release (as t-closeness has it, with
    equal distance), `shares` by the share of its most frequent value, `distinct` by how many values it has, of which
    the last counts that many or more. NULL is no value.
    """

    column: str
    distances: tuple[ClassSpread, ...]
    shares: tuple[ClassSpread, ...]
    distinct: tuple[ClassSpread, ...]
    largest_distance: float
    largest_share: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """The mutual information of two quasi-identifiers, in bits a row, in the source and in the release."""

    one: str
    other: str
    before: float
    after: float

    @property
    def rises(self) -> bool:
        """Whether the release has more of it than its source, by more than the last digits of sums."""
        return self.after > self.before + LEAST_RISE


@dataclass(frozen=True, slots=True)
class LabelPair:
    """A pair of labels of two quasi-identifiers, and its released rows."""

    one: str | None
    other: str | None
    rows: int


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """The pairs of labels of two quasi-identifiers with most rows, of so many."""

    columns: tuple[str, str]
    pairs: tuple[LabelPair, ...]
    all_pairs: int


@dataclass(frozen=True, slots=True)
class TreeLabel:
    """A node of a hierarchy at one level, under the node `above` it, with the released rows under it."""

    level: int
    label: str
    above: str | None
    rows: int


@dataclass(frozen=True, slots=True)
class LabelTree:
    """The nodes of a hierarchy from the released level up that have released rows; of a level those with most."""

    column: str
    level: int
    height: int
    nodes: tuple[TreeLabel, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """What other limits would give: an explanation with the nodes of a picture, and the best node for each other k."""

    explanation: Explanation
    of_k: tuple[BestOfK, ...] = ()


def label_text(key: str, parts: int) -> str | None:
    """Give the label of a class's key; two bounds with `to` between, and None where NULL is released.

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
    """Give the label of a node of a hierarchy, in which NULL is a node as others are."""
    return NULL if label is None else str(label)
