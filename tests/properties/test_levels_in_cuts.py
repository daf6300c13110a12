"""Searches that cut columns keep within the levels that columns may have."""

from __future__ import annotations

from collections import Counter, defaultdict

import duckdb
import pyarrow as pa
from hypothesis import HealthCheck, event, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

PATHS = {
    "a": ("a", "p", "P", "*"), "b": ("b", "p", "P", "*"), "c": ("c", "q", "P", "*"),
    "d": ("d", "r", "R", "*"), "e": ("e", "s", "R", "*"), "f": ("f", "s", "R", "*"),
}  # fmt: skip
"""Of each value its labels: `q` and `r` stand for one value each, and every label is of one level."""
LEVEL = {label: level for path in PATHS.values() for level, label in enumerate(path)}
TREE = {"*": {"P": {"p": ["a", "b"], "q": ["c"]}, "R": {"r": ["d"], "s": ["e", "f"]}}}
SECOND = {"x": ("x", "X", "**"), "y": ("y", "X", "**"), "z": ("z", "Z", "**")}
PLAIN = {"**": {"X": ["x", "y"], "Z": ["z"]}}

rows_of = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz"), st.integers(0, 1)),
    min_size=4,
    max_size=30,
)


@st.composite
def bounds(draw, height):
    least = draw(st.integers(0, height))
    most = draw(st.one_of(st.none(), st.integers(least, height)))
    return (least, most)


searches = st.sampled_from(
    (
        {"algorithm": "top_down", "target": "t"},
        {"algorithm": "bottom_up", "target": "t"},
        {"algorithm": "mondrian"},
        {"algorithm": "mondrian", "cuts": "relaxed"},
        {"algorithm": "mondrian", "choose": "loss"},
        {"algorithm": "mondrian", "grouping": "order"},
        {"algorithm": "order", "runs": "least_loss"},
        {"algorithm": "mondrian", "choose": "information", "target": "t"},
    )
)


def policy(k, search, of_m=(0, None), of_n=(0, None), trees=(TREE, PLAIN)):
    def column(tree, levels):
        least, most = levels
        said = {"least": least, **({} if most is None else {"most": most})}
        own = {} if levels == (0, None) else {"levels": said}
        return {"role": "quasi", "hierarchy": {"tree": tree}, **own}

    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "m": column(trees[0], of_m),
            "n": column(trees[1], of_n),
            "t": {"role": "sensitive"},
            "id": {"role": "insensitive"},
        },
        "privacy": {"k": k},
        "search": search,
    }


def put(connection, rows):
    frame = pa.table(  # noqa: F841
        {"m": [r[0] for r in rows], "n": [r[1] for r in rows], "t": [r[2] for r in rows],
         "id": [*range(len(rows))]}
    )  # fmt: skip
    connection.execute("CREATE OR REPLACE TABLE people AS FROM frame")


def released(rows, said):
    """The plan, and the labels of each row; none where nothing fits."""
    with duckdb.connect() as connection:
        put(connection, rows)
        try:
            plan = kanon_sql.plan(said, connection=connection)
        except kanon_sql.InfeasibleError:
            return None
        kanon_sql.apply(plan, policy=said, connection=connection, release="out")
        found = connection.execute("SELECT m, n FROM out ORDER BY id").fetchall()
    return plan, found


@examples(25)
@given(rows_of, st.integers(2, 4), searches, bounds(3), bounds(2))
def test_what_is_released_is_of_the_levels_that_are_allowed(rows, k, search, of_m, of_n):
    coarsest = Counter(
        (
            PATHS[m][-1 if of_m[1] is None else of_m[1]],
            SECOND[n][-1 if of_n[1] is None else of_n[1]],
        )
        for m, n, _ in rows
    )
    made = released(rows, policy(k, search, of_m, of_n))
    event(f"feasible: {made is not None}")
    assert (made is not None) is (min(coarsest.values()) >= k)
    if made is None:
        return
    plan, found = made
    assert len(found) == len(rows)
    assert min(Counter(found).values()) >= k
    assert plan.within is None or set(plan.within) <= {"m", "n"}
    for (m, n, _), (shown_m, shown_n) in zip(rows, found, strict=True):
        for path, shown, (least, most) in ((PATHS[m], shown_m, of_m), (SECOND[n], shown_n, of_n)):
            assert shown in path[least : len(path) if most is None else most + 1]
    widths = [(_leaves(m, PATHS) + _leaves(n, SECOND)) / 2 for m, n in found]
    assert abs(plan.figures["gcp"] - sum(widths) / len(widths)) < 1e-6  # of the whole hierarchy


def _leaves(label, paths):
    """The values below a label as a share of all in the hierarchy; none for one alone."""
    below = [value for value, path in paths.items() if label in path]
    return len(below) / len(paths) if len(below) > 1 else 0


@examples(12)
@given(rows_of, st.integers(2, 4), st.sampled_from(("top_down", "bottom_up")))
def test_a_least_level_is_as_if_the_table_had_its_labels(rows, k, algorithm):
    search = {"algorithm": algorithm, "target": "t"}
    above = [(PATHS[m][1], SECOND[n][1], t) for m, n, t in rows]
    trees = ({"*": {"P": ["p", "q"], "R": ["r", "s"]}}, {"**": ["X", "Z"]})
    mine = released(rows, policy(k, search, (1, None), (1, None)))
    theirs = released(above, policy(k, search, trees=trees))
    assert (mine is None) is (theirs is None)
    if mine is not None:
        assert classes(mine[1]) == classes(theirs[1])


def classes(labels):
    """The rows of each class by their numbers, whatever the classes are called."""
    found = defaultdict(list)
    for number, each in enumerate(labels):
        found[each].append(number)
    return sorted(found.values())


@examples(12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(rows_of, rows_of), searches, bounds(3), bounds(2))
def test_new_rows_are_released_at_the_levels_that_are_allowed(tmp_path, both, search, of_m, of_n):
    rows, new = both
    if search["algorithm"] == "order":
        search = {"algorithm": "mondrian"}
    overlapping = {"cuts", "grouping"}  # which have no boundaries
    search = {key: of for key, of in search.items() if key not in overlapping}
    said = {**policy(2, search, of_m, of_n), "suppression": "100%"}
    with duckdb.connect() as connection:
        put(connection, rows)
        stem = str(tmp_path / "boundaries")
        try:
            plan = kanon_sql.plan(said, connection=connection, boundaries=stem)
        except kanon_sql.InfeasibleError:
            return
        put(connection, new)
        given = {"policy": said, "connection": connection, "to_new_rows": True, "boundaries": stem}
        try:
            kanon_sql.apply(plan, release="out", **given)
        except (kanon_sql.InfeasibleError, kanon_sql.SourceError):
            event("rows: none")
            return
        found = connection.execute("SELECT id, m, n FROM out").fetchall()
    event(f"rows: {min(len(found), 2)}")
    for number, *shown in found:
        paths = PATHS[new[number][0]], SECOND[new[number][1]]
        for path, label, (least, most) in zip(paths, shown, (of_m, of_n), strict=True):
            assert label in path[least : len(path) if most is None else most + 1]
