"""Interrupts, kills and full disks: the destination is old or new and whole, the source untouched."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.session import open_duckdb

pytestmark = [
    pytest.mark.usefixtures("killer"),
    pytest.mark.skipif(os.name != "posix", reason="signals and limits are POSIX"),
]
ROWS = 200_000
COMMAND = [sys.executable, "-m", "kanon_sql"]
RUNS: list[subprocess.Popen[str]] = []


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A source whose run takes a second or two, and its policies."""
    folder = tmp_path_factory.mktemp("crash")
    duckdb.sql(
        f"SELECT i % 7 AS a, i % 13 AS b, i AS c, repeat('canary', 40) || i AS d FROM range({ROWS}) AS r(i)"
    ).write_parquet(str(folder / "people.parquet"))
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT i % 7 AS a, i % 13 AS b, i AS c, '' AS d "
                           f"FROM range({ROWS}) AS r(i)")  # fmt: skip
    columns = {
        "a": {"role": "quasi", "hierarchy": "suppress"},
        "b": {"role": "quasi", "hierarchy": {"intervals": [5]}},
        "c": {"role": "insensitive"},
        "d": {"role": "insensitive"},
    }
    policy = {"version": 1, "source": "people.parquet", "entity": "row", "columns": columns,
              "privacy": {"k": 5}}  # fmt: skip
    table = {"source": "people", "database": "people.duckdb", "release": {"table": "out"}}
    parts = {"parquet": "out", "partition_by": ["a"]}
    for name, changes in (
        ("parquet", {"release": "out.parquet"}),
        ("csv", {"release": "out.csv"}),
        ("parts", {"release": parts}),
        ("table", table),
        ("view", {**table, "release": {"table": "out", "view": True}}),
    ):
        (folder / f"{name}.yml").write_text(json.dumps({**policy, **changes}))
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """What each test has for itself."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    (tmp_path / "tmp").mkdir()
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_goes_on():
    """A run that a failed test left is ended; no other process is."""
    yield
    while RUNS:
        run = RUNS.pop()
        if run.poll() is None:
            run.kill()
            run.communicate()


def start(folder, name, *options, limit=None):
    def limited():
        if limit is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    run = subprocess.Popen(
        [*COMMAND, "anonymize", f"{name}.yml", *options],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONFAULTHANDLER": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limited,  # noqa: PLW1509
    )
    RUNS.append(run)
    return run


def listed(folder):
    return sorted(p.name for p in folder.iterdir())


def sweep(folder, *, spill=True):
    """Take away what a killed run may leave: hidden files of its own, never a visible one."""
    if spill:
        for each in (folder / "tmp").iterdir():
            if not (
                each / "lock"
            ).exists():  # killed as it began: `clean` waits a minute for its lock
                os.utime(each, (0, 0))
        clean(folder, "--force")
        assert listed(folder / "tmp") == []
    for path in folder.iterdir():
        if path.name.startswith("."):
            assert ".kanon" in path.name or path.name.endswith(".old")
            path.unlink()


def wait_for(run, folder, moment):
    """Wait until a run has opened its database, or writes beside its destination."""
    pattern = "tmp/kanon-sql-*" if moment == "open" else ".out*"
    deadline = time.monotonic() + 60
    while run.poll() is None and time.monotonic() < deadline and not any(folder.glob(pattern)):
        time.sleep(0.002)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["open", "writing"])
@pytest.mark.parametrize("name", ["parquet", "csv"])
def test_an_interrupt_leaves_nothing_and_says_so(folder, name, moment, ending):
    before = listed(folder)
    run = start(folder, name)
    wait_for(run, folder, moment)
    if run.poll() is not None:
        pytest.skip("the run was done before it could be interrupted")
    run.send_signal(ending)
    try:
        _, said = run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGABRT)  # faulthandler tells where it hangs
        pytest.fail(f"did not end: {run.communicate()[1]}")
    if run.returncode == 0:
        (folder / f"out.{name}").unlink()
        pytest.skip("the run was done before it could be interrupted")
    assert listed(folder) == before
    assert not any((folder / "tmp").iterdir())
    assert "canary" not in said
    assert "Traceback" not in said
    assert run.returncode == 130
    assert "interrupted; nothing was published" in said


def test_an_interrupt_keeps_an_old_release(folder):
    (folder / "out.parquet").write_text("old")
    run = start(folder, "parquet", "--replace")
    wait_for(run, folder, "writing")
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=90)
    content = (folder / "out.parquet").read_bytes()
    (folder / "out.parquet").unlink()
    assert content == b"old" or (run.returncode == 0 and content[:4] == b"PAR1")


@pytest.mark.parametrize("name", ["parquet", "csv"])
def test_a_kill_leaves_the_old_release_or_the_new_one(folder, name):
    source = (folder / "people.parquet").read_bytes()
    out = folder / f"out.{name}"
    for step, moment in enumerate(["open", "writing", "writing"]):
        options = ()
        if step % 2:
            out.write_text("old")
            options = ("--replace",)
        run = start(folder, name, *options)
        wait_for(run, folder, moment)
        time.sleep(step * 0.02)
        run.kill()
        run.communicate(timeout=90)
        sweep(folder)
        if out.exists() and out.read_bytes()[:10] != b"old":
            read = duckdb.read_parquet if name == "parquet" else duckdb.read_csv
            assert read(str(out)).shape == (ROWS, 4)
        elif step % 2:
            assert out.read_bytes() == b"old"
        out.unlink(missing_ok=True)
    assert (folder / "people.parquet").read_bytes() == source


@pytest.mark.parametrize("name", ["table", "view"])
def test_a_kill_leaves_a_release_whole_or_absent(folder, name):
    for pause in (0.1, 0.4, 0.7):
        run = start(folder, name)
        wait_for(run, folder, "open")
        time.sleep(pause)
        run.kill()
        run.communicate(timeout=90)
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            tables = {t for (t,) in connection.execute("SHOW TABLES").fetchall()}
            own = {t for t in tables if t.startswith("out__")}
            assert tables - own in ({"people"}, {"people", "out"})
            assert len(own) == (3 if name == "view" and "out" in tables else 0)
            for each in tables - own:
                counted = connection.execute(f"SELECT COUNT(*) FROM {each}").fetchall()
                assert counted == [(ROWS,)]
            connection.execute(f"DROP {name} IF EXISTS out").fetchall()
            for each in own:
                connection.execute(f"DROP TABLE {each}").fetchall()
    sweep(folder)


def clean(folder, *options):
    told = subprocess.run(
        [*COMMAND, "clean", "--json", *options],
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return {
        Path(each["place"]).name: (each["removed"], each["why"])
        for each in json.loads(told.stdout)["leftovers"]
    }


def test_clean_takes_what_a_killed_run_left_and_nothing_of_one_that_lives(folder):
    spills = folder / "tmp"
    run = start(folder, "parquet")
    while run.poll() is None and not any(spills.glob("*/lock")):
        time.sleep(0.002)
    run.kill()
    run.communicate(timeout=90)
    (dead,) = listed(spills)
    (spills / dead / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("canary")
    old = "kanon-sql-" + "0" * 16
    (spills / old).mkdir()
    (spills / old / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("canary")
    begun = [
        spills / ("kanon-sql-" + digit * 16) for digit in "234"
    ]  # killed before they held a lock
    for each in begun:
        each.mkdir()
    (begun[1] / "lock.new").touch()
    for each in begun[:2]:
        os.utime(each, (0, 0))
    (spills / "kanon-sql-notes").mkdir()
    (spills / ("kanon-sql-" + "1" * 16)).symlink_to(folder)
    others = {"kanon-sql-notes", "kanon-sql-" + "1" * 16}
    with open_duckdb(temp_directory=str(spills)):
        (alive,) = set(listed(spills)) - {dead, old, *others, *(each.name for each in begun)}
        wanted = {
            dead: (True, "of a run that was killed"),
            alive: (False, "of a run that goes on"),
            old: (False, "has no lock: of an older version, or where files cannot be locked"),
            begun[0].name: (True, "of a run that was killed"),
            begun[1].name: (True, "of a run that was killed"),
            begun[2].name: (False, "of a run that goes on"),
        }
        assert clean(folder, "--dry-run") == wanted
        assert len(listed(spills)) == 8
        assert clean(folder) == wanted
        begun[2].rmdir()
        assert set(listed(spills)) == {alive, old, *others}
        assert clean(folder, "--path", str(spills), "--force")[old][0]
        assert set(listed(spills)) == {alive, *others}
    assert set(listed(spills)) == others
    assert clean(folder) == {}
    sweep(folder, spill=False)


def test_what_to_clean_is_asked_for_one_at_a_time(tmp_path):
    with pytest.raises(kanon_sql.InputError, match="one at a time"):
        kanon_sql.clean(tmp_path, database="spark:local")
    with pytest.raises(kanon_sql.InputError, match="this folder does not exist"):
        kanon_sql.clean(tmp_path / "nowhere")
    with pytest.raises(kanon_sql.InputError, match="no such file"):
        kanon_sql.clean(database=str(tmp_path / "any.duckdb"))
    duckdb.connect(str(tmp_path / "any.duckdb")).close()
    assert kanon_sql.clean(database=str(tmp_path / "any.duckdb")) == []


@pytest.mark.parametrize("name", ["parquet", "csv", "parts"])
def test_a_full_disk_is_one_clear_error(folder, name):
    before = listed(folder)
    run = start(folder, name, limit=200_000)
    _, said = run.communicate(timeout=90)
    assert run.returncode == 1, said
    assert listed(folder) == before
    assert "Traceback" not in said
    assert "canary" not in said
    assert "out" in said, "the message names the destination that could not be written"


def test_a_full_disk_keeps_an_old_release(folder):
    (folder / "out.parquet").write_text("old")
    run = start(folder, "parquet", "--replace", limit=200_000)
    run.communicate(timeout=90)
    assert run.returncode == 1
    assert (folder / "out.parquet").read_text() == "old"
    (folder / "out.parquet").unlink()


def test_a_full_disk_leaves_a_database_as_it_was(folder):
    size = (folder / "people.duckdb").stat().st_size
    run = start(folder, "table", limit=size + 4096)
    _, said = run.communicate(timeout=90)
    assert run.returncode == 1, said
    assert "Traceback" not in said
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        assert connection.execute("SHOW TABLES").fetchall() == [("people",)]
        assert connection.execute("SELECT COUNT(*) FROM people").fetchall() == [(ROWS,)]
