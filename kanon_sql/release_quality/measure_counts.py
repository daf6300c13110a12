"""Measures counts that readers make in a release: COUNT queries, and the counts of every two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.errors import Fault, InputError
from kanon_sql.release_quality import quality_sql
from kanon_sql.release_quality.beside_source import covered_values, stage_beside_source, uncovered
from kanon_sql.release_quality.count_queries import QueriedRelease
from kanon_sql.release_quality.figures import BY_CLASSES_ALONE, Hidden
from kanon_sql.release_quality.two_columns import TablesBeside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.release_quality.beside_source import ReleaseBesideSource
    from kanon_sql.release_quality.count_labels import LabelledRelease
    from kanon_sql.release_quality.count_queries import Workload
    from kanon_sql.release_quality.figures import ClassSums
    from kanon_sql.release_quality.measure_release import Measurable
    from kanon_sql.release_quality.measured import QueryErrors, TwoColumns


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
        places = of.run.engine.fetch(quality_sql.places(values))
        queried = QueriedRelease(of.run, of.mapped, values, before, after)
        found = queried.errors(asked, [whole(count) for _, count in places])
    rows, released = (each.rows for each in sums)
    tables_beside = TablesBeside(of.run, values, before, after, rows, released, codes, coded)
    return found, tables_beside.measure()


def _values_of_labels(
    of: Measurable,
    labelled: LabelledRelease | str,
    hidden: Hidden | str,
    beside: ReleaseBesideSource | None,
) -> Sequence[exp.Table] | str:
    """Return a table per column of its values and the labels that cover them, or why these are unknown.

    Labels of a hierarchy are looked up there, other labels in `beside`, the plan's own release that was staged again.
    """
    problem = labelled if isinstance(labelled, str) else _problem(hidden)
    if of.planned is not None and beside is not None:
        why = uncovered(of.planned, by_order=of.by_order)
        return covered_values(of.run, of.planned, beside) if why is None else why
    if problem is not None or isinstance(labelled, str):
        return problem or ""
    levels = labelled.levels(None if of.plan is None else of.plan.recoding)
    return [
        of.run.scratch.create("values", quality_sql.values, each, at)
        for each, at in zip(of.mapped, levels, strict=True)
    ]


def staged_release(of: Measurable) -> ReleaseBesideSource | None:
    """Stage the plan's own release beside its source; None if its labels can be looked up in hierarchies."""
    if of.planned is None or of.planned.opened.left_out:
        return None
    if of.by_order or any(each.column.output.is_of_rows for each in of.mapped):
        return stage_beside_source(of.run, of.planned)
    return None


def _problem(hidden: Hidden | str) -> str | None:
    return hidden if isinstance(hidden, str) else hidden.problem
