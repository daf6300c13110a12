"""What a release keeps of two columns at a time, against brute force over rows in Python, which shares no code with it."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from itertools import combinations, product
from random import Random

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.evidence.release_quality import coded_pairs
from kanon_sql.evidence.release_quality.two_columns import QUERIES, SEED, draw_pairs

LETTERS = "abcdefg"
NUMBERS = ("low", "high", "letter")
POLICY = {
    "version": 1,
    "source": "not.parquet",
    "entity": "row",
    "columns": {
        "id": {"role": "insensitive"},
        "low": {"role": "quasi", "order": "number", "output": "bounds"},
        "high": {"role": "quasi", "order": "number", "output": "bounds"},
        "letter": {"role": "quasi", "hierarchy": {"tree": {"*": {"x": list("abc"), "y": list("defg")}}}},
    },
    "privacy": {"k": 4},
    "search": {"algorithm": "mondrian"},
}  # fmt: skip


def rows_of(seed, count, widest):
    draw = Random(seed)
    return [
        (n, draw.randrange(9), draw.randrange(widest), draw.choice(LETTERS)) for n in range(count)
    ]


def frame(rows):
    names = ("id", *NUMBERS)
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def bins_of(values):
    """Number the values of a column: from 0, in at most 64 bins of equally many."""
    places = {value: at for at, value in enumerate(sorted(values))}
    count = len(places)
    return {value: at if count <= 64 else at * 64 // count for value, at in places.items()}


def covered(label, values):
    """List the values that a label covers: of two bounds, or of a node."""
    if isinstance(label, tuple):
        return [value for value in values if label[0] <= value <= label[1]]
    under = {"*": LETTERS, "x": "abc", "y": "defg"}.get(label, label)
    return [value for value in values if value in under]


def bands_of(values):
    """Number the bands of a column: its values, or of more than 20 numbers round steps, as the documentation has them."""
    if len(values) <= 20 or isinstance(values[0], str):
        return {value: value for value in values}
    low, high = (
        next(v for at, v in enumerate(values, 1) if 20 * at > len(values)),
        [v for at, v in enumerate(values, 1) if 20 * at <= 19 * len(values)][-1],
    )
    steps = sorted(times * 10.0**power for times in (1, 2, 5) for power in range(-6, 9))
    wide = next(step for step in steps if step * 10 >= high - low)
    return {value: value // wide for value in values}


def simple_errors(found, columns, released, banded, pair):
    """Add the errors of the counts of two columns' bands: of labels that are spread, and of a plain count."""
    own, told, plain = Counter(), defaultdict(float), Counter()
    for values in zip(*(columns[at] for at in pair), strict=True):
        own[tuple(banded[at][value] for at, value in zip(pair, values, strict=True))] += 1
    for labels in released:
        lists = [[banded[at][v] for v in covered(labels[at], [*banded[at]])] for at in pair]
        for cell in product(*lists):
            told[cell] += 1 / (len(lists[0]) * len(lists[1]))
        if all(len(set(each)) == 1 for each in lists):
            plain[lists[0][0], lists[1][0]] += 1
    often = [cell for cell, n in own.items() if n >= min(100, max(len(columns[0]) // 100, 1))]
    for errors, counts in zip(found, (told, plain), strict=True):
        errors += [abs(counts[cell] - own[cell]) / own[cell] for cell in often]


def brute(rows, released, suppressed):
    """Compute all four measures: `released` has the labels of each column, row by row."""
    columns = list(zip(*(row[1:] for row in rows), strict=True))
    domains = [sorted(set(column)) for column in columns]
    binned = [bins_of(domain) for domain in domains]
    banded = [bands_of(domain) for domain in domains]
    distances, squares, cells, simple = [], [], {}, ([], [])
    share = len(released) / (len(rows) + len(released))
    for one, other in combinations(range(3), 2):
        own, told = Counter(), defaultdict(float)
        for x, y in zip(columns[one], columns[other], strict=True):
            own[binned[one][x], binned[other][y]] += 1
        for labels in released:
            lists = [covered(labels[at], domains[at]) for at in (one, other)]
            for x, y in product(*lists):
                told[binned[one][x], binned[other][y]] += 1 / (len(lists[0]) * len(lists[1]))
        simple_errors(simple, columns, released, banded, (one, other))
        both = {cell: (own[cell], told[cell]) for cell in {*own, *told}}
        cells[one, other] = both
        distances.append(sum(abs(a - b) for a, b in both.values()) / 2 / len(rows))
        squares.append(
            sum((a + b) * (b / (a + b) - share) ** 2 for a, b in both.values())
            / (len(rows) + len(released))
        )
    errors = []
    sizes = [len(set(each.values())) for each in binned]
    for _, one, other, *ends in draw_pairs(sizes, QUERIES, SEED):
        a, b, c, d = map(int, ends)
        met = [
            both
            for (x, y), both in cells[int(one), int(other)].items()
            if a <= x <= b and c <= y <= d
        ]
        true, estimate = (sum(each[at] for each in met) for at in (0, 1))
        errors.append(abs(estimate - true) / max(true, len(rows) / 1000))
    errors.sort()
    assert suppressed == len(rows) - len(released)
    middle = len(errors) // 2
    return {
        "count_error": statistics.median(simple[0]),
        "count_error_plain": statistics.median(simple[1]),
        "count_error_tenth": sorted(simple[0], reverse=True)[-(-len(simple[0]) // 10) - 1],
        "count_error_median": (errors[middle - 1] + errors[middle]) / 2,
        "count_error_mean": sum(errors) / len(errors),
        "marginal_distance": sum(distances) / 3,
        "pmse": sum(squares) / 3,
    }


def labels_of(release):
    return [
        ((row["low_low"], row["low_high"]), (row["high_low"], row["high_high"]), row["letter"])
        for row in release.to_pylist()
    ]


@pytest.mark.parametrize(("count", "widest"), [(60, 12), (300, 200), (500, 37)])
def test_boxes_are_measured_as_by_brute_force(count, widest):
    rows = rows_of(count, count, widest)
    source = frame(rows)
    plan = kanon_sql.plan(POLICY, source)
    release = kanon_sql.apply(plan, source, policy=POLICY).frame()
    found = kanon_sql.quality(release, source, plan=plan, policy=POLICY)
    wanted = brute(rows, labels_of(release), 0)
    assert wanted["marginal_distance"] > 0.05
    for key, value in wanted.items():
        assert found.figures[key] == pytest.approx(value, rel=1e-7), key
    compared = kanon_sql.compare(POLICY, source, algorithms=["mondrian"]).searches[0]
    assert compared.two_columns.summary() == {key: found.figures[key] for key in wanted}
    assert found.columns[0].certainty is not None
    cells = 3 * len(rows)
    assert found.figures["ncp"] == pytest.approx(compared.ncp * cells, abs=1e-6)


def test_pairs_of_many_values_are_counted_by_the_bins_that_bins_and_bands_share(monkeypatch):
    monkeypatch.setattr(coded_pairs, "MOST_CODED", 0)
    test_boxes_are_measured_as_by_brute_force(300, 200)


def test_nodes_of_regions_on_a_line_are_measured_as_by_brute_force():
    rows = rows_of(9, 240, 60)
    source = frame(rows)
    on_line = {
        name: {"role": "quasi", "order": "number", "hierarchy": {"intervals": [3, 6, 12]}, "output": "node"}
        for name in ("low", "high")
    }  # fmt: skip
    policy = {**POLICY, "columns": {**POLICY["columns"], **on_line}}
    plan = kanon_sql.plan(policy, source, examples=True)
    release = kanon_sql.apply(plan, source, policy=policy).frame()
    found = kanon_sql.quality(release, source, plan=plan, policy=policy)

    def bounds(label):
        if label == "*":
            return (0, 99)
        low, _, high = label.strip("[)").partition(", ")
        return (int(low), int(high or int(low) + 1) - 1)

    listed = [(bounds(r["low"]), bounds(r["high"]), r["letter"]) for r in release.to_pylist()]
    assert len({each[:2] for each in listed}) > 5
    for key, value in brute(rows, listed, 0).items():
        assert found.figures[key] == pytest.approx(value, rel=1e-7), key
    assert plan.figures["count_error"] == float(f"{found.figures['count_error']:.4g}")


def test_nodes_are_measured_as_by_brute_force_and_suppressed_rows_are_missing():
    rows = [*rows_of(5, 118, 6), (118, 50, 50, "g"), (119, 51, 50, "a")]
    source = frame(rows)
    tree = POLICY["columns"]["letter"]
    ordered = {"role": "quasi", "hierarchy": {"intervals": [3]}, "output": "bounds"}
    policy = {
        **POLICY,
        "columns": {"id": {"role": "insensitive"}, "low": ordered, "high": ordered, "letter": tree},
        "suppression": "20%",
        "search": {"algorithm": "optimal"},
    }
    plan = kanon_sql.plan(policy, source)
    release = kanon_sql.apply(plan, source, policy=policy).frame()
    found = kanon_sql.quality(release, source, plan=plan, policy=policy)
    assert found.suppressed_rows

    def label(row, name):
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        if low is None:
            return (0, 99)
        return (low, low) if low == high else (low, high - 1)

    listed = [(label(r, "low"), label(r, "high"), r["letter"]) for r in release.to_pylist()]
    wanted = brute(rows, listed, found.suppressed_rows)
    for key, value in wanted.items():
        assert found.figures[key] == pytest.approx(value, rel=1e-7), key
    explained = kanon_sql.explain(plan, source, policy=policy)
    assert {key: explained.document()[key] for key in wanted} == {
        key: found.figures[key] for key in wanted
    }
    beside = kanon_sql.verify(
        release,
        quasi=["low_low", "low_high", "high_low", "high_high", "letter"],
        k=4,
        against=source,
        plan=plan,
        policy=policy,
    )
    assert beside.passed
    assert beside.quality.figures == found.figures
    assert beside.summary()["quality"]["figures"]["pmse"] == found.figures["pmse"]


def test_the_source_itself_has_no_error():
    rows = [(0, a, b, letter) for a in (1, 7) for b in (2, 3) for letter in "ag"] * 4
    source = frame([(n, *row[1:]) for n, row in enumerate(rows)])
    plan = kanon_sql.plan(POLICY, source)
    release = kanon_sql.apply(plan, source, policy=POLICY).frame()
    found = kanon_sql.quality(release, source, plan=plan, policy=POLICY)
    assert set(labels_of(release)) == {((a, a), (b, b), letter) for _, a, b, letter in rows}
    of_two = (
        "count_error",
        "count_error_plain",
        "count_error_tenth",
        "count_error_median",
        "count_error_mean",
        "marginal_distance",
        "pmse",
    )
    assert [found.figures[key] for key in of_two] == [0] * 7


def test_one_column_has_no_pairs_and_tables_alone_no_labels():
    source = frame(rows_of(1, 30, 5))
    release = source
    found = kanon_sql.quality(release, source, quasi=["low", "letter"])
    assert found.figures["pmse"] is None
    assert found.reasons["pmse"] == "needs hierarchies: give a plan or a policy"
    policy = {
        **POLICY,
        "columns": {
            **{name: {"role": "insensitive"} for name in ("id", "low", "high")},
            "letter": POLICY["columns"]["letter"],
        },
        "search": {"algorithm": "optimal"},
    }
    plan = kanon_sql.plan(policy, source)
    own = kanon_sql.apply(plan, source, policy=policy).frame()
    alone = kanon_sql.quality(own, source, plan=plan, policy=policy)
    assert alone.reasons["marginal_distance"] == "needs two quasi-identifiers"


def test_a_release_of_other_labels_is_not_measured():
    rows = rows_of(60, 60, 12)
    source = frame(rows)
    plan = kanon_sql.plan(POLICY, source)
    release = kanon_sql.apply(plan, source, policy=POLICY).frame()
    other = release.set_column(
        release.schema.get_field_index("low_low"), "low_low", pa.array([-1] * release.num_rows)
    )
    found = kanon_sql.quality(other, source, plan=plan, policy=POLICY)
    assert found.figures["count_error_median"] is None
    assert "60 released rows have a label that covers no known value" in found.reasons["pmse"]


def test_plan_and_policy_of_a_recount_go_with_its_source():
    source = frame(rows_of(1, 30, 5))
    with pytest.raises(kanon_sql.InputError, match="against: is missing"):
        kanon_sql.verify(source, quasi=["low"], k=1, policy=POLICY)
