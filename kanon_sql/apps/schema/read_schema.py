"""Read the policy of a schema (`version: 2`), listing every fault at once, each with its line.

What a table states of its columns is read as the policy of one table is, by the same reader.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from kanon_sql.apps.schema.schema_policy import (
    CHOICES,
    COPY,
    CUT,
    ELSEWHERE,
    EVERYTHING,
    FOLDS,
    PERSON,
    SUBSET,
    UNDECIDED,
    ColumnOf,
    ForeignKey,
    KeyDomain,
    SchemaName,
    SchemaPolicy,
    Subset,
    TableEntry,
    digest_of,
    with_pseudonyms_of,
)
from kanon_sql.base.documents.keys import Item, MapOf, entries_of
from kanon_sql.base.documents.records import Needed, Record
from kanon_sql.base.documents.shapes import (
    Fixed,
    Refused,
    Several,
    Shape,
    Text,
    Whole,
    check,
    refuse,
)
from kanon_sql.base.documents.text import joined
from kanon_sql.engines.locations import DATABASE, Source
from kanon_sql.errors import PolicyError
from kanon_sql.policy.masks import DROP, HASH
from kanon_sql.policy.model import COLUMN, SUPPRESSION, Column, Linkable, Policy, Role
from kanon_sql.policy.privacy.protect_items import MOST_KNOWN
from kanon_sql.policy.read_policy import (
    NO_SUPPRESSION,
    OF_SCHEMA,
    POLICY,
    described,
    editor_schema,
    policy_document,
    policy_from,
)
from kanon_sql.policy.standards import ABOUT, NOTHING_SAID, About

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from kanon_sql.apps.schema.schema_policy import Fold, Protection
    from kanon_sql.base.documents.shapes import Schema

OWN = ("entity", "of", "protect", "known", "into", "copy")
OF_ONE = ("columns", "privacy", "suppression", "nulls", "search", "output", "sensitive_nulls")
"""The keys of a table that are those of one table's policy."""
PERSON_COLUMN = "kanon_person"
KNOWN = Whole(1, MOST_KNOWN)
UNKNOWN_KEY = "is the name of no key under keys"
CHOOSE = ", ".join(each.key for each in CHOICES)


def read_schema_policy(given: str | Path | Mapping[str, object]) -> SchemaPolicy:
    """Read the policy of a schema from a file or a mapping, and check it. Raises PolicyError with all faults."""
    document, file, base = policy_document(given)
    subject = file or "policy"
    named = document.entries.get("tables")
    document.reading.known = {
        "tables": [] if named is None else list(named.entries),
        "base": base,
        "file": subject,
    }
    entries = entries_of(document, [*SCHEMA.keys, *(ELSEWHERE.keys() & document.entries.keys())])
    for key, why in ELSEWHERE.items():
        if key in entries:
            entries[key].fault(why)
    try:
        stated = {key: each for key, each in entries.items() if key not in ELSEWHERE}
        policy: SchemaPolicy | None = SCHEMA.take(document, stated)
    except Refused:
        policy = None
    if document.faults or policy is None:
        raise PolicyError(subject, sorted(document.faults, key=lambda fault: fault.line or 0))
    return replace(policy, base=base, file=file, lines=document.lines())


class _ColumnName(Shape[ColumnOf]):
    """The name of a column behind the name of its table and a dot; either may have dots of its own."""

    def read(self, item: Item) -> ColumnOf:
        text = Text().read(item)
        tables: list[str] = item.reading.known["tables"]
        found = [
            each for each in tables if text.startswith(f"{each}.") and len(text) > len(each) + 1
        ]
        if not found:
            raise refuse(item, "must be TABLE.COLUMN, with a table that is listed under tables")
        table = max(found, key=len)
        return ColumnOf(table, text[len(table) + 1 :])

    def schema(self) -> Schema:
        return Text().schema()


def _domain(
    key_env: Annotated[str, Text()],
    columns: Annotated[
        tuple[ColumnOf, ...], Several(_ColumnName(), empty="has no columns", alone=False)
    ],
    digits: Annotated[int | None, Whole(6, 15)] = None,
) -> KeyDomain:
    check(("columns", len(set(columns)) == len(columns), "names a column twice"))
    return KeyDomain("", key_env, columns, digits)


class _Keys(Shape["dict[str, KeyDomain]"]):
    """The keys by name. They are published for the tables, which name them."""

    def read(self, item: Item) -> dict[str, KeyDomain]:
        item.reading.known["keys"] = {}
        found = MapOf(Record(_domain)).read(item)
        named = {name: replace(each, name=name) for name, each in found.items()}
        item.reading.known["keys"] = named
        seen: set[ColumnOf] = set()
        for name, domain in named.items():
            for each in set(domain.columns) & seen:
                item.at([name, "columns"]).fault(f"{each} belongs to another key already")
            seen |= set(domain.columns)
        return named

    def schema(self) -> Schema:
        return MapOf(Record(_domain)).schema()


class _Tables(Shape["dict[str, TableEntry]"]):
    """The tables by name: first how each is protected, then their columns, then the paths to their people."""

    def read(self, item: Item) -> dict[str, TableEntry]:
        known = dict(item.reading.known)
        keys: dict[str, KeyDomain] = known.get("keys", {})
        if not isinstance(item.value, dict) or not item.value:
            raise refuse(item, "must be a mapping of the names of tables to how each is released")
        before = len(item.faults)
        stated = {name: _Stated.read(name, each, keys) for name, each in item.entries.items()}
        people = _people(stated, keys)
        folds: dict[str, dict[str, Fold]] = {}
        for each in stated.values():
            if each.protection.folded and each.of in people:
                folds.setdefault(people[each.of].name, {}).update(each.folds)
        made = {}
        for name, each in stated.items():
            path = _path(name, each, people, keys)
            if path is None:
                each.item.fault(
                    f"has no way to the people of {each.of}: list one of its columns under keys.{each.of}, or a key of a "
                    f"table that has one"
                )
                path = ()
            for step in path[:-1] if each.protection.keyed else ():
                through = stated[step.to].protection
                if not (through.keyed and through.released):
                    each.item.fault(
                        f"is joined to people by {step.to}, which is protect: {through.key} and has no keys: choose cut or "
                        f"summary here, too"
                    )
            if each.protection.events:
                for what in _event_problems(each, path, stated, keys):
                    each.item.fault(what)
            with suppress(Refused):
                between = _Between(stated, keys, folds.get(name, {}))
                made[name] = _entry(each, path, between, known)
        item.reading.known = known
        if len(item.faults) > before:
            raise Refused
        return made

    def schema(self) -> Schema:
        of_one: dict[str, Schema] = POLICY.schema()["properties"]  # type: ignore[assignment]
        return {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    **dict.fromkeys(("entity", "of"), Text().schema()),
                    "protect": {"enum": [each.key for each in CHOICES]},
                    "known": KNOWN.schema(),
                    "into": FOLDS.schema(),
                    "copy": {"const": True},
                    **{key: of_one[key] for key in OF_ONE},
                    "columns": {"type": "object", "additionalProperties": COLUMN.schema()},
                },
            },
        }


class _Stated:
    """What a table states of itself, before its columns are read."""

    def __init__(self, name: str, item: Item, protection: Protection, of: str | None) -> None:
        self.name, self.item, self.protection, self.of = name, item, protection, of
        self.folds: dict[str, Fold] = {}
        self.known: int | None = None
        self.suppression = NO_SUPPRESSION

    @classmethod
    def read(cls, name: str, item: Item, keys: Mapping[str, KeyDomain]) -> _Stated:
        """Read how a table is protected, noting faults."""
        if not isinstance(item.value, dict):
            item.fault("must be a mapping: entity, protect or copy, and columns")
            return cls(name, item, COPY, None)
        entries = entries_of(item, (*OWN, *OF_ONE))
        of = entries.get("entity") or entries.get("of")
        key = _key_named(of, keys)
        found = cls(name, item, _protection(item, entries), key)
        if found.protection.whole and "suppression" in entries:
            with suppress(Refused):
                found.suppression = SUPPRESSION.read(entries["suppression"])
        if found.protection.events and not found.protection.whole:
            if "known" in entries:
                with suppress(Refused):
                    found.known = KNOWN.read(entries["known"])
            else:
                item.fault("has no known: say how many events of a person somebody may know")
        elif "known" in entries:
            entries["known"].fault("goes with protect: events")
        if found.protection.folded:
            if "into" in entries:
                with suppress(Refused):
                    found.folds = FOLDS.read(entries["into"])
            else:
                item.fault(
                    "is folded into its people's table, and has no into: name its columns there"
                )
        elif "into" in entries:
            entries["into"].fault("goes with protect: summary")
        own = {"columns", "suppression"} if found.protection.whole else {"columns"}
        needs = [each for each in OF_ONE if each in entries and each not in own]
        needs += ["columns"] if found.protection.folded and "columns" in entries else []
        if needs and not found.protection.counted and found.protection.decided:
            also = ", signature" if needs[0] == "suppression" else ""
            what = f"goes with a table that is counted: entity, or protect: cut{also}; leave it out"
            entries[needs[0]].fault(what if len(needs) == 1 else f"{what}, and {joined(needs[1:])}")
        return found


def _key_named(item: Item | None, keys: Mapping[str, KeyDomain]) -> str | None:
    if item is None:
        return None
    if not isinstance(item.value, str) or item.value not in keys:
        item.fault(UNKNOWN_KEY)
        return None
    return item.value


def _protection(item: Item, entries: Mapping[str, Item]) -> Protection:
    """Read which protection a table has, noting what its keys exclude."""
    entity, of, protect, copy = (entries.get(each) for each in ("entity", "of", "protect", "copy"))
    for one, other, why in (
        (
            entity,
            of,
            "says that the table has one row a person, and of that it has rows of them: leave one out",
        ),
        (entity, protect, "is a table of people, which its own k protects: leave protect out"),
        (
            copy,
            entity or of,
            "releases rows as they are, and these are of people: choose protect instead",
        ),
        (copy, protect, "releases rows as they are: leave one of copy and protect out"),
    ):
        if one is not None and other is not None:
            one.fault(why)
    if copy is not None:
        if copy.value is not True:
            copy.fault("must be true; omit the key otherwise")
        return COPY
    if entity is not None:
        return PERSON
    if protect is None:
        if of is None:
            item.fault(
                "says nothing of people: say entity: KEY if it has one row a person, of: KEY if it has rows of people, or "
                "copy: true if it is a reference table"
            )
        return UNDECIDED
    found = next((each for each in CHOICES if each.key == protect.value), None)
    if found is None:
        protect.fault(f"must be one of {CHOOSE}")
        return UNDECIDED
    if of is None and found is not CUT:
        protect.fault("goes with of: KEY, the key of the people whose rows the table has")
    return found


def _people(stated: Mapping[str, _Stated], keys: Mapping[str, KeyDomain]) -> dict[str, _Stated]:
    """Find the table of people of each key, whose column is the first of the key."""
    found: dict[str, _Stated] = {}
    for each in stated.values():
        if each.protection is not PERSON or each.of is None:
            continue
        home = keys[each.of].home
        if home.table != each.name:
            what = f"names {each.of}, whose first column is {home}: list the column of this table first"
            each.item.at(["entity"]).fault(what)
        elif each.of in found:
            each.item.at(["entity"]).fault(f"is the key of {found[each.of].name} already")
        else:
            found[each.of] = each
    for each in stated.values():
        if each.of is not None and each.of not in found and each.protection is not PERSON:
            each.item.at(["of"]).fault(f"names {each.of}, and no table has entity: {each.of}")
    return found


def _path(
    name: str, stated: _Stated, people: Mapping[str, _Stated], keys: Mapping[str, KeyDomain]
) -> tuple[ForeignKey, ...] | None:
    """Return the shortest way from a table to that of its people by keys; None if there is none.

    Where it leads to another key of people than their own, as an account's number, their own row is its last step.
    """
    if stated.protection is PERSON or stated.of is None or stated.of not in people:
        return ()
    goal, own = people[stated.of].name, (keys[stated.of].home.column,)
    by_other: tuple[ForeignKey, ...] | None = None
    ways: list[tuple[ForeignKey, ...]] = [()]
    seen = {name}
    while ways:
        way = ways.pop(0)
        here = way[-1].to if way else name
        for domain in keys.values():
            column, home = domain.column_in(here), domain.home
            if column is None or home.table in seen:
                continue
            longer = (*way, ForeignKey(here, (column,), home.table, (home.column,)))
            if home.table != goal:
                seen.add(home.table)
                ways.append(longer)
            elif domain.name == stated.of:
                return longer
            elif by_other is None:
                by_other = (*longer, ForeignKey(goal, own, goal, own))
    return by_other


def _event_problems(
    own: _Stated,
    path: tuple[ForeignKey, ...],
    stated: Mapping[str, _Stated],
    keys: Mapping[str, KeyDomain],
) -> Iterator[str]:
    """Yield the reasons why the rows of a table cannot be events of people."""
    if len(path) > 1:
        yield (
            f"has no column of keys.{own.of}, and finds its people by {path[0].to}: choose cut or summary, or add such a column, "
            f"as in a view that joins both, and list it there"
        )
    domain = keys.get(str(own.of))
    several = [] if domain is None else [c for c in domain.columns if c.table == own.name]
    if len(several) > 1:
        yield f"has {len(several)} columns under keys.{own.of}, and an event is one person's: drop the others by a view"
    first = next(each for each in stated.values() if each.protection.events and each.of == own.of)
    if own.protection is not first.protection:
        yield (
            f"has protect: {own.protection.key}, and {first.name} has {first.protection.key}: rows of all tables of {own.of} "
            f"are known together, so say the same in each"
        )
    if own.known != first.known and None not in {own.known, first.known}:
        yield (
            f"has known: {own.known}, and {first.name} has {first.known}: events of all tables of {own.of} are known together, "
            f"so say the same in each"
        )


class _Between:
    """What a table has to know of the others: how they are protected, all keys, and the columns folded into it."""

    def __init__(
        self,
        stated: Mapping[str, _Stated],
        keys: Mapping[str, KeyDomain],
        folds: Mapping[str, Fold],
    ) -> None:
        self.stated, self.keys, self.folds = stated, keys, folds

    def is_personal(self, domain: KeyDomain) -> bool:
        """Return whether a key names people, or rows of people."""
        return self.stated[domain.home.table].of is not None


def _entry(
    stated: _Stated,
    path: tuple[ForeignKey, ...],
    between: _Between,
    known: Mapping[str, object],
) -> TableEntry:
    """Read the columns of a table, with those that are keys, and return its entry."""
    item, protection = stated.item, stated.protection
    item.reading.known = dict(known)
    own = item.entries.get("columns")
    listed = {} if own is None else own.entries
    key_columns = {
        each.column: domain
        for domain in between.keys.values()
        for each in domain.columns
        if each.table == stated.name
    }
    for name in key_columns.keys() & listed.keys():
        listed[name].fault(
            f"belongs to keys.{key_columns[name].name}, which says how it is released: leave it out here"
        )
    if protection.counted:
        policy = _counted(stated, path, listed, key_columns, between)
    else:
        policy = _uncounted(stated, listed, key_columns)
    file = f"{known['file']} (table {stated.name})"
    below = f"{item.path}."
    lines = {w.removeprefix(below): n for w, n in item.lines().items() if w.startswith(below)}
    policy = replace(policy, base=str(known["base"]), file=file, lines=lines)
    whole = protection in {COPY, UNDECIDED}
    return TableEntry(
        stated.name,
        protection,
        stated.of,
        policy,
        path,
        stated.folds,
        whole=whole,
        known=stated.known,
    )


def _counted(
    stated: _Stated,
    path: tuple[ForeignKey, ...],
    listed: Mapping[str, Item],
    key_columns: Mapping[str, KeyDomain],
    between: _Between,
) -> Policy:
    """Read the policy of a table with quasi-identifiers, by the reader of one table's policy."""
    item, reading = stated.item, stated.item.reading

    def scalar(value: str | int, at: str) -> Item:
        return Item(value, f"{item.path}.{at}", item.line, reading, str(value))

    def mapping(at: str, **entries: str) -> Item:
        made = {key: scalar(value, f"{at}.{key}") for key, value in entries.items()}
        return Item(made, f"{item.path}.{at}", item.line, reading)

    columns = dict(listed)
    dealt_by = None  # by chance, people would be in other classes each time, and what is joined to them counted anew
    drop = {"role": Role.IDENTIFYING.value, "action": DROP.key}
    keep = {"role": Role.IDENTIFYING.value, "action": HASH.key}
    for name, domain in key_columns.items():
        at = f"columns.{name}"
        hidden = not stated.protection.keyed and between.is_personal(domain)
        is_home = domain.name == stated.of and domain.home == ColumnOf(stated.name, name)
        linkable = {} if is_home else {"linkable": Linkable.ACCEPT.value}
        dealt_by = name if is_home else dealt_by
        hash_ = {**keep, "key_env": domain.key_env, "domain": domain.name, **linkable}
        columns[name] = mapping(at, **(drop if hidden else hash_))
    for name in between.folds:
        if name not in columns:
            columns[name] = mapping(f"columns.{name}", role=Role.QUASI.value, hierarchy="suppress")
    entity = "row"
    if path:
        entity = path[0].columns[0] if len(path) == 1 else person_column(columns)
        if len(path) > 1:
            columns[entity] = mapping(f"columns.{entity}", **drop)
    own = {key: each for key, each in item.entries.items() if key in OF_ONE and key != "columns"}
    document = {
        "version": scalar(1, "version"),
        "source": mapping("source", table=stated.name),
        "entity": scalar(entity, "entity"),
        **own,
    }
    stated_at = item.entries.get("columns", item)
    if columns:
        document["columns"] = Item(columns, f"{item.path}.columns", stated_at.line, reading)
    whole = Item(document, item.path, item.line, reading)
    try:
        made = with_pseudonyms_of(key_columns, policy_from(whole, subject=stated.name))
        return replace(made, dealt_by=dealt_by)
    except PolicyError:  # its faults are among those of the document, which are raised together
        raise Refused from None


def person_column(taken: Iterable[str]) -> str:
    """Name the column of the person that a table further from its people is read with."""
    names, free = {each.casefold() for each in taken}, PERSON_COLUMN
    while free in names:
        free += "_"
    return free


def _uncounted(
    stated: _Stated, listed: Mapping[str, Item], key_columns: Mapping[str, KeyDomain]
) -> Policy:
    """Read the columns of a table that claims nothing: they are kept, dropped, hashed or emptied."""
    columns, quasi = list[Column](), list[str]()
    classless, cut = f", and protect: {stated.protection.key} counts no classes", "protect: cut"
    for name, entry in listed.items():
        with suppress(Refused):
            found = replace(COLUMN.read(entry), name=name)
            of_classes = found.mask is not None and found.mask.is_after_staging
            if stated.protection.events and found.role is Role.QUASI:
                if replace(found, hierarchy=None, why=None) != Column(name, Role.QUASI):
                    entry.fault("takes role and hierarchy alone in a table of events")
            elif stated.protection.decided and of_classes:
                entry.fault(f"has action: {found.mask}{classless}: say another action, or {cut}")
            elif stated.protection.decided and found.role is Role.QUASI:
                quasi.append(name)
            elif of_classes or found.role is Role.QUASI:
                found = Column(name, Role.INSENSITIVE)
            columns.append(found)
    for name, domain in key_columns.items():
        hashed = Column(name, Role.IDENTIFYING, action=domain.mask, key_env=domain.key_env)
        columns.append(replace(hashed, domain=domain.name, linkable=Linkable.ACCEPT))
    if quasi and not stated.protection.folded:
        stated.item.at(["columns"]).fault(
            f"has quasi-identifiers ({joined(quasi)}){classless}: say insensitive, or {cut}"
        )
    if stated.protection.events and not any(each.role is Role.QUASI for each in columns):
        stated.item.fault("has no column of role quasi, by which somebody knows an event")
    policy = Policy(Source(table=stated.name), None, tuple(columns), (), stated.suppression)
    for each in columns:
        for what in () if each.mask is None else each.mask.problems(policy, each):
            listed[each.name].fault(what)
    return policy


def _schema(
    *,
    version: Annotated[bool, Fixed(OF_SCHEMA, f"must be {OF_SCHEMA}"), Needed()] = True,
    about: Annotated[About | None, ABOUT] = None,
    database: Annotated[str | None, DATABASE] = None,
    keys: Annotated[dict[str, KeyDomain] | None, _Keys()] = None,
    tables: Annotated[dict[str, TableEntry], _Tables(), Needed("list every table")],
    subset: Annotated[dict[str, Subset] | None, SUBSET] = None,
    release: Annotated[str | None, SchemaName("schema", Text())] = None,
) -> SchemaPolicy:
    """Build the policy of a schema from its entries, in this order."""
    del version
    check(*_subset_rules(tables, subset or {}))
    made = {
        name: replace(each, subset=(subset or {}).get(name, EVERYTHING))
        for name, each in tables.items()
    }
    digest = digest_of(made, keys or {})
    return SchemaPolicy(made, keys or {}, database, release, digest, about=about or NOTHING_SAID)


def _subset_rules(
    tables: Mapping[str, TableEntry], subset: Mapping[str, Subset]
) -> Iterator[tuple[str | tuple[str | int, ...], bool, str]]:
    for name, each in subset.items():
        at = ("subset", name)
        there = tables.get(name)
        yield at, there is not None, "is the name of no table under tables"
        if there is not None:
            people = there.of is not None and not there.path
            yield (
                at,
                each.share is None or people,
                "has limit, which is for a table of people: its rows of other tables follow",
            )


SCHEMA: Record[SchemaPolicy] = Record(_schema)


def schema_of_policies() -> Schema:
    """Return the JSON Schema for editors: of a schema of tables by `version: 2`, else of one table."""
    of_tables = {**SCHEMA.schema(), "description": "How tables are released together."}
    of_table = editor_schema()
    return {
        **{key: of_table.pop(key) for key in ("$schema", "title")},
        "if": {"properties": {"version": {"const": OF_SCHEMA}}, "required": ["version"]},
        "then": described(of_tables, "schema"),
        "else": of_table,
    }
