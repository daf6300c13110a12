"""Values outside the range that their label names are counted alike on every engine, as Python counts them."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from kanon_sql.base.sql.quoting import table
from kanon_sql.policy.hierarchies.mapping_sql import false_labels

VALUES = ["14", "15", "15.5", "19", "19.5", "20", "-3", "1e2", "x", None]
RANGES = {  # the label, and whether a number lies in its range; None if it names none
    "15-19": lambda x: 15 <= x < 20,
    " 15 \u2013 19 ": lambda x: 15 <= x < 20,
    "-5 to -1": lambda x: -5 <= x < 0,
    "[15, 20)": lambda x: 15 <= x < 20,
    "[15, 20[": lambda x: 15 <= x < 20,
    "]15; 19]": lambda x: 15 < x <= 19,
    "(15..19]": lambda x: 15 < x <= 19,
    "19-15": None,
    ">= 15": None,
    "*": None,
    "": None,
    "it's 1-2": None,
}


def test_they_are_those_of_python(place):
    levels = {
        f"level_{n}": pa.array([label] * len(VALUES)) for n, label in enumerate(RANGES, start=1)
    }
    place.put("labels_of_the_test", pa.table({"value": pa.array(VALUES), **levels}))
    statement = false_labels(table("labels_of_the_test"), len(RANGES))
    text = statement.rendered(place.name).text
    kind = "TEMP VIEW" if place.name == "spark" else "VIEW"
    place.execute(f"CREATE {kind} counted_in_the_test AS {text}")
    try:
        (counted,) = place.read("counted_in_the_test")
    finally:
        place.execute("DROP VIEW counted_in_the_test")
        place.drop("labels_of_the_test")
    numbers = [Decimal(each) for each in VALUES if each is not None and each != "x"]
    wanted = [
        0 if within is None else sum(not within(each) for each in numbers)
        for within in RANGES.values()
    ]
    assert [int(each) for each in counted] == wanted
    assert any(wanted)
