"""Copies in UTF-8 of text files in another encoding, or in a zip, which a run reads in their place."""

from __future__ import annotations

import glob
import os
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.counting.run.session import on_disk
from kanon_sql.counting.source.files import files_at
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.files.text_encodings import ENDINGS, copy_as_utf8, recognize
from kanon_sql.engines.local_files import relative_to, slashes
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.locations import Source

UNREADABLE = (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error)


@contextmanager
def text_copies(run: Session, source: Source, base: str) -> Iterator[Source]:
    """Copy the text files of a source in UTF-8, and yield the copies as a source; faults name the files themselves.

    Raises SourceError for a file that is no text in that encoding.
    """
    text = source.path or ""
    if not run.engine.capabilities.local_files or "://" in text:
        how = "unpack it"
        if source.encoding is not None:
            how = f"write it again as UTF-8 (iconv -f {source.encoding} -t UTF-8)"
        what = f"is read by way of a copy on this machine, by DuckDB alone: {how}"
        raise SourceError(text, [Fault("source", what)])
    found = files_at(on_disk(text, run.engine), base)
    folder = run.folder() / "files"
    folder.mkdir()
    files = sorted(filter(os.path.isfile, glob.glob(found.pattern, recursive=True)))  # noqa: PTH207
    above = found.base if found.base is not None else slashes(str(Path(files[0]).parent))
    for file in files:
        copy = folder / _as_text(relative_to(file, above))
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            if copy.exists():
                raise ValueError("is named as another one that is packed; name one of them alone")
            copy_as_utf8(file, copy, source.encoding or "utf-8")
        except UNREADABLE as error:
            why = _why(file, source, error)
            which = "" if len(files) == 1 else f" ({relative_to(file, above)})"
            raise SourceError(text, [Fault("source", f"{why}{which}")]) from error
    pattern = _as_text(relative_to(found.pattern, glob.escape(above)))
    path = f"{folder}/{pattern}" if found.base is not None else slashes(str(copy))
    try:
        yield replace(source, path=path, encoding=None)
    except SourceError as error:
        faults = [
            replace(each, what=each.what.replace(str(folder), above)) for each in error.faults
        ]
        raise SourceError(text, faults) from error


def _as_text(path: str) -> str:
    """Return the path, or the pattern, of a copy: unpacked, and with an ending of text files."""
    for packing in (".gz", ".zip"):
        if path.lower().endswith(packing):
            path = path[: -len(packing)]
    return path if path.lower().endswith(ENDINGS) else f"{path}.csv"


def _why(file: str, source: Source, error: Exception) -> str:
    """Say why a file could not be copied, with the encoding to name where the source names none."""
    if not isinstance(error, ValueError):
        return f"cannot be read ({type(error).__name__}); is it cut off?"
    found = None
    if source.encoding is None and isinstance(error.__cause__, UnicodeError):
        found = recognize(file)
    return str(error) if found is None else found.remedy("path")


def is_plain(source: Source) -> bool:
    """Return whether SQL alone can read the files of a source: no copy in UTF-8, and no library, is needed."""
    path = (source.path or "").lower()
    return source.encoding is None and not path.endswith(".zip") and kind_of_file(path) is None


def proposed_encoding(engine: Engine, source: Source, base: str) -> tuple[str, str] | None:
    """Return the encoding in which the text files of a source can be read, and why, in counts; None if none is known."""
    path = source.path
    if path is None or source.encoding is not None or not engine.capabilities.local_files:
        return None
    if source_sql.kind_of(path) != "csv" or kind_of_file(path) is not None:
        return None
    pattern = files_at(on_disk(path, engine), base).pattern
    for file in [] if "://" in pattern else sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207
        try:
            found = recognize(file)
        except UNREADABLE:
            return None
        if found is not None:
            return None if found.encoding is None else (found.encoding, found.counts)
    return None
