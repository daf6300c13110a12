"""Publishes a release in the source's database: as a view with the tables of labels that it reads, or in place.

In place the rows of the source's table are swapped. The danger lies in dependents that a swap leaves behind: views,
statistics or a kept copy may still show raw values. The run refuses until each of them is dropped, or accepted in the
policy by its name.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace as changed
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from kanon_sql.base.documents.text import counted
from kanon_sql.base.sql.quoting import parse_table_name, table
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.counting.plans.plan import OF_A_VIEW
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.counting.source.open_source import as_read, with_collations
from kanon_sql.counting.source.text_files import texts_query
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines.commands_sql import drop_table, drop_view
from kanon_sql.engines.in_place_sql import ColumnChanges, Swap, WrittenMeanwhileError
from kanon_sql.engines.locations import InPlace
from kanon_sql.engines.scratch import mark_of, note_of, run_mark
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InternalError, ReleaseError, StatementError, VerificationError
from kanon_sql.policy.policy_rules import linking_columns
from kanon_sql.policy.privacy.demands import AT_ALL
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.linked_rows import count_linked, count_unique
from kanon_sql.recoding.recode import recode
from kanon_sql.recoding.recount import Verification, fetch_recount, recount, recount_statement
from kanon_sql.release.destination import release_errors
from kanon_sql.release.publish import TablePublisher
from kanon_sql.release.stage import (
    IN_PLACE,
    VIEW,
    Executor,
    Staged,
    check_executor,
    count_risk,
    executor_problems,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.engines.in_place_sql import Dependent
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.release.destination import Publishable


class ViewPublisher(TablePublisher):
    """Publishes a release as a view: the rows stay in the source, and are recoded when the view is read."""

    shows_later_rows = True
    noun, other = "view", "table"

    @property
    def executor(self) -> Executor:
        return VIEW

    @classmethod
    def takes(cls, destination: Destination) -> bool:
        return destination.view

    def names(self) -> tuple[str, list[exp.Table]]:
        """Return the view's own name, and those of the tables that it reads."""
        where, tables = super().names()
        return where, tables + _companions(tables[0], self.run.policy, run_mark())

    def faults(self) -> Iterator[Fault]:
        yield from _view_faults(self.run, self.destination, self.frame)
        yield from super().faults()

    def script_faults(self, *, to_table: bool) -> Iterator[Fault]:
        del to_table
        yield Fault("release.view", "a script cannot release a view; apply the plan instead")

    def stage(self, planned: Planned, staging: Callable[[Session, Planned], Staged]) -> Staged:
        """Create the view itself: it is recounted before it gets its name, and there is no staging table."""
        del staging
        return _publish_view(self.run, planned, self.destination, replace=bool(self.replace))

    def publish(self, planned: Planned, staged: Publishable) -> None:
        """Do nothing more: the view was published when it was staged."""


def _view_faults(run: Session, destination: Destination, frame: object | None) -> Iterator[Fault]:
    """Yield a fault for each reason why the release cannot be a view, before any row is read."""
    policy, engine = run.policy, run.engine
    if frame is not None or policy.source.table is None:
        what = "a view is over a table of the database; make the source one, or a view of yours"
        yield Fault("release.view", what)
        return
    yield from executor_problems(policy, VIEW)
    found = engine.locate(find_table(engine, policy.source.table))
    if any(each.temporary for each in found):
        yield Fault("release.view", "the source is temporary, and a view of it would outlive it")
    elif not {engine.bound_to(parse_table_name(destination.name))} <= {
        None,
        *(f.catalog for f in found),
    }:
        what = "the source lies in another database, which who reads the view may not have attached"
        yield Fault("release.view", what)


def _publish_view(
    run: Session, planned: Planned, destination: Destination, *, replace: bool
) -> Staged:
    """Create a view of the source as the plan recodes it, with the tables that the view reads.

    Guarantee: the view's own rows were recounted before it got its name; a row whose value or class was not there
    then does not appear. A failure leaves nothing behind, and keeps a view that was to be replaced; only within the
    caller's own transaction, the caller must roll back.
    """
    policy, engine = run.policy, run.engine
    check_executor(policy, VIEW, planned.plan.recoding)
    target = parse_table_name(destination.name)
    origin = find_table(engine, policy.source.table or "")
    _check_types(run, origin)
    columns_read = as_read(policy, engine.columns(origin))
    read: exp.Table | exp.Subquery = origin
    if columns_read:
        query_of_source = texts_query(origin, columns_read)
        read = source_sql.in_place_of_table(query_of_source, dialect=engine.dialect)
    with engine.journal.step("recode"):
        twin, classes = run.scratch.table("twin"), run.scratch.table("classes")
        opened = planned.opened
        query = recode(run, planned, twin)
        released, order = query.released, query.order
        if query.failing is None:
            raise InternalError("a view of what has no classes passed its policy")
        engine.execute(
            staging_sql.kept_classes(
                classes, opened.table, query.failing, released, rows=opened.rows
            )
        )
    at_once = replace and not engine.capabilities.transactions
    mark = run_mark()
    tables, note = _companions(target, policy, mark), note_of(mark)
    published = [  # rows that come later may have NULL where none has now
        changed(each, table=kept, nulls=True) for each, kept in zip(released, tables, strict=False)
    ]
    with (
        engine.journal.step("publish"),
        release_errors(destination),
        engine.transaction(),
        _taken_back(engine) as made,
    ):
        old = _old(engine, target) if replace else []
        for each, kept in zip([*(each.table for each in released), classes], tables, strict=True):
            made.append(drop_table(kept))
            names = [column.name for column in engine.columns(each)]
            engine.execute(commands_sql.publish_table(kept, each, names, replace=False, note=note))
            if engine.capabilities.transactions:
                engine.execute(in_place_sql.comment_on("table", kept, note))
            engine.keep_private(kept)
        run.see(
            twin,
            staging_sql.with_masks(
                staging_sql.release_view(
                    twin, read, tables[-1], policy, published, order=order, is_scratch=True
                ),
                policy,
                opened.columns,
            ),
        )
        verification, sizes = recount(run, query.recounts(), planned.plan, opened)
        linked = count_linked(run, twin, query.quasi, linking_columns(policy))
        unique = count_unique(run, twin, rows=verification.rows)
        figures = count_risk(run, query, planned.plan, sizes=sizes)
        verification = changed(verification, linked=linked, unique_rows=unique, risk=figures)
        if not at_once:
            for statement in old:
                engine.execute(statement)
        run.may_publish(destination.name)
        engine.execute(
            staging_sql.with_masks(
                staging_sql.release_view(
                    target, read, tables[-1], policy, published, order=order, replace=at_once
                ),
                policy,
                opened.columns,
            )
        )
        made.append(drop_view(target))
        _recount_view(run, target, query.quasi, verification)
        engine.execute(in_place_sql.comment_on_view(target, _note(planned.plan.privacy)))
    if at_once:
        for statement in old[1:]:
            with suppress(StatementError):  # they are read by nothing; `clean` takes them away
                engine.execute(statement)
    return Staged(target, tuple(query.columns), verification)


def _companions(target: exp.Table, policy: Policy, mark: str) -> list[exp.Table]:
    """Return the names of a view's tables: a map for each quasi-identifier, and the classes that fit."""
    parts = [*(f"map_{number}" for number, _ in enumerate(policy.quasi, start=1)), "classes"]
    return [_beside(target, f"{target.name}__{mark}_{part}") for part in parts]


def _beside(target: exp.Table, name: str) -> exp.Table:
    return table(name, schema=target.db or None, catalog=target.catalog or None)


def _old(engine: Engine, target: exp.Table) -> list[Statement]:
    """Return the statements that drop the existing view and the tables of earlier runs that it reads."""
    found = next(iter(engine.locate(target)), None)
    if found is None:
        return []
    text = engine.view_text(found) or ""
    tables = [
        each
        for each, note in engine.commented_tables(found.schema, found.catalog or None)
        if (mark := mark_of(each.name, note)) is not None and mark in text
    ]
    return [drop_view(target), *map(drop_table, tables)]


@contextmanager
def _taken_back(engine: Engine) -> Iterator[list[Statement]]:
    """Yield a list for undo statements, and execute them in reverse order if the block fails.

    Inside a transaction they are of no use, and are rolled back with it.
    """
    undo: list[Statement] = []
    try:
        yield undo
    except BaseException:
        for statement in reversed(undo):
            with suppress(StatementError):
                engine.execute(statement)
        raise


def _recount_view(
    run: Session, target: exp.Table, quasi: Sequence[str], found: Verification
) -> None:
    """Raise VerificationError where the view has not the verified numbers of rows and classes."""
    statement = recount_statement(target, quasi, AT_ALL, entity=None)
    seen = fetch_recount(run.engine, statement, AT_ALL)
    if (seen.rows, seen.classes) != (found.rows, found.classes):
        raise VerificationError(
            f"the view shows {counted(seen.rows, 'row')} in {counted(seen.classes, 'class')} where {counted(found.rows, 'row')} in "
            f"{counted(found.classes, 'class')} were verified; it was dropped"
        )


def _check_types(run: Session, origin: exp.Table) -> None:
    """Raise ReleaseError for ENUM columns, which list all values, and collations, which equate texts."""
    columns = run.engine.columns(origin)
    faults = [
        Fault(f"columns.{column.name}", "is an ENUM, which lists its values; cast it in a view")
        for column in columns
        if column.enum
    ]
    faults += [
        Fault(
            f"columns.{column.name}",
            "has a collation, and a view would compare by it; cast it in a view",
        )
        for column in with_collations(run, origin, columns)
        if column.collated
    ]
    if faults:
        raise ReleaseError("release.view", faults)


def _note(privacy: Sequence[str]) -> str:
    return f"made by kanon-sql: {' and '.join(privacy)} when it was made; {OF_A_VIEW}"


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
        yield Fault(
            tie.name,
            f"{tie.loss}{'' if tie.barred else '; drop it first, or list its name under release.accept'}",
        )
    if refused:  # what was accepted before and is gone does no harm
        for name in sorted({*in_place.accept} - {tie.name for tie in ties}):
            yield Fault(name, "is accepted, but no dependent of the table has that name")


def changes_of(policy: Policy, columns: Iterable[ColumnType]) -> ColumnChanges:
    """Return the changes that a policy may make to each column, before its level is known."""
    bounded = {column.name for column in policy.quasi if column.name not in column.released_as}
    masked = {column.name: column.mask for column in policy.columns if column.mask is not None}
    dropped = {name for name, mask in masked.items() if mask.is_dropped}
    removed = bounded | dropped
    enums = {column.name for column in columns if column.enum}  # they become text
    changed = ({column.name for column in policy.quasi} | masked.keys() | enums) - removed
    nulled = {name for name, mask in masked.items() if mask.staged_as == "null"}
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
