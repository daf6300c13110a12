"""Recorded statements: one file a case, with a section for each text and the dialects that it is of.

What two dialects write alike stands once, under both their names: one change is one diff.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "statements"
DIALECTS = ("duckdb", "postgres", "spark")
HEADER = re.compile(
    rf"^-- ((?:{'|'.join(DIALECTS)})(?:, (?:{'|'.join(DIALECTS)}))*)\n", re.MULTILINE
)


def path_of(case):
    """A case's file lies in the folder that its template lies in."""
    return FOLDER / Path(case.statement.template).parent / f"{case.name}.sql"


def shown(texts):
    """The file of a case, of whose texts each dialect has one."""
    dialects = {}
    for dialect in filter(texts.__contains__, DIALECTS):
        dialects.setdefault(texts[dialect], []).append(dialect)
    return "\n".join(f"-- {', '.join(each)}\n{text}\n" for text, each in dialects.items())


def read():
    """The recorded files: of each, the texts by dialect."""
    found = {}
    for path in FOLDER.rglob("*.sql"):
        _, *parts = HEADER.split(path.read_text(encoding="utf-8"))
        found[path] = {
            name: text.rstrip("\n")
            for names, text in zip(parts[::2], parts[1::2], strict=True)
            for name in names.split(", ")
        }
    return found


def write(texts):
    """Record these files and no others."""
    for path in FOLDER.rglob("*.sql"):
        path.unlink()
    for path, each in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown(each), encoding="utf-8")
