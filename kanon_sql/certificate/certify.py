"""Certify a release: measure what its plan claims in the released rows, and write what proves it.

Nothing is taken from the run that made the release: it is opened as any reader opens it, and what is
counted is held against the plan, which is held against its policy.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from dataclasses import replace as changed
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.certificate import claims_sql
from kanon_sql.certificate.certificate import (
    CERTIFICATE,
    SIGNATURE,
    Band,
    Certificate,
    Quasi,
    ReleaseLocation,
    digest,
    recoded_as,
    size_bands,
)
from kanon_sql.certificate.certificate_files import (
    held,
    hold_folder,
    with_files,
    write_folder,
)
from kanon_sql.certificate.claims import (
    Kind,
    claims_of,
    contradicted,
    entity_shown,
    released_names,
)
from kanon_sql.certificate.signature import private_key
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.errors import Fault, InputError, VerificationError
from kanon_sql.planning.open_plan import (
    check_policy,
    check_suppression,
    check_unedited,
    plan_and_policy,
)
from kanon_sql.plans.plan import Plan
from kanon_sql.policy.linkable import linking_columns
from kanon_sql.policy.model import Policy
from kanon_sql.policy.overrides import overridden
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.recoding.linked_rows import count_linked
from kanon_sql.release import recount_sql
from kanon_sql.run.arguments import checked
from kanon_sql.run.inputs import check_no_password, database_of, named_source
from kanon_sql.run.session import (
    Session,
    on_disk,
    resolve,
    session,
)
from kanon_sql.source.files import read_files
from kanon_sql.source.open_source import (
    OpenSource,
    find_table,
    open_as_view,
    seal,
    tagged_type_problems,
)
from kanon_sql.sql.words import DUCKDB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.certificate.claims import Claim
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.locations import Source
    from kanon_sql.run.inputs import PolicyInput

ENDING = re.compile(
    r"(\.parquet|\.csv|\.tsv|\.txt|\.json|\.jsonl|\.ndjson)?(\.gz|\.zst)?$", re.IGNORECASE
)
NO_NAME = re.compile(r"[^\w.-]+")


@checked
def certify(
    release: str | Path,
    plan: str | Path | Plan,
    *,
    policy: PolicyInput | None = None,
    database: str | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
    folder: str | Path | None = None,
    replace: bool = False,
    sign_with: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Certificate:
    """Measure what a plan claims of its release in the released rows, and write its certificate.

    Guarantee: no claim of the certificate fails on the release, and one that the release cannot show
    is said to be unchecked and never to pass; the folder is written whole, or nothing is. `release` is
    a file, a glob, a folder of Parquet or a table; without a `database` it is looked for in that of the
    policy. `folder` is by default `<release>.certificate`, beside files and else in the current folder.
    `sign_with` names the file of an Ed25519 key. Raises VerificationError where a claim fails,
    StalePlanError where the plan is not its policy's, InputError and ReleaseError.
    """
    key = None if sign_with is None else private_key(sign_with)
    chosen, given = plan_and_policy(plan, policy)
    meant = policy_of(chosen, given)
    check_no_password("database", database or "")
    where = None if connection is not None else _database(meant, database)
    target = Path(certificate_folder(str(release)) if folder is None else folder).absolute()
    hold_folder(target, replace=replace)
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine(connection, where, settings, writes=False))
        engine.journal.on_step = progress
        run = stack.enter_context(session(engine, meant, chosen.overrides))
        hold_plan(run, chosen)
        with engine.journal.step("open"):
            found = named_source(engine, str(release))
            place = place_of(run, found, where, str(target))
        with (
            engine.journal.step("verify"),
            engine.transaction(),
        ):  # where it can, of one state of a table
            certificate = _measured(
                run, chosen, digest_of(plan, chosen), found, place=place, named=str(release)
            )
    whole, files = with_files(certificate)
    if key is not None:
        files[SIGNATURE] = key.sign(files[CERTIFICATE])
    write_folder(target, files, replace=replace)
    return whole


def policy_of(plan: Plan, given: PolicyInput) -> Policy:
    """Read the policy of a plan, with what was said instead of it."""
    read = given if isinstance(given, Policy) else read_policy(given, has_source=False)
    return overridden(read, plan.overrides)


def _database(policy: Policy, given: str | None) -> str | None:
    """Name the database that a release is in: the one given, from here, or else the policy's."""
    if given is None or is_address(given):
        return database_of(policy) if given is None else given
    return resolve(given, "")


def digest_of(plan: str | Path | Plan, chosen: Plan) -> str:
    """Hash the plan file as it lies there, or as it would be written."""
    return digest(chosen.to_yaml().encode() if isinstance(plan, Plan) else Path(plan).read_bytes())


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


def hold_plan(run: Session, chosen: Plan) -> None:
    """Refuse a plan that is not its policy's, or says of itself what the policy does not."""
    check_policy(run, chosen)
    check_unedited(run, chosen, (), from_file=False)
    check_suppression(run, chosen)


def place_of(run: Session, source: Source, database: str | None, folder: str) -> ReleaseLocation:
    """Say where a release is, as it is found from the certificate's folder."""
    if source.path is None:
        pinned = run.engine.qualified(find_table(run.engine, source.table or ""))
        file = None
        if database is not None and not is_address(database):
            file = os.path.relpath(database, folder)
        return ReleaseLocation(
            "table", pinned.name, pinned.db or None, pinned.catalog or None, file
        )
    read = read_files(run.engine, source, "").seen_from(folder)
    path = resolve(on_disk(source.path, run.engine), "")
    return ReleaseLocation(
        read.kind,
        path if "://" in path else os.path.relpath(path, folder),
        pattern=read.files.pattern,
        base=read.files.base,
        partitions=read.partitions,
        delimiter=read.delimiter,
    )


def _measured(
    run: Session, chosen: Plan, plan: str, source: Source, *, place: ReleaseLocation, named: str
) -> Certificate:
    """Say what is claimed, and count it; raises VerificationError where anything is not so."""
    policy = run.policy
    view = run.scratch.table("certified")
    open_as_view(run, view, source, "")
    columns = tuple(run.engine.columns(view))
    there = [column.name for column in columns]
    names = released_names(policy)
    claimed = Certificate(
        made_by=version("kanon-sql"),
        engine=run.engine.version,
        dialect=run.engine.dialect,
        plan=plan,
        policy=chosen.policy_digest,
        place=place,
        columns=tuple((c.name, c.nested) for c in columns if c.name in names),
        rows=0,
        fingerprint="sha256:0",
        entity=policy.entity,
        entity_released=entity_shown(policy),
        nulls=policy.nulls.value,
        quasi=quasi_of(policy, chosen),
        claims=claims_of(policy, chosen),
        sizes=(),
    )
    if faults := [*hidden_columns(run, source, ""), *tagged_columns(columns)]:
        raise _failed(named, faults)
    if others := sorted(set(there) ^ set(names)):
        told = [
            Fault(f"columns.{n}", "is released, and was not to be" if n in there else "is missing")
            for n in others
        ]
        raise _failed(named, told)
    with run.engine.own_functions():
        return _counted(run, view, claimed, columns, named)


def _counted(
    run: Session,
    view: exp.Table,
    claimed: Certificate,
    columns: tuple[ColumnType, ...],
    named: str,
) -> Certificate:
    """Count what is claimed; raises VerificationError where any claim fails."""
    counted = recounted(run, view, claimed)
    if faults := contradicted(counted):
        raise _failed(named, faults)
    rows = next(int(claim.found or 0) for claim in counted if claim.kind is Kind.ROWS)
    opened = OpenSource(view, columns, rows)
    return changed(
        claimed,
        rows=rows,
        fingerprint=seal(run, opened),
        claims=counted,
        sizes=sizes_of(run, view, claimed),
        linked=count_linked(
            run, view, claimed.released_as(()), linking_columns(run.policy), rows=rows
        ),
    )


def tagged_columns(columns: Sequence[ColumnType]) -> Iterator[Fault]:
    """Find columns whose values a reader tells apart where neither a count nor the hash of all rows does."""
    return tagged_type_problems(columns, [column.name for column in columns])


def hidden_columns(run: Session, source: Source, base: str) -> list[Fault]:
    """Find columns in files that folders of the same name hide: who reads one file alone sees them.

    Of what Spark reads nothing is found.
    """
    if source.path is None or run.engine.dialect != DUCKDB:
        return []
    read = read_files(run.engine, source, base)
    if not read.partitions:
        return []
    alone, keys = run.scratch.table("alone"), {each.casefold() for each in read.partitions}
    run.see(alone, changed(read, partitions=()).opened(alone, local=True))
    what = "is a column of the files, too, which the folders of that name hide"
    return [
        Fault(f"columns.{each.name}", what)
        for each in run.engine.columns(alone)
        if each.name.casefold() in keys
    ]


def quasi_of(policy: Policy, plan: Plan) -> tuple[Quasi, ...]:
    """Say as which columns a plan releases each quasi-identifier, and how coarse."""
    recoded = recoded_as(plan)
    return tuple(Quasi(c.name, c.released_as, recoded[c.name]) for c in policy.quasi)


def recounted(run: Session, view: exp.Table, certificate: Certificate) -> tuple[Claim, ...]:
    """Count what a certificate claims in a release that has all of its columns."""
    statement = claims_sql.claims(held(certificate, view, sealed=False), rows=certificate.rows)
    rows = run.engine.fetch(statement)
    return tuple(
        claim.measured(0 if found is None else int(str(found)))
        for claim, (_, _, found) in zip(certificate.claims, rows, strict=True)
    )


def sizes_of(run: Session, view: exp.Table, certificate: Certificate) -> tuple[Band, ...]:
    """Count the classes by their sizes, as k and its multiples part them."""
    over_all = [c.asked for c in certificate.claims if c.kind is Kind.K and not c.over]
    bounds = size_bands(next(iter(over_all), 1))
    shown = certificate.entity if certificate.entity_released else None
    quasi = list(certificate.released_as(()))
    counted = recount_sql.class_sizes(
        view, quasi, entity=shown, bands=bounds, rows=certificate.rows
    )
    found = {
        int(str(band)): (int(str(classes)), int(str(rows)))
        for band, classes, rows in run.engine.fetch(counted)
    }
    lows, highs = [1, *bounds], [*(bound - 1 for bound in bounds), None]
    return tuple(
        Band(low, high, *found.get(number, (0, 0)))
        for number, (low, high) in enumerate(zip(lows, highs, strict=True))
        if high is None or high >= low
    )


def _failed(named: str, faults: list[Fault]) -> VerificationError:
    """Say which claims of a plan do not hold of a release."""
    told = str(InputError(named, faults))
    return VerificationError(
        f"{told}\nthis is no release of that plan, or it changed; nothing was written"
    )
