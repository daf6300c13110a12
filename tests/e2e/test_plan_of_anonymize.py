"""anonymize writes the plan of its release: the one that plan would write, fit to certify, apply and compare."""

from __future__ import annotations

import json

import duckdb
import pytest

import kanon_sql


def test_the_plan_is_beside_the_release_and_as_plan_writes_it(lab):
    lab.policy(release="out.parquet")
    said = lab.done("anonymize", "policy.yml")
    assert "wrote out.plan.yml, the plan of this release" in said
    lab.done("plan", "policy.yml")
    assert lab.files()["out.plan.yml"] == lab.files()["policy.plan.yml"]


def test_the_plan_certifies_the_release_and_gives_the_same_rows(lab):
    lab.policy(release="out.parquet")
    lab.done("anonymize", "policy.yml")
    lab.done("certify", "out.parquet", "--plan", "out.plan.yml")
    lab.done("verify", "out.certificate/certificate.json", "--plan", "out.plan.yml")
    lab.done("apply", "out.plan.yml", "--release", "again.parquet")
    rows = [
        sorted(map(str, duckdb.read_parquet(str(lab.folder / name)).fetchall()))
        for name in ("out.parquet", "again.parquet")
    ]
    assert rows[0] == rows[1] != []


@pytest.mark.parametrize(
    ("release", "file"),
    [
        ({"release": "out.csv.gz"}, "out.plan.yml"),
        ({"release": {"parquet": "lake", "partition_by": ["sex"]}}, "lake.plan.yml"),
        ({"release": "made/out.parquet"}, "made/out.plan.yml"),
        ({"release": "main.people", "database": "made.duckdb"}, "main.people.plan.yml"),
    ],
)
def test_the_plan_is_named_as_the_release(lab, release, file):
    (lab.folder / "made").mkdir()
    duckdb.connect(str(lab.folder / "made.duckdb")).close()
    lab.policy(**release)
    before = set(lab.files())
    said = json.loads(lab.done("anonymize", "policy.yml", "--json").splitlines()[-1])
    assert said["plan"] == file
    made = {name for name in set(lab.files()) - before if name.endswith(".yml")}
    assert made == {file}
    assert (lab.files()[file] or b"").startswith(b"kanon_sql_plan:")


def test_a_plan_goes_where_it_is_told_or_nowhere(lab):
    lab.policy()
    lab.done("anonymize", "policy.yml", "--plan", "reviewed.yml")
    assert "reviewed.yml" in lab.files()
    before = set(lab.files())
    lab.done("anonymize", "policy.yml", "--replace", "--no-plan")
    assert set(lab.files()) == before
    lab.refused("anonymize", "policy.yml", "--plan", "x.yml", "--no-plan", code=2)


def test_a_plan_for_a_folder_that_is_not_there_is_refused_before_anything_is_published(lab):
    lab.policy()
    assert "nowhere" in lab.refused("anonymize", "policy.yml", "--plan", "nowhere/x.yml")
    assert "release.parquet" not in lab.files()


def test_an_existing_plan_is_replaced_only_if_asked_and_another_file_never(lab):
    lab.policy()
    lab.done("anonymize", "policy.yml")
    (lab.folder / "release.parquet").unlink()
    before = lab.files()
    lab.refused("anonymize", "policy.yml")
    assert lab.files() == before
    lab.done("anonymize", "policy.yml", "--replace")
    lab.write("release.plan.yml", "notes: mine\n")
    before = lab.files()
    lab.refused("anonymize", "policy.yml", "--replace")
    assert lab.files() == before


def test_a_run_that_publishes_nothing_writes_no_plan(lab):
    """A refused run leaves every file as it was, and no new one: `refused` looks."""
    lab.policy(privacy={"k": 41})
    lab.refused("anonymize", "policy.yml")
    lab.policy(release="no folder/out.parquet")
    assert "its folder does not exist" in lab.refused("anonymize", "policy.yml")


def test_the_python_release_keeps_its_plan_only_if_asked(lab):
    path = lab.folder / "policy.yml"
    lab.policy(release=None)
    with kanon_sql.anonymize(path) as plain, kanon_sql.anonymize(path, keep_plan=True) as kept:
        assert plain.plan.source_fingerprint is None
        assert kept.plan.source_fingerprint == kanon_sql.plan(path).source_fingerprint is not None


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_rows_that_a_pseudonym_joins_are_counted_before_they_are_staged(
    lab, monkeypatch, algorithm
):
    """The plan to keep stages the rows once more, for its warning: what was cut is still there after that."""
    monkeypatch.setenv("LAB_KEY", "a secret of at least thirty-two bytes")
    own = {"role": "identifying", "action": "hash", "key_env": "LAB_KEY", "linkable": "accept"}
    order = {"age": {"role": "quasi", "order": "number"}} if algorithm == "mondrian" else {}
    lab.policy({"name": own, **order}, search={"algorithm": algorithm})
    lab.done("anonymize", "policy.yml")
    lab.done("apply", "release.plan.yml", "--replace")
