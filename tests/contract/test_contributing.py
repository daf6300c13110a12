"""What the pages of docs/contributing say to write is written here, within the lines that they state, and runs."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import duckdb
import pytest
from house_copy import blocks_of, section_of

import kanon_sql
from kanon_sql.base.sql import templates
from kanon_sql.policy.privacy import declared_models
from kanon_sql.policy.read_policy import policy_schema

PEOPLE = """
    CREATE TABLE people AS
    SELECT range % 7 AS ward, range % 3 AS shift, CAST(1000 + range * 37 % 50 AS VARCHAR) AS zip, range AS pay
    FROM range(500)
"""
POLICY = {
    "version": 1,
    "source": "people",
    "entity": "row",
    "columns": {
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "shift": {"role": "quasi", "hierarchy": {"intervals": {"widths": [2]}}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 4}},
        "pay": {"role": "sensitive"},
    },
    "privacy": {"k": 3, "distinct_l": {"column": "pay", "l": 2}},
    "suppression": "2%",
    "release": "released",
}


ENGINE = section_of("docs/contributing/add-an-engine.md", "An engine")
MODEL = section_of("docs/contributing/add-to-the-search.md", "A privacy model")


def code_of(section):
    code, *_ = (block.text for block in blocks_of(section) if block.kind == "python")
    return code


def lines_of(code, start="class "):
    """The lines that somebody writes: those of the code from its first class or function on."""
    return [line for line in code[code.index(start) :].splitlines() if line.strip()]


def connected():
    connection = duckdb.connect()
    connection.execute(PEOPLE)
    return connection


def test_an_engine_of_the_page_plans_and_releases_as_duckdb_does():
    code = code_of(ENGINE)
    space = {}
    exec(compile(code, "add-an-engine.md", "exec"), space)
    stated = int(re.search(r"This one is complete: (\d+) lines", ENGINE)[1])
    assert len(lines_of(code)) == stated
    own, known = connected(), connected()
    released = kanon_sql.anonymize(POLICY, connection=space["Minimal"](own))
    expected = kanon_sql.anonymize(POLICY, connection=known)
    assert released.plan.cost == expected.plan.cost
    assert released.plan.levels == expected.plan.levels
    assert released.verification.passed
    rows = "SELECT * FROM released ORDER BY ALL"
    assert own.sql(rows).fetchall() == known.sql(rows).fetchall()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"release": {"in_place": True, "drop_original": True}}, "releases no table in place"),
        ({"columns": {**POLICY["columns"], "pay": {"role": "identifying", "action": "hash", "key_env": "KEY"}}}, "pseudonyms"),
    ],
)  # fmt: skip
def test_what_such_an_engine_lacks_it_refuses(change, says, monkeypatch):
    monkeypatch.setenv("KEY", "0123456789abcdef")
    space = {}
    exec(compile(code_of(ENGINE), "add-an-engine.md", "exec"), space)
    policy = {**POLICY, "privacy": {"k": 3}, **change}
    own = connected()
    before = own.sql("SHOW ALL TABLES").fetchall()
    with pytest.raises(kanon_sql.KanonError, match=says):
        kanon_sql.anonymize(policy, connection=space["Minimal"](own))
    assert own.sql("SHOW ALL TABLES").fetchall() == before


FRAGMENT = "sql/privacy/measures/part/known_values.sql.j2"
CHANNELS_OF_MODELS = Path(__file__).parents[1] / "e2e" / "test_models_in_channels.py"


def known_value(cells, _table):
    """What the page's model asks, counted without it: two rows of a class have a known value."""
    return sum(cell is not None for cell in cells) >= 2


@pytest.fixture
def with_a_model(monkeypatch):
    """The page's model, registered for a test: its class, and a template that stands on the page alone."""
    module = ModuleType("known_values")
    monkeypatch.setitem(sys.modules, "known_values", module)
    code = code_of(MODEL)
    exec(compile(code, "add-to-the-search.md", "exec", dont_inherit=True), vars(module))
    (fragment,) = (block.text for block in blocks_of(MODEL) if block.kind == "sql")
    stated = int(re.search(r"It takes (\d+) lines", MODEL)[1])
    assert len(lines_of(code, "import")) + len(fragment.splitlines()) == stated
    there = templates._source
    monkeypatch.setattr(
        templates, "_source", lambda path: fragment if path == FRAGMENT else there(path)
    )
    spec = importlib.util.spec_from_file_location("channels_of_models", CHANNELS_OF_MODELS)
    channels = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "channels_of_models", channels)
    spec.loader.exec_module(channels)
    clean, unknown = channels.CLEAN, ("flu", None, None)
    model = channels.Model(
        {"known": {"column": "d", "n": 2}},
        known_value, clean, channels.with_cells(clean, channels.A[:1], unknown),
        claim="privacy_model", verify={"privacy": {"known": {"column": "d", "n": 2}}},
    )  # fmt: skip
    assert (len(model.short(clean, clean)), len(model.short(model.planted, clean))) == (0, 1)
    declared_models.MODELS.append(module.Known)
    yield channels, model
    declared_models.MODELS.remove(module.Known)


RUNS = {
    **{
        f"search {name}, {most} may go": lambda on, db, model, _, __, name=name, most=most: (
            on.test_no_search_releases_a_class_that_is_short(db, model, name, most)
        )
        for name in ("search", "cells", "local", "mondrian", "mu-Argus", "datafly", "top-down")
        for most in (0, 3)
    },
    **{
        kind: lambda on, db, model, patch, _, kind=kind: (
            on.test_no_script_releases_a_class_that_is_short(db, model, kind, patch)
        )
        for kind in ("script", "warehouse script", "SQLMesh model")
    },
    "sets": lambda on, db, model, _, __: on.test_several_sets_count_a_model_or_refuse_it(db, model),
    "new rows": lambda on, db, model, _, __: (
        on.test_new_rows_are_released_without_the_class_that_is_short(db, model)
    ),
    "recount": lambda on, db, model, patch, _: on.test_the_recount_finds_what_the_recoding_left(
        db, model, patch
    ),
    "view": lambda on, db, model, _, __: on.test_a_view_shows_no_class_that_is_short(db, model),
    "verify": lambda on, db, model, _, __: on.test_verify_finds_the_class_that_is_short(db, model),
    "certificate": lambda on, db, model, _, folder: (
        on.test_a_certificate_is_of_no_release_with_a_class_that_is_short(db, model, folder)
    ),
    "dbt": lambda on, db, model, _, __: on.test_a_dbt_project_asks_for_the_model_or_is_refused(
        db, model
    ),
    "explain": lambda on, db, model, _, __: on.test_explain_relaxes_the_model_by_a_step(db, model),
    "diff": lambda on, db, model, _, __: on.test_diff_says_which_way_is_stricter(db, model),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("run", RUNS)
def test_a_privacy_model_of_the_page_is_counted_in_every_channel_or_refused(
    with_a_model, run, monkeypatch, tmp_path
):
    channels, model = with_a_model
    db = channels.Database()
    with db.connection:
        RUNS[run](channels, db, model, monkeypatch, tmp_path)


def test_no_test_of_the_channels_of_models_is_left_out(with_a_model):
    channels, _ = with_a_model
    own = [
        name
        for name, each in vars(channels).items()
        if name.startswith("test_") and {"db", "model"} <= set(inspect.signature(each).parameters)
    ]
    told = " ".join(inspect.getsource(run) for run in RUNS.values())
    assert [name for name in own if f"on.{name}(" not in told] == []


@pytest.mark.usefixtures("with_a_model")
def test_the_schema_knows_the_model_of_the_page():
    one, _ = policy_schema()["properties"]["privacy"]["anyOf"]
    assert one["properties"]["known"]["required"] == ["column", "n"]
