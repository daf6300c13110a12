"""Spark: sources by path, sessions by address, settings of the caller."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import kanon_sql

pytest.importorskip("pyspark", reason="no Spark: install kanon-sql[spark]")
pytestmark = pytest.mark.xdist_group("spark")

TABLE = pa.table(
    {"sex": ["f", "m"] * 12, "place": ["a", "b", "c"] * 8, "n": [str(i) for i in range(24)]}
)
POLICY = {
    "version": 1,
    "entity": "row",
    "columns": {
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "place": {"role": "quasi", "hierarchy": "suppress"},
        "n": {"role": "insensitive"},
    },
    "privacy": {"k": 4},
}


@pytest.fixture
def spark(places):
    return places("spark").connection


@pytest.mark.parametrize("name", ["people.parquet", "people.csv", "people.json", "folder"])
def test_files_and_folders_are_read(spark, tmp_path, name):
    ways = {"parquet": "FORMAT PARQUET", "csv": "FORMAT CSV", "json": "FORMAT JSON"}
    way = ways.get(name.rpartition(".")[2], "FORMAT PARQUET, PARTITION_BY (place)")
    with duckdb.connect() as connection:
        connection.register("people", TABLE)
        connection.execute(f"COPY (SELECT * FROM people) TO '{tmp_path / name}' ({way})")
    with kanon_sql.anonymize(POLICY, str(tmp_path / name), connection=spark) as release:
        assert release.verification.passed
        assert release.relation.count() == 24
        assert set(release.relation.columns) == {"sex", "place", "n"}


def test_a_data_frame_is_read(spark):
    frame = spark.createDataFrame(
        list(zip(*(column.to_pylist() for column in TABLE.columns), strict=True)),
        "sex STRING, place STRING, n STRING",
    )
    with kanon_sql.anonymize(POLICY, frame, connection=spark) as release:
        assert release.relation.count() == 24


def test_settings_of_the_session_are_put_back(spark):
    odd = {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.session.timeZone": "Asia/Tokyo",
    }
    before = {key: spark.conf.get(key) for key in odd}
    for key, value in odd.items():
        spark.conf.set(key, value)
    try:
        with pytest.raises(kanon_sql.SourceError):
            kanon_sql.plan({**POLICY, "source": "nowhere"}, connection=spark)
        assert {key: spark.conf.get(key) for key in odd} == odd
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
