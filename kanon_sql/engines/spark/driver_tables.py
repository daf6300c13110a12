"""Small scratch tables of a run, kept by a DuckDB in the driver's process.

A statement costs Spark some tenths of a second, whatever it reads. The values of a column, a hierarchy, and most
frequency sets are small, and hundreds of statements read nothing else; these take DuckDB milliseconds. So a small
table that Spark has computed is copied to the driver once, and tables derived only from such tables are derived there.
Before a statement reads one together with rows, the table is sent to Spark. Rows of the source stay in the cluster.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from kanon_sql.engines.base import PreparedStatement
from kanon_sql.engines.tables_here import DIALECT, ENTITY, TablesHere

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame
    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.sql.templates import Rendered, Statement

SETTING = "spark.kanon_sql.driverRows"
"""The setting of a session that limits the rows of a copied table; 0 leaves all tables in the cluster."""
SOURCE = "source/"
"""The folder of the templates that read files."""
BROUGHT = frozenset({"domain", "all_domains", "domain_codes", "frequency_set", "roll_up"})
"""Templates whose tables may be small and that many statements read."""
EXACT = re.compile(r"string|boolean|tinyint|smallint|int|bigint|date|decimal\(\d+,\d+\)")
"""The types that DuckDB and Spark share, with the same values, order and text."""


class DriverTables(TablesHere):
    """The tables on the driver, and which of them were sent to Spark, too."""

    setting: ClassVar = SETTING
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
