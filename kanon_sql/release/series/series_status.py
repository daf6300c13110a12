"""What the command line does with a series that is there: its status, the recount of its ledger, its end."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import parse_table_name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.errors import Fault, InputError, ReleaseError
from kanon_sql.release.series.ledger import open_ledger
from kanon_sql.release.series.moves import SeriesRules, recount_of_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.engines.connect import Settings
    from kanon_sql.release.series.ledger import LastRelease, OpenLedger


@dataclass(frozen=True, slots=True)
class SeriesStatus:
    """A series as its last release left it.

    `held_back` rows are live and no release shows them yet, the oldest since `held_back_since`; `waiting` rows are shown and
    no longer in the source, the oldest since `waiting_since`. Times are ISO 8601. `shown_share` is the share of living rows that are shown.
    """

    releases: int
    released_at: str
    shown: int
    held_back: int
    held_back_since: str | None
    waiting: int
    waiting_since: str | None
    outside: int
    ended: bool
    rule: str

    @property
    def shown_share(self) -> float:
        """The share of the source's rows within the recoding that the release shows."""
        living = self.shown - self.waiting
        return living / max(1, living + self.held_back)


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
        What is shown, held back and waiting, and since when.

    Raises:
        InputError: The policy has no series, or the series no release.
        ReleaseError: The ledger cannot be read.
    """
    with _opened(policy, connection, settings, writes=False) as (ledger, _, last):
        leaves: dict[str, object] = {
            "ledger": ledger.rows,
            "releases": ledger.releases,
        }
        ((held_back, waiting),) = ledger.run.engine.fetch(Statement("series/oldest_rows", leaves))
        return SeriesStatus(
            releases=last.number,
            released_at=last.released_at,
            shown=last.shown,
            held_back=last.held_back,
            held_back_since=None if held_back is None else str(held_back),
            waiting=last.waiting,
            waiting_since=None if waiting is None else str(waiting),
            outside=last.outside,
            ended=last.ended,
            rule=str(ledger.run.policy.series),
        )


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
    with _opened(policy, connection, settings, writes=False) as (ledger, rules, last):
        engine, place = ledger.run.engine, ledger.place
        cells, short, rows, smallest, *_ = engine.fetch_counts(rules.count_cells(ledger.rows))
        if place.table is None:
            named = table(f"{ledger.run.path(str(place.path))}/{last.number}/rows.parquet")
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
    with _opened(policy, connection, settings, writes=True) as (ledger, _, last):
        ledger.end()
        return last.number


@contextmanager
def _opened(
    policy: PolicyInput, connection: object | None, settings: Settings | None, *, writes: bool
) -> Iterator[tuple[OpenLedger, SeriesRules, LastRelease]]:
    """Open the ledger of a policy, which needs no key. Raises InputError or ReleaseError where there is none."""
    with ExitStack() as stack:
        run, _ = open_run(
            stack, policy, None, connection=connection, settings=settings, writes=writes
        )
        rule = run.policy.series
        if rule is None:
            raise InputError(run.policy.subject, [Fault("series", "is not in the policy")])
        rules = SeriesRules.of(run, rule)
        ledger = open_ledger(run, rule.ledger, rules.sensitive)
        if ledger.last is None:
            what = "has no release yet: kanon-sql plan, then kanon-sql apply makes the first one"
            raise ReleaseError(rule.ledger.name, [Fault("series", what)])
        yield ledger, rules, ledger.last
