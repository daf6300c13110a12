"""Every model that weighs values, claimed in a certificate: its script counts in each shell what fractions give.

A certificate has the released rows alone, so that is what classes are compared with.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
import shells
from class_models import shares

import kanon_sql

pytestmark = pytest.mark.rare(on="spark")

UNIT = 10**9
THIRDS = UNIT // 3 * 3
"""The units of c, which is a number of thirds here: its bound is a whole number of units."""
ROWS = [(n % 6, "xyz"[n % 3], (3, 1, None, 3, 7, 10)[n * 7919 % 101 % 6]) for n in range(180)]
COLUMN = {"column": "it's s"}
PRIVACY = [
    {"k": 3},
    {"t_closeness": {**COLUMN, "t": 0.25}},
    {"t_closeness": {**COLUMN, "t": 0.3, "distance": "ordered"}},
    {"entropy_l": {**COLUMN, "l": 2.25}},
    {"recursive_l": {**COLUMN, "c": "7/3", "l": 2}},
    {"alpha": {**COLUMN, "alpha": 0.6}},
    {"beta_likeness": {**COLUMN, "beta": 1, "enhanced": True}},
    {"delta_disclosure": {**COLUMN, "delta": 1.5, "reference": "release"}},
]


def policy(nulls):
    return {
        "version": 1,
        "source": "people_of_claims",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            "it's s": {"role": "sensitive", "order": "number"},
        },
        "privacy": PRIVACY,
        "suppression": "20%",
        "sensitive_nulls": nulls,
    }


def up(number):
    return math.ceil(number * UNIT)


def worst_of(own, table):
    """What is counted of a class, in the order of the claims: by definition, and not as the database does."""
    p, q, counts = shares(own), shares(table), sorted(own.values(), reverse=True)
    line = sorted(q, key=lambda v: (v is not None, v))
    steps = [abs(sum(p.get(v, 0) - q[v] for v in line[: n + 1])) for n, _ in enumerate(line)]
    gains = {v: (p[v] - q[v]) / q[v] for v in p}
    ratio = max(max(p[v] / q[v], q[v] / p[v]) for v in p)
    return {
        "largest_distance": up(sum(abs(p.get(v, 0) - q[v]) for v in q) / 2),
        "largest_ordered_distance": up(sum(steps) / (len(line) - 1)),
        "least_entropy_l": -math.fsum(float(s) * math.log(s) for s in p.values()) * UNIT,
        "largest_c": math.floor(THIRDS * Fraction(counts[0], sum(counts[1:]))) + 1,
        "largest_share": up(max(p.values())),
        "largest_gain": up(max(gains.values())),
        "largest_gain_beyond_logarithm": max(g + math.log(q[v]) for v, g in gains.items()) * UNIT,
        "largest_delta": math.floor(ratio * UNIT) + 1,
        "most_absent_values": len(set(q) - set(p)),
    }


def expected(rows, nulls):
    """The worst class of the released rows by each measure."""
    classes = defaultdict(list)
    for a, z, value in rows:
        classes[a, z].append(value)

    def counts(cells):
        return Counter(each for each in cells if nulls == "value" or each is not None)

    table = counts(value for *_, value in rows)
    found = [worst_of(counts(cells), table) for cells in classes.values()]
    least = {"least_entropy_l"}
    return {
        key: (min if key in least else max)(each[key] for each in found) for key in found[0]
    }, len(classes)


def in_the_shell(place, folder):
    """Run the script as a person would; whether it passes, and what it prints."""
    script = folder / "verify.sql"
    if place.name == "postgres":
        done = shells.psql(script.read_text(encoding="utf-8"), place.address, folder)
        return done.returncode == 0, done.stdout + done.stderr
    said = script.read_text(encoding="utf-8").split(";\n")
    own = place.connection.cursor() if place.name == "duckdb" else place
    if place.name == "spark":  # whose session is one of all tests, unlike a shell's
        place.execute("DROP VIEW IF EXISTS kanon_claims")
    try:
        told = [str(own.execute(each)) for each in filter(str.strip, said)]
    except Exception as error:  # noqa: BLE001  of the driver of either
        return False, str(error)
    return True, "\n".join(told)


@pytest.mark.slow
@pytest.mark.rare(on="spark")
@pytest.mark.parametrize("nulls", ["not_counted", "value"])
def test_a_script_counts_what_fractions_give(place, nulls, tmp_path):
    columns = dict(zip(("a", "z", "it's s"), zip(*ROWS, strict=True), strict=True))
    types = {"a": pa.int64(), "z": pa.string(), "it's s": pa.int64()}
    frame = pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()})
    place.put("people_of_claims", frame)
    said = policy(nulls)
    given = {"policy": said, "connection": place.connection}
    try:
        plan = kanon_sql.plan(said, connection=place.connection)
        kanon_sql.apply(plan, release="claimed_out", **given)
        made = kanon_sql.certify("claimed_out", plan, folder=tmp_path / "c", **given)
        worst, classes = expected(place.read("claimed_out"), nulls)
        assert classes == plan.classes > 1
        found = {each.measured: each.found for each in made.claims if each.measured}
        assert found == pytest.approx(worst, rel=0, abs=2)
        exact = {key for key, value in worst.items() if isinstance(value, int)}
        assert {key: found[key] for key in exact} == {key: worst[key] for key in exact}
        passed, told = in_the_shell(place, tmp_path / "c")
        assert passed, told
        file = tmp_path / "c" / "certificate.json"
        assert kanon_sql.verify_certificate(file, connection=place.connection).passed

        place.put("claimed_out", with_a_class_of_one_value(place.read("claimed_out")))
        passed, told = in_the_shell(place, tmp_path / "c")
        assert not passed
        assert "claims do not hold" in told
        again = kanon_sql.verify_certificate(file, connection=place.connection)
        failed = {each.measured for each in again.claims if each.verdict.value == "FAIL"}
        assert failed >= {"largest_share", "least_entropy_l", "largest_c", "most_absent_values"}
    finally:
        place.drop("claimed_out")
        place.drop("people_of_claims")


def with_a_class_of_one_value(rows):
    first = rows[0][:2]
    cells = [(a, z, 3 if (a, z) == first else value) for a, z, value in rows]
    a, z, values = zip(*cells, strict=True)
    kinds = (pa.int64() if isinstance(a[0], int) else pa.string(), pa.string(), pa.int64())
    data = zip(("a", "z", "it's s"), (a, z, values), kinds, strict=True)
    return pa.table({name: pa.array(each, kind) for name, each, kind in data})


@pytest.mark.skipif(shutil.which("duckdb") is None, reason="the duckdb shell is not installed")
def test_the_shell_of_duckdb_prints_figures_that_a_person_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = dict(zip(("a", "z", "it's s"), zip(*ROWS, strict=True), strict=True))
    said = policy("not_counted")
    frame = pa.table(columns)
    plan = kanon_sql.plan(said, frame)
    kanon_sql.apply(plan, frame, policy=said, release="k3.parquet")
    made = kanon_sql.certify("k3.parquet", plan, policy=said)
    done = shells.run(["duckdb", "-csv", "-f", "verify.sql"], tmp_path / "k3.certificate")
    assert done.returncode == 0, done.stderr
    for claim in made.claims:
        assert claim.required in done.stdout
    assert "at most 7/3" in done.stdout
    assert "at most 0.25," in done.stdout
    assert Fraction(
        next(line for line in done.stdout.splitlines() if "distance" in line).split(",")[3]
    )
