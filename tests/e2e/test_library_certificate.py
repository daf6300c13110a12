"""A release of a workbook, or of a file of SPSS or Stata, is certified; as such a file, it says where to go instead."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main

pytest.importorskip("pyreadstat")
pytest.importorskip("openpyxl")
CERTIFY = "certify it with: kanon-sql certify "


def run(*words):
    return CliRunner().invoke(main, [str(each) for each in words])


@pytest.fixture(params=["xlsx", "dta"])
def source(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(36)
    frame = pd.DataFrame(
        {"age": [draw.randrange(18, 60) for _ in range(80)], "sex": [draw.choice("fm") for _ in range(80)], "ill": [draw.choice("ab") for _ in range(80)]}
    )  # fmt: skip
    name = tmp_path / f"it's people.{request.param}"
    frame.to_excel(name, index=False) if request.param == "xlsx" else frame.to_stata(
        name, write_index=False
    )
    return name


def planned(source, release):
    columns = {"age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}}, "sex": {"role": "quasi", "hierarchy": "suppress"}, "ill": {"role": "sensitive"}}  # fmt: skip
    policy = {"version": 1, "source": source.name, "entity": "row", "columns": columns, "privacy": {"k": 5}, "release": release}  # fmt: skip
    (source.parent / "policy.yml").write_text(str(policy), encoding="utf-8")
    assert run("plan", "policy.yml").exit_code == 0
    return run("apply", "policy.plan.yml").output


def test_a_release_of_such_a_file_is_certified_beside_its_source(source):
    printed = planned(source, "out.csv")
    assert printed.splitlines()[-1] == f"{CERTIFY}out.csv --plan policy.plan.yml"
    done = run("certify", "out.csv", "--plan", "policy.plan.yml", "--against", source.name)
    assert done.exit_code == 0, done.output
    assert run("verify", "out.certificate/certificate.json").exit_code == 0


def test_its_script_names_the_way_on(source):
    planned(source, "out.csv")
    done = run("compile", "policy.plan.yml")
    assert done.exit_code == 1
    assert "write it as Parquet, or apply the plan" in done.output


def test_a_release_as_such_a_file_offers_no_certificate_that_is_refused(source):
    out = f"out{source.suffix}"
    assert CERTIFY not in planned(source, out)
    done = run("certify", out, "--plan", "policy.plan.yml")
    assert done.exit_code == 1
    assert "`kanon-sql verify` recounts it" in done.output
    assert run("verify", out, "--quasi", "age,sex", "-k", "5").exit_code == 0
