"""Heads, sets of letters that each begin an interval of a column (Bayardo and Agrawal's words), and statements over them.

A letter is a column and a coordinate of it. A head is an integer with the bits of its letters, and so is a tail, the
letters that heads below a node may add. The allset of a node is its head with its tail.

A letter is one bit of a tuple's keys: set where the tuple's coordinate is not before the letter's. These
are thermometer codes, so the bits that a head keeps distinguish its intervals, and a class of a head is
a `GROUP BY key & mask`. Statements count what each head makes of the tuples, and what it costs.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import PLACEHOLDER, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.smallest_classes import numbers
from kanon_sql.engines.capabilities import KEY_BITS
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import ClassRows
from kanon_sql.policy.privacy.k_anonymity import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute


class HeadCosts(NamedTuple):
    """The cost of a head, and the rows it suppresses; heads from it to the allset cost at least `bound`."""

    cost: int
    suppressed: int
    bound: int


class Child(NamedTuple):
    """A head with one letter more, and how its classes differ from those of the head.

    `splits` are the classes of the head that the letter splits. It is `useless` when no half of them fits: then no
    descendant of the head is better with it than without.
    """

    letter: int
    splits: int
    useless: bool
    costs: HeadCosts


class ExpandedNode(NamedTuple):
    """A node whose children were costed; a letter that splits no class may have been left out.

    Bounds are those for the node's allset.
    """

    costs: HeadCosts
    children: list[Child]


class Letter(NamedTuple):
    """A coordinate of a column at which an interval begins."""

    quasi: int
    place: int


class Chunk(NamedTuple):
    """The letters of one column that lie in one key: their bits order the column's coordinates."""

    key: int
    mask: int


@dataclass(frozen=True)
class Alphabet:
    """All letters, in the order of columns and coordinates; a head has the bit of each of its letters.

    `ends` are the first and the last coordinate of each column. Letter n is bit n. Keys are slices of `key_bits` bits:
    a head is its masks, one after the other.

    >>> alphabet = Alphabet(((0, 2), (-1, 0)))
    >>> [tuple(letter) for letter in alphabet.letters]
    [(0, 1), (0, 2), (1, 0)]
    >>> alphabet.masks(0b101)
    [5]
    >>> alphabet.intervals(0b010)
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
        """The head of all letters of each column."""
        return tuple(
            sum(1 << n for n, letter in enumerate(self.letters) if letter.quasi == quasi)
            for quasi in range(len(self.ends))
        )

    @property
    def keys(self) -> range:
        """The numbers of the keys, at least one."""
        return range(max(1, -(-len(self.letters) // self.key_bits)))

    def masks(self, head: int) -> list[int]:
        """Return the bits of a head, as one mask for each key."""
        ones = (1 << self.key_bits) - 1
        return [(head >> self.key_bits * key) & ones for key in self.keys]

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The letters of each column in each key."""
        found: dict[tuple[int, int], int] = {}
        for number, letter in enumerate(self.letters):
            key, bit = divmod(number, self.key_bits)
            found[letter.quasi, key] = found.get((letter.quasi, key), 0) | 1 << bit
        return tuple(Chunk(key, mask) for (_, key), mask in found.items())

    def intervals(self, head: int) -> list[tuple[int, int, int, int]]:
        """Return the intervals of a head: column, number, and the first and last coordinate."""
        found = []
        for quasi, (first, last) in enumerate(self.ends):
            begins = [first] + [
                letter.place
                for number, letter in enumerate(self.letters)
                if letter.quasi == quasi and head >> number & 1
            ]
            after = [place - 1 for place in begins[1:]] + [last]
            found += [(quasi, n, *ends) for n, ends in enumerate(zip(begins, after, strict=True))]
        return found


def members(head: int) -> Iterator[int]:
    while head:
        yield (head & -head).bit_length() - 1
        head &= head - 1


ITSELF = -1
"""In place of a letter, and of a chunk: the head as it is."""

SIDES = ("low", "high")
"""The halves of a class that a letter splits."""


@dataclass(frozen=True)
class HeadStatements:
    """What a class of a head must reach, and what it costs.

    With `targets`, the number of values of the class column, a class costs its rows that are not
    of its most frequent value, and a suppressed row 1 (the classification metric). Without, a class
    costs its rows squared and a suppressed row all `rows` of the source (discernibility).
    """

    alphabet: Alphabet
    requirements: tuple[Requirement, ...]
    rows: int
    entity: bool = False
    targets: int = 0

    @property
    def additive(self) -> bool:
        """Whether it is rows alone that a class must reach: then two halves give the whole."""
        return not self.entity and not self.sensitive

    @cached_property
    def sensitive(self) -> tuple[SensitiveAttribute, ...]:
        """Return what is counted of sensitive columns, in the order of `spread_0` ..."""
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
    def _keys(self) -> range:
        """Number the keys as columns are: key_1, ..."""
        return range(1, len(self.alphabet.keys) + 1)

    @property
    def _of(self) -> list[exp.Identifier]:
        return [name(f"of_{target}") for target in range(self.targets)]

    @property
    def _counted(self) -> list[exp.Identifier]:
        sensitive = [name(f"spread_{n}") for n in range(len(self.sensitive))]
        return [*sensitive, *([name("entity")] if self.entity else [])]

    @property
    def _tuple_groups(self) -> range:
        return range(1, len(self._keys) + len(self._counted) + 1)

    @property
    def _requirements(self) -> list[dict[str, object]]:
        """Describe what a class must reach; its rows are counted in any case."""
        where = ClassRows(
            column("entity", of="f") if self.entity else None,
            lambda of: column(f"spread_{self.sensitive.index(of)}", of="f"),
            coded=True,
        )
        return [
            {
                **leaves,
                "counted": self.entity or required.measure != SIZE,
                "measure": name(
                    f"measure_{number}" if self.entity or required.measure != SIZE else "row_count"
                ),
            }
            for number, (required, leaves) in enumerate(
                zip(self.requirements, where.requirements(self.requirements), strict=True), start=1
            )
        ]

    def thermometers(self, table: exp.Table, tuples: exp.Table) -> Statement:
        """Write the letters of each tuple as bits, with its rows by value of the target."""
        bits, letters = self.alphabet.key_bits, self.alphabet.letters
        keys = [
            (key + 1, [(*own, 1 << n) for n, own in enumerate(letters[key * bits :][:bits])])
            for key in self.alphabet.keys
        ]
        return Statement(
            "single_dimensional/k_optimize/thermometers",
            {
                "thermometers": table,
                "tuples": tuples,
                "keys": keys,
                "counted": self._counted,
                "targets": range(self.targets),
                "groups": self._tuple_groups,
            },
        )

    def allset(self, table: exp.Table, finer: exp.Table, allset: int, *, rows: int) -> Statement:
        """Create the set of tuples that an allset distinguishes, with what each costs at least."""
        return Statement(
            "single_dimensional/k_optimize/allset",
            {
                "allset": table,
                "finer": finer,
                "keys": list(zip(self._keys, self.alphabet.masks(allset), strict=True)),
                "counted": self._counted,
                "of": self._of,
                "least": self.least,
                "groups": self._tuple_groups,
            },
            scans=rows,
        )

    def heads(self, allset: exp.Table, heads: int) -> Statement:
        """Cost so many heads on the set of an allset; binds each head's masks.

        A row has the head's number in the batch, its classes, the rows that it suppresses, its
        cost, and what any head from it to the allset costs at least.
        """
        return Statement(
            "single_dimensional/k_optimize/heads",
            {
                "finer": allset,
                "bind": PLACEHOLDER,
                "nodes": [literal(n) for n in range(heads)],
                "keys": [{"as": name(f"key_{n}"), "mask": name(f"mask_{n}")} for n in self._keys],
                "ordinals": range(1, len(self._keys) + 2),
                "requirements": self._requirements,
                "of": self._of,
                "least": self.least,
                "charge": self.charge,
            },
        )

    def bindings(self, heads: Iterable[int]) -> list[int]:
        """Return the masks that a batch of heads binds."""
        return [mask for head in heads for mask in self.alphabet.masks(head)]

    def letters(self, table: exp.Table) -> Statement:
        """List in which chunk each letter lies, and its bit there."""
        rows = [(ITSELF, ITSELF, 1)] + [
            (chunk.key * self.alphabet.key_bits + bit, number, 1 << bit)
            for number, chunk in enumerate(self.alphabet.chunks)
            for bit in members(chunk.mask)
        ]
        return numbers(table, {"letter": False, "chunk": False, "letter_bit": True}, rows)

    def splits(self, finer: exp.Table, letters: exp.Table, nodes: int) -> Statement:
        """Open so many nodes of the search, for models of rows alone; binds `node_bindings`.

        A row has the node's number in the batch, the letter's, the classes that it splits, those of
        them of which a half still fits, and by how much the rows that are suppressed, the cost and
        the bound grow. A letter that splits no class has no row. The row of the letter -1 has the
        head's own classes and figures, and the tuples that its allset distinguishes.
        """
        return Statement(
            "single_dimensional/k_optimize/splits",
            {
                "finer": finer,
                "letters": letters,
                "bind": PLACEHOLDER,
                "nodes": range(nodes),
                "keys": self._keys,
                "chunks": [
                    (number, chunk.key + 1, chunk.mask)
                    for number, chunk in enumerate(self.alphabet.chunks)
                ],
                "tuple_groups": range(1, len(self._keys) + 2),
                "groups": range(1, len(self._keys) + 4),
                "of": [
                    {"as": of, **{side: name(f"{side}_{of.name}") for side in ("all", *SIDES)}}
                    for of in self._of
                ],
                "sides": [self._side(side) for side in SIDES],
                "bounded": [*(self._side(side) for side in SIDES), self._whole],
                "least": self.least,
                "charge": self.charge,
                "itself": ITSELF,
            },
        )

    def node_bindings(self, nodes: Sequence[tuple[int, int]]) -> list[int]:
        """Return the masks that a batch of nodes binds, each a head and the letters of its tail."""
        allsets = self.bindings(head | tail for head, tail in nodes)
        return allsets + self.bindings(each for node in nodes for each in node)

    def _side(self, side: str) -> dict[str, object]:
        """Name what is counted of one of the two halves of a class."""
        words = ("rows", "bound", "parts", "even", "at_least")
        of = [name(f"{side}_{of.name}") for of in self._of]
        return {**{word: name(f"{side}_{word}") for word in words}, "of": of}

    @property
    def _whole(self) -> dict[str, object]:
        whole = {word: name(word) for word in ("bound", "parts", "even", "at_least")}
        return {"rows": name("row_count"), **whole}


def place_ranges(tuples: exp.Table, columns: int) -> Statement:
    leaves = {"tuples": tuples, "columns": range(columns)}
    return Statement("single_dimensional/k_optimize/place_ranges", leaves)


def count_targets(tuples: exp.Table, *, targeted: bool) -> Statement:
    leaves = {"tuples": tuples, "targeted": targeted}
    return Statement("single_dimensional/k_optimize/count_targets", leaves)


def head_intervals(table: exp.Table, intervals: Sequence[tuple[int, int, int, int]]) -> Statement:
    """List the intervals of a head: column, number, and the first and last coordinate."""
    columns = dict.fromkeys(("quasi", "part", "low", "high"), False)
    return numbers(table, columns, intervals)
