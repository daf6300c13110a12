"""Statements that turn hierarchies into tables: domain, paths, mapping table, path codes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, assert_never

from kanon_sql.errors import InternalError
from kanon_sql.hierarchies.specs import (
    EXACT,
    ROOT,
    CsvHierarchy,
    DateHierarchy,
    DateUnit,
    HierarchySpec,
    IntervalHierarchy,
    MaskHierarchy,
    Match,
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
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.specs import Hierarchy
    from kanon_sql.lattice.packing import Packing

MANY_ROWS = 10_000_000
"""Rows that may have more values than one task of a cluster should rank."""
LARGE_NODE = 65_536
"""Leaves of a node whose children several tasks of a cluster number."""
RANGES = 64
"""Tasks of a cluster that rank many values in their order."""
WITH_ENTRIES = (CsvHierarchy, TableHierarchy, QueryHierarchy, TreeHierarchy)
"""Hierarchies with entries of their own, as text; paths of the others are created by rule from the domain."""
EXACT_UNIT = 10**15
"""Numbers are compared as wholes of this many parts, which is exact for 15 places."""
BY_RULE = (MaskHierarchy, IntervalHierarchy, DateHierarchy, SuppressHierarchy)


CALENDAR = {
    "century": 0, "decade": 0, "year": 4, "quarter": 0, "month": 2, "day": 2, "week_year": 4, "week": 2,
}  # fmt: skip
"""The numbers of a date in labels, and to how many digits they are padded."""

PARTS_OF = {
    DateUnit.DAY: ("year", "month", "day"),
    DateUnit.WEEK: ("week_year", "week"),
    DateUnit.MONTH: ("year", "month"),
    DateUnit.QUARTER: ("year", "quarter"),
    DateUnit.YEAR: ("year",),
    DateUnit.DECADE: ("decade",),
    DateUnit.CENTURY: ("century",),
}
"""The numbers that the label of each unit is made of."""


def level(number: int) -> str:
    """Name the column of one level's labels, as the templates do."""
    return f"level_{number}"


def leaf_count(number: int) -> str:
    """Name the column that counts the leaves under one level's labels."""
    return f"leaves_{number}"


def bound_names(spec: HierarchySpec | None) -> list[str]:
    """Name the columns of an interval hierarchy's bounds, level by level."""
    if not isinstance(spec, IntervalHierarchy):
        return []
    numbers = range(1, len(spec.widths) + 1)
    return [f"{end}_{number}" for number in numbers for end in ("low", "high")]


def domain(
    table: exp.Table,
    source: exp.Table,
    text: str,
    *,
    rows: int = 0,
    population: exp.Table | None = None,
    weight: str | None = None,
) -> Statement:
    """Count the distinct values of a column; a row counts as one, or as its `weight`."""
    leaves = {"source": source, "column": column(text), "population": population}
    leaves["weight"] = None if weight is None else column(weight)
    return Statement("hierarchies/domain", {"domain": table, **leaves}, scans=rows)


def domain_codes(
    table: exp.Table,
    source: exp.Table,
    text: str,
    *,
    rows: int,
    by_bytes: bool = False,
    counts_null: bool = True,
    order: Mapping[str, object] | None = None,
) -> Statement:
    """Assign numbers to the distinct values of one column, in the database's order or, everywhere alike, by bytes.

    Or in an order of their own. NULL gets none where it is not counted as a value.
    """
    return Statement(
        "hierarchies/domain_codes",
        {
            "codes": table,
            "source": source,
            "column": column(text),
            "by_bytes": by_bytes,
            "counts_null": counts_null,
            "order": order,
            "many": rows > MANY_ROWS,
            "keyed": "sql/hierarchies/part/keyed_sensitive.sql.j2",
            "ranges": RANGES,
        },
        scans=rows,
    )


def paths_from_csv(paths: exp.Table, path: str, delimiter: str, height: int) -> Statement:
    return Statement(
        "hierarchies/paths_from_csv", {"paths": paths, **csv_file(path, delimiter, height)}
    )


def csv_file(path: str, delimiter: str, height: int) -> dict[str, object]:
    """Return the leaves of a hierarchy file."""
    labels = [{"text": literal(level(n))} for n in range(1, height + 1)]
    return {"path": literal(path), "delimiter": literal(delimiter), "labels": labels}


def paths_from_table(paths: exp.Table, origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Read a hierarchy from a table whose first column is the value."""
    value, *labels = map(column, columns)
    leaves_ = {"paths": paths, "origin": origin, "value": value, "labels": labels}
    return Statement("hierarchies/paths_from_table", leaves_)


def matched_paths(
    paths: exp.Table,
    entries: exp.Table,
    domain_: exp.Table,
    match: Collection[Match],
    height: int,
) -> Statement:
    """Create the paths of a column's values from entries that are spelled otherwise."""
    return Statement(
        "hierarchies/matched_paths",
        {
            "paths": paths,
            "entries": entries,
            "domain": domain_,
            "levels": range(1, height + 1),
            "trims": Match.TRIM in match,
            "folds": Match.FOLD in match,
            "as_number": Match.NUMBER in match,
            "unit": literal(EXACT_UNIT),
        },
    )


def matches(spec: HierarchySpec) -> tuple[Match, ...]:
    """Return by what else than their text a hierarchy's entries are compared with values."""
    return spec.match if isinstance(spec, WITH_ENTRIES) else ()


def paths_from_rows(
    paths: exp.Table, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> Statement:
    """Write a hierarchy out: a value, then its levels; NULL where there is none."""
    levels = [name(text) for text in columns[1:]]
    return Statement(
        "hierarchies/paths_from_rows", {"paths": paths, "rows": _cells(rows), "levels": levels}
    )


def _cells(rows: Iterable[Sequence[object]]) -> list[list[exp.Expr | None]]:
    return [[None if cell is None else literal(str(cell)) for cell in row] for row in rows]


def text_table(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Create a table of texts: PostgreSQL's scratch table, or in a script for DuckDB one that is loaded by hand."""
    leaves = {"table": table, "columns": [name(c) for c in columns]}
    return Statement("hierarchies/text_table", leaves)


def paths_from_tree(paths: exp.Table, spec: TreeHierarchy) -> Statement:
    """Write out a hierarchy of the policy; short paths leave their last levels NULL."""
    columns = ["value", *(level(n) for n in range(1, spec.height + 1))]
    return paths_from_rows(paths, columns, _padded(spec))


def _padded(spec: TreeHierarchy) -> list[list[str | None]]:
    width = spec.height + 1
    return [[*path, *[None] * (width - len(path))] for path in spec.paths]


def tree_rows(spec: TreeHierarchy) -> list[list[exp.Expr | None]]:
    """Return the leaves of a hierarchy of the policy, a row each."""
    return _cells(_padded(spec))


def paths_by_rule(
    paths: exp.Table, domain_: exp.Table, spec: HierarchySpec, *, bounded: bool = False
) -> Statement:
    """Create every value's path by rule, from the values of the source.

    With `bounded`, values that have the same bounds have the same labels above their own level.
    """
    leaves_ = {"paths": paths, "domain": domain_, **_by_rule(spec, bounded=bounded)}
    return Statement("hierarchies/paths_by_rule", leaves_)


def paths_of_columns(
    source: exp.Table, names: Sequence[str], spec: HierarchySpec, *, bounded: bool = False
) -> Statement:
    """Select every value's path by rule, as a query over columns of a table that have one type."""
    columns = [column(each, of="s") for each in names]
    own = {"source": source, "columns": columns, "domain": table("kanon_domain")}
    leaves_ = {"paths": None, **own, **_by_rule(spec, bounded=bounded)}
    return Statement("hierarchies/paths_by_rule", leaves_)


def _by_rule(spec: HierarchySpec, *, bounded: bool) -> dict[str, object]:
    """Return the kind of a hierarchy by rule, with the leaves of its paths."""
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
        case CsvHierarchy() | TableHierarchy() | QueryHierarchy() | TreeHierarchy():
            raise InternalError(f"a {type(spec).__name__} has entries, and no rule")
        case _:
            assert_never(spec)
    return {"kind": kind, "root": literal(ROOT), "top": spec.height, **leaves_}


def _by_dates(spec: DateHierarchy) -> dict[str, object]:
    needed = {part for unit in spec.units for part in PARTS_OF[unit]}
    numbers = [
        {
            "part": part,
            "as": name(f"{part}_text"),
            "number": column(f"{part}_number"),
            "width": width,
            "most": 10**width - 1,
        }
        for part, width in CALENDAR.items()
        if part in needed
    ]
    return {"numbers": numbers, "units": [unit.value for unit in spec.units]}


def _by_mask(spec: MaskHierarchy) -> dict[str, object]:
    return {
        "length": spec.length,
        "root": literal(spec.character * spec.length),
        "levels": [
            {"kept": spec.length - masked, "mask": literal(spec.character * masked)}
            for masked in spec.masked[:-1]
        ],
    }


def _by_intervals(spec: IntervalHierarchy, *, bounded: bool) -> dict[str, object]:
    places = spec.scale
    unit = Decimal(10) ** places

    def scaled(number: Decimal | None) -> int | None:
        return None if number is None else int(EXACT.multiply(number, unit))

    def label(sign: str, number: Decimal | None) -> exp.Expr:
        return literal("" if number is None else f"{sign} {number:.{places}f}")

    return {
        "bounded": bounded,
        "unit": literal(int(unit)),
        "step": literal(Decimal(1).scaleb(-places)) if places else None,
        "places": places,
        "offset": scaled(spec.offset),
        "bottom": scaled(spec.bottom),
        "above": scaled(spec.top),
        "bottom_label": label("<", spec.bottom),
        "above_label": label(">=", spec.top),
        "widths": [scaled(width) for width in spec.widths],
    }


def entries(paths: exp.Table, height: int, most: int) -> Statement:
    """Read the entries of a hierarchy: each value with its labels, level by level."""
    leaves_ = {"paths": paths, "levels": range(1, height + 1), "most": most}
    return Statement("hierarchies/entries", leaves_)


def paths_complete(
    complete: exp.Table,
    paths: exp.Table,
    domain_: exp.Table,
    spec: HierarchySpec,
    height: int,
    *,
    rows: int = 0,
) -> Statement:
    """Complete the paths: one for NULL, the leaves under each label, short paths lifted."""
    return Statement(
        "hierarchies/paths_complete",
        {
            "complete": complete,
            "paths": paths,
            "domain": domain_,
            "has_entries": isinstance(spec, WITH_ENTRIES),
            "ragged": isinstance(spec, WITH_ENTRIES) and spec.ragged,
            "levels": range(1, height + 1),
            "bounds": [name(b) for b in bound_names(spec)],
            "many": rows > MANY_ROWS,
        },
    )


def survey_paths(paths: exp.Table, height: int) -> Statement:
    """Count the problems of a hierarchy, level by level."""
    leaves_ = {"paths": paths, "levels": list(range(1, height + 1))}
    return Statement("hierarchies/survey_paths", leaves_)


def survey_domain(domain_: exp.Table, paths: exp.Table, *, as_text: bool) -> Statement:
    """Count the values without an entry in the hierarchy."""
    leaves_ = {"domain": domain_, "paths": paths, "as_text": as_text}
    return Statement("hierarchies/survey_domain", leaves_)


def likely_entries(domain_: exp.Table, paths: exp.Table, quasi: str | None = None) -> Statement:
    """Count, of the values without an entry, those that would have one if texts were trimmed, folded, or numbers."""
    leaves_ = {
        "domain": domain_,
        "paths": paths,
        "quasi": None if quasi is None else literal(quasi),
        "unit": literal(EXACT_UNIT),
    }
    return Statement("hierarchies/likely_entries", leaves_)


def values_with_entry(
    table: exp.Table,
    domain_: exp.Table,
    paths: exp.Table,
    height: int,
    *,
    as_text: bool,
    nulls: bool,
) -> Statement:
    """Keep the values with an entry, and NULL if it is allowed; by rule, those with a root."""
    return Statement(
        "hierarchies/values_with_entry",
        {
            "entered": table,
            "domain": domain_,
            "paths": paths,
            "root": None if as_text else height,
            "as_text": as_text,
            "nulls": nulls,
        },
    )


def null_codes(codes: exp.Table, map_: exp.Table, keys: Sequence[str], height: int) -> Statement:
    """Look up the code of NULL in so many keys, and the levels at which its label is NULL, too."""
    return Statement(
        "hierarchies/null_codes",
        {
            "codes": codes,
            "map": map_,
            "keys": [column(key, of="c") for key in keys],
            "levels": range(1, height + 1),
        },
    )


def count_nulls(domain_: exp.Table) -> Statement:
    return Statement("hierarchies/count_nulls", {"domain": domain_})


def map_values(
    map_: exp.Table,
    domain_: exp.Table,
    paths: exp.Table,
    *,
    height: int,
    as_text: bool,
    by_bytes: bool = False,
    several_roots: bool = False,
    rows: int = 0,
) -> Statement:
    """Create the mapping table of one quasi-identifier; `by_bytes` siblings have the same order in every database."""
    return Statement(
        "hierarchies/map",
        {
            "map": map_,
            "domain": domain_,
            "paths": paths,
            "as_text": as_text,
            "levels": range(1, height + 1),
            "by_bytes": by_bytes,
            "several_roots": several_roots,
            "many": rows > MANY_ROWS,
            "large": LARGE_NODE,
            "keyed": "sql/hierarchies/part/siblings.sql.j2",
            "top": height,
            "ranked": range(height + several_roots),
            "ranges": RANGES,
        },
    )


def level_statistics(
    columns: Sequence[tuple[exp.Table, exp.Table, Hierarchy]], *, beyond_rows: bool = False
) -> Statement:
    """Describe every mapping table at every level; a column is its map, its complete paths and its hierarchy.

    Values `beyond_rows` are those of a population that no row of the source has.
    """
    described = [
        {
            "number": number,
            "map": map_,
            "paths": paths,
            "levels": range(hierarchy.height + 1),
            "several_roots": hierarchy.several_roots,
            "beyond_rows": beyond_rows,
        }
        for number, (map_, paths, hierarchy) in enumerate(columns)
    ]
    return Statement("hierarchies/level_statistics", {"columns": described})


def path_codes(
    table: exp.Table, map_: exp.Table, packing: Packing, quasi: int, *, view: bool = False
) -> Statement:
    """Write each value's path as bits of the packed keys; as a `view` of a mapping table that is one itself."""
    keys = [
        {"as": name(key), "parts": path_bits(packing, quasi, number)}
        for number, key in enumerate(packing.keys)
        if packing.uses(quasi, number)
    ]
    levels = range(1, packing.tops[quasi] + 1)
    leaves_ = {"codes": table, "map": map_, "keys": keys, "levels": levels}
    return Statement("hierarchies/path_codes", {**leaves_, "as_view": view})


def path_bits(packing: Packing, quasi: int, key: int) -> list[dict[str, int]]:
    """List the weight of each level's ordinal in one packed key."""
    return [
        {"level": segment.level, "weight": 1 << segment.shift}
        for segment in packing.segments
        if segment.quasi == quasi and segment.key == key
    ]
