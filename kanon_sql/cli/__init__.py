"""The command line: reads arguments, prints results. Everything it does is in `flow/`."""

from __future__ import annotations

from kanon_sql.cli.commands import main

__all__ = ["main"]
