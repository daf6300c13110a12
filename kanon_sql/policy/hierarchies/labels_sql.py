"""Statements of the labels under which a quasi-identifier is released: at one level, or at several."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.mapping_sql import level
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import ClassPopulation, ClassRows, TableValues, ValueNodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.model import Column
    from kanon_sql.policy.privacy.privacy_model import Requirement

MOVED = "m"
"""The alias of the table with the node of each class that is not released at the first node."""


@dataclass(frozen=True, slots=True)
class Released:
    """One quasi-identifier at its chosen level, and the table that maps its values to their labels there.

    `others` are further levels at which some classes are released; the map then has the labels
    of each level, and a number for each label. Its values are `exact` if they are whole numbers: only these have the
    type of the bounds of other rows; otherwise values and bounds in one column both become text.
    Labels are numbered in the order of the database or, with `by_bytes`, in an order that all databases share. Without
    `nulls` no value in its table is NULL, which only the run that reads the rows knows.
    """

    column: Column
    level: int
    height: int
    table: exp.Table
    others: tuple[int, ...] = ()
    exact: bool = True
    by_bytes: bool = False
    nulls: bool = True

    @property
    def bounds(self) -> bool:
        """Whether it is released as the bounds of intervals, in two typed columns."""
        return self.column.output.bounded

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns in the release."""
        return self.column.released_as

    @property
    def levels(self) -> tuple[int, ...]:
        """All levels at which it is released, the finest first."""
        return tuple(sorted({self.level, *self.others}))

    def part(self, kind: str, at: int) -> str:
        """Name the column of the map that has the label, its number (code), or a bound at one level."""
        return f"{kind}_{at}" if self.others else kind

    @property
    def code(self) -> str:
        return self.part("code", self.levels[0])


@dataclass(frozen=True, slots=True)
class ReleasedRegions(Released):
    """One quasi-identifier released as regions. `boundaries` are the columns of a row's region boundaries.

    Its table maps each value to its place, by which the region of a row is looked up.
    """

    boundaries: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        return "place"


def class_code(quasi: int, released: Released, at: int) -> str:
    """Name the column that distinguishes classes by the label of a quasi-identifier at a level.

    At the finest level of several, the name is the same as with a single level.
    """
    return f"class_{quasi}" if at == released.levels[0] else f"class_{quasi}_{at}"


def release_map(
    released: Released, domain: exp.Table, paths: exp.Table, *, rows: int = 0
) -> Statement:
    """Create the map of a column: each value's label and the label's number, at each released level."""
    labels, bounds, codes = [], [], []
    for at in released.levels:
        label = name(level(at)) if at else name("value")
        if at or not released.others:
            labels.append({"from": label, "as": name(released.part("label", at))})
        codes.append(
            {
                "from": label,
                "as": name(released.part("code", at)),
                "by_bytes": column(label.name, of="p") if released.by_bytes else None,
                "label": column(label.name, of="p"),
            }
        )
        if released.bounds and at:
            output = released.column.output
            found = zip(output.parts, output.level_columns(at, released.height), strict=False)
            bounds += [{"from": name(of), "as": name(released.part(end, at))} for end, of in found]
    return Statement(
        "hierarchies/release_map",
        {
            "released": released.table,
            "domain": domain,
            "paths": paths,
            "as_text": released.column.has_entries,
            "labels": labels,
            "bounds": bounds,
            "codes": codes,
            "many": rows > mapping_sql.MANY_ROWS,
            "keyed": "sql/hierarchies/part/keyed_labels.sql.j2",
            "ranges": mapping_sql.RANGES,
        },
    )


def joins(released: Sequence[Released]) -> dict[str, object]:
    """Return the leaves that join each column's map to the source, and the codes of the finest classes."""
    return {
        "joins": [
            {
                "table": r.table,
                "alias": name(f"q{i}"),
                "column": column(r.column.name, of="s"),
                "value": column("value", of=f"q{i}"),
                "nulls": r.nulls,
            }
            for i, r in enumerate(released)
        ],
        "codes": class_codes(released),
    }


def class_codes(released: Sequence[Released]) -> list[dict[str, object]]:
    """Return the leaves of the codes that distinguish the finest classes, read from the joined maps."""
    return [
        {"from": column(r.code, of=f"q{i}"), "as": name(f"class_{i}")}
        for i, r in enumerate(released)
    ]


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows of a source with the labels of their release, and the requirements that count the classes.

    A `population` that they are compared with is counted by the same classes. If rows were left out of `source`,
    `all_rows` is the source with them. With `marks_null` a class has a 1 for each column whose label is NULL, else a 0.
    """

    source: exp.Table
    released: Sequence[Released]
    needed: Sequence[Requirement]
    entity: str | None
    rows: int = 0
    population: ClassPopulation | None = None
    nodes: Mapping[str, ValueNodes] = field(default_factory=dict)
    all_rows: exp.Table | None = None
    marks_null: bool = False

    @property
    def groups(self) -> list[exp.Expr]:
        """The numbers of the columns that distinguish classes, for GROUP BY."""
        return [literal(n + 1) for n in range(len(self.released))]

    def classes(self, table: exp.Table) -> Statement:
        """Create the table of all classes at the finest levels, with columns that privacy models count."""
        sensitive = sensitive_attributes(self.needed)
        columns = len(self.released) + len(sensitive) + (self.entity is not None)
        return Statement(
            "recoding/classes",
            {
                "classes": table,
                "source": self.source,
                **joins(self.released),
                "coarser": [
                    {
                        "from": column(r.part("code", at), of=f"q{i}"),
                        "as": name(class_code(i, r, at)),
                    }
                    for i, r in enumerate(self.released)
                    for at in r.levels[1:]
                ],
                "sensitive": [
                    {"from": column(each.column, of="s"), "as": name(f"spread_{n}")}
                    for n, each in enumerate(sensitive)
                ],
                "nulls": [
                    {"from": column(r.part("label", r.level), of=f"q{i}"), "as": name(f"null_{i}")}
                    for i, r in enumerate(self.released)
                    if self.marks_null
                ],
                "entity": None if self.entity is None else column(self.entity, of="s"),
                "groups": [literal(n + 1) for n in range(columns)],
            },
            scans=self.rows,
        )

    @property
    def class_rows(self) -> ClassRows:
        """The columns to count of each class in the table of `classes`, and of all rows in the source."""
        sensitive = sensitive_attributes(self.needed)
        return ClassRows(
            None if self.entity is None else name("entity"),
            lambda of: name(f"spread_{sensitive.index(of)}"),
            of_table=lambda of, _: TableValues(
                self.all_rows or self.source,
                column(of.column, of="t"),
                nodes=self.nodes.get(of.column) if of.in_tree else None,
                entity=None if self.entity is None else column(self.entity, of="t"),
            ),
            population=self.population,
        )


def quasi_columns(released: Released, at: int, own: exp.Column) -> list[dict[str, object]]:
    """Return the leaves of a quasi-identifier's released columns: label or bounds, at each row's level."""
    if isinstance(released, ReleasedRegions):
        pairs = zip(released.boundaries, released.names, strict=True)
        return [{"from": column(s, of=MOVED), "as": name(n), "kind": "plain"} for s, n in pairs]
    if released.column.output.is_of_rows:
        raise InternalError(f"{released.column.output} follows from the rows of a class")
    if released.others:
        return _chosen_columns(released, at)
    parts = released.column.output.parts
    if released.level == 0:
        # One value replaces all that the database compares as equal: their spellings would distinguish rows of a class.
        parts = ("value",) * len(parts)
    elif released.bounds and released.level == released.height:
        return [{"from": own, "as": name(n), "kind": "null"} for n in released.names]
    ends = zip(released.names, parts, strict=True)
    return [{"from": column(e, of=f"q{at}"), "as": name(n), "kind": "plain"} for n, e in ends]


def _chosen_columns(released: Released, at: int) -> list[dict[str, object]]:
    """Return columns that depend on the level of a row's class. Values become text beside labels."""
    columns: list[dict[str, object]] = []
    for text, kind in zip(released.names, released.column.output.parts, strict=True):
        cases = [
            {"level": literal(n), **_at_level(released, at, n, kind)}
            for n in released.levels
            if n != released.level
        ]
        columns.append(
            {
                "as": name(text),
                "kind": "chosen",
                "level": column(f"level_{at}", of=MOVED),
                "cases": cases,
                "otherwise": _at_level(released, at, released.level, kind),
            }
        )
    return columns


def _at_level(released: Released, at: int, level_: int, kind: str) -> dict[str, object]:
    mixed = 0 in released.levels and not (released.bounds and released.exact)
    if level_ == 0:
        return {"from": column("value", of=f"q{at}"), "as_text": mixed}
    if released.bounds and level_ == released.height:
        return {"from": None, "as_text": False}
    source = column(released.part(kind, level_), of=f"q{at}")
    return {"from": source, "as_text": mixed and released.bounds}
