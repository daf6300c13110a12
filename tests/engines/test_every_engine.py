"""What holds on every engine: the same plan for the same table, and the same release."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import hmac
from collections import Counter
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from oracle import SEARCHES, problems

import kanon_sql

ROOT = Path(__file__).parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult"
KEY = "a key of thirty-two bytes, or so"
DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2000, 2, 29), dt.date(2021, 1, 3), None]


def people(count=240):
    """Every kind of column that the engines share, with NULLs and awkward values."""
    texts = ["a'b", 'c"d', "naïve 😀", "x;y", "${x}", "%s \\n", "", None]
    return pa.table(
        {
            "who": pa.array([i // 2 for i in range(count)], pa.int64()),
            "na me": pa.array([f"Ünï {i} ${{y}} \\ '" for i in range(count)]),
            "zip": pa.array([f"0{2100 + i * i % 7 * 10 + i % 3}" for i in range(count)]),
            "age": pa.array([None if i % 40 == 7 else 20 + i * i % 50 for i in range(count)], pa.int64()),
            "height": pa.array([Decimal(150 + i % 9 * 5) + Decimal("0.25") for i in range(count)],
                               pa.decimal128(6, 2)),
            "born": pa.array([DAYS[i % 5] for i in range(count)], pa.date32()),
            "group": pa.array([texts[i % 8] for i in range(count)]),
            "member": pa.array([i % 2 == 0 for i in range(count)], pa.bool_()),
            "disease": pa.array([None if i % 11 == 0 else f"d{i % 7}" for i in range(count)]),
        }
    )  # fmt: skip


def policy_of_people(**changes):
    columns = {
        "who": {"role": "insensitive"},
        "na me": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "age": {
            "role": "quasi",
            "hierarchy": {"intervals": {"widths": [5, 10, 40], "top": 60}},
            "output": "bounds",
        },
        "height": {"role": "quasi", "hierarchy": {"intervals": [2.5, 10]}},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year", "decade", "century"]}},
        "group": {"role": "quasi", "hierarchy": "suppress"},
        "member": {"role": "quasi", "hierarchy": {"tree": {"*": ["true", "false"]}}},
        "disease": {"role": "sensitive"},
    }
    return {
        "version": 1,
        "source": "people_of_the_test",
        "entity": "who",
        "columns": columns,
        "privacy": [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}],
        "suppression": "10%",
        **changes,
    }


def small_policy(**changes):
    """Two quasi-identifiers: for what does not need every kind."""
    policy = policy_of_people()
    kept = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "member": {"role": "quasi", "hierarchy": "suppress"},
        "disease": {"role": "sensitive"},
    }
    columns = {name: kept.get(name, {"role": "insensitive"}) for name in policy["columns"]}
    return {**policy, "columns": columns, **changes}


def comparable(plan):
    """A plan's document without its SQL, which is each engine's own."""
    return {key: value for key, value in plan.document().items() if key != "sql"}


def shown(rows):
    """Rows as they read: a database's own types of number do not matter."""
    return Counter(tuple(None if v is None else str(v) for v in row) for row in rows)


def in_bytes(plan):
    return plan.to_yaml().partition("\nsql:")[0]


@pytest.fixture
def with_key(monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", KEY)


@pytest.fixture(scope="module")
def reference(places, tmp_path_factory):
    """What DuckDB makes of the people: the plan and the rows of the release."""
    patch = pytest.MonkeyPatch()
    patch.setenv("KANON_TEST_KEY", KEY)
    own = places("duckdb")
    own.put("people_of_the_test", people())
    policy = policy_of_people()
    plan = kanon_sql.plan(policy, connection=own.connection)
    kanon_sql.apply(plan, policy=policy, connection=own.connection, release="people_k3")
    found = plan, own.read("people_k3"), own.names("people_k3")
    own.drop("people_k3")
    patch.undo()
    return found


@pytest.fixture
def put(place):
    """Put the people where a test looks for them, and leave nothing behind."""
    before = place.left()
    place.put("people_of_the_test", people())
    held = place.left()
    yield held
    place.drop("people_k3")
    assert place.left() in (held, before)


def test_the_same_plan_and_the_same_release(place, put, with_key, reference):
    plan, rows, names = reference
    policy = policy_of_people()
    own = kanon_sql.plan(policy, connection=place.connection)
    assert in_bytes(own) == in_bytes(plan)
    made = kanon_sql.apply(own, policy=policy, connection=place.connection, release="people_k3")
    assert shown(place.read("people_k3")) == shown(rows)
    assert place.names("people_k3") == names
    assert made.verification.passed
    quasi = ["zip", "age_low", "age_high", "height", "born", "group", "member"]
    found = kanon_sql.verify(
        "people_k3", qi=quasi, k=3, entity="who", distinct_l={"disease": 2},
        connection=place.connection,
    )  # fmt: skip
    assert found == made.verification
    pseudonyms = {row[1] for row in place.read("people_k3")}
    wanted = {
        hmac.new(KEY.encode(), name.encode(), hashlib.sha256).hexdigest()
        for name in people()["na me"].to_pylist()
    }
    assert pseudonyms <= wanted


def test_a_plan_made_elsewhere_is_carried_out(server, with_key, reference):
    """Node, figures and hashes are the same everywhere, so a plan from Python may move."""
    plan, rows, _ = reference
    server.put("people_of_the_test", people())
    policy = policy_of_people()
    kanon_sql.apply(plan, policy=policy, connection=server.connection, release="people_k3")
    assert shown(server.read("people_k3")) == shown(rows)
    server.drop("people_k3")


def test_the_raw_table_fails_its_recount(place, put):
    raw = kanon_sql.verify(
        "people_of_the_test", qi=["zip", "age"], k=3, connection=place.connection
    )
    assert not raw.passed
    assert raw.rows == 240


def test_rows_that_change_after_the_plan_are_noticed(place, put):
    policy = small_policy()
    plan = kanon_sql.plan(policy, connection=place.connection)
    place.put("people_of_the_test", people(241).slice(1))
    with pytest.raises(kanon_sql.StalePlanError, match="changed since the plan was made"):
        kanon_sql.apply(plan, policy=policy, connection=place.connection, release="people_k3")


def test_a_release_that_is_there_is_replaced_only_when_told(place, put):
    arguments = {"connection": place.connection, "release": "people_k3"}
    kanon_sql.anonymize(small_policy(), **arguments)
    first = shown(place.read("people_k3"))
    with pytest.raises(kanon_sql.ReleaseError, match="already"):
        kanon_sql.anonymize(small_policy(), **arguments)
    kanon_sql.anonymize(small_policy(), replace=True, **arguments)
    assert shown(place.read("people_k3")) == first
    with pytest.raises(kanon_sql.ReleaseError, match="never written to"):
        kanon_sql.anonymize(
            small_policy(),
            replace=True,
            connection=place.connection,
            release="people_of_the_test",
        )


@pytest.mark.parametrize(
    ("changes", "error", "told"),
    [
        ({"source": "nowhere at all"}, kanon_sql.SourceError, "no such table"),
        ({"source": {"query": "SELECT 1 AS a, FROM"}}, kanon_sql.SourceError, "query"),
        ({"privacy": {"k": 500}}, kanon_sql.InfeasibleError, "at most 120"),
        ({"nulls": "refuse"}, kanon_sql.HierarchyError, "NULL"),
    ],
    ids=["missing", "query", "infeasible", "nulls"],
)
def test_what_cannot_be_done_is_said(place, put, changes, error, told):
    with pytest.raises(error, match=told):
        kanon_sql.anonymize(
            small_policy(**changes), connection=place.connection, release="people_k3"
        )
    assert place.left() == put


def test_a_statement_that_fails_leaves_nothing(place, put, monkeypatch):
    """An error in the middle of a run, after scratch tables were made."""
    import kanon_sql.flow.anonymize as flow

    def broken(*_args, **_kwargs):
        raise kanon_sql.KanonError("stopped by the test")

    monkeypatch.setattr(flow, "stage", broken)
    with pytest.raises(kanon_sql.KanonError, match="stopped"):
        kanon_sql.anonymize(small_policy(), connection=place.connection, release="people_k3")
    assert place.left() == put


def test_what_comes_to_python_does_not_grow_with_the_rows(place, put):
    fetched = []
    for count in (240, 2400):
        place.put("people_of_the_test", people(count))
        plan = kanon_sql.plan(small_policy(), connection=place.connection)
        fetched.append(plan.run["rows_fetched"] - plan.checks)
    assert fetched[1] <= 2 * fetched[0]


def test_the_embedded_sample(server):
    folder = files("kanon_sql") / "sample"
    with (folder / "people.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    frame = pa.table({name: [row[at] or None for row in rows] for at, name in enumerate(names)})
    plan = kanon_sql.plan(str(folder / "people.yml"))
    server.put("sample", frame)
    own = kanon_sql.plan(str(folder / "people.yml"), "sample", connection=server.connection)
    first, second = comparable(plan), comparable(own)
    assert second["policy"].pop("overrides") == {"source": "sample"}
    first["policy"].pop("overrides")
    assert first == second


HOSTILE = ['a"b', "it's", "x; DROP TABLE t; --", "ключ😀", "a.b", "select", "${x}", "back`tick"]


def renamed(policy, frame, names):
    """The same problem with other names."""
    told = dict(zip(frame.column_names, names, strict=False))
    columns = {told.get(name, name): entry for name, entry in policy["columns"].items()}
    changed = {**policy, "columns": columns}
    if policy["entity"] != "row":
        changed["entity"] = told.get(policy["entity"], policy["entity"])
    changed["privacy"] = [
        {"distinct_l": {**m["distinct_l"], "column": told.get("s", "s")}}
        if "distinct_l" in m
        else m
        for m in policy["privacy"]
    ]
    return changed, frame.rename_columns([told.get(n, n) for n in frame.column_names])


def compare(given_places, policy, frame):
    told = []
    for each in given_places:
        each.put("given", frame)
        try:
            plan = kanon_sql.plan(policy, connection=each.connection)
            kanon_sql.apply(plan, policy=policy, connection=each.connection, release="out")
            told.append((in_bytes(plan), shown(each.read("out"))))
        except kanon_sql.InfeasibleError as error:
            told.append((str(error), None))
        finally:
            each.drop("out")
    assert told[0] == told[1]


searches = st.sampled_from(SEARCHES)
orders = st.permutations(HOSTILE)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@settings(max_examples=30, suppress_health_check=QUIET)
@given(problem=problems(), search=searches, names=orders)
def test_random_tables_on_postgres(places, writer, problem, search, names):
    policy = writer.policy(problem, search, kinds=("query", "csv", "tree"))
    compare(map(places, ("duckdb", "postgres")), *renamed(policy, writer.frame(problem), names))


@settings(max_examples=4, suppress_health_check=QUIET, phases=[Phase.explicit, Phase.generate])
@given(problem=problems(most_rows=25), search=searches, names=orders)
def test_random_tables_on_spark(places, writer, problem, search, names):
    assume(all(None not in tree for tree in problem.hierarchies))  # a query quotes otherwise there
    kinds = ["tree" if "" in tree else "csv" for tree in problem.hierarchies]
    policy = writer.policy(problem, search, kinds=kinds)
    compare(map(places, ("duckdb", "spark")), *renamed(policy, writer.frame(problem), names))


@pytest.mark.parametrize("suppression", ["0%", "4%"])
def test_adult(server, suppression):
    if not ADULT.is_dir():
        pytest.skip("the Adult files are not beside the repository")
    with (ADULT / "adult.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file, delimiter=";")
    columns = {
        name: {"role": "quasi", "hierarchy": {"csv": str(ADULT / f"hierarchy_{name}.csv")}}
        for name in names
    }
    policy = {"version": 1, "source": str(ADULT / "adult.csv"), "entity": "row", "columns": columns,
              "privacy": {"k": 5}, "suppression": suppression}  # fmt: skip
    plan = kanon_sql.plan(policy)
    server.put("adult", pa.table({n: [row[i] for row in rows] for i, n in enumerate(names)}))
    own = kanon_sql.plan({**policy, "source": "adult"}, connection=server.connection)
    assert in_bytes(own) == in_bytes(plan)


# ---- Spark: in this file, so that one process of a test run starts the one session it needs ----

TABLE = pa.table(
    {"sex": ["f", "m"] * 12, "place": ["a", "b", "c"] * 8, "n": [str(i) for i in range(24)]}
)
POLICY = {
    "version": 1,
    "entity": "row",
    "columns": {
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "place": {"role": "quasi", "hierarchy": "suppress"},
        "n": {"role": "insensitive"},
    },
    "privacy": {"k": 4},
}


@pytest.fixture
def spark(places):
    return places("spark").connection


@pytest.mark.parametrize("name", ["people.parquet", "people.csv", "people.json", "folder"])
def test_files_and_folders_are_read(spark, tmp_path, name):
    ways = {"parquet": "FORMAT PARQUET", "csv": "FORMAT CSV", "json": "FORMAT JSON"}
    way = ways.get(name.rpartition(".")[2], "FORMAT PARQUET, PARTITION_BY (place)")
    with duckdb.connect() as connection:
        connection.register("people", TABLE)
        connection.execute(f"COPY (SELECT * FROM people) TO '{tmp_path / name}' ({way})")
    with kanon_sql.anonymize(POLICY, str(tmp_path / name), connection=spark) as release:
        assert release.verification.passed
        assert release.relation.count() == 24
        assert set(release.relation.columns) == {"sex", "place", "n"}


def test_a_data_frame_is_read(spark):
    frame = spark.createDataFrame(
        list(zip(*(column.to_pylist() for column in TABLE.columns), strict=True)),
        "sex STRING, place STRING, n STRING",
    )
    with kanon_sql.anonymize(POLICY, frame, connection=spark) as release:
        assert release.relation.count() == 24


def test_settings_of_the_session_are_put_back(spark):
    odd = {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.session.timeZone": "Asia/Tokyo",
    }
    before = {key: spark.conf.get(key) for key in odd}
    for key, value in odd.items():
        spark.conf.set(key, value)
    try:
        with pytest.raises(kanon_sql.SourceError):
            kanon_sql.plan({**POLICY, "source": "nowhere"}, connection=spark)
        assert {key: spark.conf.get(key) for key in odd} == odd
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)


IN_PLACE = {
    **POLICY,
    "source": "placed",
    "columns": {
        **POLICY["columns"],
        "name": {"role": "identifying", "action": "drop"},
        "day": {"role": "insensitive"},
    },
    "release": {"in_place": True, "keep_original": "placed_raw"},
}
DROPPED = {**IN_PLACE, "release": {"in_place": True, "drop_original": True}}


@pytest.fixture
def placed(spark):
    """A partitioned table of Spark with comments and properties, and a view of it."""
    spark.sql(
        "CREATE TABLE placed (name STRING, sex STRING COMMENT 'it''s', place STRING, n STRING, day INT) "
        "USING parquet PARTITIONED BY (day) COMMENT 'of people' TBLPROPERTIES ('team' = 'a b')"
    )
    spark.sql(
        "INSERT INTO placed SELECT 'canary', IF(id % 2 = 0, 'f', 'm'), 'a', STRING(id), id % 3 FROM RANGE(24)"
    )
    spark.sql("CREATE VIEW seen AS SELECT n FROM placed")
    yield spark
    spark.sql("DROP VIEW seen")
    for table in spark.catalog.listTables():
        if table.name.startswith("placed"):
            spark.sql(f"DROP TABLE {table.name}")


def tables_of(spark):
    return {table.name for table in spark.catalog.listTables()} - {"seen"}


def rows_of(spark, table):
    return Counter(tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect())


def test_a_table_of_spark_is_released_in_place(placed):
    raw, before = rows_of(placed, "placed"), tables_of(placed)
    kanon_sql.anonymize(IN_PLACE, connection=placed)
    released = rows_of(placed, "placed")
    assert sum(released.values()) == 24
    assert placed.table("placed").columns == ["sex", "place", "n", "day"]
    assert {row[2] for row in released} == {row[0] for row in rows_of(placed, "seen")}
    assert rows_of(placed, "placed_raw") == raw
    assert tables_of(placed) == before | {"placed_raw"}
    assert kanon_sql.verify("placed", qi=["sex", "place"], k=4, connection=placed).passed
    told = {row[0]: row for row in placed.sql("DESCRIBE TABLE EXTENDED placed").collect()}
    assert (told["Comment"][1], told["sex"][2]) == ("of people", "it's")
    assert "# Partition Information" in told
    assert ("team", "a b") in map(tuple, placed.sql("SHOW TBLPROPERTIES placed").collect())
    with pytest.raises(kanon_sql.ReleaseError, match="seems to be in place already"):
        kanon_sql.anonymize(DROPPED, connection=placed)


@pytest.mark.parametrize("step", [2, 4, 5, 6])
def test_a_run_on_spark_that_dies_while_it_renames_is_put_right(placed, monkeypatch, step):
    """Whatever statement is the last, the raw rows are there, and the next run finds them."""
    from kanon_sql.engine import spark_swap
    from kanon_sql.engine.spark import Spark

    said, left = Spark.say, [step]

    def dying(self, statement, params=()):
        if statement.template in {"make_beside", "fill", "uncache", "rename_table", "purge_table"}:
            left[0] -= 1
            if left[0] == 0:
                raise SystemExit
        said(self, statement, params)

    raw, before = rows_of(placed, "placed"), tables_of(placed)
    with monkeypatch.context() as patched:
        patched.setattr(Spark, "say", dying)
        patched.setattr(spark_swap, "restore", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(SystemExit):
            kanon_sql.anonymize(DROPPED, connection=placed)
    if step == 6:  # the release stands, and the original is still to be dropped
        assert tables_of(placed) == before | {"placed__kanon_original"}
        assert rows_of(placed, "placed__kanon_original") == raw
        columns = {n: c for n, c in DROPPED["columns"].items() if n != "name"}
        again = {**DROPPED, "columns": columns}
        with pytest.raises(
            kanon_sql.ReleaseError, match="placed__kanon_original: holds the raw rows"
        ):
            kanon_sql.anonymize(again, connection=placed)
        return
    whole = "placed" if placed.catalog.tableExists("placed") else "placed__kanon_original"
    assert rows_of(placed, whole) == raw
    kanon_sql.anonymize(DROPPED, connection=placed)
    assert tables_of(placed) == before
    assert sum(rows_of(placed, "placed").values()) == 24


def test_a_name_that_spark_cannot_give_leaves_the_raw_table(placed):
    raw, before = rows_of(placed, "placed"), tables_of(placed)
    nowhere = {**IN_PLACE, "release": {"in_place": True, "keep_original": "nowhere.kept"}}
    with pytest.raises(kanon_sql.ReleaseError, match="nothing was published"):
        kanon_sql.anonymize(nowhere, connection=placed)
    assert (rows_of(placed, "placed"), tables_of(placed)) == (raw, before)


def test_other_tables_of_spark_are_not_released_in_place(placed, tmp_path):
    placed.sql(f"CREATE TABLE placed_csv USING csv LOCATION '{tmp_path}' AS SELECT * FROM placed")
    for source, told in (
        ("placed_csv", "managed tables of orc and parquet"),
        ("seen", "plain table"),
    ):
        columns = IN_PLACE["columns"] if source != "seen" else {"n": POLICY["columns"]["sex"]}
        given = {**DROPPED, "source": source, "columns": columns}
        with pytest.raises(kanon_sql.ReleaseError, match=told):
            kanon_sql.anonymize(given, connection=placed)
