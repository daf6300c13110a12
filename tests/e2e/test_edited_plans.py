"""A plan file that was edited is refused, and every key that is untrue is named; nothing is written."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
import yaml

import kanon_sql

ROWS = pa.table(
    {
        "age": pa.array([20 + n * n % 40 for n in range(60)], pa.int64()),
        "sex": ["fm"[n % 2] if n else "x" for n in range(60)],
        "who": pa.array([n // 2 for n in range(60)], pa.int64()),
    }
)
POLICY = {
    "version": 1,
    "source": "people",
    "entity": "row",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "who": {"role": "insensitive"},
    },
    "privacy": {"k": 3},
    "suppression": 6,
}
TWO_SETS = {**POLICY, "privacy": [{"k": 3}, {"k": 4, "over": ["sex"]}]}
EDITS = {
    "source.where": ("source", "where", "age > 1"),
    "privacy": ("privacy", None, ["k = 30"]),
    "search.algorithm": ("search", "algorithm", "samarati"),
    "search.metric": ("search", "metric", "entropy"),
    "search.lattice_nodes": ("search", "lattice_nodes", 7),
    "recoding.highest_levels.age": ("recoding", "highest_levels", {"age": 9, "sex": 1}),
    "recoding.max_suppressed": ("recoding", "max_suppressed", 5),
    "sql": ("sql", None, "SELECT 1"),
}
"""What is known before a row is recoded: the key that is told, and what is written there."""
COUNTED = {
    "figures.classes": ("figures", "classes", 99),
    "figures.smallest_class": ("figures", "smallest_class", 50),
    "recoding.suppressed_rows": ("recoding", "suppressed_rows", 0),
}
"""What the recount tells."""


@pytest.fixture
def lab():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS FROM ROWS")
        yield connection


def edit(document, edits):
    for first, second, value in edits:
        if second is None:
            document[first] = value
        else:
            document[first][second] = value


def refused(lab, tmp_path, edits, policy=POLICY):
    """The faults of a plan with these edits; it was right before."""
    plan = kanon_sql.plan(policy, connection=lab)
    assert plan.suppressed_rows > 0
    path = tmp_path / "plan.yml"
    document = plan.document()
    edit(document, edits)
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    before = lab.execute("SHOW TABLES").fetchall()
    with pytest.raises(kanon_sql.StalePlanError) as caught:
        kanon_sql.apply(path, policy=policy, connection=lab, release="out")
    assert lab.execute("SHOW TABLES").fetchall() == before
    return [fault.where for fault in caught.value.faults if fault.where], str(caught.value)


@pytest.mark.parametrize("key", [*EDITS, *COUNTED])
def test_an_edited_figure_is_named(lab, tmp_path, key):
    keys, told = refused(lab, tmp_path, [{**EDITS, **COUNTED}[key]])
    assert key in keys
    assert set(keys) <= {key, "sql"} or key == "recoding.suppressed_rows"
    assert "source changed" not in told
    assert "make the plan again" in told


def test_all_edits_are_told_at_once(lab, tmp_path):
    keys, _ = refused(lab, tmp_path, EDITS.values())
    assert set(keys) == set(EDITS)
    keys, _ = refused(lab, tmp_path, COUNTED.values())
    assert set(keys) == set(COUNTED)


def test_what_a_plan_says_of_other_sets_is_held_against_their_recount(lab, tmp_path):
    plan = kanon_sql.plan(TWO_SETS, connection=lab)
    (one,) = plan.document()["over"]
    keys, told = refused(lab, tmp_path, [("over", None, [{**one, "classes": 9}])], TWO_SETS)
    assert keys == ["figures.classes"]
    assert "over sex" in told
    keys, _ = refused(lab, tmp_path, [("over", None, [])], TWO_SETS)
    assert keys == ["over"]


def test_what_datafly_must_suppress_is_k(lab, tmp_path):
    policy = {**POLICY, "search": {"algorithm": "datafly"}}
    crowd = "SELECT n % 10 AS age, 'f' AS sex, n AS who FROM range(30) AS r (n) UNION ALL SELECT 99, 'x', 30"
    lab.execute(f"CREATE OR REPLACE TABLE people AS {crowd}")
    assert kanon_sql.plan(policy, connection=lab).recoding.least == 3
    keys, _ = refused(lab, tmp_path, [("recoding", "least_suppressed", 2)], policy)
    assert keys == ["recoding.least_suppressed"]


def test_a_source_that_changes_while_it_is_recoded_is_told_from_an_edited_plan(lab, monkeypatch):
    """The rows are as many as before, so that only their hash says which of the two it is."""
    from kanon_sql.apps.python import anonymize

    plan = kanon_sql.plan(POLICY, connection=lab)
    stage = anonymize.stage

    def late(run, *rest):
        lab.execute("UPDATE people SET sex = 'f', age = 20")
        return stage(run, *rest)

    monkeypatch.setattr(anonymize, "stage", late)
    with pytest.raises(kanon_sql.StalePlanError, match="the source changed meanwhile"):
        kanon_sql.apply(plan, policy=POLICY, connection=lab, release="out")
    lab.execute("CREATE OR REPLACE TABLE people AS FROM ROWS")
    with pytest.raises(kanon_sql.StalePlanError, match="did the source change meanwhile"):
        kanon_sql.anonymize(POLICY, connection=lab, release="out")
    assert lab.execute("SHOW TABLES").fetchall() == [("people",)]


def certified(lab, plan, folder):
    """A certificate of a release by the plan as it was made."""
    kanon_sql.apply(plan, policy=POLICY, connection=lab, release="out").close()
    kanon_sql.certify("out", plan, policy=POLICY, connection=lab, folder=folder)
    return folder / "certificate.json"


CHANNELS = {
    "apply": lambda _, **plan: kanon_sql.apply(release="other", **plan),
    "new rows": lambda _, **plan: kanon_sql.apply(release="other", to_new_rows=True, **plan),
    "explain": lambda _, **plan: kanon_sql.explain(**plan),
    "compile": lambda _, **plan: kanon_sql.compile_sql(**plan),
    "certify": lambda file, **plan: kanon_sql.certify(
        "out", folder=file.parent, replace=True, **plan
    ),
    "verify": kanon_sql.verify_certificate,
}
"""Every function that takes a plan for what is then recoded, explained, printed or certified by it."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("key", ["policy", "privacy", "search.metric", "recoding.max_suppressed"])
def test_every_channel_refuses_it(lab, tmp_path, channel, key):
    plan, path = kanon_sql.plan(POLICY, connection=lab), tmp_path / "plan.yml"
    file = certified(lab, plan, tmp_path / "certificate")
    document = plan.document()
    edit(document, [{**EDITS, "policy": ("policy", "sha256", "0")}[key]])
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    with pytest.raises(kanon_sql.StalePlanError) as caught:
        CHANNELS[channel](file, plan=path, policy=POLICY, connection=lab)
    assert [fault.where for fault in caught.value.faults] == [key]
    assert "make the plan again" in str(caught.value)


def test_what_only_a_search_counts_stays_the_plan_s_claim(lab, tmp_path):
    plan = kanon_sql.plan(POLICY, connection=lab)
    path, document = tmp_path / "plan.yml", plan.document()
    edit(document, [("search", "optimal", not plan.optimal), ("search", "cost", 0.5)])
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    made = kanon_sql.apply(path, policy=POLICY, connection=lab, release="out")
    assert made.verification.classes == plan.classes
