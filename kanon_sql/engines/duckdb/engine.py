"""The engine for DuckDB: runs the statements of a run on one connection."""

from __future__ import annotations

import glob
import os
import re
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import duckdb

from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import standard_name
from kanon_sql.base.sql.quoting import table as duckdb_name
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines.base import (
    ColumnType,
    Drift,
    Engine,
    Located,
    PreparedStatement,
    Row,
    Store,
    Survey,
)
from kanon_sql.engines.capabilities import DUCKDB
from kanon_sql.engines.commands_sql import command, drop_table, drop_view
from kanon_sql.engines.frames import to_arrow, unreadable
from kanon_sql.engines.in_place_sql import NO_JOINING, Dependent
from kanon_sql.engines.local_files import rename_without_escapes
from kanon_sql.engines.locations import HTTPFS, Destination, Format
from kanon_sql.engines.scratch import run_interruptibly, scratch
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import (
    Fault,
    InputError,
    MemoryLimitError,
    ReleaseError,
    SourceError,
    StatementError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.in_place_sql import ColumnChanges, Swap
    from kanon_sql.engines.local_files import Objects
    from kanon_sql.engines.locations import Source
    from kanon_sql.engines.source.table_formats import TableFormat

ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
"""Environment variables that hold the address of S3. The extension httpfs ignores them."""


ALSO = {"TimeZone": "ETC/UTC", "default_order": "ASCENDING"}
"""Other spellings of the values that a run needs for these settings."""


CONFLICTS = ("another transaction", "concurrent transaction", "write-write conflict", "Conflict on")
"""Words of a commit that failed by a conflict. Its class of error is the same when the disk is full."""
UNCOMMITTED = (
    "cannot be committed: is the disk full? Nothing was published. KANON_SQL_DEBUG=1 shows why"
)
CHANGED = "was changed by another connection meanwhile; nothing was published"
COLLATED = re.compile(r"\bcolumn_(\d+) VARCHAR COLLATE ")
"""A collated column in the text of a table whose columns are numbered."""
MORE_MEMORY = (
    "its limit is too low for this: raise --memory-limit (Settings.memory_limit, or memory_limit of "
    "your own connection), or use fewer threads, as each needs its own"
)
SPILLS = "max_temp_directory_size"
"""The setting that DuckDB's message names if the folder that it spills to is full."""
NO_ROOM = "the folder that it spills to (below TMPDIR, or temp_directory) has no more room"
UNHELD = "are not stopped by DuckDB before 2.0, and those that come in while a run goes on are lost"
NO_PURGING = "writes the database file anew; name it by database: instead of a connection"

BATCH = 10_000
"""The rows of a batch that a library writes."""

Answer = TypeVar("Answer")


CAUSES: tuple[tuple[type[duckdb.Error], str, str], ...] = (
    (
        duckdb.IOException,
        r"No space left on device|[Dd]isk (is )?full|not enough space",
        "the disk is full, of the database's file or of the folder that DuckDB spills to (temp_directory). Make room there",
    ),
    (
        duckdb.InvalidInputException,
        r"Cannot execute statement of type .* read-only mode",
        "the database is open read-only; open it for writing, or release to files",
    ),
    (duckdb.InterruptException, "", "the statement was interrupted. Run it again"),
    (
        duckdb.TransactionException,
        "[Cc]onflict",
        "another connection changed the same table meanwhile. Run it again",
    ),
    (
        duckdb.FatalException,
        "",
        "DuckDB cannot go on with this database, as when its disk is full or fails. Check the disk and run it again",
    ),
)  # fmt: skip
"""Causes without data in them: DuckDB's class of error, a pattern of its message, and the meaning."""


def _meaning(error: duckdb.Error) -> str | None:
    for kind, words, meaning in CAUSES:
        if isinstance(error, kind) and re.search(words, str(error)):
            return meaning
    return None


class DuckDB(Engine):
    dialect = "duckdb"
    capabilities = DUCKDB

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, purges: bool = False) -> None:
        super().__init__()
        self.connection = connection
        self._purges = purges
        self.turn = ExitStack()
        self._registered: list[str] = []
        self._before: dict[str, str] = {}
        self.attached: list[str] = []

    def settle(self) -> None:
        """Change the settings that our statements rely on. Raises InputError if the configuration is locked."""
        for name, wanted in commands_sql.OF_DUCKDB.items():
            try:
                ((found,),) = self.fetch(commands_sql.read_setting(name))
            except StatementError as error:
                what = f"cannot be read ({error.why}): is a result of it not read to its end?"
                raise InputError("connection", [Fault("", what)]) from error
            if str(found).upper() in {wanted, ALSO.get(name)}:
                continue
            try:
                self.execute(commands_sql.change_setting(name, wanted))
            except StatementError as error:
                what = f"is locked with another {name} than '{wanted}'; set that before locking"
                raise InputError("connection", [Fault("", what)]) from error
            self._before[name] = str(found)

    def put_back(self) -> None:
        """Restore the session's own settings, except in a failed transaction, which accepts none."""
        while self._before:
            with suppress(StatementError):
                self.execute(commands_sql.change_setting(*self._before.popitem()))

    @property
    def version(self) -> str:
        return f"duckdb {duckdb.__version__}"

    def _run(self, ready: PreparedStatement, params: Sequence[object]) -> list[Row]:
        def fetch() -> list[Row]:
            return self.connection.execute(ready.text, list(params)).fetchall()

        try:
            return self._interruptible(fetch)
        except duckdb.OutOfMemoryException as error:
            why = StatementError(ready.step, ready.text, error)
            limit = NO_ROOM if SPILLS in str(error) else MORE_MEMORY
            raise MemoryLimitError(ready.step, limit) from why
        except duckdb.Error as error:
            raise StatementError(ready.step, ready.text, error, _meaning(error)) from None
        except RuntimeError as error:
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from error
            raise
        except Exception as error:
            if self._registered:  # errors of a Python file system come through DuckDB unchanged
                raise StatementError(ready.step, ready.text, error) from None
            raise

    def _interruptible(self, run: Callable[[], Answer]) -> Answer:
        """Run a statement so that a signal can end it at any moment.

        DuckDB itself checks for signals only between the tasks of a statement, and one task of a join can take minutes.
        """
        return run_interruptibly(run, self.connection.interrupt)

    def columns(self, table: exp.Table) -> list[ColumnType]:
        rows = [
            (str(name), str(kind)) for name, kind, *_ in self.fetch(source_sql.columns_of(table))
        ]
        return [ColumnType(name, kind, kind.startswith("ENUM")) for name, kind in rows]

    def collated(self, table: exp.Table, columns: Sequence[ColumnType]) -> set[str]:
        """Return the text columns that have a collation."""
        names = [column.name for column in columns if column.type == "VARCHAR"]
        if not names:
            return set()
        with scratch(self) as tables:
            like = tables.table("collations")
            self.execute(source_sql.collation_probe(like, table, names))
            ((text,),) = self.fetch(source_sql.table_text(like))
        return {names[int(number)] for number in COLLATED.findall(str(text))}

    def make_readable(self, path: str) -> None:
        """Make an address readable: by httpfs where it is installed, else by fsspec."""
        scheme = path.partition("://")[0].lower()
        if scheme in {"file", *self.connection.list_filesystems()}:
            return
        if scheme in HTTPFS and not any(name in os.environ for name in ENDPOINTS):
            with suppress(duckdb.Error):
                self.connection.execute(
                    command("load_extension", name_of("httpfs")).render(self.dialect)
                )
                return
        self._objects(path)

    def store(self, path: str) -> Store | None:
        """Return the object store of an address, reached through fsspec."""
        if "://" not in path:
            return None
        self.make_readable(path)
        return self._objects(path)

    def _objects(self, path: str) -> Objects:
        from kanon_sql.engines.local_files import (  # noqa: PLC0415  few runs have addresses
            Objects,
            filesystem_of,
        )

        filesystem = filesystem_of(path)
        filesystem.invalidate_cache()  # it may hold what another run listed
        known = filesystem.protocol
        names = [known] if isinstance(known, str) else list(known)
        if not {*names} & {*self.connection.list_filesystems()}:
            self.connection.register_filesystem(filesystem)
            self._registered.append(names[0])
        return Objects(filesystem)

    def leave(self) -> None:
        """Unregister the file systems that the run registered, and detach the databases that it attached."""
        while self.attached:
            with suppress(duckdb.Error):
                detach = command("detach", name_of(self.attached.pop()))
                self.connection.execute(detach.render(self.dialect))
        while self._registered:
            with suppress(duckdb.Error, ValueError):
                self.connection.unregister_filesystem(self._registered.pop())

    def write(self, table: exp.Table, columns: Sequence[str], out: Destination, path: str) -> None:
        self.execute(commands_sql.copy_out(table, columns, out, path))
        if out.partition_by and "://" not in path:
            rename_without_escapes(path)

    def why_no_partition(self, source: Source) -> str | None:
        # DuckDB before 2.0 applied the statistics of a narrower type in skipped files to the wider type.
        if duckdb.__version__ < "2" and source.path is not None and source.union_by_name:
            return (
                f"DuckDB {duckdb.__version__} misreads one partition of files by union_by_name where a column was widened; "
                f"install 2.0, or leave out union_by_name"
            )
        return None

    def why_no_file_size(self, out: Destination) -> str | None:
        if out.partition_by and duckdb.__version__ < "2":
            return f"DuckDB {duckdb.__version__} splits no partition into files; install 2.0, or leave it out"
        return None

    def survey_files(self, pattern: str, base: str, depth: int) -> Survey:
        """Compare Parquet files by their footers."""
        del base
        rows = self.fetch(source_sql.survey_files(pattern, depth=depth))
        return Survey([Drift(*row) for row in rows])  # type: ignore[arg-type]

    def format_marks(self, folder: str, formats: Sequence[TableFormat]) -> list[str]:
        """List them by DuckDB, which also reads the files."""
        patterns = [
            f"{folder}/{mark}{'*' * mark.endswith('/')}" for each in formats for mark in each.marks
        ]
        if folder.endswith("/**"):  # list it once, not once per mark
            patterns = [folder]
        rows = self.fetch(
            source_sql.find_format_marks(patterns, "|".join(each.path for each in formats))
        )
        return [path for (path,) in _texts(rows)]

    def keep(self, table: exp.Table, columns: Sequence[str], path: str) -> None:
        self.write(table, columns, Destination(Format.PARQUET, path), path)

    def recall(self, table: exp.Table, like: exp.Table, path: str) -> bool:
        """Open a Parquet file, which stores its own types."""
        del like
        opened = source_sql.open_file(table, glob.escape(path), kind=Format.PARQUET.value)
        self.execute(opened)
        return opened.makes_view

    def locate(self, table: exp.Table) -> list[Located]:
        """Find what a name refers to. A missing table raises no error: an error would end a transaction."""
        statement = source_sql.locate(table)
        rows = self.fetch(statement, statement.params)
        return [
            Located(str(kind), bool(temporary), *(str(part).casefold() for part in names))
            for kind, temporary, *names in rows
        ]

    def commented_tables(
        self, schema: str | None, catalog: str | None = None
    ) -> list[tuple[exp.Table, str]]:
        rows = self.fetch(source_sql.commented_tables(schema, catalog))
        return [(duckdb_name(n, schema=s, catalog=c), note) for c, s, n, note in _texts(rows)]

    def views(self, schema: str | None) -> list[str]:
        del schema
        return [text for (text,) in _texts(self.fetch(source_sql.view_texts()))]

    def bound_to(self, view: exp.Table) -> str | None:
        """Return the view's database: no other one may be attached when the view is read."""
        return str(self.fetch(source_sql.catalog_of(view))[0][0]).casefold()

    def view_text(self, found: Located) -> str | None:
        place = duckdb_name(found.name, schema=found.schema, catalog=found.catalog)
        return next((text for (text,) in _texts(self.fetch(source_sql.view_texts(place)))), None)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Open and commit a transaction, unless the caller has one open."""
        if self.in_transaction():
            yield
            return
        self.execute(command("begin"))
        try:
            yield
            self.execute(command("commit"))
        except BaseException:
            with suppress(StatementError):
                self.execute(command("rollback"))
            raise

    @contextmanager
    def own_functions(self) -> Iterator[None]:
        """Keep macros of the database file from hiding built-in functions."""
        ((before,),) = self.fetch(commands_sql.read_setting("search_path"))
        # Names without a database still resolve to its schemas.
        schemas = [("system", "main"), *_texts(self.fetch(commands_sql.list_schemas()))]
        path = [standard_name(duckdb_name(name, schema=database)) for database, name in schemas]
        path[1:1] = [str(before)] if before else []
        self.execute(commands_sql.change_setting("search_path", ",".join(path)))
        try:
            yield
        finally:
            with suppress(StatementError):
                self.execute(commands_sql.change_setting("search_path", str(before)))

    def in_transaction(self) -> bool:
        """Whether a transaction is open. Outside one, two statements have different transaction numbers."""
        first, second = (self.fetch(command("transaction_number")) for _ in range(2))
        return first == second

    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table or view. One that cannot be dropped any more ends with its session."""
        statement = drop_view(table) if view else drop_table(table)
        with suppress(duckdb.Error):
            self.connection.execute(statement.render(self.dialect))

    def register(self, table: exp.Table, frame: object) -> bool:
        """Make a relation or a frame readable under a name of this run.

        A frame that can be read only once, and a relation of another connection, is streamed
        into a scratch table. Returns whether the name is a view.
        """
        try:
            if isinstance(frame, duckdb.DuckDBPyRelation):
                try:
                    self.connection.register(table.name, frame)
                except duckdb.InvalidInputException:
                    return self.take(table, frame.to_arrow_reader())
                return True
            rows, again = to_arrow(frame)
            if not again:
                return self.take(table, rows)
            self.connection.register(table.name, rows)
        except InputError:
            raise
        except (duckdb.Error, TypeError, ValueError, AttributeError, RuntimeError):
            raise SourceError("source", unreadable(frame, "DuckDB")) from None
        return True

    def take(self, table: exp.Table, reader: object) -> bool:
        """Create a scratch table from Arrow data, without Python objects. Returns False: it is no view."""
        once = duckdb_name(f"{table.name}_once")
        self.connection.register(once.name, reader)
        try:
            self.execute(commands_sql.materialize(table, once))
        finally:
            self.connection.unregister(once.name)
        return False

    def arrow(self, table: exp.Table) -> object:
        """Return the rows of a scratch table as an Arrow table."""
        columns = [each.name for each in self.columns(table)]
        relation = commands_sql.relation(table, columns).render(self.dialect)
        return self._interruptible(lambda: self.connection.sql(relation).to_arrow_table())

    def batches(self, table: exp.Table, columns: Sequence[str]) -> object:
        relation = commands_sql.relation(table, columns).render(self.dialect)
        return self.connection.sql(relation).to_arrow_reader(BATCH)

    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        cells = [[None if cell is None else str(cell) for cell in row] for row in rows]
        lists = [[row[at] for row in cells] for at in range(len(columns))]
        self.execute(commands_sql.bound_texts(table, columns), lists)

    def store_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in a variable of the session."""
        self.execute(commands_sql.store_key(name), [pad])

    def forget_key(self, name: str) -> None:
        self.execute(commands_sql.forget_key(name))

    def relation(self, table: exp.Table, columns: Sequence[str]) -> duckdb.DuckDBPyRelation:
        """Return columns of a table as a lazy relation, which the caller fetches from.

        The caller uses the connection while the relation lives, so its settings are restored and its turn ends.
        """
        self.put_back()
        self.turn.close()
        return self.connection.sql(commands_sql.relation(table, columns).render(self.dialect))

    @contextmanager
    def lock(self, candidates: Sequence[exp.Table]) -> Iterator[None]:
        """Run the block in one transaction, and make other writers of the table fail meanwhile.

        DuckDB has no locks, but it refuses to commit rows into a table that another transaction
        has altered. The smallest alteration is to set the table's comment to the comment it has.
        """
        if self.in_transaction():
            raise InputError("connection", [Fault("", NO_JOINING)])
        rows = [
            row for table in candidates for row in self.fetch(in_place_sql.table_definition(table))
        ]
        try:
            with self.transaction():
                if rows:
                    _, schema, name, _, comment = rows[0]
                    original = duckdb_name(str(name), schema=str(schema))
                    text = None if comment is None else str(comment)
                    self.execute(in_place_sql.comment_on("table", original, text))
                yield
        except StatementError as error:
            if error.step != "commit":
                raise
            words = str(error.cause)
            conflict = any(each in words for each in CONFLICTS)
            fault = Fault("source", CHANGED) if conflict else Fault("release", UNCOMMITTED)
            raise ReleaseError("release", [fault]) from error

    def qualified(self, table: exp.Table) -> exp.Table:
        rows = self.fetch(in_place_sql.table_definition(table))
        return duckdb_name(str(rows[0][2]), schema=str(rows[0][1])) if rows else table

    def dependents(self, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
        alone = (
            [] if duckdb.__version__ >= "2" else [Dependent("writes of other connections", UNHELD)]
        )
        from kanon_sql.engines.duckdb import in_place  # noqa: PLC0415  few releases are in place

        return [*alone, *in_place.dependents(self, table, changes)]

    def swap(self, swap: Swap) -> None:
        from kanon_sql.engines.duckdb import in_place  # noqa: PLC0415  few releases are in place

        in_place.swap(self, swap)

    @property
    def ends_scratch(self) -> bool:
        return self._purges

    @property
    def unpurgeable(self) -> str | None:
        """Why the database file cannot be rewritten: only the run that opened it can do that."""
        return None if self._purges else NO_PURGING

    def purge(self) -> None:
        from kanon_sql.engines.duckdb import in_place  # noqa: PLC0415  few releases are in place

        in_place.purge(self)


def _texts(rows: Iterable[Row]) -> Iterator[list[str]]:
    return ([str(cell) for cell in row] for row in rows)
