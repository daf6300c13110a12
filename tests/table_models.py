"""The models of a whole table, by hand: in fractions, from the definitions, without the product.

The classes that fit all other models are sorted by size and labels; the first of them are suppressed, one by one,
until the rest keeps the bounds.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

from oracle import Levels, Outcome, Problem, Value


def average_risk(sizes: list[int]) -> Fraction:
    return Fraction(len(sizes), sum(sizes))


def sample_uniqueness(sizes: list[int]) -> Fraction:
    return Fraction(sizes.count(1), sum(sizes))


def zayatz(sizes: list[int], sampling: Fraction) -> Fraction:
    """The share of a population that is unique, if the sizes of its classes are distributed as in this sample.

    By Bayes' rule: of a class of so many rows in the population exactly one is drawn with a hypergeometric probability.
    """
    rows, alone = sum(sizes), sizes.count(1)
    people = max(round(rows / float(sampling)), rows)

    def one_of(size):
        ways = size * math.comb(people - size, rows - 1) if people - size >= rows - 1 else 0
        return Fraction(ways, math.comb(people, rows))

    if not alone:
        return Fraction(0)
    of_all = sum(many * one_of(size) for size, many in Counter(sizes).items())
    unique_there = alone * one_of(1) / of_all
    return min(alone * unique_there * Fraction(people, rows) / people, Fraction(1))


@dataclass(frozen=True)
class Bounds:
    """What a policy asks of the whole table; None where it does not."""

    risk: Fraction | None = None
    unique: Fraction | None = None
    there: Fraction | None = None
    sampling: Fraction = Fraction(1, 10)

    def kept(self, sizes: list[int]) -> bool:
        return (
            (self.risk is None or average_risk(sizes) <= self.risk)
            and (self.unique is None or sample_uniqueness(sizes) <= self.unique)
            and (
                self.there is None
                or zayatz(sizes, self.sampling) <= self.there + Fraction(1, 10**9)
            )
        )

    @property
    def privacy(self) -> list[dict[str, object]]:
        """What a policy says."""
        said: list[dict[str, object]] = []
        if self.risk is not None:
            said.append({"average_risk": float(self.risk)})
        if self.unique is not None:
            said.append({"sample_uniqueness": float(self.unique)})
        if self.there is not None:
            asked = {"share": float(self.there), "sampling": float(self.sampling)}
            said.append({"population_uniqueness": {**asked, "estimator": "zayatz"}})
        return said


@dataclass
class TableProblem(Problem):
    """A problem that asks something of the whole table as well."""

    bounds: Bounds = Bounds()

    def smallest_first(self, out: Outcome) -> list[tuple[Value, ...]]:
        """The classes that fit all other models, in the order in which they are suppressed."""

        def rank(key: tuple[Value, ...]) -> tuple[object, ...]:
            texts = ((v is not None, b"" if v is None else str(v).encode()) for v in key)
            return (out.kept[key], *texts)

        return sorted(out.kept, key=rank)

    def keeps(self, node: Levels) -> list[bool]:
        """Whether the bounds are kept without none, one, two and so on of the smallest classes."""
        out = super()._count(node)
        sizes = [out.kept[key] for key in self.smallest_first(out)]
        return [self.bounds.kept(sizes[gone:]) for gone in range(len(sizes))]

    def _count(self, node: Levels) -> Outcome:
        out, keeps = super()._count(node), self.keeps(node)
        gone = keeps.index(True) if any(keeps) else len(keeps)
        kept = {key: out.kept[key] for key in self.smallest_first(out)[gone:]}
        suppressed = len(self.rows) - sum(kept.values())
        feasible = bool(kept) and suppressed <= self.max_suppressed
        if feasible and self.rule is not None and self.rule.of_release:
            released = self.counts({i for key in kept for i in out.rows_of[key]})
            rows_of = (out.rows_of[key] for key in kept)
            feasible = all(self.rule.fits(self.counts(rows), released) for rows in rows_of)
        return replace(out, kept=kept, suppressed=suppressed, feasible=feasible)
