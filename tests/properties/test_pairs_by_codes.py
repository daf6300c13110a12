"""Simple counts from the codes that a search has counted by, against plain Python over rows, which shares no code with it."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from itertools import combinations, product
from random import Random

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.evidence.release_quality import coded_pairs, simple_counts

CODES = ("zip's", "code", "group", "from")
"""Texts of six letters, of which a search packs 24 bits a column: four columns need two keys."""


def codes_of(count):
    draw = Random(count)
    values = [f"{'a' * at}{letter}{'a' * (5 - at)}" for at in range(6) for letter in "bcdefghi"]
    return [
        tuple(draw.choice([*values, None]) if draw.random() < 0.3 else "aaaaaa" for _ in CODES)
        for _ in range(count)
    ]


def under(label, values):
    """List the values below a label of letters and stars; a label of stars alone covers all."""
    if label is None:
        return [None]
    if set(label) == {"*"}:
        return list(values)
    kept = label.rstrip("*")
    return [value for value in values if value is not None and value.startswith(kept)]


def errors(rows, shown, covered, least):
    """The errors of pairs of values that are often enough: medians of labels spread and as they are, and of one in ten."""
    spread, plain = [], []
    for one, other in combinations(range(len(rows[0])), 2):
        own = Counter((row[one], row[other]) for row in rows)
        told, alone = defaultdict(float), Counter()
        for (first, second), many in Counter((row[one], row[other]) for row in shown).items():
            lists = covered(one, first), covered(other, second)
            for cell in product(*lists):
                told[cell] += many / (len(lists[0]) * len(lists[1]))
            if len(set(lists[0])) == len(set(lists[1])) == 1:
                alone[lists[0][0], lists[1][0]] += many
        for cell, many in own.items():
            if many >= least:
                spread.append(abs(told[cell] - many) / many)
                plain.append(abs(alone[cell] - many) / many)
    furthest = sorted(spread, reverse=True)[: -(-len(spread) // 10)]
    return statistics.median(spread), statistics.median(plain), furthest[-1]


@pytest.fixture
def counted(monkeypatch):
    """The tuples of codes that were counted, each with whether their codes led to bins."""
    found = []

    def count(run, tuples, *others, **how):
        made = coded_pairs.count_in_bins(run, tuples, *others, **how)
        found.append((tuples, made is not None))
        return made

    monkeypatch.setattr(simple_counts, "count_in_bins", count)
    return found


def stated(plan):
    return tuple(plan.figures[f"count_error{each}"] for each in ("", "_plain", "_tenth"))


@pytest.mark.parametrize(("many", "together"), [(10**5, 50_000), (10, 1), (10, 10**9)])
def test_codes_of_two_keys_are_counted_as_rows_are(counted, monkeypatch, many, together):
    monkeypatch.setattr(simple_counts, "MANY_ROWS", many)
    monkeypatch.setattr(coded_pairs, "MOST_OF_FEW", together)  # tuples of all columns or of none
    rows = codes_of(150)
    source = pa.table(dict(zip(CODES, map(list, zip(*rows, strict=True)), strict=True)))
    policy = {
        "version": 1,
        "source": "codes",
        "entity": "row",
        "columns": {name: {"role": "quasi", "hierarchy": {"mask": 6}} for name in CODES},
        "privacy": {"k": 3},
        "suppression": "30%",
        "search": {"algorithm": "optimal"},
    }
    plan = kanon_sql.plan(policy, source, examples=True)
    ((tuples, led),) = counted
    assert tuples.wide
    assert led
    shown = kanon_sql.apply(plan, source, policy=policy).frame()
    shown = list(zip(*(shown.column(name).to_pylist() for name in CODES), strict=True))
    domains = [{row[at] for row in rows} for at in range(len(CODES))]
    wanted = errors(rows, shown, lambda at, label: under(label, domains[at]), 1)
    assert 0 < wanted[0] != wanted[1]
    assert stated(plan) == pytest.approx(wanted, rel=1e-3)


def test_units_across_two_bands_are_counted_by_rows(counted):
    draw = Random(3)
    rows = [(draw.randrange(930), draw.choice("aab"), draw.choice("xyz")) for _ in range(400)]
    names = ("cost", "letter's", "sign")
    source = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    policy = {
        "version": 1,
        "source": "costs",
        "entity": "row",
        "columns": {
            "cost": {"role": "quasi", "order": "number", "snap": 30},
            "letter's": {"role": "quasi", "order": "text"},
            "sign": {"role": "quasi", "order": "text"},
        },
        "output": "apportioned",
        "privacy": {"k": 4},
        "search": {"algorithm": "mondrian"},
    }
    plan = kanon_sql.plan(policy, source, examples=True)
    assert [led for _, led in counted] == [False]
    shown = kanon_sql.apply(plan, source, policy=policy).frame()
    shown = list(zip(*(shown.column(name).to_pylist() for name in names), strict=True))
    costs = {row[0] for row in rows}
    bands = [(cost // 100, *others) for cost, *others in rows]
    covered = {unit: [cost for cost in costs if cost // 30 == unit] for unit in range(31)}
    wanted = errors(bands, shown, lambda at, value: in_bands(covered, value) if at == 0 else [value], 4)  # fmt: skip
    assert stated(plan) == pytest.approx(wanted, rel=1e-3)


def in_bands(covered, value):
    return [cost // 100 for cost in covered[int(value) // 30]]
