"""People with several rows: what is counted of them, what is refused, and what the row mode only seems to protect."""

from __future__ import annotations

from fractions import Fraction

import class_models
import duckdb
import pyarrow as pa
import pytest
import yaml
from class_models import Counted

import kanon_sql
from benchmarks import persons
from kanon_sql.policy.policy_rules import uncounted_problems
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.release.stage import EXECUTORS, executor_problems

KEPT = {"role": "insensitive"}
HASHED = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}


def policy(entity, who=None, **changes):
    return {
        "version": 1,
        "source": "visits.csv",
        "entity": entity,
        "columns": {
            "who": who or KEPT,
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "ward": {"role": "quasi", "hierarchy": "suppress"},
            "s": {"role": "sensitive"},
        },
        "privacy": [{"k": 2}],
        **changes,
    }


def refused(given):
    """What is said of a policy; its source is not there, so that nothing can have been read."""
    with pytest.raises(kanon_sql.PolicyError) as refusal:
        kanon_sql.plan(given)
    return str(refusal.value)


@pytest.mark.parametrize(
    "who", [KEPT, {"role": "sensitive"}, HASHED], ids=["kept", "sensitive", "hashed"]
)
@pytest.mark.parametrize("entity", ["who", {"distinct": "who"}], ids=["short", "long"])
def test_people_that_a_reader_can_join_are_not_counted_class_by_class(entity, who):
    said = refused(policy(entity, who))
    assert "entity: {signature: who}" in said
    assert "linkable: accept" in said


@pytest.mark.parametrize("who", [KEPT, HASHED], ids=["kept", "hashed"])
def test_the_two_ways_to_name_the_entity_are_one(who):
    given = [policy(e, {**who, "linkable": "accept"}) for e in ("who", {"distinct": "who"})]
    digests = {kanon_sql.read_policy(each).digest for each in given}
    signed = kanon_sql.read_policy(policy({"signature": "who"}, who))
    assert len(digests | {signed.digest}) == 2


@pytest.mark.parametrize(("entity", "who", "told"), [
    ({"signature": "who"}, {"role": "identifying", "action": "drop"}, "is not released"),
    ({"signature": "age"}, KEPT, "quasi-identifier"),
    ({"signature": "nobody"}, KEPT, "must be the name of a column"),
    ({"distinct": "row"}, KEPT, "must be the name of a column"),
    ({"signature": "who", "distinct": "who"}, KEPT, "exactly one of"),
    ({"persons": "who"}, KEPT, "unknown key"),
])  # fmt: skip
def test_an_entity_that_is_none_is_refused(entity, who, told):
    assert told in refused(policy(entity, who))


CHANGES = {
    **{name: {"search": {"algorithm": name}} for name in ("datafly", "mu_argus", "mondrian")},
    **{
        name: {"search": {"algorithm": name, "target": "s"}}
        for name in ("top_down", "bottom_up", "k_optimize")
    },
    "local": {"search": {"recoding": "local"}},
    "cells": {"search": {"recoding": "cells"}},
    "record": {"search": {"algorithm": "greedy", "per": "record"}},
    "over": {"privacy": [{"k": 2}, {"k": 3, "over": ["age"]}]},
    "alpha": {"privacy": [{"alpha": {"column": "s", "alpha": 0.5}}]},
    "t": {"privacy": [{"k": 2}, {"t_closeness": {"column": "s", "t": 0.5}}]},
    "entropy": {"privacy": [{"entropy_l": {"column": "s", "l": 2}}]},
    "population": {"privacy": [{"k_map": {"k": 2, "population": "all.csv"}}]},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_does_not_count_signatures_refuses_them(change):
    said = refused(policy({"signature": "who"}, **change))
    assert any(
        told in said
        for told in (
            "all their rows", "rows of the source are compared", "needs target", "order"
        )
    )  # fmt: skip


def test_of_what_carries_out_a_plan_files_and_tables_alone_hold_signatures():
    asked = kanon_sql.read_policy(policy({"signature": "who"}))
    told = {each.name: [f.what for f in executor_problems(asked, each)] for each in EXECUTORS}
    assert {name for name, faults in told.items() if not faults} == {
        "a table", "a release to files", "a release in place",
    }  # fmt: skip
    for faults in filter(None, told.values()):
        assert any("all their rows" in each for each in faults)
    assert [channel for channel in Channel if not uncounted_problems(asked, channel)] == [
        Channel.LATTICE,
        Channel.RELEASE,
    ]


@pytest.fixture
def visits(lab):
    lines = [f"p{n % 12},{20 + n % 3 * 10},{'ab'[n % 2]},d{n % 5}" for n in range(24)]
    lab.write("visits.csv", "who,age,ward,s\n" + "\n".join(lines) + "\n")
    return lab


def test_a_plan_of_signatures_is_neither_compiled_nor_certified(visits):
    path = visits.folder / "policy.yml"
    path.write_text(yaml.safe_dump(policy({"signature": "who"})))
    visits.done("plan", path)
    visits.done("apply", "policy.plan.yml", "--release", "r.parquet")
    for words in (
        ("compile", "policy.plan.yml"),
        ("compile", "policy.plan.yml", "--sqlmesh", "own.people", "--table", "visits"),
        ("certify", "r.parquet", "--plan", "policy.plan.yml"),
    ):
        assert "all their rows" in visits.refused(*words), words
    visits.done("explain", "policy.plan.yml")
    visits.done("verify", "r.parquet", "--quasi", "age,ward", "-k", 2, "--signature", "who")
    told = visits.refused(
        "verify", "r.parquet", "--quasi", "age", "--signature", "who",
        "--privacy", "alpha: {column: s, alpha: 0.5}",
    )  # fmt: skip
    assert "all their rows" in told


def frame(rows):
    return pa.table(
        {"who": [r[0] for r in rows], "q": [r[1] for r in rows], "s": [r[2] for r in rows]}
    )


def level(rows, model, **changes):
    """0 where the classes fit as they are, 1 where they are made one, None where nothing fits."""
    given = {
        "version": 1,
        "entity": "who",
        "columns": {
            "who": {"role": "identifying", "action": "drop"},
            "q": {"role": "quasi", "hierarchy": "suppress"},
            "s": {"role": "sensitive"},
        },
        "privacy": [model],
        **changes,
    }
    try:
        (found,) = kanon_sql.plan(given, frame(rows)).levels.values()
    except kanon_sql.InfeasibleError:
        return None
    return found


def said(model, **bounds):
    return {model: {"column": "s", **bounds}}


REPEATED = [(1, "a", "flu")] * 9 + [
    (2, "a", "cold"),
    (2, "a", "flu"),
    (3, "a", "cold"),
    (4, "a", "gout"),
]
"""Four people; two have flu, of whom one nine times and one beside a cold; two a cold, one gout: five pairs."""
TWICE = [*REPEATED, *((n + 4, "b", s) for n, _, s in REPEATED)]
"""Another class of four such people."""


@pytest.mark.parametrize(("fits", "fails"), [
    (said("alpha", alpha=0.5), said("alpha", alpha=0.499999999)),
    (said("entropy_l", l=2.8717), said("entropy_l", l=2.8718)),
    (said("recursive_l", c="667/1000", l=1), said("recursive_l", c="2/5", l=1)),
    (said("t_closeness", t=0), None),
    (said("beta_likeness", beta=0.000001), None),
])  # fmt: skip
def test_repeated_values_count_once_and_several_values_each(fits, fails):
    """Shares of people are 1/2, 1/2 and 1/4; of pairs 2/5, 2/5 and 1/5, whose entropy is that of 2.8717... values."""
    assert level(TWICE, fits) == 0
    if fails is not None:
        assert level(TWICE, fails) is None


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("privacy", "fits"), [
    (said("alpha", alpha=0.5), 50_000),
    (said("t_closeness", t=0.1, reference="source"), 60_000),
    (said("beta_likeness", beta=0.2, reference="source"), 60_000),
])  # fmt: skip
def test_a_class_that_is_beyond_it_by_one_person_of_many_does_not_fit(privacy, fits):
    """Each person has two rows with the same value: class b has what a lacks."""
    for flu, expected in ((fits, 0), (fits + 1, 1)):
        parts = [("a", "flu", flu), ("a", "cold", 100_000 - flu)]
        parts += [("b", "flu", 100_000 - flu), ("b", "cold", flu)]
        values = ", ".join(f"('{q}', '{s}', {n})" for q, s, n in parts)
        with duckdb.connect() as connection:
            connection.execute(
                f"CREATE TABLE people AS SELECT q || s || n.range AS who, q, s FROM (VALUES {values}) v(q, s, many), "
                "range(v.many) n, range(2) twice"
            )
            given = {
                "version": 1,
                "source": "people",
                "entity": "who",
                "columns": {
                    "who": {"role": "identifying", "action": "drop"},
                    "q": {"role": "quasi", "hierarchy": "suppress"},
                    "s": {"role": "sensitive"},
                },
                "privacy": [privacy],
            }
            assert kanon_sql.plan(given, connection=connection).levels == {"q": expected}


def test_a_share_of_people_is_not_monotone():
    """One person has both classes and the same value in each: half of either class, and two thirds of their union."""
    rows = [(1, "a", "flu"), (2, "a", "cold"), (1, "b", "flu"), (3, "b", "cold")]
    union = Counted(["flu", "cold", "cold"], people=3)
    rule = class_models.alpha(Fraction(1, 2))
    assert not rule.fits(union, union)
    assert level(rows, said("alpha", alpha=0.5)) == 0
    flash = {"search": {"algorithm": "flash"}}
    with pytest.raises(kanon_sql.InputError, match=r"not sound .* where people are counted"):
        level(rows, said("alpha", alpha=0.5), **flash)


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Releases of generated visits in the three modes, each counted by statements of its own."""
    folder = tmp_path_factory.mktemp("visits")
    source = folder / "visits.parquet"
    persons.generate(3_000, source)
    found = {}
    for entity in persons.ENTITIES:
        release = folder / f"{entity}.parquet"
        given = persons.policy(source, entity, k=5, suppression="5%")
        kanon_sql.anonymize(given, release=str(release))
        found[entity] = persons.counted(source, release, 5)
    return found


def test_releases_of_people_hold_by_independent_statements(generated):
    assert persons.problems(generated, 5) == []
    assert generated["distinct"]["classes_of_fewer_people"] == 0
    assert generated["signature"]["people_told_apart"] == 0
    assert generated["signature"]["people_in_part"] == 0


def test_rows_alone_protect_fewer_people_than_they_seem_to(generated):
    assert generated["row"]["least_rows"] >= 5
    assert generated["row"]["classes_of_fewer_people"] > 0
    assert generated["distinct"]["people_told_apart"] > generated["distinct"]["people"] / 2
    seen = {**generated, "distinct": generated["row"]}
    assert persons.problems(seen, 5), "the script tells a release that does not hold"
