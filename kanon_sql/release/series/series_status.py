"""What the command line does with a series that is there: its status, recount, end, and the next releases, simulated.

Each simulated release makes the decisions of a real one (`moves`). Rows that come are copies of rows that came lately, and
rows that go are drawn among the shown ones, both by hashes: the same ledger gives the same figures.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import literal, name, parse_table_name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.engines.base import whole
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InputError, InternalError, ReleaseError, VerificationError
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import ReleaseRisk
from kanon_sql.recoding.recount import fetch_with_sizes, recount_statement
from kanon_sql.release.added_rows import SeriesStatus
from kanon_sql.release.series.ledger import (
    check_same_plan,
    last_release,
    next_releases,
    open_ledger,
)
from kanon_sql.release.series.moves import SeriesRules, recount_of_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.recoding.recount import Sizes, Verification
    from kanon_sql.release.series.ledger import LastRelease, OpenLedger


@dataclass(frozen=True, slots=True)
class SeriesRecount:
    """The recount of a ledger: its cells (rows with one class, first and last release), and those that fall short.

    `sql` is the statement; it needs no key, and runs in the shell of the database.
    """

    passed: bool
    cells: int
    short_cells: int
    rows: int
    smallest_cell: int
    sql: str

    def __bool__(self) -> bool:
        return self.passed


@checked
def series_status(
    policy: PolicyInput, *, connection: Connection | None = None, settings: Settings | None = None
) -> SeriesStatus:
    """Read the status of a policy's series from its ledger.

    Args:
        policy: The policy, with `series`.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        What is shown, withheld and waiting, and since when.

    Raises:
        InputError: The policy has no series, or the series no release.
        ReleaseError: The ledger cannot be read.
    """
    with open_series_ledger(policy, connection, settings, writes=False) as (ledger, rules, last):
        return _status(ledger, rules, last)[0]


def plan_of_series(run: Session, plan: Plan) -> tuple[SeriesStatus, Plan]:
    """Return the status of the series of the run's policy, and its plan with the counts of the last release.

    The plan's own counts are those of the rows that it was made from. Those of the release are counted in the ledger, which
    has the classes of all shown rows. Raises VerificationError where a cell of the ledger falls short.
    """
    ledger, rules, last = _open_ledger(run)
    check_same_plan(last, plan.recoding_hash)
    status, found, sizes = _status(ledger, rules, last)
    withheld = last.withheld + last.outside
    return status, replace(
        plan,
        source_rows=status.shown + withheld,
        suppressed_rows=withheld,
        classes=found.classes,
        smallest_class=found.smallest_class,
        risk=ReleaseRisk.of(sizes or (), run.policy.entity),
        figures={},
    )


def _status(
    ledger: OpenLedger, rules: SeriesRules, last: LastRelease
) -> tuple[SeriesStatus, Verification, Sizes]:
    """Count a ledger: its status, the recount of the classes that are shown, and their sizes."""
    run, rule = ledger.run, ledger.run.policy.series
    leaves: dict[str, object] = {"ledger": ledger.rows, "releases": ledger.releases}
    ((withheld, waiting),) = run.engine.fetch(Statement("series/ledger/oldest_rows", leaves))
    cells, short, ever_shown, smallest, *_ = run.engine.fetch_counts(rules.count_cells(ledger.rows))
    if short or rule is None:
        what = f"{short:,} of {cells:,} cells of the ledger fall short of the policy; kanon-sql series verify counts them"
        raise VerificationError(what)
    shown = run.scratch.table("shown")
    columns = ["class_hash", "person_hash", *rules.sensitive]
    leaves = {"shown": shown, "ledger": ledger.rows, "columns": [name(each) for each in columns]}
    run.engine.execute(Statement("series/ledger/shown_rows", leaves))
    (demand,) = demands(run.policy.privacy)
    statement = recount_statement(shown, ["class_hash"], demand.recounted, entity=rules.entity)
    found, sizes = fetch_with_sizes(run, demand, statement)
    status = SeriesStatus(
        releases=last.number,
        released_at=last.released_at,
        rule=str(rule),
        shown=last.shown,
        classes=found.classes,
        smallest_class=found.smallest_class,
        withheld=last.withheld,
        withheld_since=None if withheld is None else str(withheld),
        waiting=last.waiting,
        waiting_since=None if waiting is None else str(waiting),
        outside=last.outside,
        ever_shown=ever_shown,
        cells=cells,
        smallest_cell=smallest,
        ended=last.ended,
        not_protected=rule.not_protected,
    )
    return status, found, sizes


@checked
def verify_series(
    policy: PolicyInput, *, connection: Connection | None = None, settings: Settings | None = None
) -> SeriesRecount:
    """Recount the ledger of a policy's series: every cell holds nobody, or satisfies the policy.

    Args:
        policy: The policy, with `series`.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The counts, and the statement that counted.

    Raises:
        InputError: The policy has no series, or the series no release.
        ReleaseError: The ledger cannot be read.
    """
    with open_series_ledger(policy, connection, settings, writes=False) as (ledger, rules, last):
        engine, place = ledger.run.engine, ledger.place
        cells, short, rows, smallest, *_ = engine.fetch_counts(rules.count_cells(ledger.rows))
        if place.table is None:
            path = f"{ledger.run.path(str(place.path))}/{last.number}/rows.parquet"
            named = table(path, schema="parquet" if engine.capabilities.writes_folders else None)
        else:
            named = parse_table_name(place.table)
        statement = recount_of_cells(named, rules.needed, entity=rules.entity)
        sql = f"{statement.render(engine.dialect)};\n"
        return SeriesRecount(not short and rows > 0, cells, short, rows, smallest, sql)


@checked
def end_series(
    policy: PolicyInput, *, connection: Connection | None = None, settings: Settings | None = None
) -> int:
    """End a policy's series: its ledger takes no further release. The last release and the ledger stay.

    A new series takes another ledger and another release. It is safe beside this one only if its people are others.

    Args:
        policy: The policy, with `series`.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The number of releases of the series.

    Raises:
        InputError: The policy has no series, or the series no release.
        ReleaseError: The ledger cannot be read or written.
    """
    with open_series_ledger(policy, connection, settings, writes=True) as (ledger, _, last):
        ledger.end()
        return last.number


@contextmanager
def open_series_ledger(
    policy: PolicyInput, connection: object | None, settings: Settings | None, *, writes: bool
) -> Iterator[tuple[OpenLedger, SeriesRules, LastRelease]]:
    """Open the ledger of a policy, which needs no key. Raises InputError or ReleaseError where there is none."""
    with ExitStack() as stack:
        run, _ = open_run(
            stack, policy, None, connection=connection, settings=settings, writes=writes
        )
        yield _open_ledger(run)


def _open_ledger(run: Session) -> tuple[OpenLedger, SeriesRules, LastRelease]:
    """Open the ledger of the run's policy. Raises InputError or ReleaseError where there is none."""
    rule = run.policy.series
    if rule is None:
        raise InputError(run.policy.subject, [Fault("series", "is not in the policy")])
    rules = SeriesRules.of(run, rule)
    ledger = open_ledger(run, rule.ledger, rules.sensitive)
    if ledger.last is None:
        what = "has no release yet: make the first one with kanon-sql plan, then kanon-sql apply"
        raise ReleaseError(rule.ledger.name, [Fault("series", what)])
    return ledger, rules, ledger.last


WINDOW = 10
"""The most releases that rates are taken from, the last ones."""
MOST_SIMULATED = 1000


@dataclass(frozen=True, slots=True)
class Rates:
    """Rows that came and went, and the time that passed, from one release to the next: means of the last `releases`."""

    releases: int
    new_rows: int
    deleted_rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SimulatedSeries:
    """The next releases of a series, with the rates that they were simulated at."""

    rates: Rates
    releases: tuple[LastRelease, ...]


@checked
def simulate_series(
    policy: PolicyInput,
    *,
    releases: int = 10,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> SimulatedSeries:
    """Simulate the next releases of a policy's series at the rates of the last ones. Reads the ledger alone.

    Args:
        policy: The policy, with `series`.
        releases: The number of releases to simulate.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The counts of each simulated release.

    Raises:
        InputError: The policy has no series, or `releases` is not from 1 to 1,000.
        ReleaseError: The ledger cannot be read, or has fewer than two releases.
    """
    if not 1 <= releases <= MOST_SIMULATED:
        raise InputError("releases", [Fault("", f"must be from 1 to {MOST_SIMULATED:,}")])
    with open_series_ledger(policy, connection, settings, writes=False) as (ledger, rules, last):
        rates = _rates(ledger, last)
        if rules.refuses:  # such a release is not made while a shown row is missing
            rates = replace(rates, deleted_rows=0)
        return SimulatedSeries(rates, tuple(_simulated(ledger, rules, last, rates, releases)))


def _rates(ledger: OpenLedger, last: LastRelease) -> Rates:
    """Return the rates of the last releases. Raises ReleaseError where there is one release alone."""
    passed = min(last.number - 1, WINDOW)
    if not passed:
        what = "has one release, and a simulation needs two, for the rates between them: apply the plan again first"
        raise ReleaseError(ledger.place.name, [Fault("series", what)])
    leaves: dict[str, object] = {"ledger": ledger.rows, "releases": ledger.releases}
    leaves["since"] = literal(last.number - passed)
    ((came, went, first_at),) = ledger.run.engine.fetch(Statement("series/simulated/rates", leaves))
    time = datetime.fromisoformat(last.released_at) - datetime.fromisoformat(str(first_at))
    return Rates(
        passed,
        round(whole(came) / passed),
        round(whole(went) / passed),
        time.total_seconds() / passed,
    )


def _simulated(
    ledger: OpenLedger, rules: SeriesRules, last: LastRelease, rates: Rates, many: int
) -> Iterator[LastRelease]:
    """Make releases, each with a ledger in scratch tables, and yield the counts of each."""
    run, rows, releases = ledger.run, ledger.rows, ledger.releases
    began = datetime.fromisoformat(last.released_at)
    for step in range(1, many + 1):
        now = began + timedelta(seconds=rates.seconds * step)
        with scratch(run.engine) as own:
            of_step = replace(rules, run=replace(run, scratch=own))
            before, number = (rows, releases), last.number + step
            rows, releases = _step(run, of_step, before, last, rates, number=number, now=now)
        if step > 1:
            for each in before:
                run.scratch.drop(each)
        made = last_release(run, releases)
        if made is None:
            raise InternalError("a simulated release is not in its list")
        yield made


def _step(
    outer: Session,
    rules: SeriesRules,
    before: tuple[exp.Table, exp.Table],
    last: LastRelease,
    rates: Rates,
    *,
    number: int,
    now: datetime,
) -> tuple[exp.Table, exp.Table]:
    """Make one release: let rows go and come, decide as a release does, and make its ledger in the `outer` run."""
    run, (rows, releases) = rules.run, before
    gone, fresh = run.scratch.table("gone"), run.scratch.table("fresh")
    leaves: dict[str, object] = {"ledger": rows, "number": literal(number)}
    deleted = literal(rates.deleted_rows)
    run.engine.execute(
        Statement("series/simulated/simulated_gone", {**leaves, "gone": gone, "deleted": deleted})
    )
    leaves |= {"fresh": fresh, "sensitive": rules.names, "arriving": literal(rates.new_rows)}
    leaves |= {"since": literal(last.number - rates.releases), "until": literal(last.number)}
    run.engine.execute(Statement("series/simulated/simulated_fresh", leaves))
    missing_since = rules.missing_since(releases, number, now)
    moves = rules.decide(rows, gone, fresh, number=number, missing_since=missing_since)
    rows = rules.next_ledger(outer, moves, rows, number=number)
    leaves = {"number": literal(number), "released_at": literal(now.isoformat(timespec="seconds"))}
    leaves |= {"recoding": literal(last.recoding), "key_check": literal(last.key_check)}
    leaves |= {"key_types": literal(last.key_types)}
    leaves |= {"least_people": literal(last.least_people), "outside": literal(last.outside)}
    leaves |= {"source_rows": literal(last.source_rows)}
    return rows, next_releases(outer, releases, rows, leaves)
