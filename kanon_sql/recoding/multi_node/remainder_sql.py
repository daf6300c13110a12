"""Statements that release the rows of one table at several nodes, one after another.

They end in two tables: `moved` has, for each class that is not released at the first node, the
level of each of its columns; `failing` has the classes that are suppressed. Both name classes by
the codes of the finest levels used, as local suppression does, so one statement stages either.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.labels_sql import class_code, class_rows, classes
from kanon_sql.privacy.fitting_sql import FittingSet, KeyPart, rest
from kanon_sql.sql.quoting import name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.lattice.node import Node
    from kanon_sql.privacy.privacy_model import Requirement


def released_at_nodes(
    source: exp.Table,
    released: Sequence[Released],
    nodes: Sequence[Node],
    needed: Sequence[Requirement],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
    entity: str | None,
    rows: int = 0,
) -> Iterator[Statement]:
    """Find out at which node each class is released, by the source's own rows.

    The first of `steps` becomes the table of all classes at the finest levels used, each other
    what the layers before leave of it, and `failing` what the last one leaves.
    """
    yield classes(steps[0], source, released, needed, entity=entity, rows=rows)
    where = class_rows(needed, source, entity=entity)
    for node, (before, left) in zip(nodes, pairwise([*steps, failing]), strict=True):
        codes = [
            name(class_code(i, r, at))
            for i, (r, at) in enumerate(zip(released, node.levels, strict=True))
        ]
        parts = [KeyPart(code, code) for code in codes]
        yield rest(left, before, FittingSet(parts, needed, where))
    yield Statement(
        "multi_node/moved",
        {
            "moved": moved,
            "codes": [name(f"class_{i}") for i in range(len(released))],
            "levels": [name(f"level_{i}") for i in range(len(released))],
            "steps": [
                {"remainder": left, "levels": node.levels}
                for left, node in zip(steps[1:], nodes[1:], strict=True)
            ],
        },
    )
