"""The interface that searches see: whether a node is feasible, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.counting.lattice.candidate_graph import Graphs
    from kanon_sql.counting.lattice.result import Passes
    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import Cost, Counts, Metric, TableStatistics


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one check. A feasible node keeps a class, and suppresses no more rows than allowed.

    So a node without kept rows is never feasible, whatever the suppression limit. An `enforced` verdict also suppresses
    a class that fits.
    """

    node: Node
    counts: Counts
    feasible: bool
    enforced: bool = False


class Checker(Protocol):
    """The methods that every search uses. Tests give searches a checker that counts by brute force."""

    @property
    def lattice(self) -> Lattice: ...

    @property
    def stats(self) -> TableStatistics: ...

    @property
    def metric(self) -> Metric: ...

    @property
    def max_suppressed(self) -> int: ...

    @property
    def monotone(self) -> bool:
        """Whether a verdict may be carried over to coarser and finer nodes without a check."""
        ...

    @property
    def batch(self) -> int:
        """The number of nodes that are best checked at once."""
        ...

    @property
    def class_size(self) -> int:
        """k: the least number of entities in a class (of rows, where the policy names no entity)."""
        ...

    def check(self, nodes: Sequence[Node]) -> list[Verdict]: ...

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Return the exact cost of each verdict's node, in order."""
        ...

    def late(self) -> bool:
        """Whether the time limit has passed."""
        ...


class Enforcing(Checker, Protocol):
    """A checker that can suppress more rows, as Datafly needs."""

    def enforced(self, verdict: Verdict) -> Verdict:
        """Suppress the smallest class that fits as well, if fewer than k entities are suppressed without it."""
        ...


class Keeping(Checker, Protocol):
    """A checker that keeps frequency sets on request and has candidate graphs, as Incognito needs."""

    @property
    def passes(self) -> Passes:
        """The passes over frequency sets so far."""
        ...

    def keep(self, node: Node) -> None:
        """Create the frequency set of a node, from the smallest that covers it, for later checks.

        The set may be dropped before `let_go` where sets take too much room.
        """
        ...

    def let_go(self, node: Node) -> None:
        """Drop the frequency set of a node, if it is kept."""
        ...

    def graphs(self) -> Graphs:
        """Return the candidate graphs over the lattice's columns, at their start."""
        ...


class FullChecker(Enforcing, Keeping, Protocol):
    """The checker of a run, which serves every algorithm."""
