"""Brute force for levels within bounds, hierarchies of several roots, weights and a generalization factor.

The oracle of `oracle.py`, over the nodes that a policy allows, with ARX's costs written as sums over rows
(../shared/ALGORITHMS.md, section 14). It shares no code with the product.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from hypothesis import strategies as st
from layered import Layered
from oracle import Problem, problems

FACTORS = (0.0, 0.25, 0.5, 0.7, 1.0)


def folded(values, search):
    """The cost of a table from those of its columns, weighed."""
    if search["metric"] in {"height", "entropy"}:
        return (float(sum(values)),)
    if search["metric"] == "distortion":
        return (sum(values) / len(values),)
    return {
        "sum": lambda: (sum(values),),
        "mean": lambda: (sum(values) / len(values),),
        "max": lambda: (max(values),),
        "rank": lambda: tuple(sorted(values, reverse=True)),
        "geometric_mean": lambda: (math.prod(v + 1 for v in values) ** (1 / len(values)) - 1,),
    }[search.get("aggregate", "geometric_mean")]()


@dataclass
class Bounded(Problem):
    """A problem whose columns have levels `within` (least, most), and weights; None is not stated."""

    within: list[tuple[int | None, int | None]] = field(default_factory=list)
    weights: list[int | None] = field(default_factory=list)

    def __post_init__(self):
        for at, tree in enumerate(self.hierarchies):
            roots = {labels[-1] for labels in tree.values()}
            if any(row[at] is None for row in self.rows) and None not in tree:
                height = len(next(iter(tree.values())))
                last = [*roots] if len(roots) == 1 else [None]
                self.without_entry.add(at)
                self.hierarchies[at] = {**tree, None: [None] * (height - 1) + last}

    @cached_property
    def ranges(self):
        bounds = self.within or [(None, None)] * len(self.tops)
        return [
            range(least or 0, (top if most is None else most) + 1)
            for (least, most), top in zip(bounds, self.tops, strict=True)
        ]

    @cached_property
    def nodes(self):
        return list(product(*self.ranges))

    @cached_property
    def shares(self):
        stated = [weight or 1 for weight in self.weights or [1] * len(self.tops)]
        return [weight / max(stated) for weight in stated]

    def columns_of(self, policy):
        """A policy of `Writer` with the bounds and weights."""
        columns = dict(policy["columns"])
        for at, (least, most) in enumerate(self.within):
            bounds = {"least": least, "most": most}
            stated = {key: level for key, level in bounds.items() if level is not None}
            own = {"levels": stated} if stated else {}
            columns[f"q{at}"] = {**columns[f"q{at}"], **own}
        for at, weight in enumerate(self.weights):
            own = {} if weight is None else {"weight": weight}
            columns[f"q{at}"] = {**columns[f"q{at}"], **own}
        return {**policy, "columns": columns}

    def arx(self, node, search):
        """The cost of a node as ARX defines it, by a policy's `search` entry."""
        factor = search.get("generalization_factor", 0.5)
        kept = 1 if factor <= 0.5 else 1 - 2 * (factor - 0.5)
        gone = 2 * factor if factor < 0.5 else 1
        out, rows = self.outcome(node), len(self.rows)
        suppressed = out.suppressed_rows
        counted = suppressed if search.get("suppressed") == "counted" else set()
        if search["metric"] == "class_size":
            return (rows / (gone * len(out.kept) + (kept if suppressed else 0)),)
        if search["metric"] == "discernibility":
            return (float(self.discernibility(node)),)
        own = {
            "height": lambda at: node[at],
            "distortion": lambda at: (
                sum(
                    gone if i in suppressed else kept * node[at] / self.tops[at]
                    for i in range(rows)
                )
                / rows
            ),
            "loss": lambda at: self._share_lost(at, node[at], suppressed, kept, gone),
            "entropy": lambda at: self._bits(at, node[at], counted, kept=kept, gone=gone),
        }[search["metric"]]
        values = [own(at) * share for at, share in enumerate(self.shares)]
        return folded(values, search)

    def _share_lost(self, at, level, suppressed, kept, gone):
        entries, rows = len(self.hierarchies[at]), len(self.rows)
        total = 0.0
        for i, row in enumerate(self.rows):
            share = self.leaves(at, row[at], level) / entries
            total += share + gone * (1 - share) if i in suppressed else kept * share
        least = kept * rows / entries
        return max((total - least) / (rows - least), 0.0) if rows > least else 0.0

    def _bits(self, at, level, gone_rows, *, kept, gone):
        before = Counter(row[at] for row in self.rows)
        labels = [self.label(at, row[at], level) for row in self.rows]
        after, of_suppressed = Counter(labels), Counter(labels[i] for i in gone_rows)
        bits = -kept * sum(
            math.log2(before[row[at]] / after[label])
            for row, label in zip(self.rows, labels, strict=True)
        )
        return bits - gone * sum(
            math.log2(of_suppressed[labels[i]] / len(gone_rows)) for i in gone_rows
        )

    def least_cost(self, search):
        return min(
            (self.arx(node, search) for node in self.feasible if self.outcome(node).kept),
            default=None,
        )


@st.composite
def bounded(draw, *, forests=True, **given):
    """A problem with bounds, now and then without a root, and weights."""
    base = draw(problems(**given))
    hierarchies = []
    for at, tree in enumerate(base.hierarchies):
        own = {
            v: labels for v, labels in tree.items() if v is not None or at not in base.without_entry
        }
        height = len(next(iter(own.values())))
        if forests and height > 1 and draw(st.booleans()):
            own = {value: labels[:-1] for value, labels in own.items()}
        hierarchies.append(own)
    within = []
    for tree in hierarchies:
        height = len(next(iter(tree.values())))
        least = draw(st.none() | st.integers(0, height))
        most = draw(st.none() | st.integers(least or 0, height))
        within.append((least, most))
    weights = draw(
        st.just([]) | st.tuples(*[st.sampled_from((None, 2, 3, 7))] * len(hierarchies)).map(list)
    )
    kept = {
        name: getattr(base, name)
        for name in ("k", "max_suppressed", "entities", "spread", "l", "counts_null", "over")
    }
    return Bounded(base.rows, hierarchies, **kept, within=within, weights=weights)


@st.composite
def weighed_searches(draw):
    """A `search` entry with a factor that its metric has a use for."""
    metric = draw(
        st.sampled_from(("height", "distortion", "loss", "discernibility", "class_size", "entropy"))
    )
    search = {"metric": metric}
    if metric == "loss":
        aggregates = ("sum", "mean", "geometric_mean", "rank", "max")
        search["aggregate"] = draw(st.sampled_from(aggregates))
    counted = metric == "entropy" and draw(st.booleans())
    if counted:
        search["suppressed"] = "counted"
    if metric in {"distortion", "loss", "class_size"} or counted:
        factor = draw(st.sampled_from(FACTORS[metric == "class_size" :]))
        if factor != 0.5:
            search["generalization_factor"] = factor
    return search


class BoundedLayers(Layered):
    """Several nodes of a bounded problem, with ARX's costs as sums over rows, each at its own node."""

    def arx(self, search):
        """The cost under a policy's `search` entry; the factor of a loss is at least 0.5."""
        problem, rows = self.problem, range(len(self.problem.rows))
        factor = search.get("generalization_factor", 0.5)
        kept = 1 if factor <= 0.5 else 1 - 2 * (factor - 0.5)
        gone = 2 * factor if factor < 0.5 else 1
        suppressed, count = set(self.suppressed), len(rows)
        if search["metric"] == "class_size":
            return (count / (gone * len(self.classes) + (kept if suppressed else 0)),)
        if search["metric"] == "discernibility":
            return self.cost(search)

        def own(at):
            levels = [self.node_of(i)[at] for i in rows]
            if search["metric"] == "height":
                return sum(levels) / count
            if search["metric"] == "distortion":
                cells = (kept * level / problem.tops[at] for level in levels)
                return sum(gone if i in suppressed else x for i, x in enumerate(cells)) / count
            if search["metric"] == "loss":
                entries = len(problem.hierarchies[at])
                shares = (
                    problem.leaves(at, problem.rows[i][at], levels[i]) / entries for i in rows
                )
                total = sum(1 if i in suppressed else kept * x for i, x in enumerate(shares))
                least = kept * count / entries
                return max((total - least) / (count - least), 0.0) if count > least else 0.0
            return self._bits_of(at, kept, gone if search.get("suppressed") == "counted" else 0)

        values = [own(at) * share for at, share in enumerate(problem.shares)]
        return folded(values, search)

    def _bits_of(self, at, kept, gone):
        problem = self.problem
        values = Counter(row[at] for row in problem.rows)
        bits = 0.0
        for i, row in enumerate(problem.rows):
            level = self.node_of(i)[at]
            label = problem.label(at, row[at], level)
            sharing = sum(problem.label(at, r[at], level) == label for r in problem.rows)
            bits += kept * math.log2(sharing / values[row[at]])
        last = self.nodes[-1][at]
        left = [problem.label(at, problem.rows[i][at], last) for i in self.suppressed]
        of_suppressed = Counter(left)
        return bits + gone * sum(math.log2(len(left) / of_suppressed[label]) for label in left)
