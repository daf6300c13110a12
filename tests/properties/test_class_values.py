"""Sets and representatives of classes of labels, against plain Python over the rows of each class.

The rows of a class are known by a second release of the same policy, in which labels are released.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.sampled(4)

JOBS = ("a|b", "b\\", "c", "d", None)
TREE = {"*": {"u": ["a|b", "b\\"], "v": ["c", "d"]}}
AGES = {"intervals": {"widths": [5, 20], "bottom": 0, "top": 90}}
SEARCHES = {
    "node": {},
    "datafly": {"algorithm": "datafly"},
    "several nodes": {"recoding": "local"},
    "cells": {"recoding": "cells"},
    "mu_argus": {"algorithm": "mu_argus", "repair": "records"},
    "top_down": {"algorithm": "top_down", "target": "sick"},
    "bottom_up": {"algorithm": "bottom_up", "target": "sick"},
    "k_optimize": {"algorithm": "k_optimize"},
}


def rows_of(seed, count=240):
    draw = Random(seed)
    some = [20 + draw.randrange(12) * draw.randrange(1, 5) for _ in range(9)]
    return [
        {
            "id": n,
            "age": draw.choice([*some, draw.randrange(20, 80)]),
            "job": draw.choice(JOBS),
            "sex": draw.choice("mf"),
            "sick": draw.choice("xyz"),
            "person": draw.randrange(count // 2),
        }
        for n in range(count)
    ]


def policy(search, age, job, *, privacy=None, entity="row", ordered=True, **others):
    by_order = search.get("algorithm") == "k_optimize"
    return {
        "version": 1,
        "source": "not.parquet",
        "entity": entity,
        "columns": {
            "id": {"role": "insensitive"},
            "age": {
                "role": "quasi",
                "hierarchy": AGES,
                **({"order": "number"} if ordered else {}),
                "output": age,
            },
            "job": {
                "role": "quasi",
                "hierarchy": {"tree": TREE},
                **({"order": "alphabetical"} if by_order else {}),
                "output": job,
            },
            "sex": {
                "role": "quasi",
                "hierarchy": "suppress",
                **({"order": "text"} if by_order else {}),
            },
            "sick": {"role": "sensitive"},
            "person": {"role": "identifying", "action": "drop"},
        },
        "privacy": privacy or {"k": 6},
        "suppression": "10%",
        "search": search,
        **others,
    }


def released(asked, rows):
    found = kanon_sql.anonymize(asked, pa.Table.from_pylist(rows))
    return found, {each["id"]: each for each in found.to_arrow().to_pylist()}


def as_set(values):
    """Join values in their order: NULL first, numbers by size, texts by their bytes."""
    known = sorted({each for each in values if each is not None}, key=in_order)
    if not known:
        return None
    texts = [str(each).replace("\\", "\\\\").replace("|", "\\|") for each in known]
    return "|".join([*(["\\N"] if None in values else []), *texts])


def in_order(value):
    return value if isinstance(value, int) else value.encode()


def most_frequent(values):
    known = [each for each in values if each is not None]
    if 2 * len(known) < len(values):
        return None
    counts = Counter(known)
    return min(counts, key=lambda each: (-counts[each], in_order(each)))


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def expected(kind, values, *, ordered):
    if kind == "set":
        return as_set(values)
    return lower_median(values) if ordered else most_frequent(values)


def groups(rows, labels, over):
    found = defaultdict(list)
    for each in rows:
        if each["id"] in labels:
            found[tuple(labels[each["id"]][name] for name in over)].append(each)
    return found.values()


def classes_of(table):
    return Counter((each["age"], each["job"], each["sex"]) for each in table.values())


@pytest.mark.parametrize("kind", ["set", "representative"])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_class_is_released_as_what_its_rows_have(name, kind):
    rows, search = rows_of(len(name)), SEARCHES[name]
    if name == "k_optimize":  # which looks at every set of cuts
        rows = [{**each, "age": each["age"] // 30 * 30} for each in rows]
    _, labels = released(policy(search, "labels", "labels"), rows)
    made, found = released(policy(search, kind, kind), rows)
    assert labels.keys() == found.keys()
    for members in groups(rows, labels, ("age", "job", "sex")):
        for column in ("age", "job"):
            told = {found[each["id"]][column] for each in members}
            values = [each[column] for each in members]
            ordered = column == "age"
            assert told == {expected(kind, values, ordered=ordered)}, column
    sizes = classes_of(found)
    assert made.plan.classes == len(sizes)
    assert made.plan.smallest_class == min(sizes.values()) >= 6
    whole = len(rows)
    squares = sum(n * n for n in sizes.values()) + (whole - len(found)) * whole
    assert made.plan.figures["discernibility"] == squares


@pytest.mark.parametrize("ordered", [True, False])
def test_only_a_stated_order_has_a_median(ordered):
    rows = rows_of(3)
    asked = {"search": {}, "age": "representative", "job": "labels", "ordered": ordered}
    _, labels = released(policy(**{**asked, "age": "labels"}), rows)
    _, found = released(policy(**asked), rows)
    for members in groups(rows, labels, ("age", "job", "sex")):
        values = [each["age"] for each in members]
        told = {found[each["id"]]["age"] for each in members}
        assert told == {expected("representative", values, ordered=ordered)}


@pytest.mark.parametrize("kind", ["set", "representative"])
def test_classes_over_several_sets_stay_whole(kind):
    """What a column is released as follows from the columns of all sets that it is counted in."""
    rows = rows_of(5, 400)
    privacy = [{"k": 4}, {"k": 30, "over": ["age", "sex"]}]
    _, labels = released(policy({}, "labels", "labels", privacy=privacy), rows)
    made, found = released(policy({}, kind, kind, privacy=privacy), rows)
    for column, over in {"age": ("age", "sex"), "job": ("age", "job", "sex")}.items():
        for members in groups(rows, labels, over):
            told = {found[each["id"]][column] for each in members}
            values = [each[column] for each in members]
            assert told == {expected(kind, values, ordered=column == "age")}
    sizes = Counter((each["age"], each["sex"]) for each in found.values())
    assert min(sizes.values()) >= 30
    (over,) = made.plan.over
    assert (over.classes, over.smallest_class) == (len(sizes), min(sizes.values()))


def test_people_are_counted_in_joined_classes():
    rows = rows_of(8, 300)
    asked = policy(
        {},
        "representative",
        "representative",
        entity="person",
        privacy={"k": 5, "distinct_l": {"column": "sick", "l": 2}},
    )
    asked["columns"]["sex"]["output"] = "representative"
    made, found = released(asked, rows)
    person = {each["id"]: each["person"] for each in rows}
    people, sick = defaultdict(set), defaultdict(set)
    for number, each in found.items():
        people[each["age"], each["job"], each["sex"]].add(person[number])
        sick[each["age"], each["job"], each["sex"]].add(each["sick"])
    assert made.plan.classes == len(people)
    assert made.plan.smallest_class == min(map(len, people.values())) >= 5
    assert min(map(len, sick.values())) >= 2


def test_later_rows_have_the_values_of_their_own_classes(tmp_path):
    rows, later = rows_of(11), rows_of(12)
    for each in later:
        each["id"] += 1000
    asked = policy({}, "set", "representative")
    plan = kanon_sql.plan(asked, pa.Table.from_pylist(rows))
    as_labels = policy({}, "labels", "labels")
    of_labels = kanon_sql.plan(as_labels, pa.Table.from_pylist(rows))
    assert plan.levels == of_labels.levels

    def shown(plan, asked):
        made = kanon_sql.apply(plan, pa.Table.from_pylist(later), policy=asked, to_new_rows=True)
        return {each["id"]: each for each in made.to_arrow().to_pylist()}

    labels, found = shown(of_labels, as_labels), shown(plan, asked)
    assert labels.keys() == found.keys()
    for members in groups(later, labels, ("age", "job", "sex")):
        ages, jobs = ([each[name] for each in members] for name in ("age", "job"))
        told = {(found[each["id"]]["age"], found[each["id"]]["job"]) for each in members}
        assert told == {(as_set(ages), most_frequent(jobs))}
