"""An intruder who knows people's rows, against each protection of a table, beside a control group.

Half of the people are in the database; the control half is drawn alike and is not. What an intruder gets right about people
in the release and not about the control group is what the release gave away; what is right of both is what anybody guesses.

Of 600 people and 600 of the control group, found alone: `none` with two known visits 599 and 29, with all 600 and 0;
`events` and `signature` 0 and 0, where a guess is right of 25 and of 32 people (120 are 1 in k); a `summary` finds 1.1 % of
both; a `cut` table tells the chapter of 38 % and of 35 % of diagnoses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache

import duckdb
import pytest
from hospitals import (
    DIAGNOSES,
    KEY,
    KEY_ENV,
    PATIENTS,
    STAFF,
    VISITS,
    build,
    policy,
    pseudonym,
    released,
    rows_of_hospital,
)

from kanon_sql.apps.schema.release_schema import apply_schema

PEOPLE, K = 600, 5
EVERYBODY = rows_of_hospital(2 * PEOPLE, seed=3)
MINE = {row[0] for row in EVERYBODY[PATIENTS][:PEOPLE]}
OF_VISIT = {row[0]: row[1] for row in EVERYBODY[VISITS]}


def in_database():
    return {
        **EVERYBODY,
        PATIENTS: [row for row in EVERYBODY[PATIENTS] if row[0] in MINE],
        VISITS: [row for row in EVERYBODY[VISITS] if row[1] in MINE],
        DIAGNOSES: [row for row in EVERYBODY[DIAGNOSES] if OF_VISIT[row[0]] in MINE],
        **{name: [row for row in EVERYBODY[name] if row[0] in MINE] for name in ("bills",)},
    }


@pytest.fixture
def release_of(monkeypatch):
    """The released tables of a policy whose entry of visits is given."""
    monkeypatch.setenv(KEY_ENV, KEY)

    def made(visits, **others):
        tables = {VISITS: visits, DIAGNOSES: {**policy()["tables"][DIAGNOSES], "suppression": "5%"}}
        tables |= others
        with duckdb.connect() as connection:
            build(connection.execute, in_database())
            release = apply_schema(policy=policy(tables=tables), connection=connection)
            names = [
                name
                for name in (PATIENTS, VISITS, DIAGNOSES, STAFF)
                if name in release.published.rows
            ]
            return released(connection.execute, "the anon", names)

    return made


@cache
def covers(label, value):
    """Whether a released label may stand for a value."""
    ends = re.fullmatch(r"\[(\d+), (\d+)\)", str(label))
    return int(ends[1]) <= value < int(ends[2]) if ends else str(label) in {"*", str(value)}


def candidates(found, person, *, beside=()):
    """The released people whose labels fit what an intruder knows of a person."""
    visits = {row[0]: row for row in EVERYBODY[PATIENTS]}
    _, _, sex, born, _ = visits[person]
    known = {"select": sex, **dict(beside)}
    return [
        row["id"]
        for row in found[PATIENTS]
        if covers(row["born"], born)
        and all(covers(row[name], value) for name, value in known.items())
    ]


def groups():
    """The people in the database, and as many of the control group."""
    return sorted(MINE), sorted({row[0] for row in EVERYBODY[PATIENTS]} - MINE)


def visits_of(rows, person_at, values_at):
    found = defaultdict(list)
    for row in rows:
        found[row[person_at]].append(tuple(str(row[each]) for each in values_at))
    return {person: tuple(sorted(values)) for person, values in found.items()}


def test_rows_without_a_guarantee_find_nearly_everybody_and_nobody_of_the_control_group(release_of):
    found = release_of(
        {
            "of": "patient",
            "protect": "none",
            "columns": {"ward": {"role": "insensitive"}, "day": {"role": "insensitive"}},
        }
    )
    known = visits_of(EVERYBODY[VISITS], 1, (3, 4))
    shown = visits_of([tuple(row.values()) for row in found[VISITS]], 1, (3, 4))

    def claimed(person):
        same = [each for each in candidates(found, person) if shown.get(each) == known[person]]
        return same[0] if len(same) == 1 else None

    targets, control = groups()
    right = sum(claimed(person) == pseudonym(person, "patient") for person in targets)
    assert right > 0.9 * len(found[PATIENTS])
    assert sum(claimed(person) is not None for person in control) < 0.02 * len(control)


def test_a_summary_leaves_k_people_for_whoever_knows_all_rows(release_of):
    found = release_of(
        {"of": "patient", "protect": "summary", "into": {"visits": {"count": True, "top": 3}}}
    )
    assert VISITS not in found
    many = Counter(row[1] for row in EVERYBODY[VISITS])
    targets, control = groups()
    sizes = {
        name: [
            len(candidates(found, each, beside=[("visits", min(many[each], 3))])) for each in people
        ]
        for name, people in (("targets", targets), ("control", control))
    }
    assert not any(0 < size < K for size in sizes["targets"] + sizes["control"])
    chance = {
        name: sum(1 / size for size in listed if size) / len(listed)
        for name, listed in sizes.items()
    }
    assert chance["targets"] <= 1 / K
    assert abs(chance["targets"] - chance["control"]) < 0.02


def test_a_cut_table_tells_no_more_of_people_in_it_than_of_the_control_group(release_of):
    """The intruder knows the day of a visit, and guesses the chapter of its diagnosis: the most frequent one of its class."""
    cut = {
        "of": "patient",
        "protect": "cut",
        "columns": {
            "ward": {"role": "quasi", "hierarchy": "suppress"},
            "day": {"role": "quasi", "hierarchy": {"intervals": [100, 400]}},
        },
        "privacy": {"k": K},
    }
    found = release_of(cut)
    assert all(list(row) == ["ward", "day"] or "pa.tient" not in row for row in found[VISITS])
    most = {
        label: Counter(
            row["icd"][0] for row in found[DIAGNOSES] if row["day"] == label
        ).most_common(1)[0][0]
        for label in {row["day"] for row in found[DIAGNOSES]}
    }

    def share_right(people):
        rows = [row for row in EVERYBODY[DIAGNOSES] if OF_VISIT[row[0]] in people]
        guesses = [
            next((chapter for label, chapter in most.items() if covers(label, day)), None)
            for _, _, day in rows
        ]
        return sum(row[1][0] == guess for row, guess in zip(rows, guesses, strict=True)) / len(rows)

    targets, control = groups()
    assert abs(share_right(set(targets)) - share_right(set(control))) < 0.08
    pseudonyms = {pseudonym(person, "patient") for person in targets}
    cells = {
        str(cell) for name in (VISITS, DIAGNOSES) for row in found[name] for cell in row.values()
    }
    assert not pseudonyms & cells


WARD = {"role": "quasi", "hierarchy": "suppress"}
DAY = {"role": "quasi", "hierarchy": {"intervals": [400, 800]}}


UNGUARDED = {"protect": "none", "columns": {name: {"role": "insensitive"} for name in ("ward", "day")}}  # fmt: skip


@pytest.mark.parametrize(
    ("visits", "known", "guarded"),
    [
        ({"protect": "events", "known": 2, "columns": {"ward": WARD, "day": DAY}}, 2, True),
        ({"protect": "signature", "suppression": "40%", "columns": {"ward": WARD, "day": DAY}}, None, True),
        (UNGUARDED, 2, False),
        (UNGUARDED, None, False),
    ],
    ids=["events", "signature", "none, two known", "none, all known"],
)  # fmt: skip
def test_known_visits_find_k_people_or_nobody(release_of, visits, known, guarded):
    """The intruder knows sex, birth, bills and two visits or all, and takes one of the released people whose rows fit.

    Of two visits, one that no row of the class stands for says nothing: its rows were removed, as those of others may have
    been. Of all visits, it says that the person is one of those without rows; anybody may be one of these.
    """
    born = {"born": {"role": "quasi", "hierarchy": {"intervals": [80]}}}
    people = policy()["tables"][PATIENTS]
    people = {**people, "columns": {**people["columns"], **born}}
    bills = {"of": "patient", "protect": "summary", "into": {"bills": {"count": True, "top": 1}}}
    found = release_of({"of": "patient", **visits}, **{PATIENTS: people, "bills": bills})
    classes = {row["id"]: (row["select"], row["born"], row["bills"]) for row in found[PATIENTS]}
    shown = visits_of([tuple(row.values()) for row in found[VISITS]], 1, (3, 4))
    own = defaultdict(list)
    for row in EVERYBODY[VISITS]:
        own[row[1]].append((row[3], row[4]))
    of_class = defaultdict(set)
    for person, rows in shown.items():
        of_class[classes[person]] |= set(rows)
    billed = {row[0] for row in EVERYBODY["bills"]}

    def label_of(event, class_):
        ward, day = event
        fits = [each for each in of_class[class_] if covers(each[0], ward) and covers(each[1], day)]
        assert len(fits) <= 1
        return fits[0] if fits else None

    members = defaultdict(list)
    for each, class_ in classes.items():
        members[class_].append(each)
    born_of = {row[0]: (row[2], row[3]) for row in EVERYBODY[PATIENTS]}

    def finds(person):
        """Return the people whose class and rows fit."""
        values = (*born_of[person], int(person in billed))
        fitting = []
        for class_ in (each for each in members if all(map(covers, each, values))):
            labels = [label_of(each, class_) for each in own[person][:known]]
            has = Counter(filter(None, labels))
            rows = {each: Counter(shown.get(each, ())) for each in members[class_]}
            if known is None:
                whole = None not in labels
                fitting += [
                    each for each in rows if not rows[each] or (whole and rows[each] == has)
                ]
            else:
                fitting += [each for each in rows if has <= rows[each]]
        return fitting

    targets, control = groups()
    fitting = {person: finds(person) for person in (*targets, *control)}
    right = [
        (pseudonym(each, "patient") in fitting[each]) / len(fitting[each]) if fitting[each] else 0
        for each in targets
    ]
    alone = {
        name: sum(len(fitting[each]) == 1 for each in people)
        for name, people in (("targets", targets), ("control", control))
    }
    if guarded:
        assert not any(0 < len(each) < K for each in fitting.values())
        assert sum(right) <= len(targets) / K
        assert alone == {"targets": 0, "control": 0}
        assert len(found[VISITS]) > 0.3 * sum(len(own[each]) for each in targets)
    else:
        assert sum(right) > 0.5 * len(targets)
        assert alone["targets"] > 0.5 * len(targets) > 10 * alone["control"]
