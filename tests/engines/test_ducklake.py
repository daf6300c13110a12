"""DuckLake alone: connections of a user's own, other tables of the catalog, other databases for it, hostile names."""

from __future__ import annotations

import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import duckdb
import pytest
from lake_formats import DuckLake, with_extension

import kanon_sql
from tests.engines.conftest import postgres_address

K = 5
COLUMNS = {
    "name": {"role": "identifying", "action": "drop"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "disease": {"role": "sensitive"},
}
IN_PLACE = {"in_place": True, "drop_original": True}
PEOPLE = """
    SELECT 'RAWNAME' || n AS name, 20 + n % 40 AS age, CAST(10000 + n % 7 AS VARCHAR) AS zip,
      ['flu', 'cold', 'mumps'][1 + n % 3] AS disease
    FROM range(600) AS t(n)
"""
SMALLEST = "SELECT SUM(n), MIN(n) FROM (SELECT COUNT(*) AS n FROM {} GROUP BY age, zip)"


def policy(source, release=None, **more):
    given = {"version": 1, "source": source, "entity": "row", "columns": COLUMNS,
             "privacy": {"k": K}, "suppression": "5%", **more}  # fmt: skip
    return given if release is None else {**given, "release": release}


def named(table, catalog="lake.ducklake", **more):
    return {"ducklake": catalog, "table": table, **more}


@pytest.fixture
def lake(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = DuckLake(tmp_path)
    made.run(f"CREATE TABLE people AS {PEOPLE}")
    return made


@pytest.fixture
def own(lake):
    """A connection of a user's own that has attached the catalog."""
    with lake.open() as connection:
        connection.execute("USE memory")
        yield connection


def test_a_connection_that_has_attached_the_catalog_reads_and_releases_tables(own):
    made = kanon_sql.anonymize(
        policy({"table": "lake.main.people"}, {"table": "lake.main.released"}, database="-"),
        connection=own,
    )
    count, smallest = own.execute(SMALLEST.format("lake.released")).fetchone()
    assert (count, smallest) == (made.verification.rows, made.verification.smallest_class)
    assert smallest >= K
    assert "ducklake" not in str(made.plan.source_fingerprint)


@pytest.mark.parametrize("catalog", ["lake", "lake.ducklake"])
def test_a_catalog_that_is_attached_is_found_by_its_name_and_by_its_path(own, catalog):
    own.execute("DELETE FROM lake.people WHERE age < 25")
    given = policy(named("people", catalog), named("released", catalog))
    made = kanon_sql.anonymize(given, connection=own, keep_plan=True)
    assert made.plan.source_fingerprint.endswith(" snapshot 2")
    count, smallest = own.execute(SMALLEST.format("lake.released")).fetchone()
    assert (count, smallest) == (made.verification.rows, made.verification.smallest_class)
    there = own.execute("SELECT database_name FROM duckdb_databases() WHERE type = 'ducklake'")
    assert there.fetchall() == [("lake",)]  # and it is as attached as before


def test_a_connection_is_left_without_the_catalog_that_a_run_attached(lake):
    with with_extension("ducklake") as own:
        made = kanon_sql.anonymize(policy(named("people"), named("released")), connection=own)
        there = own.execute("SELECT COUNT(*) FROM duckdb_databases() WHERE type = 'ducklake'")
        assert there.fetchone() == (0,)
    assert lake.rows("released").num_rows == made.verification.rows


def test_a_commit_to_another_table_makes_no_plan_stale(lake):
    given = policy(named("people"), named("released"))
    plan = kanon_sql.plan(given)
    lake.run("CREATE TABLE other AS SELECT 1 AS x", "INSERT INTO other VALUES (2)")
    kanon_sql.apply(plan, policy=given)
    kanon_sql.apply(plan, policy=given, replace=True)  # nor does the release beside it
    lake.run("INSERT INTO people SELECT * FROM people LIMIT 1")
    with pytest.raises(kanon_sql.StalePlanError, match="another version than the plan"):
        kanon_sql.apply(plan, policy=given, replace=True)


def test_after_snapshots_expired_no_older_version_is_taken_for_the_newest(lake):
    """What a snapshot has changed that is expired is not known any more; the plan is stale then."""
    given = policy(named("people"), named("released"))
    plan = kanon_sql.plan(given)
    lake.run(
        "DELETE FROM people WHERE name = 'RAWNAME0'",
        "INSERT INTO people VALUES ('RAWNAME600', 20, '10000', 'flu')",
        "CREATE TABLE other AS SELECT 1 AS x",
        "CALL ducklake_expire_snapshots('lake', versions => [2, 3])",
    )
    with pytest.raises(kanon_sql.StalePlanError, match="another version than the plan"):
        kanon_sql.apply(plan, policy=given)
    made = kanon_sql.anonymize(given, keep_plan=True)
    assert made.plan.source_fingerprint.endswith(" snapshot 4")


def test_the_rows_that_a_run_began_with_are_read_to_its_end(own, monkeypatch):
    """Another cursor commits between the plan and the release: deletes, inserts, and a column."""
    from kanon_sql.apps.python import anonymize

    plain = anonymize.make_plan

    def then_others_commit(*args, **kwargs):
        planned = plain(*args, **kwargs)
        with own.cursor() as other:
            other.execute("DELETE FROM lake.people WHERE age < 40")
            other.execute("INSERT INTO lake.people SELECT * FROM lake.people")
            other.execute("ALTER TABLE lake.people ADD COLUMN ward VARCHAR")
        return planned

    monkeypatch.setattr(anonymize, "make_plan", then_others_commit)
    made = kanon_sql.anonymize(policy(named("people"), named("released")), connection=own)
    assert own.execute(SMALLEST.format("lake.released")).fetchone()[0] == made.verification.rows
    assert made.plan.source_rows == 600


@pytest.mark.parametrize("found_first", [False, True])
def test_a_commit_before_that_of_a_release_in_place_ends_it(own, monkeypatch, found_first):
    """Another cursor commits before the release looks at the table, or just after that."""
    from kanon_sql.engines.lakes import ducklake
    from kanon_sql.release import publish_lake

    publish, find = publish_lake.DuckLakePublisher.commit, ducklake._find

    def commit():
        with own.cursor() as other:
            other.execute("INSERT INTO lake.people VALUES ('RAWNAME600', 20, '10000', 'flu')")

    def then_somebody_else(*args):
        found = find(*args)
        commit()
        return found

    def first_somebody_else(*args):
        if found_first:
            monkeypatch.setattr(ducklake, "_find", then_somebody_else)
        else:
            commit()
        return publish(*args)

    monkeypatch.setattr(publish_lake.DuckLakePublisher, "commit", first_somebody_else)
    with pytest.raises(kanon_sql.ReleaseError, match="changed by somebody else meanwhile"):
        kanon_sql.anonymize(policy(named("people"), IN_PLACE), connection=own)
    assert own.execute("SELECT COUNT(DISTINCT name) FROM lake.people").fetchone() == (601,)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO lake.people VALUES ('RAWNAME600', 20, '10000', 'flu')", "between two steps"),
        ("DROP TABLE lake.people", "somebody else meanwhile"),
    ],
)
def test_a_commit_within_that_of_a_release_in_place_is_told(own, monkeypatch, statement, said):
    """DuckLake takes rows that are added to a table that is dropped for no conflict."""
    from kanon_sql.counting.run.session import Session

    def first_somebody_else(*args):
        with own.cursor() as other:
            other.execute(statement)

    monkeypatch.setattr(Session, "may_publish", first_somebody_else)
    with pytest.raises(kanon_sql.ReleaseError, match=said):
        kanon_sql.anonymize(policy(named("people"), IN_PLACE), connection=own)
    if said == "between two steps":
        names = [name for name, *_ in own.execute("DESCRIBE lake.people").fetchall()]
        assert names == ["age", "zip", "disease"]


def test_a_transaction_of_the_connection_takes_no_release(own):
    own.execute("BEGIN")
    with pytest.raises(kanon_sql.ReleaseError, match="has a transaction open"):
        kanon_sql.anonymize(policy(named("people"), named("released")), connection=own)
    own.execute("ROLLBACK")


def test_purge_is_refused_where_the_catalog_cannot_be_written_anew(own):
    with pytest.raises(kanon_sql.ReleaseError, match="attached by your connection"):
        kanon_sql.anonymize(policy(named("people"), IN_PLACE), connection=own, purge=True)
    source = named("people", "postgres:dbname=lake host=nowhere")
    with pytest.raises(kanon_sql.ReleaseError, match="VACUUM FULL"):
        kanon_sql.anonymize(policy(source, IN_PLACE), purge=True)
    assert own.execute("SELECT COUNT(DISTINCT name) FROM lake.people").fetchone() == (600,)


def test_purge_leaves_what_other_tables_have_and_older_snapshots_than_the_table(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    lake = DuckLake(tmp_path)
    lake.run(
        "CREATE TABLE other AS SELECT n AS x FROM range(1000) AS t(n)",
        "DELETE FROM other WHERE x < 500",
        f"CREATE TABLE people AS {PEOPLE}",
        "INSERT INTO people VALUES ('RAWNAME600', 20, '10000', 'flu')",  # within the catalog
        "INSERT INTO other VALUES (1000)",
    )
    orphan = lake.files()[0].with_name("ducklake-killed.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({PEOPLE}) TO '{orphan}'")
    before = lake.rows("other", 1).num_rows
    kanon_sql.anonymize(policy(named("people"), IN_PLACE), purge=True)
    assert not orphan.exists()
    assert b"RAWNAME" not in (tmp_path / "lake.ducklake").read_bytes()
    assert lake.rows("other").num_rows == 501
    assert lake.rows("other", 1).num_rows == before == 1000
    left = [
        each for (each,) in lake_values(lake, "SELECT snapshot_id FROM ducklake_snapshots('lake')")
    ]
    assert left == [0, 1, 2, 6]


def lake_values(lake, statement):
    with lake.open() as connection:
        return connection.execute(statement).fetchall()


def test_a_table_that_had_the_name_before_is_purged_too(lake):
    lake.run(f"CREATE OR REPLACE TABLE people AS {PEOPLE.replace('RAWNAME', 'OLDNAME')}")
    kanon_sql.anonymize(policy(named("people"), IN_PLACE), purge=True)
    assert lake_values(lake, "SELECT snapshot_id FROM ducklake_snapshots('lake')") == [(0,), (3,)]
    content = b"".join(each.read_bytes() for each in lake.files())
    assert b"RAWNAME" not in content
    assert b"OLDNAME" not in content


@pytest.mark.parametrize("layout", ["PARTITIONED BY (zip)", "SORTED BY (age)"])
def test_a_table_with_a_layout_is_not_replaced(lake, layout):
    if "SORTED" in layout and duckdb.__version__ < "1.5":
        pytest.skip("DuckLake 0.3 has no sort order")
    lake.run(f"ALTER TABLE people SET {layout}")
    with pytest.raises(kanon_sql.ReleaseError, match="release under a new name"):
        kanon_sql.anonymize(policy(named("people"), IN_PLACE))
    kanon_sql.anonymize(policy(named("people"), named("released")))


HOSTILE = 'we "ir;d#t'


def test_hostile_names_of_schemas_tables_and_catalogs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lake = DuckLake(tmp_path, catalog='it\'s a "lake".ducklake')
    quoted = HOSTILE.replace('"', '""')
    lake.run('CREATE SCHEMA "a.b"', f'CREATE TABLE "a.b"."{quoted}" AS {PEOPLE}')
    table = f'"a.b"."{quoted}"'
    given = policy(named(table, lake.catalog), named(f'"a.b"."{quoted} 5"', lake.catalog))
    made = kanon_sql.anonymize(given)
    with lake.open() as connection:
        found = connection.execute(SMALLEST.format(f'"a.b"."{quoted} 5"')).fetchone()
    assert found == (made.verification.rows, made.verification.smallest_class)
    assert made.to_arrow().num_rows == made.verification.rows
    kanon_sql.anonymize(policy(named(table, lake.catalog), IN_PLACE), purge=True)
    assert b"RAWNAME" not in (tmp_path / lake.catalog).read_bytes()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (named("nobody"), "no such table"),
        (named("people", "none.ducklake"), "no such catalog"),
        (named("people", "none"), "no DuckLake of that name is attached"),
        (named("a.b.c"), "TABLE or SCHEMA.TABLE"),
        (named("people", "people.yml"), "cannot be opened as a catalog"),
        ("ducklake:lake.ducklake", "names no table"),
        ({"ducklake": "lake.ducklake"}, "table"),
        (named("people", "postgres:dbname=x password=y"), "password"),
    ],
)
def test_what_is_no_table_of_a_catalog_is_told(lake, source, said):
    (lake.folder / "people.yml").write_text("version: 1")
    with pytest.raises(kanon_sql.KanonError, match=said):
        kanon_sql.plan(policy(source))
    assert not (lake.folder / "none.ducklake").exists()


def test_a_catalog_is_only_read_by_a_plan_and_by_a_release_elsewhere(lake):
    """Several readers may have it open: nothing is locked by them."""
    catalog = lake.folder / lake.catalog
    before = catalog.read_bytes()
    reader = "import duckdb, sys, kanon_sql; c = duckdb.connect(sys.argv[1], read_only=True); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", reader, str(catalog)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"open\n"
        made = kanon_sql.anonymize(policy(named("people"), {"parquet": "released.parquet"}))
        with pytest.raises(kanon_sql.KanonError, match="another process may have it open"):
            kanon_sql.anonymize(policy(named("people"), named("released")))
        other.communicate(b"\n")
    assert made.verification.smallest_class >= K
    assert catalog.read_bytes() == before


def test_a_catalog_in_sqlite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with with_extension("sqlite_scanner"):
        pass
    lake = DuckLake(tmp_path, catalog="sqlite:lake.sqlite", extension="sqlite_scanner")
    lake.run(f"CREATE TABLE people AS {PEOPLE}", "DELETE FROM people WHERE age < 25")
    source = named("people", "sqlite:lake.sqlite")
    made = kanon_sql.anonymize(policy(source, named("released", "sqlite:lake.sqlite")))
    with lake.open() as connection:
        found = connection.execute(SMALLEST.format("released")).fetchone()
    assert found == (made.verification.rows, made.verification.smallest_class)
    kanon_sql.anonymize(policy(source, IN_PLACE), purge=True)
    assert b"RAWNAME" not in (tmp_path / "lake.sqlite").read_bytes()
    assert lake.rows().column_names == ["age", "zip", "disease"]


@pytest.fixture
def on_server(tmp_path, monkeypatch):
    """A catalog in a database of a server, and a table of it with deleted rows."""
    with with_extension("postgres_scanner"):
        pass
    monkeypatch.chdir(tmp_path)
    with postgres_address(tmp_path) as address:
        host = parse_qs(urlsplit(address).query)["host"][0]
        lake = DuckLake(
            tmp_path,
            catalog=f"postgres:dbname=postgres user=postgres host={host}",
            extension="postgres_scanner",
        )
        lake.run(f"CREATE TABLE people AS {PEOPLE}", "DELETE FROM people WHERE age < 25")
        yield lake


def test_a_catalog_on_a_server(on_server):
    lake = on_server
    source = named("people", lake.catalog)
    given = policy(source, named("released", lake.catalog))
    plan = kanon_sql.plan(given)
    assert plan.source_rows == 525
    assert plan.source_fingerprint.endswith(" snapshot 2")
    older = kanon_sql.plan(policy(named("people", lake.catalog, snapshot=1)))
    assert older.source_rows == 600
    made = kanon_sql.apply(plan, policy=given)
    found = lake_values(lake, SMALLEST.format("released"))
    assert found == [(made.verification.rows, made.verification.smallest_class)]
    with pytest.raises(kanon_sql.ReleaseError, match="already exists"):
        kanon_sql.apply(plan, policy=given)
    kanon_sql.apply(plan, policy=given, replace=True)
    lake.run("INSERT INTO people SELECT * FROM people LIMIT 1")
    with pytest.raises(kanon_sql.StalePlanError, match="another version than the plan"):
        kanon_sql.apply(plan, policy=given, replace=True)


def test_in_place_of_a_catalog_on_a_server_which_purges_itself(on_server):
    lake = on_server
    given = policy(named("people", lake.catalog), IN_PLACE)
    with pytest.raises(kanon_sql.ReleaseError, match="VACUUM FULL"):
        kanon_sql.anonymize(given, purge=True)
    assert "name" in lake.rows().column_names
    made = kanon_sql.anonymize(given)
    assert lake.rows().column_names == ["age", "zip", "disease"]
    found = lake_values(lake, SMALLEST.format("people"))
    assert found == [(made.verification.rows, made.verification.smallest_class)]
    assert lake.rows(version=2).num_rows == 525
    (left,) = (each for each in made.warnings if "older snapshots" in each)
    assert "--purge cannot remove them" in left
    assert "VACUUM FULL" in left


def test_a_release_that_is_not_what_was_verified_is_undone(lake, monkeypatch):
    from kanon_sql.release import destination

    monkeypatch.setattr(destination, "is_what_was_staged", lambda *_: False)
    before = sorted(lake.files())
    with pytest.raises(kanon_sql.VerificationError):
        kanon_sql.anonymize(policy(named("people"), named("released")))
    with pytest.raises(kanon_sql.VerificationError):
        kanon_sql.anonymize(policy(named("people"), IN_PLACE))
    assert sorted(lake.files()) == before
    assert not lake.files("released")
    assert "name" in lake.rows().column_names


def test_a_population_of_a_lake(lake):
    lake.run(f"CREATE TABLE everybody AS {PEOPLE} UNION ALL {PEOPLE}")
    everybody = {"least": 0, "most": 0.9, "population": "ducklake:lake.ducklake#everybody"}
    privacy = {"k": K, "delta_presence": everybody}
    made = kanon_sql.anonymize(policy(named("people"), named("released"), privacy=privacy))
    assert made.verification.rows == lake.rows("released").num_rows


def test_where_duckdb_has_no_extension_the_message_says_what_to_install(tmp_path, monkeypatch):
    """On every DuckDB: the wheel is hidden, and nothing is downloaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kanon_sql.engines.duckdb.session._in_wheel", lambda *_: None)
    (tmp_path / "lake.ducklake").touch()
    with duckdb.connect(config={"extension_directory": str(tmp_path)}) as own:
        own.execute("SET autoinstall_known_extensions = false")
        own.execute("SET custom_extension_repository = ?", [str(tmp_path)])
        with pytest.raises(kanon_sql.SourceError) as caught:
            kanon_sql.plan(policy(named("people")), connection=own)
    assert f"duckdb-extension-ducklake=={duckdb.__version__}" in str(caught.value)
