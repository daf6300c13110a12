"""Types of released texts: no suppressed row decides them, and whole numbers with NULL stay whole in a frame."""

from __future__ import annotations

import csv

import duckdb
import pandas as pd
import pytest

import kanon_sql
from kanon_sql.recoding.planning import make_plan

AGES = [age for age in (20, 30, 40) for _ in range(8)]
ALONE = 77
"""The age of one row, which is suppressed."""


@pytest.fixture
def policy(tmp_path):
    def made(days, release="out.parquet"):
        rows = zip([*AGES, ALONE], days, strict=True)
        with (tmp_path / "rows.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("age", "days"), *rows])
        return {
            "version": 1,
            "source": str(tmp_path / "rows.csv"),
            "entity": "row",
            "columns": {
                "age": {"role": "quasi", "hierarchy": "suppress"},
                "days": {"role": "insensitive"},
            },
            "privacy": {"k": 4},
            "suppression": "10%",
            "search": {"algorithm": "optimal"},
            "release": str(tmp_path / release),
        }

    return made


def column(path, name="days"):
    described = duckdb.execute("DESCRIBE FROM read_parquet(?)", [str(path)]).fetchall()
    return next(kind for own, kind, *_ in described if own == name)


@pytest.mark.parametrize(
    ("released", "suppressed", "due"),
    [("1", "none", "BIGINT"), ("1", "2.50", "BIGINT"), ("1.5", "2", "DECIMAL(18,1)"), ("x", "1", "VARCHAR")],
)  # fmt: skip
def test_a_suppressed_row_decides_no_type(policy, tmp_path, released, suppressed, due):
    asked = policy([released] * len(AGES) + [suppressed])
    plan = kanon_sql.plan(asked)
    assert plan.suppressed_rows == 1
    made = kanon_sql.apply(plan, policy=asked)
    assert made.verification.rows == len(AGES)
    assert column(tmp_path / "out.parquet") == due
    script = kanon_sql.compile_sql(plan, policy={**asked, "release": "shown"})
    with duckdb.connect() as connection:
        connection.execute(script)
        kinds = dict(row[:2] for row in connection.execute("DESCRIBE shown").fetchall())
    assert kinds["days"] == due


def test_anonymize_finds_the_types_of_a_plan_in_the_rows_that_it_stages(
    policy, tmp_path, monkeypatch
):
    asked = policy(["1"] * len(AGES) + ["none"])
    due = kanon_sql.plan(asked).types

    def stage_again(*_):
        raise AssertionError("the rows are staged once more")

    monkeypatch.setattr(make_plan, "_released_texts", stage_again)
    made = kanon_sql.anonymize(asked)
    assert made.plan.types == due != {}
    assert column(tmp_path / "out.parquet") == "BIGINT"


def test_whole_numbers_with_null_are_whole_in_a_frame_and_fit_their_plan(policy):
    asked = {**policy(["", *map(str, range(len(AGES)))]), "suppression": "50%"}
    asked["columns"]["days"] = {"role": "sensitive"}
    asked["source"] = {"path": asked["source"], "missing": [""]}
    del asked["release"]
    plan = kanon_sql.plan(asked)
    with kanon_sql.apply(plan, policy=asked) as release:
        frame = release.to_pandas()
    assert str(frame["days"].dtype) == "Int64"
    assert frame["days"].isna().sum() == 1
    assert sorted(frame["days"].dropna()) == list(range(len(AGES) - 1))
    again = kanon_sql.quality(frame, plan=plan, policy=asked)
    assert again.released_rows == len(AGES)


def test_a_frame_keeps_whole_numbers_of_any_size():
    frame = pd.DataFrame(
        {"age": [1, 1, 1, 1], "n": pd.array([2**62 + 1, None, 3, 4], dtype="Int64")}
    )
    policy = {
        "version": 1,
        "source": "given",
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": "suppress"},
            "n": {"role": "insensitive"},
        },
        "privacy": {"k": 2},
    }
    released = kanon_sql.anonymize(policy, frame).to_pandas()
    assert released["n"].dropna().max() == 2**62 + 1


def test_types_are_asked_for_where_rows_are_released_and_nowhere_else(policy, tmp_path):
    asked = policy(["1"] * (len(AGES) + 1))
    plan = kanon_sql.plan(asked)
    assert plan.types
    kanon_sql.apply(plan, policy=asked)
    policy(["x"] + ["1"] * len(AGES))  # the source changes in a column of a type
    out = str(tmp_path / "out.parquet")
    key = kanon_sql.labels(out, plan=plan, policy=asked)
    assert key.labels == {"age": 3}
    with pytest.raises(kanon_sql.StalePlanError, match="1 of 24 rows have a value that is not"):
        kanon_sql.apply(plan, policy=asked, to_new_rows=True, replace=True)
    assert column(out) == "BIGINT"


def test_a_type_that_is_none_is_told_those_that_are():
    with pytest.raises(kanon_sql.InputError, match="is no type; write one of: BIGINT; DOUBLE;"):
        kanon_sql.Plan.from_yaml(
            kanon_sql.plan(
                {
                    "version": 1,
                    "source": "given",
                    "entity": "row",
                    "columns": {"age": {"role": "quasi", "hierarchy": "suppress"}},
                    "privacy": {"k": 1},
                },
                pd.DataFrame({"age": [1, 2]}),
            ).to_yaml()
            + "types: {age: NUMBER}\n",
            "plan",
        )
