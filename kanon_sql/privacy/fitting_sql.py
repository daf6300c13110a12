"""When a class fits, as leaves for the fragments of the models; and what fits of a table, or does not.

A channel says where it finds what is counted (`ClassRows`); what is counted and when it fits is the models'.
A release may keep the greatest set of rows in which every class, over each set, is as large and
as diverse as required. It is found by suppressing the rows of classes that fall short
again and again until none does: a suppressed row can be in no such set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.privacy.demands import sensitive_attributes
from kanon_sql.privacy.privacy_model import Distribution
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.privacy.privacy_model import Measure, Requirement, SensitiveAttribute


@dataclass(frozen=True, slots=True)
class KeyPart:
    """A column, or the bits of one, that tells the classes of a set apart."""

    column: exp.Expr
    named: exp.Identifier
    mask: exp.Expr | None = None
    bytes: bool = False


@dataclass(frozen=True, slots=True)
class TableValues:
    """Where the values of a sensitive attribute are counted over all rows of a table.

    `counted` tables hold the counts already; others have a row each, or one of so many as `weighted` says.
    """

    table: exp.Table
    own: exp.Expr
    weighted: bool = False
    counted: bool = False

    def leaves(self, attribute: SensitiveAttribute) -> dict[str, object]:
        """Give it as templates read it."""
        return {
            "table": self.table,
            "own": self.own,
            "weighted": self.weighted,
            "counted": self.counted,
            "counts_null": attribute.counts_null,
        }


@dataclass(frozen=True, slots=True)
class ClassRows:
    """The rows that classes are counted of: where their entities and values are.

    A row is `weighted` where it stands for `row_count` rows, by an `alias` where another column could be called
    so; values that are `coded` are NULL only where NULL does not count, and `once` says that a class has each in
    one row. `of_table` says where the whole table's values are, for models that compare with them.
    """

    entity: exp.Expr | None
    value: Callable[[SensitiveAttribute], exp.Expr]
    weighted: bool = True
    coded: bool = False
    once: bool = False
    alias: exp.Identifier | None = None
    of_table: Callable[[SensitiveAttribute], TableValues] | None = None

    def requirement(self, required: Requirement, number: int = 0) -> dict[str, object]:
        """Give a requirement as the fragments read it; `number` is that of its attribute."""
        return {**self.measure(required.measure, number), "bound": literal(required.bound)}

    def measure(self, measure: Measure, number: int = 0) -> dict[str, object]:
        """Give what is counted as the fragments read it."""
        attribute = measure.sensitive
        return {
            "fragment": f"sql/privacy/part/{measure.fragment}.sql.j2",
            "of": self.entity if attribute is None else self.value(attribute),
            "at_most": measure.at_most,
            "once": self.once,
            "weighted": self.weighted,
            "alias": self.alias,
            "counts_null": self._counts_null(attribute),
            **_counts(number),
        }

    def requirements(self, required: Sequence[Requirement]) -> list[dict[str, object]]:
        """Give requirements as the fragments read them."""
        weighed = [*weighed_attributes(required)]
        return [
            self.requirement(
                each,
                weighed.index(each.measure.sensitive) if each.measure.sensitive in weighed else 0,
            )
            for each in required
        ]

    def rows(
        self,
        required: Sequence[Requirement],
        table: exp.Table | None,
        keys: Sequence[KeyPart],
        value: Callable[[SensitiveAttribute], exp.Expr],
    ) -> dict[str, object]:
        """Give the rows r of a table, with the counts of values that requirements weigh."""
        return {
            "table": table,
            "weighted": self.weighted,
            "class_keys": [{"column": k.column, "mask": k.mask, "bytes": k.bytes} for k in keys],
            "attributes": [
                self._attribute(each, number, value(each))
                for number, each in enumerate(weighed_attributes(required))
            ],
        }

    def _counts_null(self, attribute: SensitiveAttribute | None) -> bool:
        return attribute is not None and attribute.counts_null and not self.coded

    def _attribute(
        self, attribute: SensitiveAttribute, number: int, value: exp.Expr
    ) -> dict[str, object]:
        if self.of_table is None:
            raise InternalError(f"nothing says how often {attribute.column} has its values")
        alias = f"w{number}"
        return {
            **self.of_table(attribute).leaves(attribute),
            **_counts(number),
            "value": value,
            "counts_null": self._counts_null(attribute),
            "alias": name(alias),
            "found": column("value", of=alias),
        }


def _counts(number: int) -> dict[str, object]:
    """Name the counts of the values of an attribute."""
    texts = ("in_class", "of_class", "in_table", "of_table")
    return {text: name(f"kanon_{text}_{number}") for text in texts}


def weighed_attributes(required: Sequence[Requirement]) -> tuple[SensitiveAttribute, ...]:
    """Give the attributes whose values are counted one by one, and not only as distinct values."""
    weighed = [each for each in required if each.measure.distribution is not Distribution.NONE]
    return sensitive_attributes(weighed)


@dataclass(frozen=True, slots=True)
class FittingSet:
    """One set of columns, what its classes must reach, and where that is counted."""

    parts: Sequence[KeyPart]
    required: Sequence[Requirement]
    rows: ClassRows

    def leaves(self, table: exp.Table) -> dict[str, object]:
        """Give it as templates read it, for the rows of a table."""
        return {
            "parts": [{"column": p.column, "mask": p.mask, "as": p.named} for p in self.parts],
            "groups": [literal(n + 1) for n in range(len(self.parts))],
            "requirements": self.rows.requirements(self.required),
            "rows": self.rows.rows(self.required, table, self.parts, self.rows.value),
        }


def fitting(after: exp.Table, before: exp.Table, sets: Sequence[FittingSet]) -> Statement:
    """Make the table of the rows that fit; each set's classes are those of the table before."""
    described = [each.leaves(before) for each in sets]
    return Statement("privacy/fitting", {"fitting": after, "before": before, "sets": described})


def rest(after: exp.Table, before: exp.Table, of: FittingSet, *, rows: int = 0) -> Statement:
    """Make the table of the rows whose class, by these parts, does not fit."""
    leaves = {"rest": after, "before": before, **of.leaves(before)}
    return Statement("privacy/rest", leaves, scans=rows)


def whole(table: exp.Table, required: Sequence[Requirement], where: ClassRows) -> Statement:
    """Count all rows of a table as one class."""
    one = [KeyPart(literal(0), name("one"))]
    rows = where.rows(required, table, one, where.value)
    return Statement("privacy/whole", {"requirements": where.requirements(required), "rows": rows})


def table_values(
    required: Sequence[Requirement],
    named: Callable[[], exp.Table],
    of_table: Callable[[SensitiveAttribute], TableValues],
) -> Iterator[tuple[SensitiveAttribute, TableValues, Statement]]:
    """Make tables of the counts of all values that requirements compare a class with."""
    for each in weighed_attributes(required):
        values = named()
        leaves = {"values": values, "attribute": of_table(each).leaves(each)}
        found = TableValues(values, column("value"), counted=True)
        yield each, found, Statement("privacy/table_values", leaves)
