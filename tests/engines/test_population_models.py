"""Models that compare a class with a population are counted alike by every engine: the same plan, the same release."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.rare(on="spark")

ROWS = [(n % 7, "xyz"[n % 3] if n % 11 else None) for n in range(60)]
PEOPLE = [(n % 9, "xyzw"[n * 31 % 97 % 4] if n % 13 else None) for n in range(400)]
MODELS = {
    "k-map": {"k_map": {"k": 25, "population": "register_of_models"}},
    "presence": {"delta_presence": {"least": 0, "most": 0.26, "population": "register_of_models"}},
    "at least": {
        "delta_presence": {"least": 0.05, "most": 0.25, "population": "register_of_models"}
    },
}


def frame(rows):
    a, z = zip(*rows, strict=True)
    return pa.table({"a": pa.array(a, pa.int64()), "z": pa.array(z, pa.string())})


@pytest.fixture
def people(place):
    place.put("people_of_models", frame(ROWS))
    place.put("register_of_models", frame(PEOPLE))
    yield place
    for table in ("people_out", "people_of_models", "register_of_models"):
        place.drop(table)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What DuckDB plans, where the population is a file."""
    import duckdb

    with duckdb.connect() as connection:
        connection.register("register_of_models", frame(PEOPLE))
        yield {
            name: kanon_sql.plan(policy(asked), frame(ROWS), connection=connection)
            for name, asked in MODELS.items()
        }


def policy(asked):
    return {
        "version": 1,
        "source": "people_of_models",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"intervals": [3, 6]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
        },
        "privacy": [asked],
        "suppression": "20%",
    }


@pytest.mark.parametrize("name", MODELS)
def test_the_release_fits_and_is_the_same_everywhere(people, expected, name):
    made = kanon_sql.anonymize(
        policy(MODELS[name]), connection=people.connection, release="people_out"
    )
    here = expected[name]
    assert (made.plan.levels, made.plan.figures) == (here.levels, here.figures)

    def labels(row):
        a, z = row
        level_a, level_z = made.plan.levels["a"], made.plan.levels["z"]
        width = {0: None, 1: 3, 2: 6}.get(level_a)
        low = "*" if level_a == 3 else a if width is None else a // width
        return low, "*" if level_z else z

    sample, register = Counter(map(labels, ROWS)), Counter(map(labels, PEOPLE))
    ((key, said),) = MODELS[name].items()
    worst = {of: next(iter(found.values())) for of, found in made.verification.worst.items()}
    if key == "k_map":
        kept = {c: n for c, n in sample.items() if register[c] >= said["k"]}
        assert worst["least_in_population"] == min(register[c] for c in kept)
    else:
        most = Fraction(str(said["most"]))
        least = Fraction(str(said["least"]))
        kept = {c: n for c, n in sample.items() if least <= Fraction(n, register[c]) <= most}
        assert worst["greatest_presence"] == pytest.approx(
            max(n / register[c] for c, n in kept.items()), abs=1e-9
        )
    assert len(kept) == made.plan.classes > 1
    assert sum(kept.values()) == len(people.read("people_out"))


@pytest.mark.parametrize("name", ["presence", "at least"])
def test_it_is_kept_beside_what_compares_the_release_with_itself(people, name):
    """Both are decided on the kept classes: in one check more, of a population at the node."""
    asked = policy(MODELS[name])
    asked["columns"]["s"] = {"role": "sensitive"}
    rows = [(*row, "ab"[n * 7 % 5 % 2]) for n, row in enumerate(ROWS)]
    a, z, s = zip(*rows, strict=True)
    people.put("people_of_models", pa.table({"a": a, "z": pa.array(z), "s": s}))
    asked["privacy"].append({"t_closeness": {"column": "s", "t": 0.25}})
    made = kanon_sql.anonymize(asked, connection=people.connection, release="people_out")
    assert made.verification.passed
    assert made.verification.worst["largest_distance_in_release"]["s"] <= 0.25
