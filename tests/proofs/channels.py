"""What runs where kanon-sql does not: the statement for warehouses."""

from __future__ import annotations

from kanon_sql.base.sql.quoting import table as table_of
from kanon_sql.policy.hierarchies.entries import Rule
from kanon_sql.policy.model import Suppression
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.release.warehouse_sql import WAREHOUSES, Entries, WarehouseColumn
from kanon_sql.release.warehouse_sql import release as warehouse_release
from tests.proofs.choices import Raised
from tests.proofs.definitions import Classes, Table, k_anonymity
from tests.proofs.proof import Proof
from tests.proofs.recounts import ILL, MODELS, RELEASE, SEX, WHO, ZIP
from tests.proofs.scalars import NO_NUMBER

SOURCE = 'the "source"'
PEOPLE = {"f": "adult", "m": "adult", "x": "child"}
COLUMNS = (
    WarehouseColumn(
        SEX, quasi=True, entries=Entries(tuple(PEOPLE.items()), of_null="unknown"), labelled=True
    ),
    WarehouseColumn(ZIP, quasi=True, rule=Rule("mask", {"length": 2, "kept": 1, "mask": "*"})),
    WarehouseColumn(ILL),
)


def warehouse():
    """Yield the proofs that a script of one statement releases the classes that fit, or ends in an error."""
    for name in ("k", "distinct l", "k and distinct l"):
        models, definitions = MODELS[name]
        for entity in (None, WHO):
            yield warehouse_script(name, requirements(models), definitions, entity)


def script_of(columns, needed, entity):
    """Return a script of one statement that may suppress two rows."""
    return warehouse_release(
        table_of(RELEASE), table_of(SOURCE), columns, WAREHOUSES["snowflake"], condition=None,
        entity=entity, needed=needed, max_suppressed=Suppression(rows=2),
    )  # fmt: skip


def warehouse_script(name, needed, definitions, entity):
    """The proof of a whole release: labels, classes, the limit of suppression, and the recount."""
    values = {SEX: ("f", "x", "no entry", None), ZIP: ("02", "03", "x", None), ILL: ("f", None)}
    values |= {WHO: ("1", "2")} if entity else {}
    source = Table(SOURCE, values, rows=3)
    columns = COLUMNS if "distinct" in name else COLUMNS[:2]
    if "distinct" not in name:
        del values[ILL]
    statement = script_of(columns, needed, entity)

    def label(value):
        return "unknown" if value is None else PEOPLE.get(value)

    def masked(value):
        return None if value is None else value[:1] + "*"

    def defined(tables):
        rows = tables[SOURCE]
        world, gates = rows.world, rows.world.gates
        keys = {SEX: (SEX, label), ZIP: (ZIP, masked)}
        definitions_ = [k_anonymity(1, entity), *definitions(entity)]
        classes = Classes(rows, list(keys.values()), definitions_)
        kept = classes.of_rows(lambda each: each.kept)
        lost = world.count(
            gates.both(f, world.truth(world.lift(lambda v: v == "no entry", c[SEX])))
            for f, c in rows.rows
        )
        fine = world.lift(
            lambda n, k, gone: not gone and k > 0 and n - k <= 2, rows.size(), kept.size(), lost
        )
        released = gates.any(case for value, case in fine.cases.items() if value)
        shown = {**keys, **({ILL: ILL} if ILL in values else {})}
        error = dict.fromkeys(shown, world.constant(Raised(NO_NUMBER)))
        found = [
            (gates.both(f, released), {c: kept.label(cells, key) for c, key in shown.items()})
            for f, cells in kept.rows
        ]
        return [*found, (released ^ 1, error)]

    by = "by people" if entity else "by rows"
    return Proof(
        f"warehouse: {name}, {by}", "release/warehouse_release",
        [statement.render("duckdb")], [source], defined,
    )  # fmt: skip
