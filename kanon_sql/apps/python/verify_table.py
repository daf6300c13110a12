"""The public function `verify`: recounts any table by the privacy models that the caller gives."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.shapes import Wrong
from kanon_sql.counting.hierarchies.value_axes import without_place
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import NO_POLICY, open_table
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.exposed_rows import (
    count_few_people,
    count_unique_rows,
    scalar,
    unique_columns,
)
from kanon_sql.counting.source.open_source import open_recoded
from kanon_sql.counting.source.person_keys import person_key
from kanon_sql.engines.connect import Settings, open_engine
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.release_quality.measure_release import quality
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.policy_rules import entity_column, is_released
from kanon_sql.policy.privacy.candidates_sql import verify_candidates
from kanon_sql.policy.privacy.declared_models import models_asked
from kanon_sql.policy.privacy.demands import (
    demands,
    demands_of_a_reader,
    not_of_signatures,
    sensitive_attributes,
    uncounted,
)
from kanon_sql.policy.privacy.fitting_sql import ClassPopulation
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity
from kanon_sql.policy.privacy.populations import population_of
from kanon_sql.policy.privacy.privacy_model import Channel, SensitiveNulls
from kanon_sql.recoding.linked_rows import count_linked, count_missing_values
from kanon_sql.recoding.recount import Verification, count_short, fetch_recount, recount_statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.python.plan_recoding import Release
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import (
        Connection,
        ModelsInput,
        NamedTable,
        PolicyInput,
        TableInput,
    )
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.privacy.privacy_model import PrivacyModel, SensitiveAttribute
    from kanon_sql.recoding.measured import Quality


BOTH = "people are counted by entity or by signature, not both"
RECOUNTED = (Nulls.CATEGORY, Nulls.WILDCARD)
"""The treatments of NULL in quasi-identifiers that a recount knows; others leave no NULL in a release."""


@checked
def verify(
    source: TableInput,
    *,
    quasi: Sequence[str],
    k: int | None = None,
    entity: str | None = None,
    signature: str | None = None,
    distinct_l: Mapping[str, int] | None = None,
    privacy: ModelsInput | None = None,
    order: Mapping[str, object] | None = None,
    sensitive_nulls: str = SensitiveNulls.NOT_COUNTED,
    nulls: str = Nulls.CATEGORY,
    suppressed_label: str | None = None,
    against: TableInput | None = None,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> Verification:
    """Recount any table: check that every class is as large, and as diverse, as required.

    NULL is a value; with `nulls="wildcard"` it matches any, and only k, in rows, is counted. Models
    that compare distributions compare with this table: `reference: source` is refused.

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        k: The least rows, or people, of a class.
        entity: The column whose distinct values are counted; by default rows.
        signature: The column of people, where a class is the people with equal rows.
        distinct_l: The least distinct values by sensitive column.
        privacy: Models as a policy states them.
        order: Orders as a policy states them.
        sensitive_nulls: `value` if NULL counts as a sensitive value.
        nulls: `category`, or `wildcard`.
        suppressed_label: The label of suppressed rows, which are then in no class but counted apart.
        against: The source of the table, to measure utility.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The counts, and whether all requirements `passed`.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The table cannot be read.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["30-39", "30-39", "50-59"], "disease": ["flu", "cold", "flu"]})
    >>> found = kanon_sql.verify(table, quasi=["age"], k=2)
    >>> found.passed, found.smallest_class, found.short_classes
    (False, 1, 1)
    """
    measured = _measured_beside(
        *(source, against, plan, policy),
        quasi=quasi,
        k=k,
        database=database,
        connection=connection,
        settings=settings,
    )
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
        run = stack.enter_context(session(engine, NO_POLICY))
        name = str(source) if isinstance(source, str | Path) else "verify"
        opened = open_table(run, source, "verified")
        named = [
            *quasi,
            *(distinct_l or {}),
            *(each for each in (entity, signature) if each is not None),
        ]
        faults = list(opened.column_problems(named))
        if not {each.name for each in opened.columns} >= set(order or {}):
            faults.append(Fault("order", "names what is not a column of the table"))
        if not quasi:
            faults.append(Fault("quasi", "name at least one quasi-identifier"))
        if entity is not None and signature is not None:
            faults.append(Fault("signature", BOTH))
        others = bool(entity or signature or distinct_l or privacy)
        faults += _of_nulls(sensitive_nulls, nulls, of_k_alone=k is not None and not others)
        if k is None and not privacy:
            faults.append(Fault("k", "say k, or privacy"))
        if (k is not None and k < 1) or any(least < 1 for least in (distinct_l or {}).values()):
            faults.append(Fault("k", "must be at least 1"))
        if faults:
            raise InputError(name, faults)
        unknown = SensitiveNulls(sensitive_nulls)
        diverse = [DistinctDiversity(of, n, nulls=unknown) for of, n in (distinct_l or {}).items()]
        models = (*diverse, *models_asked(privacy, order or {}, quasi, unknown))
        if k is not None:
            models = (KAnonymity(k), *models)
        asked = demands_of_a_reader(models)
        attributes = sensitive_attributes(r for each in asked for r in each.requirements)
        read = [*(of.column for of in attributes), *(each for of in asked for each in of.columns)]
        faults = [*opened.column_problems(read), *_not_counted(models)]
        if signature is not None:
            faults += [Fault("privacy", what) for what in not_of_signatures(models)]
        if faults:
            raise InputError(name, faults)
        person = entity if signature is None else signature
        quasi = list(dict.fromkeys(quasi))
        opened, left_out = _not_suppressed(run, opened, quasi, suppressed_label)
        of = population_of(models)
        beside = None if of is None else ClassPopulation(open_recoded(run, of, quasi))
        with engine.own_functions():
            counted: dict[tuple[str, ...], Verification] = {}
            for each in asked:
                statement = recount_statement(
                    opened.table,
                    each.columns or quasi,
                    each.requirements,
                    entity=person,
                    signature=signature is not None,
                    population=beside,
                )
                if nulls == Nulls.WILDCARD and k is not None:
                    statement = verify_candidates(opened.table, quasi, least=k)
                recounted = fetch_recount(engine, statement, each.requirements)
                counted[each.columns] = count_short(engine, statement, recounted, person)
            found = counted.pop(())
            of_rows = None if nulls == Nulls.WILDCARD else k
            return replace(
                _exposed(run, opened, found, quasi, person, k=of_rows),
                passed=found.passed and all(each.passed for each in counted.values()),
                over=counted,
                suppressed_before=left_out,
                missing_values=()
                if signature is not None or nulls == Nulls.WILDCARD  # no groups of equal labels
                else count_missing_values(
                    run, opened.table, asked, lambda each: each.columns or quasi, entity=person
                ),
                without_place=dict(_misplaced(run, opened.table, attributes)),
                quality=measured,
            )


def verify_release(release: Release) -> Verification:
    """Recount the rows of a release where they are now, against the models of its policy. Raises InputError."""
    origin = release.plan.origin
    if origin is None:  # of a release that came out of another process
        raise InputError("release", [Fault("policy", "is not known any more; use verify()")])
    policy = origin.policy
    of = entity_column(policy)
    if policy.entity is not None and (of is None or not is_released(of)):
        what = "is not released, so nobody can count people in the release; its verification counted them before"
        raise InputError("release", [Fault("entity", what)])
    person = None if of is None or policy.entity is None else of.name
    of_candidates = policy.nulls is Nulls.WILDCARD  # then k is the only model
    return verify(
        release.relation if release.place is None else str(release.place),
        quasi=[name for each in policy.quasi for name in each.released_as],
        k=demands(policy.privacy)[0].class_size if of_candidates else None,
        privacy=None if of_candidates else policy.privacy,
        nulls=Nulls.WILDCARD if of_candidates else Nulls.CATEGORY,
        entity=None if policy.signature else person,
        signature=person if policy.signature else None,
        database=policy.database if origin.connection is None else None,
        connection=origin.connection,
        settings=origin.settings,
    )


def _not_suppressed(
    run: Session, opened: NamedTable, quasi: Sequence[str], label: str | None
) -> tuple[NamedTable, int | None]:
    """Exclude the rows that have only the label of suppressed rows, if one is given, and count them."""
    return (opened, None) if label is None else opened.without_suppressed(run, quasi, label)


def _measured_beside(
    release: object,
    source: object,
    plan: str | Path | Plan | None,
    policy: PolicyInput | None,
    *,
    quasi: Sequence[str],
    k: int | None,
    database: str | None,
    connection: object | None,
    settings: Settings | None,
) -> Quality | None:
    """Measure the table against its source, if there is one. Raises InputError."""
    of_plan = plan is not None or policy is not None
    if source is None:
        if of_plan:
            raise InputError("verify", [Fault("against", "is missing: plan and policy go with it")])
        return None
    if of_plan:
        return quality(
            release, source, plan=plan, policy=policy, connection=connection, settings=settings
        )
    return quality(
        release,
        source,
        quasi=quasi,
        k=k,
        database=database,
        connection=connection,
        settings=settings,
    )


def _misplaced(
    run: Session, view: exp.Table, attributes: Iterable[SensitiveAttribute]
) -> Iterator[tuple[str, str]]:
    """Yield the ordered columns with values that have no place in their order, and a text on these."""
    for each in attributes:
        if each.order is not None:
            why = without_place(run, view, each.column, each.order)
            if why is not None:
                yield each.column, why


def _exposed(
    run: Session,
    opened: NamedTable,
    found: Verification,
    quasi: Sequence[str],
    person: str | None,
    *,
    k: int | None,
) -> Verification:
    """Add counts of rows and people that can be singled out although classes are large.

    If classes count rows, the other columns are searched for a key of people, to count classes of few people.
    """
    linking = [] if person is None else [person]
    found = replace(found, linked=count_linked(run, opened.table, quasi, linking))
    known = {*quasi, *linking}
    others = [each for each in opened.columns if each.name not in known]
    plain = [each.name for each in scalar(others)]
    if not others or not found.rows:
        return found
    few = None
    if person is None and k is not None:
        key = person_key(run.engine, opened.table, opened.columns, among=plain, rows=found.rows)
        if key is not None:
            few = count_few_people(run.engine, opened.table, quasi, key.name, k=k)
    over = [*quasi, *(each.name for each in others)] if len(others) > 1 else []
    return replace(
        found,
        unique_rows=count_unique_rows(run.engine, opened.table, over, quasi=quasi)
        if over
        else None,
        unique_columns=unique_columns(run.engine, opened.table, plain),
        few_people=few,
    )


def _of_nulls(sensitive: str, quasi: str, *, of_k_alone: bool) -> Iterator[Fault]:
    """Yield a fault for each wrong treatment of NULL, in sensitive columns and in quasi-identifiers."""
    if sensitive not in list(SensitiveNulls):
        yield Fault("sensitive_nulls", f"is {' or '.join(SensitiveNulls)}")
    if quasi not in RECOUNTED:
        yield Fault("nulls", f"is {' or '.join(RECOUNTED)}")
    if quasi == Nulls.WILDCARD and not of_k_alone:
        yield Fault("nulls", "wildcard is of k alone, counted in rows")


def _not_counted(models: Sequence[PrivacyModel]) -> Iterator[Fault]:
    """Yield a fault for each model that cannot be recounted from the table, and for wrong populations."""
    try:
        population_of(models)
    except Wrong as wrong:
        yield from (Fault("privacy", what) for _, what in wrong.problems)
    for why in dict.fromkeys(uncounted(models, Channel.VERIFY)):
        yield Fault("privacy", f"{Channel.VERIFY} {why}")
