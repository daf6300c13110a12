"""k^m-anonymity of lists and events in SQL: whoever knows a class and any m items of a person finds at least k people.

Terrovitis, Mamoulis and Kalnis (VLDB 2008), within each class of a table as Poulis et al. (2013) combine both. Tables
are of numbers: `rows` has distinct class_id, person_id and item_id; `nodes` has for each item_id and level, from 0, the
label_id that it is shown as; `levels` has the level of each item of each class. An item above its last level is removed.
Where items are `repeated`, `rows` has the `times` that a person has each, and a set may have a label several times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp

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
