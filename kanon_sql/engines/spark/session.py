"""Spark sessions: their settings during runs, the sessions that kanon-sql opens, and releases in place.

The catalog renames one table at a time. Meanwhile their names are the source's name with an ending, so that the
next run recognizes the tables of a killed run and restores them.
"""

from __future__ import annotations

import re
import signal
import threading
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines import in_place_sql
from kanon_sql.engines.commands_sql import OF_SPARK, command, drop_table
from kanon_sql.engines.in_place_sql import ColumnChanges, Dependent, Swap
from kanon_sql.errors import (
    Fault,
    MissingExtraError,
    SourceError,
    StatementError,
    VerificationError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import SparkSession
    from sqlglot import exp

    from kanon_sql.engines.base import Engine


try:
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
except ModuleNotFoundError:  # pyspark-client, which speaks Connect alone, has no bridge to Java
    Py4JError = PySparkException

REFUSED = (PySparkException, Py4JError)
"""The errors that Spark raises."""

CAUSES = (
    (
        r"java\.lang\.OutOfMemoryError|SparkOutOfMemoryError|UNABLE_TO_ACQUIRE_MEMORY",
        "Spark ran out of memory. Raise spark.driver.memory and spark.executor.memory, or use more partitions",
    ),
    (
        r"spark\.driver\.maxResultSize",
        "a result is larger than spark.driver.maxResultSize. Raise it",
    ),
    (
        r"No space left on device",
        "a disk is full, of the release or of spark.local.dir. Make room there",
    ),
    (
        r"Read-only file system|AccessControlException|AccessDeniedException",
        "Spark may not write there: the file system is read-only, or the user has no right",
    ),
    (
        r"OPERATION_CANCELED|\bJob \d+ cancelled|cancelled part of cancelled job group|\[SQL_CANCELED\]",
        "the job was cancelled. Run it again",
    ),
)
"""Patterns of Spark's messages that hold no data, each with its meaning and what to do."""


def meaning_of(error: BaseException) -> str | None:
    """Return the cause of an error in our words, if Spark's message has a known pattern; else None."""
    text = str(error)
    return next((meaning for sign, meaning in CAUSES if re.search(sign, text)), None)


class Tags(NamedTuple):
    """What tags the jobs that a thread starts, and what any thread cancels the jobs with a tag by."""

    add: Callable[[str], object]
    remove: Callable[[str], object]
    interrupt: Callable[[str], object]


def tags_of(session: SparkSession) -> Tags:
    """Return the tags of a session.

    A classic session interrupts only what the calling thread has tagged, and says nothing of it. Its context cancels
    whatever has the tag.
    """
    if hasattr(session, "_jvm"):
        context = session.sparkContext
        return Tags(context.addJobTag, context.removeJobTag, context.cancelJobsWithTag)
    return Tags(session.addTag, session.removeTag, session.interruptTag)


SETTINGS = OF_SPARK
"""Settings of a run, which are restored at its end."""

PATIENCE = 30
"""Seconds that a Connect server may take to answer."""


@dataclass
class SessionUse:
    """The number of runs that use a session now, and its own settings, which the last run restores."""

    runs: int = 0
    before: dict[str, str | None] = field(default_factory=dict)


_USES: WeakKeyDictionary[SparkSession, SessionUse] = WeakKeyDictionary()
_USES_LOCK = Lock()


@contextmanager
def with_settings(session: SparkSession) -> Iterator[None]:
    """Change the settings that our statements rely on. The session's own are restored whatever happens.

    Threads share a session, so its settings stay changed until the last run has ended. Raises SourceError.
    """
    with _USES_LOCK:
        use = _USES.setdefault(session, SessionUse())
        use.runs += 1
        faults = list(_change(session, use.before)) if use.runs == 1 else []
    try:
        if faults:
            raise SourceError("settings", faults)
        yield
    finally:
        with _USES_LOCK:
            use.runs -= 1
            if use.runs == 0:
                _put_back(session, use.before)


def _change(session: SparkSession, before: dict[str, str | None]) -> Iterator[Fault]:
    """Change settings that differ, and record the old values in `before`. Yields a fault per refusal."""
    for key, value in SETTINGS.items():
        if setting(session, key) not in (value, None):
            old = session.conf.get(key, None)
            try:
                session.conf.set(key, value)
                before[key] = old
            except REFUSED:
                yield Fault(key, f"must be {value}, and the session cannot change it")


def _put_back(session: SparkSession, before: dict[str, str | None]) -> None:
    while before:
        key, old = before.popitem()
        with suppress(*REFUSED):  # a session that is gone has no settings; its error is raised
            if old is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, old)


def setting(session: SparkSession, key: str) -> str | None:
    """Return the value of a setting, perhaps its default; None where the server has no such setting."""
    try:
        return session.conf.get(key)
    except REFUSED:
        return None


def open_session(address: str) -> SparkSession:
    """Start a session. Raises SourceError where that fails, and MissingExtraError without the library."""
    try:
        return _connected(address) if address.startswith("sc://") else _started(address)
    except ImportError as error:
        raise MissingExtraError("spark") from error
    except (*REFUSED, RuntimeError) as error:
        what = f"Spark cannot be reached ({type(error).__name__})"
        raise SourceError("database", [Fault("", what)]) from None


def _started(address: str) -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415  it takes seconds

    if SparkSession.getActiveSession() is not None:
        what = "a Spark session is open in this process already; hand it in as the connection"
        raise SourceError("database", [Fault("", what)])
    master = address if address.startswith("spark://") else address.removeprefix("spark:")
    builder = SparkSession.builder.appName("kanon-sql").master(master)
    for key in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(key, "false")
    handler = signal.getsignal(signal.SIGINT)
    session = builder.getOrCreate()
    if threading.current_thread() is threading.main_thread():
        signal.signal(
            signal.SIGINT, handler
        )  # Spark's handler would end a search that keeps the best found
    session.sparkContext.setLogLevel("OFF")  # its log quotes data
    return session


def _connected(address: str) -> SparkSession:
    import grpc  # type: ignore[import-untyped]  # noqa: PLC0415  what only Connect needs
    from pyspark.sql import SparkSession  # noqa: PLC0415
    from pyspark.sql.connect.client import DefaultChannelBuilder  # noqa: PLC0415

    # A session would try for ten minutes to reach a server that does not exist.
    with DefaultChannelBuilder(address).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=PATIENCE)
        except grpc.FutureTimeoutError:
            what = f"no Spark Connect server answers there within {PATIENCE} s"
            raise SourceError("database", [Fault("", what)]) from None
    return SparkSession.builder.remote(address).create()


def session_with_catalog(folder: str, settings: Mapping[str, object]) -> SparkSession:
    """Start a session with a Hive catalog in a folder, unless the settings name another."""
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  the extra
    except ImportError as error:
        raise MissingExtraError("spark") from error
    place = Path(folder).absolute()
    own = {
        "spark.sql.warehouse.dir": f"{place}/spark-warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={place}/metastore_db;create=true"
        ),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.enableHiveSupport()
    for key, value in {**own, **settings}.items():
        builder = builder.config(key, str(value))
    try:
        session = builder.getOrCreate()
    except (*REFUSED, RuntimeError) as error:
        what = f"Spark cannot be reached ({type(error).__name__})"
        raise SourceError("spark", [Fault("database", what)]) from error
    session.sparkContext.setLogLevel("OFF")  # its log quotes data
    return session


RELEASE, ORIGINAL = "__kanon_release", "__kanon_original"
TESTED = frozenset({"parquet", "orc"})
OURS = ("spark.sql.", "transient_lastDdlTime")


def next_to(table: exp.Table, ending: str) -> exp.Table:
    """Return the name of the temporary table next to another: that one's name with an ending."""
    return named(f"{table.name}{ending}", schema=table.db or None, catalog=table.catalog or None)


def restore(engine: Engine, table: exp.Table) -> None:
    """Restore the tables of a killed run: the original gets its name back, and the unfinished release is dropped."""
    created, aside = next_to(table, RELEASE), next_to(table, ORIGINAL)
    if not engine.locate(created):
        return
    if engine.locate(aside) and not engine.locate(table):
        engine.execute(command("rename_table", aside, table))
    engine.execute(drop_table(created))


def leftovers(names: list[str]) -> list[tuple[str, str]]:
    """Recognize the tables of a killed run by their names, with what to do about each.

    >>> leftovers(["a__kanon_release", "a__kanon_original", "b", "b__kanon_original"])[2:]
    [('b__kanon_original', 'holds the raw rows of b, whose release stands; drop it, or rename it')]
    """
    found = []
    for name in names:
        own = name.removesuffix(RELEASE).removesuffix(ORIGINAL)
        if f"{own}{RELEASE}" in names and name != own:
            why = f"of a release of {own} in place that did not end; the next one puts it right"
            found.append((name, why))
        elif name.endswith(ORIGINAL):
            why = f"holds the raw rows of {own}, whose release stands; drop it, or rename it"
            found.append((name, why))
    return found


def _described(engine: Engine, table: exp.Table) -> tuple[dict[str, str], dict[str, str]]:
    """Return the details of a table as Spark describes them, and the comments of its columns."""
    rows = [
        [str(cell or "") for cell in row]
        for row in engine.fetch(command("describe_extended", table))
    ]
    names = [row[0] for row in rows]
    first = next(
        (at for at, name in enumerate(names) if not name or name.startswith("# ")), len(rows)
    )
    start = (
        names.index("# Detailed Table Information")
        if "# Detailed Table Information" in names
        else 0
    )
    comments = {row[0]: row[2] for row in rows[:first] if row[2]}
    details = {row[0]: row[1] for row in rows[start:]}
    if "# Column Default Values" in names:
        details["defaults"] = "yes"
    return details, comments


def _partitions(engine: Engine, table: exp.Table) -> list[str]:
    names = [str(row[0]) for row in engine.fetch(command("describe_extended", table))]
    if "# Partition Information" not in names:
        return []
    after = names[names.index("# Partition Information") + 2 :]
    return after[: next((at for at, name in enumerate(after) if not name), len(after))]


def dependents(engine: Engine, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
    """Find what depends on a table. Views do not count: they refer to it by name, and show the release."""
    found = []
    if any(each.kind == "view" for each in engine.locate(table)):
        what = "is not a plain table; only those are released in place"
        return [Dependent("its kind", what, barred=True)]
    details, _ = _described(engine, table)
    provider = details.get("Provider", "").lower()
    if details.get("Type") != "MANAGED" or provider not in TESTED:
        kinds = " and ".join(sorted(TESTED))
        what = f"only managed tables of {kinds} are released in place on Spark; others keep files or versions of the raw rows"
        found.append(Dependent("its kind", what, barred=True))
    if engine.locate(next_to(table, ORIGINAL)):
        what = "holds the raw rows of a run that was killed after its release stood; drop it, or rename it"
        found.append(Dependent(f"table {table.name}{ORIGINAL}", what, barred=True))
    if changes.lose(_partitions(engine, table)):
        found.append(Dependent("partitions", "are by a column that goes; the release has fewer"))
    if details.get("Num Buckets", "0") not in {"0", "-1", ""}:
        found.append(Dependent("buckets", "are not taken over"))
    if "defaults" in details:
        found.append(Dependent("defaults", "of columns are not taken over"))
    return found


def swap(engine: Engine, swap: Swap) -> None:
    """Create the release next to the table, count it, and exchange the names."""
    table = swap.table
    created, aside = next_to(table, RELEASE), next_to(table, ORIGINAL)
    details, comments = _described(engine, table)
    parts = [name for name in _partitions(engine, table) if name in swap.columns]
    listed = engine.fetch(command("table_properties", table))
    properties = {str(k): str(v) for k, v in listed if not str(k).startswith(OURS)}
    properties.pop("comment", None)
    in_order = [*(name for name in swap.columns if name not in parts), *parts]
    types = {column.name: column.type for column in engine.columns(swap.staged)}
    statement = in_place_sql.create_replacement(
        created,
        [(name, types[name], comments.get(name)) for name in in_order],
        provider=details["Provider"],
        partitions=parts,
        comment=details.get("Comment") or None,
        settings=properties,
    )
    engine.execute(statement)
    engine.execute(in_place_sql.insert_rows(created, in_order, swap.staged))
    swap.recount(engine, created)
    engine.execute(command("uncache", table))
    engine.execute(command("rename_table", table, aside))
    engine.execute(command("rename_table", created, table))
    try:
        swap.recount(engine, table)  # a rename in some catalogs can lose the table's files
        if swap.kept is not None:
            engine.execute(command("rename_table", aside, swap.kept))
    except (StatementError, VerificationError):
        engine.execute(command("rename_table", table, created))
        engine.execute(command("rename_table", aside, table))
        raise
    if swap.kept is None:
        engine.execute(command("purge_table", aside))
