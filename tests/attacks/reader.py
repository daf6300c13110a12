"""What a reader of a release sees, counted in plain Python; it shares no code with the product."""

from __future__ import annotations

import struct
from collections import defaultdict

from tests.attacks.table import RARE, SECRET


def seen(value):
    """What tells one value from another: its type and its bytes."""
    match value:
        case None:
            return None
        case float():
            return struct.pack(">d", value)
        case bytes():
            return value
        case _:
            return str(value).encode("utf-8", "surrogatepass")


def rows_of(columns, rows):
    """Rows by the names of their columns, as they are seen."""
    return [dict(zip(columns, map(seen, row), strict=True)) for row in rows]


def hold(attack, rows, source):
    """Every class that is seen holds what the attack's policy asks, by the people of the source."""
    person = {seen(row["n"]): row[attack.person] for row in source}
    own = {seen(row["n"]): row for row in source}
    names = [*attack.quasi]
    classes = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in names)].append(row)
    assert len(classes) >= attack.classes
    for members in classes.values():
        for asked in attack.privacy:
            if "k" in asked:
                people = {person[row["n"]] for row in members}
                assert len(people) >= asked["k"], "a class of fewer people than k"
            else:
                name = asked["distinct_l"]["column"]
                known = {row[name] for row in members} - {None}
                assert len(known) >= asked["distinct_l"]["l"], "fewer known values than l"
    kept = [
        name
        for name, told in attack.columns().items()
        if told["role"] in ("sensitive", "insensitive")
    ]
    dropped = [name for name, told in attack.columns().items() if told.get("action") == "drop"]

    def released(name, value):
        """What a cell of the source is in a release: NULL where the policy says that its text stands for none."""
        missing = [str(each) for each in attack.columns()[name].get("missing", ())]
        return None if str(value).rstrip(" ") in missing else seen(value)

    for row in rows:
        assert not set(dropped) & set(row), "a dropped column is released"
        for name in kept:
            assert row[name] == released(name, own[row["n"]][name]), "a cell is of another row"
    assert len({row["n"] for row in rows}) == len(rows), "a row came twice"


def tells_nothing(words):
    """No dropped value, and none that was suppressed, stands in messages or files."""
    for each in words:
        told = each if isinstance(each, bytes) else str(each).encode("utf-8", "replace")
        assert SECRET.encode() not in told, "a dropped value is told"
        assert RARE.encode() not in told, "a suppressed value is told"
