"""The sample of patients with its plan, its release and all pages that are made of them."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import yaml
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main

SAMPLE = Path(kanon_sql.__file__).parent / "apps" / "sample"
RELEASE, PLAN = "people_k5.parquet", "people.plan.yml"


@contextmanager
def inside(folder):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def done(folder, *words):
    """Run a command that must succeed in a folder."""
    with inside(folder):
        result = CliRunner().invoke(main, [str(each) for each in words])
    assert result.exit_code == 0, (words, result.output, result.exception)
    return result.stdout


def title_of(folder):
    return yaml.safe_load((folder / "people.yml").read_text(encoding="utf-8"))["about"]["title"]


def planned_in(folder):
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    done(folder, "plan", "people.yml", "--no-rows")


def plan_report_in(folder):
    """Report a plan in the least time; give the page."""
    planned_in(folder)
    done(folder, "report", PLAN, "--no-search", "-o", "plan.html")
    return folder / "plan.html"


def patients_in(folder):
    planned_in(folder)
    done(folder, "apply", PLAN, "--no-rows")
    done(folder, "report", RELEASE, "--plan", PLAN, "-o", "report.html")
    done(folder, "certify", RELEASE, "--plan", PLAN)
    return folder


def explained_in(folder):
    """Draw the plan's lattice as a file of its own."""
    done(folder, "explain", PLAN, "--lattice", "lattice.svg")
    return folder / "lattice.svg"


def shown_in(folder):
    """Write what a notebook shows of the plan and its release into one page."""
    with inside(folder), kanon_sql.apply(PLAN, replace=True) as release:
        shown = [
            release.plan._repr_html_(),
            release._repr_html_(),
            kanon_sql.risk("people.csv", quasi=["sex", "age"])._repr_html_(),
        ]
    page = folder / "notebook.html"
    head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A notebook</title></head><body><main><h1>A notebook</h1>'
    page.write_text(f"{head}{''.join(shown)}</main></body></html>", encoding="utf-8")
    return page
