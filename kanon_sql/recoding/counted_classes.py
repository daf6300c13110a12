"""Take failing and released classes from the frequency set of the run's own search, not from the rows.

To count the classes of all rows again costs a tenth of a release, and where rows are joined one by one as much as
staging them. The set holds the same rows, in the run's snapshot. The staged rows are recounted by their labels, which
depend on neither.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice import smallest_classes
from kanon_sql.counting.lattice.smallest_classes import Rank
from kanon_sql.counting.plans.recodings import FullDomain
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.privacy.demands import joint_demands, requirements
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.recoding.staging_sql import weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.counting_sql import Counting
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery


def counted_classes(
    failing: exp.Table,
    frequency_set: exp.Table,
    counting: Counting,
    node: Node,
    labels: Sequence[Rank],
    *,
    least: int,
    rows: int,
) -> Statement:
    """Find the classes of a node that have fewer rows than `least`, named by the numbers of their labels."""
    counting = counting.of_nodes([node])
    described = [
        {
            "table": each.table,
            "alias": name(f"q{n}"),
            "code": column("code", of=f"q{n}"),
            "as": name(f"class_{n}"),
            "places": _places(counting, each.masks),
        }
        for n, each in enumerate(labels)
    ]
    leaves: dict[str, object] = {"failing": failing, "labels": described}
    leaves |= _of_classes(frequency_set, counting, node, least)
    return Statement("recoding/counted_classes", leaves, scans=rows)


def class_rows(
    named: exp.Table,
    frequency_set: exp.Table,
    counting: Counting,
    node: Node,
    quasi: Sequence[tuple[str, exp.Table]],
    *,
    least: int,
    weight: str,
    rows: int,
) -> Statement:
    """Write one row of the source for each class of a node that has at least so many rows, and that number as `weight`.

    `quasi` has each column with the codes of its values. Which of the values that a class has in a column stands there
    is not said: all are released as the same.
    """
    counting = counting.of_nodes([node])
    values = [
        {
            "codes": codes,
            "alias": name(f"q{n}"),
            "value": column("value", of=f"q{n}"),
            "as": name(text),
            "places": _places(counting, counting.packing.column_masks(n, level)),
        }
        for n, ((text, codes), level) in enumerate(zip(quasi, node.levels, strict=True))
    ]
    leaves: dict[str, object] = {"class_rows": named, "weight": name(weight), "values": values}
    leaves |= _of_classes(frequency_set, counting, node, least)
    return Statement("recoding/class_rows", leaves, scans=rows)


def _of_classes(
    frequency_set: exp.Table, counting: Counting, node: Node, least: int
) -> dict[str, object]:
    """Describe how a frequency set is rolled up to the classes of a node."""
    packing = counting.packing
    return {
        "frequency_set": frequency_set,
        "narrow": counting.narrow,
        "least": literal(least),
        "keys": [
            {"as": name(key), "mask": literal(mask)}
            for key, mask in zip(packing.keys, packing.masks(node), strict=True)
        ],
        "groups": [literal(n) for n, _ in enumerate(packing.keys, start=1)],
    }


def _places(counting: Counting, masks: Sequence[int]) -> list[dict[str, object]]:
    """Describe the bits of the keys that a label of one column keeps."""
    return [
        {"as": name(key), "mask": literal(mask)}
        for key, mask in zip(counting.packing.keys, masks, strict=False)
        if mask
    ]


def with_counted_classes(run: Session, planned: Planned, query: ReleaseQuery) -> ReleaseQuery:
    """Return the query with its failing classes read from the frequency set, where that is enough.

    It is enough for full-domain recodings under k alone, counted in rows. Any other query is returned unchanged.
    """
    encoded, node = planned.encoded, _counted_node(run.policy, planned)
    if encoded is None or node is None or query.failing is None:
        return query
    packing = encoded.counting.packing
    labels, ranks = [], []
    for quasi, (level, released) in enumerate(zip(node.levels, query.released, strict=True)):
        masks = packing.column_masks(quasi, level)
        labels.append(Rank(run.scratch.table("ranks"), masks))
        codes = encoded.codes[quasi]
        ranks.append(smallest_classes.ranks(packing, labels[-1], codes, released.table))
    (least,) = (each.bound for each in requirements(run.policy.privacy))
    failing = counted_classes(
        query.failing,
        encoded.table,
        encoded.counting,
        node,
        labels,
        least=least,
        rows=encoded.set_rows,
    )
    return replace(query, labels=[*query.labels, *ranks], classes=[failing])


def with_class_rows(
    run: Session, planned: Planned, query: ReleaseQuery
) -> tuple[ReleaseQuery, str] | None:
    """Return the query that stages one row a class, and the name of the column with the class's rows.

    To show examples of classes takes no more rows. None where the frequency set does not decide which classes are
    released.
    """
    encoded, node = planned.encoded, _counted_node(run.policy, planned)
    if encoded is None or node is None:
        return None
    weight, taken = "row_count", {each.casefold() for each in (*query.order, *query.columns)}
    while weight in taken:
        weight += "_"
    (least,) = (each.bound for each in requirements(run.policy.privacy))
    rows = run.scratch.create(
        "class_rows",
        class_rows,
        encoded.table,
        encoded.counting,
        node,
        [
            (each.column.name, codes)
            for each, codes in zip(encoded.mapped, encoded.codes, strict=True)
        ],
        least=least,
        weight=weight,
        rows=encoded.set_rows,
    )
    staging = weighted(query.staging, rows, weight, rows=planned.plan.classes)
    return replace(query, source=rows, staging=staging), weight


def _counted_node(policy: Policy, planned: Planned) -> Node | None:
    """Return the node of a full-domain recoding whose classes are in the frequency set, else None."""
    recoding = planned.plan.recoding
    by_rows = _by_rows_alone(policy, planned.opened)
    return recoding.node if by_rows and isinstance(recoding, FullDomain) else None


def _by_rows_alone(policy: Policy, opened: OpenSource) -> bool:
    """Return True if classes need only a number of rows, each counted once in the frequency set."""
    return (
        all(each.measure == SIZE for each in requirements(policy.privacy))
        and policy.entity is None
        and policy.nulls is not Nulls.WILDCARD
        and not policy.of_rows
        and not joint_demands(policy.privacy)
        and opened.population is None
        and opened.counted is None
    )
