"""Excel, SPSS, Stata, SAS, Arrow and ORC: files that another program has made are read as that program wrote them."""

from __future__ import annotations

import ctypes
import datetime as dt
import importlib
import math
import random
import re
import sys
import zipfile
from collections import Counter

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pytest

import kanon_sql
from kanon_sql.engines.files import library_files
from kanon_sql.errors import install_command

pyreadstat = pytest.importorskip("pyreadstat")
openpyxl = pytest.importorskip("openpyxl")
KINDS = ("sav", "zsav", "dta", "xpt", "xlsx", "feather", "arrow", "orc")


def people(rows=500):
    draw = random.Random(7)
    first = dt.date(1930, 1, 1)
    return pd.DataFrame(
        {
            "sex": [draw.choice([1, 2, None]) for _ in range(rows)],
            "age": [draw.choice([None, *range(20, 90)]) for _ in range(rows)],
            "weight": [draw.choice([None, draw.randint(400, 1200) / 8]) for _ in range(rows)],
            "city": [draw.choice(["Köln", "Łódź", "", "x y"]) for _ in range(rows)],
            "born": [draw.choice([None, first + dt.timedelta(draw.randint(0, 30_000))]) for _ in range(rows)],
            "seen": [
                draw.choice([None, dt.datetime(1950, 1, 1) + dt.timedelta(seconds=draw.randint(0, 3_000_000_000))])
                for _ in range(rows)
            ],
        }
    )  # fmt: skip


def write(frame, path):
    """Write a frame by another program: pandas, pyreadstat or pyarrow."""
    ending = path.suffix[1:]
    if ending in {"sav", "zsav"}:
        pyreadstat.write_sav(frame, path, compress=ending == "zsav")
    elif ending == "dta":
        pyreadstat.write_dta(frame, path)
    elif ending == "xpt":
        pyreadstat.write_xport(frame, path, file_format_version=8)
    elif ending == "xlsx":
        frame.to_excel(path, index=False)
    else:
        rows = pa.Table.from_pandas(frame, preserve_index=False)
        if ending == "feather":
            pa.feather.write_feather(rows, path)
        elif ending == "arrow":
            with pa.ipc.new_stream(path, rows.schema) as out:
                out.write_table(rows, max_chunksize=60)
        else:
            pa.orc.write_table(rows, path)


def write_by_readstat(frame, path):
    """Write a file of SAS or a portable one of SPSS by ReadStat, the C library in pyreadstat, which offers neither itself."""
    kind = path.suffix[1:]
    library = ctypes.CDLL(importlib.import_module("pyreadstat._readstat_writer").__file__)
    for name in ("readstat_writer_init", "readstat_add_variable"):
        getattr(library, name).restype = ctypes.c_void_p
    text, number = 0, 5  # of readstat_type_t
    first = dt.datetime(1960, 1, 1) if kind == "sas7bdat" else dt.datetime(1582, 10, 14)
    day = 1 if kind == "sas7bdat" else 86_400
    dates = (
        {"BORN": "YYMMDD10", "SEEN": "DATETIME"}
        if day == 1
        else {"BORN": "DATE11", "SEEN": "DATETIME20"}
    )
    with path.open("wb") as file:

        @ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
        def keep(data, size, _):
            return file.write(ctypes.string_at(data, size))

        def call(name, *given):
            assert getattr(library, f"readstat_{name}")(*given) == 0

        writer = ctypes.c_void_p(library.readstat_writer_init())
        call("set_data_writer", writer, keep)
        columns = []
        for name in frame.columns:
            kind_of = (text, 16) if name == "CITY" else (number, 8)
            added = library.readstat_add_variable(
                writer, name.encode(), kind_of[0], ctypes.c_size_t(kind_of[1])
            )
            columns.append(ctypes.c_void_p(added))
            if name in dates:
                library.readstat_variable_set_format(columns[-1], dates[name].encode())
        call(f"begin_writing_{kind}", writer, None, ctypes.c_long(len(frame)))
        for row in frame.astype(object).itertuples(index=False):
            call("begin_row", writer)
            for column, cell in zip(columns, map(plain, row), strict=True):
                if cell is None:
                    call("insert_missing_value", writer, column)
                elif isinstance(cell, str):
                    call("insert_string_value", writer, column, cell.encode())
                else:
                    units = cell
                    if isinstance(cell, dt.datetime):
                        units = (cell - first).total_seconds()
                    elif isinstance(cell, dt.date):
                        units = (cell - first.date()).days * day
                    call("insert_double_value", writer, column, ctypes.c_double(units))
            call("end_row", writer)
        call("end_writing", writer)
        library.readstat_writer_free(writer)


def released(source, names):
    """Release all columns with one label for the first, and return the rows of the others as Python values."""
    quasi, *others = names
    policy = {
        "version": 1,
        "source": source,
        "entity": "row",
        "columns": {
            quasi: {"role": "quasi", "hierarchy": "suppress"},
            **{name: {"role": "insensitive"} for name in others},
        },
        "privacy": {"k": 2},
        "suppression": 0,
        "search": {"algorithm": "optimal"},
    }
    return kanon_sql.anonymize(policy).to_arrow()


def rows_of(table, names):
    return Counter(zip(*(table[name].to_pylist() for name in names), strict=True))


def plain(value):
    """What a cell means, whether a library says None, NaN or NaT, and 3 or 3.0."""
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime()
    return value


def expected(frame, names):
    rows = frame[names].astype(object).itertuples(index=False)
    return Counter(tuple(None if each == "" else plain(each) for each in row) for row in rows)


@pytest.mark.parametrize("ending", KINDS)
def test_a_file_is_read_as_it_was_written(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(library_files, "CELLS", 600)  # five parts
    monkeypatch.setattr(library_files, "ROWS", 90)
    frame, path = people(), tmp_path / f"people.{ending}"
    write(frame, path)
    names = list(frame.columns)[1:]
    frame["sex"] = frame["sex"].map({1: 1, 2: 2})
    table = released(str(path), list(frame.columns))
    typed = {each.name: str(each.type) for each in table.schema}
    if ending in {"feather", "arrow", "orc"}:
        assert rows_of(table, ["age", "weight", "born"]) == expected(
            frame, ["age", "weight", "born"]
        )
    else:
        assert rows_of(table, names) == expected(frame, names)
        assert (typed["age"], typed["weight"], typed["born"]) == ("int64", "double", "date32[day]")


@pytest.mark.parametrize("ending", ["sas7bdat", "por"])
def test_a_file_of_readstat_is_read_as_it_was_written(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(library_files, "CELLS", 600)
    monkeypatch.setattr(library_files, "ROWS", 90)
    frame, path = people().rename(columns=str.upper), tmp_path / f"people.{ending}"
    if ending == "por":  # its letters are those of ASCII
        frame["CITY"] = frame["CITY"].map({"Köln": "Koeln", "Łódź": "Lodz", "": "", "x y": "x y"})
    write_by_readstat(frame, path)
    table = released(str(path), list(frame.columns))
    names = list(frame.columns)[1:]
    assert rows_of(table, names) == expected(frame, names)
    assert {each.name: str(each.type) for each in table.schema}["BORN"] == "date32[day]"


@pytest.mark.parametrize(
    ("ending", "write"), [("sav", pyreadstat.write_sav), ("dta", pyreadstat.write_dta)]
)
def test_value_labels_are_read_as_texts(tmp_path, ending, write):
    frame = pd.DataFrame(
        {
            "key": [1] * 8,
            "sex": [1, 2, 1, None] * 2,
            "age": [40, 99, 40, 50] * 2,
            "grade": [1.0, 2.5] * 4,
        }
    )
    labels = {"sex": {1: "male", 2: 'it\'s "female"'}, "age": {99: "refused"}}
    write(frame, tmp_path / f"a.{ending}", variable_value_labels=labels)
    path = str(tmp_path / f"a.{ending}")
    names = ["sex", "age", "grade"]
    found = rows_of(released(path, ["key", *names]), names)
    assert found == Counter(
        {("male", "40", 1.0): 4, ('it\'s "female"', "refused", 2.5): 2, (None, "50", 2.5): 2}
    )
    codes = rows_of(released({"path": path, "values": "codes"}, ["key", *names]), names)
    assert codes == Counter({(1, 40, 1.0): 4, (2, 99, 2.5): 2, (None, 50, 2.5): 2})
    text = kanon_sql.suggest(path).text
    assert (
        "# 2 of 4 columns have value labels, which are read in place of the codes (values: codes reads the codes)"
        in text
    )


def test_missing_values_that_a_user_defined_are_null(tmp_path):
    frame = pd.DataFrame({"key": [1] * 4, "age": [40, 98, 99, 50]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", missing_ranges={"age": [{"lo": 98, "hi": 99}]})
    found = released(str(tmp_path / "a.sav"), ["key", "age"])["age"].to_pylist()
    assert Counter(found) == Counter({None: 2, 40: 1, 50: 1})


def test_dates_of_stata_are_read_in_each_of_its_formats(tmp_path):
    days = [dt.date(1936, 2, 21), dt.date(2001, 12, 31)] * 2
    formats = {"a": "%td", "b": "%tdDD/NN/CCYY", "c": "%d"}
    frame = pd.DataFrame(
        {
            "key": [1] * 4,
            **{name: [(day - dt.date(1960, 1, 1)).days for day in days] for name in formats},
        }
    )
    pyreadstat.write_dta(frame, tmp_path / "a.dta", variable_format=formats)
    found = released(str(tmp_path / "a.dta"), ["key", *formats])
    for name in formats:
        assert Counter(found[name].to_pylist()) == Counter(days)


def test_a_dta_of_pandas_has_its_categories(tmp_path):
    frame = pd.DataFrame(
        {
            "key": [1] * 4,
            "sex": pd.Categorical(["m", "f", None, "m"]),
            "day": pd.to_datetime(["1936-02-21"] * 4),
        }
    )
    frame.to_stata(tmp_path / "a.dta", write_index=False, convert_dates={"day": "td"})
    found = released(str(tmp_path / "a.dta"), ["key", "sex", "day"])
    assert rows_of(found, ["sex", "day"]) == Counter(
        {
            ("m", dt.date(1936, 2, 21)): 2,
            ("f", dt.date(1936, 2, 21)): 1,
            (None, dt.date(1936, 2, 21)): 1,
        }
    )


def workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


TABLE = [
    ["sex", "age", "day", "code"],
    *[["mf"[n % 2], n % 9, dt.date(2000, 1, 1 + n % 5), f"0{n % 3}"] for n in range(40)],
]


def test_a_sheet_and_a_range_of_a_workbook_are_read(tmp_path):
    above = [["Report for 2026"], [], ["by", "canary"]]
    beside = [[*row, None, "remark"] if n == 3 else row for n, row in enumerate(TABLE)]
    path = workbook(
        tmp_path / "a.xlsx", {"Patients": [*above, *beside, [], ["Total", 160]], "Notes": [["x"]]}
    )
    want = Counter((*row[1:],) for row in TABLE[1:])
    source = {"path": path, "sheet": "Patients", "range": "A4:D44"}
    assert rows_of(released(source, TABLE[0]), TABLE[0][1:]) == want
    with pytest.raises(
        kanon_sql.SourceError,
        match=r"has 2 sheets \(Patients and Notes\); say {path: FILE, sheet: NAME}",
    ):
        released(path, TABLE[0])
    with pytest.raises(
        kanon_sql.SourceError, match="has no sheet of that name; it has Patients and Notes"
    ):
        released({"path": path, "sheet": "patient"}, TABLE[0])
    with pytest.raises(
        kanon_sql.SourceError,
        match=r"more cells in row 7 than in its first one; .*, such as A7:F if",
    ) as error:
        released({"path": path, "sheet": "Patients", "skip": 3}, TABLE[0])
    assert "remark" not in str(error.value)
    source = {"path": workbook(tmp_path / "b.xlsx", {"A": TABLE[1:]}), "header": False}
    assert (
        rows_of(
            released(source, [f"column_{n}" for n in range(1, 5)]),
            ["column_2", "column_3", "column_4"],
        )
        == want
    )
    with pytest.raises(kanon_sql.SourceError, match="has no header, as it seems"):
        released(source["path"], TABLE[0])


REFUSED = {
    "formulas": ([["a", "b"], [1, "=A2+1"]], "has 1 formula without a value"),
    "names alike": (
        [["canary", "b", "Canary"], [1, 2, 3]],
        "has 1 column with the name of another",
    ),
    "no name": ([["a", None, "b"], [1, "canary", 3]], "has values in a column without a name"),
    "nothing": ([], "has no rows in that sheet"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_workbook_that_is_no_table_is_refused(tmp_path, name):
    rows, told = REFUSED[name]
    with pytest.raises(kanon_sql.SourceError, match=told) as error:
        kanon_sql.verify(workbook(tmp_path / "a.xlsx", {"A": rows}), quasi=["a"], k=1)
    assert "canary" not in str(error.value).casefold()


def test_a_formula_whose_value_is_an_empty_text_is_read(tmp_path):
    """Excel writes it as a cell of type str with an empty value; one that was never computed has no type."""
    path = workbook(tmp_path / "a.xlsx", {"A": [["a", "b"], *[[n % 2, "here"] for n in range(6)]]})
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    cells = re.subn(
        rb'<c r="B4"[^>]*>.*?</c>',
        b'<c r="B4" t="str"><f>IF(A4=1,"","x")</f><v></v></c>',
        parts[sheet],
    )
    assert cells[1] == 1
    for content, told in (
        (cells[0], None),
        (cells[0].replace(b' t="str"', b""), "has 1 formula without a value"),
    ):
        with zipfile.ZipFile(path, "w") as book:
            for name, part in {**parts, sheet: content}.items():
                book.writestr(name, part)
        if told is None:
            assert Counter(released(path, ["a", "b"])["b"].to_pylist()) == Counter(
                {"here": 5, None: 1}
            )
            continue
        with pytest.raises(kanon_sql.SourceError, match=told):
            released(path, ["a", "b"])


def test_a_column_without_a_name_and_a_value_is_left_out(tmp_path):
    path = workbook(
        tmp_path / "a.xlsx", {"A": [["a", None, "b"], *[[n % 2, None, n] for n in range(6)]]}
    )
    assert released(path, ["a", "b"]).column_names == ["a", "b"]


@pytest.mark.parametrize("ending", KINDS)
def test_a_broken_file_is_refused(tmp_path, ending):
    write(people(80), tmp_path / f"a.{ending}")
    whole = (tmp_path / f"a.{ending}").read_bytes()
    for content in (b"", b"canary,b\n1,2\n", whole[: len(whole) // 2 - 7]):
        (tmp_path / f"b.{ending}").write_bytes(content)
        with pytest.raises(kanon_sql.SourceError) as error:
            kanon_sql.verify(str(tmp_path / f"b.{ending}"), quasi=["age"], k=1)
        assert "canary" not in str(error.value)


def test_a_transport_file_of_several_tables_is_refused(tmp_path):
    write(people(20), tmp_path / "a.xpt")
    whole = (tmp_path / "a.xpt").read_bytes()
    again = whole[whole.index(b"HEADER RECORD*******MEMBV8") :]
    (tmp_path / "a.xpt").write_bytes(whole + again)
    with pytest.raises(kanon_sql.SourceError, match="has 2 tables, and one is read"):
        kanon_sql.verify(str(tmp_path / "a.xpt"), quasi=["age"], k=1)


def test_keys_that_go_with_other_files_are_refused(tmp_path):
    write(people(20), tmp_path / "a.sav")
    write(people(20), tmp_path / "a.xlsx")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    for name, keys, told in (
        ("a.sav", {"sheet": "A"}, "sheet does not go with SPSS"),
        (
            "a.xlsx",
            {"encoding": "latin-1"},
            "encoding goes with text files, and this is an Excel workbook",
        ),
        ("a.sav", {"header": False}, "header goes with text files, and this is SPSS"),
        ("a.csv", {"values": "codes"}, "values does not go with this file"),
    ):
        with pytest.raises(kanon_sql.SourceError, match=told):
            kanon_sql.verify({"path": str(tmp_path / name), **keys}, quasi=["age"], k=1)
    with pytest.raises(kanon_sql.KanonError, match="must be a range of cells such as A5:H200"):
        kanon_sql.verify({"path": str(tmp_path / "a.xlsx"), "range": "canary"}, quasi=["age"], k=1)


@pytest.mark.parametrize(
    ("ending", "library"), [("sav", "pyreadstat"), ("xlsx", "openpyxl"), ("orc", "pyarrow")]
)
def test_a_missing_library_is_named_by_its_extra(tmp_path, ending, library, monkeypatch):
    write(people(20), tmp_path / f"a.{ending}")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(kanon_sql.MissingExtraError, match=re.escape(install_command("files"))):
        kanon_sql.verify(str(tmp_path / f"a.{ending}"), quasi=["age"], k=1)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("a.xls", "save it as .xlsx or .csv"),
        ("a.rds", "arrow::write_parquet"),
        ("a.pkl", "to_parquet"),
        ("a.7z", "unpack it"),
    ],
)
def test_a_file_that_is_not_read_names_the_way_on(tmp_path, name, way, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(b"canary")
    for source in (name, {"path": name}):
        with pytest.raises(kanon_sql.KanonError) as error:
            kanon_sql.verify(source, quasi=["a"], k=1)
        assert way in str(error.value)


def test_a_script_refuses_what_a_library_reads(tmp_path):
    write(people(20), tmp_path / "a.sav")
    names = list(people(1).columns)
    columns = {name: {"role": "insensitive"} for name in names[1:]}
    policy = {"version": 1, "source": str(tmp_path / "a.sav"), "entity": "row", "privacy": {"k": 2}, "suppression": 0,
              "release": str(tmp_path / "o.csv"), "columns": {names[0]: {"role": "quasi", "hierarchy": "suppress"}, **columns}}  # fmt: skip
    with pytest.raises(
        kanon_sql.KanonError,
        match="which a library reads and SQL alone does not: write it as Parquet",
    ):
        kanon_sql.compile_sql(kanon_sql.plan(policy), policy=policy)
