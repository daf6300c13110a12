"""What a release with `output: apportioned` shows, recounted in plain Python from the rows that it was made of."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql
from kanon_sql.recoding.multidimensional import apportioned_values, assign_regions

ORDERS = {
    "a": {"order": "number"},
    "b": {"order": "text"},
    "c": {"order": "frequency"},
    "d": {"hierarchy": {"tree": {"*": {"low": ["p", "q"], "high": ["r", "s"]}}}},
}
VALUES = {
    "a": st.integers(0, 12) | st.none(),
    "b": st.sampled_from(["x", "y", "It's", "é"]),
    "c": st.sampled_from(["u", "v", None]),
    "d": st.sampled_from(["p", "q", "r", "s"]),
}


def table(columns):
    row = st.tuples(*(VALUES[each] for each in columns), st.sampled_from(["f", "g", "h"]), st.integers(0, 9))  # fmt: skip
    return st.lists(row, min_size=8, max_size=80)


CASES = st.lists(st.sampled_from(sorted(ORDERS)), min_size=1, max_size=4, unique=True).flatmap(
    lambda columns: st.tuples(st.just(columns), table(columns))
)


ASKED = st.fixed_dictionaries(
    {
        "k": st.integers(2, 4),
        "rare": st.sampled_from(["show", "nearest"]),
        "diverse": st.booleans(),
        "people": st.booleans(),
        "search": st.sampled_from([{}, {"cuts": "relaxed"}, {"grouping": "cuts"}]),
    }
)


@examples(25)
@given(case=CASES, asked=ASKED)
def test_each_class_shows_values_that_it_has_and_no_rare_ones(case, asked):
    k, people, diverse = asked["k"], asked["people"], asked["diverse"]
    columns, rows = case
    entries = {each: {"role": "quasi", **ORDERS[each], "rare": asked["rare"]} for each in columns}
    policy = {
        "version": 1,
        "output": "apportioned",
        "entity": "who" if people else "row",
        "columns": {
            "id": {"role": "insensitive", "linkable": "accept"},
            **entries,
            "ill": {"role": "sensitive", "linkable": "accept"},
            "who": {"role": "identifying", "action": "drop"},
        },
        "privacy": [{"k": k}, *[{"distinct_l": {"column": "ill", "l": 2}}] * diverse],
        "search": {"algorithm": "mondrian", **asked["search"]},
    }
    released = release_of(policy, columns, rows)
    if released is None:
        return
    assert sorted(each[0] for each in released) == list(range(len(rows)))
    classes = defaultdict(list)
    for number, *shown in released:
        classes[tuple(shown[: len(columns)])].append(rows[number])
    who, ill = len(columns) + 1, len(columns)
    for shown, members in classes.items():
        assert (len({row[who] for row in members}) if people else len(members)) >= k
        assert not diverse or len({row[ill] for row in members}) >= 2
        for at, value in enumerate(shown):
            common = common_values(rows, at, k, who if people else None)
            own = {row[at] for row in members}
            if asked["rare"] == "show":
                assert value in own
            else:
                assert value in common
                assert value in own or not own & common
    event(f"{min(len(classes), 5)} classes")
    of_one = combinations_of_one(rows, len(columns), who if people else None)
    for shown, members in classes.items():
        if shown in of_one:
            event("a combination of one row that no value of its class avoids")
        for at in range(len(columns)) if shown in of_one and asked["rare"] == "nearest" else ():
            others = {row[at] for row in members} - {shown[at]}
            others &= common_values(rows, at, k, who if people else None)
            assert {(*shown[:at], each, *shown[at + 1 :]) for each in others} <= of_one


def combinations_of_one(rows, width, who):
    """Return the values of all columns that one row alone has, or one person."""
    have = defaultdict(set)
    for number, row in enumerate(rows):
        have[row[:width]].add(number if who is None else row[who])
    return {values for values, those in have.items() if len(those) == 1}


def release_of(policy, columns, rows):
    """Release rows, numbered; None if no recoding fits, or no value of a column may be shown."""
    types = ", ".join(f"{each} {'INTEGER' if each == 'a' else 'VARCHAR'}" for each in columns)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (id INTEGER, {types}, ill VARCHAR, who INTEGER)")
        marks = ", ".join("?" for _ in range(len(columns) + 3))
        connection.executemany(
            f"INSERT INTO t VALUES ({marks})", [(n, *row) for n, row in enumerate(rows)]
        )
        refused = None
        try:
            with kanon_sql.anonymize(policy, "t", connection=connection) as release:
                return release.relation.project(", ".join(["id", *columns])).fetchall()
        except kanon_sql.InfeasibleError as error:
            refused = error
    if "apportioned" not in str(refused):
        event("infeasible")
    else:
        event("a column without a value that k have")
        who = len(columns) + 1 if policy["entity"] == "who" else None
        k = policy["privacy"][0]["k"]
        kept = [common_values(rows, at, k, who) for at in range(len(columns))]
        assert any(not found - {None} for found in kept)
    return None


def common_values(rows, column, k, who):
    """Return the values that at least k rows or people have, and None, which tells of nobody what they have."""
    have = defaultdict(set)
    for number, row in enumerate(rows):
        have[row[column]].add(number if who is None else row[who])
    return {value for value, those in have.items() if len(those) >= k or value is None}


def test_a_rare_value_is_not_shown_unless_the_policy_says_so_and_the_plan_tells_how_many():
    rows = [(n, "xyz"[n % 3] if n > 3 else f"rare{n}") for n in range(60)]
    columns = {
        "id": {"role": "identifying", "action": "drop"},
        "b": {"role": "quasi", "order": "text"},
    }
    told, shown = [], []
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (id INTEGER, b VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        for rare in ({}, {"rare": "show"}):
            policy = {
                "version": 1,
                "output": "apportioned",
                "entity": "row",
                "columns": {**columns, "b": {**columns["b"], **rare}},
                "privacy": {"k": 5},
                "search": {"algorithm": "mondrian"},
            }
            told.append(" ".join(kanon_sql.plan(policy, "t", connection=connection).warnings))
            with kanon_sql.anonymize(policy, "t", connection=connection) as release:
                shown.append({value for (value,) in release.relation.project("b").fetchall()})
    assert shown[0] <= {*"xyz"}
    assert shown[1] - {*"xyz"}
    assert all("a row does not show what is true of it" in each for each in told)
    assert "4 values that fewer than 5 rows have are not shown (4 of b)" in told[0]
    assert "not shown" not in told[1]


@pytest.mark.parametrize("k", [3, 10])
def test_totals_of_one_column_and_of_two_are_nearer_than_those_of_representatives(k):
    drawn = random.Random(7)
    rows = []
    for number in range(2000):
        age = min(int(drawn.gammavariate(5, 8)), 90) // 2
        ward = f"w{int(drawn.expovariate(0.5 + age / 45))}"
        rows.append((number, age, ward, drawn.choice("fm"), drawn.choices("abc", [age, 9, 30])[0]))
    orders = {"a": "number", "b": "text", "c": "text", "d": "text"}
    off = {}
    for output in ("representative", "apportioned"):
        columns = {
            each: {"role": "quasi", "order": order, "output": output}
            for each, order in orders.items()
        }
        if output == "apportioned":
            columns = {each: {**of, "rare": "show"} for each, of in columns.items()}
        policy = {
            "version": 1,
            "entity": "row",
            "columns": {"id": {"role": "insensitive"}, **columns},
            "privacy": {"k": k},
            "search": {"algorithm": "mondrian"},
        }
        with duckdb.connect() as connection:
            connection.execute(
                "CREATE TABLE t (id INTEGER, a INTEGER, b VARCHAR, c VARCHAR, d VARCHAR)"
            )
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
            with kanon_sql.anonymize(policy, "t", connection=connection) as release:
                shown = release.relation.project("id, a, b, c, d").fetchall()
        sets = [(n,) for n in range(1, 5)], [*combinations(range(1, 5), 2)]
        off[output] = [sum(distance(rows, shown, each) for each in some) for some in sets]
    (one, two), (one_before, two_before) = off["apportioned"], off["representative"]
    assert one < one_before / 2
    assert two < two_before * 0.8


@pytest.mark.parametrize("few", [False, True], ids=["all regions choose", "some regions choose"])
def test_the_rows_that_more_or_fewer_show_are_those_of_what_is_shown(few, monkeypatch):
    """Regions choose by these counts, and the error of simple counts is read from them: both follow every move."""
    if few:
        for name, value in {"STEPS": 12, "STEPS_OF_MANY": 8, "CHOOSING": 2}.items():
            monkeypatch.setattr(apportioned_values, name, value)
    chosen = assign_regions.apportion
    told = []

    def recounted(run, values, found, tuples, hidden):
        made = chosen(run, values, found, tuples, hidden)
        rows = {
            table: run.engine.connection.sql(f"FROM {table.sql('duckdb')}")
            for table in (tuples, made.table, made.more, *found.values())
        }
        shown = {n: dict(rows[of].project("region, place").fetchall()) for n, of in found.items()}
        places = ", ".join(f"place_{n}" for n in found)
        have, show = Counter(), Counter()
        for region, count, *own in rows[tuples].project(f"region, row_count, {places}").fetchall():
            for counter, row in ((have, own), (show, [shown[n][region] for n in found])):
                for (a, one), (b, other) in combinations(zip(found, row, strict=True), 2):
                    counter[a, b, one, other] += count
                for n, one in zip(found, row, strict=True):
                    counter[n, n, one, 0] += count
        more = {key: show[key] - have[key] for key in have | show if show[key] != have[key]}
        for table, due in ((made.table, have), (made.more, more)):
            assert {tuple(row[:4]): row[4] for row in rows[table].fetchall()} == dict(due)
        told.append(len(set(shown[0])))
        return made

    monkeypatch.setattr(assign_regions, "apportion", recounted)
    take = random.Random(5)
    rows = [(take.randrange(40), take.choice("uvwxyz"), take.choice("pqrs"), take.choice("abcdef")) for _ in range(900)]  # fmt: skip
    people = pa.table(dict(zip("abcd", map(list, zip(*rows, strict=True)), strict=True)))
    orders = {
        each: {"role": "quasi", "order": "number" if each == "a" else "text"} for each in "abcd"
    }
    policy = {
        "version": 1,
        "entity": "row",
        "output": "apportioned",
        "columns": orders,
        "privacy": {"k": 3},
    }
    kanon_sql.plan({**policy, "search": {"algorithm": "mondrian"}}, people)
    assert max(told) > 100


def distance(rows, shown, columns):
    """Return the share of rows whose values would have to be others for the counts to be equal."""
    was, now = (Counter(tuple(row[c] for c in columns) for row in each) for each in (rows, shown))
    return sum((was - now).values()) / len(rows)


def test_columns_beside_others_choose_by_turns():
    """Two columns of values with one of sets between them are as close in pairs as the same two without it."""
    drawn = random.Random(5)
    rows = []
    for n in range(1500):
        first = drawn.randrange(12)
        second = (first + drawn.choice([0, 0, 0, 1, 5])) % 12
        rows.append({"a": first, "b": second, "c": drawn.randrange(4), "n": n})
    table = pa.Table.from_pylist(rows)
    kept = {"role": "quasi", "order": "number", "output": "apportioned"}
    of = {"a": kept, "b": kept, "c": {"role": "quasi", "order": "number", "output": "set"}}
    wanted = Counter((row["a"], row["b"]) for row in rows)

    def off(names):
        columns = {**{name: of[name] for name in names}, "n": {"role": "insensitive"}}
        policy = {"version": 1, "entity": "row", "columns": columns, "privacy": {"k": 12}}
        with kanon_sql.anonymize({**policy, "search": {"algorithm": "mondrian"}}, table) as release:
            found = Counter((row["a"], row["b"]) for row in release.to_arrow().to_pylist())
        return sum(abs(wanted[pair] - found[pair]) for pair in wanted | found)

    assert off("acb") < 1.4 * off("abc")
