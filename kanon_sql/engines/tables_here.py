"""Small scratch tables in a DuckDB of this process, where checks of PostgreSQL and Spark cost less.

A search makes hundreds of checks, and each reads a whole frequency set. That costs PostgreSQL a hundred nanoseconds a
tuple, and DuckDB a few. So a small set is copied once, as packed codes and counts without labels, and statements that
read only such sets run here. Rows of the source stay on the server. A table that was derived here is created on the
server too, when a statement reads it together with tables of the server.

A statement costs Spark some tenths of a second, whatever it reads. The values of a column, a hierarchy, the tuples that
Mondrian cuts, and most frequency sets are small, and hundreds of statements read nothing else; these take DuckDB
milliseconds. So a small table that Spark has computed is copied to the driver once, and tables derived only from such
tables are derived there. Before a statement reads one together with rows, the table is sent to Spark. Rows of the
source stay in the cluster.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, ClassVar

from kanon_sql.engines.base import PreparedStatement
from kanon_sql.engines.commands_sql import take_csv
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.errors import Fault, InputError, MemoryLimitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame
    from sqlglot import exp

    from kanon_sql.base.sql.templates import Rendered, Statement
    from kanon_sql.engines.base import ColumnType, Row
    from kanon_sql.engines.duckdb.engine import DuckDB

MOST_ROWS = 10_000_000
"""The most rows of a copied table, unless the session sets another number: about 170 MB of codes."""
DIALECT = "duckdb"
MEMORY = "2GB"
"""The memory that DuckDB may use before it spills."""
ENTITY = "entity"
"""The column of a frequency set that holds values of the source instead of codes."""


class TablesHere:
    """The names of the tables that are in this process, and the DuckDB that holds them."""

    setting: ClassVar[str]
    """The setting of a session that limits the rows of a table."""
    stay: ClassVar[str]
    """What the setting does at 0, in words for a message."""

    def __init__(self, most_rows: int) -> None:
        self.most_rows = most_rows
        self._names: set[str] = set()
        self._open = ExitStack()
        self._duckdb: DuckDB | None = None

    @classmethod
    def of(cls, asked: object) -> Self:
        """Create the tables for a session's setting (None: the default). Raises InputError if it is no number."""
        text = str(asked or MOST_ROWS)
        if not text.isascii() or not text.isdecimal():
            what = f"must be a whole number of rows; 0 {cls.stay}"
            raise InputError("settings", [Fault(cls.setting, what)])
        return cls(int(text))

    @property
    def duckdb(self) -> DuckDB:
        """The DuckDB of the tables, opened at the first use."""
        if self._duckdb is None:
            self._duckdb = self._open.enter_context(open_duckdb(memory_limit=MEMORY))
        return self._duckdb

    def close(self) -> None:
        self._open.close()
        self._duckdb = None
        self._names.clear()

    def run(self, ready: PreparedStatement, params: Sequence[object]) -> list[Row]:
        try:
            return self.duckdb._run(ready, params)  # noqa: SLF001  the journal is the run's
        except MemoryLimitError as error:
            limit = f"DuckDB in this process may use {MEMORY}, and then the room below TMPDIR; {self.setting} = 0 {self.stay}"
            raise MemoryLimitError(ready.step, limit) from error


CLIENT_ROWS = "kanon.client_rows"
"""The setting of a session that limits the rows of a copied table; 0 leaves all tables on the server."""
COPIED = frozenset({"frequency_set"})
LOOKED_UP = frozenset({"numbers", "weights"})
"""Templates of small tables that statements read together with frequency sets."""
MADE = frozenset({"roll_up", "roll_ups"})
"""Templates whose tables DuckDB and PostgreSQL compute alike from the same frequency set."""
WHOLE = {"bigint": True, "integer": False}
"""The types of codes and counts in a frequency set, and whether each has 64 bits."""


class ClientTables(TablesHere):
    """The tables in this process, and the statements that would create those that the server lacks."""

    setting: ClassVar = CLIENT_ROWS
    stay: ClassVar = "leaves all on the server"

    def __init__(self, most_rows: int) -> None:
        super().__init__(most_rows)
        self._unmade: dict[str, tuple[PreparedStatement, tuple[exp.Table, ...]]] = {}

    def __contains__(self, table: exp.Table) -> bool:
        return not table.db and table.name in self._names

    def prepare(self, statement: Statement, rendered: Rendered) -> PreparedStatement | None:
        """Prepare a statement for this process if it reads only tables that are here; else return None."""
        if not rendered.reads or not all(each in self for each in rendered.reads):
            return None
        if rendered.opens is not None:
            return None
        if (made := rendered.makes) is not None:
            if statement.name not in MADE:
                return None
            there = PreparedStatement(statement.step, rendered.text, statement.scans, made)
            self._names.add(made.name)
            self._unmade[made.name] = there, rendered.reads
        return PreparedStatement.of(statement, DIALECT, on_driver=True)

    def unmade(self, reads: Iterable[exp.Table]) -> Iterator[PreparedStatement]:
        """Yield the statements that create tables on the server that are only here, in order and each once."""
        for table in reads:
            if (found := self._unmade.get(table.name)) is not None:
                ready, inner = found
                yield from self.unmade(inner)
                del self._unmade[table.name]
                yield ready

    def wants(self, name: str) -> bool:
        """Whether tables of a template are to be copied, if they are small."""
        return name in COPIED or (name in LOOKED_UP and bool(self._names))

    def takes(self, columns: Sequence[ColumnType], rows: int) -> bool:
        """Whether a table can be copied: it is small, and has only codes and counts."""
        whole = all(each.type in WHOLE and each.name != ENTITY for each in columns)
        return whole and rows <= self.most_rows

    def take(self, table: exp.Table, columns: Sequence[ColumnType], path: str) -> None:
        """Create a table here from the CSV file that the server wrote of it."""
        described = [(each.name, WHOLE[each.type]) for each in columns]
        engine = self.duckdb
        engine.execute(take_csv(table, path, described))
        self._names.add(table.name)

    def drop(self, table: exp.Table) -> bool:
        """Drop a table here. Returns whether to drop it on the server, too.

        Not if other tables are still to be created there from it: then it stays there until the run ends.
        """
        if table not in self:
            return True
        self.duckdb.drop(table, view=False)
        self._names.discard(table.name)
        needed = any(table in reads for _, reads in self._unmade.values())
        if needed:
            return False
        return self._unmade.pop(table.name, None) is None


DRIVER_ROWS = "spark.kanon_sql.driverRows"
"""The setting of a session that limits the rows of a copied table; 0 leaves all tables in the cluster."""
SOURCE = "source/"
"""The folder of the templates that read files."""
BROUGHT = frozenset({"domain", "all_domains", "domain_codes", "frequency_set", "roll_up", "places"})
"""Templates whose tables may be small and that many statements read."""
WIDE = frozenset({"places"})
"""Those of them with a number for each column, where a frequency set packs several into one."""
PACKED = 2
"""The numbers in a row of a packed frequency set: a wide table is brought if it has as many numbers in all."""
EXACT = re.compile(r"string|boolean|tinyint|smallint|int|bigint|date|decimal\(\d+,\d+\)")
"""The types that DuckDB and Spark share, with the same values, order and text."""


class DriverTables(TablesHere):
    """The tables on the driver, and which of them were sent to Spark, too."""

    setting: ClassVar = DRIVER_ROWS
    stay: ClassVar = "leaves all in the cluster"

    def __init__(self, most_rows: int) -> None:
        super().__init__(most_rows)
        self._sent: set[str] = set()

    def __contains__(self, table: exp.Table) -> bool:
        return table.name in self._names

    def answers(self, statement: Statement, rendered: Rendered) -> bool:
        """Whether DuckDB can execute a statement: it reads only tables on the driver, or holds all its rows.

        A statement that opens a source names no table either, but it reads files of the cluster, so the answer is no.
        """
        if rendered.reads is None or not self.most_rows:
            return False
        if not rendered.reads:
            return rendered.makes is not None and not statement.template.startswith(SOURCE)
        return all(each in self for each in rendered.reads)

    def prepare(self, statement: Statement, made: exp.Table | None) -> PreparedStatement:
        """Prepare a statement for DuckDB; `made` is the table or view that it leaves here."""
        if made is not None:
            self._names.add(made.name)
        return PreparedStatement.of(statement, DIALECT, on_driver=True)

    def take(self, table: exp.Table, rows: pa.Table) -> None:
        """Create a table from Arrow data."""
        self.duckdb.take(table, rows)
        self._names.add(table.name)

    def columns(self, table: exp.Table) -> list[ColumnType]:
        return self.duckdb.columns(table)

    def takes(self, template: str, frame: DataFrame, rows: int) -> bool:
        """Whether a table is to be copied here: it is small, and its types are the same in both databases."""
        if template not in BROUGHT or rows > self.most_rows:
            return False
        fields = frame.schema.fields
        if template in WIDE and rows * len(fields) > PACKED * self.most_rows:
            return False
        exact = all(EXACT.fullmatch(each.dataType.simpleString()) for each in fields)
        return exact and all(each.name != ENTITY for each in fields)

    def unsent(self, reads: Iterable[exp.Table]) -> list[exp.Table]:
        """Return the tables that are here and were not sent to Spark yet."""
        return [each for each in reads if each in self and each.name not in self._sent]

    def send(self, table: exp.Table) -> pa.Table:
        """Return a table's rows, and record that Spark has them."""
        self._sent.add(table.name)
        return self.duckdb.arrow(table)

    def drop(self, table: exp.Table, *, view: bool) -> bool:
        """Drop a table here. Returns whether it was sent to Spark, too."""
        self._names.discard(table.name)
        self.duckdb.drop(table, view=view)
        was_sent = table.name in self._sent
        self._sent.discard(table.name)
        return was_sent
