"""A signal ends the statement in flight, on each engine, within two seconds; nothing is left, and the connection goes on."""

from __future__ import annotations

import os
import signal
import threading
import time

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.apps.cli import options

ROWS = 20_000
MATCHED = {"spark": 500}
"""Rows that each is joined with, twice. A task of Spark looks whether it was cancelled at each row that it streams, so these are
few there; on the others as many as there are."""
POLICY = {
    "version": 1,
    "source": {
        "query": "SELECT a.age + b.age + c.age AS age FROM endless AS a "
        "JOIN matched AS b ON b.sex = a.sex JOIN matched AS c ON c.sex = b.sex AND c.age + a.age > b.age"
    },
    "entity": "row",
    "columns": {"age": {"role": "quasi", "hierarchy": "suppress"}},
    "privacy": {"k": 2},
    "suppression": "0%",
}


@pytest.fixture(autouse=True)
def _handlers():
    endings = (signal.SIGINT, signal.SIGTERM)
    before = {each: signal.getsignal(each) for each in endings}
    for each in endings:
        signal.signal(each, options._interrupt)
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def has_lasting_job(session):
    running = session.sparkContext.statusTracker().getActiveJobsIds
    before = {*running()}
    time.sleep(3)
    return bool(before.intersection(running()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_statement_in_flight(place, number, request):
    for name, rows in (("endless", ROWS), ("matched", MATCHED.get(place.name, ROWS))):
        place.put(name, pa.table({"age": list(range(rows)), "sex": ["f"] * rows}))
    if place.name == "duckdb":  # of two threads, one that looks for signals has a task without end
        request.addfinalizer(lambda: place.execute("RESET threads"))
        place.execute("SET threads = 2")
        late = threading.Timer(20, place.connection.interrupt)
        late.start()
        request.addfinalizer(late.cancel)
    before = place.left()
    sent = []

    def send():
        while place.name == "spark" and not has_lasting_job(place.connection):
            pass  # a session's first statements are slow, so no number of seconds tells that this one runs
        sent.append(time.monotonic())
        os.kill(os.getpid(), number)

    timer = threading.Timer(2 if place.name == "duckdb" else 4, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            kanon_sql.plan(POLICY, connection=place.connection)
    finally:
        timer.cancel()
    assert sent, "the statement ended by itself"
    assert time.monotonic() - sent[0] < 2
    assert place.left() == before
    assert len(place.read("endless")) == ROWS
    if place.name == "spark":
        running = place.connection.sparkContext.statusTracker().getActiveJobsIds
        ended = time.monotonic() + 5
        while running() and time.monotonic() < ended:
            time.sleep(0.1)
        assert not running()
