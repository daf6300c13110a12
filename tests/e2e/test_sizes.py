"""Input that is larger than anybody means: a clear error or a result, within five minutes, and no traceback. Weekly."""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import pytest

import kanon_sql

pytestmark = pytest.mark.rare
SECONDS = 300
SUPPRESSED = {"role": "quasi", "hierarchy": "suppress"}
KEPT = {"role": "insensitive"}
NAME = "n" * 10_000


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, query):
        relation = duckdb.sql(query)
        if name.endswith(".csv"):
            relation.write_csv(name)
        else:
            relation.write_parquet(name)
        return name

    return write


def policy(source, columns, **more):
    text = json.dumps({"version": 1, "source": source, "entity": "row", "columns": columns, "privacy": {"k": 5},
                       "suppression": "5%", "release": "out.parquet", **more})  # fmt: skip
    with open("p.yml", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(text)


def run(*words, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr[:2000]
    assert len(done.stderr) < 60_000
    return done.stdout + done.stderr


def wide(number):
    return ", ".join(f"(i * {j + 3}) % {5 + j % 7} AS c{j}" for j in range(number))


@pytest.mark.parametrize(("quasi", "name"), [(3, "wide.parquet"), (3, "wide.csv")])
def test_a_thousand_columns_are_released(lab, quasi, name):
    lab(name, f"SELECT {wide(1_000)} FROM range(2000) AS t(i)")
    policy(name, {f"c{j}": SUPPRESSED if j < quasi else KEPT for j in range(1_000)})
    run("anonymize", "p.yml")
    assert kanon_sql.verify("out.parquet", quasi=["c0", "c1", "c2"], k=5).passed


def test_a_hundred_quasi_identifiers_are_released(lab):
    lab("wide.parquet", f"SELECT {wide(100)} FROM range(2000) AS t(i)")
    policy(
        "wide.parquet",
        dict.fromkeys((f"c{j}" for j in range(100)), SUPPRESSED),
        search={"algorithm": "mondrian"},
    )
    run("anonymize", "p.yml")
    assert kanon_sql.verify("out.parquet", quasi=[f"c{j}" for j in range(100)], k=5).passed


def test_columns_that_no_entry_names_are_listed_up_to_a_number(lab):
    lab("wide.parquet", f"SELECT {wide(1_000)} FROM range(100) AS t(i)")
    policy("wide.parquet", {"c0": SUPPRESSED})
    assert "999" in run("plan", "p.yml", code=1)


@pytest.mark.parametrize("broken", ["columns", "text"])
def test_a_policy_of_ten_megabytes_is_refused_before_it_is_parsed(lab, broken):
    lab("s.parquet", "SELECT i % 7 AS a FROM range(100) AS t(i)")
    others = {f"none{j:08d}": KEPT for j in range(250_000)} if broken == "columns" else {}
    policy(
        "s.parquet", {"a": SUPPRESSED, **others}, description="x" * 10_000_000 * (broken == "text")
    )
    assert "a policy at most 2,000,000" in run("plan", "p.yml", code=1)


def test_many_faults_are_counted_and_the_first_are_listed(lab):
    lab("s.parquet", "SELECT i % 7 AS a FROM range(100) AS t(i)")
    policy(
        "s.parquet", {"a": {"role": "quasi", "hierarchy": {"intervals": list(range(1, 50_000))}}}
    )
    assert " more" in run("plan", "p.yml", code=1)


def test_a_hierarchy_of_a_million_rows_is_read(lab):
    lab("h.csv", "SELECT 'v' || i AS value, 'g' || i // 100 AS one, 'h' || i // 10000 AS two, '*' AS root "
                 "FROM range(1000000) AS t(i)")  # fmt: skip
    lab("s.parquet", "SELECT 'v' || i * i % 1000000 AS a, i % 5 AS b FROM range(100000) AS t(i)")
    policy("s.parquet", {"a": {"role": "quasi", "hierarchy": {"csv": "h.csv"}}, "b": KEPT})
    run("anonymize", "p.yml")
    assert kanon_sql.verify("out.parquet", quasi=["a"], k=5).passed


@pytest.mark.parametrize(
    "lines", [["x,y,z", "y,z,x", "z,x,y"], ["x,y,*", "y,y,*", "y,x,*"], ["x,a,b", "y,a,c", "z,b,*"]]
)
def test_a_hierarchy_that_is_no_tree_is_refused_or_has_one_root(lab, lines):
    with open("h.csv", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("\n".join(["value,one,two", *lines, ""]))
    lab("s.parquet", "SELECT ['x', 'y', 'z'][1 + i % 3] AS a, i % 5 AS b FROM range(1000) AS t(i)")
    policy("s.parquet", {"a": {"role": "quasi", "hierarchy": {"csv": "h.csv"}}, "b": KEPT})
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", "anonymize", "p.yml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)
    if done.returncode == 0:
        assert kanon_sql.verify("out.parquet", quasi=["a"], k=5).passed
    else:
        assert "columns.a.hierarchy" in done.stderr


def test_a_name_of_ten_thousand_characters_is_a_name(lab):
    lab("n.parquet", f'SELECT i % 7 AS "{NAME}", i % 5 AS b FROM range(1000) AS t(i)')
    release = kanon_sql.anonymize(
        {"version": 1, "source": "n.parquet", "entity": "row", "columns": {NAME: SUPPRESSED, "b": KEPT},
         "privacy": {"k": 5}, "release": "out.parquet"}
    )  # fmt: skip
    assert release.verification.passed
    assert kanon_sql.verify("out.parquet", quasi=[NAME], k=5).passed


def test_a_destination_whose_name_is_too_long_is_one_error(lab):
    lab("s.parquet", "SELECT i % 7 AS a FROM range(100) AS t(i)")
    policy("s.parquet", {"a": SUPPRESSED}, release=f"{NAME}.parquet")
    run("anonymize", "p.yml", code=1)


def test_a_value_of_megabytes_in_a_csv_is_one_error(lab):
    with open("long.csv", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(
            "a,b\n"
            + "".join(f"{'v' * 3_000_000 if i == 5 else i % 3},{i % 2}\n" for i in range(100))
        )
    policy("long.csv", {"a": SUPPRESSED, "b": KEPT})
    said = run("plan", "p.yml", code=1)
    assert "vvv" not in said


@pytest.mark.parametrize(
    "text", ["a: [" * 200_000, "source: " + "{query: " * 3_000 + "x" + "}" * 3_000, "- " * 100_000]
)
def test_yaml_that_is_nested_too_deeply_is_refused(lab, text):
    with open("p.yml", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("version: 1\n" + text + "\n")
    assert "p.yml" in run("lint", "p.yml", code=1)
