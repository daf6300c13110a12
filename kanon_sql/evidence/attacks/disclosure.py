"""Attacks on one table: known records are linked to its rows, and a sensitive value is inferred from a class.

For a release the known values are first raised to the labels of its plan. The steps that all attacks share are here
too: a run without a policy is opened, columns are checked, and the few values shown are formatted.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.mapping import map_columns
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import NO_POLICY, NamedTable, open_table
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.column_problems import types_apart
from kanon_sql.counting.source.open_source import (
    OpenSource,
    is_read_as_text,
    text_columns_statement,
    with_collations,
)
from kanon_sql.engines.base import whole
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.evidence.attacks import attacks_sql
from kanon_sql.evidence.attacks.attacks_sql import InferredValues, LinkedTables
from kanon_sql.policy.hierarchies.labels_sql import Released, release_map
from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute, SensitiveNulls
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan, plan_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.model import Column


@dataclass(frozen=True, slots=True)
class RaisedRecords:
    """A table of known records, and its linking columns (labels, or values if not raised) as the release names them."""

    table: NamedTable
    columns: tuple[str, ...]


def raise_records(
    run: Session,
    known: NamedTable,
    plan: str | Path | Plan,
    policy_input: PolicyInput | None,
    columns: Sequence[str],
    *,
    kept: Sequence[str] = (),
) -> RaisedRecords:
    """Replace the known values in `columns` by the labels of a plan.

    Columns that are not quasi-identifiers of the plan keep their values, and so do the columns `kept`. Records with
    a value that has no label are left out: no row of the release can match them. Raises InputError if the plan gives
    a value no single label, and StalePlanError if the policy or a hierarchy changed since the plan was made.
    """
    named = name_plan(plan, policy_input)
    policy = named.read_policy()
    if why := named.plan.recoding.many_labels:
        what = (
            f"{why}, so that a known value has no label of its own; give a full-domain plan, or known records that "
            f"have the release's labels already and no plan"
        )
        raise InputError("plan", [Fault("recoding", what)])
    quasi = tuple(each for each in policy.quasi if each.name in columns)
    _check_labels(quasi)
    own = replace(run, policy=policy, overrides=named.plan.overrides)
    check_plan(own, named)
    # Only the hierarchies of the known columns are mapped.
    of_known = replace(own, policy=replace(policy, columns=quasi))
    opened = _open_known(of_known, known)
    mapped = map_columns(of_known, opened, new=True, only_entered=True)
    if faults := plan_problems(own.policy, named.plan, mapped):
        raise StalePlanError("plan", faults)
    released = []
    for each in mapped:
        level, height = named.plan.levels[each.column.name], each.hierarchy.height
        one = Released(each.column, level, height, run.scratch.table("map"))
        run.engine.execute(release_map(one, each.domain, each.paths))
        released.append(one)
    names = {each.column.name: each.names for each in released}
    others = [each for each in columns if each not in names]
    table = run.scratch.create(
        "raised",
        attacks_sql.raised_records,
        opened.table,
        released,
        list(dict.fromkeys([*others, *kept])),
    )
    labels = tuple(each for text in columns for each in names.get(text, (text,)))
    described = tuple(run.engine.columns(table))
    return RaisedRecords(NamedTable(known.what, table, described), labels)


def _check_labels(known: Sequence[Column]) -> None:
    """Raise InputError for columns whose released cells depend on the rows of a class, not on the value alone."""
    what = (
        "follows from the rows of a class, so that a known value has no label of its own; leave the column out, or give "
        "known records that have the release's labels already and no plan"
    )
    faults = [
        Fault(f"columns.{each.name}", f"is released as output: {each.output}, which {what}")
        for each in known
        if each.output.is_of_rows
    ]
    if faults:
        raise InputError("plan", faults)


def _open_known(run: Session, known: NamedTable) -> OpenSource:
    """Read known records as a source is read, so that their values get the same labels."""
    columns = with_collations(run, known.table, known.columns)
    table = known.table
    if any(map(is_read_as_text, columns)):
        table = run.scratch.table("plain")
        run.see(table, text_columns_statement(table, known.table, columns))
        columns = tuple(run.engine.columns(table))
    return OpenSource(table, columns, run.engine.fetch_count(source_sql.count_rows(table)))


MOST_SHOWN = 20
"""The most classes, known records or persons whose values a result shows."""


def attacking(
    stack: ExitStack,
    database: str | None,
    connection: object | None,
    settings: Settings | None,
    *,
    keeps_plan: bool = False,
) -> Session:
    """Open a read-only run without a policy, which `stack` closes.

    With `keeps_plan` the run hashes with the user's stored key, so that a plan's hashes can be compared.
    """
    engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
    return stack.enter_context(session(engine, NO_POLICY, keeps_plan=keeps_plan))


def check_tables(*faults: Iterable[Fault]) -> None:
    """Raise InputError if there is any fault; equal faults are listed once."""
    if listed := dict.fromkeys(chain(*faults)):
        raise InputError("attack", listed)


def check_named(names: Sequence[str], option: str) -> Sequence[str]:
    """Return the names without repeats. Raises InputError for `option` if there are none."""
    if not names:
        check_tables([Fault(option, "name at least one column")])
    return list(dict.fromkeys(names))


def read_sensitive(column: str, nulls: str) -> SensitiveAttribute:
    """Return the sensitive attribute, which treats NULL as `nulls` says. Raises InputError for another word."""
    if nulls not in list(SensitiveNulls):
        check_tables([Fault("sensitive_nulls", f"is {' or '.join(SensitiveNulls)}")])
    return SensitiveAttribute(column, SensitiveNulls(nulls))


def shown_text(cell: object) -> str | None:
    """Return a cell's value as text, or None for NULL. Only callers who asked for values may see it."""
    return None if cell is None else str(cell)


def type_problems(one: NamedTable, other: NamedTable, names: Iterable[str]) -> Iterator[Fault]:
    """List the columns whose equal values may have different texts in two tables: attacks compare values as texts."""
    for name, own, others in types_apart(one.columns, other.columns, names):
        what = (
            f"is of type {own} in {one.what} and {others} in {other.what}: values are "
            f"compared by their texts; cast one of the two"
        )
        yield Fault(name, what)


@dataclass(frozen=True, slots=True)
class Linkage:
    """A histogram: `candidates` maps a number of candidates to the number of known records that have so many.

    A candidate is a row or a person with the same linking values. Who picks one of n is right with
    probability 1/n.
    """

    candidates: Mapping[int, int]

    @property
    def matched(self) -> int:
        """The known records that have a candidate."""
        return sum(records for n, records in self.candidates.items() if n)

    @property
    def unique(self) -> int:
        """The known records that have exactly one candidate."""
        return self.candidates.get(1, 0)

    @property
    def average(self) -> float:
        """The mean probability of picking the right candidate, over the matched records; 0 if there are none."""
        chances = (records / n for n, records in self.candidates.items() if n)
        return math.fsum(chances) / self.matched if self.matched else 0.0

    @property
    def highest(self) -> float:
        """The highest probability of picking the right candidate; 0 if no record is matched."""
        return max((1 / n for n in self.candidates if n), default=0.0)

    def summary(self) -> dict[str, object]:
        """Return the four figures as a mapping."""
        return {
            "matched": self.matched,
            "unique": self.unique,
            "average": self.average,
            "highest": self.highest,
        }


@dataclass(frozen=True, slots=True)
class LinkAttack:
    """The result of a linking attack on a table and, if one was given, on its release.

    `shown` has some of the `known` records with exactly one candidate, if values were asked for.
    """

    known: int
    target: Linkage
    released: Linkage | None = None
    shown: tuple[Mapping[str, object], ...] = ()

    def summary(self) -> dict[str, object]:
        """Return the document that `attack link --json` prints."""
        found: dict[str, object] = {"known": self.known, **self.target.summary()}
        if self.released is not None:
            found["released"] = self.released.summary()
        return found


@checked
def attack_link(
    target: TableInput,
    known: TableInput,
    *,
    on: Sequence[str],
    released: TableInput | None = None,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    entity: str | None = None,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> LinkAttack:
    """Link known records to a table by the columns `on`, and count how many candidates each has; reads only.

    Values are compared as texts, and NULL is one. With a `plan` the known values are raised to its
    labels. With `entity` candidates are people, and rows where it is NULL are none (Sweeney, IJUFKS
    10(5), 2002).

    Args:
        target: The attacked table.
        known: The records that the attacker knows.
        on: Columns of both tables.
        released: A release of the target.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        entity: The column of people, who are then the candidates.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The number of candidates of the known records, in the target and in the release.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["31", "34"], "disease": ["flu", "cold"]})
    >>> known = pd.DataFrame({"age": ["31"]})
    >>> kanon_sql.attack_link(table, known, on=["age"]).target.unique
    1
    """
    names = check_named(on, "on")
    with ExitStack() as stack:
        run = attacking(stack, database, connection, settings, keeps_plan=plan is not None)
        records = open_table(run, known, "known", "the known records")
        attacked = [open_table(run, target, "target", "the target")]
        if released is not None:
            attacked.append(open_table(run, released, "released", "the release"))
        check_tables(records.column_problems(names))
        plainly = raised = RaisedRecords(records, tuple(names))
        if plan is not None:
            raised = raise_records(run, records, plan, policy, names)
        # The plan recoded the last table: the release, if one is given.
        linked = [*((each, plainly) for each in attacked[:-1]), (attacked[-1], raised)]
        counted = [] if entity is None else [entity]
        check_tables(*(each.column_problems([*own.columns, *counted]) for each, own in linked))
        check_tables(*(type_problems(own.table, each, own.columns) for each, own in linked))
        count = run.engine.fetch_count(source_sql.count_rows(records.table))
        with run.engine.own_functions():
            statements = [
                LinkedTables(own.table.table, each.table, own.columns, entity)
                for each, own in linked
            ]
            first, *after = [_linkage(run, each, count) for each in statements]
            shown = _shown(run, statements[-1]) if show_values else ()
        return LinkAttack(count, first, after[0] if after else None, shown)


def _linkage(run: Session, linked: LinkedTables, known: int) -> Linkage:
    """Count the `known` records by candidates; records left out because a value has no label have none."""
    found = {whole(n): whole(records) for n, records in run.engine.fetch(linked.count_candidates())}
    found[0] = known - sum(records for n, records in found.items() if n)
    return Linkage(found)


def _shown(run: Session, linked: LinkedTables) -> tuple[Mapping[str, object], ...]:
    """Read the values of some known records that have one candidate."""
    rows = run.engine.fetch(linked.unique_records(MOST_SHOWN))
    return tuple(dict(zip(linked.columns, map(shown_text, row), strict=True)) for row in rows)


@dataclass(frozen=True, slots=True)
class AttributeDisclosure:
    """The result of an attack by someone who can exclude `excluding` other sensitive values of each class.

    `rows_with_value` have a value that is counted. The value of `exposed_rows`, in `exposed_classes`, is certain.
    `shown` has labels and values of some exposed classes, if values were asked for.
    """

    excluding: int
    rows: int
    rows_with_value: int
    classes: int
    exposed_rows: int
    exposed_classes: int
    highest: float
    shown: tuple[Mapping[str, object], ...] = ()

    @property
    def exposed_share(self) -> float:
        """The share of the rows with a value whose value is known for sure; 0 if there are none."""
        return self.exposed_rows / self.rows_with_value if self.rows_with_value else 0.0

    def summary(self) -> dict[str, object]:
        """Return the document that `attack homogeneity --json` and `attack background --json` print."""
        return {
            "excluding": self.excluding,
            "rows": self.rows,
            "rows_with_value": self.rows_with_value,
            "classes": self.classes,
            "exposed_rows": self.exposed_rows,
            "exposed_classes": self.exposed_classes,
            "exposed_share": self.exposed_share,
            "highest": self.highest,
        }


@checked
def attack_homogeneity(
    source: TableInput,
    *,
    quasi: Sequence[str],
    sensitive: str,
    sensitive_nulls: str = SensitiveNulls.NOT_COUNTED,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> AttributeDisclosure:
    """Count the rows whose sensitive value is known for sure, as all rows of their class have it; reads only.

    The attack is that of Machanavajjhala and others (ICDE 2006).

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        sensitive: The sensitive column.
        sensitive_nulls: `value` if NULL counts as a sensitive value.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The classes and rows whose value is known.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["30-39", "30-39", "50-59"], "disease": ["flu", "flu", "cold"]})
    >>> kanon_sql.attack_homogeneity(table, quasi=["age"], sensitive="disease").exposed_rows
    3
    """
    return attack_background(
        source,
        quasi=quasi,
        sensitive=sensitive,
        excluding=0,
        sensitive_nulls=sensitive_nulls,
        show_values=show_values,
        database=database,
        connection=connection,
        settings=settings,
    )


@checked
def attack_background(
    source: TableInput,
    *,
    quasi: Sequence[str],
    sensitive: str,
    excluding: int,
    sensitive_nulls: str = SensitiveNulls.NOT_COUNTED,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> AttributeDisclosure:
    """Compute how surely an attacker who excludes the most frequent other values infers a value; reads only.

    In a class of n rows with a value, c of them v, the probability of v is c / (n - the rows of the `excluding` most
    frequent other values); `highest` is the largest. NULL is a value of quasi-identifiers. Recursive (c, l)-diversity
    with l = excluding + 2 bounds it (Machanavajjhala and others, ICDE 2006).

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        sensitive: The sensitive column.
        excluding: How many values the attacker can exclude.
        sensitive_nulls: `value` if NULL counts as a sensitive value.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The exposed rows and classes, and the highest probability.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["30-39"] * 3, "disease": ["flu", "flu", "cold"]})
    >>> kanon_sql.attack_background(table, quasi=["age"], sensitive="disease", excluding=1).highest
    1.0
    """
    quasi = check_named(quasi, "quasi")
    attribute = read_sensitive(sensitive, sensitive_nulls)
    check_tables([] if excluding >= 0 else [Fault("excluding", "must be at least 0")])
    with ExitStack() as stack:
        run = attacking(stack, database, connection, settings)
        table = open_table(run, source, "attacked")
        check_tables(table.column_problems([*quasi, sensitive]))
        inferred = InferredValues(table.table, quasi, attribute, excluding)
        with run.engine.own_functions():
            ((*counts, highest),) = run.engine.fetch(inferred.infer_values())
            shown: list[Mapping[str, object]] = []
            if show_values:
                for *labels, value, count in run.engine.fetch(inferred.exposed_classes(MOST_SHOWN)):
                    named = dict(zip(quasi, map(shown_text, labels), strict=True))
                    of_value = {"value": shown_text(value), "rows": whole(count)}
                    shown.append({"labels": named, **of_value})
        classes, rows, valued, exposed_classes, exposed_rows = map(whole, counts)
        return AttributeDisclosure(
            excluding,
            rows,
            valued,
            classes,
            exposed_rows,
            exposed_classes,
            float(str(highest or 0)),
            tuple(shown),
        )
