"""Files of a source, named by a path, a folder, a glob or an address: opened, and checked to agree.

Files that only a library can read are streamed in batches into a scratch table, whose columns get their types by SQL.
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import CatalogText, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.session import on_disk, resolve
from kanon_sql.counting.source.lineage import check_plain, fixed_part
from kanon_sql.counting.source.text_files import first_fields, header_delimiter, header_problems
from kanon_sql.engines.base import ColumnType, Survey
from kanon_sql.engines.destination_format import UnreadableFileError
from kanon_sql.engines.files.file_kinds import kind_of_file, misplaced_keys
from kanon_sql.engines.local_files import (
    ESCAPED,
    escaped_keys,
    relative_to,
    slashes,
    without_escapes,
)
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Drift, Engine
    from kanon_sql.engines.destination_format import ColumnInFile, FileKind, StoredRows
    from kanon_sql.engines.locations import Destination, Source


PARQUET_BELOW = "/**/*.parquet"
PARTITION = re.compile(r"[^=]+=[^=]*")
MARKS = (b"PAR1", b"PARE")
"""The first and last bytes of a Parquet file; PARE marks one with an encrypted footer."""
ESCAPED_FOLDERS = "names of folders escape what is not ASCII"
TWO_WAYS = (
    "are written in two ways: some escape what is not ASCII, as DuckDB and pyarrow do, some do not, as Spark, which "
    "reads the former otherwise; read them with DuckDB, or write them in one way"
)
NOT_UTF8 = "escape bytes that are no UTF-8; write them again, as readers differ on them"
COPIED = (
    "is text in another encoding, with other quotes or comments, or in a zip, of which a run reads a copy, and SQL alone reads nothing: "
    "write it again as UTF-8, or apply the plan"
)
BY_LIBRARY = "which a library reads and SQL alone does not: write it as Parquet, or apply the plan"
CAST = "write them alike, or cast it in a query"


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a path refers to: a pattern, and `base`, below which folders may be partitions.

    `base` is None for one file: the folders above a single file are no partitions.
    """

    pattern: str
    base: str | None

    @property
    def depth(self) -> int:
        """The number of parts of a file's path that belong to the base."""
        return len(re.split("/+", self.base or ""))

    @property
    def above(self) -> list[str]:
        """The partition keys of folders above the base, which are no columns of the source."""
        return [p.partition("=")[0] for p in (self.base or "").split("/") if PARTITION.fullmatch(p)]


def files_at(text: str, base: str) -> Files:
    """Return the files that a path, a folder, a glob or an address of the policy refers to.

    A file of exactly that name comes first, whatever wildcards are in it. Raises SourceError if nothing is there.
    """
    path = resolve(text, base)
    if "://" in path:
        if glob.has_magic(path):
            return Files(path, fixed_part(path))
        if path.endswith("/") or not source_sql.has_ending(path):
            return Files(path.rstrip("/") + PARQUET_BELOW, path.rstrip("/"))
        return Files(path, None)
    if os.path.isdir(path):  # noqa: PTH112  beside the patterns below
        return Files(glob.escape(path) + PARQUET_BELOW, path)
    if os.path.exists(path):  # noqa: PTH110
        return Files(glob.escape(path), None)
    pattern = path
    if not os.path.isabs(text):  # noqa: PTH117
        pattern = slashes(os.path.normpath(os.path.join(glob.escape(resolve("", base)), text)))  # noqa: PTH118
    if not glob.glob(pattern, recursive=True):  # noqa: PTH207
        what = (
            "there is no such file, and the pattern matches none"
            if glob.has_magic(text)
            else f"there is no such file ({path})"
        )
        raise SourceError(text, [Fault("source", what)])
    return Files(pattern, fixed_part(pattern))


def broken_parquet(text: str, base: str) -> str | None:
    """Say which files of a path, folder or glob do not begin and end as Parquet files do; else None.

    Folders are not named, because names of partition folders hold values.
    """
    found = files_at(text, base).pattern
    if "://" in found or not found.endswith(".parquet"):
        return None
    files = [each for each in map(Path, glob.glob(found, recursive=True)) if each.is_file()]  # noqa: PTH207
    broken = sorted(each.name for each in files if not _is_parquet(each))
    if not broken:
        return None
    why = "empty, cut off, or of another kind"
    if len(files) == 1:
        return f"{broken[0]} is no Parquet file: {why}"
    one = "is" if len(broken) == 1 else "are"
    return f"{len(broken):,} of its {len(files):,} files {one} no Parquet file, such as {broken[0]}: {why}"


def _is_parquet(file: Path) -> bool:
    with file.open("rb") as rows:
        start = rows.read(4)
        rows.seek(max(file.stat().st_size - 4, 0))
        return start in MARKS and rows.read(4) == start


@dataclass(frozen=True, slots=True)
class Read:
    """How files are to be read, as found by the check that they agree."""

    files: Files
    kind: str
    delimiter: str | None = None
    union_by_name: bool = False
    partitions: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    skip: int = 0
    misread: tuple[str, ...] = ()
    """The partition keys in whose folders the engine reads each escaped byte as a character."""
    names: tuple[str, ...] = ()
    repeated: tuple[tuple[str, ColumnType], ...] = ()
    """Pairs of a partition key and a column of the files with the same name."""

    def opened(self, view: exp.Table, *, local: bool) -> Statement:
        """Return the statement that opens the files. `local`: by paths of this machine, else by Hadoop's."""
        pattern = self.files.pattern
        return source_sql.open_file(
            view,
            pattern if local else source_sql.hadoop_path(pattern),
            kind=self.kind,
            base=self.files.base,
            delimiter=self.delimiter,
            union_by_name=self.union_by_name,
            partitions=self.partitions,
            above=self.files.above,
            columns=self.columns,
            skip=self.skip,
            names=self.names,
        )

    def seen_from(self, folder: str) -> Read:
        """Return the same with paths relative to a folder of this machine; addresses are unchanged."""
        if "://" in self.files.pattern:
            return self
        pattern = relative_to(self.files.pattern, glob.escape(folder))
        base = None if self.files.base is None else relative_to(self.files.base, folder)
        return replace(self, files=Files(pattern, base))


def open_files(engine: Engine, source: Source, view: exp.Table, base: str) -> Statement:
    """Check that files agree, and return the one statement that opens them. Raises SourceError."""
    read = read_files(engine, source, base)
    if read.misread:
        what = f"{', '.join(read.misread)}: {ESCAPED_FOLDERS}, which no script undoes; apply the plan instead"
        raise SourceError(source.path or "", [Fault("source", what)])
    return read.opened(view, local=engine.capabilities.local_files)


def see_files(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Check that files agree, and open them under the name `view`. Raises SourceError."""
    see(run, view, read_files(run.engine, source, base))


def see(run: Session, view: exp.Table, read: Read) -> None:
    """Open checked files. Values in names of folders are read as UTF-8, also where the engine does not."""
    local = run.engine.capabilities.local_files
    _check_folders(run, read)
    if not read.misread:
        run.see(view, read.opened(view, local=local))
        return
    listed = run.scratch.table("listed")
    run.see(listed, read.opened(listed, local=local))
    names = [each.name for each in run.engine.columns(listed)]
    run.see(view, source_sql.undo_escapes(view, listed, names, read.misread))


def _check_folders(run: Session, read: Read) -> None:
    """Raise SourceError if a column of files differs from the folder's value, which would be read instead."""
    local, pattern = run.engine.capabilities.local_files, read.files.pattern
    faults = []
    for key, repeated in read.repeated:
        listed = run.scratch.table("files_alone")
        path = pattern if local else source_sql.hadoop_path(pattern)
        union = read.union_by_name
        if not local:
            opened = source_sql.open_file(
                listed, path, kind=read.kind, union_by_name=union, every_folder=True
            )
            run.see(listed, opened)
        statement = source_sql.count_other_labels(listed, path, key, repeated, union_by_name=union)
        rows, others = run.engine.fetch_counts(statement)
        if others:
            what = f"{others:,} of {rows:,} rows have another value of {repeated.name} in their file than the name of its folder says"
            faults.append(Fault("source", f"{what}; write the files again, or without that column"))
    if faults:
        raise SourceError(pattern, faults)


def read_files(engine: Engine, source: Source, base: str) -> Read:
    """Check that files agree, and return how to read them. Raises SourceError."""
    if (by_library := kind_of_file(source.path or "")) is not None:
        what = f"is {by_library.label}, {BY_LIBRARY}"
        raise SourceError(source.path or "", [Fault("source", what)])
    if source.is_rewritten or (source.path or "").lower().endswith(".zip"):
        raise SourceError(source.path or "", [Fault("source", COPIED)])
    if faults := [Fault("source", what) for what in misplaced_keys(source)]:
        raise SourceError(source.path or "", faults)
    found = files_at(on_disk(source.path or "", engine), base)
    if "://" in found.pattern:
        engine.make_readable(found.pattern)
    check_plain(engine, found.pattern, found.base)
    kind = source_sql.kind_of(found.pattern)
    survey = Survey(())
    if found.base is not None and kind == "parquet":
        survey = engine.survey_files(found.pattern, found.base, found.depth)
        faults = list(_drift_problems(survey.drifts, found, union_by_name=source.union_by_name))
        if faults:
            raise SourceError(source.path or "", faults)
    delimiter = source.delimiter or header_delimiter(found.pattern, source.skip)
    width = 0
    if source.header is False and kind == "csv":
        width = len(first_fields(found.pattern, delimiter, source.skip))
    read = Read(
        found,
        kind,
        delimiter,
        source.union_by_name,
        tuple(str(each.name) for each in survey.drifts if each.kind == "partition"),
        columns=survey.columns,
        skip=source.skip,
        misread=_misread(engine, found, source.path or ""),
        repeated=tuple(_repeated(survey.drifts)),
        names=tuple(f"column_{n}" for n in range(1, width + 1)),
    )
    if faults := list(_text_problems(engine, read, header=source.header)):
        raise SourceError(source.path or "", faults)
    return read


def _repeated(drifts: Sequence[Drift]) -> Iterator[tuple[str, ColumnType]]:
    """Yield the partition keys that are also columns of the files, each with that column."""
    columns = {str(each.name).casefold(): each for each in drifts if each.kind == "column"}
    for each in drifts:
        own = columns.get(str(each.name).casefold())
        if each.kind == "partition" and own is not None:
            yield str(each.name), ColumnType(str(own.name), own.widest or own.types[0])


def _misread(engine: Engine, found: Files, path: str) -> tuple[str, ...]:
    """Return the partition keys whose escapes the engine misreads. Raises SourceError for mixed escapes."""
    if found.base is None:
        return ()
    names = engine.partition_names(found.pattern, found.base)
    escaped, plain = escaped_keys(names)
    faults = [
        Fault("source", f"the folders of {key} {what}")
        for keys, what in ((escaped & plain, TWO_WAYS), (_not_text(names), NOT_UTF8))
        for key in sorted(keys)
    ]
    if faults:
        raise SourceError(path, faults)
    return tuple(sorted(escaped))


def _not_text(names: Sequence[str]) -> set[str]:
    return {n.partition("=")[0] for n in names if "=" in n and ESCAPED.search(without_escapes(n))}


def _text_problems(engine: Engine, read: Read, *, header: bool | None) -> Iterator[Fault]:
    if read.kind != "csv":
        for key, stated in (("skip", read.skip), ("header", header is not None)):
            if stated:
                yield Fault("source", f"{key} goes with CSV, and this is {read.kind}")
        return
    if read.skip and not engine.capabilities.skips_lines:
        yield Fault(
            "source", f"{engine.capabilities.name} skips no lines of CSV; take them out of the file"
        )
    if header is False:
        if not read.names:
            what = "header: false needs files of this machine with a first line; elsewhere name the columns in a query"
            yield Fault("source", what)
        return
    yield from header_problems(
        read.files.pattern, read.delimiter, read.skip, union_by_name=read.union_by_name
    )


def open_written(engine: Engine, destination: Destination, view: exp.Table, path: str) -> Statement:
    """Return the statement that opens files which this engine has just written."""
    is_folder = destination.in_several_files or engine.capabilities.writes_folders
    found = Files(glob.escape(path), None)
    if is_folder:
        found = Files(glob.escape(path) + PARQUET_BELOW, path)
    return source_sql.open_file(
        view,
        found.pattern if engine.capabilities.local_files else source_sql.hadoop_path(found.pattern),
        kind=destination.format.kind.spelled,
        base=found.base,
        delimiter=destination.format.kind.delimiter or ",",
        partitions=[quote(column, safe="-_.~") for column in destination.partition_by],
        above=found.above,
    )


def _drift_problems(
    drifts: Sequence[Drift], found: Files, *, union_by_name: bool
) -> Iterator[Fault]:
    """List the differences that keep files from being read together, by counts and columns' names only."""
    above = {key.casefold() for key in found.above}
    for each in drifts:
        some = f"{each.files} of its {each.all_files} files"
        if each.kind == "hidden":
            what = f"{some} are hidden, or in hidden folders (_x, .x), where unfinished writes lie"
            yield Fault("source", f"{what}; remove them, or copy the whole files elsewhere")
        elif each.kind == "stray":
            what = f"{some} lie in folders that are no partitions (key=value), and are not read"
            yield Fault("source", f"{what}; name those folders so, or move the files")
        elif each.spellings > 1 and each.kind == "partition":
            yield Fault("source", f"the column {each.name} is spelt in {each.spellings} ways")
        elif each.spellings > 1 and not union_by_name:
            what = f"the column {each.name} is spelt in {each.spellings} ways"
            yield Fault("source", f"{what}; union_by_name: true reads them as one")
        elif each.kind == "partition" and each.files < each.all_files:
            yield Fault("source", f"{some} lie in a partition by {each.name}; all must, or none")
        elif each.kind == "partition" and str(each.name).casefold() in above:
            what = f"lies in a folder {each.name}=, and has partitions of that name too"
            yield Fault("source", what)
        elif len(each.types) > 1 and not (each.widest and union_by_name):
            what = (
                f"the column {each.name} has {len(each.types)} types in its {each.all_files} files"
            )
            cure = "union_by_name: true reads all as the widest" if each.widest else CAST
            yield Fault("source", f"{what}; {cure}")
        elif each.files < each.all_files and each.kind == "column" and not union_by_name:
            what = f"the column {each.name} is in {some}"
            yield Fault("source", f"{what}; union_by_name: true reads it as NULL in the others")


OF_TEXT_FILES: dict[str, object] = {
    "delimiter": None,
    "encoding": None,
    "quote": None,
    "comment": None,
    "skip": 0,
    "header": None,
    "union_by_name": False,
}
"""The keys of a source that go with text files, at their defaults."""


def open_library_file(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Open a file that a library reads under the name `view`. Raises SourceError and MissingExtraError."""
    kind, path = _kind(source), source.path or ""
    if faults := list(_faults(run.engine, kind, source)):
        raise SourceError(path, faults)
    try:
        stored = read_file(run, source, base)
        taken = take(run, stored)
    except UnreadableFileError as error:
        raise SourceError(path, [Fault("source", str(error))]) from error
    numbers = [each.name for each in stored.columns if each.stores == "number"]
    fractions = run.engine.fetch_counts(count_fractions(taken, numbers)) if numbers else []
    whole = {name for name, count in zip(numbers, fractions, strict=True) if not count}
    run.see(view, stored_values(view, taken, stored.columns, whole))
    run.scratch.drop(taken)


def read_file(run: Session, source: Source, base: str) -> StoredRows:
    """Return the columns of a file that a library reads, and its rows, still unread. Raises as `open_library_file`."""
    path = source.path or ""
    pattern = files_at(on_disk(path, run.engine), base).pattern
    files = glob.glob(pattern, recursive=True)  # noqa: PTH207
    if len(files) != 1:
        what = f"names {len(files)} files, and of {_kind(source).label} one is read: write them as Parquet, or name one"
        raise SourceError(path, [Fault("source", what)])
    return _kind(source).read(files[0], source)


def take(run: Session, stored: StoredRows) -> exp.Table:
    """Stream the rows of a file into a scratch table. Raises UnreadableFileError."""
    taken = run.scratch.table("taken")
    failed: list[UnreadableFileError] = []
    try:
        run.scratch.is_view(taken, view=run.engine.take(taken, stored.opened(failed)))
    except StatementError as error:
        raise (failed[0] if failed else UnreadableFileError("cannot be read")) from error
    return taken


def _kind(source: Source) -> FileKind:
    kind = kind_of_file(source.path or "")
    if kind is None:
        raise UnreadableFileError("is no file that a library reads")
    return kind


def _faults(engine: Engine, kind: FileKind, source: Source) -> Iterator[Fault]:
    """Yield a fault for a kind of file that the engine cannot be given, and for each key that does not go with it."""
    if not engine.capabilities.local_files or "://" in (source.path or ""):
        who = "kanon-sql" if "://" in (source.path or "") else engine.capabilities.name
        what = f"is {kind.label}, which {who} reads on this machine by DuckDB alone: write it as Parquet first"
        yield Fault("source", what)
    for key, default in OF_TEXT_FILES.items():
        if key not in kind.keys and getattr(source, key) != default:
            yield Fault("source", f"{key} goes with text files, and this is {kind.label}")
    yield from (Fault("source", what) for what in misplaced_keys(source))


def cast_columns(view: exp.Table, origin: exp.Table, types: Mapping[str, str]) -> Statement:
    """See columns of a table as the types that a database names."""
    described = [
        {"column": column(each, of="t"), "as": name(each), "type": CatalogText(of)}
        for each, of in types.items()
    ]
    return Statement("source/cast_columns", {"view": view, "origin": origin, "columns": described})


def count_fractions(origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the numbers of each column that are no whole numbers."""
    described = [column(each, of="f") for each in columns]
    return Statement("source/counts/count_fractions", {"origin": origin, "columns": described})


def stored_values(
    view: exp.Table, origin: exp.Table, columns: Sequence[ColumnInFile], whole: Collection[str]
) -> Statement:
    """Take in the rows of a file as the types that its columns store; numbers of the `whole` columns are whole."""
    described = [
        {
            "column": column(each.name, of="f"),
            "as": name(each.name),
            "stores": each.stores,
            "labels": [{"value": literal(of), "text": literal(text)} for of, text in each.labels],
            "whole": each.name in whole,
            "units": each.units,
            "origin": each.origin,
            "origin_ms": 86_400_000 * each.origin,
        }
        for each in columns
    ]
    return Statement("source/stored_values", {"view": view, "origin": origin, "columns": described})
