"""Every algorithm finds the same on every engine, by the same checks."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest
from people import in_bytes, people, small_policy

from kanon_sql.counting.run.inputs import open_run
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.recoding.planning.make_plan import prepare, search_plan
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, LatticeAlgorithm


def policy(search, entity="who"):
    given = small_policy(search=search, suppression="4%", entity=entity)
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
    opened, filled = {}, set()
    with ExitStack() as stack:

        def get(place, search, entity="who", rows=None):
            if place.name not in filled:
                filled.add(place.name)
                place.put("people_of_the_test", people(60))
                stack.callback(place.drop, "people_of_the_test")
            if (key := (place.name, entity, rows)) not in opened:
                connection = place.connection
                if entity == "row":
                    connection = stack.enter_context(another(place, rows))
                asked = policy({}, entity)
                run, frame = open_run(stack, asked, None, connection=connection, writes=False)
                opened[key] = run, prepare(run, frame)
            run, prepared = opened[key]
            before = place.left()
            with scratch(run.engine) as tables:
                alone = replace(run, scratch=tables, policy=policy(search, entity))
                plan = search_plan(alone, prepared, deadline=None)
            assert place.left() == before
            return plan

        yield get


@contextmanager
def another(place, rows):
    """Open another connection; PostgreSQL's says how many rows of a set may come to this process, or nothing."""
    if place.name == "duckdb":
        with place.connection.cursor() as cursor:
            yield cursor
        return
    psycopg = pytest.importorskip("psycopg", reason="no driver: install kanon-sql[postgres]")
    with psycopg.connect(place.address, autocommit=True) as connection:
        if rows is not None:
            connection.execute("SELECT set_config('kanon.client_rows', %s, FALSE)", [str(rows)])
        yield connection


@pytest.mark.sampled(3)
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: "-".join(search.values()))
def test_the_same_plan_by_the_same_checks(server, places, planned, search):
    """Of people, whose frequency set stays on a server."""
    first, second = (planned(place, search) for place in (places("duckdb"), server))
    assert in_bytes(first) == in_bytes(second)
    assert first.checks == second.checks
    assert second.remarks == ()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rows", [0, None], ids=["there", "here"])
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: "-".join(search.values()))
def test_the_same_plan_of_rows_wherever_postgresql_searches(
    postgres, places, planned, search, rows
):
    first = planned(places("duckdb"), search, "row")
    second = planned(postgres, search, "row", rows)
    assert in_bytes(first) == in_bytes(second)
    assert first.checks == second.checks
    assert any("searched by DuckDB" in each for each in second.remarks) is (rows is None)
