"""Recounts staged rows, independently of the search, before they become a release.

A recount that falls short is refused, and so is one that contradicts the plan.
"""

from __future__ import annotations

import math
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import code, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.result import classes_text, size_text
from kanon_sql.counting.plans.plan import is_portable
from kanon_sql.counting.run.inputs import suppressed_text
from kanon_sql.counting.source.exposed_rows import unique_texts
from kanon_sql.counting.source.open_source import fingerprint
from kanon_sql.engines.base import whole
from kanon_sql.errors import Fault, InfeasibleError, SourceError, StalePlanError, VerificationError
from kanon_sql.policy.privacy.candidates_sql import rows_short_of_candidates
from kanon_sql.policy.privacy.fitting_sql import (
    ClassPopulation,
    ClassRows,
    KeyPart,
    TableValues,
    ValueNodes,
)
from kanon_sql.policy.privacy.privacy_model import Reference
from kanon_sql.policy.privacy.risks import SizeCount, bands_chart, size_counts
from kanon_sql.policy.privacy.table_models import ClassSizes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.exposed_rows import FewPeople, UniqueOverAll
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine, Row
    from kanon_sql.policy.policy_rules import Linked
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute
    from kanon_sql.policy.privacy.risks import RiskFigures
    from kanon_sql.recoding.linked_rows import MissingValues
    from kanon_sql.recoding.measured import Quality
    from kanon_sql.recoding.new_rows.boundaries import NewRows


RECOUNT = "release/verify"
"""The template of the statement that recounts a table whose classes share no rows."""


def recount_statement(
    table: exp.Table,
    quasi: Sequence[str],
    needed: Sequence[Requirement],
    *,
    entity: str | None,
    signature: bool = False,
    source: exp.Table | None = None,
    of_source: str | None = None,
    population: ClassPopulation | None = None,
    nodes: Mapping[str, ValueNodes] | None = None,
    codes: Collection[str] = (),
) -> Statement:
    """Recount a table: classes, rows, the worst class by each requirement, classes that fall short.

    The search counts packed keys in frequency sets. This counts the rows of the table itself anew, and
    distinguishes them by the bytes of their labels. Both include the fragment of each privacy model and its
    bound; the tests count that a third time, in Python. The first requirement is that of the classes' sizes. Those of
    all classes come last, but for what no statement computes: that needs `size_counts`. By `signature` a class is the
    entities whose rows have the same labels, each as often. Columns of `codes` hold a code for each label.
    """

    def of_table(of: SensitiveAttribute, reference: Reference) -> TableValues:
        by_release = source is None or reference is Reference.RELEASE
        who = entity if by_release else of_source
        return TableValues(
            table if source is None or by_release else source,
            column(of.column, of="t"),
            nodes=(nodes or {}).get(of.column) if of.in_tree else None,
            entity=None if who is None else column(who, of="t"),
        )

    rows = ClassRows(
        None if entity is None else column(entity),
        lambda of: column(of.column),
        weighted=False,
        of_table=of_table,
        population=population,
    )
    keys = [KeyPart(column(q, of="r"), name(q), bytes=True) for q in quasi]
    of_classes = [each for each in needed if not each.measure.of_all_classes]
    whole = [each for each in needed if each.measure.of_all_classes and not each.measure.estimated]
    counted = []
    for n, leaves in enumerate(rows.requirements(of_classes)):
        worst = (
            f"{'most' if of_classes[n].measure.at_most else 'least'}_{n}" if n else "smallest_class"
        )
        measured = f"measure_{n}" if n else "class_size"
        counted.append({**leaves, "worst": name(worst), "measure": name(measured)})
    return Statement(
        RECOUNT,
        {
            "table": table,
            "signature": signature,
            "sizes": False,
            "entity": None if entity is None else column(entity, of="t"),
            "person": None if entity is None else column(entity, of="s"),
            "quasi": [code(q) if q in codes else column(q) for q in quasi],
            "rows": rows.rows(of_classes, table, keys, lambda of: column(of.column, of="r")),
            "requirements": counted,
            "whole": [
                {**leaves, "worst": name(each.measure.reported)}
                for each, leaves in zip(whole, rows.requirements(whole), strict=True)
            ],
        },
    )


def with_sizes(recount: Statement) -> Statement:
    """Recount a table, and in the same pass how many of its classes have each size, and how many rows."""
    return replace(recount, leaves={**recount.leaves, "sizes": True})


def count_sizes(recount: Statement) -> Statement:
    """Count how many classes of a recounted table have each size."""
    return Statement("recoding/size_counts", recount.leaves)


def short_rows(recount: Statement, *, every: bool) -> Statement:
    """Count the rows of the classes of a recounted table that fall short, or of `every` class, and their people."""
    return Statement("recoding/short_rows", {**recount.leaves, "every": every})


def unique_sets(table: exp.Table, link: str, quasi: Sequence[str], *, rows: int = 0) -> Statement:
    """Count the values of a column that joins rows, and those whose set of rows no other value has.

    Rows are distinguished by the texts of their released quasi-identifiers.
    """
    return Statement(
        "recoding/unique_sets",
        {
            "source": table,
            "link": column(link, of="s"),
            "linked": name("link"),
            "columns": [column(q, of="s") for q in quasi],
            "row": name("row_text"),
        },
        scans=rows,
    )


BANDS = (2, 5, 10, 25, 100)
"""Class sizes are reported as 1, 2-4, 5-9, 10-24, 25-99, and 100 or more."""


def class_sizes(
    table: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None = None,
    bands: Sequence[int] = BANDS,
    rows: int = 0,
) -> Statement:
    """Count classes by bands of size, each below one of these bounds and the last above them all."""
    return Statement(
        "recoding/class_sizes",
        {
            "table": table,
            "quasi": [column(q, of="t") for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "bands": [{"below": literal(b), "number": literal(n)} for n, b in enumerate(bands)],
            "rest": literal(len(bands)),
        },
        scans=rows,
    )


Sizes: TypeAlias = "list[SizeCount] | None"
"""The number of classes and rows of each class size; None if a recount did not count them."""


def _finite(number: float) -> int | float | None:
    """Return a number for JSON: None if it is infinite, which means that no bound is kept."""
    return None if math.isinf(number) else number


@dataclass(frozen=True, slots=True, repr=False)
class Verification(ShownResult):
    """The recount of a table, counted from its rows alone; true, as in `assert verify(...)`, if it passed.

    `worst` has the worst class's value by measure, and by column or population; `of_all` that of all classes together;
    `failed` the requirements that fall short; `over` the recounts over other sets of quasi-identifiers. `linked`
    columns join a person's rows, `unique_rows` are unique over all columns. `without_place` counts the values outside
    of the requested order. `short_rows` and `short_people` are in `short_classes`.
    """

    passed: bool
    rows: int
    classes: int
    smallest_class: int
    short_classes: int
    worst: Mapping[str, Mapping[str, int | float]]
    of_all: Mapping[str, float] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    over: Mapping[tuple[str, ...], Verification] = field(default_factory=dict)
    linked: tuple[Linked, ...] = ()
    unique_rows: UniqueOverAll | None = None
    unique_columns: Mapping[str, int] = field(default_factory=dict)
    few_people: FewPeople | None = None
    missing_values: tuple[MissingValues, ...] = ()
    risk: RiskFigures | None = None
    without_place: Mapping[str, str] = field(default_factory=dict)
    entity: str | None = None
    short_rows: int | None = None
    short_people: int | None = None
    suppressed_before: int | None = None
    quality: Quality | None = None
    lists: tuple[str, ...] = ()

    @property
    def distinct(self) -> Mapping[str, int | float]:
        """The least number of distinct values in a class, by sensitive column with distinct l-diversity."""
        return self.worst.get("least_distinct", {})

    def __bool__(self) -> bool:
        return self.passed  # `assert verify(...)` must not hold of a table that falls short

    def _shown(self) -> Shown:
        return shown_verification(self)

    def summary(self) -> dict[str, object]:
        """Return the object that `verify --json` prints."""
        summary: dict[str, object] = {
            "passed": self.passed,
            "smallest_class": self.smallest_class,
            "classes": self.classes,
            "rows": self.rows,
            "short_classes": self.short_classes,
        }
        short = {
            "short_rows": self.short_rows,
            "short_people": self.short_people,
            "suppressed_before": self.suppressed_before,
        }
        summary |= {key: count for key, count in short.items() if count is not None}
        if self.failed:
            summary["failed"] = list(self.failed)
        summary |= {
            key: {name: _finite(number) for name, number in of.items()}
            for key, of in self.worst.items()
        }
        summary |= {key: _finite(number) for key, number in self.of_all.items()}
        if self.over:
            summary["over"] = [
                {"columns": list(columns), **found.summary()}
                for columns, found in self.over.items()
            ]
        if self.linked:
            summary["linked"] = [asdict(each) for each in self.linked]
        if self.unique_rows is not None:
            found = asdict(self.unique_rows)
            own = {
                "by": bool(found["by"]),
                "of": found["of"] is not None,
                "beside": False,
                "alone": False,
            }
            summary["unique_over_all_columns"] = {
                k: v for k, v in found.items() if own.get(k, True)
            }
        if self.unique_columns:
            summary["unique_columns"] = dict(self.unique_columns)
        if self.few_people is not None:
            summary["classes_of_few_people"] = asdict(self.few_people)
        if self.missing_values:
            summary["missing_values"] = [asdict(each) for each in self.missing_values]
        if self.without_place:
            summary["without_place"] = dict(self.without_place)
        if self.quality is not None:
            summary["quality"] = self.quality.summary()
        return summary

    @property
    def warnings(self) -> list[str]:
        """Warnings about rows and people that can be singled out although all classes are large enough."""
        few, unique = self.few_people, self.unique_rows
        return [
            *([suppressed_text(self.suppressed_before)] if self.suppressed_before else []),
            *([str(few)] if few is not None and few.few else []),
            *self.lists,
            *(str(each) for each in self.linked if each.unique),
            *map(str, self.missing_values),
            *unique_texts(self.unique_columns, self.rows),
            *([str(unique)] if unique is not None and unique.nearly_all else []),
        ]


def recount_line(found: Verification) -> str:
    """Format a table's numbers of rows and classes, and its smallest class, in one line."""
    classes = classes_text(found.classes, found.smallest_class, found.entity)
    return f"{counted(found.rows, 'row')} in {classes}"


def shown_verification(found: Verification) -> Shown:
    """Return a verification's verdict, counts, warnings and chart for display."""
    short = f" in {counted(found.short_classes, 'class')}" if found.short_classes else ""
    verdict = "passed" if found.passed else f"FAILED{short}"
    facts: list[tuple[str, object]] = [
        ("verdict", verdict),
        ("rows", found.rows),
        ("equivalence classes", found.classes),
        ("smallest class", size_text(found.smallest_class, found.entity)),
        ("classes that fail", found.short_classes),
    ]
    facts += [
        (f"{name.replace('_', ' ')} of {column}", value)
        for name, columns in found.worst.items()
        for column, value in columns.items()
    ]
    facts += [(name.replace("_", " "), value) for name, value in found.of_all.items()]
    if found.risk is not None:
        facts.append(("re-identification risk", found.risk.text))
    over = [
        [", ".join(names), each.passed, each.classes, each.smallest_class]
        for names, each in found.over.items()
    ]
    return Shown(
        f"{verdict}: {recount_line(found)}",
        facts,
        [ShownTable(["over", "passed", "classes", "smallest"], over)] if over else [],
        found.warnings,
        charts=[] if found.risk is None else [bands_chart(found.risk.class_sizes)],
    )


def recount(
    run: Session, recounts: Sequence[tuple[Demand, Statement]], plan: Plan, opened: OpenSource
) -> tuple[Verification, Sizes]:
    """Execute the recounts of a staged table; return them, and class sizes if the same pass counts these.

    Raises VerificationError where a recount falls short, and StalePlanError where it contradicts the plan: a plan is
    reviewed by its numbers, so the release must have them. A recount does not count whether the node is optimal, or its
    cost; these stay the plan's claim.
    """
    sizes: Sizes = None
    expected = opened.source_rows - plan.suppressed_rows
    claims = {each.columns: (each.classes, each.smallest_class) for each in plan.over}
    claims[()] = (plan.classes, plan.smallest_class)
    found: dict[tuple[str, ...], Verification] = {}
    problems: list[Fault] = []
    for demand, statement in recounts:
        counted, of_demand = fetch_with_sizes(run, demand, statement)
        sizes, over = sizes or of_demand, _over(demand)
        if counted.rows == expected and not counted.passed:
            raise _short(counted, over)
        found[demand.columns] = counted
        if not demand.columns and counted.rows != expected:
            what = f"{expected:,} rows should be released, staging has {counted.rows:,}"
            problems.append(Fault("recoding.suppressed_rows", what))
        if demand.columns in claims:
            problems += _claim_problems(claims[demand.columns], counted, over)
    if problems:
        raise _stale(run, plan, opened, problems)
    return joined(run, found), sizes


def fetch_with_sizes(
    run: Session, demand: Demand, statement: Statement
) -> tuple[Verification, Sizes]:
    """Recount a table, and count classes by size if the recount is over all quasi-identifiers alone."""
    alone = not (demand.columns or demand.beside or run.policy.signature)
    if not alone or statement.template != RECOUNT:
        return fetch_recount(run.engine, statement, demand.recounted), None
    found = run.engine.fetch(with_sizes(statement))
    of_all = [row[:-2] for row in found if whole(row[-1])]
    if not of_all:  # Spark has no row for all of an empty table
        return fetch_recount(run.engine, statement, demand.recounted), None
    sizes = [(size, *counts[:2]) for *counts, size, every in found if not whole(every)]
    return _read_recount(run.engine, statement, demand.recounted, of_all[0]), size_counts(sizes)


def recount_new(
    run: Session, recounts: Sequence[tuple[Demand, Statement]], new: NewRows
) -> tuple[Verification, Sizes]:
    """Execute the recounts of new rows as `recount` does, without a comparison with the plan.

    Raises VerificationError where one falls short or rows were assigned twice, InfeasibleError where no row is left.
    """
    sizes: Sizes = None
    found: dict[tuple[str, ...], Verification] = {}
    for demand, statement in recounts:
        counted, of_demand = fetch_with_sizes(run, demand, statement)
        sizes = sizes or of_demand
        if not counted.rows <= new.assigned <= new.rows:
            raise VerificationError(
                f"of {new.rows:,} new rows {new.assigned:,} were assigned, and {counted.rows:,} were staged: the "
                f"plan's boundaries assign rows to several regions; nothing was published"
            )
        if not counted.rows:
            raise InfeasibleError(
                f"none of {new.rows:,} new rows can be released: {new.withheld:,} lie outside the "
                f"plan's recoding, and {new.assigned:,} are in classes that do not fit among them"
            )
        if not counted.passed:
            raise _short(counted, _over(demand))
        found[demand.columns] = counted
    return joined(run, found), sizes


def joined(run: Session, found: Mapping[tuple[str, ...], Verification]) -> Verification:
    """Return the recount over all quasi-identifiers, with those over other sets in `over`."""
    over = {columns: replace(each, entity=run.policy.entity) for columns, each in found.items()}
    return replace(over.pop(()), over=over)


def _over(demand: Demand) -> str:
    return f" over {', '.join(demand.columns)}" if demand.columns else ""


def _short(counted: Verification, over: str) -> VerificationError:
    return VerificationError(
        f"the staged release failed its recount: {counted.short_classes:,} of {counted.classes:,} "
        f"classes{over} fall short, the smallest has {counted.smallest_class:,}; it was dropped and "
        f"nothing was published"
    )


def _claim_problems(claim: tuple[int, int], counted: Verification, over: str) -> Iterator[Fault]:
    """Yield a fault if the recount's number of classes, or its smallest class, is not the plan's `claim`."""
    classes, smallest = claim
    if counted.classes != classes:
        what = f"should be {classes:,}{over}, staging has {counted.classes:,}"
        yield Fault("figures.classes", what)
    if counted.smallest_class != smallest:
        what = f"should be {smallest:,}{over}, staging has {counted.smallest_class:,}"
        yield Fault("figures.smallest_class", what)


def hashed_as(run: Session, opened: OpenSource, before: str | None) -> str:
    """Hash a source's rows in the way of an earlier hash, to compare the two."""
    return fingerprint(run, opened, portable=is_portable(before), like=before)


def _stale(run: Session, plan: Plan, opened: OpenSource, problems: list[Fault]) -> StalePlanError:
    """Return the error for a contradicted plan: the source changed, or the plan never matched it."""
    if plan.source_fingerprint is None:
        why = (
            "what was recoded are not the rows that were counted: did the source change meanwhile?"
        )
        return StalePlanError("source", [*problems, Fault("", why)])
    try:
        before = plan.source_fingerprint
        changed = hashed_as(run, opened, before) != before
    except SourceError:  # it has another number of rows
        changed = True
    if changed:
        return StalePlanError("source", [*problems, Fault("", "the source changed meanwhile")])
    why = "the plan's figures are not those of its recoding; make the plan again and review it"
    return StalePlanError("plan", [*problems, Fault("", why)])


def count_short(
    engine: Engine, statement: Statement, found: Verification, entity: str | None
) -> Verification:
    """Add to a verification the rows, and the people, of the classes that fall short, if there are any.

    If NULL matches any value, a class here is the rows with the same labels.
    """
    found = replace(found, entity=entity)
    if not found.short_classes:
        return found
    every = found.short_classes == found.classes
    by_candidates = statement.template != RECOUNT
    (row,) = engine.fetch(
        rows_short_of_candidates(statement) if by_candidates else short_rows(statement, every=every)
    )
    rows, *people = (int(str(cell)) for cell in row)
    return replace(found, short_rows=rows, short_people=people[0] if people else None)


def fetch_recount(
    engine: Engine, statement: Statement, needed: Sequence[Requirement]
) -> Verification:
    """Execute one recount. A table without rows does not pass."""
    (row,) = engine.fetch(statement)
    return _read_recount(engine, statement, needed, row)


def _read_recount(
    engine: Engine, statement: Statement, needed: Sequence[Requirement], row: Row
) -> Verification:
    classes, rows, *rest = (int(str(cell)) if cell is not None else 0 for cell in row)
    short = rest.pop()
    worst: dict[str, dict[str, int | float]] = {}
    of_classes = [each for each in needed if not each.measure.of_all_classes]
    of_all = [each for each in needed if each.measure.of_all_classes]
    of_all.sort(key=lambda each: each.measure.estimated)
    for each, found in zip(of_classes, rest, strict=False):
        if (about := each.measure.about) is not None:
            of_measure = worst.setdefault(each.measure.reported_as, {})
            of_measure[about] = each.measure.as_written(found)
    counted = rest[len(of_classes) :]
    if len(counted) < len(of_all) and rows:
        found_sizes = engine.fetch(count_sizes(statement))
        sizes = ClassSizes.of((int(str(size)), int(str(many))) for size, many in found_sizes)
        counted += [each.measure.of_sizes(sizes) for each in of_all[len(counted) :]]
    together = list(zip(of_all, counted, strict=False))
    by_class = list(zip(of_classes, rest, strict=False))
    failed = [str(each) for each, n in (*by_class, *together) if rows and not each.holds(n)]
    if not all(each.holds(found) for each, found in together):
        short = classes
    return Verification(
        passed=short == 0 and rows > 0,
        rows=rows,
        classes=classes,
        smallest_class=rest[0],
        short_classes=short,
        worst=worst,
        of_all={each.measure.reported: each.measure.as_written(n) for each, n in together},
        failed=tuple(failed),
    )
