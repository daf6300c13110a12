"""What an explanation says in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from plans import explanation, plan

from kanon_sql.counting.lattice.result import Guarantee
from kanon_sql.evidence.explanation.explanation import (
    Bound,
    Certainty,
    ColumnCost,
    Neighbour,
    Optimum,
)
from kanon_sql.evidence.explanation.explanation_text import (
    base_words,
    bound_words,
    headline,
    quality_line,
    raw_words,
    why_not,
    without_words,
)
from kanon_sql.evidence.explanation.regions_explanation import (
    COLUMN_HEADINGS,
    RegionColumn,
    RegionEnds,
    column_row,
    end_words,
)

NOT_REACHED = Optimum(Certainty.NOT_REACHED)
LAYERS = [
    {"levels": {"age": 1, "zip": 2, "job": 1}, "rows": 30000, "classes": 300},
    {"levels": {"age": 4, "zip": 5, "job": 2}, "rows": 162, "classes": 2},
]


def bound(name="k", *, binds=True, optimum=None, relaxed=4, asked=5, slack=7):
    found = optimum or Optimum(Certainty.PROVEN, (2, 2, 2), 1000, (0.2,))
    return Bound(name, asked, relaxed, found, slack, binds)


def test_the_headline_of_a_proven_plan():
    told = headline(explanation(bounds=(bound(), bound("suppression", binds=False))))
    assert told == (
        "No single node that satisfies 5-anonymity costs less than this one, which has loss (geometric mean) 0.2500 "
        "and suppresses 1,178 of 30,162 rows (limit 1,206): proven here in 9 checks. One limit is active: "
        "relaxing k slightly would reduce information loss."
    )


@pytest.mark.parametrize("algorithm", ["lightning", "ola", "samarati"])
def test_a_proof_is_told_whatever_the_algorithm_promises(algorithm):
    own = plan(algorithm=algorithm, optimal=False)
    told = headline(explanation(own, promise=Guarantee.FEASIBLE, claimed=False, proof_checks=1))
    assert told.startswith("No single node that satisfies 5-anonymity costs less")
    assert "proven here in 1 check." in told


def test_the_headline_of_another_algorithm_says_what_it_promised_and_the_gap():
    best = Optimum(Certainty.PROVEN, (2, 2, 1), 1000, (0.2,))
    told = headline(
        explanation(
            plan(algorithm="samarati"),
            promise=Guarantee.LEAST_HEIGHT,
            claimed=False,
            optimal=False,
            optimum=best,
        )
    )
    assert told.startswith(
        "The node satisfies 5-anonymity, has loss (geometric mean) 0.2500 and suppresses "
    )
    assert "the optimum has 0.2000, 20.0% less (proven here in 9 checks)" in told
    assert "samarati promises the least height, and not the least cost." in told
    assert told.endswith(
        "No limit is active: relaxing any of them slightly would not reduce information loss."
    )


def test_two_limits_of_two_are_both_and_what_is_unknown_is_said():
    told = headline(explanation(bounds=(bound(), bound("suppression"))))
    assert told.endswith(
        "Both limits are active: relaxing k or the suppression limit slightly would reduce information loss."
    )
    open_ = bound("k over age", binds=None)
    told = headline(explanation(bounds=(bound(), open_, bound("suppression"))))
    assert told.endswith(
        "2 limits are active: relaxing k or the suppression limit slightly would reduce information loss "
        "(whether k over age is active was not determined)."
    )


@pytest.mark.parametrize(
    ("optimum", "words"),
    [
        (NOT_REACHED, "not reached in time"),
        (Optimum(Certainty.BEST_FOUND, (2, 2, 1), 9, (0.2,)), "the best found has 0.2000"),
        (Optimum(Certainty.BEST_FOUND, (4, 2, 1), 9, (0.3,)), "no better one was found"),
    ],
)
def test_the_gap_says_how_far_the_search_came(optimum, words):
    told = explanation(
        plan(algorithm="greedy"),
        promise=Guarantee.FEASIBLE,
        claimed=False,
        optimal=False,
        optimum=optimum,
    )
    assert words in headline(told)


def test_a_claim_is_told_as_one():
    best = Optimum(Certainty.BEST_FOUND, (3, 2, 1), 9, (0.25,))
    told = headline(explanation(optimal=False, optimum=best))
    assert "The plan states that its node is optimal; it was not proven here: in 9 checks" in told
    better = Optimum(Certainty.BEST_FOUND, (2, 2, 1), 9, (0.2,))
    told = headline(explanation(optimal=False, optimum=better))
    assert "and that is wrong: the best found has 0.2000" in told


def test_a_node_that_is_not_feasible_is_called_so():
    told = headline(explanation(plan(suppressed_rows=2000), feasible=False))
    assert told.startswith("The node does not satisfy 5-anonymity: it suppresses 2,000 of 30,162")


def test_a_plan_of_several_nodes_is_told_by_its_own_figures_and_not_by_its_first_node():
    own = plan(recoding={"layers": LAYERS}, cost=0.2, suppressed_rows=7)
    best = Optimum(Certainty.PROVEN, (3, 2, 1), 1178, (0.25,))
    told = headline(explanation(own, claimed=False, optimal=False, optimum=best))
    assert told.startswith(
        "The plan releases rows at 2 nodes, each row at the first where its class fits: loss (geometric mean) 0.2000, "
        "7 of 30,162 rows suppressed (limit 1,206). The best single node has loss (geometric mean) 0.2500 and "
        "suppresses 1,178 rows, proven here in 9 checks."
    )
    none = headline(
        explanation(own, claimed=False, optimal=False, optimum=Optimum(Certainty.INFEASIBLE))
    )
    assert "No single node satisfies 5-anonymity." in none
    late = headline(explanation(own, claimed=False, optimal=False, optimum=NOT_REACHED))
    assert "was not found in time" in late


def test_blanks_and_a_class_more_are_told():
    blanks = {
        "tested": 3, "outliers": [{"columns": ["age", "zip"], "values": 2, "rows": 3}], "rounds": 1,
        "blanked": {"age": 3}, "released": {"age": 2},
    }  # fmt: skip
    told = headline(explanation(plan(recoding={"blanks": blanks}), claimed=False, optimal=False))
    assert (
        "at one node, and suppresses cells of rare combinations: loss (geometric mean) 0.2500"
        in told
    )
    own = plan(recoding={"least_suppressed": 5})
    told = headline(explanation(own, claimed=False, optimal=False, promise=Guarantee.FEASIBLE))
    assert "among them a class that fits, because datafly suppresses at least 5 rows" in told


def test_what_all_is_told_against_is_said_where_it_is_not_the_plan_s_node():
    assert base_words(explanation()) is None
    best = Optimum(Certainty.PROVEN, (2, 2, 1), 1, (0.2,))
    assert base_words(explanation(optimum=best)) == (
        "Limits and columns are compared with the optimum, at age 2, zip 2, job 1: loss (geometric mean) 0.2000, "
        "1 row suppressed"
    )
    own = plan(recoding={"layers": LAYERS})
    assert "at age 1, zip 2, job 1" in base_words(explanation(own))


def test_a_lattice_that_was_not_walked_is_said_to_be_too_large():
    told = headline(explanation(plan(lattice_nodes=10**8), walked=False))
    assert "The lattice has 100,000,000 nodes, too many to search completely" in told
    assert "in time" not in told


def test_the_figures_of_a_plan_are_told_in_one_line():
    assert quality_line(plan(classes=1)) == (
        "1 equivalence class, smallest 5 rows; 1,178 rows suppressed (3.91%), limit 1,206; loss (geometric mean) 0.2500; "
        "discernibility 50,000,000"
    )


def test_bounds_say_what_less_would_give_and_how_far_the_node_goes():
    told = explanation()
    assert bound_words(told, bound()) == (
        "k (5) is active: with 4, loss (geometric mean) 0.2000 instead of 0.2500, as age could stay at level 2 instead of "
        "3, but job would rise to level 2 instead of 1; the node is feasible up to 7"
    )
    same = Optimum(Certainty.PROVEN, (3, 2, 1), 1178, (0.25,))
    assert bound_words(told, bound(binds=False, optimum=same)) == (
        "k (5) is not active: with 4 the optimum costs as much; the node is feasible up to 7"
    )
    none = bound("suppression", binds=False, optimum=Optimum(Certainty.INFEASIBLE), relaxed=None,
                 asked=1206, slack=1178)  # fmt: skip
    assert bound_words(told, none) == (
        "suppression limit (1,206 rows) is not active: with any number of rows the optimum is the same; "
        "the plan suppresses 1,178"
    )


def test_a_bound_that_was_not_searched_to_the_end_is_not_said_to_be_slack():
    told = explanation()
    assert bound_words(told, bound(optimum=NOT_REACHED, binds=None, slack=None)) == (
        "k (5): whether it is active was not determined"
    )
    found = Optimum(Certainty.BEST_FOUND, (3, 2, 1), 1178, (0.25,))
    assert bound_words(told, bound(optimum=found, binds=None, slack=None)) == (
        "k (5): whether it is active was not determined; the best found with 4 has loss (geometric mean) 0.2500"
    )
    open_ = (bound(binds=None, optimum=found),)
    assert headline(explanation(bounds=open_)).endswith("Whether k is active was not determined.")


def test_what_a_column_costs_is_said_of_the_others():
    told = explanation()
    fewer = Optimum(Certainty.PROVEN, (2, 2, 2), 900, (0.21,))
    column = ColumnCost("job", (0.27,), fewer, Optimum(Certainty.PROVEN, (4, 3, 0), 900, (0.31,)))
    assert without_words(told, column) == (
        "without job, age could stay at level 2 instead of 3: loss (geometric mean) of the others 0.2100 instead of "
        "0.2700"
    )
    assert raw_words(told, column) == (
        "with job at level 0, age would rise to level 4 instead of 3 and zip to 3 instead of 2: loss "
        "(geometric mean) 0.3100 instead of 0.2500"
    )
    same = ColumnCost(
        "job", (0.27,), Optimum(Certainty.BEST_FOUND, (3, 2, 2), 9, (0.27,)), NOT_REACHED
    )
    assert without_words(told, same) == (
        "without job, the others would stay at their levels: loss (geometric mean) of the others 0.2700, as now (the "
        "best found, not proven)"
    )
    assert raw_words(told, same) == "with job at level 0: not reached in time"
    none = ColumnCost("job", None, None, Optimum(Certainty.INFEASIBLE))
    assert without_words(told, none) == "without job there is no quasi-identifier"
    assert raw_words(told, none) == "with job at level 0 no node is feasible"


def test_columns_are_told_where_no_single_node_is_known():
    told = explanation(optimum=Optimum(Certainty.INFEASIBLE))
    found = Optimum(Certainty.PROVEN, (2, 2, 2), 900, (0.21,))
    column = ColumnCost("job", None, found, found)
    assert without_words(told, column) == "without job: loss (geometric mean) of the others 0.2100"
    assert raw_words(told, column) == "with job at level 0: loss (geometric mean) 0.2100"


def why(*, coarser, feasible=True, cost=(0.3,), rows=1420, classes=9, promise=Guarantee.OPTIMUM):
    found = Neighbour("age", (1,), coarser, feasible, rows, cost, classes)
    return why_not(found, max_suppressed=1206, cost=(0.27,), algorithm="algo", promise=promise)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"coarser": False, "feasible": False}, "suppresses 1,420 rows, the limit is 1,206"),
        ({"coarser": False, "feasible": False, "classes": 0},
         "suppresses every row, and nothing would be released"),
        ({"coarser": True}, "costs 0.3000 instead of 0.2700"),
        ({"coarser": True, "cost": (0.27000001,)}, "costs 0.27000001 instead of 0.27000000"),
        ({"coarser": True, "cost": (0.27,)}, "costs as much; the lower node is taken"),
        ({"coarser": True, "cost": (0.2,)},
         "costs less, 0.2000 instead of 0.2700: the search ended before it was reached"),
        ({"coarser": True, "cost": (0.2,), "promise": Guarantee.LEAST_HEIGHT},
         "is a level higher; costs 0.2000 instead of 0.2700"),
        ({"coarser": False, "cost": (0.2,), "promise": Guarantee.FEASIBLE},
         "costs less, 0.2000 instead of 0.2700, which algo does not promise to find"),
    ],
)  # fmt: skip
def test_a_neighbour_s_reason_is_said_in_words(given, words):
    assert why(**given) == words


def test_a_column_of_regions_is_told_by_the_share_of_rows_that_it_lost():
    """`rows kept` of a plan counts rows with a value alone, so that NULL would make the two disagree."""
    explained = SimpleNamespace(plan=SimpleNamespace(released_rows=4))
    lost = RegionColumn("age", 0.5, 0.25, exact_rows=2, whole_rows=1, widest_regions=3)
    found = dict(zip(COLUMN_HEADINGS, column_row(explained, lost), strict=True))
    assert (found["rows with\none value"], found["rows\nlost"]) == ("50%", "25%")


@pytest.mark.parametrize(("steps", "told"), [(None, False), (10, False), (3, True)])
def test_groups_that_end_at_fewer_places_are_told_with_the_reason(steps, told):
    chosen = SimpleNamespace(recoding=SimpleNamespace(in_runs=True), entity=None)
    ends = RegionEnds(0, 0, 0, 0, 0, 0)
    explained = SimpleNamespace(plan=chosen, k=5, ends=ends, steps=steps, sampled=None)
    *_, last = end_words(explained)
    assert ("groups end at one of 3 steps" in last and "250,000 rows" in last) == told
    explained.sampled = 8
    sampled = [each for each in end_words(explained) if "sample of one row in 8" in each]
    assert ["250,000 rows" in each for each in sampled] == [True]
