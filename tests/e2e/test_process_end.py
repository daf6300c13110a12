"""A process ends without going through all that lives, and without a word of a connection that was kept."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest

from kanon_sql.engines.connect import open_engine

ORDERED = {"role": "quasi", "order": "number"}


@pytest.mark.parametrize("algorithm", ["k_optimize", "mondrian", "optimal"])
def test_a_search_whose_objects_lie_in_cycles_keeps_no_connection(lab, algorithm):
    """DuckDB's binding complains on the terminal of each connection that outlives Python."""
    by_text = {"role": "quasi", "order": "text"}
    columns = {"age": ORDERED, "zip": by_text, "sex": by_text}
    if algorithm == "optimal":
        columns = {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}}}
    lab.policy(columns, search={"algorithm": algorithm, "time_limit": "1s"})
    command = [sys.executable, "-m", "kanon_sql", "plan", "policy.yml"]
    ended = subprocess.run(command, cwd=lab.folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "leaked" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("words", ["engines --json", "risk people.csv --quasi age,zip"])
def test_a_process_ends_without_a_list_of_what_lives(lab, words):
    """DuckDB lists its values of types on the terminal, unless Python has freed them at the end."""
    command = [sys.executable, "-m", "kanon_sql", *words.split()]
    ended = subprocess.run(command, cwd=lab.folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "leaked" not in ended.stdout + ended.stderr


def test_an_engine_has_no_connection_when_its_run_has_ended():
    with open_engine(None, None, None, writes=False) as engine:
        assert engine.connection is not None
    assert not hasattr(engine, "connection")


@pytest.mark.parametrize("source", ["delta:visits", "memory://kanon/nothing"])
def test_an_error_is_the_last_word(lab, source):
    """Where an error's frames kept its objects, DuckDB's binding wrote 30 lines of them below it."""
    lab.policy({"gone": {"role": "quasi", "hierarchy": "suppress"}}, source=source)
    if source.startswith("delta"):
        deltalake = pytest.importorskip("deltalake")
        rows = pa.table({"age": list(range(20))})
        deltalake.write_deltalake(str(lab.folder / "visits"), rows)
    command = [sys.executable, "-m", "kanon_sql", "plan", "policy.yml", "--quiet"]
    ended = subprocess.run(command, cwd=lab.folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert ended.stderr.startswith("error: policy")
    assert "leaked" not in ended.stdout + ended.stderr
