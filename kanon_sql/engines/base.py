"""The base class of engines: all that kanon-sql asks of a database. Most methods have a default."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.journal import Journal
from kanon_sql.errors import Fault, ReleaseError, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlglot import exp

    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.in_place_sql import ColumnChanges, Dependent, Swap
    from kanon_sql.engines.locations import Destination, Source
    from kanon_sql.engines.source.table_formats import TableFormat

Row = tuple[object, ...]
Family = Literal["text", "integer", "decimal", "boolean", "date", "timestamp", "float", "other"]
FAMILIES: Mapping[Family, re.Pattern[str]] = {
    "text": re.compile(r"(varchar|char|character|character varying|text|string|bpchar)(\(\d+\))?"),
    "integer": re.compile(r"u?(tinyint|smallint|integer|int|bigint|hugeint)"),
    "decimal": re.compile(r"(decimal|numeric)\(\d+, *\d+\)"),
    "boolean": re.compile(r"boolean"),
    "date": re.compile(r"date"),
    "timestamp": re.compile(r"timestamp(\(\d\))?( without time zone)?|timestamp_ntz"),
    "float": re.compile(r"float|double|double precision|real"),
}
"""The names that the databases give to the types of each family."""
EQUAL_AS_TEXTS = frozenset({"integer", "decimal", "boolean", "date", "timestamp"})
"""Families of types whose values are equal exactly if their texts are; a float's zero has two texts."""


BY_VALUE = "values "
"""The word before a hash of rows whose whole numbers were hashed by value. Earlier hashes are of texts alone."""
SHORT = re.compile(r"u?(tinyint|smallint|integer|int)")
QUOTED = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'")
TAGGED = re.compile(r"\bUNION\(|\bVARIANT\b|(?:^|[<:,])variant(?=$|[,>])")
"""Types in which each value carries its own type, as DuckDB and as Spark spell them."""
LOST_IN_PARQUET = re.compile(
    r"\bu?hugeint\b|\bunion\(|\binterval\b|\btime with time zone\b", re.IGNORECASE
)
"""Types that DuckDB silently writes to Parquet as another type and with other values."""


def whole(cell: object) -> int:
    """Convert a cell to an int. Databases return sums in other types, and NULL as the sum of no rows.

    >>> from decimal import Decimal
    >>> whole(Decimal("12")), whole(None)
    (12, 0)
    """
    return 0 if cell is None else int(str(cell))


@dataclass(frozen=True, slots=True)
class ColumnType:
    """One column of a table as the database declares it.

    The type of an `enum` lists its values. A `collated` column compares texts as equal whose bytes differ;
    this is filled in only by `with_collations`.
    """

    name: str
    type: str
    enum: bool = False
    collated: bool = False

    @property
    def family(self) -> Family:
        """The family of the type, whatever the database calls the type."""
        folded = self.type.lower()
        return next((kind for kind, names in FAMILIES.items() if names.fullmatch(folded)), "other")

    @property
    def is_short(self) -> bool:
        """Whether its values are whole numbers of at most 32 bits."""
        return SHORT.fullmatch(self.type.lower()) is not None

    @property
    def nested(self) -> bool:
        """Whether it is an array, map or struct of Spark: two values may print as the same text."""
        return self.type.lower().startswith(("array<", "map<", "struct<"))

    @property
    def tagged(self) -> bool:
        """Whether each value carries its own type: UNION or VARIANT, alone or within another type.

        A reader sees that type (1 and '1' are two values there), but the text of a value does not show it.
        """
        return TAGGED.search(QUOTED.sub("", self.type)) is not None

    @property
    def lost_in_parquet(self) -> str | None:
        """The type in it that DuckDB would write to Parquet as another type, or None."""
        found = LOST_IN_PARQUET.search(QUOTED.sub("", self.type))
        return None if found is None else found[0].removesuffix("(")


@dataclass(frozen=True, slots=True)
class Located:
    """A table or view of the database; names are folded as the database folds them."""

    kind: str
    temporary: bool
    catalog: str
    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between the files of a source, in counts.

    By `kind`: a column that differs between files, a partition key, hidden files, or stray files, which the engine
    would not read.
    """

    kind: Literal["column", "partition", "hidden", "stray"]
    name: str | None
    files: int
    all_files: int
    types: Sequence[str] = ()
    spellings: int = 1

    @property
    def widest(self) -> str | None:
        """The type as which all files can be read; None if there is none."""
        return widest(self.types)


@dataclass(frozen=True, slots=True)
class Survey:
    """What the footers of a source's files show.

    `columns` lists all columns with their types, for an engine that does not widen types by itself.
    """

    drifts: Sequence[Drift]
    columns: tuple[tuple[str, str], ...] = ()


WIDER = (("TINYINT", "SMALLINT", "INT", "BIGINT"), ("FLOAT", "DOUBLE"))
"""Chains of types. Every engine reads a type without loss as any later type of its chain."""
DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def widest(types: Collection[str]) -> str | None:
    """Return the one of these types as which every engine reads the others without loss; None if none is.

    >>> widest(["bigint", "int"]), widest(["DECIMAL(5,2)", "DECIMAL(18,2)"])
    ('bigint', 'DECIMAL(18,2)')
    >>> widest(["BIGINT", "DOUBLE"]), widest(["DECIMAL(5,2)", "DECIMAL(18,1)"])
    (None, None)
    """
    folded = {each: re.sub("^INTEGER$", "INT", each.upper()) for each in types}
    for names in WIDER:
        if folded and set(folded.values()) <= set(names):
            return max(folded, key=lambda each: names.index(folded[each]))
    decimals = {each: DECIMAL.fullmatch(name) for each, name in folded.items()}
    sizes = {each: (int(found[2]), int(found[1])) for each, found in decimals.items() if found}
    if sizes.keys() != folded.keys() or len({scale for scale, _ in sizes.values()}) != 1:
        return None
    return max(sizes, key=lambda each: sizes[each])


UNFINISHED = "_kanon_unfinished"
"""The file that marks a folder of a store while its other files are being moved there."""


class Store(Protocol):
    """A file system other than this machine's disk. Every failure is raised as StatementError."""

    def exists(self, path: str) -> bool: ...

    def move(self, origin: str, target: str) -> None:
        """Move a file or folder; nothing may be at the target. An object store copies: the original stays."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file or folder, if it exists."""
        ...

    def spelt(self, path: str) -> str:
        """Normalize an address of this store; other addresses are returned unchanged."""
        ...

    def names(self, folder: str) -> list[tuple[str, float]]:
        """List a folder: each entry's name, with the seconds since it was last written."""
        ...


NOT_IN_PLACE = "releases no table in place; name another table"


class ElsewhereError(Exception):
    """The engine cannot read or write files of this machine."""


class Hashes(Protocol):
    """Hashes texts under a secret key of the user."""

    def hash(self, text: str) -> str: ...


@dataclass
class KeptCount:
    """Counts of tables: `kept` for a later run, `found` unchanged from a killed run, or found `changed`."""

    kept: int = 0
    found: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement rendered once, to be executed with many bindings.

    `on_driver`: it is executed by the DuckDB in which an engine keeps small tables in this process.
    """

    step: str
    text: str
    scans: int = 0
    makes: exp.Table | None = None
    on_driver: bool = False
    reads: tuple[exp.Table, ...] | None = None

    @classmethod
    def of(
        cls, statement: Statement, dialect: str, *, on_driver: bool = False
    ) -> PreparedStatement:
        rendered = statement.rendered(dialect)
        scans, makes = statement.scans, rendered.makes
        return cls(statement.step, rendered.text, scans, makes, on_driver, rendered.reads)


class Engine(ABC):
    """A connection to one database, and the journal of what was executed on it.

    `prepare` renders a statement that will be executed many times; `fetch` takes either form.
    Every failure is raised as StatementError, without the database's words. The abstract methods
    are what a plan and a release to a table need. The default of any other method suits a database
    without that capability: it does nothing, or refuses.
    """

    dialect: ClassVar[str]
    """The folder of templates and the sqlglot dialect of this database."""
    capabilities: ClassVar[Capabilities]
    scratch_schema: str | None = None
    """The schema of scratch tables; None for temporary tables."""
    temp_directory: str | None = None
    """The folder in which a run may create folders for rows; None for the one of this machine."""

    writers_wait: bool = False
    """Whether a release in place makes writers of its source wait from the beginning of the run."""

    def __init__(self) -> None:
        self.journal = Journal()

    @property
    @abstractmethod
    def version(self) -> str:
        """Name and version, for plans and certificates."""

    @abstractmethod
    def _run(self, ready: PreparedStatement, params: Sequence[object]) -> list[Row]:
        """Run one statement; raises StatementError."""

    def _run_for_effect(
        self, ready: PreparedStatement, params: Sequence[object], name: str
    ) -> None:
        """Run one statement and discard its rows. `name` is the name of its template."""
        del name
        self._run(ready, params)

    def prepare(self, statement: Statement) -> PreparedStatement:
        return PreparedStatement.of(statement, self.dialect)

    def capabilities_at(self, table: exp.Table) -> Capabilities:
        """Return the capabilities of the database that holds a scratch table: some are kept in this process."""
        del table
        return self.capabilities

    def fetch(
        self, statement: Statement | PreparedStatement, params: Sequence[object] = ()
    ) -> list[Row]:
        """Run a statement whose result is small by construction, and return its rows."""
        ready = self.prepare(statement) if isinstance(statement, Statement) else statement
        rows = self._run(ready, params)
        self.journal.statement(ready.text, scans=ready.scans, fetched=len(rows))
        return rows

    def fetch_many(
        self, prepared: Sequence[tuple[PreparedStatement, Sequence[object]]]
    ) -> list[list[Row]]:
        """Fetch several statements with their bindings; concurrently where that is faster."""
        return [self.fetch(*each) for each in prepared]

    def hashed_by_value(self, columns: Iterable[ColumnType], like: str | None) -> list[str]:
        """Name the whole numbers that this engine hashes by value; none for a hash `like` an earlier one of texts."""
        if not self.capabilities.hashes_values or (like is not None and BY_VALUE not in like):
            return []
        return [c.name for c in columns if c.is_short or c.type.lower() == "bigint"]

    def fetch_counts(self, statement: Statement | PreparedStatement) -> list[int]:
        """Fetch the one row of a statement that counts."""
        (row,) = self.fetch(statement)
        return [whole(cell) for cell in row]

    def fetch_count(self, statement: Statement | PreparedStatement) -> int:
        """Fetch the one number of a statement that counts."""
        (count,) = self.fetch_counts(statement)
        return count

    def execute(self, statement: Statement, params: Sequence[object] = ()) -> None:
        ready = self.prepare(statement)
        self._run_for_effect(ready, params, statement.name)
        self.journal.statement(ready.text, scans=ready.scans, fetched=0)
        self._executed(ready, statement.name)

    def _executed(self, ready: PreparedStatement, name: str) -> None:
        """Do follow-up work of this database, such as ANALYZE. `name` is the name of the statement's template."""

    def why_no_partition(self, source: Source) -> str | None:
        """Say why no partition of a source can be added to a release; None if it can."""
        del source
        return (
            f"{self.capabilities.name} adds none to a release: its files do not say by which plan they were made; "
            f"release all partitions to a new folder"
        )

    def why_no_file_size(self, out: Destination) -> str | None:
        """Say why a release cannot be split into files of a number of bytes; None if it can."""
        del out
        return f"{self.capabilities.name} begins no new file after a number of bytes; leave it out"

    @abstractmethod
    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Create a scratch table of texts from a few rows: a hierarchy, or nodes, never a source."""

    def register(self, table: exp.Table, frame: object) -> bool:
        """Make a caller's frame readable under a name. Returns whether the name is a view. Raises SourceError."""
        what = f"is a {type(frame).__name__}; {self._name} reads tables and queries of its own"
        raise SourceError(table.name, [Fault("", what)])

    def take(self, table: exp.Table, reader: object) -> bool:
        """Create a scratch table from a reader of Arrow's batches. Returns whether the name is a view."""
        del reader
        what = f"is read in batches, of which {self._name} makes no table"
        raise SourceError(table.name, [Fault("", what)])

    def batches(self, table: exp.Table, columns: Sequence[str]) -> object:
        """Return a reader of Arrow's batches of a table. Nothing else is executed until it is read to its end."""
        del columns
        raise SourceError(table.name, [Fault("", f"is in {self._name}, which gives no batches")])

    def relation(self, table: exp.Table, columns: Sequence[str]) -> object:
        """Return columns of a table as a lazy relation of the engine's own library."""
        what = f"is missing; {self._name} releases to a table"
        raise ReleaseError("release", [Fault("", what)])

    def write(self, table: exp.Table, columns: Sequence[str], out: Destination, path: str) -> None:
        """Write columns of a table to a path where nothing exists."""
        raise SourceError(path, [Fault("release", f"is a file; {self._name} releases to tables")])

    def keep(self, table: exp.Table, columns: Sequence[str], path: str) -> None:
        """Write columns of a scratch table to a path of this machine, where nothing exists, for `recall`.

        Raises ElsewhereError where the engine's files are not this machine's.
        """
        raise ElsewhereError

    @property
    def why_no_resume(self) -> str | None:
        """Say why a killed run cannot be resumed; None if it can."""
        name = self.capabilities.name
        return f"goes on from what {name} keeps beyond a run, and that is nothing: run it again"

    def keep_tables(self, origin: str, key: Hashes, *, goes_on: bool) -> None:
        """Keep, from now on, tables that cost a pass over the source, so that a later run can resume this one.

        With `goes_on`, this run resumes killed runs of the same `origin`: a text of all that determines the tables.
        """
        del origin, key, goes_on

    @property
    def kept_count(self) -> KeptCount | None:
        """The counts of kept tables; None for a run that keeps none."""
        return None

    def left_tables(self) -> Iterator[tuple[str, float]]:
        """List the places of kept tables that no run has resumed, with the seconds since each was written."""
        yield from ()

    def remove_left(self, place: str) -> None:
        """Remove a place that `left_tables` lists."""
        del place

    def recall(self, table: exp.Table, like: exp.Table, path: str) -> bool:
        """Open the file that `keep` wrote, with the types of `like`. Returns whether `table` is then a view."""
        raise ElsewhereError

    def make_readable(self, path: str) -> None:
        """Make files at an address readable; raises SourceError and MissingExtraError."""
        raise SourceError(path, [Fault("source", f"is a file; {self._name} reads tables")])

    def store(self, path: str) -> Store | None:
        """Return the store of a path; None for a path on this machine's disk.

        Raises SourceError where the store cannot be reached, and MissingExtraError.
        """
        raise SourceError(path, [Fault("release", f"is a file; {self._name} has tables")])

    def store_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in the session. No statement's text may contain the key."""
        raise self._refused("makes no pseudonyms; drop identifying columns instead")

    def forget_key(self, name: str) -> None:
        """Remove a padded key from the session."""

    def survey_files(self, pattern: str, base: str, depth: int) -> Survey:
        """Compare the Parquet files of a pattern with each other, before any is read.

        Folders below `base`, which has `depth` parts, may be partitions.
        """
        del pattern, base, depth
        return Survey(())

    def partition_names(self, pattern: str, base: str) -> list[str]:
        """List the names of the folders below a base, for an engine that does not read them as UTF-8."""
        del pattern, base
        return []

    def format_marks(self, folder: str, formats: Sequence[TableFormat]) -> list[str]:
        """List paths that may be marks of table formats, in the folders that an address or a pattern names.

        `/**` at the end of `folder` stands for all folders below.
        """
        del folder, formats
        return []

    @abstractmethod
    def columns(self, table: exp.Table) -> list[ColumnType]:
        """Describe a table; raises StatementError where there is none."""

    @abstractmethod
    def collated(self, table: exp.Table, columns: Sequence[ColumnType]) -> set[str]:
        """Return the columns that compare texts as equal whose bytes differ."""

    @abstractmethod
    def locate(self, table: exp.Table) -> list[Located]:
        """Find what a name refers to; empty if there is nothing, and never an error."""

    def commented_tables(
        self, schema: str | None, catalog: str | None = None
    ) -> list[tuple[exp.Table, str]]:
        """List the tables of a schema, or of the current one, that may be dropped, with their comments.

        All tables that a run has created for a view are among them.
        """
        raise self._refused("releases no views")

    def unfinished(self, schema: str | None) -> list[tuple[exp.Table, str]]:
        """List the tables that a killed release in place left, with reasons. Their owner has to judge them.

        A database with transactions has none: it undoes the work of a killed run.
        """
        del schema
        return []

    def views(self, schema: str | None) -> list[str]:
        """Return the texts of all views that may read tables of a schema, or of the current one."""
        raise self._refused("releases no views")

    def bound_to(self, view: exp.Table) -> str | None:
        """Return the only catalog that a view can read in every session; None if it can read any."""
        del view
        return None

    def view_text(self, found: Located) -> str | None:
        """Return the text of a view; None where the database does not show it."""
        return None

    def transaction(self) -> AbstractContextManager[None]:
        """Run the statements of the block all or not at all, if the database has transactions.

        If the caller has a transaction open, the block becomes a part of that one.
        """
        return nullcontext()

    def own_functions(self) -> AbstractContextManager[None]:
        """Resolve names of functions to the database's own while the block runs.

        Otherwise the creator of a table could also create a function that makes the table's classes look larger.
        """
        return nullcontext()

    @abstractmethod
    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table or view, even in a failed transaction."""

    def drop_type(self, type_: exp.Table) -> None:
        """Drop a scratch type, which lists labels. In a failed transaction, the rollback removes the type."""
        with suppress(StatementError):
            self._run(self.prepare(command("drop_type", type_)), ())

    def keep_private(self, table: exp.Table) -> None:
        """Revoke all rights on a new table from everyone but its owner, where there are such rights."""

    @property
    def ends_scratch(self) -> bool:
        """Whether scratch tables, views and types end with the engine, because it opened their session."""
        return False

    @property
    def unpurgeable(self) -> str | None:
        """Why `purge` cannot remove the data of a dropped table from the database's files; None if it can."""
        return None

    def lock(self, candidates: Sequence[exp.Table]) -> AbstractContextManager[None]:
        """Lock the first candidate that is a table against writers while the block runs.

        Unless `writers_wait`, an engine that can detect rows written since the run's snapshot locks only for the swap.
        The swap then raises WrittenMeanwhileError if there are such rows.
        A database with transactions runs the block in one. Raises InputError if the caller has one open: rows that
        others have committed may be invisible in it.
        """
        raise self._refused(NOT_IN_PLACE)

    def qualified(self, table: exp.Table) -> exp.Table:
        """Return a table's name with its schema, as the catalog spells both."""
        return table

    def dependents(self, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
        """Find what depends on a table, and what a release in place would do to it."""
        raise self._refused(NOT_IN_PLACE)

    def swap(self, swap: Swap) -> None:
        """Replace the rows of the raw table by the released ones, under its name."""
        raise self._refused(NOT_IN_PLACE)

    def purge(self) -> None:
        """Remove the dropped rows of a swap from the database's files. Called after the swap."""

    def _refused(self, what: str) -> ReleaseError:
        return ReleaseError("release", [Fault("", f"{self._name} {what}")])

    @property
    def _name(self) -> str:
        return self.capabilities.name
