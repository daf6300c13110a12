"""A whole release as one statement for a database that no engine of ours runs in, and what such databases can do.

A release relies on three properties: texts differ if their bytes do, a text that is no number cannot be cast to one,
and one statement sees one state of its tables. A dialect gets no script unless it is known to have all three.

The template is rendered in DuckDB's words, parsed, checked to have only the few kinds of nodes that every
dialect here has in the same meaning, and written by sqlglot. What was written is parsed again in its
own dialect: it must be of the same texts and names, or there is no script.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.base.sql.words import DUCKDB, POSTGRES, SPARK
from kanon_sql.errors import InternalError
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import ClassRows
from kanon_sql.recoding.staging_sql import suppression_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.policy.hierarchies.entries import Rule
    from kanon_sql.policy.model import Suppression
    from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute


OWN = (DUCKDB, POSTGRES, SPARK)
"""The dialects with their own templates, whose scripts the tests run."""


class Apart(StrEnum):
    """How a query distinguishes texts by their bytes in a database whose own comparison may not."""

    TEXT = "text"
    BYTES = "bytes"
    OWN_BYTES = "own_bytes"
    ENCODED = "encoded"
    C_COLLATION = "c_collation"
    HASH = "hash"


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The properties of a database, by its sqlglot dialect.

    `bytes`: texts must be cast to bytes to be distinguished. `blanks`: comparisons ignore blanks at the end of a text.
    `national`: texts and their types are of a code page unless they are declared as Unicode, and bytes are cut unless
    their length is declared. `raises`: a cast may give NULL instead of an error, but a function raises one.
    `characters`: LENGTH and SUBSTRING count code points. `longest_name` is in bytes; `barred` has characters that no
    column's name may have. `transaction`: a failed statement leaves an empty table unless it has its own transaction.
    `replaced`: a text that shells substitute, so that no text may contain it. `collations`: how a query distinguishes
    texts, because columns may have a collation. `loose`: a text that is no number may be equal to one. `bytes_type` is
    the type of bytes that texts are cast to, where the columns' type cannot be. `lists_columns`: a table, `listed_in`,
    has the columns of all tables. `runs_models`: the tests run its models of SQLMesh.
    """

    name: str
    title: str
    longest_name: int
    bytes: bool = False
    blanks: bool = False
    national: bool = False
    raises: bool = False
    characters: bool = True
    barred: str = ""
    transaction: bool = False
    replaced: str = ""
    collations: Apart | None = None
    loose: bool = False
    bytes_type: str = ""
    lists_columns: bool = True
    listed_in: str = ""
    runs_models: bool = False

    @property
    def folds(self) -> bool:
        """True if different texts may be equal, so that a condition may mean something else there."""
        return self.apart is not None

    @property
    def apart(self) -> Apart | None:
        """How a query distinguishes texts; None if comparing them does."""
        if self.bytes:
            return Apart.BYTES
        return Apart.TEXT if self.blanks else self.collations


WAREHOUSES = {
    each.name: each
    for each in (
        Warehouse("snowflake", "Snowflake", 255),
        Warehouse("bigquery", "BigQuery", 300, barred="!\"$()*,./;?@[\\]^`{}~", lists_columns=False),
        Warehouse("redshift", "Amazon Redshift", 127, blanks=True),
        Warehouse("databricks", "Databricks SQL", 255, raises=True, barred=" ,;{}()\n\t=", replaced="${", lists_columns=False),
        Warehouse("trino", "Trino", 255),
        Warehouse("presto", "Presto", 255),
        # LEN leaves spaces out and counts halves of characters; texts are equal whatever their case.
        Warehouse("tsql", "SQL Server (T-SQL)", 128, bytes=True, blanks=True, national=True, characters=False, transaction=True, replaced="$("),
    )
}  # fmt: skip

HERE = {
    each.name: each
    for each in (
        Warehouse("duckdb", "DuckDB", 255, listed_in="system.information_schema.columns", runs_models=True),
        Warehouse("postgres", "PostgreSQL", 63),
        Warehouse("spark", "Spark SQL", 255, raises=True, barred=" ,;{}()\n\t=", replaced="${", lists_columns=False),
    )
}  # fmt: skip
"""Our own engines, described as warehouses, so that the tests can run the warehouses' statement there."""

COUNTING = WAREHOUSES | {
    each.name: each
    for each in (
        Warehouse("duckdb", "DuckDB", 255, collations=Apart.ENCODED),
        Warehouse("postgres", "PostgreSQL", 63, collations=Apart.C_COLLATION),
        Warehouse("spark", "Spark SQL", 255, collations=Apart.BYTES),
        Warehouse("sqlite", "SQLite", 255, collations=Apart.OWN_BYTES, loose=True),
        Warehouse("mysql", "MySQL", 64, barred="\\", collations=Apart.OWN_BYTES, loose=True, bytes_type="BINARY"),
        Warehouse("clickhouse", "ClickHouse", 255, barred="\\"),
        # A text of no characters is NULL there, in the table as in what the query gives.
        Warehouse("oracle", "Oracle", 128, barred='"', collations=Apart.HASH, loose=True),
        Warehouse("athena", "Amazon Athena", 255),
    )
}  # fmt: skip
"""The databases that can count a frequency set: this needs no failing casts and no atomic statement."""

NO_COUNTING = {
    "fabric": "its texts have one collation, and its bytes are cut short",
    "teradata": "texts are equal whatever their case, and no query of this program that tells them apart was tried there",
}
"""The known reasons why a dialect of sqlglot gets no query of a frequency set."""

NO_MODEL = {
    "presto": "SQLMesh runs no models in Presto",
    "tsql": "a statement that fails leaves an empty table there, but in a transaction",
}
"""The reasons why a dialect with scripts gets no model of SQLMesh."""

MODELS = {**HERE, **{name: each for name, each in WAREHOUSES.items() if name not in NO_MODEL}}
"""The databases that a model of SQLMesh can be written for."""

WHY_NOT = {
    "athena": "a statement that fails leaves files behind",
    "clickhouse": "a join tells NULL from no row by other rules",
    "doris": "a cast that fails gives NULL, and the release would be an empty table",
    "drill": "a table is files, which a statement that fails leaves behind",
    "fabric": "its texts have one collation, and its bytes are cut short",
    "hive": "a cast that fails gives NULL, and the release would be an empty table",
    "mysql": "texts are equal whatever their case, and a cast that fails gives 0",
    "oracle": "an empty text is NULL",
    "spark2": "a cast that fails gives NULL, and the release would be an empty table",
    "sqlite": "a cast that fails gives 0, and the release would be an empty table",
    "starrocks": "a cast that fails gives NULL, and the release would be an empty table",
    "teradata": "texts are equal whatever their case",
}
"""The known reasons why a dialect of sqlglot gets no script."""


CORE = frozenset(
    {
        exp.Create, exp.Schema, exp.Table, exp.TableAlias, exp.Identifier, exp.With, exp.CTE, exp.Select,
        exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Subquery, exp.Union, exp.Alias,
        exp.Column, exp.Star, exp.Literal, exp.Null, exp.Paren, exp.Tuple,
        exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
        exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Neg, exp.DPipe, exp.Case, exp.If, exp.Coalesce,
        exp.Cast, exp.DataType, exp.Count, exp.Distinct, exp.Sum, exp.Max,
        exp.Nullif, exp.Upper, exp.Replace, exp.Trim, exp.Substring, exp.Length, exp.Extract, exp.Var, exp.Anonymous,
    }
)  # fmt: skip
"""What the statement may be made of. No order of rows, no window, no division, no function that a
dialect spells in a way of its own but these, of which tests run each on three engines."""

OF_QUERIES = frozenset(
    {exp.Order, exp.Ordered, exp.Rand, exp.Encode, exp.Collate, exp.StandardHash}
)
"""What a query alone has beside: rows in an order of their own, and texts told apart by their bytes."""

CONDITION = frozenset(
    {
        exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Paren, exp.Tuple, exp.Neg,
        exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.EQ, exp.NEQ,
    }
)  # fmt: skip
"""What a policy's condition may be made of to mean the same in every database: which text comes before
another, what a pattern matches and how numbers are divided are each one's own."""

RAISE = "RAISE_ERROR"


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a hierarchy at one level: as rows, each a value and its label, or in a table.

    `of_null` is the label of NULL, where rows tell it; at the `top` it is that of all values.
    """

    rows: Sequence[tuple[str, str | None]] = ()
    table: exp.Table | None = None
    level: str = "value"
    of_null: str | None = None
    top: bool = False


@dataclass(frozen=True, slots=True)
class WarehouseColumn:
    """One released column: as it is, as NULL, or a quasi-identifier by a rule or by entries.

    With `as_is` the rule only decides which values have a label, and these are released themselves.
    """

    name: str
    quasi: bool = False
    null: bool = False
    rule: Rule | None = None
    entries: Entries | None = None
    labelled: bool = False
    as_is: bool = False


def release(
    target: exp.Table,
    source: exp.Table | exp.Subquery,
    columns: Sequence[WarehouseColumn],
    warehouse: Warehouse,
    *,
    condition: exp.Paren | None,
    entity: str | None,
    needed: Sequence[Requirement],
    max_suppressed: Suppression,
    shuffled: bool = False,
) -> Statement:
    """Make a release in one statement, or raise an error in it; `shuffled`, its rows are in an order of their own."""
    sensitive = sensitive_attributes(needed)
    return Statement(
        "release/warehouse_release",
        {
            "release": target,
            "source": source,
            "condition": condition,
            "bytes": warehouse.bytes,
            "raises": warehouse.raises,
            "shuffled": shuffled,
            "columns": [_leaves(number, each) for number, each in enumerate(columns)],
            "entity": None if entity is None else column(entity, of="s"),
            "sensitive": [column(each.column, of="s") for each in sensitive],
            "fitting": _rows(sensitive, entity, "r").requirements(needed),
            "recounted": [
                {**leaves, "measure": name(f"kanon_measure_{n}")}
                for n, leaves in enumerate(_rows(sensitive, entity, "t").requirements(needed))
            ],
            **suppression_limit(max_suppressed),
            **_verdicts(counted=not warehouse.raises),
        },
    )


def _verdicts(*, counted: bool) -> dict[str, exp.Expr]:
    """Say what is wrong with a release: before a number of rows or classes, where the message is `counted`."""
    verdicts = {
        "lost": ("the source has rows without a place in the hierarchies", "; rows: "),
        "most": ("more rows would be suppressed than the policy allows", "; rows: "),
        "short": ("the staged rows fail their recount", "; classes: "),
    }
    return {each: literal(said + of if counted else said) for each, (said, of) in verdicts.items()}


def _rows(sensitive: Sequence[SensitiveAttribute], entity: str | None, alias: str) -> ClassRows:
    """Name the columns of a step that classes are counted by."""
    return ClassRows(
        None if entity is None else column("kanon_entity", of=alias),
        lambda of: column(f"kanon_spread_{sensitive.index(of) + 1}", of=alias),
        weighted=False,
    )


def rule(source: exp.Table, of: str, rules: Sequence[Rule]) -> Statement:
    """Give every value of a column its labels by the rules of all levels, as a query.

    A value that a rule does not apply to has no label at any level. The columns are value, level_1, and so on.
    """
    columns = [_leaves(n, WarehouseColumn(of, rule=each)) for n, each in enumerate(rules)]
    return Statement("release/warehouse_rule", {"source": source, "columns": columns})


def _leaves(number: int, own: WarehouseColumn) -> dict[str, object]:
    """Give what the templates read of one column."""
    kind, rule = _rule_leaves(own.rule)
    if own.null:
        kind = "null"
    elif own.entries is not None and own.labelled:
        kind = "labels"
    return {
        "number": number,
        "from": column(own.name, of="s"),
        "as": name(own.name),
        "quasi": own.quasi,
        "kind": kind,
        "as_is": own.as_is,
        "entries": None if own.entries is None else _entries_leaves(own.entries),
        "rule": rule,
    }


def _entries_leaves(entries: Entries) -> dict[str, object]:
    return {
        "rows": [
            {"value": literal(value), "label": None if label is None else literal(label)}
            for value, label in entries.rows
        ],
        "table": entries.table,
        "level": name(entries.level),
        "of_null": None if entries.of_null is None else literal(entries.of_null),
        "top": entries.top,
    }


def _rule_leaves(rule: Rule | None) -> tuple[str, dict[str, object]]:
    if rule is None:
        return "value", {}
    values = {key: None if of is None else literal(of) for key, of in rule.values.items()}
    return rule.shape, {**values, "unit": rule.unit, "code": rule.code}


def means_the_same(condition: exp.Expr, *, texts: bool = True) -> bool:
    """Whether a condition is made only of what means the same in every database.

    Where texts are equal whatever their case, it must not compare any.
    """
    nodes = list(condition.walk())
    has_texts = any(isinstance(node, exp.Literal) and node.is_string for node in nodes)
    return all(type(node) in CONDITION for node in nodes) and (texts or not has_texts)


def table_text(statement: Statement, dialect: str, warehouse: Warehouse | None) -> str:
    """Give the statement that makes a table of texts, in a dialect's own words and on one line."""
    tree = sqlglot.parse_one(statement.render(DUCKDB), read=DUCKDB)
    if warehouse is not None and warehouse.national:
        tree = tree.transform(_in_unicode)
    return tree.sql(dialect=dialect, identify=True)


def written(
    statement: Statement, warehouse: Warehouse, *, query: bool = False, plain: Sequence[str] = ()
) -> str:
    """Give the statement in a warehouse's own words, or its `query` alone.

    The `plain` names are written without quotes, for readers that write them so. Raises InternalError
    where it cannot be written so.
    """
    known = CORE | OF_QUERIES if query else CORE
    try:
        tree = sqlglot.parse_one(statement.render(DUCKDB), read=DUCKDB)
        if query and isinstance(tree, exp.Create):
            tree = tree.expression
        foreign = {node.key for node in tree.walk() if type(node) not in known}
        foreign |= {f.name for f in tree.find_all(exp.Anonymous) if f.name != RAISE}
        if foreign:
            raise InternalError(f"{', '.join(sorted(foreign))} is not of the core of all dialects")
        if warehouse.national:
            tree = tree.transform(_in_unicode)
        if warehouse.bytes_type:
            tree = tree.transform(_in_bytes, warehouse)
        if plain:
            tree = tree.transform(_quoted, plain)
        text = tree.sql(
            dialect=warehouse.name,
            identify=not plain,
            pretty=True,
            comments=False,
            unsupported_level=ErrorLevel.RAISE,
        )
        (again,) = sqlglot.parse(text, read=warehouse.name)
    except (SqlglotError, ValueError, RecursionError) as error:
        raise InternalError(f"the release cannot be written for {warehouse.title}") from error
    if again is None or not _reads_alike(tree, again):
        raise InternalError(f"{warehouse.title} would read other texts than were written")
    return text


def _quoted(node: exp.Expr, plain: Sequence[str]) -> exp.Expr:
    if isinstance(node, exp.Identifier):
        node.set("quoted", node.name not in plain)
    return node


def _in_unicode(node: exp.Expr) -> exp.Expr:
    """Make every text one of Unicode, and of any length: T-SQL's own are of a code page, and are cut."""
    if isinstance(node, exp.Literal) and node.is_string:
        return exp.National(this=node.this)
    if isinstance(node, exp.DataType) and node.this in exp.DataType.TEXT_TYPES:
        return exp.DataType.build("NVARCHAR(MAX)", dialect="tsql")
    if isinstance(node, exp.DataType) and node.this is exp.DataType.Type.VARBINARY:
        return exp.DataType.build("VARBINARY(MAX)", dialect="tsql")
    return node


def _in_bytes(node: exp.Expr, warehouse: Warehouse) -> exp.Expr:
    """Name the type of bytes that a database casts to, where it is none of its columns' types."""
    if isinstance(node, exp.DataType) and node.this is exp.DataType.Type.VARBINARY:
        return exp.DataType.build(warehouse.bytes_type, dialect=warehouse.name)
    return node


def _reads_alike(tree: exp.Expr, again: exp.Expr) -> bool:
    """Whether both have the same texts, as often, and the same names; T-SQL names a query `temp`."""
    texts, names = _texts(tree)
    other_texts, other_names = _texts(again)
    return texts == other_texts and names == other_names - ({"temp"} - names)


def _texts(tree: exp.Expr) -> tuple[Counter[str], set[str]]:
    texts = [each.this for each in tree.find_all(exp.Literal) if each.is_string]
    texts += [each.this for each in tree.find_all(exp.National)]
    return Counter(map(str, texts)), {str(each.this) for each in tree.find_all(exp.Identifier)}
