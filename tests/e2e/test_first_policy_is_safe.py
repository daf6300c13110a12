"""What `init` proposes for tables in which a release could be worse than it says, and what its query does to values."""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pytest
import yaml

WORDS = ("unknown", "n/a ", "", "  ", "?")


def proposed(lab, header, rows, name="t.csv"):
    lab.write(name, "".join(",".join(map(str, row)) + "\n" for row in (header, *rows)))
    text = lab.done("init", name, "-o", "-")
    return text, yaml.safe_load(text)


def cleaned(lab, policy, columns, name="t.csv"):
    query = policy["source"]["query"].replace(f"'{name}'", f"'{lab.folder / name}'")
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT {columns} FROM ({query})").fetchall()


# ---- keys of people ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "school_student_id", "job_applicant_id", "patient_identifier", "medical_record_number", "MRN_number", "pat_id",
        "bene_id", "national_id", "user_email", "Person-UID", "id_patient", "idPatient", "taxpayer_no",
    ],
)  # fmt: skip
def test_a_key_is_found_by_any_usual_name(lab, name):
    rows = [(f"p{i % 40}", 20 + i % 40, i % 7) for i in range(400)]
    assert proposed(lab, (name, "age", "ward"), rows)[1]["entity"] == name


def test_a_person_with_several_addresses_is_counted_by_another_key(lab):
    rows = [(f"p{i % 40}@{i % 3}", f"p{i % 40}", 20 + i % 40, i % 7) for i in range(400)]
    header = ("email", "patient_id", "age", "ward")
    assert proposed(lab, header, rows)[1]["entity"] == "patient_id"


def test_a_person_whose_key_has_two_spellings_is_counted_once(lab):
    rows = [(f"{'Pp'[i // 1500 % 2]}{i % 1500}", 20 + i % 40, i % 7) for i in range(4500)]
    text, policy = proposed(lab, ("mrn", "age", "ward"), rows)
    assert "3,000 spellings are 1,500 values in one case" in text
    assert len(set(cleaned(lab, policy, "mrn"))) == 1500


def test_repeated_values_beside_counted_rows_are_named(lab):
    rows = [(i % 50, i % 9, f"19{50 + i % 47}-01-01", f"{i % 90:09}") for i in range(900)]
    header = ("patient_no", "clinic", "birth_date", "phone")
    text, policy = proposed(lab, header, rows)
    assert policy["entity"] == "row"  # a number of each clinic is of several people
    assert "(values of patient_no, phone are in several rows)" in text
    rows = [(i, i % 9) for i in range(90)]
    assert "in several rows" not in proposed(lab, ("patient_no", "clinic"), rows)[0]


# ---- columns that lead back --------------------------------------------------------------


def test_what_is_unique_or_not_looked_into_is_not_kept(lab):
    with duckdb.connect(str(lab.folder / "odd.duckdb")) as connection:
        connection.execute(
            """CREATE TABLE odd AS SELECT i % 40 AS age, {'name': 'n' || i} AS pair, [i] AS several, 'x'::BLOB AS photo,
                 ('{"ssn": ' || i || '}')::JSON AS document, i AS treatment_id, 'text ' || i AS result,
                 30000 + i * 1.01 AS salary, 'D' || i % 9 AS diagnosis FROM range(400) AS r(i)"""
        )
    policy = yaml.safe_load(lab.done("init", "odd.duckdb", "-o", "-"))
    dropped = {name for name, entry in policy["columns"].items() if entry["role"] == "identifying"}
    assert dropped == {"pair", "several", "photo", "document", "treatment_id", "result"}
    for name, about in (("salary", "money"), ("diagnosis", "health")):
        why = f"its name suggests a sensitive attribute: {about}"
        assert policy["columns"][name] == {"role": "sensitive", "why": why}


def test_a_number_far_from_the_others_bounds_no_class(lab):
    rows = [(20 + i % 60 if i else 123454321, i % 3) for i in range(600)]
    policy = proposed(lab, ("age", "ward"), rows)[1]
    lab.write("far.yml", yaml.safe_dump(policy))
    said = lab.done("anonymize", "far.yml")
    with duckdb.connect() as connection:
        ages = connection.execute(f"SELECT age FROM '{lab.folder / 'release.parquet'}'").fetchall()
    assert len({age for (age,) in ages}) > 5
    assert not any("12345" in text for text in (said, *map(str, ages)))


# ---- what the query does -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_codes_are_cleaned_as_their_comment_says(lab, seed):
    draw = random.Random(seed)
    odd = [*WORDS, "2139", "2139 ", "213", "021391234", "02139-1234", "02139  ", " 02139", "x2139"]
    zips = [f"{draw.randrange(2000):05}" for _ in range(900)] + draw.choices(
        draw.sample(odd, k=7), k=60
    )
    text, policy = proposed(lab, ("n", "zip"), [(i, f'"{each}"') for i, each in enumerate(zips)])

    def clean(each):
        digits = each.strip(" ")
        return digits.zfill(5) if digits.isdigit() and len(digits) in {4, 5} else None

    found = dict(cleaned(lab, policy, "n, zip"))
    assert found == {str(i): clean(each) for i, each in enumerate(zips)}
    line = next(line for line in text.splitlines() if line.startswith("#   zip:"))
    parts = line.removeprefix("#   zip: ").replace("; ", ", ").split(", ")
    told = Counter()
    for part in parts:
        told["null" if "NULL" in part else "kept"] += int(part.split()[0])
    nulls = sum(clean(each) is None for each in zips)
    assert (told["null"], told["kept"]) == (nulls, len(zips) - nulls)
