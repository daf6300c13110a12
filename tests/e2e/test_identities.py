"""What tells people apart is said: keys of a person where rows are counted, values that are unique."""

from __future__ import annotations

import json
import random
import re
from collections import Counter

import duckdb
import pytest
import yaml

import kanon_sql
from kanon_sql.counting.source import exposed_rows

COLUMNS = {
    "mrn": {"role": "identifying", "action": "drop"},
    "visit_id": {"role": "insensitive"},
    "admitted": {"role": "sensitive"},
    "born": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}},
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "disease": {"role": "sensitive"},
}


def visits(people=200, *, key="mrn"):
    """Rows of people with one to three visits each, and the columns' names."""
    drawn = random.Random(10)
    rows = []
    for person in range(people):
        born, sex = f"{drawn.randrange(1950, 1990)}-0{drawn.randrange(1, 9)}-11", drawn.choice("fm")
        for _ in range(drawn.randrange(1, 4)):
            at = f"2024-01-01 {len(rows) // 60 % 24:02}:{len(rows) % 60:02}:00"
            rows.append((f"p{person}", len(rows), at, born, sex, f"d{drawn.randrange(3)}"))
    return [key, *list(COLUMNS)[1:]], rows


def csv(names, rows):
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"


def policy(lab, **changes):
    given = {"source": "visits.csv", "privacy": {"k": 2}, "suppression": "50%", **changes}
    return lab.policy({**dict.fromkeys(["name", "zip", "age"]), **COLUMNS}, **given)


def told(lab, command):
    return json.loads(lab.done(command, "policy.yml", "--json").splitlines()[-1])["warnings"]


@pytest.mark.parametrize("command", ["lint", "plan"])
def test_a_key_of_a_person_and_unique_columns_are_warned_of_with_their_counts(lab, command):
    names, rows = visits()
    lab.write("visits.csv", csv(names, rows))
    policy(lab)
    times = Counter(row[0] for row in rows)
    several = sum(n > 1 for n in times.values())
    warned = told(lab, command)
    (entity,) = [w for w in warned if w.startswith("entity: row")]
    assert f"{several} of its {len(times)} values are in several of {len(rows)} rows" in entity
    assert "write entity: mrn" in entity
    at = {w.partition(":")[0]: w for w in warned if w.startswith("columns.")}
    unique = sum(n == 1 for n in Counter(row[2] for row in rows).values())
    assert set(at) == {"columns.visit_id", "columns.admitted"}
    assert f"unique in {len(rows)} of {len(rows)} rows" in at["columns.visit_id"]
    assert f"unique in {unique} of {len(rows)} rows" in at["columns.admitted"]
    policy(lab, entity="mrn")
    assert not any(w.startswith("entity") for w in told(lab, command))


def test_a_key_whose_rows_differ_in_birth_is_no_person_s(lab):
    names, rows = visits()
    rows = [(f"p{n % 50}", *row[1:]) for n, row in enumerate(rows)]
    lab.write("visits.csv", csv(names, rows))
    policy(lab)
    assert not any(w.startswith("entity") for w in told(lab, "lint"))


def test_a_plan_and_lint_say_the_same_of_uniqueness_and_a_part_is_named(monkeypatch):
    source = "SELECT i // 3 AS mrn, CASE WHEN i % 5 < 3 THEN i END AS visit, i % 4 AS q FROM range(200_000) AS t(i)"
    mapping = {
        "version": 1, "source": {"query": source}, "entity": "mrn", "privacy": {"k": 2}, "columns": {
            "mrn": {"role": "identifying", "action": "drop"}, "visit": {"role": "insensitive"},
            "q": {"role": "quasi", "hierarchy": "suppress"},
        },
    }  # fmt: skip

    def of_plan():
        return [w for w in kanon_sql.plan(mapping).warnings if w.startswith("columns.visit")]

    (warned,) = of_plan()
    assert "unique in 120,000 of 200,000 rows:" in warned
    monkeypatch.setattr(exposed_rows, "MOST_ROWS", 50_000)
    (warned,) = of_plan()
    estimate = re.search(
        r"unique in ([\d,]+) of 200,000 rows \(estimated by one of 4 parts", warned
    )
    assert abs(int(estimate[1].replace(",", "")) - 120_000) < 5_000
    (warned,) = kanon_sql.lint(mapping)
    assert "unique in 120,000 of 200,000 rows:" in warned


WAYS_TO_BE_UNIQUE = {
    "half of a column": "CASE WHEN i % 2 = 0 THEN i END AS a, i % 7 AS b, i % 5 AS c",
    "few columns together": "HASH(i) % 90000 AS a, HASH(i, 1) % 90000 AS b, HASH(i + 7) % 80000 AS c",
    "columns that depend on each other": "i // 3 AS a, i // 3 + 7 AS b, i % 3 AS c",
    "all but a few rows": "GREATEST(i, 99) // 3 AS a, -(GREATEST(i, 99) // 3) AS b, GREATEST(i, 99) % 3 AS c",
    "too few together": "i // 4 AS a, i % 4 // 2 AS b, i % 2 * (i // 40000 % 2) AS c",
    "none": "i % 9 AS a, i % 8 AS b, i % 7 AS c",
}


@pytest.mark.parametrize("columns", WAYS_TO_BE_UNIQUE.values(), ids=list(WAYS_TO_BE_UNIQUE))
@pytest.mark.parametrize("is_masked", [False, True])
def test_a_plan_that_looks_at_a_sample_first_says_what_lint_says_of_all_rows(columns, is_masked):
    shown = {"role": "insensitive"}
    if is_masked:
        shown = {"role": "identifying", "action": "round", "to": 1}
    mapping = {
        "version": 1, "entity": "row", "privacy": {"k": 2}, "columns": {
            "a": shown, "b": shown, "c": shown, "q": {"role": "quasi", "hierarchy": "suppress"},
        },
        "source": {"query": f"SELECT i % 4 AS q, {columns} FROM range(200_000) AS t(i)"},
    }  # fmt: skip

    def of(warnings):
        return [each for each in warnings if "links each of them" in each or "they link" in each]

    assert of(kanon_sql.plan(mapping).warnings) == of(kanon_sql.lint(mapping))


@pytest.mark.parametrize("name", ["mrn", "patientId", "who"])
def test_init_counts_people_by_the_key_that_repeats(lab, name):
    names, rows = visits(key=name)
    lab.write("visits.csv", csv(names, rows))
    text = lab.done("init", "visits.csv", "-o", "-")
    first = yaml.safe_load(text)
    assert first["entity"] == name
    own = {"role": "identifying", "action": "drop", "why": "identifies a person"}
    assert first["columns"][name] == own
    assert "born, sex are the same" in text
    lab.write("policy.yml", text)
    assert not any(w.startswith("entity") for w in told(lab, "lint"))


def test_names_in_a_comment_of_the_first_policy_end_no_line(lab):
    names, rows = visits()
    renamed = [{"born": "birth\ndate"}.get(name, name) for name in names]
    lab.write("visits.csv", csv(names, rows))
    listed = ", ".join(f'"{old}" AS "{new}"' for old, new in zip(names, renamed, strict=True))
    file = lab.folder / "visits.csv"
    duckdb.sql(f"SELECT {listed} FROM read_csv('{file}')").write_parquet(
        str(lab.folder / "v.parquet")
    )
    text = lab.done("init", "v.parquet", "-o", "-")
    assert r"birth\ndate, sex are the same" in text
    assert list(yaml.safe_load(text)["columns"]) == renamed


@pytest.mark.parametrize("change", ["each once", "born differs"])
def test_init_counts_rows_where_no_key_repeats(lab, change):
    names, rows = visits()
    if change == "each once":
        rows = list({row[0]: row for row in rows}.values())
    else:
        rows = [(f"p{n % 50}", *row[1:]) for n, row in enumerate(rows)]
    lab.write("visits.csv", csv(names, rows))
    assert yaml.safe_load(lab.done("init", "visits.csv", "-o", "-"))["entity"] == "row"


def test_init_says_why_rows_may_be_suppressed(lab):
    text = lab.done("init", "people.csv", "-o", "-")
    (line,) = [line for line in text.splitlines() if line.startswith("suppression")]
    assert line.startswith("suppression: 1%")
    assert "rare value or NULL" in line


# ---- what init is led to -----------------------------------------------------------------


def test_init_takes_the_one_table_of_a_database_and_a_schema_of_several(lab):
    names, rows = visits()
    lab.write("visits.csv", csv(names, rows))
    file = lab.folder / "clinic.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"CREATE TABLE \"visits 2.csv\" AS FROM '{lab.folder / 'visits.csv'}'")
    lab.done("init", "clinic.duckdb", "-o", "first.yml")
    first = yaml.safe_load((lab.folder / "first.yml").read_text())
    assert (first["source"], first["database"]) == ({"table": "visits 2.csv"}, "clinic.duckdb")
    lab.done("lint", "first.yml")
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE VIEW v AS SELECT 1 AS a")
    lab.done("init", "clinic.duckdb", "-o", "second.yml")
    second = yaml.safe_load((lab.folder / "second.yml").read_text())
    assert (second["version"], [*second["tables"]]) == (2, ["v", "visits 2.csv"])


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("given", ["lake", "./lake", "lake/"])
def test_init_takes_a_folder(lab, kind, given):
    (lab.folder / "lake").mkdir()
    for part in "ab":
        rows = duckdb.read_csv(str(lab.folder / "people.csv"), all_varchar=True)
        write = rows.write_parquet if kind == "parquet" else rows.write_csv
        write(str(lab.folder / "lake" / f"{part}.{kind}"))
    lab.done("init", given, "-o", "first.yml")
    assert "no faults" in lab.done("lint", "first.yml")
    assert "name" in yaml.safe_load((lab.folder / "first.yml").read_text())["columns"]


def test_init_of_a_folder_without_files_is_refused(lab):
    (lab.folder / "lake").mkdir()
    assert "without files of Parquet or CSV" in lab.refused("init", "lake")


def hierarchy(lab, column):
    found = yaml.safe_load(lab.done("init", "people.csv", "-o", "-"))["columns"][column]
    return found.get("hierarchy", {}) if found["role"] == "quasi" else {}


def test_init_takes_no_hierarchy_of_another_dataset(lab):
    lab.write("adult_hierarchy_age.csv", "".join(f"{n};*\n" for n in range(25, 90)))
    assert "csv" not in hierarchy(lab, "age")
    lab.write("hierarchy_age.csv", "".join(f"{n};*\n" for n in range(500, 590)))
    assert "csv" not in hierarchy(lab, "age")
    lab.write("hierarchy_age.csv", "".join(f"{n};*\n" for n in range(20, 90)))
    assert hierarchy(lab, "age") == {"csv": "hierarchy_age.csv"}
    lab.write("people_hierarchy_age.csv", "".join(f"{n};*\n" for n in range(20, 90)))
    assert hierarchy(lab, "age") == {"csv": "people_hierarchy_age.csv"}
