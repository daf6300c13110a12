"""Recodes the source into a staging table and recounts it there, before it is published as a release."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.released_types import misfit_problems, types_of_release
from kanon_sql.counting.source.released_types_sql import typed_rows
from kanon_sql.errors import StalePlanError
from kanon_sql.policy.linkable import linking_columns
from kanon_sql.policy.privacy.demands import requirements, sensitive_attributes
from kanon_sql.recoding.label_codes import TEXT, stage_rows
from kanon_sql.recoding.linked_rows import count_linked, count_unique
from kanon_sql.recoding.new_rows.recode_new_rows import recode_new
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.recount import recount, recount_new
from kanon_sql.release.added_rows import AddedRows
from kanon_sql.release.count_risk import count_risk
from kanon_sql.release.executors import NEW_ROWS, check_executor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlglot import exp

    from kanon_sql.counting.plans.text_types import TextType
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.locations import Destination
    from kanon_sql.recoding.new_rows.recode_new_rows import NewRows
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery
    from kanon_sql.recoding.recount import Verification


@dataclass(frozen=True, slots=True)
class Staged:
    """A staged release: a scratch table that passed its recount, and the query that made it.

    `snapshot` is the version of the lake's table that it was made from. `new` counts new or added rows. If some of its
    texts are released as values of `types`, the table is a view with these.
    """

    table: exp.Table
    columns: tuple[str, ...]
    verification: Verification
    new: NewRows | AddedRows | None = None
    query: ReleaseQuery | None = None
    snapshot: str | None = None
    types: Mapping[str, TextType] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows to publish; the `verification` of a partition counts the published rows too."""
        return self.new.added if isinstance(self.new, AddedRows) else self.verification.rows


def with_types(
    run: Session, planned: Planned, destination: Destination | None, staged: Staged
) -> Staged:
    """Return a staged release with texts as values of the plan's types, if its destination holds types.

    Names of folders are texts. No two texts of a type are equal as values, so that the recount of texts holds.
    """
    if destination is not None and not destination.format.kind.holds_types:
        return staged
    folders = () if destination is None else destination.partition_by
    types = texts_of_types(run, planned, staged.table, without=folders)
    if not types:
        return staged
    view = run.scratch.table("typed")
    run.see(view, typed_rows(view, staged.table, staged.columns, types))
    return replace(staged, table=view, types=types)


def texts_of_types(
    run: Session, planned: Planned, table: exp.Table, *, without: Collection[str]
) -> dict[str, TextType]:
    """Return the types of the plan for columns of a release that are texts in a table.

    Raises StalePlanError where a text is not written as its type writes a value.
    """
    released = types_of_release(run.policy, planned.plan.types)
    if not released:
        return {}
    texts = {each.name for each in run.engine.columns(table) if each.family == "text"}
    types = {name: of for name, of in released.items() if name in texts and name not in without}
    if types and (faults := list(misfit_problems(run, table, types))):
        raise StalePlanError("plan", faults)
    return types


def stage(run: Session, planned: Planned, *, new: bool = False, boundaries: str = "") -> Staged:
    """Recode the source into a scratch table and recount it.

    Guarantee: the table passed its recount and has the plan's numbers; every row of the source is in it, or
    was suppressed in a class that does not fit, or is a new row that the recoding does not assign. Raises
    StalePlanError where it has not the plan's numbers, VerificationError where the recount falls short. Rows
    that are `new` to the plan are recoded by it and pass their own recount, but are not compared with the plan's
    numbers; `boundaries` is the path of the boundaries file.
    """
    journal = run.engine.journal
    with journal.step("recode"):
        staged = run.scratch.table("staged")
        new_rows = None
        if new:
            check_executor(run.policy, NEW_ROWS, planned.plan.recoding)
            query, new_rows = recode_new(run, planned, staged, stem=boundaries)
        else:
            query = recode(run, planned, staged)
        with keys_in_session(run):
            query = stage_rows(
                run, query, texts=frozenset() if new else _texts(run, planned.opened)
            )
    with journal.step("verify"):
        if new_rows is None:
            counted, sizes = recount(run, query.recounts(), planned.plan, planned.opened)
        else:
            counted, sizes = recount_new(run, query.recounts(), new_rows)
        of_plan = planned.plan if new_rows is None else None
        counted = replace(counted, risk=count_risk(run, query, of_plan, sizes=sizes))
        linked = count_linked(run, staged, query.quasi, linking_columns(run.policy))
        coded = query.rows
        unique = count_unique(run, coded.table, rows=counted.rows, codes=coded.coded)
        counted = replace(counted, linked=linked, unique_rows=unique)
    return Staged(staged, tuple(query.columns), counted, new_rows, query, planned.opened.snapshot)


def _texts(run: Session, opened: OpenSource) -> frozenset[str]:
    """Return the text columns of a source of files that no privacy model reads; empty for other sources."""
    if run.policy.source.path is None:  # a view may have other values each time it is read
        return frozenset()
    read = {each.column for each in sensitive_attributes(requirements(run.policy.privacy))}
    return frozenset(
        each.name
        for each in opened.columns
        if each.type == TEXT and not each.collated and each.name not in {*read, run.policy.entity}
    )
