"""The join that a reader makes of released tables: how each is linked to people, and what of it a reader sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.protected_events import SharedEvents
from kanon_sql.apps.schema.schema_policy import ForeignKey
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.schema_policy import SchemaPolicy, TableEntry
    from kanon_sql.base.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class ReleasedJoin:
    """Released tables by name, staged or published: their `columns` and `places`."""

    policy: SchemaPolicy
    columns: Mapping[str, Sequence[str]]
    places: Mapping[str, exp.Table]

    def linked(self, person: TableEntry) -> list[tuple[str, tuple[ForeignKey, ...]]]:
        """Return the ways by which pseudonyms join released rows to the people of a table, each with its table.

        A table is joined by each column of the people's key, whatever it is released for, and by a way through others.
        """
        domain = self.policy.keys[str(person.of)]
        found: list[tuple[str, tuple[ForeignKey, ...]]] = [
            (
                each.table,
                (ForeignKey(each.table, (each.column,), person.name, (domain.home.column,)),),
            )
            for each in domain.columns
            if each != domain.home and each.column in self.columns.get(each.table, ())
        ]
        found += [
            (each.name, each.path)
            for each in self.policy.children(person)
            if each.protection.keyed and len(each.path) > 1 and each.name in self.places
        ]
        return found

    def people(
        self, person: TableEntry, linked: Sequence[tuple[str, tuple[ForeignKey, ...]]], *, k: int
    ) -> Statement:
        """Count the people of a table, and those below k by their labels and all their `linked` rows.

        Without linked tables, any table with quasi-identifiers is counted by its classes.
        """
        quasi = [name for each in person.policy.quasi for name in each.released_as]
        rows = [self._rows(name, path) for name, path in linked]
        key = self.policy.keys[str(person.of)].home.column if rows else quasi[0]
        return schema_sql.joined_people(self.places[person.name], key, quasi, rows, k=k)

    def events(self, person: TableEntry, *, k: int) -> SharedEvents:
        """Return the people of a table with all tables of their events, which are known together."""
        children = [each for each in self.policy.children(person) if each.protection.events]
        return SharedEvents(
            self.places[person.name],
            self.policy.keys[str(person.of)].home.column,
            tuple(name for each in person.policy.quasi for name in each.released_as),
            next((each.known for each in children), None),
            k,
            tuple(self.places[each.name] for each in children),
            tuple(each.path[0].columns[0] for each in children),
            tuple(tuple(c.name for c in each.policy.quasi) for each in children),
        )

    def _rows(self, name: str, path: Sequence[ForeignKey]) -> schema_sql.LinkedRows:
        """Describe rows that a reader joins to people, with the columns of the tables on the way to them.

        Pseudonyms of people and of their rows are left out: nobody knows them beforehand.
        """
        joins = []
        columns = [("s", each) for each in self._seen(name)]
        at = "s"
        for number, step in enumerate(path[:-1]):
            to = f"j{number}"
            joins.append((self.places[step.to], to, (at, step.columns[0]), (to, step.of[0])))
            columns += [(to, each) for each in self._seen(step.to)]
            at = to
        person = (at, path[-1].columns[0])
        return schema_sql.LinkedRows(self.places[name], tuple(joins), person, tuple(columns))

    def _seen(self, table: str) -> Iterator[str]:
        for name in self.columns[table]:
            domain = self.policy.domain_of(table, name)
            if domain is None or not self.policy.is_personal(domain):
                yield name
