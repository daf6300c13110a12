"""Rows of scratch tables that the cluster computes once and keeps, safe from the loss of an executor.

With a checkpoint folder the rows are files, which outlive executors. Without one, each row is on two executors, of
which one may be lost. Spark computes the rows of a lost task again, and has to get the same rows. Therefore no
statement that creates such a table distributes rows by a random number.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pyspark import StorageLevel

from kanon_sql.engines.spark.hadoop import Hadoop
from kanon_sql.engines.spark.session import REFUSED, setting
from kanon_sql.errors import StatementError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
