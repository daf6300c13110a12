"""Distinguishes calls with a policy from calls with a frame and lists of columns, for which a policy is made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Policy

if TYPE_CHECKING:
    from kanon_sql.counting.run.arguments import ColumnRoles, Names
    from kanon_sql.counting.run.inputs import PolicyInput


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
