"""The composition attack: two releases of the same persons together reveal values that neither reveals alone."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import clause
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_table
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault
from kanon_sql.evidence.attacks import attacks_sql
from kanon_sql.evidence.attacks.attacks_sql import Members, ReleaseTables
from kanon_sql.evidence.attacks.disclosure import (
    MOST_SHOWN,
    RaisedRecords,
    attacking,
    check_named,
    check_tables,
    raise_records,
    read_sensitive,
    shown_text,
    type_problems,
)
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, NamedTable, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute


@dataclass(frozen=True, slots=True)
class ExposedPersons:
    """Counts of persons by how many sensitive values remain possible once two releases are combined.

    One value is left of `exposed` persons (of `exposed_alone` in one release already), none of `contradicted` ones.
    `values_left` is summed over all.
    """

    persons: int = 0
    exposed: int = 0
    exposed_alone: int = 0
    contradicted: int = 0
    values_left: int = 0

    @property
    def average(self) -> float:
        """The mean number of possible values of a person, over the persons who have any; 0 if there are none."""
        persons = self.persons - self.contradicted
        return self.values_left / persons if persons else 0.0

    def summary(self) -> dict[str, object]:
        """Return the counts as a mapping, with the average in place of the sum."""
        return {
            "persons": self.persons,
            "exposed": self.exposed,
            "exposed_alone": self.exposed_alone,
            "contradicted": self.contradicted,
            "average": self.average,
        }


@dataclass(frozen=True, slots=True)
class CompositionAttack:
    """The result of a composition attack: counts of persons in both releases, only the first, only the second.

    The releases are m-invariant (Xiao and Tao, SIGMOD 2007) for `m`, which is 0 where values repeat or are missing in
    a class, or a person's class has other values.
    """

    in_both: ExposedPersons
    only_first: ExposedPersons
    only_second: ExposedPersons
    repeating_classes: int
    changed_signatures: int
    m: int
    shown: tuple[Mapping[str, object], ...] = ()

    @property
    def everyone(self) -> ExposedPersons:
        """The counts summed over all persons of the two releases."""
        each = (self.in_both, self.only_first, self.only_second)
        return ExposedPersons(
            sum(one.persons for one in each),
            sum(one.exposed for one in each),
            sum(one.exposed_alone for one in each),
            sum(one.contradicted for one in each),
            sum(one.values_left for one in each),
        )

    @property
    def m_invariant(self) -> bool:
        """Whether the releases are m-invariant for an m of at least 2."""
        return self.m >= 2

    def summary(self) -> dict[str, object]:
        """Return the document that `attack composition --json` prints."""
        return {
            **self.everyone.summary(),
            "in_both": self.in_both.summary(),
            "only_first": self.only_first.summary(),
            "only_second": self.only_second.summary(),
            "m_invariant": self.m_invariant,
            "m": self.m,
            "repeating_classes": self.repeating_classes,
            "changed_signatures": self.changed_signatures,
        }


@checked
def attack_composition(
    first: TableInput,
    second: TableInput,
    *,
    person: str,
    quasi: Sequence[str],
    sensitive: str,
    first_known: TableInput | None = None,
    second_known: TableInput | None = None,
    first_plan: str | Path | Plan | None = None,
    second_plan: str | Path | Plan | None = None,
    first_policy: PolicyInput | None = None,
    second_policy: PolicyInput | None = None,
    sensitive_nulls: str = SensitiveNulls.NOT_COUNTED,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> CompositionAttack:
    """Intersect the values that two releases allow for each person, and check m-invariance; reads only.

    The attacker knows each person's class. Both releases have the column `person`, or `first_known`
    and `second_known` are tables of the persons with their quasi-identifiers: as labels or, with
    the plans, as raw values. Who is in one only may have any value of the class, except those of
    persons in both (Ganta, Kasiviswanathan and Smith, KDD 2008).

    Args:
        first: The first release.
        second: The second release.
        person: The column of persons.
        quasi: Columns that somebody could know about a person.
        sensitive: The sensitive column.
        first_known: Its persons.
        second_known: Its persons.
        first_plan: Its plan.
        second_plan: Its plan.
        first_policy: Its policy.
        second_policy: Its policy.
        sensitive_nulls: `value` if NULL counts as a sensitive value.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        Counts of the persons whose value the two releases expose together.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> first = pd.DataFrame({"id": [1, 2], "age": ["30-39"] * 2, "disease": ["flu", "cold"]})
    >>> second = pd.DataFrame({"id": [1, 3], "age": ["30-39"] * 2, "disease": ["flu", "asthma"]})
    >>> found = kanon_sql.attack_composition(first, second, person="id", quasi=["age"], sensitive="disease")
    >>> found.in_both.exposed
    1
    """
    quasi = check_named(quasi, "quasi")
    attribute = read_sensitive(sensitive, sensitive_nulls)
    plans = (first_plan, second_plan)
    check_tables(_known_problems([first_known, second_known], plans))
    with ExitStack() as stack:
        keeps_plan = any(plan is not None for plan in plans)
        run = attacking(stack, database, connection, settings, keeps_plan=keeps_plan)
        releases = [
            open_table(run, source, f"{nth}_release", f"the {nth} release")
            for nth, source in (("first", first), ("second", second))
        ]
        known = releases
        if first_known is not None:
            known = [
                open_table(run, source, f"{nth}_known", f"the known persons of the {nth} release")
                for nth, source in (("first", first_known), ("second", second_known))
            ]
        of_known = [] if known is releases else quasi
        check_tables(*(each.column_problems([person, *of_known]) for each in known))
        raised = [
            RaisedRecords(each, tuple(quasi))
            if plan is None
            else raise_records(run, each, plan, policy, quasi, kept=(person,))
            for each, plan, policy in zip(known, plans, (first_policy, second_policy), strict=True)
        ]
        pairs = [*zip(releases, map(_shared, raised, releases), strict=True)]
        check_tables(_quasi_problems(raised, pairs))
        check_tables(*(each.column_problems([*own.columns, sensitive]) for each, own in pairs))
        check_tables(
            type_problems(known[0], known[1], [person]),
            type_problems(releases[0], releases[1], [sensitive]),
            *(type_problems(own.table, each, own.columns) for each, own in pairs),
        )
        with run.engine.own_functions():
            check_tables(*(_person_problems(run, each, person) for each in known))
            members = [Members(each.table.table, person, each.columns) for _, each in pairs]
            return _compose(run, releases, members, attribute, show_values=show_values)


def _known_problems(
    known: Sequence[object | None], plans: Sequence[object | None]
) -> Iterator[Fault]:
    """List known tables that are given for one release only, and plans that are given without known tables."""
    missing = [each is None for each in known]
    if any(missing) and not all(missing):
        what = "is given for one release; give first_known and second_known, which may be one table"
        yield Fault("known", what)
    if all(missing) and any(plan is not None for plan in plans):
        what = "raises the values of known persons; give these by first_known and second_known"
        yield Fault("plan", what)


def _shared(own: RaisedRecords, release: NamedTable) -> RaisedRecords:
    """Keep the linking columns that the release has; without some of the quasi-identifiers its classes are larger."""
    there = {column.name for column in release.columns}
    return RaisedRecords(own.table, tuple(each for each in own.columns if each in there))


def _quasi_problems(
    raised: Sequence[RaisedRecords], pairs: Sequence[tuple[NamedTable, RaisedRecords]]
) -> Iterator[Fault]:
    """List quasi-identifiers that no release has, and releases that have none."""
    used = {name for _, own in pairs for name in own.columns}
    for name in dict.fromkeys(name for each in raised for name in each.columns):
        if name not in used:
            yield Fault(name, "is a column of neither release")
    for release, own in pairs:
        if not own.columns:
            yield Fault("quasi", f"{release.what} has none of these columns")


def _person_problems(run: Session, known: NamedTable, person: str) -> Iterator[Fault]:
    """List faults of a table of persons: rows in which the person is NULL, and persons with several rows."""
    missing = run.engine.fetch_count(source_sql.count_missing(known.table, person, rows=0))
    (repeats,) = run.engine.fetch_counts(source_sql.count_repeats(known.table, [person], rows=0))
    if missing:
        yield Fault(
            person,
            f"{clause(missing, 'row', 'have no person')} in {known.what}; leave out such rows",
        )
    if repeats:
        what = f"{clause(repeats, 'row', 'repeat a person')} in {known.what}, who would have several classes; keep one row a person"
        yield Fault(person, what)


def _compose(
    run: Session,
    releases: Sequence[NamedTable],
    members: Sequence[Members],
    sensitive: SensitiveAttribute,
    *,
    show_values: bool,
) -> CompositionAttack:
    """Count the values that remain possible for each person, and check m-invariance."""
    create, fetch = run.scratch.create, run.engine.fetch
    tables = []
    for release, member in zip(releases, members, strict=True):
        counts = create(
            "values", attacks_sql.sensitive_values, release.table, member.quasi, sensitive
        )
        classes = create("classes", attacks_sql.classes_of_values, counts, sensitive)
        tables.append(ReleaseTables(classes, counts))
    first, second = tables
    persons = create("persons", attacks_sql.persons, members, tables)
    overlaps = create("overlaps", attacks_sql.overlaps, persons)
    candidates = create(
        "candidates", attacks_sql.candidate_values, overlaps, (first, second), sensitive
    )
    found = {0: ExposedPersons(), 1: ExposedPersons(), 2: ExposedPersons()}
    changed = 0
    for row in fetch(attacks_sql.compose(overlaps, candidates, (first, second))):
        side, *counted, of_changed = map(whole, row)
        found[side] = ExposedPersons(*counted)
        changed += of_changed
    repeating, fewest = 0, []
    for each in tables:
        ((_, repeats, least),) = fetch(attacks_sql.invariant_classes(each.classes))
        repeating += whole(repeats)
        fewest.append(whole(least))
    shown: list[Mapping[str, object]] = []
    if show_values:
        statement = attacks_sql.exposed_persons(persons, candidates, MOST_SHOWN)
        shown += [{"person": shown_text(p), "value": shown_text(v)} for p, v in fetch(statement)]
    return CompositionAttack(
        in_both=found[0],
        only_first=found[1],
        only_second=found[2],
        repeating_classes=repeating,
        changed_signatures=changed,
        m=0 if repeating or changed else min(fewest),
        shown=tuple(shown),
    )
