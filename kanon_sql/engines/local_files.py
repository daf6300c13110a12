"""Differences between systems and readers: separators, drives, flushing, names of partitions.

Paths have forward slashes wherever they are kept, written or passed to a database, on Windows too. Windows reads both
kinds, and a backslash in YAML, SQL or a pattern would mean something else.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

DRIVE = re.compile(r"/([A-Za-z]:/)")
ESCAPED = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
"""Escaped non-ASCII bytes in names of partition folders: a character each to Spark, UTF-8 to others."""


def slashes(path: str, separator: str = os.sep) -> str:
    r"""Return a path with forward slashes. Where these are the separator, a backslash is part of a name.

    >>> print(slashes(r"C:\data\a.csv", "\\"), slashes(r"/data/a\b.csv", "/"))
    C:/data/a.csv /data/a\b.csv
    """
    return path if separator == "/" else path.replace(separator, "/")


def relative_to(path: str, folder: str) -> str:
    """Return a path relative to a folder; an absolute path if the two are on different drives."""
    try:
        return slashes(os.path.relpath(path, folder))
    except ValueError:
        return slashes(os.path.abspath(path))  # noqa: PTH100  it may be a pattern


def without_slash_of_drive(path: str) -> str:
    """Remove the slash that an address has before a drive.

    >>> without_slash_of_drive("/C:/data/a.csv"), without_slash_of_drive("/data/a.csv")
    ('C:/data/a.csv', '/data/a.csv')
    """
    return path[1:] if DRIVE.match(path) else path


def write_through(file: Path) -> None:
    """Flush a written file to the disk. On Windows the file must be open for writing."""
    with file.open("rb" if os.name == "posix" else "r+b") as opened:
        os.fsync(opened.fileno())


def secret_in(variable: str) -> bytes | None:
    """Read the bytes of an environment variable; None if it is not set."""
    text = os.environ.get(variable)
    return None if text is None else os.fsencode(text)


def without_escapes(path: str) -> str:
    """Undo the escapes of non-ASCII characters in names of partition folders, which Spark would not undo.

    >>> without_escapes("zone=%C3%A4%20b"), without_escapes("zone=%E4")
    ('zone=ä%20b', 'zone=%E4')
    """

    def plain(found: re.Match[str]) -> str:
        try:
            return unquote(found[0], errors="strict")
        except UnicodeDecodeError:
            return found[0]

    return ESCAPED.sub(plain, path)


def rename_without_escapes(folder: str) -> None:
    """Apply `without_escapes` to the partition folders below one, so that all readers see the same values."""
    for root, names, _ in os.walk(folder, topdown=False):
        for name in names:
            if (plain := without_escapes(name)) != name:
                (Path(root) / name).rename(Path(root) / plain)


def escaped_keys(names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the partition keys with escaped UTF-8 in a folder's name, and those with it unescaped.

    >>> escaped_keys(["zone=%C3%A4", "zone=b", "day=é"])
    ({'zone'}, {'day'})
    """
    escaped, plain = set(), set()
    for name in names:
        key, mark, value = name.partition("=")
        if mark and ESCAPED.search(value):
            escaped.add(key)
        if mark and not value.isascii():
            plain.add(key)
    return escaped, plain


def remove_empty_folders(folder: Path, *, kept: Collection[str] = ()) -> None:
    """Remove the folders without files below a folder: names of partition folders are raw values.

    Folders directly below that are named in `kept` stay, with all that is in them.
    """
    for each in sorted(folder.iterdir()):
        if each.name in kept or each.is_symlink() or not each.is_dir():
            continue
        remove_empty_folders(each)
        with suppress(OSError):  # something is in it
            each.rmdir()
