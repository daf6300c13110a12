"""Certifies a release: counts the claims of its plan in the released rows, and writes the certificate.

No result of the run that made the release is used: the release is opened as any reader opens it, the
counts are compared with the plan, and the plan with its policy.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import NamedTable, check_no_password, database_of, named_source
from kanon_sql.counting.run.session import Session, on_disk, resolve, session
from kanon_sql.counting.source.files import ESCAPED_FOLDERS, read_files
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.counting.source.open_view import is_plain, open_as_view
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.local_files import relative_to
from kanon_sql.errors import Fault, InputError, VerificationError
from kanon_sql.evidence.certificate.certificate import (
    CERTIFICATE,
    SIGNATURE,
    Certificate,
    FilesLocation,
    Stored,
    TableLocation,
)
from kanon_sql.evidence.certificate.certified_parts import (
    certified_of,
    check_folder,
    private_key,
    script_of,
    with_files,
    write_folder,
)
from kanon_sql.evidence.certificate.measure import (
    claimed_by,
    count_error,
    failures,
    figures_of,
    hidden_columns,
    measured,
    other_columns,
    recounted,
    tagged_columns,
    type_of,
    with_key,
)
from kanon_sql.evidence.reports.make_report import report_without_source
from kanon_sql.evidence.reports.report import page_of
from kanon_sql.recoding.planning.open_plan import name_plan
from kanon_sql.release.series.series_status import plan_of_series

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.locations import Source
    from kanon_sql.policy.model import Policy

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
    progress: Callable[[str], None] | None = None,
) -> Certificate:
    """Count the claims of a plan in the released rows, and write the certificate of the release.

    Guarantee: no claim fails on the release, and one that cannot be checked there is unchecked; the
    folder is written whole, or nothing is. The source is read only with `against`.

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
    reported = changed(reported, unique=certificate.unique_rows)
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
        return measured(run, view, columns, claimed, claims)


def _check(named: str, faults: list[Fault]) -> None:
    if faults:
        raise VerificationError(
            f"{InputError(named, faults)}\nthis is not the release of that plan, or it changed; nothing was written"
        )
