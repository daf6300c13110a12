"""The folders that a process may read and write, where an agent chooses the paths.

The variable of the environment names them, for processes that the MCP server starts; without it there is no limit.
DuckDB enforces the same folders for whatever a query of a policy reads.
"""

from __future__ import annotations

import os

from kanon_sql.errors import Fault, InputError

FOLDERS_ENV = "KANON_SQL_FOLDERS"
ADDRESS = "is an address, and this server reads folders only"
OUTSIDE = "lies outside the folders that this server was started with"


def only_folders() -> tuple[str, ...]:
    """Return the folders, links followed; none where there is no limit."""
    named = os.environ.get(FOLDERS_ENV, "")
    return tuple(os.path.realpath(each) for each in named.split(os.pathsep) if each)


def check_inside(path: str, folders: tuple[str, ...] | None = None) -> None:
    """Raise InputError for a path outside the folders, links followed, and for an address; by default `only_folders`."""
    folders = only_folders() if folders is None else folders
    if not folders:
        return
    if "://" in path:
        raise InputError("path", [Fault("", ADDRESS)])
    real = os.path.normcase(os.path.realpath(path))
    within = (os.path.normcase(each).rstrip(os.sep) + os.sep for each in folders)
    if not any((real + os.sep).startswith(each) for each in within):
        raise InputError("path", [Fault("", OUTSIDE)])
