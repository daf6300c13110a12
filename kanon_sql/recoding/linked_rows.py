"""Count how many people a released column gives away that joins their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.policy.linkable import Linked, linking_columns
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.release.recount_sql import unique_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.run.session import Session


def count_linked(
    run: Session, table: exp.Table, quasi: Sequence[str], columns: Sequence[str], *, rows: int = 0
) -> tuple[Linked, ...]:
    """Count, of each column that joins rows, its values and those whose rows no other value has."""
    found = []
    for name in columns:
        ((values, unique),) = run.engine.fetch(unique_sets(table, name, quasi, rows=rows))
        found.append(Linked(name, int(str(values)), int(str(unique))))
    return tuple(found)


def count_planned(run: Session, planned: Planned) -> tuple[Linked, ...]:
    """Count the same of what a plan would release: its rows are staged, and dropped again.

    Only where a policy accepts a pseudonym that joins rows, as that takes one more pass.
    """
    pseudonyms = {each.name for each in run.policy.columns if each.pseudonym}
    columns = [name for name in linking_columns(run.policy) if name in pseudonyms]
    if not columns:
        return ()
    with run.engine.journal.step("link"):
        staged = run.scratch.table("staged")
        query = recode(run, planned, staged)
        with keys_in_session(run):
            run.engine.execute(query.staging)
        found = count_linked(run, staged, query.quasi, columns, rows=planned.opened.rows)
        run.scratch.drop(staged)
    return found
