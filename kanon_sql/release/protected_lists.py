"""Lists of staged rows: items are generalized or removed until k^m-anonymity holds, and the lists are recounted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.read_paths import create_paths
from kanon_sql.errors import Fault, InputError, VerificationError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.protect_items import protect_items
from kanon_sql.recoding import staging_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.masks import ItemsMask
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.query import ReleaseQuery


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
            f"columns.{own.name}: {short:,} sets of at most {mask.known} items are those of fewer than {least:,} people "
            f"of a class; the staged release was dropped and nothing was published"
        )


def _prefix(names: Sequence[str]) -> str:
    prefix = "kanon_"
    while any(each.casefold().startswith(prefix) for each in names):
        prefix += "_"
    return prefix
