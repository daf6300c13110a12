"""Text files are read to their last line, or refused with the number of the line that does not fit.

What DuckDB reads is held against Python's own reader of CSV.
"""

from __future__ import annotations

import csv
import gzip
import io

import duckdb
import pytest
from certificates import CERTIFICATE, released

import kanon_sql

pytestmark = pytest.mark.sampled(3)

LATE = "a,b\n" + "1,2\n" * 30_000
READ = {
    "plain": "a,b\n1,2\n3,4\n",
    "no line end": "a,b\n1,2",
    "byte order mark": "\ufeffa,b\n1,2\n",
    "blank lines": "a,b\n1,2\n\n3,4\n\n\n",
    "carriage returns": "a,b\r1,2\r3,4\r",
    "other comments": "a,b\n#1,2\n//,4\n",
    "lines in quotes": 'a,b\r\n"1\nx",2\r\n"1\r\ny",3\r\n',
    "a quote inside": 'a,b\n1,x"y\n3,4\n',
    "another delimiter in a name": "a;b,zip\n1,2\n3,4\n",
    "values that look absent": 'a,b\nNULL,NA\n"",\n',
}
REFUSED = {
    "two exports in one": ("q,s\n" + "canary,1\n" * 200 + "q,s,t\n" + "a,1,x\n" * 500,
                           "line 202 has 3 fields, and line 1 has 2"),
    "a title of two fields": ("Report,2026\na,b\n1,2\n", "has no header"),
    "a title": ("Report of canary\na,b\n1,2\n",
                "line 2 has 2 fields, and line 1 has 1; if it is no header, skip: 1"),
    "a short line": ("a,b,c\n1,2,3\n4,5\n", "line 3 has 2 fields, and line 1 has 3"),
    "a late short line": (f"{LATE}3\n1,2\n", "line 30002 has 1 field"),
    "a late long line": (f"{LATE}3,4,canary\n1,2\n", "line 30002 has 3 fields"),
    "a line of blanks": ("a,b\n1,2\n  \n", "line 3 has 1 field"),
    "blank lines above": ("\n\na,b\n1,2\n", "blank, where its header must be; skip: 2"),
    "an open quote": ('a,b\n1,"canary\n3,4\n5,6\n', "line 2 has a quote that is not closed"),
    "a late open quote": (f'{LATE}1,"canary\n3,4\n', "line 30002 has a quote that is not closed"),
    "text after a quote": ('a,b\n1,"x"canary\n', "line 2 has a quote that is not closed, or text"),
    "two kinds of line ends": ("a,b\r\n1,2\n3,4\r\n", r"line 2 ends by '\n'"),
    "late line ends": (f"{LATE}1,x\r\n1,2\n", r"line 30002 ends by '\r\n'"),
    "a lone carriage return": (f"{LATE}1,x\ry\n1,2\n", r"line 30002 ends by '\r'"),
    "another encoding": ("a,b\n1,é\n".encode("latin-1"), "line 2 is not UTF-8 text"),
    "a line too long": ("a,b\n1,2\n1," + "x" * 3_000_000, "line 3 has 3000002 bytes, more than 2000000"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("packed", [False, True])
def test_every_line_is_read(tmp_path, name, packed):
    text = READ[name]
    rows = [row for row in csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")) if row]
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert kanon_sql.verify(str(path), quasi=[rows[0][0]], k=1).rows == len(rows) - 1


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_does_not_fit_is_told_by_its_number(tmp_path, name, packed):
    content, told = REFUSED[name]
    content = content.encode() if isinstance(content, str) else content
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(kanon_sql.SourceError) as error:
        kanon_sql.verify(str(path), quasi=["q"], k=2)
    assert told in str(error.value)
    assert "canary" not in str(error.value)


@pytest.mark.parametrize("names", [("a;b;c", "zip"), ("zip\tcode",), ("zip",)])
def test_a_released_file_is_read_again_as_it_was_written(tmp_path, names):
    """By its own delimiter, and its first line as names: also where a cell has the name of its column."""
    source = tmp_path / "source.parquet"
    columns = ", ".join(f"""'zip' AS "{name}\"""" for name in names)
    duckdb.sql(f"SELECT {columns} FROM range(12)").write_parquet(str(source))
    columns = {name: {"role": "quasi", "hierarchy": "suppress"} for name in names}
    policy = {"version": 1, "source": str(source), "entity": "row", "columns": columns,
              "privacy": {"k": 5}, "suppression": 0}  # fmt: skip
    made = kanon_sql.anonymize(policy, release=str(tmp_path / "out.csv"))
    assert made.to_arrow().column_names == list(names)
    assert made.to_arrow().num_rows == 12
    named = {"path": str(tmp_path / "out.csv"), "header": True}
    if len(names) > 1:
        assert kanon_sql.verify(named, quasi=list(names), k=5).rows == 12


def test_no_policy_reads_a_source_in_part(lab):
    lab.write("people.csv", lab.folder.joinpath("people.csv").read_text() + "canary,x,y\n")
    for command in ("lint", "plan", "anonymize"):
        assert "line 42 has 3 fields, and line 1 has 5" in lab.refused(command, lab.policy())


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("a,b,c\n1,2,3\n", "b.csv has 1 other columns than"),
        ("a\n1\n", "lacks 1 of its columns"),
        ("canary,4\n5,6\n", "b.csv names none of the columns of"),
        ("Report\na,b\n1,2\n", "b.csv names none of the columns of"),
        ("\na,b\n1,2\n", "b.csv is blank, where its header must be; skip: 1"),
    ],
)
def test_files_of_a_glob_have_one_header(tmp_path, second, told):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text(second, encoding="utf-8")
    with pytest.raises(kanon_sql.SourceError) as error:
        kanon_sql.verify(str(tmp_path / "*.csv"), quasi=["a"], k=1)
    assert told in str(error.value)
    assert "canary" not in str(error.value)


def test_columns_of_a_glob_are_found_by_their_names(lab):
    rows = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    turned = "".join(",".join(reversed(row.split(","))) + "\n" for row in rows)
    lab.write("more.csv", turned)
    lab.write("none.csv", "")
    lab.write("less.csv", "".join(row.rpartition(",")[0] + "\n" for row in rows))
    lab.done("anonymize", lab.policy(source="[mnp]*.csv"))
    released = duckdb.read_parquet(str(lab.folder / "release.parquet"))
    assert {row[0] for row in released.select("disease").fetchall()} == {
        f"canary-{n}" for n in range(5)
    }
    lab.refused("anonymize", lab.policy(source="[mlp]*.csv"), "--replace")
    union = {"path": "[mlp]*.csv", "union_by_name": True}
    lab.done("anonymize", lab.policy(source=union), "--replace")
    released = duckdb.read_parquet(str(lab.folder / "release.parquet"))
    assert (None,) in released.select("disease").fetchall()


def test_a_title_is_left_out_where_the_policy_says_so(lab):
    rows = (lab.folder / "people.csv").read_text(encoding="utf-8")
    lab.done("anonymize", lab.policy())
    (want,) = duckdb.sql(f"SELECT count(*) FROM '{lab.folder}/release.parquet'").fetchall()
    lab.write("people.csv", f"Report of 2026\n\n{rows}")
    assert "skip: 1" in lab.refused("lint", lab.policy())
    policy = lab.policy(source={"path": "people.csv", "skip": 2})
    lab.done("plan", policy)
    lab.done("apply", "policy.plan.yml", "--replace")
    released = f"SELECT count(*) FROM '{lab.folder}/release.parquet'"
    assert duckdb.sql(released).fetchall() == [want]
    script = lab.done("compile", "policy.plan.yml")
    (lab.folder / "release.parquet").unlink()
    with duckdb.connect() as connection:
        connection.execute(script)
    assert duckdb.sql(released).fetchall() == [want]
    lab.write("later.csv", f"Report of 2027\n\n{rows}")
    lab.done("anonymize", policy, "--source", "later.csv", "--replace")
    assert duckdb.sql(released).fetchall() == [want]
    lab.write("people.csv", f"Canary-9,73911,canary-m,30,canary-1\nReport\n{rows}")
    lab.done("lint", policy)
    lab.policy(source={"path": "people.csv", "skip": 1})
    lab.refused("apply", "policy.plan.yml", "--replace")


def test_a_title_is_no_part_of_parquet(lab):
    duckdb.read_csv(str(lab.folder / "people.csv")).write_parquet(str(lab.folder / "a.parquet"))
    source = {"path": "a.parquet", "skip": 1}
    assert "skip goes with CSV" in lab.refused("lint", lab.policy(source=source))


@pytest.mark.parametrize("above", ["name,diagnosis\ncanary,hiv\n", "canary\n", "a,b,c,d\n", "\n"])
def test_no_line_is_hidden_above_a_certified_release(lab, monkeypatch, above):
    released(lab, release="release.csv")
    lab.done("certify", "release.csv", "--plan", "policy.plan.yml")
    script = (lab.folder / "release.certificate/verify.sql").read_text(encoding="utf-8")
    monkeypatch.chdir(lab.folder / "release.certificate")
    verified = ("verify", "release.csv", "--quasi", "zip,sex,age", "-k", "3")
    with duckdb.connect() as connection:
        connection.execute(script)
    lab.done("verify", CERTIFICATE)
    lab.done(*verified)
    rows = (lab.folder / "release.csv").read_text(encoding="utf-8")
    lab.write("release.csv", above + rows)
    with duckdb.connect() as connection, pytest.raises(duckdb.Error):
        connection.execute(script)
    for command in (("verify", CERTIFICATE), verified):
        result = lab.run(*command)
        assert result.exit_code != 0
        assert "canary" not in result.output


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (b'canary-m;x;*\ncanary-f;"x;*\ncanary-n;x;*\n', "line 2 has a quote that is not closed"),
        (b"canary-m;x;*\ncanary-f;\xe9;*\n", "line 2 is not UTF-8 text"),
        (b"canary-m;x;*\ncanary-f;x;*\r\n", r"line 2 ends by '\r\n'"),
    ],
)
def test_a_hierarchy_is_read_to_its_last_line(lab, entries, told):
    lab.write("sex.csv", entries)
    said = lab.refused("lint", lab.policy())
    assert f"columns.sex.hierarchy: {told}" in said


def test_texts_that_a_spreadsheet_would_run_are_counted(lab):
    rows = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    begins = ["=canary|x", "@canary", "+canary", "-canary", "-5", "+1.5e3", "-", "a=b", '""', ""]
    lab.write("people.csv", "\n".join([rows[0] + ",note", *(
        f"{row},{begins[n % len(begins)]}" for n, row in enumerate(rows[1:])
    )]) + "\n")  # fmt: skip
    policy = lab.policy({"note": {"role": "insensitive"}}, suppression=0, release="release.csv")
    said = lab.done("anonymize", policy, "--no-rows")
    assert "warning: release: 16 values of note begin like a formula" in " ".join(said.split())
    assert "canary" not in said.lower()
    released = duckdb.read_csv(str(lab.folder / "release.csv"), all_varchar=True)
    assert sum(row[0] == "=canary|x" for row in released.select("note").fetchall()) == 4
    lab.done("anonymize", policy, "--replace")
    policy = lab.policy({"note": {"role": "insensitive"}}, release="release.parquet")
    assert "formula" not in lab.done("anonymize", policy, "--no-plan")


ROWS = [
    f"{sex},{20 + n % 50},0{1000 + n},{town},{n * 7.5 + 0.25},{ill}"
    for n, (sex, town, ill) in enumerate(
        (sex, town, ill)
        for _ in range(10)
        for sex in ("canary-f", "canary-m")
        for town in ("canary-town", "canary-city")
        for ill in ("canary-flu", "canary-cold", "canary-hiv")
    )
]
WITHOUT_HEADER = {
    "categories and numbers": ROWS,
    "categories alone": [",".join(row.split(",")[::5]) for row in ROWS],
    "one row": ROWS[:1],
    "numbers that repeat": ["1,1,5.5", *(f"{n % 7},{n},{n}" for n in range(30))],
    "dates": ["1970-01-02,canary", *(f"197{n % 10}-03-1{n % 9},x{n}" for n in range(30))],
    "addresses": [f"canary-{n}@example.org,x{n}" for n in range(30)],
    "a value that is missing": ["NA" + row[8:] for row in ROWS[:1]] + ROWS[1:],
}
WITH_HEADER = {
    "names": ["sex,age,zip,town,cost,illness", *ROWS],
    "years": ["country,1990,1995,2001", *(f"c{n},{n},{n},{n}" for n in range(30))],
    "numbers of a frame": ["0,1,2", *(f"c{n},{n + 9},{n + 9}" for n in range(30))],
    "an index without a name": [",sex,age", *(f"{n},f,{n}" for n in range(30))],
    "texts alone": ["name,town", *(f"a{n},b{n}" for n in range(30))],
    "a value that is a name": ["id,name,M", *(f"{n},a{n},{'MF'[n % 2]}" for n in range(30))],
    "a header that repeats": ["id,a", *(f"{n},{n}" for n in range(30)), "id,a"],
}


@pytest.mark.parametrize("name", WITHOUT_HEADER)
def test_a_first_line_that_is_a_row_becomes_no_names(lab, name):
    lines = WITHOUT_HEADER[name]
    lab.write("no.csv", "\n".join(lines) + "\n")
    first = lines[0].split(",")
    policy = lab.policy(source="no.csv")
    for command in (
        ("init", "no.csv", "-o", "first.yml"),
        ("lint", policy),
        ("plan", policy),
        ("risk", "no.csv", "--quasi", "q"),
        ("risk", "no.csv"),
        ("verify", "no.csv", "--quasi", "q", "-k", "2"),
    ):
        said = lab.refused(*command)
        assert "has no header" in said
        assert "header: false" in said
        assert not [value for value in first if len(value) > 2 and value in said]


@pytest.mark.parametrize("name", WITH_HEADER)
def test_a_header_is_taken_for_one(tmp_path, name):
    lines = WITH_HEADER[name]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    qi = next(each for each in lines[0].split(",") if each)
    assert kanon_sql.verify(str(path), quasi=[qi], k=1).rows == len(lines) - 1


def test_a_policy_says_that_there_is_no_header(lab):
    lab.write("no.csv", "\n".join(ROWS) + "\n")
    lab.done(
        "init", "{path: no.csv, header: false}", "-o", "first.yml", "--known", "column_1,column_2"
    )
    text = (lab.folder / "first.yml").read_text(encoding="utf-8")
    assert "canary" not in text
    lab.done("anonymize", "first.yml")
    columns = dict.fromkeys(("name", "zip", "sex", "age", "disease")) | {
        "column_1": {"role": "quasi", "hierarchy": "suppress"},
        "column_2": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        **{f"column_{n}": {"role": "identifying", "action": "drop"} for n in (3, 4, 5)},
        "column_6": {"role": "sensitive"},
    }
    source = {"path": "no.csv", "header": False}
    policy = lab.policy(columns, source=source)
    lab.done("anonymize", policy, "--replace")
    counted = f"SELECT count(*) FROM '{lab.folder}/release.parquet'"
    released = duckdb.sql(counted).fetchall()
    lab.done("plan", policy)
    script = lab.done("compile", "policy.plan.yml")
    (lab.folder / "release.parquet").unlink()
    with duckdb.connect() as connection:
        connection.execute(script)
    assert duckdb.sql(counted).fetchall() == released == [(len(ROWS),)]
    lab.write("no.csv", "72,1\n73,2\n")
    lab.policy(source={"path": "no.csv", "header": True})
    assert "none of the policy's columns" in lab.refused("lint", "policy.yml")


def test_a_frame_of_a_file_without_a_header_is_read_by_a_mapping(tmp_path):
    path = tmp_path / "no.csv"
    path.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    assert (
        kanon_sql.verify({"path": str(path), "header": False}, quasi=["column_1"], k=2).rows == 120
    )
    found = kanon_sql.suggest({"path": str(path), "header": False}, quasi=["column_1"])
    assert "header = FALSE" in found["source"]["query"]
    with pytest.raises(kanon_sql.SourceError, match="has no header"):
        kanon_sql.suggest(str(path), quasi=["column_1"])
    with pytest.raises(kanon_sql.InputError, match="must be a name, or a mapping"):
        kanon_sql.risk({"path": str(path), "where": "1"}, quasi=["column_1"])
