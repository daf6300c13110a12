"""Makes a plan from a policy: open, map, encode, search. Writes nothing but scratch tables."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import chain
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.mapping import Mapped, map_all
from kanon_sql.counting.lattice.encode import Encoded, encode, value_nodes_of
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.result import Guarantee, Local
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.counting.plans.recodings import Enforced, FullDomain, WithoutSmallest
from kanon_sql.counting.run.session import NEVER, ended_by, interrupt_notes, searching
from kanon_sql.counting.source.exposed_rows import MOST_ROWS
from kanon_sql.counting.source.open_source import OpenSource, fingerprint, open_source
from kanon_sql.counting.source.released_types import find_types
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError, InternalError, OutOfTimeError
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.privacy.demands import weighs
from kanon_sql.policy.privacy.fitting_sql import whole
from kanon_sql.policy.privacy.table_models import ClassSizes
from kanon_sql.policy.search import Recode
from kanon_sql.recoding.linked_rows import warnings_of_plan
from kanon_sql.recoding.measured import Finished, null_rows_beyond, outcome_of, unfit
from kanon_sql.recoding.multi_node.local_recoding import release_at_nodes
from kanon_sql.recoding.planning.remarks import (
    check_conflicts,
    check_levels,
    check_not_trivial,
    few_rows_remark,
    nothing_fits,
    remarks,
    resume_remarks,
    shortfall,
    where_searched,
    within_levels,
)
from kanon_sql.recoding.query import key_checks
from kanon_sql.recoding.recode import plan_sql, recode
from kanon_sql.recoding.recount import hashed_as
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, CutAlgorithm, LatticeAlgorithm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.result import FullChecker, SearchResult, Verdict
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.measured import Outcome
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.single_dimensional.column_cuts import ColumnCuts


def keep_tables(
    run: Session, opened: OpenSource, *, portable: bool, to_keep: bool, resume: bool
) -> str | None:
    """Keep tables that cost a pass over the source; with `resume`, read those that a killed run kept.

    Tables are reused for the same source, policy, overrides and versions; hierarchies are compared by their values.
    Returns the source's hash, None if it was not computed. Raises InputError to `resume` if the engine keeps nothing.
    """
    why = run.engine.why_no_resume
    if resume and why is not None:
        raise InputError("resume", [Fault("", why)])
    if why is not None or not (resume or to_keep) or run.policy.source.frequency_set is not None:
        return None
    with run.engine.journal.step("fingerprint"):
        hashed = fingerprint(run, opened, portable=portable)
    overrides = {key: str(each) for key, each in sorted(run.overrides.items())}
    versions = [version("kanon-sql"), run.engine.version]
    origin = json.dumps([versions, run.policy.digest, overrides, hashed])
    run.engine.keep_tables(origin, run.key, goes_on=resume)
    return hashed


MOST_NODES = 1_000_000
"""The most nodes of a lattice that an algorithm may enumerate. `optimal` holds bit sets of all nodes:
1.4 million took 0.6 GB and 8 s of CPU before the first check, 4.2 million 1.6 GB and 30 s."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and the tables it was made from, for an apply in the same run.

    `encoded` has what a lattice search read; `cut` the regions or intervals of a cut, and `kept_cut` the name of its file.
    """

    plan: Plan
    opened: OpenSource
    mapped: tuple[Mapped, ...]
    cut: PartitionedTable | ColumnCuts | None = None
    encoded: Encoded | None = None
    kept_cut: str | None = None


@dataclass(frozen=True, slots=True)
class MappedSource:
    """A source with its columns mapped: to their hierarchies, or to the ranks of their values."""

    opened: OpenSource
    mapped: tuple[Mapped, ...]


@dataclass(frozen=True, slots=True)
class EncodedSource:
    """A source with its hierarchies and its frequency set: the input of every lattice search."""

    opening: MappedSource
    encoded: Encoded


def make_plan(
    run: Session,
    *,
    frame: object | None = None,
    opened: OpenSource | None = None,
    to_keep: bool = False,
    released: bool = False,
    stages: bool = False,
    types: bool = True,
    portable: bool = False,
    boundaries: str | None = None,
    resumed: Plan | None = None,
    resume: bool = False,
) -> Planned:
    """Choose a recoding that satisfies the policy.

    Guarantee: the recoding suppresses no more rows than the limit, and every class it keeps fits every
    privacy model; `optimal` is true only when no node that does so costs less under the metric.
    With `to_keep` the plan has the source's hash, so that it can be applied later; with `portable` by another engine
    too. Warnings then count more of the rows, unless the plan is `released` at once: the release counts them itself.
    The run that makes the plan may be the one that `stages` its rows. Without `types` the caller finds the types of texts
    by `plan_with_types`. A source that is `opened` already is searched unchanged. `boundaries` is the path, without extension, of the file
    for boundaries of regions and intervals. The search of the plan `resumed` continues from its state; `resume` reads
    the tables that a killed run kept.
    Raises InputError (with all faults of its kind), InfeasibleError, OutOfTimeError where time ended before a recoding
    was found, and StalePlanError where `resumed` has another policy or source.
    """
    journal = run.engine.journal
    opened = _open(run, frame) if opened is None else opened
    hashed: str | None = None
    said: tuple[str, ...] = ()
    if resume or run.engine.why_no_resume is None:
        hashed = keep_tables(run, opened, portable=portable, to_keep=to_keep, resume=resume)
    opening = mapped_columns(run, opened)
    made: PartitionedTable | ColumnCuts | None = None
    on: Encoded | None = None
    state = None
    if resumed is not None:
        from kanon_sql.recoding.single_dimensional.saved_search import (  # noqa: PLC0415  of k_optimize
            check_resumable,
        )

        with journal.step("fingerprint"):
            hashed = hashed_as(run, opening.opened, resumed.source_fingerprint)
        state = check_resumable(run, opening.opened, resumed, hashed)
    if isinstance(ALGORITHMS[run.policy.search.algorithm], CutAlgorithm):
        with journal.step("search"), searching(run.policy.search.time_limit) as deadline:
            # Of so many rows a plan to keep stages all, to count those that are unique.
            every = stages or (to_keep and opened.rows <= MOST_ROWS)
            plan, made = cut_plan(run, opening, deadline=deadline, resumed=state, stages=every)
    else:
        prepared = encoded(run, opening)
        on = prepared.encoded
        with (
            journal.step("search"),
            searching(run.policy.search.time_limit) as deadline,
            scratch(run.engine) as tables,  # what it counted takes no memory from the staged rows
        ):
            plan = search_plan(replace(run, scratch=tables), prepared, deadline=deadline)
    if made is not None and boundaries is not None:
        from kanon_sql.recoding.new_rows.boundaries import keep_beside  # noqa: PLC0415  of cuts

        with journal.step("boundaries"):
            kept = keep_beside(run, made, opened.rows, boundaries)
            notes = plan.notes if kept.why is None else (*plan.notes, kept.why)
            plan = replace(
                plan, recoding=kept.recoding, beside=kept.path, cut_file=kept.cut, notes=notes
            )
    if to_keep and hashed is None:
        with journal.step("fingerprint"):
            hashed = fingerprint(run, opening.opened, portable=portable)
    planned = Planned(plan, opening.opened, opening.mapped, made, on)
    if types:
        planned = plan_with_types(run, planned, frame)
        plan = planned.plan
    if run.policy.of_rows and not plan.recoding.in_regions:
        from kanon_sql.recoding.joined_classes import (  # noqa: PLC0415  few columns are released so
            plan_of_values,
        )

        plan = plan_of_values(run, planned)
        planned = replace(planned, plan=plan)
    warned, unique = warnings_of_plan(run, planned, to_keep=to_keep and not released)
    noted = (*interrupt_notes(), *warned)
    if resume:
        said = tuple(resume_remarks(run.engine))
    if run.policy.source.frequency_set is not None:
        from kanon_sql.counting.source.column_problems import frequency_set_notes  # noqa: PLC0415  few plans have one

        noted = (*noted, *frequency_set_notes(run.policy))
    plan = replace(
        plan,
        source_fingerprint=hashed,
        notes=(*plan.notes, *noted),
        remarks=(*plan.remarks, *said),
        unique_beside=None if unique is None or not unique.unique else unique.sentence,
        run=journal.summary(),
    )
    return replace(planned, plan=plan)


def plan_with_types(
    run: Session, planned: Planned, frame: object | None, *, staged: StagedTexts | None = None
) -> Planned:
    """Add the types of a release to its plan, found over its rows alone: those that are `staged`, or else stage them."""
    released: Callable[[Sequence[str]], tuple[exp.Table, int] | None] | None = None
    # The releases of a series may show what this plan suppresses: their types are those of all rows.
    if planned.plan.suppressed_rows and run.policy.series is None:
        released = partial(_released_texts, run, planned)
    if staged is not None:
        released = partial(_staged_texts, staged, released)
    with run.engine.journal.step("types"):
        types = find_types(run, planned.opened, planned.plan.recoding, frame, released)
    return replace(planned, plan=replace(planned.plan, types=types))


@dataclass(frozen=True, slots=True)
class StagedTexts:
    """The table of a staged release, its columns and the number of its rows."""

    table: exp.Table
    columns: tuple[str, ...]
    rows: int


def _staged_texts(
    staged: StagedTexts,
    otherwise: Callable[[Sequence[str]], tuple[exp.Table, int] | None] | None,
    names: Sequence[str],
) -> tuple[exp.Table, int] | None:
    """Return the table and the number of rows of a release where it has all these columns under their own names."""
    if {*names} <= {*staged.columns}:
        return staged.table, staged.rows
    return None if otherwise is None else otherwise(names)


def _released_texts(run: Session, planned: Planned, names: Sequence[str]) -> tuple[exp.Table, int]:
    """Stage the rows that a plan releases with some columns as they are, and count them."""
    columns = (
        each
        if each.role is Role.QUASI
        else Column(each.name, Role.INSENSITIVE)
        if each.name in names
        else Column(each.name, Role.IDENTIFYING)
        for each in run.policy.columns
    )
    staged = run.scratch.table("released_texts")
    own = replace(run, policy=replace(run.policy, columns=tuple(columns)))
    run.engine.execute(recode(own, planned, staged).staging)
    return staged, planned.plan.released_rows


def prepare(run: Session, frame: object | None) -> EncodedSource:
    return encoded(run, open_and_map(run, frame))


def open_and_map(run: Session, frame: object | None) -> MappedSource:
    return mapped_columns(run, _open(run, frame))


def _open(run: Session, frame: object | None) -> OpenSource:
    check_conflicts(run.policy)
    with run.engine.journal.step("open"):
        return open_source(run, frame)


def check_left_out(run: Session, opened: OpenSource) -> None:
    """Raise InfeasibleError where `nulls: suppress` would suppress more rows than the policy allows."""
    allowed = run.policy.suppression.limit(opened.source_rows)
    if opened.left_out > allowed:
        from kanon_sql.counting.source.person_keys import count_nulls  # noqa: PLC0415  of an error

        nulls = count_nulls(run, opened)
        raise InfeasibleError(null_rows_beyond(opened.left_out, opened.source_rows, allowed, nulls))


def mapped_columns(run: Session, opened: OpenSource) -> MappedSource:
    """Map the values of a source to their hierarchies, or to ranks for algorithms that cut axes."""
    with run.engine.journal.step("hierarchies"):
        mapped, of_values = map_all(run, opened)
        opened = value_nodes_of(run.scratch, opened, of_values)
        check_levels(run.policy, mapped)
    return MappedSource(opened, tuple(mapped))


def encoded(run: Session, opening: MappedSource) -> EncodedSource:
    with run.engine.journal.step("encode"):
        found = encode(run, opening.opened, opening.mapped)
    return EncodedSource(opening, found)


def cut_plan(
    run: Session,
    opening: MappedSource,
    *,
    deadline: float | None,
    resumed: Mapping[str, object] | None = None,
    stages: bool = False,
) -> tuple[Plan, PartitionedTable | ColumnCuts]:
    """Cut a table into regions, or columns into intervals, and plan them, without a hash; who `stages` rows, too, sorts them."""
    check_left_out(run, opening.opened)
    algorithm = ALGORITHMS[run.policy.search.algorithm]
    if not isinstance(algorithm, CutAlgorithm):
        raise InternalError(f"{run.policy.search.algorithm} cuts no columns")
    from kanon_sql.recoding.rare_bounds import CutRequest  # noqa: PLC0415  of algorithms that cut

    request = CutRequest(run, opening.opened, opening.mapped, deadline, resumed, stages=stages)
    found = algorithm.cut(request)
    plan = plan_of(run, opening, found.outcome, metric=metric_label(run.policy))
    return replace(
        plan,
        checks_in_time=found.checks_in_time,
        steps=found.steps,
        state=found.state,
        over=found.over,
        notes=found.notes,
    ), found.made


def search_plan(run: Session, prepared: EncodedSource, *, deadline: float | None) -> Plan:
    """Search a frequency set with the policy's algorithm, and make the plan, without the source's hash.

    Raises InfeasibleError, OutOfTimeError, and InputError where the policy or the lattice does not suit the algorithm.
    """
    encoded = prepared.encoded
    check_left_out(run, prepared.opening.opened)
    max_suppressed = run.policy.suppression.limit(prepared.opening.opened.source_rows)
    check_conflicts(run.policy)
    check_levels(run.policy, prepared.opening.mapped)
    check_size(run.policy, encoded.lattice.size, timed=deadline not in {None, NEVER})
    checker = make_checker(
        run, encoded, metric=run.policy.metric, max_suppressed=max_suppressed, deadline=deadline
    )
    found = run_search(run.policy, checker)
    if found is None or not found.keeps:
        raise _refused(run, encoded, checker)
    check_not_trivial(checker, found)
    searched = checker.checks
    found, finished = _finish(run, encoded, checker, found, deadline=deadline)
    late = (checker.cut_short and not found.optimal) or finished.cut_short
    passes, over = checker.over_sets(found.verdict.node)
    if passes:
        finished = replace(finished, recoding=FullDomain(found.verdict.node, passes))
    outcome = outcome_of(run, encoded, checker, found, finished)
    label = run.policy.metric.label
    few = () if finished.recoding.moves else few_rows_remark(run, encoded, checker, found)
    checks, minimal = searched + finished.checks, found.minimal
    return replace(
        plan_of(run, prepared.opening, outcome, metric=label),
        lattice_nodes=encoded.lattice.size,
        checks=checks,
        checks_in_time=checks if late else None,
        over=over,
        steps=found.steps,
        notes=(
            *remarks(run, encoded, found, nodes=len(outcome.recoding.nodes)),
            *few,
        ),
        remarks=tuple(where_searched(run.engine, encoded)),
        effort={} if found.effort is None else found.effort.document(),
        feasible_nodes=None if found.feasible is None else len(found.feasible),
        minimal=None if minimal is None else len(minimal),
        minimal_nodes=None if minimal is None else tuple(each.levels for each in minimal),
    )


def _finish(
    run: Session,
    encoded: Encoded,
    checker: SqlChecker,
    found: SearchResult,
    *,
    deadline: float | None,
) -> tuple[SearchResult, Finished]:
    """Recode the rows that the found node does not keep if search or policy say so, else suppress them.

    The returned search result is moved to the first node at which rows are released. Raises InfeasibleError.
    """
    most = checker.max_suppressed
    if isinstance(found.then, Local):
        from kanon_sql.recoding.multi_node.released_classes import (  # noqa: PLC0415  of mu_argus
            suppress_cells,
        )

        return found, suppress_cells(run, encoded, found.verdict, found.then, max_suppressed=most)
    several = release_at_nodes(
        run,
        encoded,
        found,
        max_suppressed=most,
        deadline=deadline,
        search=partial(run_search, run.policy),
        refused=partial(_refused, run, encoded, checker),
    )
    if several is not None:
        return _at(checker, found, several.recoding.nodes[0]), several
    node, counts = found.verdict.node, found.verdict.counts
    if not found.verdict.feasible:
        raise _refused(run, encoded, checker, counts.suppressed)
    if found.verdict.enforced:
        return found, Finished(Enforced(node, checker.class_size))
    also = counts.smallest_suppressed
    return found, Finished(WithoutSmallest(node, also) if also else FullDomain(node))


def _at(checker: SqlChecker, found: SearchResult, node: Node) -> SearchResult:
    """Return `found` at `node`, with the node's verdict and cost; optimal only if the search chose `node`."""
    if node == found.verdict.node:
        return found
    (verdict,) = checker.check([node])
    (cost,) = checker.costs([verdict])
    return replace(found, verdict=verdict, cost=cost, optimal=False)


def run_search(policy: Policy, checker: FullChecker) -> SearchResult | None:
    """Run the algorithm that the policy names; None if it finds no feasible node.

    Raises InputError where the algorithm prunes by the verdicts of other nodes and the models are not monotone.
    """
    search = policy.search
    described = ALGORITHMS[search.algorithm]
    if not isinstance(described, LatticeAlgorithm):
        raise InternalError(f"{search.algorithm} searches no lattice")
    if described.prunes and not checker.monotone:
        of_people = policy.entity is not None and any(map(weighs, policy.privacy))
        where = "people are counted" if of_people else "rows may be suppressed"
        what = (
            f"{search.algorithm} concludes from one node about coarser ones, which is not sound for "
            f"the policy's privacy models where {where}; use optimal or exhaustive"
        )
        raise InputError(policy.subject, [policy.fault("search.algorithm", what)])
    names = tuple(column.name for column in policy.quasi)
    return described.run(checker, search, names)


def check_size(policy: Policy, size: int, *, timed: bool) -> None:
    """Raise InputError where a lattice of more than `MOST_NODES` nodes is too large for the search.

    That is the case for algorithms that enumerate the lattice, for recoding: cells, and for algorithms that may not
    end unless there is a time limit.
    """
    search = policy.search
    if size <= MOST_NODES:
        return
    smaller = "give some hierarchies fewer levels, or leave out a quasi-identifier"
    described = ALGORITHMS[search.algorithm]
    if described.enumerates:
        what = (
            f"the lattice has {size:,} nodes, more than the {MOST_NODES:,} that {search.algorithm} can "
            f"hold; say algorithm: lightning with a time_limit, {smaller}"
        )
        raise InputError(policy.subject, [policy.fault("search.algorithm", what)])
    if search.recoding is Recode.CELLS:
        what = f"goes through the whole lattice, whose {size:,} nodes are too many; use local, {smaller}"
        raise InputError(policy.subject, [policy.fault("search.recoding", what)])
    if described.endless and not timed:
        what = f"the lattice has {size:,} nodes, too many to come to an end: give a time_limit, {smaller}"
        raise InputError(policy.subject, [policy.fault("search.time_limit", what)])


def _refused(
    run: Session, encoded: Encoded, checker: SqlChecker, suppressed: int | None = None
) -> InfeasibleError:
    """Return the error of a search without a result: the policy is infeasible, or the search fell short.

    The policy is infeasible if the lattice's top is, and either models are monotone, or the algorithm proves optima
    and rows are released at one node. `suppressed` is the number of rows that the search would suppress, if known.
    """
    (top,) = checker.check([checker.lattice.top], detail=True)
    search = run.policy.search
    at_one = search.recoding is Recode.FULL_DOMAIN
    proves = ALGORITHMS[search.algorithm].promises(search) is Guarantee.OPTIMUM
    if not top.feasible and (checker.monotone or (proves and at_one)):
        return InfeasibleError(_relaxation(run, encoded, checker, top))
    how = f"{search.algorithm}, per: record," if search.options.per_record else search.algorithm
    if checker.cut_short:
        return OutOfTimeError(
            f"{ended_by()} ended {how} before a recoding was found that satisfies the policy; give "
            f"more time (time_limit, --time-limit)"
        )
    rows, allowed = checker.stats.rows, checker.max_suppressed
    short = "" if suppressed is None or suppressed <= allowed else (
        f": it leaves {counted(suppressed, 'row')} to suppress ({suppressed / rows:.4%}), the policy "
        f"allows {allowed:,}"
    )  # fmt: skip
    other = (
        "Another search does, as the top of the lattice satisfies it"
        if top.feasible
        else "Another search may"
    )
    instead = "algorithm: optimal" if at_one or not proves else "recoding: full_domain"
    return InfeasibleError(
        f"{how} found no recoding that satisfies the policy{short}. {other}: use {instead}"
    )


def _relaxation(run: Session, encoded: Encoded, checker: SqlChecker, top: Verdict) -> str:
    """Explain why even the coarsest levels fail, and which limit would have to be relaxed."""
    if checker.lattice.top != checker.lattice.root:
        (root,) = checker.check([checker.lattice.root], detail=True)
        if root.feasible:
            return within_levels(run.policy, encoded, checker, top)
        top = root
    if not top.counts.classes and (short := _unfit_as_one_class(run.engine, encoded, checker)):
        return short
    why, instead = shortfall(run.policy, checker, top)
    advice = f": allow {instead}" if instead else ""
    return f"{nothing_fits(run.policy, checker)}: at the coarsest levels {why}{advice}"


def _unfit_as_one_class(engine: Engine, encoded: Encoded, checker: SqlChecker) -> str | None:
    """Name the requirements, over any set of columns, that all rows miss even as one class; None if none."""
    counting = encoded.counting
    if counting.signature:
        return None  # people with different numbers of rows are several classes there
    every = chain(*(each.requirements for each in counting.joint if not each.beside))
    of_sets = (each for each in every if each.measure.reference is None)
    needed = tuple(dict.fromkeys((*counting.requirements, *of_sets)))
    (row,) = engine.fetch(whole(encoded.table, needed, counting.class_rows))
    most = [int(str(cell)) for cell in row]
    rows = checker.stats.rows - checker.stats.left_out
    of_all, one_class = counting.of_all_classes, ClassSizes.of([(rows, 1)])
    at_top = [each.measure.of_sizes(one_class) for each in of_all]
    return unfit((*needed, *of_all), (*most, *at_top))


def plan_of(run: Session, opening: MappedSource, outcome: Outcome, *, metric: str) -> Plan:
    """Build the plan of a recoding and its quality. Callers add the numbers that only their search has."""
    opened, mapped = opening.opened, opening.mapped
    heights = {m.column.name: m.hierarchy.height for m in mapped}
    return Plan(
        policy_file=run.policy.file,
        policy_digest=run.policy.digest,
        overrides=dict(run.overrides),
        source_rows=opened.source_rows,
        source_fingerprint=None,
        hierarchies={
            **{m.column.name: m.hierarchy.digest for m in mapped},
            **{name: nodes.digest for name, nodes in opened.nodes.items()},
        },
        pseudonym_keys=key_checks(run.policy) or None,
        algorithm=run.policy.search.algorithm.value,
        metric=metric,
        optimal=outcome.optimal,
        cost=outcome.cost,
        recoding=outcome.recoding,
        heights=heights,
        within=run.policy.within,
        max_suppressed=run.policy.suppression.limit(opened.source_rows),
        suppressed_rows=outcome.suppressed,
        classes=outcome.classes,
        smallest_class=outcome.smallest,
        figures=outcome.figures,
        risk=outcome.risk,
        lattice_nodes=None,
        privacy=tuple(str(model) for model in run.policy.privacy),
        sql=plan_sql(
            run,
            outcome.recoding,
            heights,
            opened.columns,
            {name: nodes.height for name, nodes in opened.nodes.items()},
        ),
        where=run.policy.source.where,
        view=run.policy.release is not None and run.policy.release.view,
        entity=run.policy.entity,
    )


def metric_label(policy: Policy) -> str:
    """Name the metric of a plan's cost: the algorithm's own if it cuts, else the policy's."""
    algorithm = ALGORITHMS[policy.search.algorithm]
    if isinstance(algorithm, CutAlgorithm):
        return algorithm.minimized(policy.search)
    return policy.metric.label
