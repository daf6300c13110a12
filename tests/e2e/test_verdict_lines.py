"""The first line of `risk` and `attack` says how much is exposed; the counts are made again by plain Python."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

HOSTILE = 'the "zip"'
ROWS = [  # person, age, zip, illness
    ("p1", "30", "A", "flu"), ("p1", "30", "A", "flu"), ("p2", "31", "A", "cold"), ("p3", "31", "A", "flu"),
    ("p4", "40", "B", "flu"), ("p5", "40", "B", "flu"), ("p6", "50", "B", "cold"),
]  # fmt: skip
BANDS = {"30": "young", "31": "young", "40": "old", "50": "old"}
RELEASE = [(who, BANDS[age], "*", ill) for who, age, _, ill in ROWS]
QUASI = f'age,"{HOSTILE.replace(chr(34), chr(34) * 2)}"'


def write(lab, name, rows):
    with (lab.folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("person", "age", HOSTILE, "ill"), *rows])


def sizes(rows):
    return Counter(row[1:3] for row in rows)


def first_line(lab, *words):
    return lab.done(*words).splitlines()[0]


def test_risk_begins_with_the_verdict(lab):
    write(lab, "people.csv", ROWS)
    write(lab, "release.csv", RELEASE)
    before, after = sizes(ROWS), sizes(RELEASE)
    alone = sum(n == 1 for n in before.values())
    assert first_line(lab, "risk", "people.csv", "--quasi", QUASI) == (
        f"verdict: in this table a person is found with a probability of at most {1 / min(before.values()):.4f}, "
        f"{len(before) / len(ROWS):.4f} on average; {alone} of 7 rows is unique"
    )
    line = first_line(lab, "risk", "people.csv", "--quasi", QUASI, "--release", "release.csv")
    assert line == (
        f"verdict: in the release a person is found with a probability of at most {1 / min(after.values()):.4f}, "
        f"{len(after) / len(ROWS):.4f} on average (in the table 1.0000); 0 of 7 rows are unique (in the table {alone})"
    )


def test_risk_of_persons_is_that_by_persons_where_it_is_higher(lab):
    write(lab, "people.csv", ROWS)
    people = defaultdict(set)
    for who, *quasi, _ in ROWS:
        people[tuple(quasi)].add(who)
    line = first_line(lab, "risk", "people.csv", "--quasi", "age", "--entity", "person")
    assert "at most 1.0000" in line
    assert "(by persons)" in line or "(by signatures)" in line


def test_sets_of_columns_begin_with_the_smallest(lab):
    write(lab, "people.csv", [(f"n{n}", *row[1:]) for n, row in enumerate(ROWS)])
    assert first_line(lab, "risk", "people.csv") == "verdict: all rows are distinguished by person alone"  # fmt: skip
    write(lab, "same.csv", [("p", "1", "A", "flu"), ("q", "1", "A", "flu")] * 9)
    assert first_line(lab, "risk", "same.csv") == (
        "verdict: no set of at most 3 columns distinguishes nearly all rows"
    )


def test_every_attack_begins_with_the_verdict(lab):
    write(lab, "people.csv", ROWS)
    write(lab, "release.csv", RELEASE)
    on = ("--quasi", QUASI, "--sensitive", "ill")
    values = defaultdict(set)
    for row in ROWS:
        values[row[1:3]].add(row[3])
    known = sum(len(values[row[1:3]]) == 1 for row in ROWS)
    assert first_line(lab, "attack", "homogeneity", "people.csv", *on) == (
        f"verdict: ill is certain of {known} of 7 rows with a value ({known / 7:.1%})"
    )
    surest = max(
        n / sum(1 for row in RELEASE if row[1] == of[0])
        for of, n in Counter((row[1], row[3]) for row in RELEASE).items()
    )
    assert first_line(lab, "attack", "homogeneity", "release.csv", *on) == (
        f"verdict: ill is certain of no row; the surest guess is right with a probability of {surest:.4f}"
    )
    assert first_line(lab, "attack", "background", "release.csv", *on, "--excluding", "1") == (
        "verdict: ill is certain of 7 of 7 rows with a value (100.0%)"
    )
    linked = ("attack", "link", "--target", "people.csv", "--known", "people.csv", "--on", QUASI)
    alone = sum(n == 1 for n in sizes(ROWS).values())
    assert first_line(lab, *linked) == (
        f"verdict: {alone} of 7 known records has one candidate in the table, which is certain"
    )
    assert first_line(lab, *linked, "--released", "release.csv") == (
        f"verdict: no known record is matched in the release, which proves nothing (in the target {alone})"
    )
    write(lab, "known.csv", [(who, BANDS[age], "*", ill) for who, age, _, ill in ROWS])
    raised = ("attack", "link", "--target", "release.csv", "--known", "known.csv", "--on", QUASI)
    assert first_line(lab, *raised) == (
        "verdict: 0 of 7 known records have one candidate in the table, which is certain"
    )


def test_composition_begins_with_the_verdict(lab):
    releases = {
        "first.csv": [("p", "young", "A", "flu"), ("q", "young", "A", "cold"), ("r", "old", "A", "flu"), ("s", "old", "A", "flu")],
        "second.csv": [("p", "x", "A", "flu"), ("r", "x", "A", "flu"), ("q", "y", "A", "cold"), ("s", "y", "A", "flu")],
    }  # fmt: skip
    for name, rows in releases.items():
        write(lab, name, rows)
    line = first_line(
        lab, "attack", "composition", *releases, "--person", "person", "--quasi", QUASI, "--sensitive", "ill"
    )  # fmt: skip

    def possible(name, who):
        (quasi,) = {row[1:3] for row in releases[name] if row[0] == who}
        return {row[3] for row in releases[name] if row[1:3] == quasi}

    both = sum(len(possible("first.csv", w) & possible("second.csv", w)) == 1 for w in "pqrs")
    alone = sum(min(len(possible(name, w)) for name in releases) == 1 for w in "pqrs")
    assert line == (
        f"verdict: {both} of 4 persons are exposed by the two releases together, {alone} by one alone"
    )
