"""What is released alike is one class of the plan, on every engine: it counts what a reader counts."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from people import shown

import kanon_sql

COLLATED = {
    "duckdb": "VARCHAR COLLATE NOCASE",
    "postgres": "VARCHAR(9) COLLATE any_case",
    "spark": "STRING COLLATE UTF8_LCASE",
}
"""A text that is equal in any case."""
ANY_CASE = (
    "CREATE COLLATION IF NOT EXISTS any_case "
    "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
)
TEXTS = [(text, n) for n, text in enumerate(["few", "Few", "FEW", "many", "Many"] * 3)]
LABELS = [(text, "Some" if text == "few" else "some", "*") for text, _ in TEXTS[:5]]
NUMBERS = [float("nan"), float("inf"), float("-inf"), None, 3.0, 4.0, 17.0, 1e14]
ODD = pa.table(
    {
        "q": pa.array([number for number in NUMBERS for _ in range(3)], pa.float64()),
        "n": pa.array(range(3 * len(NUMBERS)), pa.int64()),
    }
)


def policy(**changes):
    columns = {
        "q": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "output": "bounds"},
        "n": {"role": "insensitive"},
    }
    return {"version": 1, "source": "odd_of_the_test", "entity": "row", "columns": columns,
            "privacy": {"k": 5}, "suppression": "40%", **changes}  # fmt: skip


@pytest.fixture
def odd(place):
    place.put("odd_of_the_test", ODD)
    yield place
    place.drop("odd_k5")
    place.drop("odd_of_the_test")


def test_what_has_no_bounds_is_one_class(odd):
    """NaN, the infinities and NULL have no bounds: a reader of the release cannot tell which is which."""
    plan = kanon_sql.plan(policy(), connection=odd.connection)
    made = kanon_sql.apply(plan, policy=policy(), connection=odd.connection, release="odd_k5")
    rows = [row[:2] for row in odd.read("odd_k5")]
    assert shown(rows) == Counter({(None, None): 12, ("0", "5"): 6})
    assert plan.classes == len(set(rows)) == made.verification.classes == 2
    assert plan.levels == {"q": 1}
    assert plan.suppressed_rows == 6
    assert plan.smallest_class == min(Counter(rows).values())


def test_labels_of_what_has_no_bounds_stay_apart(odd):
    columns = {**policy()["columns"], "q": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}}}
    plan = kanon_sql.plan(policy(columns=columns, privacy={"k": 3}), connection=odd.connection)
    assert plan.classes == len(NUMBERS)


@pytest.fixture
def texts(place):
    """A column, and labels of a hierarchy, that are equal in any case."""
    if place.name == "postgres":
        psycopg = pytest.importorskip("psycopg")
        try:
            place.execute(ANY_CASE)
        except psycopg.errors.FeatureNotSupported:
            pytest.skip("this PostgreSQL is built without ICU, and has no such collation")
    kind = COLLATED[place.name]
    place.execute(f"CREATE TABLE texts_of_the_test (q {kind}, n BIGINT)")
    place.execute(f"CREATE TABLE labels_of_the_test (value {kind}, one {kind}, top VARCHAR(9))")
    for name, rows in (("texts_of_the_test", TEXTS), ("labels_of_the_test", LABELS)):
        place.execute(f"INSERT INTO {name} VALUES {', '.join(map(str, rows))}")
    yield place
    for name in ("texts_k3", "texts_of_the_test", "labels_of_the_test"):
        place.drop(name)


@pytest.mark.parametrize(
    ("hierarchy", "k", "wanted"),
    [
        ("suppress", 3, {"few": 3, "Few": 3, "FEW": 3, "many": 3, "Many": 3}),
        ({"table": "labels_of_the_test"}, 3, {"few": 3, "Few": 3, "FEW": 3, "many": 3, "Many": 3}),
        ({"query": "SELECT * FROM labels_of_the_test"}, 4, {"some": 12}),
    ],
    ids=str,
)
def test_texts_that_a_collation_holds_equal_stay_apart(texts, hierarchy, k, wanted):
    given = policy(source="texts_of_the_test", privacy={"k": k}, suppression=3)
    given["columns"]["q"] = {"role": "quasi", "hierarchy": hierarchy}
    plan = kanon_sql.plan(given, connection=texts.connection)
    made = kanon_sql.apply(plan, policy=given, connection=texts.connection, release="texts_k3")
    assert Counter(row[0] for row in texts.read("texts_k3")) == wanted
    assert plan.classes == made.verification.classes == len(wanted)
    found = texts.execute("SELECT DISTINCT q FROM texts_k3")
    assert len(list(found if texts.name == "spark" else found.fetchall())) == len(wanted)
