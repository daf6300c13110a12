"""Statements that attack tables: they count what an intruder finds, or show a few of the values where asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.hierarchies.labels_sql import joins, quasi_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute


@dataclass(frozen=True, slots=True)
class LinkedTables:
    """Known records and a target, with the columns of both that link them.

    Candidates are rows of the target or, with an entity, its different persons.
    """

    known: exp.Table
    target: exp.Table
    columns: Sequence[str]
    entity: str | None = None

    @property
    def _leaves(self) -> dict[str, object]:
        return {
            "known": self.known,
            "target": self.target,
            "columns": [
                {"known": column(text, of="k"), "target": column(text, of="t")}
                for text in self.columns
            ],
            "entity": None if self.entity is None else column(self.entity, of="t"),
        }

    def count_candidates(self) -> Statement:
        """Count known records by how many candidates they have."""
        return Statement("attacks/count_candidates", self._leaves)

    def unique_records(self, most: int) -> Statement:
        """List the values of known records that have one candidate."""
        return Statement("attacks/unique_records", {**self._leaves, "most": most})


def raised_records(
    raised: exp.Table, known: exp.Table, released: Sequence[Released], kept: Sequence[str]
) -> Statement:
    """Make the table of known records as a release shows them; the columns `kept` are as they are."""
    columns = [
        each
        for at, one in enumerate(released)
        for each in quasi_columns(one, at, column(one.column.name, of="s"))
    ]
    plain = [{"from": column(text, of="s"), "as": name(text), "kind": "plain"} for text in kept]
    leaves = {"raised": raised, "known": known, "columns": [*columns, *plain]}
    return Statement("attacks/raised_records", {**leaves, "joins": joins(released)["joins"]})


@dataclass(frozen=True, slots=True)
class InferredValues:
    """A table whose classes are to give away a sensitive value, once so many other values are excluded."""

    table: exp.Table
    quasi: Sequence[str]
    sensitive: SensitiveAttribute
    excluding: int = 0

    @property
    def _leaves(self) -> dict[str, object]:
        return {
            "table": self.table,
            "quasi": [column(text, of="t") for text in self.quasi],
            "sensitive": column(self.sensitive.column, of="t"),
            "counts_null": self.sensitive.counts_null,
            "first": literal(self.excluding + 1),
        }

    def infer_values(self) -> Statement:
        """Count the classes and rows whose value is known for sure, and find the largest share of a value."""
        return Statement("attacks/infer_values", self._leaves)

    def exposed_classes(self, most: int) -> Statement:
        """List classes whose value is known for sure."""
        return Statement("attacks/exposed_classes", {**self._leaves, "most": most})


@dataclass(frozen=True, slots=True)
class ReleaseTables:
    """The scratch tables of one of two releases: its classes, and the rows of each of their sensitive values."""

    classes: exp.Table
    counts: exp.Table


def sensitive_values(
    values: exp.Table, release: exp.Table, quasi: Sequence[str], sensitive: SensitiveAttribute
) -> Statement:
    """Count the rows of each class of a release by their sensitive values."""
    leaves = {
        "values": values,
        "release": release,
        "key": _key(quasi),
        "sensitive": column(sensitive.column, of="t"),
    }
    return Statement("attacks/sensitive_values", leaves)


def classes_of_values(
    classes: exp.Table, values: exp.Table, sensitive: SensitiveAttribute
) -> Statement:
    """Count the rows and the different values of each class."""
    leaves = {"classes": classes, "values": values, "counts_null": sensitive.counts_null}
    return Statement("attacks/classes_of_values", leaves)


@dataclass(frozen=True, slots=True)
class Members:
    """Where the persons of a release are, with the columns that say their classes there."""

    table: exp.Table
    person: str
    quasi: Sequence[str]


def persons(
    named: exp.Table, members: Sequence[Members], releases: Sequence[ReleaseTables]
) -> Statement:
    """Find the class of each person in each of two releases."""
    described = [
        {
            "table": each.table,
            "person": column(each.person, of="t"),
            "key": _key(each.quasi),
            "classes": of.classes,
        }
        for each, of in zip(members, releases, strict=True)
    ]
    return Statement("attacks/persons", {"persons": named, "members": described})


def overlaps(named: exp.Table, persons_: exp.Table) -> Statement:
    """Count persons by their classes in both releases."""
    return Statement("attacks/overlaps", {"overlaps": named, "persons": persons_})


def candidate_values(
    candidates: exp.Table,
    overlaps_: exp.Table,
    releases: tuple[ReleaseTables, ReleaseTables],
    sensitive: SensitiveAttribute,
) -> Statement:
    """Find the values that persons of the same classes may have."""
    first, second = releases
    return Statement(
        "attacks/candidate_values",
        {
            "candidates": candidates,
            "overlaps": overlaps_,
            "first": first.counts,
            "second": second.counts,
            "releases": [
                _one_release(first, second, "first_class", "second_class"),
                _one_release(second, first, "second_class", "first_class"),
            ],
            "counts_null": sensitive.counts_null,
        },
    )


def _one_release(
    own: ReleaseTables, other: ReleaseTables, class_: str, other_class: str
) -> Mapping[str, object]:
    return {
        "class": name(class_),
        "other": name(other_class),
        "classes": own.classes,
        "counts": own.counts,
        "other_classes": other.classes,
        "other_counts": other.counts,
    }


def compose(
    overlaps_: exp.Table, candidates: exp.Table, releases: tuple[ReleaseTables, ReleaseTables]
) -> Statement:
    """Count the persons whom two releases give away together."""
    first, second = releases
    leaves = {"overlaps": overlaps_, "candidates": candidates}
    return Statement(
        "attacks/compose", {**leaves, "first": first.classes, "second": second.classes}
    )


def invariant_classes(classes: exp.Table) -> Statement:
    """Count the classes in which a value repeats, and the fewest values of a class."""
    return Statement("attacks/invariant_classes", {"classes": classes})


def exposed_persons(persons_: exp.Table, candidates: exp.Table, most: int) -> Statement:
    """List persons who have one value left."""
    leaves = {"persons": persons_, "candidates": candidates, "most": most}
    return Statement("attacks/exposed_persons", leaves)


def _key(quasi: Sequence[str]) -> list[exp.Column]:
    return [column(text, of="t") for text in quasi]
