"""Hashes of a source's rows: one that notices a change, and one that nobody can construct other rows of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.errors import Fault, SourceError
from kanon_sql.source import source_sql
from kanon_sql.source.open_source import source_changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource
    from kanon_sql.sql.templates import Statement


def fingerprint(run: Session, opened: OpenSource, *, portable: bool) -> str:
    """Hash the source's rows, whatever their order, under the run's key, to notice that they change.

    The version of a table of a lake stands in place of a hash: no key is needed to compare it, and no row is read.
    Those of a population that the policy compares classes with are hashed beside them.
    The hash is what this release of this engine counts fastest, and no other has it. One that is
    `portable` is the same on every engine, and takes some twenty times as long. Raises SourceError
    if the rows are not as many as when the source was opened, or no portable hash is to be had.
    """
    if opened.snapshot is not None and opened.population is None:
        return opened.snapshot
    table, weight, size = opened.source_tuples
    names = [*(column.name for column in opened.columns), *([] if weight is None else [weight])]
    if portable and (faults := list(_portability_problems(run, opened))):
        raise SourceError(run.policy.subject, faults)
    hashing = source_sql.fingerprint if portable else source_sql.hash_rows
    found = _fetch_hash(run, size, hashing(table, names, rows=size))
    text = f"{size} rows: {found}"
    if (beside := opened.population) is not None:
        quasi = [column.name for column in run.policy.quasi]
        ((count, of),) = run.engine.fetch(hashing(beside.table, quasi, rows=beside.rows))
        text = f"{text}; population of {whole(count)} rows: {of}"
    hashed = run.key.hash(text)
    return hashed if portable else f"{'.'.join(run.engine.version.split('.')[:2])} {hashed}"


def _portability_problems(run: Session, opened: OpenSource) -> Iterator[Fault]:
    for column in opened.columns:
        if column.family in {"float", "other"}:
            what = f"is {column.type.split('(')[0]}, whose text differs between engines: no portable hash"
            yield run.policy.fault(f"columns.{column.name}", f"{what}; cast it in a query")


def seal(run: Session, opened: OpenSource) -> str:
    """Hash a release's rows, whatever their order, so that nobody can construct other rows of that hash.

    It is as hard as to break SHA-256 (collisions), and the same on every engine. Columns whose text
    is an engine's own (floats, nested types) bind it to that engine. The hashes of all different
    rows are in memory at once. Raises SourceError as `fingerprint` does.
    """
    described = [(column.name, column.nested) for column in opened.columns]
    found = _fetch_hash(
        run, opened.source_rows, source_sql.seal(opened.source, described, rows=opened.source_rows)
    )
    own = any(c.family in {"float", "other"} for c in opened.columns)
    by = f"{run.engine.version.split('.')[0]} " if own else ""
    return f"{by}sha256:{found or 0}"


def _fetch_hash(run: Session, size: int, statement: Statement) -> object:
    ((count, found),) = run.engine.fetch(statement)
    if (rows := whole(count)) != size:
        raise SourceError(run.policy.subject, [source_changed(run, size, rows)])
    return found
