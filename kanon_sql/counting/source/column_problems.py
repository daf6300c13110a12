"""Problems of a policy with the columns of its source or frequency set: missing names, types, and columns that link rows.

Repeated pseudonyms and stand-ins for the entity link rows. The engine counts everything: in a table of many rows a
sample of the people is searched, and columns that are suspicious there are counted in all rows.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.documents.shapes import suggestion
from kanon_sql.base.documents.text import clause, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source import exposed_rows
from kanon_sql.counting.source.exposed_rows import count_unique_rows, see_masked
from kanon_sql.counting.source.person_keys import NESTED, see_unique
from kanon_sql.engines.base import ColumnType, whole
from kanon_sql.engines.local_files import secret_in
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault
from kanon_sql.policy.policy_rules import JOINS_ROWS, possible_stand_ins, unlinked
from kanon_sql.policy.privacy.demands import (
    beside_others,
    demands,
    requirements,
    requirements_of_release,
    sensitive_attributes,
)
from kanon_sql.policy.safe_harbor import date_of_source
from kanon_sql.policy.standards import StandardName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.counting.source.text_files import ReadColumn
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.policy.model import Policy


WHOLE = re.compile(r"(DECIMAL|NUMERIC)\(\d+, *0\)", re.IGNORECASE)
COUNT = "kanon_rows"
"""The column of a frequency set with the count of rows of each tuple, unless the policy has that name."""


def count_column(policy: Policy) -> str:
    """Return the name of the column with the count of rows of each tuple."""
    taken, name, number = {each.name.casefold() for each in policy.columns}, COUNT, 1
    while name in taken:
        number += 1
        name = f"{COUNT}_{number}"
    return name


def counted_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns that a frequency set has to have, in the policy's order.

    They are the quasi-identifiers, the sensitive columns that models read, the entity and the target.
    """
    models = policy.privacy
    needed = {each.name for each in policy.quasi}
    required = (*requirements(models), *requirements_of_release(models))
    needed |= {each.column for each in sensitive_attributes(required)}
    needed |= set(beside_others(demands(models)))
    needed |= {each for each in (policy.entity, policy.search.target) if each is not None}
    return tuple(each.name for each in policy.columns if each.name in needed)


def columns_of_policy(policy: Policy, there: Sequence[ColumnType]) -> tuple[ColumnType, ...]:
    """Return every column of the policy, in order. Columns outside the frequency set get a text type.

    Warehouses export whole numbers as decimals without decimal places, so these are described as whole numbers.
    """
    types = {each.name: each for each in there}
    found = (types.get(each.name, ColumnType(each.name, "VARCHAR")) for each in policy.columns)
    return tuple(
        replace(each, type="HUGEINT") if WHOLE.fullmatch(each.type) else each for each in found
    )


def frequency_set_problems(policy: Policy, there: Sequence[ColumnType]) -> Iterator[Fault]:
    """List the columns that a frequency set lacks, and those that the policy does not classify."""
    found, count = {each.name for each in there}, count_column(policy)
    lacking = [each for each in (*counted_columns(policy), count) if each not in found]
    if lacking:
        what = (
            f"the frequency set has no column {joined(lacking)}; names are case-sensitive: export what "
            f"kanon-sql frequency-query prints for this policy"
        )
        yield policy.fault("source.frequency_set", what)
    for name in found - {each.name for each in policy.columns} - {count}:
        what = f"the frequency set has a column {name}, which the policy does not classify"
        yield policy.fault("source.frequency_set", what)


def repeated_tuples(run: Session, table: exp.Table, there: Sequence[ColumnType]) -> Iterator[Fault]:
    """List a fault if tuples repeat, as after two exports into one folder: their rows would count double."""
    names = [each.name for each in there if each.name != count_column(run.policy)]
    found = count_unique_rows(run.engine, table, names)
    if repeats := found.rows - found.unique:
        what = (
            f"{repeats:,} of {found.rows:,} tuples are there more than once, so that their rows would be counted more than "
            f"once: was the query exported twice into one folder? Export it once, to a new place"
        )
        yield run.policy.fault("source.frequency_set", what)


def frequency_set_notes(policy: Policy) -> Iterator[str]:
    """Note the released columns that a plan could not check, because its frequency set lacks them."""
    needed = counted_columns(policy)
    lacking = [
        each.name for each in policy.columns if each.name not in needed and not each.is_dropped
    ]
    if policy.source.frequency_set is not None and lacking:
        yield (
            f"{joined(lacking)}: released, and no part of the frequency set: whether such values identify people, or "
            f"link their rows, was not looked at"
        )


WHICH_KEY = "kanon-sql: which key"
DIGITS = 4
"""Digits of a key's hash in a plan: enough to notice a wrong key, too few to search for the key."""
UNCLASSIFIED = "is a column of the source that the policy does not classify"


def portability_problems(policy: Policy, columns: Iterable[ColumnType]) -> Iterator[Fault]:
    """List the columns whose texts differ between engines: they allow no portable hash."""
    for column in columns:
        if column.family in {"float", "other"}:
            what = f"is {column.type.split('(')[0]}, whose text differs between engines: no portable hash"
            yield policy.fault(f"columns.{column.name}", f"{what}; cast it in a query")


def no_column(name: str, there: Iterable[str]) -> str:
    return f"{name} is not a column of the source{suggestion(name, there)}"


def column_problems(
    policy: Policy, columns: tuple[ColumnType, ...], facts: Capabilities
) -> Iterator[Fault]:
    """List columns only in the policy or only in the source (case matters), and problems of types."""
    there = {column.name for column in columns}
    named = {column.name for column in policy.columns}
    if columns and named and not there & named:
        what = "has none of the policy's columns; does the file have a header line?"
        yield policy.fault("source", what)
        return
    for column in columns:
        if column.name not in named:
            yield policy.fault(f"columns.{column.name}", UNCLASSIFIED)
    for name in (column.name for column in policy.columns):
        if name not in there:
            what = f"is not a column of the source{suggestion(name, there - named)}"
            yield policy.fault(f"columns.{name}", what)
    if policy.about.standard is StandardName.HIPAA_SAFE_HARBOR:
        days = {
            each.name for each in columns if each.type.lower().startswith(("date", "timestamp"))
        }
        for each in policy.columns:
            why = date_of_source(each) if each.name in days else None
            if why is not None:
                yield policy.fault(f"columns.{each.name}", why)
    own = {each.name for each in policy.columns if each.missing}
    for name in (each.name for each in columns if each.name in own and nested(each)):
        what = (
            "is of a nested type, in which no text stands for a missing value; read it in a query"
        )
        yield policy.fault(f"columns.{name}.missing", what)
    yield from _type_problems(policy, columns, facts)


def _type_problems(
    policy: Policy, columns: tuple[ColumnType, ...], facts: Capabilities
) -> Iterator[Fault]:
    """List the columns whose names or types do not allow what the policy asks."""
    folded = {column.name.casefold() for column in columns}
    for quasi in policy.quasi:
        for name in quasi.released_as:
            if name != quasi.name and name.casefold() in folded:
                what = f"output: {quasi.output} would write {name}, which already exists"
                yield policy.fault(f"columns.{quasi.name}", what)
    for name in (name for column in policy.columns for name in (column.name, *column.released_as)):
        if (cut := name_too_long(facts, [name])) is not None:
            yield policy.fault(f"columns.{name}", cut)
    for column in columns:
        if "ENUM(" in column.type:
            what = "holds an ENUM inside a nested type, which lists its values; cast it in a query"
            yield policy.fault(f"columns.{column.name}", what)
    values = sensitive_attributes(requirements(policy.privacy))
    counted = [*(q.name for q in policy.quasi), *(each.column for each in values)]
    counted += [] if policy.entity is None else [policy.entity]
    for fault in tagged_type_problems(columns, counted):
        yield policy.fault(fault.where, fault.what)
    yield from _mask_problems(policy, columns)
    for direct in policy.columns:
        if direct.keyed and not pseudonym_secret(str(direct.key_env)):
            what = f"the environment variable {direct.key_env} must hold a key of 16 bytes or more"
            yield policy.fault(f"columns.{direct.name}.key_env", what)


def _mask_problems(policy: Policy, columns: Iterable[ColumnType]) -> Iterator[Fault]:
    """List the columns of a type that their mask does not take."""
    types = {column.name: column for column in columns}
    for each in policy.columns:
        if (found := types.get(each.name)) is None or each.mask is None:
            continue
        if (takes := each.mask.why_no_type(found.type, found.family)) is not None:
            what = f"is of type {found.type}, and action: {each.mask} takes {takes}: cast it in a query"
            yield policy.fault(f"columns.{each.name}.action", what)


def format_problems(policy: Policy, columns: Iterable[ColumnType]) -> Iterator[Fault]:
    """List the columns with a format whose type has no texts to be read: dates, times and nested values."""
    stated = {each.name for each in policy.columns if each.format is not None}
    for each in columns:
        if each.name in stated and each.family not in {"text", "integer", "decimal", "float"}:
            what = f"reads texts and numbers, and the column is of type {each.type}: leave it out"
            yield policy.fault(f"columns.{each.name}.format", what)


def unparsed_problems(policy: Policy, unread: Mapping[ReadColumn, int]) -> Iterator[Fault]:
    """List the columns that refuse texts which their format does not read, with the rows that have one."""
    for each, rows in unread.items():
        if each.keeps_others:
            what = (
                f"{clause(rows, 'row', 'have a text that no format of it reads')}: add a format, list the "
                f"text in missing, or say unparsed: null, which reads it as NULL"
            )
            yield policy.fault(f"columns.{each.column.name}", what)


def unparsed_warnings(unparsed: Mapping[str, int]) -> Iterator[str]:
    """Warn of each column in which texts are NULL because no format of it reads them."""
    for name, rows in unparsed.items():
        yield f"columns.{name}: {clause(rows, 'row', 'have a text that no format of it reads')}: NULL"


def nested(column: ColumnType) -> bool:
    """Return whether a column's type is nested, or one whose values some engine cannot compare."""
    other = column.family == "other" and not column.enum
    return column.tagged or (other and NESTED.search(column.type) is not None)


WRITTEN_ONE_WAY = frozenset({"text", "integer", "date"})
"""Families whose values a text file writes as a database does; a float of 70 is `70` there and `70.0` here."""


def types_apart(
    columns: Sequence[ColumnType], others: Sequence[ColumnType], names: Iterable[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield the columns whose equal values may have different texts in two tables, with the family of each.

    What compares values by their texts would find too few equal ones, and a risk that is too low.
    """
    own = {column.name: column.family for column in columns}
    known = {column.name: column.family for column in others}
    for name in names:
        kinds = {own[name], known[name]}
        if len(kinds) > 1 and not ("text" in kinds and kinds <= WRITTEN_ONE_WAY):
            yield name, own[name], known[name]


def tagged_type_problems(columns: Sequence[ColumnType], counted: Iterable[str]) -> Iterator[Fault]:
    """List the `counted` columns whose values each carry a type that their text does not show.

    Rows that a reader can distinguish by that type would be in one class.
    """
    tagged = {column.name for column in columns if column.tagged}
    for name in dict.fromkeys(counted):
        if name in tagged:
            what = "is of type UNION or VARIANT, whose values differ where their texts do not; cast it in a query"
            yield Fault(f"columns.{name}", what)


def name_too_long(facts: Capabilities, names: Iterable[str]) -> str | None:
    """Say that a database would truncate one of the names, creating another name; None if not."""
    longest = facts.longest_name
    if longest is None or all(len(name.encode()) <= longest for name in names):
        return None
    return f"{facts.name} cuts names at {longest} bytes; use a shorter one"


def pseudonym_secret(key_env: str) -> bytes | None:
    """Return the secret key of an environment variable, if it has at least 16 bytes."""
    key = secret_in(key_env) or b""
    return key if len(key) >= 16 else None


def key_check(key_env: str) -> str:
    """Return the first digits of a hash under an environment variable's key, to detect another key."""
    return hmac.new(pseudonym_secret(key_env) or b"", WHICH_KEY.encode(), "sha256").hexdigest()[
        :DIGITS
    ]


SAMPLE = 20_000
"""The rows of a larger table that are searched, about: all rows of a sample of people."""
MOST_COLUMNS = 12
"""The most columns whose pairs are searched: those with the most repeated values."""
EXPOSED = 20
"""A refusal needs one in so many people with several rows to have a repeated value that others lack."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Columns whose values may join the rows of one person, with the counts that show it.

    Of `several` people with several rows, `people` have a value that is in several of their rows and in nobody else's.
    Of the `repeated` values, `own` are of one person. A `sampled` count is of a sample of people, with all their rows.
    """

    columns: tuple[str, ...]
    repeated: int
    own: int
    people: int
    several: int
    sampled: bool = False

    @property
    def links(self) -> bool:
        """Whether a release is refused: joins by equal values are mostly right, and expose enough people."""
        return (
            self.people > 0
            and 2 * self.own > self.repeated
            and EXPOSED * self.people >= self.several
        )

    @property
    def is_told(self) -> bool:
        """Whether there is only a warning: enough people are exposed, but at most half of the joins are right."""
        return EXPOSED * self.people >= self.several and self.people > 0 and not self.links

    def __str__(self) -> str:
        """Return the counts in words for a message.

        >>> print(StandIn(("uid",), 200, 200, 200, 200))
        of 200 people with several rows, 200 have a value that is in several of their rows and in nobody else's; of the values in several rows, 100% are one person's
        """
        what = "a value that is" if len(self.columns) == 1 else "values that are together"
        sample = " in a sample of all people" if self.sampled else ""
        return (
            f"of {self.several:,} people with several rows{sample}, {self.people:,} have {what} in several of their rows and in "
            f"nobody else's; of the values in several rows, {self.own / self.repeated:.0%} are one person's"
        )


def linking_problems(run: Session, opened: OpenSource) -> Iterator[Fault]:
    """List the columns that would join a person's rows: repeated pseudonyms, and stand-ins for the entity."""
    policy = run.policy
    hashed = [column.name for column in unlinked(policy)]
    if hashed:
        statement = source_sql.count_repeats(opened.table, hashed, rows=opened.rows)
        for name, repeats in zip(hashed, run.engine.fetch_counts(statement), strict=True):
            if repeats:
                what = f"{clause(repeats, 'row', 'repeat a value')}: equal values would share a pseudonym, {JOINS_ROWS}"
                yield policy.fault(f"columns.{name}", what)
    for each in opened.stand_ins:
        if each.links:
            first, *second = each.columns
            beside = f"together with {joined(second)} " if second else ""
            drop = "drop one of them" if second else "drop it"
            what = (
                f"{beside}stands in for {policy.entity}, and links all rows of a person: {each}. Such a set of rows can be "
                f"unique whatever k is; {drop} (role: identifying, action: drop), make it coarser in a query, or accept "
                f"it by linkable: accept"
            )
            yield policy.fault(f"columns.{first}", what)


def find_stand_ins(run: Session, opened: OpenSource) -> tuple[StandIn, ...]:
    """Count the people whom each released column, and each pair, would expose like the hidden entity.

    Returns every single column, and the pairs that are refused. Counts that refuse a release are of all rows.
    """
    names = possible_stand_ins(run.policy)
    if run.policy.source.frequency_set is not None:
        names = [name for name in names if name in counted_columns(run.policy)]
    if not names:
        return ()
    table = see_masked(run, see_unique(run, opened), opened.columns)
    rows = opened.tuples.size
    parts = max(1, -(-rows // SAMPLE))
    alone = _count(run, table, [(name,) for name in names], parts=parts, rows=rows)
    if parts > 1:
        alone = _counted_whole(run, table, alone, rows=rows)
    left = [each for each in alone if not each.links and each.repeated > 1]
    most = sorted(left, key=lambda each: -each.repeated)[:MOST_COLUMNS]
    left = [each for each in left if each in most]
    pairs = [
        (*first.columns, *second.columns)
        for first, second in combinations(left, 2)
        # The product is the most repeated values that a pair can have.
        if EXPOSED * first.repeated * second.repeated >= max(first.several, second.several)
    ]
    together = _count(run, table, pairs, parts=parts, rows=rows) if pairs else []
    together = [each for each in together if each.links]
    if parts > 1:
        together = _counted_whole(run, table, together, rows=rows)
    return (*alone, *(each for each in together if each.links))


def _count(
    run: Session, table: exp.Table, sets: Sequence[tuple[str, ...]], *, parts: int, rows: int
) -> list[StandIn]:
    quasi = [each.name for each in run.policy.quasi]
    statement = exposed_rows.stand_ins(
        table, str(run.policy.entity), quasi, sets, parts=parts, rows=rows
    )
    found = {
        number: counts
        for number, *counts in (map(whole, row) for row in run.engine.fetch(statement))
    }
    several = found.get(0, [0])[0]
    return [
        StandIn(columns, repeated, own, people, several, sampled=parts > 1)
        for number, columns in enumerate(sets, start=1)
        for repeated, own, people in [found.get(number, [0, 0, 0])]
    ]


def _counted_whole(
    run: Session, table: exp.Table, found: Sequence[StandIn], *, rows: int
) -> list[StandIn]:
    """Recount in all rows what the sample would refuse: people outside may have the same values."""
    suspicious = [each.columns for each in found if each.links]
    if not suspicious:
        return list(found)
    again = {each.columns: each for each in _count(run, table, suspicious, parts=1, rows=rows)}
    return [again.get(each.columns, each) for each in found]
