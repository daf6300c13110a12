"""Measures a release for a report: a pass over its rows, one over the source's, the rest from classes.

Guarantee: the release has the rows and classes of its plan, or there is no report; every text is a name, or a label of
a released class. Cost: a GROUP BY of the release and one of the source, one more of the release for each sensitive
column and for the models that read such columns, and a scan of each quasi-identifier of the source for its hierarchy.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import field, replace
from importlib.metadata import version
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.recodings import column_texts, levels_used
from kanon_sql.counting.source.person_keys import unique_counts
from kanon_sql.engines.base import whole
from kanon_sql.errors import Fault, StalePlanError, VerificationError
from kanon_sql.evidence.release_quality import beside_source, coded_pairs
from kanon_sql.evidence.release_quality.beside_source import values_of_labels
from kanon_sql.evidence.release_quality.coded_pairs import (
    CodedTuples,
    count_pairs,
    numbered_tuples,
    pairs_are_few,
)
from kanon_sql.evidence.release_quality.measure_release import (
    Measurable,
    TableCounts,
    measured_quality,
)
from kanon_sql.evidence.release_quality.measures import ClassSums
from kanon_sql.evidence.release_quality.small_tables import tables_of_release
from kanon_sql.evidence.reports import report_values
from kanon_sql.evidence.reports.report import Counted, Report, measured_models
from kanon_sql.evidence.reports.report_values import (
    Correlation,
    LabelPair,
    LabelPairs,
    LabelRows,
    LabelTree,
    MeasuredModel,
    ReportedColumn,
    ReportOf,
    Section,
    TreeLabel,
    label_text,
    node_text,
    sensitive_spreads,
    without_values,
)
from kanon_sql.policy.metrics.statistics import rows_and_logarithm
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.policy_rules import linking_columns
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import BOUNDS, CountedBy, SizeCount, risk_figures, size_counts
from kanon_sql.policy.safe_harbor import standard_remarks
from kanon_sql.recoding import measured
from kanon_sql.recoding.linked_rows import (
    count_linked,
    count_unique,
    notes_of_release,
    warnings_of_plan,
)
from kanon_sql.recoding.planning.make_plan import Planned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import NamedTable
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.exposed_rows import UniqueOverAll
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.evidence.release_quality.small_tables import BandTable
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.recoding.measured import Quality
    from kanon_sql.release.added_rows import SeriesStatus


MOST_LABELS, MOST_PAIRS, MOST_TREE_NODES = 40, 400, 60
"""The most labels of a column, pairs of labels, and nodes of one level of a hierarchy that are listed."""
MOST_CORRELATED = 8
"""The most quasi-identifiers whose pairs are compared: they have 28 pairs."""
MOST_TUPLES = 1_000_000
"""The most rows of a source whose tuples are kept by default; columns' pairs are counted from these."""
NO_SOURCE = "the source was not read"


@dataclass(frozen=True, slots=True)
class Reported:
    """A release to measure, with its plan, and with its source and hierarchies if they are open.

    `entity` is the release's column of persons, if it has one. `recounts` are the statements that count the models'
    requirements, `no_source` is the reason why there is no source. The plan of a `series` has the counts of its ledger.
    `counted_before` has what the caller has counted of the same rows.
    """

    run: Session
    plan: Plan
    plan_digest: str
    of: ReportOf
    name: str
    released: NamedTable
    entity: str | None
    opened: OpenSource | None = None
    mapped: tuple[Mapped, ...] = ()
    recounts: Sequence[tuple[Demand, Statement]] = ()
    no_source: str = NO_SOURCE
    series: SeriesStatus | None = None
    counted_before: Counted | None = None
    files: tuple[tuple[str, str], ...] = ()

    @property
    def keys(self) -> report_values.Keys:
        """The released columns of each quasi-identifier."""
        return tuple(each.released_as for each in self.run.policy.quasi)

    @property
    def counted(self) -> CountedBy:
        """The unit of class sizes: persons if the release has a column of them, else rows."""
        return CountedBy.ROWS if self.entity is None else CountedBy.PERSONS


@dataclass(slots=True)
class _Measuring:
    """The counts of both tables, and the reasons for sections that were left out of the report.

    `after` is the table of the release's classes, `before` that of the source's tuples, if one was created.
    """

    of: Reported
    after: exp.Table
    counted: TableCounts
    before: exp.Table | None = None
    counted_before: TableCounts | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def run(self) -> Session:
        return self.of.run


def measure_report(of: Reported, *, all_tuples: bool = False, unique: bool = True) -> Report:
    """Measure a release. Raises VerificationError where its rows or classes are not those of its plan.

    With `all_tuples` the tuples of a source of any size are kept for the correlations. `unique` says whether to count
    the rows that are unique over all released columns.
    """
    run, policy = of.run, of.run.policy
    after = run.scratch.create(
        "released_classes", report_values.classes, of.released.table, of.keys, entity=of.entity
    )
    found = _fetch_sizes(run, report_values.class_sizes(after))
    sizes = found.sizes
    _check_release(of, sizes)
    values = run.engine.fetch(beside_source.column_values(after, len(policy.quasi)))
    counted = TableCounts(found.sums, [(whole(n), logs) for _, n, logs in values], after)
    at = _Measuring(of, after, counted)
    sizes_before = _count_source(at, all_tuples=all_tuples)
    if sizes_before is None:
        for each in (Section.RISK_BEFORE, Section.UTILITY, Section.DISTRIBUTIONS, Section.TREES):
            at.left_out[each] = of.no_source
    if not policy.with_role(Role.SENSITIVE):
        at.left_out[Section.SENSITIVE] = "the policy has no sensitive column"
    if policy.signature and of.entity is not None:
        sizes, sizes_before = _by_signature(of)
    columns = tuple(_columns(at))
    unique_rows = count_unique(run, of.released.table, rows=counted.sums.rows) if unique else None
    report = Report(
        of=of.of,
        name=of.name,
        made_by=version("kanon-sql"),
        engine=run.engine.version,
        policy=policy,
        plan=of.plan,
        counted=of.counted,
        sizes=tuple(sizes),
        sizes_before=None if sizes_before is None else tuple(sizes_before),
        risk=risk_figures(sizes, BOUNDS),
        risk_before=None if sizes_before is None else risk_figures(sizes_before, BOUNDS),
        models=_models(at, sizes),
        columns=columns,
        quality=_quality(at, all_rows=all_tuples),
        sensitive=sensitive_spreads(run, of.released.table, of.keys),
        correlations=tuple(_correlations(at)),
        pairs=_pairs(at),
        trees=tuple(_trees(at)),
        search=None,
        series=of.series,
        plan_digest=of.plan_digest,
        small=tuple(_small_tables(at, all_rows=all_tuples)),
        unique=unique_rows,
        left_out=at.left_out,
        warnings=tuple(dict.fromkeys(_warnings(at, unique_rows))),
        removed=_removed(at, columns),
        people=_people(at),
        files=of.files,
    )
    return without_values(report)


def _warnings(at: _Measuring, unique: UniqueOverAll | None) -> Iterator[str]:
    """Yield what the plan warns of, counted again where the source is open, as a plan's file has no warnings."""
    run, of = at.run, at.of
    yield from of.plan.warnings
    if of.plan.notes:
        return
    quasi = [name for parts in of.keys for name in parts]
    table, rows = of.released.table, at.counted.sums.rows
    linked = count_linked(run, table, quasi, linking_columns(run.policy), rows=rows)
    if of.opened is None:
        yield from standard_remarks(run.policy)
        yield from (str(each) for each in linked if each.unique)
        yield from [str(unique)] if unique is not None and unique.nearly_all else []
        return
    planned = Planned(of.plan, of.opened, of.mapped)
    yield from warnings_of_plan(run, planned, to_keep=False)[0]
    if run.policy.entity not in {each.name for each in of.released.columns}:
        run = replace(run, policy=replace(run.policy, entity=None))  # a release shows rows alone
    yield from notes_of_release(run, planned, table, quasi, linked=linked, unique=unique)


def _removed(at: _Measuring, columns: Sequence[ReportedColumn]) -> int:
    """Count the rows of which a value is suppressed, beside the columns with one label in all rows."""
    several = [n for n, each in enumerate(columns) if each.distinct > 1]
    if not several:
        return 0
    return at.run.engine.fetch_count(report_values.removed_rows(at.after, at.of.keys, several))


def _people(at: _Measuring) -> tuple[int, int] | None:
    """Count the people of the source, and those with several rows; None where rows are counted, or it is not open."""
    opened, entity = at.of.opened, at.run.policy.entity
    if opened is None or entity is None:
        return None
    found = unique_counts(at.run.engine, opened.source, [entity])[entity]
    return found.values, found.values - found.unique


@dataclass(frozen=True, slots=True)
class _Sizes:
    """A table's number of classes by size, and sums over its classes."""

    sizes: list[SizeCount]
    sums: ClassSums


def _fetch_sizes(run: Session, statement: Statement) -> _Sizes:
    """Fetch the number of classes of each size and number of rows, and sum them as the engines' SQL does."""
    by_size: dict[int, tuple[int, int]] = {}
    logarithms: list[float] = []
    classes = rows = squares = 0
    smallest: int | None = None
    for row in run.engine.fetch(statement):
        size, of_rows, many = map(whole, row)
        known = by_size.get(size, (0, 0))
        by_size[size] = known[0] + many, known[1] + many * of_rows
        classes, rows = classes + many, rows + many * of_rows
        squares += many * of_rows * of_rows
        smallest = of_rows if smallest is None else min(smallest, of_rows)
        logarithms.append(many * rows_and_logarithm(of_rows))
    sums = ClassSums(classes, rows, smallest or 0, squares, math.fsum(logarithms))
    return _Sizes([SizeCount(size, *of) for size, of in sorted(by_size.items())], sums)


def _count_source(at: _Measuring, *, all_tuples: bool) -> list[SizeCount] | None:
    """Count the source's tuples by size, and its columns' values; None if the source was not read."""
    run, of, policy = at.run, at.of, at.run.policy
    opened = of.opened
    if opened is None:
        return None
    names = [each.name for each in policy.quasi]
    own = tuple((name,) for name in names)
    entity = None if of.entity is None else policy.entity
    rows = opened.source_rows
    domains = [] if opened.left_out else [each.domain for each in of.mapped]
    codes: list[exp.Table] = []
    if domains and (all_tuples or rows <= MOST_TUPLES):
        codes = [run.scratch.create("codes", coded_pairs.value_codes, each) for each in domains]
        coded = list(zip(names, codes, strict=True))
        at.before = run.scratch.create(
            "source_tuples",
            coded_pairs.coded_tuples,
            opened.source,
            coded,
            entity=entity,
            rows=rows,
        )
        sizes, values = report_values.class_sizes(at.before), coded_pairs.domain_values(domains)
    elif domains:
        sizes = report_values.class_sizes_of_rows(opened.source, own, entity=entity, rows=rows)
        values = coded_pairs.domain_values(domains)
    else:
        at.before = run.scratch.create(
            "source_tuples", report_values.classes, opened.source, own, entity=entity, rows=rows
        )
        sizes = report_values.class_sizes(at.before)
        values = beside_source.column_values(at.before, len(own))
    found = _fetch_sizes(run, sizes)
    counts = [(whole(n), logs) for _, n, logs in run.engine.fetch(values)]
    pairs = None
    if codes and at.before is not None:
        tuples = numbered_tuples(at.before, codes)
        pairs = _coded_pairs(run, tuples, [n for n, _ in counts], rows)
    at.counted_before = TableCounts(found.sums, counts, at.before, codes, pairs)
    return found.sizes


def _coded_pairs(
    run: Session, tuples: CodedTuples, values: Sequence[int], rows: int
) -> exp.Table | None:
    """Create the table of row counts of every two columns' pairs of values; None where these are too many."""
    if len(values) < 2 or not pairs_are_few(values, rows):
        return None
    return count_pairs(run, tuples, values, rows=rows)


def _quality(at: _Measuring, *, all_rows: bool) -> Quality | None:
    """Measure the utility against the source, if it was read; of `all_rows` or a million also what intervals cover."""
    of, policy = at.of, at.run.policy
    if of.opened is None or at.counted_before is None:
        return None
    measurable = Measurable(
        at.run,
        tuple(each.name for each in policy.quasi),
        of.opened.source,
        of.released,
        of.keys,
        demands(policy.privacy)[0].class_size,
        of.opened.columns,
        of.opened,
        of.mapped,
        of.plan,
    )
    counts = at.counted_before, at.counted, at.after
    if all_rows or of.opened.source_rows <= MOST_TUPLES:
        planned = Planned(of.plan, of.opened, of.mapped)
        with suppress(StalePlanError):  # its cuts are hashed under the key of a process that ended
            return measured_quality(replace(measurable, planned=planned), *counts, by_classes=True)
    return measured_quality(measurable, *counts, by_classes=True)


def _small_tables(at: _Measuring, *, all_rows: bool) -> list[BandTable]:
    """Count source and release by bands of one column and of two, and by a rate."""
    run, of = at.run, at.of
    if of.opened is None:
        at.left_out[Section.SMALL_TABLES] = of.no_source
        return []
    if not all_rows and of.opened.source_rows > MOST_TUPLES:
        what = f"the source has more than {MOST_TUPLES:,} rows; --search counts them all the same"
        at.left_out[Section.SMALL_TABLES] = what
        return []
    planned = Planned(of.plan, of.opened, of.mapped)
    lost = {n for n, (labels, *_) in enumerate(at.counted.values) if labels <= 1}
    tables, why_none = tables_of_release(run, planned, of.released.table, lost=lost)
    if why_none:
        at.left_out[Section.SMALL_TABLES] = why_none
    return tables


def _check_release(of: Reported, sizes: Sequence[SizeCount]) -> None:
    """Raise VerificationError where rows or classes are not the plan's: the labels could be raw values."""
    plan = of.plan
    rows, classes = (sum(getattr(each, key) for each in sizes) for key in ("rows", "classes"))
    stated = {"rows": (plan.released_rows, rows), "classes": (plan.classes, classes)}
    by_persons = plan.counts_people is not None
    if by_persons == (of.counted is CountedBy.PERSONS) and not of.run.policy.signature:
        smallest = min((each.size for each in sizes), default=0)
        stated["smallest class"] = (plan.smallest_class, smallest)
    if of.run.policy.nulls is Nulls.WILDCARD:
        stated = {"rows": stated["rows"]}
    faults = [
        Fault(what, f"should be {claim:,}, the release has {found:,}")
        for what, (claim, found) in stated.items()
        if claim != found
    ]
    if faults:
        listed = "; ".join(f"{each.where} {each.what}" for each in faults)
        raise VerificationError(
            f"{of.name} is not the release of its plan: {listed}; nothing was written"
        )


def _by_signature(of: Reported) -> tuple[list[SizeCount], list[SizeCount] | None]:
    """Count classes of persons with the same rows, in the release and in its source, by size."""
    run, policy = of.run, of.run.policy
    flat = [name for parts in of.keys for name in parts]

    def count(table: exp.Table, quasi: Sequence[str], entity: str) -> list[SizeCount]:
        return size_counts(run.engine.fetch(measured.signature_histogram(table, quasi, entity)))

    after = count(of.released.table, flat, str(of.entity))
    if of.opened is None:
        return after, None
    own = [each.name for each in policy.quasi]
    return after, count(of.opened.source, own, str(policy.entity))


def _models(at: _Measuring, sizes: Sequence[SizeCount]) -> tuple[MeasuredModel, ...]:
    """Measure the models' requirements, and note the section as left out if nothing could be counted."""
    hidden = at.run.policy.entity is not None and at.of.entity is None
    found = measured_models(
        at.run,
        at.of.recounts,
        sizes,
        people_hidden=hidden,
        counted_before=at.of.counted_before,
    )
    if all(each.found is None for each in found):
        at.left_out[Section.MODELS] = (
            "the release does not show all that the models count, such as whose rows it has. Its rows were counted "
            "with the source before it was published"
        )
    return found


def _columns(at: _Measuring) -> Iterator[ReportedColumn]:
    """Yield each column's labels, with the source's rows under each if its hierarchy shows them."""
    run, policy = at.run, at.run.policy
    tables = _label_tables(at)
    domains: list[exp.Table | None] = [each.domain for each in at.of.mapped]
    domains = domains or [None] * len(policy.quasi)
    rows = run.engine.fetch(
        report_values.label_rows(at.after, tables, domains, at.of.keys, most=MOST_LABELS)
    )
    before: list[int | None] = [None] * len(policy.quasi)
    if at.counted_before is not None:
        before = [each for each, _ in at.counted_before.values]
    for n, (column, recoded) in enumerate(
        zip(policy.quasi, column_texts(at.of.plan.recoding, at.of.plan.heights), strict=True)
    ):
        own = [row for row in rows if whole(row[0]) == n]
        yield ReportedColumn(
            column.name,
            recoded,
            tuple(
                LabelRows(
                    label_text(str(row[1]), len(column.released_as)),
                    whole(row[2]),
                    None if row[3] is None else whole(row[3]),
                    None if row[6] is None else bool(whole(row[6])),
                )
                for row in own
            ),
            whole(own[0][4]) if own else 0,
            before[n],
        )


def _label_tables(at: _Measuring) -> list[exp.Table | None]:
    """Create a table per column of labels with the source's rows under each; None where they overlap."""
    run, opened = at.run, at.of.opened
    quasi = run.policy.quasi
    if opened is None:
        return [None] * len(quasi)
    if opened.left_out:
        what = "rows with NULL were left out of the source, and its hierarchies do not count them"
        at.left_out[Section.DISTRIBUTIONS] = what
        return [None] * len(quasi)
    planned = Planned(at.of.plan, opened, at.of.mapped)
    found: list[exp.Table | None] = []
    overlapping = []
    for n, each in enumerate(at.of.mapped):
        levels = _levels(at.of.plan, n) or tuple(range(each.hierarchy.height + 1))
        itself = each.column.output.covers == "itself"
        if itself and (values := values_of_labels(run, planned, n)) is not None:
            create = report_values.value_rows
            found.append(run.scratch.create("labels", create, values, each.domain))
            continue
        if _labels_overlap(at, n, each, levels):
            overlapping.append(each.column.name)
            found.append(None)
            continue
        found.append(run.scratch.create("labels", beside_source.labels, each, levels))
    if overlapping:
        what = f"{joined(overlapping)}: labels overlap, so that a value of the source has no label of its own"
        at.left_out[Section.DISTRIBUTIONS] = what
    return found


def _labels_overlap(at: _Measuring, quasi: int, each: Mapped, levels: Sequence[int]) -> bool:
    """Return True if several released labels cover one value, whose rows would be counted several times."""
    if each.column.order is not None and at.run.policy.search.options.by_order:
        return True
    if len(levels) == 1:
        return False
    values = at.run.scratch.create("values", beside_source.values, each, levels)
    return at.run.engine.fetch_count(beside_source.shared_values(at.after, quasi, values)) > 0


def _levels(plan: Plan, quasi: int) -> tuple[int, ...]:
    """Return the levels at which a column is released; empty if the recoding has no nodes."""
    return tuple(sorted(levels_used(plan.recoding, quasi)))


def _correlations(at: _Measuring) -> Iterator[Correlation]:
    """Compare the mutual information of pairs of quasi-identifiers before and after."""
    run = at.run
    names = [each.name for each in run.policy.quasi]
    pairs = list(combinations(range(min(len(names), MOST_CORRELATED)), 2))
    if at.before is None or not pairs:
        what = "there is one quasi-identifier"
        if at.counted_before is None:
            what = at.of.no_source
        elif pairs:
            what = f"the source has more than {MOST_TUPLES:,} rows; --search counts its pairs all the same"
        at.left_out[Section.CORRELATIONS] = what
        return
    counts = (at.before, at.counted_before), (at.after, at.counted)
    before, after = (
        [] if counted is None else _information(run, table, counted, pairs)
        for table, counted in counts
    )
    for (one, other), was, now in zip(pairs, before, after, strict=True):
        of_class = any(run.policy.quasi[n].output.is_of_rows for n in (one, other))
        yield Correlation(names[one], names[other], was, now, of_class)


def _information(
    run: Session, table: exp.Table, counted: TableCounts, pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """Return the mutual information of pairs of columns, in bits per row."""
    rows = counted.sums.rows
    of_rows = rows_and_logarithm(rows)
    own = [float(str(logs)) for _, logs in counted.values]
    if counted.coded is None:
        together = run.engine.fetch(report_values.pair_entropies(table, pairs))
    else:
        of_first = report_values.coded_entropies(counted.coded, 1 + max(b for _, b in pairs))
        together = [(pair, logs) for pair, _, logs in run.engine.fetch(of_first)]
    return [
        max(0.0, of_rows - own[a] - own[b] + float(str(logs))) / (rows * math.log(2))
        for (a, b), (_, logs) in zip(pairs, together, strict=True)
    ]


def _pairs(at: _Measuring) -> LabelPairs | None:
    """Count the pairs of labels of the two quasi-identifiers with most labels."""
    run = at.run
    quasi = run.policy.quasi
    if len(quasi) < 2:
        at.left_out[Section.BOXES] = "there is one quasi-identifier"
        return None
    most = sorted(range(len(quasi)), key=lambda n: (-at.counted.values[n][0], n))[:2]
    one, other = sorted(most)
    rows = run.engine.fetch(report_values.label_pairs(at.after, one, other, most=MOST_PAIRS))
    return LabelPairs(
        (quasi[one].name, quasi[other].name),
        tuple(
            LabelPair(
                label_text(str(row[0]), len(quasi[one].released_as)),
                label_text(str(row[1]), len(quasi[other].released_as)),
                whole(row[2]),
            )
            for row in rows
        ),
        whole(rows[0][3]) if rows else 0,
    )


def _trees(at: _Measuring) -> Iterator[LabelTree]:
    """Yield hierarchies' nodes with released rows, of columns at one level between 0 and the root's."""
    run, plan = at.run, at.of.plan
    for n, each in enumerate(at.of.mapped):
        levels, height = _levels(plan, n), each.hierarchy.height
        bounds = len(each.column.released_as) > 1
        if len(levels) != 1 or not 0 < levels[0] < height or bounds:
            continue
        statement = report_values.label_tree(
            at.after, n, each.paths, finest=levels[0], height=height, most=MOST_TREE_NODES
        )
        rows = run.engine.fetch(statement)
        nodes = tuple(
            TreeLabel(
                whole(row[0]),
                node_text(row[1]),
                None if whole(row[0]) == height else node_text(row[2]),
                whole(row[3]),
            )
            for row in rows
        )
        by_level = {whole(row[0]): whole(row[4]) for row in rows}
        yield LabelTree(
            each.column.name, levels[0], height, nodes, sum(by_level.values()) - len(nodes)
        )
