"""Files that are not what they seem, as sources and as releases, in every channel that reads or writes files."""

from __future__ import annotations

import os
import re
import shutil
import traceback
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest
from lake_formats import DuckLake, Iceberg
from shells import run

import kanon_sql
from tests.attacks.channels import make_sources
from tests.attacks.reader import tells_nothing
from tests.attacks.table import CHANNELS, SECRET

pytestmark = pytest.mark.sampled(3)

ROWS = f"SELECT 'v' || (i % 2) AS q, i AS n, '{SECRET}-' || i AS name FROM range(8) AS r (i)"
NO_FILES = "its sources and releases are tables of the warehouse"
CANNOT = {
    "dbt": NO_FILES,
    "SQLMesh": NO_FILES,
    "view": "a view is over a table: the policy of one over files is refused",
}
BLIND = "a script in a shell is not told what else lies in a folder"


@dataclass(frozen=True)
class Hostile:
    """What is done to a good file, how the file is named, and what is said of it.

    `cannot` has the reason why it does not apply to a channel.
    """

    name: str
    file: str
    named: str
    harm: object
    told: str
    cannot: dict = field(default_factory=dict)


def appended(line):
    def harm(file):
        file.write_bytes(file.read_bytes() + line.encode())

    return harm


def above(file):
    file.write_bytes(f"name,illness\n{SECRET},flu\n{SECRET},hiv\n".encode() + file.read_bytes())


def without_header(file):
    """The first row, and what it holds, becomes the names of the columns."""
    file.write_bytes(file.read_bytes().partition(b"\n")[2])


def log_in(*parts):
    def harm(file):
        log = file.parent.joinpath(*parts) / "_delta_log"
        log.mkdir()
        (log / "00000000000000000000.json").write_text('{"commitInfo":{}}\n')

    return harm


def hidden(file):
    shutil.copy(file, file.parent / f".{file.name}")


FILES = [
    Hostile("a line of more fields", "a.csv", "a.csv", appended("v1,9,x,y,z\n"), "line 10"),
    Hostile("a line of fewer fields", "a.csv", "a.csv", appended("v1\n"), "line 10"),
    Hostile("a quote that does not end", "a.csv", "a.csv", appended('"v1,9,x\n'), "line 10"),
    Hostile(
        "a first line that is a row",
        "a.csv",
        "a.csv",
        without_header,
        "no header",
    ),
    Hostile("names above the header", "a.csv", "a.csv", above, "line 4|column"),
    Hostile(
        "a log of Delta beside",
        "lake/a.parquet",
        "lake/*.parquet",
        log_in(),
        "Delta",
        {"script of before": BLIND, "verify.sql": BLIND},
    ),
    Hostile(
        "a log of Delta above",
        "lake/inner/a.parquet",
        "lake/inner/*.parquet",
        log_in(".."),
        "Delta",
        {"script of before": BLIND, "verify.sql": BLIND},
    ),
    Hostile(
        "a hidden file beside",
        "lake/a.parquet",
        "lake",
        hidden,
        "hidden",
        {"script of before": BLIND, "verify.sql": BLIND},
    ),
]


class Folder:
    """A folder with a good file, and a policy for it."""

    def __init__(self, attack, folder):
        self.attack, self.folder = attack, folder
        self.words = []
        self.file = folder / "in" / attack.file
        self.named = str(folder / "in" / attack.named)
        self.file.parent.mkdir(parents=True)
        kept(self.file)
        make_sources(folder / "lab.duckdb", [])

    def policy(self, **changes):
        columns = {
            "q": {"role": "quasi", "hierarchy": "suppress"},
            "n": {"role": "insensitive"},
            "name": {"role": "identifying", "action": "drop"},
        }
        return {
            "version": 1,
            "source": {"path": self.named},
            "entity": "row",
            "columns": columns,
            "privacy": {"k": 2},
            **changes,
        }

    def plan(self, **changes):
        policy = self.policy(**changes)
        path = self.folder / "plan.yml"
        path.write_text(kanon_sql.plan(policy).to_yaml(), encoding="utf-8")
        return {"plan": path, "policy": policy}

    def harm(self):
        self.attack.harm(self.file)

    def shell(self, script, folder, *database):
        """Run a script in the database's shell; what fails there is told as what was refused."""
        ran = run([shell(), *database, "-bail", "-f", script], folder)
        self.words += [ran.stdout, ran.stderr]
        if ran.returncode:
            raise kanon_sql.KanonError(ran.stderr)


def shell():
    return shutil.which("duckdb") or pytest.skip("the duckdb shell is not installed")


def kept(file):
    with closing(duckdb.connect()) as connection:
        connection.execute(f"COPY ({ROWS}) TO '{file}'")


def relation(lab):
    lab.harm()
    with kanon_sql.anonymize(lab.policy()) as made:
        made.relation.fetchall()


def applied(**release):
    """Plan on the good file, and apply to the other."""

    def channel(lab):
        with closing(duckdb.connect(str(lab.folder / "lab.duckdb"))) as connection:
            plan = kanon_sql.plan(lab.policy(release=release), connection=connection)
            lab.harm()
            policy = lab.policy(release=release)
            kanon_sql.apply(plan, policy=policy, connection=connection)

    return channel


def iceberg(lab):
    lake = Iceberg(lab.folder)
    with lake.known():
        try:
            applied(iceberg=f"lake.clinic.{OUT}")(lab)
        finally:
            assert not [*(lab.folder / "lake").rglob("*.parquet")]


def ducklake(lab):
    lake = DuckLake(lab.folder)
    try:
        applied(ducklake=lake.catalog, table=OUT)(lab)
    finally:
        assert lake.tables() == []
        assert not [*(lab.folder / "data").rglob("*.parquet")]


def new_rows(lab):
    given = lab.plan()
    other = lab.folder / "new" / lab.attack.file
    other.parent.mkdir(parents=True)
    kept(other)
    lab.attack.harm(other)
    named = str(lab.folder / "new" / lab.attack.named)
    with kanon_sql.apply(source=named, to_new_rows=True, **given) as made:
        made.relation.fetchall()


def script(lab, *, before=False):
    given = lab.plan(release={"parquet": str(lab.folder / "r_out.parquet")})
    if not before:
        lab.harm()
    text = kanon_sql.compile_sql(**given)
    if before:
        lab.harm()
    file = lab.folder / "script.sql"
    file.write_text(text, encoding="utf-8")
    lab.words.append(text)
    lab.shell(file, lab.folder)


def verify(lab):
    lab.harm()
    kanon_sql.verify(lab.named, quasi=["q"], k=2)


def released(lab):
    """A good release of a good file, and the file of its rows."""
    out = lab.folder / "out" / lab.attack.file
    out.parent.mkdir(parents=True)
    given = lab.plan(release={out.suffix[1:]: str(out)})
    kanon_sql.apply(**given)
    return given, out, str(lab.folder / "out" / lab.attack.named)


def certify(lab):
    given, out, named = released(lab)
    lab.attack.harm(out)
    kanon_sql.certify(named, folder=lab.folder / "r_out", **given)


def certified(lab):
    given, out, named = released(lab)
    kanon_sql.certify(named, folder=lab.folder / "certificate", **given)
    lab.attack.harm(out)


def certificate(lab):
    certified(lab)
    found = kanon_sql.verify_certificate(lab.folder / "certificate" / "certificate.json")
    if not found.passed:
        raise kanon_sql.KanonError("the certificate does not pass")


def verify_sql(lab):
    certified(lab)
    lab.shell("verify.sql", lab.folder / "certificate")


OUT = "r_out"
READS = {
    "relation": relation,
    "table": applied(table=OUT),
    "parquet": applied(parquet="r_out.parquet"),
    "csv": applied(csv="r_out.csv"),
    "delta": applied(delta="r_out"),
    "iceberg": iceberg,
    "ducklake": ducklake,
    "new rows": new_rows,
    "script": script,
    "script of before": lambda lab: script(lab, before=True),
    "verify": verify,
    "certify": certify,
    "verify certificate.json": certificate,
    "verify.sql": verify_sql,
}
"""What reads a file; `script of before` was compiled when the file was good."""
UNTOLD = ("script of before", "verify certificate.json", "verify.sql")
"""Where the database says in its own words what it cannot read, or a claim fails."""
STALE = ("table", "parquet", "csv")
"""Where the plan is of other rows, which may be told first."""


@pytest.mark.parametrize(
    ("attack", "channel"),
    [
        pytest.param(attack, channel, id=f"{attack.name}-{channel}")
        for attack in FILES
        for channel in READS
        if channel not in attack.cannot
    ],
)
def test_a_file_that_is_not_what_it_seems_is_refused(attack, channel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lab = Folder(attack, tmp_path)
    with pytest.raises(kanon_sql.KanonError) as caught:
        READS[channel](lab)
    error = caught.value
    tells_nothing([*lab.words, str(error), *traceback.format_exception(error, chain=False)])
    assert not [*tmp_path.glob(f"{OUT}*")], "something was published"
    if channel not in (*UNTOLD, *STALE):
        assert re.search(attack.told, str(error))


SOURCES = {
    "a path": {"path": "in/a.parquet"},
    "a query of its path": {"query": "FROM 'in/a.parquet'"},
    "a view onto it": {"query": "FROM v"},
}
WAYS = {
    "itself": lambda file: file,
    "a symbolic link": lambda file: linked(os.symlink, file),
    "a hard link": lambda file: linked(os.link, file),
    "a linked folder": lambda file: linked(os.symlink, file.parent, "..") / file.name,
}


def linked(link, file, beside="../.."):
    made = Path(os.path.normpath(file / beside)) / f"link{file.suffix}"
    link(file, made)
    return made


def over_file(lab, policy, connection, target):
    kanon_sql.anonymize(policy, connection=connection, release=str(target), replace=True)


def over_file_of_new_rows(lab, policy, connection, target):
    plan = kanon_sql.plan(policy, connection=connection)
    given = {"policy": policy, "connection": connection, "to_new_rows": True}
    source = lab.file if "path" in policy["source"] else None
    kanon_sql.apply(plan, source, release=str(target), replace=True, **given)


def over_file_by_script(lab, policy, connection, target):
    connection.close()
    policy |= {"database": str(lab.folder / "lab.duckdb"), "release": {"parquet": str(target)}}
    text = kanon_sql.compile_sql(kanon_sql.plan(policy), policy=policy)
    (lab.folder / "script.sql").write_text(text, encoding="utf-8")
    lab.shell("script.sql", lab.folder, "lab.duckdb")


def over_file_by_certificate(lab, policy, connection, target):
    plan = kanon_sql.plan(policy, connection=connection)
    release = str(lab.folder / "released.parquet")
    given = {"policy": policy, "connection": connection}
    kanon_sql.apply(plan, release=release, **given)
    for folder in (target, target.parent):
        with pytest.raises(kanon_sql.KanonError):
            kanon_sql.certify(release, plan, folder=folder, replace=True, **given)
    raise kanon_sql.KanonError("both")


def over_table(lab, policy, connection, target):
    """The release has the name that the source has in the database."""
    over_file(lab, policy | {"release": {"table": "v"}}, connection, "v")


def over_view(lab, policy, connection, target):
    policy |= {"source": {"table": "v"}, "release": {"table": "v", "view": True}}
    kanon_sql.anonymize(policy, connection=connection, replace=True)


WRITES = {
    "table": over_table,
    "view": over_view,
    "parquet": over_file,
    "csv": over_file,
    "new rows": over_file_of_new_rows,
    "script": over_file_by_script,
    "certify": over_file_by_certificate,
}
NOT_WRITTEN = {
    "relation": "it writes nothing",
    "verify": "it writes nothing",
    "verify certificate.json": "it writes nothing",
    "verify.sql": "it writes nothing",
    "script of before": "it is the script",
    "delta": "its place is a folder, and a file there is no Delta table",
    "iceberg": "its place is a catalog, whose data are in a folder of its own",
    "ducklake": "its place is a catalog, whose data are in a folder of its own",
}


@pytest.mark.parametrize(
    ("way", "source", "channel"),
    [
        (way, source, channel)
        for way in WAYS
        for source in SOURCES
        for channel in WRITES
        if (source != "a view onto it" or way in ("itself", "a hard link"))
        and (channel not in ("table", "view") or (way, source) == ("itself", "a view onto it"))
    ],
)
def test_a_source_is_never_written_over(way, source, channel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ending = "csv" if channel == "csv" else "parquet"
    lab = Folder(Hostile("", f"a.{ending}", f"a.{ending}", None, ""), tmp_path)
    said = {key: text.replace("parquet", ending) for key, text in SOURCES[source].items()}
    if way != "itself" and os.name != "posix":
        pytest.skip("links need a privilege on Windows")
    target = WAYS[way](lab.file)
    before = lab.file.read_bytes()
    with closing(duckdb.connect(str(tmp_path / "lab.duckdb"))) as connection:
        connection.execute(f"CREATE VIEW v AS FROM '{lab.file}'")
        with pytest.raises(kanon_sql.KanonError) as caught:
            WRITES[channel](lab, lab.policy(source=said), connection, target)
    tells_nothing([*lab.words, caught.value])
    assert lab.file.read_bytes() == before
    if source != "a view onto it" and channel != "certify":
        assert "is the source itself" in str(caught.value)


def test_every_channel_is_named():
    """What reads files, what writes them, and why the others do not."""
    assert {*CHANNELS} <= {*READS, *CANNOT}
    assert {*READS, "view"} == {*WRITES, *NOT_WRITTEN}
    for attack in FILES:
        assert {*attack.cannot} <= {*READS}
        assert all(attack.cannot.values())


@pytest.mark.parametrize(
    "planted", ["_delta_log/_sidecars/a", "_delta_log/_last_checkpoint.tmp", None]
)
def test_no_name_or_file_of_a_purged_table_keeps_a_value(tmp_path, monkeypatch, planted):
    """A partition's folder is named after a value, and outlives the files in it."""
    deltalake = pytest.importorskip("deltalake")
    monkeypatch.chdir(tmp_path)
    with closing(duckdb.connect()) as connection:
        rows = connection.sql(ROWS).to_arrow_table()
    deltalake.write_deltalake("t", rows, partition_by=["name"])
    if planted is not None:
        (tmp_path / "t" / planted).parent.mkdir(exist_ok=True)
        (tmp_path / "t" / planted).write_text(SECRET)
    assert any(SECRET in str(path) for path in tmp_path.rglob("*"))
    columns = {
        "n": {"role": "insensitive"},
        "name": {"role": "identifying", "action": "drop"},
        "q": {"role": "quasi", "hierarchy": "suppress"},
    }
    given = {"version": 1, "source": "delta:t", "entity": "row", "columns": columns}
    in_place = {"in_place": True, "drop_original": True}
    kanon_sql.anonymize({**given, "privacy": {"k": 3}, "release": in_place}, purge=True)
    assert not [path for path in tmp_path.rglob("*") if SECRET in str(path)]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
