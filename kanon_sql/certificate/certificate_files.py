"""The files of a certificate's folder, each made of the certificate alone, and written whole together."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.certificate.certificate import (
    CERTIFICATE,
    REPORT,
    SCRIPT,
    SIGNATURE,
    START,
    digest,
)
from kanon_sql.certificate.claims import ClaimVerdict, Kind
from kanon_sql.certificate.claims_sql import RELEASE, ClaimedRelease, script_statements
from kanon_sql.engines.atomic_write import atomic_write
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.source.files import Files, Read
from kanon_sql.sql.quoting import table
from kanon_sql.sql.report_pages import render_report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlglot import exp

    from kanon_sql.certificate.certificate import Certificate, ReleaseLocation

MOST_LINES = 150
"""Lines of a script that a person reads."""
OURS = frozenset({CERTIFICATE, SCRIPT, REPORT, SIGNATURE})


def held(
    certificate: Certificate, release: exp.Table, *, sealed: bool, dense: bool = False
) -> ClaimedRelease:
    """Say what is counted of a release, with the hash of its rows or without."""
    over = [(), *(claim.over for claim in certificate.claims)]
    seal = certificate.fingerprint.rpartition(":")[2] if sealed else None
    return ClaimedRelease(
        release,
        certificate.claims,
        {each: certificate.released_as(each) for each in dict.fromkeys(over)},
        certificate.columns,
        certificate.entity if certificate.entity_released else None,
        seal,
        dense,
    )


def named_table(place: ReleaseLocation) -> exp.Table:
    """Name the table of a release."""
    return table(place.name, schema=place.schema, catalog=place.catalog)


@dataclass(frozen=True, slots=True)
class Script:
    """`verify.sql`, and whether it compares the hash of all rows too."""

    text: str
    hashes: bool


def script_of(certificate: Certificate) -> Script:
    """Give `verify.sql`.

    The hash of the rows is left out where its text would be the engine's own, and where the script
    would be longer than a person reads. A policy of very many sets has a longer one all the same.
    """
    for sealed, dense in ((True, False), (False, False), (False, True)):
        hashes = sealed and certificate.portable
        script = Script(_script(certificate, sealed=hashes, dense=dense), hashes)
        if script.text.count("\n") <= MOST_LINES:
            break
    return script


def _script(certificate: Certificate, *, sealed: bool, dense: bool) -> str:
    place, opened, dialect = certificate.place, None, certificate.dialect
    if not place.is_table:
        read = Read(
            Files(place.pattern or "", place.base),
            place.kind,
            place.delimiter,
            union_by_name=True,  # else a column that only some files have would be none
            partitions=place.partitions,
        )
        opened = read.opened(RELEASE, local=dialect != "spark")
    release = named_table(place) if place.is_table else RELEASE
    statements = script_statements(
        held(certificate, release, sealed=sealed, dense=dense), opened, dialect=dialect
    )
    return "\n\n".join(f"{each.render(dialect)};" for each in statements) + "\n"


BAR, BAR_GAP, CHART_HEIGHT = 76, 14, 150
"""Pixels of the picture of class sizes."""


def report_of(certificate: Certificate, script: Script) -> str:
    """Give `report.html`: one page that asks for nothing else."""
    most = max((each.classes for each in certificate.sizes), default=0) or 1
    bars = [
        {
            "label": f"{each.low}" if each.high == each.low else _from_to(each.low, each.high),
            "classes": each.classes,
            "rows": each.rows,
            "x": number * (BAR + BAR_GAP) + BAR_GAP,
            # A band that holds a class shows, however many the others hold.
            "height": max(round(each.classes / most * CHART_HEIGHT), 2 if each.classes else 0),
        }
        for number, each in enumerate(certificate.sizes)
    ]
    claims = [
        {"claim": each, "told": each.says, "word": WORDS[each.kind], "verdict": each.verdict.value}
        for each in certificate.claims
    ]
    return render_report(
        "certificate.html",
        certificate=certificate,
        claims=claims,
        unchecked=[each for each in certificate.claims if each.verdict is ClaimVerdict.UNCHECKED],
        bars=bars,
        bar=BAR,
        chart_width=len(bars) * (BAR + BAR_GAP) + BAR_GAP,
        chart_height=CHART_HEIGHT,
        script=digest(script.text.encode()),
        figures=figures_of(certificate),
        hashed=script.hashes,
        shell=SHELLS[certificate.dialect, certificate.place.is_table],
    )


def figures_of(certificate: Certificate) -> str:
    """Hash all that a certificate says but for the hashes of its files; every report has it."""
    return digest(replace(certificate, files={}).to_json().encode())


WORDS = {
    Kind.K: "k-anonymity",
    Kind.DISTINCT_L: "distinct l-diversity",
    Kind.CLASSES: "classes",
    Kind.SMALLEST: "smallest class",
    Kind.ROWS: "rows",
    Kind.SUPPRESSED: "suppressed rows",
    Kind.COLUMNS: "columns",
}
SHELLS = {
    ("duckdb", False): "duckdb -f verify.sql",
    ("duckdb", True): "duckdb -readonly THE_DATABASE -f verify.sql",
    ("postgres", True): "psql THE_DATABASE -f verify.sql",
    ("spark", False): "spark-sql -f verify.sql",
    ("spark", True): "spark-sql -f verify.sql",
}
"""How the script is run, by the dialect and whether the release is a table."""


def _from_to(low: int, high: int | None) -> str:
    return f"{low} and more" if high is None else f"{low} to {high}"


def with_files(certificate: Certificate) -> tuple[Certificate, dict[str, bytes]]:
    """Give the certificate with the hashes of its other files, and the bytes of all of them."""
    script = script_of(certificate)
    texts = {SCRIPT: script.text.encode(), REPORT: report_of(certificate, script).encode()}
    whole = replace(certificate, files={key: digest(text) for key, text in texts.items()})
    return whole, {CERTIFICATE: whole.to_json().encode(), **texts}


def hold_folder(folder: Path, *, replace: bool) -> None:
    """Refuse a folder that cannot be made, or would take the place of something else.

    Raises ReleaseError. What is replaced is a certificate's folder, and holds nothing but its files.
    """
    has_parent, is_there, is_ours = False, True, False
    try:
        has_parent = folder.parent.is_dir()
        is_there = has_parent and _is_there(folder)
        if is_there and folder.is_dir() and not folder.is_symlink():
            names = {each.name for each in folder.iterdir()}
            if names <= OURS and CERTIFICATE in names:
                with (folder / CERTIFICATE).open("rb") as file:
                    is_ours = file.read(len(START)) == START.encode()
    except (OSError, ValueError) as error:
        raise _refused(folder, f"cannot be written ({_why(error)})") from error
    if not has_parent:
        raise _refused(folder, "there is no folder that it could be made in")
    if not is_there:
        return
    if not is_ours:
        raise _refused(folder, "is there already and is something else; give another folder")
    if not replace:
        raise _refused(folder, "is there already; --replace replaces it")


def _is_there(path: Path) -> bool:
    """Whether anything has that name; raises where the name could be none."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def write_folder(folder: Path, files: Mapping[str, bytes], *, replace: bool) -> None:
    """Write a certificate's folder whole or not at all; raises ReleaseError."""
    try:
        with atomic_write(folder) as place:
            place.written.mkdir()
            for name, content in files.items():
                with (place.written / name).open("xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            hold_folder(folder, replace=replace)  # a moment ago is not now
            place.move(replace=replace)
    except (OSError, ValueError) as error:
        if isinstance(error, ReleaseError):
            raise
        raise _refused(folder, f"cannot be written ({_why(error)})") from error


def _why(error: Exception) -> str:
    return os.strerror(error.errno or 0) if isinstance(error, OSError) else "no name of a folder"


def _refused(folder: Path, what: str) -> ReleaseError:
    return ReleaseError(str(folder), [Fault("", what)])
