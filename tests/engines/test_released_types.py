"""Columns of a text file are released with the type that all their texts have, and no text becomes another one.

What type a column has, and what text a value had, plain Python says here: by its own integers, decimals, floats and dates.
"""

from __future__ import annotations

import csv
import datetime as dt
import random
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
import yaml

import kanon_sql

ENGINES = ("duckdb", "spark")
ROWS = 240
PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d*[1-9])?", re.ASCII)
POINTED = re.compile(r"-?(0|[1-9]\d*)\.(0|\d*[1-9])", re.ASCII)
ODD = {
    "zeros": ["007", "8"],
    "plus": ["+1", "2"],
    "exponents": ["1e5", "2"],
    "grouped": ["1_000", "2"],
    "blank": [" 1", "2"],
    "minus zero": ["-0", "1"],
    "minus zero point": ["-0.0", "1.5"],
    "not a number": ["nan", "1.5"],
    "unlimited": ["inf", "1.5"],
    "too large": ["9223372036854775808", "1"],
    "point alone": ["1.", "2"],
    "no digit before": [".5", "2.5"],
    "needless zeros": ["1.50", "2.250"],
    "many digits": ["0.12345678901234567890", "1.5"],
    "no such day": ["2024-02-30", "2024-02-28"],
    "short day": ["2024-2-3", "2024-02-28"],
    "long year": ["12024-02-28", "2024-02-28"],
    "no seconds": ["2024-02-28 10:00", "2024-02-28 11:00"],
    "zoned": ["2024-02-28 10:00:00+01", "2024-02-28 11:00:00+01"],
    "late day": ["infinity", "2024-02-28"],
    "other truth": ["yes", "no"],
    "short truth": ["t", "f"],
    "mixed truth": ["true", "False"],
    "other digits": ["\u0661", "\u0662"],
    "missing": ["NA", "1"],
    "empty text": ["", "1"],
}
TYPED = {
    "whole": (["12", "-7", "0", "9223372036854775807"], "BIGINT"),
    "money": (["12.50", "-7.25", "0.00"], "DECIMAL(18, 2)"),
    "floats": (["70.0", "70.25", "-0.125"], "DOUBLE"),
    "mixed": (["70", "70.5", "-0.125"], "DOUBLE, whole numbers without a point"),
    "day": (["2024-02-29", "1999-12-31"], "DATE"),
    "moment": (["2024-02-29 10:00:00", "1999-12-31 23:59:59.5"], "TIMESTAMP"),
    "iso": (["2024-02-29T10:00:00", "1999-12-31T23:59:59"], "TIMESTAMP, written with a T"),
    "truth": (["true", "false"], "BOOLEAN"),
    "Truth": (["True", "False"], "BOOLEAN, written True and False"),
    "TRUTH": (["TRUE", "FALSE"], "BOOLEAN, written TRUE and FALSE"),
}


def is_read(reader, text):
    try:
        reader(text)
    except ValueError:
        return False
    return True


def is_whole(text):
    digits = re.fullmatch(r"-?\d+", text, re.ASCII)
    return bool(digits) and str(int(text)) == text and -(2**63) <= int(text) < 2**63


def is_fixed(text):
    known = re.fullmatch(r"-?(0|[1-9]\d*)\.\d+", text, re.ASCII)
    return bool(known) and not (text[0] == "-" and not Decimal(text)) and len(text.strip("-")) <= 19


def is_pointed(text):
    return POINTED.fullmatch(text) and text != "-0.0" and repr(float(text)) == text


def is_plain(text):
    few = len(re.sub(r"\D", "", text)) <= 15
    known = PLAIN.fullmatch(text) and text != "-0"
    return known and (few or repr(float(text)) in {text, f"{text}.0"})


def is_day(text):
    known = re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII)
    return known and is_read(dt.date.fromisoformat, text)


def is_moment(between):
    form = re.compile(rf"\d{{4}}-\d\d-\d\d{between}\d\d:\d\d:\d\d(\.\d{{0,5}}[1-9])?", re.ASCII)
    return lambda text: form.fullmatch(text) and is_read(dt.datetime.fromisoformat, text)


READERS = {
    "BIGINT": is_whole,
    "DECIMAL": is_fixed,
    "DOUBLE": is_pointed,
    "DOUBLE, whole numbers without a point": is_plain,
    "DATE": is_day,
    "TIMESTAMP": is_moment(" "),
    "TIMESTAMP, written with a T": is_moment("T"),
    "BOOLEAN": {"true", "false"}.__contains__,
    "BOOLEAN, written True and False": {"True", "False"}.__contains__,
    "BOOLEAN, written TRUE and FALSE": {"TRUE", "FALSE"}.__contains__,
}


def type_of(texts):
    """The type of a column's texts by Python's own readers; None where they stay texts."""
    texts = [each for each in texts if each is not None]
    decimals = {len(each.partition(".")[2]) for each in texts}
    for name, reader in READERS.items():
        if not texts or not all(map(reader, texts)):
            continue
        if name != "DECIMAL":
            return name
        if len(decimals) == 1:
            return f"DECIMAL(18, {max(decimals)})"
    return None


def text_of(value, of):
    """The text that a released value had in the file."""
    if value is None or of is None:
        return value
    if of.startswith("BOOLEAN"):
        text = str(value)
        return {"BOOLEAN": text.lower(), "BOOLEAN, written True and False": text}.get(
            of, text.upper()
        )
    if of.startswith("TIMESTAMP"):
        text = value.isoformat("T" if "T" in of.removeprefix("TIMESTAMP") else " ")
        return text.rstrip("0") if "." in text else text
    if of == "DOUBLE, whole numbers without a point":
        return repr(value).removesuffix(".0")
    return repr(value) if of == "DOUBLE" else str(value)


def write_csv(path, columns):
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            file.write(
                ",".join('""' if cell == "" else "" if cell is None else cell for cell in row)
                + "\n"
            )
    return path


def drawn(texts, seed, *, nulls=True):
    """A column with each of the texts, and NULL."""
    draw = random.Random(seed)
    cells = [*texts, *(draw.choices([*texts, *([None] if nulls else [])], k=ROWS - len(texts)))]
    draw.shuffle(cells)
    return cells


def table_of(**columns):
    ages = [str(20 + n % 30) for n in range(ROWS)]
    zips = [f"{1000 + n % 7:05}" for n in range(ROWS)]
    return {"age": ages, "zip": zips, **columns}


def policy_of(path, columns, **more):
    quasi = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    }
    rest = {each: {"role": "insensitive"} for each in columns if each not in quasi}
    return {
        "version": 1,
        "source": str(path),
        "entity": "row",
        "columns": {**quasi, **rest},
        "privacy": {"k": 3},
        "suppression": 0,
        "search": {"algorithm": "optimal"},
        **more,
    }


def shown(columns, **more):
    """A policy whose quasi-identifiers show values of their classes."""
    own = {
        "age": {"role": "quasi", "order": "number", "output": "apportioned"},
        "zip": {"role": "quasi", "order": "text", "output": "representative"},
    }
    rest = {each: {"role": "insensitive"} for each in columns if each not in own}
    return {"columns": {**own, **rest}, "search": {"algorithm": "mondrian"}, **more}


def read(path):
    """The columns and rows of released Parquet files, by an engine of the test's own."""
    found = duckdb.connect().sql(f"FROM read_parquet('{path}', hive_types_autocast = FALSE)")
    return dict(zip(found.columns, map(str, found.types), strict=True)), found.fetchall()


def parquet(path):
    return f"{path}/*.parquet" if Path(path).is_dir() else str(path)


@pytest.fixture(params=ENGINES)
def engine(request, places):
    return places(request.param)


def test_the_type_is_what_python_says_of_all_texts(engine, tmp_path):
    columns = {
        name: drawn(texts, name)
        for name, (texts, _) in TYPED.items()
        if name not in {"Truth", "TRUTH"}
    }
    columns |= {"title": drawn(TYPED["Truth"][0], 1), "upper": drawn(TYPED["TRUTH"][0], 2)}
    columns |= {name: drawn(texts, name) for name, texts in ODD.items()}
    columns |= {"none": [None] * ROWS}
    table = table_of(**columns)
    path = write_csv(tmp_path / "people.csv", table)
    out = tmp_path / "out.parquet"
    asked = policy_of(path, table, release={"parquet": str(out)})
    made = kanon_sql.anonymize(asked, connection=engine.connection)
    expected = {name: type_of(cells) for name, cells in table.items() if name not in {"age", "zip"}}
    stated = {name: str(of) for name, of in made.plan.types.items() if name not in {"age", "zip"}}
    assert stated == {name: of for name, of in expected.items() if of is not None}
    assert {of for _, of in TYPED.values()} == {*stated.values()}
    types, rows = read(parquet(out))
    names = list(types)
    for name, of in expected.items():
        at = names.index(name)
        sql = (
            "VARCHAR"
            if of is None
            else of.partition(", written")[0].partition(", whole")[0].replace(", ", ",")
        )
        assert types[name] == sql, name
        assert Counter(text_of(row[at], of) for row in rows) == Counter(table[name]), name


@pytest.mark.parametrize("seed", range(12))
def test_random_columns_have_the_type_that_python_says(tmp_path, seed):
    draw = random.Random(seed)
    pool = [*ODD.values(), *(texts for texts, _ in TYPED.values())]
    columns = {}
    for n in range(40):
        first, second = draw.choice(pool), draw.choice(pool)
        mixed = [*first, *second] if draw.random() < 0.4 else first
        if draw.random() < 0.3:
            mixed = [
                str(draw.choice([draw.random(), draw.randint(-99, 99), draw.random() * 10**9]))
                for _ in range(9)
            ]
        columns[f"c{n}"] = drawn(mixed, f"{seed} {n}")
    table = table_of(**columns)
    path = write_csv(tmp_path / "people.csv", table)
    types = kanon_sql.plan(policy_of(path, table)).types or {}
    found = {name: str(types[name]) if name in types else None for name in columns}
    assert found == {name: type_of(cells) for name, cells in columns.items()}


def test_the_last_row_of_a_file_decides_like_the_first(tmp_path):
    many = 40_000
    cells = {
        "late": [*["1"] * (many - 1), "007"],
        "first": ["007", *["1"] * (many - 1)],
        "days": ["1"] * many,
    }
    table = {"age": ["40"] * many, "zip": ["02138"] * many, **cells}
    path = write_csv(tmp_path / "people.csv", table)
    types = kanon_sql.plan(policy_of(path, table)).types
    assert {name: str(of) for name, of in types.items()} == {"age": "BIGINT", "days": "BIGINT"}


def test_an_average_and_a_group_by_need_no_cast(engine, tmp_path):
    table = table_of(days=drawn([str(n) for n in range(30)], 1))
    path, out = write_csv(tmp_path / "people.csv", table), tmp_path / "out.parquet"
    asked = policy_of(path, table) | shown(table, release={"parquet": str(out)})
    kanon_sql.anonymize(asked, connection=engine.connection)
    con = duckdb.connect()
    ((mean,),) = con.sql(f"SELECT avg(days) FROM '{parquet(out)}'").fetchall()
    days = [int(each) for each in table["days"] if each is not None]
    assert mean == pytest.approx(sum(days) / len(days))
    found = con.sql(
        f"SELECT age // 10 * 10, COUNT(*) FROM '{parquet(out)}' WHERE age >= 30 GROUP BY 1 ORDER BY 1"
    ).fetchall()
    assert {decade for decade, _ in found} == {30, 40}
    assert abs(sum(rows for _, rows in found) - sum(int(each) >= 30 for each in table["age"])) <= 12
    types, _ = read(parquet(out))
    assert (types["age"], types["zip"]) == ("BIGINT", "VARCHAR")


@pytest.mark.parametrize("output", ["representative", "bounds", "mean", "labels"])
def test_a_quasi_identifier_that_shows_values_keeps_their_type(tmp_path, output):
    """Labels are texts, but where each row shows its own value, at level 0."""
    table = table_of(weight=[f"{50 + n % 4}.50" for n in range(ROWS)])
    path, out = write_csv(tmp_path / "people.csv", table), tmp_path / "out.parquet"
    asked = policy_of(path, table, release=str(out))
    if output == "labels":
        asked["columns"]["weight"] = {"role": "quasi", "hierarchy": {"intervals": [2, 4]}}
    else:
        ordered = {"role": "quasi", "order": "number", "output": output}
        asked |= {
            "columns": dict.fromkeys(["age", "weight"], ordered),
            "search": {"algorithm": "mondrian"},
        }
        asked["columns"] |= {"zip": {"role": "insensitive"}}
    made = kanon_sql.anonymize(asked)
    types, rows = read(out)
    names = ["weight_low", "weight_high"] if output == "bounds" else ["weight"]
    as_it_is = output != "labels" or made.plan.levels["weight"] == 0
    wanted = "DOUBLE" if output == "mean" else "DECIMAL(18,2)" if as_it_is else "VARCHAR"
    assert {types[each] for each in names} == {wanted}
    if output in {"representative", "bounds"}:
        known = {Decimal(each) for each in table["weight"]}
        assert {row[list(types).index(each)] for each in names for row in rows} <= known


def test_a_release_of_csv_has_the_texts_of_the_source(tmp_path):
    table = table_of(
        **{name: drawn(texts, name) for name, (texts, _) in TYPED.items() if name.islower()}
    )
    path, out = write_csv(tmp_path / "people.csv", table), tmp_path / "out.csv"
    made = kanon_sql.anonymize(policy_of(path, table, release=str(out)))
    assert made.plan.types is None
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name in table.keys() - {"age", "zip"}:
        assert Counter(row[name] for row in rows) == Counter(each or "" for each in table[name])


def test_a_table_has_types_too(tmp_path):
    table = table_of(days=drawn(["1", "2", "3"], 1), code=drawn(["007", "010"], 2))
    path, database = write_csv(tmp_path / "people.csv", table), tmp_path / "out.duckdb"
    duckdb.connect(str(database)).close()
    kanon_sql.anonymize(policy_of(path, table, database=str(database), release={"table": "safe"}))
    with duckdb.connect(str(database), read_only=True) as con:
        types = dict(
            con.sql(
                "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'safe'"
            ).fetchall()
        )
    assert (types["days"], types["code"]) == ("BIGINT", "VARCHAR")


@pytest.fixture
def planned(tmp_path):
    """A plan's file, its table and the path of its source."""
    table = table_of(days=drawn(["1", "2", "30"], 1), code=drawn(["007", "010"], 2))
    path = write_csv(tmp_path / "people.csv", table)
    policy = tmp_path / "policy.yml"
    policy.write_text(yaml.safe_dump(policy_of(path, table, release=str(tmp_path / "out.parquet"))))
    file = tmp_path / "policy.plan.yml"
    file.write_text(kanon_sql.plan(policy).named("policy.yml").to_yaml(), encoding="utf-8")
    return file, table, path


def test_a_plan_states_types_in_its_file_and_in_words(planned, capsys):
    file, _, _ = planned
    text = file.read_text(encoding="utf-8")
    assert "\ntypes:\n  days: BIGINT\n" in text
    again = kanon_sql.Plan.from_yaml(text, "plan")
    assert again.to_yaml() == text
    assert again.types_text == "days BIGINT"
    with pytest.raises(kanon_sql.InputError, match="is no type; write one of: BIGINT"):
        kanon_sql.Plan.from_yaml(text.replace("days: BIGINT", "days: INT"), "plan")


def test_a_plan_of_before_releases_texts(planned, tmp_path):
    file, _, _ = planned
    file.write_text(file.read_text(encoding="utf-8").replace("types:\n  days: BIGINT\n", ""))
    kanon_sql.apply(file)
    assert read(tmp_path / "out.parquet")[0]["days"] == "VARCHAR"


def test_a_diff_names_a_type_that_changed(planned):
    file, _, _ = planned
    new = file.read_text(encoding="utf-8")
    old = kanon_sql.Plan.from_yaml(new.replace("types:\n  days: BIGINT\n", ""), "plan")
    found = kanon_sql.diff(old, kanon_sql.Plan.from_yaml(new, "plan")).markdown
    (line,) = [each for each in found.splitlines() if "released type of" in each]
    assert all(each in line for each in ("days", "its own", "BIGINT"))


@pytest.mark.parametrize("late", ["canary", "031", "+5", "2.0"])
def test_new_rows_that_do_not_fit_are_refused_without_their_value(planned, tmp_path, late):
    file, table, _ = planned
    others = write_csv(tmp_path / "new.csv", {**table, "days": [*table["days"][:-1], late]})
    with pytest.raises(kanon_sql.StalePlanError) as caught:
        kanon_sql.apply(file, str(others), to_new_rows=True)
    assert f"columns.days: 1 of {ROWS} rows have a value that is not written as BIGINT" in str(
        caught.value
    )
    assert late not in str(caught.value)
    assert not (tmp_path / "out.parquet").exists()
    kanon_sql.apply(file, str(write_csv(tmp_path / "same.csv", table)), to_new_rows=True)
    assert read(tmp_path / "out.parquet")[0]["days"] == "BIGINT"


@pytest.mark.parametrize(
    ("edit", "told"),
    [("code: BIGINT", "columns.code: "), ("age: BIGINT", "types.age: is of no column")],
)
def test_a_type_that_was_edited_into_a_plan_is_refused(planned, edit, told):
    file, _, _ = planned
    file.write_text(file.read_text(encoding="utf-8").replace("days: BIGINT", edit))
    with pytest.raises(kanon_sql.StalePlanError, match=told):
        kanon_sql.apply(file)


def test_a_script_has_the_types_and_refuses_what_does_not_fit(planned, tmp_path):
    file, table, path = planned
    script, out = kanon_sql.compile_sql(file), tmp_path / "out.parquet"
    write_csv(path, {**table, "days": [*table["days"][:-1], "007"]})
    with pytest.raises(duckdb.Error, match="not written as the type") as caught:
        duckdb.connect().execute(script)
    assert "007" not in str(caught.value)
    assert not out.exists()
    write_csv(path, table)
    duckdb.connect().execute(script)
    assert read(out)[0]["days"] == "BIGINT"


def test_a_partition_that_is_added_has_the_types_of_the_others(tmp_path):
    table = table_of(days=drawn(["1", "2", "3"], 1), year=["2024", "2025"] * (ROWS // 2))
    path, out = write_csv(tmp_path / "people.csv", table), tmp_path / "out"
    release = {"parquet": str(out), "partition_by": ["year"]}
    asked = policy_of(path, table, release=release)
    made = kanon_sql.plan(asked)
    assert [*made.types] == [name for name in made.types if name != "year"], (
        "the name of a folder is a text"
    )
    for year in ("2024", "2025"):
        kanon_sql.apply(made, policy=asked, partition={"year": year})
    types, rows = read(f"{out}/*/*.parquet")
    assert types["days"] == "BIGINT"
    assert len(rows) == ROWS
    worse = write_csv(
        tmp_path / "more.csv", {**table, "year": ["2026"] * ROWS, "days": ["x"] * ROWS}
    )
    with pytest.raises(kanon_sql.StalePlanError, match=f"columns.days: {ROWS} of {ROWS} rows"):
        kanon_sql.apply(made, str(worse), policy=asked, partition={"year": "2026"})


def test_values_and_texts_are_recounted_and_measured_alike(tmp_path):
    """A release of values has the classes and the figures of one of texts, and both keep the plan's certificate."""
    table = table_of(days=drawn(["1", "2", "30"], 1), kind=drawn(["True", "False"], 2))
    path = write_csv(tmp_path / "people.csv", table)
    asked = policy_of(path, table) | shown(table)
    asked["columns"]["kind"] = {"role": "sensitive"}
    asked["privacy"] = [{"k": 3}, {"distinct_l": {"column": "kind", "l": 2}}]
    made = kanon_sql.plan(asked)
    files = [tmp_path / "values.parquet", tmp_path / "texts.csv"]
    for each in files:
        kanon_sql.apply(made, policy=asked, release=str(each))
    counts, figures = [], []
    for each in files:
        found = kanon_sql.verify(str(each), quasi=["age", "zip"], k=3, distinct_l={"kind": 2})
        counts.append(
            (found.passed, found.rows, found.classes, found.smallest_class, found.unique_rows)
        )
        figures.append(kanon_sql.quality(str(each), str(path), plan=made, policy=asked).figures)
    assert counts[0] == counts[1]
    assert counts[0][0]
    assert figures[0] == figures[1]
    assert read(files[0])[0]["kind"] == "BOOLEAN"
