"""Compares what several algorithms find for one policy, on one frequency set. Reads only."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.documents.shapes import suggestion
from kanon_sql.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.documents.text import counted
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError
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
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Policy
    from kanon_sql.run.inputs import Overrides, PolicyInput
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

RECODINGS = (Recode.LOCAL, Recode.CELLS)
KNOWN = (*(each.value for each in Algorithm), *(each.value for each in RECODINGS))
"""What can be compared: every algorithm, and the recodings to several nodes."""

ALL = "all"
"""Stands for all of them, in that order."""

TIME_LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Compared:
    """One search: its plan, or why there is none, and what it took.

    `searched_by` is the algorithm, or the recoding where that is another than one node. The `status`
    is that of `plan --json`: feasible, infeasible, out_of_time, or error where the algorithm does not
    support the policy; `error` says why there is no plan. `statements`, `rows_scanned` and `seconds` are of the
    search alone, without the frequency set that all searches share.
    """

    searched_by: str
    status: str
    plan: Plan | None
    error: str | None
    statements: int
    rows_scanned: int
    seconds: float

    @property
    def recoded(self) -> str:
        """Describe the recoding: its node, or else its kind."""
        return "" if self.plan is None else str(self.plan.recoding)

    def summary(self) -> dict[str, object]:
        """Give it as one flat object, with all that `plan --json` prints."""
        return {
            "searched_by": self.searched_by,
            **({"error": self.error} if self.plan is None else self.plan.summary()),
            "status": self.status,
            "feasible": self.plan is not None,
            "statements": self.statements,
            "rows_scanned": self.rows_scanned,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(ShownResult):
    """All searches, in the given order, on one frequency set.

    Without hierarchies there is neither a frequency set nor a lattice.
    """

    rows: int
    classes: int | None
    lattice_nodes: int | None
    metric: str
    names: tuple[str, ...]
    privacy: tuple[str, ...]
    max_suppressed: int
    searches: tuple[Compared, ...]

    def _shown(self) -> Shown:
        rows = [
            [each.searched_by, each.status, *_figures(each.plan), each.seconds]
            for each in self.searches
        ]
        names = ", ".join(each.searched_by for each in self.searches)
        headings = ["searched by", "status", "suppressed", "classes", "smallest", self.metric]
        return Shown(
            f"searches of {counted(self.rows, 'row')} by {' and '.join(self.privacy)}: {names}",
            [
                ("rows", self.rows),
                ("privacy", " and ".join(self.privacy)),
                ("suppression limit", self.max_suppressed),
            ],
            [ShownTable([*headings, "seconds"], rows)],
            [f"{each.searched_by}: {each.error}" for each in self.searches if each.error],
        )

    def summary(self) -> dict[str, object]:
        """Give what `compare --json` prints."""
        return {
            "status": "ok",
            "rows": self.rows,
            "classes_before": self.classes,
            "lattice_nodes": self.lattice_nodes,
            "metric": self.metric,
            "quasi_identifiers": list(self.names),
            "privacy": list(self.privacy),
            "max_suppressed_rows": self.max_suppressed,
            "searches": [each.summary() for each in self.searches],
        }


def _figures(plan: Plan | None) -> list[object]:
    """List the figures of a plan that all recodings have."""
    if plan is None:
        return [None] * 4
    cost = plan.cost[0] if len(plan.cost) == 1 else None
    return [plan.suppressed_rows, plan.classes, plan.smallest_class, cost]


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
    """Search by several algorithms and compare what each finds, and what it takes.

    `all` stands for every algorithm. Each has `time_limit` seconds; `local` and `cells` are recodings by the policy's own
    algorithm. An algorithm that finds nothing, or does not support the policy, says why.

    Args:
        policy: The policy: the path of its file, a mapping, or a `Policy`.
        source: A path, a glob, a table's name, or a frame; by default the policy's own source.
        algorithms: What to compare: names of algorithms, `local`, `cells`, or `all`.
        connection: A connection of DuckDB, psycopg, or a SparkSession, which is left as it was; by
            default one is opened.
        settings: Limits of a connection that is opened here: threads, memory, where it spills.
        overrides: Entries that replace those of the policy, by their names on the command line, such as
            `{'k': 10}`.
        time_limit: The most seconds of each search.
        progress: Is called with the name of each step.

    Returns:
        The searches in the given order, each with its plan or why there is none.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read, or has a column without a role; a line to paste is
            offered.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> found = kanon_sql.compare(policy, people, algorithms=["optimal", "greedy"])
    >>> [(each.searched_by, each.plan.classes) for each in found.searches]
    [('optimal', 2), ('greedy', 2)]
    """
    _check_names(algorithms)
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
            rows=opened.source_rows,
            classes=None if prepared is None else prepared.encoded.stats.classes,
            lattice_nodes=None if prepared is None else prepared.encoded.lattice.size,
            metric=run.policy.metric.label,
            names=tuple(column.name for column in run.policy.quasi),
            privacy=tuple(map(str, run.policy.privacy)),
            max_suppressed=run.policy.suppression.limit(opened.source_rows),
            searches=tuple(searches),
        )


def _check_names(algorithms: Sequence[str]) -> None:
    supported = f"supported: {', '.join((ALL, *KNOWN))}"
    faults = []
    for name in algorithms:
        if name not in {ALL, *KNOWN}:
            close = suggestion(name, (ALL, *KNOWN)) or ";"
            faults.append(Fault("algorithms", f"unknown: {name}{close} {supported}"))
    if not algorithms:
        faults.append(Fault("algorithms", f"name at least one; {supported}"))
    if faults:
        raise InputError("compare", faults)


def _cuts_axes(name: str) -> bool:
    return name not in RECODINGS and default_options(Algorithm(name)).cuts_axes


def _searched_by(policy: Policy, name: str) -> Policy:
    """Give the policy with another search; an algorithm's options stay with it."""
    search = policy.search
    if name not in RECODINGS:
        search = replace(search.switched(Algorithm(name)), recoding=Recode.FULL_DOMAIN)
    elif search.options.own_recoding:
        what = f"cannot be combined with {search.algorithm}, the policy's own algorithm; name another algorithm in the policy"
        raise InputError(policy.subject, [Fault("", what)])
    else:
        search = replace(search, recoding=Recode(name))
    return replace(policy, search=search)


def _fault_texts(faults: Sequence[Fault]) -> str:
    """Describe each fault once, with its columns where it is about columns."""
    of: dict[str, list[str]] = {}
    for fault in faults:
        named = fault.where.startswith("columns.")
        of.setdefault(fault.what, []).extend([fault.where] if named else [])
    return "; ".join(f"{', '.join(where)}: {what}" if where else what for what, where in of.items())


def _prepared(run: Session, opened: OpenSource) -> EncodedSource | None:
    """Build the frequency set that lattice searches share; None where a column has no hierarchy."""
    if run.policy.search.options.cuts_axes:
        run = replace(run, policy=_searched_by(run.policy, Algorithm.OPTIMAL))
    if any(unsuited(run.policy)):
        return None
    return encoded(run, mapped_columns(run, opened))


def _search(
    run: Session, opened: OpenSource, prepared: EncodedSource | None, name: str, time_limit: float
) -> Compared:
    """Search once; the search's scratch tables are dropped when it ends."""
    journal = run.engine.journal
    statements, scanned, started = journal.statements, journal.scanned, time.perf_counter()
    plan, error, status = None, None, "feasible"
    with scratch(run.engine) as tables, journal.step(name):
        try:
            alone = replace(run, scratch=tables, policy=_searched_by(run.policy, name))
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
