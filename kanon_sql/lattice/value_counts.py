"""The counts of all values of a table, with which models compare classes; made once for many checks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.privacy.fitting_sql import MOST_STEPS, first_steps

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.privacy.fitting_sql import TableValues
    from kanon_sql.privacy.privacy_model import SensitiveAttribute
    from kanon_sql.run.session import Session


def count_values(
    run: Session, counting: Counting, rows: exp.Table, *, called: str
) -> dict[SensitiveAttribute, TableValues]:
    """Create a scratch table of the counts of the values in `rows`, for each attribute that is compared.

    For an ordered attribute of few values, the counts up to each value are fetched too: no check then needs windows.
    """
    of_table = {}
    for each, values, statement in counting.values_of_table(
        rows, partial(run.scratch.table, called)
    ):
        run.engine.execute(statement)
        of_table[each] = values
        if each.order is not None:
            steps = tuple(whole(n) for (n,) in run.engine.fetch(first_steps(values.table)))
            if len(steps) <= MOST_STEPS:
                of_table[each] = replace(values, steps=steps)
    return of_table
