"""`kanon-sql certify`, and `verify` for a table or for a certificate."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import kanon_sql
from kanon_sql.certificate.certificate import CERTIFICATE
from kanon_sql.certificate.certify import certificate_folder
from kanon_sql.cli.options import (
    diversities,
    engine_options,
    listed,
    reported,
    steps_shown,
)
from kanon_sql.cli.plain import say, say_json
from kanon_sql.cli.show import bounds, show_linked, told
from kanon_sql.documents.text import counted
from kanon_sql.privacy.privacy_model import SensitiveNulls

DATABASE = "The DuckDB file, or the address, that holds the table"


@click.command()
@click.argument("release", metavar="RELEASE")
@click.option("--plan", "plan_file", required=True, metavar="PLAN", help="The plan it was made by.")
@click.option("--database", help=f"{DATABASE}; by default the policy's.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="The certificate's folder; by default the release's name with .certificate.",
)
@click.option("--replace", is_flag=True, help="Replace a certificate that is there.")
@click.option(
    "--sign-with", metavar="KEY", help="Sign it by this Ed25519 private key, of PEM or OpenSSH."
)
@click.option("--json", "as_json", is_flag=True, help="Print the certificate.")
@engine_options
@reported
def certify(
    release: str,
    *,
    plan_file: str,
    database: str | None,
    output: str | None,
    replace: bool,
    sign_with: str | None,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Measure what a plan claims in the released rows, and write what proves it: JSON, SQL and a page."""
    with steps_shown(quiet=as_json) as progress:
        made = kanon_sql.certify(
            release,
            plan_file,
            database=database,
            folder=output,
            replace=replace,
            sign_with=sign_with,
            settings=settings,
            progress=progress,
        )
    folder = certificate_folder(release) if output is None else output
    if as_json:
        say_json(
            {"status": "ok", "certificate": str(Path(folder) / CERTIFICATE), **made.document()}
        )
        return
    show_claims(made.claims)
    for each in made.linked:
        say(f"warning: {each}")
    say(f"wrote {Path(folder) / CERTIFICATE}{' and its signature' if sign_with else ''}")


def show_claims(claims: tuple[kanon_sql.Claim, ...]) -> None:
    """Print one line a claim."""
    for claim in claims:
        found = "nothing" if claim.found is None else claim.found
        say(f"{claim.verdict.value} {claim.says}: {claim.bound}, found {found}")


@click.command()
@click.argument("table", metavar="TABLE_OR_FILE_OR_CERTIFICATE")
@click.option(
    "--qi",
    multiple=True,
    help="The quasi-identifiers, separated by commas, or given one by one.",
)
@click.option("-k", type=int, help="Entities that every class must hold.")
@click.option("--entity", help="The column whose distinct values are counted, instead of rows.")
@click.option(
    "--distinct-l",
    "distinct",
    multiple=True,
    metavar="COLUMN=L",
    help="Distinct values of this column that every class must hold.",
)
@click.option(
    "--sensitive-nulls",
    "nulls",
    type=click.Choice([each.value for each in SensitiveNulls]),
    default=SensitiveNulls.NOT_COUNTED.value,
    help="What NULL is in the columns of --distinct-l: not_counted (the default), or a value.",
)
@click.option("--release", help="Of a certificate: where the release is by now, or its name.")
@click.option("--plan", "plan_file", help="Of a certificate: hold its claims against this plan.")
@click.option("--key", help="Of a certificate: the public key that its signature must be by.")
@click.option("--database", help=f"{DATABASE}.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@engine_options
@reported
def verify(
    table: str,
    *,
    qi: tuple[str, ...],
    k: int | None,
    entity: str | None,
    distinct: tuple[str, ...],
    nulls: str,
    release: str | None,
    plan_file: str | None,
    key: str | None,
    database: str | None,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Recount any table from its own rows, by the columns and bounds given, or by its certificate."""
    of_table, of_certificate = (
        qi or k is not None or entity or distinct,
        release or plan_file or key,
    )
    if of_table and of_certificate:
        what = "--release, --plan and --key go with a certificate, which says what is counted"
        raise click.UsageError(f"{what}: leave out --qi, -k, --entity and --distinct-l")
    inside = Path(table) / CERTIFICATE
    if not of_table and (of_certificate or table.endswith(".json") or _is_file(inside)):
        _of_certificate(
            kanon_sql.verify_certificate(
                inside if _is_file(inside) else table,
                release,
                database=database,
                plan=plan_file,
                key=key,
                settings=settings,
            ),
            as_json=as_json,
        )
        return
    if not qi or k is None:
        missing = "--qi" if not qi else "-k"
        raise click.UsageError(f"Missing option '{missing}' (a certificate's file needs none).")
    least = diversities(distinct)
    names = listed(qi)
    found = kanon_sql.verify(
        table,
        qi=names,
        k=k,
        entity=entity,
        distinct_l=least,
        sensitive_nulls=nulls,
        database=database,
        settings=settings,
    )
    if as_json:
        read = {"sensitive_nulls": nulls} if least else {}
        say_json({**found.summary(), "qi": names, **read})
    else:
        verdict = "PASS" if found.passed else "FAIL"
        columns = ", ".join(names)
        say(f"{verdict} over {columns}: {told(found)}; {bounds(found, k, least, nulls)}")
        show_linked(found)
    if not found.passed:
        sys.exit(4)


def _is_file(path: Path) -> bool:
    """Whether a file is there, under a name that may be none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _of_certificate(found: kanon_sql.Recheck, *, as_json: bool) -> None:
    """Say what became of a certificate; exits with 4 where anything is wrong."""
    if as_json:
        say_json(found.summary())
    else:
        show_claims(found.claims)
        say(f"{'PASS' if found.same_rows else 'FAIL'} hash of all rows")
        claimed = {claim.kind.value for claim in found.claims if claim.verdict.value == "FAIL"}
        for fault in found.faults:
            if fault.where not in claimed:
                say(f"FAIL {fault}")
        say(_summed_up(found))
    if not found.passed:
        sys.exit(4)


def _summed_up(found: kanon_sql.Recheck) -> str:
    if found.signed:
        signature = "signed by this key" if found.passed else "held against this key"
    elif found.has_signature:
        signature = "its signature was not checked: give the public key by --key"
    else:
        signature = "not signed"
    verdict = "PASS" if found.passed else "FAIL"
    if found.passed and found.unchecked:
        verdict = (
            f"PASS, but for {counted(len(found.unchecked), 'claim')} that the release cannot show"
        )
    plan = "held against the plan" if found.held_to_plan else "held against no plan"
    return f"{verdict}; of {found.release}; {signature}; {plan}"
