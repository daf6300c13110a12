"""Random policies and tables, each release recounted by an outsider: plain Python that knows the source and no product code.

Every row is there once or suppressed, every class has k, l and t, and every shown value occurs in its class: a value is
one that a row of the class has, a set has those of its rows, an interval begins and ends with two of them, and a label of a
hierarchy covers them all.
"""

from __future__ import annotations

import datetime as dt
import json
import random
from collections import Counter, defaultdict

import pyarrow as pa
import pytest

import kanon_sql

POLICIES = {"duckdb": 500, "postgres": 40, "spark": 40}
PART = 20
"""Policies of one test."""
LEAVES = {"north": ["a", "b'"], "south": ["ß", "d"]}
TREE = {"tree": {"*": LEAVES}}
NAMES = ("n", "day", "word", "code")
TYPES = {"n": pa.int32(), "day": pa.date32(), "word": pa.string(), "code": pa.string()}
LABELLED = {
    "n": [{"hierarchy": {"intervals": [4, 12]}}, {"hierarchy": "suppress"}],
    "day": [{"hierarchy": {"dates": ["month", "year", "decade"]}}],
    "word": [{"hierarchy": TREE}, {"hierarchy": "suppress"}],
    "code": [{"hierarchy": {"mask": 3}}],
}
ORDERED = {
    "n": [{"order": "number"}, {"order": "number", "output": "bounds"}],
    "day": [
        {"order": "date", "snap": "day"},
        {"order": "date", "snap": "year"},
        {"order": "date", "snap": "month", "output": "bounds"},
    ],
    "word": [{"order": "text"}, {"order": "frequency", "output": "set"}],
    "code": [{"order": "text"}, {"order": "text", "output": "set"}],
}
OUTPUTS = ("set", "representative")
SEARCHES = (
    {"algorithm": "optimal"},
    {"algorithm": "optimal", "recoding": "local"},
    {"algorithm": "optimal", "recoding": "cells"},
    {"algorithm": "mondrian"},
    {"algorithm": "mondrian", "grouping": "cuts"},
    {"algorithm": "mondrian", "choose": "width", "cuts": "relaxed"},
    {"algorithm": "top_down", "score": "loss"},
)


def drawn_rows(draw):
    """Draw a table: of each row its number, who it is of, the four columns, and two sensitive values."""
    count, people = draw.randint(20, 120), draw.choice([1, 2])
    nulls = draw.choice([0, 0, 0.05])
    first = dt.date(draw.randint(1950, 2010), 3, 9)
    drawn = {
        "n": lambda: min(int(draw.expovariate(0.1)), 40),
        "day": lambda: first + dt.timedelta(days=draw.randrange(3000)),
        "word": lambda: draw.choice(["a", "a", "b'", "ß", "d"]),
        "code": lambda: f"{draw.randrange(3)}{draw.randrange(2)}{draw.randrange(4)}",
    }
    return [
        (
            number,
            number // people,
            *(None if draw.random() < nulls else drawn[name]() for name in NAMES),
            draw.choice("xxyz"),
            draw.choice("uvvw"),
        )
        for number in range(count)
    ]


def drawn_policy(draw):
    """Draw a policy of two to four of the columns, with one or more models and any kind of release."""
    quasi = sorted(draw.sample(NAMES, draw.randint(2, 4)), key=NAMES.index)
    search = draw.choice(SEARCHES)
    cuts = search["algorithm"] == "mondrian"
    columns, apportioned = {}, cuts and draw.random() < 0.4
    for name in NAMES:
        if name not in quasi:
            columns[name] = {"role": "insensitive", "linkable": "accept"}
            continue
        entry = draw.choice((*LABELLED[name], *(ORDERED[name] if cuts else ())))
        if apportioned:
            entry = {each: what for each, what in entry.items() if each != "output"}
            entry = {**entry, "output": "apportioned", "rare": draw.choice(["show", "nearest"])}
        elif "output" not in entry and draw.random() < 0.3 and search["algorithm"] != "top_down":
            entry = {**entry, "output": draw.choice(OUTPUTS)}
        columns[name] = {"role": "quasi", **entry}
    if search["algorithm"] == "top_down":
        columns = {
            name: {"role": "quasi", **LABELLED[name][0]} if name in quasi else of
            for name, of in columns.items()
        }
    privacy = [{"k": draw.randint(2, 6)}]
    if draw.random() < 0.4:
        privacy.append({"distinct_l": {"column": "ill", "l": 2}})
    entity = draw.choice(["row", "row", "who"])
    if draw.random() < 0.3 and search["algorithm"] != "top_down" and (entity == "row" or not cuts):
        by_source = {"reference": "source"} if "recoding" in search else {}
        t = draw.choice([0.35, 0.5])
        privacy.append({"t_closeness": {"column": "pay", "t": t, **by_source}})
    return {
        "version": 1,
        "source": "recounted_rows",
        "entity": entity,
        "columns": {
            "id": {"role": "insensitive", "linkable": "accept"},
            "who": {"role": "identifying", "action": "drop"},
            **columns,
            "ill": {"role": "sensitive", "linkable": "accept"},
            "pay": {"role": "sensitive", "linkable": "accept"},
        },
        "privacy": privacy,
        "suppression": draw.choice([0, "5%", "20%"]),
        "search": search,
    }


def frame(rows):
    names = ("id", "who", *NAMES, "ill", "pay")
    types = [pa.int64(), pa.int64(), *(TYPES[each] for each in NAMES), pa.string(), pa.string()]
    arrays = [pa.array(c, t) for c, t in zip(zip(*rows, strict=True), types, strict=True)]
    return pa.table(arrays, names=list(names))


def text(value):
    return None if value is None else str(value)


def covers(name, label, value):
    """Whether a label of a hierarchy covers a value."""
    if name == "word" and label in LEAVES:
        return value in LEAVES[label]
    if name == "code" and "*" in label:
        kept = label.rstrip("*")
        return not kept or (value is not None and value.startswith(kept) and len(label) == 3)
    if name == "day":
        return str(value).startswith(label[:3] if label.endswith("s") else label)
    if label.startswith("["):
        low, high = map(int, label[1:-1].split(", "))
        return value is not None and low <= value < high
    return text(value) == label


def unit(value, snap):
    """Return the first and the last day of the unit that a day is shown as; any other value twice."""
    if snap == "year":
        return value.replace(month=1, day=1), value.replace(month=12, day=31)
    if snap == "month":
        after = (value.replace(day=1) + dt.timedelta(days=31)).replace(day=1)
        return value.replace(day=1), after - dt.timedelta(days=1)
    return value, value


def shown_units(own, snap):
    """Return the texts that stand for values: None for NULL."""
    return {None if each is None else text(unit(each, snap)[0]) for each in own}


def ends_of(own, snap):
    """Return the texts of the ends of an interval around values, as they are shown."""
    return [text(unit(min(own, key=key_of), snap)[0]), text(unit(max(own, key=key_of), snap)[1])]


def set_text(value, snap):
    """Return the text of a value in a set: of a unit its first and its last day."""
    first, last = unit(value, snap)
    return f"[{first}, {last}]" if snap in {"month", "year"} else text(value)


def wrong_value(name, entry, shown, own, common):
    """Say what is wrong with what a class shows in a column, whose rows have the values `own`; None if nothing is."""
    output, snap = entry.get("output", "labels"), entry.get("snap")
    label, texts = text(shown[0]), {text(each) for each in own}
    units = shown_units(own, snap)
    if output == "bounds":
        due = [None, None] if None in texts else ends_of(own, snap)
        right = list(map(text, shown)) == due
    elif output == "set":
        due = {"\\N" if each is None else set_text(each, snap) for each in own}
        right = due == ({"\\N"} if label is None else set(label.split("|")))
    elif output in {"representative", "apportioned"} and entry.get("rare") != "nearest":
        right = label in units
    elif output in {"representative", "apportioned"}:
        right = label in common | {None} and (label in units or not units & common)
    elif label is None or label == "*":
        right = label == "*" or texts == {None}
    elif "order" in entry and "hierarchy" not in entry:
        parts = label[1:-1].split(", ") if label[0] == "[" and ", " in label else [label] * 2
        right = None not in texts and parts == ends_of(own, snap)
    else:
        right = all(covers(name, label, each) for each in own)
    return None if right else f"{name}: a class shows {output} that its rows have not"


def key_of(value):
    return value.encode() if isinstance(value, str) else value


def problems(policy, rows, names, released):
    """Yield what an outsider finds wrong with a release."""
    numbers = [row[names.index("id")] for row in released]
    most = policy["suppression"]
    limit = most if isinstance(most, int) else int(most.rstrip("%")) * len(rows) // 100
    if len(set(numbers)) < len(numbers) or not set(numbers) <= {row[0] for row in rows}:
        yield "rows twice, or of others"
    if len(rows) - len(numbers) > limit:
        yield "too many suppressed"
    as_is = [(names.index(name), place) for name, place in (("ill", -2), ("pay", -1))]
    if any(row[at] != rows[number][place] for row, number in zip(released, numbers, strict=True) for at, place in as_is):  # fmt: skip
        yield "another value of a column that is released as it is"
    quasi = {name: each for name, each in policy["columns"].items() if each["role"] == "quasi"}
    parts = [[n for n in names if n in {name, f"{name}_low", f"{name}_high"}] for name in quasi]
    places = [[names.index(each) for each in of] for of in parts]
    classes = defaultdict(list)
    for row, number in zip(released, numbers, strict=True):
        classes[tuple(tuple(row[at] for at in of) for of in places)].append(rows[number])
    kept = [rows[number] for number in numbers]
    common = {name: common_units(policy, rows, name) for name in quasi}
    for key, members in classes.items():
        yield from short_of(policy, members, rows, kept)
        for (name, entry), shown in zip(quasi.items(), key, strict=True):
            own = [row[2 + NAMES.index(name)] for row in members]
            if (said := wrong_value(name, entry, shown, own, common[name])) is not None:
                yield said


def common_units(policy, rows, name):
    """Return the texts of a column that at least k rows or people have."""
    who = defaultdict(set)
    by = 1 if policy["entity"] == "who" else 0
    for row in rows:
        (shown,) = shown_units([row[2 + NAMES.index(name)]], policy["columns"][name].get("snap"))
        who[shown].add(row[by])
    return {each for each, those in who.items() if len(those) >= policy["privacy"][0]["k"]}


def short_of(policy, members, rows, kept):
    """Yield which of its bounds a class does not reach."""
    k, *models = policy["privacy"]
    if len({row[1] if policy["entity"] == "who" else row[0] for row in members}) < k["k"]:
        yield "a class below k"
    for model in models:
        if "distinct_l" in model and len({row[-2] for row in members}) < 2:
            yield "a class below l"
        asked, people = model.get("t_closeness"), policy["entity"] == "who"
        tables = () if asked is None else (rows,) if "reference" in asked else (rows, kept)
        if any(distance(members, each, people=people) > asked["t"] + 1e-9 for each in tables):
            yield "a class beyond t"


def distance(members, table, *, people):
    """Return half the differences of the shares of values: of rows, or of pairs of a person and a value."""
    own, of_all = (
        Counter(value for _, value in {(row[1 if people else 0], row[-1]) for row in each})
        for each in (members, table)
    )
    return sum(abs(own[v] / own.total() - of_all[v] / of_all.total()) for v in of_all) / 2


def end_of(seed, place):
    """Release by one policy; return how it ended, and what is wrong with it."""
    draw = random.Random(seed)
    rows, policy = drawn_rows(draw), drawn_policy(draw)
    place.put("recounted_rows", frame(rows))
    try:
        kanon_sql.anonymize(policy, connection=place.connection, release="recounted_release")
    except kanon_sql.InfeasibleError:
        return "infeasible", []
    except (kanon_sql.InputError, kanon_sql.PolicyError) as error:
        return f"refused: {error}", []
    finally:
        place.drop("recounted_rows")
    names, released = place.names("recounted_release"), place.read("recounted_release")
    place.drop("recounted_release")
    return "released", sorted(set(problems(policy, rows, list(names), released)))


def checked(place, seeds):
    ends, wrong = Counter(), {}
    for seed in seeds:
        end, found = end_of(seed, place)
        ends[end] += 1
        if found:
            draw = random.Random(seed)
            drawn_rows(draw)
            wrong[seed] = (found, json.dumps(drawn_policy(draw), ensure_ascii=False))
    assert wrong == {}
    refused = [each for each in ends if each.startswith("refused")]
    assert refused == []
    assert ends["released"] >= len(seeds) / 2


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("part", range(POLICIES["duckdb"] // PART))
def test_an_outsider_finds_nothing_wrong_on_duckdb(places, part):
    checked(places("duckdb"), range(part * PART, (part + 1) * PART))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("engine", ["postgres", "spark"])
@pytest.mark.parametrize("part", range(POLICIES["spark"] // PART))
def test_an_outsider_finds_nothing_wrong_on_a_server(places, engine, part):
    checked(places(engine), range(part * PART, (part + 1) * PART))
