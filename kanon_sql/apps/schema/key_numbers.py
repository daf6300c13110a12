"""Keys whose pseudonyms are whole numbers: which columns can have them, and what the plan says of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.counting.source.exposed_rows import write_masked
from kanon_sql.policy.model import Column, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.schema_policy import KeyDomain, SchemaPolicy
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.errors import Fault

HELD = {"tinyint": 2, "utinyint": 2, "smallint": 4, "usmallint": 4, "integer": 9, "uinteger": 9}
"""The digits of which each type holds every number."""
TEXTS = "leave digits out, and its pseudonyms are texts"


def number_faults(
    run: Session,
    policy: SchemaPolicy,
    raws: Mapping[str, exp.Table],
    columns: Mapping[str, Sequence[ColumnType]],
) -> Iterator[Fault]:
    """Yield a fault for each column of a key with `digits` that has other values, or a type that does not hold them."""
    for domain in policy.keys.values():
        for each in domain.columns if domain.digits is not None else ():
            own = next(c for c in columns[each.table] if c.name == each.column)
            if why := _why_not(run, raws[each.table], own, int(str(domain.digits))):
                yield policy.fault(f"keys.{domain.name}.digits", f"{each} {why}")


def _why_not(run: Session, raw: exp.Table, own: ColumnType, digits: int) -> str:
    """Say why a column cannot have numbers of so many digits; nothing if it can."""
    if own.family != "integer":
        return f"is of type {own.type}, which is no type of whole numbers: {TEXTS}"
    if (held := HELD.get(own.type.lower(), digits)) < digits:
        short = TEXTS if held < 6 else f"say digits: {held}"
        return f"is of type {own.type}, which holds no number of {digits} digits: {short}"
    (row,) = run.engine.fetch(schema_sql.measured_columns(raw, {own.name: "number"}))
    least, greatest = (0 if each is None else float(str(each)) for each in row[2:4])
    if least < 0:
        return f"has numbers below 0: {TEXTS}"
    if greatest >= 10**digits:
        return f"has numbers of more than {digits} digits: say more, up to 15, or {TEXTS}"
    return ""


def said_of_numbers(policy: SchemaPolicy, table: str) -> Iterator[str]:
    """Yield, for each key of numbers whose first column a table has, what these numbers do not hide."""
    for domain in policy.keys.values():
        if domain.digits is not None and domain.home.table == table:
            yield (
                f"{domain.home.column}: each number stands for one number, of {domain.digits} digits at most and in no order; "
                f"whoever has {domain.key_env} gets all back"
            )


def with_pseudonyms(run: Session, table: exp.Table, column: str, domain: KeyDomain) -> exp.Table:
    """Write rows with a key's pseudonyms in one of their columns."""
    own = Column(column, Role.IDENTIFYING, action=domain.mask, key_env=domain.key_env)
    policy = replace(run.policy, columns=(own,))
    return write_masked(
        replace(run, policy=policy), table, run.engine.columns(table), keyless=False
    )
