from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.engines.capabilities import POSTGRES
from kanon_sql.policy.hierarchies.mapping_sql import KEY_BITS, Packing
from kanon_sql.policy.metrics.node import Lattice, Node

# A column: the greatest child number at each level; the root is alone, so its number is 0.
siblings = st.lists(
    st.lists(st.integers(0, 2**20), min_size=1, max_size=4).map(lambda levels: [*levels, 0]),
    min_size=1,
    max_size=6,
)


def path(numbers, packing, quasi):
    """Place child numbers, one a level, where the packing says; a tuple of keys."""
    keys = [0] * len(packing.keys)
    for segment in packing.segments:
        if segment.quasi == quasi:
            keys[segment.key] |= numbers[segment.level] << segment.shift
    return tuple(keys)


@given(siblings, st.sampled_from((1, 32, KEY_BITS)))
def test_no_two_segments_share_a_bit(siblings, key_bits):
    packing = Packing.of(siblings, key_bits)
    taken = [0] * len(packing.keys)
    for segment in packing.segments:
        assert not taken[segment.key] & segment.mask
        taken[segment.key] |= segment.mask
    for key, mask in enumerate(taken):
        alone = [segment.bits for segment in packing.segments if segment.key == key]
        assert alone or key == 0
        assert mask < 1 << (key_bits if len(alone) > 1 else max([key_bits, *alone]))
    assert all(mask < 1 << KEY_BITS for mask in taken)


def test_postgres_groups_by_keys_that_fit_half_a_bigint():
    """It folds the halves of a wider one on each other, and different keys would share a hash."""
    packing = Packing.of([[2**12 - 1, 2**9 - 1, 0]] * 4, POSTGRES.key_bits)
    assert all(mask < 1 << 32 for mask in packing.masks(Lattice(packing.tops).bottom))


@given(siblings)
def test_a_segment_has_room_for_its_greatest_number(siblings):
    packing = Packing.of(siblings)
    held = {(s.quasi, s.level): s.bits for s in packing.segments}
    for quasi, levels in enumerate(siblings):
        for level, last in enumerate(levels):
            assert last < 1 << held.get((quasi, level), 0)


@given(siblings)
def test_the_top_keeps_nothing_and_the_bottom_everything(siblings):
    packing = Packing.of(siblings)
    lattice = Lattice(packing.tops)
    everything = [0] * len(packing.keys)
    for segment in packing.segments:
        everything[segment.key] |= segment.mask
    assert packing.masks(lattice.top) == (0,) * len(packing.keys)
    assert packing.masks(lattice.bottom) == tuple(everything)


@given(siblings)
def test_a_coarser_node_keeps_a_part_of_the_bits(siblings):
    packing = Packing.of([[*levels[:2], 0] for levels in siblings[:3]])
    for node in Lattice(packing.tops).nodes():
        for parent in node.parents(packing.tops):
            fine, coarse = packing.masks(node), packing.masks(parent)
            assert all(c & f == c for f, c in zip(fine, coarse, strict=True))


@given(siblings, st.data())
def test_a_column_s_masks_are_its_part_of_the_node_s(siblings, data):
    packing = Packing.of(siblings)
    node = Node(tuple(data.draw(st.integers(0, top)) for top in packing.tops))
    parts = [packing.column_masks(q, level) for q, level in enumerate(node.levels)]
    for key, mask in enumerate(packing.masks(node)):
        assert mask == sum(part[key] for part in parts)
        for quasi, part in enumerate(parts):
            assert packing.uses(quasi, key) or not part[key]


def test_masking_a_path_keeps_exactly_the_levels_from_the_node_s_up():
    numbers = [list(product(range(4), range(3), range(2), range(1))), [(n, 0) for n in range(9)]]
    packing = Packing.of([[3, 2, 1, 0], [8, 0]])
    for quasi, paths in enumerate(numbers):
        for level in range(packing.tops[quasi] + 1):
            masks = packing.column_masks(quasi, level)
            kept = {
                numbers[level:]: tuple(
                    code & mask
                    for code, mask in zip(path(numbers, packing, quasi), masks, strict=True)
                )
                for numbers in paths
            }
            assert len(set(kept.values())) == len(kept)


def test_what_does_not_fit_one_key_goes_on_in_the_next():
    packing = Packing.of([[2**20 - 1, 2**20 - 1, 0]] * 3)
    assert packing.keys == ("key_1", "key_2")
    assert {(s.quasi, s.level) for s in packing.segments} == {
        (q, n) for q in range(3) for n in (0, 1)
    }
    assert {s.bits for s in packing.segments} == {20}
    for key in (0, 1):
        held = {s.quasi for s in packing.segments if s.key == key}
        assert held == {quasi for quasi in range(3) if packing.uses(quasi, key)}


def test_a_hierarchy_may_lie_across_two_keys():
    packing = Packing.of([[2**40 - 1, 2**40 - 1, 0]])
    place = {s.level: s for s in packing.segments}
    assert {place[0].key, place[1].key} == {0, 1}
    fine, coarse = packing.masks(Node((0,))), packing.masks(Node((1,)))
    assert [mask.bit_count() for mask in fine] == [40, 40]
    assert coarse[place[0].key] == 0
    assert coarse[place[1].key] == fine[place[1].key] == place[1].mask


@pytest.mark.parametrize("siblings", [[[0, 0]], [[0, 0], [0, 0, 0]]])
def test_columns_of_one_value_need_no_bits_but_there_is_a_key(siblings):
    packing = Packing.of(siblings)
    assert packing.keys == ("key_1",)
    assert packing.segments == ()
    assert packing.masks(Lattice(packing.tops).bottom) == (0,)
