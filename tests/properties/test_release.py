"""What is published, recounted by someone who has never seen the product."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import SEARCHES, Problem, problems
from tiers import examples

import kanon_sql

searches = st.sampled_from(SEARCHES)
kinds = st.lists(st.sampled_from(("query", "csv", "tree")), min_size=3, max_size=3)


def recount(problem, released):
    """The classes of a released table that fall short of what the problem asks."""
    width = len(problem.tops)
    members = defaultdict(list)
    for row in released:
        members[tuple(row[f"q{c}"] for c in range(width))].append(row)
    short = []
    for rows in members.values():
        size = len(rows) if problem.entities is None else len({row["person"] for row in rows})
        spread = problem.l if problem.spread is None else problem.values([row["s"] for row in rows])
        if size < problem.k or spread < problem.l:
            short.append(rows)
    return short


def expected_release(problem, node):
    """Every kept row, generalized, as text where it was raised and as it was where it was not."""
    gone = problem.outcome(node).suppressed_rows
    rows = []
    for i, row in enumerate(problem.rows):
        if i in gone:
            continue
        labels = problem.generalized(row, node)
        out = {"id": i, **{f"q{c}": label for c, label in enumerate(labels)}}
        if problem.spread is not None:
            out["s"] = problem.spread[i]
        if problem.entities is not None:
            out["person"] = problem.entities[i]
        rows.append(out)
    return rows


def bag(rows):
    return Counter(tuple(sorted(row.items(), key=lambda item: item[0])) for row in rows)


def lopsided(k, l):  # noqa: E741
    """A class of four rows that are one person with one value, beside one that fits."""
    rows = [("x", "x")] * 4 + [("y", "y")] * 3
    tree = {"x": ["*"], "y": ["*"]}
    people, values = [1, 1, 1, 1, 2, 3, 4], [None] * 4 + ["a", None, "a"]
    return Problem(rows, [tree, dict(tree)], k, 4, people, values, l)


@examples(40)
@given(problem=problems(), search=searches, kinds=kinds)
@example(problem=lopsided(3, 1), search={"metric": "height"}, kinds=["query"] * 3)
@example(problem=lopsided(1, 2), search={"metric": "height"}, kinds=["query"] * 3)
def test_the_release_is_the_kept_rows_generalized_and_passes_a_recount(
    writer, problem, search, kinds
):
    policy, frame = writer.policy(problem, search, kinds=kinds), writer.frame(problem)
    try:
        release = kanon_sql.anonymize(policy, frame)
    except kanon_sql.InfeasibleError:
        assert not problem.feasible
        return
    with release:
        table = release.relation.to_arrow_table()
    assert table.column_names == frame.column_names
    released = table.to_pylist()
    node = tuple(release.plan.levels.values())
    assert recount(problem, released) == []
    assert bag(released) == bag(expected_release(problem, node))
    assert len(problem.rows) - len(released) <= problem.max_suppressed
    assert release.verification.passed
    assert release.verification.rows == len(released)


@examples(15)
@given(problem=problems())
def test_a_parquet_file_holds_the_same_rows(writer, problem):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.parquet"
        try:
            release = kanon_sql.anonymize(
                writer.policy(problem), writer.frame(problem), release=str(path)
            )
        except kanon_sql.InfeasibleError:
            assert not path.exists()
            assert list(Path(folder).iterdir()) == []
            return
        released = duckdb.read_parquet(str(path)).to_arrow_table().to_pylist()
        assert [entry.name for entry in Path(folder).iterdir()] == ["out.parquet"]
    node = tuple(release.plan.levels.values())
    assert bag(released) == bag(expected_release(problem, node))


@examples(15)
@given(problem=problems())
def test_verify_counts_any_table_like_python(writer, problem):
    """The raw table too: its recount says which classes fall short, and how small they are."""
    bottom = problem.outcome((0,) * len(problem.tops))
    found = kanon_sql.verify(
        writer.frame(problem),
        quasi=[f"q{c}" for c in range(len(problem.tops))],
        k=problem.k,
        entity=None if problem.entities is None else "person",
        distinct_l=None if problem.spread is None else {"s": problem.l},
        sensitive_nulls="value" if problem.counts_null else "not_counted",
    )
    assert found.classes == len(bottom.rows_of)
    assert found.rows == len(problem.rows)
    assert found.smallest_class == min(bottom.sizes.values())
    assert found.short_classes == len(bottom.rows_of) - len(bottom.kept)
    assert found.passed == (not bottom.suppressed)


@examples(20)
@given(problem=problems(), search=searches, seed=st.integers(0, 99))
def test_the_plan_is_the_same_bytes_whatever_the_order_and_the_threads(
    writer, problem, search, seed
):
    policy = writer.policy(problem, search)
    order = list(range(len(problem.rows)))
    random.Random(seed).shuffle(order)
    runs = [
        (writer.frame(problem), None),
        (writer.frame(problem), None),
        (writer.frame(problem), kanon_sql.Settings(threads=1)),
        (writer.frame(problem), kanon_sql.Settings(threads=2)),
        (writer.frame(problem, order), kanon_sql.Settings(threads=2)),
    ]
    told = set()
    for frame, limits in runs:
        try:
            told.add(kanon_sql.plan(policy, frame, settings=limits).to_yaml())
        except kanon_sql.InfeasibleError as error:
            told.add(str(error))
    assert len(told) == 1


@examples(15)
@given(problem=problems())
def test_a_plan_survives_its_file_and_applies_to_the_same_rows(writer, problem):
    policy, frame = writer.policy(problem), writer.frame(problem)
    try:
        plan = kanon_sql.plan(policy, frame)
    except kanon_sql.InfeasibleError:
        return
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan.yml")
    assert again.to_yaml() == plan.to_yaml()
    with kanon_sql.apply(again, frame, policy=policy) as release:
        released = release.relation.to_arrow_table().to_pylist()
    node = tuple(plan.levels.values())
    assert bag(released) == bag(expected_release(problem, node))


def test_the_source_s_order_does_not_show_in_the_release():
    rows = 500
    frame = pa.table({"id": list(range(rows)), "a": ["x"] * rows})
    policy = {
        "version": 1,
        "source": "given",
        "entity": "row",
        "columns": {
            "id": {"role": "insensitive"},
            "a": {"role": "quasi", "hierarchy": "suppress"},
        },
        "privacy": {"k": 5},
    }
    with kanon_sql.anonymize(policy, frame) as release:
        ids = [row[0] for row in release.relation.fetchall()]
    assert sorted(ids) == list(range(rows))
    in_order = sum(b == a + 1 for a, b in pairwise(ids))
    assert in_order < rows / 10
