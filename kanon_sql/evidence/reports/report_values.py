"""The parts of a report as dataclasses, and the statements that count them: counts, names, labels; never a value of the source.

A report reaches more people than its release: it is attached to files, mailed, and kept. For a label that is a value
of the source, which the release itself contains, it shows the number of rows, and a number in place of the value. A
section has sentences, charts and tables, which pages and terminals show alike.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import Chart  # noqa: TC001  the type of a field
from kanon_sql.base.documents.shown import ShownTable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.engines.base import whole
from kanon_sql.evidence.release_quality.small_tables import OTHER, hidden_text, with_numbers
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.evidence.explanation.explanation import BestOfK, Explanation
    from kanon_sql.evidence.reports.report import Report


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


UNANSWERED = (
    (
        "Is each column needed?",
        "No figure says whether the purpose needs each released column; a column that is left out has no risk.",
    ),
    (
        "Would a motivated intruder find somebody?",
        (
            "People test that (ICO), with what they find elsewhere. The risks here follow from counts; kanon-sql attack "
            "measures attacks with a table of people."
        ),
    ),
    (
        "Singling out, linkability, inference (WP216)",
        (
            "Singling out: “Re-identification risk”, and the rows that are unique by all columns. Inference: “Sensitive values "
            "in the classes”. Linkability with other data is not measured: see “Limits”."
        ),
    ),
    (
        "The context (ISO/IEC 27559)",
        "Who holds the release, behind which safeguards, and what they know of these people, is known to those who decide.",
    ),
    (
        "Other releases of the same people",
        "Those that the first screen does not name are known to those who publish alone. kanon-sql attack measures two of them together.",
    ),
)
"""What whoever decides asks, and no count of this release can answer."""


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
    of_class: bool = False
    """Whether cells of a column follow from the rows of their class, so that as few pairs occur as there are classes."""

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


RANGE = re.compile(r"[\[(](.+), (.+)[\])]", re.DOTALL)
BOUNDS = re.compile(r"(.+) to (.+)", re.DOTALL)
"""The patterns of an interval's label: one column, and two columns of bounds joined by `to`."""


def without_values(report: Report) -> Report:
    """Replace labels that are values of the source by "hidden #1", "hidden #2", ..., most frequent first.

    If the source was not read, a label is taken for a value if its column has rows at level 0, or in a recoding without
    levels if it has not two different ends.
    """
    hidden: dict[str, dict[str | None, str]] = {}
    for at, reported in enumerate(report.columns):
        own = [
            _may_be_own(report, at, each.text) if each.own is None else each.own
            for each in reported.labels
        ]
        if any(own):
            known = [
                (each.text, is_own)
                for each, is_own in zip(reported.labels, own, strict=True)
                if each.text is not None
            ]
            hidden[reported.name] = {
                text: hidden_text(n) if is_own else text
                for n, (text, is_own) in enumerate(known, start=1)
            }

    listed = {each.name: {node_text(of.text) for of in each.labels} for each in report.columns}
    numbers = {each.name: at for at, each in enumerate(report.columns)}

    def numbered(column: str, text: str | None) -> str | None:
        """Return a label, or the text in place of a value. A label that is not listed is judged by the plan."""
        if text is None:
            return None
        if column in hidden:
            return hidden[column].get(text, OTHER)
        unlisted = text not in listed[column]
        return OTHER if unlisted and _may_be_own(report, numbers[column], text) else text

    def renamed(column: str, label: LabelRows) -> LabelRows:
        text = numbered(column, label.text)
        return replace(label, text=text, own=text != label.text)

    pairs = report.pairs
    if pairs is not None:
        one, other = pairs.columns
        of_pairs = (
            replace(each, one=numbered(one, each.one), other=numbered(other, each.other))
            for each in pairs.pairs
        )
        pairs = replace(pairs, pairs=tuple(of_pairs))
    columns = (
        replace(each, labels=tuple(renamed(each.name, label) for label in each.labels))
        for each in report.columns
    )
    small = with_numbers(report.small, hidden)
    trees = (
        _without_values_of_a_tree(each, listed[each.column], hidden.get(each.column, {}))
        for each in report.trees
    )
    return replace(report, columns=tuple(columns), pairs=pairs, trees=tuple(trees), small=small)


def _without_values_of_a_tree(
    tree: LabelTree, listed: set[str], hidden: dict[str | None, str]
) -> LabelTree:
    """Replace the labels of a tree that are values of the source, at all levels at which they are alone.

    A label at the released level that is not `listed` may be a value, and is left out.
    """
    nodes = [
        replace(
            each,
            label=hidden.get(each.label, each.label),
            above=hidden.get(each.above, each.above),
        )
        for each in tree.nodes
        if each.level > tree.level or each.label in listed
    ]
    return replace(tree, nodes=tuple(nodes), hidden=tree.hidden + len(tree.nodes) - len(nodes))


def _may_be_own(report: Report, at: int, text: str | None) -> bool:
    """Return True if a label may be a value of the source, as far as plan and policy show it."""
    recoding = report.plan.recoding
    if recoding.nodes:
        return 0 in levels_used(recoding, at)
    form = BOUNDS if len(report.policy.quasi[at].released_as) > 1 else RANGE
    ends = form.fullmatch(text or "")
    return ends is None or ends[1] == ends[2]


STEPS, MOST_DISTINCT = round(1 / STEP), 20
"""The number of bands of distances and shares; the number of values from which classes share a band."""


def sensitive_spreads(run: Session, released: exp.Table, keys: Keys) -> tuple[SensitiveSpread, ...]:
    """Count the classes by the distribution of each sensitive column's values: one GROUP BY of the release each."""
    found = []
    for each in run.policy.with_role(Role.SENSITIVE):
        values = run.scratch.create("class_values", class_values, released, keys, each.name)
        statement = value_distances(values, keys, steps=STEPS, most=MOST_DISTINCT)
        rows = run.engine.fetch(statement)
        run.scratch.drop(values)
        if rows:
            counted = [tuple(map(whole, row[:5])) for row in rows]
            found.append(
                SensitiveSpread(
                    each.name,
                    _spread(counted, 0, STEPS),
                    _spread(counted, 1, STEPS),
                    _spread(counted, 2, 1),
                    max(float(str(row[5])) for row in rows),
                    max(float(str(row[6])) for row in rows),
                )
            )
    return tuple(found)


def _spread(rows: Sequence[tuple[int, ...]], at: int, steps: int) -> tuple[ClassSpread, ...]:
    """Sum classes and rows by the band in column `at`, where a band is 1/`steps` wide."""
    found: dict[int, tuple[int, int]] = {}
    for row in rows:
        classes, of_rows = found.get(row[at], (0, 0))
        found[row[at]] = classes + row[3], of_rows + row[4]
    return tuple(ClassSpread(step / steps, *counts) for step, counts in sorted(found.items()))


Keys = tuple[tuple[str, ...], ...]
"""The columns of each quasi-identifier: one, or two bounds."""


def classes(
    named: exp.Table, of: exp.Table, keys: Keys, *, entity: str | None = None, rows: int = 0
) -> Statement:
    """Create the table of classes, with their rows and their size; `key_0` and so on are the texts of their labels."""
    numbered = iter(range(sum(map(len, keys))))
    parts = [[column(f"part_{next(numbered)}", of="c") for _ in each] for each in keys]
    return Statement(
        "reports/classes",
        {
            "classes": named,
            "table": of,
            "columns": _columns(keys),
            "entity": None if entity is None else column(entity, of="t"),
            "keys": [{"parts": each} for each in parts],
        },
        scans=rows,
    )


def class_sizes(of: exp.Table) -> Statement:
    """Count the classes of each size and number of rows, of a table of classes."""
    leaves = {"classes": of, "table": of, "columns": (), "entity": None}
    return Statement("reports/class_sizes", leaves)


def class_sizes_of_rows(
    of: exp.Table, keys: Keys, *, entity: str | None = None, rows: int = 0
) -> Statement:
    """Count the classes of each size and number of rows, of the rows of a table: it makes no table of them."""
    leaves = {"classes": None, "table": of, "columns": _columns(keys)}
    who = None if entity is None else column(entity, of="t")
    return Statement("reports/class_sizes", {**leaves, "entity": who}, scans=rows)


def removed_rows(of: exp.Table, keys: Keys, quasi: Sequence[int]) -> Statement:
    """Sum the rows of the classes in which one of the columns `quasi`, by their numbers, shows nothing but `*`."""
    columns = [{"number": n, "label": literal("|".join(["v"] * len(keys[n])))} for n in quasi]
    leaves = {"classes": of, "columns": columns, "sign": literal(ROOT), "nothing": literal("")}
    return Statement("reports/removed_rows", leaves)


def label_rows(
    of: exp.Table,
    labels: Sequence[exp.Table | None],
    domains: Sequence[exp.Table | None],
    keys: Keys,
    *,
    most: int,
) -> Statement:
    """Count the rows of the labels of each column, and those of the source under them, where a table has these.

    Where the domain of a column is given, a label that is one of its values is marked.
    """
    columns = [
        {
            "number": n,
            "labels": each,
            "domain": domain,
            "parts": [column("value", of="d")] * len(parts),
        }
        for n, (each, domain, parts) in enumerate(zip(labels, domains, keys, strict=True))
    ]
    return Statement("reports/label_rows", {"classes": of, "columns": columns, "most": most})


def value_rows(named: exp.Table, values: exp.Table, domain: exp.Table) -> Statement:
    """Create the table of a source's rows under each released value, by the `values` that it stands for."""
    return Statement("reports/value_rows", {"labels": named, "values": values, "domain": domain})


def class_values(
    named: exp.Table, of: exp.Table, keys: Keys, value: str, *, rows: int = 0
) -> Statement:
    """Create the table of the values of a sensitive column in each class."""
    leaves = {"values": named, "table": of, "columns": _columns(keys)}
    return Statement("reports/class_values", {**leaves, "value": column(value, of="t")}, scans=rows)


def value_distances(values: exp.Table, keys: Keys, *, steps: int, most: int) -> Statement:
    """Count the classes by how their values are distributed."""
    columns = range(sum(map(len, keys)))
    leaves = {"values": values, "columns": columns, "steps": steps, "most": most}
    return Statement("reports/value_distances", leaves)


def pair_entropies(of: exp.Table, pairs: Sequence[tuple[int, int]]) -> Statement:
    """Sum over the pairs of two columns' values their rows times the logarithm of these."""
    described = [{"number": n, "one": a, "other": b} for n, (a, b) in enumerate(pairs)]
    return Statement("reports/pair_entropies", {"classes": of, "pairs": described})


def coded_entropies(coded: exp.Table, columns: int) -> Statement:
    """Sum up as `pair_entropies`, from a table of `pairs_of_codes`, over every two of the first columns."""
    return Statement("reports/coded_entropies", {"coded": coded, "columns": columns})


def label_pairs(of: exp.Table, one: int, other: int, *, most: int) -> Statement:
    """Count the rows of the pairs of two columns' labels."""
    return Statement(
        "reports/label_pairs", {"classes": of, "one": one, "other": other, "most": most}
    )


def label_tree(
    of: exp.Table, quasi: int, paths: exp.Table, *, finest: int, height: int, most: int
) -> Statement:
    """List the nodes of a hierarchy that have released rows under them, from the finest released level up."""
    return Statement(
        "reports/label_tree",
        {
            "classes": of,
            "quasi": quasi,
            "paths": paths,
            "finest": finest,
            "levels": range(finest, height + 1),
            "height": height,
            "most": most,
        },
    )


def _columns(keys: Keys) -> list[exp.Column]:
    return [column(text, of="t") for parts in keys for text in parts]
