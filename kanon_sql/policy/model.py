"""What is meant: the policy as a value. `policy_file.py` reads one from YAML."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault
from kanon_sql.metrics.column_metrics import Aggregate
from kanon_sql.metrics.registry import metric_named
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.privacy.privacy_model import LATER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from kanon_sql.hierarchies.order import Order
    from kanon_sql.hierarchies.specs import HierarchySpec
    from kanon_sql.metrics.metric import Metric
    from kanon_sql.privacy.privacy_model import PrivacyModel


class Role(StrEnum):
    IDENTIFYING = "identifying"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


class Action(StrEnum):
    """What becomes of a direct identifier."""

    DROP = "drop"
    HASH = "hash"
    NULL = "null"


class Linkable(StrEnum):
    """Whether a pseudonym may join the rows of a person in the release."""

    REFUSE = "refuse"
    ACCEPT = "accept"


class Output(StrEnum):
    """How a generalized interval is written: one text label, two typed columns, or its rows' centre."""

    LABELS = "labels"
    BOUNDS = "bounds"
    MEAN = "mean"
    MEDIAN = "median"

    @property
    def is_centre(self) -> bool:
        """Whether it is one number, to six decimals."""
        return self in {Output.MEAN, Output.MEDIAN}


class Nulls(StrEnum):
    """What a NULL among the quasi-identifiers means: a value of its own, or a fault."""

    CATEGORY = "category"
    REFUSE = "refuse"


class Algorithm(StrEnum):
    """The searches, by the names of the literature; `search/algorithms.py` says what each gives."""

    OPTIMAL = "optimal"
    SAMARATI = "samarati"
    ALL_MIN = "all_min"
    MINGEN = "mingen"
    DATAFLY = "datafly"
    MU_ARGUS = "mu_argus"
    INCOGNITO = "incognito"
    OLA = "ola"
    FLASH = "flash"
    LIGHTNING = "lightning"
    GREEDY = "greedy"
    BREADTH_FIRST = "breadth_first"
    EXHAUSTIVE = "exhaustive"
    MONDRIAN = "mondrian"
    TOP_DOWN = "top_down"
    BOTTOM_UP = "bottom_up"
    K_OPTIMIZE = "k_optimize"


class Preference(StrEnum):
    """Which of several k-minimal nodes is taken (Samarati 2001, section 3), or that of least cost."""

    ABSOLUTE = "minimum_absolute_distance"
    RELATIVE = "minimum_relative_distance"
    DISTRIBUTION = "maximum_distribution"
    SUPPRESSION = "minimum_suppression"
    COST = "minimum_cost"


class Among(StrEnum):
    """Which nodes a preference chooses among: those of least height, or every k-minimal one."""

    LEAST_HEIGHT = "least_height"
    ALL_MINIMAL = "all_minimal"


class Variant(StrEnum):
    """Where Incognito takes the frequency sets of its roots from (LeFevre et al. 2005, section 3)."""

    BASIC = "basic"
    SUPER_ROOTS = "super_roots"
    CUBE = "cube"


class Per(StrEnum):
    """What the greedy search stops for: all records at one node, or each at its own."""

    ATTRIBUTE = "attribute"
    RECORD = "record"


class At(StrEnum):
    """Where Mondrian cuts a line: where its sides differ least in rows, or beside the median's value."""

    BALANCED = "balanced"
    MEDIAN = "median"


class Choose(StrEnum):
    """What Mondrian cuts a region by (LeFevre et al., ICDE 2006 and KDD 2006).

    The axis it is widest on; or the cut, of any axis, after which the loss is least, the target's
    conditional entropy, or the target's squared error.
    """

    WIDTH = "width"
    LOSS = "loss"
    INFORMATION = "information"
    VARIANCE = "variance"


class Dealing(StrEnum):
    """Whether Mondrian leaves equal tuples together, or deals those at the median to both sides."""

    STRICT = "strict"
    RELAXED = "relaxed"


class Minimize(StrEnum):
    """What K-Optimize minimizes: C_DM, or the rows that are not of their class's most frequent target."""

    DISCERNIBILITY = "discernibility"
    CLASSIFICATION = "classification"


class Repair(StrEnum):
    """What becomes of records that mu-Argus leaves in classes too small: nothing, or suppression."""

    NONE = "none"
    RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Identifying:
    """How identifying the quasi-identifiers are, for mu-Argus (Hundepool and Willenborg 1996).

    `more` and `most` name those that are more and most identifying; the others are `identifying`.
    """

    identifying: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    most: tuple[str, ...] = ()


class Recode(StrEnum):
    """What becomes of rows whose class does not fit at the chosen node.

    They are suppressed; or anonymized by themselves, again and again; or each class goes as far up
    as it must.
    """

    FULL_DOMAIN = "full_domain"
    LOCAL = "local"
    CELLS = "cells"


class Format(StrEnum):
    """What a release is written as."""

    TABLE = "table"
    PARQUET = "parquet"
    CSV = "csv"


class Compression(StrEnum):
    """How the pages of Parquet files are compressed."""

    ZSTD = "zstd"
    SNAPPY = "snappy"
    GZIP = "gzip"
    UNCOMPRESSED = "uncompressed"


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    role: Role
    hierarchy: HierarchySpec | None = None
    output: Output = Output.LABELS
    action: Action = Action.DROP
    key_env: str | None = None
    order: Order | None = None
    linkable: Linkable = field(default=Linkable.REFUSE, metadata=LATER)

    @property
    def pseudonym(self) -> bool:
        """Whether it is released as a keyed hash."""
        return self.role is Role.IDENTIFYING and self.action is Action.HASH

    @property
    def released_as(self) -> tuple[str, ...]:
        """Name the columns that it becomes, where it is not dropped."""
        if self.output is Output.BOUNDS:
            return (f"{self.name}_low", f"{self.name}_high")
        return (self.name,)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows are: exactly one of a path (or glob), a table's name, or a query.

    `where` is a condition of the engine's own SQL: only rows that meet it are the source. With
    `union_by_name` a column that some files lack is NULL in their rows. `skip` lines of a text file
    are above its header.
    """

    path: str | None = None
    table: str | None = None
    query: str | None = None
    delimiter: str | None = None
    where: str | None = None
    union_by_name: bool = False
    skip: int = 0


@dataclass(frozen=True, slots=True)
class Suppression:
    """How many rows may be suppressed: a number, or a share of all rows, rounded down."""

    rows: int | None = None
    share: Fraction | None = None

    def limit(self, rows: int) -> int:
        """Give MaxSup for a table of so many rows.

        >>> Suppression(share=Fraction(4, 100)).limit(30162)
        1206
        """
        if self.rows is not None:
            return self.rows
        return int((self.share or Fraction(0)) * rows)


@dataclass(frozen=True, slots=True)
class Search:
    """How a node is found, and what is done with rows that do not fit there; `layers` bounds nodes."""

    algorithm: Algorithm = Algorithm.OPTIMAL
    metric: str = "loss"
    aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN
    count_suppressed: bool = False
    preference: Preference = Preference.ABSOLUTE
    among: Among = Among.LEAST_HEIGHT
    variant: Variant = Variant.CUBE
    recoding: Recode = Recode.FULL_DOMAIN
    layers: int = 64
    time_limit: float | None = None
    order: tuple[str, ...] = ()
    per: Per = Per.ATTRIBUTE
    sets: Identifying | None = None
    generalize: tuple[tuple[str, int], ...] = ()
    repair: Repair = Repair.NONE
    at: At = At.BALANCED
    choose: Choose = Choose.WIDTH
    cuts: Dealing = Dealing.STRICT
    weights: tuple[tuple[str, Decimal], ...] = ()
    target: str | None = None
    score: Score = Score.GAIN_PER_LOSS
    average: Average = Average.AFFECTED
    minimize: Minimize = Minimize.DISCERNIBILITY

    def cost(self) -> Metric:
        """Give the metric as something that can be computed."""
        return metric_named(
            self.metric, aggregate=self.aggregate, count_suppressed=self.count_suppressed
        )


@dataclass(frozen=True, slots=True)
class InPlace:
    """A release that takes the name of its source.

    The original is kept under the name `keep`, or dropped where that is None. `accept` names what
    hangs on the table and may be lost, or may go on showing raw values.
    """

    keep: str | None = None
    accept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the release goes; `partition_by` makes a folder of hive-partitioned Parquet.

    `row_group_rows` is the most rows of a row group; an engine may round it to whole vectors.
    A `view` is a table's name too: the rows stay in the source, and are recoded when it is read.
    A release `in_place` goes to the source's own name, and `name` is empty until a run knows it.
    """

    format: Format
    name: str
    partition_by: tuple[str, ...] = ()
    compression: Compression = Compression.ZSTD
    row_group_rows: int | None = None
    view: bool = False
    in_place: InPlace | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "format", Format(self.format))
        object.__setattr__(self, "compression", Compression(self.compression))


PLACES = frozenset({"source", "database", "attach", "release", "base", "file", "lines"})
"""What a policy says of where things are, and not of what is done."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that a run is told. `base` is the folder that relative paths start from.

    `file` and `lines` say where an entry stands, for messages.
    """

    source: Source
    entity: str | None
    columns: tuple[Column, ...]
    privacy: tuple[PrivacyModel, ...]
    suppression: Suppression
    nulls: Nulls = Nulls.CATEGORY
    search: Search = Search()
    release: Destination | None = None
    database: str | None = None
    attach: tuple[tuple[str, str], ...] = ()
    base: str = ""
    file: str | None = field(default=None, compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def subject(self) -> str:
        """Name the policy for messages."""
        return self.file or "policy"

    def fault(self, where: str, what: str) -> Fault:
        """Say what is wrong with an entry, with the line it stands on or below."""
        spot = where.partition(" ")[0] if where.startswith("source ") else where
        while spot not in self.lines and "." in spot:
            spot = spot.rpartition(".")[0]
        return Fault(where, what, self.lines.get(spot))

    def with_role(self, role: Role) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role is role)

    @property
    def quasi(self) -> tuple[Column, ...]:
        return self.with_role(Role.QUASI)

    def monotone(self, max_suppressed: int) -> bool:
        """Whether a node coarser than a feasible one is feasible too, so that searches may tag."""
        return all(model.monotony.holds(max_suppressed) for model in self.privacy)

    @property
    def digest(self) -> str:
        """Hash what the policy says; where the file lies is no part of it.

        Where the rows come from and go to is left out too: a plan holds the source's own hash,
        and may be released to another place. Which rows are taken is part of it.
        """
        said = {n: _plain(value) for n, value in _said(self) if n not in PLACES}
        if self.source.where is not None:
            said["where"] = self.source.where
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _said(value: object) -> Iterator[tuple[str, object]]:
    """Give the fields that a policy says.

    Those that came `LATER` are none of them at their default: a policy without them keeps its hash.
    """
    for each in fields(value):  # type: ignore[arg-type]
        of = getattr(value, each.name)
        if not (each.metadata == LATER and of == each.default):
            yield each.name, of


def _plain(value: object) -> object:
    """Turn a policy's values into what JSON knows, with the type's name where it tells."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "is": type(value).__name__,
            **{name: _plain(of) for name, of in _said(value)},
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str | float):
        return value
    return str(value)
