"""The path of one run, top to bottom; what the Python interface and the command line call.

Every function takes a policy as a path, a mapping or a Policy, and a source as the policy names
it or as given: a path, a glob, a table's name, a DuckDB relation, or an Arrow, pandas or polars
frame. With `connection`, a user's own DuckDB connection is used and left as it was found.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from kanon_sql.engines.frames import from_relation, library_of
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.hierarchies.mapping import map_columns
from kanon_sql.lattice.encode import lattice_of
from kanon_sql.planning.make_plan import Planned, check_size, make_plan
from kanon_sql.planning.open_plan import name_plan, open_plan, read_plan
from kanon_sql.planning.remarks import check_levels
from kanon_sql.policy.locations import Destination, Format
from kanon_sql.policy.search_options import Choose, Mondrian
from kanon_sql.recoding.axes import lay_target
from kanon_sql.recoding.linked_rows import linked_in_source
from kanon_sql.recoding.new_rows.boundaries import boundaries_of
from kanon_sql.release.destination import check_destination
from kanon_sql.release.publish import formulas, publish
from kanon_sql.release.publish_view import publish_view
from kanon_sql.release.replace_in_place import lock_source
from kanon_sql.release.stage import stage
from kanon_sql.run.arguments import checked
from kanon_sql.run.inputs import chosen_destination, open_run
from kanon_sql.source.exposed_rows import identity_warnings
from kanon_sql.source.open_source import open_source
from kanon_sql.source.person_keys import key_beside_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.journal import Journal
    from kanon_sql.plans.plan import Plan
    from kanon_sql.recoding.new_rows.recode_new_rows import NewRows
    from kanon_sql.release.recount import Verification
    from kanon_sql.release.stage import Staged
    from kanon_sql.run.inputs import Overrides, PolicyInput, ReleaseInput
    from kanon_sql.run.session import Session


@dataclass
class Release:
    """A release that was published, with its plan and the recount that let it through.

    `place` is its path or the table's name. Without a destination it is None and the rows stay
    in the database: `relation` gives them lazily, for `.df()`, `.pl()` or `.to_arrow_table()`,
    until the release is closed, or neither it nor that relation is referred to any more; `frame`
    reads them into a frame of the library of the frame that was the source.
    """

    plan: Plan
    verification: Verification
    destination: Destination | None
    place: str | None
    columns: tuple[str, ...]
    journal: Journal
    _relation: object | None
    _held: ExitStack
    new: NewRows | None = None
    _library: str = "pyarrow"

    @property
    def relation(self) -> Any:  # noqa: ANN401  what the engine's own library gives
        """Give the released rows of a release that has no destination."""
        if self._relation is None:
            what = "was closed; read its rows before"
            if self.destination is not None:
                what = f"was published; read it from {self.place}"
            raise ReleaseError("release", [Fault("", what)])
        return self._relation

    def frame(self) -> Any:  # noqa: ANN401  a frame of any library
        """Read the released rows into memory: as a frame of the library of the source, else of Arrow."""
        return from_relation(self.relation, self._library)

    @property
    def seconds(self) -> Mapping[str, float]:
        """Give the time that each step of the path took."""
        return self.journal.rounded_seconds()

    def close(self) -> None:
        """Drop the rows that `relation` shows."""
        self._relation = None
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __repr__(self) -> str:
        found = self.verification
        return (
            f"<Release {'as a relation' if self.place is None else f'to {self.place}'}: {found.rows:,} rows in "
            f"{found.classes:,} equivalence classes, smallest size {found.smallest_class:,}>"
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def summary(self) -> dict[str, object]:
        """Give what `anonymize --json` prints."""
        name = None if self.destination is None else self.destination.name
        new = {} if self.new is None else self.new.document(self.verification.rows)
        risk = self.verification.risk
        counted = {} if risk is None else {"risk": {**self.plan.risk_before, **risk.summary()}}
        return {
            **self.plan.summary(),
            **counted,
            **new,
            **self.journal.summary(),
            "release": name,
            "verification": self.verification.summary(),
        }


@checked
def plan(
    policy: PolicyInput,
    source: object = None,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | Plan | None = None,
    portable: bool = False,
) -> Plan:
    """Choose a recoding; reads only.

    The plan has a hash of the source, under the key of the environment (`KANON_SQL_PLAN_KEY`) or of the
    user on this machine, so that nobody else can try guesses of rows against it. It is the engine's own;
    where it is `portable`, at the price of another pass, another engine may carry the plan out.

    `boundaries` names a file for the boundaries of regions and intervals, where the recoding has any;
    its ending is the engine's. `apply` with `to_new_rows` reads them from there. A search that its time
    limit ended continues from the plan to `resume`, for the time limit that holds now. Raises InputError
    for faults of the arguments or of the policy, InfeasibleError where nothing satisfies the policy,
    StalePlanError where the plan to resume was made from another policy or source.
    """
    resumed = None if resume is None else read_plan(resume)
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
            keeps_plan=True,
        )
        _check_policy_s_release(run, frame, connection)
        return make_plan(
            run,
            frame=frame,
            to_keep=True,
            portable=portable,
            boundaries=boundaries,
            resumed=resumed,
        ).plan


@checked
def anonymize(
    policy: PolicyInput,
    source: object = None,
    *,
    release: ReleaseInput | None = None,
    replace: bool = False,
    purge: bool = False,
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
    keep_sql: bool = False,
    must_publish: bool = False,
) -> Release:
    """Plan, recode, recount and publish in one run.

    Guarantee: the destination holds a release that passed its recount, or is as it was before.
    Without a destination the release stays in the database and is read by `Release.relation`;
    `must_publish` refuses that. `purge` removes from the database's files what a release in place
    has dropped.
    """
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            policy,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=True,
            release=release,
        )
        run.engine.journal.keep_text = keep_sql
        destination = chosen_destination(run.policy, release, must_publish=must_publish)
        stack.enter_context(lock_source(run, destination, purge=purge))
        check_destination(run, destination, frame, replace=replace)
        planned = make_plan(run, frame=frame)
        return _finish(stack, run, planned, destination, frame, replace=replace)


@checked
def apply(
    plan: str | Path | Plan,
    source: object = None,
    *,
    policy: PolicyInput | None = None,
    release: ReleaseInput | None = None,
    replace: bool = False,
    purge: bool = False,
    to_new_rows: bool = False,
    boundaries: str | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
    must_publish: bool = False,
) -> Release:
    """Carry out a plan, if policy, hierarchies and source are still what it was made from.

    With `to_new_rows` the source may have other rows. Those that lie in no region or interval of the
    plan, or have a value without a label, are withheld. Classes that do not fit among the others are
    suppressed, and the release of the remaining rows passed its own recount. The boundaries of regions
    and intervals are read from the file beside a plan that is a file, or from `boundaries`. Raises
    StalePlanError, naming what changed, before anything is written.
    """
    named = name_plan(plan, policy)
    boundaries = boundaries or boundaries_of(plan)
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            named.policy,
            source,
            connection=connection,
            settings=settings,
            overrides=named.plan.overrides,
            progress=progress,
            writes=True,
            release=release,
            keeps_plan=True,
        )
        destination = chosen_destination(run.policy, release, must_publish=must_publish)
        stack.enter_context(lock_source(run, destination, purge=purge))
        check_destination(run, destination, frame, replace=replace)
        if to_new_rows and destination is not None and destination.view:
            what = "shows rows to come by itself; release these to a table or a file"
            raise ReleaseError(destination.name, [Fault("release.view", what)])
        planned = open_plan(run, named, frame, new=to_new_rows)
        return _finish(
            stack,
            run,
            planned,
            destination,
            frame,
            replace=replace,
            staging=partial(stage, new=True, boundaries=boundaries) if to_new_rows else None,
        )


@checked
def lint(
    policy: PolicyInput,
    source: object = None,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
) -> list[str]:
    """Check a policy against its source and hierarchies; give warnings, raise InputError for faults."""
    with ExitStack() as stack:
        run, frame = open_run(
            stack, policy, source, connection=connection, settings=settings, writes=False
        )
        _check_policy_s_release(run, frame, connection)
        opened = open_source(run, frame)
        mapped = map_columns(run, opened)
        check_levels(run, mapped)
        options = run.policy.search.options
        if isinstance(options, Mondrian) and options.choose is Choose.VARIANCE:
            lay_target(run, opened)
        size = lattice_of(mapped).size
        check_size(run, size, timed=run.policy.search.time_limit is not None)
        warnings = [
            f"columns.{each.column.name}.hierarchy: {warning}"
            for each in mapped
            for warning in each.warnings
        ]
        key = key_beside_rows(run, opened, whole=True)
        return [
            *warnings,
            *identity_warnings(run, opened, key, whole=True),
            *linked_in_source(run, opened),
        ]


def _check_policy_s_release(run: Session, frame: object | None, connection: object | None) -> None:
    """Refuse, when planning, a release that the policy could not have wherever the plan goes."""
    named = run.policy.release is not None
    destination = chosen_destination(run.policy, None, must_publish=named and connection is None)
    check_destination(run, destination, frame, replace=None)


def _finish(
    stack: ExitStack,
    run: Session,
    planned: Planned,
    destination: Destination | None,
    frame: object | None,
    *,
    replace: bool,
    staging: Callable[[Session, Planned], Staged] | None = None,
) -> Release:
    as_view = destination is not None and destination.view
    planned = changed(planned, plan=changed(planned.plan, view=as_view))
    relation, place = None, None
    open_resources = ExitStack()
    if destination is not None and destination.view:
        staged = publish_view(run, planned, destination, replace=replace)
        place = destination.name
    else:
        staged = (staging or stage)(run, planned)
    if destination is None:
        relation = run.engine.relation(staged.table, staged.columns)
        open_resources = stack.pop_all()
        weakref.finalize(relation, open_resources.close)  # the rows live as long as what shows them
    elif not destination.view:
        if destination.format is Format.CSV:
            notes = (*planned.plan.notes, *formulas(run, staged))
            planned = changed(planned, plan=changed(planned.plan, notes=notes))
        publish(run, staged, destination, replace=replace)
        place = destination.name
        if destination.format is not Format.TABLE:
            place = run.path(place)
    return Release(
        plan=planned.plan,
        verification=staged.verification,
        destination=destination,
        place=place,
        columns=staged.columns,
        journal=run.engine.journal,
        _relation=relation,
        _held=open_resources,
        new=staged.new,
        _library=library_of(frame),
    )
