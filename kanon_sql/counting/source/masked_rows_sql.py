"""The statement that reads a source with its masked columns, in the place of the source itself."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal, name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.commands_sql import key_variables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.mask import Steps
    from kanon_sql.policy.model import Column, Policy


def masked_columns(policy: Policy) -> list[Column]:
    """Return the columns whose cells a mask computes from their own row."""
    return [each for each in policy.columns if each.mask is not None and each.mask.fragment]


def masked_rows(
    source: object, policy: Policy, columns: Sequence[ColumnType], *, keyless: bool = False
) -> Statement | None:
    """Return the query of a source with its masked columns, all others as they are; None if no column is masked so.

    With `keyless`, columns that are masked with a key are as they are too.

    Columns keep their names and their order. Masks read the values of the source: a column that another mask reads may
    be masked itself.
    """
    masked = {each.name: each for each in masked_columns(policy) if not (keyless and each.keyed)}
    if not masked:
        return None
    free = _prefix(each.name for each in columns)
    described: list[dict[str, object]] = []
    every: list[Steps] = []
    for number, each in enumerate(columns):
        entry: dict[str, object] = {"from": column(each.name, of="s"), "as": name(each.name)}
        own = masked.get(each.name)
        if own is None or own.mask is None:
            described.append({**entry, "mask": None})
            continue
        keys = map(literal, key_variables(str(own.key_env)))
        steps, read = own.mask.steps(
            f"{free}{number}", own, dict(zip(("inner", "outer"), keys, strict=True))
        )
        every.append(steps)
        described.append(
            {**entry, "mask": own.mask.fragment, **own.mask.leaves(each.family), **read}
        )
    together = [[one for of in at for one in of] for at in zip_longest(*every, fillvalue=())]
    leaves = {"rows": table("kanon_masked"), "source": source, "columns": described}
    return Statement("source/masked_rows", {**leaves, "steps": together})


def _prefix(names: Iterable[str]) -> str:
    """Return what no column's name begins with, for the columns of steps beside them."""
    folded = [each.casefold() for each in names]
    prefix = "mask_"
    while any(each.startswith(prefix) for each in folded):
        prefix += "_"
    return prefix


def see_masked(run: Session, table_: exp.Table, columns: Sequence[ColumnType]) -> exp.Table:
    """Return a view of a table's rows as readers see them: with the masks that need no key, or the table itself."""
    masked = masked_rows(table_, run.policy, columns, keyless=True)
    if masked is None:
        return table_
    view = run.scratch.table("masked")
    run.see(view, Statement("source/see_masked", {"view": view, "masked": masked}))
    return view
