"""What the commands of dbt print by `--json` has the keys that their help explains."""

from __future__ import annotations

import json
import re

import pytest

from kanon_sql.apps.cli.json_keys import JSON_KEYS

RUNS = {
    "dbt init": ("dbt", "init", "stg_patients"),
    "dbt plan": ("dbt", "plan", "."),
    "dbt check": ("dbt", "check"),
}


@pytest.mark.parametrize("name", RUNS)
def test_an_object_has_the_keys_that_are_explained(planned, name):
    planned.dbt("parse")
    found = json.loads(planned.kanon(*RUNS[name], "--json"))
    assert found.keys() == JSON_KEYS[name].keys()
    assert found["status"] == "ok"
    if name == "dbt plan":
        for each in found["plans"].values():
            assert each.keys() <= JSON_KEYS["plan"].keys()
            assert {"classes", "levels", "risk"} <= each.keys()
    if name == "dbt check":
        named = set(re.findall(r"`(\w+)`", JSON_KEYS[name]["plans"]))
        assert {key for each in found["plans"] for key in each} == named
