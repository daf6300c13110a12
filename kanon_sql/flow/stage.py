"""Recode into staging and recount there: what is not yet a release, or nothing at all."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kanon_sql.errors import (
    Fault,
    StalePlanError,
    StatementError,
    VerificationError,
)
from kanon_sql.flow.script import (
    core_statements,
    key_names,
    released_columns,
    verify_statements,
)
from kanon_sql.flow.source import secret
from kanon_sql.sql import recoding
from kanon_sql.sql.released import release_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.flow.hierarchies import Mapped
    from kanon_sql.flow.session import Session
    from kanon_sql.flow.source import Opened
    from kanon_sql.model.plan import Plan
    from kanon_sql.model.privacy import Demand
    from kanon_sql.sql.released import Released
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class Verification:
    """The recount of a table, taken from its own rows and nothing else.

    `over` holds the recounts over other sets of quasi-identifiers, by their names in the policy.
    """

    passed: bool
    rows: int
    classes: int
    smallest_class: int
    short_classes: int
    distinct: dict[str, int]
    over: Mapping[tuple[str, ...], Verification] = field(default_factory=dict)

    def summary(self) -> dict[str, object]:
        """Give what `verify --json` prints."""
        told: dict[str, object] = {
            "passed": self.passed,
            "smallest_class": self.smallest_class,
            "classes": self.classes,
            "rows": self.rows,
            "short_classes": self.short_classes,
        }
        if self.distinct:
            told["least_distinct"] = self.distinct
        if self.over:
            told["over"] = [
                {"columns": list(columns), **found.summary()}
                for columns, found in self.over.items()
            ]
        return told


@dataclass(frozen=True, slots=True)
class Staged:
    """The release before it is one: a scratch table that passed its recount."""

    table: exp.Table
    columns: tuple[str, ...]
    verification: Verification


def stage(run: Session, plan: Plan, opened: Opened, mapped: Sequence[Mapped]) -> Staged:
    """Recode the source into a scratch table and recount it.

    Guarantee: what is returned has passed; every row of the source is in it or was suppressed in
    a class that does not fit. Raises StalePlanError when the rows are not those of the plan, and
    VerificationError when the recount falls short.
    """
    journal = run.engine.journal
    with journal.step("recode"):
        staged = run.scratch.table("staged")
        released, _, staging = find_failing(run, plan, opened, mapped, staged)
        with _keys_in_session(run):
            run.engine.say(staging)
    with journal.step("verify"):
        expected = opened.rows - plan.suppressed_rows
        checked = recount(run, verify_statements(run.policy, staged, released), expected)
    order = [column.name for column in opened.columns]
    return Staged(staged, tuple(recoding.output_columns(run.policy, released, order)), checked)


def find_failing(
    run: Session, plan: Plan, opened: Opened, mapped: Sequence[Mapped], staged: exp.Table
) -> tuple[list[Released], exp.Table, Statement]:
    """Map values to labels, find the classes that do not fit, and say how the rest is staged."""
    released = released_columns(
        run.policy,
        plan.recoding,
        plan.heights,
        opened.columns,
        lambda _: run.scratch.table("release_map"),
    )
    for each, one in zip(mapped, released, strict=True):
        run.engine.say(release_map(one, each.domain, each.paths))
    failing = run.scratch.table("failing")
    *found, staging = core_statements(
        run.policy,
        opened.table,
        failing,
        staged,
        released,
        recoded=plan.recoding,
        columns=opened.columns,
        rows=opened.rows,
        named=lambda what, _: run.scratch.table(what),
        moved=run.scratch.table("moved"),
    )
    for statement in found:
        run.engine.say(statement)
    return released, failing, staging


@contextmanager
def _keys_in_session(run: Session) -> Iterator[None]:
    """Bind the secrets of pseudonyms for as long as they are needed."""
    held: list[str] = []
    try:
        for env in key_names(run.policy):
            for name, pad in recoding.padded_keys(env, secret(env) or b"").items():
                held.append(name)
                run.engine.hold_key(name, pad)
        yield
    finally:
        for name in held:
            with suppress(StatementError):  # in a broken transaction; never hide what broke it
                run.engine.forget_key(name)


def recount(
    run: Session, statements: Sequence[tuple[Demand, Statement]], expected: int
) -> Verification:
    """Run the recounts of a staged table and refuse to go on where one falls short."""
    found: dict[tuple[str, ...], Verification] = {}
    for demand, statement in statements:
        counted = read_recount(run.engine.ask(statement)[0], list(demand.diversities))
        if counted.rows != expected:
            what = f"{expected} rows should be released, staging has {counted.rows}"
            raise StalePlanError("source", [Fault("", f"{what}; the source changed meanwhile")])
        if not counted.passed:
            over = f" over {', '.join(demand.columns)}" if demand.columns else ""
            raise VerificationError(
                f"the staged release failed its recount: {counted.short_classes} of "
                f"{counted.classes} classes{over} fall short, the smallest has "
                f"{counted.smallest_class}; it was dropped and nothing was published"
            )
        found[demand.columns] = counted
    return replace(found.pop(()), over=found)


def read_recount(row: Sequence[object], diversities: Sequence[str]) -> Verification:
    """Read the one row of the recount. A table without rows has nothing that could pass."""
    classes, rows, smallest, *rest = (int(str(cell)) if cell is not None else 0 for cell in row)
    short = rest.pop()
    return Verification(
        passed=short == 0 and rows > 0,
        rows=rows,
        classes=classes,
        smallest_class=smallest,
        short_classes=short,
        distinct=dict(zip(diversities, rest, strict=True)),
    )
