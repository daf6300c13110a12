"""The pages of explanations, decisions and benchmarks say what the program does."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import math
import re
from pathlib import Path

import pytest
import yaml
from pages import Page, blocks_of, called, commands

import kanon_sql

DOCS = Path(__file__).parents[2] / "docs"
EXPLANATIONS = DOCS / "explanation"
PAGES = [*sorted(EXPLANATIONS.glob("*.md")), *sorted((DOCS / "decisions").glob("*.md"))]
BY_HAND = re.compile(
    r"^\| (?P<figure>[^|]+) \| `(?P<search>\{[^`]*\})`(?:, `?(?P<part>\w+)`?)? "
    r"\| `(?P<sum>[^`]+)` \| (?P<value>[\d.]+) \|$",
    re.MULTILINE,
)
ARITHMETIC = {"log2": math.log2, "max": max, "__builtins__": {}}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_block_of_a_page_runs_and_prints_what_it_shows(path, tmp_path):
    Page(tmp_path).run(path.read_text(encoding="utf-8"))


def test_metrics_are_what_the_page_computes_by_hand(tmp_path):
    page = (EXPLANATIONS / "metrics.md").read_text(encoding="utf-8")
    table = page.partition("| figure | search | by hand | value |\n")[2].partition("\n\n")[0]
    rows = list(BY_HAND.finditer(table))
    assert len(rows) == len(table.splitlines()) - 1 > 0, "a row of the table is not read"
    files = {block.title: block.text for block in blocks_of(page) if block.title}
    (tmp_path / "six.csv").write_text(files["six.csv"], encoding="utf-8")
    policy = yaml.safe_load(files["six.yml"])
    with contextlib.chdir(tmp_path):
        for row in rows:
            plan = kanon_sql.plan({**policy, "search": yaml.safe_load(row["search"])})
            by_hand = eval(row["sum"], dict(ARITHMETIC))  # no names but these
            assert figure_of(plan, row["part"]) == pytest.approx(by_hand, abs=1e-8), row["figure"]
            assert f"{by_hand:.4f}" == row["value"], row["figure"]


def figure_of(plan, part):
    """Give a figure of a plan: its cost, or the first or second part of it, or one by its name."""
    match part:
        case None | "first":
            return plan.cost[0]
        case "second":
            return plan.cost[1]
        case name:
            return plan.figures[name]


def test_every_algorithm_has_a_section_that_names_its_options():
    page = (EXPLANATIONS / "algorithms.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    listed = json.loads(called(["kanon-sql", "algorithms", "--json"]))["algorithms"]
    assert sections.keys() == {each["name"] for each in listed}
    for each in listed:
        named = set(re.findall(r"`(\w+)[`:]|[{ ](\w+): ", sections[each["name"]]))
        missing = each["options"].keys() - {name for pair in named for name in pair}
        assert not missing, each["name"]


def test_every_command_of_the_benchmarks_is_one(monkeypatch):
    read = argparse.ArgumentParser.parse_args

    def only_read(parser):
        read(parser)
        parser.exit(0)

    monkeypatch.syspath_prepend(DOCS.parent)
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_read)
    blocks = blocks_of((DOCS / "benchmarks.md").read_text(encoding="utf-8"))
    assert {block.kind for block in blocks} == {"sh"}
    for words in [words for block in blocks for words in commands(block.text)]:
        python, option, name, *given = words
        assert (python, option) == ("python", "-m")
        monkeypatch.setattr("sys.argv", [name, *given])
        with pytest.raises(SystemExit) as ended:
            importlib.import_module(name).main()
        assert ended.value.code == 0, words
