"""The interface to a table of a lake (Delta Lake, Iceberg, DuckLake), and how a table is opened."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, assert_never

from kanon_sql.engines.lakes.lake_tables import LakeFormat, LakeTable
from kanon_sql.errors import (
    DEBUG,
    Fault,
    KanonError,
    MissingExtraError,
    ReleaseError,
    SourceError,
    StatementError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.engines.base import Engine

LIBRARIES = {"deltalake", "pyiceberg", "pyarrow", "sqlalchemy"}
"""The packages that the extras of the formats install."""


class Lake(Protocol):
    """One version of a table. No later commit changes its rows."""

    @property
    def snapshot(self) -> str:
        """The table's own id with the version. The same text always means the same rows."""
        ...

    @property
    def is_newest(self) -> bool: ...

    @property
    def versions(self) -> int:
        """The number of versions that can still be read."""
        ...

    def open_rows(self, view: exp.Table) -> bool:
        """Make the rows of the version readable under a name. Returns whether that is a view.

        Raises SourceError where they cannot be read.
        """
        ...

    def release_problems(self) -> list[str]:
        """List the reasons why a release cannot replace the rows; empty if it can."""
        ...

    def purge(self) -> None:
        """Remove all older versions with the data that only they use: rows, deleted rows, column statistics."""
        ...


def open_lake(engine: Engine, table: LakeTable) -> Lake:
    """Open a table at an absolute place. Raises SourceError if there is no table, and MissingExtraError."""
    with lake_errors(table):
        match table.format:
            case LakeFormat.DELTA:
                from kanon_sql.engines.lakes.delta import open_delta  # noqa: PLC0415  an extra

                return open_delta(engine, table)
            case LakeFormat.ICEBERG:
                from kanon_sql.engines.lakes.iceberg import open_iceberg  # noqa: PLC0415  an extra

                return open_iceberg(engine, table)
            case LakeFormat.DUCKLAKE:
                from kanon_sql.engines.lakes.ducklake import open_ducklake  # noqa: PLC0415  few runs

                return open_ducklake(engine, table)
            case _:
                assert_never(table.format)


def has_table(engine: Engine, table: LakeTable) -> bool:
    """Return whether a table exists. Raises ReleaseError where that cannot be determined."""
    with lake_errors(table, writes=True):
        match table.format:
            case LakeFormat.DELTA:
                from kanon_sql.engines.lakes import delta  # noqa: PLC0415  an extra

                return delta.is_delta(table.place)
            case LakeFormat.ICEBERG:
                from kanon_sql.engines.lakes import iceberg  # noqa: PLC0415  an extra

                return iceberg.has_table(table)
            case LakeFormat.DUCKLAKE:
                from kanon_sql.engines.lakes import ducklake  # noqa: PLC0415  few runs

                return ducklake.has_table(engine, table)
            case _:
                assert_never(table.format)


@contextmanager
def lake_errors(table: LakeTable, *, writes: bool = False) -> Iterator[None]:
    """Raise a library's errors as SourceError or ReleaseError, without their words, which may quote data."""
    try:
        yield
    except StatementError as error:
        if writes:
            raise
        raise _unreadable(table, error.kind) from error
    except KanonError:
        raise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in LIBRARIES:
            raise
        raise MissingExtraError(table.format.extra) from error
    except Exception as error:
        kind = type(error).__name__
        if writes:
            what = f"cannot be written as {table.format.label} ({kind}); nothing was published. {DEBUG}=1 shows why"
            raise ReleaseError(table.name, [Fault("release", what)]) from error
        raise _unreadable(table, kind) from error


def _unreadable(table: LakeTable, kind: str) -> SourceError:
    what = f"cannot be read as {table.format.label} ({kind}); {DEBUG}=1 shows the library's message"
    return SourceError(table.name, [Fault("source", what)])
