"""Open tables that a command reads without a policy: by name, or from a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.errors import Fault
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.locations import Source
from kanon_sql.policy.model import Policy, Suppression
from kanon_sql.run.inputs import stated_source
from kanon_sql.source import source_sql
from kanon_sql.source.column_problems import tagged_type_problems
from kanon_sql.source.open_view import open_as_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.run.session import Session

NO_POLICY = Policy(Source(), None, (), (), Suppression(rows=0))
"""The policy of a run that needs none."""


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, file or frame as a run reads it. `what` is its name in messages."""

    what: str
    table: exp.Table
    columns: tuple[ColumnType, ...]

    def column_problems(self, names: Iterable[str]) -> Iterator[Fault]:
        """List columns that cannot be counted: they are missing, or of types whose texts hide differences."""
        wanted = list(dict.fromkeys(names))
        there = {column.name for column in self.columns}
        for name in wanted:
            if name not in there:
                yield Fault(name, f"is not a column of {self.what}")
        yield from tagged_type_problems(self.columns, wanted)

    def without_suppressed(
        self, run: Session, quasi: Sequence[str], label: str
    ) -> tuple[NamedTable, int]:
        """Return the table without rows whose quasi-identifiers all are `label` (suppressed), and their count."""
        view = run.scratch.table("not_suppressed")
        run.see(view, source_sql.without_suppressed(view, self.table, quasi, label))
        before, after = (
            run.engine.fetch_count(source_sql.count_rows(each)) for each in (self.table, view)
        )
        return replace(self, table=view), before - after


def open_table(run: Session, source: object, view_name: str, what: str = "the table") -> NamedTable:
    """Open a table, file or glob by name, or a frame. Raises SourceError if it is missing or unreadable."""
    view = run.scratch.table(view_name)
    if isinstance(source, str | Path | Mapping):
        open_as_view(run, view, stated_source(run.engine, source), "")
    else:
        run.scratch.is_view(view, view=run.engine.register(view, source))
    return NamedTable(what, view, tuple(run.engine.columns(view)))


def suppressed_text(rows: int) -> str:
    """Return the sentence that says how rows with the suppression label were treated."""
    were = "is" if rows == 1 else "are"
    return (
        f"{counted(rows, 'row')} {were} in no class: every quasi-identifier is the label of suppressed rows. "
        f"No bound holds for what the other columns say of them"
    )
