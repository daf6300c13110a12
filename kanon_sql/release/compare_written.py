"""Whether what was written is what was staged and verified: counts, and hashes of all rows."""

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
"""Rows beyond which texts of numbers cost more than to look up the types of columns."""

EQUAL_AS_TEXTS = frozenset({"integer", "decimal", "boolean", "date", "timestamp"})
"""Families of types whose values are equal where their texts are; zeros of floats have two texts."""


def is_what_was_staged(run: Session, view: exp.Table, staged: Staged) -> bool:
    """Whether written rows have the values of those that were staged. Raises VerificationError where they are not as many."""
    rows = staged.rows
    typed = _typed_alike(run, view, staged)
    found = _hash(run, view, staged.columns, rows, typed)
    if int(str(found[0])) != rows:
        raise VerificationError(
            f"{found[0]:,} rows were written where {rows:,} were verified; nothing was published"
        )
    return found == _hash(run, staged.table, staged.columns, rows, typed)


def check_nothing_lost(run: Session, view: exp.Table, staged: Staged) -> None:
    """Raise VerificationError, with the columns, where what was written holds other values than what was verified."""
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
    """Name the columns of which the files hold values of the staged type, equal where their texts are; none of few rows."""
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
    """Count rows and hash some columns, whatever the order of the rows: their texts, or where `typed` their values."""
    return run.engine.fetch(source_sql.hash_rows(table, columns, rows=rows, typed=typed))[0]
