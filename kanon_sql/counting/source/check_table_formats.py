"""Refuse files of tables in formats such as Delta Lake before reading: they hold deleted rows, too."""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING

from kanon_sql.counting.run.session import on_disk, resolve
from kanon_sql.engines.local_files import slashes
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.source.table_formats import (
    TABLE_FORMATS,
    TableFormat,
    format_named,
    format_of,
)
from kanon_sql.errors import Fault, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.engines.base import Engine

    Formats = tuple[TableFormat, ...]

ANYWHERE = tuple(each for each in TABLE_FORMATS if each.anywhere)
BELOW = "/**"
ESCAPED = re.compile(r"\[([*?[])\]")
BRACES = re.compile(r"\{[^{}]*\}")
"""Alternatives in a pattern of Hadoop. Here they are replaced by `*`, which matches any name."""
UNLISTED = ("http://", "https://")
"""Schemes of addresses whose folders cannot be listed."""


def check_plain(engine: Engine, pattern: str, base: str | None) -> None:
    """Raise SourceError if the files of a pattern belong to a table of a format.

    Looks into the folders of the files, the folders between them and the pattern's fixed part, `base` (None for one
    file), and all folders above that. Raises StatementError if the folders of the pattern cannot be listed. The walk
    upwards ends at the first folder that cannot be listed.
    """
    if pattern.lower().startswith(UNLISTED):
        return
    found = _found(engine, pattern, base)
    if found:
        raise SourceError(pattern, [Fault("source", found.refusal)])


def check_query(engine: Engine, text: str, base: str) -> None:
    """Raise SourceError if a query of the policy names files of a table of a format.

    Raises ValueError if the text is not one SELECT.
    """
    for each in (
        source_sql.files_in(text, dialect=engine.dialect) if engine.capabilities.reads_files else ()
    ):
        path = resolve(on_disk(BRACES.sub("*", each), engine), base)
        if "://" in path:
            engine.make_readable(path)
        check_plain(engine, path, fixed_part(path) if glob.has_magic(path) else None)
        if not source_sql.has_ending(path):  # it may be a folder
            found = f"{path.rstrip('/')}{BELOW}/*.parquet"
            check_plain(engine, found, fixed_part(found))


def fixed_part(pattern: str) -> str:
    """Return the folders of a pattern before its first wildcard."""
    parts = []
    for part in pattern.split("/")[:-1]:
        plain = ESCAPED.sub(r"\1", part)
        if glob.escape(plain) != part:
            break
        parts.append(plain)
    return "/".join(parts)


def _found(engine: Engine, pattern: str, base: str | None) -> TableFormat | None:
    """Return the format of the table that files of a pattern belong to; None if they belong to no table."""
    parts = pattern.split("/")[:-1]
    fixed = len(parts) if base is None else len(base.split("/"))
    is_local = "://" not in pattern
    real = _real(parts[:fixed], pattern if base is None else None) if is_local else []
    for name in (*parts[:fixed][-2:], *real[-2:]):
        if found := format_named(name):
            return found
    for n in range(len(parts), fixed - 1, -1):
        formats = TABLE_FORMATS if n == len(parts) else _of_children(parts[n])
        if found := _marked(engine, "/".join(parts[:n]), formats):
            return found
    try:
        for n in range(fixed - 1, 0 if is_local else 2, -1):
            if found := _marked(engine, "/".join(parts[:n]), ANYWHERE):
                return found
    except StatementError:  # a role may read a folder without the right to list those above
        return None
    for n in range(len(real), 0, -1):
        if found := _marked(engine, "/".join(real[:n]), ANYWHERE):
            return found
    return None


def _of_children(pattern: str) -> Formats:
    """Return ANYWHERE, and the formats of which a mark may be a child folder that the pattern matches."""
    start = re.split(r"[*?[]", pattern)[0]

    def may_be(mark: str) -> bool:
        own = mark.partition("[")[0]
        return own.startswith(start) or start.startswith(own)

    own = (each for each in TABLE_FORMATS if each.own and any(map(may_be, each.marks)))
    return *ANYWHERE, *own


def _real(fixed: Sequence[str], file: str | None) -> list[str]:
    """Return the parts of the real folder of a path on this machine; none where no link leads elsewhere."""
    path = ESCAPED.sub(r"\1", file or "/".join(fixed))
    real = slashes(os.path.realpath(path))
    if real == path:
        return []
    return glob.escape(real if file is None else os.path.dirname(real)).split("/")  # noqa: PTH120


def _marked(engine: Engine, folder: str, formats: Formats) -> TableFormat | None:
    """Return the format of a folder, or of one that the pattern matches, if it has a mark; else None."""
    there = engine.format_marks(folder, formats) if "://" in folder else _on_disk(folder, formats)
    return next((found for path in there if (found := format_of(path, formats))), None)


def _on_disk(folder: str, formats: Formats) -> Iterator[str]:
    """List paths that may be marks in a folder of this machine; `**` matches all folders below."""
    if folder.endswith(BELOW):
        for top in glob.iglob(folder.removesuffix(BELOW) + "/", recursive=True):  # noqa: PTH207
            for root, names, files in os.walk(top):
                yield from (f"{root.rstrip('/')}/{name}" for name in (*names, *files))
        return
    for mark in (mark for each in formats for mark in each.marks):
        yield from glob.iglob(f"{folder}/{mark}", recursive=True)  # noqa: PTH207
