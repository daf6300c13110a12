"""The masking actions that a column may have, and the list of them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, ClassVar, cast

from kanon_sql.base.documents.records import Null
from kanon_sql.base.documents.shapes import (
    Anything,
    Number,
    OneOf,
    Parsed,
    Several,
    Text,
    Whole,
    check,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.hierarchies.entries import HierarchyKind  # noqa: TC001  a Record reads it
from kanon_sql.policy.hierarchies.specs import HIERARCHY
from kanon_sql.policy.mask import AFTER, DRAWN, FAKES, LANGUAGES, Mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.mask import Steps
    from kanon_sql.policy.model import Column, Policy

NUMBERS = frozenset({"integer", "decimal", "float", "text"})
DATES = frozenset({"date", "timestamp", "text"})
PLAIN = frozenset({"text", "integer", "decimal", "boolean", "date"})
"""Families whose values every database writes as the same text."""
MOST_DECIMALS = 6
"""The most decimals of a step: its whole units are then exact in every database."""


class DropMask(Mask):
    """The column is left out of the release."""

    key = "drop"
    treatment = shown = "dropped"
    unprotected = "nothing of the column is released"
    is_dropped = True
    no_warehouse = no_dbt = ""
    in_dbt = "nothing"


class HashMask(Mask):
    """A pseudonym: the hash of the value under a secret key (HMAC-SHA-256), in hexadecimal."""

    key = "hash"
    treatment = "replaced by a keyed hash"
    shown = "pseudonym"
    unprotected = "which rows have one value, and how many; whoever has the key can try values"
    keeps = ("equality", "frequencies")
    keyed = links = told_apart = in_domains = True
    staged_as = "hash"
    no_dbt = ""
    in_dbt = "pseudonym"
    purpose = None  # its cells show the whole hash


class NullMask(Mask):
    """NULL in every row, of the column's own type."""

    key = "null"
    treatment = "set to NULL"
    shown = "NULL in every row"
    unprotected = "nothing of the values is released"
    staged_as = "null"
    no_warehouse = no_dbt = ""
    in_dbt = "null"


def _constant(value: object) -> str | int | Decimal:
    known = isinstance(value, str | int | float) and not isinstance(value, bool)
    check(("", known, "must be a text or a number"))
    return Decimal(str(value)) if isinstance(value, float) else value  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class ConstantMask(Mask):
    """One value in every row, also where the column is NULL."""

    value: Annotated[str | int | Decimal, Parsed(Anything(), _constant)]

    key = "constant"
    treatment = shown = "one value in every row"
    unprotected = "nothing of the values is released"
    fragment = "sql/source/masks/part/constant.sql.j2"

    def leaves(self, family: str) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        del family
        return {"constant": literal(self.value)}


PATTERNS = {
    "email": ("[^ \t\r\n<>(),;:]+@[^ \t\r\n<>(),;:]+", "[email]"),
    "phone": ("[+(]?[0-9][0-9 ()/.-]{5,}[0-9]", "[phone]"),
    "number": ("[0-9]+([.,:/-][0-9]+)*", "[number]"),
}
"""What is found in a text, in the order in which it is replaced, and the mark in its place."""


@dataclass(frozen=True, slots=True)
class RedactMask(Mask):
    """The text, with marks for e-mail addresses, telephone numbers and other numbers in ASCII digits."""

    patterns: Annotated[
        tuple[str, ...], Several(OneOf(tuple(PATTERNS)), empty="must name a pattern")
    ] = tuple(PATTERNS)

    key = "redact"
    treatment = shown = "text without addresses and numbers"
    unprotected = "names, places and all else that the text says in words"
    told_apart = repeats = True
    fragment = "sql/source/masks/part/redact.sql.j2"
    families = frozenset({"text"})

    def leaves(self, family: str) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        del family
        chosen = [found for each, found in PATTERNS.items() if each in self.patterns]
        return {"patterns": [(literal(pattern), literal(mark)) for pattern, mark in chosen]}


@dataclass(frozen=True, slots=True)
class PartialMask(Mask):
    """The first and last characters of a text, and `****` for the others; a text that has no others is `****`."""

    first: Annotated[int, Whole(0, 1000)] = 0
    last: Annotated[int, Whole(0, 1000)] = 0
    mark: Annotated[str, Text()] = "****"

    key = "partial"
    treatment = shown = "some characters of the text"
    unprotected = "the characters that are shown, which may be of few values"
    told_apart = True
    fragment = "sql/source/masks/part/partial.sql.j2"
    families = PLAIN

    def __post_init__(self) -> None:
        check(("", self.first + self.last > 0, "action partial needs first, last or both"))

    def leaves(self, family: str) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        del family
        others = self.first + self.last
        mark = literal(self.mark)
        return {"first": self.first, "last": self.last, "others": others, "mark": mark}


def _part(value: object) -> str | int:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 1000
    parts = "year, quarter, month, week, day, hour or minute"
    check(("", whole or value in TIMES, f"must be {parts}, or a number of characters"))
    return value  # type: ignore[return-value]


TIMES = ("year", "quarter", "month", "week", "day", "hour", "minute")


@dataclass(frozen=True, slots=True)
class TruncateMask(Mask):
    """The start of the year, month or other part that a date is in, or the first characters of a text."""

    to: Annotated[str | int, Parsed(Anything(), _part)]

    key = "truncate"
    treatment = shown = "the start of the value"
    unprotected = "the part that is left, which may be of few values"
    keeps = ("order",)
    told_apart = True

    @property
    def fragment(self) -> str:  # type: ignore[override]
        """The template for a date or a text."""
        of = "text" if isinstance(self.to, int) else "date"
        return f"sql/source/masks/part/truncate_{of}.sql.j2"

    @property
    def families(self) -> frozenset[str]:  # type: ignore[override]
        """The families of dates, or of plain texts."""
        return PLAIN if isinstance(self.to, int) else DATES

    def leaves(self, family: str) -> dict[str, object]:
        return {"family": family, "part": self.to, "first": self.to}


def _units(step: Decimal) -> dict[str, int]:
    """Return a step in whole units, of which one has 2 x 10^decimals, so that half a step is whole too."""
    decimals = max(0, -int(step.normalize().as_tuple().exponent))
    unit = 2 * 10**decimals
    whole = int(step * unit)
    return {"decimals": decimals, "unit": unit, "step": whole, "half": whole // 2, "none": 0}


class _Stepped(Mask):
    """A mask that shows a multiple of a step in the place of a number."""

    told_apart = True
    families = NUMBERS


def _check_step(key: str, step: Decimal) -> None:
    fits = -int(step.normalize().as_tuple().exponent) <= MOST_DECIMALS and step < 10**9
    check((key, fits, f"must be below 10^9, with at most {MOST_DECIMALS} decimals"))


@dataclass(frozen=True, slots=True)
class RoundMask(_Stepped):
    """The nearest multiple of a step; of two, the greater."""

    to: Annotated[Decimal, Number(positive=True)]

    key = "round"
    treatment = shown = "rounded"
    unprotected = "the number up to half a step, and extreme numbers as extreme"
    keeps = ("order",)
    fragment = "sql/source/masks/part/round.sql.j2"

    def __post_init__(self) -> None:
        _check_step("to", self.to)

    def leaves(self, family: str) -> dict[str, object]:
        return {**_units(self.to), "family": family}


@dataclass(frozen=True, slots=True)
class BucketMask(_Stepped):
    """The interval that a number is in, of a width and from a multiple of it, as `[20, 30)`."""

    width: Annotated[Decimal, Number(positive=True)]

    key = "bucket"
    treatment = shown = "interval of the number"
    unprotected = "the interval, of which the first and last may be of few rows"
    repeats = True
    fragment = "sql/source/masks/part/bucket.sql.j2"

    def __post_init__(self) -> None:
        _check_step("width", self.width)

    def leaves(self, family: str) -> dict[str, object]:
        return {**_units(self.width), "family": family}


@dataclass(frozen=True, slots=True)
class ShiftDateMask(Mask):
    """A date moved by 1 to `days` days, forwards or back: by as many for all dates of one value of `by`."""

    by: Annotated[str, Text()]
    days: Annotated[int, Whole(1, 36500)]

    key = "shift_date"
    treatment = shown = "date moved by days of its person"
    unprotected = "the days between two dates of a person; one known date tells all others"
    keyed = told_apart = made_up = keeps_differences = True
    fragment = "sql/source/masks/part/shift_date.sql.j2"
    families = DATES

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.by,)

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        del column
        if all(each.name != self.by for each in policy.columns):
            yield f"is moved by the days of {self.by}, which is no column"

    def leaves(self, family: str) -> dict[str, object]:
        return {"family": family, "days": self.days}


@dataclass(frozen=True, slots=True)
class FormatMask(Mask):
    """Other digits in the place of the digits, by a keyed permutation: two values never become one.

    A Feistel network of eight rounds, with SHA-256 under a key of its own, over texts of 6 to 30 digits; others become NULL.
    """

    key = "format"
    treatment = shown = "other digits in the same places"
    unprotected = (
        "which rows have one value; all that is no digit; of 6 digits, whoever knows many pairs"
    )
    keeps = ("equality", "frequencies")
    keyed = links = told_apart = repeats = True
    fragment = "sql/source/masks/part/format.sql.j2"
    families = frozenset({"text", "integer"})
    rounds: ClassVar[int] = 8
    tabulates = True
    most_places: ClassVar[int] = 6
    """The most digits of a half whose numbers are tabulated: a table of a million for each round."""

    def turn(self, number: int) -> exp.Expr:
        from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

        return quoting.literal(f"{number} ")

    def worth(self, lengths: Mapping[int, float]) -> list[tuple[int, int, int]]:
        # A number that is looked up costs a third of one that is hashed, and each value of a half is hashed once.
        return [
            (turn, length, places)
            for length, rows in sorted(lengths.items())
            for turn in range(1, self.rounds + 1)
            for places in ((length + turn % 2) // 2,)
            if places <= self.most_places and 3 * 10**places <= rows
        ]

    def read_by(self) -> Sequence[tuple[str, str, Mapping[str, object]]]:
        """Return the steps that read the digits of a value: each with what it finds and its own leaves."""
        return (("parts", "parts", {}), ("digits", "digits", {}))

    def steps(
        self,
        own: str,
        column: Column,
        keys: Mapping[str, object],
    ) -> tuple[Steps, dict[str, object]]:
        from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

        def step(what: str, at: object, **leaves: object) -> dict[str, object]:
            path = f"sql/source/masks/part/{what}_step.sql.j2"
            return {"step": path, "as": quoting.name(f"{own}_{at}"), **leaves}

        def read(at: object) -> exp.Column:
            return quoting.column(f"{own}_{at}", of="s")

        digits, parts = read("digits"), read("parts")
        value = {"from": quoting.column(column.name, of="s")}
        found: list[list[dict[str, object]]] = [
            *([step(what, at, parts=parts, **value, **of)] for what, at, of in self.read_by()),
            [
                step(what, at, digits=digits, left=left)
                for left, half in ((True, 0), (False, 1))
                for what, at in (("half", half), ("many", f"many_{half}"))
            ],
        ]
        found[-1].append(step("length", "length", digits=digits))
        leaves = {"length": read("length"), "purpose": quoting.literal(str(self.purpose)), **keys}
        tabulated = dict(cast("Mapping[int, exp.Table]", leaves.pop("tabulated", {})))
        for at in range(2, self.rounds + 2):  # each half by turns, from the other one
            leaves |= {"own": read(at - 2), "other": read(at - 1), "many": read(f"many_{at % 2}")}
            leaves |= {"turn": self.turn(at - 1), "tabulated": None}
            if at - 1 in tabulated:
                alias = quoting.name(f"{own}_t{at}")
                leaves["tabulated"] = {"table": tabulated[at - 1], "alias": alias}
            found.append([step("round", at, **leaves)])
        halves = {"low": read(self.rounds), "high": read(self.rounds + 1)}
        found.append([step("permuted", "permuted", digits=digits, **halves)])
        return found, {"permuted": read("permuted"), "parts": parts}


@dataclass(frozen=True, slots=True)
class KeyNumberMask(FormatMask):
    """Another whole number of at most `digits` digits in the place of one, by the permutation of a key `domain`.

    The policy of a schema states it, as `digits` of a key. Numbers are filled up with zeros first, so that no number tells
    how many digits another had; one that does not fit becomes NULL.
    """

    digits: int
    domain: str

    key = "number"
    treatment = "replaced by another whole number, under a key"
    shown = "pseudonym, a whole number"
    unprotected = "which rows have one value, and how many; whoever has the key can undo it"
    fragment = "sql/source/masks/part/number.sql.j2"
    families = frozenset({"integer"})

    @property
    def purpose(self) -> str:
        return f"{self.key} {self.digits} {self.domain}"

    def worth(self, lengths: Mapping[int, float]) -> list[tuple[int, int, int]]:
        # slots make a class anew, so that super() without arguments would name another one
        return FormatMask.worth(self, {self.digits: sum(lengths.values())})

    def read_by(self) -> Sequence[tuple[str, str, Mapping[str, object]]]:
        from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

        most, places = quoting.literal(10**self.digits - 1), quoting.literal(self.digits)
        return (("filled", "digits", {"most": most, "places": places}),)


@dataclass(frozen=True, slots=True)
class FakeMask(Mask):
    """A made-up value of a kind, the same for equal values; different values may become one."""

    kind: Annotated[str, OneOf(tuple(FAKES))]
    language: Annotated[str, OneOf(LANGUAGES)] = "en"
    values: Annotated[tuple[str, ...], Several(Text(), alone=False, empty="must have a value")] = ()

    key = "fake"
    treatment = shown = "made-up value"
    unprotected = "which rows have one value, where few values become one"
    keeps = ("equality",)
    keyed = told_apart = made_up = repeats = True
    fragment = "sql/source/masks/part/fake.sql.j2"
    families = PLAIN

    @property
    def links(self) -> bool:  # type: ignore[override]
        """Whether there are so many made-up values that hardly two values become one."""
        return self.kind in {"email", "iban"}

    @property
    def purpose(self) -> str:
        return f"{self.key} {self.kind}"

    def leaves(self, family: str) -> dict[str, object]:
        del family
        return {"pieces": FAKES[self.kind](self.language, self.values)}


@dataclass(frozen=True, slots=True)
class ExpressionMask(Mask):
    """What an expression makes of the value: SQL over this column alone."""

    sql: Annotated[str, Text()]

    key = "expression"
    treatment = shown = "what an expression makes of the value"
    unprotected = "whatever the expression shows: kanon-sql does not judge it"
    told_apart = True
    fragment = "sql/source/masks/part/expression.sql.j2"
    families = PLAIN

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        from kanon_sql.base.sql.quoting import expression  # noqa: PLC0415  a policy is read without sqlglot

        del policy
        try:
            expression(self.sql, column.name)
        except ValueError as error:
            yield f"has an expression that {error}"

    def steps(
        self, own: str, column: Column, keys: Mapping[str, object]
    ) -> tuple[Steps, dict[str, object]]:
        from kanon_sql.base.sql.quoting import expression  # noqa: PLC0415  a policy is read without sqlglot

        del own, keys
        return (), {"expression": expression(self.sql, column.name)}


@dataclass(frozen=True, slots=True)
class NoiseMask(Mask):
    """A number with noise of at most `up_to`, drawn so that the total over all released rows stays the same.

    Each row adds a number drawn at random, and takes off that of the row before it in an order drawn at random.
    """

    up_to: Annotated[Decimal, Number(positive=True)]

    key = "noise"
    treatment = shown = "number with noise, of the same total"
    unprotected = "the number up to the noise, and extreme numbers as extreme"
    keeps = ("sums",)
    told_apart = True
    drawn_by = "sql/release/drawn/part/noise.sql.j2"
    families = frozenset({"integer", "decimal", "float"})
    no_view = DRAWN
    no_script = AFTER
    no_new_rows = "each partition would draw beside the others, whose total is published"

    def __post_init__(self) -> None:
        _check_step("up_to", self.up_to)
        check(
            ("up_to", self.leaves("integer")["half"] != 0, "must be at least 2 of its last digit")
        )

    def leaves(self, family: str) -> dict[str, object]:
        own = -int(self.up_to.normalize().as_tuple().exponent)
        decimals = max(own, 0) if family == "integer" else min(max(own, 0) + 2, MOST_DECIMALS)
        half = int(self.up_to * 10**decimals) // 2
        return {"decimals": decimals, "half": half, "as_double": family == "float"}


class ShuffleMask(Mask):
    """The values of a class, dealt to its rows at random."""

    key = "shuffle"
    treatment = shown = "values of its class, dealt at random"
    unprotected = "which values a class has, as plain as without it"
    keeps = ("frequencies", "sums")
    told_apart = made_up = True
    drawn_by = "sql/release/drawn/part/shuffled.sql.j2"
    no_view = DRAWN
    no_script = AFTER
    no_new_rows = "a partition would deal the values of its own rows alone"


def _separator(value: object) -> str | None:
    one = isinstance(value, str) and len(value) == 1 and value not in "\\^[]-" and value >= " "
    what = "must be true, of a list, or the one character between items, other than \\ ^ [ ] and -"
    check(("", value is True or one, what))
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class ItemsMask(Mask):
    """A list of items, generalized and removed until any `known` of them are those of at least k people of a class.

    A policy states it as `role: quasi, items: true`. The items are shown in the order of their texts, each once.
    """

    items: Annotated[str | None, Parsed(Anything(), _separator), Null]
    known: Annotated[int, Whole(1, 3)]
    hierarchy: Annotated[HierarchyKind | None, HIERARCHY] = None

    key = "items"
    treatment = shown = "list, of which any known items are those of k people of the class"
    unprotected = "the whole list, which may be of one person, to whoever knows more of its items"
    told_apart = in_lists = True
    no_view = "rows to come would change which items its classes share"
    no_script = "how far items are generalized follows from rows, and a script is written before"
    no_warehouse = no_dbt = no_script
    no_new_rows = "items are counted among rows of one release, and other partitions are published"

    def why_no_type(self, kind: str, family: str) -> str | None:
        is_list = kind.endswith("[]") or kind.lower().startswith("array<")
        if self.items is None:
            return (
                None if is_list else "a list; for a text say items: and the character between items"
            )
        return None if family == "text" else "a text"


DROP, HASH, NULL = DropMask(), HashMask(), NullMask()
MASKS: tuple[type[Mask], ...] = (
    DropMask, HashMask, NullMask, ConstantMask, RedactMask, PartialMask, TruncateMask, RoundMask, BucketMask,
    ShiftDateMask, NoiseMask, ShuffleMask, FormatMask, FakeMask, ExpressionMask,
    ItemsMask,
)  # fmt: skip
"""Every masking action."""
ALONE: dict[str, Mask] = {each.key: each for each in (DROP, HASH, NULL)}
"""The actions without parameters, which say that a column identifies people."""
BY_KEY = {each.key: each for each in MASKS}
APPLIED: dict[str, type[Mask]] = {**BY_KEY, KeyNumberMask.key: KeyNumberMask}
"""Every action of a column: those that a policy states for it, and that of a key of a schema."""
