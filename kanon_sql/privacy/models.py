"""The privacy models, as values: what each needs counted in a class, and when the class fits.

A model is a conjunction of requirements, each a measure of one equivalence class with a lower
bound. The searches see neither; `sql/counting.py` says how a measure is counted. Adding a model is
a class here and, if it measures something new, a measure with its fragment of SQL. Whoever counts a
measure asks `by_measure` which one it is: one that is not counted there raises, and never passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar, assert_never

from kanon_sql.documents.keys import Keys, Object
from kanon_sql.documents.records import Given, Record, Unwritten
from kanon_sql.documents.shapes import (
    InContext,
    Name,
    Parsed,
    Refused,
    Schema,
    Several,
    Shape,
    Whole,
    refuse,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kanon_sql.documents.lines import Item
    from kanon_sql.documents.shapes import Known

T = TypeVar("T")

QUASI, SENSITIVE = "quasi-identifier", "column with role sensitive"
"""What names of columns are known as while a policy is read."""

LATER = {"later": True}
"""The metadata of a policy's field that was added later: a policy that does not say it keeps its hash."""


class Monotony(StrEnum):
    """When generalizing a feasible node gives a feasible node (ALWAYS: k, distinct l).

    Models that weigh a class's distribution are so only where no row may be suppressed: a class
    that fits may stop fitting when one that does not is merged into it. Metrics have the same
    property: when generalizing a feasible node never lowers its cost.
    """

    ALWAYS = "always"
    UNSUPPRESSED = "where no row may be suppressed"
    NEVER = "never"

    def holds(self, max_suppressed: int) -> bool:
        """Whether it is so where so many rows may be suppressed.

        >>> [Monotony.UNSUPPRESSED.holds(rows) for rows in (0, 1)]
        [True, False]
        """
        return self is Monotony.ALWAYS or (self is Monotony.UNSUPPRESSED and not max_suppressed)


@dataclass(frozen=True, slots=True)
class Size:
    """How many entities a class holds."""

    spread: None = None

    def __str__(self) -> str:
        return "entities"


class SensitiveNulls(StrEnum):
    """What NULL in a sensitive column is to a model that counts values: nothing, or a value."""

    NOT_COUNTED = "not_counted"
    VALUE = "value"

    @property
    def words(self) -> str:
        """Say it after what is counted, where it is not the default.

        >>> SensitiveNulls.VALUE.words
        ', NULL counted as a value'
        """
        return ", NULL counted as a value" if self is SensitiveNulls.VALUE else ""


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many different values of a sensitive column a class holds.

    NULL is an unknown value, which makes no class more diverse: it is not counted unless a policy
    says that it is a value like any other.
    """

    spread: str
    nulls: SensitiveNulls = SensitiveNulls.NOT_COUNTED

    @property
    def counts_null(self) -> bool:
        """Whether NULL is one of the values."""
        return self.nulls is SensitiveNulls.VALUE

    def __str__(self) -> str:
        return f"distinct values of {self.spread}{self.nulls.words}"


Measure = Size | Distinct


def by_measure(measure: Measure, *, size: T, distinct: Callable[[Distinct], T]) -> T:
    """Say how a measure is counted. What neither knows raises: the one place that tells them apart.

    >>> by_measure(Distinct("disease"), size="rows", distinct=lambda each: each.spread)
    'disease'
    """
    match measure:
        case Size():
            return size
        case Distinct():
            return distinct(measure)
        case _:
            assert_never(measure)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What one class must reach."""

    measure: Measure
    at_least: int

    @property
    def binding(self) -> bool:
        """Whether any class could fall short: one of NULLs alone may hold no value at all."""
        least = by_measure(self.measure, size=1, distinct=lambda each: int(each.counts_null))
        return self.at_least > least


class PrivacyModel(Protocol):
    """What every privacy model states about itself."""

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """A class fits when it reaches all of these."""
        ...

    @property
    def monotony(self) -> Monotony:
        """Say when a search may tag a node from its neighbours, without a check."""
        ...

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every class holds at least k entities (Samarati and Sweeney, 1998).

    >>> str(KAnonymity(5))
    '5-anonymity'
    """

    k: int
    monotony: Monotony = Monotony.ALWAYS

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(Size(), self.k),)

    def __str__(self) -> str:
        return f"{self.k}-anonymity"


@dataclass(frozen=True, slots=True)
class DistinctDiversity:
    """Every class holds at least l different sensitive values (Machanavajjhala et al., 2006, 4.2).

    >>> str(DistinctDiversity("disease", 3))
    'distinct 3-diversity of disease'
    """

    column: Annotated[str, Name(SENSITIVE)]
    l: Annotated[int, Whole(1)]  # noqa: E741  the literature's letter
    monotony: Annotated[Monotony, Unwritten] = Monotony.ALWAYS
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = field(
        default=SensitiveNulls.NOT_COUNTED, metadata=LATER
    )

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(Distinct(self.column, self.nulls), self.l),)

    def __str__(self) -> str:
        return f"distinct {self.l}-diversity of {self.column}{self.nulls.words}"


@dataclass(frozen=True, slots=True)
class Over:
    """A model held to the classes over some of the quasi-identifiers, as if they were all.

    For an adversary who knows those alone (Hundepool and Willenborg's mu-Argus, 1996).

    >>> str(Over(KAnonymity(20), ("age", "sex")))
    '20-anonymity over age, sex'
    """

    model: PrivacyModel
    columns: tuple[str, ...]

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return self.model.requirements

    @property
    def monotony(self) -> Monotony:
        """Give the model's own: the rows that fit at a node fit at a coarser one too.

        Each class there, over any columns, is a union of classes here.
        """
        return self.model.monotony

    def __str__(self) -> str:
        return f"{self.model} over {', '.join(self.columns)}"


MODELS: Mapping[str, Shape[PrivacyModel]] = {
    "k": Parsed(Whole(1), KAnonymity),
    "distinct_l": Record(DistinctDiversity),
}
"""How a policy states each model, by its key; a model that is not here cannot be asked for."""


def _over(names: tuple[str, ...], known: Known) -> tuple[str, ...]:
    """Give a set of quasi-identifiers in the policy's order; empty where it holds all of them."""
    chosen = tuple(name for name in known[QUASI] if name in names)
    return chosen if len(chosen) < len(known[QUASI]) else ()


OVER = InContext(Several(Name(QUASI), empty="must name at least one quasi-identifier"), _over)


class ModelsOver(Keys[tuple[PrivacyModel, ...]]):
    """The models of one entry, in the order they are written, over some quasi-identifiers or all."""

    keys = (*MODELS, "over")

    def take(self, item: Item, entries: Mapping[str, Item]) -> tuple[PrivacyModel, ...]:
        if set(entries) - set(self.keys):
            raise Refused
        if not set(MODELS) & set(entries):
            what = "asks nothing of the classes" if entries else "is empty"
            raise refuse(item, f"{what}; for example {{k: 5}}")
        over = OVER.read(entries["over"]) if "over" in entries else ()
        models = [MODELS[key].read(entry) for key, entry in entries.items() if key in MODELS]
        return tuple(Over(model, over) if over else model for model in models)

    def objects(self) -> list[Object]:
        properties = {key: shape.schema() for key, shape in MODELS.items()}
        one: Schema = {"anyOf": [{"required": [key]} for key in MODELS]}
        return [Object({**properties, "over": OVER.schema()}, more=one)]


def _joined(entries: tuple[tuple[PrivacyModel, ...], ...]) -> tuple[PrivacyModel, ...]:
    return tuple(model for entry in entries for model in entry)


PRIVACY = Parsed(Several(ModelsOver(), empty="is empty; for example privacy: {k: 5}"), _joined)


@dataclass(frozen=True, slots=True)
class Demand:
    """What the classes over some quasi-identifiers must reach; over all where `columns` is empty."""

    columns: tuple[str, ...]
    requirements: tuple[Requirement, ...]

    @property
    def binding(self) -> bool:
        """Whether any class could fall short."""
        return any(requirement.binding for requirement in self.requirements)

    @property
    def class_size(self) -> int:
        """Give the least number of entities a class must hold."""
        return least_size(self.requirements)

    @property
    def diversities(self) -> dict[Distinct, int]:
        """Give the least number of different values a class must hold, by what is counted.

        With `class_size` it is all that is asked: a measure that is neither raises.
        """
        asked = {r.measure: r.at_least for r in self.requirements}
        return {measure: asked[measure] for measure in diversities(self.requirements)}


def diversities(needed: Sequence[Requirement]) -> tuple[Distinct, ...]:
    """Give what is counted of sensitive columns, each once; a measure that is not known raises."""
    nothing: tuple[Distinct, ...] = ()
    found = [by_measure(r.measure, size=nothing, distinct=lambda each: (each,)) for r in needed]
    return tuple(dict.fromkeys(each for of in found for each in of))


def least_size(needed: Sequence[Requirement]) -> int:
    """Give the least number of entities a class must hold; a measure that is not known raises."""
    return max(
        (by_measure(r.measure, size=r.at_least, distinct=lambda _: 1) for r in needed), default=1
    )


def demands(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Give what is asked of each set of quasi-identifiers: first of all of them, asked or not.

    >>> [d.columns for d in demands((Over(KAnonymity(9), ("age",)), KAnonymity(2)))]
    [(), ('age',)]
    """
    by_set: dict[tuple[str, ...], list[PrivacyModel]] = {(): []}
    for model in models:
        columns = model.columns if isinstance(model, Over) else ()
        by_set.setdefault(columns, []).append(model)
    return tuple(Demand(columns, requirements(tuple(of))) for columns, of in by_set.items())


def joint_demands(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Give the demands that must be met together; none where all are of one set, the whole.

    Suppressing a class of one set takes rows from classes of the others, which may then fall
    short. Without other sets a class that fits stays as it is.
    """
    binding = tuple(demand for demand in demands(models) if demand.binding)
    return binding if any(demand.columns for demand in binding) else ()


def requirements(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join the models: one requirement a measure, the strictest bound of each, over any columns.

    >>> [r.at_least for r in requirements((KAnonymity(2), KAnonymity(5)))]
    [5]
    """
    bounds: dict[Measure, int] = {Size(): 1}
    for model in models:
        for requirement in model.requirements:
            bounds[requirement.measure] = max(
                requirement.at_least, bounds.get(requirement.measure, 0)
            )
    return tuple(Requirement(measure, bound) for measure, bound in bounds.items())


def with_bound(
    asked: tuple[Demand, ...], columns: tuple[str, ...], measure: Measure, at_least: int
) -> tuple[Demand, ...]:
    """Give the demands with another bound on one measure, over one set of quasi-identifiers.

    >>> (demand,) = with_bound(demands((KAnonymity(5),)), (), Size(), 4)
    >>> demand.class_size
    4
    """
    return tuple(
        Demand(
            demand.columns,
            tuple(
                replace(r, at_least=at_least) if r.measure == measure else r
                for r in demand.requirements
            ),
        )
        if demand.columns == columns
        else demand
        for demand in asked
    )


def bound_name(columns: tuple[str, ...], measure: Measure) -> str:
    """Name a bound for readers.

    >>> bound_name(("age", "sex"), Size()), bound_name((), Distinct("disease"))
    ('k over age, sex', 'distinct values of disease')
    """
    named = by_measure(measure, size="k", distinct=str)
    return f"{named} over {', '.join(columns)}" if columns else named
