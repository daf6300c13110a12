"""Columns that determine a hidden entity join the rows of a person as the entity would: refused unless accepted."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict

import duckdb
import pytest

import kanon_sql
from kanon_sql.counting.source import column_problems

DROPPED = {"role": "identifying", "action": "drop"}
KEPT = {"role": "insensitive"}


def policy(**columns):
    return {
        "version": 1,
        "source": "visits",
        "entity": "pid",
        "columns": {
            "pid": DROPPED,
            **columns,
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"k": 5},
        "suppression": "10%",
    }


def visits(people=200, times=3, **columns):
    """A table of visits with further columns, each by a function of the person and the number of the visit."""
    drawn = random.Random(3)
    rows = [
        (
            f"p{person}",
            drawn.choice("MF"),
            drawn.randrange(20, 70),
            drawn.choice(["flu", "cold", "asthma"]),
            *(of(person, n) for of in columns.values()),
        )
        for person in range(people)
        for n in range(times)
    ]
    connection = duckdb.connect()
    names = ", ".join(["pid", "sex", "age", "disease", *columns])
    marks = ", ".join("?" * (4 + len(columns)))
    types = ", ".join(f"{name} VARCHAR" for name in columns)
    age = "pid VARCHAR, sex VARCHAR, age INTEGER, disease VARCHAR"
    connection.execute(f"CREATE TABLE visits ({age}{', ' if columns else ''}{types})")
    connection.executemany(f"INSERT INTO visits ({names}) VALUES ({marks})", rows)
    return connection


def refusal(connection, given, call=kanon_sql.anonymize):
    with pytest.raises(kanon_sql.InputError) as refused:
        call(given, connection=connection)
    return str(refused.value)


@pytest.mark.parametrize("call", [kanon_sql.lint, kanon_sql.plan, kanon_sql.anonymize])
def test_a_column_that_is_one_to_one_with_the_entity_is_refused(call):
    connection = visits(uid=lambda person, n: f"u{person}")
    said = refusal(connection, policy(uid=KEPT), call)
    assert "columns.uid: stands in for pid" in said
    assert "of 200 people with several rows, 200 have a value" in said
    assert "linkable: accept" in said


@pytest.mark.parametrize("mask", [{"action": "noise", "up_to": 4}, {"action": "shuffle"}])
@pytest.mark.parametrize("role", ["identifying", "insensitive"])
def test_cells_drawn_at_random_may_stand_in_for_the_entity_and_are_never_its_own(mask, role):
    connection = visits(pay=lambda person, n: str(1000 * person))
    connection.execute("ALTER TABLE visits ALTER pay TYPE BIGINT")
    masked = {"role": role, **mask}
    assert "columns.pay: stands in for pid" in refusal(connection, policy(pay=masked))
    kanon_sql.plan(policy(pay={**masked, "linkable": "accept"}), connection=connection)
    own = {**policy(pay={"role": "identifying", **mask}), "entity": "pay"}
    assert "columns.pay: is the entity" in refusal(connection, own)


def test_accepted_it_is_released_and_joins_every_row_of_a_person():
    connection = visits(uid=lambda person, n: f"u{person}")
    given = policy(uid={**KEPT, "linkable": "accept"})
    with kanon_sql.anonymize(given, connection=connection) as made:
        names = made.relation.columns
        sets = defaultdict(Counter)
        for row in made.relation.fetchall():
            own = dict(zip(names, row, strict=True))
            sets[own["uid"]][own["sex"], own["age"]] += 1
    assert len(sets) > 190  # whom a reader who joins by it tells apart


def test_two_columns_that_are_it_together_are_refused_and_neither_alone():
    columns = {
        "team": lambda person, n: f"t{person // 15}",
        "seat": lambda person, n: f"s{person % 15}",
    }
    given = policy(team=KEPT, seat=KEPT)
    said = refusal(visits(**columns), given)
    assert "columns.team: together with seat stands in for pid" in said
    assert said.count("stands in") == 1
    for one in ("team", "seat"):
        accepted = policy(team=KEPT, seat=KEPT)
        accepted["columns"][one] = {**KEPT, "linkable": "accept"}
        kanon_sql.lint(accepted, connection=visits(**columns))


@pytest.mark.parametrize("shared", [0.01, 0.2])
def test_one_that_is_mostly_one_person_s_is_refused_and_told_by_people(shared):
    drawn = random.Random(5)
    others = {person for person in range(200) if drawn.random() < shared}
    connection = visits(mail=lambda person, n: "shared" if person in others else f"m{person}")
    said = refusal(connection, policy(mail=KEPT))
    assert f"of 200 people with several rows, {200 - len(others)} have a value" in said


def test_one_that_few_people_have_is_refused_as_it_is_sure():
    connection = visits(referral=lambda person, n: f"r{person}" if person % 10 == 0 else None)
    said = refusal(connection, policy(referral=KEPT))
    assert "of 200 people with several rows, 20 have a value" in said


@pytest.mark.parametrize(("name", "of"), [
    ("visit", lambda person, n: f"{person}/{n}"),
    ("ward", lambda person, n: "abcd"[person % 4]),
    ("height", lambda person, n: str(150 + person % 40)),
    ("household", lambda person, n: f"h{person // 2}"),
    ("nothing", lambda person, n: None),
])  # fmt: skip
def test_a_column_that_joins_no_one_s_rows_alone_is_released(name, of):
    kanon_sql.anonymize(policy(**{name: KEPT}), connection=visits(**{name: of})).close()


def test_a_key_of_people_with_one_row_each_links_nothing():
    connection = visits(people=400, times=1, uid=lambda person, n: f"u{person}")
    kanon_sql.anonymize(policy(uid=KEPT), connection=connection).close()


def test_a_larger_table_is_searched_by_some_people_and_counted_whole(monkeypatch):
    """A value that looks like one person's in a sample of people may be that of several."""
    monkeypatch.setattr(column_problems, "SAMPLE", 150)
    columns = {
        "uid": lambda person, n: f"u{person}",
        "couple": lambda person, n: f"c{person % 100}",
    }
    said = refusal(visits(**columns), policy(uid=KEPT, couple=KEPT))
    assert "columns.uid: stands in for pid" in said
    assert "of 200 people with several rows, 200 have" in said
    assert "couple" not in said


def test_rare_values_that_link_some_people_are_told():
    """A sensitive value that only one person has joins that person's rows, which is no reason to refuse all."""
    drawn = random.Random(7)
    own = [f"I{drawn.randrange(90)}" for _ in range(200)]
    given = policy(icd={"role": "sensitive"})
    told = kanon_sql.lint(given, connection=visits(icd=lambda person, n: own[person]))
    alone = sum(times == 1 for times in Counter(own).values())
    assert 2 * alone <= len({*own})
    assert any(
        "columns.icd: its values link rows of people" in each and f"{alone} have a value" in each
        for each in told
    )


def test_a_new_row_s_apply_and_a_view_refuse_what_came_to_be_a_stand_in():
    connection = visits(uid=lambda person, n: None)
    plan = kanon_sql.plan(policy(uid=KEPT), connection=connection)
    connection.execute("UPDATE visits SET uid = 'u' || pid")
    for more in ({"to_new_rows": True, "release": "out"}, {"release": "out"}):
        with pytest.raises(kanon_sql.InputError, match=r"columns.uid: stands in for pid"):
            kanon_sql.apply(plan, policy=policy(uid=KEPT), connection=connection, **more)
    viewed = {**policy(uid=KEPT), "release": {"table": "seen", "view": True}}
    assert "stands in for pid" in refusal(connection, viewed)
    placed = {**policy(uid=KEPT), "release": {"in_place": True, "drop_original": True}}
    assert "stands in for pid" in refusal(connection, placed)


def test_a_frequency_set_says_it_of_what_it_has_and_what_it_lacks(lab):
    connection = visits(uid=lambda person, n: f"u{person}")
    counted = "pid, sex, age, disease, COUNT(*) AS kanon_rows"
    out = lab.folder / "set.parquet"
    connection.execute(
        f"COPY (SELECT {counted} FROM visits GROUP BY pid, sex, age, disease) TO '{out}'"
    )
    lab.folder.joinpath("policy.yml").write_text(json.dumps(policy(uid=KEPT)), encoding="utf-8")
    said = lab.done("plan", "policy.yml", "--frequency-set", str(out))
    assert "uid" in said.split(": released, and no part of the frequency set")[0].splitlines()[-1]


def test_a_frequency_set_that_was_exported_twice_is_refused(lab):
    connection, folder = visits(), lab.folder / "set"
    folder.mkdir()
    counted = "SELECT pid, sex, age, disease, COUNT(*) AS kanon_rows FROM visits GROUP BY ALL"
    lab.folder.joinpath("policy.yml").write_text(json.dumps(policy()), encoding="utf-8")
    connection.execute(f"COPY ({counted}) TO '{folder / 'a.parquet'}'")
    lab.done("plan", "policy.yml", "--frequency-set", str(folder))
    ((tuples,),) = connection.execute(f"SELECT COUNT(*) FROM ({counted})").fetchall()
    connection.execute(f"COPY ({counted}) TO '{folder / 'b.parquet'}'")
    said = lab.refused("plan", "policy.yml", "--frequency-set", str(folder))
    assert f"{2 * tuples:,} of {2 * tuples:,} tuples are there more than once" in said


@pytest.mark.parametrize("kind", ["email", "iban"])
def test_made_up_values_of_which_hardly_two_are_equal_are_refused_as_pseudonyms_are(
    kind, monkeypatch
):
    """Where rows are counted nobody compares columns with people: repeated cells of such a kind join rows as a hash does."""
    monkeypatch.setenv("KANON_KEY", "a key of 16 bytes or more")
    connection = visits(account=lambda person, n: f"DE{person}")
    made_up = {"role": "identifying", "action": "fake", "kind": kind, "key_env": "KANON_KEY"}
    given = {**policy(account=made_up), "entity": "row"}
    assert "columns.account: 400 rows repeat a value" in refusal(connection, given)
    given = {**policy(account={**made_up, "linkable": "accept"}), "entity": "row"}
    assert kanon_sql.plan(given, connection=connection)
