"""A release on two executors, of which some are killed once its rows are staged. Started by test_spark_cluster.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import kanon_sql
from kanon_sql.engines.spark.engine import Spark

COLUMNS = {
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "name": {"role": "insensitive"},
}
POLICY = {
    "version": 1,
    "entity": "row",
    "source": "people",
    "columns": COLUMNS,
    "privacy": {"k": 5},
}


def executors(application):
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True
    )
    words = [line.split() for line in listed.stdout.splitlines() if application in line]
    return [int(w[0]) for w in words if any("CoarseGrainedExecutorBackend" in each for each in w)]


def main(many, *checkpoints):
    from elsewhere import HERE, cluster  # which lies beside a script that is run

    folder = Path("checkpoints").absolute()
    if checkpoints:
        HERE["spark.checkpoint.dir"] = f"file://{folder}"
    HERE["spark.executor.memory"] = "512m"
    killed, execute = [], Spark.execute

    def killing(self, statement, params=()):
        execute(self, statement, params)
        if statement.name == "stage":
            killed.extend(executors(self.session.sparkContext.applicationId)[:many])
            for each in killed:
                os.kill(each, signal.SIGKILL)

    Spark.execute = killing
    told = {"rows": 0}
    stack = cluster()
    session, _ = stack.__enter__()
    session.range(4000).selectExpr(
        "IF(id % 2 = 0, 'f', 'm') AS sex", "CAST(id % 60 AS INT) AS age", "CONCAT('canary', id) AS name"
    ).write.saveAsTable("people")  # fmt: skip
    try:
        kanon_sql.anonymize(POLICY, connection=session, release="people_k5")
        released = session.table("people_k5")
        told["rows"], told["distinct"] = (
            released.count(),
            released.select("name").distinct().count(),
        )
        told["smallest"] = min(
            row["count"] for row in released.groupBy("sex", "age").count().collect()
        )
    except kanon_sql.KanonError as error:
        told["error"] = str(error)
    told["killed"] = len(killed)
    told["tables"] = sorted(row["tableName"] for row in session.sql("SHOW TABLES").collect())
    told["files"] = [each.name for each in folder.rglob("part-*")]
    print(json.dumps(told))
    session.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
