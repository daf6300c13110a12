"""Opens the source of `init` (a table, files, a query, a frame or a database), and finds hierarchies next to it."""

from __future__ import annotations

import difflib
import glob
import os
import shlex
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.import_arx import is_project
from kanon_sql.apps.getting_started.missing_codes import in_sql
from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.shapes import Wrong
from kanon_sql.base.documents.text import clause, counted, joined, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.read_paths import path_statements
from kanon_sql.counting.run.inputs import (
    NO_POLICY,
    QUERY,
    is_mapping_text,
    named_source,
    stated_source,
)
from kanon_sql.counting.run.session import on_disk, resolve, session
from kanon_sql.counting.source.column_problems import nested
from kanon_sql.counting.source.files import files_at, read_file
from kanon_sql.counting.source.lineage import find_table, has_table
from kanon_sql.counting.source.open_view import (
    is_plain,
    open_as_view,
    proposed_encoding,
    proposed_marks,
    proposed_skip,
    source_name,
)
from kanon_sql.counting.source.text_files import (
    FEWEST_FIELDS,
    ReadColumn,
    count_missing_entries,
    first_fields,
    lines_below_names,
)
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.locations import Source, database_address
from kanon_sql.engines.scratch import PREFIX
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import DEBUG, Fault, InputError, SourceError, StatementError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.entries import CsvHierarchy
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.read_policy import read_policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.missing_codes import ReadProfiles
    from kanon_sql.apps.getting_started.propose_policy import GivenRoles
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.engines.connect import Settings

MAGIC = slice(8, 12), b"DUCK"
"""The place and the bytes by which a DuckDB file is recognized, after its checksum."""
BESIDE = "hierarchy_"
FILE = "release.parquet"
LISTED = 12
"""The most tables that a message lists."""


@dataclass(frozen=True, slots=True)
class FoundHierarchy:
    """A hierarchy file next to a source: its path and height, a column's values, and those of them without an entry."""

    path: str
    height: int
    values: int
    missing: int

    @property
    def covers(self) -> str:
        return f"{self.values - self.missing} of {self.values} values have an entry"


@dataclass(frozen=True, slots=True)
class InitSource:
    """The source of `init`, opened: a view of its rows in a run that only reads.

    `source` and `database` are as the policy names them; a frame has no `source`. `notes` say how its files are read.
    """

    run: Session
    view: exp.Table
    source: Source | None
    database: str | None
    notes: tuple[str, ...] = ()
    frame: object | None = None

    @property
    def has_columns_apart(self) -> bool:
        """Whether one column is read without the others: of files, which are Parquet or loaded, and of frames."""
        is_local = self.run.engine.capabilities.local_files
        return is_local and (self.source is None or self.source.path is not None)

    @property
    def release(self) -> str:
        """Name a release that the database can write: a file or, in a server, a table beside the source."""
        facts = self.run.engine.capabilities
        if self.source is None or self.source.table is None or facts.local_files:
            return FILE
        found = find_table(self.run.engine, self.source.table)
        name = f"{found.name}_release"
        if facts.longest_name is not None and len(name.encode()) > facts.longest_name:
            name = "release"
        return ".".join(_part(part) for part in (found.catalog, found.db, name) if part)


@contextmanager
def opened_source(
    source: object,
    *,
    database: str | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
    base: str = "",
) -> Iterator[InitSource]:
    """Open a table, a file, a folder or a glob by its name, a query, or a frame, on the engine that reads it.

    Paths in a query start from `base`, the policy's folder, and other paths from the current folder.
    A DuckDB file, or the address of a server, stands for its only table. Raises InputError where it has several
    tables or none, and SourceError where the source cannot be read or has no rows.
    """
    text = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    stated: str | Mapping[str, object] | None = source if isinstance(source, Mapping) else None
    if text is not None and is_mapping_text(text):
        stated = text
    if (
        text is not None
        and stated is None
        and connection is None
        and database is None
        and is_database(text)
    ):
        source, text, database = None, None, text
    check_address(database or "")
    with open_engine(connection, database, settings, writes=False) as engine:
        named: Source | None = None
        if stated is not None:
            named = stated_source(engine, stated)
        elif text is not None:
            named = _named(engine, text, in_database=database is not None)
        elif source is None:
            named = Source(table=_only_table(engine, database))
        with session(engine, NO_POLICY) as run:
            view = run.scratch.table("source")
            notes: tuple[str, ...] = ()
            if named is None:
                run.scratch.is_view(view, view=engine.register(view, source))
            else:
                named, notes = _opened(run, view, named, base if named.query else "")
            _check_rows(run, view, "source" if named is None else source_name(named))
            frame = source if named is None else None
            yield InitSource(run, view, named, database, notes, frame)


def _opened(
    run: Session, view: exp.Table, named: Source, base: str
) -> tuple[Source, tuple[str, ...]]:
    """Open a source, and return it with the encoding of its text files, and notes on how it is read."""
    notes = []
    if (found := proposed_encoding(run.engine, named, base)) is not None:
        named = replace(named, encoding=found[0])
        notes.append(
            f"{found[1]}, and all can be read as {found[0]}: look at names and places whether letters are right"
        )
    elif (marked := proposed_marks(run.engine, named, base)) is not None:
        named = marked
        signs = ["texts stand in single quotes"] if named.quote is not None else []
        signs += ["lines that begin with # are left out"] if named.comment is not None else []
        notes.append(f"as it seems, {' and '.join(signs)}: say quote: and comment: if not so")
    if above := proposed_skip(run.engine, named, base):
        named = replace(named, skip=above)
        notes.append(
            f"line 1 has a title in one field alone, and the names are in line {above + 1}: skip: {above} leaves out what is above"
        )
    open_as_view(run, view, named, base)
    return named, (*notes, *file_notes(run, view, named, base))


FOOTERS = (
    "Total", "TOTAL", "total", "Totals", "Grand Total", "Grand total", "Subtotal", "Sum", "Summe", "Gesamt", "Mean", "Average",
)  # fmt: skip
"""Texts by which a row below a table begins that is no row of it."""
MOST_FOOTERS = 3
"""The most rows that are taken for footers; a text in more rows is a value like others."""
BEGIN = 3
"""The first columns, in which a footer has its text."""


def file_notes(run: Session, view: exp.Table, source: Source, base: str) -> Iterator[str]:
    """Yield notes on a file that is open under the name `view`; nothing is changed or left out."""
    if source.path is None:
        return
    columns = run.engine.columns(view)
    kind = kind_of_file(source.path)
    if kind is not None and "values" in kind.keys:
        yield from read_file(run, source, base).notes
    elif is_plain(source) and source.header is not False:
        yield from _repeated(run, source, base)
    if below := [each.name for each in columns if nested(each)]:
        name, has = in_sql(below[0]), "has" if len(below) == 1 else "have"
        yield (
            f"{joined([*map(printable, below)])} {has} nested fields: take them apart in a query, whose columns are "
            f"{name}.FIELD and * EXCLUDE ({name})"
        )
    yield from _row_notes(run, view, source, base)


def _repeated(run: Session, source: Source, base: str) -> Iterator[str]:
    pattern = files_at(on_disk(source.path or "", run.engine), base).pattern
    fields = first_fields(pattern, source.delimiter, source.skip)
    names = Counter(each.strip().casefold() for each in fields if each.strip())
    if repeated := sum(times - 1 for times in names.values()):
        what = (
            "has the name of another, and gets"
            if repeated == 1
            else "have the names of others, and get"
        )
        yield f"{counted(repeated, 'column')} {what} a number behind it (_1, _2); give each a name of its own"


def _row_notes(run: Session, view: exp.Table, source: Source, base: str) -> Iterator[str]:
    """Yield notes on lines of a file that are no rows: with no number below the names, and footers.

    A footer begins with a word for a total, or has a value in one column alone.
    """
    columns = run.engine.columns(view)
    texts = [each for each in columns if each.family == "text"][:BEGIN]
    yield from _totals(run, view, texts)
    if has_types(source):
        return
    yield from _below_names(run, source, base)
    if not texts or len(columns) < FEWEST_FIELDS:
        return
    counts = run.engine.fetch_counts(lone_values(view, texts, columns))
    for each, count in zip(texts, counts, strict=True):
        if 0 < count <= MOST_FOOTERS:
            others = (f"{in_sql(other.name)} IS NOT NULL" for other in columns if other != each)
            has = f"{clause(count, 'row', 'have')} a value in {printable(each.name)} alone"
            yield f"{has}: a footer is left out by where: {quoted(' OR '.join(others))}"


def _totals(run: Session, view: exp.Table, columns: Sequence[ColumnType]) -> Iterator[str]:
    if not columns:
        return
    of_any = [ReadColumn(each, FOOTERS) for each in columns]
    rows = run.engine.fetch_counts(count_missing_entries(view, of_any))
    some = [each for each, count in zip(columns, rows, strict=True) if count]
    asked = [ReadColumn(each, (text,)) for each in some for text in FOOTERS]
    counts = run.engine.fetch_counts(count_missing_entries(view, asked)) if asked else []
    for read, count in zip(asked, counts, strict=True):
        each, (text,) = read.column, read.missing
        if 0 < count <= MOST_FOOTERS:
            where = f"coalesce({in_sql(each.name)}, '') <> '{text}'"
            has = f"{counted(count, 'row')} {'has' if count == 1 else 'have'} {text} in {printable(each.name)}"
            yield f"{has}: a footer is left out by where: {quoted(where)}"


def has_types(source: Source) -> bool:
    """Whether a source's files have types and rows alone, as Parquet does: no title, unit or footer can stand in them."""
    path = source.path or ""
    return kind_of_file(path) is None and source_sql.kind_of(path) != "csv"


def _below_names(run: Session, source: Source, base: str) -> Iterator[str]:
    if not run.engine.capabilities.local_files or not is_plain(source) or source.header is False:
        return
    pattern = files_at(on_disk(source.path or "", run.engine), base).pattern
    if count := lines_below_names(pattern, source.delimiter, source.skip):
        lines = clause(count, "line", "have")
        yield (
            f"{lines} no number below the names, where all further lines have some: delete what names units or types "
            f"in a copy of the file, or each is a row"
        )


def lone_values(
    source: exp.Table, columns: Sequence[ColumnType], others: Sequence[ColumnType]
) -> Statement:
    """Count the rows in which a column has the only value of a row, for each column."""
    leaves = {
        "source": source,
        "columns": [
            {
                "column": column(each.name, of="s"),
                "others": [column(other.name, of="s") for other in others if other != each],
            }
            for each in columns
        ],
        "one": literal(1),
    }
    return Statement("getting_started/lone_values", leaves)


def check_address(database: str) -> None:
    """Refuse an address with a password, which the policy would hold. Raises InputError."""
    try:
        database_address(database)
    except Wrong as wrong:
        raise InputError("database", [Fault("", str(wrong))]) from None


def _check_rows(run: Session, view: exp.Table, what: str) -> None:
    """Refuse a source without columns or rows, of which nothing can be suggested. Raises SourceError."""
    where = "" if what == "source" else "source"
    try:
        if not run.engine.columns(view):
            fault = "has no columns"
        elif run.engine.fetch_count(source_sql.count_rows(view)):
            return
        else:
            fault = "has no rows, by which columns could be judged"
    except StatementError as error:
        fault = f"cannot be read ({error.why}); {DEBUG}=1 shows the database's message"
        raise SourceError(what, [Fault(where, fault)]) from error
    raise SourceError(what, [Fault(where, fault)])


def _named(engine: Engine, text: str, *, in_database: bool) -> Source:
    """Distinguish a table of a database from a query, and from files and folders of files."""
    if in_database and has_table(engine, text):
        return Source(table=text)
    if is_project(text):
        what = f"is a project of ARX; unpack it by kanon-sql init {shlex.quote(text)} -o policy.yml"
        raise InputError(text, [Fault("source", what)])
    if QUERY.match(text):
        return Source(query=text)
    if engine.capabilities.reads_files and os.path.isdir(text):  # noqa: PTH112
        return Source(path=_in_folder(text, Path(text)))
    named = named_source(engine, text)
    if in_database and named.table is not None:
        near = difflib.get_close_matches(text, tables_of(engine), n=3)
        meant = f"; is it {joined(near, 'or')}?" if near else ""
        what = f"there is no such table in the database{meant}"
        raise SourceError(text, [Fault("source", what)])
    return named


def _in_folder(source: str, folder: Path) -> str:
    """Return the files of a folder as a source: Parquet below it, or else the text files in it."""
    if any(folder.rglob("*.parquet")):
        return source
    if any(folder.glob("*.csv")):
        return f"{glob.escape(source.rstrip('/'))}/*.csv"
    raise InputError(source, [Fault("source", "is a folder without files of Parquet or CSV")])


def is_database(text: str) -> bool:
    """Whether a name is that of a database: an address, or a DuckDB file."""
    if is_address(text):
        return True
    if not os.path.isfile(text):  # noqa: PTH113  no error for a text that is no path
        return False
    at, word = MAGIC
    try:
        with Path(text).open("rb") as file:
            return file.read(at.stop)[at] == word
    except OSError as error:
        what = f"cannot be read ({os.strerror(error.errno or 0)})"
        raise SourceError(text, [Fault("source", what)]) from error


def _only_table(engine: Engine, database: str | None) -> str:
    """Return the only table of a database; raises InputError if there are several or none."""
    found = tables_of(engine)
    if len(found) == 1:
        return found[0]
    what = "has no table that can be read; name a file or a table"
    if found:
        listed = ", ".join(map(printable, found[:LISTED])) + (", ..." if found[LISTED:] else "")
        what = f"has {len(found)} tables: {listed}; name one"
        if database is not None:
            again = shlex.join(["kanon-sql", "init", found[0], "--database", database])
            what += f": {printable(again)}"
    raise InputError(database or engine.capabilities.name, [Fault("source", what)])


def tables_of(engine: Engine) -> list[str]:
    """List the tables that this user may read, as a policy names them."""
    return [
        f"{_part(str(schema))}.{_part(str(name))}" if schema else str(name)
        for schema, name, *_ in engine.fetch(source_sql.list_tables())
        if not str(name).startswith(PREFIX)
    ]


def _part(name: str) -> str:
    """Write a part of a table's name, quoted where a dot in it would divide it."""
    return '"' + name.replace('"', '""') + '"' if "." in name or '"' in name else name


def find_hierarchy_files(
    run: Session, source: Source | None, sample: exp.Table, columns: Sequence[str]
) -> dict[str, FoundHierarchy]:
    """Find hierarchy files next to a source, by column.

    They are called `hierarchy_COLUMN.csv`. A file with the source's name before that is tried first, then one
    without a prefix, or `COLUMN_hierarchy.csv`; these must cover half of the sample's values. Last comes any other prefix, which must cover all.
    """
    if source is None or source.path is None:
        return {}
    folder = Path(resolve(source.path, "")).parent
    if "://" in source.path or not folder.is_dir():
        return {}
    there = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv")
    own = Path(source.path).name.partition(".")[0].casefold()
    found = {}
    for name in columns:
        ending = f"{BESIDE}{name}".casefold()
        ranked = []
        for path in there:
            stem = path.stem.casefold()
            if stem in {f"{name}{each}hierarchy".casefold() for each in "_- "}:
                ranked.append((1, path))
            before = stem.removesuffix(ending).rstrip("_-. ")
            if stem.endswith(ending) and (stem == ending or not stem[-len(ending) - 1].isalnum()):
                ranked.append(((0 if before == own else 1 if not before else 2), path))
        for rank, path in sorted(ranked):
            values, missing, height = _count_covered(
                run, sample, Column(name, Role.QUASI, CsvHierarchy(str(path)))
            )
            if missing is not None and (missing == 0 if rank == 2 else missing <= values / 2):
                found[name] = FoundHierarchy(str(path), height, values, missing)
                break
    return found


def leave_covered(
    run: Session,
    source: Source | None,
    sample: exp.Table,
    looked: ReadProfiles,
    *,
    profiles: Mapping[str, ColumnProfile],
    given: GivenRoles,
) -> None:
    """Read a column as it is written if each of its values has an entry in the user's hierarchy: None may be a religion.

    The hierarchy is a file next to the source, or one that the call gives. `profiles` are of the columns as written.
    """
    names = sorted({*looked.missing, *looked.written})
    found = find_hierarchy_files(run, source, sample, names)
    missing: dict[str, int | None] = {name: each.missing for name, each in found.items()}
    if given.hierarchies:
        for each in read_policy(given.stated, has_source=False).columns:
            if each.name in names and each.hierarchy is not None and each.hierarchy.has_entries:
                missing[each.name] = _count_covered(run, sample, each)[1]
    for name, without_entry in missing.items():
        if without_entry == 0:
            looked.leave(name, profiles[name])


def _count_covered(run: Session, sample: exp.Table, column: Column) -> tuple[int, int | None, int]:
    """Return a sample's number of values, those without an entry in a hierarchy (None if unreadable), and its height."""
    domain, paths = run.scratch.table("domain"), run.scratch.table("paths")
    try:
        run.engine.execute(mapping_sql.domain(domain, sample, column.name, rows=0))
        height, statements = path_statements(run, column, domain, paths)
        for statement in statements:
            run.engine.execute(statement)
        counts = run.engine.fetch_counts(mapping_sql.survey_domain(domain, paths, as_text=True))
    except (StatementError, ValueError, OSError):
        return 0, None, 0
    values, nulls, missing = counts[:3]
    return values - nulls, missing, height
