"""Masking actions by hand: what each shows of a value, in Python alone."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from decimal import ROUND_FLOOR, Decimal

KEY = "a key of thirty-two bytes, or so"
SIGNS = re.compile(r"[^ \t\r\n<>(),;:]+@[^ \t\r\n<>(),;:]+")
PHONE = re.compile(r"[+(]?[0-9][0-9 ()/.-]{5,}[0-9]")
NUMBER = re.compile(r"[0-9]+([.,:/-][0-9]+)*")


def hashed(purpose, value, key=KEY):
    """The hash that a keyed mask takes its numbers from: of a key of its own, by HMAC with the pads exchanged, and a value."""
    padded = key.encode().ljust(64, b"\0")
    inner, outer = (bytes(each ^ pad for each in padded) for pad in (0x36, 0x5C))
    own = hashlib.sha256(inner + hashlib.sha256(outer + purpose.encode()).digest()).digest()
    return hashlib.sha256(own + str(value).encode()).hexdigest()


def number(digest, at=0):
    return int(digest[15 * at : 15 * at + 15], 16)


def partial(value, first=0, last=0, mark="****"):
    if value is None:
        return None
    inner = len(value) > first + last
    return value[:first] + mark + value[len(value) - last :] if inner else mark


def redacted(value):
    if value is None:
        return None
    return NUMBER.sub("[number]", PHONE.sub("[phone]", SIGNS.sub("[email]", value)))


def floored(value, step):
    return (Decimal(value) / step).to_integral_value(ROUND_FLOOR) * step


def rounded(value, step):
    return None if value is None else floored(Decimal(value) + step / 2, step)


def bucket(value, width):
    if value is None:
        return None
    least = floored(value, width).quantize(Decimal(width))
    return f"[{least}, {least + width})"


def shifted(value, person, days):
    if value is None or person is None:
        return None
    drawn = number(hashed("shift_date", person)) % (2 * days)
    return value + dt.timedelta(days=drawn - days + (drawn >= days))


def permuted(value, key=KEY):
    """Eight rounds over the two halves of the digits; all other characters stay."""
    if value is None:
        return None
    digits = re.sub("[^0-9]", "", value)
    if not 6 <= len(digits) <= 30:
        return None
    sizes = len(digits) // 2, len(digits) - len(digits) // 2
    halves = [int(digits[: sizes[0]]), int(digits[sizes[0] :])]
    for turn in range(8):
        text = f"{turn + 1} {len(digits)} {halves[1 - turn % 2]}"
        added = number(hashed("format", text, key))
        halves[turn % 2] = (halves[turn % 2] + added) % 10 ** sizes[turn % 2]
    new = iter("".join(str(half).zfill(size) for half, size in zip(halves, sizes, strict=True)))
    return "".join(next(new) if "0" <= each <= "9" else each for each in value)


def unpermuted(value, key=KEY):
    """The rounds backwards, which no mask does: whoever has the key gets the value back."""
    digits = re.sub("[^0-9]", "", value)
    sizes = len(digits) // 2, len(digits) - len(digits) // 2
    halves = [int(digits[: sizes[0]]), int(digits[sizes[0] :])]
    for turn in reversed(range(8)):
        text = f"{turn + 1} {len(digits)} {halves[1 - turn % 2]}"
        added = number(hashed("format", text, key))
        halves[turn % 2] = (halves[turn % 2] - added) % 10 ** sizes[turn % 2]
    new = iter("".join(str(half).zfill(size) for half, size in zip(halves, sizes, strict=True)))
    return "".join(next(new) if "0" <= each <= "9" else each for each in value)


def is_iban(text):
    """Whether the check digits are right, by ISO 13616."""
    moved = text[4:] + text[:4]
    return int("".join(str(int(each, 36)) for each in moved)) % 97 == 1
