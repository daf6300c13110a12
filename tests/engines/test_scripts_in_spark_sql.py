"""Scripts for Spark SQL run in spark-sql to the rows of `apply`, and fail closed there."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import people, policy_of_people, shown, small_policy
from shells import spark_sql

import kanon_sql
from kanon_sql.sql.dialects import WAREHOUSES, Warehouse

DROPPED = {"na me": {"role": "identifying", "action": "drop"}}
SEVERAL = [{"k": 3}, {"k": 8, "over": ["age", "member"]}]


def policy_with(columns=None, **changes):
    policy = policy_of_people()
    return {**policy, "columns": {**policy["columns"], **DROPPED, **(columns or {})}, **changes}


GROUPS = ["a'b", 'c"d', "naïve 😀", "x;y", "${x}", "%s \\n", ""]


def substituted(script):
    """Let the shell leave ${x} in texts as it is: of Spark's own scripts this is the first statement."""
    return f"SET `spark.sql.variable.substitute` = `false`;\n{script}"


POLICIES = {
    "every_kind": policy_with(),
    "sets": small_policy(privacy=SEVERAL, suppression="60%", search={"metric": "height"}),
    "cells": small_policy(suppression="60%", search={"recoding": "cells", "metric": "height"}),
}


AS_A_WAREHOUSE = Warehouse("spark", "Spark SQL", 255, raises=True, bytes=True)
"""As Databricks is written for, with texts made bytes beside."""


@pytest.fixture(scope="module")
def ended(places, java, tmp_path_factory):
    """What DuckDB's plans come to as scripts of spark-sql: the ends of the shells, and their folders."""
    folder = tmp_path_factory.mktemp("spark_sql")
    duck = places("duckdb")
    duck.put("people_of_the_test", people())
    # Two files of Parquet, which the shell sees as tables: the people, and one row more.
    pq.write_table(people(), folder / "people.parquet")
    alone = people(1).to_pylist()[0] | {"who": 9000, "age": 990, "disease": "canary"}
    more = pa.Table.from_pylist([*people().to_pylist(), alone], schema=people().schema)
    pq.write_table(more, folder / "more.parquet")
    setup = (
        f"CREATE TABLE people USING parquet LOCATION '{folder / 'people.parquet'}';\n"
        f"CREATE TABLE more USING parquet LOCATION '{folder / 'more.parquet'}';\n"
    )
    scripts, wanted = {}, {}
    for name, policy in POLICIES.items():
        plan = kanon_sql.plan(policy, connection=duck.connection)
        with kanon_sql.apply(plan, policy=policy, connection=duck.connection) as release:
            wanted[name] = shown(release.relation.fetchall())
        given = {
            "policy": policy,
            "connection": duck.connection,
            "dialect": "spark",
            "release": f"made_{name}",
        }
        scripts[name] = kanon_sql.compile_sql(plan, table="people", **given)
    policy = small_policy(suppression=0)
    plan = kanon_sql.plan(policy, connection=duck.connection)
    given = {"policy": policy, "connection": duck.connection, "dialect": "spark"}
    whole = kanon_sql.compile_sql(plan, table="more", release="made_short", **given)
    scripts["short"] = whole
    forgot = whole.replace("COUNT(DISTINCT `s`.`who`) >= 3", "COUNT(DISTINCT `s`.`who`) >= 1")
    forgot = forgot.replace("THEN 1 ELSE 0 END) >= 2", "THEN 1 ELSE 0 END) >= 1")
    assert forgot != whole
    scripts["forgot"] = forgot.replace("made_short", "made_forgot")
    simple = policy_with(
        {
            "age": {"role": "quasi", "hierarchy": {"intervals": {"widths": [5, 10], "top": 60}}},
            "height": {"role": "insensitive"},
            "member": {"role": "quasi", "hierarchy": "suppress"},
            "group": {"role": "quasi", "hierarchy": {"tree": {"*": {"it's \\": GROUPS}}}},
        },
        suppression="50%",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(WAREHOUSES, "spark", AS_A_WAREHOUSE)
        plan = kanon_sql.plan(simple, connection=duck.connection)
        with kanon_sql.apply(plan, policy=simple, connection=duck.connection) as release:
            wanted["statement"] = shown(release.relation.fetchall())
        given = {"policy": simple, "connection": duck.connection, "dialect": "spark"}
        scripts["statement"] = substituted(
            kanon_sql.compile_sql(plan, table="people", release="made_statement", **given)
        )
        plan = replace(plan, max_suppressed=plan.suppressed_rows)
        scripts["lost"] = substituted(
            kanon_sql.compile_sql(plan, table="more", release="made_lost", **given)
        )
    ends = dict(zip(scripts, spark_sql(scripts.values(), folder, setup), strict=True))
    return folder, ends, wanted


@pytest.mark.parametrize("name", [*POLICIES, "statement"])
def test_the_script_gives_the_rows_of_apply(ended, name):
    folder, ends, wanted = ended
    assert ends[name].returncode == 0, ends[name].stderr
    files = str(folder / "warehouse" / f"made_{name}" / "*.parquet")
    assert shown(duckdb.read_parquet(files).fetchall()) == wanted[name]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("short", "more rows would be suppressed"),
        ("forgot", "fail their recount"),
        ("lost", "more rows would be suppressed"),
    ],
)
def test_what_does_not_fit_is_not_published(ended, name, why):
    folder, ends, _ = ended
    assert ends[name].returncode != 0
    assert why in ends[name].stdout + ends[name].stderr
    assert "canary" not in ends[name].stdout + ends[name].stderr
    place = folder / "warehouse" / f"made_{name}"
    # Where the statement itself fails Spark has made the folder, which is no table and holds no file.
    assert not (list(place.iterdir()) if name == "lost" and place.is_dir() else place.exists())
