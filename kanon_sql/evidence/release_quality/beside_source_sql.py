"""Statements that put the source's own values beside the labels of a release, and weigh the labels by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.evidence.release_quality.quality_sql import released_parts
from kanon_sql.policy.hierarchies.order import EXACT_UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped


def beside_source(view: exp.Table, source: exp.Table, copies: Mapping[str, str]) -> Statement:
    """See a source with some columns a second time; `copies` has their other names."""
    described = [{"from": column(own, of="s"), "as": name(text)} for own, text in copies.items()]
    return Statement(
        "release_quality/beside_source", {"view": view, "source": source, "copies": described}
    )


def cells(
    named: exp.Table, released: exp.Table, parts: Sequence[str], own: str, *, rows: int = 0
) -> Statement:
    """Create the table of one column's labels with the source's values of their rows."""
    leaves = {
        "cells": named,
        "released": released,
        "parts": [column(text, of="t") for text in parts],
        "own": column(own, of="t"),
    }
    return Statement("release_quality/cells", leaves, scans=rows)


def penalty_of_labels(
    of: exp.Table, each: Mapped, levels: Sequence[int], order: str | None
) -> Statement:
    """Sum the penalties of released cells, whose labels are of some levels of a hierarchy."""
    return Statement(
        "release_quality/penalty_of_labels",
        {
            "cells": of,
            "domain": each.domain,
            "paths": each.paths,
            "as_text": each.as_text,
            "order": order,
            "unit": literal(EXACT_UNIT),
            "levels": [{"parts": released_parts(each, at)} for at in levels if at],
        },
    )


def penalty_of_places(of: exp.Table, axis: exp.Table, order: str) -> Statement:
    """Sum the penalties of released cells, whose labels are intervals of the places of values."""
    leaves = {"cells": of, "axis": axis, "order": order, "unit": literal(EXACT_UNIT)}
    return Statement("release_quality/penalty_of_places", leaves)


def values_of_units(named: exp.Table, axis: exp.Table, units: exp.Table) -> Statement:
    """Create the table of one column's values by place, each with the beginning of its unit as the label."""
    leaves = {"values": named, "axis": axis, "units": units}
    return Statement("release_quality/values_of_units", leaves)


def values_of_cells(named: exp.Table, of: exp.Table, axis: exp.Table, covers: str) -> Statement:
    """Create the table of one column's values by place with the labels that cover them: an interval, or a set."""
    leaves = {"values": named, "cells": of, "axis": axis, "covers": covers}
    return Statement(
        "release_quality/values_of_cells", {**leaves, "parts": [column("value", of="a")]}
    )
