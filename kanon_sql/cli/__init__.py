"""The command line: one module a command, which reads its arguments, calls the package and prints."""

from __future__ import annotations

import os
import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interrupt while it is still being loaded prints no traceback."""
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, _exit_at_once)
    from kanon_sql.cli.commands import main as run  # noqa: PLC0415  after the signals

    run()


def _exit_at_once(*_: object) -> None:
    os.write(2, b"error: interrupted; nothing was published\n")
    os._exit(130)
