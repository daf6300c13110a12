"""What each privacy model declares of coarser nodes: proven of all small tables, or refuted by one where it declares less.

A finer node has the classes 0, 1 and 2; the coarser one merges the first two. `ALWAYS`: the coarser node suppresses no
more rows. `UNSUPPRESSED`: where all classes of the finer node fit, so do those of the coarser, and some table shows that
no more is true; for models that compare a class with the table it takes more rows than these. `NEVER`: some table shows that not even that is.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.policy.privacy.privacy_model import Monotony
from tests.proofs.definitions import Classes, Table
from tests.proofs.formulas import FALSE
from tests.proofs.proof import Proof, Setting, table_of
from tests.proofs.recounts import ILL, MODELS

CLASS, WHO = "class", "who; --"
FINER, COARSER = (CLASS, lambda value: value), (CLASS, lambda value: max(value, 1))


@dataclass(frozen=True)
class Claim:
    """A model with the definitions of when a class fits, and what it declares; by people where the table has them."""

    name: str
    declared: Monotony
    definitions: object
    by_people: bool = False
    of_table: bool = False
    rows: int = 4

    def __str__(self):
        return self.name

    def refuted(self, *, suppressing):
        """Return a table for which the coarser node is worse than the finer; None if there is none."""
        values = {CLASS: (0, 1, 2), ILL: ("x", "y", None)}
        values |= {WHO: ("1", "2", "3")} if self.by_people else {}
        table = Table("rows", values, rows=self.rows)
        setting = Setting.of(Proof(self.name, "", [], [table], lambda _: []))
        rows, world = setting.seen["rows"], setting.world
        entity = WHO if self.by_people else None
        finer, coarser = (
            Classes(rows, [key], self.definitions(entity)) for key in (FINER, COARSER)
        )
        if suppressing:
            worse = world.lift(lambda a, b: b > a, finer.short_rows(), coarser.short_rows())
            formula = world.truth(worse)
        else:
            fits, fails = finer.short().cases.get(0, FALSE), coarser.short().cases.get(0, FALSE) ^ 1
            formula = world.gates.both(fits, fails)
        bits = world.gates.solve(world.gates.both(setting.assumed, formula), seconds=300)
        return None if bits is None else table_of(setting, bits)

    def check(self):
        """Raise AssertionError with a table that contradicts what the model declares, or if it could declare more."""
        always, unsuppressed = self.refuted(suppressing=True), self.refuted(suppressing=False)
        match self.declared:
            case Monotony.ALWAYS:
                assert always is None, always
            case Monotony.UNSUPPRESSED:
                assert unsuppressed is None, unsuppressed
                assert always is not None or self.of_table
            case Monotony.NEVER:
                assert unsuppressed is not None


IN_TWELVE_ROWS = "delta-disclosure, absent ignored"
"""Declares nothing, which a table of twelve rows shows, and none of four: too many for formulas."""

CLAIMS = [
    *(
        Claim(
            name,
            min((m.monotony for m in models), key=list(Monotony)[::-1].index),
            definitions,
            of_table=definitions(None)[-1].of_table,
        )
        for name, (models, definitions) in MODELS.items()
        if name != IN_TWELVE_ROWS
    ),
    # What `Policy.monotone` and the page on privacy models say of people with several values.
    Claim("alpha, by people", Monotony.NEVER, MODELS["alpha"][1], by_people=True),
]
