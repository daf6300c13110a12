"""Boolean formulas over the bits of a table, and z3, which says whether one can be true.

A formula is a whole number: twice the number of its gate, and one more if it is negated. The gates are conjunctions of
two formulas, each made once, so that equal parts of a statement and of its definition are the same number.
"""

from __future__ import annotations

from functools import reduce

import z3

TRUE, FALSE = 0, 1
"""The formulas that are always true, and never."""


MOST_SAMPLES = 40
"""Tables that are added to the samples for one cell, before its cases are left as they are."""
SECONDS_TO_ASK = 5.0


class Gates:
    """The bits and the conjunctions that formulas are made of.

    Beside each gate stands in which of a number of sample tables it is true, as the bits of one number. A formula that
    is true in none may be false always, which z3 then decides; one that is true in some need not be asked about.
    """

    def __init__(self, samples: int = 0) -> None:
        self.inputs: list[tuple[int, int] | None] = [None]
        self._made: dict[tuple[int, int], int] = {}
        self.names: dict[int, str] = {}
        self.samples = samples
        self.seen: list[int] = [(1 << samples) - 1]

    def bit(self, name: str, seen: int = 0) -> int:
        """Make a formula that is free to be true or false; `seen` are the samples in which it is true."""
        self.names[len(self.inputs)] = (
            f"{name} {len(self.inputs)}"  # no two bits are one variable of z3
        )
        self.inputs.append(None)
        self.seen.append(seen)
        return 2 * (len(self.inputs) - 1)

    def samples_of(self, formula: int) -> int:
        """Return the samples in which a formula is true."""
        seen = self.seen[formula >> 1]
        return seen ^ ((1 << self.samples) - 1) if formula & 1 else seen

    def add_sample(self, bits: dict[int, bool]) -> None:
        """Add a table to the samples, by the bits that are true."""
        place = 1 << self.samples
        self.samples += 1
        self.seen[0] |= place
        for gate, parts in enumerate(self.inputs[1:], start=1):
            if parts is None:
                true = bits.get(gate, False)
            else:
                true = all(bool(self.seen[p >> 1] & place) != bool(p & 1) for p in parts)
            if true:
                self.seen[gate] |= place

    def both(self, a: int, b: int) -> int:
        """Return the conjunction of two formulas."""
        if a > b:
            a, b = b, a
        if a in {TRUE, b}:
            return b
        if a == FALSE or a ^ 1 == b:
            return FALSE
        made = self._made.get((a, b))
        if made is None:
            made = self._absorbed(a, b)
            self._made[a, b] = made
        return made

    def _absorbed(self, a: int, b: int) -> int:
        """Return a conjunction as one of its own parts, or as false, where a glance at both tells; else make its gate."""
        for whole, other in ((a, b), (b, a)):
            parts = self.inputs[whole >> 1]
            if parts is None:
                continue
            if not whole & 1:
                if other in parts:
                    return whole
                if other ^ 1 in parts:
                    return FALSE
            elif other ^ 1 in parts:
                return other
        self.inputs.append((a, b))
        self.seen.append(self.samples_of(a) & self.samples_of(b))
        return 2 * (len(self.inputs) - 1)

    def impossible(self, formulas: list[int], assumed: int) -> set[int]:
        """Return those of some formulas that are proven to be never true; others may be so, too."""
        unseen = [each for each in formulas if not self.samples_of(each)]
        for _ in range(MOST_SAMPLES):
            if not unseen:
                break
            try:
                bits = self.solve(self.both(assumed, self.any(unseen)), seconds=SECONDS_TO_ASK)
            except TimeoutError:
                return set()
            if bits is None:
                return set(unseen)
            self.add_sample(bits)
            unseen = [each for each in unseen if not self.samples_of(each)]
        return set()

    def all(self, formulas) -> int:
        return reduce(self.both, formulas, TRUE)

    def either(self, a: int, b: int) -> int:
        return self.both(a ^ 1, b ^ 1) ^ 1

    def any(self, formulas) -> int:
        return reduce(self.either, formulas, FALSE)

    def same(self, a: int, b: int) -> int:
        """Return whether two formulas have one truth value."""
        return self.either(self.both(a, b), self.both(a ^ 1, b ^ 1))

    def solve(self, wanted: int, *, seconds: float) -> dict[int, bool] | None:
        """Return bits with which a formula is true, by z3; None if there are none. Raises TimeoutError."""
        if wanted == FALSE:
            return None
        solver = z3.SolverFor("QF_FD")
        solver.set("timeout", int(seconds * 1000))
        terms: dict[int, z3.BoolRef] = {0: z3.BoolVal(True)}
        for gate in self._beneath(wanted):
            term = terms[gate] = z3.Bool(self.names.get(gate, f"g{gate}"))
            if (parts := self.inputs[gate]) is not None:
                a, b = (self._term(terms, each) for each in parts)
                solver.add(z3.Or(z3.Not(term), a), z3.Or(z3.Not(term), b))
                solver.add(z3.Or(term, z3.Not(a), z3.Not(b)))
        solver.add(self._term(terms, wanted))
        answer = solver.check()
        if answer == z3.unsat:
            return None
        if answer != z3.sat:
            raise TimeoutError(f"z3 did not decide within {seconds:.0f} seconds")
        found = solver.model()
        return {gate: z3.is_true(found[term]) for gate, term in terms.items() if gate in self.names}

    @staticmethod
    def _term(terms: dict[int, z3.BoolRef], formula: int) -> z3.BoolRef:
        term = terms[formula >> 1]
        return z3.Not(term) if formula & 1 else term

    def _beneath(self, formula: int) -> list[int]:
        """Return the gates that a formula is made of, each after its parts."""
        seen: set[int] = {0}
        waiting = [formula >> 1]
        while waiting:
            gate = waiting.pop()
            if gate not in seen:
                seen.add(gate)
                parts = self.inputs[gate]
                waiting += [] if parts is None else [each >> 1 for each in parts]
        return sorted(seen - {0})

    def holds(self, formula: int, bits: dict[int, bool]) -> bool:
        """Evaluate a formula with these bits; a bit that is not among them is false."""
        known: dict[int, bool] = {0: True}
        for gate in self._beneath(formula):
            parts = self.inputs[gate]
            if parts is None:
                known[gate] = bits.get(gate, False)
            else:
                known[gate] = all(known[each >> 1] != bool(each & 1) for each in parts)
        return known[formula >> 1] != bool(formula & 1)
