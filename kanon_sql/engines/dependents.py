"""A release in place: what it changes on the table whose name it takes, and what hangs on that table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.errors import VerificationError
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.sql.templates import Statement


NO_JOINING = (
    "has a transaction open, which may not see rows that others committed since; commit it first, "
    "for a release in place needs one of its own"
)


LISTS = "lists every value of a column, and stays; drop it after the release"
"""Of a type: what it loses is nothing, and what it shows is all."""


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """What may become of the columns of a source, told from the policy before a level is chosen.

    `gone` are not released under their names: `bounded` of them as two columns, the others not at
    all. `changed` hold other values, and may be of another type; `nulled` of them hold none.
    """

    gone: frozenset[str]
    bounded: frozenset[str]
    changed: frozenset[str]
    nulled: frozenset[str]

    def lose(self, columns: Collection[str] | None) -> bool:
        """Whether one of the columns is gone."""
        return not self.gone.isdisjoint(columns or ())

    def touch(self, columns: Collection[str] | None) -> bool:
        """Whether one of the columns is gone, or no longer what it was."""
        return self.lose(columns) or not self.changed.isdisjoint(columns or ())


@dataclass(frozen=True, slots=True)
class Dependent:
    """One thing that hangs on a table, under the name by which a policy accepts to lose it.

    `loss` says what is lost, or shows raw values afterwards; what has none is carried. What is
    `barred` cannot be accepted. `before` and `after` are said around the swap.
    """

    name: str
    loss: str | None = None
    barred: bool = False
    before: tuple[Statement, ...] = ()
    after: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """The rows that go under a table's name. `kept` names the original's new table, if it has one."""

    table: exp.Table
    staged: exp.Table
    columns: tuple[str, ...]
    rows: int
    kept: exp.Table | None
    changes: ColumnChanges
    dependents: tuple[Dependent, ...]

    def recount(self, engine: Engine, table: exp.Table) -> None:
        """Count what was written; raises VerificationError where rows are missing."""
        rows = engine.fetch_count(source_sql.count_rows(table))
        if rows != self.rows:
            raise VerificationError(
                f"{rows} rows were written where {self.rows} were verified; nothing was published"
            )
