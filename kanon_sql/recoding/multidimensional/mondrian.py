"""Mondrian multidimensional recoding (LeFevre, DeWitt and Ramakrishnan, ICDE 2006), strict or relaxed.

All tuples of a table start as one region. A region is cut in two on the axis on which it is widest (on a hierarchy:
into all children of the node that covers it), and so is each part, until no region has an allowable cut. All regions of
one depth are cut by the same few statements; Python sees only counts.

Guarantee: every region fits every privacy model, and no region of the result has an allowable cut on any axis. Strict
regions do not overlap, so on lines none holds more than 2d(k-1) + m rows, where m is the most rows of one tuple
(section 3.2). Relaxed regions may overlap; on lines, under k counted in rows alone, none of differing tuples holds more
than 2k - 1 rows. If models apply to several sets of quasi-identifiers, every region meets the strictest of their
requirements, so the classes over each set, which are unions of regions, fit too (the subset property; models that are
not monotone are refused). No row is suppressed, so the released rows are distributed as the source's, and models that
compare a class with either compare it with both. Where models weigh values, a region may have no allowable cut although
parts of its parts would fit. Cost: a constant number of statements a depth; where lines are cut in the middle, the
depth grows with the logarithm of the rows.

The cut of an axis is the most balanced of its allowable ones. The paper's median, taken as "all values up to it",
misses cuts where one value holds the most rows, and breaks the bound. A relaxed cut of a line is at half of its rows,
rounded up, and the tuple there lies on both sides; rows that are equal on the line are ordered by the other axes, then
by the values that models count.

With `grouping: order` only regions of more than 4 to 50 k rows are cut, and the rows of each leaf are then grouped by
their order (`runs.py`). In a large table, regions of more than twice as many rows are cut by a sample of the rows, and
all tuples are assigned along these cuts at once: a side has at least the rows that the sample has in it.

Instead of by width, a cut may be chosen by a score among all allowable cuts of all axes: the loss that it leaves (rows
times widths, summed over both sides and all axes), the target's entropy that it leaves (InfoGain Mondrian, LeFevre et
al., KDD 2006 and TODS 33(3), 2008, section 3), or the squares of a number that it explains (LSD Mondrian, there). Ties
go to the widest axis, then the first, the most balanced cut, the smallest coordinate. A score may cut off little at a
time, so the depth is bounded by rows / k alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.recodings import Multidimensional
from kanon_sql.counting.run.session import is_past
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InternalError
from kanon_sql.policy.privacy.demands import joint_demands, requirements_unsuppressed
from kanon_sql.policy.privacy.risks import size_counts
from kanon_sql.policy.search_options import Choose, Width
from kanon_sql.recoding.axes import (
    beyond_levels,
    check_whole_table,
    count_tuples,
    lay_out,
    measured_by,
    weigh_tuples,
)
from kanon_sql.recoding.multidimensional import kept_cut, region_cuts_sql, regions_sql, runs
from kanon_sql.recoding.multidimensional.apportioned_values import find_hidden, untrue_rows
from kanon_sql.recoding.multidimensional.assign_regions import (
    AssignedRegions,
    ClassesOfRegions,
    as_released,
    lead_tuples,
    release_assigned,
    release_regions,
)
from kanon_sql.recoding.multidimensional.region_cuts_sql import RegionTuples
from kanon_sql.recoding.multidimensional.runs import group_in_runs, sort_rows
from kanon_sql.recoding.rare_bounds import CutFound, find_rare, outcome_of_cut, rare_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Draft, Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.multidimensional.assign_regions import ReleasedTable
    from kanon_sql.recoding.multidimensional.kept_cut import KeptCut
    from kanon_sql.recoding.multidimensional.regions_sql import LinedRows, Regions
    from kanon_sql.recoding.rare_bounds import CutRequest


IN_ORDER = 4
"""Depths after which tuples are stored in the order of their regions again; until then they lie near each other."""


@dataclass(frozen=True, slots=True)
class PartitionedTable:
    """A partitioned table: its regions with their labels (`released`), and the branches that lead to them by depth.

    If rows were grouped into runs, no branches lead to the runs: `assigned` has each run's tuples. If rows are `lined`,
    their numbers determine their run.
    """

    space: Space
    branches: tuple[exp.Table, ...]
    regions: exp.Table
    recoding: Multidimensional
    released: ReleasedTable
    assigned: exp.Table | None = None
    lined: LinedRows | None = None
    class_widths: exp.Table | None = None


def cut_by_mondrian(request: CutRequest) -> CutFound:
    """Search for a partition. The search has no state, and so cannot be resumed."""
    return partition_table(request)[1]


def partition_table(
    request: CutRequest, *, depth: int | None = None, kept: KeptCut | None = None
) -> tuple[PartitionedTable, CutFound]:
    """Cut a table into regions that fit, and count the equivalence classes of its release.

    The search ends at the deadline, or at `depth`, which another run had reached when its time ended. With a `kept` cut
    nothing is searched: tuples are led to the regions of that. The global certainty penalty is the mean, over all cells
    of the quasi-identifiers, of the width of the cell's region as a share of the whole axis (Ghinita et al., VLDB 2007).
    Raises InfeasibleError.
    """
    run, opened, mapped = request.run, request.opened, request.mapped
    found: Partition | None = None
    if run.draft is not None and run.policy.search.options.grouped is not None:
        space, found = _shared_leaves(request, run.draft)
        tuples = found.tuples
    else:
        space = lay_out(run, opened, mapped)
        if (rows := sort_rows(request, space)) is not None:
            rare = find_rare(run, space, rows.ranks, ranked=True)
            found = Partition(rows.of.regions, (), in_time=True, tuples=rows.ranks, depth=0)
            return _partitioned(request, space, found, rows.of, rare)
        space, tuples = _tuples_of(run, request, space)
    check_whole_table(run, space, tuples)
    rare = find_rare(run, space, tuples)
    space = replace(space, hidden=find_hidden(run, tuples))
    if kept is not None:
        found = Partition(tuples, kept.leads(), in_time=True, tuples=tuples, depth=0)
    elif found is None:
        most_regions = opened.rows // space.regions.requirements[0].bound
        search = MondrianSearch(run, space.regions, tuples, most_regions=most_regions)
        found = search.partition(deadline=request.deadline, depth=depth)
    return _partitioned(request, space, found, _assigned(request, space, found, kept), rare)


def _partitioned(
    request: CutRequest,
    space: Space,
    found: Partition,
    of: AssignedRegions,
    rare: exp.Table | None,
) -> tuple[PartitionedTable, CutFound]:
    """Count the classes of a partition and what they lose, and name it by the hash of its regions."""
    run, opened, mapped = request.run, request.opened, request.mapped
    by_entity = run.policy.entity is not None
    grouping = space.regions.runs
    assigned, regions, of_regions = of.tuples, of.regions, of.released
    released = of_regions.table
    of_classes = ClassesOfRegions(run, space, released, assigned if by_entity else None)
    measured = released
    if of.tuples is not None and any(each.output.is_of_class for each in space.labels):
        columns = [
            (axis, table, measured_by(each, opened))
            for axis, table, each in zip(space.regions.axes, space.tables, mapped, strict=True)
        ]
        measured, tuples = run.scratch.table("class_widths"), of.tuples
        run.engine.execute(
            regions_sql.class_widths(measured, tuples, released, space.labels, columns)
        )
    (widths,) = run.engine.fetch(regions_sql.widths(measured, space.labels))
    counted = run.engine.fetch(of_classes.by_size())
    sizes = size_counts(counted)
    asked = joint_demands(run.policy.privacy)
    over = tuple(of_classes.over(demand) for demand in asked if demand.columns)
    hashed_by = [text for each in space.labels for text in each.hashed]
    ((many, hashed),) = run.engine.fetch(
        source_sql.fingerprint(released, [*hashed_by, "row_count"])
    )
    recoding = Multidimensional(
        int(str(many)),
        len(found.branches),
        run.key.hash(f"{many} boxes: {hashed}"),
        runs=grouping is not None,
    )
    made = PartitionedTable(space, found.branches, regions, recoding, of_regions)
    made = replace(made, class_widths=None if measured is released else measured)
    if grouping is not None:
        made = replace(made, assigned=assigned, lined=of.lined)
    outcome = outcome_of_cut(
        run,
        recoding,
        opened=opened,
        widths=[int(str(cell)) for cell in widths],
        counts=(
            sum(each.classes for each in sizes),
            min(each.size for each in sizes),
            sum(int(str(squares)) for *_, squares in counted),
            0,
        ),
        sizes=sizes,
    )
    bounds = [(regions, n) for n in range(len(mapped))]
    notes = (
        *untrue_rows(run, space.hidden),
        *rare_bounds(run, space, rare, bounds, shown=of_regions.shown),
    )
    in_time = None if found.in_time else recoding.depth
    return made, CutFound(made, outcome, checks_in_time=in_time, over=over, notes=notes)


def _tuples_of(run: Session, request: CutRequest, space: Space) -> tuple[Space, exp.Table]:
    """Count the tuples of a table whose axes are laid out."""
    tuples = count_tuples(run, request.opened, space, request.mapped)
    if space.regions.weighed:
        space = weigh_tuples(run, request.opened, space, tuples)
    return space, tuples


def shared_bound(k: int) -> int:
    """Return the class size by which drafts with this k cut leaves; many values of k share it, and so share leaves.

    >>> [shared_bound(k) for k in (2, 5, 10, 11, 16, 17)]
    [2, 8, 16, 16, 16, 32]
    """
    return 1 << (k - 1).bit_length()


def k_of_same_cuts(policy: Policy) -> tuple[int, int] | None:
    """Return the least and the greatest k of drafts that share leaves with those of a policy; None if no other k does."""
    bound = shared_bound(requirements_unsuppressed(policy.privacy)[0].bound)
    alone = policy.search.options.grouped is None or any(
        column.levels.most is not None for column in policy.quasi
    )
    return None if alone or bound <= 2 else (bound // 2 + 1, bound)


def _shared_leaves(request: CutRequest, draft: Draft) -> tuple[Space, Partition]:
    """Return the axes of a draft's table, and its leaves, which drafts with other k share.

    Leaves are cut for the greatest k that shares them, so that they fit a lower one too. Where columns are released no
    coarser than a level, leaves are cut for the k of the draft alone, as those of a greater one may not fit.
    """
    run = request.run
    needed = requirements_unsuppressed(run.policy.privacy)
    bounded = any(column.levels.most is not None for column in run.policy.quasi)
    k = needed[0].bound
    of_leaves = (replace(needed[0], bound=k if bounded else shared_bound(k)), *needed[1:])
    suppresses = bool(request.opened.max_suppressed(run.policy.suppression))
    key = ("leaves", of_leaves, suppresses)
    if key not in draft.kept:
        shared = replace(run, scratch=draft.scratch)
        of_tuples = ("tuples", needed[1:], suppresses)
        if of_tuples not in draft.kept:
            laid = lay_out(shared, request.opened, request.mapped)
            draft.kept[of_tuples] = _tuples_of(shared, request, laid)
        space, all_tuples = cast("tuple[Space, exp.Table]", draft.kept[of_tuples])
        space = _space_for(space, needed)
        tuples = draft.scratch.table("tuples")  # the search drops its own
        run.engine.execute(region_cuts_sql.tuples_in_order(tuples, [all_tuples]))
        check_whole_table(run, space, tuples)
        regions = _space_for(space, of_leaves).regions
        search = MondrianSearch(shared, regions, tuples, most_regions=request.opened.rows // k)
        found = search.partition(deadline=request.deadline)
        rest = found.branches[found.depth :]
        leaves = lead_tuples(shared, regions, found.tuples, rest, in_order=True)
        found = replace(found, tuples=leaves, depth=len(found.branches))
        if not found.in_time:
            return space, found
        draft.kept[key] = space, found
    space, found = cast("tuple[Space, Partition]", draft.kept[key])
    return _space_for(space, needed), found


def _space_for(space: Space, needed: Sequence[Requirement]) -> Space:
    """Return a space with the requirements, and the sizes of the runs, of another k."""
    runs = space.regions.runs
    runs = None if runs is None else replace(runs, least=needed[0].bound)
    regions = replace(space.regions, requirements=tuple(needed), runs=runs)
    return replace(space, regions=regions)


def _assigned(
    request: CutRequest, space: Space, found: Partition, kept: KeptCut | None
) -> AssignedRegions:
    """Group the rows of leaves into runs where the policy says so, and find what each region is released as."""
    run, grouping = request.run, space.regions.runs
    of_rows = any(each.output.is_of_rows for each in space.labels)
    shown = None if kept is None else kept.shown
    if grouping is not None:
        regions, starts = found.regions, None
        with run.engine.journal.step("order"):
            rest = found.branches[found.depth :]
            leaves = lead_tuples(run, space.regions, found.tuples, rest, in_order=True)
            if kept is not None:
                regions = run.scratch.create("leaf_rows", kept_cut.leaf_rows, leaves)
                starts = kept.starts
            once = not of_rows
            runs = group_in_runs(
                run, space.regions, grouping, regions, leaves, once=once, starts=starts
            )
        keyed = runs.lined is not None
        regions, released = release_assigned(run, space, runs.tuples, keyed=keyed, kept=shown)
        return AssignedRegions(regions, released, runs.tuples, runs.lined)
    # The bounds of regions determine neither their entities nor values that depend on their rows.
    if kept is not None or run.policy.entity is not None or of_rows:
        tuples = found.tuples
        if kept is None:
            tuples = count_tuples(run, request.opened, space, request.mapped)
        assigned = lead_tuples(run, space.regions, tuples, found.branches)
        regions, released = release_assigned(run, space, assigned, kept=shown)
        if kept is None:
            regions = found.regions
        elif space.regions.width is not Width.VALUES:  # an explanation tells the widths of the cuts
            regions = run.scratch.create("regions", space.regions.survey, assigned)
        return AssignedRegions(regions, released, assigned)
    regions = as_released(run, space.regions, found.regions)
    return AssignedRegions(found.regions, release_regions(run, space, regions))


@dataclass(frozen=True, slots=True)
class Partition:
    """A finished partition: the bounds of its regions, and the branches that lead to them, by depth.

    `tuples` are for the grouping into runs: all tuples of the table, each in its region at `depth`.
    """

    regions: exp.Table
    branches: tuple[exp.Table, ...]
    in_time: bool
    tuples: exp.Table
    depth: int


class MondrianSearch:
    """The open regions of one depth, as a working table of tuples, and the finished regions.

    A tuple is (region, coordinates, values that models count, rows). `most_regions` serves the display of progress. If
    runs are made afterward, the tuples of finished regions are set aside. Where branches of few rows are finished as they
    are made, all tuples are kept instead, in their regions at the last depth at which no region was finished.
    """

    def __init__(
        self, run: Session, cutting: Regions, tuples: exp.Table, *, most_regions: int = 0
    ) -> None:
        self.cutting = cutting
        self.engine = run.engine
        self._run = run
        self._scratch = run.scratch
        self._tuples = tuples
        self._surveyed: list[exp.Table] = []
        self._branches: list[exp.Table] = []
        self._kept = tuples
        self._kept_depth = 0
        self._set_aside: list[exp.Table] = []
        self._open_regions = 1
        self._uncut = False
        self._sampled = 0
        self._next_region = regions_sql.ROOT + 1
        self._regions = 1
        self._most_regions = most_regions

    def partition(self, *, deadline: float | None, depth: int | None = None) -> Partition:
        """Cut until no region has an allowable cut, or the deadline or `depth`; every region fits either way.

        First it cuts at the coarsest levels that columns may have. Raises InfeasibleError where those regions do not
        fit.
        """
        self._cut_at_levels()
        smallest = runs.smallest_sampled_cut(self.cutting)
        if smallest is not None:
            self._cut_on_sample(smallest, deadline=deadline, depth=depth)
        self._surveyed.append(self._survey())
        if self._sampled and self._any_unfit(self._surveyed[-1]):
            raise InternalError("a region that was cut on a sample does not fit")
        uncut = self.cutting.runs is not None and self.cutting.runs.one_sort
        is_open = not uncut and self._cut_on(deadline=deadline, depth=depth)
        regions = self._finished()
        for table in self._surveyed:
            self._scratch.drop(table)
        in_time = uncut or not is_open
        tuples, depth = self._kept, self._kept_depth
        if self._sets_aside:
            tuples, depth = self._all_tuples(), len(self._branches)
        return Partition(regions, tuple(self._branches), in_time, tuples, depth)

    @property
    def _sets_aside(self) -> bool:
        """Whether tuples of finished regions are set aside: for runs, where a region is finished when it has no cut."""
        of_runs = self.cutting.runs is not None and not self.cutting.runs.one_sort
        return of_runs and not self.cutting.cut_at_once

    def _all_tuples(self) -> exp.Table:
        """Bring the tuples of all finished regions together, in the order of their regions."""
        finished = [*self._set_aside, self._tuples]
        table = self._scratch.table("tuples")
        self.engine.execute(region_cuts_sql.tuples_in_order(table, finished))
        for each in finished:
            self._scratch.drop(each)
        return table

    def _cut_on(self, *, deadline: float | None, depth: int | None) -> bool:
        """Cut until no region may be cut again, or the deadline or `depth`; return True if any still may be."""
        is_open = True
        while is_open and len(self._branches) != depth and not is_past(deadline):
            is_open = self._cut()
            self.engine.journal.count(self._regions, self._most_regions, "region")
        return is_open

    def _cut_on_sample(self, smallest: int, *, deadline: float | None, depth: int | None) -> None:
        """Choose the first cuts on a sample of the rows, and assign all tuples along them."""
        exact, tuples = self.cutting, self._tuples
        sample = self._scratch.create("sample", partial(runs.sampled_tuples, exact), tuples)
        regions = self._scratch.create("regions", exact.survey, sample)
        self.cutting = replace(exact, runs=None, smallest_cut=smallest)
        self._tuples, self._surveyed = sample, [regions]
        self._cut_on(deadline=deadline, depth=depth)
        self._scratch.drop(self._tuples)
        self._scratch.drop(regions)
        self.cutting, self._surveyed = exact, []
        self._tuples = lead_tuples(self._run, exact, tuples, self._branches, in_order=True)
        self._kept, self._kept_depth = self._tuples, len(self._branches)
        # All regions count as open: once one of them is not cut, later tables of tuples lack its tuples.
        self._sampled, self._open_regions = len(self._branches), self._regions

    def _any_unfit(self, regions: exp.Table) -> bool:
        unfit = region_cuts_sql.unfit_regions(self.cutting, regions)
        return self.engine.fetch_count(unfit) > 0

    def _finished(self) -> exp.Table:
        """Create the table of the regions that are not cut further."""
        table = self._scratch.table("finished_regions")
        exact = self._branches[self._sampled :]
        if self.cutting.cut_at_once and exact:
            surveyed = self._surveyed[-1] if self._sampled else None
            finished = region_cuts_sql.finished_branches(self.cutting, table, exact, surveyed)
        else:
            finished = region_cuts_sql.finished_regions(table, self._surveyed, self._branches)
        self.engine.execute(finished)
        return table

    def _cut_at_levels(self) -> None:
        """Cut every region at the coarsest level of each axis. Raises InfeasibleError where a part is unfit."""
        for at in self.cutting.bounded:
            regions = self._survey()
            parts, cuts = self._scratch.table("parts"), self._scratch.table("cuts")
            region_tuples = RegionTuples(self._tuples, regions, at=at)
            self.engine.execute(region_cuts_sql.parts(self.cutting, parts, region_tuples))
            self.engine.execute(region_cuts_sql.cuts_at_level(cuts, parts))
            self._split(self._branch([(cuts, parts)]))
            for table in (regions, cuts, parts):
                self._scratch.drop(table)
        if self.cutting.bounded and self._any_unfit(self._tuples):
            raise beyond_levels(self._run)

    def _cut(self) -> bool:
        """Cut each region that has an allowable cut once; return True if any part may be cut again."""
        if self.cutting.cut_at_once:
            return self._split(self._least_loss())[1]
        regions = self._surveyed[-1]
        found = self._choose_cuts(regions)
        is_cut, is_open = self._split(self._branch(found))
        for table in {each for pair in found for each in pair}:
            self._scratch.drop(table)
        if is_cut:
            self._surveyed.append(self._survey())
        return is_open

    def _branch(self, found: Sequence[tuple[exp.Table, exp.Table]]) -> exp.Table:
        """Create the table of the branches of regions, from their cuts and the parts on both sides of each cut."""
        branches = self._scratch.table("branches")
        self.engine.execute(
            region_cuts_sql.branches(self.cutting, branches, found, first=self._next_region)
        )
        return branches

    def _split(self, branches: exp.Table) -> tuple[bool, bool]:
        """Move the tuples of the regions that have a cut into their branches.

        Returns whether any region has more than one branch, and whether any branch may be cut again.
        """
        counted = self.engine.fetch_counts(region_cuts_sql.count_branches(self.cutting, branches))
        cut, made, still_open = counted
        if cut == made:
            return False, False
        self._next_region += made
        self._regions += made - cut
        self._branches.append(branches)
        if still_open:
            after = self._scratch.table("working")
            in_order = len(self._branches) % IN_ORDER == 0
            self.engine.execute(
                region_cuts_sql.split(
                    self.cutting, after, self._tuples, branches, in_order=in_order
                )
            )
            if self._sets_aside and cut < self._open_regions:
                ended = self._scratch.table("ended")
                self.engine.execute(
                    region_cuts_sql.finished_tuples(self.cutting, ended, self._tuples, branches)
                )
                self._set_aside.append(ended)
            self._take(after, complete=cut == self._open_regions and made == still_open)
            self._open_regions = still_open
        return True, still_open > 0

    def _take(self, after: exp.Table, *, complete: bool) -> None:
        """Continue with the tuples that were moved; drop those before, unless these are kept for runs."""
        before, self._tuples = self._tuples, after
        runs, is_kept = self.cutting.runs is not None, before is self._kept
        runs = runs and not self._sets_aside
        if runs and is_kept and complete and not self.cutting.relaxed:
            self._kept, self._kept_depth = after, len(self._branches)
        elif runs and is_kept:
            return
        self._scratch.drop(before)

    def _survey(self) -> exp.Table:
        return self._scratch.create("regions", self.cutting.survey, self._tuples)

    def _choose_cuts(self, regions: exp.Table) -> list[tuple[exp.Table, exp.Table]]:
        """Choose a cut for each region that has one; return tables of cuts, each with the parts around them.

        Cuts by width are on the axis on which a region is widest; only regions without a cut there try the other axes.
        """
        if self.cutting.choose is not Choose.WIDTH:
            return [self._best_score(RegionTuples(self._tuples, regions))]
        found = [self._balanced(RegionTuples(self._tuples, regions))]
        if len(self.cutting.axes) > 1 and self._any_uncut(regions, found[0][0]):
            found.append(self._balanced(RegionTuples(self._tuples, regions, found[0][0])))
        return found

    def _any_uncut(self, regions: exp.Table, cuts: exp.Table) -> bool:
        """Return True if a region has no cut on its widest axis; once one had none, this is assumed later on."""
        if not self._uncut:
            uncut = region_cuts_sql.count_uncut(self.cutting, regions, cuts)
            self._uncut = self.engine.fetch_count(uncut) > 0
        return self._uncut

    def _balanced(self, region_tuples: RegionTuples) -> tuple[exp.Table, exp.Table]:
        """Choose the most balanced cut of each region; return cuts, and the parts around them if needed."""
        cuts = self._scratch.table("cuts")
        if self.cutting.by_rows and not self.cutting.weighed:
            self.engine.execute(region_cuts_sql.line_cuts(self.cutting, cuts, region_tuples))
            return cuts, cuts
        parts = self._scratch.table("parts")
        self.engine.execute(region_cuts_sql.parts(self.cutting, parts, region_tuples))
        fitting = self._fitting_cuts(region_tuples)
        self.engine.execute(region_cuts_sql.cuts(self.cutting, cuts, parts, fitting))
        self._forget(fitting)
        return cuts, parts

    def _fitting_cuts(self, region_tuples: RegionTuples) -> exp.Table | None:
        """Find the cuts of which both sides fit by the models that weigh values; None where no model does."""
        if not self.cutting.weighed:
            return None
        sides = self._scratch.create(
            "sides", partial(region_cuts_sql.cut_sides, self.cutting), region_tuples
        )
        fitting = self._scratch.create(
            "fitting_cuts", partial(region_cuts_sql.fitting_cuts, self.cutting), sides
        )
        self._scratch.drop(sides)
        return fitting

    def _forget(self, table: exp.Table | None) -> None:
        if table is not None:
            self._scratch.drop(table)

    def _least_loss(self) -> exp.Table:
        """Create the branches of each region's cut of least loss by one statement."""
        of_branches = len(self._branches) > self._sampled
        found = self._branches[-1] if of_branches else self._surveyed[-1]
        region_tuples = RegionTuples(self._tuples, found, of_branches=of_branches)
        branches, fitting = self._scratch.table("branches"), self._fitting_cuts(region_tuples)
        self.engine.execute(
            region_cuts_sql.branches_by_loss(
                self.cutting, branches, region_tuples, fitting, first=self._next_region
            )
        )
        self._forget(fitting)
        return branches

    def _best_score(self, region_tuples: RegionTuples) -> tuple[exp.Table, exp.Table]:
        """Choose the cut of least score among those of all axes."""
        parts, scored, cuts = (self._scratch.table(what) for what in ("parts", "scored", "cuts"))
        self.engine.execute(region_cuts_sql.parts(self.cutting, parts, region_tuples))
        if self.cutting.choose is Choose.LOSS:
            bounded = self._scratch.table("bounded_cuts")
            self.engine.execute(region_cuts_sql.bound_cuts(self.cutting, bounded, parts))
            self.engine.execute(region_cuts_sql.losses(self.cutting, scored, parts, bounded))
            self._scratch.drop(bounded)
        else:
            self.engine.execute(
                region_cuts_sql.by_target(self.cutting, scored, parts, region_tuples)
            )
        self._scratch.drop(parts)
        fitting = self._fitting_cuts(region_tuples)
        self.engine.execute(region_cuts_sql.cuts(self.cutting, cuts, scored, fitting))
        self._forget(fitting)
        return cuts, scored
