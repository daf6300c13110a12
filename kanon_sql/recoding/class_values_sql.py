"""Statements for columns that are released as what the rows of their class have: a set of values, or one of them.

A class is the rows with equal labels, whatever level or interval gave each column its own. A column's values are looked
up among the released rows that are alike in the columns over which classes are counted together with it: where classes
are counted over several sets, in those that all its sets have. Hence what is released of any of these sets follows from
its labels, and a class over them is whole, or joined with another one.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies import value_axes
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.labels_sql import class_codes, quasi_columns
from kanon_sql.policy.hierarchies.order import Dates, Listed, OrderKind, Steps
from kanon_sql.policy.outputs import LABELS
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis, ReleasedValues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Policy

    TableNames = Callable[[str, int], exp.Table]


@dataclass(frozen=True, slots=True)
class ClassValues:
    """The columns that follow from the rows of a class: the `steps` that find their values, and what is staged of them.

    `columns` says where each column's value is found once the tables of `classes` are joined.
    """

    steps: tuple[Statement, ...] = ()
    classes: tuple[Mapping[str, object], ...] = ()
    columns: Mapping[str, exp.Column] = field(default_factory=dict)


def alike_in(policy: Policy, text: str) -> frozenset[str]:
    """Name the columns whose labels determine what is released of one: those of all sets that it is counted in."""
    every = frozenset(each.name for each in policy.quasi)
    sets = [frozenset(each.columns) or every for each in demands(policy.privacy)]
    return every.intersection(*(each for each in sets if text in each))


def values_of_classes(
    policy: Policy,
    staging: Mapping[str, object],
    released: Sequence[Released],
    named: TableNames,
    *,
    by_bytes: frozenset[str],
    floating: frozenset[str] = frozenset(),
    failing: exp.Table,
    moved: exp.Table | None,
    rows: int = 0,
) -> ClassValues:
    """Find what each class is released as, in the columns that follow from its rows.

    `staging` describes the staged rows, by which failing classes are left out here too. Texts stand `by_bytes`, values
    of other types in their own order, where a column states none. Steps of a `floating` column are of its type.
    """
    wanted = {each.name: n for n, each in enumerate(policy.quasi) if each.output.is_of_rows}
    if not wanted:
        return ClassValues()
    finder = _Finder(policy, released, staging, named, by_bytes, floating, failing, moved, rows)
    groups: dict[frozenset[str], list[int]] = {}
    for text, number in wanted.items():
        groups.setdefault(alike_in(policy, text), []).append(number)
    steps: list[Statement] = []
    classes: list[Mapping[str, object]] = []
    columns: dict[str, exp.Column] = {}
    for at, (alike, members) in enumerate(groups.items(), start=1):
        numbers, alias = named("class_numbers", at), f"n{at}"
        steps.append(finder.numbers(numbers, alike))
        made = {number: named("class_values", number + 1) for number in members}
        found = []
        for number in members:
            text = policy.quasi[number].name
            (kind,) = policy.quasi[number].output.parts
            of = f"v{number}"
            found.append(
                {"table": made[number], "alias": name(of), "region": column("region", of=of)}
            )
            columns[text] = column(kind, of=of)
        steps += finder.values(named("class_tuples", at), numbers, made)
        codes = [
            {**each, "of": column(f"class_{n}", of=alias)} for n, each in enumerate(finder.codes)
        ]
        joined = {"table": numbers, "alias": name(alias), "codes": codes, "found": found}
        classes.append({**joined, "region": column("region", of=alias)})
    return ClassValues(tuple(steps), tuple(classes), columns)


@dataclass(frozen=True, slots=True)
class _Finder:
    """Makes the statements of one release."""

    policy: Policy
    released: Sequence[Released]
    staging: Mapping[str, object]
    named: TableNames
    by_bytes: frozenset[str]
    floating: frozenset[str]
    failing: exp.Table
    moved: exp.Table | None
    rows: int

    @property
    def codes(self) -> list[dict[str, object]]:
        """Name what distinguishes the finest classes of the quasi-identifiers."""
        return class_codes(self.released[: len(self.policy.quasi)])

    @property
    def _kept_rows(self) -> dict[str, object]:
        return {
            "source": self.staging["source"],
            "joins": self.staging["joins"],
            "failing": self.failing,
            "suppressed_by": self.staging["codes"],
        }

    def numbers(self, table: exp.Table, alike: frozenset[str]) -> Statement:
        """Give each class over some columns a number, by their labels."""
        keys: list[dict[str, object]] = []
        for at, each in enumerate(self.released[: len(self.policy.quasi)]):
            if each.column.name not in alike:
                continue
            if self.moved is None:
                keys.append({"kind": "code", "as": name(f"class_{at}")})
                continue
            labelled = replace(each, column=replace(each.column, output=LABELS))
            (entry,) = quasi_columns(labelled, at, column(each.column.name, of="s"))
            keys.append({**entry, "as": name(f"label_{at}")})
        groups = len(self.codes) + sum(each["kind"] != "code" for each in keys)
        own = {
            "numbers": table,
            "moved": self.moved,
            "codes": self.codes,
            "keys": keys,
            "groups": [literal(n + 1) for n in range(groups)],
        }
        return Statement("recoding/class_numbers", {**own, **self._kept_rows}, scans=self.rows)

    def values(
        self, tuples: exp.Table, numbers: exp.Table, made: Mapping[int, exp.Table]
    ) -> Iterator[Statement]:
        """Count the values of some columns class by class, and make the tables of what each class is released as."""
        axes = []
        for number in made:
            steps, axis = self._axis(number)
            yield from steps
            axes.append((number, axis))
        yield Statement(
            "recoding/class_tuples",
            {
                "tuples": tuples,
                "numbers": numbers,
                "codes": self.codes,
                "places": [
                    {
                        "table": axis.table,
                        "alias": name(f"p{number}"),
                        "column": column(self.policy.quasi[number].name, of="s"),
                        "value": column("value", of=f"p{number}"),
                        "place": column("place", of=f"p{number}"),
                        "as": name(f"place_{number}"),
                    }
                    for number, axis in axes
                ],
                "groups": [literal(n + 1) for n in range(len(axes) + 1)],
                **self._kept_rows,
            },
            scans=self.rows,
        )
        for number, axis in axes:
            yield from self._cells(number, axis, tuples, made[number])

    def _cells(
        self, number: int, axis: LineAxis, tuples: exp.Table, found: exp.Table
    ) -> Iterator[Statement]:
        values, own = ReleasedValues(axis, axis.table, number), self.policy.quasi[number]
        return values.cells(found, tuples, own, lambda what: self.named(what, number + 1))

    def _axis(self, number: int) -> tuple[list[Statement], LineAxis]:
        """Give each value of a column its place: in its own order, or else by its bytes or its size."""
        own, source = self.policy.quasi[number], self.staging["source"]
        table, domain, units = (
            self.named(what, number + 1)
            for what in ("value_places", "present_values", "value_units")
        )
        line = LineAxis(table, 0, even=True)
        if own.order is None:
            leaves = {"places": table, "source": source, "column": column(own.name)}
            by_bytes = own.name in self.by_bytes
            made = Statement(
                "recoding/value_places", {**leaves, "by_bytes": by_bytes}, scans=self.rows
            )
            return [made], line
        of_domain = mapping_sql.domain(domain, source, own.name, rows=self.rows)  # type: ignore[arg-type]
        match own.order:
            case Dates() | Steps() as order:
                of_units = value_axes.units(units, domain, order)
                of_line = value_axes.unit_line(table, units, domain, order)
                half_open = isinstance(order, Steps)
                return [of_domain, of_units, of_line], replace(
                    line,
                    units=units,
                    half_open=half_open,
                    floating=half_open and own.name in self.floating,
                )
            case OrderKind() | Listed() as order:
                return [of_domain, value_axes.line(table, domain, order)], line
            case _:
                assert_never(own.order)
