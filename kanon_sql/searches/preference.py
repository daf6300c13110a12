"""Samarati's preference policies among k-minimal nodes (TKDE 2001, section 3), and the least cost."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never

from kanon_sql.errors import InternalError
from kanon_sql.lattice.result import LeastCost, offer
from kanon_sql.policy.search_options import Preference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.node import Node

    OfSamarati = Literal[
        Preference.ABSOLUTE, Preference.RELATIVE, Preference.DISTRIBUTION, Preference.SUPPRESSION
    ]


def preferred(checker: Checker, preference: Preference, verdicts: Iterable[Verdict]) -> Verdict:
    """Return the feasible verdict that is preferred; of several the first node in order."""
    if preference is Preference.COST:
        return _cheapest(checker, verdicts)
    heights = checker.stats.heights
    return min(verdicts, key=lambda v: (_rank(v, preference, heights), v.node.levels))


def _rank(verdict: Verdict, preference: OfSamarati, heights: tuple[int, ...]) -> Fraction:
    """Return the number that a preference policy minimizes."""
    match preference:
        case Preference.ABSOLUTE:
            return Fraction(verdict.node.height)
        case Preference.RELATIVE:
            return relative_height(verdict.node, heights)
        case Preference.DISTRIBUTION:
            return Fraction(-verdict.counts.classes)
        case Preference.SUPPRESSION:
            return Fraction(verdict.counts.suppressed)
        case _:
            assert_never(preference)


def _cheapest(checker: Checker, verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of least cost by the policy's metric; of several the lower node."""
    best = LeastCost()
    offer(checker, best, verdicts)
    if best.verdict is None:
        raise InternalError("a preference was to choose among no feasible nodes")
    return best.verdict


def relative_height(node: Node, heights: tuple[int, ...]) -> Fraction:
    """Return the sum of each level's share of its hierarchy's height; exact, so that equal sums tie.

    >>> from kanon_sql.lattice.node import Node
    >>> relative_height(Node((1, 2, 0)), (3, 3, 0))
    Fraction(1, 1)
    """
    shares = (Fraction(level, top) for level, top in zip(node.levels, heights, strict=True) if top)
    return sum(shares, Fraction(0))
