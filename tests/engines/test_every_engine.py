"""What holds on every engine: the same plan for the same table, and the same release."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import hmac
import re
import threading
from collections import Counter, defaultdict
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, given
from hypothesis import strategies as st
from oracle import SEARCHES, problems
from people import (
    POLICY,
    SMALL,
    TABLE,
    comparable,
    in_bytes,
    people,
    policy_of_people,
    shown,
    small_policy,
)
from tiers import examples

import kanon_sql
from kanon_sql import Destination, Format, Verification
from kanon_sql.policy.read_policy import read_policy

ROOT = Path(__file__).parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult"


@pytest.fixture
def put(place):
    """Put the people where a test looks for them, and leave nothing behind."""
    before = place.left()
    place.put("people_of_the_test", people())
    held = place.left()
    yield held
    place.drop("people_k3")
    assert place.left() in (held, before)


@pytest.fixture
def carried_out(place, places, put):
    """Release the people by the plan that DuckDB makes, for what comes after a plan."""
    own = places("duckdb")
    own.put("people_of_the_test", people())

    def release(policy, **said):
        plan = kanon_sql.plan(policy, connection=own.connection, portable=True)
        return kanon_sql.apply(plan, policy=policy, connection=place.connection, **said)

    return release


@pytest.mark.rare(on="spark")
def test_the_same_plan_and_the_same_release(place, put, with_key, reference):
    """Node, figures and hashes are the same everywhere, so that a plan may be carried out elsewhere."""
    plan, rows, names = reference
    policy = policy_of_people()
    own = kanon_sql.plan(policy, connection=place.connection, portable=True)
    assert in_bytes(own) == in_bytes(plan)
    assert own.source_fingerprint == plan.source_fingerprint
    made = kanon_sql.apply(plan, policy=policy, connection=place.connection, release="people_k3")
    assert shown(place.read("people_k3")) == shown(rows)
    assert place.names("people_k3") == names
    assert made.verification.passed
    quasi = ["zip", "age_low", "age_high", "height", "born", "group", "member"]
    found = kanon_sql.verify(
        "people_k3", quasi=quasi, k=3, entity="who", distinct_l={"disease": 2},
        connection=place.connection,
    )  # fmt: skip
    # Of the pseudonym a recount by itself does not know that the plan has linked its rows.
    assert found.unique_columns == {"na me": 240}
    assert replace(found, unique_rows=None, unique_columns={}) == replace(
        made.verification, risk=None
    )
    pseudonyms = {row[1] for row in place.read("people_k3")}
    wanted = {
        hmac.new(with_key.encode(), name.encode(), hashlib.sha256).hexdigest()
        for name in people()["na me"].to_pylist()
    }
    assert pseudonyms <= wanted


@pytest.fixture(scope="module")
def optimum(places):
    """What `optimal` chooses on DuckDB."""
    own = places("duckdb")
    own.put("people_of_the_test", people())
    return kanon_sql.plan(small_policy(search={"metric": "loss"}), connection=own.connection)


def test_lightning_ends_with_the_optimum_on_every_engine(place, put, optimum):
    policy = small_policy(search={"algorithm": "lightning", "metric": "loss"})
    own = kanon_sql.plan(policy, connection=place.connection)
    assert own.optimal
    assert own.checks_in_time is None
    assert (own.levels, own.cost) == (optimum.levels, optimum.cost)


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
        "sensitive_nulls": "value",
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
    plan = kanon_sql.plan(several_sets(), connection=own.connection, portable=True)
    kanon_sql.apply(plan, policy=several_sets(), connection=own.connection, release="people_k3")
    found = plan, own.read("people_k3")
    own.drop("people_k3")
    return found


@pytest.mark.rare(on="spark")
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


def at_several_nodes(recoding):
    """Labels, bounds of whole numbers and of decimals, people, a diversity, and a hidden person."""
    policy = policy_of_people()
    widths = {"intervals": {"widths": [5, 10, 40], "top": 60}}
    kept = {
        "who": {"role": "identifying", "action": "drop"},
        "age": {"role": "quasi", "hierarchy": widths, "output": "bounds"},
        "height": {"role": "quasi", "hierarchy": {"intervals": [2.5, 10]}, "output": "bounds"},
        "born": {"role": "quasi", "hierarchy": {"dates": ["year", "century"]}},
        "group": {"role": "quasi", "hierarchy": "suppress"},
        "disease": {"role": "sensitive"},
    }
    return {
        **policy,
        "columns": {name: kept.get(name, {"role": "insensitive"}) for name in policy["columns"]},
        "privacy": [{"k": 6}, {"distinct_l": {"column": "disease", "l": 3}}],
        "suppression": "40%",
        "search": {"metric": "height", "recoding": recoding},
    }


@pytest.fixture(scope="module", params=["local", "cells"])
def several_nodes(places, request):
    """What DuckDB makes of a policy that releases rows at several nodes."""
    own, policy = places("duckdb"), at_several_nodes(request.param)
    own.put("people_of_the_test", people())
    plan = kanon_sql.plan(policy, connection=own.connection, portable=True)
    made = kanon_sql.apply(plan, policy=policy, connection=own.connection, release="people_k3")
    found = policy, plan, own.read("people_k3"), own.names("people_k3"), made.verification
    own.drop("people_k3")
    return found


@pytest.mark.slow
@pytest.mark.rare(on="spark")
def test_rows_at_several_nodes(place, put, several_nodes):
    policy, plan, rows, names, verification = several_nodes
    ages, heights, *_ = map(
        set, zip(*(layer.node.levels for layer in plan.recoding.released_nodes), strict=True)
    )
    assert {0, 4} <= ages, "values of whole numbers beside the root"
    if policy["search"]["recoding"] == "cells":
        assert {1, 2} <= ages, "values beside bounds"
        assert {0, 3} <= heights
    own = kanon_sql.plan(policy, connection=place.connection)
    assert in_bytes(own) == in_bytes(plan)
    made = kanon_sql.apply(own, policy=policy, connection=place.connection, release="people_k3")
    assert place.names("people_k3") == names
    assert normal(place.read("people_k3")) == normal(rows)
    assert made.verification == verification
    assert verification.passed
    assert (verification.classes, verification.smallest_class) == (
        plan.classes,
        plan.smallest_class,
    )
    assert verification.rows == plan.source_rows - plan.suppressed_rows


def normal(rows):
    """Rows as they read, a number whatever its scale: where values stand beside bounds the engines differ."""
    return Counter(
        tuple(
            str(v.normalize()) if isinstance(v, Decimal) else v if v is None else str(v)
            for v in row
        )
        for row in rows
    )


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


def test_the_raw_table_fails_its_recount(place, put):
    raw = kanon_sql.verify(
        "people_of_the_test", quasi=["zip", "age"], k=3, connection=place.connection
    )
    assert not raw.passed
    assert raw.rows == 240


def test_rows_that_change_after_the_plan_are_noticed(place, put):
    policy = small_policy()
    plan = kanon_sql.plan(policy, connection=place.connection)
    place.put("people_of_the_test", people(241).slice(1))
    with pytest.raises(kanon_sql.StalePlanError, match="changed since the plan was made"):
        kanon_sql.apply(plan, policy=policy, connection=place.connection, release="people_k3")


def test_a_release_that_is_there_is_replaced_only_when_told(place, put, carried_out):
    carried_out(small_policy(), release="people_k3")
    first = shown(place.read("people_k3"))
    arguments = {"connection": place.connection, "release": "people_k3"}
    with pytest.raises(kanon_sql.ReleaseError, match="already"):
        kanon_sql.anonymize(small_policy(), **arguments)
    carried_out(small_policy(), release="people_k3", replace=True)
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
    import kanon_sql.apps.python.anonymize as flow

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


@pytest.mark.rare(on="spark")
def test_the_embedded_sample(server):
    folder = files("kanon_sql") / "apps" / "sample"
    with (folder / "people.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    frame = pa.table({name: [row[at] or None for row in rows] for at, name in enumerate(names)})
    policy = replace(read_policy(str(folder / "people.yml")), release=None)  # it is a file
    plan = kanon_sql.plan(policy)
    server.put("sample", frame)
    own = kanon_sql.plan(policy, "sample", connection=server.connection)
    first, second = comparable(plan), comparable(own)
    assert second["policy"].pop("overrides") == {"source": "sample"}
    first["policy"].pop("overrides")
    assert first.pop("types") == {
        "days": "BIGINT"
    }  # of a file alone: a column of a table has its own type
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


def test_two_runs_at_once_do_what_each_does_alone(place, put, carried_out):
    wanted = {}
    for k in (3, 9):
        carried_out(small_policy(privacy={"k": k}), release="people_k3")
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
        place.execute("INSERT INTO small VALUES ('f', 'a', 'later')")
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
    place.execute("DROP VIEW IF EXISTS people_k3")
    for name in place.left():
        if name.startswith("people_k3__"):
            place.drop(name)


def without_keys(**changes):
    policy = policy_of_people(**changes)
    columns = {**policy["columns"], "na me": {"role": "identifying", "action": "null"}}
    return {**policy, "columns": columns}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shows_who", [True, False])
def test_a_view_shows_what_a_table_would_hold(place, put, viewed, carried_out, shows_who):
    policy = without_keys() if place.name != "spark" else small_policy()  # there it takes a minute
    if not shows_who:
        policy["columns"]["who"] = {"role": "identifying", "action": "drop"}
    table = carried_out(policy, release="people_k3")
    wanted, names = shown(place.read("people_k3")), place.names("people_k3")
    place.drop("people_k3")
    made = kanon_sql.anonymize(policy, release=VIEW, connection=place.connection)
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
            place.execute(f"INSERT INTO small VALUES ({', '.join(cells)})")
        assert sorted(place.read("people_k3")) == rows
        place.execute("INSERT INTO small VALUES ('f', 'a', 'later')")
        assert sorted(place.read("people_k3")) == sorted([*rows, ("f", "a", "later")])
    finally:
        place.execute("DROP VIEW IF EXISTS people_k3")
        for name in place.left():
            if name.startswith(("people_k3__", "small")):
                place.drop(name)


def test_a_view_is_replaced_with_its_tables(place, put, viewed, carried_out):
    """With those that it reads and that we made: a table of the user's is never among them."""
    own = {"connection": place.connection, "release": VIEW}
    wider = small_policy()
    wider["columns"]["group"] = {"role": "quasi", "hierarchy": "suppress"}
    carried_out({**wider, "suppression": "45%"}, release=VIEW)
    users = "people_k3__20240131120000_classes"
    place.execute(f"CREATE TABLE {users} AS SELECT 1 AS a")
    first = set(place.left())
    with pytest.raises(kanon_sql.ReleaseError, match="a view of this name already exists"):
        kanon_sql.anonymize(small_policy(), **own)
    carried_out(small_policy(), replace=True, release=VIEW)
    second = set(place.left())
    assert len(second) == len(put) + 5
    assert second & first == {*put, "people_k3", users}
    with pytest.raises(kanon_sql.ReleaseError, match="is a view, which no table replaces"):
        kanon_sql.anonymize(
            small_policy(), connection=place.connection, release="people_k3", replace=True
        )
    assert kanon_sql.verify(
        "people_k3", quasi=["age", "member"], k=3, entity="who", connection=place.connection
    ).passed


def test_a_source_that_is_a_view_stands_in_the_way_only_of_what_it_reads(place, put, viewed):
    """The rows of a condition are a view, which is named as the source: so a refusal says."""
    own = {"connection": place.connection, "release": VIEW}
    place.execute("CREATE VIEW of_age AS WITH x AS (SELECT * FROM people_of_the_test) "
              "SELECT * FROM x WHERE UPPER(zip) IS NOT NULL AND age >= 18")  # fmt: skip
    try:
        given = small_policy(source="of_age")
        kanon_sql.anonymize(given, **own)
        kanon_sql.anonymize(given, replace=True, **own)
        rows = len(place.read("people_k3"))
        assert 0 < rows <= len(place.read("of_age"))
        place.execute("CREATE VIEW again AS SELECT * FROM people_k3")
        place.execute(
            "CREATE VIEW round AS SELECT * FROM of_age WHERE age IN (SELECT 1 FROM again)"
        )
        with pytest.raises(kanon_sql.ReleaseError, match="which may read this view"):
            kanon_sql.anonymize(small_policy(source="round"), replace=True, **own)
        assert len(place.read("people_k3")) == rows
    finally:
        for name in ("round", "again", "people_k3", "of_age"):
            place.execute(f"DROP VIEW IF EXISTS {name}")


def test_a_view_that_fails_its_recount_leaves_nothing(
    *, place, put, viewed, carried_out, monkeypatch
):
    import kanon_sql.release.publish_view as flow

    own = {"connection": place.connection, "release": VIEW}
    with monkeypatch.context() as patch:
        patch.setattr(flow, "fetch_recount", lambda *_: Verification(False, 1, 1, 1, 1, {}))
        with pytest.raises(kanon_sql.VerificationError, match="the view shows 1 row "):
            kanon_sql.anonymize(small_policy(), **own)
        assert place.left() == put
    carried_out(small_policy(), release=VIEW)
    before, rows = place.left(), shown(place.read("people_k3"))
    with monkeypatch.context() as patch:
        patch.setattr(flow, "recount", broken)
        with pytest.raises(kanon_sql.KanonError, match="stopped"):
            carried_out(small_policy(), replace=True, release=VIEW)
    assert place.left() == before
    assert shown(place.read("people_k3")) == rows


def test_what_cannot_be_a_view_is_said_when_planning(place, put, with_key):
    place.execute("CREATE TEMPORARY VIEW brief AS SELECT * FROM people_of_the_test")
    view = {"table": "people_k3", "view": True}
    try:
        for changes, told in (
            ({"source": "brief"}, "the source is temporary"),
            ({"source": {"query": "SELECT * FROM people_of_the_test"}}, "over a table of the"),
            (policy_of_people(), "a view cannot release a hashed column"),
        ):
            with pytest.raises(kanon_sql.ReleaseError, match=told):
                kanon_sql.plan(small_policy(**changes, release=view), connection=place.connection)
    finally:
        place.execute("DROP VIEW brief")
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
            quoted, quasi=list(columns)[:2], k=3, connection=place.connection
        ).passed
    finally:
        place.execute(f"DROP VIEW IF EXISTS {quoted}")
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


@examples(30, suppress_health_check=QUIET)
@given(problem=problems() | problems(several=True), search=searches, names=orders)
def test_random_tables_on_postgres(*, places, postgres, writer, problem, search, names):
    policy = writer.policy(problem, search, kinds=("query", "csv", "tree"))
    compare((places("duckdb"), postgres), *renamed(policy, writer.frame(problem), names))


@pytest.mark.rare
@examples(4, suppress_health_check=QUIET, phases=[Phase.explicit, Phase.generate])
@given(problem=problems(most_rows=25), search=searches, names=orders)
def test_random_tables_on_spark(*, places, spark, writer, problem, search, names):
    assume(all(None not in tree for tree in problem.hierarchies))  # a query quotes otherwise there
    kinds = ["tree" if "" in tree else "csv" for tree in problem.hierarchies]
    policy = writer.policy(problem, search, kinds=kinds)
    compare((places("duckdb"), spark), *renamed(policy, writer.frame(problem), names))


@pytest.mark.rare(on="spark")
@pytest.mark.sampled(2)
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


def test_clean_takes_what_was_made_for_views_that_are_gone(place):
    """A view's own are kept, whatever it is called now; so is what bears no proof that it is ours."""
    before = place.left()
    place.put("small", TABLE)
    view = Destination(Format.TABLE, "seen", view=True)
    given = {**POLICY, "source": "small"}
    kanon_sql.anonymize(given, connection=place.connection, release=view)
    place.execute("ALTER VIEW seen RENAME TO seen_now")
    kept = set(place.left())
    kanon_sql.anonymize(given, connection=place.connection, release=view)
    place.execute("DROP VIEW seen")
    left = set(place.left()) - kept
    assert len(left) == 3
    users = {"students__20240131120000_classes", "geo__20240131120000_map_1"}
    try:
        for name in users:
            place.execute(f"CREATE TABLE {name} AS SELECT 1 AS a")
        assert [e.removed for e in kanon_sql.clean(connection=place.connection)] == [False] * 3
        schema = {"duckdb": "main", "postgres": "public", "spark": "default"}[place.name]
        for dry_run in (True, False):
            found = kanon_sql.clean(
                connection=place.connection, schema=schema, older_than=-1, dry_run=dry_run
            )
            assert {each.place.rpartition(".")[2] for each in found if each.removed} == left
        assert kanon_sql.clean(connection=place.connection, older_than=-1) == []
        if place.name == "spark":  # what a killed release in place left is only named
            place.execute("CREATE TABLE lone__kanon_original AS SELECT 1 AS a")
            (found,) = kanon_sql.clean(connection=place.connection, older_than=-1)
            assert not found.removed
            assert "holds the raw rows of lone" in found.why
            users.add(found.place)
        assert set(place.left()) == kept | users
        assert len(place.read("seen_now")) == 24
    finally:
        place.execute("DROP VIEW IF EXISTS seen_now")
        for name in set(place.left()) - set(before):
            place.drop(name)
