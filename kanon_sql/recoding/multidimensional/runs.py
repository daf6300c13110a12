"""Groups the rows of each leaf by their order: one-dimensional grouping (Ghinita et al., VLDB 2007).

The tuples of a leaf are brought into one line, on which neighbors differ little, and the line is cut into runs of at
least k rows. The line is sorted first by the axis on which most pairs of rows are alike: this keeps few-valued and
skewed columns exact, on which COUNT queries err most. An additional value costs a column of few values more of its NCP.
So where cuts are chosen by loss, the pairs are divided by the root of the number of values, as a compromise.
Microaggregation inside of Mondrian's larger regions is due to Thaeter and Reischuk (MONA, SECRYPT 2021).

Guarantee: every run fits every privacy model. With least loss, a section of a line is cut into the most runs, with each
boundary at the end of one of ten steps (of a row each where k is at most 10; of three in a large table), so that rows
times widths sum to the least. Equal runs differ by at most one row. Runs that do not fit are merged with their neighbors. A run may cut through
equal rows, and the boxes of runs may overlap.

The best cuts of a section are found by pairs: for two neighboring segments, and each step at which they begin and end,
the step at which they meet best; then for two such pairs. This takes as many statements as the number of runs has bits;
to add one run after another would take as many as there are runs.

Where one sort is the whole search and its rows are released in the same run, the rows are sorted once, rows that are equal
by lot, with what is released of them. The number of a row says in which part of the line it lies: the distinct tuples are
not counted, and the rows are not sorted again to be staged. The regions are those of the distinct tuples, under one hash.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.smallest_classes import numbers
from kanon_sql.engines.base import whole
from kanon_sql.errors import InternalError
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.recoding.multidimensional import runs_sql
from kanon_sql.recoding.multidimensional.assign_regions import AssignedRegions, release_regions
from kanon_sql.recoding.multidimensional.kept_cut import runs_from_starts
from kanon_sql.recoding.multidimensional.regions_sql import (
    LineCut,
    LinedRows,
    LineOrder,
    Packed,
    keys_of,
)
from kanon_sql.recoding.multidimensional.runs_sql import PossibleRuns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.multidimensional.regions_sql import Regions, RunSizes
    from kanon_sql.recoding.rare_bounds import CutRequest


ONE_IN = 8
"""One row in so many is sampled."""

LEAST_ROWS = 250_000
"""A table of fewer rows is cut as a whole: to sample it and to lead its tuples would cost more than it saves."""

SAMPLED_ROWS = 128
"""A region of fewer rows in the sample is not cut there. Measured on 1 and 10 million rows of a census: widths of the release
stay within half a percent of those that all rows give."""

PRIME = 2**31 - 1
MIXER = 1_103_515_245
"""Sums of coordinates modulo a prime, times a number modulo that prime: neighbours are not chosen alike."""

FACTOR, FACTORS = 48_271, 1_048_573
"""The factor of the first axis; that of each further one is the one before times it, modulo another prime. A sum of
thousands of coordinates modulo the first prime, times factors of 20 bits, stays a BIGINT."""


def smallest_sampled_cut(regions: Regions) -> int | None:
    """Return the sampled rows below which a region is cut on all rows only; None where no cut is chosen on a sample.

    That is where rows alone are counted, and regions are cut down to leaves: a region that is cut on the sample has twice
    the rows of a leaf.
    """
    runs = regions.runs
    if runs is None or runs.one_sort or runs.rows < LEAST_ROWS:
        return None
    if not regions.cut_at_once or regions.weighed:
        return None
    return max(SAMPLED_ROWS, 2 * runs.leaf // ONE_IN + 1)


def factors(axes: int) -> list[int]:
    """Give each axis its factor.

    >>> factors(3)
    [48271, 160235, 429237]
    """
    made = [FACTOR]
    while len(made) < axes:
        made.append(made[-1] * FACTOR % FACTORS)
    return made


def sampled_tuples(regions: Regions, sample: exp.Table, working: exp.Table) -> Statement:
    """Sample the rows of tuples: of each its share, but for less than one row, and never more than it has.

    So sides of a cut that fit by the rows of the sample fit by all rows.
    """
    places = [column(f"place_{n}", of="w") for n in range(len(regions.axes))]
    return Statement(
        "multidimensional/cuts/sampled_tuples",
        {
            "sample": sample,
            "working": working,
            "carried": [column(each.name, of="w") for each in regions.carried],
            "factors": [
                {"place": place, "factor": factor}
                for place, factor in zip(places, factors(len(places)), strict=True)
            ],
            "prime": PRIME,
            "mixer": MIXER,
            "one_in": ONE_IN,
        },
    )


ROUNDS_OF_ONE = 8
"""Rounds in which a run that does not fit merges with one neighbor; later with two, four, ... so that it ends soon."""


@dataclass(frozen=True, slots=True)
class GroupedRuns:
    """The tuples of each run; `lined` has how rows find their run where runs are equal parts of one line."""

    tuples: exp.Table
    lined: LinedRows | None = None


def group_in_runs(
    run: Session,
    regions: Regions,
    sizes: RunSizes,
    found: exp.Table,
    tuples: exp.Table,
    *,
    once: bool,
    starts: exp.Table | None = None,
) -> GroupedRuns:
    """Assign the tuples of the leaves to runs, all of which fit; drops the given `tuples`, except in a draft.

    `found` has the rows of the leaves. A tuple that lies in several runs is in each, with its rows there. With
    `once`, the runs are read once, and may be a view. Runs that were found before begin at the rows of `starts`.
    """
    grouping = RunGrouping(run, regions, sizes)
    # Columns that are released no coarser than a level are cut at it before, even by one sort.
    whole = sizes.one_sort and not regions.bounded
    line = grouping.one_line(tuples) if whole else grouping.lines(found, tuples)
    if starts is not None:
        kept = run.scratch.table("runs")
        run.engine.execute(runs_from_starts(regions, kept, line.table, starts))
        run.scratch.drop(line.table)
        return GroupedRuns(kept)
    numbers = run.engine.capabilities.numbers_rows
    if line.order is not None and numbers and grouping.of_rows_alone and not sizes.least_loss:
        return grouping.parts_of_rows(line, line.order, once=once)
    if sizes.steps is not None:
        runs = grouping.least_loss(line, sizes.steps)
    else:
        runs = run.scratch.table("runs")
        run.engine.execute(
            runs_sql.equal_parts(regions, runs, line.table, rows=line.whole, least=sizes.least)
        )
        run.scratch.drop(line.table)
    return GroupedRuns(grouping.merged(runs))


def reaches() -> Iterator[int]:
    """Yield how many neighbors a run that does not fit merges with, round by round.

    >>> list(reaches())[6:11]
    [1, 1, 2, 4, 8]
    """
    yield from [1] * ROUNDS_OF_ONE
    yield from (2**n for n in range(1, 32))


@dataclass(frozen=True, slots=True)
class Line:
    """The tuples of each leaf in order, and the rows of the longest line; `order` if there is one line."""

    table: exp.Table
    longest: int
    order: LineOrder | None = None

    @property
    def whole(self) -> int | None:
        """The rows of the table if it is one line, else None."""
        return None if self.order is None else self.longest


def line_order(engine: Engine, regions: Regions, ranks: exp.Table) -> tuple[int, LineOrder]:
    """Return the rows of a table, and the order of its axes in one line, from the ranks of their places."""
    found = [[whole(cell) for cell in each] for each in engine.fetch(runs_sql.axes_of_line(ranks))]
    order = LineOrder(
        regions.axes,
        [axis for axis, *_ in found],
        [radix for _, radix, *_ in found],
        {n: low for n, many, low, high, _ in found if high - low + 1 == many},
        ranks,
    )
    return found[0][-1], order


class RunGrouping:
    """The statements of one grouping, in their order."""

    def __init__(self, run: Session, regions: Regions, sizes: RunSizes) -> None:
        self.regions = regions
        self.sizes = sizes
        self._engine = run.engine
        self._scratch = run.scratch
        self._keeps_tuples = run.draft is not None

    def lines(self, found: exp.Table, tuples: exp.Table) -> Line:
        """Order the tuples of each leaf."""
        regions, execute = self.regions, self._engine.execute
        orders, line = map(self._scratch.table, ("leaf_orders", "line"))
        ranks: exp.Table | None = None
        given: list[int] = []
        if self.sizes.one_sort:
            ranks = self._scratch.create(
                "local_ranks", partial(runs_sql.local_ranks, regions), tuples
            )
            rows_of_axes = self._engine.fetch(runs_sql.axes_by_values(ranks))
            given = [int(str(axis)) for (axis,) in rows_of_axes]
            execute(runs_sql.leaf_orders(regions, orders, found, ranks=ranks, given=given))
        else:
            counted = self._scratch.create(
                "leaf_values", partial(runs_sql.leaf_values, regions), tuples
            )
            execute(runs_sql.leaf_orders(regions, orders, found, counted=counted, leaves=tuples))
            self._drop(counted)
            if runs_sql.axes_of_ranks(regions):
                numbered = partial(runs_sql.ranks_in_leaves, regions)
                ranks = self._scratch.create("local_ranks", numbered, tuples, orders)
        (counts,) = self._engine.fetch(runs_sql.greatest_radixes(regions, orders))
        rows, *radixes = (int(str(cell)) for cell in counts)
        if not given:
            radixes[-1] = runs_sql.last_radix(regions)
        execute(
            runs_sql.lined_tuples(
                regions,
                line,
                tuples,
                ranks=ranks,
                orders=orders,
                keys=keys_of(radixes),
                given=given,
            )
        )
        self._drop(*([] if ranks is None else [ranks]), orders, *self._spent(tuples))
        return Line(line, rows)

    def one_line(self, tuples: exp.Table) -> Line:
        """Order all tuples of the table by one order of the axes."""
        ranks, line = map(self._scratch.table, ("local_ranks", "line"))
        self._engine.execute(runs_sql.local_ranks(self.regions, ranks, tuples))
        rows, order = line_order(self._engine, self.regions, ranks)
        self._engine.execute(runs_sql.one_line(self.regions, line, tuples, order))
        self._drop(*self._spent(tuples))
        return Line(line, rows, order)

    def parts_of_rows(self, line: Line, order: LineOrder, *, once: bool) -> GroupedRuns:
        """Cut one line into equal parts by row numbers; the line is kept, so that rows find their part."""
        cut = LineCut.of(line.longest, self.sizes.least)
        runs, filled = self._scratch.table("runs"), self._scratch.table("filled_runs")
        cutting = runs_sql.equal_runs(self.regions, runs, line.table, cut, once=once)
        self._engine.execute(cutting)
        self._scratch.is_view(runs, view=cutting.makes_view)
        self._engine.execute(runs_sql.filled_runs(filled, line.table, order, cut))
        return GroupedRuns(runs, LinedRows(order, cut, filled))

    def least_loss(self, line: Line, steps: int) -> exp.Table:
        """Group sections of lines into the runs that lose least, which end at one of so many steps."""
        least, most = self.sizes.least, min(self.sizes.leaf, line.longest)
        parts, sections, blocks, bounded, losses, upto, spans, runs = map(
            self._scratch.table,
            ("parts", "sections", "blocks", "bounds", "run_losses", "numbers", "spans", "runs"),
        )
        execute, regions = self._engine.execute, self.regions
        execute(runs_sql.equal_parts(regions, parts, line.table, rows=line.whole, most=most))
        self._drop(line.table)
        execute(runs_sql.sections(sections, parts, least, steps))
        many = max(most // least, 1)
        execute(numbers(upto, {"number": True}, [(n,) for n in range(max(many, steps) + 1)]))
        execute(runs_sql.spans(spans, upto, steps))
        execute(
            runs_sql.blocks(
                regions, blocks, parts=parts, sections=sections, spans=spans, least=least
            )
        )
        # Blocks are numbered up to `many`, which has the rows left over; one more stands for the end.
        possible = PossibleRuns(regions, least, span=1 << (many + 1).bit_length())
        execute(possible.step_bounds(bounded, blocks, spans))
        execute(possible.losses(losses, bounded, spans))
        self._drop(bounded, spans, upto)
        chosen = self._choose(possible, losses, depth=max((many - 1).bit_length(), 1))
        execute(
            runs_sql.runs_of_tuples(
                regions,
                runs,
                parts=parts,
                sections=sections,
                blocks=blocks,
                chosen=chosen,
                least=least,
                span=possible.span,
            )
        )
        self._drop(parts, sections, blocks, chosen)
        return runs

    def _choose(self, possible: PossibleRuns, losses: exp.Table, *, depth: int) -> exp.Table:
        """Join neighboring segments bottom-up, then part each section again where its segments met best."""
        levels = [losses]
        for level in range(depth):
            joined = self._scratch.table("joined_segments")
            self._engine.execute(possible.joined_segments(joined, levels[-1], level=level))
            levels.append(joined)
        self._drop(losses)
        chosen: exp.Table | None = None
        for level in reversed(range(depth)):
            below, joined = self._scratch.table("chosen_segments"), levels[level + 1]
            self._engine.execute(runs_sql.chosen_segments(below, joined, chosen, level=level))
            self._drop(joined, *([] if chosen is None else [chosen]))
            chosen = below
        if chosen is None:
            raise InternalError("runs were chosen of no segments")
        return chosen

    @property
    def of_rows_alone(self) -> bool:
        """Whether a run fits by its number of rows alone."""
        return not self.regions.entity and all(r.measure == SIZE for r in self.regions.requirements)

    def merged(self, runs: exp.Table) -> exp.Table:
        """Merge runs with their neighbors until all fit; the whole leaf would."""
        if self.of_rows_alone:
            return runs  # each has the least rows already
        for reach in reaches():
            unfit = self._scratch.table("unfit_runs")
            self._engine.execute(runs_sql.unfit_runs(self.regions, unfit, runs))
            ((few,),) = self._engine.fetch(runs_sql.count_unfit(unfit))
            if not int(str(few)):
                self._drop(unfit)
                return runs
            merged, after = self._scratch.table("merged_runs"), self._scratch.table("runs")
            self._engine.execute(runs_sql.merged_runs(merged, runs, unfit, reach=reach))
            self._engine.execute(runs_sql.after_merging(self.regions, after, runs, merged))
            self._drop(unfit, merged, runs)
            runs = after
        raise InternalError("a leaf does not fit as a whole")

    def _spent(self, tuples: exp.Table) -> list[exp.Table]:
        """Return the tuples where no other draft reads them."""
        return [] if self._keeps_tuples else [tuples]

    def _drop(self, *tables: exp.Table) -> None:
        for table in tables:
            self._scratch.drop(table)


@dataclass(frozen=True, slots=True)
class SortedTable:
    """The regions `of` sorted rows, whose tuples are single rows in a view; `ranks` has the rows of each place of each axis."""

    of: AssignedRegions
    ranks: exp.Table


def sort_rows(request: CutRequest, space: Space) -> SortedTable | None:
    """Sort the rows, and cut them into regions; None where the distinct tuples are to be sorted instead.

    That is where rows are not staged in this run, where classes fit by more than their rows, where what is released
    follows from more than a region and the row itself, where a key of the line does not fit into one number, and on
    engines whose tables do not number their rows.
    """
    run = request.run
    if not (request.stages and run.engine.capabilities.places_rows and _is_plain(request, space)):
        return None
    with run.engine.journal.step("order"):
        return _sorted(request, space)


def _sorted(request: CutRequest, space: Space) -> SortedTable | None:
    """Sort the rows by a key of one number, and cut them into regions; None where it does not fit, or rows are too few."""
    run, regions = request.run, space.regions
    create = run.scratch.create
    ranks = create("local_ranks", ranks_of_values, space.tables, request.mapped)
    rows, order = line_order(run.engine, regions, ranks)
    if regions.runs is None or rows < regions.runs.least or len(keys_of(order.radixes)) > 1:
        run.scratch.drop(ranks)
        return None
    cut = LineCut.of(rows, regions.runs.least)
    carried = carried_columns(run.policy)
    stored = create("sorted_rows", sorted_rows, request, space.tables, order, carried)
    in_order = run.scratch.table("rows_by_number")
    first = run.engine.fetch_count(first_row(stored))
    run.see(in_order, rows_by_number(in_order, stored, first))
    parts = create("parts", parts_of_rows, in_order, regions, cut)
    long = create("long_tuples", long_tuples, in_order, parts)
    filled = create("filled_runs", runs_sql.filled_runs, long, order, cut)
    run.scratch.drop(long)
    bounds, seen = run.scratch.table("region_bounds"), run.scratch.table("runs")
    run.see(bounds, bounds_of_parts(bounds, parts, filled))
    run.see(seen, runs_of_rows(seen, in_order, filled, regions, cut))
    measured = create("regions", regions.survey_again, bounds)
    for spent in (bounds, parts):
        run.scratch.drop(spent)
    released = release_regions(run, space, measured, seen, keyed=True)
    lined = LinedRows(order, cut, filled, in_order, carried)
    return SortedTable(AssignedRegions(measured, released, seen, lined), ranks)


def _is_plain(request: CutRequest, space: Space) -> bool:
    """Return whether a region and the row itself say all that is released of a row, and rows alone whether it fits."""
    policy, opened, regions = request.run.policy, request.opened, space.regions
    sizes = regions.runs
    one_line = sizes is not None and sizes.one_sort and not sizes.least_loss and not regions.bounded
    of_rows = not (regions.entity or regions.sensitive or regions.targeted)
    of_source = opened.counted is None and opened.population is None
    return (
        one_line
        and of_rows
        and of_source
        and request.run.draft is None
        and all(each.measure == SIZE for each in regions.requirements)
        and not any(each.output.is_of_rows or each.output.is_of_class for each in space.labels)
        and not any(each.mask for each in policy.columns if not each.is_dropped)
        and policy.entity is None
        and policy.dealt_by is None
    )


def carried_columns(policy: Policy) -> tuple[str, ...]:
    """Name the columns that are released as they are, beside the quasi-identifiers."""
    return tuple(c.name for c in policy.columns if c.role is not Role.QUASI and not c.is_dropped)


def ranks_of_values(
    ranks: exp.Table, tables: Sequence[exp.Table], mapped: Sequence[Mapped]
) -> Statement:
    """List the places of each axis that rows have, with numbers in their order, by the counts of the values."""
    axes = [
        {
            "table": table,
            "domain": each.domain,
            "own": column("value", of="a"),
            "value": column("value", of="d"),
            "nulls": each.nulls,
        }
        for table, each in zip(tables, mapped, strict=True)
    ]
    return Statement("multidimensional/runs/ranks_of_values", {"ranks": ranks, "axes": axes})


def sorted_rows(
    table: exp.Table,
    request: CutRequest,
    tables: Sequence[exp.Table],
    order: LineOrder,
    carried: Sequence[str],
) -> Statement:
    """Write the rows in the order of one line, with packed coordinates, their key, and what is released of them."""
    places = [column("place", of=f"q{n}") for n, _ in enumerate(tables)]
    joins = [
        {
            "table": axis,
            "column": column(each.column.name, of="s"),
            "value": column("value", of=f"q{n}"),
            "nulls": each.nulls,
        }
        for n, (each, axis) in enumerate(zip(request.mapped, tables, strict=True))
    ]
    leaves = {
        "rows": table,
        "source": request.opened.table,
        "joins": joins,
        "places": places,
        "carried": [column(text, of="s") for text in carried],
        "axes": range(len(order.axes)),
        "keys": keys_of(order.radixes),
        "given": order.given,
        "radixes": order.radixes,
        "least": order.least,
        "ranks": order.ranks,
        "packed": Packed.bits(places, order.axes),
    }
    return Statement("multidimensional/runs/sorted_rows", leaves, scans=request.opened.rows)


def first_row(rows: exp.Table) -> Statement:
    """Find the place of the first of sorted rows in their table."""
    return Statement("multidimensional/runs/first_row", {"rows": rows})


def rows_by_number(view: exp.Table, rows: exp.Table, first: int) -> Statement:
    """See sorted rows with their numbers in the line, where the first one is stored at a place that need not be 0."""
    leaves = {"numbered": view, "rows": rows, "first": first}
    return Statement("multidimensional/runs/rows_by_number", leaves)


def parts_of_rows(table: exp.Table, rows: exp.Table, regions: Regions, cut: LineCut) -> Statement:
    """Bound the parts of equal size that sorted rows are cut into, by their numbers."""
    leaves = {"parts": table, "rows": rows, "cut": cut, "places": runs_sql.unpacked(regions)}
    return Statement("multidimensional/runs/parts_of_rows", leaves)


def long_tuples(table: exp.Table, rows: exp.Table, parts: exp.Table) -> Statement:
    """Find the tuples whose rows fill a part, with their rows and where they end."""
    leaves = {"long": table, "rows": rows, "parts": parts}
    return Statement("multidimensional/runs/long_tuples", leaves)


def bounds_of_parts(view: exp.Table, parts: exp.Table, filled: exp.Table) -> Statement:
    """See the bounds of regions: those of parts, but for the parts that one tuple fills, which are one region."""
    leaves = {"bounds": view, "parts": parts, "filled": filled}
    return Statement("multidimensional/runs/bounds_of_parts", leaves)


def runs_of_rows(
    view: exp.Table, rows: exp.Table, filled: exp.Table, regions: Regions, cut: LineCut
) -> Statement:
    """See the rows of each region as tuples of one row."""
    places = [
        {**each, "as": regions.carried[n]} for n, each in enumerate(runs_sql.unpacked(regions))
    ]
    leaves = {"runs": view, "rows": rows, "filled": filled, "cut": cut, "places": places}
    return Statement("multidimensional/runs/runs_of_rows", leaves)
