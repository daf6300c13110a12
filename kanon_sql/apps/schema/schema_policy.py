"""The policy of a schema as a value: keys, tables, what protects each, the subset, the release."""

from __future__ import annotations

import hashlib
import json
from dataclasses import field
from fractions import Fraction  # noqa: TC003  a Record reads it
from functools import partial
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import MapOf, Only
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Anything, ByKind, Parsed, Shape, Text, Wrong, refuse
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault
from kanon_sql.policy.model import Role, suppression_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.apps.schema.folds import Fold
    from kanon_sql.apps.schema.protections import Protection
    from kanon_sql.base.documents.lines import Item
    from kanon_sql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of a table of the schema, both by their names in the policy."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True, slots=True)
class KeyDomain:
    """One key over all tables: its columns have one keyed hash. The others refer to the first, `home`."""

    name: str
    key_env: str
    columns: tuple[ColumnOf, ...]

    @property
    def home(self) -> ColumnOf:
        return self.columns[0]

    def column_in(self, table: str) -> str | None:
        """Return the first column of the key in a table; None if the table has none."""
        return next((each.column for each in self.columns if each.table == table), None)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table that name a row of another, or of the same. It is `declared` in the database, or by `keys`."""

    table: str
    columns: tuple[str, ...]
    to: str
    of: tuple[str, ...]
    declared: bool = False

    def __str__(self) -> str:
        """Write the key with its columns.

        >>> print(ForeignKey("visits", ("patient_id",), "patients", ("id",)))
        visits.patient_id -> patients.id
        """
        return f"{_named(self.table, self.columns)} -> {_named(self.to, self.of)}"


def _named(table: str, columns: tuple[str, ...]) -> str:
    own = columns[0] if len(columns) == 1 else f"({', '.join(columns)})"
    return f"{table}.{own}"


@dataclass(frozen=True, slots=True)
class Subset:
    """The rows of a table that are released: by a condition, by a share of its people, or both."""

    where: str | None = None
    share: Fraction | None = None


EVERYTHING = Subset()


def _share(value: object) -> Fraction:
    share = suppression_from(value).share
    if share is None or not share:
        raise Wrong(("", "must be a share such as 5%"))
    return share


def _subset(
    where: Annotated[str | None, Text()] = None,
    limit: Annotated[Fraction | None, Parsed(Anything(), _share)] = None,
) -> Subset:
    return Subset(where, limit)


SUBSET: Shape[dict[str, Subset]] = MapOf(
    ByKind(
        plain=Parsed(Text(), partial(Subset)),
        mapping=Record(_subset, any_of=("where", "limit"), lacking="has neither where nor limit"),
    )
)


ELSEWHERE = {
    "views": "is no key: a coarser release is made of the finer one, by a policy of its table of people with a higher k, as "
    "docs/guides/schema.md shows under 'A coarser release for others'",
    "series": "is no key: a schema is released whole, new rows too, by a new plan and apply --replace. For releases over time "
    "that are compared, release each table alone: with the same key_env its pseudonyms are equal",
    "source": "is no key: name the database that has all tables, as database:",
}
"""Keys of one table's policy, and of what others call so, that a schema has another way for."""
AS_TABLES = (
    "must be {schema: NAME}: a schema is released as tables of its own database, in one transaction, and as no views or files. "
    "Copy the tables from there"
)


class SchemaName(Only[str]):
    """The schema of the released tables; what names views or files is refused with the reason."""

    def read(self, item: Item) -> str:
        if not isinstance(item.value, dict) or list(item.value) != [self.key]:
            raise refuse(item, AS_TABLES)
        return super().read(item)


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table of the schema and how it is released.

    `of` is the key of the people whose rows it has, and `path` the keys from it to their table, the nearest first.
    `policy` states its columns: one with quasi-identifiers if the table is counted, else one without. Where `whole`,
    columns that the policy does not list are released as they are. Of a table of events, `known` rows of a person are
    taken to be known.
    """

    name: str
    protection: Protection
    of: str | None
    policy: Policy
    path: tuple[ForeignKey, ...] = ()
    folds: Mapping[str, Fold] = field(default_factory=dict)
    subset: Subset = EVERYTHING
    whole: bool = False
    known: int | None = None

    @property
    def released_columns(self) -> list[str]:
        """The columns of its released table; none where it is `whole`, and the source alone has their names."""
        found: list[str] = []
        for each in () if self.whole else self.policy.columns:
            if each.role is Role.QUASI and self.protection.counted:
                found += each.released_as
            elif not each.is_dropped:
                found.append(each.name)
        return found


@dataclass(frozen=True, slots=True)
class SchemaPolicy:
    """Tables that are released together, into one schema, in one transaction."""

    tables: Mapping[str, TableEntry]
    keys: Mapping[str, KeyDomain]
    database: str | None
    release: str | None
    digest: str
    base: str = ""
    file: str | None = field(default=None, compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def subject(self) -> str:
        """The name of the policy in messages."""
        return self.file or "policy"

    def fault(self, where: str, what: str) -> Fault:
        """Return a fault of an entry, with the line of the entry or of its closest stated parent."""
        entry = where
        while entry not in self.lines and "." in entry:
            entry = entry.rpartition(".")[0]
        return Fault(where, what, self.lines.get(entry))

    def domains_of(self, table: str) -> Iterator[tuple[str, KeyDomain]]:
        """Yield the columns of a table that are keys, each with its key."""
        for domain in self.keys.values():
            for each in domain.columns:
                if each.table == table:
                    yield each.column, domain

    def domain_of(self, table: str, column: str) -> KeyDomain | None:
        """Return the key that a column belongs to; None if it is no key."""
        return next((of for name, of in self.domains_of(table) if name == column), None)

    def is_personal(self, domain: KeyDomain) -> bool:
        """Whether the values of a key name people, or rows of people."""
        return self.tables[domain.home.table].of is not None

    @property
    def people(self) -> list[TableEntry]:
        """The tables with one row a person."""
        return [each for each in self.tables.values() if each.of and not each.path]

    def children(self, person: TableEntry) -> list[TableEntry]:
        """Return the tables whose rows belong to the people of a table."""
        return [each for each in self.tables.values() if each.of == person.of and each.path]


def digest_of(tables: Mapping[str, TableEntry], keys: Mapping[str, KeyDomain]) -> str:
    """Hash what decides the released rows: keys, tables, folds and subsets, each table's policy by its own hash."""
    parts = (
        [[each.name, each.key_env, list(map(str, each.columns))] for each in keys.values()],
        [
            [
                each.name,
                each.protection.key,
                each.of,
                list(map(str, each.path)),
                {name: str(fold) for name, fold in each.folds.items()},
                [each.subset.where, str(each.subset.share)],
                each.policy.digest,
                *([] if each.known is None else [each.known]),
            ]
            for each in tables.values()
        ],
    )
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
