"""The linking attack: known records are matched with a table by the columns that both have."""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_table
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.evidence.attacks.attacked_tables import (
    MOST_SHOWN,
    attacking,
    check_named,
    check_tables,
    shown_text,
    type_problems,
)
from kanon_sql.evidence.attacks.attacks_sql import LinkedTables
from kanon_sql.evidence.attacks.raised_labels import RaisedRecords, raise_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings


@dataclass(frozen=True, slots=True)
class Linkage:
    """A histogram: `candidates` maps a number of candidates to the number of known records that have so many.

    A candidate is a row of the table, or a person there, with the same linking values. An attacker who picks one of n
    is right with probability 1/n.
    """

    candidates: Mapping[int, int]

    @property
    def matched(self) -> int:
        """The known records that have a candidate."""
        return sum(records for n, records in self.candidates.items() if n)

    @property
    def unique(self) -> int:
        """The known records that have exactly one candidate."""
        return self.candidates.get(1, 0)

    @property
    def average(self) -> float:
        """The mean probability of picking the right candidate, over the matched records; 0 if there are none."""
        chances = (records / n for n, records in self.candidates.items() if n)
        return math.fsum(chances) / self.matched if self.matched else 0.0

    @property
    def highest(self) -> float:
        """The highest probability of picking the right candidate; 0 if no record is matched."""
        return max((1 / n for n in self.candidates if n), default=0.0)

    def summary(self) -> dict[str, object]:
        """Return the four figures as a mapping."""
        return {
            "matched": self.matched,
            "unique": self.unique,
            "average": self.average,
            "highest": self.highest,
        }


@dataclass(frozen=True, slots=True)
class LinkAttack:
    """The result of a linking attack on a table and, if one was given, on its release.

    `shown` has some of the `known` records with exactly one candidate, if values were asked for.
    """

    known: int
    target: Linkage
    released: Linkage | None = None
    shown: tuple[Mapping[str, object], ...] = ()

    def summary(self) -> dict[str, object]:
        """Return the document that `attack link --json` prints."""
        found: dict[str, object] = {"known": self.known, **self.target.summary()}
        if self.released is not None:
            found["released"] = self.released.summary()
        return found


@checked
def attack_link(
    target: TableInput,
    known: TableInput,
    *,
    on: Sequence[str],
    released: TableInput | None = None,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    entity: str | None = None,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> LinkAttack:
    """Link known records to a table by the columns `on`, and count how many candidates each has; reads only.

    Values are compared by their texts, and NULL is a value. With a `plan` the known values are raised to the labels of
    its release. With `entity` candidates are people, and rows where it is NULL are none (Sweeney, IJUFKS 10(5), 2002).

    Args:
        target: The attacked table.
        known: The records that the attacker knows.
        on: Columns of both tables.
        released: A release of the target.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        entity: The column of people, who are then the candidates.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The number of candidates of the known records, in the target and in the release.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["31", "34"], "disease": ["flu", "cold"]})
    >>> known = pd.DataFrame({"age": ["31"]})
    >>> kanon_sql.attack_link(table, known, on=["age"]).target.unique
    1
    """
    names = check_named(on, "on")
    with ExitStack() as stack:
        run = attacking(stack, database, connection, settings, keeps_plan=plan is not None)
        records = open_table(run, known, "known", "the known records")
        attacked = [open_table(run, target, "target", "the target")]
        if released is not None:
            attacked.append(open_table(run, released, "released", "the release"))
        check_tables(records.column_problems(names))
        plainly = raised = RaisedRecords(records, tuple(names))
        if plan is not None:
            raised = raise_records(run, records, plan, policy, names)
        # The plan recoded the last table: the release, if one is given.
        linked = [*((each, plainly) for each in attacked[:-1]), (attacked[-1], raised)]
        counted = [] if entity is None else [entity]
        check_tables(*(each.column_problems([*own.columns, *counted]) for each, own in linked))
        check_tables(*(type_problems(own.table, each, own.columns) for each, own in linked))
        count = run.engine.fetch_count(source_sql.count_rows(records.table))
        with run.engine.own_functions():
            statements = [
                LinkedTables(own.table.table, each.table, own.columns, entity)
                for each, own in linked
            ]
            first, *after = [_linkage(run, each, count) for each in statements]
            shown = _shown(run, statements[-1]) if show_values else ()
        return LinkAttack(count, first, after[0] if after else None, shown)


def _linkage(run: Session, linked: LinkedTables, known: int) -> Linkage:
    """Count the `known` records by candidates; records left out because a value has no label have none."""
    found = {whole(n): whole(records) for n, records in run.engine.fetch(linked.count_candidates())}
    found[0] = known - sum(records for n, records in found.items() if n)
    return Linkage(found)


def _shown(run: Session, linked: LinkedTables) -> tuple[Mapping[str, object], ...]:
    """Read the values of some known records that have one candidate."""
    rows = run.engine.fetch(linked.unique_records(MOST_SHOWN))
    return tuple(dict(zip(linked.columns, map(shown_text, row), strict=True)) for row in rows)
