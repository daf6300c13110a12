"""alpha in a real dbt project: the rows of `apply`, and a test that fails by one row."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import count

import pytest

from tests.dbt.conftest import released_by_apply

RELEASED = "sex, born, zip, job, disease"


@pytest.mark.parametrize("nulls", ["not_counted", "value"])
def test_alpha_is_counted_where_the_model_runs(project, nulls):
    """Of the largest share that a released class has, one more row of the most frequent value is too much."""
    asked = [{"k": 5}, {"alpha": {"column": "disease", "alpha": 0.4}}]
    project.meta(entity="row", privacy=asked, sensitive_nulls=nulls, suppression="40%")
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    rows = project.execute(f"SELECT {RELEASED} FROM patients_anon")
    assert sorted(map(str, rows)) == released_by_apply(project)
    assert any("kanon_alpha" in name for name in project.results())
    classes = defaultdict(Counter)
    for *labels, disease in rows:
        classes[tuple(labels)] += Counter(
            [disease] if disease is not None or nulls == "value" else []
        )
    shares = {(key, *found.most_common(1)[0]): found for key, found in classes.items()}
    key, disease, most = max(shares, key=lambda each: Fraction(each[-1], shares[each].total()))
    known = shares[key, disease, most].total()
    more = next(n for n in count() if 10 * (most + n) > 4 * (known + n))
    like = f"INSERT INTO patients_anon ({RELEASED}) VALUES (?, ?, ?, ?, ?)"
    for _ in range(more - 1):
        project.execute(like, *key, disease)
    project.dbt("test", "--select", "patients_anon,test_name:alpha")
    project.execute(like, *key, disease)
    project.dbt("test", "--select", "patients_anon,test_name:alpha", fails=True)


def test_new_rows_of_a_class_wait_until_no_value_is_too_frequent(project):
    """Five people of one disease are withheld; with twenty more of others no share of their class is above alpha."""
    asked = [{"k": 5}, {"alpha": {"column": "disease", "alpha": 0.5}}]
    project.meta(entity="row", loaded_at="loaded_on", privacy=asked, suppression="40%")
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    ((before,),) = project.execute("SELECT COUNT(*) FROM patients_anon")
    insert = (
        "INSERT INTO raw_patients SELECT {} + i, 'Z', 'x', DATE '1955-01-01', '02138', 'cook', {},"
        " DATE '2026-03-{}' FROM range({}) AS r (i)"
    )
    counts = []
    for first, disease, day, people in ((9000, "'flu'", 20, 5), (9100, "'gout ' || i", 21, 20)):
        project.execute(insert.format(first, disease, day, people))
        project.dbt("run")
        counts += project.execute("SELECT COUNT(*) FROM patients_anon")
    assert counts[0] == (before,)
    assert counts[1] >= (before + 25,)
    assert project.execute("SELECT COUNT(*) FROM patients_anon WHERE disease LIKE 'gout %'") == [
        (20,)
    ]
