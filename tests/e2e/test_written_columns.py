"""Dates, numbers and missing values as people write them: what `init` writes, and what is refused."""

from __future__ import annotations

import csv
import datetime as dt
import random

import pandas as pd
import pytest
import yaml

import kanon_sql
from benchmarks import dirty
from kanon_sql.apps.getting_started.first_policy import first_policy, inspect_source
from kanon_sql.apps.getting_started.propose_columns import Answers
from kanon_sql.errors import InputError

SEEDS = range(36_400, 36_424)


@pytest.fixture(scope="module")
def on_duckdb(tmp_path_factory):
    with dirty.started("duckdb", tmp_path_factory.mktemp("duckdb")) as place:
        yield place


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_dirty_table_is_read_as_what_it_is(seed, on_duckdb, tmp_path):
    faults, ratio = dirty.check(seed, on_duckdb, tmp_path)
    assert faults == []
    assert ratio <= dirty.MOST_LOSS


def written(folder, **columns):
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return str(folder / "people.csv")


def days(many, *, year=1936):
    lot = random.Random(7)
    return [dt.date(year, 1, 1) + dt.timedelta(lot.randrange(20_000)) for _ in range(many)]


def entry(text, name):
    (line,) = [line for line in text.splitlines() if line.strip().startswith(f"{name}:")]
    return yaml.safe_load(text)["columns"][name], line


@pytest.mark.parametrize("clock", [" 00:00:00+00:00", "T00:00:00+00:00", " 00:00:00+00"])
def test_a_day_that_stands_for_an_unknown_one_is_read_at_midnight_of_any_zone(clock):
    born = [f"{each}{clock}" for each in days(300)]
    born[::30] = [f"9999-12-31{clock}"] * 10
    frame = pd.DataFrame({'birth "date': born, "sex": ["f", "m"] * 150})
    found = inspect_source(frame)
    assert found.missing['birth "date'].rows == 10
    assert found.missing['birth "date'].texts == (f"9999-12-31{clock}",)


@pytest.mark.parametrize(
    ("pattern", "unknown"), [("%Y%m%d", "99991231"), ("%d%m%Y", "31129999"), ("%Y-%m", "9999-12")]
)
@pytest.mark.parametrize("every", [10, 3])
def test_a_column_is_one_of_dates_however_often_it_says_a_day_of_9999(pattern, unknown, every):
    seen = [each.strftime(pattern) for each in days(300)]
    seen[::every] = [unknown] * len(seen[::every])
    found = inspect_source(pd.DataFrame({"visited_on": seen, "sex": ["f", "m"] * 150}))
    assert found.missing["visited_on"].texts == (unknown,)
    read, _ = entry(found.policy(Answers(known=("visited_on", "sex"))), "visited_on")
    assert read["format"] == pattern
    assert "dates" in read["hierarchy"]


def test_what_no_format_reads_is_null_with_its_count_and_a_code_for_missing_is_named(tmp_path):
    births = [each.strftime("%d.%m.%Y") for each in days(400)]
    births[:3] = ["31.02.1962", "see file", "31.02.1970"]
    births[3:9] = ["01.01.1900"] * 6
    ages = [str(18 + n % 60) for n in range(400)]
    ages[::20] = ["999"] * 20
    text = first_policy(written(tmp_path, birth_date=births, age=ages, ward=["a", "b"] * 200))
    found, line = entry(text, "birth_date")
    assert found["format"] == "%d.%m.%Y"
    assert "unparsed: null" in line
    assert found["missing"] == ["01.01.1900"]
    assert "6 of 400 rows say 01.01.1900: read as NULL" in line
    assert "391 of 394 rows are days as %d.%m.%Y writes them; 3 are not, and become NULL" in line
    assert "1962" not in line
    assert "see file" not in text
    found, line = entry(text, "age")
    assert found["missing"] == [999]
    assert "20 of 400 rows say 999: read as NULL" in line


def test_a_value_that_is_near_to_the_others_is_no_code(tmp_path):
    ages = [str(18 + n % 82) for n in range(410)]  # 99 is an age among others
    children = [str(n % 10) for n in range(410)]
    text = first_policy(written(tmp_path, age=ages, children=children, ward=["a", "b"] * 205))
    assert "missing" not in text


def test_a_year_of_two_digits_is_none_that_is_to_come(tmp_path):
    births = [each.strftime("%d.%m.%y") for each in days(400)]
    text = first_policy(written(tmp_path, birth_date=births, ward=["a", "b"] * 200))
    found, line = entry(text, "birth_date")
    latest = dt.datetime.now(dt.UTC).year
    assert found["format"] == {"dates": ["%d.%m.%y"], "latest": latest}
    assert f"with years of two digits up to {latest}" in line


def test_an_answer_for_texts_that_leave_nothing_open_is_refused(tmp_path):
    source = written(
        tmp_path,
        birth_date=[each.strftime("%d.%m.%Y") for each in days(400)],
        seen=[f"{1 + n % 12:02}/{1 + n % 11:02}/2020" for n in range(400)],
    )
    with pytest.raises(InputError, match="say seen=day_first or month_first"):
        first_policy(source, answers=Answers(read=(("seen", "thousands"),)))
    with pytest.raises(InputError, match="its texts leave nothing open"):
        first_policy(source, answers=Answers(read=(("birth_date", "day_first"),)))


def test_a_code_of_another_shape_is_no_null_where_the_release_keeps_it(tmp_path):
    wards = ["A17", *(str(100 + n % 41) for n in range(799))]
    source = written(tmp_path, ward=wards, sex=["a", "b"] * 400)
    _, kept = entry(first_policy(source, answers=Answers(sensitive=("ward",))), "ward")
    assert "NULL" not in kept
    _, read = entry(first_policy(source, answers=Answers(known=("ward",))), "ward")
    assert "1 are not, and become NULL" in read


def test_codes_with_a_few_numbers_among_letters_are_no_numbers(tmp_path):
    codes = [f"{n % 90}.{n % 9}" for n in range(400)]
    codes[::25] = [f"V{n % 9}0.1" for n in range(16)]
    text = first_policy(written(tmp_path, code=codes, ward=["a", "b"] * 200))
    assert "format" not in text
    assert "missing" not in text


def test_a_frame_with_roles_is_read_as_it_is_written():
    births = [each.strftime("%d.%m.%Y") for each in days(400)]
    births[:5] = ["NA"] * 5
    amounts = [f"{1000 + n * 37:,}.50".translate(str.maketrans(",.", ".,")) for n in range(400)]
    frame = pd.DataFrame({"birth_date": births, "amount": amounts, "sex": ["f", "m"] * 200})
    released = kanon_sql.anonymize(frame, quasi=["birth_date", "amount", "sex"], k=5)
    labels = set(released.to_pandas()["birth_date"])
    assert labels & {str(year) for year in range(1936, 1992)} | {
        label for label in labels if str(label).endswith("s")
    }
    assert any("[" in str(label) for label in set(released.to_pandas()["amount"]))
