"""A hierarchy by rule in words that every database shares gives the labels that our own engines give."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import duckdb
import pytest
import sqlglot

from kanon_sql.base.sql.quoting import table
from kanon_sql.base.sql.templates import template_root
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.codes import SCHEMES, CodeHierarchy
from kanon_sql.policy.hierarchies.entries import RULED_UNITS, SHAPES, Rule
from kanon_sql.policy.hierarchies.specs import (
    DateHierarchy,
    DateUnit,
    IntervalHierarchy,
    MaskHierarchy,
)
from kanon_sql.release.warehouse_sql import WAREHOUSES, rule, written
from tests.codes import CODES

NAME = 'a "column" of; --'
UNITS = tuple(u for u in DateUnit if u not in {DateUnit.WEEK, DateUnit.FORTY_YEARS})
SPECS = {
    "mask": (MaskHierarchy(4, (1, 3)), "VARCHAR", ["abcd", "", "a'b", "é中ab", "longer", None]),
    "numbers": (IntervalHierarchy((Decimal(5), Decimal(10)), Decimal(2)), "INTEGER", [-7, -3, 0, 6, 7, None]),
    "ends": (
        IntervalHierarchy((Decimal(5), Decimal(10)), bottom=Decimal(3), top=Decimal(17)),
        "BIGINT",
        [-10**14, 2, 3, 4, 16, 17, 10**15 - 1, None],
    ),
    "texts": (IntervalHierarchy((Decimal(5),)), "VARCHAR", ["7", "12", "-3", None]),
    **{name: (CodeHierarchy(name), "VARCHAR", [*CODES[name], " x", "é1", "", None]) for name in SCHEMES},
    "dates": (DateHierarchy(UNITS), "DATE", [date(1999, 12, 31), date(2000, 2, 29), date(804, 1, 1), None]),
}  # fmt: skip


@pytest.mark.parametrize("kind", SPECS)
def test_the_labels_are_those_of_our_own_statement(kind):
    spec, type_, values = SPECS[kind]
    levels = [spec.rule(n) for n in range(1, spec.height + 1)]
    with duckdb.connect() as connection:
        connection.execute(f'CREATE TABLE people ("{NAME.replace(chr(34), chr(34) * 2)}" {type_})')
        connection.executemany(
            "INSERT INTO people VALUES (?)", [(each,) for each in [*values, *values]]
        )
        own = mapping_sql.paths_of_columns(table("people"), [NAME], spec).render("duckdb")
        shared = rule(table("people"), NAME, levels).render("duckdb")
        wanted = connection.sql(own)
        names = ", ".join(["value", *(f"level_{n}" for n in range(1, spec.height + 1))])
        found = connection.sql(shared).project(names)
        assert sorted(map(str, found.fetchall())) == sorted(
            map(str, wanted.project(names).fetchall())
        )
        assert len(found.fetchall()) == len(set(values))


def test_what_the_rule_is_not_of_has_no_labels():
    spec = IntervalHierarchy((Decimal(5),))
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS FROM (VALUES ('7'), ('07'), ('+7')) AS v (age)")
        text = rule(table("people"), "age", [spec.rule(n) for n in (1, 2)]).render("duckdb")
        assert sorted(connection.sql(text).fetchall()) == [
            ("+7", None, None), ("07", None, None), ("7", "[5, 10)", "*"),
        ]  # fmt: skip


@pytest.mark.sampled(7)
@pytest.mark.parametrize("dialect", WAREHOUSES)
@pytest.mark.parametrize("kind", SPECS)
def test_it_parses_in_its_dialect_with_plain_names(dialect, kind):
    spec, _, _ = SPECS[kind]
    if kind == "mask" and not WAREHOUSES[dialect].characters:
        pytest.skip("no mask is written for a database that counts characters otherwise")
    levels = [spec.rule(n) for n in range(1, spec.height + 1)]
    plain = ["value", *(f"level_{n}" for n in range(1, spec.height + 1))]
    text = written(rule(table("people"), "age", levels), WAREHOUSES[dialect], plain=plain)
    (tree,) = sqlglot.parse(text, read=dialect)
    assert tree.named_selects == plain
    assert not any(each.args["alias"].quoted for each in tree.selects)


@pytest.mark.parametrize(
    "stated",
    [
        ("prefix", {"kept": 3}),
        ("mask", {"length": 5, "kept": 3}),
        ("root", {"root": "*"}, "day"),
        ("date", {}),
        ("date", {}, "week"),
        ("date", {}, "fortnight"),
    ],
    ids=str,
)
def test_a_rule_that_no_template_has_is_an_error_and_releases_no_value(stated):
    """The template would release a column of another shape as it is."""
    with pytest.raises(InternalError, match="no template has a rule"):
        Rule(*stated)


def test_each_shape_of_a_rule_is_compared_with_our_own_statement():
    rules = [spec.rule(n) for spec, _, _ in SPECS.values() for n in range(spec.height + 1)]
    assert {each.shape for each in rules if each is not None} == set(SHAPES)


def test_each_shape_of_a_rule_is_one_of_the_template():
    text = (template_root() / "sql/release/part/warehouse_labels.sql.j2").read_text()
    assert all(f'"{shape}"' in text for shape in SHAPES)
    assert all(f'"{unit}"' in text for unit in RULED_UNITS - {"day"})
