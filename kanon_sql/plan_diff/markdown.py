"""A difference of two plans as Markdown, for a comment on a pull request.

Whatever comes from a plan file is shown as code, in which Markdown, HTML, mentions and links mean
nothing: a file in a pull request is anybody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import printable
from kanon_sql.plan_diff.changes import ChangeKind
from kanon_sql.plan_diff.changes_text import (
    NAMES,
    apart,
    asked_of,
    average_class,
    changed_keys,
    column_words,
    cost_is_figure,
    headline,
    notes,
    over_sets,
    recoded_words,
    risk_text,
    rows_text,
    timed,
    warnings,
)
from kanon_sql.plans.hashes import IN_THE_POLICY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.plan_diff.changes import FigureChange, PlanChanges
    from kanon_sql.plans.plan import Plan

    Row = tuple[str, str, str, str]

NONE = "-"
LONGEST_SAME = 8
"""Columns that stay as they are and are named; more are counted."""

SHOWN_OF_A_HASH = 28


def code(text: str) -> str:
    """Show a text as code in Markdown, also in a cell of a table, whatever is in it.

    >>> print(code("zip"), code("a|b"), code("`x` <b>"))
    `zip` <code>a&#124;b</code> <code>&#96;x&#96; &#60;b&#62;</code>
    """
    shown = printable(text)
    if "`" in shown or "|" in shown or not shown.strip():
        # No fence of backticks holds these in every reader of tables; references do.
        parts = (c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
        return f"<code>{''.join(parts)}</code>"
    return f"`{shown}`" if shown == shown.strip() else f"` {shown} `"


def markdown(told: PlanChanges) -> str:
    """Give one sentence, what to look at, and small tables of what changed."""
    lead, signs = headline(told, code)
    if told.same:
        return f"{lead}\n"
    blocks = [f"**{lead}** {signs}".strip()]
    if alarming := warnings(told, code):
        blocks.append("\n".join(f"- **Warning:** {each}." for each in alarming))
    for title, column, rows in (
        ("Privacy", "asked", _asked(told)),
        ("Recoding", "column", _columns(told)),
        ("Figures", "figure", _figures(told)),
        ("Search", "", _search(told)),
        ("Made from", "", _inputs(told)),
    ):
        if found := list(rows):
            blocks.append(f"### {title}\n\n{_table(column, found)}")
        if title == "Recoding" and (stayed := _stayed(told)):
            blocks.append(stayed)
    blocks += [f"{each[0].upper()}{each[1:]}." for each in notes(told, code)]
    if rest := changed_keys(told):
        blocks.append(f"Also changed in the plan file: {', '.join(map(code, rest))}.")
    return "\n\n".join(blocks) + "\n"


def _table(column: str, rows: Sequence[Row]) -> str:
    lines = [(column, "old", "new", ""), ("---", "---:", "---:", "---"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(what: str, ends: Sequence[str], verdict: str = "") -> Row:
    old, new = ends
    return what, old, new, verdict


def _of(old: str, new: str) -> str:
    return "" if old == new else ChangeKind.CHANGED.value


def _asked(told: PlanChanges) -> Iterator[Row]:
    """Tell the bounds: all of them, as it matters that one stayed."""
    for each in told.asked:
        cells = [NONE if n is None else n if each.model else "yes" for n in each.shown]
        verdict = f"**{each.verdict}**" if each.weaker else each.verdict.value
        yield _row(asked_of(each, code), cells, verdict)
    old, new = (rows_text(each.max_suppressed, each) for each in (told.old, told.new))
    yield _row("MaxSup, rows", (old, new), _of(old, new) or ChangeKind.SAME.value)


def _columns(told: PlanChanges) -> Iterator[Row]:
    """Tell how rows are released, if that changed, and the columns that changed."""
    old, new = recoded_words(told.old), recoded_words(told.new)
    if old != new:
        yield _row("*all*", (old, new), ChangeKind.CHANGED.value)
    for each in told.columns:
        if each.verdict is ChangeKind.SAME:
            continue
        was, now = (column_words(one) or NONE for one in (each.old, each.new))
        verdict = each.verdict.value
        if each.verdict is ChangeKind.GONE:
            verdict = "**no quasi-identifier any more**"
        elif each.hierarchy is ChangeKind.CHANGED:
            verdict = "other hierarchy"
        yield _row(code(each.name), (was, now), verdict)


def _stayed(told: PlanChanges) -> str:
    """Name the columns that stay as they are, or count them where there are many."""
    stayed = [each.name for each in told.columns if each.verdict is ChangeKind.SAME]
    if not stayed:
        return ""
    if len(stayed) == len(told.columns):
        return "Every column is recoded as before."
    if len(stayed) > LONGEST_SAME:
        return f"As before: {len(stayed)} columns."
    return f"As before: {', '.join(map(code, stayed))}."


def _figures(told: PlanChanges) -> Iterator[Row]:
    """Tell what the release comes to; of utility, which way is better."""
    old, new = told.old, told.new
    suppressed = [rows_text(each.suppressed_rows, each) for each in (old, new)]
    yield _row("suppressed rows", suppressed, told.suppressed.verdict.value)
    yield _row("classes", _counts(old.classes, new.classes))
    yield _row("released rows / classes", apart(average_class(old), average_class(new)))
    yield _row("smallest class", _counts(old.smallest_class, new.smallest_class))
    name = "highest prosecutor risk, 1 / smallest class"
    yield _row(name, (risk_text(old), risk_text(new)), told.risk.verdict.value)
    for columns, was, now in over_sets(told):
        of = f"over {', '.join(map(code, columns))}"
        yield _row(f"classes {of}", _counts(was[0], now[0]))
        yield _row(f"smallest class {of}", _counts(was[1], now[1]))
    for each in told.figures:
        yield _row(_figure(each), apart(each.old, each.new), _judged(each))


def _counts(old: int | None, new: int | None) -> tuple[str, str]:
    return NONE if old is None else f"{old:,}", NONE if new is None else f"{new:,}"


def _figure(each: FigureChange) -> str:
    way = {True: "; higher is better", False: "; lower is better", None: ""}[each.higher_is_better]
    return f"{NAMES[each.name] if each.name in NAMES else code(each.name)}{way}"


def _judged(each: FigureChange) -> str:
    if each.verdict in {ChangeKind.ADDED, ChangeKind.GONE}:
        return "not counted in both"
    if each.why_not is not None:  # of equal figures too: they are figures of other things
        return f"not comparable: {each.why_not}"
    if each.higher_is_better is None:
        return ""
    return each.verdict.value


def _search(told: PlanChanges) -> Iterator[Row]:
    """Tell how the recoding was found, if that changed; a cost that is no figure by itself too."""
    old, new = told.old, told.new
    for what, ends in (
        ("algorithm", (code(old.algorithm), code(new.algorithm))),
        ("metric", (code(old.metric), code(new.metric))),
        ("proven optimal", (_yes(old.optimal), _yes(new.optimal))),
        ("ended by its time limit", (_yes(timed(old)), _yes(timed(new)))),
        ("nodes of the lattice", _counts(old.lattice_nodes, new.lattice_nodes)),
        ("checks in time", _counts(old.checks_in_time, new.checks_in_time)),
        ("cost", (_cost(old), _cost(new))),
    ):
        was, now = ends
        if was != now and not (what == "cost" and cost_is_figure(old) and cost_is_figure(new)):
            yield _row(what, ends)


def _cost(plan: Plan) -> str:
    return ", ".join(map(repr, plan.cost))


def _yes(value: bool) -> str:  # noqa: FBT001  a value, and no option
    return "yes" if value else "no"


def _inputs(told: PlanChanges) -> Iterator[Row]:
    """Tell what the plans were made from: the source always, the rest where it changed."""
    old, new = told.old, told.new
    changed = {None: "not told", True: "changed", False: "same rows"}[told.source_changed]
    yield _row("source, rows", (f"{old.source_rows:,}", f"{new.source_rows:,}"), changed)
    if old.where != new.where:
        cells = [NONE if each.where is None else "in the plan" for each in (old, new)]
        yield _row("condition on the source's rows", cells, ChangeKind.CHANGED.value)
    if told.policy_changed:
        yield _row(
            "policy, its hash", (_hash(old.policy_digest), _hash(new.policy_digest)), "changed"
        )
    for name in dict.fromkeys([*old.overrides, *new.overrides]):
        cells = [
            code(str(each.overrides[name])) if name in each.overrides else NONE
            for each in (old, new)
        ]
        if cells[0] != cells[1]:
            yield _row(f"{code(name)} said instead of the policy's", cells, "changed")
    for name in dict.fromkeys([*old.hierarchies, *new.hierarchies]):
        was, now = old.hierarchies.get(name), new.hierarchies.get(name)
        if was != now:
            verdict = "changed" if None not in {was, now} else "gone" if now is None else "new"
            yield _row(f"hierarchy of {code(name)}", (_hash(was), _hash(now)), verdict)


def _hash(digest: str | None) -> str:
    if digest is None:
        return NONE
    if digest == IN_THE_POLICY:
        return digest
    return code(digest if len(digest) <= SHOWN_OF_A_HASH else f"{digest[:12]}...")
