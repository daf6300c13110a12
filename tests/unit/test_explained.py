"""What an explanation says in words."""

from __future__ import annotations

import pytest

from kanon_sql.model.explained import (
    bound_words,
    headline,
    raw_words,
    why_not,
    without_words,
)
from kanon_sql.model.explanation import (
    Bound,
    ColumnCost,
    Explanation,
    Known,
    Neighbour,
    Optimum,
)
from kanon_sql.model.promise import Promise

NOT_REACHED = Optimum(Known.NOT_REACHED)


def explanation(**changes):
    fields = {
        "privacy": ("5-anonymity",),
        "algorithm": "optimal",
        "promise": Promise.OPTIMUM,
        "paper": "p",
        "metric": "loss",
        "proven": True,
        "levels": {"age": 3, "zip": 2, "job": 1},
        "heights": {"age": 4, "zip": 5, "job": 2},
        "feasible": True,
        "cost": (0.25,),
        "rows": 30162,
        "suppressed_rows": 1178,
        "max_suppressed": 1206,
        "optimum": Optimum(Known.PROVEN, (3, 2, 1), 1178, (0.25,)),
        "bounds": (),
        "columns": (),
        "neighbours": (),
        "frontier": (),
        "lattice_nodes": 90,
        "nodes": None,
        "checks": 9,
        **changes,
    }
    return Explanation(**fields)


def bound(name="k", *, binds=True, optimum=None, relaxed=4, asked=5, slack=7):
    found = optimum or Optimum(Known.PROVEN, (2, 2, 2), 1000, (0.2,))
    return Bound(name, asked, relaxed, found, slack, binds)


def test_the_headline_of_a_proven_plan():
    told = headline(explanation(bounds=(bound(), bound("suppression", binds=False))))
    assert told == (
        "No recoding that satisfies 5-anonymity costs less than this node: it has loss 0.2500, and "
        "suppresses 1,178 of 30,162 rows (1,206 allowed). Of what is asked, k binds: a notch less, "
        "and the optimum would cost less."
    )


def test_the_headline_of_another_algorithm_says_what_it_promised_and_the_gap():
    best = Optimum(Known.PROVEN, (2, 2, 1), 1000, (0.2,))
    told = headline(
        explanation(algorithm="samarati", promise=Promise.LEAST_HEIGHT, proven=False, optimum=best)
    )
    assert told.startswith("samarati promises of its node: no feasible node is lower; ")
    assert "the optimum has 0.2000, 20.0% less" in told
    assert told.endswith("with a notch less, the optimum would cost as much.")


@pytest.mark.parametrize(
    ("optimum", "words"),
    [
        (NOT_REACHED, "not reached in time"),
        (Optimum(Known.BEST_FOUND, (2, 2, 1), 9, (0.2,)), "the best found in time has 0.2000"),
        (Optimum(Known.BEST_FOUND, (4, 2, 1), 9, (0.3,)), "none better was found in time"),
        (Optimum(Known.PROVEN, (3, 2, 1), 9, (0.25,)), "is as good as the optimum"),
    ],
)
def test_the_gap_says_how_far_the_search_came(optimum, words):
    assert words in headline(
        explanation(algorithm="greedy", promise=Promise.FEASIBLE, optimum=optimum)
    )


def test_a_node_that_is_not_feasible_is_called_so():
    told = headline(explanation(feasible=False, suppressed_rows=2000))
    assert told.startswith("The node does not satisfy 5-anonymity: it suppresses 2,000 of 30,162")


def test_bounds_say_what_less_would_give_and_how_far_the_node_goes():
    told = explanation()
    assert bound_words(told, bound()) == (
        "k (5) binds: 4 would give loss 0.2000 instead of 0.2500, age could stay at level 2 (now 3); "
        "job would rise to level 2 (now 1); the node would do up to 7"
    )
    same = Optimum(Known.PROVEN, (3, 2, 1), 1178, (0.25,))
    assert bound_words(told, bound(binds=False, optimum=same)) == (
        "k (5) does not bind: with 4 the optimum costs as much; the node would do up to 7"
    )
    none = bound("suppression", binds=False, optimum=Optimum(Known.INFEASIBLE), relaxed=None,
                 asked=1206, slack=1178)  # fmt: skip
    assert bound_words(told, none) == (
        "suppression (1,206 rows) does not bind: with any number of rows the optimum is the same; "
        "the node needs 1,178"
    )
    assert bound_words(told, bound(optimum=NOT_REACHED, binds=False)).startswith(
        "k (5): not reached in time"
    )


def test_what_a_column_costs_is_said_of_the_others():
    told = explanation()
    fewer = Optimum(Known.PROVEN, (2, 2, 2), 900, (0.21,))
    column = ColumnCost("job", 1, (0.27,), fewer, Optimum(Known.PROVEN, (4, 3, 0), 900, (0.31,)))
    assert without_words(told, column) == (
        "age could stay at level 2 (now 3); loss of the others 0.2100 instead of 0.2700"
    )
    assert raw_words(told, column) == (
        "age would rise to level 4 (now 3), zip to 3 (now 2); loss 0.3100 instead of 0.2500"
    )
    same = ColumnCost("job", 1, (0.27,), Optimum(Known.PROVEN, (3, 2, 2), 9, (0.27,)), NOT_REACHED)
    assert without_words(told, same) == (
        "the others would stay at their levels; loss of the others 0.2700, as now"
    )
    assert raw_words(told, same) == "not reached in time"


def why(*, coarser, feasible=True, cost=(0.3,), rows=1420, classes=9, promise=Promise.OPTIMUM):
    found = Neighbour("age", (1,), coarser, feasible, rows, cost, "")
    return why_not(
        found, classes=classes, max_suppressed=1206, cost=(0.27,), algorithm="algo", promise=promise
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"coarser": False, "feasible": False}, "suppresses 1,420 rows, 1,206 are allowed"),
        ({"coarser": False, "feasible": False, "classes": 0},
         "suppresses every row, and a release without rows is none"),
        ({"coarser": True}, "costs 0.3000 instead of 0.2700"),
        ({"coarser": True, "cost": (0.27000001,)}, "costs 0.27000001 instead of 0.27000000"),
        ({"coarser": True, "cost": (0.27,)}, "costs as much; the lower node is taken"),
        ({"coarser": True, "cost": (0.2,)},
         "costs 0.2000 instead of 0.2700; the search ended before it was reached"),
        ({"coarser": True, "cost": (0.2,), "promise": Promise.LEAST_HEIGHT},
         "is a level higher; it costs 0.2000 instead of 0.2700"),
        ({"coarser": False, "cost": (0.2,), "promise": Promise.FEASIBLE},
         "costs 0.2000 instead of 0.2700; algo promises something else (feasible)"),
    ],
)  # fmt: skip
def test_a_neighbour_s_reason_is_said_in_words(given, words):
    assert why(**given) == words
