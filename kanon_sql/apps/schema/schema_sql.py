"""Statements over the tables of a schema, and the keys whose pseudonyms are whole numbers: what they can be, what is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import CatalogText, column, literal, name
from kanon_sql.base.sql.templates import Statement, has_template
from kanon_sql.counting.source.exposed_rows import write_masked
from kanon_sql.engines.commands_sql import key_variables
from kanon_sql.policy.mask import tag_of
from kanon_sql.policy.model import Column, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.schema_policy import Fold, KeyDomain, SchemaPolicy
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.errors import Fault


PERSON, ROW = "person", "row_text"


def table_keys() -> Statement:
    """List the primary, unique and foreign keys of a database, a row for each column."""
    return Statement("schema/table_keys")


def tables_of_schema(schema: str) -> Statement:
    """List the tables and views of a schema."""
    return Statement("schema/tables_of_schema", {"schema": literal(schema)})


def count_strange_columns(schema: str, tables: Mapping[str, Sequence[str]]) -> Statement:
    """Count the columns in a schema that are none of these `tables`; of a table without columns here, all are counted."""
    described = [
        {"table": literal(table), "columns": [literal(each) for each in columns]}
        for table, columns in tables.items()
        if columns
    ]
    leaves = {"schema": literal(schema), "tables": described}
    return Statement("schema/count_strange_columns", leaves)


def drop_tables(tables: Sequence[exp.Table]) -> Statement:
    """Drop tables in one statement, so that their foreign keys among each other do not stand in the way."""
    return Statement("schema/drop_tables", {"tables": list(tables)})


def create_schema(schema: str) -> Statement:
    return Statement("schema/create_schema", {"schema": name(schema)})


def required_columns() -> Statement:
    """List the columns of a database that hold no NULL."""
    return Statement("schema/required_columns")


def measured_columns(table: exp.Table, kinds: Mapping[str, str | None]) -> Statement:
    """Count the rows of a table and, of each column, its values, and find the least and the greatest of its kind."""
    columns = [{"from": column(each, of="s"), "kind": kind} for each, kind in kinds.items()]
    return Statement("schema/measured_columns", {"table": table, "columns": columns})


def count_strange_labels(table: exp.Table, named: str, source: exp.Table) -> Statement:
    """Count the labels of a released column that are no text of a value that the source has in the column."""
    leaves = {"table": table, "label": column(named, of="s"), "source": source}
    return Statement("schema/count_strange_labels", {**leaves, "value": column(named, of="p")})


def count_changed(table: exp.Table, types: Mapping[str, ColumnType]) -> Statement:
    """Count, of each column, the rows whose value would be another one in its type."""
    leaves = [
        {"from": column(name, of="s"), "type": CatalogText(each.type)}
        for name, each in types.items()
    ]
    return Statement("schema/count_changed", {"table": table, "columns": leaves})


def shaped_rows(
    view: exp.Table, table: exp.Table, columns: Sequence[str], types: Mapping[str, ColumnType]
) -> Statement:
    """Show staged rows with some columns as values of their types."""
    leaves = [
        {
            "from": column(each, of="s"),
            "as": name(each),
            "type": CatalogText(types[each].type) if each in types else None,
        }
        for each in columns
    ]
    return Statement("schema/shaped_rows", {"view": view, "table": table, "columns": leaves})


def require_columns(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Declare that columns of a released table hold no NULL."""
    leaves = {"table": table, "columns": [name(each) for each in columns]}
    return Statement("schema/require_columns", leaves)


def _pairs(columns: Sequence[str], of: Sequence[str], alias: str) -> list[dict[str, object]]:
    return [
        {"column": column(own, of="s"), "of": column(other, of=alias)}
        for own, other in zip(columns, of, strict=True)
    ]


def count_dangling(
    source: exp.Table,
    columns: Sequence[str],
    to: exp.Table,
    of: Sequence[str],
    *,
    rows: int = 0,
    as_texts: bool = False,
) -> Statement:
    """Count the rows of `source` whose key names no row of `to`, by value, or `as_texts` as pseudonyms do."""
    leaves = {"source": source, "to": to, "pairs": _pairs(columns, of, "p"), "as_texts": as_texts}
    return Statement("schema/count_dangling", leaves, scans=rows)


def count_keys_of_rows(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the rows of a table, those whose key has no NULL, and the distinct keys."""
    leaves = {"source": source, "columns": [column(each, of="s") for each in columns]}
    return Statement("schema/count_keys_of_rows", leaves)


def _of_domain(key: KeyDomain) -> dict[str, object]:
    """Return the leaves that hash the values of a key."""
    inner, outer = key_variables(key.key_env)
    return {"inner": literal(inner), "outer": literal(outer), "tag": literal(str(tag_of(key.name)))}


@dataclass(frozen=True, slots=True)
class Owner:
    """The table in which the rows of another find their person: `column` there names `of` here.

    `person` is the column of the person here, and `named` the name that it is read under; None if it is not.
    """

    table: exp.Table
    column: str
    of: str
    person: str
    named: str | None


def rows_of_table(
    rows: exp.Table,
    source: exp.Table,
    *,
    sampled: tuple[str, KeyDomain, str] | None = None,
    owner: Owner | None = None,
    kept: Sequence[tuple[exp.Table, Sequence[str], Sequence[str]]] = (),
    many: int = 0,
) -> Statement:
    """Read the rows of a table that a release reads into a scratch table.

    `sampled` is a column, its key, and the pseudonym below which people are read. `kept` are tables
    with keys: rows that name none of their rows are not read.
    """
    sample = None
    if sampled is not None:
        sample = {
            "column": column(sampled[0], of="s"),
            **_of_domain(sampled[1]),
            "below": literal(sampled[2]),
        }
    own = None
    if owner is not None:
        own = {
            "table": owner.table,
            "column": column(owner.column, of="s"),
            "of": column(owner.of, of="o"),
            "person": column(owner.person, of="o"),
            "as": None if owner.named is None else name(owner.named),
        }
    leaves = {
        "rows": rows,
        "source": source,
        "sampled": sample,
        "owner": own,
        "kept": [{"table": to, "pairs": _pairs(columns, of, "p")} for to, columns, of in kept],
    }
    return Statement("schema/rows_of_table", leaves, scans=many)


@dataclass(frozen=True, slots=True)
class Folded:
    """A table whose rows become columns of their people: its rows, their person, and a fold for each column."""

    table: exp.Table
    person: str
    folds: Mapping[str, Fold]


def folded_rows(
    rows: exp.Table, source: exp.Table, key: str, folded: Sequence[Folded]
) -> Statement:
    """Write the rows of people with the columns that their rows of other tables became."""
    made = []
    for number, each in enumerate(folded):
        alias = f"f{number}"
        columns = [
            {**fold.leaves(named), "found": column(named, of=alias)}
            for named, fold in each.folds.items()
        ]
        made.append(
            {
                "table": each.table,
                "person": column(each.person, of="s"),
                "alias": name(alias),
                "of": column(PERSON, of=alias),
                "columns": columns,
            }
        )
    leaves = {
        "rows": rows,
        "source": source,
        "key": column(key, of="s"),
        "folds": made,
        "owner": name(PERSON),
    }
    return Statement("schema/folded_rows", leaves)


@dataclass(frozen=True, slots=True)
class StagedKey:
    """A key of staged rows: its columns, and the staged table and columns that they name."""

    columns: tuple[str, ...]
    to: exp.Table
    of: tuple[str, ...]


def settled_rows(
    settled: exp.Table,
    staged: exp.Table,
    columns: Sequence[str],
    *,
    owner: StagedKey | None,
    others: Sequence[StagedKey] = (),
) -> Statement:
    """Keep staged rows whose `owner` is staged, and empty the keys of `others` that are not."""
    emptied: dict[str, list[exp.Column]] = {}
    joined = []
    for number, each in enumerate(others):
        alias = f"k{number}"
        for own in each.columns:
            emptied.setdefault(own, []).extend(column(of, of=alias) for of in each.of[:1])
        joined.append(
            {
                "table": each.to,
                "alias": name(alias),
                "pairs": _pairs(each.columns, each.of, alias),
                "named": [column(of, of="p") for of in each.of],
            }
        )
    leaves = {
        "settled": settled,
        "staged": staged,
        "columns": [
            {"from": column(each, of="s"), "as": name(each), "keeps": emptied.get(each, [])}
            for each in columns
        ],
        "owner": None
        if owner is None
        else {"table": owner.to, "alias": name("o"), "pairs": _pairs(owner.columns, owner.of, "o")},
        "others": joined,
    }
    return Statement("schema/settled_rows", leaves)


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """A released table that a reader joins to people, and the tables on the way: each with its join.

    A `join` is a table, its alias, the column that names its row, and the column that is named. `person` is the column
    that names the person, and `columns` are all others that a reader sees, each with the alias of its table.
    """

    table: exp.Table
    joins: tuple[tuple[exp.Table, str, tuple[str, str], tuple[str, str]], ...]
    person: tuple[str, str]
    columns: tuple[tuple[str, str], ...]


def joined_people(
    people: exp.Table, key: str, quasi: Sequence[str], linked: Sequence[LinkedRows], *, k: int
) -> Statement:
    """Count people, those below k by their labels and all their linked rows, and the fewest who look alike."""
    described = []
    for number, each in enumerate(linked):
        alias = f"r{number}"
        described.append(
            {
                "table": each.table,
                "joins": [
                    {
                        "table": to,
                        "alias": name(at),
                        "column": column(own[1], of=own[0]),
                        "of": column(of[1], of=of[0]),
                    }
                    for to, at, own, of in each.joins
                ],
                "person": column(each.person[1], of=each.person[0]),
                "columns": [column(text, of=at) for at, text in each.columns],
                "alias": name(alias),
                "of": column(PERSON, of=alias),
                "count": column("row_count", of=alias),
                "hash": column("rows_hash", of=alias),
            }
        )
    leaves = {
        "people": people,
        "key": column(key, of="p"),
        "quasi": [column(each, of="p") for each in quasi],
        "k": literal(k),
        "person": name(PERSON),
        "row": name(ROW),
        "linked": described,
    }
    return Statement("schema/joined_people", leaves)


def crossed_people(
    crossed: exp.Table,
    person: str,
    people: exp.Table,
    key: KeyDomain,
    *,
    common: Sequence[tuple[str, str]],
    k: int,
) -> Statement:
    """Count the people of two tables, and those below k by the labels of `common` columns in both.

    `common` has pairs of a released column of `crossed`, and of `people`. Of a key of numbers, `crossed` has the pseudonyms.
    """
    other = [
        {"column": column(own, of="s"), "as": name(f"other_{n}")}
        for n, (own, _) in enumerate(common)
    ]
    own = [
        {"column": column(of, of="p"), "as": name(f"own_{n}")} for n, (_, of) in enumerate(common)
    ]
    leaves = {
        "crossed": crossed,
        "person": column(person, of="s"),
        **_of_domain(key),
        "people": people,
        "hashed": key.digits is None,
        "key": column(key.home.column, of="p"),
        "own": own,
        "other": other,
        "k": literal(k),
        "as": name(PERSON),
        "raw": column(PERSON, of="c"),
        "again": [column(f"other_{n}", of="c") for n, _ in enumerate(common)],
        "labels": [
            *(column(f"other_{n}", of="c") for n, _ in enumerate(common)),
            *(column(f"own_{n}", of="c") for n, _ in enumerate(common)),
        ],
    }
    return Statement("schema/crossed_people", leaves)


@dataclass(frozen=True, slots=True)
class ReleasedKeys:
    """The keys of a released table: the primary one, unique ones, and foreign ones with the tables they name.

    `required` columns hold no NULL.
    """

    primary: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign: tuple[tuple[tuple[str, ...], exp.Table, tuple[str, ...]], ...] = ()
    required: tuple[str, ...] = ()


def keys_are_added(dialect: str) -> bool:
    """Return whether a dialect adds keys to a table that has rows; else they are made with the table."""
    return has_template("schema/add_key", dialect)


def create_keyed(table: exp.Table, columns: Sequence[ColumnType], keys: ReleasedKeys) -> Statement:
    """Create an empty table with its keys."""
    leaves = {
        "table": table,
        "columns": [
            {
                "name": name(each.name),
                "type": CatalogText(each.type),
                "required": each.name in keys.required,
            }
            for each in columns
        ],
        "primary": [name(each) for each in keys.primary],
        "unique": [[name(each) for each in one] for one in keys.unique],
        "foreign": [
            {"columns": [name(c) for c in columns], "to": to, "of": [name(c) for c in of]}
            for columns, to, of in keys.foreign
        ],
    }
    return Statement("schema/create_keyed", leaves)


def add_key(
    table: exp.Table,
    columns: Sequence[str],
    *,
    primary: bool = False,
    to: exp.Table | None = None,
    of: Sequence[str] = (),
) -> Statement:
    """Add a key to a table: a foreign one if it names another table, else a primary or unique one."""
    leaves = {
        "table": table,
        "columns": [name(each) for each in columns],
        "primary": primary,
        "to": to,
        "of": [name(each) for each in of],
    }
    return Statement("schema/add_key", leaves)


HELD = {"tinyint": 2, "utinyint": 2, "smallint": 4, "usmallint": 4, "integer": 9, "uinteger": 9}
"""The digits of which each type holds every number."""
TEXTS = "leave digits out, and its pseudonyms are texts"


def number_faults(
    run: Session,
    policy: SchemaPolicy,
    raws: Mapping[str, exp.Table],
    columns: Mapping[str, Sequence[ColumnType]],
) -> Iterator[Fault]:
    """Yield a fault for each column of a key with `digits` that has other values, or a type that does not hold them."""
    for domain in policy.keys.values():
        for each in domain.columns if domain.digits is not None else ():
            own = next(c for c in columns[each.table] if c.name == each.column)
            if why := _why_not(run, raws[each.table], own, int(str(domain.digits))):
                yield policy.fault(f"keys.{domain.name}.digits", f"{each} {why}")


def _why_not(run: Session, raw: exp.Table, own: ColumnType, digits: int) -> str:
    """Say why a column cannot have numbers of so many digits; nothing if it can."""
    if own.family != "integer":
        return f"is of type {own.type}, which is no type of whole numbers: {TEXTS}"
    if (held := HELD.get(own.type.lower(), digits)) < digits:
        short = TEXTS if held < 6 else f"say digits: {held}"
        return f"is of type {own.type}, which holds no number of {digits} digits: {short}"
    (row,) = run.engine.fetch(measured_columns(raw, {own.name: "number"}))
    least, greatest = (0 if each is None else float(str(each)) for each in row[2:4])
    if least < 0:
        return f"has numbers below 0: {TEXTS}"
    if greatest >= 10**digits:
        return f"has numbers of more than {digits} digits: say more, up to 15, or {TEXTS}"
    return ""


def said_of_numbers(policy: SchemaPolicy, table: str) -> Iterator[str]:
    """Yield, for each key of numbers whose first column a table has, what these numbers do not hide."""
    for domain in policy.keys.values():
        if domain.digits is not None and domain.home.table == table:
            yield (
                f"{domain.home.column}: each number stands for one number, of {domain.digits} digits at most and in no order; "
                f"whoever has {domain.key_env} gets all back"
            )


def with_pseudonyms(run: Session, table: exp.Table, column: str, domain: KeyDomain) -> exp.Table:
    """Write rows with a key's pseudonyms in one of their columns."""
    own = Column(column, Role.IDENTIFYING, action=domain.mask, key_env=domain.key_env)
    policy = replace(run.policy, columns=(own,))
    return write_masked(
        replace(run, policy=policy), table, run.engine.columns(table), keyless=False
    )
