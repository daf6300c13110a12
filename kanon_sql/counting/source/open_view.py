"""Opens any kind of source under a name of a run: files, a table, a query, or one version of a table of a lake.

Of text files in another encoding, or in a zip, a run reads copies in UTF-8.
"""

from __future__ import annotations

import csv
import glob
import os
import re
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.counting.run.session import on_disk, resolve
from kanon_sql.counting.source.files import (
    broken_parquet,
    files_at,
    open_files,
    open_library_file,
    see_files,
)
from kanon_sql.counting.source.lineage import find_table, not_read, open_query
from kanon_sql.counting.source.text_files import (
    LINE,
    find_misfit,
    first_fields,
    lines_above_names,
)
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.files.file_texts import (
    ENDINGS,
    STAND_FOR_MISSING,
    copy_as_utf8,
    opened_bytes,
    recognize,
    stands_for_missing,
)
from kanon_sql.engines.lakes.lake import lake_errors, open_lake
from kanon_sql.engines.local_files import relative_to, slashes
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.source.source_sql import count_named_fields, header_signs
from kanon_sql.errors import DEBUG, Fault, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.lakes.lake import Lake
    from kanon_sql.engines.lakes.lake_tables import LakeTable
    from kanon_sql.engines.locations import Source


UNREADABLE = (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error)


@contextmanager
def text_copies(run: Session, source: Source, base: str) -> Iterator[Source]:
    """Copy the text files of a source in UTF-8, and yield the copies as a source; faults name the files themselves.

    Raises SourceError for a file that is no text in that encoding.
    """
    text = source.path or ""
    if not run.engine.capabilities.local_files or "://" in text:
        how = "unpack it"
        if source.quote is not None or source.comment is not None:
            how = "write it again with double quotes, and without comments"
        if source.encoding is not None:
            how = f"write it again as UTF-8 (iconv -f {source.encoding} -t UTF-8)"
        what = f"is read by way of a copy on this machine, by DuckDB alone: {how}"
        raise SourceError(text, [Fault("source", what)])
    if (kind := source_sql.kind_of(text)) != "csv" and source_sql.has_ending(text):
        what = f"is {kind}, and encoding, quote and comment go with text files"
        raise SourceError(text, [Fault("source", what)])
    found = files_at(on_disk(text, run.engine), base)
    folder = run.folder() / "files"
    folder.mkdir()
    files = sorted(filter(os.path.isfile, glob.glob(found.pattern, recursive=True)))  # noqa: PTH207
    above = found.base if found.base is not None else slashes(str(Path(files[0]).parent))
    marked = source.quote is not None or source.comment is not None
    for file in files:
        copy = folder / _as_text(relative_to(file, above))
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            if copy.exists():
                raise ValueError("is named as another one that is packed; name one of them alone")
            copy_as_utf8(file, copy, source.encoding or "utf-8")
            if marked:
                _write_plainly(run, copy, source)
        except UNREADABLE as error:
            why = _why(file, source, error)
            which = "" if len(files) == 1 else f" ({relative_to(file, above)})"
            raise SourceError(text, [Fault("source", f"{why}{which}")]) from error
    pattern = _as_text(relative_to(found.pattern, glob.escape(above)))
    path = f"{folder}/{pattern}" if found.base is not None else slashes(str(copy))
    plain = replace(source, path=path, encoding=None, quote=None, comment=None)
    try:
        yield replace(plain, delimiter=",", skip=0) if marked else plain
    except SourceError as error:
        faults = [
            replace(each, what=each.what.replace(str(folder), above)) for each in error.faults
        ]
        raise SourceError(text, faults) from error


def _write_plainly(run: Session, copy: Path, source: Source) -> None:
    """Write a copy again with double quotes, commas and no comments. Raises ValueError with the number of a line."""
    marked = copy.with_name(f"{copy.name}.marked")
    copy.rename(marked)
    try:
        # A line that does not fit can stop DuckDB 2.0 for ever while it writes, and never while it counts.
        run.engine.fetch_count(source_sql.count_marked_lines(str(marked), source))
        run.engine.execute(source_sql.write_plainly(str(marked), str(copy), source))
    except StatementError as error:
        line = LINE.search(str(error.cause))
        where = "" if line is None else f", as line {line[1]} does not fit"
        what = f"is no text with this quote and comment{where}: check them, and delimiter and skip"
        raise ValueError(what) from error
    finally:
        marked.unlink()


def _as_text(path: str) -> str:
    """Return the path, or the pattern, of a copy: unpacked, and with an ending of text files."""
    for packing in (".gz", ".zip"):
        if path.lower().endswith(packing):
            path = path[: -len(packing)]
    return path if path.lower().endswith(ENDINGS) else f"{path}.csv"


def _why(file: str, source: Source, error: Exception) -> str:
    """Say why a file could not be copied, with the encoding to name where the source names none."""
    if not isinstance(error, ValueError):
        return f"cannot be read ({type(error).__name__}); is it cut off?"
    found = None
    if source.encoding is None and isinstance(error.__cause__, UnicodeError):
        found = recognize(file)
    return str(error) if found is None else found.remedy("path")


def is_plain(source: Source) -> bool:
    """Return whether SQL alone can read the files of a source: no copy in UTF-8, and no library, is needed."""
    path = (source.path or "").lower()
    return not (source.is_rewritten or path.endswith(".zip")) and kind_of_file(path) is None


def proposed_encoding(engine: Engine, source: Source, base: str) -> tuple[str, str] | None:
    """Return the encoding in which the text files of a source can be read, and why, in counts; None if none is known."""
    path = source.path
    if path is None or source.is_rewritten or not engine.capabilities.local_files:
        return None
    if source_sql.kind_of(path) != "csv" or kind_of_file(path) is not None:
        return None
    pattern = files_at(on_disk(path, engine), base).pattern
    for file in [] if "://" in pattern else sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207
        try:
            found = recognize(file)
        except UNREADABLE:
            return None
        if found is not None:
            return None if found.encoding is None else (found.encoding, found.counts)
    return None


def proposed_skip(engine: Engine, source: Source, base: str) -> int:
    """Count the lines above the names of a text file that begins with a title; 0 where it does not, or the source says."""
    path = source.path
    if path is None or source.skip or source.header is not None or "://" in path:
        return 0
    if not engine.capabilities.local_files or source_sql.kind_of(path) != "csv":
        return 0
    return lines_above_names(files_at(on_disk(path, engine), base).pattern, source.delimiter)


def proposed_marks(engine: Engine, source: Source, base: str) -> Source | None:
    """Return a source of text files with the quote and the comment that DuckDB finds in its first file; None if none is.

    Only other quotes than the usual ones are asked for, and only where the beginning of a file has their signs.
    """
    path = source.path
    if path is None or source.is_rewritten or not engine.capabilities.local_files:
        return None
    if not is_plain(source) or source_sql.kind_of(path) != "csv":
        return None
    pattern = files_at(on_disk(path, engine), base).pattern
    files = [] if "://" in pattern else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    try:
        with opened_bytes(files[0]) as file:
            start = file.read(FIRST_BYTES)
    except (*UNREADABLE, IndexError):
        return None
    if not MARKED.search(start):
        return None
    try:
        marks = engine.fetch(source_sql.find_marks(files[0], source.delimiter))
    except StatementError:
        return None
    ((quote, comment, delimiter),) = marks
    is_comment = comment == "#" and not _begin_rows(
        "#", start, delimiter=str(delimiter), quote="'" if quote == "'" else '"'
    )
    found = replace(
        source,
        quote="'" if quote == "'" else None,
        comment="#" if is_comment else None,
    )
    return found if found.is_rewritten else None


def _begin_rows(mark: str, start: bytes, *, delimiter: str, quote: str) -> bool:
    r"""Return whether a line below the first row that begins with a mark has as many fields as that: #N/A is a value.

    >>> texts = (b"# of 2024\na,b\n1,2", b'a,b\n#N/A,"2,5"\n', b"a,b\n1,2\n# end, or not, of it")
    >>> [_begin_rows("#", each, delimiter=",", quote='"') for each in texts]
    [False, True, False]
    """
    lines = start.decode("latin-1").splitlines()
    rows = [n for n, line in enumerate(lines) if not line.startswith(mark)]
    if not rows:
        return False
    marked = [line for line in lines[rows[0] :] if line.startswith(mark)]
    try:
        first, *others = (
            len(next(csv.reader([line], delimiter=delimiter, quotechar=quote)))
            for line in (lines[rows[0]], *marked)
        )
    except (csv.Error, TypeError):
        return False
    return first > 1 and first in others


FIRST_BYTES = 1 << 16
MARKED = re.compile(rb"(?:^|[\n,;\t|])'|(?:^|\n)#")
"""Matches a single quote where a field begins, or a comment, in the beginning of a text file."""
MOST_ROWS, MOST_COLUMNS = 10_000, 100
"""The first rows and columns by which a header is judged."""
FEWEST = 0.1
"""The share of fields like those of a row from which on a line is taken for a row. It is not zero:
a column may be called 2019."""
NEARLY_ALL = 0.9
"""The share of numbers, or of dates, in a column from which on it counts as a column of these."""
NUMBER = re.compile(r"[^\w\s.,+-]?\s?[+-]?(\d[\d.,' ]*|[.,]\d+)([eE][+-]?\d+)?\s?[%€$£]?", re.ASCII)
DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?|"
    r"\d{1,2}[ -][A-Za-z]{3,9}\.?[ -]\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2}, \d{4}"
)
OWN = re.compile(r"[^@\s]+@[^@\s]+\.\w+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""E-mail addresses and UUIDs, which are never names of columns."""
REPEATED = re.compile(r"(.+)_\d+")
"""The name that DuckDB gives to a column whose name an earlier column has."""
YEARS = range(1800, 2101)


def check_header(engine: Engine, table: exp.Table, name: str, width: int | None) -> None:
    """Raise SourceError, with counts only, if the header that was read of a text file looks like a row.

    `width` is the number of fields of the header, if it is known: further columns are partition keys of folders.
    """
    names = [each.name for each in engine.columns(table)][:width][:MOST_COLUMNS]
    if not names or _is_plainly_named(engine, table, names):
        return
    signs = list(_signs(engine, table, names))
    rows, headers = signs.count("row"), signs.count("header")
    if rows <= headers or rows < FEWEST * len(names):
        return
    what = (
        f"has no header, as it seems: {rows} of {len(names)} fields of its first line are numbers, dates or identifiers, "
        "or values of their own column. Say which it is in the policy's source, or in place of the file's name: "
        "{path: FILE, header: false} reads that line as a row (columns: column_1, column_2, ...), header: true as names"
    )
    raise SourceError(name, [Fault("source", what)])


def _is_plainly_named(engine: Engine, table: exp.Table, names: Sequence[str]) -> bool:
    """Whether no field of a first line looks like a value, by itself or by the values of its column.

    No field is then a sign of a row, whatever its column has, so that the values need not be parsed.
    """
    texts = [text.strip() for text in _undoubled(names)]
    if any(each.fullmatch(text) for each in (NUMBER, DATE, OWN) for text in texts):
        return False
    named = count_named_fields(table, list(zip(names, texts, strict=True)), most=MOST_ROWS)
    return engine.fetch_count(named) == 0


def _signs(engine: Engine, table: exp.Table, names: Sequence[str]) -> Iterator[str]:
    """Yield "row", "header" or "neither" for each field of a first line, by what the field looks like."""
    texts = list(_undoubled(names))
    counts = engine.fetch_counts(
        header_signs(
            table,
            [(n, t.strip()) for n, t in zip(names, texts, strict=True)],
            STAND_FOR_MISSING,
            most=MOST_ROWS,
        )
    )
    series = _is_series([text for text in texts if NUMBER.fullmatch(text.strip())])
    for n, text in enumerate(texts):
        present, numbers, days, named = counts[4 * n : 4 * n + 4]
        typed = present > 0 and max(numbers, days) >= NEARLY_ALL * present
        plain = text.strip()
        is_number = NUMBER.fullmatch(plain) is not None
        if stands_for_missing(plain) or (is_number and series and not named):
            yield "neither"
        elif is_number or DATE.fullmatch(plain) or OWN.fullmatch(plain):
            yield "row"
        elif typed:
            yield "header"
        else:
            yield "row" if named else "neither"


def _undoubled(names: Sequence[str]) -> Iterator[str]:
    """Yield the fields of a first line without the numbers that DuckDB has added to repeated fields."""
    seen: set[str] = set()
    for name in names:
        found = REPEATED.fullmatch(name)
        seen.add(name)
        yield found[1] if found is not None and found[1] in seen else name


def _is_series(numbers: Sequence[str]) -> bool:
    """Whether numbers are column names nevertheless: increasing years, or numbers that count from 0 or 1.

    >>> _is_series(["0", "1", "2"]), _is_series(["1990", "1995", "2001"]), _is_series(["72", "1008"])
    (True, True, False)
    """
    if len(numbers) < 2 or not all(re.fullmatch(r"\d{1,9}", each) for each in numbers):
        return False
    whole = [int(each) for each in numbers]
    steps = {after - before for before, after in pairwise(whole)}
    if min(steps) <= 0:
        return False
    counts_on = len(whole) > 2 and steps == {1} and whole[0] in {0, 1}
    return counts_on or whole[:2] == [0, 1] == whole or all(each in YEARS for each in whole)


def source_name(source: Source) -> str:
    """Return the name of a source for messages."""
    lake = None if source.lake is None else source.lake.name
    return source.path or source.table or lake or ("query" if source.query else "source")


def open_as_view(run: Session, view: exp.Table, source: Source, base: str) -> str | None:
    """Open a source under the name `view`. Raises SourceError if it is missing or unreadable.

    Returns the version of a table of a lake; None for other sources.
    """
    if source.lake is not None:
        # gone

        return open_lake_table(run, view, source.lake, base).snapshot
    if is_plain(source) or not run.engine.capabilities.reads_files:
        _open_plain(run, view, source, base)
    elif kind_of_file(source.path or "") is not None:
        open_library_file(run, view, source, base)
        if source.header is None and source_sql.kind_of(source.path or "") == "csv":
            check_header(run.engine, view, source_name(source), None)
    else:
        with text_copies(run, source, base) as copies:
            _open_plain(run, view, copies, "")
    return None


def _open_plain(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Open a source that the engine reads by itself. Raises SourceError if it is missing or unreadable."""
    try:
        if source.path is not None and run.engine.capabilities.reads_files:
            see_files(run, view, source, base)
        else:
            run.see(view, open_statement(run.engine, source, view, base))
    except StatementError as error:
        path, what = source.path or "", "cannot be read"
        if (line := _refused_line(run, source, base, error)) is not None:
            raise SourceError(source_name(source), [Fault("source", line)]) from error
        if "://" in path:
            what = "holds no file that can be read, or is out of reach"
        elif source.query is not None and error.kind == "IOException":
            what = "names a file that cannot be read; relative paths start from the policy's folder"
        elif path and not source_sql.has_ending(path) and Path(resolve(path, base)).is_file():
            what = f"is no Parquet file, and {not_read(path)}"
            if path.endswith((".yml", ".yaml")):
                what = "is YAML and no table; a policy names its table under source"
        elif path and (broken := broken_parquet(path, base)):
            what = broken
        elif source.query is not None:
            what = "cannot be read; check its syntax and the names of its tables and columns"
        what += f" ({error.why}); {DEBUG}=1 shows the database's message"
        raise SourceError(source_name(source), [Fault("source", what)]) from error
    if source.path is not None and source.header is None:
        _check_header(run, view, source, base)


def _check_header(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Raise SourceError if the first line of a text file looks like a row; for sources without `header`."""
    pattern = files_at(on_disk(source.path or "", run.engine), base).pattern
    if source_sql.kind_of(pattern) == "csv":
        fields = first_fields(pattern, source.delimiter, source.skip)
        check_header(run.engine, view, source_name(source), len(fields) or None)


def _refused_line(run: Session, source: Source, base: str, error: StatementError) -> str | None:
    """Describe the line for which the database refused a text file; None if it cannot be found."""
    if source.path is None or source_sql.kind_of(source.path) != "csv":
        return None
    pattern = files_at(on_disk(source.path, run.engine), base).pattern
    return find_misfit(pattern, source.delimiter, source.skip, error.cause)


def open_statement(engine: Engine, source: Source, view: exp.Table, base: str) -> Statement:
    """Return the statement that opens a source. Raises SourceError if it is missing, or no statement can."""
    if source.lake is not None:
        what = "is read by a library, and by no statement: write a plain copy, or apply the plan instead"
        raise SourceError(source.lake.name, [Fault("source", what)])
    if source.path is not None:
        if not engine.capabilities.reads_files:
            what = f"is a file; {engine.capabilities.name} reads tables and queries"
            raise SourceError(source.path, [Fault("source", what)])
        return open_files(engine, source, view, base)
    if source.query is not None:
        try:
            return open_query(engine, view, source.query, base)
        except ValueError as error:
            raise SourceError("query", [Fault("source.query", str(error))]) from error
    return source_sql.open_table(view, find_table(engine, source.table or ""))


def lake_at(engine: Engine, table: LakeTable, base: str) -> LakeTable:
    """Return a table with an absolute place. Raises SourceError if the engine cannot read such tables."""
    if not engine.capabilities.reads_lakes:
        what = f"is a table that a library reads for DuckDB; {engine.capabilities.name} has its own tables of that format"
        raise SourceError(table.name, [Fault("source", f"{what}: name one by table")])
    return table.moved(partial(_resolved, engine, base))


def _resolved(engine: Engine, base: str, path: str) -> str:
    return resolve(on_disk(path, engine), base)


def open_lake_table(run: Session, view: exp.Table, table: LakeTable, base: str) -> Lake:
    """Open a version of a table under the name `view`, and return it. Raises SourceError."""
    lake = open_lake(run.engine, lake_at(run.engine, table, base))
    with lake_errors(table):
        run.scratch.is_view(view, view=lake.open_rows(view))
    return lake
