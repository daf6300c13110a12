"""The target of a script (dialect, tables, entries of hierarchies), and the header and entries that the script contains."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import sqlglot

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import condition as condition_of
from kanon_sql.base.sql.quoting import parse_table_name, table
from kanon_sql.base.sql.words import dialect_of_words
from kanon_sql.counting.hierarchies.read_paths import (
    MOST_ENTRIES,
    create_paths,
    csv_rows,
    file_of,
    hierarchy_of,
    path_statements,
)
from kanon_sql.counting.source.column_problems import name_too_long
from kanon_sql.engines import capabilities, commands_sql
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.source.source_sql import has_ending
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.privacy.demands import in_tree
from kanon_sql.release.publish_lake import publisher_of
from kanon_sql.release.stage import (
    SCRIPT,
    SCRIPT_ELSEWHERE,
    SERVER_SCRIPT,
    SQLMESH_MODEL,
    WAREHOUSE_SCRIPT,
    Executor,
)
from kanon_sql.release.warehouse_sql import (
    MODELS,
    NO_MODEL,
    OWN,
    WAREHOUSES,
    WHY_NOT,
    Warehouse,
    means_the_same,
    table_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.words.common import Words
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.entries import HierarchyKind
    from kanon_sql.policy.model import Column

    Entry = Sequence[str | None]


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
    With `sqlmesh` the script is the query of a model, which SQLMesh runs, and as a `macro` the database's own shell.
    """

    dialect: str
    elsewhere: bool
    bring: Bring | None
    source: exp.Table | None
    release: exp.Table | None
    sqlmesh: bool = False
    macro: bool = False

    @property
    def warehouse(self) -> Warehouse | None:
        """The description of a database without an engine of ours; None for our engines' own scripts."""
        return (MODELS if self.sqlmesh else WAREHOUSES).get(self.dialect)

    @property
    def executor(self) -> Executor:
        """The executor of the script, named after its database."""
        if self.sqlmesh:
            return replace(SQLMESH_MODEL, name="a macro") if self.macro else SQLMESH_MODEL
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


MOST_INLINE = 5_000
"""The most entries of one hierarchy in a script, because databases limit the length of a statement."""


def brought(kind: HierarchyKind, target: ScriptTarget) -> bool:
    """Return True if a hierarchy's entries are in the script, or in a table that is loaded for it."""
    if kind.encoding is not None:  # no SQL reads its file
        return True
    if target.bring is None or not kind.has_entries:
        return False
    own = not target.elsewhere and target.bring is Bring.INLINE
    in_database = kind.table is not None or kind.query is not None
    return not own or target.local_files or not in_database


def entries_table(number: int) -> exp.Table:
    """Return the name of the table with a hierarchy's entries, by the number of its quasi-identifier."""
    return table(f"kanon_hierarchy_entries_{number}")


def entries(
    run: Session,
    column: Column,
    *,
    instead: str = "load them: --hierarchies tables",
    source: exp.Table | None = None,
) -> list[Entry]:
    """Read all entries of a hierarchy, with None for the levels that an entry lacks.

    They are the policy's entries, so that a script shows no value of a row. With a `source`, an entry that is matched
    otherwise than by its text is spelled like the source's values. Raises InputError where the hierarchy cannot be read
    or has more than `MOST_INLINE` entries; the error says what to do `instead`.
    """
    kind = hierarchy_of(column)
    where = f"columns.{column.name}.hierarchy"
    try:
        rows: Sequence[Sequence[object]]
        if kind.file is not None:
            file, delimiter, height = file_of(run, kind)
            rows = csv_rows(file, delimiter, height + 1)
        elif kind.rows is not None:
            rows = kind.rows
        else:
            paths = run.scratch.table("paths")
            _, made = path_statements(run, column, paths, paths)
            for statement in made:
                run.engine.execute(statement)
            rows = run.engine.fetch(source_sql.first_rows(paths, MOST_ENTRIES))
        if source is not None and kind.match:
            rows = _as_spelled(run, column, source)
    except (ValueError, OSError) as error:
        what = "cannot be read; make the plan again"
        raise InputError(run.policy.subject, [run.policy.fault(where, what)]) from error
    if len(rows) > MOST_INLINE:
        what = f"has {len(rows)} entries, too many for a script; {instead}"
        raise InputError(run.policy.subject, [run.policy.fault(where, what)])
    return [[None if cell is None else str(cell) for cell in row] for row in rows]


def _as_spelled(run: Session, column: Column, source: exp.Table) -> Sequence[Sequence[object]]:
    """Read the entries of a hierarchy, each spelled like the source's values that match it."""
    domain, paths = run.scratch.table("domain"), run.scratch.table("paths")
    run.engine.execute(mapping_sql.domain(domain, source, column.name))
    create_paths(run, column, domain, paths)
    return run.engine.fetch(source_sql.first_rows(paths, MOST_ENTRIES))


def check_entries(run: Session, plan: Plan) -> None:
    """Raise StalePlanError where a hierarchy changed since the plan was made.

    Hierarchies of a table or a query are not checked: a script reads them in the database when it runs.
    """
    policy, faults = run.policy, []
    for column in policy.quasi:
        found = _digest(run, column.hierarchy)
        if found is not None and plan.hierarchies.get(column.name) != found:
            what = "changed since the plan was made; make the plan again and review it"
            faults.append(policy.fault(f"columns.{column.name}.hierarchy", what))
    unknown = sorted(
        {*plan.hierarchies} - {each.name for each in policy.quasi} - in_tree(policy.privacy)
    )
    faults += [Fault(f"hierarchies.{name}", "is that of no quasi-identifier") for name in unknown]
    if faults:
        raise StalePlanError(policy.subject, faults)


def _digest(run: Session, kind: HierarchyKind | None) -> str | None:
    """Return the hash that a plan must state for a hierarchy; None if it is not in a local file or policy."""
    if kind is None or kind.table is not None or kind.query is not None:
        return None
    if kind.file is None:
        return kind.digest
    path = run.path(kind.file)
    try:
        return None if "://" in path else sha256_of(path)
    except OSError:
        return "of a file that is gone"


def sha256_of(path: str) -> str:
    """Return a file's SHA-256, as plans state it for a hierarchy's file. Raises OSError."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_condition(run: Session, where: str, target: ScriptTarget) -> None:
    """Raise InputError where the source's condition may mean something else in the target's database."""
    folds = target.warehouse is not None and target.warehouse.folds
    if not means_the_same(condition_of(where, dialect=run.engine.dialect), texts=not folds):
        what = (
            f"may mean another thing in {target.title}: there it may only compare columns with "
            f"{'numbers' if folds else 'constants'} by =, <>, IN and IS NULL, joined by AND, OR and NOT; make a view of the rows, "
            f"and name that: --table NAME"
        )
        raise InputError(run.policy.subject, [run.policy.fault("source.where", what)])


def header(run: Session, target: ScriptTarget) -> str:
    """Return the comment at the top of a script: its purpose, whether tests run such scripts, its needs."""
    return "".join(f"-- {printable(line)}\n" for line in _lines(run, target)) + "\n"


def _lines(run: Session, target: ScriptTarget) -> Iterator[str]:
    yield f"A release for {target.title}, printed by kanon-sql: nothing is published unless the recount passes."
    if target.warehouse is None:
        yield f"The tests of kanon-sql run such scripts, by: {target.words.shell}"
    else:
        yield (
            f"NOT RUN by the tests of kanon-sql, which have no {target.title}: they parse such scripts in its "
            f"dialect, and run the same statement in DuckDB, PostgreSQL and Spark SQL."
        )
        yield "Names are quoted, so they have to be spelt as they are there."
        if not target.warehouse.bytes:
            yield "Texts must differ where their bytes do: no column may have a collation."
        yield "Nobody may write to the source meanwhile. The rows of the release have no order of their own."
    if target.bring is not Bring.TABLES:
        return
    for number, column in enumerate(run.policy.quasi, start=1):
        spec = column.hierarchy
        if spec is None or not brought(spec, target):
            continue
        path = "" if spec.file is None else f", from {spec.file}"
        yield f"Make this table and load the hierarchy of {column.name} into it{path}; no value is NULL"
        yield "there but a level that an entry lacks:"
        yield from _table_text(run, number, column, target).split("\n")


def _table_text(run: Session, number: int, column: Column, target: ScriptTarget) -> str:
    """Return the statement that creates the table of a hierarchy's entries."""
    names = ["value", *(mapping_sql.level(n) for n in range(1, height_of(run, column) + 1))]
    statement = commands_sql.text_table(entries_table(number), names)
    return f"{table_text(statement, target.dialect, target.warehouse)};"


def height_of(run: Session, column: Column) -> int:
    """Return the number of levels above the value that a hierarchy's entries have."""
    kind = hierarchy_of(column)
    if kind.file is not None:
        return file_of(run, kind)[2]
    if kind.rows is not None:
        return kind.height
    paths = run.scratch.table("paths")
    return path_statements(run, column, paths, paths)[0]
