"""Compares what two policies say and their plans do not state: how other columns are released, and who is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.evidence.plan_diff.recoded_columns import PRIVACY, ChangeKind, ChangeRow, compared
from kanon_sql.policy.model import Linkable, Rare, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.policy.model import Column, Policy

GROUP = "policy"
NOT_RELEASED, GENERALIZED, IN_SOME_WAY, AS_IT_IS = range(4)
"""How much of a column a reader of the release sees, in order."""


def policy_rows(old: Policy, new: Policy) -> Iterator[ChangeRow]:
    """Yield what changed: columns by how they are released, the counted entity, and NULL."""
    olds, news = ({each.name: each for each in policy.columns} for policy in (old, new))
    for name in dict.fromkeys([*olds, *news]):
        yield from _column(name, olds.get(name), news.get(name))
    stricter = ChangeKind.STRICTER if new.entity is not None else ChangeKind.WEAKER
    alone = old.entity is None or new.entity is None
    counted = compared(old.entity, new.entity)
    yield _row(
        "counted entity",
        old.entity or "rows",
        new.entity or "rows",
        stricter if alone and counted is not ChangeKind.SAME else counted,
        from_file=True,
    )
    for title, was, now in (
        ("comparing people by all their rows", old.signature, new.signature),
        ("NULL in quasi-identifiers", str(old.nulls), str(new.nulls)),
    ):
        yield _row(title, was, now, compared(was, now))


def _column(name: str, old: Column | None, new: Column | None) -> Iterator[ChangeRow]:
    """Yield how a column is released; a new quasi-identifier is in the plan already."""
    seen = (_seen(old), _seen(new))
    if seen[1] != GENERALIZED or seen[0] > GENERALIZED:
        texts = _released(old), _released(new)
        change = compared(*seen, ChangeKind.WEAKER, ChangeKind.STRICTER)
        if change is ChangeKind.SAME and seen[0] is not NOT_RELEASED:
            change = compared(*texts)
        yield _row("", *texts, change, (name,))
    for title, entry, loose in (
        ("linking rows by", "linkable", Linkable.ACCEPT),
        ("showing rare values of", "rare", Rare.SHOW),
    ):
        ends = (getattr(old, entry, None) is loose, getattr(new, entry, None) is loose)
        change = compared(*ends, ChangeKind.WEAKER, ChangeKind.STRICTER)
        texts = ("accepted" if ends[0] else "refused", "accepted" if ends[1] else "refused")
        yield _row(title, *texts, change, (name,))


def _seen(column: Column | None) -> int:
    if column is None or column.is_dropped:
        return NOT_RELEASED
    if column.mask is not None:
        return NOT_RELEASED if column.mask.staged_as == "null" else IN_SOME_WAY
    return GENERALIZED if column.role is Role.QUASI else AS_IT_IS


def _released(column: Column | None) -> str | None:
    if column is None:
        return None
    if column.role is Role.IDENTIFYING:
        return f"identifying ({column.action})"
    return f"{column.role} ({'generalized' if column.role is Role.QUASI else 'as it is'})"


def _row(
    title: str,
    old: object,
    new: object,
    change: ChangeKind,
    names: tuple[str, ...] = (),
    *,
    from_file: bool = False,
) -> ChangeRow:
    return ChangeRow(
        PRIVACY,
        title,
        old,
        new,
        change,
        names,
        from_file=from_file,
        group=GROUP,
        key=" ".join([title, *names]).strip(),
        more={"change": change.value},
    )
