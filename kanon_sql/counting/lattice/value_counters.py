"""One counter for each value of a sensitive attribute, packed into words beside the tuples of a frequency set.

A check of a model that weighs values is then one GROUP BY of sums, and only the classes that are large enough get a row for
each value that they have. Where values are many, and of models that read a hierarchy, values are counted row by row.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.result import FrequencySet
from kanon_sql.counting.lattice.smallest_classes import numbers as numbers_table
from kanon_sql.engines.base import whole
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.privacy.privacy_model import Distribution, SensitiveAttribute

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.counting_sql import Counting
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.privacy.privacy_model import Requirement

WORD_BITS = 62
"""Bits of a word: a BIGINT that stays positive."""
MOST_VALUES = 64
"""The most values of all sensitive attributes: the words of more would take longer to sum than their rows."""
ROOM = 4
"""The set with counters may take this many times the room of the set with values."""
MOVED = "sql/privacy/sums/part/moved_rows_by_counters.sql.j2"
COLUMNS = {
    "attribute": False,
    "word": False,
    "first_bit": False,
    "code": True,
    "least_rows": False,
    "rows_in_table": True,
    "rows_of_table": True,
    "values_of_table": False,
}
"""The columns of the table of counters, and whether each takes 64 bits."""


@dataclass(frozen=True, slots=True)
class CountedValues:
    """The codes of a sensitive attribute's values, in order, each with its rows in the table; all of an order with those up to it.

    With `every_row`, each row has a value that counts.
    """

    attribute: SensitiveAttribute
    codes: tuple[int, ...]
    in_table: tuple[int, ...]
    of_table: int
    every_row: bool

    @classmethod
    def of(
        cls, attribute: SensitiveAttribute, rows: Mapping[int, int], *, every_row: bool
    ) -> CountedValues:
        """Sort the codes, each with its rows.

        >>> CountedValues.of(SensitiveAttribute("disease"), {2: 4, 0: 3}, every_row=False).counters
        [[0], [2], [0, 2]]
        """
        codes = tuple(sorted(rows))
        counts = [rows[code] for code in codes]
        in_table = counts if attribute.order is None else accumulate(counts)
        return cls(attribute, codes, tuple(in_table), sum(counts), every_row)

    @property
    def counters(self) -> list[list[int]]:
        """List the codes that each counter counts; the last counter is of all rows with a value, where these are not all rows."""
        if self.attribute.order is not None:
            return [list(self.codes[: n + 1]) for n, _ in enumerate(self.codes)]
        return [*([code] for code in self.codes), *([] if self.every_row else [list(self.codes)])]


@dataclass(frozen=True)
class ValueCounters:
    """The counters of several sensitive attributes, each of so many `bits`, and the table that describes them."""

    attributes: tuple[CountedValues, ...]
    bits: int
    table: exp.Table

    @property
    def words(self) -> list[exp.Identifier]:
        """Name the columns that hold the packed counters."""
        last = max(number for _, numbers in self._numbers() for number in numbers)
        return [name(f"counters_{word}") for word in range(1, self._place(last)[0] + 1)]

    @property
    def mask(self) -> exp.Expr:
        """Return the bits of the first counter of a word."""
        return literal((1 << self.bits) - 1)

    def _place(self, number: int) -> tuple[int, int]:
        """Return the word of a counter, from 1 on, and its first bit there."""
        word, at = divmod(number, WORD_BITS // self.bits)
        return word + 1, at * self.bits

    def _numbers(self) -> Iterator[tuple[CountedValues, range]]:
        """Yield each attribute with the numbers of its counters."""
        start = 0
        for each in self.attributes:
            end = start + len(each.counters)
            yield each, range(start, end)
            start = end

    def described(self) -> Statement:
        """Create the table of counters: a row for each value, and one that every class has, where a row may have no value.

        A class has a row of a value from `least_rows` on: of one in an order even without rows up to it.
        """
        rows: list[list[int]] = []
        for at, (each, own) in enumerate(self._numbers()):
            least = 0 if each.attribute.order is not None else 1
            for number, code, in_table in zip(own, each.codes, each.in_table, strict=False):
                of_table = in_table, each.of_table, len(each.codes)
                rows.append([at, *self._place(number), code, least, *of_table])
        if not all(each.every_row for each in self.attributes):
            rows.append([-1, 1, 0, 0, 0, 0, 0, 0])
        return numbers_table(self.table, COLUMNS, rows)

    def packed(self, sensitive: Sequence[exp.Identifier]) -> list[dict[str, object]]:
        """Describe what one row of each value adds to each word; `sensitive` names the attributes' columns."""
        found = []
        for at, word in enumerate(self.words, start=1):
            parts = []
            for (each, numbers), own in zip(self._numbers(), sensitive, strict=True):
                times = dict.fromkeys(each.codes, 0)
                for number, codes in zip(numbers, each.counters, strict=True):
                    of_word, first = self._place(number)
                    for code in codes if of_word == at else ():
                        times[code] += 1 << first
                cases = [
                    {"code": literal(code), "times": literal(number)}
                    for code, number in times.items()
                    if number
                ]
                parts += [{"sensitive": own, "cases": cases}] if cases else []
            found.append({"as": word, "parts": parts})
        return found

    @property
    def valued(self) -> list[exp.Identifier]:
        """The words that count all rows with a value of an attribute, each once: several attributes may share one."""
        places = {self._place(n[-1])[0] for each, n in self._numbers() if not each.every_row}
        return [self.words[at - 1] for at in sorted(places)]

    def of(self, attribute: SensitiveAttribute) -> dict[str, object]:
        """Describe the rows of one attribute's values, and the counter of all rows that have one."""
        ((at, each, last),) = (
            (at, each, numbers[-1])
            for at, (each, numbers) in enumerate(self._numbers())
            if each.attribute == attribute
        )
        word, first = self._place(last)
        valued = {"word": self.words[word - 1], "first": literal(first)}
        return {
            "number": literal(at),
            "alone": len(self.attributes) == 1 and each.every_row,
            "valued": None if each.every_row else valued,
        }


NOT_WEIGHED = {"in_class": None, "compared": False, "ranked": False}
"""The description of a sensitive column of which only the different values are counted."""


def by_counters(counting: Counting, counters: ValueCounters) -> dict[str, object]:
    """Describe the subquery that counts all sensitive columns of classes, which have each of their values once."""
    required = [r for r in counting.requirements if r.measure.sensitive is not None]
    codes = {each.attribute: name(f"code_{n}") for n, each in enumerate(counters.attributes)}
    here = replace(counting.class_rows, value=codes.__getitem__, once=True)
    weighed = {each["value"]: each for each in here.weighed(required, codes.__getitem__)}
    return {
        "alias": name("p0"),
        "words": counters.words,
        "valued": counters.valued,
        "counters": counters.table,
        "mask": counters.mask,
        "attributes": [
            {**weighed.get(code, NOT_WEIGHED), "code": code, **counters.of(of)}
            for of, code in codes.items()
        ],
        "counted": [
            {**each, "numerator": MOVED}
            if r.measure.distribution is Distribution.IN_ORDER
            else each
            for r, each in zip(required, counting.counted(here, required), strict=True)
        ],
    }


def counted_values(
    counted: exp.Table,
    finer: exp.Table,
    keys: Sequence[exp.Identifier],
    words: Sequence[Mapping[str, object]],
    *,
    rows: int,
) -> Statement:
    """Create the frequency set that has the counters of values in place of the values."""
    groups = [literal(n + 1) for n, _ in enumerate(keys)]
    leaves = {"counted": counted, "finer": finer, "keys": keys, "words": words, "groups": groups}
    return Statement("lattice/counted_values", leaves, scans=rows)


def rows_of_codes(values: exp.Table, code: exp.Expr, *, counted: bool) -> Statement:
    """List the codes of an attribute's values with their rows: those of a table of counts, or of a frequency set."""
    rows = name("value_rows" if counted else "row_count")
    leaves = {"values": values, "code": code, "rows": rows, "counted": counted}
    return Statement("lattice/rows_of_codes", {**leaves, "most": literal(MOST_VALUES + 1)})


def serve(required: Sequence[Requirement]) -> bool:
    """Whether all values that requirements weigh can be counted by counters; there is at least one to weigh."""
    weighed = {r.measure.distribution for r in required} - {Distribution.NONE}
    return bool(weighed) and Distribution.IN_TREE not in weighed


def first_set(run: Session, encoded: Encoded) -> tuple[ValueCounters | None, FrequencySet]:
    """Return the frequency set of the source that nodes are counted on; with counters of values where these pay."""
    counting, stats = encoded.counting, encoded.stats
    source = Node((0,) * len(encoded.lattice.tops))
    attributes = _counted_attributes(run.engine, encoded)
    if not 0 < sum(len(each.codes) for each in attributes) <= MOST_VALUES:
        return None, FrequencySet(source, encoded.table, encoded.set_rows)
    bits = max(stats.rows, *(each.of_table for each in attributes)).bit_length()
    counters = ValueCounters(tuple(attributes), bits, run.scratch.table("value_counters"))
    words = counters.packed([counting.code_of(each.attribute) for each in attributes])
    keys, size = [name(key) for key in counting.packing.keys], encoded.set_rows
    if stats.classes * (len(keys) + len(words) + 1) > ROOM * size * (len(keys) + 2):
        return None, FrequencySet(source, encoded.table, size)
    run.engine.execute(counters.described())
    table = run.scratch.create(
        "counted_values", counted_values, encoded.table, keys, words, rows=size
    )
    return counters, FrequencySet(source, table, stats.classes)


def _counted_attributes(engine: Engine, encoded: Encoded) -> list[CountedValues]:
    """Count the values of the attributes that the requirements read; none where counters cannot serve."""
    counting, stats = encoded.counting, encoded.stats
    of_rows = not (counting.entity or counting.signature or counting.joint or any(counting.nulls))
    if not of_rows or not serve(counting.requirements):
        return []
    read = {r.measure.sensitive for r in counting.requirements}
    found = []
    for attribute in counting.sensitive:
        if attribute not in read:
            continue
        own = rows_of_codes(encoded.table, counting.code_of(attribute), counted=False)
        rows = _fetched(engine, own)
        every = sum(rows.values()) == stats.rows - stats.left_out
        if (of_table := counting.of_table.get(attribute)) is not None:
            rows = _fetched(engine, rows_of_codes(of_table.table, name("value"), counted=True))
        found.append(CountedValues.of(attribute, rows, every_row=every))
    return found if all(each.codes for each in found) else []


def _fetched(engine: Engine, values: Statement) -> dict[int, int]:
    return {whole(code): whole(rows) for code, rows in engine.fetch(values)}
