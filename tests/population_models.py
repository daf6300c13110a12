"""The models that compare a class with a population, by hand: in fractions, from the papers' definitions.

A population is a list of tuples, a row for each person, under the same hierarchies as the problem's rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from oracle import Levels, Outcome, Problem, Value


@dataclass(frozen=True)
class Presence:
    """From `least` to `most` of the population's rows in a class are in the source."""

    least: Fraction
    most: Fraction
    ignored: bool = False

    def fits(self, members: int, people: int) -> bool:
        return bool(people) and self.least <= Fraction(members, people) <= self.most

    def rest_fits(self, members: int, people: int) -> bool:
        """Whether the rows in no released class fit, which may be none."""
        if not members:
            return True
        strict = self.least > 0 and not self.ignored
        share = Fraction(members, people) if people else Fraction(2)
        return share <= self.most and (share >= self.least or not strict)


@dataclass
class PopulationProblem(Problem):
    """A problem with a population: classes need so many rows there, or a share of theirs."""

    population: list[tuple[Value, ...]] = field(default_factory=list)
    k_map: int = 0
    presence: Presence | None = None

    def __post_init__(self) -> None:
        own = self.rows
        self.rows = [*own, *self.population]  # NULLs of both have a path
        super().__post_init__()
        self.rows = own

    def people(self, node: Levels) -> Counter[tuple[Value, ...]]:
        """How many rows the population has in each class."""
        return Counter(self.generalized(row, node) for row in self.population)

    def _count(self, node: Levels) -> Outcome:
        rows_of: dict[tuple[Value, ...], list[int]] = defaultdict(list)
        for i, row in enumerate(self.rows):
            rows_of[self.generalized(row, node)].append(i)
        people, presence = self.people(node), self.presence
        kept = {
            key: len(rows)
            for key, rows in rows_of.items()
            if self.fits(rows, self.k, self.l)
            and people[key] >= self.k_map
            and (presence is None or presence.fits(len(rows), people[key]))
        }
        if presence is not None and presence.least > 0 and not presence.ignored:
            kept = kept if set(people) <= set(rows_of) else {}
        suppressed = len(self.rows) - sum(kept.values())
        feasible = bool(kept) and suppressed <= self.max_suppressed
        if presence is not None:
            beyond = sum(n for key, n in people.items() if key not in kept)
            feasible &= presence.rest_fits(suppressed, beyond)
        sizes = {key: self.size(rows) for key, rows in rows_of.items()}
        return Outcome(dict(rows_of), kept, sizes, suppressed, feasible)

    def privacy(self, population: object) -> list[dict[str, object]]:
        """What a policy says of the population."""
        said: list[dict[str, object]] = []
        if self.k_map:
            said.append({"k_map": {"k": self.k_map, "population": population}})
        if self.presence is not None:
            bounds = {"least": float(self.presence.least), "most": float(self.presence.most)}
            ignored = {"absent": "ignored"} if self.presence.ignored else {}
            said.append({"delta_presence": {**bounds, "population": population, **ignored}})
        return said
