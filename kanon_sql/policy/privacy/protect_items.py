"""Generalizes and removes items of lists or events until k^m-anonymity holds, within each class."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.engines.source import source_sql
from kanon_sql.policy.privacy.itemsets_sql import (
    first_levels,
    labelled_items,
    labels_to_raise,
    raised_items,
    short_itemsets,
)

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch


def protect_items(
    engine: Engine,
    scratch: Scratch,
    rows: exp.Table,
    nodes: exp.Table,
    *,
    known: int,
    least: int,
    repeated: bool = False,
) -> tuple[exp.Table, int, int]:
    """Return the levels at which all sets of `known` labels have `least` people of a class, people's labels, their items.

    `rows` and `nodes` are as `itemsets_sql` says. Sets of one label are mended first, then those of two, then of three:
    generalizing a label or removing it leaves every other set with as many people as before, or more, so that no
    smaller set falls short again. It ends, as every round raises a level. Where items are `repeated`, a set has a label
    as often as somebody knows it, so that its size is still the number of items that are known.
    """
    labelled = partial(labelled_items, repeated=repeated, known=known)
    levels = scratch.create("levels", first_levels, rows)
    items = scratch.create("items", labelled, rows, levels, nodes)
    had = engine.fetch_count(source_sql.count_rows(items))
    for size in range(1, known + 1):
        while True:
            short = scratch.create(
                "short", short_itemsets, items, size=size, least=least, repeated=repeated
            )
            found = engine.fetch_count(source_sql.count_rows(short))
            if not found:
                scratch.drop(short)
                break
            raised = scratch.create(
                "raised", labels_to_raise, items, short, size=size, repeated=repeated
            )
            after = scratch.table("levels")
            engine.execute(raised_items(after, levels, raised, nodes))
            for done in (short, raised, items, levels):
                scratch.drop(done)
            levels = after
            items = scratch.create("items", labelled, rows, levels, nodes)
    left = engine.fetch_count(source_sql.count_rows(items))
    scratch.drop(items)
    return levels, left, had
