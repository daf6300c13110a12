"""The seconds of a run: a step within another counts once, and the whole is what a clock on the wall shows."""

from __future__ import annotations

import pytest

from kanon_sql.engines import journal as journals


def test_steps_that_nest_add_up_to_the_time_of_the_run(monkeypatch):
    now = iter([0.0, 1.0, 3.0, 4.0, 8.0, 9.0, 10.0, 20.0])
    monkeypatch.setattr(journals.time, "perf_counter", lambda: next(now))
    journal = journals.Journal(began=0.0)
    with journal.step("search"):  # from 0
        with journal.step("order"):  # from 1 to 3
            pass
        with journal.step("order"):  # from 4 to 8
            pass
    assert journal.seconds == {"order": pytest.approx(6), "search": pytest.approx(3)}  # until 9
    assert journal.elapsed == pytest.approx(10)
