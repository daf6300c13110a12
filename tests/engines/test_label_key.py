"""The key of a release's labels, on every engine: each label, what covers it at each level, and the values between."""

from __future__ import annotations

from datetime import date, timedelta

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import InputError, ReleaseError

AGE = 'age "x"'
AREAS = {
    "north": {"bay": ["a'b", "ß 😀"], "fjord": ["NULL", ""]},
    "south": {"dune": ["c"]},
}
PARENT = {
    **{leaf: group for groups in AREAS.values() for group, leaves in groups.items() for leaf in leaves},
    **{group: top for top, groups in AREAS.items() for group in groups},
}  # fmt: skip
LEAVES = ["a'b", "ß 😀", "NULL", "", "c"]
ROWS = [
    (
        n * n % 61,
        date(1969, 11, 3) + timedelta(days=97 * (n % 131)),
        f"0{n % 7}{n * 3 % 5}",
        None if n % 19 == 0 else LEAVES[n % 5],
        n % 8 + (n % 3) / 4,
    )
    for n in range(400)
]
POLICY = {
    "version": 1,
    "source": "labelled",
    "entity": "row",
    "columns": {
        AGE: {
            "role": "quasi",
            "hierarchy": {"intervals": {"widths": [5, 10, 20], "bottom": 3, "top": 50}},
        },
        "day": {"role": "quasi", "hierarchy": {"dates": ["month", "quarter", "year", "decade"]}},
        "code": {"role": "quasi", "hierarchy": {"mask": 3}},
        "area": {"role": "quasi", "hierarchy": {"tree": {"every area": AREAS}}},
        "dose": {"role": "quasi", "hierarchy": {"intervals": [0.5, 4]}},
    },
    "privacy": {"k": 4},
    "suppression": "5%",
    "search": {"algorithm": "mondrian"},
}


def frame():
    ages, days, codes, areas, doses = zip(*ROWS, strict=True)
    return pa.table(
        {
            AGE: pa.array(ages, pa.int64()),
            "day": pa.array(days, pa.date32()),
            "code": pa.array(codes, pa.string()),
            "area": pa.array(areas, pa.string()),
            "dose": pa.array(doses, pa.float64()),
        }
    )


def interval(value, width, low=None, high=None, *, places=0):
    if low is not None and value < low:
        return f"< {low}", None, low
    if high is not None and value >= high:
        return f">= {high}", high, None
    start = value // width * width
    first = start if low is None else max(start, low)
    last = start + width if high is None else min(start + width, high)
    return f"[{first:.{places}f}, {last:.{places}f})", first, last


def of_ages(value):
    yield str(value), str(value), str(value)
    for width in (5, 10, 20):
        label, low, high = interval(value, width, 3, 50)
        yield label, None if low is None else str(low), None if high is None else str(high - 1)
    yield "*", None, None


def month_begins(number):
    return date(number // 12, number % 12 + 1, 1)


def of_days(day):
    yield day.isoformat(), day.isoformat(), day.isoformat()
    month = day.year * 12 + day.month - 1
    for months, label in (
        (1, f"{day:%Y-%m}"),
        (3, f"{day.year}-Q{(day.month + 2) // 3}"),
        (12, f"{day.year}"),
        (120, f"{day.year // 10}0s"),
    ):
        first = month // months * months
        last = month_begins(first + months) - timedelta(days=1)
        yield label, month_begins(first).isoformat(), last.isoformat()
    yield "*", None, None


def of_codes(code):
    for kept in (3, 2, 1, 0):
        yield code[:kept] + "*" * (3 - kept), None, None


def of_areas(area):
    if area is not None:  # NULL has no label but the root
        yield from ((each, None, None) for each in (area, PARENT[area], PARENT[PARENT[area]]))
        yield "every area", None, None


def of_doses(value):
    yield (
        repr(value),
        None,
        None,
    )  # engines write floats as they do; the test leaves their texts out
    for width in (0.5, 4):
        label, low, high = interval(value, width, places=1)
        yield label, f"{low:.1f}", f"{high:.1f}"
    yield "*", None, None


PATHS = {AGE: of_ages, "day": of_days, "code": of_codes, "area": of_areas, "dose": of_doses}


def expected(released):
    """The key, by plain Python from the source's values and the labels that a release shows."""
    found = set()
    for at, (name, paths) in enumerate(PATHS.items()):
        shown = {str(row[at]) for row in released if row[at] is not None}
        for value in {row[at] for row in ROWS}:
            steps = list(paths(value))
            for label in shown & {label for label, _, _ in steps}:
                own = min(level for level, step in enumerate(steps) if step[0] == label)
                for level, _ in enumerate(steps):
                    covering = steps[max(level, own)]
                    typed = [None] * 4
                    if name != "day" and covering[1:] != (None, None):
                        typed[:2] = [None if end is None else float(end) for end in covering[1:]]
                    elif name == "day" and covering[1] is not None:
                        typed[2:] = map(date.fromisoformat, covering[1:])
                    found.add((name, label, level, *covering, *typed, level == own, level < own))
    return found


@pytest.fixture
def labelled(place):
    place.put("labelled", frame())
    yield place
    for name in ("labelled", "labelled_k4", "label_key"):
        place.drop(name)


def test_the_key_has_what_covers_each_label(labelled):
    own = {"policy": POLICY, "connection": labelled.connection}
    plan = kanon_sql.plan(**own)
    kanon_sql.apply(plan, release="labelled_k4", **own)
    found = kanon_sql.labels("labelled_k4", plan=plan, out="label_key", **own)
    released, key = labelled.read("labelled_k4"), labelled.read("label_key")
    assert labelled.names("label_key") == [
        "column_name", "label", "level", "ancestor", "least", "greatest",
        "least_number", "greatest_number", "least_date", "greatest_date", "own", "wider",
    ]  # fmt: skip
    known = expected(released)
    assert len({(name, label) for name, label, *_ in known}) > 45
    assert {(*row[:2], int(row[2]), *row[3:]) for row in key} == known
    assert len(key) == len(known)
    assert found.labels == {
        name: len({label for column, label, *_ in known if column == name}) for name in PATHS
    }
    assert set(found.unknown.values()) == {0}
    with pytest.raises(ReleaseError, match="already exists"):
        kanon_sql.labels("labelled_k4", plan=plan, out="label_key", **own)


def test_a_join_counts_every_row_at_a_level(tmp_path):
    plan = kanon_sql.plan(POLICY, frame())
    rows = kanon_sql.apply(plan, frame(), policy=POLICY).frame()
    out = tmp_path / "labels.parquet"
    kanon_sql.labels(rows, plan=plan, policy=POLICY, source=frame(), out=str(out))
    counted = duckdb.sql(f'''
        SELECT k.ancestor, k.wider, COUNT(*) FROM rows AS r
        JOIN '{out}' AS k ON k.column_name = 'age "x"' AND k.label = r."age ""x""" AND k.level = 2
        GROUP BY ALL
    ''').fetchall()
    assert sum(count for *_, count in counted) == len(rows)
    steps = [list(of_ages(value)) for value, *_ in ROWS]
    at_ten = {each[2][0] for each in steps}
    assert {band for band, wider, _ in counted if not wider} <= at_ten
    assert {band for band, wider, _ in counted if wider} <= {e[0] for s in steps for e in s[3:]} - at_ten  # fmt: skip
    assert {wider for _, wider, _ in counted} == {False, True}


def test_a_key_names_no_value_that_the_release_does_not_show():
    plan = kanon_sql.plan({**POLICY, "privacy": {"k": 40}}, frame())
    policy = {**POLICY, "privacy": {"k": 40}}
    rows = kanon_sql.apply(plan, frame(), policy=policy).frame()
    key = kanon_sql.labels(rows, plan=plan, policy=policy, source=frame()).table
    shown = {str(each) for each in rows["code"].to_pylist()}
    columns = [key[each].to_pylist() for each in ("column_name", "label", "ancestor")]
    codes = [found for name, *found in zip(*columns, strict=True) if name == "code"]
    assert {label for label, _ in codes} == shown
    assert all(
        "*" in ancestor or ancestor in shown for _, ancestor in codes
    )  # a code in full only where a cell shows it


def test_a_release_without_labels_has_no_key():
    policy = {**POLICY, "output": "apportioned"}
    plan = kanon_sql.plan(policy, frame())
    rows = kanon_sql.apply(plan, frame(), policy=policy).frame()
    with pytest.raises(InputError, match="no labels of a hierarchy"):
        kanon_sql.labels(rows, plan=plan, policy=policy, source=frame())


def test_labels_of_no_hierarchy_are_counted_and_left_out():
    plan = kanon_sql.plan(POLICY, frame())
    rows = kanon_sql.apply(plan, frame(), policy=POLICY).frame()
    strange = rows.set_column(
        rows.schema.get_field_index("code"), "code", pa.array(["?"] * len(rows))
    )
    found = kanon_sql.labels(strange, plan=plan, policy=POLICY, source=frame())
    assert found.unknown["code"] == 1
    assert found.labels["code"] == 0
    assert "?" not in found.table["label"].to_pylist()


def test_a_key_replaces_a_key_alone_and_is_no_file_of_the_release(tmp_path):
    plan = kanon_sql.plan(POLICY, frame())
    folder = tmp_path / "release"
    folder.mkdir()
    kanon_sql.apply(plan, frame(), policy=POLICY, release=str(folder / "rows.parquet"))
    own = {"plan": plan, "policy": POLICY, "source": frame(), "replace": True}
    before = (folder / "rows.parquet").read_bytes()
    with pytest.raises(InputError, match="holds no key of labels"):
        kanon_sql.labels(folder / "rows.parquet", out=str(folder / "rows.parquet"), **own)
    with pytest.raises(InputError, match="among the files of the release"):
        kanon_sql.labels(f"{folder}/*.parquet", out=str(folder / "key.parquet"), **own)
    assert (folder / "rows.parquet").read_bytes() == before
    assert [each.name for each in folder.iterdir()] == ["rows.parquet"]
    for _ in range(2):
        kanon_sql.labels(folder / "rows.parquet", out=str(tmp_path / "key.parquet"), **own)


@pytest.mark.parametrize("used", [1, 2])
def test_a_label_of_two_levels_is_in_no_narrower_group_than_it_may_stand_for(used):
    years = [1903] * 2 + [1955] * 3 + [1960] * 3 + [2001] * 2 + [2055] * 4
    days = pa.table({"day": pa.array([date(year, 5, 6) for year in years])})
    levels = {"least": used, "most": used}
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {"day": {"role": "quasi", "hierarchy": {"dates": ["decade", "century"]}, "levels": levels}},
        "privacy": {"k": 2},
        "search": {"algorithm": "optimal"},
    }  # fmt: skip
    plan = kanon_sql.plan(policy, days)
    rows = kanon_sql.apply(plan, days, policy=policy).frame()
    key = kanon_sql.labels(rows, plan=plan, policy=policy, source=days).table
    found = {
        (row["label"], row["level"]): row["greatest"]
        for row in key.to_pylist()
        if row["level"] < 3 and not row["wider"]
    }
    if used == 2:
        assert found == {("1900s", 2): "1999-12-31", ("2000s", 2): "2099-12-31"}
    else:
        assert found["1900s", 1] == "1909-12-31"
        assert found["1900s", 2] == "1999-12-31"
