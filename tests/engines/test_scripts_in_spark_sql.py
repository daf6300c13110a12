"""Scripts for Spark SQL run in spark-sql to the rows of `apply`, and fail closed there.

One of them is compiled by Spark's own engine; another is the statement for warehouses, written for
Spark as for Databricks.
"""

from __future__ import annotations

import re

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import people, planned_exactly, policy_of_people, shown, small_policy
from shells import spark_sql

import kanon_sql
from kanon_sql.release.warehouse_sql import WAREHOUSES, Warehouse

DROPPED = {"na me": {"role": "identifying", "action": "drop"}}
SEVERAL = [{"k": 3}, {"k": 8, "over": ["age", "member"]}]
HOSTILE = "na\"me; -- ' ` \\ 😀 /* ${x}"
"""The name of a column, which a shell that splits its input into statements must not read."""
GROUPS = ["a'b", 'c"d', "naïve 😀", "x;y", "${x}", "%s \\n", ""]
AS_A_WAREHOUSE = Warehouse("spark", "Spark SQL", 255, raises=True, bytes=True)
"""As Databricks is written for, with texts made bytes beside."""


def policy_with(columns=None, **changes):
    policy = policy_of_people()
    return {**policy, "columns": {**policy["columns"], **DROPPED, **(columns or {})}, **changes}


def renamed(policy):
    """The policy of a table whose column `member` has the hostile name."""
    columns = {
        HOSTILE if name == "member" else name: each for name, each in policy["columns"].items()
    }
    return {**policy, "columns": columns, "source": "hostile_of_the_test"}


SIMPLE = {
    "age": {"role": "quasi", "hierarchy": {"intervals": {"widths": [5, 10], "top": 60}}},
    "height": {"role": "insensitive"},
    "member": {"role": "quasi", "hierarchy": "suppress"},
    "group": {"role": "quasi", "hierarchy": {"tree": {"*": {"it's \\": GROUPS}}}},
}
POLICIES = {
    "own": policy_with(),
    "sets": small_policy(privacy=SEVERAL, suppression="60%", search={"metric": "height"}),
    "cells": renamed(small_policy(suppression="60%", search={"recoding": "cells", "metric": "height"})),
    "statement": policy_with(SIMPLE, suppression="50%"),
    "forgot": small_policy(suppression=0),
    "lost": policy_with(SIMPLE, suppression="50%"),
}  # fmt: skip
FITTING = ["own", "sets", "cells", "statement"]
"""What is published, one after another, in one shell; the others end theirs."""

READ = {"cells": "hostile", "forgot": "more", "lost": "more"}
"""The tables of the shell that are not `people`: one of another name, and one with a row more."""


@pytest.fixture(scope="module")
def ended(places, spark, tmp_path_factory):
    """What to run in the shells that fail, what `apply` gives, and the folder of it all."""
    folder = tmp_path_factory.mktemp("spark_sql")
    duck = places("duckdb")
    alone = people(1).to_pylist()[0] | {"who": 9000, "age": 990, "disease": "canary"}
    tables = {
        "people": people(),
        "hostile": people().rename_columns([HOSTILE if n == "member" else n for n in people().column_names]),
        "more": pa.Table.from_pylist([*people().to_pylist(), alone], schema=people().schema),
    }  # fmt: skip
    setup = ""
    for name, frame in tables.items():
        duck.put(f"{name}_of_the_test", frame)
        pq.write_table(frame, folder / f"{name}.parquet")
        setup += f"CREATE TABLE {name} USING parquet LOCATION '{folder / name}.parquet';\n"
    scripts, wanted = {}, {}
    for name, given_policy in POLICIES.items():
        policy = given_policy
        as_a_warehouse = name in {"statement", "lost"}
        if as_a_warehouse:
            policy, plan = planned_exactly(policy, duck.connection)
        else:
            plan = kanon_sql.plan(policy, connection=duck.connection)
        with kanon_sql.apply(plan, policy=policy, connection=duck.connection) as release:
            wanted[name] = shown(release.relation.fetchall())
        given = {"policy": policy, "release": f"made_{name}", "dialect": "spark"}
        if name == "own":
            given["policy"] = {**policy, "source": str(folder / "people.parquet")}
            scripts[name] = kanon_sql.compile_sql(plan, connection=spark.connection, **given)
            continue
        with pytest.MonkeyPatch.context() as patch:
            if as_a_warehouse:
                patch.setitem(WAREHOUSES, "spark", AS_A_WAREHOUSE)
            given |= {"table": READ.get(name, "people"), "connection": duck.connection}
            scripts[name] = kanon_sql.compile_sql(plan, **given)
    scripts["forgot"] = forgetful(scripts["forgot"])
    for name in ("statement", "lost"):  # Spark's own scripts begin so
        scripts[name] = f"SET `spark.sql.variable.substitute` = `false`;\n{scripts[name]}"
    fitting = "\n".join(scripts[name] + undone(scripts[name]) for name in FITTING)
    (published,) = spark_sql([fitting], folder, setup)
    assert published.returncode == 0, published.stderr
    return folder, {name: (scripts[name], setup) for name in ("forgot", "lost")}, wanted


def undone(script):
    """Drop what a script leaves to the end of its session: another is said in the same one."""
    views = re.findall(r"^CREATE TEMP VIEW (`\w+`)", script, re.MULTILINE)
    return "".join(f"\nDROP VIEW {name};" for name in views)


def forgetful(script):
    """A script that suppresses no class, whatever its size."""
    forgot = script.replace("COUNT(DISTINCT `s`.`who`) >= 3", "COUNT(DISTINCT `s`.`who`) >= 1")
    alike = forgot.replace(
        "COUNT(DISTINCT `s`.`disease`) >= 2", "COUNT(DISTINCT `s`.`disease`) >= 0"
    )
    assert len({script, forgot, alike}) == 3
    return alike


@pytest.mark.parametrize("name", FITTING)
def test_the_script_gives_the_rows_of_apply(ended, name):
    folder, _, wanted = ended
    files = str(folder / "warehouse" / f"made_{name}" / "*.parquet")
    assert shown(duckdb.read_parquet(files).fetchall()) == wanted[name]


@pytest.mark.rare
@pytest.mark.parametrize(
    ("name", "why"),
    [("forgot", "fail their recount"), ("lost", "more rows would be suppressed")],
)
def test_what_does_not_fit_is_not_published(ended, name, why):
    folder, failing, _ = ended
    script, setup = failing[name]
    (end,) = spark_sql([script], folder, setup)
    assert end.returncode != 0
    assert why in end.stdout + end.stderr
    assert "canary" not in end.stdout + end.stderr
    place = folder / "warehouse" / f"made_{name}"
    # Where the statement itself fails Spark has made the folder, which is no table and holds no file.
    assert not (list(place.iterdir()) if name == "lost" and place.is_dir() else place.exists())
