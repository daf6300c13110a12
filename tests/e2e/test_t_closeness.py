"""t-closeness with equal distance: the paper's table, a class at exactly t, NULL, suppressed rows, and words."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.counting.lattice import encode
from kanon_sql.policy.privacy.closeness import TCloseness

PAPER = [
    ("476**", "2*", ("gastric ulcer", "gastritis", "stomach cancer")),
    ("4790*", "40+", ("gastritis", "flu", "bronchitis")),
    ("476**", "3*", ("bronchitis", "pneumonia", "stomach cancer")),
]
"""Table 3 of Li, Li and Venkatasubramanian (2007): 3-diverse, and the first class tells of the stomach.

Six diseases, three of them twice in nine rows: each class holds three of 1/3 each. Of the first the gastric ulcer
has 2/9 too much, and two that are there twice 1/9 each: 4/9 in all, as of the others.
"""


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def planned(connection, rows, t, *, quasi=("zip", "age"), **changes):
    columns = dict(zip((*quasi, "disease"), zip(*rows, strict=True), strict=True))
    frame = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {
            **{name: {"role": "quasi", "hierarchy": "suppress"} for name in quasi},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"t_closeness": {"column": "disease", "t": t}},
        "suppression": 0,
        **changes,
    }
    return kanon_sql.plan(policy, frame, connection=connection)


def of_classes(classes):
    return [(text, d) for text, diseases in classes.items() for d in diseases]


@pytest.mark.parametrize(("t", "levels"), [("0.444444445", (0, 0)), ("0.444444444", (1, 0))])
def test_the_classes_of_the_paper_are_at_four_ninths(connection, t, levels):
    """The shares are thirds and ninths: a bound a billionth less than rounding up gives is refused to each."""
    rows = [(z, age, d) for z, age, diseases in PAPER for d in diseases]
    plan = planned(connection, rows, Decimal(t))
    assert (tuple(plan.levels.values()) == (0, 0)) is (levels == (0, 0))
    assert plan.suppressed_rows == 0


@pytest.mark.parametrize(("t", "level"), [(0.25, 0), (0.249999999, 1)])
@pytest.mark.parametrize("times", [1, 30_000])
def test_a_class_at_exactly_t_fits_and_at_no_less(connection, t, level, times):
    """3 of 4 flu in one class, 1 of 4 in the other, half of the table: both are a quarter away."""
    classes = {"a": ["flu"] * 3 + ["cold"], "b": ["flu"] + ["cold"] * 3}
    rows = of_classes({text: each * times for text, each in classes.items()})
    plan = planned(connection, rows, t, quasi=("zip",))
    assert tuple(plan.levels.values()) == (level,)


@pytest.mark.parametrize(("t", "level"), [(0.000002, 0), (0.000001999, 1)])
def test_a_class_that_is_a_row_too_far_does_not_fit(connection, t, level):
    """One row of half a million of a class is two millionths of its rows."""
    rows = of_classes({"a": ["flu", "cold"] * 250_000, "b": ["flu", "cold"] * 250_000})
    rows[0] = ("a", "cold")
    rows[-1] = ("b", "flu")
    assert len(rows) == 1_000_000
    plan = planned(connection, rows, t, quasi=("zip",))
    assert tuple(plan.levels.values()) == (level,)


def test_null_is_no_value_or_one_like_any(connection):
    """Known values alone are as in the table; a class of NULLs alone tells nothing, and is as far as can be."""
    rows = of_classes({"a": ["flu", "cold"], "b": ["flu", "cold", None, None]})
    assert planned(connection, rows, 0, quasi=("zip",)).levels == {"zip": 0}
    counted = planned(connection, rows, 0.2, quasi=("zip",), sensitive_nulls="value")
    assert counted.levels == {"zip": 1}
    assert counted.privacy == (
        "0.2-closeness of disease, NULL counted as a value (equal distance)",
    )
    alone = [*rows, ("c", None)]
    assert planned(connection, alone, 0.9, quasi=("zip",)).levels == {"zip": 1}
    assert planned(connection, alone, 0.9, quasi=("zip",), suppression=1).suppressed_rows == 1
    assert planned(connection, alone, 1, quasi=("zip",)).levels == {"zip": 0}


def test_the_table_is_the_source_with_the_rows_that_are_suppressed(connection):
    """Of all rows half are flu, of the released ones 1 in 3: a class of 1 in 3 is a sixth away, and not none."""
    rows = of_classes(
        {"a": ["flu", "cold", "cold"], "b": ["flu", "cold", "cold"], "c": ["flu"] * 2}
    )
    near = planned(connection, rows, 0.17, quasi=("zip",), suppression=2)
    assert (near.levels, near.suppressed_rows) == ({"zip": 0}, 2)
    assert planned(connection, rows, 0.16, quasi=("zip",), suppression=2).levels == {"zip": 1}


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"column": "disease"}, "has no t"),
        ({"column": "disease", "t": 2}, "must lie between 0 and 1"),
        ({"column": "disease", "t": -0.1}, "must lie between 0 and 1"),
        ({"column": "disease", "t": 0.0000000001}, "at most 9 decimal places"),
        ({"column": "disease", "t": "much"}, "must be a number"),
        ({"column": "zip", "t": 0.2}, "is not a column with role sensitive"),
        ({"column": "disease", "t": 0.2, "distance": "far"}, "must be one of equal"),
    ],
)
def test_what_a_policy_cannot_say(connection, said, what):
    with pytest.raises(kanon_sql.PolicyError, match=what):
        planned(connection, [("a", "b", "flu")], 0.2, privacy={"t_closeness": said})


def test_one_bound_is_one_bound_however_it_is_written():
    columns = {"q": {"role": "quasi", "hierarchy": "suppress"}, "d": {"role": "sensitive"}}
    whole = {"version": 1, "source": "t", "entity": "row", "columns": columns}
    bounds = [Decimal(text) for text in ("0.2", "0.20", "2e-1")]
    said = [{**whole, "privacy": {"t_closeness": {"column": "d", "t": t}}} for t in bounds]
    (model,) = {model for each in said for model in kanon_sql.read_policy(each).privacy}
    assert model == TCloseness("d", Decimal("0.2"))
    assert str(model) == "0.2-closeness of d (equal distance)"
    for requirement in model.requirements:
        assert (requirement.bound, requirement.relaxed) == (200_000_000, 210_000_000)


@pytest.mark.parametrize("reference", ["source", "both"])
def test_an_order_of_many_values_is_searched_as_one_of_few(connection, monkeypatch, reference):
    """Of few values a distance is summed step by step, of many from one value of a class to the next."""
    rows = connection.execute(
        "SELECT (n * 7 % 5)::VARCHAR, (n * n % 11)::VARCHAR, (n * 13 % 9 % (1 + n % 4))::VARCHAR FROM range(240) t(n)"
    ).fetchall()

    def found(most):
        monkeypatch.setattr(encode, "MOST_STEPS", most)
        plan = planned(
            connection,
            [row for row in rows if row[2] is not None],
            "0.12",
            privacy=[
                {"k": 3},
                {
                    "t_closeness": {
                        "column": "disease",
                        "t": Decimal("0.12"),
                        "distance": "ordered",
                        "reference": reference,
                    }
                },
            ],
            suppression="30%",
            columns={
                "zip": {"role": "quasi", "hierarchy": {"mask": 1}},
                "age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
                "disease": {"role": "sensitive", "order": "number"},
            },
        )
        return plan.levels, plan.suppressed_rows, plan.checks, plan.cost

    by_steps = found(9)
    assert by_steps[1] > 0
    assert found(3) == by_steps
