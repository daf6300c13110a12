"""Spark SQL, for tables that outgrow one machine. The one module that holds a SparkSession."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from kanon_sql.engine.base import ColumnType, Located, Prepared, Row
from kanon_sql.engine.facts import SPARK
from kanon_sql.engine.journal import Journal
from kanon_sql.engine.scratch import mark_of
from kanon_sql.errors import Fault, SourceError, StatementError
from kanon_sql.sql import publishing, sources
from kanon_sql.sql.leaves import name as leaf
from kanon_sql.sql.leaves import table as spark_name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

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
        return [Located(kind, found.isTemporary, *names)]

    def tables_beside(self, found: Located) -> list[str]:
        """Name the tables of a schema, and its views, which Spark tells only one by one."""
        return self._listed(sources.tables_in(found.schema, found.catalog or None))

    def _listed(self, statement: Statement) -> list[str]:
        return [str(name) for _, name, temporary, *_ in self.ask(statement) if not temporary]

    def leftovers(self, schema: str | None) -> list[exp.Table]:
        """Name what a killed run left: no transaction undoes it.

        The tables of a release that is a view are read by it, whatever it is called now.
        """
        views = self._listed(sources.views_in(schema))
        tables = self._listed(sources.tables_in(schema, None))
        found = {name: mark for name in tables if name not in views and (mark := mark_of(name))}
        texts = [self.ask(sources.view_text(view, schema)) for view in views] if found else []
        read = " ".join(str(cell) for rows in texts for row in rows for cell in row)
        return [spark_name(n, schema=schema) for n, mark in found.items() if mark not in read]

    def together(self) -> AbstractContextManager[None]:
        """Do nothing: Spark has no transactions."""
        return nullcontext()

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


@dataclass
class Held:
    """How many runs a session has now, and its own settings, which the last of them puts back."""

    runs: int = 0
    before: dict[str, str | None] = field(default_factory=dict)


_HELD: WeakKeyDictionary[SparkSession, Held] = WeakKeyDictionary()
_HOLDING = Lock()


@contextmanager
def use_spark(session: SparkSession) -> Iterator[Spark]:
    """Run on a session of the caller, whose settings are put back whatever happens.

    Threads share a session: its settings stay as the runs need them until the last has ended.
    """
    with _HOLDING:
        held = _HELD.setdefault(session, Held())
        held.runs += 1
        if held.runs == 1:
            held.before = {key: session.conf.get(key, None) for key in MEANING}
    try:
        for key, value in MEANING.items():
            session.conf.set(key, value)
        yield Spark(session)
    finally:
        with _HOLDING:
            held.runs -= 1
            if held.runs == 0:
                _put_back(session, held.before)


def _put_back(session: SparkSession, before: dict[str, str | None]) -> None:
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
