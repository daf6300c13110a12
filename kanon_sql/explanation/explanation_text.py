"""An explanation in words: one sentence a fact, counts and column names only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.explanation.explanation import Certainty
from kanon_sql.plans.guarantee import Guarantee
from kanon_sql.plans.recodings import Enforced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.explanation.explanation import (
        Bound,
        ColumnCost,
        Explanation,
        Neighbour,
        Optimum,
    )
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.plans.plan import Plan

SUPPRESSION = "suppression"
"""The name of MaxSup among the bounds."""


PROMISED = {
    Guarantee.OPTIMUM: "the least cost",
    Guarantee.MONOTONE_OPTIMUM: "the least cost only if the metric never falls along the lattice",
    Guarantee.LEAST_HEIGHT: "the least height, and not the least cost",
    Guarantee.MINIMAL: "that no finer node is feasible, and not the least cost",
    Guarantee.FEASIBLE: "a feasible node, and not the least cost",
    Guarantee.RARITY: "that no value of a tested combination is rare, and not the least cost",
}
FIGURES = {
    "discernibility": ("C_DM", ",.0f"),
    "c_avg": ("C_AVG", ",.2f"),
    "loss": ("LM (geometric mean)", ".4f"),
    "precision": ("Prec", ".4f"),
    "entropy": ("entropy", ",.0f"),
}
"""The figures of a plan that are told, with the names and formats they are told in."""


def number(count: int, one: str, many: str = "") -> str:
    """Give a number of things as it is read.

    >>> number(1, "check"), number(1420, "check"), number(2, "class", "classes")
    ('1 check', '1,420 checks', '2 classes')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def rows(count: int) -> str:
    """Give a number of rows as it is read.

    >>> rows(1), rows(1420)
    ('1 row', '1,420 rows')
    """
    return number(count, "row")


def cost_text(cost: Cost, digits: int = 4) -> str:
    """Give a cost in few digits.

    >>> cost_text((0.22001,)), cost_text((52000123.0,)), cost_text((9.0, 0.25))
    ('0.2200', '52,000,123', '9, 0.2500')
    """
    return ", ".join(
        f"{part:,.0f}" if part >= 10**digits or part == int(part) else f"{part:#.{digits}g}"
        for part in cost
    )


def told_apart(one: Cost, other: Cost) -> tuple[str, str]:
    """Give two costs in as many digits as it takes to see which is less.

    >>> told_apart((0.266112,), (0.266114,))
    ('0.266112', '0.266114')
    """
    digits = 4
    while one != other and digits < 17 and cost_text(one, digits) == cost_text(other, digits):
        digits += 1
    return cost_text(one, digits), cost_text(other, digits)


def why_not(
    found: Neighbour,
    *,
    classes: int,
    max_suppressed: int,
    cost: Cost,
    algorithm: str,
    promise: Guarantee,
) -> str:
    """Say why a node beside the plan's, which costs `cost`, was not taken."""
    if not found.feasible:
        if not classes:
            return "suppresses every row, and a release without rows is none"
        are = "is" if max_suppressed == 1 else "are"
        return f"suppresses {rows(found.suppressed_rows)}, {max_suppressed:,} {are} allowed"
    if promise is Guarantee.LEAST_HEIGHT and found.coarser:
        as_much = "as much" if found.cost == cost else _against(found.cost, cost)
        return f"is a level higher; costs {as_much}"
    if found.cost == cost:
        return f"costs as much; the {'lower' if found.coarser else 'other'} node is taken"
    against = _against(found.cost, cost)
    if found.cost > cost:
        return f"costs {against}"
    ended = ": the search ended before it was reached"
    other = f", which {algorithm} does not promise to find"
    return f"costs less, {against}{ended if promise is Guarantee.OPTIMUM else other}"


def _against(theirs: Cost, ours: Cost) -> str:
    """Say one cost against another."""
    return "{} instead of {}".format(*told_apart(theirs, ours))


def headline(told: Explanation) -> str:
    """Answer in a few sentences why the plan recodes so."""
    first = _of_node(told) if told.at_one_node else _of_several(told)
    found = f"{first}. {_what_binds(told)}."
    if told.walked:
        return found
    return (
        f"{found} The lattice has {told.plan.lattice_nodes:,} nodes, too many to walk whole: what "
        f"is not called proven is the best that bounded searches found."
    )


def _of_node(told: Explanation) -> str:
    """Say of a plan that releases rows at one node how good it is."""
    plan, asked = told.plan, _and(told.plan.privacy)
    cost = f"{plan.metric} {cost_text(plan.cost)}"
    used = f"suppresses {plan.suppressed_rows:,} of {rows(plan.source_rows)} (MaxSup {plan.max_suppressed:,})"
    if isinstance(plan.recoding, Enforced):
        used += (
            f", among them a class that fits, so that {plan.recoding.least:,} are missing at least"
        )
    if not told.feasible:
        return f"The node does not satisfy {asked}: it {used}"
    if told.optimal:
        least = f"No single node that satisfies {asked} costs less than this one, which has {cost} and {used}"
        return f"{least}: proven here in {number(told.proof_checks, 'check')}"
    this = f"The node satisfies {asked}, has {cost} and {used}"
    if told.claimed:
        return f"{this}. {_of_claim(told)}"
    return f"{this}; {_gap(told)}. What {plan.algorithm} promises is {PROMISED[told.promise]}"


def _of_claim(told: Explanation) -> str:
    """Say what became of a plan's claim to be optimal, which is no proof."""
    claim = "The plan says that its node is optimal"
    if told.optimum.found and told.optimum.cost < told.plan.cost:
        return f"{claim}, and that is wrong: {_gap(told)}"
    after = number(told.proof_checks, "check")
    return f"{claim}; it was not proven here: in {after} no better one was found"


def _of_several(told: Explanation) -> str:
    """Say how good a plan is that does more than release rows at one node, by its own figures."""
    plan = told.plan
    this = (
        f"The plan {plan.recoding.beyond}: {plan.metric} {cost_text(plan.cost)}, {plan.suppressed_rows:,} of "
        f"{rows(plan.source_rows)} suppressed (MaxSup {plan.max_suppressed:,})"
    )
    best = told.optimum
    if best.known is Certainty.INFEASIBLE:
        return f"{this}. No single node satisfies {_and(plan.privacy)}"
    if not best.found:
        return f"{this}. What the best single node costs was not reached in time"
    theirs, _ = told_apart(best.cost, plan.cost)
    kind = "The best single node" if best.proven else "The best single node that was found"
    proof = f", proven here in {number(told.proof_checks, 'check')}" if best.proven else ""
    return f"{this}. {kind} has {plan.metric} {theirs} and suppresses {rows(best.suppressed_rows)}{proof}"


def _gap(told: Explanation) -> str:
    """Say how far the plan's node is from the optimum."""
    best, cost = told.optimum, told.plan.cost
    if best.known is Certainty.NOT_REACHED:
        return "how far the optimum is from it was not reached in time"
    if not best.found or best.cost >= cost:
        return "no better one was found"
    theirs, _ = told_apart(best.cost, cost)
    share = f", {1 - best.cost[0] / cost[0]:.1%} less" if len(best.cost) == 1 else ""
    kind = "the optimum" if best.proven else "the best found"
    proof = f" (proven here in {number(told.proof_checks, 'check')})" if best.proven else ""
    return f"{kind} has {theirs}{share}{proof}"


def _what_binds(told: Explanation) -> str:
    binding = [each.name for each in told.bounds if each.binds]
    open_ = [each.name for each in told.bounds if each.binds is None]
    if binding:
        words = (
            f"Of what is asked, {_and(binding)} {_bind(binding)}: a notch less, and the optimum "
            f"would cost less"
        )
    elif not open_:
        return "Nothing that is asked binds: with a notch less, the optimum would cost as much"
    else:
        return f"Whether {_and(open_)} {_bind(open_)} was not found out"
    return f"{words} (whether {_and(open_)} {_bind(open_)} was not found out)" if open_ else words


def _bind(names: Sequence[str]) -> str:
    return "binds" if len(names) == 1 else "bind"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def figures_words(plan: Plan) -> str:
    """Tell the figures of a plan in one line."""
    share = plan.suppressed_rows / max(plan.source_rows, 1)
    told = [
        f"{number(plan.classes, 'class', 'classes')}, the smallest has {plan.smallest_class:,}",
        f"{rows(plan.suppressed_rows)} suppressed ({share:.2%}), MaxSup {plan.max_suppressed:,}",
        *(
            f"{name} {format(plan.figures[key], how)}"
            for key, (name, how) in FIGURES.items()
            if key in plan.figures
        ),
    ]
    return "; ".join(told)


def base_words(told: Explanation) -> str | None:
    """Say which node all is told against, where that is not the plan's."""
    base = told.base
    if not base.found or (told.at_one_node and base.levels == told.node):
        return None
    kind = "the optimum" if base.proven else "the best single node that was found"
    levels = ", ".join(
        f"{name} {at}" for name, at in zip(told.plan.levels, base.levels, strict=True)
    )
    return (
        f"Bounds and columns are told against {kind}, at {levels}: {told.plan.metric} "
        f"{cost_text(base.cost)}, {rows(base.suppressed_rows)} suppressed"
    )


def bound_words(told: Explanation, bound: Bound) -> str:
    """Say whether a bound binds, and how far it could be raised."""
    is_max = bound.name == SUPPRESSION
    asked = f"{bound.name} ({bound.asked:,}{' rows' if is_max else ''})"
    return f"{asked}{_relaxed(told, bound, is_max=is_max)}{_slack(bound)}"


def _slack(bound: Bound) -> str:
    if bound.slack is None:
        return ""
    if bound.name == SUPPRESSION or (bound.relaxed is not None and bound.relaxed > bound.asked):
        return f"; the plan needs {bound.slack:,}"
    return f"; the node does up to {bound.slack:,}" if bound.slack else "; the node does for none"


def _relaxed(told: Explanation, bound: Bound, *, is_max: bool) -> str:
    """Say what a notch less would give."""
    found, base = bound.optimum, told.optimum
    if bound.binds is None:
        if not found.found or bound.relaxed is None:
            return ": whether it binds was not found out"
        cost = f"{told.plan.metric} {cost_text(found.cost)}"
        return f": whether it binds was not found out; the best found with {bound.relaxed:,} has {cost}"
    if not bound.binds or bound.relaxed is None:
        if is_max:
            return " does not bind: with any number of rows the optimum is the same"
        return f" does not bind: with {bound.relaxed:,} the optimum costs as much"
    if not base.found:
        return f" binds: with {bound.relaxed:,} a node would satisfy the rest"
    moved = level_changes(told, found.levels, base.levels)
    best = "" if found.proven else ", or less"
    words = f" binds: with {bound.relaxed:,}, {told.plan.metric} {_against(found.cost, base.cost)}{best}"
    return f"{words}, as {moved}" if moved else words


def level_changes(
    told: Explanation, levels: tuple[int, ...], others: tuple[int, ...], *, but: str | None = None
) -> str:
    """Say which columns would stand elsewhere than in another node; empty where none would."""
    moved = [
        (name, there, here)
        for name, there, here in zip(told.plan.levels, levels, others, strict=True)
        if there != here and name != but
    ]
    said = []
    for verb, where, some in (
        ("could stay", "at", [each for each in moved if each[1] < each[2]]),
        ("would rise", "to", [each for each in moved if each[1] > each[2]]),
    ):
        parts = [f"{name} {where} {there} instead of {here}" for name, there, here in some[1:]]
        if some:
            name, there, here = some[0]
            parts.insert(0, f"{name} {verb} {where} level {there} instead of {here}")
            said.append(_and(parts))
    return ", but ".join(said)


def without_words(told: Explanation, column: ColumnCost) -> str:
    """Say what the others would gain if a column were no quasi-identifier."""
    found, without = column.without, f"without {column.name}"
    if found is None:
        return f"{without} there is no quasi-identifier"
    if not found.found:
        return _none(without, found)
    cost = f"{told.plan.metric} of the others"
    if column.others is None or not told.base.found:
        return f"{without}: {cost} {cost_text(found.cost)}{_best(found)}"
    moved = level_changes(told, found.levels, told.base.levels, but=column.name)
    moved = moved or "the others would stay at their levels"
    if found.cost == column.others:
        return f"{without}, {moved}: {cost} {cost_text(found.cost)}, as now{_best(found)}"
    return f"{without}, {moved}: {cost} {_against(found.cost, column.others)}{_best(found)}"


def raw_words(told: Explanation, column: ColumnCost) -> str:
    """Say what the optimum would be if a column had to stay as it is in the source."""
    found, raw = column.raw, f"with {column.name} at level 0"
    if not found.found:
        return _none(raw, found)
    if not told.base.found:
        return f"{raw}: {told.plan.metric} {cost_text(found.cost)}{_best(found)}"
    if found.levels == told.base.levels:
        return f"{column.name} is at level 0 already"
    moved = level_changes(told, found.levels, told.base.levels, but=column.name)
    cost = f"{told.plan.metric} {_against(found.cost, told.base.cost)}{_best(found)}"
    return f"{raw}, {moved}: {cost}" if moved else f"{raw}: {cost}"


def _none(what: str, found: Optimum) -> str:
    """Say of a search that found nothing why."""
    return (
        f"{what} no node is feasible"
        if found.known is Certainty.INFEASIBLE
        else f"{what}: {found.known}"
    )


def _best(found: Optimum) -> str:
    """Mark what is not proven."""
    return "" if found.proven else " (the best found, not proven)"
