"""The capabilities of each database, in one table. Planning refuses a feature that its database lacks."""

from __future__ import annotations

from kanon_sql.base.late_dataclass import dataclass

KEY_BITS = 62
"""Bits of one key: a BIGINT that stays positive on every engine."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of one database, with the costs and limits that plans depend on."""

    name: str
    library: str
    """The Python library that connects to it."""
    extra: str | None
    """The extra of kanon-sql that installs the library."""
    reads_files: bool
    local_files: bool
    """The files that it reads are on the machine that Python runs on."""
    writes_files: bool
    writes_folders: bool
    """A release to files is always a folder of files."""
    returns_relations: bool
    prints_scripts: bool
    replaces_tables: bool
    transactions: bool
    temp_tables: bool
    atomic_rename: bool
    folds_case: bool
    longest_name: int | None
    """In bytes; longer names are cut."""
    in_place_method: str
    writers_wait: str | None = None
    """A sentence: when others wait to write to a table released in place. None if they never wait."""
    boundary_format: str = "parquet"
    """The format of the file, or folder of files, that keeps the boundaries of regions for new rows."""
    reads_lakes: bool = False
    """It reads batches of Arrow, in which the libraries of Delta Lake and Iceberg return rows."""
    skips_lines: bool = False
    """It reads CSV whose header is below other lines."""
    key_bits: int = KEY_BITS
    """The most bits of a packed key that it groups by fast."""
    statement_weight: int = 1
    """The cost of a statement relative to scanning a row, as a multiple of the same ratio in DuckDB."""
    recompiles_values: bool = False
    """A statement that binds other values is compiled again."""
    parallel_statements: int = 1
    """How many statements are best run concurrently."""
    codes_labels: bool = False
    """It has types that list labels: columns of them hold codes, and group, sort and print as text."""
    joins_by_row: bool = False
    """It computes columns of a view over a small table again for every row that is joined with the view."""
    numbers_rows: bool = True
    """It can number all rows, or values, in one order without moving them all to a single task."""
    places_rows: bool = False
    """Its tables have the pseudo-column `rowid`, by which a row is joined with what was computed beside it."""
    counts_bits: bool = False
    """It counts the different integers of a short range by a bit each, in a sixth of the time of a GROUP BY."""
    hashes_values: bool = False
    """It hashes a whole number in a third of the time of its text."""
    looks_up_fast: bool = False
    """It joins a row with a table of a million numbers in less time than it computes one hash."""
    adds_partitions: bool = False
    """Its files record the plan that made them, so that a partition can be added to a released folder."""
    escaped: str | None = None
    """A regular expression of the characters that it escapes in the names of partition folders."""
    lists_volatile: bool = True
    """Its catalog lists the functions that write, or return other values at every call."""
    volatile: str | None = None
    """A regular expression of the names of such functions that its catalog does not list."""

    def compared(self, name: str) -> str:
        """Return a name as the database compares it with others."""
        return name.casefold() if self.folds_case else name


DUCKDB = Capabilities(
    name="DuckDB",
    library="duckdb",
    extra=None,
    reads_files=True,
    local_files=True,
    writes_files=True,
    writes_folders=False,
    returns_relations=True,
    prints_scripts=True,
    replaces_tables=True,
    transactions=True,
    temp_tables=True,
    atomic_rename=True,
    folds_case=True,
    longest_name=None,
    in_place_method="in one transaction",
    reads_lakes=True,
    codes_labels=True,
    places_rows=True,
    counts_bits=True,
    hashes_values=True,
    looks_up_fast=True,
    adds_partitions=True,
    escaped=r"[^A-Za-z0-9_.~-]",
    skips_lines=True,
    volatile=(  # functions that return tables
        r"(force_)?checkpoint|.+_(execute|attach)|(en|dis)able_.+|truncate_.+|"
        r"(create|destroy|(de)?register)_external_.+"
    ),
)
POSTGRES = Capabilities(
    name="PostgreSQL",
    library="psycopg",
    extra="postgres",
    reads_files=False,
    local_files=False,
    writes_files=False,
    writes_folders=False,
    returns_relations=False,
    prints_scripts=True,
    replaces_tables=False,
    transactions=True,
    temp_tables=True,
    atomic_rename=True,
    folds_case=False,
    longest_name=63,
    in_place_method="in one transaction",
    writers_wait=(
        "others can read and write while it is planned and staged; then they wait to write until the run ends: for a count of "
        "the rows written meanwhile, the copy of all rows, indexes and statistics, so the longer the more rows and "
        "indexes the table has. If a row was written, or no second session can be opened, they wait for the whole of a run that "
        "begins again; release in quiet hours"
    ),
    boundary_format="csv",
    joins_by_row=True,
    # It hashes a BIGINT by folding its halves on each other. Keys that use both then share hashes,
    # and a GROUP BY that outgrows work_mem takes a hundred times as long.
    key_bits=32,
)
SPARK = Capabilities(
    name="Spark SQL",
    library="pyspark",
    extra="spark",
    reads_files=True,
    local_files=False,
    writes_files=True,
    writes_folders=True,
    returns_relations=True,
    prints_scripts=True,
    replaces_tables=False,
    transactions=False,
    temp_tables=False,
    atomic_rename=False,
    folds_case=True,
    longest_name=None,
    in_place_method="by renaming",
    statement_weight=6,
    recompiles_values=True,
    parallel_statements=8,
    numbers_rows=False,
    escaped=r"""[\x00-\x1f\x7f"#%'*/:=?\\{[\]^]""",
    lists_volatile=False,
    volatile=(
        r"(try_)?reflect|java_method|rand(om|n|str)?|uniform|uuid|shuffle|monotonically_increasing_id"
    ),
)
OF_DIALECT = {"duckdb": DUCKDB, "spark": SPARK, "postgres": POSTGRES}
ENGINES = tuple(OF_DIALECT.values())
CAPABILITY_NAMES = {
    "reads_files": "reads files and folders",
    "writes_files": "writes files",
    "writes_folders": "a release to files is always a folder",
    "adds_partitions": "adds partitions to a released folder",
    "returns_relations": "returns lazy relations",
    "prints_scripts": "prints scripts",
    "replaces_tables": "replaces a table in one statement",
    "transactions": "transactions",
    "temp_tables": "temporary tables",
    "atomic_rename": "atomic rename",
    "folds_case": "folds the case of names",
    "in_place_method": "releases in place",
    "longest_name": "longest name (bytes)",
    "key_bits": "bits of a packed key",
}
"""The capabilities that `kanon-sql engines` lists, in words."""
