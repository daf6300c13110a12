"""The channels of a release, each from the same source and policy to what a reader gets and what was said meanwhile."""

from __future__ import annotations

import shutil
import traceback
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest
import yaml
from lake_formats import DuckLake, Iceberg
from shells import run

import kanon_sql
from tests.attacks.reader import rows_of

OUT = "r_out"
QUOTED = {"quotechar": '"', "escapechar": '"'}


@dataclass
class Outcome:
    """What came of it: the rows, or None where it was refused; and all words and files beside them."""

    rows: list | None = None
    words: list = field(default_factory=list)


class Lab:
    """A folder with a DuckDB file that has an attack's source."""

    def __init__(self, attack, folder):
        self.attack, self.folder = attack, folder
        self.file = folder / "lab.duckdb"
        make_sources(self.file, [attack])
        self.words, self.edit = [], None

    def connected(self):
        return closing(duckdb.connect(str(self.file)))

    def source(self):
        with self.connected() as connection:
            return source_of(connection, self.attack)

    def plan(self, connection, **changes):
        """Plan on the rows that there were, and keep the file."""
        table = self.attack.slug
        if "new" in changes:
            connection.execute(
                f"CREATE VIEW before AS FROM {table} WHERE NOT ({changes.pop('new')})"
            )
            table = "before"
        policy = self.attack.mapping(source={"table": table}, **changes)
        plan = kanon_sql.plan(policy, connection=connection)
        own = self.connected() if connection is None else nullcontext(connection)
        with own as reached:
            reached.execute(f"DELETE FROM {self.attack.slug} WHERE {self.attack.gone}")
        return self.written(plan.document()), policy

    def written(self, document, *, edited=True):
        """Write a plan file, as it was edited."""
        path = self.folder / "plan.yml"
        if self.edit is not None and edited:
            self.edit(document)
        text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
        path.write_text(text, encoding="utf-8")
        self.words.append(text)
        return path


def make_sources(file, attacks):
    """Write the sources to a DuckDB file that shells of older versions read too."""
    with closing(duckdb.connect()) as connection:
        connection.execute(f"ATTACH '{file}' AS made (STORAGE_VERSION 'v1.2.0')")
        for attack in attacks:
            connection.execute(f'CREATE TABLE made."{attack.slug}" AS {attack.source}')


def source_of(connection, attack):
    """The rows of a source, by the names of their columns."""
    found = connection.execute(f'FROM "{attack.slug}"')
    names = [each[0] for each in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def released(connection, table=OUT, schema="main"):
    found = connection.execute(f'FROM "{schema}"."{table}"')
    return rows_of([each[0] for each in found.description], found.fetchall())


def compiled(lab):
    """What `compile --sqlmesh` makes of a plan; no rows, as SQLMesh runs it in tests/attacks/projects.py."""
    with lab.connected() as connection:
        path, policy = lab.plan(connection)
        given = {"policy": policy, "connection": connection, "sqlmesh": "out.released"}
        lab.words.append(kanon_sql.compile_sql(path, **given))
    return []


def relation(lab):
    with lab.connected() as connection:
        policy = lab.attack.mapping(source={"table": lab.attack.slug})
        with kanon_sql.anonymize(policy, connection=connection) as made:
            return rows_of(made.relation.columns, made.relation.fetchall())


def table(lab):
    with lab.connected() as connection:
        path, policy = lab.plan(connection)
        kanon_sql.apply(path, policy=policy, connection=connection, release=OUT)
        return released(connection)


def view(lab):
    with lab.connected() as connection:
        path, policy = lab.plan(connection, release={"table": OUT, "view": True})
        kanon_sql.apply(path, policy=policy, connection=connection)
        return released(connection)


def new_rows(lab):
    with lab.connected() as connection:
        path, policy = lab.plan(connection, new=lab.attack.later)
        given = {"policy": policy, "connection": connection, "release": OUT}
        kanon_sql.apply(path, lab.attack.slug, to_new_rows=True, **given)
        return released(connection)


def parquet(lab):
    target = lab.folder / f"{OUT}.parquet"
    with lab.connected() as connection:
        path, policy = lab.plan(connection)
        kanon_sql.apply(path, policy=policy, connection=connection, release=str(target))
    return of_parquet(target)


def of_parquet(target):
    with closing(duckdb.connect()) as connection:
        found = connection.read_parquet(str(target))
        return rows_of(found.columns, found.fetchall())


def delta(lab):
    """As another library than that of the run reads its one file, which the log alone names."""
    pytest.importorskip("deltalake")
    target = lab.folder / OUT
    with lab.connected() as connection:
        path, policy = lab.plan(connection)
        kanon_sql.apply(path, policy=policy, connection=connection, release=f"delta:{target}")
    (file,) = target.glob("*.parquet")
    assert file.name in (target / "_delta_log" / f"{0:020}.json").read_text(encoding="utf-8")
    return of_parquet(file)


def iceberg(lab):
    """As another library than that of the run reads its one file, which the catalog's snapshot alone names."""
    lake = Iceberg(lab.folder)
    with lake.known(), lab.connected() as connection:
        path, policy = lab.plan(connection)
        place = f"lake.clinic.{OUT}"
        try:
            kanon_sql.apply(path, policy=policy, connection=connection, release=f"iceberg:{place}")
        except kanon_sql.KanonError:
            assert not [*(lab.folder / "lake").rglob("*.parquet")]
            raise
    files = [f"file://{each}" for each in (lab.folder / "lake").rglob("*.parquet")]
    assert files == [task.file.file_path for task in lake.table(place).scan().plan_files()]
    return of_parquet(files[0].removeprefix("file://"))


def ducklake(lab):
    """As a connection of its own reads the table; its catalog has least and greatest values, and small tables whole."""
    lake = DuckLake(lab.folder)
    with lab.connected() as connection:
        path, policy = lab.plan(connection)
        release = f"ducklake:{lab.folder / lake.catalog}#{OUT}"
        try:
            kanon_sql.apply(path, policy=policy, connection=connection, release=release)
        finally:
            lab.words.append((lab.folder / lake.catalog).read_bytes())
            assert_only_released(lake)
    with lake.open() as reader:
        found = reader.execute(f'FROM "{OUT}"')
        return rows_of([each[0] for each in found.description], found.fetchall())


def assert_only_released(lake):
    """A refused release leaves no table, and no file of one."""
    with lake.open() as reader:
        tables = {name for (name,) in reader.execute("SHOW TABLES").fetchall()}
        listed = reader.execute(
            f"SELECT data_file FROM ducklake_list_files('lake', '{OUT}')"
        ).fetchall() if tables else []  # fmt: skip
    assert tables <= {OUT}
    assert {Path(file).resolve() for (file,) in listed} == {
        each.resolve() for each in (lake.folder / "data").rglob("*.parquet")
    }


def csv(lab):
    """As the bytes of a file: two texts of one value are two values, and no value is the empty one."""
    target = lab.folder / f"{OUT}.csv"
    with lab.connected() as connection:
        path, policy = lab.plan(connection)
        kanon_sql.apply(path, policy=policy, connection=connection, release=str(target))
    with closing(duckdb.connect()) as connection:
        found = connection.read_csv(
            str(target), header=True, all_varchar=True, allow_quoted_nulls=False, **QUOTED
        )
        return rows_of(found.columns, found.fetchall())


def script(lab):
    shell = shutil.which("duckdb")
    if shell is None:
        pytest.skip("the duckdb shell is not installed")
    target = lab.folder / f"{OUT}.parquet"
    given = {"database": str(lab.file), "release": {"parquet": str(target)}}
    path, policy = lab.plan(None, **given)
    text = kanon_sql.compile_sql(path, policy=policy)
    file = lab.folder / "script.sql"
    file.write_text(text, encoding="utf-8")
    ran = run([shell, lab.file, "-f", file], lab.folder)
    lab.words += [text, ran.stdout, ran.stderr]
    if ran.returncode:
        assert not target.exists()
        raise kanon_sql.KanonError(ran.stderr)
    return of_parquet(target)


HERE = {
    "relation": relation,
    "table": table,
    "parquet": parquet,
    "delta": delta,
    "iceberg": iceberg,
    "ducklake": ducklake,
    "csv": csv,
    "view": view,
    "script": script,
    "new rows": new_rows,
}
"""The channels of this process."""


def through(channel, lab, channels=HERE):
    """Send a lab's source through a channel; where that refuses, nothing is published."""
    with lab.connected() as connection:
        before = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    try:
        rows = channels[channel](lab)
    except kanon_sql.KanonError as error:
        told = "".join(traceback.format_exception(error, chain=False))
        with lab.connected() as connection:
            after = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
        assert after <= before | {"before"}, "something is left of what was refused"
        assert not list(lab.folder.glob(f"{OUT}*"))
        return Outcome(None, [*lab.words, told, repr(error), *map(str, error.args)])
    made = [*lab.folder.glob(f"{OUT}*"), *lab.folder.glob(f"{OUT}/*")]
    files = [file.read_bytes() for file in made if file.is_file()]
    return Outcome(rows, [*lab.words, *files, *rows_told(rows)])


def rows_told(rows):
    return [cell for row in rows for cell in row.values() if cell is not None]
