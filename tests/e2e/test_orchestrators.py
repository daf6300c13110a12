"""The task and the Dagster asset of the page on later rows, as they are written: they release, and stop what is downstream."""

from __future__ import annotations

import re
import subprocess
import sys

import duckdb
import pages
import pytest

pytestmark = pytest.mark.slow  # programs of a page, each a process


@pytest.fixture
def folder(tmp_path):
    for block in pages.blocks_of("docs/guides/new-rows.md"):
        if block.title is not None:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
    shells = pages.by_kind("docs/guides/new-rows.md")["sh"]
    (commands,) = (each for each in shells if "release.py" in each)
    for line in re.findall(r"^kanon-sql (.*)$", commands, re.MULTILINE):
        done = run(tmp_path, "-m", "kanon_sql", *line.split())
        assert done.returncode == 0, done.stderr
    return tmp_path


def run(folder, *args):
    return subprocess.run(
        [sys.executable, *args],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def change(folder, text):
    """Let the people of the day be others."""
    with duckdb.connect() as connection:
        path = str(folder / "sample" / "people.csv")
        connection.execute("CREATE TABLE people AS FROM read_csv(?, all_varchar=true)", [path])
        connection.execute(text)
        connection.table("people").write_csv(path)


def test_a_task_releases_what_there_is_today(folder):
    done = run(folder, "release.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1200 rows, 0 suppressed\n", "")
    change(folder, "DELETE FROM people WHERE patient_id LIKE '%7'")
    done = run(folder, "release.py")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d{4} rows, \d+ suppressed\n", done.stdout)
    before = (folder / "sample/people_k5.parquet").read_bytes()
    change(folder, "INSERT INTO people (education, age) VALUES ('Canary of a school', '33')")
    done = run(folder, "release.py")
    assert done.returncode == 1
    assert done.stderr == "1 rows withheld, which the plan cannot recode: plan again\n"
    change(folder, "ALTER TABLE people ADD COLUMN ward TEXT")
    before = (folder / "sample/people_k5.parquet").read_bytes()
    done = run(folder, "release.py")
    assert done.returncode == 1
    assert done.stderr.startswith("nothing was released: ")
    assert "ward" in done.stderr
    assert (folder / "sample/people_k5.parquet").read_bytes() == before


MATERIALIZE = """
import sys
import dagster as dg
import duckdb
import assets

@dg.asset(name="people_k5")
def violated():
    with duckdb.connect() as connection:
        connection.sql("FROM 'sample/people_k5.parquet' LIMIT 7").write_parquet("sample/few.parquet")
    import os
    os.replace("sample/few.parquet", "sample/people_k5.parquet")

people = violated if sys.argv[1:] else assets.people_k5
done = dg.materialize(
    [people, assets.people_are_anonymous, assets.statistics], raise_on_error=False
)
steps = sorted(each.step_key for each in done.get_step_success_events())
print(done.success, *steps)
"""


def test_an_asset_s_check_blocks_what_is_downstream(folder):
    pytest.importorskip("dagster", reason="no Dagster: install it")
    (folder / "run.py").write_text(MATERIALIZE, encoding="utf-8")
    done = run(folder, "run.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("True people_k5")
    assert done.stdout.split()[-1] == "statistics"
    done = run(folder, "run.py", "violated")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("False people_k5")
    assert "statistics" not in done.stdout.splitlines()[-1]
