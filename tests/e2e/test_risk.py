"""`kanon-sql risk`: its JSON, known answers, warnings and errors; no output has a value of the data."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
import yaml

import kanon_sql
from kanon_sql.errors import InputError

pytestmark = pytest.mark.sampled(3)

ADULT = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "adult" / "adult.csv"
KEYS = {"highest", "average", "above"}
POPULATION = {"a1": 3, "a2": 6, "b1": 4, "b2": 7}
SAMPLE = {"a1": 2, "a2": 2, "b1": 2}
"""The constructed example of a sample and its population that the formulas were checked by."""


def csv(counts):
    return "q\n" + "".join(f"{value}\n" * many for value, many in counts.items())


def told(lab, *arguments):
    return json.loads(lab.done("risk", *arguments, "--json"))


def test_json_has_the_figures_of_three_attackers(lab):
    lab.write("sample.csv", csv(SAMPLE))
    lab.write("population.csv", csv(POPULATION))
    found = told(lab, "sample.csv", "--quasi", "q", "--population", "population.csv")
    assert {"rows", "classes", "unique_rows", "prosecutor", "journalist", "marketer"} <= set(found)
    assert (found["status"], found["rows"], found["classes"], found["unique_rows"]) == (
        "ok",
        6,
        3,
        0,
    )
    for name, highest, average in (
        ("prosecutor", 1 / 2, 3 / 6),
        ("journalist", 1 / 3, 1 / 4),
        ("marketer", 1 / 3, 1 / 4),
    ):
        assert set(found[name]) == KEYS
        assert found[name]["highest"] == pytest.approx(highest)
        assert found[name]["average"] == pytest.approx(average)
    assert found["prosecutor"]["above"]["0.5"] == 0
    assert found["journalist"]["above"] == {
        "0.05": 1, "0.09": 1, "0.1": 1, "0.2": pytest.approx(4 / 6), "0.33": pytest.approx(2 / 6), "0.5": 0,
    }  # fmt: skip
    assert (found["population_rows"], found["missed_rows"], found["warnings"]) == (20, 0, [])


def test_without_a_population_the_table_is_taken_for_it(lab):
    lab.write("sample.csv", csv(SAMPLE))
    found = told(lab, "sample.csv", "--quasi", "q")
    assert found["journalist"] == found["prosecutor"] == found["marketer"]
    assert "the table is taken for the population" in lab.done("risk", "sample.csv", "--quasi", "q")


def test_a_threshold_is_exact(lab):
    lab.write("thirds.csv", csv({"a": 3, "b": 10, "c": 4}))
    options = [word for t in ("1/3", "0.333", "0.1", "1e-1") for word in ("--threshold", t)]
    above = told(lab, "thirds.csv", "--quasi", "q", *options)["prosecutor"]["above"]
    assert above == {"1/3": 0, "0.333": 3 / 17, "0.1": 7 / 17, "1e-1": 7 / 17}


@pytest.mark.skipif(not ADULT.is_file(), reason="Adult is not beside this repository")
def test_adult_has_the_figures_of_arx():
    with ADULT.open(encoding="utf-8") as file:
        names = file.readline().strip().split(";")
        rows = [line.strip().split(";") for line in file]
    adult = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    found = kanon_sql.risk(adult, quasi=names, sampling=0.1)
    assert (found.rows, found.classes, found.unique_rows) == (30_162, 19_502, 15_512)
    assert found.prosecutor.average == pytest.approx(0.64657516)
    assert found.population_uniques.pitman == pytest.approx(0.27685, abs=5e-6)
    assert found.population_uniques.zayatz == pytest.approx(0.32074, abs=5e-6)


VISITS = "person,zip\n" + "".join(f"p{n},7391{n // 3}\np{n},73912{n % 2}\n" * 2 for n in range(6))
"""Six persons with four rows each: every class has three of them, and two persons a set of rows of their own."""


def test_rows_are_warned_not_to_be_people(lab):
    lab.write("visits.csv", VISITS)
    found = told(lab, "visits.csv", "--quasi", "zip", "--entity", "person")
    highest = [
        each["prosecutor"]["highest"] for each in (found, found["entity"], found["signature"])
    ]
    assert highest == [pytest.approx(1 / 6), pytest.approx(1 / 3), 1]
    assert (found["signature"]["classes"], found["signature"]["unique_rows"]) == (4, 8)
    (warning,) = found["warnings"]
    assert warning.startswith("rows are not people")
    printed = lab.done("risk", "visits.csv", "--quasi", "zip", "--entity", "person")
    assert f"warning: {warning}" in printed


def test_one_row_a_person_warns_of_nothing(lab):
    found = told(lab, "people.csv", "--quasi", "sex,age", "--entity", "name")
    assert found["warnings"] == []
    assert found["entity"]["prosecutor"] == found["prosecutor"] == found["signature"]["prosecutor"]


def test_a_release_is_compared_with_its_table(lab):
    policy = lab.policy({"name": {"role": "identifying", "action": "drop"}}, suppression="50%")
    lab.done("anonymize", policy)
    found = told(
        lab,
        "people.csv",
        "--quasi",
        "zip,sex,age",
        "--release",
        "release.parquet",
        "--entity",
        "name",
    )
    after = found["released"]
    assert after["prosecutor"]["highest"] <= 1 / 3 < found["prosecutor"]["highest"]
    assert after["rows"] <= found["rows"]
    assert "entity" not in after, "a release without the column of persons is counted by rows"
    printed = lab.done(
        "risk", "people.csv", "--quasi", "zip,sex,age", "--release", "release.parquet"
    )
    assert "release: rows" in printed


@pytest.mark.parametrize("changes", [{}, {"entity": "name"}], ids=["rows", "persons"])
def test_a_plan_is_measured_as_the_release_that_it_makes(lab, changes):
    lab.policy(suppression="50%", **changes)
    lab.done("plan", "policy.yml")
    before = lab.files()
    planned = told(lab, "people.csv", "--plan", "policy.plan.yml")
    assert lab.files() == before
    lab.done("apply", "policy.plan.yml")
    entity = ("--entity", "name") if changes else ()
    released = told(
        lab, "people.csv", "--quasi", "zip,sex,age", "--release", "release.parquet", *entity
    )
    persons = [planned["released"].pop(name, None) for name in ("entity", "signature")]
    planned["released"].pop("warnings"), released["released"].pop("warnings")
    assert planned == released
    assert [each is not None for each in persons] == [bool(changes)] * 2
    if changes:
        assert persons[0]["prosecutor"]["highest"] <= 1 / 3


@pytest.mark.parametrize("changes", [{}, {"entity": "name"}], ids=["rows", "persons"])
def test_a_policy_is_measured_as_its_plan(lab, changes):
    lab.policy(suppression="50%", **changes)
    before = lab.files()
    planned = told(lab, "--policy", "policy.yml")
    assert lab.files() == before
    lab.done("plan", "policy.yml")
    assert planned == told(lab, "--plan", "policy.plan.yml")
    lab.write(
        "half.csv", "\n".join((lab.folder / "people.csv").read_text().split("\n")[:21]) + "\n"
    )
    assert told(lab, "half.csv", "--policy", "policy.yml")["rows"] == 20


def test_a_policy_names_the_columns_of_its_release(lab):
    bounds = {"hierarchy": {"intervals": [5, 10]}, "output": "bounds"}
    lab.policy({"age": {"role": "quasi", **bounds}}, suppression="50%")
    lab.done("anonymize", "policy.yml")
    found = told(lab, "--policy", "policy.yml", "--release", "release.parquet")
    names = duckdb.read_parquet(str(lab.folder / "release.parquet")).columns
    assert found["qi"] == ["zip", "sex", "age"]
    assert found["released"]["qi"] == [name for name in names if name != "disease"]
    plain = told(lab, "people.csv", "--quasi", "zip,sex,age")
    assert plain["prosecutor"] == found["prosecutor"]
    planned = told(lab, "--policy", "policy.yml")["released"]
    assert found["released"]["prosecutor"] == planned["prosecutor"]
    lab.refused("risk", "--policy", "policy.yml", "--release", "people.csv")


def test_a_policy_that_nothing_satisfies_is_one_error(lab):
    lab.policy(privacy={"k": 3, "distinct_l": {"column": "disease", "l": 6}}, suppression=0)
    lab.refused("risk", "--policy", "policy.yml", code=3)
    for words in (
        (),
        ("--policy", "policy.yml", "--quasi", "zip"),
        ("--policy", "policy.yml", "--entity", "name"),
    ):
        assert lab.run("risk", *words).exit_code == 2


def test_a_plan_that_does_not_fit_is_refused(lab):
    lab.policy(suppression="50%")
    lab.done("plan", "policy.yml")
    lab.write(
        "other.csv",
        (lab.folder / "people.csv").read_text(encoding="utf-8") + "Canary-x,73911,canary-m,9,\n",
    )
    lab.refused("risk", "other.csv", "--plan", "policy.plan.yml")
    assert (
        lab.run("risk", "people.csv", "--plan", "policy.plan.yml", "--quasi", "zip").exit_code == 2
    )
    with pytest.raises(InputError) as refused:
        kanon_sql.risk(
            plan=lab.folder / "policy.plan.yml", quasi=["zip"], entity="name", database="x"
        )
    assert [fault.where for fault in refused.value.faults] == ["quasi", "entity", "database"]


def test_without_quasi_identifiers_sets_of_columns_are_listed(lab):
    found = told(lab, "people.csv")
    assert ["name"] in [each["columns"] for each in found["unique"]]
    assert {each["columns"][0] for each in found["columns"]} == {
        "name",
        "zip",
        "sex",
        "age",
        "disease",
    }
    without = told(lab, "people.csv", "--entity", "name", "--most-columns", "4", "--near", "0.5")
    assert all(
        "name" not in each["columns"] for each in (*without["unique"], *without["near_unique"])
    )
    assert "nearly unique" in lab.done("risk", "people.csv", "--near", "0.5")


def test_columns_of_every_scalar_type_are_searched():
    with duckdb.connect() as connection:
        table = connection.sql(
            """SELECT 1.5::DECIMAL(10, 2) * n AS price, DATE '2024-01-01' + n::INTEGER AS day, n % 2 = 0 AS even,
                 'x'::VARCHAR(20) AS constant, uuid() AS id, n / 7.0 AS share, [n] AS several
               FROM range(30) AS r(n)"""
        ).to_arrow_table()
    found = kanon_sql.find_quasi_identifiers(table)
    names = [each.columns[0] for each in found.columns]
    assert names == ["price", "day", "even", "constant", "id", "share"]
    assert {each.columns for each in found.unique} >= {("price",), ("day",), ("id",), ("share",)}
    assert set(found.left_out) == {"several", "constant"}


def test_init_names_the_columns_by_which_rows_are_unique(lab):
    rows = "".join(f"{n % 7},{n // 7},{n % 2},canary-{n}\n" for n in range(49))
    lab.write("sevens.csv", f"age,zip,sex,name\n{rows}")
    policy = lab.done("init", "sevens.csv", "-o", "-")
    assert "unique by these columns" in policy
    assert "#   age, zip: 100% of the rows are unique" in policy
    assert "#   zip, sex" not in policy
    lab.write("same.csv", "age,zip\n" + "1,2\n" * 50)
    assert "unique by these columns" not in lab.done("init", "same.csv", "-o", "-")


def test_init_proposes_what_rows_are_unique_by(lab, monkeypatch):
    rows = "".join(f"{n % 50},{(n * 7919) % 1201},{n % 3},canary-{n % 2}\n" for n in range(2000))
    lab.write("measured.csv", f"age,steps,sex,disease\n{rows}")
    known = ("--known", "age,steps,sex")
    policy = lab.done("init", "measured.csv", *known, "-o", "-")
    columns = yaml.safe_load(policy)["columns"]
    assert columns["steps"]["role"] == "quasi"
    assert "intervals" in columns["steps"]["hierarchy"]
    assert columns["disease"] == {
        "role": "sensitive",
        "why": "its name suggests a sensitive attribute: health",
    }
    (line,) = [line for line in policy.splitlines() if line.startswith("  steps:")]
    assert line.split("}}  # ")[1].startswith(
        "you name it as what could be known (why: says the reason "
    )
    assert "; 100% of the rows are unique by it with " in line
    lab.write("policy.yml", policy)
    lab.done("lint", "policy.yml")
    monkeypatch.setattr("kanon_sql.evidence.attacks.column_sets.LOOKED_AT", 500)
    sampled = lab.done("init", "measured.csv", *known, "-o", "-")
    assert "100% of a sample of 500 rows are unique by it with " in sampled
    assert "of the rows are unique" not in sampled
    lab.write(
        "alone.csv", "steps,sex\n" + "".join(f"{(n * 7919) % 1201},{n % 2}\n" for n in range(2000))
    )
    alone = yaml.safe_load(lab.done("init", "alone.csv", "-o", "-"))["columns"]
    assert alone["sex"]["role"] == "quasi"


COMMANDS = (
    ("risk", "people.csv"),
    ("risk", "people.csv", "--json"),
    ("risk", "people.csv", "--quasi", "zip,sex,disease", "--entity", "name", "--sampling", "0.1"),
    ("risk", "people.csv", "--quasi", "zip,sex,disease", "--population", "people.csv", "--json"),
    ("risk", "people.csv", "--quasi", "zip", "--release", "people.csv", "--threshold", "1/3"),
    ("init", "people.csv", "-o", "-"),
)
REFUSED = (
    ("people.csv", "--quasi", "zip,sexx"),
    ("people.csv", "--quasi", "zip", "--entity", "who"),
    ("people.csv", "--quasi", "zip", "--population", "none.csv"),
    ("gaps.csv", "--quasi", "zip", "--entity", "who"),
    ("people.csv", "--quasi", "zip", "--sampling", "1.5"),
    ("people.csv", "--quasi", "zip", "--threshold", "none"),
    ("people.csv", "--quasi", "zip", "--threshold", "1/0"),
    ("header.csv", "--quasi", "zip"),
    ("header.csv",),
    ("people.csv", "--near", "0"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_output_has_a_value_of_the_data(lab, words):
    printed = lab.done(*words)
    assert "anary" not in printed
    assert "7391" not in printed


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_cannot_be_measured_is_one_error(lab, words):
    lab.write("gaps.csv", "zip,who\n73911,canary\n73912,\n")
    lab.write("header.csv", "zip,who\n")
    lab.refused("risk", *words)


def test_options_of_quasi_identifiers_need_them(lab):
    done = lab.run("risk", "people.csv", "--sampling", "0.1")
    assert done.exit_code == 2
    assert "--quasi" in done.output


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"quasi": []}, "quasi"),
        ({"quasi": ["q"], "thresholds": [2]}, "thresholds"),
        ({"quasi": ["q"], "thresholds": []}, "thresholds"),
        ({"quasi": ["q"], "sampling": 0.0}, "sampling"),
        ({"quasi": [None]}, "quasi"),
    ],
)
def test_wrong_arguments_are_faults(arguments, where):
    with pytest.raises(InputError) as refused:
        kanon_sql.risk(pa.table({"q": ["a"]}), **arguments)
    assert [fault.where for fault in refused.value.faults] == [where]


def test_thresholds_may_be_numbers():
    found = kanon_sql.risk(pa.table({"q": ["a", "a", "b"]}), quasi=["q"], thresholds=[0.5, 1])
    assert found.prosecutor.above == {"0.5": pytest.approx(1 / 3), "1": 0}
