"""Two sensitive columns with NULL, of which a model weighs the values: each engine plans the same release."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp, log

import pyarrow as pa
import pytest

import kanon_sql

ILL, PAY = "it's ill", 'the "pay"'
ROWS = [
    (n % 5, ("flu", "cold", None, "gout")[n * 7919 % 101 % 4], (None, 1, 2)[n * 31 % 17 % 3])
    for n in range(120)
]


@pytest.mark.parametrize("weighed", [{"entropy_l": {"column": ILL, "l": 2}}, {"recursive_l": {"column": ILL, "c": 2, "l": 2}}])  # fmt: skip
def test_the_release_is_that_of_duckdb_and_fits(place, weighed):
    frame = pa.table({"age": [a for a, *_ in ROWS], ILL: [s for _, s, _ in ROWS], PAY: [p for *_, p in ROWS]})  # fmt: skip
    policy = {
        "version": 1,
        "source": "paid_people",
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            ILL: {"role": "sensitive"},
            PAY: {"role": "sensitive"},
        },
        "privacy": [{"k": 3}, weighed, {"distinct_l": {"column": PAY, "l": 2}}],
    }
    place.put("paid_people", frame)
    try:
        made = kanon_sql.anonymize(policy, connection=place.connection, release="paid_out")
        released = place.read("paid_out")
    finally:
        place.drop("paid_out")
        place.drop("paid_people")
    assert made.plan.levels == kanon_sql.plan(policy, frame).levels
    classes = defaultdict(list)
    for age, ill, pay in released:
        classes[age].append((ill, pay))
    for rows in classes.values():
        ill = sorted(Counter(s for s, _ in rows if s is not None).values(), reverse=True)
        total = sum(ill)
        assert len(rows) >= 3
        assert len({p for _, p in rows if p is not None}) >= 2
        if "entropy_l" in weighed:
            assert exp(-sum(n / total * log(n / total) for n in ill)) >= 2 - 1e-9
        else:
            assert ill[0] < 2 * sum(ill[1:])
