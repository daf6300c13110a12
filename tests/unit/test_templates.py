"""Only leaves print, and whatever a name or a text holds, it stays one name or one text."""

from __future__ import annotations

import re
from decimal import Decimal

import duckdb
import pytest
import sqlglot
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from sqlglot import exp

from kanon_sql.base.sql.quoting import PLACEHOLDER, column, literal, name, query, table
from kanon_sql.base.sql.templates import Statement, _environment, render_sql
from kanon_sql.errors import UnsafeSqlError

HOSTILE = 'a"; DROP TABLE t; --'
texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)), max_size=60)
names = texts.filter(bool)


def printed(text, **leaves):
    return _environment("duckdb").from_string(text).render(leaves)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    [
        "{{ x }}",
        "{{ x ~ '' }}",
        "{{ [x] | join }}",
        "{{ 1 }}",
        "{{ 'a' }}",
        "{{ none }}",
        "{{ x | safe }}",
        "{{ x | e }}",
        "{% macro m() %}{{ x }}{% endmacro %}{{ m() }}",
        "{% macro m() %}x{% endmacro %}{{ m() }}",
        "{% set y %}a{% endset %}{{ y }}",
        "{{ leaf | upper }}",
        "{{ leaf | string }}",
        "{{ leaf.this }}",
        "{{ leaf ~ leaf }}",
        "{{ [x] | commas }}",
        "{{ [leaf, x] | commas }}",
        "{{ loop }}",
        "{{ raw }}",
        "{{ function }}",
        "{{ number }}",
        "{{ negative }}",
        "{{ x | name }}",
        "{{ x | column }}",
        "{{ 'a' | column(x) }}",
        "{{ 'a' | name(x) }}",
        "{{ 'a' | name(1.5) }}",
        "{{ 'a' | name(true) }}",
        "{{ 'A b' | name }}",
        "{{ '' | name }}",
        "{{ leaf | name }}",
        "{{ x | number }}",
        "{{ '1' | number }}",
        "{{ 1.5 | number }}",
        "{{ true | number }}",
        "{{ leaf | number }}",
        "{{ [x] | number | commas }}",
        "{{ ['1'] | number | commas }}",
        "{{ 'a' | name([x]) | commas }}",
        "{{ 'a' | name(x) | commas }}",
        "{{ 'a' | column([x]) }}",
        "{{ x | comma }}",
        "{{ leaf | comma }}",
        "{% for each in [leaf] %}{{ loop }}{% endfor %}",
    ],
)
def test_only_leaves_print(text):
    with pytest.raises((UnsafeSqlError, UndefinedError)):
        printed(
            text,
            x="a; drop",
            leaf=name("a"),
            raw=exp.Var(this="a; drop"),
            function=exp.func("f(1); drop"),
            number=exp.Literal.number("1; drop"),
            negative=exp.Neg(this=exp.Literal.number("1; drop")),
        )


def test_each_kind_of_leaf_prints():
    assert printed("{{ x }}", x=name(HOSTILE)) == '"a""; DROP TABLE t; --"'
    assert printed("{{ x }}", x=column("c", of="t")) == '"t"."c"'
    assert printed("{{ x }}", x=table("t", schema="s.t", catalog="c")) == '"c"."s.t"."t"'
    assert printed("{{ x }}", x=literal("it's")) == "'it''s'"
    assert printed("{{ x }}", x=literal(-1)) == "-1"
    assert printed("{{ x }}", x=PLACEHOLDER) == "?"
    assert printed("{{ [a, b] | commas }}", a=name("a"), b=literal(1)) == '"a", 1'


def test_a_template_names_its_own_columns_and_prints_numbers():
    assert printed("{{ 'low_' | name(n) }}", n=3) == '"low_3"'
    assert printed("{{ 'label' | name }}") == '"label"'
    assert printed("{{ 'low_' | column('b', n) | text }}", n=0) == 'CAST("b"."low_0" AS VARCHAR)'
    assert printed("{{ 'value' | column('q' | name(n)) }}", n=0) == '"q0"."value"'
    assert printed("{{ n | number }}", n=-(2**62)) == str(-(2**62))
    assert printed("{{ n | number }}", n=Decimal("1.50")) == "1.50"
    assert printed("{{ [1, 2] | number | commas }}") == "1, 2"
    assert printed("{{ 'low_' | name(n) | commas }}", n=range(2)) == '"low_0", "low_1"'
    assert printed("{{ 'low_' | column('b', [2]) | commas }}") == '"b"."low_2"'


def test_a_comma_stands_behind_all_entries_but_the_last():
    rows = "{% for each in items %}{{ each }}{{ loop | comma(more) }}{% endfor %}"
    items = [name("a"), name("b")]
    assert printed(rows, items=items, more=[]) == '"a","b"'
    assert printed(rows, items=items, more=["c"]) == '"a","b",'


def test_an_unquoted_identifier_is_quoted_anyway():
    bare = exp.Identifier(this="a; drop table t", quoted=False)
    assert printed("{{ x }}", x=bare) == '"a; drop table t"'
    assert printed("{{ x }}", x=exp.Column(this=bare)) == '"a; drop table t"'


def test_a_template_that_lacks_a_leaf_is_refused():
    with pytest.raises(UnsafeSqlError):
        render_sql("source/counts/count_rows", "duckdb")


def test_a_template_that_is_not_there_is_refused():
    with pytest.raises(Exception, match="no_such"):
        Statement("no_such").render("duckdb")


def test_a_dialects_own_template_comes_before_the_common_one():
    leaves = {"view": table("v"), "path": literal("p"), "base": None}
    assert "USING json" in Statement("source/read_json", leaves).render("spark")
    assert "FROM read_json" in Statement("source/read_json", leaves).render("duckdb")


@pytest.mark.parametrize(
    "value",
    [1.5, float("nan"), True, False, None, b"a", [], Decimal("NaN"), Decimal("Infinity"), "a\0b"],
)
def test_literal_refuses_what_dialects_print_differently(value):
    with pytest.raises(UnsafeSqlError):
        literal(value)


@pytest.mark.parametrize("text", ["", "\0", "a\0b"])
def test_names_are_not_empty_and_hold_no_nul(text):
    for kind in (name, column, table):
        with pytest.raises(UnsafeSqlError):
            kind(text)


def test_the_refusal_of_a_leaf_does_not_repeat_it():
    with pytest.raises(UnsafeSqlError) as caught:
        literal("secret\0")
    assert "secret" not in str(caught.value)


@given(names)
@example("a.b")
@example('"')
@example("é" * 300)
@example("select")
@example("{{ x }}")
@example("\n\r\t\\")
@example("%s ? $1 :a")
def test_any_identifier_survives_a_round_trip(connection, text):
    said = printed("SELECT 1 AS {{ x }}", x=name(text))
    assert connection.execute(said).description[0][0] == text
    assert len(sqlglot.parse(said, read="duckdb")) == 1


@given(names)
@example('x"y; --')
def test_any_table_and_column_survive_a_round_trip(connection, text):
    leaves = {"t": table(text), "c": column(text), "n": name(text)}
    connection.execute(printed("CREATE OR REPLACE TEMP TABLE {{ t }} ({{ n }} INTEGER)", **leaves))
    try:
        (shown,) = connection.execute(printed("DESCRIBE {{ t }}", **leaves)).fetchall()
        assert shown[0] == text
        said = printed("SELECT {{ c }} FROM {{ t }} WHERE {{ c }} IS NULL", **leaves)
        assert connection.execute(said).fetchall() == []
    finally:
        connection.execute(printed("DROP TABLE {{ t }}", **leaves))


@given(texts)
@example("")
@example("'; DROP TABLE t; --")
@example("\\'")
@example("\\")
@example("$$ x $$")
@example("{% raw %}")
@example("\ufeff")
def test_any_text_survives_a_round_trip(connection, text):
    said = printed("SELECT {{ x }}", x=literal(text))
    assert connection.execute(said).fetchone() == (text,)


@given(st.integers(-(2**127) + 1, 2**127 - 1))
def test_any_integer_survives_a_round_trip(connection, number):
    said = printed("SELECT {{ x }}", x=literal(number))
    assert connection.execute(said).fetchone() == (number,)


@given(st.decimals(-(10**12), 10**12, places=6))
def test_any_decimal_survives_a_round_trip(connection, number):
    said = printed("SELECT {{ x }}", x=literal(number))
    assert connection.execute(said).fetchone() == (number,)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE t",
        "INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 1",
        "DELETE FROM t",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
        "CREATE TABLE t AS SELECT 1",
        "CREATE TEMP VIEW t AS SELECT 1",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN a INTEGER",
        "TRUNCATE t",
        "COPY t TO 'x.csv'",
        "COPY (SELECT 1) TO 'x.csv'",
        "ATTACH 'x.duckdb'",
        "DETACH x",
        "PRAGMA database_list",
        "SET threads = 1",
        "INSTALL httpfs",
        "LOAD httpfs",
        "CALL pragma_version()",
        "EXPORT DATABASE 'x'",
        "EXPLAIN SELECT 1",
        "DESCRIBE t",
        "BEGIN",
        "SELECT * INTO x FROM t",
        "WITH w AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM w",
        "WITH w AS (DELETE FROM t RETURNING *) SELECT * FROM w",
        "SELECT * FROM (UPDATE t SET a = 1 RETURNING a) AS u",
        "",
        ";",
        "-- nothing",
        "SELECT (",
        "not sql at all (",
    ],
)
def test_a_query_is_one_select_that_only_reads(text):
    with pytest.raises(ValueError, match=r"must|parsed"):
        query(text, dialect="duckdb")


def test_the_refusal_of_a_query_does_not_repeat_it():
    with pytest.raises(ValueError, match="parsed") as caught:
        query("SELECT 'secret' FROM (", dialect="duckdb")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT 1 AS a", [(1,)]),
        ("SELECT 1;", [(1,)]),
        ("(SELECT 1) UNION ALL SELECT 2 ORDER BY 1", [(1,), (2,)]),
        ("WITH w AS (SELECT 'it''s; --') SELECT * FROM w -- ) DROP", [("it's; --",)]),
        ("SELECT /* ; */ 1 /* */ -- )", [(1,)]),
        ('SELECT 1 AS "a""; b"', [(1,)]),
        ("SELECT 'DROP TABLE t', $$ ; $$", [("DROP TABLE t", " ; ")]),
        ("SELECT '?' AS a", [("?",)]),
        ("FROM (SELECT 3)", [(3,)]),
    ],
)
def test_a_query_prints_as_one_table(connection, text, rows):
    said = printed("SELECT * FROM ({{ q }}) AS x", q=query(text, dialect="duckdb"))
    assert connection.execute(said).fetchall() == rows
    assert "--" not in re.sub(r"'[^']*'", "", said)


@given(texts, names)
def test_a_query_keeps_what_it_quotes(connection, text, heading):
    own = printed("SELECT {{ x }} AS {{ y }} -- end", x=literal(text), y=name(heading))
    said = printed("SELECT * FROM ({{ q }}) AS x", q=query(own, dialect="duckdb"))
    found = connection.execute(said)
    assert found.description[0][0] == heading
    assert found.fetchone() == (text,)
