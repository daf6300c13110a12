"""Lists of items: whoever knows a class and some items of a person finds k people, by brute force over the release."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql import InputError, VerificationError

TABLE, RELEASE = "people_with_lists", "lists_k3"
CODES = [f"{chapter}{code}.{digit}" for chapter in "AB" for code in "12" for digit in "xyz"]
NAME = 'the "codes"; from'
TREE = {chapter: {f"{chapter}{n}": [c for c in CODES if c[:2] == f"{chapter}{n}"] for n in "12"} for chapter in "AB"}  # fmt: skip


def people(seed, *, rows=60, longest=5, per_person=1):
    """Rows of an age, a person and a list, of which some codes are rare."""
    drawn = random.Random(seed)
    return [
        (
            number // per_person,
            drawn.choice((20, 21, 40)),
            None
            if number % 17 == 5
            else [
                CODES[int(12 * drawn.random() ** 2)] for _ in range(drawn.randrange(longest + 1))
            ],
        )
        for number in range(rows)
    ]


def table(rows, *, separator=None):
    lists = [
        cell if cell is None or separator is None else separator.join(cell) for *_, cell in rows
    ]
    kind = pa.list_(pa.string()) if separator is None else pa.string()
    ids, ages = ([row[at] for row in rows] for at in (0, 1))
    arrays = [pa.array(ids, pa.int32()), pa.array(ages, pa.int32()), pa.array(lists, kind)]
    return pa.Table.from_arrays(arrays, names=["person", "age", NAME])


def policy(known=2, *, items=True, hierarchy=None, entity="row", k=3):
    lists = {"role": "quasi", "items": items, "known": known}
    return {
        "version": 1,
        "source": {"table": TABLE},
        "entity": entity,
        "privacy": {"k": k},
        "suppression": "0%",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [20]}},
            NAME: lists if hierarchy is None else {**lists, "hierarchy": hierarchy},
        },
        "release": RELEASE,
    }


def short_sets(classes, known, k):
    """The sets of items that some but fewer than k people of a class have."""
    found = Counter()
    for label, persons in classes.items():
        for items in persons.values():
            for size in range(1, known + 1):
                found.update((label, each) for each in combinations(sorted(set(items)), size))
    return [each for each, count in found.items() if count < k]


def by_class(rows):
    """The items of people, by class; the rows of one person are taken together."""
    classes = defaultdict(lambda: defaultdict(set))
    for label, person, cell in rows:
        classes[label][person] |= set(cell or ())
    return classes


@pytest.fixture
def put(place):
    def put_rows(rows, separator=None):
        as_texts = place.name == "postgres" and separator is None  # no frame has its arrays
        place.put(TABLE, table(rows, separator=";" if as_texts else separator))
        if as_texts:
            quoted = NAME.replace('"', '""')
            text = f'ALTER TABLE {TABLE} ALTER "{quoted}" TYPE text[] USING string_to_array("{quoted}", $$;$$)'
            place.execute(text)

    yield put_rows
    place.drop(RELEASE)
    place.drop(TABLE)


def released(place, *, separator=None):
    at = place.names(RELEASE)
    rows = [dict(zip(at, row, strict=True)) for row in place.read(RELEASE)]
    return [
        (row["age"], None if (cell := row[NAME]) is None else split(cell, separator))
        for row in rows
    ]


def split(cell, separator):
    return list(cell) if separator is None else [each for each in cell.split(separator) if each]


@pytest.mark.parametrize(("known", "seed"), [(1, 1), (2, 2), (3, 3)])
def test_known_items_of_a_class_are_those_of_k_people(place, put, known, seed):
    rows = people(seed)
    put(rows)
    before = by_class((age // 20, number, cell) for number, (_, age, cell) in enumerate(rows))
    assert short_sets(before, known, 3)
    done = kanon_sql.anonymize(policy(known), connection=place.connection)
    found = released(place)
    after = by_class((label, number, cell) for number, (label, cell) in enumerate(found))
    assert len(found) == len(rows)
    assert short_sets(after, known, 3) == []
    assert sum(len(cell or ()) for _, cell in found) > 0
    assert sum(cell is None for _, cell in found) == sum(cell is None for *_, cell in rows)
    had = sum(len(set(cell or ())) for *_, cell in rows)
    left = sum(len(cell or ()) for _, cell in found)
    (told,) = (each for each in done.verification.warnings if each.startswith(f"{NAME}: "))
    assert f" {left} of {had} items " in told


def test_items_go_up_their_hierarchy_before_they_are_removed(place, put):
    rows = people(4)
    put(rows, separator=";")
    kanon_sql.anonymize(policy(items=";", hierarchy={"tree": TREE}), connection=place.connection)
    found = released(place, separator=";")
    after = by_class((label, number, cell) for number, (label, cell) in enumerate(found))
    assert short_sets(after, 2, 3) == []
    shown = {item for _, cell in found for item in cell or ()}
    assert shown & {"A", "B", "A1", "A2", "B1", "B2"}
    assert shown <= {"A", "B", "A1", "A2", "B1", "B2", *CODES}
    for label in {label for label, _ in found}:
        own = {item for other, cell in found if other == label for item in cell or ()}
        assert not [(a, b) for a in own for b in own if a != b and b.startswith(a)], (
            "labels overlap"
        )


def test_the_rows_of_one_person_are_taken_together(place, put):
    rows = people(5, rows=90, per_person=2)
    rows = [(person, 20, cell) for person, _, cell in rows]
    put(rows)
    kanon_sql.anonymize(policy(entity="person"), connection=place.connection)
    found = Counter(tuple(cell or ()) for _, cell in released(place))
    assert sum(found.values()) == 90
    pairs = Counter()
    kept = {item for cell in found for item in cell}
    persons = defaultdict(set)
    for person, _, cell in rows:
        persons[person] |= kept & set(cell or ())
    for items in persons.values():
        pairs.update(combinations(sorted(items), 2))
        pairs.update(items)
    assert [each for each, count in pairs.items() if count < 3] == []


def test_what_is_no_list_is_refused(place, put):
    put(people(6))
    with pytest.raises(InputError, match="takes a text"):
        kanon_sql.anonymize(policy(items=";"), connection=place.connection)
    assert RELEASE not in place.left()


def test_a_release_whose_lists_fall_short_is_not_published(place, put, monkeypatch):
    from kanon_sql.release import protected_lists

    put(people(2))
    loosen = protected_lists.protect_items

    def only_single_items(*given, known, least):
        return loosen(*given, known=1, least=least)

    monkeypatch.setattr(protected_lists, "protect_items", only_single_items)
    with pytest.raises(VerificationError, match="of at most 2 items belong"):
        kanon_sql.anonymize(policy(), connection=place.connection)
    assert RELEASE not in place.left()
