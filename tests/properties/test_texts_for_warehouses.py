"""No name and no text is more than that in a script for a database that is not here."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.tokens import TokenType
from tiers import examples

from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.entries import Rule
from kanon_sql.policy.model import Suppression
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity
from kanon_sql.release.warehouse_sql import (
    WAREHOUSES,
    Entries,
    WarehouseColumn,
    means_the_same,
    release,
    written,
)

HOSTILE = ["'", "''", '"', "`", "]", "[", "\\", "\\'", "--", "/*", "*/", ";", "$$", "${x}", "{{ x }}", "%s", "?", ":a",
           "N'", "E'", "GO", "😀", "ü", " ", "@x", "#", "e", "\u00a0", "&amp;"]  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=6).map("".join),
    st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12),
)


def statement(name, value, label, of_null, warehouse):
    entries = Entries(((value, label), ("x", None)), of_null=of_null)
    columns = [
        WarehouseColumn(name, quasi=True, entries=entries, labelled=True),
        WarehouseColumn(
            f"{name}2", quasi=True, rule=Rule("mask", {"length": 9, "kept": 3, "mask": label})
        ),
        WarehouseColumn(f"{name}3"),
    ]
    models = KAnonymity(3), DistinctDiversity(f"{name}3", 2)
    asked = {"condition": None, "entity": f"{name}4", "needed": requirements(models)}
    made = table(f"{name}5", schema=name)
    return release(
        made, table(name), columns, warehouse, max_suppressed=Suppression(rows=4), **asked
    )


@examples(60)
@given(st.sampled_from(sorted(WAREHOUSES)), TEXTS, TEXTS, TEXTS, TEXTS)
def test_every_text_and_name_is_read_as_it_was_written(dialect, name, value, label, of_null):
    warehouse = WAREHOUSES[dialect]
    told = statement(name, value, label, of_null, warehouse)
    text = written(told, warehouse)
    trees = [each for each in sqlglot.parse(text, read=dialect) if each is not None]
    assert len(trees) == 1
    strings = {TokenType.STRING, TokenType.NATIONAL_STRING}
    tokens = {t.text for t in sqlglot.tokenize(text, read=dialect) if t.token_type in strings}
    assert {value, label, of_null, "x"} <= tokens
    names = {each.name for each in trees[0].find_all(exp.Identifier)}
    assert {name, f"{name}2", f"{name}3", f"{name}4", f"{name}5"} <= names
    own = sqlglot.parse_one(told.render("duckdb"), read="duckdb")
    foreign = {each.name for each in own.find_all(exp.Identifier)}
    assert names - {"temp"} == foreign - ({"temp"} - {name})


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_what_is_not_of_the_core_is_not_written(dialect):
    """A sample of rows is each database's own."""
    with pytest.raises(InternalError, match="not of the core"):
        written(source_sql.sample_rows(table("s"), table("t"), 9, of=90), WAREHOUSES[dialect])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a = 'x' AND (b IS NULL OR NOT c IN (1, -2))", True),
        ("a <> 'x'", True),
        ("a < 'x'", False),
        ("a LIKE 'x%'", False),
        ("a / 2 = 1", False),
        ("LOWER(a) = 'x'", False),
        ("a BETWEEN 1 AND 2", False),
        ("CAST(a AS INTEGER) = 1", False),
    ],
)
def test_a_condition_is_plain_enough_or_not(text, same):
    assert means_the_same(sqlglot.parse_one(text, read="duckdb")) is same
