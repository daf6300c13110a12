"""The algorithms with their options.

The options of an algorithm are one class: a policy has the key `algorithm` and the fields of that
class as keys; an option of another algorithm is a fault.
The class also says what else of a policy the algorithm determines.
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
    """Which of several k-minimal nodes is chosen (Samarati 2001, section 3), or that of least cost."""

    ABSOLUTE = "minimum_absolute_distance"
    RELATIVE = "minimum_relative_distance"
    DISTRIBUTION = "maximum_distribution"
    SUPPRESSION = "minimum_suppression"
    COST = "minimum_cost"


class Among(StrEnum):
    """Which nodes a preference chooses from: those of least height, or all that are k-minimal."""

    LEAST_HEIGHT = "least_height"
    ALL_MINIMAL = "all_minimal"


class Variant(StrEnum):
    """How Incognito computes the frequency sets of its roots (LeFevre et al. 2005, section 3)."""

    BASIC = "basic"
    SUPER_ROOTS = "super_roots"
    CUBE = "cube"


class Per(StrEnum):
    """What the greedy search generalizes: attributes for all records, or each record separately."""

    ATTRIBUTE = "attribute"
    RECORD = "record"


class At(StrEnum):
    """Where Mondrian cuts a line: where its halves differ least in rows, or at the median's value."""

    BALANCED = "balanced"
    MEDIAN = "median"


class Choose(StrEnum):
    """How Mondrian chooses the cut of a region (LeFevre et al., ICDE 2006 and KDD 2006).

    On the axis where the region is widest; or the cut on any axis that minimizes the loss, the
    target's conditional entropy, or the target's squared error.
    """

    WIDTH = "width"
    LOSS = "loss"
    INFORMATION = "information"
    VARIANCE = "variance"


class Width(StrEnum):
    """What the width of a region on a column is, where Mondrian compares or sums widths: a share of the column.

    Of the positions from its first value to its last, of the span of their numbers or dates (of positions where
    there are none), or of the different values that it has. A column without an order has nodes of its hierarchy:
    their width is the share of values under them, or of those that are there.
    """

    RANKS = "ranks"
    VALUES = "values"
    DISTINCT = "distinct"


class Dealing(StrEnum):
    """Whether Mondrian keeps equal tuples together, or distributes those at the median to both halves."""

    STRICT = "strict"
    RELAXED = "relaxed"


class Grouping(StrEnum):
    """How Mondrian ends: by cuts as long as any is allowable, or by runs of the ordered rows of larger regions."""

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
    """What mu-Argus does with records that remain in classes too small: nothing, or it suppresses them."""

    NONE = "none"
    RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Identifying:
    """How identifying each quasi-identifier is, for mu-Argus (Hundepool and Willenborg 1996)."""

    identifying: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    most: tuple[str, ...] = ()


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Check that no column is named twice."""
    again = [at for at, name in enumerate(names) if name in names[:at]]
    if again:
        raise Wrong(*(((at,), f"{names[at]} is named twice") for at in again))
    return names


def _in_order(values: Mapping[str, T], known: Known) -> tuple[tuple[str, T], ...]:
    """Order values of some quasi-identifiers as the policy orders these."""
    return tuple((name, values[name]) for name in known[QUASI] if name in values)


COLUMNS = Parsed(Several(Name(QUASI), empty="is empty; name a column or remove the key"), _once)
Columns = Annotated[tuple[str, ...], COLUMNS]


def _identifying(
    identifying: Columns = (),
    more: Columns = (),
    most: Columns = (),
    quasi: Annotated[tuple[str, ...], Given(QUASI)] = (),
) -> Identifying:
    """Complete the sets of a policy: quasi-identifiers in none of them are identifying."""
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
    """The options of an algorithm are the fields of a subclass.

    `counted_by` says how it counts classes. One that `cuts_axes` needs no lattice: the values of an axis have
    an order or a hierarchy, and it goes `by_order` where they have one. One of its `own_recoding` has steps of
    its own for rows that do not fit; one without `several_sets` knows no other set of quasi-identifiers that
    must fit too. One with `overlapping` regions may give equal rows to several.
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
        """Return the options with all that follows from others, which the hash of a policy covers."""
        return self


@dataclass(frozen=True, slots=True)
class NoOptions(AlgorithmOptions):
    """An algorithm without options of its own, of which a policy need know nothing else."""

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
    """Regions are cut by least loss, and grouped by their order: what keeps most, measured by COUNT queries.

    Where neither is said, relaxed cuts go on to the end, and they and cuts at the median are chosen by width.
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
        """What cuts are chosen by."""
        by_width = self.cuts is Dealing.RELAXED or self.at is not At.BALANCED
        return self.choose or (Choose.WIDTH if by_width else Choose.LOSS)

    @property
    def ending(self) -> Grouping:
        """How regions become classes."""
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
"""Mondrian as it was published, and as it was here by default when the first plans were made."""


@dataclass(frozen=True, slots=True)
class OneSort(AlgorithmOptions):
    """The whole table is ordered once, and cut into runs."""

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
"""How a policy states an algorithm with its options."""


def options_of(algorithm: Algorithm) -> dict[str, Field]:
    """Return the options that an algorithm has, by the keys of a policy."""
    return RECORDS[algorithm].fields


def default_options(algorithm: Algorithm) -> Options:
    """Return the options of an algorithm at their defaults."""
    return RECORDS[algorithm].build()
