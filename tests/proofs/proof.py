"""A proof that a statement is its definition, for every table within bounds; or the table for which it is not."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING

import duckdb
import sqlglot

from tests.proofs.choices import Raised, World
from tests.proofs.definitions import Rows
from tests.proofs.formulas import FALSE, TRUE
from tests.proofs.scalars import NO_NUMBER
from tests.proofs.translate import Query, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.proofs.definitions import Table


@dataclass(frozen=True)
class Fixed:
    """A table whose rows are given, such as the entries of a hierarchy; no two have the same `unique` columns."""

    columns: Mapping[str, str]
    rows: Sequence[tuple[object, ...]]
    unique: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """Statements of the product, the tables that they read, and what the last one must give.

    `defined` is a function of the tables that gives the rows of the result, of which the columns it names are compared.
    """

    name: str
    template: str
    statements: Sequence[str]
    tables: Sequence[Table]
    defined: Callable[[Mapping[str, Rows]], list[tuple[int, dict[str, object]]]]
    fixed: Mapping[str, Fixed] = field(default_factory=dict)
    seconds: float = 300.0
    slow: bool = False

    def __str__(self):
        return self.name

    @property
    def bounds(self):
        """Return the rows of its largest table, its columns, and the values of each column at most."""
        values = [
            len([v for v in of if v is not None]) for t in self.tables for of in t.values.values()
        ]
        return (
            max(t.rows for t in self.tables),
            max(len(t.values) for t in self.tables),
            max(values),
        )


@dataclass
class Setting:
    """The tables of a proof in a world, as statements and as definitions see them."""

    world: World
    given: dict[str, Relation]
    seen: dict[str, Rows]
    assumed: int

    @classmethod
    def of(cls, proof, filled=None):
        """Make tables of free cells, or of the rows that `filled` has by name."""
        world, given, seen, assumed = World(SAMPLES if filled is None else 0), {}, {}, TRUE
        for name, each in proof.fixed.items():
            rows = [
                (
                    TRUE,
                    {c.lower(): world.constant(v) for c, v in zip(each.columns, row, strict=True)},
                )
                for row in each.rows
            ]
            unique = [frozenset(c.lower() for c in each.unique)]
            given[name.lower()] = Relation([c.lower() for c in each.columns], rows, unique)
        for table in proof.tables:
            rows = (
                free_rows(world, table)
                if filled is None
                else full_rows(world, table, filled[table.name])
            )
            if table.distinct:
                for n, (formula, cells) in enumerate(rows):
                    for before, other in rows[:n]:
                        alike = [world.same(cells[c], other[c]) for c in table.distinct]
                        both = world.gates.all([formula, before, *alike])
                        assumed = world.gates.both(assumed, both ^ 1)
            if filled is None:
                assumed = world.gates.both(assumed, in_order(world, table, rows))
            lower = [(f, {c.lower(): v for c, v in cells.items()}) for f, cells in rows]
            unique = [frozenset(c.lower() for c in table.distinct)] if table.distinct else []
            given[table.name.lower()] = Relation([c.lower() for c in table.values], lower, unique)
            seen[table.name] = Rows(world, table, rows)
        world.assumed = assumed
        return cls(world, given, seen, assumed)


SAMPLES = 2000


def free_rows(world, table):
    """Return as many rows as a table may have; the first ones are there."""
    chosen = random.Random(table.name)
    samples = [sample(table, chosen) for _ in range(SAMPLES)]
    rows, there = [], TRUE
    for n in range(table.rows):
        seen = sum(1 << at for at, each in enumerate(samples) if len(each) > n)
        there = world.gates.both(there, world.gates.bit(f"{table.name}[{n}]", seen))
        cells = {}
        for at, (column, of) in enumerate(table.values.items()):
            places = [each[n][at] if len(each) > n else 0 for each in samples]
            cells[column] = world.free(f"{table.name}[{n}].{column}", of, places)
        rows.append((there, cells))
    return rows


def sample(table, chosen):
    """Return rows as places of values; in some samples most cells are those of the row before, in others few are."""
    alike, rows = chosen.random(), []
    for n in range(chosen.randint(0, table.rows)):
        row = [chosen.randrange(len(of)) for of in table.values.values()]
        if n:
            row = [
                old if chosen.random() < alike else new
                for old, new in zip(rows[-1], row, strict=True)
            ]
        rows.append(row)
    return rows if chosen.random() < 0.7 else sorted(rows)


def in_order(world, table, rows):
    """Return the formula that rows are sorted: a table is a bag, and one order of its rows stands for all."""
    gates = world.gates
    ordered = TRUE
    for (_, cells), (formula, others) in pairwise(rows):
        fine = TRUE
        for column, values in reversed(table.values.items()):
            places = [world.lift(list(values).index, each[column]) for each in (cells, others)]
            less = world.truth(world.lift(lambda a, b: a < b, *places))
            fine = gates.either(less, gates.both(world.same(*places), fine))
        ordered = gates.both(ordered, gates.either(formula ^ 1, fine))
    return ordered


def full_rows(world, table, rows):
    return [
        (TRUE, {c: world.constant(v) for c, v in zip(table.values, row, strict=True)})
        for row in rows
    ]


def run(setting, statements):
    """Translate the statements; gives the rows of the last one's result. One that ends in an error has no others."""
    query, found = Query(setting.world, setting.given), None
    for text in statements:
        found = query.run(sqlglot.parse_one(text, read="duckdb"))
    if query.raised == FALSE:
        return found
    error = dict.fromkeys(found.columns, setting.world.constant(Raised(NO_NUMBER)))
    both, fine = setting.world.gates.both, query.raised ^ 1
    rows = [(both(formula, fine), cells) for formula, cells in found.rows]
    return Relation(found.columns, [*rows, (query.raised, error)])


def differences(world, rows, others):
    """Yield formulas of which one is true where two bags of rows, each (formula, cells by column), are not the same."""
    gates = world.gates
    columns = list(others[0][1]) if others else []
    if len(rows) == len(others) == 1 and rows[0][0] == others[0][0]:
        for c in columns:
            yield gates.both(rows[0][0], world.same(rows[0][1][c.lower()], others[0][1][c]) ^ 1)
        return
    found, wanted = {}, {}
    for bag, into, lower in ((rows, found, True), (others, wanted, False)):
        for formula, cells in bag:
            for values, when in tuples(
                world, formula, [cells[c.lower() if lower else c] for c in columns]
            ):
                into.setdefault(values, []).append(when)
    unlike = []
    for values in dict.fromkeys([*found, *wanted]):
        counts = [world.count(each.get(values, [])) for each in (found, wanted)]
        unlike.append(world.same(*counts) ^ 1)
    yield gates.any(unlike)


def tuples(world, formula, cells):
    """Yield each combination of values of cells with the formula that they are these."""
    for values in product(*(cell.cases.items() for cell in cells)):
        when = world.gates.all([formula, *(case for _, case in values)])
        if when != FALSE:
            yield tuple(value for value, _ in values), when


def refute(proof, statements=None):
    """Return rows of the proof's tables for which the statements are not their definition; None if there are none."""
    setting = Setting.of(proof)
    result = run(setting, statements or proof.statements)
    gates = setting.world.gates
    for unlike in differences(setting.world, result.rows, proof.defined(setting.seen)):
        bits = gates.solve(gates.both(setting.assumed, unlike), seconds=proof.seconds)
        if bits is not None:
            return table_of(setting, bits)
    return None


def table_of(setting, bits):
    """Return the rows of each table that these bits mean."""
    gates = setting.world.gates
    return {
        name: [
            tuple(
                next(v for v, case in cell.cases.items() if gates.holds(case, bits))
                for cell in cells.values()
            )
            for formula, cells in rows.rows
            if gates.holds(formula, bits)
        ]
        for name, rows in setting.seen.items()
    }


def value_of(cell):
    """Return the value of a cell in a world without free cells."""
    return next(value for value, case in cell.cases.items() if case == TRUE)


def defined_rows(proof, filled):
    """Return what the definition gives for tables with these rows, and the columns of it."""
    setting = Setting.of(proof, filled)
    rows = proof.defined(setting.seen)
    return plain_rows(rows), list(rows[0][1]) if rows else []


def translated_rows(proof, filled, columns, statements=None):
    """Return what the translation gives for tables with these rows."""
    setting = Setting.of(proof, filled)
    found = run(setting, statements or proof.statements)
    return plain_rows([(f, {c: cells[c.lower()] for c in columns}) for f, cells in found.rows])


def plain_rows(rows):
    there = [cells for formula, cells in rows if formula == TRUE]
    return sorted([tuple(value_of(c) for c in cells.values()) for cells in there], key=repr)


def executed_rows(proof, filled, columns, statements=None):
    """Return what DuckDB gives for tables with these rows; an error that the statement raises is a row of it."""
    with duckdb.connect(config={"threads": 1}) as connection:
        for name, each in proof.fixed.items():
            make_table(connection, name, each.columns, each.rows)
        for table in proof.tables:
            make_table(
                connection,
                table.name,
                {c: table.type_of(c) for c in table.values},
                filled[table.name],
            )
        try:
            *before, last = statements or proof.statements
            for text in before:
                connection.execute(text)
            if (made := created_by(last)) is not None:
                connection.execute(last)
                last = f"SELECT * FROM {made}"
            found = connection.execute(last)
            names = [each[0].lower() for each in found.description]
            rows = found.fetchall()
        except duckdb.ConversionException:
            return [tuple(Raised(NO_NUMBER) for _ in columns)]
        except duckdb.InvalidInputException as error:
            message = str(error).removeprefix("Invalid Input Error: ")
            return [tuple(Raised(message) for _ in columns)]
    unnamed = {c: int(c.removeprefix("column")) for c in columns if c.startswith("column")}
    places = [unnamed[c] if c in unnamed else names.index(c.lower()) for c in columns]
    return sorted([tuple(readable(row[at]) for at in places) for row in rows], key=repr)


def created_by(text):
    """Return the name of the table that a statement creates, quoted; None if it creates none."""
    tree = sqlglot.parse_one(text, read="duckdb")
    return (
        tree.find(sqlglot.exp.Table).sql("duckdb", identify=True)
        if isinstance(tree, sqlglot.exp.Create)
        else None
    )


def readable(value):
    """Return a cell of DuckDB as the translation has it."""
    if isinstance(value, list):
        return tuple(value)
    if value is None or isinstance(value, (str, bytes, bool)):
        return value
    return int(value) if value == int(value) else value


def make_table(connection, name, columns, rows):
    """Create a table of these rows."""

    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    listed = ", ".join(f"{quoted(c)} {kind}" for c, kind in columns.items())
    connection.execute(f"CREATE TABLE {quoted(name)} ({listed})")
    if rows:
        marks = ", ".join("?" for _ in columns)
        connection.executemany(
            f"INSERT INTO {quoted(name)} VALUES ({marks})", [list(r) for r in rows]
        )


def random_tables(proof, times, seed=7):
    """Yield tables of a proof with random rows, which satisfy what it assumes of them."""
    chosen = random.Random(seed)
    for _ in range(times):
        filled = {}
        for table in proof.tables:
            rows, met = [], set()
            for _ in range(chosen.randint(0, table.rows)):
                row = {c: chosen.choice(list(of)) for c, of in table.values.items()}
                key = tuple(row[c] for c in table.distinct)
                if not table.distinct or key not in met:
                    met.add(key)
                    rows.append(tuple(row.values()))
            filled[table.name] = rows
        yield filled
