"""Formats the texts of a dossier as sections for a terminal; the HTML page has templates for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.policy.model import Role
from kanon_sql.reports.report_section import ReportSection

if TYPE_CHECKING:
    from kanon_sql.reports.dossier import Dossier

NOT_STATED = "not stated"


def words_before(dossier: Dossier) -> list[ReportSection]:
    """Return the sections on purpose, roles and transformations, which precede the measured sections."""
    about = dossier.about
    stated = {
        "What the data are": about.title,
        "What the release is for": about.purpose,
        "Who answers for it": about.contact,
        "Who receives it, and under which terms": about.recipients,
        "Why these thresholds": about.threshold,
    }
    purpose = [f"{what}: {_line(text)}" for what, text in stated.items()]
    roles = [
        f"{each.column}: {'quasi-identifier' if each.role is Role.QUASI else each.role.value}, {each.treatment}. "
        f"Why: {_line(each.why)}"
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


def _line(text: str | None) -> str:
    return NOT_STATED if text is None else " ".join(text.split())


def words_after(dossier: Dossier) -> list[ReportSection]:
    """Return the section on limits, which follows the measured sections."""
    limits = [f"{each.title}: {each.text}" for each in dossier.limits]
    return [ReportSection("limits", "Limits", limits)]
