"""Keys of people: columns whose values identify people, some of whom have several rows.

`plan` looks for them in a sample of bounded size, so that it costs no pass over a large source; `lint` in all rows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.model import Role
from kanon_sql.source import person_keys_sql
from kanon_sql.source.counted_rows import see_unique

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

SAMPLE = 20_000
"""The most rows that `plan` counts in."""
_NUMBER = r"_?(id|identifier|ident|no|nr|num|nbr|number|key|code|uuid|guid|uid|ref|hash)"
KEY_OF_A_PERSON = re.compile(
    rf"(.*_)?((mrn|mpi|empi|ssn|nhs|nino|pid)({_NUMBER})?|(id_?)?(patient|person|member|customer|client|subject|"
    r"user|employee|student|pupil|citizen|resident|insured|subscriber|beneficiary|applicant|participant|"
    r"respondent|donor|voter|taxpayer|policyholder|cardholder|claimant|enrollee|inmate|visitor)"
    rf"({_NUMBER})?|(pat|emp|cust|bene|enrol|national|medical_?record|personnel|passport){_NUMBER}|e_?mail(_?address)?)"
)
MAIL = re.compile(r"(.*_)?e_?mail(_?address)?")
BIRTH = re.compile(r"(.*_)?(birth|birthdate|date_of_birth|birth_(date|day|year)|dob|yob|born)")
SEX = re.compile(r"(.*_)?(sex|gender)")
KEYS = frozenset({"text", "integer", "decimal", "other"})
"""Families of types that a key may have; UUID is one that no family names."""
NESTED = re.compile(
    r"[\[\]<>(]|struct|map|union|list|json|blob|binary|bytea|xml|array|variant|geometry|geography"
    r"|\b(point|line|lseg|box|path|polygon|circle)\b",
    re.IGNORECASE,
)
"""Types whose values some engine cannot compare, or has no one text for."""
MOST, NEARLY_ALL = 0.5, 0.95
"""The share of repeated values in whose rows birth and sex agree, of a key with a telling name and of others.

One wrong row is enough for a person of many rows to disagree, and a key that is missed counts rows for people.
"""
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
        least, share = (1, MOST) if name in named else (FEW, NEARLY_ALL)
        if repeated >= least and constant >= share * repeated:
            key = PersonKey(name, values, repeated, min(rows, limit or rows), same)
            # A person may have several addresses, so that another key counts people better.
            rank = (name in named, MAIL.fullmatch(folded(name)) is None, values)
            found.append((rank, key))
    return max(found, key=lambda each: each[0])[1] if found else None


def key_beside_rows(run: Session, opened: OpenSource, *, whole: bool) -> PersonKey | None:
    """Find a key of people beside a policy that counts rows; `whole` looks at all rows."""
    if run.policy.entity is not None:
        return None
    limit = None if whole or opened.rows <= SAMPLE else SAMPLE
    among = [c.name for c in run.policy.columns if c.role is not Role.QUASI]
    return person_key(
        run.engine,
        see_unique(run, opened),
        opened.columns,
        among=among,
        rows=opened.rows,
        limit=limit,
    )
