"""Views of a source's rows that runs read, and what identifies people in them: unique values and repeated keys.

A weight is the number of rows that a tuple stands for. Any statement can read `repeated_rows`, a view that repeats each
tuple by its weight. So a statement without support for weights is still correct, only slower. Statements of every plan
read the tuples and sum the weights.

Rows with NULL in a quasi-identifier that `nulls: suppress` removes are suppressed rows. They count towards the
suppression limit, in metrics, and in distributions of the source. They are in no class, and their values are in no
hierarchy or boundary. Samples, of rows or of entities with all their rows, are drawn by a hash: the same everywhere.

`plan` looks at a part of the values, with all rows of each value, so that the count of rows is limited. `lint` looks
at all values.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import code, column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import EQUAL_AS_TEXTS, ColumnType, whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, SourceError
from kanon_sql.policy.model import Column, Nulls, Role, Suppression

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.model import Policy


MOST_TUPLES = 10**15
"""The most rows that tuples may stand for. Numbers of Python, SQL and JSON are exact up to there."""


class CountedRows(NamedTuple):
    """A table of `size` rows as it is read. Each stands for as many as its column `weight` says, or one."""

    table: exp.Table
    weight: str | None
    size: int


def weight_problems(policy: Policy, weight: str, columns: Sequence[ColumnType]) -> Iterator[Fault]:
    """List why the column `weight` cannot be the weight of a source."""
    found = next((each for each in columns if each.name == weight), None)
    if found is None:
        yield policy.fault("source.weight", f"{weight} is not a column of the source")
    elif found.family not in {"integer", "decimal"}:
        what = f"{weight} is {found.type.split('(')[0]}, and a number of rows is a whole number"
        yield policy.fault("source.weight", what)


def count_tuples(run: Session, table: exp.Table, weight: str) -> tuple[CountedRows, int]:
    """Count the tuples of a table and the rows they stand for. Raises SourceError for invalid weights."""
    size, rows, wrong = map(whole, run.engine.fetch(source_sql.count_weights(table, weight))[0])
    what = ""
    if wrong:
        what = f"{weight} is no whole number of at least 1 in {counted(wrong, 'tuple')}"
    elif rows > MOST_TUPLES:
        what = f"the tuples stand for more than {MOST_TUPLES:,} rows"
    if what:
        raise SourceError(run.policy.subject, [run.policy.fault("source.weight", what)])
    return CountedRows(table, weight, size), rows


def see_unique(run: Session, opened: OpenSource) -> exp.Table:
    """Return a view for counting unique values: each tuple once, or twice if its weight is more than 1."""
    tuples = opened.tuples
    if tuples.weight is None:
        return tuples.table
    view = run.scratch.table("twice")
    names = tuple(each.name for each in opened.columns)
    run.see(view, source_sql.repeated_rows(view, tuples.table, names, tuples.weight, most=2))
    return view


def see_repeated(run: Session, tuples: CountedRows, names: Iterable[str]) -> exp.Table:
    """Return a view of `names` that repeats each tuple by its weight, or the table if it has no weight."""
    if tuples.weight is None:
        return tuples.table
    view = run.scratch.table("repeated")
    run.see(view, source_sql.repeated_rows(view, tuples.table, tuple(names), tuples.weight))
    return view


def without_nulls(run: Session, opened: OpenSource) -> OpenSource:
    """Return the source without rows with NULL in a quasi-identifier; unchanged if there are none."""
    view = run.scratch.table("without_nulls")
    run.see(view, without_nulls_statement(run.policy, view, opened.tuples.table))
    weight, counted = opened.tuples.weight, None
    if weight is None:
        table, rows = view, run.engine.fetch_count(source_sql.count_rows(view))
    else:
        counted, rows = count_tuples(run, view, weight)
        table = see_repeated(run, counted, [each.name for each in opened.columns])
    if rows == opened.rows:
        return opened
    return replace(
        opened,
        table=table,
        rows=rows,
        counted=counted,
        all_rows=opened.table,
        all_counted=opened.counted,
        left_out=opened.rows - rows,
    )


def without_nulls_statement(policy: Policy, view: exp.Table, origin: exp.Table) -> Statement:
    """Return the statement that keeps the rows without NULL in any quasi-identifier."""
    return source_sql.without_nulls(view, origin, [each.name for each in policy.quasi])


def count_nulls(run: Session, opened: OpenSource) -> dict[str, int]:
    """Count the rows with NULL in each quasi-identifier; only those with such rows are in the result."""
    found = {}
    for each in run.policy.quasi:
        statement = source_sql.count_missing(opened.source, each.name, rows=opened.source_rows)
        found[each.name] = run.engine.fetch_count(statement)
    return {name: rows for name, rows in found.items() if rows}


NUMBER = "_kanon_row"
"""The column of a sample that numbers its rows, in the order of the hash."""


def numbered_sample(run: Session, opened: OpenSource, most: int) -> tuple[Session, OpenSource, str]:
    """Copy a sample of at most `most` rows into a scratch table, with a column that numbers them.

    With an entity, the sample has about so many rows: all rows of some people, and none of the others. A source with
    no more rows is copied whole. Returns the run with the sample's policy, the sample and the name of the column. That
    policy does not release the column, and a suppression limit in rows becomes the same share of the sample.
    """
    policy, rows = run.policy, opened.source_rows
    taken = {each.name.casefold() for each in opened.columns}
    number = NUMBER
    while number in taken:
        number += "_"
    told_apart = [each.name for each in policy.columns if each.role in {Role.QUASI, Role.SENSITIVE}]
    entity = None
    if policy.entity is not None:
        entity = policy.entity
        told_apart.append(entity)
    sample = run.scratch.create(
        "sample",
        source_sql.numbered_sample,
        opened.source,
        [each.name for each in opened.columns],
        dict.fromkeys(told_apart),
        number,
        entity=entity,
        share=None if rows <= most else Fraction(most, rows),
        most=most,
        rows=rows,
    )
    columns = (*opened.columns, ColumnType(number, "BIGINT"))
    count = run.engine.fetch_count(source_sql.count_rows(sample))
    run = replace(run, policy=policy_of_sample(policy, number, rows=count, of_rows=rows))
    found = replace(opened, table=sample, columns=columns, rows=count, all_rows=None, left_out=0)
    return run, without_nulls(run, found) if policy.nulls is Nulls.SUPPRESS else found, number


def policy_of_sample(policy: Policy, number: str, *, rows: int, of_rows: int) -> Policy:
    """Return the policy for a sample: it drops the column `number`, and turns a limit in rows to a share."""
    suppression = policy.suppression
    if suppression.rows is not None and rows < of_rows:
        suppression = Suppression(share=min(Fraction(suppression.rows, of_rows), Fraction(1)))
    beside = Column(number, Role.IDENTIFYING)
    return replace(policy, columns=(*policy.columns, beside), suppression=suppression)


Some = TypeVar("Some")


def count_unique(
    source: exp.Table,
    columns: Sequence[str],
    *,
    parts: int = 1,
    types: Sequence[ColumnType] = (),
    apart: bool = False,
) -> Statement:
    """Count all rows, and for each column its values, all or one of so many parts, and those of them in one row alone.

    Columns that are read `apart` are counted one by one, in rows of their own, without a count of all rows.
    """
    leaves = {"source": source, "columns": _columns(columns, types), "parts": part_of(parts)}
    if apart:
        return Statement("source/counts/count_each_unique", leaves)
    return Statement("source/counts/count_unique", {**leaves, "few": 2 * len(columns) <= parts})


def constant_columns(
    source: exp.Table, key: str, columns: Sequence[str], *, parts: int = 1
) -> Statement:
    """Count, for a key, its values, those in several rows, their rows, and those in which each column has one value."""
    leaves = {
        "source": source,
        "key": column(key, of="s"),
        "columns": _columns(columns),
        "parts": part_of(parts),
    }
    return Statement("source/constant_columns", leaves)


def most_frequent(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the rows of the most frequent value of each column."""
    return Statement("source/most_frequent", {"source": source, "columns": _columns(columns)})


AGREEING = 0.99
"""The least share of the values in several rows that have one value of a column that follows."""
BY_CHANCE = 10
"""The common logarithm of the odds against rows of equal values agreeing by chance in the other column."""
COLUMNS_AT_ONCE = 50
"""Columns whose values one statement counts: what a database takes for it grows with the square of their number."""


def batches(columns: Sequence[Some]) -> Iterator[Sequence[Some]]:
    """Divide columns for statements that count their values.

    >>> [len(each) for each in batches(range(120))]
    [50, 50, 20]
    """
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        yield columns[start : start + COLUMNS_AT_ONCE]


def parts_of(rows: int, most: int) -> int:
    """Give in how many parts rows are divided so that one has about so many of them at most."""
    return max(1, -(-rows // most))


def parts_beyond(rows: int, most: int) -> int:
    """Give the parts of a table of which all rows are counted up to `most`, and of more rows about `PART`.

    >>> parts_beyond(1_000_000, SAMPLE), parts_beyond(10_000_000, SAMPLE), parts_beyond(60, 30)
    (1, 40, 2)
    """
    return 1 if rows <= most else parts_of(rows, min(most, PART))


def part_of(parts: int) -> exp.Expr | None:
    """Give the number of parts as a leaf; None for all rows."""
    return None if parts == 1 else literal(parts)


def count_keys(
    source: exp.Table,
    keys: Sequence[str],
    same: Sequence[str],
    *,
    parts: int = 1,
    types: Sequence[ColumnType] = (),
) -> Statement:
    """Count, for each key, its values, those in several rows, and those whose `same` columns agree."""
    leaves = {
        "source": source,
        "keys": _columns(keys, types),
        "same": _columns(same),
        "parts": part_of(parts),
    }
    return Statement("source/counts/count_keys", leaves)


def count_integers(source: exp.Table, keys: Sequence[str], *, span: int) -> Statement:
    """Count the rows of each key, a column of integers, and its values: none if they are further apart than `span`."""
    leaves = {"source": source, "keys": _columns(keys), "span": literal(span)}
    return Statement("source/counts/count_integers", leaves)


def _columns(columns: Sequence[str], types: Sequence[ColumnType] = ()) -> list[exp.Column]:
    """Return columns as leaves. Those whose types are known are hashed by value where their texts say no more."""
    by_value = {each.name for each in types if each.family in EQUAL_AS_TEXTS}
    return [(code if text in by_value else column)(text, of="s") for text in columns]


SAMPLE = 1_000_000
"""The rows in which `plan` counts keys. Of more rows it uses a part of the keys, with all their rows."""
PART = 250_000
"""About how many rows a part of a larger table has: by so many, a share is known to 0.2 %."""
_NUMBER = r"_?(id|identifier|ident|no|nr|num|nbr|number|key|code|uuid|guid|uid|ref|hash)"
_PEOPLE = (
    r"(patient|person|member|customer|client|subject|user|employee|student|pupil|citizen|resident|insured|subscriber|"
    r"beneficiary|applicant|participant|respondent|donor|voter|taxpayer|policyholder|cardholder|claimant|enrollee|inmate|visitor)"
)
KIND_OF_PERSON = re.compile(rf"(.*_)?{_PEOPLE}")
"""Names that a key of people may have, and a flag or a category as well: whether somebody is a student."""
KEY_OF_A_PERSON = re.compile(
    rf"(.*_)?((mrn|mpi|empi|ssn|nhs|nino|pid)({_NUMBER})?|(id_?)?{_PEOPLE}"
    rf"({_NUMBER})?|(pat|emp|cust|bene|enrol|national|medical_?record|personnel|passport){_NUMBER}|"
    r"(child|infant|mother|woman|indiv(idual)?|pers|subj|stud|worker|teacher|professor)_?id|e_?mail(_?address)?)"
)
MAIL = re.compile(r"(.*_)?e_?mail(_?address)?")
BIRTH = re.compile(r"(.*_)?(birth|birthdate|date_of_birth|birth_(date|day|year)|dob|yob|born)")
SEX = re.compile(r"(.*_)?(sex|gender)")
KEYS = frozenset({"text", "integer", "decimal", "other"})
"""Families of types that a key may have. UUID is in the family other."""
NESTED = re.compile(
    r"[\[\]<>(]|struct|map|union|list|json|blob|binary|bytea|xml|array|variant|geometry|geography"
    r"|\b(point|line|lseg|box|path|polygon|circle)\b",
    re.IGNORECASE,
)
"""Types whose values some engine cannot compare, or can print as different texts."""
MOST, NEARLY_ALL = 0.5, 0.95
"""Least shares of repeated values with one birth and sex: for keys with a telling name, and others.

The first is low because one wrong row makes a person of many rows disagree, and a missed key counts rows as people.
"""
HOUSEHOLD = re.compile(
    rf"(.*_)?(hh|hhold|household|haushalt|family|dwelling|menage|hogar)({_NUMBER}|id)?|hid"
)
"""Names of keys of households, of which each row may be another member."""
KEY_BY_NAME = re.compile(r"(.*_)?(id|ident|nr|uid|uuid|guid|key|idno|idnr|pid|caseid|subjid)")
"""Names of keys of any kind of entity."""
NEARLY_CONSTANT = 0.9
"""The share of rows with one value above which a column would be constant within any key by chance."""
LONGEST = 50
"""The most rows per value, on average, of a key without a telling name."""
UNEVEN = 10
"""The most rows of one value of a key without a telling name, as a multiple of the rows of a value on average."""
MOST_KEYS, MOST_CONSTANT = 6, 30
"""The most columns that are tested as keys, and the most that are tested as constant within a key."""
LARGE, SMALL_PART, MANY = 500_000, 10_000, 100
"""The rows of a table in which columns are first tested in about so many rows, and the repeated values that tell enough."""
FEW = 20
"""The fewest repeated values of a key without a telling name."""
DENSE, SPAN = 100_000, 16
"""The rows of a table in which integers are first counted by a bit each, and the most bits a row."""
INTEGERS = re.compile(r"u?(tinyint|smallint|integer|bigint)", re.IGNORECASE)
"""Types of integers that are counted so: their differences fit into the widest integer."""


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """The different values of a column, or of one part of them, and the rows whose value no other row has.

    `all_rows` counts the table's rows, with those of other parts and of NULL.
    """

    values: int
    unique: int
    all_rows: int


def unique_counts(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[str],
    *,
    parts: int = 1,
    each_of: int | None = None,
) -> dict[str, ValueCounts]:
    """Count the values and the unique values of each column; of several `parts` of the values, one is counted.

    `each_of` are the table's rows, if they are known and each column is best read by itself.
    """
    found: dict[str, ValueCounts] = {}
    types = engine.columns(table) if parts > 1 else ()
    for some in batches(columns):
        apart = each_of is not None
        statement = count_unique(table, some, parts=parts, types=types, apart=apart)
        rows = engine.fetch(statement)
        counts = [whole(cell) for row in rows for cell in (row[1:] if apart else row)]
        all_rows = counts.pop(0) if each_of is None else each_of
        each = zip(counts[::2], counts[1::2], strict=True)
        found |= {n: ValueCounts(*pair, all_rows) for n, pair in zip(some, each, strict=True)}
    return found


@dataclass(frozen=True, slots=True)
class PersonKey:
    """A column whose values identify people, some of whom have several rows."""

    name: str
    values: int
    repeated: int
    rows: int
    same: tuple[str, ...]
    constant: tuple[str, ...] = ()
    parts: int = 1

    @property
    def of_household(self) -> bool:
        """Whether its name says that it identifies households."""
        return HOUSEHOLD.fullmatch(folded(self.name)) is not None

    @property
    def sampled(self) -> str:
        """A note for messages that one part of the values was counted; empty if all were counted."""
        return (
            "" if self.parts == 1 else f" (estimated by one of {self.parts:,} parts of its values)"
        )


def folded(name: str) -> str:
    """Normalize a column's name for the patterns of this module.

    >>> folded("Patient-ID"), folded("patientId")
    ('patient_id', 'patient_id')
    """
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold())


def person_key(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[ColumnType],
    *,
    among: Sequence[str],
    rows: int,
    parts: int = 1,
) -> PersonKey | None:
    """Return the column of `among` that best identifies people with several rows; None if there is none.

    Birth and sex have to agree within its values. A column with the name of such a key only has to repeat; any other
    has to determine a column of birth. Of several `parts` of a key's values, one is counted, with all their rows.
    """
    scalar = [c for c in columns if NESTED.search(c.type) is None]
    births = [c.name for c in scalar if BIRTH.fullmatch(folded(c.name))]
    same = (*births, *(c.name for c in scalar if SEX.fullmatch(folded(c.name))))
    named = {c.name for c in scalar if KEY_OF_A_PERSON.fullmatch(folded(c.name))}
    candidates = [
        c.name
        for c in scalar
        if c.name in among
        and c.name not in same
        and (c.name in named or (births and c.family in KEYS))
    ]
    unique = _unique_integers(engine, table, scalar, among=candidates, rows=rows, parts=parts)
    candidates = [name for name in candidates if name not in unique]
    if not candidates:
        return None
    found = []
    counted = engine.fetch(count_keys(table, candidates, same, parts=parts, types=scalar))
    for name, row in zip(candidates, counted, strict=True):
        _, values, repeated, constant = map(whole, row)
        few = values * parts < FEW and rows > LONGEST * values * parts
        if few and KIND_OF_PERSON.fullmatch(folded(name)):
            continue
        least, share = (1, MOST) if name in named else (FEW, NEARLY_ALL)
        if repeated >= least and constant >= share * repeated:
            key = PersonKey(name, values * parts, repeated * parts, rows, same, parts=parts)
            # A person may have several e-mail addresses, so another key counts people better.
            rank = (name in named, MAIL.fullmatch(folded(name)) is None, values)
            found.append((rank, key))
    return max(found, key=lambda each: each[0])[1] if found else None


def _unique_integers(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[ColumnType],
    *,
    among: Sequence[str],
    rows: int,
    parts: int,
) -> set[str]:
    """Return the columns of integers without a repeated value: no row of a large table is grouped to see that."""
    names = [c.name for c in columns if c.name in among and INTEGERS.fullmatch(c.type)]
    if parts > 1 or rows < DENSE or not names or not engine.capabilities.counts_bits:
        return set()
    counts = engine.fetch(count_integers(table, names, span=SPAN * rows))
    return {n for n, (_, of, values) in zip(names, counts, strict=True) if of == values}


def repeating_key(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[ColumnType],
    *,
    among: Sequence[str],
    rows: int,
    parts: int = 1,
    values: Mapping[str, int] | None = None,
    sample: tuple[exp.Table, int] | None = None,
) -> PersonKey | None:
    """Return a panel's key of any name: it repeats, and other columns are constant within it. Else None.

    `values` are the numbers of values of each column, if they are known. What is nearly constant is counted in a `sample`
    of so many rows, if there is one.
    At least half of the rows have a repeated value of it. Within nearly all repeated values, two other columns (one,
    if the key has the name of a key) are constant that are neither keys themselves nor nearly constant in all rows.
    """
    scalar = [c for c in columns if NESTED.search(c.type) is None and not c.name.startswith("_")]
    if not scalar or rows < 2 * FEW:
        return None
    names = [c.name for c in scalar]
    if values is None:
        counts = unique_counts(engine, table, names, parts=parts)
        values = {name: each.values * parts for name, each in counts.items()}
    keys = [
        c.name
        for c in scalar
        if c.name in among
        and (c.family in KEYS or KEY_BY_NAME.fullmatch(folded(c.name)))
        and FEW <= values[c.name] <= 0.75 * rows
        and (rows <= LONGEST * values[c.name] or named_as_key(c.name))
    ]
    keys.sort(key=lambda name: not named_as_key(name))
    if not keys:
        return None
    others = names[:MOST_CONSTANT]
    keys = keys[:MOST_KEYS]
    small, few = sample or (table, rows)
    most = most_rows(engine, small, others)
    differing = {n for n in others if most[n] <= NEARLY_CONSTANT * few}
    unnamed = [key for key in keys if not named_as_key(key)]
    for key in keys:
        needed = 1 if named_as_key(key) else 2
        beside = [
            n for n in others if n in differing and n != key and values[n] < 0.9 * values[key]
        ]
        beside = _may_be_constant(engine, table, key, beside, rows=rows)
        if len(beside) < needed:
            continue
        if key in unnamed:
            known = most if small is table and key in most else most_rows(engine, table, [key])
            if known[key] * values[key] > UNEVEN * rows:
                continue  # a measurement with a usual value
        found = engine.fetch_counts(constant_columns(table, key, beside, parts=parts))
        count, repeated, of_repeated, *same = found
        constant = [n for n, of in zip(beside, same, strict=True) if of >= NEARLY_ALL * repeated]
        if len(constant) >= needed and repeated * parts >= FEW and of_repeated * parts >= rows / 2:
            return PersonKey(
                key, count * parts, repeated * parts, rows, (), tuple(constant), parts=parts
            )
    return None


def _may_be_constant(
    engine: Engine, table: exp.Table, key: str, columns: list[str], *, rows: int
) -> list[str]:
    """Leave out, in a large table, the columns that differ within half of the key's values in a small part of them."""
    if rows < LARGE or not columns:
        return columns
    statement = constant_columns(table, key, columns, parts=parts_of(rows, SMALL_PART))
    _, repeated, _, *same = engine.fetch_counts(statement)
    if repeated < MANY:
        return columns
    return [name for name, of in zip(columns, same, strict=True) if of >= repeated / 2]


def most_rows(engine: Engine, table: exp.Table, columns: Sequence[str]) -> dict[str, int]:
    """Return the rows of the most frequent value of each column."""
    if not columns:
        return {}
    frequent = engine.fetch(most_frequent(table, columns))
    return {name: whole(rows) for name, (_, rows) in zip(columns, frequent, strict=True)}


def greatest_shares(engine: Engine, table: exp.Table, names: Sequence[str]) -> dict[str, float]:
    """Return the shares of a table's rows that have the most frequent value of each column."""
    if not names:
        return {}
    rows = engine.fetch_count(source_sql.count_rows(table))
    return {name: of / rows for name, of in most_rows(engine, table, names).items()}


def named_as_key(name: str) -> bool:
    """Whether a column has the name of a key, of a person or of anything else."""
    text = folded(name)
    return any(each.fullmatch(text) for each in (KEY_BY_NAME, HOUSEHOLD, KEY_OF_A_PERSON))


def key_beside_rows(run: Session, opened: OpenSource, *, whole: bool) -> PersonKey | None:
    """Find a key of people for a policy without an entity. With `whole`, count in all rows."""
    if run.policy.entity is not None:
        return None
    parts = 1 if whole else parts_beyond(opened.rows, SAMPLE)
    among = [c.name for c in run.policy.columns if c.role is not Role.QUASI]
    return person_key(
        run.engine,
        see_unique(run, opened),
        opened.columns,
        among=among,
        rows=opened.rows,
        parts=parts,
    )
