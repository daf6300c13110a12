"""Regions, intervals and several nodes as dbt models: the rows that `apply` releases, and every test of the channel."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing

import duckdb
import pytest

import kanon_sql
from tests.dbt.recoded_projects import (
    AGE,
    CUTS,
    DROPPED,
    LEVELS,
    LINES,
    NAMED,
    OF_MODEL,
    TREES,
    ask,
    own_policy,
    recoded,
)

PRIVATE = "seeds/kanon_private/kanon_{}_anonymized_boundaries.csv"
AS_APPLY = [each for each in OF_MODEL if each != "overlapping"]


def planned(project, models, **changes):
    recoded(project, models, **changes)
    project.dbt("build")
    project.told = " ".join(project.kanon("dbt", "plan", ".").split())
    return project


def rows_of(project, table, order=()):
    """The rows of a table, its columns in an order of ours: a model has them as its properties list them."""
    found = [name for name, *_ in project.execute(f"DESCRIBE {table}")]
    names = [*order] or found
    assert set(names) == set(found)
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    return names, Counter(project.execute(f"SELECT {listed} FROM {table}"))


def applied(project, model, **options):
    """What our own engine releases of the same rows, by a plan of its own."""
    path, policy = str(project.folder / "patients.duckdb"), own_policy(project, model)
    file = str(project.folder.parent / f"{model}.plan.yml")
    with closing(duckdb.connect(path, read_only=True)) as connection:
        plan = kanon_sql.plan(policy, model, connection=connection, boundaries=file)
        with kanon_sql.apply(
            plan, model, policy=policy, connection=connection, **options
        ) as release:
            return release.relation.columns, Counter(release.relation.fetchall())


@pytest.fixture(scope="module")
def built(dbt, tmp_path_factory):
    from tests.dbt.conftest import Project

    project = planned(Project(tmp_path_factory.mktemp("recoded")), OF_MODEL)
    project.dbt("build")
    return project


def test_every_test_of_the_channel_passes(built):
    assert set(built.results().values()) <= {"success", "pass"}
    tests = [name for name in built.results() if name.startswith("test.")]
    assert sum("kanon_k_anonymity" in name for name in tests) == len(OF_MODEL)
    assert sum("kanon_in_regions" in name for name in tests) == 3
    checked = json.loads(built.kanon("dbt", "check", "--json"))["plans"]
    assert [each["faults"] for each in checked] == [[]] * len(OF_MODEL)


@pytest.mark.parametrize("model", AS_APPLY)
def test_a_build_releases_what_apply_does(built, model):
    names, rows = applied(built, model)
    assert rows_of(built, f"{model}_anonymized", names)[1] == rows
    told = built.kanon("dbt", "check", "--json", "--select", model)
    (checked,) = json.loads(told)["plans"]
    assert checked["suppressed_rows"] == checked["rows"] - rows.total()
    quasi = [*OF_MODEL[model][0]]
    at = [
        n
        for n, name in enumerate(names)
        if name.removesuffix("_low").removesuffix("_high") in quasi
    ]
    classes = Counter()
    for row, many in rows.items():
        classes[tuple(row[n] for n in at)] += many
    assert len(classes) > 10
    assert min(classes.values()) >= 5


def test_regions_that_overlap_are_those_of_new_rows(built):
    """A row goes to the narrowest region that contains it, as later rows do, and as the check counts."""
    names, rows = applied(built, "overlapping", to_new_rows=True)
    assert rows_of(built, "overlapping_anonymized", names)[1] == rows
    told = json.loads(built.kanon("dbt", "check", "--json", "--select", "overlapping"))
    assert told["plans"][0]["suppressed_rows"] == 600 - rows.total() > 0
    assert f"{600 - rows.total()} of 600 rows are suppressed by that" in built.told


def test_raw_values_are_in_the_private_folders_alone(built):
    """Bounds and hierarchies are in files of the private folders; what the release's folder has is levels and names."""
    files = built.taken()
    assert {PRIVATE.format(each) for each in AS_APPLY[:3]} <= set(files)
    jobs = {
        line.split(";")[0] for line in (built.folder / "hierarchies/jobs.csv").read_text().split()
    }
    for name, text in files.items():
        if "kanon_private" not in name and not name.startswith("kanon/"):
            assert not {each for each in jobs if each in text}, name
            assert "02138" not in text, name


def test_rows_in_no_region_are_suppressed_or_fail_and_classes_that_shrink_are_not_released(project):
    planned(project, ["by_regions"], without_entry="warn")
    project.dbt("build")
    _, before = rows_of(project, "by_regions_anonymized")
    far = "INSERT INTO raw_patients SELECT 9000 + i, 'Z', 'm', DATE '1700-01-01', '02138', 'cook', 'flu', DATE '2026-03-01' FROM range(9) AS r (i)"
    project.execute(far)
    told = project.dbt("build", "--exclude", "raw_patients")
    assert "Got 1 result, configured to warn" in told
    assert rows_of(project, "by_regions_anonymized")[1] == before
    assert "9 of them have a value without an entry in its hierarchy" in project.kanon(
        "dbt", "check"
    )
    ask(project, "by_regions", without_entry="error")
    project.dbt("parse")
    told = project.kanon("dbt", "check", code=4)
    assert "9 rows have no region, interval or entry" in told
    project.kanon("dbt", "plan", ".")  # by which the nine lie in regions
    assert "0 of 609" in project.kanon("dbt", "check")
    project.execute("UPDATE raw_patients SET born = DATE '2200-01-01' WHERE patient_id >= 9000")
    project.dbt("build", "--exclude", "raw_patients", fails=True)
    project.execute("DELETE FROM raw_patients WHERE patient_id >= 9000 OR patient_id % 2 = 0")
    project.dbt("build", "--exclude", "raw_patients", fails=True)
    results = {name.split(".")[2]: status for name, status in project.results().items()}
    (suppression,) = [each for each in results if each.startswith("kanon_suppression")]
    assert results[suppression] == "fail"  # and no class is smaller than k
    assert all(s == "pass" for name, s in results.items() if name.startswith("kanon_k_anonymity"))
    assert "would suppress" in project.kanon("dbt", "check", code=4)


def test_boundaries_that_are_not_the_plan_s_are_told(project):
    planned(project, ["by_regions"])
    file = project.folder / PRIVATE.format("by_regions")
    text = file.read_text()
    header, first, *rest = text.splitlines()
    for other in (
        "\n".join([header, *rest, ""]),
        text.replace(first, first.replace(",", ";", 1)),
        "",
    ):
        file.write_text(other)
        told = " ".join(project.kanon("dbt", "check", code=4).split())
        assert "is not what the plan says" in told or "are not those of the plan" in told
        assert "02138" not in told
    file.unlink()
    assert "is missing" in project.kanon("dbt", "check", code=4)


def test_later_rows_come_into_the_regions_of_earlier_ones(project):
    """An incremental release by regions: no class grows by fewer people than k."""
    columns = TREES | {"born": LINES["born"]} | NAMED
    columns[AGE] = DROPPED  # dbt itself does not insert into a column with a quote in its name
    planned(project, ["by_regions"], loaded_at="loaded_on", columns=columns)
    for day in ("2026-03-05", "2026-03-31"):
        project.dbt("build", "--vars", f"{{until: '{day}'}}")
    counts = project.execute(
        "SELECT COUNT(*) FROM by_regions_anonymized"
        " GROUP BY sex, zip, job, born_low, born_high, kanon_released_at"
    )
    assert min(rows for (rows,) in counts) >= 5
    assert len(project.execute("SELECT DISTINCT kanon_released_at FROM by_regions_anonymized")) == 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"search": {"algorithm": "mondrian"}, "loaded_at": "loaded_on"}, "say grouping: cuts"),
        ({"search": {"recoding": "local"}, "loaded_at": "loaded_on", "columns": LEVELS}, "cannot release rows at several nodes"),
        ({"search": {"algorithm": "mu_argus"}, "columns": LEVELS}, "keep or suppress each class by itself"),
        ({"columns": {AGE: TREES[AGE] | {"output": "median"}}}, "not what the rows of a class have together"),
        ({"columns": {"zip": LINES["zip"] | {"order": "frequency"}}}, "say order: text"),
        ({"search": {"algorithm": "order"}}, "more than the 0 that may be"),
    ],
)  # fmt: skip
def test_what_no_model_can_release_is_refused_with_its_reason(asked, changes, told):
    columns = LINES | changes.pop("columns", {}) | NAMED
    ask(asked, "by_regions", **{"search": CUTS, "suppression": 0} | changes, columns=columns)
    asked.dbt("parse")
    assert told in " ".join(asked.kanon("dbt", "plan", ".", code=1).split())
    assert asked.taken() == {}


@pytest.fixture(scope="module")
def asked(dbt, tmp_path_factory):
    from tests.dbt.conftest import Project

    project = recoded(Project(tmp_path_factory.mktemp("asked")), ["by_regions"])
    project.dbt("build")
    return project
