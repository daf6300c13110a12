"""Incognito's candidate graphs on every engine: the same nodes, the same effort, as by brute force."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, assume, given
from hypothesis import strategies as st
from oracle import problems
from people import people, small_policy
from tiers import examples

import kanon_sql

VARIANTS = ("basic", "super_roots", "cube")
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
variants = st.sampled_from(VARIANTS)


def searching(policy, **search):
    return {**policy, "search": {"metric": "loss", **search}}


def planned(place, policy):
    return kanon_sql.plan(policy, connection=place.connection)


@pytest.mark.rare(on="spark")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_finds_every_feasible_node(place, places, variant):
    before = place.left()
    policy = {**small_policy(), "suppression": "4%"}
    group = {"group": {"role": "quasi", "hierarchy": "suppress"}}
    policy["columns"] = {**policy["columns"], **group}
    own = searching(policy, algorithm="incognito", variant=variant)
    places("duckdb").put("people_of_the_test", people())
    exhaustive = planned(places("duckdb"), searching(policy, algorithm="exhaustive"))
    on_duckdb = planned(places("duckdb"), own)
    place.put("people_of_the_test", people())
    found = planned(place, own)
    assert found.minimal_nodes == on_duckdb.minimal_nodes == exhaustive.minimal_nodes
    assert found.feasible_nodes == exhaustive.feasible_nodes
    assert (found.levels, found.cost) == (exhaustive.levels, exhaustive.cost)
    assert found.optimal
    assert found.effort == on_duckdb.effort
    place.drop("people_of_the_test")
    assert place.left() == [name for name in before if name != "people_of_the_test"]


def agrees(place, problem, policy, frame):
    """The nodes of brute force, or the refusal."""
    place.put("given", frame)
    if not problem.feasible:
        with pytest.raises(kanon_sql.InfeasibleError):
            planned(place, policy)
        return
    plan = planned(place, policy)
    assert set(plan.minimal_nodes) == problem.minimal
    assert plan.feasible_nodes == len(problem.feasible)


@examples(20, suppress_health_check=QUIET)
@given(problem=problems() | problems(several=True), variant=variants)
def test_random_lattices_on_postgres(postgres, writer, problem, variant):
    search = {"metric": "height", "algorithm": "incognito", "variant": variant}
    policy = writer.policy(problem, search, kinds=("query", "csv", "tree"))
    agrees(postgres, problem, policy, writer.frame(problem))


@pytest.mark.rare
@examples(3, suppress_health_check=QUIET, phases=[Phase.explicit, Phase.generate])
@given(problem=problems(most_rows=20), variant=variants)
def test_random_lattices_on_spark(spark, writer, problem, variant):
    assume(all(None not in tree for tree in problem.hierarchies))  # a query quotes otherwise there
    kinds = ["tree" if "" in tree else "csv" for tree in problem.hierarchies]
    search = {"metric": "height", "algorithm": "incognito", "variant": variant}
    policy = writer.policy(problem, search, kinds=kinds)
    agrees(spark, problem, policy, writer.frame(problem))
