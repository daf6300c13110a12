"""Publishes a release in place: checks the dependents of the source's table, and swaps its rows.

The danger lies in dependents that a swap leaves behind: views, statistics or a kept copy may still show raw values.
The run refuses until each of them is dropped, or accepted in the policy by its name.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from kanon_sql.base.sql.quoting import parse_table_name
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.counting.source.find_table import find_table
from kanon_sql.engines.in_place_sql import ColumnChanges, Swap, WrittenMeanwhileError
from kanon_sql.engines.locations import InPlace
from kanon_sql.errors import Fault
from kanon_sql.policy.model import Action, Role
from kanon_sql.release.executors import IN_PLACE, Executor, executor_problems
from kanon_sql.release.publish import TablePublisher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.in_place_sql import Dependent
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.release.destination import Publishable


NO_SCRIPT = "a script cannot release in place: what has to be done depends on the dependents of the table; apply the plan instead"
P = ParamSpec("P")
Result = TypeVar("Result")
WRITERS_WAIT: ContextVar[bool] = ContextVar("writers_wait", default=False)
"""Whether a run locks its source before reading it, because rows were written during its first try."""


def again_if_written(release: Callable[P, Result]) -> Callable[P, Result]:
    """Wrap a release, to run it once more with a lock from the beginning if rows were written meanwhile."""

    @wraps(release)
    def run(*args: P.args, **kwargs: P.kwargs) -> Result:
        try:
            return release(*args, **kwargs)
        except WrittenMeanwhileError:
            token = WRITERS_WAIT.set(True)
            try:
                return release(*args, **kwargs)
            finally:
                WRITERS_WAIT.reset(token)

    return run


class InPlacePublisher(TablePublisher):
    """Publishes a release in place: its source's table gets the released rows, completely or not at all."""

    @property
    def executor(self) -> Executor:
        return IN_PLACE

    @classmethod
    def takes(cls, destination: Destination) -> bool:
        return destination.format.kind.in_database and destination.in_place is not None

    @property
    def in_place(self) -> InPlace:
        return self.destination.in_place or InPlace()

    def names(self) -> tuple[str, list[exp.Table]]:
        """Return the table that keeps the original; the release has the source's name."""
        keep = self.in_place.keep
        return "release.keep_original", [parse_table_name(keep)] if keep else []

    def replaced(self) -> Iterator[Fault]:
        """Yield a fault for each reason why the source cannot be replaced, and each dependent not accepted."""
        yield from _in_place_faults(self.run, self.in_place, self.frame)

    def script_faults(self, *, to_table: bool) -> Iterator[Fault]:
        del to_table
        yield self.run.policy.fault("release", NO_SCRIPT)

    @property
    def writers_wait(self) -> str | None:
        return self.run.engine.capabilities.writers_wait

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the source, so that the run's changes are complete or undone."""
        engine, text = self.run.engine, self.run.policy.source.table
        if text is None:
            yield
            return
        engine.writers_wait = WRITERS_WAIT.get()
        with engine.lock(list(dict.fromkeys((named(text), parse_table_name(text))))):
            yield

    @property
    def why_not_purged(self) -> str | None:
        return why_keeping(self.destination) or self.run.engine.unpurgeable

    def remove_dropped(self) -> None:
        self.run.reached.append(
            "--purge did not end, and the database's files may hold raw rows: kanon-sql clean --database "
            "DATABASE --purge ends it"
        )
        with self.run.engine.journal.step("purge"):
            self.run.engine.purge()

    def write(self, planned: Planned, staged: Publishable) -> None:
        del planned
        self.run.may_publish(self.destination.name)
        _swap(self.run, staged, self.in_place)


def why_keeping(destination: Destination) -> str | None:
    """Return why `purge` does not go with a release in place that keeps the original; None if it drops it."""
    if destination.in_place is None or destination.in_place.keep is None:
        return None
    return "removes the original, which keep_original keeps; say drop_original: true"


def _in_place_faults(run: Session, in_place: InPlace, frame: object | None) -> Iterator[Fault]:
    """Yield a fault for each reason why the source cannot be replaced, and each dependent not accepted."""
    policy = run.policy
    if frame is not None or policy.source.table is None:
        yield Fault("release", "in_place needs a source that is a table of the database")
        return
    if problems := list(executor_problems(policy, IN_PLACE)):
        yield from problems
        return
    found = find_table(run.engine, policy.source.table)
    if len(run.engine.locate(found)) > 1:  # what was read is one, and what is swapped another
        what = "in_place needs a table that stays; a temporary one of that name hides it"
        yield Fault("release", what)
        return
    table = run.engine.qualified(found)
    columns = run.engine.columns(table)
    changes = changes_of(policy, columns)
    there = {column.name for column in columns}
    if changes.removed and not changes.removed & there:
        yield policy.fault(
            f"source {policy.source.table}",
            "has none of the columns that the release leaves out: it seems to be in place already",
        )
        return
    kept = _kept(table, in_place)
    if kept is not None and run.engine.locate(kept):
        yield Fault("release.keep_original", "this table already exists")
    ties = run.engine.dependents(table, changes)
    refused = [
        t for t in ties if t.loss is not None and (t.barred or t.name not in in_place.accept)
    ]
    for tie in refused:
        yield Fault(tie.name, f"{tie.loss}{'' if tie.barred else '; accept it, or drop it first'}")
    if refused:  # what was accepted before and is gone does no harm
        for name in sorted({*in_place.accept} - {tie.name for tie in ties}):
            yield Fault(name, "is accepted, but no dependent of the table has that name")


def changes_of(policy: Policy, columns: Iterable[ColumnType]) -> ColumnChanges:
    """Return the changes that a policy may make to each column, before its level is known."""
    bounded = {column.name for column in policy.quasi if column.name not in column.released_as}
    direct = policy.with_role(Role.IDENTIFYING)
    dropped = {column.name for column in direct if column.action is Action.DROP}
    removed = bounded | dropped
    enums = {column.name for column in columns if column.enum}  # they become text
    changed = ({column.name for column in (*policy.quasi, *direct)} | enums) - removed
    nulled = {column.name for column in direct if column.action is Action.NULL}
    return ColumnChanges(*map(frozenset, (removed, bounded, changed, nulled)))


def _kept(table: exp.Table, in_place: InPlace) -> exp.Table | None:
    """Return the table that keeps the raw rows, by default in the source's schema; None to drop them."""
    if in_place.keep is None:
        return None
    kept = parse_table_name(in_place.keep)
    return kept if kept.db else named(kept.name, schema=table.db or None)


def _swap(run: Session, staged: Publishable, in_place: InPlace) -> None:
    """Replace the source by a verified staging table, completely or not at all."""
    table = run.engine.qualified(find_table(run.engine, run.policy.source.table or ""))
    changes = changes_of(run.policy, run.engine.columns(table))
    ties: tuple[Dependent, ...] = tuple(run.engine.dependents(table, changes))
    run.engine.swap(
        Swap(
            table=table,
            staged=staged.table,
            columns=staged.columns,
            rows=staged.rows,
            kept=_kept(table, in_place),
            changes=changes,
            dependents=ties,
        )
    )
