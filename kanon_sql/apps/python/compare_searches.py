"""The public function `compare`: searches by several algorithms for one policy, on one frequency set."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.apps.python.plan_recoding import open_offering_run
from kanon_sql.base.charts.bars import compared
from kanon_sql.base.documents.shapes import suggestion
from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.counting.source.person_keys import numbered_sample
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError
from kanon_sql.evidence.release_quality.beside_source import mean_penalty, stage_beside_source
from kanon_sql.evidence.release_quality.measures import OF_TWO_COLUMNS
from kanon_sql.evidence.release_quality.two_columns import measure_beside
from kanon_sql.policy.policy_rules import unsuited
from kanon_sql.policy.search import Recode
from kanon_sql.policy.search_options import Algorithm, default_options
from kanon_sql.recoding.measured import TwoColumns
from kanon_sql.recoding.planning.make_plan import (
    Planned,
    cut_plan,
    encoded,
    mapped_columns,
    search_plan,
)
from kanon_sql.recoding.planning.remarks import check_conflicts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, Overrides, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import EncodedSource

RECODINGS = (Recode.LOCAL, Recode.CELLS)
KNOWN = (*(each.value for each in Algorithm), *(each.value for each in RECODINGS))
"""The names that can be compared: every algorithm, and the recodings to several nodes."""

ALL = "all"
"""The name that stands for all of `KNOWN`, in that order."""

DEFAULT = (
    Algorithm.OPTIMAL.value,
    Recode.CELLS.value,
    Recode.LOCAL.value,
    Algorithm.MONDRIAN.value,
)
"""One of each kind of recoding."""

TIME_LIMIT = 60.0


NOT_MEASURED = dict.fromkeys(each.key for each in OF_TWO_COLUMNS)


@dataclass(frozen=True, slots=True)
class Measured:
    """The measures of the release that a plan leads to."""

    ncp: float | None
    two_columns: TwoColumns | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """One search: its plan, or the `error` that says why there is none, its measures and its cost.

    `status` is that of `plan --json`, or error where the policy is not supported. `ncp` is the mean NCP of all cells.
    The cost is of the search alone, without the frequency set that all share.
    """

    searched_by: str
    status: str
    plan: Plan | None
    error: str | None
    statements: int
    rows_scanned: int
    seconds: float
    ncp: float | None = None
    two_columns: TwoColumns | None = None

    @property
    def recoded(self) -> str:
        """The recoding as text: the levels of its node, or else its kind; empty without a plan."""
        return "" if self.plan is None else str(self.plan.recoding)

    def summary(self) -> dict[str, object]:
        """Return the search as one flat object, with all keys of `plan --json`."""
        return {
            "searched_by": self.searched_by,
            **({"error": self.error} if self.plan is None else self.plan.summary()),
            "status": self.status,
            "feasible": self.plan is not None,
            "ncp": self.ncp,
            **(NOT_MEASURED if self.two_columns is None else self.two_columns.summary()),
            "statements": self.statements,
            "rows_scanned": self.rows_scanned,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(ShownResult):
    """The results of all searches of `compare`, in the given order.

    On a sample all numbers are the sample's, and `sampled_from` is the number of the source's rows.
    """

    rows: int
    classes: int | None
    lattice_nodes: int | None
    metric: str
    names: tuple[str, ...]
    privacy: tuple[str, ...]
    max_suppressed: int
    searches: tuple[Compared, ...]
    sampled_from: int | None = None

    def _shown(self) -> Shown:
        rows = [
            [
                *(each.searched_by, each.status, each.ncp, _median(each)),
                *(*_figures(each.plan), each.seconds),
            ]
            for each in self.searches
        ]
        names = ", ".join(each.searched_by for each in self.searches)
        headings = [
            "searched by",
            "status",
            "loss",
            "count error",
            "suppressed",
            "classes",
            "smallest",
        ]
        return Shown(
            f"searches of {counted(self.rows, 'row')} by {' and '.join(self.privacy)}: {names}",
            [
                (
                    "rows",
                    self.rows
                    if self.sampled_from is None
                    else f"{self.rows:,} of {self.sampled_from:,}, chosen at random",
                ),
                ("privacy", " and ".join(self.privacy)),
                ("suppression limit", self.max_suppressed),
            ],
            [ShownTable([*headings, "seconds"], rows)],
            [f"{each.searched_by}: {each.error}" for each in self.searches if each.error],
            charts=[
                compared(
                    "Information loss of each search",
                    [each.searched_by for each in self.searches],
                    [each.ncp for each in self.searches],
                    measure="information loss",
                    share=True,
                )
            ],
        )

    def summary(self) -> dict[str, object]:
        """Return the object that `compare --json` prints."""
        return {
            "status": "ok",
            "rows": self.rows,
            **({} if self.sampled_from is None else {"sampled_from": self.sampled_from}),
            "classes_before": self.classes,
            "lattice_nodes": self.lattice_nodes,
            "metric": self.metric,
            "quasi_identifiers": list(self.names),
            "privacy": list(self.privacy),
            "max_suppressed_rows": self.max_suppressed,
            "searches": [each.summary() for each in self.searches],
        }


def _median(found: Compared) -> float | None:
    return None if found.two_columns is None else found.two_columns.count_error


def _figures(plan: Plan | None) -> list[object]:
    """Return a plan's suppressed rows, classes and smallest class: numbers that all recodings have."""
    if plan is None:
        return [None] * 3
    return [plan.suppressed_rows, plan.classes, plan.smallest_class]


@checked
def compare(
    policy: PolicyInput,
    source: TableInput | None = None,
    *,
    algorithms: Sequence[str] = DEFAULT,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    time_limit: float = TIME_LIMIT,
    sample: int | None = None,
    progress: Callable[[str], None] | None = None,
    on_found: Callable[[Compared], None] | None = None,
) -> Comparison:
    """Search by several algorithms, and compare their results and costs.

    `local` and `cells` are recodings by the policy's own algorithm, or by `optimal` if that searches no lattice. A
    search that finds nothing says why.

    Args:
        policy: The policy; of a plan, where that names no file of one.
        source: The table; by default the policy's source.
        algorithms: Names of algorithms, `local`, `cells`, or `all`.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        overrides: Entries that replace those of the policy, such as `{'k': 10}`.
        time_limit: The most seconds of each search.
        sample: How many rows to draw at random; a person's stay together.
        progress: A function to call with the name of each step.
        on_found: A function to call with each search that ended.

    Returns:
        The searches in the given order, each with its plan or the reason why there is none.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read, or has a column without a role.

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
    if sample is not None and sample < 1:
        raise InputError("compare", [Fault("sample", "must be at least 1 row")])
    names = [each for name in algorithms for each in (KNOWN if name == ALL else (name,))]
    with ExitStack() as stack:
        run, frame = open_offering_run(
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
            of_rows = opened.source_rows
            if sample is not None:
                run, opened, _ = numbered_sample(run, opened, sample)
        prepared = None
        if not all(map(_cuts_axes, names)):
            prepared = prepare_lattice(run, opened)
        searches: list[Compared] = []
        for name in names:
            with scratch(run.engine) as tables:
                alone = replace(run, scratch=tables)
                measure = partial(_measured, searches)
                found = search_once(
                    alone, opened, prepared, name, time_limit=time_limit, measure=measure
                )
            searches.append(found)
            if on_found is not None:
                on_found(found)
        return Comparison(
            rows=opened.source_rows,
            classes=None if prepared is None else prepared.encoded.stats.classes,
            lattice_nodes=None if prepared is None else prepared.encoded.lattice.size,
            metric=run.policy.metric.label,
            names=tuple(column.name for column in run.policy.quasi),
            privacy=tuple(map(str, run.policy.privacy)),
            max_suppressed=run.policy.suppression.limit(opened.source_rows),
            searches=tuple(searches),
            sampled_from=None if sample is None else of_rows,
        )


def _measured(before: Sequence[Compared], run: Session, planned: Planned) -> Measured:
    """Measure the release of a plan, or reuse the measures of an earlier search with the same recoding."""
    for each in before:
        if each.plan is not None and each.plan.recoding == planned.plan.recoding:
            return Measured(each.ncp, each.two_columns)
    beside = stage_beside_source(run, planned)
    found = measure_beside(run, planned, beside)
    return Measured(
        mean_penalty(run, planned, beside), found if isinstance(found, TwoColumns) else None
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
    """Return the policy with another search, and the options that both algorithms have. Raises InputError."""
    search = policy.search
    if name not in RECODINGS:
        search = replace(search.switched(Algorithm(name)), recoding=Recode.FULL_DOMAIN)
    elif search.options.cuts_axes:
        search = replace(search.switched(Algorithm.OPTIMAL), recoding=Recode(name))
    elif search.options.own_recoding:
        what = f"cannot be combined with {search.algorithm}, the policy's own algorithm; name another algorithm in the policy"
        raise InputError(policy.subject, [Fault("", what)])
    else:
        search = replace(search, recoding=Recode(name))
    return replace(policy, search=search)


def _fault_texts(faults: Sequence[Fault]) -> str:
    """Format faults as one text: each description once, with the columns that it applies to."""
    of: dict[str, list[str]] = {}
    for fault in faults:
        named = fault.where.startswith("columns.")
        of.setdefault(fault.what, []).extend([fault.where] if named else [])
    return "; ".join(f"{', '.join(where)}: {what}" if where else what for what, where in of.items())


def prepare_lattice(run: Session, opened: OpenSource) -> EncodedSource | None:
    """Build the frequency set that lattice searches share; None where a column has no hierarchy."""
    if run.policy.search.options.cuts_axes:
        run = replace(run, policy=_searched_by(run.policy, Algorithm.OPTIMAL))
    if any(unsuited(run.policy)):
        return None
    return encoded(run, mapped_columns(run, opened))


def search_once(
    run: Session,
    opened: OpenSource,
    prepared: EncodedSource | None,
    name: str,
    *,
    time_limit: float,
    measure: Callable[[Session, Planned], Measured],
) -> Compared:
    """Search by one algorithm, and measure its plan; all tables are the run's scratch tables."""
    journal = run.engine.journal
    statements, scanned, started = journal.statements, journal.scanned, time.perf_counter()
    planned, error, status = None, None, "feasible"
    with journal.step(name):
        try:
            run = replace(run, policy=_searched_by(run.policy, name))
            deadline = time.monotonic() + time_limit
            check_conflicts(run.policy)
            if prepared is None or _cuts_axes(name):
                opening = mapped_columns(run, opened)
                plan, cut = cut_plan(run, opening, deadline=deadline)
                planned = Planned(plan, opening.opened, opening.mapped, cut)
            else:
                plan, opening = search_plan(run, prepared, deadline=deadline), prepared.opening
                planned = Planned(plan, opening.opened, opening.mapped)
        except InfeasibleError as refused:
            error, status = str(refused), refused.status
        except InputError as refused:
            error, status = _fault_texts(refused.faults), refused.status
    found = Compared(
        searched_by=name,
        status=status,
        plan=None if planned is None else planned.plan,
        error=error,
        statements=journal.statements - statements,
        rows_scanned=journal.scanned - scanned,
        seconds=round(time.perf_counter() - started, 4),
    )
    if planned is None:
        return found
    with journal.step("measure"):
        measured = measure(run, planned)
        return replace(found, ncp=measured.ncp, two_columns=measured.two_columns)
