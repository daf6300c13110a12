"""The report as a dataclass, which pages, terminals, notebooks and files of figures are made from."""

from __future__ import annotations

import textwrap
from dataclasses import astuple, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import shortened
from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable, cell
from kanon_sql.base.documents.text import counted, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.shown_plan import shown_plan
from kanon_sql.evidence.reports.dossier import dossier_of
from kanon_sql.evidence.reports.first_screen import verdict_of
from kanon_sql.evidence.reports.report_charts import k_of
from kanon_sql.evidence.reports.report_values import ReportSection, tables_of
from kanon_sql.evidence.reports.utility_sections import sections
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.source.exposed_rows import UniqueOverAll
    from kanon_sql.evidence.explanation.explanation import CutAtK
    from kanon_sql.evidence.release_quality.small_tables import BandTable
    from kanon_sql.evidence.reports.dossier import Dossier
    from kanon_sql.evidence.reports.report_values import (
        Correlation,
        LabelPairs,
        LabelTree,
        MeasuredModel,
        ReportedColumn,
        ReportOf,
        SearchFigures,
        SensitiveSpread,
    )
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.risks import CountedBy, RiskFigures, SizeCount
    from kanon_sql.recoding.measured import Quality


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True, slots=True, repr=False)
class Report(ShownResult):
    """The measurements of a plan or of a release, for the people who decide on it.

    Classes are counted in rows or persons, as `counted` says. `left_out` says why a section is missing, by its name.
    `search` has results under other limits, and `cuts` the losses under other k, of a recoding without levels.
    `made_on` is the day in UTC.
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
    unique: UniqueOverAll | None
    small: tuple[BandTable, ...] = ()
    cuts: tuple[CutAtK, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    made_on: str = field(default_factory=_today, compare=False)

    def to_html(self) -> str:
        """Return the report as an HTML page: one self-contained file, which loads no other."""
        from kanon_sql.evidence.reports.report_page import page_of  # noqa: PLC0415  which imports this

        return page_of(self)

    def to_text(self) -> str:
        """Return the report as text of at most 80 columns, for a terminal."""
        return text_of_report(self)

    def write(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all: as PDF by the ending .pdf, else as HTML.

        A PDF is printed by Chromium, Chrome or Edge. Raises InputError without one of these on the PATH, or where the
        file cannot be written.
        """
        from kanon_sql.evidence.reports.report_files import write_page  # noqa: PLC0415  which imports this

        write_page(self, Path(path))

    def figures(self, folder: str | Path) -> list[Path]:
        """Write `class_sizes`, `tradeoff` and `distinct_values` to a folder, each as SVG and PNG.

        Raises InputError without the extra `report`, or where a file cannot be written.
        """
        from kanon_sql.evidence.reports.report_files import write_figures  # noqa: PLC0415  which imports this

        return write_figures(self, Path(folder))

    def _shown(self) -> Shown:
        made = shown_plan(self.plan)
        return Shown(
            f"of {self.of} {self.name}: {made.line}", made.facts, made.tables, made.warnings
        )


WIDTH = 80
MOST_ROWS = 30
"""The most rows of a table in a terminal."""
MOST_LINES = 4
"""The most lines of a cell."""
LEAST = 6
"""The least width of a column, in characters."""


def text_of_report(report: Report) -> str:
    """Return the report as text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    about = report.policy.about
    title = about.title or f"Report of a {report.of}"
    yield from _wrapped(title)
    yield from _wrapped(
        f"{report.of} {report.name}: {report.risk.rows:,} released rows of "
        f"{report.plan.source_rows:,}, {counted(report.risk.classes, 'equivalence class')}"
    )
    dossier = dossier_of(report)
    yield ""
    verdict = verdict_of(report, k_of(report))
    yield from _wrapped(verdict.text)
    yield ""
    yield from _table(
        ShownTable(["figure", "value", "beside"], [[*astuple(each)] for each in verdict.figures])
    )
    yield ""
    for name, value in verdict.origin:
        yield from _wrapped(f"{name}: {value}")
    for section in (*_before(dossier), *sections(report), *_after(dossier)):
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
    """Yield the lines of a table. The widest columns are narrowed to fit, and their texts wrapped."""
    shown = table.rows[:MOST_ROWS]
    cells = [[cell(value) for value in row] for row in shown]
    columns = range(len(table.headings))
    texts = [[printable(each) for each in table.headings], *([t for t, _ in row] for row in cells)]
    widths = [max(len(row[at]) for row in texts) for at in columns]
    while sum(widths) + 2 * (len(widths) - 1) > WIDTH and max(widths) > LEAST:
        widths[widths.index(max(widths))] -= 1
    for n, row in enumerate(texts):
        numbers = [cells[n - 1][at][1] if n else False for at in columns]
        if not n and cells:
            numbers = [cells[0][at][1] for at in columns]
        yield from _row(row, widths, numbers)
    if len(table.rows) > MOST_ROWS:
        yield f"... {counted(len(table.rows) - MOST_ROWS, 'row')} more"


def _row(texts: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> Iterator[str]:
    cells = [_cell(text, width) for text, width in zip(texts, widths, strict=True)]
    for line in range(max(map(len, cells))):
        parts = (
            (lines[line] if line < len(lines) else "").rjust(width)
            if number
            else (lines[line] if line < len(lines) else "").ljust(width)
            for lines, width, number in zip(cells, widths, numbers, strict=True)
        )
        yield "  ".join(parts).rstrip()


def _cell(text: str, width: int) -> list[str]:
    """Wrap a text between words, and cut it after `MOST_LINES` lines."""
    lines = textwrap.wrap(text, width) or [""]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], shortened(" ".join(lines[MOST_LINES - 1 :]), width)]
    return lines


def _before(dossier: Dossier) -> list[ReportSection]:
    """Return the sections on purpose, roles and transformations, which precede the measured sections."""
    about = dossier.about
    stated = {
        "What the data are": about.title,
        "What the release is for": about.purpose,
        "Who answers for it": about.contact,
        "Who receives it, and under which terms": about.recipients,
        "Why these thresholds": about.threshold,
    }
    purpose = [f"{what}: {_one_line(text)}" for what, text in stated.items() if text is not None]
    if (standard := about.made_by) is not None:
        words = f"{standard.title}. {standard.words} Source: {standard.source}."
        purpose.append(f"By which standard: {words}")
    roles = [
        f"{each.column}: {'quasi-identifier' if each.role is Role.QUASI else each.role.value}, {each.treatment}."
        f"{'' if each.why is None else f' Why: {_one_line(each.why)}'}"
        for each in dossier.roles
    ]
    done = [
        f"{each.column}: {each.becomes or each.recoded}"
        + ("" if each.after is None else f", for example {each.before or ''} -> {each.after}")
        for each in dossier.transformations
    ]
    made_up = "In the examples the value before is made up, and is not read from the data."
    return [
        ReportSection("purpose", "Data and purpose", purpose),
        ReportSection("roles", "Columns and their roles", roles),
        ReportSection("transformations", "Transformations", [*done, made_up]),
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _after(dossier: Dossier) -> list[ReportSection]:
    """Return the sections that follow the measured ones: on limits, and on what the policy could state."""
    limits = [f"{each.title}: {each.text}" for each in dossier.limits]
    could = [f"{key}: {what}" for key, what in dossier.could_state]
    return [
        ReportSection("limits", "Limits", limits),
        ReportSection("could-state", "What the policy could state", could),
    ]
