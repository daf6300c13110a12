"""Recode into staging and recount there: what is not yet a release, or nothing at all."""

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
from kanon_sql.policy.counted import check_counted
from kanon_sql.policy.linkable import linking_columns
from kanon_sql.privacy.privacy_model import Channel
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.linked_rows import count_linked
from kanon_sql.recoding.new_rows.recode_new_rows import recode_new
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.release.query import verify_statements
from kanon_sql.source.open_source import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.linkable import Linked
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.privacy_model import Requirement
    from kanon_sql.recoding.new_rows.recode_new_rows import NewRows
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class Verification:
    """The recount of a table, taken from its own rows and nothing else.

    `worst` has what the worst class holds of each sensitive column, by what is counted of it.
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
        """Give the least number of different values of each sensitive column that is counted so."""
        return self.worst.get("least_distinct", {})

    def summary(self) -> dict[str, object]:
        """Give what `verify --json` prints."""
        told: dict[str, object] = {
            "passed": self.passed,
            "smallest_class": self.smallest_class,
            "classes": self.classes,
            "rows": self.rows,
            "short_classes": self.short_classes,
        }
        told |= self.worst
        if self.over:
            told["over"] = [
                {"columns": list(columns), **found.summary()}
                for columns, found in self.over.items()
            ]
        if self.linked:
            told["linked"] = [asdict(each) for each in self.linked]
        return told


@dataclass(frozen=True, slots=True)
class Staged:
    """The release before it is one: a scratch table that passed its recount."""

    table: exp.Table
    columns: tuple[str, ...]
    verification: Verification
    new: NewRows | None = None


def stage(run: Session, planned: Planned, *, new: bool = False, sides: str = "") -> Staged:
    """Recode the source into a scratch table and recount it.

    Guarantee: what is returned has passed; every row of the source is in it or was suppressed in
    a class that does not fit, or had no place if it is new, and it is what the plan says. Raises StalePlanError when it is not,
    and VerificationError when the recount falls short. Rows that are `new` to the plan are held
    against its recoding and their own recount, and not its figures; `sides` names the file beside it.
    """
    journal = run.engine.journal
    plan, opened = planned.plan, planned.opened
    with journal.step("recode"):
        staged = run.scratch.table("staged")
        found = None
        if new:
            check_counted(run.policy, Channel.NEW_ROWS)
            made, found = recode_new(run, planned, staged, stem=sides)
        else:
            made = recode(run, planned, staged)
        with keys_in_session(run):
            run.engine.execute(made.staging)
    with journal.step("verify"):
        statements = verify_statements(run.policy, staged, opened.table, made.released)
        if found is None:
            checked = recount(run, statements, plan, opened)
        else:
            checked = _recount_new(run, statements, found)
        quasi = [name for each in made.released for name in each.names]
        checked = replace(
            checked, linked=count_linked(run, staged, quasi, linking_columns(run.policy))
        )
    order = [column.name for column in opened.columns]
    columns = tuple(staging_sql.output_columns(run.policy, made.released, order))
    return Staged(staged, columns, checked, found)


def recount(
    run: Session, statements: Sequence[tuple[Demand, Statement]], plan: Plan, opened: OpenSource
) -> Verification:
    """Run the recounts of a staged table; refuse one that falls short, or that the plan is untrue of.

    A plan is reviewed by its figures, so they are those of its release or there is none. What a
    recount does not tell (whether the node is optimal, what it costs) stays the plan's claim.
    """
    expected = opened.rows - plan.suppressed_rows
    claims = {each.columns: (each.classes, each.smallest_class) for each in plan.over}
    claims[()] = (plan.classes, plan.smallest_class)
    found: dict[tuple[str, ...], Verification] = {}
    untrue: list[Fault] = []
    for demand, statement in statements:
        counted = read_recount(run.engine.fetch(statement)[0], demand.requirements)
        over = _over(demand)
        if counted.rows == expected and not counted.passed:
            raise _short(counted, over)
        found[demand.columns] = counted
        if not demand.columns and counted.rows != expected:
            what = f"{expected} rows should be released, staging has {counted.rows}"
            untrue.append(Fault("recoding.suppressed_rows", what))
        if demand.columns in claims:
            untrue += _untrue(claims[demand.columns], counted, over)
    if untrue:
        raise _stale(run, plan, opened, untrue)
    return replace(found.pop(()), over=found)


def _recount_new(
    run: Session, statements: Sequence[tuple[Demand, Statement]], new: NewRows
) -> Verification:
    """Run the recounts of rows that no plan was made from; refuse what falls short, or is nothing."""
    found: dict[tuple[str, ...], Verification] = {}
    for demand, statement in statements:
        counted = read_recount(run.engine.fetch(statement)[0], demand.requirements)
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


def _untrue(claim: tuple[int, int], counted: Verification, over: str) -> Iterator[Fault]:
    """Hold what a plan says of its classes against what was counted."""
    classes, smallest = claim
    if counted.classes != classes:
        what = f"should be {classes}{over}, staging has {counted.classes}"
        yield Fault("figures.classes", what)
    if counted.smallest_class != smallest:
        what = f"should be {smallest}{over}, staging has {counted.smallest_class}"
        yield Fault("figures.smallest_class", what)


def _stale(run: Session, plan: Plan, opened: OpenSource, untrue: list[Fault]) -> StalePlanError:
    """Tell whether the source is another by now, or the plan was never true of it."""
    if plan.source_fingerprint is None:
        why = (
            "what was recoded are not the rows that were counted: did the source change meanwhile?"
        )
        return StalePlanError("source", [*untrue, Fault("", why)])
    try:
        portable = is_portable(plan.source_fingerprint)
        changed = fingerprint(run, opened, portable=portable) != plan.source_fingerprint
    except SourceError:  # it has another number of rows
        changed = True
    if changed:
        return StalePlanError("source", [*untrue, Fault("", "the source changed meanwhile")])
    why = "the plan's figures are not those of its recoding; make the plan again and review it"
    return StalePlanError("plan", [*untrue, Fault("", why)])


def read_recount(row: Sequence[object], asked: Sequence[Requirement]) -> Verification:
    """Read the one row of the recount. A table without rows has nothing that could pass."""
    classes, rows, *rest = (int(str(cell)) if cell is not None else 0 for cell in row)
    short = rest.pop()
    worst: dict[str, dict[str, int | float]] = {}
    for each, found in zip(asked, rest, strict=True):
        if (attribute := each.measure.sensitive) is not None:
            shown = each.measure.as_written(found)
            worst.setdefault(each.measure.reported, {})[attribute.column] = shown
    return Verification(
        passed=short == 0 and rows > 0,
        rows=rows,
        classes=classes,
        smallest_class=rest[0],
        short_classes=short,
        worst=worst,
    )
