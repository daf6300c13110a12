"""A trial: a policy's table, or a sample of it, recoded in several ways and compared by one loss. Reads only."""

from __future__ import annotations

import math
import re
import time
from contextlib import ExitStack
from dataclasses import field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from kanon_sql.apps.python.compare_searches import Compared, Measured, prepare_lattice, search_once
from kanon_sql.base.documents.text import counted, simple_counts
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.counting.source.person_keys import numbered_sample
from kanon_sql.engines.base import whole
from kanon_sql.errors import InfeasibleError, OutOfTimeError
from kanon_sql.evidence.release_quality.beside_source import (
    covered_values,
    mean_penalty,
    stage_beside_source,
)
from kanon_sql.evidence.release_quality.simple_counts import count_beside, covers_values
from kanon_sql.evidence.release_quality.small_tables import (
    BandedColumn,
    BandTable,
    CellCounts,
    Rate,
    chosen_columns,
    count_released,
    count_source,
    has_numbers,
    rate_of,
    sensitive_column,
    small_tables,
    with_numbers,
)
from kanon_sql.policy.hierarchies.order import Dates
from kanon_sql.policy.hierarchies.specs import DateUnit
from kanon_sql.policy.model import Role
from kanon_sql.policy.outputs import APPORTIONED, LABELS
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.policy.search import Recode
from kanon_sql.policy.search_options import STRICT, Algorithm, Choose, Mondrian
from kanon_sql.recoding.planning.make_plan import MOST_NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.inputs import Overrides, PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.recoding.planning.make_plan import EncodedSource, Planned


def trial_rows(
    releases: Sequence[exp.Table], labels: Sequence[str], number: str, *, most: int
) -> Statement:
    """Read the labels of the first rows, by their numbers, that all of these releases have."""
    described = [
        {"table": each, "labels": [column(text, of="t") for text in labels]} for each in releases
    ]
    return Statement(
        "getting_started/trial_rows",
        {"releases": described, "number": name(number), "most": most},
    )


MOST_ROWS = 100_000
SECONDS = 20.0
SHOWN = 5
FOR_SEARCH = 0.7
"""The share of the time for searches; the rest is for measuring their results."""
SHARES = (0.25, 0.4, 0.5, 0.7, 1.0)
"""The share of the remaining time that each search may take, in order; Mondrian gains most by it."""
CLOSE = 1.2
"""One level a column is close to the best recoding of labels if it errs at most so many times as much in simple counts."""
SHORTEST = 0.2
"""Seconds below which no search is begun."""
COUNTS = "counts"
"""The way of released values in place of labels, for counts: Mondrian with `output: apportioned`."""
LIMIT = ", time_limit: 60s"
SEARCHES = {
    Algorithm.OPTIMAL.value: "{algorithm: optimal}",
    Algorithm.LIGHTNING.value: f"{{algorithm: lightning{LIMIT}}}",
    Recode.CELLS.value: "{algorithm: optimal, recoding: cells}",
    Recode.LOCAL.value: f"{{algorithm: lightning, recoding: local{LIMIT}}}",
    Choose.WIDTH.value: "{algorithm: mondrian, choose: width, grouping: cuts}",
    Choose.LOSS.value: "{algorithm: mondrian}",
    COUNTS: "{algorithm: mondrian, choose: loss}",
}
"""The searches of a trial, as a policy writes them. Mondrian is tried in two ways, and the better one is shown."""
ENTRY = re.compile(r"^search:.*\n(?:[ \t].*\n)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tried:
    """One recoding of a trial: its result, its `search` as a policy's entry, and the labels of the `rows` shown.

    `counts` is the error of simple counts: of labels that are spread over what they cover, of labels as they are, and of one in ten.
    `for_counts` marks the recoding that releases values; `more` has what a policy needs for it beside the search.
    """

    found: Compared
    search: str
    rows: tuple[tuple[str | None, ...], ...] = ()
    counts: tuple[float, float, float] | None = None
    for_counts: bool = False
    more: tuple[str, ...] = ()

    @property
    def figures(self) -> str:
        """The figures by which recodings are compared, as text; or the reason why there is no recoding."""
        plan, ncp = self.found.plan, self.found.ncp
        if plan is None or ncp is None:
            return f"not possible: {self.found.error}"
        suppressed = counted(plan.suppressed_rows, "row")
        late = "" if self.ended else "; the time limit stopped this search before its end"
        many = f"{suppressed} suppressed, {counted(plan.classes, 'class')}{late}"
        said = "" if self.counts is None else f"; {simple_counts(*self.counts)}"
        # Values that stand for a class lose nothing by this loss, which weighs how wide labels are.
        return f"{many}{said}" if self.for_counts else f"loss {ncp:.4f}, {many}{said}"

    @property
    def ended(self) -> bool:
        """Whether the search found a recoding and came to its end; only such searches are recommended."""
        plan = self.found.plan
        return plan is not None and self.found.ncp is not None and plan.checks_in_time is None

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit stopped the search, or it never began."""
        plan = self.found.plan
        stopped = plan is not None and plan.checks_in_time is not None
        return stopped or self.found.status == OutOfTimeError.status

    def summary(self) -> dict[str, object]:
        """Return the recoding's entry in `suggest --json`."""
        plan = self.found.plan
        return {
            "searched_by": self.found.searched_by,
            "search": self.search,
            "status": self.found.status,
            "ended": self.ended,
            "ncp": None if self.for_counts else self.found.ncp,
            "suppressed_rows": None if plan is None else plan.suppressed_rows,
            "classes": None if plan is None else plan.classes,
            "seconds": self.found.seconds,
            "error": self.found.error,
            "count_error": None if self.counts is None else self.counts[0],
            "count_error_plain": None if self.counts is None else self.counts[1],
            "count_error_tenth": None if self.counts is None else self.counts[2],
            **({"more": list(self.more)} if self.for_counts else {}),
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial: its recodings in order, found in `rows` of the `of_rows` rows of the source.

    `columns` are the released columns of the rows shown. `for_counts` is the recoding that releases values in place of
    labels; None where the policy's columns are released as columns of other names. It is what the policy asks for if this
    releases `values`. Where people are counted, the sample has all rows of some
    values of `entity`, and no rows of the others. `small` has tables of counts and a rate of the sample, beside those of
    the recodings that `small_of` names.
    """

    rows: int
    of_rows: int
    entity: str | None
    privacy: tuple[str, ...]
    columns: tuple[str, ...]
    tried: tuple[Tried, ...]
    seconds: float
    for_counts: Tried | None = None
    values: bool = False
    small: tuple[BandTable, ...] = ()
    small_of: tuple[str, ...] = ()

    @property
    def best(self) -> Tried | None:
        """The recoding with the least loss of the searches that ended, or the one for counts; None if none ended."""
        if self.values and self.for_counts is not None:
            return self.for_counts if self.for_counts.ended else None
        ended = [each for each in self.tried if each.ended]
        return min(ended, key=_loss, default=None)

    @property
    def one_level_serves(self) -> bool:
        """Whether one level a column errs about as little in simple counts as the best recoding of labels."""
        best, (one_level, *_) = self.best, self.tried
        if best is None or self.values or best is one_level or not one_level.ended:
            return False
        if best.counts is None or one_level.counts is None:
            return False
        return one_level.counts[0] <= CLOSE * best.counts[0]

    @property
    def advice(self) -> str:
        """Advice on searches that the time limit stopped; empty if none was stopped that might be the best."""
        if self.best is None:
            if not any(each.out_of_time for each in self.tried):
                return ""
            return (
                "no search came to its end within the time limit, so none is recommended; run kanon-sql suggest "
                "with more time (--time-limit) or fewer rows (--sample)"
            )
        least = _loss(self.best)
        sooner = [each for each in self.tried if each.out_of_time and _loss(each) < least]
        if not sooner:
            return ""
        names = " and ".join(each.found.searched_by for each in sooner)
        return (
            f"{names} may be better: less is lost already, but the time limit of the trial stopped the search before its "
            "end; run kanon-sql suggest with more time (--time-limit 5m) or fewer rows (--sample)"
        )

    @property
    def status(self) -> str:
        """The outcome in one word: ok, infeasible, or out_of_time where more time may find a recoding."""
        if self.best is not None:
            return "ok"
        return OutOfTimeError.status if self.advice else InfeasibleError.status

    @property
    def sample(self) -> str:
        """The rows that were searched, as text."""
        if self.rows == self.of_rows:
            return f"all {counted(self.rows, 'row')}"
        whole_people = "" if self.entity is None else f", all rows of some people ({self.entity})"
        return f"a sample of {self.rows:,} of {counted(self.of_rows, 'row')}{whole_people}"

    @property
    def numbered(self) -> bool:
        """Whether a number stands for a value of the source in a small table."""
        return has_numbers(self.small)

    def summary(self) -> dict[str, object]:
        """Return the document that `suggest --json` prints."""
        return {
            "status": self.status,
            "rows": self.rows,
            "of_rows": self.of_rows,
            "privacy": list(self.privacy),
            "columns": list(self.columns),
            "best": None if self.best is None else self.best.search,
            "advice": self.advice or None,
            "tried": [each.summary() for each in self.tried],
            "for_counts": None if self.for_counts is None else self.for_counts.summary(),
            "small_tables": [
                {
                    "columns": list(each.columns),
                    "rate_of": None if each.rate is None else each.rate.name,
                    "rate": None if each.rate is None else each.rate.text,
                    "of": list(self.small_of),
                    "rows": [[*row.bands, row.before, *row.after] for row in each.rows],
                }
                for each in self.small
            ],
            "seconds": self.seconds,
        }


@dataclass
class _Trials:
    """The searches of one trial, one after the other, on one sample until one deadline."""

    run: Session
    opened: OpenSource
    number: str
    prepared: EncodedSource | None
    deadline: float
    given: Policy
    staged: dict[str, exp.Table] = field(default_factory=dict)
    counts: dict[str, tuple[float, float, float] | None] = field(default_factory=dict)
    banded: list[tuple[int, BandedColumn]] = field(default_factory=list)
    rate: Rate | None = None
    before: CellCounts | None = None
    after: dict[str, CellCounts] = field(default_factory=dict)

    def search(self, way: str, share: float) -> Tried:
        """Search in one of the ways of `SEARCHES`, for at most this share of the time that is left."""
        run, name = self.run, way
        if way in {Choose.WIDTH, Choose.LOSS}:
            name = Algorithm.MONDRIAN.value
            options = Mondrian() if way == Choose.LOSS else STRICT
            by_cuts = replace(run.policy.search, options=options)
            run = replace(run, policy=replace(run.policy, search=by_cuts))
        elif way == COUNTS:
            name = f"{Algorithm.MONDRIAN} for counts"
            run = replace(run, policy=_of_values(self.given))
        left = self.deadline - time.monotonic()
        if left < SHORTEST:
            why = "the time of the trial was over; give it more by --time-limit"
            late = Compared(name, "out_of_time", None, why, 0, 0, 0.0)
            return Tried(late, SEARCHES[way], for_counts=way == COUNTS)

        def measure(run: Session, planned: Planned) -> Measured:
            sensitive = sensitive_column(run)
            also = [self.number, *([] if sensitive is None else [sensitive])]
            beside = stage_beside_source(run, planned, also=also)
            self.staged[SEARCHES[way]] = beside.table
            if covers_values(run, planned):
                values = covered_values(run, planned, beside)
                self.counts[way] = count_beside(run, planned, beside, values)
                self._count_bands(SEARCHES[way], run, planned, beside.table, values)
            return Measured(mean_penalty(run, planned, beside))

        found = search_once(
            run,
            self.opened,
            self.prepared,
            Algorithm.MONDRIAN.value if way == COUNTS else name,
            time_limit=left * FOR_SEARCH * share,
            measure=measure,
        )
        tried = Tried(found, SEARCHES[way], counts=self.counts.get(way))
        if way != COUNTS:
            return tried
        found = replace(found, searched_by=name)
        return replace(tried, found=found, for_counts=True, more=_beside_search(self.given))

    def _count_bands(
        self,
        way: str,
        run: Session,
        planned: Planned,
        released: exp.Table,
        values: Sequence[exp.Table],
    ) -> None:
        """Count a recoding by the bands that the first one was counted by."""
        if self.before is None:
            self.banded = chosen_columns(run, planned, values)
            if not self.banded:
                return
            self.rate = rate_of(run, planned)
            self.before = count_source(run, planned, values, self.banded, self.rate)
        self.after[way] = count_released(run, planned, values, self.banded, released, self.rate)


def _of_values(policy: Policy) -> Policy:
    """Return the policy with values in place of labels, apportioned among the regions of Mondrian.

    A column of dates without an order is released by years: few rows share a day.
    """
    dates = _dates_without_order(policy)

    def valued(each: Column) -> Column:
        if each.role is not Role.QUASI or each.output.together:
            return each
        order = Dates(DateUnit.YEAR) if each.name in dates else each.order
        return replace(each, output=APPORTIONED, order=order)

    columns = tuple(map(valued, policy.columns))
    return replace(policy, columns=columns, search=replace(policy.search, options=Mondrian()))


def _dates_without_order(policy: Policy) -> list[str]:
    """Return the quasi-identifiers of dates that release labels of their hierarchy, without an order."""
    return [
        each.name
        for each in policy.quasi
        if each.hierarchy is not None and each.hierarchy.of_dates and each.order is None
        if not each.output.together
    ]


def _beside_search(policy: Policy) -> tuple[str, ...]:
    """Return what a policy says more if it releases values for counts as a trial does."""
    if any(each.output.together for each in policy.quasi):
        return ()
    dates = [f"order: date, snap: year in the entry of {n}" for n in _dates_without_order(policy)]
    return (f"output: {APPORTIONED}", *dates)


def try_recodings(
    policy: PolicyInput,
    source: object = None,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    sample: int = MOST_ROWS,
    time_limit: float = SECONDS,
    shown: int = SHOWN,
    progress: Callable[[str], None] | None = None,
    on_tried: Callable[[Tried], None] | None = None,
) -> Trial:
    """Recode a table by full-domain generalization, at several nodes and by Mondrian, and compare the three.

    A fourth recoding is for counts: Mondrian with values in place of labels. Its rows do not show what is true of them,
    so that it is never recommended by itself.

    Mondrian is tried twice: with its default, cuts by loss and groups by order, and with cuts by width to the end; the
    better result counts. The searches run on at most `sample` rows, and end within `time_limit` seconds in all. For
    each recoding the labels of the same `shown` rows are returned, chosen by lot among the rows that all recodings
    release; they hold no value that the recoding does not release. `on_tried` is called with each search when it has
    ended. Raises InputError where the policy or its source has faults.
    """
    started = time.monotonic()
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
        with run.engine.journal.step("open"):
            opened = open_source(run, frame)
            of_rows = opened.source_rows
            run, opened, number = numbered_sample(run, opened, sample)
        given = run.policy
        run = replace(run, policy=_of_labels(run.policy))
        lattice = replace(run.policy.search.switched(Algorithm.OPTIMAL), time_limit=None)
        run = replace(run, policy=replace(run.policy, search=lattice.at_one_node))
        prepared = prepare_lattice(run, opened)
        first, last = Algorithm.OPTIMAL.value, Recode.CELLS.value
        if prepared is not None and prepared.encoded.lattice.size > MOST_NODES:
            first, last = Algorithm.LIGHTNING.value, Recode.LOCAL.value
            large = run.policy.search.switched(Algorithm.LIGHTNING)
            run = replace(run, policy=replace(run.policy, search=large))
        trials = _Trials(run, opened, number, prepared, started + time_limit, given)
        ways = (first, Choose.WIDTH.value, Choose.LOSS.value, COUNTS, last)
        found = {}
        for way, share in zip(ways, SHARES, strict=True):
            if way == COUNTS and not _may_release_values(run.policy):
                continue
            found[way] = trials.search(way, share)
            if on_tried is not None:
                on_tried(found[way])
        by_cuts = _better(found[Choose.WIDTH.value], found[Choose.LOSS.value])
        tried, for_counts = [found[first], by_cuts, found[last]], found.get(COUNTS)
        columns = tuple(text for each in run.policy.quasi for text in each.released_as)
        staged = {
            each.search: trials.staged[each.search]
            for each in (*tried, *([] if for_counts is None else [for_counts]))
            if each.search in trials.staged
        }
        shown_of = _rows(run, staged, columns, number, shown)
        counted_of = [each for each in (*tried, for_counts) if each and each.search in trials.after]
        small: tuple[BandTable, ...] = ()
        if trials.before is not None and shown:
            banded = [each for _, each in trials.banded]
            after = [trials.after[each.search] for each in counted_of]
            small = with_numbers(small_tables(run, banded, trials.before, after, trials.rate), {})
        return Trial(
            opened.source_rows,
            of_rows,
            run.policy.entity,
            tuple(map(str, run.policy.privacy)),
            columns,
            tuple(replace(each, rows=shown_of.get(each.search, ())) for each in tried),
            round(time.monotonic() - started, 2),
            None
            if for_counts is None
            else replace(for_counts, rows=shown_of.get(for_counts.search, ())),
            any(each.output.together for each in given.quasi),
            small,
            tuple(each.found.searched_by for each in counted_of),
        )


def _of_labels(policy: Policy) -> Policy:
    """Return the policy with labels of hierarchies where it releases values that are chosen together."""

    def labelled(each: Column) -> Column:
        if each.role is not Role.QUASI or not each.output.together:
            return each
        return replace(each, output=LABELS, order=None if each.hierarchy else each.order)

    return replace(policy, columns=tuple(map(labelled, policy.columns)))


def _may_release_values(policy: Policy) -> bool:
    """Whether a trial for counts releases the same columns: no column is released as two."""
    return all(len(each.released_as) == 1 for each in policy.quasi)


def _loss(tried: Tried) -> float:
    return math.inf if tried.found.ncp is None else tried.found.ncp


def _better(one: Tried, other: Tried) -> Tried:
    """Return the better of two results: one that ended before one that did not, then the one with less loss."""
    return min(one, other, key=lambda each: (not each.ended, _loss(each)))


def _rows(
    run: Session, staged: Mapping[str, exp.Table], columns: Sequence[str], number: str, shown: int
) -> dict[str, tuple[tuple[str | None, ...], ...]]:
    """Read the labels of the same rows from several releases; returns the rows of each, a label a column."""
    if not staged or not shown:
        return {}
    fetched = run.engine.fetch(trial_rows([*staged.values()], columns, number, most=shown))
    names = [*staged]
    return {
        names[release]: tuple(
            tuple(None if cell is None else str(cell) for cell in row[2:]) for row in rows
        )
        for release, rows in groupby(fetched, key=lambda row: whole(row[0]))
    }


def policy_of_text(text: str, file: str | None) -> Policy:
    """Read the text of a policy before it is written; paths start from its file's folder, or the current one."""
    policy = read_policy(yaml.safe_load(text))
    folder = Path.cwd() if file is None else Path(file).absolute().parent
    return replace(policy, base=str(folder))


def with_best_search(text: str, trial: Trial) -> str:
    """Write a trial's result into the text of a policy: the best search as its entry, the others as comments."""
    best = trial.best
    if best is None:
        return text  # the caller prints why
    others = [] if trial.values else [each for each in trial.tried if each is not best]
    lines = [
        f"# Tried on {trial.sample}; loss is information loss (NCP, mean over cells), from 0 to 1.",
        f"search: {best.search}  # {best.figures}",
        *(
            f"# search: {each.search}  # {each.figures}"
            if each.found.plan is not None
            else f"# {each.found.searched_by}: {each.figures}"
            for each in others
        ),
    ]
    entry = "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"
    found, times = ENTRY.subn(lambda _: entry, text, count=1)
    return found if times else f"{text.rstrip()}\n{entry}"
