"""The command line: reads arguments, prints results. Everything it does is in `flow/`."""

from __future__ import annotations

import os
import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line; whoever ends it while it is still being loaded gets no traceback."""
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, _ended)
    from kanon_sql.cli.commands import main as run  # noqa: PLC0415  it takes most of a second

    run()


def _ended(*_: object) -> None:
    os.write(2, b"error: interrupted; nothing was published\n")
    os._exit(130)
