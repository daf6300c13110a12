"""Measures of releases against brute force over rows in Python, which shares no code with them, and their plans."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

TREE = {"*": {"low": ["a", "b", "c"], "high": ["d", "never"]}}
GROUPS = {"a": "low", "b": "low", "c": "low", "d": "high", "never": "high", None: None}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(("a", "b", "c", "d", None)),
        st.integers(0, 9),
        st.sampled_from(("x", "yes", None)),
    ),
    min_size=2,
    max_size=16,
)
SEARCHES = st.sampled_from(
    (
        {"algorithm": "optimal"},
        {"algorithm": "datafly"},
        {"algorithm": "optimal", "recoding": "local"},
        {"algorithm": "optimal", "recoding": "cells"},
    )
)


def frame(rows):
    letters, numbers, classes = zip(*rows, strict=True)
    return pa.table(
        {
            "letter": pa.array(letters, pa.string()),
            "number": pa.array(numbers, pa.int64()),
            "class": pa.array(classes, pa.string()),
        }
    )


def policy(k, search, suppression="100%"):
    return {
        "version": 1,
        "source": "not.parquet",
        "entity": "row",
        "columns": {
            "letter": {"role": "quasi", "hierarchy": {"tree": TREE}},
            "number": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "class": {"role": "insensitive"},
        },
        "privacy": {"k": k},
        "suppression": suppression,
        "search": search,
    }


def label_of_letter(value, level):
    return (value, GROUPS[value], "*")[level]


def label_of_number(value, level):
    width = (1, 2, 4)[level] if level < 3 else 0
    low = value - value % width if width else 0
    return (value, f"[{low}, {low + width})", f"[{low}, {low + width})", "*")[level]


def hierarchies(rows):
    """Of each column its leaves, how a leaf is labelled at a level, and its height."""
    letters = list(GROUPS) if any(row[0] is None for row in rows) else [g for g in GROUPS if g]
    numbers = sorted({row[1] for row in rows})
    return [(letters, label_of_letter, 2), (numbers, label_of_number, 3)]


def released_of(given_policy, source):
    plan = kanon_sql.plan(given_policy, source)
    return plan, kanon_sql.apply(plan, source, policy=given_policy).frame()


def text(label):
    """Next to labels of other levels a value is a text."""
    return None if label is None else str(label)


class Oracle:
    """A release in rows, with the leaves under each of its labels."""

    def __init__(self, rows, released):
        self.rows, self.released = rows, released
        self.n, self.gone = len(rows), len(rows) - len(released)
        self.columns = hierarchies(rows)
        self.classes = Counter(row[:2] for row in released)
        self.leaves = [
            [self.leaves_under(at, row[at]) for row in released] for at in range(len(self.columns))
        ]

    def leaves_under(self, at, label):
        leaves, of, height = self.columns[at]
        found = {
            tuple(leaf for leaf in leaves if text(of(leaf, level)) == text(label))
            for level in range(height + 1)
        }
        found.discard(())
        assert found, "the label is none of the hierarchy's"
        return max(found, key=len)

    def losses(self):
        for at, (leaves, _, _) in enumerate(self.columns):
            domain = len(leaves)
            if domain == 1:
                yield 0.0
                continue
            cells = [(len(under) - 1) / (domain - 1) for under in self.leaves[at]]
            yield (sum(cells) + self.gone) / self.n

    def certainties(self):
        for at, (leaves, _, _) in enumerate(self.columns):
            domain = len(leaves)
            if domain == 1:
                yield 0.0
                continue
            cells = [len(u) / domain if len(u) > 1 else 0.0 for u in self.leaves[at]]
            yield (sum(cells) + self.gone) / self.n

    def divergence(self):
        """By the probability that the release gives to each tuple of the source, class by class."""
        everything = math.prod(len(leaves) for leaves, _, _ in self.columns)
        per_class = {
            row[:2]: math.prod(len(self.leaves_under(at, row[at])) for at in range(2))
            for row in self.released
        }
        total, left = 0.0, Counter(self.classes)
        # Which class a row is in: of one node only, so that labels say it.
        tuples = Counter(row[:2] for row in self.rows)
        for count in tuples.values():
            total += count / self.n * math.log2(count / self.n)
        for key, count in left.items():
            total -= count / self.n * math.log2(count / self.n / per_class[key])
        if self.gone:
            total -= self.gone / self.n * math.log2(self.gone / self.n / everything)
        return total

    def ambiguity(self):
        everything = math.prod(len(leaves) for leaves, _, _ in self.columns)
        own = sum(
            math.prod(len(self.leaves[at][i]) for at in range(2)) for i in range(len(self.released))
        )
        return own + self.gone * everything

    def classification(self):
        values = defaultdict(Counter)
        for *key, value in self.released:
            values[tuple(key)][value] += 1
        return (self.n - sum(max(counts.values()) for counts in values.values())) / self.n


def at_node(rows, levels):
    return [
        (label_of_letter(letter, levels["letter"]), label_of_number(number, levels["number"]))
        for letter, number, _ in rows
    ]


def entropy_lost(rows, levels, logs=math.log2):
    """Bits that the source's values lose at a node (De Waal and Willenborg)."""
    labels, lost = at_node(rows, levels), []
    for at in range(2):
        before = Counter(row[at] for row in rows)
        after = Counter(label[at] for label in labels)
        lost.append(
            sum(
                logs(after[label[at]] / before[row[at]])
                for row, label in zip(rows, labels, strict=True)
            )
        )
    return lost


def close(value):
    return pytest.approx(value, rel=1e-7, abs=1e-7)


@examples(40)
@given(rows=ROWS, k=st.integers(1, 4), search=SEARCHES)
def test_figures_are_those_of_rows_and_of_the_plan(*, rows, k, search):
    k = min(k, len(rows))
    source, given_policy = frame(rows), policy(k, search)
    plan, table = released_of(given_policy, source)
    released = [tuple(row.values()) for row in table.to_pylist()]
    found = kanon_sql.quality(table, source, plan=plan, policy=given_policy, class_column="class")
    event(f"suppressed: {found.suppressed_rows > 0}, several nodes: {plan.recoding.moves}")
    oracle = Oracle(rows, released)
    measured, d = found.figures, 2
    classes = oracle.classes
    assert found.warnings == ()
    assert (found.rows, found.released_rows, found.classes) == (
        len(rows), len(released), len(classes),
    )  # fmt: skip
    squares = sum(c * c for c in classes.values())
    assert measured["discernibility"] == squares + oracle.n * oracle.gone
    assert measured["discernibility_released"] == squares
    assert measured["aecs"] == oracle.n / (len(classes) + (oracle.gone > 0))
    assert measured["classification"] == close(oracle.classification())
    for at, column in enumerate(found.columns):
        before, after = {row[at] for row in rows}, {row[at] for row in released}
        assert (column.distinct_before, column.distinct_after) == (len(before), len(after))
        assert column.precision_loss == close(1 - len(after) / len(before))
        counts = Counter(row[at] for row in rows)
        shares = [c / len(rows) for c in counts.values()]
        assert column.entropy_before == close(-sum(p * math.log2(p) for p in shares))
    if not released:
        assert measured["loss"] is None
        assert found.reasons["privacy_gain"] == "the release has no rows"
        return
    assert measured["c_avg"] == len(released) / len(classes) / k
    assert measured["privacy_gain"] == 1 - measured["highest_prosecutor_risk"]
    assert measured["highest_prosecutor_risk"] == 1 / min(classes.values())
    losses, certainties = list(oracle.losses()), list(oracle.certainties())
    assert [c.loss for c in found.columns] == [close(x) for x in losses]
    assert measured["loss_sum"] == close(sum(losses))
    assert measured["loss_mean"] == close(sum(losses) / d)
    assert measured["loss"] == close(math.prod(1 + x for x in losses) ** (1 / d) - 1)
    assert measured["gcp"] == close(sum(certainties) / d)
    assert measured["ncp"] == close(sum(certainties) * oracle.n)
    assert measured["ambiguity"] == close(oracle.ambiguity())
    assert measured["kl_divergence"] == close(max(oracle.divergence(), 0.0))
    for key, stated in plan.figures.items():
        if key in measured and measured[key] is not None:
            exactly = plan.recoding.nodes and not plan.recoding.moves
            assert measured[key] == (stated if exactly else close(stated)), key
    if not plan.recoding.moves:
        check_at_node(found, oracle, plan, rows, released)


def check_at_node(found, oracle, plan, rows, released):
    measured, levels = found.figures, plan.levels
    labels = at_node(rows, levels)
    assert measured["discernibility_star"] == sum(c * c for c in Counter(labels).values())
    heights = {"letter": 2, "number": 3}
    climbed = sum(levels[name] / height for name, height in heights.items()) / 2
    kept = len(released) / oracle.n
    assert measured["precision"] == close(1 - (kept * climbed + (1 - kept)))
    assert measured["height"] == sum(levels.values())
    lost = entropy_lost(rows, levels)
    assert measured["entropy"] == close(sum(lost))
    still = 0.0
    gone = Counter(labels) - Counter(row[:2] for row in released)
    for at in range(2):
        counts = Counter()
        for label, count in gone.items():
            counts[label[at]] += count
        still -= sum(c * math.log2(c / oracle.gone) for c in counts.values())
    assert measured["entropy_suppressed"] == close(sum(lost) + still)
    full = entropy_lost(rows, {"letter": 2, "number": 3})
    everything = math.prod(len(leaves) for leaves, _, _ in oracle.columns)
    divergence = 0.0
    for letter, number in {row[:2] for row in rows}:
        p = sum(row[:2] == (letter, number) for row in rows) / oracle.n
        (label,) = at_node([(letter, number, None)], levels)
        area = math.prod(len(oracle.leaves_under(at, label[at])) for at in range(2))
        size = oracle.classes[label]
        q = size / oracle.n / area if size else oracle.gone / oracle.n / everything
        divergence += p * math.log2(p / q)
    assert measured["kl_divergence"] == close(max(divergence, 0.0))
    shares = [own / all_ if all_ else 0.0 for own, all_ in zip(lost, full, strict=True)]
    assert measured["normalized_entropy"] == close(sum(shares) / 2)
    number, level = found.columns[1], levels["number"]
    if level == 3:
        assert number.squared_error is None
        assert "interval hierarchy" in number.reason
    else:
        width = (0, 2, 4)[level]
        middles = [n - n % width + width / 2 if width else n for _, n, _ in rows]
        errors = [(n - middle) ** 2 for (_, n, _), middle in zip(rows, middles, strict=True)]
        assert number.squared_error == close(sum(errors))
        assert number.mean_squared_error == close(sum(errors) / len(rows))


@examples(20)
@given(rows=ROWS, k=st.integers(1, 3))
def test_without_a_plan_the_hierarchies_of_the_policy_are_enough(*, rows, k):
    """Labels say at which level they are; here none is at two."""
    k = min(k, len(rows))
    source, given_policy = frame(rows), policy(k, {"algorithm": "optimal"})
    plan, table = released_of(given_policy, source)
    by_plan = kanon_sql.quality(table, source, plan=plan, policy=given_policy)
    by_policy = kanon_sql.quality(table, source, policy=given_policy)
    nulls = by_policy.figures["precision"] is None
    event(f"told apart: {not nulls}")
    for key, value in by_policy.figures.items():
        assert value is None or value == close(by_plan.figures[key]), key
    bare = kanon_sql.quality(table, source, quasi=["letter", "number"], k=k)
    for key, value in bare.figures.items():
        assert value == by_plan.figures[key] or key in bare.reasons, key
    assert bare.figures["discernibility"] is not None


RANGES = st.lists(
    st.tuples(st.sampled_from(("letter", "number", "both")), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=4,
)


@examples(30)
@given(rows=ROWS, k=st.integers(1, 4), search=SEARCHES, asked=RANGES)
def test_counts_of_queries_are_those_of_rows(*, rows, k, search, asked):
    """A label covers the source's values under it uniformly; a row counts by the product of its shares."""
    source, given_policy = frame(rows), policy(min(k, len(rows)), search)
    plan, table = released_of(given_policy, source)
    released = [tuple(row.values()) for row in table.to_pylist()]
    if not released:
        return
    queries, wanted = [], []
    for which, low, high in asked:
        letters = "abcd"[low % 4 : high % 4 + 1]
        texts, tests = {}, [lambda _: True, lambda _: True]
        if which != "number":
            texts["letter"] = f"letter >= '{'abcd'[low % 4]}' AND letter <= '{'abcd'[high % 4]}'"
            tests[0] = lambda value, letters=letters: value is not None and value in letters
        if which != "letter":
            texts["number"] = f"number BETWEEN {low} AND {high}"
            tests[1] = lambda value, low=low, high=high: low <= value <= high
        queries.append(texts)
        wanted.append(tests)
    oracle = Oracle(rows, released)
    there = [{row[at] for row in rows} for at in range(2)]
    expected = []
    for tests in wanted:
        true = sum(all(test(row[at]) for at, test in enumerate(tests)) for row in rows)
        estimate = 0.0
        for number in range(len(released)):
            share = 1.0
            for at, test in enumerate(tests):
                under = [leaf for leaf in oracle.leaves[at][number] if leaf in there[at]]
                share *= sum(map(test, under)) / len(under)
            estimate += share
        expected.append((true, estimate))
    found = kanon_sql.quality(
        table, source, plan=plan, policy=given_policy, queries=queries
    ).queries
    assert [true for true, _ in found.counts] == [true for true, _ in expected]
    assert [e for _, e in found.counts] == [close(e) for _, e in expected]
    errors = [abs(e - t) / t for t, e in expected if t]
    assert found.empty == len(expected) - len(errors)
    if errors:
        assert found.mean == close(sum(errors) / len(errors))
        assert found.highest == close(max(errors))


@examples(10)
@given(rows=ROWS, seed=st.integers(0, 3))
def test_a_workload_is_that_of_its_seed_and_raw_rows_answer_it_exactly(*, rows, seed):
    source, given_policy = frame(rows), policy(1, {"algorithm": "optimal"})
    plan, table = released_of(given_policy, source)
    asked = {"policy": given_policy, "plan": plan, "workload": 12, "seed": seed}
    found = kanon_sql.quality(table, source, **asked)
    again = kanon_sql.quality(table, source, **asked)
    assert found.queries == again.queries
    assert len(found.queries.counts) == 12
    assert plan.cost == (0.0,), "for k = 1 nothing is generalized"
    assert all(true == estimate for true, estimate in found.queries.counts)
