"""What the models of a policy require together: of the classes over all quasi-identifiers, and over some."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.documents.records import LATER
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.k_anonymity import SIZE
from kanon_sql.privacy.privacy_model import (
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

    from kanon_sql.privacy.privacy_model import Measure, PrivacyModel


Set: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]

OF_READERS = frozenset({Channel.CERTIFICATE, Channel.VERIFY})
"""Where a table is counted alone, without what it was made from."""

AT_ALL = (Requirement(SIZE, 1),)
"""What every class reaches: there is one."""


@dataclass(frozen=True, slots=True)
class Over:
    """A model that the classes over other columns than all quasi-identifiers must satisfy, as if they were these.

    Over some of them, for an adversary who knows those alone (Hundepool and Willenborg's mu-Argus, 1996). The last
    `beside` of the columns are sensitive: as quasi-identifiers, for an adversary who knows their values, too
    (Machanavajjhala et al., TKDD 2007, section 4.4, of several sensitive attributes).

    >>> from kanon_sql.privacy.k_anonymity import KAnonymity
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
        """Give the model's own: the rows that fit at a node fit at a coarser one too.

        Each class there, over any columns, is a union of classes here.
        """
        return self.model.monotony

    def __str__(self) -> str:
        return f"{self.model} over {', '.join(self.columns)}"


@dataclass(frozen=True, slots=True)
class Demand:
    """What the classes over some columns must reach; over all quasi-identifiers where `columns` is empty.

    The first requirement is always that of the classes' sizes. By what is `of_release` no class is chosen: the
    classes that are released must all keep it, compared with each other. The columns `beside` are sensitive.
    """

    columns: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    of_release: tuple[Requirement, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def recounted(self) -> tuple[Requirement, ...]:
        """Give all that the classes of a release must reach."""
        return (*self.requirements, *self.of_release)

    @property
    def binding(self) -> bool:
        """Whether any class could fall short."""
        return any(requirement.binding for requirement in self.requirements)

    @property
    def asks(self) -> bool:
        """Whether any class could fall short, by itself or compared with those that are released."""
        return self.binding or bool(self.of_release)

    @property
    def class_size(self) -> int:
        """Give the least number of entities a class must hold."""
        return self.requirements[0].bound


def sensitive_attributes(needed: Iterable[Requirement]) -> tuple[SensitiveAttribute, ...]:
    """Give the columns whose values are counted, each once, however many requirements read it."""
    found = (r.measure.sensitive for r in needed)
    return tuple(dict.fromkeys(each for each in found if each is not None))


def in_tree(models: tuple[PrivacyModel, ...]) -> set[str]:
    """Name the sensitive columns whose hierarchies a model reads."""
    found = sensitive_attributes(each for model in models for each in model.requirements)
    return {each.column for each in found if each.in_tree}


def demands(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Give the requirements of each set of quasi-identifiers, that of all of them first, even if it has none.

    >>> from kanon_sql.privacy.k_anonymity import KAnonymity
    >>> [d.columns for d in demands((Over(KAnonymity(9), ("age",)), KAnonymity(2)))]
    [(), ('age',)]
    """
    return tuple(
        Demand(columns, requirements(of), requirements_of_release(of), beside)
        for (columns, beside), of in _by_set(models).items()
    )


def _by_set(models: Iterable[PrivacyModel]) -> dict[Set, tuple[PrivacyModel, ...]]:
    """Group models by the columns that they are asked over, all quasi-identifiers first, and the sensitive ones of these."""
    found: dict[Set, tuple[PrivacyModel, ...]] = {((), ()): ()}
    for model in models:
        over = (model.columns, model.beside) if isinstance(model, Over) else ((), ())
        found[over] = (*found.get(over, ()), model)
    return found


def joint_demands(models: tuple[PrivacyModel, ...]) -> tuple[Demand, ...]:
    """Give the demands that must be met together; none where all are of one set, the whole.

    Suppressing a class of one set takes rows from classes of the others, which may then fall
    short. Without other sets a class that fits stays as it is.
    """
    asked = tuple(demand for demand in demands(models) if demand.asks)
    return asked if any(demand.columns for demand in asked) else ()


def beside_others(demanded: Iterable[Demand]) -> tuple[str, ...]:
    """Name the sensitive columns by whose values classes are told apart."""
    return tuple(dict.fromkeys(name for each in demanded for name in each.beside))


def requirements(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join what the models require of each class: one requirement a measure, the strictest bound of each.

    Over any columns. Single values are not weighed where any class would do.

    >>> from kanon_sql.privacy.k_anonymity import KAnonymity
    >>> [r.bound for r in requirements((KAnonymity(2), KAnonymity(5)))]
    [5]
    """
    found = (each for model in models for each in model.requirements if not each.of_release)
    return _strictest([*AT_ALL, *found])


def requirements_unsuppressed(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join what the models require of each class where no row is suppressed: the released rows are the source's."""
    every = (each for model in models for each in model.requirements)
    return _strictest(
        [
            *AT_ALL,
            *(replace(r, measure=r.measure.by_source) if r.of_release else r for r in every),
        ]
    )


def requirements_of_release(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join what the models require of the released classes by their common distribution."""
    return _strictest([each for model in models for each in model.requirements if each.of_release])


def _strictest(
    required: Sequence[Requirement], *, reported: bool = False
) -> tuple[Requirement, ...]:
    """Keep the strictest bound of each measure; one that every class keeps only where its figure is to be `reported`."""
    strictest: dict[Measure, Requirement] = {}
    for each in required:
        weighs_values = each.measure.distribution is not Distribution.NONE
        if weighs_values and not each.binding and not reported:
            continue
        strictest[each.measure] = each.stricter(strictest.get(each.measure, each))
    return tuple(strictest.values())


def settled_class_by_class(models: tuple[PrivacyModel, ...], allowed: int) -> bool:
    """Whether a node at which the release falls short has no smaller release that does not.

    Not so where rows may be suppressed and models are of all that is released: classes are kept or suppressed by the
    other models, and then all that is kept fits together or not. Those whose monotony is ALWAYS suppress what is best.
    """
    return not allowed or all(
        model.monotony is Monotony.ALWAYS or not any(each.of_release for each in model.requirements)
        for model in models
    )


def by_release_alone(models: tuple[PrivacyModel, ...]) -> bool:
    """Whether a model compares classes with the released rows, and suppresses none by the source."""
    references = [{each.measure.reference for each in model.requirements} for model in models]
    return any(Reference.RELEASE in each and Reference.SOURCE not in each for each in references)


def with_bound(
    demanded: tuple[Demand, ...], columns: tuple[str, ...], measure: Measure, bound: int
) -> tuple[Demand, ...]:
    """Give the demands with another bound on one measure, over one set of quasi-identifiers.

    Where classes are compared with the source, they are with the release by the same bound.

    >>> from kanon_sql.privacy.k_anonymity import KAnonymity
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
    """Give what whoever has a table alone can count of it, over each set of columns."""
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
    """Give what whoever has the released rows alone can count of a model: nothing by the source."""
    return tuple(r for r in model.requirements if r.measure.reference is not Reference.SOURCE)


def weighs(model: PrivacyModel) -> bool:
    """Whether a model reads how often a class has its values, and not only which ones."""
    return any(r.measure.distribution is not Distribution.NONE for r in model.requirements)


def of_population(model: PrivacyModel) -> bool:
    """Whether a model compares classes with a population."""
    return any(r.measure.population is not None for r in model.requirements)


def not_of_signatures(models: Sequence[PrivacyModel]) -> Iterator[str]:
    """Say which models are not counted where a class is the people with the same rows."""
    for each in models:
        if weighs(each) or of_population(each) or isinstance(each, Over):
            yield f"{each} is not counted of people by all their rows, which k and distinct_l are"


def uncounted(models: Sequence[PrivacyModel], channel: Channel) -> Iterator[str]:
    """Say why a channel does not count each of these models; nothing where it counts all.

    Every channel checks this before it begins and refuses what it cannot count; a model
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
