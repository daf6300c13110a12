"""Samarati's preference policies among k-minimal nodes (TKDE 2001, section 3)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from kanon_sql.model.policy import Preference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.model.lattice import Node
    from kanon_sql.search.checker import Checker, Verdict


def preferred(checker: Checker, preference: Preference, verdicts: Iterable[Verdict]) -> Verdict:
    """Give the verdict that is preferred; of several the first node in order."""
    tops = checker.lattice.tops
    return min(verdicts, key=lambda v: (rank(v, preference, tops), v.node.levels))


def rank(verdict: Verdict, preference: Preference, tops: tuple[int, ...]) -> Fraction:
    """Give what a preference policy minimizes."""
    match preference:
        case Preference.ABSOLUTE:
            return Fraction(verdict.node.height)
        case Preference.RELATIVE:
            return relative_height(verdict.node, tops)
        case Preference.DISTRIBUTION:
            return Fraction(-verdict.counts.classes)
        case Preference.SUPPRESSION:
            return Fraction(verdict.counts.suppressed)
        case _:
            assert_never(preference)


def relative_height(node: Node, tops: tuple[int, ...]) -> Fraction:
    """Give the sum of the levels, each a share of its hierarchy's height; exact, so that ties are.

    >>> from kanon_sql.model.lattice import Node
    >>> relative_height(Node((1, 2, 0)), (3, 3, 0))
    Fraction(1, 1)
    """
    shares = (Fraction(level, top) for level, top in zip(node.levels, tops, strict=True) if top)
    return sum(shares, Fraction(0))
