"""Several sets of quasi-identifiers, by their numbers, over which classes must fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import SensitiveAttribute, SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.privacy_model import Requirement


@dataclass(frozen=True, slots=True)
class Joint:
    """What the classes over some columns, by their number, must reach beside others.

    What is `of_release` they must reach by the distribution of all that is kept. Those `beside` are sensitive columns, by whose values classes are told apart, NULL being one.
    """

    columns: tuple[int, ...]
    requirements: tuple[Requirement, ...]
    of_release: tuple[Requirement, ...] = ()
    beside: tuple[SensitiveAttribute, ...] = ()


def joint_sets(demands: Iterable[Demand], names: Sequence[str]) -> tuple[Joint, ...]:
    """Return demands that must be met together, with their columns as numbers."""
    return tuple(
        Joint(
            tuple(names.index(c) for c in each.columns or names if c not in each.beside),
            each.requirements,
            each.of_release,
            tuple(SensitiveAttribute(c, SensitiveNulls.VALUE) for c in each.beside),
        )
        for each in demands
    )
