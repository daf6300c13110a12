"""The kinds of recoding as dataclasses: a closed union, with the form of each in a plan's document.

A recoding releases each row at a node, in a region, or in an interval of each column, or suppresses the row.
Its class answers what needs no SQL, its recoder in `recoding/recode.py` the rest; nobody else asks which recoding it is.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.base.documents.keys import Keyed
from kanon_sql.base.documents.records import Given, Key, Record
from kanon_sql.base.documents.shapes import Several, Whole, check
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError
from kanon_sql.policy.metrics.node import CELLS, HEIGHTS, LEVELS, ByColumn, ColumnNumber, Node
from kanon_sql.policy.metrics.statistics import ReleasedNode  # noqa: TC001  the records are read by their types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self


@dataclass(frozen=True, slots=True)
class Outliers:
    """A combination of columns with values rarer than k: how many, and in how many rows."""

    columns: Annotated[tuple[int, ...], Several(ColumnNumber(), alone=False)]
    values: int
    rows: int


@dataclass(frozen=True, slots=True)
class SuppressedCells:
    """Counts of mu-Argus's local suppression.

    `tested` counts combinations of columns. In each of the `rounds`, each class lost the column that is in most of its
    remaining outliers. `rows` counts the rows with a suppressed cell by column, `released` the released among them.
    """

    tested: int
    outliers: tuple[Outliers, ...]
    rounds: int
    rows: Annotated[tuple[int, ...], Key("blanked"), CELLS]
    released: Annotated[tuple[int, ...], CELLS]

    def __post_init__(self) -> None:
        rounds = self.rounds <= len(self.rows) and bool(self.rounds) == bool(self.outliers)
        check(("rounds", rounds, "must be 0 without outliers, and at most one for each column"))


class Way(Enum):
    """The ways to execute a release that some recodings cannot take; `release/executors.py` has the reasons.

    A table, files, and a script of the own engine take every recoding.
    """

    NEW_ROWS = auto()
    ADDED_PARTITIONS = auto()
    VIEW = auto()
    SCRIPT_ELSEWHERE = auto()
    ONE_STATEMENT = auto()
    DBT_MODEL = auto()
    DBT_INCREMENTS = auto()


class _Recoding:
    """The defaults of all recodings.

    Each recoding itself states a `phrase` on the rows that it releases, for messages; the `ways` to execute its release;
    and why a value has `many_labels`, which is empty if all rows with a value have one label.
    """

    __slots__ = ()

    phrase: ClassVar[str]
    ways: ClassVar[frozenset[Way]]
    many_labels: ClassVar[str]
    enforces_least: ClassVar[bool] = False
    """True if a number of rows must be suppressed, so that a class is suppressed although it fits."""
    of_the_table: ClassVar[bool] = False
    """True if classes that fit are suppressed for models of the table as a whole, which the policy must then have."""
    in_regions: ClassVar[bool] = False
    """True if rows are released in regions, which all columns of a row determine together."""
    has_boundaries: ClassVar[bool] = False
    """True if later rows are assigned by boundaries, which are in a file beside the plan."""
    spares_outsiders: ClassVar[bool] = False
    """True if a plan that suppresses rows also suppresses those that nothing of the recoding contains."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the lattice at which rows are released."""
        return ()

    @property
    def moves(self) -> bool:
        """True if some rows are released otherwise than at the levels of the first node."""
        return False

    @property
    def at_one_node(self) -> bool:
        """True if all released rows are at one node."""
        return bool(self.nodes) and not self.moves

    @property
    def passes(self) -> int:
        """How often suppression was repeated for several sets of quasi-identifiers; 0 if it was not."""
        return 0

    @property
    def region_count(self) -> int | None:
        """The number of regions; None if rows are not released in regions."""
        return None

    @property
    def boundaries(self) -> str | None:
        """The hash of the boundaries that later rows are assigned by, if there are any."""
        return None

    def with_boundaries(self, digest: str | None) -> Self:
        """Return the recoding with the hash of its boundaries. Raises InternalError if it can have none."""
        del digest
        raise InternalError(f"a {type(self).__name__} has no boundaries")

    @property
    def beyond(self) -> str | None:
        """A predicate for a sentence about the recoding; None if it only releases rows at one node."""
        return None

    @property
    def also_suppressed(self) -> str:
        """A clause on the suppressed classes that fit; empty if there are none."""
        return ""

    def claims(self, class_size: int) -> dict[str, tuple[object, object]]:
        """Return the entries of the plan that follow from the policy's `class_size`: as stated, and as required."""
        del class_size
        return {}

    @property
    def ranks(self) -> bool:
        """True if the released rows depend on the sort order of labels, which all engines must then agree on."""
        return False

    @property
    def layers(self) -> tuple[ReleasedNode, ...]:
        """The nodes at which rows are released in turn; none where all rows are released in one way."""
        return ()

    @property
    def in_runs(self) -> bool:
        """True if neighbouring rows were grouped, so that the ranges of regions may overlap."""
        return False

    @property
    def local_suppression(self) -> SuppressedCells | None:
        """The counts of local suppression, if the recoding suppresses single cells."""
        return None

    @property
    def by_levels(self) -> bool:
        """True if each column is released at a level of its hierarchy, and False for regions and intervals."""
        return bool(self.nodes)

    @property
    def summary(self) -> str:
        """A short text on the kind of recoding."""
        raise InternalError(f"no words describe a {type(self).__name__}")

    def column_text(self, at: int, height: int) -> str:
        """Return a short text on the recoding of a column by its index, such as "level 2 of 4"."""
        if not (levels := self.levels_of(at)):
            raise InternalError(f"no words describe a column of a {type(self).__name__}")
        cells = ", some cells suppressed" if self.cells_of(at) else ""
        return f"level{'s' if len(levels) > 1 else ''} {', '.join(map(str, levels))} of {height}{cells}"

    def levels_of(self, at: int) -> tuple[int, ...]:
        """Return the levels at which a column is released, in ascending order; none for regions and intervals."""
        return tuple(sorted({node.levels[at] for node in self.nodes}))

    def mean_level(self, at: int, height: int, rows: int) -> Fraction | None:
        """Return the mean level of a column over the released `rows`, or None if there is none."""
        del height, rows
        return Fraction(self.nodes[0].levels[at]) if self.nodes else None

    def cells_of(self, at: int) -> int:
        """Return the number of released rows with a suppressed cell in a column."""
        del at
        return 0

    def starts_of(self, at: int) -> tuple[int, ...]:
        """Return the first position of each interval of a column; none if it is not released by intervals."""
        del at
        return ()

    def lines(self, names: Sequence[str]) -> Iterator[str]:
        """Yield sentences on the recoding of the columns of these `names`, beside their levels."""
        del names
        return iter(())

    def lines_after_search(self, suppressed: int, short: int | None) -> Iterator[str]:
        """Yield sentences on rows that the recoding suppresses beyond the `short` ones of the search's last node.

        `suppressed` counts all suppressed rows; `short` is None where the search recorded no node.
        """
        del suppressed, short
        return iter(())


@dataclass(frozen=True, slots=True)
class _OfNode(_Recoding):
    """A recoding at one node."""

    node: Annotated[Node, Key("levels"), LEVELS]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node,)

    def __str__(self) -> str:
        return _brief(self.node)


@dataclass(frozen=True, slots=True)
class FullDomain(_OfNode):
    """Every row at one node; the rows of classes that fail there are suppressed.

    For several sets of quasi-identifiers suppression is repeated until no class fails: `passes` is how often.
    """

    passes: int = 0

    phrase = summary = "rows at one node"
    ways = frozenset(Way)
    many_labels = ""


@dataclass(frozen=True, slots=True)
class Enforced(_OfNode):
    """Every row at one node; the classes that fail are suppressed, and one class that passes.

    The latter is the class of fewest rows, so that at least `least` entities are suppressed (Datafly's last step).
    """

    least: Annotated[int, Key("least_suppressed")]

    phrase = "rows at one node with one more class suppressed"
    ways = frozenset({Way.NEW_ROWS, Way.VIEW, Way.SCRIPT_ELSEWHERE})
    many_labels = ""
    enforces_least = True
    ranks = True  # of equally large classes, the first by its labels is suppressed
    smallest: ClassVar[int] = 1
    """The number of suppressed classes that pass."""

    @property
    def also_suppressed(self) -> str:
        return f", among them a class that fits, because datafly suppresses at least {self.least:,} rows"

    def claims(self, class_size: int) -> dict[str, tuple[object, object]]:
        return {"recoding.least_suppressed": (self.least, class_size)}

    @property
    def summary(self) -> str:
        return f"rows at one node, at least {self.least} suppressed"

    def lines_after_search(self, suppressed: int, short: int | None) -> Iterator[str]:
        more = 0 if short is None else suppressed - short
        yield f"and a class of {counted(more, 'row')}, to suppress at least {self.least:,}"

    def __str__(self) -> str:
        return f"{_brief(self.node)}, one more class suppressed"


@dataclass(frozen=True, slots=True)
class WithoutSmallest(_OfNode):
    """Every row at one node; the classes that fail are suppressed, and some that pass.

    Without the `smallest` classes of fewest rows, the release satisfies the models of the table as a whole.
    """

    smallest: Annotated[int, Key("smallest_suppressed"), Whole(1)]

    phrase = "rows at one node with the smallest classes suppressed"
    ways = frozenset({Way.VIEW, Way.SCRIPT_ELSEWHERE})
    many_labels = ""
    of_the_table = True
    ranks = True  # of equally large classes, the first by their labels are suppressed
    summary = "rows at one node, the smallest classes suppressed"

    @property
    def also_suppressed(self) -> str:
        many = counted(self.smallest, "class")
        return f", among them {many} that fit, for the table as a whole"

    def lines_after_search(self, suppressed: int, short: int | None) -> Iterator[str]:
        del suppressed, short
        rows = "the rows of the smallest class that fits"
        if self.smallest > 1:
            rows = f"the rows of the {counted(self.smallest, 'smallest class')} that fit"
        yield f"of them {rows}, for the table as a whole"

    def __str__(self) -> str:
        return f"{_brief(self.node)}, {counted(self.smallest, 'more class')} suppressed"


@dataclass(frozen=True, slots=True)
class MultiNode(_Recoding):
    """Each row at the first of several nodes at which its class passes among the remaining rows.

    Rows that pass at no node are suppressed.
    """

    released_nodes: Annotated[tuple[ReleasedNode, ...], Key("nodes")]

    phrase = "rows at several nodes"
    ways = frozenset({Way.NEW_ROWS, Way.SCRIPT_ELSEWHERE, Way.DBT_MODEL})
    many_labels = "releases classes at several nodes"
    moves = True

    def __post_init__(self) -> None:
        check(("nodes", len(self.released_nodes) > 1, "must be two or more"))

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(each.node for each in self.released_nodes)

    @property
    def beyond(self) -> str | None:
        many = len(self.released_nodes)
        return f"releases rows at {many:,} nodes, each row at the first where its class fits"

    @property
    def layers(self) -> tuple[ReleasedNode, ...]:
        return self.released_nodes

    @property
    def summary(self) -> str:
        return f"rows at {counted(len(self.released_nodes), 'node')}"

    def mean_level(self, at: int, height: int, rows: int) -> Fraction | None:
        del height, rows
        released = sum(each.rows for each in self.released_nodes)
        summed = sum(each.rows * each.node.levels[at] for each in self.released_nodes)
        return Fraction(summed, released) if released > 0 else None

    def lines(self, names: Sequence[str]) -> Iterator[str]:
        yield f"levels of {', '.join(names)}; rows whose class fails at one node go to the next"

    def __str__(self) -> str:
        return f"{len(self.released_nodes)} nodes"


@dataclass(frozen=True, slots=True)
class LocalSuppression(_OfNode):
    """Every row at one node, with local suppression: cells of outliers are released as the root.

    Classes that still fail are suppressed. `tops` are the levels of the roots.
    """

    suppressed_cells: Annotated[SuppressedCells, Key("blanks")]
    tops: Annotated[tuple[int, ...], Given(HEIGHTS, lambda heights: tuple(heights.values()))]

    phrase = "rows with suppressed cells"
    ways = frozenset({Way.NEW_ROWS, Way.SCRIPT_ELSEWHERE})
    many_labels = "suppresses single cells"

    @property
    def combinations(self) -> tuple[tuple[int, ...], ...]:
        """The combinations of columns that have outliers, each as indexes of quasi-identifiers."""
        return tuple(each.columns for each in self.suppressed_cells.outliers)

    @property
    def suppressed_node(self) -> Node:
        """The node in which each column with a suppressed cell in any released row is at its root."""
        at = zip(self.node.levels, self.tops, self.suppressed_cells.released, strict=True)
        return Node(tuple(top if rows else level for level, top, rows in at))

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.node, self.suppressed_node) if self.moves else (self.node,)

    @property
    def moves(self) -> bool:
        return bool(self.suppressed_cells.rounds)

    @property
    def beyond(self) -> str | None:
        return (
            "releases rows at one node, and suppresses cells of rare combinations"
            if self.moves
            else None
        )

    @property
    def summary(self) -> str:
        cells = counted(sum(self.suppressed_cells.released), "cell")
        return f"rows at one node, {cells} suppressed"

    def mean_level(self, at: int, height: int, rows: int) -> Fraction | None:
        level = self.node.levels[at]
        summed = level * rows + (height - level) * self.cells_of(at)
        return Fraction(summed, rows) if rows > 0 else None

    @property
    def local_suppression(self) -> SuppressedCells:
        return self.suppressed_cells

    def cells_of(self, at: int) -> int:
        return self.suppressed_cells.released[at]

    def __str__(self) -> str:
        return f"{_brief(self.node)}, local suppression" if self.moves else _brief(self.node)


@dataclass(frozen=True, slots=True)
class Multidimensional(_Recoding):
    """Each row in a region: an interval or a hierarchy's node of each quasi-identifier.

    `regions` is their number. All rows were cut repeatedly, at most `depth` times. `digest` is a hash of the regions'
    boundaries and rows, `boundaries` a hash of the file beside the plan that later rows are assigned by. Where `runs`
    is true, neighbouring rows were then grouped, and the ranges of these regions may overlap.
    """

    regions: Annotated[int, Key("regions")]
    depth: int
    digest: str
    boundaries: Annotated[str | None, Key("boundaries")] = None
    runs: Annotated[bool, Key("overlapping")] = False

    phrase = "rows in regions"
    ways = frozenset({Way.NEW_ROWS, Way.DBT_MODEL, Way.DBT_INCREMENTS})
    many_labels = "releases regions, which a value alone does not determine"
    moves = in_regions = has_boundaries = True

    def __post_init__(self) -> None:
        most = min(MOST_CUTS, max(self.regions - 1, 0))
        what = "must be less than the number of regions"
        check(("depth", self.depth <= most, what))

    @property
    def region_count(self) -> int:
        return self.regions

    def with_boundaries(self, digest: str | None) -> Self:
        return replace(self, boundaries=digest)

    @property
    def summary(self) -> str:
        return f"rows in {counted(self.regions, 'region')}"

    @property
    def in_runs(self) -> bool:
        return self.runs

    def column_text(self, at: int, height: int) -> str:
        del at, height
        return "by region"

    def lines(self, names: Sequence[str]) -> Iterator[str]:
        del names
        regions = counted(self.regions, "region")
        overlap = "; their ranges may overlap" if self.runs else ""
        yield f"{regions}: groups of rows with one label a column; those with the same labels are one class{overlap}"

    @property
    def beyond(self) -> str | None:
        return f"releases rows in {self.regions:,} regions"

    def __str__(self) -> str:
        return f"{self.regions:,} regions"


STARTS = Several(
    Whole(),
    alone=False,
    empty="is empty",
    follows=lambda one, other: one < other,
    unless="must be in ascending order",
)


@dataclass(frozen=True, slots=True)
class SingleDimensional(_Recoding):
    """Each value as the interval of its column, or the node of the hierarchy, that it belongs to.

    `starts` has the first position of each interval, column by column: ranks of values, never values.
    `digest` is a hash of the labels, `boundaries` a hash of their file beside the plan.
    """

    starts: Annotated[tuple[tuple[int, ...], ...], Key("parts"), ByColumn(STARTS)]
    digest: str
    boundaries: Annotated[str | None, Key("boundaries")] = None

    phrase = "columns in intervals of several levels"
    ways = frozenset(Way) - {Way.SCRIPT_ELSEWHERE, Way.ONE_STATEMENT}
    many_labels = "releases intervals that the source's own values bound"
    has_boundaries = True
    spares_outsiders = True
    summary = "columns in intervals"

    def with_boundaries(self, digest: str | None) -> Self:
        return replace(self, boundaries=digest)

    def column_text(self, at: int, height: int) -> str:
        del height
        return counted(len(self.starts[at]), "label")

    def starts_of(self, at: int) -> tuple[int, ...]:
        return self.starts[at]

    @property
    def beyond(self) -> str | None:
        return "releases each column by intervals or nodes of several levels"

    @property
    def intervals(self) -> list[tuple[int, int, int, int]]:
        """Each interval as its column's index, its own index in the column, and its first and last position.

        >>> SingleDimensional(((-1, 3),), "").intervals
        [(0, 0, -1, 2), (0, 1, 3, 2147483647)]
        """
        return [
            (quasi, at, low, high - 1)
            for quasi, starts in enumerate(self.starts)
            for at, (low, high) in enumerate(pairwise([*starts, 2**31]))
        ]

    def __str__(self) -> str:
        return f"{','.join(str(len(each)) for each in self.starts)} intervals"


Recoding = (
    FullDomain
    | Enforced
    | WithoutSmallest
    | MultiNode
    | LocalSuppression
    | Multidimensional
    | SingleDimensional
)

MOST_CUTS = 100_000
"""The largest `depth` that a plan may state: far more cuts of a row than a search makes."""

RECODING: Keyed[Recoding] = Keyed(
    {
        "nodes": Record(MultiNode),
        "blanks": Record(LocalSuppression),
        "least_suppressed": Record(Enforced),
        "smallest_suppressed": Record(WithoutSmallest),
        "regions": Record(Multidimensional),
        "parts": Record(SingleDimensional),
    },
    default=Record(FullDomain),
)
"""A recoding in a plan's document: a key that only one kind has names it, else it is full-domain."""


def _brief(node: Node) -> str:
    return ",".join(map(str, node.levels))


def levels_used(recoding: Recoding, quasi: int) -> tuple[int, ...]:
    """Return the distinct levels at which one column is released, in the order of the recoding's nodes.

    >>> nodes = Node((1, 0)), Node((0, 2)), Node((1, 1))
    >>> levels_used(MultiNode(tuple(ReleasedNode(node, 5, 1) for node in nodes)), 0)
    (1, 0)
    """
    return tuple(dict.fromkeys(node.levels[quasi] for node in recoding.nodes))


def column_texts(recoding: Recoding, heights: Mapping[str, int]) -> list[str]:
    """Return a short text for each quasi-identifier, such as "level 2 of 4"."""
    return [recoding.column_text(at, height) for at, height in enumerate(heights.values())]
