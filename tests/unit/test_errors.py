from __future__ import annotations

import pickle

import duckdb
import pytest

from kanon_sql import errors
from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.base import PreparedStatement
from kanon_sql.engines.connect import connector_of
from kanon_sql.engines.duckdb.engine import DuckDB, _meaning
from kanon_sql.engines.source import source_sql
from kanon_sql.engines.spark.session import meaning_of
from kanon_sql.errors import Fault, InputError, KanonError, StatementError

KINDS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, Exception) and not issubclass(each, Warning)
]


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("columns.age", "is twice there", 7), "line 7: columns.age: is twice there"),
        (Fault("columns.age", "is twice there"), "columns.age: is twice there"),
        (Fault("", "is not there"), "is not there"),
        (Fault("", "is not there", 1), "line 1: is not there"),
    ],
)
def test_a_fault_says_where_and_what(fault, text):
    assert str(fault) == text


def test_one_fault_is_one_line():
    assert str(InputError("p.yml", [Fault("k", "must be 1")])) == "p.yml: k: must be 1"


def test_all_faults_are_listed():
    text = str(InputError("p.yml", [Fault(f"f{n}", "is wrong") for n in range(20)]))
    assert text.splitlines()[0] == "p.yml: 20 faults"
    assert len(text.splitlines()) == 21


def test_faults_may_come_from_a_generator():
    error = InputError("p.yml", (Fault("k", "is wrong") for _ in range(2)))
    assert len(error.faults) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_ours_and_explained(kind):
    assert issubclass(kind, KanonError)
    assert kind.__doc__


@pytest.mark.parametrize("kind", [k for k in KINDS if issubclass(k, InputError)])
def test_what_was_given_wrongly_is_a_value_error(kind):
    with pytest.raises(ValueError, match="is wrong"):
        raise kind("p.yml", [Fault("k", "is wrong")])


def test_an_input_error_survives_a_process_boundary():
    error = InputError("p.yml", [Fault("k", "is wrong", 3)])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.faults) == (str(error), error.faults)


def test_what_a_database_says_is_not_repeated():
    with duckdb.connect() as connection:
        engine = DuckDB(connection)
        connection.execute("CREATE TABLE t AS SELECT 'secret' AS a")
        query = "SELECT CAST(a AS INTEGER) AS a FROM t"
        engine.execute(source_sql.open_query(table("v"), query, dialect="duckdb"))
        with pytest.raises(StatementError) as caught:
            engine.fetch(source_sql.first_rows(table("v"), 1))
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(caught.value.args)
    assert "secret" in str(caught.value.cause)
    assert caught.value.kind == "ConversionException"
    assert caught.value.step == "first rows"
    assert "LIMIT" in caught.value.sql


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("CREATE TABLE t AS SELECT 1 AS a", "the database is open read-only"),
        ("SELECT CAST('read-only mode, Cannot execute statement of type' AS INTEGER)", "refused the statement (ConversionException)"),
    ],
)  # fmt: skip
def test_duckdb_names_a_cause_that_is_no_matter_of_data(tmp_path, statement, told):
    path = str(tmp_path / "a.duckdb")
    duckdb.connect(path).close()
    with duckdb.connect(path, read_only=True) as connection:
        engine = DuckDB(connection)
        with pytest.raises(StatementError) as caught:
            engine._run(PreparedStatement("step", statement), ())
    assert told in str(caught.value)
    assert "Cannot execute" not in str(caught.value)


def test_causes_of_duckdb_and_spark_are_found_by_their_class_and_words():
    assert "disk is full" in str(
        _meaning(duckdb.IOException("IO Error: Could not write: No space left on device"))
    )
    assert "interrupted" in str(
        _meaning(duckdb.InterruptException("INTERRUPT Error: Interrupted!"))
    )
    assert _meaning(duckdb.IOException("IO Error: canary")) is None
    told = (
        "An error occurred while calling o9.count.\n: java.lang.OutOfMemoryError: Java heap space"
    )
    assert "spark.driver.memory" in str(meaning_of(RuntimeError(told)))
    assert "a disk is full" in str(
        meaning_of(RuntimeError("java.io.IOException: No space left on device"))
    )
    assert meaning_of(RuntimeError("canary")) is None


@pytest.mark.parametrize(
    "address",
    ["host=h dbname=d password=canary", "service=x", "postgresql+psycopg://u:canary@h/d", "postgres+asyncpg://h/d", " port = 5432"],
)  # fmt: skip
def test_another_form_of_an_address_is_refused_in_words(address):
    with pytest.raises(
        InputError, match=r"write an address of PostgreSQL as postgresql://"
    ) as caught:
        connector_of(address)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("database", ["a.duckdb", "dir/host.db", "user.db", None, ":memory:"])
def test_a_file_is_no_form_of_an_address(database):
    assert connector_of(database).dialect == "duckdb"
