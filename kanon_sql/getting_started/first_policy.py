"""`init`: suggests a first policy from a sample of the data. Reads counts, never values."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from kanon_sql.engines.base import whole
from kanon_sql.engines.connect import is_address
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.getting_started.first_look import find_hierarchy_files, resolve_source
from kanon_sql.planning.make_plan import MOST_NODES
from kanon_sql.policy.locations import source_from_text
from kanon_sql.policy.model import Policy, Role, Suppression
from kanon_sql.run.session import resolve, session
from kanon_sql.source import source_sql
from kanon_sql.source.open_source import open_as_view
from kanon_sql.source.person_keys import folded, person_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.engines.base import ColumnType, Row
    from kanon_sql.source.person_keys import PersonKey

SAMPLE = 100_000
USUAL_LEVELS = 5
"""Levels of a hierarchy that was not looked into."""
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


@dataclass(frozen=True, slots=True)
class Profile:
    """The counts of one column in a sample."""

    name: str
    type: str
    rows: int
    present: int
    values: int
    numbers: int
    dates: int
    digits: int
    shortest: int
    longest: int
    reach: float

    @property
    def nulls(self) -> int:
        return self.rows - self.present


def first_policy(source: str, *, database: str | None, beside: str | None) -> str:
    """Suggest a policy for a table or file, with comments; a person must read every line of it."""
    if database is not None and is_address(database):
        what = "init looks into files and DuckDB only; write the policy for a server by hand"
        raise InputError(database, [Fault("database", what)])
    named, database = resolve_source(source, database)
    with open_duckdb(database, read_only=True) as engine:
        policy = Policy(named, None, (), (), Suppression(rows=0))
        with session(engine, policy) as run:
            view, sample = run.scratch.table("source"), run.scratch.table("sample")
            open_as_view(run, view, named, "")
            engine.execute(source_sql.sample_rows(sample, view, SAMPLE))
            types = engine.columns(sample)
            names = [column.name for column in types]
            scalar = [NESTED.search(c.type) is None for c in types]
            rows = engine.fetch(source_sql.profile(sample, names, scalar))
            among = [name for name in names if not KNOWN_QUASI.search(folded(name))]
            sampled = whole(rows[0][1]) if rows else 0
            key = person_key(engine, sample, types, among=among, rows=sampled, limit=None)
            beside_it = (
                {} if named.path is None else find_hierarchy_files(run, named.path, sample, names)
            )
    profiles = [_profile(c, row) for c, row in zip(types, rows, strict=True)]
    folder = Path(beside).absolute().parent if beside else Path.cwd()
    files = {name: (_from(folder, path), why) for name, (path, why) in beside_it.items()}
    shown = (
        _table(named.table or "")
        if named.path is None
        else _quoted(_source_from(folder, named.path))
    )
    held = None if database is None else _from(folder, database)
    return "".join(f"{line}\n" for line in _lines(shown, held, profiles, files, key))


def _table(name: str) -> str:
    """Write a table's name such that it is not read as a path."""
    if source_from_text(name).table is not None:
        return _quoted(name)
    return f"{{table: {_quoted(name)}}}"


def _from(folder: Path, path: str) -> str:
    """Write a path as a policy in that folder names it."""
    return path if "://" in path else Path(os.path.relpath(resolve(path, ""), folder)).as_posix()


def _source_from(folder: Path, path: str) -> str:
    """Write the path of a source likewise, such that it is not read as a table's name."""
    shown = _from(folder, path)
    return shown if source_from_text(shown).path is not None else f"./{shown}"


def _profile(column: ColumnType, row: Row) -> Profile:
    rows, present, values, numbers, dates, digits, shortest, longest = map(whole, row[1:-1])
    reach = float(str(row[-1] or 0))
    return Profile(
        name=column.name,
        type=column.type,
        rows=rows,
        present=present,
        values=values,
        numbers=numbers,
        dates=dates,
        digits=digits,
        shortest=shortest,
        longest=longest,
        reach=reach if math.isfinite(reach) else 0.0,
    )


def _lines(
    source: str,
    database: str | None,
    profiles: list[Profile],
    files: Mapping[str, tuple[str, str]],
    key: PersonKey | None,
) -> Iterator[str]:
    yield "# A first policy, suggested from the data by name, type and counts. Nothing here is decided:"
    yield "# who could know a column about a person from elsewhere? Then it is a quasi-identifier."
    yield "version: 1"
    yield f"source: {source}"
    if database is not None:
        yield f"database: {_quoted(database)}"
    if key is None:
        yield "entity: row          # or the column that identifies a person, if one can have many rows"
    else:
        same = f"; in their rows {', '.join(key.same)} stay the same" if key.same else ""
        yield (
            f"entity: {_quoted(key.name)}  # people are counted, not rows: {key.repeated} of {key.values} values are "
            f"in several of {key.rows} rows{same}"
        )
    yield "columns:"
    suggested = [
        (
            profile,
            Role.IDENTIFYING,
            "action: drop",
            "the key of a person, by whom classes are counted",
        )
        if key is not None and profile.name == key.name
        else (profile, *_suggest(profile, files.get(profile.name)))
        for profile in profiles
    ]
    if not any(role is Role.QUASI for _, role, _, _ in suggested) and suggested:
        profile = suggested[0][0]
        suggested[0] = (profile, Role.QUASI, "hierarchy: suppress", "no better candidate was found")
    for profile, role, rest, why in suggested:
        entry = f"{{role: {role}{', ' if rest else ''}{rest}}}"
        nulls = f", {profile.nulls} NULL" if profile.nulls else ""
        yield f"  {_quoted(profile.name)}: {entry}  # {why}; {profile.values} values{nulls}"
    yield "privacy:"
    yield "  - {k: 5}"
    for profile, role, _, _ in suggested:
        if role is Role.SENSITIVE and profile.values >= 2:
            yield f"  # - {{distinct_l: {{column: {_quoted(profile.name)}, l: 2}}}}"
    yield "suppression: 1%      # rows that may be left out; at 0 one rare value or NULL can take a column for all rows"
    yield "nulls: category      # a NULL is a value of its own"
    nodes = math.prod(_levels(rest) for _, role, rest, _ in suggested if role is Role.QUASI)
    if nodes > MOST_NODES:
        yield "search: {algorithm: lightning, metric: loss, time_limit: 60s}  # fewer quasi: optimal"
    else:
        yield "search: {algorithm: optimal, metric: loss}  # or mondrian: boxes, cut by order"
    yield "release: release.parquet"


def _suggest(profile: Profile, file: tuple[str, str] | None) -> tuple[Role, str, str]:
    """Suggest a role, the rest of the entry, and the reason; a file is a path and how much it covers."""
    if file is not None:
        path, covers = file
        entry = f"hierarchy: {{csv: {_quoted(path)}}}{_order(profile)}"
        return Role.QUASI, entry, f"a file with its hierarchy lies beside the source, {covers}"
    name = folded(profile.name)
    direct = (Role.IDENTIFYING, "action: drop")
    quasi = (Role.QUASI, f"hierarchy: {_hierarchy(profile)}{_order(profile)}")
    unique = profile.values > 20 and profile.values >= 0.95 * max(profile.present, 1)
    signs = (
        (bool(NESTED.search(profile.type)), (Role.INSENSITIVE, ""), "nested: look inside it"),
        (bool(DIRECT.search(name)), direct, "its name says whom a row is about"),
        (bool(SENSITIVE.search(name)), (Role.SENSITIVE, ""), "its name says what to protect"),
        (bool(KNOWN_QUASI.search(name)), quasi, "commonly known about a person"),
        (unique and not _is_date(profile), direct, "nearly every row has its own"),
        (profile.values <= max(1000, profile.present // 2), quasi, "could be known from elsewhere"),
        (True, direct, "many different values; say what it is"),
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
        case {"csv": _}:
            return USUAL_LEVELS
        case "suppress" | {"suppress": _}:
            return 2
        case _:
            raise InternalError("a hierarchy is suggested that nobody knows the levels of")


def _is_date(profile: Profile) -> bool:
    timed = profile.type.startswith(("DATE", "TIMESTAMP"))
    return timed or (
        profile.present > 0 and profile.dates == profile.present and profile.digits == 0
    )


def _is_number(profile: Profile) -> bool:
    return profile.numbers == profile.present > 0 and profile.type != "BOOLEAN"


def _order(profile: Profile) -> str:
    """Add an order to dates, and to numbers with a hierarchy of intervals, for algorithms that cut by it."""
    if _is_date(profile):
        return ", order: date"
    return ", order: number" if "intervals" in _hierarchy(profile) else ""


def _hierarchy(profile: Profile) -> str:
    if _is_date(profile):
        return "{dates: [month, year, decade]}"
    if (
        profile.type == "VARCHAR"
        and profile.digits == profile.present > 0
        and profile.shortest == profile.longest >= 4
    ):
        return f"{{mask: {profile.longest}}}"
    if _is_number(profile) and profile.reach > 2:
        step = _round_down(profile.reach / 12)
        if profile.type.endswith("INT") or profile.digits == profile.present:
            step = max(step, 2.0)  # whole numbers stand in intervals of 1 already
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
