"""Every channel that cannot release a series refuses its policy, says why, and what to do; none of them releases anything."""

from __future__ import annotations

from contextlib import suppress

import duckdb
import pytest
from series_runs import KEY, policy_of

import kanon_sql
from kanon_sql.apps.dbt.model_layout import check_request
from kanon_sql.apps.dbt.project import ProjectRelation, ReleaseRequest
from kanon_sql.release.stage import EXECUTORS, SERIES, executor_problems

TO = 'the "release"'


@pytest.fixture
def given(tmp_path, monkeypatch):
    """A policy with a series, its plan, and the connection of its source."""
    monkeypatch.setenv("SERIES_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.execute(
            'CREATE TABLE "the rows" AS SELECT i::TEXT AS "the ""row""", 0 AS history, \'a\' AS "select", '
            "'uv'[1 + i % 2] AS \"it's a value\", i AS tag FROM range(9) AS v (i)"
        )
        policy = policy_of(2)
        yield policy, kanon_sql.plan(policy, connection=connection), connection


@pytest.mark.parametrize(
    "executor", [each for each in EXECUTORS if each is not SERIES], ids=lambda each: each.name
)
def test_every_other_executor_refuses_with_a_reason_and_an_alternative(given, executor):
    policy, *_ = given
    faults = [
        each
        for each in executor_problems(kanon_sql.read_policy(policy), executor)
        if each.where == "series"
    ]
    (fault,) = faults
    assert "does not remember which rows the others have shown" in fault.what
    assert executor.instead in fault.what


def dbt(policy, _plan, _connection):
    request = ReleaseRequest(
        ProjectRelation("ref('rows')", None, "main", "rows"), "out", None, (), {}, {}, ()
    )
    check_request(request, kanon_sql.read_policy(policy))


def applied(**options):
    def run(policy, plan, connection):
        kanon_sql.apply(plan, policy=policy, connection=connection, **options)

    return run


def compiled(**options):
    def run(policy, plan, connection):
        kanon_sql.compile_sql(plan, policy=policy, connection=connection, **options)

    return run


REFUSED = {
    "anonymize": (
        lambda policy, _, connection: kanon_sql.anonymize(policy, connection=connection),
        "plan once, and apply the plan each time",
    ),
    "new rows": (applied(to_new_rows=True), "to_new_rows: does not go with a series"),
    "a partition": (applied(partition={"tag": 1}), "partition: does not go with a series"),
    "purge": (applied(purge=True), "purge: does not go with a series"),
    "a view": (applied(release={"table": "out", "view": True}), "name a table or a Parquet file"),
    "in place": (
        applied(release={"in_place": True, "drop_original": True}),
        "name a table or a Parquet file",
    ),
    "CSV": (applied(release="out.csv"), "name one of these"),
    "a folder": (applied(release={"parquet": "out", "partition_by": ["tag"]}), "name one of these"),
    "a lake beside a ledger of tables": (
        applied(release={"delta": "out"}),
        "must be {path: FOLDER}",
    ),
    "a file beside a ledger of tables": (applied(release="out.parquet"), "must be {path: FOLDER}"),
    "a table that is the ledger": (applied(release="its ledger"), "must have another name"),
    "another database": (
        applied(release="elsewhere.main.out"),
        "must be in the database of the release",
    ),
    "a script": (compiled(release="out"), "cannot release a series"),
    "a warehouse": (
        compiled(dialect="snowflake", table="rows", release="out"),
        "cannot release a series",
    ),
    "SQLMesh": (compiled(sqlmesh="own.out", table="rows"), "cannot release a series"),
    "a certificate before the first release": (
        lambda policy, plan, connection: kanon_sql.certify(
            "the rows", plan, policy=policy, connection=connection
        ),
        "has no release yet",
    ),
    "a certificate beside a source": (
        lambda policy, plan, connection: kanon_sql.certify(
            "the rows", plan, policy=policy, connection=connection, against="the rows"
        ),
        "rows of several states of its source",
    ),
    "dbt": (dbt, "a dbt model cannot release a series"),
}


@pytest.mark.parametrize("channel", REFUSED)
def test_a_channel_refuses_a_series_and_leaves_nothing(given, channel):
    run, says = REFUSED[channel]
    before = tables(given[-1])
    with pytest.raises(kanon_sql.KanonError) as caught:
        run(*given)
    assert says in str(caught.value)
    assert tables(given[-1]) == before
    assert not any(given[-1].execute("SELECT * FROM glob('out*')").fetchall())


def tables(connection):
    return connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"search": {"algorithm": "mondrian"}}, "a series cannot release"),
        (
            {"privacy": [{"k": 2}, {"t_closeness": {"column": "it's a value", "t": 0.9}}]},
            "use k, distinct_l or entropy_l",
        ),
        (
            {"privacy": [{"k": 2}, {"k": 2, "over": ["select"]}]},
            "over several sets of quasi-identifiers",
        ),
        ({"release": None}, "is missing; a series needs a table or a file"),
    ],
)
def test_what_a_series_cannot_keep_is_refused_before_anything_is_written(given, changes, says):
    policy, _, connection = given
    policy = {**policy, **changes}
    if policy["release"] is None:
        del policy["release"]
    before = tables(connection)
    with pytest.raises(kanon_sql.KanonError) as caught:
        kanon_sql.apply(
            kanon_sql.plan(policy, connection=connection), policy=policy, connection=connection
        )
    assert says in str(caught.value)
    assert tables(connection) == before


def test_all_faults_of_a_series_are_listed_at_once():
    policy = policy_of(5)
    policy["series"] = {
        "ledger": {"table": "a", "path": "b"}, "row": "select", "births": {"at_least": 3}, "deletions": "later", "changes": "old",
    }  # fmt: skip
    with pytest.raises(kanon_sql.PolicyError) as caught:
        kanon_sql.read_policy(policy)
    found = {each.where for each in caught.value.faults}
    assert found == {"series.ledger", "series", "series.row", "series.deletions", "series.changes"}
    policy = policy_of(5, births={"at_least": 3})
    with pytest.raises(kanon_sql.PolicyError, match="must be at least k, which is 5"):
        kanon_sql.read_policy(policy)
    for wrong in (0, True, "0k", "k2", "2 k", -3, 2.5):
        with suppress(kanon_sql.PolicyError):
            kanon_sql.read_policy(policy_of(2, births={"at_least": wrong}))
            raise AssertionError(wrong)
