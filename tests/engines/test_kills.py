"""Every channel of release is killed at moments spread over its run: it leaves the old release or the whole new one.

Weekly, as it takes some ten minutes: `pytest --tier all tests/engines/test_kills.py`. KANON_SQL_KILLS is the number of kills of each
channel. What is old, whole and left over is read by DuckDB and by the libraries of the table formats, and not by what is tested.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

import duckdb
import pytest
from kill_moments import commands
from lake_formats import Delta, DuckLake, Iceberg, in_format

from tests.engines.conftest import postgres_address

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.rare,
    pytest.mark.usefixtures("killer"),
    pytest.mark.skipif(os.name != "posix", reason="signals are POSIX"),
]
KILLS = int(os.environ.get("KANON_SQL_KILLS", "18"))
ROWS, K = 3_000, 5
KEY = {"KANON_SQL_PLAN_KEY": "a key of these tests, of 32 bytes at least"}
COLUMNS = {
    "name": {"role": "identifying", "action": "drop"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "day": {"role": "insensitive"},
    "disease": {"role": "sensitive"},
}
RAW = f"""SELECT 'RAWNAME' || i AS name, 20 + i * i % 41 AS age, (10000 + i % 5)::VARCHAR AS zip, 'd' || i % 3 AS day,
  ['flu', 'cold', 'mumps'][1 + i % 3] AS disease FROM range({ROWS}) AS t(i)"""
IN_PLACE = {"in_place": True, "drop_original": True}


def policy(source, release, *, k=K, **more):
    return {"version": 1, "source": source, "entity": "row", "columns": COLUMNS, "privacy": {"k": k},
            "suppression": "5%", "release": release, **more}  # fmt: skip


def write(folder, name, given):
    (folder / name).write_text(json.dumps(given))


def counted(rows):
    return Counter(tuple(map(str, row)) for row in rows)


class Channel:
    """A way to release: what lies there before, the words of the run, and what a reader finds afterwards."""

    release: object
    source: object = "people.parquet"
    more: ClassVar = {}
    words = ("anonymize", "p.yml")
    cleaned = (("--path", "."),)

    def lay(self, folder):
        duckdb.sql(RAW).write_parquet(str(folder / "people.parquet"))
        write(folder, "p.yml", policy(self.source, self.release, **self.more))

    def environment(self, folder):
        return {}

    def found(self, folder):
        """The rows that a reader finds, counted; None where there is no release."""
        raise NotImplementedError

    def put_back(self, template, folder):
        """Make a folder as it was before the run."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(template, folder)


@dataclass
class InFile(Channel):
    """A file or a folder; with `old`, an earlier release is replaced."""

    name: str
    release: object
    reader: str
    old: bool = False

    def __post_init__(self):
        self.words = ("anonymize", "p.yml", *(("--replace",) if self.old else ()))

    def lay(self, folder):
        super().lay(folder)
        if self.old:
            write(folder, "old.yml", policy(self.source, self.release, k=40))

    def found(self, folder):
        out = folder / (self.release if isinstance(self.release, str) else self.release["parquet"])
        if not out.exists():
            return None
        files = f"{out}/**/*.parquet" if out.is_dir() else out
        return counted(
            duckdb.sql(f"FROM {self.reader.format(files)} SELECT age, zip, day, disease").fetchall()
        )


@dataclass
class InDatabase(Channel):
    """A table or a view beside the source, or in its place."""

    name: str
    release: object
    old: bool = False
    more: ClassVar = {"database": "people.duckdb"}
    source = "people"
    cleaned = (("--path", "."), ("--database", "people.duckdb", "--older-than", "0"))

    def __post_init__(self):
        self.words = ("anonymize", "p.yml", *(("--replace",) if self.old else ()))
        self.place = "people" if "in_place" in self.release else "out"

    def lay(self, folder):
        super().lay(folder)
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            connection.execute(f"CREATE TABLE people AS {RAW}")
        if self.old:
            write(folder, "old.yml", policy(self.source, self.release, k=40, **self.more))

    def found(self, folder):
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            names = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
            if self.place not in names:
                return None
            return counted(connection.execute(f"FROM {self.place}").fetchall())

    def left(self, folder):
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            return {name for (name,) in connection.execute("SHOW TABLES").fetchall()}


class InLake(Channel):
    """A table of a format of lakes."""

    def __init__(self, form, *, in_place):
        self.form, self.in_place = form, in_place
        self.name = f"{form.form}-{'in-place' if in_place else 'table'}"
        self.words = ("anonymize", "p.yml", *(("--purge",) if in_place else ()))

    def environment(self, folder):
        catalog = "PYICEBERG_CATALOG__LAKE__"
        return {
            f"{catalog}URI": f"sqlite:///{folder}/catalog.db",
            f"{catalog}WAREHOUSE": f"file://{folder}/lake",
        }

    def lake(self, folder):
        made = self.form.__new__(self.form)
        made.folder = folder
        if self.form is Iceberg:
            from pyiceberg.catalog import load_catalog

            made.catalog = load_catalog(
                "lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake"
            )
        elif self.form is DuckLake:
            made.catalog, made.extension = "lake.ducklake", None
        return made

    def put_back(self, template, folder):
        """Iceberg's catalog names its files by their whole paths, so each table is made where it is used."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "tmp").mkdir()
        self.lay(folder)

    def lay(self, folder):
        for made in ("lake", "data"):
            shutil.rmtree(folder / made, ignore_errors=True)
        lake = self.form(folder)
        os.chdir(folder)  # Delta's tables are named from there
        lake.make(duckdb.sql(RAW).to_arrow_table())
        if self.form is Iceberg:
            lake.catalog.engine.dispose()  # or its file stays open
        release = IN_PLACE if self.in_place else in_format(lake, lake.released)
        source = lake.name if self.form is not DuckLake else lake.place
        write(folder, "p.yml", policy(source, release))

    def found(self, folder):
        os.chdir(folder)
        lake = self.lake(folder)
        place = lake.place if self.in_place else lake.released
        if self.form is DuckLake:
            place = "people" if self.in_place else lake.released
            if place not in lake.tables():
                return None
        if self.form is Iceberg and not lake.catalog.table_exists(place.removeprefix("lake.")):
            return None
        if self.form is Delta and not import_module("deltalake").DeltaTable.is_deltatable(place):
            return None
        rows = lake.rows(place)
        if self.form is Iceberg:
            lake.catalog.engine.dispose()  # or its file stays open
        return counted(
            zip(*(rows.column(name).to_pylist() for name in rows.column_names), strict=True)
        )


class Partition(Channel):
    """One more partition of a released lake."""

    name = "partition"
    release: ClassVar = {"parquet": "out", "partition_by": ["day"]}
    source: ClassVar = {"path": "lake"}
    words = ("apply", "p.plan.yml", "--partition", "day=d1")

    def lay(self, folder):
        duckdb.sql(f"COPY ({RAW}) TO '{folder}/lake' (FORMAT PARQUET, PARTITION_BY (day))")
        write(folder, "p.yml", policy(self.source, self.release))
        for words in (("plan", "p.yml"), ("apply", "p.plan.yml", "--partition", "day=d0")):
            run_whole(folder, words)

    def found(self, folder):
        return counted(
            duckdb.sql(
                f"FROM read_parquet('{folder}/out/**/*.parquet') SELECT age, zip, day, disease"
            ).fetchall()
        )


class Written(Channel):
    """Files that are written beside a release: a plan, a certificate."""

    release = "out.parquet"

    def __init__(self, name, words, before, files):
        self.name, self.words, self.before, self.files = name, words, before, files

    def lay(self, folder):
        super().lay(folder)
        for words in self.before:
            run_whole(folder, words)

    def found(self, folder):
        there = [each for each in sorted(folder.glob(self.files)) if each.is_file()]
        if not there and not list(folder.glob(self.files.partition("/")[0])):
            return None
        return Counter((str(each.relative_to(folder)), each.stat().st_size > 0) for each in there)


CHANNELS = [
    InFile("parquet", "out.parquet", "read_parquet('{}')"),
    InFile("parquet-replaced", "out.parquet", "read_parquet('{}')", old=True),
    InFile("csv-replaced", "out.csv", "read_csv('{}', all_varchar = true)", old=True),
    InFile("folder", {"parquet": "out", "partition_by": ["day"]}, "read_parquet('{}')"),
    InFile("folder-replaced", {"parquet": "out", "partition_by": ["day"]}, "read_parquet('{}')", old=True),
    InDatabase("table", {"table": "out"}),
    InDatabase("table-replaced", {"table": "out"}, old=True),
    InDatabase("view", {"table": "out", "view": True}),
    InDatabase("view-replaced", {"table": "out", "view": True}, old=True),
    InDatabase("in-place", IN_PLACE),
    *(InLake(form, in_place=each) for form in (Delta, Iceberg, DuckLake) for each in (False, True)),
    Partition(),
    Written("plan", ("plan", "p.yml"), (), "p.plan.yml"),
    Written("certificate", ("certify", "out.parquet", "--plan", "p.plan.yml"),
            (("plan", "p.yml"), ("apply", "p.plan.yml")), "out.certificate/*"),
]  # fmt: skip


def run_whole(folder, words, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(folder / "tmp"), **KEY, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run():
    with commands("duckdb", "pyarrow", "psycopg", "deltalake") as each:
        yield each


@dataclass
class Laid:
    """A channel whose source lies in a folder, and what a reader finds before a run and after one."""

    channel: Channel
    template: Path
    folder: Path
    run: object
    before: Counter | None = None
    after: Counter | None = None
    prints: Path | None = None

    @property
    def environment(self):
        own = {} if self.prints is None else {"KANON_TEST_SAID": str(self.prints)}
        return {**KEY, **own, **self.channel.environment(self.folder)}

    @property
    def said(self):
        return (self.prints or self.folder / "said").read_text()

    def anew(self):
        self.channel.put_back(self.template, self.folder)

    def do(self, *more, moment=None):
        ended = self.run((*self.channel.words, *more), self.folder, moment, **self.environment)
        assert "RAWNAME" not in self.said
        assert "Traceback" not in self.said
        return ended

    def check_whole(self, what):
        """Check that there is the old release or the new one, and that `clean` takes the rest and leaves it."""
        found = self.channel.found(self.folder)
        assert found in (self.before, self.after), f"half a release after {what}"
        self.sweep()
        assert self.channel.found(self.folder) == found, f"clean changed the release after {what}"
        return "new" if found == self.after else "old"

    def check_again(self, what):
        """Check that what is left does not stop the next run."""
        again = self.do()
        assert again.code == 0, f"after {what}: {self.said}"
        assert self.channel.found(self.folder) == self.after

    def sweep(self):
        """Clean as a user does; then nothing of the run is left but what a reader may see."""
        for each in (self.folder / "tmp").iterdir():
            if not (
                each / "lock"
            ).exists():  # killed as it began: `clean` waits a minute for its lock
                os.utime(each, (0, 0))
            if each.is_file() and each.read_bytes() == b"blat":
                each.unlink()  # by which Python's tempfile tries whether it can write a folder
        for words in (("--force",), *self.channel.cleaned):
            assert self.run(("clean", *words), self.folder, **self.environment).code == 0, self.said
        left = [
            p.name for p in self.folder.rglob("*") if "kanon" in p.name or p.name.endswith(".old")
        ]
        assert left == []
        assert list((self.folder / "tmp").iterdir()) == []


@pytest.fixture
def laid(run, tmp_path, monkeypatch):
    """Lay a channel's source once; a whole run tells what is new."""
    monkeypatch.chdir(tmp_path)

    def lay(channel, folder=tmp_path / "run"):
        if isinstance(channel, InLake):
            (tmp_path / "probe").mkdir()
            channel.form(
                tmp_path / "probe"
            )  # skips where the library of the format is not installed
        template = tmp_path / "template"
        (template / "tmp").mkdir(parents=True)
        channel.lay(template)
        if getattr(channel, "old", False):
            run_whole(template, ("anonymize", "old.yml"))
        made = Laid(channel, template, folder, run)
        made.anew()
        made.before = channel.found(folder)
        whole = made.do()
        assert whole.code == 0, made.said
        made.after = channel.found(folder)
        assert made.after
        assert made.after != made.before
        return made, whole

    return lay


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with postgres_address(tmp_path_factory.mktemp("server")) as address:
        yield address


class InServer(Channel):
    """A table of PostgreSQL, beside the source or in its place."""

    source: ClassVar = {"table": "people"}
    words = ("anonymize", "p.yml")

    def __init__(self, address, *, in_place):
        self.address, self.place = address, "people" if in_place else "out"
        self.release = IN_PLACE if in_place else {"table": "out"}
        self.more = {"database": address}
        self.cleaned = (("--path", "."), ("--database", address, "--older-than", "0"))

    def lay(self, folder):
        super().lay(folder)

    def put_back(self, template, folder):
        super().put_back(template, folder)
        rows = duckdb.sql(RAW).fetchall()
        with self.connected() as connection:
            connection.execute("DROP TABLE IF EXISTS people, out")
            connection.execute(
                "CREATE TABLE people (name TEXT, age INTEGER, zip TEXT, day TEXT, disease TEXT)"
            )
            with connection.cursor().copy("COPY people FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)

    @contextmanager
    def connected(self):
        import psycopg

        for _ in range(200):  # a server whose process was killed starts anew
            try:
                connection = psycopg.connect(self.address, autocommit=True)
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                break
        else:
            pytest.fail("the server does not come back")
        with connection:
            yield connection

    def found(self, folder):
        with self.connected() as connection:
            running = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kanon-sql'"
            while connection.execute(running).fetchall():
                time.sleep(0.01)  # a server notices later that its client is gone
            tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            names = {name for (name,) in connection.execute(tables).fetchall()}
            assert names <= {"people", "out"}
            return (
                counted(connection.execute(f"SELECT * FROM {self.place}").fetchall())
                if self.place in names
                else None
            )


def spread_kills(laid, channel):
    made, whole = laid(channel)
    seen = Counter()
    for n, moment in enumerate(whole.moments(KILLS, random.Random(channel.name))):
        made.anew()
        ended = made.do(moment=moment)
        assert ended.code in (0, -signal.SIGKILL, -signal.SIGALRM), made.said
        state = made.check_whole(moment)
        seen[state] += 1
        if state == "old" and n % 4 == 0:
            made.check_again(moment)
    assert seen["old"]
    print(f"{channel.name}: {dict(seen)} of {KILLS} kills; a whole run: {whole}")


@pytest.mark.parametrize("channel", CHANNELS, ids=[each.name for each in CHANNELS])
def test_a_killed_run_leaves_the_old_release_or_the_whole_new_one(channel, laid):
    spread_kills(laid, channel)


@pytest.mark.parametrize("in_place", [False, True], ids=["table", "in-place"])
def test_a_killed_run_leaves_a_server_as_it_was_or_released(in_place, laid, server):
    channel = InServer(server, in_place=in_place)
    channel.name = f"postgres-{'in-place' if in_place else 'table'}"
    spread_kills(laid, channel)


@pytest.mark.parametrize("in_place", [False, True], ids=["table", "in-place"])
def test_a_server_whose_process_is_killed_holds_the_old_table_or_the_released_one(
    in_place, laid, server
):
    """SIGKILL of the process that serves the run: PostgreSQL ends all others and recovers from its log."""
    channel = InServer(server, in_place=in_place)
    made, whole = laid(channel)
    draw, seen = random.Random(4), Counter()
    for _ in range(max(1, KILLS // 3)):
        made.anew()
        client = subprocess.Popen(
            [sys.executable, "-m", "kanon_sql", *channel.words], cwd=made.folder, stderr=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(made.folder / "tmp"), **KEY},
        )  # fmt: skip
        with channel.connected() as connection:
            serving = "SELECT pid FROM pg_stat_activity WHERE application_name = 'kanon-sql'"
            while client.poll() is None and not connection.execute(serving).fetchall():
                time.sleep(0.005)
            time.sleep(draw.uniform(0, whole.seconds))
            for (pid,) in connection.execute(serving).fetchall() if client.poll() is None else ():
                os.kill(pid, signal.SIGKILL)
        _, said = client.communicate(timeout=60)
        assert client.returncode in (0, 1), said
        assert "Traceback" not in said
        assert "RAWNAME" not in said
        seen[made.check_whole("SIGKILL of the server's process"), client.returncode] += 1
    print(f"server killed, {channel.place}: {dict(seen)}")
    made.anew()
    made.check_again("SIGKILL of the server's process")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 24 MB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("channel", CHANNELS, ids=[each.name for each in CHANNELS])
def test_a_full_disk_leaves_the_old_release_or_the_whole_new_one(channel, laid, small_disk):
    made, _ = laid(channel, small_disk / "run")
    made.prints = small_disk.with_name("said")
    seen = Counter()
    for free in (0, 16, 64, 256, 1024, 3000):
        made.anew()
        filler = small_disk / "filler"
        filler.write_bytes(b"")
        room = shutil.disk_usage(small_disk).free - free * 1024
        filler.write_bytes(bytes(max(room, 0)))
        ended = made.do()
        said = made.said
        filler.unlink()
        assert ended.code in (0, 1), said
        seen[made.check_whole(f"a disk with {free} KiB left"), ended.code] += 1
        told = ended.code == 0 or "the release itself was published" in said
        assert told == (channel.found(made.folder) == made.after), said
    made.anew()
    made.check_again("a full disk")
    print(f"{channel.name}: {dict(seen)}")


@pytest.mark.parametrize("channel", CHANNELS, ids=[each.name for each in CHANNELS])
def test_a_disk_that_cannot_be_written_is_one_error(channel, laid, small_disk):
    made, _ = laid(channel, small_disk / "run")
    made.anew()
    spill = small_disk.parent / "spill"
    spill.mkdir()
    gc.collect()  # a catalog of this process that holds a file open keeps the disk writable
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "kanon_sql", *channel.words], cwd=made.folder, capture_output=True, text=True,
            check=False, env={**os.environ, **made.environment, "TMPDIR": str(spill)},
        )  # fmt: skip
    finally:
        subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr
    assert list(spill.iterdir()) == []
    assert made.check_whole("a disk that cannot be written") == "old"


@pytest.mark.parametrize("channel", CHANNELS, ids=[each.name for each in CHANNELS])
def test_two_runs_at_once_leave_one_whole_release(channel, laid):
    made, _ = laid(channel)
    for _ in range(2):
        made.anew()
        runs = [
            subprocess.Popen(
                [sys.executable, "-m", "kanon_sql", *channel.words], cwd=made.folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True, env={**os.environ, **made.environment, "TMPDIR": str(made.folder / "tmp")},
            )
            for _ in range(2)
        ]  # fmt: skip
        said = [each.communicate(timeout=120)[1] for each in runs]
        assert sorted(each.returncode for each in runs) in ([0, 0], [0, 1]), said
        assert not any("Traceback" in each for each in said), said
        assert channel.found(made.folder) == made.after
        made.sweep()


def test_a_run_that_lacks_memory_is_one_error_or_a_whole_release(laid):
    made, _ = laid(CHANNELS[0])
    seen = Counter()
    for limit in ("1MB", "4MB", "12MB", "40MB"):
        made.anew()
        ended = made.do("--memory-limit", limit)
        assert ended.code in (0, 1), made.said
        seen[made.check_whole(f"a limit of {limit}"), ended.code] += 1
    print(f"memory: {dict(seen)}")
