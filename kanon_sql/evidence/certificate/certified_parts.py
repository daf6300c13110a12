"""The parts of a certificate: its files, and the statements that compare a release with its claims.

The parts of the report follow from the certificate alone, so that `verify` can compare them. A detached signature is by
Ed25519, with a key of the user's own; no key is created or stored here.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name, table
from kanon_sql.base.sql.templates import Statement, has_template, render_report
from kanon_sql.counting.source.files import Files, Read
from kanon_sql.engines import commands_sql
from kanon_sql.engines.capabilities import OF_DIALECT
from kanon_sql.engines.local_files import atomic_write
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError, MissingExtraError, ReleaseError
from kanon_sql.evidence.certificate.certificate import (
    CERTIFICATE,
    REPORT,
    SCRIPT,
    SIGNATURE,
    START,
    Certificate,
    TableLocation,
    digest,
    read_bytes,
)
from kanon_sql.evidence.certificate.claims import KINDS, RISK_BELOW, Claim, Kind
from kanon_sql.policy.privacy.fitting_sql import ClassRows, KeyPart, TableValues
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.privacy_model import FRACTION_UNIT, Requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )
    from sqlglot import exp

    from kanon_sql.policy.policy_rules import ColumnRole
    from kanon_sql.policy.privacy.privacy_model import Measure
    from kanon_sql.policy.standards import About


RELEASE, VERDICTS = table("kanon_release"), table("kanon_claims")
"""What a script calls the files of a release, and the table of its verdicts."""


@dataclass(frozen=True, slots=True)
class ClaimedRelease:
    """A release and what is claimed of it.

    `classes` has the released columns of each set of quasi-identifiers that claims are about, by their
    names in the policy, and those of all first; `columns` says of each column of the release whether it is nested.
    With a `seal` the hash of all rows is a claim too. A `dense` statement has a line a claim. One that is `read` by people
    is shorter, and takes longer.
    """

    release: exp.Table
    claims: Sequence[Claim]
    classes: dict[tuple[str, ...], tuple[str, ...]]
    columns: Sequence[tuple[str, bool]]
    entity: str | None
    seal: str | None = None
    dense: bool = False
    read: bool = False

    @classmethod
    def of(
        cls,
        certificate: Certificate,
        release: exp.Table,
        *,
        sealed: bool = False,
        dense: bool = False,
        read: bool = False,
    ) -> ClaimedRelease:
        """Give what a certificate claims of a table, with the hash of its rows or without."""
        over = dict.fromkeys([(), *(claim.over for claim in certificate.claims)])
        return cls(
            release,
            certificate.claims,
            {each: certificate.released_as(each) for each in over},
            certificate.columns,
            certificate.counted_entity,
            certificate.fingerprint.rpartition(":")[2] if sealed else None,
            dense,
            read,
        )

    def leaves(self) -> dict[str, object]:
        """Give the leaves of the statements that count."""
        names = [literal(text) for text, _ in self.columns]
        source_rows = next((c.source_rows for c in self.claims if c.source_rows is not None), 0)
        return {
            "release": self.release,
            "sets": [self._set(each) for each in self.classes],
            "source_rows": literal(source_rows),
            "names": names,
            "name_count": literal(len(names)),
            **source_sql.row_texts(self.release, self.columns),
            "seal": None if self.seal is None else literal(self.seal),
            "dense": self.dense,
            "claims": [self._claim(n, claim) for n, claim in enumerate(self.claims)],
        }

    def _measured(self, over: tuple[str, ...]) -> dict[Measure, tuple[str, Requirement]]:
        """Give what is counted of sensitive attributes in the classes over one set: the column, and the bound."""
        found: dict[Measure, tuple[str, Requirement]] = {}
        for claim in self.claims:
            if claim.over == over and claim.measure is not None and not claim.of_population:
                named = f"{KINDS[claim.kind].count}_{len(found) + 1}"
                found.setdefault(claim.measure, (named, Requirement(claim.measure, claim.bound)))
        return found

    def _by_value(self, over: tuple[str, ...]) -> str | None:
        """Name the column whose distinct values alone are counted in classes of rows, which are then counted by value first."""
        measures = list(self._measured(over))
        names = {each.about for each in measures}
        plain = self.entity is None and all(each.of_groups for each in measures) and not self.read
        return next(iter(names)) if plain and len(names) == 1 else None

    def _set(self, over: tuple[str, ...]) -> dict[str, object]:
        entity = None if self.entity is None else column(self.entity, of="t")
        by_value = self._by_value(over)
        where = ClassRows(
            entity,
            lambda of: column("value" if by_value else of.column, of="t"),
            weighted=by_value is not None,
            once=by_value is not None,
            of_table=lambda of, _: TableValues(
                self.release, column(of.column, of="t"), entity=entity
            ),
        )
        names = self.classes[over]
        keys = [KeyPart(column(text, of="r"), name(text), bytes=True) for text in names]
        found = self._measured(over).values()
        whole = [each for each in found if each[1].measure.of_all_classes]
        of_all = where.requirements([each for _, each in whole])
        measured = [each for each in found if each not in whole]
        required = [each for _, each in measured]
        counted = zip(measured, where.requirements(required), strict=True)
        return {
            "columns": [column(text, of="t") for text in names],
            "by_value": by_value and column(by_value, of="t"),
            "size": where.measure(SIZE),
            "risks": []
            if over
            else [
                {"count": name(KINDS[kind].count), "below": below}
                for kind, below in RISK_BELOW.items()
                if any(claim.kind is kind for claim in self.claims)
            ],
            "measures": [{**leaves, "count": name(text)} for (text, _), leaves in counted],
            "whole": [
                {**leaves, "count": name(text)}
                for (text, _), leaves in zip(whole, of_all, strict=True)
            ],
            "rows": where.rows(required, self.release, keys, lambda of: column(of.column, of="r")),
        }

    def _claim(self, at: int, claim: Claim) -> dict[str, object]:
        count = KINDS[claim.kind].count
        if claim.measure is not None and not claim.of_population:
            count, _ = self._measured(claim.over)[claim.measure]
        counted = f"counted_{list(self.classes).index(claim.over) + 1}"
        return {
            "counted": name("matched" if claim.kind is Kind.COLUMNS else counted),
            "count": None if claim.of_population else name(count),
            "kind": claim.kind.value,
            "comparator": claim.comparator.value,
            "bound": literal(claim.bound),
            "recounted": claim.recounted,
            "of_population": claim.of_population,
            "required": literal(claim.required),
            "text": literal(claim.text),
            "billionths": claim.divisor == FRACTION_UNIT,
            "parts": None if claim.divisor in {1, FRACTION_UNIT} else literal(f"/{claim.divisor}"),
            "is_new": claim.kind not in {each.kind for each in self.claims[:at]},
        }


def claims(release: ClaimedRelease, *, rows: int) -> Statement:
    """Count each claim: its number, its verdict and what was found, in order."""
    return Statement("certificate/claims", release.leaves(), scans=rows)


def script_statements(
    release: ClaimedRelease, opened: Statement | None, *, dialect: str
) -> Iterator[Statement]:
    """Yield the statements of a script that checks the claims of a release in the database's shell.

    `opened` gives the files of a release their name; None for a table. A dialect needs no step that it has no
    template of; where it has one that checks all claims at once, no verdicts are stored.
    """
    if has_template("certificate/check_claims", dialect):
        yield Statement("certificate/begin_script")
        for text, value in OF_A_SHELL.items():
            yield commands_sql.change_setting(text, value)
        yield Statement("certificate/check_claims", release.leaves())
        yield Statement("certificate/fail_script")
        yield end_of_script()
        return
    yield Statement("certificate/begin_script", {"files": opened is not None})
    if has_template("engines/own_functions", dialect):
        yield commands_sql.own_functions(release.release.db or None)
    if opened is not None:
        if has_template("certificate/plain_partitions", dialect):
            yield Statement("certificate/plain_partitions")
        yield opened
    yield Statement("certificate/store_verdicts", {"verdicts": VERDICTS, **release.leaves()})
    if has_template("certificate/cache_verdicts", dialect):
        yield Statement("certificate/cache_verdicts", {"verdicts": VERDICTS})
    yield Statement("certificate/print_verdicts", {"verdicts": VERDICTS})
    yield Statement("certificate/fail_script", {"verdicts": VERDICTS})
    if has_template("certificate/end_script", dialect):
        yield end_of_script()


def end_of_script() -> Statement:
    """Restore what the script changed in a session that goes on."""
    return Statement("certificate/end_script")


OF_A_SHELL = {
    "search_path": "pg_catalog",  # else a function of a schema may count, which fits its arguments better
    "standard_conforming_strings": "on",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",  # else numbers are cut, and read alike
}
"""Settings of a shell of PostgreSQL, of its role or its database, that would change what a script counts."""


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

    `first sheet`, `purpose` and `roles` are left out if the certificate is of an earlier version, which did not repeat the policy.
    """
    stated = _Stated(certificate.about, certificate.roles, certificate.entity)
    names = ("claims", *(("first_sheet", "purpose", "roles") if certificate.roles else ()))
    values = {"certified": certified_of(certificate, script), "dossier": stated}
    return {name.replace("_", " "): render_report(f"part_{name}.html", **values) for name in names}


def figures_digest(certificate: Certificate) -> str:
    """Hash all of a certificate but the hashes of its files; every report contains this hash."""
    return digest(replace(certificate, files={}).to_json().encode())


T = TypeVar("T")
MOST_BYTES = 1 << 16
"""The most bytes of a key's file that are read."""
LENGTH = 64
"""Bytes of a signature."""
ENCRYPTED = "is encrypted; decrypt it for the run, or sign certificate.json with openssl later"
NOT_ED25519 = "is of another kind; certificates are signed with Ed25519"


def private_key(path: str) -> Ed25519PrivateKey:
    """Read the key to sign with, of PEM (PKCS 8) or OpenSSH; raises InputError and MissingExtraError."""
    _check_installed()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    content = read_bytes(path, MOST_BYTES)
    of_openssh = b"OPENSSH PRIVATE KEY" in content
    load = serialization.load_ssh_private_key if of_openssh else serialization.load_pem_private_key
    key = _loaded(path, "private", lambda: load(content, password=None))
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise _refused(path, NOT_ED25519)
    return key


def public_key(path: str) -> Ed25519PublicKey:
    """Read the key to check with, of PEM or OpenSSH; raises InputError and MissingExtraError."""
    _check_installed()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    content = read_bytes(path, MOST_BYTES).strip()
    if b"PRIVATE KEY" in content:
        raise _refused(path, "is a private key; name the public key, which is no secret")
    of_openssh = content.startswith(b"ssh-")
    load = serialization.load_ssh_public_key if of_openssh else serialization.load_pem_public_key
    key = _loaded(path, "public", lambda: load(content))
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _refused(path, NOT_ED25519)
    return key


def _check_installed() -> None:
    try:
        import cryptography.exceptions  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("sign") from error


def _loaded(path: str, kind: str, load: Callable[[], T]) -> T:
    """Load a key. Raises InputError without the library's own message, which may repeat a part of the key."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load()
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        encrypted = isinstance(error, TypeError) or "ssword" in str(error)
        what = ENCRYPTED if encrypted else f"is not a {kind} key in PEM or OpenSSH format"
        raise _refused(path, what) from None


def _refused(path: str, what: str) -> InputError:
    return InputError(path, [Fault("", what)])


def signed_by(key: Ed25519PublicKey, signature: bytes, content: bytes) -> bool:
    """Whether the private half of `key` made this signature of the content."""
    from cryptography.exceptions import InvalidSignature

    if len(signature) != LENGTH:
        return False
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True


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
    claimed = ClaimedRelease.of(certificate, release, sealed=sealed, dense=dense, read=True)
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
            raise _folder_error(folder, "the folder that it would be in does not exist")
        if not _exists(folder):
            return
        if not _is_certificate(folder):
            raise _folder_error(
                folder, "already exists and is not a certificate; name another folder"
            )
    except ReleaseError:
        raise
    except (OSError, ValueError) as error:
        raise _not_written(folder, error) from error
    if not replace:
        raise _folder_error(folder, "already exists; --replace replaces it")


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
    return _folder_error(folder, f"cannot be written ({why})")


def _folder_error(folder: Path, what: str) -> ReleaseError:
    return ReleaseError(str(folder), [Fault("", what)])
