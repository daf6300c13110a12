"""An explanation in parts: lines, tables and the plan's recoding, which a command prints and `str()` joins."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kanon_sql.base.documents.shown import cell
from kanon_sql.base.documents.text import counted, printable
from kanon_sql.base.documents.text_table import WIDTH, table_lines
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.shown_plan import recoding_tables
from kanon_sql.evidence.explanation.explanation import Certainty, Explanation
from kanon_sql.evidence.explanation.explanation_text import (
    base_words,
    bound_words,
    cost_text,
    headline,
    measured_words,
    quality_line,
    raw_words,
    without_words,
)
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.evidence.explanation.explanation import Cell
    from kanon_sql.evidence.explanation.regions_explanation import RegionsExplanation

    Part: TypeAlias = "str | PartTable | Plan"

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
        f"some under several limits; the lattice has {plan.lattice_nodes:,}"
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
