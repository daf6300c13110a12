"""What a released table keeps of its source's declaration: types, NOT NULL, primary, unique and foreign keys; and what not.

A type is kept where all released values are values of it, NOT NULL where no row has a NULL, and a key where it does not
repeat. The rest is said in plan, page and release.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.schema_sql import ReleasedKeys
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.released_types import typed_rows
from kanon_sql.engines.base import EQUAL_AS_TEXTS
from kanon_sql.errors import InfeasibleError
from kanon_sql.policy.model import Role
from kanon_sql.release.stage import texts_of_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.open_schema import OpenTable
    from kanon_sql.apps.schema.schema_policy import ForeignKey, SchemaPolicy
    from kanon_sql.apps.schema.stage_schema import StagedSchema, StagedTable
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.recoding.planning.make_plan import Planned

CIRCLE = "is part of a circle of tables, or refers to its own table, which {engine} takes only when each row comes after those it names"
NOT_UNIQUE = "names columns that the release has twice"
NUMBERS = frozenset({"integer", "decimal", "float"})
LENGTH = re.compile(r"(?:character varying|varchar)\((\d+)\)")
DIGITS = re.compile(r"(?:decimal|numeric)\((\d+), *(\d+)\)")
BITS = {"tinyint": 8, "smallint": 16, "integer": 32, "int": 32, "bigint": 64, "hugeint": 128}


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a released table: columns that hold no NULL, keys that do not repeat, and what is `lost`."""

    required: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    lost: tuple[str, ...] = ()


UNDECLARED = Declaration()


@contextmanager
def named(table: str) -> Iterator[None]:
    """Name the table in an error of its own plan, which knows no other table."""
    try:
        yield
    except InfeasibleError as error:
        raise type(error)(f"tables.{table}: {error}") from error


def shaped(
    run: Session,
    policy: SchemaPolicy,
    staged: StagedTable,
    planned: Planned | None,
    referenced: Iterable[tuple[str, ...]],
) -> StagedTable:
    """Return a staged table with the types of its source where its values have them, and with its shape.

    `referenced` are its columns that foreign keys of the release name.
    """
    opened = staged.opened
    if planned is not None:
        own = replace(run, policy=opened.policy)
        if types := texts_of_types(own, planned, staged.table, without=()):
            view = run.scratch.table("typed")
            run.see(view, typed_rows(view, staged.table, staged.columns, types))
            staged = replace(staged, table=view)
    before = {each.name: each for each in run.engine.columns(opened.raw)}
    after = {each.name: each for each in run.engine.columns(staged.table)}
    pairs = {n: (before[n], after[n]) for n in staged.columns if n in before}
    measured = _measured(run, staged, pairs, opened.required)
    cast = {
        name: old
        for name, (old, new) in pairs.items()
        if old.type != new.type and _may_hold(old, measured.get(name))
    }
    quasi = {each.name for each in opened.policy.quasi}
    cast = _unchanged(run, staged.table, cast)
    for name, (
        old,
        new,
    ) in pairs.items():  # a label for each value, as of level 0, is the value's text
        if old.family in EQUAL_AS_TEXTS and new.family == "text" and name in quasi:
            labels = schema_sql.count_strange_labels(staged.table, name, opened.rows)
            cast |= {} if run.engine.fetch_count(labels) else {name: old}
    if cast:
        view = run.scratch.table("shaped")
        run.see(view, schema_sql.shaped_rows(view, staged.table, staged.columns, cast))
        staged = replace(staged, table=view)
    full = tuple(n for n in opened.required if n in pairs and measured[n][0] == staged.rows)
    wanted = [*_whole_keys(staged, opened), *referenced]
    unique = tuple(k for k in dict.fromkeys(wanted) if _is_unique(run, staged, k))
    lost = [
        f"{name}: {old.type} becomes {'a pseudonym, ' if keyed else ''}{new.type}"
        for name, (old, new) in pairs.items()
        if name not in cast and _differs(old, new)
        for keyed in [policy.domain_of(staged.name, name) is not None]
    ]
    lost += [f"{name}: NOT NULL" for name in opened.required if name in pairs and name not in full]
    for kind, keys in (("PRIMARY KEY", [opened.primary]), ("UNIQUE", opened.unique)):
        lost += [
            f"{', '.join(key)}: {kind}"
            for key in keys
            if key and key not in unique and all(each in pairs for each in key)
        ]
    return replace(staged, shape=Declaration(full, unique, tuple(lost)))


def _differs(old: ColumnType, new: ColumnType) -> bool:
    """Whether a type takes other values; the length of a text is no other type."""
    return old.type != new.type and (old.family, new.family) != ("text", "text")


def _kind(old: ColumnType, new: ColumnType) -> str | None:
    """Say how it is measured whether values of a column are of its type before; None where they cannot be."""
    if old.type == new.type:
        return None
    if old.family in NUMBERS and (new.family in NUMBERS or new.type.lower() == "numeric"):
        return "number"
    return "text" if (old.family, new.family) == ("text", "text") else None


def _measured(
    run: Session,
    staged: StagedTable,
    pairs: Mapping[str, tuple[ColumnType, ColumnType]],
    required: Sequence[str],
) -> dict[str, tuple[int, float | None, float | None]]:
    """Count values, and find the least and the greatest, of columns whose type or NULL is to be kept."""
    kinds = {name: _kind(old, new) for name, (old, new) in pairs.items()}
    kinds = {name: kind for name, kind in kinds.items() if kind or name in required}
    if not kinds:
        return {}
    (row,) = run.engine.fetch(schema_sql.measured_columns(staged.table, kinds))
    found = {}
    for number, name in enumerate(kinds):
        present, least, greatest = row[1 + 3 * number : 4 + 3 * number]
        bounds = [None if each is None else float(str(each)) for each in (least, greatest)]
        found[name] = (int(str(present)), bounds[0], bounds[1])
    return found


def _may_hold(old: ColumnType, measured: tuple[int, float | None, float | None] | None) -> bool:
    """Return whether a type holds values between the least and the greatest of a column without an error."""
    if measured is None or measured[1] is None or measured[2] is None:
        return measured is not None and not measured[0]
    most = max(abs(measured[1]), abs(measured[2]))
    folded = old.type.lower()
    if found := LENGTH.fullmatch(folded):
        return most <= int(found[1])
    if found := DIGITS.fullmatch(folded):
        return bool(most < 10 ** (int(found[1]) - int(found[2])) - 1)
    if folded in BITS:
        return bool(most < 2 ** (BITS[folded] - 1) - 1)
    return old.family == "float"


def _unchanged(
    run: Session, table: exp.Table, cast: Mapping[str, ColumnType]
) -> dict[str, ColumnType]:
    """Return the columns whose values are the same as values of their types."""
    if not cast:
        return {}
    changed = run.engine.fetch_counts(schema_sql.count_changed(table, cast))
    return {
        name: old for (name, old), count in zip(cast.items(), changed, strict=True) if not count
    }


def _whole_keys(staged: StagedTable, opened: OpenTable) -> list[tuple[str, ...]]:
    """Return the primary and unique keys of a table whose columns are released, and not generalized."""
    generalized = {each.name for each in opened.policy.columns if each.role is Role.QUASI}
    kept = {*staged.columns} - generalized
    return [key for key in (opened.primary, *opened.unique) if key and kept.issuperset(key)]


def _is_unique(run: Session, staged: StagedTable, columns: tuple[str, ...]) -> bool:
    """Return whether no key is there twice; rows may be without one, except of the primary key."""
    rows, keyed, keys = run.engine.fetch_counts(
        schema_sql.count_keys_of_rows(staged.table, columns)
    )
    return keyed == keys and (rows == keyed or columns != staged.opened.primary)


def keys_of_release(
    staged: StagedSchema, names: Mapping[str, exp.Table], *, added: bool
) -> tuple[dict[str, ReleasedKeys], dict[ForeignKey, str]]:
    """Return the keys of each released table, and the foreign keys that cannot be created, with reasons.

    Keys are `added` to tables that have rows, or made with them.
    """
    missing: dict[ForeignKey, str] = {}
    foreign: dict[str, list[tuple[tuple[str, ...], exp.Table, tuple[str, ...]]]] = {}
    for key in staged.keys:
        if key.of not in staged.tables[key.to].shape.unique:
            missing[key] = NOT_UNIQUE
        elif key in staged.opened.cyclic and not added:
            missing[key] = CIRCLE
        else:
            foreign.setdefault(key.table, []).append((key.columns, names[key.to], key.of))
    made = {}
    for name, each in staged.tables.items():
        unique = each.shape.unique
        primary = each.opened.primary if each.opened.primary in unique else ()
        others = tuple(columns for columns in unique if columns != primary)
        own = tuple(foreign.get(name, ()))
        made[name] = ReleasedKeys(primary, others, own, each.shape.required)
    return made, missing
