"""Odd values in every role, and that what is released is right: checked in plain Python."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import itertools
import math
import os
from collections import Counter
from decimal import Decimal
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest
from at_node import at_node
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

pytestmark = pytest.mark.sampled(5)

TEXTS = [
    "", " ", "'", "''", '"', "it's", 'say "no"', "a\nb", "a\r\nb", "\t", ",", ";", "\\", "\\n", "%", "%s",
    "{{ x }}", "{% x %}", "$1", "?", "--", "/* x */", "NULL", "null", "NaN", "*", "[0, 5)", "true",
    "😀", "é", "e\u0301", "\u200b", "\u202e", "\ufeff", "\x01", "\x7f", "ß", "ss", "SS", "A", "a",
    "x" * 100_000, "'; DROP TABLE x; --", "#comment", "=1+1", "00", "0", "-0",
]  # fmt: skip


def policy(hierarchy, *, k=2, other=None, suppression=0, **changes):
    columns = {
        "q": {"role": "quasi", "hierarchy": hierarchy},
        "n": other or {"role": "insensitive"},
    }
    return {"version": 1, "source": "given", "entity": "row", "columns": columns,
            "privacy": {"k": k}, "suppression": suppression, **changes}  # fmt: skip


def release(given_, source, **options):
    """The released rows, and the levels."""
    with kanon_sql.anonymize(given_, source, **options) as made:
        return made.relation.fetchall(), made.plan.levels


def released(values, hierarchy, **options):
    """Each value twice, at the finest level: what becomes of each row, by its number."""
    connection = duckdb.connect()
    frame = pa.table({"q": values, "n": list(range(len(values)))})
    rows, levels = release(policy(hierarchy, **options), frame, connection=connection)
    return {n: q for q, n in rows}, levels["q"]


def at_level(values, hierarchy, level, type_=None, **entry):
    """What every value becomes at one level, by the script's own statements."""
    ladder = [v for v in values for _ in range(2)]
    array = pa.array(ladder, type_)
    frame = pa.table({"q": array, "n": list(range(len(ladder)))})
    given_ = policy(hierarchy, k=1)
    given_["columns"]["q"] |= entry
    chosen = kanon_sql.plan(given_, frame)
    chosen = at_node(chosen, given_, frame, (level,))
    with kanon_sql.apply(chosen, frame, policy=given_) as made:
        rows = {row[-1]: row[:-1] for row in made.relation.fetchall()}
    assert len(rows) == len(ladder)
    answers = [rows[2 * i] for i in range(len(values))]
    return [a[0] if len(a) == 1 else a for a in answers]


# ---- values ------------------------------------------------------------------------------


def test_odd_texts_survive_a_csv_source(lab):
    """An empty text in quotes is a text; nothing at all is NULL; no line is a comment."""
    quoted = ['"' + t.replace('"', '""') + '"' for t in TEXTS] + [""]
    lab.write("in.csv", "q,n\n" + "".join(f"{q},{q}\n{q},{q}\n" for q in quoted))
    rows, _ = release(policy("suppress", suppression=10), lab.folder / "in.csv")
    wanted = Counter((t, t) for t in [*TEXTS, None] for _ in range(2))
    assert Counter(rows) == wanted


@pytest.mark.parametrize("first", ["#1", "1", '"#1"', "//1", "--1"])
def test_no_line_of_a_csv_source_is_a_comment(lab, first):
    lab.write("in.csv", f"q,n\n{first},1\n{first},2\n3,3\n3,4\n")
    rows, _ = release(policy("suppress"), lab.folder / "in.csv")
    assert len(rows) == 4


@pytest.mark.parametrize(
    "text",
    ["q;n\n1,5;1\n1,5;2\n2,5;3\n2,5;4\n", "q\tn\n1,5\t1\n1,5\t2\n2;5\t3\n2;5\t4\n",
     "q,n\r\na b,1\r\na b,2\r\nc,3\r\nc,4\r\n", "q,n\n'a,1\n'a,2\n'c,3\n'c,4\n",
     "\ufeffq,n\na,1\na,2\nb,3\nb,4\n", "q|n\na|1\na|2\nb|3\nb|4"],
    ids=["decimal comma", "tabs", "windows", "apostrophes", "byte order mark", "bars"],
)  # fmt: skip
def test_a_csv_source_is_read_as_it_is(lab, text):
    lab.write("in.csv", text)
    rows, _ = release(policy("suppress"), lab.folder / "in.csv")
    assert sorted(str(n) for _, n in rows) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    "expression",
    [
        "'a'::VARCHAR", "TRUE", "7::TINYINT", "255::UTINYINT", "9223372036854775807::BIGINT",
        "18446744073709551615::UBIGINT", "170141183460469231731687303715884105727::HUGEINT",
        "(-170141183460469231731687303715884105727)::HUGEINT", "1.25::DECIMAL(9, 2)", "-0.0::DOUBLE",
        "'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::FLOAT", "1e308::DOUBLE", "5e-324::DOUBLE",
        "DATE '1066-10-14'", "DATE 'infinity'", "DATE '-infinity'", "DATE '0044-03-15 (BC)'",
        "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP 'infinity'", "TIME '23:59:59'",
        "INTERVAL 3 MONTH", "'x'::ENUM('x', 'y')", "'00000000-0000-0000-0000-000000000001'::UUID",
        "'\\xAA\\x00'::BLOB", "'0101'::BIT", "''", "NULL", "[1, 2, NULL]", "[]::INTEGER[]", "{'a': 1, 'b': [2]}",
        "MAP {'k': 1}", "[1, 2]::INTEGER[2]", "[{'a': NULL}]", "union_value(num := 2)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("role", ["quasi", "insensitive", "sensitive"])
def test_every_type_survives_in_every_role(expression, role):
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT {expression} AS x, i % 2 AS g FROM range(4) AS r(i)"
        ).fetchall()
        # An ENUM is released as text: its type would list every value of the column.
        typed = "regexp_replace(typeof(x), '^ENUM.*', 'VARCHAR')"
        before = connection.execute(f"SELECT x::VARCHAR, {typed}, g FROM t").fetchall()
        columns = {"x": {"role": role}, "g": {"role": "quasi", "hierarchy": "suppress"}}
        if role == "quasi":
            columns["x"]["hierarchy"] = "suppress"
        given_ = {
            "version": 1,
            "source": "t",
            "entity": "row",
            "columns": columns,
            "privacy": [{"k": 2}],
        }
        if role == "sensitive":
            given_["privacy"].append({"distinct_l": {"column": "x", "l": 1}})
            given_["sensitive_nulls"] = "value"
        if expression.startswith("union_value") and role != "insensitive":
            with pytest.raises(kanon_sql.SourceError, match="UNION"):
                kanon_sql.anonymize(given_, connection=connection, release="out")
            return
        kanon_sql.anonymize(given_, connection=connection, release="out")
        after = connection.execute("SELECT x::VARCHAR, typeof(x), g FROM out").fetchall()
        assert Counter(after) == Counter(before)


@pytest.mark.parametrize(
    "type_", ["INTEGER", "VARCHAR", "DATE", "UUID", "STRUCT(a INTEGER)", "DECIMAL(9,2)"]
)
def test_action_null_keeps_the_type(type_):
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT NULL::{type_} AS n, 1 AS q FROM range(4)"
        ).fetchall()
        other = {"role": "identifying", "action": "null"}
        given_ = policy("suppress", other=other, source="t")
        given_["columns"] = dict(reversed(given_["columns"].items()))
        kanon_sql.anonymize(given_, connection=connection, release="out")
        assert connection.execute("SELECT DISTINCT typeof(n), n IS NULL FROM out").fetchall() == [
            (type_, True)
        ]


@pytest.mark.parametrize(
    "secret", ["k" * 16, "k" * 63, "k" * 64, "k" * 65, "ключ" * 9, "'\"; --\\x00 {{ key }}"]
)
def test_a_pseudonym_is_the_keyed_hash_that_python_gives(monkeypatch, secret):
    monkeypatch.setenv("KANON_TEST_KEY", secret)
    names = [t for t in TEXTS if t] + ["", None]
    frame = pa.table({"q": [1] * len(names), "i": list(range(len(names))), "n": names})
    given_ = policy(
        "suppress", other={"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    )
    given_["columns"]["i"] = {"role": "insensitive"}
    rows, _ = release(given_, frame)

    def keyed(name):
        return hmac.new(secret.encode(), name.encode(), hashlib.sha256).hexdigest()

    order = frame.column_names
    found = {row[order.index("i")]: row[order.index("n")] for row in rows}
    assert found == {i: None if n is None else keyed(n) for i, n in enumerate(names)}


@pytest.mark.skipif(os.name != "posix", reason="the environment of Windows is text")
def test_a_key_of_bytes_that_are_no_text_is_used_or_refused(monkeypatch):
    secret = bytes(range(200, 232))
    monkeypatch.setitem(os.environb, b"KANON_TEST_KEY", secret)
    other = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    other["linkable"] = "accept"
    frame = pa.table({"q": [1, 1], "n": ["a", "a"]})
    try:
        rows, _ = release(policy("suppress", other=other), frame)
    except kanon_sql.InputError:
        return
    assert rows == [(1, hmac.new(secret, b"a", hashlib.sha256).hexdigest())] * 2


@pytest.mark.parametrize("secret", [None, "", "k" * 15])
def test_a_short_key_is_refused(monkeypatch, secret):
    monkeypatch.delenv("KANON_TEST_KEY", raising=False)
    if secret is not None:
        monkeypatch.setenv("KANON_TEST_KEY", secret)
    other = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    with pytest.raises(kanon_sql.InputError, match="16 bytes"):
        release(policy("suppress", other=other), pa.table({"q": [1, 1], "n": ["a", "a"]}))


# ---- NULL --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hierarchy",
    [
        "suppress",
        {"mask": 2},
        {"intervals": [5]},
        {"tree": {"*": ["1", "2", "12"]}},
        {"dates": ["year"]},
    ],
    ids=str,
)
def test_null_is_a_category_of_its_own(hierarchy):
    values = [None] * 3 + (
        ["1", "2", "12"] if hierarchy != {"dates": ["year"]} else ["2020-01-01"]
    ) * 2
    found, level = released(values, hierarchy)
    assert level == 0
    assert [found[i] for i in range(3)] == [None] * 3


@pytest.mark.parametrize(
    "hierarchy", ["suppress", {"mask": 2}, {"intervals": [5]}, {"tree": {"*": ["1", "2"]}}], ids=str
)
def test_one_null_alone_is_not_hidden_by_matching_everything(hierarchy):
    """A peer reports k=2 for this table; its true k is 1."""
    frame = pa.table({"q": ["1", "1", "2", "2", None], "n": [1, 2, 3, 4, 5]})
    found = kanon_sql.verify(frame, quasi=["q"], k=2)
    assert (found.passed, found.smallest_class, found.classes) == (False, 1, 3)
    rows, levels = release(policy(hierarchy, suppression=1), frame)
    assert levels == {"q": 0}
    assert sorted(n for _, n in rows) == [1, 2, 3, 4]
    rows, levels = release(policy(hierarchy), frame)
    assert levels["q"] > 0
    assert len({q for q, _ in rows}) == 1


def test_an_entry_for_null_in_a_hierarchy_file_is_used_and_an_empty_text_is_another():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE h AS FROM (VALUES (NULL, 'none', '*'), ('', 'none', '*'), ('a', 'some', '*')) AS t(v, l1, l2)"
        ).fetchall()
        frame = pa.table({"q": [None, None, "", "", "a", "a", "a"], "n": list(range(7))})
        rows, levels = release(policy({"table": "h"}, k=3), frame, connection=connection)
        assert levels == {"q": 1}
        assert Counter(q for q, _ in rows) == {"none": 4, "some": 3}


def test_an_empty_text_can_stand_in_a_hierarchy_file(lab):
    lab.write("h.csv", '"";none;*\na;some;*\n')
    given_ = policy({"csv": str(lab.folder / "h.csv")}, k=3)
    frame = pa.table({"q": ["", "", "", "a", "a", "a"], "n": list(range(6))})
    rows, levels = release(given_, frame)
    assert levels == {"q": 0}
    assert Counter(q for q, _ in rows) == {"": 3, "a": 3}


# ---- intervals ---------------------------------------------------------------------------


def label(value, width, places=0, offset=0):
    """The half-open interval of exact arithmetic."""
    width, offset = Decimal(str(width)), Decimal(str(offset))
    low = ((Decimal(str(value)) - offset) / width).to_integral_value("ROUND_FLOOR") * width + offset
    return f"[{low:.{places}f}, {low + width:.{places}f})"


def test_a_boundary_belongs_to_the_interval_above():
    values = [-21, -20, -1, 0, 4, 5, 19, 20, 24, 25]
    found = at_level(values, {"intervals": [5, 10]}, 1)
    assert found == [label(v, 5) for v in values]
    assert found[7] == "[20, 25)"
    assert at_level(values, {"intervals": [5, 10]}, 2) == [label(v, 10) for v in values]
    assert at_level(values, {"intervals": [5, 10]}, 3) == ["*"] * len(values)


@pytest.mark.parametrize("type_", [pa.float64(), pa.decimal128(9, 3), pa.string(), pa.float32()])
def test_decimals_are_exact(type_):
    values = ["0.1", "0.2", "0.3", "0.6", "0.7", "-0.1", "-0.3", "1.1", "100.3"]
    array = [
        Decimal(v) if pa.types.is_decimal(type_) else v if type_ == pa.string() else float(v)
        for v in values
    ]
    wanted = [label(v, "0.1", 1) for v in values]
    if type_ == pa.float32():
        pytest.skip("a 4-byte float has no 0.3; its nearest lies above or below")
    assert at_level(array, {"intervals": [0.1, 0.5]}, 1, type_) == wanted


@examples(8)
@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30),
    st.integers(1, 60),
    st.integers(-50, 50),
)
def test_any_whole_number_lies_in_its_interval(values, width, offset):
    hierarchy = {"intervals": {"widths": [width], "offset": offset}}
    assert at_level(values, hierarchy, 1) == [label(v, width, 0, offset) for v in values]


@examples(8)
@given(
    st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=30),
    st.sampled_from(["0.1", "0.25", "2.5"]),
)
def test_any_decimal_lies_in_its_interval(values, width):
    places = len(width.partition(".")[2])
    found = at_level(values, {"intervals": [Decimal(width)]}, 1, pa.decimal128(12, 3))
    assert found == [label(v, width, places) for v in values]


def test_top_and_bottom_are_coded():
    hierarchy = {"intervals": {"widths": [5, 10], "bottom": 18, "top": 90}}
    values = [0, 17, 18, 19, 20, 87, 89, 90, 120]
    wanted = [
        "< 18",
        "< 18",
        "[18, 20)",
        "[18, 20)",
        "[20, 25)",
        "[85, 90)",
        "[85, 90)",
        ">= 90",
        ">= 90",
    ]
    assert at_level(values, hierarchy, 1) == wanted
    wanted = [
        "< 18",
        "< 18",
        "[18, 20)",
        "[18, 20)",
        "[20, 30)",
        "[80, 90)",
        "[80, 90)",
        ">= 90",
        ">= 90",
    ]
    assert at_level(values, hierarchy, 2) == wanted


def test_bounds_are_typed_columns():
    hierarchy = {"intervals": {"widths": [5], "bottom": 10, "top": 30}}
    values = [3, 10, 14, 15, 29, 30, None]
    found = at_level(values, hierarchy, 1, output="bounds")
    assert found == [(None, 10), (10, 15), (10, 15), (15, 20), (25, 30), (30, None), (None, None)]
    assert at_level(values, hierarchy, 2, output="bounds") == [(None, None)] * 7
    assert at_level(values, hierarchy, 0, output="bounds") == [(v, v) for v in values]


def test_numbers_that_are_none_stay_themselves():
    values = [float("nan"), float("inf"), float("-inf"), -0.0, 1.5]
    found = at_level(values, {"intervals": [5]}, 1, pa.float64())
    assert found == ["nan", "inf", "-inf", "[0, 5)", "[0, 5)"]
    again, level = released([v for v in values for _ in range(2)], {"intervals": [5]})
    assert level == 0
    assert math.isnan(again[0])
    assert math.copysign(1, again[6]) == -1


@pytest.mark.parametrize("value", [10**15, -(10**15) - 1, 10**25, 10**30])
def test_numbers_beyond_the_arithmetic_are_counted(value):
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT {value}::HUGEINT AS q, 1 AS n FROM range(4)"
        ).fetchall()
        with pytest.raises(
            kanon_sql.HierarchyError, match="1 distinct value is no number"
        ) as caught:
            release(policy({"intervals": [5]}, source="t"), None, connection=connection)
        assert str(value) not in str(caught.value)


# ---- masks, dates, trees -----------------------------------------------------------------


@pytest.mark.slow
def test_masks_hide_from_the_right():
    values = ["02138", "02139", "9", "", "äöü😀x"]
    assert at_level(values, {"mask": 5}, 1) == ["0213*", "0213*", "9*", "*", "äöü😀*"]
    assert at_level(values, {"mask": 5}, 3) == ["02***", "02***", "9***", "***", "äö***"]
    assert at_level(values, {"mask": 5}, 5) == ["*****"] * 5
    steps = {"mask": {"length": 5, "steps": [2, 4], "character": "#"}}
    assert at_level(values, steps, 2)[0] == "0####"
    assert at_level(values, steps, 3)[0] == "#####"
    assert at_level([2138, 2139], {"mask": 4}, 2) == ["21**", "21**"]


DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2020, 2, 29), dt.date(2021, 1, 3),
        dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1900, 3, 1), dt.date(2024, 12, 30)]  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "shown"),
    [
        ("day", lambda d: f"{d.year:04}-{d.month:02}-{d.day:02}"),
        ("month", lambda d: f"{d.year:04}-{d.month:02}"),
        ("quarter", lambda d: f"{d.year:04}-Q{(d.month + 2) // 3}"),
        ("year", lambda d: f"{d.year:04}"),
        ("week", lambda d: "{:04}-W{:02}".format(*d.isocalendar()[:2])),
        ("decade", lambda d: f"{d.year // 10 * 10}s"),
        ("20_years", lambda d: f"{d.year // 20 * 20}-{d.year // 20 * 20 + 19}"),
        ("40_years", lambda d: f"{d.year // 40 * 40}-{d.year // 40 * 40 + 39}"),
        ("century", lambda d: f"{d.year // 100 * 100}s"),
    ],
)
def test_dates_by_unit(unit, shown):
    wanted = [shown(d) for d in DAYS]
    assert at_level(DAYS, {"dates": [unit]}, 1) == wanted
    texts = [d.isoformat() for d in DAYS]
    assert at_level(texts, {"dates": [unit]}, 1) == wanted
    moments = [dt.datetime.combine(d, dt.time(23, 59, 59)) for d in DAYS]
    assert at_level(moments, {"dates": [unit]}, 1, pa.timestamp("us")) == wanted


@pytest.mark.parametrize("value", ["infinity", "-infinity", "not a date", "2021-02-29"])
def test_what_is_no_finite_date_is_counted(value):
    with pytest.raises(
        kanon_sql.HierarchyError, match="1 distinct value is no finite date"
    ) as caught:
        release(policy({"dates": ["year"]}), pa.table({"q": [value] * 3, "n": [1, 2, 3]}))
    assert value not in str(caught.value)


@pytest.mark.parametrize("last", ["20_years,century", "20_years,40_years"])
def test_dates_before_christ_have_units_that_nest(last):
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT DATE '0005-06-01 (BC)' + INTERVAL (i * 100) DAY AS q, i AS n FROM range(60) AS r(i)"
        ).fetchall()
        units = ["month", "quarter", "year", "decade", *last.split(",")]
        made = kanon_sql.plan(policy({"dates": units}, k=60), source="t", connection=connection)
        assert made.levels["q"] >= 4


def test_a_ragged_tree_repeats_the_leaf():
    tree = {
        "tree": {"*": {"north": {"cold": ["a", "b"]}, "south": ["c"], "d": None}},
        "ragged": "repeat",
    }
    values = ["a", "b", "c", "d"]
    assert at_level(values, tree, 1) == ["cold", "cold", "c", "d"]
    assert at_level(values, tree, 2) == ["north", "north", "south", "d"]
    assert at_level(values, tree, 3) == ["*"] * 4


def test_a_ragged_file_repeats_the_leaf(lab):
    lab.write("h.csv", "a;cold;north;*\nb;cold;north;*\nc;south;*\nd;*\n")
    spec = {"csv": str(lab.folder / "h.csv"), "ragged": "repeat"}
    values = ["a", "b", "c", "d"]
    assert at_level(values, spec, 1) == ["cold", "cold", "c", "d"]
    assert at_level(values, spec, 2) == ["north", "north", "south", "d"]


def test_odd_texts_survive_a_hierarchy_file(lab):
    texts = [t for t in TEXTS if len(t) < 1000]
    lines = "".join('"{0}";"l{0}";*\n'.format(t.replace('"', '""')) for t in texts)
    lab.write("h.csv", lines)
    spec = {"csv": str(lab.folder / "h.csv"), "delimiter": ";"}
    assert at_level(texts, spec, 1) == [f"l{t}" for t in texts]


def test_odd_texts_survive_a_tree():
    texts = [t for t in TEXTS if len(t) < 1000]
    assert at_level(texts, {"tree": {"*": {f"l{t}": [t] for t in texts}}}, 1) == [
        f"l{t}" for t in texts
    ]


# ---- the release as a whole --------------------------------------------------------------


@examples(20)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.sampled_from(["a", "b", "", "it's", "é"])),
            st.one_of(st.none(), st.integers(-12, 12)),
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 4),
)
def test_suppressed_rows_are_exactly_those_of_the_failing_classes(pairs, k):
    frame = pa.table({"a": pa.array([p[0] for p in pairs], pa.string()),
                      "b": pa.array([p[1] for p in pairs], pa.int64()), "n": list(range(len(pairs)))})  # fmt: skip
    columns = {
        "a": {"role": "quasi", "hierarchy": "suppress"},
        "b": {"role": "quasi", "hierarchy": {"intervals": [5]}},
        "n": {"role": "insensitive"},
    }
    given_ = {"version": 1, "source": "x", "entity": "row", "columns": columns, "privacy": {"k": k},
              "suppression": "100%", "search": {"metric": "height"}}  # fmt: skip
    if len(pairs) < k:
        with pytest.raises(kanon_sql.SourceError):
            kanon_sql.anonymize(given_, frame)
        return
    with kanon_sql.anonymize(given_, frame) as made:
        rows, levels = made.relation.fetchall(), made.plan.levels

    def recoded(a, b):
        if levels["a"]:
            a = "*"
        if levels["b"] == 1 and b is not None:
            b = label(b, 5)
        elif levels["b"] == 2:
            b = "*"
        return a, b

    classes = Counter(recoded(*p) for p in pairs)
    wanted = Counter((*recoded(*p), n) for n, p in enumerate(pairs) if classes[recoded(*p)] >= k)
    assert Counter(rows) == wanted
    assert made.plan.suppressed_rows == len(pairs) - len(rows)


def test_the_order_of_the_rows_does_not_follow_the_source():
    frame = pa.table({"q": [1] * 2000, "n": list(range(2000))})
    orders = [[n for _, n in release(policy("suppress"), frame)[0]] for _ in range(2)]
    assert all(sorted(order) == list(range(2000)) for order in orders)
    for order in orders:
        follows = sum(b == a + 1 for a, b in itertools.pairwise(order))
        assert follows < 30


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_the_order_of_a_file_does_not_follow_the_source(lab, name):
    frame = pa.table({"q": [1] * 2000, "n": list(range(2000))})
    kanon_sql.anonymize(policy("suppress"), frame, release=str(lab.folder / name))
    read = duckdb.read_csv if name.endswith("csv") else duckdb.read_parquet
    order = [n for _, n in read(str(lab.folder / name)).fetchall()]
    assert sorted(order) == list(range(2000))
    assert sum(b == a + 1 for a, b in itertools.pairwise(order)) < 30


def test_insensitive_columns_keep_their_values_and_types():
    rows = [
        (
            i % 2,
            Decimal(i) / 3,
            dt.datetime(1900 + i, 1, 1),
            UUID(int=i),
            [i, None],
            {"a": {"b": str(i)}},
        )
        for i in range(8)
    ]
    frame = pa.table(
        {
            "q": [r[0] for r in rows],
            "d": pa.array([round(r[1], 5) for r in rows], pa.decimal128(20, 5)),
            "t": pa.array([r[2] for r in rows], pa.timestamp("us")),
            "l": [r[4] for r in rows],
            "s": [r[5] for r in rows],
        }
    )
    columns = {c: {"role": "insensitive"} for c in "dtls"}
    given_ = policy("suppress")
    given_["columns"] = {"q": given_["columns"]["q"], **columns}
    with kanon_sql.anonymize(given_, frame) as made:
        back = made.relation.to_arrow_table()
        assert back.schema.field("d").type == pa.decimal128(20, 5)
        key = lambda row: str(row["d"])  # noqa: E731
        assert sorted(back.to_pylist(), key=key) == sorted(frame.to_pylist(), key=key)


def test_a_source_that_is_another_at_every_look_is_refused():
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT uuid() AS q, i AS n FROM range(9) AS r(i)")
        with pytest.raises(kanon_sql.KanonError):
            release(policy("suppress"), relation, connection=connection)


@examples(10)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
        min_size=1,
        max_size=8,
    )
)
def test_any_text_survives_from_source_to_release(tmp_path_factory, texts):
    values = [t for t in texts for _ in range(2)]
    frame = pa.table({"q": values, "n": values})
    rows, _ = release(policy("suppress"), frame)
    assert Counter(rows) == Counter(zip(values, values, strict=True))
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    kanon_sql.anonymize(policy("suppress"), frame, release=str(path), replace=True)
    assert Counter(duckdb.read_parquet(str(path)).fetchall()) == Counter(rows)


@examples(10)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
        min_size=1,
        max_size=8,
    )
)
def test_any_text_survives_a_csv_release(tmp_path_factory, texts):
    values = [t for t in texts for _ in range(2)]
    frame = pa.table({"q": values, "n": values})
    path = tmp_path_factory.getbasetemp() / "any.csv"
    kanon_sql.anonymize(policy("suppress"), frame, release=str(path), replace=True)
    import csv

    with path.open(newline="", encoding="utf-8") as file:
        rows = Counter(map(tuple, list(csv.reader(file))[1:]))
    assert rows == Counter(zip(values, values, strict=True))


def test_a_csv_of_one_column_keeps_its_nulls(lab):
    given_ = policy("suppress", other={"role": "identifying", "action": "drop"})
    frame = pa.table({"q": ["a", "a", None, None], "n": [1, 2, 3, 4]})
    kanon_sql.anonymize(given_, frame, release=str(lab.folder / "out.csv"))
    assert len((lab.folder / "out.csv").read_text().splitlines()) == 5
