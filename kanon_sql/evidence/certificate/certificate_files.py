"""Makes the files of a certificate's folder, and writes the folder whole or not at all."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.source.files import Files, Read
from kanon_sql.engines.atomic_write import atomic_write
from kanon_sql.engines.capabilities import OF_DIALECT
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.evidence.certificate.certificate import (
    CERTIFICATE,
    REPORT,
    SCRIPT,
    SIGNATURE,
    START,
    TableLocation,
    digest,
)
from kanon_sql.evidence.certificate.claims_sql import RELEASE, ClaimedRelease, script_statements

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlglot import exp

    from kanon_sql.evidence.certificate.certificate import Certificate

MOST_LINES = 150
"""The most lines of a script that a person can be expected to read."""
OURS = frozenset({CERTIFICATE, SCRIPT, REPORT, SIGNATURE})


def table_of(location: TableLocation) -> exp.Table:
    return table(location.name, schema=location.schema, catalog=location.catalog)


@dataclass(frozen=True, slots=True)
class Script:
    """`verify.sql`, and whether it compares the hash of all rows too."""

    text: str
    hashes: bool


def script_of(certificate: Certificate) -> Script:
    """Write `verify.sql`.

    The script leaves out the row hash if engines write its texts differently, or if the script would have more than
    `MOST_LINES`. A script that is still too long has one line a claim; with very many sets it is too long even so.
    """
    for sealed, dense in ((True, False), (False, False), (False, True)):
        hashes = sealed and certificate.portable
        script = Script(_script(certificate, sealed=hashes, dense=dense), hashes)
        if script.text.count("\n") <= MOST_LINES:
            break
    return script


def _script(certificate: Certificate, *, sealed: bool, dense: bool) -> str:
    location, dialect = certificate.location, certificate.dialect
    release, opened = RELEASE, None
    if isinstance(location, TableLocation):
        release = table_of(location)
    else:
        read = Read(
            Files(location.pattern, location.base),
            location.kind,
            location.delimiter,
            union_by_name=True,  # else a column that only some files have would not be seen
            partitions=location.partitions,
        )
        opened = read.opened(RELEASE, local=OF_DIALECT[dialect].local_files)
    claimed = ClaimedRelease.of(certificate, release, sealed=sealed, dense=dense)
    statements = script_statements(claimed, opened, dialect=dialect)
    return "\n\n".join(f"{each.render(dialect)};" for each in statements) + "\n"


def with_files(certificate: Certificate, page: str) -> tuple[Certificate, dict[str, bytes]]:
    """Return the certificate with the hashes of script and report, and the bytes of all three files by name.

    The `page` is the report; it must have the parts that follow from the certificate.
    """
    script = script_of(certificate)
    texts = {SCRIPT: script.text.encode(), REPORT: page.encode()}
    whole = replace(certificate, files={key: digest(text) for key, text in texts.items()})
    return whole, {CERTIFICATE: whole.to_json().encode(), **texts}


def check_folder(folder: Path, *, replace: bool) -> None:
    """Check that a certificate's folder can be created, or that `replace` allows to replace it.

    Raises ReleaseError, also where an existing folder holds anything but the files of a certificate.
    """
    try:
        if not folder.parent.is_dir():
            raise _refused(folder, "the folder that it would be in does not exist")
        if not _exists(folder):
            return
        if not _is_certificate(folder):
            raise _refused(folder, "already exists and is not a certificate; name another folder")
    except ReleaseError:
        raise
    except (OSError, ValueError) as error:
        raise _not_written(folder, error) from error
    if not replace:
        raise _refused(folder, "already exists; --replace replaces it")


def _is_certificate(folder: Path) -> bool:
    if not folder.is_dir() or folder.is_symlink():
        return False
    names = {each.name for each in folder.iterdir()}
    if not names <= OURS or CERTIFICATE not in names:
        return False
    with (folder / CERTIFICATE).open("rb") as file:
        return file.read(len(START)) == START.encode()


def _exists(path: Path) -> bool:
    """Whether anything has that name. Raises OSError or ValueError where no file can have it."""
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
            check_folder(folder, replace=replace)  # it may exist by now
            place.move(replace=replace)
    except ReleaseError:
        raise
    except (OSError, ValueError) as error:
        raise _not_written(folder, error) from error


def _not_written(folder: Path, error: Exception) -> ReleaseError:
    no_name = "not a possible name of a folder"
    why = os.strerror(error.errno or 0) if isinstance(error, OSError) else no_name
    return _refused(folder, f"cannot be written ({why})")


def _refused(folder: Path, what: str) -> ReleaseError:
    return ReleaseError(str(folder), [Fault("", what)])
