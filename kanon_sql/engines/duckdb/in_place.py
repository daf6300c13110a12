"""DuckDB's release in place: one transaction drops the raw table and creates another under its name.

Views and macros of DuckDB refer to tables by name, so they show the release afterwards. The dropped
rows stay in the database file until it is rewritten (`purge`).
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.base.sql.quoting import column as column_of
from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines.commands_sql import command, drop_table
from kanon_sql.engines.in_place_sql import LISTS, ColumnChanges, Dependent, Swap
from kanon_sql.engines.local_files import atomic_write, write_through
from kanon_sql.errors import Fault, InternalError, MemoryLimitError, ReleaseError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.engines.base import Engine, Row

INDEX = "is about values that change; it is dropped"
VIEW = (
    "reads columns that go or may change their type, and may not open any more; it stays as it is"
)
UNPURGED = (
    "the release is in place, but the file could not be written anew, and still holds the raw "
    "rows that were dropped; run kanon-sql clean --database FILE --purge when there is room for a copy of it"
)
POINTED_AT = "points here, and DuckDB cannot drop that; create its table again without it"


def dependents(engine: Engine, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
    rows = engine.fetch(in_place_sql.table_definition(table))
    if not rows:
        what = "is not a plain table of the database in use; only those are released in place"
        return [Dependent("its kind", what, barred=True)]
    types = {column.name: column.type for column in engine.columns(table)}
    retyped = {n for n in changes.changed if types.get(n) != "VARCHAR"} | changes.removed
    found = list(_collations(str(rows[0][3]), changes))
    for kind, own, columns, text, comment, mark in engine.fetch(in_place_sql.dependents(table)):
        label = f"{kind} {own}"
        reads = [str(c) for c in columns] if isinstance(columns, list) else []
        match kind:
            case "column" if not changes.lose(reads):
                if mark:
                    what = (
                        "cannot be computed from what is released; its column becomes a plain one"
                    )
                    found.append(Dependent(f"generation of {own}", what))
                elif text is not None and changes.touch(reads):
                    found.append(
                        Dependent(f"default of {own}", "is a value as it was before; it is dropped")
                    )
            case "constraint" if changes.touch(reads):
                found.append(Dependent(label, "is about values that change; it is dropped"))
            case "foreign key":
                found.append(Dependent(f"{label} ({', '.join(reads)})", POINTED_AT, barred=True))
            case "index":
                found.append(
                    _index(table, str(own), str(text), changes, unique=bool(mark), comment=comment)
                )
            case "type":
                found.append(Dependent(label, LISTS))
            case "view" if _reads(str(text), table, retyped):
                found.append(Dependent(label, VIEW))
            case "column" | "constraint" | "not null" | "view":  # it stays as it is
                pass
            case _:
                raise InternalError(f"unknown kind of dependent: {kind}")
    return found


def _collations(text: str, changes: ColumnChanges) -> Iterator[Dependent]:
    """Find columns that were declared with a collation, which a copy of a table does not keep."""
    tree = _parsed(text)
    for definition in tree.find_all(exp.ColumnDef) if tree is not None else ():
        if definition.find(exp.CollateColumnConstraint) and not changes.lose([definition.name]):
            what = "is not taken over; the column compares as others do"
            yield Dependent(f"collation of {definition.name}", what)


def _parsed(text: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(text, read="duckdb")
    except SqlglotError:
        return None


def _index(
    table: exp.Table, own: str, text: str, changes: ColumnChanges, *, unique: bool, comment: object
) -> Dependent:
    """Decide whether an index is created again. A plain one, on columns and not unique, fits any values."""
    label = f"index {own}"
    before = (command("drop_index", named(own, schema=table.db)),)
    tree = _parsed(text)
    over = None if tree is None else tree.find(exp.IndexParameters)
    columns = [] if over is None else [each.name for each in over.find_all(exp.Column)]
    plain = over is not None and all(
        isinstance(each.this, exp.Column) for each in over.args.get("columns") or ()
    )
    folded = {name.casefold() for name in columns}
    lost = {name.casefold() for name in changes.removed} & folded
    touched = lost | ({name.casefold() for name in changes.changed} & folded)
    if over is None or lost or (touched and (unique or not plain)):
        return Dependent(label, INDEX, before=before)
    after = [in_place_sql.recreate(text)]
    if comment is not None:
        after.append(in_place_sql.comment_on("index", named(own, schema=table.db), str(comment)))
    return Dependent(label, before=before, after=tuple(after))


def _reads(text: str, table: exp.Table, retyped: set[str]) -> bool:
    """Return whether a view may read columns of the table that go or change their type."""
    tree = _parsed(text)
    if tree is None:
        return True
    body = tree.expression
    tables = {each.name.casefold() for each in body.find_all(exp.Table)}
    if table.name.casefold() not in tables:
        return False
    words = {each.name.casefold() for each in body.find_all(exp.Identifier)}
    return body.find(exp.Star) is not None or bool({n.casefold() for n in retyped} & words)


def swap(engine: Engine, swap: Swap) -> None:
    """Replace the table by the released rows, within the transaction."""
    table, changes = swap.table, swap.changes
    ((*_, comment),) = engine.fetch(in_place_sql.table_definition(table))
    rows = engine.fetch(in_place_sql.dependents(table))
    staged = {column.name: column.type for column in engine.columns(swap.staged)}
    types = {column.name: column.type for column in engine.columns(table)}
    same = {name for name in types if name in staged and types[name] == staged[name]}
    same -= changes.removed | changes.changed
    defaults = {
        str(own): str(text)
        for kind, own, _, text, _, mark in rows
        if kind == "column" and text is not None and not mark and own in same
    }
    never_null = {
        str(name)
        for kind, _, columns, *_ in rows
        if kind == "not null" and isinstance(columns, list)
        for name in columns
    } - changes.nulled
    constraints = [
        str(text)
        for kind, _, columns, text, *_ in rows
        if kind == "constraint" and isinstance(columns, list) and same.issuperset(columns)
    ]
    for each in swap.dependents:
        for statement in each.before:
            engine.execute(statement)
    if swap.kept is not None:
        engine.execute(commands_sql.publish_table(swap.kept, table, list(types), replace=False))
    engine.execute(drop_table(table))
    declared = [(n, staged[n], defaults.get(n), n in never_null) for n in swap.columns]
    engine.execute(in_place_sql.create_in_place(table, declared, constraints))
    engine.execute(in_place_sql.insert_rows(table, swap.columns, swap.staged))
    swap.recount(engine, table)
    for each in swap.dependents:
        for statement in each.after:
            engine.execute(statement)
    if comment is not None:
        engine.execute(in_place_sql.comment_on("table", table, str(comment)))
    for kind, own, _, _, note, _ in rows:
        if kind == "column" and note is not None and str(own) in staged:
            spot = exp.column(column_of(str(own)).this, table=table.this, db=table.args.get("db"))
            engine.execute(in_place_sql.comment_on("column", spot, str(note)))


def purge(engine: Engine) -> None:
    """Rewrite the database file, as dropped rows stay in a file until they are overwritten.

    The new file replaces the old one only if it declares the same objects, and its tables have as
    many rows. Raises ReleaseError where the file stays as it was.
    """
    ((own, path),) = engine.fetch(in_place_sql.database_in_use())
    if path is None:
        return
    write_anew(engine, str(own), Path(str(path)))


def write_anew(engine: Engine, own: str, target: Path) -> None:
    """Rewrite the file of a database attached as `own`. Raises ReleaseError where the old file stays."""
    try:
        engine.execute(command("checkpoint", name_of(own)))
        with atomic_write(target) as place:
            place.written.mkdir(mode=0o700)  # nobody else reads the copy, or its log
            copy, name = place.written / "copy", f"kanon_{secrets.token_hex(4)}"
            engine.execute(command("attach_file", literal(str(copy)), name_of(name)))
            try:
                engine.execute(command("copy_database", name_of(own), name_of(name)))
                old, new = (_contents(engine, each) for each in (own, name))
            finally:
                engine.execute(command("detach", name_of(name)))
            if old != new:
                raise ReleaseError("--purge", [Fault("database", UNPURGED)])
            _copy_permissions(target, copy)
            write_through(copy)
            copy.replace(target)
    except (StatementError, MemoryLimitError, OSError) as error:
        raise ReleaseError("--purge", [Fault("database", UNPURGED)]) from error


def _contents(engine: Engine, database: str) -> list[Row]:
    """List the objects that a database declares, and the count of rows of each table."""
    tables = [(str(s), str(t)) for s, t in engine.fetch(in_place_sql.tables_of_database(database))]
    counted = engine.fetch(in_place_sql.count_rows_of_each(database, tables)) if tables else []
    return [*engine.fetch(in_place_sql.inventory(database)), *counted]


def _copy_permissions(origin: Path, file: Path) -> None:
    """Copy the owner and the permissions of `origin` to `file`."""
    original = origin.stat()
    if (original.st_uid, original.st_gid) != (file.stat().st_uid, file.stat().st_gid):
        os.chown(file, original.st_uid, original.st_gid)
    file.chmod(stat.S_IMODE(original.st_mode))
