"""A release in place: what changes in the table that it replaces, and what depends on that table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.errors import ReleaseError, VerificationError
from kanon_sql.late_dataclass import dataclass
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


class WrittenMeanwhileError(ReleaseError):
    """Rows were written to the source after the run's snapshot was taken. The run has to start again."""


LISTS = "lists every value of a column, and stays; drop it after the release"
"""Why an ENUM type is a dependent: it loses nothing, but it still shows all raw values."""


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """What may happen to the columns of a source, derived from the policy before a level is chosen.

    `removed` are not released under their names: of these, `bounded` are released as two columns. `changed`
    get other values, perhaps of another type; of these, `nulled` become NULL.
    """

    removed: frozenset[str]
    bounded: frozenset[str]
    changed: frozenset[str]
    nulled: frozenset[str]

    def lose(self, columns: Collection[str] | None) -> bool:
        return not self.removed.isdisjoint(columns or ())

    def touch(self, columns: Collection[str] | None) -> bool:
        """Whether one of the columns is dropped or changes."""
        return self.lose(columns) or not self.changed.isdisjoint(columns or ())


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that depends on a table. A policy accepts its loss by `name`.

    `loss` says what is lost, or what still shows raw values afterwards; the swap keeps a dependent without it.
    A policy cannot accept one that is `barred`. `before` and `after` are executed around the swap.
    """

    name: str
    loss: str | None = None
    barred: bool = False
    before: tuple[Statement, ...] = ()
    after: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """The staged rows that replace those of a table. `kept` is a table for the original rows, or None."""

    table: exp.Table
    staged: exp.Table
    columns: tuple[str, ...]
    rows: int
    kept: exp.Table | None
    changes: ColumnChanges
    dependents: tuple[Dependent, ...]

    def recount(self, engine: Engine, table: exp.Table) -> None:
        """Count the rows of a written table. Raises VerificationError unless they are as many as verified."""
        rows = engine.fetch_count(source_sql.count_rows(table))
        if rows != self.rows:
            raise VerificationError(
                f"{rows:,} rows were written where {self.rows:,} were verified; nothing was published"
            )
