"""Signatures of people: which labels and whose rows leave k people to whoever knows all rows of a person and the class.

A signature is how often a person has each label, over all tables. Each class goes up the way of `protected_events` by
one step for all its items, as far as the suppression limit needs; then rows of people whose signature is too rare go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.counting.run.session import Session


def protect_signatures(
    run: Session,
    numbered: exp.Table,
    rows: exp.Table,
    nodes: exp.Table,
    *,
    least: int,
    allowed: int,
    many: int,
) -> tuple[exp.Table, exp.Table]:
    """Return the level of each item of each class, and the people who keep their rows; others keep none.

    Guarantee: every signature that is left in a class, also that of no rows, is one of at least `least` people. It holds
    where the class has as many. Of `many` rows, no more than `allowed` should go; which do is the caller's to count.
    """

    def create(what: str, template: str, **leaves: object) -> exp.Table:
        return run.scratch.create(what, lambda table: Statement(template, {what: table, **leaves}))

    signed = create(
        "signed", "schema/signatures/signed_people", numbered=numbered, rows=rows, nodes=nodes
    )
    groups = create(
        "groups", "schema/signatures/signature_groups", signed=signed, least=literal(least)
    )
    limits = {"allowed": literal(allowed), "rows": literal(many)}
    chosen = create("chosen", "schema/signatures/chosen_steps", groups=groups, **limits)
    people = {"numbered": numbered, "signed": signed, "groups": groups, "chosen": chosen}
    kept = create("kept", "schema/signatures/people_with_rows", **people)
    levels = create(
        "levels", "schema/signatures/step_levels", rows=rows, chosen=chosen, nodes=nodes
    )
    for done in (signed, groups, chosen):
        run.scratch.drop(done)
    return levels, kept
