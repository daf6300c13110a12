"""The public function `quality`: measures a release against its source, and compares it with its plan."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.mapping import map_columns
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import NO_POLICY, NamedTable, open_run, open_table
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.counting.source.released_types import as_in_source
from kanon_sql.engines.base import whole
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.frames import with_these_columns
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.release_quality import beside_source, coded_pairs
from kanon_sql.evidence.release_quality.beside_source import (
    column_penalties,
    covered_values,
    stage_beside_source,
    uncovered,
)
from kanon_sql.evidence.release_quality.measures import (
    BY_CLASSES_ALONE,
    LM,
    MEASURES,
    NCP,
    NO_HIERARCHIES,
    NO_INTERVALS,
    OF_CLASSES,
    PLAN_STATES,
    SEVERAL_NODES,
    ClassSums,
    Figures,
    Hidden,
    bits,
    column_certainties,
    column_losses,
    figures_of,
)
from kanon_sql.evidence.release_quality.simple_counts import (
    LabelledRelease,
    QueriedRelease,
    columns_of_dates,
    read_workload,
)
from kanon_sql.evidence.release_quality.two_columns import TablesBeside, numbers_kept
from kanon_sql.policy.metrics.registry import GCP
from kanon_sql.policy.metrics.statistics import rows_and_logarithm
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding.axes import measured_by
from kanon_sql.recoding.measured import ColumnQuality, Quality
from kanon_sql.recoding.planning.open_plan import name_plan, open_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, QueriesInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.release_quality.beside_source import Keys, ReleaseBesideSource
    from kanon_sql.evidence.release_quality.simple_counts import Workload
    from kanon_sql.recoding.measured import QueryErrors, TwoColumns
    from kanon_sql.recoding.planning.make_plan import Planned


LEFT_OUT = "the source has rows with NULL, which nulls: suppress leaves out of all hierarchies"
OF_ROWS = "the released values follow from the rows of a class, and are no labels of a hierarchy"
BY_ORDER = "the columns are cut by their order, and intervals have no levels of a hierarchy"


@dataclass(frozen=True, slots=True)
class Measurable:
    """A source, its release and the columns to compare; `mapped` has the hierarchies of labels, if known."""

    run: Session
    names: tuple[str, ...]
    source: exp.Table
    released: NamedTable
    keys: Keys
    k: int | None
    columns: Sequence[ColumnType]
    opened: OpenSource | None = None
    mapped: tuple[Mapped, ...] = ()
    plan: Plan | None = None
    planned: Planned | None = None
    alone: bool = True
    """False if `quality` is one part of a run; then a workload that cannot be estimated is no error."""

    @property
    def by_order(self) -> bool:
        """True if some labels are intervals of an order."""
        cuts = self.run.policy.search.options.by_order
        return any(cuts and each.column.order is not None for each in self.mapped)


@checked
def quality(
    release: TableInput,
    source: TableInput | None = None,
    *,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    quasi: Sequence[str] | None = None,
    k: int | None = None,
    class_column: str | None = None,
    workload: int = 0,
    seed: int = 0,
    queries: QueriesInput | None = None,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> Quality:
    """Measure a release against its source; reads only.

    With neither plan nor policy, metrics that need hierarchies, and queries, are not measured.

    Args:
        release: A path, a table's name, a frame, or a `Release`.
        source: The release's source; by default that of the plan or policy.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        quasi: Columns that somebody could know about a person.
        k: The k of C_AVG.
        class_column: The column that readers predict.
        workload: How many COUNT queries to draw.
        seed: The seed of the draw.
        queries: Your own: a list of mappings of columns to SQL conditions, or its YAML file.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        Every figure; None where it cannot be measured, with the reason.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> release = people.assign(age=["30-39", "30-39", "50-59", "50-59"])
    >>> found = kanon_sql.quality(release, people, quasi=["age"])
    >>> found.classes, found.columns[0].distinct_before, found.columns[0].distinct_after
    (2, 4, 2)
    """
    asked = read_workload(queries, workload, seed)
    if isinstance(stated := getattr(release, "plan", None), Plan):  # of a Release
        plan = stated if quasi is None and plan is None else plan
        release = release.to_arrow()  # type: ignore[attr-defined]
    with ExitStack() as stack:
        if plan is None and policy is None:
            _check(_bare_problems(source, quasi))
            engine = stack.enter_context(open_engine(connection, database, settings, writes=False))
            run = stack.enter_context(session(engine, NO_POLICY))
            measurable = _of_tables(run, release, source, quasi or (), k)
        else:
            _check(_planned_problems(quasi, k, database))
            measurable = _of_plan(
                stack, release, source, plan, policy, connection=connection, settings=settings
            )
        with measurable.run.engine.own_functions():
            return _measure(measurable, class_column, asked)


def _check(faults: Iterable[Fault]) -> None:
    if listed := dict.fromkeys(faults):
        raise InputError("quality", listed)


def _bare_problems(source: object, quasi: Sequence[str] | None) -> Iterator[Fault]:
    if source is None:
        yield Fault("source", "is missing: give it, or a plan or policy, which names its source")
    if not quasi:
        yield Fault("quasi", "say which columns others could know, or give a plan or policy")


def _planned_problems(
    quasi: Sequence[str] | None, k: int | None, database: str | None
) -> Iterator[Fault]:
    for option, value in (("quasi", quasi), ("k", k), ("database", database)):
        if value is not None:
            yield Fault(option, "is that of the plan or policy; leave it out")


def _of_tables(
    run: Session, release: object, source: object, quasi: Sequence[str], k: int | None
) -> Measurable:
    """Open a source and a release without plan or policy, given the names of their quasi-identifiers."""
    names, keys = tuple(dict.fromkeys(quasi)), tuple((n,) for n in dict.fromkeys(quasi))
    before = open_table(run, source, "source", "the source")
    released = open_table(run, release, "release", "the release")
    _check([*before.column_problems(names), *released.column_problems(names)])
    _check([] if k is None or k > 0 else [Fault("k", "must be at least 1")])
    return Measurable(run, names, before.table, released, keys, k, before.columns)


def _of_plan(
    stack: ExitStack,
    release: object,
    source: object,
    plan: str | Path | Plan | None,
    policy: PolicyInput | None,
    *,
    connection: object | None,
    settings: Settings | None,
) -> Measurable:
    """Open the source of a plan or policy, with its hierarchies, and a release of it."""
    named = None if plan is None else name_plan(plan, policy)
    given = policy if named is None else named.policy
    if given is None:
        raise InputError("quality", [Fault("policy", "is missing")])
    run, frame = open_run(
        stack,
        given,
        source,
        connection=connection,
        settings=settings,
        overrides=None if named is None else named.plan.overrides,
        writes=False,
        keeps_plan=named is not None and not named.unhashed,
    )
    if frame is not None:  # other columns of it are of no release
        frame = with_these_columns(frame, [each.name for each in run.policy.columns])
    planned = None
    if named is None:
        opened = open_source(run, frame)
        mapped = tuple(map_columns(run, opened))
    else:
        planned = open_plan(run, named, frame, to_read=True)
        opened, mapped = planned.opened, tuple(planned.mapped)
    released = open_table(run, release, "release", "the release")
    if named is not None:
        released = as_in_source(run, released, opened, named.plan.recoding)
    quasi = run.policy.quasi
    keys = tuple(each.released_as for each in quasi)
    _check(released.column_problems(name for parts in keys for name in parts))
    return Measurable(
        run,
        tuple(each.name for each in quasi),
        opened.source,
        released,
        keys,
        demands(run.policy.privacy)[0].class_size,
        opened.columns,
        opened,
        mapped,
        None if named is None else named.plan,
        planned,
    )


def _measure(of: Measurable, class_column: str | None, asked: Workload | None) -> Quality:
    run, released = of.run, of.released
    if class_column is not None:
        _check(released.column_problems([class_column]))
    before = None if asked is not None else _count_by_codes(of)
    if before is None:  # queries are on the texts of values
        own = tuple((name,) for name in of.names)
        before = _count(
            of, run.scratch.create("source_tuples", beside_source.classes, of.source, own)
        )
    classes = run.scratch.create("released_classes", beside_source.classes, released.table, of.keys)
    after = _count(of, classes)
    return measured_quality(of, before, after, classes, class_column=class_column, asked=asked)


def _count(of: Measurable, tuples: exp.Table) -> TableCounts:
    """Count tuples of texts, and the values of each column."""
    values = of.run.engine.fetch(beside_source.column_values(tuples, len(of.names)))
    counts = [(whole(n), logarithms) for _, n, logarithms in values]
    return TableCounts(_class_sums(of.run, tuples), counts, tuples)


def _count_by_codes(of: Measurable) -> TableCounts | None:
    """Count the source's tuples by numbers of its values, which takes half of the time of their texts.

    None where not every value of the source is numbered.
    """
    run, opened = of.run, of.opened
    if opened is None or opened.left_out or opened.counted is not None:
        return None
    rows, domains = opened.source_rows, [each.domain for each in of.mapped]
    values = run.engine.fetch(coded_pairs.domain_values(domains))
    counts = [(whole(n), logarithms) for _, n, logarithms in values]
    codes = [run.scratch.create("codes", coded_pairs.value_codes, each) for each in domains]
    named = list(zip(of.names, codes, strict=True))
    table = run.scratch.create(
        "source_tuples", coded_pairs.coded_tuples, of.source, named, rows=rows
    )
    pairs = None
    different = [n for n, _ in counts]
    if len(counts) > 1 and coded_pairs.pairs_are_few(different, rows):
        tuples = coded_pairs.numbered_tuples(table, codes)
        pairs = coded_pairs.count_pairs(run, tuples, different)
    return TableCounts(_class_sums(run, table), counts, table, codes, pairs)


@dataclass(frozen=True, slots=True)
class TableCounts:
    """Counts of a release's classes, or of a source's tuples, and of each column's values.

    `values` has for each column its number of distinct values, and the sum of n ln n over values with n rows. `tuples`
    is the table of classes or tuples, if there is one. Its keys are texts, or numbers by the tables `codes`, one a
    column. `coded` is the table of the row counts of each pair of such numbers, if there are not too many.
    """

    sums: ClassSums
    values: Sequence[tuple[int, object]]
    tuples: exp.Table | None = None
    codes: Sequence[exp.Table] = ()
    coded: exp.Table | None = None


def measured_quality(
    of: Measurable,
    before: TableCounts,
    after: TableCounts,
    classes: exp.Table,
    *,
    class_column: str | None = None,
    asked: Workload | None = None,
    by_classes: bool = False,
) -> Quality:
    """Measure a release by the counts of its source and of itself, and by the table of its classes.

    With `by_classes` neither table is read again, and DM*, which counts the source at a node, is left out. Where labels
    are of no hierarchy, the plan's own release is staged again beside its source, if `of` has the plan open. Raises
    InputError where the release has more rows than its source, or without `by_classes` queries cannot be estimated.
    """
    run, released = of.run, of.released
    source, found = before.sums, after.sums
    _check(_row_problems(source, found))
    majority = None
    if class_column is not None:
        statement = beside_source.majority(released.table, of.keys, class_column)
        majority = run.engine.fetch_count(statement)
    labelled = _labelled(of, classes, by_classes=by_classes)
    hidden: Hidden | str = labelled if isinstance(labelled, str) else _hidden(of, labelled, source)
    losses = OF_CLASSES if any(each.column.output.is_of_class for each in of.mapped) else hidden
    figures = figures_of(
        source,
        found,
        losses,
        k=of.k,
        majority=majority,
        of_persons=run.policy.entity is not None,
    )
    counted_by = replace(of, alone=False) if by_classes else of
    beside = staged_release(of)
    penalties: list[float] | None = None
    if of.planned is not None and beside is not None and found.rows == beside.rows:
        penalties = column_penalties(run, of.planned, beside)
        figures.add(NCP, source.rows * math.fsum(penalties))
        figures.add(GCP, math.fsum(penalties) / len(penalties))
    certainties: Sequence[float | None] | None = penalties
    if penalties is None and isinstance(labelled, str) and labelled in {BY_ORDER, OF_ROWS}:
        certainties = _penalties_of_labels(of, classes, source, found)
    queries, two_columns = counts_of_readers(
        counted_by,
        labelled,
        hidden,
        (before.tuples, classes),
        (source, found),
        asked=asked,
        beside=beside,
        codes=before.codes,
        coded=before.coded,
    )
    figures.add_two_columns(two_columns)
    measured = figures.ordered()
    return Quality(
        source.rows,
        found.rows,
        found.classes,
        found.smallest,
        of.k,
        measured,
        figures.reasons,
        tuple(
            _columns(
                of, (before, after), labelled, losses, figures=figures, certainties=certainties
            )
        ),
        queries,
        tuple(_differences(of.plan, source, found, measured)),
        numbers_kept(of),
    )


def _penalties_of_labels(
    of: Measurable, classes: exp.Table, source: ClassSums, released: ClassSums
) -> list[float | None]:
    """Return the mean NCP of each column's cells, None if labels do not show it. A suppressed cell's is 1."""
    cuts = of.run.policy.search.options.by_order
    suppressed = source.rows - released.rows
    found: list[float | None] = []
    for quasi, each in enumerate(of.mapped):
        bounds, order = len(each.column.released_as) > 1, measured_by(each)
        by_order = cuts and each.column.order is not None
        if each.column.output.is_of_rows or (by_order and order not in {"number", "date"}):
            found.append(None)
            continue
        if order is None or not by_order:
            every = range(each.hierarchy.height + 1)
            values = of.run.scratch.create("values", beside_source.values, each, every)
            statement = beside_source.penalty_of_covered(classes, quasi, values)
        else:
            statement = beside_source.penalty_of_intervals(
                classes, quasi, each.domain, order, bounds=bounds
            )
        ((penalty,),) = of.run.engine.fetch(statement)
        mean = (float(str(penalty)) + suppressed) / source.rows
        found.append(float(f"{mean:.9g}"))  # last digits differ by the order of rows
    return found


def _labelled(of: Measurable, classes: exp.Table, *, by_classes: bool) -> LabelledRelease | str:
    """Return the release with the hierarchies of its labels, or the reason why labels cannot be looked up."""
    if of.opened is None:
        return NO_HIERARCHIES
    if of.opened.left_out:
        return LEFT_OUT
    if of.by_order:
        return BY_ORDER
    if any(each.column.output.is_of_rows for each in of.mapped):
        return OF_ROWS
    return LabelledRelease(of.run, of.opened, of.mapped, classes, by_classes=by_classes)


def _hidden(of: Measurable, labelled: LabelledRelease, source: ClassSums) -> Hidden:
    return labelled.hidden(None if of.plan is None else of.plan.recoding, source)


def _class_sums(run: Session, classes: exp.Table) -> ClassSums:
    (sums,) = run.engine.fetch(beside_source.class_sums(classes))
    count, rows, smallest, squares, logarithms = sums
    summed = float(str(logarithms))
    return ClassSums(whole(count), whole(rows), whole(smallest), whole(squares), summed)


def _row_problems(source: ClassSums, released: ClassSums) -> Iterator[Fault]:
    if not source.rows:
        yield Fault("source", "has no rows")
    elif released.rows > source.rows:
        what = f"has {released.rows:,} rows, and its source {source.rows:,}: it is a release of other rows"
        yield Fault("release", what)


def _columns(
    of: Measurable,
    tables: tuple[TableCounts, TableCounts],
    labelled: LabelledRelease | str,
    hidden: Hidden | str,
    *,
    figures: Figures,
    certainties: Sequence[float | None] | None,
) -> Iterator[ColumnQuality]:
    """Measure each column: its values before and after, and its losses and errors if they are known."""
    count = len(of.names)
    sums = tables[0].sums, tables[1].sums
    nothing: list[float | None] = [None] * count
    losses, penalties = nothing, nothing if certainties is None else list(certainties)
    errors: list[tuple[int, float] | None] = [None] * count
    at_nodes = SEVERAL_NODES if isinstance(hidden, Hidden) and hidden.node is None else None
    if not isinstance(labelled, str) and isinstance(hidden, Hidden) and hidden.problem is None:
        losses = [*column_losses(*sums, hidden)]
        penalties = [*column_certainties(*sums, hidden)]
        if hidden.node is not None:
            errors = labelled.squared_errors(hidden.node)
    for at, name in enumerate(of.names):
        (before, before_logs), (after, after_logs) = (each.values[at] for each in tables)
        squared_rows, squared = errors[at] or (0, None)
        reason = (
            (figures.reasons.get(LM.key) or at_nodes or NO_INTERVALS) if squared is None else None
        )
        yield ColumnQuality(
            name,
            before,
            after,
            _entropy(sums[0].rows, before_logs),
            _entropy(sums[1].rows, after_logs),
            losses[at],
            penalties[at],
            squared,
            squared_rows,
            reason,
        )


def _entropy(rows: int, logarithms: object) -> float:
    """Return the entropy of a column in bits per row; `logarithms` sums n ln n over values with n rows."""
    return bits(rows_and_logarithm(rows) - float(str(logarithms)), rows)


def _differences(
    plan: Plan | None, source: ClassSums, released: ClassSums, measured: dict[str, float | None]
) -> Iterator[str]:
    """Yield a sentence for each count or metric that differs between the plan and the release."""
    if plan is None:
        return
    counts = {
        "suppressed rows": (plan.suppressed_rows, source.rows - released.rows),
        "classes": (plan.classes, released.classes),
    }
    for what, (stated, found) in counts.items():
        if stated != found:
            yield f"the release has {found:,} {what}, and its plan states {stated:,}"
    for measure in PLAN_STATES:
        value, states = measured[measure.key], plan.figures.get(measure.key)
        if value is None or states is None:
            continue
        if not math.isclose(value, states, rel_tol=1e-9, abs_tol=1e-9):
            title = MEASURES[measure.key].name
            yield f"{title} of the release is {value:.6g}, and its plan states {states:.6g}"


def counts_of_readers(
    of: Measurable,
    labelled: LabelledRelease | str,
    hidden: Hidden | str,
    tables: tuple[exp.Table | None, exp.Table],
    sums: tuple[ClassSums, ClassSums],
    *,
    asked: Workload | None,
    beside: ReleaseBesideSource | None,
    codes: Sequence[exp.Table] = (),
    coded: exp.Table | None = None,
) -> tuple[QueryErrors | None, TwoColumns | str]:
    """Measure the queries `asked` for, and two columns at a time; a text says why these are not measured.

    `tables` are the source's tuples, whose values may be numbered by `codes`, and the release's classes. `coded` is the
    table of the source's pairs of codes, if they were counted. Without a table of tuples nothing is measured. Raises
    InputError where queries are asked for and cannot be estimated, if the release is measured alone.
    """
    before, after = tables
    if before is None:
        return None, BY_CLASSES_ALONE
    values = _values_of_labels(of, labelled, hidden, beside)
    if isinstance(values, str):
        if asked is not None and of.alone:
            raise InputError("quality", [Fault("queries", f"cannot be estimated: {values}")])
        return None, values
    found = None
    if asked is not None:
        if codes:
            raise AssertionError("queries count tuples by the texts of their values")
        places = of.run.engine.fetch(beside_source.places(values))
        queried = QueriedRelease(of.run, of.mapped, values, before, after)
        found = queried.errors(asked, [whole(count) for _, count in places])
    rows, released = (each.rows for each in sums)
    dates = columns_of_dates(of.mapped)
    beside_it = TablesBeside(of.run, values, before, after, rows, released, codes, coded, dates)
    return found, beside_it.measure()


def _values_of_labels(
    of: Measurable,
    labelled: LabelledRelease | str,
    hidden: Hidden | str,
    beside: ReleaseBesideSource | None,
) -> Sequence[exp.Table] | str:
    """Return a table per column of its values and the labels that cover them, or why these are unknown.

    Labels of a hierarchy are looked up there, other labels in `beside`, the plan's own release that was staged again.
    """
    problem = hidden if isinstance(hidden, str) else hidden.problem
    problem = labelled if isinstance(labelled, str) else problem
    if of.planned is not None and beside is not None:
        why = uncovered(of.planned, by_order=of.by_order)
        return covered_values(of.run, of.planned, beside) if why is None else why
    if problem is not None or isinstance(labelled, str):
        return problem or ""
    levels = labelled.levels(None if of.plan is None else of.plan.recoding)
    return [
        of.run.scratch.create("values", beside_source.values, each, at)
        for each, at in zip(of.mapped, levels, strict=True)
    ]


def staged_release(of: Measurable) -> ReleaseBesideSource | None:
    """Stage the plan's own release beside its source; None if its labels can be looked up in hierarchies."""
    if of.planned is None or of.planned.opened.left_out:
        return None
    if of.by_order or any(each.column.output.is_of_rows for each in of.mapped):
        return stage_beside_source(of.run, of.planned)
    return None
