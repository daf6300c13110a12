"""Hierarchies that list their values: in a file, in a table, by a query, or in the policy as a tree."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.base.documents.records import LATER, Key, Record
from kanon_sql.base.documents.shapes import (
    Fixed,
    OneOf,
    Refused,
    Schema,
    Several,
    Shape,
    Text,
    check,
    refuse,
)
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.files.text_encodings import Encoding  # noqa: TC001  a Record reads it
from kanon_sql.policy.hierarchies.hierarchy_kind import HierarchyKind, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.base.documents.lines import Item

Ragged = Annotated[
    bool, Fixed("repeat", "must be repeat: a short path repeats its value up to its parent")
]
Character = Annotated[str, Text(character=True)]
Matches = Annotated[
    tuple[Match, ...], Several(OneOf(Match), empty="must name trim, fold or number")
]


class Tree(Shape[tuple[tuple[str, ...], ...]]):
    """The shape of a tree: nested groups of values below one root or several, as paths. Texts are data."""

    def read(self, item: Item) -> tuple[tuple[str, ...], ...]:
        if not item.entries:
            raise refuse(item, "must be a mapping of roots to what lies below them")
        before = len(item.faults)
        paths = tuple(_paths(item, ()))
        if not paths:
            item.fault("has no leaf")
        if len(item.faults) > before:
            raise Refused
        return paths

    def schema(self) -> Schema:
        return {"type": "object", "minProperties": 1}


def _paths(item: Item, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(item.value, dict | list) and not item.value:
        item.fault("has a group without members")
    elif isinstance(item.value, list):
        for child in item.members:
            yield from _paths(child, above)
    elif isinstance(item.value, dict):
        for name, child in item.entries.items():
            if child.value is None:
                yield (name, *above)
            else:
                yield from _paths(child, (name, *above))
    elif item.value is None:
        item.fault("has a leaf that is null; quote it if it is a text")
    else:
        yield (item.written, *above)


class ListedHierarchy(HierarchyKind):
    """A hierarchy that lists its values, each with its labels level by level."""

    __slots__ = ()

    has_entries: ClassVar[bool] = True

    def becomes(self, level: int, height: int) -> str:
        return f"{'the coarsest' if level >= height else 'a'} group of the hierarchy"


@dataclass(frozen=True, slots=True)
class CsvHierarchy(ListedHierarchy):
    """A file of lines `value, generalization, ..., root`, separated by `;`, `,` or a tab.

    With `ragged` short lines are allowed: the value stands in for the levels that its line lacks.
    """

    key: ClassVar[str] = "csv"
    is_elsewhere: ClassVar[bool] = True

    path: Annotated[str, Key("csv")]
    delimiter: Character | None = None
    encoding: Encoding | None = field(default=None, metadata=LATER)
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    @property
    def file(self) -> str:
        return self.path

    @property
    def described(self) -> str:
        return f"the hierarchy of the file {self.path}"


@dataclass(frozen=True, slots=True)
class TableHierarchy(ListedHierarchy):
    """A table of the database: its first column is the value, the others the levels in order."""

    key: ClassVar[str] = "table"
    is_elsewhere: ClassVar[bool] = True

    name: Annotated[str, Key("table")]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    @property
    def table(self) -> str:
        return self.name

    @property
    def described(self) -> str:
        return f"the hierarchy of the table {self.name}"


@dataclass(frozen=True, slots=True)
class QueryHierarchy(ListedHierarchy):
    """A query in the database, read like `TableHierarchy`."""

    key: ClassVar[str] = "query"
    is_elsewhere: ClassVar[bool] = True

    sql: Annotated[str, Key("query")]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    @property
    def query(self) -> str:
        return self.sql

    @property
    def described(self) -> str:
        return "the hierarchy of a query of the policy"


@dataclass(frozen=True, slots=True)
class TreeHierarchy(ListedHierarchy):
    """A tree written in the policy; each path runs from the leaf to the root."""

    key: ClassVar[str] = "tree"

    paths: Annotated[tuple[tuple[str, ...], ...], Key("tree"), Tree()]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    def __post_init__(self) -> None:
        leaves = [path[0] for path in self.paths]
        twice = len(leaves) - len(set(leaves))
        depths = {len(path) for path in self.paths}
        uneven = "has leaves at different depths; write ragged: repeat to let short paths repeat their leaf"
        check(
            ("tree", self.ragged or len(depths) <= 1, uneven),
            ("tree", not twice, f"has {twice} leaves twice"),
            (
                "tree",
                len(leaves) == 1 or depths != {1},
                "has values alone; name the groups that they are in",
            ),
        )

    @property
    def height(self) -> int:
        return max(len(path) for path in self.paths) - 1

    @property
    def rows(self) -> Sequence[Sequence[str | None]]:
        width = self.height + 1
        return [[*path, *[None] * (width - len(path))] for path in self.paths]

    @property
    def described(self) -> str:
        return f"a hierarchy that the policy lists, of {counted(len(self.paths), 'value')}"


for _kind in (CsvHierarchy, TableHierarchy, QueryHierarchy, TreeHierarchy):
    _kind.shape = Record(_kind)
