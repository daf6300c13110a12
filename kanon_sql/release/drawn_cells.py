"""Cells of staged rows that are drawn at random: values dealt within a class, and numbers with noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Policy


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
    free = _prefix([each.name for each in columns])
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


def _prefix(names: Sequence[str]) -> str:
    prefix = "drawn_"
    while any(each.casefold().startswith(prefix) for each in names):
        prefix += "_"
    return prefix
