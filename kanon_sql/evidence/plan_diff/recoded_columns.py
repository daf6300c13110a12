"""Describes how a plan recodes its rows and each column, as values that can be compared and as text.

One property of two plans side by side: a row of a comparison's tables, sentences and document.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kanon_sql.base.documents.text import apart, counted, decimal_text
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.registry import AVERAGE_RISK, HIGHEST_RISK, SHARE_ABOVE, UNIQUE_ROWS
from kanon_sql.policy.privacy.risks import STATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.policy.metrics.metric import QualityMetric

    Show = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class RiskRow:
    """A risk metric: its value `of` a plan, None if the plan states none, and its `text`."""

    metric: QualityMetric
    of: Callable[[Plan], float | None]
    text: Callable[[Plan], str]


def _highest(plan: Plan) -> str:
    """Format the prosecutor's highest risk as one over the smallest class, and in percent."""
    risk = plan.highest_risk
    return text_of(None if risk is None else f"1/{plan.smallest_class:,} ({risk:.2%})")


def _average(plan: Plan) -> float | None:
    return None if plan.risk is None else plan.risk.average


def _above(plan: Plan) -> float | None:
    if plan.risk is None:
        return None
    return plan.risk.rows_above.get(STATED, 0) / max(plan.released_rows, 1)


def _unique(plan: Plan) -> float | None:
    return None if plan.risk is None else plan.risk.unique_rows


def _share(of: Callable[[Plan], float | None]) -> Callable[[Plan], str]:
    """Return a function that formats the share `of` a plan in percent."""

    def text(plan: Plan) -> str:
        share = of(plan)
        return text_of(None if share is None else f"{share:.2%}")

    return text


RISKS = (
    RiskRow(HIGHEST_RISK, lambda plan: plan.highest_risk, _highest),
    RiskRow(AVERAGE_RISK, _average, _share(_average)),
    RiskRow(SHARE_ABOVE, _above, _share(_above)),
    RiskRow(UNIQUE_ROWS, _unique, lambda plan: text_of(_unique(plan))),
)


@dataclass(frozen=True, slots=True)
class ColumnRecoding:
    """How a plan recodes a column: at `levels` of its hierarchy, or in intervals that begin at `starts`.

    `mean` is the mean level over released rows, where a suppressed cell counts as the root. Regions have only a height.
    """

    levels: tuple[int, ...]
    height: int
    mean: Fraction | None = None
    suppressed_cells: int = 0
    starts: tuple[int, ...] = ()

    def change(self, new: ColumnRecoding) -> ChangeKind:
        """Compare this recoding with a `new` one under the same hierarchy: same, finer, coarser, or changed."""
        if self == new:
            return ChangeKind.SAME
        found = ChangeKind.SAME
        if self.starts and new.starts:
            ends = len(self.starts), len(new.starts)
            found = compared(*ends, ChangeKind.FINER, ChangeKind.COARSER)
        elif self.mean is not None and new.mean is not None:
            found = compared(self.mean, new.mean, ChangeKind.COARSER, ChangeKind.FINER)
        return ChangeKind.CHANGED if found is ChangeKind.SAME else found


def recoded_columns(plan: Plan) -> dict[str, ColumnRecoding]:
    """Return the recoding of each quasi-identifier by its name."""
    return dict(zip(plan.names, _recoded(plan), strict=True))


def _recoded(plan: Plan) -> Iterator[ColumnRecoding]:
    recoding, rows = plan.recoding, plan.source_rows - plan.suppressed_rows
    for at, height in enumerate(plan.heights.values()):
        levels = recoding.levels_of(at)
        if recoding.by_levels and not recoding.layers:  # not that of suppressed cells
            levels = (recoding.nodes[0].levels[at],)
        yield ColumnRecoding(
            levels,
            height,
            recoding.mean_level(at, height, rows),
            recoding.cells_of(at),
            recoding.starts_of(at),
        )


def column_text(each: ColumnRecoding | None) -> str | None:
    """Return a short text on a column's recoding; None if the column is not a quasi-identifier."""
    if each is None:
        return None
    if each.starts:
        return counted(len(each.starts), "interval")
    if not each.levels:
        return "in regions" if not each.height else f"in regions, hierarchy of {each.height}"
    if len(each.levels) == 1:
        cells = counted(each.suppressed_cells, "cell")
        more = f", {cells} suppressed" if each.suppressed_cells else ""
        return f"level {each.levels[0]} of {each.height}{more}"
    mean = "" if each.mean is None else f", {float(each.mean):.2f} on average"
    return f"levels {', '.join(map(str, each.levels))} of {each.height}{mean}"


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
