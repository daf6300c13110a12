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

    from kanon_sql.apps.schema.schema_policy import ColumnOf, SchemaPolicy, TableEntry
    from kanon_sql.base.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class ReleasedJoin:
    """Released tables by name, staged or published: their `columns` and `places`."""

    policy: SchemaPolicy
    columns: Mapping[str, Sequence[str]]
    places: Mapping[str, exp.Table]

    def linked(
        self, person: TableEntry, *beyond: TableEntry
    ) -> list[tuple[str, tuple[ForeignKey, ...]]]:
        """Return the ways by which pseudonyms join released rows to the people of a table, each with its table.

        A table is joined by each column of the people's key, whatever it is released for, and by a way through others.
        Where other people are joined so, as employees who are patients, all that is joined to these is, too, without
        the people `beyond`.
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
        before = (person, *beyond)
        others = {
            e.name: e for e in self.policy.people if e not in before and e.name in self.places
        }
        for of, way in [each for each in found if each[0] in others]:
            found += [
                (name, (*path, *way))
                for name, path in self.linked(others[of], *before)
                if all(name != each.name for each in before)
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
        """Describe rows that a reader joins to people, with the columns of the tables on the way, and of other people they name.

        Pseudonyms of people and of their rows are left out: nobody knows them beforehand.
        """
        joins = []
        tables = {"s": name}
        at = "s"
        for number, step in enumerate(path[:-1]):
            to = f"j{number}"
            joins.append((self.places[step.to], to, (at, step.columns[0]), (to, step.of[0])))
            tables[to] = step.to
            at = to
        person = (at, path[-1].columns[0])
        columns = [(alias, each) for alias, table in tables.items() for each in self._seen(table)]
        on_the_way = {path[-1].to, *tables.values()}
        for alias, own, home in self._others(tables):
            if home.table not in on_the_way:
                to = f"o{len(joins)}"
                joins.append((self.places[home.table], to, (alias, own), (to, home.column)))
                columns += [(to, each) for each in self._seen(home.table)]
        return schema_sql.LinkedRows(self.places[name], tuple(joins), person, tuple(columns))

    def _others(self, tables: Mapping[str, str]) -> Iterator[tuple[str, str, ColumnOf]]:
        """Yield each pseudonym of other people in tables by alias, as of the doctor of a visit, and where these are."""
        people = {each.name for each in self.policy.people}
        for alias, table in tables.items():
            for own, domain in self.policy.domains_of(table):
                home = domain.home
                if own in self.columns[table] and home.table in people & {*self.places}:
                    yield alias, own, home

    def _seen(self, table: str) -> Iterator[str]:
        for name in self.columns[table]:
            domain = self.policy.domain_of(table, name)
            if domain is None or not self.policy.is_personal(domain):
                yield name
