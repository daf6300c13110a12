"""Take failing and released classes from the frequency set of the run's own search, not from the rows.

To count the classes of all rows again costs a tenth of a release, and where rows are joined one by one as much as
staging them. The set holds the same rows, in the run's snapshot. The staged rows are recounted by their labels, which
depend on neither.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.lattice import smallest_classes_sql
from kanon_sql.lattice.smallest_classes_sql import Rank
from kanon_sql.plans.recodings import FullDomain
from kanon_sql.policy.model import Nulls
from kanon_sql.privacy.demands import joint_demands, requirements
from kanon_sql.privacy.k_anonymity import SIZE
from kanon_sql.recoding.counted_classes_sql import class_rows, counted_classes
from kanon_sql.recoding.staging_sql import weighted

if TYPE_CHECKING:
    from kanon_sql.lattice.node import Node
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.policy.model import Policy
    from kanon_sql.release.query import ReleaseQuery
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


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
        ranks.append(smallest_classes_sql.ranks(packing, labels[-1], codes, released.table))
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
