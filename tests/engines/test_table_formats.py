"""Tables of Delta Lake and Iceberg: source, release, in place; deleted rows, old versions, other columns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pytest
from lake_formats import Delta, DuckLake, Iceberg, in_format, with_extension

import kanon_sql
from kanon_sql.counting.source.open_view import lake_at
from kanon_sql.engines.capabilities import POSTGRES, SPARK
from kanon_sql.engines.lakes import delta as delta_tables
from kanon_sql.engines.lakes import iceberg as iceberg_tables
from kanon_sql.engines.lakes.lake_tables import LakeFormat, LakeTable

pytestmark = pytest.mark.sampled(3)

K = 5
COLUMNS = {
    "name": {"role": "identifying", "action": "drop"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "disease": {"role": "sensitive"},
}
IN_PLACE = {"in_place": True, "drop_original": True}


def people(start=0, rows=600, **more):
    at = range(start, start + rows)
    return pa.table(
        {
            "name": [f"RAWNAME{n}" for n in at],
            "age": [20 + n % 40 for n in at],
            "zip": [f"{10000 + n % 7}" for n in at],
            "disease": [("flu", "cold", "mumps")[n % 3] for n in at],
            **{name: [value] * rows for name, value in more.items()},
        }
    )


@pytest.fixture(params=[Delta, Iceberg, DuckLake], ids=["delta", "iceberg", "ducklake"])
def lake(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = request.param(tmp_path)
    with made.known() if made.form == "iceberg" else nullcontext():
        yield made


def policy(source, release=None, columns=COLUMNS, **more):
    given = {"version": 1, "source": source, "entity": "row", "columns": columns,
             "privacy": {"k": K}, "suppression": "5%", **more}  # fmt: skip
    return given if release is None else {**given, "release": release}


def recounted(rows):
    """Count the rows and the smallest class of a table by SQL of its own."""
    with duckdb.connect() as connection:
        connection.register("released", rows)
        return connection.execute(
            "SELECT SUM(n), MIN(n) FROM (SELECT COUNT(*) AS n FROM released GROUP BY age, zip)"
        ).fetchone()


def texts(rows, *names):
    return Counter(zip(*(map(str, rows.column(name).to_pylist()) for name in names), strict=True))


def has_raw(lake, place=None):
    """Whether a name of the source is in any file of a table, as it is or in a page of Parquet."""
    for each in lake.files(*([] if place is None else [place])):
        if b"RAWNAME" in each.read_bytes():
            return True
        if each.suffix == ".parquet" and "checkpoint" not in each.name:
            with duckdb.connect() as connection:
                rows = connection.execute("FROM read_parquet(?)", [str(each)]).fetchall()
            if any("RAWNAME" in str(row) for row in rows):
                return True
        if each.suffix == ".avro":
            from pyiceberg.avro.file import AvroFile
            from pyiceberg.io.pyarrow import PyArrowFileIO

            with AvroFile(PyArrowFileIO().new_input(str(each))) as file:
                if any("RAWNAME" in str(list(row)) for row in file):
                    return True
    return False


def test_deleted_rows_and_rows_of_old_versions_are_no_rows_of_the_source(lake):
    lake.make(people())
    lake.delete()
    lake.append(people(600, 100))
    living = lake.rows()
    made = kanon_sql.anonymize(policy(lake.name, in_format(lake, lake.released)))
    rows = lake.rows(lake.released)
    count, smallest = recounted(rows)
    assert count == made.verification.rows == made.to_arrow().num_rows
    assert smallest == made.verification.smallest_class >= K
    assert made.plan.source_rows == living.num_rows < 700
    assert made.plan.suppressed_rows == living.num_rows - count
    assert not texts(rows, "disease") - texts(living, "disease")
    assert not has_raw(lake, lake.released)


def test_a_version_that_the_policy_names_is_read_however_the_table_goes_on(lake):
    lake.make(people())
    first = lake.version()
    lake.delete()
    source = in_format(lake, lake.place, **{lake.at: first})
    made = kanon_sql.anonymize(policy(source, in_format(lake, lake.released)))
    assert made.plan.source_rows == 600
    assert recounted(lake.rows(lake.released))[0] == made.verification.rows
    with pytest.raises(kanon_sql.SourceError, match=r"cannot be read any more|is not there"):
        kanon_sql.plan(policy(in_format(lake, lake.place, **{lake.at: 123456})))


def test_the_version_stands_in_the_plan_and_another_one_is_stale(lake, monkeypatch):
    lake.make(people())
    given = policy(lake.name, in_format(lake, lake.released))
    made = kanon_sql.plan(given)
    assert made.source_fingerprint.startswith(f"{lake.form} ")
    assert made.source_fingerprint.endswith(f" {lake.at} {lake.version()}")
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "another key than that of the plan")
    kanon_sql.apply(made, policy=given)  # no key is needed to compare versions
    lake.append(people(600, 1))
    with pytest.raises(kanon_sql.StalePlanError, match="another version than the plan"):
        kanon_sql.apply(made, policy=given, replace=True)
    assert lake.versions(lake.released) == 1


def test_no_hash_of_all_rows_is_computed_for_a_version(lake):
    lake.make(people())

    def hashes(source, frame=None):
        given = policy(source)
        if frame is not None:
            del given["source"]
        with kanon_sql.anonymize(given, frame, keep_plan=True, keep_sql=True) as made:
            return sum("hash(" in each and "disease" in each for each in made.journal.texts)

    assert hashes(lake.name) < hashes(None, lake.rows())


def test_columns_that_were_added_later_are_read_by_name(lake):
    lake.make(people())
    lake.append(people(600, 60, ward="north"))
    with pytest.raises(kanon_sql.SourceError, match="ward"):
        kanon_sql.plan(policy(lake.name))
    columns = {**COLUMNS, "ward": {"role": "quasi", "hierarchy": "suppress"}}
    kanon_sql.anonymize(policy(lake.name, in_format(lake, lake.released), columns))
    rows = lake.rows(lake.released)
    assert set(rows.column("ward").to_pylist()) <= {"north", "*", None}
    assert recounted(rows)[1] >= K


def test_a_release_is_replaced_by_another_version_of_it(lake):
    lake.make(people())
    given = policy(lake.name, in_format(lake, lake.released))
    kanon_sql.anonymize(given)
    with pytest.raises(kanon_sql.ReleaseError, match="already exists"):
        kanon_sql.anonymize(given)
    first = lake.version(lake.released)
    lake.delete()
    made = kanon_sql.anonymize(given, replace=True)
    assert recounted(lake.rows(lake.released))[0] == made.verification.rows
    assert recounted(lake.rows(lake.released, first))[0] > made.verification.rows
    without = {
        **given,
        "columns": {**COLUMNS, "disease": {"role": "identifying", "action": "drop"}},
    }
    kanon_sql.anonymize(without, replace=True)
    assert lake.rows(lake.released).column_names == ["age", "zip"]
    kanon_sql.anonymize(given, replace=True)
    assert recounted(lake.rows(lake.released))[0] == made.verification.rows


def test_what_is_read_is_not_written_to_but_in_place(lake):
    lake.make(people())
    with pytest.raises(kanon_sql.ReleaseError, match="read by the run"):
        kanon_sql.anonymize(policy(lake.name, in_format(lake, lake.place)), replace=True)
    assert lake.versions() == 1


def test_in_place_the_old_versions_are_told_and_still_hold_the_rows(lake):
    lake.make(people())
    lake.delete()
    before, versions = lake.version(), lake.versions()
    made = kanon_sql.anonymize(policy(lake.name, IN_PLACE))
    rows = lake.rows()
    assert rows.column_names == ["age", "zip", "disease"]
    assert recounted(rows) == (made.verification.rows, made.verification.smallest_class)
    assert any(f"{versions} older" in each and "--purge" in each for each in made.warnings)
    assert "RAWNAME599" in lake.rows(version=before).column("name").to_pylist()


def test_in_place_purge_leaves_no_raw_value_in_any_file(lake):
    lake.make(people())
    lake.append(people(600, 60))
    lake.delete()
    assert has_raw(lake)
    made = kanon_sql.anonymize(policy(lake.name, IN_PLACE), purge=True)
    assert not has_raw(lake)
    rows = lake.rows()
    assert recounted(rows) == (made.verification.rows, made.verification.smallest_class)
    assert not any("older" in each for each in made.warnings)
    more = pa.table({name: rows.column(name).slice(0, 1) for name in rows.column_names})
    lake.append(more)  # the table is as usable as before
    assert lake.rows().num_rows == rows.num_rows + 1


def test_in_place_of_an_older_version_and_a_kept_original_are_refused(lake):
    lake.make(people())
    first = lake.version()
    lake.delete()
    source = in_format(lake, lake.place, **{lake.at: first})
    with pytest.raises(kanon_sql.ReleaseError, match="newest version"):
        kanon_sql.anonymize(policy(source, IN_PLACE))
    kept = {"in_place": True, "keep_original": "raw"}
    with pytest.raises(kanon_sql.ReleaseError, match="older versions"):
        kanon_sql.anonymize(policy(lake.name, kept))
    assert "name" in lake.rows().column_names


def test_a_commit_of_somebody_else_meanwhile_ends_a_release_in_place(lake, monkeypatch):
    if lake.form == "ducklake":
        pytest.skip("nobody else opens a catalog that is a file of DuckDB; see test_ducklake.py")
    lake.make(people())
    module, name = {
        "delta": (delta_tables, "replace_rows"),
        "iceberg": (iceberg_tables, "commit_of_rows"),
    }[lake.form]
    plain = getattr(module, name)

    def first_somebody_else(*args):
        lake.append(people(600, 50))
        return plain(*args)

    monkeypatch.setattr(module, name, first_somebody_else)
    with pytest.raises(kanon_sql.ReleaseError, match="changed by somebody else"):
        kanon_sql.anonymize(policy(lake.name, IN_PLACE), purge=True)
    rows = lake.rows()
    assert rows.num_rows == 650
    assert "name" in rows.column_names


KILLED = """
import os, sys
import kanon_sql
from kanon_sql.counting.run.session import Session
Session.may_publish = lambda *_: os._exit(9)
kanon_sql.anonymize(sys.argv[1], purge=True)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_before_its_commit_leaves_the_table_as_it_was(lake):
    lake.make(people())
    version, rows = lake.version(), lake.rows()
    (lake.folder / "p.yml").write_text(json.dumps(policy(lake.name, IN_PLACE)))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, "p.yml"], cwd=lake.folder, env=os.environ, check=False
    )
    assert done.returncode == 9
    assert (lake.version(), lake.versions()) == (version, 1)
    assert texts(lake.rows(), "name") == texts(rows, "name")
    made = kanon_sql.anonymize(policy(lake.name, IN_PLACE), purge=True)
    assert recounted(lake.rows())[0] == made.verification.rows
    assert not list(lake.folder.glob(".*kanon*"))
    assert not has_raw(lake)


def test_a_type_that_the_format_does_not_have_is_refused_and_nothing_published(lake):
    with duckdb.connect() as connection:
        value = {
            "delta": "200::UTINYINT",
            "iceberg": "TIMESTAMP_NS '2024-01-01 00:00:00.000000200'",
            "ducklake": "CAST([200, 200] AS INTEGER[2])",
        }
        rows = connection.sql(
            f"SELECT 1 + n % 3 AS zip, {value[lake.form]} AS v FROM range(30) t(n)"
        )
        given = policy("-", in_format(lake, lake.released), {
            "zip": {"role": "quasi", "hierarchy": "suppress"}, "v": {"role": "insensitive"},
        })  # fmt: skip
        with pytest.raises(kanon_sql.KanonError) as caught:
            kanon_sql.anonymize(given, rows.to_arrow_table())
    assert "nothing was published" in str(caught.value).lower() or "cast it" in str(caught.value)
    assert "200" not in str(caught.value)
    assert not lake.files(lake.released)


@pytest.mark.slow
def test_the_command_line_names_a_table_by_its_format(lake):
    lake.make(people())
    lake.delete()
    (lake.folder / "p.yml").write_text(
        json.dumps(policy(lake.name, in_format(lake, lake.released)))
    )

    def run(*words, rc=0):
        done = subprocess.run(
            [sys.executable, "-m", "kanon_sql", *words],
            capture_output=True, text=True, cwd=lake.folder, check=False, env=os.environ,
        )  # fmt: skip
        assert done.returncode == rc, done.stdout + done.stderr
        return done.stdout + done.stderr

    run("plan", "p.yml", "-o", "plan.yml")
    assert f"{lake.at} {lake.version()}" in (lake.folder / "plan.yml").read_text()
    run("apply", "plan.yml")
    assert recounted(lake.rows(lake.released))[1] >= K
    run("verify", lake.text(lake.released), "--quasi", "age,zip", "-k", str(K))
    run("verify", lake.name, "--quasi", "name", "-k", str(K), rc=4)
    run("init", lake.name, "-o", "made.yml")
    assert f"{{{lake.form}: " in (lake.folder / "made.yml").read_text()
    script = run("compile", "plan.yml", rc=1)
    assert "apply the plan instead" in script


@pytest.fixture(params=[True, False], ids=["extension", "library"])
def delta(request, tmp_path, monkeypatch):
    """A table of Delta, read by DuckDB's extension where there is one, and by the library of the format."""
    from kanon_sql.engines.lakes import delta as module

    monkeypatch.chdir(tmp_path)
    made = Delta(tmp_path)
    if request.param:
        with with_extension("delta"):
            pass
    else:
        monkeypatch.setattr(module, "has_extension", lambda *_: False)
    return made


def test_rows_that_a_deletion_vector_deletes_are_no_rows_of_the_source(delta):
    delta.make(people())
    deleted = delta.delete_by_vectors(lambda row: row["age"] < 25)
    living = 600 - deleted
    assert deleted == 75
    made = kanon_sql.anonymize(policy(delta.name, "released.parquet"), keep_plan=True)
    assert made.plan.source_rows == living
    assert made.plan.source_fingerprint.endswith(" version 1")
    with duckdb.connect() as connection:
        rows = connection.sql("FROM 'released.parquet'").to_arrow_table()
    assert recounted(rows) == (made.verification.rows, made.verification.smallest_class)
    first = kanon_sql.plan(policy({"delta": "people", "version": 0}))
    assert first.source_rows == 600


def test_a_table_with_deletion_vectors_is_released_in_place_and_purged(delta):
    delta.make(people())
    delta.delete_by_vectors(lambda row: row["age"] < 25)
    made = kanon_sql.anonymize(policy(delta.name, IN_PLACE), purge=True)
    rows = delta.rows()
    assert recounted(rows) == (made.verification.rows, made.verification.smallest_class)
    assert not has_raw(delta)
    assert not [each for each in delta.files() if each.suffix == ".bin"]


def test_columns_that_have_other_names_in_the_files_are_read(delta):
    rows = people()
    delta.make_mapped(rows)
    made = kanon_sql.anonymize(policy(delta.name, "released.parquet"))
    with duckdb.connect() as connection:
        released = connection.sql("FROM 'released.parquet'").to_arrow_table()
    assert made.plan.source_rows == 600
    assert recounted(released) == (made.verification.rows, made.verification.smallest_class)
    assert not texts(released, "disease") - texts(rows, "disease")
    with pytest.raises(kanon_sql.ReleaseError, match="column mapping"):
        kanon_sql.anonymize(policy(delta.name, IN_PLACE))


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_engines_that_no_library_gives_rows_to_refuse_by_their_capabilities(engine):
    facts = {"postgres": POSTGRES, "spark": SPARK}[engine]
    assert not facts.reads_lakes
    engine = SimpleNamespace(capabilities=facts)
    with pytest.raises(kanon_sql.SourceError, match=f"{facts.name} has its own tables"):
        lake_at(engine, LakeTable(LakeFormat.DELTA, "people"), "")


def test_a_table_that_only_takes_more_rows_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("deltalake").write_deltalake(
        "people", people(), configuration={"delta.appendOnly": "true"}
    )
    with pytest.raises(kanon_sql.ReleaseError, match="appendOnly"):
        kanon_sql.anonymize(policy("delta:people", IN_PLACE))


def test_a_folder_of_delta_named_as_files_is_still_refused_and_told_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("deltalake").write_deltalake("people", people())
    with pytest.raises(kanon_sql.SourceError, match="source: delta:PATH"):
        kanon_sql.plan(policy("people/*.parquet"))


# ---- partitions of Delta ------------------------------------------------------------------------


def in_partitions(tmp_path, monkeypatch, *columns):
    """A Delta table whose partitions have raw values, some of them odd, in the names of their folders."""
    deltalake = pytest.importorskip("deltalake")
    monkeypatch.chdir(tmp_path)
    rows = people(town="RAWTOWN", ward=None)
    odd = ["RAW\u00e9 x", "RAW%2F", "RAWb", "RAW='"]
    rows = rows.set_column(
        rows.column_names.index("ward"), "ward", [[odd[n % 4] for n in range(rows.num_rows)]]
    )
    deltalake.write_deltalake("people", rows, partition_by=list(columns))
    return deltalake


def test_purge_leaves_no_raw_value_in_the_name_of_a_folder(tmp_path, monkeypatch):
    deltalake = in_partitions(tmp_path, monkeypatch, "town", "ward")
    log = tmp_path / "people" / "_delta_log"
    (log / "_sidecars").mkdir()
    (log / "_sidecars" / "a.parquet").write_bytes(b"RAWNAME")
    (log / "_last_checkpoint.tmp").write_bytes(b"RAWNAME")
    (tmp_path / "people" / "_symlink_format_manifest" / "town=RAWTOWN").mkdir(parents=True)
    (tmp_path / "people" / "town=RAWTOWN" / ".a.parquet.crc").touch()
    own = {
        "town": {"role": "identifying", "action": "drop"},
        "ward": {"role": "quasi", "hierarchy": "suppress", "levels": {"least": 1}},
    }
    made = kanon_sql.anonymize(policy("delta:people", IN_PLACE, columns=COLUMNS | own), purge=True)
    paths = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    assert not [path for path in paths if "RAW" in path or "sidecar" in path or "tmp" in path]
    assert not any(b"RAW" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    table = deltalake.DeltaTable("people")
    assert table.to_pyarrow_table().num_rows == made.verification.rows
    assert table.metadata().partition_columns == ["ward"], "its labels are released"
    assert any(
        "was partitioned by ward, town, and is now by ward alone" in n for n in made.warnings
    )


@pytest.mark.parametrize("way", ["in place", "replaced"])
def test_a_table_in_partitions_keeps_those_that_are_released(tmp_path, monkeypatch, way):
    deltalake = in_partitions(tmp_path, monkeypatch, "ward", "zip")
    own = {"town": {"role": "insensitive"}, "ward": {"role": "insensitive"}}
    release, options = IN_PLACE, {}
    if way == "replaced":
        release, options = {"delta": "released"}, {"replace": True}
        deltalake.write_deltalake(
            "released",
            pa.table({"ward": ["x"], "zip": ["y"], "z": [1]}),
            partition_by=["ward", "zip"],
        )
    made = kanon_sql.anonymize(policy("delta:people", release, columns=COLUMNS | own), **options)
    table = deltalake.DeltaTable("people" if way == "in place" else "released")
    assert table.metadata().partition_columns == ["ward", "zip"]
    rows = table.to_pyarrow_table()
    assert rows.column_names == ["age", "zip", "disease", "town", "ward"]
    assert set(rows["ward"].to_pylist()) == {"RAW\u00e9 x", "RAW%2F", "RAWb", "RAW='"}
    assert recounted(rows) == (made.verification.rows, made.verification.smallest_class)
    assert len(table.partitions()) == len(
        set(zip(rows["ward"].to_pylist(), rows["zip"].to_pylist(), strict=True))
    )
    assert not any("partitioned by" in each for each in made.warnings)


@pytest.mark.parametrize("role", ["insensitive", "identifying"])
def test_an_iceberg_table_that_was_partitioned_once_is_refused_with_that_reason(
    tmp_path, monkeypatch, role
):
    """Or released in place, where no column has the name of the partition; its folders go."""
    transforms = pytest.importorskip("pyiceberg.transforms")
    monkeypatch.chdir(tmp_path)
    lake = Iceberg(tmp_path)
    rows = people(town="RAWTOWN")
    table = lake.catalog.create_table("clinic.people", schema=rows.schema)
    with table.update_spec() as spec:
        spec.add_field("town", transforms.IdentityTransform(), "town")
    table.append(rows)
    with table.update_spec() as spec:
        spec.remove_field("town")
    table.append(people(600, 60, town="RAWTOWN"))
    town = {"role": role, **({"action": "drop"} if role == "identifying" else {})}
    given = policy(lake.name, IN_PLACE, columns=COLUMNS | {"town": town})
    with lake.known():
        if role == "identifying":
            kanon_sql.anonymize(given, purge=True)
            assert not any("RAWTOWN" in str(path) for path in tmp_path.rglob("*"))
            assert not has_raw(lake)
            return
        with pytest.raises(kanon_sql.ReleaseError, match="was partitioned by town once"):
            kanon_sql.anonymize(given)
        assert lake.rows().num_rows == 660
