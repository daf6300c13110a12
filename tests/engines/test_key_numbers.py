"""Keys whose pseudonyms are whole numbers, judged by a permutation in Python, on every engine."""

from __future__ import annotations

import json
import random
from collections import Counter

import duckdb
import masked
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hospitals import KEY, KEY_ENV, assert_keys_valid, literal, released
from hypothesis import given
from hypothesis import strategies as st

import kanon_sql
from kanon_sql import HierarchyError, InputError, PolicyError
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.schema.certify_schema import certify_schema
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_policy import ColumnOf, KeyDomain
from kanon_sql.apps.schema.schema_sql import with_pseudonyms
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.locations import Source
from kanon_sql.policy.masks import KeyNumberMask
from kanon_sql.policy.model import Column, Policy, Role, Suppression
from kanon_sql.recoding import recode
from kanon_sql.recoding.recode import keys_in_session

BORN = {"role": "quasi", "hierarchy": {"intervals": [10, 20, 40]}}
PATIENTS, VISITS, BILLS, NOTES = 'the "patients"', "visits", "bills", "no'tes"
PEOPLE = 400


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)


def number(value, domain, digits=9, key=KEY):
    """Eight rounds over the two halves of a number, filled up with zeros, under a purpose of the key's own."""
    text = str(value).zfill(digits)
    sizes = digits // 2, digits - digits // 2
    halves = [int(text[: sizes[0]]), int(text[sizes[0] :])]
    for turn in range(8):
        said = f"{turn + 1} {digits} {halves[1 - turn % 2]}"
        added = masked.number(masked.hashed(f"number {digits} {domain}", said, key))
        halves[turn % 2] = (halves[turn % 2] + added) % 10 ** sizes[turn % 2]
    return int("".join(str(half).zfill(size) for half, size in zip(halves, sizes, strict=True)))


def build(execute):
    """People with visits, notes that a composite key names, and bills; ids have one to eight digits."""
    draw = random.Random(4)
    ids = [0, 7, 99_999_999, *draw.sample(range(8, 50_000_000), PEOPLE - 3)]
    execute(
        'CREATE TABLE "the ""patients""" (id integer PRIMARY KEY, "na me" text, born integer, mother integer)'
    )
    execute('CREATE TABLE visits ("pa.tient" integer NOT NULL REFERENCES "the ""patients""" (id), number integer, '
            'day integer, PRIMARY KEY ("pa.tient", number))')  # fmt: skip
    execute('CREATE TABLE "no\'tes" (id bigint PRIMARY KEY, patient integer, visit integer, '
            'FOREIGN KEY (patient, visit) REFERENCES visits ("pa.tient", number))')  # fmt: skip
    execute("CREATE TABLE bills (patient integer, born integer, amount integer)")
    people = [(me, f"PLANTED {me}", 1930 + n % 60, ids[n // 2]) for n, me in enumerate(ids)]
    visits = [(me, n, draw.randrange(365)) for me in ids for n in range(draw.randrange(3))]
    rows = {
        '"the ""patients"""': people,
        "visits": visits,
        '"no\'tes"': [(n, me, v) for n, (me, v, _) in enumerate(visits[::2])],
        "bills": [(me, born, n) for n, (me, _, born, _) in enumerate(people)],
    }
    for name, found in rows.items():
        cells = ", ".join(f"({', '.join(map(literal, row))})" for row in found)
        execute(f"INSERT INTO {name} VALUES {cells}")
    return people, visits


def policy(*, digits=9, **changes):
    of = {"key_env": KEY_ENV, **({} if digits is None else {"digits": digits})}
    columns = (
        f"{PATIENTS}.id",
        f"{PATIENTS}.mother",
        f"{VISITS}.pa.tient",
        f"{NOTES}.patient",
        f"{BILLS}.patient",
    )
    rows = {"of": "patient", "protect": "none"}
    return {
        "version": 2,
        "keys": {
            "patient": {**of, "columns": [*columns]},
            "note": {**of, "columns": [f"{NOTES}.id"]},
            "nth": {**of, "columns": [f"{VISITS}.number", f"{NOTES}.visit"]},
        },
        "tables": {
            PATIENTS: {
                "entity": "patient",
                "columns": {"na me": {"role": "identifying", "action": "drop"}, "born": BORN},
                "privacy": {"k": 5},
                "suppression": "10%",
            },
            VISITS: {**rows, "columns": {"day": {"role": "insensitive"}}},
            NOTES: {**rows},
            BILLS: {
                "of": "patient",
                "protect": "cut",
                "columns": {"born": BORN, "amount": {"role": "identifying", "action": "drop"}},
                "privacy": {"k": 3},
            },
        },
        "release": {"schema": "the anon"},
        **changes,
    }  # fmt: skip


FOREIGN = [
    (PATIENTS, "mother", PATIENTS, "id"),
    (VISITS, "pa.tient", PATIENTS, "id"),
    (NOTES, "patient", PATIENTS, "id"),
]


def check_release(execute, connection):
    """Release the tables, and compare each number with that of the permutation in Python; return what is released."""
    people, visits = build(execute)
    release = apply_schema(policy=policy(), connection=connection)
    found = released(execute, "the anon", [PATIENTS, VISITS, NOTES, BILLS])
    assert_keys_valid(found, FOREIGN)
    everybody = {number(me, "patient"): row for me, *row in people}
    assert len(everybody) == PEOPLE
    shown = {row["id"] for row in found[PATIENTS]}
    assert 0.8 * PEOPLE < len(shown) == len(found[PATIENTS])
    assert shown <= everybody.keys()
    for row in found[PATIENTS]:
        assert row["mother"] in {None, number(everybody[row["id"]][2], "patient")}
    assert sorted((row["pa.tient"], row["number"], row["day"]) for row in found[VISITS]) == sorted(
        (number(me, "patient"), number(n, "nth"), day)
        for me, n, day in visits
        if number(me, "patient") in shown
    )
    assert {row["id"] for row in found[NOTES]} <= {number(n, "note") for n in range(len(visits))}
    pairs = {(row["pa.tient"], row["number"]) for row in found[VISITS]}
    assert {(row["patient"], row["visit"]) for row in found[NOTES]} <= pairs
    assert not {me for me, *_ in people} & shown  # by this key no id stays as it is
    assert "PLANTED" not in str(found)
    composite = f"{NOTES}.(patient, visit) -> {VISITS}.(pa.tient, number)"
    assert composite in {str(each) for each in release.published.created}
    types = dict(
        execute(
            "SELECT table_name || '.' || column_name, lower(data_type) || ' ' || is_nullable FROM information_schema.columns "
            "WHERE table_schema = 'the anon' AND column_name IN ('id', 'pa.tient')"
        ).fetchall()
    )
    assert types[f"{PATIENTS}.id"] == types[f"{VISITS}.pa.tient"] == "integer NO"
    assert types[f"{NOTES}.id"] == "bigint NO"
    texts = plan_schema(policy(digits=None), connection=connection)
    numbers = {(each.tables, each.people, each.below) for each in release.plan.joined if each.over}
    assert numbers == {(each.tables, each.people, each.below) for each in texts.joined if each.over}
    assert numbers
    assert any("whoever has KANON_TEST_KEY gets all back" in each for each in release.plan.warnings)
    return found


def test_ids_stay_integers_on_duckdb(tmp_path):
    with duckdb.connect() as connection:
        check_release(connection.execute, connection)
        plan = plan_schema(policy(), connection=connection)
        (tmp_path / "plan.yml").write_text(plan.to_yaml(), encoding="utf-8")
        found = certify_schema(tmp_path / "plan.yml", policy=policy(), connection=connection)
        assert sum(": every key names a row" in each.claim for each in found.claims) == 4


def test_ids_stay_integers_on_postgres_and_are_those_of_duckdb(postgres):
    try:
        found = check_release(postgres.execute, postgres.connection)
        postgres.execute(
            'ALTER TABLE "the anon"."the ""patients""" ALTER id ADD GENERATED BY DEFAULT AS IDENTITY (START WITH 1000000000);'
            'INSERT INTO "the anon"."the ""patients""" (born) VALUES (NULL), (NULL)'
        )
        with duckdb.connect() as connection:
            other = check_release(connection.execute, connection)
    finally:
        postgres.execute(
            'DROP SCHEMA IF EXISTS "the anon" CASCADE; DROP TABLE IF EXISTS "no\'tes", bills, visits, "the ""patients"""'
        )
    for table in (VISITS, NOTES):
        one, two = ({tuple(row.values()) for row in each[table]} for each in (found, other))
        assert one & two


def test_every_engine_makes_the_same_numbers(place):
    values = [0, 1, 9, 10, 12345, 999_999_999, 10**9 - 2, None, -1, 10**9]
    place.put("numbers_to_mask", pa.table({"n": values, "sel;ect": values}))
    domain = KeyDomain("pa'tient", KEY_ENV, (ColumnOf("numbers_to_mask", "n"),), 9)
    column = Column("n", Role.IDENTIFYING, action=domain.mask, key_env=KEY_ENV)
    read = Policy(Source(), None, (column,), (), Suppression(rows=0))
    with open_engine(place.connection, None, None, writes=True) as engine:
        source = find_table(engine, "numbers_to_mask")
        with session(engine, read) as run, keys_in_session(run):
            made = with_pseudonyms(run, source, "n", domain)
            names = {each.name: each for each in engine.columns(made)}
            assert names["n"].type.lower() == "bigint"
            found = {raw: shown for shown, raw in place.read(made.name)}
    fits = {each for each in values if each is not None and 0 <= each < 10**9}
    assert found == {e: number(e, "pa'tient") if e in fits else None for e in values}


def test_numbers_of_many_rows_are_looked_up_and_the_same(monkeypatch):
    """Rounds whose halves have few numbers are computed once each, and so are cells of values that repeat."""
    monkeypatch.setattr(recode, "MANY_ROWS", 1)
    made = []
    worth = KeyNumberMask.worth
    monkeypatch.setattr(KeyNumberMask, "worth", lambda *a: made.append(worth(*a)) or made[-1])
    people = {"entity": "person", "columns": {"born": BORN}, "privacy": {"k": 5}}
    columns = ["people.id", "visits.person"]
    keys = {"person": {"key_env": KEY_ENV, "columns": columns, "digits": 6}}
    tables = {"people": people, "visits": {"of": "person", "protect": "none"}}
    own = {"version": 2, "keys": keys, "tables": tables, "release": {"schema": "anon"}}
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT 999999 - i * 7 AS id, 1950 AS born FROM range(8000) AS t (i);"
            "CREATE TABLE visits AS SELECT 999999 - i % 500 * 7 AS person FROM range(8000) AS t (i)"
        )
        apply_schema(policy=own, connection=connection)
        found = connection.execute("SELECT id FROM anon.people").fetchall()
        seen = connection.execute("SELECT person FROM anon.visits").fetchall()
    assert {each for (each,) in found} == {
        number(999_999 - n * 7, "person", 6) for n in range(8000)
    }
    assert Counter(seen) == {(number(999_999 - n * 7, "person", 6),): 16 for n in range(500)}
    assert any(made)


@given(
    st.integers(6, 15).flatmap(
        lambda digits: st.tuples(
            st.just(digits), st.sets(st.integers(0, 10**digits - 1), min_size=2, max_size=50)
        )
    )
)
def test_the_oracle_maps_one_to_one(drawn):
    digits, values = drawn
    made = {number(each, "patient", digits) for each in values}
    assert len(made) == len(values)
    assert all(0 <= each < 10**digits for each in made)


@pytest.mark.parametrize(
    ("kind", "values", "digits", "what"),
    [
        ("text", "'x' || i", 9, "no type of whole numbers"),
        ("decimal(9, 0)", "i", 9, "no type of whole numbers"),
        ("smallint", "i", 6, "holds no number of 6 digits"),
        ("integer", "i", 10, "say digits: 9"),
        ("integer", "i - 5", 9, "numbers below 0"),
        ("bigint", "1000000000 + i", 9, "more than 9 digits"),
        ("bigint", "1000000000000000 + i", 15, "more than 15 digits"),
    ],
)
def test_other_columns_are_refused_kindly(kind, values, digits, what):
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people (id {kind}, born integer)")
        connection.execute(f"INSERT INTO people SELECT {values}, 1950 FROM range(50) AS t (i)")
        people = {"entity": "person", "columns": {"born": BORN}, "privacy": {"k": 5}}
        keys = {"person": {"key_env": KEY_ENV, "columns": ["people.id"], "digits": digits}}
        own = {
            "version": 2,
            "keys": keys,
            "tables": {"people": people},
            "release": {"schema": "anon"},
        }
        with pytest.raises(InputError, match=what) as found:
            plan_schema(own, connection=connection)
        assert "keys.person.digits" in str(found.value)
        assert "1000000000" not in str(found.value)


@pytest.mark.parametrize("digits", [5, 16, "9", True])
def test_too_few_and_too_many_digits_are_refused(digits):
    with pytest.raises(PolicyError, match="digits"):
        read_schema_policy(policy(digits=digits))


def test_numbers_change_the_hash_of_a_policy_and_texts_do_not():
    each = [read_schema_policy(policy(digits=d)).digest for d in (None, 9, 8)]
    assert len(set(each)) == 3


def test_lint_checks_each_table_of_a_schema_and_names_it():
    own = policy()
    own["tables"][PATIENTS]["columns"]["born"] = {
        "role": "quasi",
        "hierarchy": {"tree": {"all": [1900]}},
    }
    with duckdb.connect() as connection:
        build(connection.execute)
        (only,) = kanon_sql.lint(policy(), connection=connection)
        assert only.startswith(f"tables.{BILLS}: entity: each of 400 rows has another patient")
        with pytest.raises(HierarchyError, match="born"):
            kanon_sql.lint(own, connection=connection)
        open_ = policy()
        open_["tables"][VISITS] = {"of": "patient"}
        with pytest.raises(InputError, match=f"tables.{VISITS}: choose protect"):
            kanon_sql.lint(open_, connection=connection)


def test_lint_of_a_schema_alone_reads_no_database(tmp_path):
    file = tmp_path / "schema.yml"
    file.write_text(json.dumps(policy()), encoding="utf-8")
    found = CliRunner().invoke(main, ["lint", "--no-source", str(file)])
    assert (found.exit_code, "no faults" in found.output) == (0, True), found.output
    file.write_text(json.dumps(policy(digits=2)), encoding="utf-8")
    found = CliRunner().invoke(main, ["lint", "--no-source", str(file)])
    assert found.exit_code == 1
    assert "keys.patient.digits" in found.output
