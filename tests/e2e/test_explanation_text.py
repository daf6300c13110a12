"""`str()` of an explanation is what `explain` prints, and only what is asked for takes a search."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import kanon_sql

HOSTILE = 'the "age"\x1b[31m'
ROWS = 120
TABLE = pa.table(
    {
        HOSTILE: [20 + n % 40 for n in range(ROWS)],
        "select": ["ab"[n % 2] for n in range(ROWS)],
        "ill": ["xyz"[n % 3] for n in range(ROWS)],
    }
)


@pytest.fixture(scope="module")
def policy():
    found = kanon_sql.suggest(TABLE, quasi=[HOSTILE, "select"], sensitive="ill", k=4, l=2)
    found["columns"][HOSTILE]["hierarchy"] = {"intervals": [5, 10, 20]}
    return found


@pytest.fixture(scope="module")
def of_regions(policy):
    return kanon_sql.plan({**policy, "search": {"algorithm": "mondrian"}}, TABLE)


@pytest.fixture(scope="module")
def of_lattice(policy):
    return kanon_sql.plan({**policy, "search": {"algorithm": "optimal"}}, TABLE)


def check_text(explained):
    text = str(explained)
    assert text.count("\n") > 15
    assert all(line.isprintable() for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) <= 80
    assert repr(explained).startswith(f"<{type(explained).__name__}: ")
    assert "\n" not in repr(explained)
    return text


@pytest.mark.parametrize("kind", ["of_regions", "of_lattice"])
def test_every_section_and_figure_of_the_command_is_in_the_text(kind, request, lab, policy):
    plan = request.getfixturevalue(kind)
    pq.write_table(TABLE, lab.folder / "people.parquet")
    own = {**policy, "source": "people.parquet", "release": "out.parquet"}
    own["search"] = {"algorithm": plan.algorithm}
    (lab.folder / "own.yml").write_text(yaml.safe_dump(dict(own)))
    lab.done("plan", "own.yml", "--no-rows")
    printed = lab.done("explain", "own.plan.yml")
    explained = kanon_sql.explain(lab.folder / "own.plan.yml")
    text = check_text(explained)
    titles = [each for each in printed.splitlines() if re.fullmatch(r"[A-Z][^.;:]+", each)]
    assert len(titles) >= 5
    for title in titles:
        assert title in text.splitlines()
    figures = re.compile(r"\d[\d.,]*\d%?|\d")
    assert set(figures.findall(printed)) <= set(figures.findall(text))


def test_regions_are_cut_under_few_k_unless_all_are_asked_for(of_regions):
    few, many = of_regions.explain(), of_regions.explain(all_k=True)
    assert [each.k for each in few.other_k] == [2, 4, 8]
    assert {each.k for each in many.other_k} == {2, 3, 4, 5, 8, 10, 25, 50, 100}
    assert set(few.other_k) <= set(many.other_k)
    assert "--all-k searches k from 2 to 100" in str(few)
    assert "--all-k" not in str(many)


def test_a_report_searches_the_nearest_k_unless_it_is_asked_to_search(of_regions):
    few, many = of_regions.report(), of_regions.report(search=True)
    assert [each.k for each in few.cuts] == [2, 3, 4, 5]
    assert {each.k for each in few.cuts} < {each.k for each in many.cuts}
    assert [each for each in many.cuts if each.k in {2, 3, 4, 5}] == list(few.cuts)
