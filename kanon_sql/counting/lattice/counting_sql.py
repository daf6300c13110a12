"""Statements over frequency sets: build one, roll it up, check nodes on it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import PLACEHOLDER, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.value_counters import by_counters
from kanon_sql.policy.metrics.node import Joint
from kanon_sql.policy.privacy.candidates_sql import MaskedKey, MatchedClasses, MatchedColumn
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import (
    ClassPopulation,
    ClassRows,
    FittingSet,
    KeyPart,
    TableValues,
    ValueNodes,
    fitting,
    rest,
    table_values,
    weighed_attributes,
)
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.privacy_model import Distribution, Requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.value_counters import ValueCounters
    from kanon_sql.policy.hierarchies.mapping_sql import NullCode, Packing
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import Counts
    from kanon_sql.policy.privacy.privacy_model import Measure, SensitiveAttribute


@dataclass(frozen=True)
class Counting:
    """What every frequency set of a run holds, and what a class must reach.

    `sensitive` are the sensitive columns that the models need counted by value, in order. `joint`
    has what classes over several sets of columns must reach together, where that is asked. With
    `masks_as_rows` one node's masks are joined too, as those of many are. `of_table` has the counts of
    the values of the whole table, for models that compare a class with it: they are those of all rows,
    whatever a frequency set has lost to other nodes. What is `of_release` the classes that are kept must reach
    by their own distribution. With `unavoidable`, a check counts the rows that every finer node suppresses too. Models
    may compare classes with their rows in a `population`. `nulls` has the code of NULL in each column, where NULL
    matches any value and a column has it. By `signature` a class is the entities with the same rows. A `narrow` table has
    fewer rows than 31 bits count. With `counters` a frequency set has those in place of the values.
    """

    packing: Packing
    requirements: tuple[Requirement, ...]
    sensitive: tuple[SensitiveAttribute, ...]
    entity: bool
    signature: bool = False
    joint: tuple[Joint, ...] = ()
    of_release: tuple[Requirement, ...] = ()
    masks_as_rows: bool = False
    unavoidable: bool = False
    of_table: Mapping[SensitiveAttribute, TableValues] = field(default_factory=dict)
    nodes: Mapping[SensitiveAttribute, ValueNodes] = field(default_factory=dict)
    population: CodedPopulation | None = None
    nulls: tuple[NullCode | None, ...] = ()
    narrow: bool = False
    counters: ValueCounters | None = None

    @classmethod
    def of(
        cls,
        packing: Packing,
        needed: Sequence[Requirement],
        *,
        entity: bool,
        signature: bool = False,
        joint: Sequence[Joint] = (),
        of_release: Sequence[Requirement] = (),
        masks_as_rows: bool = False,
    ) -> Counting:
        """Find out what the requirements need counted."""
        counted = sensitive_attributes([*needed, *of_release])
        sensitive = tuple(dict.fromkeys([*counted, *(of for each in joint for of in each.beside)]))
        together = tuple(joint), tuple(of_release)
        rows = entity, signature
        return cls(packing, tuple(needed), sensitive, *rows, *together, masks_as_rows)

    @property
    def compares_kept(self) -> bool:
        """Whether classes that fit may differ too much from the kept rows where no row is suppressed."""
        return any(not self._implied(each) for each in self.of_kept)

    @property
    def counts_rest(self) -> bool:
        """Whether what a population has beside the kept classes is counted."""
        return any(each.measure.of_rest for each in self.of_release)

    @property
    def of_all_classes(self) -> list[Requirement]:
        """Return what the sizes of all kept classes must reach together."""
        return [each for each in self.of_release if each.measure.of_all_classes]

    @property
    def of_kept(self) -> list[Requirement]:
        """Return what kept classes must reach by the distribution of their rows."""
        return [each for each in self.of_release if each.measure.reference is not None]

    def _implied(self, required: Requirement) -> bool:
        """Whether classes that fit keep a requirement where all rows are kept: it is asked by the source, too."""
        return any(
            each.measure == required.measure.by_source and each.stricter(required) is each
            for each in self.requirements
        )

    def among_kept(self, of_table: Mapping[SensitiveAttribute, TableValues]) -> Counting:
        """Give the counting of what kept classes must reach, compared with the kept rows' values."""
        required = (Requirement(SIZE, 1), *self.of_kept)
        alone = replace(self, requirements=required, of_release=(), joint=(), unavoidable=False)
        return replace(alone, of_table=of_table, counters=None)

    def of_nodes(self, nodes: Sequence[Node]) -> Counting:
        """Give the counting that groups by no more keys than these nodes need: a key less costs a third less on PostgreSQL."""
        packing = self.packing.leading(nodes)
        return self if packing is self.packing else replace(self, packing=packing)

    @property
    def _keys(self) -> list[exp.Identifier]:
        return [name(key) for key in self.packing.keys]

    @property
    def _size(self) -> exp.Identifier:
        return name("entities" if self.entity else "row_count")

    @property
    def _measured(self) -> list[Measure]:
        """Return what is counted beside sizes, each once; bounds that differ share it."""
        counted = (r.measure for r in self.requirements if r.measure != SIZE)
        return list(dict.fromkeys(counted))

    def _measure(self, measure: Measure) -> exp.Identifier:
        if measure == SIZE:
            return self._size
        return name(f"measure_{self._measured.index(measure) + 1}")

    def _base(self, measure: Measure) -> exp.Identifier | None:
        """Name what a measure is counted in units of, where it is not divided by that."""
        return name(f"base_{self._measured.index(measure) + 1}") if measure.denominator else None

    def _lost(self, measure: Measure) -> exp.Identifier | None:
        """Name the rows that finer nodes suppress of a class by a measure, where it says how many."""
        counted = self.unavoidable and measure.lost
        return name(f"lost_{self._measured.index(measure) + 1}") if counted else None

    @property
    def measures(self) -> list[exp.Identifier]:
        """Name what is counted of a class beside its rows: entities, or its values of a sensitive attribute.

        Their sums say how many rows its own frequency set holds at least: with counters, a row for each class.
        """
        if self.counters is not None:
            return []
        of_rows = [m for m in self._measured if m.population is None]
        counted = [m for m in of_rows if m.distribution is Distribution.NONE]
        return [*([self._size] if self.entity else []), *map(self._measure, counted)]

    def code_of(self, attribute: SensitiveAttribute) -> exp.Identifier:
        """Name the column with the codes of an attribute's values."""
        return name(f"sensitive_{self.sensitive.index(attribute) + 1}")

    @property
    def class_rows(self) -> ClassRows:
        """Locate what is counted of a class in a frequency set."""
        entity = name("entity") if self.entity else None
        return ClassRows(
            entity,
            self.code_of,
            coded=True,
            of_table=lambda of, _: self.of_table[of],
            population=None if self.population is None else self.population.of_classes,
        )

    @property
    def _parts(self) -> list[dict[str, object]]:
        """One subquery a sensitive column, and one for sizes where none of those can give them."""
        of_rows = (each for each in self._measured if each.population is None)
        attributes = dict.fromkeys(measure.sensitive for measure in of_rows)
        if self.entity or not attributes:
            attributes = {None: None, **attributes}
        parts = [self._part(attribute) for attribute in attributes]
        return [{**part, "alias": name(f"p{n}")} for n, part in enumerate(parts)]

    def counted(self, here: ClassRows, required: Sequence[Requirement]) -> list[dict[str, object]]:
        """Describe what is counted of classes for each requirement."""
        return [
            {
                **leaves,
                "measure": self._measure(each.measure),
                "base": self._base(each.measure),
                "lost": leaves["lost"] if self.unavoidable else None,
                "lost_rows": self._lost(each.measure),
            }
            for each, leaves in zip(required, here.requirements(required), strict=True)
        ]

    def _part(self, attribute: SensitiveAttribute | None) -> dict[str, object]:
        """Describe what is counted of one sensitive column; a class has each of its values once here, or of each entity.

        Or of none: of the rows of a class and their entities.
        """
        required = [r for r in self.requirements if r.measure.sensitive == attribute]
        required = [r for r in required if r.measure != SIZE and r.measure.population is None]
        by_entity = self.entity and bool(weighed_attributes(required))
        here = replace(self.class_rows, value=lambda _: name("sensitive"), once=not by_entity)
        here = self.class_rows if self.signature else here
        keys = [KeyPart(column(key.name, of="r"), key) for key in (name("node"), *self._keys)]
        return {
            "sensitive": None if attribute is None else self.code_of(attribute),
            "by_entity": by_entity,
            "counted": self.counted(here, required),
            "rows": here.rows(
                required,
                None,
                keys,
                lambda _: column("sensitive", of="r"),
                inner="sql/lattice/part/class_values.sql.j2",
            ),
        }

    def _population(self) -> dict[str, object] | None:
        """Describe what is counted of the rows that classes have in a population."""
        measures = compared(self._measured)
        if self.population is None or not measures:
            return None
        counted = [
            {**self.class_rows.measure(each), "measure": self._measure(each)} for each in measures
        ]
        return self.population.leaves(counted, of_rest=self.counts_rest)

    def _asked(self, requirements: Sequence[Requirement]) -> list[dict[str, object]]:
        """Describe the bounds of what was counted of a class."""
        return [
            {
                "measure": self._measure(r.measure),
                "bound": literal(r.bound),
                "at_most": r.measure.at_most,
                "lost_rows": self._lost(r.measure),
                "base": self._base(r.measure),
                "of_size": r.measure.distribution is Distribution.NONE and not r.measure.of_share,
            }
            for r in requirements
        ]

    def values_of_table(
        self, base: exp.Table, named: Callable[[], exp.Table]
    ) -> Iterator[tuple[SensitiveAttribute, TableValues, Statement]]:
        """Count the values of the whole table in its frequency set, where models compare with them."""
        return table_values(
            self.requirements,
            named,
            lambda of: TableValues(
                base,
                self.code_of(of),
                weighted=True,
                coded=True,
                nodes=self.nodes.get(of),
                entity=self.class_rows.entity,
            ),
        )

    def class_leaves(
        self,
        finer: exp.Table,
        nodes: int,
        kept: exp.Table | None,
        several: Sequence[Sequence[Requirement]] = (),
    ) -> dict[str, object]:
        """Describe the classes of nodes, to be compared with their own bounds, or with several sets of bounds."""
        counters = self.counters
        many = nodes > 1 or self.masks_as_rows
        ordinals = [literal(n + 1) for n in range(len(self._keys) + 1)]
        in_kept = {
            "measure": name("kept"),
            "bound": literal(1),
            "at_most": False,
            "lost_rows": None,
            "base": None,
        }
        return {
            "finer": finer,
            "signature": self.signature,
            "narrow": self.narrow,
            "kept": kept,
            "bind": PLACEHOLDER,
            "many": many,
            "nodes": [literal(n) for n in range(nodes)],
            "keys": [
                {"as": key, "mask": name(f"mask_{n}")} for n, key in enumerate(self._keys, start=1)
            ],
            "ordinals": ordinals,
            "grouped": ordinals if many else ordinals[1:],  # one node's number is a constant
            "entity": self.entity,
            "parts": self._parts if counters is None else [by_counters(self, counters)],
            "counters": counters is not None,
            "at_least": literal(min(map(_least, several or [self.requirements]))),
            "population": None if kept else self._population(),
            "beside": [self.code_of(of) for of in self.beside] if kept else [],
            "requirements": [in_kept] if kept else self._asked(self.requirements),
        }

    @property
    def beside(self) -> tuple[SensitiveAttribute, ...]:
        """Return the sensitive attributes by whose values classes are told apart, where rows of one class may differ."""
        return tuple(dict.fromkeys(of for each in self.joint for of in each.beside))

    def bindings(self, nodes: Sequence[Node]) -> list[int]:
        """Return the masks that a batch of nodes binds, in the statement's order."""
        masks = [mask for node in nodes for mask in self.packing.masks(node)]
        if self.signature:
            return masks
        parts = len(self._parts) if self.counters is None else 1
        return masks * (parts + (self._population() is not None))

    def check(
        self, finer: exp.Table, nodes: int, *, detail: bool, kept: exp.Table | None = None
    ) -> Statement:
        """Check so many nodes on one frequency set; binds each node's masks.

        With `kept`, count the rolled-up sets of nodes by what is kept of them; binds nothing.
        """
        leaves = {
            **self.class_leaves(finer, nodes, kept),
            "detail": detail,
            "size": self._size,
            "unavoidable": self.unavoidable and kept is None,
            "least": literal(_least(self.requirements)),
            "measures": self.measures if kept is None else [],
        }
        return Statement("lattice/check", leaves)

    def class_sizes(
        self,
        finer: exp.Table,
        nodes: int = 1,
        *,
        kept: exp.Table | None = None,
        by_rows: bool = False,
    ) -> Statement:
        """Count the classes of each size that fit at so many nodes, and their rows; binds each node's masks.

        A size is in what `k` counts, or in rows. With `kept`, those of a node's rolled-up set that are kept; binds nothing.
        """
        size = name("row_count") if by_rows else self._size
        leaves = {**self.class_leaves(finer, nodes, kept), "size": size}
        return Statement("lattice/class_sizes", leaves)

    def check_thresholds(
        self,
        finer: exp.Table,
        nodes: int,
        several: Sequence[Sequence[Requirement]],
        *,
        squares: bool,
    ) -> Statement:
        """Check so many nodes under several thresholds at once; binds each node's masks.

        A row has the node's number, its classes, the sums of `measures`, and then under each threshold
        the classes and the rows that fail, and the squared rows of the rest.
        """
        described = [
            {
                "short": name(f"short_{n}"),
                "failing": name(f"failing_{n}"),
                "suppressed": name(f"suppressed_{n}"),
                "kept": name(f"kept_{n}"),
                "beyond": name(f"beyond_{n}"),
                "requirements": self._asked(requirements),
            }
            for n, requirements in enumerate(several, start=1)
        ]
        leaves = {
            **self.class_leaves(finer, nodes, None, several),
            "thresholds": described,
            "squares": squares,
            "measures": self.measures,
        }
        return Statement("lattice/check_thresholds", leaves)

    def suppressed_marginals(
        self,
        finer: exp.Table,
        nodes: int,
        asked: int,
        *,
        items: exp.Table,
        weights: exp.Table | None,
        kept: exp.Table | None = None,
    ) -> Statement:
        """Sum the suppressed rows of so many nodes column by column.

        Binds each node's masks, but none with `kept`, then so many pairs of a node's number and
        an item.
        """
        return Statement(
            "lattice/suppressed_marginals",
            {
                **self.class_leaves(finer, nodes, kept),
                "size": column("row_count", of="m"),
                "asked": [literal(n) for n in range(asked)],
                "items": items,
                "weights": weights,
            },
        )

    def roll_up(self, coarser: exp.Table, finer: exp.Table, node: Node, *, rows: int) -> Statement:
        masks = self.packing.masks(node)
        sensitive = [] if self.counters is not None else list(map(self.code_of, self.sensitive))
        columns = len(masks) + len(sensitive) + (1 if self.entity else 0)
        return Statement(
            "lattice/roll_up",
            {
                "coarser": coarser,
                "finer": finer,
                "keys": [
                    {"as": key, "mask": literal(mask)}
                    for key, mask in zip(self._keys, masks, strict=True)
                ],
                "sensitive": sensitive,
                "words": [] if self.counters is None else self.counters.words,
                "entity": self.entity,
                "narrow": self.narrow,
                "groups": [literal(n + 1) for n in range(columns)],
            },
            scans=rows,
        )

    def roll_ups(
        self, rolled_up: exp.Table, finer: exp.Table, nodes: Sequence[Node], *, rows: int
    ) -> Statement:
        columns = 1 + len(self._keys) + len(self.sensitive) + (1 if self.entity else 0)
        return Statement(
            "lattice/roll_ups",
            {
                "rolled_up": rolled_up,
                "finer": finer,
                "keys": [
                    {"as": key, "mask": name(f"mask_{n}")}
                    for n, key in enumerate(self._keys, start=1)
                ],
                "nodes": [
                    {"number": literal(n), "masks": [literal(m) for m in self.packing.masks(node)]}
                    for n, node in enumerate(nodes)
                ],
                "sensitive": [name(f"sensitive_{n + 1}") for n in range(len(self.sensitive))],
                "entity": self.entity,
                "narrow": self.narrow,
                "groups": [literal(n + 1) for n in range(columns)],
            },
            scans=rows * len(nodes),
        )

    def fitting_classes(self, after: exp.Table, before: exp.Table) -> Statement:
        """Leave out of rolled-up sets the rows whose class over all columns does not fit."""
        return self._fitting(after, before, [self._whole])

    def fitting(self, after: exp.Table, before: exp.Table) -> Statement:
        """Leave out of rolled-up sets the rows whose class does not fit over some set of columns."""
        return self._fitting(after, before, self.joint)

    def matched(self, node: Node) -> MatchedClasses:
        """Describe the classes of a node by the columns that are compared, of which some may be NULL."""
        columns = [
            self._matched(quasi, level, null)
            for quasi, (level, null) in enumerate(zip(node.levels, self.nulls, strict=True))
        ]
        return MatchedClasses(self.packing.keys, columns)

    def _matched(self, quasi: int, level: int, null: NullCode | None) -> MatchedColumn:
        masks = self.packing.column_masks(quasi, level)
        is_null = null is not None and level in null.levels
        codes = null.codes if null is not None and is_null else (None,) * len(masks)
        return MatchedColumn(
            tuple(
                MaskedKey(key, mask, None if code is None else code & mask)
                for key, mask, code in zip(self.packing.keys, masks, codes, strict=True)
                if mask
            )
        )

    def fitting_together(
        self, after: exp.Table, before: exp.Table, asked: Sequence[Joint]
    ) -> Statement:
        """Leave out the rows whose class, over some set of columns, does not fit among those that are kept."""
        return self._fitting(after, before, [replace(e, requirements=e.of_release) for e in asked])

    @property
    def _whole(self) -> Joint:
        return Joint(tuple(range(len(self.packing.tops))), self.requirements)

    def _fitting(self, after: exp.Table, before: exp.Table, joint: Sequence[Joint]) -> Statement:
        sets = []
        for each in joint:
            masks = [0] * len(self.packing.keys)
            for quasi in each.columns:
                for key, mask in enumerate(self.packing.column_masks(quasi, 0)):
                    masks[key] |= mask
            parts = [KeyPart(name("node"), name("node"))]
            parts += [
                KeyPart(k, k, literal(m)) for k, m in zip(self._keys, masks, strict=True) if m
            ]
            parts += [KeyPart(key, key) for key in map(self.code_of, each.beside)]
            binding = [r for r in each.requirements if r.binding]
            if binding:
                sets.append(FittingSet(parts, binding, self.class_rows))
        return fitting(after, before, sets)

    def rest(self, after: exp.Table, before: exp.Table, node: Node, *, rows: int) -> Statement:
        """Leave of a frequency set the rows whose class at a node does not fit."""
        masks = self.packing.masks(node)
        parts = [KeyPart(k, k, literal(m)) for k, m in zip(self._keys, masks, strict=True)]
        return rest(after, before, self.fitting_set(parts), rows=rows)

    def fitting_set(self, parts: Sequence[KeyPart]) -> FittingSet:
        """Describe what the classes by these parts must reach, counted from the rows of a frequency set."""
        return FittingSet(parts, self.requirements, self.class_rows)

    @property
    def carried(self) -> list[str]:
        """Name the columns of a frequency set beside its keys."""
        sensitive = [f"sensitive_{n + 1}" for n in range(len(self.sensitive))]
        return [*sensitive, *(["entity"] if self.entity else []), "row_count"]

    def count_persons(self, frequency_set: exp.Table) -> Statement:
        """Count the same, and its entities in place of its distinct tuples."""
        leaves = {"frequency_set": frequency_set, "keys": [name("entity")], "repeated": True}
        return Statement("lattice/frequency_totals", leaves)

    def totals(self, frequency_set: exp.Table) -> Statement:
        """Count a frequency set's rows, the source's rows in it, and its distinct tuples."""
        repeated = bool(self.sensitive) or self.entity
        leaves_ = {"frequency_set": frequency_set, "keys": self._keys, "repeated": repeated}
        return Statement("lattice/frequency_totals", leaves_)


@dataclass(frozen=True, slots=True)
class CodedPopulation:
    """The frequency set of a population, by the keys of the source's, and how many rows the population has."""

    table: exp.Table
    rows: int

    @property
    def of_classes(self) -> ClassPopulation:
        """Say where the rows of a class are in it."""
        return ClassPopulation(self.table, weighted=True)

    def leaves(self, counted: Sequence[dict[str, object]], *, of_rest: bool) -> dict[str, object]:
        """Describe what is counted of the classes of nodes, beside each, and `of_rest` of those that do not fit."""
        beside = {
            "beside": True,
            "in_population": column("in_population", of="g"),
            "of_population": literal(self.rows),
            "node": column("node", of="p0"),
            "class_rows": column("row_count", of="p0"),
        }
        return {
            "table": self.table,
            "rows": literal(self.rows),
            "of_rest": of_rest,
            "counted": [{**each, **beside} for each in counted],
        }

    def roll_up(self, counting: Counting, rolled_up: exp.Table, node: Node) -> Statement:
        """Raise it to a node, as the source's frequency set is."""
        alone = replace(counting, sensitive=(), entity=False, signature=False)
        return alone.roll_ups(rolled_up, self.table, [node], rows=self.rows)


def _least(required: Sequence[Requirement]) -> int:
    """Return the least size of a class by these requirements."""
    return max((r.bound for r in required if r.measure == SIZE), default=1)


def compared(measures: Sequence[Measure]) -> list[Measure]:
    """Give the measures that compare a class with its rows in a population."""
    return [each for each in measures if each.population is not None]


def rest_fits(required: Sequence[Requirement], counts: Counts) -> bool:
    """Whether the suppressed rows are neither too many nor too few of what a population has beside the kept classes."""
    return all(
        each.holds(each.measure.of_rest_rows(counts.suppressed, counts.beyond))
        for each in required
        if each.measure.of_rest
    )
