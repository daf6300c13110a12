"""DuckDB: the embedded default. The one module that holds a DuckDB connection."""

from __future__ import annotations

import atexit
import functools
import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engine import duckdb_swap
from kanon_sql.engine.base import ColumnType, Located, Prepared, Row
from kanon_sql.engine.facts import DUCKDB
from kanon_sql.engine.journal import Journal
from kanon_sql.engine.swap import Tie
from kanon_sql.errors import Fault, ReleaseError, SourceError, StatementError
from kanon_sql.sql import hierarchies, in_place, publishing, recoding, sources
from kanon_sql.sql.leaves import table as duckdb_name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engine.swap import Changes, Swap

UNHELD = "are not stopped by DuckDB before 2.0, and those that come in while a run goes on are lost"
UNPURGED = (
    "the release is in place, but the file could not be written anew, and still holds what was "
    "dropped; copy the database to a new file and remove the old one"
)


class DuckDB:
    """One DuckDB connection and the journal of what was said on it."""

    dialect = "duckdb"
    facts = DUCKDB
    scratch_schema = None

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, purges: bool = False) -> None:
        self.connection = connection
        self.purges = purges  # the file of a connection of the caller's cannot be written anew
        self.journal = Journal()

    @property
    def version(self) -> str:
        """Name the library's version."""
        return f"duckdb {duckdb.__version__}"

    def prepare(self, statement: Statement) -> Prepared:
        """Render a statement once."""
        return Prepared.of(statement, self.dialect)

    def ask(self, statement: Statement | Prepared, params: Sequence[object] = ()) -> list[Row]:
        """Run a statement whose result is small by construction, and give its rows."""
        ready = self.prepare(statement) if isinstance(statement, Statement) else statement
        rows = self._run(ready, params)
        self.journal.statement(ready.text, scans=ready.scans, fetched=len(rows))
        return rows

    def say(self, statement: Statement, params: Sequence[object] = ()) -> None:
        """Run a statement for its effect."""
        ready = self.prepare(statement)
        self._run(ready, params)
        self.journal.statement(ready.text, scans=ready.scans, fetched=0)

    def _run(self, ready: Prepared, params: Sequence[object]) -> list[Row]:
        try:
            return self.connection.execute(ready.text, list(params)).fetchall()
        except duckdb.Error as error:
            raise StatementError(ready.step, ready.text, error) from None
        except RuntimeError as error:
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from error
            raise

    def columns(self, table: exp.Table) -> list[ColumnType]:
        """Describe a table."""
        return [ColumnType(str(r[0]), str(r[1])) for r in self.ask(sources.columns_of(table))]

    def locate(self, table: exp.Table) -> list[Located]:
        """Find what a name stands for; a missing table is no error, which would end a transaction."""
        statement = sources.locate(table)
        rows = self.ask(statement, statement.params)
        return [
            Located(str(kind), *(str(part).casefold() for part in names)) for kind, *names in rows
        ]

    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table or view; what cannot be dropped any more is gone with its session."""
        statement = publishing.drop_view(table) if view else publishing.drop_table(table)
        with suppress(duckdb.Error):
            self.connection.execute(statement.render(self.dialect))

    def adopt(self, table: exp.Table, frame: object) -> bool:
        """Let statements see a relation or a frame under a name of this run.

        A relation of another connection, which can be read only once, is streamed into a
        scratch table. Returns whether the name is a view.
        """
        try:
            if hasattr(frame, "read_next_batch"):
                return self._stream(table, frame)
            if isinstance(frame, duckdb.DuckDBPyRelation):
                try:
                    self.connection.register(table.name, frame)
                except duckdb.InvalidInputException:
                    return self._stream(table, frame.to_arrow_reader())
            else:
                self.connection.register(table.name, frame)
        except (duckdb.Error, TypeError, ValueError):
            kind = type(frame).__name__
            fault = Fault("", f"a {kind} is nothing that DuckDB can read as a table")
            raise SourceError("source", [fault]) from None
        return True

    def _stream(self, table: exp.Table, reader: object) -> bool:
        once = duckdb_name(f"{table.name}_once")
        self.connection.register(once.name, reader)
        try:
            self.say(publishing.keep(table, once))
        finally:
            self.connection.unregister(once.name)
        return False

    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Make a scratch table of texts from rows at hand."""
        self.say(hierarchies.paths_from_rows(table, columns, rows))

    def hold_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in a variable of the session."""
        self.say(recoding.hold_key(name), [pad])

    def forget_key(self, name: str) -> None:
        """Take a padded key out of the session."""
        self.say(recoding.forget_key(name))

    def relation(self, table: exp.Table, columns: Sequence[str]) -> duckdb.DuckDBPyRelation:
        """Give columns of a table as a lazy relation, for the caller to fetch as they like."""
        return self.connection.table(table.name).select(*map(duckdb.ColumnExpression, columns))

    @contextmanager
    def hold(self, candidates: Sequence[exp.Table]) -> Iterator[None]:
        """Make the run one transaction, or a part of the caller's; whoever writes to the table fails.

        DuckDB has no locks. It refuses to commit rows into a table that another transaction has
        altered, and a comment that is set to what it was is the least alteration.
        """
        rows = [row for table in candidates for row in self.ask(in_place.described(table))]
        joins = self._transaction() == self._transaction()
        if not joins:
            self.say(in_place.begin())
        try:
            if rows:
                _, schema, name, _, comment = rows[0]
                held = duckdb_name(str(name), schema=str(schema))
                text = None if comment is None else str(comment)
                self.say(in_place.touch(held, text))
            yield
            if not joins:
                self._commit()
        except BaseException:
            if not joins:
                with suppress(StatementError):
                    self.say(in_place.rollback())
            raise

    def _transaction(self) -> object:
        return self.ask(in_place.transaction())[0][0]

    def _commit(self) -> None:
        try:
            self.say(in_place.commit())
        except StatementError as error:
            what = "was changed by another connection meanwhile; nothing was published"
            raise ReleaseError("release", [Fault("source", what)]) from error

    def pin(self, table: exp.Table) -> exp.Table:
        """Name a table of the database in use with its schema."""
        rows = self.ask(in_place.described(table))
        return duckdb_name(str(rows[0][2]), schema=str(rows[0][1])) if rows else table

    def ties(self, table: exp.Table, changes: Changes) -> list[Tie]:
        """Find what hangs on a table."""
        alone = [] if duckdb.__version__ >= "2" else [Tie("writes of other connections", UNHELD)]
        return [*alone, *duckdb_swap.ties(self, table, changes)]

    def swap(self, swap: Swap) -> None:
        """Put the released rows under the table's name."""
        duckdb_swap.swap(self, swap)

    def purge(self) -> None:
        """Write the database file anew: what was dropped stays in the old file until it is overwritten.

        The new file takes the old one's place when it declares all that the old one does.
        """
        self.say(in_place.checkpoint())
        ((own, path),) = self.ask(in_place.database_in_use())
        if path is None:
            return
        mark = f"kanon_{secrets.token_hex(4)}"
        beside = Path(str(path)).with_name(f".{Path(str(path)).name[:100]}.{mark}.kanon")
        try:
            self.say(in_place.attach(str(beside), mark))
            try:
                self.say(in_place.copy_database(str(own), mark))
                old, new = (self.ask(in_place.inventory(each)) for each in (str(own), mark))
            finally:
                self.say(in_place.detach(mark))
            if old != new:
                raise ReleaseError("--purge", [Fault("database", UNPURGED)])
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(str(path))
        except (StatementError, OSError) as error:
            raise ReleaseError("--purge", [Fault("database", UNPURGED)]) from error
        finally:
            beside.unlink(missing_ok=True)
            beside.with_name(f"{beside.name}.wal").unlink(missing_ok=True)


@contextmanager
def open_duckdb(
    database: str | None = None,
    *,
    read_only: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | None = None,
) -> Iterator[DuckDB]:
    """Open a database file, or an empty database in memory that spills to a folder of its own."""
    with _spill_folder(temp_directory) as spill:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": spill,
            "preserve_insertion_order": False,
        }
        if threads is not None:
            config["threads"] = threads
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        if database is not None and not Path(database).is_file():
            fault = Fault("database", "there is no such file")
            raise SourceError(database, [fault])
        try:
            connection = duckdb.connect(
                database or ":memory:", read_only=read_only and database is not None, config=config
            )
        except duckdb.Error as error:
            what = f"DuckDB cannot open it ({type(error).__name__})"
            raise SourceError(database or "settings", [Fault("database", what)]) from None
        try:
            yield DuckDB(connection, purges=True)
        finally:
            connection.close()


@contextmanager
def _spill_folder(parent: str | None) -> Iterator[str]:
    """Make a folder that no run leaves behind: what an interrupt kept is taken away at exit."""
    folder = Path(parent or tempfile.gettempdir()) / f"kanon-sql-{secrets.token_hex(8)}"
    sweep = functools.partial(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(sweep)
    try:
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            what = f"a folder cannot be made there ({type(error).__name__})"
            raise SourceError(str(folder.parent), [Fault("temp_directory", what)]) from None
        yield str(folder)
    finally:
        sweep()
        atexit.unregister(sweep)
