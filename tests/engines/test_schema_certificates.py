"""No certificate of a schema for what its plan did not release: tables, views and columns beside it, and edited plans."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
import yaml
from hospitals import (
    DIAGNOSES,
    KEY,
    KEY_ENV,
    PATIENTS,
    STAFF,
    VISITS,
    build,
    policy,
    quoted,
    rows_of_hospital,
)

from kanon_sql.apps.cli.schema_of_tables import print_plan
from kanon_sql.apps.schema.certify_schema import certify_schema, verify_schema
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_page import SchemaReport
from kanon_sql.apps.schema.schema_plan import SchemaPlan, read_schema_plan
from kanon_sql.errors import InputError, StalePlanError, VerificationError

ANON = '"the anon"'
COPIED = '"le""vels"'


def with_copy():
    """The policy of the hospital, with a table of reference that is released as it is."""
    given = policy()
    return {**given, "tables": {**given["tables"], 'le"vels': {"copy": True}}}


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A released hospital, and the file of its plan."""
    file = tmp_path_factory.mktemp("certified") / "s.plan.yml"
    with pytest.MonkeyPatch.context() as patch, duckdb.connect() as connection:
        patch.setenv(KEY_ENV, KEY)
        build(connection.execute, rows_of_hospital(150))
        connection.execute(f"CREATE TABLE {COPIED} AS SELECT 1 AS id, 'high' AS na")
        plan = plan_schema(with_copy(), connection=connection)
        apply_schema(plan, policy=with_copy(), connection=connection)
        file.write_text(plan.to_yaml(), encoding="utf-8")
        yield connection, file


@pytest.mark.parametrize(
    ("make", "undo"),
    [
        (f"CREATE TABLE {ANON}.\"ra'w\" AS SELECT 'Alice' AS name", f'DROP TABLE {ANON}."ra\'w"'),
        (f"CREATE VIEW {ANON}.names AS SELECT 'Alice' AS name", f"DROP VIEW {ANON}.names"),
        (
            f"ALTER TABLE {ANON}.{quoted(DIAGNOSES)} ADD \"na me\" text DEFAULT 'Alice'",
            f'ALTER TABLE {ANON}.{quoted(DIAGNOSES)} DROP "na me"',
        ),
        (
            f"ALTER TABLE {ANON}.{COPIED} ADD \"na me\" text DEFAULT 'Alice'",
            f'ALTER TABLE {ANON}.{COPIED} DROP "na me"',
        ),
    ],
)
def test_what_is_beside_a_release_is_not_certified(certified, make, undo):
    connection, file = certified
    certify_schema(file, policy=with_copy(), connection=connection)
    connection.execute(make)
    with pytest.raises(VerificationError, match="not of this release: counted 1, not 0"):
        certify_schema(file, policy=with_copy(), connection=connection)
    connection.execute(undo)
    certify_schema(file, policy=with_copy(), connection=connection)


def test_a_person_who_is_there_twice_is_no_other_person(certified):
    """A copy of the release without its keys has a row of one person in the place of another's."""
    connection, file = certified
    given = with_copy()
    people = quoted(PATIENTS)
    with duckdb.connect() as copied:
        copy_without_keys(connection, copied)
        certify_schema(file, policy=given, connection=copied)
        copied.execute(f"UPDATE {ANON}.{people} SET id = (SELECT MIN(id) FROM {ANON}.{people}) WHERE id = (SELECT MAX(id) FROM {ANON}.{people})")  # fmt: skip
        with pytest.raises(VerificationError, match=f"{PATIENTS}: each row has its own id"):
            certify_schema(file, policy=given, connection=copied)


def copy_without_keys(connection, copied):
    """Copy the release into another database, where its tables can be altered."""
    copied.execute(f"CREATE SCHEMA {ANON}")
    for name in (PATIENTS, VISITS, DIAGNOSES, STAFF, 'le"vels'):
        copied.register("rows", connection.sql(f"FROM {ANON}.{quoted(name)}").to_arrow_table())
        copied.execute(f"CREATE TABLE {ANON}.{quoted(name)} AS FROM rows")


def test_a_copied_table_has_the_columns_that_its_plan_says(certified):
    """The policy lists none of them: a copy has those that the source had when the plan was made."""
    connection, file = certified
    staff = f"{ANON}.{quoted(STAFF)}"
    with duckdb.connect() as copied:
        copy_without_keys(connection, copied)
        certify_schema(file, policy=with_copy(), connection=copied)
        copied.execute(f"ALTER TABLE {staff} ADD \"na me\" text DEFAULT 'Alice'")
        with pytest.raises(VerificationError, match="not of this release: counted 1, not 0"):
            certify_schema(file, policy=with_copy(), connection=copied)
        copied.execute(f'ALTER TABLE {staff} DROP "na me"')
        copied.execute(f"ALTER TABLE {staff} DROP specialty")
        with pytest.raises(VerificationError, match="order has no column specialty"):
            certify_schema(file, policy=with_copy(), connection=copied)


def test_a_plan_of_a_copied_table_states_its_columns_and_apply_compares_them(certified):
    connection, file = certified
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert {name: each.get("columns") for name, each in document["tables"].items() if "columns" in each} == {STAFF: ["id", "specialty", "head"], 'le"vels': ["id", "na"]}  # fmt: skip
    document["tables"][STAFF]["columns"].append("na me")
    edited = SchemaPlan.from_yaml(yaml.safe_dump(document, sort_keys=False), "plan")
    with pytest.raises(StalePlanError):
        apply_schema(edited, policy=with_copy(), connection=connection, replace=True)


def released_keys(plan):
    return [each for each in plan["foreign_keys"] if each["released"]]


def test_a_key_of_released_tables_that_a_plan_lacks_is_seen_in_the_catalog(monkeypatch, tmp_path):
    """No pseudonyms are in this key, so that the policy's keys do not name it."""
    monkeypatch.setenv(KEY_ENV, KEY)
    file = tmp_path / "s.plan.yml"
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "to" (id INTEGER PRIMARY KEY, "na me" TEXT)')
        connection.execute('CREATE TABLE "fr""om" (of INTEGER REFERENCES "to" (id))')
        connection.execute("INSERT INTO \"to\" VALUES (1, 'a')")
        given = {"version": 2, "tables": {"to": {"copy": True}, 'fr"om': {"copy": True}}, "release": {"schema": "anon"}}  # fmt: skip
        plan = plan_schema(given, connection=connection)
        apply_schema(plan, policy=given, connection=connection)
        document = yaml.safe_load(plan.to_yaml())
        file.write_text(plan.to_yaml(), encoding="utf-8")
        certified = certify_schema(file, policy=given, connection=connection)
        (claim,) = [each for each in certified.claims if "names a row" in each.claim]
        document["foreign_keys"] = []
        certificate = tmp_path / "s.certificate"
        certificate.write_text(certified.to_json(), encoding="utf-8")
        file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        for again in (
            lambda: certify_schema(file, policy=given, connection=connection),
            lambda: verify_schema(certificate, file, policy=given, connection=connection),
        ):
            with pytest.raises(StalePlanError, match=r"of -> to\.id"):
                again()
    assert claim.counts == (0,)


def test_a_key_that_the_database_does_not_guard_is_seen_in_the_source(tmp_path):
    """DuckDB takes no rows that name their own table in any order: the release has the key, and no constraint of it."""
    file = tmp_path / "s.plan.yml"
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "st""aff" (id INTEGER PRIMARY KEY, head INTEGER REFERENCES "st""aff" (id))')  # fmt: skip
        connection.execute('INSERT INTO "st""aff" VALUES (1, NULL)')
        connection.execute('INSERT INTO "st""aff" VALUES (2, 1)')
        given = {"version": 2, "tables": {'st"aff': {"copy": True}}, "release": {"schema": "anon"}}
        plan = plan_schema(given, connection=connection)
        apply_schema(plan, policy=given, connection=connection)
        for edit in (
            lambda document: document.update(foreign_keys=[]),
            lambda document: document["foreign_keys"][0].update(released=False),
        ):
            file.write_text(plan.to_yaml(), encoding="utf-8")
            certify_schema(file, policy=given, connection=connection)
            document = yaml.safe_load(plan.to_yaml())
            edit(document)
            file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
            with pytest.raises(StalePlanError, match=r"head -> st\"aff\.id"):
                certify_schema(file, policy=given, connection=connection)


@pytest.mark.parametrize(
    ("edit", "where"),
    [
        (lambda plan: plan["tables"].pop(VISITS), f"tables.{VISITS}"),
        (lambda plan: plan["tables"][VISITS].pop("released_as"), f"tables.{VISITS}"),
        (lambda plan: plan["tables"][VISITS].update(protect="events"), f"tables.{VISITS}"),
        (lambda plan: plan["tables"][VISITS].update(known=3), f"tables.{VISITS}"),
        (
            lambda plan: plan["tables"].update({"new": plan["tables"][PATIENTS]}),
            "tables.new",
        ),
        (lambda plan: plan.update(joined=[]), "joined"),
        (lambda plan: plan.update(foreign_keys=[]), "foreign_keys"),
        (lambda plan: [key.update(released=False) for key in plan["foreign_keys"]], "foreign_keys"),
        *(
            (lambda plan, at=at: released_keys(plan)[at].update(released=False), "foreign_keys")
            for at in range(3)
        ),
        (lambda plan: plan["tables"][STAFF].pop("columns"), f"tables.{STAFF}"),
    ],
)
def test_a_plan_that_says_other_things_than_its_policy_is_not_certified(certified, edit, where):
    connection, file = certified
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    edit(document)
    edited = file.with_name("edited.plan.yml")
    edited.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    with pytest.raises(StalePlanError) as refused:
        certify_schema(edited, policy=with_copy(), connection=connection)
    assert refused.value.faults[0].where == where


def test_a_schema_says_where_no_row_is_true_and_an_edited_plan_cannot_hide_it(
    tmp_path, monkeypatch, capsys
):
    """Its page is made from the plan alone, and its certificate names what each table shows."""
    monkeypatch.setenv(KEY_ENV, KEY)
    given = policy()
    people = given["tables"][PATIENTS]
    columns = {**people["columns"], "born": {"role": "quasi", "order": "number"}}
    columns["select"] = {"role": "quasi", "order": "text"}
    values = {
        **people,
        "columns": columns,
        "output": "apportioned",
        "search": {"algorithm": "mondrian"},
    }
    given = {**given, "tables": {**given["tables"], PATIENTS: values}}
    untrue = "a row does not show what is true of it, but values that stand for its class, in select, born, bills and years"
    file = tmp_path / "s.plan.yml"
    with duckdb.connect() as connection:
        build(connection.execute, rows_of_hospital(150))
        for of, says in ((policy(), False), (given, True)):
            plan = plan_schema(of, connection=connection)
            apply_schema(plan, policy=of, connection=connection, replace=True)
            file.write_text(plan.to_yaml(), encoding="utf-8")
            certificate = certify_schema(file, policy=of, connection=connection)
            assert (untrue in certificate.protections[PATIENTS]) is says
            page = SchemaReport(read_schema_plan(file), read_schema_policy(of), "people").to_html()
            assert (untrue in page) is says
            print_plan(read_schema_plan(file))  # as apply does
            assert (untrue.partition(",")[0] in " ".join(capsys.readouterr().out.split())) is says
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        del document["tables"][PATIENTS]["stand_ins"]
        file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        with pytest.raises(StalePlanError, match="is not what the policy says of it"):
            certify_schema(file, policy=given, connection=connection)


def test_a_plan_that_names_more_columns_of_a_copy_is_stale(certified):
    connection, file = certified
    text = file.read_text(encoding="utf-8")
    edited = file.with_name("copied.plan.yml")
    document = yaml.safe_load(text)
    assert document["tables"]['le"vels']["columns"] == ["id", "na"]
    document["tables"]['le"vels']["columns"].append("na me")
    edited.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    with pytest.raises(StalePlanError):
        apply_schema(edited, policy=with_copy(), connection=connection, replace=True)


def test_a_materialized_view_beside_a_release_is_seen_on_postgres(postgres, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    postgres.execute("CREATE SCHEMA people; CREATE SCHEMA names")
    postgres.execute("CREATE TABLE people.p AS SELECT i AS id, i % 2 AS sex FROM generate_series(1, 20) AS t (i)")  # fmt: skip
    columns = {"sex": {"role": "quasi", "hierarchy": "suppress"}}
    given = {
        "version": 2,
        "keys": {"one": {"key_env": KEY_ENV, "columns": ["people.p.id"]}},
        "tables": {"people.p": {"entity": "one", "columns": columns, "privacy": {"k": 2}}},
        "release": {"schema": "names"},
    }
    plan = plan_schema(given, connection=postgres.connection)
    apply_schema(plan, policy=given, connection=postgres.connection)
    file = tmp_path / "s.plan.yml"
    file.write_text(plan.to_yaml(), encoding="utf-8")
    certify_schema(file, policy=given, connection=postgres.connection)
    postgres.execute("CREATE MATERIALIZED VIEW names.m AS SELECT id FROM people.p")
    with pytest.raises(VerificationError, match="not of this release: counted 1, not 0"):
        certify_schema(file, policy=given, connection=postgres.connection)
    postgres.execute("DROP SCHEMA names CASCADE; DROP SCHEMA people CASCADE")


def test_a_subset_of_nobody_is_refused_by_the_name_of_its_table(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    with duckdb.connect() as connection:
        build(connection.execute, rows_of_hospital(20))
        with pytest.raises(
            InputError, match="has 20 rows, of which the subset of people leaves none"
        ) as refused:
            plan_schema({**policy(), "subset": {PATIENTS: "born > 9000"}}, connection=connection)
    assert refused.value.faults[0].where == f"tables.{PATIENTS}"


def test_what_a_person_s_own_row_names_is_counted_over_the_join(tmp_path, monkeypatch):
    """The town of a patient's doctor is on the patient's row for whoever joins the two: by hand, most stand below k."""
    monkeypatch.setenv(KEY_ENV, KEY)
    file = tmp_path / "s.plan.yml"
    keyed = {"key_env": KEY_ENV}
    suppress = {"role": "quasi", "hierarchy": "suppress"}
    given = {
        "version": 2,
        "keys": {
            "patient": {**keyed, "columns": ["patients.id"]},
            "doctor": {**keyed, "columns": ["doctors.id", "patients.doctor_id"]},
        },
        "tables": {
            "doctors": {"copy": True},
            "patients": {"entity": "patient", "columns": {"born": suppress}, "privacy": {"k": 5}},
        },
        "release": {"schema": "anon"},
    }
    people = [
        (n, None if n % 50 == 0 else n % (29 if n < 200 else 7), 1950 + n % 2) for n in range(400)
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE doctors (id INTEGER PRIMARY KEY, town VARCHAR)")
        connection.execute(
            "CREATE TABLE patients (id INTEGER PRIMARY KEY, doctor_id INTEGER REFERENCES doctors (id), born INTEGER)"
        )
        towns = {n: f"town {n if n > 9 else n // 2}" for n in range(31)}
        connection.executemany("INSERT INTO doctors VALUES (?, ?)", list(towns.items()))
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?)", people)
        plan = plan_schema(given, connection=connection)
        alike = Counter((born, towns.get(doctor)) for _, doctor, born in people)
        below = sum(each for each in alike.values() if each < 5)
        assert 0 < below < 400
        (joined,) = plan.joined
        assert (joined.people, joined.below, joined.fewest) == (400, below, min(alike.values()))
        assert "patients with doctors" in str(joined)
        apply_schema(plan, policy=given, connection=connection)
        file.write_text(plan.to_yaml(), encoding="utf-8")
        found = certify_schema(file, policy=given, connection=connection)
        assert (400, below, joined.fewest) in [each.counts for each in found.claims]
        assert not found.not_counted
        connection.execute("DROP TABLE patients")
        (said,) = certify_schema(file, policy=given, connection=connection).not_counted
        assert said.startswith("patients: that the plan left out none of its foreign keys")
