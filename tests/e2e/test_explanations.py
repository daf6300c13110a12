"""What pages of explanations and benchmarks say beyond their blocks is what the program does."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import math
import re
import shlex
import shutil

import pages
import pytest
import yaml
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main

ALGORITHMS, METRICS = "docs/explanation/algorithms.md", "docs/explanation/metrics.md"
BENCHMARKS = "docs/benchmarks.md"
SAMPLE = pages.ROOT / "kanon_sql" / "apps" / "sample"
BY_HAND = re.compile(
    r"^\| (?P<figure>[^|]+) \| `(?P<search>\{[^`]*\})`(?:, `?(?P<part>\w+)`?)? "
    r"\| `(?P<sum>[^`]+)` \| (?P<value>[\d.]+) \|$",
    re.MULTILINE,
)
ARITHMETIC = {"log2": math.log2, "max": max, "__builtins__": {}}


def files_of(name):
    """The files that a page has its readers write."""
    return {block.title: block.text for block in pages.blocks_of(name) if block.title is not None}


@pytest.mark.slow
def test_metrics_are_what_the_page_computes_by_hand(tmp_path):
    page = pages.text_of(METRICS)
    table = page.partition("| figure | search | by hand | value |\n")[2].partition("\n\n")[0]
    rows = list(BY_HAND.finditer(table))
    assert len(rows) == len(table.splitlines()) - 1 > 0, "a row of the table is not read"
    files = files_of(METRICS)
    (tmp_path / "six.csv").write_text(files["six.csv"], encoding="utf-8")
    policy = yaml.safe_load(files["six.yml"])
    found = {}
    with contextlib.chdir(tmp_path):
        for search in {row["search"] for row in rows}:
            found[search] = kanon_sql.plan({**policy, "search": yaml.safe_load(search)})
    for row in rows:
        by_hand = eval(row["sum"], dict(ARITHMETIC))  # no names but these
        figure = figure_of(found[row["search"]], row["part"])
        assert figure == pytest.approx(by_hand, abs=1e-8), row["figure"]
        assert f"{by_hand:.4f}" == row["value"], row["figure"]


def figure_of(plan, part):
    """A figure of a plan: its cost, or the first or second part of it, or one by its name."""
    match part:
        case None | "first":
            return plan.cost[0]
        case "second":
            return plan.cost[1]
        case name:
            return plan.figures[name]


def test_every_algorithm_has_a_section_that_names_its_options():
    sections = dict(
        re.findall(
            r"^### (\w+)\n(.*?)(?=^##|\Z)", pages.text_of(ALGORITHMS), re.MULTILINE | re.DOTALL
        )
    )
    listed = json.loads(CliRunner().invoke(main, ["algorithms", "--json"]).stdout)["algorithms"]
    assert sections.keys() == {each["name"] for each in listed}
    for each in listed:
        named = set(re.findall(r"\w+", sections[each["name"]]))
        assert each["options"].keys() <= named, each["name"]


def searches():
    """The keys of a policy that the page of algorithms shows, each beside its search."""
    if not (pages.ROOT / ALGORITHMS).is_file():
        return []
    found = [b.text for b in pages.blocks_of(ALGORITHMS) if b.kind == "yaml" and b.title is None]
    return [yaml.safe_load(text) for text in found]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "keys", searches(), ids=lambda keys: "-".join(map(str, keys["search"].values()))
)
def test_every_search_of_the_page_finds_a_recoding(keys, tmp_path):
    policy = yaml.safe_load(files_of(ALGORITHMS)["policy.yml"])
    for name in ("people.csv", "education.csv"):
        shutil.copy(SAMPLE / name, tmp_path)
    with contextlib.chdir(tmp_path):
        plan = kanon_sql.plan({**policy, **keys})
    assert plan.algorithm == keys["search"]["algorithm"]
    assert plan.smallest_class >= policy["privacy"]["k"]


def test_every_command_of_the_benchmarks_is_one(monkeypatch):
    read = argparse.ArgumentParser.parse_args

    def only_read(parser):
        read(parser)
        parser.exit(0)

    monkeypatch.syspath_prepend(pages.ROOT)
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_read)
    blocks = pages.blocks_of(BENCHMARKS)
    assert {block.kind for block in blocks} == {"sh"}
    for line in [line for block in blocks for line in block.text.splitlines()]:
        python, option, name, *given = shlex.split(line)
        assert (python, option) == ("python", "-m")
        monkeypatch.setattr("sys.argv", [name, *given])
        module = importlib.import_module(name)
        if hasattr(module, "__path__"):
            module = importlib.import_module(f"{name}.__main__")
        with pytest.raises(SystemExit) as ended:
            module.main()
        assert ended.value.code == 0, line
