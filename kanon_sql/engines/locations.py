"""Sources and destinations of rows, as values and as a policy or a command line states them, in folders that are allowed.

Where an agent chooses paths, a variable of the environment names the folders that a process may read and write: the MCP
server sets it, and without it there is no limit. DuckDB enforces the same folders for whatever a query of a policy reads.
"""

from __future__ import annotations

import os
import re
from decimal import Decimal
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import Keyed, Keys, MapOf, Only
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import (
    ByKind,
    Fixed,
    Parsed,
    Several,
    Shape,
    Text,
    Whole,
    Wrong,
    check,
)
from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.destination_format import (
    CsvFiles,
    DatabaseTable,
    DestinationFormat,
    LakeRows,
    LibraryRows,
    ParquetFiles,
)
from kanon_sql.engines.files.file_kinds import ENDINGS as LIBRARY_ENDINGS
from kanon_sql.engines.files.file_kinds import WRITTEN
from kanon_sql.engines.files.file_texts import (
    Encoding,  # noqa: TC001  a Record reads it
    Missing,  # noqa: TC001  a Record reads it
)
from kanon_sql.engines.files.library_files import (
    Range,  # noqa: TC001  a Record reads it
    Values,  # noqa: TC001  a Record reads it
)
from kanon_sql.engines.lakes.lake_tables import LakeFormat, LakeTable, lake_table_from_text
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.base.documents.keys import Item
    from kanon_sql.base.documents.shapes import Known


FOLDERS_ENV = "KANON_SQL_FOLDERS"
ADDRESS = "is an address, and this server reads folders only"
HTTPFS = frozenset({"s3", "s3a", "gs", "gcs", "r2", "http", "https", "hf"})
"""The schemes of addresses that DuckDB reads by its extension httpfs."""
OUTSIDE = "lies outside the folders that this server was started with"


def only_folders() -> tuple[str, ...]:
    """Return the folders, links followed; none where there is no limit."""
    named = os.environ.get(FOLDERS_ENV, "")
    return tuple(os.path.realpath(each) for each in named.split(os.pathsep) if each)


def check_inside(path: str, folders: tuple[str, ...] | None = None) -> None:
    """Raise InputError for a path outside the folders, links followed, and for an address; by default `only_folders`."""
    folders = only_folders() if folders is None else folders
    if not folders:
        return
    if "://" in path:
        raise InputError("path", [Fault("", ADDRESS)])
    real = os.path.normcase(os.path.realpath(path))
    within = (os.path.normcase(each).rstrip(os.sep) + os.sep for each in folders)
    if not any((real + os.sep).startswith(each) for each in within):
        raise InputError("path", [Fault("", OUTSIDE)])


DATA_FILE = re.compile(
    r"[*?\[]|\.(csv|tsv|tab|txt|parquet|json|jsonl|ndjson)(\.(gz|zst|zip))?$|\.zip$|"
    rf"({'|'.join(map(re.escape, LIBRARY_ENDINGS))})$",
    re.IGNORECASE,
)
OTHER_FILE = re.compile(
    r"[/\\]|\.(xlsx?|ods|json|jsonl|ndjson|tsv|tab|txt|gz|zst|zip|pq|parq|arrow|feather|avro|orc|db|duckdb|"
    r"sqlite3?|ya?ml)$",
    re.IGNORECASE,
)
SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,9})?) *([KMG]B)", re.IGNORECASE)
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
HOLDS_KEY = "contains a password or key; set it in the environment instead"
PASSWORD = re.compile(r"://[^/@]*:[^/@]+@")


class Format(StrEnum):
    """The format of a release."""

    TABLE = "table"
    PARQUET = "parquet"
    CSV = "csv"
    XLSX = "xlsx"
    SAV = "sav"
    DTA = "dta"
    DELTA = "delta"
    ICEBERG = "iceberg"
    DUCKLAKE = "ducklake"

    @property
    def kind(self) -> DestinationFormat:
        """The object that answers for the format."""
        return KINDS[self.value]


KINDS: dict[str, DestinationFormat] = {
    each.key: each
    for each in (
        DatabaseTable(),
        ParquetFiles(),
        *map(LibraryRows, WRITTEN),
        CsvFiles(),
        *map(LakeRows, LakeFormat),
    )
}
"""Every format of a release, by its key."""
FILE_ENDINGS = tuple(ending for each in KINDS.values() for ending in each.endings)


class Compression(StrEnum):
    """How the pages of Parquet files are compressed."""

    ZSTD = "zstd"
    SNAPPY = "snappy"
    GZIP = "gzip"
    UNCOMPRESSED = "uncompressed"

    @property
    def level(self) -> int | None:
        """The level of zstd: columns of labels in random order shrink no further at the next ones, in twice the time."""
        return 1 if self is Compression.ZSTD else None


@dataclass(frozen=True, slots=True)
class Source:
    """The location of the rows: one of a path (or glob), a table's name, a query, or a table of a lake.

    It has none of these if a call passes the rows. `where` is a condition in the engine's SQL that selects the rows.
    With `union_by_name` a column that some files lack is NULL in their rows. A text file has `skip` lines before its
    header. If `header` is False its columns are column_1, column_2, ...; if None, the first line decides. `weight` is
    a column of whole numbers: each row stands for that many rows. A `frequency_set`, counted tuples that a warehouse
    exported, is read instead of the source. `missing` are texts that are read as NULL in every column. `encoding` is
    that of text files which are no UTF-8, `quote` the sign around their texts if it is not ", and `comment` that of lines
    to leave out. Of a workbook a `sheet` is read, and a `range` of its cells; of a file with
    value labels these are read unless `values` is codes.
    """

    path: str | None = None
    table: str | None = None
    query: str | None = None
    delimiter: str | None = None
    where: str | None = None
    union_by_name: bool = False
    skip: int = 0
    weight: str | None = None
    frequency_set: str | None = None
    lake: LakeTable | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()
    encoding: str | None = None
    sheet: str | None = None
    range: str | None = None
    values: Values | None = None
    quote: str | None = None
    comment: str | None = None

    @property
    def is_rewritten(self) -> bool:
        """Whether a run reads plain copies of its text files: UTF-8, with the usual quotes and without comments."""
        return (self.encoding, self.quote, self.comment) != (None, None, None)


@dataclass(frozen=True, slots=True)
class InPlace:
    """A release that replaces its source under the same name.

    The original is kept as `keep`, or dropped if that is None. `accept` lists dependents that may be lost, or may go
    on reading raw values.
    """

    keep: str | None = None
    accept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Destination:
    """The location and format of the release; `partition_by` makes a folder of hive-partitioned Parquet.

    After `file_size` bytes the next row group, of at most `row_group_rows`, begins another file. A `view` leaves the
    rows in the source. Only a run sets `added`, `recoded_by` and `suppressed`.
    """

    format: Format
    name: str
    partition_by: tuple[str, ...] = ()
    compression: Compression = Compression.ZSTD
    row_group_rows: int | None = None
    view: bool = False
    in_place: InPlace | None = None
    file_size: int | None = None
    added: tuple[tuple[str, str], ...] = ()
    recoded_by: str | None = None
    suppressed: str | None = None
    bom: bool = False

    @property
    def in_several_files(self) -> bool:
        """Whether the release is a folder of files on every engine. Some engines write a folder in any case."""
        return bool(self.partition_by) or self.file_size is not None

    @property
    def lake(self) -> LakeTable | None:
        """The table of a lake that the release is written to; None for the other formats."""
        of = self.format.kind.lake
        return None if of is None else lake_table_from_text(f"{of}:{self.name}")

    def __post_init__(self) -> None:
        object.__setattr__(self, "format", Format(self.format))
        object.__setattr__(self, "compression", Compression(self.compression))


def holds_password(address: str) -> bool:
    """Whether an address contains a password, which must not appear in files and messages."""
    return PASSWORD.search(address) is not None


def _place(text: str) -> str:
    """Check that a path or an address contains no password. Raises Wrong."""
    check(("", not holds_password(text), HOLDS_KEY))
    return text


def database_address(text: str) -> str:
    """Check that a database's address has no password or token, which a policy would show. Raises Wrong."""
    password = holds_password(text) or "password=" in text.lower()
    token = text.startswith("sc://") and "token=" in text.lower()
    check(
        ("", not password, "contains a password; use PGPASSWORD or a password file instead"),
        ("", not token, "contains a token; use SPARK_CONNECT_AUTHENTICATE_TOKEN instead"),
    )
    return text


def _attached(paths: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Check the database files to attach, by the names that they get. Raises Wrong with all problems."""
    names = [name.casefold() for name in paths]
    problems = []
    for at, (name, path) in enumerate(paths.items()):
        if "://" in path or path.startswith("spark:"):
            problems.append(((name,), "must be a DuckDB file; a server goes under database"))
        if names[at] in {"", "temp", "system", "main", "memory"}:
            problems.append(((name,), "cannot be the name of a database"))
        if names[at] in names[:at]:
            what = "differs from another name only in case; databases fold case"
            problems.append(((name,), what))
    if problems:
        raise Wrong(*problems)
    return tuple(paths.items())


def _bytes(text: str) -> int:
    """Parse a file size such as 256MB into bytes; a KB has 1,000. Raises Wrong.

    >>> _bytes("256MB"), _bytes("1.5 GB")
    (256000000, 1500000000)
    """
    found = SIZE.fullmatch(text.strip())
    size = 0 if found is None else int(Decimal(found[1]) * UNITS[found[2].upper()])
    check(("", size > 0, "must be a size such as 256MB or 1GB"))
    return size


def _in_catalog(text: str) -> str:
    """Check that an Iceberg table's name begins with a catalog and a namespace. Raises Wrong."""
    named = re.fullmatch(r"[^.]+(\.[^.]+){2,}", text) is not None
    check(
        (
            "",
            named,
            "must be CATALOG.NAMESPACE.TABLE, of a catalog in the configuration of pyiceberg",
        )
    )
    return text


def _in_ducklake(text: str) -> str:
    """Check that the catalog of a DuckLake contains no password and no #. Raises Wrong."""
    check(
        ("", "password=" not in text.lower() and not holds_password(text), HOLDS_KEY),
        ("", "#" not in text, "holds a #, which separates the catalog from a table elsewhere"),
    )
    return text


def _lake_named(text: str) -> LakeTable | None:
    """Parse a text that may name a table of a lake; None if it names none. Raises Wrong."""
    found = lake_table_from_text(text)
    if found is not None and found.format is LakeFormat.DUCKLAKE:
        check(("", bool(found.table), "names no table: write ducklake:CATALOG#TABLE"))
        _in_ducklake(found.place)
    return found


PLACE = Parsed(Text(), _place)
ICEBERG = Parsed(Text(), _in_catalog)
DUCKLAKE = Parsed(Text(), _in_ducklake)
DATABASE = Parsed(Text(), database_address)
ATTACHED = Parsed(MapOf(Text()), _attached)
Place = Annotated[str, PLACE]
Mark = Annotated[str, Text(pattern=r"[^\w\s]")]
"""A sign of text files: one character that is no letter, digit, or blank."""
IsTrue = Annotated[bool, Fixed(word=True, words="must be true; omit the key otherwise")]


def source_from_text(text: str) -> Source:
    """Read a text as a table of a lake, a path or glob (by ending, wildcard or slash), or a table's name.

    >>> source_from_text("adult.csv").path, source_from_text("warehouse.people").table
    ('adult.csv', 'warehouse.people')
    >>> source_from_text("delta:lake/people").lake.place
    'lake/people'
    """
    if (lake := _lake_named(text)) is not None:
        return Source(lake=lake)
    if DATA_FILE.search(text) or "/" in text or "\\" in text:
        return Source(path=text)
    return Source(table=text)


def _of_files(
    *,
    path: Place,
    delimiter: str | None = None,
    union_by_name: bool = False,
    skip: int = 0,
    header: bool | None = None,
    encoding: Encoding | None = None,
    quote: Mark | None = None,
    comment: Mark | None = None,
    sheet: Annotated[str, Text()] | None = None,
    range: Range | None = None,  # noqa: A002  the key of a policy
    values: Values | None = None,
    where: str | None = None,
    weight: str | None = None,
    missing: Missing = (),
) -> Source:
    marks = [each for each in (delimiter, quote or '"', comment) if each is not None]
    check((("quote",), len(set(marks)) == len(marks), "must differ from comment and delimiter"))
    return Source(
        path,
        None,
        None,
        delimiter,
        where,
        union_by_name,
        skip,
        weight,
        header=header,
        missing=missing,
        encoding=encoding,
        sheet=sheet,
        range=range,
        values=values,
        quote=quote,
        comment=comment,
    )


def _of_table(
    table: Place, where: str | None = None, weight: str | None = None, missing: Missing = ()
) -> Source:
    return Source(table=table, where=where, weight=weight, missing=missing)


def _of_query(query: Place, weight: str | None = None, missing: Missing = ()) -> Source:
    return Source(query=query, weight=weight, missing=missing)


def _of_delta(
    delta: Place,
    version: Annotated[int | None, Whole(0)] = None,
    where: str | None = None,
    missing: Missing = (),
) -> Source:
    lake = LakeTable(LakeFormat.DELTA, delta, version)
    return Source(lake=lake, where=where, missing=missing)


def _of_iceberg(
    iceberg: Annotated[str, ICEBERG],
    snapshot: Annotated[int | None, Whole(0, 2**63 - 1)] = None,
    where: str | None = None,
    missing: Missing = (),
) -> Source:
    lake = LakeTable(LakeFormat.ICEBERG, iceberg, snapshot)
    return Source(lake=lake, where=where, missing=missing)


def _of_ducklake(
    ducklake: Annotated[str, DUCKLAKE],
    table: Place,
    snapshot: Annotated[int | None, Whole(0, 2**63 - 1)] = None,
    where: str | None = None,
    missing: Missing = (),
) -> Source:
    lake = LakeTable(LakeFormat.DUCKLAKE, ducklake, snapshot, table)
    return Source(lake=lake, where=where, missing=missing)


def _of_rows(where: str | None = None, weight: str | None = None, missing: Missing = ()) -> Source:
    return Source(where=where, weight=weight, missing=missing)


class _SourceForms(Keyed[Source]):
    """The forms of a source. If a call passes the rows, `where`, `weight` and `missing` may stand alone."""

    def take(self, item: Item, entries: Mapping[str, Item]) -> Source:
        if item.reading.known["has_source"] or set(self.forms) & set(entries):
            return super().take(item, entries)
        return self.chosen(Record(_of_rows), "", item, entries)


SOURCE: Shape[Source] = ByKind(
    plain=Parsed(PLACE, source_from_text),
    mapping=_SourceForms(
        {
            "path": Record(_of_files),
            "table": Record(_of_table),
            "query": Record(_of_query),
            "delta": Record(_of_delta),
            "iceberg": Record(_of_iceberg),
            "ducklake": Record(_of_ducklake),
        },
        hints={"where": "; put the condition into the query"},
    ),
)


def destination_from_text(text: str) -> Destination:
    """Read a text as a table of a lake, a file (by its ending), or a table's name.

    >>> destination_from_text("out/adult.parquet").format, destination_from_text("adult_k5").format
    (<Format.PARQUET: 'parquet'>, <Format.TABLE: 'table'>)
    """
    if (lake := _lake_named(text)) is not None:
        return Destination(Format(lake.format.value), lake.location)
    ended = (each for each in Format if text.lower().endswith(each.kind.endings))
    return Destination(next(ended, Format.TABLE), text)


def _named(text: str) -> Destination:
    """Read a release that is one text. Raises Wrong for a file of a kind that is not written."""
    chosen = destination_from_text(text)
    other = chosen.format is Format.TABLE and OTHER_FILE.search(text)
    kind = (
        f"is a file of another kind than {joined(FILE_ENDINGS)}; for a table or folder of "
        "that name use {table: ...} or {parquet: ..., partition_by: [...]}"
    )
    check(("", not other, kind))
    return chosen


def _partitions(parts: tuple[str, ...], known: Known) -> tuple[str, ...]:
    """Check that the columns whose values become folders are released, but not all of them. Raises Wrong."""
    kept: dict[str, str] = known["released"]
    problems = []
    for part in parts:
        if part not in kept and part not in known["doubtful"]:
            ends = [name for name, column in kept.items() if column == part]
            hint = f"; {part} is released as {' and '.join(ends)}" if ends else ""
            problems.append(("", f"must name columns that are released{hint}"))
    if set(parts) >= set(kept):
        problems.append(("", "must leave a column that the files hold"))
    if problems:
        raise Wrong(*problems)
    return parts


def _to_table(table: Place, *, view: bool = False) -> Destination:
    return Destination(Format.TABLE, table, view=view)


def _to_parquet(
    parquet: Place,
    partition_by: Annotated[
        tuple[str, ...],
        Parsed(Several(Text(), empty="must name at least one column"), _partitions, context=True),
    ] = (),
    compression: Compression = Compression.ZSTD,
    row_group_rows: Annotated[int | None, Whole(1)] = None,
    file_size: Annotated[int | None, Parsed(Text(), _bytes)] = None,
) -> Destination:
    return Destination(
        Format.PARQUET, parquet, partition_by, compression, row_group_rows, file_size=file_size
    )


def _to_csv(csv: Place, *, bom: bool = False) -> Destination:
    return Destination(Format.CSV, csv, bom=bom)


def _to_iceberg(iceberg: Annotated[str, ICEBERG]) -> Destination:
    return Destination(Format.ICEBERG, iceberg)


def _to_ducklake(ducklake: Annotated[str, DUCKLAKE], table: Place) -> Destination:
    lake = LakeTable(LakeFormat.DUCKLAKE, ducklake, table=table)
    return Destination(Format.DUCKLAKE, lake.location)


Accepted = Annotated[tuple[str, ...], Several(Text())]


def _kept(in_place: IsTrue, keep_original: str, accept: Accepted = ()) -> Destination:
    del in_place
    return Destination(Format.TABLE, "", in_place=InPlace(keep_original, accept))


def _dropped(in_place: IsTrue, drop_original: IsTrue, accept: Accepted = ()) -> Destination:
    del in_place, drop_original
    return Destination(Format.TABLE, "", in_place=InPlace(None, accept))


WITH_OPTIONS: dict[Format, Keys[Destination]] = {
    Format.TABLE: Record(_to_table),
    Format.PARQUET: Record(_to_parquet),
    Format.CSV: Record(_to_csv),
    Format.ICEBERG: Record(_to_iceberg),
    Format.DUCKLAKE: Record(_to_ducklake),
}
"""The shapes of formats that a policy states by more than a path."""

RELEASE: Shape[Destination] = ByKind(
    plain=Parsed(PLACE, _named),
    mapping=Keyed(
        {
            **{
                each.value: WITH_OPTIONS.get(each)
                or Only(each.value, Parsed(PLACE, partial(Destination, each)))
                for each in Format
            },
            "in_place": Keyed(
                {"keep_original": Record(_kept), "drop_original": Record(_dropped)},
                lacking="in place, must have either keep_original: NAME or drop_original: true",
            ),
        }
    ),
)
