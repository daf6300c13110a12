"""`kanon-sql certify`: the certificate of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.certificate.certificate import CERTIFICATE
from kanon_sql.certificate.certify import certificate_folder
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import (
    print_json,
    print_line,
    print_warnings,
    show_progress,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


@click.command("certify", cls=Command)
@click.argument("release", metavar="RELEASE")
@click.option("--plan", required=True, metavar="PLAN", help="Plan of the release.")
@click.option(
    "--database",
    help="Database that holds the table: a DuckDB file or an address; by default the policy's.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    help="Folder of the certificate; by default the release's name with .certificate.",
)
@click.option("--replace", is_flag=True, help="Replace an existing certificate.")
@click.option(
    "--sign-with", metavar="KEY", help="Sign with this Ed25519 private key (PEM or OpenSSH)."
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
    """Recount a release and write a certificate: claims, the SQL to check them, a report."""
    with show_progress(quiet=as_json) as progress:
        certificate = kanon_sql.certify(
            release, folder=folder, sign_with=sign_with, progress=progress, **values
        )
    file = Path(certificate_folder(release) if folder is None else folder) / CERTIFICATE
    if as_json:
        print_json({"status": "ok", "certificate": str(file), **certificate.document()})
        return
    print_claims(certificate.claims)
    print_warnings(map(str, certificate.linked))
    print_line(f"wrote {file}{' and its signature' if sign_with else ''}")


def print_claims(claims: Iterable[kanon_sql.Claim]) -> None:
    """Print one line a claim."""
    for claim in claims:
        print_line(f"{claim.verdict.value} {claim}")
