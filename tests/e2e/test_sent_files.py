"""Files as they are sent: text in other encodings and in zips.

What a run reads is compared with what Python's own readers of text and CSV give.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace

import pytest
import yaml

import kanon_sql
from kanon_sql.counting.source.text_files import lines_above_names
from kanon_sql.engines.capabilities import DUCKDB

CITIES = ("Köln", "Düsseldorf", "Aachen", "Gießen", "Bonn")
ROWS = [
    {"sex": "mf"[n % 2], "city": CITIES[n % 5], "note": f'Zimmer "{n}", {"äöü"[n % 3]};\r\n{n}'}
    for n in range(60)
]


def text_of(rows, delimiter=","):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def rows_released(folder, source, names, hierarchy="suppress"):
    """Release every column of a source, one of them recoded, and return the rows that a reader of CSV finds."""
    quasi, *others = names
    policy = {
        "version": 1,
        "source": source,
        "entity": "row",
        "columns": {
            quasi: {"role": "quasi", "hierarchy": hierarchy},
            **{name: {"role": "insensitive"} for name in others},
        },
        "privacy": {"k": 2},
        "suppression": 0,
    }
    out = folder / "released.csv"
    kanon_sql.anonymize(policy, release=str(out), replace=True)
    with out.open(encoding="utf-8", newline="") as file:
        return Counter(tuple(row.values()) for row in csv.DictReader(file))


def as_counter(rows):
    return Counter(tuple(row.values()) for row in rows)


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-be", "utf-8", "utf-8-sig"]
)
@pytest.mark.parametrize("packed", ["csv", "csv.gz", "zip"])
def test_a_file_is_read_in_its_encoding(tmp_path, encoding, packed):
    content = text_of(ROWS).encode(encoding)
    file = tmp_path / f"people.{packed}"
    if packed == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("export/people.txt", content)
            out.writestr("__MACOSX/._people.txt", b"x")
    else:
        file.write_bytes(gzip.compress(content) if packed == "csv.gz" else content)
    source = {"path": str(file), "encoding": encoding}
    assert rows_released(tmp_path, source, ROWS[0]) == as_counter(ROWS)


def test_a_character_is_read_whole_at_the_end_of_each_part_of_a_file(tmp_path):
    rows = [{"sex": "f", "note": "ä" * 999 + str(n % 7)} for n in range(1200)]
    for encoding in ("utf-16", "utf-8"):
        (tmp_path / "a.csv").write_bytes(text_of(rows).encode(encoding))
        found = rows_released(
            tmp_path, {"path": str(tmp_path / "a.csv"), "encoding": encoding}, rows[0]
        )
        assert found == as_counter(rows)


def test_files_of_a_folder_are_read_in_one_encoding(tmp_path):
    for n, part in enumerate((ROWS[:25], ROWS[25:])):
        (tmp_path / f"part={n}").mkdir()
        (tmp_path / f"part={n}" / "a.csv").write_bytes(text_of(part, ";").encode("cp1252"))
    source = {"path": str(tmp_path / "*" / "*.csv"), "encoding": "cp1252"}
    found = rows_released(tmp_path, source, (*ROWS[0], "part"))
    assert found == Counter((*row.values(), str(int(n >= 25))) for n, row in enumerate(ROWS))
    (tmp_path / "part=1" / "a.csv").write_bytes("other;names\n1;ä\n".encode("cp1252"))
    with pytest.raises(
        kanon_sql.SourceError, match=r"part=1/a\.csv names none of the columns"
    ) as error:
        kanon_sql.verify(source, quasi=["sex"], k=2)
    # Every path named is the reader's own, and none the scratch copy's in UTF-8.
    paths = re.findall(r"/[^\s:;?]+", str(error.value))
    assert len(paths) == 3
    assert all(path.startswith(str(tmp_path)) for path in paths)


REFUSED = {
    "latin-1": ("a,b\n1,é\n2,x\n".encode("latin-1"), "1 of 3 lines is not UTF-8 text, and all can be read as latin-1"),
    "cp1252": ("a,b\n1,“né” see\n".encode("cp1252"), "{path: FILE, encoding: cp1252}"),
    "utf-16": ("a,b\n1,é\n".encode("utf-16"), "2 of 2 lines are not UTF-8 text, and all can be read as utf-16"),
    "two encodings": ("a,b\n1,canaryé\n".encode() + "2,canaryé\n".encode("latin-1"), "the file has two encodings"),
    "Cyrillic": (bytes(range(0xE0, 0xF0)) + b",b\n\xeb\xe8,1\n", "name the encoding that the program which wrote it has"),
    "DOS in words": ("a,b\ncanary für Käse,1\n".encode("cp850").replace(b"\x81", b"u"), "name the encoding that the program"),
    "DOS": ("a,b\ncanary ü,1\n".encode("cp850"), "name the encoding that the program which wrote it has"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("packed", [False, True])
def test_a_refused_file_names_the_encoding_to_say(tmp_path, name, packed):
    content, told = REFUSED[name]
    path = tmp_path / ("a.zip" if packed else "a.csv")
    path.write_bytes(content)
    if packed:
        path.unlink()
        with zipfile.ZipFile(path, "w") as out:
            out.writestr("canary.csv", content)
    with pytest.raises(kanon_sql.SourceError) as error:
        kanon_sql.verify(str(path), quasi=["b"], k=2)
    assert told in str(error.value)
    assert "canary" not in str(error.value)


WRONG = {
    "utf-16 as latin-1": ("a,b\n1,é\n".encode("utf-16"), "latin-1", "is it utf-16?"),
    "latin-1 as utf-8": (b"a,b\n" + b"1,x\n" * 5 + "canary,é\n".encode("latin-1"), "utf-8", "about line 7 is not utf-8 text"),
    "half a character": ("a,b\n1,é\n".encode("utf-16")[:-1], "utf-16", "is not utf-16 text"),
    "no encoding": (b"a,b\n", "klingon", "must be an encoding of texts"),
    "no encoding of texts": (b"a,b\n", "base64", "must be an encoding of texts"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_text_that_is_not_in_the_stated_encoding_is_refused(tmp_path, name):
    content, encoding, told = WRONG[name]
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(kanon_sql.KanonError) as error:
        kanon_sql.verify({"path": str(tmp_path / "a.csv"), "encoding": encoding}, quasi=["a"], k=2)
    assert told in str(error.value)
    assert "canary" not in str(error.value)


def test_a_zip_holds_one_text_file(tmp_path):
    path = tmp_path / "a.zip"
    contents = {
        "is a zip of 2 files, of which 2 end in .csv": {
            "canary.csv": b"a\n1\n",
            "b.csv": b"a\n1\n",
        },
        "is a zip of 1 file, of which 0 end in .csv": {"canary.parquet": b"PAR1"},
        "is a zip of 0 files": {},
    }
    for told, files in contents.items():
        with zipfile.ZipFile(path, "w") as out:
            for name, content in files.items():
                out.writestr(name, content)
        with pytest.raises(kanon_sql.SourceError, match=told) as error:
            kanon_sql.verify(str(path), quasi=["a"], k=1)
        assert "canary" not in str(error.value)
    path.write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(kanon_sql.SourceError, match="is no zip that can be read"):
        kanon_sql.verify(str(path), quasi=["a"], k=1)


def test_a_hierarchy_file_is_read_in_its_encoding(tmp_path):
    (tmp_path / "people.csv").write_bytes(text_of(ROWS).encode())
    lines = "".join(f"{city};{'Rhein' if city != 'Gießen' else 'Lahn'};*\n" for city in CITIES)
    (tmp_path / "h.csv").write_bytes(lines.encode("latin-1"))
    kind = {"csv": str(tmp_path / "h.csv"), "encoding": "latin-1"}
    names, source = ("city", "sex"), {"query": f"SELECT city, sex FROM '{tmp_path}/people.csv'"}
    assert sum(rows_released(tmp_path, source, names, kind).values()) == len(ROWS)
    with pytest.raises(kanon_sql.KanonError) as error:
        rows_released(tmp_path, source, names, {"csv": str(tmp_path / "h.csv")})
    assert "all can be read as latin-1: say {csv: FILE, encoding: latin-1}" in str(error.value)
    assert "Gie" not in str(error.value)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_init_proposes_the_encoding_with_counts(tmp_path, encoding):
    rows = [{**row, "note": "“x”" if encoding == "cp1252" else "x"} for row in ROWS]
    (tmp_path / "people.csv").write_bytes(text_of(rows).encode(encoding))
    text = kanon_sql.suggest(str(tmp_path / "people.csv")).text
    lines = len(text_of(rows).splitlines())
    others = (
        lines
        if encoding == "utf-16"
        else sum(not line.isascii() for line in text_of(rows).splitlines())
    )
    assert (
        f"# {others} of {lines} lines are not UTF-8 text, and all can be read as {encoding}" in text
    )
    assert f"encoding: {encoding}}}" in text


def test_no_copy_is_left(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "a.csv").write_bytes(text_of(ROWS).encode("latin-1"))
    kanon_sql.verify({"path": str(tmp_path / "a.csv"), "encoding": "latin-1"}, quasi=["sex"], k=2)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_script_and_a_certificate_refuse_a_copy(tmp_path):
    (tmp_path / "a.csv").write_bytes(text_of(ROWS).encode("latin-1"))
    source = {"path": str(tmp_path / "a.csv"), "encoding": "latin-1"}
    policy = {"version": 1, "source": source, "entity": "row", "release": str(tmp_path / "o.csv"),
              "columns": {"sex": {"role": "quasi", "hierarchy": "suppress"}, "city": {"role": "insensitive"},
                          "note": {"role": "insensitive"}},
              "privacy": {"k": 2}, "suppression": 0}  # fmt: skip
    plan = kanon_sql.plan(policy)
    with pytest.raises(kanon_sql.KanonError, match="write it again as UTF-8, or apply the plan"):
        kanon_sql.compile_sql(plan, policy=policy)


def notes_of(folder, name, content):
    (folder / name).write_text(content, encoding="utf-8")
    text = kanon_sql.suggest(str(folder / name)).text
    above = text.partition("version: 1\n")[2].partition("source:")[0].splitlines()
    return [line[2:] for line in above if line.startswith("# ")]


ROW = "".join(f"{'mf'[n % 2]},{n % 9},x{n}\n" for n in range(40))


def test_init_says_which_rows_may_be_a_footer(tmp_path):
    found = notes_of(tmp_path, "a.csv", f"sex,age,city\n{ROW}Total,160,\n")
    assert found == [
        "1 row has Total in sex: a footer is left out by where: \"coalesce(sex, '') <> 'Total'\""
    ]
    where = found[0].partition("where: ")[2].strip('"')
    left = rows_released(
        tmp_path, {"path": str(tmp_path / "a.csv"), "where": where}, ("sex", "age", "city")
    )
    assert sum(left.values()) == 40
    assert notes_of(tmp_path, "b.csv", f"sex,age,city\n{ROW}" + "Total,1,x\n" * 4) == []
    with pytest.raises(
        kanon_sql.SourceError,
        match="line 42 has 2 fields, and line 1 has 3; if it is a footer, delete it",
    ):
        notes_of(tmp_path, "c.csv", f"sex,age,city\n{ROW}canary,160\n")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_init_reads_the_names_below_a_title(tmp_path, encoding):
    """A title in one field of many is above the names; a footer's condition is SQL for names with blanks, too."""
    rows = "".join(f"{'mf'[n % 2]};{n % 9 + 20};{n % 7},5\n" for n in range(40))
    (tmp_path / "a.csv").write_bytes(
        f"Gehälter 2008;;\n;;\nSex at birth;Jahre;Höhe\n{rows}Summe;1160;\n".encode(encoding)
    )
    text = kanon_sql.suggest(str(tmp_path / "a.csv")).text
    assert "# line 1 has a title in one field alone, and the names are in line 3: skip: 2" in text
    policy = yaml.safe_load(text)
    assert policy["source"]["skip"] == 2
    assert list(policy["columns"]) == ["Sex at birth", "Jahre", "Höhe"]
    assert policy["columns"]["Höhe"]["format"] == {"decimal": ","}
    (note,) = re.findall("a footer is left out by (where: .*)", text)
    left = rows_released(
        tmp_path, policy["source"] | yaml.safe_load(note), ("Sex at birth", "Jahre", "Höhe")
    )
    assert sum(left.values()) == 40


@pytest.mark.parametrize(
    "above", ["", "a;;\n", "a;;\n1;2;3\n", "a;;\nx;x;y\n", "a;b;\n;;\n", "2020;;\n2021;1;5\n"]
)
def test_a_line_is_no_title_where_no_names_are_below_it(tmp_path, above):
    (tmp_path / "a.csv").write_text(f"{above}1;2;3\n", encoding="utf-8")
    assert lines_above_names(str(tmp_path / "a.csv"), ";") == 0


def test_init_says_that_names_are_repeated(tmp_path):
    (found,) = notes_of(tmp_path, "a.csv", f"age,age,Age\n{ROW}")
    assert found.startswith("2 columns have the names of others, and get a number behind it")
    assert notes_of(tmp_path, "b.csv", f"sex,age,city\n{ROW}") == []


def test_init_says_how_nested_fields_are_taken_apart(tmp_path):
    rows = "".join(
        f'{{"sex": "{"mf"[n % 2]}", "home": {{"zip": "0213{n % 5}"}}}}\n' for n in range(40)
    )
    (found,) = notes_of(tmp_path, "a.jsonl", rows)
    assert found.startswith("home has nested fields")
    assert found.endswith("home.FIELD and * EXCLUDE (home)")
    source = {"query": f"SELECT sex, home.zip, * EXCLUDE (sex, home) FROM '{tmp_path}/a.jsonl'"}
    assert rows_released(tmp_path, source, ("sex", "zip")) == Counter(
        ("mf"[n % 2], f"0213{n % 5}") for n in range(40)
    )


def test_lines_above_a_table_are_told_apart(tmp_path):
    with pytest.raises(
        kanon_sql.SourceError, match="if the table begins here, skip: 2 leaves out what is above"
    ):
        notes_of(tmp_path, "a.csv", f"# made by canary\n# on a day\nsex,age,city\n{ROW}")
    found = rows_released(
        tmp_path, {"path": str(tmp_path / "a.csv"), "skip": 2}, ("sex", "age", "city")
    )
    assert sum(found.values()) == 40


def test_init_ends_without_a_word_of_duckdb(tmp_path):
    """The error of the first try kept a connection, of which DuckDB's binding complained at the end."""
    (tmp_path / "a.csv").write_bytes(text_of(ROWS).encode("latin-1"))
    command = [sys.executable, "-m", "kanon_sql", "init", "a.csv", "-o", "a.yml"]
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert "leaked" not in ended.stdout + ended.stderr


def test_an_address_and_an_engine_elsewhere_name_the_way_on(tmp_path, monkeypatch):
    elsewhere = replace(DUCKDB, local_files=False)
    monkeypatch.setattr("kanon_sql.engines.duckdb.engine.DuckDB.capabilities", elsewhere)
    for source, told in (
        (
            {"path": "a.csv", "encoding": "latin-1"},
            "by DuckDB alone: write it again as UTF-8 .iconv -f latin-1",
        ),
        ({"path": "a.zip"}, "by DuckDB alone: unpack it"),
        ({"path": "a.sav"}, "by DuckDB alone: write it as Parquet first"),
    ):
        with pytest.raises(kanon_sql.SourceError, match=told):
            kanon_sql.verify(source, quasi=["a"], k=1)


def test_init_says_which_rows_have_a_value_in_one_column_alone(tmp_path):
    """A source below a table is no row: the condition that `init` says leaves it out, and nothing else."""
    found = notes_of(tmp_path, "a.csv", f"sex,Alter,home town\n{ROW}Source: survey of 2019,,\n")
    (note,) = found
    assert note.startswith("1 row has a value in sex alone: a footer is left out by where: ")
    where = yaml.safe_load(note.partition("where: ")[2])
    source = {"path": str(tmp_path / "a.csv"), "where": where}
    assert sum(rows_released(tmp_path, source, ("sex", "Alter", "home town")).values()) == 40
    assert notes_of(tmp_path, "b.csv", f"sex,age,city\n{ROW}" + "m,,\n" * 4) == []
    assert notes_of(tmp_path, "c.csv", f"sex,age,city\n{ROW}m,1,\n") == []


@pytest.mark.parametrize(
    ("below", "lines"),
    [("m/f,years,,EUR\n", 1), ("c,c,d,c\n,,,class\n", 2), ("m,NA,a,NA\n", 0), ("m,none,a,5\n", 0)],
)
def test_init_counts_the_lines_below_the_names_that_are_no_rows(tmp_path, below, lines):
    rows = "".join(f"{'mf'[n % 2]},{n % 9},x,{n % 7}.5\n" for n in range(40))
    found = notes_of(tmp_path, "a.tab", f"sex,age,city,pay\n{below}{rows}".replace(",", "\t"))
    said = [each for each in found if "no number below the names" in each]
    assert [each[:6] for each in said] == ([f"{lines} line"] if lines else [])
