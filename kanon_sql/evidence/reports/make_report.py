"""The public function `report`, on a plan, whose rows it stages, or on a release of one. Reads only."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.counting.hierarchies.mapping import map_all
from kanon_sql.counting.lattice.encode import value_nodes_of
from kanon_sql.counting.plans.plan import Origin, Plan
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import NamedTable, open_run, open_table
from kanon_sql.counting.run.session import on_disk
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.counting.source.released_types import as_in_source
from kanon_sql.errors import Fault, InputError, SourceError, StalePlanError, VerificationError
from kanon_sql.evidence.explanation.explain_plan import cuts_at_other_k, search_around
from kanon_sql.evidence.reports.measure_report import Reported, measure_report
from kanon_sql.evidence.reports.report_values import ReportOf, SearchFigures, Section
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.policy_rules import entity_column, is_released
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.populations import population_of
from kanon_sql.policy.privacy.privacy_model import Distribution
from kanon_sql.recoding.planning.make_plan import Planned
from kanon_sql.recoding.planning.open_plan import check_plan, name_plan, open_plan, plan_problems
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.recount import recount_statement
from kanon_sql.recoding.staging_sql import hidden_entity
from kanon_sql.release.series.series_status import plan_of_series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.reports.report import Counted, Report
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.recoding.planning.open_plan import NamedPlan
    from kanon_sql.release.added_rows import SeriesStatus

MOST_SEARCHED = 1_000_000
"""The most rows of a source that is searched under other limits if the caller does not ask for it."""
SEARCH_TIME = 20.0
"""The default time limit of all these searches together, in seconds."""
PLANS = {".yml", ".yaml"}
WITHOUT_SOURCE = "a certificate is made without the source; kanon-sql report RELEASE --plan PLAN shows this where the source is at hand"
"""Why the page of a certificate has no figures of the source."""
OF_SERIES = "a release of a series has rows of several states of its source"
"""Why the report of such a release has no figures of the source."""


@checked
def report(
    release: TableInput,
    source: TableInput | None = None,
    *,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    title: str | None = None,
    search: bool | None = None,
    time_limit: float = SEARCH_TIME,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Report on a plan or a release of one: risk, class sizes, models, utility; reads only.

    Guarantee: its texts are names and released labels; values of the source are replaced by
    numbers. The rows of a plan are staged, and dropped again.

    Args:
        release: A plan, or a release: a path, a table's name, a frame, or a `Release`.
        source: The table; by default the policy's source.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        title: Its title.
        search: Whether to search under other limits; by default up to a million rows.
        time_limit: The most seconds of all searches.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The report: `to_html()`, `to_text()`, `write(path)`, `figures(folder)`.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.
        VerificationError: The columns, or the numbers of rows or classes of the release are not those of its plan.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> plan = kanon_sql.plan(policy, people)
    >>> found = kanon_sql.report(plan, people, policy=policy)
    >>> found.risk_before.unique_rows, found.risk.unique_rows
    (4, 0)
    """
    made = _as_plan(release)
    if made is None:
        stated = getattr(release, "plan", None)
        made = plan or (stated if isinstance(stated, Plan) else None)
        if made is None:
            what = "is missing: a release is reported with the plan that it was made by"
            raise InputError("report", [Fault("plan", what)])
        of = ReportOf.RELEASE
    elif plan is not None:
        raise InputError("report", [Fault("plan", "is the plan of a release, and a plan is given")])
    else:
        of = ReportOf.PLAN
    named = name_plan(made, policy)
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            named.policy,
            source,
            connection=connection,
            settings=settings,
            overrides=named.plan.overrides,
            progress=progress,
            writes=False,
            keeps_plan=named.plan.source_fingerprint is not None,
        )
        if of is ReportOf.PLAN:
            whole = open_plan(run, named, frame, to_read=True)
            planned: Planned | None = whole
            reported = staged_release(run, named, whole, _name(made))
        else:
            planned, why = (None, OF_SERIES) if run.policy.series else _opened(run, named, frame)
            reported = opened_release(run, named, planned, release, why)
        with run.engine.own_functions(), run.engine.journal.step("report"):
            found = measure_report(reported, all_tuples=search is True)
        if title is not None:
            about = replace(found.policy.about, title=title)
            found = replace(found, policy=replace(found.policy, about=about))
        return _with_search(run, found, planned, search=search, time_limit=time_limit)


def _as_plan(given: object) -> str | Path | Plan | None:
    """Return the argument if it is a plan or the path of a plan's file, else None."""
    if isinstance(given, Plan):
        return given
    if isinstance(given, str | Path) and Path(given).suffix.lower() in PLANS:
        return given
    return None


def _name(given: object) -> str:
    """Return the report's name for its subject: the path or table's name as given, or an empty text."""
    return str(given) if isinstance(given, str | Path) else ""


def staged_release(run: Session, named: NamedPlan, planned: Planned, name: str) -> Reported:
    """Stage the rows that a plan would release, in a scratch table."""
    staged = run.scratch.table("staged")
    with run.engine.journal.step("recode"):
        query = recode(run, planned, staged)
        with keys_in_session(run):
            run.engine.execute(query.staging)
    return Reported(
        run,
        replace(named.plan, entity=run.policy.entity),
        _digest(named.plan),
        ReportOf.PLAN,
        name or "plan",
        NamedTable("the release", staged, tuple(run.engine.columns(staged))),
        hidden_entity(run.policy) or run.policy.entity,
        planned.opened,
        planned.mapped,
        query.recounts(),
        files=(("Release", NOT_MADE), *_file_of_policy(named)),
    )


NOT_MADE = "not made yet: the report of the release has the hash of its file"


def files_of(named: NamedPlan, release: object) -> tuple[tuple[str, str], ...]:
    """Return the hashes of the release's and the policy's files, as `sha256sum` prints them.

    A folder has the hash of what `sha256sum` prints of its files. A release that is no local file has no such hash.
    """
    path = Path(on_disk(str(release))) if isinstance(release, str | Path) else None
    try:
        if path is not None and path.is_file():
            of_release = ("Release, SHA-256", f"{file_hash(path)}  {path.name}")
        elif path is not None and path.is_dir():
            files = sorted(
                each.relative_to(path).as_posix() for each in path.rglob("*") if each.is_file()
            )
            lines = "".join(f"{file_hash(path / each)}  ./{each}\n" for each in files)
            of_release = (
                "Release, SHA-256",
                f"{hashlib.sha256(lines.encode()).hexdigest()}  {OF_FOLDER}",
            )
        else:
            of_release = ("Release", NO_FILE)
    except OSError:
        of_release = ("Release", NO_FILE)
    return (of_release, *_file_of_policy(named))


OF_FOLDER = "find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
"""The command that prints the hash of a release's folder, inside it."""
NO_FILE = "not one file, so it has no hash here: its certificate has one of all rows, which kanon-sql verify compares"


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_of_policy(named: NamedPlan) -> Iterator[tuple[str, str]]:
    """Yield the name and the hash of the policy's file, if it is one."""
    policy = named.policy.policy if isinstance(named.policy, Origin) else named.policy
    if isinstance(policy, str | Path):
        with suppress(OSError, ValueError):
            yield "Policy, SHA-256", f"{file_hash(Path(policy))}  {Path(policy).name}"


def _digest(plan: Plan) -> str:
    return hashlib.sha256(plan.to_yaml().encode()).hexdigest()


def _opened(run: Session, named: NamedPlan, frame: object | None) -> tuple[Planned | None, str]:
    """Open the source of a release's plan, with its hierarchies; a text says why it cannot be read.

    Raises StalePlanError where the number of rows or a hierarchy changed; rows are not hashed.
    """
    check_plan(run, named)
    journal = run.engine.journal
    try:
        with journal.step("open"):
            opened = open_source(run, frame)
    except SourceError as error:
        return None, f"the source cannot be read: {error.faults[0].what if error.faults else error}"
    if opened.source_rows != named.plan.source_rows:
        what = (
            f"changed since the plan was made ({named.plan.source_rows:,} rows then, "
            f"{opened.source_rows:,} now): figures before and after would be of other rows"
        )
        raise StalePlanError("plan", [Fault("source", what)])
    with journal.step("hierarchies"):
        mapped, of_values = map_all(run, opened)
        opened = value_nodes_of(run.scratch, opened, of_values)
        if faults := plan_problems(run.policy, named.plan, [*mapped, *of_values]):
            raise StalePlanError("plan", faults)
    return Planned(named.plan, opened, tuple(mapped)), ""


def opened_release(
    run: Session, named: NamedPlan, planned: Planned | None, release: object, why: str
) -> Reported:
    """Open a release: a path, a table's name, a frame, or a `Release`. Raises InputError."""
    place = getattr(release, "place", None)
    if hasattr(release, "to_arrow") and hasattr(release, "verification"):
        release = release.to_arrow() if place is None else str(place)
    table = open_table(run, release, "release", "the release")
    of_series = None
    if run.policy.series is not None:
        check_plan(run, named)
        of_series = plan_of_series(run, named.plan)
    named_as = _name(release) or "release"
    found = released_table(run, named, planned, table, named_as, why, of_series=of_series)
    return replace(found, files=files_of(named, release))


def released_table(  # noqa: PLR0917  one release
    run: Session,
    named: NamedPlan,
    planned: Planned | None,
    table: NamedTable,
    name: str,
    why: str,
    *,
    of_series: tuple[SeriesStatus, Plan] | None = None,
) -> Reported:
    """Describe an open release for measuring; without a source in `planned`, `why` is the reason.

    A release `of_series` is compared with the plan that has the counts of the ledger.
    """
    policy = run.policy
    needed = [name for each in policy.columns if not each.is_dropped for name in each.released_as]
    if faults := list(table.column_problems(needed)):
        raise InputError("report", faults)
    if strange := sorted({each.name for each in table.columns} - set(needed)):
        raise VerificationError(
            f"{name} is not the release of its plan, which has no {joined(strange)}; nothing was written"
        )
    if planned is not None:
        table = as_in_source(run, table, planned.opened, named.plan.recoding)
    of = entity_column(policy)
    entity = of.name if of is not None and is_released(of) else None
    series, plan = (None, named.plan) if of_series is None else of_series
    return Reported(
        run,
        replace(plan, entity=policy.entity),
        _digest(named.plan),
        ReportOf.RELEASE,
        name,
        table,
        entity,
        None if planned is None else planned.opened,
        () if planned is None else planned.mapped,
        _recounts(run, planned, table, entity),
        why,
        series,
    )


def report_without_source(
    run: Session,
    named: NamedPlan,
    table: NamedTable,
    name: str,
    of_series: tuple[SeriesStatus, Plan] | None = None,
    *,
    counted_before: Counted,
) -> Report:
    """Measure an open release, and leave out the sections that need its source.

    Unique rows are not counted: the caller, a certificate, counts them itself, as it did what was `counted_before`.
    """
    why = WITHOUT_SOURCE if of_series is None else OF_SERIES
    opened = released_table(run, named, None, table, name, why, of_series=of_series)
    found = measure_report(replace(opened, counted_before=counted_before), unique=False)
    return replace(found, left_out={**found.left_out, Section.SEARCH: why, Section.LATTICE: why})


def _recounts(
    run: Session, planned: Planned | None, table: NamedTable, entity: str | None
) -> Sequence[tuple[Demand, Statement]]:
    """Return the statements that recount the models' requirements, as far as release and source show them."""
    policy = run.policy
    demanded: Sequence[Demand] = demands(policy.privacy)
    if policy.entity is not None and entity is None:
        if policy.signature:  # rows do not show which classes there are
            return ()
        demanded = [each for demand in demanded if (each := _of_values(demand)) is not None]
    needed = [each for demand in demanded for each in demand.recounted]
    compares = any(each.measure.distribution is not Distribution.NONE for each in needed)
    if compares and planned is None:
        return ()
    if policy.nulls is Nulls.WILDCARD or population_of(policy.privacy) is not None:
        return ()
    opened = None if planned is None else planned.opened
    found = []
    for demand in demanded:
        quasi = [
            name
            for each in policy.quasi
            if not demand.columns or each.name in demand.columns
            for name in each.released_as
        ]
        statement = recount_statement(
            table.table,
            [*quasi, *demand.beside],
            demand.recounted,
            entity=entity,
            signature=policy.signature,
            source=None if opened is None else opened.source,
            of_source=policy.entity,
            nodes={} if opened is None else opened.nodes,
        )
        found.append((demand, statement))
    return found


def _of_values(demand: Demand) -> Demand | None:
    """Keep the requirements on a class's number of distinct sensitive values; None if there are none.

    The class size stays first, because a recount starts with it; without people it counts rows.
    """
    size, *others = demand.requirements
    kept = [
        each
        for each in others
        if each.measure.sensitive is not None and each.measure.distribution is Distribution.NONE
    ]
    return replace(demand, requirements=(size, *kept), of_release=()) if kept else None


def _with_search(
    run: Session, found: Report, planned: Planned | None, *, search: bool | None, time_limit: float
) -> Report:
    """Add the search results under other limits, or the reason why there are none to `left_out`."""
    why = None
    if planned is None:
        why = found.left_out.get(Section.RISK_BEFORE, "the source was not read")
    elif search is False:
        why = "it was not asked for"
    elif search is None and found.plan.source_rows > MOST_SEARCHED:
        why = f"the source has more than {MOST_SEARCHED:,} rows; --search searches it all the same"
    left_out = dict(found.left_out)
    if planned is None or why is not None:
        left_out |= {Section.SEARCH: why or "", Section.LATTICE: why or ""}
        return replace(found, left_out=left_out)
    if not found.plan.recoding.nodes:
        cuts = cuts_at_other_k(run, planned, time_limit=time_limit, all_k=search is True)
        left_out[Section.LATTICE] = f"{found.plan.algorithm} searches no lattice of nodes"
        if len(cuts) < 2:
            left_out[Section.SEARCH] = "no search under another k ended in time"
        return replace(found, cuts=cuts, left_out=left_out)
    figures = SearchFigures(*search_around(run, planned, time_limit=time_limit))
    return replace(found, search=figures)
