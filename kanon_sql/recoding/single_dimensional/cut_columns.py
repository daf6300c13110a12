"""Recodings of single columns to parts of several levels: the domain of each cut by what it tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError, InputError, InternalError
from kanon_sql.plans.recodings import Parts
from kanon_sql.plans.set_quality import SetFigures
from kanon_sql.policy.cut_steps import AnonymityRequirement
from kanon_sql.policy.model import Output
from kanon_sql.policy.search_options import Algorithm, KOptimize, Minimize, TopDown
from kanon_sql.privacy.demands import demands, requirements
from kanon_sql.recoding.multidimensional.regions import count_places, lay_out, refuse_unfit
from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels, Regions, TreeAxis
from kanon_sql.recoding.rare_bounds import find_rare, rare_bounds
from kanon_sql.recoding.single_dimensional import cut_columns_sql as said
from kanon_sql.recoding.single_dimensional.bottom_up import bottom_up
from kanon_sql.recoding.single_dimensional.cut_progress import News
from kanon_sql.recoding.single_dimensional.generalizations import SqlGeneralizations
from kanon_sql.recoding.single_dimensional.heads_sql import Alphabet, Cutting
from kanon_sql.recoding.single_dimensional.k_optimize import begin, k_optimize
from kanon_sql.recoding.single_dimensional.resume import gone_on_with, left_state
from kanon_sql.recoding.single_dimensional.specializations import SqlSpecializations
from kanon_sql.recoding.single_dimensional.sql_cutter import SqlCutter
from kanon_sql.recoding.single_dimensional.top_down import top_down
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.policy.cut_steps import CutStep
    from kanon_sql.recoding.multidimensional.regions import Space
    from kanon_sql.recoding.single_dimensional.cut_state import CutReport
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


MOST_LETTERS = 1000
"""Places to cut at that a head may have: each is a part of its statements."""

MOST_PARTS = 100_000
"""Parts of all columns together: a plan names each, and a reader should be able to read it."""

MOST_TARGETS = 64
"""Values of a target that are counted each by itself."""


@dataclass(frozen=True, slots=True)
class ColumnAxes:
    """Columns as axes of places without gaps: each one's values, and the nodes of those that are trees."""

    space: Space
    nodes: tuple[exp.Table | None, ...]

    @property
    def leaves(self) -> tuple[exp.Table, ...]:
        """Give the table of each column's values and their places."""
        return self.space.tables

    def place(self, quasi: int) -> str:
        """Name what tells where values lie on the axis of a column."""
        return "place" if self.nodes[quasi] is None else "path"


@dataclass(frozen=True, slots=True)
class Parted:
    """Columns whose domains are in parts: each one's regions, and its map to what is released."""

    space: Space
    regions: tuple[exp.Table, ...]
    maps: tuple[exp.Table, ...]
    recoding: Parts
    widths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search gives: the table of parts, its steps, or how far it came with a proof.

    `left` is how it was left where it may be gone on with.
    """

    table: exp.Table
    steps: tuple[CutStep, ...]
    cut_short: bool
    report: CutReport | None = None
    left: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class CutResult:
    """What a search over parts came to.

    `figures` has, of each set asked of, the classes, the smallest, their squared rows, and the rows
    suppressed; `notes` are on the bounds of parts.
    """

    parted: Parted
    searched: Searched
    figures: Mapping[tuple[str, ...], tuple[int, int, int, int]]
    notes: tuple[str, ...] = ()

    @property
    def over(self) -> tuple[SetFigures, ...]:
        """Give the figures of the sets of quasi-identifiers that are asked of alone."""
        return tuple(SetFigures(of, n, least) for of, (n, least, *_) in self.figures.items() if of)


def lay_out_ranks(run: Session, opened: OpenSource, mapped: Sequence[Mapped]) -> ColumnAxes:
    """Give every value its place in the order of its line, or of the leaves of its tree."""
    space = lay_out(run, opened, mapped)
    leaves: list[exp.Table] = []
    nodes: list[exp.Table | None] = []
    for axis, table in zip(space.regions.axes, space.tables, strict=True):
        if isinstance(axis, TreeAxis):
            leaves.append(run.scratch.table("ranked"))
            made = run.scratch.table("nodes")
            run.engine.execute(said.ranked(leaves[-1], table))
            run.engine.execute(said.ranked_nodes(made, leaves[-1], axis.masks))
            nodes.append(made)
        else:
            leaves.append(table)
            nodes.append(None)
    return ColumnAxes(replace(space, tables=tuple(leaves)), tuple(nodes))


def search_parts(
    run: Session,
    opened: OpenSource,
    mapped: Sequence[Mapped],
    *,
    deadline: float | None,
    left: Mapping[str, object] | None = None,
) -> CutResult:
    """Cut each column's domain by the policy's algorithm, or go on as it was left.

    Raises InfeasibleError, and StalePlanError where that is no such search.
    """
    laid = lay_out_ranks(run, opened, mapped)
    places = count_places(run, opened, laid.space, mapped)
    refuse_unfit(run, laid.space, places)
    trees = [nodes for nodes in laid.nodes if nodes is not None]
    _refuse_many(run, trees, "would cut hierarchies of {} nodes", "that it can look at")
    searched = _search(run, mapped, places, laid.nodes, deadline=deadline, left=left)
    _refuse_many(run, [searched.table], "cuts the columns into {} parts", "that a plan can name")
    firsts: list[list[int]] = [[] for _ in mapped]
    for quasi, first in run.engine.fetch(said.firsts(searched.table)):
        firsts[int(str(quasi))].append(int(str(first)))
    parted = put_into_parts(run, laid, places, tuple(map(tuple, firsts)))
    names = [each.name for each in run.policy.quasi]
    figures = {}
    for demand in demands(run.policy.privacy):
        of = {
            n: map_
            for n, map_ in enumerate(parted.maps)
            if not demand.columns or names[n] in demand.columns
        }
        figures[demand.columns] = _classes(run, places, of, demand.class_size, rows=opened.rows)
    rare = find_rare(run, laid.space, places)
    notes = rare_bounds(run, laid.space, rare, [(each, 0) for each in parted.regions])
    return CutResult(parted, searched, figures, notes)


def _refuse_many(run: Session, tables: Sequence[exp.Table], many: str, most: str) -> None:
    """Refuse what would be read into memory by the hundred thousand: parts, or nodes."""
    found = sum(int(str(run.engine.fetch(source_sql.count_rows(each))[0][0])) for each in tables)
    if found > MOST_PARTS:
        what = (
            f"{run.policy.search.algorithm} {many.format(found)}, more than the {MOST_PARTS} {most}; "
            f"make values coarser, or use another algorithm"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search.algorithm", what)])


def put_into_parts(
    run: Session, laid: ColumnAxes, places: exp.Table, firsts: tuple[tuple[int, ...], ...]
) -> Parted:
    """Map every value to its part, of which the first places are given.

    Guarantee: a part is bounded by values of rows that are kept, and by no other; a value beyond them
    has no part.
    """
    loaded, cuts, kept = (run.scratch.table(what) for what in ("loaded", "cuts", "kept"))
    intervals = Parts(firsts, "").intervals
    run.engine.load(
        loaded, ["value", "part", "low", "high"], (tuple(map(str, each)) for each in intervals)
    )
    run.engine.execute(said.loaded_cuts(cuts, loaded))
    spots = [run.scratch.table("spots") for _ in laid.leaves]
    for quasi, (axis, spot) in enumerate(zip(laid.leaves, spots, strict=True)):
        run.engine.execute(said.spots(spot, axis, cuts, quasi=quasi, place=laid.place(quasi)))
    entity = run.policy.entity is not None
    run.engine.execute(said.kept(kept, places, spots, entity=entity, least=_least_kept(run)))
    maps, regions, widths = [], [], []
    for quasi, spot in enumerate(spots):
        alone, map_, boxes = _map(run, laid, quasi, kept=kept, spots=spot)
        regions.append(alone)
        ((_, width),) = run.engine.fetch(said.part_totals(boxes))
        maps.append(map_)
        widths.append(int(str(width)))
    recoding = Parts(firsts, _digest(run, laid.space, maps))
    return Parted(laid.space, tuple(regions), tuple(maps), recoding, tuple(widths))


def _least_kept(run: Session) -> int:
    """Say how large a class is that is kept: of the algorithms of parts, one alone suppresses any."""
    if run.policy.search.algorithm is Algorithm.K_OPTIMIZE:
        return requirements(run.policy.privacy)[0].bound
    return 1


def _search(
    run: Session,
    mapped: Sequence[Mapped],
    places: exp.Table,
    nodes: Sequence[exp.Table | None],
    *,
    deadline: float | None,
    left: Mapping[str, object] | None,
) -> Searched:
    search, names = run.policy.search, [each.column.name for each in mapped]
    if search.algorithm is Algorithm.K_OPTIMIZE:
        return _k_optimize(run, len(mapped), places, deadline, left)
    asked = demands(run.policy.privacy)
    needed = [
        AnonymityRequirement(
            tuple(names.index(name) for name in demand.columns or names), demand.class_size
        )
        for demand in asked
        if demand.binding or len(asked) == 1
    ]
    table: SqlSpecializations | SqlGeneralizations
    entity = run.policy.entity is not None
    if search.algorithm is Algorithm.TOP_DOWN:
        table = SqlSpecializations(
            run.engine,
            run.scratch,
            places=places,
            trees=nodes,
            requirements=needed,
            entity=entity,
            deadline=deadline,
        )
        options = search.of(TopDown)
        found = top_down(table, needed, names, score=options.score, average=options.average)
    else:
        table = SqlGeneralizations(
            run.engine,
            run.scratch,
            places=places,
            trees=nodes,
            requirements=needed,
            entity=entity,
        )
        found = bottom_up(table, needed, names)
    if found is None:
        raise InternalError("the whole table fits, and its search found nothing that does")
    return Searched(table.cuts(), found.steps, cut_short=found.cut_short)


def _k_optimize(
    run: Session,
    columns: int,
    places: exp.Table,
    deadline: float | None,
    left: Mapping[str, object] | None,
) -> Searched:
    """Search for the parts of least cost, telling as it goes how far it is."""
    search, needed = run.policy.search.of(KOptimize), requirements(run.policy.privacy)
    targeted = search.target is not None
    (counted,) = run.engine.fetch(said.sizes(places, targeted=targeted))
    rows, targets = (int(str(cell)) for cell in counted)
    (ends,) = run.engine.fetch(said.ends(places, columns))
    numbers = [int(str(cell)) for cell in ends]
    alphabet = Alphabet(
        tuple(zip(numbers[::2], numbers[1::2], strict=True)), run.engine.capabilities.key_bits
    )
    if len(alphabet.letters) > MOST_LETTERS:
        what = (
            f"k_optimize has {len(alphabet.letters)} places to cut at, of which it can hold "
            f"{MOST_LETTERS}; make values coarser, or use another algorithm"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search.algorithm", what)])
    if targets > MOST_TARGETS and search.minimize is Minimize.CLASSIFICATION:
        what = f"has {targets} values, more than the {MOST_TARGETS} that can be told apart"
        raise InputError(run.policy.subject, [run.policy.fault("search.target", what)])
    cutting = Cutting(
        alphabet,
        needed,
        rows=rows,
        entity=run.policy.entity is not None,
        targets=targets if search.minimize is Minimize.CLASSIFICATION else 0,
    )
    most = run.policy.suppression.limit(rows)
    cutter = SqlCutter(
        run.engine, run.scratch, cutting, places, max_suppressed=most, deadline=deadline
    )
    state = begin(cutter) if left is None else gone_on_with(left, cutter)
    if state is None or state.best.suppressed == rows:
        raise InfeasibleError(
            f"no recoding satisfies the policy: the whole table has fewer than "
            f"{needed[0].bound} entities"
        )
    report = k_optimize(cutter, state, News(run.engine.journal.on_step)).report()
    table = cutter.write(state.best.head)
    return Searched(
        table,
        (),
        cut_short=not report.proven,
        report=report,
        left=left_state(run.policy, state, cutter),
    )


def _map(
    run: Session, laid: ColumnAxes, quasi: int, *, kept: exp.Table, spots: exp.Table
) -> tuple[exp.Table, exp.Table, exp.Table]:
    """Map a column's values to what their parts are released as: parts are regions of one axis."""
    of, bounds = laid.space.regions.axes[quasi], laid.space.shown[quasi].bounds
    alone = Regions((of,), ())
    working, regions, boxes, map_ = (
        run.scratch.table(what) for what in ("in_parts", "regions", "boxes", "part_map")
    )
    run.engine.execute(said.in_parts(working, kept, spots, quasi=quasi))
    run.engine.execute(alone.survey(regions, working))
    shown = RegionLabels.of(0, Output.BOUNDS if bounds else Output.LABELS)
    run.engine.execute(alone.boxes(boxes, regions, [shown]))
    axis, place = laid.leaves[quasi], laid.place(quasi)
    run.engine.execute(said.part_map(map_, axis, regions, boxes, place=place, shown=shown))
    return regions, map_, boxes


def _classes(
    run: Session, places: exp.Table, maps: Mapping[int, exp.Table], least: int, *, rows: int
) -> tuple[int, int, int, int]:
    """Count the classes of so many `rows`, the smallest, their squared rows, and the rows suppressed."""
    entity = run.policy.entity is not None
    (row,) = run.engine.fetch(said.part_classes(places, maps, entity=entity, least=least))
    classes, smallest, squares, kept = (int(str(cell or 0)) for cell in row)
    return classes, smallest, squares, rows - kept


def _digest(run: Session, space: Space, maps: Sequence[exp.Table]) -> str:
    """Hash, under the run's key, what every value of every column is released as."""
    hashes = []
    for map_, shown in zip(maps, space.shown, strict=True):
        sides = ("low", "high") if shown.bounds else ("label",)
        ((_, hashed),) = run.engine.fetch(source_sql.fingerprint(map_, ["value", *sides]))
        hashes.append(str(hashed))
    return run.key.hash(f"parts: {' '.join(hashes)}")
