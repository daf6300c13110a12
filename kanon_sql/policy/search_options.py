"""The algorithms with their options.

Each algorithm has one class of options. A policy has the key `algorithm`, and the fields of that class as keys; an
option of another algorithm is a fault. The class also declares how the algorithm counts and recodes.
"""

from __future__ import annotations

from dataclasses import field, replace
from decimal import Decimal  # noqa: TC003  the type of a field is its shape
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, TypeVar, get_args

from kanon_sql.base.documents.keys import MapOf, Tagged
from kanon_sql.base.documents.records import LATER, Field, Given, Record
from kanon_sql.base.documents.shapes import (
    Known,
    Name,
    Number,
    Parsed,
    Several,
    Whole,
    Wrong,
    check,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.policy.privacy.privacy_model import QUASI, Channel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    suppresses_cells: ClassVar[bool] = False
    """Whether single cells may be suppressed, which are released as the root."""
    ends_in_time: ClassVar[bool] = True
    """Whether a time limit can end the search."""
    only_ordered: ClassVar[bool] = False
    """Whether every column needs an order, as no column is cut by its hierarchy."""
    bounds_released: ClassVar[bool] = False
    """Whether rows may be suppressed, so that bounds of intervals must be values of rows that are released."""
    sorts_once: ClassVar[bool] = False
    """Whether the whole table is ordered once, and cut into runs without regions."""

    @property
    def per_record(self) -> bool:
        """Whether each record is generalized separately, so that rows are released at several nodes."""
        return False

    @property
    def generalize(self) -> tuple[tuple[str, int], ...]:
        """The levels that columns are raised to at least."""
        return ()

    @property
    def needs_target(self) -> bool:
        """Whether a search of cuts must have a target."""
        return False

    @property
    def cutting(self) -> Mondrian:
        """The options by which axes are laid out: those of strict cuts by width, if the algorithm has none."""
        return STRICT

    @property
    def grouped(self) -> Runs | None:
        """How ordered rows are grouped into runs; None if they are not."""
        return None

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """Yield options that exclude each other, with the reason."""
        return iter(())

    @property
    def overlapping(self) -> bool:
        """Whether regions may overlap, so that equal rows may lie in different ones."""
        return False

    def without_overlap(self) -> tuple[str, str, str]:
        """Return the option by which regions overlap, its value, and advice for regions that do not."""
        raise InternalError(f"{type(self).__name__} makes no regions that overlap")

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

    @property
    def per_record(self) -> bool:
        return self.per is Per.RECORD


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
    own_recoding = suppresses_cells = True
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

    def without_overlap(self) -> tuple[str, str, str]:
        if self.ending is Grouping.ORDER:
            return "grouping", "order", "use grouping: cuts"
        return "cuts", "relaxed", "remove it"

    @property
    def cutting(self) -> Mondrian:
        return self

    @property
    def grouped(self) -> Runs | None:
        return self.runs if self.ending is Grouping.ORDER else None

    @property
    def by_target(self) -> bool:
        """Whether cuts are chosen by a target, and not by widths."""
        return self.criterion in {Choose.INFORMATION, Choose.VARIANCE}

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if self.by_target and self.target is None:
            what = "needs target: the column that a model will predict from the release"
            yield "target", f"choose: {self.criterion} {what}"
        if self.target is not None and not self.by_target:
            yield "target", "goes with choose: information or variance"
        if self.weights and self.by_target:
            yield "weights", f"multiply widths, which choose: {self.criterion} does not use"
        if self.width is not Width.VALUES and self.by_target:
            yield "width", f"says what widths are of, which choose: {self.criterion} does not use"
        if self.at is not At.BALANCED and self.criterion is not Choose.WIDTH:
            what = f"as choose: {self.criterion} does; remove one of them"
            yield "at", f"sets where regions are cut, {what}"
        if self.runs is not Runs.LEAST_LOSS and self.ending is not Grouping.ORDER:
            yield "runs", "goes with grouping: order"
        if self.cuts is Dealing.RELAXED:
            if self.ending is Grouping.ORDER:
                yield "cuts", "relaxed goes with grouping: cuts; remove one of them"
            if self.criterion is not Choose.WIDTH:
                what = "cuts each column at half of its rows; remove it, or use choose: width"
                yield "cuts", f"relaxed {what}"
            if self.at is not At.BALANCED:
                what = "and cuts: relaxed always cuts at half of the rows; remove it"
                yield "at", f"sets where regions are cut, {what}"

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
    cuts_axes = by_order = own_recoding = sorts_once = True
    runs: Runs = field(default=Runs.EQUAL, metadata=LATER)

    @property
    def grouped(self) -> Runs:
        return self.runs

    def without_overlap(self) -> tuple[str, str, str]:
        return "algorithm", "order", "use mondrian"

    @property
    def overlapping(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class TopDown(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.TOP_DOWN
    counted_by = Channel.CUTS
    cuts_axes = by_order = own_recoding = True
    ends_in_time = False
    target: Target = None
    score: Score | None = None
    average: Average = Average.AFFECTED

    @property
    def criterion(self) -> Score:
        """The score by which specializations are chosen: `score`, or its default with or without a target."""
        return self.score or (Score.LOSS if self.target is None else Score.GAIN_PER_LOSS)

    def conflicts(self) -> Iterator[tuple[str, str]]:
        by_loss = self.criterion is Score.LOSS
        if self.target is None and not by_loss:
            what = "needs target: the column that a model will predict from the release"
            yield "target", f"score: {self.criterion} {what}; or say score: {Score.LOSS}"
        if self.target is not None and by_loss:
            yield "target", f"is not used by score: {self.criterion}; remove one of them"

    @property
    def as_hashed(self) -> Self:
        return replace(self, score=self.criterion)


@dataclass(frozen=True, slots=True)
class BottomUp(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.BOTTOM_UP
    counted_by = Channel.CUTS
    cuts_axes = own_recoding = needs_target = True
    ends_in_time = False
    target: Target = None


@dataclass(frozen=True, slots=True)
class KOptimize(AlgorithmOptions):
    algorithm: ClassVar = Algorithm.K_OPTIMIZE
    counted_by = Channel.CUTS
    cuts_axes = by_order = own_recoding = only_ordered = bounds_released = True
    several_sets = False
    target: Target = None
    minimize: Minimize = Minimize.DISCERNIBILITY

    @property
    def needs_target(self) -> bool:
        return self.minimize is not Minimize.DISCERNIBILITY


Options = (
    NoOptions | Samarati | MinGen | Datafly | Incognito | Greedy | MuArgus | Mondrian | OneSort
    | TopDown | BottomUp | KOptimize
)  # fmt: skip
WITH_OPTIONS: Mapping[Algorithm, type[Options]] = {
    each.algorithm: each for each in get_args(Options) if each is not NoOptions
}


FIRST: Mapping[type[Options], Options] = {
    Mondrian: STRICT.as_hashed,
    TopDown: TopDown(score=Score.GAIN_PER_LOSS),
}
"""The defaults of algorithms when the first plans were made, of those whose defaults have changed since."""


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
