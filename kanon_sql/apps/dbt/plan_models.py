"""Makes the plans of a dbt project in its warehouse, and the texts of the project's files for them."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.apps.dbt import build_project_files
from kanon_sql.apps.dbt.model_layout import BOUNDARIES, check_request, lay_out, private_name
from kanon_sql.apps.dbt.project import (
    OF_THE_MODEL,
    Reached,
    first_load,
    reach,
    read_manifest,
    read_project,
    read_target,
    relation_of,
    release_requests,
)
from kanon_sql.apps.dbt.project_files import PRIVATE, abandoned, policy_path, same_people
from kanon_sql.apps.dbt.project_hierarchies import (
    check_given,
    check_one_root,
    check_pseudonyms,
    key_files,
    masks_test,
    planned_keys,
    rule_model,
    seed,
    source_model,
)
from kanon_sql.apps.dbt.region_models import boundary_files, check_boundaries_of, make_seed
from kanon_sql.base.documents.keys import read_mapping
from kanon_sql.base.documents.shown import flow
from kanon_sql.base.documents.text import joined, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import template_root
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_run
from kanon_sql.counting.source.open_source import as_read
from kanon_sql.engines.local_files import relative_to
from kanon_sql.engines.locations import Source
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import requirements, sensitive_attributes
from kanon_sql.policy.read_policy import policy_from
from kanon_sql.recoding.new_rows.assign import may_overlap
from kanon_sql.recoding.planning.make_plan import make_plan
from kanon_sql.recoding.recode import keys_in_session, recoder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.dbt.model_layout import ReleasedColumn
    from kanon_sql.apps.dbt.project import Project, ReleaseRequest
    from kanon_sql.apps.dbt.region_models import BoundarySeed
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, Overrides
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned


@dataclass(frozen=True, slots=True)
class DbtPlan:
    """The plan of one relation of a project, and its files there: whole texts by path.

    `kept` is the file that is never replaced, as the user may edit it; `folders` are all folders of our files, and
    `notes` what to know of an incremental release, and of one that joins another.
    """

    name: str
    plan: Plan
    files: Mapping[str, str]
    kept: str
    folders: tuple[str, ...]
    notes: tuple[str, ...] = ()


def notes_of_joins(request: ReleaseRequest) -> tuple[str, ...]:
    """Say that a reader joins a release to others by pseudonyms, over which its plan counts nobody; nothing of others."""
    return tuple(
        f"pseudonyms join {each}: no plan of one model counts who stands below k over that join, and people who are suppressed "
        f"there keep their rows here; a policy with version: 2 over both models counts and protects it"
        for each in request.joined_to
    )


def notes_of_increments(request: ReleaseRequest) -> tuple[str, ...]:
    """Say what an incremental release does with rows that are too few, and with another plan; nothing of others."""
    by = request.loaded_at
    if by is None:
        return ()
    withheld = (
        f"the release grows by rows with a larger {by}, which may be dropped: of a class to which too few are added they "
        f"are withheld, and the model {request.release}_held_back counts them"
    )
    began = (
        f"a release that was built goes on with the plan that it began with: dbt build refuses another one, which needs "
        f"a release of another name, of later rows alone (a model of rows where {by} > DAY)"
    )
    certified = f"dbt certify recounts the first load ({first_load(request.release)}), which alone has the rows of the plan"
    return withheld, began, certified


WITHOUT_OVERLAP = "for regions that do not, say search: {algorithm: mondrian, grouping: cuts}"
"""Advice on a search whose regions do not overlap."""


def package_path() -> str:
    """Return the folder of the dbt package, for `packages.yml`."""
    return str(template_root() / "dbt")


EXAMPLE = (
    ".gitignore",
    "dbt_project.yml",
    "hierarchies/jobs.csv",
    "models/stg_patients.sql",
    "models/stg_patients.yml",
    "profiles.yml",
    "seeds/raw_patients.csv",
)
PACKAGES = """# export KANON_SQL_DBT=$(kanon-sql dbt path)
packages:
  - local: "{{ env_var('KANON_SQL_DBT') }}"
"""


def example() -> dict[str, str]:
    """Return the files of a small example project: texts by path, before anything is planned."""
    root = template_root() / "dbt" / "integration_tests"
    files = {name: (root / name).read_text(encoding="utf-8") for name in EXAMPLE}
    return {**files, "packages.yml": PACKAGES}


@checked
def plan_dbt(
    project: str,
    *,
    select: str | None = None,
    target: str | None = None,
    profiles_dir: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[DbtPlan]:
    """Choose a recoding for each relation that a dbt project asks to release, and return its files as texts.

    Policies are the `meta: {kanon: ...}` of models and columns in the manifest. Reads only; nothing is written.

    Args:
        project: The folder of the dbt project.
        select: A relation, or its release; by default all.
        target: The target of the profile.
        profiles_dir: The folder of dbt's profiles.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        overrides: Entries that replace those of the policy, such as `{'k': 10}`.
        progress: A function to call with the name of each step.

    Returns:
        The plans, each with its files.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
    """
    root, plans = Path(project), []
    dbt_project, requests = read_requests(root, select)
    with warehouse(root, dbt_project, target, profiles_dir, connection) as reached:
        for each in requests:
            with policy_run(
                root, each, reached, settings=settings, overrides=overrides, progress=progress
            ) as run:
                check_boundaries_of(run)
                planned, boundaries = plan_with_boundaries(run)
                named = planned.plan.named(f"../{policy_path(each)}")
                planned = replace(planned, plan=named)
                plans.append(files_of(run, dbt_project, each, planned, boundaries))
    _, every = read_requests(root, None)
    left = [f"{name}: {what}" for name, what in abandoned(root, dbt_project, every).items()]
    return [
        replace(each, notes=(*each.notes, *_same_people(each.name, every), *left)) for each in plans
    ]


def _same_people(release: str, requests: Sequence[ReleaseRequest]) -> Iterator[str]:
    """Say that releases hold the same people: no plan counts them together. All of them say so by the same words."""
    if others := same_people(release, requests):
        (key,) = {each.policy.get("entity") for each in requests if each.release == release}
        names = [each.release for each in requests if each.release in {release, *others}]
        yield (
            f"warning: {joined(names)} may hold the same people ({printable(str(key))}): values that they show join their rows, and "
            f"no plan counts classes over them together; drop or coarsen such values, or release them outside of dbt by a policy with "
            f"version: 2, which counts them"
        )


def notes_of_lost(plan: Plan) -> tuple[str, ...]:
    """Name the columns that show one label in all rows; nothing of a plan with several levels a column."""
    if not plan.recoding.at_one_node:
        return ()
    lost = [printable(n) for n, level in plan.levels.items() if level == plan.heights[n]]
    if not lost:
        return ()
    what = f"lost: {joined(lost)} (one label in all rows)"
    return (f"{what}; fewer quasi-identifiers or other steps may keep more",)


def plan_with_boundaries(run: Session) -> tuple[Planned, BoundarySeed | None]:
    """Make a plan and, if it has boundaries, their seed, whose hash is in the plan.

    If regions may overlap, the model assigns rows to other regions than the search did, and may suppress some. Raises
    InputError if it would suppress too many.
    """
    planned = make_plan(run, to_keep=True)
    plan, recoding = planned.plan, planned.plan.recoding
    if not recoding.has_boundaries:
        return planned, None
    boundaries = make_seed(run, planned)
    plan = replace(plan, recoding=recoding.with_boundaries(boundaries.digest))
    if may_overlap(run.policy):
        _, released = rows_as_built(run, planned, boundaries.table)
        gone = planned.opened.rows - released
        what = (
            f"regions may overlap, and a model of dbt assigns each row to the narrowest that contains it: "
            f"{gone:,} of {planned.opened.rows:,} rows are suppressed by that"
        )
        if gone > plan.max_suppressed:
            fault = f"{what}, more than the {plan.max_suppressed:,} that may be; {WITHOUT_OVERLAP}"
            raise InputError(run.policy.subject, [run.policy.fault("search", fault)])
        plan = replace(plan, notes=(*plan.notes, *([f"{what}; {WITHOUT_OVERLAP}"] if gone else [])))
    return replace(planned, plan=plan), boundaries


def rows_as_built(run: Session, planned: Planned, boundaries: exp.Table | None) -> tuple[int, int]:
    """Count the rows that the recoding assigns, and those of them that the model of the plan would release now.

    `boundaries` is the project's seed. The rows are recoded as new rows; a plan at one node is counted by its node.
    """
    staged = run.scratch.table("staged")
    recoder = recoder_of(planned.plan.recoding)
    query, assigned = recoder.recode_new(run, planned, staged, boundaries, as_built=True)
    with keys_in_session(run):
        run.engine.execute(query.staging)
    return assigned, run.engine.fetch_count(source_sql.count_rows(staged))


def read_requests(root: Path, select: str | None) -> tuple[Project, list[ReleaseRequest]]:
    """Read a project and the releases it asks for. Raises InputError, also for files that changed since `dbt parse`."""
    parsed = root / "target" / "manifest.json"
    dbt_project, manifest = _manifest(root)
    requests = release_requests(manifest, select)
    faults = [
        Fault(name, "changed since dbt parsed the project; run dbt parse")
        for name in dict.fromkeys(name for each in requests for name in each.files)
        if _newer(root / name, parsed)
    ]
    if faults:
        raise InputError(str(parsed), faults)
    return dbt_project, requests


def propose_meta(
    project: str,
    model: str,
    suggest: Callable[..., Mapping[str, Any]],
    *,
    target: str | None = None,
    profiles_dir: str | None = None,
) -> str:
    """Propose the properties of a built model: the policy that `suggest` proposes for its table, as `meta`.

    Raises InputError where dbt does not know the model, and SourceError where it is not built.
    """
    root = Path(project)
    dbt_project, manifest = _manifest(root)
    relation = relation_of(manifest, model)
    with warehouse(root, dbt_project, target, profiles_dir, None) as reached:
        found = suggest(relation.dotted, database=reached.database, connection=reached.connection)
    return meta_text(model, found)


def meta_text(model: str, policy: Mapping[str, Any]) -> str:
    """Write a policy as the properties of a model, whose columns have their entries as `meta`."""
    asked = {key: policy[key] for key in OF_THE_MODEL if key in policy}
    of_model = {"release": f"{model}_anon", **asked}
    if "choose" in (search := asked.get("search", {})):  # for regions that overlap
        of_model["search"] = {"algorithm": search["algorithm"], "grouping": "cuts"}
    if isinstance(source := policy.get("source"), dict) and "missing" in source:
        of_model["missing"] = source["missing"]
    return "\n".join(
        (
            "# Review every line: a column that somebody could know about a person is a quasi-identifier.",
            f"models:\n  - name: {flow(model)}\n    config:\n      meta:\n        kanon:",
            *(f"          {key}: {flow(each)}" for key, each in of_model.items()),
            "    columns:",
            *(
                f"      - name: {flow(name)}\n        config: {{meta: {{kanon: {flow(entry)}}}}}"
                for name, entry in policy["columns"].items()
            ),
            "",
        )
    )


def _manifest(root: Path) -> tuple[Project, Mapping[str, object]]:
    file, parsed = root / "dbt_project.yml", root / "target" / "manifest.json"
    dbt_project = read_project(
        _text(file, "does not exist; name the folder of a dbt project"), str(file)
    )
    return dbt_project, read_manifest(_text(parsed, "does not exist; run dbt parse"), str(parsed))


def _newer(file: Path, than: Path) -> bool:
    return file.is_file() and file.stat().st_mtime_ns > than.stat().st_mtime_ns


def _text(path: Path, missing: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("", missing)]) from error


@contextmanager
def warehouse(
    root: Path,
    dbt_project: Project,
    target: str | None,
    profiles_dir: str | None,
    connection: object,
) -> Iterator[Reached]:
    """Reach the warehouse by the connection that is given, or else by the project's profile."""
    if connection is not None:
        yield Reached(connection)
        return
    chosen = read_target(str(root), dbt_project.profile, target=target, profiles_dir=profiles_dir)
    with reach(chosen, str(root)) as reached:
        yield reached


def request_policy(request: ReleaseRequest) -> Policy:
    """Read the policy in a relation's meta. Raises PolicyError."""
    return policy_from(
        read_mapping(request.policy), subject=request.relation.name, has_source=False
    )


@contextmanager
def policy_run(
    root: Path,
    request: ReleaseRequest,
    reached: Reached,
    *,
    settings: Settings | None,
    overrides: Overrides | None,
    progress: Callable[[str], None] | None,
) -> Iterator[Session]:
    """Open a run with the policy in a relation's meta. Raises PolicyError, and InputError for what dbt cannot do."""
    policy = request_policy(request)
    check_request(request, policy)
    placed = replace(
        policy,
        source=Source(table=request.relation.dotted, missing=policy.source.missing),
        database=reached.database,
        attach=reached.attach,
        base=str(root),
    )
    with ExitStack() as stack:
        run, _ = open_run(
            stack,
            placed,
            None,
            connection=reached.connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=False,
            keeps_plan=True,
        )
        try:
            yield run
        except InputError as error:
            if error.subject == placed.subject:  # a policy without a file, as a project has several
                error.subject = request.relation.name
            raise


def check_types(run: Session, released: Sequence[ReleasedColumn], opened: OpenSource) -> None:
    """Raise InputError for columns of types that a model of dbt could not release as `apply` does."""
    what = (
        "is of a type that lists its values, or of a collation by which texts are equal that a reader "
        "tells apart; cast it in the model"
    )
    faults = [
        run.policy.fault(f"columns.{each.column.name}", what)
        for each in released
        if each.becomes != "nothing" and each.column.name in opened.plainly
    ]
    if faults:
        raise InputError(run.policy.subject, faults)


def _as_there(
    released: ReleasedColumn, opened: OpenSource, mapped: Mapping[str, Mapped]
) -> ReleasedColumn:
    """Complete a column by its type: `in_one_form` for equal values that may look different, and `as_text`.

    Such values are -0.0 and 0.0, or 1.0 and 1.00. A column that is cut along its hierarchy gets the height of that.
    """
    is_cut = released.becomes in {"region", "interval"}
    above = mapped[released.column.name].above if is_cut else None
    families = {column.name: column.family for column in opened.columns}
    is_raw = released.column.role is Role.QUASI and released.becomes in {"value", "value twice"}
    family = families[released.column.name]
    as_text = family == "text"
    if released.at_nodes:  # as `apply` releases values beside labels
        is_raw = 0 in released.at_nodes
        as_text = is_raw and not (released.column.output.bounded and family == "integer")
    return replace(
        released,
        in_one_form=is_raw and family in {"float", "other"},
        as_text=as_text,
        height=released.height if above is None else above.height,
    )


def _file_of(database: str | None, base: str) -> str | None:
    """Return the path of a DuckDB file from the project's folder; None for a server, whose address may have a password."""
    if database is None or not Path(base, database).is_file():
        return None
    return relative_to(str(Path(base, database).absolute()), str(Path(base).absolute()))


def boundaries_path(dbt_project: Project, request: ReleaseRequest) -> str:
    """Return the path of the seed of a release's boundaries in a project."""
    return f"{dbt_project.seeds}/{PRIVATE}/{private_name(request, BOUNDARIES)}.csv"


def _hash_as_they_compare(
    policy: Policy, released: Sequence[ReleasedColumn], opened: OpenSource
) -> bool:
    """Whether equal values have equal hashes in any database, in all columns that define classes or are counted."""
    counted = {each.column for each in sensitive_attributes(requirements(policy.privacy))}
    if policy.entity is not None:
        counted.add(policy.entity)
    counted |= {each.column.name for each in released if each.column.role is Role.QUASI}
    families = {column.name: column.family for column in opened.columns}
    return all(families[name] != "other" and name not in opened.plainly for name in counted)


def _files_that_count(
    request: ReleaseRequest,
    policy: Policy,
    released: Sequence[ReleasedColumn],
    models: str,
    *,
    tests: str,
    made_by: str,
) -> dict[str, str]:
    """Return the models and tests that count what is withheld or loaded first, and people whose key is not shown."""
    files: dict[str, str] = {}
    name = request.release
    if build_project_files.counts_hidden_people(request, policy, released):
        files[f"{tests}/{name}_people.sql"] = build_project_files.people_test(request, made_by)
    if (masks := masks_test(request, released)) is not None:
        files[f"{tests}/{name}_masks.sql"] = masks
    if request.loaded_at is not None:
        held_back = f"{name}_held_back.sql"
        first = build_project_files.first_load_model(request, released)
        files[f"{models}/{held_back}"] = build_project_files.held_back_model(request)
        files[f"{models}/{first_load(name)}.sql"] = first
        files[f"{tests}/{held_back}"] = build_project_files.held_back_test(request)
    return files


def files_of(
    run: Session,
    dbt_project: Project,
    request: ReleaseRequest,
    planned: Planned,
    seed_of_boundaries: BoundarySeed | None = None,
) -> DbtPlan:
    """Return a plan with the texts of its files in a project, and its seed of boundaries if any. Raises InputError."""
    plan, policy = planned.plan, run.policy
    released = lay_out(request, policy, plan, planned.opened.columns)
    check_types(run, released, planned.opened)
    check_pseudonyms(run, planned.opened.columns)
    keys = planned_keys(request, policy)
    origin, own_source = request, private_name(request, "source")
    missing = as_read(policy, planned.opened.columns)
    if missing:  # every other file of the project reads this model in the place of the relation
        relation = replace(request.relation, reference=f"ref('{own_source}')")
        request = replace(request, relation=relation)
    mapped = {each.column.name: each for each in planned.mapped}
    released = [_as_there(each, planned.opened, mapped) for each in released]
    models, seeds, macros = (
        f"{each}/kanon" for each in (dbt_project.models, dbt_project.seeds, dbt_project.macros)
    )
    own_models, own_seeds = (
        f"{each}/{PRIVATE}" for each in (dbt_project.models, dbt_project.seeds)
    )
    files = {f"kanon/{request.release}.plan.yml": plan.to_yaml()}
    if plan.policy_file is not None:  # an older plan names none
        files[policy_path(request)] = build_project_files.policy_file(
            request, _file_of(policy.database, policy.base)
        )
    if missing:
        files[f"{own_models}/{own_source}.sql"] = source_model(run, origin, missing)
        files[f"{own_models}/{own_source}.yml"] = build_project_files.private_properties(
            request,
            "models",
            own_source,
            f"The rows of {origin.relation.name}, with NULL in the place of texts that stand for a missing value.",
        )
    sharing: dict[str, list[ReleasedColumn]] = {}
    for each in released:
        if each.name is not None:
            check_one_root(run, mapped[each.column.name])
            sharing.setdefault(each.name, []).append(each)
    for name, (each, *others) in sharing.items():
        if each.column.name in request.given:
            check_given(run, mapped[each.column.name], each.column.name)
        elif each.column.has_entries:
            files[f"{own_seeds}/{name}.csv"] = seed(run, mapped[each.column.name])
            files[f"{own_seeds}/{name}.yml"] = build_project_files.hierarchy_properties(
                request, [each]
            )
        else:
            files[f"{own_models}/{name}.sql"] = rule_model(
                run,
                request,
                [mapped[one.column.name] for one in (each, *others)],
                planned.opened.columns,
            )
            files[f"{own_models}/{name}.yml"] = build_project_files.hierarchy_properties(
                request, [each, *others]
            )
    regions: str | None = None
    if seed_of_boundaries is not None:
        own = boundary_files(run, request, planned, released, seed_of_boundaries)
        regions = own.regions
        files |= {f"{own_seeds}/{name}": text for name, text in own.seeds.items()}
        files |= {f"{own_models}/{name}": text for name, text in own.models.items()}
    kept = f"{models}/{request.release}.sql"
    files |= {
        f"{macros}/kanon_plan__{request.release}.sql": build_project_files.plan_macro(
            request,
            policy,
            plan,
            released,
            regions=regions,
            by_buckets=plan.recoding.at_one_node
            and _hash_as_they_compare(policy, released, planned.opened),
            keys=keys,
            source=request.relation.reference if missing else None,
        ),
        kept: build_project_files.release_model(request),
        f"{models}/{request.release}.yml": build_project_files.release_properties(
            request, policy, plan, released, keys=keys
        ),
        f"{dbt_project.tests}/kanon/{request.release}_source.sql": build_project_files.source_test(
            origin, policy
        ),
    }
    files |= key_files(request, keys, own_models)
    made_by = build_project_files.hash_of(plan, keys)
    tests = f"{dbt_project.tests}/kanon"
    files |= _files_that_count(request, policy, released, models, tests=tests, made_by=made_by)
    # An older version wrote hierarchies into the folders of the release.
    folders = (models, seeds, own_models, own_seeds, macros, f"{dbt_project.tests}/kanon")
    notes = (*notes_of_lost(plan), *notes_of_increments(request), *notes_of_joins(request))
    return DbtPlan(request.release, plan, files, kept, folders, notes)
