"""The commands that recount a release and report it: `verify`, `certify` and `report`."""

from __future__ import annotations

import math
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import Option, print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import print_quality, recount_text
from kanon_sql.apps.cli.write import check_free, check_writable, write
from kanon_sql.apps.python.verify_table import RECOUNTED
from kanon_sql.base.charts.chart import can_render
from kanon_sql.base.documents.keys import read_yaml
from kanon_sql.base.documents.shapes import Anything
from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.counting.lattice.result import people, size_text
from kanon_sql.errors import Fault, InputError, VerificationError, install_command
from kanon_sql.evidence.certificate.certificate import CERTIFICATE
from kanon_sql.evidence.certificate.certify import certificate_folder
from kanon_sql.evidence.reports.make_report import PLANS
from kanon_sql.evidence.reports.report import CODEBOOK, browser, figure_files, file_text
from kanon_sql.policy.privacy.l_diversity import DistinctValues
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.evidence.certificate.certificate import Certificate, CountError
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.release.added_rows import SeriesStatus


BESIDE, CERTIFIED = "Beside its source or plan", "With a certificate"


@click.command("verify", cls=Command)
@click.argument("table", metavar="TABLE_OR_FILE_OR_CERTIFICATE")
@options.quasi()
@options.option("-k K", "Least size of every equivalence class.", type=int)
@options.option("--entity COLUMN", "Count the distinct values of this column, not rows.")
@options.option(
    "--signature COLUMN",
    "Compare people, the values of this column, by all their rows.",
)
@options.option(
    "--distinct-l COLUMN=L",
    "Least number of distinct values of this column in every class.",
    name="distinct",
    multiple=True,
)
@options.option(
    "--privacy MODEL",
    "Model as a policy states it: 'alpha: {column: disease, alpha: 0.5}'; may be repeated.",
    multiple=True,
)
@options.option(
    "--order COLUMN=ORDER",
    "Order of values for t-closeness: number (the default), date or text.",
    name="orders",
    multiple=True,
)
@options.option(
    "--sensitive-nulls",
    "Whether NULL counts as a sensitive value.",
    type=click.Choice([each.value for each in SensitiveNulls]),
    default=SensitiveNulls.NOT_COUNTED.value,
    show_default=True,
)
@options.option(
    "--nulls",
    "What NULL in a quasi-identifier is: a value, or one that matches any (of -k alone).",
    type=click.Choice([each.value for each in RECOUNTED]),
    default=RECOUNTED[0].value,
    show_default=True,
)
@options.suppressed_label
@options.option(
    "--against TABLE_OR_FILE",
    "Source of the table, to measure errors and loss.",
    group=BESIDE,
)
@options.option("--policy POLICY", "Policy of the release.", group=BESIDE)
@options.option(
    "--plan PLAN",
    "Plan of the release; of a certificate: to compare its claims with.",
    group=BESIDE,
)
@options.option(
    "--release TABLE_OR_FILE", "Release of the certificate, if it was moved.", group=CERTIFIED
)
@options.option(
    "--population TABLE_OR_FILE",
    "Population to compare its classes with, recoded as the release is.",
    group=CERTIFIED,
)
@options.option("--key KEY", "Public key to check its signature with.", group=CERTIFIED)
@options.database
@options.json
@options.engine
def verify_command(
    table: str,
    *,
    quasi: tuple[str, ...],
    k: int | None,
    entity: str | None,
    signature: str | None,
    distinct: tuple[str, ...],
    privacy: tuple[str, ...],
    orders: tuple[str, ...],
    sensitive_nulls: str,
    nulls: str,
    suppressed_label: str | None,
    against: str | None,
    policy: str | None,
    release: str | None,
    plan: str | None,
    key: str | None,
    population: str | None,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Recount a table by given bounds, or check a certificate.

    A table needs --quasi and -k or --privacy; a certificate states its own. Exits with 4 if a bound is not met.
    """
    if schema_of_tables.is_schema_certificate(table):
        schema_of_tables.verify(table, plan, values["settings"], as_json=as_json)
        return
    inside = Path(table) / CERTIFICATE
    named = table.endswith(".json") or _is_file(inside)
    of_table = (
        quasi
        or k is not None
        or entity
        or signature
        or distinct
        or privacy
        or (against and not named)
        or suppressed_label
    )
    of_certificate = release or (plan and not against) or key or population
    if of_table and of_certificate:
        raise click.UsageError(
            "--release, --plan, --population and --key go with a certificate, which states its own columns and "
            "bounds: leave out --quasi, -k, --entity, --signature, --distinct-l and --privacy"
        )
    if not of_table and (of_certificate or named):
        certificate = inside if _is_file(inside) else table
        with show_progress("recounting the release"):
            recheck = kanon_sql.verify_certificate(
                certificate,
                release,
                plan=plan,
                policy=policy,
                key=key,
                population=population,
                against=against,
                **values,
            )
        if as_json:
            print_json({"status": _status(recheck.passed), **recheck.summary()})
        else:
            _print_recheck(recheck)
        passed = recheck.passed
    else:
        if not quasi or (k is None and not privacy):
            missing = "--quasi" if not quasi else "-k"
            raise click.UsageError(
                f"Missing option '{missing}' (only a certificate needs none).\n"
                "To recount a release by its plan, run: kanon-sql certify RELEASE --plan PLAN"
            )
        names, least = options.read_names(quasi), _read_diversities(distinct)
        with show_progress("recounting the table"):
            found = kanon_sql.verify(
                table,
                quasi=names,
                k=k,
                entity=entity,
                signature=signature,
                distinct_l=least,
                privacy=[_plain(each) for each in privacy],
                order=dict(_read_pair(each, "--order", "birth=date") for each in orders),
                sensitive_nulls=sensitive_nulls,
                nulls=nulls,
                suppressed_label=suppressed_label,
                against=against,
                plan=plan,
                policy=policy,
                **values,
            )
        if as_json:
            read = {"sensitive_nulls": sensitive_nulls} if least or privacy else {}
            print_json({"status": _status(found.passed), **found.summary(), "qi": names, **read})
        else:
            nulls = SensitiveNulls(sensitive_nulls)
            whole = replace(found, passed=found.rows > 0 and not found.short_classes, over={})
            sets = [
                (tuple(names), whole, k, least),
                *((of, each, None, {}) for of, each in found.over.items()),
            ]
            for columns, each, own_k, own in sets:
                bounds = _bounds_text(each, own_k, own, nulls, alone=not (least or privacy))
                print_line(f"{_verdict(each.passed)} over {', '.join(columns)}: {bounds}")
            print_warnings(found.warnings)
            if found.quality is not None:
                print_quality(found.quality)
        passed = found.passed
    if not passed:
        sys.exit(4)


def _read_diversities(texts: tuple[str, ...]) -> dict[str, int]:
    least = {}
    for each in texts:
        column, text = _read_pair(each, "--distinct-l", "disease=3")
        if not text.isdecimal():
            raise click.UsageError("--distinct-l takes COLUMN=L, such as disease=3")
        least[column] = int(text)
    return least


def _read_pair(text: str, option: str, example: str) -> tuple[str, str]:
    column, _, value = text.rpartition("=")
    if not column:
        raise click.UsageError(f"{option} takes COLUMN=VALUE, such as {example}")
    return column, value


def _plain(text: str) -> object:
    """Parse a model's YAML into plain values, which are checked later with the other models."""
    return Anything().read(read_yaml(text, "--privacy", InputError))


def _is_file(path: Path) -> bool:
    """Whether a path is a file; False for a path that the system does not allow."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _status(passed: bool) -> str:  # noqa: FBT001  its only argument
    return "ok" if passed else VerificationError.status


def _verdict(passed: bool) -> str:  # noqa: FBT001  its only argument
    return "PASS" if passed else "FAIL"


def _bounds_text(
    found: kanon_sql.Verification,
    k: int | None,
    least: dict[str, int],
    nulls: SensitiveNulls,
    *,
    alone: bool,
) -> str:
    """Describe the recount: each count with its bound, and the number of failing classes (first if any).

    If k is the only bound (`alone`), failing classes are those smaller than k.
    """
    if found.rows == 0:
        return f"{recount_text(found)}; a table without rows never passes"
    diversities = [
        f"least diverse class {count:,} distinct {name}{nulls.words}"
        + (f" (l = {least[name]})" if name in least else "")
        for name, count in found.distinct.items()
    ]
    diversities += [
        f"{measured.replace('_', ' ')} of {name}{nulls.words}: {_figure(worst)}"
        for measured, columns in found.worst.items()
        if measured != DistinctValues.reported
        for name, worst in columns.items()
    ]
    diversities += [
        f"{name.replace('_', ' ')}: {share:.9g}" for name, share in found.of_all.items()
    ]
    unknown = [
        f"{what} in {name}, and a class that has one is at distance 1: give their order by --order"
        for name, what in found.without_place.items()
    ]
    asked = "" if k is None else f" (k = {k:,})" if found.entity is None else f", k = {k:,}"
    if found.short_classes:
        smallest = (
            f"smallest {size_text(found.smallest_class, found.entity)}{'' if alone else asked}"
        )
        short = _short_text(found, k if alone else None)
        failed = [] if alone else [f"falls short of {joined(found.failed)}"] if found.failed else []
        return "; ".join([short, smallest, *diversities, *failed, *unknown])
    return "; ".join([f"{recount_text(found)}{asked}", *diversities, "0 classes fail", *unknown])


def _figure(worst: float) -> str:
    return "no bound is kept" if math.isinf(worst) else f"{worst:.9g}"


def _short_text(found: kanon_sql.Verification, k: int | None) -> str:
    """Describe how many classes fail, or with k how many are smaller, and their rows and people."""
    short, one = found.short_classes, found.short_classes == 1
    how = (
        ("fails" if one else "fail")
        if k is None
        else f"{'is' if one else 'are'} smaller than {k:,}"
    )
    text = f"{short:,} of {counted(found.classes, 'class')} {how}"
    rows = (
        "" if found.short_rows is None else f"{found.short_rows:,} of {counted(found.rows, 'row')}"
    )
    who = "" if found.short_people is None else f"; {people(found.short_people)}"
    return f"{text} ({rows}{who})" if rows else text


def _print_recheck(found: kanon_sql.Recheck) -> None:
    """Print the verdict, then each claim, and the faults that no claim shows."""
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
    print_claims(found.claims)
    print_line(f"{_verdict(found.same_rows)} hash of all rows")
    print_count_error(found.count_error)
    if (series := found.certificate.series) is not None:
        print_line(f"series: {series.sentences[0]} Its ledger is not counted here")
    failed = {claim.kind.value for claim in found.claims if claim.verdict.value == "FAIL"}
    for fault in found.faults:
        if fault.where not in failed:
            print_line(f"FAIL {fault}")
    if not found.pages_compared:
        print_line(
            f"the page and verify.sql are of kanon-sql {found.certificate.made_by}: only their hashes were compared"
        )


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
    "Source of the release, or policy, to count errors again.",
)
@options.json
@options.engine
def certify_command(
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
        f"wrote {file}{' and its signature' if sign_with else ''}; whoever has the release checks that and the hash of all rows with: "
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


START = "<!doctype html>\n"
"""The text with which an existing page must begin if it is to be replaced."""


@click.command("report", cls=Command)
@click.argument("release", metavar="PLAN_OR_RELEASE")
@options.option(
    "-o, --output FILE",
    "Write the page here; a codebook of the release if it ends in .md.",
)
@options.option("--pdf FILE", "Print the page to this file, by Chromium, Chrome or Edge.")
@options.option("--text", "Print the report as text, for a terminal.", name="as_text")
@options.option(
    "--figures FOLDER",
    "Write three figures to this folder (SVG, PNG).",
)
@options.option("--plan PLAN", "Plan of the release.")
@options.option("--policy POLICY", "Policy of the release, if no plan names it.")
@options.source
@click.option(
    "--search/--no-search",
    "search",
    cls=Option,
    default=None,
    help="Search all other k and suppression limits; by default a few k, up to a million rows.",
)
@options.option("--replace", "Replace an existing page and figures.")
@options.time_limit("Time limit of these searches together.", default="20s")
@options.json
@options.engine
def report_command(
    *,
    output: str | None,
    pdf: str | None,
    as_text: bool,
    figures: str | None,
    replace: bool,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Report risk and utility of a plan or a release, as a page.

    The page is one file, to mail or print. It shows counts, names and released labels; no value of the source.
    """
    if schema_of_tables.is_schema_plan(str(values["release"])):
        schema_of_tables.check_report(output, pdf, as_text)
        _check_outputs(output, pdf, None, replace=replace)
        stated = str(values["release"]), values["policy"], output, pdf
        schema_of_tables.report(*stated, as_text=as_text, as_json=as_json)
        return
    if output is None and pdf is None and figures is None and not as_text:
        what = (
            "name what to write: -o FILE.html for the page, --pdf FILE, --text, or --figures FOLDER"
        )
        raise InputError("report", [Fault("", what)])
    _check_plan(str(values["release"]), values["plan"])
    _check_outputs(output, pdf, figures, replace=replace)
    with show_progress() as progress:
        report = kanon_sql.report(progress=progress, **values)
    if as_text and not as_json:
        click.echo(report.to_text(), nl=False)
    page, names = _write_report(report, output, figures)
    if pdf is not None:
        report.write(pdf)
    if as_json:
        text = report.to_text() if as_text else None
        print_json({"status": "ok", "page": output, "pdf": pdf, "figures": names, "text": text})
        return
    if page is not None:
        print_line(f"wrote {output}: {page:,} bytes, one file that needs no other")
        if not can_render() and _start_of(str(output)) == START:
            print_line(f"it has tables instead of charts; for charts: {install_command('report')}")
    if pdf is not None:
        print_line(f"wrote {pdf}: {Path(pdf).stat().st_size:,} bytes")
    if figures is not None:
        print_line(f"wrote {joined([Path(name).name for name in names])} to {figures}")


def _start_of(output: str) -> str:
    return CODEBOOK if Path(output).suffix.lower() == ".md" else START


def _check_outputs(
    output: str | None, pdf: str | None, figures: str | None, *, replace: bool
) -> None:
    """Raise InputError for a file that is there or cannot be written, and for what an extra or a browser must draw."""
    if output is not None:
        if not replace:
            check_free(Path(output))
        check_writable(Path(output), starts=(_start_of(output),))
    if pdf is not None:
        _check_pdf(pdf, replace=replace)
    if figures is not None and not replace:
        for each in figure_files(Path(figures)):
            check_free(each)
    if figures is not None and not can_render():
        what = f"are drawn with an extra that is not installed: {install_command('report')}"
        raise InputError("--figures", [Fault("", what)])


def _check_pdf(pdf: str, *, replace: bool) -> None:
    """Raise InputError for a name that is of no PDF, for a file that is there, and without a browser to print it."""
    if Path(pdf).suffix.lower() != ".pdf":
        raise InputError("--pdf", [Fault("", "is the name of a file that ends in .pdf")])
    if not replace:
        check_free(Path(pdf))
    check_writable(Path(pdf), starts=("%PDF",))
    if browser() is None:
        what = "is printed by Chromium, Chrome or Edge, and none is on the PATH: install one, or print the page of -o yourself"
        raise InputError("--pdf", [Fault("", what)])


def _check_plan(release: str, plan: object) -> None:
    """Raise InputError for a release without --plan, for a plan with --plan, and for a release of a schema."""
    if plan is not None and schema_of_tables.is_schema_plan(str(plan)):
        page = f"kanon-sql report {shlex.quote(str(plan))} -o FILE.html"
        what = f"is the plan of a schema of tables, whose page is of the plan: {page}; kanon-sql certify counts in the release"
        raise InputError("--plan", [Fault("", what)])
    if Path(release).suffix.lower() not in PLANS:
        if plan is None:
            what = f"{printable(release)} is a release: name the plan that it was made with, --plan FILE"
            raise InputError("report", [Fault("", what)])
    elif plan is not None:
        what = (
            f"is the plan of a release, and {printable(release)} is a plan itself: leave --plan out"
        )
        raise InputError("--plan", [Fault("", what)])


def _write_report(
    report: Report, output: str | None, figures: str | None
) -> tuple[int | None, list[str]]:
    """Write the page and the figures; return the page's size in bytes, and the paths of the figures."""
    size = None
    if output is not None:
        page = file_text(report, Path(output))
        write(Path(output), page, start=_start_of(output))
        size = len(page.encode())
    return size, [] if figures is None else [str(path) for path in report.figures(figures)]
