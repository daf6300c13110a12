"""Small scratch tables of a server's run that a DuckDB of this process has; one folder each says what an engine copies."""

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
"""Rows of the largest table that is copied, unless the session says otherwise: some 170 MB of packed codes."""
DIALECT = "duckdb"
MEMORY = "2GB"
"""What DuckDB may use before it spills."""
ENTITY = "entity"
"""The column of a frequency set that has a value of the source for each row, not a code."""


class TablesHere:
    """The tables that are here, by their names, and the database that has them."""

    setting: ClassVar[str]
    """The setting of a session that bounds the tables."""
    stay: ClassVar[str]
    """What 0 does, for a message."""

    def __init__(self, most_rows: int) -> None:
        self.most_rows = most_rows
        self._names: set[str] = set()
        self._open = ExitStack()
        self._duckdb: DuckDB | None = None

    @classmethod
    def of(cls, asked: object) -> Self:
        """Read the setting of a session, which may have none; raises InputError where it is no number of rows."""
        text = str(asked or MOST_ROWS)
        if not text.isascii() or not text.isdecimal():
            what = f"must be a whole number of rows; 0 {cls.stay}"
            raise InputError("settings", [Fault(cls.setting, what)])
        return cls(int(text))

    @property
    def duckdb(self) -> DuckDB:
        """Open the database when the first table comes."""
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
