"""Checks that refuse a search, explanations of a failed search, and remarks about a found plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import Checker
from kanon_sql.counting.run.session import ended_by
from kanon_sql.errors import InputError, OutOfTimeError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.policy_rules import conflicts, unsuited
from kanon_sql.policy.privacy.demands import by_release_alone, settled_class_by_class
from kanon_sql.policy.search import EARLIER, Recode
from kanon_sql.policy.search_options import Algorithm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import SearchResult, Verdict
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.policy.model import Policy


ENOUGH, FEW = 100, 1000
"""`spared` does not search if the policy allows one row in `ENOUGH`. Few rows are one in `FEW`."""
CHEAPER = 0.9
"""A cheaper node is reported only if its cost is below this share of the chosen node's."""
MOST_CHECKS = 64


class Allowing(Checker, Protocol):
    """A checker that can be copied with another suppression limit, on the same frequency sets."""

    def allowing(self, rows: int) -> Self: ...


@dataclass(frozen=True, slots=True)
class Spared:
    """The verdict and cost of a node that is cheaper than the chosen one.

    `column` is a column with a finer level there: the one that the fewest rows raise. `alone` is their number.
    """

    verdict: Verdict
    cost: Cost
    column: int
    alone: int


def spared(checker: Allowing, chosen: Verdict, cost: Cost) -> Spared | None:
    """Find a cheaper node that the fewest additional suppressed rows make feasible; None if there is none.

    Checks two nodes per raised column. Each limit that it then tries takes at most the rest of `MOST_CHECKS` checks.
    """
    rows, limit, lattice = checker.stats.rows, checker.max_suppressed, checker.lattice
    most = limit + max(rows // FEW, 1)
    if limit * ENOUGH >= rows or most >= rows or not cost or checker.late():
        return None
    lenient = checker.allowing(most)
    alone = {}  # a column's finest level that few rows stop, with how many
    levels, finest = chosen.node.levels, lattice.bottoms
    raised = [at for at, level in enumerate(levels) if level > finest[at]]
    below = [{at: levels[at] - 1 for at in raised}, {at: finest[at] for at in raised}]
    for lower in below:
        asked = {at: lattice.of_columns({at: level}) for at, level in lower.items()}
        for at, found in zip(asked, lenient.check(list(asked.values())), strict=True):
            if limit < found.counts.suppressed <= most:
                alone[at] = (found.counts.suppressed, found.node.levels[at])
    for least in sorted({stopped for stopped, _ in alone.values()}):
        walk = _Walk(checker.allowing(least), MOST_CHECKS - 2 * len(raised))
        start = list(levels)
        for at, (stopped, level) in alone.items():
            if stopped <= least:
                start[at] = level
        better = walk.descend(walk.ascend(Node(tuple(start))))
        if better is None or better[1][0] >= CHEAPER * cost[0]:
            continue
        verdict, less = better
        lowered = [
            at
            for at, (stopped, _) in alone.items()
            if stopped <= least and verdict.node.levels[at] < levels[at]
        ]
        if lowered and verdict.counts.suppressed > limit:
            at = min(lowered, key=lambda one: alone[one][0])
            return Spared(verdict, less, at, alone[at][0])
    return None


class _Walk:
    """A walk up to a feasible node and down to cheaper ones, with at most `checks` checks in total."""

    def __init__(self, checker: Checker, checks: int) -> None:
        self._checker = checker
        self._left = checks

    def _check(self, nodes: list[Node]) -> list[Verdict]:
        self._left -= len(nodes)
        return self._checker.check(nodes) if nodes and self._left >= 0 else []

    def ascend(self, node: Node) -> Verdict | None:
        """Raise the column that leaves the fewest rows to suppress, until a node is feasible or checks end."""
        found = self._check([node])
        while found and not found[0].feasible:
            above = self._check(list(found[0].node.parents(self._checker.lattice.tops)))
            found = sorted(above, key=lambda each: (each.counts.suppressed, each.node.levels))
        return found[0] if found else None

    def descend(self, verdict: Verdict | None) -> tuple[Verdict, Cost] | None:
        """Lower the column that reduces the cost most, while the node stays feasible and gets cheaper."""
        if verdict is None:
            return None
        (cost,) = self._checker.costs([verdict])
        while below := [
            v
            for v in self._check(list(verdict.node.children(self._checker.lattice.bottoms)))
            if v.feasible
        ]:
            costs = self._checker.costs(below)
            at = min(range(len(below)), key=lambda n: (costs[n], below[n].node.levels))
            if costs[at] >= cost:
                break
            verdict, cost = below[at], costs[at]
        return verdict, cost


ROOT = "*"
"""The root's label in every hierarchy that is made by a rule."""

OTHER = ("algorithm", "metric", "recoding")
"""Options of a search whose overrides may displace other options of the policy's search."""


def check_conflicts(policy: Policy) -> None:
    """Raise InputError where the policy's search cannot be combined with the rest of the policy."""
    faults = [policy.fault(f"search.{option}", what) for option, what in conflicts(policy)]
    faults += [policy.fault(f"columns.{name}", what) for name, what in unsuited(policy)]
    if faults:
        raise InputError(policy.subject, faults)


def check_levels(policy: Policy, mapped: Sequence[Mapped]) -> None:
    """Raise InputError where a hierarchy lacks a level, or has several roots and the algorithm needs one."""
    options = policy.search.options
    heights = {each.column.name: each.hierarchy.height for each in mapped}
    faults = [
        policy.fault(f"columns.{each.column.name}.levels.{key}", what)
        for each in mapped
        for key, what in each.column.levels.problems(each.hierarchy.height)
    ]
    faults += [
        policy.fault(f"columns.{each.column.name}.hierarchy", _several(policy))
        for each in mapped
        if each.hierarchy.several_roots and (options.cuts_axes or options.suppresses_cells)
    ]
    faults += [
        policy.fault(
            f"search.generalize.{name}",
            f"is {level}, and the last level of its hierarchy is {heights[name]}",
        )
        for name, level in options.generalize
        if level > heights[name]
    ]
    if faults:
        raise InputError(policy.subject, faults)


def _several(policy: Policy) -> str:
    """Explain why the policy's algorithm refuses a hierarchy with several roots."""
    search = policy.search
    why = (
        "cuts from a root" if search.options.cuts_axes else "releases suppressed cells as the root"
    )
    return (
        f"ends in several labels, and {search.algorithm} {why}: add a level of one label, or use another "
        f"search of the lattice, such as {Algorithm.OPTIMAL}"
    )


def check_not_trivial(checker: SqlChecker, found: SearchResult) -> None:
    """Raise OutOfTimeError where time ended before the search found any node but the top of the lattice.

    The top is always the first node known to be feasible, and a release at it says nothing of the quasi-identifiers.
    """
    lattice = checker.lattice
    if (
        checker.cut_short
        and not found.optimal
        and found.verdict.node == lattice.root != lattice.bottom
    ):
        raise OutOfTimeError(
            f"{ended_by()} ended the search, after {counted(checker.checks, 'check')}, before anything was "
            f"found but the top of the lattice, where no quasi-identifier says anything; give more "
            f"time (time_limit, --time-limit), or use greedy or datafly, which need little"
        )


def nothing_fits(policy: Policy, checker: SqlChecker) -> str:
    """Say that no recoding satisfies the policy, or only that none was found if a smaller release might."""
    settled = settled_class_by_class(policy.privacy, checker.max_suppressed)
    return (
        "no recoding satisfies the policy"
        if settled
        else "no recoding was found that satisfies the policy"
    )


def shortfall(policy: Policy, checker: SqlChecker, verdict: Verdict) -> tuple[str, str]:
    """Explain why a node is infeasible, and name the limit to relax: never one that the node keeps.

    `verdict` must come from a check in detail. The second text is empty if no class fits.
    """
    counts, allowed = verdict.counts, checker.max_suppressed
    share = f"{counted(counts.suppressed, 'row')} ({counts.suppressed / counts.rows:.4%})"
    if not counts.classes:
        people = "; people with different numbers of rows are in different classes"
        return f"no class fits{people if policy.signature else ''}", ""
    if counts.suppressed > allowed:
        return (
            f"{share} would have to be suppressed, and the policy allows {allowed:,}",
            "more suppression",
        )
    unmet = checker.unmet(verdict)
    asked = joined([str(each) for each in unmet]) if unmet else "what is asked of all together"
    why = f"the classes that are kept fall short of {asked}; {share} would be suppressed, and the policy allows {allowed:,}"
    if not by_release_alone(policy.privacy) or not any(each.measure.reference for each in unmet):
        return why, "a looser bound of it"
    why += (
        ". With reference: release alone no class is suppressed for being unlike the released rows; with reference: both "
        "those that are unlike the source are"
    )
    return why, "a looser bound of it, or try reference: both"


def within_levels(policy: Policy, encoded: Encoded, checker: SqlChecker, top: Verdict) -> str:
    """Explain that coarser levels than the columns may have would satisfy the policy.

    `top` is the coarsest allowed node. Names the columns whose root would suffice alone, or else all limited columns.
    """
    lattice, tops = encoded.lattice, encoded.lattice.tops
    ended = [at for at, top in enumerate(tops) if top < lattice.roots[at]]
    beyond = [Node((*tops[:at], lattice.roots[at], *tops[at + 1 :])) for at in ended]
    alone = [at for at, found in zip(ended, checker.check(beyond), strict=True) if found.feasible]
    columns = [encoded.mapped[at].column for at in alone or ended]
    reasons = [
        f"the hierarchy of {column.name} ends in several labels"
        if column.levels.most is None
        else f"columns.{column.name}.levels has most: {column.levels.most}"
        for column in columns
    ]
    why, instead = shortfall(policy, checker, top)
    return (
        f"{nothing_fits(policy, checker)} within the levels that columns may have, and coarser ones would: "
        f"{'; '.join(reasons)}. At the coarsest that are left, {why}: allow a coarser level"
        f"{f', or {instead}' if instead else ''}"
    )


def few_rows_remark(
    run: Session, encoded: Encoded, checker: SqlChecker, found: SearchResult
) -> Iterator[str]:
    """Yield a remark where suppressing a few more rows would keep a column at a finer level."""
    better = spared(checker, found.verdict, found.cost)
    if better is None:
        return
    mapped, suppressed = encoded.mapped[better.column], better.verdict.counts.suppressed
    name, height = mapped.column.name, mapped.hierarchy.height
    before, after = (of.node.levels[better.column] for of in (found.verdict, better.verdict))
    ((nulls,),) = run.engine.fetch(mapping_sql.count_nulls(mapped.domain))
    alone = better.alone - encoded.stats.left_out
    value = "NULL in" if nulls == alone else "a rare value of" if alone == 1 else "rare values of"
    forces = f"{counted(alone, 'row')} with {value} {name} force{'s' if alone == 1 else ''} it"
    # Entries of a table may have any text at their root; rules have the same one everywhere.
    by_rule = not mapped.column.has_entries
    root = f" ({ROOT})" if before == height and by_rule else ""
    released = "stays exact" if after == 0 else f"is released at level {after} of {height}"
    yield (
        f"{forces} to level {before} of {height}{root} for all rows: allow {counted(suppressed, 'suppressed row')} "
        f"(suppression: {suppressed} instead of {checker.max_suppressed}), and {name} {released} "
        f"({run.policy.metric.label} {better.cost[0]:.6g} instead of {found.cost[0]:.6g})"
    )


def where_searched(engine: Engine, encoded: Encoded) -> Iterator[str]:
    """Yield a remark if the search ran outside the source's engine, as for small sets of a cluster."""
    there = engine.capabilities_at(encoded.table)
    if there is not engine.capabilities:
        yield (
            f"the frequency set of {counted(encoded.set_rows, 'tuple')} was searched by {there.name} in this process, "
            f"not by {engine.capabilities.name}: it is small; its codes and counts came here, and no row"
        )


def search_remarks(policy: Policy, rows: int, left_out: int) -> Iterator[str]:
    """Yield remarks on keys of a search by earlier names, and on several nodes where no row may be suppressed.

    There is one node then: other nodes recode only rows that the first would suppress.
    """
    for earlier, now in EARLIER.items():
        if f"search.{earlier}" in policy.lines:
            yield f"search.{earlier} is now called {now}: rename it in the policy"
    search, allowed = policy.search, policy.suppression.limit(rows) - left_out
    if search.recoding is not Recode.FULL_DOMAIN and allowed <= 0:
        yield (
            f"recoding: {search.recoding} recodes at further nodes the rows that the first node would suppress, and "
            f"suppression allows none: all rows are released at one node, as with {Recode.FULL_DOMAIN}. Raise "
            f"suppression, such as to 1%; rows beyond that limit are recoded, not suppressed"
        )


def remarks(run: Session, encoded: Encoded, found: SearchResult, *, nodes: int) -> Iterator[str]:
    """Yield remarks on unused options, the number of released `nodes`, and parts that the search forgot."""
    search = run.policy.search
    if run.left_out:
        instead = [f"{name}: {run.overrides[name]}" for name in OTHER if name in run.overrides]
        are, they = ("is", "it") if len(run.left_out) == 1 else ("are", "they")
        yield (
            f"of the policy's search, {joined(run.left_out)} {are} not used: {they} cannot be combined with "
            f"{', '.join(instead)}"
        )
    yield from search_remarks(run.policy, encoded.stats.rows, encoded.stats.left_out)
    if search.recoding is not Recode.FULL_DOMAIN and nodes == search.max_nodes:
        yield (
            f"rows are released at {nodes} nodes, as many as max_nodes: {search.max_nodes} allows; with "
            f"more nodes less may have to be generalized"
        )
    if found.out_of_room:
        yield (
            "the search had no room for the whole lattice, and forgot parts of it that could hold a "
            "better node: more time would not prove more; give some hierarchies fewer levels"
        )


def resume_remarks(engine: Engine) -> Iterator[str]:
    """Yield remarks on whether a resumed run found kept tables, and how many it made anew."""
    count = engine.kept_count
    if count is None:
        return
    if count.changed:
        yield (
            f"{counted(count.changed, 'table')} of an earlier run had other rows than that run wrote, or could not be "
            f"read, and {'was' if count.changed == 1 else 'were'} made anew"
        )
    if count.found:
        yield (
            f"went on from {counted(count.found, 'table')} that a killed run had kept; {count.kept:,} more "
            f"{'was' if count.kept == 1 else 'were'} made"
        )
    else:
        yield (
            "began anew: no run of this policy, source and version was killed with tables that it had kept"
        )
