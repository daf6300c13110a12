"""Files of Spark's cluster, by Hadoop's client in the driver; and scratch tables that outlive an executor or a run.

Files are found, moved and removed. A source's files are listed as Spark lists them in any store: schemas, partitions, marks
of table formats.

For a run that resumes another, tables that cost a pass over the source are kept in the cluster's checkpoint folder: values of
columns, and tuples with their counts. Each is a folder of Parquet files:

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
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import StorageLevel
from pyspark.sql.types import StructType

from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.base import UNFINISHED, Drift, KeptCount, Survey, widest
from kanon_sql.engines.scratch import PREFIX, run_mark
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.spark.session import REFUSED, setting
from kanon_sql.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

    from kanon_sql.engines.base import Hashes, PreparedStatement
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


KEPT = frozenset({"domain", "all_domains", "domain_codes", "frequency_set", "lined_tuples"})
"""Templates whose tables are kept. Each reads all rows of the source."""
OURS = "kanon-sql"
UNFINISHED_TABLE = "unfinished"
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
        beside = f"{self._own}/{UNFINISHED_TABLE}_{digest}"
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
