"""An explanation in sentences and parts, which a command prints and `str()` joins.

It has counts and column names only, and no value of the data.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kanon_sql.base.documents.shown import WIDTH, cell, table_lines
from kanon_sql.base.documents.text import apart, counted, decimal_text, joined, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import Guarantee, classes_text
from kanon_sql.counting.plans.shown_plan import (
    bounds_text,
    lattice_text,
    nodes_text,
    recoding_tables,
)
from kanon_sql.evidence.explanation.explanation import SUPPRESSION, Certainty, Explanation
from kanon_sql.evidence.explanation.regions_explanation import (
    COLUMN_HEADINGS,
    K_HEADINGS,
    column_row,
    end_words,
    in_runs,
    k_row,
    model_words,
    overlap_words,
    regions_headline,
    size_words,
)
from kanon_sql.policy.metrics.registry import SUMMARIZED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.evidence.explanation.explanation import (
        Bound,
        Cell,
        ColumnCost,
        Neighbour,
        Optimum,
    )
    from kanon_sql.evidence.explanation.regions_explanation import RegionsExplanation
    from kanon_sql.policy.metrics.statistics import Cost

    Part: TypeAlias = "str | PartTable | Plan"


PROMISED = {
    Guarantee.OPTIMUM: "the least cost",
    Guarantee.MONOTONE_OPTIMUM: "the least cost only if the metric never falls along the lattice",
    Guarantee.LEAST_HEIGHT: "the least height, and not the least cost",
    Guarantee.MINIMAL: "that no finer node is feasible, and not the least cost",
    Guarantee.FEASIBLE: "a feasible node, and not the least cost",
    Guarantee.RARITY: "that no value of a tested combination is rare, and not the least cost",
}
UNKNOWN = "whether it is active was not determined"


def cost_text(cost: Cost, digits: int = 4) -> str:
    """Format a cost in few digits.

    >>> cost_text((0.22001,)), cost_text((52000123.0,)), cost_text((9.0, 0.25))
    ('0.2200', '52,000,123', '9, 0.2500')
    """
    return ", ".join(decimal_text(part, digits) for part in cost)


def _against(theirs: Cost, ours: Cost) -> str:
    """Format "theirs instead of ours" with as many digits as it takes to see which cost is less."""
    return "{} instead of {}".format(*apart(theirs, ours, cost_text))


SAME_LOSS = 0.00005
"""Losses that are less apart are shown as one figure of four digits."""


def measured_words(explained: Explanation | RegionsExplanation) -> str | None:
    """Return a sentence on simple counts, loss, COUNT queries and two columns; None if they were not measured."""
    found = explained.two_columns
    if found is None or explained.penalty is None:
        return None
    counts = "" if found.simple_counts is None else f"{found.simple_counts}; "
    return (
        f"measured beside the source: {counts}{_loss_words(explained, explained.penalty)}; COUNT queries on two columns are wrong by "
        f"{found.count_median:.2%} (median; mean {found.count_mean:.2%}); the shares of two "
        f"columns' values move by {found.marginals:.2%} (two-way marginals)"
    )


def _loss_words(explained: Explanation | RegionsExplanation, penalty: float) -> str:
    """Name the mean NCP of cells; where one value stands for several regions, it is more than that of the regions."""
    plan = explained.plan
    by_regions = plan.recoding.in_regions and plan.metric == "gcp"
    of_regions = plan.cost[0] if by_regions else penalty
    if abs(penalty - of_regions) < SAME_LOSS:
        return f"information loss {penalty:.4f} (NCP, mean over cells)"
    return (
        f"a released value stands for {penalty:.1%} of its column over all regions that show it, for "
        f"{of_regions:.1%} in one (mean over cells)"
    )


def why_not(
    found: Neighbour, *, max_suppressed: int, cost: Cost, algorithm: str, promise: Guarantee
) -> str:
    """Return the reason why a neighbour of the plan's node, which costs `cost`, was not taken."""
    if not found.feasible:
        return _why_infeasible(found, max_suppressed)
    if promise is Guarantee.LEAST_HEIGHT and found.coarser:
        as_much = "as much" if found.cost == cost else _against(found.cost, cost)
        return f"is a level higher; costs {as_much}"
    if found.cost == cost:
        return f"costs as much; the {'lower' if found.coarser else 'other'} node is taken"
    if found.cost > cost:
        return f"costs {_against(found.cost, cost)}"
    ended = ": the search ended before it was reached"
    other = f", which {algorithm} does not promise to find"
    why = ended if promise is Guarantee.OPTIMUM else other
    return f"costs less, {_against(found.cost, cost)}{why}"


def _why_infeasible(found: Neighbour, max_suppressed: int) -> str:
    if not found.classes:
        return "suppresses every row, and nothing would be released"
    if found.suppressed_rows <= max_suppressed:
        return "keeps classes that differ too much from the rows that it would release"
    return f"suppresses {counted(found.suppressed_rows, 'row')}, the limit is {max_suppressed:,}"


def headline(explained: Explanation) -> str:
    """Return a few sentences: how good the plan is, and which limits are active."""
    first = _of_node(explained) if explained.at_one_node else _of_several(explained)
    found = f"{first}. {_active_limits(explained)}."
    if explained.walked:
        return found
    return (
        f"{found} {_capitalized(lattice_text(explained.plan))}, too many to search completely: results "
        f"that are not called proven are the best that bounded searches found."
    )


def _measured(explained: Explanation, cost: Cost) -> str:
    """Format a cost with the name of its metric."""
    return f"{explained.plan.metric} {cost_text(cost)}"


def _proof(explained: Explanation) -> str:
    return f"proven here in {counted(explained.proof_checks, 'check')}"


def _of_node(explained: Explanation) -> str:
    """Return a sentence on the cost and the proof of a plan that releases rows at one node."""
    plan, required = explained.plan, joined(explained.plan.privacy)
    used = (
        f"suppresses {plan.suppressed_rows:,} of {counted(plan.source_rows, 'row')} "
        f"(limit {plan.max_suppressed:,}){plan.recoding.also_suppressed}"
    )
    if not explained.feasible:
        return f"The node does not satisfy {required}: it {used}"
    cost = _measured(explained, plan.cost)
    if explained.optimal:
        return _least(explained, required, f"{cost} and {used}")
    this = f"The node satisfies {required}, has {cost} and {used}"
    if explained.claimed:
        return f"{this}. {_of_claim(explained)}"
    promised = PROMISED[explained.promise]
    return f"{this}; {_gap(explained)}. {plan.algorithm} promises {promised}"


def _least(explained: Explanation, required: str, has: str) -> str:
    """Return a sentence on a node of least cost, its proof, and the nodes that it is compared with."""
    plan, proof = explained.plan, _proof(explained)
    if not plan.bounded:
        return f"No single node that satisfies {required} costs less than this one, which has {has}: {proof}"
    held = f"The policy allows {nodes_text(plan)} ({bounds_text(plan)})"
    if plan.lattice_nodes == 1:
        return f"{held}. This one satisfies {required}, has {has}, and is compared with no other"
    least = f"None of these that satisfies {required} costs less than this one, which has {has}"
    return f"{held}. {least}: {proof}"


def _capitalized(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _of_claim(explained: Explanation) -> str:
    """Return a sentence on whether the plan's claim to be optimal was proven, not proven, or is wrong."""
    plan = explained.plan
    among = f" among {nodes_text(plan)}" if plan.bounded else ""
    claim = f"The plan states that its node is optimal{among}"
    if explained.optimum.found and explained.optimum.cost < explained.plan.cost:
        return f"{claim}, and that is wrong: {_gap(explained)}"
    after = counted(explained.proof_checks, "check")
    return f"{claim}; it was not proven here: in {after} no better one was found"


def _of_several(explained: Explanation) -> str:
    """Return sentences that compare the cost of a recoding beyond one node with the best single node."""
    plan, best = explained.plan, explained.optimum
    this = (
        f"The plan {plan.recoding.beyond}: {_measured(explained, plan.cost)}, {plan.suppressed_rows:,} of "
        f"{counted(plan.source_rows, 'row')} suppressed (limit {plan.max_suppressed:,})"
    )
    if best.known is Certainty.INFEASIBLE:
        return f"{this}. No single node satisfies {joined(plan.privacy)}"
    if not best.found:
        return f"{this}. The cost of the best single node was not found in time"
    theirs, _ = apart(best.cost, plan.cost, cost_text)
    kind = "The best single node" if best.proven else "The best single node that was found"
    proof = f", {_proof(explained)}" if best.proven else ""
    suppressed = counted(best.suppressed_rows, "row")
    return f"{this}. {kind} has {plan.metric} {theirs} and suppresses {suppressed}{proof}"


def _gap(explained: Explanation) -> str:
    """Return a clause on how much less than the plan's node the optimum costs."""
    best, cost = explained.optimum, explained.plan.cost
    if best.known is Certainty.NOT_REACHED:
        return "the optimum was not reached in time"
    if not best.found or best.cost >= cost:
        return "no better one was found"
    theirs, _ = apart(best.cost, cost, cost_text)
    share = f", {1 - best.cost[0] / cost[0]:.1%} less" if len(best.cost) == 1 else ""
    kind = "the optimum" if best.proven else "the best found"
    return f"{kind} has {theirs}{share}{f' ({_proof(explained)})' if best.proven else ''}"


def _limit_name(bound: Bound) -> str:
    return "the suppression limit" if bound.name == SUPPRESSION else bound.name


def _active_limits(explained: Explanation) -> str:
    """Return a sentence on the limits whose relaxation would let the optimum cost less."""
    active = [_limit_name(each) for each in explained.bounds if each.binds]
    unknown = [_limit_name(each) for each in explained.bounds if each.binds is None]
    are = "is" if len(unknown) == 1 else "are"
    rest = f"hether {joined(unknown)} {are} active was not determined" if unknown else ""
    if not active:
        none = "No limit is active: relaxing any of them slightly would not reduce information loss"
        return f"W{rest}" if rest else none
    all_two = len(active) == 2 == len(explained.bounds)
    many = (
        "One limit is" if len(active) == 1 else f"{'Both' if all_two else len(active)} limits are"
    )
    found = f"{many} active: relaxing {joined(active, 'or')} slightly would reduce information loss"
    return f"{found} (w{rest})" if rest else found


def quality_line(plan: Plan) -> str:
    """Format the counts and quality metrics of a plan in one line."""
    share = plan.suppressed_rows / max(plan.source_rows, 1)
    suppressed = f"{counted(plan.suppressed_rows, 'row')} suppressed ({share:.2%})"
    metrics = (
        f"{each.name} {each.text(plan.figures[each.key])}"
        for each in SUMMARIZED
        if each.key in plan.figures
    )
    return "; ".join(
        [
            classes_text(plan.classes, plan.smallest_class, plan.counts_people),
            f"{suppressed}, limit {plan.max_suppressed:,}",
            *metrics,
        ]
    )


def base_words(explained: Explanation) -> str | None:
    """Return a sentence on the node that limits and columns are compared with; None if it is the plan's."""
    base = explained.base
    if not base.found or (explained.at_one_node and base.levels == explained.node):
        return None
    kind = "the optimum" if base.proven else "the best single node that was found"
    levels = ", ".join(
        f"{name} {at}" for name, at in zip(explained.plan.levels, base.levels, strict=True)
    )
    return (
        f"Limits and columns are compared with {kind}, at {levels}: "
        f"{_measured(explained, base.cost)}, {counted(base.suppressed_rows, 'row')} suppressed"
    )


def bound_words(explained: Explanation, bound: Bound) -> str:
    """Return a sentence on whether a bound is active, and how far it could be tightened."""
    limit = f"{bound.name} ({bound.bound:,})"
    if bound.name == SUPPRESSION:
        limit = f"suppression limit ({bound.bound:,} rows)"
    if bound.slack is None:
        slack = ""
    elif bound.name == SUPPRESSION:
        slack = f"; the plan suppresses {bound.slack:,}"
    elif bound.relaxed is not None and bound.relaxed > bound.bound:
        slack = f"; the node is feasible down to {bound.slack:,}"
    else:
        slack = f"; the node is feasible {f'up to {bound.slack:,}' if bound.slack else 'with none'}"
    return f"{limit}{_relaxed(explained, bound)}{slack}"


def _relaxed(explained: Explanation, bound: Bound) -> str:
    """Return a clause on the optimum under a slightly relaxed bound."""
    found, optimum = bound.optimum, explained.optimum
    if bound.binds is None:
        if not found.found or bound.relaxed is None:
            return f": {UNKNOWN}"
        best = _measured(explained, found.cost)
        return f": {UNKNOWN}; the best found with {bound.relaxed:,} has {best}"
    if bound.relaxed is None:
        return " is not active: with any number of rows the optimum is the same"
    if not bound.binds:
        return f" is not active: with {bound.relaxed:,} the optimum costs as much"
    if not optimum.found:
        return f" is active: with {bound.relaxed:,} a node would satisfy the rest"
    moved = level_changes(explained, found.levels, optimum.levels)
    best = "" if found.proven else ", or less"
    cost = f"{explained.plan.metric} {_against(found.cost, optimum.cost)}{best}"
    return f" is active: with {bound.relaxed:,}, {cost}{f', as {moved}' if moved else ''}"


def level_changes(
    explained: Explanation,
    levels: tuple[int, ...],
    others: tuple[int, ...],
    *,
    but: str | None = None,
) -> str:
    """Return a clause on the columns whose `levels` differ from those of another node; empty if none does."""
    moved = [
        (name, there, here)
        for name, there, here in zip(explained.plan.levels, levels, others, strict=True)
        if there != here and name != but
    ]
    sentences = []
    for verb, where, some in (
        ("could stay", "at", [each for each in moved if each[1] < each[2]]),
        ("would rise", "to", [each for each in moved if each[1] > each[2]]),
    ):
        parts = [f"{name} {where} {there} instead of {here}" for name, there, here in some[1:]]
        if some:
            name, there, here = some[0]
            parts.insert(0, f"{name} {verb} {where} level {there} instead of {here}")
            sentences.append(joined(parts))
    return ", but ".join(sentences)


def without_words(explained: Explanation, column: ColumnCost) -> str:
    """Return a sentence on the other columns' optimum if this column were no quasi-identifier."""
    found, without = column.without, f"without {column.name}"
    if found is None:
        return f"{without} there is no quasi-identifier"
    if not found.found:
        return _none(without, found)
    cost = f"{explained.plan.metric} of the others"
    if column.others is None or not explained.base.found:
        return f"{without}: {cost} {cost_text(found.cost)}{_best(found)}"
    moved = level_changes(explained, found.levels, explained.base.levels, but=column.name)
    start = f"{without}, {moved or 'the others would stay at their levels'}: {cost}"
    if found.cost == column.others:
        return f"{start} {cost_text(found.cost)}, as now{_best(found)}"
    return f"{start} {_against(found.cost, column.others)}{_best(found)}"


def raw_words(explained: Explanation, column: ColumnCost) -> str:
    """Return a sentence on the optimum with a column at its finest allowed level, usually level 0."""
    finest = dict(zip(explained.plan.names, explained.plan.lattice.bottoms, strict=True))
    level = f"at level {finest[column.name]}"
    found, raw = column.raw, f"with {column.name} {level}"
    if not found.found:
        return _none(raw, found)
    if not explained.base.found:
        return f"{raw}: {_measured(explained, found.cost)}{_best(found)}"
    if found.levels == explained.base.levels:
        return f"{column.name} is {level} already"
    moved = level_changes(explained, found.levels, explained.base.levels, but=column.name)
    cost = f"{explained.plan.metric} {_against(found.cost, explained.base.cost)}{_best(found)}"
    return f"{raw}, {moved}: {cost}" if moved else f"{raw}: {cost}"


def _none(what: str, found: Optimum) -> str:
    """Return a sentence on why a search found no node."""
    infeasible = found.known is Certainty.INFEASIBLE
    return f"{what} no node is feasible" if infeasible else f"{what}: {found.known}"


def _best(found: Optimum) -> str:
    """Return the mark of a result that is not proven, or nothing."""
    return "" if found.proven else " (the best found, not proven)"


MOST_NEAREST = 4
"""Fewer k than these are those that are searched where not all are asked for."""


@dataclass(frozen=True, slots=True)
class PartTable:
    """A table of an explanation: its first `texts` columns are aligned left, and the others, of numbers, right."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 0


def parts_of(explained: Explanation | RegionsExplanation) -> Iterator[Part]:
    """Yield the lines and tables of an explanation; its plan stands where the recoding is described."""
    if isinstance(explained, Explanation):
        yield from _of_lattice(explained)
    else:
        yield from _of_regions(explained)


def text_of(explained: Explanation | RegionsExplanation) -> str:
    """Return an explanation as text of at most 80 columns."""
    return "\n".join(_lines(parts_of(explained)))


def _of_lattice(explained: Explanation) -> Iterator[Part]:
    plan = explained.plan
    yield headline(explained)
    yield from _section("The plan")
    yield plan
    yield quality_line(plan)
    if (measured := measured_words(explained)) is not None:
        yield measured
    if not explained.at_one_node:
        yield "these metrics are the plan's own; apply recounts what it releases"
    if (against := base_words(explained)) is not None:
        yield from ("", against)
    columns = explained.columns
    yield from _section("Requirements", [bound_words(explained, of) for of in explained.bounds])
    without = [without_words(explained, of) for of in columns]
    yield from _section("Without a quasi-identifier", without)
    finest = "its finest level" if any(plan.lattice.bottoms) else "level 0"
    yield from _section(f"With a column at {finest}", [raw_words(explained, of) for of in columns])
    if explained.neighbours:
        yield from _section("Neighboring nodes")
        yield _neighbours(explained)
    yield from _section(f"Least {plan.metric} of a single node, by k and suppression limit")
    yield _frontier(explained)
    yield from _legend(explained)
    yield (
        f"{counted(explained.checks, 'check')} of {counted(explained.nodes_checked, 'node')}, "
        f"some under several limits; {lattice_text(plan)}"
    )


def _of_regions(explained: RegionsExplanation) -> Iterator[Part]:
    plan = explained.plan
    yield regions_headline(explained)
    yield from _section("The plan")
    yield plan
    yield quality_line(plan)
    if (measured := measured_words(explained)) is not None:
        yield measured
    yield from _section("Requirements", [model_words(explained, of) for of in explained.bounds])
    yield from _section("What each column loses")
    yield PartTable(COLUMN_HEADINGS, [column_row(explained, of) for of in explained.columns], 1)
    smaller = "are not smaller" if in_runs(explained) else "were not cut again"
    yield from _section(f"Why regions {smaller}", end_words(explained))
    yield from _section("Class sizes", size_words(explained))
    yield from _section("Overlap", [overlap_words(explained)])
    yield from _section("Other k over all quasi-identifiers")
    yield PartTable(K_HEADINGS, list(map(k_row, explained.other_k)))
    yield "[ ] the policy's k; each line is what the same search finds for its k, not proven best"
    if len(explained.other_k) < MOST_NEAREST:
        yield "--all-k searches k from 2 to 100"
    if late := sum(each.partition.known is Certainty.NOT_REACHED for each in explained.other_k):
        yield f"- not reached in time: {late} of {len(explained.other_k)}"


def _section(title: str, lines: Iterable[str] = ()) -> Iterator[str]:
    yield from ("", title)
    for line in lines:
        yield f"  {line}"


def _neighbours(explained: Explanation) -> PartTable:
    levels = explained.plan.levels
    at = {name: place for place, name in enumerate(levels)}
    rows = [
        (each.column, f"{each.levels[at[each.column]]}, not {levels[each.column]}", each.why)
        for each in explained.neighbours
    ]
    return PartTable(("column", "level", "why it was not taken"), rows, 3)


def _frontier(explained: Explanation) -> PartTable:
    limits = sorted({each.max_suppressed for each in explained.frontier})
    shares = (f"{limit:,}\n{limit / explained.plan.source_rows:.2%}" for limit in limits)
    rows: dict[int, list[str]] = {}
    for each in explained.frontier:
        rows.setdefault(each.k, [str(each.k)]).append(_cell_text(each))
    return PartTable(("k", *shares), list(rows.values()))


def _cell_text(found: Cell) -> str:
    """Format the cost of a cell, with its marks; of a cost with several parts, only the first."""
    best = found.optimum
    if not best.found:
        text = "none" if best.known is Certainty.INFEASIBLE else "-"
    else:
        text = cost_text(best.cost[:1]) + (" .." if len(best.cost) > 1 else "")
        text = text if best.proven else f"<={text}"
    text = f"[{text}]" if found.of_policy else text
    return f"{text}*" if found.pareto else f"{text} "


def _legend(explained: Explanation) -> Iterator[str]:
    """Yield a line for each kind of mark in the table of `_frontier`."""
    known = [each.optimum.known for each in explained.frontier]
    marks = ["[ ] the policy's limits; * Pareto optimal: no stricter limits here cost as little"]
    if Certainty.BEST_FOUND in known:
        marks.append("<= the best found, not proven to be the least")
    if Certainty.INFEASIBLE in known:
        marks.append("none: no node is feasible")
    yield from marks
    if open_ := known.count(Certainty.NOT_REACHED):
        yield f"- not reached in time: {open_} of {len(known)}"


def _lines(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield from _wrapped(part)
        elif isinstance(part, PartTable):
            right = [at >= part.texts for at in range(len(part.headings))]
            texts = [[*map(_one_line, row)] for row in (part.headings, *part.rows)]
            yield from table_lines(texts, [right for _ in texts])
        else:
            yield from _recoding(part)


def _wrapped(line: str) -> list[str]:
    inner = line[: len(line) - len(line.lstrip())] + "  "
    return textwrap.wrap(printable(line), WIDTH, subsequent_indent=inner) or [""]


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _recoding(plan: Plan) -> Iterator[str]:
    """Yield what a plan does to each column, or its nodes, then what it says of its regions."""
    if not plan.recoding.in_regions:
        for table in recoding_tables(plan):
            shown = [[*map(cell, row)] for row in table.rows]
            texts = [
                [*map(printable, table.headings)],
                *([text for text, _ in row] for row in shown),
            ]
            right = [[number for _, number in row] for row in shown]
            yield from table_lines(texts, [right[0], *right])
    for line in plan.recoding.lines(plan.names):
        yield from _wrapped(line)
