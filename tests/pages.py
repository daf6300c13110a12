"""The pages of the documentation: what their blocks are, and which marks they carry.

Marks are comments of Markdown. Of a block, in the line above it: `<!-- not run: REASON -->`.
Of a page: `<!-- run by: TEST FILE -->` where its blocks need an environment of their own,
`<!-- after: PAGE -->` where it starts from the files that another page leaves, and
`<!-- needs: adult -->` where the blocks below need the files of Adult.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]*) -->\n)?"
    r"^```(?P<kind>\w*)(?: title=\"(?P<title>[^\"\n]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"^<!-- (run by|after|needs): (.*) -->$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    text: str
    title: str | None
    """The file that holds the block."""
    not_run: str | None
    """Why nothing runs it."""


def names() -> list[str]:
    """Every page, from the root of the repository."""
    docs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [name for name in ("README.md", "CONTRIBUTING.md", *docs) if (ROOT / name).is_file()]


def text_of(name: str) -> str:
    path = ROOT / name
    if not path.is_file():
        pytest.skip(f"no {name} beside the tests")
    return path.read_text(encoding="utf-8")


def blocks_of(name: str, *, adult: bool = True) -> list[Block]:
    """Return the blocks of a page, or those above the mark that Adult is needed."""
    text = text_of(name)
    found = FENCE.finditer(text if adult else text.partition("<!-- needs: adult -->")[0])
    return [Block(each["kind"], each["text"], each["title"], each["reason"]) for each in found]


def marks_of(name: str) -> dict[str, str]:
    return dict(MARK.findall(text_of(name)))


def by_kind(name: str) -> dict[str, list[str]]:
    """The blocks of a page that are run, by their kinds."""
    found: dict[str, list[str]] = {}
    for block in blocks_of(name):
        if block.not_run is None:
            found.setdefault(block.kind, []).append(block.text)
    return found


def links_of(text: str) -> list[str]:
    """Where the links of a page lead, but for those to other sites."""
    prose = re.sub(r"`[^`]*`", "", FENCE.sub("", text))
    found = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def headings_of(page: Path) -> set[str]:
    """What a link to a heading of a page may say."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", each.lower())) for each in found}
