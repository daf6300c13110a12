"""Whatever the values, a plan counts the classes that a reader of its release counts."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import unicodedata
from collections import Counter
from decimal import Decimal

import duckdb
from hypothesis import example, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

TEXTS = ["", " ", "a", "A", "a ", "\u00e9", unicodedata.normalize("NFD", "\u00e9"), "e", "\u00df", "ss",
         "0", "-0", "NaN", "inf", "\u200b", None]  # fmt: skip
NUMBERS = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, 4.5, 17.0, 1e14, None]
DECIMALS = [
    Decimal("0.00"),
    Decimal("-0.01"),
    Decimal("4.99"),
    Decimal("5.00"),
    Decimal("17.25"),
    None,
]
DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2000, 2, 29), dt.date(1, 1, 1), None]
WHOLE = [0, -1, 4, 5, 9, 10, None]

HIERARCHIES = {
    "suppress": "suppress",
    "mask": {"mask": 20},
    "intervals": {"intervals": [5, 10]},
    "capped": {"intervals": {"widths": [2.5, 5], "bottom": 1, "top": 15}},
    "dates": {"dates": ["month", "year"]},
    "table": {"table": "labels"},
}
KINDS = {
    "VARCHAR": (TEXTS, ["suppress", "mask", "table"]),
    "VARCHAR COLLATE NOCASE": (TEXTS, ["suppress", "mask", "table"]),
    "VARCHAR COLLATE NOACCENT": (TEXTS, ["suppress", "mask", "table"]),
    "DOUBLE": (NUMBERS, ["suppress", "mask", "intervals", "capped"]),
    "FLOAT": (NUMBERS, ["suppress", "intervals"]),
    "DECIMAL(9, 2)": (DECIMALS, ["suppress", "mask", "intervals", "capped"]),
    "DATE": (DAYS, ["suppress", "mask", "dates"]),
    "INTEGER": (WHOLE, ["suppress", "mask", "intervals", "capped"]),
}
SEARCHES = [
    {"algorithm": "optimal"},
    {"algorithm": "datafly"},
    {"algorithm": "greedy", "per": "record"},
    {"algorithm": "mu_argus", "repair": "records"},
    {"recoding": "local"},
]


@st.composite
def tables(draw):
    """Columns of awkward kinds, their hierarchies, and rows in which each value may come again."""
    columns = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(sorted(KINDS)))
        values, fitting = KINDS[kind]
        hierarchy = draw(st.sampled_from(fitting))
        bounds = hierarchy in {"intervals", "capped"} and draw(st.booleans())
        some = draw(st.lists(st.sampled_from(values), min_size=1, max_size=5))
        columns.append((kind, hierarchy, bounds, some))
    count = draw(st.integers(6, 24))
    rows = [tuple(draw(st.sampled_from(some)) for *_, some in columns) for _ in range(count)]
    return columns, rows


def seen(value):
    """What a reader tells apart: NaN is itself, and zero has no sign."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


@examples(60)
@given(
    table=tables(),
    k=st.integers(1, 4),
    allowed=st.integers(0, 12),
    search=st.sampled_from(SEARCHES),
)
@example(
    table=([("DOUBLE", "intervals", True, NUMBERS)], [(n,) for n in NUMBERS for _ in range(2)]),
    k=3, allowed=9, search=SEARCHES[0],
)  # fmt: skip
@example(
    table=(
        [("VARCHAR COLLATE NOCASE", "table", False, TEXTS)],
        [(t,) for t in ("a", "A", "a ", None) for _ in range(3)],
    ),
    k=3, allowed=0, search=SEARCHES[0],
)  # fmt: skip
def test_the_plan_the_recount_and_a_reader_count_the_same(table, k, allowed, search):
    columns, rows = table
    names = [f"q{n}" for n in range(len(columns))]
    policy = {
        "version": 1,
        "source": "awkward",
        "entity": "row",
        "columns": {
            name: {
                "role": "quasi",
                "hierarchy": HIERARCHIES[hierarchy],
                **({"output": "bounds"} if bounds else {}),
            }
            for name, (_, hierarchy, bounds, _) in zip(names, columns, strict=True)
        },
        "privacy": {"k": k},
        "suppression": min(allowed, len(rows)),
        "search": search,
    }
    with duckdb.connect() as connection:
        declared = ", ".join(f"{n} {kind}" for n, (kind, *_) in zip(names, columns, strict=True))
        connection.execute(f"CREATE TABLE awkward ({declared})")
        marks = ", ".join("?" for _ in names)
        connection.executemany(f"INSERT INTO awkward VALUES ({marks})", rows)
        connection.execute(
            "CREATE TABLE labels (v VARCHAR COLLATE NOCASE, one VARCHAR COLLATE NOCASE, top VARCHAR)"
        )
        entries = [(t, t[:1], "*") for t in TEXTS if t is not None]
        connection.executemany("INSERT INTO labels VALUES (?, ?, ?)", list(dict.fromkeys(entries)))
        with contextlib.suppress(kanon_sql.InfeasibleError):
            plan = kanon_sql.plan(policy, connection=connection)
            made = kanon_sql.apply(plan, policy=policy, connection=connection, release="out")
            released = connection.execute("SELECT * FROM out").fetchall()
            classes = Counter(tuple(map(seen, row)) for row in released)
            found = made.verification
            assert len(released) == len(rows) - plan.suppressed_rows == found.rows
            assert len(classes) == plan.classes == found.classes
            assert min(classes.values()) == plan.smallest_class == found.smallest_class >= k
            own = connection.execute("SELECT COUNT(*) FROM (SELECT DISTINCT * FROM out)").fetchone()
            assert own == (len(classes),)
