"""What differs between the machines that files are on: separators of paths, drives, and writing through to the disk.

Paths have forward slashes wherever they are kept, written or given to a database, on Windows too: there both kinds
are read, and a backslash in YAML, SQL or a pattern would mean something else.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DRIVE = re.compile(r"/([A-Za-z]:/)")


def slashes(path: str, separator: str = os.sep) -> str:
    r"""Write a path with forward slashes; where they are the separator, a backslash is part of a name.

    >>> print(slashes(r"C:\data\a.csv", "\\"), slashes(r"/data/a\b.csv", "/"))
    C:/data/a.csv /data/a\b.csv
    """
    return path if separator == "/" else path.replace(separator, "/")


def relative_to(path: str, folder: str) -> str:
    """Write a path as seen from a folder; from another drive only its absolute path leads there."""
    try:
        return slashes(os.path.relpath(path, folder))
    except ValueError:
        return slashes(os.path.abspath(path))  # noqa: PTH100  it may be a pattern


def without_slash_of_drive(path: str) -> str:
    """Take away the slash that an address has before a drive.

    >>> without_slash_of_drive("/C:/data/a.csv"), without_slash_of_drive("/data/a.csv")
    ('C:/data/a.csv', '/data/a.csv')
    """
    return path[1:] if DRIVE.match(path) else path


def write_through(file: Path) -> None:
    """Wait until a file that was written is on the disk. Windows asks for a file that is open for writing."""
    with file.open("rb" if os.name == "posix" else "r+b") as opened:
        os.fsync(opened.fileno())


def secret_in(variable: str) -> bytes | None:
    """Read the bytes of an environment variable; None if it is not set."""
    text = os.environ.get(variable)
    return None if text is None else os.fsencode(text)
