"""Statements that make hierarchies into tables: domain, paths, mapping table, path codes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.specs import (
    EXACT,
    ROOT,
    CsvHierarchy,
    DateHierarchy,
    HierarchySpec,
    IntervalHierarchy,
    MaskHierarchy,
    QueryHierarchy,
    SuppressHierarchy,
    TableHierarchy,
    TreeHierarchy,
)
from kanon_sql.sql.quoting import (
    column,
    literal,
    name,
    table,
)
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot import exp

    from kanon_sql.lattice.packing import Packing

GIVEN = (CsvHierarchy, TableHierarchy, QueryHierarchy, TreeHierarchy)
"""Hierarchies that come with their own values, as text; the others are made from the domain."""


CALENDAR = {
    "century": 0, "decade": 0, "year": 4, "quarter": 0, "month": 2, "day": 2, "week_year": 4, "week": 2,
}  # fmt: skip
"""The numbers of a date that labels are made of, and to how many digits they are filled up."""

MADE_BY = {
    "mask": "hierarchies/paths_by_mask",
    "intervals": "hierarchies/paths_by_intervals",
    "dates": "hierarchies/paths_by_dates",
    "suppression": "hierarchies/paths_by_suppression",
}
"""The statement that makes the paths of each kind of rule."""

VALUE, PATH = column("value", of="d"), column("value", of="p")
"""A value of the domain, and the value that a path begins with."""


def level(number: int) -> str:
    """Name the column of one level's labels."""
    return f"level_{number}"


def leaves(number: int) -> str:
    """Name the column that counts the leaves under one level's labels."""
    return f"leaves_{number}"


def ordinal(number: int) -> str:
    """Name the column that numbers one level's labels among their siblings."""
    return f"ordinal_{number}"


def bound_names(spec: HierarchySpec | None) -> list[str]:
    """Name the columns of an interval hierarchy's bounds, level by level."""
    if not isinstance(spec, IntervalHierarchy):
        return []
    numbers = range(1, len(spec.widths) + 1)
    return [f"{end}_{number}" for number in numbers for end in ("low", "high")]


def domain(table: exp.Table, source: exp.Table, text: str, *, rows: int = 0) -> Statement:
    """Collect the distinct values of one column with their counts."""
    return Statement(
        "hierarchies/domain",
        {"domain": table, "source": source, "column": column(text)},
        scans=rows,
    )


def domain_codes(
    table: exp.Table,
    source: exp.Table,
    text: str,
    *,
    rows: int,
    by_bytes: bool = False,
    counts_null: bool = True,
) -> Statement:
    """Give each distinct value of one column a number: in the database's order, or one that all share.

    NULL has none where it is not counted as a value.
    """
    shown = column("value") if by_bytes else None
    leaves_ = {
        "codes": table,
        "source": source,
        "column": column(text),
        "by_bytes": shown,
        "counts_null": counts_null,
    }
    return Statement("hierarchies/domain_codes", leaves_, scans=rows)


def paths_from_csv(paths: exp.Table, path: str, delimiter: str, height: int) -> Statement:
    """Load a hierarchy file."""
    levels = [{"text": literal(level(n))} for n in range(1, height + 1)]
    return Statement(
        "hierarchies/paths_from_csv",
        {"paths": paths, "path": literal(path), "delimiter": literal(delimiter), "levels": levels},
    )


def paths_from_table(paths: exp.Table, origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Read a hierarchy from a table whose first column is the value."""
    levels = [{"from": column(c), "as": name(level(n))} for n, c in enumerate(columns[1:], start=1)]
    return Statement(
        "hierarchies/paths_from_table",
        {"paths": paths, "origin": origin, "value": column(columns[0]), "levels": levels},
    )


def paths_from_rows(
    paths: exp.Table, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> Statement:
    """Write down a hierarchy that is at hand: a value, then its levels; NULL where there is none."""
    cells = [[None if cell is None else literal(str(cell)) for cell in row] for row in rows]
    levels = [{"as": name(text)} for text in columns[1:]]
    return Statement(
        "hierarchies/paths_from_rows", {"paths": paths, "rows": cells, "levels": levels}
    )


def texts(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Make an empty scratch table of texts."""
    return Statement("hierarchies/texts", {"table": table, "columns": [name(c) for c in columns]})


def load(table: exp.Table) -> Statement:
    """Take rows of texts from the client."""
    return Statement("hierarchies/load", {"table": table})


def hierarchy_table(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Make the table that a hierarchy's file is loaded into by hand, in DuckDB's words."""
    return Statement(
        "hierarchies/hierarchy_table", {"table": table, "columns": [name(c) for c in columns]}
    )


def paths_from_tree(paths: exp.Table, spec: TreeHierarchy) -> Statement:
    """Write down a hierarchy that stands in the policy; short paths leave their last levels NULL."""
    width = spec.height + 1
    columns = ["value", *(level(n) for n in range(1, width))]
    rows = [[*path, *[None] * (width - len(path))] for path in spec.paths]
    return paths_from_rows(paths, columns, rows)


def paths_made(
    paths: exp.Table, domain_: exp.Table, spec: HierarchySpec, *, bounded: bool = False
) -> Statement:
    """Make every value's path by rule, from the values that the source has.

    Where bounds are released, values are told apart above their own level only as those are.
    """
    kind, leaves_ = _by_rule(spec, bounded=bounded)
    return Statement(MADE_BY[kind], {"paths": paths, "domain": domain_, **leaves_})


def rule(source: exp.Table, text: str, spec: HierarchySpec, *, bounded: bool = False) -> Statement:
    """Give every value's path by rule as a query over one column of a table."""
    kind, leaves_ = _by_rule(spec, bounded=bounded)
    own = {"source": source, "column": column(text, of="s"), "domain": table("kanon_domain")}
    return Statement("hierarchies/rule", {**own, "kind": kind, **leaves_})


def _by_rule(spec: HierarchySpec, *, bounded: bool) -> tuple[str, dict[str, object]]:
    """Name the kind of a hierarchy that is made by rule, and give what its statement says."""
    leaves_: dict[str, object]
    match spec:
        case MaskHierarchy():
            kind, leaves_ = "mask", _by_mask(spec)
        case IntervalHierarchy():
            kind, leaves_ = "intervals", _by_intervals(spec, bounded=bounded)
        case DateHierarchy():
            kind, leaves_ = "dates", _by_dates(spec)
        case SuppressHierarchy():
            kind, leaves_ = "suppression", {}
        case _:
            raise TypeError(f"a {type(spec).__name__} is not made by rule")
    return kind, {"root": literal(ROOT), "top": name(level(spec.height)), **leaves_}


def _by_dates(spec: DateHierarchy) -> dict[str, object]:
    return {
        "own": column("value"),
        "day": column("day"),
        "numbers": [
            {
                "as": name(f"{part}_text"),
                "number": column(f"{part}_number"),
                "width": literal(width) if width else None,
                "most": literal(10**width - 1),
            }
            for part, width in CALENDAR.items()
        ],
        "levels": [
            {"as": name(level(n)), "unit": unit.value} for n, unit in enumerate(spec.units, 1)
        ],
    }


def _by_mask(spec: MaskHierarchy) -> dict[str, object]:
    return {
        "own": column("value"),
        "length": literal(spec.length),
        "root": literal(spec.character * spec.length),
        "levels": [
            {
                "as": name(level(n)),
                "kept": literal(spec.length - masked),
                "mask": literal(spec.character * masked),
            }
            for n, masked in enumerate(spec.masked[:-1], start=1)
        ],
    }


def _by_intervals(spec: IntervalHierarchy, *, bounded: bool) -> dict[str, object]:
    places = spec.scale
    unit = Decimal(10) ** places

    def placed(number: Decimal) -> exp.Expr:
        return literal(int(EXACT.multiply(number, unit)))

    def shown(number: Decimal) -> str:
        return f"{number:.{places}f}"

    return {
        "bounded": bounded,
        "own": column("value"),
        "unit": literal(int(unit)),
        "step": literal(Decimal(1).scaleb(-places)) if places else None,
        "places": literal(places),
        "offset": placed(spec.offset),
        "bottom": None if spec.bottom is None else placed(spec.bottom),
        "above": None if spec.top is None else placed(spec.top),
        "bottom_label": literal("" if spec.bottom is None else f"< {shown(spec.bottom)}"),
        "above_label": literal("" if spec.top is None else f">= {shown(spec.top)}"),
        "levels": [
            {
                "as": name(level(n)),
                "width": placed(width),
                "start": name(f"start_{n}"),
                "low": name(f"low_{n}"),
                "high": name(f"high_{n}"),
            }
            for n, width in enumerate(spec.widths, start=1)
        ],
    }


def entries(paths: exp.Table, height: int, most: int) -> Statement:
    """Read the entries of a hierarchy: each value with its labels, level by level."""
    levels = [name(level(n)) for n in range(1, height + 1)]
    return Statement(
        "hierarchies/entries", {"paths": paths, "levels": levels, "most": literal(most)}
    )


def paths_complete(
    complete: exp.Table, paths: exp.Table, domain_: exp.Table, spec: HierarchySpec, height: int
) -> Statement:
    """Complete the paths: one for NULL, the leaves under each label, short paths lifted."""
    ragged = isinstance(spec, GIVEN) and spec.ragged
    levels: list[dict[str, object]] = []
    for n in range(1, height + 1):
        lifted = []
        for labels in range(1, height + 1):
            below = n - (height - labels)
            source = column(level(below)) if below > 0 else column("value")
            lifted.append({"labels": literal(labels), "from": source})
        levels.append({"as": name(level(n)), "leaves": name(leaves(n)), "lifted": lifted})
    return Statement(
        "hierarchies/paths_complete",
        {
            "complete": complete,
            "paths": paths,
            "domain": domain_,
            "given": isinstance(spec, GIVEN),
            "ragged": ragged,
            "levels": levels,
            "bounds": [name(b) for b in bound_names(spec)],
        },
    )


def survey_paths(paths: exp.Table, height: int) -> Statement:
    """Count what is wrong with a hierarchy, level by level."""
    levels = [
        {
            "as": name(level(n)) if n else name("value"),
            "above": name(level(n + 1)) if 0 < n < height else None,
        }
        for n in range(height + 1)
    ]
    return Statement(
        "hierarchies/survey_paths", {"paths": paths, "value": name("value"), "levels": levels}
    )


def survey_domain(domain_: exp.Table, paths: exp.Table, *, as_text: bool) -> Statement:
    """Count the values that a hierarchy has no entry for."""
    leaves_ = {"domain": domain_, "paths": paths, "value": VALUE, "as_text": as_text}
    return Statement("hierarchies/survey_domain", leaves_)


def entered(
    table: exp.Table,
    domain_: exp.Table,
    paths: exp.Table,
    height: int,
    *,
    as_text: bool,
    nulls: bool,
) -> Statement:
    """Keep the values that have an entry, and `nulls`; a rule that makes nothing of a value gives it no root."""
    return Statement(
        "hierarchies/entered",
        {
            "entered": table,
            "domain": domain_,
            "paths": paths,
            "value": VALUE,
            "path": PATH,
            "root": None if as_text else name(level(height)),
            "as_text": as_text,
            "nulls": nulls,
        },
    )


def count_nulls(domain_: exp.Table) -> Statement:
    """Count the rows that are NULL."""
    return Statement("hierarchies/count_nulls", {"domain": domain_})


def map_values(
    map_: exp.Table,
    domain_: exp.Table,
    paths: exp.Table,
    *,
    height: int,
    as_text: bool,
    by_bytes: bool = False,
) -> Statement:
    """Make the mapping table of one quasi-identifier; `by_bytes` siblings stand alike in every database."""
    levels = [
        {
            "as": name(level(n)),
            "leaves": name(leaves(n)),
            "ordinal": name(ordinal(n)),
            "above": name(level(n + 1)) if n < height else None,
        }
        for n in range(1, height + 1)
    ]
    return Statement(
        "hierarchies/map",
        {
            "map": map_,
            "domain": domain_,
            "paths": paths,
            "value": VALUE,
            "path": PATH,
            "as_text": as_text,
            "levels": levels,
            "value_ordinal": name(ordinal(0)),
            "first": name(level(1)),
            "by_bytes": by_bytes,
        },
    )


def facts(columns: Sequence[tuple[exp.Table, exp.Table, int]]) -> Statement:
    """Survey every mapping table at every level: (map, complete paths, height) a column."""
    return Statement(
        "hierarchies/facts",
        {
            "size": column("row_count", of="g"),
            "columns": [
                {
                    "number": literal(number),
                    "map": map_,
                    "paths": paths,
                    "levels": [
                        {
                            "number": literal(n),
                            "as": name(level(n)) if n else name("value"),
                            "leaves": name(leaves(n)) if n else None,
                            "ordinal": name(ordinal(n)) if n < height else None,
                        }
                        for n in range(height + 1)
                    ],
                }
                for number, (map_, paths, height) in enumerate(columns)
            ],
        },
    )


def codes(table: exp.Table, map_: exp.Table, packing: Packing, quasi: int) -> Statement:
    """Write each value's path as bits of the packed keys."""
    height = packing.tops[quasi]
    return Statement(
        "hierarchies/codes",
        {
            "codes": table,
            "map": map_,
            "keys": [
                {
                    "as": name(key),
                    "parts": [
                        {"ordinal": name(ordinal(s.level)), "weight": literal(1 << s.shift)}
                        for s in packing.segments
                        if s.quasi == quasi and s.key == number
                    ],
                }
                for number, key in enumerate(packing.keys)
                if packing.uses(quasi, number)
            ],
            "leaves": [name(leaves(n)) for n in range(1, height + 1)],
        },
    )
