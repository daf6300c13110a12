"""Statements that order the tuples of each leaf in a line, and group it into runs.

A leaf is a region that is cut no further. Its line is the reflected mixed-radix order of the values' numbers in the leaf;
a run is an interval of the line's rows, so that a tuple may lie in several. Runs are named by the numbers of their first
rows, over all leaves in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.privacy.fitting_sql import KeyPart
from kanon_sql.policy.search_options import Choose
from kanon_sql.recoding.multidimensional.region_cuts_sql import loss_unit, ordered
from kanon_sql.recoding.multidimensional.regions_sql import POINTS, LineAxis, Packed, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import LineCut, LineOrder, Regions


WORD = 62
"""The bits of an integer that are used: `BitRange.above` may need one more, and none is the sign."""

MOST_WORDS = 4
"""The most integers for one axis: on an axis of more places, values are looked up."""

LEAST_PLACE = -1
"""The place of NULL."""


@dataclass(frozen=True, slots=True)
class BitRange:
    """The bits of consecutive places of an axis in one integer: place p has bit p + `shift`."""

    axis: int
    word: int
    least: int
    places: int
    begin: int

    @property
    def most(self) -> int:
        return self.least + self.places - 1

    @property
    def shift(self) -> int:
        return self.begin - self.least

    @property
    def lowest(self) -> int:
        """Return the number whose only bit is the first one."""
        return 1 << self.begin

    @property
    def above(self) -> int:
        """Return the number whose only bit is the one above the last."""
        return self.lowest << self.places


def bit_ranges(
    coordinates: Mapping[int, int], *, most_words: int = MOST_WORDS
) -> dict[int, list[BitRange]]:
    """Assign bits to each axis that has few enough places, to those of most places first.

    >>> made = bit_ranges({0: 3, 1: 100, 2: 10_000})
    >>> [(n, r.word, r.least, r.places, r.begin) for n in made for r in made[n]]
    [(1, 0, -1, 62, 0), (1, 1, 61, 38, 0), (0, 1, -1, 3, 38)]
    """
    begun: list[int] = []
    made: dict[int, list[BitRange]] = {}
    for axis in sorted(coordinates, key=lambda n: (-coordinates[n], n)):
        if coordinates[axis] > most_words * WORD:
            continue
        made[axis] = []
        for first in range(0, coordinates[axis], WORD):
            places = min(WORD, coordinates[axis] - first)
            word = next((n for n, used in enumerate(begun) if used + places <= WORD), len(begun))
            if word == len(begun):
                begun.append(0)
            made[axis].append(BitRange(axis, word, LEAST_PLACE + first, places, begun[word]))
            begun[word] += places
    return made


def by_word(ranges: Mapping[int, Sequence[BitRange]]) -> list[list[BitRange]]:
    """Return the ranges of each integer, in the order of the integers."""
    listed = [each for of_axis in ranges.values() for each in of_axis]
    many = 1 + max((each.word for each in listed), default=-1)
    return [[each for each in listed if each.word == n] for n in range(many)]


def local_ranks(regions: Regions, table: exp.Table, leaves: exp.Table) -> Statement:
    """Count the values of each leaf on each axis, each with its number."""
    of = {"ranks": table, "leaves": leaves, "axes": range(len(regions.axes))}
    return Statement("multidimensional/runs/local_ranks", of)


def axes_of_line(ranks: exp.Table) -> Statement:
    """List the axes by increasing number of values: with that, the least and greatest coordinate, and all rows."""
    return Statement("multidimensional/runs/axes_of_line", {"ranks": ranks})


def axes_by_values(ranks: exp.Table) -> Statement:
    """List the axes by increasing number of values."""
    return Statement("multidimensional/runs/axes_by_values", {"ranks": ranks})


def leaf_values(regions: Regions, table: exp.Table, leaves: exp.Table) -> Statement:
    """Count the values of each leaf on each axis, and the pairs of its rows that are alike there."""
    of = {"counted": table, "leaves": leaves, "axes": range(len(regions.axes))}
    return Statement("multidimensional/runs/leaf_values", of)


def axes_of_ranks(regions: Regions) -> list[int]:
    """List the axes of too many places for bits: tuples are joined with the numbers of their values there."""
    ranges = _bits_of(regions)
    return [n for n, _ in enumerate(regions.axes) if n not in ranges]


def ranks_in_leaves(
    regions: Regions, table: exp.Table, leaves: exp.Table, orders: exp.Table
) -> Statement:
    """Give numbers to the values of each leaf on the axes of `axes_of_ranks`, but for the last of its order."""
    axes = axes_of_ranks(regions)
    of = {"ranks": table, "leaves": leaves, "orders": orders, "axes": axes}
    return Statement("multidimensional/runs/ranks_in_leaves", {**of, "last": len(regions.axes) - 1})


def last_radix(regions: Regions) -> int:
    """Return the radix of the last position of an order, where the place of any axis may stand."""
    return max(axis.coordinates for axis in regions.axes)


def _bits_of(regions: Regions) -> dict[int, list[BitRange]]:
    return bit_ranges({n: axis.coordinates for n, axis in enumerate(regions.axes)})


def leaf_orders(
    regions: Regions,
    table: exp.Table,
    found: exp.Table,
    *,
    counted: exp.Table | None = None,
    leaves: exp.Table | None = None,
    ranks: exp.Table | None = None,
    given: Sequence[int] = (),
) -> Statement:
    """Order the axes of each leaf by the pairs of rows alike on them, by the root of their values, or all as is `given`.

    The values are those `counted` in `leaves`; for a given order they follow from `ranks`.
    """
    weights = [
        {"axis": n, "weight": axis.weight}
        for n, axis in enumerate(regions.axes)
        if axis.weight is not None
    ]
    described = {
        "orders": table,
        "ranks": ranks,
        "counted": counted,
        "leaves": leaves,
        "regions": found,
        "given": given,
        "by_loss": regions.choose is Choose.LOSS,
        "axes": range(len(regions.axes)),
        "weights": weights,
    }
    return Statement("multidimensional/runs/leaf_orders", described)


def greatest_radixes(regions: Regions, orders: exp.Table) -> Statement:
    """Find the rows of the largest leaf, and the most values at each position of an order."""
    leaves = {"orders": orders, "axes": range(len(regions.axes))}
    return Statement("multidimensional/runs/greatest_radixes", leaves)


def lined_tuples(
    regions: Regions,
    table: exp.Table,
    leaves: exp.Table,
    *,
    ranks: exp.Table | None,
    orders: exp.Table,
    keys: Sequence[Sequence[int]],
    given: Sequence[int] = (),
) -> Statement:
    """Order the tuples of each leaf, those that differ in no coordinate by all else that they have.

    The `keys` hold positions of the order, which is the same in all leaves where it is `given`.
    """
    ranges = {} if given else _bits_of(regions)
    return Statement(
        "multidimensional/runs/lined_tuples",
        {
            "line": table,
            "leaves": leaves,
            "ranks": ranks,
            "orders": orders,
            "last_radix": None if given else last_radix(regions),
            "axes": range(len(regions.axes)),
            "keys": keys,
            "given": given,
            "words": by_word(ranges),
            "ranges": ranges,
            "carried": [column(each.name, of="w") for each in regions.carried],
            "order": [column(each.name, of="w") for each in _beyond(regions)],
            "entity": column("entity", of="w") if regions.entity else None,
        },
    )


def one_line(regions: Regions, table: exp.Table, tuples: exp.Table, order: LineOrder) -> Statement:
    """Order all tuples in one line, with packed coordinates and the first key of the line."""
    return Statement(
        "multidimensional/runs/one_line",
        {
            "line": table,
            "leaves": tuples,
            "ranks": order.ranks,
            "axes": range(len(regions.axes)),
            "keys": keys_of(order.radixes),
            "given": order.given,
            "radixes": order.radixes,
            "least": order.least,
            "packed": packed_places(regions),
            "beyond": [column(each.name, of="w") for each in _beyond(regions)],
            "entity": column("entity", of="w") if regions.entity else None,
        },
    )


def equal_runs(
    regions: Regions, table: exp.Table, line: exp.Table, cut: LineCut, *, once: bool
) -> Statement:
    """Cut one line of the whole table into equal parts, of tuples that have nothing but coordinates.

    What is read `once` is a view.
    """
    leaves = {"runs": table, "line": line, "cut": cut, "places": unpacked(regions)}
    return Statement("multidimensional/runs/equal_runs", {**leaves, "as_view": once})


def filled_runs(table: exp.Table, line: exp.Table, order: LineOrder, cut: LineCut) -> Statement:
    """List the runs that one tuple fills, which may be several parts of a line."""
    leaves = {"filled": table, "line": line, "cut": cut, "keys": keys_of(order.radixes)}
    return Statement("multidimensional/runs/filled_runs", leaves)


def packed_places(regions: Regions) -> list[Packed]:
    """Pack the coordinates of tuples."""
    many = len(regions.axes)
    return Packed.bits([column(f"place_{n}", of="w") for n in range(many)], regions.axes)


def _beyond(regions: Regions) -> list[exp.Identifier]:
    """Name what distinguishes tuples beyond their coordinates; entities come last."""
    return ordered(regions)[len(regions.axes) :]


def equal_parts(
    regions: Regions,
    table: exp.Table,
    line_: exp.Table,
    *,
    rows: int | None = None,
    least: int | None = None,
    most: int | None = None,
) -> Statement:
    """Cut each line into parts of equal size: as many as have `least` rows, or as few as have at most `most`.

    One line of the whole table, made by `one_line`, has so many `rows`.
    """
    leaves: dict[str, object] = {"parts": table, "line": line_, "least": least, "most": most}
    axes, carried = len(regions.axes), regions.carried
    leaves |= {"rows": rows, "beyond": carried[axes:], "places": [], "carried": carried}
    if rows is not None:
        leaves["places"] = unpacked(regions)
        keys = [name(f"tuple_{n}") for n, _ in enumerate(packed_places(regions))]
        leaves["carried"] = [*keys, *carried[axes:]]
    return Statement("multidimensional/runs/equal_parts", leaves)


def unpacked(regions: Regions) -> list[dict[str, object]]:
    """Say how each coordinate follows from those that are packed."""
    keys = [(f"tuple_{n}", each) for n, each in enumerate(packed_places(regions))]
    unpacked = [p for text, key in keys for p in key.unpacked(column(text, of="p"))]
    return [{**each, "as": regions.carried[n]} for n, each in enumerate(unpacked)]


def sections(table: exp.Table, parts: exp.Table, least: int, steps: int) -> Statement:
    """Count the runs that fit in each section of a line, and the rows that are left over, used up in so many steps."""
    leaves = {"sections": table, "parts": parts, "least": least, "steps": steps}
    return Statement("multidimensional/runs/sections", leaves)


def spans(table: exp.Table, numbers: exp.Table, steps: int) -> Statement:
    """List the whole numbers from a first to a last one: from 0 to so many blocks, from each step to another.

    Tables are joined with these by equality, which costs every database less than by bounds. `numbers` are from 0 on.
    """
    leaves = {"spans": table, "numbers": numbers, "steps": steps}
    return Statement("multidimensional/runs/spans", leaves)


def blocks(
    regions: Regions,
    table: exp.Table,
    *,
    parts: exp.Table,
    sections: exp.Table,
    spans: exp.Table,
    least: int,
) -> Statement:
    """Cut the sections into blocks of the least rows of a run, and number the steps of a boundary there."""
    return Statement(
        "multidimensional/runs/blocks",
        {
            "blocks": table,
            "parts": parts,
            "sections": sections,
            "spans": spans,
            "least": least,
            "carried": [column(each.name, of="p") for each in regions.carried],
            "names": regions.carried,
        },
    )


@dataclass(frozen=True, slots=True)
class PossibleRuns:
    """The runs that could be: `span` blocks of a section have numbers, a power of two that is more than it has."""

    regions: Regions
    least: int
    span: int

    @property
    def narrow(self) -> dict[int, BitRange]:
        """Give the axes whose bounds are bits: of few places, flat trees or lines on which these are evenly apart."""
        coordinates = {
            n: axis.coordinates
            for n, axis in enumerate(self.regions.as_released.axes)
            if (axis.even if isinstance(axis, LineAxis) else axis.flat)
        }
        return {n: each for n, (each,) in bit_ranges(coordinates, most_words=1).items()}

    @property
    def bounds(self) -> dict[str, object]:
        """Say to templates how bounds are written: as bits of words, or as a low and a high one."""
        narrow = self.narrow
        words = by_word({n: [each] for n, each in narrow.items()})
        ranged = [n for n in range(len(self.regions.axes)) if n not in narrow]
        return {"span": self.span, "words": words, "ranged": ranged}

    def step_bounds(self, table: exp.Table, blocks_: exp.Table, spans: exp.Table) -> Statement:
        """Bound the rows of each block from each step on, and up to each."""
        leaves = {"bounded": table, "blocks": blocks_, "spans": spans}
        return Statement("multidimensional/runs/step_bounds", {**leaves, **self.bounds})

    def losses(self, table: exp.Table, bounded: exp.Table, spans: exp.Table) -> Statement:
        """Score every run that could be by its loss, as cuts are; in fewer parts, so that sums with a step fit."""
        leaves = {
            "losses": table,
            "bounded": bounded,
            "spans": spans,
            "least": self.least,
            "working": None,
            **self.bounds,
            **self.regions.as_released.measured,
            "narrow": self.narrow,
        }
        unit = max(loss_unit(self.regions.axes) // 1000, 1)
        return Statement("multidimensional/runs/run_losses", {**leaves, "unit": unit})

    def joined_segments(self, table: exp.Table, segments: exp.Table, *, level: int) -> Statement:
        """Join neighbouring segments of a section in pairs, each pair by the step that loses least."""
        leaves = {"joined": table, "segments": segments, "half": half_of(level)}
        last = (self.span - 1) * POINTS
        return Statement("multidimensional/runs/joined_segments", {**leaves, "last": last})


def half_of(level: int) -> int:
    """Return by how much a second segment begins later than the first one, which are of 2 ** level blocks each."""
    return POINTS << level


def chosen_segments(
    table: exp.Table, joined: exp.Table, above: exp.Table | None, *, level: int
) -> Statement:
    """Part the chosen segments again; where there are none `above`, those of whole sections."""
    leaves = {"chosen": table, "above": above, "joined": joined, "half": half_of(level)}
    return Statement("multidimensional/runs/chosen_segments", leaves)


def runs_of_tuples(
    regions: Regions,
    table: exp.Table,
    *,
    parts: exp.Table,
    sections: exp.Table,
    blocks: exp.Table,
    chosen: exp.Table,
    least: int,
    span: int,
) -> Statement:
    """Assign each tuple its rows in the chosen runs."""
    return Statement(
        "multidimensional/runs/runs_of_tuples",
        {
            "runs": table,
            "parts": parts,
            "sections": sections,
            "blocks": blocks,
            "chosen": chosen,
            "least": least,
            "span": span,
            "carried": regions.carried,
            "of_parts": [column(each.name, of="p") for each in regions.carried],
        },
    )


def unfit_runs(regions: Regions, table: exp.Table, runs: exp.Table) -> Statement:
    """List the runs that do not fit."""
    where, keys = regions.class_rows, [KeyPart(name("region"), name("region"))]
    return Statement(
        "multidimensional/runs/unfit_runs",
        {
            "unfit": table,
            "requirements": where.requirements(regions.requirements),
            "rows": where.rows(regions.requirements, runs, keys, where.value),
        },
    )


def count_unfit(unfit: exp.Table) -> Statement:
    return Statement("multidimensional/runs/count_unfit", {"unfit": unfit})


def merged_runs(
    table: exp.Table, runs: exp.Table, unfit: exp.Table, *, reach: int = 1
) -> Statement:
    """Merge the runs that do not fit with a neighbour in their leaf, or with as many as `reach` says."""
    leaves = {"merged": table, "runs": runs, "unfit": unfit, "reach": reach if reach > 1 else None}
    return Statement("multidimensional/runs/merged_runs", leaves)


def after_merging(
    regions: Regions, table: exp.Table, runs: exp.Table, merged: exp.Table
) -> Statement:
    """Move tuples to the runs that theirs were merged to."""
    carried = [column(each.name, of="r") for each in regions.carried]
    leaves = {"after": table, "runs": runs, "merged": merged, "carried": carried}
    return Statement("multidimensional/runs/after_merging", leaves)
