"""A program: one policy on a Spark of its own, told as JSON; a test must not share its process."""

from __future__ import annotations

import json
import os
import runpy
import socket
import subprocess
import sys
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from pyspark.sql import SparkSession

import kanon_sql

sys.path.insert(0, str(Path(__file__).parents[1]))

from killer import killer
from shells import INTERPRETED, QUICK_TO_START

HERE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": QUICK_TO_START,
    "spark.executor.extraJavaOptions": QUICK_TO_START,
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}


@contextmanager
def cluster():
    """Two executors, each a process: shuffles cross a network, and what is sent is serialized."""
    home = Path("spark")  # the workers write under it
    home.mkdir()
    for each in Path(os.environ.pop("SPARK_HOME", None) or installed()).iterdir():
        (home / each.name).symlink_to(each)
    os.environ["SPARK_HOME"] = str(home.absolute())
    os.environ["PYSPARK_PYTHON"] = "/nowhere/python"  # executors need none: all is SQL
    session = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=HERE).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session, None
    executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    assert executors == 2
    session.stop()


def installed():
    import pyspark

    return Path(pyspark.__file__).parent


@contextmanager
def connect():
    """Spark's own Connect server, in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        **HERE,
        **INTERPRETED,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    words = [installed() / "bin" / "spark-submit", "--master", "local[2]"]
    words += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    words += [word for pair in settings.items() for word in ("--conf", "=".join(pair))]
    server = subprocess.Popen([*map(str, words), "spark-internal"], stdout=subprocess.DEVNULL)
    address = f"sc://127.0.0.1:{port}"
    try:
        session = SparkSession.builder.remote(address).getOrCreate()  # it waits for the server
        yield session, address
        session.stop()
    finally:
        server.terminate()
        server.wait()


def main(kind, policy, kills):
    """Release a frame; on a cluster by the page's own program too, on a server by an address."""
    with globals()[kind]() as (session, address):
        frame = session.read.parquet(str(Path("people.parquet").absolute()))
        session.sql("CREATE DATABASE clinic")
        frame.write.saveAsTable("clinic.people")
        made = kanon_sql.anonymize(policy, frame, connection=session, release="clinic.people_k5")
        released = session.table("clinic.people_k5").collect()
        told = {
            "plan": shown(made.plan),
            "rows": [[None if v is None else str(v) for v in row] for row in released],
            "left": [row["tableName"] for row in session.sql("SHOW TABLES").collect()],
            "recounted": recounted(address) if address else as_in_the_page(session),
            "killed": list(killed(session, address)) if kills else [],
        }
    print(json.dumps(told))


def shown(plan):
    """What a plan says but for its SQL, and for its source, which a run in one go does not hash."""
    left_out = {"sql", "policy", "source"}
    return {key: str(value) for key, value in plan.document().items() if key not in left_out}


def as_in_the_page(session):
    """How many rows the page's program releases, of those it reads."""
    with redirect_stdout(None):
        runpy.run_path("release.py")
    return session.table("people_k5").count()


def recounted(address):
    """How many people the command line counts, on a session of its own."""
    words = ["verify", "clinic.people", "--quasi", "member", "-k", "1", "--database", address]
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words, "--json"], capture_output=True, check=True
    )
    return json.loads(done.stdout)["rows"]


def killed(session, address):
    """Kill clients that release in place, each a statement later; tell how and what each left."""
    file, columns = Path("in_place.json"), {"sex": {"role": "quasi", "hierarchy": "suppress"}}
    columns["name"] = {"role": "identifying", "action": "drop"}
    given = {"version": 1, "database": address, "source": "clinic.placed", "entity": "row",
             "columns": columns, "privacy": {"k": 4},
             "release": {"in_place": True, "drop_original": True}}  # fmt: skip
    file.write_text(json.dumps(given), encoding="utf-8")
    raw = session.sql("SELECT STRING(id) AS name, IF(id % 2 = 0, 'f', 'm') AS sex FROM RANGE(24)")
    known = {shape(raw): "raw", shape(raw.select("sex")): "released"}
    ended, step, left = None, 1, {}
    with killer("pyspark.sql.connect.session", asks=False) as run_until:
        while ended != 0:
            if left.get("placed") != "raw" and "placed__kanon_release" not in left:
                # what the next run refuses: the release stands, and its original beside it
                for each in ("placed", "placed__kanon_original"):
                    session.sql(f"DROP TABLE IF EXISTS clinic.{each}")
                raw.write.saveAsTable("clinic.placed")
            ended = run_until(file, step)
            names = [row["tableName"] for row in session.sql("SHOW TABLES IN clinic").collect()]
            left = {}
            for name in (each for each in names if each.startswith("placed")):
                session.sql(f"REFRESH TABLE clinic.{name}")  # other sessions keep lists of files
                left[name] = known.get(shape(session.table(f"clinic.{name}")), "in part")
            yield ended, left
            step += 1


def shape(frame):
    """What a table holds, whatever the order of its rows and columns."""
    names = sorted(frame.columns)
    return "\n".join(sorted(str(tuple(row[n] for n in names)) for row in frame.collect()))


if __name__ == "__main__":
    main(
        sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")), "--kill" in sys.argv
    )
