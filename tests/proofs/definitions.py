"""The definitions that statements are proven to be: of classes, of their sizes, and of each privacy model.

A class is the rows that have the same labels. A definition is a function of plain counts, as in `class_models.py`, which
shares no code with the product; here it is computed for every way in which the rows of a small table can be counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from class_models import Counted

from tests.proofs.formulas import FALSE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Table:
    """A table of free cells: its columns with their possible values, and how many rows it has at most.

    A row counts as often as its column `weight` says, if there is one. Of `distinct` columns no two rows are the same.
    """

    name: str
    values: Mapping[str, Sequence[object]]
    rows: int
    weight: str | None = None
    distinct: tuple[str, ...] = ()
    types: Mapping[str, str] = ()

    def type_of(self, column):
        """Return the type of a column in DuckDB."""
        if column in dict(self.types):
            return dict(self.types)[column]
        of = next((type(v) for v in self.values[column] if v is not None), str)
        return {int: "BIGINT", str: "TEXT"}[of]


@dataclass(frozen=True)
class Sizes:
    """How a class is counted: in rows, or in the values of an entity; NULL is no entity."""

    entity: str | None = None


class Rows:
    """The rows of a table in a world, as (formula, cells)."""

    def __init__(self, world, table, rows):
        self.world, self.table, self.rows = world, table, rows

    def like(self, cells, keys):
        """Return the rows that have the same labels as one with these cells."""
        gates, world = self.world.gates, self.world
        own = [self.label(cells, key) for key in keys]
        found = []
        for formula, others in self.rows:
            same = [
                world.same(mine, self.label(others, key))
                for mine, key in zip(own, keys, strict=True)
            ]
            found.append((gates.both(formula, gates.all(same)), others))
        return Rows(world, self.table, found)

    def label(self, cells, key):
        """Return the cell of a column; of (column, function) what the function gives."""
        if isinstance(key, tuple):
            return self.world.lift(key[1], cells[key[0]])
        return cells[key]

    def fold(self, columns, start, step):
        """Add the rows to a state, which gets a row's cells, and how many rows it stands for."""
        weight = self.table.weight
        one = self.world.constant(1)
        members = [
            (f, [*(cells[c] for c in columns), cells[weight] if weight else one])
            for f, cells in self.rows
        ]
        return self.world.fold(members, start, step)

    def size(self, entity=None):
        """Count rows, or entities."""
        if entity is None:
            return self.fold([], 0, lambda n, w: n + w)
        met = self.fold([entity], frozenset(), lambda s, e, _: s if e is None else s | {e})
        return self.world.lift(len, met)


@dataclass(frozen=True)
class Definition:
    """When a class fits: `fits` of what is counted of it, beside the same counts of all rows.

    `counts` makes a state of the rows of a class: one that is hashable, from cells of `columns` and a weight.
    """

    columns: tuple[str, ...]
    start: object
    step: Callable
    fits: Callable[[object, object], bool]
    of_table: bool = False

    def formula(self, own, all_rows):
        """Return the formula that a class fits."""
        world = own.world
        if not self.of_table:
            counted = own.fold(self.columns, self.start, self.step)
            return world.truth(world.lift(lambda state: self.fits(state, None), counted))
        inside = {id(cells): formula for formula, cells in own.rows}
        pairs = [(formula, cells, inside.get(id(cells), FALSE)) for formula, cells in all_rows.rows]
        counted = world.fold(
            [
                (
                    formula,
                    [
                        *(cells[c] for c in self.columns),
                        self._flag(world, there),
                        self._weight(own, cells),
                    ],
                )
                for formula, cells, there in pairs
            ],
            (self.start, self.start),
            self._both,
        )
        return world.truth(world.lift(lambda states: self.fits(*states), counted))

    @staticmethod
    def _flag(world, formula):
        return world.pick([(formula, world.constant(1))], world.constant(0))

    @staticmethod
    def _weight(own, cells):
        return cells[own.table.weight] if own.table.weight else own.world.constant(1)

    def _both(self, states, *given):
        *values, inside, weight = given
        own, table = states
        return (
            self.step(own, *values, weight) if inside else own,
            self.step(table, *values, weight),
        )


def k_anonymity(k, entity=None):
    """At least k rows, or k different entities."""
    if entity is None:
        return Definition((), 0, lambda n, w: n + w, lambda n, _: n >= k)
    return Definition(
        (entity,),
        frozenset(),
        lambda met, e, _: met if e is None else met | {e},
        lambda met, _: len(met) >= k,
    )


def distinct_l(l, of, *, nulls=False):  # noqa: E741
    """At least l different values; NULL is none, or one of them."""
    return Definition(
        (of,),
        frozenset(),
        lambda met, v, _: met if v is None and not nulls else met | {v},
        lambda met, _: len(met) >= l,
    )


def by_values(rule, of, *, entity=None, nulls=False, of_table=False):
    """A rule of `class_models` about how often a class has each value, by rows or by the people who have it."""

    def add(state, value, *more):
        weight = more[-1]
        if value is None and not nulls:
            return state
        if entity is None:
            counts = Counter(dict(state))
            counts[value] += weight
            return tuple(sorted(counts.items(), key=str))
        return state if more[0] is None else state | {(value, more[0])}

    def counted(state):
        if entity is None:
            return Counted(dict(state))
        return Counted((v for v, _ in state), people=len({e for _, e in state}))

    columns = (of,) if entity is None else (of, entity)
    start = () if entity is None else frozenset()
    return Definition(
        columns,
        start,
        add,
        lambda own, table: rule.fits(counted(own), counted(table) if of_table else None),
        of_table=of_table,
    )


@dataclass(frozen=True)
class Class:
    """A class, if its first row has these cells: it is `there` then, and `fits` or not."""

    cells: Mapping[str, object]
    rows: Rows
    there: int
    fits: int

    @property
    def fails(self):
        return self.rows.world.gates.both(self.there, self.fits ^ 1)

    @property
    def kept(self):
        return self.rows.world.gates.both(self.there, self.fits)


class Classes:
    """The classes of a table over some labels: each is there with the first of its rows."""

    def __init__(self, rows, keys, definitions, *, of=None):
        self.world, self.rows, self.keys = rows.world, rows, keys
        gates = rows.world.gates
        self.found = []
        for n, (formula, cells) in enumerate(rows.rows):
            own = rows.like(cells, keys)
            before = gates.any(each for each, _ in own.rows[:n])
            there = gates.both(formula, before ^ 1)
            if there == FALSE:
                continue
            fits = gates.all(each.formula(own, of or rows) for each in definitions)
            self.found.append(Class(cells, own, there, fits))

    def short(self):
        """Count the classes that do not fit."""
        return self.world.count(each.fails for each in self.found)

    def many(self):
        return self.world.count(each.there for each in self.found)

    def short_rows(self):
        """Count the rows in classes that do not fit."""
        return self.of_rows(lambda each: each.fails).size()

    def of_rows(self, chosen):
        """Return the rows of the classes for which a formula is true."""
        gates, table = self.world.gates, self.rows.table
        found = []
        for each in self.found:
            formula = chosen(each)
            found += [(gates.both(formula, f), cells) for f, cells in each.rows.rows]
        return Rows(self.world, table, found)

    def smallest(self, entity=None):
        """Return the size of the smallest class; NULL if there is none."""
        members = [(each.there, (each.rows.size(entity),)) for each in self.found]
        return self.world.fold(members, None, lambda s, n: n if s is None else min(s, n))

    def listed(self, chosen, codes, *, sizes=True):
        """Return the classes for which a formula is true, as rows: codes of their labels by column, and their size."""
        return [
            (
                chosen(each),
                {
                    **{text: self.rows.label(each.cells, key) for text, key in codes.items()},
                    **({"row_count": each.rows.size()} if sizes else {}),
                },
            )
            for each in self.found
        ]
