from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.counting.lattice.result import minimal
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.recoding.searches.predictive_tagging import NodeSets, lowest

tops = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(tops)
def test_nodes_are_all_level_vectors_in_order(tops):
    found = [node.levels for node in Lattice(tops).nodes()]
    assert found == sorted(product(*(range(top + 1) for top in tops)))
    assert Lattice(tops).size == len(found)


@given(tops)
def test_layers_split_the_lattice(tops):
    lattice = Lattice(tops)
    layers = [list(lattice.layer(height)) for height in range(lattice.height + 1)]
    assert sorted(node for layer in layers for node in layer) == list(lattice.nodes())
    for height, layer in enumerate(layers):
        assert layer == sorted(layer)
        assert {node.height for node in layer} == {height}


@given(tops)
def test_bottom_and_top_are_the_ends(tops):
    lattice = Lattice(tops)
    assert lattice.bottom == Node((0,) * len(tops))
    assert lattice.top == Node(tops)
    assert lattice.top.height == lattice.height
    assert all(lattice.top.covers(n) and n.covers(lattice.bottom) for n in lattice.nodes())


def test_a_layer_beyond_the_lattice_is_empty():
    assert list(Lattice((1, 2)).layer(4)) == []
    assert list(Lattice((1, 2)).layer(-1)) == []


@given(tops)
def test_parents_and_children_are_each_others_inverse(tops):
    nodes = set(Lattice(tops).nodes())
    up = {(node, parent) for node in nodes for parent in node.parents(tops)}
    down = {(child, node) for node in nodes for child in node.children((0,) * len(tops))}
    assert up == down
    assert {n for pair in up for n in pair} <= nodes
    assert all(parent.height == node.height + 1 and parent.covers(node) for node, parent in up)


@given(tops)
def test_parents_reach_every_direct_generalization(tops):
    nodes = list(Lattice(tops).nodes())
    for node in nodes:
        direct = {n for n in nodes if n.covers(node) and n.height == node.height + 1}
        assert set(node.parents(tops)) == direct


def test_covers_is_a_partial_order():
    assert Node((1, 2)).covers(Node((1, 2)))
    assert not Node((1, 0)).covers(Node((0, 1)))
    assert not Node((0, 1)).covers(Node((1, 0)))
    with pytest.raises(ValueError, match="zip"):
        Node((1,)).covers(Node((1, 2)))


@given(tops, st.data())
def test_minimal_nodes_are_those_with_nothing_feasible_below(tops, data):
    nodes = list(Lattice(tops).nodes())
    seeds = data.draw(st.lists(st.sampled_from(nodes), max_size=4))
    feasible = [node for node in nodes if any(node.covers(seed) for seed in seeds)]
    lowest_of = sorted(n for n in feasible if not any(o != n and n.covers(o) for o in feasible))
    assert list(minimal(feasible)) == lowest_of


@given(tops, st.data())
def test_bit_sets_say_what_covers_says(tops, data):
    nodes = list(Lattice(tops).nodes())
    count = len(nodes)
    floors = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    order = NodeSets(Lattice(tops), [(float(floor),) for floor in floors])

    def members(bits):
        return {Node(order.nodes[i]) for i in range(count) if bits >> i & 1}

    node = data.draw(st.sampled_from(nodes))
    assert members(order.all) == set(nodes)
    assert members(order.up(node.levels)) == {n for n in nodes if n.covers(node)}
    assert members(order.down(node.levels)) == {n for n in nodes if node.covers(n)}
    for cost in range(-1, 5):
        within = {n for n, floor in zip(nodes, floors, strict=True) if floor <= cost}
        assert members(order.within((float(cost),))) == within
    for n in nodes:
        assert order.node(order.position[n.levels]) == n


@given(tops)
def test_bit_positions_ascend_by_floor_then_height_then_levels(tops):
    floors = [(float(node.height // 2),) for node in Lattice(tops).nodes()]
    order = NodeSets(Lattice(tops), floors)
    ranks = [(sum(levels) // 2, sum(levels), levels) for levels in order.nodes]
    assert all(a < b for a, b in pairwise(ranks))


@given(st.integers(1, 2**80))
def test_lowest_is_the_first_member(bits):
    assert bits >> lowest(bits) & 1
    assert not bits & ((1 << lowest(bits)) - 1)
