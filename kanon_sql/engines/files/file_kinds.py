"""The list of kinds of files that a library reads, and the ways on from files that nothing here reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.files.library_files import ArrowFile, Orc, Sas, Spss, Stata, Workbook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.engines.destination_format import FileKind
    from kanon_sql.engines.locations import Source

KINDS: tuple[FileKind, ...] = (Workbook(), Spss(), Stata(), Sas(), ArrowFile(), Orc())
WRITTEN = tuple(each for each in KINDS if each.writes)
ENDINGS = tuple(ending for each in KINDS for ending in each.endings)
OWN_KEYS = ("sheet", "range", "values")
"""The keys of a source that go with some of these kinds and with no text file."""
WAYS_ON = {
    (".xls", ".xlsm", ".xlsb", ".ods", ".numbers"): "save it as .xlsx or .csv",
    (
        ".rds",
        ".rdata",
        ".rda",
    ): "in R, arrow::write_parquet(readRDS(FILE), 'x.parquet') or haven::write_sav(...) keeps types",
    (
        ".pkl",
        ".pickle",
        ".h5",
        ".hdf5",
    ): "in Python, pandas.read_pickle(FILE).to_parquet('x.parquet') keeps types",
    (".sas7bcat",): "it holds formats; name the .sas7bdat beside it",
    (
        ".mdb",
        ".accdb",
        ".sqlite",
        ".sqlite3",
        ".db",
    ): "export the table as .csv, or query it in its database",
    (".xml", ".html", ".pdf", ".docx"): "export the table in it as .csv",
    (".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz"): "unpack it",
}


def kind_of_file(path: str) -> FileKind | None:
    """Return the kind of a file by its ending; None for those that databases read by themselves."""
    return next((each for each in KINDS if path.lower().endswith(each.endings)), None)


def way_on(path: str) -> str | None:
    """Return what a user can do with a file that is not read here; None if that is unknown.

    >>> way_on("a.XLS"), way_on("a.csv")
    ('save it as .xlsx or .csv', None)
    """
    return next((way for ends, way in WAYS_ON.items() if path.lower().endswith(ends)), None)


def misplaced_keys(source: Source) -> Iterator[str]:
    """Yield a fault for each key of a source that goes with files of another kind."""
    kind = kind_of_file(source.path or "")
    for key in OWN_KEYS:
        if getattr(source, key) is not None and (kind is None or key not in kind.keys):
            yield f"{key} does not go with {'this file' if kind is None else kind.label}"
    if source.range is not None and source.skip:
        yield "skip and range both say where the table begins; leave out skip"
