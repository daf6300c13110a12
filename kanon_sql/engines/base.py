"""What kanon_sql asks of a database: a few small methods. Facts first, behaviour last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlglot import exp

    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.dependents import ColumnChanges, Dependent, Swap
    from kanon_sql.engines.journal import Journal
    from kanon_sql.policy.locations import Destination
    from kanon_sql.source.table_formats import TableFormat
    from kanon_sql.sql.templates import Statement

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
"""The names that the databases have for one kind of type."""
QUOTED = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'")
TAGGED = re.compile(r"\bUNION\(|\bVARIANT\b|(?:^|[<:,])variant(?=$|[,>])")
"""The types whose values have types of their own, as DuckDB and as Spark write them."""
LOST_IN_PARQUET = re.compile(
    r"\bu?hugeint\b|\bunion\(|\binterval\b|\btime with time zone\b", re.IGNORECASE
)
"""The types that DuckDB writes to Parquet as others, and with other values: it does not say so."""


@dataclass(frozen=True, slots=True)
class ColumnType:
    """One column of a table as the database declares it.

    The type of an `enum` lists its values; one that is `collated` holds texts equal that a reader
    tells apart, which is said only where it was asked for.
    """

    name: str
    type: str
    enum: bool = False
    collated: bool = False

    @property
    def family(self) -> Family:
        """Tell what the type holds, whatever the database calls it."""
        folded = self.type.lower()
        return next((kind for kind, names in FAMILIES.items() if names.fullmatch(folded)), "other")

    @property
    def nested(self) -> bool:
        """Whether it is an array, a map or a struct of Spark, whose own text is not one value's alone."""
        return self.type.lower().startswith(("array<", "map<", "struct<"))

    @property
    def tagged(self) -> bool:
        """Whether its values have types of their own: UNION or VARIANT, alone or within another type.

        A reader sees them (1 and '1' are two values there), and no text of a value shows them.
        """
        return TAGGED.search(QUOTED.sub("", self.type)) is not None

    @property
    def lost_in_parquet(self) -> str | None:
        """Name the type that Parquet would hold otherwise, alone or within another type."""
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

    A column that not all hold alike, a key of their partitions, files that lie hidden, or that
    the engine would leave out.
    """

    kind: Literal["column", "partition", "hidden", "stray"]
    name: str | None
    files: int
    all_files: int
    types: Sequence[str] = ()
    spellings: int = 1

    @property
    def widest(self) -> str | None:
        """Give the type that all files can be read as."""
        return widest(self.types)


@dataclass(frozen=True, slots=True)
class Survey:
    """What the footers of a source's files say.

    `columns` are all of them with their types, for an engine that does not widen types by itself.
    """

    drifts: Sequence[Drift]
    columns: tuple[tuple[str, str], ...] = ()


WIDER = (("TINYINT", "SMALLINT", "INT", "BIGINT"), ("FLOAT", "DOUBLE"))
"""Types that every engine reads as any that stands after it, and loses nothing."""
DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def widest(types: Collection[str]) -> str | None:
    """Give the type as which every engine reads the others, and loses nothing; None if there is none.

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
"""What stands in a folder of a store as long as its other files are being moved there."""


class Store(Protocol):
    """Files that are not on this machine's disk; every failure is a StatementError."""

    def exists(self, path: str) -> bool: ...

    def move(self, origin: str, target: str) -> None:
        """Give a file or folder another name, where nothing is."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file or folder, if it is there."""
        ...

    def spelt(self, path: str) -> str:
        """Give an address of this store in the one spelling that it has; others as they are."""
        ...

    def names(self, folder: str) -> list[tuple[str, float]]:
        """Name what is directly in a folder, each with the seconds since it was last written."""
        ...


class ElsewhereError(Exception):
    """Files of this machine are out of the engine's reach."""


class Engine(Protocol):
    """A connection to one database.

    `prepare` renders a statement that will be said many times; `ask` and `say` take either form.
    Every failure is raised as StatementError, without the database's words.
    """

    @property
    def dialect(self) -> str:
        """The folder of templates and the sqlglot dialect this database speaks."""
        ...

    @property
    def facts(self) -> Capabilities: ...

    @property
    def scratch_schema(self) -> str | None:
        """Where scratch tables are made; None for the session's own."""
        ...

    @property
    def version(self) -> str:
        """Name and version, for plans and certificates."""
        ...

    @property
    def journal(self) -> Journal: ...

    def prepare(self, statement: Statement) -> PreparedStatement: ...

    def fetch(
        self, statement: Statement | PreparedStatement, params: Sequence[object] = ()
    ) -> list[Row]:
        """Run a statement whose result is small by construction, and give its rows."""
        ...

    def fetch_many(
        self, asked: Sequence[tuple[PreparedStatement, Sequence[object]]]
    ) -> list[list[Row]]:
        """Ask several statements with what each binds; side by side where that is faster."""
        ...

    def execute(self, statement: Statement, params: Sequence[object] = ()) -> None:
        """Run a statement for its effect."""
        ...

    def load(self, table: exp.Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Make a scratch table of texts from rows at hand: a hierarchy, or nodes, never a source."""
        ...

    def adopt(self, table: exp.Table, frame: object) -> bool:
        """Let statements see a frame of the caller under a name; whether that is a view."""
        ...

    def relation(self, table: exp.Table, columns: Sequence[str]) -> object:
        """Give columns of a table lazily, as what the caller of this engine fetches from."""
        ...

    def write(self, table: exp.Table, columns: Sequence[str], out: Destination, path: str) -> None:
        """Write columns of a table to a path where nothing is."""
        ...

    def keep(self, table: exp.Table, columns: Sequence[str], path: str) -> None:
        """Write columns of a scratch table to a path of this machine, where nothing is, for `recall`.

        Raises ElsewhereError where the engine's files are not this machine's.
        """
        ...

    def recall(self, table: exp.Table, like: exp.Table, path: str) -> bool:
        """Let statements see what was kept, with the types of another table; whether that is a view."""
        ...

    def reach(self, path: str) -> None:
        """Make files at an address readable; raises SourceError and MissingExtraError."""
        ...

    def store(self, path: str) -> Store | None:
        """Give what holds the files of a path, if it is another than this machine's disk.

        Raises SourceError where it cannot be reached, and MissingExtraError.
        """
        ...

    def hold_key(self, name: str, pad: bytes) -> None:
        """Keep a padded key in the session, in no statement's text."""
        ...

    def forget_key(self, name: str) -> None: ...

    def survey_files(self, pattern: str, base: str, depth: int) -> Survey:
        """Hold the Parquet files of a pattern against each other, before any is read.

        Folders below `base`, which has `depth` parts, may be partitions.
        """
        ...

    def marked(self, folder: str, formats: Sequence[TableFormat]) -> list[str]:
        """Give paths of what may be marks of table formats in folders at an address, a pattern.

        `/**` at its end stands for all folders below.
        """
        ...

    def columns(self, table: exp.Table) -> list[ColumnType]:
        """Describe a table; raises StatementError where there is none."""
        ...

    def collated(self, table: exp.Table, columns: Sequence[ColumnType]) -> set[str]:
        """Name those of the columns that hold texts equal whose bytes differ."""
        ...

    def locate(self, table: exp.Table) -> list[Located]:
        """Find what a name stands for; empty where there is nothing, and never an error."""
        ...

    def noted(self, schema: str | None, catalog: str | None = None) -> list[tuple[exp.Table, str]]:
        """Name tables of a schema, or of the one in use, that may be dropped, with their comments.

        All that a run has made for a view are among them.
        """
        ...

    def unfinished(self, schema: str | None) -> list[tuple[exp.Table, str]]:
        """Name what a killed release in place left, which only its table's owner can judge, and why."""
        ...

    def views(self, schema: str | None) -> list[str]:
        """Give the texts of all views that may read tables of a schema, or of the one in use."""
        ...

    def bound_to(self, view: exp.Table) -> str | None:
        """Name the catalog that a view cannot read beyond, in another session; None for no bound."""
        ...

    def view_text(self, found: Located) -> str | None:
        """Give the text of a view; None where it cannot be told."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Let what is said within happen whole or not at all, if the database has transactions.

        In a transaction of the caller it becomes a part of that.
        """
        ...

    def own_functions(self) -> AbstractContextManager[None]:
        """Let names of functions be the database's own, for as long as the block runs.

        Whoever made a table could have made a function too, by which its classes look larger.
        """
        ...

    def drop(self, table: exp.Table, *, view: bool) -> None:
        """Drop a scratch table or view, whatever state it is in."""
        ...

    def keep_private(self, table: exp.Table) -> None:
        """Take all rights on a new table from everyone but its owner, where there are such rights."""
        ...

    @property
    def unpurgeable(self) -> str | None:
        """Why `purge` cannot remove what a dropped table leaves in the database's files, if it cannot."""
        ...

    def hold(self, candidates: Sequence[exp.Table]) -> AbstractContextManager[None]:
        """Let nobody else write to the first of these that is a table, for as long as the block runs.

        Where there are transactions, the block is one; InputError says if the caller has one open,
        in which rows that others have committed may not be seen.
        """
        ...

    def pin(self, table: exp.Table) -> exp.Table:
        """Name a table with its schema, as the catalog writes them."""
        ...

    def ties(self, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
        """Find what hangs on a table, and what a release in place would do to it."""
        ...

    def swap(self, swap: Swap) -> None:
        """Put the released rows under the name of the raw table."""
        ...

    def purge(self) -> None:
        """Remove from the files of the database what the swap has dropped; after its end."""
        ...


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement rendered once, to be said with many bindings."""

    step: str
    text: str
    scans: int = 0
    makes: exp.Table | None = None

    @classmethod
    def of(cls, statement: Statement, dialect: str) -> PreparedStatement:
        """Render a statement for a dialect."""
        text, makes = statement.rendered(dialect)
        return cls(statement.step, text, statement.scans, makes)
