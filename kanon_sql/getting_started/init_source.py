"""The source of `init` on any engine: a table, files, a frame or a whole database, and the hierarchy files next to it."""

from __future__ import annotations

import glob
import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.scratch import PREFIX
from kanon_sql.errors import Fault, InputError, StatementError
from kanon_sql.hierarchies import mapping_sql
from kanon_sql.hierarchies.mapping import path_statements
from kanon_sql.hierarchies.specs import CsvHierarchy
from kanon_sql.policy.locations import Source
from kanon_sql.policy.model import Column, Role
from kanon_sql.run.inputs import named_source
from kanon_sql.run.open_table import NO_POLICY
from kanon_sql.run.session import resolve, session
from kanon_sql.source import source_sql
from kanon_sql.source.open_source import has_table, open_as_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.connect import Settings
    from kanon_sql.run.session import Session

MAGIC = slice(8, 12), b"DUCK"
"""How a DuckDB file begins, after a checksum."""
BESIDE = "hierarchy_"


@dataclass(frozen=True, slots=True)
class InitSource:
    """The source of `init`, opened: a view of its rows in a run that only reads.

    `source` and `database` are what the policy names them by; a frame has no `source`.
    """

    run: Session
    view: exp.Table
    source: Source | None
    database: str | None


@contextmanager
def opened_source(
    source: object,
    *,
    database: str | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
) -> Iterator[InitSource]:
    """Open a table, a file, a folder or a glob by its name, or a frame, on the engine that reads it.

    A DuckDB file, or the address of a server, means its only table. Raises InputError where it has several or
    none, and SourceError where there is nothing to read.
    """
    text = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    if text is not None and connection is None and database is None and _is_database(text):
        source, text, database = None, None, text
    with open_engine(connection, database, settings, writes=False) as engine:
        named: Source | None = None
        if text is not None:
            named = _named(engine, text, in_database=database is not None)
        elif source is None:
            named = Source(table=_only_table(engine, database or engine.capabilities.name))
        with session(engine, NO_POLICY) as run:
            view = run.scratch.table("source")
            if named is None:
                run.scratch.is_view(view, view=engine.register(view, source))
            else:
                open_as_view(run, view, named, "")
            yield InitSource(run, view, named, database)


def _named(engine: Engine, text: str, *, in_database: bool) -> Source:
    """Distinguish a table of a database from files and folders of files."""
    if in_database and has_table(engine, text):
        return Source(table=text)
    if engine.capabilities.reads_files and Path(text).is_dir():
        return Source(path=_in_folder(text, Path(text)))
    return named_source(engine, text)


def _in_folder(source: str, folder: Path) -> str:
    """Return the files of a folder as a source: Parquet below it, or else the text files in it."""
    if any(folder.rglob("*.parquet")):
        return source
    if any(folder.glob("*.csv")):
        return f"{glob.escape(source.rstrip('/'))}/*.csv"
    raise InputError(source, [Fault("source", "is a folder without files of Parquet or CSV")])


def _is_database(text: str) -> bool:
    """Whether a name is that of a database: an address, or a DuckDB file."""
    if is_address(text):
        return True
    path = Path(text)
    if not path.is_file():
        return False
    at, word = MAGIC
    with path.open("rb") as file:
        return file.read(at.stop)[at] == word


def _only_table(engine: Engine, database: str) -> str:
    """Return the one table of a database; raises InputError if there are more."""
    rows = engine.fetch(source_sql.list_tables())
    found = [
        f"{_part(str(schema))}.{_part(str(name))}" if schema else str(name)
        for schema, name, *_ in rows
        if not str(name).startswith(PREFIX)
    ]
    if len(found) == 1:
        return found[0]
    what = f"has {len(found)} tables: {', '.join(found)}" if found else "has no table"
    command = shlex.join(["kanon-sql", "init", *found[:1], "--database", database])
    again = f"; name one: {command}" if found else ""
    raise InputError(database, [Fault("source", f"{what}{again}")])


def _part(name: str) -> str:
    """Write a part of a table's name, quoted where a dot in it would divide it."""
    return '"' + name.replace('"', '""') + '"' if "." in name or '"' in name else name


def find_hierarchy_files(
    run: Session, source: str, sample: exp.Table, columns: Sequence[str]
) -> dict[str, tuple[str, str, int]]:
    """Find the files next to a source with a column's hierarchy, each with how many values it covers and its height.

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
            values, missing, height = _count_covered(run, sample, name, path)
            if missing is not None and (missing == 0 if rank == 2 else missing <= values / 2):
                covers = f"{values - missing} of {values} values have an entry"
                found[name] = (str(path), covers, height)
                break
    return found


def _count_covered(
    run: Session, sample: exp.Table, name: str, path: Path
) -> tuple[int, int | None, int]:
    """Count the values of a sample and those without an entry in a file, and give its height; None where it cannot be read."""
    domain, paths = run.scratch.table("domain"), run.scratch.table("paths")
    column = Column(name, Role.QUASI, CsvHierarchy(str(path)))
    try:
        run.engine.execute(mapping_sql.domain(domain, sample, name, rows=0))
        height, statements = path_statements(run, column, domain, paths)
        for statement in statements:
            run.engine.execute(statement)
        counts = run.engine.fetch_counts(mapping_sql.survey_domain(domain, paths, as_text=True))
    except (StatementError, ValueError, OSError):
        return 0, None, 0
    values, nulls, missing = counts[:3]
    return values - nulls, missing, height
