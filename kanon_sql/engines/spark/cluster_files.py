"""Files of Spark's cluster, by Hadoop's client in the driver: found, moved and removed, or listed as a source's.

A source's files are listed as Spark lists them in any store: schemas, partitions, marks of table formats.
"""

from __future__ import annotations

import glob
import json
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql.types import StructType

from kanon_sql.engines.base import UNFINISHED, Drift, Survey, widest
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.spark.session import REFUSED
from kanon_sql.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

    from kanon_sql.engines.source.table_formats import TableFormat


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


Fields: TypeAlias = "dict[str, tuple[str, str]]"
READERS = 8
"""The number of footers that are read at the same time."""


def survey(session: SparkSession, pattern: str, base: str) -> Survey:
    """Compare Parquet files by their schemas, which Spark returns file by file.

    Files in folders that are no partitions count as `stray`: Spark would not read them.
    """
    path = source_sql.hadoop_path(pattern)

    def listed(**options: str) -> list[str]:
        return session.read.options(**options).parquet(path).inputFiles()

    files, every = listed(basePath=base), listed(recursiveFileLookup="true")
    drifts = []
    if len(files) < len(every):
        drifts.append(Drift("stray", None, len(every) - len(files), len(every)))
    schemas = _schemas(session, files)
    depth = len(re.split("/+", _without_store(base)))
    folders = [re.split("/+", unquote(_without_store(each)))[depth:-1] for each in files]
    keys = {part.partition("=")[0] for parts in folders for part in parts if "=" in part}
    folded = {key.casefold() for key in keys}
    columns, widened = [], False
    for name in dict.fromkeys(name for each in schemas for name in each):
        present = [each[name] for each in schemas if name in each]
        spellings = Counter(spelling for spelling, _ in present)
        types = sorted({type_ for _, type_ in present})
        columns.append((present[0][0], widest(types) or types[0]))
        widened = widened or len(types) > 1
        differs = len(present) < len(files) or len(types) > 1 or len(spellings) > 1
        if differs or name in folded:
            drifts.append(
                Drift("column", min(spellings), len(present), len(files), types, len(spellings))
            )
    both = {str(each.name).casefold() for each in drifts} & folded
    drifts += [
        Drift("partition", key, len(files), len(files))
        for key in sorted(keys)
        if key.casefold() in both
    ]
    return Survey(drifts, tuple(columns) if widened else ())


def _schemas(session: SparkSession, files: Sequence[str]) -> list[Fields]:
    """Return the columns of each file: their spelling and type by their folded names."""
    if hasattr(session, "_jvm"):
        found = _footers(session, files)
    else:
        with ThreadPoolExecutor(READERS) as pool:
            found = list(pool.map(lambda each: _schema_by_a_job(session, each), files))
    named: dict[str, Fields] = {}
    for text in found:
        if text not in named:
            fields = StructType.fromJson(json.loads(text)).fields
            named[text] = {f.name.casefold(): (f.name, f.dataType.simpleString()) for f in fields}
    return [named[text] for text in found]


def _schema_by_a_job(session: SparkSession, file: str) -> str:
    return session.read.parquet(source_sql.hadoop_path(glob.escape(unquote(file)))).schema.json()


def _footers(session: SparkSession, files: Sequence[str]) -> list[str]:
    """Read the schemas in the driver by Parquet's own reader: a Spark job per file would take 0.2 s."""
    jvm: Any = session._jvm  # noqa: SLF001  nothing public reads the schemas of many files
    java = session._jsparkSession.sessionState()  # noqa: SLF001
    settings, hadoop = java.newHadoopConf(), jvm.org.apache.parquet.hadoop
    spark = jvm.org.apache.spark.sql.execution.datasources.parquet
    converter = spark.ParquetToSparkSchemaConverter(java.conf())

    def schema(file: str) -> str:
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(file))
        reader = hadoop.ParquetFileReader.open(hadoop.util.HadoopInputFile.fromPath(path, settings))
        try:
            footer = hadoop.Footer(path, reader.getFooter())
            return str(spark.ParquetFileFormat.readSchemaFromFooter(footer, converter).json())
        finally:
            reader.close()

    with ThreadPoolExecutor(READERS) as pool:
        return list(pool.map(schema, files))


def format_marks(session: SparkSession, folder: str, formats: Sequence[TableFormat]) -> list[str]:
    """List paths that may be marks of table formats in a folder, in one listing for all formats."""
    marks = [mark.removesuffix("/") for each in formats for mark in each.marks]
    there = _deep(session, folder) if folder.endswith("/**") else [folder]
    found = [path for each in there for path in _there(session, each, marks)]
    if any(mark.startswith(UNFINISHED) for mark in marks) and hasattr(session, "_jvm"):
        found += [
            path
            for each in there
            for path in Hadoop(session).matches(f"{source_sql.hadoop_path(each)}/{UNFINISHED}")
        ]
    return found


def partition_names(session: SparkSession, pattern: str, base: str) -> list[str]:
    """List the distinct names of the folders between `base` and the files."""
    depth = len(re.split("/+", _without_store(base)))
    names: set[str] = set()
    for each in _listed(session, source_sql.hadoop_path(pattern)) or ():
        names.update(re.split("/+", unquote(_without_store(each)))[depth:-1])
    return sorted(names)


def _without_store(address: str) -> str:
    """Return an address without its scheme and host, or a path unchanged."""
    return re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?", "", address).rstrip("/")


def _there(session: SparkSession, folder: str, marks: Sequence[str]) -> list[str]:
    """List the marks in a folder: files, or for a mark that is a folder the files in it."""
    found = _listed(session, f"{source_sql.hadoop_path(folder)}/{{{','.join(marks)}}}")
    if found is None:
        return []
    if found:
        return [unquote(each) for each in found]
    if len(marks) == 1:  # a folder without a file in it
        return [f"{folder}/{marks[0]}"]
    return [path for mark in marks for path in _there(session, folder, [mark])]


def _deep(session: SparkSession, folder: str) -> list[str]:
    """Return patterns for a folder and the folders below it, one per level down to the deepest file."""
    top = folder.removesuffix("/**")
    files = _listed(session, source_sql.hadoop_path(top), "*.parquet") or ()
    depth = max((each.count("/") for each in files), default=0) - top.count("/")
    return [top + "/*" * n for n in range(max(depth, 1))]


def _listed(session: SparkSession, path: str, of: str = "*") -> list[str] | None:
    """List the files that Spark would read; None if it finds no such path."""
    options = {"recursiveFileLookup": "true", "pathGlobFilter": of}
    try:
        return session.read.format("binaryFile").options(**options).load(path).inputFiles()
    except REFUSED as error:
        if hasattr(error, "getCondition") and error.getCondition() == "PATH_NOT_FOUND":
            return None
        raise
