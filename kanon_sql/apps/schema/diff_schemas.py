"""Compares two plans of a schema: tables that came and went, protections, people below k, and each table's own plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.evidence.plan_diff.plan_diff import PlanDiff

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.apps.schema.schema_plan import PlannedTable, SchemaPlan


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """What changed between two plans, as lines, and the differences of the tables' own plans by name."""

    lines: tuple[str, ...]
    tables: dict[str, PlanDiff]

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.lines and all(each.same for each in self.tables.values())

    @property
    def markdown(self) -> str:
        """The differences as Markdown, for a pull request."""
        if self.same:
            return "The plans are the same.\n"
        own = "".join(f"- {each}\n" for each in self.lines)
        parts = [f"## Schema\n\n{own}"] if own else []
        parts += [
            f"## {name}\n\n{each.markdown}" for name, each in self.tables.items() if not each.same
        ]
        return "\n".join(parts)

    def document(self) -> dict[str, object]:
        """Return what `diff --json` prints."""
        changed = {name: each.document() for name, each in self.tables.items() if not each.same}
        return {"same": self.same, "changes": list(self.lines), "tables": changed}


def diff_schemas(old: SchemaPlan, new: SchemaPlan) -> SchemaDiff:
    """Compare a plan of a schema with an older one. No database is needed, and no value of the data is in the result."""
    both = [name for name in new.tables if name in old.tables]
    plans = {
        name: PlanDiff(before, after)
        for name in both
        if (before := old.tables[name].plan) is not None
        and (after := new.tables[name].plan) is not None
    }
    return SchemaDiff(tuple(_lines(old, new)), plans)


def _lines(old: SchemaPlan, new: SchemaPlan) -> Iterator[str]:
    for name in old.tables.keys() - new.tables.keys():
        yield f"{name}: is not released any more"
    for name, after in new.tables.items():
        before = old.tables.get(name)
        if before is None:
            yield f"{name}: is new, protected by {after.protection}"
        else:
            yield from (f"{name}: {each}" for each in _changes(before, after))
    before_joined = {(each.people_of, each.tables): each for each in old.joined}
    for each in new.joined:
        earlier = before_joined.get((each.people_of, each.tables))
        if earlier is None:
            yield f"new over the join: {each}"
        elif (earlier.below, earlier.people) != (each.below, each.people):
            yield f"{each}; before: {earlier.below:,} of {earlier.people:,}"
    keys = {str(each): each for each in old.foreign_keys}
    for key in new.foreign_keys:
        was = keys.get(str(key))
        if was is not None and was.released != key.released:
            yield f"{key}: {'is' if key.released else 'is not'} in the release now"


def _changes(before: PlannedTable, after: PlannedTable) -> Iterator[str]:
    if before.protection != after.protection:
        yield f"is protected by {after.protection}, no longer by {before.protection}"
    for what, one, other in (
        ("rows", before.rows, after.rows),
        ("released rows", before.released_rows, after.released_rows),
        ("known events", before.known, after.known),
        ("rows with their own values", before.unchanged, after.unchanged),
    ):
        if one != other and None not in {one, other}:
            yield f"{what}: {one:,} before, {other:,} now"
