"""The source of `init`: a table, files, a folder of them or a DuckDB file, and the hierarchy files next to it."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.errors import Fault, InputError, StatementError
from kanon_sql.hierarchies import mapping_sql
from kanon_sql.hierarchies.mapping import path_statements
from kanon_sql.hierarchies.specs import CsvHierarchy
from kanon_sql.policy.locations import Source, source_from_text
from kanon_sql.policy.model import Column, Role
from kanon_sql.run.session import resolve
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.run.session import Session

MAGIC = slice(8, 12), b"DUCK"
"""How a DuckDB file begins, after a checksum."""
BESIDE = "hierarchy_"


def resolve_source(source: str, database: str | None) -> tuple[Source, str | None]:
    """Resolve the source of `init`: a DuckDB file with one table means that table, a folder its files.

    Raises InputError where there are several tables, or no files.
    """
    path = Path(source)
    if database is None and path.is_dir():
        return Source(path=_in_folder(source, path)), None
    if database is None and path.is_file() and _is_database(path):
        return Source(table=_only_table(source)), source
    return source_from_text(source), database


def _in_folder(source: str, folder: Path) -> str:
    """Return the files of a folder as a source: Parquet below it, or else the text files in it."""
    if any(folder.rglob("*.parquet")):
        return source
    if any(folder.glob("*.csv")):
        return f"{glob.escape(source.rstrip('/'))}/*.csv"
    raise InputError(source, [Fault("source", "is a folder without files of Parquet or CSV")])


def _is_database(path: Path) -> bool:
    at, word = MAGIC
    with path.open("rb") as file:
        return file.read(at.stop)[at] == word


def _only_table(database: str) -> str:
    """Return the one table of a DuckDB file; raises InputError if there are more."""
    with open_duckdb(database, read_only=True) as engine:
        found = [
            name if schema == "main" else f"{schema}.{name}"
            for schema, name in (map(str, row) for row in engine.fetch(source_sql.list_tables()))
        ]
    if len(found) == 1:
        return found[0]
    what = f"has {len(found)} tables: {', '.join(found)}" if found else "has no table"
    again = f"; name one: kanon-sql init {found[0]} --database {database}" if found else ""
    raise InputError(database, [Fault("source", f"{what}{again}")])


def find_hierarchy_files(
    run: Session, source: str, sample: exp.Table, columns: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Find the files next to a source with a column's hierarchy, each with how many values it covers.

    They are called `hierarchy_COLUMN.csv`. One with the source's own name before that is taken first,
    then one with none, then one of another name, which must cover all values of the sample.
    """
    folder = Path(resolve(source, "")).parent
    if "://" in source or not folder.is_dir():
        return {}
    there = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv")
    own = Path(source).name.partition(".")[0].casefold()
    found = {}
    for name in columns:
        ending = f"{BESIDE}{name}".casefold()
        ranked = []
        for path in there:
            stem = path.stem.casefold()
            before = stem.removesuffix(ending).rstrip("_-. ")
            if stem.endswith(ending) and (stem == ending or not stem[-len(ending) - 1].isalnum()):
                ranked.append(((0 if before == own else 1 if not before else 2), path))
        for rank, path in sorted(ranked):
            values, missing = _count_covered(run, sample, name, path)
            if missing is not None and (missing == 0 if rank == 2 else missing <= values / 2):
                covers = f"{values - missing} of {values} values have an entry"
                found[name] = (str(path), covers)
                break
    return found


def _count_covered(
    run: Session, sample: exp.Table, name: str, path: Path
) -> tuple[int, int | None]:
    """Count the values of a sample and those without an entry in a file; None where it cannot be read."""
    domain, paths = run.scratch.table("domain"), run.scratch.table("paths")
    column = Column(name, Role.QUASI, CsvHierarchy(str(path)))
    try:
        run.engine.execute(mapping_sql.domain(domain, sample, name, rows=0))
        _, statements = path_statements(run, column, domain, paths)
        for statement in statements:
            run.engine.execute(statement)
        counts = run.engine.fetch_counts(mapping_sql.survey_domain(domain, paths, as_text=True))
    except (StatementError, ValueError, OSError):
        return 0, None
    values, nulls, missing = counts[:3]
    return values - nulls, missing
