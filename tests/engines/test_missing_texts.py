"""Texts that stand for a missing value are NULL wherever a policy says so, alike on every engine; others are warned of."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.release.warehouse_sql import HERE, WAREHOUSES

TEXTS = ("flu", "cold", "NA", " ", "na", "NA ")
ROWS = [
    ("F" if n % 2 else "?", (n * 7) % 40 if n % 5 else 999, TEXTS[n % len(TEXTS)], n % 3 or -1)
    for n in range(120)
]
COLUMNS = {
    "sex": {"role": "quasi", "hierarchy": "suppress", "missing": ["?"]},
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}, "missing": [999, "NA"]},
    "disease": {"role": "sensitive"},
    "code": {"role": "insensitive"},
}


def asked(**more):
    return {
        "version": 1,
        "source": {"table": "missing_people", "missing": ["NA", "", "-1.0"]},
        "entity": "row",
        "columns": COLUMNS,
        "privacy": {"k": 3},
        "suppression": 0,
        "search": {"algorithm": "optimal"},
        **more,
    }


def read(row):
    """What a row of the source is, in plain Python: no text is trimmed, and no case is folded."""
    sex, age, disease, code = row
    return (
        None if sex == "?" else sex,
        None if age == 999 else age,
        None if disease in {"NA", " "} else disease,
        None if code == -1 else code,
    )


@pytest.fixture
def people(place):
    types = {"sex": pa.string(), "age": pa.int32(), "disease": pa.string(), "code": pa.int64()}
    columns = zip(types.items(), zip(*ROWS, strict=True), strict=True)
    frame = pa.table({name: pa.array(cells, kind) for (name, kind), cells in columns})
    place.put("missing_people", frame)
    yield place
    place.drop("missing_out")
    place.drop("missing_people")


def kept(rows):
    return sorted(rows, key=str)


def test_a_release_has_null_in_their_place(people):
    made = kanon_sql.anonymize(asked(), connection=people.connection, release="missing_out")
    rows = people.read("missing_out")
    assert kept((d, c) for *_, d, c in rows) == kept((d, c) for *_, d, c in map(read, ROWS))
    own = [read(row) for row in ROWS]
    assert sum(age is None for _, age, *_ in rows) == sum(age is None for _, age, *_ in own)
    levels = made.plan.levels
    if not levels["sex"]:
        assert {row[0] for row in rows} == {row[0] for row in own}
    found = kanon_sql.verify("missing_out", quasi=["sex", "age"], k=3, connection=people.connection)
    assert found.passed


def test_a_class_that_is_diverse_only_by_them_is_refused_and_warned_of(people):
    diverse = [{"k": 3}, {"distinct_l": {"column": "disease", "l": 6}}]
    plain = {name: {**told, "missing": told["missing"][:1]} if "missing" in told else told
             for name, told in COLUMNS.items()}  # fmt: skip
    without = asked(privacy=diverse, columns=plain, source="missing_people")
    made = kanon_sql.plan(without, connection=people.connection)
    (note,) = [each for each in made.notes if "stands for a missing value" in each]
    assert "columns.disease: 80 of 120 rows have" in note
    assert f"{made.classes} of {made.classes} equivalence" in note
    assert all(each in note for each in ("missing: [", "'NA '", "''"))
    lines = kanon_sql.lint(without, connection=people.connection)
    assert [each for each in lines if "80 of 120 rows" in each and "before any recoding" in each]
    kanon_sql.apply(made, policy=without, connection=people.connection, release="missing_out")
    found = kanon_sql.verify(
        "missing_out",
        quasi=["sex", "age"],
        k=3,
        distinct_l={"disease": 6},
        connection=people.connection,
    )
    (missing,) = found.missing_values
    assert (missing.rows, missing.classes, missing.all_classes) == (80, *2 * [found.classes])
    assert found.passed
    assert str(missing) in found.warnings
    with pytest.raises(kanon_sql.InfeasibleError):
        kanon_sql.plan(asked(privacy=diverse), connection=people.connection)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (lambda n: 999 if n % 10 == 0 else 20 + n % 60, (999,)),
        (lambda n: 99 if n % 10 == 0 else 20 + n % 70, (99,)),
        (lambda n: 9 if n % 10 == 0 else 1 + n % 2, (9,)),
        (lambda n: -1 if n % 10 == 0 else n % 40, (-1,)),
        (lambda n: 99 if n % 10 == 0 else 20 + n % 78, ()),  # nothing but the end of a range
        (lambda n: 999 if n == 7 else 20 + n % 60, ()),  # one row of more than a hundred
        (lambda n: -1 if n % 10 == 0 else n % 2, ()),  # three answers, of which one is no
        (lambda n: 99 if n % 10 == 0 else n, ()),  # not the greatest
        (lambda n: (-9, -99)[n // 10 % 2] if n % 10 == 0 else n % 40, (-9, -99)),
    ],
)
def test_a_code_that_stands_apart_in_a_sensitive_column_is_named(people, values, codes):
    rows = [(n % 3, values(n)) for n in range(120)]
    columns = zip(("sex", "score"), zip(*rows, strict=True), strict=True)
    people.put("missing_people", pa.table({name: pa.array(cells) for name, cells in columns}))
    policy = {
        **asked(source="missing_people"),
        "columns": {
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "score": {"role": "sensitive"},
        },
    }
    told = kanon_sql.lint(policy, connection=people.connection)
    noted = kanon_sql.plan(policy, connection=people.connection).notes
    for lines in (told, noted):
        named = [each for each in lines if "a code for a missing value?" in each]
        assert len(named) == len(codes)
        for code in codes:
            count = sum(score == code for _, score in rows)
            said = f"columns.score: {code} stands apart from all other values and is in {count} of 120 rows"
            assert any(each.startswith(said) and f"say missing: [{code}]" in each for each in named)
    policy["columns"]["score"]["missing"] = [-1, -9, -99, 9, 99, 999]
    told = kanon_sql.lint(policy, connection=people.connection)
    assert not [each for each in told if "a code for a missing value?" in each]


def test_an_entry_that_no_row_has_is_named(people):
    columns = {**COLUMNS, "disease": {"role": "sensitive", "missing": ["na", "n/k"]}}
    source = {"table": "missing_people", "missing": ["NA", "", "-1.0", "999", "unknown"]}
    told = kanon_sql.lint(asked(source=source, columns=columns), connection=people.connection)
    assert [each for each in told if "no row has" in each] == [
        "source.missing: no row has 'unknown'",
        "columns.age.missing: no row has 'NA'",
        "columns.disease.missing: no row has 'n/k'",
    ]
    told = kanon_sql.lint(asked(source="missing_people"), connection=people.connection)
    assert [each for each in told if "no row has" in each] == [
        "columns.age.missing: no row has 'NA'"
    ]


def test_a_plan_is_stale_where_they_are_others(people):
    made = kanon_sql.plan(asked(), connection=people.connection)
    other = asked(source={"table": "missing_people", "missing": ["NA"]})
    with pytest.raises(kanon_sql.StalePlanError):
        kanon_sql.apply(made, policy=other, connection=people.connection, release="missing_out")


def test_a_table_in_place_keeps_its_types(people):
    if people.name == "spark":
        pytest.skip("Spark releases no table in place")
    if people.name == "postgres":
        people.execute(
            "ALTER TABLE missing_people ALTER disease TYPE varchar(12), ALTER code TYPE numeric(8, 2)"
        )
        people.connection.commit()
    policy = asked(release={"in_place": True, "drop_original": True})
    kanon_sql.anonymize(policy, connection=people.connection)
    rows = people.read("missing_people")
    assert kept((d, c) for *_, d, c in rows) == kept((d, c) for *_, d, c in map(read, ROWS))
    if people.name == "postgres":
        kinds = people.execute(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'missing_people'::regclass "
            "AND attname IN ('disease', 'code') ORDER BY attname"
        ).fetchall()
        assert kinds == [("numeric(8,2)",), ("character varying(12)",)]


def test_a_view_and_a_script_read_them_alike(people):
    place = people
    for release, kept_as in (
        ({"table": "missing_out", "view": True}, "view"),
        ("missing_out", "script"),
    ):
        policy = asked(release=release)
        made = kanon_sql.plan(policy, connection=place.connection)
        if kept_as == "view":
            if place.name == "spark":
                continue  # its tables of tests are views of a session, which no view outlives
            kanon_sql.apply(made, policy=policy, connection=place.connection)
        else:
            script = kanon_sql.compile_sql(made, policy=policy, connection=place.connection)
            said(place, script)
        rows = place.read("missing_out")
        assert kept((d, c) for *_, d, c in rows) == kept((d, c) for *_, d, c in map(read, ROWS))
        if kept_as == "view":
            place.execute("DROP VIEW missing_out")
            if place.name == "postgres":
                place.connection.commit()


def said(place, script):
    """Say all of a script of the database's own."""
    if place.name == "spark":
        for each in script.split(";\n"):
            text = "\n".join(line for line in each.split("\n") if not line.startswith("--")).strip()
            if text:
                place.execute(text)
    else:
        place.connection.execute(script.encode() if place.name == "postgres" else script)


def test_a_frequency_set_is_counted_without_them(places, monkeypatch):
    place = places("duckdb")
    monkeypatch.setitem(WAREHOUSES, "duckdb", HERE["duckdb"])
    place.execute(
        "CREATE OR REPLACE TABLE missing_people AS FROM (VALUES ('NA', 1), ('NA ', 1), ('  ', 9), ('a', 9)) AS t (q, n)"
    )
    policy = {
        **asked(),
        "columns": {"q": {"role": "quasi", "hierarchy": "suppress"}, "n": {"role": "insensitive"}},
    }
    text = kanon_sql.frequency_query(policy, dialect="duckdb", table="missing_people")
    assert kept(place.execute(text).fetchall()) == kept([(None, 2), ("NA ", 1), ("a", 1)])
    place.drop("missing_people")
