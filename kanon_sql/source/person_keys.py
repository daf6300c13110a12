"""Columns that identify people although the policy does not count them: unique values, and keys of persons.

`plan` counts in a sample of bounded size, so that it costs no pass over a large source; `lint` counts in all rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.policy.model import Role
from kanon_sql.source import person_keys_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

SAMPLE = 20_000
"""The most rows that `plan` counts in."""
KEY_OF_A_PERSON = re.compile(
    r"(.*_)?(mrn|ssn|nhs(_?(no|nr|number))?|nino|pid|(patient|person|member|customer|client|subject|user|"
    r"employee|student|citizen|resident|insured|subscriber|beneficiary|applicant|participant)"
    r"(_?(id|no|nr|num|number|key|code|uuid|ref))?)"
)
BIRTH = re.compile(r"(.*_)?(birth|birthdate|date_of_birth|birth_(date|day|year)|dob|yob|born)")
SEX = re.compile(r"(.*_)?(sex|gender)")
KEYS = frozenset({"text", "integer", "decimal", "other"})
"""Families of types that a key may have; UUID is one that no family names."""
NESTED = re.compile(
    r"[\[\]<>(]|struct|map|union|list|json|blob|binary|bytea|xml|array|point|polygon", re.IGNORECASE
)
FEW = 20
"""Repeated values that a key without a telling name must have at least."""


@dataclass(frozen=True, slots=True)
class PersonKey:
    """A column whose values identify people, some of them in several rows."""

    name: str
    values: int
    repeated: int
    rows: int
    same: tuple[str, ...]


def folded(name: str) -> str:
    """Normalize a column's name for the patterns here.

    >>> folded("Patient-ID"), folded("patientId")
    ('patient_id', 'patient_id')
    """
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold())


def person_key(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[ColumnType],
    *,
    among: Sequence[str],
    rows: int,
    limit: int | None,
) -> PersonKey | None:
    """Find a column that identifies people some of whom have several rows, in which birth and sex agree.

    A column with such a name is one if it repeats; another only if there is a day of birth that it determines.
    """
    scalar = [c for c in columns if NESTED.search(c.type) is None]
    births = [c.name for c in scalar if BIRTH.fullmatch(folded(c.name))]
    same = (*births, *(c.name for c in scalar if SEX.fullmatch(folded(c.name))))
    named = {c.name for c in scalar if KEY_OF_A_PERSON.fullmatch(folded(c.name))}
    candidates = [
        c.name
        for c in scalar
        if c.name in among
        and c.name not in same
        and (c.name in named or (births and c.family in KEYS))
    ]
    if not candidates:
        return None
    found = []
    counted = engine.fetch(person_keys_sql.count_keys(table, candidates, same, limit=limit))
    for name, row in zip(candidates, counted, strict=True):
        _, values, repeated, constant = map(whole, row)
        least = 1 if name in named else FEW
        if repeated >= least and constant >= 0.95 * repeated:
            key = PersonKey(name, values, repeated, min(rows, limit or rows), same)
            found.append((name in named, values, key))
    return max(found, key=lambda each: each[:2])[2] if found else None


def identity_warnings(run: Session, opened: OpenSource, *, whole: bool) -> Iterator[str]:
    """Warn of what identifies people in what the policy releases or counts; `whole` counts all rows."""
    policy = run.policy
    limit = None if whole or opened.rows <= SAMPLE else SAMPLE
    many = opened.rows if limit is None else limit
    sampled = "" if limit is None else f" of a sample of the {opened.rows} rows"
    if policy.entity is None:
        among = [c.name for c in policy.columns if c.role is not Role.QUASI]
        key = person_key(
            run.engine, opened.table, opened.columns, among=among, rows=opened.rows, limit=limit
        )
        if key is not None:
            yield (
                f"entity: row counts rows, but {key.name} looks like the key of a person: {key.repeated} of "
                f"its {key.values} values are in several of {many} rows{sampled}, so that a class of k rows "
                f"can hold fewer people; write entity: {_quoted(key.name)}"
            )
    released = [
        c.name
        for c in opened.columns
        if c.name != policy.entity
        and NESTED.search(c.type) is None
        and any(p.name == c.name for p in policy.columns if p.role in RELEASED)
    ]
    if any(c.name == policy.entity and c.role in RELEASED for c in policy.columns):
        joins = "it joins all rows of a person, and such a set of rows can be unique whatever k is; drop it"
        found = "whoever knows its value for a person finds all rows of theirs; say action: hash, or use it"
        why = f"{found} only where nobody does" if policy.signature else joins
        yield f"columns.{policy.entity}: is the entity and is released as it is: {why}"
    for name, unique in unique_columns(run.engine, opened.table, released, limit=limit).items():
        yield (
            f"columns.{name}: is released as it is, and its value is unique in {unique} of {many} "
            f"rows{sampled}: it links each of them back to its origin; drop it, or make it coarser in a query"
        )


RELEASED = (Role.SENSITIVE, Role.INSENSITIVE)


def unique_columns(
    engine: Engine, table: exp.Table, columns: Sequence[str], *, limit: int | None
) -> dict[str, int]:
    """Count the unique values of each column that has one in at least half of the rows."""
    if not columns:
        return {}
    rows, *values = engine.fetch_counts(person_keys_sql.count_values(table, columns, limit=limit))
    half = rows / 2
    # A value that is unique is a value: with fewer values than that no column has so many.
    many = [n for n, count in zip(columns, values, strict=True) if 1 < count >= half]
    if not many:
        return {}
    counted = engine.fetch(person_keys_sql.count_unique(table, many, limit=limit))
    found = {name: whole(unique) for name, (_, unique) in zip(many, counted, strict=True)}
    return {name: unique for name, unique in found.items() if unique >= max(half, 1)}


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else f'"{name}"'
