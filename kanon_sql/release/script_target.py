"""The target of a script: its dialect, the tables it reads and creates, and its hierarchies' entries."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

import sqlglot

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import parse_table_name, table
from kanon_sql.base.sql.words import dialect_of_words
from kanon_sql.counting.source.column_problems import name_too_long
from kanon_sql.engines import capabilities
from kanon_sql.engines.source.source_sql import has_ending
from kanon_sql.errors import Fault, InputError
from kanon_sql.release.executors import (
    SCRIPT,
    SCRIPT_ELSEWHERE,
    SERVER_SCRIPT,
    SQLMESH_MODEL,
    WAREHOUSE_SCRIPT,
    Executor,
)
from kanon_sql.release.publishers import publisher_of
from kanon_sql.release.warehouse_dialects import (
    MODELS,
    NO_MODEL,
    OWN,
    WAREHOUSES,
    WHY_NOT,
    Warehouse,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.base.sql.words.common import Words
    from kanon_sql.counting.run.session import Session

ALIASES = {"postgresql": "postgres", "mssql": "tsql", "sqlserver": "tsql", "mariadb": "mysql"}
"""Other names of sqlglot's dialects."""


class Bring(StrEnum):
    """Where a script has the entries of hierarchies: within its text, or in tables that it names."""

    INLINE = "inline"
    TABLES = "tables"


@dataclass(frozen=True, slots=True)
class ScriptTarget:
    """The database that a script runs in. None stands for the policy's own setting.

    `elsewhere` is true if the script is not for the policy's own database: then only these fields are known of it.
    With `sqlmesh` the script is the query of a model, which SQLMesh runs.
    """

    dialect: str
    elsewhere: bool
    bring: Bring | None
    source: exp.Table | None
    release: exp.Table | None
    sqlmesh: bool = False

    @property
    def warehouse(self) -> Warehouse | None:
        """The description of a database without an engine of ours; None for our engines' own scripts."""
        return (MODELS if self.sqlmesh else WAREHOUSES).get(self.dialect)

    @property
    def executor(self) -> Executor:
        """The executor of the script, named after its database."""
        if self.sqlmesh:
            return SQLMESH_MODEL
        executor = SCRIPT_ELSEWHERE if self.elsewhere else SCRIPT
        if not self.local_files:
            executor = SERVER_SCRIPT if self.warehouse is None else WAREHOUSE_SCRIPT
        return replace(executor, name=f"a script for {self.title}")

    @property
    def title(self) -> str:
        """The name of the database for messages."""
        return self.words.title if self.warehouse is None else self.warehouse.title

    @property
    def words(self) -> type[Words]:
        """The words of a dialect with an engine of ours. Raises InternalError for another."""
        return dialect_of_words(self.dialect)

    @property
    def local_files(self) -> bool:
        """Whether the database's shell reads and writes files by paths of this machine."""
        return self.warehouse is None and self.words.local_files

    @property
    def longest_name(self) -> int | None:
        """The bytes of the longest name there; None if any name may be as long as it is."""
        if self.warehouse is not None:
            return self.warehouse.longest_name
        return capabilities.OF_DIALECT[self.dialect].longest_name


def dialect_named(text: str) -> str:
    """Return the dialect of a name. Raises InputError, with the reason, where it has no scripts."""
    named = ALIASES.get(text, text)
    if named in OWN or named in WAREHOUSES:
        return named
    known = ", ".join([*OWN, *WAREHOUSES])
    what = f"is no dialect that scripts are written in; these are: {known}"
    if named in WHY_NOT:
        what = f"gets no script, because there {WHY_NOT[named]}; scripts are written for: {known}"
    elif named and named in {str(each.value) for each in sqlglot.Dialects}:
        what = (
            f"gets no script: whether texts are distinguished by their bytes, and a failing cast ends a "
            f"statement, is not known of it; scripts are written for: {known}"
        )
    raise InputError("dialect", [Fault(text, what)])


def target_of(
    run: Session,
    *,
    dialect: str | None,
    hierarchies: str | None,
    source: str | None,
    release: str | None,
    sqlmesh: str | None = None,
) -> ScriptTarget:
    """Return the target of a script. Raises InputError with all faults."""
    chosen = run.engine.dialect if dialect is None else dialect_named(dialect)
    elsewhere = chosen != run.engine.dialect or sqlmesh is not None
    if sqlmesh is not None and (speaks_against := list(_no_model(chosen, hierarchies, release))):
        raise InputError("sqlmesh", speaks_against)
    if hierarchies is not None and hierarchies not in list(Bring):
        raise InputError("hierarchies", [Fault(hierarchies, "must be inline or tables")])
    bring = Bring(hierarchies) if hierarchies is not None else None
    if bring is None and (elsewhere or not dialect_of_words(chosen).local_files):
        bring = Bring.INLINE
    policy = run.policy
    reads = None if source is None else parse_table_name(source)
    if reads is None and elsewhere and policy.source.table is not None:
        reads = parse_table_name(policy.source.table)
    named = release if sqlmesh is None else sqlmesh
    makes = None if named is None else parse_table_name(named)
    destination = policy.release
    if (
        makes is None
        and destination is not None
        and destination.format.kind.in_database
        and destination.name
    ):
        makes = parse_table_name(destination.name)
    if makes is None and destination is None:
        makes = table("kanon_release")
    target = ScriptTarget(chosen, elsewhere, bring, reads, makes, sqlmesh is not None)
    if faults := list(_faults(run, target)):
        raise InputError(policy.subject, faults)
    return target


def _no_model(dialect: str, hierarchies: str | None, release: str | None) -> Iterator[Fault]:
    """Yield a fault for each option that does not go with a model of SQLMesh."""
    if dialect in NO_MODEL:
        yield Fault("dialect", f"{dialect} gets no model: {NO_MODEL[dialect]}")
    if hierarchies not in {None, Bring.INLINE}:
        yield Fault("hierarchies", "stand in a model of SQLMesh; say inline")
    if release is not None:
        yield Fault("release", "is the model itself; leave it out")


def _faults(run: Session, target: ScriptTarget) -> Iterator[Fault]:
    """Yield a fault for each part of the policy or target that a script for its database cannot do."""
    policy, where = run.policy, target.title
    made = [] if target.release is None else [part.name for part in target.release.parts]
    if len(made) > 1 and has_ending(".".join(made)):
        what = (
            "is the name of a table here, and looks like a file: a script writes a file where the policy has it as its "
            "release; leave out --release, or name a table"
        )
        yield Fault("--release", what)
    publisher = publisher_of(run, policy.release)
    yield from publisher.script_faults(to_table=target.release is not None)
    if target.local_files and not target.elsewhere:
        return
    if target.elsewhere and target.source is None:
        what = f"is no table that a script for {where} could read; name one: --table NAME"
        yield policy.fault("source", what)
    if target.release is None:
        what = f"is no table, and a script for {where} makes one; name it: --release NAME"
        yield policy.fault("release", what)
    facts = capabilities.OF_DIALECT.get(target.dialect)
    names = (each for c in policy.columns for each in (c.name, *c.released_as))
    for name in dict.fromkeys(names if facts is not None else ()):
        if facts is not None and (cut := name_too_long(facts, [name])) is not None:
            yield policy.fault(f"columns.{name}", cut)
    yield from _of_tables(target)


def _of_tables(target: ScriptTarget) -> Iterator[Fault]:
    """Yield a fault for table names with control characters, or too long: the database would cut them."""
    there, longest = target.warehouse, target.longest_name
    for option, named in (("--table", target.source), ("--release", target.release)):
        parts = [] if named is None else [part.name for part in named.parts]
        if longest is not None and any(len(part.encode()) > longest for part in parts):
            what = f"is longer than the {longest} bytes of a name in {target.title}"
            yield Fault(option, what)
        if there is not None and any(each < " " for part in parts for each in part):
            yield Fault(option, "holds control characters")
