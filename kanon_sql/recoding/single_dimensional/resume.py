"""Going on with a search that its plan says was left: what has to be as it was, and what is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.recoding.single_dimensional.cut_document import read_state, state_document
from kanon_sql.source.open_source import source_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.single_dimensional.cut_state import CutSearchState
    from kanon_sql.recoding.single_dimensional.cutter import Cutter
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

AGAIN = "begin a search anew"


def left_state(policy: Policy, state: CutSearchState, cutter: Cutter) -> dict[str, object] | None:
    """Write down how a search was left, and whose it is; None where it is at its end."""
    if state.report().proven:
        return None
    return {"policy": _asked(policy), **state_document(state, cutter.columns)}


def _asked(policy: Policy) -> str:
    """Hash what a search is asked, whichever time it has."""
    return replace(policy, search=replace(policy.search, time_limit=None)).digest


def held_state(run: Session, opened: OpenSource, chosen: Plan, found: str) -> Mapping[str, object]:
    """Give the state of a plan's search; `found` is the source's hash.

    The policy has the orders of its columns' values, so that its hash is enough for them. Raises
    InputError where there is no state, and StalePlanError where it is of another policy or source.
    """
    if chosen.state is None:
        what = "has no search to go on with: it is proven, or of an algorithm that ends by itself"
        raise InputError("plan", [Fault("state", what)])
    faults = []
    if chosen.state.get("policy") != _asked(run.policy):
        faults.append(Fault("policy", "is not the one whose search was left"))
    if (opened.rows, found) != (chosen.source_rows, chosen.source_fingerprint):
        what = "changed since the search was left, or was hashed by another database or under another key"
        faults.append(Fault(f"source {source_name(run.policy.source)}", what))
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])
    return chosen.state


def gone_on_with(told: Mapping[str, object], cutter: Cutter) -> CutSearchState:
    """Read a search as it was left, and count its best head again. Raises StalePlanError."""
    try:
        state = read_state(told, cutter.columns)
    except ValueError as error:
        raise StalePlanError("plan", [Fault("state", str(error)), Fault("", AGAIN)]) from error
    (figures,) = cutter.figures([state.best.head], state.best.head)
    if (figures.cost, figures.suppressed) != (state.best.cost, state.best.suppressed):
        what = "says of its best head what the source does not"
        raise StalePlanError("plan", [Fault("state.best", what), Fault("", AGAIN)])
    return state
