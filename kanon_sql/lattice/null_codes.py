"""The codes of NULL, which show whether a class is NULL in a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.hierarchies import mapping_sql
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.lattice.packing import Packing
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class NullCode:
    """The code of NULL in one column, a number for each key, and the levels at which NULL stays NULL."""

    codes: tuple[int, ...]
    levels: frozenset[int]


def find_null_codes(
    run: Session,
    packing: Packing,
    mapped: Sequence[Mapped],
    maps: Sequence[exp.Table],
    codes: Sequence[exp.Table],
) -> tuple[NullCode | None, ...]:
    """Look up the code of NULL in each column; None where no row has it."""
    found: list[NullCode | None] = []
    for quasi, (each, map_, table) in enumerate(zip(mapped, maps, codes, strict=True)):
        keys = [packing.uses(quasi, number) for number, _ in enumerate(packing.keys)]
        named = [key for key, used in zip(packing.keys, keys, strict=True) if used]
        height = each.hierarchy.height
        rows = run.engine.fetch(mapping_sql.null_codes(table, map_, named, height))
        if not rows:
            found.append(None)
            continue
        cells = [int(str(cell)) for cell in rows[0]]
        own = iter(cells[height + 1 :])
        found.append(
            NullCode(
                tuple(next(own) if used else 0 for used in keys),
                frozenset(n for n in range(height + 1) if not cells[n]),
            )
        )
    return tuple(found)
