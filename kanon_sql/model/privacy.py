"""The privacy models, as values: what each needs counted in a class, and when the class fits.

A model is a conjunction of requirements, each a measure of one equivalence class with a lower
bound. The searches see neither; `sql/counting.py` says how a measure is counted. Adding a model is
a class here and, if it measures something new, a measure with its fragment of SQL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Size:
    """How many entities a class holds."""

    spread: None = None

    def __str__(self) -> str:
        return "entities"


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many different values of a sensitive column a class holds; NULL is one of them."""

    spread: str

    def __str__(self) -> str:
        return f"distinct values of {self.spread}"


Measure = Size | Distinct


@dataclass(frozen=True, slots=True)
class Requirement:
    """What one class must reach."""

    measure: Measure
    at_least: int


class PrivacyModel(Protocol):
    """What every privacy model states about itself."""

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """A class fits when it reaches all of these."""
        ...

    @property
    def monotone(self) -> bool:
        """Whether generalizing never increases the rows that must be suppressed.

        Only then may a search tag a node from its neighbours when suppression is allowed
        (ALGORITHMS: true of k-anonymity and distinct l-diversity).
        """
        ...

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every class holds at least k entities (Samarati and Sweeney, 1998).

    >>> str(KAnonymity(5))
    '5-anonymity'
    """

    k: int
    monotone: bool = True

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

    column: str
    l: int  # noqa: E741  the literature's letter
    monotone: bool = True

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(Distinct(self.column), self.l),)

    def __str__(self) -> str:
        return f"distinct {self.l}-diversity of {self.column}"


def requirements(models: tuple[PrivacyModel, ...]) -> tuple[Requirement, ...]:
    """Join the models: one requirement a measure, the strictest bound of each.

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


def diversities(models: tuple[PrivacyModel, ...]) -> dict[str, int]:
    """Give the least number of different values a class must hold, by sensitive column."""
    return {
        r.measure.spread: r.at_least
        for r in requirements(models)
        if isinstance(r.measure, Distinct)
    }


def class_size(models: tuple[PrivacyModel, ...]) -> int:
    """Give the least number of entities a class must hold."""
    return next(r.at_least for r in requirements(models) if isinstance(r.measure, Size))
