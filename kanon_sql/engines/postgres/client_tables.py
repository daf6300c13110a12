"""Frequency sets that PostgreSQL has counted, searched in a DuckDB of this process.

A check reads a whole frequency set, and there are hundreds: each costs PostgreSQL a hundred nanoseconds a tuple, and
DuckDB a few. So a set that is small enough is copied once, as packed codes and counts without a label, and
what reads nothing else runs here. Rows of the source stay on the server; what is read with other tables of the server is
made there when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.engines.base import PreparedStatement
from kanon_sql.engines.tables_here import DIALECT, ENTITY, TablesHere
from kanon_sql.engines.tables_sql import take_csv

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.sql.templates import Rendered, Statement

SETTING = "kanon.client_rows"
"""The setting of a session that bounds the tables; 0 leaves all on the server."""
COPIED = frozenset({"frequency_set"})
LOOKED_UP = frozenset({"numbers", "weights"})
"""Templates of small tables that are read beside frequency sets."""
MADE = frozenset({"roll_up", "roll_ups"})
"""Templates whose tables are the same wherever they are made from the same set."""
WHOLE = {"bigint": True, "integer": False}
"""The types of a frequency set's codes and counts, and whether they have 64 bits."""


class ClientTables(TablesHere):
    """The tables that are here, and the statements of those that the server does not have."""

    setting: ClassVar = SETTING
    stay: ClassVar = "leaves all on the server"

    def __init__(self, most_rows: int) -> None:
        super().__init__(most_rows)
        self._unmade: dict[str, tuple[PreparedStatement, tuple[exp.Table, ...]]] = {}

    def __contains__(self, table: exp.Table) -> bool:
        return not table.db and table.name in self._names

    def prepare(self, statement: Statement, rendered: Rendered) -> PreparedStatement | None:
        """Prepare a statement that reads what is here and nothing else; None for any other."""
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
        """Give the statements that make on the server what is only here, in their order; each is given once."""
        for table in reads:
            if (found := self._unmade.get(table.name)) is not None:
                ready, inner = found
                yield from self.unmade(inner)
                del self._unmade[table.name]
                yield ready

    def wants(self, name: str) -> bool:
        """Whether a table of a template is copied, if it is small."""
        return name in COPIED or (name in LOOKED_UP and bool(self._names))

    def takes(self, columns: Sequence[ColumnType], rows: int) -> bool:
        """Whether a table is copied: it is small, and has codes and counts alone."""
        whole = all(each.type in WHOLE and each.name != ENTITY for each in columns)
        return whole and rows <= self.most_rows

    def take(self, table: exp.Table, columns: Sequence[ColumnType], path: str) -> None:
        """Create a table of what the server wrote to a file."""
        described = [(each.name, WHOLE[each.type]) for each in columns]
        engine = self.duckdb
        engine.execute(take_csv(table, path, described))
        self._names.add(table.name)

    def drop(self, table: exp.Table) -> bool:
        """Drop a table here; returns whether it is to be dropped on the server, too.

        One that others are still to be made from stays there, and ends with the run.
        """
        if table not in self:
            return True
        self.duckdb.drop(table, view=False)
        self._names.discard(table.name)
        needed = any(table in reads for _, reads in self._unmade.values())
        if needed:
            return False
        return self._unmade.pop(table.name, None) is None
