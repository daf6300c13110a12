"""The command line: a module for each group of commands, which read arguments, call the package and print."""

from __future__ import annotations

import gc
import os
import signal
import sys
from io import TextIOWrapper

__all__ = ["main"]

MOST_UNCOLLECTED = 200_000
"""The number of new objects that starts Python's garbage collector. The default of 700 would start it
hundreds of times while a command's modules are imported, and free nothing. A plan makes some 100,000 objects."""

AT_ONCE = {"--help", "--help-all", "engines"}
"""Arguments with which a command ends before Python collects anything."""


def main() -> None:
    """Run the command line; an interrupt while it is still being loaded prints no traceback."""
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, _exit_at_once)
    for stream in (sys.stdout, sys.stderr):
        write_utf8(stream)
    gc.set_threshold(MOST_UNCOLLECTED, *gc.get_threshold()[1:])
    from kanon_sql.apps.cli.command_line import main as run  # noqa: PLC0415  after the signals

    try:
        run()
    except SystemExit as ended:
        # DuckDB lists on stderr its objects that are not freed: those that frames keep after an error, and those that
        # imports leave behind where nothing is collected before the end.
        if not ended.code and not AT_ONCE & {*sys.argv}:
            gc.freeze()  # otherwise Python walks all live objects at exit to free them, though the process ends
        raise


def write_utf8(stream: object) -> None:
    """Let a stream on Windows write UTF-8 to files and pipes; their default encoding lacks most letters.

    A terminal keeps its encoding and shows other characters as escapes.
    """
    if isinstance(stream, TextIOWrapper) and os.name != "posix":
        if stream.isatty():
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8")


def _exit_at_once(*_: object) -> None:
    os.write(2, b"error: interrupted; nothing was published\n")
    os._exit(130)
