"""`benchmarks.side_by_side` measures alike whoever released: by counts that share no code with the product's."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from statistics import fmean

import duckdb
import pytest

import kanon_sql
from benchmarks import counts
from benchmarks.peers import release_of
from benchmarks.recount import ROW
from benchmarks.side_by_side import Beside, Program, band_width, write_hierarchies
from kanon_sql.evidence.release_quality.simple_counts import band_width as product_width

NAMES = ("sex", "shade", "size")
ROWS = [("f", "red", "1"), ("f", "red", "2"), ("m", "blue", "2"), ("m", "red", "1")]


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def table_of(connection, name, rows, *, numbered):
    columns = [*([ROW] if numbered else []), *NAMES]
    connection.execute(f"CREATE TABLE {name} ({', '.join(f'{each} VARCHAR' for each in columns)})")
    if numbered:
        rows = [(number, *row) for number, row in enumerate(rows)]
    marks = ", ".join("?" for _ in columns)
    connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    if numbered:
        connection.execute(f"ALTER TABLE {name} ALTER {ROW} TYPE BIGINT")


def distance(own, shown, at):
    shares = [
        Counter(
            {
                key: n / len(rows)
                for key, n in Counter(tuple(row[i] for i in at) for row in rows).items()
            }
        )
        for rows in (own, shown)
    ]
    return sum(abs(shares[0][key] - shares[1][key]) for key in shares[0] | shares[1]) / 2


def test_distances_and_errors_are_those_of_plain_python(connection):
    shown = [("f", "red", "1"), ("f", "red", "1"), ("m", "blue", "1"), ("f", "blue", "2")]
    table_of(connection, "source", ROWS, numbered=True)
    table_of(connection, "released", shown, numbered=False)
    found = Beside(connection, NAMES).measure(labels=False)
    pairs = list(combinations(range(3), 2))
    assert found["score"] == round(1000 * (1 - fmean(distance(ROWS, shown, at) for at in pairs)), 1)
    assert found["one_way"] == pytest.approx(fmean(distance(ROWS, shown, (at,)) for at in range(3)))
    errors = []
    for at in pairs:
        own, told = (Counter(tuple(row[i] for i in at) for row in rows) for rows in (ROWS, shown))
        errors += [abs(told[key] - n) / n for key, n in own.items()]
    middle = sorted(errors)
    assert found["pairs_plain"] == found["pairs_drawn"]
    half = len(middle) // 2
    median = middle[half] if len(middle) % 2 else (middle[half - 1] + middle[half]) / 2
    assert found["pairs_plain"] == pytest.approx(median)
    assert (found["classes"], found["smallest"], found["unique"]) == (3, 1, 1)


def test_a_label_of_several_bands_counts_in_none_and_is_drawn_from_what_it_covers(connection):
    table_of(connection, "source", ROWS, numbered=True)
    table_of(connection, "released", [(sex, "*", size) for sex, _, size in ROWS], numbered=True)
    found = Beside(connection, NAMES).measure(labels=True)
    assert found["pairs_plain"] == 1  # both pairs with shade are lost, and the third is exact
    drawn = connection.execute("SELECT DISTINCT shade FROM drawn").fetchall()
    assert {value for (value,) in drawn} <= {"red", "blue"}
    kept = connection.execute("SELECT sex, size FROM drawn ORDER BY ALL").fetchall()
    assert kept == sorted((sex, size) for sex, _, size in ROWS)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "people.csv"
    path.write_bytes((files("kanon_sql") / "apps" / "sample" / "people.csv").read_bytes())
    return path


def test_each_column_that_is_measured_is_released_whatever_its_name_says(sample):
    with sample.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    by_names = {name for name, role in roles(counts.proposed(sample, "records")) if role == "quasi"}
    assert by_names < set(names)
    _, policy = next(counts.policies(sample, 5, names))
    assert dict(roles(policy)) == dict.fromkeys(names, "quasi")


def roles(policy):
    return [(name, each["role"]) for name, each in policy["columns"].items()]


def test_the_error_of_simple_counts_is_the_product_s(connection, sample):
    policy = dict(counts.policies(sample, 5))["counts"]
    names = ("sex", "age", "education")
    dropped = {"role": "identifying", "action": "drop"}  # dates and codes have bands of their own
    policy["columns"] = {
        name: each if name in names else dropped for name, each in policy["columns"].items()
    }
    plan = kanon_sql.plan(policy)
    with kanon_sql.apply(plan, policy=policy) as release:
        rows = release.to_arrow()
        told = kanon_sql.quality(rows, plan=plan, policy=policy).figures["count_error"]
    listed = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in names)
    connection.execute(f"CREATE TABLE source AS SELECT {listed} FROM read_csv('{sample}')")
    connection.execute(f"CREATE TABLE released AS SELECT {listed} FROM rows")
    found = Beside(connection, names).measure(labels=False)
    assert found["pairs_plain"] == pytest.approx(told)
    assert found["smallest"] >= 5


def test_bands_are_as_wide_as_the_product_s():
    for step in (1, 3, 17, 250):
        values = [str(step * n) for n in range(40)]
        middle = values[2:38]
        assert band_width(values) == float(product_width(float(middle[-1]) - float(middle[0])))
    assert band_width(["1", "2"]) is None
    assert band_width([*map(str, range(40)), "N"]) is None


def test_arx_gets_the_hierarchies_of_a_first_policy(connection, tmp_path):
    table_of(connection, "source", ROWS, numbered=True)
    columns = {
        ROW: {"role": "insensitive"},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "size": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
    }
    write_hierarchies(connection, {"columns": columns}, tmp_path)
    read = {path.name: path.read_text(encoding="utf-8") for path in Path(tmp_path).iterdir()}
    assert read == {
        "hierarchy_sex.csv": "f;*\nm;*\n",
        "hierarchy_size.csv": "1;[0, 2);[0, 4);*\n2;[2, 4);[0, 4);*\n",
    }


def test_a_program_gets_its_files_and_k():
    program = Program("any", ("run", "TABLE", "FOLDER", "OUT", "K"))
    assert program.arguments(Path("f"), Path("t"), Path("o"), 6) == ["run", "t", "f", "o", "6"]


def test_a_program_that_fails_is_named_with_the_file_of_its_words(tmp_path):
    words = (sys.executable, "-c", "import sys; sys.exit('no class path')", "TABLE", "OUT")
    (tmp_path / "rows.csv").write_text("a\n1\n")
    with pytest.raises(SystemExit, match=r"^ARX at k = 5 ended with 1: see ") as ended:
        release_of(Program("ARX", words), tmp_path, tmp_path / "rows.csv", tmp_path / "kept", 5)
    log = Path(ended.value.code.rpartition(": see ")[2])
    assert log.read_text() == "no class path\n"
    made = (sys.executable, "-c", "import sys; open(sys.argv[2], 'w')", "TABLE", "OUT")
    found = release_of(Program("ARX", made), tmp_path, tmp_path / "rows.csv", tmp_path / "kept", 5)
    assert found.path.is_file()
    assert not log.exists()
