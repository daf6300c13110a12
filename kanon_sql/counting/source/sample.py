"""Samples of rows, or of entities with all their rows, drawn by a hash: the same on every engine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.counting.source.left_out import without_nulls
from kanon_sql.engines.base import ColumnType
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.model import Action, Column, Nulls, Role, Suppression

if TYPE_CHECKING:
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.model import Policy

NUMBER = "_kanon_row"
"""The column of a sample that numbers its rows, in the order of the hash."""


def numbered_sample(run: Session, opened: OpenSource, most: int) -> tuple[Session, OpenSource, str]:
    """Copy a sample of at most `most` rows into a scratch table, with a column that numbers them.

    With an entity, the sample has about so many rows: all rows of some people, and none of the others. A source with
    no more rows is copied whole. Returns the run with the sample's policy, the sample and the name of the column. That
    policy does not release the column, and a suppression limit in rows becomes the same share of the sample.
    """
    policy, rows = run.policy, opened.source_rows
    taken = {each.name.casefold() for each in opened.columns}
    number = NUMBER
    while number in taken:
        number += "_"
    told_apart = [each.name for each in policy.columns if each.role in {Role.QUASI, Role.SENSITIVE}]
    entity = None
    if policy.entity is not None:
        entity = policy.entity
        told_apart.append(entity)
    sample = run.scratch.create(
        "sample",
        source_sql.numbered_sample,
        opened.source,
        [each.name for each in opened.columns],
        dict.fromkeys(told_apart),
        number,
        entity=entity,
        share=None if rows <= most else Fraction(most, rows),
        most=most,
        rows=rows,
    )
    columns = (*opened.columns, ColumnType(number, "BIGINT"))
    count = run.engine.fetch_count(source_sql.count_rows(sample))
    run = replace(run, policy=policy_of_sample(policy, number, rows=count, of_rows=rows))
    found = replace(opened, table=sample, columns=columns, rows=count, all_rows=None, left_out=0)
    return run, without_nulls(run, found) if policy.nulls is Nulls.SUPPRESS else found, number


def policy_of_sample(policy: Policy, number: str, *, rows: int, of_rows: int) -> Policy:
    """Return the policy for a sample: it drops the column `number`, and turns a limit in rows to a share."""
    suppression = policy.suppression
    if suppression.rows is not None and rows < of_rows:
        suppression = Suppression(share=min(Fraction(suppression.rows, of_rows), Fraction(1)))
    beside = Column(number, Role.IDENTIFYING, action=Action.DROP)
    return replace(policy, columns=(*policy.columns, beside), suppression=suppression)
