"""The policy as a value. `read_policy.py` reads one from YAML."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import field, fields, is_dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.keys import Item, Keyed, Tagged
from kanon_sql.base.documents.records import HASHED_AS, LATER, Key, Needed, Record, Unwritten
from kanon_sql.base.documents.shapes import (
    MOST,
    Anything,
    Number,
    Parsed,
    Refused,
    Schema,
    Shape,
    Text,
    Wrong,
    check,
    refuse,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault
from kanon_sql.policy.hierarchies.entries import HierarchyKind  # noqa: TC001  the type of a field is its shape
from kanon_sql.policy.hierarchies.order import ORDER, Listed, Order, OrderKind, ordered
from kanon_sql.policy.hierarchies.specs import HIERARCHY
from kanon_sql.policy.mask import Mask
from kanon_sql.policy.masks import ALONE, BY_KEY, DROP, NULL, ItemsMask
from kanon_sql.policy.output import Output  # noqa: TC001  a Record reads it
from kanon_sql.policy.outputs import LABELS, OUTPUT
from kanon_sql.policy.privacy.demands import weighs
from kanon_sql.policy.privacy.privacy_model import QUASI, SENSITIVE, PrivacyModel
from kanon_sql.policy.search import Search
from kanon_sql.policy.search_options import FIRST, TARGETS, WITH_OPTIONS, Options
from kanon_sql.policy.standards import NOTHING_SAID, WHY, WORDS, About
from kanon_sql.policy.text_formats import ReadTexts, TextFormat, Unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.engines.locations import Destination, Source
    from kanon_sql.policy.metrics.statistics import Metric
    from kanon_sql.policy.series_rule import Series


class Role(StrEnum):
    IDENTIFYING = "identifying"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


class Linkable(StrEnum):
    """Whether a column, such as a pseudonym or the entity, may link the rows of a person in the release."""

    REFUSE = "refuse"
    ACCEPT = "accept"


class Rare(StrEnum):
    """Whether a value that fewer than k rows or people have may be shown alone, or else the nearest that k have."""

    NEAREST = "nearest"
    SHOW = "show"


class Nulls(StrEnum):
    """The treatment of NULL in quasi-identifiers: a value, a match for any value, suppression, or a fault."""

    CATEGORY = "category"
    WILDCARD = "wildcard"
    SUPPRESS = "suppress"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class LevelBounds:
    """The levels that a search may choose for a column: none below `least`, none above `most`.

    Without `most` the search may choose any level up to the last of the hierarchy.
    """

    least: int = 0
    most: int | None = None

    def __post_init__(self) -> None:
        ordered_ = self.most is None or self.least <= self.most
        check(("most", ordered_, "must not be less than least"))

    def holds(self, level: int) -> bool:
        """Whether a column may be released at a level."""
        return self.least <= level and (self.most is None or level <= self.most)

    def problems(self, height: int) -> Iterator[tuple[str, str]]:
        """Yield the key and a message for each bound above `height`, the last level of the hierarchy."""
        for key, level in (("least", self.least), ("most", self.most or 0)):
            if level > height:
                yield key, f"is {level}, and the last level of its hierarchy is {height}"

    def __str__(self) -> str:
        """Describe the bounds for a message.

        >>> print(LevelBounds(1, 3), LevelBounds(2), LevelBounds(0, 2), LevelBounds(1, 1), sep=" | ")
        levels 1 to 3 | level 2 or coarser | level 2 or finer | level 1
        >>> print(LevelBounds())
        any level
        """
        if self.most is None:
            return f"level {self.least} or coarser" if self.least else "any level"
        if self.least == self.most:
            return f"level {self.most}"
        return (
            f"levels {self.least} to {self.most}" if self.least else f"level {self.most} or finer"
        )


ANY_LEVEL = LevelBounds()
LEVEL_BOUNDS = Record(LevelBounds, any_of=("least", "most"), lacking="has neither least nor most")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    role: Role
    hierarchy: HierarchyKind | None = None
    output: Output = LABELS
    action: Mask = DROP
    key_env: str | None = None
    order: Order | None = None
    linkable: Linkable = field(default=Linkable.REFUSE, metadata=LATER)
    levels: LevelBounds = field(default=ANY_LEVEL, metadata=LATER)
    weight: Decimal = field(default=Decimal(1), metadata=LATER)
    missing: tuple[str, ...] = field(default=(), metadata=LATER)
    format: TextFormat | None = field(default=None, metadata=LATER)
    unparsed: Unparsed = field(default=Unparsed.REFUSE, metadata=LATER)
    rare: Rare = field(default=Rare.NEAREST, metadata=LATER)
    domain: str | None = field(default=None, metadata=LATER)
    why: str | None = field(default=None, metadata=WORDS)

    @property
    def mask(self) -> Mask | None:
        """The action that masks the column; None if it is generalized, or released as it is."""
        if self.role is Role.IDENTIFYING:
            return self.action
        masked = self.role is Role.INSENSITIVE and not self.action.is_dropped
        return self.action if masked else None

    @property
    def pseudonym(self) -> bool:
        """Whether the column is released as pseudonyms: each value as one of its own."""
        return self.mask is not None and self.mask.links

    @property
    def shows_values(self) -> bool:
        """Whether readers can tell its values apart, and it is neither a quasi-identifier nor a pseudonym."""
        if self.mask is None:
            return self.role is not Role.QUASI
        return self.mask.told_apart and not self.mask.links

    @property
    def keyed(self) -> bool:
        """Whether the column is masked with a secret key."""
        return self.mask is not None and self.mask.keyed

    @property
    def has_entries(self) -> bool:
        """Whether the column has a hierarchy that lists its values, as text."""
        return self.hierarchy is not None and self.hierarchy.has_entries

    @property
    def is_dropped(self) -> bool:
        """Whether the release leaves the column out."""
        return self.mask is not None and self.mask.is_dropped

    @property
    def released_as(self) -> tuple[str, ...]:
        """The names of its columns in the release, if it is not dropped; two for bounds."""
        return self.output.released_as(self.name)


Texts = Annotated[ReadTexts, Key("*"), Record(ReadTexts)]


def _quasi(
    hierarchy: Annotated[HierarchyKind | None, HIERARCHY] = None,
    order: Annotated[Order | None, Key("*"), Record(ordered)] = None,
    output: Annotated[Output, OUTPUT] = LABELS,
    levels: Annotated[LevelBounds | None, LEVEL_BOUNDS] = None,
    weight: Annotated[Decimal | None, Number(positive=True, below=10**6)] = None,
    *,
    texts: Texts,
    rare: Rare | None = None,
    why: Annotated[str | None, WHY] = None,
) -> Column:
    column = Column(
        "",
        Role.QUASI,
        hierarchy,
        output,
        order=order,
        levels=levels or ANY_LEVEL,
        weight=Decimal(1) if weight is None else weight,
        **texts.of_column,
        rare=rare or Rare.NEAREST,
        why=why,
    )
    why_not = output.why_not(column)
    check(
        ("output", why_not is None, str(why_not)),
        ("levels", levels is None or hierarchy is not None, "goes with a hierarchy"),
        ("rare", rare is None or output.together, "goes with output: apportioned"),
    )
    return replace(column, output=output.hashed_as(column))


def _sensitive(
    order: Annotated[OrderKind | Listed | None, ORDER] = None,
    hierarchy: Annotated[HierarchyKind | None, HIERARCHY] = None,
    linkable: Linkable = Linkable.REFUSE,
    *,
    texts: Texts,
    why: Annotated[str | None, WHY] = None,
) -> Column:
    along = None if order is None else ordered(order)
    return Column(
        "", Role.SENSITIVE, hierarchy, order=along, linkable=linkable, **texts.of_column, why=why
    )


def _insensitive(
    linkable: Linkable = Linkable.REFUSE,
    *,
    texts: Texts,
    why: Annotated[str | None, WHY] = None,
) -> Column:
    return Column("", Role.INSENSITIVE, linkable=linkable, **texts.of_column, why=why)


def _masked(role: Role, kind: type[Mask]) -> Record[Column]:
    """Return the form of a column of a role that an action masks: the action's own keys, and those of every column."""
    alone = ALONE.get(kind.key)

    def build(
        *,
        action: Mask | None = alone,
        key_env: str | None = None,
        domain: str | None = None,
        linkable: Linkable = Linkable.REFUSE,
        texts: ReadTexts,
        why: str | None = None,
    ) -> Column:
        if action is None:
            raise Wrong()
        own = {"key_env": key_env, "domain": domain, "linkable": linkable, "why": why}
        return Column("", role, action=action, **own, **texts.of_column)  # type: ignore[arg-type]

    keyless = f"action {kind.key} needs key_env, the environment variable that holds the secret key"
    hints: dict[str, object] = {"texts": Texts, "why": Annotated[str | None, WHY]}
    hints["key_env"] = Annotated[str, Needed(keyless)] if kind.keyed else Annotated[str, Unwritten]
    hints["domain"] = Annotated[str | None, Text() if kind.in_domains else Unwritten]
    hints["linkable"] = Linkable if kind.told_apart else Annotated[Linkable, Unwritten]
    hints["action"] = Annotated[Mask, Key("*") if alone is None else Unwritten, Record(kind)]
    build.__annotations__ = hints
    return Record(build)


MASKED = {
    role: {
        key: _masked(role, kind)
        for key, kind in BY_KEY.items()
        if not kind.in_lists and (role is Role.IDENTIFYING or key not in ALONE)
    }
    for role in (Role.IDENTIFYING, Role.INSENSITIVE)
}
"""The forms of masked columns, by role and action."""
COLUMN: Tagged[Column] = Tagged(
    "role",
    {
        Role.IDENTIFYING: Tagged(
            "action",
            MASKED[Role.IDENTIFYING],
            lacking="is identifying; add action: drop, hash or null",
            null=NULL.key,
        ),
        Role.QUASI: Keyed(
            {"items": _masked(Role.INSENSITIVE, ItemsMask)},
            default=Record(
                _quasi,
                any_of=("hierarchy", "order"),
                lacking="is a quasi-identifier without a hierarchy; the simplest is hierarchy: suppress",
            ),
        ),
        Role.SENSITIVE: Record(_sensitive),
        Role.INSENSITIVE: Tagged(
            "action",
            {"keep": Record(_insensitive), **MASKED[Role.INSENSITIVE]},
            default="keep",
        ),
    },
    lacking="has no role; add role: identifying, quasi, sensitive or insensitive",
)


OF_ALL = "output"
"""The name under which a policy publishes the output of all its quasi-identifiers."""


def with_output(entry: Item, output: Output | None) -> Item:
    """Return the entry of a column with the output that the policy states for all, if it is a quasi-identifier without one."""
    role = entry.entries.get("role")
    if (
        output is None
        or role is None
        or role.value != Role.QUASI
        or entry.entries.keys() & {"output", "items"}
    ):
        return entry
    path = f"{entry.path}.output"
    own = Item(output.key, path, entry.line, entry.reading, output.key)
    return replace(entry, value={**entry.entries, "output": own})


class Columns(Shape[tuple[Column, ...]]):
    """The shape of `columns`. It publishes the columns, which later parts of the policy may name."""

    def read(self, item: Item) -> tuple[Column, ...]:
        if not isinstance(item.value, dict):
            raise refuse(item, "must be a mapping of names to values")
        columns: list[Column] = []
        doubtful: set[str] = set()
        for name, entry in item.entries.items():
            before = len(item.faults)
            if not name:
                entry.fault("cannot be the name of a column")
            if name.casefold() in {each.name.casefold() for each in columns}:
                entry.fault("differs from another column only in case; databases fold case")
            whole = with_output(entry, item.reading.known.get(OF_ALL))
            try:
                columns.append(replace(COLUMN.read(whole), name=name))
            except Refused:
                columns.append(Column(name, Role.INSENSITIVE))
            doubtful |= {name} if len(item.faults) > before else set()
        if not doubtful and not any(each.role is Role.QUASI for each in columns):
            what = "no column has role quasi; without a quasi-identifier there is nothing to search"
            raise refuse(item, what)
        item.reading.known |= known_columns(tuple(columns), doubtful)
        return tuple(columns)

    def schema(self) -> Schema:
        return {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": COLUMN.schema(),
        }


def known_columns(columns: tuple[Column, ...], doubtful: set[str]) -> dict[str, object]:
    """Return the lookups of columns for later parts of a policy; `doubtful` columns have faults."""
    of_role = {
        QUASI: {Role.QUASI},
        SENSITIVE: {Role.SENSITIVE},
        TARGETS: {Role.SENSITIVE, Role.INSENSITIVE},
    }
    return {
        "columns": columns,
        "doubtful": doubtful,
        "released": {
            name: each.name for each in columns if not each.is_dropped for name in each.released_as
        },
        **{
            of: tuple(each.name for each in columns if each.role in roles)
            for of, roles in of_role.items()
        },
    }


@dataclass(frozen=True, slots=True)
class Suppression:
    """The suppression limit: a number of rows, or a share of all rows, rounded down."""

    rows: int | None = None
    share: Fraction | None = None

    def limit(self, rows: int) -> int:
        """Return the most rows that may be suppressed in a table of `rows` rows.

        >>> Suppression(share=Fraction(4, 100)).limit(30162)
        1206
        """
        if self.rows is not None:
            return self.rows
        return int((self.share or Fraction(0)) * rows)

    @property
    def ratio(self) -> tuple[int, int] | None:
        """The share as numerator and denominator for 64-bit SQL, rounded down to nine decimals if needed.

        >>> Suppression(share=Fraction(3, 10)).ratio, Suppression(rows=3).ratio
        ((3, 10), None)
        """
        if self.share is None:
            return None
        if self.share.denominator > 10**9:
            return Fraction(int(self.share * 10**9), 10**9).as_integer_ratio()
        return self.share.as_integer_ratio()

    def percent(self, places: int = 32) -> str:
        """Write the share as `4%`, rounded down to `places` decimals.

        >>> Suppression(share=Fraction(1, 8)).percent(), Suppression(share=Fraction(1, 8)).percent(0)
        ('12.5%', '12%')
        """
        whole, rest = divmod(int((self.share or Fraction(0)) * 100 * 10**places), 10**places)
        fraction = f"{rest:0{places}}".rstrip("0") if places and rest else ""
        return f"{whole}{'.' if fraction else ''}{fraction}%"


def suppression_from(value: object) -> Suppression:
    """Read a suppression limit: a whole number of rows, or a share such as `4%`. Raises Wrong.

    >>> suppression_from("4%").share, suppression_from(12).rows
    (Fraction(1, 25), 12)
    """
    text = value.strip() if isinstance(value, str) else ""
    if re.fullmatch(r"\d{1,18}", text, re.ASCII):
        return Suppression(rows=int(text))
    if re.fullmatch(r"\d{1,3}(\.\d{1,30})?\s*%", text, re.ASCII):
        share = Fraction(Decimal(text.rstrip("% \t"))) / 100
        check(("", share <= 1, "must lie between 0% and 100%"))
        return Suppression(share=share)
    if isinstance(value, bool) or not isinstance(value, int):
        what = "must be a whole number of rows or a share such as 4%"
        if re.fullmatch(r"0?\.\d{1,6}", str(value).strip(), re.ASCII):
            as_share = Suppression(share=Fraction(Decimal(str(value).strip())))
            what += f": write {as_share.percent()}"
        raise Wrong(("", what))
    check(("", value >= 0, "must not be negative"), ("", value <= MOST, "must be at most 10^18"))
    return Suppression(rows=value)


SUPPRESSION = Parsed(
    Anything(),
    suppression_from,
    {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": MOST},
            {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*%?\s*$"},
        ]
    },
)


LOCATIONS = frozenset(
    {"source", "database", "attach", "release", "series", "base", "file", "lines"}
)
"""Fields that locate inputs and outputs, or say when rows are released. They change no recoding; the policy's hash leaves them out."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The input of a run: what to protect, and how. Relative paths start from the folder `base`.

    With `signature` a class is a set of people with equal rows. Rows with equal values are dealt to regions by chance, or
    by the keyed hash of the pseudonymized column `dealt_by`. `file` and `lines` locate entries, for messages.
    """

    source: Source
    entity: str | None
    columns: tuple[Column, ...]
    privacy: tuple[PrivacyModel, ...]
    suppression: Suppression
    nulls: Nulls = Nulls.CATEGORY
    search: Search = field(default_factory=Search)
    release: Destination | None = None
    database: str | None = None
    attach: tuple[tuple[str, str], ...] = ()
    signature: bool = field(default=False, metadata=LATER)
    about: About = field(default=NOTHING_SAID, metadata=WORDS)
    series: Series | None = None
    base: str = ""
    file: str | None = field(default=None, compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    dealt_by: str | None = field(default=None, metadata=LATER)

    @property
    def subject(self) -> str:
        """The name of the policy in messages."""
        return self.file or "policy"

    def fault(self, where: str, what: str) -> Fault:
        """Return a fault of an entry, with the line of the entry or of its closest stated parent."""
        entry = where.partition(" ")[0] if where.startswith("source ") else where
        while entry not in self.lines and "." in entry:
            entry = entry.rpartition(".")[0]
        return Fault(where, what, self.lines.get(entry))

    @property
    def why(self) -> dict[str, str]:
        """The reasons for roles by column, of the columns that state a reason."""
        return {each.name: each.why for each in self.columns if each.why is not None}

    def with_role(self, role: Role) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role is role)

    @property
    def quasi(self) -> tuple[Column, ...]:
        return self.with_role(Role.QUASI)

    @property
    def of_rows(self) -> tuple[Column, ...]:
        """The quasi-identifiers whose output follows from the rows of their class."""
        return tuple(each for each in self.quasi if each.output.is_of_rows)

    def missing_of(self, name: str) -> tuple[str, ...]:
        """Return the texts that are read as NULL in a column: those of its entry, then those of the source."""
        own = [text for each in self.columns if each.name == name for text in each.missing]
        return tuple(dict.fromkeys([*own, *self.source.missing]))

    @property
    def within(self) -> dict[str, LevelBounds] | None:
        """The level bounds of the quasi-identifiers that state some; None if no column does."""
        found = {each.name: each.levels for each in self.quasi if each.levels != ANY_LEVEL}
        return found or None

    @property
    def metric(self) -> Metric:
        """The metric that the search minimizes, with the columns' weights as shares of the greatest."""
        weights = [column.weight for column in self.quasi]
        greatest = max(weights)
        even = all(weight == greatest for weight in weights)
        return self.search.metric_of(() if even else tuple(float(w / greatest) for w in weights))

    def monotone(self, max_suppressed: int) -> bool:
        """Whether every node coarser than a feasible one is feasible, so that searches may tag nodes.

        False for models that weigh values where people are counted: a person in two classes counts once in their union.
        """
        if self.entity is not None and any(weighs(model) for model in self.privacy):
            return False
        return all(model.monotony.holds(max_suppressed) for model in self.privacy)

    @property
    def digest(self) -> str:
        """The SHA-256 of the policy without text for readers, and without its `LOCATIONS`.

        A plan has a separate hash of the source, and may be released to another location. Of the source, the condition
        `where`, the column `weight` and the texts in `missing` are part of the hash, and of a series what tells its rows
        apart.
        """
        hashed = {n: _plain(value) for n, value in _hashed(self) if n not in LOCATIONS}
        if self.series is not None:
            hashed["series"] = [self.series.row, self.series.changes]
        of = {"where": self.source.where, "weight": self.source.weight}
        hashed |= {name: value for name, value in of.items() if value is not None}
        if self.source.missing:
            hashed["missing"] = list(self.source.missing)
        return hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()


def _hashed(value: object) -> Iterator[tuple[str, object]]:
    """Yield the name and value of each field that is hashed.

    Fields that were added `LATER` are not hashed at their default, so that a policy without them keeps its hash.
    Text for readers is never hashed.
    """
    for each in fields(value):  # type: ignore[arg-type]
        of = getattr(value, each.name)
        if isinstance(of, Options):
            yield from _hashed_options(of)
        elif each.metadata != WORDS and not (each.metadata == LATER and of == each.default):
            yield each.metadata.get(HASHED_AS, each.name), of


def _hashed_options(options: Options) -> Iterator[tuple[str, object]]:
    """Yield the original defaults of every algorithm, then the chosen options: old plans keep their hash."""
    for kind in WITH_OPTIONS.values():
        yield from _hashed(FIRST.get(kind) or kind())
    yield from _hashed(options.as_hashed)
    yield "algorithm", options.algorithm


def _plain(value: object) -> object:
    """Convert a value of a policy to JSON; a dataclass becomes a mapping with the name of its class."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "is": type(value).__name__,
            **{name: _plain(of) for name, of in _hashed(value)},
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str | float):
        return value
    return str(value)
