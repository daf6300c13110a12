"""When a class fits, as leaves for the fragments of the models; and what fits of a table, or does not.

A channel says where it finds what is counted (`ClassRows`); what is counted and when it fits is the models'.
A release may keep the greatest set of rows in which every class, over each set, is as large and
as diverse as required. It is found by suppressing the rows of classes that fall short
again and again until none does: a suppressed row can be in no such set. Where a model weighs values another order
could leave other rows, as fewer rows may fit where more did not; all that fall short go in one pass, everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from sqlglot import exp

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.order import EXACT_UNIT, Dates, Listed, OrderKind, Steps
from kanon_sql.policy.privacy.privacy_model import Distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kanon_sql.policy.hierarchies.order import Order
    from kanon_sql.policy.privacy.privacy_model import (
        Measure,
        Reference,
        Requirement,
        SensitiveAttribute,
    )


MOST_STEPS = 32
"""Values of an ordered attribute up to which a distance is summed value by value: beyond, from one value of a class to
the next, which takes windows and a join."""

BY_STEPS = "sql/privacy/sums/part/moved_rows_by_steps.sql.j2"
COUNTS = (
    "in_class", "of_class", "in_table", "of_table", "in_all", "rank", "place", "sum_before", "sum_of_all",
    "running", "next_place", "next_sum", "cross_place", "cross_sum", "moved",
)  # fmt: skip
"""What is counted of each value of a class, as fragments name it."""


@dataclass(frozen=True, slots=True)
class ValueNodes:
    """The nodes above each value of a sensitive attribute: columns `level_1` to `level_<height>`, the root.

    `digest` is that of the hierarchy.
    """

    table: exp.Table
    height: int
    digest: str = ""

    @property
    def labels(self) -> list[exp.Identifier]:
        """Name the columns of all levels."""
        return [name(f"level_{n}") for n in range(1, self.height + 1)]


@dataclass(frozen=True, slots=True)
class KeyPart:
    """A column, or the bits of one, that tells the classes of a set apart."""

    column: exp.Expr
    named: exp.Identifier
    mask: exp.Expr | None = None
    bytes: bool = False

    @property
    def own(self) -> exp.Expr:
        """Give the column of its name in a table t, or what is one for all rows."""
        constant = isinstance(self.column, exp.Literal)
        return self.column if constant else column(self.named.name, of="t")


@dataclass(frozen=True, slots=True)
class TableValues:
    """Where the values of a sensitive attribute are counted over all rows of a table.

    `counted` tables hold the counts already; others have a row each, or one of so many as `weighted` says. The `steps` are
    the rows up to each value in its order, where these are known, and few.
    Values that are `coded` are numbers in their order. `nodes` are those above values that are in a tree. With an
    `entity` each value is counted once for each of its entities.
    """

    table: exp.Table
    own: exp.Expr
    weighted: bool = False
    counted: bool = False
    coded: bool = False
    nodes: ValueNodes | None = None
    entity: exp.Expr | None = None
    steps: tuple[int, ...] = ()

    def leaves(self, attribute: SensitiveAttribute) -> dict[str, object]:
        """Give it as templates read it."""
        nodes = self.nodes
        return {
            "crossed": attribute.order is not None and not self.steps,
            "nodes": None if nodes is None else nodes.table,
            "joined": column("value", of="n"),
            "top": None if nodes is None else name(f"level_{nodes.height}"),
            "levels": () if nodes is None else _levels(0, nodes.height),
            "table": self.table,
            "own": self.own,
            "weighted": self.weighted,
            "counted": self.counted,
            "entity": self.entity,
            "counts_null": attribute.counts_null,
            "order": None
            if attribute.order is None
            else order_leaves(attribute.order, self.own, coded=self.coded),
        }


def order_leaves(order: Order, value: exp.Expr, *, coded: bool = False) -> dict[str, object]:
    """Give the order of values as templates read it; none is needed for codes that are in order."""
    listed: Sequence[str] = ()
    match order:
        case Listed(values=values):
            kind, listed = OrderKind.LIST, values
        case OrderKind():
            kind = order
        case Steps():
            kind = OrderKind.NUMBER
        case Dates():
            kind = OrderKind.DATE
        case _:
            assert_never(order)
    return {
        "value": value,
        "kind": None if coded else kind.value,
        "unit": literal(EXACT_UNIT),
        "listed": [literal(text) for text in listed],
    }


@dataclass(frozen=True, slots=True)
class Weighed:
    """A sensitive attribute whose values are counted one by one, and the table that they are compared with.

    With `reference` None they are compared with no table. `ranked` values are numbered, the most frequent first. Where
    entities are counted, so are those that have any value, `of_persons`.
    """

    attribute: SensitiveAttribute
    reference: Reference | None
    ranked: bool
    of_persons: bool


def weighed_attributes(required: Sequence[Requirement]) -> tuple[Weighed, ...]:
    """Give the attributes whose values are counted one by one, and not only as distinct values.

    One that is compared with a table is counted for the measures that compare it with none, too.
    """
    measures = [r.measure for r in required if r.measure.distribution is not Distribution.NONE]
    compared = dict.fromkeys((m.sensitive, m.reference) for m in measures if m.reference)
    alone = dict.fromkeys((m.sensitive, m.reference) for m in measures if not m.reference)
    pairs = [*compared, *(p for p in alone if all(p[0] != each for each, _ in compared))]
    ranked = {m.sensitive for m in measures if m.distribution is Distribution.RANKED}
    of_persons = {m.sensitive for m in measures if m.of_persons}
    return tuple(
        Weighed(attribute, reference, attribute in ranked, attribute in of_persons)
        for attribute, reference in pairs
        if attribute is not None
    )


def _number_of(measure: Measure, weighed: Sequence[Weighed]) -> int:
    """Find the number of the attribute that a measure reads among those whose values are counted."""
    for number, each in enumerate(weighed):
        if each.attribute == measure.sensitive and measure.reference in {None, each.reference}:
            return number
    return 0


@dataclass(frozen=True, slots=True)
class ClassPopulation:
    """The rows of a population that classes are compared with, distinguished by columns of the same names.

    A row is `weighted` where it stands for `row_count` rows. Where the rows that are counted are a release, `classes`
    has all classes of the source, and `source` all its rows.
    """

    table: exp.Table
    weighted: bool = False
    classes: exp.Table | None = None
    source: exp.Table | None = None


@dataclass(frozen=True, slots=True)
class ClassRows:
    """The rows that classes are counted of: where their entities and values are.

    With an `entity`, models that weigh values count each once for each of its entities, however many rows that has.
    A row is `weighted` where it stands for `row_count` rows, by an `alias` where another column could be called
    so; values that are `coded` are NULL only where NULL does not count, and `once` says that a class has each in
    one row. `of_table` says where the values of a whole table are, for models that compare with them: of the source,
    or of the release; `population` is where the rows of a population are.
    """

    entity: exp.Expr | None
    value: Callable[[SensitiveAttribute], exp.Expr]
    weighted: bool = True
    coded: bool = False
    once: bool = False
    alias: exp.Identifier | None = None
    of_table: Callable[[SensitiveAttribute, Reference], TableValues] | None = None
    population: ClassPopulation | None = None

    def requirement(self, required: Requirement, number: int = 0) -> dict[str, object]:
        """Give a requirement as the fragments read it; `number` is that of its attribute."""
        return {**self.measure(required.measure, number), "bound": literal(required.bound)}

    def measure(self, measure: Measure, number: int = 0) -> dict[str, object]:
        """Give what is counted as the fragments read it."""
        attribute = measure.sensitive
        return {
            "fragment": _part("measures", measure.fragment),
            "lost": _part("measures", measure.lost),
            "numerator": _part("sums", measure.numerator),
            "denominator": _part("sums", measure.denominator),
            "of": self.entity if attribute is None else self.value(attribute),
            "at_most": measure.at_most,
            "base": None,
            "once": self.once,
            "weighted": self.weighted,
            "alias": self.alias,
            "counts_null": self._counts_null(attribute),
            "beside": False,
            **_IN_POPULATION,
            **{text: literal(value) for text, value in measure.numbers.items()},
            **_counts(number),
            **(_counts_of_persons(number) if measure.of_persons and self.entity else {}),
            **self._tree(measure, number),
            **self._steps(measure),
        }

    def _steps(self, measure: Measure) -> dict[str, object]:
        """Give the rows of the table before each place of an order, where these are known; with them the sum is a plain one."""
        attribute, reference = measure.sensitive, measure.reference
        if measure.distribution is not Distribution.IN_ORDER or attribute is None:
            return {}
        steps = self.of_table(attribute, reference).steps if self.of_table and reference else ()
        if not steps:
            return {}
        before = [
            {"place": literal(place), "rows": literal(rows)}
            for place, rows in enumerate(steps[:-1], start=1)
        ]
        return {"numerator": BY_STEPS, "steps": before}

    def _tree(self, measure: Measure, number: int) -> dict[str, object]:
        """Describe the nodes above the values that a measure counts, if it reads them."""
        attribute, reference = measure.sensitive, measure.reference
        if measure.distribution is not Distribution.IN_TREE or attribute is None:
            return {}
        if self.of_table is None or reference is None:
            raise InternalError(
                f"nothing says what nodes are above the values of {attribute.column}"
            )
        nodes = self.of_table(attribute, reference).nodes
        if nodes is None:
            raise InternalError(
                f"nothing says what nodes are above the values of {attribute.column}"
            )
        return {"levels": _levels(number, nodes.height), "height": literal(nodes.height)}

    def requirements(self, required: Sequence[Requirement]) -> list[dict[str, object]]:
        """Give requirements as the fragments read them."""
        weighed = weighed_attributes(required)
        return [self.requirement(each, _number_of(each.measure, weighed)) for each in required]

    def weighed(
        self,
        required: Sequence[Requirement],
        value: Callable[[SensitiveAttribute], exp.Expr],
    ) -> list[dict[str, object]]:
        """Give the attributes whose values requirements weigh, each with the names of its counts."""
        return [
            self._attribute(each, n, value(each.attribute))
            for n, each in enumerate(weighed_attributes(required))
        ]

    def rows(
        self,
        required: Sequence[Requirement],
        table: exp.Table | None,
        keys: Sequence[KeyPart],
        value: Callable[[SensitiveAttribute], exp.Expr],
        *,
        inner: str | None = None,
    ) -> dict[str, object]:
        """Give the rows r of a table, or of the `inner` template, with the counts of values that requirements weigh."""
        weighed, attributes = weighed_attributes(required), self.weighed(required, value)
        return {
            "entity": column(self.entity.name, of="r") if weighed and self.entity else None,
            "table": table,
            "inner": inner,
            "weighted": self.weighted,
            "once": self.once,
            "ranked": any(each.ranked for each in weighed),
            "placed": any(each["crossed"] for each in attributes),
            "in_tree": any(each.attribute.in_tree for each in weighed),
            "population": self._population(required, table, keys),
            "class_keys": [{"column": k.column, "mask": k.mask, "bytes": k.bytes} for k in keys],
            "attributes": attributes,
        }

    def _population(
        self, required: Sequence[Requirement], table: exp.Table | None, keys: Sequence[KeyPart]
    ) -> dict[str, object] | None:
        """Give the population that requirements compare classes with, if any does."""
        compared = [each.measure for each in required if each.measure.population is not None]
        if not compared:
            return None
        if self.population is None:
            raise InternalError(f"nothing says how many rows have {compared[0]}")
        named = [f"kanon_key_{n}" for n, _ in enumerate(keys)]
        beyond = []
        if any(each.of_absent for each in compared):
            beyond.append(_beyond("absent_rows", self.population.classes or table, named))
        if of_rest := any(each.of_rest for each in compared):
            beyond.append(_beyond("rest_rows", table, named))
        return {
            "table": self.population.table,
            "weighted": self.population.weighted,
            "beyond": beyond,
            "source": self.population.source if of_rest else None,
            "parts": [
                {
                    "rows": key.column,
                    "own": key.own,
                    "mask": key.mask,
                    "bytes": key.bytes,
                    "key": name(text),
                    "of_class": column(text, of="r"),
                    "joined": column(text, of="g"),
                }
                for text, key in zip(named, keys, strict=True)
            ],
            "groups": [literal(n + 1) for n, _ in enumerate(keys)],
            **_IN_POPULATION,
        }

    def _counts_null(self, attribute: SensitiveAttribute | None) -> bool:
        return attribute is not None and attribute.counts_null and not self.coded

    def _attribute(self, weighed: Weighed, number: int, value: exp.Expr) -> dict[str, object]:
        attribute, reference = weighed.attribute, weighed.reference
        of_table: dict[str, object] = {}
        if reference is not None:
            if self.of_table is None:
                raise InternalError(f"nothing says how often {attribute.column} has its values")
            values = self.of_table(attribute, reference)
            of_table = values.leaves(attribute)
            if values.nodes is not None:
                of_table["levels"] = _levels(number, values.nodes.height)
        alias = f"w{number}"
        return {
            "order": None,
            "crossed": False,
            "levels": (),
            **of_table,
            **_counts(number),
            "in_tree": attribute.in_tree,
            "value": value,
            "counts_null": self._counts_null(attribute),
            "compared": reference is not None,
            "of_persons": _counts_of_persons(number) if weighed.of_persons else None,
            "pair": name(f"kanon_pair_{number}"),
            "person": name(f"kanon_person_{number}"),
            "ranked": weighed.ranked,
            "alias": name(alias),
            "found": column("value", of=alias),
            "crossing": name(f"x{number}"),
        }


def _levels(number: int, height: int) -> list[dict[str, object]]:
    """Name the nodes of each level beneath the root, above the values of an attribute, and what is counted there."""
    own = ("own_node", "in_class", "in_table", "first", "moved")
    return [
        {
            "height": literal(n),
            "label": name(f"level_{n}"),
            "node": name(f"node_{n}"),
            "node_rows": name(f"node_rows_{n}"),
            **{text: name(f"kanon_{text}_{number}_{n}") for text in own},
        }
        for n in range(1, height)
    ]


def _part(folder: str, fragment: str) -> str | None:
    """Give the path of a fragment; None where there is none."""
    return f"sql/privacy/{folder}/part/{fragment}.sql.j2" if fragment else None


_IN_POPULATION: dict[str, object] = {
    text: name(f"kanon_{text}")
    for text in ("in_population", "absent_rows", "rest_rows", "rest_members")
}
"""What is counted of a population beside each row of a class."""


def _beyond(what: str, table: exp.Table | None, named: Sequence[str]) -> dict[str, object]:
    """Describe the population's rows in classes that a table does not have."""
    alias = f"of_{what}"
    return {
        "table": table,
        "alias": name(alias),
        "there": column("is_there", of=alias),
        "as": _IN_POPULATION[what],
        "parts": [
            {"grouped": column(text, of="n"), "other": column(text, of=alias)} for text in named
        ],
    }


def _counts(number: int) -> dict[str, object]:
    """Name the counts of the values of an attribute."""
    return {text: name(f"kanon_{text}_{number}") for text in COUNTS}


def _counts_of_persons(number: int) -> dict[str, object]:
    """Name the entities that have any value of an attribute, in place of the pairs of an entity and a value."""
    own = {"of_class": "persons_of_class", "of_table": "persons_of_table"}
    return {text: name(f"kanon_{counted}_{number}") for text, counted in own.items()}


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
    described = [each.leaves(before) for each in sets if each.required]
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


def value_nodes(nodes: exp.Table, codes: exp.Table, above: ValueNodes) -> Statement:
    """Make the table of the nodes above each value, by its code."""
    leaves = {"nodes": nodes, "codes": codes, "map": above.table, "levels": above.labels}
    return Statement("privacy/value_nodes", leaves)


def table_values(
    required: Sequence[Requirement],
    named: Callable[[], exp.Table],
    of_table: Callable[[SensitiveAttribute], TableValues],
) -> Iterator[tuple[SensitiveAttribute, TableValues, Statement]]:
    """Make tables of the counts of all values that requirements compare a class with."""
    for each in dict.fromkeys(w.attribute for w in weighed_attributes(required) if w.reference):
        values = named()
        leaves = {"values": values, "attribute": of_table(each).leaves(each)}
        found = TableValues(values, column("value"), counted=True, nodes=of_table(each).nodes)
        yield each, found, Statement("privacy/table_values", leaves)


def first_steps(values: exp.Table) -> Statement:
    """Give the rows up to each value of a table of counts, in their order: of one value more than are few."""
    return Statement("privacy/first_steps", {"values": values, "most": literal(MOST_STEPS + 1)})
