"""Frames of any library: read as Arrow, once where they can be read once, and returned in their own kind."""

from __future__ import annotations

import sys
import traceback
from collections import Counter

import duckdb
import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import kanon_sql
from kanon_sql.engines.frames import to_arrow

ROWS = [(f"0213{i % 3}", i % 4, f"d{i % 5}") for i in range(48)]
NAMES = ("zip", "age", "disease")
TABLE = pa.table(dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True)))
POLICY = {
    "version": 1,
    "entity": "row",
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"k": 4},
}
WANTED = Counter((z, str(a), d) for z, a, d in ROWS)


class Stream:
    """An object of no library, which exports its rows as Arrow once, and counts how often it is asked."""

    def __init__(self):
        self.asked = 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.asked += 1
        if self.asked > 1:
            raise RuntimeError("was read")
        return TABLE.__arrow_c_stream__(requested_schema)


def of_ibis(table):
    return pytest.importorskip("ibis").memtable(table)


def of_nanoarrow(table):
    return pytest.importorskip("nanoarrow").ArrayStream(table)


def odd_index(table):
    frame = table.to_pandas()
    frame.index = [0] * len(frame)
    return frame


MADE = {
    "Arrow table": lambda t: t,
    "Arrow reader": lambda t: t.to_reader(),
    "Arrow batch": lambda t: t.to_batches()[0],
    "Arrow data set": pyarrow.dataset.dataset,
    "Arrow dictionary": lambda t: t.set_column(0, "zip", t["zip"].dictionary_encode()),
    "pandas": lambda t: t.to_pandas(),
    "pandas, another index": odd_index,
    "pandas, categories": lambda t: t.to_pandas().astype({"zip": "category"}),
    "pandas, objects": lambda t: t.to_pandas().astype(object),
    "polars": pl.DataFrame,
    "lazy polars": lambda t: pl.DataFrame(t).lazy(),
    "narwhals": lambda t: nw.from_native(pl.DataFrame(t)),
    "ibis": of_ibis,
    "nanoarrow": of_nanoarrow,
    "PyCapsule": lambda _: Stream(),
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy polars": pl.DataFrame}


def rows_of(table):
    return Counter((z, str(a), d) for z, a, d in zip(*table.to_pydict().values(), strict=True))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", MADE)
def test_a_frame(kind):
    frame = MADE[kind](TABLE)
    with kanon_sql.anonymize(POLICY, frame) as release:
        found = release.frame()
        assert rows_of(release.relation.to_arrow_table()) == WANTED
    assert isinstance(found, LIBRARIES.get(kind.split(",")[0], (pa.Table, pl.DataFrame)))
    assert rows_of(nw.from_native(found).to_arrow()) == WANTED


def test_a_frame_in_a_connection_of_the_user(tmp_path):
    with duckdb.connect(tmp_path / "own.db") as own:
        for kind in ("polars", "ibis", "nanoarrow"):
            kanon_sql.anonymize(
                POLICY, MADE[kind](TABLE), connection=own, release="r", replace=True
            )
            assert rows_of(own.table("r").to_arrow_table()) == WANTED
        assert own.sql("SHOW TABLES").fetchall() == [("r",)]


def test_a_path_is_returned_as_arrow(tmp_path):
    pl.DataFrame(TABLE).write_parquet(tmp_path / "t.parquet")
    with kanon_sql.anonymize(POLICY, tmp_path / "t.parquet") as release:
        assert rows_of(release.frame()) == WANTED


def test_what_can_be_read_once_is_read_once():
    stream = Stream()
    kanon_sql.anonymize(POLICY, stream).close()
    assert stream.asked == 1


def test_a_lazy_frame_is_computed_once():
    computed = []
    frame = pl.DataFrame(TABLE).lazy().map_batches(lambda rows: (computed.append(1), rows)[1])
    with kanon_sql.anonymize(POLICY, frame) as release:
        assert rows_of(pa.table(release.frame())) == WANTED
    assert computed == [1]


def test_a_lazy_frame_that_fails_is_refused_without_its_values():
    frame = pl.DataFrame({"zip": ["secret"]}).lazy().select(pl.col("zip").cast(pl.Int64))
    with pytest.raises(kanon_sql.SourceError, match="LazyFrame cannot be computed") as caught:
        kanon_sql.anonymize(POLICY, frame)
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_a_column_of_mixed_objects_is_read_as_text():
    """Arrow has no type for it; DuckDB reads what pandas has."""
    frame = TABLE.to_pandas().astype({"zip": object})
    frame.loc[::3, "zip"] = 2130
    with kanon_sql.anonymize(POLICY, frame) as release:
        assert {row[0] for row in release.relation.fetchall()} == {"2130", "02131", "02132"}


def test_a_column_of_complex_numbers_is_refused():
    with pytest.raises(kanon_sql.SourceError, match="no type for the values of zip; cast"):
        kanon_sql.anonymize(POLICY, pd.DataFrame({"zip": [1j, 2j]}))


def test_objects_that_a_library_exports_as_addresses_are_refused():
    """Six rows of one person would be those of six."""
    one = ["".join(["p", "1"]) for _ in range(6)]
    frame = pl.DataFrame({"q": ["a"] * 6, "who": pl.Series(one, dtype=pl.Object)})
    with pytest.raises(kanon_sql.SourceError, match=r"columns\.who: is of type .*Object"):
        kanon_sql.verify(frame, quasi=["q"], k=5, entity="who")


@pytest.mark.parametrize(
    "values", [pd.period_range("2020-01", periods=6, freq="M"), pd.interval_range(0, 6)]
)
def test_what_pandas_alone_has_a_type_for_is_read_as_what_it_means(values):
    """As numbers or pairs of bounds, which Arrow would make of them, months would be in no order of days."""
    frame = pd.DataFrame({"q": ["a"] * 6, "month": values})
    assert kanon_sql.verify(frame, quasi=["q"], k=6, distinct_l={"month": 6}).passed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (TABLE.to_pandas().to_numpy(), "an array of numpy has no names of columns; pass a frame"),
        (TABLE.to_pandas()["zip"], "a Series is one column and no table; pass a frame"),
        (pl.DataFrame(TABLE)["zip"], "a Series is one column and no table; pass a frame"),
    ],
    ids=["numpy", "pandas", "polars"],
)
def test_what_has_no_columns_with_names_is_refused(given, said):
    with pytest.raises(kanon_sql.SourceError, match=said):
        kanon_sql.anonymize(given, quasi=["zip"])
    with pytest.raises(kanon_sql.SourceError, match=said):
        kanon_sql.verify(given, quasi=["zip"], k=2)


def test_numbers_beyond_those_of_arrow_are_read():
    frame = pd.DataFrame({"q": ["a"] * 6, "n": pd.Series([2**70, *range(5)], dtype=object)})
    assert kanon_sql.verify(frame, quasi=["q"], k=6, distinct_l={"n": 6}).passed


def test_a_column_without_any_value_is_read():
    frame = pl.DataFrame({"q": ["a"] * 6, "n": [None] * 6})
    assert not kanon_sql.verify(frame, quasi=["q"], k=6, distinct_l={"n": 1}).passed


def test_half_floats_are_read():
    frame = pd.DataFrame({"q": ["a"] * 6, "n": pd.Series(range(6), dtype="float16")})
    assert kanon_sql.verify(frame, quasi=["q"], k=6, distinct_l={"n": 6}).passed


def test_without_pyarrow(monkeypatch):
    pandas, polars = TABLE.to_pandas().astype(object), pl.DataFrame(TABLE)
    for name in [each for each in sys.modules if each.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with kanon_sql.anonymize(POLICY, pandas) as release:
        assert release.verification.rows == 48
        with pytest.raises(kanon_sql.MissingExtraError, match="frames"):
            release.frame()
    with pytest.raises(kanon_sql.MissingExtraError, match="frames"):
        kanon_sql.anonymize(POLICY, polars)


def test_verify_reads_frames():
    for kind in ("polars", "lazy polars", "ibis", "PyCapsule"):
        assert kanon_sql.verify(MADE[kind](TABLE), quasi=["zip", "age"], k=4).passed


def test_a_release_with_a_destination_has_no_relation(tmp_path):
    release = kanon_sql.anonymize(POLICY, TABLE, release=str(tmp_path / "r.parquet"))
    with pytest.raises(kanon_sql.ReleaseError, match="read it from"):
        _ = release.relation


def test_a_release_of_an_unknown_ending_says_which_there_are():
    with pytest.raises(kanon_sql.ReleaseError, match=r"a file ends in \.parquet or \.csv"):
        kanon_sql.anonymize(POLICY, TABLE, release="safe.docx")


KINDS = {"to_pandas": pd.DataFrame, "to_polars": pl.DataFrame, "to_arrow": pa.Table}


@pytest.mark.parametrize("method", KINDS)
def test_the_rows_are_read_into_any_library(method):
    """Also without a `with` block; after one there are none."""
    release = kanon_sql.anonymize(POLICY, TABLE)
    found = getattr(release, method)()
    assert isinstance(found, KINDS[method])
    assert rows_of(nw.from_native(found).to_arrow()) == WANTED
    release.close()
    with pytest.raises(kanon_sql.ReleaseError, match="was closed; read its rows before"):
        getattr(release, method)()
    assert len(getattr(kanon_sql.anonymize(POLICY, TABLE), method)()) == len(ROWS)


@pytest.mark.parametrize(
    "release",
    ["t.parquet", "t.csv", {"parquet": "out", "partition_by": ["disease"]}],
    ids=["Parquet", "CSV", "folder"],
)
def test_a_published_release_is_read_from_its_files(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with kanon_sql.anonymize(POLICY, TABLE, release=release) as made:
        pass
    assert rows_of(made.to_arrow()) == WANTED
    assert isinstance(made.to_pandas(), pd.DataFrame)
    assert isinstance(made.frame(), pa.Table)


def test_a_published_release_is_read_from_its_table(tmp_path):
    with duckdb.connect() as own:
        made = kanon_sql.anonymize(POLICY, TABLE, connection=own, release='s "t"')
        assert rows_of(made.to_arrow()) == WANTED
        assert isinstance(made.to_polars(), pl.DataFrame)
        own.sql('DROP TABLE "s ""t"""')
        with pytest.raises(kanon_sql.SourceError, match="there is no such table"):
            made.to_arrow()
    duckdb.connect(tmp_path / "made.db").close()
    policy = POLICY | {"database": str(tmp_path / "made.db"), "release": "made"}
    assert rows_of(kanon_sql.anonymize(policy, TABLE).to_arrow()) == WANTED


def test_a_text_far_below_numbers_is_read_as_text():
    """DuckDB reads the type of a column of objects from some of its rows: the others must fit."""
    frame = pd.DataFrame({"x": pd.Series([n % 2 for n in range(11_000)], dtype=object)})
    frame.loc[3, "x"] = "refused"
    found, _ = to_arrow(frame)
    with duckdb.connect() as connection:
        connection.register("f", found)
        rows = connection.execute("SELECT x, COUNT(*) FROM f GROUP BY x ORDER BY x").fetchall()
    assert rows == [("0", 5_500), ("1", 5_499), ("refused", 1)]
