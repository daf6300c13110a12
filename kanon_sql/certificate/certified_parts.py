"""The parts of a report that are made of a certificate alone, so that `verify` can make them again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.certificate.certificate import Certificate, TableLocation, digest
from kanon_sql.late_dataclass import dataclass
from kanon_sql.sql.report_pages import render_report

if TYPE_CHECKING:
    from kanon_sql.certificate.certificate_files import Script
    from kanon_sql.policy.about import About
    from kanon_sql.policy.stated_roles import ColumnRole

SHELLS = {
    ("duckdb", False): "duckdb -f verify.sql",
    ("duckdb", True): "duckdb -readonly THE_DATABASE -f verify.sql",
    ("postgres", True): "psql THE_DATABASE -f verify.sql",
    ("spark", False): "spark-sql -f verify.sql",
    ("spark", True): "spark-sql -f verify.sql",
}
"""How the script is run, by the dialect and whether the release is a table."""


@dataclass(frozen=True, slots=True)
class Certified:
    """What `part_claims.html` shows: a certificate, the hashes of its figures and its script, and how that is run.

    The script `hashed` all rows, or left that to kanon-sql.
    """

    certificate: Certificate
    figures: str
    script: str
    hashed: bool
    shell: str


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a certificate repeats of its policy, under the names of a report's dossier."""

    about: About
    roles: tuple[ColumnRole, ...]
    entity: str | None


def certified_of(certificate: Certificate, script: Script) -> Certified:
    """Give what the part of the claims shows."""
    return Certified(
        certificate,
        figures_digest(certificate),
        digest(script.text.encode()),
        script.hashes,
        SHELLS[certificate.dialect, isinstance(certificate.location, TableLocation)],
    )


def certified_parts(certificate: Certificate, script: Script) -> dict[str, str]:
    """Give the parts of the page that follow from a certificate, by their names.

    A certificate of an earlier version does not repeat what its policy says, which is no part of these then.
    """
    stated = _Stated(certificate.about, certificate.roles, certificate.entity)
    names = ("claims", *(("purpose", "roles") if certificate.roles else ()))
    values = {"certified": certified_of(certificate, script), "dossier": stated}
    return {name: render_report(f"part_{name}.html", **values) for name in names}


def figures_digest(certificate: Certificate) -> str:
    """Hash all of a certificate but the hashes of its files; every report has this hash."""
    return digest(replace(certificate, files={}).to_json().encode())
