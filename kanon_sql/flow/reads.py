"""Whether a run reads a table through views: told by the texts of the views, all the way down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql import sources
from kanon_sql.sql.leaves import table as named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlglot import exp

    from kanon_sql.engine.base import Engine, Located


def may_read(engine: Engine, origins: Iterable[Located], targets: Collection[Located]) -> bool:
    """Whether what is read is one of the targets, or may read one: what cannot be told may.

    A table of a target's name is taken for it, wherever it lies.
    """
    names = {target.name.casefold() for target in targets}
    seen: set[Located] = set()
    to_see = list(origins)
    while to_see:
        found = to_see.pop()
        if found in targets:
            return True
        if found in seen or found.kind != "view":
            continue
        seen.add(found)
        text = engine.view_text(found)
        read = None if text is None else sources.tables_of(text, dialect=engine.dialect)
        if read is None:
            return True
        tables, own = read
        for each in tables:
            there = _located(engine, each, found)
            if each.name.casefold() in names or not (there or each.name in own):
                return True
            to_see += there
    return False


def _located(engine: Engine, table: exp.Table, view: Located) -> list[Located]:
    """Find what a name in the text of a view stands for: it may be seen from the view's schema."""
    if table.db:
        return engine.locate(table)
    beside = named(table.name, schema=view.schema or None, catalog=view.catalog or None)
    return [*engine.locate(table), *engine.locate(beside)]
