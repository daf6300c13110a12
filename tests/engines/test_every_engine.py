"""What holds on every engine: the same plan for the same table, and the same release."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import hmac
import json
import re
import signal
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from contextlib import contextmanager, nullcontext
from importlib.resources import files
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from oracle import SEARCHES, problems
from people import people, policy_of_people, small_policy

import kanon_sql
from kanon_sql import Destination, Format, Verification
from kanon_sql.engine.scratch import scratch
from kanon_sql.sql import publishing

ROOT = Path(__file__).parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult"
KEY = "a key of thirty-two bytes, or so"


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


def several_sets():
    """Some of the people, whose classes must fit over three sets of quasi-identifiers at once."""
    group = {"role": "quasi", "hierarchy": "suppress"}
    policy = small_policy()
    return {
        **policy,
        "source": {
            "table": "people_of_the_test",
            "where": "(age < 62 OR age IS NULL) AND born > DATE '1969-12-31' AND NOT zip LIKE '0211_'",
        },
        "columns": {**policy["columns"], "group": group},
        "privacy": [
            {"k": 2},
            {"k": 12, "over": ["age"]},
            {"distinct_l": {"column": "disease", "l": 6}, "over": ["group", "member"]},
        ],
        "suppression": "45%",
        "search": {"metric": "loss"},
    }


def some_people():
    rows = people().to_pylist()
    keys = ("who", "age", "born", "zip", "group", "member", "disease")
    return [
        {key: row[key] for key in keys}
        for row in rows
        if (row["age"] is None or row["age"] < 62)
        and row["born"] is not None
        and row["born"] > dt.date(1969, 12, 31)
        and not re.fullmatch("0211.", row["zip"])
    ]


@pytest.fixture(scope="module")
def several(places):
    """What DuckDB makes of the policy with a condition and several sets."""
    own = places("duckdb")
    own.put("people_of_the_test", people())
    plan = kanon_sql.plan(several_sets(), connection=own.connection)
    kanon_sql.apply(plan, policy=several_sets(), connection=own.connection, release="people_k3")
    found = plan, own.read("people_k3")
    own.drop("people_k3")
    return found


def test_some_rows_and_several_sets(place, put, several):
    plan, rows = several
    own = kanon_sql.plan(several_sets(), connection=place.connection)
    assert in_bytes(own) == in_bytes(plan)
    assert own.source_rows == len(some_people())
    assert own.suppressed_rows
    made = kanon_sql.apply(
        own, policy=several_sets(), connection=place.connection, release="people_k3"
    )
    assert shown(place.read("people_k3")) == shown(rows)
    released = [dict(zip(place.names("people_k3"), row, strict=True)) for row in rows]
    ages, groups = defaultdict(set), defaultdict(set)
    for row in released:
        ages[row["age"]].add(row["who"])
        groups[row["group"], row["member"]].add(row["disease"])
    assert min(map(len, ages.values())) == made.verification.over["age",].smallest_class >= 12
    assert min(map(len, groups.values())) >= 6


def test_hostile_names_in_a_condition(place):
    mark, apostrophe = ("`", "\\'") if place.name == "spark" else ('"', "''")
    texts = ["it's", "x; --", "/* */", "${x}", 'c"d', "naïve 😀", "%s"]
    frame = pa.table({name: [*texts, *texts] for name in HOSTILE})
    place.put("given", frame)
    names = [mark + name.replace(mark, mark * 2) + mark for name in HOSTILE]
    said = ["'" + text.replace("'", apostrophe) + "'" for text in texts]
    some = " OR ".join(f"{n} = {t}" for n, t in zip(names, said, strict=False))
    columns = {name: {"role": "insensitive"} for name in HOSTILE}
    for name in HOSTILE[:2]:
        columns[name] = {"role": "quasi", "hierarchy": "suppress"}
    policy = {
        "version": 1,
        "source": {"table": "given", "where": f"({some}) AND NOT {names[-1]} = 'x; --'"},
        "entity": "row",
        "columns": columns,
        "privacy": [{"k": 2}, {"k": 4, "over": HOSTILE[1]}],
    }
    plan = kanon_sql.plan(policy, connection=place.connection)
    place.drop("given")
    assert plan.source_rows == 2 * (len(texts) - 1)


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
                for _ in range(1 if place.name == "spark" else 2):
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
    policy = without_keys() if place.name != "spark" else small_policy()  # there it takes a minute
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
    quasi = sum(column["role"] == "quasi" for column in policy["columns"].values())
    assert sorted(kept) == ["classes", *(f"map_{n}" for n in range(1, quasi + 1))]


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
    """With those that it reads and that we made: a table of the user's is never among them."""
    own = {"connection": place.connection, "release": VIEW}
    kanon_sql.anonymize(without_keys(), **own)
    users = "people_k3__20240131120000_classes"
    place.say(f"CREATE TABLE {users} AS SELECT 1 AS a")
    first = set(place.left())
    with pytest.raises(kanon_sql.ReleaseError, match="such a view already"):
        kanon_sql.anonymize(small_policy(), **own)
    kanon_sql.anonymize(small_policy(), replace=True, **own)
    second = set(place.left())
    assert len(second) == len(put) + 5
    assert second & first == {*put, "people_k3", users}
    with pytest.raises(kanon_sql.ReleaseError, match="is a view, which no table replaces"):
        kanon_sql.anonymize(
            small_policy(), connection=place.connection, release="people_k3", replace=True
        )
    assert kanon_sql.verify(
        "people_k3", qi=["age", "member"], k=3, entity="who", connection=place.connection
    ).passed


def test_a_source_that_is_a_view_stands_in_the_way_only_of_what_it_reads(place, put, viewed):
    """The rows of a condition are a view, which is named as the source: so a refusal says."""
    own = {"connection": place.connection, "release": VIEW}
    place.say("CREATE VIEW of_age AS WITH x AS (SELECT * FROM people_of_the_test) "
              "SELECT * FROM x WHERE UPPER(zip) IS NOT NULL AND age >= 18")  # fmt: skip
    try:
        given = small_policy(source="of_age")
        kanon_sql.anonymize(given, **own)
        kanon_sql.anonymize(given, replace=True, **own)
        rows = len(place.read("people_k3"))
        assert 0 < rows <= len(place.read("of_age"))
        place.say("CREATE VIEW again AS SELECT * FROM people_k3")
        place.say("CREATE VIEW round AS SELECT * FROM of_age WHERE age IN (SELECT 1 FROM again)")
        with pytest.raises(kanon_sql.ReleaseError, match="which may read this view"):
            kanon_sql.anonymize(small_policy(source="round"), replace=True, **own)
        assert len(place.read("people_k3")) == rows
    finally:
        for name in ("round", "again", "people_k3", "of_age"):
            place.say(f"DROP VIEW IF EXISTS {name}")


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
    changed["privacy"] = [dict(entry) for entry in policy["privacy"]]
    for entry in changed["privacy"]:
        if "distinct_l" in entry:
            entry["distinct_l"] = {**entry["distinct_l"], "column": told.get("s", "s")}
        if "over" in entry:
            entry["over"] = [told.get(name, name) for name in entry["over"]]
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
@given(problem=problems() | problems(several=True), search=searches, names=orders)
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


def test_clean_takes_what_was_made_for_views_that_are_gone(place):
    """A view's own are kept, whatever it is called now; so is what bears no proof that it is ours."""
    before = place.left()
    place.put("small", TABLE)
    view = Destination(Format.TABLE, "seen", view=True)
    given = {**POLICY, "source": "small"}
    kanon_sql.anonymize(given, connection=place.connection, release=view)
    place.say("ALTER VIEW seen RENAME TO seen_now")
    kept = set(place.left())
    kanon_sql.anonymize(given, connection=place.connection, release=view)
    place.say("DROP VIEW seen")
    left = set(place.left()) - kept
    assert len(left) == 3
    users = {"students__20240131120000_classes", "geo__20240131120000_map_1"}
    try:
        for name in users:
            place.say(f"CREATE TABLE {name} AS SELECT 1 AS a")
        assert [e.removed for e in kanon_sql.clean(connection=place.connection)] == [False] * 3
        schema = {"duckdb": "main", "postgres": "public", "spark": "default"}[place.name]
        for dry_run in (True, False):
            found = kanon_sql.clean(
                connection=place.connection, schema=schema, older_than=-1, dry_run=dry_run
            )
            assert {each.place.rpartition(".")[2] for each in found if each.removed} == left
        assert kanon_sql.clean(connection=place.connection, older_than=-1) == []
        if place.name == "spark":  # what a killed release in place left is only named
            place.say("CREATE TABLE lone__kanon_original AS SELECT 1 AS a")
            (found,) = kanon_sql.clean(connection=place.connection, older_than=-1)
            assert not found.removed
            assert "holds the raw rows of lone" in found.why
            users.add(found.place)
        assert set(place.left()) == kept | users
        assert len(place.read("seen_now")) == 24
    finally:
        place.say("DROP VIEW IF EXISTS seen_now")
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


ODD = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.caseSensitive": "true",
    "spark.sql.crossJoin.enabled": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.groupByAliases": "false",
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "true",
    "spark.sql.legacy.literal.pickMinimumPrecision": "false",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.orderByOrdinal": "false",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "true",
    "spark.sql.storeAssignmentPolicy": "LEGACY",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.variable.substitute": "true",
}
"""A session as far from what we need as it can be set."""


@contextmanager
def set_to(spark, settings):
    before = {key: spark.conf.get(key, None) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        yield
        assert {key: spark.conf.get(key) for key in settings} == settings, "put back by every run"
    finally:
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)


def test_settings_of_the_session_change_nothing(places, spark, with_key, reference):
    from kanon_sql.engine.spark import MEANING

    plan, rows, _ = reference
    assert MEANING.keys() <= ODD.keys()
    assert all(ODD[key] != value for key, value in MEANING.items())
    place, policy = places("spark"), policy_of_people()
    place.put("people_of_the_test", people())
    with set_to(spark, ODD):
        own = kanon_sql.plan(policy, connection=spark)
        assert in_bytes(own) == in_bytes(plan)
        kanon_sql.apply(own, policy=policy, connection=spark, release="people_k3")
    assert shown(place.read("people_k3")) == shown(rows)
    place.drop("people_k3")


def test_settings_of_the_session_are_put_back_after_an_error(spark):
    with set_to(spark, ODD), pytest.raises(kanon_sql.SourceError):
        kanon_sql.plan({**POLICY, "source": "nowhere"}, connection=spark)


def test_a_setting_that_cannot_be_changed_is_one_clear_error(spark, monkeypatch):
    """Some servers let no session change its settings."""
    fixed = {"spark.sql.warehouse.dir": "elsewhere", "spark.sql.catalogImplementation": "other"}
    monkeypatch.setattr(
        "kanon_sql.engine.spark.MEANING", {**fixed, "spark.sql.ansi.enabled": "true"}
    )
    with (
        set_to(spark, {"spark.sql.ansi.enabled": "false"}),
        pytest.raises(kanon_sql.SourceError, match="2 faults"),
    ):
        kanon_sql.plan({**POLICY, "source": "nowhere"}, connection=spark)


@pytest.fixture
def tables(spark):
    """The table in every shape that a catalog knows."""
    rows = zip(*(column.to_pylist() for column in TABLE.columns), strict=True)
    frame = spark.createDataFrame(list(rows), "sex STRING, place STRING, n STRING").coalesce(1)
    spark.sql("CREATE DATABASE other")
    frame.createOrReplaceTempView("`a view`")
    frame.createOrReplaceGlobalTempView("everywhere")
    frame.write.saveAsTable("other.people")
    frame.write.partitionBy("place").saveAsTable("in_parts")
    spark.sql("CREATE VIEW seen AS SELECT * FROM in_parts WHERE sex IS NOT NULL")
    yield
    spark.sql("DROP VIEW seen")
    spark.sql("DROP TABLE in_parts")
    spark.sql("DROP DATABASE other CASCADE")
    spark.catalog.dropGlobalTempView("everywhere")
    spark.sql("DROP VIEW `a view`")


def test_tables_and_views_of_every_kind_are_read(spark, tables):
    names = ["a view", "global_temp.everywhere", "seen", "in_parts", "default.in_parts",
             "other.people", "spark_catalog.other.people", 'spark_catalog."other".people']  # fmt: skip
    for name in names:
        found = kanon_sql.verify(name, qi=["sex", "place"], k=4, connection=spark)
        assert (found.passed, found.rows, found.classes) == (True, 24, 6), name


def test_scratch_tables_rest_on_no_other(spark):
    """However long the chain, the plan of the last is a scan of rows that were computed."""
    from kanon_sql.engine.spark import Spark

    engine = Spark(spark)
    with scratch(engine) as made:
        last = made.table("first")
        engine.load(last, ["value"], [("a",), ("b",)])
        for _ in range(20):
            finer, last = last, made.table("next")
            engine.say(publishing.keep(last, finer))
        plan = spark.table(last.name)._jdf.queryExecution().optimizedPlan().toString()
        assert plan.count("\n") == 1, "one node"
        assert "LogicalRDD" in plan


def test_a_batch_of_checks_is_one_count(places, spark, monkeypatch):
    from kanon_sql.engine.spark import Spark

    place, asked, ask = places("spark"), [], Spark.ask
    place.put("people_of_the_test", people())

    def noted(self, statement, params=()):
        ready = self.prepare(statement) if not hasattr(statement, "text") else statement
        asked.append(ready.step)
        spark.sparkContext.setJobGroup(f"{ready.step} {len(asked)}", "")
        return ask(self, ready, params)

    monkeypatch.setattr(Spark, "ask", noted)
    plan = kanon_sql.plan(small_policy(search={"algorithm": "exhaustive"}, entity="row", privacy={"k": 3}),
                          connection=spark)  # fmt: skip
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    tracker = spark.sparkContext.statusTracker()
    batches = [f"check {n}" for n, step in enumerate(asked, start=1) if step == "check"]
    jobs = [len(tracker.getJobIdsForGroup(batch)) for batch in batches]
    assert set(jobs) == {1}
    assert 0 < len(batches) < plan.checks


@pytest.mark.parametrize("kind", ["cluster", "connect"])
def test_a_spark_elsewhere(places, java, with_key, tmp_path, kind):
    """Two executors; a Connect server. The plan and the release are DuckDB's."""
    own, policy = places("duckdb"), small_policy()
    hashed = policy_of_people()["columns"]["na me"]
    tree = {"role": "quasi", "hierarchy": {"tree": {"*": ["true", "false"]}}}
    policy["columns"] = {**policy["columns"], "na me": hashed, "member": tree}
    if not (ROOT / "README.md").is_file():
        pytest.skip("no README beside the tests")
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## A Spark cluster")[2]
    program = text.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "release.py").write_text(program, encoding="utf-8")
    (tmp_path / "people.yml").write_text(json.dumps(policy), encoding="utf-8")
    pq.write_table(people(), tmp_path / "people.parquet")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("elsewhere.py")), kind, "people.yml"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.splitlines()[-1])
    own.put("people_of_the_test", people())
    plan = kanon_sql.plan(policy, connection=own.connection)
    kanon_sql.apply(plan, policy=policy, connection=own.connection, release="people_k3")
    document = comparable(plan)
    assert told["plan"] == {
        key: str(document[key]) for key in document.keys() - {"policy", "source"}
    }
    assert shown(told["rows"]) == shown(own.read("people_k3"))
    assert told["left"] == []
    assert told["recounted"] == (240 if kind == "connect" else None)
    own.drop("people_k3")
    if kind == "connect":
        whole_after_every_kill(told["killed"])


def whole_after_every_kill(killed):
    """Raw rows are whole, under their name or that of the original, until the release is, under its."""
    *kills, (last, at_the_end) = killed
    assert (last, at_the_end) == (0, {"placed": "released"})
    for signalled, left in kills:
        assert signalled == signal.SIGKILL
        original = left.pop("placed__kanon_original", None)
        made = left.pop("placed__kanon_release", None)
        assert left in ({"placed": "raw"}, {"placed": "released"}, {})
        assert original in {"raw", None}
        assert "raw" in {left.get("placed"), original} or left == {"placed": "released"}
        assert made in {"released", "in part", None}
    seen = [str(left.get("placed")) for _, left in kills]
    assert [name for name, before in zip(seen, ["", *seen], strict=False) if name != before] == [
        "raw", "None", "released"
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_a_connect_server_that_is_not_there_is_one_clear_error(monkeypatch):
    monkeypatch.setattr("kanon_sql.engine.spark.PATIENCE", 1)
    with pytest.raises(kanon_sql.SourceError, match="no Spark Connect server answers there"):
        kanon_sql.plan({**POLICY, "source": "people", "database": "sc://127.0.0.1:1"})


def test_a_session_of_the_process_is_not_taken(spark):
    with pytest.raises(kanon_sql.SourceError, match="hand it in as the connection"):
        kanon_sql.plan({**POLICY, "source": "people", "database": "spark:local[1]"})
    assert spark.sql("SELECT 1").collect()


# ---- Spark: lakes -------------------------------------------------------------------------

NAMES = {"${x}": "sex", 'a"b`c': "place", "n": "n"}
LAKE = TABLE.rename_columns(
    [next(k for k, v in NAMES.items() if v == n) for n in TABLE.schema.names]
)
LAKE_POLICY = {**POLICY, "columns": {k: POLICY["columns"][v] for k, v in NAMES.items()}}


def rows_of(frame):
    return sorted(tuple(str(row[name]) for name in NAMES) for row in frame.collect())


@pytest.mark.parametrize("scheme", ["", "file://"])
@pytest.mark.parametrize(
    "out",
    [
        ("parquet", "out{1}.parquet", ()),
        ("parquet", "parts", ('a"b`c', "${x}")),
        ("csv", "out.csv", ()),
    ],
    ids=["Parquet", "partitions", "CSV"],
)
def test_spark_writes_files_that_both_engines_read(spark, tmp_path, out, scheme):
    format_, name, parts = out
    target = tmp_path / name
    options = {"row_group_rows": 10, "compression": "gzip"} if format_ == "parquet" else {}
    release = Destination(format_, f"{scheme}{target}", parts, **options)
    frame = spark.createDataFrame(
        list(zip(*(column.to_pylist() for column in LAKE.columns), strict=True)),
        ", ".join(f"`{name.replace('`', '``')}` STRING" for name in NAMES),
    )
    made = kanon_sql.anonymize(LAKE_POLICY, frame, connection=spark, release=release)
    assert made.verification.rows == 24
    assert [path.name for path in tmp_path.iterdir()] == [name]
    files = [path for path in target.rglob("*") if path.is_file() and path.suffix != ".crc"]
    assert all(path.name.startswith("part-") for path in files)
    with pytest.raises(kanon_sql.ReleaseError, match="already"):
        kanon_sql.anonymize(LAKE_POLICY, frame, connection=spark, release=release)
    quasi = [name for name in NAMES if name != "n"]
    if format_ == "csv":
        assert duckdb.read_csv(str(target / "*.csv"), header=True, all_varchar=True).shape == (
            24,
            3,
        )
        return
    assert kanon_sql.verify(str(target), qi=quasi, k=4).rows == 24
    with kanon_sql.anonymize(LAKE_POLICY, str(target), connection=spark) as again:
        assert rows_of(again.relation) == rows_of(frame)
    text = "SELECT DISTINCT compression, row_group_num_rows <= 10 FROM parquet_metadata(?)"
    assert duckdb.execute(text, [str(files[0])]).fetchall() == [("GZIP", True)]


def test_spark_replaces_a_folder_and_keeps_it_when_it_fails(spark, tmp_path, monkeypatch):
    target = tmp_path / "out"
    release = Destination("parquet", str(target), ("place",))
    frame = spark.createDataFrame(
        list(zip(*(column.to_pylist() for column in TABLE.columns), strict=True)),
        "sex STRING, place STRING, n STRING",
    )
    kanon_sql.anonymize(POLICY, frame, connection=spark, release=release)
    odd = frame.replace({"a": ""}, subset=["place"])
    with pytest.raises(kanon_sql.VerificationError, match="place"):
        kanon_sql.anonymize(POLICY, odd, connection=spark, release=release, replace=True)
    assert {path.name for path in target.iterdir()} == {"place=a", "place=b", "place=c"}
    few = frame.where("place = 'a'")
    kanon_sql.anonymize(POLICY, few, connection=spark, release=release, replace=True)
    assert {path.name for path in target.iterdir()} == {"place=a"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for own, other in ((f"file://{target}", str(target)), (str(target), f"file://{target}")):
        whole = Destination("parquet", other, ("place",))
        with pytest.raises(kanon_sql.ReleaseError, match="is the source itself"):
            kanon_sql.anonymize(POLICY, own, connection=spark, release=whole, replace=True)


def test_spark_and_duckdb_read_a_lake_alike(spark, tmp_path):
    rows = "SELECT '0213' || i % 2 AS zip, '2024-01-0' || (1 + i % 2) AS day, i AS n FROM range(8) AS r(i)"
    lake = tmp_path / "year=2024" / "a{b}[c]"
    lake.parent.mkdir()
    duckdb.execute(f"COPY ({rows}) TO '{lake}' (FORMAT PARQUET, PARTITION_BY (zip, day))")
    columns = {c: {"role": "quasi", "hierarchy": "suppress"} for c in ("zip", "day")}
    policy = {**POLICY, "columns": {"n": {"role": "insensitive"}, **columns}, "source": str(lake)}
    plans = [kanon_sql.plan(policy, connection=each) for each in (None, spark)]
    assert in_bytes(plans[0]) == in_bytes(plans[1])
    with kanon_sql.anonymize(policy, connection=spark) as made:
        assert {row["zip"] for row in made.relation.collect()} == {"02130", "02131"}


def test_spark_tells_of_files_that_differ(spark, tmp_path):
    selects = {"a": "'x' AS sex, 'y' AS place, 1 AS n", "b": "'x' AS sex, 'y' AS place, '1' AS n",
               "c": "'x' AS Sex, '1' AS n, 2 AS more", "deep/d": "1 AS n"}  # fmt: skip
    (tmp_path / "deep").mkdir()
    for name, select in selects.items():
        duckdb.execute(f"COPY (SELECT {select}) TO '{tmp_path}/{name}.parquet'")
    with pytest.raises(kanon_sql.SourceError) as caught:
        kanon_sql.plan(POLICY, str(tmp_path), connection=spark)
    for told in ("1 of its 4 files lie in folders that are no partitions", "n has 2 types in its 3",
                 "the column more is in 1 of its 3", "the column place is in 2", "is spelt in 2 ways"):  # fmt: skip
        assert told in str(caught.value)


def test_spark_refuses_text_files_whose_columns_stand_otherwise(spark, tmp_path):
    (tmp_path / "a.csv").write_text("sex,place,n\nf,a,1\n")
    (tmp_path / "b.csv").write_text("place,sex,n\nf,a,1\n")
    with pytest.raises(kanon_sql.SourceError, match="cannot be read"):
        kanon_sql.plan(POLICY, str(tmp_path / "*.csv"), connection=spark)


# ---- Spark: in place ----------------------------------------------------------------------

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


def counted_rows(spark, table):
    return Counter(tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect())


def test_a_table_of_spark_is_released_in_place(placed):
    raw, before = counted_rows(placed, "placed"), tables_of(placed)
    kanon_sql.anonymize(IN_PLACE, connection=placed)
    released = counted_rows(placed, "placed")
    assert sum(released.values()) == 24
    assert placed.table("placed").columns == ["sex", "place", "n", "day"]
    assert {row[2] for row in released} == {row[0] for row in counted_rows(placed, "seen")}
    assert counted_rows(placed, "placed_raw") == raw
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

    raw, before = counted_rows(placed, "placed"), tables_of(placed)
    with monkeypatch.context() as patched:
        patched.setattr(Spark, "say", dying)
        patched.setattr(spark_swap, "restore", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(SystemExit):
            kanon_sql.anonymize(DROPPED, connection=placed)
    if step == 6:  # the release stands, and the original is still to be dropped
        assert tables_of(placed) == before | {"placed__kanon_original"}
        assert counted_rows(placed, "placed__kanon_original") == raw
        columns = {n: c for n, c in DROPPED["columns"].items() if n != "name"}
        again = {**DROPPED, "columns": columns}
        with pytest.raises(
            kanon_sql.ReleaseError, match="placed__kanon_original: holds the raw rows"
        ):
            kanon_sql.anonymize(again, connection=placed)
        return
    whole = "placed" if placed.catalog.tableExists("placed") else "placed__kanon_original"
    assert counted_rows(placed, whole) == raw
    kanon_sql.anonymize(DROPPED, connection=placed)
    assert tables_of(placed) == before
    assert sum(counted_rows(placed, "placed").values()) == 24


def test_a_name_that_spark_cannot_give_leaves_the_raw_table(placed):
    raw, before = counted_rows(placed, "placed"), tables_of(placed)
    nowhere = {**IN_PLACE, "release": {"in_place": True, "keep_original": "nowhere.kept"}}
    with pytest.raises(kanon_sql.ReleaseError, match="nothing was published"):
        kanon_sql.anonymize(nowhere, connection=placed)
    assert (counted_rows(placed, "placed"), tables_of(placed)) == (raw, before)


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
