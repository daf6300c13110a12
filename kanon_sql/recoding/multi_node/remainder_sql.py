"""Statements that release the rows of one table at several nodes, one after another.

They end in two tables: `moved` has, for each class that is not released at the first node, the
level of each of its columns; `failing` has the classes that are suppressed. Both name classes by
the codes of the finest levels used, as local suppression does, so one statement stages either.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.labels_sql import class_code
from kanon_sql.privacy.fitting_sql import FittingSet, KeyPart, rest
from kanon_sql.sql.quoting import name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import SourceRows
    from kanon_sql.lattice.node import Node


def released_at_nodes(
    of: SourceRows,
    nodes: Sequence[Node],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
) -> Iterator[Statement]:
    """Find out at which node each class is released, by the source's own rows.

    The first of `steps` becomes the table of all classes at the finest levels used, each other
    what the nodes before leave of it, and `failing` what the last one leaves.
    """
    yield of.classes(steps[0])
    for node, (before, after) in zip(nodes, pairwise([*steps, failing]), strict=True):
        codes = [
            name(class_code(i, r, at))
            for i, (r, at) in enumerate(zip(of.released, node.levels, strict=True))
        ]
        parts = [KeyPart(code, code) for code in codes]
        yield rest(after, before, FittingSet(parts, of.needed, of.class_rows))
    yield Statement(
        "multi_node/moved",
        {
            "moved": moved,
            "codes": [name(f"class_{i}") for i in range(len(of.released))],
            "levels": [name(f"level_{i}") for i in range(len(of.released))],
            "steps": [
                {"remainder": left, "levels": node.levels}
                for left, node in zip(steps[1:], nodes[1:], strict=True)
            ],
        },
    )
