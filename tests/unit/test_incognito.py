"""Incognito over a checker that counts in Python: its nodes, and what they are counted on."""

from __future__ import annotations

from functools import reduce

import pytest
from candidates import PythonGraphs
from hypothesis import given
from oracle import Problem, problems

from kanon_sql.counting.lattice.candidate_graph import PartialNode, specializations
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.search_options import Variant
from kanon_sql.recoding.searches.incognito import incognito

HEIGHT = {"metric": "height"}
of_variants = pytest.mark.parametrize("variant", Variant)


def patients():
    """Figure 1 of the paper, 2-anonymous."""
    rows = [
        ("1/21/76", "Male", "53715"),
        ("4/13/86", "Female", "53715"),
        ("2/28/76", "Male", "53703"),
        ("1/21/76", "Male", "53703"),
        ("4/13/86", "Female", "53706"),
        ("2/28/76", "Female", "53706"),
    ]
    trees = [
        {row[0]: ["*"] for row in rows},
        {row[1]: ["*"] for row in rows},
        {row[2]: [row[2][:4] + "*", "537**"] for row in rows},
    ]
    return Problem(rows, trees, k=2)


def steps(n):
    """Four levels of numbers, halved at each."""
    return {v: [f"{v // 2}", f"{v // 4}", "*"] for v in range(n)}


def wide(**options):
    """Four columns whose subsets fail at different levels, in families with several roots."""
    rows = [(i * 3 % 8, i * 5 % 8, i % 7, i * i % 5) for i in range(48)]
    return Problem(rows, [steps(8), steps(8), steps(8), steps(8)], **options)


class Watched(PythonGraphs):
    """Remembers the graphs, and which of their candidates survived."""

    def __init__(self, tops):
        super().__init__(tops)
        self.graphs = []
        self.survived = []

    def first(self):
        self.graphs.append(super().first())
        return self.graphs[-1]

    def grow(self, failed):
        self.survived.append(len(self.graphs[-1]) - len(failed))
        self.graphs.append(super().grow(failed))
        return self.graphs[-1]


def watching(checker):
    """Let a checker note what was kept when each node was checked, and what was kept on what."""
    graphs = Watched(checker.lattice.tops)
    on, made = {}, []
    check, keep = checker.check, checker.keep

    def checking(nodes):
        on.update((node, set(checker.kept)) for node in nodes)
        return check(nodes)

    def keeping(node):
        if node not in checker.kept:
            made.append((node, set(checker.kept)))
        keep(node)

    checker.graphs, checker.check, checker.keep = lambda: graphs, checking, keeping
    return graphs, on, made


@of_variants
def test_the_paper_s_patients_iteration_by_iteration(variant, fake_checker, metric):
    checker = fake_checker(patients(), metric(HEIGHT))
    graphs, _, _ = watching(checker)
    found = incognito(checker, variant)
    assert [len(graph) for graph in graphs.graphs] == [7, 16, 5]
    assert graphs.survived == [7, 11]
    assert len(found.feasible) == 5
    assert [node.levels for node in found.minimal] == [(0, 1, 2), (1, 0, 2), (1, 1, 0)]
    assert found.effort.nodes == 17


@of_variants
def test_a_candidate_with_a_column_at_its_root_is_not_counted_again(variant, fake_checker, metric):
    """Of the 17, these are <B0>, <S0>, <Z0>; <B0,S0>, <B0,Z0>, <B0,Z1>, <S0,Z0> and <S0,Z1>."""
    checker = fake_checker(patients(), metric(HEIGHT))
    counted = []
    check = checker.check
    checker.check = lambda nodes: counted.extend(nodes) or check(nodes)
    found = incognito(checker, variant)
    before_costs = [node.levels for node in counted[: found.effort.counted]]
    assert sorted(before_costs) == [
        (0, 0, 2), (0, 1, 0), (0, 1, 1), (0, 1, 2), (1, 0, 0), (1, 0, 1), (1, 0, 2), (1, 1, 0)
    ]  # fmt: skip


@of_variants
@given(problem=problems(full_suppression=True))
def test_every_variant_finds_what_brute_force_finds(variant, fake_checker, metric, problem):
    checker = fake_checker(problem, metric(HEIGHT))
    found = incognito(checker, variant)
    assert not checker.kept
    if not problem.feasible:
        assert found is None
        return
    assert [node.levels for node in found.feasible] == sorted(problem.feasible)
    assert [node.levels for node in found.minimal] == sorted(problem.minimal)


@of_variants
@given(problem=problems(full_suppression=True))
def test_the_variants_walk_the_same_graphs(variant, fake_checker, metric, problem):
    efforts = []
    for each in (variant, Variant.CUBE):
        found = incognito(fake_checker(problem, metric(HEIGHT)), each)
        if found is not None:
            told = found.effort
            efforts.append((told.nodes, told.roots, told.families, told.counted))
    assert len(set(efforts)) <= 1


def roots_counted(graphs, on):
    """The roots that were counted: not those that are candidates of fewer columns."""
    for graph in graphs.graphs:
        finer = specializations(graph)
        for candidate in graph:
            smaller = len(candidate.columns) > 1 and candidate.ends(graphs.tops)
            if candidate.node in on and not finer[candidate] and not smaller:
                yield candidate


@pytest.mark.parametrize("limit", [0, 6])
@of_variants
def test_what_is_no_root_is_counted_on_what_it_directly_generalizes(
    variant, limit, fake_checker, metric
):
    checker = fake_checker(wide(k=3, max_suppressed=limit), metric(HEIGHT))
    graphs, on, _ = watching(checker)
    found = incognito(checker, variant)
    roots = {root.node for root in roots_counted(graphs, on)}
    others = [node for node in list(on)[: found.effort.counted] if node not in roots]
    assert others
    for node in others:
        assert on[node].intersection(node.children((0,) * len(node.levels)))


def test_basic_rolls_every_root_up_from_the_first_set(fake_checker, metric):
    checker = fake_checker(wide(k=3, max_suppressed=6), metric(HEIGHT))
    graphs, on, made = watching(checker)
    incognito(checker, Variant.BASIC)
    roots = list(roots_counted(graphs, on))
    assert len(roots) > len({root.columns for root in roots})
    covered = dict(made)
    for root in roots:
        assert root.node in on[root.node]
        assert not any(root.node.covers(finer) for finer in covered[root.node])


def test_super_roots_makes_one_set_a_family_for_all_its_roots(fake_checker, metric):
    checker = fake_checker(wide(k=3, max_suppressed=6), metric(HEIGHT))
    graphs, on, made = watching(checker)
    incognito(checker, Variant.SUPER_ROOTS)
    families = {}
    for root in roots_counted(graphs, on):
        families.setdefault(root.columns, []).append(root.node)
    assert any(len(roots) > 1 for roots in families.values())
    made_of_first = {node for node, kept in made if not any(node.covers(finer) for finer in kept)}
    assert len(made_of_first) == len(families)
    for roots in families.values():
        common = reduce(Node.meet, roots)
        assert common in made_of_first
        assert all(common in on[root] for root in roots)


def test_cube_makes_each_family_s_set_of_one_with_one_column_more(fake_checker, metric):
    checker = fake_checker(wide(k=3, max_suppressed=6), metric(HEIGHT))
    graphs, on, made = watching(checker)
    incognito(checker, Variant.CUBE)
    tops = checker.lattice.tops

    def cell(columns):
        return Node(tuple(0 if c in columns else top for c, top in enumerate(tops)))

    for root in roots_counted(graphs, on):
        assert cell(root.columns) in on[root.node]
    cells = [(node, kept) for node, kept in made if set(node.levels) <= {0, 3}]
    assert len(cells) > 4
    for node, kept in cells:
        columns = {c for c, level in enumerate(node.levels) if not level}
        wider = [cell(columns | {c}) for c in range(len(tops)) if c not in columns]
        assert not wider or checker.lattice.bottom in wider or kept.intersection(wider)


def test_the_time_limit_leaves_the_best_that_is_known(fake_checker, metric):
    problem = wide(k=3, max_suppressed=6)
    whole = incognito(fake_checker(problem, metric({"metric": "loss"})))
    late = incognito(fake_checker(problem, metric({"metric": "loss"}), late_after=8))
    assert late.verdict.feasible
    assert not late.optimal
    assert late.feasible is None
    assert late.effort.nodes < whole.effort.nodes
    assert late.cost >= whole.cost


def test_a_candidate_ends_where_one_of_its_columns_is_at_the_root():
    assert PartialNode((0, 1), Node((1, 2, 1))).ends((1, 3, 1))
    assert not PartialNode((1,), Node((1, 2, 1))).ends((1, 3, 1))
