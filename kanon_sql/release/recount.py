"""The recount of a release: counted from its own rows, independently of the search, before it is one.

What falls short is refused, and so is a plan that its recount contradicts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from kanon_sql.errors import (
    Fault,
    InfeasibleError,
    SourceError,
    StalePlanError,
    VerificationError,
)
from kanon_sql.plans.hashes import is_portable
from kanon_sql.privacy.fitting_sql import ClassRows, KeyPart, TableValues
from kanon_sql.source.open_source import fingerprint
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.linkable import Linked
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.privacy_model import Requirement
    from kanon_sql.recoding.new_rows.recode_new_rows import NewRows
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


@dataclass(frozen=True, slots=True)
class Verification:
    """The recount of a table, counted from its rows alone.

    `worst` has the count of the worst class for each sensitive column, by the measure that is counted.
    `over` holds the recounts over other sets of quasi-identifiers, by their names in the policy;
    `linked` has the released columns that join the rows of a person.
    """

    passed: bool
    rows: int
    classes: int
    smallest_class: int
    short_classes: int
    worst: Mapping[str, Mapping[str, int | float]]
    over: Mapping[tuple[str, ...], Verification] = field(default_factory=dict)
    linked: tuple[Linked, ...] = ()

    @property
    def distinct(self) -> Mapping[str, int | float]:
        """Give the least number of distinct values of each sensitive column that has distinct l-diversity."""
        return self.worst.get("least_distinct", {})

    def summary(self) -> dict[str, object]:
        """Give what `verify --json` prints."""
        summary: dict[str, object] = {
            "passed": self.passed,
            "smallest_class": self.smallest_class,
            "classes": self.classes,
            "rows": self.rows,
            "short_classes": self.short_classes,
        }
        summary |= self.worst
        if self.over:
            summary["over"] = [
                {"columns": list(columns), **found.summary()}
                for columns, found in self.over.items()
            ]
        if self.linked:
            summary["linked"] = [asdict(each) for each in self.linked]
        return summary


def recount_statement(
    table: exp.Table,
    quasi: Sequence[str],
    needed: Sequence[Requirement],
    *,
    entity: str | None,
    source: exp.Table | None = None,
) -> Statement:
    """Recount a table: classes, rows, the worst class by each requirement, classes that fall short.

    The search counts packed keys in frequency sets. This counts the rows of the table itself anew, and
    distinguishes them by the bytes of their labels. Both include the fragment of each privacy model and its
    bound; the tests count that a third time, in Python. The first requirement is that of the classes' sizes.
    """
    rows = ClassRows(
        None if entity is None else column(entity),
        lambda of: column(of.column),
        weighted=False,
        of_table=lambda of: TableValues(source or table, column(of.column, of="t")),
    )
    keys = [KeyPart(column(q, of="r"), name(q), bytes=True) for q in quasi]
    counted = []
    for n, leaves in enumerate(rows.requirements(needed)):
        worst = f"{'most' if needed[n].measure.at_most else 'least'}_{n}" if n else "smallest_class"
        measured = f"measure_{n}" if n else "class_size"
        counted.append({**leaves, "worst": name(worst), "measure": name(measured)})
    return Statement(
        "release/verify",
        {
            "table": table,
            "quasi": [column(q) for q in quasi],
            "rows": rows.rows(needed, table, keys, lambda of: column(of.column, of="r")),
            "requirements": counted,
        },
    )


def unique_sets(table: exp.Table, link: str, quasi: Sequence[str], *, rows: int = 0) -> Statement:
    """Count the values of a column that joins rows, and those whose set of rows no other value has.

    Rows are told apart by the texts of their released quasi-identifiers.
    """
    return Statement(
        "release/unique_sets",
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
        "release/class_sizes",
        {
            "table": table,
            "quasi": [column(q, of="t") for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "bands": [{"below": literal(b), "number": literal(n)} for n, b in enumerate(bands)],
            "rest": literal(len(bands)),
        },
        scans=rows,
    )


def recount(
    run: Session, recounts: Sequence[tuple[Demand, Statement]], plan: Plan, opened: OpenSource
) -> Verification:
    """Run the recounts of a staged table; refuse one that falls short, or that contradicts the plan.

    A plan is reviewed by its figures, so the release must have them. What a recount does not count
    (whether the node is optimal, its cost) stays the plan's claim.
    """
    expected = opened.rows - plan.suppressed_rows
    claims = {each.columns: (each.classes, each.smallest_class) for each in plan.over}
    claims[()] = (plan.classes, plan.smallest_class)
    found: dict[tuple[str, ...], Verification] = {}
    problems: list[Fault] = []
    for demand, statement in recounts:
        counted = fetch_recount(run.engine, statement, demand.requirements)
        over = _over(demand)
        if counted.rows == expected and not counted.passed:
            raise _short(counted, over)
        found[demand.columns] = counted
        if not demand.columns and counted.rows != expected:
            what = f"{expected} rows should be released, staging has {counted.rows}"
            problems.append(Fault("recoding.suppressed_rows", what))
        if demand.columns in claims:
            problems += _claim_problems(claims[demand.columns], counted, over)
    if problems:
        raise _stale(run, plan, opened, problems)
    return replace(found.pop(()), over=found)


def recount_new(
    run: Session, recounts: Sequence[tuple[Demand, Statement]], new: NewRows
) -> Verification:
    """Run the recounts of new rows; refuse a release that falls short, or has no rows."""
    found: dict[tuple[str, ...], Verification] = {}
    for demand, statement in recounts:
        counted = fetch_recount(run.engine, statement, demand.requirements)
        if not counted.rows <= new.placed <= new.rows:
            raise VerificationError(
                f"{new.rows} new rows have {new.placed} places, and {counted.rows} were staged: the "
                f"plan's sides put rows in several boxes; nothing was published"
            )
        if not counted.rows:
            raise InfeasibleError(
                f"none of {new.rows} new rows can be released: {new.held_back} have no place in the "
                f"plan's recoding, and {new.placed} are in classes that do not fit among them"
            )
        if not counted.passed:
            raise _short(counted, _over(demand))
        found[demand.columns] = counted
    return replace(found.pop(()), over=found)


def _over(demand: Demand) -> str:
    return f" over {', '.join(demand.columns)}" if demand.columns else ""


def _short(counted: Verification, over: str) -> VerificationError:
    return VerificationError(
        f"the staged release failed its recount: {counted.short_classes} of {counted.classes} "
        f"classes{over} fall short, the smallest has {counted.smallest_class}; it was dropped and "
        f"nothing was published"
    )


def _claim_problems(claim: tuple[int, int], counted: Verification, over: str) -> Iterator[Fault]:
    """Compare what a plan says of its classes with the recount."""
    classes, smallest = claim
    if counted.classes != classes:
        what = f"should be {classes}{over}, staging has {counted.classes}"
        yield Fault("figures.classes", what)
    if counted.smallest_class != smallest:
        what = f"should be {smallest}{over}, staging has {counted.smallest_class}"
        yield Fault("figures.smallest_class", what)


def _stale(run: Session, plan: Plan, opened: OpenSource, problems: list[Fault]) -> StalePlanError:
    """Find out whether the source changed, or the plan never matched it."""
    if plan.source_fingerprint is None:
        why = (
            "what was recoded are not the rows that were counted: did the source change meanwhile?"
        )
        return StalePlanError("source", [*problems, Fault("", why)])
    try:
        portable = is_portable(plan.source_fingerprint)
        changed = fingerprint(run, opened, portable=portable) != plan.source_fingerprint
    except SourceError:  # it has another number of rows
        changed = True
    if changed:
        return StalePlanError("source", [*problems, Fault("", "the source changed meanwhile")])
    why = "the plan's figures are not those of its recoding; make the plan again and review it"
    return StalePlanError("plan", [*problems, Fault("", why)])


def fetch_recount(
    engine: Engine, statement: Statement, needed: Sequence[Requirement]
) -> Verification:
    """Recount a table. One without rows has nothing that could pass."""
    (row,) = engine.fetch(statement)
    classes, rows, *rest = (int(str(cell)) if cell is not None else 0 for cell in row)
    short = rest.pop()
    worst: dict[str, dict[str, int | float]] = {}
    for each, found in zip(needed, rest, strict=True):
        if (attribute := each.measure.sensitive) is not None:
            of_measure = worst.setdefault(each.measure.reported, {})
            of_measure[attribute.column] = each.measure.shown(found)
    return Verification(
        passed=short == 0 and rows > 0,
        rows=rows,
        classes=classes,
        smallest_class=rest[0],
        short_classes=short,
        worst=worst,
    )
