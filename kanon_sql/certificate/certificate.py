"""The certificate: what was measured on a release, as plain data that is signed, kept and held again."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from kanon_sql.certificate.claims import Claim, ClaimVerdict, Kind
from kanon_sql.documents.values import count, listed, mapping
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
from kanon_sql.policy.linkable import Linked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

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

    def document(self) -> dict[str, object]:
        """Give it as plain values; what does not go with its kind is left out."""
        if self.is_table:
            parts = {"schema": self.schema, "catalog": self.catalog, "database": self.database}
            return {"kind": self.kind, "name": self.name, **parts}
        return {
            "kind": self.kind,
            "path": self.name,
            "pattern": self.pattern,
            "base": self.base,
            "partitions": list(self.partitions),
            "delimiter": self.delimiter,
        }

    @classmethod
    def read(cls, value: object) -> Self:
        """Read it from plain values."""
        told = mapping(value)
        kind = _text(told["kind"])
        if kind == "table":
            schema, catalog, file = (_maybe(told[k]) for k in ("schema", "catalog", "database"))
            if (
                file is not None and "://" in file
            ):  # nobody is led to a server, and to sign in there
                raise ValueError("a database is a file")
            return cls(kind, _text(told["name"]), schema, catalog, file)
        if kind not in {"parquet", "csv", "json"}:
            raise ValueError("a release is a table or files")
        return cls(
            kind,
            _text(told["path"]),
            pattern=_text(told["pattern"]),
            base=_maybe(told["base"]),
            partitions=_texts(told["partitions"]),
            delimiter=_maybe(told["delimiter"]),
        )


@dataclass(frozen=True, slots=True)
class Quasi:
    """A quasi-identifier, the columns that it is released as, and how coarse it is there."""

    name: str
    columns: tuple[str, ...]
    recoded: str

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {"name": self.name, "released_as": list(self.columns), "recoded": self.recoded}

    @classmethod
    def read(cls, value: object) -> Self:
        """Read it from plain values."""
        told = mapping(value)
        return cls(_text(told["name"]), _texts(told["released_as"]), _text(told["recoded"]))


@dataclass(frozen=True, slots=True)
class Band:
    """How many classes have a size from `low` to `high`, and how many rows are in them."""

    low: int
    high: int | None
    classes: int
    rows: int

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {"from": self.low, "to": self.high, "classes": self.classes, "rows": self.rows}

    @classmethod
    def read(cls, value: object) -> Self:
        """Read it from plain values."""
        told = mapping(value)
        high = None if told["to"] is None else count(told["to"])
        return cls(count(told["from"]), high, count(told["classes"]), count(told["rows"]))


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a release is, and what was counted in it; written only where no claim fails.

    The document has a fixed order of keys, and no time in it: the same release, plan and versions
    give the same bytes. It holds names, counts and hashes, and no value of the data. `columns` says
    of each column of the release whether it is nested (on Spark), which its hash depends on. `files` has the
    SHA-256 of the other files of its folder, by their names; `linked` the columns that join the rows
    of a person, a key that others do not have.
    """

    made_by: str
    engine: str
    dialect: str
    plan: str
    policy: str
    place: ReleaseLocation
    columns: tuple[tuple[str, bool], ...]
    rows: int
    fingerprint: str
    entity: str | None
    entity_released: bool
    nulls: str
    quasi: tuple[Quasi, ...]
    claims: tuple[Claim, ...]
    sizes: tuple[Band, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    linked: tuple[Linked, ...] = ()

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
        return {
            "kanon_sql_certificate": FORMAT,
            "made_by": {"kanon_sql": self.made_by, "engine": self.engine, "dialect": self.dialect},
            "plan": {"sha256": self.plan},
            "policy": {"sha256": self.policy},
            "release": {
                **self.place.document(),
                "rows": self.rows,
                "columns": [{"name": name, "nested": nested} for name, nested in self.columns],
                "fingerprint": self.fingerprint,
            },
            "entity": {"column": self.entity, "released": self.entity_released},
            "nulls": self.nulls,
            "quasi_identifiers": [each.document() for each in self.quasi],
            "claims": [each.document() for each in self.claims],
            "class_sizes": [each.document() for each in self.sizes],
            **({"linked": [each.document() for each in self.linked]} if self.linked else {}),
            "files": dict(self.files),
        }

    def to_json(self) -> str:
        """Give the text of `certificate.json`."""
        return json.dumps(self.document(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, subject: str) -> Certificate:
        """Read `certificate.json`; raises InputError where it is not just what would be written.

        So nothing in it can say more, or other, than what is held against the release.
        """
        try:
            raw = mapping(json.loads(text, object_pairs_hook=_once, parse_constant=_refused))
            if raw.get("kanon_sql_certificate") != FORMAT:
                what = "is not a certificate that this version can read"
                if raw.get("kanon_sql_certificate") == 1:
                    what = (
                        "is of an earlier version, whose hash of all rows other rows could have; certify "
                        "the release again: kanon-sql certify RELEASE --plan PLAN"
                    )
                raise InputError(subject, [Fault("", what)])
            read = cls._read(raw)
        except READING as error:
            if isinstance(error, InputError):
                raise
            raise InputError(subject, [Fault("", "is not a whole certificate")]) from error
        if read.to_json() != text:
            keys = [key for key, value in read.document().items() if value != raw[key]]
            what = "was edited: it is not what its own figures come to"
            raise InputError(subject, [Fault(key, what) for key in keys or [""]])
        return read

    @classmethod
    def _read(cls, raw: Mapping[str, object]) -> Certificate:
        made, release, entity = (mapping(raw[key]) for key in ("made_by", "release", "entity"))
        columns = [mapping(each) for each in listed(release["columns"])]
        files = mapping(raw["files"])
        if set(files) != {SCRIPT, REPORT} or made["dialect"] not in DIALECTS:
            raise ValueError("other files are named, or another database")
        if not FINGERPRINT.fullmatch(_text(release["fingerprint"])):
            raise ValueError("the hash of the rows is none")
        read = cls(
            made_by=_text(made["kanon_sql"]),
            engine=_text(made["engine"]),
            dialect=_text(made["dialect"]),
            plan=_text(mapping(raw["plan"])["sha256"]),
            policy=_text(mapping(raw["policy"])["sha256"]),
            place=ReleaseLocation.read(release),
            columns=tuple((_text(each["name"]), each["nested"] is True) for each in columns),
            rows=count(release["rows"]),
            fingerprint=_text(release["fingerprint"]),
            entity=_maybe(entity["column"]),
            entity_released=entity["released"] is True,
            nulls=_text(raw["nulls"]),
            quasi=tuple(map(Quasi.read, listed(raw["quasi_identifiers"]))),
            claims=tuple(map(Claim.read, listed(raw["claims"]))),
            sizes=tuple(map(Band.read, listed(raw["class_sizes"]))),
            files={key: _text(value) for key, value in files.items()},
            linked=tuple(map(Linked.read, listed(raw.get("linked", [])))),
        )
        read._hold_names()
        return read

    def _hold_names(self) -> None:
        """Raise where a column is counted that is none of the release."""
        there, quasi = {name for name, _ in self.columns}, {each.name for each in self.quasi}
        counted = {c.counts for c in self.claims if c.recounted and c.counts is not None}
        over = {name for claim in self.claims for name in claim.over}
        counted |= {each.column for each in self.linked}
        if not counted | set(self.released_as(())) <= there or not over <= quasi or not quasi:
            raise ValueError("a claim is of no column of the release")
        if not {claim.kind for claim in self.claims} >= NEEDED or self.rows not in {
            claim.found for claim in self.claims if claim.kind is Kind.ROWS
        }:
            raise ValueError("claims of every release are missing, or rows are counted in two ways")
        if self.entity_released and not {self.entity} - {None} <= there:
            raise ValueError("the entity is no column of the release")


NEEDED = {Kind.CLASSES, Kind.ROWS, Kind.SUPPRESSED, Kind.COLUMNS}
DIALECTS = frozenset({"duckdb", "postgres", "spark"})
FINGERPRINT = re.compile(r"((duckdb|postgresql|spark) [0-9]{1,4} )?sha256:[0-9a-f]{64}")
READING = (TypeError, ValueError, LookupError, ArithmeticError, RecursionError)
"""What goes wrong when a text is no certificate."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that is given twice, of which readers see one or the other."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is no number")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or "\x00" in value:
        raise TypeError("a text was expected")
    return value


def _maybe(value: object) -> str | None:
    return None if value is None else _text(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, listed(value)))


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
