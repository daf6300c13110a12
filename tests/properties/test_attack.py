"""Attacks on the database against brute force over rows in Python, which shares no code with them."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

LABELS = st.sampled_from(("x", "y", "", "NULL", None))
VALUES = st.sampled_from(("flu", "cold", "gout", None))
NULLS = st.sampled_from(("not_counted", "value"))


def frame(names, rows):
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table({n: pa.array(c, pa.string()) for n, c in zip(names, columns, strict=True)})


def tables(*cells, most=14):
    return st.lists(st.tuples(*cells), max_size=most)


@examples(30)
@given(target=tables(LABELS, LABELS, VALUES), known=tables(LABELS, LABELS), people=st.booleans())
def test_a_link_finds_the_candidates_of_each_known_record(*, target, known, people):
    found = kanon_sql.attack_link(
        frame(("a", "b", "who"), target),
        frame(("a", "b"), known),
        on=["a", "b"],
        entity="who" if people else None,
    )
    candidates = []
    for record in known:
        rows = [who for *labels, who in target if tuple(labels) == record]
        candidates.append(len({who for who in rows if who is not None}) if people else len(rows))
    chances = [Fraction(1, n) for n in candidates if n]
    assert found.known == len(known)
    assert found.target.matched == len(chances)
    assert found.target.unique == candidates.count(1)
    assert found.target.highest == float(max(chances, default=0))
    mean = sum(chances) / len(chances) if chances else Fraction(0)
    assert found.target.average == pytest.approx(float(mean), rel=1e-12)
    assert {n: c for n, c in found.target.candidates.items() if c} == Counter(candidates)


def shares_after(values, excluding):
    """Of each value of a class its share, once so many of the most frequent others are excluded."""
    counts = Counter(values)
    for value, count in counts.items():
        others = sorted((n for other, n in counts.items() if other != value), reverse=True)
        yield Fraction(count, len(values) - sum(others[:excluding]))


@examples(40)
@given(rows=tables(LABELS, LABELS, VALUES), excluding=st.integers(0, 3), nulls=NULLS)
def test_a_class_gives_away_what_its_counts_say(*, rows, excluding, nulls):
    table = frame(("a", "b", "d"), rows)
    asked = {"quasi": ["a", "b"], "sensitive": "d", "sensitive_nulls": nulls}
    found = kanon_sql.attack_background(table, excluding=excluding, show_values=True, **asked)
    classes = defaultdict(list)
    for a, b, value in rows:
        classes[a, b] += [value] if nulls == "value" or value is not None else []
    shares = {key: max(shares_after(v, excluding), default=None) for key, v in classes.items()}
    certain = [key for key, share in shares.items() if share == 1]
    exposed = [key for key in certain if len(set(classes[key])) <= excluding + 1]
    assert certain == exposed, "what is sure of one value is sure of every value of the class"
    assert (found.rows, found.classes) == (len(rows), len(classes))
    assert found.rows_with_value == sum(map(len, classes.values()))
    assert found.exposed_classes == len(exposed)
    assert found.exposed_rows == sum(len(classes[key]) for key in exposed)
    assert found.highest == float(max((s for s in shares.values() if s is not None), default=0))
    assert {tuple(each["labels"].values()) for each in found.shown} == set(exposed)
    for each in found.shown:
        values = Counter(classes[tuple(each["labels"].values())])
        assert values[each["value"]] == max(values.values())
    if excluding == 0:
        assert kanon_sql.attack_homogeneity(table, show_values=True, **asked) == found


PERSONS = st.lists(
    st.tuples(
        st.sampled_from(("E", "F", None)),
        st.sampled_from(("G", "H", None)),
        st.sampled_from(("flu", "cold", "gout")),
        st.sampled_from(("flu", "cold", None)),
    ),
    max_size=7,
)
"""Of each person the class in each release, the value, and another that a second release may have."""


def compared(people, second_value, nulls="not_counted", **more):
    """Attack two releases of these people; each person has the number of its place."""
    first = [(str(i), one, v) for i, (one, _, v, _) in enumerate(people) if one]
    second = [(str(i), two, second_value(p)) for i, p in enumerate(people) if (two := p[1])]
    names = ("person", "a", "d")
    return kanon_sql.attack_composition(
        frame(names, first),
        frame(names, second),
        person="person",
        quasi=["a"],
        sensitive="d",
        sensitive_nulls=nulls,
        show_values=True,
        **more,
    )


def counts_of(people, release, values):
    found = defaultdict(Counter)
    for person, value in zip(people, values, strict=True):
        if person[release]:
            found[person[release]][value] += 1
    return found


def left(people, values, nulls):
    """The values left to each person of a release, as the page says them."""
    counts = [counts_of(people, release, values[release]) for release in (0, 1)]
    is_value = {v for c in counts for each in c.values() for v in each}
    is_value -= set() if nulls == "value" else {None}
    found = {}
    for number, person in enumerate(people):
        one, two, *_ = person
        if one and two:
            found[number] = {v for v in is_value if counts[0][one][v] and counts[1][two][v]}
        elif one or two:
            own = 0 if one else 1
            found[number] = set(unexplained(people, counts, is_value, own, person[own]))
    return found


def unexplained(people, counts, is_value, own, at):
    """The values of a class that may be those of a person who is in this release alone."""
    stay = Counter(p[1 - own] for p in people if p[own] == at and p[1 - own])
    remaining = {}
    for value in is_value & set(counts[own][at]):
        explained = 0
        for other, persons in stay.items():
            have = counts[1 - own][other]
            explained += min(persons, have[value] + (0 if None in is_value else have[None]))
        remaining[value] = max(0, counts[own][at][value] - explained)
    alone = sum(counts[own][at].values()) - sum(stay.values())
    for value in remaining:
        if sum(n for other, n in remaining.items() if other != value) <= alone - 1:
            yield value


def signature(counts, nulls):
    return {v for v in counts if nulls == "value" or v is not None}


MISSING = [("E", None, "flu", None), ("E", "G", "cold", None)]
"""Who stays may have any value of the first release, as the second has none of that person."""
MANY = [
    ("E", None, "flu", "flu"),
    ("E", "G", "flu", "flu"),
    ("E", "H", "cold", "cold"),
    (None, "G", "flu", "flu"),
]
"""The second release has a value twice, but of one person who was in the first."""


@examples(60)
@example(people=MISSING, nulls="not_counted", changes=True)
@example(people=MANY, nulls="not_counted", changes=False)
@given(people=PERSONS, nulls=NULLS, changes=st.booleans())
def test_two_releases_leave_a_person_what_both_say(*, people, nulls, changes):
    def second_value(person):
        return person[3] if changes else person[2]

    found = compared(people, second_value, nulls)
    values = ([p[2] for p in people], [second_value(p) for p in people])
    possible = left(people, values, nulls)
    sides = {
        "in_both": {i for i, p in enumerate(people) if p[0] and p[1]},
        "only_first": {i for i, p in enumerate(people) if p[0] and not p[1]},
        "only_second": {i for i, p in enumerate(people) if p[1] and not p[0]},
    }
    counts = [counts_of(people, release, values[release]) for release in (0, 1)]
    for side, numbers in sides.items():
        told = getattr(found, side)
        sizes = [len(possible[i]) for i in numbers]
        alone = [
            i for i in numbers if len(possible[i]) == 1
            and any(at and len(signature(counts[r][at], nulls)) == 1 for r, at in enumerate(people[i][:2]))
        ]  # fmt: skip
        assert told.persons == len(numbers)
        assert told.exposed == sizes.count(1)
        assert told.exposed_alone == len(alone)
        assert told.contradicted == sizes.count(0)
        assert told.values_left == sum(sizes)
    shown = {int(each["person"]): each["value"] for each in found.shown}
    assert shown == {i: next(iter(v)) for i, v in possible.items() if len(v) == 1}
    repeating = [
        c
        for of_release in counts
        for c in of_release.values()
        if len(signature(c, nulls)) < sum(c.values())
    ]
    changed = [
        i for i in sides["in_both"]
        if signature(counts[0][people[i][0]], nulls) != signature(counts[1][people[i][1]], nulls)
    ]  # fmt: skip
    assert (found.repeating_classes, found.changed_signatures) == (len(repeating), len(changed))
    least = [min((len(signature(c, nulls)) for c in each.values()), default=0) for each in counts]
    assert found.m == (0 if repeating or changed else min(least))
    event(f"exposed: {len(shown)}, m: {found.m}")


@examples(30)
@given(people=PERSONS.filter(lambda people: len(people) <= 6))
def test_nobody_is_exposed_who_could_have_another_value(*, people):
    """Every assignment of values to persons that gives both releases is tried."""
    people = [p for p in people if p[0] or p[1]]
    true = [p[2] for p in people]
    seen = [counts_of(people, release, true) for release in (0, 1)]
    exact = defaultdict(set)
    for values in product({*true}, repeat=len(people)):
        if [counts_of(people, release, values) for release in (0, 1)] == seen:
            for number, value in enumerate(values):
                exact[number].add(value)
    found = compared(people, lambda p: p[2])
    assert found.everyone.contradicted == 0
    for each in found.shown:
        number = int(each["person"])
        assert exact[number] == {each["value"]} == {true[number]}
    # Of persons in the first release alone, where that has one class, no more can be known.
    alone = [i for i, p in enumerate(people) if not p[1]]
    if {p[0] for p in people} == {"E"} and {p[1] for p in people} <= {"G", None}:
        shown = {int(each["person"]) for each in found.shown}
        assert {i for i in alone if len(exact[i]) == 1} <= shown
