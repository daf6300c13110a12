"""The report of a release: verdict, figures, and the requirements of its policy as they are recounted."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from markupsafe import Markup

from kanon_sql.base.charts.chart import can_render, png_of, svg_of
from kanon_sql.base.documents.shown import WIDTH, Shown, ShownResult, ShownTable, cell, table_lines
from kanon_sql.base.documents.text import counted, joined, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import page_part, render_report
from kanon_sql.counting.plans.shown_plan import shown_plan
from kanon_sql.errors import Fault, InputError, install_command
from kanon_sql.evidence.reports.dossier import dossier_of
from kanon_sql.evidence.reports.first_screen import answers, verdict_of
from kanon_sql.evidence.reports.report_charts import figure_charts, k_of
from kanon_sql.evidence.reports.report_values import MeasuredModel, ReportSection, tables_of
from kanon_sql.evidence.reports.utility_sections import codebook_of, sections
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.recoding.recount import fetch_recount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.exposed_rows import UniqueOverAll
    from kanon_sql.evidence.explanation.explanation import CutAtK
    from kanon_sql.evidence.release_quality.small_tables import BandTable
    from kanon_sql.evidence.reports.dossier import Dossier
    from kanon_sql.evidence.reports.report_values import (
        Correlation,
        LabelPairs,
        LabelTree,
        ReportedColumn,
        ReportOf,
        SearchFigures,
        SensitiveSpread,
    )
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Measure, Requirement
    from kanon_sql.policy.privacy.risks import CountedBy, RiskFigures, SizeCount
    from kanon_sql.policy.standards import About
    from kanon_sql.recoding.measured import Quality
    from kanon_sql.recoding.recount import Verification
    from kanon_sql.release.added_rows import SeriesStatus


Counted: TypeAlias = "Mapping[tuple[tuple[str, ...], Measure], int]"
"""The figures that were counted of a release, by the columns of their classes and their measure."""


def measured_models(
    run: Session,
    recounts: Sequence[tuple[Demand, Statement]],
    sizes: Sequence[SizeCount],
    *,
    people_hidden: bool,
    counted_before: Counted | None = None,
) -> tuple[MeasuredModel, ...]:
    """Recount the models' requirements; if these are only class sizes, take the smallest of `sizes`.

    Without `recounts` nothing is found. With `people_hidden` no class size is found, because it would count rows. A
    recount whose figures were all `counted_before` is not made again.
    """
    policy = run.policy
    asked = demands(policy.privacy)
    of_sizes = len(asked) == 1 and all(each.measure == SIZE for each in asked[0].recounted)
    found: dict[tuple[str, ...], Verification] = {}
    known: dict[tuple[tuple[str, ...], Measure], int] = {}
    for demand, statement in () if of_sizes else recounts:
        needed = [(demand.columns, each.measure) for each in demand.recounted]
        before = {each: (counted_before or {}).get(each) for each in needed}
        if None in before.values():
            found[demand.columns] = fetch_recount(run.engine, statement, demand.recounted)
        else:
            known |= {each: counts for each, counts in before.items() if counts is not None}
    models = []
    for demand in asked:
        counted = found.get(demand.columns)
        for each in demand.recounted:
            if not (each.binding or each.of_release or each.measure == SIZE):
                continue
            of_rows = people_hidden and each.measure == SIZE
            value = None if counted is None or of_rows else _found(counted, each.measure)
            if not of_rows and (demand.columns, each.measure) in known:
                value = each.measure.as_written(known[demand.columns, each.measure])
            if of_sizes and recounts and sizes:
                value = min(of.size for of in sizes)
            models.append(_model(policy, demand, each, value))
    return tuple(models)


def _model(
    policy: Policy, demand: Demand, required: Requirement, value: float | None
) -> MeasuredModel:
    bound = required.measure.as_written(required.bound)
    holds = None
    if value is not None:
        holds = value <= bound if required.measure.at_most else value >= bound
    return MeasuredModel(
        _stated(policy, required.measure),
        str(required.measure),
        demand.columns,
        required.measure.at_most,
        bound,
        value,
        holds,
    )


def _stated(policy: Policy, measure: Measure) -> str:
    """Return the text of the policy's model that requires a measure."""
    for model in policy.privacy:
        if any(each.measure == measure for each in model.requirements):
            return str(model)
    return str(measure)


def _found(counted: Verification, measure: Measure) -> float | None:
    """Return a recount's value of one measure; None if it has none."""
    if measure == SIZE:
        return counted.smallest_class
    if measure.of_all_classes:
        return counted.of_all.get(measure.reported)
    if measure.about is None:
        return None
    return counted.worst.get(measure.reported_as, {}).get(measure.about)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True, slots=True, repr=False)
class Report(ShownResult):
    """The measurements of a plan or of a release, for the people who decide on it.

    Classes are counted in rows or persons, as `counted` says. `left_out` says why a section is missing, by its name.
    `search` has results under other limits, and `cuts` the losses under other k, of a recoding without levels.
    Of a release of a `series`, the plan has the counts of its ledger; `plan_digest` is the hash of the plan's file.
    `made_on` is the day in UTC. `files` has hashes of the release and the policy. `removed` counts rows with a suppressed value,
    `people` those of the source, and of several rows. `others` names other releases of these people, and
    `recounted` what counted people in the source afterwards.
    """

    of: ReportOf
    name: str
    made_by: str
    engine: str
    policy: Policy
    plan: Plan
    counted: CountedBy
    sizes: tuple[SizeCount, ...]
    sizes_before: tuple[SizeCount, ...] | None
    risk: RiskFigures
    risk_before: RiskFigures | None
    models: tuple[MeasuredModel, ...]
    columns: tuple[ReportedColumn, ...]
    quality: Quality | None
    sensitive: tuple[SensitiveSpread, ...]
    correlations: tuple[Correlation, ...]
    pairs: LabelPairs | None
    trees: tuple[LabelTree, ...]
    search: SearchFigures | None
    series: SeriesStatus | None
    plan_digest: str
    unique: UniqueOverAll | None
    small: tuple[BandTable, ...] = ()
    cuts: tuple[CutAtK, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    removed: int = 0
    people: tuple[int, int] | None = None
    files: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()
    recounted: str | None = None
    made_on: str = field(default_factory=_today, compare=False)

    def to_html(self) -> str:
        """Return the report as an HTML page: one self-contained file, which loads no other."""
        return page_of(self)

    def to_text(self) -> str:
        """Return the report as text of at most 80 columns, for a terminal."""
        return text_of_report(self)

    def write(self, path: str | Path) -> None:
        """Write a file, whole or not at all: the page as .html or .pdf, or the release's codebook as .md.

        The codebook says to who gets the rows what each column shows. Chromium, Chrome or Edge prints a PDF. Raises
        InputError for another ending, without a browser on the PATH, or where the file cannot be written.
        """
        write_page(self, Path(path))

    def figures(self, folder: str | Path) -> list[Path]:
        """Write `class_sizes`, `tradeoff` and `distinct_values` to a folder, each as SVG and PNG.

        Raises InputError without the extra `report`, or where a file cannot be written.
        """
        return write_figures(self, Path(folder))

    def _shown(self) -> Shown:
        made = shown_plan(self.plan)
        return Shown(
            f"of {self.of} {self.name}: {made.line}", made.facts, made.tables, made.warnings
        )


MOST_ROWS = 30
"""The most rows of a table in a terminal."""


def text_of_report(report: Report) -> str:
    """Return the report as text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    about = report.policy.about
    title = about.title or f"Report of a {report.of}"
    yield from _wrapped(title)
    of = "" if report.series else f" of {report.plan.source_rows:,}"
    yield from _wrapped(
        f"{report.of} {report.name}: {report.risk.rows:,} released rows{of}, "
        f"{counted(report.risk.classes, 'equivalence class')}"
    )
    dossier = dossier_of(report)
    yield ""
    verdict = verdict_of(report, k_of(report))
    if verdict.is_open:
        yield from _wrapped(verdict.line)
    yield from _wrapped(verdict.text)
    yield ""
    figures = [[each.name, each.value, each.beside] for each in verdict.figures]
    yield from _table(ShownTable(["figure", "value", "beside"], figures))
    yield ""
    for name, what, _ in verdict.decided:
        yield from _wrapped(f"{name}: {what}")
    yield ""
    for name, value in verdict.origin:
        yield from _wrapped(f"{name}: {value}")
    unread = [OF_RELEASE_ALONE] if report.warnings and report.sizes_before is None else []
    warnings = ReportSection("warnings", "Warnings", [*report.warnings, *unread])
    yield from section_lines((warnings, *_before(dossier), *sections(report), *_after(dossier)))


def section_lines(found: Sequence[ReportSection]) -> Iterator[str]:
    """Yield the lines of sections as text; a section that shows nothing has none."""
    for section in found:
        if not (section.sentences or section.tables or section.missing):
            continue
        yield ""
        yield section.title
        yield "-" * len(section.title)
        for sentence in section.sentences:
            yield from _wrapped(sentence)
        if section.missing is not None:
            yield from _wrapped(f"Left out: {section.missing}.")
        for table in tables_of(section):
            yield ""
            yield from _table(table)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(printable(text), WIDTH) or [""]


def _table(table: ShownTable) -> Iterator[str]:
    """Yield the lines of a table."""
    shown = table.rows[:MOST_ROWS]
    cells = [[cell(value) for value in row] for row in shown]
    texts = [[printable(each) for each in table.headings], *([t for t, _ in row] for row in cells)]
    numbers = [[number for _, number in row] for row in cells]
    headings = numbers[0] if numbers else [False for _ in table.headings]
    yield from table_lines(texts, [headings, *numbers])
    if len(table.rows) > MOST_ROWS:
        yield f"... {counted(len(table.rows) - MOST_ROWS, 'row')} more"


def _before(dossier: Dossier) -> list[ReportSection]:
    """Return the sections on purpose, roles and transformations, which precede the measured sections."""
    roles = [
        f"{each.column}: {'quasi-identifier' if each.role is Role.QUASI else each.role.value}, {each.treatment}."
        f"{'' if each.why is None else f' Why: {_one_line(each.why)}'}"
        f"{NOT_DECIDED if each.is_open else ''}"
        for each in dossier.roles
    ]
    done = [
        f"{each.column}: {each.becomes or each.recoded}"
        + (f", for example {each.before} -> {each.after}" if each.before and each.after else "")
        for each in dossier.transformations
    ]
    examples = any(each.before and each.after for each in dossier.transformations)
    made_up = "In the examples the value before is made up, and is not read from the data."
    return [
        ReportSection("purpose", "Data and purpose", purpose_lines(dossier.about)),
        ReportSection("roles", "Columns and their roles", roles),
        ReportSection(
            "transformations", "Transformations", [*done, *([made_up] if examples else [])]
        ),
    ]


def purpose_lines(about: About) -> list[str]:
    """Return what a policy says of its data and purpose, one sentence for each."""
    stated = {
        "What the data are": about.title,
        "What the release is for": about.purpose,
        "Who answers for it": about.contact,
        "Who receives it": about.recipients,
        "Under which terms": about.terms,
        "When it is reviewed": about.review,
        "Why these thresholds": about.threshold,
    }
    purpose = [f"{what}: {_one_line(text)}" for what, text in stated.items() if text is not None]
    if (standard := about.made_by) is not None:
        words = f"{standard.title}. {standard.words} Source: {standard.source}."
        purpose.append(f"By which standard: {words}")
    return purpose


OF_RELEASE_ALONE = "The source was not read: what the plan warns of its values is not among these."
"""The text beside the warnings of a release whose source is not open."""
NOT_DECIDED = " No reason given: nobody has decided this."
"""The text on an insensitive column without a reason of a person."""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _after(dossier: Dossier) -> list[ReportSection]:
    """Return the sections that follow the measured ones: on limits, and on what the policy could state."""
    limits = [f"{each.title}: {each.text}" for each in dossier.limits]
    could = [f"{key}: {what}" for key, what in dossier.could_state]
    return [
        ReportSection("limits", "Limits", limits),
        ReportSection(
            "unanswered",
            "What this report cannot answer",
            [f"{title} {text}" for title, text in dossier.unanswered],
        ),
        ReportSection("could-state", "What the policy could state", could),
    ]


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "msedge",
    "chrome",
)
"""The programs that can print a page, by their names on the PATH."""
LONGEST_PRINT = 120.0
"""The most seconds of printing."""


CODEBOOK = "<!-- A codebook, written by kanon-sql. -->\n"
"""The text with which an existing codebook must begin if it is to be replaced."""
PAGES = {"", ".html", ".htm", ".pdf", ".md"}
"""The endings of a page's file."""


def write_page(report: Report, path: Path) -> None:
    """Write the page of a report, as PDF or HTML, or the release's codebook, by the ending of the file. Raises InputError."""
    if path.suffix.lower() not in PAGES:
        raise InputError(
            str(path), [Fault("", "a report is written as .html or .pdf, and a codebook as .md")]
        )
    page = file_text(report, path).encode()
    write_file(path, pdf_of(page) if path.suffix.lower() == ".pdf" else page)


def file_text(report: Report, path: Path) -> str:
    """Return what a file of that name has: a codebook if it ends in .md, else the page."""
    is_codebook = path.suffix.lower() == ".md"
    return f"{CODEBOOK}{codebook_of(report)}" if is_codebook else report.to_html()


def browser() -> str | None:
    """Return the path of a browser that can print; None if there is none on the PATH."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def pdf_of(page: bytes) -> bytes:
    """Print an HTML page as PDF, with a browser that opens no profile and no other file.

    Raises InputError without a browser, or if it prints nothing.
    """
    program = browser()
    if program is None:
        what = "is printed by Chromium, Chrome or Edge, and none is on the PATH: install one, or print the HTML page yourself"
        raise InputError("PDF", [Fault("", what)])
    with tempfile.TemporaryDirectory(prefix="kanon-sql-") as name:
        folder = Path(name)
        source, target = folder / "report.html", folder / "report.pdf"
        source.write_bytes(page)
        command = [
            program,
            "--headless",
            "--disable-gpu",
            "--no-pdf-header-footer",
            "--no-first-run",
        ]
        command += [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # the browser refuses to run as root otherwise
        with suppress(OSError, subprocess.TimeoutExpired):  # the missing file says so
            subprocess.run(  # noqa: S603  a browser of the PATH and our own files
                [*command, source.as_uri()],
                check=False,
                capture_output=True,
                timeout=LONGEST_PRINT,
            )
        if not target.exists():
            what = f"was not printed by {Path(program).name}; print the HTML page yourself"
            raise InputError("PDF", [Fault("", what)])
        return target.read_bytes()


FIGURES = ("class_sizes", "tradeoff", "distinct_values")
"""The names of the figures that are written to files."""
ENDINGS = ("svg", "png")


def figure_files(folder: Path) -> list[Path]:
    """Return the paths of the files that `write_figures` writes."""
    return [folder / f"{name}.{ending}" for name in FIGURES for ending in ENDINGS]


def write_figures(report: Report, folder: Path) -> list[Path]:
    """Write each figure as SVG and as PNG, and return the files. Raises InputError."""
    if not can_render():
        what = f"figures are drawn with an extra that is not installed: {install_command('report')}"
        raise InputError("figures", [Fault("", what)])
    drawn = {}
    for each in figure_charts(report):
        drawn[f"{each.name}.svg"] = svg_of(each, alone=True).encode()
        drawn[f"{each.name}.png"] = png_of(each)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_written(folder, error) from error
    files = figure_files(folder)
    for path in files:
        write_file(path, drawn[path.name])
    return files


def write_file(path: Path, content: bytes) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: Exception) -> InputError:
    why = os.strerror(error.errno or 0) if isinstance(error, OSError) else "not a possible name"
    return InputError(str(path), [Fault("", f"cannot be written ({why})")])


MISSING = "-"
"""The text of a cell without a number."""
FIGURE = re.compile(r"<?=?\[?-?[0-9][0-9,]*(\.[0-9]+)?%?\]?\*?|-|none")
"""A number as tables of reports write it: a share, or a cost with its marks."""
FOLDED = {"distributions", "correlations", "boxes", "trees"}
"""The sections whose charts show the numbers of their tables."""
LONGEST = 400
"""The most characters of a text in a cell."""


def page_of(report: Report, *, certified: object = None) -> str:
    """Render the page: every text is escaped, and its security policy allows only the page's own script.

    `certified` is the data of a certificate to show; without it the page says that nothing confirms its figures.
    """
    found = sections(report)
    shown = [_shown(each) for each in found if each.charts or each.tables]
    left_out: dict[str, list[str]] = {}
    for each in found:
        if not (each.charts or each.tables):
            why = printable(each.missing or "there is nothing to show")
            left_out.setdefault(why, []).append(each.title)
    reasons = [(joined(titles), why) for why, titles in left_out.items()]
    css, script = page_part("chart.css"), page_part("chart.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render_report(
        "report.html",
        report=report,
        verdict=verdict_of(report, k_of(report)),
        answers=[
            {"question": each.question, "sentence": each.sentence, "figure": _figure(each.chart)}
            for each in answers(report)
        ],
        dossier=dossier_of(report),
        certified=certified,
        sections=shown,
        left_out=reasons,
        draws=can_render(),
        css=Markup(css),  # noqa: S704  a file of this package
        script=Markup(script),  # noqa: S704  a file of this package
        script_hash=f"sha256-{digest}",
    )


def _shown(section: ReportSection) -> dict[str, object]:
    return {
        "id": section.id,
        "title": section.title,
        "sentences": [printable(each) for each in section.sentences],
        "figures": [_figure(each) for each in section.charts],
        "tables": [html_table(each) for each in _not_drawn(section)],
        "folded": bool(section.charts) and section.id in FOLDED,
        "missing": None if section.missing is None else printable(section.missing),
    }


def _not_drawn(section: ReportSection) -> list[ShownTable]:
    """List a section's tables, but those whose rows and columns a chart has: its numbers are below it."""
    if section.id not in FOLDED:
        return list(section.tables)
    drawn = [(len(each.rows), len(each.headings)) for each in section.charts]
    return [
        table
        for n, table in enumerate(section.tables)
        if n >= len(drawn) or drawn[n][0] < len(table.rows) or drawn[n][1] < len(table.headings)
    ]


def _figure(chart: Chart) -> dict[str, object]:
    svg = Markup(svg_of(chart, alone=False)) if can_render() else None  # noqa: S704  escaped by its library
    return {
        "title": chart.title,
        "svg": svg,
        "headings": [_text(each) for each in chart.headings],
        "rows": _cells(chart.rows),
    }


def html_table(table: ShownTable) -> dict[str, object]:
    return {
        "headings": [_text(each) for each in table.headings],
        "rows": _cells(table.rows),
    }


def _text(text: str) -> str:
    """Escape characters that do not print, and cut a text after `LONGEST` characters."""
    shown = printable(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _cells(rows: Sequence[Sequence[object]]) -> list[list[tuple[str, bool]]]:
    """Format the cells of a table, each with whether its column has only numbers and is aligned as such."""
    cells = [[_html_cell(each) for each in row] for row in rows]
    numbers = [
        all(number or text == MISSING for text, number in column)
        and any(number for _, number in column)
        for column in zip(*cells, strict=True)
    ]
    return [
        [(text, number) for (text, _), number in zip(row, numbers, strict=True)] for row in cells
    ]


def _html_cell(value: object) -> tuple[str, bool]:
    """Format a value, and return whether it is a number, a share, or a number with a mark."""
    text, number = cell(value)
    return _text(text), number or FIGURE.fullmatch(text) is not None
