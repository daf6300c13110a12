"""Statements that cut a table's tuples into regions, all regions of one depth at a time.

A region is cut on one axis into *branches*, each an interval of the places on it: two on a line,
one for each child of a hierarchy's node on a tree. What a privacy model counts is known of both
sides of every cut of a line at once: a value is to the left of a cut if its first place is, and to the
right if its last is (running sums over places). Lines that are *dealt* (relaxed Mondrian) are cut at
half of their rows, in the order of the tuples, and a tuple may be on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.policy.search_options import Choose
from kanon_sql.privacy.k_anonymity import SIZE
from kanon_sql.recoding.multidimensional.regions_sql import TreeAxis
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Regions


@dataclass(frozen=True, slots=True)
class RegionTuples:
    """Of which regions the tuples are asked for, and on which axes.

    On the axis that each is widest on; or, with the cuts found `beside` that, of those regions that
    have none, on all others. Where cuts are scored it is always every axis.
    """

    working: exp.Table
    regions: exp.Table
    beside: exp.Table | None = None


def cells(
    regions: Regions, asked: RegionTuples, carried: Sequence[exp.Identifier]
) -> dict[str, object]:
    """Say how tuples are laid out on the axes that are asked of; `carried` is what is counted there."""
    return {
        "working": asked.working,
        "regions": asked.regions,
        "cuts": asked.beside,
        "every": regions.choose is not Choose.WIDTH,
        "axes": [
            {
                "number": literal(n),
                "width": name(f"width_{n}"),
                "weight": None if axis.weight is None else literal(axis.weight),
                "level": name(f"level_{n}") if isinstance(axis, TreeAxis) else None,
                "place": column(f"place_{n}", of="w"),
                "masks": [
                    {"level": literal(level), "mask": literal(axis.masks[level - 1])}
                    for level in range(1, axis.height + 1)
                ]
                if isinstance(axis, TreeAxis)
                else [],
            }
            for n, axis in enumerate(regions.axes)
        ],
        "carried": carried,
        "order": ordered(regions) if regions.dealt else [],
        "entity": name("entity") if regions.dealt and regions.entity else None,
    }


def ordered(regions: Regions) -> list[exp.Identifier]:
    """Name what tuples stand in the order of, after their places on an axis; entities come last."""
    return [each for each in regions.carried if each.name != "entity"]


def ends(regions: Regions) -> list[dict[str, object]]:
    """Name the bounds of parts on all axes."""
    return [
        {"place": name(f"place_{n}"), "low": name(f"low_{n}"), "high": name(f"high_{n}")}
        for n in range(len(regions.axes))
    ]


def parts(regions: Regions, table: exp.Table, asked: RegionTuples) -> Statement:
    """Count each region's rows by their places on axes, or the children of its nodes there.

    A line that is dealt has two places, its lower and its upper half. Where cuts are chosen by their
    loss, each part has its bounds on all axes.
    """
    bounds = ends(regions) if regions.choose is Choose.LOSS else []
    if regions.dealt:
        carried = regions.carried
    else:
        carried = [name(text) for text, _ in _counted(regions)]
        carried += [name(f"place_{n}") for n in range(len(bounds))]
    leaves = {**cells(regions, asked, carried), "parts": table, "ends": bounds}
    return Statement("multidimensional/parts", {**leaves, "measures": _measures(regions)})


def cuts(regions: Regions, table: exp.Table, parts: exp.Table) -> Statement:
    """Choose each region's cut: on the widest axis that has an allowable one, the most balanced.

    Allowable is a cut of a line whose sides both fit, and of a tree whose branches all do. Ties go
    to the first axis, then to the smaller place. At the median the cuts right before and after
    its place come first, and ties go to the one after it. Parts that are scored have the cut of the
    least score, and these rules are for ties.
    """
    return Statement(
        "multidimensional/region_cuts",
        {
            "cuts": table,
            "parts": parts,
            "scored": regions.choose is not Choose.WIDTH,
            "trees": [literal(n) for n in _whole(regions)],
            "measures": _measures(regions),
            "fits": _fits(regions),
            "median": regions.median,
        },
    )


def _whole(regions: Regions) -> list[int]:
    """Give the numbers of the axes that are cut in one way only, into all of their parts."""
    return list(range(len(regions.axes))) if regions.dealt else regions.trees


def _counted(regions: Regions) -> list[tuple[str, str]]:
    """Name what is counted of a part beside its rows, by its distinct values."""
    counted = [(f"spread_{n}", f"values_{n}") for n in range(len(regions.spreads))]
    return [*counted, ("entity", "entities")] if regions.entity else counted


def _measures(regions: Regions) -> list[dict[str, object]]:
    return [
        {
            "of": name(of),
            "as": name(text),
            "first": name(f"first_{text}"),
            "last": name(f"last_{text}"),
            "left": name(f"left_{text}"),
            "right": name(f"right_{text}"),
            "alias": name(f"m{n}"),
        }
        for n, (of, text) in enumerate(_counted(regions))
    ]


def _fits(regions: Regions) -> list[dict[str, object]]:
    """Say what both sides of a cut, or every branch of one, must reach: rows, or different values.

    Both are sums of firsts and of lasts along a line, so that all cuts of it are counted in one pass. That is
    Mondrian's own way to count them, and why it is asked for no other measure.
    """
    fits: list[dict[str, object]] = []
    for requirement in regions.requirements:
        of, text = requirement.measure.sensitive, "entities" if regions.entity else "rows"
        if of is not None:
            text = f"values_{regions.spreads.index(of)}"
        elif requirement.measure != SIZE:
            raise InternalError(f"mondrian does not count {requirement.measure}")
        fits.append(
            {
                "left": name(f"left_{text}"),
                "right": name(f"right_{text}"),
                "least_of_all": name(f"least_{text}"),
                "of": name("row_count" if text == "rows" else text),
                "least": literal(requirement.bound),
            }
        )
    return fits


def branches(
    regions: Regions,
    table: exp.Table,
    found: Sequence[tuple[exp.Table, exp.Table]],
    *,
    first: int,
) -> Statement:
    """Give what regions are cut into numbers from `first` on: (cuts, the parts they were chosen from)."""
    trees = [
        {
            "number": literal(n),
            "sizes": [
                {"level": literal(level), "size": literal(axis.masks[0] - axis.masks[level - 1])}
                for level in range(1, axis.height + 1)
            ],
        }
        for n, axis in enumerate(regions.axes)
        if isinstance(axis, TreeAxis)
    ]
    return Statement(
        "multidimensional/branches",
        {
            "branches": table,
            "dealt": regions.dealt,
            "found": [{"cuts": cuts, "parts": parts} for cuts, parts in found],
            "trees": trees,
            "first": literal(first),
            "lowest": literal(-1),
            "highest": literal(2**62),
        },
    )


def split(regions: Regions, after: exp.Table, working: exp.Table, branches: exp.Table) -> Statement:
    """Move the tuples of the regions that were cut into their branches; the others are done.

    A tuple that lies on both sides of a line that was dealt is in both branches, with its rows there.
    """
    leaves = {
        "after": after,
        "working": working,
        "branches": branches,
        "axes": [
            {"number": literal(n), "place": column(f"place_{n}", of="w")}
            for n in range(len(regions.axes))
        ],
        "carried": [column(each.name, of="w") for each in regions.carried],
    }
    if not regions.dealt:
        return Statement("multidimensional/split", leaves)
    own = {
        "trees": [literal(n) for n in regions.trees],
        "order": [column(each.name, of="w") for each in ordered(regions)],
        "entity": column("entity", of="w") if regions.entity else None,
    }
    return Statement("multidimensional/deal", {**leaves, **own})


def uncut(boxes: exp.Table, regions: exp.Table, found: Sequence[exp.Table]) -> Statement:
    """Keep the regions that have no allowable cut, with their bounds."""
    return Statement("multidimensional/uncut", {"boxes": boxes, "regions": regions, "found": found})


def done(regions: Regions, table: exp.Table, working: exp.Table, branches: exp.Table) -> Statement:
    """Keep the tuples of the regions that are not cut any more."""
    leaves = {"done": table, "working": working, "branches": branches}
    return Statement("multidimensional/done", {**leaves, "carried": regions.carried})


@dataclass(frozen=True, slots=True)
class CutStatement:
    """A statement among others, and the tables that none after it reads."""

    statement: Statement
    spent: tuple[exp.Table, ...] = ()


def lead(
    regions: Regions,
    homes: exp.Table,
    working: exp.Table,
    branches: Sequence[exp.Table],
    named: Callable[[str, int], exp.Table],
) -> Iterator[CutStatement]:
    """Lead tuples along the branches of each depth: in which region each ends."""
    ended: list[exp.Table] = []
    for depth, branch in enumerate(branches, start=1):
        ended.append(named("ended", depth))
        yield CutStatement(done(regions, ended[-1], working, branch))
        after = named("tuples", depth + 1)
        yield CutStatement(split(regions, after, working, branch), (working,))
        working = after
    yield CutStatement(together(homes, [*ended, working]), (*ended, working))


def dealt_homes(regions: Regions, table: exp.Table, homes: exp.Table) -> Statement:
    """Say in which region each row of a tuple lies, by the row's number among those of the tuple."""
    leaves = {"dealt": table, "homes": homes, "carried": regions.carried}
    return Statement("multidimensional/dealt_homes", leaves)


def count_branches(branches: exp.Table) -> Statement:
    """Count the regions that were cut, and what they were cut into."""
    return Statement("multidimensional/count_branches", {"branches": branches})


def together(table: exp.Table, parts: Sequence[exp.Table]) -> Statement:
    """Put the rows of several tables of one form into one."""
    return Statement("multidimensional/together", {"table": table, "parts": parts})
