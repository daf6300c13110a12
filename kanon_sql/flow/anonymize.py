"""The path of one run, top to bottom; what the Python interface and the command line call.

Every function takes a policy as a path, a mapping or a Policy, and a source as the policy names
it or as given: a path, a glob, a table's name, a DuckDB relation, or an Arrow, pandas or polars
frame. With `connection`, a user's own DuckDB connection is used and left as it was found.
"""

from __future__ import annotations

import os
import weakref
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kanon_sql.engine.connect import Settings, is_address, open_engine
from kanon_sql.errors import Fault, InputError, ReleaseError, StalePlanError
from kanon_sql.flow.hierarchies import map_columns
from kanon_sql.flow.planning import Planned, make_plan
from kanon_sql.flow.release import (
    Verification,
    check_destination,
    publish,
    read_recount,
    stage,
)
from kanon_sql.flow.script import plan_sql, release_script
from kanon_sql.flow.session import Session, resolve, session
from kanon_sql.flow.source import (
    describe_source,
    fingerprint,
    open_source,
    open_statement,
    source_name,
)
from kanon_sql.model.overrides import overridden
from kanon_sql.model.plan import Plan
from kanon_sql.model.policy import Destination, Format, Policy, Source, Suppression
from kanon_sql.model.policy_file import (
    destination_from_text,
    read_policy,
    source_from_text,
)
from kanon_sql.sql import publishing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kanon_sql.engine.base import ColumnType
    from kanon_sql.engine.journal import Journal

    Given = str | Path | Mapping[str, object] | Policy
    Overrides = Mapping[str, str | int]


@dataclass
class Release:
    """A release that was published, with its plan and the recount that let it through.

    `place` is its path or the table's name. Without a destination it is None and the rows stay
    in the database: `relation` gives them lazily, for `.df()`, `.pl()` or `.to_arrow_table()`,
    until the release is closed, or neither it nor that relation is referred to any more.
    """

    plan: Plan
    verification: Verification
    destination: Destination | None
    place: str | None
    columns: tuple[str, ...]
    journal: Journal
    _relation: object | None
    _held: ExitStack

    @property
    def relation(self) -> Any:  # noqa: ANN401  what the engine's own library gives
        """Give the released rows of a release that has no destination."""
        if self._relation is None:
            what = "was closed; read its rows before"
            if self.destination is not None:
                what = f"was published; read it from {self.place}"
            raise ReleaseError("release", [Fault("", what)])
        return self._relation

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

    def __exit__(self, *_: object) -> None:
        self.close()

    def summary(self) -> dict[str, object]:
        """Give what `anonymize --json` prints."""
        name = None if self.destination is None else self.destination.name
        return {
            **self.plan.summary(),
            **self.journal.summary(),
            "release": name,
            "verification": self.verification.summary(),
        }


AGAIN = "make the plan again and review it"


def plan(
    policy: Given,
    source: object = None,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
) -> Plan:
    """Choose a recoding; reads only.

    Raises InputError for what was given, InfeasibleError where nothing satisfies the policy.
    """
    with ExitStack() as stack:
        run, frame = _open(
            stack,
            policy,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=False,
        )
        return make_plan(run, frame=frame, to_keep=True).plan


def anonymize(
    policy: Given,
    source: object = None,
    *,
    release: str | Destination | None = None,
    replace: bool = False,
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
    `must_publish` refuses that.
    """
    with ExitStack() as stack:
        run, frame = _open(
            stack,
            policy,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=True,
        )
        run.engine.journal.keep_text = keep_sql
        destination = _destination(run.policy, release, must_publish=must_publish)
        check_destination(run, destination, frame, replace=replace)
        planned = make_plan(run, frame=frame)
        return _finish(stack, run, planned, destination, replace=replace)


def apply(
    plan: str | Path | Plan,
    source: object = None,
    *,
    policy: Given | None = None,
    release: str | Destination | None = None,
    replace: bool = False,
    connection: object | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
    must_publish: bool = False,
) -> Release:
    """Carry out a plan, if policy, hierarchies and source are still what it was made from.

    Raises StalePlanError, naming what changed, before anything is written.
    """
    chosen, given = _plan_and_policy(plan, policy)
    with ExitStack() as stack:
        run, frame = _open(
            stack,
            given,
            source,
            connection=connection,
            settings=settings,
            overrides=chosen.overrides,
            progress=progress,
            writes=True,
        )
        destination = _destination(run.policy, release, must_publish=must_publish)
        check_destination(run, destination, frame, replace=replace)
        planned = _replan(run, chosen, frame, from_file=not isinstance(plan, Plan))
        return _finish(stack, run, planned, destination, replace=replace)


def compile_sql(
    plan: str | Path | Plan,
    source: str | None = None,
    *,
    policy: Given | None = None,
    settings: Settings | None = None,
) -> str:
    """Give the whole release as a script for the database's own shell; runs nothing of it."""
    chosen, given = _plan_and_policy(plan, policy)
    with ExitStack() as stack:
        run, _ = _open(
            stack, given, source, settings=settings, overrides=chosen.overrides, writes=False
        )
        _hold_against_policy(run, chosen)
        columns = describe_source(run)
        _hold_against_sql(run, chosen, columns, from_file=not isinstance(plan, Plan))
        return release_script(run, chosen.levels, chosen.heights, columns)


def verify(
    source: object,
    *,
    qi: Sequence[str],
    k: int,
    entity: str | None = None,
    distinct_l: Mapping[str, int] | None = None,
    database: str | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
) -> Verification:
    """Recount any table: whether every class is as large, and as diverse, as asked.

    `entity` is the column whose distinct values are counted; None counts rows. NULL is a value.
    """
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
        nothing = Policy(Source(), None, (), (), Suppression(rows=0))
        run = stack.enter_context(session(engine, nothing))
        view = run.scratch.table("verified")
        name = str(source) if isinstance(source, str | Path) else "verify"
        if isinstance(source, str | Path):
            run.see(view, open_statement(engine, _named(str(source)), view, ""))
        else:
            run.scratch.is_view(view, view=engine.adopt(view, source))
        there = {column.name for column in engine.columns(view)}
        asked = [*qi, *(distinct_l or {}), *([entity] if entity is not None else [])]
        faults = [
            Fault(name, "is not a column of the table") for name in asked if name not in there
        ]
        if not qi:
            faults.append(Fault("qi", "name at least one quasi-identifier"))
        if k < 1 or any(least < 1 for least in (distinct_l or {}).values()):
            faults.append(Fault("k", "must be at least 1"))
        if faults:
            raise InputError(name, faults)
        statement = publishing.verify(
            view, list(dict.fromkeys(qi)), k=k, diversities=distinct_l or {}, entity=entity
        )
        return read_recount(engine.ask(statement)[0], list(distinct_l or {}))


def lint(
    policy: Given,
    source: object = None,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
) -> list[str]:
    """Check a policy against its source and hierarchies; give warnings, raise InputError for faults."""
    with ExitStack() as stack:
        run, frame = _open(
            stack, policy, source, connection=connection, settings=settings, writes=False
        )
        opened = open_source(run, frame)
        return [
            f"columns.{each.column.name}.hierarchy: {warning}"
            for each in map_columns(run, opened)
            for warning in each.warnings
        ]


def _open(
    stack: ExitStack,
    given: Given,
    source: object,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
    writes: bool,
) -> tuple[Session, object | None]:
    """Read the policy, open its engine, and tell a source by name from a frame."""
    said = dict(overrides or {})
    has_source = source is None and "source" not in said
    policy = given if isinstance(given, Policy) else read_policy(given, has_source=has_source)
    frame = None
    if isinstance(source, str | Path):
        said["source"] = _as_in_policy(str(source), policy.base)
    elif source is not None:
        frame = source
    policy = overridden(policy, said)
    engine = stack.enter_context(
        open_engine(connection, _database(policy), settings, writes=writes)
    )
    engine.journal.on_step = progress
    return stack.enter_context(session(engine, policy, said)), frame


def _named(text: str) -> Source:
    """Tell a path from a table's name; what is there on disk is a path, whatever it is called."""
    return Source(path=text) if os.path.exists(text) else source_from_text(text)  # noqa: PTH110


def _as_in_policy(text: str, base: str) -> str:
    """Name a source as the policy in that folder would: a path starts from there."""
    path = _named(text).path
    if path is None or "://" in path:
        return text
    return path_from(base, resolve(path, ""))


def path_from(folder: str, path: str) -> str:
    """Give a path as it is written in a folder: always with a slash, so that it is no table's name."""
    shown = Path(os.path.relpath(path, Path(folder).absolute())).as_posix()
    return shown if "/" in shown else f"./{shown}"


def _database(policy: Policy) -> str | None:
    if policy.database is None or is_address(policy.database):
        return policy.database
    return resolve(policy.database, policy.base)


def _destination(
    policy: Policy, given: str | Destination | None, *, must_publish: bool
) -> Destination | None:
    if must_publish and given is None and policy.release is None:
        what = "is missing; say where it goes, in the policy or by --release"
        raise ReleaseError("release", [Fault("", what)])
    chosen = policy.release
    if isinstance(given, str):
        chosen = destination_from_text(given)
        if chosen.format is not Format.TABLE:
            chosen = replace(chosen, name=resolve(chosen.name, ""))
    elif given is not None:
        chosen = given
    if (
        must_publish
        and chosen is not None
        and chosen.format is Format.TABLE
        and not policy.database
    ):
        what = "is a table, but no database is named; say database: FILE in the policy"
        raise ReleaseError(chosen.name, [Fault("release", what)])
    return chosen


def _finish(
    stack: ExitStack,
    run: Session,
    planned: Planned,
    destination: Destination | None,
    *,
    replace: bool,
) -> Release:
    staged = stage(run, planned.plan, planned.opened, planned.mapped)
    relation, place = None, None
    held = ExitStack()
    if destination is not None:
        publish(run, staged, destination, replace=replace)
        place = destination.name
        if destination.format is not Format.TABLE:
            place = run.path(place)
    else:
        relation = run.engine.relation(staged.table, staged.columns)
        held = stack.pop_all()
        weakref.finalize(relation, held.close)  # the rows live as long as what shows them
    return Release(
        plan=planned.plan,
        verification=staged.verification,
        destination=destination,
        place=place,
        columns=staged.columns,
        journal=run.engine.journal,
        _relation=relation,
        _held=held,
    )


def _plan_and_policy(given: str | Path | Plan, policy: Given | None) -> tuple[Plan, Given]:
    """Find the policy that a plan names, beside the plan."""
    if isinstance(given, Plan):
        chosen, folder = given, Path()
    else:
        path = Path(given)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(str(path), [Fault("", "there is no such plan file")]) from error
        chosen, folder = Plan.from_yaml(text, str(path)), path.parent
    if policy is not None:
        return chosen, policy
    if chosen.policy_file is None:
        fault = Fault("policy", "the plan was made from Python; give its policy too")
        raise InputError("plan", [fault])
    return chosen, folder / chosen.policy_file


def _hold_against_policy(run: Session, chosen: Plan) -> None:
    """Refuse a plan that is of another policy, or whose levels are none of its hierarchies'."""
    names = [column.name for column in run.policy.quasi]
    faults = []
    if run.policy.digest != chosen.policy_digest:
        faults.append(Fault("policy", f"changed since the plan was made; {AGAIN}"))
    elif list(chosen.levels) != names or list(chosen.heights) != names:
        faults.append(Fault("recoding", "does not name the policy's quasi-identifiers"))
    elif not all(0 <= chosen.levels[name] <= chosen.heights[name] for name in names):
        faults.append(Fault("recoding.levels", "has a level that its hierarchy does not have"))
    if faults:
        raise StalePlanError("plan", faults)


def _hold_against_sql(
    run: Session, chosen: Plan, columns: Sequence[ColumnType], *, from_file: bool
) -> None:
    """Refuse a plan whose SQL was changed by hand."""
    if from_file and chosen.sql != plan_sql(run, chosen.levels, chosen.heights, columns):
        what = f"is not what this plan would run: it, or the source's columns, changed; {AGAIN}"
        raise StalePlanError("plan", [Fault("sql", what)])


def _replan(run: Session, chosen: Plan, frame: object | None, *, from_file: bool) -> Planned:
    """Open what the plan was made from and compare it, hash by hash."""
    _hold_against_policy(run, chosen)
    faults = []
    journal = run.engine.journal
    with journal.step("open"):
        opened = open_source(run, frame)
        _hold_against_sql(run, chosen, opened.columns, from_file=from_file)
    with journal.step("hierarchies"):
        mapped = map_columns(run, opened)
    with journal.step("fingerprint"):
        found = fingerprint(run, opened)
    if chosen.source_fingerprint is None:
        faults.append(Fault("source.fingerprint", "is missing: the plan is of a run that is over"))
    elif found.split(":")[0] != chosen.source_fingerprint.split(":")[0]:
        faults.append(Fault("source", "was hashed by another database, or release of it"))
    elif (opened.rows, found) != (chosen.source_rows, chosen.source_fingerprint):
        what = (
            f"changed since the plan was made ({chosen.source_rows} rows then, {opened.rows} now)"
        )
        faults.append(Fault(f"source {source_name(run.policy.source)}", what))
    elif chosen.suppressed_rows > run.policy.suppression.limit(opened.rows):
        faults.append(Fault("recoding.suppressed_rows", "is more than the policy allows"))
    for each in mapped:
        name = each.column.name
        height = each.hierarchy.height
        if (each.hierarchy.digest, height) != (chosen.hierarchies.get(name), chosen.heights[name]):
            faults.append(Fault(f"columns.{name}.hierarchy", "changed since the plan was made"))
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])
    return Planned(chosen, opened, tuple(mapped))


def relative_policy(policy_file: str, plan_file: str) -> str:
    """Give the policy's path as a plan file names it: from the plan's own folder."""
    folder = Path(plan_file).absolute().parent
    return Path(os.path.relpath(Path(policy_file).absolute(), folder)).as_posix()
