"""The algorithms and their options.

The options of an algorithm are one class, which a policy states by `algorithm` and the class's
fields; an option of another algorithm is a fault. The class also says what else of a policy goes
with the algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal  # noqa: TC003  the type of a field is its shape
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar, get_args

from kanon_sql.documents.keys import Just, MapOf, Tagged
from kanon_sql.documents.records import Field, Given, Record
from kanon_sql.documents.shapes import (
    InContext,
    Known,
    Name,
    Number,
    Parsed,
    Several,
    Whole,
    Wrong,
    check,
)
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.privacy.privacy_model import QUASI, Channel

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
TARGETS = "column with role sensitive or insensitive"


class Algorithm(StrEnum):
    """The searches, by the names of the literature; `searches/algorithms.py` says what each gives."""

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


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Give names of columns of which none is named twice."""
    again = [at for at, name in enumerate(names) if name in names[:at]]
    if again:
        raise Wrong(*(((at,), f"{names[at]} is named twice") for at in again))
    return names


def _in_order(values: Mapping[str, T], known: Known) -> tuple[tuple[str, T], ...]:
    """Give what is said of some quasi-identifiers, in the policy's order."""
    return tuple((name, values[name]) for name in known[QUASI] if name in values)


COLUMNS = Parsed(Several(Name(QUASI), empty="names no column; leave it out, or name one"), _once)
Columns = Annotated[tuple[str, ...], COLUMNS]


def _identifying(
    identifying: Columns = (),
    more: Columns = (),
    most: Columns = (),
    quasi: Annotated[tuple[str, ...], Given(QUASI)] = (),
) -> Identifying:
    """Give the sets of a policy; quasi-identifiers that none of them names are identifying."""
    named = [*identifying, *more, *most]
    twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    check(*(("", False, f"{name} is in two sets; name it in one") for name in twice))
    return Identifying(tuple(name for name in quasi if name not in (*more, *most)), more, most)


SETS = Record(
    _identifying,
    any_of=("more", "most"),
    lacking="names no columns as more or most; say which are the more identifying ones",
)
LEVELS = InContext(MapOf(Whole(0, written="LEVEL"), Name(QUASI)), _in_order)
WEIGHTS = InContext(MapOf(Number(positive=True, below=10**6), Name(QUASI)), _in_order)
Target = Annotated[str | None, Name(TARGETS)]


class AlgorithmOptions:
    """The options of an algorithm are the fields of a subclass.

    `counted_by` says how it counts classes. One that `cuts_axes` needs no lattice: the values of an axis have
    an order or a hierarchy, and it goes `by_order` where they have one. One of its `own_recoding` has steps of
    its own for rows that do not fit; one without `several_sets` knows no other set of quasi-identifiers that
    must fit too.
    """

    __slots__ = ()
    counted_by: ClassVar[Channel] = Channel.LATTICE
    cuts_axes: ClassVar[bool] = False
    by_order: ClassVar[bool] = False
    own_recoding: ClassVar[bool] = False
    several_sets: ClassVar[bool] = True


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
    algorithm: ClassVar = Algorithm.MONDRIAN
    counted_by = Channel.REGIONS
    cuts_axes = by_order = own_recoding = True
    several_sets = False
    choose: Choose = Choose.WIDTH
    at: At = At.BALANCED
    cuts: Dealing = Dealing.STRICT
    target: Target = None
    weights: Annotated[tuple[tuple[str, Decimal], ...], WEIGHTS] = ()

    @property
    def by_target(self) -> bool:
        """Whether cuts are chosen by a target, and not by any widths."""
        return self.choose in {Choose.INFORMATION, Choose.VARIANCE}


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
    NoOptions | Samarati | MinGen | Datafly | Incognito | Greedy | MuArgus | Mondrian | TopDown
    | BottomUp | KOptimize
)  # fmt: skip
WITH_OPTIONS: Mapping[Algorithm, type[Options]] = {
    each.algorithm: each for each in get_args(Options) if each is not NoOptions
}
OPTIONS: Tagged[Options] = Tagged(
    "algorithm",
    {
        each.value: Record(WITH_OPTIONS[each]) if each in WITH_OPTIONS else Just(NoOptions(each))
        for each in Algorithm
    },
    default=Algorithm.OPTIMAL,
)
"""How a policy names an algorithm and its options."""


def options_of(algorithm: Algorithm) -> dict[str, Field]:
    """Give the options that an algorithm has, by the keys of a policy."""
    form = OPTIONS.forms[algorithm.value]
    return form.fields if isinstance(form, Record) else {}


def default_options(algorithm: Algorithm) -> Options:
    """Give an algorithm without any option set."""
    found = WITH_OPTIONS.get(algorithm)
    return NoOptions(algorithm) if found is None else found()
