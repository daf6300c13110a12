"""Whether a plan is still of the policy, the source and the hierarchies that it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.flow.hierarchies import map_columns
from kanon_sql.flow.planning import Planned
from kanon_sql.flow.script import plan_sql
from kanon_sql.flow.source import fingerprint, open_source, source_name
from kanon_sql.model.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.engine.base import ColumnType
    from kanon_sql.flow.given import Given
    from kanon_sql.flow.session import Session
    from kanon_sql.model.lattice import Node

AGAIN = "make the plan again and review it"


def plan_and_policy(given: str | Path | Plan, policy: Given | None) -> tuple[Plan, Given]:
    """Find the policy that a plan names, beside the plan."""
    if isinstance(given, Plan):
        chosen, folder = given, Path()
    else:
        path = Path(given)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(str(path), [Fault("", "there is no such plan file")]) from error
        chosen, folder = Plan.from_yaml(text, str(path)), path.parent
    if policy is not None:
        return chosen, policy
    if chosen.policy_file is None:
        fault = Fault("policy", "the plan was made from Python; give its policy too")
        raise InputError("plan", [fault])
    return chosen, folder / chosen.policy_file


def hold_against_policy(run: Session, chosen: Plan) -> None:
    """Refuse a plan that is of another policy, or whose levels are none of its hierarchies'."""
    names = [column.name for column in run.policy.quasi]
    faults = []
    if run.policy.digest != chosen.policy_digest:
        faults.append(Fault("policy", f"changed since the plan was made; {AGAIN}"))
    elif list(chosen.names) != names:
        faults.append(Fault("recoding", "does not name the policy's quasi-identifiers"))
    elif not all(_has(node, chosen.heights.values()) for node in chosen.recoding.nodes):
        faults.append(Fault("recoding.levels", "has a level that its hierarchy does not have"))
    if faults:
        raise StalePlanError("plan", faults)


def _has(node: Node, heights: Iterable[int]) -> bool:
    return all(0 <= at <= height for at, height in zip(node.levels, heights, strict=True))


def hold_against_sql(
    run: Session, chosen: Plan, columns: Sequence[ColumnType], *, from_file: bool
) -> None:
    """Refuse a plan whose SQL was changed by hand."""
    if from_file and chosen.sql != plan_sql(run, chosen.recoding, chosen.heights, columns):
        what = f"is not what this plan would run: it, or the source's columns, changed; {AGAIN}"
        raise StalePlanError("plan", [Fault("sql", what)])


def replan(run: Session, chosen: Plan, frame: object | None, *, from_file: bool) -> Planned:
    """Open what the plan was made from and compare it, hash by hash."""
    hold_against_policy(run, chosen)
    faults = []
    journal = run.engine.journal
    with journal.step("open"):
        opened = open_source(run, frame)
        hold_against_sql(run, chosen, opened.columns, from_file=from_file)
    with journal.step("hierarchies"):
        mapped = map_columns(run, opened)
    with journal.step("fingerprint"):
        found = fingerprint(run, opened)
    if chosen.source_fingerprint is None:
        faults.append(Fault("source.fingerprint", "is missing: the plan is of a run that is over"))
    elif found.split(":")[0] != chosen.source_fingerprint.split(":")[0]:
        faults.append(Fault("source", "was hashed by another database, or release of it"))
    elif (opened.rows, found) != (chosen.source_rows, chosen.source_fingerprint):
        what = (
            f"changed since the plan was made ({chosen.source_rows} rows then, {opened.rows} now)"
        )
        faults.append(Fault(f"source {source_name(run.policy.source)}", what))
    elif chosen.suppressed_rows > run.policy.suppression.limit(opened.rows):
        faults.append(Fault("recoding.suppressed_rows", "is more than the policy allows"))
    for each in mapped:
        name = each.column.name
        height = each.hierarchy.height
        if (each.hierarchy.digest, height) != (chosen.hierarchies.get(name), chosen.heights[name]):
            faults.append(Fault(f"columns.{name}.hierarchy", "changed since the plan was made"))
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])
    return Planned(chosen, opened, tuple(mapped))
