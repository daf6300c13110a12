"""The certificate of a released schema: its claims, counted in the released tables, and the SQL that counts them.

Nothing of the run that made the release is used: the tables are read as any reader reads them. `verify_schema` makes the
SQL anew from the claims and compares it with that of the file, so that no statement of a file is executed unseen.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.open_schema import keys_of_catalog
from kanon_sql.apps.schema.protected_events import ReleasedJoin
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.schema_plan import (
    EARLIER,
    check_policy_of,
    policy_beside,
    read_schema_plan,
)
from kanon_sql.apps.schema.schema_policy import ForeignKey, protection_of
from kanon_sql.apps.schema.stage_schema import class_size, is_kept
from kanon_sql.base.documents.keys import MapOf, read_yaml
from kanon_sql.base.documents.records import Key, Record
from kanon_sql.base.documents.shapes import Refused, Several, Text
from kanon_sql.base.documents.text import counted, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table as named_table
from kanon_sql.counting.run.session import resolve
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import (
    Fault,
    InputError,
    SourceError,
    StalePlanError,
    StatementError,
    VerificationError,
)
from kanon_sql.recoding.planning.open_plan import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlglot import exp

    from kanon_sql.apps.schema.schema_plan import SchemaPlan
    from kanon_sql.apps.schema.schema_policy import SchemaPolicy
    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.connect import Settings

SIGN = "kanon_sql_schema_certificate"
FORMAT = 2


@dataclass(frozen=True, slots=True)
class SchemaClaim:
    """One claim on the released tables: what it says, the SQL that counts it, and the counts that it must return.

    Of people below k, whom no promise covers, it is counted and no more: `exposes`.
    """

    claim: str
    counts: tuple[int, ...]
    sql: Annotated[str, Text(any=True)]
    exposes: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaCertificate:
    """What a released schema promises, and how to count it again."""

    policy_hash: Annotated[str, Key("policy")]
    policy_file: str | None
    schema: str
    engine: str
    protections: Annotated[dict[str, str], MapOf(Text())]
    not_counted: Annotated[tuple[str, ...], Several(Text(), alone=False)]
    claims: Annotated[tuple[SchemaClaim, ...], Several(Record(SchemaClaim), alone=False)]

    def to_json(self) -> str:
        """Return the text of the certificate's file."""
        document = {SIGN: FORMAT, **CERTIFICATE_OF_SCHEMA.write(self, {})}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def to_sql(self) -> str:
        """Return its statements for a shell of the database, each behind its claim and the counts that it must return."""
        parts = [
            f"-- {printable(each.claim)}\n-- must be: {_listed(each.counts)}\n{each.sql};\n"
            for each in self.claims
        ]
        return "\n".join(parts)


CERTIFICATE_OF_SCHEMA: Record[SchemaCertificate] = Record(SchemaCertificate)


def certify_schema(
    plan: str | Path,
    *,
    policy: str | Path | Mapping[str, object] | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
) -> SchemaCertificate:
    """Count the claims of a plan in its released tables.

    Args:
        plan: The path of the plan's file.
        policy: The policy; by default the file that the plan names.
        connection: A connection of DuckDB or psycopg; by default the policy's database is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The certificate.

    Raises:
        InputError: The release is not there.
        StalePlanError: The policy is another than that of the plan, or the plan was edited.
        VerificationError: A claim does not hold.
    """
    stated = read_schema_plan(Path(plan))
    read = read_schema_policy(policy_beside(stated, Path(plan)) if policy is None else policy)
    check_policy_of(stated, read)
    with _engine(read, connection, settings) as engine:
        claims = []
        exposed = {str(each) for each in stated.joined if each.below}
        for words, statement, expected in _claims(engine, read, stated):
            found = tuple(_counted(engine, read, statement))
            if any(want not in {None, each} for each, want in zip(found, expected, strict=True)):
                raise VerificationError(
                    f"{words}: counted {_listed(found)}, not {_listed(expected)}"
                )
            sql = statement.render(engine.dialect)
            claims.append(SchemaClaim(words, found, sql, words in exposed))
        return SchemaCertificate(
            policy_hash=read.digest,
            policy_file=stated.policy_file,
            schema=str(read.release),
            engine=engine.version,
            protections={
                name: f"{each.protection}: {protection_of(each.protection).promise}; {each.limit}"
                for name, each in stated.tables.items()
            },
            not_counted=(*_not_counted(stated), *_without_source(engine, stated)),
            claims=tuple(claims),
        )


def verify_schema(
    certificate: str | Path,
    plan: str | Path,
    *,
    policy: str | Path | Mapping[str, object] | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
) -> SchemaCertificate:
    """Count the claims of a certificate again, and compare them and their SQL with the plan's.

    Raises VerificationError where a claim, or its SQL, is not what the plan's release has.
    """
    stated = read_schema_certificate(Path(certificate))
    found = certify_schema(plan, policy=policy, connection=connection, settings=settings)
    if found.policy_hash != stated.policy_hash:
        raise VerificationError("the certificate is of another policy than the plan")
    missing = [each.claim for each in stated.claims if each not in found.claims]
    if missing or len(stated.claims) != len(found.claims):
        listed = "; ".join(missing) or "claims are left out"
        raise VerificationError(f"the certificate is not that of the release: {listed}")
    return found


def read_schema_certificate(path: Path) -> SchemaCertificate:
    """Read the file of a certificate. Raises InputError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("", "there is no such certificate")]) from error
    document = read_yaml(text, str(path), InputError, any_text=True)
    sign = document.entries.get(SIGN)
    if sign is None or sign.value != FORMAT:
        earlier = sign is not None and sign.value == FORMAT - 1
        what = EARLIER if earlier else "is no certificate of a schema"
        raise InputError(str(path), [Fault("", what)])
    entries = {key: each for key, each in document.entries.items() if each is not sign}
    try:
        found = CERTIFICATE_OF_SCHEMA.take(document, entries)
    except Refused:
        found = None
    if found is None or document.faults:
        raise InputError(str(path), document.faults)
    return found


def _engine(
    policy: SchemaPolicy, connection: object | None, settings: Settings | None
) -> AbstractContextManager[Engine]:
    database = policy.database
    if database is not None and not is_address(database):
        database = resolve(database, policy.base)
    return open_engine(
        connection, None if connection is not None else database, settings, writes=False
    )


def _claims(
    engine: Engine, policy: SchemaPolicy, plan: SchemaPlan
) -> Iterator[tuple[str, Statement, tuple[int | None, ...]]]:
    """Yield each claim in words, the statement that counts it, and the counts that it must return; None for any."""
    places = {
        name: named_table(each.released_as, schema=policy.release)
        for name, each in plan.tables.items()
        if each.released_as is not None
    }
    columns = {name: _columns(engine, policy, place) for name, place in places.items()}
    join = ReleasedJoin(policy, columns, places)
    allowed = {
        name: policy.tables[name].released_columns or plan.tables[name].columns for name in places
    }
    _check_columns(policy, allowed, columns)
    _check_keys(engine, policy, plan, columns, places)
    yield (
        f"{policy.release} has no table, view or column that is not of this release",
        schema_sql.count_strange_columns(
            str(policy.release), {places[name].name: listed for name, listed in allowed.items()}
        ),
        (0,),
    )
    for name, place in places.items():
        rows = plan.tables[name].released_rows
        yield f"{name} has {counted(rows, 'row')}", source_sql.count_rows(place), (rows,)
    for name in places:
        entry = policy.tables[name]
        if entry.protection.counted:
            k = class_size(entry.policy)
            words = f"{name}: no row stands in a class of fewer than k = {k}"
            rows = plan.tables[name].released_rows
            yield words, join.people(entry, [], k=k), (rows, 0, None)
    for person in policy.people:
        home, rows = policy.keys[str(person.of)].home.column, plan.tables[person.name].released_rows
        statement = schema_sql.count_keys_of_rows(places[person.name], [home])
        yield f"{person.name}: each row has its own {home}", statement, (rows, rows, rows)
        tables = [e.name for e in policy.children(person) if e.protection.events]
        if tables:
            shared = join.events(person, k=class_size(person.policy))
            known = "all rows" if shared.known is None else f"any {counted(shared.known, 'event')}"
            words = f"{', '.join(tables)}: whoever knows the class and {known} of a person finds at least {shared.least} people"
            yield words, shared.count_short, (0,)
    for key in plan.foreign_keys:
        if key.released:
            to = places[key.to]
            statement = schema_sql.count_dangling(places[key.table], key.columns, to, key.of)
            yield f"{key}: every key names a row", statement, (0,)
    stated = {each.people_of for each in plan.joined if not each.over}
    if lacking := [p.name for p in policy.people if join.linked(p) and p.name not in stated]:
        what = f"says nothing of {', '.join(lacking)}, whose pseudonyms join released tables"
        raise StalePlanError("plan", [Fault("joined", what)])
    for each in plan.joined:
        if not each.over:
            person = policy.tables[each.people_of]
            statement = join.people(person, join.linked(person), k=each.k)
            yield str(each), statement, (each.people, each.below, each.fewest)


def _columns(engine: Engine, policy: SchemaPolicy, place: exp.Table) -> list[str]:
    """Return the columns of a released table. Raises InputError where it is not there."""
    if not engine.locate(place):
        what = f"has no table {place.name}: publish it with kanon-sql apply"
        raise InputError(str(policy.release), [Fault("release", what)])
    return [each.name for each in engine.columns(place)]


def _check_columns(
    policy: SchemaPolicy, stated: Mapping[str, Sequence[str]], found: Mapping[str, Sequence[str]]
) -> None:
    """Raise VerificationError where a released table lacks a column that it should have."""
    for name, columns in stated.items():
        there = {each.casefold() for each in found[name]}
        if lacking := [each for each in columns if each.casefold() not in there]:
            raise VerificationError(f"{policy.release}: {name} has no column {', '.join(lacking)}")


def _check_keys(
    engine: Engine,
    policy: SchemaPolicy,
    plan: SchemaPlan,
    columns: Mapping[str, Sequence[str]],
    places: Mapping[str, exp.Table],
) -> None:
    """Raise StalePlanError where a plan lacks a foreign key that the policy's keys, the source, or the released tables have."""
    stated = {(e.table, e.columns, e.to, e.of) for e in plan.foreign_keys if e.released}
    wanted = list(keys_of_catalog(engine, places).foreign)
    raws = _sources(engine, places)
    in_source = keys_of_catalog(engine, raws).foreign  # also those that the database cannot guard
    wanted += [each for each in in_source if is_kept(policy, columns, each)]
    for domain in policy.keys.values():
        home, others = domain.home, domain.columns[1:]
        if home.column not in columns.get(home.table, ()):
            continue
        statement = schema_sql.count_keys_of_rows(places[home.table], [home.column])
        _, keyed, keys = _counted(engine, policy, statement)
        if keyed == keys:  # no foreign key is made to a column that repeats
            wanted += [
                ForeignKey(each.table, (each.column,), home.table, (home.column,))
                for each in others
                if each.column in columns.get(each.table, ())
            ]
    lacking = [e for e in wanted if (e.table, e.columns, e.to, e.of) not in stated]
    if lacking:
        what = f"says nothing of {', '.join(dict.fromkeys(map(str, lacking)))}"
        raise StalePlanError("plan", [Fault("foreign_keys", what), Fault("", AGAIN)])


def _sources(engine: Engine, names: Iterable[str]) -> dict[str, exp.Table]:
    """Find the source of each table that the database still has: a release outlives its source."""
    found = {}
    for name in names:
        with suppress(SourceError):
            found[name] = find_table(engine, name)
    return found


def _without_source(engine: Engine, plan: SchemaPlan) -> Iterator[str]:
    """Yield for each table without its source that a key may have been left out of the plan, and nothing tells."""
    released = [name for name, each in plan.tables.items() if each.released_as is not None]
    found = _sources(engine, released)
    for name in released:
        if name not in found:
            yield (
                f"{name}: that the plan left out none of its foreign keys, beside those of the policy and the release, as its "
                "source is not in the database"
            )


def _counted(engine: Engine, policy: SchemaPolicy, statement: Statement) -> list[int]:
    try:
        with engine.own_functions():
            return engine.fetch_counts(statement)
    except StatementError as error:
        what = f"cannot be counted ({error.why}): are its columns those of the plan?"
        raise InputError(str(policy.release), [Fault("release", what)]) from error


def _listed(counts: Sequence[int | None]) -> str:
    return ", ".join("any" if each is None else f"{each:,}" for each in counts)


def _not_counted(plan: SchemaPlan) -> Iterator[str]:
    """Yield what the plan promises and the released tables alone do not show."""
    for name, each in plan.tables.items():
        for model in () if each.plan is None else each.plan.privacy:
            if not model.endswith("-anonymity"):
                yield f"{name}: {model}"
        if each.plan is not None and each.plan.counts_people is not None:
            yield f"{name}: that a class has k people, as their keys are not released; its rows were counted"
    for joined in plan.joined:
        if joined.over:
            yield str(joined)
