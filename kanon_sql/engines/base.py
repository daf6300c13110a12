"""What kanon-sql needs of a database: capabilities first, then a few small methods, most with a default."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.journal import Journal
from kanon_sql.errors import Fault, ReleaseError, SourceError, StatementError
from kanon_sql.late_dataclass import dataclass
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlglot import exp

    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.dependents import ColumnChanges, Dependent, Swap
    from kanon_sql.policy.locations import Destination, Source
    from kanon_sql.source.table_formats import TableFormat

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
"""The names of one kind of type in the databases."""


QUOTED = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'")
TAGGED = re.compile(r"\bUNION\(|\bVARIANT\b|(?:^|[<:,])variant(?=$|[,>])")
"""The types whose values have types of their own, as DuckDB and as Spark spell them."""
LOST_IN_PARQUET = re.compile(
    r"\bu?hugeint\b|\bunion\(|\binterval\b|\btime with time zone\b", re.IGNORECASE
)
"""The types that DuckDB silently writes to Parquet as others, and with other values."""


def whole(cell: object) -> int:
    """Read a whole number of a row: databases return sums as other types, and the sum of no rows as NULL.

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
        """Classify the type, whatever the database calls it."""
        folded = self.type.lower()
        return next((kind for kind, names in FAMILIES.items() if names.fullmatch(folded)), "other")

    @property
    def nested(self) -> bool:
        """Whether it is an array, map or struct of Spark: two values may print as the same text."""
        return self.type.lower().startswith(("array<", "map<", "struct<"))

    @property
    def tagged(self) -> bool:
        """Whether its values have types of their own: UNION or VARIANT, alone or within another type.

        A reader sees them (1 and '1' are two values there), but the text of a value does not show them.
        """
        return TAGGED.search(QUOTED.sub("", self.type)) is not None

    @property
    def lost_in_parquet(self) -> str | None:
        """The type that Parquet would store as another, alone or within another type."""
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
    """How the files of one source differ, in counts.

    A column that differs between files, a key of their partitions, hidden files, or files that the engine
    would leave out.
    """

    kind: Literal["column", "partition", "hidden", "stray"]
    name: str | None
    files: int
    all_files: int
    types: Sequence[str] = ()
    spellings: int = 1

    @property
    def widest(self) -> str | None:
        """The type as which all files can be read."""
        return widest(self.types)


@dataclass(frozen=True, slots=True)
class Survey:
    """What the footers of a source's files contain.

    `columns` are all of them with their types, for an engine that does not widen types by itself.
    """

    drifts: Sequence[Drift]
    columns: tuple[tuple[str, str], ...] = ()


WIDER = (("TINYINT", "SMALLINT", "INT", "BIGINT"), ("FLOAT", "DOUBLE"))
"""Types that every engine reads without loss as any that follows."""
DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def widest(types: Collection[str]) -> str | None:
    """Find the type as which every engine reads the others without loss; None if there is none.

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
    """Files that are not on this machine's disk; every failure is a StatementError."""

    def exists(self, path: str) -> bool: ...

    def move(self, origin: str, target: str) -> None:
        """Rename a file or folder; nothing may be at the target."""
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
    """Files of this machine are out of the engine's reach."""


class Hashes(Protocol):
    """A secret key of the user."""

    def hash(self, text: str) -> str: ...


@dataclass
class KeptCount:
    """How many tables a run keeps for one that goes on from it, how many it has found itself, and found changed."""

    kept: int = 0
    found: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement rendered once, to be executed with many bindings.

    `on_driver` is for an engine that has a database of its own for small tables.
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
    are what a plan and a release to a table need. Any other does what fits a database without
    that capability: nothing, or it refuses.
    """

    dialect: ClassVar[str]
    """The folder of templates and the sqlglot dialect of this database."""
    capabilities: ClassVar[Capabilities]
    scratch_schema: str | None = None
    """The schema of scratch tables; None for temporary tables."""

    writers_wait: bool = False
    """Whether whoever writes to a source that is released in place waits from the beginning of the run."""

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
        """Run one statement whose rows nobody needs; `name` is its template's."""
        del name
        self._run(ready, params)

    def prepare(self, statement: Statement) -> PreparedStatement:
        return PreparedStatement.of(statement, self.dialect)

    def capabilities_at(self, table: exp.Table) -> Capabilities:
        """Return what to expect of statements over a scratch table, wherever the engine keeps it."""
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
        """Do what this database needs after a statement; `name` is its template's."""

    def why_no_partition(self, source: Source) -> str | None:
        """Say why no partition of a source can be added to a release; None if it can."""
        del source
        return (
            f"{self.capabilities.name} adds none to a release: its files do not say by which plan they were made; "
            f"release all partitions to a new folder"
        )

    def why_no_file_size(self, out: Destination) -> str | None:
        """Say why files cannot be begun anew after a number of bytes; None if they can."""
        del out
        return f"{self.capabilities.name} begins no new file after a number of bytes; leave it out"

    @abstractmethod
    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Create a scratch table of texts from a few rows: a hierarchy, or nodes, never a source."""

    def register(self, table: exp.Table, frame: object) -> bool:
        """Make a frame of the caller readable under a name; returns whether that is a view."""
        what = f"is a {type(frame).__name__}; {self._name} reads tables and queries of its own"
        raise SourceError(table.name, [Fault("", what)])

    def relation(self, table: exp.Table, columns: Sequence[str]) -> object:
        """Return columns of a table lazily, as what the caller of this engine fetches from."""
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
        """Say why no run can go on where another was killed; None if one can."""
        name = self.capabilities.name
        return f"goes on from what {name} keeps beyond a run, and that is nothing: run it again"

    def keep_tables(self, origin: str, key: Hashes, *, goes_on: bool) -> None:
        """From now on keep the tables that cost a pass over the source, for a run that goes on if this one is killed.

        A run that `goes_on` reads those of killed runs of the same `origin`: a text of all that they follow from.
        """
        del origin, key, goes_on

    @property
    def kept_count(self) -> KeptCount | None:
        """Count the tables that are kept; None where none are."""
        return None

    def left_tables(self) -> Iterator[tuple[str, float]]:
        """List where tables were kept that no run has gone on from, with the seconds since they were written."""
        yield from ()

    def remove_left(self, place: str) -> None:
        """Remove what `left_tables` lists."""
        del place

    def recall(self, table: exp.Table, like: exp.Table, path: str) -> bool:
        """Open what `keep` wrote, with the types of another table; returns whether that is a view."""
        raise ElsewhereError

    def make_readable(self, path: str) -> None:
        """Make files at an address readable; raises SourceError and MissingExtraError."""
        raise SourceError(path, [Fault("source", f"is a file; {self._name} reads tables")])

    def store(self, path: str) -> Store | None:
        """Return the store of a path, if it is another than this machine's disk.

        Raises SourceError where it cannot be reached, and MissingExtraError.
        """
        raise SourceError(path, [Fault("release", f"is a file; {self._name} has tables")])

    def store_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in the session; it must appear in the text of no statement."""
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
        """List what may be marks of table formats in the folders of an address, which may be a pattern.

        `/**` at its end stands for all folders below.
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
        """List the tables of a killed release in place, which only the owner of its table can judge, and why.

        Nothing where there are transactions, which undo what a killed run did.
        """
        del schema
        return []

    def views(self, schema: str | None) -> list[str]:
        """Return the texts of all views that may read tables of a schema, or of the current one."""
        raise self._refused("releases no views")

    def bound_to(self, view: exp.Table) -> str | None:
        """Return the catalog beyond which a view cannot read in another session; None for no bound."""
        del view
        return None

    def view_text(self, found: Located) -> str | None:
        """Return the text of a view; None where the database does not show it."""
        return None

    def transaction(self) -> AbstractContextManager[None]:
        """Run the statements of the block all or not at all, if the database has transactions.

        In a transaction of the caller it becomes a part of that.
        """
        return nullcontext()

    def own_functions(self) -> AbstractContextManager[None]:
        """Resolve names of functions to the database's own while the block runs.

        Whoever created a table could have created a function too, by which its classes look larger.
        """
        return nullcontext()

    @abstractmethod
    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table or view, even in a failed transaction."""

    def drop_type(self, type_: exp.Table) -> None:
        """Drop a scratch type, where labels are held as codes; in a failed transaction it is dropped with that."""
        with suppress(StatementError):
            self._run(self.prepare(command("drop_type", type_)), ())

    def keep_private(self, table: exp.Table) -> None:
        """Revoke all rights on a new table from everyone but its owner, where there are such rights."""

    @property
    def ends_scratch(self) -> bool:
        """Whether scratch tables, views and types end with the engine: it opened the session that has them."""
        return False

    @property
    def unpurgeable(self) -> str | None:
        """Why `purge` cannot remove what a dropped table leaves in the database's files, if it cannot."""
        return None

    def lock(self, candidates: Sequence[exp.Table]) -> AbstractContextManager[None]:
        """Lock the first of these that is a table against writing while the block runs.

        Unless `writers_wait`, an engine that can prove that no row was written meanwhile locks only for the swap, which
        raises WrittenMeanwhileError if one was.
        Where there are transactions, the block is one. Raises InputError if the caller has one open, in
        which rows that others have committed may be invisible.
        """
        raise self._refused(NOT_IN_PLACE)

    def qualified(self, table: exp.Table) -> exp.Table:
        """Name a table with its schema, as the catalog writes them."""
        return table

    def dependents(self, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
        """Find what depends on a table, and what a release in place would do to it."""
        raise self._refused(NOT_IN_PLACE)

    def swap(self, swap: Swap) -> None:
        """Replace the rows of the raw table by the released ones, under its name."""
        raise self._refused(NOT_IN_PLACE)

    def purge(self) -> None:
        """Remove from the database's files what the swap has dropped; called after it."""

    def _refused(self, what: str) -> ReleaseError:
        return ReleaseError("release", [Fault("", f"{self._name} {what}")])

    @property
    def _name(self) -> str:
        return self.capabilities.name
