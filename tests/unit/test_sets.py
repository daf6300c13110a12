"""Which frequency sets are worth making: only those that would have paid, and never too many."""

from __future__ import annotations

import math
from dataclasses import replace

from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.lattice.result import ROOM, FrequencySet, FrequencySets, Passes
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import ColumnStatistics, LevelStatistics, TableStatistics

ROWS = 1_000_000


def column():
    """A thousand even values, then thirty, then one."""
    sizes = (1000, 30, 1)
    levels = (
        LevelStatistics(v, ROWS, 1000 // v, 1000 // v, ROWS * math.log(ROWS / v)) for v in sizes
    )
    return ColumnStatistics(1000, tuple(levels))


def sets():
    stats = TableStatistics(ROWS, 900_000, (column(), column(), column()))
    return FrequencySets(stats, FrequencySet(Node((0, 0, 0)), table("base"), 900_000))


def scan(own, levels, held):
    node = Node(levels)
    own.scanned(node, own.covering(node), held)
    return node


def test_nothing_is_made_for_what_was_asked_once():
    own = sets()
    assert own.worth_making(Node((1, 1, 0))) is None
    scan(own, (1, 1, 0), 27_000)
    assert own.worth_making(Node((1, 1, 0))) is None


def test_what_many_nodes_have_in_common_is_made_once_and_then_used():
    own = sets()
    asked = [(1, 1, 0), (1, 1, 1), (2, 1, 0), (1, 2, 0), (1, 1, 2), (2, 1, 1)]
    made = []
    for number, levels in enumerate(asked * 3):
        node = Node(levels)
        large = own.covering(node).rows > 50_000  # on a small set nothing is worth it
        if large and (shared := own.worth_making(node)) is not None:
            assert node.covers(shared)
            made.append(number)
            own.add(FrequencySet(shared, table(f"s{number}"), 30_000))
        scan(own, levels, 1000)
    assert made
    assert min(made) > 1, "it has to be paid for first"
    assert len(made) <= 3
    assert own.covering(Node((2, 1, 1))).rows == 30_000
    assert own.covering(Node((0, 1, 1))) is own.base


def test_what_was_not_used_for_longest_goes_first():
    own = sets()
    half = 900_000 * ROOM // 2
    first, second, third = (
        FrequencySet(Node(levels), table(str(levels)), half)
        for levels in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    )
    assert own.add(first) == []
    assert own.add(second) == []
    own.scanned(Node((1, 0, 0)), first)
    assert own.add(third) == [second]
    assert set(own) == {own.base, first, third}


def test_a_set_is_given_up_by_its_node_and_the_first_never_is():
    own = sets()
    made = FrequencySet(Node((1, 0, 0)), table("made"), 30_000)
    own.add(made)
    assert own.take(own.base.node) is None
    assert own.take(made.node) is made
    assert own.take(made.node) is None
    assert list(own) == [own.base]


def test_passes_are_counted_by_what_they_read():
    own = sets()
    made = FrequencySet(Node((1, 0, 0)), table("made"), 30_000)
    own.add(made)
    before = replace(own.passes)
    assert own.read(own.base) == 900_000
    assert own.read(made, 3) == 90_000
    assert own.passes.since(before) == Passes(first=1, rolled_up=3, made=0, rows=990_000)
    assert own.passes.made == 1
