"""An explanation in words: one sentence a fact, counts and column names only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.model.explanation import Known, Optimum
from kanon_sql.model.promise import Promise

if TYPE_CHECKING:
    from kanon_sql.model.explanation import Bound, ColumnCost, Explanation, Neighbour
    from kanon_sql.model.facts import Cost
    from kanon_sql.model.plan import Plan

SUPPRESSION = "suppression"
"""The name of MaxSup among the bounds."""


def rows(count: int) -> str:
    """Give a number of rows as it is read.

    >>> rows(1), rows(1420)
    ('1 row', '1,420 rows')
    """
    return f"{count:,} row" if count == 1 else f"{count:,} rows"


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
    promise: Promise,
) -> str:
    """Say why a node beside the chosen one, which costs `cost`, was not taken."""
    if not classes:
        return "suppresses every row, and a release without rows is none"
    if not found.feasible:
        are = "is" if max_suppressed == 1 else "are"
        return f"suppresses {rows(found.suppressed_rows)}, {max_suppressed:,} {are} allowed"
    against = _against(found.cost, cost)
    if promise is Promise.LEAST_HEIGHT and found.coarser:
        return f"is a level higher; it costs {against}"
    if found.coarser and found.cost == cost:
        return "costs as much; the lower node is taken"
    if found.cost > cost:
        return f"costs {against}"
    ended = "the search ended before it was reached"
    other = f"{algorithm} promises something else ({promise})"
    return f"costs {against}; {ended if promise is Promise.OPTIMUM else other}"


def _against(theirs: Cost, ours: Cost) -> str:
    """Say one cost against another."""
    if theirs == ours:
        return "as much"
    return "{} instead of {}".format(*told_apart(theirs, ours))


def beyond(plan: Plan) -> str | None:
    """Say what a plan does beside releasing rows at one node."""
    whole = (
        f"together that has {plan.metric} {cost_text(plan.cost)} and suppresses "
        f"{rows(plan.suppressed_rows)}"
    )
    beside = plan.recoding.beyond
    return None if beside is None else f"The plan {beside}; {whole}"


def headline(told: Explanation) -> str:
    """Answer in two sentences why the plan has this node."""
    asked = " and ".join(told.privacy)
    cost = f"{told.metric} {cost_text(told.cost)}"
    used = f"suppresses {told.suppressed_rows:,} of {rows(told.rows)} ({told.max_suppressed:,} allowed)"
    if not told.feasible:
        first = f"The node does not satisfy {asked}: it {used}"
    elif told.proven and told.promise is Promise.OPTIMUM:
        first = f"No recoding that satisfies {asked} costs less than this node: it has {cost}, and {used}"
    else:
        first = (
            f"{told.algorithm} promises of its node: {told.promise}; this one has {cost}, {used}, "
            f"and {_gap(told)}"
        )
    more = "" if told.beyond is None else f"{told.beyond}. "
    return f"{more}{first}. {_what_binds(told)}."


def _gap(told: Explanation) -> str:
    """Say how far the plan's node is from the optimum."""
    best = told.optimum
    if not best.found:
        return f"how far the optimum is from it is {best.known}"
    if best.cost >= told.cost:
        return "is as good as the optimum" if best.proven else "none better was found in time"
    theirs, _ = told_apart(best.cost, told.cost)
    share = f", {1 - best.cost[0] / told.cost[0]:.1%} less" if len(best.cost) == 1 else ""
    kind = "the optimum" if best.proven else "the best found in time"
    return f"{kind} has {theirs}{share}"


def _what_binds(told: Explanation) -> str:
    binding = [each.name for each in told.bounds if each.binds]
    unknown = [each.name for each in told.bounds if each.optimum.known is Known.NOT_REACHED]
    if binding:
        bind = "binds" if len(binding) == 1 else "bind"
        words = f"Of what is asked, {_and(binding)} {bind}: a notch less, and the optimum would cost less"
    elif not unknown:
        words = "Nothing that is asked binds: with a notch less, the optimum would cost as much"
    else:
        return f"Whether {_and(unknown)} {'binds' if len(unknown) == 1 else 'bind'} was not reached in time"
    if unknown:
        words += f" ({_and(unknown)}: not reached in time)"
    return words


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def bound_words(told: Explanation, bound: Bound) -> str:
    """Say whether a bound binds, and how far it could be raised."""
    is_max = bound.name == SUPPRESSION
    slack = (
        f"the node needs {bound.slack:,}"
        if is_max
        else f"the node would do up to {bound.slack:,}"
        if bound.slack
        else "the node does for no value of it"
    )
    asked = f"{bound.name} ({bound.asked:,}{' rows' if is_max else ''})"
    if not bound.optimum.found:
        if is_max and bound.optimum.known is Known.INFEASIBLE:
            return (
                f"{asked} does not bind: with any number of rows the optimum is the same; {slack}"
            )
        return f"{asked}: {bound.optimum.known}; {slack}"
    if not bound.binds:
        return f"{asked} does not bind: with {bound.relaxed:,} the optimum costs as much; {slack}"
    return f"{asked} binds: {bound.relaxed:,} would give {_instead(told, bound.optimum)}; {slack}"


def _instead(told: Explanation, found: Optimum) -> str:
    """Say what an optimum costs instead of the policy's own, and at which levels."""
    base = told.optimum if told.optimum.found else Optimum(Known.PROVEN, told.node, 0, told.cost)
    theirs, ours = told_apart(found.cost, base.cost)
    moved = level_changes(told, found.levels, base.levels)
    return f"{told.metric} {theirs} instead of {ours}" + (f", {moved}" if moved else "")


def level_changes(
    told: Explanation, levels: tuple[int, ...], others: tuple[int, ...], *, but: str | None = None
) -> str:
    """Say which columns would stand elsewhere than in another node; empty where none would."""
    beside = "now" if others == told.node else "else"
    moved = [
        (name, there, here)
        for name, there, here in zip(told.levels, levels, others, strict=True)
        if there != here and name != but
    ]
    said = []
    for verb, where, some in (
        ("could stay", "at", [each for each in moved if each[1] < each[2]]),
        ("would rise", "to", [each for each in moved if each[1] > each[2]]),
    ):
        parts = [f"{name} {where} {there} ({beside} {here})" for name, there, here in some[1:]]
        if some:
            name, there, here = some[0]
            parts.insert(0, f"{name} {verb} {where} level {there} ({beside} {here})")
            said.append(", ".join(parts))
    return "; ".join(said)


def without_words(told: Explanation, column: ColumnCost) -> str:
    """Say what the others would gain if a column were no quasi-identifier."""
    if column.without is None or column.others is None:
        return "is the only quasi-identifier"
    found = column.without
    if not found.found:
        return str(found.known)
    moved = level_changes(told, found.levels, told.node, but=column.name)
    theirs, ours = told_apart(found.cost, column.others)
    words = moved or "the others would stay at their levels"
    if found.cost == column.others:
        return f"{words}; {told.metric} of the others {theirs}, as now"
    return f"{words}; {told.metric} of the others {theirs} instead of {ours}"


def raw_words(told: Explanation, column: ColumnCost) -> str:
    """Say what the optimum would be if a column had to stay as it is in the source."""
    if not column.raw.found:
        return str(column.raw.known)
    if column.raw.levels == told.node:
        return "is so already"
    moved = level_changes(told, column.raw.levels, told.node, but=column.name)
    theirs, ours = told_apart(column.raw.cost, told.cost)
    cost = f"{told.metric} {theirs} instead of {ours}"
    return f"{moved}; {cost}" if moved else cost
