"""`kanon-sql certify`: the certificate of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.base.documents.text import counted
from kanon_sql.evidence.certificate.certificate import CERTIFICATE
from kanon_sql.evidence.certificate.certify import certificate_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.evidence.certificate.certificate import Certificate, CountError
    from kanon_sql.release.series.shown_rows import SeriesStatus


@click.command("certify", cls=Command)
@click.argument("release", metavar="RELEASE")
@options.option("--plan PLAN", "Plan that the release was made with.", required=True)
@options.database
@options.option(
    "-o, --output FOLDER",
    "Folder; by default the release's name with .certificate.",
    name="folder",
)
@options.option("--replace", "Replace an existing certificate.")
@options.option("--sign-with KEY", "Sign with this Ed25519 private key (PEM or OpenSSH).")
@options.option(
    "--against TABLE_OR_FILE",
    "Source of the release, to count errors again.",
)
@options.json
@options.engine
def command(
    release: str,
    *,
    folder: str | None,
    sign_with: str | None,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Recount a release, and write a certificate to check it by.

    The folder has the claims, the SQL to check them, and a report. Exits with 4, and writes nothing, if a claim fails.
    """
    if schema_of_tables.is_schema_plan(values["plan"]):
        given = {"replace": values["replace"], "as_json": as_json}
        schema_of_tables.certify(release, values["plan"], folder, values["settings"], **given)
        return
    with show_progress() as progress:
        certificate = kanon_sql.certify(
            release, folder=folder, sign_with=sign_with, progress=progress, **values
        )
    file = Path(certificate_folder(release) if folder is None else folder) / CERTIFICATE
    if as_json:
        print_json({"status": "ok", "certificate": str(file), **certificate.document()})
        return
    print_line(f"certified: the recount of {release} confirms {_confirmed(certificate)}")
    print_certificate(certificate)
    print_line(
        f"wrote {file}{' and its signature' if sign_with else ''}; whoever has the release checks it with: "
        f"kanon-sql verify {file.parent}"
    )


def print_certificate(certificate: Certificate) -> None:
    """Print the claims of a certificate, its error of simple counts, its series, and its warnings."""
    print_claims(certificate.claims)
    print_count_error(certificate.count_error)
    print_series(certificate.series)
    print_warnings(certificate.warnings)


def _confirmed(certificate: Certificate) -> str:
    """Count the claims that the release shows, and those that it does not show."""
    unchecked = len(certificate.unchecked)
    claims = counted(len(certificate.claims) - unchecked, "claim")
    hidden = f"; the release does not show {unchecked} other{'s' if unchecked > 1 else ''}"
    return f"{claims}{hidden if unchecked else ''}"


def print_series(series: SeriesStatus | None) -> None:
    """Print the sentences on the series of a release, if it is one of a series."""
    for sentence in () if series is None else series.sentences:
        print_line(f"series: {sentence}")


def print_count_error(error: CountError | None) -> None:
    """Print the error of simple counts, if there is one, and whether it was counted."""
    if error is not None:
        by = "counted beside the source" if error.counted else "as the plan states it"
        print_line(f"count error: {error} ({by})")


def print_claims(claims: Iterable[kanon_sql.Claim]) -> None:
    """Print one line for each claim."""
    for claim in claims:
        print_line(f"{claim.verdict.value} {claim}")
