"""What verify says of classes that fail: how many, with their rows and their people, counted a second time in Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main

K = 3


def visits(seed):
    """A table with NULLs, whose people come several times and in several classes; a NULL is no person."""
    draw = random.Random(seed)
    return [
        (
            draw.choice(["p1", "p2", "p3", "p4", "p5", "p6", None]),
            draw.choice(["a", "b", "A ", None]),
            draw.choice([1, 2, None]),
        )
        for _ in range(40)
    ]


def counted(rows, *, by):
    """The classes smaller than k, their rows and their people, one by one."""
    signatures = defaultdict(Counter)
    for person, *labels in rows:
        signatures[person][tuple(labels)] += 1
    classes = defaultdict(list)
    for person, *labels in rows:
        signed = frozenset(signatures[person].items())
        classes[signed if by == "signature" else tuple(labels)].append(person)
    sizes = {
        key: len(people) if by == "row" else len(set(people) - {None})
        for key, people in classes.items()
    }
    short = [classes[key] for key, size in sizes.items() if size < K]
    people = {person for each in short for person in each} - {None}
    return len(classes), len(short), sum(map(len, short)), len(people), min(sizes.values())


@pytest.mark.parametrize("by", ["row", "entity", "signature"])
@pytest.mark.parametrize("seed", range(4))
def test_classes_that_fail_have_their_rows_and_people(tmp_path, by, seed):
    rows = visits(seed)
    table = tmp_path / "visits.csv"
    text = "".join(",".join("" if c is None else str(c) for c in row) + "\n" for row in rows)
    table.write_text(f"who,zip,ward\n{text}", encoding="utf-8")
    asked = {} if by == "row" else {by: "who"}
    classes, short, in_rows, in_people, smallest = counted(rows, by=by)
    found = kanon_sql.verify(str(table), quasi=["zip", "ward"], k=K, **asked)
    assert (found.classes, found.short_classes, found.smallest_class) == (classes, short, smallest)
    assert found.short_rows == (in_rows if short else None)
    assert found.short_people == (None if by == "row" or not short else in_people)


def printed(tmp_path, *options):
    table = tmp_path / "t.csv"
    table.write_text("who,zip\n" + "p1,a\np1,a\np2,a\np3,b\n" * 1, encoding="utf-8")
    done = CliRunner().invoke(main, ["verify", str(table), "--quasi", "zip", *options])
    return done.exit_code, done.output.splitlines()[0]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["-k", "2"], "1 of 2 classes is smaller than 2 (1 of 4 rows); smallest 1 row"),
        (
            ["-k", "3", "--entity", "who"],
            "2 of 2 classes are smaller than 3 (4 of 4 rows; 3 people); smallest 1 person (who)",
        ),
        (
            ["-k", "2", "--entity", "who"],
            "1 of 2 classes is smaller than 2 (1 of 4 rows; 1 person); smallest 1 person (who)",
        ),
        (
            ["-k", "1", "--distinct-l", "who=2"],
            (
                "1 of 2 classes fails (1 of 4 rows); smallest 1 row (k = 1); least diverse class 1 distinct who (l = 2); "
                "falls short of distinct values of who: at least 2"
            ),
        ),
        (
            ["-k", "2000", "--nulls", "wildcard"],
            "2 of 2 classes are smaller than 2,000 (4 of 4 rows); smallest 1 row",
        ),
    ],
)
def test_a_failure_is_one_sentence(tmp_path, options, line):
    assert printed(tmp_path, *options) == (4, f"FAIL over zip: {line}")


def test_what_passes_names_whom_a_class_counts(tmp_path):
    code, line = printed(tmp_path, "-k", "1", "--entity", "who")
    assert (code, line) == (
        0,
        "PASS over zip: 4 rows in 2 equivalence classes, smallest 1 person (who), k = 1; 0 classes fail",
    )
