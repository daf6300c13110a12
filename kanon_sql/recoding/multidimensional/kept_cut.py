"""The cut of a table in a file beside its plan: `apply` assigns rows by it, in place of a second search.

The file has the branches of all regions, of each leaf whose rows were grouped the number of each group's first row, and of
columns that show values whose counts are close the rank of each region's. Its numbers are of regions, axes, rows, and
coordinates, which are ranks of values; it has no value. Each row names its plan by
the hash of the plan's regions, which is keyed.

Guarantee: the file decides nothing that is not checked. The regions that it leads to must have the plan's own hash, else the
plan is refused; a release is recounted as any other. Without the file, or if it is of another plan or its places are numbered
otherwise, the table is cut again, into the same regions.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.plan import cut_in
from kanon_sql.engines.base import ElsewhereError
from kanon_sql.engines.local_files import OwnFolder, atomic_write
from kanon_sql.errors import Fault, InputError, StalePlanError, StatementError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.recodings import Multidimensional
    from kanon_sql.counting.run.session import Session
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.multidimensional.regions_sql import Regions

KEPT_FROM = 50_000
"""The rows from which a cut is kept: a smaller table is cut again in about a second, and needs no file."""

COLUMNS = ("plan", "region", "axis", "low", "high", "child")
"""A branch is `child`, of `region`, from `low` to `high` on `axis`; a group has `low` alone, its first row in the leaf `region`;
a value that `region` shows has `axis`, its column, and `high`, its rank."""

NUMBERING = "from the lowest bit"
"""How places are numbered. Another numbering has another name here, so that a file of an earlier version is not used."""

WITHOUT = "delete it, and the source is cut again; or make the plan again"


@dataclass(frozen=True, slots=True)
class KeptCut:
    """The tables of a kept cut: the branches of all depths in one, and the first rows of groups if rows were grouped.

    `shown` has the ranks of the values that regions show, if a column shows such.
    """

    file: str
    branches: exp.Table
    starts: exp.Table | None
    shown: exp.Table | None
    depth: int

    def leads(self) -> tuple[exp.Table, ...]:
        """Return the table of branches once for each depth: no two depths have a region in common."""
        return (self.branches,) * self.depth


def _named(recoding: Multidimensional) -> str:
    """Name the plan of a file's rows by its regions, and the numbering that they are in."""
    return f"{recoding.digest}, places {NUMBERING}"


def is_worth_keeping(made: PartitionedTable, rows: int) -> bool:
    """Return whether `apply` gains by a kept cut: not of a small table, nor of one sort of all rows, which searches nothing."""
    runs = made.space.regions.runs
    searched = made.branches or (runs is not None and not runs.one_sort)
    return rows >= KEPT_FROM and bool(searched) and made.lined is None


def keep_in_process(run: Session, made: PartitionedTable, rows: int) -> OwnFolder | None:
    """Write the cut of a plan that no file is beside into a folder of this process; None where there is no need."""
    if not is_worth_keeping(made, rows):
        return None
    folder = OwnFolder()
    return None if keep_cut(run, made, rows, cut_in(folder)) is None else folder


def keep_cut(run: Session, made: PartitionedTable, rows: int, stem: str) -> str | None:
    """Write the cut of a table of so many `rows` to a file, replacing one of that name; return its path.

    None where there is no need, or where an engine's files are not this machine's. Raises InputError where it cannot be
    written.
    """
    if not is_worth_keeping(made, rows):
        return None
    runs = made.space.regions.runs
    groups = None if runs is None else made.assigned
    table = run.scratch.table("kept_cut")
    shown = sorted(made.released.together.items())
    run.engine.execute(kept_cut(table, made.branches, groups, shown, of=_named(made.recoding)))
    path = Path(f"{stem}.{run.engine.capabilities.boundary_format}")
    try:
        with atomic_write(path) as place:
            run.engine.keep(table, COLUMNS, str(place.written))
            for each in place.written.rglob(".*.crc"):  # Hadoop's own checksum of each file
                each.unlink()
            place.move(replace=True)
    except ElsewhereError:
        return None
    except OSError as error:
        what = f"cannot be written ({os.strerror(error.errno or 0)})"
        raise InputError(str(path), [Fault("", what)]) from error
    finally:
        run.scratch.drop(table)
    return str(path)


def read_cut(run: Session, recoding: Multidimensional, stem: str | None) -> KeptCut | None:
    """Read the cut of a plan from its file; None where there is none of this plan. Raises StalePlanError.

    A file of an earlier version, without the values that regions show, is not used where the policy says that they do.
    """
    path = "" if stem is None else f"{stem}.{run.engine.capabilities.boundary_format}"
    if not path or not Path(path).exists():
        return None
    like = run.scratch.create("like", empty_cut)
    seen, own = run.scratch.table("recalled"), run.scratch.table("kept_cut")
    try:
        run.scratch.is_view(seen, view=run.engine.recall(seen, like, path))
        if [each.name for each in run.engine.columns(seen)] != list(COLUMNS):
            return None
        run.engine.execute(cut_of_plan(own, seen, of=_named(recoding)))
    except StatementError as error:
        what = f"cannot be read ({error.why}); {WITHOUT}"
        raise StalePlanError(path, [Fault("", what)]) from error
    branches, starts, values = run.engine.fetch_counts(count_cut(own))
    shows = any(each.output.together for each in run.policy.quasi)
    if not branches + starts or (shows and not values):
        return None
    return KeptCut(
        path,
        run.scratch.create("branches", kept_branches, own),
        run.scratch.create("starts", kept_starts, own) if recoding.runs else None,
        run.scratch.create("shown", kept_values, own) if shows else None,
        recoding.depth,
    )


def check_cut(kept: KeptCut, *, same: bool) -> None:
    """Raise StalePlanError where a kept cut led to other regions than the plan has."""
    if not same:
        what = f"does not lead to the regions of the plan; {WITHOUT}"
        raise StalePlanError(kept.file, [Fault("", what)])


def kept_cut(
    table: exp.Table,
    branches: Sequence[exp.Table],
    groups: exp.Table | None,
    shown: Sequence[tuple[int, exp.Table]] = (),
    *,
    of: str,
) -> Statement:
    """Create the table of a cut, for a file: the branches of all depths, the first row of each group, and the values shown.

    `shown` has the number of each column that shows one, with the table of its places by region.
    """
    leaves = {
        "kept": table,
        "branches": branches,
        "groups": groups,
        "shown": [{"axis": number, "cells": cells} for number, cells in shown],
        "plan": literal(of),
    }
    return Statement("multidimensional/kept_cut/kept_cut", leaves)


def empty_cut(table: exp.Table) -> Statement:
    """Create an empty table with the columns and types of a kept cut."""
    return Statement("multidimensional/kept_cut/empty_cut", {"kept": table, "plan": literal("")})


def cut_of_plan(table: exp.Table, seen: exp.Table, *, of: str) -> Statement:
    """Copy the rows of a file that are of one plan."""
    return Statement(
        "multidimensional/kept_cut/cut_of_plan", {"kept": table, "seen": seen, "plan": literal(of)}
    )


def count_cut(kept: exp.Table) -> Statement:
    """Count the branches, the groups and the shown values of a kept cut."""
    return Statement("multidimensional/kept_cut/count_cut", {"kept": kept})


def kept_branches(table: exp.Table, kept: exp.Table) -> Statement:
    """Create the table of the branches of a kept cut."""
    return Statement("multidimensional/kept_cut/kept_branches", {"branches": table, "kept": kept})


def kept_starts(table: exp.Table, kept: exp.Table) -> Statement:
    """Create the table of the first rows of groups, each with its leaf."""
    return Statement("multidimensional/kept_cut/kept_starts", {"starts": table, "kept": kept})


def kept_values(table: exp.Table, kept: exp.Table) -> Statement:
    """Create the table of the ranks of the values that regions show, each with the number of its column."""
    return Statement("multidimensional/kept_cut/kept_values", {"shown": table, "kept": kept})


def leaf_rows(table: exp.Table, leaves: exp.Table) -> Statement:
    """Count the rows of each leaf, of tuples that were led there."""
    return Statement("multidimensional/kept_cut/leaf_rows", {"counted": table, "leaves": leaves})


def runs_from_starts(
    regions: Regions, table: exp.Table, line: exp.Table, starts: exp.Table
) -> Statement:
    """Group the ordered tuples of each leaf into runs that begin at given rows. A tuple that lies in several is in each."""
    leaves = {"runs": table, "line": line, "starts": starts, "carried": regions.carried}
    return Statement("multidimensional/runs/runs_from_starts", leaves)
