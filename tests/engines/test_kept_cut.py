"""The cut of a table beside its plan: `apply` releases the same rows by it without a search, or refuses it."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from mondrian import STRICT
from people import people, policy_of_people, shown

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.recoding.multidimensional import kept_cut
from kanon_sql.recoding.multidimensional.apportioned_values import Apportioned
from kanon_sql.recoding.multidimensional.mondrian import MondrianSearch
from kanon_sql.recoding.multidimensional.runs import RunGrouping

NAME = "people_of_the_test"
WITH_L = [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}]
CASES = {
    "strict": {"search": STRICT},
    "by_loss": {"privacy": WITH_L, "search": {**STRICT, "choose": "loss"}},
    "relaxed": {"search": {"algorithm": "mondrian", "cuts": "relaxed"}},
    "runs": {"privacy": WITH_L, "search": {"algorithm": "mondrian"}},
    "runs_of_rows": {
        "entity": "row",
        "privacy": {"k": 3},
        "search": {"algorithm": "mondrian", "choose": "width", "runs": "equal"},
    },
    "sets": {"privacy": [{"k": 3}, {"k": 5, "over": ["age", "group"]}]},
    "bounded_sort": {"entity": "row", "search": {"algorithm": "order"}},
    "ranks": {"search": {**STRICT, "width": "ranks"}},
    "means": {"search": {**STRICT, "choose": "loss"}},
    "apportioned": {"output": "apportioned", "search": {"algorithm": "mondrian"}},
    "apportioned_cuts": {"output": "apportioned", "search": STRICT},
}
ON_SPARK = ("strict", "runs")


def table():
    return people(160)


def policy(case):
    """Lines of texts, numbers and days, and a tree, under names that need quotes."""
    given = policy_of_people(search=STRICT)
    columns = {
        **given["columns"],
        "na me": {"role": "identifying", "action": "drop"},
        "zip": {"role": "quasi", "order": "text"},
        "age": {"role": "quasi", "order": "number"},
        "height": {"role": "quasi", "order": "number"},
        "born": {"role": "quasi", "order": "date"},
    }
    if case == "bounded_sort":  # one sort of rows that are cut at a level before
        columns["member"] = {**columns["member"], "levels": {"most": 0}}
    if case == "means":
        columns["age"]["output"], columns["height"]["output"] = "mean", "median"
    if case.startswith("apportioned"):
        columns["height"] |= {"snap": 2.5, "rare": "show"}
        columns["born"]["rare"] = "show"
    return {**given, "columns": columns, **CASES[case]}


@pytest.fixture
def of_any_size(monkeypatch):
    """Keep the cuts of small tables too."""
    monkeypatch.setattr(kept_cut, "KEPT_FROM", 1)


@pytest.fixture
def unsearched(monkeypatch):
    """Fail where a table is cut, or runs of rows or values for all regions are chosen."""

    def search(*_, **__):
        pytest.fail("the table was cut again")

    return lambda: [
        monkeypatch.setattr(MondrianSearch, "partition", search),
        monkeypatch.setattr(RunGrouping, "least_loss", search),
        monkeypatch.setattr(RunGrouping, "merged", search),
        monkeypatch.setattr(Apportioned, "start", search),
    ]


def planned(place, case, folder):
    """Plan a case into a folder; return the plan and the stem of the files beside it."""
    stem = str(folder / "people.boundaries")
    return kanon_sql.plan(policy(case), connection=place.connection, boundaries=stem), stem


def applied(place, case, plan):
    """Carry a plan out; return the released rows as a bag."""
    made = kanon_sql.apply(plan, policy=policy(case), connection=place.connection, release="boxed")
    assert made.verification.passed
    rows = shown(place.read("boxed"))
    place.drop("boxed")
    return rows


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CASES)
def test_a_plan_is_carried_out_by_its_kept_cut(place, case, tmp_path, of_any_size, unsearched):
    if place.name == "spark" and case not in ON_SPARK:
        pytest.skip("tested on the other engines")
    place.put(NAME, table())
    before = place.left()
    plan, _ = planned(place, case, tmp_path)
    again = applied(place, case, replace(plan, cut_file=None))
    assert Path(plan.cut_file).exists()
    unsearched()
    assert applied(place, case, plan) == again
    assert place.left() == before
    place.drop(NAME)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", ["strict", "runs", "apportioned"])
def test_a_plan_of_this_process_is_carried_out_without_a_search(
    place, case, of_any_size, unsearched
):
    if place.name == "spark" and case not in ON_SPARK:
        pytest.skip("tested on the other engines")
    place.put(NAME, table())
    plan = kanon_sql.plan(policy(case), connection=place.connection)
    folder = Path(plan.origin.folder.path)
    again = applied(place, case, replace(plan, origin=None))
    unsearched()
    assert applied(place, case, replace(plan)) == again
    assert plan.cut_file is None
    del plan
    gc.collect()
    assert not folder.exists()
    place.drop(NAME)


@pytest.fixture
def duck(places):
    own = places("duckdb")
    own.put(NAME, table())
    yield own
    own.drop(NAME)


def read(path):
    return pyarrow.parquet.read_table(path)


def write(path, found):
    pyarrow.parquet.write_table(found, path)


def test_the_file_has_whole_numbers_and_the_hash_of_the_regions_alone(duck, tmp_path, of_any_size):
    plan, _ = planned(duck, "runs", tmp_path)
    found = read(plan.cut_file)
    assert found.column_names == list(kept_cut.COLUMNS)
    assert {str(each.type) for each in found.schema if each.name != "plan"} == {"int64"}
    (of,) = set(found.column("plan").to_pylist())
    assert of == f"{plan.recoding.digest}, places {kept_cut.NUMBERING}"
    assert plan.recoding.regions == sum(
        child is None for child in found.column("child").to_pylist()
    )


@pytest.mark.parametrize("column", ["low", "child"])
def test_a_cut_that_leads_elsewhere_is_refused(duck, tmp_path, of_any_size, column):
    plan, _ = planned(duck, "runs", tmp_path)
    found = read(plan.cut_file)
    at = found.column_names.index(column)
    moved = [
        None if each is None else each + (n % 3 == 0)
        for n, each in enumerate(found.column(column).to_pylist())
    ]
    write(plan.cut_file, found.set_column(at, column, pa.array(moved, pa.int64())))
    before = duck.left()
    with pytest.raises(
        kanon_sql.StalePlanError, match=r"people\.cut\.parquet.*delete it, and the source is cut"
    ):
        applied(duck, "runs", plan)
    assert duck.left() == before
    Path(plan.cut_file).unlink()
    assert applied(duck, "runs", plan)


@pytest.mark.parametrize("of", [0, 99])
def test_a_cut_to_fewer_regions_than_depths_or_to_none_is_refused(duck, tmp_path, of_any_size, of):
    plan, _ = planned(duck, "strict", tmp_path)
    found = read(plan.cut_file)
    one = found.slice(0, 1)
    region = one.column("region").to_pylist()[0] if of == 0 else of
    at = one.column_names.index("region")
    write(plan.cut_file, one.set_column(at, "region", pa.array([region], pa.int64())))
    with pytest.raises(kanon_sql.StalePlanError, match="does not lead to the regions of the plan"):
        applied(duck, "strict", plan)


def test_a_kept_value_that_is_not_the_plan_s_is_refused(duck, tmp_path, of_any_size):
    plan, _ = planned(duck, "apportioned", tmp_path)
    found = read(plan.cut_file).to_pylist()
    shown = [each for each in found if each["child"] is None and each["axis"] is not None]
    first = shown[0]
    first["high"] += -1 if first["high"] else 1
    write(plan.cut_file, pa.Table.from_pylist(found, read(plan.cut_file).schema))
    with pytest.raises(kanon_sql.StalePlanError, match=r"people\.cut\.parquet.*delete it"):
        applied(duck, "apportioned", plan)


def test_a_file_without_the_values_that_regions_show_is_not_used(duck, tmp_path, of_any_size):
    """An earlier version wrote such."""
    plan, _ = planned(duck, "apportioned", tmp_path)
    expected = applied(duck, "apportioned", plan)
    found = read(plan.cut_file)
    rows = found.to_pylist()
    without = [each for each in rows if each["child"] is not None or each["axis"] is None]
    assert len(without) < len(rows)
    write(plan.cut_file, pa.Table.from_pylist(without, found.schema))
    assert applied(duck, "apportioned", plan) == expected


def test_a_cut_of_another_plan_is_not_used(duck, tmp_path, of_any_size):
    plan, _ = planned(duck, "runs", tmp_path)
    expected = applied(duck, "runs", plan)
    other = kanon_sql.plan(
        policy("runs"),
        connection=duck.connection,
        overrides={"k": 7},
        boundaries=str(tmp_path / "other.boundaries"),
    )
    Path(other.cut_file).replace(plan.cut_file)
    assert applied(duck, "runs", plan) == expected


def test_a_cut_of_other_numbers_is_not_used(duck, tmp_path, of_any_size, monkeypatch):
    """A version that numbers places otherwise would read other regions in the file of this one."""
    plan, _ = planned(duck, "runs", tmp_path)
    expected = applied(duck, "runs", plan)
    searched = []
    partition = MondrianSearch.partition
    noted = lambda *given, **more: searched.append(1) or partition(*given, **more)  # noqa: E731  counts its calls
    monkeypatch.setattr(MondrianSearch, "partition", noted)
    assert applied(duck, "runs", plan) == expected
    assert not searched
    monkeypatch.setattr(kept_cut, "NUMBERING", "from the highest bit")
    assert applied(duck, "runs", plan) == expected
    assert searched


def test_a_file_that_cannot_be_read_is_an_error(duck, tmp_path, of_any_size):
    plan, _ = planned(duck, "runs", tmp_path)
    Path(plan.cut_file).write_text("not Parquet", encoding="utf-8")
    with pytest.raises(kanon_sql.StalePlanError, match=r"cannot be read.*delete it") as error:
        applied(duck, "runs", plan)
    assert "not Parquet" not in str(error.value)


def test_a_file_of_other_columns_is_not_used(duck, tmp_path, of_any_size):
    plan, _ = planned(duck, "runs", tmp_path)
    expected = applied(duck, "runs", plan)
    write(plan.cut_file, read(plan.cut_file).drop_columns(["child"]))
    assert applied(duck, "runs", plan) == expected


def test_a_changed_source_is_noticed_as_without_it(duck, tmp_path, of_any_size):
    plan, _ = planned(duck, "runs", tmp_path)
    duck.put(NAME, table().slice(1))
    with pytest.raises(kanon_sql.StalePlanError, match="changed since the plan was made"):
        applied(duck, "runs", plan)


@pytest.mark.parametrize("rows", [kept_cut.KEPT_FROM, 2_000])
def test_a_command_keeps_the_cut_of_a_table_that_is_slow_to_cut(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.sql(
            f'SELECT n % 97 AS "age \'", hash(n) % 1000 AS zip, n % 7 AS sick FROM range({rows}) AS r(n)'
        ).write_parquet("people.parquet")
    Path("people.yml").write_text(
        "version: 1\nsource: people.parquet\nrelease: out.parquet\nentity: row\n"
        'columns:\n  "age \'": {role: quasi, order: number}\n  zip: {role: quasi, order: number}\n'
        "  sick: {role: sensitive}\nprivacy: [{k: 5}, {distinct_l: {column: sick, l: 2}}]\n"
        "search: {algorithm: mondrian}\n",
        encoding="utf-8",
    )
    run = CliRunner()
    told = run.invoke(main, ["plan", "people.yml"], catch_exceptions=False)
    assert told.exit_code == 0, told.output
    kept = rows == kept_cut.KEPT_FROM
    assert Path("people.plan.cut.parquet").exists() == kept
    assert ("people.plan.cut.parquet" in told.output) == kept
    if not kept:
        return
    for name in ("partition", "_cut_on"):
        monkeypatch.setattr(MondrianSearch, name, None)
    told = run.invoke(main, ["apply", "people.plan.yml"], catch_exceptions=False)
    assert told.exit_code == 0, told.output


@pytest.mark.slow
@pytest.mark.parametrize("case", ["ranks", "runs"])
def test_an_explanation_is_the_same_by_the_kept_cut(duck, case, tmp_path, of_any_size):
    plan, _ = planned(duck, case, tmp_path)
    asked = {"policy": policy(case), "connection": duck.connection}
    with_it, without = (
        kanon_sql.explain(each, **asked).document() for each in (plan, replace(plan, cut_file=None))
    )
    assert with_it["statements"] < without["statements"]
    for told in (with_it, without):
        for what in ("statements", "rows_scanned", "rows_fetched", "seconds"):
            told.pop(what)
    assert with_it == without
