"""Texts are told apart by their bytes, as a reader tells them apart, whatever their collation."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest

import kanon_sql

ROWS = "('alice'), ('alice'), ('alice'), ('ALICE'), ('ALICE'), ('ALICE'), ('zo\u00eb'), ('zoe'), ('zoe')"
ENTRIES = "('alice', 'Few', 'all'), ('ALICE', 'few', 'all'), ('zo\u00eb', 'Z', 'all'), ('zoe', 'Z', 'ALL')"


def policy(hierarchy="suppress", *, k=3, **changes):
    columns = {"a": {"role": "quasi", "hierarchy": hierarchy}, **changes.pop("columns", {})}
    return {"version": 1, "source": "t", "entity": "row", "columns": columns,
            "privacy": {"k": k}, "suppression": 3, **changes}  # fmt: skip


@pytest.fixture(params=["", "COLLATE NOCASE", "COLLATE NOACCENT", "COLLATE NOCASE.NOACCENT"])
def connection(request):
    with duckdb.connect() as made:
        made.execute(f"CREATE TABLE t (a VARCHAR {request.param})")
        made.execute(f"INSERT INTO t VALUES {ROWS}")
        made.execute(f"CREATE TABLE h (v VARCHAR, one VARCHAR {request.param}, top VARCHAR)")
        made.execute(f"INSERT INTO h VALUES {ENTRIES.replace('ALL', 'all')}")
        yield made


def released(connection):
    """The classes as bytes, and as the release itself holds them equal."""
    by_bytes = connection.execute("SELECT a FROM out").fetchall()
    own = connection.execute("SELECT COUNT(DISTINCT a) FROM out").fetchone()[0]
    return Counter(value for (value,) in by_bytes), own


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("hierarchy", "shown"),
    [
        ("suppress", ["ALICE", "alice"]),
        ({"mask": 5}, ["AL***", "al***", "zo***"]),
        ({"table": "h"}, ["Few", "Z", "few"]),
    ],
    ids=str,
)
def test_a_column_with_a_collation_is_planned_and_released_by_its_bytes(
    connection, hierarchy, shown
):
    plan = kanon_sql.plan(policy(hierarchy), connection=connection)
    made = kanon_sql.apply(plan, policy=policy(hierarchy), connection=connection, release="out")
    classes, own = released(connection)
    assert classes == dict.fromkeys(shown, 3)
    assert plan.classes == made.verification.classes == own == len(shown)
    assert plan.suppressed_rows == 9 - 3 * len(shown)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("given", [{"table": "h"}, {"query": "SELECT * FROM h"}], ids=str)
def test_labels_of_a_table_with_a_collation_are_told_apart_by_their_bytes(connection, given):
    """'Few' and 'few' are two labels, and two classes for whoever reads the release."""
    hierarchy = {**given}
    rows = "SELECT a || '' AS a FROM t UNION ALL SELECT a FROM t"
    given_ = policy(
        hierarchy, k=6, source={"query": f"SELECT decode(encode(a)) AS a FROM ({rows})"}
    )
    given_["suppression"] = 0
    plan = kanon_sql.plan(given_, connection=connection)
    made = kanon_sql.apply(plan, policy=given_, connection=connection, release="out")
    classes, own = released(connection)
    assert classes == {"Few": 6, "few": 6, "Z": 6}
    assert plan.classes == made.verification.classes == own == 3


def test_the_plan_is_that_of_the_same_texts_without_a_collation(connection):
    connection.execute("CREATE TABLE plain AS SELECT decode(encode(a)) AS a FROM t")
    one, other = (
        kanon_sql.plan(policy({"mask": 5}, source=name), connection=connection)
        for name in ("t", "plain")
    )
    assert one.to_yaml() == other.to_yaml()


def test_labels_of_several_roots_are_several_though_a_collation_holds_them_equal():
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (a VARCHAR); INSERT INTO t VALUES {ROWS}")
        connection.execute("CREATE TABLE h (v VARCHAR, top VARCHAR COLLATE NOCASE)")
        entries = "('alice', 'all'), ('ALICE', 'ALL'), ('zoë', 'all'), ('zoe', 'ALL')"
        connection.execute(f"INSERT INTO h VALUES {entries}")
        given = policy({"table": "h"}, k=9, suppression=8)
        with pytest.raises(
            kanon_sql.InfeasibleError, match="the hierarchy of a ends in several labels"
        ):
            kanon_sql.plan(given, connection=connection)


def test_who_is_one_to_the_source_is_one_person():
    """To tell more people apart than there are would make classes larger than they are."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a VARCHAR, who VARCHAR COLLATE NOCASE)")
        connection.execute(
            "INSERT INTO t VALUES ('x', 'ann'), ('x', 'ANN'), ('y', 'Ann'), ('y', 'bo')"
        )
        columns = {"who": {"role": "insensitive", "linkable": "accept"}}
        given = policy(k=2, entity="who", columns=columns, suppression=2)
        with kanon_sql.anonymize(given, connection=connection) as made:
            assert {row[0] for row in made.relation.fetchall()} == {"y"}
            assert made.plan.suppressed_rows == 2


def test_a_view_of_a_column_with_a_collation_is_refused():
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t (a VARCHAR COLLATE NOCASE); INSERT INTO t VALUES {ROWS}"
        )
        given = policy(release={"table": "seen", "view": True})
        with pytest.raises(kanon_sql.ReleaseError, match="has a collation"):
            kanon_sql.anonymize(given, connection=connection)
        connection.execute("CREATE VIEW u AS SELECT decode(encode(a)) AS a FROM t")
        kanon_sql.anonymize({**given, "source": "u"}, connection=connection)
        seen = connection.execute("SELECT a FROM seen").fetchall()
    assert Counter(seen) == {("alice",): 3, ("ALICE",): 3}


def test_a_script_sees_such_a_column_plainly(tmp_path):
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE TABLE t (a VARCHAR COLLATE NOCASE); INSERT INTO t VALUES {ROWS}"
        )
    given = policy({"mask": 5}, database=str(path), release="out")
    plan = kanon_sql.plan(given)
    script = kanon_sql.compile_sql(plan, policy=given)
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
        assert released(connection) == ({"al***": 3, "AL***": 3, "zo***": 3}, 3)
