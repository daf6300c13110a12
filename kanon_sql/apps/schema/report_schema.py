"""The page of a schema's plan, for a privacy officer: a picture of tables, keys and what protects each, in one file."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

from kanon_sql.apps.schema.protections import protection_of
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.sql.report_pages import render_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.apps.schema.schema_plan import PlannedTable, SchemaPlan

WIDE, HIGH, BESIDE, BELOW = 190, 64, 30, 70
"""The size of a box of the picture, and the room between boxes."""
MOST_BESIDE = 5
"""The most boxes in a row of the picture."""
LONGEST = 24
"""The most letters of a name in a box; the table below has the whole name."""


def schema_page(plan: SchemaPlan, title: str) -> str:
    """Return the page of a plan as HTML, which loads nothing and has no value of the data."""
    return render_report(
        "schema.html",
        title=title,
        verdict=_verdict(plan),
        origin=[
            ("Date", datetime.now(UTC).date().isoformat()),
            ("Policy, SHA-256", plan.policy_hash),
            ("Plan, SHA-256", sha256(plan.to_yaml().encode()).hexdigest()),
        ],
        release=plan.release,
        joined=[{"words": str(each), "passes": not each.below} for each in plan.joined],
        picture=_picture(plan),
        tables=[_row(name, table) for name, table in plan.tables.items()],
        keys=[
            {"key": str(each), "orphans": f"{each.orphans:,}", "released": each.released}
            for each in plan.foreign_keys
        ],
        warnings=plan.warnings,
        made_by=version("kanon-sql"),
    )


def _verdict(plan: SchemaPlan) -> dict[str, object]:
    """Return the sentence that decides: which tables have no guarantee, and how many people stand below k."""
    bare = [name for name, each in plan.tables.items() if _kind(each) == "unprotected"]
    below = [str(each) for each in plan.joined if each.below]
    line = "Each table of people is protected, as stated below"
    if bare:
        line = f"No guarantee for {joined(bare)}"
    elif below:
        line = "Some people stand below k over the join"
    released = counted(sum(not each.into for each in plan.tables.values()), "table")
    text = "; ".join((f"This plan releases {released} of {len(plan.tables):,}", *below))
    return {"meets": not bare and not below, "line": line, "text": f"{text}."}


def figures_of(table: PlannedTable) -> str | None:
    """Describe the classes of a counted table, or what is known and shown of events; None for others."""
    if table.unchanged is not None:
        known = "all" if table.known is None else f"any {table.known}"
        return (
            f"{known} known; {table.released_rows:,} of {table.rows - table.left_out:,} rows, {table.unchanged:,} "
            f"with their own values"
        )
    if table.plan is None:
        return None
    classes = counted(table.plan.classes, "class")
    return f"{', '.join(table.plan.privacy)} ({classes}, smallest {table.plan.smallest_class:,})"


def released_of(table: PlannedTable) -> str:
    """Say how many rows of a table are released, or into which table they are folded."""
    return f"in {table.into}" if table.into else f"{table.released_rows:,}"


def _rows_of(table: PlannedTable) -> str:
    """Describe the rows of a table in a box of the picture."""
    return (
        f"{table.rows:,} rows" if table.into else f"{table.released_rows:,} of {table.rows:,} rows"
    )


def _row(name: str, table: PlannedTable) -> dict[str, object]:
    own = protection_of(table.protection)
    return {
        "name": name,
        "rows": f"{table.rows:,}",
        "released": released_of(table),
        "protection": own.key,
        "promise": own.promise,
        "limit": own.limit,
        "figures": figures_of(table),
    }


def _kind(table: PlannedTable) -> str:
    """Return the class of a box, which sets its frame."""
    own = protection_of(table.protection)
    if own.folded:
        return "folded"
    if own.events:
        return "counted"
    if own.counted:
        return "people" if own.keyed else "counted"
    return "unprotected" if own.claims_nothing else "other"


def _picture(plan: SchemaPlan) -> dict[str, object]:
    """Place tables in rows: people, then tables with rows of them, then others; keys are lines between their boxes."""
    kinds = {name: _kind(table) for name, table in plan.tables.items()}
    groups = [
        [name for name, kind in kinds.items() if kind == "people"],
        [name for name, kind in kinds.items() if kind in {"counted", "folded", "unprotected"}],
        [name for name, kind in kinds.items() if kind == "other"],
    ]
    places: dict[str, tuple[int, int]] = {}
    for row, names in enumerate(_rows(groups)):
        for at, name in enumerate(names):
            places[name] = (10 + at * (WIDE + BESIDE), 10 + row * (HIGH + BELOW))
    lines = [
        {
            "from_x": places[key.table][0] + WIDE // 2,
            "from_y": places[key.table][1] + HIGH // 2,
            "to_x": places[key.to][0] + WIDE // 2,
            "to_y": places[key.to][1] + HIGH // 2,
            "valid": key.released,
        }
        for key in plan.foreign_keys
        if key.table != key.to
    ]
    boxes = [
        {
            "x": x,
            "y": y,
            "name": name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}...",
            "kind": kinds[name],
            "protection": plan.tables[name].protection,
            "rows": _rows_of(plan.tables[name]),
        }
        for name, (x, y) in places.items()
    ]
    width = max(x for x, _ in places.values()) + WIDE + 10
    height = max(y for _, y in places.values()) + HIGH + 10
    return {"width": width, "height": height, "boxes": boxes, "lines": lines}


def _rows(groups: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    for names in groups:
        for start in range(0, len(names), MOST_BESIDE):
            yield names[start : start + MOST_BESIDE]
