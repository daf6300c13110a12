"""Quality of releases: answers that are known, refusals, what no hierarchy tells, and no value in any output."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.sampled(3)

NAMES = ("race", "birth", "gender", "zip")
TWELVE = """\
black,9/20/65,male,02141
black,2/14/65,male,02141
black,10/23/65,female,02138
black,8/24/65,female,02138
black,11/7/64,female,02138
black,12/1/64,female,02138
white,10/23/64,male,02138
white,3/15/65,female,02139
white,8/13/64,male,02139
white,5/5/64,male,02139
white,2/13/67,male,02138
white,3/21/67,male,02138
"""
"""Sweeney's table (IJUFKS 10(5), 2002, figure 9)."""
ROWS = [line.split(",") for line in TWELVE.splitlines()]
BIRTHS = {
    year: [born for _, born, *_ in ROWS if born.endswith(year[2:])]
    for year in ("1964", "1965", "1967")
}
POLICY = {
    "version": 1,
    "source": "twelve.parquet",
    "entity": "row",
    "columns": {
        "race": {"role": "quasi", "hierarchy": "suppress"},
        "birth": {"role": "quasi", "hierarchy": {"tree": {"*": BIRTHS}}},
        "gender": {"role": "quasi", "hierarchy": "suppress"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    },
    "privacy": {"k": 2},
    "suppression": 2,
    "search": {"algorithm": "datafly"},
}


def texts(names, rows):
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table({n: pa.array(c, pa.string()) for n, c in zip(names, columns, strict=True)})


@pytest.fixture(scope="module")
def twelve():
    source = texts(NAMES, ROWS)
    plan = kanon_sql.plan(POLICY, source)
    return source, plan, kanon_sql.apply(plan, source, policy=POLICY).frame()


def test_known_answers_of_the_reference(twelve, shared):
    source, plan, release = twelve
    examples = json.loads((shared / "EXAMPLES.json").read_text(encoding="utf-8"))["examples"]
    (known,) = (each["expected"] for each in examples if each["id"] == "metrics_datafly")
    found = kanon_sql.quality(release, source, plan=plan, policy=POLICY)
    figures = found.figures
    assert figures["discernibility"] == known["C_DM_with_suppression(k=2,|D|=12)"] == 44
    assert figures["discernibility_star"] == known["DM_star(no suppression penalty)"] == 22
    assert figures["c_avg"] == known["C_AVG_released=(10/5)/2"] == 1
    assert figures["aecs"] == known["AECS_ARX=12/(5+1)"] == 2
    assert known["LM_attr_birth (M-1)/(|A|-1) per tuple, |A|=12"]["1965"] == "4/11"
    # Of 1964 and 1965 four rows each are released, of 1967 two; two rows are suppressed.
    birth = found.columns[1]
    assert birth.loss == pytest.approx((8 * 4 / 11 + 2 * 1 / 11 + 2) / 12, rel=1e-12)
    assert figures["loss_sum"] == pytest.approx(sum(c.loss for c in found.columns), rel=1e-12)
    assert birth.precision_loss == 1 - 3 / 12
    assert figures["privacy_gain"] == 1 - 1 / 2


def test_figures_of_plan_and_release_are_equal_to_the_last_bit(twelve):
    source, plan, release = twelve
    found = kanon_sql.quality(release, source, plan=plan, policy=POLICY)
    both = plan.figures.keys() & found.figures.keys()
    assert len(both) >= 7
    assert {key: found.figures[key] for key in both} == {key: plan.figures[key] for key in both}
    assert found.warnings == ()


def test_another_release_is_told_from_that_of_the_plan(twelve):
    source, plan, release = twelve
    found = kanon_sql.quality(release.slice(1), source, plan=plan, policy=POLICY)
    assert any("suppressed rows" in each for each in found.warnings)
    assert any(each.startswith("discernibility") for each in found.warnings)
    strange = texts(NAMES, [["purple", "1965", "male", "02141"]])
    found = kanon_sql.quality(strange, source, plan=plan, policy=POLICY)
    assert found.figures["loss"] is None
    assert "1 released rows have a label" in found.reasons["loss"]
    assert "purple" not in json.dumps(found.summary()), "a reason is a count and no value"
    assert found.figures["discernibility"] == 1 + 12 * 11
    with pytest.raises(kanon_sql.InputError, match="queries: cannot be estimated"):
        kanon_sql.quality(strange, source, plan=plan, policy=POLICY, workload=3)
    whites = texts(NAMES, [["white", "1965", "female", "02139"]] * 8)
    found = kanon_sql.quality(whites, source, plan=plan, policy=POLICY)
    assert "of which the source has fewer rows" in found.reasons["precision"]


def test_releases_of_other_software_are_measured_without_hierarchies(twelve):
    source, _, release = twelve
    found = kanon_sql.quality(release, source, quasi=NAMES, class_column="gender")
    assert found.figures["discernibility"] == 44
    assert found.figures["classification"] == 2 / 12, "gender is the same in each class"
    assert found.figures["c_avg"] is None
    assert "k is not known" in found.reasons["c_avg"]
    assert "give a plan or a policy" in found.reasons["loss"]
    assert all("give a plan or a policy" in column.reason for column in found.columns)
    missing = {key for key, value in found.figures.items() if value is None}
    assert missing == set(found.reasons)
    nothing = kanon_sql.quality(release.slice(0, 0), source, quasi=NAMES, k=2)
    assert nothing.figures["discernibility"] == 144
    assert nothing.reasons["c_avg"] == "the release has no rows"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "source: is missing"),
        ({"source": texts(NAMES, ROWS)}, "quasi: name at least one column"),
        ({"source": texts(NAMES, ROWS), "quasi": ["race", "tall"]}, "tall: is not a column"),
        ({"source": texts(NAMES, ROWS[:3]), "quasi": ["race"]}, "it is a release of other rows"),
        ({"source": texts(NAMES, []), "quasi": ["race"]}, "source: has no rows|other rows"),
        ({"source": texts(NAMES, ROWS), "quasi": ["race"], "k": 0}, "k: must be at least 1"),
        (
            {"source": texts(NAMES, ROWS), "quasi": ["race"], "class_column": "x"},
            "x: is not a column",
        ),
        ({"source": texts(NAMES, ROWS), "quasi": ["race"], "workload": 9}, "needs hierarchies"),
        ({"source": texts(NAMES, ROWS), "quasi": ["race"], "workload": -1}, "workload: must be"),
        ({"policy": POLICY, "quasi": ["race"]}, "quasi: is that of the plan or policy"),
        ({"queries": [{}]}, "queries 1: must be a list of mappings"),
        ({"queries": [{"race": "x"}], "workload": 2}, "queries: goes without workload"),
        ({"queries": "no such.yml"}, "there is no such file"),
        ({"queries": __file__}, "is not YAML|one key of the file"),
    ],
)
def test_what_cannot_be_measured_is_refused(twelve, given, says):
    with pytest.raises(kanon_sql.InputError, match=says):
        kanon_sql.quality(twelve[2], **given)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"tall": "tall"}, "tall is no quasi-identifier"),
        ({"race": "zip = '02138'"}, "queries 1.race: names another column"),
        ({"race": "random() < 1"}, "queries 1.race: may only hold"),
        ({"race": "race = (SELECT 1)"}, "queries 1.race"),
    ],
)
def test_a_query_is_a_condition_on_its_own_column(twelve, query, says):
    source, plan, release = twelve
    with pytest.raises(kanon_sql.InputError, match=says):
        kanon_sql.quality(release, source, plan=plan, policy=POLICY, queries=[query])


def test_classes_of_persons_are_not_those_of_rows(twelve):
    source, _, release = twelve
    policy = {**POLICY, "entity": "who"}
    policy["columns"] = {"who": {"role": "identifying", "action": "drop"}, **POLICY["columns"]}
    people = source.append_column("who", pa.array([str(n // 2) for n in range(12)]))
    found = kanon_sql.quality(release, people, policy=policy)
    assert found.figures["privacy_gain"] is None
    assert "persons" in found.reasons["highest_prosecutor_risk"]


def test_the_command_prints_figures_and_no_value(lab):
    planted = "Xq7planted"
    rows = [("a" if n % 2 else planted, str(n % 3)) for n in range(12)]
    lab.write("s.csv", "q,n\n" + "".join(f"{q},{n}\n" for q, n in rows))
    lab.write("r.csv", "q,n\n" + "".join(f"{q},*\n" for q, _ in rows[:10]))
    lab.write(
        "p.yml",
        "version: 1\nsource: s.csv\nentity: row\ncolumns:\n"
        "  q: {role: quasi, hierarchy: suppress}\n  n: {role: quasi, hierarchy: suppress}\n"
        "privacy: {k: 2}\nsuppression: 50%\n",
    )
    bare = ("quality", "r.csv", "--source", "s.csv", "--quasi", "q,n")
    with_policy = ("quality", "r.csv", "--policy", "p.yml", "--workload", "5", "--class", "q")
    for asked in (bare, with_policy):
        told, found = lab.done(*asked), json.loads(lab.done(*asked, "--json"))
        assert planted not in told + json.dumps(found)
        assert "10 of 12 rows are released in 2 equivalence classes, smallest 5" in told
        assert (found["status"], found["suppressed_rows"]) == ("ok", 2)
        assert found["figures"]["discernibility"] == 25 + 25 + 12 * 2
        assert found["columns"]["n"]["precision_loss"] == 1 - 1 / 3
    assert "COUNT queries: 5" in told
    assert "not measured: CM, " not in told
    assert found["queries"]["queries"] == 5
    assert found["figures"]["height"] == 1


def test_queries_of_a_file_are_those_of_a_list(lab, twelve):
    source, plan, release = twelve
    path = lab.write(
        "q.yml", "queries:\n  - {race: \"race = 'black'\", birth: \"birth LIKE '%/65'\"}\n"
    )
    listed = [{"race": "race = 'black'", "birth": "birth LIKE '%/65'"}]
    asked = {"plan": plan, "policy": POLICY}
    found = kanon_sql.quality(release, source, queries=path, **asked).queries
    assert found == kanon_sql.quality(release, source, queries=listed, **asked).queries
    # Five dates of 1965, of which four are of black people; the label 1965 covers them all.
    assert found.counts == ((4, 4.0),)
    assert found.mean == found.median == found.highest == 0


INTERVALS = {"hierarchy": {"intervals": [5, 10]}}
BY_ORDER = {"order": "number"}
LETTERS = {"hierarchy": {"tree": {"*": {"p": ["a", "b"], "q": ["c", "d"]}}}}
NUMBERS = [(n * 37 % 40, "abcd"[n * 13 % 7 % 4], "xy"[n * 29 % 5 % 2]) for n in range(160)]


@pytest.mark.parametrize(
    ("age", "search", "same"),
    [
        ({**INTERVALS, "output": "bounds"}, {}, {"loss", "precision", "entropy"}),
        (INTERVALS, {"algorithm": "mu_argus", "repair": "records"}, {"loss", "discernibility"}),
        (INTERVALS, {"algorithm": "top_down", "target": "t"}, {"gcp", "discernibility"}),
        ({**BY_ORDER, "output": "bounds"}, {"algorithm": "mondrian"}, {"discernibility", "c_avg"}),
    ],
    ids=["bounds", "cells", "several levels", "regions"],
)
def test_every_recoding_is_measured_as_far_as_its_labels_tell(age, search, same):
    ages, letters, targets = zip(*NUMBERS, strict=True)
    source = pa.table({"age": ages, "letter": letters, "t": targets})
    policy = {
        **POLICY,
        "columns": {
            "age": {"role": "quasi", **age},
            "letter": {"role": "quasi", **LETTERS},
            "t": {"role": "insensitive"},
        },
        "privacy": {"k": 5},
        "suppression": "0" if search.get("algorithm") == "mondrian" else "30%",
        "search": search,
    }
    plan = kanon_sql.plan(policy, source)
    release = kanon_sql.apply(plan, source, policy=policy).frame()
    found = kanon_sql.quality(release, source, plan=plan, policy=policy)
    assert found.warnings == ()
    for key in same:
        assert found.figures[key] == pytest.approx(plan.figures[key], rel=1e-9), key
    if "order" in age:
        assert "cut by their order" in found.reasons["loss"]
        assert "cut by their order" in found.columns[0].reason


@pytest.mark.parametrize("output", ["mean", "median", "representative", "set"])
def test_what_a_class_shows_of_its_rows_has_no_penalty_that_a_label_tells(output):
    """A mean looks like one value, which costs nothing: without the plan its interval is unknown."""
    source = pa.table({"age": [age for age, *_ in NUMBERS]})
    columns = {"age": {"role": "quasi", **BY_ORDER, "output": output}}
    policy = {**POLICY, "columns": columns, "privacy": {"k": 5}, "suppression": 0}
    policy["search"] = {"algorithm": "mondrian"}
    release = kanon_sql.anonymize(policy, source).frame()
    assert kanon_sql.quality(release, source, policy=policy).columns[0].certainty is None
