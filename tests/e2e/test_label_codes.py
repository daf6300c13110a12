"""Labels are staged as codes where the database can, and nobody who reads the release can tell."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mondrian import STRICT

import kanon_sql
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines.capabilities import DUCKDB
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.recoding import label_codes
from kanon_sql.recoding import label_codes as label_codes_sql
from kanon_sql.release import destination

PLACES = ["", "naïve 😀", "Zürich", "zebra", "Ähre", "a'b", 'c"d', None]
ROWS = 240
PEOPLE = pa.table(
    {
        "place": [PLACES[i % 8] for i in range(ROWS)],
        "age": pa.array([20 + i * i % 50 for i in range(ROWS)], pa.int64()),
        "zip": [f"0{2100 + i * i % 7 * 10 + i % 3}" for i in range(ROWS)],
        "disease": [None if i % 11 == 0 else f"d{i % 7}" for i in range(ROWS)],
        "note": [f"n{i}" for i in range(ROWS)],
    }
)
RARE = pa.concat_tables(
    [
        PEOPLE,
        pa.table(
            {
                "place": ["planted-place"],
                "age": pa.array([119], pa.int64()),
                "zip": ["97391"],
                "disease": ["d0"],
                "note": ["n"],
            }
        ),
    ]
)
TREE = {"*": {"odd": ["", "naïve 😀", "a'b", 'c"d'], "even": ["Zürich", "zebra", "Ähre"]}}


LINE = {"hierarchy": None, "order": "number"}


def policy(*, age=None, search=None, **changes):
    of_age = {"role": "quasi", "hierarchy": {"intervals": [5, 10, 40]}, **(age or {})}
    return {
        "version": 1,
        "entity": "row",
        "columns": {
            "place": {"role": "quasi", "hierarchy": {"tree": TREE}},
            "age": {key: value for key, value in of_age.items() if value is not None},
            "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
            "disease": {"role": "sensitive"},
            "note": {"role": "insensitive"},
        },
        "privacy": {"k": 4},
        "suppression": "10%",
        "search": search or {},
        **changes,
    }


RECODINGS = {
    "one node": policy(),
    "local": policy(search={"recoding": "local"}),
    "cells": policy(search={"recoding": "cells"}),
    "bounds": policy(age={"output": "bounds"}),
    "local with bounds": policy(age={"output": "bounds"}, search={"recoding": "local"}),
    "cells with bounds": policy(age={"output": "bounds"}, search={"recoding": "cells"}),
    "mu-Argus": policy(search={"algorithm": "mu_argus", "repair": "records"}),
    "datafly": policy(search={"algorithm": "datafly", "metric": "entropy"}),
    "regions": policy(search=STRICT),
    "lines": policy(age=LINE, search=STRICT),
    "lines with bounds": policy(age={**LINE, "output": "bounds"}, search=STRICT),
    "intervals": policy(age=LINE, search={"algorithm": "top_down", "target": "disease"}),
    "distinct l": policy(privacy=[{"k": 4}, {"distinct_l": {"column": "disease", "l": 2}}]),
    "several sets": policy(privacy=[{"k": 4}, {"k": 8, "over": ["place", "age"]}]),
}


def released(asked, table=PEOPLE, **changes):
    with kanon_sql.anonymize(asked, table, **changes) as release:
        return release.to_arrow(), release


@pytest.fixture
def without_codes(monkeypatch):
    """Stage texts, as databases do that have no codes."""

    def stop():
        monkeypatch.setattr(DuckDB, "capabilities", replace(DUCKDB, codes_labels=False))

    return stop


def rows_of(table):
    return Counter(tuple(row.values()) for row in table.to_pylist())


@pytest.mark.parametrize("asked", RECODINGS.values(), ids=RECODINGS)
def test_a_release_is_the_same_with_and_without_codes(asked, without_codes):
    coded, found = released(asked)
    assert any("AS ENUM" in text for text in released(asked, keep_sql=True)[1].journal.texts)
    without_codes()
    plain, counted = released(asked)
    assert coded.schema == plain.schema
    assert rows_of(coded) == rows_of(plain)
    assert found.verification.summary() == counted.verification.summary()
    assert found.summary()["risk"] == counted.summary()["risk"]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_is_the_same_with_and_without_codes(ending, tmp_path, without_codes):
    """NULL, an empty text, quotes and letters of several bytes are among its labels."""
    paths = [tmp_path / f"{name}.{ending}" for name in ("coded", "plain")]
    fine = policy(suppression="50%", privacy={"k": 1})
    kanon_sql.anonymize(fine, PEOPLE, release=str(paths[0]))
    without_codes()
    kanon_sql.anonymize(fine, PEOPLE, release=str(paths[1]))
    read = "read_parquet(?)" if ending == "parquet" else "read_csv(?, all_varchar = TRUE)"
    coded, plain = (
        Counter(duckdb.execute(f"FROM {read}", [str(path)]).fetchall()) for path in paths
    )
    assert coded == plain
    assert ending == "csv" or {row[0] for row in coded} == {*PLACES}
    described = [duckdb.execute(f"DESCRIBE FROM {read}", [str(path)]).fetchall() for path in paths]
    assert described[0] == described[1]


def test_columns_of_labels_are_text_wherever_they_are_read(tmp_path):
    """No frame has categories, and no file, table or view lists the labels of a type."""
    with duckdb.connect() as connection:
        connection.register("people", PEOPLE)
        for release in (str(tmp_path / "release.parquet"), {"table": "released"}):
            kanon_sql.anonymize(policy(), "people", release=release, connection=connection)
        kinds = {
            of: {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE {of}").fetchall()}
            for of in ("released", f"FROM '{tmp_path / 'release.parquet'}'")
        }
        assert connection.execute(
            "SELECT type_name FROM duckdb_types() WHERE NOT internal AND logical_type = 'ENUM'"
        ).fetchall() in ([], [("enum",)] * 3)
    assert [{kind[n] for n in ("place", "age", "zip")} for kind in kinds.values()] == [
        {"VARCHAR"},
        {"VARCHAR"},
    ]
    with kanon_sql.anonymize(policy(), PEOPLE) as release:
        assert {str(kind) for kind in release.relation.types} == {"VARCHAR"}
        assert release.to_arrow().schema.field("age").type in (pa.string(), pa.string_view())
        frame = release.to_pandas()
        assert not any(str(kind) == "category" for kind in frame.dtypes)
        ordered = release.relation.order("place, age").project("place, age").fetchall()
    texts = [tuple(x or "" for x in row) for row in ordered if None not in row]
    assert texts == sorted(texts)


@pytest.mark.parametrize("fails", [False, True])
def test_no_type_stays_in_a_connection(fails, monkeypatch):
    def types():
        return connection.execute(
            "SELECT database_name, schema_name, type_name FROM duckdb_types() ORDER BY ALL"
        ).fetchall()

    with duckdb.connect() as connection:
        before = types()
        if fails:
            monkeypatch.setattr("kanon_sql.release.stage.recount", None)
            with pytest.raises(TypeError):
                kanon_sql.anonymize(policy(), PEOPLE, connection=connection)
        else:
            with kanon_sql.anonymize(policy(), PEOPLE, connection=connection) as release:
                assert types() != before
                assert release.relation.limit(1).fetchall()
        assert types() == before
        assert connection.execute("SHOW ALL TABLES").fetchall() == []


@pytest.mark.parametrize("partitions", [[], ["zip"]])
def test_a_file_tells_nothing_of_labels_that_only_suppressed_rows_had(tmp_path, partitions):
    """DuckDB writes a dictionary entry for each label of a type, and before 2.0 the label itself."""
    asked = policy(privacy={"k": 2})
    asked["columns"]["place"]["hierarchy"] = {
        "tree": {"*": [*filter(None, PLACES), "", "planted-place"]}
    }
    asked["columns"]["place"]["levels"] = {"most": 0}
    place = tmp_path / "release"
    kanon_sql.anonymize(
        asked,
        RARE,
        release={
            "parquet": str(place if partitions else place.with_suffix(".parquet")),
            "compression": "uncompressed",
            **({"partition_by": partitions} if partitions else {}),
        },
    )
    files = sorted(tmp_path.rglob("*.parquet"))
    seen = duckdb.execute("SELECT DISTINCT place FROM read_parquet($1)", [[*map(str, files)]])
    released = {text for (text,) in seen.fetchall()}
    assert {"zebra", None} <= released
    assert "planted" not in released
    for file in files:
        assert b"planted" not in file.read_bytes()
        ((most,),) = duckdb.execute(
            "SELECT MAX(stats_distinct_count) FROM parquet_metadata($1) WHERE path_in_schema = 'place'",
            [str(file)],
        ).fetchall()
        assert most is None or most <= len(released - {None})


def test_columns_of_very_many_labels_stay_text(monkeypatch):
    coded, _ = released(policy())
    monkeypatch.setattr(label_codes, "MOST_LABELS", 2)
    plain, found = released(policy(), keep_sql=True)
    assert rows_of(coded) == rows_of(plain)
    types = [text for text in found.journal.texts if text.startswith("CREATE TEMP TYPE")]
    assert len(types) < 3


def test_a_release_in_place_is_of_texts():
    """The type of a column that lists the labels of today would refuse those of tomorrow."""
    with duckdb.connect() as connection:
        connection.register("people", PEOPLE)
        connection.execute("CREATE TABLE t AS FROM people")
        asked = policy(source={"table": "t"}, release={"in_place": True, "drop_original": True})
        kanon_sql.anonymize(asked, connection=connection)
        kinds = {name: kind for name, kind, *_ in connection.execute("DESCRIBE t").fetchall()}
        assert (kinds["place"], kinds["age"], kinds["zip"]) == ("VARCHAR",) * 3
        connection.execute("INSERT INTO t (place) VALUES ('another label')")


def test_staged_codes_that_change_are_noticed_by_the_recount(monkeypatch):
    """The recount reads the codes themselves, and nothing that the staging was made from."""
    real = label_codes.stage_rows

    def tampered(run, query, **texts):
        made = real(run, query, **texts)
        table = made.codes.table.sql(dialect="duckdb", identify=True)
        # One row is left with its place, a class of one, however the rows were shuffled.
        place = f"(SELECT MIN(place) FROM {table})"
        kept = f"(SELECT MIN(rowid) FROM {table} WHERE place = {place})"
        change = f"UPDATE {table} SET place = NULL WHERE place = {place} AND rowid <> {kept}"
        run.engine.connection.execute(change)
        return made

    monkeypatch.setattr("kanon_sql.release.stage.stage_rows", tampered)
    asked = policy(privacy={"k": 4}, suppression=0)
    asked["columns"]["place"]["levels"] = {"most": 1}
    with pytest.raises((kanon_sql.VerificationError, kanon_sql.StalePlanError)):
        kanon_sql.anonymize(asked, PEOPLE)


@pytest.fixture
def tamper(monkeypatch):
    """Change a label of what is written, wherever the engine writes it from, so many times."""

    def begin(times, change="zip = NULL WHERE rowid = 0"):
        real = DuckDB.write

        def write(engine, table, columns, out, path):
            nonlocal times
            if times:
                times -= 1
                origin = table.sql(dialect="duckdb", identify=True)
                engine.connection.execute("CREATE OR REPLACE TEMP TABLE tampered AS FROM " + origin)
                engine.connection.execute("ALTER TABLE tampered ALTER place TYPE VARCHAR")
                engine.connection.execute("UPDATE tampered SET " + change)
                table = named("tampered")
            real(engine, table, columns, out, path)

        monkeypatch.setattr(DuckDB, "write", write)

    return begin


def with_zips():
    asked = policy()
    asked["columns"]["zip"]["levels"] = {"most": 3}
    return asked


def test_a_file_with_other_labels_than_were_verified_is_refused(tmp_path, tamper):
    tamper(2)
    place = tmp_path / "release.parquet"
    with pytest.raises(kanon_sql.VerificationError, match=r"what was verified \(zip\)"):
        kanon_sql.anonymize(with_zips(), PEOPLE, release=str(place))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("of_many", [True, False])
@pytest.mark.parametrize("new", ["''", "'no label'", "NULL"])
@pytest.mark.parametrize("old", ["IS NULL", "= ''", "= 'zebra'"])
def test_no_label_and_no_null_is_taken_for_another(
    tmp_path, tamper, monkeypatch, old, new, *, of_many
):
    """Many rows are compared by codes, where a text that is no label has none, as NULL has."""
    if of_many:
        monkeypatch.setattr(destination, "MANY_ROWS", 0)
    tamper(2, f"place = {new} WHERE rowid = (SELECT MIN(rowid) FROM tampered WHERE place {old})")
    asked = policy()
    asked["columns"]["place"]["levels"] = {"most": 0}
    release = str(tmp_path / "release.parquet")
    if old.removeprefix("= ") == new or (old, new) == ("IS NULL", "NULL"):
        assert kanon_sql.anonymize(asked, PEOPLE, release=release).verification.rows
        return
    with pytest.raises(kanon_sql.VerificationError, match=r"what was verified \(place\)"):
        kanon_sql.anonymize(asked, PEOPLE, release=release)


@pytest.mark.parametrize("of_many", [True, False])
@pytest.mark.parametrize("partitions", [[], ["place"]])
def test_a_file_of_codes_that_lost_a_label_is_written_again_as_texts(
    tmp_path, tamper, monkeypatch, partitions, *, of_many
):
    if of_many:
        monkeypatch.setattr(destination, "MANY_ROWS", 0)
    places = [tmp_path / "whole", tmp_path / "tampered"]
    for times, place in enumerate(places):
        tamper(times)
        ending = "" if partitions else ".parquet"
        asked = {"parquet": f"{place}{ending}"} | (
            {"partition_by": partitions} if partitions else {}
        )
        kanon_sql.anonymize(with_zips(), PEOPLE, release=asked)
    assert len([*tmp_path.iterdir()]) == 2
    whole, again = (
        Counter(
            duckdb.execute(
                "SELECT place, age, zip, disease, note FROM read_parquet($1)",
                [[*map(str, [*place.rglob("*.parquet")] or [place.with_suffix(".parquet")])]],
            ).fetchall()
        )
        for place in places
    )
    assert whole == again


def test_rare_ones_of_many_labels_are_written_as_texts(tmp_path, monkeypatch):
    """Threads that write two row groups at once lose labels of few rows: DuckDB 2.0 marks them where both look.

    Hardly ever of a column of few labels, which is compared and written again.
    """
    texts = []
    for few, rows in ((0, label_codes.ROW_GROUP), (0, 16), (label_codes.FEW_LABELS, 16)):
        monkeypatch.setattr(label_codes, "FEW_LABELS", few)
        monkeypatch.setattr(label_codes, "ROW_GROUP", rows)
        place = str(tmp_path / f"{few}_{rows}.parquet")
        with kanon_sql.anonymize(policy(), PEOPLE, release=place, keep_sql=True) as release:
            texts.append(next(t for t in release.journal.texts if t.startswith("COPY")))
    assert '_codes"' in texts[0]
    assert '_staged"' in texts[1] or '_written_codes"' in texts[1]
    assert '_codes"' in texts[2]
    assert '_written_codes"' not in texts[2]
    written = [
        Counter(duckdb.execute("FROM read_parquet(?)", [str(each)]).fetchall())
        for each in sorted(tmp_path.iterdir())
    ]
    assert written[0] == written[1] == written[2]


def test_a_release_of_many_rare_labels_is_written_once(tmp_path):
    """Several row groups, written by two threads: not a label is lost, so nothing is written again."""
    asked = policy(age=LINE, search={"algorithm": "order"}, suppression="0%")
    asked["columns"] = {name: asked["columns"][name] for name in ("age", "zip", "note")}
    asked["columns"]["zip"] = {"role": "quasi", "order": "text"}
    with duckdb.connect(config={"threads": 2}) as connection:
        rows = connection.sql(
            "SELECT i % 97 AS age, CAST(10000 + hash(i) % 900 AS VARCHAR) AS zip, i % 7 AS note FROM range(300000) AS t(i)"
        )
        place = str(tmp_path / "release.parquet")
        with kanon_sql.anonymize(
            asked, rows, release=place, connection=connection, keep_sql=True
        ) as release:
            assert sum(text.startswith("COPY") for text in release.journal.texts) == 1


@pytest.mark.parametrize("gone", [False, True])
def test_few_texts_of_a_file_are_coded_too_where_there_are_many_rows(tmp_path, monkeypatch, gone):
    """A row with a text that came after the texts were listed is missed by the recount."""
    source = tmp_path / "people.parquet"
    pq.write_table(PEOPLE, source)
    plain = rows_of(released(policy(source=str(source)), None)[0])
    monkeypatch.setattr(label_codes, "MANY_ROWS", 100)
    monkeypatch.setattr(label_codes, "FEW_VALUES", 20)
    if gone:
        real = label_codes_sql.with_values

        def changed(staging, tables):
            (table,) = tables.values()
            name = table.sql(dialect="duckdb", identify=True)
            engines[0].connection.execute(f"DELETE FROM {name} WHERE value = 'd3'")
            return real(staging, tables)

        engines = []
        guess = label_codes._with_values
        monkeypatch.setattr(
            label_codes,
            "_with_values",
            lambda run, *a: engines.append(run.engine) or guess(run, *a),
        )
        monkeypatch.setattr(label_codes_sql, "with_values", changed)
        with pytest.raises(kanon_sql.StalePlanError):
            released(policy(source=str(source)), None)
        return
    coded, found = released(policy(source=str(source)), None, keep_sql=True)
    assert rows_of(coded) == plain
    assert coded.schema.field("disease").type in (pa.string(), pa.string_view())
    (staged,) = (text for text in found.journal.texts if "ORDER BY random()" in text)
    assert 'AS "disease"' in staged
    assert '"s"."disease" AS' not in staged
    assert '"s"."note" AS "note"' in staged


SORTS = {
    "one sort": {"algorithm": "order"},
    "relaxed": {"algorithm": "mondrian", "grouping": "cuts", "choose": "width", "cuts": "relaxed"},
}


@pytest.mark.parametrize("search", SORTS)
@pytest.mark.parametrize("note", ["note", "KANON_CODE_3", "lot"])
def test_few_texts_go_as_codes_with_rows_that_are_numbered(tmp_path, monkeypatch, search, note):
    """Whatever columns are called, each row keeps the texts that it had beside each other."""
    source = tmp_path / "people.parquet"
    pq.write_table(PEOPLE.rename_columns([*PEOPLE.column_names[:-1], note]), source)
    monkeypatch.setattr(label_codes, "MANY_ROWS", 100)
    monkeypatch.setattr(label_codes, "FEW_VALUES", 20)
    text = {"role": "quasi", "order": "text"}
    columns = {"place": text, "age": {"role": "quasi", "order": "number"}, "zip": text}
    columns |= {"disease": {"role": "sensitive"}, note: {"role": "insensitive"}}
    asked = policy(source=str(source), search=SORTS[search], suppression="0%", columns=columns)
    release, found = released(asked, None, keep_sql=True)
    kept = [release.column(each).to_pylist() for each in ("disease", note)]
    assert Counter(zip(*kept, strict=True)) == Counter(
        zip(*(PEOPLE.column(each).to_pylist() for each in ("disease", "note")), strict=True)
    )
    (staged,) = (text for text in found.journal.texts if "ORDER BY random()" in text)
    assert "kanon_code_3_0" in staged
    assert '"s"."disease" AS' not in staged


def test_texts_that_a_model_reads_stay_texts(tmp_path, monkeypatch):
    source = tmp_path / "people.parquet"
    pq.write_table(PEOPLE, source)
    monkeypatch.setattr(label_codes, "MANY_ROWS", 100)
    asked = policy(
        source=str(source), privacy=[{"k": 4}, {"distinct_l": {"column": "disease", "l": 2}}]
    )
    _, found = released(asked, None, keep_sql=True)
    (staged,) = (text for text in found.journal.texts if "ORDER BY random()" in text)
    assert '"s"."disease" AS "disease"' in staged
