"""PostgreSQL's release in place: the table stays the same object, and gets other rows and columns.

Views, grants and publications refer to a table by its OID, so after a rename they would still serve the raw
rows. Here the OID stays, TRUNCATE removes the files of the raw rows when the transaction ends, and the server
itself refuses dependents that no longer fit. Partitions stay too: the partition key is released unchanged, and rows
are inserted into the partitioned table, which routes each to its partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.in_place_sql import LISTS, ColumnChanges, Dependent, Swap
from kanon_sql.engines.scratch import PREFIX, run_mark
from kanon_sql.errors import VerificationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.engines.base import Engine

BARRED = {
    "kind": "is not a plain table; only those are released in place",
    "owner": "the role must own the table",
    "row security": "hides rows from this role; use one that sees all of them",
    "inheritance": "rows of other tables, which inherit from it, are read as its own, and their further columns "
    "are not; end that (by NO INHERIT), or release under a new name",
    "typed": "is a type of its own, which no release changes; end that first (by NOT OF)",
    "foreign": "holds its rows elsewhere; detach it first",
    "row type": "another table has columns of its row type; change that first",
    "function": "reads columns that change; drop it, and make it again after the release",
    "target": "keeps old statistics, which hold raw values; set it to -1 first",
    "inherited": "hold raw values, and nothing computes them again without a child of the table; let "
    "a superuser delete them from pg_statistic, or an owner call pg_clear_attribute_stats (from 18 on)",
    "no data": "hold raw values, and nothing computes them again as long as it is not populated; "
    "refresh it, or drop it, first",
}
PART_KEY = (
    "its columns tell in which partition a row is, so they have to be released as they are: give them the "
    "role insensitive or sensitive, or release under a new name"
)
APART = {
    "partition": "has the columns of the table above it, which stay; it is detached",
    "child": "has the columns of the table it inherits from, which stay; it inherits no longer",
}
COMPUTED = {
    "materialized view": "is refreshed, as it would go on showing raw rows",
    "above": "has statistics over the raw rows, which are computed again",
}
ANOTHER = "release as a role that is a member of both owners"
HIDDEN = (
    "stays on, and no policy lets anybody but the owner read a row; make one after the release, or switch "
    "row security off"
)
"""Why row security needs to be accepted: dropping the last policy that lets rows be read shuts the table."""
ORDER = "columns of bounds can only be added behind the others"
VIRTUAL = "is computed when it is read; make its column a plain one first"
DEEP = "the server cannot make its column a plain one where partitions have partitions; detach those first"
LOST = {
    "foreign key": "rows that point here may lose what they point to; it is dropped",
    "constraint": "is about values that change; it is dropped",
    "index": "is about values that change; it is dropped",
    "view": "reads columns that go or change their type; it is dropped",
    "materialized view": "reads columns that go or change their type; it is dropped",
    "trigger": "runs on rows that are no longer what it expects; it is dropped",
    "rule": "changes what statements do to the table; it is dropped",
    "policy": "is about values that change; it is dropped",
    "publication": "sent the raw rows to subscribers, who keep them; the table leaves it",
    "publication of all": "sent the raw rows to subscribers, who keep them; the table stays in it",
    "subscription": "brings raw rows into the table again",
    "statistics": "is about columns that go; it is dropped",
    "default": "is a value as it was before; it is dropped",
    "generated": "cannot be computed from what is released; its column becomes a plain one",
    "identity": "does not fit the type of the released column; it is dropped",
    "grants": "were for a column that becomes two",
    "type": LISTS,
}
ALWAYS = frozenset(
    {"foreign key", "trigger", "rule", "publication", "subscription", "generated", "type"}
)
ON_COLUMN = frozenset({"default", "generated", "identity", "target"})
CARRIED = frozenset(
    {"not null", "missing", "above", "partition", "partitioned", "partition key", "deep"}
)
"""Kinds that are no dependents by themselves: the swap restores them, or other dependents cover them."""
INHERITED = frozenset({"constraint", "index", "trigger"})
"""Kinds that a partition may inherit from the table above it. `mark` shows that, except for indexes."""
STAYS = frozenset({"subscription", "grants", "type"})
"""Kinds that a policy has to accept although the swap leaves them unchanged."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the catalog query. `depth` counts the views from the table up to a view.

    The meaning of `mark` depends on the kind. `owner` names the object's owner if this role may not drop the object,
    `keeper` the owner if this role may not compute it again.
    """

    kind: str
    label: str
    schema: str | None
    own: str | None
    part: str | None
    columns: list[str] | None
    bases: list[str] | None
    mark: bool
    depth: int
    owner: str | None
    keeper: str | None

    @property
    def whole(self) -> str:
        """The object's name, as `bases` of other rows spell it."""
        return self.label.removeprefix(f"{self.kind} ")

    @property
    def object(self) -> exp.Table | None:
        """The object's name in statements; None for an object without a schema."""
        return named(self.own, schema=self.schema) if self.own and self.schema else None


def dependents(engine: Engine, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
    """Find what depends on a table, in the order in which it can be dropped."""
    types = {column.name: column.type for column in engine.columns(table)}
    retyped = {name for name in changes.changed if types.get(name) != "text"} | changes.removed
    rows = _rows(engine, table)
    lost = _lost_views(rows, retyped)
    rows.sort(key=lambda row: (row.kind != "foreign key", -row.depth))  # what rests on others first
    found = [Dependent("column order", ORDER)] if changes.bounded else []
    found += _ties_above(table, rows, changes, retyped, lost)
    apart = any(tie.before for tie in found)
    deep = any(row.kind == "deep" for row in rows)
    for row in rows:
        if row.kind == "generated" and row.mark and deep:
            found.append(Dependent(row.label, DEEP, barred=True))
        elif row.kind in ON_COLUMN and changes.lose(row.columns):
            if row.kind == "generated" and row.mark:  # or what it is computed from could not go
                found.append(Dependent(row.label, before=_drop(table, row)))
        elif row.kind in BARRED:
            if row.kind != "function" or row.whole in lost:
                found.append(Dependent(row.label, BARRED[row.kind], barred=True))
        elif row.kind == "generated" and not row.mark:
            found.append(Dependent(row.label, VIRTUAL, barred=True))
        elif row.kind not in CARRIED and (row.kind in ALWAYS or _loses(row, changes, lost)):
            if row.kind == "trigger" and row.mark and apart:
                continue  # it goes when the partition is detached
            all_ = row.kind == "publication" and not row.mark
            loss = LOST["publication of all" if all_ else row.kind]
            found.append(_dropped(row, loss, _drop(table, row)))
        elif row.kind in {"materialized view", "above"} and row.keeper is not None:
            what = f"{COMPUTED[row.kind]}, and the role {row.keeper} owns it; {ANOTHER}"
            found.append(Dependent(row.label, what, barred=True))
    if _shuts(rows, changes):
        found.append(Dependent("row security without a policy", HIDDEN))
    return found


def _ties_above(
    table: exp.Table, rows: Iterable[Row], changes: ColumnChanges, retyped: set[str], lost: set[str]
) -> list[Dependent]:
    """List the partition key if it bars the release, and parents from which the table must be detached.

    A partition, or a table that inherits, cannot drop or retype columns on its own, and cannot drop objects that it
    has from the table above.
    """
    rows = list(rows)
    parents = [row for row in rows if row.kind == "partition"]
    key = next((row.columns for row in rows if row.kind == "partition key"), None)
    partitioned = any(row.kind == "partitioned" for row in rows)
    found = []
    if partitioned and changes.touch(key):
        found.append(Dependent("partition key", PART_KEY, barred=True))
    never_null = {row.part or "" for row in rows if row.kind == "not null" and row.mark}
    if (
        retyped
        or changes.touch(key)
        or not changes.nulled.isdisjoint(never_null)
        or any(
            (row.mark or row.kind == "index") and (row.kind in ALWAYS or _loses(row, changes, lost))
            for row in rows
            if row.kind in INHERITED
        )
    ):
        for row in parents:
            kind = "partition" if row.mark else "child"
            before = (in_place_sql.drop_dependent(kind, table, row.object, None),)
            if row.mark:
                found.append(_dropped(row, APART[kind], before))
            else:  # a child may leave a parent of any owner
                found.append(Dependent(row.label, APART[kind], before=before))
    return found


def _dropped(row: Row, loss: str, before: tuple[Statement, ...]) -> Dependent:
    """Return a dependent that is dropped or detached. It is barred if only its owner, another role, may."""
    if row.owner is None or not before:
        return Dependent(row.label, loss, before=before)
    what = f"{loss}, which only its owner, the role {row.owner}, may do: have it dropped first, or {ANOTHER}"
    return Dependent(row.label, what, barred=True)


def _shuts(rows: Iterable[Row], changes: ColumnChanges) -> bool:
    """Return whether a table with row security loses all policies by which others can read rows."""
    readable = [row for row in rows if row.kind == "policy" and row.mark]
    return bool(readable) and all(changes.touch(row.columns) for row in readable)


def _rows(engine: Engine, table: exp.Table) -> list[Row]:
    return [Row(*row) for row in engine.fetch(in_place_sql.dependents(table))]  # type: ignore[arg-type]


def _lost_views(rows: Iterable[Row], retyped: set[str]) -> set[str]:
    """Return the views and functions to drop: they read columns that change, or a view that is dropped."""
    lost: set[str] = set()
    for row in sorted((row for row in rows if row.bases), key=lambda row: row.depth):
        if not retyped.isdisjoint(row.columns or ()) or not lost.isdisjoint(row.bases or ()):
            lost.add(row.whole)
    return lost


def _loses(row: Row, changes: ColumnChanges, lost_views: set[str]) -> bool:
    """Return whether a dependent no longer fits the release."""
    if row.kind in {"view", "materialized view"}:
        return row.whole in lost_views
    if row.kind == "index":  # a plain index fits any values
        return changes.lose(row.columns) or (changes.touch(row.columns) and not row.mark)
    if row.kind == "statistics":  # computed again
        return changes.lose(row.columns)
    if row.kind == "grants":
        return not changes.bounded.isdisjoint(row.columns or ())
    return changes.touch(row.columns)


def _drop(table: exp.Table, row: Row) -> tuple[Statement, ...]:
    """Return the statement that drops a dependent; none for kinds that stay."""
    if row.kind in STAYS or (row.kind == "publication" and not row.mark):
        return ()
    return (in_place_sql.drop_dependent(row.kind, table, row.object, row.part),)


def swap(engine: Engine, swap: Swap) -> None:
    """Replace the rows of the table, within the transaction in progress."""
    table, changes = swap.table, swap.changes
    if swap.kept is not None:
        _keep(engine, table, swap.kept)
    before = {column.name: column.type for column in engine.columns(table)}
    rows = _rows(engine, table)
    never_null = {row.part for row in rows if row.kind == "not null"}
    above = [row.object for row in rows if row.kind == "above" and row.object is not None]
    after = {column.name: column.type for column in engine.columns(swap.staged)}
    for each in swap.dependents:
        for statement in each.before:
            engine.execute(statement)
    engine.execute(command("truncate", table))
    reshaped = {
        "not_null": [name for name in sorted(changes.nulled) if name in never_null],
        "removed": [name for name in before if name not in swap.columns],
        "retyped": {n: after[n] for n in swap.columns if n in before and before[n] != after[n]},
        "new": {name: after[name] for name in swap.columns if name not in before},
    }
    if any(reshaped.values()):
        engine.execute(in_place_sql.reshape(table, **reshaped))  # type: ignore[arg-type]
        for row in _rows(engine, table):  # partitions may declare NOT NULL by themselves
            if row.kind == "not null" and row.part in changes.nulled and row.object is not None:
                engine.execute(command("drop_not_null", row.object, name_of(str(row.part))))
    if any(row.kind == "missing" for row in rows):
        for statement in in_place_sql.rewrite_table(table, f"{PREFIX}{run_mark()}"):
            engine.execute(statement)
    engine.execute(in_place_sql.insert_rows(table, swap.columns, swap.staged, overriding=True))
    engine.execute(command("check_constraints"))
    swap.recount(engine, table)
    _analyze(engine, table)
    seen = {row.label: row for each in (table, *above) for row in _rows(engine, each)}
    for parent in above:
        _analyze(engine, parent, own=True)
    for row in sorted(seen.values(), key=lambda row: row.depth):  # views over other views last
        if row.kind == "materialized view" and row.object is not None:
            if row.mark:
                engine.execute(command("refresh_view", row.object))
            _analyze(engine, row.object)


def _analyze(engine: Engine, table: exp.Table, *, own: bool = False) -> None:
    """Replace the statistics of a table and its indexes, because the old ones contain raw values.

    ANALYZE leaves some unchanged: those of tables without rows, or by configuration. Raises VerificationError unless
    it wrote as many statistics as exist. With `own`, only the table's statistics over all its partitions count, and it
    has to write at least as many.
    """
    _, before = engine.fetch_counts(in_place_sql.count_statistics(table, own=own))
    engine.execute(command("analyze", table))
    there, after = engine.fetch_counts(in_place_sql.count_statistics(table, own=own))
    if there > after - before or (there < after - before and not own):
        raise VerificationError(
            f"old statistics of {table.name} or its indexes would stay, and hold raw values: it has "
            f"no rows any more, or a partition or an index of a part of it has none, or track_counts is off; "
            f"drop what has none first. Nothing was published"
        )


def _keep(engine: Engine, table: exp.Table, kept: exp.Table) -> None:
    """Copy the raw rows to a table that only its owner may read."""
    columns = [column.name for column in engine.columns(table)]
    engine.execute(commands_sql.publish_table(kept, table, columns, replace=False))
    owner, own = (engine.fetch(in_place_sql.owner_of(each))[0][0] for each in (table, kept))
    if owner != own:
        engine.execute(command("set_owner", kept, name_of(str(owner))))
    engine.keep_private(kept)
