"""The statement that encodes a table and counts its distinct tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.counting_sql import Counting


def frequency_set(
    table: exp.Table,
    counting: Counting,
    source: exp.Table,
    *,
    quasi: Sequence[tuple[str, exp.Table, bool]],
    sensitive: Sequence[exp.Table],
    entity: str | None,
    rows: int,
    weight: str | None = None,
) -> Statement:
    """Encode and count the source; `quasi` has each column with its table of codes, and whether that has one of NULL.

    A row of the source counts as one, or as its `weight`.
    """
    keys = []
    for number, key in enumerate(counting.packing.keys):
        parts: list[exp.Expr] = [
            column(key, of=f"q{q}") for q in range(len(quasi)) if counting.packing.uses(q, number)
        ]
        keys.append({"as": name(key), "parts": parts or [literal(0)]})
    columns = len(keys) + len(sensitive) + (1 if entity else 0)
    return Statement(
        "lattice/frequency_set",
        {
            "frequency_set": table,
            "source": source,
            "keys": keys,
            "joins": [
                _joined(f"q{q}", text, codes, nulls=nulls)
                for q, (text, codes, nulls) in enumerate(quasi)
            ],
            "sensitive": [
                {
                    "as": name(f"sensitive_{n}"),
                    "code": column("code", of=f"v{n}"),
                    **_joined(f"v{n}", each.column, codes),
                }
                for n, (each, codes) in enumerate(
                    zip(counting.sensitive, sensitive, strict=True), 1
                )
            ],
            "entity": column(entity, of="s") if entity else None,
            "weight": None if weight is None else column(weight, of="s"),
            "groups": [literal(n + 1) for n in range(columns)],
        },
        scans=rows,
    )


def _joined(alias: str, text: str, codes: exp.Table, *, nulls: bool = True) -> dict[str, object]:
    """Join the codes of a column's values."""
    own, value = column(text, of="s"), column("value", of=alias)
    return {"table": codes, "alias": name(alias), "column": own, "value": value, "nulls": nulls}
