"""Steps that all attacks share: open a run without a policy, check columns, and format the few values shown."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from kanon_sql.counting.run.inputs import NO_POLICY
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.column_problems import types_apart
from kanon_sql.engines.connect import open_engine
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute, SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import ExitStack

    from kanon_sql.counting.run.inputs import NamedTable
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings

MOST_SHOWN = 20
"""The most classes, known records or persons whose values a result shows."""


def attacking(
    stack: ExitStack,
    database: str | None,
    connection: object | None,
    settings: Settings | None,
    *,
    keeps_plan: bool = False,
) -> Session:
    """Open a read-only run without a policy, which `stack` closes.

    With `keeps_plan` the run hashes with the user's stored key, so that a plan's hashes can be compared.
    """
    engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
    return stack.enter_context(session(engine, NO_POLICY, keeps_plan=keeps_plan))


def check_tables(*faults: Iterable[Fault]) -> None:
    """Raise InputError if there is any fault; equal faults are listed once."""
    if listed := dict.fromkeys(chain(*faults)):
        raise InputError("attack", listed)


def check_named(names: Sequence[str], option: str) -> Sequence[str]:
    """Return the names without repeats. Raises InputError for `option` if there are none."""
    if not names:
        check_tables([Fault(option, "name at least one column")])
    return list(dict.fromkeys(names))


def read_sensitive(column: str, nulls: str) -> SensitiveAttribute:
    """Return the sensitive attribute, which treats NULL as `nulls` says. Raises InputError for another word."""
    if nulls not in list(SensitiveNulls):
        check_tables([Fault("sensitive_nulls", f"is {' or '.join(SensitiveNulls)}")])
    return SensitiveAttribute(column, SensitiveNulls(nulls))


def shown_text(cell: object) -> str | None:
    """Return a cell's value as text, or None for NULL. Only callers who asked for values may see it."""
    return None if cell is None else str(cell)


def type_problems(one: NamedTable, other: NamedTable, names: Iterable[str]) -> Iterator[Fault]:
    """List the columns whose equal values may have different texts in two tables: attacks compare values as texts."""
    for name, own, others in types_apart(one.columns, other.columns, names):
        what = (
            f"is of type {own} in {one.what} and {others} in {other.what}: values are "
            f"compared by their texts; cast one of the two"
        )
        yield Fault(name, what)
