"""Distinguishes calls with a policy from calls with a frame and lists of columns, for which a policy is made.

Adds to the error for a column without a role the entry that `init` would propose for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kanon_sql.base.documents.shown import flow
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.counting.source.column_problems import UNCLASSIFIED
from kanon_sql.counting.source.open_view import open_as_view
from kanon_sql.engines.frames import read_once
from kanon_sql.errors import Fault, InputError, KanonError, SourceError
from kanon_sql.policy.model import Policy

if TYPE_CHECKING:
    from contextlib import ExitStack

    from kanon_sql.counting.run.arguments import ColumnRoles, Names
    from kanon_sql.counting.run.inputs import PolicyInput
    from kanon_sql.counting.run.session import Session


def chosen_policy(
    call: str,
    policy: object,
    source: object,
    quasi: Names | None,
    columns: ColumnRoles,
    *,
    connection: object | None,
) -> tuple[PolicyInput, object]:
    """Return the policy and the source of a call; with a frame and lists of columns, the policy is made from these.

    Raises InputError for a call that is neither, and for columns that a call without a policy does not classify.
    """
    if quasi is None:
        _check_is_policy(call, policy, columns)
        return cast(
            "PolicyInput", Path(policy) if isinstance(policy, os.PathLike) else policy
        ), source
    from kanon_sql.apps.getting_started.suggest import policy_of_call  # noqa: PLC0415  most calls have a policy

    return policy_of_call(call, policy, source, quasi, columns, connection=connection)


def _check_is_policy(call: str, policy: object, columns: ColumnRoles) -> None:
    faults = []
    if not isinstance(policy, str | os.PathLike | Mapping | Policy):
        what = (
            f"must be a policy, and is a {type(policy).__name__}. Say which columns are what: "
            f"{call}(frame, quasi=['age', 'zip'], sensitive=['disease'], keep=[], drop=['name'], k=5); "
            f"or pass a policy, and the frame as the source: {call}(policy, frame)"
        )
        faults.append(Fault("policy", what))
    said = [name for name, value in columns.items() if value is not None]
    faults += [Fault(name, "goes with quasi=, in a call without a policy") for name in said]
    if faults:
        raise InputError(call, faults)


MOST_OFFERED = 100
"""The most columns without a role for which an error offers entries; for more, `init` writes a policy."""


def open_offering_run(
    stack: ExitStack,
    policy: PolicyInput,
    source: object,
    **options: Any,  # noqa: ANN401  those of `open_run`
) -> tuple[Session, object | None]:
    """Open a run whose errors for columns without a role offer an entry for each."""
    run, frame = open_run(stack, policy, source, **options)
    stack.push(lambda _, error, __: _offer(run, frame, error))
    return run, frame


def _offer(run: Session, frame: object | None, error: BaseException | None) -> None:
    if not isinstance(error, SourceError):
        return
    without = sum(fault.what == UNCLASSIFIED for fault in error.faults)
    if not 1 <= without <= MOST_OFFERED:
        return
    if frame is not None and read_once(frame):
        return
    try:
        offered = _entries(run, frame)
    except KanonError:  # the original error is raised then
        return
    faults = [
        Fault(fault.where, f"{UNCLASSIFIED}; add under columns: {offered[fault.where]}", fault.line)
        if fault.what == UNCLASSIFIED and fault.where in offered
        else fault
        for fault in error.faults
    ]
    raise SourceError(error.subject, faults) from None


def _entries(run: Session, frame: object | None) -> dict[str, str]:
    """Return a suggested entry for each column of the source, by the column's place in faults."""
    from kanon_sql.apps.getting_started.first_policy import inspect_open  # noqa: PLC0415  of an error
    from kanon_sql.apps.getting_started.init_source import InitSource  # noqa: PLC0415  of an error
    from kanon_sql.apps.getting_started.suggest import SuggestedPolicy  # noqa: PLC0415  of an error

    view = run.scratch.table("unclassified")
    if frame is None:
        open_as_view(run, view, run.policy.source, run.policy.base)
    else:
        run.scratch.is_view(view, view=run.engine.register(view, frame))
    found = SuggestedPolicy(inspect_open(InitSource(run, view, None, None), Path()).policy())
    return {
        f"columns.{name}": f"{flow(name)}: {flow({key: of for key, of in entry.items() if key != 'why'})}"
        for name, entry in found.entries.items()
    }
