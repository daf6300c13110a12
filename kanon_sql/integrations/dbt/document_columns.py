"""Documents the columns of a release in its properties: by the source's descriptions, and by their recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.errors import InternalError
from kanon_sql.hierarchies.order import Dates, Listed, OrderKind, Steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.integrations.dbt.model_layout import ReleasedColumn
    from kanon_sql.integrations.dbt.project import ReleaseRequest

TEXT = "{{ 'string' if target.type in ('bigquery', 'databricks', 'spark') else 'varchar' }}"
"""The type of texts in properties, where macros are not known."""

LABEL = "A label of its hierarchy in place of the value."
TEXTS = {
    "labels": LABEL,
    "label": LABEL,
    "levels": "The value, or a label of its hierarchy in its place.",
    "interval": "The interval or node that the value lies in.",
    "region": "The region that the row lies in, in place of the value.",
    "pseudonym": "A pseudonym in place of the value: its hash under a key.",
}
"""The description of a column that becomes a text, by its kind."""

BOUNDS = {
    "interval": "The bounds of an interval in place of the value.",
    "region": "The bounds of a region in place of the value.",
    "levels": "The value, or the bounds of an interval in its place.",
}
"""The description of a column that becomes two bounds, by its kind."""


def described(*parts: str) -> str:
    """Join descriptions, and escape braces so that dbt does not read them as Jinja again."""
    text = " ".join(
        each if each.endswith((".", "!", "?")) else f"{each}." for each in parts if each
    )
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    return "".join("{{ '{' }}" if each == "{" else each for each in text)


def released_columns(
    request: ReleaseRequest, columns: Sequence[ReleasedColumn]
) -> list[dict[str, object]]:
    """Return the columns of a release as its properties list them, with the types that are known.

    An incremental release has two more columns, which a contract has to name.
    """
    found = [
        _column(name, description, kind)
        for each in columns
        if each.becomes != "nothing"
        for name, description, kind in _documented(request, each)
    ]
    if request.documented.contract and request.loaded_at is not None:
        until = f"The largest {request.loaded_at} when the row's class was released."
        found.append(
            _column(
                "kanon_released_at", described(until), request.documented.types[request.loaded_at]
            )
        )
        found.append(_column("kanon_plan", "The plan that the row was released by.", TEXT))
    return found


def _column(name: str, description: str, kind: str | None) -> dict[str, object]:
    entry: dict[str, object] = {"name": name, "quote": True}
    if description:
        entry["description"] = description
    return entry if kind is None else {**entry, "data_type": kind}


def _documented(
    request: ReleaseRequest, released: ReleasedColumn
) -> Iterator[tuple[str, str, str | None]]:
    """Yield each released column of one column of the source, with its description and its type."""
    name = released.column.name
    own = request.documented.columns.get(name, "")
    kind = request.documented.types.get(name)
    what = ""
    match released.becomes:
        case "bounds":
            kind, what = _type_of_bounds(released), BOUNDS["interval"]
        case "levels" if released.column.output.bounded and not released.as_text:
            kind, what = _type_of_bounds(released), BOUNDS["levels"]
        case ("interval" | "region") as by if released.column.output.bounded:
            kind, what = _type_of_ends(released, kind), BOUNDS[by]
        case text if text in TEXTS:
            kind, what = TEXT, TEXTS[text]
        case "null":
            what = "Always NULL."
        case "value" | "value twice":
            pass
        case _:
            raise InternalError(f"a column of dbt becomes {released.becomes}")
    for each in released.column.released_as:
        yield each, described(own, what if own else ""), kind


def _type_of_bounds(released: ReleasedColumn) -> str:
    """Return the type to which the hierarchy's model casts bounds."""
    kind = released.column.hierarchy
    if kind is None or not kind.bounded_levels:
        raise InternalError("bounds are of intervals")
    return f"decimal(38,{kind.scale})" if kind.scale else "bigint"


def _type_of_ends(released: ReleasedColumn, own: str | None) -> str | None:
    """Return the type of the bounds of a region: that of the column, or that of the units it is ordered by."""
    match released.column.order:
        case Dates():
            return "date"
        case Steps(scale=scale):
            return f"decimal(38,{scale})" if scale else "bigint"
        case OrderKind() | Listed() | None:
            return own
        case _:
            assert_never(released.column.order)
