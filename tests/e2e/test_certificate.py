"""`certify` and `verify certificate.json`: what is claimed, what is written, and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from hashlib import sha256

import duckdb
import jsonschema
import pytest
from certificates import CERTIFICATE, FILES, failed, released, rows_of, sql, told

import kanon_sql
from kanon_sql.evidence.certificate.certificate import Certificate

pytestmark = pytest.mark.sampled(3)


def test_a_certificate_has_three_files_and_its_release_passes(certified):
    assert {each.name for each in (certified.folder / "release.certificate").iterdir()} == FILES
    said = certified.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")
    assert "FAIL" not in said
    assert (
        said.splitlines()[0]
        == "PASS; release ../release.parquet; not signed; claims compared with the plan"
    )


def hash_in(lab):
    """Whether verify.sql compares the hash of all rows, and whether the page says that it does not."""
    script, page = (
        (lab.folder / "release.certificate" / name).read_text(encoding="utf-8")
        for name in ("verify.sql", "report.html")
    )
    assert "ends in an error if any fails" in page
    return "hash of all rows" in script, "it does not compare the hash of all rows" in page


def test_the_page_says_nothing_against_a_script_that_compares_the_hash_of_all_rows(certified):
    assert hash_in(certified) == (True, False)


def test_its_figures_are_those_of_the_release(certified):
    found = told(certified)
    quasi = [name for each in found["quasi_identifiers"] for name in each["released_as"]]
    rows = Counter(rows_of(certified, quasi))
    classes, smallest, rows = len(rows), min(rows.values()), sum(rows.values())
    counted = {each["claim"]: each["found"] for each in found["claims"]}
    assert (counted["classes"], counted["k_anonymity"], counted["rows"]) == (
        classes,
        smallest,
        rows,
    )
    assert counted["suppressed_rows"] == 40 - rows
    assert sum(each["rows"] for each in found["class_sizes"]) == rows
    assert sum(each["classes"] for each in found["class_sizes"]) == classes
    assert found["class_sizes"][0] == {"from": 1, "to": 2, "classes": 0, "rows": 0}
    plan = (certified.folder / "policy.plan.yml").read_bytes()
    assert found["plan"]["sha256"] == hashlib.sha256(plan).hexdigest()


def test_the_schema_describes_it(certified):
    schema = json.loads(certified.done("schema", "--certificate"))
    jsonschema.validators.validator_for(schema).check_schema(schema)
    found = told(certified)
    jsonschema.validate(found, schema)
    for change in ({"claims": [{}]}, {"release": {}}, {"approved": True}, {"class_sizes": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, **change}, schema)


def test_no_value_of_the_data_is_in_any_file(certified):
    for name in FILES:
        text = (certified.folder / "release.certificate" / name).read_text(encoding="utf-8")
        assert "anary" not in text
        assert "7391" not in re.sub(r"[0-9a-f]{64}|[0-9]+[.][0-9]+", "", text)  # of a picture


def test_the_same_release_has_the_same_bytes_in_any_order_of_rows(certified):
    def written():
        """Return the files of the certificate, but for the hashes of the file of rows and of the page that names it."""
        files = certified.files()
        page = files["release.certificate/report.html"]
        hashes = [sha256(files["release.parquet"]).hexdigest(), sha256(page).hexdigest()]
        found = {n: b.decode() for n, b in files.items() if n.startswith("release.certificate/")}
        for each in hashes:
            found = {n: text.replace(each, "HASH") for n, text in found.items()}
        return found

    before = written()
    sql(certified, "CREATE OR REPLACE TABLE t AS FROM t ORDER BY random()")
    assert "PASS" in certified.done("verify", CERTIFICATE)
    certified.done("certify", "release.parquet", "--plan", "policy.plan.yml", "--replace")
    assert written() == before


def test_a_class_that_falls_below_k_fails(certified):
    sql(certified, "UPDATE t SET zip = '9' WHERE rowid = 0")
    said = failed(certified)
    assert "FAIL rows in every class over all quasi-identifiers: at least 3, found 1" in said
    assert said.splitlines()[-1].startswith("FAIL")


def test_one_cell_changed_with_k_still_holding_is_told_as_other_rows(certified):
    sql(certified, "UPDATE t SET disease = 'other' WHERE rowid = 0")
    said = failed(certified)
    assert "PASS rows in every class over all quasi-identifiers: at least 3" in said
    assert "FAIL hash of all rows" in said
    assert "the rows are not those that were certified, though they satisfy every claim" in said


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        ("ALTER TABLE t ADD COLUMN name VARCHAR", "missing or unexpected columns: exactly 0, found 1"),
        ("ALTER TABLE t DROP COLUMN disease", "missing or unexpected columns: exactly 0, found 1"),
        ("ALTER TABLE t RENAME COLUMN zip TO zipcode", "missing or unexpected columns: exactly 0, found 2"),
        ("DELETE FROM t WHERE rowid = 0", "rows of the release: exactly"),
        ("INSERT INTO t FROM t LIMIT 1", "rows of the release: exactly"),
        ("DELETE FROM t", "rows of the release: exactly"),
    ],
)  # fmt: skip
def test_another_table_fails(certified, change, claim):
    sql(certified, change)
    assert f"FAIL {claim}" in failed(certified)


def test_columns_in_another_order_have_the_same_hash_and_are_told(certified):
    sql(
        certified,
        "CREATE OR REPLACE TABLE t AS SELECT disease, age, * EXCLUDE (disease, age) FROM t",
    )
    said = failed(certified)
    assert "PASS hash of all rows" in said
    assert "FAIL columns: are in another order than they were certified in" in said


def test_a_release_that_moved_is_found_by_its_new_name(certified):
    (certified.folder / "release.parquet").rename(certified.folder / "moved.parquet")
    certified.refused("verify", CERTIFICATE)
    assert "PASS" in certified.done("verify", CERTIFICATE, "--release", "moved.parquet")


def test_nothing_is_written_where_a_claim_does_not_hold(lab):
    released(lab)
    sql(lab, "UPDATE t SET zip = '9' WHERE rowid = 0")
    said = lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", code=4)
    assert (
        "k_anonymity: rows in every class over all quasi-identifiers: at least 3, found 1" in said
    )
    assert "nothing was written" in said


def test_a_column_that_was_to_be_dropped_is_no_release_of_the_plan(lab):
    released(lab)
    sql(lab, "ALTER TABLE t ADD COLUMN name VARCHAR")
    said = lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", code=4)
    assert "columns.name: is unexpected" in said


def test_a_release_of_rows_to_come_is_not_certified_by_the_plan(lab):
    released(lab)
    lines = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    lab.write("later.csv", "\n".join([lines[0], *lines[1:31]]) + "\n")
    lab.done(
        "apply",
        "policy.plan.yml",
        "--to-new-rows",
        "--source",
        "later.csv",
        "--release",
        "l.parquet",
    )
    lab.refused("certify", "l.parquet", "--plan", "policy.plan.yml", code=4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_suppressed: 4", "max_suppressed: 9"),
        ("3-anonymity", "2-anonymity"),
        ("rows: 40", "rows: 90"),
    ],
)
def test_an_edited_plan_is_refused(lab, old, new):
    released(lab)
    text = (lab.folder / "policy.plan.yml").read_text(encoding="utf-8")
    assert old in text
    lab.write("policy.plan.yml", text.replace(old, new))
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml")


def test_a_plan_of_another_policy_is_refused(lab):
    released(lab)
    lab.policy(privacy={"k": 2})
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml")


def test_what_is_there_is_replaced_only_if_it_is_a_certificate(certified):
    again = ("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert "--replace replaces it" in certified.refused(*again)
    certified.done(*again, "--replace")
    certified.write("release.certificate/mine.txt", "kept")
    assert "is not a certificate" in certified.refused(*again, "--replace")
    (certified.folder / "folder").mkdir()
    certified.refused(*again, "-o", "folder", "--replace")
    certified.refused(*again, "-o", "people.csv", "--replace")
    assert "folder that it would be in does not exist" in certified.refused(
        *again, "-o", "nowhere/folder"
    )
    certified.done(*again, "-o", "elsewhere")
    assert "PASS" in certified.done("verify", "elsewhere/certificate.json")


PERSON = {"entity": "name", "privacy": {"k": 2}}


@pytest.mark.parametrize("action", ["drop", "null"])
def test_an_entity_that_is_not_released_is_never_passed(lab, action):
    released(lab, {"name": {"role": "identifying", "action": action}}, **PERSON)
    said = lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert re.search(r"^UNCHECKED distinct values of name in every class", said, re.MULTILINE)
    assert not re.search(r"^PASS distinct values of name", said, re.MULTILINE)
    said = lab.done("verify", CERTIFICATE)
    assert "PASS, except for 2 claims that cannot be checked in the release" in said
    report = (lab.folder / "release.certificate/report.html").read_text(encoding="utf-8")
    assert "2 cannot be checked in the release alone" in report
    sql(lab, "UPDATE t SET zip = '9' WHERE rowid = 0")
    assert "FAIL distinct values of name in every class" in failed(lab)


def test_a_pseudonym_is_counted_as_the_entity_that_it_stands_for(lab, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key of thirty-two bytes, or so")
    lines = [f"p{n // 3},7391{n % 2},m,30,d{n % 4}" for n in range(60)]
    lab.write("people.csv", "name,zip,sex,age,disease\n" + "\n".join(lines) + "\n")
    hashed = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    hashed["linkable"] = "accept"
    released(lab, {"name": hashed, "sex": {"role": "insensitive"}}, entity="name", privacy={"k": 5})
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    (claim, *_) = told(lab)["claims"]
    assert (claim["counts"], claim["verdict"]) == ("name", "PASS")
    sql(lab, "UPDATE t SET name = (SELECT MIN(name) FROM t)")
    assert "at least 5, found 1" in failed(lab)


def test_several_sets_and_diversities_are_each_a_claim(lab):
    privacy = [
        {"k": 3},
        {"k": 5, "over": ["sex"]},
        {"distinct_l": {"column": "disease", "l": 2}, "over": ["zip", "age"]},
    ]
    released(lab, privacy=privacy, suppression="50%")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    asked = {(c["claim"], tuple(c["over"]), c["counts"]): c["bound"] for c in told(lab)["claims"]}
    assert asked["k_anonymity", (), None] == 3
    assert asked["k_anonymity", ("sex",), None] == 5
    assert asked["distinct_l_diversity", ("zip", "age"), "disease"] == 2
    assert "PASS" in lab.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")
    sql(lab, "UPDATE t SET disease = 'one'")
    assert (
        "FAIL distinct values of disease, NULL not counted, in every class over zip, age"
        in failed(lab)
    )


@pytest.mark.parametrize("counted", [None, "value"])
def test_values_and_sizes_of_classes_are_those_that_python_counts(lab, counted):
    own = {} if counted is None else {"sensitive_nulls": counted}
    lines = [
        f"{n},7391{n % 3},m,{30 + n % 3},{'' if n % 5 < 3 else f'd{n % 4}'}" for n in range(90)
    ]
    lab.write("people.csv", "name,zip,sex,age,disease\n" + "\n".join(lines) + "\n")
    models = [{"k": 2}, {"distinct_l": {"column": "disease", "l": 2}}]
    plain = {"sex": {"role": "insensitive"}}
    released(lab, plain, privacy=models, suppression="50%", **own)
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    found, classes, values = told(lab), Counter(), {}
    quasi = [name for each in found["quasi_identifiers"] for name in each["released_as"]]
    for *key, disease in rows_of(lab, [*quasi, "disease"]):
        classes[tuple(key)] += 1
        held = values.setdefault(tuple(key), set())
        if disease is not None or counted is not None:
            held.add(disease)
    (claim,) = (each for each in found["claims"] if each["claim"] == "distinct_l_diversity")
    assert claim["found"] == min(map(len, values.values()))
    for band in found["class_sizes"]:
        sizes = [n for n in classes.values() if band["from"] <= n <= (band["to"] or n)]
        assert (band["classes"], band["rows"]) == (len(sizes), sum(sizes))


@pytest.mark.parametrize(
    "words",
    [
        ["people.csv"],
        ["people.csv", "--quasi", "age"],
        ["people.csv", "-k", "3"],
        [CERTIFICATE, "--quasi", "age", "-k", "3", "--plan", "policy.plan.yml"],
    ],
)
def test_what_verify_is_asked_must_be_one_thing(certified, words):
    certified.refused("verify", *words, code=2)


def test_both_speak_json(certified):
    said = json.loads(certified.done("verify", CERTIFICATE, "--json"))
    assert (said["passed"], said["same_rows"], said["signature"]) == (True, True, "none")
    said = json.loads(
        certified.done(
            "certify", "release.parquet", "--plan", "policy.plan.yml", "--replace", "--json"
        )
    )
    assert said["release"]["fingerprint"] == told(certified)["release"]["fingerprint"]


def test_a_script_is_short_and_reads_only(lab):
    """Where it would be long, the hash of all rows is left to kanon-sql."""
    released(lab, suppression="60%", privacy=[
        {"k": 3}, *({"k": 4, "over": [name]} for name in ("sex", "age", "zip")),
        {"k": 3, "over": ["sex", "age"]},
    ])  # fmt: skip
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    text = (lab.folder / "release.certificate/verify.sql").read_text(encoding="utf-8")
    assert text.count("\n") <= 150
    assert hash_in(lab) == (False, True)
    assert not re.search(r"\b(INSERT|UPDATE|DELETE|DROP|ALTER|COPY|ATTACH|INSTALL|LOAD)\b", text)
    made = re.findall(r"\bCREATE (\w+) ", text)
    assert set(made) == {"TEMP"}


def test_python_says_the_same(certified):
    folder = certified.folder
    made = kanon_sql.certify(
        folder / "release.parquet", folder / "policy.plan.yml", folder=folder / "again"
    )
    text = (folder / "again/certificate.json").read_text(encoding="utf-8")
    assert Certificate.from_json(text, "again") == made
    found = kanon_sql.verify_certificate(
        folder / "again/certificate.json", plan=folder / "policy.plan.yml"
    )
    assert found.passed
    assert found.claims == made.claims


@pytest.fixture
def clinic(lab):
    """A database file with a table of the lab's people."""
    with duckdb.connect(str(lab.folder / "cli'nic.duckdb")) as connection:
        path = str(lab.folder / "people.csv").replace("'", "''")
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{path}', all_varchar = true)")
    return lab


def in_clinic(lab, text):
    with duckdb.connect(str(lab.folder / "cli'nic.duckdb")) as connection:
        connection.execute(text)


OTHERS = {} if duckdb.__version__ >= "2" else {"accept": ["writes of other connections"]}
RELEASES = {
    "table": {"table": "k3; --"},
    "view": {"table": "k3; --", "view": True},
    "in place": {
        "in_place": True,
        "drop_original": True,
        "accept": ["writes of other connections"],
    },
}


@pytest.mark.parametrize("kind", RELEASES)
def test_a_table_is_certified_in_the_policys_own_database(clinic, kind):
    name = "people" if kind == "in place" else "k3; --"
    released(clinic, source="people", database="cli'nic.duckdb", release=RELEASES[kind])
    clinic.done("certify", name, "--plan", "policy.plan.yml", "-o", "c")
    assert "PASS hash of all rows" in clinic.done("verify", "c")
    place = json.loads((clinic.folder / "c/certificate.json").read_text(encoding="utf-8"))[
        "release"
    ]
    assert (place["name"], place["database"]) == (name, "../cli'nic.duckdb")
    changed = "people" if kind == "view" else f'"{name}"'
    in_clinic(clinic, f"DELETE FROM {changed}")
    assert clinic.run("verify", "c").exit_code == 4
    in_clinic(clinic, f'DROP {"VIEW" if kind == "view" else "TABLE"} "{name}"')
    assert "there is no such table" in clinic.refused("verify", "c")


def test_a_table_that_was_renamed_is_found_by_its_new_name(clinic):
    released(clinic, source="people", database="cli'nic.duckdb", release={"table": "k3"})
    clinic.done("certify", "k3", "--plan", "policy.plan.yml")
    in_clinic(clinic, "ALTER TABLE k3 RENAME TO k4")
    clinic.refused("verify", "k3.certificate")
    assert "PASS" in clinic.done("verify", "k3.certificate", "--release", "k4")
    (clinic.folder / "cli'nic.duckdb").rename(clinic.folder / "moved.duckdb")
    clinic.refused("verify", "k3.certificate", "--release", "k4")
    moved = ("--release", "k4", "--database", "moved.duckdb")
    assert "PASS" in clinic.done("verify", "k3.certificate", *moved)


def test_texts_that_are_the_engines_own_are_hashed_by_kanon_sql_alone(clinic):
    in_clinic(clinic, "ALTER TABLE people ALTER disease TYPE DOUBLE USING random()")
    released(clinic, source="people", database="cli'nic.duckdb")
    clinic.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert told(clinic)["release"]["fingerprint"].startswith("duckdb ")
    assert hash_in(clinic) == (False, True)
    assert "PASS hash of all rows" in clinic.done("verify", CERTIFICATE)
    sql(clinic, "UPDATE t SET disease = 2 WHERE rowid = 0")
    assert "FAIL hash of all rows" in failed(clinic)


def test_what_was_said_instead_of_the_policy_is_claimed(lab):
    lab.policy()
    lab.done("plan", "policy.yml", "-k", "4", "--suppression", "50%")
    lab.done("apply", "policy.plan.yml")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    asked = {each["claim"]: each["bound"] for each in told(lab)["claims"]}
    assert (asked["k_anonymity"], asked["suppressed_rows"]) == (4, 20)


@pytest.mark.parametrize(
    "search",
    [
        {"algorithm": "mondrian"},
        {"algorithm": "top_down", "target": "disease"},
        {"recoding": "cells"},
        {"algorithm": "mu_argus", "repair": "records"},
    ],
    ids=["boxes", "parts", "cells", "blanks"],
)
def test_every_recoding_has_its_certificate(lab, search):
    released(lab, search=search, suppression="60%")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert "PASS" in lab.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")


def test_a_folder_that_cannot_be_written_is_one_clear_error(lab):
    released(lab)
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", "-o", "x" * 300)
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", "-o", "a\0b")
    lab.refused("certify", "nowhere.parquet", "--plan", "policy.plan.yml")
    lab.refused("certify", "release.parquet", "--plan", "nowhere.yml")
    lab.refused(
        "certify", "release.parquet", "--plan", "policy.plan.yml", "--database", "no.duckdb"
    )


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
@pytest.mark.parametrize("replaces", [False, True])
def test_a_disk_that_is_full_leaves_no_certificate_or_the_old_one(certified, replaces):
    def limited():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    more = ["--replace"] if replaces else ["-o", "another"]
    before = certified.files()
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", "certify", "release.parquet", "--plan", "policy.plan.yml", *more],
        cwd=certified.folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "cannot be written" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert certified.files() == before


@pytest.mark.usefixtures("killer")
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_what_a_killed_run_left_is_taken_away_by_clean(certified):
    """A run is killed while it writes: the old certificate stays, and its leftovers are known."""
    code = (
        "import os, signal, kanon_sql\n"
        "from kanon_sql.engines.local_files import AtomicWrite\n"
        "AtomicWrite.move = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\n"
        "kanon_sql.certify('release.parquet', 'policy.plan.yml', replace=True)\n"
    )
    before = certified.files()
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=certified.folder, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    left = set(certified.files()) - set(before)
    assert left
    assert {
        name: content for name, content in certified.files().items() if name in before
    } == before
    certified.done("clean", "--path", ".")
    assert certified.files() == before


def test_its_unique_rows_are_those_of_the_release(lab):
    released(lab, privacy={"k": 1})
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    found = told(lab)
    quasi = [name for each in found["quasi_identifiers"] for name in each["released_as"]]
    unique = sum(many == 1 for many in Counter(rows_of(lab, quasi)).values())
    assert unique > 0
    counted = {each["claim"]: each["found"] for each in found["claims"]}
    assert counted["unique_rows"] == unique
    assert found["risk"]["unique_rows"] == unique


def test_a_release_in_place_of_a_certificate_is_refused_with_the_command_for_it(certified):
    said = certified.refused("verify", "release.parquet", "--plan", "policy.plan.yml")
    assert "release.parquet: is not a complete certificate" in said
    assert "kanon-sql certify RELEASE --plan PLAN" in " ".join(said.split())
