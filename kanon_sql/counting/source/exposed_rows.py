"""Rows and people that are exposed although classes are large: unique rows, and classes of few people.

The engine counts rows, of a source whose columns are masked as in its release. Values are compared by the bytes of their
texts, as a reader of a release compares them.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

from sqlglot import exp

from kanon_sql.base.documents.records import Unwritten
from kanon_sql.base.documents.shapes import check
from kanon_sql.base.documents.text import counted, joined, listed, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import code, column, literal, name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source import person_keys
from kanon_sql.counting.source.person_keys import NESTED, part_of, see_unique, unique_counts
from kanon_sql.counting.source.text_files import NUMBERS
from kanon_sql.engines.base import EQUAL_AS_TEXTS
from kanon_sql.engines.base import whole as whole_number
from kanon_sql.engines.commands_sql import key_variables
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.mask import CELLS, looked_up, tag_of
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.counting.source.person_keys import PersonKey
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.policy.mask import Mask, Steps
    from kanon_sql.policy.model import Column, Policy

    Tabulated = Mapping[str, Mapping[int, exp.Table]]
    """The table of each turn of a mask whose keyed numbers were computed before, by column."""


SAMPLE = 10_000
"""Rows by which it is seen how many digits a column has."""


def masked_columns(policy: Policy) -> list[Column]:
    """Return the columns whose cells a mask computes from their own row."""
    return [each for each in policy.columns if each.mask is not None and each.mask.fragment]


def masked_rows(
    source: object,
    policy: Policy,
    columns: Sequence[ColumnType],
    *,
    keyless: bool = False,
    tabulated: Tabulated | None = None,
) -> Statement | None:
    """Return the query of a source with its masked columns, all others as they are; None if no column is masked so.

    With `keyless`, columns that are masked with a key are as they are too. `tabulated` has a column's numbers that were
    computed before.

    Columns keep their names and their order. Masks read the values of the source: a column that another mask reads may
    be masked itself.
    """
    masked = {each.name: each for each in masked_columns(policy) if not (keyless and each.keyed)}
    hashed = {each.name: each for each in policy.columns if each.name in (tabulated or ())}
    masked = {**hashed, **masked}
    if not any(each.name in masked for each in columns):
        return None
    free = _prefix(each.name for each in columns)
    described: list[dict[str, object]] = []
    every: list[Steps] = []
    for number, each in enumerate(columns):
        entry: dict[str, object] = {"from": column(each.name, of="s"), "as": name(each.name)}
        own = masked.get(each.name)
        if own is None or own.mask is None:
            described.append({**entry, "mask": None})
            continue
        if tabulated and (cells := tabulated.get(each.name, {}).get(CELLS)):
            steps, cell = looked_up(f"{free}{number}", each, cells)
            every.append(steps)
            described.append({**entry, "from": cell, "mask": None})
            continue
        keys: dict[str, object] = of_key(own)
        if tabulated and each.name in tabulated:
            keys["tabulated"] = tabulated[each.name]
        steps, read = own.mask.steps(f"{free}{number}", own, keys)
        every.append(steps)
        if own.mask.fragment is None:  # its hash is beside it
            described.append({**entry, "mask": None})
            entry = {"from": read["hash"], "as": name(_hash_of(columns, each.name))}
        described.append(
            {
                **entry,
                "mask": own.mask.fragment,
                "short": each.is_short,
                **own.mask.leaves(each.family),
                **read,
            }
        )
    together = [[one for of in at for one in of] for at in zip_longest(*every, fillvalue=())]
    leaves = {"rows": table("kanon_masked"), "source": source, "columns": described}
    return Statement("source/masked_rows", {**leaves, "steps": together})


def _hash_of(columns: Sequence[ColumnType], named: str) -> str:
    number = next(n for n, each in enumerate(columns) if each.name == named)
    return f"{_prefix(each.name for each in columns)}{number}_hash"


def read_hash(columns: Sequence[ColumnType], named: str) -> exp.Column:
    """Return the column of a masked query that has the tabulated hash of one of these columns."""
    return column(_hash_of(columns, named), of="s")


def of_key(masked: Column) -> dict[str, object]:
    """Return the leaves that name the session's padded keys for a column, with the tag of its domain."""
    inner, outer = map(literal, key_variables(str(masked.key_env)))
    tag = tag_of(masked.domain)
    return {"inner": inner, "outer": outer, "tag": None if tag is None else literal(tag)}


def count_lengths(source: exp.Table, named: str) -> Statement:
    """Count the rows of a sample that have so many digits in a column."""
    own = column(named, of="s")
    return Statement("source/count_lengths", {"source": source, "from": own, "rows": SAMPLE})


def tabulated_rounds(
    table: exp.Table, masked: Column, mask: Mask, found: Sequence[tuple[int, int, int]]
) -> Statement:
    """Compute the numbers of rounds, each of a turn, of so many digits, and for all numbers of so many places."""
    rounds = [
        {"turn": mask.turn(turn), "length": literal(length), "many": literal(10**places)}
        for turn, length, places in found
    ]
    leaves = {"tabulated": table, "rounds": rounds, "purpose": literal(str(mask.purpose))}
    return Statement("source/tabulated_rounds", {**leaves, **of_key(masked)})


def tabulated_hashes(table: exp.Table, source: exp.Table, masked: Column) -> Statement:
    """Compute the pseudonym of each value of a column."""
    leaves = {"tabulated": table, "source": source, "from": column(masked.name, of="s")}
    return Statement("source/tabulated_hashes", {**leaves, **of_key(masked)})


def _prefix(names: Iterable[str]) -> str:
    """Return what no column's name begins with, for the columns of steps beside them."""
    folded = [each.casefold() for each in names]
    prefix = "mask_"
    while any(each.startswith(prefix) for each in folded):
        prefix += "_"
    return prefix


def see_masked(run: Session, table_: exp.Table, columns: Sequence[ColumnType]) -> exp.Table:
    """Return a view of a table's rows as readers see them: with the masks that need no key, or the table itself."""
    masked = masked_rows(table_, run.policy, columns, keyless=True)
    if masked is None:
        return table_
    view = run.scratch.table("masked")
    run.see(view, Statement("source/see_masked", {"view": view, "masked": masked}))
    return view


def write_masked(
    run: Session, table_: exp.Table, columns: Sequence[ColumnType], *, keyless: bool = True
) -> exp.Table:
    """Write these columns as readers see them, so that several counts compute each mask once; or return the table itself.

    `keyless`, masks with a key are left out, as in `see_masked`.
    """
    masked = masked_rows(table_, run.policy, columns, keyless=keyless)
    if masked is None:
        return table_
    rows = run.scratch.table("masked_cells")
    run.see(rows, replace(masked, leaves={**masked.leaves, "rows": rows}))
    return rows


FEW = 1_000_000
"""Rows that 64 bits of a hash tell apart."""


def unique_rows(
    source: exp.Table,
    columns: Sequence[str],
    *,
    parts: int = 1,
    rows: int | None = None,
    codes: Collection[str] = (),
) -> Statement:
    """Count rows, and those that no other row equals in some columns: of all, or of one of so many parts by a hash.

    Without the number of `rows` the count is exact on DuckDB and PostgreSQL; with it, rows may be told apart by hashes.
    """
    described = [(code if text in codes else column)(text, of="s") for text in columns]
    few = parts == 1 and rows is not None and rows <= FEW
    leaves = {"source": source, "columns": described, "few": few, "parts": part_of(parts)}
    leaves["exact"] = rows is None
    return Statement("source/counts/count_unique_rows", leaves)


def few_people(table: exp.Table, quasi: Sequence[str], key: str, *, k: int) -> Statement:
    """Count the classes of at least k rows, those that hold fewer people than k, and those that hold one."""
    leaves = {
        "table": table,
        "quasi": [column(text, of="t") for text in quasi],
        "person": column(key, of="t"),
        "k": literal(k),
    }
    return Statement("source/counts/count_few_people", leaves)


def stand_ins(
    source: exp.Table,
    person: str,
    quasi: Sequence[str],
    sets: Sequence[Sequence[str]],
    *,
    parts: int = 1,
    rows: int = 0,
) -> Statement:
    """Count, of one or two columns, the values that repeat, those that one person alone has, and these people.

    Set 0 is the person: of these all who have several rows. One of `parts` of all people is looked at.
    """
    columns = list(dict.fromkeys(text for each in sets for text in each))
    numbered = [
        {
            "number": n,
            "first": columns.index(first) + 1,
            "second": columns.index(second[0]) + 1 if second else 0,
        }
        for n, (first, *second) in enumerate(sets, start=1)
    ]
    leaves = {
        "source": source,
        "person": column(person, of="s"),
        "quasi": [column(text, of="s") for text in quasi],
        "columns": [column(text, of="s") for text in columns],
        "sets": [{"number": 0, "first": 0, "second": 0}, *numbered],
        "parts": parts,
    }
    return Statement("source/counts/count_stand_ins", leaves, scans=rows)


MOST_ROWS = 1_000_000
"""The most rows of which `plan`, `anonymize` and `apply` count all, and of more a part. `lint`, `verify` and `certify` count all."""
MOST_RELEASED = 250_000
"""The most rows of a release that `apply` and a report count over all columns: by so many, a share is known to 0.2 %."""
MOST_OF_ONE = 100_000
"""The most rows for counts of single columns with the quasi-identifiers, where rough shares suffice."""
SAMPLED = 20_000
"""Rows by which it is seen first which columns could be unique."""
RELEASED = (Role.SENSITIVE, Role.INSENSITIVE)


@dataclass(frozen=True, slots=True)
class UniqueOverAll:
    """The count of rows that are unique over all released columns, without pseudonyms and persons' keys.

    It is counted for releases with several columns besides the quasi-identifiers: a reader who knows one of these
    columns learns the others of a unique row. With a single such column, there is nothing more to learn. `by` lists the
    columns that make most of these rows unique, each with the quasi-identifiers alone, if they were looked for, and `beside`
    all columns besides the quasi-identifiers, if these are known. `alone` has the share of rows that each of them makes
    unique with the quasi-identifiers, the largest first.
    For a larger table of `of` rows, `rows` counts one part of it, by a hash of whole rows. The `unique` rows of that
    part are unique in the whole table.
    """

    over: tuple[str, ...]
    rows: int
    unique: int
    of: int | None = None
    by: Annotated[tuple[str, ...], Unwritten] = field(default=(), compare=False)
    beside: Annotated[tuple[str, ...], Unwritten] = field(default=(), compare=False)
    alone: Annotated[tuple[tuple[str, float], ...], Unwritten] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        check(("unique", self.unique <= self.rows, "must be at most rows"))

    @property
    def nearly_all(self) -> bool:
        """Whether at least nine tenths of the rows are unique: only then there is a warning.

        Many rows of any release are unique, because sensitive values should differ within a class.
        """
        return self.unique > 0 and 10 * self.unique >= 9 * self.rows

    @property
    def sentence(self) -> str:
        """Say how many rows are unique, and by which columns.

        >>> UniqueOverAll(("age", "ward", "cost"), 2000, 800, beside=("ward", "cost")).sentence
        '800 of 2,000 rows are unique by ward and cost beside the quasi-identifiers'
        """
        share = f"{self.unique:,} of {counted(self.rows, 'row')}"
        if self.of is not None:
            percent = round(100 * self.unique / max(self.rows, 1))
            share = (
                f"about {percent} % of {counted(self.of, 'row')} (counted by {self.rows:,} of them)"
            )
        beside = " beside the quasi-identifiers" if self.beside else " together"
        return f"{share} are unique by {listed(self.beside or self.over)}{beside}"

    def __str__(self) -> str:
        """Return the text of a warning: the share of unique rows, the columns that make them so, and what to do.

        >>> print(UniqueOverAll(("age", "ward", "cost"), 2000, 1900, beside=("ward", "cost")))
        1,900 of 2,000 rows are unique by ward and cost beside the quasi-identifiers: whoever knows these values of a person finds the row, whatever k is; if somebody could, make them quasi-identifiers, drop them, or make them coarser in a query
        >>> print(UniqueOverAll(("age", "ward", "cost"), 1000, 950, of=2000, beside=("ward", "cost")))
        about 95 % of 2,000 rows (counted by 1,000 of them) are unique by ward and cost beside the quasi-identifiers: whoever knows these values of a person finds the row, whatever k is; if somebody could, make them quasi-identifiers, drop them, or make them coarser in a query
        >>> print(UniqueOverAll(("age", "ward", "cost"), 2000, 1900, by=("cost",), beside=("ward", "cost")))
        1,900 of 2,000 rows are unique by ward and cost beside the quasi-identifiers, most of them by cost alone: whoever knows these values of a person finds the row, whatever k is; if somebody could, make cost a quasi-identifier, drop it, or make it coarser in a query
        """
        alone = ""
        if self.by:
            alone = (
                f", most of them by {listed(self.by)} {'alone' if len(self.by) == 1 else 'each'}"
            )
        if shares := [f"{name} {share:.0%}" for name, share in self.alone if name in self.by]:
            alone = f"{alone} ({', '.join(shares)})"
        make, them = "make them quasi-identifiers", "them"
        if len(self.by) == 1:
            make, them = f"make {self.by[0]} a quasi-identifier", "it"
        return (
            f"{self.sentence}{alone}: whoever knows these values of a person finds the row, whatever "
            f"k is; if somebody could, {make}, drop {them}, or make {them} coarser in a query"
        )


@dataclass(frozen=True, slots=True)
class FewPeople:
    """Of the `classes` with at least k rows, `few` hold fewer than k people, and `of_one` a single person."""

    column: str
    k: int
    classes: int
    few: int
    of_one: int

    def __str__(self) -> str:
        """Return the text of a warning: the counts, and the column by which people were counted.

        >>> print(FewPeople("mrn", 5, 2850, 161, 4))
        161 of 2,850 classes of at least 5 rows hold fewer than 5 people (4 hold one), counted by mrn, the key of a person: write entity: mrn
        """
        one = "1 holds" if self.of_one == 1 else f"{self.of_one:,} hold"
        return (
            f"{self.few:,} of {self.classes:,} classes of at least {counted(self.k, 'row')} {'holds' if self.few == 1 else 'hold'} fewer than "
            f"{self.k:,} people ({one} one), counted by {self.column}, the key of a person: write entity: {_quoted(self.column)}"
        )


def plain_columns(policy: Policy) -> list[str]:
    """Return the columns whose values readers can tell apart, beside the quasi-identifiers and without the entity."""
    return [c.name for c in policy.columns if c.shows_values and c.name != policy.entity]


def linked_by_all(policy: Policy) -> list[str]:
    """Return the columns over which unique rows are counted, which somebody could know; none if at most one is no label."""
    made_up = {each.name for each in policy.columns if each.mask is not None and each.mask.made_up}
    plain = [each for each in plain_columns(policy) if each not in made_up]
    return [*(n for q in policy.quasi for n in q.released_as), *plain] if len(plain) > 1 else []


def scalar(columns: Iterable[ColumnType]) -> list[ColumnType]:
    """Return the columns without nested types: their values can be counted on every engine."""
    return [each for each in columns if NESTED.search(each.type) is None]


def count_unique_rows(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[str],
    *,
    most: int | None = None,
    rows: int | None = None,
    codes: Collection[str] = (),
    quasi: Sequence[str] = (),
) -> UniqueOverAll:
    """Count rows, and the rows that are unique over some columns.

    In a table of more than `most` rows, about so many are counted: those of one part, by a hash. A row counts as
    unique if it is unique in the whole table, which has `rows` rows. If nearly all are unique, and `quasi` is given,
    each other column is counted with `quasi` alone, in still fewer rows. Numbers and dates are compared by value, in a
    sixth of the time that their texts take.
    """
    by_value = {*codes, *(c.name for c in engine.columns(table) if c.family in EQUAL_AS_TEXTS)}

    def parts_in(most: int | None) -> int:
        return 1 if rows is None or most is None else person_keys.parts_of(rows, most)

    def count(over: Sequence[str], parts: int) -> UniqueOverAll:
        statement = unique_rows(table, over, parts=parts, rows=rows, codes=by_value)
        found_rows, unique = engine.fetch_counts(statement)
        return UniqueOverAll(tuple(over), found_rows, unique, of=None if parts == 1 else rows)

    others = [text for text in columns if text not in quasi]
    found = replace(count(columns, parts_in(most)), beside=tuple(others) if quasi else ())
    if not quasi or not found.nearly_all:
        return found
    unique = Fraction(found.unique, max(found.rows, 1))
    fewer = parts_in(None if most is None else min(most, MOST_OF_ONE))
    alone = {text: count([*quasi, text], fewer) for text in others}
    by = [t for t, each in alone.items() if 2 * Fraction(each.unique, max(each.rows, 1)) > unique]
    shares = [(text, each.unique / max(each.rows, 1)) for text, each in alone.items()]
    shares.sort(key=lambda each: -each[1])
    return replace(found, by=tuple(by), alone=tuple(shares))


def count_few_people(
    engine: Engine, table: exp.Table, quasi: Sequence[str], key: str, *, k: int
) -> FewPeople:
    """Count the classes of at least k rows that hold fewer than k people; `key` is the key of a person."""
    found = engine.fetch_counts(few_people(table, quasi, key, k=k))
    return FewPeople(key, k, *found)


def _suppressed_before(run: Session, opened: OpenSource) -> Iterator[str]:
    """Warn of rows in which every quasi-identifier is the suppression label: they count as a class."""
    kinds = {each.name: each for each in opened.columns}
    names = [each.name for each in run.policy.quasi]
    if not all(kinds[name].family == "text" for name in names):
        return
    table, weight, rows = opened.tuples
    if weight is not None:
        return
    view = run.scratch.table("not_suppressed")
    run.see(view, source_sql.without_suppressed(view, table, names, ROOT))
    found = rows - run.engine.fetch_count(source_sql.count_rows(view))
    run.scratch.drop(view)
    if found:
        differ = [exp.NullSafeNEQ(this=column(name), expression=literal(ROOT)) for name in names]
        met = printable(exp.or_(*differ).sql(dialect=run.engine.dialect))
        yield (
            f"source: {found:,} of {counted(rows, 'row')} ha{'s' if found == 1 else 've'} {ROOT} in every quasi-identifier: "
            f"suppressed before? Here they are an equivalence class of their own; leave them out by where: {met}"
        )


def _codes(run: Session, opened: OpenSource) -> Iterator[str]:
    """Warn of codes such as 999 that may stand for missing values in numeric sensitive columns."""
    kinds = {each.name: each.family for each in opened.columns}
    sensitive = [each.name for each in run.policy.with_role(Role.SENSITIVE)]
    names = [each for each in sensitive if kinds[each] in NUMBERS]
    if not names:
        return
    table, weight, _ = opened.tuples
    for number, found, rows, all_rows in run.engine.fetch(
        source_sql.count_codes(table, names, weight)
    ):
        written = int(float(str(found)))  # of our own list
        yield (
            f"columns.{names[whole_number(number)]}: {written} stands apart from all other values and is in "
            f"{whole_number(rows):,} of {counted(whole_number(all_rows), 'row')}: a code for a missing value? It counts as a "
            f"value; say missing: [{written}], which reads it as NULL"
        )


def identity_warnings(
    run: Session,
    opened: OpenSource,
    key: PersonKey | None,
    *,
    whole: bool,
    sample: exp.Table | None = None,
) -> Iterator[str]:
    """Warn of released or counted values that identify people. With `whole`, count in all rows.

    What a `sample` of the rows repeats is not counted in all: a unique value is unique in any sample.
    """
    policy = run.policy
    rows = opened.rows
    parts = 1 if whole else person_keys.parts_beyond(rows, MOST_ROWS)
    if key is not None:
        yield (
            f"entity: row counts rows, but {key.name} looks like the key of a person: {key.repeated:,} of "
            f"its {key.values:,} values are in several of {rows:,} rows{key.sampled}, so that a class of k rows "
            f"can hold fewer people; write entity: {_quoted(key.name)}"
        )
    for each in opened.stand_ins:
        if each.is_told:
            yield (
                f"columns.{each.columns[0]}: its values link rows of people, though {policy.entity} is not released: "
                f"{each}"
            )
    yield from _suppressed_before(run, opened)
    yield from _codes(run, opened)
    keyed = {each.name for each in policy.columns if each.keyed}  # counted in the release
    plain = [name for name in plain_columns(policy) if name not in keyed]
    released = [each.name for each in scalar(opened.columns) if each.name in plain]
    if any(c.name == policy.entity and c.role in RELEASED for c in policy.columns):
        joins = "it joins all rows of a person, and such a set of rows can be unique whatever k is; drop it"
        finds = "whoever knows its value for a person finds all rows of theirs; say action: hash, or use it"
        why = f"{finds} only where nobody does" if policy.signature else joins
        yield f"columns.{policy.entity}: is the entity and is released as it is: {why}"
    readable = [each for each in opened.columns if each.name in released]
    table_ = see_unique(run, opened)
    several = sample if rows >= 5 * SAMPLED else None
    likely, telling = _likely_unique(run, several, readable, rows)
    seen = write_masked(run, table_, [each for each in readable if each.name in likely])
    unique = unique_columns(run.engine, seen, likely, parts=parts) if likely else {}
    estimated = "" if parts == 1 else f" (estimated by one of {parts:,} parts of its values)"
    for identifier, of in unique.items():
        yield (
            f"columns.{identifier}: is released {_as(policy, identifier)}, and its value is unique in {of:,} of {rows:,} "
            f"rows{estimated}: it links each of them back to its origin; drop it, or make it coarser in a query"
        )
    others = [name for name in released if name not in unique]
    if len(others) > 1 and telling is not None:
        most = None if parts == 1 else -(-rows // parts)
        every = seen if likely == released else see_masked(run, table_, readable)
        over = [name for name in others if name in telling] or others
        found = count_unique_rows(run.engine, every, over, most=most, rows=rows)
        if over != others and found.unique < found.rows:
            found = count_unique_rows(run.engine, every, others, most=most, rows=rows)
        if every not in {seen, table_}:
            run.scratch.drop(every)
        if found.nearly_all:
            by = f" of one part, by a hash, of the {rows:,} rows" if found.of else ""
            yield (
                f"columns.{others[0]}: {joined(others)} are released as they are, and together they are unique in "
                f"{found.unique:,} of {found.rows:,} rows{by}: they link each of them back to its origin; drop some, or "
                "make them coarser in a query"
            )
    if seen is not table_:
        run.scratch.drop(seen)


def _likely_unique(
    run: Session, sample: exp.Table | None, columns: Sequence[ColumnType], rows: int
) -> tuple[list[str], tuple[str, ...] | None]:
    """Name the columns that may have a unique value in half of the rows, and a few that may tell all rows apart together.

    A row that is unique in a table is unique in each sample that has it. Where fewer rows than a warning tells of are unique
    in a sample, by 14 standard deviations, nothing is counted in all rows: no column is named, and None for those together.
    """
    names = [each.name for each in columns]
    if not names or sample is None:
        return names, tuple(names)
    seen = write_masked(run, sample, columns)
    counts = unique_counts(run.engine, seen, names)
    together = count_unique_rows(run.engine, seen, names)
    if seen is not sample:
        run.scratch.drop(seen)
    likely = [each for each in names if counts[each].unique >= 0.45 * counts[each].all_rows]
    if together.unique < 0.87 * together.rows:
        return likely, None
    telling: list[str] = []
    apart = 1
    for each in sorted(names, key=lambda each: -counts[each].values):
        if apart < rows**4:  # the square of the pairs of rows: columns depend on each other
            telling.append(each)
            apart *= max(counts[each].values, 1)
    return likely, tuple(telling)


def _as(policy: Policy, name: str) -> str:
    """Say how a column is released."""
    masks = [each.mask for each in policy.columns if each.name == name and each.mask is not None]
    return f"with action: {masks[0]}" if masks else "as it is"


def unique_texts(unique: Mapping[str, int], rows: int) -> Iterator[str]:
    """Return a warning for each column of a release with unique values, from its count of them."""
    for each, of in unique.items():
        yield (
            f"{each} is released, and its value is unique in {of:,} of {rows:,} rows: whoever knows it finds "
            "the row, whatever k is; drop it, or make it coarser in a query"
        )


def unique_columns(
    engine: Engine, table: exp.Table, columns: Sequence[str], *, parts: int = 1
) -> dict[str, int]:
    """Count the unique values of each column in which at least half of the rows have a unique value.

    Of several `parts` of the values, one is counted, among all rows, and the result is an estimate from it.
    """
    found = {
        name: (min(each.unique * parts, each.all_rows), each.all_rows)
        for name, each in unique_counts(engine, table, columns, parts=parts).items()
        if each.values > 1
    }
    return {name: unique for name, (unique, rows) in found.items() if unique >= max(rows / 2, 1)}


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else f'"{name}"'
