"""The codebook of a release, for who gets its rows: what each column shows, and what may be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted, printable
from kanon_sql.evidence.reports.dossier import dossier_of
from kanon_sql.evidence.reports.first_screen import OF_EVERY_PAGE
from kanon_sql.evidence.reports.report import CODEBOOK
from kanon_sql.evidence.reports.report_charts import class_risk
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.evidence.reports.report import Report

OWN = "the row's own value"


def codebook_of(report: Report) -> str:
    """Return the codebook as Markdown. It holds names, counts and the policy's words, and no value of the source."""
    return CODEBOOK + "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    dossier, about, plan = dossier_of(report), report.policy.about, report.plan
    yield f"# {_cell(about.title or f'Codebook of a {report.of}')}"
    yield ""
    whose = "people" if plan.counts_people is not None else "rows"
    yield (
        f"{counted(report.risk.rows, 'row')} in {counted(report.risk.classes, 'class')}. A class has the same cells in all columns "
        f"marked *class* below, and at least {class_risk(report).smallest:,} {whose}."
    )
    yield ""
    yield "| column | a cell shows | what may be done with it |"
    yield "|---|---|---|"
    treated = {each.column: each.treatment for each in dossier.roles}
    recoded = {each.column: each for each in dossier.transformations}
    labels = {each.name: each.distinct for each in report.columns}
    for each in report.policy.columns:
        if each.is_dropped:
            continue
        name = _cell(each.name)
        if each.role is not Role.QUASI:
            own = each.mask is None
            shown = OWN if own else treated[each.name]
            may = "read it as it is" if own else "join or count it; it is not " + OWN
            yield f"| {name} | {_cell(shown)} | {may} |"
            continue
        of = recoded[each.name]
        shown = f"*class*: {of.becomes or of.recoded}; {counted(labels.get(each.name, 0), 'different cell')}"
        may = "read it as it is" if of.unchanged else each.output.reading
        yield f"| {', '.join(map(_cell, of.released_as))} | {_cell(shown)} | {may} |"
    yield ""
    if dossier.half_open:
        yield f"A label such as {_cell(dossier.half_open)} includes its first number and excludes its last."
        yield ""
    if report.removed or any(of.text == ROOT for each in report.columns for of in each.labels):
        yield (
            f"`{ROOT}` stands for any value: leave rows with it out of a model and of counts by that column. "
            f"{counted(report.removed, 'row')} of {report.risk.rows:,} have at least one."
        )
        yield ""
    yield dossier.unreleased
    yield ""
    for key, text in (("Terms of use", about.terms), ("Contact", about.contact)):
        yield f"{key}: {_cell(text or 'not stated')}"
        yield ""
    titles = [each.title for each in dossier.limits if each.title not in OF_EVERY_PAGE]
    limits = "; ".join(titles).lower()
    yield f"The release does not protect from: {limits}."


def _cell(text: str) -> str:
    """Return a text in one line, in which a bar ends no cell of a table."""
    return " ".join(printable(text).split()).replace("|", "\\|")
