"""What `dbt plan` and `dbt check` make of a project, its meta, its names and its hierarchies."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import sqlglot

from kanon_sql.apps.dbt.plan_models import package_path
from kanon_sql.apps.dbt.project import release_requests
from kanon_sql.errors import InputError

QUASI = {"role": "quasi", "hierarchy": "suppress"}
STAGING = "models/stg_patients.sql"


def test_the_plan_is_written_again_to_the_byte(planned):
    before = planned.taken()
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        for name, text in before.items():
            (Path(package_path()) / "integration_tests" / name).write_text(text, encoding="utf-8")
    else:
        assert before == planned.committed  # as the package has it
    assert {Path(name).suffix for name in before} == {".sql", ".yml", ".csv"}
    planned.kanon("dbt", "plan", ".")
    assert planned.taken() == before
    planned.dbt("parse")
    told = json.loads(planned.kanon("dbt", "plan", ".", "--json"))
    assert set(told["plans"]) == {"patients_anon"}
    assert planned.taken() == before


def test_check_says_what_does_not_fit(planned):
    told = json.loads(planned.kanon("dbt", "check", "--json"))["plans"][0]
    assert (told["fits"], told["faults"]) == (True, [])
    macro = planned.folder / "macros/kanon/kanon_plan__patients_anon.sql"
    text = macro.read_text()
    macro.write_text(text.replace('"k": 5', '"k": 1'))
    told = planned.kanon("dbt", "check", code=4)
    assert "kanon_plan__patients_anon.sql: is not what the plan says" in told
    macro.unlink()
    assert "kanon_plan__patients_anon.sql: is missing" in planned.kanon("dbt", "check", code=4)
    macro.write_text(text)
    # New people, each in a class of their own: the plan's node would suppress too many.
    planned.execute(
        "INSERT INTO raw_patients SELECT 9000 + i, 'Z', 'm',"
        " DATE '1400-01-01' + 4000 * CAST(i AS INTEGER), '02138', 'cook', 'flu', DATE '2026-03-01'"
        " FROM range(50) AS r (i)"
    )
    told = planned.kanon("dbt", "check", code=4)
    assert "would suppress 50 of 650 rows now, more than the 32 that may be" in told
    assert "a new plan would release born at level 3" in told
    told = planned.kanon("dbt", "check", "--markdown", code=4)
    assert "`born`" in told  # the table of what is recoded otherwise
    assert "## `patients_anon`: DOES NOT FIT\n\n- suppression: would suppress 50" in told
    planned.execute("DELETE FROM raw_patients WHERE patient_id >= 9000")
    jobs = planned.folder / "hierarchies/jobs.csv"
    lines = jobs.read_text()
    jobs.write_text(lines.replace("nurse;health", "nurse;school"))
    told = planned.kanon("dbt", "check", code=4)
    assert "columns.job.hierarchy: changed since the plan was made" in told
    jobs.write_text(lines)
    planned.meta(privacy=[{"k": 4}])
    planned.dbt("parse")
    assert "policy: changed since the plan was made" in planned.kanon("dbt", "check", code=4)
    (planned.folder / "kanon/patients_anon.plan.yml").unlink()
    assert "was never planned" in planned.kanon("dbt", "check", code=4)


def test_a_seed_has_entries_as_the_source_spells_its_values(project):
    jobs = project.folder / "hierarchies/jobs.csv"
    exact = jobs.read_text()
    jobs.write_text("".join(f" {line.upper()}\n" for line in exact.splitlines()))
    hierarchy = {"csv": "hierarchies/jobs.csv", "match": ["trim", "fold"]}
    project.meta(columns={"job": {"role": "quasi", "hierarchy": hierarchy}})
    project.ready()
    project.kanon("dbt", "plan", ".")
    (seed,) = (project.folder / "seeds/kanon_private").glob("*_job.csv")
    named = {line.split(",")[0] for line in seed.read_text().splitlines()[1:]}
    values = {job for (job,) in project.execute("SELECT DISTINCT job FROM stg_patients WHERE job IS NOT NULL")}  # fmt: skip
    assert values <= named
    project.dbt("build")
    jobs.write_text(exact)
    assert "columns.job.hierarchy: changed" in project.kanon("dbt", "check", code=4)


def test_a_plan_is_stale_where_other_texts_are_read_as_null(planned):
    planned.dbt("build")
    planned.meta(missing=["nurse"])
    planned.dbt("parse")
    assert "policy: changed since the plan was made" in planned.kanon("dbt", "check", code=4)
    planned.kanon("dbt", "plan", ".")
    told = planned.dbt("build", fails=True)  # the model of the release reads the old relation
    assert "ref('kanon_patients_anon_source')" in told
    assert "nurse" not in told
    model = planned.folder / "models/kanon/patients_anon.sql"
    text = model.read_text()
    assert "ref('stg_patients')" in text
    model.write_text(text.replace("ref('stg_patients')", "ref('kanon_patients_anon_source')"))
    planned.dbt("build")
    assert json.loads(planned.kanon("dbt", "check", "--json"))["plans"][0]["fits"]
    ((left,),) = planned.execute("SELECT COUNT(*) FROM kanon_patients_anon_source WHERE job = 'nurse'")  # fmt: skip
    assert left == 0


def test_files_of_an_earlier_plan_go_and_those_of_others_stay(planned):
    mine = planned.write("models/kanon/mine.sql", "select 1 as one\n")
    assert (planned.folder / "models/kanon_private/kanon_patients_anon_born.sql").exists()
    planned.meta(columns={"born": {"role": "identifying", "action": "drop"}})
    planned.dbt("parse")
    planned.kanon("dbt", "plan", ".")
    assert not list((planned.folder / "models").rglob("kanon_patients_anon_born.*"))
    assert mine.exists()
    planned.dbt("build")
    planned.write("models/kanon/patients_anon.yml", "version: 2\n")  # not ours any more
    before = planned.taken()
    told = planned.kanon("dbt", "plan", ".", code=1)
    assert "models/kanon/patients_anon.yml: already exists and was not written by kanon-sql" in told
    assert planned.taken() == before


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"k": 5}, "stg_patients.meta.kanon.k: is none of entity"),
        ({"release": "a b"}, "stg_patients.meta.kanon.release: must be the name of a model"),
        ({"release": "stg_patients"}, "is the model itself"),
        ({"privacy": [{"k": "many"}]}, "privacy"),
        ({"entity": None}, "entity: is missing"),
        ({"search": {"algorithm": "mu_argus"}}, "a dbt model cannot release rows with suppressed cells"),
        ({"columns": {"zip": {"role": "quasi", "hierarchy": {"ref": "nothing"}}}}, "no model or seed"),
        ({"columns": {"loaded_on": {"role": "identifying", "action": "hash", "key_env": "K", "linkable": "accept"}}},
         "columns.loaded_on.action: is of the type date, whose text may follow from settings"),
        ({"columns": {"zip": {"role": "quasi", "hierarchy": {"mask": {"length": 5, "character": "{"}}}}},
         "dbt would read as its own language"),
        ({"columns": {"zip": {"role": "quasi", "hierarchy": {"mask": {"length": 5, "character": "\u2028"}}}}},
         "or a line break"),
        ({"columns": {"ref('raw_patients')": QUASI}}, "dbt would read as its own language"),
        ({"columns": {"a\nb": QUASI}}, "has a line break in its name"),
        ({"release": "STG_patients"}, "is the model itself"),
    ],
)  # fmt: skip
def test_what_a_project_cannot_ask_is_told_and_nothing_is_written(
    ready, monkeypatch, changes, fault
):
    monkeypatch.setenv("K", "a key that is long enough")
    text = (ready.folder / "models/stg_patients.yml").read_text()
    try:
        ready.meta(**changes)
        ready.dbt("parse")
        told = ready.kanon("dbt", "plan", ".", code=1)
    finally:
        (ready.folder / "models/stg_patients.yml").write_text(text)
    assert fault in told
    assert ready.taken() == {}


@pytest.fixture(scope="module")
def ready(dbt, tmp_path_factory):
    from tests.dbt.conftest import Project

    return Project(tmp_path_factory.mktemp("ready")).ready()


@pytest.mark.parametrize("option", [["-o", "x"], ["--sql"], ["--source", "x"], ["policy.yml"]])
def test_options_of_a_policy_file_are_none_of_dbt_plan(ready, option):
    assert "Usage: " in ready.kanon("dbt", "plan", ".", *option, code=2)


def test_a_manifest_older_than_what_was_asked_is_told(project):
    project.ready()
    project.meta(privacy=[{"k": 7}])
    told = project.kanon("dbt", "plan", ".", code=1)
    assert "models/stg_patients.yml: changed since dbt parsed the project; run dbt parse" in told
    assert project.taken() == {}
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")
    project.write(STAGING, (project.folder / STAGING).read_text())
    assert f"{STAGING}: changed" in project.kanon("dbt", "check", code=1)


def test_a_project_that_is_none_is_told(tmp_path, project):
    assert "dbt_project.yml: does not exist" in project.kanon("dbt", "plan", tmp_path, code=1)
    assert "run dbt parse" in project.kanon("dbt", "plan", ".", code=1)
    assert "Missing argument" in project.kanon("plan", code=2)


def test_hostile_names_are_names(project):
    """Of columns: quotes, spaces, keywords, dots and letters of other scripts; in every file and statement."""
    names = ['a "b"', "it's; --", "select", "größe.cm", "名前"]
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names]
    model = project.folder / STAGING
    own = ("sex", "zip", "disease", "job", "born")
    own = [f"nullif({name}, 'unknown')" if name == "job" else name for name in own]
    listed = ", ".join(f"{old} as {new}" for old, new in zip(own, quoted, strict=True))
    model.write_text(f"select patient_id, {listed} from {{{{ ref('raw_patients') }}}}")
    project.meta(
        privacy=[{"k": 4}, {"distinct_l": {"column": "select", "l": 2}}],
        columns={
            names[0]: QUASI,
            names[1]: {"role": "quasi", "hierarchy": {"mask": 5}},
            names[2]: {"role": "sensitive"},
            names[3]: {"role": "quasi", "hierarchy": {"csv": "hierarchies/jobs.csv"}},
            names[4]: {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}},
        },
    )
    file = project.folder / "models/stg_patients.yml"
    gone = ("name", "sex", "born", "zip", "job", "disease", "loaded_on")
    import yaml

    told = yaml.safe_load(file.read_text())
    columns = told["models"][0]["columns"]
    told["models"][0]["columns"] = [each for each in columns if each["name"] not in gone]
    file.write_text(yaml.safe_dump(told, sort_keys=False, allow_unicode=True))
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
    found = [name for name, *_ in project.execute("DESCRIBE patients_anon")]
    assert found == names
    assert project.kanon("dbt", "check").startswith("fits")


def jobs_model(project, *more):
    """A hierarchy of jobs as a model of the project's own."""
    lines = (project.folder / "hierarchies/jobs.csv").read_text().splitlines()
    rows = [f"('{line.split(';')[0]}', '{line.split(';')[1]}', '*')" for line in lines]
    listed = ", ".join(["(null, null, '*')", *rows, *more])
    project.write(
        "models/jobs.sql", f"select * from (values {listed}) as t (value, level_1, level_2)"
    )


def test_a_hierarchy_may_be_a_model_of_the_project(project):
    jobs_model(project)
    project.meta(
        columns={"job": {"role": "quasi", "hierarchy": {"ref": "jobs"}}}, privacy=[{"k": 12}]
    )
    project.ready()
    project.kanon("dbt", "plan", ".", "--metric", "precision")
    text = (project.folder / "macros/kanon/kanon_plan__patients_anon.sql").read_text()
    assert "ref('jobs')" in text
    project.dbt("build")
    count = "SELECT job, count(*) FROM patients_anon GROUP BY 1 ORDER BY 1"
    before = dict(project.execute(count))
    nurses = "SELECT count(*) FROM stg_patients WHERE job = 'nurse'"
    ((gone,),) = project.execute(nurses)
    assert gone
    # A value with two entries has none: else its rows would come twice, in classes twice their size.
    jobs_model(project, "('nurse', 'health', '*')")
    project.dbt("run")
    after = dict(project.execute(count))
    assert sum(after.values()) <= sum(before.values()) - gone
    assert all(rows <= before[label] for label, rows in after.items())
    # Nor has one whose path has no end.
    jobs_model(project)
    model = project.folder / "models/jobs.sql"
    model.write_text(
        model.read_text().replace("('nurse', 'health', '*')", "('nurse', 'health', null)")
    )
    project.dbt("run")
    assert dict(project.execute(count)) == after
    project.write(
        "models/jobs.sql", "select distinct job, 'all' as everything from {{ ref('raw_patients') }}"
    )
    project.dbt("run", "--select", "jobs")
    told = project.kanon("dbt", "plan", ".", code=1)
    assert "is a model whose columns are not value, level_1" in told


def test_a_text_that_a_seed_would_read_as_null_is_refused(project):
    jobs = project.folder / "hierarchies/jobs.csv"
    jobs.write_text(jobs.read_text().replace("health", "NULL"))
    project.ready()
    told = project.kanon("dbt", "plan", ".", code=1)
    assert "which a seed would read as NULL; make it a model of the project" in told


def test_a_hierarchy_of_several_roots_is_refused_with_what_to_do(project):
    jobs = project.folder / "hierarchies/jobs.csv"
    lines = [line.rpartition(";")[0] for line in jobs.read_text().splitlines()]
    jobs.write_text("\n".join(lines))
    project.ready()
    told = " ".join(project.kanon("dbt", "plan", ".", code=1).split())
    assert "ends in several labels, and a model of dbt needs one" in told
    assert "levels: {most: 1}" in told
    jobs.write_text("\n".join(f"{line};*" for line in lines))
    columns = {
        "job": {
            "role": "quasi",
            "hierarchy": {"csv": "hierarchies/jobs.csv"},
            "levels": {"most": 1},
        }
    }
    project.meta(columns=columns)
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")


def test_the_package_documents_every_macro_and_test():
    package = Path(package_path())
    said = "".join(file.read_text() for file in package.glob("macros/**/*.yml"))
    own = [file.read_text() for file in package.glob("macros/**/*.sql")]
    named = {name for text in own for name in re.findall(r"{% (?:macro|test) (\w+)\(", text)}
    public = {"anonymize", "held_back", "classified"} | {
        name for text in own for name in re.findall(r"{% test (\w+)\(", text)
    }
    assert public <= named
    for name in public:
        assert re.search(rf"name: (test_)?{name}\b", said), name


def test_hierarchies_by_rule_are_written_for_other_adapters_and_say_that_none_ran_them(ready):
    file = ready.folder / "models/stg_patients.yml"
    text = file.read_text()
    try:
        ready.meta(adapters=["snowflake", "bigquery"])
        ready.dbt("parse")
        ready.kanon("dbt", "plan", ".")
        model = (ready.folder / "models/kanon_private/kanon_patients_anon_born.sql").read_text()
        for adapter, shown in (("snowflake", "Snowflake"), ("bigquery", "BigQuery")):
            own = model.split(f"target.type in ('{adapter}',) %}}")[1].split("{% el")[0]
            assert own.startswith(
                f"\n-- written by sqlglot; no test of kanon-sql runs it on {shown}"
            )
            query = own.replace("{{ ref('stg_patients') }}", "stg_patients")
            (tree,) = sqlglot.parse(query, read=adapter)
            assert tree.named_selects == ["value", "level_1", "level_2", "level_3"]
        assert ready.kanon("dbt", "check").startswith("fits")
        ready.meta(adapters=["mysql"])
        ready.dbt("parse")
        assert "cannot be written for mysql: what" in ready.kanon("dbt", "plan", ".", code=1)
    finally:
        file.write_text(text)


def test_a_release_is_counted_by_its_entity_only_where_that_is_released(ready):
    file = ready.folder / "models/stg_patients.yml"
    text = file.read_text()
    shown = {"null": False, "drop": False, None: True}
    try:
        for action, counted in shown.items():
            told = (
                {"role": "sensitive", "linkable": "accept"}
                if action is None
                else {"role": "identifying", "action": action}
            )
            ready.meta(columns={"patient_id": told})
            ready.dbt("parse")
            ready.kanon("dbt", "plan", ".")
            tests = (ready.folder / "models/kanon/patients_anon.yml").read_text()
            assert ("entity: patient_id" in tests) is counted, action
    finally:
        file.write_text(text)


def second(ready, release, column):
    """Another model to be released, of one column."""
    meta = {"release": release, "entity": "row", "privacy": [{"k": 2}]}
    born = {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}}
    model = {
        "name": "others",
        "config": {"meta": {"kanon": meta}},
        "columns": [{"name": column, "config": {"meta": {"kanon": born}}}],
    }
    query = f"select cast(born as date) as {column} from {{{{ ref('raw_patients') }}}}"
    return (
        ready.write("models/others.sql", query),
        ready.write("models/others.yml", json.dumps({"version": 2, "models": [model]})),
    )


@pytest.mark.parametrize(
    ("release", "column", "fault"),
    [
        ("Patients_Anon", "born", "is the release of model.kanon_integration_tests."),
        ("patients", "anon_born", "kanon_patients_anon_born.sql: belongs to "),
    ],
)
def test_no_release_has_the_name_or_a_file_of_another(ready, release, column, fault):
    files = second(ready, release, column)
    try:
        for asked in ([], ["--select", release]):
            ready.dbt("run", "--select", "others")
            before = ready.taken()
            told = ready.kanon("dbt", "plan", ".", *asked, code=1)
            assert fault in told or (
                asked and "already exists and was not written by kanon-sql" in told
            )
            assert ready.taken() == before
            if release == "patients":
                ready.kanon("dbt", "plan", ".", "--select", "patients_anon")
    finally:
        for file in files:
            file.unlink()
        for name in ready.taken():
            (ready.folder / name).unlink()


def test_a_hierarchy_is_the_model_of_its_name_and_a_name_is_what_can_be_said(project):
    jobs_model(project)
    sources = [{"name": "lists", "schema": "main", "tables": [{"name": "jobs"}]}]
    project.write("models/sources.yml", json.dumps({"version": 2, "sources": sources}))
    project.meta(columns={"job": {"role": "quasi", "hierarchy": {"ref": "jobs"}}})
    project.linked()
    project.dbt("parse")
    manifest = json.loads((project.folder / "target/manifest.json").read_text())
    (asked,) = release_requests(manifest, None)
    assert asked.given["job"].reference == "ref('jobs')"
    node = manifest["nodes"]["model.kanon_integration_tests.stg_patients"]
    for name in ("it's", "a\\", "{{ run_query('x') }}", "a\nb"):
        node["name"] = name
        with pytest.raises(InputError, match="has a name that a model of dbt cannot say"):
            release_requests(manifest, None)


def test_days_are_read_as_the_project_says_that_they_are_written(planned):
    staging = planned.folder / STAGING
    staging.write_text(
        staging.read_text().replace("born,", "strftime(born, '%d.%m.%Y') as born,", 1)
    )
    planned.meta(
        columns={
            "born": {
                "role": "quasi",
                "hierarchy": {"dates": ["year", "decade"]},
                "format": "%d.%m.%Y",
            }
        }
    )
    planned.dbt("build", "--select", "+stg_patients")
    planned.kanon("dbt", "plan", ".")
    model = planned.folder / "models/kanon/patients_anon.sql"
    model.write_text(
        model.read_text().replace("ref('stg_patients')", "ref('kanon_patients_anon_source')")
    )
    planned.dbt("build")
    assert json.loads(planned.kanon("dbt", "check", "--json"))["plans"][0]["fits"]
    released = {born for (born,) in planned.execute("SELECT DISTINCT born FROM patients_anon")}
    assert released
    assert all(each is None or re.fullmatch(r"\d{4}(s|-\d{2})?|\*", each) for each in released)
