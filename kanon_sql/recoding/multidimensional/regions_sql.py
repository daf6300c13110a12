"""Statements over the regions of a partition: their bounds and widths, their labels, and the runs of their ordered rows.

`region_cuts_sql.py` cuts the regions. A row's number along the line of its table determines its run. Several numbers
are packed into one, which engines compare, sort and join in place of many columns.
"""

from __future__ import annotations

from dataclasses import field, replace
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.hierarchies.entries import ROOT as HIERARCHY_ROOT
from kanon_sql.policy.hierarchies.order import EXACT_UNIT
from kanon_sql.policy.outputs import LABELS
from kanon_sql.policy.privacy.fitting_sql import ClassRows
from kanon_sql.policy.privacy.privacy_model import Distribution
from kanon_sql.policy.search_options import Choose, Width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from sqlglot import exp

    from kanon_sql.policy.model import Column
    from kanon_sql.policy.output import Output
    from kanon_sql.policy.privacy.fitting_sql import TableValues
    from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute


ROOT = 0
"""The region that all rows begin in."""
STEPS = 10
"""The number of steps at whose ends a boundary between two runs is tried, over all rows that could move it."""

FEW_STEPS, LARGE = 3, 250_000
"""The steps of a table of so many rows. Measured on a census of 1 million rows under a first policy: widths grow by 0.7
percent, and the grouping takes half of the time; ten steps would narrow them by less than a tenth against equal groups."""

POINTS = 16
"""A boundary is numbered by its block times this, plus its step: more than the steps, and one for none."""

LEAVES = 32
LEAST_RUNS, MOST_RUNS = 4, 50
"""A leaf has 4 to 50 runs, and so many that there are 32 leaves. Measured on Adult and on small tables: larger leaves let
C_DM fall further, and widths and the errors of COUNT queries rise, as one order of columns cannot keep all of them
narrow, and cannot part rare values."""
KEY = 2**53
"""The limit of a key of several numbers: below it, a database that divides by floating point is exact."""


@dataclass(frozen=True, slots=True)
class LineAxis:
    """An axis whose values stand in an order.

    Where measures are `even` they are the coordinates, so that the table's width is `last`; else widths are
    looked up in the axis's table, as shares of the span of all measures. Where coordinates are `units`,
    intervals are released by where these begin and end, and not by values; those of numbers are `half_open`.
    Where the column is of `floating` point, a number that is released by itself is, too.
    Where intervals are released as nodes, `nodes` has the labels above each coordinate, at `levels`.
    """

    tree: ClassVar = False

    table: exp.Table
    last: int
    even: bool
    weight: Decimal | None = None
    units: exp.Table | None = None
    half_open: bool = False
    floating: bool = False
    nodes: exp.Table | None = None
    levels: Sequence[int] = ()

    @property
    def length(self) -> int:
        """Return the table's width: the last coordinate, or 1 where all values share one."""
        return max(self.last, 1)

    @property
    def coordinates(self) -> int:
        """Count the coordinates that there may be, with that of NULL."""
        return self.last + 2


@dataclass(frozen=True, slots=True)
class TreeAxis:
    """An axis whose values are the leaves of a hierarchy.

    A coordinate keeps the bits of `masks[level]` at each level, and under the root (the last) none;
    `nodes` has the leaves of every node by its level and coordinate, as a share of all. Coordinates tell
    nothing apart below the level `least`, and no region is released above the level `most`, if there is one.
    A tree is `flat` where all values are below one label: a region is as wide as the axis, or has no width.
    """

    tree: ClassVar = True

    nodes: exp.Table
    masks: tuple[int, ...]
    weight: Decimal | None = None
    least: int = 0
    most: int | None = None
    flat: bool = False

    @property
    def coordinates(self) -> int:
        """Count the coordinates that there may be, and one more."""
        return self.masks[0] + 2

    @property
    def levels(self) -> list[tuple[int, int]]:
        """Number the levels from the least on, with the bits that each keeps."""
        return list(enumerate(self.masks))[self.least :]

    @property
    def allowed(self) -> list[tuple[int, int]]:
        """Number the levels that may be released."""
        return [each for each in self.levels if self.most is None or each[0] <= self.most]


Axis = LineAxis | TreeAxis


@dataclass(frozen=True)
class Regions:
    """What regions are cut by: the axes, in the policy's order, and what every region must reach.

    Cuts are chosen by the width of axes or by a score. By width a line is cut where the rows on both sides
    differ least, or next to the `median`; `relaxed` at half of its rows. Where rows are grouped into `runs` by their
    order, regions that are small enough for that are not cut further.
    """

    axes: tuple[Axis, ...]
    requirements: tuple[Requirement, ...]
    sensitive: tuple[SensitiveAttribute, ...] = ()
    entity: bool = False
    median: bool = False
    choose: Choose = Choose.WIDTH
    targeted: bool = False
    relaxed: bool = False
    runs: RunSizes | None = None
    width: Width = Width.VALUES
    values: tuple[int, ...] = ()
    """How many different values each axis has, where widths are shares of these."""
    smallest_cut: int = 0
    """The rows below which no region is cut, beside what follows from models and runs."""
    of_table: Mapping[SensitiveAttribute, TableValues] = field(default_factory=dict)
    """How often the whole table has each value, where models compare regions with it."""

    @property
    def overlapping(self) -> bool:
        """Whether regions may overlap, so that the coordinates of a row do not say in which it lies."""
        return self.relaxed or self.runs is not None

    @property
    def weighed(self) -> tuple[Requirement, ...]:
        """Give the requirements that weigh single values of a region."""
        return tuple(
            r for r in self.requirements if r.measure.distribution is not Distribution.NONE
        )

    @property
    def fewest(self) -> int:
        """Count the rows below which a region has no allowable cut: each side needs as many as any class.

        What is counted besides rows, as values or people, is never more than the rows.
        """
        bounds = [r.bound for r in self.requirements if r not in self.weighed]
        leaf = 0 if self.runs is None else self.runs.leaf
        return max(leaf + 1, 2 * max(bounds, default=1), self.smallest_cut)

    @property
    def whole(self) -> list[int]:
        """Number the axes that are cut in one way only: trees, and lines at half of their rows."""
        return list(range(len(self.axes))) if self.relaxed else self.trees

    @property
    def trees(self) -> list[int]:
        return [n for n, axis in enumerate(self.axes) if axis.tree]

    @property
    def by_rows(self) -> bool:
        """Whether all axes are lines, of which a strict cut is chosen among all, and rows alone are counted of its sides."""
        counted = any(r.measure.sensitive for r in self.requirements if r not in self.weighed)
        strict = not (self.trees or self.relaxed or self.median)
        return strict and not self.entity and not counted

    @property
    def cut_at_once(self) -> bool:
        """Whether regions are cut into branches with bounds by one statement."""
        return self.choose is Choose.LOSS and self.by_rows and self.width is not Width.DISTINCT

    @property
    def bounded(self) -> list[tuple[int, int]]:
        """Number the axes that are released no coarser than a level, with that level."""
        return [
            (n, axis.most)
            for n, axis in enumerate(self.axes)
            if isinstance(axis, TreeAxis) and axis.most is not None
        ]

    @property
    def carried(self) -> list[exp.Identifier]:
        """Name what goes with a tuple from region to region."""
        names = [f"place_{n}" for n in range(len(self.axes))]
        names += [f"spread_{n}" for n in range(len(self.sensitive))]
        names += ["entity"] if self.entity else []
        return [name(text) for text in (*names, *(["target"] if self.targeted else []))]

    @property
    def class_rows(self) -> ClassRows:
        """Locate what is counted of a region in the tuples."""
        return self.rows_of()

    def rows_of(self, alias: str | None = None) -> ClassRows:
        """Locate what is counted of classes in tuples, by an alias where another column could be called so."""
        of_tuples = tuple_rows(self.sensitive, entity=self.entity, alias=alias)
        return replace(of_tuples, of_table=lambda of, _: self.of_table[of])

    def survey(self, regions: exp.Table, working: exp.Table, *, keyed: bool = False) -> Statement:
        """Measure the open regions: rows, tight bounds, widths, and the widest axis of each.

        A region all of whose tuples have the same coordinates has no axis. A width is a share of the
        table's own, and 1 where NULL meets other values; on a tree it is the leaves of the lowest
        common ancestor as a share of all. As shares of different values widths are those that the region has.
        Where tuples are `keyed` by the line that they stand in, regions have the least and the greatest key.
        """
        leaves = {"regions": regions, "working": working, "boundaries": None}
        return Statement("multidimensional/regions", {**leaves, **self.measured, "keyed": keyed})

    def survey_again(self, regions: exp.Table, bounds: exp.Table) -> Statement:
        """Measure regions by their bounds, whatever their cuts were chosen by, as releases are compared."""
        leaves = {"regions": regions, "working": None, "boundaries": bounds}
        return Statement("multidimensional/regions", {**leaves, **self.as_released.measured})

    @property
    def as_released(self) -> Regions:
        """Measure widths as releases are compared, whatever cuts are chosen by."""
        return replace(self, width=Width.VALUES)

    @property
    def described(self) -> dict[str, object]:
        """Describe the axes to templates, with the numbers of those that are trees."""
        return {"axes": self.axes, "trees": self.trees}

    @property
    def measured(self) -> dict[str, object]:
        """Describe the axes to templates that measure widths; by ranks all lines are as even as ranks are."""
        by_ranks = self.width is Width.RANKS
        axes = [
            replace(axis, even=True) if by_ranks and isinstance(axis, LineAxis) else axis
            for axis in self.axes
        ]
        values = self.values if self.width is Width.DISTINCT else None
        described = {"axes": axes, "trees": self.trees, "values": values}
        return {**described, "narrow": {}, "keyed": False}

    def released(
        self,
        released: exp.Table,
        regions: exp.Table,
        labels: Sequence[RegionLabels],
        *,
        found: Mapping[int, exp.Table] | None = None,
        keyed: bool = False,
    ) -> Statement:
        """Return what each region is released as: labels, typed bounds or a value, with its widths and rows.

        `found` has the tables of the axes whose labels are found beforehand: centres, sets, nodes of lines.
        """
        known = found or {}
        return Statement(
            "multidimensional/released_regions",
            {
                "released": released,
                "regions": regions,
                "axes": self.axes,
                "labels": labels,
                "found": [known.get(n) for n in range(len(self.axes))],
                "root": literal(HIERARCHY_ROOT),
                "keyed": keyed,
            },
        )


def bounds_of(table: exp.Table, regions: exp.Table, axes: int) -> Statement:
    """Keep the bounds of regions and their rows."""
    leaves = {"bounds": table, "regions": regions, "axes": range(axes)}
    return Statement("multidimensional/bounds_of", leaves)


def tuple_rows(
    sensitive: Sequence[SensitiveAttribute], *, entity: bool, alias: str | None = None
) -> ClassRows:
    """Locate what is counted of classes in tuples, where values have codes."""
    return ClassRows(
        column("entity", of=alias) if entity else None,
        lambda of: column(f"spread_{sensitive.index(of)}", of=alias),
        coded=True,
        alias=None if alias is None else name(alias),
    )


@dataclass(frozen=True, slots=True)
class RegionLabels:
    """How regions are released on the axis of a `number`: by a label, by two typed bounds, or by what their rows determine."""

    number: int
    output: Output

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the axis."""
        return tuple(f"{part}_of_{self.number}" for part in self.output.parts)

    @property
    def hashed(self) -> tuple[str, ...]:
        """The columns that a plan's hash is of."""
        parts = self.output.hashed_parts or self.output.parts
        return tuple(f"{part}_of_{self.number}" for part in parts)

    @property
    def kind(self) -> str:
        """The first of its columns, by which a template tells labels, bounds, values and centres apart."""
        return self.output.parts[0]

    @property
    def bounds(self) -> bool:
        """Whether it is two typed columns."""
        return self.output.bounded

    @property
    def without_rows(self) -> RegionLabels:
        """The labels of its bounds, where what it releases follows from rows and not from bounds."""
        return replace(self, output=LABELS) if self.output.is_of_rows else self


@dataclass(frozen=True, slots=True)
class ReleasedValues:
    """The values of an axis as they are released by themselves: of a line or of a tree, each at its coordinate.

    `table` maps values to coordinates; where there are `units`, or `nodes` at a level `least`, these stand for
    the values.
    """

    axis: Axis
    table: exp.Table
    number: int

    @property
    def leaves(self) -> dict[str, object]:
        """Give what templates read of them."""
        axis = self.axis
        leaves = {"number": self.number, "axis": self.table}
        if isinstance(axis, LineAxis):
            of_line = {"units": axis.units, "half_open": axis.half_open}
            of_line |= {"floating": axis.floating}
            return {**leaves, **of_line, "nodes": None, "level": 0}
        of_tree = {"nodes": axis.nodes if axis.least else None, "level": axis.least}
        return {**leaves, **of_tree, "units": None, "half_open": False, "floating": False}

    def cells(
        self, found: exp.Table, tuples: exp.Table, of: Column, named: Callable[[str], exp.Table]
    ) -> Iterator[Statement]:
        """Yield the statements of what each region is released as, of a column whose output follows from its rows."""
        for template, own in of.output.steps(found, of, tree=self.axis.tree, named=named):
            yield Statement(template, {"tuples": tuples, **self.leaves, **own})


def nodes_of_lines(table: exp.Table, regions: exp.Table, line: LineAxis, number: int) -> Statement:
    """Find the lowest node of its hierarchy that covers each region on a line."""
    leaves = {"table": table, "regions": regions, "nodes": line.nodes, "number": number}
    root = literal(HIERARCHY_ROOT)
    return Statement(
        "multidimensional/cuts/nodes_of_lines", {**leaves, "levels": line.levels, "root": root}
    )


def totals(released: exp.Table, labels: Sequence[RegionLabels]) -> Statement:
    """Count the equivalence classes of a release over some columns: classes, and the smallest."""
    leaves = {"released": released, "labels": _columns(labels)}
    return Statement("multidimensional/released_totals", leaves)


def widths(released: exp.Table, labels: Sequence[RegionLabels]) -> Statement:
    """Sum the widths of all rows of a release, axis by axis."""
    return Statement("multidimensional/released_widths", {"released": released, "axes": labels})


def class_widths(
    classes: exp.Table,
    tuples: exp.Table,
    released: exp.Table,
    labels: Sequence[RegionLabels],
    columns: Sequence[tuple[Axis, exp.Table, str | None]],
) -> Statement:
    """Create the table of what each class covers of each column: by its tuples where cells follow from its rows.

    `columns` are axes, each with the table of its values and the kind of order that these are measured by.
    """
    described = [
        {
            "number": n,
            "of_rows": label.output.is_of_class,
            "axis": axis,
            "order": order,
            "line": not of.tree,
        }
        for n, (label, (of, axis, order)) in enumerate(zip(labels, columns, strict=True))
    ]
    leaves = {"classes": classes, "tuples": tuples, "released": released}
    more = {"labels": _columns(labels), "axes": described, "unit": literal(EXACT_UNIT)}
    lines = [each["number"] for each in described if each["of_rows"] and each["line"]]
    return Statement("multidimensional/class_widths", {**leaves, **more, "lines": lines})


def smallest(tuples: exp.Table, released: exp.Table, labels: Sequence[RegionLabels]) -> Statement:
    """Count the entities of the smallest equivalence class of a release."""
    leaves = {"tuples": tuples, "released": released, "labels": _columns(labels)}
    return Statement("multidimensional/smallest_released", leaves)


def class_sizes(
    tuples: exp.Table | None, released: exp.Table, labels: Sequence[RegionLabels]
) -> Statement:
    """Count the equivalence classes of each size, their rows and these squared; sizes in entities where there are tuples."""
    leaves = {"tuples": tuples, "released": released, "labels": _columns(labels)}
    return Statement("multidimensional/class_sizes", leaves)


def _columns(labels: Sequence[RegionLabels]) -> list[exp.Identifier]:
    return [name(text) for each in labels for text in each.names]


def leaf_rows(least: int, rows: int) -> int:
    """Return the most rows of a leaf of a table of `rows` rows, where a run has at least `least`.

    >>> [leaf_rows(k, 30_000) for k in (2, 5, 10, 25, 50, 100, 1000)]
    [100, 250, 500, 937, 937, 937, 4000]
    """
    return max(LEAST_RUNS * least, min(MOST_RUNS * least, rows // LEAVES))


@dataclass(frozen=True, slots=True)
class RunSizes:
    """The sizes by which rows are grouped in their order: into runs of at least `least` rows.

    Regions of at most `leaf` rows are ordered, each alone; with `one_sort` the table is not cut before. With
    `least_loss` a leaf is cut into the runs of least loss, else into equal ones.
    """

    least: int
    least_loss: bool
    rows: int
    """The rows of the whole table."""
    one_sort: bool = False

    @property
    def steps(self) -> int | None:
        """The steps at whose ends runs of least loss may end; None for equal ones."""
        if not self.least_loss:
            return None
        return STEPS if self.rows < LARGE else FEW_STEPS

    @property
    def leaf(self) -> int:
        return leaf_rows(self.least, self.rows)


def keys_of(radixes: Sequence[int]) -> list[list[int]]:
    """Group numbers into few keys that hold them, by how many values each may have; return positions.

    >>> keys_of([7, 5, 2]), keys_of([2**30, 2**30, 3])
    ([[0, 1, 2]], [[0], [1, 2]])
    """
    keys: list[list[int]] = []
    size = KEY
    for position, radix in enumerate(radixes):
        if size * radix >= KEY:
            keys.append([])
            size = 1
        keys[-1].append(position)
        size *= radix
    return keys


@dataclass(frozen=True, slots=True)
class Packed:
    """A key of several numbers, each with its radix: how many values it may have."""

    parts: tuple[Mapping[str, object], ...]

    @classmethod
    def keys(cls, numbers: Sequence[exp.Column], axes: Sequence[Axis] | None) -> list[Packed]:
        """Pack the coordinates of a tuple, in the order of the axes; without axes, each is a key of its own."""
        radixes = [KEY if axes is None else axes[n].coordinates for n, _ in enumerate(numbers)]
        return [
            cls(tuple({"number": numbers[n], "radix": radixes[n]} for n in key))
            for key in keys_of(radixes)
        ]

    @classmethod
    def bits(cls, numbers: Sequence[exp.Column], axes: Sequence[Axis]) -> list[Packed]:
        """Pack coordinates by whole bits: they are extracted from the key without a remainder, which is slow."""
        radixes = [1 << (axis.coordinates - 1).bit_length() for axis in axes]
        return [
            cls(tuple({"number": numbers[n], "radix": radixes[n]} for n in key))
            for key in keys_of(radixes)
        ]

    def unpacked(self, key: exp.Column) -> list[dict[str, object]]:
        """Return the leaves of an expression for each number that extracts it from a key of bits; NULL is -1."""
        if len(self.parts) == 1:
            return [{"packed": key, "offset": None, "below": None, "bits": None}]
        radixes = [int(str(part["radix"])) for part in self.parts]
        below = [prod(radixes[n + 1 :]) for n in range(len(radixes))]
        # The offset adds 1 to each number, as the -1 of NULL would borrow from the next one.
        return [
            {"packed": key, "offset": sum(below), "below": each, "bits": each * (radix - 1)}
            for each, radix in zip(below, radixes, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class LineOrder:
    """The order of a line: the axes `given`, first to last, and their numbers of values (`radixes`).

    An axis whose values are consecutive has its `least` one here; values of the others are looked up in `ranks`.
    """

    axes: Sequence[Axis]
    given: Sequence[int]
    radixes: Sequence[int]
    least: Mapping[int, int]
    ranks: exp.Table


@dataclass(frozen=True, slots=True)
class LineCut:
    """Equal parts of a line: the last have `narrow` rows each, the first one row more, `in_wide` in all."""

    narrow: int
    in_wide: int

    @classmethod
    def of(cls, rows: int, least: int) -> LineCut:
        """Cut a line into as many parts of at least `least` rows as there can be.

        >>> LineCut.of(47, 10), LineCut.of(40, 10), LineCut.of(7, 10)
        (LineCut(narrow=11, in_wide=36), LineCut(narrow=10, in_wide=0), LineCut(narrow=7, in_wide=0))
        """
        parts = max(rows // least, 1)
        narrow, wide = divmod(rows, parts)
        return cls(narrow, wide * (narrow + 1))


@dataclass(frozen=True, slots=True)
class LinedRows:
    """The order and the parts of a line, by which rows find their run, and the runs `filled` by one tuple.

    Where `rows` were sorted already they have these `carried` columns of the source.
    """

    order: LineOrder
    cut: LineCut
    filled: exp.Table
    rows: exp.Table | None = None
    carried: tuple[str, ...] = ()

    def holds(self, entries: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether rows were sorted with all that a statement releases beside their regions."""
        released = [each for each in entries if each["carried"]]
        plain = all(each["kind"] == "plain" for each in released)
        return (
            self.rows is not None
            and plain
            and {e["from"].name for e in released} <= {*self.carried}
        )

    def read(self, entry: Mapping[str, Any]) -> dict[str, object]:
        """Say where a column of the source stands in sorted rows."""
        if not entry["carried"]:
            return {}
        own = entry["from"]
        return {"from": column(f"carried_{self.carried.index(own.name)}", of="s"), "own": own}
