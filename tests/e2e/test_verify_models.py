"""`verify` asks any table for any class model: what it says is what brute force says of the table's own classes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction

import class_models
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

pytestmark = pytest.mark.sampled(3)

ILLS = ["flu", "cold", "ulcer", "gout"]
OF_TABLE = ("release",)
RULES = {
    "alpha": class_models.alpha(Fraction(3, 5)),
    "entropy": class_models.entropy(1.5),
    "recursive": class_models.recursive(Fraction(4, 3), 1),
    "t": class_models.equal_distance(Fraction(3, 10), *OF_TABLE),
    "both": class_models.equal_distance(Fraction(3, 10), "source", "release"),
    "ordered t": class_models.ordered_distance(Fraction(1, 4), ILLS, *OF_TABLE),
    "beta": class_models.beta(Fraction(1, 2), *OF_TABLE, enhanced=True),
    "delta": class_models.delta(Fraction(1), *OF_TABLE, absent="ignored"),
}
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([*ILLS, None])), min_size=1, max_size=16
)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("nulls", ["not_counted", "value"])
@examples(25)
@given(rows=ROWS)
def test_a_class_is_short_where_brute_force_says_so(*, name, nulls, rows):
    rule = RULES[name]
    frame = pa.table({"z": [z for z, _ in rows], "s": pa.array([s for _, s in rows], pa.string())})
    order = {"s": rule.column["order"]} if rule.column else {}
    found = kanon_sql.verify(
        frame, quasi=["z"], privacy=rule.privacy, order=order, sensitive_nulls=nulls
    )

    def counts(cells):
        return Counter(each for each in cells if nulls == "value" or each is not None)

    classes = defaultdict(list)
    for z, s in rows:
        classes[z].append(s)
    table = counts(s for _, s in rows)
    short = [z for z, cells in classes.items() if not rule.fits(counts(cells), table)]
    assert (found.short_classes, found.passed) == (len(short), not short)


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{z},{s},{n}\n" for z in "ab" for n, s in enumerate(ILLS)]
    (tmp_path / "people.csv").write_text("z,s,n\n" + "".join(rows), encoding="utf-8")
    return "people.csv"


def asked(run, *models):
    return run(
        "verify", "people.csv", "--quasi", "z", *(w for m in models for w in ("--privacy", m))
    )


@pytest.fixture
def run(people):
    from click.testing import CliRunner

    from kanon_sql.apps.cli.command_line import main

    del people
    return lambda *words: CliRunner().invoke(main, list(words))


def test_models_are_asked_for_as_a_policy_states_them(run):
    done = asked(run, "entropy_l: {column: s, l: 4}", "{alpha: {column: s, alpha: 0.25}, k: 4}")
    assert done.exit_code == 0, done.output
    assert "least entropy l of s: 4; largest share of s: 0.25; 0 classes fail" in done.output
    done = asked(run, "alpha: {column: s, alpha: 0.249999999}")
    assert (done.exit_code, "2 of 2 classes fail (8 of 8 rows)" in done.output) == (4, True)


def test_the_json_has_the_worst_class_by_each_measure(run):
    words = (
        "--privacy",
        "t_closeness: {column: n, t: 0.1, distance: ordered}",
        "--order",
        "n=number",
    )
    done = run("verify", "people.csv", "--quasi", "z,s", *words, "--json")
    found = json.loads(done.output)
    assert done.exit_code == 4
    # Each class holds one of four numbers: from the first, 3/4 + 1/2 + 1/4 of the rows over three steps.
    assert found["largest_ordered_distance_in_release"] == {"n": 0.5}
    assert found["sensitive_nulls"] == "not_counted"


@pytest.mark.parametrize(
    ("order", "cells", "said"),
    [
        (None, ("1", "2", "x1y", "z9z"), "2 distinct values are not numbers between"),
        (
            "date",
            ("2020-01-01", "2021-01-01", "x1y", None),
            "1 distinct value is no finite date",
        ),
        (["a", "b"], ("a", "b", "x1y", None), "1 distinct value is not in its list"),
        ("text", ("a", "b", "x1y", "z9z"), None),
        (None, ("1", "2", "3", None), None),
    ],
)
def test_values_without_a_place_in_the_order_are_said(order, cells, said):
    """The distance is then 1, which says nothing of why."""
    frame = pa.table({"z": ["p", "p", "q", "q"], "s": list(cells)})
    found = kanon_sql.verify(
        frame,
        quasi=["z"],
        privacy={"t_closeness": {"column": "s", "t": 0.5, "distance": "ordered"}},
        order={} if order is None else {"s": order},
    )
    assert (said is None) == (found.without_place == {})
    if said is not None:
        assert not found.passed
        assert said in found.without_place["s"]
        assert found.worst["largest_ordered_distance_in_release"]["s"] == 1
        assert found.summary()["without_place"] == dict(found.without_place)
        assert "x1y" not in str(found.summary())


def test_the_command_says_how_many_values_have_no_place(run):
    words = "t_closeness: {column: s, t: 0.1, distance: ordered}"
    done = asked(run, words)
    assert done.exit_code == 4
    assert "distinct values are not numbers between -10^15 and 10^15 in s" in done.output
    assert "give their order by --order" in done.output


def test_a_certificate_says_that_values_have_no_place_by_now(tmp_path):
    frame = pa.table({"z": ["p", "p", "q", "q"], "s": ["1", "2", "1", "2"]})
    policy = {
        "version": 1,
        "source": "given",
        "entity": "row",
        "columns": {"z": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}},
        "privacy": {"t_closeness": {"column": "s", "t": 0.1, "distance": "ordered"}},
    }
    release, folder = str(tmp_path / "out.csv"), tmp_path / "out"
    plan = kanon_sql.plan(policy, frame)
    kanon_sql.apply(plan, frame, policy=policy, release=release)
    kanon_sql.certify(release, plan, policy=policy, folder=folder)
    (tmp_path / "out.csv").write_text("z,s\np,1\np,2\nq,1\nq,x1y\n", encoding="utf-8")
    found = kanon_sql.verify_certificate(folder / "certificate.json")
    said = [fault.what for fault in found.faults if fault.where == "columns.s"]
    assert not found.passed
    assert said == [
        "1 distinct value is no number between -10^15 and 10^15: a class that has one is at distance 1"
    ]
    with pytest.raises(kanon_sql.VerificationError, match="1 distinct value is no number"):
        kanon_sql.certify(release, plan, policy=policy, folder=folder, replace=True)


REFUSED = {
    "t_closeness: {column: s, t: 0.2, reference: source}": "say reference: both or release",
    "{k: 2, over: n}": "is not a quasi-identifier",
    "alpha: {column: nobody, alpha: 0.5}": "nobody: is not a column of the table",
    "alpha: {column: s, alpha: 2}": "must lie between 0 and 1",
    "alpha": "must be a mapping",
    "beta: {column: s}": "unknown privacy model",
    "{": "is not YAML",
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_asked_of_a_table_is_refused(run, said):
    done = asked(run, said)
    assert done.exit_code == 1, done.output
    assert REFUSED[said] in done.output
    assert done.output.startswith("error: ")


def test_a_model_over_some_of_the_columns_is_recounted_over_these(run):
    """Every class over both has fewer rows than one over z alone; what fails says over which."""
    whole = run("verify", "people.csv", "--quasi", "z", "-k", "1", "--json")
    least = json.loads(whole.output)["smallest_class"]
    for k, passed in ((least, True), (least + 1, False)):
        done = run("verify", "people.csv", "--quasi", "z,n", "--privacy", f"{{k: {k}, over: z}}")
        assert done.exit_code == (0 if passed else 4)
        first, second = done.output.splitlines()
        assert first.startswith("PASS over z, n: ")
        assert second.startswith(f"{'PASS' if passed else 'FAIL'} over z: ")


def test_a_failure_names_the_models_and_no_figure_is_a_sentinel(run):
    """Rows of a have one value of two each; c and the bound of 1 are figures of the table, whatever is asked."""
    models = [
        "--privacy",
        "alpha: {column: s, alpha: 1}",
        "--privacy",
        "recursive_l: {column: n, c: 9, l: 5}",
    ]
    said = run("verify", "people.csv", "--quasi", "z", "-k", "9", *models)
    assert said.exit_code == 4
    assert (
        "falls short of k: at least 9 and c of recursive (c, 5)-diversity of n: at most 9.0"
        in said.output
    )
    assert "largest share of s: 0.25" in said.output
    assert "largest c of n: no bound is kept" in said.output
    found = json.loads(
        run("verify", "people.csv", "--quasi", "z", "-k", "9", *models, "--json").output
    )
    assert found["failed"][0] == "k: at least 9"
    assert found["largest_c"] == {"n": None}


@pytest.mark.parametrize("c", [1, 1.01, "4/3"])
def test_the_largest_c_is_that_of_the_table(c):
    frame = pa.table({"z": ["a"] * 5, "s": ["x", "x", "x", "y", "y"]})
    asked = {"recursive_l": {"column": "s", "c": c, "l": 2}}
    found = kanon_sql.verify(frame, quasi=["z"], privacy=asked)
    assert found.worst["largest_c"]["s"] == pytest.approx(1.5, abs=1e-8)


def test_entropy_of_a_trivial_bound_has_a_figure():
    frame = pa.table({"z": ["a"] * 4, "s": ["x", "x", "y", "y"]})
    found = kanon_sql.verify(frame, quasi=["z"], privacy={"entropy_l": {"column": "s", "l": 1}})
    assert found.worst["least_entropy_l"] == {"s": 2}


def test_rows_without_enough_candidates_are_counted():
    frame = pa.table({"z": ["a", "a", None, "b"], "w": ["x", "x", "y", "y"]})
    found = kanon_sql.verify(frame, quasi=["z", "w"], k=3, nulls="wildcard")
    assert (found.short_classes, found.short_rows) == (3, 4)
    assert found.summary()["short_rows"] == 4
