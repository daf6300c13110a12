"""Rows of scratch tables that the cluster computes once and keeps, and what becomes of them when an executor is lost.

With a checkpoint folder they are files, which no executor can lose. Without one, each is on two executors, of which one
may be lost. What a lost task had computed is computed again by Spark; that this gives the same rows is why no statement
that makes such a table distributes them by a random number.
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
"""What Spark says when a stage fails because executors were lost."""


class KeptRows:
    """Keeps the rows of scratch tables, and removes their files when these are dropped."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._classic = hasattr(session, "_jvm")
        self._files: dict[str, str] = {}

    @property
    def reliable(self) -> bool:
        """Whether there is a folder for them: in the settings, or set in this process."""
        if self._classic and self._session.sparkContext.getCheckpointDir():
            return True
        return bool(setting(self._session, FOLDER))

    @property
    def _alone(self) -> bool:
        """Whether the driver is the only executor: what would be lost with it, the run would too."""
        master = setting(self._session, "spark.master") or ""
        return master.startswith("local") and not master.startswith("local-cluster")

    def keep(self, name: str, frame: DataFrame) -> DataFrame:
        """Return the rows of a frame, computed when first read, or at once where they become files."""
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
        """Return the rows of a frame, computed when first read and then kept by two executors, if there are several."""
        level = None if self._alone else StorageLevel.MEMORY_AND_DISK_2
        return frame.localCheckpoint(eager=False, storageLevel=level)

    def remove(self, name: str) -> None:
        """Remove the files of a table; those of a Connect session are the server's to clean."""
        if (path := self._files.pop(name, None)) is not None:
            with suppress(StatementError):
                Hadoop(self._session).remove(path)

    def remedy(self) -> str:
        """Return what would make the loss of an executor a retry of its tasks."""
        if self.reliable:
            return "does the cluster have enough executors, and they enough memory?"
        return f"with {FOLDER} set to a folder that all of them reach, a loss costs a retry of tasks, not the run"


def is_loss(error: BaseException) -> bool:
    """Whether a statement failed because executors, or the whole cluster, were lost."""
    text = str(error)
    return isinstance(error, REFUSED) and any(each in text for each in LOST)
