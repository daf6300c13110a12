"""What Python calls hand in: either it works or an error of ours says what is wrong with it."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from policies import with_

import kanon_sql

FRAME = pa.table({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]})
POLICY = with_(source=None)
WRONG = (object(), 3.5, b"x", {1: object()}, [None], lambda: None)
ANYTHING = {"Connection", "ModelsInput", "QueriesInput", "TableInput"}
FREE = ANYTHING | {f"{each} | None" for each in ANYTHING} | {"PolicyInput | TableInput"}
MAPPINGS = {
    "Overrides | None", "ReleaseInput | None", "Mapping[str, object] | None",
    "str | Path | Mapping[str, object]", "str | Path | Mapping[str, object] | None",
}  # fmt: skip
CALLS = {
    name: each
    for name in kanon_sql.__all__
    if inspect.isfunction(each := getattr(kanon_sql, name)) and name != "read_policy"
}
ARGUMENTS = [
    (name, parameter.name)
    for name, each in CALLS.items()
    for parameter in inspect.signature(each).parameters.values()
    if parameter.annotation not in FREE
]
GOOD = {
    "policy": POLICY, "source": FRAME, "plan": "p.yml", "old": "p.yml", "new": "p.yml", "quasi": ["a"],
    "k": 2, "release": "r.parquet", "certificate": "c.json", "project": "dbt", "kind": "csv",
    "explanation": None, "target": FRAME, "known": FRAME, "first": FRAME, "second": FRAME, "on": ["a"],
    "sensitive": "b", "person": "a", "excluding": 1, "dialect": "snowflake",
}  # fmt: skip


@pytest.mark.parametrize(("function", "argument"), ARGUMENTS)
def test_an_argument_of_a_wrong_type_is_an_error_that_names_it(function, argument):
    call = CALLS[function]
    needed = [p.name for p in inspect.signature(call).parameters.values() if p.default is p.empty]
    for wrong in WRONG:
        kind = inspect.signature(call).parameters[argument].annotation
        fits = ("float" in kind and wrong == 3.5) or ("Callable" in kind and callable(wrong))
        if fits or (isinstance(wrong, dict) and kind in {"PolicyInput", "PolicyInput | None"}):
            continue
        if isinstance(wrong, dict) and kind in MAPPINGS:
            continue  # a mapping; what it says is looked at below
        with pytest.raises(kanon_sql.InputError) as error:
            call(**{name: GOOD[name] for name in needed} | {argument: wrong})
        assert argument in [fault.where for fault in error.value.faults]


@pytest.mark.parametrize("function", ["compare", "lint", "apply"])
def test_a_frame_in_the_place_of_a_policy_is_sent_to_the_second_argument(function):
    with pytest.raises(kanon_sql.InputError, match="Table; pass a frame as the source"):
        getattr(kanon_sql, function)(FRAME)


@pytest.mark.parametrize("function", ["anonymize", "plan"])
def test_a_frame_alone_is_told_both_ways_to_go_on(function):
    for wrong in (FRAME, 3.5, object(), b"x", [None]):
        with pytest.raises(kanon_sql.InputError) as error:
            getattr(kanon_sql, function)(wrong)
        (fault,) = error.value.faults
        assert fault.where == "policy"
        assert f"and is a {type(wrong).__name__}. Say which columns are what: " in fault.what
        assert f"{function}(frame, quasi=['age', 'zip'], sensitive=['disease']" in fault.what
        assert (
            f"or pass a policy, and the frame as the source: {function}(policy, frame)"
            in fault.what
        )


def test_all_wrong_arguments_are_told_at_once():
    with pytest.raises(kanon_sql.InputError) as error:
        kanon_sql.verify(FRAME, quasi=[None], k="2", distinct_l={"b": "2"}, settings={"threads": 1})
    assert [f.where for f in error.value.faults] == ["quasi", "k", "distinct_l", "settings"]


def test_a_parameter_is_accepted_by_its_earlier_name():
    with (
        pytest.warns(DeprecationWarning, match="sides= is now boundaries="),
        pytest.raises(kanon_sql.InputError) as error,
    ):
        kanon_sql.plan(POLICY, FRAME, sides=3)
    assert [f.where for f in error.value.faults] == ["boundaries"]
    with pytest.raises(TypeError, match="sides"):
        kanon_sql.plan(POLICY, FRAME, sides="a", boundaries="b")


@pytest.mark.parametrize(
    "release",
    [
        {"partition_by": "a"}, {}, {"parquet": 3}, {"parquet": "out", "partition_by": ["nothing"]},
        {"in_place": True}, {"csv": "x.csv", "compression": "zstd"}, {"unknown": 1},
    ],
)  # fmt: skip
def test_a_release_that_no_policy_could_ask_for_is_refused(release):
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.anonymize(POLICY, FRAME, release=release)


def test_a_release_in_the_words_of_a_policy_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kanon_sql.anonymize(POLICY, FRAME, release={"parquet": "out", "partition_by": ["b"]})
    assert sorted(each.name for each in Path("out").iterdir()) == ["b=x", "b=y"]
    kanon_sql.anonymize(POLICY, FRAME, release=tmp_path / "one.parquet")
    assert duckdb.sql("SELECT COUNT(*) FROM 'one.parquet'").fetchall() == [(4,)]


@pytest.mark.parametrize(
    "overrides",
    [{"k": "2"}, {"k": 2.5}, {"nothing": 1}, {"suppression": object()}, {"suppression": 2.5},
     {"time_limit": []}, {"algorithm": 3}, {3: 4}],
)  # fmt: skip
def test_overrides_that_say_nothing_are_refused(overrides):
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.plan(POLICY, FRAME, overrides=overrides)


@pytest.mark.parametrize(
    "frame", [(i for i in [1]), iter([1]), zip([1], [2], strict=True), {"a": [1]}, [1], 3, object],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(kanon_sql.SourceError, match="nothing that DuckDB can read"):
        kanon_sql.plan(POLICY, frame)


DEEP = {
    "parentheses": "(" * 2000 + "1" + ")" * 2000,
    "lists": "[" * 2000 + "1" + "]" * 2000,
    "NOT": "NOT " * 2000 + "true",
}


@pytest.mark.parametrize("expression", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("where", ["source", "where", "hierarchy"])
def test_sql_that_is_nested_too_deeply_is_refused(expression, where):
    query = f"SELECT {expression} AS a, 2 AS b"
    hierarchy = {"role": "quasi", "hierarchy": {"query": query}}
    policy = {
        "source": with_(source={"query": query}),
        "where": with_(source={"where": f"a = {expression}"}),
        "hierarchy": with_(source=None, columns={**POLICY["columns"], "a": hierarchy}),
    }[where]
    with pytest.raises(kanon_sql.InputError, match="is nested too deeply"):
        kanon_sql.plan(policy, None if where == "source" else FRAME)


def test_a_connection_is_in_one_thread_at_a_time():
    told = []

    def elsewhere():
        try:
            kanon_sql.plan(POLICY, "t", connection=connection)
        except kanon_sql.KanonError as error:
            told.append(str(error))

    def meanwhile(step):
        if step == "search":
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()

    with duckdb.connect() as connection:
        connection.register("t", FRAME)
        shown = kanon_sql.anonymize(POLICY, "t", connection=connection, progress=meanwhile)
        assert len(told) == 1
        assert "is used by a run in another thread" in told.pop()
        elsewhere()  # while the relation of a run that is over is read
        assert told == []
        assert len(shown.relation.fetchall()) == 4


@pytest.mark.parametrize("limit", ["1MB", "5MB", "10MB", "20MB"])
def test_too_little_memory_is_told_as_that_wherever_it_runs_out(limit):
    rows = pa.table({"a": list(range(100_000)), "b": [f"{i}-" * 20 for i in range(100_000)]})
    columns = {"a": {"role": "quasi", "hierarchy": {"intervals": [5, 50, 500]}},
               "b": {"role": "insensitive"}}  # fmt: skip
    settings = kanon_sql.Settings(memory_limit=limit, threads=1)
    with pytest.raises(kanon_sql.MemoryLimitError, match="--memory-limit"):
        kanon_sql.anonymize(with_(source=None, columns=columns), rows, settings=settings)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("threads", 0), ("threads", "4"), ("memory_limit", "-5"), ("memory_limit", "none"),
     ("memory_limit", 5), ("temp_directory", 3), ("scratch_schema", 3)],
)  # fmt: skip
def test_a_limit_that_is_none_is_refused(setting, value):
    with pytest.raises(kanon_sql.InputError, match=setting):
        kanon_sql.plan(POLICY, FRAME, settings=kanon_sql.Settings(**{setting: value}))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: kanon_sql.anonymize(FRAME, ["a"], ["b"]), r"\(policy, source\), and has 3; .* quasi="),
        (lambda: kanon_sql.verify(FRAME, quasis=["a"], k=2), r"verify\(\) has no .* did you mean quasi=\?"),
        (lambda: kanon_sql.verify(FRAME, quasi=["a"], k=2, l=2), r"did you mean distinct_l=\?"),
        (lambda: kanon_sql.compare(FRAME, quasi=["a"]), r"suggest\(source, quasi=\.\.\.\) makes one"),
        (kanon_sql.suggest, r"suggest\(\): missing a required argument: 'source'"),
    ],
)  # fmt: skip
def test_a_call_that_fits_no_signature_is_told_what_was_meant(call, told):
    with pytest.raises(TypeError, match=told):
        call()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"quasi": ["a", 1.5]}, "a list of texts or None, and holds a float"),
        ({"quasi": ["a", 1]}, "columns.1: is not a column of the source"),
        ({"quasi": {"a": 1}}, "and is a dict; write a list in brackets"),
        ({"quasi": "a", "suppression": [0.05]}, "suppression: must be a whole number"),
    ],
)
def test_an_argument_that_nearly_fits_is_told_how_it_is_written(given, told):
    with pytest.raises(kanon_sql.InputError, match=told):
        kanon_sql.anonymize(FRAME, **given)
