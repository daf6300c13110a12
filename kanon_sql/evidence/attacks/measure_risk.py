"""The public function `risk`: measures the re-identification risks of any table by its quasi-identifiers. Reads only.

Its result has figures by rows, persons and signatures, of a table and its release, as text and JSON.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.base.documents.text import clause
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import (
    NO_POLICY,
    NamedTable,
    open_run,
    open_table,
    suppressed_text,
)
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.column_problems import tagged_type_problems, types_apart
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.engines.base import whole
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.privacy.population_uniques import estimate_uniques
from kanon_sql.policy.privacy.risks import (
    THRESHOLDS,
    RiskFigures,
    SizeCount,
    attacker_risk,
    marketer_risk,
    risk_figures,
    risks_chart,
)
from kanon_sql.recoding import measured
from kanon_sql.recoding.planning.make_plan import make_plan
from kanon_sql.recoding.planning.open_plan import name_plan, open_plan
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.staging_sql import hidden_entity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.policy.privacy.population_uniques import PopulationUniques
    from kanon_sql.recoding.planning.make_plan import Planned


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A table to measure: its name in messages, its scratch name, its quasi-identifiers, its column of persons.

    `suppressed_before` counts the rows that were left out by their label; None where no such label is named.
    """

    name: str
    table: exp.Table
    quasi: tuple[str, ...]
    entity: str | None
    suppressed_before: int | None = None


def staged_plan(
    stack: ExitStack,
    plan: str | Path | Plan,
    policy: PolicyInput | None,
    source: object,
    *,
    connection: object | None,
    settings: Settings | None,
    progress: Callable[[str], None] | None,
) -> tuple[Session, MeasuredTable, MeasuredTable]:
    """Open a run on a plan's source, and stage the rows as the plan recodes them.

    Returns the run, the source and the staged release. Raises StalePlanError.
    """
    named = name_plan(plan, policy)
    run, frame = open_run(
        stack,
        named.policy,
        source,
        connection=connection,
        settings=settings,
        overrides=named.plan.overrides,
        progress=progress,
        writes=False,
        keeps_plan=not named.unhashed,
    )
    return run, *_staged(run, open_plan(run, named, frame, to_read=True))


def opened_policy(
    stack: ExitStack,
    policy: PolicyInput,
    source: object,
    *,
    release: object | None,
    connection: object | None,
    settings: Settings | None,
    progress: Callable[[str], None] | None,
) -> tuple[Session, MeasuredTable, MeasuredTable]:
    """Open a run on a policy's source, and open its `release`, or without one make a plan and stage its rows.

    Returns the run, the source and the release. Raises InfeasibleError where nothing satisfies the policy.
    """
    run, frame = open_run(
        stack,
        policy,
        source,
        connection=connection,
        settings=settings,
        progress=progress,
        writes=False,
    )
    if release is None:
        return run, *_staged(run, make_plan(run, frame=frame))
    opened = open_source(run, frame)
    made = open_table(run, release, "release").table
    there = {column.name for column in run.engine.columns(made)}
    quasi = tuple(name for column in run.policy.quasi for name in column.released_as)
    entity = run.policy.entity if run.policy.entity in there else None
    name = str(release) if isinstance(release, str | Path) else "release"
    return run, _before(run, opened.table), MeasuredTable(name, made, quasi, entity)


def _before(run: Session, source: exp.Table) -> MeasuredTable:
    quasi = tuple(column.name for column in run.policy.quasi)
    return MeasuredTable("source", source, quasi, run.policy.entity)


def _staged(run: Session, planned: Planned) -> tuple[MeasuredTable, MeasuredTable]:
    """Stage the rows as a plan recodes them; return the source and the staged release."""
    staged = run.scratch.table("staged")
    with run.engine.journal.step("recode"):
        query = recode(run, planned, staged)
        with keys_in_session(run):
            run.engine.execute(query.staging)
    entity = hidden_entity(run.policy) or run.policy.entity
    released = MeasuredTable("release", staged, tuple(query.quasi), entity)
    return _before(run, planned.opened.table), released


@checked
def risk(
    source: TableInput | None = None,
    *,
    quasi: Sequence[str] = (),
    entity: str | None = None,
    population: TableInput | None = None,
    release: TableInput | None = None,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    thresholds: Sequence[str] | Sequence[float] = THRESHOLDS,
    sampling: float | None = None,
    suppressed_label: str | None = None,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> Risk:
    """Measure the re-identification risks of a table over its quasi-identifiers; reads only.

    NULL is a value. The prosecutor's risk follows from the size of a class in the table, the journalist's and the
    marketer's from its size in the `population`, by default the table: the worst case. A `release`,
    or the rows that a `plan` would release, are measured beside it, not against the population. For
    a policy alone a plan is made.

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        entity: The column of people, by whom figures are given, too.
        population: A table with the same columns that holds these rows, too.
        release: A release of the table.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        thresholds: Probabilities such as 0.2 or "1/3".
        sampling: The table's share of the population, to estimate its unique rows.
        suppressed_label: The label of suppressed rows, which are then in no class but counted apart.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The figures of the table, and of a release as its `released`.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.
        InfeasibleError: Nothing satisfies the policy; the text says what would.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> found = kanon_sql.risk(people, quasi=["age"])
    >>> found.unique_rows, found.prosecutor.highest
    (4, 1.0)
    """
    bounds = _read_thresholds(thresholds)
    of = getattr(source, "plan", None)
    if isinstance(of, Plan):  # of a Release
        if of.origin is not None and not quasi:
            quasi = [name for each in of.origin.policy.quasi for name in each.released_as]
        source = source.to_arrow()  # type: ignore[union-attr]
    _check_arguments(
        quasi,
        sampling,
        by_policy=plan is not None or policy is not None,
        entity=entity,
        release=None if plan is None else release,
        database=database,
        suppressed_label=suppressed_label,
    )
    after: MeasuredTable | None
    with ExitStack() as stack:
        if plan is not None:
            run, table, after = staged_plan(
                stack,
                plan,
                policy,
                source,
                connection=connection,
                settings=settings,
                progress=progress,
            )
        elif policy is not None:
            run, table, after = opened_policy(
                stack,
                policy,
                source,
                release=release,
                connection=connection,
                settings=settings,
                progress=progress,
            )
            table, after = _checked(run, table), _checked(run, after)
        else:
            run = stack.enter_context(opened_engine(database, connection, settings, progress))
            quasi = tuple(dict.fromkeys(quasi))
            table = _open(run, source, "risk", quasi, entity)
            after = _open_beside(run, release, "release", table)
            if suppressed_label is not None:
                table = _not_suppressed(run, table, suppressed_label)
                after = None if after is None else _not_suppressed(run, after, suppressed_label)
        people = _open_beside(run, population, "population", table)
        if people is not None:
            _check_types(run, table, people)
        with run.engine.own_functions(), run.engine.journal.step("risk"):
            found = _measured(run, table, bounds, sampling)
            if people is not None:
                found = _among(run, found, table, people, bounds)
            if after is None:
                return found
            return replace(found, released=_measured(run, after, bounds, sampling))


@contextmanager
def opened_engine(
    database: str | None,
    connection: object | None,
    settings: Settings | None,
    progress: Callable[[str], None] | None,
) -> Iterator[Session]:
    """Open a read-only run without a policy."""
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
        engine.journal.on_step = progress
        yield stack.enter_context(session(engine, NO_POLICY))


def _check_arguments(
    quasi: Sequence[str], sampling: float | None, *, by_policy: bool, **stated: object
) -> None:
    """Raise InputError for quasi-identifiers that are missing, or `stated` beside a policy that has them."""
    faults = []
    if by_policy:
        what = "goes without a plan or a policy, which states it"
        faults += [Fault(name, what) for name, value in {"quasi": quasi, **stated}.items() if value]
    elif not quasi:
        faults.append(Fault("quasi", "name at least one quasi-identifier"))
    if sampling is not None and not 0 < sampling <= 1:
        what = "is the share of the population that is in the table: above 0 and at most 1"
        faults.append(Fault("sampling", what))
    if faults:
        raise InputError("risk", faults)


def _read_thresholds(thresholds: Sequence[str] | Sequence[float]) -> dict[str, Fraction]:
    """Read probabilities exactly as they are written: 0.1 is a tenth, and 1/3 a third."""
    read: dict[str, Fraction] = {}
    for each in thresholds:
        try:
            read[str(each)] = Fraction(str(each))
        except (ValueError, ZeroDivisionError):
            read[str(each)] = Fraction(0)
    if not read or not all(0 < bound <= 1 for bound in read.values()):
        what = "must be probabilities above 0 and at most 1, such as 0.2 or 1/3"
        raise InputError("risk", [Fault("thresholds", what)])
    return read


def _open(
    run: Session, given: object, called: str, quasi: tuple[str, ...], entity: str | None
) -> MeasuredTable:
    """Open a table; raises InputError where columns are missing, or rows have no person."""
    name = str(given) if isinstance(given, str | Path) else called
    return _checked(
        run, MeasuredTable(name, open_table(run, given, "counted").table, quasi, entity)
    )


def _open_beside(
    run: Session, given: object | None, called: str, table: MeasuredTable
) -> MeasuredTable | None:
    """Open a second table with the columns of `table`; its rows are counted if it lacks the entity's column."""
    if given is None:
        return None
    view = open_table(run, given, called).table
    there = {column.name for column in run.engine.columns(view)}
    name = str(given) if isinstance(given, str | Path) else called
    entity = table.entity if table.entity in there else None
    return _checked(run, MeasuredTable(name, view, table.quasi, entity))


def _check_types(run: Session, table: MeasuredTable, population: MeasuredTable) -> None:
    """Raise InputError where values of the population may be equal to those of the table, and their texts are not."""
    ours, theirs = (run.engine.columns(each.table) for each in (table, population))
    faults = [
        Fault(
            name,
            f"is of type {own} in the table and {other} in the population: values are compared by their texts; "
            "cast one of the two",
        )
        for name, own, other in types_apart(ours, theirs, table.quasi)
    ]
    if faults:
        raise InputError("population", faults)


def _not_suppressed(run: Session, opened: MeasuredTable, label: str) -> MeasuredTable:
    named = NamedTable(opened.name, opened.table, ())
    kept, left_out = named.without_suppressed(run, opened.quasi, label)
    return replace(opened, table=kept.table, suppressed_before=left_out)


def _checked(run: Session, opened: MeasuredTable) -> MeasuredTable:
    columns, entity = run.engine.columns(opened.table), opened.entity
    there = {column.name for column in columns}
    named = [*opened.quasi, *([entity] if entity is not None else [])]
    faults = [Fault(each, "is not a column of the table") for each in named if each not in there]
    faults += tagged_type_problems(columns, named)
    if not faults and entity is not None:
        missing = run.engine.fetch_count(source_sql.count_missing(opened.table, entity, rows=0))
        if missing:
            what = f"{clause(missing, 'row', f'have no {entity}')}, so the person cannot be counted"
            faults.append(Fault("entity", what))
    if faults:
        raise InputError(opened.name, faults)
    return opened


def _measured(
    run: Session,
    opened: MeasuredTable,
    bounds: Mapping[str, Fraction],
    sampling: float | None,
) -> Risk:
    quasi = opened.quasi
    sizes = _sizes(run, measured.class_histogram(opened.table, quasi))
    if not sizes:
        left_out = " but suppressed ones" if opened.suppressed_before else ""
        raise InputError(opened.name, [Fault("", f"has no rows{left_out}")])
    by_rows = risk_figures(sizes, bounds)
    own = {each.name: getattr(by_rows, each.name) for each in fields(RiskFigures)}
    found = Risk(**own, qi=quasi, suppressed_before=opened.suppressed_before)
    if sampling is not None:
        classes = {each.size: each.classes for each in sizes}
        found = replace(found, population_uniques=estimate_uniques(classes, sampling))
    if opened.entity is None:
        return found
    persons = measured.class_histogram(opened.table, quasi, entity=opened.entity)
    signatures = measured.signature_histogram(opened.table, quasi, opened.entity)
    return replace(
        found,
        entity=risk_figures(_sizes(run, persons), bounds),
        signature=risk_figures(_sizes(run, signatures), bounds),
    )


def _among(
    run: Session,
    found: Risk,
    opened: MeasuredTable,
    population: MeasuredTable,
    bounds: Mapping[str, Fraction],
) -> Risk:
    """Return the figures with the journalist's and the marketer's risks by a population.

    By persons, the population's persons are counted if it has the entity's column, else its rows. Signatures are
    not matched with the population: their figures stay those of the worst case.
    """

    def in_population(entity: str | None) -> tuple[list[SizeCount], int]:
        """Count the classes by size in the population, and the rows of classes that are smaller there."""
        statement = measured.population_histogram(
            opened.table,
            population.table,
            found.qi,
            entity=entity,
            population_entity=None if entity is None else population.entity,
        )
        rows = [tuple(map(whole, row)) for row in run.engine.fetch(statement)]
        return [SizeCount(*row[:3]) for row in rows], sum(row[3] for row in rows)

    sizes, missed = in_population(None)
    persons = found.entity
    if persons is not None:
        counted, _ = in_population(opened.entity)
        persons = replace(
            persons,
            journalist=attacker_risk(counted, bounds),
            marketer=marketer_risk(counted, bounds),
        )
    return replace(
        found,
        journalist=attacker_risk(sizes, bounds),
        marketer=marketer_risk(sizes, bounds),
        population_rows=run.engine.fetch_count(source_sql.count_rows(population.table)),
        missed_rows=missed,
        entity=persons,
    )


def _sizes(run: Session, statement: Statement) -> list[SizeCount]:
    return [SizeCount(*map(whole, row)) for row in run.engine.fetch(statement)]


@dataclass(frozen=True, slots=True, repr=False)
class Risk(ShownResult, RiskFigures):
    """The re-identification risks of a table by rows and, where a person can have several rows, by persons.

    In `signature` a class is the persons with the same rows. `missed_rows` are in classes with fewer members in the
    population than in the table; no figure counts `suppressed_before`.
    """

    qi: tuple[str, ...]
    population_rows: int | None = None
    missed_rows: int | None = None
    population_uniques: PopulationUniques | None = None
    entity: RiskFigures | None = None
    signature: RiskFigures | None = None
    released: Risk | None = None
    suppressed_before: int | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Describe where figures by rows hide a risk, where the population lacks rows, and rows suppressed before."""
        found = []
        if self.suppressed_before:
            found.append(suppressed_text(self.suppressed_before))
        if self.missed_rows:
            found.append(
                f"{self.missed_rows:,} of {self.rows:,} rows are in classes with fewer members in the population "
                f"than in the table; their class has the table's size: does the population hold the table?"
            )
        if self.entity is not None and self.signature is not None:
            risks = [
                (name, each.prosecutor)
                for name, each in (("person", self.entity), ("signature", self.signature))
                if each.prosecutor != self.prosecutor
            ]
            if risks:
                others = ", ".join(
                    f"{risk.highest:.4f} highest and {risk.average:.4f} on average by {name}"
                    for name, risk in risks
                )
                found.append(
                    "rows are not people: the prosecutor's risk is "
                    f"{self.prosecutor.highest:.4f} highest and {self.prosecutor.average:.4f} on average by row, "
                    f"but {others}"
                )
        after = () if self.released is None else self.released.warnings
        return (*found, *(f"release: {each}" for each in after))

    def _shown(self) -> Shown:
        counted_by = {"row": self, "person": self.entity, "signature": self.signature}
        tables = {"the table": counted_by}
        if (after := self.released) is not None:
            tables["the release"] = {"row": after, "person": after.entity, "signature": after.signature}  # fmt: skip
        rows: list[list[object]] = [
            [table, by, of.rows, of.classes, of.unique_rows, of.prosecutor.highest]
            + [each.average for each in (of.prosecutor, of.journalist, of.marketer)]
            for table, figures in tables.items()
            for by, of in figures.items()
            if of is not None
        ]
        headings = ["of", "by", "rows", "classes", "unique rows", "highest risk"]
        averages = ["average: prosecutor", "journalist", "marketer"]
        return Shown(
            f"{self.rows:,} rows, {self.text}",
            [("quasi-identifiers", ", ".join(self.qi))],
            [ShownTable([*headings, *averages], rows)],
            self.warnings,
            charts=[risks_chart(self, self.released)] if self.rows else [],
        )

    def summary(self) -> dict[str, object]:
        """Return the document that `risk --json` prints."""
        found = {"qi": list(self.qi), **RiskFigures.summary(self)}  # with slots, super() fails here
        if self.population_rows is not None:
            found["population_rows"] = self.population_rows
            found["missed_rows"] = self.missed_rows
        if self.population_uniques is not None:
            found["population_uniques"] = self.population_uniques.document()
        if self.suppressed_before is not None:
            found["suppressed_before"] = self.suppressed_before
        for name in ("entity", "signature"):
            if (figures := getattr(self, name)) is not None:
                found[name] = figures.summary()
        if self.released is not None:
            found["released"] = self.released.summary()
        return {**found, "warnings": list(self.warnings)}
