"""What goes to a terminal: whole tables, and text of which no character is a command to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from kanon_sql.documents.text import printable

if TYPE_CHECKING:
    from rich.table import Table


def say(line: str = "", *, error: bool = False) -> None:
    """Print one line."""
    click.echo(printable(line), err=error)


def say_json(told: object) -> None:
    """Print one object as JSON on one line."""
    text = json.dumps(told, ensure_ascii=False)
    click.echo("".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text))


def cell(text: object) -> Text:
    """Give what stands in one cell of a table."""
    return Text(printable(str(text)))


def show_table(table: Table) -> None:
    """Print a table on as many columns as it takes: a figure that is cut short would be none."""
    console = Console()
    least = Console(width=1_000).measure(table).maximum
    Console(width=max(console.width, least)).print(table)
