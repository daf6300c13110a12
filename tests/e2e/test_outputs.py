"""What a class is released as: hostile values in sets, hand-computed widths, and what is refused."""

from __future__ import annotations

import duckdb
import pytest

import kanon_sql

TREE = {"tree": {"*": {"one": ["d", "a"], "two": ["c", "b"]}}}


def released(rows, entry, k, **search):
    """The released values of one column, with how many rows have each."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (q VARCHAR)")
        connection.executemany("INSERT INTO people VALUES (?)", [[row] for row in rows])
        policy = {
            "version": 1,
            "source": "people",
            "entity": "row",
            "columns": {"q": {"role": "quasi", **entry}},
            "privacy": {"k": k},
            "search": {"algorithm": "mondrian", **search},
        }
        with kanon_sql.anonymize(policy, connection=connection) as release:
            assert release.verification.passed
            counted = release.relation.aggregate("q, COUNT(*)", "q").fetchall()
            return dict(counted), release.plan


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["a|b", "a", "b"], "a|a\\|b|b"),
        (["\\N", None, "x"], "\\N|\\\\N|x"),
        (["[a, b]", "naïve 😀", ""], "|[a, b]|naïve 😀"),
        (["a|b"] * 3, "a\\|b"),
        ([None] * 3, None),
    ],
)
def test_a_set_can_be_read_back_whatever_its_values_are(rows, told):
    found, _ = released(rows, {"order": "text", "output": "set"}, 3)
    assert found == {told: 3}


def test_lines_follow_the_hierarchy_or_the_alphabet():
    """Depth first a and d are together; in the alphabet a and b are."""
    found, _ = released("abcd", {"order": "text", "hierarchy": TREE}, 2)
    assert found == {"[a, d]": 2, "[b, c]": 2}
    found, _ = released("abcd", {"order": "alphabetical", "hierarchy": TREE}, 2)
    assert found == {"[a, b]": 2, "[c, d]": 2}
    found, plan = released("abcd", {"order": "text", "hierarchy": TREE, "output": "node"}, 2)
    assert found == {"one": 2, "two": 2}
    assert plan.figures["gcp"] == 0.5


def test_what_a_line_cannot_have_is_refused():
    with pytest.raises(kanon_sql.HierarchyError, match="order: alphabetical"):
        released("abe", {"order": "text", "hierarchy": TREE}, 2)
    with pytest.raises(kanon_sql.HierarchyError, match="do not agree at level 1"):
        released("abcd", {"order": "alphabetical", "hierarchy": TREE, "output": "node"}, 2)


def test_a_node_is_released_as_the_values_of_its_classes():
    rows, plan = released("abcd", {"hierarchy": TREE, "output": "set"}, 2, algorithm="optimal")
    assert rows == {"a|d": 2, "b|c": 2}
    assert (plan.classes, plan.smallest_class) == (2, 2)
