"""What holds on every engine: the same plan for the same table, and the same release."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import hmac
import threading
import time
from collections import Counter
from contextlib import nullcontext
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
from kanon_sql import Destination, Format, Verification

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


def broken(*_args, **_kwargs):
    raise kanon_sql.KanonError("stopped by the test")


def test_a_statement_that_fails_leaves_nothing(place, put, monkeypatch):
    """An error in the middle of a run, after scratch tables were made."""
    import kanon_sql.flow.anonymize as flow

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


def beside(place):
    """Another connection to what a place holds, as a thread of its own needs one."""
    match place.name:
        case "duckdb":
            return place.connection.cursor()
        case "postgres":
            psycopg = pytest.importorskip("psycopg")
            return psycopg.connect(place.address, autocommit=True)
        case _:
            return nullcontext(place.connection)  # a session is shared by threads


def test_two_runs_at_once_do_what_each_does_alone(place, put):
    wanted = {}
    for k in (3, 9):
        kanon_sql.anonymize(
            small_policy(privacy={"k": k}), connection=place.connection, release="people_k3"
        )
        wanted[k] = shown(place.read("people_k3"))
        place.drop("people_k3")
    errors: list[BaseException] = []
    start = threading.Barrier(2)

    def run(k):
        try:
            with beside(place) as own:
                start.wait(timeout=60)
                for _ in range(2):
                    name = f"people_of_run_{k}"
                    policy = small_policy(privacy={"k": k})
                    kanon_sql.anonymize(policy, connection=own, release=name, replace=True)
        except BaseException as error:  # noqa: BLE001  told below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {k: shown(place.read(f"people_of_run_{k}")) for k in wanted if not errors}
    for k in wanted:
        place.drop(f"people_of_run_{k}")
    assert errors == []
    assert found == wanted
    assert place.left() == put


@pytest.mark.parametrize("form", ["table", "view"])
def test_rows_that_come_in_after_the_plan_are_noticed(place, form):
    place.put("small", TABLE)
    given = {**POLICY, "source": "small"}
    before = place.left()
    try:
        plan = kanon_sql.plan(given, connection=place.connection)
        place.say("INSERT INTO small VALUES ('f', 'a', 'later')")
        release = Destination(Format.TABLE, "people_k3", view=form == "view")
        with pytest.raises(kanon_sql.StalePlanError, match="24 rows then, 25 now"):
            kanon_sql.apply(plan, policy=given, connection=place.connection, release=release)
        assert place.left() == before
    finally:
        place.drop("small")


# ---- a release that is a view ----------------------------------------------------------------

VIEW = Destination(Format.TABLE, "people_k3", view=True)


@pytest.fixture
def viewed(place, put):
    """Take a view of the test away with its tables, so that a place is left as it was."""
    yield
    place.say("DROP VIEW IF EXISTS people_k3")
    for name in place.left():
        if name.startswith("people_k3__"):
            place.drop(name)


def without_keys(**changes):
    policy = policy_of_people(**changes)
    columns = {**policy["columns"], "na me": {"role": "identifying", "action": "null"}}
    return {**policy, "columns": columns}


@pytest.mark.parametrize("shows_who", [True, False])
def test_a_view_shows_what_a_table_would_hold(place, put, viewed, shows_who):
    policy = without_keys()
    if not shows_who:
        policy["columns"]["who"] = {"role": "identifying", "action": "drop"}
    own = {"connection": place.connection}
    table = kanon_sql.anonymize(policy, release="people_k3", **own)
    wanted, names = shown(place.read("people_k3")), place.names("people_k3")
    place.drop("people_k3")
    made = kanon_sql.anonymize(policy, release=VIEW, **own)
    assert shown(place.read("people_k3")) == wanted
    assert place.names("people_k3") == names
    assert made.verification == table.verification
    assert "appear at once" in made.summary()["warnings"][-1]
    marks = {name.split("__")[1][:14] for name in place.left() if "people_k3__" in name}
    kept = [name.rpartition("people_k3__")[2][15:] for name in place.left() if "k3__" in name]
    assert len(marks) == 1
    assert sorted(kept) == ["classes", *(f"map_{n}" for n in range(1, 7))]


def test_a_view_never_shows_a_row_that_nobody_looked_at(place, put, viewed):
    """A class that was too small stays out when it grows; what is known appears, as is said."""
    place.put("small", SMALL)
    given = {**POLICY, "source": "small", "suppression": "10%"}
    given["columns"] = {**POLICY["columns"], "place": {"role": "quasi", "hierarchy": "suppress"}}
    try:
        kanon_sql.anonymize(given, connection=place.connection, release=VIEW)
        rows = sorted(place.read("people_k3"))
        assert len(rows) == 24
        assert {row[1] for row in rows} == {"a", "b", "c"}
        for added in (
            ("f", "rare", "of a class that was suppressed"),
            ("f", "rare", "and again"),
            ("f", "rare", "and again"),
            ("f", "new", "a value that was not there"),
            (None, "a", "NULL was not there"),
            ("f", None, "NULL was not there"),
        ):
            cells = ("NULL" if cell is None else f"'{cell}'" for cell in added)
            place.say(f"INSERT INTO small VALUES ({', '.join(cells)})")
        assert sorted(place.read("people_k3")) == rows
        place.say("INSERT INTO small VALUES ('f', 'a', 'later')")
        assert sorted(place.read("people_k3")) == sorted([*rows, ("f", "a", "later")])
    finally:
        place.say("DROP VIEW IF EXISTS people_k3")
        for name in place.left():
            if name.startswith(("people_k3__", "small")):
                place.drop(name)


def test_a_view_is_replaced_with_its_tables(place, put, viewed):
    own = {"connection": place.connection, "release": VIEW}
    kanon_sql.anonymize(without_keys(), **own)
    first = set(place.left())
    with pytest.raises(kanon_sql.ReleaseError, match="such a view already"):
        kanon_sql.anonymize(small_policy(), **own)
    kanon_sql.anonymize(small_policy(), replace=True, **own)
    second = set(place.left())
    assert len(second) == len(put) + 4
    assert second & first == {*put, "people_k3"}
    with pytest.raises(kanon_sql.ReleaseError, match="is a view, which no table replaces"):
        kanon_sql.anonymize(
            small_policy(), connection=place.connection, release="people_k3", replace=True
        )
    assert kanon_sql.verify(
        "people_k3", qi=["age", "member"], k=3, entity="who", connection=place.connection
    ).passed


def test_a_view_that_fails_its_recount_leaves_nothing(place, put, viewed, monkeypatch):
    import kanon_sql.flow.view as flow

    own = {"connection": place.connection, "release": VIEW}
    with monkeypatch.context() as patch:
        patch.setattr(flow, "read_recount", lambda *_: Verification(False, 1, 1, 1, 1, {}))
        with pytest.raises(kanon_sql.VerificationError, match="the view shows 1 rows"):
            kanon_sql.anonymize(small_policy(), **own)
        assert place.left() == put
    kanon_sql.anonymize(small_policy(), **own)
    before, rows = place.left(), shown(place.read("people_k3"))
    with monkeypatch.context() as patch:
        patch.setattr(flow, "recount", broken)
        with pytest.raises(kanon_sql.KanonError, match="stopped"):
            kanon_sql.anonymize(small_policy(), replace=True, **own)
    assert place.left() == before
    assert shown(place.read("people_k3")) == rows


def test_what_cannot_be_a_view_is_said_when_planning(place, put, with_key):
    place.say("CREATE TEMPORARY VIEW brief AS SELECT * FROM people_of_the_test")
    view = {"table": "people_k3", "view": True}
    try:
        for changes, told in (
            ({"source": "brief"}, "the source is temporary"),
            ({"source": {"query": "SELECT * FROM people_of_the_test"}}, "over a table of the"),
            (policy_of_people(), "is hashed under a key"),
        ):
            with pytest.raises(kanon_sql.ReleaseError, match=told):
                kanon_sql.plan(small_policy(**changes, release=view), connection=place.connection)
    finally:
        place.say("DROP VIEW brief")
    kanon_sql.anonymize(small_policy(), connection=place.connection, release="people_k3")
    with pytest.raises(kanon_sql.ReleaseError, match="is a table, which no view replaces"):
        kanon_sql.anonymize(small_policy(release=view), connection=place.connection, replace=True)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])  # a catalog of Spark takes plain names
def test_a_view_of_any_name(places, engine):
    place = places(engine)
    before = place.left()
    source, name = 'pe"op.le; --', 'vi"ew.of ${x} ключ'
    frame = people().select(["age", "member", "disease"])
    place.put(source, frame.rename_columns(['a"ge', "select", "x; --"]))
    columns = {
        'a"ge': {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "select": {"role": "quasi", "hierarchy": "suppress"},
        "x; --": {"role": "sensitive"},
    }
    quoted = '"' + name.replace('"', '""') + '"'
    given = {"version": 1, "source": {"table": source}, "entity": "row", "columns": columns,
             "privacy": {"k": 3}, "suppression": "9%"}  # fmt: skip
    view = Destination(Format.TABLE, quoted, view=True)
    try:
        for replace in (False, True):
            kanon_sql.anonymize(given, connection=place.connection, release=view, replace=replace)
        assert len(place.read(name)) >= 218
        assert len(place.left()) == len(before) + 5
        assert kanon_sql.verify(
            quoted, qi=list(columns)[:2], k=3, connection=place.connection
        ).passed
    finally:
        place.say(f"DROP VIEW IF EXISTS {quoted}")
        for each in set(place.left()) - set(before):
            place.drop(each)


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
SMALL = pa.concat_tables([TABLE, pa.table({"sex": ["f"], "place": ["rare"], "n": ["24"]})])
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


def test_clean_takes_old_tables_that_no_view_reads(spark, places):
    """A killed run leaves tables here; a view's own are kept, whatever the view is called now."""
    place = places("spark")
    before = place.left()
    place.put("small", TABLE)
    view = Destination(Format.TABLE, "seen", view=True)
    kanon_sql.anonymize({**POLICY, "source": "small"}, connection=spark, release=view)
    spark.sql("ALTER VIEW seen RENAME TO seen_now")
    own = set(place.left()) - set(before)
    assert len(own) == 5
    now, then = f"{int(time.time()):08x}abcdef", "66666666abcdef"
    left = [f"_kanon_{then}_3_staged", f"seen__{then}_map_1", f"gone__{then}_classes"]
    others = [f"_kanon_{now}_3_staged", f"gone__{now}_map_1", "_kanon_notes", f"a__{then}_map"]
    try:
        for name in [*left, *others]:
            spark.sql(f"CREATE TABLE {name} USING parquet AS SELECT 1 AS a")
        for dry_run in (True, False):
            found = kanon_sql.clean(connection=spark, dry_run=dry_run)
            assert {each.place for each in found if each.removed} == set(left)
            assert {each.place for each in found} == {*left, *others[:2]}
        assert set(place.left()) - set(before) == {*own, *others}
        assert kanon_sql.clean(connection=spark, schema="default", older_than=0) != []
        assert set(place.left()) - set(before) == {*own, *others[2:]}
        assert len(place.read("seen_now")) == 24
    finally:
        spark.sql("DROP VIEW IF EXISTS seen_now")
        for name in set(place.left()) - set(before):
            place.drop(name)


def test_settings_of_a_session_stay_until_its_last_run_has_ended(spark):
    """Runs of several threads share one session, and end in any order."""
    key, own = "spark.sql.variable.substitute", spark.conf.get("spark.sql.variable.substitute")
    spark.conf.set(key, "true")
    frame = spark.createDataFrame([("f", "a", "1")] * 4, "sex STRING, place STRING, n STRING")
    try:
        first = kanon_sql.anonymize(POLICY, frame, connection=spark)
        with kanon_sql.anonymize(POLICY, frame, connection=spark):
            first.close()
            assert spark.conf.get(key) == "false"
        assert spark.conf.get(key) == "true"
    finally:
        spark.conf.set(key, own)


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
