"""The public function `explain`: opens a plan's source again, and searches around the plan's node.

Guarantee: the rows are those that the plan was made from, which is checked first. The plan's numbers are counted again
if it releases all rows at one node. Reads only. Cost: the frequency set once, then checks on it until the time limit.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.encode import Encoded, encode
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError
from kanon_sql.evidence.explanation.explain_regions import explain_regions
from kanon_sql.evidence.explanation.explanation import BestOfK, CutAtK, Explanation
from kanon_sql.evidence.explanation.lattice_picture import (
    MOST_DOTS,
    MOST_DRAWN,
    PICTURES,
    check_kind,
    lattice_nodes,
)
from kanon_sql.evidence.explanation.scenarios import Analysis, Scenarios, relaxed_by_one, with_k
from kanon_sql.evidence.release_quality.beside_source import mean_penalty, stage_beside_source
from kanon_sql.evidence.release_quality.two_columns import measure_beside
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.k_anonymity import stated_k, with_other_k
from kanon_sql.recoding.measured import TwoColumns, outcome_at_node
from kanon_sql.recoding.planning.make_plan import MOST_NODES, MappedSource, cut_plan
from kanon_sql.recoding.planning.open_plan import name_plan, open_plan
from kanon_sql.recoding.recode import cut_regions_again
from kanon_sql.recoding.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.explanation.explanation import Member, Neighbour
    from kanon_sql.evidence.explanation.regions_explanation import RegionsExplanation
    from kanon_sql.recoding.planning.make_plan import Planned

KS = (2, 3, 5, 10, 25, 50, 100)
PER_THOUSAND = (0, 1, 10, 20, 50, 100)
"""The frontier's k, and its suppression limits in thousandths of the rows; the policy's own are added."""

NEAREST = 3
"""How many other k regions are cut under, where not all are asked for."""

MOST_AS_DATA = 100_000
"""The most nodes of a lattice that is written completely as data; a picture has fewer."""

CHART = "chart"
"""The lattice of `search_around`: all nodes of a small lattice, otherwise those that were checked."""

TIME_LIMIT = 60.0


@checked
def explain(
    plan: str | Path | Plan,
    source: TableInput | None = None,
    *,
    policy: PolicyInput | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    time_limit: float = TIME_LIMIT,
    all_k: bool = False,
    lattice: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Explanation | RegionsExplanation:
    """Explain why a plan recodes as it does: active limits, columns' costs, optima under other limits.

    Of regions: the active models, each column's loss, why none was cut further, and the partitions
    for other k. What the time limit prevented is marked.

    Args:
        plan: The plan, or the path of its file.
        source: The table; by default the policy's source.
        policy: The policy; of a plan, where that names no file of one.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        time_limit: The most seconds of all searches.
        all_k: Whether regions are searched under k from 2 to 100, not only half and twice the policy's.
        lattice: `csv`, `json`, `dot` or `svg`, to return nodes for such a file.
        progress: A function to call with the name of each step.

    Returns:
        The explanation, as plain data; a `RegionsExplanation` for a plan of regions.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> plan = kanon_sql.plan(policy, people)
    >>> found = kanon_sql.explain(plan, people, policy=policy)
    >>> found.optimal, [bound.name for bound in found.bounds if bound.binds]
    (True, ['k'])
    """
    if lattice is not None:
        check_kind(lattice)
    named = name_plan(plan, policy)
    chosen = named.plan
    of_regions = chosen.recoding.in_regions
    if of_regions and lattice is not None:
        what = f"{chosen.algorithm} searches no lattice, of which a file could have the nodes; leave it out"
        raise InputError("explain", [Fault("lattice", what)])
    if not chosen.recoding.nodes and not of_regions:
        what = (
            f"{chosen.algorithm} searches no lattice, and explain compares nodes of one; to see what other "
            f"recodings lose, run: kanon-sql compare POLICY"
        )
        raise InputError("explain", [Fault("search.algorithm", what)])
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            named.policy,
            source,
            connection=connection,
            settings=settings,
            overrides=chosen.overrides,
            progress=progress,
            writes=False,
            keeps_plan=not named.unhashed,
        )
        planned = open_plan(run, named, frame, to_read=True)
        if of_regions:
            # Cut once: what is explained and what is measured are these regions.
            planned = replace(planned, cut=cut_regions_again(run, planned))
            of_boxes = explain_regions(run, planned, time_limit=time_limit, all_k=all_k)
            penalty, noticed = _beside_source(run, planned)
            of_boxes = replace(of_boxes, penalty=penalty, two_columns=noticed)
            return replace(of_boxes, run=run.engine.journal.summary())
        explained, _ = _searched(run, planned, time_limit=time_limit, lattice=lattice)
        penalty, noticed = _beside_source(run, planned)
        explained = replace(explained, penalty=penalty, two_columns=noticed)
        return replace(explained, run=run.engine.journal.summary())


def _beside_source(run: Session, planned: Planned) -> tuple[float, TwoColumns | None]:
    """Measure a plan's release against its source: its mean NCP, and its measures of two columns."""
    with run.engine.journal.step("measure"):
        beside = stage_beside_source(run, planned)
        found = measure_beside(run, planned, beside)
        noticed = found if isinstance(found, TwoColumns) else None
        return mean_penalty(run, planned, beside), noticed


def search_around(
    run: Session, planned: Planned, *, time_limit: float
) -> tuple[Explanation, tuple[BestOfK, ...]]:
    """Explain a plan of this run with the nodes for a chart, and return the best node for each other k.

    These nodes are under the plan's suppression limit, and their class sizes are counted.
    """
    explained, checker = _searched(run, planned, time_limit=time_limit, lattice=CHART)
    own, names = demands(run.policy.privacy), planned.plan.names
    found = []
    for cell in explained.frontier:
        ours = cell.max_suppressed == explained.plan.max_suppressed
        if not ours or cell.k == own[0].class_size or not cell.optimum.found:
            continue
        under, node = checker.under(with_k(own, cell.k)), Node(cell.optimum.levels)
        (verdict,) = under.check([node], detail=True)
        labels = tuple(
            checker.stats.columns[at].levels[node.levels[at]].values for at in range(len(names))
        )
        found.append(BestOfK(cell.k, cell.optimum, tuple(under.class_sizes(verdict)), labels))
    return explained, tuple(found)


def cuts_at_other_k(
    run: Session, planned: Planned, *, time_limit: float, all_k: bool
) -> tuple[CutAtK, ...]:
    """Return the plan's own cuts, and those of other k that were found in time, by k; all of one algorithm.

    Without `all_k` these are the nearest k alone: each takes a search of its own.
    """
    deadline = time.monotonic() + time_limit
    plan, own = planned.plan, stated_k(run.policy.privacy)
    found = [CutAtK(own, plan.cost[0], plan.suppressed_rows, of_policy=True)]
    nearest = sorted(
        {2 * own, max(own // 2, 2), *KS} - {own}, key=lambda k: max(k, own) / min(k, own)
    )
    for k in nearest if all_k else nearest[:NEAREST]:
        if k > planned.opened.rows or time.monotonic() >= deadline:
            continue
        with scratch(run.engine) as tables:
            policy = replace(run.policy, privacy=with_other_k(run.policy.privacy, k))
            other = replace(run, policy=policy, scratch=tables)
            try:
                cut, _ = cut_plan(
                    other, MappedSource(planned.opened, planned.mapped), deadline=deadline
                )
            except InfeasibleError:
                continue
        if cut.checks_in_time is None:
            found.append(CutAtK(k, cut.cost[0], cut.suppressed_rows))
    return tuple(sorted(found, key=lambda each: each.k))


def _searched(
    run: Session, planned: Planned, *, time_limit: float, lattice: str | None
) -> tuple[Explanation, SqlChecker]:
    """Encode a plan's source, explain the plan, and return the checker too."""
    journal = run.engine.journal
    with journal.step("encode"):
        encoded = encode(run, planned.opened, planned.mapped)
    with journal.step("explain"):
        deadline = time.monotonic() + time_limit
        checker = make_checker(
            run,
            encoded,
            metric=run.policy.metric,
            max_suppressed=run.policy.suppression.limit(encoded.stats.rows),
            deadline=deadline,
        )
        explained = _explained(
            run, planned.plan, encoded, checker, deadline=deadline, lattice=lattice
        )
        return explained, checker


def _explained(
    run: Session,
    chosen: Plan,
    encoded: Encoded,
    checker: SqlChecker,
    *,
    deadline: float,
    lattice: str | None,
) -> Explanation:
    rows = encoded.stats.rows
    limit = run.policy.suppression.limit(rows)
    own = demands(run.policy.privacy)
    ks = sorted({k for k in (*KS, own[0].class_size) if k <= rows})
    limits = sorted({*(share * rows // 1000 for share in PER_THOUSAND), limit})
    less = [thresholds for *_, thresholds in relaxed_by_one(own)]
    names = tuple(chosen.levels)
    variants = [own, *less, *(with_k(own, k) for k in ks)]
    scenarios = Scenarios(checker, variants, run.policy.monotone)
    analysis = Analysis(
        scenarios,
        names=names,
        max_suppressed=limit,
        most_nodes=MOST_NODES,
        searches=len(less) + 2 * len(names) + len(ks) * len(limits),
        deadline=deadline,
    )
    plan, feasible = _recounted(run, chosen, encoded, checker)
    one = None if plan.recoding.moves else plan.recoding.nodes[0]
    described = ALGORITHMS[run.policy.search.algorithm]
    promise = described.promises(run.policy.search)
    optimum = analysis.optimum()
    proof_checks = checker.counted
    base = analysis.base(optimum, one)
    # A picture has few nodes; they are counted before the searches use up the time.
    nodes = _nodes(analysis, plan, lattice) if lattice in PICTURES else None
    neighbours: Iterable[Neighbour] = ()
    if one is not None:
        neighbours = analysis.neighbours(
            one, cost=plan.cost, algorithm=plan.algorithm, promise=promise
        )
    found = Explanation(
        plan=plan,
        promise=promise,
        paper=described.paper,
        feasible=feasible,
        claimed=chosen.optimal,
        optimal=one is not None and feasible and optimum.proven and plan.cost <= optimum.cost,
        proof_checks=proof_checks,
        optimum=optimum,
        base=base,
        neighbours=tuple(neighbours),
        bounds=tuple(
            analysis.bounds(
                optimum,
                node=None if plan.recoding.enforces_least else one,
                suppressed=plan.suppressed_rows,
            )
        ),
        columns=tuple(analysis.columns(base)),
        frontier=analysis.frontier(ks, limits, optimum),
        walked=encoded.lattice.size <= MOST_NODES,
        nodes=nodes if nodes is not None else _nodes(analysis, plan, lattice),
        checks=0,
        nodes_checked=0,
    )
    checks = checker.counted + (one is not None)
    return replace(found, checks=checks, nodes_checked=scenarios.nodes_counted)


def _recounted(
    run: Session, chosen: Plan, encoded: Encoded, checker: SqlChecker
) -> tuple[Plan, bool]:
    """Return a plan with the policy's parameters and new counts, and whether its node is feasible.

    A plan that releases rows at several nodes, or suppresses cells, keeps its own counts and metrics.
    """
    search = run.policy.search
    plan = replace(
        chosen,
        privacy=tuple(str(model) for model in run.policy.privacy),
        algorithm=search.algorithm.value,
        metric=run.policy.metric.label,
        source_rows=encoded.stats.rows,
        max_suppressed=run.policy.suppression.limit(encoded.stats.rows),
        lattice_nodes=encoded.lattice.size,
    )
    if plan.recoding.moves:
        return plan, True
    node = plan.recoding.nodes[0]
    own_k = demands(run.policy.privacy)[0].class_size
    (verdict,) = checker.check([node], detail=True)
    if plan.recoding.enforces_least:
        verdict = checker.enforced(verdict)
    (cost,) = checker.costs([verdict])
    found = outcome_at_node(encoded, checker, verdict, cost, recoding=plan.recoding, k=own_k)
    counted = replace(
        plan,
        cost=cost,
        suppressed_rows=found.suppressed,
        classes=found.classes,
        smallest_class=found.smallest,
        figures=found.figures,
    )
    return counted, verdict.feasible


def _nodes(analysis: Analysis, plan: Plan, lattice: str | None) -> tuple[Member, ...] | None:
    """Return the nodes for a lattice file or chart: all, or a part of a large lattice."""
    if lattice is None:
        return None
    nodes = plan.recoding.nodes
    chosen = nodes if plan.recoding.layers else nodes[:1]
    drawn = lattice in PICTURES
    most = MOST_DRAWN if drawn else MOST_DOTS if lattice == CHART else MOST_AS_DATA
    return lattice_nodes(analysis.own, chosen, most=most, looked_at=not drawn)
