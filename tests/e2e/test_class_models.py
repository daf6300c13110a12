"""Models that weigh a class's values: the papers' tables, a class at exactly the bound and one just beyond, and words."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.policy.privacy.l_diversity import Alpha, EntropyDiversity

FOUR_ANONYMOUS = {
    "a": ["heart", "heart", "viral", "viral"],
    "b": ["cancer", "heart", "viral", "viral"],
    "c": ["cancer"] * 4,
}
"""Figure 2 of Machanavajjhala et al. (2006): classes of two, three and one disease."""
THREE_DIVERSE = {name: ["heart", "viral", "cancer", "cancer"] for name in "abc"}
"""Figure 3: entropies of 2^1.5 values of equal share; r_1 = 2, r_2 = r_3 = 1."""
CONSTRUCTED = {
    "a": ["x"] * 6 + ["y"] * 2 + ["z"] * 2,
    "b": ["x"] * 2 + ["y"] * 6 + ["z"] * 2,
}
"""Of all rows 2/5 are x, 2/5 y and 1/5 z; the classes have 3/5, 1/5 and 1/5."""
SALARIES = {"a": [3, 4, 5], "b": [6, 8, 11], "c": [7, 9, 10]}
"""Table 3 of Li, Li and Venkatasubramanian (2007): distances of 0.375, 0.167 and less."""


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def policy(privacy, column=None, **changes):
    return {
        "version": 1,
        "entity": "row",
        "columns": {
            "q": {"role": "quasi", "hierarchy": "suppress"},
            "s": {"role": "sensitive", **(column or {})},
        },
        "privacy": privacy,
        "suppression": 0,
        **changes,
    }


def frame(classes):
    rows = [(name, each) for name, values in classes.items() for each in values]
    return pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]})


def level(connection, classes, privacy, column=None, **changes):
    """0 where the classes fit as they are, 1 where they are made one."""
    asked = policy(privacy, column, **changes)
    (found,) = kanon_sql.plan(asked, frame(classes), connection=connection).levels.values()
    return found


def said(model, **bounds):
    return {model: {"column": "s", **bounds}}


EXACT = [
    (FOUR_ANONYMOUS, said("entropy_l", l=1), said("entropy_l", l=1.001)),
    (THREE_DIVERSE, said("entropy_l", l=2.8284271), said("entropy_l", l=2.8284272)),
    ({"a": list("xyz"), "b": list("zxy")}, said("entropy_l", l=3), None),
    (THREE_DIVERSE, said("recursive_l", c=1.000000001, l=2), said("recursive_l", c=1, l=2)),
    (THREE_DIVERSE, said("recursive_l", c="200001/100000", l=3), said("recursive_l", c=2, l=3)),
    (CONSTRUCTED, said("recursive_l", c="7/4", l=2), said("recursive_l", c="3/2", l=2)),
    (CONSTRUCTED, said("alpha", alpha=0.6), said("alpha", alpha=0.599999999)),
    (CONSTRUCTED, said("beta_likeness", beta=0.5), said("beta_likeness", beta=0.499999999)),
    (
        CONSTRUCTED,
        said("beta_likeness", beta=0.5, enhanced=True),
        said("beta_likeness", beta=0.25, enhanced=True),
    ),
    (CONSTRUCTED, said("delta_disclosure", delta=1.000001), said("delta_disclosure", delta=1)),
    (CONSTRUCTED, said("t_closeness", t=0.2), said("t_closeness", t=0.199999999)),
    (
        SALARIES,
        said("t_closeness", t=0.375, distance="ordered"),
        said("t_closeness", t=0.374999999, distance="ordered"),
    ),
]


@pytest.mark.parametrize(("classes", "fits", "fails"), EXACT)
def test_a_class_at_exactly_the_bound_fits_and_just_beyond_it_does_not(
    connection, classes, fits, fails
):
    """The comparison of c in recursive l-diversity, and of delta, is strict: a class at the bound fails."""
    assert level(connection, classes, fits) == 0
    if fails is not None:
        found = frame(classes)
        try:
            made = kanon_sql.plan(policy(fails), found, connection=connection)
        except kanon_sql.InfeasibleError:
            return
        assert made.levels == {"q": 1}


ONE_OFF = [
    (said("alpha", alpha=0.5), 50_000, 50_001),
    (said("recursive_l", c="50001/50000", l=2), 50_000, 50_001),
    (said("t_closeness", t=0.1, reference="source"), 60_000, 60_001),
    (said("beta_likeness", beta=0.2, reference="source"), 60_000, 60_001),
]


@pytest.mark.parametrize(("privacy", "fits", "fails"), ONE_OFF)
def test_a_class_that_is_beyond_it_by_one_row_of_many_does_not_fit(
    connection, privacy, fits, fails
):
    """The table has as many of flu as of cold, whatever class a has: class b has what a lacks."""
    for flu, expected in ((fits, 0), (fails, 1)):
        rows = [("a", "flu", flu), ("a", "cold", 100_000 - flu)]
        rows += [("b", "flu", 100_000 - flu), ("b", "cold", flu)]
        values = ", ".join(f"('{q}', '{s}', {n})" for q, s, n in rows)
        connection.execute(
            f"CREATE OR REPLACE TABLE people AS SELECT q, s FROM (VALUES {values}) v(q, s, n), "
            "range(n)"
        )
        asked = policy(privacy, source="people")
        try:
            made = kanon_sql.plan(asked, connection=connection)
        except kanon_sql.InfeasibleError:
            assert expected == 1
        else:
            assert made.levels == {"q": expected}


@pytest.mark.slow
def test_a_class_of_as_many_values_as_l_has_their_entropy_whatever_l_is(connection):
    for l in range(2, 30):  # noqa: E741
        classes = {name: [f"v{n}" for n in range(l)] * 3 for name in "ab"}
        assert level(connection, classes, said("entropy_l", l=l)) == 0
        with pytest.raises(kanon_sql.InfeasibleError):
            level(connection, classes, said("entropy_l", l=l + 0.0001))


HALVES = {"a": ["1", "2"], "b": ["9", "10"]}
MONTHS = {"a": ["2026-01-31", "2026-02-01"], "b": ["2026-03-01", "2026-04-01"]}


@pytest.mark.parametrize(
    ("order", "values", "apart"),
    [
        (None, {"a": [1, 2], "b": [9, 10]}, True),
        ("number", HALVES, True),
        ("text", HALVES, False),
        (["1", "9", "2", "10"], HALVES, False),
        (["1", "2", "9", "10"], HALVES, True),
        (["1", "2", "9", "10"], {"a": ["1", "9"], "b": ["2", "10"]}, False),
        ("date", MONTHS, True),
    ],
)
def test_values_are_ordered_as_the_policy_says(connection, order, values, apart):
    """A class of the lower half of four values is a third from all of them; one of every other value a sixth."""
    column = {} if order is None else {"order": order}
    for t, found in ((0.333333334, 0), (0.333333333, int(apart)), (0.166666667, int(apart))):
        asked = said("t_closeness", t=t, distance="ordered")
        assert level(connection, values, asked, column) == found


@pytest.mark.parametrize(
    ("order", "what"),
    [
        (None, "1 distinct value is no number"),
        ("date", "2 distinct values are not finite dates"),
        (["1", "2"], "1 distinct value is not in its list"),
    ],
)
def test_a_value_without_a_place_in_the_order_is_a_fault(connection, order, what):
    column = {} if order is None else {"order": order}
    asked = said("t_closeness", t=0.5, distance="ordered")
    with pytest.raises(kanon_sql.HierarchyError, match=what) as error:
        level(connection, {"a": ["1", "canary"], "b": ["1", "1"]}, asked, column)
    assert "canary" not in str(error.value)


def test_null_is_before_all_values_if_it_is_one(connection):
    classes = {"a": [None, 1], "b": [2, 3]}
    asked = said("t_closeness", t=0.34, distance="ordered")
    assert level(connection, classes, asked, sensitive_nulls="value") == 0
    unknown = {"a": [None, None], "b": [1, 2]}
    assert level(connection, unknown, asked) == 1


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (said("entropy_l", l=0.5), "must be at least 1"),
        (said("entropy_l"), "has no l"),
        (said("recursive_l", c="1/0", l=2), "a fraction such as 4/3"),
        (said("recursive_l", c=0, l=2), "must be more than 0"),
        (said("recursive_l", c="a", l=2), "a fraction such as 4/3"),
        (said("recursive_l", c=2, l=0), "of at least 1"),
        (said("alpha", alpha=2), "must lie between 0 and 1"),
        (said("beta_likeness", beta=0), "must be more than 0"),
        (said("beta_likeness", beta=1, enhanced="yes"), "must be true or false"),
        (said("delta_disclosure", delta=99), "less than 29"),
        (said("delta_disclosure", delta=1, absent="often"), "must be one of fails, ignored"),
        (said("t_closeness", t=0.2, reference="all"), "must be one of both, source, release"),
        (said("t_closeness", t=0.2, distance="far"), "must be one of equal, ordered"),
    ],
)
def test_what_a_policy_cannot_say(connection, model, what):
    with pytest.raises(kanon_sql.PolicyError, match=what):
        level(connection, CONSTRUCTED, model)


def test_absent_values_that_fail_are_named_where_nothing_is_feasible(connection):
    """Every class is to have every value, and one that is suppressed takes the only person with one."""
    classes = {"a": list("xy"), "b": list("xy"), "c": ["z"]}
    asked = said("delta_disclosure", delta=3)
    assert level(connection, classes, asked) == 1
    ignoring = said("delta_disclosure", delta=3, absent="ignored")
    assert level(connection, classes, ignoring, suppression=1) == 0


def test_models_combine_and_the_plan_says_each(connection):
    asked = [{"k": 5}, said("alpha", alpha=0.6), said("entropy_l", l=2), said("t_closeness", t=0.2)]
    plan = kanon_sql.plan(policy(asked), frame(CONSTRUCTED), connection=connection)
    assert plan.levels == {"q": 0}
    assert plan.privacy == (
        "5-anonymity",
        "0.6-bounded share of s",
        "entropy 2-diversity of s",
        "0.2-closeness of s (equal distance)",
    )


def test_bounds_are_exact_however_they_are_written():
    (step,) = Alpha("d", Decimal("0.5")).requirements
    assert (step.bound, step.relaxed) == (500_000_000, 510_000_000)
    (evenly,) = EntropyDiversity("d", Decimal(3)).requirements
    (two,) = EntropyDiversity("d", Decimal(2)).requirements
    assert evenly.relaxed == two.bound
    assert evenly.measure.as_written(evenly.bound) == 3
