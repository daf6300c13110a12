"""Counts the risks of a release beside its classes: rows that a column links to people, unique rows, missing values.

A text of a sensitive column may stand for a missing value, and classes may be diverse by such texts alone. Columns that are
released beside a quasi-identifier may tell its values: a stay is the days between two dates.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source import person_keys
from kanon_sql.counting.source.column_problems import unparsed_warnings
from kanon_sql.counting.source.exposed_rows import (
    MOST_RELEASED,
    MOST_ROWS,
    count_few_people,
    count_unique_rows,
    identity_warnings,
    linked_by_all,
    plain_columns,
    scalar,
    unique_columns,
    unique_texts,
)
from kanon_sql.counting.source.person_keys import key_beside_rows
from kanon_sql.counting.source.text_files import NUMBERS, ReadColumn, read_texts
from kanon_sql.engines.base import whole
from kanon_sql.engines.files.file_texts import written
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.masks import DROP
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.policy_rules import Linked, linking_columns
from kanon_sql.policy.privacy.demands import AT_ALL, demands, requirements, sensitive_attributes
from kanon_sql.policy.safe_harbor import standard_remarks
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.recode import (
    drop_counted,
    keys_in_session,
    recode,
    stage_to_count,
    tabulated_masks,
)
from kanon_sql.recoding.recount import recount_statement, unique_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.exposed_rows import UniqueOverAll
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.counting.source.person_keys import PersonKey
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.fitting_sql import ValueNodes
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.recoding.planning.make_plan import Planned


Spelled: TypeAlias = tuple[tuple[str, ...], int]
"""Texts of a column that stand for a missing value, as they are spelled, the most frequent first, and their rows."""


def count_linked(
    run: Session, table: exp.Table, quasi: Sequence[str], columns: Sequence[str], *, rows: int = 0
) -> tuple[Linked, ...]:
    """Count, for each column that joins rows, its values, and those whose set of rows no other value has."""
    found = []
    for name in columns:
        ((values, unique),) = run.engine.fetch(unique_sets(table, name, quasi, rows=rows))
        found.append(Linked(name, int(str(values)), int(str(unique))))
    return tuple(found)


def linked_in_source(run: Session, opened: OpenSource) -> Iterator[str]:
    """Warn of people whose rows a released column joins, by the quasi-identifiers before they are recoded."""
    quasi = [each.name for each in run.policy.quasi]
    for each in count_linked(
        run, opened.table, quasi, linking_columns(run.policy), rows=opened.rows
    ):
        if each.unique:
            yield f"{each}, before any recoding"


def count_unique(
    run: Session, table: exp.Table, *, rows: int, codes: Collection[str] = ()
) -> UniqueOverAll | None:
    """Count the rows of a release that are unique over all columns; None unless several are not recoded.

    Of more than `MOST_RELEASED` rows about so many are counted, chosen by a hash of their released values: a row that
    is unique among these is unique in the release.
    """
    over = linked_by_all(run.policy)
    if not over:
        return None
    quasi = [name for each in run.policy.quasi for name in each.released_as]
    return count_unique_rows(
        run.engine, table, over, most=MOST_RELEASED, rows=rows, codes=codes, quasi=quasi
    )


def warnings_of_plan(
    run: Session, planned: Planned, *, to_keep: bool
) -> tuple[list[str], UniqueOverAll | None]:
    """Return warnings of values that identify people in a source and its recoding; more for one `to_keep`.

    With them come the rows that are unique over all released columns, if they were counted.
    """
    with run.engine.journal.step("warn"):
        key = key_beside_rows(run, planned.opened, whole=False)
        small = sample_of_shown(run, planned.opened)
        found = list(identity_warnings(run, planned.opened, key, whole=False, sample=small))
        found += undone_generalization(run, planned.opened, small)
        if small is not None:
            run.scratch.drop(small)
    found += unparsed_warnings(planned.opened.unparsed)
    by_standard = standard_remarks(run.policy)
    of_rows, unique = count_planned(run, planned, key, to_keep=to_keep)
    return [*by_standard, *found, *of_rows], unique


def count_planned(
    run: Session, planned: Planned, key: PersonKey | None, *, to_keep: bool
) -> tuple[list[str], UniqueOverAll | None]:
    """Return warnings of people whom a plan exposes beside its classes: rows are staged and counted.

    With a `key` of people, where the policy counts rows, the classes of few people are counted. The rest is counted of
    a plan `to_keep` alone, as a release counts it itself: pseudonyms that join rows, texts that stand for missing
    values, and, in at most `MOST_ROWS` rows, unique rows.
    """
    opened, policy = planned.opened, run.policy
    linking = linking_columns(policy) if to_keep else []
    by_rows = demands(policy.privacy)[0].class_size == 1
    spelled = to_keep and bool(_missing_in(run, opened.table))
    small = to_keep and opened.rows <= MOST_ROWS and (by_rows or bool(linked_by_all(policy)))
    unique = None
    of_classes = to_keep and any(each.output.is_of_rows for each in policy.quasi)
    if not linking and key is None and not small and not spelled and not of_classes:
        return [], unique
    kept = {*linking, *([key.name] if key else [])}
    counting = replace(run, policy=_with_columns(policy, kept, shown=small))
    with run.engine.journal.step("link"):
        staged = run.scratch.table("staged")
        query = recode(counting, planned, staged)
        with (
            keys_in_session(counting),
            tabulated_masks(counting, opened.table, opened.columns, opened.rows) as tabulated,
        ):
            if tabulated:
                query = query.with_masks(opened.columns, tabulated)
            query = stage_to_count(counting, query, rows=opened.rows)
        linked = count_linked(run, staged, query.quasi, linking, rows=opened.rows)
        found = [*_few(run, staged, query.quasi, key), *map(str, linked)]
        if of_classes:
            found += lost_to_null(counting, opened, staged)
        if spelled:
            found += map(str, missing_in_release(counting, staged, opened.nodes))
        if small:
            of = query.rows
            unique = count_unique(run, of.table, rows=opened.rows, codes=of.coded)
            found += _unique(run, planned, staged, query.quasi, unique)
        drop_counted(run, query)
    return found, unique


def notes_of_release(
    run: Session,
    planned: Planned,
    staged: exp.Table,
    quasi: Sequence[str],
    *,
    linked: Sequence[Linked],
    unique: UniqueOverAll | None,
) -> list[str]:
    """Return the warnings for a plan to keep by what its release counted, like those of `count_planned`."""
    found = [str(each) for each in linked if each.unique]
    found += lost_to_null(run, planned.opened, staged)
    found += map(str, missing_in_release(run, staged, planned.opened.nodes))
    if planned.opened.rows <= MOST_ROWS:
        found += _unique(run, planned, staged, quasi, unique)
    return found


def lost_to_null(run: Session, opened: OpenSource, staged: exp.Table) -> Iterator[str]:
    """Warn of values that a release shows as NULL because another row of their class has none."""
    for each in run.policy.quasi:
        if each.output.no_cover is None:  # only a mean needs a number of every row
            continue
        before, after = (
            run.engine.fetch_count(source_sql.count_missing(table, each.name, rows=opened.rows))
            for table in (opened.table, staged)
        )
        if after > before:
            yield (
                f"columns.{each.name}: {counted(after, 'released row')} {'is' if after == 1 else 'are'} NULL, and {before:,} of the "
                f"source: one NULL takes the {each.output.key} of its class; leave such rows out in a query, or say "
                f"nulls: suppress and allow their suppression"
            )


def missing_in_release(
    run: Session, staged: exp.Table, nodes: Mapping[str, ValueNodes]
) -> tuple[MissingValues, ...]:
    """Count texts for missing values in a release's sensitive columns, and classes diverse only by them."""
    policy = run.policy
    asked = demands(policy.privacy)
    if policy.signature or policy.nulls is Nulls.WILDCARD:  # classes are no groups of equal labels
        return ()
    if not sensitive_attributes(requirements(policy.privacy)):
        return ()

    def over(demand: Demand) -> list[str]:
        of = [each for each in policy.quasi if not demand.columns or each.name in demand.columns]
        return [*(name for each in of for name in each.released_as), *demand.beside]

    entity = staging_sql.hidden_entity(policy) or policy.entity
    return count_missing_values(run, staged, asked, over, entity=entity, nodes=nodes)


def missing_in_source(run: Session, opened: OpenSource) -> Iterator[str]:
    """Warn of texts that stand for missing values in sensitive columns, before any recoding."""
    policy = run.policy
    if policy.signature or policy.nulls is Nulls.WILDCARD:
        return
    if not sensitive_attributes(requirements(policy.privacy)):
        return

    def over(demand: Demand) -> list[str]:
        of = [
            each.name for each in policy.quasi if not demand.columns or each.name in demand.columns
        ]
        return [*of, *demand.beside]

    for each in count_missing_values(
        run, opened.table, demands(policy.privacy), over, entity=policy.entity, nodes=opened.nodes
    ):
        yield f"{each}; before any recoding"


SAMPLE = 20_000
"""The rows by which it is seen first whether released columns tell a quasi-identifier."""
MANY = 40_000
"""The rows above which a sample is drawn. To draw half of the rows takes longer than to count all."""
MOST_ADDED = 6
"""The most released numbers and dates of which every two are added and taken away from each other."""
DATES = frozenset({"date", "timestamp"})
UNDOES = "undoes the generalization"
"""The words of a warning that released columns determine a quasi-identifier: its classes are smaller than the counts say."""


@dataclass(frozen=True, slots=True)
class NumberOrDay:
    """A column of numbers or days, which its type or all of its texts are."""

    name: str
    is_date: bool
    is_text: bool


@dataclass(frozen=True, slots=True)
class Sum:
    """A quasi-identifier, `of`, whose numbers or days may be the sum or the difference of two released columns."""

    of: NumberOrDay
    first: NumberOrDay
    second: NumberOrDay
    is_less: bool

    def __str__(self) -> str:
        """Return the sum as a reader writes it."""
        return f"{self.first.name} {'-' if self.is_less else '+'} {self.second.name}"


def count_kinds(source: exp.Table, texts: Sequence[str]) -> Statement:
    """Count, for each column of texts, the rows that have one, those with a number, and those with a day."""
    leaves = {"source": source, "columns": [column(each, of="s") for each in texts]}
    return Statement("recoding/count_kinds", {**leaves, "one": literal(1)})


def count_sums(source: exp.Table, sums: Sequence[Sum]) -> Statement:
    """Count, for each sum, the rows with all three values, and those in which it holds: less one, exactly, plus one."""
    columns = list(dict.fromkeys(each for one in sums for each in (one.of, one.first, one.second)))
    leaves = {
        "source": source,
        "columns": [
            {"column": column(each.name, of="t"), "is_date": each.is_date, "is_text": each.is_text}
            for each in columns
        ],
        "sums": [
            {
                "of": columns.index(each.of),
                "first": columns.index(each.first),
                "second": columns.index(each.second),
                "is_less": each.is_less,
            }
            for each in sums
        ],
        "near": literal(Decimal("0.000001")),
        "one": literal(1),
    }
    return Statement("recoding/count_sums", leaves)


def sample_of_shown(run: Session, opened: OpenSource) -> exp.Table | None:
    """Draw a sample of a source's quasi-identifiers and of the columns that are released beside them; None of few rows."""
    shown = {*(each.name for each in run.policy.quasi), *plain_columns(run.policy)}
    names = [each.name for each in scalar(opened.columns) if each.name in shown]
    if opened.tuples.size <= MANY or not names:
        return None
    table, rows = person_keys.see_unique(run, opened), opened.tuples.size
    return run.scratch.create(
        "sample_of_shown", source_sql.sample_rows, table, SAMPLE, of=rows, columns=names
    )


def undone_generalization(
    run: Session, opened: OpenSource, sample: exp.Table | None
) -> Iterator[str]:
    """Warn of quasi-identifiers whose values the columns tell that are released beside them, whatever their labels are.

    One column tells another if each of its values has one value of it. Two numbers or dates tell it if their sum or their
    difference, or that and one, is its value in at least half of the rows, and in twice as many as by chance. Dates that
    are moved by the same days keep their difference. A `sample` is counted first, and what passes is counted in all rows.
    """
    policy = run.policy
    there = {each.name: each for each in scalar(opened.columns)}
    quasi = [each.name for each in policy.quasi if each.name in there]
    masks = {each.name: each.mask for each in policy.columns}
    shown = [each for each in plain_columns(policy) if each in there]
    plain = [each for each in shown if masks[each] is None]
    moved = [each for each in shown if (mask := masks[each]) and mask.keeps_differences]
    if not quasi or not (plain or moved):
        return
    table = person_keys.see_unique(run, opened)
    small = sample or table
    of_pairs = [each for two in (plain, moved) if len(two) > 1 for each in two]
    kinds = _measured(run.engine, small, [there[each] for each in of_pairs])
    if len(kinds) > 1:
        kinds |= _measured(run.engine, small, [there[each] for each in quasi])
    sums = _sums(kinds, quasi, plain)
    sums += [each for each in _sums(kinds, quasi, moved) if each.is_less and not each.of.is_date]
    for each in plain:
        determined = _determined(run.engine, small, each, quasi)
        if determined and small is not table:
            determined = _determined(run.engine, table, each, determined)
        if determined:
            yield (
                f"columns.{each}: is released as it is, and each of its values has one value of {joined(determined)}: whoever "
                f"reads it {UNDOES}; make it a quasi-identifier, drop it, or make it coarser in a query"
            )
    holding = _holding(run.engine, small, sums)
    if holding and small is not table:
        holding = _holding(run.engine, table, list(holding))
    for sum_, (offset, percent) in holding.items():
        first, second = sum_.first.name, sum_.second.name
        beside = {-1: " - 1", 0: "", 1: " + 1"}[offset]
        yield (
            f"columns.{sum_.of.name}: {percent} % of the rows have {sum_}{beside} as its value, and {first} and {second} are "
            f"released{'' if first in plain else ', moved by the same days'}: whoever reads them {UNDOES}; make them quasi-identifiers, drop one, or make them coarser in a query"
        )


def _measured(
    engine: Engine, table: exp.Table, columns: Sequence[ColumnType]
) -> dict[str, NumberOrDay]:
    """Find the columns of numbers and days: by their types, or if all texts of a column are such."""
    found = {
        each.name: NumberOrDay(each.name, is_date=each.family in DATES, is_text=False)
        for each in columns
        if each.family in NUMBERS | DATES
    }
    texts = [each.name for each in columns if each.family == "text"]
    if not texts:
        return found
    counts = iter(engine.fetch_counts(count_kinds(table, texts)))
    for each, rows, numbers, days in zip(texts, counts, counts, counts, strict=True):
        if rows and rows in {numbers, days}:
            found[each] = NumberOrDay(each, is_date=rows == days, is_text=True)
    return found


def _sums(
    kinds: Mapping[str, NumberOrDay], quasi: Sequence[str], shown: Sequence[str]
) -> list[Sum]:
    """List the sums and differences of every two released numbers and dates that a quasi-identifier could be."""
    there = [kinds[each] for each in shown if each in kinds]
    dates = [each for each in there if each.is_date][:MOST_ADDED]
    numbers = [each for each in there if not each.is_date][:MOST_ADDED]
    found = []
    for of in (kinds[each] for each in quasi if each in kinds):
        if of.is_date:
            found += [
                Sum(of, *two, is_less=less)
                for two in product(dates, numbers)
                for less in (True, False)
            ]
            continue
        for kind in (dates, numbers):
            found += [Sum(of, *two, is_less=True) for two in permutations(kind, 2)]
        found += [Sum(of, *two, is_less=False) for two in combinations(numbers, 2)]
    return found


def _determined(engine: Engine, table: exp.Table, key: str, columns: Sequence[str]) -> list[str]:
    """List the columns of which each value of a key has one value, more often than by chance."""
    statement = person_keys.constant_columns(table, key, columns)
    _, repeated, rows, *same = engine.fetch_counts(statement)
    least = max(person_keys.AGREEING * repeated, 1)
    agreeing = [text for text, of in zip(columns, same, strict=True) if of >= least]
    shares = person_keys.greatest_shares(engine, table, agreeing)
    odds = (-(rows - repeated) * math.log10(max(share, 1e-9)) for share in shares.values())
    return [text for text, of in zip(shares, odds, strict=True) if of >= person_keys.BY_CHANCE]


def _holding(engine: Engine, table: exp.Table, sums: Sequence[Sum]) -> dict[Sum, tuple[int, int]]:
    """Return the sums that hold, with what is added to them, and the percentage of the rows in which they do."""
    if not sums:
        return {}
    shares = person_keys.greatest_shares(engine, table, [*{each.of.name: 0 for each in sums}])
    counts = engine.fetch_counts(count_sums(table, sums))
    found = {}
    for number, each in enumerate(sums):
        rows, *holding = counts[4 * number : 4 * number + 4]
        most = max(holding)
        if rows and most >= rows * max(0.5, 2 * shares[each.of.name]):
            found[each] = (holding.index(most) - 1, 100 * most // rows)
    return found


def _missing_in(run: Session, table: exp.Table) -> Mapping[str, object]:
    """Find the sensitive columns of a source that have texts that stand for a missing value."""
    counted = {each.column for each in sensitive_attributes(requirements(run.policy.privacy))}
    if not counted:
        return {}

    columns = [each for each in run.engine.columns(table) if each.name in counted]
    return spelled_missing(run.engine, table, columns)


def _few(
    run: Session, staged: exp.Table, quasi: Sequence[str], key: PersonKey | None
) -> Iterator[str]:
    """Warn of classes that hold few people, where the policy counts rows beside their key."""
    if key is not None:
        k = demands(run.policy.privacy)[0].class_size
        few = count_few_people(run.engine, staged, quasi, key.name, k=k)
        if few.few:
            yield str(few)


def _unique(
    run: Session,
    planned: Planned,
    staged: exp.Table,
    quasi: Sequence[str],
    found: UniqueOverAll | None,
) -> Iterator[str]:
    """Warn of rows that are unique over all released columns, and of labels that are unique themselves."""
    if found is not None and found.nearly_all:
        yield str(found)
    if demands(run.policy.privacy)[0].class_size == 1:  # else no class is of one row
        unique = unique_columns(run.engine, staged, quasi)
        yield from unique_texts(unique, planned.plan.released_rows)


def _with_columns(policy: Policy, kept: set[str], *, shown: bool) -> Policy:
    """Return the policy that drops identifying columns but those `kept` and, if `shown`, those whose masks show values.

    The former are kept as pseudonyms, or unchanged. Rows are dealt by the same key as those of the release.
    """
    columns = []
    for each in policy.columns:
        if each.role is Role.IDENTIFYING:
            deals = each.name == policy.dealt_by
            changed = replace(each, action=DROP, key_env=each.key_env if deals else None)
            if each.name in kept:
                changed = (
                    each if each.pseudonym else replace(each, role=Role.INSENSITIVE, action=DROP)
                )
            elif shown and each.shows_values:
                changed = each
            columns.append(changed)
        else:
            columns.append(each)
    return replace(policy, columns=tuple(columns))


@dataclass(frozen=True, slots=True)
class MissingValues:
    """The texts of a column that stand for a missing value, and their effect on models of diversity.

    Of `all_rows` of the table, `rows` have one of the `texts`. Of `all_classes` that the models apply to, `classes`
    satisfy them only because such texts count as values.
    """

    column: str
    texts: tuple[str, ...]
    rows: int
    all_rows: int
    classes: int
    all_classes: int

    def __str__(self) -> str:
        """Return the warning's text; the texts for missing values in it are from our list, and no person's.

        >>> print(MissingValues("disease", ("NA", "?"), 4, 6, 2, 2))
        columns.disease: 4 of 6 rows have a text that stands for a missing value ('NA' and '?'), and it counts as a value: 2 of 2 equivalence classes are diverse enough only by it; say missing: [NA, '?'], which reads it as NULL
        """
        need = f"{self.classes:,} of {counted(self.all_classes, 'equivalence class')}"
        are = "is" if self.classes == 1 else "are"
        have = "has" if self.rows == 1 else "have"
        return (
            f"columns.{self.column}: {self.rows:,} of {counted(self.all_rows, 'row')} {have} a text that stands for a "
            f"missing value ({joined([repr(text) for text in self.texts])}), and it counts as a value: {need} {are} "
            f"diverse enough only by it; say {written(self.texts)}, which reads it as NULL"
        )


def spelled_missing(
    engine: Engine, table: exp.Table, columns: Iterable[ColumnType]
) -> dict[str, Spelled]:
    """Find, in columns of texts, the spellings that stand for a missing value, and the rows that have one."""
    names = [each.name for each in columns if each.family == "text" or each.enum]
    found: dict[str, Spelled] = {}
    if not names:
        return found
    for number, text, _, rows in engine.fetch(source_sql.count_missing_texts(table, names)):
        name = names[whole(number)]
        found[name] = ((*found.get(name, ((), 0))[0], str(text)), whole(rows))
    return found


def count_missing_values(
    run: Session,
    table: exp.Table,
    demanded: Sequence[Demand],
    over: Callable[[Demand], Sequence[str]],
    *,
    entity: str | None,
    nodes: Mapping[str, ValueNodes] | None = None,
) -> tuple[MissingValues, ...]:
    """Count the classes of a release, or a source, that are diverse only by texts for a missing value.

    `over` returns the columns of the table that form the classes of a demand.
    """
    asked = [(each, _diverse(each)) for each in demanded]
    names = {each.column for _, of in asked for each in sensitive_attributes(of)}
    columns = run.engine.columns(table)
    found = []
    for name, (texts, rows) in spelled_missing(
        run.engine, table, [each for each in columns if each.name in names]
    ).items():
        known = run.scratch.table("known")
        read = [ReadColumn(each, texts if each.name == name else ()) for each in columns]
        run.see(known, read_texts(known, table, read))
        needing, of_all, all_rows = 0, 0, 0
        for demand, needed in asked:
            own = [*AT_ALL, *(each for each in needed if _of(each) == name)]
            if len(own) == 1:
                continue
            counts = [
                run.engine.fetch(
                    recount_statement(each, over(demand), own, entity=entity, nodes=nodes)
                )[0]
                for each in (table, known)
            ]
            needing = max(needing, whole(counts[1][-1]) - whole(counts[0][-1]))
            of_all, all_rows = max(of_all, whole(counts[0][0])), whole(counts[0][1])
        run.scratch.drop(known)  # the table that it reads may be dropped before the run ends
        found.append(MissingValues(name, texts, rows, all_rows, needing, of_all))
    return tuple(found)


def _diverse(demand: Demand) -> list[Requirement]:
    """Return the requirements of a demand on the sensitive values within a class."""
    return [
        each
        for each in demand.requirements
        if each.measure.sensitive is not None
        and each.measure.reference is None
        and not each.measure.of_all_classes
    ]


def _of(requirement: Requirement) -> str | None:
    return None if requirement.measure.sensitive is None else requirement.measure.sensitive.column
