"""Every algorithm finds the same on every engine, by the same checks."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import pytest
from people import in_bytes, people, small_policy

from kanon_sql.engines.scratch import scratch
from kanon_sql.planning.make_plan import prepare, search_plan
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.run.inputs import open_run
from kanon_sql.searches.algorithms import ALGORITHMS, LatticeAlgorithm


def policy(search):
    given = small_policy(search=search, suppression="4%")
    hierarchies = {
        "age": {"intervals": [10, 40]},
        "born": {"dates": ["year", "century"]},
        "member": "suppress",
    }
    for name, hierarchy in hierarchies.items():
        given["columns"][name] = {"role": "quasi", "hierarchy": hierarchy}
    return read_policy(given)


SEARCHES = [
    *({"algorithm": n.value} for n, of in ALGORITHMS.items() if isinstance(of, LatticeAlgorithm)),
    {"algorithm": "samarati", "among": "all_minimal", "preference": "maximum_distribution"},
]


@pytest.fixture(scope="module")
def planned(places):
    """Plan on an engine by a search; the frequency set, which no search changes, is made once."""
    opened = {}
    with ExitStack() as stack:

        def get(place, search):
            if place.name not in opened:
                place.put("people_of_the_test", people(60))
                stack.callback(place.drop, "people_of_the_test")
                run, frame = open_run(
                    stack, policy({}), None, connection=place.connection, writes=False
                )
                opened[place.name] = run, prepare(run, frame)
            run, prepared = opened[place.name]
            before = place.left()
            with scratch(run.engine) as tables:
                alone = replace(run, scratch=tables, policy=policy(search))
                plan = search_plan(alone, prepared, deadline=None)
            assert place.left() == before
            return plan

        yield get


@pytest.mark.sampled(3)
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: "-".join(search.values()))
def test_the_same_plan_by_the_same_checks(server, places, planned, search):
    first, second = (planned(place, search) for place in (places("duckdb"), server))
    assert in_bytes(first) == in_bytes(second)
    assert first.checks == second.checks
