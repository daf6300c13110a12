"""Compares written files with the staged rows that were verified: counts, and hashes of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.errors import VerificationError
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.release.stage import Staged
    from kanon_sql.run.session import Session

MANY_ROWS = 100_000
"""From so many rows on, hashing numbers as texts costs more than looking up the types of columns."""

EQUAL_AS_TEXTS = frozenset({"integer", "decimal", "boolean", "date", "timestamp"})
"""Families of types whose values are equal exactly if their texts are; a float's zero has two texts."""


def is_what_was_staged(run: Session, view: exp.Table, staged: Staged) -> bool:
    """Return True if written rows have the staged values. Raises VerificationError where counts differ."""
    rows = staged.rows
    typed = _typed_alike(run, view, staged)
    found = _hash(run, view, staged.columns, rows, typed)
    if int(str(found[0])) != rows:
        raise VerificationError(
            f"{found[0]:,} rows were written where {rows:,} were verified; nothing was published"
        )
    return found == _hash(run, staged.table, staged.columns, rows, typed)


def check_nothing_lost(run: Session, view: exp.Table, staged: Staged) -> None:
    """Raise VerificationError, with the columns, where written values are not the staged ones."""
    if is_what_was_staged(run, view, staged):
        return
    rows, typed = staged.rows, _typed_alike(run, view, staged)
    lost = [
        each
        for each in staged.columns
        if _hash(run, view, [each], rows, typed) != _hash(run, staged.table, [each], rows, typed)
    ]
    raise VerificationError(
        f"the files do not hold what was verified ({', '.join(lost or ['rows differ'])}): of a "
        f"type that the format does not have, so cast it in a query; or of partitions whose "
        f"values the name of a folder cannot tell apart. Nothing was published"
    )


def _typed_alike(run: Session, view: exp.Table, staged: Staged) -> frozenset[str]:
    """Return the columns of `EQUAL_AS_TEXTS` with the same type in files and staging; none of few rows."""
    if staged.rows < MANY_ROWS:
        return frozenset()
    written = {each.name: each.type for each in run.engine.columns(view)}
    return frozenset(
        each.name
        for each in run.engine.columns(staged.table)
        if each.family in EQUAL_AS_TEXTS and each.type == written.get(each.name)
    )


def _hash(
    run: Session,
    table: exp.Table,
    columns: Sequence[str],
    rows: int,
    typed: frozenset[str],
) -> tuple[object, ...]:
    """Return the number of rows and a hash of columns, by values if `typed`, else by texts, in any order."""
    return run.engine.fetch(source_sql.hash_rows(table, columns, rows=rows, typed=typed))[0]
