"""The models that weigh a class's values, by hand: in fractions, from the papers' definitions, without the product.

A rule says when a class fits, by how often it and a table hold each value, and how a policy asks for it. The table
is that of all rows, or that of the released ones, or it is asked of both.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Rule:
    """When a class fits, by its counts and the table's; `references` are the tables that it is compared with."""

    asked: dict[str, object]
    fits: Callable[[Counter, Counter], bool]
    references: tuple[str, ...] = ()
    column: dict[str, object] = field(default_factory=dict)

    @property
    def of_class(self) -> bool:
        """Whether classes are chosen by it."""
        return not self.references or "source" in self.references

    @property
    def of_release(self) -> bool:
        """Whether all that is released must keep it together."""
        return "release" in self.references

    @property
    def privacy(self) -> dict[str, object]:
        """What a policy says."""
        ((key, said),) = self.asked.items()
        both = {"source", "release"} == set(self.references)
        more = {"reference": self.references[0]} if self.references and not both else {}
        return {key: {"column": "s", **said, **more}}


class Counted(Counter):
    """How many rows have each value, or how many people; and how many `people` have any.

    A person with several values counts for each of them.
    """

    def __init__(self, values=(), *, people=None):
        super().__init__(values)
        self.people = self.total() if people is None else people


def shares_of_people(counts: Counter) -> dict[object, Fraction]:
    """How likely a person has each value: they need not sum to 1."""
    people = counts.people if isinstance(counts, Counted) else counts.total()
    return {value: Fraction(n, people) for value, n in counts.items()}


def shares(counts: Counter) -> dict[object, Fraction]:
    return {value: Fraction(n, counts.total()) for value, n in counts.items()}


def alpha(bound: Fraction) -> Rule:
    def fits(own, _table):
        return bound >= 1 if not own else max(shares_of_people(own).values()) <= bound

    return Rule({"alpha": {"alpha": float(bound)}}, fits)


def entropy(l: float) -> Rule:  # noqa: E741
    def fits(own, _table):
        had = -math.fsum(float(p) * math.log(p) for p in shares(own).values())
        return had >= math.log(l) - 1.5e-9

    return Rule({"entropy_l": {"l": l}}, fits)


def recursive(c: Fraction, l: int) -> Rule:  # noqa: E741
    def fits(own, _table):
        counts = sorted(own.values(), reverse=True)
        return bool(counts) and counts[0] < c * sum(counts[l - 1 :])

    return Rule({"recursive_l": {"c": str(c), "l": l}}, fits)


def equal_distance(t: Fraction, *references: str) -> Rule:
    def fits(own, table):
        if not own:
            return t >= 1
        p, q = shares(own), shares(table)
        return sum(abs(p.get(v, 0) - q.get(v, 0)) for v in {*p, *q}) / 2 <= t

    return Rule({"t_closeness": {"t": float(t)}}, fits, references)


def ordered_distance(t: Fraction, order: list[object], *references: str) -> Rule:
    """By the order of a list, of which the table has some; a NULL that counts is before all."""

    def fits(own, table):
        if not own:
            return t >= 1
        p, q = shares(own), shares(table)
        values = [v for v in [None, *order] if v in q]
        apart = [
            abs(sum(p.get(v, 0) - q[v] for v in values[: n + 1])) for n, _ in enumerate(values)
        ]
        return sum(apart) / max(len(values) - 1, 1) <= t

    said = {"t": float(t), "distance": "ordered"}
    return Rule({"t_closeness": said}, fits, references, {"order": order})


TREE = {
    "a": ["ab", "vowel or not", "*"],
    "b": ["ab", "vowel or not", "*"],
    "c": ["c", "vowel or not", "*"],
    "d": ["de", "others", "*"],
    "e": ["de", "others", "*"],
    "flu": ["virus", "illness", "*"],
    "cold": ["virus", "illness", "*"],
    "ulcer": ["stomach", "illness", "*"],
}


def tree_distance(t: Fraction, *references: str) -> Rule:
    """By a hierarchy of three levels: what moves at each node, times its height over three; a NULL is a child of the root."""

    def fits(own, table):
        if not own:
            return t >= 1
        p, q = shares(own), shares(table)
        path = {v: [v, *TREE[v]] if v is not None else [None, None, None, "*"] for v in q}
        cost = Fraction(0)
        for level in (1, 2, 3):
            extra: dict[object, dict[object, Fraction]] = {}
            for v, labels in path.items():
                children = extra.setdefault(labels[level], {})
                child = labels[level - 1]
                children[child] = children.get(child, Fraction(0)) + p.get(v, 0) - q[v]
            for children in extra.values():
                more = sum(max(x, 0) for x in children.values())
                less = sum(max(-x, 0) for x in children.values())
                cost += Fraction(level, 3) * min(more, less)
        return cost <= t

    values = ", ".join(
        "(" + ", ".join(f"'{each}'" for each in (v, *labels)) + ")" for v, labels in TREE.items()
    )
    query = f"SELECT * FROM (VALUES {values}) AS t (value, l1, l2, l3)"
    said = {"t": float(t), "distance": "hierarchical"}
    column = {"hierarchy": {"query": query}}
    return Rule({"t_closeness": said}, fits, references, column)


def beta(bound: Fraction, *references: str, enhanced: bool) -> Rule:
    def fits(own, table):
        p, q = shares_of_people(own), shares_of_people(table)
        gains = {v: (share - q[v]) / q[v] for v, share in p.items()}
        rare = all(gain <= -math.log(q[v]) + 1e-12 for v, gain in gains.items())
        return bool(own) and all(g <= bound for g in gains.values()) and (rare or not enhanced)

    return Rule({"beta_likeness": {"beta": float(bound), "enhanced": enhanced}}, fits, references)


def delta(bound: Fraction, *references: str, absent: str) -> Rule:
    def fits(own, table):
        p, q = shares_of_people(own), shares_of_people(table)
        near = all(max(p[v] / q[v], q[v] / p[v]) < 2 ** float(bound) for v in p)
        return bool(own) and near and (absent == "ignored" or set(p) == set(q))

    said = {"delta": float(bound), "absent": absent}
    return Rule({"delta_disclosure": said}, fits, references)
