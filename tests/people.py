"""People who do not exist, with every kind of column that the engines share, and their policies."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa

import kanon_sql

DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2000, 2, 29), dt.date(2021, 1, 3), None]


def people(count=240):
    """Every kind of column that the engines share, with NULLs and awkward values."""
    texts = ["a'b", 'c"d', "naïve 😀", "x;y", "${x}", "%s \\n", "", None]
    return pa.table(
        {
            "who": pa.array([i // 2 for i in range(count)], pa.int64()),
            "na me": pa.array([f"Ünï {i} ${{y}} \\ '" for i in range(count)]),
            "zip": pa.array([f"0{2100 + i * i % 7 * 10 + i % 3}" for i in range(count)]),
            "age": pa.array([None if i % 40 == 7 else 20 + i * i % 50 for i in range(count)], pa.int64()),
            "height": pa.array([Decimal(150 + i % 9 * 5) + Decimal("0.25") for i in range(count)],
                               pa.decimal128(6, 2)),
            "born": pa.array([DAYS[i % 5] for i in range(count)], pa.date32()),
            "group": pa.array([texts[i % 8] for i in range(count)]),
            "member": pa.array([i % 2 == 0 for i in range(count)], pa.bool_()),
            "disease": pa.array([None if i % 11 == 0 else f"d{i % 7}" for i in range(count)]),
        }
    )  # fmt: skip


def policy_of_people(**changes):
    columns = {
        "who": {"role": "insensitive", "linkable": "accept"},
        "na me": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "age": {
            "role": "quasi",
            "hierarchy": {"intervals": {"widths": [5, 10, 40], "top": 60}},
            "output": "bounds",
        },
        "height": {"role": "quasi", "hierarchy": {"intervals": [2.5, 10]}},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year", "decade", "century"]}},
        "group": {"role": "quasi", "hierarchy": "suppress"},
        "member": {"role": "quasi", "hierarchy": {"tree": {"*": ["true", "false"]}}},
        "disease": {"role": "sensitive"},
    }
    return {
        "version": 1,
        "source": "people_of_the_test",
        "entity": "who",
        "columns": columns,
        "privacy": [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}],
        "suppression": "10%",
        **changes,
    }


def small_policy(**changes):
    """Two quasi-identifiers: for what does not need every kind."""
    policy = policy_of_people()
    kept = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "member": {"role": "quasi", "hierarchy": "suppress"},
        "disease": {"role": "sensitive"},
    }
    columns = {name: kept.get(name, {"role": "insensitive"}) for name in policy["columns"]}
    columns["who"] = policy["columns"]["who"]
    return {**policy, "columns": columns, **changes}


TABLE = pa.table(
    {"sex": ["f", "m"] * 12, "place": ["a", "b", "c"] * 8, "n": [str(i) for i in range(24)]}
)
SMALL = pa.concat_tables([TABLE, pa.table({"sex": ["f"], "place": ["rare"], "n": ["24"]})])
POLICY = {
    "version": 1,
    "entity": "row",
    "columns": {
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "place": {"role": "quasi", "hierarchy": "suppress"},
        "n": {"role": "insensitive"},
    },
    "privacy": {"k": 4},
}


def comparable(plan):
    """A plan's document without what is each engine's own: its SQL, and the hash of the source's rows."""
    told = replace(plan, source_fingerprint=None).document()
    return {key: value for key, value in told.items() if key != "sql"}


def shown(rows):
    """Rows as they read: a database's own types of number do not matter."""
    return Counter(tuple(None if v is None else str(v) for v in row) for row in rows)


def in_bytes(plan):
    """A plan's bytes, less what is the engine's own: its SQL, and the hash of the source's rows."""
    return replace(plan, source_fingerprint=None).to_yaml().partition("\nsql:")[0]


def planned_exactly(policy, connection):
    """A policy that lets no more rows go than its plan does."""
    most = kanon_sql.plan(policy, connection=connection).suppressed_rows
    exact = {**policy, "suppression": most}
    plan = kanon_sql.plan(exact, connection=connection)
    assert plan.suppressed_rows == most
    return exact, plan


SHRINKS = {
    "version": 1,
    "source": "people_of_the_test",
    "entity": "row",
    "columns": {"q": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "insensitive"}},
    "privacy": {"k": 3},
    "suppression": "30%",
}
"""Of 60 rows 18 may be suppressed, and are; of the 13 that are left later, 10 would be."""
SHRUNK = "DELETE FROM people_of_the_test WHERE CAST(s AS INTEGER) BETWEEN 3 AND 49"


def shrinking():
    values = ["a"] * 42 + [f"x{n}" for n in range(18)]
    return pa.table({"q": values, "s": [str(n) for n in range(60)]})
