"""Recounts of a table: every privacy model that is counted in a table alone, by rows and by people."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import class_models

from kanon_sql.base.sql.quoting import table as table_of
from kanon_sql.policy.privacy.closeness import Absent, BetaLikeness, DeltaDisclosure, TCloseness
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import (
    Alpha,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls
from kanon_sql.recoding.recount import recount_statement
from tests.proofs.definitions import Classes, Table, by_values, distinct_l, k_anonymity
from tests.proofs.formulas import TRUE
from tests.proofs.proof import Proof

SEX, ZIP, ILL, WHO = 'se"x', "select", "dis'ease", "who; --"
RELEASE = 'the "release"'
VALUE = SensitiveNulls.VALUE
LETTERS, FEWER = ("f", "m", "x", None), ("f", "x", None)

HALF = Fraction(1, 2)
MODELS = {
    "k": ((KAnonymity(2),), lambda e: [k_anonymity(2, e)]),
    "k = 3": ((KAnonymity(3),), lambda e: [k_anonymity(3, e)]),
    "distinct l": ((DistinctDiversity(ILL, 2),), lambda _: [distinct_l(2, ILL)]),
    "distinct l, NULL a value": (
        (DistinctDiversity(ILL, 2, nulls=VALUE),),
        lambda _: [distinct_l(2, ILL, nulls=True)],
    ),
    "k and distinct l": (
        (KAnonymity(3), DistinctDiversity(ILL, 2)),
        lambda e: [k_anonymity(3, e), distinct_l(2, ILL)],
    ),
    "entropy l": (
        (EntropyDiversity(ILL, Decimal(2)),),
        lambda e: [by_values(class_models.entropy(2), ILL, entity=e)],
    ),
    "recursive (c, l)": (
        (RecursiveDiversity(ILL, Fraction(3, 2), 2),),
        lambda e: [by_values(class_models.recursive(Fraction(3, 2), 2), ILL, entity=e)],
    ),
    "alpha": (
        (Alpha(ILL, Decimal("0.5")),),
        lambda e: [by_values(class_models.alpha(HALF), ILL, entity=e)],
    ),
    "alpha, NULL a value": (
        (Alpha(ILL, Decimal("0.5"), nulls=VALUE),),
        lambda e: [by_values(class_models.alpha(HALF), ILL, entity=e, nulls=True)],
    ),
    "t-closeness": (
        (TCloseness(ILL, Decimal("0.4")),),
        lambda e: [
            by_values(class_models.equal_distance(Fraction(2, 5)), ILL, entity=e, of_table=True)
        ],
    ),
    "beta-likeness": (
        (BetaLikeness(ILL, Decimal(1)),),
        lambda e: [
            by_values(class_models.beta(Fraction(1), enhanced=False), ILL, entity=e, of_table=True)
        ],
    ),
    "beta-likeness, enhanced": (
        (BetaLikeness(ILL, Decimal(2), enhanced=True),),
        lambda e: [
            by_values(class_models.beta(Fraction(2), enhanced=True), ILL, entity=e, of_table=True)
        ],
    ),
    "delta-disclosure": (
        (DeltaDisclosure(ILL, Decimal(1)),),
        lambda e: [
            by_values(class_models.delta(Fraction(1), absent="fails"), ILL, entity=e, of_table=True)
        ],
    ),
    "delta-disclosure, absent ignored": (
        (DeltaDisclosure(ILL, Decimal(1), Absent.IGNORED),),
        lambda e: [
            by_values(
                class_models.delta(Fraction(1), absent="ignored"), ILL, entity=e, of_table=True
            )
        ],
    ),
}
"""By name: the models, and the definitions of when a class fits them, by an entity or by rows."""


def recounts():
    """Yield the proofs that a recount counts classes as the definitions do."""
    for name, (models, definitions) in MODELS.items():
        for entity in (None, WHO):
            yield recount(name, models, definitions, entity)


def recount(name, models, definitions, entity):
    """Return the proof of one recount."""
    weighs = any(each.of_table or each.start == () for each in definitions(None))
    letters = FEWER if entity else LETTERS
    values = {SEX: letters, ZIP: letters, **({WHO: letters} if entity else {})}
    if "distinct" in name or weighs:
        values = {SEX: ("f", "m", None), ILL: FEWER if entity or weighs else LETTERS}
        values |= {WHO: ("1", "2")} if entity else {} if weighs else {ZIP: LETTERS}
    quasi = [each for each in (SEX, ZIP) if each in values]
    release = Table(RELEASE, values, rows=4 if weighs else 5 if entity else 6)
    (demand,) = demands(models)
    statement = recount_statement(table_of(RELEASE), quasi, demand.recounted, entity=entity)

    def defined(tables):
        classes = Classes(tables[RELEASE], quasi, [k_anonymity(1, entity), *definitions(entity)])
        counted = {
            "classes": classes.many(),
            "row_count": tables[RELEASE].size(),
            "smallest_class": classes.smallest(entity),
            "short_classes": classes.short(),
        }
        return [(TRUE, counted)]

    by = "by people" if entity else "by rows"
    return Proof(
        f"recount: {name}, {by}", "release/verify", [statement.render("duckdb")], [release], defined
    )
