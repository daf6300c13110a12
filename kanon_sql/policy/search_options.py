"""The algorithms with their options.

Each algorithm has one class of options. A policy has the key `algorithm`, and the fields of that class as keys; an
option of another algorithm is a fault. The class also declares how the algorithm counts and recodes.
"""

from __future__ import annotations

from dataclasses import field, replace
from decimal import Decimal  # noqa: TC003  the type of a field is its shape
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, TypeVar, get_args

from kanon_sql.documents.keys import MapOf, Tagged
from kanon_sql.documents.records import LATER, Field, Given, Record
from kanon_sql.documents.shapes import (
    Known,
    Name,
    Number,
    Parsed,
    Several,
    Whole,
    Wrong,
    check,
)
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.privacy.privacy_model import QUASI, Channel

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
TARGETS = "column with role sensitive or insensitive"


class Algorithm(StrEnum):
    """The search algorithms by their names in the literature; `searches/algorithms.py` describes each."""

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
    ORDER = "order"
    TOP_DOWN = "top_down"
    BOTTOM_UP = "bottom_up"
    K_OPTIMIZE = "k_optimize"


class Preference(StrEnum):
    """The preference among several k-minimal nodes (Samarati 2001, section 3), or the least cost."""

    ABSOLUTE = "minimum_absolute_distance"
    RELATIVE = "minimum_relative_distance"
    DISTRIBUTION = "maximum_distribution"
    SUPPRESSION = "minimum_suppression"
    COST = "minimum_cost"


class Among(StrEnum):
    """The k-minimal nodes that a preference chooses from: those of least height, or all."""

    LEAST_HEIGHT = "least_height"
    ALL_MINIMAL = "all_minimal"


class Variant(StrEnum):
    """How Incognito computes the frequency sets of its roots (LeFevre et al. 2005, section 3)."""

    BASIC = "basic"
    SUPER_ROOTS = "super_roots"
    CUBE = "cube"


class Per(StrEnum):
    """The unit that the greedy search generalizes: an attribute in all records, or each record separately."""

    ATTRIBUTE = "attribute"
    RECORD = "record"


class At(StrEnum):
    """Where Mondrian cuts a line: where its halves differ least in rows, or at the median's value."""

    BALANCED = "balanced"
    MEDIAN = "median"


class Choose(StrEnum):
    """How Mondrian chooses the cut of a region (LeFevre et al., ICDE 2006 and KDD 2006).

    `WIDTH` cuts the axis on which the region is widest. The others take the cut of any axis that minimizes the loss,
    the target's conditional entropy (`INFORMATION`), or the target's squared error (`VARIANCE`).
    """

    WIDTH = "width"
    LOSS = "loss"
    INFORMATION = "information"
    VARIANCE = "variance"


class Width(StrEnum):
    """The width of a region on a column, which Mondrian compares or sums: a share of the column's width.

    `RANKS` measures the positions from the region's first value to its last, `VALUES` the span of its numbers or dates
    (of positions if there are none), `DISTINCT` the number of its distinct values. A column without an order has nodes
    of its hierarchy: their width is the share of values under them, or with `DISTINCT` of those in the region.
    """

    RANKS = "ranks"
    VALUES = "values"
    DISTINCT = "distinct"


class Dealing(StrEnum):
    """Whether Mondrian keeps equal tuples together, or distributes those at the median to both halves."""

    STRICT = "strict"
    RELAXED = "relaxed"


class Grouping(StrEnum):
    """How Mondrian makes classes: by cuts while any is allowable, or as runs of ordered rows of regions."""

    CUTS = "cuts"
    ORDER = "order"


class Runs(StrEnum):
    """How ordered rows are grouped: into runs of least loss, or of equal size (Ghinita et al., VLDB 2007)."""

    LEAST_LOSS = "least_loss"
    EQUAL = "equal"


class Minimize(StrEnum):
    """What K-Optimize minimizes: C_DM, or the rows without their class's most frequent target value."""

    DISCERNIBILITY = "discernibility"
    CLASSIFICATION = "classification"


class Repair(StrEnum):
    """The treatment by mu-Argus of records that remain in too small classes: none, or suppression."""

    NONE = "none"
    RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Identifying:
    """How identifying each quasi-identifier is, for mu-Argus (Hundepool and Willenborg 1996)."""

    identifying: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    most: tuple[str, ...] = ()


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Check that no column is named twice. Raises Wrong with all repetitions."""
    again = [at for at, name in enumerate(names) if name in names[:at]]
    if again:
        raise Wrong(*(((at,), f"{names[at]} is named twice") for at in again))
    return names


def _in_order(values: Mapping[str, T], known: Known) -> tuple[tuple[str, T], ...]:
    """Return the names and values of some quasi-identifiers, in the policy's order of columns."""
    return tuple((name, values[name]) for name in known[QUASI] if name in values)


COLUMNS = Parsed(Several(Name(QUASI), empty="is empty; name a column or remove the key"), _once)
Columns = Annotated[tuple[str, ...], COLUMNS]


def _identifying(
    identifying: Columns = (),
    more: Columns = (),
    most: Columns = (),
    quasi: Annotated[tuple[str, ...], Given(QUASI)] = (),
) -> Identifying:
    """Complete the sets: a quasi-identifier in none of them is identifying. Raises Wrong if one is in two."""
    named = [*identifying, *more, *most]
    twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    check(*(("", False, f"{name} is in two sets; keep it in one") for name in twice))
    return Identifying(tuple(name for name in quasi if name not in (*more, *most)), more, most)


SETS = Record(
    _identifying,
    any_of=("more", "most"),
    lacking="has neither more nor most; list the more identifying columns",
)
LEVELS = Parsed(MapOf(Whole(0, written="LEVEL"), Name(QUASI)), _in_order, context=True)
WEIGHTS = Parsed(MapOf(Number(positive=True, below=10**6), Name(QUASI)), _in_order, context=True)
Target = Annotated[str | None, Name(TARGETS)]


class AlgorithmOptions:
    """The base class of options: the options of an algorithm are the fields of a subclass.

    `counted_by` is the channel that counts its classes. An algorithm that `cuts_axes` needs no lattice: it cuts the
    values of a column by their hierarchy, or if it goes `by_order`, by their order where they have one. With
    `own_recoding` it determines how rows of classes that fail are released. Without `several_sets` it supports one set
    of quasi-identifiers.
    """

    __slots__ = ()
    counted_by: ClassVar[Channel] = Channel.LATTICE
    cuts_axes: ClassVar[bool] = False
    by_order: ClassVar[bool] = False
    own_recoding: ClassVar[bool] = False
    several_sets: ClassVar[bool] = True

    @property
    def overlapping(self) -> bool:
        """Whether regions may overlap, so that equal rows may lie in different ones."""
        return False

    @property
    def as_hashed(self) -> Self:
        """Return the options as the hash of a policy covers them: unstated ones are derived from the others."""
        return self


@dataclass(frozen=True, slots=True)
class NoOptions(AlgorithmOptions):
    """The options of an algorithm that has none but its name, and searches a lattice."""

    algorithm: Algorithm = Algorithm.OPTIMAL


OPTIMAL = NoOptions()


@dataclass(frozen=True, slots=True)
class Samarati(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.SAMARATI
    preference: Preference = Preference.ABSOLUTE
    among: Among = Among.LEAST_HEIGHT


@dataclass(frozen=True, slots=True)
class MinGen(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.MINGEN
    preference: Preference = Preference.ABSOLUTE


@dataclass(frozen=True, slots=True)
class Incognito(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.INCOGNITO
    variant: Variant = Variant.CUBE


@dataclass(frozen=True, slots=True)
class Greedy(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.GREEDY
    order: Columns = ()
    per: Per = Per.ATTRIBUTE


@dataclass(frozen=True, slots=True)
class Datafly(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.DATAFLY
    counted_by = Channel.DATAFLY
    own_recoding = True
    several_sets = False


@dataclass(frozen=True, slots=True)
class MuArgus(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.MU_ARGUS
    counted_by = Channel.LOCAL_SUPPRESSION
    own_recoding = True
    several_sets = False
    sets: Annotated[Identifying | None, SETS] = None
    generalize: Annotated[tuple[tuple[str, int], ...], LEVELS] = ()
    repair: Repair = Repair.NONE


@dataclass(frozen=True, slots=True)
class Mondrian(AlgorithmOptions):
    """By default regions are cut by least loss, then grouped by their order.

    This keeps most information, measured by COUNT queries. If `grouping` is not stated, relaxed cuts are made while any
    is allowable. If `choose` is not stated, relaxed cuts and cuts at the median are chosen by width.
    """

    algorithm: ClassVar = Algorithm.MONDRIAN
    counted_by = Channel.REGIONS
    cuts_axes = by_order = own_recoding = True
    choose: Choose | None = None
    at: At = At.BALANCED
    cuts: Dealing = Dealing.STRICT
    grouping: Grouping | None = field(default=None, metadata=LATER)
    runs: Runs = field(default=Runs.LEAST_LOSS, metadata=LATER)
    target: Target = None
    weights: Annotated[tuple[tuple[str, Decimal], ...], WEIGHTS] = ()
    width: Width = field(default=Width.VALUES, metadata=LATER)

    @property
    def criterion(self) -> Choose:
        """The criterion by which cuts are chosen: `choose`, or its default."""
        by_width = self.cuts is Dealing.RELAXED or self.at is not At.BALANCED
        return self.choose or (Choose.WIDTH if by_width else Choose.LOSS)

    @property
    def ending(self) -> Grouping:
        """The way in which regions become classes: `grouping`, or its default."""
        relaxed = self.cuts is Dealing.RELAXED
        return self.grouping or (Grouping.CUTS if relaxed else Grouping.ORDER)

    @property
    def overlapping(self) -> bool:
        return self.cuts is Dealing.RELAXED or self.ending is Grouping.ORDER

    @property
    def by_target(self) -> bool:
        """Whether cuts are chosen by a target, and not by widths."""
        return self.criterion in {Choose.INFORMATION, Choose.VARIANCE}

    @property
    def as_hashed(self) -> Self:
        in_runs = self.ending is Grouping.ORDER
        return replace(self, choose=self.criterion, grouping=Grouping.ORDER if in_runs else None)


STRICT = Mondrian(choose=Choose.WIDTH, grouping=Grouping.CUTS)
"""Mondrian as published, which was the default when the first plans were made."""


@dataclass(frozen=True, slots=True)
class OneSort(AlgorithmOptions):
    """The options of the search that orders the whole table once and cuts it into runs."""

    algorithm: ClassVar = Algorithm.ORDER
    counted_by = Channel.REGIONS
    cuts_axes = by_order = own_recoding = True
    runs: Runs = field(default=Runs.EQUAL, metadata=LATER)

    @property
    def overlapping(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class TopDown(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.TOP_DOWN
    counted_by = Channel.CUTS
    cuts_axes = by_order = own_recoding = True
    target: Target = None
    score: Score = Score.GAIN_PER_LOSS
    average: Average = Average.AFFECTED


@dataclass(frozen=True, slots=True)
class BottomUp(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.BOTTOM_UP
    counted_by = Channel.CUTS
    cuts_axes = own_recoding = True
    target: Target = None


@dataclass(frozen=True, slots=True)
class KOptimize(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.K_OPTIMIZE
    counted_by = Channel.CUTS
    cuts_axes = by_order = own_recoding = True
    several_sets = False
    target: Target = None
    minimize: Minimize = Minimize.DISCERNIBILITY


Options = (
    NoOptions | Samarati | MinGen | Datafly | Incognito | Greedy | MuArgus | Mondrian | OneSort
    | TopDown | BottomUp | KOptimize
)  # fmt: skip
WITH_OPTIONS: Mapping[Algorithm, type[Options]] = {
    each.algorithm: each for each in get_args(Options) if each is not NoOptions
}


def _record(algorithm: Algorithm) -> Record[Options]:
    return Record(WITH_OPTIONS.get(algorithm) or (lambda: NoOptions(algorithm)))


RECORDS: Mapping[str, Record[Options]] = {each: _record(each) for each in Algorithm}
OPTIONS: Tagged[Options] = Tagged("algorithm", RECORDS, default=Algorithm.OPTIMAL)
"""The shape of an algorithm with its options in a policy."""


def options_of(algorithm: Algorithm) -> dict[str, Field]:
    """Return the options that an algorithm has, by the keys of a policy."""
    return RECORDS[algorithm].fields


def default_options(algorithm: Algorithm) -> Options:
    """Return the options of an algorithm at their defaults."""
    return RECORDS[algorithm].build()
