"""Take the classes that fail from the frequency set of the run's own search.

To count the classes of all rows once more costs a tenth of a release, and where rows are joined one by one as much as
staging them. The set holds the same rows, in the run's snapshot; what is staged is recounted by its labels, which know
nothing of either.
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
from kanon_sql.recoding.counted_classes_sql import counted_classes

if TYPE_CHECKING:
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.policy.model import Policy
    from kanon_sql.release.query import ReleaseQuery
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


def with_counted_classes(run: Session, planned: Planned, query: ReleaseQuery) -> ReleaseQuery:
    """Let a query take its failing classes from the frequency set, where one is at hand and says all that is asked.

    That is for full-domain recodings under k alone, counted in rows; any other query is returned as it is.
    """
    encoded, recoding = planned.encoded, planned.plan.recoding
    if encoded is None or query.failing is None or not _by_rows_alone(run.policy, planned.opened):
        return query
    if not isinstance(recoding, FullDomain):
        return query
    node, packing = recoding.node, encoded.counting.packing
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


def _by_rows_alone(policy: Policy, opened: OpenSource) -> bool:
    """Whether all that a class must reach is a number of rows, each of which the frequency set counts once."""
    return (
        all(each.measure == SIZE for each in requirements(policy.privacy))
        and policy.entity is None
        and policy.nulls is not Nulls.WILDCARD
        and not policy.of_rows
        and not joint_demands(policy.privacy)
        and opened.population is None
        and opened.counted is None
    )
