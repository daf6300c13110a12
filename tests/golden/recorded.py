"""Recorded statements: of each template the text that a reviewer reads, and a hash of all its texts.

A template has many cases, in three dialects. One case is recorded as text: the first that is short. A dialect
whose texts are made by a template of its own has a record of its own. All other texts are guarded against
drift by one hash for each template and dialect; they are parsed and run by the other tests of this folder.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from kanon_sql.base.sql.templates import template_root

FOLDER = Path(__file__).parent / "statements"
HASHES = FOLDER / "hashes.txt"
DIALECTS = ("duckdb", "postgres", "spark")
SHORT, LONGEST = 60, 150
"""Lines of a text that a reviewer reads at ease, and of the longest that is recorded as text."""


def of_templates(texts):
    """Group texts, by dialect and then by case, by the templates that made them."""
    found = {}
    for dialect, cases in texts.items():
        for case, text in cases.items():
            template = Path(case.statement.template).parent / case.statement.name
            found.setdefault(template, {}).setdefault(dialect, {})[case.name] = text
    return found


def hashes(texts):
    """One line for each template: a hash of the texts of all its cases, for each dialect."""
    lines = []
    for template, dialects in sorted(of_templates(texts).items()):
        digests = {
            dialect: hashlib.sha256(repr(sorted(cases.items())).encode()).hexdigest()[:12]
            for dialect, cases in dialects.items()
        }
        lines.append(" ".join([template.as_posix(), *(f"{d}:{h}" for d, h in digests.items())]))
    return "\n".join(lines) + "\n"


def shown(texts):
    """The files for review: of each template one case, in each dialect that has a template of its own."""
    root = Path(str(template_root())) / "sql"
    own = {
        (path.name.removesuffix(".sql.j2"), dialect)
        for path in root.rglob("*.sql.j2")
        for dialect in {*path.relative_to(root).parts}.intersection(DIALECTS)
    }
    files = {}
    for template, dialects in of_templates(texts).items():
        family, *others = dialects
        for dialect in [family, *(each for each in others if (template.name, each) in own)]:
            name, text = _main(dialects[dialect])
            if len(text.splitlines()) <= LONGEST:
                path = FOLDER / template.parent / f"{template.name}.{dialect}.sql"
                files[path] = f"-- {name}\n{text}\n"
    return files


def _main(cases):
    """The first case that is short, or else the shortest."""
    sizes = {name: len(text.splitlines()) for name, text in cases.items()}
    short = (name for name, lines in sizes.items() if lines <= SHORT)
    name = next(short, min(sizes, key=sizes.__getitem__))
    return name, cases[name]


def read():
    """The recorded files, by path."""
    return {path: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.sql")}


def write(texts):
    """Record these texts and no others."""
    for path in FOLDER.rglob("*.sql"):
        path.unlink()
    for path, text in shown(texts).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    HASHES.write_text(hashes(texts), encoding="utf-8")
