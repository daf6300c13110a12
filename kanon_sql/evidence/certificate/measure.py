"""Lists the claims of a plan and its policy about a release, and counts them in the released rows.

`certify` writes a certificate from one count, and `verify` compares the certificate with another.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING

from kanon_sql.counting.hierarchies.value_axes import without_place
from kanon_sql.counting.plans.recodings import column_texts
from kanon_sql.counting.run.inputs import as_in_policy
from kanon_sql.counting.run.session import plan_key
from kanon_sql.counting.source.column_problems import tagged_type_problems
from kanon_sql.counting.source.exposed_rows import (
    FewPeople,
    UniqueOverAll,
    count_few_people,
    count_unique_rows,
    linked_by_all,
)
from kanon_sql.counting.source.files import read_files
from kanon_sql.counting.source.open_source import OpenSource
from kanon_sql.counting.source.person_keys import person_key
from kanon_sql.counting.source.source_hashes import seal
from kanon_sql.engines.base import ColumnType, whole
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.certificate import claims_sql
from kanon_sql.evidence.certificate.certificate import (
    Band,
    Certificate,
    CountError,
    Quasi,
    digest,
    size_bands,
)
from kanon_sql.evidence.certificate.claims import (
    ClaimVerdict,
    Kind,
    claims_of,
    entity_recountable,
    failed,
    released_names,
)
from kanon_sql.evidence.certificate.claims_sql import ClaimedRelease
from kanon_sql.evidence.release_quality.simple_counts import count_release
from kanon_sql.policy.metrics.registry import COUNT_ERROR, COUNT_ERROR_PLAIN
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.overrides import overridden
from kanon_sql.policy.privacy.fitting_sql import ClassPopulation
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.privacy_model import Requirement
from kanon_sql.policy.stated_roles import Linked, column_roles, linking_columns
from kanon_sql.recoding import recount
from kanon_sql.recoding.linked_rows import count_linked
from kanon_sql.recoding.planning.open_plan import check_plan, open_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.locations import Source
    from kanon_sql.evidence.certificate.certificate import FilesLocation, TableLocation
    from kanon_sql.evidence.certificate.claims import Claim
    from kanon_sql.policy.privacy.privacy_model import Measure
    from kanon_sql.recoding.planning.open_plan import NamedPlan
    from kanon_sql.release.series.shown_rows import SeriesStatus


def claimed_by(
    run: Session,
    named: NamedPlan,
    location: TableLocation | FilesLocation,
    series: SeriesStatus | None = None,
    counts: Plan | None = None,
) -> Certificate:
    """Return the certificate of a plan's release before anything is counted.

    Of a `series` the claims are those of `counts`, the plan with the counts of the ledger.

    Raises StalePlanError where the plan does not fit its policy, and InputError where NULL is a wildcard.
    """
    policy, chosen = run.policy, named.plan
    if policy.nulls is Nulls.WILDCARD:
        what = "wildcard is not what a certificate counts, to which NULL is a value: verify the release instead"
        raise InputError(policy.subject, [policy.fault("nulls", what)])
    check_plan(run, named)
    written = named.file.read_bytes() if named.file else chosen.to_yaml().encode()
    texts, over = column_texts(chosen.recoding, chosen.heights), linked_by_all(policy)
    return Certificate(
        made_by=version("kanon-sql"),
        engine=run.engine.version,
        dialect=run.engine.dialect,
        plan=digest(written),
        policy=chosen.policy_digest,
        about=policy.about,
        roles=column_roles(policy),
        location=location,
        columns=tuple((name, False) for name in released_names(policy)),
        rows=0,
        types=(),
        fingerprint="sha256:0",
        entity=policy.entity,
        entity_released=entity_recountable(policy),
        nulls=policy.nulls.value,
        quasi=tuple(
            Quasi(c.name, c.released_as, text) for c, text in zip(policy.quasi, texts, strict=True)
        ),
        claims=claims_of(policy, counts or chosen),
        sizes=(),
        linked=tuple(Linked(name, 0, 0) for name in linking_columns(policy)),
        unique=UniqueOverAll(tuple(over), 0, 0) if over else None,
        count_error=_stated_error(chosen) if series is None else None,
        series=series,
    )


def _stated_error(plan: Plan) -> CountError | None:
    """Return the error of simple counts as a plan states it; None if it does not."""
    error, plain = (plan.figures.get(each.key) for each in (COUNT_ERROR, COUNT_ERROR_PLAIN))
    return None if error is None or plain is None else CountError(error, plain, counted=False)


def count_error(
    run: Session, named: NamedPlan, view: exp.Table, source: str
) -> tuple[CountError, list[Fault]]:
    """Count the error of simple counts of a release beside its source, and compare it with that of the plan.

    Raises StalePlanError where the source is not that of the plan, and InputError where it cannot be read, or there is no
    such error: with one quasi-identifier, or where labels cover no known value.
    """
    policy = named.read_policy()
    given = {"source": as_in_policy(run.engine, source, policy.base)}
    own = replace(
        run,
        policy=overridden(policy, given),
        overrides={**named.plan.overrides, **given},
        key=plan_key(keep=True),
    )
    counts = count_release(own, open_plan(own, named), view)
    if counts is None:
        what = "shows no error of simple counts: it has one quasi-identifier, or its labels cover no known value"
        raise InputError("against", [Fault("the release", what)])
    error, plain = (float(f"{each:.4g}") for each in counts)
    found, stated = CountError(error, plain, counted=True), _stated_error(named.plan)
    if stated is not None and stated.figures != found.figures:
        return found, [Fault("count_error", f"{found}; the plan states that {stated}")]
    return found, []


def hidden_columns(run: Session, source: Source, base: str) -> Iterator[Fault]:
    """Yield a fault for each column in files that a partition folder of the same name hides.

    Someone who reads one file alone sees such a column. Only files that DuckDB reads are checked.
    """
    if source.path is None or not run.engine.capabilities.local_files:
        return
    read = read_files(run.engine, source, base)
    if not read.partitions:
        return
    alone, keys = run.scratch.table("alone"), {each.casefold() for each in read.partitions}
    run.see(alone, replace(read, partitions=()).opened(alone, local=True))
    what = "is a column of the files, too, which the folders of that name hide"
    for each in run.engine.columns(alone):
        if each.name.casefold() in keys:
            yield Fault(f"columns.{each.name}", what)


def tagged_columns(columns: Sequence[ColumnType]) -> Iterator[Fault]:
    """Yield a fault for each column with values that a reader can distinguish, but counts and the row hash cannot."""
    return tagged_type_problems(columns, [column.name for column in columns])


OF_NUMBERS = {"integer": "number", "decimal": "number"}
"""Families of types that compare as one, as engines may read one as the other."""


def type_of(column: ColumnType) -> str:
    """Return the type of a column as a certificate states it, without the values that an ENUM lists."""
    return column.type.split("(")[0] if "ENUM(" in column.type.upper() else column.type


def changed_columns(
    found: Certificate, columns: Sequence[ColumnType], dialect: str
) -> Iterator[Fault]:
    """List how the columns of a release differ from those that were certified, in their types and their order.

    Another engine has other names of types: there only kinds of types are compared, as far as they are known.
    """
    if tuple(each.name for each in columns) != tuple(name for name, _ in found.columns):
        yield Fault("columns", "are in another order than they were certified in")
    there = {each.name: each for each in columns}
    for (name, _), then in zip(found.columns, found.types, strict=True):
        now = there[name]
        if dialect == found.dialect:
            differs = type_of(now) != then
        else:
            kinds = {
                OF_NUMBERS.get(each.family, each.family) for each in (now, ColumnType(name, then))
            }
            differs = len(kinds) > 1 and "other" not in kinds
        if differs:
            yield Fault(name, f"is {type_of(now)}, and was certified as {then}")


def other_columns(expected: Iterable[str], columns: Iterable[ColumnType]) -> list[Fault]:
    """List a fault for each column that is missing from a release, and for each that should not be there."""
    names, there = set(expected), {column.name for column in columns}
    return [
        Fault(f"columns.{name}", "is missing" if name in names else "is unexpected")
        for name in sorted(names ^ there)
    ]


def recounted(run: Session, view: exp.Table, claimed: Certificate) -> tuple[Claim, ...]:
    """Count the claims in a release with all certified columns; claims about a population stay uncounted."""
    release = ClaimedRelease.of(claimed, view)
    rows = run.engine.fetch(claims_sql.claims(release, rows=claimed.rows))
    return tuple(
        claim
        if claim.of_population
        else replace(claim, found=0 if found is None else int(Fraction(str(found)) * claim.divisor))
        for claim, (_, _, found) in zip(claimed.claims, rows, strict=True)
    )


def figures_of(claims: Iterable[Claim]) -> dict[tuple[tuple[str, ...], Measure], int]:
    """Return the counts of the privacy models' claims, by the columns of their classes and the measure."""
    return {
        (claim.over, SIZE if claim.measure is None else claim.measure): claim.found
        for claim in claims
        if claim.found is not None
        and claim.recounted
        and not claim.of_population
        and (claim.measure is not None or claim.kind is Kind.K)
    }


def failures(run: Session, view: exp.Table, claims: tuple[Claim, ...]) -> Iterator[Fault]:
    """Yield a fault for each claim that fails, and for each column of these whose order lacks some of its values."""
    yield from failed(claims)
    short = (claim for claim in claims if claim.verdict is ClaimVerdict.FAIL)
    for column, order in dict.fromkeys((claim.counts, claim.order) for claim in short):
        if column is not None and order is not None:
            what = without_place(run, view, column, order)
            if what is not None:
                yield Fault(f"columns.{column}", f"{what}: a class that has one is at distance 1")


def against_population(
    run: Session,
    view: exp.Table,
    claimed: Certificate,
    claims: tuple[Claim, ...],
    population: exp.Table | None,
) -> tuple[Claim, ...]:
    """Count the claims that compare classes with a population, whose rows are recoded as the release is.

    Claims about the population's rows outside all released classes stay unchecked: the release does not show which
    of these rows the source had. Without a population, all claims about it stay unchecked.
    """
    if population is None:
        return claims
    found = []
    for claim in claims:
        measure = claim.measure
        if not claim.of_population or measure is None or measure.of_rest or measure.of_absent:
            found.append(claim)
            continue
        statement = recount.recount_statement(
            view,
            claimed.released_as(claim.over),
            (Requirement(SIZE, 1), Requirement(measure, claim.bound)),
            entity=None,
            population=ClassPopulation(population),
        )
        ((*_, worst, _),) = run.engine.fetch(statement)
        found.append(replace(claim, found=None if worst is None else int(str(worst))))
    return tuple(found)


def measured(
    run: Session,
    view: exp.Table,
    columns: Iterable[ColumnType],
    claimed: Certificate,
    claims: tuple[Claim, ...],
) -> Certificate:
    """Return the certificate with the counted claims, and count all other figures that it states."""
    rows = next(int(claim.found or 0) for claim in claims if claim.kind is Kind.ROWS)
    by_name = {column.name: column for column in columns}
    ordered = tuple(by_name[name] for name, _ in claimed.columns)
    quasi, over = claimed.released_as(()), claimed.unique
    return replace(
        claimed,
        rows=rows,
        columns=tuple((column.name, column.nested) for column in ordered),
        fingerprint=seal(run, OpenSource(view, ordered, rows)),
        claims=claims,
        sizes=_class_sizes(run, view, claimed),
        linked=count_linked(run, view, quasi, [e.column for e in claimed.linked], rows=rows),
        few=_few_people(run, view, claimed, quasi),
        unique=None if over is None else count_unique_rows(run.engine, view, over.over),
    )


def with_key(
    run: Session, view: exp.Table, columns: Sequence[ColumnType], claimed: Certificate
) -> Certificate:
    """Return the certificate with a key of people in `few`, if the release has one although the policy counts rows."""
    if claimed.entity is not None:
        return claimed
    quasi = claimed.released_as(())
    among = [each.name for each in columns if each.name not in quasi]
    key = person_key(run.engine, view, columns, among=among, rows=claimed.rows)
    if key is None:
        return claimed
    k = next((c.bound for c in claimed.claims if c.kind is Kind.K and not c.over), 1)
    return replace(claimed, few=FewPeople(key.name, k, 0, 0, 0))


def _few_people(
    run: Session, view: exp.Table, claimed: Certificate, quasi: Sequence[str]
) -> FewPeople | None:
    few = claimed.few
    return few and count_few_people(run.engine, view, quasi, few.column, k=few.k)


def _class_sizes(run: Session, view: exp.Table, claimed: Certificate) -> tuple[Band, ...]:
    """Count the classes by size, in bands that start at k and its multiples."""
    over_all = [c.bound for c in claimed.claims if c.kind is Kind.K and not c.over]
    bounds = size_bands(next(iter(over_all), 1))
    statement = recount.class_sizes(
        view,
        claimed.released_as(()),
        entity=claimed.counted_entity,
        bands=bounds,
        rows=claimed.rows,
    )
    found = {band: counts for band, *counts in (map(whole, r) for r in run.engine.fetch(statement))}
    lows, highs = [1, *bounds], [*(bound - 1 for bound in bounds), None]
    return tuple(
        Band(low, high, *found.get(number, (0, 0)))
        for number, (low, high) in enumerate(zip(lows, highs, strict=True))
        if high is None or high >= low
    )
