"""Who is counted, and which columns are dropped, where `init` has more than names to go by."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from random import Random

import duckdb
import pandas as pd
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.getting_started import first_policy, missing_codes
from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.apps.getting_started.propose_columns import Answers, questions_of
from kanon_sql.apps.schema.propose_schema import first_schema_policy
from kanon_sql.evidence.attacks import column_sets

ROWS = 1_200


def columns_of(frame):
    found = inspect_source(frame)
    return found, {each.profile.name: each for each in found.propose()}


def pupils():
    """Return pupils of 30 schools, of which each has one kind and one side of the town."""
    lot = Random(36)
    schools = [f"S'{n:02}" for n in range(30)]
    kinds = {each: lot.choice(["public", "private"]) for each in schools}
    sides = {each: lot.choice("NSEW") for each in schools}
    school = [lot.choice(schools) for _ in range(ROWS)]
    return pd.DataFrame(
        {
            "School ID": school,
            "kind": [kinds[each] for each in school],
            "side": [sides[each] for each in school],
            "age": [lot.randrange(8, 18) for _ in range(ROWS)],
        }
    )


def test_a_key_of_a_school_counts_no_people():
    found, columns = columns_of(pupils())
    assert found.key is None
    assert columns["School ID"].role == "quasi"


def test_the_same_key_with_the_name_of_one_is_a_key():
    found, _ = columns_of(pupils().rename(columns={"School ID": "case id"}))
    assert found.key is not None
    assert found.key.name == "case id"


@pytest.mark.parametrize(("values", "is_key"), [(2, False), (19, False), (20, True), (400, True)])
def test_whether_somebody_is_a_student_counts_no_people(values, is_key):
    frame = pd.DataFrame({"student": [n % values for n in range(ROWS)], "balance": range(ROWS)})
    found, columns = columns_of(frame)
    assert (found.key is not None) == is_key
    assert (columns["student"].role == "identifying") == is_key


def test_few_people_with_few_rows_are_people():
    found, _ = columns_of(pd.DataFrame({"patient": [1, 1, 2, 2, 3, 3], "visit": range(6)}))
    assert found.key is not None


def test_a_column_that_only_its_table_makes_sensitive_is_dropped_where_it_follows():
    lot = Random(7)
    zips = [f"{lot.randrange(10_000, 10_040)}" for _ in range(ROWS)]
    frame = pd.DataFrame(
        {
            "zip": zips,
            "qqx": [f"q{int(each) % 7}" for each in zips],
            "other": [f"q{lot.randrange(7)}" for _ in zips],
            **{name: [lot.randrange(90) for _ in zips] for name in ("hiv", "glucose", "bp")},
        }
    )
    by_zip = defaultdict(set)
    for code, value in zip(frame["zip"], frame["qqx"], strict=True):
        by_zip[code].add(value)
    assert all(len(each) == 1 for each in by_zip.values())
    found, columns = columns_of(frame)
    assert found.follows == {"qqx": "zip"}
    assert columns["qqx"].rest == "action: drop"
    assert [columns[name].role for name in ("other", "hiv")] == ["sensitive", "sensitive"]


def test_texts_that_few_rows_share_are_dropped():
    lot = Random(1)
    people = [f"{lot.choice('ABCDE')}nn {lot.choice('KLMNO')}{n}x" for n in range(ROWS // 3)]
    frame = pd.DataFrame(
        {
            "age": [n % 60 for n in range(ROWS)],
            "moderator": [lot.choice(people) for _ in range(ROWS)],
        }
    )
    assert columns_of(frame)[1]["moderator"].rest == "action: drop"
    frame["moderator"] = [people[n % 40] for n in range(ROWS)]
    assert columns_of(frame)[1]["moderator"].role == "quasi"


@pytest.mark.parametrize(
    ("name", "share", "missing"),
    [
        ('main "diagnosis"', 4, {"NA"}),
        ('main "diagnosis"', 200, {"NA"}),
        ("town", 4, {"NA"}),
    ],
)
def test_none_is_a_value_of_a_column_of_categories(name, share, missing):
    cells = ["none" if n % share == 0 else "flu" if n % 3 else "NA" for n in range(ROWS)]
    frame = pd.DataFrame({"age": [n % 60 for n in range(ROWS)], name: cells})
    found, _ = columns_of(frame)
    counted = Counter(cells)
    assert set(found.missing[name].texts) == missing
    assert found.missing[name].rows == sum(counted[each] for each in missing)


def test_abbreviations_of_places_are_no_words_for_missing():
    states = ["N.C.", "N.D.", "S.D.", "N.B.", "NC", "N.Y."]
    found, _ = columns_of(pd.DataFrame({"state": [states[n % 6] for n in range(ROWS)]}))
    assert found.missing == {}


def test_sets_of_columns_are_found_though_few_of_a_level_are_counted(monkeypatch):
    lot = Random(3)
    frame = pd.DataFrame({f"c{n}": [lot.randrange(12) for _ in range(ROWS)] for n in range(9)})
    frame["low"] = [n % 35 for n in range(ROWS)]
    frame["high"] = [n // 35 for n in range(ROWS)]
    unique = {
        pair for pair in combinations(frame.columns, 2) if not frame.duplicated(list(pair)).any()
    }
    assert unique == {("low", "high")}
    counted = []
    count = column_sets._Search._count
    monkeypatch.setattr(column_sets, "SAMPLES", (150, 400))
    monkeypatch.setattr(column_sets, "COUNTED", 10)
    monkeypatch.setattr(column_sets, "IN_ANY_CASE", 5)
    monkeypatch.setattr(
        column_sets._Search,
        "_count",
        lambda self, sets, table: counted.append((len(sets), table[1])) or count(self, sets, table),
    )
    found = kanon_sql.find_quasi_identifiers(frame, most_columns=3)
    assert ("low", "high") in {each.columns for each in found.unique}
    assert found.unconfirmed > 0
    assert max(sets for sets, rows in counted[2:] if rows < ROWS) <= 10
    for each in (*found.unique, *found.near_unique):
        assert each.tuples == len(frame[list(each.columns)].drop_duplicates())


def test_values_of_a_sampled_table_are_those_of_all_its_rows(monkeypatch, tmp_path):
    lot = Random(5)
    rows = 6_000
    frame = pd.DataFrame(
        {
            "ref": [f"r{n}" for n in range(rows)],
            "pair": [n // 2 for n in range(rows)],
            "word": ["NA" if n % 10 == 0 else lot.choice("abcdef") for n in range(rows)],
        }
    )
    path = tmp_path / "large.csv"
    frame.to_csv(path, index=False)
    monkeypatch.setattr(first_policy, "WHOLE", 3_000)
    monkeypatch.setattr(first_policy, "SAMPLE", 2_000)
    monkeypatch.setattr(missing_codes, "MANY_VALUES", 100)
    profiles = {each.name: each for each in inspect_source(str(path)).profiles}
    share = profiles["ref"].rows / rows
    counts = {
        name: Counter(frame[name].where(frame[name] != "NA").dropna()) for name in frame.columns
    }
    for name, each in profiles.items():
        unique = sum(times == 1 for times in counts[name].values())
        assert each.unique == pytest.approx(unique * share, rel=0.1)
    assert profiles["pair"].unique == 0
    assert profiles["word"].values == len(counts["word"])


@pytest.mark.parametrize("name", ["remark", "nurse_notes", "Bemerkungen", "commentaire"])
def test_a_free_text_is_dropped_however_many_rows_share_it(name):
    texts = ["called Mrs Keller", "follow-up in 2 weeks", "as usual"]
    frame = pd.DataFrame(
        {
            "patient_id": [n // 2 for n in range(ROWS)],
            "diagnosis": [f"I{n % 30}" for n in range(ROWS)],
            "cost": [n % 700 for n in range(ROWS)],
            name: [texts[n % 3] for n in range(ROWS)],
        }
    )
    _, columns = columns_of(frame)
    assert (columns[name].role, columns[name].rest) == ("identifying", "action: drop")


def untold():
    """A table of people in which four names say nothing: codes with NULLs and without, and two measurements with NULLs."""
    lot = Random(11)
    return pd.DataFrame(
        {
            "age": [lot.randrange(20, 70) for _ in range(ROWS)],
            "sex": [lot.choice("mf") for _ in range(ROWS)],
            **{name: [lot.randrange(9) for _ in range(ROWS)] for name in ("town", "job")},
            "qqx": [lot.choice(["a", "b", None]) for _ in range(ROWS)],
            "qqy": [lot.choice(["a", "b", "c"]) for _ in range(ROWS)],
            "qqz": [lot.choice([None, lot.random()]) for _ in range(ROWS)],
            "qqv": [lot.choice([None, lot.randrange(40) / 4]) for _ in range(ROWS)],
        }
    )


def test_a_column_without_a_telling_name_is_protected_until_somebody_decides():
    """NULLs alone release no column as it is: only what looks measured, which is marked, as without NULLs."""
    _, columns = columns_of(untold())
    assert [columns[each].role for each in ("qqx", "qqy", "qqz", "qqv")] == [
        "quasi", "quasi", "identifying", "sensitive",
    ]  # fmt: skip
    assert columns["qqx"].undecided
    assert [name for name, each in columns.items() if each.is_guess] == ["qqv"]


def test_a_guess_is_marked_in_the_policy_and_lint_warns_until_it_is_decided(tmp_path):
    found = inspect_source(untold())
    (marked,) = [line for line in found.policy().splitlines() if "DECIDE: " in line]
    assert marked.strip().startswith("qqv: {role: sensitive, ")
    policy = yaml.safe_load(found.policy())
    (warning,) = guesses(policy)
    assert warning.startswith("columns.qqv: released as they are by a guess of init")
    policy["columns"]["qqv"]["why"] = "a reading of our own device, which nobody else has"
    assert guesses(policy) == []
    answered = found.policy(Answers(known=()))
    assert "DECIDE: " not in answered
    assert guesses(yaml.safe_load(answered)) == []


def guesses(policy):
    return [each for each in kanon_sql.lint(policy, untold()) if "by a guess" in each]


def test_a_column_that_an_answer_leaves_out_is_dropped_and_stands_for_no_other():
    found = inspect_source(untold())
    roles = {e.profile.name: (e.role, e.rest) for e in found.propose(Answers(drop=("age", "qqv")))}
    assert roles["age"] == roles["qqv"] == ("identifying", "action: drop")
    assert roles["sex"][0] == "quasi"
    with pytest.raises(kanon_sql.InputError, match="--drop: age is in --known, too"):
        found.propose(Answers(known=("age",), drop=("age",)))
    with pytest.raises(kanon_sql.InputError, match="--drop: leaves no column to release"):
        found.propose(Answers(drop=tuple(untold().columns)))
    asked = {each.option for each in questions_of(found, Answers(drop=("age",)))}
    assert "drop" not in asked
    assert "drop" in {each.option for each in questions_of(found, Answers())}


@pytest.mark.parametrize(
    ("quasi", "sensitive"),
    [
        (["Geburtsjahr", "Geschlecht", "Wohngemeinde", "Haushaltsgröße"], ["Einkünfte", "Krebs"]),
        (["annee_naissance", "sexe", "lieu_residence", "niveau_etudes"], ["depenses", "grossesse"]),
        (["ano_nacimiento", "sexo", "municipio", "estado_civil"], ["gastos", "enfermedades"]),
        (["otherrace", "appdate"], ["freepoor", "famincome"]),
    ],
)
def test_names_of_the_surveys_of_four_languages(quasi, sensitive):
    lot = Random(3)
    frame = pd.DataFrame({each: lot.choices(range(7), k=ROWS) for each in (*quasi, *sensitive)})
    _, columns = columns_of(frame)
    assert {each: str(columns[each].role) for each in columns} == dict.fromkeys(
        quasi, "quasi"
    ) | dict.fromkeys(sensitive, "sensitive")


def test_height_and_weight_are_no_times_to_an_event():
    frame = pd.DataFrame(
        {
            each: [n % m for n in range(ROWS)]
            for each, m in (("height", 37), ("weight", 41), ("futime", 43), ("status", 2))
        }
    )
    _, columns = columns_of(frame)
    assert [str(columns[each].role) for each in ("height", "weight", "futime")] == [
        "quasi", "quasi", "sensitive",
    ]  # fmt: skip


def test_lint_says_that_nobody_can_recount_people_who_have_one_row_each():
    frame = pd.DataFrame({"sid": range(200), "age": [20 + n % 40 for n in range(200)]})
    policy = {
        "version": 1,
        "entity": "sid",
        "columns": {
            "sid": {"role": "identifying", "action": "drop"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        },
        "privacy": [{"k": 5}],
    }
    (said,) = [each for each in kanon_sql.lint(policy, frame) if "UNCHECKED" in each]
    assert said.startswith("entity: each of 200 rows has another sid")
    frame.loc[0, "sid"] = 1
    assert not [each for each in kanon_sql.lint(policy, frame) if "UNCHECKED" in each]


def test_the_limit_of_a_search_that_suppresses_nothing_says_so():
    found = inspect_source(untold())
    (limit,) = [line for line in found.policy().splitlines() if line.startswith("suppression:")]
    assert limit.endswith("# rows that another search may suppress; the one below suppresses none")
    gaps = untold()
    gaps.loc[::9, "age"] = None
    of_means = inspect_source(gaps).policy(Answers(use="means"))
    (limit,) = [line for line in of_means.splitlines() if line.startswith("suppression:")]
    assert "another search" not in limit


def test_a_guess_is_marked_in_the_policy_of_a_schema_too(tmp_path):
    database = tmp_path / "s.duckdb"
    patients = untold().reset_index(names="patient_id")
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, age INTEGER, qqv DOUBLE)")  # fmt: skip
        connection.register("rows", patients)
        connection.execute("INSERT INTO patients SELECT patient_id, age, qqv FROM rows")
        connection.execute("CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients)")  # fmt: skip
    text = first_schema_policy(str(database))
    assert "# DECIDE qqv: released by a guess" in text
