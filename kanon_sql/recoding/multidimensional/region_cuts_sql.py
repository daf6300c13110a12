"""Statements that score cuts and cut a table's tuples into regions, all regions of one depth at a time.

A region is cut on one axis into *branches*, each an interval of the coordinates there: two on a line,
one for each child of a hierarchy's node on a tree. What a privacy model counts is known for both sides
of every cut of a line at once: a value is to the left of a cut if its first coordinate is, and to the
right if its last is (running sums over coordinates). A relaxed cut of a line is at half of its rows, in
the order of the tuples, and a tuple may be on both sides.

A score (loss, information or variance) is a whole number, or an exact decimal, that is least for the best cut of a
region. It stands with the part of the axis after which a line would be cut, and with every part of a tree's one cut.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.errors import InternalError
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import KeyPart
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.search_options import Choose, Width
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis, Packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis, Regions


LOWEST, HIGHEST = -1, 2**62
"""Where the lower branch of a line begins, and the upper one ends."""

DEPTHS = 6
"""Depths of branches along which one statement leads tuples: two joins each, and planners slow down with more."""
SQUARES = 10**12
"""Shares of a target's squares are rounded to so many parts of one."""

WORD_BITS = 62
"""Bits of a whole number that tell places apart: none is the sign."""

FIELD_BITS = 42
"""Places of one axis up to which the highest bit is read exactly by a logarithm in floating point of 64 bits."""

STEPS = 10**9
"""Whole steps from the least number of a target to the greatest: the sum of 9 x 10^9 rows is a BIGINT."""


@dataclass(frozen=True, slots=True)
class RegionTuples:
    """The tuples of the regions to cut, on the axis that each region is widest on.

    With the cuts on `widest` axes that were found: of the regions without one, on all other axes. Where
    cuts are scored it is always every axis. With an axis and a `level`, it is that axis of all regions, at that level.
    The regions may be those `of_branches` that have bounds and widths.
    """

    working: exp.Table
    regions: exp.Table
    widest: exp.Table | None = None
    at: tuple[int, int] | None = None
    of_branches: bool = False


def cells(
    regions: Regions, region_tuples: RegionTuples, carried: Sequence[exp.Identifier]
) -> dict[str, object]:
    """Return what the common table `cells` is made of; `carried` is what is counted there."""
    return {
        "working": region_tuples.working,
        "regions": region_tuples.regions,
        "of_branches": region_tuples.of_branches,
        "cuts": region_tuples.widest,
        "every": regions.choose is not Choose.WIDTH,
        "at": region_tuples.at,
        "fewest": regions.fewest,
        **regions.described,
        "carried": carried,
        "order": ordered(regions) if regions.relaxed else [],
        "entity": name("entity") if regions.relaxed and regions.entity else None,
    }


def ordered(regions: Regions) -> list[exp.Identifier]:
    """Name what tuples are ordered by, after their coordinate on an axis; entities come last."""
    return [each for each in regions.carried if each.name != "entity"]


def parts(regions: Regions, table: exp.Table, region_tuples: RegionTuples) -> Statement:
    """Count each region's rows by their coordinates on axes, or the children of its nodes there.

    A line that is cut relaxed has two parts, its lower and its upper half of rows. Where cuts are chosen
    by their loss, each part has its bounds on all axes.
    """
    bounded = list(range(len(regions.axes))) if regions.choose is Choose.LOSS else []
    if regions.relaxed:
        carried = regions.carried
    else:
        carried = [name(text) for text, _ in _counted(regions)]
        carried += [name(f"place_{n}") for n in bounded]
    leaves = {**cells(regions, region_tuples, carried), "parts": table, "bounded": bounded}
    measures = _measures(regions)
    if regions.width is Width.DISTINCT:
        measures += _places(bounded)
    return Statement("multidimensional/axis_parts", {**leaves, "measures": measures})


def cuts(
    regions: Regions, table: exp.Table, parts: exp.Table, fitting: exp.Table | None = None
) -> Statement:
    """Choose each region's cut: on the widest axis that has an allowable one, the most balanced.

    A cut of a line is allowable if both sides fit, of a tree if all branches do. Ties go to the first
    axis, then to the smaller coordinate. At the median the cuts right before and after it come first,
    and ties go to the one after it. Of scored parts the least score wins, and these rules break ties.
    Where models weigh values, `fitting` has the cuts both sides of which fit by these.
    """
    return Statement(
        "multidimensional/cuts/region_cuts",
        {
            "cuts": table,
            "parts": parts,
            "scored": regions.choose is not Choose.WIDTH,
            "whole": regions.whole,
            "sides": _has_sides(regions),
            "fitting": fitting,
            "measures": _measures(regions),
            "fits": fits(regions),
            "median": regions.median,
        },
    )


def line_cuts(regions: Regions, table: exp.Table, region_tuples: RegionTuples) -> Statement:
    """Choose each region's cut as `parts` and `cuts` do, for what is cut `Regions.by_rows` and nothing weighs."""
    leaves = {**cells(regions, region_tuples, []), "chosen": table, "fits": fits(regions)}
    return Statement("multidimensional/cuts/line_cuts", leaves)


def count_uncut(regions: Regions, of: exp.Table, cuts: exp.Table) -> Statement:
    """Count the regions without a cut on the axis that they are widest on, that may have one on another."""
    leaves = {"regions": of, "cuts": cuts, "fewest": regions.fewest}
    return Statement("multidimensional/cuts/count_uncut", leaves)


def cuts_at_level(table: exp.Table, parts: exp.Table) -> Statement:
    """Cut every region into the parts that were made of it at one level of an axis."""
    return Statement("multidimensional/cuts/cuts_at_level", {"cuts": table, "parts": parts})


def unfit_regions(regions: Regions, working: exp.Table) -> Statement:
    """Count the regions that do not fit."""
    where, keys = regions.class_rows, [KeyPart(name("region"), name("region"))]
    return Statement(
        "multidimensional/cuts/unfit_regions",
        {
            "requirements": where.requirements(regions.requirements),
            "rows": where.rows(regions.requirements, working, keys, where.value),
        },
    )


def cut_sides(regions: Regions, table: exp.Table, region_tuples: RegionTuples) -> Statement:
    """Count the values on both sides of every cut of a line, and of every branch that is cut whole."""
    weighed = sensitive_attributes(regions.weighed)
    spreads = [name(f"spread_{regions.sensitive.index(each)}") for each in weighed]
    carried = regions.carried if regions.relaxed else spreads
    return Statement(
        "multidimensional/cuts/cut_sides",
        {
            **cells(regions, region_tuples, carried),
            "sides": table,
            "spreads": spreads,
            "whole": regions.whole,
            "lines": len(regions.whole) < len(regions.axes),
        },
    )


def fitting_cuts(regions: Regions, table: exp.Table, sides: exp.Table) -> Statement:
    """Keep the cuts all sides of which fit by the models that weigh values."""
    keys = [KeyPart(name(text), name(text)) for text in ("region", "axis", "part", "side")]
    where = regions.class_rows
    return Statement(
        "multidimensional/cuts/fitting_cuts",
        {
            "fitting": table,
            "requirements": where.requirements(regions.weighed),
            "rows": where.rows(regions.weighed, sides, keys, where.value),
        },
    )


def _counted(regions: Regions) -> list[tuple[str, str]]:
    """Name what is counted of a part beside its rows, by its distinct values."""
    distinct = sensitive_attributes(r for r in regions.requirements if r not in regions.weighed)
    counted = [
        (f"spread_{n}", f"values_{n}")
        for n, each in enumerate(regions.sensitive)
        if each in distinct
    ]
    return [*counted, ("entity", "entities")] if regions.entity else counted


def _has_lines(regions: Regions) -> bool:
    return len(regions.trees) < len(regions.axes)


def _has_sides(regions: Regions) -> bool:
    """Whether an axis may be cut between any two of its parts, so that its sides are counted, and not its parts alone."""
    return len(regions.whole) < len(regions.axes)


def _measures(regions: Regions) -> list[dict[str, object]]:
    sides = _has_sides(regions)
    return [
        {
            "of": name(of),
            "as": name(text),
            "first": name(f"first_{text}") if sides else None,
            "last": name(f"last_{text}"),
            "left": name(f"left_{text}"),
            "right": name(f"right_{text}"),
            "alias": name(f"m{n}"),
        }
        for n, (of, text) in enumerate(_counted(regions))
    ]


def _places(axes: Sequence[int]) -> list[dict[str, object]]:
    """Count the different coordinates on each axis that lie in a part, first there, or last."""
    return [
        {
            "of": name(f"place_{n}"),
            "as": name(f"different_{n}"),
            "first": name(f"first_{n}"),
            "last": name(f"last_{n}"),
            "alias": name(f"p{n}"),
        }
        for n in axes
    ]


def fits(regions: Regions) -> list[dict[str, object]]:
    """Describe what both sides of a cut, or every branch of one, must reach: rows, or different values.

    Both are sums of firsts and of lasts along a line, so that all cuts of it are counted in one pass. That is
    how Mondrian counts them; what weighs single values is counted side by side (`fitting_cuts`).
    """
    found: list[dict[str, object]] = []
    for requirement in regions.requirements:
        if requirement in regions.weighed:
            continue
        of, text = requirement.measure.sensitive, "entities" if regions.entity else "rows"
        if of is not None:
            text = f"values_{regions.sensitive.index(of)}"
        elif requirement.measure != SIZE:
            raise InternalError(f"mondrian does not count {requirement.measure}")
        found.append(
            {
                "left": name(f"left_{text}"),
                "right": name(f"right_{text}"),
                "least_of_all": name(f"least_{text}"),
                "of": name("row_count" if text == "rows" else text),
                "least": literal(requirement.bound),
            }
        )
    return found


def branches(
    regions: Regions,
    table: exp.Table,
    found: Sequence[tuple[exp.Table, exp.Table]],
    *,
    first: int,
) -> Statement:
    """Create what regions are cut into, with numbers from `first` on; `found` are cuts, and the parts between them."""
    return Statement(
        "multidimensional/cuts/branches",
        {
            "branches": table,
            "relaxed": regions.relaxed,
            "found": [{"cuts": cuts, "parts": parts} for cuts, parts in found],
            **regions.described,
            "lines": _has_lines(regions),
            "first": first,
            "lowest": LOWEST,
            "highest": HIGHEST,
        },
    )


def split(
    regions: Regions,
    after: exp.Table,
    working: exp.Table,
    branches: exp.Table,
    *,
    gaps: bool = False,
    in_order: bool = False,
) -> Statement:
    """Move the tuples of the regions that were cut into their branches; the others are finished.

    A tuple that lies on both sides of a relaxed cut is in both branches, with its rows there. Where there may
    be `gaps` between branches, as for later rows, tuples that lie in none are left out; else each lies in one,
    so that one row a region says which. Tuples `in_order` stand region by region, where an engine gains by that.
    """
    leaves: dict[str, object] = {
        "after": after,
        "working": working,
        "branches": branches,
        "axes": regions.axes,
        "carried": [column(each.name, of="w") for each in regions.carried],
    }
    own: dict[str, object]
    if not regions.relaxed:
        if gaps:
            return Statement("multidimensional/cuts/split", leaves)
        fewest = regions.fewest if regions.cut_at_once else None
        own = {"trees": regions.trees, "in_order": in_order, "fewest": fewest}
        return Statement("multidimensional/cuts/move_tuples", {**leaves, **own})
    own = {
        "trees": regions.trees,
        "order": [column(each.name, of="w") for each in ordered(regions)],
        "entity": column("entity", of="w") if regions.entity else None,
    }
    return Statement("multidimensional/cuts/split_relaxed", {**leaves, **own})


def finished_regions(
    table: exp.Table, regions: Sequence[exp.Table], branches: Sequence[exp.Table]
) -> Statement:
    """Keep the regions of all depths that have no branches."""
    leaves = {"finished": table, "regions": regions, "branches": branches}
    return Statement("multidimensional/cuts/finished_regions", leaves)


def finished_branches(
    regions: Regions,
    table: exp.Table,
    branches: Sequence[exp.Table],
    surveyed: exp.Table | None = None,
) -> Statement:
    """Keep the branches of all depths that have none, where they have bounds and widths; and so of `surveyed` regions."""
    axes = range(len(regions.axes))
    leaves = {"finished": table, "branches": branches, "surveyed": surveyed, "axes": axes}
    return Statement("multidimensional/cuts/finished_branches", leaves)


def finished_tuples(
    regions: Regions, table: exp.Table, working: exp.Table, branches: exp.Table
) -> Statement:
    leaves = {"finished": table, "working": working, "branches": branches}
    return Statement(
        "multidimensional/cuts/finished_tuples", {**leaves, "carried": regions.carried}
    )


@dataclass(frozen=True, slots=True)
class CutStatement:
    """A statement of several, and the tables that none after it reads."""

    statement: Statement
    spent: tuple[exp.Table, ...] = ()


def lead(
    regions: Regions,
    assigned: exp.Table,
    working: exp.Table,
    branches: Sequence[exp.Table],
    named: Callable[[str, int], exp.Table],
    *,
    in_order: bool = False,
) -> Iterator[CutStatement]:
    """Assign each tuple the region that the branches of strict cuts lead it to, several depths in a statement."""
    chunks = [branches[n : n + DEPTHS] for n in range(0, len(branches), DEPTHS)] or [()]
    for n, some in enumerate(chunks, start=1):
        after = assigned if n == len(chunks) else named("tuples", n + 1)
        leaves = {
            "after": after,
            "working": working,
            "branches": some,
            "axes": regions.axes,
            "carried": [column(each.name, of="w") for each in regions.carried],
            "trees": regions.trees,
            "in_order": in_order and n == len(chunks),
            # A region that a sample left uncut may be cut at a later depth: all depths of the statement count.
            "among": tuple(dict.fromkeys(some)) if n > 1 else (),
        }
        yield CutStatement(Statement("multidimensional/lead_tuples", leaves), (working,))
        working = after


def assign(
    regions: Regions,
    assigned: exp.Table,
    working: exp.Table,
    branches: Sequence[exp.Table],
    named: Callable[[str, int], exp.Table],
) -> Iterator[CutStatement]:
    """Assign each tuple the region that the branches of each depth lead it to; one that they lead nowhere has none."""
    ended: list[exp.Table] = []
    for depth, branch in enumerate(branches, start=1):
        ended.append(named("ended", depth))
        yield CutStatement(finished_tuples(regions, ended[-1], working, branch))
        after = named("tuples", depth + 1)
        yield CutStatement(split(regions, after, working, branch, gaps=True), (working,))
        working = after
    yield CutStatement(union_all(assigned, [*ended, working]), (*ended, working))


def region_of_row(regions: Regions, table: exp.Table, assigned: exp.Table) -> Statement:
    """Assign each row its region where a tuple lies in several, by its number among the rows of its tuple."""
    axes = len(regions.axes)
    coordinates = [column(each.name, of="w") for each in regions.carried[:axes]]
    keys = Packed.keys(coordinates, regions.axes)
    beyond = regions.carried[axes:]
    leaves = {"rows": table, "tuples": assigned, "keys": keys, "beyond": beyond}
    return Statement("multidimensional/region_of_row", leaves)


def count_branches(regions: Regions, branches: exp.Table) -> Statement:
    """Count the regions that were cut, their branches, and those of these that may be cut again."""
    fewest = regions.fewest if regions.cut_at_once else None
    return Statement(
        "multidimensional/cuts/count_branches", {"branches": branches, "fewest": fewest}
    )


def union_all(table: exp.Table, tables: Sequence[exp.Table]) -> Statement:
    return Statement("multidimensional/union_all", {"table": table, "tables": tables})


def tuples_in_order(table: exp.Table, tables: Sequence[exp.Table]) -> Statement:
    """Bring the tuples of several tables together, in the order of regions where an engine gains by that."""
    return Statement("multidimensional/tuples_in_order", {"table": table, "tables": tables})


def bound_cuts(regions: Regions, table: exp.Table, parts: exp.Table) -> Statement:
    """Bound both sides of every cut of a line, and every branch of a tree, on all axes."""
    leaves = {"boundaries": table, "parts": parts, "bounded": list(range(len(regions.axes)))}
    leaves |= {"distinct": regions.width is Width.DISTINCT, "lines": _has_lines(regions)}
    return Statement("multidimensional/cuts/bound_cuts", leaves)


def losses(
    regions: Regions, table: exp.Table, parts: exp.Table, boundaries: exp.Table
) -> Statement:
    """Sum what every cut leaves of the loss: rows times the widths of their side on all axes.

    Widths are those that `Regions.survey` measures, times their weights; rounded to so many parts
    of one that the sum over rows stays a BIGINT.
    """
    leaves = {"scored": table, "parts": parts, "boundaries": boundaries}
    return Statement(
        "multidimensional/cuts/score_by_loss",
        {
            **leaves,
            "working": None,
            **regions.measured,
            "unit": loss_unit(regions.axes),
        },
    )


def loss_unit(axes: Sequence[Axis]) -> int:
    """Return the parts of one that losses are rounded to: 10^9, or fewer by the greatest weight."""
    greatest = max((axis.weight for axis in axes if axis.weight is not None), default=None)
    if greatest is None or greatest <= 1:
        return 10**9
    return 10**9 // int(greatest.to_integral_value(ROUND_CEILING))


@dataclass(frozen=True, slots=True)
class PlaceBits:
    """The bits of a word that one axis has: that of its place p is the one `first` beyond p."""

    axis: int
    first: int
    size: int

    @property
    def mask(self) -> int:
        return ((1 << self.size) - 1) << (self.first - 1)

    @property
    def half(self) -> Decimal:
        """Return half of the lowest bit."""
        return Decimal(1 << (self.first - 1)) / 2


@dataclass(frozen=True, slots=True)
class SharedBits:
    """A whole number that has a bit for each place of several axes."""

    number: int
    fields: tuple[PlaceBits, ...]


def words(axes: Sequence[Axis]) -> list[SharedBits]:
    """Give the lines that have few places their bits: each of the fewest words that hold them, the longest first."""
    sizes = {n: axis.last + 2 for n, axis in enumerate(axes) if isinstance(axis, LineAxis)}
    kept: list[list[PlaceBits]] = []
    for n, size in sorted(sizes.items(), key=lambda of: (-of[1], of[0])):
        if size > FIELD_BITS:
            continue
        for word in kept:
            begun = sum(field.size for field in word)
            if begun + size <= WORD_BITS:
                word.append(PlaceBits(n, begun + 1, size))
                break
        else:
            kept.append([PlaceBits(n, 1, size)])
    return [SharedBits(n, tuple(word)) for n, word in enumerate(kept)]


def branches_by_loss(
    regions: Regions,
    table: exp.Table,
    region_tuples: RegionTuples,
    fitting: exp.Table | None = None,
    *,
    first: int,
) -> Statement:
    """Cut each region by the cut of least loss into two branches with bounds and widths, numbered from `first` on.

    For what is `Regions.cut_at_once`.
    """
    made = words(regions.axes)
    short = {field.axis for word in made for field in word.fields}
    return Statement(
        "multidimensional/cuts/branches_by_loss",
        {
            "branches": table,
            "working": region_tuples.working,
            "regions": region_tuples.regions,
            "of_branches": region_tuples.of_branches,
            "fewest": regions.fewest,
            "fits": fits(regions),
            "fitting": fitting,
            "words": made,
            "ranged": [n for n in range(len(regions.axes)) if n not in short],
            "unit": loss_unit(regions.axes),
            **regions.measured,
            "first": first,
            "lowest": LOWEST,
            "highest": HIGHEST,
        },
    )


def by_target(
    regions: Regions, table: exp.Table, parts: exp.Table, region_tuples: RegionTuples
) -> Statement:
    """Score every cut by the target: by the entropy that it leaves, or the squares that it explains."""
    leaves = {**cells(regions, region_tuples, [name("target")]), "scored": table, "parts": parts}
    if regions.choose is Choose.VARIANCE:
        return Statement("multidimensional/cuts/score_by_variance", {**leaves, "unit": SQUARES})
    return Statement("multidimensional/cuts/score_by_information", leaves)


def whole_numbers(codes: exp.Table, axis: exp.Table) -> Statement:
    """Convert the numbers of a target on a line to whole numbers of steps."""
    leaves = {"codes": codes, "axis": axis, "steps": STEPS}
    return Statement("multidimensional/whole_numbers", leaves)
