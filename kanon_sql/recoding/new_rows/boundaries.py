"""Recodes later rows by a plan that was made from others, and keeps the boundaries for this in a file beside the plan.

The plan has the file's hash, as `sides`. A row is withheld if a hierarchy has no entry for one of its values, if it
lies in no region, or if it has NULL where that is suppressed. The others are recoded as the plan states. Classes that
are too small among them are suppressed, however large they were among the plan's own rows, so that the release fits by
itself.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import SUFFIX, Plan, boundaries_beside, cut_beside
from kanon_sql.engines.base import ElsewhereError
from kanon_sql.engines.local_files import atomic_write
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError, StalePlanError, StatementError
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.recoding.multidimensional.kept_cut import keep_cut
from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis
from kanon_sql.recoding.new_rows import boundaries_sql
from kanon_sql.recoding.new_rows.assign import are_trees, may_overlap
from kanon_sql.recoding.recode import recoder_of

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery
    from kanon_sql.recoding.single_dimensional.column_cuts import ColumnCuts


AGAIN = "make the plan again"
NOT_KEPT = "later rows cannot be assigned with this plan, and no script can be compiled of it:"
OLD_SUFFIX = ".sides"
"""How the file's name ended in earlier versions, before the ending of its format."""


def boundaries_of(plan: str | Path | Plan) -> str:
    """Name the file of a plan's boundaries: beside its own, or where they were just written."""
    return (plan.beside or "") if isinstance(plan, Plan) else boundaries_beside(str(plan))


def make_boundaries(
    run: Session, made: PartitionedTable | ColumnCuts, *, branches: bool = True
) -> exp.Table:
    """Create the table of a search's boundaries; without `branches` it has the regions alone."""
    axes = made.space.regions.axes
    values = {}
    for n, axis in enumerate(axes):
        if isinstance(axis, LineAxis) and axis.units is None:
            values[n] = run.scratch.create("line_values", boundaries_sql.line_values, axis.table)
    table = run.scratch.table("boundaries")
    if isinstance(made, PartitionedTable) and may_overlap(run.policy):
        boxes = run.scratch.create("boxes", boundaries_sql.narrowest_first, made.regions, axes)
        statement = boundaries_sql.boundaries(table, axes, values, regions=boxes)
    elif isinstance(made, PartitionedTable):
        statement = boundaries_sql.boundaries(
            table,
            axes,
            values,
            regions=made.regions,
            branches=made.branches if branches else (),
        )
    else:
        statement = boundaries_sql.boundaries(table, axes, values, parts=made.regions)
    run.engine.execute(statement)
    return table


@dataclass(frozen=True, slots=True)
class Kept:
    """A recoding with the hash of its boundaries, their file and that of the cut; `why` may have the reason for none."""

    recoding: Recoding
    path: str | None = None
    why: str | None = None
    cut: str | None = None


def keep_beside(run: Session, made: PartitionedTable | ColumnCuts, rows: int, stem: str) -> Kept:
    """Write the boundaries of a table of so many `rows` to a file, and the cut of a table into regions to one beside it."""
    kept = keep_boundaries(run, made, stem)
    if isinstance(made, PartitionedTable):  # a plan has the intervals of columns itself
        return replace(kept, cut=keep_cut(run, made, rows, cut_beside(stem)))
    return kept


def keep_boundaries(run: Session, made: PartitionedTable | ColumnCuts, stem: str) -> Kept:
    """Write the boundaries to a file, replacing one of that name.

    The file is read back and compared. For regions that may overlap it has the bounds alone, the narrowest first, as
    rows are assigned to these; for others the branches too. No file is written if regions release what their own rows
    determine, such as a mean or a set, or nodes of lines, which it lacks; nor if a column is ordered by the frequency
    of its values, which later rows do not know. Raises InputError where it cannot be written.
    """
    if any(each.output.is_of_rows or each.output.by_nodes for each in made.space.labels) or (
        any(each.order is OrderKind.FREQUENCY for each in run.policy.quasi)
    ):
        return Kept(made.recoding)
    trees, table = are_trees(run.policy), make_boundaries(run, made)
    names = boundaries_sql.columns(trees)
    hashed = boundaries_hash(run, table)
    path = Path(_with_ending(run, stem))
    try:
        with atomic_write(path) as place:
            run.engine.keep(table, names, str(place.written))
            for each in place.written.rglob(".*.crc"):  # Hadoop's own checksum of each file
                each.unlink()
            seen = _recalled(run, table, str(place.written))
            if boundaries_hash(run, seen) != hashed:
                return Kept(made.recoding, why=f"{NOT_KEPT} a column is of a type that files lack")
            run.scratch.drop(seen)
            place.move(replace=True)
    except ElsewhereError:
        return Kept(made.recoding, why=f"{NOT_KEPT} the session's files are not this machine's")
    except OSError as error:
        what = f"cannot be written ({os.strerror(error.errno or 0)})"
        raise InputError(str(path), [Fault("", what)]) from error
    return Kept(made.recoding.with_boundaries(hashed), str(path))


def read_boundaries(
    run: Session, opened: OpenSource, recoding: Recoding, *, stem: str
) -> exp.Table:
    """Read a plan's boundaries, with the types of a source. Raises InputError and StalePlanError."""
    own, trees = [each.name for each in run.policy.quasi], are_trees(run.policy)
    like = run.scratch.create(
        "like", boundaries_sql.empty_boundaries, opened.table, run.policy.quasi, trees
    )
    table = check_boundaries(run, recoding, like, boundaries_file(run, recoding, stem))
    declared = {each.name: each.type for each in run.engine.columns(like)}
    found = {each.name: each.type for each in run.engine.columns(table)}
    faults = [
        Fault(f"columns.{of}", "is of another type than it was when the plan was made")
        for n, of in enumerate(own)
        if not trees[n] and declared[f"low_{n}"] != found[f"low_{n}"]
    ]
    if faults:
        raise StalePlanError("plan", faults)
    return table


def boundaries_file(run: Session, recoding: Recoding, stem: str) -> str:
    """Name the file of a plan's boundaries; raises InputError where there is none."""
    path = _with_ending(run, stem)
    if recoding.boundaries is None:
        by_frequency = [each for each in run.policy.quasi if each.order is OrderKind.FREQUENCY]
        what = "has no boundaries, by which rows are assigned: " + (
            "later rows know nothing of an order by frequency; take order: text"
            if by_frequency
            else f"{AGAIN} into a file (from Python, with boundaries=), with output: interval or bounds (or nodes, where "
            "a column has no order); a Spark Connect session keeps none"
        )
        where = [f"columns.{each.name}.order" for each in by_frequency] or ["recoding.boundaries"]
        raise InputError("plan", [Fault(each, what) for each in where])
    if not stem:
        what = "are in a file beside a plan's file, and this plan is no file; name theirs with boundaries="
        raise InputError("plan", [Fault("recoding.boundaries", what)])
    old = _with_ending(run, f"{stem.removesuffix(SUFFIX)}{OLD_SUFFIX}")
    if not Path(path).exists() and stem.endswith(SUFFIX) and Path(old).exists():
        return old
    if not Path(path).exists():
        what = f"is missing; it was written beside the plan: keep the two together, or {AGAIN}"
        raise InputError(path, [Fault("", what)])
    return path


def check_boundaries(run: Session, recoding: Recoding, like: exp.Table, path: str) -> exp.Table:
    """Read the boundaries in a file, if the plan has their hash. Raises StalePlanError."""
    trees = are_trees(run.policy)
    try:
        table = _recalled(run, like, path)
        named = boundaries_sql.columns(trees)
        if [each.name for each in run.engine.columns(table)] != named:
            raise StalePlanError(path, [Fault("", f"is not of this plan; {AGAIN}")])
        if boundaries_hash(run, table) != recoding.boundaries:
            what = f"is not the hash of {path}; {AGAIN}"
            raise StalePlanError("plan", [Fault("recoding.boundaries", what)])
    except StatementError as error:
        what = f"cannot be read ({error.why}); {AGAIN}"
        raise StalePlanError(path, [Fault("", what)]) from error
    return table


def _with_ending(run: Session, stem: str) -> str:
    """Return a file's name with its ending."""
    ending = f".{run.engine.capabilities.boundary_format}"
    return stem if stem.endswith(ending) else f"{stem}{ending}"


def _recalled(run: Session, like: exp.Table, path: str) -> exp.Table:
    seen = run.scratch.table("recalled")
    run.scratch.is_view(seen, view=run.engine.recall(seen, like, path))
    return seen


def boundaries_hash(run: Session, table: exp.Table) -> str:
    """Return the hash of a table of boundaries, as plans have it."""
    columns = [(text, False) for text in boundaries_sql.columns(are_trees(run.policy))]
    ((_, hashed),) = run.engine.fetch(source_sql.seal(table, columns, rows=0))
    return f"sha256:{hashed}"


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that a plan was not made from: their number, and how many the recoding assigns."""

    rows: int
    assigned: int

    @property
    def withheld(self) -> int:
        """The withheld rows: those that the recoding does not assign."""
        return self.rows - self.assigned

    def document(self, released: int) -> dict[str, int]:
        """Return the counts of new, withheld and suppressed rows."""
        return {
            "new_rows": self.rows,
            "withheld": self.withheld,
            "suppressed": self.assigned - released,
        }


def recode_new(
    run: Session, planned: Planned, staged: exp.Table, *, stem: str
) -> tuple[ReleaseQuery, NewRows]:
    """Return the query of new rows, its steps before staging executed; `stem` names the boundaries' file."""
    boundaries = boundaries_of_plan(run, planned, stem=stem)
    recoder = recoder_of(planned.plan.recoding)
    query, assigned = recoder.recode_new(run, planned, staged, boundaries)
    query = query.with_masks(planned.opened.columns)
    return query, NewRows(planned.opened.source_rows, assigned)


def boundaries_of_plan(run: Session, planned: Planned, *, stem: str) -> exp.Table | None:
    """Read the boundaries beside a plan; None if its recoding has none. Raises InputError and StalePlanError."""
    recoding = planned.plan.recoding
    return (
        read_boundaries(run, planned.opened, recoding, stem=stem)
        if recoding.has_boundaries
        else None
    )
