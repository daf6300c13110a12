"""`compile` prints a script that the plain DuckDB shell runs to the same rows as `apply`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import duckdb
import pytest
from mondrian import STRICT

if TYPE_CHECKING:
    from pathlib import Path

SHELL = shutil.which("duckdb")
pytestmark = [
    pytest.mark.sampled(5),
    pytest.mark.skipif(SHELL is None, reason="the duckdb shell is not installed"),
]


def shell(lab, script, *options, env=None, cwd=None):
    """Run a script as a person would: from a file, on standard input."""
    return subprocess.run(
        [str(SHELL), *options],
        input=script,
        capture_output=True,
        text=True,
        cwd=cwd or lab.folder,
        env={**os.environ, **(env or {})},
        timeout=60,
        check=False,
    )


def rows_of(path: Path):
    read = duckdb.read_csv if path.suffix == ".csv" else duckdb.read_parquet
    relation = read(str(path))
    return relation.columns, Counter(map(repr, relation.fetchall()))


COLUMNS = {
    "labels": {},
    "bounds": {"age": {"role": "quasi", "hierarchy": {"intervals": {"widths": [5, 10], "top": 40}},
                       "output": "bounds"}},
    "null": {"name": {"role": "identifying", "action": "null"}},
    "hash": {"name": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}},
    "tree": {"sex": {"role": "quasi", "hierarchy": {"tree": {"it's": ["canary-m", "canary-f"]}}}},
    "ragged": {"sex": {"role": "quasi", "hierarchy": {"ragged": "repeat", "tree": {
        "*": {"a": ["canary-m"], "canary-f": None}}}}},
    "query": {"sex": {"role": "quasi", "hierarchy": {
        "query": "SELECT * FROM (VALUES ('canary-m', '*'), ('canary-f', '*')) AS h(v, a)"}}},
    "suppress": {"zip": {"role": "quasi", "hierarchy": "suppress"}},
    "mask": {"zip": {"role": "quasi", "hierarchy": {"mask": {"length": 6, "steps": [2], "character": "#"}}}},
}  # fmt: skip


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("release", ["release.parquet", "release.csv"])
def test_the_script_gives_the_rows_of_apply(lab, monkeypatch, columns, release):
    monkeypatch.setenv("KANON_TEST_KEY", "a key that is long enough; it's")
    lab.policy(columns, release=release)
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    assert "a key that" not in script
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / release)
    (lab.folder / release).unlink()
    ran = shell(lab, script)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert rows_of(lab.folder / release) == wanted


def test_the_script_reads_moments_as_apply_does_wherever_its_shell_is(lab):
    """The last half hour of a year in UTC is of the next year in Tokyo."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        late = "TIMESTAMPTZ '2019-12-31 23:30:00+00' + INTERVAL (i) SECOND AS seen"
        path = str(lab.folder / "seen.parquet").replace("'", "''")
        connection.execute(f"COPY (SELECT {late} FROM range(9) AS r(i)) TO '{path}'")
    quasi = {"role": "quasi", "hierarchy": {"dates": ["day", "month", "year"]}}
    gone = dict.fromkeys(("name", "zip", "sex", "age", "disease"))
    lab.policy({**gone, "seen": quasi}, source="seen.parquet")
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    assert wanted == (["seen"], {repr(("2019-12-31",)): 9})
    (lab.folder / "release.parquet").unlink()
    for order in ("", "SET default_order = 'DESC';\nSET default_collation = 'NOCASE';\n"):
        ran = shell(lab, order + script, env={"TZ": "Asia/Tokyo"})
        assert (ran.returncode, ran.stderr) == (0, "")
        assert rows_of(lab.folder / "release.parquet") == wanted
        (lab.folder / "release.parquet").unlink()


BY_ORDER = {
    "zip": {"role": "quasi", "order": "text"},
    "age": {"role": "quasi", "order": "number", "output": "bounds"},
}
CUTS = {
    "boxes": {"search": STRICT},
    "diverse": {
        "search": STRICT,
        "privacy": [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}],
        "entity": "name",
    },
    "top_down": {"search": {"algorithm": "top_down", "target": "disease"}},
    "sets": {
        "search": {"algorithm": "top_down", "target": "disease"},
        "privacy": [{"k": 2}, {"k": 4, "over": ["zip", "age"]}],
    },
    "k_optimize": {"search": {"algorithm": "k_optimize"}},
}


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_the_script_puts_rows_into_boxes_and_parts(lab, cuts):
    more = {"sex": {"role": "quasi", "order": "text"}} if "k_opt" in str(cuts) else {}
    lab.policy({**BY_ORDER, **more}, **cuts)
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert ran.returncode == 0, ran.stderr
    assert rows_of(lab.folder / "release.parquet") == wanted
    (lab.folder / "release.parquet").unlink()
    text = (lab.folder / "people.csv").read_text(encoding="utf-8")
    lab.write("people.csv", text + "Canary-x,99999,canary-?,99,canary-1\n" * 4)
    ran = shell(lab, script)
    assert ran.returncode != 0
    assert not (lab.folder / "release.parquet").exists()


def test_a_script_of_boxes_that_may_overlap_assigns_rows_as_later_ones(lab):
    """Equal rows go to one of the boxes that the plan dealt them to; what falls short is suppressed, or it refuses."""
    search = {"algorithm": "mondrian", "cuts": "relaxed"}
    script, ran = {}, {}
    for limit in ("90%", 0):
        lab.policy(BY_ORDER, search=search, suppression=limit)
        lab.done("plan", "policy.yml")
        script[limit] = lab.done("compile", "policy.plan.yml")
    asked = ("--to-new-rows", "--release", "new.parquet", "--json")
    told = json.loads(lab.done("apply", "policy.plan.yml", *asked))
    assert told["suppressed"] > 0
    assert told["withheld"] == 0
    for limit in (0, "90%"):
        ran[limit] = shell(lab, script[limit])
    assert ran["90%"].returncode == 0, ran["90%"].stderr
    assert "more rows would be suppressed" in ran[0].stderr
    assert rows_of(lab.folder / "release.parquet") == rows_of(lab.folder / "new.parquet")


def test_no_script_is_of_other_sides_than_the_plan_s(lab):
    lab.policy(BY_ORDER, **CUTS["boxes"])
    lab.done("plan", "policy.yml")
    boundaries = lab.folder / "policy.plan.boundaries.parquet"
    with duckdb.connect() as connection:
        other = connection.read_parquet(str(boundaries)).filter("child IS NOT NULL OR region > 9")
        other.write_parquet(str(lab.folder / "other.parquet"))
    (lab.folder / "other.parquet").replace(boundaries)
    assert "is not the hash of" in lab.refused("compile", "policy.plan.yml")


def test_a_script_suppresses_no_more_than_the_policy_allows(lab):
    lab.policy(suppression="2%")
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    text = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    others = [f"Canary-{n},0000{n},canary-f,9{n},canary-1" for n in range(6)]
    lab.write("people.csv", "\n".join([*text[:20], *others]) + "\n")
    ran = shell(lab, script)
    assert "more rows would be suppressed than the policy allows" in ran.stderr
    assert not (lab.folder / "release.parquet").exists()


def test_no_script_lets_more_rows_go_than_the_policy_whatever_its_plan_says(lab):
    lab.policy(suppression="2%")
    lab.done("plan", "policy.yml")
    text = (lab.folder / "policy.plan.yml").read_text(encoding="utf-8")
    more, edits = re.subn(r"max_suppressed: \d+", "max_suppressed: 1000", text)
    assert edits == 1
    lab.write("policy.plan.yml", more)
    assert "is not that of the policy" in lab.refused("compile", "policy.plan.yml")
    snow = ("--dialect", "snowflake", "--table", "people", "--release", "k3")
    assert "is not that of the policy" in lab.refused("compile", "policy.plan.yml", *snow)


@pytest.mark.parametrize("bring", [(), ("--hierarchies", "inline")], ids=["read", "inline"])
def test_no_script_is_of_a_hierarchy_that_changed(lab, bring):
    lab.policy()
    lab.done("plan", "policy.yml")
    lab.write("sex.csv", "canary-m;canary-m;*\ncanary-f;canary-f;*\n")
    assert "changed since the plan was made" in lab.refused("compile", "policy.plan.yml", *bring)


@pytest.mark.parametrize("in_boxes", [False, True])
def test_a_script_reads_no_file_that_changed_since_it_was_printed(lab, in_boxes):
    lab.policy(*([BY_ORDER] if in_boxes else []), **(CUTS["boxes"] if in_boxes else {}))
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    for name in ["sex.csv", *(["policy.plan.boundaries.parquet"] if in_boxes else [])]:
        file = lab.folder / name
        before = file.read_bytes()
        with duckdb.connect() as connection:
            if name == "sex.csv":
                lab.write(name, "canary-m;m;*\ncanary-f;f;*\n")
            else:
                connection.read_parquet(str(file)).order("ALL DESC").write_parquet(str(file))
        ran = shell(lab, script)
        assert "changed since the script was printed" in ran.stderr
        assert not (lab.folder / "release.parquet").exists()
        file.write_bytes(before)
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_script_takes_some_rows_and_fits_several_sets(lab):
    source = {"path": "people.csv", "where": "age <> '20' OR sex = 'it''s; --'"}
    sets = [
        {"k": 4, "over": ["age"]},
        {"distinct_l": {"column": "disease", "l": 2}, "over": ["sex", "age"]},
    ]
    lab.policy(source=source, privacy=sets, suppression="80%", search={"metric": "height"})
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    assert lab.done("plan", "policy.yml", "--sql") == script
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted
    (lab.folder / "release.parquet").unlink()
    for old in (">= 4", ">= 2"):  # a script that forgot to suppress for one of them
        shorter = script.replace(f"{old}\n)", ">= 1\n)")
        assert shorter != script
        forgot = shell(lab, shorter)
        assert "recount" in forgot.stderr
        assert not (lab.folder / "release.parquet").exists()


def test_the_script_suppresses_a_class_that_fits_where_datafly_does(lab):
    zips = [73910] * 5 + [73911] * 3 + [73912] * 3 + [73913]
    lines = [f"Canary,{zip_},canary-m,20,canary-1\n" for zip_ in zips]
    lab.write("people.csv", "name,zip,sex,age,disease\n" + "".join(lines))
    lab.policy(privacy={"k": 3}, suppression=4, search={"algorithm": "datafly"})
    assert "and a class of 3 rows, to suppress at least 3" in lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    assert "kanon_short_1" in script
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted


def test_the_script_blanks_the_cells_that_apply_blanks(lab):
    """Ages of three, of which one of each sex and ZIP: their sex goes, and a class of one goes whole."""
    lines = [("73910", "m", 20), ("73911", "f", 40), ("73912", "m", 60)] * 4
    lines += [(zip_, sex, age) for zip_, age in (("73910", 40), ("73911", 60)) for sex in "mfx"]
    lines += [("73912", "x", 20), ("73912", "x", 40)]
    text = "".join(f"Canary,{zip_},canary-{sex},{age},canary-1\n" for zip_, sex, age in lines)
    lab.write("people.csv", "name,zip,sex,age,disease\n" + text)
    sex = {"role": "quasi", "hierarchy": {"tree": {"*": [f"canary-{s}" for s in "mfx"]}}}
    search = {"algorithm": "mu_argus", "repair": "records"}
    lab.policy({"sex": sex}, privacy={"k": 3}, suppression="50%", search=search)
    told = lab.done("plan", "policy.yml")
    assert "sex suppressed in" in told
    script = lab.done("compile", "policy.plan.yml")
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted


SEVERAL_NODES = {
    "local": {"search": {"recoding": "local", "metric": "height"}},
    "cells": {"search": {"recoding": "cells", "metric": "height"},
              "source": {"path": "people.csv", "where": "age <> '20' AND NOT sex = 'it''s'"}},
    "diverse": {"search": {"recoding": "cells", "metric": "height"}, "entity": "name",
                "privacy": {"k": 3, "distinct_l": {"column": "disease", "l": 2}}},
}  # fmt: skip


@pytest.mark.parametrize("output", ["labels", "bounds"])
@pytest.mark.parametrize("changes", SEVERAL_NODES.values(), ids=SEVERAL_NODES)
def test_the_script_releases_rows_at_several_nodes(lab, monkeypatch, changes, output):
    monkeypatch.setenv("KANON_TEST_KEY", "a key that is long enough; it's")
    widths = {"intervals": {"widths": [2, 6, 12], "top": 40}}
    columns = {"age": {"role": "quasi", "hierarchy": widths, "output": output}}
    if "entity" not in changes:
        columns |= COLUMNS["hash"]
    lab.policy(columns, suppression="60%", **changes)
    told = lab.done("plan", "policy.yml")
    assert "levels of" in told
    script = lab.done("compile", "policy.plan.yml")
    assert lab.done("plan", "policy.yml", "--sql") == script
    assert "kanon_moved" in script
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted
    (lab.folder / "release.parquet").unlink()
    people = lab.folder / "people.csv"
    people.write_text(people.read_text() + "Canary-40,73911,canary-m,39,canary-1\n")
    broken = script.replace("SUM(row_count) >= 3", "SUM(row_count) >= 1").replace(
        'COUNT(DISTINCT "entity") >= 3', 'COUNT(DISTINCT "entity") >= 1'
    )
    assert broken != script
    assert shell(lab, broken).returncode != 0
    assert not (lab.folder / "release.parquet").exists()


def test_the_script_runs_from_any_folder(lab, tmp_path):
    lab.policy()
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    assert shell(lab, script, cwd=tmp_path).returncode == 0
    assert (lab.folder / "release.parquet").is_file()


def test_plan_sql_prints_the_same_script(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    before = lab.files()
    assert lab.done("plan", "policy.yml", "--sql") == lab.done("compile", "policy.plan.yml")
    assert lab.files() == before


def test_the_script_writes_partitions(lab):
    lab.policy(release={"parquet": "parts", "partition_by": ["sex"]})
    lab.done("plan", "policy.yml")
    assert shell(lab, lab.done("compile", "policy.plan.yml")).returncode == 0
    wanted = duckdb.read_parquet(
        str(lab.folder / "parts" / "**" / "*.parquet"), hive_partitioning=True
    )
    assert set(wanted.columns) == {"zip", "sex", "age", "disease"}


def test_the_script_makes_a_table_of_a_database(lab):
    # made by the shell, which may be older than the library and not read its files
    shell(
        lab,
        "CREATE TABLE people AS FROM read_csv('people.csv', all_varchar = TRUE);",
        "people.duckdb",
    )
    changes = {"source": "people", "database": "people.duckdb", "release": {"table": "released"}}
    lab.policy(**changes)
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    lab.done("apply", "policy.plan.yml")
    with duckdb.connect(str(lab.folder / "people.duckdb")) as connection:
        wanted = Counter(connection.table("released").fetchall())
    (lab.folder / "people.duckdb").unlink()
    shell(
        lab,
        "CREATE TABLE people AS FROM read_csv('people.csv', all_varchar = TRUE);",
        "people.duckdb",
    )
    ran = shell(lab, script, "people.duckdb")
    assert ran.returncode == 0, ran.stderr
    with duckdb.connect(str(lab.folder / "people.duckdb")) as connection:
        assert Counter(connection.table("released").fetchall()) == wanted


def test_the_script_keeps_odd_names_and_values(lab):
    name = 'it\'s "{{ x }}"; 😀 --'
    rows = "".join(f'"a\nb;\'{i % 2}",{i}\n' for i in range(8))
    lab.write("in it's.csv", '"it\'s ""{{ x }}""; 😀 --",n\n' + rows)
    columns = {name: {"role": "quasi", "hierarchy": "suppress"}, "n": {"role": "insensitive"}}
    columns |= dict.fromkeys(("name", "zip", "sex", "age", "disease"))
    lab.policy(columns, source="in it's.csv", privacy={"k": 2})
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert ran.returncode == 0, ran.stderr
    assert rows_of(lab.folder / "release.parquet") == wanted


@pytest.mark.parametrize("how", ["standard input", "-f"])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_script_whose_source_has_unknown_values_publishes_nothing(lab, how, suffix):
    """The shell goes on after an error unless something stops it."""
    lab.policy(release=f"release.{suffix}")
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    people = lab.folder / "people.csv"
    people.write_text(people.read_text() + "Canary-40,73911,canary-unknown,21,canary-1\n")
    path = lab.write("script.sql", script)
    ran = shell(lab, script) if how == "standard input" else shell(lab, "", "-f", str(path))
    assert not (lab.folder / f"release.{suffix}").exists()
    assert ran.returncode != 0
    assert "canary" not in ran.stdout + ran.stderr


def test_a_script_releases_no_value_longer_than_its_mask_at_level_0(lab):
    lab.write("zips.csv", "zip\n" + "02138\n02139\n" * 20)
    lab.policy(
        {"zip": {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"most": 0}},
         **dict.fromkeys(["name", "sex", "age", "disease"])},
        source="zips.csv", privacy={"k": 3},
    )  # fmt: skip
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    lab.write("zips.csv", "zip\n" + "02138\n02139\n" * 20 + "02138-1234\n" * 6)
    ran = shell(lab, script)
    assert ran.returncode != 0
    assert "does not assign" in ran.stderr
    assert not (lab.folder / "release.parquet").exists()


def test_a_script_makes_no_table_that_is_named_as_a_file(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    said = lab.refused("compile", "policy.plan.yml", "--release", "x.parquet")
    assert "--release: is the name of a table here, and looks like a file" in said
    lab.done("compile", "policy.plan.yml", "--release", "made.x")


def test_a_plan_is_not_carried_out_under_another_key_of_pseudonyms(lab, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "k" * 16)
    lab.policy(COLUMNS["hash"])
    lab.done("plan", "policy.yml")
    assert "pseudonym_keys:" in (lab.folder / "policy.plan.yml").read_text()
    monkeypatch.setenv("KANON_TEST_KEY", "j" * 16)
    for more in ((), ("--to-new-rows",)):
        said = lab.refused("apply", "policy.plan.yml", *more, code=1)
        assert "KANON_TEST_KEY: is another key than that of the plan" in said
    assert not (lab.folder / "release.parquet").exists()
    monkeypatch.setenv("KANON_TEST_KEY", "k" * 16)
    lab.done("apply", "policy.plan.yml")


def test_a_script_whose_source_is_gone_publishes_nothing(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    (lab.folder / "people.csv").unlink()
    ran = shell(lab, script)
    assert ran.returncode != 0
    assert not (lab.folder / "release.parquet").exists()


def test_a_script_whose_recount_fails_publishes_nothing(lab):
    """Even where somebody changed the script so that no class is suppressed."""
    lab.policy()
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    people = lab.folder / "people.csv"
    people.write_text(people.read_text() + "Canary-40,73911,canary-m,39,canary-1\n")
    broken = script.replace("COUNT(*) >= 3", "COUNT(*) >= 1")
    assert broken != script
    ran = shell(lab, broken)
    assert ran.returncode != 0
    assert not (lab.folder / "release.parquet").exists()


@pytest.mark.parametrize("secret", [None, "", "short"])
def test_a_script_without_its_key_publishes_nothing(lab, monkeypatch, secret):
    monkeypatch.setenv("KANON_TEST_KEY", "k" * 16)
    lab.policy(COLUMNS["hash"])
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    monkeypatch.delenv("KANON_TEST_KEY")
    shell(lab, script, env={} if secret is None else {"KANON_TEST_KEY": secret})
    assert not (lab.folder / "release.parquet").exists()


def test_a_script_publishes_no_pseudonym_that_repeats_by_then(lab, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "k" * 16)
    lab.policy(COLUMNS["hash"])
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    people = (lab.folder / "people.csv").read_text()
    lab.write("people.csv", people.replace("Canary-1,", "Canary-2,"))
    ran = shell(lab, script, env={"KANON_TEST_KEY": "k" * 16})
    assert "a pseudonym repeats" in ran.stderr
    assert not (lab.folder / "release.parquet").exists()
    lab.write("people.csv", people)
    shell(lab, script, env={"KANON_TEST_KEY": "k" * 16})
    assert (lab.folder / "release.parquet").exists()


def test_a_script_never_overwrites_a_release(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml")
    lab.write("release.parquet", "old")
    shell(lab, script)
    assert (lab.folder / "release.parquet").read_bytes() == b"old"


def test_a_plan_for_another_source_compiles_for_it(lab):
    lab.write("other.csv", (lab.folder / "people.csv").read_text())
    lab.policy()
    lab.done("plan", "policy.yml", "--source", "other.csv")
    script = lab.done("compile", "policy.plan.yml", "--source", "other.csv")
    assert "other.csv" in script
    assert "people.csv" not in script
    assert "other.csv" in lab.done("plan", "policy.yml", "--sql", "--source", "other.csv")
    assert shell(lab, script).returncode == 0


@pytest.mark.parametrize("columns", [{}, COLUMNS["ragged"], COLUMNS["query"], COLUMNS["tree"]])
def test_hierarchies_may_stand_in_the_script(lab, columns):
    """Then it needs no file but the source: the entries are the policy's."""
    lab.policy(columns, suppression="60%")
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml", "--hierarchies", "inline")
    assert "sex.csv" not in script
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    (lab.folder / "sex.csv").unlink()
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted


def test_hierarchies_may_be_loaded_into_tables_first(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml", "--hierarchies", "tables")
    assert "canary" not in script
    (made,) = [line.removeprefix("-- ") for line in script.splitlines() if "-- CREATE" in line]
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    empty = shell(lab, f"{made}\n{script}")
    assert empty.returncode != 0
    assert not (lab.folder / "release.parquet").exists()
    name = "kanon_hierarchy_entries_2"
    load = f"COPY {name} FROM 'sex.csv' (HEADER FALSE, DELIMITER ';');"
    ran = shell(lab, f"{made}\n{load}\n{script}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted


def test_the_script_may_read_and_make_other_tables(lab):
    lab.policy()
    lab.done("plan", "policy.yml")
    given = ("--table", "copies.people", "--release", "copies.made")
    script = lab.done("compile", "policy.plan.yml", *given)
    lab.done("apply", "policy.plan.yml")
    setup = (
        "CREATE SCHEMA copies; CREATE TABLE copies.people AS "
        "FROM read_csv('people.csv', all_varchar = TRUE);"
    )
    # A table keeps its types: these are texts, where a release of the file has numbers.
    rows = "SELECT * REPLACE (CAST(zip AS BIGINT) AS zip) FROM copies.made"
    copied = f"COPY ({rows}) TO 'copied.parquet' (FORMAT PARQUET);"
    ran = shell(lab, f"{setup}\n{script}\n{copied}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "copied.parquet") == rows_of(lab.folder / "release.parquet")


@pytest.mark.parametrize("bring", ["inline", "tables"])
def test_boxes_bring_the_entries_of_their_trees(lab, bring):
    """Beside columns that have an order and no hierarchy."""
    lab.policy(BY_ORDER, **CUTS["boxes"])
    lab.done("plan", "policy.yml")
    script = lab.done("compile", "policy.plan.yml", "--hierarchies", bring)
    if bring == "tables":
        (made,) = [line.removeprefix("-- ") for line in script.splitlines() if "-- CREATE" in line]
        load = "COPY kanon_hierarchy_entries_2 FROM 'sex.csv' (HEADER FALSE, DELIMITER ';');"
        script = f"{made}\n{load}\n{script}"
    lab.done("apply", "policy.plan.yml")
    wanted = rows_of(lab.folder / "release.parquet")
    (lab.folder / "release.parquet").unlink()
    ran = shell(lab, script)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert rows_of(lab.folder / "release.parquet") == wanted
