"""Certifies a release: counts the claims of its plan in the released rows, and writes the certificate.

`certify` writes a certificate from one count, and `verify` compares the certificate with another.

No result of the run that made the release is used: the release is opened as any reader opens it, the
counts are compared with the plan, and the plan with its policy.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from dataclasses import replace
from dataclasses import replace as changed
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.counting.hierarchies.value_axes import without_place
from kanon_sql.counting.plans.recodings import column_texts
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import (
    NamedTable,
    check_no_password,
    database_of,
    named_source,
    with_source,
)
from kanon_sql.counting.run.session import Session, on_disk, plan_key, resolve, session
from kanon_sql.counting.source.column_problems import tagged_type_problems
from kanon_sql.counting.source.exposed_rows import (
    FewPeople,
    UniqueOverAll,
    count_few_people,
    count_unique_rows,
    linked_by_all,
)
from kanon_sql.counting.source.files import ESCAPED_FOLDERS, read_files
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.counting.source.open_source import OpenSource, seal
from kanon_sql.counting.source.open_view import is_plain, open_as_view
from kanon_sql.counting.source.person_keys import person_key
from kanon_sql.engines.base import ColumnType, whole
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.local_files import relative_to
from kanon_sql.errors import Fault, InputError, VerificationError
from kanon_sql.evidence.certificate import certified_parts
from kanon_sql.evidence.certificate.certificate import (
    CERTIFICATE,
    SIGNATURE,
    Band,
    Certificate,
    CountError,
    FilesLocation,
    Quasi,
    Stored,
    TableLocation,
    digest,
    size_bands,
)
from kanon_sql.evidence.certificate.certified_parts import (
    ClaimedRelease,
    certified_of,
    check_folder,
    private_key,
    script_of,
    with_files,
    write_folder,
)
from kanon_sql.evidence.certificate.claims import (
    ClaimVerdict,
    Kind,
    claims_of,
    entity_recountable,
    failed,
    released_names,
)
from kanon_sql.evidence.release_quality.simple_counts import count_release
from kanon_sql.evidence.reports.make_report import files_of, report_without_source
from kanon_sql.evidence.reports.report import page_of
from kanon_sql.policy.metrics.registry import OF_SIMPLE_COUNTS
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.policy_rules import Linked, column_roles, linking_columns
from kanon_sql.policy.privacy.fitting_sql import ClassPopulation
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.privacy_model import Requirement
from kanon_sql.recoding import recount
from kanon_sql.recoding.linked_rows import count_linked, count_unique
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan, open_plan
from kanon_sql.release.series.series_status import plan_of_series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.locations import Source
    from kanon_sql.evidence.certificate.claims import Claim
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.privacy_model import Measure
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.planning.open_plan import NamedPlan
    from kanon_sql.release.added_rows import SeriesStatus


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
    error, plain, tenth = map(plan.figures.get, OF_SIMPLE_COUNTS)
    if error is None or plain is None:
        return None
    return CountError(error, plain, counted=False, tenth=tenth)


def count_error(
    run: Session, named: NamedPlan, view: exp.Table, source: str
) -> tuple[CountError, list[Fault]]:
    """Count the error of simple counts of a release beside its source, and compare it with that of the plan.

    Raises StalePlanError where the source is not that of the plan, and InputError where it cannot be read, or there is no
    such error: with one quasi-identifier, or where labels cover no known value.
    """
    policy = named.read_policy()
    policy, given = with_source(run.engine, policy, source)
    own = replace(
        run,
        policy=policy,
        overrides={**named.plan.overrides, **given},
        key=plan_key(keep=True),
    )
    counts = count_release(own, open_plan(own, named), view)
    if counts is None:
        what = "shows no error of simple counts: it has one quasi-identifier, or its labels cover no known value"
        raise InputError("against", [Fault("the release", what)])
    error, plain, tenth = (float(f"{each:.4g}") for each in counts)
    found = CountError(error, plain, counted=True, tenth=tenth)
    stated = _stated_error(named.plan)
    if stated is not None and not found.agrees(stated):
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
    rows = run.engine.fetch(certified_parts.claims(release, rows=claimed.rows))
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
    *,
    sizes: bool = True,
) -> Certificate:
    """Return the certificate with the counted claims, and count all other figures that it states.

    Without `sizes` the classes of each size are left out.
    """
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
        sizes=_class_sizes(run, view, claimed) if sizes else (),
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
    bounds = _bounds(claimed)
    statement = recount.class_sizes(
        view,
        claimed.released_as(()),
        entity=claimed.counted_entity,
        bands=bounds,
        rows=claimed.rows,
    )
    found = {band: counts for band, *counts in (map(whole, r) for r in run.engine.fetch(statement))}
    return tuple(
        Band(low, high, *found.get(number, (0, 0)))
        for number, (low, high) in enumerate(_ranges(bounds))
        if high is None or high >= low
    )


def _bounds(claimed: Certificate) -> tuple[int, ...]:
    """Return the least sizes of the bands after the first: they start at the k of all quasi-identifiers."""
    over_all = [c.bound for c in claimed.claims if c.kind is Kind.K and not c.over]
    return size_bands(next(iter(over_all), 1))


def _ranges(bounds: Sequence[int]) -> Iterator[tuple[int, int | None]]:
    """Pair the least size of each band with its greatest; the last has none."""
    return zip([1, *bounds], [*(bound - 1 for bound in bounds), None], strict=True)


def _bands_of(claimed: Certificate, sizes: Sequence[SizeCount]) -> tuple[Band, ...]:
    """Sum classes that are counted by size in the bands of a certificate."""
    found = []
    for low, high in _ranges(_bounds(claimed)):
        among = [of for of in sizes if low <= of.size and (high is None or of.size <= high)]
        band = Band(low, high, sum(of.classes for of in among), sum(of.rows for of in among))
        found += [band] if high is None or high >= low else []
    return tuple(found)


ENDING = re.compile(
    r"(\.parquet|\.csv|\.tsv|\.txt|\.json|\.jsonl|\.ndjson)?(\.gz|\.zst)?$", re.IGNORECASE
)
NO_AGAINST = "does not go with a series, whose release has rows of several states of its source"
NO_NAME = re.compile(r"[^\w.-]+")


@checked
def certify(
    release: str | Path,
    plan: str | Path | Plan,
    *,
    policy: PolicyInput | None = None,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    folder: str | Path | None = None,
    replace: bool = False,
    sign_with: str | None = None,
    against: str | None = None,
    counted_by: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Certificate:
    """Count the claims of a plan in the released rows, and write the certificate of the release.

    Guarantee: no claim fails on the release, and one that cannot be checked there is unchecked; the
    folder is written whole, or nothing is.

    Args:
        release: A file, a glob, a folder of Parquet, or a table.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        folder: By default `<release>.certificate`.
        replace: Whether an existing one may be replaced.
        sign_with: The file of an Ed25519 key.
        against: The source, to count the error of simple counts again.
        counted_by: What counted people in the source.
        progress: A function to call with the name of each step.

    Returns:
        The certificate.

    Raises:
        VerificationError: A claim fails.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.
        InputError: An argument or the policy is wrong; all faults are listed.
        ReleaseError: The folder exists already, or cannot be written.
    """
    key = None if sign_with is None else private_key(sign_with)
    named = name_plan(plan, policy)
    own_policy = named.read_policy()
    if own_policy.series is not None and against is not None:
        raise InputError("against", [Fault("", NO_AGAINST)])
    check_no_password("database", database or "")
    where = None if connection is not None else _database(own_policy, database)
    target = Path(certificate_folder(str(release)) if folder is None else folder).absolute()
    check_folder(target, replace=replace)
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine(connection, where, settings, writes=False))
        engine.journal.on_step = progress
        run = stack.enter_context(session(engine, own_policy, named.plan.overrides))
        with engine.journal.step("open"):
            found = named_source(engine, str(release))
            location = _location(run, found, where, str(target))
            of_series = None if own_policy.series is None else plan_of_series(run, named.plan)
            claimed = claimed_by(run, named, location, *(of_series or ()))
        # One transaction, so that all counts are of one state of the table, where the engine can.
        with engine.journal.step("verify"), engine.transaction():
            view = run.scratch.table("certified")
            open_as_view(run, view, found, "")
            certificate = _certified(run, view, found, claimed, str(release))
            if against is not None:
                error, differs = count_error(run, named, view, against)
                _check(str(release), differs)
                certificate = changed(certificate, count_error=error)
            with engine.journal.step("report"), engine.own_functions():
                opened = NamedTable("the release", view, tuple(engine.columns(view)))
                place = str(certificate.location)
                counted = figures_of(certificate.claims)
                reported = report_without_source(
                    run, named, opened, place, of_series, counted_before=counted
                )
                if own_policy.entity is None:
                    sizes = _bands_of(certificate, reported.sizes)
                    certificate = changed(certificate, sizes=sizes)
                unique = certificate.unique_rows
                if unique is not None and unique.nearly_all:
                    by = count_unique(run, view, rows=certificate.rows) or unique
                    unique = changed(unique, by=by.by, alone=by.alone)
    certificate = changed(certificate, counted_by=counted_by)
    reported = changed(
        reported, unique=unique, files=files_of(named, release), recounted=counted_by
    )
    page = page_of(reported, certified=certified_of(certificate, script_of(certificate)))
    whole, files = with_files(certificate, page)
    if key is not None:
        files[SIGNATURE] = key.sign(files[CERTIFICATE])
    write_folder(target, files, replace=replace)
    return whole


def _database(policy: Policy, given: str | None) -> str | None:
    """Return the database of a release: the given one, relative to the current folder, or else the policy's."""
    if given is None or is_address(given):
        return database_of(policy) if given is None else given
    return resolve(given, "")


def certificate_folder(release: str) -> str:
    """Name the folder of a release's certificate.

    >>> certificate_folder("out/people.csv.gz"), certificate_folder("lake/"), certificate_folder('main."a b"'), certificate_folder("s3://b/k5.parquet")
    ('out/people.certificate', 'lake.certificate', 'a_b.certificate', 'k5.certificate')
    """
    path = on_disk(release).rstrip("/")
    stem = ENDING.sub("", path)
    if "://" in path or ("/" not in path and stem == path and not os.path.exists(path)):  # noqa: PTH110
        stem = NO_NAME.sub("_", re.split(r"[/.]", stem)[-1]).strip("_")
    stem = re.sub(r"[*?\[\]]+", "_", stem)
    return f"{stem or 'release'}.certificate"


def _location(
    run: Session, source: Source, database: str | None, folder: str
) -> TableLocation | FilesLocation:
    """Return the location of a release relative to the certificate's folder. Raises InputError for lakes."""
    if source.lake is not None:
        what = "has no certificate so far, whose SQL would have to read the table by itself; `kanon-sql verify` recounts it"
        raise InputError(source.lake.name, [Fault("release", what)])
    if source.path is None:
        pinned = run.engine.qualified(find_table(run.engine, source.table or ""))
        file = None
        if database is not None and not is_address(database):
            file = relative_to(database, folder)
        return TableLocation(
            Stored.TABLE, pinned.name, pinned.db or None, pinned.catalog or None, file
        )
    if not is_plain(source):
        what = "has no certificate, whose SQL would have to read the file by itself; `kanon-sql verify` recounts it"
        raise InputError(source.path, [Fault("release", what)])
    read = read_files(run.engine, source, "").seen_from(folder)
    if read.misread:
        what = f"the {ESCAPED_FOLDERS}, which no script for Spark undoes; certify it with DuckDB"
        raise InputError(source.path, [Fault("release", what)])
    path = resolve(on_disk(source.path, run.engine), "")
    return FilesLocation(
        Stored(read.kind),
        path if "://" in path else relative_to(path, folder),
        read.files.pattern,
        read.files.base,
        read.partitions,
        read.delimiter,
    )


def _certified(
    run: Session, view: exp.Table, source: Source, claimed: Certificate, named: str
) -> Certificate:
    """Count the claims, and return the certificate. Raises VerificationError for a failed claim or other columns."""
    columns = run.engine.columns(view)
    _check(named, [*hidden_columns(run, source, ""), *tagged_columns(columns)])
    _check(named, other_columns((name for name, _ in claimed.columns), columns))
    in_order = tuple((column.name, column.nested) for column in columns)
    claimed = changed(claimed, columns=in_order, types=tuple(map(type_of, columns)))
    with run.engine.own_functions():
        claims = recounted(run, view, claimed)
        _check(named, list(failures(run, view, claims)))
        claimed = with_key(run, view, columns, claimed)
        # The report counts rows by class, too; where an entity is counted, it may count another one.
        return measured(run, view, columns, claimed, claims, sizes=claimed.entity is not None)


def _check(named: str, faults: list[Fault]) -> None:
    if faults:
        raise VerificationError(
            f"{InputError(named, faults)}\nthis is not the release of that plan, or it changed; nothing was written"
        )
