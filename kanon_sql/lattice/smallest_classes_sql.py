"""Statements that suppress classes that fit, the smallest first: for models of the whole table, and Datafly's last step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.packing import Packing


@dataclass(frozen=True, slots=True)
class Rank:
    """Where the labels of one column stand in the order of their bytes, by their bits in the keys."""

    table: exp.Table
    masks: tuple[int, ...]


def missing(counting: Counting, all_: exp.Table, fitting: exp.Table) -> Statement:
    """Count what a rolled-up set holds beyond what fits, as the policy counts: rows, or entities."""
    keys = [name(key) for key in counting.packing.keys]
    leaves = {"all": all_, "fitting": fitting, "keys": keys, "entity": counting.entity}
    return Statement("lattice/missing", leaves)


def without_smallest(
    counting: Counting,
    after: exp.Table,
    before: exp.Table,
    ranks: Sequence[Rank],
    *,
    classes: int,
) -> Statement:
    """Leave out of a rolled-up set so many classes of fewest rows, of those of one size the first by their labels."""
    ranked = [
        {
            "table": rank.table,
            "alias": name(f"r{n}"),
            "code": column("code", of=f"r{n}"),
            "places": _places(counting.packing, rank.masks),
        }
        for n, rank in enumerate(ranks)
    ]
    keys = [name(key) for key in counting.packing.keys]
    leaves = {"left": after, "before": before, "keys": keys, "ranks": ranked}
    return Statement("lattice/without_smallest", {**leaves, "classes": literal(classes)})


def ranks(packing: Packing, rank: Rank, codes: exp.Table, released: exp.Table) -> Statement:
    """Return the number of each label of one column in its release map, by its bits in the keys."""
    return Statement(
        "lattice/ranks",
        {
            "ranks": rank.table,
            "codes": codes,
            "released": released,
            "keys": _places(packing, rank.masks),
            "value": column("value", of="c"),
            "label": column("value", of="r"),
        },
    )


def _places(packing: Packing, masks: Sequence[int]) -> list[dict[str, exp.Expr]]:
    return [
        {"as": name(key), "mask": literal(mask)}
        for key, mask in zip(packing.keys, masks, strict=True)
        if mask
    ]
