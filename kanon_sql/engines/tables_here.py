"""Small scratch tables in a DuckDB of this process, for PostgreSQL and Spark; each has a subclass."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, ClassVar

from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.errors import Fault, InputError, MemoryLimitError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from kanon_sql.engines.base import PreparedStatement, Row
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
