"""Finds how numbers are written in columns of texts: decimal signs, thousands, currencies and units, by counts.

A text such as 1.234 is one thousand or one, and a column of nothing else is a question, and never a guess.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from string import digits
from typing import TYPE_CHECKING, Literal

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine

WAYS = tuple(
    (decimal, thousands)
    for thousands, decimal in product(("", ",", ".", " ", "'"), ".,")
    if decimal != thousands
)
"""Decimal signs, and signs between thousands."""
BLANKS = "\u00a0\u202f\u2009"
"""Blanks that do not break or are narrow, which stand between thousands."""
SIGNS = digits + ".,' ()+-"
MOST_WORDS = 20
READ, READ_DIGITS = 0.9, 0.995
"""The least share of a column's values that are read as numbers, and of those with a digit."""
RIVAL = 5
"""A decimal sign is out if it fails at this many times the values that the other one fails at."""
FEW = 0.005
"""The greatest share of numbers with another word than the unit, which are left out as mistakes."""
MOSTLY_UNIT, NEARLY_ALL = 0.5, 0.98
"""The least shares of numbers with a unit that is known, and with any other word after them."""
SHARES = frozenset({"%", "percent", "prozent", "‰"})
"""Words for shares: 5% and 0.05 may be the same."""
Sign = Literal["decimals", "thousands"]
CURRENCIES = frozenset(
    "€ $ £ ¥ ₹ eur euro euros usd us$ gbp chf fr. jpy inr cad aud sek nok dkk pln czk huf zł kr r$ kč dollars".split()  # noqa: SIM905
)
"""Words before or after an amount, in lower case."""
UNITS = frozenset(
    """
    % percent prozent ‰ kg g mg µg ug ng lb lbs oz t km m cm mm µm mi ft in inch inches l dl ml µl °c °f
    h hr hrs hours min mins minutes s sec secs ms d day days tage w weeks wochen mo months monate y yr yrs year years jahre
    mmhg bpm kpa mmol/l mg/dl g/dl g/l iu iu/l u/l kcal kj kwh mw kw hz mhz ghz gb mb kb tb km/h mph m/s kg/m² m² km² ha
    """.split()  # noqa: SIM905  a list of a hundred strings says no more
)
"""Words after a number, in lower case."""


@dataclass(frozen=True, slots=True)
class NumberShape:
    """The texts of a column with the same words around a number: their rows, and those that each of `WAYS` reads.

    Of the rows, `whole` ones have digits alone, and `zero_led` ones of these begin with a needless zero. In `all_rows`
    of the column there is a digit.
    """

    before: str
    after: str
    rows: int
    read: tuple[int, ...]
    whole: int
    zero_led: int
    all_rows: int

    @property
    def word(self) -> str:
        return (self.before or self.after).casefold()


@dataclass(frozen=True, slots=True)
class NumbersWritten:
    """How a column's numbers are written, and the rows that are read so.

    Where texts such as 1.234 leave it open, `choices` are the two readings, and this is the first of them.
    """

    decimal: str
    thousands: str
    affixes: tuple[str, ...]
    rows: int
    choices: tuple[tuple[Sign, NumbersWritten], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the database itself reads such numbers."""
        return self.decimal == "." and not self.thousands and not self.affixes


def find_number_shapes(
    engine: Engine, table: exp.Table, columns: Sequence[str]
) -> dict[str, list[NumberShape]]:
    """Count the texts of columns that have one number in them."""
    found: dict[str, list[NumberShape]] = {name: [] for name in columns}
    if not columns:
        return found
    for number, before, after, *counts in engine.fetch(number_shapes(table, columns)):
        rows, *read = map(whole, counts)
        found[columns[whole(number)]].append(
            NumberShape(str(before), str(after), rows, tuple(read[:-3]), *read[-3:])
        )
    return found


def are_codes(shapes: Sequence[NumberShape]) -> bool:
    """Whether whole numbers have needless zeros in front, so that they are codes and no numbers."""
    return any(each.zero_led for each in shapes if not each.word)


def numbers_written(shapes: Sequence[NumberShape], present: int) -> NumbersWritten | None:
    """Return how a column's numbers are written; None if its `present` values are no numbers.

    Nearly all texts with a digit must be read, as other ones with a digit are codes, and at least nine tenths of all
    texts: the others are words.
    """
    taken = _of_one_unit(shapes)
    read = [sum(each.read[n] for each in taken) for n in range(len(WAYS))]
    if not taken or max(read) < READ * present or are_codes(taken):
        return None
    if max(read) < READ_DIGITS * shapes[0].all_rows:
        return None
    affixes = dict.fromkeys(text for each in taken for text in (each.before, each.after) if text)
    best: dict[str, NumbersWritten] = {}
    for (decimal, thousands), rows in zip(WAYS, read, strict=True):
        if decimal not in best or rows > best[decimal].rows:
            best[decimal] = NumbersWritten(decimal, thousands, tuple(affixes), rows)
    point, comma = best["."], best[","]
    all_rows = sum(each.rows for each in taken)
    if sum(each.whole for each in taken) == all_rows:
        return point
    for first, second in ((point, comma), (comma, point)):
        missed = all_rows - first.rows
        if first.rows > second.rows and all_rows - second.rows >= RIVAL * missed:
            return first
    of_thousands, of_decimals = (point, comma) if point.thousands else (comma, point)
    choices: tuple[tuple[Sign, NumbersWritten], ...] = (
        ("decimals", of_decimals),
        ("thousands", of_thousands),
    )
    return replace(of_decimals, choices=choices)


def _of_one_unit(shapes: Sequence[NumberShape]) -> list[NumberShape]:
    """Return the shapes of numbers without a word, and of those with one word that is a unit, in any case.

    None are returned where a second unit is frequent, as numbers of one are not comparable with those of the other, or
    where a part of the numbers are percentages.
    """
    read = [each for each in shapes if max(each.read) and not (each.before and each.after)]
    rows: Counter[tuple[str, bool]] = Counter()
    for each in read:
        rows[each.word, bool(each.after)] += each.rows
    all_rows = sum(rows.values())
    words = [key for key, _ in rows.most_common() if key[0]]
    units = list(
        dict.fromkeys(
            word
            for word, after in words
            if _is_unit(word, after=after, share=rows[word, after] / all_rows)
        )
    )
    if any(rows[key] > FEW * all_rows for key in words if key[0] not in units):
        return []
    if len(units) > 1 or (units and units[0] in SHARES and any(not each.word for each in read)):
        return []
    return [each for each in read if each.word in {"", *units}]


def _is_unit(word: str, *, after: bool, share: float) -> bool:
    """Whether a word beside a part of all numbers is a unit; letters before a number, and single ones, make codes.

    >>> [_is_unit(w, after=a, share=0.99) for w, a in (("€", False), ("kg", True), ("kg", False), ("v", True))]
    [True, True, False, False]
    """
    if word in CURRENCIES:
        return share > FEW
    if word in UNITS:
        return after and share > MOSTLY_UNIT
    return after and len(word) > 1 and share > NEARLY_ALL


def _pattern(decimal: str, thousands: str) -> str:
    """Return the expression of a number without its sign; no thousand begins with a zero, or has an exponent."""
    plain = f"(?:[0-9]+(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?"
    if not thousands:
        return plain
    return f"(?:{plain}|[1-9][0-9]{{0,2}}(?:[{thousands}][0-9]{{3}})+(?:[{decimal}][0-9]*)?)"


def number_shapes(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the texts that have one number, by the words around it, and by how numbers can be written."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "ways": [
            {"pattern": literal(f"({_pattern(*way)})"), "as": name(f"read_{n}")}
            for n, way in enumerate(WAYS)
        ],
        "digits": literal(digits),
        "others": literal(digits[1:-1]),
        "nines": literal("9" * len(digits[1:-1])),
        "signs": literal(SIGNS),
        "blanks": literal(BLANKS),
        "turned": literal(" " * len(BLANKS)),
        "nothing": literal(""),
        "most": MOST_WORDS,
    }
    return Statement("getting_started/number_shapes", leaves)
