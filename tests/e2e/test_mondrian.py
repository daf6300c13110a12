"""Mondrian on the worked examples and on Adult, against published and independent figures."""

from __future__ import annotations

import json

import duckdb
import pytest

import kanon_sql


@pytest.fixture(scope="module")
def examples(shared):
    listed = json.loads((shared / "EXAMPLES.json").read_text(encoding="utf-8"))["examples"]
    return {each["id"]: each for each in listed}


def released(columns, k, connection, **search):
    policy = {
        "version": 1,
        "entity": "row",
        "columns": columns,
        "privacy": {"k": k},
        "search": {"algorithm": "mondrian", **search},
    }
    return kanon_sql.anonymize(policy, "people", connection=connection)


def together(release, names, *, by="id"):
    """The rows that each box holds, by their numbers."""
    boxes = {}
    for number, *sides in release.relation.project(", ".join([by, *names])).fetchall():
        boxes.setdefault(tuple(sides), []).append(number)
    return {sides: sorted(rows) for sides, rows in boxes.items()}


@pytest.fixture
def people(examples, request):
    """A table of an example's rows, numbered from 1 on."""
    example = examples[request.param]
    rows = example.get("rows") or [[value] for value in example["values"]]
    names = example.get("columns", ["value"])
    with duckdb.connect() as connection:
        kinds = ["BIGINT" if isinstance(cell, int) else "VARCHAR" for cell in rows[0]]
        columns = ", ".join(f"{n} {kind}" for n, kind in zip(names, kinds, strict=True))
        connection.execute(f"CREATE TABLE people (id BIGINT, {columns})")
        for number, row in enumerate(rows, start=1):
            connection.execute(
                f"INSERT INTO people VALUES ({', '.join('?' * (len(row) + 1))})", [number, *row]
            )
        yield connection, example["expected"]


ID = {"id": {"role": "insensitive"}}


@pytest.mark.parametrize("people", ["mondrian_patient"], indirect=True)
@pytest.mark.parametrize("first", ["zip", "age"])
def test_the_patients_of_the_paper(people, first):
    """Both quasi-identifiers are as wide: the first of the policy is cut first."""
    connection, expected = people
    quasi = {
        "zipcode": {"role": "quasi", "order": "number", "output": "bounds"},
        "age": {"role": "quasi", "order": "number", "output": "bounds"},
    }
    if first == "age":
        quasi = dict(reversed(quasi.items()))
    columns = {**ID, "sex": {"role": "insensitive"}, **quasi}
    with released(columns, 2, connection) as release:
        found = together(release, ["age_low", "age_high", "zipcode_low", "zipcode_high"])
        boxes = expected[f"{first}_first_on_tie"]
        assert found == {(*box["age"], *box["zip"]): box["ids"] for box in boxes}
        figures = release.plan.figures
        assert figures["discernibility"] == expected["C_DM"][f"{first}_first"]
        assert figures["c_avg"] == expected["C_AVG"][f"{first}_first"]


@pytest.mark.parametrize("people", ["mondrian_spdp"], indirect=True)
def test_the_table_of_the_slides(people):
    connection, expected = people
    columns = {
        **ID,
        "zip": {"role": "quasi", "order": "text"},
        "race": {"role": "quasi", "order": ["asian", "black", "white"]},
    }
    with released(columns, 3, connection) as release:
        found = together(release, ["race", "zip"])
    assert sorted(found.values()) == sorted(expected["partitions"])


@pytest.mark.parametrize("people", ["mondrian_strict_vs_relaxed_1d"], indirect=True)
def test_one_dimension(people):
    """The source shows one cut at the median, and goes on: the left half can be cut once more."""
    connection, expected = people
    columns = {**ID, "value": {"role": "quasi", "order": "number"}}
    with released(columns, 2, connection, at="median") as release:
        rows = dict(connection.execute("SELECT id, value FROM people").fetchall())
        found = together(release, ["value"])
    left, right = expected["strict"]
    values = sorted(sorted(rows[n] for n in part) for part in found.values())
    assert values == [left[:2], left[2:], right]


ADULT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
    "salary-class",
)  # fmt: skip


@pytest.mark.parametrize("at", ["balanced", "median"])
@pytest.mark.parametrize("k", [5, 10])
@pytest.mark.parametrize("names", [ADULT, ADULT[:-1]], ids=["9", "8"])
def test_adult(shared, k, names, at):
    """Counts of an independent implementation: the most balanced allowable cut of the widest axis."""
    golden = json.loads((shared / "EXAMPLES.json").read_text(encoding="utf-8"))
    golden = golden["golden_adult"]["mondrian"]["results"]
    rule = {"balanced": "any", "median": "both"}[at]
    of = golden[f"{'9qi' if names is ADULT else '8qi_no_salary'}/{rule}"]
    expected = next(each for each in of if each["k"] == k)
    columns = {
        name: {"role": "quasi", "order": "number" if name == "age" else "text"} for name in names
    }
    columns |= ID if names is ADULT else {**ID, "salary-class": {"role": "insensitive"}}
    with duckdb.connect() as connection:
        connection.read_csv(
            str(shared / "data/adult/adult.csv"), sep=";", all_varchar=True
        ).project("row_number() OVER () AS id, *").create("people")
        with released(columns, k, connection, at=at) as release:
            plan, boxes = release.plan, release.relation
            classes = boxes.aggregate("COUNT(*) AS n", ", ".join(f'"{name}"' for name in names))
            sums = classes.aggregate("MAX(n), SUM(n * n), COUNT(*)")
            ((largest, squares, many),) = sums.fetchall()
            boxes.create_view("boxes")
            for name in names:
                assert further_cuts(connection, name, names, k) == 0
    assert plan.recoding.boxes == expected["partitions"] == many == plan.classes
    assert largest == expected["max"] <= expected["bound_2d_km1_plus_m"]
    assert squares == expected["C_DM"] == plan.figures["discernibility"]
    assert plan.figures["c_avg"] == pytest.approx(expected["C_AVG"])
    assert plan.figures["gcp"] == pytest.approx(expected["GCP"], abs=1e-8)
    assert plan.smallest_class == expected["min"] >= k


def further_cuts(connection, name, names, k):
    """Count the places at which any box could still be cut on one column, by the rows themselves."""
    value = f'CAST(p."{name}" AS INTEGER)' if name == "age" else f'p."{name}"'
    box = ", ".join(f'b."{each}"' for each in names)
    ((found,),) = connection.execute(f"""
        SELECT COUNT(*) FROM (
          SELECT SUM(n) OVER (PARTITION BY box ORDER BY value) AS up_to, SUM(n) OVER (PARTITION BY box) AS rows_
          FROM (
            SELECT [{box}] AS box, {value} AS value, COUNT(*) AS n
            FROM boxes AS b JOIN people AS p USING (id) GROUP BY ALL
          )
        ) WHERE up_to >= {k} AND rows_ - up_to >= {k}
    """).fetchall()
    return found
