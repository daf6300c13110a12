"""What each database can do, in one table; a feature that one lacks is refused when planning."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.lattice.packing import KEY_BITS


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One database. `library` is what it is reached by, `extra` what installs that.

    `local_files` are those of the machine that Python runs on; `writes_folders`: a release to
    files is always a folder of several; `longest_name` is in bytes;
    `key_bits` is how many bits of a key it groups by well. `statement_weight` is what one
    more statement costs, against scanning a row, as a multiple of what it does in DuckDB;
    with `compiles_values` a statement that binds other values is compiled again. `at_once` is how
    many statements are best asked side by side. `keeps_as` is the kind of file, or folder of them,
    that it keeps the sides of boxes in. `escaped`, a regular expression, is what it escapes in the names of
    partition folders. What `skips_lines` reads CSV whose header is below other lines. What
    `knows_volatile` tells which functions write, or give other values whenever they are asked;
    `volatile`, a regular expression, is of the names of those that it tells nothing of.
    """

    name: str
    library: str
    extra: str | None
    reads_files: bool
    local_files: bool
    writes_files: bool
    writes_folders: bool
    gives_relations: bool
    prints_scripts: bool
    replaces_tables: bool
    transactions: bool
    temp_tables: bool
    atomic_rename: bool
    folds_case: bool
    longest_name: int | None
    swaps: str
    keeps_as: str = "parquet"
    skips_lines: bool = False
    key_bits: int = KEY_BITS
    statement_weight: int = 1
    compiles_values: bool = False
    at_once: int = 1
    escaped: str | None = None
    knows_volatile: bool = True
    volatile: str | None = None


DUCKDB = Capabilities(
    name="DuckDB",
    library="duckdb",
    extra=None,
    reads_files=True,
    local_files=True,
    writes_files=True,
    writes_folders=False,
    gives_relations=True,
    prints_scripts=True,
    replaces_tables=True,
    transactions=True,
    temp_tables=True,
    atomic_rename=True,
    folds_case=True,
    longest_name=None,
    swaps="in one transaction",
    escaped=r"[^A-Za-z0-9_.~-]",
    skips_lines=True,
    volatile=(  # functions that give tables
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
    gives_relations=False,
    prints_scripts=True,
    replaces_tables=False,
    transactions=True,
    temp_tables=True,
    atomic_rename=True,
    folds_case=False,
    longest_name=63,
    swaps="in one transaction",
    keeps_as="csv",
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
    gives_relations=True,
    prints_scripts=True,
    replaces_tables=False,
    transactions=False,
    temp_tables=False,
    atomic_rename=False,
    folds_case=True,
    longest_name=None,
    swaps="by renaming",
    statement_weight=6,
    compiles_values=True,
    at_once=8,
    escaped=r"""[\x00-\x1f\x7f"#%'*/:=?\\{[\]^]""",
    knows_volatile=False,
    volatile=(
        r"(try_)?reflect|java_method|rand(om|n|str)?|uniform|uuid|shuffle|monotonically_increasing_id"
    ),
)
ENGINES = (DUCKDB, SPARK, POSTGRES)
WORDS = {
    "reads_files": "reads files and folders",
    "writes_files": "writes files",
    "writes_folders": "a release to files is always a folder",
    "gives_relations": "gives lazy relations",
    "prints_scripts": "prints scripts",
    "replaces_tables": "replaces a table in one statement",
    "transactions": "transactions",
    "temp_tables": "temporary tables",
    "atomic_rename": "atomic rename",
    "folds_case": "folds the case of names",
    "swaps": "releases in place",
    "longest_name": "longest name, in bytes",
    "key_bits": "bits of a key",
}
"""The capabilities that `engines` lists, in words."""
