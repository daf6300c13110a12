"""Is this node private, and what does it cost? All that a search may query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.lattice.candidate_graph import Graphs
    from kanon_sql.lattice.frequency_sets import Passes
    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import Cost, Counts, TableStatistics
    from kanon_sql.metrics.metric import Metric


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one node: feasible if it keeps a class and suppresses no more rows than the limit.

    A release without rows is none, whatever the suppression limit. One that is `enforced` suppresses a
    class that fits beside those that do not.
    """

    node: Node
    counts: Counts
    feasible: bool
    enforced: bool = False


class Checker(Protocol):
    """What the searches see; tests give them one that counts by brute force."""

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
        """How many nodes are best checked at once."""
        ...

    @property
    def class_size(self) -> int:
        """How many entities a class must have at least: k."""
        ...

    def check(self, nodes: Sequence[Node]) -> list[Verdict]: ...

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Return the exact cost of nodes that were checked."""
        ...

    def late(self) -> bool:
        """Whether the time limit has passed."""
        ...


class Enforcing(Checker, Protocol):
    """What Datafly needs as well: to suppress more."""

    def enforced(self, verdict: Verdict) -> Verdict:
        """Suppress the smallest class that fits too, where fewer than k entities would be missing."""
        ...


class Keeping(Checker, Protocol):
    """What Incognito needs as well: which frequency sets are kept, and the graphs of its candidates."""

    @property
    def passes(self) -> Passes:
        """What was read so far."""
        ...

    def keep(self, node: Node) -> None:
        """Create the frequency set of a node, from the smallest that covers it, for checks to come.

        It may be dropped earlier where sets take too much room.
        """
        ...

    def let_go(self, node: Node) -> None:
        """Drop the frequency set of a node, if it is kept."""
        ...

    def graphs(self) -> Graphs:
        """Return the candidate graphs over the lattice's columns, from the first on."""
        ...


class FullChecker(Enforcing, Keeping, Protocol):
    """What any algorithm may use."""
