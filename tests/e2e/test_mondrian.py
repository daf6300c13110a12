"""Mondrian on the worked examples and on Adult, against published and independent figures."""

from __future__ import annotations

import json
from contextlib import contextmanager

import duckdb
import pytest
from mondrian import STRICT

import kanon_sql
from kanon_sql.recoding.multidimensional.mondrian import MondrianSearch


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
        "search": {**STRICT, **search},
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


@pytest.mark.parametrize("people", ["mondrian_strict_vs_relaxed_1d"], indirect=True)
def test_one_dimension_relaxed(people):
    """The value at the median is dealt to both sides, and neither can be cut again."""
    connection, expected = people
    columns = {**ID, "value": {"role": "quasi", "order": "number"}}
    with released(columns, 2, connection, cuts="relaxed") as release:
        rows = dict(connection.execute("SELECT id, value FROM people").fetchall())
        found = together(release, ["value"])
    values = sorted(sorted(rows[n] for n in part) for part in found.values())
    assert values == expected["relaxed"]


ADULT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
    "salary-class",
)  # fmt: skip


@contextmanager
def adult_rows(shared):
    with duckdb.connect() as connection:
        adult = connection.read_csv(str(shared / "data/adult/adult.csv"), sep=";", all_varchar=True)
        adult.project("row_number() OVER () AS id, *").create("people")
        yield connection


@pytest.mark.sampled(3)
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
    with adult_rows(shared) as connection, released(columns, k, connection, at=at) as release:
        plan, boxes = release.plan, release.relation
        classes = boxes.aggregate("COUNT(*) AS n", ", ".join(f'"{name}"' for name in names))
        sums = classes.aggregate("MAX(n), SUM(n * n), COUNT(*)")
        ((largest, squares, many),) = sums.fetchall()
        boxes.create_view("boxes")
        for name in names:
            assert further_cuts(connection, name, names, k) == 0
    assert plan.recoding.regions == expected["partitions"] == many == plan.classes
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


EIGHT = {name: {"role": "quasi", "order": "number" if name == "age" else "text"} for name in ADULT}
EIGHT["salary-class"] = {"role": "insensitive"}


@pytest.fixture
def regions(monkeypatch):
    """The regions of each partition that is made: their rows, and whether their tuples differ.

    A release does not tell them all: two regions may be shown as the same box.
    """
    seen, given = [], MondrianSearch.partition

    def watched(self, **limits):
        found = given(self, **limits)
        wide = " OR ".join(f"low_{n} <> high_{n}" for n in range(len(self.cutting.axes)))
        name = found.regions.sql(dialect="duckdb", identify=True)
        rows = self.engine.connection.execute(f"SELECT row_count, {wide} FROM {name}").fetchall()
        seen.append(rows)
        return found

    monkeypatch.setattr(MondrianSearch, "partition", watched)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 10])
def test_adult_relaxed(shared, regions, k):
    """A region whose tuples differ has at most 2k - 1 rows, so none can be cut again."""
    with adult_rows(shared) as connection:
        with released({**ID, **EIGHT}, k, connection, cuts="relaxed") as release:
            plan, found = release.plan, together(release, [f'"{name}"' for name in ADULT[:-1]])
        ((most_alike,),) = connection.execute(f"""
            SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM people GROUP BY {quoted(ADULT[:-1])})
        """).fetchall()
    ((*sizes,),) = regions
    assert len(sizes) == plan.recoding.regions
    assert sum(size for size, _ in sizes) == plan.source_rows
    assert all(k <= size <= (2 * k - 1 if differ else most_alike) for size, differ in sizes)
    assert len(found) == plan.classes <= plan.recoding.regions
    assert plan.smallest_class == min(map(len, found.values())) >= k


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def in_boxes(release, connection, told):
    """What the boxes say of a column beside them: a table of (box, value)."""
    release.relation.project(f"id, [{quoted(ADULT[:-1])}] AS box").create("boxes")
    connection.execute(f"""
        CREATE OR REPLACE TABLE told AS
        SELECT box, {told} AS value FROM boxes JOIN people USING (id)
    """)
    connection.execute("DROP TABLE boxes")


@pytest.mark.slow
def test_adult_by_information(shared):
    """Boxes chosen to tell of a class tell more of it than those chosen by width."""
    wrong = {}
    with adult_rows(shared) as connection:
        for search in ({}, {"choose": "information", "target": "salary-class"}):
            with released({**ID, **EIGHT}, 10, connection, **search) as release:
                assert release.plan.smallest_class >= 10
                in_boxes(release, connection, '"salary-class"')
            ((wrong[len(search)],),) = connection.execute("""
                SELECT SUM(n) - SUM(most)
                FROM (SELECT SUM(n) AS n, MAX(n) AS most
                      FROM (SELECT box, value, COUNT(*) AS n FROM told GROUP BY ALL) GROUP BY box)
            """).fetchall()
    assert wrong[2] < 0.9 * wrong[0]


@pytest.mark.slow
def test_adult_by_variance(shared):
    """Boxes chosen to tell of a number leave less of its squares than those chosen by width."""
    hours = "LENGTH(occupation) * CAST(age AS INTEGER)"  # a number that two columns tell together
    left = {}
    with adult_rows(shared) as connection:
        connection.execute(
            f"ALTER TABLE people ADD COLUMN told DOUBLE; UPDATE people SET told = {hours} / 7"
        )
        columns = {**ID, **EIGHT, "told": {"role": "insensitive"}}
        for search in ({}, {"choose": "variance", "target": "told"}):
            with released(columns, 10, connection, **search) as release:
                assert release.plan.smallest_class >= 10
                in_boxes(release, connection, "people.told")
            ((left[len(search)],),) = connection.execute("""
                SELECT SUM(n * spread) FROM (SELECT COUNT(*) AS n, VAR_POP(value) AS spread FROM told GROUP BY box)
            """).fetchall()
    assert left[2] < 0.5 * left[0]


@pytest.mark.slow
def test_adult_by_loss(shared):
    """The loss is less than by width, and no cut is left."""
    gcp = {}
    with adult_rows(shared) as connection:
        for search in ({}, {"choose": "loss"}):
            with released({**ID, **EIGHT}, 10, connection, **search) as release:
                gcp[len(search)] = release.plan.figures["gcp"]
                release.relation.create_view("boxes")
                for name in ADULT[:-1]:
                    assert further_cuts(connection, name, ADULT[:-1], 10) == 0
                connection.execute("DROP VIEW boxes")
    assert gcp[1] < 0.85 * gcp[0]


def test_a_target_that_is_no_number_has_no_variance(shared):
    with adult_rows(shared) as connection:
        search = {"choose": "variance", "target": "salary-class"}
        with pytest.raises(kanon_sql.InputError, match="2 distinct values are not numbers"):
            released({**ID, **EIGHT}, 10, connection, **search)
