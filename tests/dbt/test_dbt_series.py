"""A daily dbt project makes a series by `dbt build` alone, with the Python model of the page: rows come late, and go."""

from __future__ import annotations

import json
import os
from collections import Counter

import duckdb
import pages
import pytest
from series_runs import KEY, short_cells

import kanon_sql
from kanon_sql.release.series.series_status import series_status, verify_series

PROJECT = """
name: clinic
profile: clinic
models: {clinic: {+materialized: table}}
"""
PROFILES = """
clinic: {target: dev, outputs: {dev: {type: duckdb, path: clinic.duckdb, threads: 1}}}
"""
VISITS = """
SELECT i AS visit, i % 7 AS "select", ['flu', 'cold', 'mumps'][1 + i % 3] AS "it's", i AS tag
FROM range(2000) AS v (i)
WHERE (i < 300 OR (i - 300) // 70 + i % 4 <= {day}) AND i % 97 > {day}
"""
DOWNSTREAM = """-- depends_on: {{ ref('visits_series') }}
SELECT count(*) AS shown FROM visits_k5
"""
POLICY = {
    "version": 1,
    "database": "clinic.duckdb",
    "source": {"table": "visits"},
    "entity": "row",
    "columns": {
        "visit": {"role": "identifying", "action": "drop"},
        "select": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
        "it's": {"role": "sensitive"},
        "tag": {"role": "insensitive"},
    },
    "privacy": {"k": 5, "distinct_l": {"column": "it's", "l": 2}},
    "suppression": "100%",
    "release": {"table": "visits_k5"},
    "series": {
        "ledger": {"table": "its ledger"},
        "key_env": "SERIES_KEY",
        "row": "visit",
        "deletions": "at_once",
    },
}


@pytest.mark.parametrize(
    "days", [pytest.param(2, marks=pytest.mark.slow), pytest.param(14, marks=pytest.mark.rare)]
)
def test_dbt_build_alone_makes_each_release(tmp_path, monkeypatch, commands_of_dbt, days):
    monkeypatch.setenv("SERIES_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    files = {"dbt_project.yml": PROJECT, "profiles.yml": PROFILES}
    files |= {"models/visits_series.py": model_of_the_page(), "models/read.sql": DOWNSTREAM}
    files |= {"models/visits.sql": VISITS.replace("{day}", "{{ var('day') }}")}
    files |= {"visits.yml": json.dumps(POLICY)}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with duckdb.connect("clinic.duckdb") as connection:
        connection.execute(f"CREATE TABLE visits AS {VISITS.replace('{day}', '0')}")
    plan = kanon_sql.plan("visits.yml").named("visits.yml").to_yaml()
    (tmp_path / "visits.plan.yml").write_text(plan)
    shown = []
    for day in range(days):
        arguments = ["--no-use-colors", "build", "--vars", f"{{day: {day}}}"]
        environment = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
        output = tmp_path / "output"
        code = commands_of_dbt.run(
            args=arguments, folder=str(tmp_path), environment=environment, output=str(output)
        )
        assert code == 0, output.read_text()
        with duckdb.connect("clinic.duckdb", read_only=True) as connection:
            rows = connection.execute('SELECT "select", tag, "it\'s" FROM visits_k5').fetchall()
            assert connection.execute('FROM "read"').fetchall() == [(len(rows),)]
            living = connection.execute("SELECT count(*) FROM visits").fetchone()[0]
            counts = connection.execute("FROM visits_series").fetchall()
        shown.append([(0, class_, (tag, value)) for class_, tag, value in rows])
        assert counts[0][0] == day + 1
        assert len(rows) > 0.6 * living
    assert short_cells(shown, 5, least=2) == 0
    sets = [{*each} for each in shown]
    assert sets[-1] - sets[0]
    assert sets[0] - sets[-1]
    assert max(Counter(class_ for _, class_, _ in shown[-1]).values()) > 40
    assert verify_series("visits.yml").passed
    assert series_status("visits.yml").releases == days


def model_of_the_page():
    (model,) = [
        block.text
        for block in pages.blocks_of("docs/guides/series.md")
        if block.title == "visits_series.py"
    ]
    return model
