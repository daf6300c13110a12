"""Rows that a table's maker suppressed are no class of their own, where their label is said; nothing changes where it is not."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql

KEPT = [("30", "M", "flu")] * 4 + [("*", "F", "cold")] * 3 + [(None, "F", "flu")] * 3
ROWS = [*KEPT, ("*", "*", "rare"), ("*", "*", "flu")]


def table(rows=ROWS):
    return pa.table(dict(zip(("age", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True)))  # fmt: skip


@pytest.fixture
def released(place):
    place.put("suppressed_before", table())
    yield "suppressed_before", place.connection
    place.drop("suppressed_before")


def test_verify_counts_them_in_no_class_and_says_how_many(released):
    name, connection = released
    plain = kanon_sql.verify(name, quasi=["age", "sex"], k=3, connection=connection)
    assert (plain.passed, plain.smallest_class, plain.rows) == (False, 2, len(ROWS))
    assert plain.suppressed_before is None
    found = kanon_sql.verify(name, quasi=["age", "sex"], k=3, suppressed_label="*", connection=connection)  # fmt: skip
    assert (found.passed, found.smallest_class, found.classes) == (True, 3, 3)
    assert (found.rows, found.suppressed_before) == (len(KEPT), 2)
    assert found.summary()["suppressed_before"] == 2
    assert any(each.startswith("2 rows are in no class") for each in found.warnings)
    alone = kanon_sql.verify(name, quasi=["age", "sex"], k=4, suppressed_label="*", connection=connection)  # fmt: skip
    assert (alone.passed, alone.short_rows) == (False, 6)


def test_a_plan_and_lint_name_them_and_how_to_leave_them_out(place, released):
    name, connection = released
    quasi = {"role": "quasi", "hierarchy": "suppress"}
    policy = {
        "version": 1,
        "source": {"table": name},
        "entity": "row",
        "columns": {"age": quasi, "sex": quasi, "ill": {"role": "insensitive"}},
        "privacy": {"k": 2},
        "suppression": 0,
    }
    mark = "`" if place.name == "spark" else '"'
    met = " OR ".join(f"{mark}{each}{mark} IS DISTINCT FROM '*'" for each in ("age", "sex"))
    said = f"source: 2 of {len(ROWS)} rows have * in every quasi-identifier"
    for told in (kanon_sql.lint(policy, connection=connection), kanon_sql.plan(policy, connection=connection).notes):  # fmt: skip
        (line,) = [each for each in told if each.startswith(said)]
        assert line.endswith(f"leave them out by where: {met}")
    without = {**policy, "source": {"table": name, "where": met}}
    plan = kanon_sql.plan(without, connection=connection)
    assert plan.source_rows == len(KEPT)
    assert not [each for each in plan.notes if "every quasi-identifier" in each]


def test_risk_has_them_in_no_figure(released):
    name, connection = released
    plain = kanon_sql.risk(name, quasi=["age", "sex"], connection=connection)
    assert (plain.rows, plain.prosecutor.highest) == (len(ROWS), 0.5)
    found = kanon_sql.risk(name, quasi=["age", "sex"], release=name, suppressed_label="*", connection=connection)  # fmt: skip
    for each in (found, found.released):
        assert (each.rows, each.classes, each.suppressed_before) == (len(KEPT), 3, 2)
        assert each.prosecutor.highest == pytest.approx(1 / 3)
    assert any(each.startswith("2 rows are in no class") for each in found.warnings)


def test_a_table_of_suppressed_rows_alone_passes_nothing():
    alone = table([("*", "*", "flu")] * 9)
    assert kanon_sql.verify(alone, quasi=["age", "sex"], k=3).passed
    found = kanon_sql.verify(alone, quasi=["age", "sex"], k=3, suppressed_label="*")
    assert (found.passed, found.rows, found.suppressed_before) == (False, 0, 9)
    with pytest.raises(kanon_sql.InputError, match="no rows but suppressed ones"):
        kanon_sql.risk(alone, quasi=["age", "sex"], suppressed_label="*")


def test_a_release_by_a_plan_or_policy_has_its_own_suppressed_rows(tmp_path):
    columns = {"age": {"role": "quasi", "hierarchy": "suppress"}, "sex": {"role": "quasi", "hierarchy": "suppress"}, "ill": {"role": "insensitive"}}  # fmt: skip
    policy = {"version": 1, "source": "t.csv", "entity": "row", "columns": columns, "privacy": {"k": 2}}  # fmt: skip
    with pytest.raises(kanon_sql.InputError, match="suppressed_label"):
        kanon_sql.risk(table(), policy=policy, suppressed_label="*")
