"""The classes of one node as tables, for checks and costs that need more than sums over classes.

A model of the whole table is decided on the sizes of the classes that fit all other models: the smallest are suppressed
until it holds. Only these sizes, and how many classes have each, leave the database. Datafly suppresses the smallest
class in the same way. Exact costs look up or sum numbers of items, which are pairs of a column and a level.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.mapping_sql import leaf_count
from kanon_sql.policy.metrics.statistics import Need
from kanon_sql.policy.privacy.table_models import ClassSizes, smallest_to_suppress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.counting_sql import Counting
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import FrequencySet, Verdict
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Row
    from kanon_sql.policy.hierarchies.mapping_sql import Packing
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import TableStatistics
    from kanon_sql.policy.privacy.privacy_model import Requirement


@dataclass(frozen=True, slots=True)
class Rank:
    """Where the labels of one column stand in the order of their bytes, by their bits in the keys."""

    table: exp.Table
    masks: tuple[int, ...]


def missing(counting: Counting, all_: exp.Table, fitting: exp.Table) -> Statement:
    """Count what a rolled-up set holds beyond what fits, as the policy counts: rows, or entities."""
    keys = [name(key) for key in counting.packing.keys]
    leaves = {"all": all_, "fitting": fitting, "keys": keys, "entity": counting.entity}
    return Statement("lattice/missing", leaves)


def suppress_smallest(
    counting: Counting,
    after: exp.Table,
    before: exp.Table,
    ranks: Sequence[Rank],
    *,
    classes: int,
) -> Statement:
    """Leave out of a rolled-up set so many classes of fewest rows, of those of one size the first by their labels."""
    ranked = [
        {
            "table": rank.table,
            "alias": name(f"r{n}"),
            "code": column("code", of=f"r{n}"),
            "places": _places(counting.packing, rank.masks),
        }
        for n, rank in enumerate(ranks)
    ]
    keys = [name(key) for key in counting.packing.keys]
    leaves = {"left": after, "before": before, "keys": keys, "ranks": ranked}
    return Statement("lattice/without_smallest", {**leaves, "classes": literal(classes)})


def ranks(packing: Packing, rank: Rank, codes: exp.Table, released: exp.Table) -> Statement:
    """Return the number of each label of one column in its release map, by its bits in the keys."""
    return Statement(
        "lattice/ranks",
        {
            "ranks": rank.table,
            "codes": codes,
            "released": released,
            "keys": _places(packing, rank.masks),
            "value": column("value", of="c"),
            "label": column("value", of="r"),
        },
    )


def _places(packing: Packing, masks: Sequence[int]) -> list[dict[str, exp.Expr]]:
    return [
        {"as": name(key), "mask": literal(mask)}
        for key, mask in zip(packing.keys, masks, strict=True)
        if mask
    ]


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
    if counting.counters is not None:  # only the first set of all has the values themselves
        counting = replace(counting, counters=None)
        finer = replace(finer, table=encoded.table, rows=encoded.set_rows)
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
        engine.execute(suppress_smallest(counting, kept, fitting, ranks, classes=but))
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


def numbers(
    table: exp.Table, columns: Mapping[str, bool], rows: Sequence[Sequence[int]]
) -> Statement:
    """Create a table of whole numbers; `columns` says of each by its name whether it takes 64 bits."""
    described = [{"as": name(text), "wide": wide} for text, wide in columns.items()]
    leaves = {"table": table, "columns": described, "rows": rows}
    return Statement("lattice/numbers", leaves)


@dataclass(frozen=True)
class Items:
    """The (column, level) pairs whose share among the suppressed rows must be looked up.

    At all others the figure is the same for every row, so it needs no statement.
    """

    numbers: dict[tuple[int, int], int]

    def of(self, node: Node) -> dict[int, int]:
        """Map the numbers of a node's items that must be looked up to their columns."""
        pairs = enumerate(node.levels)
        return {self.numbers[pair]: pair[0] for pair in pairs if pair in self.numbers}

    def table(self, items: exp.Table, packing: Packing) -> Statement:
        rows = [
            [number, *packing.column_masks(quasi, level)]
            for (quasi, level), number in self.numbers.items()
        ]
        masks = {f"mask_{n + 1}": True for n in range(len(packing.keys))}
        return numbers(items, {"item": False, **masks}, rows)

    def weights(
        self, weights: exp.Table, packing: Packing, codes: Sequence[exp.Table]
    ) -> Statement:
        sources = []
        for (quasi, level), number in self.numbers.items():
            keys = [
                {
                    "as": name(key),
                    "code": column(key) if packing.uses(quasi, n) else None,
                    "mask": literal(packing.column_masks(quasi, level)[n]),
                }
                for n, key in enumerate(packing.keys)
            ]
            sources.append(
                {
                    "item": literal(number),
                    "codes": codes[quasi],
                    "places": keys,
                    "leaves": name(leaf_count(level)) if level else literal(1),
                }
            )
        return Statement("lattice/weights", {"weights": weights, "sources": sources})


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The items, and where there are any the tables of their masks and of their leaves."""

    items: Items
    tables: tuple[exp.Table, exp.Table] | None = None


def kept_labels(
    counting: Counting,
    finer: exp.Table,
    node: Node,
    looked_up: LookedUp,
    *,
    kept: exp.Table | None = None,
) -> Statement:
    """Sum over the kept rows the leaves under their labels where these differ, column by column, and their products.

    Binds the node's masks, but none with `kept`.
    """
    if looked_up.tables is None:
        raise InternalError("the leaves of labels were not looked up")
    packing, weights = counting.packing, looked_up.tables[1]
    labels = [
        {
            "as": name(f"l{quasi}"),
            "leaves": column("leaves", of=f"l{quasi}"),
            "wide": name(f"wide_{quasi}"),
            "item": literal(item),
            "places": [
                {"as": name(key), "mask": literal(mask)}
                for key, mask in zip(
                    packing.keys, packing.column_masks(quasi, node.levels[quasi]), strict=True
                )
            ],
        }
        for item, quasi in looked_up.items.of(node).items()
    ]
    masks = [literal(mask) for mask in packing.masks(node)]
    leaves = {
        **counting.class_leaves(finer, 1, kept),
        "places": [
            {"as": name(key), "mask": m} for key, m in zip(packing.keys, masks, strict=True)
        ],
        "weights": weights,
        "labels": labels,
    }
    return Statement("lattice/kept_labels", leaves)


@dataclass(frozen=True, slots=True)
class KeptLabels:
    """Sums over the kept rows of a node: of each column the leaves under labels that have several, and the ambiguity."""

    wide: tuple[int, ...]
    ambiguity: float
    all_tuples: int

    @classmethod
    def of(
        cls,
        stats: TableStatistics,
        node: Node,
        kept: int,
        items: Items | None = None,
        row: Row = (),
    ) -> KeptLabels:
        """Read what was summed, and multiply where all labels of a level have the same leaves."""
        widest = [
            of.levels[level].widest for of, level in zip(stats.columns, node.levels, strict=True)
        ]
        wide = [kept * leaves if leaves > 1 else 0 for leaves in widest]
        ambiguity, *sums = (float(str(cell)) for cell in row) if row else (float(kept),)
        counted = [] if items is None else list(items.of(node).values())
        for quasi, found in zip(counted, sums, strict=True):
            wide[quasi] = int(found)
        same = math.prod(leaves for at, leaves in enumerate(widest) if at not in counted)
        all_tuples = math.prod(of.domain for of in stats.columns)
        return cls(tuple(wide), ambiguity * same, all_tuples)

    def figures(self, need: Need) -> list[float]:
        """Give what a metric needs of them, a number a column."""
        if need is Need.WIDE:
            return [float(leaves) for leaves in self.wide]
        return [self.ambiguity / self.all_tuples for _ in self.wide]
