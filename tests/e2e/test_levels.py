"""Levels that columns may have, roots, weights and the generalization factor, as users meet them."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
import yaml

import kanon_sql
from kanon_sql.counting.plans.plan import Plan

pytestmark = pytest.mark.sampled(3)

BORN = ["1950-01-03", "1951-02-11", "1950-05-09", "1951-07-30", "1962-01-01", "1962-12-24"]
ZIPS = ["02138", "02139", "02141", "02142", "02138", "02139"]
TREE = {"wet": ["rain", "snow"], "dry": ["sun", "wind"]}


def policy(*, born=(), zip_=(), **changes):
    columns = {
        "born": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}, **dict(born)},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}, **dict(zip_)},
    }
    return {
        "version": 1,
        "source": "given",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 2},
        "suppression": 0,
        **changes,
    }


def frame(times=1):
    return pa.table({"born": BORN * times, "zip": ZIPS * times})


def refused(given, table=None, *, of=kanon_sql.InputError):
    with pytest.raises(of) as caught:
        kanon_sql.plan(given, frame() if table is None else table)
    return str(caught.value)


def test_a_better_node_below_the_least_level_is_not_taken():
    """Each row is there twice: without a bound nothing is generalized."""
    assert kanon_sql.plan(policy(), frame(2)).levels == {"born": 0, "zip": 0}
    plan = kanon_sql.plan(policy(born={"levels": {"least": 1}}.items()), frame(2))
    assert plan.levels == {"born": 1, "zip": 0}
    assert plan.optimal
    assert plan.lattice_nodes == 3 * 6


def test_a_better_node_above_the_last_level_is_not_taken():
    bounds = {"levels": {"most": 1}}.items()
    without = kanon_sql.plan(policy(), frame())
    plan = kanon_sql.plan(policy(born=bounds), frame())
    assert (without.levels, plan.levels) == ({"born": 2, "zip": 1}, {"born": 1, "zip": 2})
    assert plan.cost > without.cost


def test_costs_are_those_of_the_whole_hierarchy():
    """Prec of level 1 of 3 is that, whatever levels are allowed (ARX's minimum and maximum levels)."""
    search = {"metric": "distortion"}
    bounds = {"levels": {"least": 1, "most": 1}}.items()
    plan = kanon_sql.plan(policy(born=bounds, search=search), frame(2))
    assert plan.cost == pytest.approx(((1 / 3 + 0 / 5) / 2,))
    assert plan.figures["precision"] == pytest.approx(1 - plan.cost[0])


def test_a_level_in_the_way_is_named_where_nothing_satisfies_the_policy():
    bounds = {"levels": {"most": 1}}.items()
    told = refused(policy(zip_=bounds, privacy={"k": 3}), of=kanon_sql.InfeasibleError)
    assert "columns.zip.levels has most: 1" in told
    assert "born" not in told
    assert "2 rows (33.3333%) would have to be suppressed, and the policy allows 0" in told
    assert kanon_sql.plan(policy(privacy={"k": 3}), frame()).levels
    both = refused(policy(zip_=bounds, privacy={"k": 6}, born=bounds), of=kanon_sql.InfeasibleError)
    assert "columns.born.levels has most: 1; columns.zip.levels has most: 1" in both


def test_what_no_level_satisfies_is_told_as_ever():
    bounds = {"levels": {"most": 1}}.items()
    given = {**policy(zip_=bounds), "privacy": [{"k": 2}, {"distinct_l": {"column": "s", "l": 3}}]}
    given["columns"] = {**given["columns"], "s": {"role": "sensitive"}}
    table = frame().append_column("s", pa.array(["a", "b"] * 3))
    told = refused(given, table, of=kanon_sql.InfeasibleError)
    assert "levels" not in told
    assert "no recoding satisfies the policy" in told


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ({}, "has neither least nor most"),
        ({"least": -1}, "whole number"),
        ({"least": 2, "most": 1}, "must not be less than least"),
        ({"least": 4}, "is 4, and the last level of its hierarchy is 3"),
        ({"most": 9}, "is 9, and the last level of its hierarchy is 3"),
        ({"lest": 1}, "did you mean least"),
        (1, "must be a mapping"),
    ],
    ids=str,
)
def test_faulty_levels_are_refused(levels, told):
    said = refused(policy(born={"levels": levels}.items()))
    assert "columns.born.levels" in said
    assert told in said


def test_levels_go_with_a_hierarchy():
    given = policy(search={"algorithm": "mondrian"})
    given["columns"]["born"] = {"role": "quasi", "order": "date", "levels": {"least": 1}}
    assert "columns.born.levels: goes with a hierarchy" in refused(given)


def faults_before_reading(algorithm, entry):
    """What is wrong with a column, of a policy whose source cannot be read."""
    target = {} if algorithm == "mondrian" else {"target": "s"}
    given = policy(born=entry.items(), search={"algorithm": algorithm, **target})
    given["columns"]["s"] = {"role": "insensitive"}
    given["source"] = "there is no such table"
    with pytest.raises(kanon_sql.PolicyError) as caught:
        kanon_sql.plan(given)
    return [each.what for each in caught.value.faults if each.where == "columns.born"]


@pytest.mark.parametrize("algorithm", ["mondrian", "top_down", "bottom_up", "k_optimize"])
def test_an_algorithm_that_cuts_values_refuses_weights_before_anything_is_read(algorithm):
    found = faults_before_reading(algorithm, {"weight": 2})
    (what,) = [each for each in found if "order" not in each]
    assert what.startswith("has a weight, ")


@pytest.mark.parametrize("algorithm", ["mondrian", "top_down", "k_optimize"])
def test_an_algorithm_that_cuts_by_order_refuses_levels_before_anything_is_read(algorithm):
    (what,) = faults_before_reading(algorithm, {"levels": {"least": 1}, "order": "date"})
    assert what.startswith(f"has levels, and {algorithm} cuts values by their order")


@pytest.mark.parametrize("algorithm", ["mondrian", "top_down", "bottom_up", "mu_argus"])
def test_what_cuts_from_a_root_refuses_a_hierarchy_of_several(algorithm):
    target = {"target": "s"} if algorithm in {"top_down", "bottom_up"} else {}
    given = weather(search={"algorithm": algorithm, **target})
    given["columns"]["s"] = {"role": "insensitive"}
    table = days().append_column("s", pa.array(["a"] * 9))
    assert f"columns.day.hierarchy: ends in several labels, and {algorithm}" in refused(
        given, table
    )
    found = kanon_sql.compare(weather(suppression=1), days(), algorithms=["optimal", "mu_argus"])
    assert [each.plan is None for each in found.searches] == [False, True]
    assert "releases suppressed cells as the root" in found.searches[1].error


@pytest.mark.parametrize(
    ("search", "entry", "told"),
    [
        ({"metric": "discernibility"}, {"weight": 2}, "which metric: discernibility does not use"),
        ({"metric": "class_size"}, {"weight": 2}, "adds up no columns"),
        ({"metric": "height", "generalization_factor": 0.7}, {}, "metric: height, which ARX defines without it"),
        ({"metric": "entropy", "generalization_factor": 0.7}, {}, "needs suppressed: counted"),
        ({"metric": "class_size", "generalization_factor": 0}, {}, "must be more than 0"),
        ({"generalization_factor": 1.5}, {}, "from 0 to 1"),
        ({"generalization_factor": 0.3, "recoding": "local"}, {}, "use a factor of at least 0.5"),
        ({"generalization_factor": 0.3, "algorithm": "mu_argus"}, {}, "use a factor of at least 0.5"),
        ({"generalization_factor": 0.3, "algorithm": "greedy", "per": "record"}, {}, "at least 0.5"),
        ({"generalization_factor": 0.7, "algorithm": "mondrian"}, {}, "which mondrian does not search"),
        ({"algorithm": "mu_argus", "generalize": {"born": 1}}, {"levels": {"least": 2}}, "level 2 or coarser"),
        ({}, {"weight": 0}, "more than 0"),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_search_has_no_use_for_is_refused_with_a_reason(search, entry, told):
    assert told in refused(policy(born=entry.items(), search=search))


def test_a_weight_decides_which_column_is_raised():
    told = {}
    for name in ("born", "zip"):
        weighed = {("born" if name == "born" else "zip_"): {"weight": 9}.items()}
        told[name] = kanon_sql.plan(policy(**weighed, search={"aggregate": "sum"}), frame())
    assert told["born"].levels["born"] < told["zip"].levels["born"]
    assert told["born"].metric == "loss (sum), weighted"
    assert told["born"].figures["loss"] != told["born"].cost[0]


def test_a_factor_decides_between_suppression_and_generalization():
    rows = pa.table({"born": ["1950-01-03"] * 6 + ["1962-12-24"], "zip": ["02138"] * 7})
    plans = [
        kanon_sql.plan(
            policy(suppression=1, search={"metric": "distortion", "generalization_factor": factor}),
            rows,
        )
        for factor in (0.5, 0.95)
    ]
    assert [plan.suppressed_rows for plan in plans] == [1, 0]
    assert plans[1].metric == "distortion, factor 0.95"


@pytest.mark.slow
def test_no_remark_proposes_a_level_that_is_not_allowed():
    """One row of the year 2000 raises born for all; sparing it, born could be the day, if that were allowed."""
    born = [f"195{i % 5}-01-0{1 + i % 3}" for i in range(1500)]
    rows = pa.table({"born": [*born, "2000-01-01"], "zip": ["02138"] * 1501})
    for least, released in ((0, "born stays exact"), (1, "born is released at level 1 of 3")):
        bounds = {"levels": {"least": least}}.items()
        (told,) = [
            each
            for each in kanon_sql.plan(policy(born=bounds, privacy={"k": 5}), rows).warnings
            if "suppression:" in each
        ]
        assert released in told


def days():
    return pa.table({"day": ["rain", "rain", "snow", "snow", "sun", "sun", "wind", "wind", None]})


def weather(**changes):
    given = policy(**changes)
    given["columns"] = {"day": {"role": "quasi", "hierarchy": {"tree": TREE}}}
    return given


def test_a_hierarchy_of_several_roots_goes_no_further():
    plan = kanon_sql.plan(weather(privacy={"k": 4}, suppression=1), days())
    assert (plan.levels, plan.suppressed_rows, plan.lattice_nodes) == ({"day": 1}, 1, 2)
    told = refused(weather(privacy={"k": 4}), days(), of=kanon_sql.InfeasibleError)
    assert "the hierarchy of day ends in several labels" in told
    assert "1 row (11.1111%) would have to be suppressed" in told
    assert kanon_sql.lint(weather(), days()) == [
        "columns.day.hierarchy: its last level has 2 labels: the column goes no further than these"
    ]


def test_null_lies_under_no_root_of_several_in_a_script_too(tmp_path):
    """Under one of them it would be a third row of its class."""
    given = weather(privacy={"k": 4}, suppression=1)
    with kanon_sql.anonymize(given, days()) as made:
        assert sorted(made.relation.fetchall()) == [("dry",)] * 4 + [("wet",)] * 4
    with duckdb.connect() as connection:
        connection.register("frame", days())
        connection.execute("CREATE TABLE given AS SELECT * FROM frame")
        plan = kanon_sql.plan(given, connection=connection)
        connection.execute(kanon_sql.compile_sql(plan, policy=given, connection=connection))
        table = "kanon_release"
        rows = connection.execute(f'SELECT day FROM "{table}" ORDER BY day').fetchall()
    assert rows == [("dry",)] * 4 + [("wet",)] * 4


def test_an_over_set_leaves_out_a_column_that_may_not_reach_its_root():
    """Over zip alone born says nothing, though no node has it beyond the year."""
    given = policy(born={"levels": {"most": 1}}.items())
    given["privacy"] = [{"k": 2}, {"k": 4, "over": ["zip"]}]
    plan = kanon_sql.plan(given, frame(2))
    (over,) = plan.over
    assert plan.levels == {"born": 0, "zip": 1}
    assert (over.columns, over.classes, over.smallest_class) == (("zip",), 2, 4)


@pytest.fixture
def folder(lab_in, tmp_path):
    """A lab whose source has every row twice."""
    made = lab_in(tmp_path)
    rows = zip(BORN * 2, ZIPS * 2, strict=True)
    made.write("rows.csv", "born,zip\n" + "".join(f"{born},{zip_}\n" for born, zip_ in rows))
    return made


def planned(folder, name, given):
    folder.write(f"{name}.yml", yaml.safe_dump({**given, "source": "rows.csv"}))
    return folder.done("plan", f"{name}.yml")


def test_a_plan_says_within_which_levels_it_was_searched(folder):
    told = planned(folder, "policy", policy(born={"levels": {"least": 1, "most": 2}}.items()))
    assert "within the levels that the policy allows: born levels 1 to 2" in told
    text = (folder.folder / "policy.plan.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(text)["recoding"]["within"] == {"born": {"least": 1, "most": 2}}
    assert Plan.from_yaml(text, "").to_yaml() == text
    folder.done("apply", "policy.plan.yml", "--release", "a.csv")
    folder.write("policy.plan.yml", text.replace("most: 2", "most: 3"))
    told = folder.refused("apply", "policy.plan.yml", "--release", "b.csv")
    assert "recoding.within: is not that of the policy" in " ".join(told.split())


@pytest.mark.slow
def test_a_diff_tells_that_other_levels_are_allowed(folder):
    for name, levels in (("old", {"least": 1}), ("new", {"least": 0, "most": 1})):
        planned(folder, name, policy(born={"levels": levels}.items()))
    told = folder.done("diff", "old.plan.yml", "new.plan.yml")
    assert "level 1 or coarser" in told
    assert "level 1 or finer" in told
    assert "nothing else in the plans shows this change" not in " ".join(told.split())


def test_compare_says_which_algorithms_cannot_keep_to_the_levels():
    given = policy(born={"levels": {"least": 1}, "order": "date"}.items())
    found = kanon_sql.compare(given, frame(2), algorithms=["optimal", "datafly", "mondrian"])
    optimal, datafly, mondrian = found.searches
    assert optimal.plan.levels["born"] == datafly.plan.levels["born"] == 1
    assert "columns.born: has levels, and mondrian cuts values by their order" in mondrian.error
    assert "remove order" in mondrian.error


def test_a_search_that_cuts_says_which_level_stands_in_the_way():
    given = policy(zip_={"levels": {"most": 1}}.items(), search={"algorithm": "mondrian"})
    with pytest.raises(kanon_sql.InfeasibleError, match=r"columns\.zip\.levels has most: 1\."):
        kanon_sql.plan({**given, "privacy": {"k": 5}}, frame(2))


@pytest.mark.slow
def test_a_picture_of_the_lattice_has_the_levels_allowed(folder):
    planned(folder, "policy", policy(born={"levels": {"least": 1, "most": 2}}.items()))
    told = folder.done("explain", "policy.plan.yml", "--lattice", "lattice.svg")
    picture = (folder.folder / "lattice.svg").read_text(encoding="utf-8")
    assert "born 1-2, zip 0-5" in picture
    assert "born is at level 1 already" in told
    assert "With a column at its finest level" in told


def said_of(folder, given):
    """What plan and explain print, and the text of the report, each on one line."""
    policy_ = {**given, "source": str(folder.folder / "rows.csv")}
    plan = kanon_sql.plan(policy_)
    texts = planned(folder, "policy", given), str(kanon_sql.explain(plan)), kanon_sql.report(plan).to_text()  # fmt: skip
    return [" ".join(text.split()) for text in texts]


def test_a_proof_of_bounded_levels_says_among_how_many_nodes_it_holds(folder):
    """The best of the nodes that the policy allows is not called the best of all: zip 0 has as little loss."""
    for text in said_of(folder, policy()):
        assert "No single node" in text or "proven optimal" in text
        assert "proven optimal among" not in text
        assert "8 of 24 nodes" not in text
    for text in said_of(folder, policy(zip_={"levels": {"least": 2, "most": 3}}.items())):
        assert "8 of 24 nodes" in text
        assert "No single node" not in text


def test_a_node_that_the_policy_fixes_is_not_called_proven(folder):
    """That it was compared with no other is said wherever its cost is: here (0, 0) costs less."""
    given = policy(**{key: {"levels": {"least": 1, "most": 1}}.items() for key in ("born", "zip_")})
    for text in said_of(folder, given):
        assert "compared with no other" in text
        assert "1 of 24 nodes" in text
        assert "proven" not in text
