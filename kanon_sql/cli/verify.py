"""`kanon-sql verify`: a recount of a table, or of a release by its certificate."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import kanon_sql
from kanon_sql.certificate.certificate import CERTIFICATE
from kanon_sql.cli import options
from kanon_sql.cli.certify import print_claims
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, print_line
from kanon_sql.cli.print_release import print_linked, recount_text
from kanon_sql.documents.text import counted
from kanon_sql.privacy.privacy_model import SensitiveNulls


@click.command("verify", cls=Command)
@click.argument("table", metavar="TABLE_OR_FILE_OR_CERTIFICATE")
@click.option(
    "--qi", multiple=True, help="Quasi-identifiers, separated by commas or given one by one."
)
@click.option("-k", type=int, help="Least size of every equivalence class.")
@click.option("--entity", help="Column whose distinct values are counted, instead of rows.")
@click.option(
    "--distinct-l",
    "distinct",
    multiple=True,
    metavar="COLUMN=L",
    help="Least number of distinct values of this column in every equivalence class.",
)
@click.option(
    "--sensitive-nulls",
    type=click.Choice([each.value for each in SensitiveNulls]),
    default=SensitiveNulls.NOT_COUNTED.value,
    help="Whether NULL counts as a value in the columns of --distinct-l; by default it does not.",
)
@click.option("--release", help="For a certificate: path or name of the release, if it was moved.")
@click.option("--plan", help="For a certificate: plan to compare its claims with.")
@click.option("--key", help="For a certificate: public key to check its signature with.")
@click.option("--database", help="Database that holds the table: a DuckDB file or an address.")
@options.json
@options.engine
def command(
    table: str,
    *,
    qi: tuple[str, ...],
    k: int | None,
    entity: str | None,
    distinct: tuple[str, ...],
    sensitive_nulls: str,
    release: str | None,
    plan: str | None,
    key: str | None,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Recount a table by given columns and bounds, or a release by its certificate.

    Exits with 4 if a bound is not met.
    """
    of_table = qi or k is not None or entity or distinct
    of_certificate = release or plan or key
    if of_table and of_certificate:
        raise click.UsageError(
            "--release, --plan and --key go with a certificate, which states its own columns and "
            "bounds: leave out --qi, -k, --entity and --distinct-l"
        )
    inside = Path(table) / CERTIFICATE
    if not of_table and (of_certificate or table.endswith(".json") or _is_file(inside)):
        certificate = inside if _is_file(inside) else table
        recheck = kanon_sql.verify_certificate(certificate, release, plan=plan, key=key, **values)
        if as_json:
            print_json(recheck.summary())
        else:
            _print_recheck(recheck)
        passed = recheck.passed
    else:
        if not qi or k is None:
            missing = "--qi" if not qi else "-k"
            raise click.UsageError(f"Missing option '{missing}' (only a certificate needs none).")
        names, least = options.read_names(qi), _read_diversities(distinct)
        found = kanon_sql.verify(
            table,
            qi=names,
            k=k,
            entity=entity,
            distinct_l=least,
            sensitive_nulls=sensitive_nulls,
            **values,
        )
        if as_json:
            read = {"sensitive_nulls": sensitive_nulls} if least else {}
            print_json({**found.summary(), "qi": names, **read})
        else:
            bounds = _bounds_text(found, k, least, SensitiveNulls(sensitive_nulls))
            print_line(f"{_verdict(found.passed)} over {', '.join(names)}: {bounds}")
            print_linked(found)
        passed = found.passed
    if not passed:
        sys.exit(4)


def _read_diversities(given: tuple[str, ...]) -> dict[str, int]:
    least = {}
    for each in given:
        column, _, text = each.rpartition("=")
        if not column or not text.isdecimal():
            raise click.UsageError("--distinct-l takes COLUMN=L, such as disease=3")
        least[column] = int(text)
    return least


def _is_file(path: Path) -> bool:
    """Whether there is a file of a name that may be impossible."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _verdict(passed: bool) -> str:  # noqa: FBT001  it is all that there is
    return "PASS" if passed else "FAIL"


def _bounds_text(
    found: kanon_sql.Verification, k: int, least: dict[str, int], nulls: SensitiveNulls
) -> str:
    """Describe the recount, each bound beside what was found, and how many classes fail."""
    if found.rows == 0:
        return f"{recount_text(found)}; a table without rows never passes"
    diversities = [
        f"least diverse class {count:,} distinct {name}{nulls.words} (l = {least[name]})"
        for name, count in found.distinct.items()
    ]
    fail = "1 class fails" if found.short_classes == 1 else f"{found.short_classes:,} classes fail"
    return "; ".join([f"{recount_text(found)} (k = {k})", *diversities, fail])


def _print_recheck(found: kanon_sql.Recheck) -> None:
    """Print each claim, what else is wrong, and a summary."""
    print_claims(found.claims)
    print_line(f"{_verdict(found.same_rows)} hash of all rows")
    failed = {claim.kind.value for claim in found.claims if claim.verdict.value == "FAIL"}
    for fault in found.faults:
        if fault.where not in failed:
            print_line(f"FAIL {fault}")
    if found.signed:
        signature = "signed by this key" if found.passed else "signature checked with this key"
    elif found.has_signature:
        signature = "signature not checked: give the public key by --key"
    else:
        signature = "not signed"
    verdict = _verdict(found.passed)
    if found.passed and found.unchecked:
        claims = counted(len(found.unchecked), "claim")
        verdict += f", except for {claims} that cannot be checked in the release"
    plan = (
        "claims compared with the plan" if found.compared_with_plan else "not compared with a plan"
    )
    print_line(f"{verdict}; release {found.release}; {signature}; {plan}")
