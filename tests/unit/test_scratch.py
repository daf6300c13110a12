from __future__ import annotations

import duckdb
import pytest

from kanon_sql.counting.run.session import session
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.duckdb.session import open_duckdb, use_duckdb
from kanon_sql.engines.scratch import PREFIX, mark_of, note_of, run_mark, scratch
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.read_policy import read_policy

POLICY = {
    "version": 1,
    "source": "people.csv",
    "entity": "row",
    "columns": {"age": {"role": "quasi", "hierarchy": "suppress"}},
    "privacy": {"k": 2},
}


class Recorder:
    def __init__(self):
        self.dropped = []
        self.views = []

    scratch_schema = None

    def drop_type(self, type_):
        self.dropped.append(type_)

    def drop(self, table, *, view):
        self.dropped.append(table)
        if view:
            self.views.append(table)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_tables_are_dropped_when_a_step_fails(error):
    engine = Recorder()

    def step():
        with scratch(engine) as tables:
            made.append(tables.table("frequency_set"))
            raise error

    made = []
    with pytest.raises(error):
        step()
    assert len(made) == 1
    assert engine.dropped == made


def test_the_newest_table_is_dropped_first():
    engine = Recorder()
    with scratch(engine) as tables:
        made = [tables.table("a"), tables.table("a"), tables.table("b")]
    assert engine.dropped == made[::-1]


def test_a_table_dropped_early_is_not_dropped_again():
    engine = Recorder()
    with scratch(engine) as tables:
        first, second = tables.table("a"), tables.table("b")
        tables.drop(first)
        assert engine.dropped == [first]
    assert engine.dropped == [first, second]


def test_types_are_dropped_after_the_tables_that_have_them():
    engine = Recorder()
    with scratch(engine) as tables:
        of_labels = tables.type("labels")
        made = [tables.table("codes"), tables.table("view")]
        of_file = tables.type("written")
    assert engine.dropped == [*made[::-1], of_file, of_labels]


def test_a_view_is_dropped_as_a_view():
    engine = Recorder()
    with scratch(engine) as tables:
        tables.table("table")
        views = [tables.table("view"), tables.table("view")]
        for view in views:
            tables.is_view(view)
        tables.drop(views[0])
    assert engine.views == views


def test_no_two_tables_and_no_two_runs_share_a_name():
    engine = Recorder()
    for _ in range(3):
        with scratch(engine) as tables:
            for _ in range(3):
                tables.table("same")
    names = {table.name for table in engine.dropped}
    assert len(names) == 9
    assert all(name.startswith(PREFIX) for name in names)


def test_tables_that_end_with_their_engine_are_not_dropped_one_by_one():
    engine = Recorder()
    with scratch(engine, drops=False) as tables:
        tables.table("a")
        tables.drop(early := tables.table("b"))
    assert engine.dropped == [early]


def test_scratch_ends_only_with_a_session_that_the_engine_opened(tmp_path):
    path = tmp_path / "own.db"
    with duckdb.connect(path) as connection:
        assert not DuckDB(connection).ends_scratch
    with open_duckdb(str(path)) as engine:
        assert engine.ends_scratch
        with session(engine, read_policy(POLICY), ends_engine=True) as run:
            made = run.scratch.table("a")
            run.see(made, source_sql.open_query(made, "SELECT 1 AS a", dialect="duckdb"))
    with duckdb.connect(path) as connection:
        assert connection.execute("SHOW ALL TABLES").fetchall() == []


def test_scratch_of_a_caller_s_session_is_dropped_where_a_run_ends():
    with duckdb.connect() as connection, use_duckdb(connection) as engine:
        with session(engine, read_policy(POLICY), ends_engine=True) as run:
            made = run.scratch.table("a")
            run.see(made, source_sql.open_query(made, "SELECT 1 AS a", dialect="duckdb"))
        assert connection.execute("SHOW ALL TABLES").fetchall() == []


def test_a_table_is_ours_only_where_its_name_and_its_comment_say_so():
    own, other = run_mark(), run_mark()
    assert mark_of(f"a__{own}_map_12", note_of(own)) == mark_of(f"a__{own}_classes", note_of(own))
    for name, mark, note in (
        ("students__20240131120000_classes", "20240131120000", ""),
        (f"a__{own}_map_1", own, "a map of mine"),
        (f"a__{own}_map_1", own, note_of(other)),
        (f"a__{own}_map", own, note_of(own)),
        ("geo__20240131120000_map_1", "20240131120000", note_of("20240131120000")),
        ("geo__f0240131120000_map_1", "f0240131120000", note_of("f0240131120000")),
    ):
        assert mark_of(name, note) is None, (name, mark)


def test_one_table_that_cannot_be_dropped_does_not_hold_up_a_connection():
    with duckdb.connect() as connection:
        engine = DuckDB(connection)
        with scratch(engine) as tables:
            tables.table("never_made")
            view = tables.table("view")
            tables.is_view(view)
            engine.execute(source_sql.open_query(view, "SELECT 1 AS a", dialect="duckdb"))
            tables.is_view(view)
        assert connection.execute("SHOW ALL TABLES").fetchall() == []


def test_scratch_is_dropped_from_a_broken_transaction():
    with duckdb.connect() as connection:
        engine = DuckDB(connection)
        connection.execute("CREATE TABLE own (a INTEGER PRIMARY KEY)")
        with scratch(engine) as tables:
            view = tables.table("view")
            tables.is_view(view)
            engine.execute(source_sql.open_query(view, "SELECT 1 AS a", dialect="duckdb"))
            tables.is_view(view)
            with pytest.raises(duckdb.Error):
                connection.execute("INSERT INTO own VALUES (1), (1)")
        names = [row[2] for row in connection.execute("SHOW ALL TABLES").fetchall()]
        assert names == ["own"]
