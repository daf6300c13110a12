"""Finds numbers and days that stand for a missing value, such as 999 and 1900-01-01, as a column's texts write them."""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.column_profiles import INFINITE, ZIP
from kanon_sql.counting.source.person_keys import folded
from kanon_sql.counting.source.read_texts import ReadColumn, count_missing_entries
from kanon_sql.engines.base import whole
from kanon_sql.engines.missing_texts import CODES_OF_MISSING
from kanon_sql.engines.source.source_sql import count_codes
from kanon_sql.policy.text_formats import (
    DIRECTIVE,
    MONTHS,
    NUMBER_OF_DAYS,
    DateFormat,
    NumberFormat,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.written_columns import WrittenColumn
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.text_formats import TextFormat
    from kanon_sql.recoding.linked_rows import Spelled

MIDNIGHTS = ("", " 00:00:00", " 00:00", "T00:00:00", "T00:00:00Z", " 00:00:00.000", " 00:00:00+00")
"""How databases and programs write the time of a day that stands for an unknown one."""
WRITTEN: dict[str, tuple[str, ...]] = {
    "H": ("00", "0"), "I": ("12",), "M": ("00",), "S": ("00",), "f": ("000", "000000"), "p": ("AM", "am"),
    "z": ("Z", "+00:00", "+0000"),
}  # fmt: skip
"""How a pattern's directives write midnight."""


def find_missing_codes(
    run: Session,
    table: exp.Table,
    read: exp.Table,
    profiles: Sequence[ColumnProfile],
    written: Mapping[str, WrittenColumn],
) -> dict[str, Spelled]:
    """Find the codes and days of columns that stand for a missing value, with the rows of all of them.

    `read` is the table as the formats read it, and the profiles are those of its columns.
    """
    stand_ins = {
        each.name: [*_of_days(each, _format(written, each.name))]
        for each in profiles
        if each.sentinels
    }
    names = [
        each.name
        for each in profiles
        if each.is_number and not each.unbounded and each.values > 1 and _ends_in_code(each)
        if not ZIP.search(folded(each.name))
    ]
    if names:
        for number, code, *_ in run.engine.fetch(count_codes(read, names)):
            name = names[whole(number)]
            own = [*_of_code(int(float(str(code))), _format(written, name))]
            stand_ins[name] = [*stand_ins.get(name, ()), *own]
    if not stand_ins:
        return {}
    types = {each.name: each for each in run.engine.columns(table)}
    asked = [(name, text) for name, texts in stand_ins.items() for text in dict.fromkeys(texts)]
    entries = [ReadColumn(types[name], (text,), _format(written, name)) for name, text in asked]
    counts = run.engine.fetch_counts(count_missing_entries(table, entries))
    found: dict[str, Spelled] = {}
    for (name, text), rows in zip(asked, counts, strict=True):
        if rows:
            texts, before = found.get(name, ((), 0))
            found[name] = ((*texts, text), before + rows)
    return found


def _ends_in_code(profile: ColumnProfile) -> bool:
    """Whether the least or the largest number is a code: one that stands apart from all others is."""
    spread = profile.spread
    return spread is not None and not {spread.least, spread.largest}.isdisjoint(CODES_OF_MISSING)


def _format(written: Mapping[str, WrittenColumn], name: str) -> TextFormat | None:
    return written[name].decided if name in written else None


def _of_days(profile: ColumnProfile, format_: TextFormat | None) -> Iterator[str]:
    """Yield the texts by which a column writes the days that stand for an unknown one."""
    for text, _ in profile.sentinels:
        if text in INFINITE:
            yield text
        elif isinstance(format_, DateFormat):
            for pattern in format_.dates:
                yield from _written(date.fromisoformat(text), pattern)
        else:
            yield from (text + time for time in MIDNIGHTS)


def _written(day: date, pattern: str) -> Iterator[str]:
    """Yield the texts by which a pattern of dates writes a day.

    >>> list(_written(date(1900, 1, 1), "%d.%m.%Y")), list(_written(date(1900, 1, 1), "excel"))
    (['01.01.1900', '1.1.1900'], ['2'])
    >>> "31 Dec. 9999" in _written(date(9999, 12, 31), "%d %b %Y")
    True
    """
    if pattern in NUMBER_OF_DAYS:
        per_day, first, _ = NUMBER_OF_DAYS[pattern]
        yield str(((day - date(1970, 1, 1)).days + first) * per_day)
        return
    numbers = {
        "Y": f"{day.year:04}",
        "y": f"{day.year % 100:02}",
        "q": str((day.month + 2) // 3),
        "G": f"{day.isocalendar().year:04}",
        "V": f"{day.isocalendar().week:02}",
    }
    names = dict.fromkeys(MONTHS[day.month - 1])
    named = tuple(
        case(each) + dot
        for each in names
        for case in (str.title, str.lower, str.upper)
        for dot in ("", ".")
    )
    others = {**WRITTEN, "b": named, "B": named}
    parts = DIRECTIVE.split(pattern)
    for two in (True, False):
        dated = {
            "d": f"{day.day:02}" if two else str(day.day),
            "m": f"{day.month:02}" if two else str(day.month),
        }
        texts = [
            (part,)
            if n % 2 == 0
            else ((numbers | dated)[part],)
            if part in numbers | dated
            else others.get(part, ("",))
            for n, part in enumerate(parts)
        ]
        yield from dict.fromkeys("".join(each) for each in product(*texts))


def _of_code(code: int, format_: TextFormat | None) -> Iterator[str]:
    """Yield the texts by which a column of numbers writes a code.

    >>> list(_of_code(-9, None)), list(_of_code(99, NumberFormat(",", ".", ("kg",))))[:6]
    (['-9', '-9.0', '-9.00'], ['99', '99,0', '99,00', '99 kg', '99kg', 'kg 99'])
    """
    numbers = format_ if isinstance(format_, NumberFormat) else NumberFormat()
    texts = [str(code)]
    if numbers.thousands and abs(code) > 999:
        texts.append(f"{code:,}".replace(",", numbers.thousands))
    ends = ("", f"{numbers.decimal}0", f"{numbers.decimal}00")
    texts = [each + end for each in texts for end in ends]
    yield from texts
    for text, affix in product(texts, numbers.affixes):
        yield from (f"{text} {affix}", f"{text}{affix}", f"{affix} {text}", f"{affix}{text}")
