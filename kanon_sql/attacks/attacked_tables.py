"""What all attacks have in common: a run without a policy, checks of columns, and the few values that are shown."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from kanon_sql.engines.connect import open_engine
from kanon_sql.errors import Fault, InputError
from kanon_sql.privacy.privacy_model import SensitiveAttribute, SensitiveNulls
from kanon_sql.run.open_table import NO_POLICY
from kanon_sql.run.session import session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import ExitStack

    from kanon_sql.engines.connect import Settings
    from kanon_sql.run.open_table import NamedTable
    from kanon_sql.run.session import Session

MOST_SHOWN = 20
"""Most classes or persons whose values are shown."""


def attacking(
    stack: ExitStack,
    database: str | None,
    connection: object | None,
    settings: Settings | None,
    *,
    keeps_plan: bool = False,
) -> Session:
    """Open a run that only reads. With `keeps_plan`, hashes of a plan can be compared."""
    engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
    return stack.enter_context(session(engine, NO_POLICY, keeps_plan=keeps_plan))


def check_tables(*faults: Iterable[Fault]) -> None:
    """Raise InputError where there are faults, each of which is listed once."""
    if listed := dict.fromkeys(chain(*faults)):
        raise InputError("attack", listed)


def check_named(names: Sequence[str], option: str) -> Sequence[str]:
    """Give columns each once; raises InputError where none is named."""
    if not names:
        check_tables([Fault(option, "name at least one column")])
    return list(dict.fromkeys(names))


def read_sensitive(column: str, nulls: str) -> SensitiveAttribute:
    """Say whether NULL is a value of a sensitive column. Raises InputError."""
    if nulls not in list(SensitiveNulls):
        check_tables([Fault("sensitive_nulls", f"is {' or '.join(SensitiveNulls)}")])
    return SensitiveAttribute(column, SensitiveNulls(nulls))


def shown_text(cell: object) -> str | None:
    """Give a value as text, to a person who asked for values."""
    return None if cell is None else str(cell)


def type_problems(one: NamedTable, other: NamedTable, names: Iterable[str]) -> Iterator[Fault]:
    """List columns of two tables whose texts are compared, and differ even where their values are equal."""
    own = {column.name: column.family for column in one.columns}
    others = {column.name: column.family for column in other.columns}
    for name in names:
        kinds = {own[name], others[name]}
        if len(kinds) > 1 and "text" not in kinds:
            what = (
                f"is of type {own[name]} in {one.what} and {others[name]} in {other.what}: values are "
                f"compared by their texts; cast one of the two"
            )
            yield Fault(name, what)
