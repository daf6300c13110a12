"""`init`: suggests a first policy from a sample of the data. Reads counts, never values."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from kanon_sql.documents.text import printable
from kanon_sql.engines.base import whole
from kanon_sql.engines.connect import is_address
from kanon_sql.getting_started.given_roles import NOTHING
from kanon_sql.getting_started.init_source import find_hierarchy_files, opened_source
from kanon_sql.planning.make_plan import MOST_NODES
from kanon_sql.policy.locations import source_from_text
from kanon_sql.policy.model import Role
from kanon_sql.reidentification.column_sets import search_column_sets
from kanon_sql.reidentification.find_quasi_identifiers import MOST_COLUMNS, NEAR
from kanon_sql.run.session import resolve
from kanon_sql.source import source_sql
from kanon_sql.source.person_keys import folded, person_key
from kanon_sql.sql.report_pages import render_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.getting_started.given_roles import GivenRoles
    from kanon_sql.getting_started.init_source import InitSource
    from kanon_sql.policy.locations import Source
    from kanon_sql.reidentification.column_sets import ColumnSet
    from kanon_sql.run.session import Session

SAMPLE = 100_000
MOST_SETS = 5
"""Sets of columns that a policy's comments name."""
LEVELS_OF_A_FILE = 5
"""How many levels a hierarchy in a file is assumed to have, while it is not read."""
NESTED = re.compile(r"\[|STRUCT|MAP|UNION|LIST|JSON|BLOB", re.IGNORECASE)
DIRECT = re.compile(
    r"(^|_)(name|surname|firstname|lastname|forename|ssn|nhs|mrn|e?mail|phone|tel|fax|address|street|"
    r"passport|iban|account|ip|url|username|login|license|licence|plate)($|_)"
)
SENSITIVE = re.compile(
    r"disease|diagnos|condition|problem|illness|symptom|treatment|medication|drug|hiv|salary|income|"
    r"wage|debt|crime|verdict|score|result"
)
KNOWN_QUASI = re.compile(
    r"(^|_)(age|sex|gender|zip|zipcode|postcode|postal|birth|birthdate|dob|race|ethnicity|marital|"
    r"education|occupation|job|workclass|country|nationality|region|state|county|city|language|"
    r"religion|children|employer|school)($|_)"
)

OPEN = "looks like an identifier or a measurement: set its role"
MEASUREMENT = "looks like a measurement"


@dataclass(frozen=True, slots=True)
class Profile:
    """The counts of one column in a sample."""

    name: str
    declared: ColumnType
    reach: float
    rows: int
    present: int
    values: int
    numbers: int
    dates: int
    digits: int
    shortest: int
    longest: int

    @property
    def nulls(self) -> int:
        return self.rows - self.present

    @property
    def type(self) -> str:
        return self.declared.type

    @property
    def is_time(self) -> bool:
        """Whether its type is a date or a time with a date, with a zone or without."""
        return self.type.upper().startswith(("DATE", "TIMESTAMP"))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The role of a column, the rest of its entry in the policy, and why."""

    profile: Profile
    role: Role
    rest: str
    why: str

    @property
    def name(self) -> str:
        return _quoted(self.profile.name)

    @property
    def is_open(self) -> bool:
        """Whether neither its name nor its values suggest a role; it is dropped then."""
        return self.why == OPEN


def first_policy(
    source: object,
    *,
    database: str | None = None,
    connection: object | None = None,
    beside: str | None = None,
    given: GivenRoles = NOTHING,
) -> str:
    """Suggest a policy for a table, files or a frame, with comments; a person must read every line of it.

    `beside` is the file that the policy is for: its paths start from that folder. The policy for a frame has no
    source. Raises SourceError and InputError where the source cannot be opened.
    """
    with opened_source(source, database=database, connection=connection) as opened:
        return policy_of(opened, beside, given)


def policy_of(opened: InitSource, beside: str | None = None, given: GivenRoles = NOTHING) -> str:
    """Suggest a policy for a source that is open."""
    run, view, named, engine = opened.run, opened.view, opened.source, opened.run.engine
    sample = run.scratch.create("sample", source_sql.sample_rows, view, SAMPLE)
    types = engine.columns(sample)
    names = [column.name for column in types]
    scalar = [NESTED.search(c.type) is None for c in types]
    rows = engine.fetch(source_sql.profile(sample, names, scalar))
    among = [
        name
        for name in names
        if not KNOWN_QUASI.search(folded(name)) and given.role_of(name) is not Role.QUASI
    ]
    sampled = whole(rows[0][1]) if rows else 0
    key = None
    if given.entity is None:
        key = person_key(engine, sample, types, among=among, rows=sampled, limit=None)
    path = None if named is None else named.path
    found = {} if path is None else find_hierarchy_files(run, path, sample, names)
    profiles = [
        Profile(column.name, column, whole(row[-1]) / source_sql.PART, *map(whole, row[1:-1]))
        for column, row in zip(types, rows, strict=True)
    ]
    folder = Path(beside).absolute().parent if beside else Path.cwd()
    files = {name: (_from(folder, path), why) for name, (path, why) in found.items()}
    columns = _suggestions(profiles, files, None if key is None else key.name, given)
    sets = _distinguishing_sets(run, sample, columns, sampled)
    columns = _with_sets(columns, sets)
    nodes = math.prod(_levels(each.rest) for each in columns if each.role is Role.QUASI)
    return render_report(
        "first_policy.yml",
        sampled=SAMPLE if sampled == SAMPLE else None,
        source=None if named is None else _source(folder, named),
        database=None if opened.database is None else _quoted(_from(folder, opened.database)),
        given=given,
        entity=None if given.entity is None else _quoted(given.entity),
        key=key,
        key_name=None if key is None else _quoted(key.name),
        same=[] if key is None else [printable(name) for name in key.same],
        columns=columns,
        sets=_set_lines(columns, sets),
        too_large=nodes > MOST_NODES,
    )


def _distinguishing_sets(
    run: Session, sample: exp.Table, columns: list[Suggestion], rows: int
) -> list[ColumnSet]:
    """Find the smallest sets of columns in which nearly all rows of a sample are unique, those of few columns first.

    What is dropped anyway is in none, but for columns whose role is open.
    """
    searched = [
        each.profile.name
        for each in columns
        if (each.role is not Role.IDENTIFYING or each.is_open)
        and not NESTED.search(each.profile.type)
    ]
    if rows == 0 or not searched:
        return []
    found = search_column_sets(
        run, sample, searched, rows=rows, near=NEAR, most_columns=MOST_COLUMNS
    )
    return sorted((*found.unique, *found.near_unique), key=lambda each: len(each.columns))


def _with_sets(suggested: list[Suggestion], sets: Sequence[ColumnSet]) -> list[Suggestion]:
    """Propose as quasi-identifiers what such sets hold, and say which sets; what is sensitive stays so."""
    return [_of_sets(each, sets) for each in suggested]


def _of_sets(each: Suggestion, sets: Sequence[ColumnSet]) -> Suggestion:
    mine = next((found for found in sets if each.profile.name in found.columns), None)
    if mine is None:
        return each
    if each.is_open:
        hierarchy = _hierarchy(each.profile)
        if hierarchy == "suppress" or len(mine.columns) == 1:
            return each
        rest = f"hierarchy: {hierarchy}{_order(each.profile)}"
        each = replace(each, role=Role.QUASI, rest=rest, why=MEASUREMENT)
    elif each.role not in {Role.QUASI, Role.SENSITIVE}:
        return each
    others = ", ".join(printable(name) for name in mine.columns if name != each.profile.name)
    share = f"{mine.unique_rows / mine.rows:.0%} of the rows are unique by it"
    return replace(each, why=f"{each.why}; {share}{f' with {others}' if others else ''}")


def _set_lines(suggested: list[Suggestion], sets: Sequence[ColumnSet]) -> list[str]:
    """Describe the smallest sets of released columns."""
    released = {each.profile.name for each in suggested if each.role is not Role.IDENTIFYING}
    return [
        f"{', '.join(map(printable, each.columns))}: {each.unique_rows / each.rows:.0%} of the rows are unique"
        for each in sets
        if released.issuperset(each.columns)
    ][:MOST_SETS]


def _source(folder: Path, named: Source) -> str:
    """Write a source as a policy in that folder names it."""
    return _table(named.table or "") if named.path is None else _path(folder, named.path)


def _table(name: str) -> str:
    """Write a table's name such that it is not read as a path."""
    if source_from_text(name).table is not None:
        return _quoted(name)
    return f"{{table: {_quoted(name)}}}"


def _from(folder: Path, path: str) -> str:
    """Write a path as a policy in that folder names it."""
    return (
        path
        if "://" in path or is_address(path)
        else Path(os.path.relpath(resolve(path, ""), folder)).as_posix()
    )


def _path(folder: Path, path: str) -> str:
    """Write the path of a source likewise, such that it is not read as a table's name."""
    text = _from(folder, path)
    return _quoted(text if source_from_text(text).path is not None else f"./{text}")


def _suggestions(
    profiles: list[Profile],
    files: Mapping[str, tuple[str, str]],
    key: str | None,
    given: GivenRoles,
) -> list[Suggestion]:
    """Suggest an entry for every column; at least one is a quasi-identifier."""
    suggested = []
    for profile in profiles:
        role, rest, why = _suggest(profile, files.get(profile.name))
        if profile.name == key:
            role, rest = Role.IDENTIFYING, "action: drop"
            why = "identifies a person; classes are counted by it"
        if (asked := given.role_of(profile.name)) is not None:
            if asked is Role.QUASI is not role:
                rest = f"hierarchy: {_hierarchy(profile)}{_order(profile)}"
            role, rest, why = asked, given.rest_of(profile.name, rest), "as the call says"
        suggested.append(Suggestion(profile, role, rest, why))
    if suggested and not any(each.role is Role.QUASI for each in suggested):
        why = "no better candidate was found"
        suggested[0] = Suggestion(profiles[0], Role.QUASI, "hierarchy: suppress", why)
    return suggested


def _suggest(profile: Profile, file: tuple[str, str] | None) -> tuple[Role, str, str]:
    """Suggest a role, the rest of the entry, and the reason; a file is a path and how much it covers."""
    if file is not None:
        path, covers = file
        entry = f"hierarchy: {{csv: {_quoted(path)}}}{_order(profile)}"
        return Role.QUASI, entry, f"a file with its hierarchy is next to the source, {covers}"
    name = folded(profile.name)
    direct = (Role.IDENTIFYING, "action: drop")
    quasi = (Role.QUASI, f"hierarchy: {_hierarchy(profile)}{_order(profile)}")
    unique = profile.values > 20 and profile.values >= 0.95 * max(profile.present, 1)
    signs = (
        (
            bool(NESTED.search(profile.type)),
            (Role.INSENSITIVE, ""),
            "nested values: check what they contain",
        ),
        (bool(DIRECT.search(name)), direct, "its name suggests a direct identifier"),
        (
            bool(SENSITIVE.search(name)),
            (Role.SENSITIVE, ""),
            "its name suggests a sensitive attribute",
        ),
        (bool(KNOWN_QUASI.search(name)), quasi, "commonly known about a person"),
        (unique and not _is_date(profile), direct, "nearly every row has its own value"),
        (profile.values <= max(1000, profile.present // 2), quasi, "could be known from elsewhere"),
        (True, direct, OPEN),
    )
    (role, rest), why = next((suggested, why) for holds, suggested, why in signs if holds)
    return role, rest, why


def _levels(entry: str) -> int:
    """Count the levels of a suggested hierarchy, including the original values.

    >>> [_levels(f"hierarchy: {h}") for h in ("suppress", "{mask: 5}", "{dates: [month, year]}")]
    [2, 6, 4]
    """
    match yaml.safe_load(f"{{{entry}}}")["hierarchy"]:
        case {"mask": int(length)}:
            return length + 1
        case {"dates": list(steps)} | {"intervals": list(steps)}:
            return len(steps) + 2
        case "suppress" | {"suppress": _}:
            return 2
        case _:  # a hierarchy that a call gives
            return LEVELS_OF_A_FILE


def _is_date(profile: Profile) -> bool:
    return profile.is_time or (
        profile.present > 0 and profile.dates == profile.present and profile.digits == 0
    )


def _is_number(profile: Profile) -> bool:
    return profile.numbers == profile.present > 0 and profile.declared.family != "boolean"


def _order(profile: Profile) -> str:
    """Add an order to dates, and to numbers with a hierarchy of intervals, for algorithms that cut by it."""
    if _is_date(profile):
        return ", order: date"
    return ", order: number" if "intervals" in _hierarchy(profile) else ""


def _hierarchy(profile: Profile) -> str:
    if _is_date(profile):
        return "{dates: [month, year, decade]}"
    if (
        profile.declared.family == "text"
        and profile.digits == profile.present > 0
        and profile.shortest == profile.longest >= 4
    ):
        return f"{{mask: {profile.longest}}}"
    if _is_number(profile) and profile.reach > 2:
        step = _round_down(profile.reach / 12)
        if profile.declared.family == "integer" or profile.digits == profile.present:
            step = max(step, 2.0)  # whole numbers are in intervals of 1 already
        widths = ", ".join(f"{step * factor:g}" for factor in (1, 2, 4))
        return f"{{intervals: [{widths}]}}"
    return "suppress"


def _round_down(number: float) -> float:
    """Round a number down to 1, 2 or 5 times a power of ten; at least 1 for numbers over 1.

    >>> _round_down(73 / 16)
    2.0
    """
    power = 10.0 ** math.floor(math.log10(number))
    return next(power * m for m in (5, 2, 1) if power * m <= number)


def _quoted(text: str) -> str:
    """Quote a text so that YAML reads exactly that text."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*([-./][A-Za-z0-9_]+)*", text)
    reserved = text.casefold() in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
    if plain and not reserved:
        return text
    return str(yaml.dump(text, default_style='"', allow_unicode=True, width=float("inf"))).rstrip(
        "\n"
    )
