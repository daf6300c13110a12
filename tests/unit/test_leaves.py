"""Leaves: what reaches a statement is quoted, whatever it holds, and read back as it was."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from kanon_sql.base.sql import quoting
from kanon_sql.base.sql.quoting import plain_printer
from kanon_sql.base.sql.templates import Statement, _environment, _printer
from kanon_sql.errors import UnsafeSqlError

HOSTILE = [
    "a b", "a.b", 'a"b', '"', '""', "a'b", "'; DROP TABLE x; --", "select", "table", "row", "value",
    "key_1", "s", "q0", "100%", "%s", "{{ x }}", "{% raw %}", "{# x #}", "?", "$1", ":name", "@v",
    "a\nb", "a\tb", "\r\n", "\\", "\\n", "a\\'b", "--", "/* */", "😀", "é", "e\u0301", "\u202e",
    " ", "  lead", "x" * 300, "x" * 3000, "\x01", "\x7f", "\u0085", "\ufeff", "[0]", "a,b", "`a`", "$$",
]  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
NAMES = TEXTS.filter(bool)


def printed(leaf):
    return str(_printer("duckdb")(leaf))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_survives_the_database(text):
    with duckdb.connect() as connection:
        name = printed(quoting.name(text))
        made = connection.execute(f"SELECT 1 AS {name}")
        assert [column[0] for column in made.description] == [text]
        connection.execute(f"CREATE TABLE {printed(quoting.table(text))} ({name} INTEGER)")
        assert connection.execute("SHOW TABLES").fetchall() == [(text,)]
        connection.execute(f"SELECT {printed(quoting.column(text, of='t'))} "
                           f"FROM {printed(quoting.table(text))} AS t")  # fmt: skip


@pytest.mark.parametrize("text", ["", *HOSTILE])
def test_a_text_survives_the_database(text):
    with duckdb.connect() as connection:
        assert connection.execute(f"SELECT {printed(quoting.literal(text))}").fetchall() == [
            (text,)
        ]


@given(NAMES)
def test_any_name_survives(text):
    assert duckdb.sql(f"SELECT 1 AS {printed(quoting.name(text))}").columns == [text]


@given(TEXTS)
def test_any_text_survives(text):
    assert duckdb.sql(f"SELECT {printed(quoting.literal(text))}").fetchall() == [(text,)]


@given(st.integers(-(2**127) + 1, 2**127 - 1))
def test_any_whole_number_survives(number):
    assert duckdb.sql(f"SELECT {printed(quoting.literal(number))}").fetchall() == [(number,)]


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=6, min_value=-(10**12), max_value=10**12
    )
)
def test_any_decimal_survives(number):
    assert duckdb.sql(f"SELECT {printed(quoting.literal(number))}").fetchall() == [(number,)]


@pytest.mark.parametrize(
    "number", [Decimal("-0"), Decimal("1E+3"), Decimal("1E-7"), Decimal("-2.50")]
)
def test_a_decimal_is_written_without_an_exponent(number):
    assert "E" not in printed(quoting.literal(number)).upper()


@pytest.mark.parametrize("value", [1.5, float("nan"), True, None, b"a", [], object()])
def test_what_has_no_portable_literal_is_refused(value):
    with pytest.raises(UnsafeSqlError):
        quoting.literal(value)


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity")])
def test_a_decimal_that_is_no_number_is_refused(value):
    with pytest.raises(UnsafeSqlError):
        quoting.literal(value)


@pytest.mark.parametrize("text", ["", "\x00", "a\x00b"])
def test_what_cannot_be_a_name_is_refused(text):
    for make in (quoting.name, quoting.column, quoting.table):
        with pytest.raises(UnsafeSqlError):
            make(text)


def test_a_text_with_a_nul_is_refused():
    with pytest.raises(UnsafeSqlError):
        quoting.literal("a\x00b")


@pytest.mark.parametrize("value", ["1", 1, 1.0, None, True, b"a", ["a"], {"a": 1}, object()])
def test_a_template_prints_nothing_but_leaves(value):
    with pytest.raises(UnsafeSqlError):
        _printer("duckdb")(value)
    with pytest.raises(UnsafeSqlError):
        _environment("duckdb").from_string("SELECT {{ value }}").render(value=value)


def test_a_number_that_is_none_is_refused():
    with pytest.raises(UnsafeSqlError):
        printed(exp.Literal.number("1; DROP TABLE x"))
    with pytest.raises(UnsafeSqlError):
        printed(exp.Neg(this=exp.Literal.number("1) OR (1=1")))


def test_an_expression_that_is_no_leaf_is_refused():
    with pytest.raises(UnsafeSqlError):
        printed(exp.Var(this="x; DROP TABLE y"))


def leaves_of(text):
    return [
        quoting.name(text), quoting.column(text), quoting.column("a", of=text), quoting.table(text),
        quoting.table("t", schema=text, catalog=text), quoting.literal(text), quoting.literal(-7),
        quoting.literal(Decimal("1.50")), exp.column(quoting.name(text), "t", "s", "c", quoted=True),
    ]  # fmt: skip


def is_printed_as_by_sqlglot(text):
    for dialect in ("duckdb", "postgres", "spark"):
        show = _printer(dialect)
        for leaf in leaves_of(text):
            assert str(show(leaf)) == leaf.sql(dialect=dialect, identify=True)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_plain_leaf_is_printed_as_by_the_parser_s_own_dialect(text):
    is_printed_as_by_sqlglot(text)


@given(NAMES)
def test_any_plain_leaf_is_printed_as_by_the_parser_s_own_dialect(text):
    is_printed_as_by_sqlglot(text)


@pytest.mark.parametrize(
    "leaf",
    [
        exp.Identifier(this="a; b"),
        exp.Column(this=exp.Star()),
        exp.Column(this=quoting.name("a"), join_mark=True),
        exp.alias_(quoting.table("a"), "b", table=True),
        exp.Table(this=exp.func("f")),
        exp.Neg(this=quoting.literal(-1)),
        exp.Neg(this=quoting.literal("a")),
        exp.Literal.number("1; b"),
        exp.Paren(this=quoting.name("a")),
        exp.Var(this="a"),
    ],
)
def test_what_is_no_plain_leaf_is_left_to_the_parser_s_own_dialect(leaf):
    for dialect in ("duckdb", "postgres", "spark"):
        assert plain_printer(dialect)(leaf) is None


def test_a_dialect_that_is_not_known_prints_by_the_parser_alone():
    assert [plain_printer("mysql")(leaf) for leaf in leaves_of('a"`b')] == [None] * 9


def test_jinja_in_a_leaf_is_only_text():
    statement = Statement("source/first_rows", {"table": quoting.table("{{ 7 * 7 }}"), "rows": 1})
    assert '"{{ 7 * 7 }}"' in statement.render("duckdb")


QUERIES = [
    "SELECT 1 AS a",
    "select a from (values (1), (2)) as t(a) order by a",
    "SELECT 'it''s' AS a",
    r"SELECT '\n' AS a",
    r"SELECT e'\n' AS a",
    "SELECT $$it's$$ AS a",
    "SELECT 'a -- b' AS a",
    "SELECT 7 // 2 AS a, 7 / 2 AS b, 7 % 3 AS c, 2 ** 3 AS d",
    "SELECT 1::DECIMAL(18,3) AS a, '1'::INT AS b, TRY_CAST('x' AS INT) AS c",
    "SELECT {'a': 1, 'b': [1, 2]} AS a, MAP {'k': 1} AS b",
    "SELECT [x + 1 FOR x IN [1, 2]] AS a",
    "SELECT list_transform([1, 2], lambda x: x + 1) AS a",
    "FROM (VALUES (1, 'a')) AS t(x, y)",
    "WITH w AS (SELECT 1 AS a) SELECT * FROM w UNION ALL SELECT 2",
    "SELECT * EXCLUDE (y) FROM (VALUES (1, 'a')) AS t(x, y)",
    "SELECT * REPLACE (x + 1 AS x) FROM (VALUES (1, 'a')) AS t(x, y)",
    "SELECT COLUMNS('x') FROM (VALUES (1, 'a')) AS t(x, y)",
    'SELECT 1 AS "Mixed Case", 2 AS "a""b"',
    "SELECT x, row_number() OVER (ORDER BY x) AS n FROM range(3) AS t(x) QUALIFY n < 3 ORDER BY n",
    "SELECT DATE '1969-07-20' AS a, TIMESTAMP '2020-01-01 10:00:00' AS b, INTERVAL 3 DAY AS c",
    "SELECT count(*) FILTER (WHERE x > 1) AS n FROM range(4) AS t(x)",
    "SELECT 'Abc' ILIKE 'a%' AS a, 'abc' SIMILAR TO 'a.c' AS b, regexp_matches('abc', '^a') AS c",
    "SELECT x, y FROM (VALUES (1, 2)) AS t(x, y) -- a comment; DROP TABLE t",
    "(SELECT 1 AS a)",
    "SELECT strftime(DATE '2020-02-03', '%Y-%m') AS a, strptime('2020', '%Y') AS b",
    "SELECT 0.1 + 0.2 AS a, 1e3 AS b, 170141183460469231731687303715884105727 AS c",
    "SELECT NULL IS NOT DISTINCT FROM NULL AS a, 'a' || NULL AS b, 5 & 3 AS c, xor(5, 3) AS d",
    "SELECT len('a😀') AS a, 'x'[1] AS b, [1, 2, 3][2:3] AS c",
]  # fmt: skip


@pytest.mark.parametrize("text", QUERIES)
def test_a_query_means_what_was_written(text):
    mine = duckdb.sql(printed(quoting.query(text, dialect="duckdb")))
    theirs = duckdb.sql(text)
    assert mine.columns == theirs.columns
    assert [str(t) for t in mine.types] == [str(t) for t in theirs.types]
    assert mine.fetchall() == theirs.fetchall()


@pytest.mark.parametrize(
    "text",
    [
        "", ";", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE x", "DROP TABLE x",
        "INSERT INTO x VALUES (1)", "DELETE FROM x", "UPDATE x SET a = 1", "CREATE TABLE x AS SELECT 1",
        "COPY x TO 'y.csv'", "COPY (SELECT 1) TO 'y.csv'", "ATTACH 'x.db'", "PRAGMA version",
        "SET threads = 1", "INSTALL httpfs", "LOAD httpfs", "CALL x()", "EXPORT DATABASE 'x'",
        "TRUNCATE x", "VACUUM", "BEGIN", "SELECT 1 INTO x", "WITH a AS (DELETE FROM x) SELECT 1",
        "WITH a AS (INSERT INTO x VALUES (1) RETURNING *) SELECT * FROM a", "SELECT ((", "not sql at all",
        "SELECT 'open", "EXPLAIN ANALYZE INSERT INTO x VALUES (1)", "SELECT 1) AS t; DROP TABLE x; --",
    ],
)  # fmt: skip
def test_what_is_not_one_reading_select_is_refused(text):
    with pytest.raises(ValueError, match=r"SELECT|SQL|only read"):
        quoting.query(text, dialect="duckdb")


CONDITIONS = [
    "a > 1", "NOT a > 1", "a IS NULL OR b IN ('x', 'it''s', NULL)", "a BETWEEN 1 AND 2 AND b <> 'x'",
    "b LIKE 'x\\_%' ESCAPE '\\' OR b ILIKE 'I%'", "a + 1 >= 2 * a - 1 AND a % 2 = 1", "a / 2 > 0.5",
    "c < DATE '2020-02-01'", "EXTRACT(YEAR FROM c) = 2020", "CAST(c AS VARCHAR) = '2020-01-01'",
    "a IS NOT DISTINCT FROM 3", "d", "d IS NOT TRUE", "COALESCE(a, 5) = 5", "LENGTH(TRIM(b)) = 4",
    "LOWER(b) = UPPER(b) OR ABS(-a) = 2", "CASE WHEN d THEN a = 1 ELSE a = 2 END", "-a < -1.5e0",
    "(a, b) = (1, 'x')", "\"e \"\"; --\" = 'y' -- a comment; DROP TABLE t", "a = 1 /* or */ OR a = 2",
    "a = 1 OR a = 2 AND b = 'x'", "b = ';' OR b = '--' OR b = '/*' OR b = '${x}'",
]  # fmt: skip


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_condition_means_what_was_written(text):
    rows = (
        "SELECT * FROM (VALUES (1, 'x', DATE '2020-01-01', TRUE, 'y'), (2, 'it''s', NULL, FALSE, NULL), "
        "(3, NULL, DATE '2021-05-05', NULL, 'y'), (NULL, '${x}', DATE '2020-03-01', TRUE, ''), "
        '(1, \';\', NULL, NULL, NULL)) AS t(a, b, c, d, "e ""; --")'
    )
    mine = quoting.condition(text, dialect="duckdb")
    kept = duckdb.sql(f"SELECT * FROM ({rows}) WHERE {printed(mine)}").fetchall()
    assert kept == duckdb.sql(f"SELECT * FROM ({rows}) WHERE {text}\n").fetchall()
    assert 0 < len(kept) < 5


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize(
    "text",
    [
        "", ";", "-- a", "a = 1; DROP TABLE x", "a = 1) OR (b = 2", "a = 1 UNION SELECT 1",
        "a IN (SELECT 1)", "EXISTS (SELECT 1)", "(SELECT a) = 1", "a = (DELETE FROM x)", "a = ANY(b)",
        "random() < a", "nextval('s') > a", "own(a)", "a = pg_sleep(1)", "read_csv('x') = a",
        "a = current_user", "a < current_date", "a = now()", "count(*) > a", "sum(a) OVER () > 1",
        "a = ?", "a = :x", "a = $1", "1 = 1", "TRUE", "t.a = 1", "x.t.a = 1", "*", "a = *",
        "a::blob = 'x'", "CAST(a AS STRUCT<b INT>) = 1", "CAST(a AS mine) = 1", "a[1] = 1", "a AS b",
        "a = 1, b = 2", "a = \x00", "'open", "a =", "b SIMILAR TO 'x'",
        "EXTRACT(\"y x\" FROM a) = 1", "EXTRACT('YEAR FROM a) = 1 OR EXTRACT(YEAR' FROM a) = 1",
        'EXTRACT("YEAR FROM a) = 1 OR EXTRACT(YEAR" FROM a) = 1', "(" * 5000 + "a" + ")" * 5000,
    ],
    ids=lambda text: text[:40].replace("\x00", "NUL"),
)  # fmt: skip
def test_what_is_not_one_condition_on_one_row_is_refused(text, dialect):
    with pytest.raises(
        ValueError, match=r"condition|may only|column|type|deeply|table|NUL|form|date"
    ):
        quoting.condition(text, dialect=dialect)


@given(st.text(max_size=20))
def test_any_text_is_a_condition_or_refused(text):
    for dialect in ("duckdb", "postgres", "spark"):
        try:
            whole = quoting.condition(text, dialect=dialect)
        except ValueError:
            continue
        again = quoting.condition(printed(whole), dialect=dialect) if dialect == "duckdb" else whole
        assert again.find(exp.Column)
