"""Lakes that grow: partitions that are released beside those that are published, under one plan.

What is published is counted again in plain Python, of the rows that the test itself wrote into the lake.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import signal
from collections import Counter, defaultdict
from random import Random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from killer import killer as killing

import kanon_sql
from kanon_sql.engines.local_files import lock_folder

pytestmark = pytest.mark.skipif(
    duckdb.__version__ < "2", reason="older ones misread a partition by union_by_name"
)

K = 5
COLUMNS = {
    "zip": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
    "age": {
        "role": "quasi",
        "hierarchy": {"intervals": [10, 40]},
        "levels": {"least": 1, "most": 1},
    },
    "disease": {"role": "sensitive"},
    "pid": {"role": "identifying", "action": "drop"},
    "day": {"role": "insensitive"},
}


def rows_of(day, *, seed=0, zips=3, people=120):
    random = Random(f"{seed} {day}")
    return [
        {
            "zip": random.choice([f"z{n}" for n in range(zips)] + [None]),
            "age": random.randrange(60) if random.random() < 0.95 else None,
            "disease": random.choice(["flu", "cold", "flu", "gout", None]),
            "pid": random.randrange(people),
            "day": day,
        }
        for _ in range(random.randrange(60, 120))
    ]


def write(lake, rows, by=("day",)):
    """Write rows as one more partition of a lake, as other programs would."""
    table = pa.Table.from_pylist(rows, SCHEMA)
    pq.write_to_dataset(table, lake, partition_cols=list(by))


SCHEMA = pa.schema(
    [("zip", pa.string()), ("age", pa.int32()), ("disease", pa.string()), ("pid", pa.int64()), ("day", pa.string())]
)  # fmt: skip


def policy(**changes):
    given = {
        "version": 1,
        "source": {"path": "lake", "union_by_name": True},
        "entity": "row",
        "columns": COLUMNS,
        "privacy": {"k": K},
        "suppression": "90%",
        "release": {"parquet": "out", "partition_by": ["day"]},
    }
    return {**given, **changes}


def with_columns(**changes):
    return {name: {**of, **changes.get(name, {})} for name, of in COLUMNS.items()}


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(given, days):
    """Write the first days of the lake, and make the plan of them."""
    for day in days:
        write("lake", rows_of(day))
    return kanon_sql.plan(given)


def age_of(value):
    return None if value is None else f"[{value // 10 * 10}, {value // 10 * 10 + 10})"


def as_released(row):
    return (row["zip"], age_of(row["age"]), row["disease"], row["day"])


def published():
    found = duckdb.sql(
        "SELECT zip, age, disease, day FROM read_parquet('out/**/*.parquet', hive_types_autocast = false)"
    ).fetchall()
    return Counter(found)


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def fits_k(old, new):
    return len(old) + len(new) >= K


def grown(old, new, fits=fits_k, key=lambda row: row[:2]):
    """Give the rows of a new partition that join what is published, and how many do not."""
    classes, there = defaultdict(list), defaultdict(list)
    for row in new:
        classes[key(row)].append(row)
    for row in old.elements():
        there[key(row)].append(row)
    kept = [row for at, rows in classes.items() if fits(there[at], rows) for row in rows]
    return kept, len(new) - len(kept)


DAYS = [f"2026-11-{day:02d}" for day in range(1, 31)]


def test_rows_that_are_counted_before_are_added_as_often_as_they_stand_for(lab):
    given = policy(source={"path": "lake", "union_by_name": True, "weight": "n"})
    wanted, schema = Counter(), SCHEMA.append(pa.field("n", pa.int32()))
    for at, day in enumerate(DAYS[:2]):
        counted = [{**row, "n": 1 + n % 3} for n, row in enumerate(rows_of(day))]
        pq.write_to_dataset(pa.Table.from_pylist(counted, schema), "lake", partition_cols=["day"])
        if at == 0:
            plan = kanon_sql.plan(given)
        repeated = [as_released(row) for row in counted for _ in range(row["n"])]
        kept, left_out = grown(wanted, repeated)
        made = kanon_sql.apply(plan, policy=given, partition={"day": day})
        wanted.update(kept)
        assert published() == wanted
        assert made.new.document(0)["suppressed"] == left_out


@pytest.mark.slow
def test_a_daily_lake_of_thirty_days_grows_by_partitions(lab):
    """Every published state passes `verify`, holds what Python counts, and keeps the files of the one before."""
    given = policy()
    plan = planned(given, DAYS[:3])
    wanted, withheld = Counter(), 0
    for at, day in enumerate(DAYS):
        if at >= 3:
            write("lake", rows_of(day))
        before = contents(lab / "out")
        made = kanon_sql.apply(plan, policy=given, partition={"day": day})
        kept, left = grown(wanted, [as_released(row) for row in rows_of(day)])
        rows = wanted.total()
        wanted += Counter(kept)
        assert published() == wanted
        assert contents(lab / "out").items() >= before.items()
        assert made.new.document(0) == {
            "partition_rows": len(kept) + left, "added": len(kept), "published_before": rows,
            "withheld": 0, "suppressed": left, "short_alone": made.new.short_alone,
        }  # fmt: skip
        of_day = Counter(row[:2] for row in kept)
        assert made.new.short_alone == sum(size < K for size in of_day.values())
        found = kanon_sql.verify("out", quasi=["zip", "age"], k=K)
        assert found.passed
        assert found.smallest_class == min(Counter(row[:2] for row in wanted.elements()).values())
        assert made.verification.rows == found.rows == wanted.total()
        withheld += left
    assert withheld > 100
    assert {path.name for path in lab.iterdir()} == {"lake", "out"}
    assert {path.name for path in (lab / "out").iterdir()} == {f"day={day}" for day in DAYS}


def test_a_whole_release_grows_too_and_what_was_suppressed_stays_so(lab):
    given = policy()
    plan = planned(given, DAYS[:2])
    whole = kanon_sql.apply(plan, policy=given)
    assert whole.verification.passed
    before = published()
    write("lake", rows_of(DAYS[2]))
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[2]})
    assert Counter({row: n for row, n in published().items() if row[3] != DAYS[2]}) == before
    kept, _ = grown(before, [as_released(row) for row in rows_of(DAYS[2])])
    assert published() - before == Counter(kept)


def test_a_partition_that_can_be_known_fits_by_itself(lab):
    """Where the day is a quasi-identifier, no class has rows of two days."""
    given = policy(
        columns=with_columns(day={"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}})
    )
    plan = planned(given, DAYS[:2])
    for day in DAYS[:4]:
        if day not in DAYS[:2]:
            write("lake", rows_of(day))
        made = kanon_sql.apply(plan, policy=given, partition={"day": day})
        assert made.new.short_alone == 0
        assert made.new.warning is None
    wanted = Counter()
    for day in DAYS[:4]:
        kept, _ = grown(Counter(), [as_released(row) for row in rows_of(day)])
        wanted += Counter(kept)
    assert published() == wanted
    assert kanon_sql.verify("out", quasi=["zip", "age", "day"], k=K).passed


def test_people_who_are_not_released_are_counted_within_the_partition(lab):
    given = policy(entity="pid", columns=with_columns(zip={"levels": {"least": 1, "most": 1}}))
    plan = planned(given, DAYS[:2])
    wanted = Counter()
    for day in DAYS[:5]:
        if day not in DAYS[:2]:
            write("lake", rows_of(day))
        kanon_sql.apply(plan, policy=given, partition={"day": day})
        classes = defaultdict(list)
        for row in rows_of(day):
            classes[age_of(row["age"])].append(row)
        wanted += Counter(
            ("*", label, row["disease"], day)
            for label, rows in classes.items()
            if len({row["pid"] for row in rows}) >= K
            for row in rows
        )
        assert published() == wanted


def test_people_who_are_released_are_counted_over_all_partitions(lab):
    columns = with_columns(pid={"role": "insensitive", "linkable": "accept"})
    columns["pid"].pop("action")
    given = policy(entity="pid", columns=columns)
    plan = planned(given, DAYS[:2])
    there = defaultdict(list)
    for day in DAYS[:4]:
        if day not in DAYS[:2]:
            write("lake", rows_of(day))
        kanon_sql.apply(plan, policy=given, partition={"day": day})
        new = defaultdict(list)
        for row in rows_of(day):
            new[row["zip"], age_of(row["age"])].append(row)
        for key, rows in new.items():
            if len({row["pid"] for row in there[key] + rows}) >= K:
                there[key] += rows
        wanted = Counter(
            (*key, r["disease"], r["day"]) for key, rows in there.items() for r in rows
        )
        assert published() == wanted
        assert kanon_sql.verify("out", quasi=["zip", "age"], k=K, entity="pid").passed


def diseases(rows):
    return Counter(row[2] for row in rows if row[2] is not None)


def distinct(old, new):
    return fits_k(old, new) and len(diseases(old + new)) >= 2


def entropy(old, new):
    counts = diseases(old + new)
    whole = counts.total()
    found = -sum(n / whole * math.log(n / whole) for n in counts.values())
    return fits_k(old, new) and found >= math.log(2) - 1e-9


@pytest.mark.parametrize(
    ("model", "fits"),
    [({"distinct_l": {"column": "disease", "l": 2}}, distinct), ({"entropy_l": {"column": "disease", "l": 2}}, entropy)],
    ids=["distinct_l", "entropy_l"],
)  # fmt: skip
def test_values_are_counted_over_what_is_published_together(lab, model, fits):
    given = policy(privacy=[{"k": K}, model])
    plan = planned(given, DAYS[:2])
    wanted = Counter()
    for day in DAYS[:5]:
        if day not in DAYS[:2]:
            write("lake", rows_of(day))
        kanon_sql.apply(plan, policy=given, partition={"day": day})
        kept, _ = grown(wanted, [as_released(row) for row in rows_of(day)], fits)
        wanted += Counter(kept)
        assert published() == wanted
    assert kanon_sql.verify("out", quasi=["zip", "age"], privacy=[{"k": K}, model]).passed


def close(rows, table, t):
    own, all_ = Counter(row[2] for row in rows), Counter(row[2] for row in table)
    own.pop(None, None), all_.pop(None, None)
    return (
        sum(abs(own[v] / own.total() - n / all_.total()) for v, n in all_.items()) / 2 <= t + 1e-9
    )


def test_a_model_by_which_published_classes_may_fall_short_is_judged_on_all_of_them(lab):
    """The values of one day move the distribution of the table away from that of classes that were close."""
    given = policy(
        columns=with_columns(zip={"levels": {"least": 1, "most": 1}}),
        privacy=[{"k": K}, {"t_closeness": {"column": "disease", "t": 0.5}}],
    )

    def day(name, of):
        return [
            {"zip": "z", "age": age, "disease": value, "pid": 1, "day": name}
            for age, values in of.items()
            for value in values
        ]

    calm, odd = {5: ["flu", "cold"] * 5, 15: ["flu", "cold"] * 5}, {25: ["gout"] * 90}
    write("lake", day("a", calm))
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given, partition={"day": "a"})
    write("lake", day("b", {5: ["flu", "flu", "cold"], 25: ["gout"] * 6}))
    kanon_sql.apply(plan, policy=given, partition={"day": "b"})
    rows = [as_released(row) for row in [*day("a", calm), *day("b", {5: ["flu", "flu", "cold"]})]]
    rows = [("*", *row[1:]) for row in rows]
    assert published() == Counter(rows)  # 6 of 29 rows are gout, which is far from all of a class
    assert close(rows[:10], rows, 0.5)
    before = contents(lab / "out")
    write("lake", day("c", odd))
    with pytest.raises(
        kanon_sql.VerificationError,
        match=r"2 of 3 classes would fall short, of what is published too",
    ):
        kanon_sql.apply(plan, policy=given, partition={"day": "c"})
    assert contents(lab / "out") == before


# ---- partitions of several columns, and their names ---------------------------------------------


HOSTILE = ["a/b", "it's; --", "x=y", "..", "ключ😀", "%2F", " z ", 'q"q', "*?[x]"]


@pytest.mark.parametrize("region", ["e", "\u00e9 %2F"])
def test_rows_that_were_suppressed_with_their_partition_are_not_released_with_a_part_of_it(
    lab, region
):
    schema = {name: dict(of) for name, of in COLUMNS.items()}
    schema["region"] = {"role": "insensitive"}
    given = policy(columns=schema, source="people.parquet")
    given["release"] = {"parquet": "out", "partition_by": ["region", "day"]}

    def day(region, name, age, rows):
        one = {"zip": "z", "age": age, "disease": "flu", "pid": 1, "day": name, "region": region}
        return [one] * rows

    people = [*day(region, "1", 5, 9), *day(region, "2", 15, 3), *day("w", "1", 15, 9)]
    pq.write_table(pa.Table.from_pylist(people), "people.parquet")
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given, partition={"region": region})
    kanon_sql.apply(plan, policy=given, partition={"region": "w", "day": "1"})
    before = contents(lab / "out")
    with pytest.raises(kanon_sql.ReleaseError, match="a partition by region that was added as a"):
        kanon_sql.apply(plan, policy=given, partition={"region": region, "day": "2"})
    assert contents(lab / "out") == before
    pq.write_table(pa.Table.from_pylist([*people, *day("w", "2", 15, 3)]), "people.parquet")
    kanon_sql.apply(plan, policy=given, partition={"region": "w", "day": "2"})


@pytest.mark.parametrize("region", ["e", "\u00e9 %2F"])
def test_partitions_that_a_whole_release_suppressed_are_not_released_later(
    lab, region, monkeypatch
):
    """No folder tells of them: the files do, by hashes that say nothing without the key of plans."""
    schema = {name: dict(of) for name, of in COLUMNS.items()}
    schema["region"] = {"role": "insensitive"}
    given = policy(columns=schema, source="people.parquet")
    given["release"] = {"parquet": "out", "partition_by": ["region", "day"]}
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "a key of this test alone, of enough bytes")

    def rows(region, name, age, number):
        one = {"zip": "z", "age": age, "disease": "flu", "pid": 1, "day": name, "region": region}
        return [one] * number

    people = [*rows(region, "1", 5, 9), *rows(region, "RAWDAY", 15, 3), *rows("RAWREGION", "1", 25, 2)]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(people), "people.parquet")
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given)
    assert published().total() == 9
    late = [*people, *rows("w", "1", 15, 9), *rows("w", "1", 25, 9), *rows("RAWREGION", "2", 25, 3)]
    pq.write_table(pa.Table.from_pylist(late), "people.parquet")
    kanon_sql.apply(plan, policy=given, partition={"region": "w"})
    before = contents(lab / "out")
    files = b"".join(path.read_bytes() for path in (lab / "out").rglob("*.parquet"))
    assert b"kanon_sql_suppressed" in files
    assert b"RAWDAY" not in files
    assert b"RAWREGION" not in files
    for gone in (
        {"region": region, "day": "RAWDAY"},
        {"region": "RAWREGION"},
        {"region": "RAWREGION", "day": "1"},
    ):
        with pytest.raises(kanon_sql.ReleaseError, match="was suppressed whole when the others"):
            kanon_sql.apply(plan, policy=given, partition=gone)
    assert contents(lab / "out") == before
    kanon_sql.apply(plan, policy=given, partition={"region": "RAWREGION", "day": "2"})
    assert published().total() == 9 + 18 + 3


def test_a_partition_is_refused_where_its_release_suppressed_too_many_or_by_another_key(
    lab, monkeypatch
):
    given = policy(source="people.parquet")
    one = {"zip": "z", "age": 5, "disease": "flu", "pid": 1, "day": "d"}
    people = [one] * 9 + [{**one, "age": None, "zip": "y", "day": f"s{n}"} for n in range(3)]
    pq.write_table(pa.Table.from_pylist(people), "people.parquet")
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "a key of this test alone, of enough bytes")
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given)
    pq.write_table(pa.Table.from_pylist([*people, *[{**one, "day": "n"}] * 9]), "people.parquet")
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "a key of somebody else, of enough bytes")
    with pytest.raises(kanon_sql.ReleaseError, match="under another key"):
        kanon_sql.apply(plan, policy=given, partition={"day": "n"})
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "a key of this test alone, of enough bytes")
    kanon_sql.apply(plan, policy=given, partition={"day": "n"})
    monkeypatch.setattr("kanon_sql.release.add_partition.MOST_REMEMBERED", 2)
    pq.write_table(pa.Table.from_pylist(people), "people.parquet")
    kanon_sql.apply(plan, policy=given, replace=True)
    pq.write_table(pa.Table.from_pylist([*people, *[{**one, "day": "n"}] * 9]), "people.parquet")
    with pytest.raises(kanon_sql.ReleaseError, match="1,000 and more that were suppressed whole"):
        kanon_sql.apply(plan, policy=given, partition={"day": "n"})


def test_partitions_of_several_columns_appear_by_one_rename(lab):
    schema = {name: dict(of) for name, of in COLUMNS.items()}
    schema["region"] = {"role": "insensitive"}
    given = policy(columns=schema, source="people.parquet")
    given["release"] = {"parquet": "out", "partition_by": ["region", "day"]}
    people = [
        {**row, "zip": "z", "region": region}
        for region in HOSTILE
        for day in ("1", "2")
        for row in rows_of(day)
    ]
    pq.write_table(pa.Table.from_pylist(people), "people.parquet")
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given, partition={"day": "1", "region": HOSTILE[0]})
    kanon_sql.apply(plan, policy=given, partition={"region": HOSTILE[0], "day": "2"})
    for region in HOSTILE[1:]:
        kanon_sql.apply(plan, policy=given, partition={"region": region})
    with pytest.raises(kanon_sql.ReleaseError, match="in the release already"):
        kanon_sql.apply(plan, policy=given, partition={"region": HOSTILE[0]})
    found = duckdb.sql(
        "SELECT region, day, COUNT(*) FROM read_parquet('out/**/*.parquet', hive_types_autocast = false) GROUP BY ALL"
    ).fetchall()
    sizes = Counter((row["region"], row["day"]) for row in people)
    assert {at[:2] for at in found} == set(sizes)
    assert sum(n for *_, n in found) >= 0.9 * len(people)
    assert len([*(lab / "out").iterdir()]) == len(HOSTILE)
    with pytest.raises(kanon_sql.InputError, match="values of the first columns of region, day"):
        kanon_sql.apply(plan, policy=given, partition={"day": "1"})


def test_dates_name_their_partition_and_other_columns_keep_their_types(lab):
    duckdb.execute(
        "COPY (SELECT 'x' AS zip, DATE '2026-11-01' + CAST(i % 3 AS INT) AS day, CAST(i AS DECIMAL(9, 2)) AS n,"
        " {'a': [i]} AS s FROM range(60) AS t(i)) TO 'people.parquet'"
    )
    columns = {"zip": {"role": "quasi", "hierarchy": "suppress"}}
    columns |= {name: {"role": "insensitive"} for name in ("day", "n", "s")}
    given = policy(columns=columns, source="people.parquet")
    plan = kanon_sql.plan(given)
    for day in (1, 2, 3):
        made = kanon_sql.apply(plan, policy=given, partition={"day": f"2026-11-0{day}"})
    assert made.verification.rows == 60
    found = duckdb.sql(
        "SELECT typeof(n), typeof(s), COUNT(*), SUM(n) FROM 'out/**/*.parquet' GROUP BY ALL"
    )
    assert [tuple(map(str, row)) for row in found.fetchall()] == [
        ("DECIMAL(9,2)", "STRUCT(a BIGINT[])", "60", "1770.00")
    ]


# ---- what is refused ------------------------------------------------------------------------------


@pytest.fixture
def grows(lab):
    given = policy()
    plan = planned(given, DAYS[:3])
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[0]})
    return given, plan


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"partition": {"day": DAYS[0]}}, "in the release already; a partition is released once"),
        ({"partition": {"day": "2027"}}, "has no rows of that partition"),
        ({"partition": {}}, "values of the first columns of day"),
        ({"partition": {"zip": "z1"}}, "values of the first columns of day"),
        ({"partition": {"day": None}}, "values that are not empty"),
        ({"replace": True}, "replace: does not go with partition"),
        ({"purge": True}, "purge: does not go with partition"),
        ({"to_new_rows": True}, "to_new_rows: does not go with partition"),
        ({"release": {"csv": "other.csv"}}, "must be {parquet: FOLDER, partition_by"),
        ({"release": {"parquet": "lake", "partition_by": ["day"]}}, "is the source itself"),
        ({"release": {"parquet": "memory://kanon/out", "partition_by": ["day"]}}, "an object store renames no folder"),
    ],
)  # fmt: skip
def test_what_is_no_new_partition_is_refused(lab, grows, arguments, told):
    given, plan = grows
    before = contents(lab)
    with pytest.raises(kanon_sql.KanonError) as caught:
        kanon_sql.apply(plan, policy=given, **{"partition": {"day": DAYS[1]}, **arguments})
    assert told in str(caught.value)
    assert contents(lab) == before


def test_a_value_that_is_read_as_null_names_no_partition(lab):
    given = policy()
    given["columns"] = {**given["columns"], "day": {**given["columns"]["day"], "missing": [DAYS[1], ""]}}  # fmt: skip
    plan = planned(given, DAYS[:3])
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[0]})
    before = contents(lab)
    for value in (DAYS[1], "  "):
        with pytest.raises(kanon_sql.InputError, match="day: its value is read as NULL") as caught:
            kanon_sql.apply(plan, policy=given, partition={"day": value})
        assert value.strip() not in str(caught.value) or not value.strip()
    assert contents(lab) == before


def folder_of(lab, how):
    if how == "no mark":
        write("out", rows_of("2026-10-31"))
        return "of its 2 files 1 do not say that this plan recoded them"
    if how == "hidden":
        (lab / "out" / "_temporary").mkdir()
        (lab / "out" / "_temporary" / "x").write_text("")
        return "holds more than a release"
    if how == "file":
        (lab / "out").rename(lab / "elsewhere")
        (lab / "out").write_text("")
        return "is no folder"
    (lab / "out").rename(lab / "elsewhere")
    (lab / "out").symlink_to(lab / "elsewhere")
    return "is no folder"


@pytest.mark.parametrize("how", ["no mark", "hidden", "file", "link"])
def test_a_folder_that_is_no_release_of_the_plan_is_refused(lab, grows, how):
    given, plan = grows
    told = folder_of(lab, how)
    before = contents(lab)
    with pytest.raises(kanon_sql.ReleaseError) as caught:
        kanon_sql.apply(plan, policy=given, partition={"day": DAYS[1]})
    assert told in str(caught.value)
    assert contents(lab) == before


def test_no_destination_adds_rows_that_were_not_judged(lab, grows):
    """A destination of an earlier run names its partition, and is not one to add to by itself."""
    given, plan = grows
    made = kanon_sql.apply(plan, policy=given, partition={"day": DAYS[1]})
    before = contents(lab / "out")
    for run in (
        lambda: kanon_sql.anonymize(given, release=made.destination),
        lambda: kanon_sql.apply(plan, policy=given, release=made.destination),
    ):
        with pytest.raises(kanon_sql.ReleaseError, match="already exists"):
            run()
    assert contents(lab / "out") == before


def test_another_plan_adds_nothing(lab, grows):
    given, _ = grows
    other = policy(privacy={"k": K + 1})
    with pytest.raises(kanon_sql.ReleaseError, match="do not say that this plan recoded them"):
        kanon_sql.apply(kanon_sql.plan(other), policy=other, partition={"day": DAYS[1]})
    again = kanon_sql.plan(given)  # of more rows, but the same recoding: its labels are the same
    assert kanon_sql.apply(again, policy=given, partition={"day": DAYS[1]}).verification.passed


def test_a_column_that_has_another_type_now_is_refused(lab, grows):
    given, plan = grows
    wider = pa.Table.from_pylist(
        [{**row, "day": "2026-12-01"} for row in rows_of("x")],
        SCHEMA.set(2, pa.field("disease", pa.large_string())).set(1, pa.field("age", pa.int64())),
    )
    pq.write_to_dataset(wider, "lake", partition_cols=["day"])
    made = kanon_sql.apply(
        plan, policy=given, partition={"day": "2026-12-01"}
    )  # labels are texts as before
    assert made.new.added > 0
    given = policy(
        columns=with_columns(pid={"role": "insensitive", "action": None}),
        release={"parquet": "wide", "partition_by": ["day"]},
    )
    given["columns"]["pid"].pop("action")
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[0]})
    narrow = SCHEMA.set(3, pa.field("pid", pa.int32()))
    frame = pa.Table.from_pylist(rows_of(DAYS[1]), narrow)
    with pytest.raises(
        kanon_sql.ReleaseError, match=r"columns.pid: has another type than in what is published"
    ):
        kanon_sql.apply(plan, frame, policy=given, partition={"day": DAYS[1]})
    frame = frame.cast(SCHEMA)
    assert kanon_sql.apply(plan, frame, policy=given, partition={"day": DAYS[1]}).new.added


def test_a_new_column_of_the_lake_is_classified_first(lab, grows):
    given, plan = grows
    table = pa.Table.from_pylist(
        [{**row, "day": "2026-12-01", "ward": "w"} for row in rows_of("x")]
    )
    pq.write_to_dataset(table, "lake", partition_cols=["day"])
    with pytest.raises(
        kanon_sql.SourceError, match="ward: is a column of the source that the policy does not"
    ):
        kanon_sql.apply(plan, policy=given, partition={"day": "2026-12-01"})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"search": {"recoding": "local"}}, "what a row is released as depends on the rows beside it"),
        ({"search": {"algorithm": "mu_argus", "repair": "records"}}, "what a row is released as depends on the rows beside it"),
        ({"search": {"algorithm": "mondrian"}}, "what a row is released as depends on the rows beside it"),
        ({"privacy": [{"k": 5}, {"k": 20, "over": ["age"]}]}, "several sets of quasi-identifiers"),
        ({"columns": with_columns(day={"role": "quasi", "hierarchy": "suppress", "levels": {"least": 1}})},
         "must be released as it is"),
        ({"privacy": [{"k": 5}, {"k_map": {"k": 5, "population": {"path": "lake/**/*.parquet"}}}]},
         "a model of a population"),
        ({"entity": "pid", "privacy": [{"k": 5}, {"entropy_l": {"column": "disease", "l": 1.2}}]},
         "a model that weighs values of people"),
        ({"nulls": "wildcard"}, "nulls: wildcard"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_over_partitions_is_refused_with_its_reason(lab, changes, told):
    free = {name: {k: v for k, v in of.items() if k != "levels"} for name, of in COLUMNS.items()}
    given = policy(**{"columns": free, **changes})
    plan = planned(given, DAYS[:2])
    with pytest.raises(kanon_sql.InputError) as caught:
        kanon_sql.apply(plan, policy=given, partition={"day": DAYS[1]})
    assert told in str(caught.value)
    assert re.search("release all (partitions|of them) to a new folder", str(caught.value))
    assert not (lab / "out").exists()


def test_pseudonyms_that_repeat_in_another_partition_are_refused(lab, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "0123456789abcdef")
    columns = with_columns(pid={"action": "hash", "key_env": "KANON_TEST_KEY"})
    given = policy(columns=columns)
    people = [{**row, "zip": "z", "pid": n} for n, row in enumerate(rows_of(DAYS[0]))]
    write("lake", people)
    plan = kanon_sql.plan(given)
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[0]})
    write("lake", [{**row, "day": DAYS[1], "pid": row["pid"] + 1000} for row in people])
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[1]})
    write("lake", [{**row, "day": DAYS[2]} for row in people])
    with pytest.raises(kanon_sql.ReleaseError, match=r"columns.pid: \d+ of its pseudonyms repeat"):
        kanon_sql.apply(plan, policy=given, partition={"day": DAYS[2]})
    assert not (lab / "out" / f"day={DAYS[2]}").exists()


def test_nothing_that_fits_leaves_the_folder_as_it_was(lab, grows):
    given, plan = grows
    write(
        "lake",
        [{"zip": f"new{n}", "age": 1, "disease": "flu", "pid": n, "day": "x"} for n in range(9)],
    )
    before = contents(lab)
    with pytest.raises(
        kanon_sql.InfeasibleError,
        match="none of 9 rows of the partition can be added: 0 lie outside",
    ):
        kanon_sql.apply(plan, policy=given, partition={"day": "x"})
    assert contents(lab) == before


@pytest.mark.skipif(os.name != "posix", reason="locks are POSIX")
def test_two_runs_do_not_add_at_once(lab, grows):
    given, plan = grows
    with lock_folder(lab / "out") as locked:
        assert locked
        with pytest.raises(kanon_sql.ReleaseError, match="another run adds a partition"):
            kanon_sql.apply(plan, policy=given, partition={"day": DAYS[1]})
    kanon_sql.apply(plan, policy=given, partition={"day": DAYS[1]})


# ---- what a killed run leaves ---------------------------------------------------------------------


@pytest.fixture
def killer():
    with killing("duckdb", "pyarrow", within="recode") as run:
        yield run


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_kill_leaves_the_folder_as_it_was_or_with_the_whole_partition(lab, grows, killer):
    """A run is killed at each of its statements, and a little after the last ones: while files move."""
    given, plan = grows
    (lab / "p.yml").write_text(json.dumps(given))
    (lab / "p.plan.yml").write_text(plan.named("p.yml").to_yaml())
    call = {"plan": str(lab / "p.plan.yml"), "policy": str(lab / "p.yml")}
    before, wanted, seen = contents(lab / "out"), published(), set()
    kept, _ = grown(wanted, [as_released(row) for row in rows_of(DAYS[1])])
    step = 1
    while True:
        ended = killer(json.dumps({**call, "partition": {"day": DAYS[1]}}), step)
        assert ended in {0, signal.SIGKILL, signal.SIGALRM}
        new = lab / "out" / f"day={DAYS[1]}"
        seen.add(new.exists())
        assert {path.name for path in (lab / "out").iterdir()} <= {f"day={DAYS[0]}", new.name}
        found = kanon_sql.verify("out", quasi=["zip", "age"], k=K)
        assert found.passed
        assert published() == (wanted + Counter(kept) if new.exists() else wanted)
        assert contents(lab / "out").items() >= before.items()
        if new.exists():
            assert ended != signal.SIGKILL
            break
        step += 1
    assert seen == {False, True}
    new = lab / "out" / f"day={DAYS[2]}"
    for delay in (0.0002, 0.001, 0.003):
        if not new.exists():
            killer(json.dumps({**call, "partition": {"day": DAYS[2]}}), step - 1, delay)
        assert {path.name for path in (lab / "out").iterdir()} <= {f"day={day}" for day in DAYS[:3]}
        assert kanon_sql.verify("out", quasi=["zip", "age"], k=K).passed
    if not new.exists():
        kanon_sql.apply(plan, policy=given, partition={"day": DAYS[2]})
    kanon_sql.clean(lab)
    assert not [path for path in lab.iterdir() if path.name.startswith(".")]
