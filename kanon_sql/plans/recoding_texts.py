"""Short texts on how a plan recodes each quasi-identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.plans.recodings import (
    Enforced,
    FullDomain,
    LocalSuppression,
    Multidimensional,
    MultiNode,
    SingleDimensional,
    WithoutSmallest,
    levels_used,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.plans.plan import Plan


def recoding_texts(plan: Plan) -> Iterator[str]:
    """Yield a short text for each quasi-identifier, in the plan's order, such as "level 2 of 4"."""
    for at, height in enumerate(plan.heights.values()):
        match plan.recoding:
            case Multidimensional():
                yield "the range of its region"
            case SingleDimensional(starts=starts):
                yield f"{len(starts[at])} intervals of its domain"
            case (
                FullDomain()
                | Enforced()
                | WithoutSmallest()
                | MultiNode()
                | LocalSuppression() as recoding
            ):
                levels = sorted(levels_used(recoding, at))
                cells = (
                    isinstance(recoding, LocalSuppression)
                    and recoding.suppressed_cells.released[at]
                )
                yield (
                    f"level{'s' if len(levels) > 1 else ''} {', '.join(map(str, levels))} of {height}"
                    f"{', some cells suppressed' if cells else ''}"
                )
            case _:
                assert_never(plan.recoding)
