"""Printing a plan, a release and its recount, examples of classes, and the verdicts of `risk` and `attack`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.cli.console import (
    fits,
    fits_wrapped,
    print_line,
    print_table,
    print_warnings,
    seconds_so_far,
)
from kanon_sql.base.documents.text import counted, decimal_text, joined, listed, printable
from kanon_sql.counting.lattice.result import SearchStep, classes_text
from kanon_sql.counting.plans.recodings import column_texts
from kanon_sql.counting.plans.shown_plan import bounds_text, nodes_text, proof_text
from kanon_sql.evidence.release_quality.measures import MEASURES
from kanon_sql.policy.cut_steps import CutStep
from kanon_sql.policy.metrics.registry import LOWER_BOUND, shown_label
from kanon_sql.policy.search_options import Algorithm
from kanon_sql.release.added_rows import AddedRows, SeriesRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import kanon_sql
    from kanon_sql.apps.cli.console import Side
    from kanon_sql.apps.python.plan_recoding import Release
    from kanon_sql.counting.lattice.result import SetFigures
    from kanon_sql.counting.plans.plan import ColumnChange, Plan
    from kanon_sql.evidence.attacks.column_sets import ColumnSet
    from kanon_sql.policy.metrics.statistics import ReleasedNode
    from kanon_sql.recoding.recount import Verification


NO_BOUNDS = "NULL"
"""The text in place of bounds at the root, which are released as NULL."""


def without_rows(plan: Plan) -> Plan:
    """Return a plan to print without labels and classes of its release; what is counted of columns stays."""
    if plan.examples is None:
        return plan
    return replace(plan, examples=replace(plan.examples, classes=(), labels={}))


def print_columns(plan: Plan) -> None:
    """Print a line for each column: before, after, the rows that keep something of it, and a label as an example.

    Without examples of the release, only the quasi-identifiers are printed, with their levels.
    """
    recoded = dict(zip(plan.names, column_texts(plan.recoding, plan.heights), strict=True))
    if plan.examples is None and (plan.recoding.in_regions or plan.recoding.layers):
        return  # what is printed of its regions or nodes says all
    if plan.examples is None:
        print_table({"column": "left", "how": "left"}, recoded.items())
        _print_ends(plan)
        return
    found = plan.examples
    columns = dict(CHANGES)
    changes = {each.name: each for each in found.changes}
    rows = [change_cells(name, changes.get(name), text) for name, text in recoded.items()]
    for text in dict.fromkeys(found.others.values()):
        names = ", ".join(name for name, each in found.others.items() if each == text)
        rows.append((names, "", "", "", text))
    shown = dict(found.labels)
    for name, level in plan.levels.items() if found.classes else ():
        if 0 < level == plan.heights[name] and name not in found.columns:
            shown[name] = NO_BOUNDS
    if shown:
        columns["for example"] = "left"
        rows = [(*cells, shown.get(cells[0], "")) for cells in rows]
    print_table(columns, rows, wrap=True)
    _print_ends(plan)
    for name, level in plan.levels.items():
        change = changes.get(name)
        if level == 0 and change is not None and (gone := change.values - change.labels) > 0:
            values = f"{counted(gone, 'value')} of {printable(name)} {'is' if gone == 1 else 'are'}"
            print_line(f"{values} in no released row")


def _print_ends(plan: Plan) -> None:
    """Say what the first and the last level of a column show, where columns have levels."""
    if plan.levels:
        print_line("level 0 shows values as they are, the highest level one label for all of them")


CHANGES: dict[str, Side] = {
    "column": "left",
    **dict.fromkeys(("values\nbefore", "values\nafter", "rows\nleft"), "right"),
    "how": "left",
}
"""The headings of columns before and after."""


def change_cells(name: str, change: ColumnChange | None, recoded: str) -> tuple[str, ...]:
    """Format a quasi-identifier before and after; the counts are left out where they were not made."""
    if change is None:
        return (name, "", "", "", recoded)
    kept = f"{min(change.kept / change.rows, 1):.0%}" if change.rows else "-"
    how = "class value" if change.values_shown else recoded
    return (name, f"{change.values:,}", f"{change.labels:,}", kept, how)


def print_examples(plan: Plan, classes: int | None = None) -> None:
    """Print a few classes of the release: the labels of the quasi-identifiers, with their rows and people.

    `classes` is the count of released classes, by default the plan's. If the table would be wider than the terminal,
    each class becomes a column, and only as many are printed as fit without breaking a word.
    """
    if plan.examples is None or not plan.examples.classes:
        return
    found = plan.examples
    by_people = any(each.people is not None for each in found.classes)
    rows = [
        (
            *("NULL" if label is None else label for label in each.labels),
            f"{each.rows:,}",
            *([f"{each.people:,}"] if each.people is not None else []),
        )
        for each in found.classes
    ]
    of = plan.classes if classes is None else classes
    headings: dict[str, Side] = {printable(name): "left" for name in found.columns}
    for size in ("rows", "people")[: 1 + by_people]:
        while size in headings:  # a quasi-identifier may have this name
            size += " "  # noqa: PLW2901
        headings[size] = "right"
    if fits(headings, rows):
        print_line(_heading(len(rows), of))
        print_table(headings, rows)
        return
    across = [_across(headings, rows[:n]) for n in range(len(rows), 0, -1)]
    columns, lines = next((each for each in across if fits_wrapped(*each)), across[0])
    print_line(_heading(len(columns) - 1, of))
    print_table(columns, lines, wrap=True)


def _heading(shown: int, of: int) -> str:
    return f"{shown} of {counted(of, 'released equivalence class')}:"


def _across(
    headings: Iterable[str], rows: Sequence[Sequence[str]]
) -> tuple[dict[str, Side], list[tuple[str, ...]]]:
    """Transpose a table of classes, so that each class is a column."""
    columns: dict[str, Side] = dict.fromkeys(
        ["class", *(str(n + 1) for n in range(len(rows)))], "left"
    )
    return columns, list(zip(headings, *rows, strict=True))


ENDS = {
    Algorithm.MONDRIAN: "no class can be split further",
    Algorithm.TOP_DOWN: "no further specialization has a gain",
    Algorithm.BOTTOM_UP: "generalized until every class was large enough",
    Algorithm.K_OPTIMIZE: "proven optimal",
}
"""The reason why a search without a lattice ended, as it is printed."""

MOST_LISTED = 12
"""The most nodes, steps or combinations that are listed; the rest is summed up in one line."""

LAST_LISTED = 2
"""How many of the listed nodes are the last ones; the others are the first."""


def print_plan(plan: Plan) -> None:
    """Print a plan for people: what can be released, the recoding of each column, risk, utility, and the search."""
    models = f"{joined(plan.privacy)} hold{'s' if len(plan.privacy) == 1 else ''}"
    rows = counted(plan.source_rows, "row")
    print_line(f"{plan.released_rows:,} of {rows} can be released, and {models}:")
    print_classes(plan)
    print_body(plan)


def print_classes(plan: Plan) -> None:
    """Print the classes of a plan over each set of quasi-identifiers, and its suppressed rows."""
    print_line(f"{'over all: ' if plan.over else ''}{_classes_text(plan, plan)}")
    for each in plan.over:
        print_line(f"over {', '.join(each.columns)}: {_classes_text(plan, each)}")
    print_suppressed(plan)
    print_counted(plan)


def print_counted(plan: Plan) -> None:
    """Say that readers count rows and not people, where the key that people are counted by is not released."""
    key = plan.counts_people
    if key and key not in (plan.pseudonym_keys or {}):
        print_line(f"readers can count rows, and not people: {printable(key)} is not released")


def print_suppressed(plan: Plan) -> None:
    """Print the suppressed rows of a plan and their limit."""
    share = plan.suppressed_rows / plan.source_rows
    print_line(
        f"suppressed rows: {plan.suppressed_rows:,} of {plan.source_rows:,} ({share:.2%}; limit "
        f"{plan.max_suppressed:,})"
    )


def print_body(plan: Plan) -> None:
    """Print what a plan does to each column, then risk and utility, then how it was found, then remarks."""
    print_recoding(plan)
    print_suppressed_cells(plan)
    if plan.types_text is not None:
        print_line(f"types of released values: {plan.types_text}")
    print_risk(plan)
    print_simple_counts(plan)
    for line in _search_lines(plan):
        print_line(line)
    path = [each for each in plan.steps if isinstance(each, SearchStep)]
    for line in _path_lines(plan.names, path):
        print_line(f"  {line}")
    print_cut_steps([each for each in plan.steps if isinstance(each, CutStep)])
    short = path[-1].short_rows if path else None
    for line in plan.recoding.lines_after_search(plan.suppressed_rows, short):
        print_line(f"  {line}")
    for remark in plan.remarks:
        print_line(remark)
    print_warnings(plan.warnings)


def print_risk(plan: Plan) -> None:
    """Print the prosecutor's risk in the released classes, and the rows that other columns make unique, if counted."""
    if plan.risk is not None:
        print_line(f"re-identification risk: {plan.risk.text(plan.released_rows)}")
    if plan.unique_beside is not None:
        print_line(f"  {plan.unique_beside}")


def print_simple_counts(plan: Plan) -> None:
    """Print the error of simple counts, if the plan states it."""
    if plan.simple_counts is not None:
        print_line(f"count error: {plan.simple_counts}")


def _classes_text(plan: Plan, of: Plan | SetFigures) -> str:
    return classes_text(of.classes, of.smallest_class, plan.counts_people)


def _search_lines(plan: Plan) -> Iterator[str]:
    """Describe the cost of the recoding, whether it is proven to be the least, and the effort of the search."""
    cost = ", ".join(f"{part:.6g}" for part in plan.cost)
    named = shown_label(plan.metric)
    loss = f"{named}: {cost}" if "loss" in named else f"information loss: {cost} ({named})"
    if plan.lattice_nodes is None:
        proof = "" if plan.recoding.in_runs else f", {ENDS[Algorithm(plan.algorithm)]}"
        if LOWER_BOUND.key in plan.figures and not plan.optimal:
            bound = plan.figures[LOWER_BOUND.key]
            proof = f", the best found in its time; none costs less than {bound:.6g}"
        elif plan.checks_in_time is not None:
            proof = ", cut as often as its time allowed"
        yield f"{loss}{proof}"
        yield f"searched by {plan.algorithm}"
        return
    proof = proof_text(plan)
    if not plan.optimal and plan.checks_in_time is not None:
        proof = f"the best found in its time, {proof}"
    yield f"{loss}, {proof}"
    checks = "" if plan.checks is None else f"{counted(plan.checks, 'check')} among "
    yield f"searched by {plan.algorithm}: {checks}{nodes_text(plan)}, of one level a column each"
    if plan.within:
        yield f"within the levels that the policy allows: {bounds_text(plan)}"
    if plan.minimal is not None:
        yield f"{counted(plan.minimal, 'minimal node')}, listed by plan --json"


def _path_lines(names: Sequence[str], steps: Sequence[SearchStep]) -> Iterator[str]:
    """Describe the steps of a search along one path: the column generalized, and the rows that fail."""
    small = "in classes that are too small"
    if steps:
        yield f"start: {counted(steps[0].short_rows, 'row')} {small}"
    for before, step in pairwise(steps):
        if step.column is not None:
            at = names.index(step.column)
            values = f"{counted(before.distinct[at], 'value')}, now {step.distinct[at]:,}"
            rows = counted(step.short_rows, "row")
            yield f"{step.column} to level {step.level} ({values}): {rows} {small}"


def print_cut_steps(steps: Sequence[CutStep]) -> None:
    """Print the steps of a single-dimensional search; if there are many, the first and the last."""
    half = MOST_LISTED // 2
    skipped = range(half, len(steps) - half) if len(steps) > MOST_LISTED else range(0)
    for at, step in enumerate(steps):
        if at not in skipped:
            print_line(f"  {at + 1}. {_cut_text(step)}")
        elif at == skipped.start:
            print_line(f"  and {counted(len(skipped), 'step')} more, in the plan file")


def _cut_text(step: CutStep) -> str:
    """Describe an interval or node that was specialized or generalized, without its values."""
    level = "" if step.level is None else f", level {step.level}"
    gain = (
        f"loss {step.loss:.4f}"
        if step.information is None
        else f"information {step.information:.4f}"
    )
    return (
        f"{step.column}, positions {step.low:,} to {step.high:,}{level}: {gain}, "
        f"anonymity {step.anonymity:,g}, score {step.score:.4g}; smallest "
        f"{', '.join(f'{size:,}' for size in step.smallest)}"
    )


def print_suppressed_cells(plan: Plan) -> None:
    """Print which combinations local suppression tested, which are rare, and the cells suppressed for them, if any."""
    if (suppressed := plan.recoding.local_suppression) is None:
        return
    names = plan.names
    print_line(f"  {suppressed.tested:,} combinations of 2 and 3 columns tested")
    most = sorted(suppressed.outliers, key=lambda each: -each.rows)[:MOST_LISTED]
    for each in most:
        columns = ", ".join(names[at] for at in each.columns)
        combinations = counted(each.values, "rare combination")
        print_line(f"  {columns}: {combinations}, in {counted(each.rows, 'row')}")
    if len(most) < len(suppressed.outliers):
        more = len(suppressed.outliers) - len(most)
        print_line(f"  and {more} more in fewer rows each; all are in the plan file")
    for name, rows, released in zip(names, suppressed.rows, suppressed.released, strict=True):
        if rows:
            print_line(
                f"  {name} suppressed in {counted(rows, 'row')}, {released:,} of them released"
            )


def print_recoding(plan: Plan) -> None:
    """Print what is done to each column, then the nodes of a plan, or how many regions it has."""
    print_columns(plan)
    if plan.recoding.layers:
        print_nodes(plan.recoding.layers)
    for line in plan.recoding.lines(plan.names):
        print_line(line)


def print_nodes(released_nodes: Sequence[ReleasedNode]) -> None:
    """Print the nodes of a recoding in order, each with the rows that are released at it."""
    columns: dict[str, Side] = {
        "node": "right", "levels": "left", "rows": "right", "classes": "right",
    }  # fmt: skip
    rows = [
        (f"{at + 1:,}", ",".join(map(str, each.node.levels)), each.rows, each.classes)
        for at, each in enumerate(released_nodes)
    ]
    if len(rows) > MOST_LISTED:
        first, last = MOST_LISTED - LAST_LISTED - 1, len(rows) - LAST_LISTED
        between = rows[first:last]
        sums = (sum(each[2] for each in between), sum(each[3] for each in between))
        rows[first:last] = [(f"{first + 1:,} to {last:,}", "..", *sums)]
    print_table(
        columns,
        ((*names, f"{of_rows:,}", f"{of_classes:,}") for *names, of_rows, of_classes in rows),
    )


@contextmanager
def after_release(
    releases: list[Release], *, finish: Callable[[Release], None] | None = None
) -> Iterator[None]:
    """Add the last published release to the message of an interrupt, after calling `finish` for it.

    `finish` completes a release that is published already: it writes the plan.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        if not releases:
            raise
        release = releases[-1]
        if finish is not None:
            finish(release)
        place = "" if release.place is None else from_here(release.place)
        raise KeyboardInterrupt(f"interrupted; {place} was published before") from error


def print_release(release: Release) -> None:
    """Print where a release is and what its recount found, its suppressed rows, and its risk where no plan states it."""
    found, plan = release.verification, release.plan
    place = "" if release.place is None else from_here(release.place)
    models = joined(plan.privacy)
    print_line(
        f"released to {place} in {seconds_so_far():.2f} s; a recount of the rows verified {models}:"
    )
    print_line(recount_text(found))
    if isinstance(release.new, AddedRows):
        new = release.new.document(found.rows)
        print_line(
            f"{counted(new['partition_rows'], 'row')} of the partition: {new['added']:,} added to "
            f"{new['published_before']:,}; {new['withheld']:,} withheld, outside the plan's recoding; "
            f"{new['suppressed']:,} suppressed, in classes that fail"
        )
    elif isinstance(release.new, SeriesRows):
        print_line(str(release.new))
    elif release.new is not None:
        new = release.new.document(found.rows)
        print_line(
            f"{counted(new['new_rows'], 'new row')}: {found.rows:,} released; {new['withheld']:,} "
            f"withheld, outside the plan's recoding; {new['suppressed']:,} suppressed, in classes "
            "that fail"
        )
    else:
        print_suppressed(plan)
        print_counted(plan)
    if found.risk is not None and (release.new is not None or plan.risk is None):
        print_line(f"re-identification risk: {found.risk.text}")
    if found.unique_rows is not None and found.unique_rows.unique:
        print_line(f"  {found.unique_rows.sentence}")
    print_warnings(found.warnings)
    if isinstance(release.new, AddedRows) and release.new.warning:
        print_warnings([release.new.warning])


def recount_text(found: Verification) -> str:
    whole = f"{counted(found.rows, 'row')} in {_recounted_text(found)}"
    sets = (
        f"over {', '.join(names)}: {_recounted_text(each)}" for names, each in found.over.items()
    )
    return "; ".join([whole, *sets])


def _recounted_text(found: Verification) -> str:
    return classes_text(found.classes, found.smallest_class, found.entity)


def from_here(place: str) -> str:
    """Shorten a path below the current folder."""
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place


def print_quality(found: kanon_sql.Quality) -> None:
    """Print the columns before and after, the error of simple counts, all figures, and why some are missing."""
    print_line(
        f"{found.released_rows:,} of {counted(found.rows, 'row')} are released in "
        f"{counted(found.classes, 'equivalence class')}, smallest {found.smallest_class:,}"
    )
    numbers = (
        "values\nbefore", "values\nafter", "bits\nbefore", "bits\nafter", "information\nloss", "squared\nerror",
    )  # fmt: skip
    headings: dict[str, Side] = {"column": "left", **dict.fromkeys(numbers, "right")}
    print_table(headings, map(_cells, found.columns))
    for table in [] if found.numbers is None else found.numbers.tables():
        sides: list[Side] = ["left", *["right"] * (len(table.headings) - 1)]  # type: ignore[list-item]
        print_table(dict(zip(table.headings, sides, strict=True)), table.rows)
    if found.simple_counts is not None:
        print_line(f"count error: {found.simple_counts}")
    print_table({"figure": "left", "value": "right", "what it is": "left"}, _rows(found))
    for reason in dict.fromkeys(found.reasons.values()):
        missing = [MEASURES[key].name for key, why in found.reasons.items() if why == reason]
        print_line(f"not measured: {', '.join(missing)}: {reason}")
    if found.queries is not None:
        print_line(_queries_text(found.queries))
    print_warnings(list(found.warnings))


def _queries_text(found: kanon_sql.QueryErrors) -> str:
    errors = {"mean": found.mean, "median": found.median, "highest": found.highest}
    values = [f"{what} {decimal_text(error)}" for what, error in errors.items()]
    return (
        f"COUNT queries: {len(found.counts):,}, of which {found.empty:,} are met by no row; relative "
        f"error of the others: {', '.join(values)}"
    )


def _rows(found: kanon_sql.Quality) -> Iterator[tuple[str, str, str]]:
    for key, measure in MEASURES.items():
        value = found.figures[key]
        if value is not None:
            yield measure.name, decimal_text(value), measure.title


def _cells(each: kanon_sql.ColumnQuality) -> tuple[str, ...]:
    return (
        each.name,
        f"{each.distinct_before:,}",
        f"{each.distinct_after:,}",
        decimal_text(each.entropy_before),
        decimal_text(each.entropy_after),
        decimal_text(each.certainty),
        decimal_text(each.mean_squared_error),
    )


def verdict_of_risk(risk: kanon_sql.Risk) -> str:
    """Say how surely a person who is known to be in the table is found, before and after the release.

    It is the highest of the prosecutor's risks by rows, by persons and by signatures: rows may be of few people.
    """
    of = risk if risk.released is None else risk.released
    found = _probability(of)
    if risk.released is None:
        return f"verdict: in this table {found}; {_unique(risk)}"
    before, *_ = _worst(risk)
    return (
        f"verdict: in the release {found} (in the table {before:.4f}); {_unique(of)} "
        f"(in the table {risk.unique_rows:,})"
    )


def _probability(risk: kanon_sql.Risk) -> str:
    highest, average, by = _worst(risk)
    return (
        f"a person is found with a probability of at most {highest:.4f}, {average:.4f} on average"
        f"{'' if by == 'rows' else f' (by {by})'}"
    )


def _worst(risk: kanon_sql.Risk) -> tuple[float, float, str]:
    figures = (("rows", risk), ("persons", risk.entity), ("signatures", risk.signature))
    return max(
        (each.prosecutor.highest, each.prosecutor.average, by)
        for by, each in figures
        if each is not None
    )


def _unique(risk: kanon_sql.Risk) -> str:
    one = risk.unique_rows == 1
    return f"{risk.unique_rows:,} of {counted(risk.rows, 'row')} {'is' if one else 'are'} unique"


def verdict_of_sets(found: kanon_sql.ColumnSets) -> str:
    """Say which smallest set of columns distinguishes the rows best."""
    for sets, how in ((found.unique, "all"), (found.near_unique, "nearly all")):
        if sets:
            return f"verdict: {how} rows are distinguished by {_smallest(sets)}"
    most = counted(found.most_columns, "column")
    return f"verdict: no set of at most {most} distinguishes nearly all rows"


def _smallest(sets: tuple[ColumnSet, ...]) -> str:
    first = min(sets, key=lambda each: len(each.columns))
    others = len(sets) - 1
    more = f", and by {counted(others, 'other set')} of columns" if others else ""
    return f"{listed(first.columns)}{' alone' if len(first.columns) == 1 else ' together'}{more}"


def verdict_of_link(found: kanon_sql.LinkAttack) -> str:
    """Say of how many known records the attacker is sure."""
    of = found.target if found.released is None else found.released
    where = "table" if found.released is None else "release"
    before = "" if found.released is None else f" (in the target {found.target.unique:,})"
    if not of.matched:
        return f"verdict: no known record is matched in the {where}, which proves nothing{before}"
    return (
        f"verdict: {of.unique:,} of {counted(found.known, 'known record')} "
        f"{'has' if of.unique == 1 else 'have'} one candidate in the {where}, which is certain{before}"
    )


def verdict_of_disclosure(found: kanon_sql.AttributeDisclosure, sensitive: str) -> str:
    """Say of how many rows the sensitive value is certain."""
    if not found.exposed_rows:
        surest = f"the surest guess is right with a probability of {decimal_text(found.highest)}"
        return f"verdict: {sensitive} is certain of no row; {surest}"
    return (
        f"verdict: {sensitive} is certain of {found.exposed_rows:,} of "
        f"{counted(found.rows_with_value, 'row')} with a value ({found.exposed_share:.1%})"
    )


def verdict_of_composition(found: kanon_sql.CompositionAttack) -> str:
    """Say of how many persons two releases leave one value."""
    of = found.everyone
    return (
        f"verdict: {of.exposed:,} of {counted(of.persons, 'person')} "
        f"{'is' if of.exposed == 1 else 'are'} exposed by the two releases together, "
        f"{of.exposed_alone:,} by one alone"
    )
