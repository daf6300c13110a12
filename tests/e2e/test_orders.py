"""Orders of values and boxes, from the command line: what is refused, and how it is said."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner
from mondrian import STRICT

from kanon_sql.apps.cli.command_line import main
from kanon_sql.counting.run import session

pytestmark = pytest.mark.sampled(3)

ROWS = """age;born;size;word;disease
31;2001-02-03;small;é;flu
32;2001-02-04;large;a;cold
33;2001-03-04;small;B;flu
44;1999-01-01;large;b;cold
;1999-01-02;large;;flu
46;1950-12-31;small;z;cold
"""
POLICY = """version: 1
source: people.csv
entity: row
columns:
  age: {role: quasi, order: number, output: bounds}
  born: {role: quasi, order: date}
  size: {role: quasi, order: [small, large]}
  word: {role: quasi, order: text}
  disease: {role: sensitive}
privacy: {k: 2}
search: {algorithm: mondrian}
release: out.csv
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(ROWS, encoding="utf-8")

    def call(*args, old="", new="", rows=None, code=0, strict=False):
        assert old in POLICY
        text = POLICY.replace(old, new)
        if strict:
            text = text.replace("{algorithm: mondrian}", str(STRICT))
        (tmp_path / "policy.yml").write_text(text, encoding="utf-8")
        if rows is not None:
            (tmp_path / "people.csv").write_text(rows, encoding="utf-8")
        result = CliRunner().invoke(main, args)
        assert result.exit_code == code, result.output
        return result.output

    return call


def test_a_table_is_cut_into_boxes(run, tmp_path):
    said = run("anonymize", "policy.yml")
    assert "2 equivalence classes" in said or "3 equivalence classes" in said
    names, *rows = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert names.split(",")[:2] == ["age_low", "age_high"]
    assert len(rows) == 6


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "order: number, output: bounds",
            "order: name",
            "must be one of number, date, text, alphabetical, frequency, list",
        ),
        ("order: number, output: bounds", "order: list", "list the values themselves"),
        ("[small, large]", "[]", "lists no value"),
        ("[small, large]", "[small, small]", "names one value 2 times: entries 1, 2"),
        ("order: text}", "order: text, output: bounds}", "bounds goes with"),
        ("order: text}", "order: text, output: mean}", "mean goes with order: number"),
        ("order: number, output: bounds", "order: number, snap: 5, output: mean", "without snap"),
        ("order: number, output: bounds", "order: number, snap: 0", "must be more than 0"),
        ("order: date}", "order: date, snap: week}", "must be one of day, month, quarter, year"),
        ("order: text}", "order: text, snap: day}", "goes with order: number or date"),
        ("{role: sensitive}", "{role: insensitive, order: text}", "goes with role: quasi"),
        ("{role: sensitive}", "{role: sensitive, order: text}", "which only t_closeness with"),
        (
            "mondrian}",
            "optimal}",
            "line 6: columns.born: has an order, and optimal needs a hierarchy",
        ),
        (
            "order: number,",
            "hierarchy: {intervals: [5]},",
            "nodes of hierarchies are released as labels",
        ),
        ("mondrian}", "mondrian, recoding: local}", "cannot be combined with mondrian"),
        ("mondrian}", "mondrian, weights: {age: 0}}", "must be more than 0"),
        ("mondrian}", "mondrian, weights: {disease: 1}}", "disease is not a quasi-identifier"),
        ("mondrian}", "optimal, at: median}", "goes with algorithm: mondrian"),
        ("mondrian}", "optimal, cuts: relaxed}", "goes with algorithm: mondrian"),
        ("mondrian}", "mondrian, choose: entropy}", "must be one of width, loss"),
        ("mondrian}", "mondrian, choose: information}", "needs target: the column"),
        ("mondrian}", "mondrian, choose: variance, target: age}", "role sensitive or insensitive"),
        ("mondrian}", "mondrian, target: disease}", "goes with choose: information or variance"),
        ("mondrian}", "mondrian, choose: loss, at: median}", "as choose: loss does"),
        ("mondrian}", "mondrian, cuts: relaxed, choose: loss}", "or use choose: width"),
        ("mondrian}", "mondrian, cuts: relaxed, grouping: order}", "goes with grouping: cuts"),
        ("mondrian}", "mondrian, grouping: cuts, runs: equal}", "goes with grouping: order"),
        ("mondrian}", "order, choose: loss}", "goes with algorithm: mondrian"),
    ],
)
def test_what_cannot_be_is_a_fault_of_the_policy(run, old, new, told):
    assert told in run("lint", "policy.yml", old=old, new=new, code=1)


def test_a_target_that_is_no_number_is_told_of_before_anything_is_cut(run):
    """By variance alone; and how it is said has no value of it."""
    search = {"choose": "variance", "target": "disease"}
    asked = f"mondrian, {', '.join(f'{key}: {value}' for key, value in search.items())}}}"
    for command in ("lint", "plan"):
        said = run(command, "policy.yml", old="mondrian}", new=asked, code=1)
        assert "search.target: 2 distinct values are not numbers" in said
        assert "flu" not in said
    told = asked.replace("variance", "information")
    assert "classes" in run("plan", "policy.yml", old="mondrian}", new=told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("33;", "x33;", "line 5: columns.age.order: 1 distinct value is no number"),
        (
            "1999-01-01",
            "soon",
            "line 6: columns.born.order: 1 distinct value is no finite date",
        ),
        (
            "large;a",
            "LARGE;a",
            "line 7: columns.size.order: 1 distinct value is not in its list",
        ),
    ],
)
def test_values_without_a_place_are_counted_and_not_shown(run, old, new, told):
    said = run("lint", "policy.yml", rows=ROWS.replace(old, new), code=1)
    assert told in said
    assert new.strip(";") not in said


def test_nulls_may_be_refused(run):
    said = run("lint", "policy.yml", old="release:", new="nulls: refuse\nrelease:", code=1)
    assert "line 5: columns.age.order: 1 row is NULL" in said
    assert "line 8: columns.word.order: 1 row is NULL" in said


def test_what_no_region_reaches_is_infeasible(run):
    said = run(
        "plan",
        "policy.yml",
        old="{k: 2}",
        new="{k: 2, distinct_l: {column: disease, l: 3}}",
        code=3,
    )
    assert "2 distinct values of disease" in said
    assert "ask for at most 2" in said


def test_another_algorithm_needs_hierarchies(run):
    said = run("plan", "policy.yml", "--algorithm", "optimal", code=1)
    assert "columns.age" in said
    assert "needs a hierarchy" in said


def test_boxes_are_compared_and_explained(run):
    run("plan", "policy.yml")
    assert "What each column loses" in run("explain", "policy.plan.yml")
    assert "kanon_boundaries" in run("compile", "policy.plan.yml")
    assert "has no boundaries" in run("plan", "policy.yml", "--sql", code=1)
    told = json.loads(run("compare", "policy.yml", "--json", "--algorithms", "mondrian,datafly"))
    boxes, other = told["searches"]
    assert boxes["feasible"]
    assert "columns.born, columns.size, columns.word: has an order" in other["error"]


def test_what_time_allowed_is_released_and_said_to_be_cut_short(run, tmp_path, monkeypatch):
    times = iter([0.0, 0.0, 9.0])
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: next(times, 9.0)))
    strict = {"old": "{k: 2}", "new": "{k: 1}", "strict": True}
    said = run("plan", "policy.yml", "--time-limit", "5s", **strict)
    assert "2 regions, at most 1 cut deep" in said
    assert "cut as often as its time allowed" in said
    plan = yaml.safe_load((tmp_path / "policy.plan.yml").read_text(encoding="utf-8"))
    assert plan["search"]["checks_in_time"] == 1
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    said = run("apply", "policy.plan.yml", **strict)
    assert "6 rows in 2 equivalence classes" in said


def test_a_plan_of_other_boxes_is_refused(run, tmp_path):
    run("plan", "policy.yml")
    plan = tmp_path / "policy.plan.yml"
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace("digest: hmac-sha256:", "digest: hmac-sha256:1"), encoding="utf-8")
    assert "recoding.boxes" in run("apply", "policy.plan.yml", code=1)
    assert not (tmp_path / "out.csv").exists()


def test_numbers_of_many_digits_stand_in_their_order(run, tmp_path):
    """All that are below 10^15 are told apart, to fifteen places."""
    ages = ["123456789012345.5", "99999999", "-999999999999999", "123456789012345.25", "1e8", "5"]
    rows = ROWS.splitlines()
    told = [row.partition(";")[2] for row in rows[1:]]
    text = "\n".join([rows[0], *(f"{age};{rest}" for age, rest in zip(ages, told, strict=True))])
    run("anonymize", "policy.yml", rows=text + "\n")
    released = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
    bounds = {tuple(row.split(",")[:2]) for row in released}
    known = sorted(map(float, ages))
    assert all(known.index(float(low)) <= known.index(float(high)) for low, high in bounds)
    assert {float(low) for low, _ in bounds} >= {known[0]}
    assert {float(high) for _, high in bounds} >= {known[-1]}


UNITS = {
    None: ("2020-02-01", "2020-04-30"),
    "day": ("2020-02-29", "2020-04-01"),
    "month": ("2020-02-01", "2020-04-30"),
    "quarter": ("2020-01-01", "2020-06-30"),
    "year": ("2020-01-01", "2020-12-31"),
}


@pytest.mark.parametrize("output", ["bounds", "labels"])
@pytest.mark.parametrize("snap", UNITS)
def test_bounds_of_dates_are_whole_units(run, tmp_path, output, snap):
    """A time of day, or a day, is one person's as often as not; without a word it is the month."""
    moments = ["2020-02-29 08:15:00", "2020-03-01 09:30:00", "2020-04-01T23:59:00"]
    rows = [f"{30};{moment};small;a;flu" for moment in moments]
    text = "\n".join([ROWS.splitlines()[0], *rows]) + "\n"
    said = f", snap: {snap}" if snap else ""
    run("anonymize", "policy.yml", rows=text, old="{role: quasi, order: date}",
        new=f"{{role: quasi, order: date, output: {output}{said}}}")  # fmt: skip
    names, *released = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    low, high = UNITS[snap]
    shown = f"{low},{high}" if output == "bounds" else f'"[{low}, {high}]"'
    assert len(released) == 3
    assert all(shown in row and ":" not in row for row in released)
    assert ("born_low" in names) == (output == "bounds")


@pytest.mark.parametrize(
    ("step", "shown"),
    [("5", {"[30, 35)", "[40, 50)"}), ("2.5", {"[30.0, 32.5)", "[32.5, 47.5)"})],
)
def test_numbers_are_told_by_steps_where_asked(run, tmp_path, step, shown):
    rows = "\n".join(row for row in ROWS.splitlines() if not row.startswith(";")) + "\n"
    run(
        "anonymize",
        "policy.yml",
        rows=rows,
        old="number, output: bounds",
        new=f"number, snap: {step}",
        strict=True,
    )
    _, *released = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert {row.split('"')[1] for row in released} == shown
