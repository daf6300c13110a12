"""Chooses the engine of a run by the connection that was passed, or by the name of the database.

The three engines of this package and those of other packages are values of `Connector`, with their addresses, the
connections that they accept, and how they open both. Another package registers its engine by an entry point of the
group `kanon_sql.engines`. The name of the entry point is the scheme of its addresses.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TypedDict

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines import capabilities
from kanon_sql.engines.base import Engine
from kanon_sql.engines.duckdb.session import open_duckdb, use_duckdb
from kanon_sql.engines.locations import ADDRESS, only_folders
from kanon_sql.engines.scratch import exclusive
from kanon_sql.errors import Fault, InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from importlib.metadata import EntryPoint

    from kanon_sql.engines.capabilities import Capabilities


@dataclass(frozen=True, slots=True)
class Connector:
    """How to connect to one engine.

    `opens` opens the database at an address; its last argument is whether to open it for writing. `uses` takes an open
    connection of one of the `libraries` (names of top-level packages), and leaves it open. Both yield an engine for a
    `with` block. `dialect` is duckdb, postgres or spark: that of policies' SQL and of the engine's words and templates.
    """

    capabilities: Capabilities
    dialect: str
    schemes: tuple[str, ...]
    libraries: frozenset[str]
    opens: Callable[[str, Settings, bool], AbstractContextManager[Engine]]
    uses: Callable[[object, Settings], AbstractContextManager[Engine]]


SIZE = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*[KMGT](?:i?B)?\s*", re.IGNORECASE)
"""A size of memory, as DuckDB reads it."""
GROUP = "kanon_sql.engines"
SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):", re.IGNORECASE)
"""The beginning of an address. A single letter before a colon is a drive, and does not match."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of a connection that kanon-sql opens. They do not change a connection that you pass.

    `scratch_schema` is where PostgreSQL creates scratch tables, for a role that may not create temporary ones.
    """

    threads: int | None = None
    memory_limit: str | None = None
    temp_directory: str | None = None
    scratch_schema: str | None = None


class _Limits(TypedDict):
    threads: int | None
    memory_limit: str | None
    temp_directory: str | None


LIBRARIES = {"postgres": {"psycopg"}, "spark": {"pyspark", "py4j"}}
"""The packages that each extra installs."""


@contextmanager
def _extra(name: str) -> Iterator[None]:
    """Raise MissingExtraError where the library of an engine is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in LIBRARIES[name]:
            raise
        raise MissingExtraError(name) from error


@contextmanager
def _open_duckdb(database: str, limits: Settings, writes: bool) -> Iterator[Engine]:  # noqa: FBT001  as any engine's
    with open_duckdb(database, read_only=not writes, **_duckdb_limits(limits)) as engine:
        yield engine


def _duckdb_limits(limits: Settings) -> _Limits:
    return {
        "threads": limits.threads,
        "memory_limit": limits.memory_limit,
        "temp_directory": limits.temp_directory,
    }


@contextmanager
def _use_duckdb(connection: object, limits: Settings) -> Iterator[Engine]:
    del limits
    with use_duckdb(connection) as engine:  # type: ignore[arg-type]
        yield engine


@contextmanager
def _open_postgres(database: str, limits: Settings, writes: bool) -> Iterator[Engine]:  # noqa: FBT001  as any engine's
    with _extra("postgres"):
        from kanon_sql.engines.postgres.engine import open_postgres  # noqa: PLC0415  an extra
    schema = limits.scratch_schema
    with open_postgres(database, read_only=not writes, scratch_schema=schema) as engine:
        yield engine


@contextmanager
def _use_postgres(connection: object, limits: Settings) -> Iterator[Engine]:
    with _extra("postgres"):
        from kanon_sql.engines.postgres.engine import use_postgres  # noqa: PLC0415  an extra
    with exclusive(connection), use_postgres(connection, limits.scratch_schema) as engine:  # type: ignore[arg-type]
        yield engine


@contextmanager
def _open_spark(database: str, limits: Settings, writes: bool) -> Iterator[Engine]:  # noqa: FBT001  as any engine's
    del limits, writes
    with _extra("spark"):
        from kanon_sql.engines.spark.engine import open_spark  # noqa: PLC0415  an extra
    with open_spark(database) as engine:
        yield engine


@contextmanager
def _use_spark(connection: object, limits: Settings) -> Iterator[Engine]:
    del limits
    with _extra("spark"):
        from kanon_sql.engines.spark.engine import use_spark  # noqa: PLC0415  an extra
    with use_spark(connection) as engine:  # type: ignore[arg-type]
        yield engine


DUCKDB = Connector(
    capabilities.DUCKDB, "duckdb", (), frozenset({"duckdb"}), _open_duckdb, _use_duckdb
)
POSTGRES = Connector(
    capabilities.POSTGRES,
    "postgres",
    ("postgresql://", "postgres://"),
    frozenset({"psycopg"}),
    _open_postgres,
    _use_postgres,
)
SPARK = Connector(
    capabilities.SPARK,
    "spark",
    ("spark:", "sc://"),
    frozenset({"pyspark"}),
    _open_spark,
    _use_spark,
)
OTHER_FORMS = re.compile(
    r"postgres(ql)?\+\w+://|\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=\s*\S",
    re.IGNORECASE,
)
OTHER_FORM = (
    "write an address of PostgreSQL as postgresql://user@host:5432/database; key=value goes behind a question mark "
    "(postgresql:///?service=NAME), and postgresql+psycopg:// is SQLAlchemy's alone"
)
OWN = (DUCKDB, SPARK, POSTGRES)
"""The engines of this package. A file is a database of the first."""


def connectors() -> tuple[Connector, ...]:
    """List all engines that are installed, our own first."""
    return (*OWN, *others())


def connector_of(database: str | None) -> Connector:
    """Return the connector of a named database. A file, or no name for memory, means DuckDB.

    Raises InputError for a PostgreSQL address as key=value or in SQLAlchemy's form, which its message does not repeat.
    """
    if database is not None and OTHER_FORMS.match(database):
        raise InputError("database", [Fault("", OTHER_FORM)])
    return (database is not None and named_by(database, OWN)) or DUCKDB


def is_address(database: str) -> bool:
    """Return whether a database is named by an address, and not by the path of a file."""
    return connector_of(database) is not DUCKDB


def dialect_of(database: str | None) -> str:
    """Return the SQL dialect of a named database, in which a policy writes queries. Opens nothing."""
    return connector_of(database).dialect


@contextmanager
def open_engine(
    connection: object | None,
    database: str | None,
    settings: Settings | None,
    *,
    writes: bool,
    attach: Mapping[str, str] | None = None,
) -> Iterator[Engine]:
    """Use the caller's connection, or open the named database; without a name, DuckDB in memory.

    Only a DuckDB that is opened here can `attach` other database files, by name, for reading. Raises
    InputError for settings that would be ignored.
    """
    limits = settings or Settings()
    _refuse_ignored(connection, database, limits, attach or {})
    if connection is not None:
        with _use(connection, limits) as engine:
            yield engine
    elif database is not None and (connector := connector_of(database)) is not DUCKDB:
        if only_folders():
            raise InputError("database", [Fault("", ADDRESS)])
        with connector.opens(database, limits, writes) as engine:
            yield engine
    else:
        with open_duckdb(
            database, read_only=not writes, attach=attach, **_duckdb_limits(limits)
        ) as duckdb:
            yield duckdb


def _refuse_ignored(
    connection: object | None, database: str | None, limits: Settings, attach: Mapping[str, str]
) -> None:
    faults = list(_limit_faults(limits))
    if connection is not None and attach:
        what = "is not for a connection handed in: attach the databases there, and leave this out"
        faults.append(Fault("attach", what))
    chosen = connector_of(database)
    if attach and chosen is not DUCKDB:
        faults.append(Fault("attach", "is for DuckDB, and the policy names another database"))
    of_postgres = chosen is POSTGRES
    if connection is not None:
        of_postgres = _library(connection) in POSTGRES.libraries
    if limits.scratch_schema is not None and not of_postgres:
        what = "is for PostgreSQL; other databases make no scratch tables that need a schema"
        faults.append(Fault("scratch_schema", what))
    if faults:
        raise InputError("settings", faults)


def _limit_faults(limits: Settings) -> Iterator[Fault]:
    """List invalid limits. DuckDB would take a negative size as no limit."""
    threads: object = limits.threads
    memory: object = limits.memory_limit
    if threads is not None and not (isinstance(threads, int) and threads >= 1):
        yield Fault("threads", "must be a whole number of at least 1")
    size = SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if memory is not None and (size is None or not float(size[1])):
        yield Fault("memory_limit", "is no size of memory; write it as 4GB or 500MB")
    for name in ("temp_directory", "scratch_schema"):
        if not isinstance(getattr(limits, name), str | None):
            yield Fault(name, "must be a text")


def _library(connection: object) -> str:
    return type(connection).__module__.partition(".")[0].lstrip("_")


@contextmanager
def _use(connection: object, limits: Settings) -> Iterator[Engine]:
    """Yield the engine of a connection, by the library of its class. An Engine is yielded unchanged."""
    if isinstance(connection, Engine):
        yield connection
        return
    library = _library(connection)
    connector = next((each for each in OWN if library in each.libraries), None)
    connector = connector or next((each for each in others() if library in each.libraries), None)
    if connector is None:
        known = ["DuckDB", "psycopg", *(each.capabilities.name for each in others())]
        what = f"a {type(connection).__name__} is none of {', '.join(known)} and a SparkSession"
        raise InputError("connection", [Fault("", what)])
    with connector.uses(connection, limits) as engine:
        yield engine


def hive_session(folder: str, settings: Mapping[str, object]) -> object:
    """Open a Spark session as dbt's adapter would, with its catalog in a folder."""
    with _extra("spark"):
        from kanon_sql.engines.spark.session import session_with_catalog  # noqa: PLC0415  an extra
    return session_with_catalog(folder, settings)


def named_by(database: str, own: tuple[Connector, ...]) -> Connector | None:
    """Return the connector of an address: one of our `own`, or the entry point with its scheme as name.

    None if there is neither. Raises InputError where several packages have such an entry point, or it does not load.
    """
    found = next((each for each in own if database.lower().startswith(each.schemes)), None)
    scheme = SCHEME.match(database)
    if found is not None or scheme is None:
        return found
    given = [each for each in _entry_points() if each.name.lower() == scheme[1].lower()]
    if len(given) > 1:
        packages = " and ".join(sorted(_package(each) for each in given))
        what = f"is the name of several engines, of {packages}; uninstall all but one"
        raise InputError("database", [Fault(scheme[1], what)])
    return _loaded(given[0]) if given else None


def others() -> Iterator[Connector]:
    """Yield the connectors of other packages. Raises InputError where one does not load."""
    yield from map(_loaded, _entry_points())


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    """List the entry points. Cached, because this reads the metadata of every installed package."""
    from importlib.metadata import entry_points  # noqa: PLC0415  few runs need it

    return tuple(sorted(entry_points(group=GROUP), key=lambda each: each.name))


def _loaded(given: EntryPoint) -> Connector:
    try:
        found = given.load()
    except Exception as error:
        what = f"of {_package(given)} cannot be loaded ({type(error).__name__})"
        raise InputError(GROUP, [Fault(given.name, what)]) from error
    if not isinstance(found, Connector):
        what = f"of {_package(given)} is no Connector of kanon_sql.engines.connect"
        raise InputError(GROUP, [Fault(given.name, what)])
    return found


def _package(given: EntryPoint) -> str:
    return given.dist.name if given.dist is not None else given.value
