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
        # After an error its frames keep objects of DuckDB, which would list them on stderr if they were not freed.
        if not ended.code:
            _keep_all()
        raise


def _keep_all() -> None:
    """Let Python end without a walk of all live objects to free them, which takes a fifth of a short command.

    DuckDB lists on stderr its objects that are not freed. They lie in its modules. Python empties the modules that
    still live when it ends, so that a list which is never freed, as it holds itself, keeps these.
    """
    named = ("duckdb", "_duckdb")
    modules: list[object] = [at for name, at in sys.modules.items() if name.startswith(named)]
    modules.append(modules)
    gc.freeze()


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
