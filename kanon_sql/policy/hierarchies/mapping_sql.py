"""Statements that turn a column's hierarchy into tables, and the layout of the keys that levels are packed into."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.capabilities import KEY_BITS
from kanon_sql.policy.hierarchies.entries import Match
from kanon_sql.policy.hierarchies.order import EXACT_UNIT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.hierarchies.entries import HierarchyKind
    from kanon_sql.policy.hierarchies.specs import Hierarchy
    from kanon_sql.policy.metrics.node import Node


@dataclass(frozen=True, slots=True)
class Segment:
    """The bits that distinguish the labels of one level beneath their parent."""

    quasi: int
    level: int
    key: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        return ((1 << self.bits) - 1) << self.shift


@dataclass(frozen=True)
class Packing:
    """The layout of the keys.

    A level's bits number a label among its parent's children, so its bits and those of all levels above are the label's
    path. Clearing the bits of finer levels generalizes: the k-check of a node is a GROUP BY of `key & mask`. The bits
    of one hierarchy may lie in two keys.

    >>> from kanon_sql.policy.metrics.node import Node
    >>> packing = Packing.of([[1, 0], [3, 1, 0]])
    >>> [(s.quasi, s.level, s.bits) for s in packing.segments]
    [(0, 0, 1), (1, 1, 1), (1, 0, 2)]
    >>> [bin(mask)[:6] for mask in packing.masks(Node((0, 1)))]
    ['0b1100']
    """

    tops: tuple[int, ...]
    segments: tuple[Segment, ...]

    @classmethod
    def of(cls, last_siblings: Sequence[Sequence[int]], key_bits: int = KEY_BITS) -> Packing:
        """Lay out the keys. `last_siblings[column][level]` is the greatest number of a child.

        A key has at most `key_bits` bits, unless a single level takes more. The levels next to the roots, of all
        columns, take the highest bits of the first key: in a frequency set ordered by its keys, the rows of a coarse
        class then lie together.
        """
        inner = [
            (len(levels) - level, quasi, level, last.bit_length())
            for quasi, levels in enumerate(last_siblings)
            for level, last in enumerate(levels)
            if last
        ]
        segments: list[Segment] = []
        key, room = 0, key_bits
        for _, quasi, level, bits in sorted(inner):
            if bits > room:
                key, room = key + bool(segments), max(key_bits, bits)
            room -= bits
            segments.append(Segment(quasi, level, key, room, bits))
        tops = tuple(len(levels) - 1 for levels in last_siblings)
        return cls(tops, tuple(segments))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys, at least one."""
        last = max((segment.key for segment in self.segments), default=0)
        return tuple(f"key_{number + 1}" for number in range(last + 1))

    def leading(self, nodes: Iterable[Node]) -> Packing:
        """Return the layout without the last keys in which no node keeps a bit: they distinguish no class.

        >>> from kanon_sql.policy.metrics.node import Node
        >>> packing = Packing.of([[1, 0], [3, 1, 0]], key_bits=2)
        >>> packing.keys, packing.leading([Node((2, 1))]).keys, packing.leading([Node((0, 0))]).keys
        (('key_1', 'key_2'), ('key_1',), ('key_1', 'key_2'))
        """
        used = {n for node in nodes for n, mask in enumerate(self.masks(node), start=1) if mask}
        count = max(used, default=1)
        if count >= len(self.keys):
            return self
        if count not in self._leading:
            kept = tuple(each for each in self.segments if each.key < count)
            self._leading[count] = Packing(self.tops, kept)
        return self._leading[count]

    @cached_property
    def _leading(self) -> dict[int, Packing]:
        """The layouts that `leading` has made, by their number of keys."""
        return {}

    def uses(self, quasi: int, key: int) -> bool:
        return any(s.quasi == quasi and s.key == key for s in self.segments)

    @cached_property
    def _masks(self) -> dict[tuple[int, int], tuple[int, ...]]:
        found = {}
        for quasi, top in enumerate(self.tops):
            for level in range(top + 2):  # above several roots is a level that keeps nothing
                mask = [0] * len(self.keys)
                for s in self.segments:
                    if s.quasi == quasi and s.level >= level:
                        mask[s.key] |= s.mask
                found[quasi, level] = tuple(mask)
        return found

    def column_masks(self, quasi: int, level: int) -> tuple[int, ...]:
        """Return the bits that one column keeps at one level, as one mask for each key."""
        return self._masks[quasi, level]

    def masks(self, node: Node) -> tuple[int, ...]:
        """Return the bits that a node keeps, as one mask for each key."""
        kept = [0] * len(self.keys)
        for quasi, level in enumerate(node.levels):
            for key, mask in enumerate(self._masks[quasi, level]):
                kept[key] |= mask
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class NullCode:
    """The code of NULL in one column, a number for each key, and the levels at which NULL stays NULL."""

    codes: tuple[int, ...]
    levels: frozenset[int]


MANY_ROWS = 10_000_000
"""The number of rows above which distinct values may be too many for one task of a cluster to rank."""
LARGE_NODE = 65_536
"""The number of leaves from which on several tasks of a cluster number the children of a node."""
RANGES = 64
"""The number of tasks of a cluster that rank many values in their order."""


def level(number: int) -> str:
    """Name the column of one level's labels, as the templates do."""
    return f"level_{number}"


def leaf_count(number: int) -> str:
    """Name the column that counts the leaves under one level's labels."""
    return f"leaves_{number}"


def bound_names(kind: HierarchyKind | None) -> list[str]:
    """Name the columns of a hierarchy's bounds, level by level."""
    numbers = range(0) if kind is None else kind.bounded_levels
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
    return Statement("hierarchies/domains/domain", {"domain": table, **leaves}, scans=rows)


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
    """Assign numbers to the distinct values of a column, in the database's order.

    With `by_bytes` all databases number them alike; `order` is another order. NULL has no number unless `counts_null`.
    """
    return Statement(
        "hierarchies/domains/domain_codes",
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
        "hierarchies/paths/paths_from_csv", {"paths": paths, **csv_file(path, delimiter, height)}
    )


def csv_file(path: str, delimiter: str, height: int) -> dict[str, object]:
    """Return the leaves by which a statement reads a hierarchy file."""
    labels = [{"text": literal(level(n))} for n in range(1, height + 1)]
    return {"path": literal(path), "delimiter": literal(delimiter), "labels": labels}


def paths_from_table(paths: exp.Table, origin: exp.Table, columns: Sequence[str]) -> Statement:
    """Read a hierarchy from a table whose first column is the value."""
    value, *labels = map(column, columns)
    leaves_ = {"paths": paths, "origin": origin, "value": value, "labels": labels}
    return Statement("hierarchies/paths/paths_from_table", leaves_)


def matched_paths(
    paths: exp.Table,
    entries: exp.Table,
    domain_: exp.Table,
    match: Collection[Match],
    height: int,
) -> Statement:
    """Create the paths of a column's values from entries that match them by trimming, case or number."""
    return Statement(
        "hierarchies/paths/matched_paths",
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


def paths_from_rows(
    paths: exp.Table, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> Statement:
    """Create the paths from literal rows: a value, then its labels by level; NULL for a missing label."""
    levels = [name(text) for text in columns[1:]]
    return Statement(
        "hierarchies/paths/paths_from_rows", {"paths": paths, "rows": cells(rows), "levels": levels}
    )


def cells(rows: Iterable[Sequence[object]]) -> list[list[exp.Expr | None]]:
    """Return entries as rows of literals, which print as text; None stays None."""
    return [[None if cell is None else literal(str(cell)) for cell in row] for row in rows]


MOST_WHOLE = 10**15 - 1
"""The greatest number that lies in an interval."""


def paths_by_rule(
    paths: exp.Table,
    domain_: exp.Table,
    kind: HierarchyKind,
    *,
    bounded: bool = False,
    whole: bool = False,
) -> Statement:
    """Create every value's path by rule, from the values of the source.

    With `bounded`, values that have the same bounds have the same labels above their own level. Where values are of a type
    of `whole` numbers, intervals of such are calculated without reading texts.
    """
    leaves_ = {"paths": paths, "domain": domain_, **_by_rule(kind, bounded=bounded)}
    if whole and kind.whole_numbers:
        leaves_["whole"] = MOST_WHOLE
    return Statement("hierarchies/paths/paths_by_rule", leaves_)


def paths_of_columns(
    source: exp.Table, names: Sequence[str], kind: HierarchyKind, *, bounded: bool = False
) -> Statement:
    """Select every value's path by rule, as a query over columns of a table, all of one type."""
    columns = [column(each, of="s") for each in names]
    own = {"source": source, "columns": columns, "domain": table("kanon_domain")}
    leaves_ = {"paths": None, **own, **_by_rule(kind, bounded=bounded)}
    return Statement("hierarchies/paths/paths_by_rule", leaves_)


def _by_rule(kind: HierarchyKind, *, bounded: bool) -> dict[str, object]:
    """Return the leaves of a hierarchy's rule, and the template fragment that makes its paths."""
    own = {"part": kind.part, "root": literal(kind.root), "top": kind.height, "whole": None}
    return {**own, **kind.leaves(bounded=bounded)}


def entries(paths: exp.Table, height: int, most: int) -> Statement:
    """Read the entries of a hierarchy: each value with its labels, level by level."""
    leaves_ = {"paths": paths, "levels": range(1, height + 1), "most": most}
    return Statement("hierarchies/entries", leaves_)


RANGE = "(-?[0-9]+([.][0-9]+)?) *(-|\u2013|to|[.][.]|,|;) *(-?[0-9]+([.][0-9]+)?)"
"""The two numbers of a label that names a range, without its brackets."""


def false_labels(paths: exp.Table, height: int) -> Statement:
    """Count, level by level, the values outside the range of numbers that their label names."""
    leaves_ = {"paths": paths, "levels": range(1, height + 1)}
    return Statement(
        "hierarchies/false_labels", {**leaves_, "ends": literal(RANGE), "unit": literal(10**6)}
    )


def paths_complete(
    complete: exp.Table,
    paths: exp.Table,
    domain_: exp.Table,
    kind: HierarchyKind,
    height: int,
    *,
    rows: int = 0,
) -> Statement:
    """Complete the paths: add one for NULL, lengthen short ones if ragged, count leaves under each label."""
    return Statement(
        "hierarchies/paths/paths_complete",
        {
            "complete": complete,
            "paths": paths,
            "domain": domain_,
            "has_entries": kind.has_entries,
            "ragged": kind.ragged,
            "levels": range(1, height + 1),
            "bounds": [name(b) for b in bound_names(kind)],
            "many": rows > MANY_ROWS,
        },
    )


def survey_paths(paths: exp.Table, height: int) -> Statement:
    """Count at each level of a hierarchy: entries, labels, pairs of label and parent, missing labels."""
    leaves_ = {"paths": paths, "levels": list(range(1, height + 1))}
    return Statement("hierarchies/paths/survey_paths", leaves_)


def survey_domain(domain_: exp.Table, paths: exp.Table, *, as_text: bool) -> Statement:
    """Count a column's values, NULLs, values without an entry with their rows, and the rows with NULL."""
    leaves_ = {"domain": domain_, "paths": paths, "as_text": as_text}
    return Statement("hierarchies/domains/survey_domain", leaves_)


def likely_entries(domain_: exp.Table, paths: exp.Table, quasi: str | None = None) -> Statement:
    """Count the values without an entry, and those with one if trimmed, if case-folded too, if numbers."""
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
    """Keep the values of a domain that have an entry, or by rule a root label; and NULL if `nulls`."""
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
    """Look up the code of NULL in each key, and whether its label at each level is not NULL (1 or 0)."""
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
    """Create the mapping table of a quasi-identifier; with `by_bytes` all databases order siblings alike."""
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
    """Return the statistics of every level of every column: (mapping table, complete paths, hierarchy).

    With `beyond_rows` maps also have values of a population that no row of the source has.
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
    """Map each value to its path as bits of the packed keys; as a `view` if the mapping table is one."""
    keys = [
        {"as": name(key), "parts": path_bits(packing, quasi, number)}
        for number, key in enumerate(packing.keys)
        if packing.uses(quasi, number)
    ]
    levels = range(1, packing.tops[quasi] + 1)
    leaves_ = {"codes": table, "map": map_, "keys": keys, "levels": levels}
    return Statement("hierarchies/paths/path_codes", {**leaves_, "as_view": view})


def path_bits(packing: Packing, quasi: int, key: int) -> list[dict[str, int]]:
    """List the weight of each level's ordinal in one packed key."""
    return [
        {"level": segment.level, "weight": 1 << segment.shift}
        for segment in packing.segments
        if segment.quasi == quasi and segment.key == key
    ]
