"""Brute force for recodings of several nodes: given the nodes, which row is released at which.

Like the oracle, it shares no code with the product. A row is released at the first node at which
its class, among the rows that no node before released, fits.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracle import Levels, Problem, Value


@dataclass
class Layered:
    """A problem and nodes in order; everything else is counted row by row."""

    problem: Problem
    nodes: list[Levels]

    @cached_property
    def at(self) -> list[int | None]:
        """The number of the node that each row is released at; None where it is suppressed."""
        problem, placed = self.problem, [None] * len(self.problem.rows)
        for number, node in enumerate(self.nodes):
            for rows in self.classes_of(node, [i for i, at in enumerate(placed) if at is None]):
                if problem.fits(rows, problem.k, problem.l):
                    for i in rows:
                        placed[i] = number
        return placed

    def classes_of(self, node: Levels, rows: list[int]) -> list[list[int]]:
        members = defaultdict(list)
        for i in rows:
            members[self.problem.generalized(self.problem.rows[i], node)].append(i)
        return list(members.values())

    def left_before(self, number: int) -> list[int]:
        """The rows that no node before this one released."""
        return [i for i, at in enumerate(self.at) if at is None or at >= number]

    @property
    def suppressed(self) -> list[int]:
        return [i for i, at in enumerate(self.at) if at is None]

    def released(self, number: int) -> list[int]:
        return [i for i, at in enumerate(self.at) if at == number]

    @cached_property
    def levels(self) -> list[set[int]]:
        """The levels at which each column is released anywhere."""
        return [set(levels) for levels in zip(*self.nodes, strict=True)]

    def cell(self, i: int, column: int) -> Value:
        """What a reader sees: values beside labels are text."""
        number = self.at[i]
        assert number is not None
        level = self.nodes[number][column]
        label = self.problem.label(column, self.problem.rows[i][column], level)
        return label if label is None or self.levels[column] == {0} else str(label)

    @cached_property
    def classes(self) -> list[list[int]]:
        """The classes that a reader sees; nodes may release some under the same labels."""
        members = defaultdict(list)
        for i, at in enumerate(self.at):
            if at is not None:
                key = tuple(self.cell(i, c) for c in range(len(self.problem.tops)))
                members[key].append(i)
        return list(members.values())

    @property
    def smallest(self) -> int:
        return min(map(self.problem.size, self.classes))

    def node_of(self, i: int) -> Levels:
        """The node of a row; a suppressed one lies at the last."""
        at = self.at[i]
        return self.nodes[-1 if at is None else at]

    def cost(self, search: dict[str, str]) -> tuple[float, ...]:
        """The cost under a policy's `search` entry, row by row and cell by cell."""
        problem, rows = self.problem, range(len(self.problem.rows))
        gone = set(self.suppressed)
        match search["metric"]:
            case "height":
                return (float(Fraction(sum(sum(self.node_of(i)) for i in rows), len(rows))),)
            case "distortion":
                cells = [
                    Fraction(1) if i in gone else Fraction(level, top)
                    for i in rows
                    for level, top in zip(self.node_of(i), problem.tops, strict=True)
                ]
                return (float(sum(cells) / len(cells)),)
            case "loss":
                return self.loss(search.get("aggregate", "geometric_mean"))
            case "discernibility":
                squares = sum(len(each) ** 2 for each in self.classes)
                return (float(squares + len(rows) * len(gone)),)
            case "class_size":
                return (len(rows) / (len(self.classes) + bool(gone)),)
            case "entropy" | "normalized_entropy" as name:
                counted = search.get("suppressed") == "counted"
                lost = self.entropy() if name == "entropy" else self.normalized_entropy()
                return (lost + (self.entropy_left() if counted else 0.0),)
        raise ValueError(search)

    def loss(self, aggregate: str) -> tuple[float, ...]:
        losses = []
        for column in range(len(self.problem.tops)):
            domain = len(self.problem.hierarchies[column])
            total = Fraction(0)
            for i, row in enumerate(self.problem.rows):
                hidden = domain
                if self.at[i] is not None:
                    hidden = self.problem.leaves(column, row[column], self.node_of(i)[column])
                total += Fraction(hidden - 1, domain - 1) if domain > 1 else 0
            losses.append(float(total / len(self.problem.rows)))
        match aggregate:
            case "sum":
                return (sum(losses),)
            case "mean":
                return (sum(losses) / len(losses),)
            case "max":
                return (max(losses),)
            case "geometric_mean":
                return (math.prod(1 + x for x in losses) ** (1 / len(losses)) - 1,)
        return tuple(sorted(losses, reverse=True))

    def entropy(self) -> float:
        """Bits lost: what each row's label hides of its value, among all rows of the table."""
        problem, bits = self.problem, 0.0
        for column in range(len(problem.tops)):
            values = Counter(row[column] for row in problem.rows)
            for i, row in enumerate(problem.rows):
                level = self.node_of(i)[column]
                label = problem.label(column, row[column], level)
                sharing = sum(
                    problem.label(column, r[column], level) == label for r in problem.rows
                )
                bits += math.log2(sharing / values[row[column]])
        return bits

    def normalized_entropy(self) -> float:
        """The mean over the columns of the bits lost, as a share of those lost where all rows are one."""
        problem, shares = self.problem, []
        rows = range(len(problem.rows))
        for column in range(len(problem.tops)):
            labels = []
            for i, row in enumerate(problem.rows):
                level = self.node_of(i)[column]
                label = problem.label(column, row[column], level)
                labels.append(
                    sum(problem.label(column, r[column], level) == label for r in problem.rows)
                )
            values = Counter(row[column] for row in problem.rows)
            own = [values[row[column]] for row in problem.rows]
            whole = sum(math.log2(len(rows) / own[i]) for i in rows)
            lost = sum(math.log2(labels[i] / own[i]) for i in rows)
            shares.append(lost / whole if whole else 0.0)
        return sum(shares) / len(shares)

    def entropy_left(self) -> float:
        """Bits that the suppressed rows still had at the last node."""
        gone, bits = self.suppressed, 0.0
        for column, level in enumerate(self.nodes[-1]):
            after = Counter(
                self.problem.label(column, self.problem.rows[i][column], level) for i in gone
            )
            bits += sum(c * math.log2(len(gone) / c) for c in after.values())
        return bits

    def expected_release(self) -> list[dict[str, Value]]:
        """Every released row as it should stand in the release."""
        problem, rows = self.problem, []
        for i, at in enumerate(self.at):
            if at is None:
                continue
            cells = {f"q{c}": self.cell(i, c) for c in range(len(problem.tops))}
            row: dict[str, Value] = {"id": i, **cells}
            if problem.spread is not None:
                row["s"] = problem.spread[i]
            if problem.entities is not None:
                row["person"] = problem.entities[i]
            rows.append(row)
        return rows
