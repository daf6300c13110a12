"""What `init` finds by counting texts: codes for missing values, identifying numbers, and profiles without either.

A number or a day such as 999 or 1900-01-01 may stand for a missing value. Codes, phone numbers and account numbers are
found by names, and by counting the values that fit.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING

from sqlglot import TokenType, tokenize

from kanon_sql.apps.getting_started.column_profiles import INFINITE, ZIP, profile_columns
from kanon_sql.apps.getting_started.date_forms import first_rows, texts_of_day
from kanon_sql.apps.getting_started.role_names import rule_of
from kanon_sql.apps.getting_started.written_columns import as_before, find_written
from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.person_keys import FEW, folded, unique_counts
from kanon_sql.counting.source.text_files import (
    ReadColumn,
    count_missing_entries,
    read_texts,
)
from kanon_sql.engines.base import whole
from kanon_sql.engines.files.file_texts import CODES_OF_MISSING, STAND_FOR_MISSING
from kanon_sql.engines.source.source_sql import count_codes
from kanon_sql.errors import StatementError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.codes import SCHEMES, CodeScheme
from kanon_sql.policy.model import Role
from kanon_sql.policy.text_formats import (
    SPACES,
    DateFormat,
    NumberFormat,
)
from kanon_sql.recoding.linked_rows import spelled_missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.clean_source import Cure
    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.written_columns import WrittenColumn
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.person_keys import ValueCounts
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.policy.text_formats import TextFormat
    from kanon_sql.recoding.linked_rows import Spelled


MIDNIGHTS = (
    "", " 00:00:00", " 00:00", "T00:00:00", "T00:00:00Z", " 00:00:00.000", " 00:00:00+00", " 00:00:00+00:00", "T00:00:00+00:00",
)  # fmt: skip
"""How databases and programs write the time of a day that stands for an unknown one."""


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
                yield from texts_of_day(date.fromisoformat(text), pattern)
        else:
            yield from (text + time for time in MIDNIGHTS)


def _of_code(code: int, format_: TextFormat | None) -> Iterator[str]:
    r"""Yield the texts by which a column of numbers writes a code.

    >>> list(_of_code(-9, None))[:3], list(_of_code(99, NumberFormat(",", ".", ("kg",))))[:6]
    (['-9', '-9.0', '-9.00'], ['99', '99,0', '99,00', '99 kg', '99kg', 'kg 99'])
    >>> "9\u202f999" in _of_code(9999, NumberFormat(",", " "))
    True
    """
    numbers = format_ if isinstance(format_, NumberFormat) else NumberFormat()
    texts = [str(code)]
    if numbers.thousands and abs(code) > 999:
        texts.append(f"{code:,}".replace(",", numbers.thousands))
    ends = ("", f"{numbers.decimal}0", f"{numbers.decimal}00")
    texts = [each + end for each in texts for end in ends]
    for text, affix in product(tuple(texts), numbers.affixes):
        texts += [f"{text} {affix}", f"{text}{affix}", f"{affix} {text}", f"{affix}{text}"]
    yield from texts
    # A format reads each of these blanks as the others; `missing:` compares letters.
    yield from (text.replace(" ", blank) for text in texts if " " in text for blank in SPACES[1:])
    yield from _with_exponent(code, numbers.decimal)


def _with_exponent(code: int, decimal: str) -> Iterator[str]:
    """Yield the texts by which programs write a code with an exponent.

    >>> list(_with_exponent(-99, "."))[:4]
    ['-9.9e+1', '-9.9e+01', '-9.9e1', '-9.9e01']
    """
    mantissa, _, exponent = f"{Decimal(code):e}".partition("e")
    power = int(exponent)
    for digits, letter in product((mantissa, f"{Decimal(mantissa):.6f}"), "eE"):
        for written in (f"+{power}", f"+{power:02}", f"{power}", f"{power:02}"):
            yield f"{digits}{letter}{written}".replace(".", decimal)


QUOTE = '"'


def in_sql(name: str) -> str:
    """Write a column's name as conditions and queries need it.

    >>> in_sql("ward"), in_sql("Year of birth"), in_sql("Alter")
    ('ward', '"Year of birth"', '"Alter"')
    """
    is_word = re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None
    return (
        name
        if is_word and tokenize(name)[0].token_type is TokenType.VAR
        else printable(f'"{name.replace(QUOTE, QUOTE * 2)}"')
    )


NAMES = {
    "icd10": r"icd|diag|dx|disease|condition|cause",
    "icd9": r"icd|diag|dx|disease|condition|cause",
    "atc": r"atc|drug|medication|substance|medicine",
    "nace": r"nace|isic|industry|sector|branch|activity",
    "naics": r"naics|industry|sector",
    "isco08": r"isco|occupation|job|profession",
    "soc": r"soc|onet|occupation|job|profession",
    "country": r"country|nationality|citizenship|nation|birthplace|origin|residence|cntry|geo",
    "nuts": r"nuts|region|geo",
    "fips": r"fips|county",
    "us_state": r"state",
    "us_zip": r"zip|postcode|postal",
}
"""The beginnings of words in the names of columns that may hold codes of each scheme, which is tried in this order."""
LONGEST = {
    "icd10": 3,
    "icd9": 3,
    "atc": 3,
    "nace": 3,
    "naics": 3,
    "isco08": 3,
    "nuts": 3,
    "fips": 5,
}
"""The least length of the longest code: short numbers are as well those of a list of the table's own."""
NEARLY = 0.9
"""The least share of rows with a code for which a comment names the scheme that the others are no codes of."""
IBAN = CodeScheme(
    "iban", "IBAN", (), "", pattern="AA99", lengths=tuple(range(15, 35)), dropped=" -"
)
PHONE = re.compile(r"\+?\(?9[9 ()./-]{5,}9")
"""Matches the shape of a phone number, or of a number that is written like one."""
ZIP_OR_PLAIN = re.compile(r"9+|9{5}-9{4}")
"""Matches shapes of digits alone, and of a ZIP code of nine digits."""


def with_codes(
    run: Session, table: exp.Table, profiles: Mapping[str, ColumnProfile]
) -> dict[str, ColumnProfile]:
    """Return the profiles with the schemes whose codes the values are, and with the forms of direct identifiers."""
    return {name: _with_code(run, table, each) for name, each in profiles.items()}


def _with_code(run: Session, table: exp.Table, each: ColumnProfile) -> ColumnProfile:
    is_measured = each.kind == "number" and each.fractions > 0
    if each.kind not in {"text", "number"} or is_measured or each.is_date or not each.present:
        return each
    if (direct := _direct(run, table, each)) is not None:
        return replace(each, direct=direct)
    best = each
    for scheme, words in NAMES.items():
        is_long = each.longest >= LONGEST.get(scheme, 0)
        if is_long and re.search(rf"(^|_)({words})", folded(each.name)):
            coded = _rows_of_codes(run, table, each.name, SCHEMES[scheme])
            if coded >= NEARLY * each.present and coded > best.coded:
                best = replace(each, code=scheme, coded=coded)
    return best


def _direct(run: Session, table: exp.Table, each: ColumnProfile) -> str | None:
    """Return what kind of direct identifier a column's values have the form of; None if there is none."""
    if each.kind != "text" or each.is_number or each.values <= FEW:
        return None
    shapes = [shape for shape, _ in each.shapes]
    if shapes and all(shape and PHONE.fullmatch(shape.strip()) for shape in shapes):
        marked = any(not ZIP_OR_PLAIN.fullmatch(str(shape).strip()) for shape in shapes)
        return "phone numbers, or of other numbers of a person" if marked else None
    if 15 <= each.longest <= 42 and each.shortest >= 15:
        rows = run.engine.fetch_count(rows_that_fit(table, each.name, IBAN))
        return "account numbers (IBAN)" if rows == each.present else None
    return None


def _rows_of_codes(run: Session, table: exp.Table, name: str, scheme: CodeScheme) -> int:
    """Count the rows whose value is a code of a scheme."""
    domain = run.scratch.table("domain")
    try:
        run.engine.execute(mapping_sql.domain(domain, table, name))
        return run.engine.fetch_count(rows_in_scheme(domain, scheme))
    except StatementError:
        return 0


def rows_in_scheme(domain: exp.Table, scheme: CodeScheme) -> Statement:
    """Count the rows of a domain whose value is a code: by one list of all codes, as no label of theirs is asked for."""
    in_groups = any(each.grouped and not each.kept for each in scheme.levels)
    found = [code for group in scheme.groups for code in group.codes] if in_groups else []
    codes = dict.fromkeys(found)
    leaves = {
        "domain": domain,
        "code": scheme.leaves,
        "stems": [literal(low) for low, high in codes if low == high],
        "ranges": [
            {"low": literal(low), "high": literal(high)} for low, high in codes if low != high
        ],
    }
    return Statement("getting_started/rows_in_scheme", leaves)


def rows_that_fit(table: exp.Table, name: str, scheme: CodeScheme) -> Statement:
    """Count the rows whose value has the form of a code of a scheme."""
    leaves = {"source": table, "column": column(name, of="s"), "code": scheme.leaves}
    return Statement("getting_started/rows_that_fit", leaves)


MANY_VALUES = 1000
"""Distinct values in a sample above which those of the table are estimated; fewer, in ten times the rows, are nearly all there."""
SAY_NOTHING_IS_THERE = frozenset({"none", "nil", "not applicable"})
"""Texts that are an answer in a column of categories (no disease, no degree), and stand for a missing number, day or code."""
OFTEN = 0.02
"""The least share of rows that have such a text as a value of a sensitive number: programs seldom write it for a missing one."""


@dataclass(frozen=True, slots=True)
class ReadProfiles:
    """What the texts of columns say as they are read: words and codes for a missing value, formats, and profiles."""

    missing: dict[str, Spelled]
    written: dict[str, WrittenColumn]
    profiles: dict[str, ColumnProfile]
    answered: frozenset[str] = frozenset()
    """The columns of categories in which a text that says that nothing is there is an answer."""

    def leave(self, name: str, profile: ColumnProfile) -> None:
        """Read the texts of a column as they are written."""
        self.missing.pop(name, None)
        self.written.pop(name, None)
        self.profiles[name] = profile


def read_profiles(
    run: Session,
    table: exp.Table,
    columns: Sequence[ColumnType],
    profiles: Mapping[str, ColumnProfile],
) -> ReadProfiles:
    """Find words for a missing value, formats of what is left, and codes for a missing value among what these read."""
    spelled = _spelled_among(run, table, columns, profiles)
    missing = _words_for_missing(run, table, columns, profiles, spelled=spelled)
    known = _profiled_without(run, table, missing, profiles)
    own = [known[each.name] for each in columns]
    first = first_rows(run, table, own[0].rows if own else 0)
    if first is not None:
        first = see_read(run, first, missing, {})
    written, codes = find_written(run, see_read(run, table, missing, {}), own, first)
    known.update({name: of.profile for name, of in written.items() if not of.is_open})
    others = {each: known[each] for each in known if each not in {*codes, *written}}
    if answered := _answered(run, table, missing, others):
        missing = _words_for_missing(
            run, table, columns, profiles, spelled=spelled, answered=answered
        )
        left = {name: missing.get(name, ((), 0)) for name in answered}
        known.update(_profiled_without(run, table, left, {name: known[name] for name in answered}))
    for name in {*codes, *(each for each, of in written.items() if of.is_open)}:
        known[name] = replace(known[name], numbers=0, fractions=0, spread=None)
    read = see_read(run, table, missing, written)
    found = find_missing_codes(run, table, read, [known[each.name] for each in columns], written)
    for name, (texts, rows) in found.items():
        words, before = missing.get(name, ((), 0))
        missing[name] = ((*words, *texts), before + rows)
        if name in written:
            written[name] = replace(written[name], present=written[name].present - rows)
    again = {name: known[name] for name in found}
    after = _profiled_without(run, table, {name: missing[name] for name in found}, again, written)
    known.update({name: as_before(each, known[name]) for name, each in after.items()})
    return ReadProfiles(missing, written, known, answered)


def _answered(
    run: Session,
    table: exp.Table,
    missing: Mapping[str, Spelled],
    profiles: Mapping[str, ColumnProfile],
) -> frozenset[str]:
    """Name the columns that have a text that is an answer there: of no numbers, days or codes but for such texts."""
    asked = {
        name: profiles[name]
        for name, (texts, _) in missing.items()
        if name in profiles and any(map(_says_nothing_is_there, texts))
        if not (profiles[name].is_number or profiles[name].is_date)
    }
    coded = with_codes(run, see_read(run, table, missing, {}), asked) if asked else {}
    return frozenset(name for name, each in coded.items() if each.code is None)


def _says_nothing_is_there(text: str) -> bool:
    return text.strip().lower() in SAY_NOTHING_IS_THERE


def _spelled_among(
    run: Session,
    table: exp.Table,
    columns: Sequence[ColumnType],
    profiles: Mapping[str, ColumnProfile],
) -> dict[str, Spelled]:
    """Find the texts that are listed as those for a missing value; all texts of some columns are longer."""
    longest = max(map(len, STAND_FOR_MISSING))
    short = [each for each in columns if profiles[each.name].shortest <= longest]
    return spelled_missing(run.engine, table, short)


def _words_for_missing(
    run: Session,
    table: exp.Table,
    columns: Sequence[ColumnType],
    profiles: Mapping[str, ColumnProfile],
    *,
    spelled: Mapping[str, Spelled],
    answered: frozenset[str] = frozenset(),
) -> dict[str, Spelled]:
    """Choose the texts that stand for a missing value; none is a value where it is an answer, or often in a sensitive column."""
    found = dict(spelled)
    asked = [
        ReadColumn(each, (text,))
        for each in columns
        if each.name in answered
        or ((rule := rule_of(folded(each.name))) is not None and rule.role is Role.SENSITIVE)
        for text in found.get(each.name, ((), 0))[0]
        if _says_nothing_is_there(text)
    ]
    if not asked:
        return found
    counts = run.engine.fetch_counts(count_missing_entries(table, asked))
    for read, rows in zip(asked, counts, strict=True):
        name, (texts, before) = read.column.name, found[read.column.name]
        if name in answered or rows >= OFTEN * profiles[name].rows:
            others = tuple(text for text in texts if text not in read.missing)
            found[name] = (others, before - rows)
    return {name: each for name, each in found.items() if each[0]}


def read_again(
    run: Session, table: exp.Table, found: ReadProfiles, cures: Mapping[str, Cure]
) -> dict[str, ColumnProfile]:
    """Look at the cured columns of a clean table; return their profiles with the words for a missing value in them.

    The codes for a missing value are NULL there: only numbers have both, and their cures leave them out.
    """
    cured = [each for each in run.engine.columns(table) if each.name in cures]
    profiles = {each.name: each for each in profile_columns(run.engine, table, cured)}
    spelled = _spelled_among(run, table, cured, profiles)
    words = _words_for_missing(
        run, table, cured, profiles, spelled=spelled, answered=found.answered
    )
    for name in cures:
        found.missing.pop(name, None)
    found.missing.update(words)
    found.profiles.update(_profiled_without(run, table, words, profiles))
    return profiles


def see_read(
    run: Session,
    table: exp.Table,
    missing: Mapping[str, Spelled],
    written: Mapping[str, WrittenColumn],
) -> exp.Table:
    """Return a view of a table with NULL for texts that stand for a missing value, and others as their formats read them."""
    if not missing and not written:
        return table
    view = run.scratch.table("read")
    described = [
        ReadColumn(
            each,
            missing[each.name][0] if each.name in missing else (),
            written[each.name].decided if each.name in written else None,
            keeps_others=False,
        )
        for each in run.engine.columns(table)
    ]
    run.see(view, read_texts(view, table, described))
    return view


def _profiled_without(
    run: Session,
    table: exp.Table,
    missing: Mapping[str, Spelled],
    profiles: Mapping[str, ColumnProfile],
    written: Mapping[str, WrittenColumn] | None = None,
) -> dict[str, ColumnProfile]:
    """Profile the columns with `missing` texts anew, with NULL for these; keep the profiles of the others."""
    if not missing:
        return dict(profiles)
    view = see_read(run, table, missing, written or {})
    own = [each for each in run.engine.columns(view) if each.name in missing]
    found = {each.name: each for each in profile_columns(run.engine, view, own)}
    return {name: found.get(name, each) for name, each in profiles.items()}


def values_of_all(
    engine: Engine,
    whole_table: exp.Table,
    profiles: Sequence[ColumnProfile],
    parts: int,
    each_of: int | None,
) -> tuple[dict[str, ValueCounts], dict[str, int]]:
    """Count the values of columns that have many in a sample, and return the number of values of every column.

    Few values are nearly all in the sample. `each_of` are the table's rows where each column is best read by itself.
    """
    profiles = [each for each in profiles if each.kind != "nested"]
    many = [p.name for p in profiles if p.values > min(MANY_VALUES, p.present // 10)]
    counts = unique_counts(engine, whole_table, many, parts=parts, each_of=each_of)
    of_all = {name: each.values * parts for name, each in counts.items()}
    return counts, {each.name: of_all.get(each.name, each.values) for each in profiles}


def counted_among_all(
    run: Session,
    whole_table: exp.Table,
    looked: ReadProfiles,
    counts: Mapping[str, ValueCounts],
    *,
    all_rows: int,
    parts: int,
) -> dict[str, ColumnProfile]:
    """Estimate distinct values and unique rows of a sample's columns from all rows: a sample has more unique ones.

    One of so many parts of the values was counted with all its rows, and is scaled to the sample's size.
    """
    counts = dict(counts)
    if again := [name for name in counts if name in looked.missing]:
        texts = see_read(run, whole_table, looked.missing, {})
        counts |= unique_counts(run.engine, texts, again, parts=parts)
    # Dates have one text a day or more: the sample counts them. A number has one text.
    profiles = [
        each
        for name, each in looked.profiles.items()
        if name in counts and each.values > 1 and not (name in looked.written and each.is_date)
    ]
    found = {}
    for each in profiles:
        of_all, values = counts[each.name], each.values
        if values > MANY_VALUES and of_all.values * parts > 1.05 * values:
            values = round(each.rows * min(1, of_all.values * parts / all_rows))
        unique = round(of_all.unique * parts / all_rows * each.rows)
        found[each.name] = replace(each, values=values, unique=min(each.present, unique))
    return found
