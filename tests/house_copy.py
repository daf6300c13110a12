"""A copy of the repository in which a page of docs/contributing is carried out, exactly as it stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from pages import FENCE, ROOT, Block, text_of

if TYPE_CHECKING:
    from pathlib import Path


def section_of(page: str, heading: str) -> str:
    """The text of a page beneath a heading of the second level, until the next one."""
    _, *sections = re.split(r"^## ", text_of(page), flags=re.MULTILINE)
    (found,) = (each for each in sections if each.partition("\n")[0] == heading)
    return found


def blocks_of(section: str) -> list[Block]:
    found = FENCE.finditer(section)
    return [Block(each["kind"], each["text"], each["title"], each["reason"]) for each in found]


def edited(text: str, hunks: str) -> str:
    """A file after the hunks of a page: lines with a plus are put between those that are there."""
    for hunk in hunks.split("...\n"):
        lines = hunk.splitlines()
        before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
        after = "\n".join(line[1:] for line in lines)
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def extended(section: str, folder: Path) -> Path:
    """Copy the repository, and write or edit the files that the blocks of a section name."""
    for name in ("kanon_sql", "templates", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "golden")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for block in blocks_of(section):
        file = folder / block.title
        assert file.exists() == (block.kind == "diff")
        old = file.read_text(encoding="utf-8") if block.kind == "diff" else None
        new = block.text if old is None else edited(old, block.text)
        file.write_text(new, encoding="utf-8")
    return folder


def run(copy: Path, *args: str) -> str:
    """Run Python in the copy; gives what it prints."""
    done = subprocess.run(
        [sys.executable, *args],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "NO_COLOR": "1", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def lines_taken(section: str) -> list[int]:
    """The lines of each file that a section has somebody write: all of a new one, else those that it adds."""
    return [
        block.text.count("\n+") if block.kind == "diff" else len(block.text.splitlines())
        for block in blocks_of(section)
    ]


def lines_stated(section: str) -> list[int]:
    return [int(each) for each in re.findall(r"(\d+) lines", section)]
