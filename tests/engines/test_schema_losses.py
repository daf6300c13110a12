"""What each table of a schema lost in each column: the plan's counts and words, by plain Python over the release."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import duckdb
import pytest
from clinics import DAY, ORDERS, PEOPLE, STAYS, WARD, build, covers, policy, rows_of
from hospitals import KEY, KEY_ENV, released

from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_plan import SchemaPlan, figures_of
from kanon_sql.apps.schema.stage_schema import JoinedPeople

COLUMNS = {
    PEOPLE: ("id", "sex"),
    STAYS: ("the person", "wa.rd", "select", "n"),
    ORDERS: ("the person", "drug", "n"),
}
ONE = {"role": "quasi", "hierarchy": "suppress"}


@pytest.fixture
def clinic(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    with duckdb.connect() as connection:
        build(connection.execute, rows_of(3))
        yield connection


def signature():
    """Stays are known whole, by columns of one step each: most of them end at the root."""
    columns = {"wa.rd": ONE, "select": ONE, "n": {"role": "insensitive"}}
    stays = {"of": "person", "protect": "signature", "columns": columns, "suppression": "90%"}
    orders = {"of": "person", "protect": "none", "columns": {"drug": {"role": "insensitive"}, "n": {"role": "insensitive"}}}  # fmt: skip
    return policy(**{STAYS: stays, ORDERS: orders})


def cut():
    columns = {"wa.rd": WARD, "select": DAY, "n": {"role": "identifying", "action": "drop"}}
    stays = {"of": "person", "protect": "cut", "columns": columns, "privacy": {"k": 4}}
    return policy(**{STAYS: stays})


@pytest.mark.parametrize("stated", [policy(), signature(), cut()])
def test_each_column_of_each_table_is_counted_before_and_after(clinic, stated):
    plan = apply_schema(policy=stated, connection=clinic).plan
    found = released(clinic.execute, "the anon", list(plan.tables))
    source = rows_of(3)
    counted = 0
    for table, each in plan.tables.items():
        for change in each.changes:
            counted += 1
            at = COLUMNS[table].index(change.name)
            before = [row[at] for row in source[table] if row[at] is not None]
            after = [row[change.name] for row in found[table] if row[change.name] is not None]
            says = [each for each in after if not all(covers(each, value) for value in {*before})]
            assert (change.values, change.rows) == (len({*before}), len(before))
            assert change.labels == len({*after})
            assert change.kept == len(says)
    assert counted == sum(
        column.get("role") == "quasi"
        for each in stated["tables"].values()
        for column in each["columns"].values()
    )
    assert SchemaPlan.from_yaml(plan.to_yaml(), "plan").tables.keys() == plan.tables.keys()


@pytest.mark.parametrize("stated", [policy(), signature(), cut()])
def test_a_warning_names_each_column_whose_rows_have_one_label(clinic, stated):
    plan = apply_schema(policy=stated, connection=clinic).plan
    found = released(clinic.execute, "the anon", list(plan.tables))
    source, warned = rows_of(3), 0
    for table, each in plan.tables.items():
        for change in each.changes:
            at = COLUMNS[table].index(change.name)
            before = Counter(row[at] for row in source[table])
            after = Counter(row[change.name] for row in found[table])
            label, most = max(after.items(), key=lambda of: of[1])
            share = most / len(found[table])
            starts = f"{table}: {change.name}: "
            said = [text for text in plan.warnings if text.startswith(starts)]
            if share == 1 and len(before) > 1:
                assert len(said) == 1
                warned += 1
                if 2 * max(before.values()) <= sum(before.values()):
                    assert f"{most} of {len(found[table])} rows (100%)" in said[0]
            if share < 0.5:
                assert said == []
            assert not any(str(label) in text.replace(table, "") for text in said if len(str(label)) > 4)  # fmt: skip
    assert warned or "signature" not in str(stated)


def test_the_file_of_a_plan_keeps_what_was_lost_and_all_warnings(clinic):
    plan = plan_schema(signature(), connection=clinic)
    read = SchemaPlan.from_yaml(plan.to_yaml(), "plan")
    assert read.warnings == plan.warnings
    assert {n: t.changes for n, t in read.tables.items()} == {n: t.changes for n, t in plan.tables.items()}  # fmt: skip
    assert any("to keep more of it" in each or "says nothing" in each for each in plan.warnings)
    assert plan_schema(signature(), connection=clinic).to_yaml() == plan.to_yaml()
    assert apply_schema(policy=signature(), connection=clinic).plan.warnings == plan.warnings


def test_a_comparison_of_two_tables_says_what_is_compared_and_what_to_do():
    said = JoinedPeople("people", ("stays",), 11, 200, 0, None, ("age", "sex"))
    compared = "k = 11 if somebody compares age and sex in both tables (0.00%)"
    assert said.warning == str(said) == f"people with stays: 0 of 200 people stand below {compared}"
    more = replace(said, below=50).warning
    assert more.endswith(
        "; drop age or sex from one of the tables, or give it one coarse level in both"
    )
    over = JoinedPeople("people", ("stays", "people"), 11, 200, 3, 1)
    assert over.warning == str(over)
    assert str(over).startswith("people with stays, other rows of people: 3 of 200 people")


def test_figures_of_events_say_how_many_rows_are_not_generalized(clinic):
    plan = plan_schema(policy(), connection=clinic)
    for name in (STAYS, ORDERS):
        own = plan.tables[name]
        assert figures_of(own).endswith(f"{own.unchanged:,} not generalized")
