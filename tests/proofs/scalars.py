"""What the functions and operators of SQL give for plain values, by the class of sqlglot's tree that names them.

Whole numbers and quotients are exact. A text is a str, bytes are bytes, NULL is None.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction

from sqlglot import exp

from tests.proofs.choices import Raised


def strict(function):
    """Give NULL where any argument is NULL."""
    return lambda *values: None if None in values else function(*values)


def logarithm(value):
    """Return the natural logarithm to thirty digits, as a quotient; NULL where there is none."""
    if value <= 0:
        return None
    with localcontext() as context:
        context.prec = 30
        return Fraction(Decimal(value).ln())


def half_up(value, places=0):
    scaled = abs(Fraction(value)) * 10**places
    return Fraction(math.floor(scaled + Fraction(1, 2)), 10**places) * (1 if value >= 0 else -1)


def remainder(a, b):
    """Return the remainder with the sign of the dividend; NULL by zero."""
    return None if b == 0 else int(math.copysign(abs(a) % abs(b), a)) if a else 0


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


NO_NUMBER = "a text that is no number"
"""What a cast ends with that a statement uses as an error."""
WHOLE = {"BIGINT", "INT", "INTEGER", "INT128", "UBIGINT", "SMALLINT", "TINYINT", "HUGEINT"}


def cast_to(name):
    """Return the function that casts to a type."""
    if name in WHOLE:

        def whole(value):
            if isinstance(value, str):
                text = value.strip()
                if not re.fullmatch("[+-]?[0-9]+", text):
                    return Raised(NO_NUMBER)
                return int(text)
            return half_up(value)

        return whole
    if name in {"DECIMAL", "DOUBLE"}:
        return lambda value: Fraction(value) if isinstance(value, str) else value
    if name in {"TEXT", "VARCHAR"}:
        return text_of
    if name in {"VARBINARY", "BLOB"}:
        return lambda value: value if isinstance(value, bytes) else value.encode()
    raise NotImplementedError(f"a cast to {name}")


def conjunction(a, b):
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def disjunction(a, b):
    if a is True or b is True:
        return True
    return None if a is None or b is None else False


def cut(text, start, length=None):
    begin = start - 1
    return text[begin:] if length is None else text[begin : begin + length]


BINARY = {
    exp.Add: strict(lambda a, b: a + b),
    exp.Sub: strict(lambda a, b: a - b),
    exp.Mul: strict(lambda a, b: a * b),
    exp.Div: strict(lambda a, b: None if b == 0 else Fraction(a) / Fraction(b)),
    exp.IntDiv: strict(lambda a, b: None if b == 0 else int(a / b)),
    exp.Mod: strict(remainder),
    exp.BitwiseAnd: strict(lambda a, b: a & b),
    exp.BitwiseOr: strict(lambda a, b: a | b),
    exp.DPipe: strict(lambda a, b: a + b),
    exp.EQ: strict(lambda a, b: a == b),
    exp.NEQ: strict(lambda a, b: a != b),
    exp.LT: strict(lambda a, b: a < b),
    exp.LTE: strict(lambda a, b: a <= b),
    exp.GT: strict(lambda a, b: a > b),
    exp.GTE: strict(lambda a, b: a >= b),
    exp.NullSafeEQ: lambda a, b: a == b,
    exp.NullSafeNEQ: lambda a, b: a != b,
    exp.And: conjunction,
    exp.Or: disjunction,
}


def greatest(*values):
    return max((each for each in values if each is not None), default=None)


def least(*values):
    return min((each for each in values if each is not None), default=None)


def first_known(*values):
    return next((each for each in values if each is not None), None)


FUNCTIONS = {
    exp.Coalesce: first_known,
    exp.Greatest: greatest,
    exp.Least: least,
    exp.Abs: strict(abs),
    exp.Floor: strict(math.floor),
    exp.Ceil: strict(math.ceil),
    exp.Round: strict(half_up),
    exp.Ln: strict(logarithm),
    exp.Nullif: lambda a, b: None if a == b else a,
    exp.Concat: lambda *values: "".join(text_of(v) for v in values if v is not None),
    exp.Substring: strict(cut),
    exp.Encode: strict(lambda text, *_: text.encode()),
    exp.ArraySort: strict(lambda values, *_: tuple(sorted(values))),
    exp.Length: strict(len),
    exp.Lower: strict(str.lower),
}
"""By class; the arguments are those that the tree has, in order."""

NAMED = {
    "error": Raised,
    "raise_error": Raised,
    "array_to_string": strict(lambda values, between: between.join(map(text_of, values))),
}
"""Functions that sqlglot has no class for, by name."""
