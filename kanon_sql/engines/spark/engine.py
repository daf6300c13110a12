"""The engine for Spark SQL, for tables that outgrow one machine: runs statements on one SparkSession."""

from __future__ import annotations

import glob
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.util import InheritableThread

from kanon_sql.base.sql.quoting import name as leaf
from kanon_sql.base.sql.quoting import table as spark_name
from kanon_sql.engines import commands_sql
from kanon_sql.engines.base import (
    ColumnType,
    ElsewhereError,
    Engine,
    Located,
    PreparedStatement,
    Row,
    Store,
    Survey,
)
from kanon_sql.engines.capabilities import DUCKDB, SPARK
from kanon_sql.engines.commands_sql import command, drop_view
from kanon_sql.engines.frames import to_arrow, unreadable
from kanon_sql.engines.locations import Destination, Format
from kanon_sql.engines.scratch import VIEW_TABLE, run_interruptibly, run_mark
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.spark import cluster, session
from kanon_sql.engines.spark.cluster import (
    FOLDER,
    Hadoop,
    KeptRows,
    KeptTables,
    folder_of,
    is_loss,
    left_tables,
)
from kanon_sql.engines.spark.session import (
    REFUSED,
    meaning_of,
    open_session,
    setting,
    tags_of,
    with_settings,
)
from kanon_sql.engines.tables_here import DRIVER_ROWS, DriverTables
from kanon_sql.errors import (
    ExecutorsLostError,
    Fault,
    InputError,
    ReleaseError,
    SourceError,
    StatementError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.engines.base import Hashes, KeptCount
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.in_place_sql import ColumnChanges, Dependent, Swap
    from kanon_sql.engines.source.table_formats import TableFormat

ONE_TASK = 4_000_000
"""The most rows of a frequency set for which one task counts faster than several, which would have to
shuffle its classes at every check. Other checks run at the same time."""

SMALL = 1_000_000
"""The most rows of a scratch table that is broadcast, so that joins do not move the other side's rows."""

BROADCAST = 64 << 20
"""The most bytes of a table on the driver that is broadcast in the same way."""

COUNTED_ON = frozenset({"frequency_set", "roll_up", "rest"})
OF_ROWS = frozenset(
    {
        *("roll_ups", "classes", "fitting", "released_classes", "stage", "materialize"),
        *("lined_tuples", "equal_parts", "blocks", "step_bounds", "run_losses", "runs_of_tuples"),
    }
)
"""Templates whose tables have a row per row or class of the source: too large to broadcast."""

Answer = TypeVar("Answer")
VIEWS = frozenset({"TEMPORARY", "VIEW"})


class Spark(Engine):
    """One SparkSession, classic or Connect.

    A scratch table is a temporary view whose rows were computed once and are kept by the
    executors. Its plan is a scan of them, so later steps do not lengthen its lineage.
    """

    dialect = "spark"
    capabilities = SPARK

    def __init__(self, session: SparkSession) -> None:
        super().__init__()
        self.session = session
        self.kept_rows = KeptRows(session)
        self.on_driver = DriverTables.of(setting(session, DRIVER_ROWS))
        self.kept_tables: KeptTables | None = None
        self._tag = f"kanon_sql_{run_mark()}"
        self._in_cluster: set[exp.Table] = set()
        """Scratch tables whose rows the executors keep."""

    @property
    def version(self) -> str:
        return f"spark {self.session.version}"

    def fetch_many(
        self, prepared: Sequence[tuple[PreparedStatement, Sequence[object]]]
    ) -> list[list[Row]]:
        """Fetch several statements. Their jobs run concurrently, because each may have a single task."""
        if len(prepared) == 1 or any(ready.on_driver for ready, _ in prepared):
            return [self.fetch(*each) for each in prepared]

        def run() -> list[list[Row]]:
            with ThreadPoolExecutor(self.capabilities.parallel_statements) as threads:
                return list(threads.map(lambda each: self._run(*each), prepared))

        found = self._interruptible(run)
        for (ready, _), rows in zip(prepared, found, strict=True):
            self.journal.statement(ready.text, scans=ready.scans, fetched=len(rows))
        return found

    def prepare(self, statement: Statement) -> PreparedStatement:
        """Prepare a statement for the driver if all its tables are there, else send them to Spark first."""
        rendered = statement.rendered(self.dialect)
        if self.on_driver.answers(statement, rendered):
            return self.on_driver.prepare(statement, rendered.makes or rendered.opens)
        for table in self.on_driver.unsent(rendered.reads or ()):
            self._send(table)
        return PreparedStatement.of(statement, self.dialect)

    def _send(self, table: exp.Table) -> None:
        """Send a table of the driver to Spark, which broadcasts it to the executors if it is small."""
        rows = self.on_driver.send(table)
        frame = self.session.createDataFrame(rows)
        if rows.nbytes <= BROADCAST:
            frame = frame.hint("broadcast")
        frame.createOrReplaceTempView(table.name)

    def capabilities_at(self, table: exp.Table) -> Capabilities:
        return DUCKDB if table in self.on_driver else self.capabilities

    def _run(self, ready: PreparedStatement, params: Sequence[object]) -> list[Row]:
        if ready.on_driver:
            return self.on_driver.run(ready, params)
        rows = self._refusing(ready, lambda: self._sql(ready, params).collect())
        return [tuple(row) for row in rows]

    def _run_for_effect(
        self, ready: PreparedStatement, params: Sequence[object], name: str
    ) -> None:
        """Run a statement. If it creates a scratch table, compute the rows once and keep them."""
        if ready.on_driver:
            self.on_driver.run(ready, params)
            return

        def run() -> None:
            if ready.makes is None:
                self._sql(ready, params)
                return
            kept = self._made(ready, ready.makes, params, name)
            self._settle(ready.makes, kept, name)

        self._refusing(ready, run)

    def _made(
        self, ready: PreparedStatement, table: exp.Table, params: Sequence[object], name: str
    ) -> DataFrame:
        """Return the kept rows of a scratch table: copied from a killed run if possible, else computed."""
        kept_tables, digest = self.kept_tables, None
        if kept_tables is not None:
            digest = kept_tables.digest(ready, params, name, self._contents)
        if kept_tables is not None and digest is not None:
            copied = partial(self.kept_rows.keep, table.name)
            forget = partial(self.kept_rows.remove, table.name)
            found = kept_tables.find(digest, copied, forget)
            if found is not None:
                return found
        self._sql(ready, params)
        kept = self.kept_rows.keep(table.name, self.session.table(self._quoted(table)))
        if kept_tables is not None and digest is not None:
            kept_tables.spare(digest, kept)
        return kept

    def _contents(self, table: exp.Table) -> str:
        """Hash the rows of a scratch table; an empty text for views of the source, which is hashed elsewhere."""
        if table not in self.on_driver and table not in self._in_cluster:
            return ""
        names = [each.name for each in self.columns(table)]
        return str(self.fetch(source_sql.hash_rows(table, names, rows=0)))

    def _sql(self, ready: PreparedStatement, params: Sequence[object]) -> DataFrame:
        return self.session.sql(ready.text, args=list(params) or None)

    def _settle(self, table: exp.Table, kept: DataFrame, template: str) -> None:
        """Compute the rows of a scratch table, and choose where to hold them and how to read them."""
        rows = kept.count()
        kept = self._without_history(kept, rows)
        if self.on_driver.takes(template, kept, rows):
            self.on_driver.take(table, kept.toArrow())
            self._forget(table)
            return
        if template in COUNTED_ON and rows <= ONE_TASK:
            kept = kept.coalesce(1)
        elif template not in COUNTED_ON | OF_ROWS and rows <= SMALL:
            kept = kept.hint("broadcast")
        kept.createOrReplaceTempView(table.name)
        self._in_cluster.add(table)

    def _without_history(self, kept: DataFrame, rows: int) -> DataFrame:
        """Return a computed table without Spark's estimate of its size.

        Spark estimates a join as the product of its sides, and a checkpoint keeps the estimate. Where tables derive
        from each other, the number has millions of digits after ten steps, and planning never ends.
        """
        if hasattr(self.session, "_jvm"):
            known = kept._jdf  # noqa: SLF001  nothing public makes a frame of what is computed
            rdd, schema = known.queryExecution().toRdd(), known.schema()
            frame = self.session._jsparkSession.internalCreateDataFrame(rdd, schema, False)  # noqa: FBT003, SLF001
            return type(kept)(frame, self.session)
        return kept.limit(rows) if rows <= SMALL else kept

    def _interruptible(self, run: Callable[[], Answer]) -> Answer:
        """Run a statement so that a signal can end it with its jobs. A tag distinguishes the jobs of this run."""
        tags = tags_of(self.session)

        def tagged() -> Answer:
            tags.add(self._tag)
            try:
                return run()
            finally:
                with suppress(*REFUSED):
                    tags.remove(self._tag)

        def interrupt() -> None:
            with suppress(*REFUSED):
                tags.interrupt(self._tag)

        def start(work: Callable[[], None]) -> None:
            InheritableThread(target=work, session=self.session, daemon=True).start()

        return run_interruptibly(tagged, interrupt, start)

    def _refusing(self, ready: PreparedStatement, run: Callable[[], Answer]) -> Answer:
        try:
            return self._interruptible(run)
        except REFUSED as error:
            refused = StatementError(ready.step, ready.text, error, meaning_of(error))
            if is_loss(error):
                remedy = self.kept_rows.remedy()
                if self.kept_tables is not None:
                    remedy = "with --resume (resume=True) it goes on from the tables that it kept"
                raise ExecutorsLostError(ready.step, remedy) from refused
            raise refused from None

    def _quoted(self, table: exp.Table) -> str:
        return table.sql(dialect=self.dialect, identify=True)

    def survey_files(self, pattern: str, base: str, depth: int) -> Survey:
        """Compare Parquet files by the schema of each."""
        del depth
        ready = PreparedStatement("survey files", "")
        return self._refusing(ready, lambda: cluster.survey(self.session, pattern, base))

    def partition_names(self, pattern: str, base: str) -> list[str]:
        """List them from the paths of files, because Spark reads each byte of an escape as one character."""
        ready = PreparedStatement("list partitions", "")
        return self._refusing(ready, lambda: cluster.partition_names(self.session, pattern, base))

    def format_marks(self, folder: str, formats: Sequence[TableFormat]) -> list[str]:
        """List them by Spark's own reader, which also reads the files."""
        ready = PreparedStatement("look for table formats", "")
        return self._refusing(ready, lambda: cluster.format_marks(self.session, folder, formats))

    def write(self, table: exp.Table, columns: Sequence[str], out: Destination, path: str) -> None:
        """Write columns of a table to a new folder, with one file for each of Spark's partitions."""
        ready = self.prepare(commands_sql.copy_out(table, columns, out, path))
        options = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
        options |= out.format.kind.spark_options(out)

        def run() -> None:
            writer = self._sql(ready, ()).write.mode("errorifexists").options(**options)
            if out.partition_by:
                writer = writer.partitionBy(*out.partition_by)
            writer.format(out.format.kind.spelled).save(path)

        self._refusing(ready, run)
        self.journal.statement(ready.text, scans=0, fetched=0)

    def keep(self, table: exp.Table, columns: Sequence[str], path: str) -> None:
        """Write columns of a scratch table to a folder of Parquet, if the disk is this machine's."""
        with suppress(ReleaseError):  # of a Connect session
            if self.store(path) is None:
                self.write(table, columns, Destination(Format.PARQUET, path), path)
                return
        raise ElsewhereError

    def recall(self, table: exp.Table, like: exp.Table, path: str) -> bool:
        """Open a folder of Parquet, which stores its own types."""
        del like
        pattern = source_sql.hadoop_path(f"{glob.escape(path)}/**/*.parquet")
        opened = source_sql.open_file(table, pattern, kind=Format.PARQUET.value)
        self.execute(opened)
        return opened.makes_view

    @property
    def why_no_resume(self) -> str | None:
        if folder_of(self.session) is not None:
            return None
        if not hasattr(self.session, "_jvm"):
            return "goes on from files that a Connect session does not reach: run it again"
        return f"goes on from what is in the folder of {FOLDER}, and none is set: run it again, with one for the next time"

    def keep_tables(self, origin: str, key: Hashes, *, goes_on: bool) -> None:
        if self.why_no_resume is None:
            self.kept_tables = KeptTables(self.session, origin, key, goes_on=goes_on)

    @property
    def kept_count(self) -> KeptCount | None:
        return None if self.kept_tables is None else self.kept_tables.count

    def left_tables(self) -> Iterator[tuple[str, float]]:
        return left_tables(self.session)

    def remove_left(self, place: str) -> None:
        Hadoop(self.session).remove(place)

    def make_readable(self, path: str) -> None:
        """Do nothing: the session reads addresses by its own file systems."""

    def store(self, path: str) -> Store | None:
        """Return Hadoop's file system; None for a path on this machine's disk if the executors run here, too."""
        if not hasattr(self.session, "_jvm"):
            what = "is a file, which a Connect session cannot move; release to a table"
            raise ReleaseError(path, [Fault("release", what)])
        files = Hadoop(self.session)
        is_local = str(self.session.conf.get("spark.master", "")).startswith("local")
        return None if "://" not in path and is_local and files.is_disk else files

    def columns(self, table: exp.Table) -> list[ColumnType]:
        if table in self.on_driver:
            return self.on_driver.columns(table)
        ready = PreparedStatement("columns of", self._quoted(table))
        schema = self._refusing(ready, lambda: self.session.table(ready.text).schema)
        return [ColumnType(field.name, field.dataType.simpleString()) for field in schema]

    def collated(self, table: exp.Table, columns: Sequence[ColumnType]) -> set[str]:
        """Return the columns whose type names a collation."""
        del table
        return {column.name for column in columns if " collate " in column.type.lower()}

    def locate(self, table: exp.Table) -> list[Located]:
        text = self._quoted(table)
        try:
            if not self.session.catalog.tableExists(text):
                return []
            found = self.session.catalog.getTable(text)
        except REFUSED:
            return []
        kind = "view" if found.tableType in VIEWS else "table"
        space = ".".join(found.namespace or [])
        names = (str(part).casefold() for part in (found.catalog or "", space, found.name))
        return [Located(kind, found.isTemporary, *names)]

    def commented_tables(
        self, schema: str | None, catalog: str | None = None
    ) -> list[tuple[exp.Table, str]]:
        """List the tables that views may read, with their comments. Spark returns comments only one by one."""
        found = []
        for name in self._listed(command("tables_in", _schema(schema, catalog))):
            if VIEW_TABLE.fullmatch(name):
                table = spark_name(name, schema=schema, catalog=catalog)
                ready = PreparedStatement("comment", self._quoted(table))
                found_table = self._refusing(
                    ready, partial(self.session.catalog.getTable, ready.text)
                )
                if found_table.tableType not in VIEWS:
                    found.append((table, found_table.description or ""))
        return found

    def unfinished(self, schema: str | None) -> list[tuple[exp.Table, str]]:
        found = session.leftovers(self._listed(command("tables_in", _schema(schema))))
        return [(spark_name(name, schema=schema), why) for name, why in found]

    def views(self, schema: str | None) -> list[str]:
        """Return the texts of the views of a schema."""
        names = self._listed(command("views_in", _schema(schema)))
        return [self._text(spark_name(name, schema=schema)) for name in names]

    def view_text(self, found: Located) -> str | None:
        """Return the text of a view; None for a temporary view, whose text Spark does not show."""
        if found.temporary:
            return None
        place = spark_name(found.name, schema=found.schema or None, catalog=found.catalog or None)
        return self._text(place)

    def _text(self, view: exp.Table) -> str:
        return "".join(str(cell) for row in self.fetch(command("view_text", view)) for cell in row)

    def _listed(self, statement: Statement) -> list[str]:
        return [str(name) for _, name, temporary, *_ in self.fetch(statement) if not temporary]

    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        cells = list(zip(*rows, strict=True)) or [()] * len(columns)
        texts = [pa.array(column, pa.string()) for column in cells]
        if self.on_driver.most_rows:
            self.on_driver.take(table, pa.table(texts, names=list(columns)))
            return
        ready = PreparedStatement("load", ", ".join(map(self._quoted_name, columns)))
        self._refusing(ready, partial(self._load, table, columns, texts))

    def _load(self, table: exp.Table, names: Sequence[str], columns: Sequence[pa.Array]) -> None:
        sent = self._sent(names, columns)
        self._settle(table, self.kept_rows.keep(table.name, sent), "load")

    def _sent(self, names: Sequence[str], columns: Sequence[pa.Array]) -> DataFrame:
        """Send a few rows to Spark as Arrow, which executors read without Python."""
        return self.session.createDataFrame(pa.table(list(columns), names=list(names)))

    def _quoted_name(self, text: str) -> str:
        return leaf(text).sql(dialect=self.dialect)

    def store_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in a view of one computed row, so that no query plan shows it."""
        frame = self._sent(["pad"], [pa.array([pad], pa.binary())])
        kept = self.kept_rows.replicated(frame)  # never as a file, whatever the folder
        kept.count()
        kept.createOrReplaceTempView(name)

    def forget_key(self, name: str) -> None:
        self.session.catalog.dropTempView(name)

    def register(self, table: exp.Table, frame: object) -> bool:
        """Make a DataFrame readable under a name of this run; frames of other libraries are sent to the cluster."""
        try:
            if not hasattr(frame, "createOrReplaceTempView"):
                frame = self._sent_frame(frame)
            frame.createOrReplaceTempView(table.name)
        except InputError:
            raise
        except (*REFUSED, TypeError, ValueError):
            raise SourceError("source", unreadable(frame, "Spark")) from None
        return True

    def _sent_frame(self, frame: object) -> DataFrame:
        rows, again = to_arrow(frame)
        rows = rows if again else rows.read_all()
        if not isinstance(rows, pa.Table):  # Spark would turn unknown types into NULL
            raise TypeError
        return self.session.createDataFrame(rows)

    def relation(self, table: exp.Table, columns: Sequence[str]) -> DataFrame:
        """Return columns of a table as a DataFrame, whose rows the executors keep."""
        for each in self.on_driver.unsent([table]):
            self._send(each)
        return self.session.table(table.name).select(*map(self._quoted_name, columns))

    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table, which is a view in Spark. Its rows are freed once nothing refers to them."""
        if table in self.on_driver and not self.on_driver.drop(table, view=view):
            return
        self._forget(table)

    def _forget(self, table: exp.Table) -> None:
        self._in_cluster.discard(table)
        self.kept_rows.remove(table.name)
        statement = drop_view(table)
        with suppress(*REFUSED):
            self.session.sql(statement.render(self.dialect))

    @contextmanager
    def lock(self, candidates: Sequence[exp.Table]) -> Iterator[None]:
        """Restore the tables of a killed run. Nothing is locked: Spark's tables have no locks or transactions."""
        for candidate in candidates:
            session.restore(self, candidate)
        yield

    def dependents(self, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
        return session.dependents(self, table, changes)

    def swap(self, swap: Swap) -> None:
        """Replace the table by the release through renaming, and restore the table if that fails."""
        try:
            session.swap(self, swap)
        except BaseException:
            with suppress(StatementError):
                session.restore(self, swap.table)
            raise


@contextmanager
def use_spark(session: SparkSession) -> Iterator[Spark]:
    """Yield an engine on the caller's session. The session's settings are restored whatever happens."""
    with with_settings(session):
        engine = Spark(session)
        failed, lost = True, False
        try:
            yield engine
            failed = False
        except ExecutorsLostError:
            lost = True
            raise
        finally:
            engine.on_driver.close()
            if engine.kept_tables is not None:
                engine.kept_tables.end(failed=failed, lost=lost)


@contextmanager
def open_spark(address: str) -> Iterator[Spark]:
    """Start a session on a master, or on a Connect server by its address sc://."""
    session = open_session(address)
    try:
        with use_spark(session) as engine:
            yield engine
    finally:
        session.stop()


def _schema(schema: str | None, catalog: str | None = None) -> exp.Table | None:
    return spark_name(schema, schema=catalog) if schema else None
