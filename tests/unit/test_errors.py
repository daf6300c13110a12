from __future__ import annotations

import pickle

import duckdb
import pytest

from kanon_sql import errors
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.errors import (
    Fault,
    InputError,
    KanonError,
    StatementError,
)
from kanon_sql.source import source_sql
from kanon_sql.sql.quoting import table

KINDS = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]


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
