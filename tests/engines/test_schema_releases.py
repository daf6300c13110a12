"""What a release of a schema refuses, follows and leaves behind, on DuckDB, judged by plain Python."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import partial

import duckdb
import pytest
import yaml
from hospitals import (
    BILLS,
    DIAGNOSES,
    FOREIGN,
    KEY,
    KEY_ENV,
    PATIENTS,
    PLANTED,
    STAFF,
    VISITS,
    assert_keys_valid,
    assert_no_planted,
    below_k,
    build,
    policy,
    pseudonym,
    quoted,
    released,
    rows_of_hospital,
)

from kanon_sql.apps.cli.schema_of_tables import FILE
from kanon_sql.apps.schema.certify_schema import certify_schema, verify_schema
from kanon_sql.apps.schema.propose_schema import first_schema_policy
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_plan import SchemaPlan, diff_schemas
from kanon_sql.errors import (
    InputError,
    ReleaseError,
    SourceError,
    StalePlanError,
    VerificationError,
)

SCHEMA = "the anon"
ALL = [PATIENTS, VISITS, DIAGNOSES, STAFF]
ROWS = rows_of_hospital(200)


@pytest.fixture
def hospital(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    with duckdb.connect() as connection:
        build(connection.execute, ROWS)
        yield connection


def test_a_table_without_a_protection_is_refused_with_the_people_below_k(hospital):
    visits = {"of": "patient", "columns": {"ward": {"role": "quasi", "hierarchy": "suppress"}}}
    with pytest.raises(InputError) as refused:
        plan_schema(policy(tables={VISITS: visits}), connection=hospital)
    (fault,) = refused.value.faults
    assert fault.where == f"tables.{VISITS}.protect"
    apply_schema(policy=policy(), connection=hospital)
    found = released(hospital.execute, SCHEMA, ALL)
    visits = [(row["pa.tient"], (row["doctor"], row["ward"], row["day"])) for row in found[VISITS]]
    below, _ = below_k(found[PATIENTS], "id", ["select", "born", "bills", "years"], [visits], 5)
    assert f"{below:,} of {len(found[PATIENTS]):,} people stand below k = 5" in fault.what


def test_nothing_is_written_without_replace_and_a_strange_table_is_not_dropped(hospital):
    apply_schema(policy=policy(), connection=hospital)
    before = released(hospital.execute, SCHEMA, ALL)
    with pytest.raises(ReleaseError, match="--replace replaces them"):
        apply_schema(policy=policy(), connection=hospital)
    hospital.execute(f"CREATE TABLE {quoted(SCHEMA)}.strange (a INTEGER)")
    with pytest.raises(ReleaseError, match="has strange, which this release does not write"):
        apply_schema(policy=policy(), connection=hospital, replace=True)
    assert released(hospital.execute, SCHEMA, ALL) == before
    hospital.execute(f"DROP TABLE {quoted(SCHEMA)}.strange")
    apply_schema(policy=policy(), connection=hospital, replace=True)


def test_duckdb_has_one_schema_and_one_table_of_a_name_in_any_case(hospital):
    hospital.execute('CREATE SCHEMA "The Anon"; CREATE TABLE "The Anon".strange (a INTEGER)')
    with pytest.raises(ReleaseError, match="has strange, which this release does not write"):
        apply_schema(policy=policy(), connection=hospital)
    hospital.execute('DROP TABLE "The Anon".strange')
    hospital.execute(f'CREATE TABLE "The Anon".{quoted(VISITS.upper())} (a INTEGER)')
    with pytest.raises(ReleaseError, match="--replace replaces them"):
        apply_schema(policy=policy(), connection=hospital)
    for _ in range(2):  # the second time over the first one's foreign keys
        done = apply_schema(policy=policy(), connection=hospital, replace=True).published
    rows = hospital.execute(f"SELECT COUNT(*), COUNT(ward) FROM {quoted(SCHEMA)}.visits").fetchall()
    assert rows == [(done.rows[VISITS], done.rows[VISITS])]


def test_a_release_never_goes_where_its_tables_are(hospital):
    with pytest.raises(ReleaseError, match="what a run reads is never written to"):
        apply_schema(policy=policy(release={"schema": "main"}), connection=hospital)
    without = {key: each for key, each in policy().items() if key != "release"}
    with pytest.raises(ReleaseError, match="release: is missing"):
        apply_schema(policy=without, connection=hospital)


@pytest.mark.parametrize(
    ("table", "insert"),
    [(PATIENTS, f"('{PLANTED}-new', 'n', 'M', 1950, 'north')"), (VISITS, f"('{PLANTED}-new', '{PLANTED}-p1', NULL, 'w', 1)"), (STAFF, f"('{PLANTED}-new', 's', NULL)")],
)  # fmt: skip
def test_a_plan_is_stale_once_any_table_has_changed(hospital, table, insert):
    plan = plan_schema(policy(), connection=hospital)
    hospital.execute(f"INSERT INTO {quoted(table)} VALUES {insert}")
    with pytest.raises(StalePlanError) as stale:
        apply_schema(plan, policy=policy(), connection=hospital)
    assert any(table in each.where for each in stale.value.faults)
    assert not hospital.execute(
        "SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'the anon'"
    ).fetchall()


def test_a_plan_of_another_policy_is_stale(hospital):
    plan = plan_schema(policy(), connection=hospital)
    with pytest.raises(StalePlanError, match="changed since the plan was made"):
        apply_schema(plan, policy=policy(subset={PATIENTS: "born > 1950"}), connection=hospital)
    assert SchemaPlan.from_yaml(plan.to_yaml(), "plan") == SchemaPlan.from_yaml(
        plan_schema(policy(), connection=hospital).to_yaml(), "plan"
    )


def test_a_subset_has_its_people_and_all_their_rows(hospital):
    apply_schema(policy=policy(subset={PATIENTS: "region = 'north'"}), connection=hospital)
    found = released(hospital.execute, SCHEMA, ALL)
    north = {pseudonym(row[0], "patient") for row in ROWS[PATIENTS] if row[4] == "north"}
    shown = {row["id"] for row in found[PATIENTS]}
    assert 0.8 * len(north) < len(shown) <= len(north)
    assert shown <= north
    assert {row["id"] for row in found[VISITS]} == {
        pseudonym(row[0], "visit") for row in ROWS[VISITS] if pseudonym(row[1], "patient") in shown
    }
    people = {row[0]: pseudonym(row[1], "patient") for row in ROWS[VISITS]}
    assert len(found[DIAGNOSES]) == sum(people[row[0]] in north for row in ROWS[DIAGNOSES])
    assert len(found[STAFF]) == len(ROWS[STAFF])
    assert_keys_valid(found, FOREIGN[:2])


def test_a_share_of_people_is_the_same_each_time(hospital):
    half = policy(subset={PATIENTS: {"limit": "50%"}})
    one = plan_schema(half, connection=hospital)
    kept = len(ROWS[PATIENTS]) - one.tables[PATIENTS].left_out
    assert 70 <= kept <= 130
    expected = {row[0] for row in ROWS[PATIENTS] if pseudonym(row[0], "patient") < "8"}
    assert kept == len(expected)
    assert plan_schema(half, connection=hospital) == one


def test_a_condition_that_no_column_has_is_refused_kindly(hospital):
    with pytest.raises(SourceError, match=r"subset\.visits: .*did you mean day"):
        plan_schema(policy(subset={VISITS: "dey > 3"}), connection=hospital)


def test_keys_of_rows_that_are_not_released_become_null(hospital):
    hospital.execute(f"ALTER TABLE {quoted(PATIENTS)} ADD COLUMN mother text")
    hospital.execute(f"UPDATE {quoted(PATIENTS)} SET mother = '{PLANTED}-p' || (born % 200)")
    given = policy()
    given["keys"]["patient"]["columns"].append(f"{PATIENTS}.mother")
    release = apply_schema(policy=given, connection=hospital)
    found = released(hospital.execute, SCHEMA, ALL)
    assert_no_planted(found)
    assert_keys_valid(found, [(PATIENTS, "mother", PATIENTS, "id")])
    gone = sum(row["mother"] is None for row in found[PATIENTS])
    assert gone == release.plan.tables[PATIENTS].emptied > 0
    sizes = Counter(
        (row["select"], row["born"], row["bills"], row["years"]) for row in found[PATIENTS]
    )
    assert min(sizes.values()) >= 5


def test_the_people_below_k_are_those_that_plain_python_counts(monkeypatch):
    """Visits to two wards, their diagnoses by way of them, mothers among the people, and a reference table that names people."""
    monkeypatch.setenv(KEY_ENV, KEY)
    visits = [(*row[:2], None, f"w{row[4] % 2}", 0) for row in ROWS[VISITS] if row[4] < 700]
    kept = {row[0] for row in visits}
    diagnoses = [(row[0], row[1][0], 0) for row in ROWS[DIAGNOSES] if row[0] in kept]
    hospital = duckdb.connect()
    build(hospital.execute, {**ROWS, VISITS: visits, DIAGNOSES: diagnoses})
    hospital.execute(f"ALTER TABLE {quoted(PATIENTS)} ADD COLUMN mother text")
    hospital.execute(
        f"UPDATE {quoted(PATIENTS)} SET mother = '{PLANTED}-p' || (born % 9) WHERE born > 1990"
    )
    hospital.execute(
        f"CREATE TABLE board AS SELECT id AS member, born % 2 AS seat FROM {quoted(PATIENTS)} WHERE born < 1950"
    )
    none = {"of": "patient", "protect": "none"}
    tables = {
        VISITS: {
            **none,
            "columns": {"ward": {"role": "insensitive"}, "day": {"role": "insensitive"}},
        },
        DIAGNOSES: {
            **none,
            "columns": {"icd": {"role": "insensitive"}, "day": {"role": "insensitive"}},
        },
        "board": {"copy": True},
    }
    given = policy(tables=tables)
    given["keys"]["patient"]["columns"] += [f"{PATIENTS}.mother", "board.member"]
    plan = apply_schema(policy=given, connection=hospital).plan
    found = released(hospital.execute, SCHEMA, [*ALL, "board"])
    (joined,) = plan.joined
    assert joined.tables == (VISITS, PATIENTS, "board", DIAGNOSES)
    of = {row["id"]: (row["pa.tient"], row["ward"], row["day"]) for row in found[VISITS]}
    labels = ["select", "born", "bills", "years"]
    children = [
        (row["mother"], [row[each] for each in (*labels, "region")])
        for row in found[PATIENTS]
        if row["mother"]
    ]
    linked = [
        [(row["pa.tient"], (row["ward"], row["day"])) for row in found[VISITS]],
        children,
        [(row["member"], (row["seat"],)) for row in found["board"]],
        [
            (of[row["visit"]][0], (row["icd"], row["day"], *of[row["visit"]][1:]))
            for row in found[DIAGNOSES]
        ],
    ]
    below, fewest = below_k(found[PATIENTS], "id", labels, linked, 5)
    assert (joined.below, joined.fewest) == (below, fewest)
    assert 0 < below < len(found[PATIENTS])
    assert below > below_k(found[PATIENTS], "id", labels, linked[:1], 5)[0]


def test_raw_keys_and_people_who_repeat_are_refused(hospital):
    given = policy()
    given["keys"]["visit"]["columns"] = [f"{VISITS}.id"]
    given["tables"][DIAGNOSES] = {"copy": True}
    with pytest.raises(SourceError, match=r"list visits.id and dia gnoses.visit under one key"):
        plan_schema(given, connection=hospital)
    lone = {**policy()["tables"][DIAGNOSES], "protect": "cut"}
    lone.pop("of")
    lone["columns"] = {**lone["columns"], "visit": {"role": "identifying", "action": "drop"}}
    given["tables"][DIAGNOSES] = lone  # what is dropped is no raw key
    plan = plan_schema(given, connection=hospital)
    assert plan.tables[DIAGNOSES].released_rows == len(ROWS[DIAGNOSES])
    hospital.execute(
        f"CREATE TABLE twice AS SELECT * FROM {quoted(PATIENTS)} UNION ALL SELECT * FROM {quoted(PATIENTS)}"
    )
    given = {
        "version": 2,
        "keys": {"p": {"key_env": KEY_ENV, "columns": ["twice.id"]}},
        "tables": {"twice": {**policy()["tables"][PATIENTS], "entity": "p"}},
    }
    with pytest.raises(SourceError, match="must have one row a person: of "):
        plan_schema(given, connection=hospital)


def test_people_outside_the_subset_need_no_key(hospital):
    hospital.execute(
        f"CREATE TABLE legacy AS SELECT * REPLACE (CASE WHEN region = 'north' THEN id END AS id) FROM {quoted(PATIENTS)}"
    )
    given = {
        "version": 2,
        "keys": {"p": {"key_env": KEY_ENV, "columns": ["legacy.id"]}},
        "tables": {"legacy": {**policy()["tables"][PATIENTS], "entity": "p"}},
        "release": {"schema": "of legacy"},
    }
    with pytest.raises(
        SourceError, match=r"must have one row a person: of 200 rows, \d+ have no id"
    ):
        plan_schema(given, connection=hospital)
    chosen = {**given, "subset": {"legacy": "id IS NOT NULL"}}
    apply_schema(policy=chosen, connection=hospital)
    ((rows, people),) = hospital.execute(
        'SELECT COUNT(*), COUNT(DISTINCT id) FROM "of legacy".legacy'
    ).fetchall()
    north = sum(region == "north" for *_, region in ROWS[PATIENTS])
    suppressed = north - rows
    assert 0 < rows == people <= north < 200
    assert 10 * suppressed <= north


def test_a_key_of_the_environment_that_is_missing_is_named(hospital, monkeypatch):
    monkeypatch.delenv(KEY_ENV)
    with pytest.raises(SourceError, match=f"the environment variable {KEY_ENV} must hold a key"):
        plan_schema(policy(), connection=hospital)


def test_a_certificate_counts_the_release_again_and_fails_when_it_is_changed(hospital, tmp_path):
    plan = plan_schema(policy(), connection=hospital)
    apply_schema(plan, policy=policy(), connection=hospital)
    file = tmp_path / "s.plan.yml"
    file.write_text(plan.to_yaml(), encoding="utf-8")
    certificate = certify_schema(file, policy=policy(), connection=hospital)
    assert len(certificate.claims) == 1 + 4 + 2 + 1 + 3 + 1
    written = tmp_path / FILE
    written.write_text(certificate.to_json(), encoding="utf-8")
    assert verify_schema(written, file, policy=policy(), connection=hospital) == certificate
    for each in certificate.claims:  # a DBA runs the SQL as it stands
        assert hospital.execute(each.sql).fetchall() == [each.counts]
    edited = json.loads(certificate.to_json())
    edited["claims"][0]["sql"] = "SELECT 1"
    written.write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(VerificationError, match="is not that of the release"):
        verify_schema(written, file, policy=policy(), connection=hospital)
    hospital.execute(
        f"UPDATE {quoted(SCHEMA)}.{quoted(VISITS)} SET day = day + 1 WHERE ward = (SELECT min(ward) FROM {quoted(SCHEMA)}.{quoted(VISITS)})"
    )
    hospital.execute(f"DELETE FROM {quoted(SCHEMA)}.{quoted(DIAGNOSES)} WHERE icd LIKE 'A%'")
    with pytest.raises(VerificationError, match=r"dia gnoses has .* rows: counted"):
        certify_schema(file, policy=policy(), connection=hospital)


def test_a_diff_names_what_changed(hospital):
    old = plan_schema(policy(), connection=hospital)
    stricter = policy()
    stricter["tables"][PATIENTS]["privacy"] = {"k": 8}
    new = plan_schema(stricter, connection=hospital)
    assert diff_schemas(old, old).same
    found = diff_schemas(old, new)
    assert "k is 8 instead of 5" in found.markdown
    assert any(each.startswith(f"{PATIENTS} with visits") for each in found.lines)
    gone = replace(new, tables={name: each for name, each in new.tables.items() if name != STAFF})
    assert f"{STAFF}: is not released any more" in diff_schemas(old, gone).markdown


def test_init_proposes_a_policy_that_waits_for_protections(tmp_path, monkeypatch):
    monkeypatch.setenv("KANON_KEY", KEY)
    with duckdb.connect(str(tmp_path / "h.duckdb")) as connection:
        build(connection.execute, ROWS)
    text = first_schema_policy(str(tmp_path / "h.duckdb"))
    assert PLANTED not in text
    proposed = yaml.safe_load(text)
    assert proposed["tables"][PATIENTS]["entity"] in proposed["keys"]
    assert {name for name, each in proposed["tables"].items() if "of" in each} == {
        VISITS,
        DIAGNOSES,
        BILLS,
    }
    assert proposed["keys"]["visit"]["columns"] == [f"{VISITS}.id", f"{DIAGNOSES}.visit"]
    file = tmp_path / "s.yml"
    file.write_text(text, encoding="utf-8")
    read_schema_policy(file)
    with pytest.raises(InputError, match="people stand below k = "):
        plan_schema(file)


KILLED = """
import os, signal, sys
from kanon_sql.engines.journal import Journal
from kanon_sql.apps.schema.release_schema import apply_schema
said, begun, counted = Journal.statement, Journal.step, [False, 0]
def statement(self, text, **kwargs):
    said(self, text, **kwargs)
    counted[1] += counted[0] and sys.argv[3] in text
    if counted[0] and counted[1] == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
def step(self, name):
    counted[0] |= name == "publish"
    return begun(self, name)
Journal.statement, Journal.step = statement, step
apply_schema(policy=sys.argv[1], replace=True)
"""


@pytest.mark.rare
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_kill_leaves_the_old_schema_or_the_new_one(tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    database = tmp_path / "h.duckdb"
    with duckdb.connect(str(database)) as connection:
        build(connection.execute, ROWS)

    def read():
        with duckdb.connect(str(database)) as connection:
            return released_with_keys(connection.execute)

    check_kills(tmp_path / "s.yml", str(database), read, range(1, 40, 4))
    check_kills(tmp_path / "s.yml", str(database), read, (1, 2), among=KEYS)
    check_killed_certificates(tmp_path, str(database), read)


@pytest.mark.rare
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_kill_on_postgres_leaves_the_old_schema_or_the_new_one(tmp_path, monkeypatch, postgres):
    monkeypatch.setenv(KEY_ENV, KEY)
    build(postgres.execute, ROWS)
    read = partial(released_with_keys, postgres.execute)
    check_kills(tmp_path / "s.yml", postgres.address, read, (2, 6, 10))
    check_kills(tmp_path / "s.yml", postgres.address, read, (1, 2), among=KEYS)
    check_killed_certificates(tmp_path, postgres.address, read)
    postgres.execute(f'DROP SCHEMA "{SCHEMA}" CASCADE')


KEYS = "FOREIGN KEY"


def released_with_keys(execute):
    """The released rows of each table, and the foreign keys that the database guards."""
    found = released(execute, SCHEMA, ALL)
    kept = f"table_schema = '{SCHEMA}' AND constraint_type = '{KEYS}'"
    keys = execute(
        f"SELECT table_name FROM information_schema.table_constraints WHERE {kept}"
    ).fetchall()
    assert len(keys) >= 2
    return {**found, KEYS: keys}


def check_kills(file, database, read, moments, *, among=""):
    """Kill runs that replace a release after so many statements of its publication, until one ends by itself.

    Only statements are counted that have what they are `among` in their text.
    """
    file.write_text(json.dumps(policy(database=database)), encoding="utf-8")
    apply_schema(policy=str(file), replace=True)
    smaller = policy(database=database, subset={PATIENTS: "born < 1990"})
    file.write_text(json.dumps(smaller), encoding="utf-8")

    def counted():
        return {name: len(rows) for name, rows in read().items()}

    old, ends = counted(), []
    for number in (*moments, 999):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", KILLED, str(file), str(number), among], check=False
        )  # fmt: skip
        found = counted()
        ends.append(run.returncode)
        if run.returncode == 0:
            assert found[PATIENTS] < old[PATIENTS]
            break
        assert run.returncode == -signal.SIGKILL
        assert found == old
    assert ends[-1] == 0
    assert len(ends) > (2 if among else 3)


KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from kanon_sql.apps.cli import main
from kanon_sql.engines.journal import Journal
moment, said, whole, counted = sys.argv.pop(1), Journal.statement, Path.write_text, [0]
def statement(self, text, **kwargs):
    said(self, text, **kwargs)
    counted[0] += 1
    if moment == str(counted[0]):
        os.kill(os.getpid(), signal.SIGKILL)
def write_text(self, text, **kwargs):
    whole(self, text[: len(text) // 2] if moment == "half" else text, **kwargs)
    if moment in {"half", "written"}:
        os.kill(os.getpid(), signal.SIGKILL)
Journal.statement, Path.write_text = statement, write_text
main()
"""


def check_killed_certificates(folder, database, read):
    """Kill runs that replace the certificate of an earlier release, and runs that write the first one."""
    file, plan, written = folder / "s.yml", folder / "s.plan.yml", folder / "c" / FILE

    def release(**changes):
        file.write_text(json.dumps(policy(database=database, **changes)), encoding="utf-8")
        plan.write_text(apply_schema(policy=str(file), replace=True).plan.to_yaml(), "utf-8")

    def run(moment, *words):
        code = [sys.executable, "-W", "ignore", "-c", KILLED_WRITER, moment, *words]
        more = ["--plan", str(plan), "--quiet"]
        return subprocess.run([*code, *more], check=False, cwd=folder).returncode

    certify = ("certify", SCHEMA, "-o", str(written.parent), "--replace")
    moments = ("2", "12", "half", "written")
    release()
    for moment in moments[1:]:
        assert run(moment, *certify) == -signal.SIGKILL
        assert not written.exists()
    assert run("", *certify) == 0
    old = written.read_bytes()
    release(subset={PATIENTS: "born < 1990"})
    rows = read()
    for moment in moments:
        assert run(moment, *certify) == -signal.SIGKILL
        assert written.read_bytes() == old
        assert read() == rows
    assert run("", *certify) == 0
    assert written.read_bytes() != old
    assert run("", "verify", str(written)) == 0


@pytest.mark.parametrize("choice", ["cut", "summary", "signature", "events", "none"])
def test_what_init_proposes_plans_with_each_choice_that_its_header_explains(
    tmp_path, monkeypatch, choice
):
    """A table that names no person itself takes `cut` where rows of people would have to be told apart."""
    monkeypatch.setenv("KANON_KEY", KEY)
    place = str(tmp_path / "h.duckdb")
    with duckdb.connect(place) as connection:
        build(connection.execute, ROWS)
    text = first_schema_policy(place)
    given = yaml.safe_load(text)
    marked = yaml.safe_load(re.sub(r"(?m)^    # (privacy|suppression|search): ", r"    \1: ", text))
    for name, table in given["tables"].items():
        if "of" not in table:
            if "entity" not in table:
                table["copy"] = True
            continue
        assert "privacy" not in table
        of_person = any(each.startswith(f"{name}.") for each in given["keys"][table["of"]]["columns"])  # fmt: skip
        chosen = choice if of_person or choice in {"cut", "summary", "none"} else "cut"
        table["protect"] = chosen
        if chosen == "cut":
            table.update({key: marked["tables"][name][key] for key in ("privacy", "suppression")})
        elif chosen == "summary":
            del table["columns"]
            table["into"] = {f"many_{name[:2]}": {"count": True, "top": 3}}
        elif chosen == "events":
            table["known"] = 2
        elif chosen == "signature":
            table["suppression"] = "100%"
        else:
            for column in table["columns"].values():
                if column["role"] == "quasi":
                    column.clear()
                    column["role"] = "insensitive"
    file = tmp_path / "s.yml"
    file.write_text(yaml.safe_dump(given), encoding="utf-8")
    plan = plan_schema(file)
    assert plan.tables[VISITS].protection == choice
