"""`init` finds columns of codes by counting, and columns of phone and account numbers by their form."""

from __future__ import annotations

import random

import pandas as pd
import pyarrow as pa
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.propose_columns import Answers
from tests.codes import CODES

ROWS = 2_000


def table(**columns):
    """A table with a key, and columns of values that are drawn from lists or made by functions."""
    take = random.Random(7)
    made = {
        name: [of(take) if callable(of) else take.choice(of) for _ in range(ROWS)]
        for name, of in columns.items()
    }
    return pa.table(
        {"person_no": range(ROWS), "sex": [take.choice("fm") for _ in range(ROWS)], **made}
    )


def entries(**columns):
    return yaml.safe_load(first_policy(table(**columns)))["columns"]


NAMES = {
    "icd10": "dx", "icd9": "dx_code", "atc": "atc", "nace": "industry", "naics": "naics_code", "isco08": "occupation",
    "soc": "soc", "country": "country", "nuts": "region", "fips": "county", "us_state": "state",
}  # fmt: skip


@pytest.mark.parametrize("scheme", NAMES)
def test_a_column_whose_values_are_codes_is_grouped_by_them(scheme):
    codes = [code for code, labels in CODES[scheme].items() if labels and code == code.strip()]
    name = NAMES[scheme]
    found = entries(**{name: [each.upper() for each in codes]})[name]
    if found["role"] == "sensitive":
        pytest.skip("a sensitive column needs no hierarchy")
    assert found["hierarchy"] == {"code": scheme}


def test_a_column_named_so_with_other_values_is_not(tmp_path):
    found = entries(
        country=["North", "South", "DE"], occupation=["cook", "nurse"], state=["on", "off"]
    )
    assert {each["hierarchy"] if isinstance(each.get("hierarchy"), str) else None for name, each in found.items() if name in {"country", "occupation", "state"}} == {"suppress"}  # fmt: skip


def test_values_that_fit_under_a_name_that_does_not_are_no_codes():
    found = entries(ward=["A10", "B20", "C30", "D40"])
    assert "code" not in found["ward"].get("hierarchy", {})


def test_phone_and_account_numbers_are_dropped_by_their_form():
    found = entries(
        mobile=lambda take: f"+49 {take.randint(150, 179)} {take.randint(10**6, 10**7 - 1)}",
        contact=lambda take: f"({take.randint(200, 999)}) {take.randint(200, 999)}-{take.randint(1000, 9999)}",
        konto=lambda take: f"DE{take.randint(10, 99)} " + " ".join(str(take.randint(1000, 9999)) for _ in range(4)) + " 12",
        area=lambda take: f"{take.randint(10**4, 10**5 - 1)}-{take.randint(1000, 1009)}",
        day=lambda take: f"2024-0{take.randint(1, 9)}-{take.randint(10, 28)}",
    )  # fmt: skip
    for name in ("mobile", "contact", "konto"):
        assert (found[name]["role"], found[name]["action"]) == ("identifying", "drop")
        assert "form of" in found[name]["why"]
    assert found["day"]["role"] == "quasi"


def test_ages_above_89_are_one_label_and_coordinates_a_grid():
    found = entries(
        age=lambda take: take.randint(18, 101), latitude=lambda take: round(take.uniform(47, 55), 3)
    )
    assert found["age"]["hierarchy"]["intervals"]["top"] == 90
    assert found["latitude"] == {
        **found["latitude"],
        "role": "quasi",
        "hierarchy": {"intervals": [0.01, 0.1, 1, 10]},
    }
    young = entries(age=lambda take: take.randint(18, 80))
    assert "top" not in str(young["age"]["hierarchy"])


def test_the_proposed_policy_is_carried_out():
    codes = [code for code, labels in CODES["icd10"].items() if labels]
    people = table(dx=codes, country=["DE", "FRA", "Brazil"], age=lambda take: take.randint(1, 99))
    policy = yaml.safe_load(first_policy(people))
    policy.pop("source", None)
    released = kanon_sql.anonymize(
        {**policy, "release": None}
        if False
        else {k: v for k, v in policy.items() if k != "release"},
        people,
    )
    assert released.verification.passed


def test_short_numbers_of_a_list_of_their_own_are_no_codes():
    found = entries(occupation=list(range(1, 10)), industry=list(range(10, 34)))
    assert "code" not in str(found["occupation"].get("hierarchy"))
    assert "code" not in str(found["industry"].get("hierarchy"))


def test_values_of_which_a_few_are_no_codes_are_counted_in_a_comment():
    take = ["01.11", "10.51", "47.11", "86.10"] * 5 + ["none such"]
    text = first_policy(table(nace=take, letter=["a", "b"]))
    (line,) = (each for each in text.splitlines() if each.startswith("  nace:"))
    assert "hierarchy: suppress" in line
    assert "rows are codes: clean the others, and say {code: nace}" in line


# ---- postal codes, and words for a missing value -----------------------------------------


POSTAL = [
    ("PLZ", "k.A."),
    ("Postleitzahl", "keine Angabe"),
    ("code_postal", "non renseigné"),
    ("codigo postal", "sin datos"),
    ("CAP", "sconosciuto"),
    ("CEP", "não informado"),
    ("postcode", "onbekend"),
    ("zip_code", "n/a"),
]


def table_of_codes(folder, name, word, codes):
    lines = [f"{name};age;disease"]
    for n in range(600):
        code = word if n % 40 == 7 else codes[n % len(codes)]
        lines.append(f"{code};{20 + n % 60};{'flu' if n % 3 else 'gout'}")
    (folder / "codes.csv").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(("name", "word"), POSTAL)
def test_postal_codes_beside_a_word_are_codes_whose_first_digits_are_regions(lab, name, word):
    table_of_codes(lab.folder, name, word, [f"{37000 + n}" for n in range(90)])
    lab.done("init", "codes.csv", "-o", "codes.yml", "--for", "records")
    entry = yaml.safe_load((lab.folder / "codes.yml").read_text(encoding="utf-8"))["columns"][name]
    assert entry["role"] == "quasi"
    assert entry["hierarchy"] == {"mask": 5}
    assert entry["missing"] == [word]
    assert "format" not in entry


def test_a_postal_code_is_no_number_whatever_stands_beside_it(lab):
    table_of_codes(lab.folder, "PLZ", "Ausland", [f"{37000 + n}" for n in range(90)])
    lab.done("init", "codes.csv", "-o", "codes.yml")
    text = (lab.folder / "codes.yml").read_text(encoding="utf-8")
    hierarchy = yaml.safe_load(text)["columns"]["PLZ"]["hierarchy"]
    assert hierarchy in ({"mask": 5}, {"mask": {"length": 7, "steps": [3, 4, 5, 6]}})
    assert "Ausland" not in text


def test_numbers_that_are_postal_codes_are_cut_where_their_digits_are(lab):
    frame = pd.DataFrame(
        {
            "PLZ": [1067 + n % 50 if n % 2 else 37000 + n % 50 for n in range(600)],
            "age": [20 + n % 60 for n in range(600)],
        }
    )
    frame.to_parquet(lab.folder / "codes.parquet")
    lab.done("init", "codes.parquet", "-o", "codes.yml", "--for", "counts")
    entry = yaml.safe_load((lab.folder / "codes.yml").read_text(encoding="utf-8"))["columns"]["PLZ"]
    assert entry["hierarchy"] == {"intervals": [10, 100, 1000, 10000]}
    assert "order" not in entry


def test_amounts_with_a_decimal_comma_are_rounded_as_plain_ones_are(lab):
    lines = ["name;age;Kosten_EUR"]
    lines += [f"n{n};{20 + n % 60};{n % 9 + 1}.{n * 7 % 1000:03},{n % 97:02}" for n in range(900)]
    (lab.folder / "codes.csv").write_text("\n".join(lines), encoding="utf-8")
    said = lab.done("init", "codes.csv", "-o", "codes.yml", "--known", "age", "--sensitive", "none")
    assert "  dropped: name\n" in said
    assert "  recoded (quasi-identifiers): age\n" in said
    assert "  released masked: Kosten_EUR\n" in said
    entry = yaml.safe_load((lab.folder / "codes.yml").read_text(encoding="utf-8"))
    cost = entry["columns"]["Kosten_EUR"]
    assert (cost["role"], cost["action"], cost["to"]) == ("insensitive", "round", 100)
    lab.done("anonymize", "codes.yml", "--release", "out.parquet", "--no-rows")
    shown = pd.read_parquet(lab.folder / "out.parquet")["Kosten_EUR"].astype(float)
    assert set(shown % 100) == {0}


@pytest.mark.parametrize(
    ("name", "kind"), [("income", "intervals"), ("weight", "intervals"), ("batch", "mask")]
)
def test_texts_of_five_digits_are_amounts_where_the_name_says_so(name, kind):
    texts = {name: lambda take: str(take.randint(10_000, 99_999))}
    policy = yaml.safe_load(first_policy(table(**texts), answers=Answers(known=(name,))))
    assert list(policy["columns"][name]["hierarchy"]) == [kind]
