"""The first line of `risk` and `attack`: one sentence that says how much is exposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted, decimal_text, listed

if TYPE_CHECKING:
    import kanon_sql
    from kanon_sql.evidence.reidentification.column_sets import ColumnSet


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
