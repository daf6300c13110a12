"""Rounded numbers at the ends of their types, and masks that are computed once for all counts before a release."""

from __future__ import annotations

from decimal import Decimal
from itertools import accumulate

import masked
import pyarrow as pa
import pytest

import kanon_sql

TABLE, RELEASE = "numbers_at_ends", "numbers_rounded"
SHORT = [-(2**31), -(2**31) + 1, -1, 0, 1, 7, 2**31 - 1, None]
LONG = [-(10**16), -(2**33) - 1, -1, 0, 1, 2**33, 10**16 + 7, None]
RULES = {
    'round "to"': ("round", "to", 999_999_999),
    "select": ("round", "to", 0.000001),
    "halves": ("round", "to", 2.5),
    "bucket": ("bucket", "width", 1000),
    "narrow bucket": ("bucket", "width", 0.25),
}


def policy(columns):
    return {
        "version": 1,
        "source": {"table": TABLE},
        "entity": "row",
        "privacy": {"k": 2},
        "columns": {
            "age": {"role": "quasi", "hierarchy": "suppress"},
            "at": {"role": "insensitive"},
            **columns,
        },
        "release": RELEASE,
    }


@pytest.mark.parametrize(("values", "kind"), [(SHORT, pa.int32()), (LONG, pa.int64())])
def test_numbers_at_the_ends_of_their_type_are_rounded_as_by_hand(place, values, kind):
    columns = {"age": [1] * len(values), "at": range(len(values)), **dict.fromkeys(RULES, values)}
    kinds = {"age": pa.int32(), "at": pa.int32(), **dict.fromkeys(RULES, kind)}
    place.put(TABLE, pa.table({name: pa.array(columns[name], kinds[name]) for name in columns}))
    try:
        rules = {
            name: {"role": "insensitive", "action": action, key: to}
            for name, (action, key, to) in RULES.items()
        }
        kanon_sql.anonymize(policy(rules), connection=place.connection)
        names = place.names(RELEASE)
        found = sorted((dict(zip(names, row, strict=True)) for row in place.read(RELEASE)), key=lambda row: row["at"])  # fmt: skip
    finally:
        place.drop(RELEASE)
        place.drop(TABLE)
    for name, (action, _, to) in RULES.items():
        by_hand = masked.rounded if action == "round" else masked.bucket
        assert [row[name] for row in found] == [by_hand(each, Decimal(str(to))) for each in values]


def test_a_mask_is_computed_once_for_all_counts_before_a_release(places):
    here = places("duckdb")
    table = {"age": [1] * 9, "at": range(9), "note": map(str, range(9)), "mail": map(str, range(9))}
    here.put(TABLE, pa.table({name: list(each) for name, each in table.items()}))
    rules = {
        "note": {"role": "insensitive", "action": "redact"},
        "mail": {"role": "identifying", "action": "truncate", "to": 1},
    }
    with pytest.warns(kanon_sql.KanonWarning, match="columns.mail: is released with action: trunc"):
        release = kanon_sql.anonymize(policy(rules), connection=here.connection, keep_sql=True)
    before = [text for text in release.journal.texts if "[email]" in text]
    assert len(before) == 2  # once for the counts of warnings, and once for the release
    assert all(
        text.startswith("CREATE TEMP TABLE") for text in before
    )  # read again, a view would compute it again
    assert [each for each in here.left() if "masked" in each] == []
    here.drop(RELEASE)
    here.drop(TABLE)


def test_the_order_of_rows_does_not_tell_which_noise_was_taken_off_the_next_row(place):
    """In the order of their lots, the noise of rows that follow each other would sum to one draw, however many they are."""
    pays = pa.array([1000] * 4000, pa.int32())
    place.put(TABLE, pa.table({"age": pa.array([1] * 4000, pa.int32()), "at": pays, "pay": pays}))
    rules = {"pay": {"role": "insensitive", "action": "noise", "up_to": 100}}
    try:
        kanon_sql.anonymize(policy(rules), connection=place.connection)
        at = place.names(RELEASE).index("pay")
        drawn = [int(row[at]) - 1000 for row in place.read(RELEASE)]
    finally:
        place.drop(RELEASE)
        place.drop(TABLE)
    assert sum(drawn) == 0
    assert max(map(abs, drawn)) <= 100
    assert max(map(abs, accumulate(drawn))) > 300
