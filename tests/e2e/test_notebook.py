"""A notebook's k-anonymity by its own hierarchies: the tables and the figures that it comes to.

The notebook (a case study of GIC's records of Massachusetts) raises Age, then ZipCode, then Gender, a level at
a time to the end of each, until every class has k rows; at the very end it suppresses. It is written down here
from its description, in plain Python.
"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

import kanon_sql

PEOPLE = [
    ("02138", 29, "Female"), ("02139", 31, "Female"), ("02141", 28, "Female"), ("02142", 45, "Male"),
    ("02138", 47, "Male"), ("02139", 43, "Male"), ("02141", 52, "Male"), ("02142", 36, "Female"),
    ("02138", 41, "Male"), ("02139", 33, "Female"), ("02141", 55, "Male"), ("02142", 38, "Female"),
    ("02138", 49, "Male"), ("02139", 42, "Female"), ("02141", 58, "Male"),
]  # fmt: skip
AGES = """
SELECT
  age, concat(age // 5 * 5, '-', age // 5 * 5 + 4), concat(age // 10 * 10, '-', age // 10 * 10 + 9),
  CASE WHEN age < 40 THEN '20-39' WHEN age < 60 THEN '40-59' ELSE '60+' END
FROM range(20, 100) AS ages (age)
"""
LAST = {"Age": 3, "ZipCode": 3, "Gender": 1}


def age(value, level):
    if level == 3:
        return "20-39" if value < 40 else "40-59" if value < 60 else "60+"
    width = (1, 5, 10)[level]
    low = value // width * width
    return str(value) if not level else f"{low}-{low + width - 1}"


def labels(row, levels):
    zip_, years, gender = row
    kept = 5 - levels["ZipCode"]
    return (
        zip_[:kept] + "*" * (5 - kept),
        age(years, levels["Age"]),
        "Person" if levels["Gender"] else gender,
    )


def notebook(k):
    """The levels, the classes, and how many rows are suppressed at the end."""
    levels = dict.fromkeys(LAST, 0)
    while True:
        classes = Counter(labels(row, levels) for row in PEOPLE)
        short = {each: n for each, n in classes.items() if n < k}
        column = next((name for name, last in LAST.items() if levels[name] < last), None)
        if not short or column is None:
            return levels, classes - Counter(short), sum(short.values())
        levels[column] += 1


def policy(k, *, suppression=0, fixed=False):
    def own(name):
        return {"levels": {"least": LAST[name], "most": LAST[name]}} if fixed else {}

    return {
        "version": 1,
        "source": "given",
        "entity": "row",
        "columns": {
            "ZipCode": {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"most": 3}} | own("ZipCode"),
            "Age": {"role": "quasi", "hierarchy": {"query": AGES}} | own("Age"),
            "Gender": {"role": "quasi", "hierarchy": {"tree": {"Person": ["Female", "Male"]}}} | own("Gender"),
        },
        "privacy": {"k": k},
        "suppression": suppression,
        "search": {"algorithm": "greedy", "order": ["Age", "ZipCode", "Gender"]},
    }  # fmt: skip


def frame():
    zips, ages, genders = zip(*PEOPLE, strict=True)
    return pa.table({"ZipCode": zips, "Age": ages, "Gender": genders})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("k", [3, 1, 2, 5, 4, 6])
def test_the_tables_of_the_notebook_come_out(k):
    levels, classes, suppressed = notebook(k)
    with kanon_sql.anonymize(policy(k), frame()) as made:
        assert Counter(made.relation.fetchall()) == {
            tuple(str(part) for part in each) if k > 1 else (each[0], int(each[1]), each[2]): n
            for each, n in classes.items()
        }
    assert made.plan.levels == {name: levels[name] for name in ("ZipCode", "Age", "Gender")}
    assert made.plan.suppressed_rows == suppressed == 0


def test_the_figures_of_the_notebook_come_out_for_3_and_5():
    """C_DM 15 and 117, precision loss 86.67 % and 75 %; its probability 1/k bounds the plan's own, 1/6."""
    for k in (3, 5):
        plan = kanon_sql.plan(policy(k), frame())
        assert plan.levels == {"ZipCode": 3, "Age": 3, "Gender": 1}
        assert plan.figures["discernibility"] == 6**2 + 9**2 == 117
        assert plan.figures["classes_before"] == 15
        (before, *_, after) = [step.distinct for step in plan.steps]
        lost = [1 - now / then for then, now in zip(before, after, strict=True)]
        assert lost == pytest.approx([0.75, 1 - 2 / 15, 0.5])
        assert plan.highest_risk == 1 / 6 <= 1 / k


def test_what_is_suppressed_at_the_very_end_is_suppressed_at_fixed_levels():
    """A search may suppress up to the limit at any node; at the notebook's last node there is no other."""
    levels, classes, suppressed = notebook(7)
    assert (levels, suppressed) == (LAST, 6)
    with kanon_sql.anonymize(policy(7, suppression=6, fixed=True), frame()) as made:
        assert Counter(made.relation.fetchall()) == classes
    assert made.plan.suppressed_rows == 6
    with pytest.raises(kanon_sql.InfeasibleError) as caught:
        kanon_sql.plan(policy(7), frame())
    assert "the hierarchy of Age ends in several labels. At the coarsest" in str(caught.value)
    assert "ZipCode" not in str(caught.value)


def test_a_level_that_is_no_function_of_the_one_below_is_told_with_the_way_to_say_it():
    """Steps of 20 years from 30 on lie across the steps of 15."""
    steps = "SELECT a, concat(a // 15 * 15), concat((a - 30) // 20) FROM range(20, 100) AS t (a)"
    given = policy(3)
    given["columns"]["Age"]["hierarchy"] = {"query": steps}
    with pytest.raises(kanon_sql.HierarchyError) as caught:
        kanon_sql.plan(given, frame())
    (fault,) = caught.value.faults
    assert fault.where == "columns.Age.hierarchy"
    assert "more than one parent at level 2" in fault.what
    assert "or leave one of the levels out" in fault.what
