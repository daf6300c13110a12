"""Counters of sensitive values beside the row-by-row count: every figure of every node is the same."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from unittest.mock import patch

import class_models
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Problem, problems
from tiers import examples

from kanon_sql.counting.lattice import value_counters

VALUES = ["it's", 'ward"', "; --", "select", None]
BY = st.sampled_from([("source", "release"), ("source",)])
RULES = {
    "alpha": st.builds(class_models.alpha, st.fractions(0, Fraction(19, 20), max_denominator=20)),
    "entropy": st.builds(class_models.entropy, st.sampled_from([1.5, 2, 3])),
    "recursive": st.builds(class_models.recursive, st.just(Fraction(4, 3)), st.integers(1, 3)),
    "t": st.builds(lambda by: class_models.equal_distance(Fraction(2, 5), *by), BY),
    "ordered t": st.builds(
        lambda order, by: class_models.ordered_distance(Fraction(1, 5), order, *by),
        st.permutations([each for each in VALUES if each is not None]),
        BY,
    ),
    "beta": st.builds(lambda by: class_models.beta(Fraction(1, 2), *by, enhanced=True), BY),
    "delta": st.builds(lambda by: class_models.delta(Fraction(3, 2), *by, absent="fails"), BY),
}


@st.composite
def weighed(draw, name):
    """A problem with hostile sensitive values, NULL among them, and a rule for them."""
    problem = draw(problems(entity=False))
    count = len(problem.rows)
    had = draw(st.sampled_from([VALUES, VALUES[:4], VALUES[3:]]))
    spread = draw(st.lists(st.sampled_from(had), min_size=count, max_size=count))
    nulls = draw(st.booleans())
    return replace(problem, spread=spread, rule=draw(RULES[name]), counts_null=nulls, _seen={})


def checked(sql_check, writer, problem, most):
    """The verdicts of all nodes, with as many values as may have counters."""
    with (
        patch.object(value_counters, "MOST_VALUES", most),
        sql_check(writer.policy(problem), writer.frame(problem)) as (checker, _, _),
    ):
        nodes = list(checker.lattice.nodes())
        found = checker.check(nodes), [checker.check([node], detail=True) for node in nodes]
        return checker.counting.counters is not None, found


@pytest.mark.parametrize("name", RULES)
@examples(12)
@given(data=st.data())
def test_counters_count_as_rows_do(*, name, sql_check, writer, data):
    problem = data.draw(weighed(name))
    counted, by_counters = checked(sql_check, writer, problem, 64)
    by_rows_alone, by_rows = checked(sql_check, writer, problem, 0)
    assert not by_rows_alone
    assert counted == any(each is not None or problem.counts_null for each in problem.spread)
    assert by_counters == by_rows


@pytest.mark.parametrize(
    ("values", "room", "counted"), [(60, 4, True), (70, 4, False), (60, 0, False)]
)
def test_many_values_are_counted_row_by_row(
    *, values, room, counted, sql_check, writer, monkeypatch
):
    monkeypatch.setattr(value_counters, "ROOM", room)
    rows = [(f"z{n % 3}",) for n in range(values)]
    labels = {f"z{n}": [f"z{n // 2}", "*"] for n in range(3)}
    rule = class_models.equal_distance(Fraction(2, 5), "source")
    problem = Problem(rows, [labels], spread=[f"v{n}" for n in range(values)], rule=rule)
    with sql_check(writer.policy(problem), writer.frame(problem)) as (checker, _, _):
        assert (checker.counting.counters is not None) is counted
        nodes = list(checker.lattice.nodes())
        feasible = [node.levels in problem.feasible for node in nodes]
        assert [verdict.feasible for verdict in checker.check(nodes)] == feasible
