"""Cells of which only the possible values are known: a `Choice` has a formula for each value that says when it is that.

Exactly one formula of a choice is true, whatever the bits are. So a function of cells is computed with plain values, one
combination at a time, and z3 sees formulas alone: it needs no theory of numbers, texts or logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tests.proofs.formulas import FALSE, TRUE, Gates


@dataclass(frozen=True)
class Raised:
    """What a cell is that ends the statement with an error."""

    message: str


MANY = 12
"""Cases of a cell, beyond which impossible ones are left out."""


class Choice:
    """The possible values of a cell, each with the formula that says when the cell has it."""

    __slots__ = ("cases",)

    def __init__(self, cases):
        self.cases = cases

    def __repr__(self):
        return f"Choice({list(self.cases)})"


def plain(value):
    """Return a number as a whole one where it is whole, so that equal numbers are one case."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    return value


class World:
    """The bits of the tables of one proof, and what is computed of them.

    `assumed` is a formula that is true of all tables that the proof is about.
    """

    def __init__(self, samples=0):
        self.gates = Gates(samples)
        self.assumed = TRUE

    def constant(self, value):
        return Choice({plain(value): TRUE})

    def free(self, name, values, sampled):
        """Return a cell that has any of these values: as many bits as tell them apart, and no condition on the bits.

        `sampled` has the place of its value in each sample.
        """
        cases, left = {}, [(TRUE, list(values))]
        place = {value: n for n, value in enumerate(values)}
        while left:
            formula, among = left.pop()
            if len(among) == 1:
                cases[among[0]] = formula
                continue
            half = len(among) // 2
            first = {place[value] for value in among[:half]}
            seen = sum(1 << n for n, at in enumerate(sampled) if at in first)
            bit = self.gates.bit(f"{name}#{among[0]!r}", seen)
            left.append((self.gates.both(formula, bit), among[:half]))
            left.append((self.gates.both(formula, bit ^ 1), among[half:]))
        return Choice(cases)

    def lift(self, function, *cells):
        """Compute a function of plain values of cells; what has raised an error stays an error."""
        both = self.gates.both
        combined = {(): TRUE}
        for cell in cells:
            combined = {
                (*values, value): joint
                for values, formula in combined.items()
                for value, case in cell.cases.items()
                if (joint := both(formula, case)) != FALSE
            }
        found = {}
        for values, formula in combined.items():
            raised = next((each for each in values if isinstance(each, Raised)), None)
            value = plain(function(*values)) if raised is None else raised
            found[value] = self.gates.either(found[value], formula) if value in found else formula
        return self._closed(found)

    def _closed(self, cases):
        """Write the last of two cases as the negation of the first, which is what it is."""
        if len(cases) == 1:
            return Choice(dict.fromkeys(cases, TRUE))
        if len(cases) > MANY:
            cases = self._possible(cases)
        if len(cases) == 2:
            first, last = cases
            return Choice({first: cases[first], last: cases[first] ^ 1})
        return Choice(cases)

    def _possible(self, cases):
        """Leave out the cases that are proven to be impossible: of cells that depend on each other there are many."""
        never = self.gates.impossible(list(cases.values()), self.assumed)
        return {value: case for value, case in cases.items() if case not in never}

    def pick(self, matches, otherwise):
        """Return the cell of the first of (formula, cell) whose formula is true, or else `otherwise`."""
        gates, found, left = self.gates, {}, TRUE
        for formula, cell in [*matches, (TRUE, otherwise)]:
            chosen = gates.both(left, formula)
            left = gates.both(left, formula ^ 1)
            if chosen == FALSE:
                continue
            for value, case in cell.cases.items():
                if (joint := gates.both(chosen, case)) != FALSE:
                    found[value] = gates.either(found.get(value, FALSE), joint)
        return self._closed(found)

    def truth(self, cell):
        """Return the formula that a cell is TRUE: neither FALSE nor NULL."""
        return self.gates.any(
            case for value, case in cell.cases.items() if value and not isinstance(value, Raised)
        )

    def known(self, cell):
        """Return the formula that a cell is not NULL."""
        return cell.cases.get(None, FALSE) ^ 1

    def same(self, a, b):
        """Return the formula that two cells are equal, or both NULL."""
        return self.gates.any(
            self.gates.both(case, b.cases[value])
            for value, case in a.cases.items()
            if value in b.cases
        )

    def fold(self, members, start, step):
        """Add members one after the other to a state; each is (formula, cells), and is left out where that is false."""
        gates, states = self.gates, {start: TRUE}
        for formula, cells in members:
            if formula == FALSE:
                continue
            added = {}
            for state, when in states.items():
                stays, goes = gates.both(when, formula ^ 1), gates.both(when, formula)
                if stays != FALSE:
                    added[state] = gates.either(added.get(state, FALSE), stays)
                if goes == FALSE:
                    continue
                for values, case in self._combined(goes, cells):
                    after = step(state, *values)
                    added[after] = gates.either(added.get(after, FALSE), case)
            states = added
        return self._closed({plain(state): when for state, when in states.items()})

    def _combined(self, formula, cells):
        combined = [((), formula)]
        for cell in cells:
            combined = [
                ((*values, value), joint)
                for values, when in combined
                for value, case in cell.cases.items()
                if (joint := self.gates.both(when, case)) != FALSE
            ]
        return combined

    def count(self, formulas):
        """Return how many of these formulas are true."""
        return self.fold([(each, ()) for each in formulas], 0, lambda n: n + 1)
