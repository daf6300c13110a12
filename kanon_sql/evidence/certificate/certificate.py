"""The certificate: what was counted in a release, as plain data that can be signed and verified at any time."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping  # noqa: TC003  the type of a field is its shape
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import Keyed, MapOf, Object, read_mapping
from kanon_sql.base.documents.records import Key, Needed, Record
from kanon_sql.base.documents.shapes import OneOf, Parsed, Refused, Several, Shape, Text, check
from kanon_sql.base.documents.text import simple_counts
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.exposed_rows import (  # noqa: TC001
    FewPeople,
    UniqueOverAll,
)
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.certificate.claims import Claim, ClaimVerdict, Kind
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.policy_rules import (
    ColumnRole,  # noqa: TC001  the type of a field is its shape
    Linked,  # noqa: TC001
)
from kanon_sql.policy.privacy.risks import STATED
from kanon_sql.policy.standards import NOTHING_SAID, About
from kanon_sql.release.added_rows import SeriesStatus  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 4
"""Format 1 had a weaker hash of the rows, 2 other words for claims, and 3 no types of columns."""
INCOMPLETE = "is not a complete certificate; to recount a release by its plan, run: kanon-sql certify RELEASE --plan PLAN"
CERTIFICATE, SCRIPT, REPORT, SIGNATURE = (
    "certificate.json",
    "verify.sql",
    "report.html",
    "certificate.json.sig",
)
"""The files of a certificate's folder."""
START = '{\n  "kanon_sql_certificate":'
"""The first characters of a certificate's text, by which its file is recognized."""
FINGERPRINT = "((duckdb|postgresql|spark) [0-9]{1,4} )?sha256:[0-9a-f]{64}"
PORTABLE = "sha256:"
"""The prefix of a row hash that every engine computes alike."""


class Stored(StrEnum):
    """The form in which a release is stored."""

    TABLE = "table"
    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class TableLocation:
    """The table of a release; `database` is a DuckDB file, by its path from the certificate's folder.

    The address of a server is not stated, so that no certificate can make its reader sign in to a server.
    """

    kind: Annotated[Stored, OneOf(Stored, among=[Stored.TABLE])]
    name: str
    schema: str | None
    catalog: str | None
    database: str | None

    def __post_init__(self) -> None:
        is_file = self.database is None or "://" not in self.database
        check(("database", is_file, "must be a file"))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FilesLocation:
    """The files of a release, by paths from the certificate's own folder.

    The glob `pattern` is read. Folders below the folder `base` are partitions, by the keys `partitions`;
    `delimiter` separates the fields of a line.
    """

    kind: Annotated[Stored, OneOf(Stored, among=[Stored.PARQUET, Stored.CSV, Stored.JSON])]
    path: str
    pattern: str
    base: str | None
    partitions: tuple[str, ...]
    delimiter: str | None

    def __str__(self) -> str:
        return self.path


LOCATION: Keyed[TableLocation | FilesLocation] = Keyed(
    {"name": Record(TableLocation), "path": Record(FilesLocation)}
)


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


def _named_files(files: dict[str, str]) -> Mapping[str, str]:
    check(("", set(files) == {SCRIPT, REPORT}, f"must be {SCRIPT} and {REPORT}"))
    return files


FILES: Shape[Mapping[str, str]] = Parsed(
    MapOf(DIGEST),
    _named_files,
    Object(dict.fromkeys((SCRIPT, REPORT), DIGEST.schema()), [SCRIPT, REPORT]).schema(),
)


@dataclass(frozen=True, slots=True)
class Quasi:
    """A quasi-identifier, the columns that it is released as, and how it is recoded there."""

    name: str
    columns: Annotated[tuple[str, ...], Key("released_as")]
    recoded: str

    @property
    def has_level(self) -> bool:
        """Whether rows are recoded to levels of a hierarchy."""
        return self.recoded.startswith("level")


@dataclass(frozen=True, slots=True)
class Band:
    """How many classes have a size from `low` to `high`, and how many rows are in them."""

    low: Annotated[int, Key("from")]
    high: Annotated[int | None, Key("to")]
    classes: int
    rows: int

    @property
    def label(self) -> str:
        """Return the sizes as text.

        >>> [Band(low, high, 0, 0).label for low, high in ((5, 9), (5, 5), (500, None))]
        ['5 to 9', '5', '500 and more']
        """
        if self.high == self.low:
            return str(self.low)
        return f"{self.low} and more" if self.high is None else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class CountError:
    """The error of simple counts: the median relative error of the counts of all pairs of bands of two columns.

    A tenth of these counts is off by at least `tenth`, which certificates of earlier versions do not state. `spread` is for a reader who spreads the rows of a label over the values that it covers, `plain` for one who counts
    labels as they are. Only the source shows it: `counted` is whether it was counted beside the source, or is what the
    plan states.
    """

    spread: float
    plain: float
    counted: bool
    tenth: float | None = None

    @property
    def figures(self) -> tuple[float, float, float | None]:
        return self.spread, self.plain, self.tenth

    def agrees(self, stated: CountError) -> bool:
        """Whether all figures that are stated are these."""
        return all(
            one in {None, each} for one, each in zip(stated.figures, self.figures, strict=True)
        )

    def __str__(self) -> str:
        """Return a sentence for readers.

        >>> print(CountError(0.13, 0.13, counted=True, tenth=0.6))
        half of the counts by two columns are off by at most 13.0%, one in ten by 60.0% or more
        """
        return simple_counts(*self.figures) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The location of a release and the counts of its rows.

    The same release, plan and versions give the same bytes, with no value of the data. `files` has the SHA-256 of the
    folder's other files. `linked` columns join the rows of a person, `unique` counts the rows unique over all released
    columns, `few` the classes of few people where rows are counted; None is what was not counted. `series` has counts of
    the ledger of a series, which the release does not show.
    """

    made_by: Annotated[str, Key("made_by.kanon_sql")]
    engine: Annotated[str, Key("made_by.engine")]
    dialect: Annotated[str, Key("made_by.dialect"), Text(pattern="|".join(DIALECTS))]
    plan: Annotated[str, Key("plan.sha256")]
    policy: Annotated[str, Key("policy.sha256")]
    about: Annotated[About, Key("policy.about")] = NOTHING_SAID
    roles: Annotated[tuple[ColumnRole, ...], Key("policy.columns")] = ()
    location: Annotated[TableLocation | FilesLocation, Key("release.*"), LOCATION]
    rows: Annotated[int, Key("release.rows")]
    columns: Annotated[tuple[tuple[str, bool], ...], Key("release.columns"), COLUMNS]
    types: Annotated[tuple[str, ...], Key("release.types")]
    fingerprint: Annotated[str, Key("release.fingerprint"), Text(pattern=FINGERPRINT)]
    entity: Annotated[str | None, Key("entity.column")]
    entity_released: Annotated[bool, Key("entity.released")]
    counted_by: Annotated[str | None, Key("entity.counted_by")] = None
    nulls: Annotated[str, Parsed(Text(), str, OneOf(Nulls).schema())]
    quasi: Annotated[tuple[Quasi, ...], Key("quasi_identifiers")]
    claims: tuple[Claim, ...]
    sizes: Annotated[tuple[Band, ...], Key("class_sizes")]
    linked: tuple[Linked, ...] = ()
    unique: Annotated[UniqueOverAll | None, Key("unique_over_all_columns")] = None
    few: Annotated[FewPeople | None, Key("classes_of_few_people")] = None
    count_error: CountError | None = None
    series: SeriesStatus | None = None
    files: Annotated[Mapping[str, str], FILES, Needed()] = field(default_factory=dict)

    @property
    def portable(self) -> bool:
        """Whether the hash of the rows is the same on every engine, and so in every shell."""
        return self.fingerprint.startswith(PORTABLE)

    @property
    def counted_entity(self) -> str | None:
        """Return the released column whose distinct values are counted; None where rows are counted."""
        return self.entity if self.entity_released else None

    @property
    def risk(self) -> dict[str, object] | None:
        """Return the risks that follow from the claims, by the keys of `risk --json`; None where no risk is claimed.

        Where persons are counted there is no average: it does not follow from the claims.
        """
        found = {claim.kind: claim.found or 0 for claim in self.claims if not claim.over}
        if Kind.UNIQUE not in found or not found.get(Kind.SMALLEST):
            return None
        above = {STATED: found[Kind.ABOVE] / max(self.rows, 1)} if Kind.ABOVE in found else {}
        average = {} if self.entity else {"average": found[Kind.CLASSES] / max(self.rows, 1)}
        risk = {"highest": 1 / found[Kind.SMALLEST], **average, "above": above}
        return {
            "rows": self.rows,
            "classes": found[Kind.CLASSES],
            "unique_rows": found[Kind.UNIQUE],
            **{attacker: dict(risk) for attacker in ("prosecutor", "journalist", "marketer")},
        }

    @property
    def unique_rows(self) -> UniqueOverAll | None:
        """The count of rows unique over all released columns, with its columns beside the quasi-identifiers named."""
        if self.unique is None:
            return None
        quasi = self.released_as(())
        return replace(self.unique, beside=tuple(n for n in self.unique.over if n not in quasi))

    @property
    def warnings(self) -> list[str]:
        """Descriptions of columns that single out rows or people although the classes are large enough."""
        unique = self.unique_rows
        most = [str(unique)] if unique is not None and unique.nearly_all else []
        few = [str(self.few)] if self.few is not None and self.few.few else []
        return [*few, *map(str, self.linked), *most]

    @property
    def unchecked(self) -> tuple[Claim, ...]:
        """Return the claims that cannot be checked in the released rows."""
        return tuple(claim for claim in self.claims if claim.verdict is ClaimVerdict.UNCHECKED)

    def released_as(self, over: tuple[str, ...]) -> tuple[str, ...]:
        """Return the released columns of the columns `over`, or of all quasi-identifiers where it is empty."""
        known = {each.name for each in self.quasi}
        chosen = [each for each in self.quasi if not over or each.name in over]
        sensitive = (name for name in over if name not in known)
        return (*(name for each in chosen for name in each.columns), *sensitive)

    def document(self) -> dict[str, object]:
        """Return the certificate as nested plain values, in its fixed order."""
        risk = {} if self.risk is None else {"risk": self.risk}
        return {"kanon_sql_certificate": FORMAT, **RECORD.write(self, {}), **risk}

    def to_json(self) -> str:
        """Return the text of `certificate.json`."""
        return json.dumps(self.document(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, subject: str) -> Certificate:
        """Read `certificate.json`. Raises InputError unless it is exactly the text that `to_json` writes.

        So a certificate can state nothing beside the entries that are recounted.
        """
        try:
            raw = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
        except READING as error:
            raise InputError(subject, [Fault("", INCOMPLETE)]) from error
        document = read_mapping(raw, subject, InputError)
        version = document.entries.get("kanon_sql_certificate")
        if version is None or version.value != FORMAT:
            what = "is not a certificate that this version can read"
            if version is not None and version.value in range(1, FORMAT):
                weak = (
                    ", whose hash of all rows other rows could have" if version.value == 1 else ""
                )
                what = (
                    f"is of an earlier version{weak}; certify the release again: "
                    "kanon-sql certify RELEASE --plan PLAN"
                )
            raise InputError(subject, [Fault("", what)])
        own = {key: each for key, each in document.entries.items() if each is not version}
        own.pop("risk", None)  # it follows from the claims; the texts are compared below
        try:
            read = RECORD.read(replace(document, value=own))
        except Refused:
            raise InputError(subject, document.faults) from None
        faults = document.faults or list(_problems(read))
        if not faults and read.to_json() != text:
            keys = [key for key, value in read.document().items() if value != raw.get(key)]
            what = "was edited: it does not match the certificate's other figures"
            faults = [Fault(key, what) for key in keys or [""]]
        if faults:
            raise InputError(subject, faults)
        return read


def _problems(found: Certificate) -> Iterator[Fault]:
    """List contradictions in a certificate: unknown columns, missing claims, and roles or types that do not agree."""
    there, quasi = {name for name, _ in found.columns}, {each.name for each in found.quasi}
    counted = {c.counts for c in found.claims if c.recounted and c.counts is not None}
    over = {name for claim in found.claims for name in claim.over}
    counted |= {each.column for each in found.linked}
    counted |= set() if found.unique is None else set(found.unique.over)
    counted |= set() if found.few is None else {found.few.column}
    if not counted | set(found.released_as(())) <= there or not over <= quasi | there or not quasi:
        yield Fault("claims", "name columns that the release does not have")
    if any((claim.found is None) is not claim.of_population for claim in found.claims):
        yield Fault("claims", "state no count of the release, or one of a population beside it")
    needed = NEEDED if found.series is None else NEEDED - {Kind.SUPPRESSED}
    if not {claim.kind for claim in found.claims} >= needed or found.rows not in {
        claim.found for claim in found.claims if claim.kind is Kind.ROWS
    }:
        yield Fault(
            "claims",
            "lack one that every certificate has, or have another number of rows than the release",
        )
    if len(found.types) != len(found.columns):
        yield Fault("release.types", "are not as many as the columns")
    if found.roles and not _agree(found):
        yield Fault("policy.columns", "are not those of the release and its quasi-identifiers")
    if found.entity_released and not {found.entity} - {None} <= there:
        yield Fault("entity.column", "is not a column of the release")


def _agree(found: Certificate) -> bool:
    """Whether `roles` names the certificate's quasi-identifiers in order, and each other released column once."""
    quasi = [each.column for each in found.roles if each.role is Role.QUASI]
    others = [
        each.column for each in found.roles if each.role is not Role.QUASI and not each.is_dropped
    ]
    released = sorted([*found.released_as(()), *others])
    return quasi == [each.name for each in found.quasi] and released == sorted(
        name for name, _ in found.columns
    )


RECORD = Record(Certificate)
NEEDED = {Kind.CLASSES, Kind.ROWS, Kind.SUPPRESSED, Kind.COLUMNS}
READING = (TypeError, ValueError, LookupError, ArithmeticError, RecursionError)
"""The errors of parsing a text that is no certificate."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a mapping. Raises ValueError for a repeated key, of which parsers take different values."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is not a number")


def read_bytes(path: str | Path, most: int) -> bytes:
    """Read a small file; raises InputError."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(most + 1)
    except (OSError, ValueError) as error:
        no_name = "not a possible name of a file"
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else no_name
        raise InputError(str(path), [Fault("", f"cannot be read ({why})")]) from error
    if len(content) > most:
        raise InputError(str(path), [Fault("", f"is larger than {most >> 10:,} KiB")])
    return content


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def size_bands(k: int) -> tuple[int, ...]:
    """Return the least sizes of the bands after the first: k, and round multiples of it.

    >>> size_bands(5)
    (5, 10, 25, 50, 100, 250, 500)
    """
    return tuple(k * times for times in (1, 2, 5, 10, 20, 50, 100))


def certificate_schema() -> dict[str, object]:
    """Return the JSON Schema of `certificate.json`."""
    (keys,) = RECORD.objects()
    version = Object({"kanon_sql_certificate": {"const": FORMAT}}, ["kanon_sql_certificate"])
    risk = Object({"risk": {"type": "object"}}, [])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A kanon-sql certificate",
        **version.joined(keys).joined(risk).schema(),
    }
