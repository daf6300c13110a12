"""Checks the releases of a dbt project: plans against the data, models by certificates, keys in the warehouse."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.dbt.model_layout import lay_out
from kanon_sql.apps.dbt.plan_models import (
    boundaries_path,
    files_of,
    policy_run,
    read_requests,
    request_policy,
    rows_as_built,
    warehouse,
)
from kanon_sql.apps.dbt.project import key_table
from kanon_sql.apps.dbt.project_files import (
    PRIVATE,
    abandoned,
    notes_of_files,
    notes_of_keys,
    of_any_target,
    policy_path,
    recounted_by,
    same_people,
    says_the_same,
    without_readers,
)
from kanon_sql.apps.dbt.project_hierarchies import key_faults
from kanon_sql.apps.dbt.region_models import read_seed
from kanon_sql.base.documents.text import clause, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.mapping import map_columns
from kanon_sql.counting.lattice.encode import encode
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.lineage import find_table, has_table
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.engines import commands_sql
from kanon_sql.engines.connect import open_engine
from kanon_sql.errors import (
    Fault,
    HierarchyError,
    InfeasibleError,
    InputError,
    InternalError,
    StalePlanError,
)
from kanon_sql.evidence.certificate.certify import certify
from kanon_sql.evidence.reports.make_report import file_hash, report
from kanon_sql.policy.hierarchies.specs import SuppressHierarchy
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.model import Role
from kanon_sql.policy.outputs import LABELS
from kanon_sql.recoding.planning.make_plan import Planned, make_plan
from kanon_sql.recoding.planning.open_plan import AGAIN, plan_problems, read_plan
from kanon_sql.recoding.query import key_names
from kanon_sql.recoding.recode import keys_in_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.apps.dbt.plan_models import DbtPlan
    from kanon_sql.apps.dbt.project import Project, ProjectRelation, ReleaseRequest
    from kanon_sql.apps.dbt.region_models import BoundarySeed
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.certificate.certificate import Certificate
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class DbtChecked:
    """A committed plan compared with the project and the data as they are now.

    `faults` are the reasons why the plan does not fit any more. `suppressed` counts the rows that it would
    suppress now; of these, the rows `without_entry` have a value without an entry, region or interval. `fresh`
    is the plan that would be made now, `remarks` are the reasons if none can be made, and `notes` is what somebody
    should know although the plan fits.
    """

    name: str
    faults: tuple[Fault, ...]
    rows: int = 0
    suppressed: int = 0
    allowed: int = 0
    chosen: Plan | None = None
    fresh: Plan | None = None
    without_entry: int = 0
    remarks: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether the committed plan may be carried out on this data."""
        return not self.faults

    def lines(self) -> Iterator[str]:
        """Yield why the plan does not fit, what it would suppress, and what a new plan would change."""
        yield from map(str, self.faults)
        if self.fits:
            yield f"suppressed rows: {self.suppressed:,} of {self.rows:,} (limit {self.allowed:,})"
        if self.fits and self.without_entry:
            what = f"{self.without_entry:,} of them have a value without an entry in its hierarchy"
            by_levels = self.chosen is None or self.chosen.levels
            yield what if by_levels else f"{what}, or lie in no region"
        yield from (f"a new plan would be refused: {remark}" for remark in self.remarks)
        yield from (f"note: {note}" for note in self.notes)
        chosen, fresh = self.chosen, self.fresh
        if chosen is None or fresh is None:
            return
        if not (chosen.recoding.at_one_node and fresh.recoding.at_one_node):
            now, then = str(chosen.recoding), str(fresh.recoding)
            as_now = ", as this one does" if now == then else f"; this one does so by {now}"
            yield f"a new plan would release rows by {then}{as_now}"
            return
        for name, level in fresh.levels.items():
            if (before := chosen.levels.get(name)) != level:
                yield f"a new plan would release {name} at level {level} of {fresh.heights[name]}, not {before} (0: as it is)"
        if chosen.levels == fresh.levels:
            yield "a new plan would have the same levels"

    def document(self) -> dict[str, object]:
        """Return the result as plain values."""
        return {
            "name": self.name,
            "fits": self.fits,
            "faults": [{"where": fault.where, "what": fault.what} for fault in self.faults],
            "rows": self.rows,
            "suppressed_rows": self.suppressed,
            "rows_without_entry": self.without_entry,
            "remarks": [{"where": fault.where, "what": fault.what} for fault in self.remarks],
            "notes": [{"where": fault.where, "what": fault.what} for fault in self.notes],
            "max_suppressed_rows": self.allowed,
            "levels": {} if self.chosen is None else dict(self.chosen.levels),
            "levels_now": {} if self.fresh is None else dict(self.fresh.levels),
        }


@checked
def check_dbt(
    project: str,
    *,
    select: str | None = None,
    target: str | None = None,
    profiles_dir: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[DbtChecked]:
    """Check whether each committed plan of a dbt project fits the policy and the data of now; reads only.

    It counts the rows that each would suppress today, and searches for today's plan.

    Args:
        project: The folder of the dbt project.
        select: A relation, or its release; by default all.
        target: The target of the profile.
        profiles_dir: The folder of dbt's profiles.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The result for the plan of each relation.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
    """
    root = Path(project)
    dbt_project, requests = read_requests(root, select)
    checked = []
    left = {} if select is not None else abandoned(root, dbt_project, requests)
    with warehouse(root, dbt_project, target, profiles_dir, connection) as reached:
        for each in requests:
            file = root / "kanon" / f"{each.release}.plan.yml"
            if not file.exists():
                what = "was never planned; run: kanon-sql dbt plan"
                checked.append(DbtChecked(each.release, (Fault(str(file), what),)))
                continue
            chosen = read_plan(file)
            with policy_run(
                root,
                each,
                reached,
                settings=settings,
                overrides=chosen.overrides,
                progress=progress,
            ) as run:
                found = _checked(run, root, dbt_project, each, chosen)
                notes = (
                    *found.notes,
                    *notes_of_files(root, dbt_project, each),
                    *notes_of_keys(run, chosen),
                )
            if chosen.overrides:
                stated = ", ".join(f"{key}: {value}" for key, value in chosen.overrides.items())
                what = f"were given to dbt plan in place of what meta says ({stated}); write them in meta, and plan again without"
                found = replace(found, faults=(*found.faults, Fault("overrides", what)))
            checked.append(replace(found, notes=notes))
    return [*checked, *(DbtChecked(name, (Fault(name, what),)) for name, what in left.items())]


@dataclass(frozen=True, slots=True)
class _Today:
    """The current rows, encoded as a release by the committed plan counts them, at `node` of the policy of `run`.

    Rows `without_entry` are in no class: the release leaves them out.
    """

    run: Session
    planned: Planned
    node: Node
    without_entry: int = 0


def _checked(
    run: Session, root: Path, dbt_project: Project, request: ReleaseRequest, chosen: Plan
) -> DbtChecked:
    if not chosen.recoding.at_one_node:
        return _checked_as_built(run, root, dbt_project, request, chosen)
    fresh: Plan | None = None
    remarks: tuple[Fault, ...] = ()
    try:
        try:
            planned = make_plan(run, to_keep=True)
            today = _Today(run, planned, chosen.recoding.nodes[0])
            fresh = replace(planned.plan, policy_file=chosen.policy_file)
        except HierarchyError as error:  # it stops a plan, but no build of dbt
            today, remarks = _as_built(run, request, chosen), error.faults
    except (InputError, InfeasibleError) as error:
        own = error.faults if isinstance(error, InputError) else [Fault("", str(error))]
        return DbtChecked(request.release, tuple(own), chosen=chosen)
    opened = today.planned.opened
    columns = {column.name: column for column in run.policy.quasi}
    read = [each for each in today.planned.mapped if each.column == columns[each.column.name]]
    faults = plan_problems(run.policy, chosen, read)
    faults += key_faults(request, run.policy)
    suppressed = 0
    if not faults:
        as_chosen = replace(today.planned, plan=chosen)
        faults += _file_faults(root, files_of(run, dbt_project, request, as_chosen), opened)
        suppressed = today.without_entry + _suppressed(today)
    if today.without_entry and not request.accepts_loss:
        what = clause(today.without_entry, "row", "have a value without an entry in its hierarchy")
        faults.append(
            Fault("without_entry", f"{what}; add the entries, or say without_entry: warn")
        )
    return _counted(
        DbtChecked(
            request.release,
            tuple(faults),
            opened.rows,
            suppressed,
            run.policy.suppression.limit(opened.rows),
            chosen,
            fresh,
            without_entry=today.without_entry,
            remarks=remarks,
        )
    )


def _counted(found: DbtChecked) -> DbtChecked:
    """Add the fault that more rows would be suppressed than may be."""
    if found.suppressed <= found.allowed:
        return found
    what = (
        f"would suppress {found.suppressed:,} of {found.rows:,} rows now, more than the {found.allowed:,} that may be; "
        f"plan again"
    )
    return replace(found, faults=(*found.faults, Fault("suppression", what)))


def _checked_as_built(
    run: Session, root: Path, dbt_project: Project, request: ReleaseRequest, chosen: Plan
) -> DbtChecked:
    """Check a plan of regions, intervals or several nodes: its rows are counted as its model releases them."""
    fresh: Plan | None = None
    remarks: tuple[Fault, ...] = ()
    boundaries: BoundarySeed | None = None
    try:
        try:
            fresh = replace(make_plan(run, to_keep=True).plan, policy_file=chosen.policy_file)
        except HierarchyError as error:  # it stops a plan, but no build of dbt
            remarks = error.faults
        if faults := plan_problems(run.policy, chosen, ()):
            return DbtChecked(request.release, tuple(faults), chosen=chosen, fresh=fresh)
        opened = open_source(run)
        mapped = tuple(map_columns(run, opened, new=True, only_entered=True))
        planned = Planned(chosen, opened, mapped)
        faults = plan_problems(run.policy, chosen, mapped)
        if chosen.recoding.has_boundaries:
            file = root / boundaries_path(dbt_project, request)
            boundaries = read_seed(run, planned, file.read_text(encoding="utf-8"))
            if boundaries.digest != chosen.recoding.boundaries:
                raise StalePlanError(
                    str(file), [Fault(str(file), f"is not what the plan says; {AGAIN}")]
                )
        faults += _file_faults(
            root, files_of(run, dbt_project, request, planned, boundaries), opened
        )
        seeded = None if boundaries is None else boundaries.table
        assigned, released = rows_as_built(run, planned, seeded)
    except OSError:
        faults = [Fault(boundaries_path(dbt_project, request), f"is missing; {AGAIN}")]
        return DbtChecked(request.release, tuple(faults), chosen=chosen, fresh=fresh)
    except (InputError, InfeasibleError) as error:
        own = error.faults if isinstance(error, InputError) else [Fault("", str(error))]
        return DbtChecked(request.release, tuple(own), chosen=chosen, fresh=fresh)
    without = opened.rows - assigned
    if without and not request.accepts_loss:
        what = f"{clause(without, 'row', 'have no region, interval or entry')}; plan again, or say without_entry: warn"
        faults.append(Fault("without_entry", what))
    return _counted(
        DbtChecked(
            request.release,
            tuple(faults),
            opened.rows,
            opened.rows - released,
            run.policy.suppression.limit(opened.rows),
            chosen,
            fresh,
            without_entry=without,
            remarks=remarks,
        )
    )


def _as_built(run: Session, request: ReleaseRequest, chosen: Plan) -> _Today:
    """Encode the rows that the release's joins keep: those with an entry in every hierarchy that it reads.

    A column that is released at level 0 of a hierarchy that labels every value, or as the root alone, reads none, and
    is encoded with a single step. Raises InputError, also for a hierarchy that has faults by itself.
    """
    if problems := plan_problems(run.policy, chosen, ()):
        raise StalePlanError(run.policy.subject, problems)
    opened = open_source(run)
    laid = lay_out(request, run.policy, chosen, opened.columns)
    read = {each.column.name for each in laid if each.name or each.longest}
    columns, levels = [], []
    for column in run.policy.columns:
        step = column.role is Role.QUASI and column.name not in read
        if column.role is Role.QUASI:
            level = chosen.levels[column.name]
            levels.append(min(level, 1) if step else level)
        as_seen = replace(column, hierarchy=SuppressHierarchy(), output=LABELS)
        columns.append(as_seen if step else column)
    own = replace(run, policy=replace(run.policy, columns=tuple(columns)))
    mapped = map_columns(own, opened, only_entered=True)
    encoded = encode(own, opened, mapped, only_entered=True)
    planned = Planned(chosen, opened, tuple(mapped), encoded=encoded)
    return _Today(own, planned, Node(tuple(levels)), opened.rows - encoded.stats.rows)


def _file_faults(root: Path, expected: DbtPlan, opened: OpenSource) -> Iterator[Fault]:
    """Yield a fault for each file that is missing, or is not what the plan says, with the types that a hierarchy reads."""
    for name, text in expected.files.items():
        file = root / name
        if name == expected.kept:
            continue
        if name == f"{expected.name}.policy.yml" and file.is_file():
            own, said = of_any_target(file.read_text(encoding="utf-8")), of_any_target(text)
            is_other = without_readers(own) != without_readers(said)
        else:
            is_other = not file.is_file() or file.read_bytes() != text.encode()
        if is_other:
            what = "is missing" if not file.exists() else "is not what the plan says"
            words = set(re.findall(r"\w+", text))
            read = [each for each in opened.columns if each.name in words]
            if read and file.suffix == ".sql" and file.parent.name == PRIVATE:
                types = joined([f"{each.name} is {each.type.split('(')[0]}" for each in read])
                what = (
                    f"{what}: it was edited, or a column has another type than it had ({types} now)"
                )
            yield Fault(name, f"{what}; {AGAIN}")


def _suppressed(today: _Today) -> int:
    """Count the rows in classes that do not fit."""
    run, encoded = today.run, today.planned.encoded
    if encoded is None:
        raise InternalError("a plan at one node was made without a frequency set")
    limit = run.policy.suppression.limit(today.planned.opened.rows)
    checker = make_checker(
        run, encoded, metric=run.policy.metric, max_suppressed=limit, deadline=None
    )
    (verdict,) = checker.check([today.node])
    return verdict.counts.suppressed


@dataclass(frozen=True, slots=True)
class DbtCertified:
    """The certificate of a release that dbt built, its folder, and a report on the release and its source.

    There is no report on an incremental release whose source has later rows: the certificate's own page describes it.
    """

    name: str
    folder: str
    certificate: Certificate
    report: Report | None


NEXT = "Run: kanon-sql dbt plan . && dbt build && kanon-sql dbt certify --replace"
"""The commands after which a release of other rows than the plan's can be certified."""


@checked
def certify_dbt(
    project: str,
    *,
    select: str | None = None,
    target: str | None = None,
    profiles_dir: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    folder: str | Path | None = None,
    replace: bool = False,
    sign_with: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[DbtCertified]:
    """Recount each release that a dbt project has built, write its certificate, and report on it.

    Guarantee: no claim of a plan fails on the rows that dbt built from it; the warehouse is only read.

    Args:
        project: The folder of the dbt project.
        select: A relation, or its release; by default all.
        target: The target of the profile.
        profiles_dir: The folder of dbt's profiles.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        folder: The folder of the certificates; by default `kanon` in the project.
        replace: Whether existing certificates may be replaced.
        sign_with: The file of an Ed25519 key.
        progress: A function to call with the name of each step.

    Returns:
        The certificate of each release, with a report.

    Raises:
        VerificationError: A claim fails: the release is not that of its plan, or the source has other rows since.
        InputError: An argument or the policy is wrong, a release was not planned, or dbt does not know its model.
        ReleaseError: A folder exists already, or cannot be written.
    """
    root, found = Path(project), list[DbtCertified]()
    dbt_project, requests = read_requests(root, select)
    _, every = read_requests(root, None)
    left = [f"{name} (no longer in meta)" for name in abandoned(root, dbt_project, every)]
    plans = {each.release: root / "kanon" / f"{each.release}.plan.yml" for each in requests}
    faults = [
        Fault(str(file), "was never planned; run: kanon-sql dbt plan")
        for file in plans.values()
        if not file.exists()
    ]
    faults += [
        Fault(each.release, "is no model that dbt knows; run: dbt build")
        for each in requests
        if each.built is None
    ]
    if faults:
        raise InputError(project, faults)
    with warehouse(root, dbt_project, target, profiles_dir, connection) as reached:
        for each in requests:
            with policy_run(
                root, each, reached, settings=settings, overrides=None, progress=progress
            ) as run:
                policy = run.policy
            built = "" if each.built is None else each.built.dotted
            place = root / "kanon" if folder is None else Path(folder)
            try:
                reported: Report | None = report(
                    built,
                    plan=plans[each.release],
                    policy=policy,
                    search=False,
                    connection=reached.connection,
                    settings=settings,
                    progress=progress,
                )
            except StalePlanError as error:
                if each.loaded_at is None:
                    ask = [Fault(fault.where, f"{fault.what}. {NEXT}") for fault in error.faults]
                    raise StalePlanError(each.release, ask) from error
                reported = None  # later rows came; the certificate is that of the first load
            own = place / f"{each.release}.certificate"
            recounted = None if reported is None else recounted_by(root, dbt_project, each)
            certificate = certify(
                built,
                plans[each.release],
                policy=policy,
                connection=reached.connection,
                settings=settings,
                folder=own,
                replace=replace,
                sign_with=sign_with,
                counted_by=recounted,
                progress=progress,
            )
            if reported is not None:
                others = [*same_people(each.release, every), *left]
                reported = dataclasses.replace(
                    _as_signed(reported, root / policy_path(each), each),
                    others=tuple(others),
                    recounted=recounted,
                )
            found.append(DbtCertified(each.release, str(own), certificate, reported))
    return found


def _as_signed(reported: Report, policy: Path, request: ReleaseRequest) -> Report:
    """Add the hash of the policy's file to a report, unless the file says another `about` or `why` than the page."""
    if not policy.is_file() or not says_the_same(policy, request):
        return reported
    hashed = ("Policy, SHA-256", f"{file_hash(policy)}  {policy.name}")
    return dataclasses.replace(reported, files=(*reported.files, hashed))


@checked
def keep_dbt_keys(
    project: str,
    *,
    select: str | None = None,
    target: str | None = None,
    profiles_dir: str | None = None,
    connection: Connection | None = None,
    forget: bool = False,
) -> list[str]:
    """Put the keys of a dbt project's pseudonyms into its warehouse, where a build reads them.

    The rights of all but the table's owner are revoked before the keys are replaced in one transaction.

    Args:
        project: The folder of the dbt project.
        select: A relation, or its release; by default all.
        target: The target of the profile.
        profiles_dir: The folder of dbt's profiles.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        forget: Whether to remove them.

    Returns:
        The tables into which keys were put, or from which they were removed.

    Raises:
        InputError: A key is missing or wrong, or a table is.
    """
    root = Path(project)
    dbt_project, requests = read_requests(root, select)
    asked = [(each, request_policy(each)) for each in requests]
    with_keys = [(each, policy) for each, policy in asked if key_names(policy)]
    faults = [] if with_keys else [Fault("", "has no release with pseudonyms")]
    if not forget:
        faults += [fault for each, policy in with_keys for fault in key_faults(each, policy)]
    if faults:
        raise InputError(project, faults)
    with (
        warehouse(root, dbt_project, target, profiles_dir, connection) as reached,
        open_engine(
            reached.connection, reached.database, None, writes=True, attach=dict(reached.attach)
        ) as engine,
    ):
        tables = [
            (_table_of_keys(engine, request, project), policy) for request, policy in with_keys
        ]
        for relation, policy in tables:
            _keep(engine, policy, relation, forget=forget)
    return [relation.dotted for relation, _ in tables]


def _keep(engine: Engine, policy: Policy, relation: ProjectRelation, *, forget: bool) -> None:
    table = find_table(engine, relation.dotted)
    needed = replace(policy, columns=()) if forget else policy
    with session(engine, needed) as run, keys_in_session(run), engine.transaction():
        engine.keep_private(table)
        engine.execute(commands_sql.delete_keys(table))
        for name in key_names(needed):
            engine.execute(commands_sql.insert_key(table, name))


def _table_of_keys(engine: Engine, request: ReleaseRequest, project: str) -> ProjectRelation:
    name = key_table(request.release)
    if request.keys is None or not has_table(engine, request.keys.dotted):
        what = f"is not there yet; run: dbt run --select {name}"
        raise InputError(project, [Fault(name, what)])
    return request.keys
