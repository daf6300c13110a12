"""Raises the values that an attacker knows to the labels of a plan, so that they can be matched with its release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.mapping import map_columns
from kanon_sql.counting.run.inputs import NamedTable
from kanon_sql.counting.source.open_source import (
    OpenSource,
    is_read_as_text,
    text_columns_statement,
    with_collations,
)
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.evidence.attacks import attacks_sql
from kanon_sql.policy.hierarchies.labels_sql import Released, release_map
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan, plan_problems

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Column


@dataclass(frozen=True, slots=True)
class RaisedRecords:
    """A table of known records, and its linking columns (labels, or values if not raised) as the release names them."""

    table: NamedTable
    columns: tuple[str, ...]


def raise_records(
    run: Session,
    known: NamedTable,
    plan: str | Path | Plan,
    policy_input: PolicyInput | None,
    columns: Sequence[str],
    *,
    kept: Sequence[str] = (),
) -> RaisedRecords:
    """Replace the known values in `columns` by the labels of a plan.

    Columns that are not quasi-identifiers of the plan keep their values, and so do the columns `kept`. Records with
    a value that has no label are left out: no row of the release can match them. Raises InputError if the plan gives
    a value no single label, and StalePlanError if the policy or a hierarchy changed since the plan was made.
    """
    named = name_plan(plan, policy_input)
    policy = named.read_policy()
    if why := named.plan.recoding.many_labels:
        what = (
            f"{why}, so that a known value has no label of its own; give a full-domain plan, or known records that "
            f"have the release's labels already and no plan"
        )
        raise InputError("plan", [Fault("recoding", what)])
    quasi = tuple(each for each in policy.quasi if each.name in columns)
    _check_labels(quasi)
    own = replace(run, policy=policy, overrides=named.plan.overrides)
    check_plan(own, named)
    # Only the hierarchies of the known columns are mapped.
    of_known = replace(own, policy=replace(policy, columns=quasi))
    opened = _open_known(of_known, known)
    mapped = map_columns(of_known, opened, new=True, only_entered=True)
    if faults := plan_problems(own.policy, named.plan, mapped):
        raise StalePlanError("plan", faults)
    released = []
    for each in mapped:
        level, height = named.plan.levels[each.column.name], each.hierarchy.height
        one = Released(each.column, level, height, run.scratch.table("map"))
        run.engine.execute(release_map(one, each.domain, each.paths))
        released.append(one)
    names = {each.column.name: each.names for each in released}
    others = [each for each in columns if each not in names]
    table = run.scratch.create(
        "raised",
        attacks_sql.raised_records,
        opened.table,
        released,
        list(dict.fromkeys([*others, *kept])),
    )
    labels = tuple(each for text in columns for each in names.get(text, (text,)))
    described = tuple(run.engine.columns(table))
    return RaisedRecords(NamedTable(known.what, table, described), labels)


def _check_labels(known: Sequence[Column]) -> None:
    """Raise InputError for columns whose released cells depend on the rows of a class, not on the value alone."""
    what = (
        "follows from the rows of a class, so that a known value has no label of its own; leave the column out, or give "
        "known records that have the release's labels already and no plan"
    )
    faults = [
        Fault(f"columns.{each.name}", f"is released as output: {each.output}, which {what}")
        for each in known
        if each.output.is_of_rows
    ]
    if faults:
        raise InputError("plan", faults)


def _open_known(run: Session, known: NamedTable) -> OpenSource:
    """Read known records as a source is read, so that their values get the same labels."""
    columns = with_collations(run, known.table, known.columns)
    table = known.table
    if any(map(is_read_as_text, columns)):
        table = run.scratch.table("plain")
        run.see(table, text_columns_statement(table, known.table, columns))
        columns = tuple(run.engine.columns(table))
    return OpenSource(table, columns, run.engine.fetch_count(source_sql.count_rows(table)))
