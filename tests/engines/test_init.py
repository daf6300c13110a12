"""What `init` opens: a table of each database, files, folders, whole databases and frames; and what it refuses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner

import kanon_sql
from benchmarks import hospital
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.errors import InputError, KanonError, MissingRightError, SourceError

PEOPLE = 40
VISITS = pa.table(
    {
        "patient_id": [f"p{n % PEOPLE}" for n in range(120)],
        "sex": [("f", "m")[n % PEOPLE % 2] for n in range(120)],
        "birth_date": [f"{1950 + n % PEOPLE}-03-{1 + n % PEOPLE % 28:02}" for n in range(120)],
        "zip": [f"{10000 + n % PEOPLE * 7:05}" for n in range(120)],
        "age": pa.array(
            [None if n % PEOPLE == 3 else 20 + n % PEOPLE for n in range(120)], pa.int32()
        ),
        "diagnosis": [f"d{n % 7}" for n in range(120)],
    }
)
HOSTILE = ["two words", 'a"b', "it's", "x; DROP TABLE y; --", "{{ x }}", "😀 é", "%s", "Select"]


@pytest.fixture
def visits(place):
    place.put("visits_of_init", VISITS)
    yield "visits_of_init"
    place.drop("visits_of_init")


def checked(text, connection, source=None):
    """Lint and plan what was written, as a user does next."""
    policy = yaml.safe_load(text)
    release = policy.pop("release")
    kanon_sql.lint(policy, source, connection=connection)  # raises for faults
    planned = kanon_sql.plan(
        {**policy, "search": {"algorithm": "datafly"}}, source, connection=connection
    )
    return policy, release, planned


def test_a_table_has_the_same_policy_on_every_engine(place, visits):
    left = place.left()
    text = first_policy(visits, connection=place.connection)
    assert place.left() == left
    policy, release, _ = checked(text, place.connection)
    with duckdb.connect() as connection:
        assert VISITS.num_rows
        connection.execute("CREATE TABLE visits_of_init AS FROM VISITS")
        own = yaml.safe_load(first_policy(visits, connection=connection))
    assert own.pop("release") == "release.parquet"
    assert policy == own
    assert policy["entity"] == "patient_id"
    expected = {"duckdb": "release.parquet", "postgres": "visits_of_init_release"}
    assert release == expected.get(place.name, "visits_of_init_release")


def test_a_large_table_is_sampled(place, visits, monkeypatch):
    monkeypatch.setattr("kanon_sql.apps.getting_started.first_policy.WHOLE", 100)
    monkeypatch.setattr("kanon_sql.apps.getting_started.first_policy.SAMPLE", 70)
    left = place.left()
    text = first_policy(visits, connection=place.connection)
    assert place.left() == left
    assert "a random sample of 70 of 120 rows" in text


def test_a_connection_alone_lists_its_tables(place, visits):
    place.put("another_of_init", VISITS)
    try:
        with pytest.raises(
            InputError, match=r"has 2 tables: .*another_of_init, .*visits_of_init; name one$"
        ):
            first_policy(None, connection=place.connection)
    finally:
        place.drop("another_of_init")
    assert "visits_of_init" in str(
        yaml.safe_load(first_policy(None, connection=place.connection))["source"]
    )


def test_a_table_that_is_not_clean_is_cleaned_by_a_query_of_every_engine(place):
    zips = ["02138", "02139 ", "unknown", "2138", "02144"]
    dirty = {
        "zip": [zips[n % 97 % 5] if n % 97 < 5 else "02138" for n in range(400)],
        "sex": ["F" if n % 90 == 0 else "fm"[n % 2] for n in range(400)],
        "ward": [f"w{n % 5}" for n in range(400)],
    }
    place.put("dirty_of_init", pa.table(dirty))
    try:
        text = first_policy("dirty_of_init", connection=place.connection)
        policy, *_ = checked(text, place.connection)
        with duckdb.connect() as connection:
            frame = pa.table(dirty)
            assert frame.num_rows
            connection.execute("CREATE TABLE dirty_of_init AS FROM frame")
            own = yaml.safe_load(first_policy("dirty_of_init", connection=connection))
        assert policy["columns"] == own["columns"]
        assert "query" in policy["source"]
    finally:
        place.drop("dirty_of_init")


@pytest.mark.rare(on="spark")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_lint_and_plan(place, name):
    columns = [name, f"{name} 2", "zip"]
    if place.name == "spark":  # its tables hold no such columns, and their folders no such names
        columns = [each.replace(";", "").replace("{", "").replace("}", "") for each in columns]
        name = "".join(c for c in name if c.isalnum() and c.isascii()) or "hostile"
    rows = [[f"{n % 4}" for n in range(48)], [str(20 + n % 3) for n in range(48)], ["1"] * 48]
    place.put(name, pa.table(dict(zip(columns, rows, strict=True))))
    try:
        text = first_policy(name, connection=place.connection)
        policy, release, _ = checked(text, place.connection)
        assert list(policy["columns"]) == columns
        if place.name == "postgres":
            kanon_sql.anonymize({**policy, "release": release}, connection=place.connection)
            assert f"{name}_release" in place.left()
            place.drop(f"{name}_release")
    finally:
        place.drop(name)


def test_a_frame_has_a_policy_without_a_source(place):
    if place.name == "postgres":
        with pytest.raises(SourceError, match="reads tables and queries"):
            first_policy(VISITS, connection=place.connection)
        return
    policy, *_ = checked(
        first_policy(VISITS, connection=place.connection), place.connection, VISITS
    )
    assert "source" not in policy


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_lake_has_the_same_policy_on_spark(spark, tmp_path, kind, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if kind == "parquet":
        pq.write_to_dataset(VISITS, "lake", partition_cols=["sex"])
    else:
        Path("lake").mkdir()
        duckdb.sql("FROM VISITS").write_csv("lake/a.csv")
    text = first_policy("lake", connection=spark.connection)
    policy, release, _ = checked(text, spark.connection)
    own = yaml.safe_load(first_policy("lake"))
    assert release == own.pop("release") == "release.parquet"
    assert policy == own


def test_an_address_lists_the_tables_that_a_role_may_read(postgres):
    tables = {"one": "public", "two.b": "clinic"}
    postgres.execute("CREATE SCHEMA clinic")
    for name, schema in tables.items():
        postgres.execute(
            f'CREATE TABLE "{schema}"."{name}" AS SELECT 1 AS a FROM generate_series(1, 9)'
        )
    with pytest.raises(
        InputError, match=r'has 2 tables: clinic."two.b", one; name one: kanon-sql init'
    ) as told:
        first_policy(postgres.address)
    assert f"--database {postgres.address}" in str(told.value).replace("'", "")
    policy = yaml.safe_load(first_policy('clinic."two.b"', database=postgres.address))
    assert (policy["source"], policy["database"]) == ('clinic."two.b"', postgres.address)
    assert policy["release"] == {"table": 'clinic."two.b_release"'}
    kanon_sql.lint(policy)
    postgres.execute("DROP TABLE one")
    assert yaml.safe_load(first_policy(postgres.address)) == policy
    postgres.execute("DROP SCHEMA clinic CASCADE")
    with pytest.raises(InputError, match="has no table that can be read"):
        first_policy(postgres.address)


def test_mistakes_on_a_server_are_one_kind_error(postgres):
    postgres.put("visits", VISITS)
    postgres.execute(
        "CREATE TABLE nothing (a int); CREATE TABLE bare (); CREATE VIEW broken AS SELECT 1 / (age - age) AS a FROM visits"
    )
    for name, told in {
        "visit": "no such table in the database; is it visits?",
        "nothing": "has no rows",
        "bare": "has no columns",
        "broken": "refused the statement",
    }.items():
        with pytest.raises(KanonError, match=re.escape(told)):
            first_policy(name, database=postgres.address)
    for address in ("postgresql://a:secret@b/c", "postgresql://b/c?password=secret"):
        with pytest.raises(InputError, match="contains a password") as refused:
            first_policy(address)
        assert "secret" not in str(refused.value)
    postgres.execute("CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA public TO reader")
    try:
        other = postgres.address.replace("postgres:@", "reader:@")
        assert other != postgres.address
        with pytest.raises(MissingRightError):
            first_policy("visits", database=other)
        with pytest.raises(InputError, match="has no table that can be read"):
            first_policy(other)
    finally:
        postgres.execute("DROP OWNED BY reader; DROP ROLE reader; DROP VIEW broken")


ODD = {
    "postgres": (
        "point(1, 2) AS p, 'a'::bytea AS b, ARRAY[i] AS list, int4range(1, 5) AS span_of, 'NaN'::float8 AS f, "
        "'Infinity'::numeric AS n, i::money AS m, 'infinity'::date AS d, 'infinity'::timestamptz AS t, "
        "'1 day'::interval AS span, '127.0.0.1'::inet AS host, '{}'::json AS j, '{}'::jsonb AS jb, "
        "B'101' AS bits, gen_random_uuid() AS u, repeat('9', 40)::numeric AS big, NULL::text AS none"
    ),
    "duckdb": (
        "'a'::BLOB AS b, [i] AS list, {'x': i} AS pair, MAP {'a': i} AS m, 'nan'::DOUBLE AS f, "
        "'infinity'::DATE AS d, INTERVAL 1 DAY AS span, '{}'::JSON AS j, '101'::BIT AS bits, uuid() AS u, "
        "9::HUGEINT AS big, union_value(k := i) AS tagged, NULL AS none, 'a'::ENUM ('a', 'b') AS mood"
    ),
    "spark": (
        "binary('a') AS b, array(i) AS list, struct(i) AS pair, map('a', i) AS m, double('nan') AS f, "
        "date'2020-01-01' AS d, timestamp'2020-01-01 00:00:00' AS t, interval 1 day AS span, "
        "cast(i AS decimal(38, 10)) AS big, cast(NULL AS string) AS none"
    ),
}  # fmt: skip
ROWS = {
    "postgres": "generate_series(1, 90) AS s(i)",
    "duckdb": "range(90) AS s(i)",
    "spark": "range(90) AS s(i)",
}


def test_values_of_every_type_are_profiled(place):
    kind = "TEMP VIEW" if place.name == "spark" else "TABLE"
    columns = f"i AS id, CAST(i % 3 AS VARCHAR(9)) AS ward, {ODD[place.name]}"
    place.execute(f"CREATE {kind} odd_of_init AS SELECT {columns} FROM {ROWS[place.name]}")
    try:
        policy = yaml.safe_load(first_policy("odd_of_init", connection=place.connection))
        policy.pop("release")
        assert [name for name, each in policy["columns"].items() if each["role"] == "quasi"]
        kanon_sql.lint(policy, connection=place.connection)
    finally:
        place.execute(f"DROP {'VIEW' if place.name == 'spark' else 'TABLE'} odd_of_init")


def test_the_command_line_leads_from_a_server_to_a_release_of_people(
    postgres, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    postgres.put("visits", VISITS)
    for words in (
        ("init", "visits", "--database", postgres.address, "--try", "--no-rows"),
        ("lint", "policy.yml"),
        ("anonymize", "policy.yml"),
    ):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
    policy = yaml.safe_load(Path("policy.yml").read_text(encoding="utf-8"))
    quasi = [name for name, each in policy["columns"].items() if each["role"] == "quasi"]
    names = postgres.names("visits_release")
    assert "patient_id" not in names
    classes = Counter(
        tuple(row[names.index(name)] for name in quasi) for row in postgres.read("visits_release")
    )
    # Every person has three visits, with the same quasi-identifiers in each.
    # Here the age follows from the day of birth; a ZIP code has no order by which it could follow.
    assert quasi == ["sex", "birth_date", "zip"]
    assert all(rows >= 3 * policy["privacy"][0]["k"] for rows in classes.values())
    postgres.drop("visits_release")
    postgres.drop("visits")


def test_a_hospital_on_a_server_leads_to_the_classes_of_a_file(postgres, tmp_path, monkeypatch):
    """Of 1,200 people: the same three answers, and the people of each class counted by their visits."""
    monkeypatch.chdir(tmp_path)
    hospital.generate(1200, tmp_path / "hospital.duckdb")
    with duckdb.connect("hospital.duckdb", read_only=True) as connection:
        visits = connection.table("visits").to_arrow_table()
    persons = dict(zip(*(visits[name].to_pylist() for name in ("visit_id", "mrn")), strict=True))
    postgres.put("visits", visits)
    quasi = list(hospital.QUASI)
    found = []
    for source, release in (
        (("visits", "--database", postgres.address), "visits_counted"),
        (("hospital.duckdb",), "counted.parquet"),
    ):
        done = CliRunner().invoke(main, ["init", *source, *hospital.ANSWERS, "--replace"])
        assert done.exit_code == 0, done.output
        hospital.with_visits(Path("policy.yml"), Path("of.yml"), release)
        done = CliRunner().invoke(main, ["anonymize", "of.yml", "--replace"])
        assert done.exit_code == 0, done.output
        if release.endswith(".parquet"):
            rows = duckdb.read_parquet(release).select("visit_id", *quasi).fetchall()
        else:
            names = postgres.names(release)
            at = [names.index(name) for name in ("visit_id", *quasi)]
            rows = [[row[each] for each in at] for row in postgres.read(release)]
        classes = defaultdict(set)
        for visit, *labels in rows:
            classes[tuple(map(str, labels))].add(persons[visit])
        found.append(Counter(map(len, classes.values())))
    assert min(found[0]) >= 11
    assert found[0] == found[1]
    postgres.drop("visits_counted")
    postgres.drop("visits")
