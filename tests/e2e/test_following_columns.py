"""Columns that follow from others, what a table is about, and keys: what `init` proposes for frames with a known answer."""

from __future__ import annotations

from random import Random

import pandas as pd
import pytest

from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.apps.getting_started.following_columns import SAMPLE
from kanon_sql.apps.getting_started.propose_columns import Answers
from kanon_sql.policy.model import Role

ROWS = 2000


def people(rows=ROWS, seed=1, **more):
    """People with a year of birth, a sex and a ZIP code, and with columns that are made of a person's number."""
    random = Random(seed)
    born = [1930 + random.randrange(80) for _ in range(rows)]
    frame = {
        "birth_year": born,
        "sex": [random.choice("fm") for _ in range(rows)],
        "zip": [f"{10000 + 7 * random.randrange(90)}" for _ in range(rows)],
    }
    frame |= {name: [of(random, n) for n in range(rows)] for name, of in more.items()}
    return pd.DataFrame(frame)


def followers(frame):
    """List the columns that follow, by pandas: within each value of the other they have one value."""
    return {
        (first, other)
        for first in frame
        for other in frame
        if first != other
        and (frame.groupby(first, dropna=False)[other].nunique(dropna=False) == 1).all()
    }


def roles_of(found, answers=None):
    return {each.profile.name: each.role for each in found.propose(answers)}


def test_a_city_a_group_and_a_square_follow_and_are_dropped():
    frame = people(ROWS)
    frame["city"] = [f"c{int(code) // 100}" for code in frame["zip"]]
    frame["decade"] = frame["birth_year"] // 10
    frame["birth_yearsq"] = frame["birth_year"] ** 2
    found = inspect_source(frame)
    assert found.follows == {"city": "zip", "decade": "birth_year", "birth_yearsq": "birth_year"}
    assert {(first, other) for other, first in found.follows.items()} <= followers(frame)
    text = found.policy()
    assert (
        'city: {role: identifying, action: drop, why: "follows zip, and would undo its generalization"}'
        in text
    )
    roles = roles_of(found)
    assert roles["zip"] is roles["birth_year"] is Role.QUASI


def test_an_age_at_a_date_follows_by_its_order_though_a_year_has_two():
    random = Random(3)
    frame = people(ROWS)
    frame["age"] = [2024 - year - random.randrange(2) for year in frame["birth_year"]]
    assert ("birth_year", "age") not in followers(frame)
    found = inspect_source(frame)
    assert found.follows in ({"age": "birth_year"}, {"birth_year": "age"})


def test_an_age_is_kept_in_place_of_a_day_of_birth_that_is_nearly_unique():
    random = Random(4)
    frame = people(ROWS).drop(columns="birth_year")
    days = [random.randrange(30_000) for _ in range(ROWS)]
    frame["birth"] = [pd.Timestamp("1930-01-01") + pd.Timedelta(days=day) for day in days]
    frame["age"] = [(34_700 - day) // 365 for day in days]
    assert inspect_source(frame).follows == {"birth": "age"}


def test_what_a_user_says_to_be_known_is_kept():
    frame = people(ROWS)
    frame["age"] = 2024 - frame["birth_year"]
    found = inspect_source(frame)
    dropped = {name for name, role in roles_of(found).items() if role is Role.IDENTIFYING}
    assert len(dropped & {"age", "birth_year"}) == 1
    kept = roles_of(found, Answers(known=("age", "birth_year")))
    assert kept["age"] is kept["birth_year"] is Role.QUASI


def test_a_sensitive_column_that_follows_is_kept():
    frame = people(ROWS)
    frame["disease"] = [f"d{int(code) // 100}" for code in frame["zip"]]
    found = inspect_source(frame)
    assert "disease" not in found.follows
    assert roles_of(found)["disease"] is Role.SENSITIVE


@pytest.mark.parametrize(
    "other",
    [
        lambda random, _: random.choice("xy"),
        lambda random, _: random.random() < 0.001,
        lambda random, _: random.randrange(50),
    ],
)
def test_what_does_not_follow_is_kept(other):
    frame = people(colour=other)
    assert inspect_source(frame).follows == {}


def test_a_column_with_values_where_the_other_has_none_does_not_follow():
    frame = people(ROWS)
    frame["married"] = [n % 3 == 0 for n in range(ROWS)]
    frame["marriage_year"] = [1990 + n % 20 if n % 3 == 0 else None for n in range(ROWS)]
    frame["married"] = frame["married"].map({True: "yes", False: "no"})
    assert "married" not in inspect_source(frame).follows


def test_columns_of_different_rows_do_not_follow():
    frame = people(ROWS)
    frame["first_year"] = [1990 + n % 31 if n % 2 else None for n in range(ROWS)]
    frame["other_year"] = [None if n % 2 else 1990 + n % 29 for n in range(ROWS)]
    assert inspect_source(frame).follows == {}


def test_what_is_true_of_a_person_in_all_their_rows_does_not_follow_from_the_day_of_birth():
    random = Random(5)
    rows = []
    for person in range(300):
        born, sex, code = 7 * person, random.choice("fm"), 10000 + random.randrange(40)
        rows += [(f"p{person}", born, sex, code, random.randrange(9)) for _ in range(6)]
    frame = pd.DataFrame(rows, columns=["patient_id", "birth", "sex", "zip", "visit"])
    frame["birth"] = pd.to_datetime(frame["birth"], unit="D").dt.date
    assert ("birth", "sex") in followers(frame)
    found = inspect_source(frame)
    assert found.key is not None
    assert found.key.name == "patient_id"
    assert found.follows == {}


def test_what_follows_in_a_sample_is_confirmed_in_all_rows():
    rows = 3 * SAMPLE
    frame = people(rows)
    frame["city"] = [f"c{int(code) // 100}" for code in frame["zip"]]
    frame["town"] = frame["city"]
    codes = sorted(set(frame["zip"]))
    for code in codes[:10]:  # one row of each is another town, which a sample may miss
        frame.loc[frame.index[frame["zip"] == code][0], "town"] = "elsewhere"
    found = inspect_source(frame)
    assert found.follows == {"city": "zip"}


def test_a_table_of_people_with_a_sensitive_name_is_about_what_it_says():
    def level(random, _):
        return random.choice("abcd")

    frame = people(stroke=level, qxv=level)
    found = inspect_source(frame)
    assert roles_of(found)["qxv"] is Role.SENSITIVE
    assert roles_of(inspect_source(frame.drop(columns="stroke")))["qxv"] is Role.QUASI
    (asked,) = [each for each in found.propose() if each.profile.name == "qxv"]
    assert asked.undecided
    assert roles_of(found, Answers(known=("qxv",)))["qxv"] is Role.QUASI
    codes = people(stroke=level, qxv=lambda random, _: f"w{random.randrange(400):03}")
    assert roles_of(inspect_source(codes))["qxv"] is not Role.SENSITIVE  # no outcome has 400 texts


def test_one_sensitive_name_says_little_of_a_table_that_has_nobody_in_it():
    random = Random(5)
    frame = pd.DataFrame(
        {name: random.choices("abcd", k=ROWS) for name in ("stroke", "qxv", "hue")}
    )
    assert roles_of(inspect_source(frame))["qxv"] is Role.QUASI
    beside = frame.assign(sex=random.choices("fm", k=ROWS))
    assert roles_of(inspect_source(beside))["qxv"] is Role.SENSITIVE


def test_a_panel_without_a_name_of_an_outcome_has_it_in_a_column_without_a_telling_name():
    random = Random(7)
    frame = people(ROWS // 4).loc[lambda each: each.index.repeat(4)].reset_index(drop=True)
    frame["patient_id"] = [f"p{n // 4}" for n in range(len(frame))]
    frame["qxv"] = random.choices(range(9), k=len(frame))
    found = inspect_source(frame)
    assert found.key is not None
    assert found.key.name == "patient_id"
    assert roles_of(found)["qxv"] is Role.SENSITIVE
    alone = inspect_source(frame.drop(columns="patient_id"))
    assert roles_of(alone)["qxv"] is Role.QUASI


def test_columns_of_a_table_in_which_codes_stand_for_names_are_asked_as_outcomes():
    random = Random(8)
    names = ("qxv1", "qxv2", "qxv3", "qxv4")
    frame = pd.DataFrame({name: random.choices("abcd", k=ROWS) for name in names})
    roles = [roles_of(inspect_source(frame[[*names[:many]]])) for many in (2, 4)]
    assert [[*each.values()].count(Role.SENSITIVE) for each in roles] == [0, 3]  # one is known


def test_a_day_with_a_sensitive_name_is_no_value_that_is_released_as_it_is():
    frame = people(
        death=lambda random, _: f"20{random.randrange(10, 20)}-0{random.randrange(1, 9)}-03"
    )
    assert roles_of(inspect_source(frame))["death"] is Role.QUASI


def test_many_plain_names_beside_one_sensitive_name_are_no_outcomes():
    random = Random(6)
    plain = ("age", "sex", "race", "married", "kids", "zip", "occupation", "industry")
    frame = pd.DataFrame(
        {name: random.choices("abcdef", k=ROWS) for name in (*plain, "income", "xq")}
    )
    assert roles_of(inspect_source(frame))["xq"] is Role.QUASI


def test_a_time_beside_what_happened_then_is_sensitive():
    frame = people(
        rfsstat=lambda random, _: random.randrange(2),
        rfstime=lambda random, _: random.randrange(60),
        time=lambda random, _: random.randrange(60),
    )
    roles = roles_of(inspect_source(frame))
    assert roles["rfstime"] is roles["rfsstat"] is Role.SENSITIVE
    runners = frame.drop(columns=["rfsstat", "rfstime"])
    assert roles_of(inspect_source(runners))["time"] is Role.QUASI


def test_the_rounds_of_a_panel_tell_nobody_apart():
    frame = pd.DataFrame(
        {
            "person_id": [f"p{n}" for n in range(200) for _ in range(5)],
            "year": [2001 + n % 5 for n in range(1000)],
            "sex": [("f", "m")[n // 5 % 2] for n in range(1000)],
        }
    )
    assert roles_of(inspect_source(frame))["year"] is Role.INSENSITIVE
    visits = frame.assign(year=[1950 + n * n % 61 for n in range(1000)])
    assert roles_of(inspect_source(visits))["year"] is Role.QUASI


def test_whether_somebody_has_a_licence_is_no_direct_identifier():
    frame = people(driver_license=lambda random, _: random.choice(["yes", "no"]))
    assert roles_of(inspect_source(frame))["driver_license"] is Role.QUASI
    numbers = people(driver_license=lambda random, _: f"L{random.randrange(10**6)}")
    assert roles_of(inspect_source(numbers))["driver_license"] is Role.IDENTIFYING


def test_a_measurement_with_a_usual_value_is_no_key():
    random = Random(2)
    days = [0 if n % 5 < 2 else random.randrange(1, 500) for n in range(ROWS)]
    frame = people(ROWS)
    frame["qx"] = days
    frame["qy"] = [0 if day == 0 else 1 for day in days]
    frame["qz"] = [0 if day == 0 else 1 + day // 100 for day in days]
    assert inspect_source(frame).key is None


def test_the_number_of_a_student_that_is_no_key_is_dropped():
    frame = people(
        student=lambda random, _: random.randrange(300),
        score=lambda random, _: random.randrange(100),
    )
    proposed = {each.profile.name: each for each in inspect_source(frame).propose()}
    assert proposed["student"].role is Role.IDENTIFYING


def test_the_key_of_a_panel_is_found_though_its_name_speaks_of_a_family():
    random = Random(6)
    rows = [
        (f"{child}", sex, born, random.randrange(100))
        for child, sex, born in [(n, random.choice("fm"), random.randrange(9)) for n in range(400)]
        for _ in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["childid", "female", "cohort", "mark"])
    found = inspect_source(frame)
    assert found.key is not None
    assert found.key.name == "childid"


def test_an_age_follows_a_birth_in_a_file_that_writes_na(tmp_path):
    random = Random(5)
    lines = ["id;Geburtsdatum;Alter;sex"]
    for n in range(SAMPLE + 1000):
        day = random.randrange(8_000)
        born = (pd.Timestamp("1930-01-01") + pd.Timedelta(days=day)).strftime("%d.%m.%Y")
        age = 2025 - int(born[-4:])
        shown = [each if random.random() > 0.02 else "NA" for each in (born, str(age))]
        lines.append(f"{n};{';'.join(shown)};{random.choice('fm')}")
    file = tmp_path / "people.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert inspect_source(str(file)).follows == {"Alter": "Geburtsdatum"}


def test_a_column_that_people_know_is_dropped_if_known_leaves_it_out():
    frame = people(ROWS).rename(columns={"birth_year": "Geburtsjahr"})
    frame["steps"] = [n % 40 for n in range(ROWS)]
    found = inspect_source(frame)
    roles = roles_of(found, Answers(known=("sex", "zip"), sensitive=()))
    assert roles["Geburtsjahr"] is Role.IDENTIFYING
    assert roles["steps"] is Role.INSENSITIVE
    asked = roles_of(found, Answers(known=("sex", "zip", "Geburtsjahr"), sensitive=()))
    assert asked["Geburtsjahr"] is Role.QUASI
    (why,) = [
        each.why
        for each in found.propose(Answers(known=("sex",), sensitive=()))
        if each.profile.name == "Geburtsjahr"
    ]
    assert "commonly known about a person" in why
    assert "you do not name it as what could be known" in why
