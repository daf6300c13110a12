"""`init` of a database with several tables: a first policy of its schema, from catalogs, names and counts.

Each table is profiled as `init` profiles one table. Foreign keys become keys, tables whose names are of people become
people, and what leads to them by keys has rows of people. A person reads every line, and chooses what protects each.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import yaml

from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.apps.getting_started.init_source import check_address, tables_of
from kanon_sql.apps.getting_started.propose_columns import (
    BY_DIRECT,
    BY_FORM,
    BY_HAND,
    BY_SENSITIVE,
    KNOWN,
)
from kanon_sql.apps.schema.open_schema import check_engine, columns_of, keys_of_catalog
from kanon_sql.apps.schema.schema_policy import ColumnOf, ForeignKey
from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import render_report
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.engines.connect import open_engine
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.apps.getting_started.propose_columns import ProposedColumn
    from kanon_sql.apps.schema.open_schema import CatalogKeys

PEOPLE = frozenset(
    {
        "account_holder", "applicant", "attendee", "beneficiary", "borrower", "candidate", "citizen", "client", "consumer",
        "customer", "donor", "driver", "employee", "guest", "individual", "inhabitant", "insured", "member", "participant",
        "passenger", "patient", "people", "person", "personnel", "policyholder", "pupil", "resident", "respondent", "staff",
        "student", "subject", "subscriber", "teacher", "tenant", "user", "visitor", "voter", "worker",
    }
)  # fmt: skip
"""Names of tables, in the singular, that have one row a person."""
BY_NAME = "{} by its name: no foreign key of the database says so"
SETTINGS = ("privacy", "suppression", "search")
DROPPED: Mapping[str, object] = {"role": "identifying", "action": "drop"}
MOST_COPIED = 1_000
"""The most rows of a table that is proposed as a reference table: one of more rows may have rows of people."""


@dataclass(frozen=True, slots=True)
class ProposedTable:
    """A table of the database with what `init` proposes for its columns, and for it as a whole.

    It may be `copied` if it is small and no column tells of people. `key` is the column that numbers its rows, by its
    name and by counts.
    """

    name: str
    columns: Mapping[str, Mapping[str, object]]
    settings: Mapping[str, object]
    notes: tuple[str, ...]
    copied: bool = False
    key: str | None = None


def has_several_tables(source: str) -> bool:
    """Return whether a name is that of a database with several tables, of which a schema is proposed."""
    check_address(source)
    with open_engine(None, source, None, writes=False) as engine:
        return len(tables_of(engine)) > 1


def first_schema_policy(database: str, *, named: str | None = None) -> str:
    """Suggest a policy for the tables of a database, with comments; a person must read every line of it.

    `named` is the database as the policy names it. Raises InputError where the engine releases no schema, or a table cannot
    be profiled.
    """
    with open_engine(None, database, None, writes=False) as engine:
        check_engine(engine)
        every = tables_of(engine)
        own = [each for each in every if "." not in each] if len(every) > 1 else every
        tables = own if len(own) > 1 else every
        raws = {name: find_table(engine, name) for name in tables}
        columns = {
            name: [each.name for each in columns_of(engine, name, raw)]
            for name, raw in raws.items()
        }
        catalog = keys_of_catalog(engine, raws)
    if not tables:
        raise InputError(database, [Fault("source", "has no table that can be read")])
    found = {name: _profiled(name, database, columns[name]) for name in tables}
    numbered = {name: (each.key,) for name, each in found.items() if each.key is not None}
    catalog = replace(catalog, primary={**numbered, **catalog.primary})
    guessed = list(_by_names(columns, catalog))
    foreign = [*catalog.foreign, *guessed]
    keys = _domains(foreign)
    people = _people(tables, catalog, keys)
    skipped = [each for each in every if each not in tables]
    return _written(
        named or database, found, foreign, keys, people, skipped=skipped, guessed=guessed
    )


def _profiled(name: str, database: str, columns: Sequence[str]) -> ProposedTable:
    """Propose roles for the columns of a table, as `init` of that table does."""
    try:
        findings = inspect_source(name, database=database)
    except InputError as error:  # an empty table has nothing to profile
        dropped = dict.fromkeys(columns, DROPPED)
        return ProposedTable(name, dropped, {}, (f"not profiled: {error.faults[0].what}",))
    policy = yaml.safe_load(findings.policy())
    notes = []
    if findings.query is not None:
        dirty = ", ".join(map(printable, findings.cures))
        notes.append(f"look at {dirty}: texts are not written alike; clean them in a view")
    settings = {key: policy[key] for key in SETTINGS if key in policy}
    entries = {str(column): entry for column, entry in policy["columns"].items()}
    proposed = findings.propose()
    if guessed := [printable(each.profile.name) for each in proposed if each.is_guess]:
        notes.append(
            f"DECIDE {', '.join(guessed)}: released by a guess; role: quasi if somebody could know it of a person"
        )
    copied = findings.key is None and findings.all_rows <= MOST_COPIED and not _of_people(proposed)
    key = _numbers_rows(name, proposed)
    return ProposedTable(name, entries, settings, tuple(notes), copied=copied, key=key)


def _of_people(columns: Sequence[ProposedColumn]) -> bool:
    """Whether columns tell of people: one names or harms them, or two are commonly known about somebody."""
    whys = [each.why for each in columns]
    named = any(each.startswith((BY_DIRECT, BY_FORM, BY_HAND, BY_SENSITIVE)) for each in whys)
    return named or sum(each.startswith(KNOWN) for each in whys) > 1


def _numbers_rows(table: str, columns: Sequence[ProposedColumn]) -> str | None:
    """Return the column that numbers the rows of a table: by its name, and as all rows have other values."""
    row = re.split(r"[^a-z]+", _singular(table))[-1]
    names = {"id", *(f"{row}{mark}{of}" for mark in ("_", "") for of in ("id", "no", "nr", "key"))}
    for own in (each.profile for each in columns):
        if own.name.casefold() in names and own.values == own.present == own.rows:
            return own.name
    return None


def _singular(name: str) -> str:
    """Return the name of one row of a table.

    >>> _singular("Patients"), _singular("addresses"), _singular("staff"), _singular("cities")
    ('patient', 'address', 'staff', 'city')
    """
    text = name.rpartition(".")[2].strip('"').casefold()
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("s", "")):
        if text.endswith(ending) and len(text) > len(ending) + 1:
            return text.removesuffix(ending) + instead
    return text


def _by_names(columns: Mapping[str, Sequence[str]], catalog: CatalogKeys) -> Iterator[ForeignKey]:
    """Yield keys that no catalog declares: columns named like a declared one, or like a table and its key."""
    declared = {(key.table, column) for key in catalog.foreign for column in key.columns}
    homes = {
        key.columns[0]: (key.to, key.of[0]) for key in catalog.foreign if len(key.columns) == 1
    }
    for table, own in catalog.primary.items():
        if len(own) == 1:
            homes.setdefault(f"{_singular(table)}_{own[0]}", (table, own[0]))
            if own[0].casefold() != "id":
                homes.setdefault(own[0], (table, own[0]))
    for table, named in columns.items():
        for column in named:
            home = homes.get(column)
            if home is None or (table, column) in declared or home == (table, column):
                continue
            if home[0] != table or column != home[1]:
                yield ForeignKey(table, (column,), home[0], (home[1],))


def _domains(foreign: Sequence[ForeignKey]) -> dict[ColumnOf, list[ColumnOf]]:
    """Group columns that have the same values by the column that all of them refer to in the end."""
    above: dict[ColumnOf, ColumnOf] = {}
    for key in foreign:
        for own, of in zip(key.columns, key.of, strict=True):
            here, there = ColumnOf(key.table, own), ColumnOf(key.to, of)
            if here != there and _home(above, there) != here:
                above.setdefault(here, there)
    found: dict[ColumnOf, list[ColumnOf]] = {}
    for each in above:
        found.setdefault(_home(above, each), []).append(each)
    return found


def _home(above: Mapping[ColumnOf, ColumnOf], column: ColumnOf) -> ColumnOf:
    while column in above:
        column = above[column]
    return column


def _people(
    tables: Sequence[str], catalog: CatalogKeys, keys: Mapping[ColumnOf, Sequence[ColumnOf]]
) -> dict[str, ColumnOf]:
    """Return the key of each table of people: of tables whose names say so, the column that others refer to."""
    found = {}
    for name in tables:
        homes = [each for each in keys if each.table == name]
        primary = catalog.primary.get(name, ())
        if not homes and len(primary) == 1:
            homes = [ColumnOf(name, primary[0])]
        words = re.findall("[a-z]+", _singular(name.replace('"', "")))
        refers = any(each in others for each in homes for others in keys.values())
        if homes and words and words[-1] in PEOPLE and not refers:
            found[name] = homes[0]
    return found


def _owner(table: str, foreign: Sequence[ForeignKey], people: Mapping[str, ColumnOf]) -> str | None:
    """Return the table of people whose rows a table has: the nearest that its keys lead to; None if there is none.

    A table that people refer to, as to the store where they work, has no rows of them, although it may name one.
    """
    ways = {name: _distances(name, foreign) for name in (table, *people)}
    near = [
        (ways[table][person], person)
        for person in people
        if person in ways[table]
        and person != table
        and person in _distances(table, [key for key in foreign if key.table not in ways[person]])
    ]
    return min(near)[1] if near else None


def _distances(table: str, foreign: Sequence[ForeignKey]) -> dict[str, int]:
    """Return how many keys lead from a table to each other one; those of several columns lead nowhere here."""
    found, here = {table: 0}, [table]
    while here:
        name = here.pop(0)
        for key in foreign:
            if key.table == name and len(key.columns) == 1 and key.to not in found:
                found[key.to] = found[name] + 1
                here.append(key.to)
    return found


def _written(
    database: str,
    found: Mapping[str, ProposedTable],
    foreign: Sequence[ForeignKey],
    keys: Mapping[ColumnOf, Sequence[ColumnOf]],
    people: Mapping[str, ColumnOf],
    *,
    skipped: Sequence[str],
    guessed: Sequence[ForeignKey],
) -> str:
    """Write the policy with its comments."""
    homes = {**{home: tuple(others) for home, others in keys.items()}}
    for home in people.values():
        homes.setdefault(home, ())
    names = _names_of_keys(list(homes))
    in_keys = {home: names[home] for home in homes}
    in_keys |= {each: names[home] for home, others in homes.items() for each in others}
    k = max((_k_of(table) for table in found.values()), default=0)
    tables = []
    for name, table in found.items():
        entity = names[people[name]] if name in people else None
        owner = None if entity else _owner(name, foreign, people)
        entries = {
            column: entry
            for column, entry in table.columns.items()
            if ColumnOf(name, column) not in in_keys
        }
        notes = list(table.notes)
        settings = table.settings
        if k and (entity is not None or settings.get("privacy")):
            # a table of health data says so for all
            settings = {**settings, "privacy": _with_k(settings.get("privacy"), k)}
        if entity is None and owner is None:
            risky = [c for c, e in entries.items() if e.get("role") != "insensitive"]
            entries = dict.fromkeys(risky, DROPPED)
            if risky:
                notes.append(
                    "dropped, as they could say something about people: keep what does not"
                )
            settings = {}
        tables.append(
            {
                "name": quoted(name),
                "entity": None if entity is None else quoted(entity),
                "of": None if owner is None else quoted(names[people[owner]]),
                "copied": table.copied,
                "notes": [printable(each) for each in notes],
                "columns": [
                    {"name": quoted(column), "entry": _flow(entry)}
                    for column, entry in entries.items()
                ],
                "settings": [
                    {"key": key, "value": _flow(value)} for key, value in settings.items()
                ],
            }
        )
    by_name = {ColumnOf(key.table, key.columns[0]) for key in guessed}
    return render_report(
        "first_schema.yml",
        database=quoted(database),
        skipped=[printable(each) for each in skipped],
        keys=[
            {
                "name": quoted(names[home]),
                "columns": _flow([str(home), *map(str, others)]),
                "note": ", ".join(
                    printable(BY_NAME.format(each)) for each in others if each in by_name
                ),
            }
            for home, others in homes.items()
        ],
        people=[printable(each) for each in people],
        tables=tables,
    )


def _k_of(table: ProposedTable) -> int:
    """Return the k that is proposed for a table; 0 without one."""
    models = table.settings.get("privacy")
    found = [each["k"] for each in models if "k" in each] if isinstance(models, list) else []
    return max(map(int, found), default=0)


def _with_k(models: object, k: int) -> list[object]:
    others = models if isinstance(models, list) else []
    return [{"k": k}, *(each for each in others if "k" not in each)]


def _names_of_keys(homes: Sequence[ColumnOf]) -> dict[ColumnOf, str]:
    """Name each key by its table, with the column where the table has several."""
    found: dict[ColumnOf, str] = {}
    for home in homes:
        named = re.sub(r"\W+", "_", _singular(home.table))
        if named in found.values():
            named = f"{named}_{home.column}"
        found[home] = named
    return found


def _flow(value: object) -> str:
    """Write a value as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=10**6, allow_unicode=True, sort_keys=False
    )
    return text.removesuffix("...\n").strip()
