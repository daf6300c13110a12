"""The tables of one encoded quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.mapping_sql import level
from kanon_sql.policy.model import Output
from kanon_sql.sql.quoting import column

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.policy.model import Column


@dataclass(frozen=True, slots=True)
class QuasiTables:
    """What is at hand of one quasi-identifier: its codes, its mapping table, its paths."""

    column: Column
    codes: exp.Table
    map: exp.Table
    paths: exp.Table
    height: int

    def label(self, at: int) -> dict[str, object]:
        """Describe what is released at one level: a text, two bounds, or nothing."""
        bounds = self.column.output is Output.BOUNDS
        if at == 0:
            return {"label": column("value", of="m"), "ends": None}
        if not bounds:
            return {"label": column(level(at), of="m"), "ends": None}
        if at == self.height:
            return {"label": None, "ends": None}
        ends = {end: column(f"{end}_{at}", of="p") for end in ("low", "high")}
        return {"label": None, "ends": ends}
