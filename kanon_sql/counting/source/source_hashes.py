"""Hashes of a source's rows: `fingerprint` detects changes, `seal` also resists forgery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.counting.source.open_source import source_changed
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource


def fingerprint(run: Session, opened: OpenSource, *, portable: bool) -> str:
    """Hash the source's rows, regardless of their order, under the run's key, to detect changes.

    Rows of a population that the policy compares classes with are hashed, too. For a table of a lake without a
    population, the result is its version instead: it needs no key to compare, and no row is read. The hash is the
    fastest one of this release of this engine, and differs on others. A `portable` hash is the same on every engine,
    and takes about twenty times as long. Raises SourceError if the count of rows has changed since the source was
    opened, or if a column's type allows no portable hash.
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
    """Hash a release's rows, in any order, so that nobody can construct other rows with the same hash.

    That is as hard as finding collisions of SHA-256. The hash is the same on every engine, unless columns have texts
    that differ between engines (floats, nested types): it then begins with the engine. The hashes of all distinct rows
    are in memory at once. Raises SourceError if the count of rows has changed.
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
