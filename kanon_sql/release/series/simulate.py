"""Simulates the next releases of a series at today's rates, on a copy of its ledger; neither source nor key is read.

Each simulated release makes the decisions of a real one (`moves`). Rows that come are copies of rows that came lately, and
rows that go are drawn among the shown ones, both by hashes: the same ledger gives the same figures.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.arguments import checked
from kanon_sql.engines.base import whole
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InputError, InternalError, ReleaseError
from kanon_sql.release.series.ledger import last_release, next_releases
from kanon_sql.release.series.series_status import open_series_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.release.series.ledger import LastRelease, OpenLedger
    from kanon_sql.release.series.moves import SeriesRules

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
