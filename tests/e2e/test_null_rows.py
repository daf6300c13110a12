"""`nulls: suppress` in every algorithm and channel: no NULL is released, and each such row is a suppressed one."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.policy.search_options import Algorithm, default_options

AGES, ZIPS = (1, 2, 11, 12), ("a1", "a2", "b1", "b2")
NULLS = [(None, "a1"), (None, None), (3, None), (None, "b9"), (None, "a1"), (None, "a1")]
"""Rows that would be a class of 3 if NULL were a value, an age and a ZIP code that no other row has, and more."""

K = 3


def rows_of(*, nulls=True, single=()):
    """Three rows of each pair of values, in a table whose other columns say which is which."""
    whole = [pair for pair in product(AGES, ZIPS) for _ in range(K)]
    pairs = [*whole, *single, *(NULLS if nulls else [])]
    return [(age, code, "yn"[n % 2], n) for n, (age, code) in enumerate(pairs)]


def table_of(rows):
    age, code, target, number = zip(*rows, strict=True)
    columns = {"age": pa.array(age, pa.int64()), "zip": pa.array(code, pa.string())}
    return pa.table({**columns, "target": target, "n": number})


COLUMNS = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 2}},
    "target": {"role": "sensitive"},
    "n": {"role": "insensitive"},
}
IN_ORDER = {
    **COLUMNS,
    "age": {"role": "quasi", "order": "number"},
    "zip": {"role": "quasi", "order": "text"},
}
CUTS = [each for each in Algorithm if default_options(each).counted_by is Channel.CUTS]
SEARCHES = {
    **{each.value: {"algorithm": each.value} for each in Algorithm},
    **{each.value: {"algorithm": each.value, "target": "target"} for each in CUTS},
    "k_optimize": {"algorithm": "k_optimize", "minimize": "discernibility"},
    "k_optimize for a class": {
        "algorithm": "k_optimize", "minimize": "classification", "target": "target",
    },
    "mu_argus": {"algorithm": "mu_argus", "repair": "records"},
    "relaxed": {"algorithm": "mondrian", "cuts": "relaxed"},
    "runs": {"algorithm": "mondrian", "grouping": "order"},
    "by record": {"algorithm": "greedy", "per": "record"},
    "local": {"recoding": "local"},
    "cells": {"recoding": "cells"},
    "discernibility": {"metric": "discernibility"},
    "class size": {"metric": "class_size"},
}  # fmt: skip


def policy_of(search, *, allowed=6, **changes):
    by_order = search.get("algorithm") == "k_optimize"
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": IN_ORDER if by_order else COLUMNS,
        "privacy": {"k": K},
        "suppression": allowed,
        "nulls": "suppress",
        "search": search,
        **changes,
    }


def released(release):
    rows = release.relation.to_arrow_table().to_pylist()
    assert all(row["age"] is not None and row["zip"] is not None for row in rows)
    sizes = Counter((row["age"], row["zip"]) for row in rows)
    assert min(sizes.values()) >= K
    return rows, sizes


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.sampled(8)
def test_no_null_is_released_and_all_such_rows_are_suppressed(name):
    rows = rows_of()
    with kanon_sql.anonymize(policy_of(SEARCHES[name]), table_of(rows)) as release:
        found, sizes = released(release)
        plan = release.plan
    assert {row["n"] for row in found} == {n for age, code, _, n in rows if age and code}
    assert plan.suppressed_rows == plan.max_suppressed == len(NULLS)
    assert plan.source_rows == len(rows)
    assert (plan.classes, plan.smallest_class) == (len(sizes), min(sizes.values()))
    assert release.verification.rows == len(rows) - len(NULLS)


@pytest.mark.parametrize("name", ["optimal", "mondrian", "k_optimize"])
@pytest.mark.sampled(1)
def test_one_row_beyond_the_limit_is_refused_with_the_way_out(name):
    with pytest.raises(kanon_sql.InfeasibleError) as refused:
        kanon_sql.plan(policy_of(SEARCHES[name], allowed=len(NULLS) - 1), table_of(rows_of()))
    said = str(refused.value)
    assert "6 rows (11.1111%) with NULL in a quasi-identifier (by column: age 5, zip 2)" in said
    assert "the policy allows 5; allow 6 or more with suppression:" in said


def test_they_leave_no_room_for_rows_that_fall_short():
    """A class of two rows is suppressed too, or generalized where the limit has no room for it."""
    short = [(50, "c1"), (50, "c1")]
    rows = rows_of(single=short)
    roomy = kanon_sql.plan(policy_of({}, allowed=len(NULLS) + 2), table_of(rows))
    assert (roomy.suppressed_rows, set(roomy.levels.values())) == (len(NULLS) + 2, {0})
    tight = kanon_sql.plan(policy_of({}, allowed=len(NULLS) + 1), table_of(rows))
    assert tight.suppressed_rows == len(NULLS)
    assert set(tight.levels.values()) != {0}


def test_without_nulls_the_plan_is_that_of_any_other_policy():
    table = table_of(rows_of(nulls=False))
    own, other = (
        kanon_sql.plan(policy_of({}, nulls=nulls), table) for nulls in ("suppress", "category")
    )
    assert (own.levels, own.cost, own.figures) == (other.levels, other.cost, other.figures)
    assert own.suppressed_rows == 0


def test_a_source_of_nulls_alone_is_refused():
    table = table_of([(None, "a1", "y", 1), (2, None, "n", 2)])
    with pytest.raises(kanon_sql.InputError, match="NULL in a quasi-identifier in every row"):
        kanon_sql.plan(policy_of({}, allowed="100%"), table)
    few = table_of([*rows_of()[:2], *rows_of()[-6:]])
    with pytest.raises(kanon_sql.InputError, match="only 2 rows without NULL in a quasi-id"):
        kanon_sql.plan(policy_of({}, allowed="100%"), few)


def test_what_needs_labels_of_suppressed_rows_is_refused():
    asked = {"metric": "entropy", "suppressed": "counted"}
    with pytest.raises(kanon_sql.InputError, match="gives rows with NULL none: say nulls: cat"):
        kanon_sql.plan(policy_of(asked), table_of(rows_of()))
    presence = {"delta_presence": {"least": 0, "most": 0.9, "population": "people"}}
    policy = policy_of({}, privacy=[{"k": K}, presence])
    with pytest.raises(kanon_sql.InputError, match="suppress leaves rows with NULL in no class"):
        kanon_sql.plan(policy, table_of(rows_of()))


def test_rows_with_null_are_found_again_by_a_plan():
    """A plan is of all rows: one NULL more, or another value beside one, is another source."""
    table = table_of(rows_of())
    plan = kanon_sql.plan(policy_of({}), table)
    with kanon_sql.apply(plan, table, policy=policy_of({})) as release:
        assert len(released(release)[0]) == 48
    other = table_of([*rows_of()[:-1], (None, "a2", "y", 0)])
    with pytest.raises(kanon_sql.StalePlanError, match="changed since the plan was made"):
        kanon_sql.apply(plan, other, policy=policy_of({}))
    more = table_of([*rows_of(), (None, "a1", "y", 99)])
    with kanon_sql.apply(plan, more, policy=policy_of({}), to_new_rows=True) as release:
        found, _ = released(release)
    assert (len(found), release.new.rows, release.new.withheld) == (48, 55, 7)


@pytest.mark.parametrize("name", ["mondrian", "k_optimize", "local"])
@pytest.mark.sampled(1)
def test_a_plan_of_another_recoding_is_carried_out_on_new_rows(name, tmp_path):
    policy, table = policy_of(SEARCHES[name]), table_of(rows_of())
    stem = str(tmp_path / "boundaries")
    plan = kanon_sql.plan(policy, table, boundaries=stem)
    with kanon_sql.apply(plan, table, policy=policy, to_new_rows=True, boundaries=stem) as release:
        assert len(released(release)[0]) == 48
        assert release.new.withheld == len(NULLS)


@pytest.fixture
def people(tmp_path):
    """A database with the table; the caller closes the connection before anybody else opens the file."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        given = table_of(rows_of())  # noqa: F841  DuckDB reads it by its name
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return path


def nulls_in(connection, name):
    query = f"SELECT COUNT(*), COUNT(*) FILTER (age IS NULL OR zip IS NULL) FROM {name}"
    return connection.execute(query).fetchone()


def test_a_view_shows_no_null_then_or_later(people):
    policy = policy_of({}, database=str(people), release={"table": "shown", "view": True})
    kanon_sql.anonymize(policy)
    with duckdb.connect(str(people)) as connection:
        assert nulls_in(connection, "shown") == (48, 0)
        connection.execute("INSERT INTO people VALUES (NULL, 'a1', 'y', 99)")
        assert nulls_in(connection, "shown") == (48, 0)


def test_a_release_in_place_removes_them(people):
    policy = policy_of({}, database=str(people), release={"in_place": True, "drop_original": True})
    kanon_sql.anonymize(policy)
    with duckdb.connect(str(people)) as connection:
        assert nulls_in(connection, "people") == (48, 0)


def test_a_script_suppresses_them_and_counts_them(people):
    policy = policy_of({}, database=str(people), release={"table": "given_away"})
    plan = kanon_sql.plan(policy)
    script = kanon_sql.compile_sql(plan, policy=policy)
    with duckdb.connect(str(people)) as connection:
        connection.execute(script)
        assert nulls_in(connection, "given_away") == (48, 0)
        connection.execute("DROP TABLE given_away")
        connection.execute("INSERT INTO people VALUES (NULL, 'a1', 'y', 99)")
    refused = pytest.raises(duckdb.Error, match="more rows would be suppressed than the policy")
    with duckdb.connect(str(people)) as connection, refused:
        connection.execute(script)


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery"])
@pytest.mark.sampled(1)
def test_one_statement_refuses_them(people, dialect):
    policy = policy_of({}, database=str(people), release={"table": "given_away"})
    plan = kanon_sql.plan(policy)
    with pytest.raises(kanon_sql.InputError, match="it does not leave out rows with NULL"):
        kanon_sql.compile_sql(plan, policy=policy, dialect=dialect, table="people")


def test_the_certificate_says_what_was_suppressed(people, tmp_path):
    policy = policy_of({}, database=str(people), release={"table": "given_away"})
    plan = kanon_sql.plan(policy)
    kanon_sql.apply(plan, policy=policy)
    certificate = kanon_sql.certify("given_away", plan, policy=policy, folder=tmp_path / "of")
    document = certificate.document()
    assert document["nulls"] == "suppress"
    said = re.sub(r"\s+", " ", str(document))
    assert "suppressed rows of the 54 source rows" in said
    found = kanon_sql.verify("given_away", quasi=["age", "zip"], k=K, database=str(people))
    assert (found.passed, found.rows, found.smallest_class) == (True, 48, K)


def test_quality_says_what_it_cannot_measure(people):
    policy = policy_of({}, database=str(people), release={"table": "given_away"})
    plan = kanon_sql.plan(policy)
    kanon_sql.apply(plan, policy=policy)
    found = kanon_sql.quality("given_away", plan=plan, policy=policy)
    assert (found.rows, found.released_rows, found.suppressed_rows) == (54, 48, 6)
    assert "which nulls: suppress leaves out" in " ".join(found.reasons.values())
    assert found.warnings == ()


def test_compare_says_of_each_search_what_it_suppresses():
    table = table_of(rows_of())
    found = kanon_sql.compare(policy_of({}), table, algorithms=["optimal", "datafly", "mondrian"])
    assert [each.plan.suppressed_rows for each in found.searches] == [6, 6, 6]
    found = kanon_sql.compare(policy_of({}, allowed=5), table, algorithms=["optimal", "mondrian"])
    assert all("6 rows (11.1111%) with NULL" in each.error for each in found.searches)


def test_a_plan_is_explained_with_its_rows_of_null():
    policy, table = policy_of({}, allowed=9), table_of(rows_of(single=[(50, "c1")] * 2))
    plan = kanon_sql.plan(policy, table)
    explained = kanon_sql.explain(plan, table, policy=policy)
    assert plan.suppressed_rows == explained.plan.suppressed_rows == 8
    assert explained.feasible
    assert explained.optimal


MATCHING = [(1, "x"), (1, "x"), (2, "y"), (None, "y"), (None, "x"), (3, "z")]
"""With k = 2 all but the last have a candidate beside themselves where NULL matches any value."""


def matching_policy(**changes):
    hierarchies = {"age": {"intervals": [2]}, "zip": "suppress"}
    columns = {name: {"role": "quasi", "hierarchy": each} for name, each in hierarchies.items()}
    columns["person"] = {"role": "insensitive", "linkable": "accept"}
    policy = {"version": 1, "source": "people", "entity": "row", "columns": columns}
    return {**policy, "privacy": {"k": 2}, "suppression": 1, "nulls": "wildcard", **changes}


def matching_table(rows=MATCHING):
    age, code = zip(*rows, strict=True)
    columns = {"age": pa.array(age, pa.int64()), "zip": pa.array(code, pa.string())}
    return pa.table({**columns, "person": list(range(len(rows)))})


def test_null_matches_any_value(tmp_path):
    path = str(tmp_path / "out.parquet")
    release = kanon_sql.anonymize(matching_policy(), matching_table(), release=path)
    assert set(release.plan.levels.values()) == {0}
    assert (release.plan.suppressed_rows, release.plan.smallest_class) == (1, 2)
    asked = {"quasi": ["age", "zip"], "k": 2}
    assert kanon_sql.verify(path, **asked, nulls="wildcard").passed
    as_values = kanon_sql.verify(path, **asked)
    assert (as_values.passed, as_values.short_classes, as_values.smallest_class) == (False, 3, 1)
    beyond = kanon_sql.verify(path, quasi=["age", "zip"], k=3, nulls="wildcard")
    assert (beyond.passed, beyond.smallest_class, beyond.short_classes) == (False, 2, 2)


def test_a_row_whose_only_candidate_is_suppressed_has_none():
    """NULL, y matches 2, y alone, and 2, y falls short over all three of k; so both go, pass by pass."""
    rows = [(1, "x"), (1, "x"), (1, "x"), (2, "y"), (None, "y"), (None, "w")]
    policy = matching_policy(privacy={"k": 3}, suppression=3)
    table = matching_table(rows)
    policy["columns"]["age"]["levels"] = {"most": 0}
    policy["columns"]["zip"]["levels"] = {"most": 0}
    plan = kanon_sql.plan(policy, table)
    assert (plan.suppressed_rows, plan.classes, plan.smallest_class) == (3, 1, 3)
    with pytest.raises(kanon_sql.InfeasibleError):
        kanon_sql.plan({**policy, "suppression": 2}, table)


REFUSED = {
    "is of k alone": {"privacy": [{"k": 2}, {"k": 3, "over": ["age"]}]},
    "counts rows, and entity": {"entity": "person"},
    "cells takes NULL for a value": {"search": {"recoding": "cells"}},
    "datafly takes NULL for a value": {"search": {"algorithm": "datafly"}},
    "mondrian takes NULL for a value": {"search": {"algorithm": "mondrian"}},
    "mu_argus takes NULL for a value": {"search": {"algorithm": "mu_argus"}},
    "greedy takes NULL for a value": {"search": {"algorithm": "greedy", "per": "record"}},
}


@pytest.mark.parametrize("said", REFUSED)
@pytest.mark.sampled(3)
def test_what_takes_null_for_a_value_refuses_the_wildcard(said):
    with pytest.raises(kanon_sql.InputError, match=said):
        kanon_sql.plan(matching_policy(**REFUSED[said]), matching_table())


def test_bounds_would_match_at_the_root():
    policy = matching_policy()
    policy["columns"]["age"]["output"] = "bounds"
    with pytest.raises(
        kanon_sql.InputError, match="has output: bounds, which are NULL at the root"
    ):
        kanon_sql.plan(policy, matching_table())


def test_channels_that_count_null_as_a_value_refuse_the_wildcard(tmp_path):
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        given = matching_table()  # noqa: F841  DuckDB reads it by its name
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    policy = matching_policy(database=str(path), release={"table": "given_away"})
    plan = kanon_sql.plan(policy)
    kanon_sql.apply(plan, policy=policy)
    why = "does not count the candidates of a row"
    with pytest.raises(kanon_sql.InputError, match=why):
        kanon_sql.compile_sql(plan, policy=policy)
    with pytest.raises(kanon_sql.InputError, match=why):
        kanon_sql.apply(plan, policy=policy, to_new_rows=True, release={"table": "of_new"})
    with pytest.raises(kanon_sql.KanonError, match=why):
        kanon_sql.anonymize({**policy, "release": {"table": "shown", "view": True}})
    with pytest.raises(kanon_sql.InputError, match="verify the release instead"):
        kanon_sql.certify("given_away", plan, policy=policy, folder=tmp_path / "of")
    with pytest.raises(kanon_sql.InputError, match="wildcard is of k alone, counted in rows"):
        kanon_sql.verify(
            "people", quasi=["age"], k=2, entity="person", nulls="wildcard", database=str(path)
        )
    with pytest.raises(kanon_sql.InputError, match="is category or wildcard"):
        kanon_sql.verify("people", quasi=["age"], k=2, nulls="suppress", database=str(path))


def test_a_wildcard_plan_is_explained_and_compared():
    policy, table = matching_policy(), matching_table()
    plan = kanon_sql.plan(policy, table)
    explained = kanon_sql.explain(plan, table, policy=policy)
    assert explained.feasible
    assert explained.plan.suppressed_rows == 1
    found = kanon_sql.compare(policy, table, algorithms=["optimal", "flash", "datafly"])
    assert [each.plan and each.plan.suppressed_rows for each in found.searches] == [1, 1, None]
