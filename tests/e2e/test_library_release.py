"""Releases as Excel, SPSS and Stata, and as CSV for Excel: other programs read what was verified."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import math
import shutil
import subprocess
from collections import Counter
from decimal import Decimal

import duckdb
import pandas as pd
import pytest

import kanon_sql
from kanon_sql.engines.capabilities import SPARK
from kanon_sql.engines.files.library_files import StatisticalFile, Workbook
from kanon_sql.engines.locations import Format
from kanon_sql.release.object_files import why_not_by_library

pyreadstat = pytest.importorskip("pyreadstat")
openpyxl = pytest.importorskip("openpyxl")
ENDINGS = ("xlsx", "sav", "dta")
COLUMNS = {
    "sex": "VARCHAR", "town": "VARCHAR", "visits": "BIGINT", "share": "DOUBLE", "cost": "DECIMAL(9, 2)",
    "born": "DATE", "seen": "TIMESTAMP", "smokes": "BOOLEAN", "small": "UTINYINT",
}  # fmt: skip
ROWS = [
    ("mf"[n % 2], ["Köln", "=SUM(A1)", "#N/A", "007", "'x", None, "+1", "@cmd", "a\nb"][n % 9], n - 20 if n % 7 else None,
     n / 8 if n % 5 else None, Decimal(n) / 4 if n % 6 else None, dt.date(1936, 2, 21) + dt.timedelta(n) if n % 4 else None,
     dt.datetime(2001, 12, 31, 23, 59, n, 123000) if n % 3 else None, [True, False, None][n % 3], n)
    for n in range(40)
]  # fmt: skip


@pytest.fixture
def source(tmp_path):
    """A file of Parquet with the rows, as every type has values and NULL there."""
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})"
    )
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", ROWS)
    connection.execute(f"COPY t TO '{tmp_path}/source.parquet'")
    return tmp_path / "source.parquet"


def policy_of(source, names=tuple(COLUMNS)):
    quasi, *others = names
    return {
        "version": 1, "source": str(source), "entity": "row", "privacy": {"k": 5}, "suppression": 0,
        "columns": {quasi: {"role": "quasi", "hierarchy": "suppress"}, **{name: {"role": "insensitive"} for name in others}},
    }  # fmt: skip


def cell(value):
    """A cell of another program, as the value that it is."""
    if (
        value is None
        or value is pd.NaT
        or value == ""
        or (isinstance(value, float) and math.isnan(value))
    ):
        return None
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime()
    if isinstance(value, dt.datetime):
        return value.replace(microsecond=round(value.microsecond, -3))
    return float(value) if isinstance(value, bool | int | float | Decimal) else value


def day(value):
    """A day, which Excel and pandas have as a moment."""
    return value.date() if isinstance(value, dt.datetime) else value


def read_by_others(path):
    if path.suffix == ".xlsx":
        rows = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        names = next(rows)
        return names, [tuple(row) for row in rows]
    frame = pyreadstat.read_sav(path)[0] if path.suffix == ".sav" else pyreadstat.read_dta(path)[0]
    return tuple(frame.columns), list(frame.astype(object).itertuples(index=False))


@pytest.mark.parametrize("ending", ENDINGS)
def test_other_programs_read_what_was_released(tmp_path, source, ending):
    out = tmp_path / f"out.{ending}"
    made = kanon_sql.anonymize(policy_of(source), release=str(out))
    names, rows = read_by_others(out)
    assert names == tuple(COLUMNS)
    born = list(COLUMNS).index("born")
    found = [tuple(map(cell, row)) for row in rows]
    found = Counter((*row[1:born], day(row[born]), *row[born + 1 :]) for row in found)
    assert found == Counter(tuple(map(cell, row[1:])) for row in ROWS)
    again = made.to_arrow()
    assert again.column_names == list(COLUMNS)
    assert Counter(again["town"].to_pylist()) == Counter(row[1] for row in ROWS)
    assert kanon_sql.verify(str(out), quasi=["sex"], k=5).rows == len(ROWS)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([out.name, source.name])


def test_no_text_of_a_workbook_is_a_formula(tmp_path, source):
    kanon_sql.anonymize(policy_of(source), release=str(tmp_path / "out.xlsx"))
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    kinds = Counter(
        each.data_type for row in sheet.iter_rows() for each in row if each.value is not None
    )
    assert kinds.keys() == {"s", "n", "d", "b"}
    assert Counter(each.value for each in sheet["B"])["=SUM(A1)"] == 5


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_reads_a_released_workbook(tmp_path, source):
    kanon_sql.anonymize(policy_of(source), release=str(tmp_path / "out.xlsx"))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [
        "soffice",
        profile,
        "--headless",
        "--convert-to",
        "csv:Text - txt - csv (StarCalc):44,34,76",
        "out.xlsx",
    ]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["town"] or None for row in rows) == Counter(row[1] for row in ROWS)
    assert Counter(row["visits"] for row in rows) == Counter(
        "" if row[2] is None else str(row[2]) for row in ROWS
    )


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_a_workbook_of_libreoffice_is_read(tmp_path):
    lines = [
        "sex,town,visits,born",
        *(f"{'mf'[n % 2]},Köln {n % 5},{n},19{30 + n}-02-21" for n in range(40)),
    ]
    (tmp_path / "in.csv").write_text("\n".join(lines), encoding="utf-8")
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [
        "soffice",
        profile,
        "--headless",
        "--infilter=Text - txt - csv (StarCalc):44,34,76",
        "--convert-to",
        "xlsx",
        "in.csv",
    ]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    names = ("sex", "town", "visits", "born")
    found = kanon_sql.anonymize(policy_of(tmp_path / "in.xlsx", names)).to_arrow()
    rows = Counter(zip(*(found[name].to_pylist() for name in names[1:]), strict=True))
    assert rows == Counter((f"Köln {n % 5}", n, dt.date(1930 + n, 2, 21)) for n in range(40))


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_titles_of_columns_are_kept(tmp_path, ending):
    frame = pd.DataFrame({"sex": ["m", "f"] * 6, "age": [30, 40] * 6, "town": ["x", "y"] * 6})
    write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
    write(
        frame,
        tmp_path / f"in.{ending}",
        column_labels={"age": "Age in years", "sex": "Sex of the patient"},
    )
    kanon_sql.anonymize(
        policy_of(tmp_path / f"in.{ending}", ("sex", "age", "town")),
        release=str(tmp_path / f"out.{ending}"),
    )
    read = pyreadstat.read_sav if ending == "sav" else pyreadstat.read_dta
    _, described = read(tmp_path / f"out.{ending}")
    titles = {name: title or None for name, title in described.column_names_to_labels.items()}
    assert titles == {"sex": "Sex of the patient", "age": "Age in years", "town": None}


REFUSED = {
    "a whole number of 16 digits": ("xlsx", "1234567890123456 AS v", "whole numbers above"),
    "a day of 1850": ("xlsx", "DATE '1850-01-01' AS v", "days before 1901"),
    "a control character": ("xlsx", "'canary' || chr(7) AS v", "control characters"),
    "a list": ("xlsx", "[1, 2] AS v", "columns.v: is of a type that an Excel workbook does not have"),
    "a time": ("sav", "TIME '10:00:00' AS v", "columns.v: is of a type that SPSS does not have"),
    "a blank in a name": ("sav", "1 AS \"a v\"", "is no name that SPSS has"),
    "a word of Stata": ("dta", "1 AS \"if\"", "is no name that Stata has"),
    "a name of 33 letters": ("dta", f"1 AS {'v' * 33}", "is no name that Stata has"),
}  # fmt: skip
LOST = {
    "an empty text": ("xlsx", "'' AS v"),
    "a long text": ("xlsx", "repeat('canary', 7000) AS v"),
    "a blank at the end": ("sav", "'canary ' AS v"),
    "a number of 18 digits": ("dta", "123456789012345678 AS v"),
    "a long decimal": ("dta", "1234567890123456.78 AS v"),
    "microseconds": ("sav", "TIMESTAMP '2001-01-01 00:00:00.123456' AS v"),
}


@pytest.mark.parametrize("name", [*REFUSED, *LOST])
def test_what_a_file_cannot_hold_is_not_published(tmp_path, name):
    ending, value, told = REFUSED.get(name) or (*LOST[name], r"do not hold what was verified \(v\)")
    duckdb.sql(f"SELECT 'x' AS sex, {value} FROM range(10)").write_parquet(
        str(tmp_path / "in.parquet")
    )
    column = duckdb.sql(f"SELECT {value}").columns[0]
    out = tmp_path / f"out.{ending}"
    out.write_bytes(b"what was there")
    with pytest.raises(kanon_sql.KanonError, match=told) as error:
        kanon_sql.anonymize(
            policy_of(tmp_path / "in.parquet", ("sex", column)), release=str(out), replace=True
        )
    assert "canary" not in str(error.value)
    assert out.read_bytes() == b"what was there"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_workbook_has_no_room_for_more_rows(tmp_path, source, monkeypatch):
    monkeypatch.setattr(Workbook, "most_rows", 39)
    with pytest.raises(
        kanon_sql.ReleaseError, match="has 40 rows, and an Excel workbook has room for 39"
    ):
        kanon_sql.anonymize(policy_of(source), release=str(tmp_path / "out.xlsx"))


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_file_that_is_made_in_memory_has_a_limit_of_cells(tmp_path, source, monkeypatch, ending):
    monkeypatch.setattr(StatisticalFile, "most_cells", 79)
    out = tmp_path / f"out.{ending}"
    with pytest.raises(kanon_sql.ReleaseError, match=r"cells, and a file of .* of 79 at most"):
        kanon_sql.anonymize(policy_of(source), release=str(out))
    assert not out.exists()


def test_labels_are_ranges_in_each_file(tmp_path):
    duckdb.sql("SELECT 'x' AS sex, range % 60 AS age FROM range(600)").write_parquet(
        str(tmp_path / "in.parquet")
    )
    policy = policy_of(tmp_path / "in.parquet", ("sex", "age"))
    policy["columns"]["age"] = {"role": "quasi", "hierarchy": {"intervals": [10, 20]}}
    policy["privacy"] = {"k": 50}
    for ending in ENDINGS:
        made = kanon_sql.anonymize(policy, release=str(tmp_path / f"out.{ending}"))
        _, rows = read_by_others(tmp_path / f"out.{ending}")
        assert Counter(row[1] for row in rows) == {
            f"[{n}, {n + 10})": 100 for n in range(0, 60, 10)
        }
        assert kanon_sql.verify(str(tmp_path / f"out.{ending}"), quasi=["sex", "age"], k=50).passed
        assert made.to_arrow().num_rows == 600


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_reads_a_release_reads_the_file(tmp_path, source, ending):
    """The key of its labels, later runs of its plan, and the refusal of a certificate, which names what to do."""
    policy = {**policy_of(source), "release": str(tmp_path / f"out.{ending}")}
    plan = kanon_sql.plan(policy)
    kanon_sql.apply(plan, policy=policy)
    kanon_sql.apply(plan, policy=policy, replace=True)
    key = tmp_path / f"key.{ending}"
    kanon_sql.labels(str(tmp_path / f"out.{ending}"), plan=plan, policy=policy, out=str(key))
    assert len(read_by_others(key)[1]) > 0
    with pytest.raises(kanon_sql.InputError, match="`kanon-sql verify` recounts it"):
        kanon_sql.certify(str(tmp_path / f"out.{ending}"), plan=plan, policy=policy)


def test_csv_for_excel_begins_with_a_byte_order_mark(tmp_path, source):
    names = ("sex", "town")
    policy = policy_of(source)
    policy["columns"] = {
        name: policy["columns"][name]
        if name in names
        else {"role": "identifying", "action": "drop"}
        for name in COLUMNS
    }
    for packed in ("", ".gz"):
        out = tmp_path / f"out.csv{packed}"
        made = kanon_sql.anonymize(policy, release={"csv": str(out), "bom": True})
        content = gzip.decompress(out.read_bytes()) if packed else out.read_bytes()
        assert content.startswith(b"\xef\xbb\xbfsex,town\n")
        rows = csv.DictReader(content.decode("utf-8-sig").splitlines(keepends=True))
        assert Counter(row["town"] or None for row in rows) == Counter(row[1] for row in ROWS)
        assert made.to_arrow().column_names == list(names)
        assert kanon_sql.verify(str(out), quasi=["sex"], k=5).rows == 40
    assert b"\xef\xbb\xbf" not in (tmp_path / "source.parquet").read_bytes()[:3]
    duckdb.sql("SELECT 'x' AS \"a,b\", 1 AS c FROM range(9)").write_parquet(
        str(tmp_path / "in.parquet")
    )
    with pytest.raises(kanon_sql.ReleaseError, match="its first column a name that CSV quotes"):
        kanon_sql.anonymize(
            policy_of(tmp_path / "in.parquet", ("a,b", "c")),
            release={"csv": str(tmp_path / "x.csv"), "bom": True},
        )


def test_a_script_and_a_server_write_no_such_file(tmp_path, source):
    policy = {**policy_of(source), "release": str(tmp_path / "out.xlsx")}
    with pytest.raises(
        kanon_sql.KanonError, match="is an Excel workbook, which kanon-sql does not write by duckdb"
    ):
        kanon_sql.compile_sql(kanon_sql.plan(policy), policy=policy)
    for kind in (Format.XLSX, Format.SAV, Format.DTA):
        assert "release Parquet or CSV" in why_not_by_library(SPARK, kind.kind.library, "out")
