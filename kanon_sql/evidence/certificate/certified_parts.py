"""Renders the parts of a report that follow from a certificate alone, so that `verify` can compare them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.report_pages import render_report
from kanon_sql.evidence.certificate.certificate import Certificate, TableLocation, digest

if TYPE_CHECKING:
    from kanon_sql.evidence.certificate.certificate_files import Script
    from kanon_sql.policy.about import About
    from kanon_sql.policy.stated_roles import ColumnRole

SHELLS = {
    ("duckdb", False): "duckdb -f verify.sql",
    ("duckdb", True): "duckdb -readonly THE_DATABASE -f verify.sql",
    ("postgres", True): "psql THE_DATABASE -f verify.sql",
    ("spark", False): "spark-sql -f verify.sql",
    ("spark", True): "spark-sql -f verify.sql",
}
"""The command that runs the script, by the dialect and whether the release is a table."""


@dataclass(frozen=True, slots=True)
class Certified:
    """The values of `part_claims.html`: a certificate, hashes of figures and script, and the script's `shell` command.

    `hashed` is whether the script compares the hash of all rows; otherwise only kanon-sql does.
    """

    certificate: Certificate
    figures: str
    script: str
    hashed: bool
    shell: str


@dataclass(frozen=True, slots=True)
class _Stated:
    """The statements that a certificate repeats from its policy, under the names of a report's dossier."""

    about: About
    roles: tuple[ColumnRole, ...]
    entity: str | None


def certified_of(certificate: Certificate, script: Script) -> Certified:
    """Return the values of the part about claims."""
    return Certified(
        certificate,
        figures_digest(certificate),
        digest(script.text.encode()),
        script.hashes,
        SHELLS[certificate.dialect, isinstance(certificate.location, TableLocation)],
    )


def certified_parts(certificate: Certificate, script: Script) -> dict[str, str]:
    """Render the parts of the page that follow from a certificate, by their names.

    `purpose` and `roles` are left out if the certificate is of an earlier version, which did not repeat the policy.
    """
    stated = _Stated(certificate.about, certificate.roles, certificate.entity)
    names = ("claims", *(("purpose", "roles") if certificate.roles else ()))
    values = {"certified": certified_of(certificate, script), "dossier": stated}
    return {name: render_report(f"part_{name}.html", **values) for name in names}


def figures_digest(certificate: Certificate) -> str:
    """Hash all of a certificate but the hashes of its files; every report contains this hash."""
    return digest(replace(certificate, files={}).to_json().encode())
