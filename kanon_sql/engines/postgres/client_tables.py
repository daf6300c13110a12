"""Frequency sets that PostgreSQL has counted, copied to a DuckDB in this process for searches.

A search makes hundreds of checks, and each check reads a whole frequency set. That costs PostgreSQL a hundred
nanoseconds a tuple, and DuckDB a few. So a small set is copied once, as packed codes and counts without labels, and
statements that read only such sets run here. Rows of the source stay on the server. A table that was derived here is
created on the server too, when a statement reads it together with tables of the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.engines.base import PreparedStatement
from kanon_sql.engines.commands_sql import take_csv
from kanon_sql.engines.tables_here import DIALECT, ENTITY, TablesHere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.sql.templates import Rendered, Statement

SETTING = "kanon.client_rows"
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

    setting: ClassVar = SETTING
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
