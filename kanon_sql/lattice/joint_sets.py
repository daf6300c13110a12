"""Sets of quasi-identifiers whose classes must all fit in one release, with columns as numbers."""

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
    """The requirements on the classes over one set of columns, one of several that must be met together.

    The classes must meet those `of_release` by the distribution of all kept rows. `beside` are sensitive columns whose
    values distinguish classes too, NULL being a value.
    """

    columns: tuple[int, ...]
    requirements: tuple[Requirement, ...]
    of_release: tuple[Requirement, ...] = ()
    beside: tuple[SensitiveAttribute, ...] = ()


def joint_sets(demands: Iterable[Demand], names: Sequence[str]) -> tuple[Joint, ...]:
    """Return demands with columns as numbers; one without columns is over all `names`."""
    return tuple(
        Joint(
            tuple(names.index(c) for c in each.columns or names if c not in each.beside),
            each.requirements,
            each.of_release,
            tuple(SensitiveAttribute(c, SensitiveNulls.VALUE) for c in each.beside),
        )
        for each in demands
    )
