"""The published table on TDS, every candidate of every round; the same rows from below; what is refused.

Rows and taxonomies are table 1 and figure 1 of Fung, Wang and Yu (ICDE 2005), with the virtual
identifiers <{Education, Sex}, 4> and <{Sex, Work_Hrs}, 11>.
"""

from __future__ import annotations

import pytest
from bottom_up_oracle import candidates as candidates_below
from bottom_up_oracle import leaves
from cut_searches import from_above, from_below, told
from cutting import Table
from top_down_oracle import candidates, top_down

from kanon_sql.base.documents.keys import read_mapping
from kanon_sql.base.documents.shapes import Refused
from kanon_sql.counting.plans.plan import STEPS
from kanon_sql.policy.cut_steps import Average, Score

EDUCATION = ((("9th", "10th"), ("11th", "12th")), ("Bachelors", ("Masters", "Doctorate")))
SEX = ("M", "F")
HOURS = ((("30", "32"), "35"), ("37", "42", "44"))
SEVERANCE = [  # education, sex, hours, how many of class Y, how many of class N
    ((0, 0, 0), 0, 3), ((1, 0, 1), 0, 4), ((2, 0, 2), 2, 3), ((3, 1, 3), 3, 1), ((4, 1, 4), 4, 2),
    ((4, 1, 5), 4, 0), ((5, 0, 5), 4, 0), ((5, 1, 5), 3, 0), ((6, 1, 5), 1, 0),
]  # fmt: skip
ROWS = tuple(
    (places, target, 0)
    for places, *counts in SEVERANCE
    for target, count in zip("YN", counts, strict=True)
    for _ in range(count)
)
NUMBERED = tuple((places, int(target == "Y"), who) for places, target, who in ROWS)
PUBLISHED = Table((EDUCATION, SEX, None), NUMBERED, (((0, 1), 4), ((1, 2), 11)))
NODES = {
    (0, 0, 6): "ANY_Edu", (0, 0, 3): "Secondary", (0, 0, 1): "Junior Sec.", (0, 2, 3): "Senior Sec.",
    (0, 4, 6): "University", (0, 5, 6): "Grad School", (1, 0, 1): "ANY_Sex", (2, 0, 5): "[1-99)",
    (2, 0, 2): "[1-37)",
}  # fmt: skip
ROUNDS = [  # candidate: gain, loss over the affected and over all, valid, A of both, IG/AL, IG/(AL+1)
    ("[1-99)", {
        "ANY_Edu": (0.271591, 18.0, 9.0, True, 16, 34, 0.015088, 0.014294),
        "ANY_Sex": (0.166412, 18.0, 18.0, True, 16, 16, 0.009245, 0.008759),
        "[1-99)": (0.358444, 22.0, 11.0, True, 34, 12, 0.016293, 0.015585),
    }),
    ("ANY_Edu", {
        "ANY_Edu": (0.271591, 18.0, 9.0, True, 16, 12, 0.015088, 0.014294),
        "ANY_Sex": (0.166412, 13.0, 13.0, False, 16, 4, 0.012801, 0.011887),
        "[1-37)": (0.24546, 7.0, 3.5, False, 34, 5, 0.035066, 0.030682),
    }),
    ("Secondary", {
        "University": (0.102187, 8.0, 4.0, True, 8, 12, 0.012773, 0.011354),
        "Secondary": (0.338558, 9.0, 4.5, True, 7, 12, 0.037618, 0.033856),
        "ANY_Sex": (0.166412, 10.0, 10.0, False, 4, 4, 0.016641, 0.015128),
        "[1-37)": (0.24546, 7.0, 3.5, False, 16, 5, 0.035066, 0.030682),
    }),
    ("University", {
        "University": (0.102187, 0.0, 0.0, True, 7, 12, 0.102187, 0.102187),
        "Junior Sec.": (0.0, 4.0, 2.0, False, 3, 12, 0.0, 0.0),
        "Senior Sec.": (0.091091, 3.0, 1.5, True, 4, 12, 0.030364, 0.022773),
        "ANY_Sex": (0.166412, 5.5, 5.5, False, 4, 4, 0.030257, 0.025602),
        "[1-37)": (0.24546, 7.0, 3.5, False, 7, 5, 0.035066, 0.030682),
    }),
    ("Senior Sec.", {
        "Grad School": (0.0, 6.0, 3.0, False, 1, 12, 0.0, 0.0),
        "Junior Sec.": (0.0, 4.0, 2.0, False, 3, 12, 0.0, 0.0),
        "Senior Sec.": (0.091091, 3.0, 1.5, True, 4, 12, 0.030364, 0.022773),
        "ANY_Sex": (0.166412, 5.5, 5.5, False, 4, 4, 0.030257, 0.025602),
        "[1-37)": (0.24546, 7.0, 3.5, False, 7, 5, 0.035066, 0.030682),
    }),
]  # fmt: skip
FORMS = {Score.GAIN_PER_LOSS: -2, Score.GAIN_PER_LOSS_PLUS_ONE: -1}
FINAL = [
    (0, 0, 0, 1), (0, 1, 2, 2), (0, 2, 3, 3), (0, 3, 4, 4), (0, 4, 5, 6),
    (1, 0, 0, 1),
    (2, 0, 0, 2), (2, 1, 3, 5),
]  # fmt: skip


def about(number):
    return pytest.approx(number, abs=6e-7)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.value)
def test_tds_takes_the_published_steps(form):
    found, parts = from_above(PUBLISHED, score=form)
    assert len(found.steps) == len(ROUNDS)
    for step, (chosen, round_) in zip(found.steps, ROUNDS, strict=True):
        assert NODES[int(step.column[1:]), step.low, step.high] == chosen
        gain, loss, _, _, *smallest = round_[chosen]
        assert step.information == about(gain)
        assert step.anonymity == loss
        assert step.score == about(round_[chosen][FORMS[form]])
        assert step.smallest == tuple(smallest[:2])
    assert parts == FINAL
    assert found.smallest == (4, 12)


def test_an_average_over_all_requirements_is_the_published_one():
    found, parts = from_above(PUBLISHED, average=Average.ALL)
    losses = [round_[chosen][2] for chosen, round_ in ROUNDS]
    assert [step.anonymity for step in found.steps] == losses
    assert parts == FINAL


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.value)
def test_the_oracle_finds_what_is_published_of_every_candidate(form):
    """What the product's other tests hold it against is itself right."""
    steps, _ = top_down(PUBLISHED, form.value)
    cuts = [[[root] for root in PUBLISHED.roots], *(step["cut"] for step in steps)]
    for (_, round_), cut in zip(ROUNDS, cuts, strict=False):
        seen = {
            NODES.get((each["at"], each["node"].low, each["node"].high)): each
            for each in candidates(PUBLISHED, cut, form.value)
        }
        for name, (gain, loss, _, valid, *rest) in round_.items():
            each = seen[name]
            assert float(each["information"]) == about(gain)
            assert each["anonymity"] == loss
            assert each["valid"] == valid
            assert each["after"] == tuple(rest[:2])
            assert float(each["score"]) == about(rest[FORMS[form]])


def hours_as_classes():
    """The intervals of the taxonomy as the values of the third column, as generalizing begins there."""
    values = [0, 0, 1, 2, 2, 2]
    rows = tuple(((e, s, values[h]), target, who) for (e, s, h), target, who in NUMBERED)
    return Table((EDUCATION, SEX, (("[1-35)", "[35-37)"), "[37-99)")), rows, (((0, 1, 2), 4),))


def test_bottom_up_generalizes_what_gains_anonymity_and_costs_nothing():
    found, parts = from_below(hours_as_classes())
    assert [(s.column, s.low, s.high, s.information) for s in found.steps] == [
        ("q0", 5, 6, 0.0),
        ("q0", 0, 1, 0.0),
    ]
    assert [(s.anonymity, s.score, s.smallest) for s in found.steps] == [
        (2.0, 0.0, (3,)),
        (1.0, 0.0, (4,)),
    ]
    assert [part[2:] for part in parts if part[0] == 0] == [(0, 1), (2, 2), (3, 3), (4, 4), (5, 6)]
    assert [part[2:] for part in parts if part[0]] == [(0, 0), (1, 1), (0, 0), (1, 1), (2, 2)]


def test_the_oracle_finds_what_each_generalization_costs():
    problem = hours_as_classes()
    roots = problem.roots
    found = candidates_below(problem, [leaves(root) for root in roots], roots)
    costs = [
        (c["at"], c["node"].low, float(c["information"]), float(c["anonymity"])) for c in found
    ]
    assert sorted(costs) == [
        (0, 0, 0.0, 0.0),
        (0, 2, about(0.091091), 0.0),
        (0, 5, 0.0, 2.0),
        (1, 0, about(0.166412), 0.0),
        (2, 0, about(0.24546), 0.0),
    ]


def test_a_column_of_no_requirement_loses_nothing_and_is_specialized_first():
    problem = Table((SEX, None), (((0, 0), 0, 0), ((1, 1), 1, 0)) * 3, (((0,), 3),))
    found, parts = from_above(problem)
    assert told(found) == [
        ("q1", 0, 1, 1.0, 0.0, 1.0, (6,)),
        ("q0", 0, 1, 1.0, 3.0, 1 / 3, (3,)),
    ]
    assert parts == [(0, 0, 0, 0), (0, 1, 1, 1), (1, 0, 0, 0), (1, 1, 1, 1)]


def test_a_column_of_no_requirement_is_not_generalized():
    problem = Table((SEX, SEX), (((0, 0), 0, 0), ((1, 1), 1, 0)), (((0,), 2),))
    found, parts = from_below(problem)
    assert [step.column for step in found.steps] == ["q0"]
    assert parts == [(0, 0, 0, 1), (1, 0, 0, 0), (1, 1, 1, 1)]


@pytest.mark.parametrize("search", [from_above, from_below])
def test_fewer_entities_than_a_class_needs_are_no_solution(search):
    rows = (((0,), 0, 1), ((1,), 1, 1), ((0,), 1, 2))
    assert search(Table((SEX,), rows, (((0,), 3),), entity=True)) is None
    found, _ = search(Table((SEX,), rows, (((0,), 2),), entity=True))
    assert found.smallest == (2,)


def test_missing_values_of_a_line_are_a_value_before_all_others():
    rows = (((-1,), 1, 0), ((0,), 0, 0), ((3,), 0, 0)) * 2
    found, parts = from_above(Table((None,), rows, (((0,), 2),)))
    assert [(step.low, step.high) for step in found.steps] == [(-1, 3)]
    assert parts == [(0, 0, -1, -1), (0, 1, 0, 3)]


def test_splits_that_tell_as_much_give_the_lower():
    rows = tuple(((place,), place % 2, 0) for place in range(4))
    found, parts = from_above(Table((None,), rows, (((0,), 1),)))
    assert [(step.low, step.high) for step in found.steps[:1]] == [(0, 3)]
    assert parts == [(0, n, n, n) for n in range(4)]
    both, _ = from_above(Table((None,), rows, (((0,), 1),)), score=Score.GAIN)
    assert [(s.low, s.high) for s in both.steps] == [(0, 3), (1, 3), (2, 3)]


def test_a_line_cannot_be_generalized_from_below():
    with pytest.raises(ValueError, match="needs a tree for each column; one is a line"):
        from_below(Table((None,), (((0,), 0, 0),), (((0,), 1),)))


def test_generalizing_without_a_requirement_is_refused():
    with pytest.raises(ValueError, match="needs a requirement to reach"):
        from_below(Table((SEX,), (((0,), 0, 0),), ()))


@pytest.mark.parametrize("search", [from_above, from_below])
def test_an_empty_table_is_no_solution(search):
    assert search(Table((SEX, SEX), (), (((0, 1), 1),))) is None


def test_without_a_requirement_all_that_tells_of_the_class_is_specialized():
    found, parts = from_above(Table((SEX, None), (((0, 5), 0, 0), ((1, 5), 1, 0)), ()))
    assert [(step.column, step.smallest) for step in found.steps] == [("q0", ())]
    assert parts == [(0, 0, 0, 0), (0, 1, 1, 1), (1, 0, 5, 5)]


def test_steps_are_read_as_they_are_written():
    found, _ = from_above(PUBLISHED)
    written = STEPS.write(found.steps, {})
    assert STEPS.read(read_mapping(written)) == found.steps
    document = read_mapping([{**written[0], "low": "0"}])
    with pytest.raises(Refused):
        STEPS.read(document)
    assert [fault.where for fault in document.faults] == ["[0].low"]
