"""A trial: three recodings of one sample by one loss, the same rows of each, and the policy that it leads to."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pytest
import yaml
from mondrian import STRICT

import kanon_sql
from kanon_sql.apps.getting_started import trial as trials
from kanon_sql.apps.getting_started.trial import SEARCHES, Trial, try_recodings, with_best_search

PEOPLE = """
    SELECT
      'id' || i AS name,
      CAST(20 + (i * 7919) % 61 AS INTEGER) AS age,
      printf('02%03d', (i * 104729) % 40) AS zip,
      DATE '2020-01-01' + CAST((i * 31) % 700 AS INTEGER) AS seen,
      CASE WHEN i % 3 = 0 THEN 'flu' ELSE 'cold' END AS disease
    FROM range(600) AS r(i)
"""


def policy(**more):
    return {
        "version": 1,
        "source": "not.parquet",
        "entity": "row",
        "columns": {
            "name": {"role": "identifying", "action": "drop"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}, "order": "number"},
            "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
            "seen": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}, "order": "date"},
            "disease": {"role": "sensitive"},
        },
        "privacy": {"k": 5},
        "suppression": "2%",
        **more,
    }


@pytest.fixture(scope="module", autouse=True)
def unhurried():
    """Time stands still and a search has hours, so that what a trial finds does not depend on the machine."""
    with pytest.MonkeyPatch.context() as context:
        context.setattr(trials, "time", SimpleNamespace(monotonic=lambda: 1_000.0))
        context.setattr(trials, "FOR_SEARCH", 1_000.0)
        yield


@pytest.fixture(scope="module")
def people():
    with duckdb.connect() as connection:
        return connection.sql(PEOPLE).to_arrow_table()


@pytest.fixture(scope="module")
def trial(people):
    return try_recodings(policy(), people)


def covers(label, value):
    """Whether a label of a column may stand for a value, as anybody reads it."""
    if label in {"*", str(value)}:
        return True
    if interval := re.fullmatch(r"\[(.+), (.+)([\])])", label):
        low, high, end = interval.groups()
        text = str(value).zfill(10)
        return low.zfill(10) <= text and (
            text < high.zfill(10) or (end == "]" and text == high.zfill(10))
        )
    return len(label) <= len(str(value)) and str(value).startswith(label.rstrip("*"))


@pytest.mark.slow
def test_three_recodings_are_compared_by_the_loss_that_compare_has(trial, people):
    names = [each.found.searched_by for each in trial.tried]
    assert names == ["optimal", "mondrian", "cells"]
    for search, each in ((STRICT, trial.tried[0]), ({"algorithm": "mondrian"}, trial.tried[2])):
        with_options = policy(search=search)
        names = [each.found.searched_by, "mondrian"]
        own, by_cuts = kanon_sql.compare(with_options, people, algorithms=names).searches
        assert each.found.ncp == own.ncp
        assert each.found.plan.classes == own.plan.classes
        assert trial.tried[1].found.ncp <= by_cuts.ncp
        if yaml.safe_load(trial.tried[1].search) == search:
            assert trial.tried[1].found.plan.classes == by_cuts.plan.classes
    assert trial.best.found.ncp == min(each.found.ncp for each in trial.tried)


def test_the_rows_are_the_same_of_the_source_in_each_recoding(trial, people):
    """An independent join: there are source rows that all labels of a row cover, in every recoding."""
    assert trial.columns == ("age", "zip", "seen")
    assert [len(each.rows) for each in trial.tried] == [5, 5, 5]
    source = [(row["age"], row["zip"], row["seen"]) for row in people.to_pylist()]
    taken = set()
    for labels in zip(*(each.rows for each in trial.tried), strict=True):
        found = {
            row
            for row in source
            if all(
                covers(label, value) for of in labels for label, value in zip(of, row, strict=True)
            )
        }
        assert found
        taken |= found
    assert len(taken) < len(source) / 2


@pytest.mark.slow
def test_where_all_recodings_release_values_the_rows_are_those_of_the_source(people):
    """Each row is there five times, so no label is coarser than a value: the rows can be told apart."""
    few = people.slice(0, 60)
    found = try_recodings(policy(suppression=0), pa.concat_tables([few] * 5))
    optimal, mondrian, cells = ([row[:2] for row in each.rows] for each in found.tried)
    source = {(str(row["age"]), row["zip"]) for row in few.to_pylist()}
    assert len(set(optimal)) > 1
    assert optimal == mondrian == cells
    assert set(optimal) <= source


@pytest.mark.slow
def test_the_rows_are_those_that_all_recodings_release(people):
    """Who is alone in everything is suppressed by one recoding, and shown of none."""
    alone = pa.table(
        {
            "name": ["alone"] * 4,
            "age": pa.array([99] * 4, pa.int32()),
            "zip": ["99999"] * 4,
            "seen": pa.array([dt.date(1999, 1, 1)] * 4, pa.date32()),
            "disease": ["rare"] * 4,
        }
    )
    few = pa.concat_tables([people.slice(0, 6), alone.cast(people.schema)])
    found = try_recodings(policy(suppression=4), few, shown=10)
    assert any(each.found.plan.suppressed_rows == 4 for each in found.tried)
    assert {len(each.rows) for each in found.tried} == {6}


@pytest.mark.slow
def test_labels_alone_are_printed_and_no_value_of_what_is_not_released(lab, people):
    write(lab, people)
    told = lab.done("suggest", "policy.yml")
    assert not any(value in told for value in ("id1", "flu", "cold"))
    assert re.findall(".*disease.*", told) == [
        "Share of rows with the most frequent value of disease, by age:"
    ]
    assert all(len(line) <= 80 for line in told.splitlines())
    is_told = "hidden #1 stands for a value of the table" in " ".join(told.split())
    assert is_told == bool(re.search("^  .*hidden #", told, re.MULTILINE))
    heads = re.compile("^  age +seen +zip$", re.MULTILINE)
    assert len(heads.findall(told)) == 4
    *_, search, for_counts, own_search, output = told.splitlines()
    assert search.startswith("search: {algorithm: mondrian")
    assert for_counts == "To release values for counts, write:"
    assert own_search.startswith("  search: {algorithm: mondrian")
    assert output == "  output: apportioned"
    without = lab.done("suggest", "policy.yml", "--no-rows")
    assert heads.findall(without) == []
    found = json.loads(lab.done("suggest", "policy.yml", "--json", "--sample", "300"))
    assert (found["rows"], found["of_rows"]) == (300, 600)


def test_one_level_a_column_is_named_where_it_errs_about_as_little(trial):
    one_level, mondrian, cells = trial.tried
    for error, serves in ((0.1, True), (0.12, True), (0.121, False)):
        tried = (
            replace(one_level, counts=(error, 1.0)),
            replace(mondrian, counts=(0.1, 1.0)),
            cells,
        )
        assert replace(trial, tried=tried).best is tried[1]
        assert replace(trial, tried=tried).one_level_serves is serves
        assert not replace(trial, tried=tried, values=True).one_level_serves
    assert not replace(trial, tried=(replace(one_level, counts=None), *tried[1:])).one_level_serves


@pytest.mark.slow
def test_what_a_trial_says_of_counts_is_what_quality_measures(people):
    """Of labels and of values alike; a policy that releases values has that recoding as its best."""
    found = try_recodings(policy(), people)
    of_values = policy(search={"algorithm": "mondrian"}, output="apportioned")
    asked = (
        (found.tried[0], policy(search={"algorithm": "optimal"})),
        (found.for_counts, of_values),
    )
    for tried, own in asked:
        plan = kanon_sql.plan(own, people)
        release = kanon_sql.apply(plan, people, policy=own).frame()
        of_release = kanon_sql.quality(release, people, plan=plan, policy=own).figures
        assert tried.counts == tuple(
            of_release[f"count_error{each}"] for each in ("", "_plain", "_tenth")
        )
    assert found.best in found.tried
    again = try_recodings(of_values, people)
    assert again.best is again.for_counts
    assert again.for_counts.counts == found.for_counts.counts
    assert again.tried[0].counts == found.tried[0].counts


@pytest.mark.slow
def test_what_a_trial_says_of_values_for_counts_can_be_written_as_it_is(lab, people):
    """Days have no order in what `init` writes for records: the policy needs one, and is told so."""
    asked = policy(privacy={"k": 8})
    del asked["columns"]["seen"]["order"]
    found = try_recodings(asked, people)
    output, order = found.for_counts.more
    asked |= yaml.safe_load(output.removesuffix(" before it"))
    entry, _, name = order.partition(" in the entry of ")
    asked["columns"][name] |= yaml.safe_load(f"{{{entry}}}")
    asked |= {"search": yaml.safe_load(found.for_counts.search)}
    plan = kanon_sql.plan(asked, people, examples=True)
    assert plan.classes == found.for_counts.found.plan.classes
    assert plan.figures["count_error"] == pytest.approx(found.for_counts.counts[0], rel=1e-3)
    assert found.summary()["for_counts"]["ncp"] is None
    assert try_recodings(asked, people).for_counts.more == ()


def write(lab, people, **more):
    duckdb.from_arrow(people).write_parquet(str(lab.folder / "not.parquet"))
    (lab.folder / "policy.yml").write_text(yaml.safe_dump(policy(**more)), encoding="utf-8")


def test_a_recoding_that_cannot_serve_the_policy_says_why_in_one_line(lab, people):
    columns = policy()["columns"]
    columns["age"] = {"role": "quasi", "order": "number"}
    write(lab, people, columns=columns, search={"algorithm": "mondrian"})
    found = json.loads(lab.done("suggest", "policy.yml", "--json"))
    optimal, mondrian, cells = found["tried"]
    assert "hierarchy" in optimal["error"]
    assert "hierarchy" in cells["error"]
    assert mondrian["error"] is None
    assert found["best"] == mondrian["search"]
    assert "\n" not in optimal["error"]


def test_a_policy_that_nothing_satisfies_is_infeasible(lab, people):
    write(lab, people, privacy={"k": 5, "distinct_l": {"column": "disease", "l": 3}})
    ended = lab.run("suggest", "policy.yml")
    assert ended.exit_code == 3


def test_the_time_of_all_searches_is_limited(people):
    found = try_recodings(policy(), people, time_limit=0.001)
    assert [each.found.status for each in found.tried] == ["out_of_time"] * 3
    assert all("--time-limit" in each.found.error for each in found.tried)
    assert found.best is None
    assert (
        with_best_search("search: {algorithm: optimal}\n", found)
        == "search: {algorithm: optimal}\n"
    )


@pytest.fixture
def no_time(monkeypatch):
    """Each search begins and is stopped at once: Mondrian has a recoding by then, the others none."""
    monkeypatch.setattr(trials, "FOR_SEARCH", 0.0)


def test_a_search_that_did_not_end_is_never_recommended(lab, people, no_time):
    write(lab, people)
    found = json.loads((ended := lab.run("suggest", "policy.yml", "--json")).stdout)
    assert ended.exit_code == 3
    assert (found["status"], found["best"]) == ("out_of_time", None)
    assert found["tried"][1]["ncp"] is not None
    assert [each["ended"] for each in found["tried"]] == [False] * 3
    told = lab.run("suggest", "policy.yml", "--no-rows")
    assert told.exit_code == 3
    assert "the time limit stopped this search before its end" in " ".join(told.stdout.split())
    assert "best" not in told.stdout
    assert "search:" not in told.stdout
    assert "no search came to its end" in told.stderr
    assert "--time-limit" in told.stderr


def test_init_leaves_the_search_where_no_trial_ended(lab, people, no_time):
    duckdb.from_arrow(people).write_parquet(str(lab.folder / "people.parquet"))
    plain = lab.done("init", "people.parquet", "-o", "-", "--known", "none")
    tried = lab.run("init", "people.parquet", "-o", "tried.yml", "--try", "--known", "none")
    assert tried.exit_code == 0
    assert "no search came to its end" in tried.stderr
    written = yaml.safe_load((lab.folder / "tried.yml").read_text(encoding="utf-8"))
    assert written.get("search") == yaml.safe_load(plain).get("search")


def test_the_best_is_of_those_that_ended_and_a_lower_loss_of_others_is_said(trial):
    optimal, mondrian, cells = trial.tried
    assert trial.best is mondrian
    stopped = replace(mondrian, found=replace(mondrian.found, plan=replace(mondrian.found.plan, checks_in_time=1)))  # fmt: skip
    late = replace(trial, tried=(optimal, stopped, cells))
    assert late.best is min((optimal, cells), key=lambda each: each.found.ncp)
    assert late.advice.startswith("mondrian may be better: less is lost already")
    written = with_best_search("a: 1\n", late)
    assert yaml.safe_load(written)["search"] == yaml.safe_load(late.best.search)
    assert "stopped this search" in written
    assert trial.advice == ""


def test_an_interrupt_prints_what_was_tried_before_it(lab, people, monkeypatch, trial):
    def interrupted(*_, on_tried, **__):
        on_tried(trial.tried[0])
        raise KeyboardInterrupt

    write(lab, people)
    monkeypatch.setattr("kanon_sql.apps.cli.commands.start.try_recodings", interrupted)
    ended = lab.run("suggest", "policy.yml")
    assert ended.exit_code == 130
    assert ended.stdout.startswith("search: {algorithm: optimal}  # loss 0.")


def test_init_tries_what_it_proposes_and_writes_the_best(lab, people):
    duckdb.from_arrow(people).write_parquet(str(lab.folder / "people.parquet"))
    told = lab.done("init", "people.parquet", "-o", "tried.yml", "--try")
    written = (lab.folder / "tried.yml").read_text(encoding="utf-8")
    read = yaml.safe_load(written)
    assert read["search"]["algorithm"] == "mondrian"
    assert written.count("# search: {") == 2
    assert "loss is the information loss (NCP, mean over cells)" in " ".join(told.split())
    assert "(best)" in told
    lab.done("lint", "tried.yml")
    again = lab.done("suggest", "people.parquet", "--no-rows")
    assert again.startswith("best: mondrian, regions")


def test_every_search_of_a_trial_is_one_that_a_policy_may_have():
    for entry in SEARCHES.values():
        kanon_sql.read_policy({**policy(), "search": yaml.safe_load(entry)})


def test_an_entry_of_several_lines_is_replaced_whole(trial):
    text = "a: 1\nsearch:\n  algorithm: optimal\n  metric: loss\nrelease: b\n"
    assert isinstance(trial, Trial)
    read = yaml.safe_load(with_best_search(text, trial))
    assert read == {"a": 1, "search": yaml.safe_load(trial.best.search), "release": "b"}
    without = yaml.safe_load(with_best_search("a: 1\n", trial))
    assert without == {"a": 1, "search": read["search"]}


def test_a_trial_without_time_for_its_last_search_is_printed(lab, people, monkeypatch):
    """The table was slow, and values for counts came too late: that is said, and no error of ours."""
    write(lab, people)
    own = trials._Trials.search

    def late(self, way, share):
        if way == trials.COUNTS:
            self.deadline = 0.0
        return own(self, way, share)

    monkeypatch.setattr(trials._Trials, "search", late)
    told = " ".join(lab.done("suggest", "policy.yml", "--no-rows", "--time-limit", "5m").split())
    assert "mondrian for counts, class values" in told
    assert "not possible: the time of the trial was over" in told


def test_days_of_two_years_are_counted_by_whole_years(people):
    """A tenth of what two years span is less than one, and no band has a part of a year."""
    asked = policy()
    asked["columns"]["zip"] = {"role": "identifying", "action": "drop"}
    table = next(each for each in try_recodings(asked, people).small if len(each.columns) > 1)
    assert table.columns == ("age", "seen")
    assert {row.bands[1] for row in table.rows} == {"2020", "2021"}
