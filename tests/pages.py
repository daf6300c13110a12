"""Runs the code blocks of a page as a reader would, in one folder, from the first to the last.

A fence says how its block is run:

* `title="NAME"`: the block is a file of the page, and is written under that name;
* `sh`: calls of `kanon-sql`, one a line;
* `python`: one program a page, so that a block sees what earlier ones defined;
* `sql`: what a DuckDB shell in the page's folder would run;
* `yaml` without a title: keys of a policy that take the place of those of the page's last policy
  file; the policy that results is planned;
* `text`: what the block before it printed. A line `...` stands for any lines.

A block of any other kind raises: a page shows nothing that no test runs.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb
import yaml
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli.commands import main

if TYPE_CHECKING:
    from pathlib import Path

FENCE = re.compile(
    r'^```(?P<kind>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL
)
ANY_LINES = "..."


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block; `line` is where its fence stands."""

    kind: str
    title: str | None
    text: str
    line: int


def blocks_of(text: str) -> list[Block]:
    """Give the fenced blocks of a page in order; a fence that none of them is raises."""
    found = [
        Block(at["kind"], at["title"], at["text"], text.count("\n", 0, at.start()) + 1)
        for at in FENCE.finditer(text)
    ]
    if 2 * len(found) != len(re.findall(r"^ *```", text, re.MULTILINE)):
        raise AssertionError(
            "a fence is not read: kind, title and indentation are in tests/pages.py"
        )
    return found


@dataclass
class Page:
    """The folder of a page and what its blocks have left there."""

    folder: Path
    policy: str | None = None
    printed: str | None = None
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, text: str) -> None:
        """Run all blocks of a page; the first that fails says on which line it stands."""
        for block in blocks_of(text):
            try:
                with contextlib.chdir(self.folder):
                    self.run_block(block)
            except Exception as error:
                error.add_note(f"in the block of line {block.line}")
                raise

    def run_block(self, block: Block) -> None:
        if block.title is not None:
            (self.folder / block.title).write_text(block.text, encoding="utf-8")
            if block.title.endswith(".yml"):
                self.policy = block.text
            return
        match block.kind:
            case "sh":
                self.printed = "".join(map(called, commands(block.text)))
            case "python":
                self.printed = self.program(block.text)
            case "sql":
                self.printed = "".join(queried(block.text))
            case "yaml":
                self.plan_with(block.text)
            case "text":
                assert self.printed is not None, "nothing was run before"
                check_printed(block.text, self.printed)
            case _:
                raise AssertionError(f"no test runs a block of kind {block.kind!r}")

    def program(self, text: str) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "a page", "exec"), self.names)
        return printed.getvalue()

    def plan_with(self, text: str) -> None:
        """Plan the page's policy with some keys replaced."""
        assert self.policy is not None, "keys of a policy stand before any policy"
        kanon_sql.plan({**yaml.safe_load(self.policy), **yaml.safe_load(text)})


def commands(text: str) -> list[list[str]]:
    """Give the commands of a shell block as words; a comment is left out."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def called(words: list[str]) -> str:
    """Call kanon-sql in this process; gives what it prints."""
    assert words[0] == "kanon-sql", f"no test runs {words[0]}"
    done = CliRunner().invoke(main, words[1:])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def queried(text: str) -> list[str]:
    """Run statements on an empty DuckDB; gives the rows of each query as its shell shows them."""
    shown = []
    with duckdb.connect() as connection:
        for statement in connection.extract_statements(text):
            rows = connection.sql(statement.query)
            if statement.type == duckdb.StatementType.SELECT:
                shown.append(f"{str(rows).rstrip()}\n")
    return shown


def check_printed(shown: str, printed: str) -> None:
    """Hold what a page shows against what was printed."""
    kept = [line.rstrip() for line in shown.splitlines()]
    pattern = "".join(
        r"(?:.*\n)*?" if line == ANY_LINES else re.escape(line) + "\n" for line in kept
    )
    found = "".join(line.rstrip() + "\n" for line in printed.splitlines())
    assert re.fullmatch(pattern, found), f"the page shows\n{shown}\nand this was printed\n{found}"
