"""Spark SQL, for tables that outgrow one machine. The one module that holds a SparkSession."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from kanon_sql.engine import spark_swap
from kanon_sql.engine.base import ColumnType, Located, Prepared, Row
from kanon_sql.engine.facts import SPARK
from kanon_sql.engine.journal import Journal
from kanon_sql.errors import Fault, SourceError, StatementError
from kanon_sql.sql import publishing
from kanon_sql.sql.leaves import name as leaf
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

    from kanon_sql.engine.swap import Changes, Swap, Tie

MEANING = {
    "spark.sql.ansi.enabled": "true",  # an overflow is an error, not another number
    "spark.sql.parser.escapedStringLiterals": "false",  # how literals are quoted
    "spark.sql.variable.substitute": "false",  # ${x} within a literal is text
    "spark.sql.session.timeZone": "UTC",  # what a moment is shown as
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
}
"""Settings that would change what our statements mean; set for a run, then put back."""

Answer = TypeVar("Answer")
REFUSED = (PySparkException, Py4JError)


class Spark:
    """One SparkSession, classic or Connect, and the journal of what was said on it.

    A scratch table is a temporary view whose rows were computed once and are kept by the
    executors: its plan is a scan of them, so no lineage grows however many steps rest on it.
    """

    dialect = "spark"
    facts = SPARK
    scratch_schema = None
    purges = True

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self.journal = Journal()

    @property
    def version(self) -> str:
        """Name the version of the cluster."""
        return f"spark {self.session.version}"

    def prepare(self, statement: Statement) -> Prepared:
        """Render a statement once."""
        return Prepared.of(statement, self.dialect)

    def ask(self, statement: Statement | Prepared, params: Sequence[object] = ()) -> list[Row]:
        """Run a statement whose result is small by construction, and give its rows."""
        ready = self.prepare(statement) if isinstance(statement, Statement) else statement
        rows = self._refusing(ready, lambda: self._sql(ready, params).collect())
        self.journal.statement(ready.text, scans=ready.scans, fetched=len(rows))
        return [tuple(row) for row in rows]

    def say(self, statement: Statement, params: Sequence[object] = ()) -> None:
        """Run a statement for its effect; the rows of a scratch table are computed here, once."""
        ready = self.prepare(statement)

        def run() -> None:
            self._sql(ready, params)
            if ready.makes is not None:
                self._settle(ready.makes, self.session.table(self._shown(ready.makes)))

        self._refusing(ready, run)
        self.journal.statement(ready.text, scans=ready.scans, fetched=0)

    def _sql(self, ready: Prepared, params: Sequence[object]) -> DataFrame:
        return self.session.sql(ready.text, args=list(params) or None)

    def _settle(self, table: exp.Table, frame: DataFrame) -> None:
        frame.localCheckpoint(eager=True).createOrReplaceTempView(table.name)

    def _refusing(self, ready: Prepared, run: Callable[[], Answer]) -> Answer:
        try:
            return run()
        except REFUSED as error:
            raise StatementError(ready.step, ready.text, error) from None

    def _shown(self, table: exp.Table) -> str:
        return table.sql(dialect=self.dialect, identify=True)

    def columns(self, table: exp.Table) -> list[ColumnType]:
        """Describe a table."""
        ready = Prepared("columns of", self._shown(table))
        schema = self._refusing(ready, lambda: self.session.table(ready.text).schema)
        return [ColumnType(field.name, field.dataType.simpleString()) for field in schema]

    def locate(self, table: exp.Table) -> list[Located]:
        """Find what a name stands for."""
        text = self._shown(table)
        try:
            if not self.session.catalog.tableExists(text):
                return []
            found = self.session.catalog.getTable(text)
        except REFUSED:
            return []
        kind = "view" if found.tableType in {"TEMPORARY", "VIEW"} else "table"
        space = ".".join(found.namespace or [])
        names = (str(part).casefold() for part in (found.catalog or "", space, found.name))
        return [Located(kind, *names)]

    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Make a scratch table of texts from rows at hand."""
        schema = ", ".join(f"{self._shown_name(column)} STRING" for column in columns)
        ready = Prepared("load", schema)
        self._refusing(
            ready,
            lambda: self._settle(table, self.session.createDataFrame(list(rows), schema)),
        )

    def _shown_name(self, text: str) -> str:
        return leaf(text).sql(dialect=self.dialect)

    def hold_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in a view of one row, computed, so that no plan shows it."""
        frame = self.session.createDataFrame([(bytearray(pad),)], "pad BINARY")
        frame.localCheckpoint(eager=True).createOrReplaceTempView(name)

    def forget_key(self, name: str) -> None:
        """Drop the view of a padded key."""
        self.session.catalog.dropTempView(name)

    def adopt(self, table: exp.Table, frame: object) -> bool:
        """Let statements see a DataFrame under a name of this run; others are sent to the cluster."""
        try:
            if not hasattr(frame, "createOrReplaceTempView"):
                frame = self.session.createDataFrame(frame)
            frame.createOrReplaceTempView(table.name)
        except (*REFUSED, TypeError, ValueError):
            what = f"a {type(frame).__name__} is nothing that Spark can read as a table"
            raise SourceError("source", [Fault("", what)]) from None
        return True

    def relation(self, table: exp.Table, columns: Sequence[str]) -> DataFrame:
        """Give columns of a table as a DataFrame, whose rows the executors keep."""
        return self.session.table(table.name).select(*map(self._shown_name, columns))

    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table, which is a view here; its rows go when nothing refers to them."""
        del view
        statement = publishing.drop_view(table)
        with suppress(*REFUSED):
            self.session.sql(statement.render(self.dialect))

    @contextmanager
    def hold(self, candidates: Sequence[exp.Table]) -> Iterator[None]:
        """Put back what a killed run left; Spark's tables know no locks and no transactions."""
        for candidate in candidates:
            spark_swap.restore(self, candidate)
        yield

    def pin(self, table: exp.Table) -> exp.Table:
        """Leave the name as it is: the catalog folds it."""
        return table

    def ties(self, table: exp.Table, changes: Changes) -> list[Tie]:
        """Find what hangs on a table."""
        return spark_swap.ties(self, table, changes)

    def swap(self, swap: Swap) -> None:
        """Put the released rows under the table's name, by renaming."""
        try:
            spark_swap.swap(self, swap)
        except BaseException:
            with suppress(StatementError):
                spark_swap.restore(self, swap.table)
            raise

    def purge(self) -> None:
        """Do no more: the swap has dropped the files without a trash."""


@contextmanager
def use_spark(session: SparkSession) -> Iterator[Spark]:
    """Run on a session of the caller, whose settings are put back whatever happens."""
    before = {key: session.conf.get(key, None) for key in MEANING}
    try:
        for key, value in MEANING.items():
            session.conf.set(key, value)
        yield Spark(session)
    finally:
        for key, old in before.items():
            if old is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, old)


@contextmanager
def open_spark(address: str) -> Iterator[Spark]:
    """Start a session on a master, or reach a Connect server by its address sc://."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  it takes seconds

    builder = SparkSession.builder.appName("kanon-sql").config("spark.ui.enabled", "false")
    try:
        if address.startswith("sc://"):
            session = builder.remote(address).getOrCreate()
        else:
            master = address if address.startswith("spark://") else address.removeprefix("spark:")
            session = builder.master(master).getOrCreate()
    except (*REFUSED, RuntimeError) as error:
        what = f"Spark cannot be reached ({type(error).__name__})"
        raise SourceError("database", [Fault("database", what)]) from None
    try:
        with use_spark(session) as engine:
            yield engine
    finally:
        session.stop()
