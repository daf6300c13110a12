"""An intruder who knows people's rows, against each protection of a table, beside a control group.

Half of the people are in the database; the control half is drawn alike and is not. What an intruder gets right about people
in the release and not about the control group is what the release gave away; what is right of both is what anybody guesses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

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

    def made(visits):
        tables = {VISITS: visits, DIAGNOSES: {**policy()["tables"][DIAGNOSES], "suppression": "5%"}}
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
    right = sum(claimed(person) == pseudonym(person) for person in targets)
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
    pseudonyms = {pseudonym(person) for person in targets}
    cells = {
        str(cell) for name in (VISITS, DIAGNOSES) for row in found[name] for cell in row.values()
    }
    assert not pseudonyms & cells
