"""The figures of a state that is no node: those of a search, whose release is staged and counted."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.explorer.node_figures import ShownClass, StateFigures
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.interrupts import searching
from kanon_sql.engines.source import source_sql
from kanon_sql.evidence.explanation.explain_regions import region_columns
from kanon_sql.evidence.release_quality.simple_counts import count_simply
from kanon_sql.policy.model import Rare
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import size_counts
from kanon_sql.recoding.axes import BILLION
from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
from kanon_sql.recoding.planning.make_plan import Planned, cut_plan, make_plan, mapped_columns
from kanon_sql.recoding.rare_bounds import count_rare_values
from kanon_sql.recoding.read_examples import read_examples
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.risk_sql import class_histogram
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, CutAlgorithm
from kanon_sql.recoding.staging_sql import hidden_entity

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.planning.make_plan import MappedSource


@dataclass(frozen=True, slots=True)
class SearchedState:
    """A search's figures, and its staged release, on which simple counts are measured when they are asked for."""

    run: Session
    planned: Planned
    staged: exp.Table
    figures: StateFigures

    def count_error(self) -> tuple[float, float] | None:
        """Return the error of simple counts: spread, and plain; None where it is not measured."""
        return count_simply(self.run, self.planned, self.staged)


@dataclass(frozen=True, slots=True)
class SearchedColumns:
    """A source with its columns mapped for a search that cuts them: its classes by size, and the values of each column."""

    source: MappedSource
    before: tuple[SizeCount, ...]
    values: tuple[int, ...]

    @classmethod
    def of(cls, run: Session, opened: OpenSource) -> SearchedColumns:
        """Map a source, and count its classes and values. Raises HierarchyError."""
        found = mapped_columns(run, opened)
        quasi = [column.name for column in run.policy.quasi]
        sizes = run.engine.fetch(class_histogram(opened.table, quasi, entity=run.policy.entity))
        values = (
            run.engine.fetch_count(source_sql.count_rows(each.domain)) for each in found.mapped
        )
        return cls(found, tuple(size_counts(sizes)), tuple(values))


def search_state(run: Session, columns: SearchedColumns, *, of_rows: int) -> SearchedState:
    """Search a source as the policy says, stage the release, and count its classes.

    The source may be a sample of one with `of_rows` rows. Raises InfeasibleError.
    """
    began = time.perf_counter()
    source = columns.source
    run, unshown = _without_rare_columns(run, source, of_rows=of_rows)
    planned = _planned(run, source)
    plan, policy = planned.plan, run.policy
    staged = run.scratch.table("staged")
    query = recode(run, planned, staged)
    with keys_in_session(run):
        run.engine.execute(query.staging)
    entity = hidden_entity(policy) or policy.entity
    counted_sizes = run.engine.fetch(class_histogram(staged, tuple(query.quasi), entity=entity))
    kept = tuple(size_counts(counted_sizes))
    examples = read_examples(run, query, rows=plan.released_rows)
    losses, shown = _column_shares(run, planned)
    figures = StateFigures(
        rows=plan.source_rows,
        suppressed=plan.suppressed_rows,
        limit=plan.max_suppressed,
        classes=plan.classes,
        smallest=plan.smallest_class,
        feasible=True,
        why="",
        entity=policy.entity,
        k=demands(policy.privacy)[0].class_size,
        sizes=kept,
        kept=kept,
        before=columns.before,
        cost=plan.cost,
        metric=plan.metric,
        quality=plan.figures,
        losses=losses,
        failing=(),
        columns=examples.columns,
        examples=tuple(
            ShownClass(
                tuple(
                    UNSHOWN if name in unshown else label
                    for name, label in zip(examples.columns, each.labels, strict=True)
                ),
                each.rows,
                each.people or each.rows,
            )
            for each in examples.classes
        ),
        seconds=time.perf_counter() - began,
        note=str(plan.recoding),
        shown=shown,
        sample=sample_text(plan.source_rows, of_rows, policy.entity),
    )
    return SearchedState(run, planned, staged, figures)


UNSHOWN = "not shown: rare in the sample"
"""The cell of a released row in place of a value of the source that too few rows or people of a sample have."""


def _without_rare_columns(
    run: Session, source: MappedSource, *, of_rows: int
) -> tuple[Session, frozenset[str]]:
    """Return the run that searches a sample, and the columns of which no cell may be shown.

    Such a column is released by values that k rows or people have, and none of its values has so many in the sample,
    although many may in the source. The sample is searched as if all could be released.
    """
    policy, opened = run.policy, source.opened
    if opened.source_rows == of_rows:
        return run, frozenset()
    k = demands(policy.privacy)[0].class_size
    found = set()
    for each in source.mapped:
        column = each.column
        if column.output.together and column.rare is Rare.NEAREST and each.units is None:
            statement = count_rare_values(
                opened.table, column.name, entity=policy.entity, least=k, rows=opened.rows
            )
            many, rare = run.engine.fetch_counts(statement)
            if many == rare:
                found.add(column.name)
    columns = tuple(
        replace(each, rare=Rare.SHOW) if each.name in found else each for each in policy.columns
    )
    return replace(run, policy=replace(policy, columns=columns)), frozenset(found)


def _planned(run: Session, source: MappedSource) -> Planned:
    policy = run.policy
    cuts = isinstance(ALGORITHMS[policy.search.algorithm], CutAlgorithm)
    if not cuts or (policy.of_rows and not policy.search.options.cuts_axes):
        return make_plan(run, opened=source.opened, released=True)
    with run.engine.journal.step("search"), searching(policy.search.time_limit) as deadline:
        plan, made = cut_plan(run, source, deadline=deadline)
    return Planned(plan, source.opened, source.mapped, made)


def _column_shares(
    run: Session, planned: Planned
) -> tuple[dict[str, float], dict[str, tuple[float, float, int]]]:
    """Return, for each column cut into regions, the mean width of its labels, and what its rows keep of it.

    That is the share of rows that keep one value, the share of rows whose label covers the whole column, and the
    number of regions in which no column is wider.
    """
    made = planned.cut
    if not isinstance(made, PartitionedTable):
        return {}, {}
    rows = run.engine.fetch(region_columns(made.regions, len(planned.mapped)))
    names, whole = [each.column.name for each in planned.mapped], planned.opened.rows
    figures = [[int(str(cell)) for cell in row] for row in rows]
    losses = {names[axis]: widths / BILLION / whole for axis, widths, *_ in figures}
    shown = {names[axis]: (one / whole, none / whole, most) for axis, _, one, none, most in figures}
    return losses, shown


def sample_text(rows: int, of_rows: int, entity: str | None) -> str:
    """Describe a sample; empty for all rows."""
    if rows == of_rows:
        return ""
    people = "" if entity is None else f", all rows of some values of {entity}"
    return f"a sample of {rows:,} of {counted(of_rows, 'row')}{people}, chosen at random and always the same"
