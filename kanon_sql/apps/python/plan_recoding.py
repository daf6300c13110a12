"""The public function `plan`, which chooses a recoding and writes no release, and the class `Release`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack, cast, overload

from kanon_sql.base.charts.chart import loss_text
from kanon_sql.base.documents.shown import Shown, ShownResult, flow
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import Origin
from kanon_sql.counting.plans.shown_plan import cost_of, shown_plan, suppressed_text
from kanon_sql.counting.run.arguments import ColumnRoles, checked
from kanon_sql.counting.run.inputs import NO_POLICY, chosen_destination, open_run
from kanon_sql.counting.run.session import ended_by_interrupt, session, was_interrupted
from kanon_sql.counting.source.column_problems import UNCLASSIFIED
from kanon_sql.counting.source.open_source import unused_missing
from kanon_sql.counting.source.open_view import open_as_view
from kanon_sql.counting.source.released_types import typed_rows
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.frames import from_relation, read_once, with_declared_orders
from kanon_sql.errors import Fault, InputError, KanonError, ReleaseError, SourceError
from kanon_sql.policy.model import Policy
from kanon_sql.recoding.planning.make_plan import make_plan
from kanon_sql.recoding.planning.open_plan import read_plan
from kanon_sql.recoding.recount import recount_line, shown_verification
from kanon_sql.recoding.second_look import SecondLook, examples_of_plan, look_again, other_columns
from kanon_sql.release.added_rows import AddedRows

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd  # type: ignore[import-untyped]  # a caller may have its stubs
    import polars as pl
    import pyarrow as pa  # type: ignore[import-untyped]
    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.plans.shown_plan import TextType
    from kanon_sql.counting.run.arguments import ColumnRoles, Names
    from kanon_sql.counting.run.inputs import Connection, Overrides, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.journal import Journal
    from kanon_sql.engines.local_files import OwnFolder
    from kanon_sql.engines.locations import Destination, Source
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.recoding.new_rows.boundaries import NewRows
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.recount import Verification
    from kanon_sql.release.added_rows import SeriesRows


@overload
def plan(
    policy: PolicyInput,
    source: TableInput | None = None,
    *,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | Plan | bool | None = None,
    portable: bool = False,
    examples: bool = False,
    frequency_set: str | None = None,
) -> Plan: ...
@overload
def plan(
    source: TableInput,
    /,
    *,
    quasi: Names,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    portable: bool = False,
    examples: bool = False,
    **columns: Unpack[ColumnRoles],
) -> Plan: ...
@checked
def plan(
    policy: PolicyInput | TableInput,
    source: TableInput | None = None,
    *,
    quasi: Names | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | Plan | bool | None = None,
    portable: bool = False,
    examples: bool = False,
    frequency_set: str | None = None,
    **columns: Unpack[ColumnRoles],
) -> Plan:
    """Choose a recoding; reads only.

    The plan has a hash of the source under the key of the environment (`KANON_SQL_PLAN_KEY`) or of the user on this
    machine, so that nobody else can test guesses of rows. Its file never has `examples`.

    Args:
        policy: The policy; with `quasi`, the frame, path or table.
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        overrides: Entries that replace those of the policy, such as `{'k': 10}`.
        boundaries: The file of the boundaries of regions and intervals; by default beside the plan's.
        progress: A function to call with the name of each step.
        resume: A plan whose search the time limit ended, to continue it; True as in `anonymize`.
        portable: Whether another engine may carry the plan out, for one more pass.
        examples: Whether the plan has a few labels and classes of at least k rows or people.
        frequency_set: The result of `frequency_query`, read instead of the source; the plan is then for
            `compile_sql` only.
        sensitive: Columns that nobody may learn about a person.
        keep: Other columns that are released as they are.
        drop: Columns that are not released.
        hierarchies: Hierarchies by column, as a policy has them; others are suggested.
        entity: The column whose people a class counts, or `row`; by default a key of people that repeats.
        k: The least rows, or people, of a class; by default 5, for health data 11.
        l: The least distinct values of each sensitive column in a class; by default 2 or 3.
        suppression: The most suppressed rows, as a number or a share; by default 1%.
        use: `'counts'`: values whose counts are close; `'means'`: for regressions; by default rows are true.

    Returns:
        The plan: a recoding with its figures, to be reviewed and carried out by `apply`.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read, or has a column without a role.
        InfeasibleError: Nothing satisfies the policy; the text says what would.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> plan = kanon_sql.plan(policy, people)
    >>> plan
    <Plan: 2 equivalence classes, smallest 2 rows; 0 of 4 rows suppressed; optimal: age 1 of 2>
    """
    resumed = None if resume is None or isinstance(resume, bool) else read_plan(resume)
    chosen, source = chosen_policy("plan", policy, source, quasi, columns, connection=connection)
    with ExitStack() as stack:
        run, frame = open_offering_run(
            stack,
            chosen,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=False,
            keeps_plan=True,
            frequency_set=frequency_set,
        )
        noted = check_policy_s_release(run, frame, connection)
        with ended_by_interrupt():
            planned = make_plan(
                run,
                frame=frame,
                to_keep=True,
                portable=portable,
                boundaries=boundaries,
                resumed=resumed,
                resume=resume is True,
            )
        shown, counts, looks = None, None, list[SecondLook]()
        if examples and not was_interrupted():
            shown, counts = examples_of_plan(run, planned, partial(_measure, looks))
            changes = tuple(each for look in looks for each in look.changes)
            shown = changed(shown, changes=changes, others=other_columns(run.policy))
        plan = planned.plan
        if quasi is not None:  # nobody has read the policy of the call
            noted = (*noted, *unused_missing(run, frame))
        folder = None if plan.cut_file is not None else _kept_in_process(run, planned)
        return changed(
            plan.with_simple_counts(counts),
            notes=(*plan.notes, *noted),
            remarks=(*plan.remarks, *(each for look in looks for each in look.lost)),
            examples=shown,
            run=run.engine.journal.summary(),
            origin=Origin(run.policy, frame, connection, settings, folder),
        )


def _kept_in_process(run: Session, planned: Planned) -> OwnFolder | None:
    """Keep the regions of a plan for an `apply` of the same process, which then does not search again."""
    if not planned.plan.recoding.in_regions:
        return None
    from kanon_sql.recoding.multidimensional.kept_cut import keep_in_process  # noqa: PLC0415  of Mondrian
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable  # noqa: PLC0415  of Mondrian

    cut = planned.cut
    return (
        keep_in_process(run, cut, planned.opened.rows)
        if isinstance(cut, PartitionedTable)
        else None
    )


def _measure(
    looks: list[SecondLook], run: Session, planned: Planned, staged: exp.Table, weight: str | None
) -> tuple[float, float, float] | None:
    """Measure simple counts of staged labels, and add to `looks` what the release does to each column."""
    from kanon_sql.evidence.release_quality.simple_counts import count_simply  # noqa: PLC0415  of examples

    looks.append(look_again(run, planned, staged, weight))
    return count_simply(run, planned, staged, weight)


def check_policy_s_release(
    run: Session, frame: object | None, connection: object | None
) -> tuple[str, ...]:
    """Check the policy's destination, and return a note if a release in place makes writers wait.

    Raises ReleaseError where the destination could never take the release.
    """
    if run.policy.source.frequency_set is not None:  # the release is made where the source is
        return ()
    named = run.policy.release is not None
    destination = chosen_destination(run.policy, None, must_publish=named and connection is None)
    if destination is None:
        return ()
    if run.policy.series is not None:
        from kanon_sql.release.series.ledger import check_series  # noqa: PLC0415  few policies have one

        check_series(run, run.policy.series, destination, {})
    from kanon_sql.release.publish_lake import publisher_of  # noqa: PLC0415  few plans have one

    publisher = publisher_of(run, destination, frame)
    publisher.check()
    waits = publisher.writers_wait
    return () if waits is None else (f"release.in_place: {waits}",)


FAMILIES_OF_FILES = {"text", "integer", "float"}
"""The families of types that a file may hold other values in: CSV all of them as texts, SPSS 37.0 as 37."""


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """The place to read a published release from: its file, or its table in the database of the run.

    `types` are those that the columns had; a file of texts has none.
    """

    source: Source
    columns: tuple[str, ...]
    types: Mapping[str, TextType]
    connection: object | None
    database: str | None
    settings: Settings | None

    def read(self, library: str) -> object:
        """Read the rows into a frame of a library. Raises SourceError where they are no longer there."""
        with ExitStack() as stack:
            engine = stack.enter_context(
                open_engine(self.connection, self.database, self.settings, writes=False)
            )
            run = stack.enter_context(session(engine, NO_POLICY))
            view = run.scratch.table("published")
            open_as_view(run, view, self.source, "")
            there = {each.name: each.family for each in engine.columns(view)}
            types = {
                name: of for name, of in self.types.items() if there[name] in FAMILIES_OF_FILES
            }
            if types:
                published, view = view, run.scratch.table("typed")
                run.see(view, typed_rows(view, published, self.columns, types))
            try:
                relation = engine.relation(view, self.columns)
            except ReleaseError:  # of an engine whose rows no frame library fetches
                what = f"was published; read it from {self.source.table}"
                raise ReleaseError("release", [Fault("", what)]) from None
            return from_relation(relation, library)


@dataclass(repr=False)
class Release(ShownResult):
    """A release with its plan and the recount that it passed.

    `place` is its path or table. Without a destination it is None, and `relation` returns the rows
    lazily until the release is closed or no longer referred to. `labelled` columns have labels of a
    hierarchy.
    """

    plan: Plan
    verification: Verification
    destination: Destination | None
    place: str | None
    columns: tuple[str, ...]
    journal: Journal
    _relation: object | None
    _held: ExitStack
    new: NewRows | AddedRows | SeriesRows | None = None
    _library: str = "pyarrow"
    _published: PublishedRows | None = None
    labelled: tuple[str, ...] = ()

    @property
    def relation(self) -> Any:  # noqa: ANN401  what the engine's own library gives
        """The released rows, if the release has no destination. Raises ReleaseError if it has, or was closed."""
        if self._relation is None:
            what = "was closed; read its rows before"
            if self.destination is not None:
                what = f"was published; read it from {self.place}"
            raise ReleaseError("release", [Fault("", what)])
        return self._relation

    def report(
        self,
        page: str | Path | None = None,
        *,
        title: str | None = None,
        search: bool | None = None,
        time_limit: float = 20.0,
    ) -> Report:
        """Report on the released rows as they are now, by the run's policy and source, and write `page`."""
        from kanon_sql.evidence.reports.make_report import report  # noqa: PLC0415  few releases are reported

        found = report(self, title=title, search=search, time_limit=time_limit)
        if page is not None:
            found.write(page)
        return found

    def verify(self) -> Verification:
        """Recount the released rows, as they are now, against the models of the run's policy.

        Raises InputError where the policy counts people by a column that is not released.
        """
        from kanon_sql.apps.python.verify_table import verify_release  # noqa: PLC0415  few are verified again

        return verify_release(self)

    def frame(self) -> Any:  # noqa: ANN401  a frame of any library
        """Read the released rows into memory: as a frame of the library of the source, else of Arrow."""
        return self._read(self._library)

    def to_pandas(self) -> pd.DataFrame:
        """Read the released rows into a DataFrame of pandas."""
        return self._read("pandas")

    def to_polars(self) -> pl.DataFrame:
        """Read the released rows into a DataFrame of polars."""
        found: pl.DataFrame = self._read("polars")
        return found

    def to_arrow(self) -> pa.Table:
        """Read the released rows into a Table of pyarrow."""
        return self._read("pyarrow")

    def _read(self, library: str) -> Any:  # noqa: ANN401  a frame of that library
        found = (
            from_relation(self.relation, library)
            if self._published is None
            else self._published.read(library)
        )
        origin = self.plan.origin
        frame = None if origin is None else origin.frame
        return found if frame is None else with_declared_orders(found, frame)

    @property
    def warnings(self) -> list[str]:
        """The warnings of the plan, of the recount and of an added partition, each once."""
        of_part = self.new.warning if isinstance(self.new, AddedRows) else None
        found = [*self.plan.warnings, *self.verification.warnings, *([of_part] if of_part else [])]
        return list(dict.fromkeys(found))

    @property
    def seconds(self) -> Mapping[str, float]:
        """The seconds that each step of the run took."""
        return self.journal.rounded_seconds()

    def close(self) -> None:
        """Drop the rows of `relation` from the database."""
        self._relation = None
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def _shown(self) -> Shown:
        held = "closed"
        if self._relation is not None:
            origin = self.plan.origin
            alone = origin is not None and origin.frame is not None and origin.connection is None
            held = (
                "in memory: to_pandas() reads it"
                if alone
                else "in the database, until it is closed"
            )
        place = held if self.place is None else self.place
        found, made = shown_verification(self.verification), shown_plan(self.plan)
        return Shown(
            f"{recount_line(self.verification)}; {place}",
            [
                ("released to", place),
                *found.facts,
                ("suppressed rows", suppressed_text(self.plan)),
                (loss_text(self.plan.metric), cost_of(self.plan)),
            ],
            [*made.tables, *found.tables],
            self.warnings,
            charts=[*made.charts, *found.charts],
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def summary(self) -> dict[str, object]:
        """Return the object that `anonymize --json` prints."""
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


def chosen_policy(
    call: str,
    policy: object,
    source: object,
    quasi: Names | None,
    columns: ColumnRoles,
    *,
    connection: object | None,
) -> tuple[PolicyInput, object]:
    """Return the policy and the source of a call; with a frame and lists of columns, the policy is made from these.

    Raises InputError for a call that is neither, and for columns that a call without a policy does not classify.
    """
    if quasi is None:
        _check_is_policy(call, policy, columns)
        return cast(
            "PolicyInput", Path(policy) if isinstance(policy, os.PathLike) else policy
        ), source
    from kanon_sql.apps.getting_started.suggest import policy_of_call  # noqa: PLC0415  most calls have a policy

    return policy_of_call(call, policy, source, quasi, columns, connection=connection)


def _check_is_policy(call: str, policy: object, columns: ColumnRoles) -> None:
    faults = []
    if not isinstance(policy, str | os.PathLike | Mapping | Policy):
        what = (
            f"must be a policy, and is a {type(policy).__name__}. Say which columns are what: "
            f"{call}(frame, quasi=['age', 'zip'], sensitive=['disease'], keep=[], drop=['name'], k=5); "
            f"or pass a policy, and the frame as the source: {call}(policy, frame)"
        )
        faults.append(Fault("policy", what))
    said = [name for name, value in columns.items() if value is not None]
    faults += [Fault(name, "goes with quasi=, in a call without a policy") for name in said]
    if faults:
        raise InputError(call, faults)


MOST_OFFERED = 100
"""The most columns without a role for which an error offers entries; for more, `init` writes a policy."""


def open_offering_run(
    stack: ExitStack,
    policy: PolicyInput,
    source: object,
    **options: Any,  # noqa: ANN401  those of `open_run`
) -> tuple[Session, object | None]:
    """Open a run whose errors for columns without a role offer an entry for each."""
    run, frame = open_run(stack, policy, source, **options)
    stack.push(lambda _, error, __: _offer(run, frame, error))
    return run, frame


def _offer(run: Session, frame: object | None, error: BaseException | None) -> None:
    if not isinstance(error, SourceError):
        return
    without = sum(fault.what == UNCLASSIFIED for fault in error.faults)
    if not 1 <= without <= MOST_OFFERED:
        return
    if frame is not None and read_once(frame):
        return
    try:
        offered = _entries(run, frame)
    except KanonError:  # the original error is raised then
        return
    faults = [
        Fault(fault.where, f"{UNCLASSIFIED}; add under columns: {offered[fault.where]}", fault.line)
        if fault.what == UNCLASSIFIED and fault.where in offered
        else fault
        for fault in error.faults
    ]
    raise SourceError(error.subject, faults) from None


def _entries(run: Session, frame: object | None) -> dict[str, str]:
    """Return a suggested entry for each column of the source, by the column's place in faults."""
    from kanon_sql.apps.getting_started.first_policy import inspect_open  # noqa: PLC0415  of an error
    from kanon_sql.apps.getting_started.init_source import InitSource  # noqa: PLC0415  of an error
    from kanon_sql.apps.getting_started.suggest import SuggestedPolicy  # noqa: PLC0415  of an error

    view = run.scratch.table("unclassified")
    if frame is None:
        open_as_view(run, view, run.policy.source, run.policy.base)
    else:
        run.scratch.is_view(view, view=run.engine.register(view, frame))
    found = SuggestedPolicy(inspect_open(InitSource(run, view, None, None), Path()).policy())
    return {
        f"columns.{name}": f"{flow(name)}: {flow({key: of for key, of in entry.items() if key != 'why'})}"
        for name, entry in found.entries.items()
    }
