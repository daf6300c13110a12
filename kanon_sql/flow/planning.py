"""From a policy to a plan: open, map, encode, search. Writes nothing but scratch tables."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError, InputError
from kanon_sql.flow.encode import Encoded, encode, make_checker
from kanon_sql.flow.hierarchies import Mapped, map_columns
from kanon_sql.flow.script import plan_sql
from kanon_sql.flow.source import Opened, fingerprint, open_source
from kanon_sql.model.metric import Aggregate, Need, figures
from kanon_sql.model.plan import Plan, SetFigures
from kanon_sql.model.policy import Algorithm
from kanon_sql.model.privacy import Distinct, Size, demands, joint_demands, requirements
from kanon_sql.search.algorithms import ALGORITHMS
from kanon_sql.search.joint import JointChecker
from kanon_sql.sql import sources

if TYPE_CHECKING:
    from kanon_sql.flow.session import Session
    from kanon_sql.model.lattice import Node
    from kanon_sql.model.policy import Search
    from kanon_sql.search.checker import SqlChecker
    from kanon_sql.search.result import Found

MOST_NODES = 1_000_000
"""The most nodes of a lattice that an algorithm may enumerate. `optimal` holds bit sets of all nodes:
1.4 million took 0.6 GB and 8 s of CPU before the first check, 4.2 million 1.6 GB and 30 s."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and the tables it was made from, for an apply in the same run."""

    plan: Plan
    opened: Opened
    mapped: tuple[Mapped, ...]


def make_plan(
    run: Session,
    *,
    frame: object | None = None,
    to_keep: bool = False,
) -> Planned:
    """Choose a recoding that satisfies the policy.

    Guarantee: the chosen node suppresses at most MaxSup rows and every class it keeps fits every
    privacy model; `optimal` is true only when no node that does so costs less under the metric.
    A plan `to_keep` holds the source's hash, so that it can be applied later. Raises InputError
    (with all faults of its kind) and InfeasibleError.
    """
    started = time.monotonic()
    journal = run.engine.journal
    with journal.step("open"):
        opened = open_source(run, frame)
    with journal.step("hierarchies"):
        mapped = map_columns(run, opened)
    with journal.step("encode"):
        encoded = encode(run, opened, mapped)
    search = run.policy.search
    max_suppressed = run.policy.suppression.limit(opened.rows)
    _refuse_huge(run, encoded)
    deadline = None if search.time_limit is None else started + search.time_limit
    with journal.step("search"):
        checker = make_checker(
            run, encoded, metric=search.cost(), max_suppressed=max_suppressed, deadline=deadline
        )
        found = run_search(run, checker)
        if found is None or not found.verdict.counts.classes:
            raise InfeasibleError(_relaxation(run, encoded, checker))
        searched, late = checker.checks, checker.late()
        (chosen,) = checker.check([found.verdict.node], detail=True)
        (leaves,) = checker.suppressed_figures([chosen], Need.LEAVES)
        passes, over = _over(run, checker, chosen.node)
    hashed = None
    if to_keep:
        with journal.step("fingerprint"):
            hashed = fingerprint(run, opened)
    plan = replace(
        _plan(
            run,
            opened,
            mapped,
            encoded,
            found=replace(found, verdict=chosen),
            checks=searched,
            cut_short=late and not found.optimal,
            leaves=leaves,
            passes=passes,
        ),
        source_fingerprint=hashed,
        over=over,
        run=journal.summary(),
    )
    return Planned(plan, opened, tuple(mapped))


def _over(run: Session, checker: SqlChecker, node: Node) -> tuple[int, tuple[SetFigures, ...]]:
    """Give the passes and figures of several sets of quasi-identifiers; none of a single one."""
    if not isinstance(checker, JointChecker):
        return 0, ()
    passes, figures_ = checker.figures(node)
    asked = joint_demands(run.policy.privacy)
    return passes, tuple(
        SetFigures(demand.columns, each.classes, each.smallest)
        for demand, each in zip(asked, figures_, strict=True)
        if demand.columns
    )


def run_search(run: Session, checker: SqlChecker) -> Found | None:
    """Run the algorithm that the policy names; refuse it where its conclusions would be unsound."""
    search = run.policy.search
    described = ALGORITHMS[search.algorithm]
    if described.prunes and not checker.monotone:
        what = (
            f"{search.algorithm} concludes from one node about coarser ones, which is not sound for "
            f"the policy's privacy models where rows may be suppressed; use optimal or exhaustive"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search.algorithm", what)])
    return described.run(checker, search, tuple(column.name for column in run.policy.quasi))


def _refuse_huge(run: Session, encoded: Encoded) -> None:
    """Refuse a lattice too large for the algorithm, or for one that would go through all of it."""
    size, search = encoded.lattice.size, run.policy.search
    if size <= MOST_NODES:
        return
    smaller = "give some hierarchies fewer levels, or leave out a quasi-identifier"
    if ALGORITHMS[search.algorithm].enumerates:
        what = (
            f"the lattice has {size} nodes, more than the {MOST_NODES} that {search.algorithm} can "
            f"hold; say algorithm: lightning with a time_limit, {smaller}"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search.algorithm", what)])
    if search.algorithm is Algorithm.LIGHTNING and search.time_limit is None:
        what = f"the lattice has {size} nodes, too many to come to an end: give a time_limit, {smaller}"
        raise InputError(run.policy.subject, [run.policy.fault("search.time_limit", what)])


def _relaxation(run: Session, encoded: Encoded, checker: SqlChecker) -> str:
    """Say why even full generalization fails, and what would have to give."""
    (top,) = checker.check([checker.lattice.top], detail=True)
    if top.counts.classes and not top.feasible:
        return _needs_suppression(checker, top.counts.suppressed)
    said = []
    for requirement in requirements(run.policy.privacy):
        match requirement.measure:
            case Size():
                most = top.counts.smallest or 0
            case Distinct(spread=spread):
                at = encoded.counting.spreads.index(spread)
                ((count,),) = run.engine.ask(sources.count_rows(encoded.spreads[at]))
                most = int(str(count))
        if most < requirement.at_least:
            said.append(
                f"the whole table has {most} {requirement.measure} where the policy asks every "
                f"class for {requirement.at_least}: ask for at most {most}"
            )
    if not said:
        return _needs_suppression(checker, top.counts.suppressed)
    return "no recoding satisfies the policy: " + "; ".join(said)


def _needs_suppression(checker: SqlChecker, suppressed: int) -> str:
    share = suppressed / checker.facts.rows
    return (
        f"no recoding satisfies the policy: the least suppression is {suppressed} rows "
        f"({share:.4%}), the policy allows {checker.max_suppressed}"
    )


def _plan(
    run: Session,
    opened: Opened,
    mapped: list[Mapped],
    encoded: Encoded,
    *,
    found: Found,
    checks: int,
    cut_short: bool,
    leaves: list[float],
    passes: int,
) -> Plan:
    node, counts = found.verdict.node, found.verdict.counts
    names = [m.column.name for m in mapped]
    levels = dict(zip(names, node.levels, strict=True))
    heights = dict(zip(names, encoded.lattice.tops, strict=True))
    search = run.policy.search
    kept = opened.rows - counts.suppressed
    k = demands(run.policy.privacy)[0].class_size
    return Plan(
        policy_file=run.policy.file,
        policy_digest=run.policy.digest,
        overrides=dict(run.overrides),
        source_rows=opened.rows,
        source_fingerprint=None,
        hierarchies={m.column.name: m.hierarchy.digest for m in mapped},
        algorithm=search.algorithm.value,
        metric=metric_label(search),
        optimal=found.optimal,
        cost=found.cost,
        levels=levels,
        heights=heights,
        max_suppressed=run.policy.suppression.limit(opened.rows),
        suppressed_rows=counts.suppressed,
        classes=counts.classes,
        smallest_class=counts.smallest_kept or 0,
        figures={
            **dict(figures(encoded.facts, node, counts, leaves)),
            "c_avg": kept / counts.classes / k,
            "classes_before": float(encoded.facts.classes),
        },
        lattice_nodes=encoded.lattice.size,
        checks=checks,
        checks_in_time=checks if cut_short else None,
        privacy=tuple(str(model) for model in run.policy.privacy),
        sql=plan_sql(run, levels, heights, opened.columns, passes=passes),
        passes=passes,
        where=run.policy.source.where,
        view=run.policy.release is not None and run.policy.release.view,
        feasible_nodes=None if found.feasible is None else len(found.feasible),
        minimal=None if found.minimal is None else len(found.minimal),
        minimal_nodes=None
        if found.minimal is None
        else tuple(each.levels for each in found.minimal),
    )


def metric_label(search: Search) -> str:
    """Name a metric with the option that makes it what it is."""
    match search.metric:
        case "loss" if search.aggregate is not Aggregate.GEOMETRIC_MEAN:
            return f"loss ({search.aggregate})"
        case "entropy" if search.count_suppressed:
            return "entropy (suppressed counted)"
        case _:
            return search.metric
