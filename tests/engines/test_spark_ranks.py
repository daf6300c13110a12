"""Values of a large domain are ranked by several tasks of Spark, with the numbers that one task would give them."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import column, literal, table
from kanon_sql.counting.hierarchies import value_axes
from kanon_sql.engines.tables_here import DRIVER_ROWS
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.entries import TableHierarchy
from kanon_sql.policy.hierarchies.labels_sql import Released, release_map
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.policy.hierarchies.specs import MaskHierarchy
from kanon_sql.policy.model import Column, Role

ROWS = 5
"""Rows that are many here."""
AGE = Column("age", Role.QUASI, hierarchy=TableHierarchy("anything"))
WORDS = [f"{n * 7919 % 5000:05}" for n in range(5000)]


@pytest.fixture
def spark(spark, monkeypatch):
    monkeypatch.setattr(mapping_sql, "MANY_ROWS", ROWS - 1)
    monkeypatch.setattr(mapping_sql, "LARGE_NODE", 40)
    monkeypatch.setattr(mapping_sql, "RANGES", 8)
    session = spark.connection
    own = {
        "spark.sql.shuffle.partitions": "6",  # one label fills less than a fifth of these
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    before = {key: session.conf.get(key, None) for key in own}
    for key, value in own.items():
        session.conf.set(key, value)
    yield session
    for key, value in before.items():
        session.conf.unset(key) if value is None else session.conf.set(key, value)
    session.conf.unset(DRIVER_ROWS)


def put(session, name, **columns):
    session.createDataFrame(pa.table(columns)).createOrReplaceTempView(name)


def made(session, statement):
    rendered = statement.rendered("spark")
    session.sql(rendered.text)
    found = [row.asDict() for row in session.table(rendered.makes.name).collect()]
    session.catalog.dropTempView(rendered.makes.name)
    return found


def paths_of(words, labels):
    """Each word with its labels, level by level, and one for NULL below the root alone."""
    rows = [(word, *(label(word) for label in labels)) for word in words]
    return [*rows, (None, *[None] * (len(labels) - 1), "*")]


def put_hierarchy(session, rows, *, domain=None):
    put(
        session,
        "domain",
        value=[row[0] for row in rows] if domain is None else domain,
        row_count=[1] * len(rows if domain is None else domain),
    )
    levels = list(zip(*rows, strict=True))[1:]
    leaves = [Counter(each) for each in levels]
    put(
        session,
        "complete",
        value=[row[0] for row in rows],
        **{f"level_{n}": list(each) for n, each in enumerate(levels, start=1)},
        **{
            f"leaves_{n}": [leaves[n - 1][label] for label in each]
            for n, each in enumerate(levels, start=1)
        },
    )


def siblings(rows):
    """The children of each node, by level and the path to it, as the oracle has them."""
    found = defaultdict(set)
    for path in rows:
        for n in range(len(path) - 1):
            found[n, path[n + 1]].add(path[n])
    return found


SHAPES = {
    "all under the root": [lambda _: "*"],
    "small nodes": [lambda w: w[:4], lambda w: w[:3], lambda w: w[:1], lambda _: "*"],
    "a large node above many labels": [lambda w: "x" + w[::-1][1:], lambda _: "*"],
    "one large node and small ones": [lambda w: "00" if w < "03" else w[:4], lambda _: "*"],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("by_bytes", [False, True])
def test_siblings_are_numbered_in_their_order_without_a_gap(spark, shape, by_bytes):
    rows = paths_of(WORDS, SHAPES[shape])
    put_hierarchy(spark, rows)
    height = len(rows[0]) - 1
    statement = mapping_sql.map_values(
        table("map"), table("domain"), table("complete"),
        height=height, as_text=True, by_bytes=by_bytes, rows=ROWS,
    )  # fmt: skip
    found = made(spark, statement)
    assert len(found) == len(rows)
    labels = [("value" if n == 0 else f"level_{n}") for n in range(height + 1)]
    numbers = defaultdict(dict)
    for row in found:
        for n in range(height):
            numbers[n, row[labels[n + 1]]][row[labels[n]]] = row[f"ordinal_{n}"]
    expected = siblings(rows)
    assert numbers.keys() == expected.keys()
    for node, of in expected.items():
        assert sorted(numbers[node].values()) == list(range(len(of)))
        assert numbers[node].keys() == of
        in_order = sorted(of, key=lambda each: ((each is None) != by_bytes, each or ""))
        assert sorted(of, key=numbers[node].get) == in_order, "NULL is last, but by bytes first"


def test_roots_are_numbered_without_a_gap_and_labels_of_no_value_are_passed_over(spark):
    rows = [(word, "r" + word) for word in WORDS]
    put_hierarchy(spark, rows, domain=WORDS[:3000])
    for by_bytes in (False, True):
        statement = mapping_sql.map_values(
            table("map"), table("domain"), table("complete"),
            height=1, as_text=True, several_roots=True, by_bytes=by_bytes, rows=ROWS,
        )  # fmt: skip
        found = made(spark, statement)
        assert sorted(row["ordinal_1"] for row in found) == list(range(3000))
        assert {row["ordinal_0"] for row in found} == {0}
        in_order = [row["value"] for row in sorted(found, key=lambda row: row["ordinal_1"])]
        assert in_order == sorted(WORDS[:3000])


@pytest.mark.parametrize("by_bytes", [False, True])
def test_labels_have_the_numbers_of_their_order(spark, by_bytes):
    """Those above values of the source: the hierarchy has others too."""
    rows = paths_of(WORDS, [lambda w: w[::-1][1:], lambda w: w[:2], lambda _: "*"])
    there = [*WORDS[:3000], None]
    put_hierarchy(spark, rows, domain=there)
    released = Released(AGE, 0, 3, table("released"), others=(1, 2), by_bytes=by_bytes)
    statement = release_map(released, table("domain"), table("complete"), rows=ROWS)
    found = {row["value"]: row for row in made(spark, statement)}
    known = {row[0]: row for row in rows if row[0] in set(there)}
    assert found.keys() == known.keys()
    for n in (0, 1, 2):
        of = sorted({row[n] for row in known.values()}, key=lambda e: (e is not None, e or ""))
        codes = {label: number for number, label in enumerate(of, start=1)}
        assert all(found[value][f"code_{n}"] == codes[row[n]] for value, row in known.items())
        assert n == 0 or all(found[v][f"label_{n}"] == row[n] for v, row in known.items())


@pytest.mark.parametrize("entries", [False, True])
def test_leaves_are_counted_by_their_labels(spark, entries):
    labels = [lambda w: w[:4], lambda w: w[:2], lambda _: "*"]
    rows = paths_of(WORDS, labels)[:-1]
    put(spark, "domain", value=[*WORDS, None], row_count=[1] * 5001)
    levels = {f"level_{n}": [row[n] for row in rows] for n in (1, 2, 3)}
    put(spark, "paths", value=WORDS, **levels)
    spec = TableHierarchy("anything") if entries else MaskHierarchy(5)
    statement = mapping_sql.paths_complete(
        table("whole"), table("paths"), table("domain"), spec, 3, rows=ROWS
    )
    found = made(spark, statement)
    expected = paths_of(WORDS, labels) if entries else rows
    counts = [Counter(row[n] for row in expected) for n in (1, 2, 3)]
    assert sorted(
        (str(row["value"]), *(row[f"leaves_{n}"] for n in (1, 2, 3))) for row in found
    ) == sorted((str(row[0]), *(counts[n - 1][row[n]] for n in (1, 2, 3))) for row in expected)


NUMBERS = ["007", "7", "-12.5", *(str(n * 31 % 3001) for n in range(3001)), "no number"]


def test_numbers_that_are_equal_share_their_place(spark):
    put(spark, "domain", value=[*NUMBERS, None], row_count=[1] * (len(NUMBERS) + 1))
    statement = value_axes.line(table("axis"), table("domain"), OrderKind.NUMBER, rows=ROWS)
    found = {row["value"]: row for row in made(spark, statement)}
    spots = sorted({float(each) for each in NUMBERS[:-1]})
    places = {spot: n for n, spot in enumerate(spots)}
    assert len(found) == len({*NUMBERS, None})
    assert (found[None]["place"], found[None]["measure"]) == (-1, None)
    assert (found["no number"]["place"], found["no number"]["measure"]) == (None, None)
    for text in NUMBERS[:-1]:
        assert (found[text]["place"], found[text]["measure"]) == (places[float(text)], float(text))
    assert {row["span"] for row in found.values()} == {3000 + 12.5}


@pytest.mark.parametrize("words", [WORDS, ["é", "z", "Z", "a"], []])
def test_texts_are_placed_by_their_bytes(spark, words):
    put(spark, "domain", value=pa.array([*words, None], pa.string()), row_count=[1] * (len(words) + 1))  # fmt: skip
    found = made(spark, value_axes.line(table("axis"), table("domain"), OrderKind.TEXT, rows=ROWS))
    expected = sorted(words, key=lambda each: each.encode())
    assert {row["value"]: row["place"] for row in found} == {
        None: -1,
        **{word: n for n, word in enumerate(expected)},
    }
    measures = {row["value"]: row["measure"] for row in found}
    assert measures == {None: None, **{word: float(n) for n, word in enumerate(expected)}}
    assert {row["span"] for row in found} == {len(words) - 1.0 if words else None}


@pytest.mark.parametrize("counts_null", [False, True])
@pytest.mark.parametrize("order", ["by bytes", "number", "text"])
def test_sensitive_values_are_numbered_in_their_order(spark, order, counts_null):
    values = [*(str(n * 31 % 3001) for n in range(3001)), "x", None]
    put(spark, "people", ward=pa.array(values * 2, pa.string()))
    spread = order == "by bytes"
    leaves = {
        "value": column("value"),
        "kind": order,
        "unit": literal(value_axes.EXACT_UNIT),
        "listed": [],
    }
    statement = mapping_sql.domain_codes(
        table("codes"), table("people"), "ward",
        rows=ROWS, by_bytes=spread, counts_null=counts_null, order=None if spread else leaves,
    )  # fmt: skip
    found = {row["value"]: row["code"] for row in made(spark, statement)}

    def key(each):
        spot = -1.0 if each is None or each == "x" else float(each)
        return (each is not None, spot if order == "number" else 0, (each or "").encode())

    expected = {each: n for n, each in enumerate(sorted(values, key=key), start=1)}
    if not counts_null:
        expected[None] = None
    assert found == expected


# ---- Whole runs ---------------------------------------------------------------------------

MANY = 5000
OF_DOMAINS = {
    *("paths_complete", "map", "line", "survey_line", "domain_codes", "release_map"),
    *("path_codes", "level_statistics", "survey_domain"),
}
"""Statements that read no rows but those of values."""
PEOPLE = {
    "word": [f"{n * 7919 % MANY:05}" for n in range(2 * MANY)],
    "cost": [float(n * 31 % MANY) / 4 for n in range(2 * MANY)],
    "ward": [f"w{n % 4321}" for n in range(2 * MANY)],
}
WARD = {"role": "sensitive"}
LATTICE = {
    "columns": {
        "word": {"role": "quasi", "hierarchy": "suppress"},
        "cost": {"role": "insensitive"},
        "ward": WARD,
    },
    "privacy": {"k": 3, "distinct_l": {"column": "ward", "l": 2}},
    "suppression": "5%",
}
LINES = {
    "columns": {
        "word": {"role": "insensitive"},
        "cost": {"role": "quasi", "order": "number"},
        "ward": {"role": "insensitive"},
    },
    "privacy": {"k": 4000},
    "suppression": 0,
    "search": {"algorithm": "mondrian"},
}
POLICIES = {"lattice": LATTICE, "lines": LINES}
PICKED = {"lattice": "word", "lines": "cost"}


def tasks_of(session, group):
    """How many records each task of each stage of some jobs was sent."""
    context = session.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()
    tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    for stage in {stage for job in jobs for stage in job.stageIds}:
        tasks = store.taskList(stage, 0, 1000)
        found = [tasks.apply(n).taskMetrics() for n in range(tasks.size())]
        yield [m.get().shuffleReadMetrics().recordsRead() for m in found if m.isDefined()]


@pytest.mark.parametrize("case", POLICIES)
def test_no_task_ranks_most_values_of_a_large_domain(spark, monkeypatch, case):
    """Plan and release are those of DuckDB, which ranks them at once."""
    from kanon_sql.engines.spark.engine import Spark

    seen, run, effect = set(), Spark._run, Spark._run_for_effect

    def grouped(own):
        def noted(self, ready, *rest):
            step = ready.step.replace(" ", "_")
            seen.add(step)
            spark.sparkContext.setJobGroup(f"{case} {step}", "")
            return own(self, ready, *rest)

        return noted

    monkeypatch.setattr(Spark, "_run", grouped(run))
    monkeypatch.setattr(Spark, "_run_for_effect", grouped(effect))
    spark.conf.set(DRIVER_ROWS, "0")  # as if the values were too many for the driver
    policy = {"version": 1, "entity": "row", **POLICIES[case]}
    put(spark, "people", **PEOPLE)
    with kanon_sql.anonymize({**policy, "source": "people"}, connection=spark) as release:
        names = release.relation.columns
        rows = Counter(tuple(map(str, row)) for row in release.relation.collect())
        plan = release.plan.to_yaml().partition("\nsql:")[0]
    one_task, most = {}, 0
    for step in seen & OF_DOMAINS:
        for tasks in tasks_of(spark, f"{case} {step}"):
            most = max(most, sum(tasks))
            # Bounds of ranges are of a sample, of which no task sends more than 8 times 64 keys.
            if sum(tasks) > 6 * 8 * 64 and max(tasks) > 0.7 * sum(tasks):
                one_task[step] = tasks
    assert one_task == {}
    assert most >= MANY, "the values were ranked by Spark"
    with kanon_sql.anonymize(policy, pa.table(PEOPLE)) as alone:
        assert alone.plan.to_yaml().partition("\nsql:")[0] == plan
        assert alone.relation.columns == names
        assert Counter(tuple(map(str, row)) for row in alone.relation.fetchall()) == rows
    quasi = [n for n, name in enumerate(names) if name == PICKED[case]]
    classes = Counter(tuple(row[n] for n in quasi) for row in rows.elements())
    assert min(classes.values()) >= policy["privacy"]["k"]


def test_hierarchies_with_entries_are_mapped_one_by_one(spark, monkeypatch):
    """A rank in a table of several columns would be one task for each; plan and release are DuckDB's, which has one."""
    tree = {"role": "quasi", "hierarchy": {"tree": {"*": {"low": ["0", "1"], "high": ["2", "3"]}}}}
    columns = {"one": tree, "two": tree, "ward": {"role": "insensitive"}}
    policy = {"version": 1, "entity": "row", "columns": columns, "privacy": {"k": 30}}
    people = {name: [str(n // by % 4) for n in range(200)] for name, by in (("one", 1), ("two", 4))}
    people["ward"] = [str(n % 7) for n in range(200)]
    put(spark, "people", **people)
    spark.conf.set(DRIVER_ROWS, "0")
    with monkeypatch.context() as patched:
        patched.setattr("kanon_sql.counting.hierarchies.together._Reader", None)  # is not asked
        with kanon_sql.anonymize({**policy, "source": "people"}, connection=spark) as release:
            made = Counter(tuple(map(str, row)) for row in release.relation.collect())
            plan = release.plan.to_yaml().partition("\nsql:")[0]
    with kanon_sql.anonymize(policy, pa.table(people)) as alone:
        assert alone.plan.to_yaml().partition("\nsql:")[0] == plan
        assert Counter(tuple(map(str, row)) for row in alone.relation.fetchall()) == made
