"""Incognito's candidate graphs as tables, against the same grown in Python."""

from __future__ import annotations

import duckdb
import pytest
from candidates import PythonGraphs
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from kanon_sql.counting.lattice.candidate_graph import Coding, SqlGraphs
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import InputError
from kanon_sql.policy.metrics.node import Lattice, Node

heights = st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple)


@st.composite
def lattices(draw):
    """The heights of some columns, and nodes that with all above them are the feasible ones."""
    tops = draw(heights)
    node = st.tuples(*(st.integers(0, top) for top in tops)).map(Node)
    return tops, draw(st.lists(node, max_size=4))


def sorted_edges(graph):
    return {candidate: sorted(coarser) for candidate, coarser in graph.items()}


@examples(60)
@given(lattices())
def test_the_tables_hold_the_graphs_that_python_grows(given_):
    tops, minimal = given_
    with duckdb.connect() as connection, scratch(DuckDB(connection)) as tables:
        said, grown = SqlGraphs(DuckDB(connection), tables, Lattice(tops)), PythonGraphs(tops)
        graph, wanted = said.first(), grown.first()
        for _ in tops:
            assert sorted_edges(graph) == sorted_edges(wanted)
            failed = [each for each in graph if not any(each.node.covers(m) for m in minimal)]
            graph, wanted = said.grow(failed), grown.grow(failed)
        assert graph == wanted == {}
        left = connection.execute("SELECT COUNT(*) FROM duckdb_tables() WHERE temporary")
        assert left.fetchall() == [
            (3,)
        ]  # levels, candidates and edges: no iteration leaves its own


@given(heights.flatmap(lambda tops: st.tuples(st.just(tops), st.data())))
def test_a_candidate_is_read_from_its_number(given_):
    tops, data = given_
    coding, graphs = Coding(Lattice(tops)), PythonGraphs(tops)
    graph = graphs.first()
    for _ in range(data.draw(st.integers(0, len(tops) - 1))):
        graph = graphs.grow(())
    for candidate in graph:
        assert coding.candidate(coding.code(candidate)) == candidate
    assert len({coding.code(candidate) for candidate in graph}) == len(graph)


def test_more_columns_than_a_number_has_bits_for_are_refused():
    with duckdb.connect() as connection, scratch(DuckDB(connection)) as tables:
        SqlGraphs(DuckDB(connection), tables, Lattice((1,) * 31)).first()
        with pytest.raises(InputError, match="64 bits here, of which an integer has 62"):
            SqlGraphs(DuckDB(connection), tables, Lattice((1,) * 32))


def test_all_subsets_survive_where_nothing_fails():
    tops = (1, 2, 1)
    with duckdb.connect() as connection, scratch(DuckDB(connection)) as tables:
        graphs = SqlGraphs(DuckDB(connection), tables, Lattice(tops))
        sizes = [len(graphs.first()), len(graphs.grow(())), len(whole := graphs.grow(()))]
    assert sizes == [7, 6 + 4 + 6, 12]
    lattice = Lattice(tops)
    assert {
        each.node: sorted(above.node for above in coarser) for each, coarser in whole.items()
    } == {node: sorted(node.parents(tops)) for node in lattice.nodes()}
