"""Messages about a hierarchy: faults of its entries, values of the source without an entry, warnings."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.hierarchies.hierarchy_kind import Match
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.model import Nulls, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kanon_sql.hierarchies.hierarchy_kind import HierarchyKind
    from kanon_sql.policy.model import Column
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class Level:
    """The counts of `survey_paths` for one level; `edges` are pairs of a label and its parent."""

    entries: int
    labels: int
    edges: int
    blank: int


def path_problems(
    kind: HierarchyKind, survey: Sequence[Level], *, completed: bool = False
) -> Iterator[str]:
    height = len(survey) - 1
    entries, top = survey[0].entries, survey[height]
    if not kind.has_entries:
        if kind.no_path and top.blank:
            yield f"{top.blank} distinct values {kind.no_path}"
        return
    if entries == 0:
        yield "has no entries"
        return
    if survey[0].labels < entries:
        more = entries - survey[0].labels
        if kind.match:
            yield (
                f"{more:,} paths are of a value that has another: entries that {written_match(kind.match)} makes one have "
                f"other labels; give them the same labels, or leave one of these words out"
            )
        else:
            yield f"{more:,} entries repeat a value that is mapped already, to other labels"
    blank = max(level.blank for level in survey[1:])
    if blank and not kind.ragged:
        yield (
            f"{blank} entries are shorter than {height} levels; write ragged: repeat to let a value "
            f"stand in for the levels it lacks"
        )
    if blank and kind.ragged:
        if completed:
            yield f"{blank} entries have a gap between their levels"
        return
    for number in range(1, height):
        level = survey[number]
        if level.edges > level.labels:
            yield (
                f"level {number + 1} is not a function of level {number}: "
                f"{level.edges - level.labels} labels have more than one parent; name labels by their "
                f"parents too, or leave one of the levels out"
            )


def domain_problems(
    run: Session,
    opened: OpenSource,
    column: Column,
    counts: Sequence[int],
    *,
    new: bool,
    entries: Callable[[], Statement],
) -> Iterator[str]:
    """Yield the faults of a column's values: without an entry in its hierarchy, or refused NULLs.

    `counts` are those of `survey_domain`; `entries` builds the statement that counts likely entries.
    """
    domain_values, nulls, missing_values, missing_rows, null_rows = counts
    kind = column.hierarchy
    if missing_values and not new and kind is not None and kind.has_entries:
        beside = "" if opened.population is None else ", or in its population,"
        yield f"{counted(missing_values, 'distinct value')} in {counted(missing_rows, 'row')}{beside} ha{'s' if missing_values == 1 else 've'} no entry"
        if missing_values == domain_values - nulls:
            yield (
                f"no value has an entry: entries are compared as text with the column, which is "
                f"{opened.type_of(column.name).split('(')[0]}"
            )
        likely = run.engine.fetch_counts(entries())
        yield from _likely_entries(kind.match, *likely)
    if nulls and column.role is Role.QUASI and run.policy.nulls is Nulls.REFUSE:
        yield refused_nulls(null_rows)


def _likely_entries(
    match: Sequence[Match], missing: int, trimmed: int, folded: int, numbers: int
) -> Iterator[str]:
    """Yield the advice to match entries in the way that gives most of the values without an entry one."""
    most = max(trimmed, folded, numbers)
    if not most:
        return
    if most == trimmed:
        how, more = "without blanks at the ends", [Match.TRIM]
    elif most == folded:
        how, more = "without blanks at the ends and in one case", [Match.TRIM, Match.FOLD]
    else:
        how, more = "as numbers (34.0 and 034 are 34)", [Match.NUMBER]
    many = "all" if most == missing else f"{most:,}"
    yield (
        f"{many} of the values without an entry would have one {how}: say {written_match([*match, *more])} beside the "
        "hierarchy's entries, which are compared as text"
    )


def written_match(match: Iterable[Match]) -> str:
    """Write the `match` key of a hierarchy.

    >>> written_match([Match.TRIM]), written_match([Match.TRIM, Match.FOLD])
    ('match: trim', 'match: [trim, fold]')
    """
    words = list(dict.fromkeys(each.value for each in match))
    return f"match: {words[0] if len(words) == 1 else '[' + ', '.join(words) + ']'}"


def may_be_null(opened: OpenSource, column: Column, counts: Sequence[int]) -> bool:
    """Whether comparisons of a column must treat NULL as a value; `counts` are those of `survey_domain`.

    True for a type that is named with its schema, too: its equality operator may not be found without the schema.
    """
    return bool(counts[1]) or "." in opened.type_of(column.name)


def refused_nulls(rows: int) -> str:
    verb = "is" if rows == 1 else "are"
    return f"{counted(rows, 'row')} {verb} NULL, and the policy has nulls: refuse"


def warnings_of(survey: Sequence[Level], *, several_roots: bool) -> Iterator[str]:
    if several_roots:
        yield f"its last level has {survey[-1].labels} labels: the column goes no further than these"
    idle = [
        number
        for number in range(1, len(survey))
        if survey[number].labels == survey[number - 1].labels and survey[number].labels > 1
    ]
    for _, run in groupby(enumerate(idle), lambda at: at[1] - at[0]):
        numbers = [number for _, number in run]
        if len(numbers) == 1:
            yield f"level {numbers[0]} changes nothing: it has as many labels as the level below"
        else:
            yield (
                f"levels {numbers[0]} to {numbers[-1]} change nothing: each has as many labels as "
                f"the level below"
            )
