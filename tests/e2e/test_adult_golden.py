"""Adult with nine and with eight quasi-identifiers, against published and recomputed optima.

Every node of each lattice is checked on the database once; the searches then run on those
verdicts for every MaxSup and metric, and a few run on the database from end to end.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.counting.lattice.result import Verdict
from kanon_sql.policy.metrics.registry import metric_named
from kanon_sql.policy.metrics.statistics import Need
from kanon_sql.policy.search_options import Among, Preference, Variant
from kanon_sql.recoding.searches.binary_searches import all_min, flash, ola, samarati
from kanon_sql.recoding.searches.incognito import incognito
from kanon_sql.recoding.searches.optimal import breadth_first, exhaustive, optimal

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
pytestmark = [
    pytest.mark.sampled(5),
    pytest.mark.skipif(
        not (SHARED / "EXAMPLES.json").is_file(),
        reason="the shared folder with Adult and its golden values is not beside this repository",
    ),
]

LATTICES = {"adult_9qi": 9, "adult_8qi_occupation_sensitive": 8}
SHARES = ("0.0", "0.01", "0.04", "0.05")
CASES = [(name, k) for name in LATTICES for k in (2, 5)]
BORDERS = (all_min, ola, flash)
ALWAYS_MONOTONE = ("height", "entropy")
METRICS = {
    "height": None,
    "discernibility": ("best_C_DM", "C_DM"),
    "entropy": ("best_nonuniform_entropy", "value"),
}
"""What each search runs under, and where the golden values have its best node and cost."""


def golden():
    text = (SHARED / "EXAMPLES.json").read_text(encoding="utf-8")
    return json.loads(text)["golden_adult"]


def policy(names, k, suppression, search=None):
    columns = {
        name: {
            "role": "quasi",
            "hierarchy": {"csv": str(SHARED / "data" / "adult" / f"hierarchy_{name}.csv")},
        }
        for name in names
    }
    if "occupation" not in names:
        columns["occupation"] = {"role": "sensitive"}
    return {
        "version": 1,
        "source": {"path": str(SHARED / "data" / "adult" / "adult.csv"), "delimiter": ";"},
        "entity": "row",
        "columns": columns,
        "privacy": {"k": k},
        "suppression": suppression,
        "search": search or {},
    }


class Reread:
    """Candidate graphs that the database made once: what they are depends on what failed alone."""

    def __init__(self, made):
        self._made, self._known, self._at = made, {}, ()

    def first(self):
        self._at = ()
        return self._given(self._made.first)

    def grow(self, failed):
        self._at = (*self._at, frozenset(failed))
        return self._given(lambda: self._made.grow(failed))

    def _given(self, make):
        if self._at not in self._known:
            assert len(self._known) == len(self._at), "a run fails otherwise than the one before"
            self._known[self._at] = make()
        return self._known[self._at]


class Recorded:
    """Answers from the verdicts of one pass over the lattice, for any MaxSup and metric."""

    batch = 16
    monotone = True

    def __init__(self, real, counts, metric, limit, graphs=None):
        self.lattice, self.stats = real.lattice, real.stats
        self.class_size = real.class_size
        self.metric, self.limit, self.max_suppressed = metric, limit, limit
        self._real, self._counts, self._graphs = real, counts, graphs

    def check(self, nodes):
        return [
            Verdict(node, self._counts[node], self._counts[node].suppressed <= self.limit)
            for node in nodes
        ]

    def costs(self, verdicts):
        assert self.metric.need in {Need.NOTHING, Need.SQUARES}
        return [self.metric.cost(self.stats, v.node, v.counts, ()) for v in verdicts]

    def late(self):
        return False

    def keep(self, node):
        """Nothing is counted here."""

    def let_go(self, node):
        """Nothing is kept."""

    def graphs(self):
        return self._graphs or self._real.graphs()

    @property
    def passes(self):
        return self._real.passes


@pytest.fixture(scope="module")
def passes(sql_check):
    """One pass a lattice and k, made when first asked for."""
    made = {}
    with ExitStack() as stack:

        def get(name, k):
            if (name, k) not in made:
                names = golden()["lattice"][name]["qi"]
                search = {"metric": "discernibility"}
                checker, _, _ = stack.enter_context(sql_check(policy(names, k, 0, search), None))
                verdicts = checker.check(list(checker.lattice.nodes()))
                made[name, k] = (checker, {v.node: v.counts for v in verdicts})
            return made[name, k]

        yield get


def expected(name, k, share):
    by_share = golden()["lattice"][name]["by_k"][str(k)]
    (key,) = [key for key in by_share if key.startswith(f"maxsup={share} ")]
    return by_share[key], int(key.split("(")[1].split()[0])


def recorded(passes, name, k, share, metric, *, graphs=None):
    checker, counts = passes(name, k)
    gold, limit = expected(name, k, share)
    return Recorded(checker, counts, metric_named(metric), limit, graphs), gold


@pytest.fixture(scope="module")
def finds(passes):
    """What a search finds under each metric, on the same candidate graphs; one case is kept."""
    kept = {}

    def get(case, run):
        if (case, run) not in kept:
            kept.clear()
            graphs = Reread(passes(*case[:2])[0].graphs())
            kept[case, run] = {
                metric: run(recorded(passes, *case, metric, graphs=graphs)[0]) for metric in METRICS
            }
        return kept[case, run]

    return get


def nodes(found):
    return [list(node.levels) for node in found]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), CASES)
def test_the_table_is_the_one_the_numbers_are_of(passes, name, k):
    checker, counts = passes(name, k)
    gold = golden()["lattice"][name]
    assert checker.stats.rows == gold["rows"]
    assert checker.stats.classes == gold["distinct_qi_tuples"]
    assert [top + 1 for top in checker.lattice.tops] == gold["levels"]
    assert len(counts) == gold["lattice_nodes"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), CASES)
def test_suppressed_rows_never_rise_towards_the_top(passes, name, k):
    checker, counts = passes(name, k)
    for node, own in counts.items():
        for parent in node.parents(checker.lattice.tops):
            assert counts[parent].suppressed <= own.suppressed


@pytest.mark.slow
@pytest.mark.sampled(12)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("run", [exhaustive, incognito, optimal, breadth_first, *BORDERS])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("name", "k"), CASES)
def test_what_a_search_finds_under_a_metric(*, finds, name, k, share, run, metric):
    found, (gold, limit) = finds((name, k, share), run)[metric], expected(name, k, share)
    if run is not optimal:
        is_every_feasible_node(found, gold)
    if metric == "height":
        return
    entry, value = METRICS[metric]
    if run in BORDERS and metric not in ALWAYS_MONOTONE and limit:
        assert not found.optimal
        assert found.cost >= (gold[entry][value] * (1 - 1e-9),)
        return
    assert found.optimal
    assert found.cost == pytest.approx((gold[entry][value],), rel=1e-9)
    assert list(found.verdict.node.levels) == gold[entry]["node"]


def is_every_feasible_node(found, gold):
    assert len(found.feasible) == gold["feasible_nodes"]
    assert len(found.minimal) == gold["minimal_nodes_count"]
    if gold["minimal_nodes"] is not None:
        assert nodes(found.minimal) == gold["minimal_nodes"]
    least = min(node.height for node in found.feasible)
    assert least == gold["min_height"]
    at_least = [node for node in found.feasible if node.height == least]
    assert nodes(at_least) == gold["nodes_at_min_height"]


@pytest.mark.slow
@pytest.mark.parametrize("preference", Preference)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("name", "k"), CASES)
def test_samarati_s_least_height(passes, name, k, share, preference):
    checker, gold = recorded(passes, name, k, share, "height")
    found = samarati(checker, preference)
    assert found.optimal
    assert found.cost == (gold["min_height"],)
    assert list(found.verdict.node.levels) in gold["nodes_at_min_height"]


@pytest.mark.slow
@pytest.mark.parametrize("preference", Preference)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("name", "k"), CASES)
def test_samarati_among_all_minimal_nodes(passes, name, k, share, preference):
    """What is preferred may lie higher up, where it is at least as good as at least height."""
    checker, gold = recorded(passes, name, k, share, "height")
    lowest, among = (samarati(checker, preference, each) for each in Among)
    assert len(among.minimal) == gold["minimal_nodes_count"]
    counts, other = among.verdict.counts, lowest.verdict.counts
    match preference:
        case Preference.ABSOLUTE | Preference.COST:  # of the height, by which these search
            assert among.verdict.node == lowest.verdict.node
            assert among.optimal
        case Preference.DISTRIBUTION:
            assert counts.classes >= other.classes
        case Preference.SUPPRESSION:
            assert counts.suppressed <= other.suppressed


# How many nodes are checked. Published for this lattice (Kohlmayer et al. 2012, benchmark of
# 5-anonymity without suppression under non-uniform entropy): breadth first 4,278, Flash 115, OLA 90.
# Ours need 4,278, 113 and 94: which nodes OLA checks depends on the order within a layer, which the
# paper leaves open; by columns it is 93 to 102, and the order used here does not go by columns.


@pytest.mark.parametrize(
    ("algorithm", "least", "most"),
    [
        pytest.param("breadth_first", 4278, 4278, marks=pytest.mark.slow),
        ("flash", 90, 115),
        ("ola", 80, 90 * 6 // 5),
        ("all_min", 80, 115),
        ("optimal", 1, 89),
    ],
)
def test_no_more_nodes_are_checked_than_published(algorithm, least, most):
    names = golden()["lattice"]["adult_8qi_occupation_sensitive"]["qi"]
    search = {"algorithm": algorithm, "metric": "entropy"}
    plan = kanon_sql.plan(policy(names, 5, 0, search))
    assert plan.optimal
    assert least <= plan.checks <= most


@pytest.mark.parametrize(
    ("suppression", "search", "most"),
    [
        (0, {}, 118),
        ("2%", {}, 301),
        ("5%", {}, 247),
        ("2%", {"metric": "discernibility"}, 1200),  # ARX checks 1,895
        pytest.param("2%", {"metric": "class_size"}, 1600, marks=pytest.mark.slow),
    ],
    ids=["loss-0", "loss-2%", "loss-5%", "discernibility", "class_size"],
)
def test_optimal_checks_few_nodes(suppression, search, most):
    names = golden()["lattice"]["adult_9qi"]["qi"]
    plan = kanon_sql.plan(policy(names, 5, suppression, search))
    assert plan.optimal
    assert plan.checks <= most


def test_samarati_on_the_database():
    """The bounds move once a layer: moving them within one ends at height 9 here."""
    names = golden()["lattice"]["adult_9qi"]["qi"]
    plan = kanon_sql.plan(policy(names, 5, "5%", {"algorithm": "samarati", "metric": "height"}))
    assert plan.max_suppressed == 1508
    assert plan.optimal
    assert plan.cost == (8,)
    gold, _ = expected("adult_9qi", 5, "0.05")
    assert list(plan.levels.values()) in gold["nodes_at_min_height"]


@pytest.mark.slow
def test_samarati_s_cheapest_node_of_least_height():
    """Of 106 nodes of height 9 the default preference takes the first in order, whose LM is 0.3325."""
    names = golden()["lattice"]["adult_9qi"]["qi"]
    search = {"algorithm": "samarati", "preference": "minimum_cost"}
    given = policy(names, 5, "4%", search)
    plan = kanon_sql.plan(given)
    assert plan.max_suppressed == 1206
    levels = [0, 3, 0, 1, 1, 1, 1, 2, 0]
    assert list(plan.levels.values()) == levels
    assert len(expected("adult_9qi", 5, "0.04")[0]["nodes_at_min_height"]) == 106
    assert plan.cost == pytest.approx((0.2661,), abs=5e-5)
    assert not plan.optimal


def searched(sql_check, names, k, limit, variant):
    """Run Incognito on the database over some of the columns."""
    given = policy(names, k, 0)
    order = golden()["incognito_node_counts"]["qi_order"]
    given["columns"] |= {n: {"role": "insensitive"} for n in order if n not in given["columns"]}
    with sql_check(given, None, limit=limit) as (checker, _, _):
        return incognito(checker, variant)


@pytest.mark.parametrize("columns", range(3, 8))
@pytest.mark.parametrize("k", [2, 10])
def test_incognito_s_node_counts(sql_check, k, columns):
    gold = golden()["incognito_node_counts"]
    variant = list(Variant)[columns % 3]
    found = searched(sql_check, gold["qi_order"][:columns], k, 0, variant)
    assert found.effort.nodes == gold[f"k{k}"][str(columns)][1]


@pytest.mark.parametrize("variant", Variant)
def test_incognito_s_node_counts_on_eight_columns(sql_check, variant):
    """All 255 subsets are searched, 1,360 nodes; most are nodes of fewer columns."""
    gold = golden()["incognito_node_counts"]["eight_qi_k5"]
    names = golden()["lattice"]["adult_8qi_occupation_sensitive"]["qi"]
    found = searched(sql_check, names, 5, 0, variant)
    effort = found.effort
    assert effort.nodes == gold["incognito_checks"]
    assert len(found.feasible) == gold["anonymous_nodes"]
    assert len(found.minimal) == gold["minimal_nodes"]
    assert (effort.roots, effort.families, effort.counted) == (1244, 255, 111)
    assert effort.first_set_scans == {"basic": 58, "super_roots": 56, "cube": 10}[variant]


@pytest.mark.slow
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize(
    ("k", "limit", "nodes", "survivors"), [(2, 0, 1545, 94), (5, 1206, 4625, 2277)]
)
def test_incognito_s_node_counts_elsewhere(*, sql_check, k, limit, nodes, survivors, variant):
    names = golden()["lattice"]["adult_8qi_occupation_sensitive"]["qi"]
    found = searched(sql_check, names, k, limit, variant)
    assert found.effort.nodes == nodes
    assert len(found.feasible) == survivors


ARX_SEARCHES = {
    ("nue", True): {"metric": "entropy"},
    ("nue", False): {"metric": "entropy", "suppressed": "counted"},
    ("loss", "rank"): {"metric": "loss", "aggregate": "rank"},
    ("loss", "geo"): {"metric": "loss"},
    ("dm", True): {"metric": "discernibility", "suppressed": "ignored"},
    ("aecs",): {"metric": "class_size"},
}
ARX_MODELS = {
    "k": lambda k: {"k": k},
    "ent": lambda least: {"entropy_l": {"column": "occupation", "l": least}},
    "rec": lambda c, least: {"recursive_l": {"column": "occupation", "c": c, "l": least}},
    "teq": lambda t: {"t_closeness": {"column": "occupation", "t": t, **BY_SOURCE}},
    "tord": lambda t: {
        "t_closeness": {"column": "occupation", "t": t, "distance": "ordered", **BY_SOURCE}
    },
    "thier": lambda t: {
        "t_closeness": {"column": "occupation", "t": t, "distance": "hierarchical", **BY_SOURCE}
    },
    "bb": lambda beta: {"beta_likeness": {"column": "occupation", "beta": beta, **BY_SOURCE}},
    "be": lambda beta: {
        "beta_likeness": {"column": "occupation", "beta": beta, "enhanced": True, **BY_SOURCE}
    },
    "kmap": lambda k: {"k_map": {"k": k, "population": of_adult("adult.csv")}},
    "dpres": lambda least, most: {
        "delta_presence": {"least": least, "most": most, "population": of_adult("adult.csv")}
    },
}
OF_PEOPLE = {"kmap", "dpres"}
"""Models that compare the research subset, the source then, with all of Adult."""
BY_SOURCE = {"reference": "source"}
"""ARX compares classes with the source alone."""


def of_adult(name):
    return {"path": str(SHARED / "data" / "adult" / name), "delimiter": ";"}


def arx_cases():
    if not (SHARED / "EXAMPLES.json").is_file():
        return []
    found = []
    for case in golden()["arx_unit_tests"]:
        kinds = {model[0] for model in case["models"]}
        if not kinds <= set(ARX_MODELS) or tuple(case["metric"]) not in ARX_SEARCHES:
            continue
        algorithms = ["optimal"]
        if kinds == {"k"}:
            algorithms += ["incognito", "exhaustive", "breadth_first"]
        if kinds == {"k"} and tuple(case["metric"]) == (
            "nue",
            True,
        ):  # monotone along the lattice: all may promise
            algorithms += ["all_min", "ola", "flash"]
        for algorithm in algorithms:
            slow = algorithm != "optimal" or kinds != {"k"}
            found.append(
                pytest.param(
                    case,
                    algorithm,
                    marks=[pytest.mark.slow] if slow else [],
                    id=f"{case['test']}-{case['suppression_limit']}-{case['metric']}-{case['models']}-{algorithm}",
                )
            )
    return found


@pytest.mark.parametrize(("case", "algorithm"), arx_cases())
def test_arx_unit_tests(case, algorithm):
    lattice = "adult_8qi_occupation_sensitive" if case["sensitive"] else "adult_9qi"
    names = golden()["lattice"][lattice]["qi"]
    search = {**ARX_SEARCHES[tuple(case["metric"])], "algorithm": algorithm}
    share = f"{case['suppression_limit'] * 100:g}%"
    asked = policy(names, 1, share, search)
    kinds = {model for model, *_ in case["models"]}
    if "tord" in kinds:
        asked["columns"]["occupation"]["order"] = "text"
    if "thier" in kinds:
        tree = {"csv": str(SHARED / "data" / "adult" / "hierarchy_occupation.csv")}
        asked["columns"]["occupation"]["hierarchy"] = tree
    asked["privacy"] = [ARX_MODELS[model](*bounds) for model, *bounds in case["models"]]
    if kinds & OF_PEOPLE:
        asked["source"] = of_adult("adult_subset.csv")
    if "dpres" in kinds and kinds & {"k", "rec"}:  # then ARX does not look at classes of size 0
        (presence,) = (each for each in asked["privacy"] if "delta_presence" in each)
        presence["delta_presence"]["absent"] = "ignored"
    if case["expected_node"] is None:
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.plan(asked)
        return
    plan = kanon_sql.plan(asked)
    loss = case["recomputed_loss"]
    assert plan.optimal
    assert plan.cost == pytest.approx(tuple(loss) if isinstance(loss, list) else (loss,), rel=1e-6)
    assert plan.suppressed_rows == case["suppressed_rows"]
    assert list(plan.levels.values()) == case["expected_node"]
    if algorithm != "optimal":
        assert plan.feasible_nodes == case["feasible_nodes"]
