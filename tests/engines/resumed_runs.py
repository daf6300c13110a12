"""Plans on Spark that are killed, and others that go on from what these kept. Started by test_resume.py."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import duckdb

import kanon_sql
from kanon_sql.engines.spark.cluster import Hadoop, KeptTables
from kanon_sql.engines.spark.engine import Spark
from kanon_sql.engines.tables_here import DRIVER_ROWS

COLUMNS = {
    "sex": {"role": "quasi", "hierarchy": {"tree": {"*": ["f", "m"]}}},
    "zip": {"role": "quasi", "hierarchy": {"csv": "zips.csv"}},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "disease": {"role": "sensitive"},
}
POLICY = {
    "version": 1,
    "entity": "row",
    "source": "people.parquet",
    "columns": COLUMNS,
    "privacy": {"k": 5, "distinct_l": {"column": "disease", "l": 2}},
    "suppression": "10%",
}
MONDRIAN = {**POLICY, "search": {"algorithm": "mondrian"}, "suppression": 0}
ONE = {
    **COLUMNS,
    "zip": {"role": "identifying", "action": "drop"},
    "age": {"role": "insensitive"},
}
FEW_CHECKS = {**POLICY, "columns": ONE}
HERE = Path.cwd()
KEPT = HERE / "checkpoints" / "kanon-sql"
KILLED = {
    "frequency_set": POLICY,
    "lined_tuples": MONDRIAN,
    "few checks": FEW_CHECKS,
}


def main(what):
    from elsewhere import HERE as SETTINGS
    from pyspark.sql import SparkSession

    SETTINGS["spark.checkpoint.dir"] = f"file://{HERE}/checkpoints"
    session = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    if what in KILLED:
        killed(session, what)
    print(json.dumps(TOLD[what](session)))
    session.stop()


def killed(session, what):
    after = "lined_tuples" if what == "lined_tuples" else "frequency_set"
    execute = Spark.execute

    def killing(self, statement, params=()):
        execute(self, statement, params)
        if statement.name == after:
            os.kill(os.getpid(), signal.SIGKILL)

    Spark.execute = killing
    if what == "few checks":  # as `planned`, to the same tables
        session.conf.set(DRIVER_ROWS, "0")
    kanon_sql.plan(KILLED[what], connection=session)


def tables():
    """List the tables that killed runs keep."""
    return sorted(each.name.partition("_")[0] for each in KEPT.glob("*/*/*"))


def went_on(session, policy=POLICY):
    """Plan anew and from what is kept; the source is read by the statements that are returned."""
    read, run = [], Spark._sql

    def noted(self, ready, params):
        read.append(ready.step)
        return run(self, ready, params)

    Spark._sql = noted
    made = kanon_sql.plan(policy, connection=session, resume=True)
    Spark._sql = run
    return made, read


def resumed(session):
    told = {"kept": tables()}
    backup = HERE / "backup"
    shutil.copytree(KEPT, backup)

    def again(policy=POLICY):
        made, read = went_on(session, policy)
        left = tables()
        shutil.rmtree(KEPT, ignore_errors=True)
        shutil.copytree(backup, KEPT)
        return {"remarks": list(made.remarks), "read": read, "left": left, "plan": made.to_yaml()}

    listed = kanon_sql.clean(connection=session, dry_run=True)
    told["listed"] = [[each.removed, each.why] for each in listed]
    told["anew"] = kanon_sql.plan(POLICY, connection=session).to_yaml()
    told["beside"] = tables()
    told["resumed"] = again()
    told["policy"] = again({**POLICY, "privacy": {"k": 6}})
    csv = (HERE / "zips.csv").read_text()
    (HERE / "zips.csv").write_text(csv.replace("0211*", "0210*"))
    told["hierarchy"] = again()
    (HERE / "zips.csv").write_text(csv)
    for number, file in enumerate(sorted(KEPT.glob("*/*/*/*.parquet"))):
        rows = f"SELECT * REPLACE (row_count + 1 AS row_count) FROM '{file}'"
        if "row_count" in duckdb.sql(f"FROM '{file}'").columns:
            duckdb.execute(f"COPY ({rows}) TO '{HERE}/changed{number}.parquet'")
            Path(f"{HERE}/changed{number}.parquet").replace(file)
            file.with_name(f".{file.name}.crc").unlink()
    told["tampered"] = again()
    people = HERE / "people.parquet"
    duckdb.execute(f"CREATE TABLE people AS FROM '{people}'")
    duckdb.execute("UPDATE people SET age = age + 1 WHERE age = 20")
    duckdb.execute(f"COPY people TO '{people}'")
    told["source"] = again()
    cleaned = kanon_sql.clean(connection=session, older_than=0)
    told["cleaned"] = [[each.removed, each.why] for each in cleaned]
    told["after"] = tables()
    return told


def cut(session):
    made, read = went_on(session, MONDRIAN)
    anew = kanon_sql.plan(MONDRIAN, connection=session).to_yaml()
    with kanon_sql.anonymize(MONDRIAN, connection=session, resume=True) as release:
        remarks = list(release.plan.remarks)
    found = {"remarks": list(made.remarks), "read": read, "plan": made.to_yaml(), "anew": anew}
    return {**found, "once more": remarks, "left": tables()}


def planned(session, *, resume):
    """Plan in the cluster alone, so that its tables are read where they are kept."""
    session.conf.set(DRIVER_ROWS, "0")
    made = kanon_sql.plan(FEW_CHECKS, connection=session, resume=resume)
    return {"plan": made.to_yaml(), "remarks": list(made.remarks), "left": tables()}


def waiting(session, *, resume):
    """Stop in the middle, with all tables at hand, until the test lets this run go on."""
    execute = Spark.execute

    def stopping(self, statement, params=()):
        execute(self, statement, params)
        if statement.name == "frequency_set":
            Path("stopped").touch()
            while not Path("go").exists():
                time.sleep(0.05)

    Spark.execute = stopping
    return planned(session, resume=resume)


def removed(session):
    """Take away what is kept just when it is written, and just when it is read: after its files were listed."""
    read, move = KeptTables._read, Hadoop.move
    taken = []

    def moving(self, origin, target):
        if "kanon-sql" in origin:
            taken.append(origin)
            shutil.rmtree(KEPT)
        move(self, origin, target)

    def reading(self, path):
        frame = read(self, path)
        shutil.rmtree(path.removeprefix("file://"))
        taken.append(path)
        return frame

    Hadoop.move = moving
    told = {"written": planned(session, resume=False), "while written": len(taken)}
    Hadoop.move = move
    shutil.copytree(HERE / "backup", KEPT)
    taken.clear()
    KeptTables._read = reading
    told |= {"read": planned(session, resume=True), "while read": len(taken)}
    KeptTables._read = read
    return told


TOLD = {
    "resumed": resumed,
    "cut": cut,
    "waits": lambda session: waiting(session, resume=False),
    "waits resumed": lambda session: waiting(session, resume=True),
    "beside": lambda session: planned(session, resume=True),
    "removed": removed,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
