"""The uses of a release that the page offers, and the entries of a policy that choose between them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, LatticeAlgorithm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.policy.model import Policy


class ReleaseUse(StrEnum):
    """Values whose counts are right, records that are each true, or one level a column (full-domain generalization)."""

    COUNTS = "counts"
    RECORDS = "records"
    LEVELS = "levels"


def is_of_nodes(policy: Policy) -> bool:
    """Whether a policy's search chooses one node of a lattice."""
    search = policy.search
    return (
        isinstance(ALGORITHMS[search.algorithm], LatticeAlgorithm)
        and not search.at_several_nodes
        and not search.options.own_recoding
    )


def _is_of_regions(policy: Policy) -> bool:
    return policy.search.options.counted_by is Channel.REGIONS


def use_of(policy: Policy) -> ReleaseUse | None:
    """Return what a policy's release is for; None for a recoding that the page does not offer."""
    if is_of_nodes(policy):
        return ReleaseUse.LEVELS
    if not _is_of_regions(policy):
        return None
    if any(column.output.together for column in policy.quasi):
        return ReleaseUse.COUNTS
    return ReleaseUse.RECORDS


def entries_for(
    use: ReleaseUse, policy: Policy, stated: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield the entries at the top of a policy that another use needs, with their values; None removes an entry.

    `stated` are the entries that the policy has.
    """
    if use is ReleaseUse.COUNTS:
        yield "output", "apportioned"
    elif "output" in stated:
        yield "output", None
    if use is ReleaseUse.LEVELS:
        if not is_of_nodes(policy):
            yield "search", {"algorithm": "optimal"}
    elif not _is_of_regions(policy):
        yield "search", {"algorithm": "mondrian", "choose": "width"}
