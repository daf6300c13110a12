"""Files of Spark's cluster, found, moved and removed by Hadoop's client in the driver."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]

from kanon_sql.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


class Hadoop:
    """A file system of Hadoop. HDFS renames a folder at once; an object store copies each file of it."""

    def __init__(self, session: SparkSession) -> None:
        self._jvm: Any = session._jvm  # noqa: SLF001  the one way to Hadoop's client
        self._settings = session.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001

    @property
    def is_disk(self) -> bool:
        """Whether a path without a scheme is on this machine's disk."""
        return str(self._settings.get("fs.defaultFS")).startswith("file:")

    def _at(self, path: str) -> tuple[Any, Any]:
        there = self._jvm.org.apache.hadoop.fs.Path(path)
        return there.getFileSystem(self._settings), there

    def exists(self, path: str) -> bool:
        with _refusing("look up"):
            files, there = self._at(path)
            return bool(files.exists(there))

    def move(self, origin: str, target: str) -> None:
        """Rename a file or folder. The folder of the target must exist."""
        with _refusing("move"):
            files, there = self._at(origin)
            if not files.rename(there, self._at(target)[1]):
                raise StatementError("move", "", FileExistsError())

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that is below it."""
        with _refusing("remove"):
            files, there = self._at(path)
            files.delete(there, True)  # noqa: FBT003  Java has no names of arguments

    def remove_empty(self, folder: str) -> None:
        """Remove an empty folder. Raises StatementError if the folder is not empty."""
        with _refusing("remove"):
            files, there = self._at(folder)
            files.delete(there, False)  # noqa: FBT003  as above

    def spelt(self, path: str) -> str:
        """Qualify an address or path with its file system. One that Hadoop cannot read is returned unchanged."""
        try:
            files, there = self._at(path)
            return str(files.makeQualified(there).toString())
        except Py4JError:
            return path

    def matches(self, pattern: str) -> list[str]:
        """List the paths that a pattern matches, including hidden files, which Spark would not list."""
        with _refusing("list"):
            files, there = self._at(pattern)
            return [str(each.getPath().toString()) for each in files.globStatus(there) or ()]

    def names(self, folder: str) -> list[tuple[str, float]]:
        """List a folder: each entry's name, with the seconds since it was last written."""
        with _refusing("list"):
            files, there = self._at(folder)
            if not files.exists(there):
                return []
            now = time.time()
            return [
                (str(each.getPath().getName()), now - each.getModificationTime() / 1000)
                for each in files.listStatus(there)
            ]


@contextmanager
def _refusing(step: str) -> Iterator[None]:
    try:
        yield
    except Py4JError as error:
        raise StatementError(step, "", error) from None
