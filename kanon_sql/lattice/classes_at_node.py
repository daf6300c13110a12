"""The classes of one node as tables, for checks that need more than sums over classes.

A model of the whole table is decided on the sizes of the classes that fit all other models: the smallest are suppressed
until it holds. Only these sizes, and how many classes have each, leave the database.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice import smallest_classes_sql
from kanon_sql.privacy.table_models import ClassSizes, smallest_to_suppress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Row
    from kanon_sql.lattice.checker import Verdict
    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.frequency_sets import FrequencySet
    from kanon_sql.lattice.node import Node
    from kanon_sql.privacy.privacy_model import Requirement
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class ClassesAtNode:
    """A frequency set rolled up to a node: `all` of it, and the rows of the classes that are `kept`."""

    all: exp.Table
    kept: exp.Table


@contextmanager
def classes_at_node(
    run: Session, encoded: Encoded, counting: Counting, finer: FrequencySet, node: Node, *, but: int
) -> Iterator[ClassesAtNode]:
    """Yield a set rolled up to a node, and the classes that fit there except the `but` smallest.

    Of classes of one size the first by the bytes of their labels are left out: the same on every engine.
    """
    engine, scratch = run.engine, run.scratch
    all_, kept = scratch.table("all"), scratch.table("fitting")
    tables = [all_, kept]
    engine.execute(counting.roll_ups(all_, finer.table, [node], rows=finer.rows))
    if (population := counting.population) is not None:
        tables.append(scratch.table("population"))
        engine.execute(population.roll_up(counting, tables[-1], node))
        counting = replace(counting, population=replace(population, table=tables[-1]))
    engine.execute(counting.fitting_classes(kept, all_))
    if but:
        fitting, kept = kept, scratch.table("kept")
        tables.append(kept)
        ranks = encoded.ranks(run, node)
        engine.execute(
            smallest_classes_sql.without_smallest(counting, kept, fitting, ranks, classes=but)
        )
    yield ClassesAtNode(all_, kept)
    for each in tables:
        scratch.drop(each)


def sizes_by_node(nodes: Sequence[Node], rows: Iterable[Row]) -> dict[Node, ClassSizes]:
    """Return the sizes of each node's fitting classes; a row has a size, classes, their rows, the node."""
    found: dict[Node, list[tuple[int, int]]] = {node: [] for node in nodes}
    for size, classes, _, at in ((int(str(cell)) for cell in row) for row in rows):
        found[nodes[at]].append((size, classes))
    return {node: ClassSizes.of(counts) for node, counts in found.items()}


def without_smallest(
    verdict: Verdict,
    required: Sequence[Requirement],
    sizes: ClassSizes,
    max_suppressed: int,
    *,
    exact: bool,
) -> Verdict:
    """Suppress the smallest of a node's fitting classes until the others meet `required`.

    `sizes` counts the fitting classes by size. Unless `exact`, classes are suppressed only as far as the limit allows:
    for an infeasible node `suppressed` is then a lower bound.
    """
    counts = verdict.counts
    most = sizes.classes - 1
    if not exact:
        most = min(most, sizes.most_within(max(max_suppressed - counts.suppressed, 0)))
    also = smallest_to_suppress(required, sizes, most) if sizes.classes else 0
    if exact and also > most:
        also = sizes.classes
    left = sizes.without_smallest(also)
    suppressed = counts.suppressed + sizes.rows - left.rows
    counts = replace(
        counts,
        classes=left.classes,
        failing=counts.failing + sizes.classes - left.classes,
        suppressed=suppressed,
        smallest_suppressed=also,
    )
    if counts.squares is not None and counts.failing_squares is not None:
        counts = replace(
            counts,
            smallest_kept=left.counts[0][0] if left.counts else 0,
            squares=left.squares,
            failing_squares=counts.failing_squares + sizes.squares - left.squares,
        )
    return replace(
        verdict, counts=counts, feasible=suppressed <= max_suppressed and left.classes > 0
    )
