"""The certificate: what was measured on a release, as plain data that is signed, kept and held again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping  # noqa: TC003  the type of a field is its shape
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

from kanon_sql.certificate.claims import Claim, ClaimVerdict, Kind
from kanon_sql.documents.keys import Keyed, MapOf, Object
from kanon_sql.documents.lines import read_mapping
from kanon_sql.documents.records import Key, Needed, Record
from kanon_sql.documents.shapes import OneOf, Parsed, Refused, Several, Shape, Text, check
from kanon_sql.errors import Fault, InputError
from kanon_sql.plans.recodings import (
    Blanked,
    Boxes,
    Enforced,
    FullDomain,
    Layers,
    Parts,
    levels_used,
)
from kanon_sql.policy.linkable import Linked  # noqa: TC001
from kanon_sql.policy.model import Nulls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.documents.shapes import Known
    from kanon_sql.plans.plan import Plan

FORMAT = 2
"""The first had a hash of the rows that other rows may have."""
CERTIFICATE, SCRIPT, REPORT, SIGNATURE = (
    "certificate.json",
    "verify.sql",
    "report.html",
    "certificate.json.sig",
)
"""The files of a certificate's folder."""
START = '{\n  "kanon_sql_certificate":'
"""How a certificate begins, and nothing else does."""
FINGERPRINT = "((duckdb|postgresql|spark) [0-9]{1,4} )?sha256:[0-9a-f]{64}"
PORTABLE = "sha256:"
"""How a fingerprint begins that is the same on every engine."""


@dataclass(frozen=True, slots=True)
class ReleaseLocation:
    """Where a release is: a table, or files, whose paths start from the certificate's own folder.

    `pattern`, `base`, `partitions` and `delimiter` say how files are read: as a glob, below which
    folder folders are partitions, by which keys, and what separates fields. `database` is a DuckDB
    file; of a server none is told.
    """

    kind: str
    name: str
    schema: str | None = None
    catalog: str | None = None
    database: str | None = None
    pattern: str | None = None
    base: str | None = None
    partitions: tuple[str, ...] = ()
    delimiter: str | None = None

    @property
    def is_table(self) -> bool:
        return self.kind == "table"


class Stored(StrEnum):
    """What a release is."""

    TABLE = "table"
    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


OfTable = Annotated[Stored, OneOf(Stored, among=[Stored.TABLE])]
OfFiles = Annotated[Stored, OneOf(Stored, among=[Stored.PARQUET, Stored.CSV, Stored.JSON])]


def _table(
    *,
    kind: OfTable,
    name: str,
    schema: str | None,
    catalog: str | None,
    database: str | None,
) -> ReleaseLocation:
    file = database is None or "://" not in database  # nobody is led to a server, to sign in there
    check(("database", file, "must be a file"))
    return ReleaseLocation(kind, name, schema, catalog, database)


def _files(
    *,
    kind: OfFiles,
    name: Annotated[str, Key("path")],
    pattern: str,
    base: str | None,
    partitions: tuple[str, ...],
    delimiter: str | None,
) -> ReleaseLocation:
    return ReleaseLocation(
        kind, name, pattern=pattern, base=base, partitions=partitions, delimiter=delimiter
    )


class _Locations(Keyed[ReleaseLocation]):
    """A table, which has a name, or files, which have a path."""

    def write(self, value: ReleaseLocation, known: Known) -> dict[str, object]:
        return self.forms["name" if value.is_table else "path"].write(value, known)


LOCATION = _Locations({"name": Record(_table), "path": Record(_files)})


@dataclass(frozen=True, slots=True)
class CertifiedColumn:
    """A column of the release, and whether it is nested."""

    name: str
    nested: bool


COLUMNS: Shape[tuple[tuple[str, bool], ...]] = Parsed(
    Several(Record(CertifiedColumn), alone=False),
    lambda columns: tuple((each.name, each.nested) for each in columns),
    unparse=lambda pairs: tuple(CertifiedColumn(*each) for each in pairs),
)
DIGEST = Text(pattern="[0-9a-f]{64}")
DIALECTS = ("duckdb", "postgres", "spark")


def _their_files(files: dict[str, str]) -> Mapping[str, str]:
    check(("", set(files) == {SCRIPT, REPORT}, f"must be {SCRIPT} and {REPORT}"))
    return files


FILES: Shape[Mapping[str, str]] = Parsed(
    MapOf(DIGEST),
    _their_files,
    Object(dict.fromkeys((SCRIPT, REPORT), DIGEST.schema()), [SCRIPT, REPORT]).schema(),
)


@dataclass(frozen=True, slots=True)
class Quasi:
    """A quasi-identifier, the columns that it is released as, and how coarse it is there."""

    name: str
    columns: Annotated[tuple[str, ...], Key("released_as")]
    recoded: str


@dataclass(frozen=True, slots=True)
class Band:
    """How many classes have a size from `low` to `high`, and how many rows are in them."""

    low: Annotated[int, Key("from")]
    high: Annotated[int | None, Key("to")]
    classes: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a release is, and what was counted in it; written only where no claim fails.

    The document has a fixed order of keys, and no time in it: the same release, plan and versions
    give the same bytes. It holds names, counts and hashes, and no value of the data. `columns` says
    of each column of the release whether it is nested (on Spark), which its hash depends on. `files` has the
    SHA-256 of the other files of its folder, by their names; `linked` the columns that join the rows
    of a person, a key that others do not have.
    """

    made_by: Annotated[str, Key("made_by.kanon_sql")]
    engine: Annotated[str, Key("made_by.engine")]
    dialect: Annotated[str, Key("made_by.dialect"), Text(pattern="|".join(DIALECTS))]
    plan: Annotated[str, Key("plan.sha256")]
    policy: Annotated[str, Key("policy.sha256")]
    place: Annotated[ReleaseLocation, Key("release.*"), LOCATION]
    rows: Annotated[int, Key("release.rows")]
    columns: Annotated[tuple[tuple[str, bool], ...], Key("release.columns"), COLUMNS]
    fingerprint: Annotated[str, Key("release.fingerprint"), Text(pattern=FINGERPRINT)]
    entity: Annotated[str | None, Key("entity.column")]
    entity_released: Annotated[bool, Key("entity.released")]
    nulls: Annotated[str, Parsed(Text(), str, OneOf(Nulls).schema())]
    quasi: Annotated[tuple[Quasi, ...], Key("quasi_identifiers")]
    claims: tuple[Claim, ...]
    sizes: Annotated[tuple[Band, ...], Key("class_sizes")]
    linked: tuple[Linked, ...] = ()
    files: Annotated[Mapping[str, str], FILES, Needed()] = field(default_factory=dict)

    @property
    def portable(self) -> bool:
        """Whether the hash of the rows is the same on every engine, and so in every shell."""
        return self.fingerprint.startswith(PORTABLE)

    @property
    def unchecked(self) -> tuple[Claim, ...]:
        """Give the claims that the release cannot show."""
        return tuple(claim for claim in self.claims if claim.verdict is ClaimVerdict.UNCHECKED)

    def released_as(self, over: tuple[str, ...]) -> tuple[str, ...]:
        """Name the released columns of some quasi-identifiers, or of all."""
        chosen = [each for each in self.quasi if not over or each.name in over]
        return tuple(name for each in chosen for name in each.columns)

    def document(self) -> dict[str, object]:
        """Give the certificate as nested plain values, in its fixed order."""
        return {"kanon_sql_certificate": FORMAT, **RECORD.write(self, {})}

    def to_json(self) -> str:
        """Give the text of `certificate.json`."""
        return json.dumps(self.document(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, subject: str) -> Certificate:
        """Read `certificate.json`; raises InputError where it is not just what would be written.

        So nothing in it can say more, or other, than what is held against the release.
        """
        try:
            raw = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
        except READING as error:
            raise InputError(subject, [Fault("", "is not a whole certificate")]) from error
        document = read_mapping(raw, subject, InputError)
        version = document.entries.get("kanon_sql_certificate")
        if version is None or version.value != FORMAT:
            what = "is not a certificate that this version can read"
            if version is not None and version.value == 1:
                what = (
                    "is of an earlier version, whose hash of all rows other rows could have; certify "
                    "the release again: kanon-sql certify RELEASE --plan PLAN"
                )
            raise InputError(subject, [Fault("", what)])
        own = {key: each for key, each in document.entries.items() if each is not version}
        try:
            read = RECORD.read(replace(document, value=own))
        except Refused:
            raise InputError(subject, document.faults) from None
        faults = document.faults or list(_problems(read))
        if not faults and read.to_json() != text:
            keys = [key for key, value in read.document().items() if value != raw[key]]
            what = "was edited: it is not what its own figures come to"
            faults = [Fault(key, what) for key in keys or [""]]
        if faults:
            raise InputError(subject, faults)
        return read


def _problems(found: Certificate) -> Iterator[Fault]:
    """Say which claims are of no column of the release, and which are missing."""
    there, quasi = {name for name, _ in found.columns}, {each.name for each in found.quasi}
    counted = {c.counts for c in found.claims if c.recounted and c.counts is not None}
    over = {name for claim in found.claims for name in claim.over}
    counted |= {each.column for each in found.linked}
    if not counted | set(found.released_as(())) <= there or not over <= quasi or not quasi:
        yield Fault("claims", "are of columns that the release does not have")
    if not {claim.kind for claim in found.claims} >= NEEDED or found.rows not in {
        claim.found for claim in found.claims if claim.kind is Kind.ROWS
    }:
        yield Fault("claims", "lack some that every release has, or count its rows otherwise")
    if found.entity_released and not {found.entity} - {None} <= there:
        yield Fault("entity.column", "is no column of the release")


RECORD = Record(Certificate)
NEEDED = {Kind.CLASSES, Kind.ROWS, Kind.SUPPRESSED, Kind.COLUMNS}
READING = (TypeError, ValueError, LookupError, ArithmeticError, RecursionError)
"""What goes wrong when a text is no certificate."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that is given twice, of which readers see one or the other."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is no number")


def digest(content: bytes) -> str:
    """Give the SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def recoded_as(plan: Plan) -> dict[str, str]:
    """Say of each quasi-identifier how coarse it is released."""
    told = {}
    for at, (name, height) in enumerate(plan.heights.items()):
        match plan.recoding:
            case Boxes():
                told[name] = "the side of its row's box"
            case Parts(parts=parts):
                told[name] = f"{len(parts[at])} parts of its domain"
            case FullDomain() | Enforced() | Layers() | Blanked() as recoding:
                levels = sorted(levels_used(recoding, at))
                words = "level" if len(levels) == 1 else "levels"
                told[name] = f"{words} {', '.join(map(str, levels))} of {height}"
                if isinstance(recoding, Blanked) and recoding.blanks.released[at]:
                    told[name] += ", some cells blanked"
            case _:
                assert_never(plan.recoding)
    return told


def size_bands(k: int) -> tuple[int, ...]:
    """Give where bands of class sizes begin after the first: k, and multiples that read well.

    >>> size_bands(5)
    (5, 10, 25, 50, 100, 250, 500)
    """
    return tuple(k * times for times in (1, 2, 5, 10, 20, 50, 100))


def certificate_schema() -> dict[str, object]:
    """Give the JSON Schema of `certificate.json`, for those who read it by other means."""
    (keys,) = RECORD.objects()
    version = Object({"kanon_sql_certificate": {"const": FORMAT}}, ["kanon_sql_certificate"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A kanon-sql certificate",
        **version.joined(keys).schema(),
    }
