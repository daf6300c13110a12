"""k^m-anonymity of lists and events: items are generalized or removed until k people have any m that one could know.

Terrovitis, Mamoulis and Kalnis (VLDB 2008), within each class of a table as Poulis et al. (2013) combine both. Tables
are of numbers: `rows` has distinct class_id, person_id and item_id; `nodes` has for each item_id and level, from 0, the
label_id that it is shown as; `levels` has the level of each item of each class. An item above its last level is removed.
Where items are `repeated`, `rows` has the `times` that a person has each, and a set may have a label several times.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.source import source_sql

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch


MOST_KNOWN = 3
"""The most items that somebody may be taken to know: sets of more are too many to count."""


def first_levels(levels: exp.Table, rows: exp.Table) -> Statement:
    """Put every item of every class at level 0."""
    return Statement("privacy/itemsets/first_levels", {"levels": levels, "rows": rows})


def labelled_items(
    items: exp.Table,
    rows: exp.Table,
    levels: exp.Table,
    nodes: exp.Table,
    *,
    repeated: bool = False,
    known: int = 1,
) -> Statement:
    """Create the distinct class_id, person_id and label_id of people, at the items' levels.

    Where `repeated`, a label that a person has several times has a row for each `nth` time, up to `known`.
    """
    tables = {"items": items, "rows": rows, "levels": levels, "nodes": nodes}
    leaves = {**tables, "repeated": repeated, "nths": range(1, known + 1)}
    return Statement("privacy/itemsets/labelled_items", leaves)


def short_itemsets(
    short: exp.Table, items: exp.Table, *, size: int, least: int, repeated: bool = False
) -> Statement:
    """Create the sets of `size` labels that at least one and fewer than `least` people of a class have."""
    leaves = {
        "short": short,
        "items": items,
        "size": size,
        "least": least,
        "repeated": repeated,
    }
    return Statement("privacy/itemsets/short_itemsets", leaves)


def labels_to_raise(
    raised: exp.Table, items: exp.Table, short: exp.Table, *, size: int, repeated: bool = False
) -> Statement:
    """Choose the labels of each class that are in the most short sets, for each person who has them."""
    leaves = {
        "raised": raised,
        "items": items,
        "short": short,
        "size": size,
        "repeated": repeated,
    }
    return Statement("privacy/itemsets/labels_to_raise", leaves)


def raised_items(
    after: exp.Table, levels: exp.Table, raised: exp.Table, nodes: exp.Table
) -> Statement:
    """Create the levels after each raised label is generalized with all that has the same parent, or removed."""
    leaves = {"after": after, "levels": levels, "raised": raised, "nodes": nodes}
    return Statement("privacy/itemsets/raised_items", leaves)


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
