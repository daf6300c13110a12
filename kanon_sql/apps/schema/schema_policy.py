"""The policy of a schema as a value: keys, tables, the protection of each, columns that events fold into, the subset.

What it releases, whether it shows whose row a row is, what it promises and what not, in words for plan, report and
certificate. No other module asks which of them a table has.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import field, replace
from fractions import Fraction  # noqa: TC003  a Record reads it
from functools import partial
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import Keyed, MapOf, Only
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import (
    Anything,
    ByKind,
    Fixed,
    Parsed,
    Shape,
    Text,
    Whole,
    Wrong,
    refuse,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.errors import Fault
from kanon_sql.policy.masks import HASH, KeyNumberMask
from kanon_sql.policy.model import Role, suppression_from
from kanon_sql.policy.standards import NOTHING_SAID, About

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.base.documents.keys import Item
    from kanon_sql.policy.mask import Mask
    from kanon_sql.policy.model import Policy


Capped = Annotated[int, Whole(1, 10**9)]


@dataclass(frozen=True, slots=True)
class Fold:
    """One column of a person made of all their rows of a table.

    `kind` names the branch of the template: `count`, `set`, `first`, `last` or `sum`. `size` is the greatest count, the
    characters that a value of a set keeps, or the unit that a sum is rounded to; None for none.
    """

    kind: str
    column: str | None = None
    size: int | None = None

    def leaves(self, named: str) -> dict[str, object]:
        """Return what the template of folded rows prints for the column `named`."""
        own: exp.Expr | None = None if self.column is None else column(self.column, of="s")
        size = None if self.size is None else literal(self.size)
        return {"kind": self.kind, "from": own, "size": size, "as": name(named)}

    def __str__(self) -> str:
        """Describe the fold.

        >>> print(Fold("count", None, 3), "|", Fold("set", "icd", 1), "|", Fold("sum", "cost", 100), "|", Fold("last", "day"))
        number of rows, 3 standing for more | set of icd by its first 1 characters | sum of cost to the nearest 100 | last day
        """
        if self.kind == "count":
            return "number of rows" + (
                "" if self.size is None else f", {self.size} standing for more"
            )
        if self.kind == "set":
            cut = "" if self.size is None else f" by its first {self.size} characters"
            return f"set of {self.column}{cut}"
        if self.kind == "sum":
            return f"sum of {self.column}" + (
                "" if self.size is None else f" to the nearest {self.size}"
            )
        return f"{self.kind} {self.column}"


def _count(
    count: Annotated[bool, Fixed(word=True, words="must be true")], top: Capped | None = None
) -> Fold:
    del count
    return Fold("count", None, top)


def _set(set: Annotated[str, Text()], characters: Capped | None = None) -> Fold:  # noqa: A002  the key of a policy
    return Fold("set", set, characters)


def _first(first: Annotated[str, Text()]) -> Fold:
    return Fold("first", first)


def _last(last: Annotated[str, Text()]) -> Fold:
    return Fold("last", last)


def _sum(sum: Annotated[str, Text()], round: Capped | None = None) -> Fold:  # noqa: A002  the keys of a policy
    return Fold("sum", sum, round)


FOLDS: Shape[dict[str, Fold]] = MapOf(
    Keyed(
        {
            "count": Record(_count),
            "set": Record(_set),
            "first": Record(_first),
            "last": Record(_last),
            "sum": Record(_sum),
        }
    )
)
"""The shape of `into`: names of columns, each with its fold."""


@dataclass(frozen=True, slots=True)
class Protection:
    """How a table of a schema is released.

    A `counted` table has quasi-identifiers, and a plan of its own. One that is `folded` is released as columns of its
    people's table, and not itself. A `keyed` one shows, by pseudonyms, which rows belong to one person. One of `events` has
    quasi-identifiers whose labels are items of people, of which somebody knows some; or all, where the protection is `whole`.
    """

    key: str
    promise: str
    limit: str
    counted: bool = False
    folded: bool = False
    keyed: bool = False
    events: bool = False
    whole: bool = False
    decided: bool = True
    claims_nothing: bool = False

    @property
    def released(self) -> bool:
        """Whether the release has a table of it."""
        return not self.folded

    @property
    def words(self) -> str:
        """The promise, and its limit."""
        return f"{self.promise}; {self.limit}"


PERSON = Protection(
    "entity",
    "one row a person, each in a class of k or more people",
    "it says nothing of who knows more of a person than these columns",
    counted=True,
    keyed=True,
)
CUT = Protection(
    "cut",
    "released without keys of people, in classes of its own",
    "nobody can join it to people, and no analyst either",
    counted=True,
)
SUMMARY = Protection(
    "summary",
    "in columns of its people's table",
    "these are under its k, and single rows are not released",
    folded=True,
)
NONE = Protection(
    "none",
    "no guarantee",
    "pseudonyms join its rows to people: whoever knows some of a person's rows may find that person, whatever k is",
    keyed=True,
    claims_nothing=True,
)
COPY = Protection(
    "copy",
    "a reference table, as it is but for keys",
    "it must hold nothing about people",
)
UNDECIDED = Protection(
    "undecided",
    "not chosen yet",
    "choose protect: cut, summary, signature, events or none",
    keyed=True,
    decided=False,
)
SIGNATURE = Protection(
    "signature",
    "whoever knows a person's class and all their rows finds k people",
    "whoever knows columns that are no quasi-identifiers may find one person",
    keyed=True,
    events=True,
    whole=True,
)
EVENTS = Protection(
    "events",
    "whoever knows a person's class and any known events finds k people",
    "whoever knows more events, or columns that are no quasi-identifiers, may find one person",
    keyed=True,
    events=True,
)

CHOICES = (CUT, SUMMARY, SIGNATURE, EVENTS, NONE)
"""The protections that `protect:` of a table names."""


def protection_of(key: str) -> Protection:
    """Return the protection of a key, as a plan names it. Raises KeyError for another text."""
    return {each.key: each for each in (PERSON, COPY, UNDECIDED, *CHOICES)}[key]


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of a table of the schema, both by their names in the policy."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True, slots=True)
class KeyDomain:
    """One key over all tables: its columns have the same pseudonyms. The others refer to the first, `home`.

    Pseudonyms are keyed hashes, or whole numbers of at most so many `digits`.
    """

    name: str
    key_env: str
    columns: tuple[ColumnOf, ...]
    digits: int | None = None

    @property
    def mask(self) -> Mask:
        """The action that makes its pseudonyms."""
        return HASH if self.digits is None else KeyNumberMask(self.digits, self.name)

    @property
    def home(self) -> ColumnOf:
        return self.columns[0]

    def column_in(self, table: str) -> str | None:
        """Return the first column of the key in a table; None if the table has none."""
        return next((each.column for each in self.columns if each.table == table), None)


def with_pseudonyms_of(keys: Mapping[str, KeyDomain], policy: Policy) -> Policy:
    """Return a table's policy in which the columns that belong to keys have the pseudonyms of these."""
    own = {c.name: keys[c.name].mask for c in policy.columns if c.name in keys and c.pseudonym}
    columns = (replace(c, action=own.get(c.name, c.action)) for c in policy.columns)
    return replace(policy, columns=tuple(columns))


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


SHARE = {"type": "string", "description": "such as 5%"}


def _share(value: object) -> Fraction:
    share = suppression_from(value).share
    if share is None or not share:
        raise Wrong(("", "must be a share such as 5%"))
    return share


def _subset(
    where: Annotated[str | None, Text()] = None,
    limit: Annotated[Fraction | None, Parsed(Anything(), _share, SHARE)] = None,
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
    "that are compared, release each table alone: with the same key_env and domain: KEY its pseudonyms are equal",
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

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The columns whose cells stand for a class, so that no row shows what is true of it."""
        quasi = self.policy.quasi if self.protection.counted else ()
        return tuple(each.name for each in quasi if each.output.is_of_class)


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
    about: About = field(default=NOTHING_SAID, compare=False)
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
        [
            [
                each.name,
                each.key_env,
                list(map(str, each.columns)),
                *([] if each.digits is None else [each.digits]),
            ]
            for each in keys.values()
        ],
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
