"""Certifies and reports the releases that a dbt project has built, by the plans that the project holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.dbt.plan_models import policy_run, read_requests, warehouse
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.certificate.certify import certify
from kanon_sql.evidence.reports.make_report import report

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_sql.counting.run.inputs import Connection
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.certificate.certificate import Certificate
    from kanon_sql.evidence.reports.report import Report


@dataclass(frozen=True, slots=True)
class DbtCertified:
    """The certificate of a release that dbt built, its folder, and a report on the release and its source."""

    name: str
    folder: str
    certificate: Certificate
    report: Report


@checked
def certify_dbt(
    project: str,
    *,
    select: str | None = None,
    target: str | None = None,
    profiles_dir: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    folder: str | Path | None = None,
    replace: bool = False,
    sign_with: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[DbtCertified]:
    """Recount each release that a dbt project has built, write its certificate, and report on it.

    Guarantee: no claim of a plan fails on the rows that dbt built from it; the warehouse is only read.

    Args:
        project: The folder of the dbt project.
        select: A relation, or its release; by default all.
        target: The target of the profile.
        profiles_dir: The folder of dbt's profiles.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        folder: The folder of the certificates; by default `kanon` in the project.
        replace: Whether existing certificates may be replaced.
        sign_with: The file of an Ed25519 key.
        progress: A function to call with the name of each step.

    Returns:
        The certificate of each release, with a report.

    Raises:
        VerificationError: A claim fails: the release is not that of its plan, or the source has other rows since.
        InputError: An argument or the policy is wrong, a release was not planned, or dbt does not know its model.
        ReleaseError: A folder exists already, or cannot be written.
    """
    root, found = Path(project), list[DbtCertified]()
    dbt_project, requests = read_requests(root, select)
    plans = {each.release: root / "kanon" / f"{each.release}.plan.yml" for each in requests}
    faults = [
        Fault(str(file), "was never planned; run: kanon-sql dbt plan")
        for file in plans.values()
        if not file.exists()
    ]
    faults += [
        Fault(each.release, "is no model that dbt knows; run: dbt build")
        for each in requests
        if each.built is None
    ]
    if faults:
        raise InputError(project, faults)
    with warehouse(root, dbt_project, target, profiles_dir, connection) as reached:
        for each in requests:
            with policy_run(
                root, each, reached, settings=settings, overrides=None, progress=progress
            ) as run:
                policy = run.policy
            built = "" if each.built is None else each.built.dotted
            place = root / "kanon" if folder is None else Path(folder)
            reported = report(
                built,
                plan=plans[each.release],
                policy=policy,
                search=False,
                connection=reached.connection,
                settings=settings,
                progress=progress,
            )
            own = place / f"{each.release}.certificate"
            certificate = certify(
                built,
                plans[each.release],
                policy=policy,
                connection=reached.connection,
                settings=settings,
                folder=own,
                replace=replace,
                sign_with=sign_with,
                progress=progress,
            )
            found.append(DbtCertified(each.release, str(own), certificate, reported))
    return found
