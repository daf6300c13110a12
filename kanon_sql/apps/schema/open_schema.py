"""Opens the tables of a schema: their keys, their order, and the rows of each that a release reads.

Foreign keys come from the database's catalog and from `keys:` of the policy. Nothing is written but scratch tables.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.read_schema import person_column
from kanon_sql.apps.schema.schema_policy import ForeignKey
from kanon_sql.apps.schema.schema_sql import number_faults
from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import condition
from kanon_sql.base.sql.templates import has_template
from kanon_sql.counting.source.column_problems import column_problems, no_column, pseudonym_secret
from kanon_sql.counting.source.lineage import check_not_volatile, find_table
from kanon_sql.counting.source.open_source import is_read_as_text, text_columns_statement
from kanon_sql.engines.locations import Source
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import DEBUG, Fault, InputError, SourceError, StatementError
from kanon_sql.policy.masks import HASH
from kanon_sql.policy.model import Column, Policy, Role, Suppression
from kanon_sql.recoding.recode import keys_in_session

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from fractions import Fraction

    from kanon_sql.apps.schema.schema_policy import SchemaPolicy, TableEntry
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType, Engine

DIGITS = 16
"""Digits of a keyed hash by which people are chosen for a share of them."""


@dataclass(frozen=True, slots=True)
class CatalogKeys:
    """The keys of the tables in the database: primary and unique ones by table, and foreign ones."""

    primary: Mapping[str, tuple[str, ...]]
    unique: Mapping[str, tuple[tuple[str, ...], ...]]
    foreign: tuple[ForeignKey, ...]


@dataclass(frozen=True, slots=True)
class OpenKey:
    """A foreign key, with the rows of its table that name no row of the other, before anything is left out."""

    key: ForeignKey
    orphans: int


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table of the schema, opened.

    `raw` is the table of the database and `rows` what is read of it: itself, or a scratch table. `person` is the column
    of `rows` with the key of each row's person. Of `all_rows`, `count` are read.
    """

    entry: TableEntry
    raw: exp.Table
    rows: exp.Table
    columns: tuple[ColumnType, ...]
    all_rows: int
    count: int
    person: str | None
    is_added: bool = False
    """Whether the column `person` is read from another table, and no column of this one."""
    primary: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    required: tuple[str, ...] = ()

    @property
    def stated(self) -> tuple[ColumnType, ...]:
        """The columns that the policy of a table that is not counted states: its own."""
        return tuple(c for c in self.columns if not (self.is_added and c.name == self.person))

    @property
    def left_out(self) -> int:
        """The rows that are not read: outside the subset, or of nobody in their people's table."""
        return self.all_rows - self.count

    @property
    def policy(self) -> Policy:
        """The policy of the table, with the rows that are read as its source, and its columns that are not listed."""
        named = ".".join(_quoted(part) for part in (self.rows.db, self.rows.name) if part)
        policy = replace(self.entry.policy, source=Source(table=named))
        if not self.entry.whole:
            return policy
        listed = {each.name for each in policy.columns}
        kept = [
            Column(each.name, Role.INSENSITIVE) for each in self.stated if each.name not in listed
        ]
        return replace(policy, columns=(*policy.columns, *kept))


@dataclass(frozen=True, slots=True)
class OpenSchema:
    """The tables of a schema by name, those that others refer to first, and the foreign keys between them."""

    policy: SchemaPolicy
    tables: Mapping[str, OpenTable]
    keys: tuple[OpenKey, ...]
    cyclic: frozenset[ForeignKey] = field(default_factory=frozenset)


def _quoted(part: str) -> str:
    return '"' + part.replace('"', '""') + '"' if "." in part or '"' in part else part


def check_engine(engine: Engine) -> None:
    """Raise InputError where an engine releases no schema."""
    if not has_template("schema/table_keys", engine.dialect):
        name = engine.capabilities.name
        what = (
            f"is {name}, which publishes no several tables at once; release the schema on DuckDB or PostgreSQL, or each table "
            f"by a policy of its own: with the same key_env and domain: KEY its pseudonyms are equal"
        )
        raise InputError("database", [Fault("", what)])


def open_schema(run: Session, policy: SchemaPolicy) -> OpenSchema:
    """Open the tables of a schema and check the policy against them.

    Raises SourceError with all faults: tables, columns and keys that are missing, raw keys that would be released, people
    that are not one row each.
    """
    check_engine(run.engine)
    found = {name: _find(run, policy, name) for name in policy.tables}
    _refuse(policy, (each for each in found.values() if isinstance(each, Fault)))
    raws = {name: each for name, each in found.items() if not isinstance(each, Fault)}
    columns = {name: columns_of(run.engine, name, raw) for name, raw in raws.items()}
    catalog, required = keys_of_catalog(run.engine, raws), _required(run.engine, raws)
    _refuse(policy, [*_column_faults(policy, columns), *_secret_faults(policy)])
    _refuse(policy, _raw_key_faults(policy, catalog.foreign))
    _refuse(policy, number_faults(run, policy, raws, columns))
    foreign = _foreign_keys(run, policy, raws, catalog)
    _refuse(policy, _people_faults(run, policy, raws, columns, foreign))
    orphans = tuple(OpenKey(each, _count_orphans(run, policy, raws, each)) for each in foreign)
    _refuse(policy, _text_faults(run, policy, raws, columns, orphans))
    order, cyclic = _ordered(policy, foreign)
    opened: dict[str, OpenTable] = {}
    kept = [each for each in orphans if each.key not in cyclic]
    for name in order:
        found_table = _Found(policy.tables[name], raws[name], columns[name])
        opened[name] = _open(run, policy, found_table, opened, kept)
        opened[name] = replace(
            opened[name],
            primary=catalog.primary.get(name, ()),
            unique=catalog.unique.get(name, ()),
            required=required.get(name, ()),
        )
    for name, each in list(opened.items()):
        if folded := _folded(policy, each, opened):
            opened[name] = _with_folds(run, policy, each, folded)
    faults = []
    for each in opened.values():
        if not each.entry.protection.counted and not each.entry.protection.folded:
            own = column_problems(each.policy, each.stated, run.engine.capabilities)
            faults += [_of_table(policy, each.entry.name, fault) for fault in own]
    _refuse(policy, faults)
    return OpenSchema(policy, opened, orphans, cyclic)


def _of_table(policy: SchemaPolicy, table: str, fault: Fault) -> Fault:
    return policy.fault(f"tables.{table}.{fault.where}", fault.what)


def _refuse(policy: SchemaPolicy, faults: Iterable[Fault]) -> None:
    if listed := list(faults):
        raise SourceError(policy.subject, listed)


def _find(run: Session, policy: SchemaPolicy, name: str) -> exp.Table | Fault:
    try:
        return find_table(run.engine, name)
    except SourceError as error:
        return policy.fault(f"tables.{name}", error.faults[0].what)


def columns_of(engine: Engine, name: str, raw: exp.Table) -> tuple[ColumnType, ...]:
    """Return the columns of a table. Raises SourceError where it cannot be read, as a view of files elsewhere."""
    try:
        return tuple(engine.columns(raw))
    except StatementError as error:
        what = (
            f"cannot be read ({error.why}); does a view read a file by a path from another folder?"
        )
        raise SourceError("the database", [Fault(printable(name), what)]) from error


def _places(engine: Engine, raws: Mapping[str, exp.Table]) -> dict[tuple[str, str], str]:
    """Return the names that the policy gives to tables, by their schema and their own name."""
    compared = engine.capabilities.compared
    return {
        (compared(located.schema), compared(located.name)): name
        for name, raw in raws.items()
        for located in engine.locate(raw)
    }


def _required(engine: Engine, raws: Mapping[str, exp.Table]) -> dict[str, tuple[str, ...]]:
    """Read which columns of the tables hold no NULL."""
    compared, places = engine.capabilities.compared, _places(engine, raws)
    found: dict[str, tuple[str, ...]] = {}
    for schema, table, column in engine.fetch(schema_sql.required_columns()):
        own = places.get((compared(str(schema)), compared(str(table))))
        if own is not None:
            found[own] = (*found.get(own, ()), str(column))
    return found


def keys_of_catalog(engine: Engine, raws: Mapping[str, exp.Table]) -> CatalogKeys:
    """Read the keys of the catalog that are between tables of the policy."""
    compared, places = engine.capabilities.compared, _places(engine, raws)
    rows: dict[str, list[tuple[str, ...]]] = {}
    for number, *row in engine.fetch(schema_sql.table_keys()):
        rows.setdefault(str(number), []).append(tuple("" if c is None else str(c) for c in row))
    primary: dict[str, tuple[str, ...]] = {}
    unique: dict[str, tuple[tuple[str, ...], ...]] = {}
    foreign: list[ForeignKey] = []
    for listed in rows.values():
        kind, schema, table, _, to_schema, to_table, _ = listed[0]
        columns, of = tuple(row[3] for row in listed), tuple(row[6] for row in listed)
        own = places.get((compared(schema), compared(table)))
        to = places.get((compared(to_schema), compared(to_table)))
        if own is None:
            continue
        if kind == "PRIMARY KEY":
            primary[own] = columns
        elif kind == "UNIQUE":
            unique[own] = (*unique.get(own, ()), columns)
        elif to is not None:
            foreign.append(ForeignKey(own, columns, to, of, declared=True))
    return CatalogKeys(primary, unique, tuple(foreign))


def _column_faults(
    policy: SchemaPolicy, columns: Mapping[str, Sequence[ColumnType]]
) -> Iterator[Fault]:
    """Yield a fault for each column of a key, and of a fold, that its table does not have."""
    names = {table: {each.name for each in found} for table, found in columns.items()}
    for domain in policy.keys.values():
        for each in domain.columns:
            if each.column not in names[each.table]:
                where = f"keys.{domain.name}.columns"
                yield policy.fault(
                    where, f"{each.table}: {no_column(each.column, names[each.table])}"
                )
    for table in policy.tables.values():
        for name, fold in table.folds.items():
            where = f"tables.{table.name}.into.{name}"
            if fold.column is not None and fold.column not in names[table.name]:
                yield policy.fault(where, no_column(fold.column, names[table.name]))
            for person in policy.people:
                if person.of == table.of and name in names[person.name]:
                    yield policy.fault(where, f"is a column of {person.name} already")


def _raw_key_faults(policy: SchemaPolicy, foreign: Sequence[ForeignKey]) -> Iterator[Fault]:
    """Yield a fault for each foreign key that names rows of people, or has a pseudonym on one side and a raw key on the other."""
    for key in foreign:
        personal = policy.tables[key.to].of is not None
        for own, other in zip(key.columns, key.of, strict=True):
            here, there = policy.domain_of(key.table, own), policy.domain_of(key.to, other)
            if not _is_shown(policy.tables[key.table], own):
                continue
            if here is not there or (here is None and personal):
                what = (
                    f"the database has the foreign key {key}: list {key.to}.{other} and {key.table}.{own} under one key, so "
                    f"that both are released as the same pseudonym"
                )
                yield policy.fault("keys", what)


def _is_shown(entry: TableEntry, column: str) -> bool:
    """Return whether a release may show a column of a table: it is released, and does not drop the column."""
    found = next((each for each in entry.policy.columns if each.name == column), None)
    dropped = not entry.whole if found is None else found.is_dropped
    return entry.protection.released and not dropped


def _counts(run: Session, table: exp.Table, columns: Sequence[str]) -> tuple[int, int, int]:
    rows, keyed, keys = run.engine.fetch_counts(schema_sql.count_keys_of_rows(table, columns))
    return rows, keyed, keys


def _foreign_keys(
    run: Session, policy: SchemaPolicy, raws: Mapping[str, exp.Table], catalog: CatalogKeys
) -> tuple[ForeignKey, ...]:
    """Return the foreign keys of the catalog, and those of `keys` that it does not declare and whose home is unique."""
    found = list(catalog.foreign)
    declared = {(key.table, *key.columns, key.to, *key.of) for key in found}
    for domain in policy.keys.values():
        home = domain.home
        others = [
            each
            for each in domain.columns[1:]
            if (each.table, each.column, home.table, home.column) not in declared
        ]
        if not others:
            continue
        _, keyed, keys = _counts(run, raws[home.table], [home.column])
        if keyed == keys:
            found += [
                ForeignKey(each.table, (each.column,), home.table, (home.column,))
                for each in others
            ]
    return tuple(found)


def _people_faults(
    run: Session,
    policy: SchemaPolicy,
    raws: Mapping[str, exp.Table],
    columns: Mapping[str, Sequence[ColumnType]],
    foreign: Sequence[ForeignKey],
) -> Iterator[Fault]:
    """Yield a fault for people without one row each, and for ways to people over keys that repeat.

    Rows outside the subset may have no key: no other row names them.
    """
    for each in policy.people:
        home = policy.keys[str(each.of)].home
        entry, raw = policy.tables[home.table], raws[home.table]
        rows, keyed, keys = _counts(run, raw, [home.column])
        missing = rows - keyed
        if missing and entry.subset.where is not None:
            chosen = _filtered(run, policy, entry, raw, columns[home.table])
            rows, with_key, _ = _counts(run, chosen, [home.column])
            missing = rows - with_key
        if missing or keyed != keys:
            what = (
                f"must have one row a person: of {counted(rows, 'row')}, {missing:,} have no {home.column} and "
                f"{keyed - keys:,} repeat one"
            )
            yield policy.fault(f"tables.{each.name}", what)
    known = {(key.table, key.columns, key.to, key.of) for key in foreign}
    for each in policy.tables.values():
        for step in each.path:
            within = step.table == step.to and step.columns == step.of  # a person's own row
            if not within and (step.table, step.columns, step.to, step.of) not in known:
                what = (
                    f"finds its people by {step}, and values of {step.to}.{step.of[0]} repeat: it must be unique there. If "
                    f"another key of both tables is, list it before this one under keys"
                )
                yield policy.fault(f"tables.{each.name}", what)
                break


def _count_orphans(
    run: Session, policy: SchemaPolicy, raws: Mapping[str, exp.Table], key: ForeignKey
) -> int:
    """Count the rows of a table that name no row of the other. Raises SourceError for types that cannot be compared."""
    statement = schema_sql.count_dangling(raws[key.table], key.columns, raws[key.to], key.of)
    try:
        return run.engine.fetch_count(statement)
    except StatementError as error:
        what = f"{key} cannot be followed ({error.why}): are both of one type? Cast one in a view; {DEBUG}=1 shows more"
        raise SourceError(policy.subject, [policy.fault("keys", what)]) from error


def _text_faults(
    run: Session,
    policy: SchemaPolicy,
    raws: Mapping[str, exp.Table],
    columns: Mapping[str, Sequence[ColumnType]],
    keys: Iterable[OpenKey],
) -> Iterator[Fault]:
    """Yield a fault for each key of equal values whose texts differ: pseudonyms are of texts, and would not be equal."""
    types = {(name, each.name): each for name, listed in columns.items() for each in listed}
    for opened in keys:
        key = opened.key
        pairs = [
            (types[key.table, own], types[key.to, of])
            for own, of in zip(key.columns, key.of, strict=True)
            if policy.domain_of(key.table, own) is not None
        ]
        if all(own.family == of.family == "integer" for own, of in pairs):
            continue
        own, to = raws[key.table], raws[key.to]
        told = schema_sql.count_dangling(own, key.columns, to, key.of, as_texts=True)
        differ = run.engine.fetch_count(told) - opened.orphans
        if differ > 0:
            kinds = joined([f"{own.type} and {of.type}" for own, of in pairs])
            yield policy.fault(
                "keys",
                f"{key}: {counted(differ, 'row')} would lose the row that {'it names' if differ == 1 else 'they name'}, as "
                f"equal values of {kinds} are not the same text; cast one in a view",
            )


def _reached(
    name: str, named: Mapping[str, Collection[str]], among: Collection[str]
) -> frozenset[str]:
    """Return the tables among some that a table refers to, by way of others, too."""
    found: set[str] = set()
    ways = [name]
    while ways:
        further = {each for each in named[ways.pop()] if each in among} - found
        found |= further
        ways += further
    return frozenset(found)


def _ordered(
    policy: SchemaPolicy, foreign: Sequence[ForeignKey]
) -> tuple[list[str], frozenset[ForeignKey]]:
    """Order tables so that each comes after those it refers to; return the keys for which that is impossible, too.

    In a circle of tables, each still comes after the one by which it finds its people, and after all that is beyond
    the circle; tables that only refer to a circle come after it.
    """
    left, order = list(policy.tables), list[str]()
    needed = {each.name: {step.to for step in each.path[:1]} for each in policy.tables.values()}
    named = {name: {k.to for k in foreign if k.table == name and k.to != name} for name in left}
    while left:
        beyond = {name: _reached(name, named, {*left}) for name in left}
        last = [name for name in left if all(name in beyond[each] for each in beyond[name])]
        chosen = next(name for name in last if not needed[name] & {*left})
        left.remove(chosen)
        order.append(chosen)
    place = {name: at for at, name in enumerate(order)}
    cyclic = frozenset(key for key in foreign if place[key.to] >= place[key.table])
    return order, cyclic


@dataclass(frozen=True, slots=True)
class _Found:
    """A table of the policy, found in the database."""

    entry: TableEntry
    raw: exp.Table
    columns: tuple[ColumnType, ...]


def _open(
    run: Session,
    policy: SchemaPolicy,
    found: _Found,
    opened: Mapping[str, OpenTable],
    keys: Sequence[OpenKey],
) -> OpenTable:
    """Read the rows of a table that the release reads; the table itself where that is all of them.

    `opened` has the tables that the foreign `keys` of this one name.
    """
    entry, raw, columns = found.entry, found.raw, found.columns
    all_rows = run.engine.fetch_count(source_sql.count_rows(raw))
    plain = raw
    if not entry.protection.counted and any(map(is_read_as_text, columns)):  # as a counted table is
        plain = run.scratch.table("plain")
        run.see(plain, text_columns_statement(plain, raw, columns))
        columns = tuple(run.engine.columns(plain))
    source = plain if entry.subset.where is None else _filtered(run, policy, entry, plain, columns)
    person, owner = None, None
    if entry.of is not None and not entry.path:
        person = policy.keys[entry.of].home.column
    elif entry.path:
        step = entry.path[0]
        above = opened[step.to]
        direct = len(entry.path) == 1
        person = step.columns[0] if direct else person_column(each.name for each in columns)
        named = None if direct else person
        at_person = above.person or step.of[0]
        owner = schema_sql.Owner(above.rows, step.columns[0], step.of[0], at_person, named)
        complete = direct and not above.left_out and _all_have_people(run, raw, keys, step)
        owner = None if complete else owner
    kept = [
        (opened[key.to].rows, key.columns, key.of)
        for key in (each.key for each in keys)
        if key.table == entry.name
        and opened[key.to].left_out
        and (not entry.path or key.to != entry.path[0].to)
    ]
    sampled = None
    if entry.subset.share is not None and entry.of is not None:
        sampled = (person or "", policy.keys[entry.of], _threshold(entry.subset.share))
    if source == plain and owner is None and not kept and sampled is None:
        return OpenTable(entry, raw, plain, columns, all_rows, all_rows, person)
    rows = run.scratch.table("rows")
    with keys_of(run, policy):
        run.engine.execute(
            schema_sql.rows_of_table(
                rows, source, sampled=sampled, owner=owner, kept=kept, many=all_rows
            )
        )
    count = run.engine.fetch_count(source_sql.count_rows(rows))
    if entry.protection.counted and not count:
        what = f"has {all_rows:,} rows, of which the subset of people leaves none to release"
        raise InputError(policy.subject, [policy.fault(f"tables.{entry.name}", what)])
    is_added = owner is not None and owner.named is not None
    read = tuple(run.engine.columns(rows))
    return OpenTable(entry, raw, rows, read, all_rows, count, person, is_added)


def _all_have_people(
    run: Session, raw: exp.Table, keys: Sequence[OpenKey], step: ForeignKey
) -> bool:
    """Return whether every row of a table names a row of its people's table."""
    orphans = sum(
        each.orphans
        for each in keys
        if (each.key.table, each.key.columns, each.key.to) == (step.table, step.columns, step.to)
    )
    return not orphans and not run.engine.fetch_count(
        source_sql.count_missing(raw, step.columns[0], rows=0)
    )


def _filtered(
    run: Session,
    policy: SchemaPolicy,
    entry: TableEntry,
    raw: exp.Table,
    columns: Sequence[ColumnType],
) -> exp.Table:
    """See the rows of a table that meet the condition of its subset. Raises SourceError."""
    where = f"subset.{entry.name}"
    try:
        chosen = condition(str(entry.subset.where), dialect=run.engine.dialect)
        check_not_volatile(run.engine, chosen)
    except ValueError as error:
        raise SourceError(policy.subject, [policy.fault(where, str(error))]) from error
    there = [each.name for each in columns]
    unknown = sorted({each.name for each in chosen.find_all(exp.Column)} - set(there))
    _refuse(policy, (policy.fault(where, no_column(each, there)) for each in unknown))
    view = run.scratch.table("subset")
    try:
        run.see(view, source_sql.filter_rows(view, raw, chosen))
        run.engine.fetch_count(source_sql.count_rows(view))
    except StatementError as error:
        what = f"was refused by the database ({error.why}); are its types those of the columns? {DEBUG}=1 shows more"
        raise SourceError(policy.subject, [policy.fault(where, what)]) from error
    return view


def _threshold(share: Fraction) -> str:
    """Return the first digits of a keyed hash below which a share of all hashes lie.

    >>> from fractions import Fraction
    >>> _threshold(Fraction(1, 16)), _threshold(Fraction(1))
    ('1000000000000000', 'g')
    """
    least = int(share * 16**DIGITS)
    return "g" if least >= 16**DIGITS else f"{least:0{DIGITS}x}"


def keys_of(run: Session, policy: SchemaPolicy) -> AbstractContextManager[None]:
    """Store the secrets of all keys in the session for a block."""
    columns = [
        Column(each.home.column, Role.IDENTIFYING, action=HASH, key_env=each.key_env)
        for each in policy.keys.values()
    ]
    own = Policy(Source(), None, tuple(columns), (), Suppression(rows=0))
    return keys_in_session(replace(run, policy=own))


def _secret_faults(policy: SchemaPolicy) -> Iterator[Fault]:
    """Yield a fault for each key whose environment variable holds no secret."""
    for each in policy.keys.values():
        if not pseudonym_secret(each.key_env):
            what = f"the environment variable {each.key_env} must hold a key of 16 bytes or more"
            yield policy.fault(f"keys.{each.name}.key_env", what)


def _folded(
    policy: SchemaPolicy, person: OpenTable, opened: Mapping[str, OpenTable]
) -> list[schema_sql.Folded]:
    """Return the tables that are folded into a table of people."""
    if person.entry not in policy.people:
        return []
    return [
        schema_sql.Folded(each.rows, str(each.person), each.entry.folds)
        for each in opened.values()
        if each.entry.protection.folded and each.entry.of == person.entry.of
    ]


def _with_folds(
    run: Session, policy: SchemaPolicy, person: OpenTable, folded: Sequence[schema_sql.Folded]
) -> OpenTable:
    """Read people with the columns that their rows of other tables became."""
    rows = run.scratch.table("people")
    try:
        run.engine.execute(schema_sql.folded_rows(rows, person.rows, str(person.person), folded))
    except StatementError as error:
        what = f"its folds were refused by the database ({error.why}): is each sum one of numbers? {DEBUG}=1 shows more"
        fault = policy.fault(f"tables.{person.entry.name}", what)
        raise SourceError(policy.subject, [fault]) from error
    return replace(person, rows=rows, columns=tuple(run.engine.columns(rows)))
