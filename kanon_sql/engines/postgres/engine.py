"""The engine for PostgreSQL. The only module with a psycopg connection."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg.rows import tuple_row

from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import table as postgres_name
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines.base import ColumnType, Engine, Located, PreparedStatement, Row
from kanon_sql.engines.capabilities import DUCKDB, POSTGRES
from kanon_sql.engines.commands_sql import command, drop_table, drop_view
from kanon_sql.engines.duckdb.session import spill_folder
from kanon_sql.engines.in_place_sql import NO_JOINING, WrittenMeanwhileError
from kanon_sql.engines.postgres import in_place
from kanon_sql.engines.scratch import PREFIX
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.tables_here import CLIENT_ROWS, COPIED, ClientTables
from kanon_sql.errors import (
    Fault,
    InputError,
    MemoryLimitError,
    MissingRightError,
    ReleaseError,
    SourceError,
    StatementError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.in_place_sql import ColumnChanges, Dependent, Swap

ANALYZED = frozenset(
    {
        "frequency_set", "path_codes", "release_map", "roll_up", "roll_ups", "classes", "fitting", "rest",
        "moved", "labels",
    }
)  # fmt: skip
"""Templates whose scratch tables are analyzed: the planner needs statistics to join or group them."""
MEANING, PLANS = commands_sql.OF_POSTGRES, commands_sql.PLANS_OF_POSTGRES
"""Settings of a run, which are restored at its end."""

NO_ROOM = (OSError, SourceError, MemoryLimitError)
"""Errors of this machine: no folder to write to, no room in it, or too little memory."""

SNAPSHOTS = frozenset({"repeatable read", "serializable"})
"""Levels of isolation in which every statement of a transaction sees the same rows."""

NO_TABLE = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.WrongObjectType,
    psycopg.errors.FeatureNotSupported,
)
"""Errors of LOCK for a name that is no table. A later check reports the name, with what to do."""
AGAIN = "run it again"
CAUSES = {
    "25006": "the session or the server is read-only: kanon-sql makes scratch tables, so it cannot run on a replica, nor under "
    "default_transaction_read_only; name the primary server",
    "25P03": f"the server ended the session by idle_in_transaction_session_timeout; {AGAIN} with a longer one",
    "25P04": f"the server ended the transaction by transaction_timeout; {AGAIN} with a longer one",
    "40001": f"another transaction changed the same rows meanwhile (serialization failure); {AGAIN}",
    "40P01": f"the server broke a deadlock with another session; {AGAIN}",
    "53100": "the server's disk is full. Make room there: a run needs about the size of the table in "
    "scratch tables and sorts",
    "53200": "the server ran out of memory. Lower work_mem for this role, or give the server more memory",
    "53300": "the server has too many connections; run it again when there are fewer",
    "53400": "a limit of the server's configuration was reached, such as temp_file_limit. Raise it for this role",
    "55P03": f"another session holds a lock on the table for longer than lock_timeout; {AGAIN} when it has ended",
    "57014": f"the server cancelled the statement: statement_timeout passed, or somebody cancelled it; {AGAIN}, with a longer "
    "statement_timeout for this role where that was it (PGOPTIONS='-c statement_timeout=0')",
    "57P01": f"an administrator ended the session; {AGAIN}",
    "57P02": f"the server crashed; {AGAIN} when it has recovered",
    "57P03": "the server takes no statements now, as it starts or stops; run it again later",
}
"""Meanings of SQLSTATEs that hold no data, and what to do about them."""
WRITTEN = "rows were written to the table while the release was staged; nothing was published"
UNSEEN = "the table could not be read again to see whether rows were written meanwhile; nothing was published"
VALUE_CATALOGS = ("pg_statistic", "pg_statistic_ext_data", "pg_attribute", "pg_attrdef")
"""Catalogs that contain values: most common values, values of added columns, and defaults."""
NO_PURGING = (
    "writes catalogs of the server anew, which no transaction may do; name the database by "
    "database:, or hand in a connection in autocommit"
)
UNPURGED = (
    f"the release is in place and its raw rows are gone, but values of them are still in deleted rows "
    f"of the server's catalogs: a superuser has to VACUUM FULL {', '.join(VALUE_CATALOGS)}"
)


class Postgres(Engine):
    """One PostgreSQL connection.

    A run is one transaction. Every statement sees the same rows, and a run that fails or is killed at any moment
    leaves nothing behind.
    """

    dialect = "postgres"
    capabilities = POSTGRES

    def __init__(
        self,
        connection: psycopg.Connection,
        scratch_schema: str | None = None,
        *,
        joins: bool = False,
    ) -> None:
        super().__init__()
        self.connection = connection
        self.joins = joins
        self.purging = False
        self.scratch_schema = scratch_schema
        self.client_tables = ClientTables(0)
        self._asked = False
        self._late: list[exp.Table] = []
        self._witness: Postgres | None = None
        self._cursor = psycopg.RawCursor(connection, row_factory=tuple_row)

    @property
    def version(self) -> str:
        number = self.connection.info.server_version
        return f"postgresql {number // 10000}.{number % 10000}"

    def _executed(self, ready: PreparedStatement, name: str) -> None:
        """Analyze a new scratch table that later statements join, and copy one here that searches read."""
        if ready.makes is None or ready.on_driver:
            return
        if name in ANALYZED:
            self.execute(command("analyze", ready.makes))
        if name in COPIED and not self._asked:
            # Only now: the first query takes the snapshot, and a lock on the source has to come before that.
            self._asked = True
            ((most_rows,),) = self.fetch(commands_sql.session_setting(CLIENT_ROWS))
            self.client_tables = ClientTables.of(most_rows)
        if self.client_tables.wants(name) and not ready.makes.db:
            self._copy_here(ready.makes)

    def prepare(self, statement: Statement) -> PreparedStatement:
        """Prepare a statement for this process if all its tables are here; else create those on the server."""
        if not self.client_tables.most_rows:
            return super().prepare(statement)
        rendered = statement.rendered(self.dialect)
        if (here := self.client_tables.prepare(statement, rendered)) is not None:
            return here
        self._make_there(rendered.reads or ())
        return PreparedStatement(statement.step, rendered.text, statement.scans, rendered.makes)

    def capabilities_at(self, table: exp.Table) -> Capabilities:
        return DUCKDB if table in self.client_tables else self.capabilities

    def _copy_here(self, table: exp.Table) -> None:
        """Copy a table of codes and counts to this process, if it is small.

        If this machine has no room for it, the table stays on the server, as larger ones do. A savepoint keeps a copy
        that ends halfway from failing the run's transaction. `clean` removes the folder of a killed process.
        """
        columns = self.columns(table)
        if not self.client_tables.takes(columns, self.fetch_count(source_sql.count_rows(table))):
            return
        with suppress(*NO_ROOM), self.connection.transaction(), spill_folder(None) as folder:
            path = str(Path(folder) / "codes.csv")
            self.keep(table, [each.name for each in columns], path)
            self.client_tables.take(table, columns, path)

    def _make_there(self, tables: Iterable[exp.Table]) -> None:
        """Create on the server those of these tables that are only in this process."""
        for ready in self.client_tables.unmade(tables):
            self._run(ready, ())
            self.journal.statement(ready.text, scans=ready.scans, fetched=0)

    def _run(self, ready: PreparedStatement, params: Sequence[object]) -> list[Row]:
        if ready.on_driver:
            return self.client_tables.run(ready, params)
        try:
            self._cursor.execute(ready.text.encode(), params)
            return self._cursor.fetchall() if self._cursor.description else []
        except psycopg.errors.InsufficientPrivilege as error:
            refused = StatementError(ready.step, ready.text, error)
            raise MissingRightError(ready.step, _right(ready)) from refused
        except psycopg.Error as error:
            raise _refused(ready.step, ready.text, error) from None

    def columns(self, table: exp.Table) -> list[ColumnType]:
        self._make_there([table])
        rows = self.fetch(source_sql.columns_of(table))
        return [ColumnType(str(name), str(kind), bool(enum)) for name, kind, enum in rows]

    def collated(self, table: exp.Table, columns: Sequence[ColumnType]) -> set[str]:
        """Return the columns with a nondeterministic collation, or of a type that ignores case by itself."""
        del columns
        return {str(name) for (name,) in self.fetch(source_sql.collated_columns(table))}

    def locate(self, table: exp.Table) -> list[Located]:
        statement = source_sql.locate(table)
        return [
            Located(str(kind), bool(temporary), *map(str, names))
            for kind, temporary, *names in self.fetch(statement, statement.params)
        ]

    def commented_tables(
        self, schema: str | None, catalog: str | None = None
    ) -> list[tuple[exp.Table, str]]:
        """List the tables of a schema that the role owns, with their comments."""
        rows = self.fetch(source_sql.commented_tables(schema, catalog))
        return [(postgres_name(str(n), schema=str(s)), str(note)) for _, s, n, note in rows]

    def views(self, schema: str | None) -> list[str]:
        del schema
        return [str(text) for (text,) in self.fetch(source_sql.view_texts())]

    def view_text(self, found: Located) -> str | None:
        place = postgres_name(found.name, schema=found.schema)
        return next((str(text) for (text,) in self.fetch(source_sql.view_texts(place))), None)

    @contextmanager
    def own_functions(self) -> Iterator[None]:
        """Hide functions of other schemas: one with better fitting arguments would be called instead."""
        ((before,),) = self.fetch(commands_sql.read_setting("search_path"))
        self.fetch(commands_sql.set_config("search_path", "pg_catalog"))
        try:
            yield
        finally:
            with suppress(StatementError):  # a failed transaction accepts no settings
                self.fetch(commands_sql.set_config("search_path", str(before)))

    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        self.execute(commands_sql.text_table(table, columns))
        text = commands_sql.copy_client(table, as_csv=False).render(self.dialect)
        try:
            with self._cursor.copy(text.encode()) as copy:
                for row in rows:
                    copy.write_row(row)
        except psycopg.Error as error:
            raise _refused("load", text, error) from None

    def store_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in a setting of the session.

        A server may log the texts and bound values of statements, but never data that COPY reads. So the key is
        copied into a table, which is dropped before this returns.
        """
        brought = postgres_name(f"{PREFIX}{name}", schema=self.scratch_schema)
        self.load(brought, ["pad"], [(pad.hex(),)])
        self.fetch(commands_sql.store_key(name, brought))
        self.execute(drop_table(brought))

    def forget_key(self, name: str) -> None:
        self.fetch(commands_sql.forget_key(name))

    def keep(self, table: exp.Table, columns: Sequence[str], path: str) -> None:
        """Write columns of a scratch table to a CSV file of this machine, row by row."""
        self._make_there([table])
        text = commands_sql.copy_client(table, columns).render(self.dialect)
        try:
            with Path(path).open("wb") as file, self._cursor.copy(text.encode()) as copy:
                file.writelines(copy)
        except psycopg.Error as error:
            raise _refused("keep", text, error) from None

    def recall(self, table: exp.Table, like: exp.Table, path: str) -> bool:
        """Read a CSV file of this machine into a table, block by block."""
        self.execute(commands_sql.empty_copy(table, like))
        text = commands_sql.copy_client(table).render(self.dialect)
        try:
            with Path(path).open("rb") as file, self._cursor.copy(text.encode()) as copy:
                while part := file.read(1 << 20):
                    copy.write(part)
        except psycopg.Error as error:
            raise _refused("recall", text, error) from None
        return False

    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table or view. The rollback of a failed transaction drops the scratch tables of that."""
        statement = drop_view(table) if view else drop_table(table)
        if not self.client_tables.drop(table):
            self._late.append(table)
            return
        if self.connection.info.transaction_status is psycopg.pq.TransactionStatus.INERROR:
            return
        with suppress(psycopg.Error):
            self._cursor.execute(statement.render(self.dialect).encode())

    def end_copies(self) -> None:
        """Close the DuckDB of this process, and drop the tables on the server whose drop was put off."""
        self.client_tables.close()
        while self._late:
            self.drop(self._late.pop(), view=False)

    @contextmanager
    def lock(self, candidates: Sequence[exp.Table]) -> Iterator[None]:
        """Lock a table so that its definition cannot change and no row that others write meanwhile is lost.

        If a second session can be opened, others can write until the swap, and that session then shows whether they
        did. Otherwise the table is locked against writers before the snapshot is taken.
        """
        if self.joins:
            raise InputError("connection", [Fault("", NO_JOINING)])
        locked = None if self.writers_wait else self._lock_first("lock_definition", candidates)
        with self._second_session(locked) as self._witness:
            if self._witness is None:
                self._lock_first("lock_table", candidates)
            yield

    def _lock_first(self, kind: str, candidates: Sequence[exp.Table]) -> exp.Table | None:
        """Lock the first candidate that is a table, and return it; None without one. This takes no snapshot."""
        for candidate in candidates:
            try:
                with self.connection.transaction():
                    self.execute(command(kind, candidate))
                    return candidate
            except StatementError as error:
                if not isinstance(error.cause, NO_TABLE):
                    raise
        return None

    @contextmanager
    def _second_session(self, locked: exp.Table | None) -> Iterator[Postgres | None]:
        """Connect again, to see rows that others commit. Yields None if that fails or sees another table."""
        with ExitStack() as stack:
            witness = None
            with suppress(psycopg.Error, StatementError, MissingRightError):
                if locked is not None:
                    info = self.connection.info
                    address = psycopg.conninfo.make_conninfo(
                        info.dsn, password=info.password or None, application_name="kanon-sql"
                    )
                    other = psycopg.connect(address, autocommit=True)
                    stack.enter_context(other)
                    seen = Postgres(other)
                    holds = in_place_sql.holds_definition(locked, info.backend_pid)
                    if seen.fetch_count(holds) == 1:
                        seen.execute(command("all_rows"))
                        witness = seen
            yield witness

    def _shut_out(self, table: exp.Table) -> None:
        """Lock out writers. Raises WrittenMeanwhileError unless no row was written since the run's snapshot."""
        if self._witness is None:
            return
        (before,) = self.fetch(in_place_sql.row_versions(table))
        self.execute(command("lock_table", table))
        try:
            (after,) = self._witness.fetch(in_place_sql.row_versions(table))
        except (StatementError, MissingRightError) as error:
            raise WrittenMeanwhileError("source", [Fault("", UNSEEN)]) from error
        if after != before:
            raise WrittenMeanwhileError("source", [Fault("", WRITTEN)])

    def qualified(self, table: exp.Table) -> exp.Table:
        found = self.locate(table)[0]
        return postgres_name(found.name, schema=found.schema)

    def dependents(self, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
        return in_place.dependents(self, table, changes)

    def swap(self, swap: Swap) -> None:
        self._shut_out(swap.table)
        in_place.swap(self, swap)

    def keep_private(self, table: exp.Table) -> None:
        """Revoke the rights that default privileges have granted on a new table."""
        for (who,) in self.fetch(in_place_sql.grantees(table)):
            self.execute(command("revoke", table, None if who is None else name_of(str(who))))

    @property
    def unpurgeable(self) -> str | None:
        """Why catalogs cannot be vacuumed: VACUUM has to run outside transactions, so after the run's own."""
        return None if self.connection.autocommit and not self.joins else NO_PURGING

    def purge(self) -> None:
        """Request `sweep` after the transaction. The transaction itself removes the files of the raw rows."""
        self.purging = True

    def sweep(self) -> None:
        """Rewrite the server's catalogs whose deleted rows contain raw values. Raises ReleaseError."""
        try:
            for each in VALUE_CATALOGS:
                self.execute(command("vacuum_full", postgres_name(each, schema="pg_catalog")))
            self.execute(command("checkpoint"))
        except (StatementError, MissingRightError) as error:
            raise ReleaseError("--purge", [Fault("", UNPURGED)]) from error


def _refused(step: str, sql: str, error: psycopg.Error) -> StatementError:
    """Return the error of a refused statement, with the meaning of its SQLSTATE, which holds no data."""
    return StatementError(step, sql, error, CAUSES.get(error.sqlstate or ""))


def _right(ready: PreparedStatement) -> str:
    """Return the right that a refused statement most likely needs, in words."""
    if ready.makes is not None and ready.makes.db:
        return (
            f"USAGE and CREATE, on the schema {ready.makes.db}, and SELECT, on what the run reads"
        )
    if ready.makes is not None or " TEMP " in ready.text[:16]:
        return (
            "TEMPORARY on the database (or name a schema for scratch tables: --scratch-schema), "
            "and SELECT, on what the run reads"
        )
    if ready.text.startswith(("ALTER", "LOCK", "TRUNCATE", "REFRESH")):
        return "to own what is released in place, and its dependents"
    if ready.text.startswith(("CREATE", "DROP")):
        return "CREATE, on the schema of the release, and to own what is replaced"
    return "SELECT, on what the run reads"


@contextmanager
def use_postgres(
    connection: psycopg.Connection, scratch_schema: str | None = None
) -> Iterator[Postgres]:
    """Yield an engine in one transaction on one snapshot, or within the caller's open transaction.

    Raises InputError if each statement of the caller's transaction takes its own snapshot. Settings that change the
    meaning of statements are set for the run only.
    """
    status = psycopg.pq.TransactionStatus
    begun = _status(connection)
    if begun is status.INERROR:
        what = "has a transaction that failed; roll it back first"
        raise InputError("connection", [Fault("", what)])
    joins = begun is not status.IDLE
    with _transaction(connection):
        engine = Postgres(connection, scratch_schema, joins=joins)
        ((isolation,),) = engine.fetch(command("isolation_level"))
        if isolation not in SNAPSHOTS:
            if joins:
                what = (
                    f"has a transaction open that is {isolation}, in which each statement may see "
                    f"other rows; commit it first, or begin it as repeatable read "
                    f"(connection.isolation_level)"
                )
                raise InputError("connection", [Fault("", what)])
            engine.execute(command("one_snapshot"))
        before = {
            name: str(engine.fetch(commands_sql.read_setting(name))[0][0])
            for name in (*MEANING, *PLANS, "work_mem")
        }
        memory = commands_sql.work_mem(before["work_mem"])
        for name, value in {**MEANING, **PLANS, "work_mem": memory}.items():
            engine.execute(commands_sql.change_setting(name, value))
        try:
            yield engine
        finally:
            engine.end_copies()
        for name, old in before.items():  # for a transaction of the caller, which continues
            engine.execute(commands_sql.change_setting(name, old))
    if engine.purging:
        engine.sweep()


@contextmanager
def _transaction(connection: psycopg.Connection) -> Iterator[None]:
    """Open and commit a transaction. Errors of the server are raised as StatementError."""
    try:
        with connection.transaction():
            yield
    except psycopg.Error as error:
        raise _refused("transaction", "BEGIN or COMMIT", error) from None


def _status(connection: object) -> psycopg.pq.TransactionStatus:
    if not isinstance(connection, psycopg.Connection) or connection.closed:
        what = "is no open connection of psycopg that waits for its answers"
        raise InputError("connection", [Fault("", what)])
    return connection.info.transaction_status


UNREACHABLE = (
    (r'database ".*" does not exist', "the server has no such database"),
    (r'role ".*" does not exist', "the server has no such role"),
    (r"password", "the password is missing or wrong; set it by PGPASSWORD or a password file"),
    (r"pg_hba|authentication failed", "the server does not let this role in from here"),
    (r"\bSSL\b|\bTLS\b", "the server asks for another kind of encryption; see sslmode of libpq"),
    (r"resolve host|translate host", "there is no such host"),
    (r"refused|No such file", "no server answers there; are host and port right, and does it run?"),
    (r"timeout|timed out|unreachable|no route", "the host does not answer"),
    (r"too many|starting up|shutting down", "the server takes no connections now"),
)
"""Words of libpq for a failed connection, which has no SQLSTATE, and their meaning for users."""


def _unreachable(error: psycopg.Error) -> str:
    """Say why a server cannot be reached, without libpq's own words, which quote the address."""
    why = f"it refused ({type(error).__name__})"
    if isinstance(error, psycopg.ProgrammingError):
        why = "that is no address of libpq, such as postgresql://user@host/database"
    else:
        for sign, meant in UNREACHABLE:
            if re.search(sign, str(error), re.IGNORECASE):
                why = meant
                break
    return f"PostgreSQL cannot be reached: {why}"


@contextmanager
def open_postgres(
    address: str, *, read_only: bool, scratch_schema: str | None = None
) -> Iterator[Postgres]:
    """Connect by an address of libpq. libpq finds the password; it is never in a policy."""
    try:
        connection = psycopg.connect(address, autocommit=True, application_name="kanon-sql")
    except psycopg.Error as error:
        raise SourceError("database", [Fault("", _unreachable(error))]) from None
    with connection, use_postgres(connection, scratch_schema) as engine:
        yield engine
        if read_only:
            raise psycopg.Rollback
