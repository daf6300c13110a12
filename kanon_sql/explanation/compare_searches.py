"""Several searches of one policy beside each other, on one frequency set. Reads only."""

from __future__ import annotations

import difflib
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError
from kanon_sql.explanation.comparison import Compared, Comparison
from kanon_sql.planning.make_plan import (
    cut_plan,
    encoded,
    mapped_columns,
    search_plan,
)
from kanon_sql.planning.remarks import check_conflicts
from kanon_sql.policy.policy_rules import unsuited
from kanon_sql.policy.search import Recode
from kanon_sql.policy.search_options import Algorithm, default_options
from kanon_sql.run.arguments import checked
from kanon_sql.run.inputs import open_run
from kanon_sql.source.open_source import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.engines.connect import Settings
    from kanon_sql.planning.make_plan import EncodedSource
    from kanon_sql.policy.model import Policy
    from kanon_sql.run.inputs import Overrides, PolicyInput
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

RECODINGS = (Recode.LOCAL, Recode.CELLS)
KNOWN = (*(each.value for each in Algorithm), *(each.value for each in RECODINGS))
"""What can be compared: every algorithm, and the recodings to more than one node."""

ALL = "all"
"""All that can be compared, in that order."""

TIME_LIMIT = 60.0


@checked
def compare(
    policy: PolicyInput,
    source: object = None,
    *,
    algorithms: Sequence[str] = (ALL,),
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    time_limit: float = TIME_LIMIT,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Search by several algorithms and say what each found, and what it took.

    `all` stands for every one that there is. Each has `time_limit` seconds; `local` and `cells` are recodings by the policy's own algorithm.
    An algorithm that finds nothing, or cannot do what the policy asks, says why. Raises
    InputError for what was given.
    """
    _refuse_unknown(algorithms)
    names = [each for name in algorithms for each in (KNOWN if name == ALL else (name,))]
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            policy,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=False,
        )
        names = list(dict.fromkeys(names))
        with run.engine.journal.step("open"):
            opened = open_source(run, frame)
        prepared = None
        if not all(map(_cuts_axes, names)):
            prepared = _prepared(run, opened)
        searches = [_search(run, opened, prepared, name, time_limit) for name in names]
        return Comparison(
            rows=opened.rows,
            classes=None if prepared is None else prepared.encoded.stats.classes,
            lattice_nodes=None if prepared is None else prepared.encoded.lattice.size,
            metric=run.policy.search.cost().label,
            names=tuple(column.name for column in run.policy.quasi),
            privacy=tuple(map(str, run.policy.privacy)),
            max_suppressed=run.policy.suppression.limit(opened.rows),
            searches=tuple(searches),
        )


def _refuse_unknown(algorithms: Sequence[str]) -> None:
    faults = []
    for name in algorithms:
        if name not in {ALL, *KNOWN}:
            close = difflib.get_close_matches(name, (ALL, *KNOWN), n=1)
            hint = f"did you mean {close[0]}?" if close else f"known: {ALL}, {', '.join(KNOWN)}"
            faults.append(Fault("algorithms", f"{name} is not one that is known; {hint}"))
    if not algorithms:
        faults.append(Fault("algorithms", f"name at least one; known: {ALL}, {', '.join(KNOWN)}"))
    if faults:
        raise InputError("compare", faults)


def _cuts_axes(name: str) -> bool:
    return name not in RECODINGS and default_options(Algorithm(name)).cuts_axes


def _asked(policy: Policy, name: str) -> Policy:
    """Give the policy with another search; options stay with the algorithm that they are of."""
    search = policy.search
    if name not in RECODINGS:
        search = replace(search.switched(Algorithm(name)), recoding=Recode.FULL_DOMAIN)
    elif search.options.own_recoding:
        what = (
            f"does not go with {search.algorithm}, the policy's own algorithm; name another there"
        )
        raise InputError(policy.subject, [Fault("", what)])
    else:
        search = replace(search, recoding=Recode(name))
    return replace(policy, search=search)


def _fault_texts(faults: Sequence[Fault]) -> str:
    """Say what is wrong, each once, and of which columns where it is that of columns."""
    of: dict[str, list[str]] = {}
    for fault in faults:
        named = fault.where.startswith("columns.")
        of.setdefault(fault.what, []).extend([fault.where] if named else [])
    return "; ".join(f"{', '.join(where)}: {what}" if where else what for what, where in of.items())


def _prepared(run: Session, opened: OpenSource) -> EncodedSource | None:
    """Make the frequency set for all that search a lattice; None where a column has no hierarchy."""
    if run.policy.search.options.cuts_axes:
        run = replace(run, policy=_asked(run.policy, Algorithm.OPTIMAL))
    if any(unsuited(run.policy)):
        return None
    return encoded(run, mapped_columns(run, opened))


def _search(
    run: Session, opened: OpenSource, prepared: EncodedSource | None, name: str, time_limit: float
) -> Compared:
    """Search once; what the search made is dropped when it ends."""
    journal = run.engine.journal
    statements, scanned, started = journal.statements, journal.scanned, time.perf_counter()
    plan, error, status = None, None, "feasible"
    with scratch(run.engine) as tables, journal.step(name):
        try:
            alone = replace(run, scratch=tables, policy=_asked(run.policy, name))
            deadline = time.monotonic() + time_limit
            check_conflicts(alone)
            if prepared is None or _cuts_axes(name):
                plan, _ = cut_plan(alone, mapped_columns(alone, opened), deadline=deadline)
            else:
                plan = search_plan(alone, prepared, deadline=deadline)
        except InfeasibleError as found:
            error, status = str(found), found.status
        except InputError as found:
            error, status = _fault_texts(found.faults), found.status
        seconds = time.perf_counter() - started
    return Compared(
        searched_by=name,
        status=status,
        plan=plan,
        error=error,
        statements=journal.statements - statements,
        rows_scanned=journal.scanned - scanned,
        seconds=round(seconds, 4),
    )
