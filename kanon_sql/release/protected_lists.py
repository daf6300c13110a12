"""Stages the rows of a release whose masks work on all staged rows: cells drawn at random, and protected lists."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.read_paths import create_paths
from kanon_sql.errors import Fault, InputError, VerificationError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.protect_items import protect_items
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.staging_sql import in_any_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.masks import ItemsMask
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.query import ReleaseQuery


def is_drawn(policy: Policy) -> bool:
    """Whether a policy draws cells of staged rows at random."""
    return any(each.mask is not None and each.mask.drawn_by for each in policy.columns)


def draw_cells(
    staged: exp.Table,
    before: exp.Table,
    policy: Policy,
    columns: Sequence[ColumnType],
    quasi: Sequence[str],
    *,
    places_rows: bool = False,
) -> Statement:
    """Copy staged rows of these columns with the cells that a policy draws; classes are rows with equal `quasi`.

    A database that `places_rows` draws beside few columns, and joins the cells to their rows by the place of these.
    """
    names = {each.name.casefold() for each in columns}
    masks = {each.name: each.mask for each in policy.columns if each.mask is not None}
    free = _drawn_prefix([each.name for each in columns])
    described: list[dict[str, object]] = []
    noisy: list[dict[str, object]] = []
    shuffled: list[dict[str, object]] = []
    for number, each in enumerate(columns):
        own = column(each.name, of="s")
        entry: dict[str, object] = {"from": own, "as": name(each.name), "drawn": None}
        mask = masks.get(each.name)
        if mask is not None and mask.drawn_by is not None:
            lot, draw, nth, value = (
                f"{free}{what}_{number}" for what in ("lot", "draw", "nth", "value")
            )
            entry |= {"drawn": mask.drawn_by, **mask.leaves(each.family)}
            if "half" in entry:
                half = int(str(entry.pop("half")))
                entry |= {"lot": column(lot, of="s"), "draw": column(draw, of="s")}
                noisy.append(
                    {"lot": name(lot), "draw": name(draw), "many": 2 * half + 1, "half": half}
                )
            else:
                alias = f"{free}of_{number}"
                entry["value"] = column(value, of=alias)
                same = [
                    {
                        "own": column(text, of="s"),
                        "other": column(f"{free}label_{n}", of=alias),
                        "as": name(f"{free}label_{n}"),
                    }
                    for n, text in enumerate(quasi)
                ]
                shuffled.append(
                    {
                        "alias": name(alias),
                        "lot": name(lot),
                        "by": column(lot, of="s"),
                        "nth": name(nth),
                        "from": own,
                        "value": name(value),
                        "same": same,
                    }
                )
        described.append(entry)
    leaves = {
        "staged": staged,
        "before": before,
        "labels": [column(text, of="s") for text in quasi],
        "columns": described,
        "shuffled": shuffled,
        "noisy": noisy,
        "place": name(f"{free}place") if places_rows and "rowid" not in names else None,
    }
    return Statement("release/draw_cells", leaves)


def _drawn_prefix(names: Sequence[str]) -> str:
    prefix = "drawn_"
    while any(each.casefold().startswith(prefix) for each in names):
        prefix += "_"
    return prefix


def stage_and_mask(run: Session, query: ReleaseQuery) -> tuple[str, ...]:
    """Stage the rows of a query in steps, each a table of the one before; return warnings of what its lists lost.

    Guarantee: in a shuffled column each class has the same values as before, in a column with noise the sum is the
    same, and any items that are known of a person are those of k people of the class. Raises VerificationError.
    """
    steps: list[Callable[[exp.Table, exp.Table], str | None]] = []
    told: list[str | None] = []
    if is_drawn(run.policy):
        steps.append(partial(_draw, run, query))
    steps += [partial(_protect, run, query, each.name) for each in lists_of(run.policy)]
    before = run.scratch.table("unmasked")
    staging = replace(query.staging, leaves={**query.staging.leaves, "staged": before})
    run.engine.execute(in_any_order(staging) if is_drawn(run.policy) else staging)
    for number, step in enumerate(steps, start=1):
        after = query.staged if number == len(steps) else run.scratch.table("unmasked")
        told.append(step(before, after))
        run.scratch.drop(before)
        before = after
    return tuple(filter(None, told))


def _draw(run: Session, query: ReleaseQuery, before: exp.Table, after: exp.Table) -> None:
    columns = run.engine.columns(before)
    places = run.engine.capabilities.places_rows
    drawn = draw_cells(after, before, run.policy, columns, query.quasi, places_rows=places)
    run.engine.execute(drawn)


def _protect(
    run: Session, query: ReleaseQuery, named: str, before: exp.Table, after: exp.Table
) -> str | None:
    (own,) = (each for each in lists_of(run.policy) if each.name == named)
    return protect_lists(run, query, before, after, own)


def lists_of(policy: Policy) -> list[Column]:
    """Return the columns of lists whose items are protected."""
    return [each for each in policy.columns if each.mask is not None and each.mask.in_lists]


def protect_lists(
    run: Session, query: ReleaseQuery, before: exp.Table, staged: exp.Table, own: Column
) -> str | None:
    """Copy staged rows to `staged` with one column's lists protected; return a warning of what they lost.

    Guarantee: whoever knows the labels of a person's class and `known` items finds at least k people in the copy, by a
    recount of its lists alone. Raises VerificationError otherwise.
    """
    mask: ItemsMask = own.action  # type: ignore[assignment]
    scratch, create = run.scratch, run.scratch.create
    columns = [each.name for each in run.engine.columns(before)]
    free = _prefix(columns)
    separator = None if mask.items is None else literal(mask.items)
    hidden = staging_sql.hidden_entity(run.policy)
    entity = hidden or run.policy.entity
    person = None if entity is None else column(entity, of="s")
    labels = [column(text, of="s") for text in query.quasi]
    named = {what: f"{free}{what}" for what in ("row", "class", "person")}
    numbered = create(
        "numbered",
        lambda table: Statement(
            "release/lists/numbered_rows",
            {
                "numbered": table,
                "before": before,
                "labels": labels,
                "person": person,
                **{f"{what}_as": name(text) for what, text in named.items()},
            },
        ),
    )
    read = {what: column(text, of="s") for what, text in named.items()}
    if person is None:
        read["person"] = read["row"]
    shown = {"list": column(own.name, of="s"), "separator": separator}
    leaves: dict[str, object] = {"numbered": numbered, **shown, **read}
    cells = create(
        "cells", lambda table: Statement("release/lists/item_cells", {**leaves, "cells": table})
    )
    domain = create("domain", mapping_sql.domain, cells, "item")
    numbers = create(
        "numbers",
        lambda table: Statement("release/lists/item_numbers", {"numbers": table, "domain": domain}),
    )
    nodes = _nodes(run, own, mask, domain, numbers)
    rows = create(
        "rows",
        lambda table: Statement(
            "release/lists/item_rows", {"rows": table, "cells": cells, "numbers": numbers}
        ),
    )
    least = demands(run.policy.privacy)[0].class_size
    levels, left, had = protect_items(
        run.engine, scratch, rows, nodes, known=mask.known, least=least
    )
    described = [
        {"from": column(each, of="s"), "as": name(each), "list": each == own.name}
        for each in columns
    ]
    run.engine.execute(
        Statement(
            "release/lists/protected_lists",
            {
                "staged": staged,
                "numbered": numbered,
                "cells": cells,
                "numbers": numbers,
                "levels": levels,
                "nodes": nodes,
                "columns": described,
                "row": read["row"],
                "separator": separator,
            },
        )
    )
    for done in (numbered, cells, domain, numbers, nodes, rows, levels):
        scratch.drop(done)
    _recount(run, staged, own, mask, quasi=query.quasi, person=person, least=least)
    lost = (
        f"{own.name}: {left:,} of {had:,} items of people are left in its lists, as they are or generalized: larger classes, "
        f"by fewer and coarser quasi-identifiers, keep more"
    )
    return lost if left < had else None


def _nodes(
    run: Session, own: Column, mask: ItemsMask, domain: exp.Table, numbers: exp.Table
) -> exp.Table:
    """Create the labels of each item at each level of the hierarchy; at level 0 alone without one."""
    paths, height = None, 0
    if mask.hierarchy is not None:
        paths = run.scratch.table("paths")
        of_items = Column(own.name, Role.QUASI, mask.hierarchy)
        try:
            height, _ = create_paths(run, of_items, domain, paths)
        except (ValueError, OSError) as error:
            where = f"columns.{own.name}.hierarchy"
            raise InputError(run.policy.subject, [Fault(where, str(error))]) from None
    levels = [
        {
            "number": number,
            "column": column(mapping_sql.level(number), of="p"),
            "other": column(mapping_sql.level(number), of="q"),
            "last": number == height,
        }
        for number in range(1, height + 1)
    ]
    return run.scratch.create(
        "nodes",
        lambda table: Statement(
            "release/lists/item_nodes",
            {"nodes": table, "numbers": numbers, "paths": paths, "levels": levels},
        ),
    )


def _recount(
    run: Session,
    staged: exp.Table,
    own: Column,
    mask: ItemsMask,
    *,
    quasi: Sequence[str],
    person: exp.Column | None,
    least: int,
) -> None:
    """Raise VerificationError if the lists of a table have sets of labels that too few people of a class have."""
    labels = [
        {
            "from": column(text, of="s"),
            "as": name(f"label_{number}"),
            "inner": column(f"label_{number}", of="e"),
            "outer": column(f"label_{number}", of="c"),
        }
        for number, text in enumerate(quasi)
    ]
    statement = Statement(
        "release/lists/count_short_lists",
        {
            "staged": staged,
            "list": column(own.name, of="s"),
            "separator": None if mask.items is None else literal(mask.items),
            "labels": labels,
            "person": person,
            "size": mask.known,
            "least": least,
        },
    )
    if short := run.engine.fetch_count(statement):
        raise VerificationError(
            f"columns.{own.name}: {counted(short, 'set')} of at most {mask.known} items belong{'s' if short == 1 else ''} to fewer than "
            f"{least:,} people of a class; the staged release was dropped and nothing was published"
        )


def _prefix(names: Sequence[str]) -> str:
    prefix = "kanon_"
    while any(each.casefold().startswith(prefix) for each in names):
        prefix += "_"
    return prefix
