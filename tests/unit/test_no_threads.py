"""Python in a browser has no threads: a statement runs where it is asked for."""

from __future__ import annotations

import sys
import threading

from kanon_sql.engines.scratch import run_interruptibly


def test_a_browser_runs_statements_without_a_thread(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")

    def start(_):
        raise RuntimeError("can't start new thread")

    assert run_interruptibly(threading.current_thread, print, start) is threading.main_thread()
