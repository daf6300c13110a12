"""Joins the requirements of a policy's models: on the classes over all quasi-identifiers, and over sets of columns."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.base.documents.records import LATER
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.privacy_model import (
    Channel,
    Distribution,
    Monotony,
    Reads,
    Reference,
    Requirement,
    SensitiveAttribute,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kanon_sql.policy.privacy.privacy_model import Measure, PrivacyModel


Set: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]

OF_READERS = frozenset({Channel.CERTIFICATE, Channel.VERIFY})
"""The channels that count a table without the source from which it was made."""

AT_ALL = (Requirement(SIZE, 1),)
"""The requirement that every class keeps: a size of at least 1."""


@dataclass(frozen=True, slots=True)
class Over:
    """A model that the classes over `columns` must satisfy, in place of the classes over all quasi-identifiers.

    Over some quasi-identifiers, it is for an adversary who knows those alone (Hundepool and Willenborg's mu-Argus,
    1996). The last columns, `beside`, are sensitive: they count as quasi-identifiers, for an adversary who knows their
    values, too (Machanavajjhala et al., TKDD 2007, section 4.4, of several sensitive attributes).

    >>> from kanon_sql.policy.privacy.k_anonymity import KAnonymity
    >>> str(Over(KAnonymity(20), ("age", "sex")))
    '20-anonymity over age, sex'
    """

    model: PrivacyModel
    columns: tuple[str, ...]
    beside: tuple[str, ...] = field(default=(), metadata=LATER)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return self.model.requirements

    @property
    def monotony(self) -> Monotony:
        """Return the model's own: over any columns, a class of a coarser node is a union of classes."""
        return self.model.monotony

    def __str__(self) -> str:
        return f"{self.model} over {', '.join(self.columns)}"


@dataclass(frozen=True, slots=True)
class Demand:
    """The requirements on the classes over `columns`, or over all quasi-identifiers if that is empty.

    The first requirement is always on the size of a class. Requirements `of_release` choose no class: the released
    classes must keep them together. The columns `beside` are sensitive.
    """

    columns: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    of_release: tuple[Requirement, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def recounted(self) -> tuple[Requirement, ...]:
        """Return all requirements on the classes of a release."""
        return (*self.requirements, *self.of_release)

    @property
    def binding(self) -> bool:
        """Whether any class could fall short."""
        return any(requirement.binding for requirement in self.requirements)

    @property
    def asks(self) -> bool:
        """Whether any class could fall short, by itself or together with the other released classes."""
        return self.binding or bool(self.of_release)

    @property
    def class_size(self) -> int:
        """Return the least number of entities that a class must hold."""
        return self.requirements[0].bound


def sensitive_attributes(needed: Iterable[Requirement]) -> tuple[SensitiveAttribute, ...]:
    """Return the sensitive attributes whose values the requirements count, without repeats."""
    found = (r.measure.sensitive for r in needed)
    return tuple(dict.fromkeys(each for each in found if each is not None))


def in_tree(models: tuple[PrivacyModel, ...]) -> set[str]:
    """Return the names of the sensitive columns whose hierarchies a model reads."""
    found = sensitive_attributes(each for model in models for each in model.requirements)
    return {each.column for each in found if each.in_tree}


def demands(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Return the demand over each set of columns; the first is over all quasi-identifiers, even if it asks nothing.

    >>> from kanon_sql.policy.privacy.k_anonymity import KAnonymity
    >>> [d.columns for d in demands((Over(KAnonymity(9), ("age",)), KAnonymity(2)))]
    [(), ('age',)]
    """
    return tuple(
        Demand(columns, requirements(of), requirements_of_release(of), beside)
        for (columns, beside), of in _by_set(models).items()
    )


def _by_set(models: Iterable[PrivacyModel]) -> dict[Set, tuple[PrivacyModel, ...]]:
    """Group models by the columns of their classes and the sensitive ones of these, all quasi-identifiers first."""
    found: dict[Set, tuple[PrivacyModel, ...]] = {((), ()): ()}
    for model in models:
        over = (model.columns, model.beside) if isinstance(model, Over) else ((), ())
        found[over] = (*found.get(over, ()), model)
    return found


def joint_demands(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Return the demands that must be met together; none if all are over all quasi-identifiers.

    Suppressing a class over one set takes rows from classes over the others, which may then fall
    short. With one set alone, a class that fits keeps its rows.
    """
    asked = tuple(demand for demand in demands(models) if demand.asks)
    return asked if any(demand.columns for demand in asked) else ()


def beside_others(demanded: Iterable[Demand]) -> tuple[str, ...]:
    """Return the sensitive columns that some demand counts as quasi-identifiers."""
    return tuple(dict.fromkeys(name for each in demanded for name in each.beside))


def requirements(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join the models' requirements on each class, over any columns: one a measure, with its strictest bound.

    A requirement on the distribution of values is left out if every class keeps it.

    >>> from kanon_sql.policy.privacy.k_anonymity import KAnonymity
    >>> [r.bound for r in requirements((KAnonymity(2), KAnonymity(5)))]
    [5]
    """
    found = (each for model in models for each in model.requirements if not each.of_release)
    return _strictest([*AT_ALL, *found])


def requirements_unsuppressed(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join the models' requirements on each class if no row is suppressed: the released rows are the source's."""
    every = (each for model in models for each in model.requirements)
    return _strictest(
        [
            *AT_ALL,
            *(replace(r, measure=r.measure.by_source) if r.of_release else r for r in every),
        ]
    )


def requirements_of_release(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join the models' requirements on the released classes together."""
    return _strictest([each for model in models for each in model.requirements if each.of_release])


def _strictest(
    required: Sequence[Requirement], *, reported: bool = False
) -> tuple[Requirement, ...]:
    """Keep the strictest bound of each measure; bounds on distributions that bind no class only if `reported`."""
    strictest: dict[Measure, Requirement] = {}
    for each in required:
        weighs_values = each.measure.distribution is not Distribution.NONE
        if weighs_values and not each.binding and not reported:
            continue
        strictest[each.measure] = each.stricter(strictest.get(each.measure, each))
    return tuple(strictest.values())


def settled_class_by_class(models: tuple[PrivacyModel, ...], allowed: int) -> bool:
    """Whether a node whose release falls short has no smaller release that fits.

    Not so if rows may be suppressed and a model is of the whole release: the other models choose the classes, which
    then fit together or not. Models of the release with monotony ALWAYS choose the best classes to suppress themselves.
    """
    return not allowed or all(
        model.monotony is Monotony.ALWAYS or not any(each.of_release for each in model.requirements)
        for model in models
    )


def by_release_alone(models: tuple[PrivacyModel, ...]) -> bool:
    """Whether a model compares classes with the released rows, and not with the source."""
    references = [{each.measure.reference for each in model.requirements} for model in models]
    return any(Reference.RELEASE in each and Reference.SOURCE not in each for each in references)


def with_bound(
    demanded: tuple[Demand, ...], columns: tuple[str, ...], measure: Measure, bound: int
) -> tuple[Demand, ...]:
    """Return the demands with another bound on one measure, over one set of columns.

    A comparison of classes with the release gets the same bound as that with the source.

    >>> from kanon_sql.policy.privacy.k_anonymity import KAnonymity
    >>> (demand,) = with_bound(demands((KAnonymity(5),)), (), SIZE, 4)
    >>> demand.class_size
    4
    """

    def bounded(required: Requirement) -> Requirement:
        own = required.measure.by_source if required.of_release else required.measure
        return replace(required, bound=bound) if own == measure else required

    return tuple(
        replace(
            demand,
            requirements=tuple(map(bounded, demand.requirements)),
            of_release=tuple(map(bounded, demand.of_release)),
        )
        if demand.columns == columns
        else demand
        for demand in demanded
    )


def bound_name(columns: tuple[str, ...], measure: Measure) -> str:
    """Name a bound for readers.

    >>> bound_name(("age", "sex"), SIZE)
    'k over age, sex'
    """
    return f"{measure.bound_name} over {', '.join(columns)}" if columns else measure.bound_name


def demands_of_a_reader(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Return the demands that a reader can count in a table alone, over each set of columns."""
    return tuple(
        Demand(
            columns,
            _strictest([*AT_ALL, *(r for model in of for r in of_a_reader(model))], reported=True),
            (),
            beside,
        )
        for (columns, beside), of in _by_set(models).items()
    )


def of_a_reader(model: PrivacyModel) -> tuple[Requirement, ...]:
    """Return the requirements of a model that a reader can count in the released rows: none by the source."""
    return tuple(r for r in model.requirements if r.measure.reference is not Reference.SOURCE)


def weighs(model: PrivacyModel) -> bool:
    """Whether a model reads how often a class has its values, and not only which ones."""
    return any(r.measure.distribution is not Distribution.NONE for r in model.requirements)


def of_population(model: PrivacyModel) -> bool:
    """Whether a model compares classes with a population."""
    return any(r.measure.population is not None for r in model.requirements)


def not_of_signatures(models: Sequence[PrivacyModel]) -> Iterator[str]:
    """Describe each model that is not counted where a class is the people with the same rows."""
    for each in models:
        if weighs(each) or of_population(each) or isinstance(each, Over):
            yield f"{each} is not counted of people by all their rows, which k and distinct_l are"


def uncounted(models: Sequence[PrivacyModel], channel: Channel) -> Iterator[str]:
    """Yield why a channel does not count some of these models; nothing if it counts all.

    Every channel checks this before it begins, and refuses models that it cannot count; a model
    that names no channel is refused in all.
    """
    for model in models:
        required = model.requirements
        if channel in OF_READERS:
            required = of_a_reader(model) or required
        for measure in dict.fromkeys(r.measure for r in required):
            if measure.reads is not Reads.CODES:
                yield (
                    f"has codes in place of the {measure.reads} that {measure} reads; count values by whether they "
                    f"are equal, or in their order"
                )
            elif (why := measure.refusal(channel)) is not None:
                yield why or f"does not count {model}"
