"""Profiles of columns as their texts are read: without words and codes for a missing value, by the formats that are found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.column_profiles import profile_columns
from kanon_sql.apps.getting_started.missing_codes import find_missing_codes
from kanon_sql.apps.getting_started.role_names import rule_of
from kanon_sql.apps.getting_started.written_columns import as_before, find_written
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.person_keys import folded, unique_counts
from kanon_sql.counting.source.text_files import ReadColumn, count_missing_entries, read_texts
from kanon_sql.policy.model import Role
from kanon_sql.recoding.linked_rows import spelled_missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.clean_source import Cure
    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.written_columns import WrittenColumn
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.person_keys import ValueCounts
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.recoding.linked_rows import Spelled

MANY_VALUES = 1000
"""Distinct values in a sample above which those of the table are estimated; fewer are nearly all in the sample."""
SAY_NOTHING_IS_THERE = frozenset({"none", "nil", "not applicable"})
"""Texts that say in a sensitive column that a person has none of what it names, and in others that a value is missing."""
OFTEN = 0.02
"""The least share of rows that have such a text as a value: programs seldom write it for a missing one."""


@dataclass(frozen=True, slots=True)
class ReadProfiles:
    """What the texts of columns say as they are read: words and codes for a missing value, formats, and profiles."""

    missing: dict[str, Spelled]
    written: dict[str, WrittenColumn]
    profiles: dict[str, ColumnProfile]

    def leave(self, name: str, profile: ColumnProfile) -> None:
        """Read the texts of a column as they are written."""
        self.missing.pop(name, None)
        self.written.pop(name, None)
        self.profiles[name] = profile


def read_profiles(
    run: Session,
    table: exp.Table,
    columns: Sequence[ColumnType],
    profiles: Mapping[str, ColumnProfile],
) -> ReadProfiles:
    """Find words for a missing value, formats of what is left, and codes for a missing value among what these read."""
    missing = _words_for_missing(run, table, columns, profiles)
    known = _profiled_without(run, table, missing, profiles)
    own = [known[each.name] for each in columns]
    written, codes = find_written(run, see_read(run, table, missing, {}), own)
    known.update({name: of.profile for name, of in written.items() if not of.is_open})
    for name in {*codes, *(each for each, of in written.items() if of.is_open)}:
        known[name] = replace(known[name], numbers=0, fractions=0, spread=None)
    read = see_read(run, table, missing, written)
    found = find_missing_codes(run, table, read, [known[each.name] for each in columns], written)
    for name, (texts, rows) in found.items():
        words, before = missing.get(name, ((), 0))
        missing[name] = ((*words, *texts), before + rows)
        if name in written:
            written[name] = replace(written[name], present=written[name].present - rows)
    again = {name: known[name] for name in found}
    after = _profiled_without(run, table, {name: missing[name] for name in found}, again, written)
    known.update({name: as_before(each, known[name]) for name, each in after.items()})
    return ReadProfiles(missing, written, known)


def _words_for_missing(
    run: Session,
    table: exp.Table,
    columns: Sequence[ColumnType],
    profiles: Mapping[str, ColumnProfile],
) -> dict[str, Spelled]:
    """Find the texts that stand for a missing value; none is a value of a sensitive column that often has it: no disease."""
    found = spelled_missing(run.engine, table, columns)
    asked = [
        ReadColumn(each, (text,))
        for each in columns
        if (rule := rule_of(folded(each.name))) is not None and rule.role is Role.SENSITIVE
        for text in found.get(each.name, ((), 0))[0]
        if text.strip().lower() in SAY_NOTHING_IS_THERE
    ]
    if not asked:
        return found
    counts = run.engine.fetch_counts(count_missing_entries(table, asked))
    for read, rows in zip(asked, counts, strict=True):
        name, (texts, before) = read.column.name, found[read.column.name]
        if rows >= OFTEN * profiles[name].rows:
            others = tuple(text for text in texts if text not in read.missing)
            found[name] = (others, before - rows)
    return {name: each for name, each in found.items() if each[0]}


def read_again(
    run: Session, table: exp.Table, found: ReadProfiles, cures: Mapping[str, Cure]
) -> dict[str, ColumnProfile]:
    """Look at the cured columns of a clean table; return their profiles with the words for a missing value in them.

    The codes for a missing value are NULL there: only numbers have both, and their cures leave them out.
    """
    cured = [each for each in run.engine.columns(table) if each.name in cures]
    profiles = {each.name: each for each in profile_columns(run.engine, table, cured)}
    words = _words_for_missing(run, table, cured, profiles)
    for name in cures:
        found.missing.pop(name, None)
    found.missing.update(words)
    found.profiles.update(_profiled_without(run, table, words, profiles))
    return profiles


def see_read(
    run: Session,
    table: exp.Table,
    missing: Mapping[str, Spelled],
    written: Mapping[str, WrittenColumn],
) -> exp.Table:
    """Return a view of a table with NULL for texts that stand for a missing value, and others as their formats read them."""
    if not missing and not written:
        return table
    view = run.scratch.table("read")
    described = [
        ReadColumn(
            each,
            missing[each.name][0] if each.name in missing else (),
            written[each.name].decided if each.name in written else None,
            keeps_others=False,
        )
        for each in run.engine.columns(table)
    ]
    run.see(view, read_texts(view, table, described))
    return view


def _profiled_without(
    run: Session,
    table: exp.Table,
    missing: Mapping[str, Spelled],
    profiles: Mapping[str, ColumnProfile],
    written: Mapping[str, WrittenColumn] | None = None,
) -> dict[str, ColumnProfile]:
    """Profile the columns with `missing` texts anew, with NULL for these; keep the profiles of the others."""
    if not missing:
        return dict(profiles)
    view = see_read(run, table, missing, written or {})
    own = [each for each in run.engine.columns(view) if each.name in missing]
    found = {each.name: each for each in profile_columns(run.engine, view, own)}
    return {name: found.get(name, each) for name, each in profiles.items()}


def values_of_all(
    engine: Engine, whole_table: exp.Table, profiles: Sequence[ColumnProfile], parts: int
) -> tuple[dict[str, ValueCounts], dict[str, int]]:
    """Count the values of columns that have many in a sample, and return the number of values of every column.

    Few values are nearly all in the sample.
    """
    profiles = [each for each in profiles if each.kind != "nested"]
    many = [each.name for each in profiles if each.values > MANY_VALUES]
    counts = unique_counts(engine, whole_table, many, parts=parts)
    of_all = {name: each.values * parts for name, each in counts.items()}
    return counts, {each.name: of_all.get(each.name, each.values) for each in profiles}


def counted_among_all(
    run: Session,
    whole_table: exp.Table,
    looked: ReadProfiles,
    counts: Mapping[str, ValueCounts],
    *,
    all_rows: int,
    parts: int,
) -> dict[str, ColumnProfile]:
    """Estimate distinct values and unique rows of a sample's columns from all rows: a sample has more unique ones.

    One of so many parts of the values was counted with all its rows, and is scaled to the sample's size.
    """
    counts = dict(counts)
    if again := [name for name in counts if name in looked.missing]:
        texts = see_read(run, whole_table, looked.missing, {})
        counts |= unique_counts(run.engine, texts, again, parts=parts)
    # Dates have one text a day or more: the sample counts them. A number has one text.
    profiles = [
        each
        for name, each in looked.profiles.items()
        if name in counts and each.values > 1 and not (name in looked.written and each.is_date)
    ]
    found = {}
    for each in profiles:
        of_all, values = counts[each.name], each.values
        if values > MANY_VALUES and of_all.values * parts > 1.05 * values:
            values = round(each.rows * min(1, of_all.values * parts / all_rows))
        unique = round(of_all.unique * parts / all_rows * each.rows)
        found[each.name] = replace(each, values=values, unique=min(each.present, unique))
    return found
