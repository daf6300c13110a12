"""Scratch tables of Spark that are kept: within a run from the loss of an executor, and for a later run to resume it.

For a later run, tables that cost a pass over the source are kept in the cluster's checkpoint folder: values of columns,
and tuples with their counts. Each is a folder of Parquet files:

    CHECKPOINTS/kanon-sql/RUNS/RUN/TABLE_PROOF

RUNS is a keyed hash of policy, version and source, TABLE a hash of the statement and of the tables that it reads, and
PROOF a keyed hash of the rows. So a table is found by its inputs, and used only if its rows are those that were
written. A folder gets its name once it is complete. An object store, which copies file by file, may show an incomplete
folder under that name, but the rows read from it do not have the hash PROOF.

No run knows whether another run is dead. So these tables are spare copies. Only a resuming run reads them, and it
copies a table first and then checks the copy. Therefore the removal of a folder, at any moment, costs other runs at
most the work of making a table again.

Within a run, rows are computed once. With a checkpoint folder they are files, which outlive executors. Without one,
each row is on two executors, of which one may be lost. Spark computes the rows of a lost task again, and has to get the
same rows. Therefore no statement that creates such a table distributes rows by a random number.
"""

from __future__ import annotations

import glob
import hashlib
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from pyspark import StorageLevel

from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.base import KeptCount
from kanon_sql.engines.scratch import PREFIX, run_mark
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.spark.cluster_files import Hadoop
from kanon_sql.engines.spark.session import REFUSED, setting
from kanon_sql.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

    from kanon_sql.engines.base import Hashes, PreparedStatement


KEPT = frozenset({"domain", "all_domains", "domain_codes", "frequency_set", "lined_tuples"})
"""Templates whose tables are kept. Each reads all rows of the source."""
OURS = "kanon-sql"
UNFINISHED = "unfinished"
OF_RUN = re.compile(r"_kanon_[0-9a-f]{14}_")
"""The beginning of a scratch table's name, which differs from run to run."""
FOLDER = "spark.checkpoint.dir"
LOST = (
    "Checkpoint block",
    "ExecutorLostFailure",
    "Could not find block",
    "Failed to get block",
    "FetchFailed",
    "MetadataFetchFailedException",
    "heartbeat timed out",
    "SparkContext was shut down",
    "stopped SparkContext",
    "Master removed our application",
)
"""Words in Spark's messages for a stage that failed because executors were lost."""


class KeptTables:
    """The kept tables of one run and, if it `goes_on`, of killed runs of the same `origin`.

    The origin is a text of all that determines the rows of these tables, except for the statements.
    """

    def __init__(
        self,
        session: SparkSession,
        origin: str,
        key: Hashes,
        *,
        goes_on: bool,
    ) -> None:
        self._session = session
        self._files = Hadoop(session)
        self._key = key
        self._run = run_mark()
        runs = key.hash(f"kept of {origin}").rpartition(":")[2]
        self._runs = f"{folder_of(session)}/{OURS}/{runs}"
        self._own = f"{self._runs}/{self._run}"
        self._earlier = self._names(self._runs) if goes_on else []
        self.count = KeptCount()

    def _names(self, folder: str) -> list[str]:
        """List the names in a folder, the most recently written first."""
        with suppress(StatementError):
            return [name for name, _ in sorted(self._files.names(folder), key=lambda each: each[1])]
        return []

    def digest(
        self,
        ready: PreparedStatement,
        params: Sequence[object],
        name: str,
        contents: Callable[[exp.Table], str],
    ) -> str | None:
        """Hash a statement and the contents of the tables that it reads; None if its table is not kept."""
        if name not in KEPT or ready.makes is None or ready.reads is None:
            return None
        text = OF_RUN.sub("_kanon_", ready.text)
        parts = [text, list(map(str, params)), [contents(each) for each in ready.reads]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def find(
        self,
        digest: str,
        copied: Callable[[DataFrame], DataFrame],
        forget: Callable[[], None],
    ) -> DataFrame | None:
        """Return a copy of an earlier run's table, if its rows are unchanged; `forget` copies with other rows."""
        for run in self._earlier:
            folder = f"{self._runs}/{run}"
            for name in self._names(folder):
                of, _, proof = name.partition("_")
                if of != digest:
                    continue
                with suppress(*REFUSED, StatementError):
                    found = copied(self._read(f"{folder}/{name}"))
                    if self._proof(digest, found) == proof:
                        self.count.found += 1
                        return found
                forget()
                self.count.changed += 1
        return None

    def spare(self, digest: str, frame: DataFrame) -> None:
        """Write a copy of a table for a later run. If that fails, this run goes on: it uses its own rows."""
        beside = f"{self._own}/{UNFINISHED}_{digest}"
        place = f"{self._own}/{digest}_{self._proof(digest, frame)}"
        with suppress(*REFUSED, StatementError):  # another run may remove it meanwhile
            frame.write.mode("overwrite").parquet(beside)
            self._files.move(beside, place)
            self.count.kept += 1

    def _read(self, path: str) -> DataFrame:
        return self._session.read.parquet(source_sql.hadoop_path(glob.escape(path)))

    def _proof(self, digest: str, frame: DataFrame) -> str:
        """Hash the rows, regardless of their order, under the key of the user's plans."""
        view = table(f"{PREFIX}{self._run}_proof")
        frame.createOrReplaceTempView(view.name)
        hashed = source_sql.hash_rows(view, frame.columns, rows=0)
        ((rows, found),) = self._session.sql(hashed.render("spark")).collect()
        self._session.catalog.dropTempView(view.name)
        return self._key.hash(f"kept {digest}: {rows} rows: {found}").rpartition(":")[2]

    def end(self, *, failed: bool, lost: bool) -> None:
        """Remove this run's kept tables unless its cluster was `lost`, and earlier ones unless it `failed`."""
        gone = [] if lost else [self._own]
        gone += [] if failed else [f"{self._runs}/{run}" for run in self._earlier]
        for path in gone:
            with suppress(StatementError):
                self._files.remove(path)
        with suppress(StatementError):
            if not lost:
                self._files.remove_empty(self._runs)


def folder_of(session: SparkSession) -> str | None:
    """Return the checkpoint folder, which outlives the session; None if this process can reach none."""
    if not hasattr(session, "_jvm"):
        return None
    if text := setting(session, FOLDER):
        return text.rstrip("/")
    own = (
        session.sparkContext.getCheckpointDir()
    )  # below the folder that was set, one of this session
    return None if own is None else str(own).rstrip("/").rpartition("/")[0]


def left_tables(session: SparkSession) -> Iterator[tuple[str, float]]:
    """List the folders of runs that may have been killed, with the seconds since each was last changed."""
    if (folder := folder_of(session)) is None:
        return
    files = Hadoop(session)
    with suppress(StatementError):
        for runs, _ in files.names(f"{folder}/{OURS}"):
            for run, age in files.names(f"{folder}/{OURS}/{runs}"):
                yield f"{folder}/{OURS}/{runs}/{run}", age


class KeptRows:
    """Keeps the rows of scratch tables, and removes their files when the tables are dropped."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._classic = hasattr(session, "_jvm")
        self._files: dict[str, str] = {}

    @property
    def reliable(self) -> bool:
        """Whether a checkpoint folder is set: in the session's settings, or in this process."""
        if self._classic and self._session.sparkContext.getCheckpointDir():
            return True
        return bool(setting(self._session, FOLDER))

    @property
    def _alone(self) -> bool:
        """Whether the driver is the only executor. Its loss ends the run, so a second copy of rows is useless."""
        master = setting(self._session, "spark.master") or ""
        return master.startswith("local") and not master.startswith("local-cluster")

    def keep(self, name: str, frame: DataFrame) -> DataFrame:
        """Return a frame of the kept rows, computed now if they become files, else when they are first read."""
        if not self.reliable:
            return self.replicated(frame)
        frame.persist(StorageLevel.MEMORY_AND_DISK)  # else they would be computed twice
        try:
            kept = frame.checkpoint(eager=True)
        finally:
            frame.unpersist()
        if self._classic:
            rdd = kept._jdf.queryExecution().logical().rdd()  # noqa: SLF001  nothing public names the files
            if (path := rdd.getCheckpointFile()).isDefined():
                self._files[name] = str(path.get())
        return kept

    def replicated(self, frame: DataFrame) -> DataFrame:
        """Return a frame whose rows are computed when first read, and then kept by up to two executors."""
        level = None if self._alone else StorageLevel.MEMORY_AND_DISK_2
        return frame.localCheckpoint(eager=False, storageLevel=level)

    def remove(self, name: str) -> None:
        """Remove the files of a table. Files of a Connect session are left to the server."""
        if (path := self._files.pop(name, None)) is not None:
            with suppress(StatementError):
                Hadoop(self._session).remove(path)

    def remedy(self) -> str:
        """Return advice, for a message, by which a lost executor would cost only a retry of tasks."""
        if self.reliable:
            return "does the cluster have enough executors, and they enough memory?"
        return f"with {FOLDER} set to a folder that all of them reach, a loss costs a retry of tasks, not the run"


def is_loss(error: BaseException) -> bool:
    """Whether a statement failed because executors, or the whole cluster, were lost."""
    text = str(error)
    return isinstance(error, REFUSED) and any(each in text for each in LOST)
