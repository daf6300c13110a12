"""Statements over heads: sets of letters, each of which begins a part of a column's domain.

A letter is a column and a place of it, and one bit of a tuple's keys: set where the tuple's place
is not before the letter's. These are thermometer codes, so the bits that a head keeps tell its
parts apart, and a class of a head is a `GROUP BY key & mask`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.lattice.packing import KEY_BITS
from kanon_sql.privacy.demands import sensitive_attributes
from kanon_sql.privacy.fitting_sql import ClassRows
from kanon_sql.privacy.k_anonymity import SIZE
from kanon_sql.sql.quoting import (
    PLACEHOLDER,
    column,
    literal,
    name,
)
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.privacy.privacy_model import Requirement, SensitiveAttribute

ITSELF = -1
"""In place of a letter, and of a chunk: the head as it is."""

SIDES = ("low", "high")
"""The halves of a class that a letter splits."""


class Letter(NamedTuple):
    """A part of a column begins at a place."""

    quasi: int
    place: int


class Chunk(NamedTuple):
    """The letters of one column that lie in one key: their bits order the column's places."""

    key: int
    mask: int


@dataclass(frozen=True)
class Alphabet:
    """All letters, in the order of columns and places; a head has the bit of each of its letters.

    `ends` are the first and the last place of each column. Letter n is bit n, the keys are slices
    of so many bits: a head is its masks, one after the other.

    >>> alphabet = Alphabet(((0, 2), (-1, 0)))
    >>> [tuple(letter) for letter in alphabet.letters]
    [(0, 1), (0, 2), (1, 0)]
    >>> alphabet.masks(0b101)
    [5]
    >>> alphabet.parts(0b010)
    [(0, 0, 0, 1), (0, 1, 2, 2), (1, 0, -1, 0)]
    """

    ends: tuple[tuple[int, int], ...]
    key_bits: int = KEY_BITS

    @cached_property
    def letters(self) -> tuple[Letter, ...]:
        return tuple(
            Letter(quasi, place)
            for quasi, (first, last) in enumerate(self.ends)
            for place in range(first + 1, last + 1)
        )

    @property
    def whole(self) -> int:
        """The head of all letters: the most specific."""
        return (1 << len(self.letters)) - 1

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Give for each column the head of all of its letters."""
        return tuple(
            sum(1 << n for n, letter in enumerate(self.letters) if letter.quasi == quasi)
            for quasi in range(len(self.ends))
        )

    @property
    def keys(self) -> range:
        """Number the keys; there is always one."""
        return range(max(1, -(-len(self.letters) // self.key_bits)))

    def masks(self, head: int) -> list[int]:
        """Give the bits that a head keeps, a mask a key."""
        ones = (1 << self.key_bits) - 1
        return [(head >> self.key_bits * key) & ones for key in self.keys]

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """Cut the letters wherever a column ends or a key does."""
        found: dict[tuple[int, int], int] = {}
        for number, letter in enumerate(self.letters):
            key, bit = divmod(number, self.key_bits)
            found[letter.quasi, key] = found.get((letter.quasi, key), 0) | 1 << bit
        return tuple(Chunk(key, mask) for (_, key), mask in found.items())

    def parts(self, head: int) -> list[tuple[int, int, int, int]]:
        """Give the parts of a head: column, number, and the first and last place."""
        found = []
        for quasi, (first, last) in enumerate(self.ends):
            begins = [first] + [
                letter.place
                for number, letter in enumerate(self.letters)
                if letter.quasi == quasi and head >> number & 1
            ]
            after = [place - 1 for place in begins[1:]] + [last]
            found += [(quasi, n, *part) for n, part in enumerate(zip(begins, after, strict=True))]
        return found


def members(head: int) -> Iterator[int]:
    """Give the numbers of a head's letters, in order."""
    while head:
        yield (head & -head).bit_length() - 1
        head &= head - 1


@dataclass(frozen=True)
class Cutting:
    """What a class of a head must reach, and what it costs.

    With `targets`, the number of values of the class column, a class costs its rows that are not
    of its most frequent value, and a suppressed row 1 (the classification metric). Without, a class
    costs its rows squared and a suppressed row all `rows` (discernibility).
    """

    alphabet: Alphabet
    requirements: tuple[Requirement, ...]
    rows: int
    entity: bool = False
    targets: int = 0

    @property
    def additive(self) -> bool:
        """Whether it is rows alone that a class must reach: then two halves tell of a whole."""
        return not self.entity and not self.spreads

    @cached_property
    def spreads(self) -> tuple[SensitiveAttribute, ...]:
        """Give what is counted of sensitive columns, in the order of `spread_1` ..."""
        return sensitive_attributes(self.requirements)

    @property
    def least(self) -> int:
        """How many rows a class has at least that reaches all: one for each entity or value."""
        return max((r.bound for r in self.requirements), default=1)

    @property
    def charge(self) -> int:
        """What a suppressed row costs."""
        return 1 if self.targets else self.rows

    @property
    def _keys(self) -> list[exp.Identifier]:
        return [name(f"key_{key + 1}") for key in self.alphabet.keys]

    @property
    def _of(self) -> list[exp.Identifier]:
        return [name(f"of_{target}") for target in range(self.targets)]

    @property
    def _held(self) -> list[exp.Identifier]:
        spread = [name(f"spread_{n}") for n in range(1, len(self.spreads) + 1)]
        return [*spread, *([name("entity")] if self.entity else [])]

    @property
    def _requirements(self) -> list[dict[str, object]]:
        """Say what a class must reach; rows alone are counted with each class anyhow."""
        where = ClassRows(
            column("entity", of="f") if self.entity else None,
            lambda of: column(f"spread_{self.spreads.index(of) + 1}", of="f"),
            coded=True,
        )
        return [
            {
                **leaves,
                "counted": self.entity or asked.measure != SIZE,
                "measure": name(
                    f"measure_{number}" if self.entity or asked.measure != SIZE else "row_count"
                ),
            }
            for number, (asked, leaves) in enumerate(
                zip(self.requirements, where.requirements(self.requirements), strict=True), start=1
            )
        ]

    def thermometers(self, table: exp.Table, places: exp.Table, *, rows: int) -> Statement:
        """Write the letters of each tuple as bits, with its rows by value of the class column."""
        alphabet = self.alphabet
        keys = []
        for key, named in enumerate(self._keys):
            begin = key * alphabet.key_bits
            own = alphabet.letters[begin : begin + alphabet.key_bits]
            bits = [
                {
                    "place": column(f"place_{letter.quasi}", of="p"),
                    "begins": literal(letter.place),
                    "bit": literal(1 << number),
                }
                for number, letter in enumerate(own)
            ]
            keys.append({"as": named, "bits": bits})
        return Statement(
            "single_dimensional/thermometers",
            {
                "thermometers": table,
                "places": places,
                "keys": keys,
                "held": self._held,
                "of": [
                    {"as": named, "target": literal(target)}
                    for target, named in enumerate(self._of)
                ],
                "groups": [literal(n + 1) for n in range(len(keys) + len(self._held))],
            },
            scans=rows,
        )

    def allset(self, table: exp.Table, finer: exp.Table, allset: int, *, rows: int) -> Statement:
        """Make the set of tuples that an allset tells apart, with what each costs at least."""
        keys = [
            {"as": key, "mask": literal(mask)}
            for key, mask in zip(self._keys, self.alphabet.masks(allset), strict=True)
        ]
        return Statement(
            "single_dimensional/allset",
            {
                "allset": table,
                "finer": finer,
                "keys": keys,
                "held": self._held,
                "of": self._of,
                "least": literal(self.least),
                "groups": [literal(n + 1) for n in range(len(keys) + len(self._held))],
            },
            scans=rows,
        )

    def heads(self, allset: exp.Table, heads: int) -> Statement:
        """Cost so many heads on the set of an allset; binds each head's masks.

        A row has the head's number in the batch, its classes, the rows that it suppresses, its
        cost, and what any head from it to the allset costs at least.
        """
        return Statement(
            "single_dimensional/heads",
            {
                "finer": allset,
                "bind": PLACEHOLDER,
                "nodes": [literal(n) for n in range(heads)],
                "keys": [
                    {"as": key, "mask": name(f"mask_{n}")}
                    for n, key in enumerate(self._keys, start=1)
                ],
                "ordinals": [literal(n + 1) for n in range(len(self._keys) + 1)],
                "requirements": self._requirements,
                "of": self._of,
                "least": literal(self.least),
                "charge": literal(self.charge),
            },
        )

    def bindings(self, heads: Iterable[int]) -> list[int]:
        """Give the masks that a batch of heads binds."""
        return [mask for head in heads for mask in self.alphabet.masks(head)]

    def letters(self, table: exp.Table) -> Statement:
        """Write down of each letter in which chunk it lies, and its bit there."""
        rows = [(ITSELF, ITSELF, 1)] + [
            (chunk.key * self.alphabet.key_bits + bit, number, 1 << bit)
            for number, chunk in enumerate(self.alphabet.chunks)
            for bit in members(chunk.mask)
        ]
        leaves = [[literal(number) for number in row] for row in rows]
        return Statement("single_dimensional/letters", {"letters": table, "rows": leaves})

    def splits(self, finer: exp.Table, letters: exp.Table, nodes: int) -> Statement:
        """Open so many nodes of the search, for models of rows alone; binds `node_bindings`.

        A row has the node's number in the batch, the letter's, the classes that it splits, those of
        them of which a half still fits, and by how much the rows that are suppressed, the cost and
        the bound grow. A letter that splits no class has no row. The row of the letter -1 has the
        head's own classes and figures, and the tuples that its allset tells apart.
        """
        return Statement(
            "single_dimensional/splits",
            {
                "finer": finer,
                "letters": letters,
                "bind": PLACEHOLDER,
                "nodes": [literal(n) for n in range(nodes)],
                "keys": [
                    {"as": key, **{of: name(f"{of}_{n}") for of in ("all", "head", "open")}}
                    for n, key in enumerate(self._keys, start=1)
                ],
                "chunks": [
                    {
                        "number": literal(number),
                        "key": name(f"key_{chunk.key + 1}"),
                        "open": name(f"open_{chunk.key + 1}"),
                        "mask": literal(chunk.mask),
                    }
                    for number, chunk in enumerate(self.alphabet.chunks)
                ],
                "tuple_groups": [literal(n + 1) for n in range(len(self._keys) + 1)],
                "groups": [literal(n + 1) for n in range(len(self._keys) + 3)],
                "of": [
                    {"as": of, **{side: name(f"{side}_{of.name}") for side in ("all", *SIDES)}}
                    for of in self._of
                ],
                "sides": [self._side(side) for side in SIDES],
                "bounded": [*(self._side(side) for side in SIDES), self._whole],
                "least": literal(self.least),
                "charge": literal(self.charge),
                "itself": literal(ITSELF),
            },
        )

    def node_bindings(self, nodes: Sequence[tuple[int, int]]) -> list[int]:
        """Give the masks that a batch of nodes binds, each a head and the letters of its tail."""
        allsets = self.bindings(head | tail for head, tail in nodes)
        return allsets + self.bindings(each for node in nodes for each in node)

    def _side(self, side: str) -> dict[str, object]:
        """Name what is counted of one of the two halves of a class."""
        words = ("rows", "bound", "parts", "even", "at_least")
        of = [name(f"{side}_{of.name}") for of in self._of]
        return {**{word: name(f"{side}_{word}") for word in words}, "of": of}

    @property
    def _whole(self) -> dict[str, object]:
        """Name the same of the class."""
        return {
            "rows": name("row_count"),
            **{word: name(word) for word in ("bound", "parts", "even", "at_least")},
        }


def cuts(table: exp.Table, parts: Sequence[tuple[int, int, int, int]]) -> Statement:
    """Write down the parts of all columns as intervals of places."""
    rows = [[literal(number) for number in part] for part in parts]
    return Statement("single_dimensional/head_parts", {"cuts": table, "rows": rows})
