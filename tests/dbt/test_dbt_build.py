"""A dbt project that plans in its warehouse, builds, and fails when the guarantee breaks."""

from __future__ import annotations

import re

import sqlglot

from tests.dbt.conftest import released_by_apply

RELEASED = "sex, born, zip, job, disease"
CANARY = "Canary Disease 7391"


def rows_of(project):
    return sorted(map(str, project.execute(f"SELECT {RELEASED} FROM patients_anon")))


def test_a_plan_becomes_a_model_that_builds(planned):
    """It releases the rows that apply releases, and every test passes."""
    planned.dbt("--warn-error", "build")
    results = planned.results()
    assert set(results.values()) <= {"success", "pass"}
    assert {name.split(".")[2].split("_patients")[0] for name in results if "kanon_" in name} >= {
        "kanon_k_anonymity", "kanon_l_diversity", "kanon_suppression", "kanon_classified",
        "kanon_covers_kanon", "kanon_one_entry_kanon", "kanon_one_root_kanon",
        "kanon_nested_levels_kanon",
    }  # fmt: skip
    assert rows_of(planned) == released_by_apply(planned)
    text = planned.compiled("patients_anon")
    assert len(sqlglot.parse(text, dialect="duckdb")) == 1
    assert len(text.splitlines()) < 80
    again = planned.kanon("dbt", "check")
    assert again.startswith("fits: patients_anon")


def test_a_class_that_falls_short_fails_its_test_and_no_value_is_told(planned):
    planned.dbt("build")
    ((born, zip_),) = planned.execute(
        "SELECT born, zip FROM patients_anon GROUP BY ALL ORDER BY COUNT(*) LIMIT 1"
    )
    planned.execute(
        "INSERT INTO patients_anon (sex, born, zip, job, disease) VALUES ('x', ?, ?, '*', ?)",
        born, zip_, CANARY,
    )  # fmt: skip
    told = planned.dbt("test", "--store-failures", "--select", "patients_anon", fails=True)
    results = planned.results()
    failed = {name.split(".")[2] for name, status in results.items() if status == "fail"}
    assert {each.split("_patients_anon")[0] for each in failed} == {
        "kanon_k_anonymity", "kanon_l_diversity", "kanon_suppression",
    } or {each.split("_patients_anon")[0] for each in failed} == {
        "kanon_k_anonymity", "kanon_l_diversity",
    }  # fmt: skip
    stored = planned.execute(
        "SELECT table_schema, table_name FROM information_schema.tables"
        " WHERE table_schema LIKE '%dbt_test__audit'"
    )
    assert stored
    values = {str(v) for row in planned.execute("SELECT * FROM patients_anon") for v in row if v}
    values -= {"*", "x", "m", "f"}
    for schema, table in stored:
        rows = planned.execute(f'SELECT * FROM "{schema}"."{table}"')
        assert not values & {str(cell) for row in rows for cell in row}, table
    files = [*(planned.folder / "logs").rglob("*"), planned.folder / "target/run_results.json"]
    logged = "".join(file.read_text() for file in files if file.is_file())
    assert CANARY not in told + logged
    assert not re.search(r"Person \d", told + logged)


def test_a_new_column_fails_the_build_and_nothing_is_released(planned):
    model = planned.folder / "models" / "stg_patients.sql"
    before = model.read_text()
    model.write_text(before.replace("loaded_on\nfrom", "loaded_on, 'a' as ward\nfrom"))
    told = planned.dbt("build", fails=True)
    assert planned.results()["test.kanon_integration_tests.patients_anon_source"] == "fail"
    assert planned.results()["model.kanon_integration_tests.patients_anon"] == "skipped"
    assert not planned.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'patients_anon'")
    told = planned.dbt("run", fails=True)  # without its tests, too
    assert "ward is a column that nothing is said of" in told
    assert not planned.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'patients_anon'")
    assert "columns.ward: is a column of the source that the policy does not classify" in (
        planned.kanon("dbt", "check", code=4)
    )
    assert "stg_patients: columns.ward: is a column" in planned.kanon("dbt", "plan", ".", code=1)


def test_a_model_may_be_a_view_and_rows_to_come_are_held_to_k(planned):
    model = planned.folder / "models/kanon/patients_anon.sql"
    model.write_text(model.read_text().replace("'table'", "'view'"))
    planned.kanon("dbt", "plan", ".")
    assert "'view'" in model.read_text()  # it is the user's own
    planned.dbt("build")
    assert planned.compiled("patients_anon").rstrip().endswith("order by random()")
    before = rows_of(planned)
    assert before == released_by_apply(planned)
    add = (
        "INSERT INTO raw_patients SELECT 9000 + i, 'Z', 'x', DATE '{}', '02138', 'cook', 'flu' || i % 3,"
        " DATE '2026-03-01' FROM range({}, {}) AS r (i)"
    )
    ((known,),) = planned.execute("SELECT MIN(born) FROM raw_patients WHERE born >= '1955-01-01'")
    planned.execute(add.format(known, 0, 4))
    assert rows_of(planned) == before
    planned.execute(add.format(known, 4, 5))
    assert len(rows_of(planned)) == len(before) + 5
    planned.execute(add.format("1955-12-31", 5, 6))  # a value that the hierarchy's table lacks
    assert len(rows_of(planned)) == len(before) + 5
    planned.dbt("run", "--select", "kanon_patients_anon_born")
    assert len(rows_of(planned)) == len(before) + 6


def test_several_sets_of_quasi_identifiers_hold_together(project):
    sets = [{"k": 5}, {"k": 40, "over": ["born", "sex"]}, {"k": 12, "over": ["zip", "job"]}]
    project.meta(privacy=sets, suppression="15%")
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    assert rows_of(project) == released_by_apply(project)
    tests = [name for name in project.results() if "kanon_k_anonymity" in name]
    assert len(tests) == 3


def test_bounds_that_exclude_no_class_release_every_row(project):
    """A plan of them has no set of quasi-identifiers that binds, and macros must count one all the same."""
    project.meta(entity="row", privacy=[{"k": 1, "over": ["sex"]}], suppression=0)
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    assert rows_of(project) == released_by_apply(project)


def test_where_null_is_refused_a_row_that_comes_with_one_is_left_out(project):
    project.meta(nulls="refuse", columns={"job": {"role": "insensitive"}})
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    before = rows_of(project)
    assert before == released_by_apply(project)
    project.execute("INSERT INTO raw_patients SELECT 9000 + i, 'Z', NULL, DATE '1955-01-01', '02138',"
                " 'cook', 'flu' || i % 3, DATE '2026-03-01' FROM range(9) AS r (i)")  # fmt: skip
    project.dbt("run", "--select", "patients_anon")
    assert rows_of(project) == before


def test_rows_that_never_settle_are_not_released(project):
    """The plan's passes may be too few for other rows: then none is released at all."""
    sets = [{"k": 2, "over": ["born"]}, {"k": 2, "over": ["zip"]}]
    suppress = {"role": "quasi", "hierarchy": "suppress"}
    others = {name: {"role": "insensitive"} for name in ("sex", "job")}
    project.meta(
        privacy=sets, suppression="100%", entity="row",
        columns={"born": suppress, "zip": suppress, **others},
    )  # fmt: skip
    project.ready()
    project.kanon("dbt", "plan", ".", "--suppression", "90%")
    macro = project.folder / "macros/kanon/kanon_plan__patients_anon.sql"
    text = macro.read_text()
    assert all(f'"{name}", "becomes": "value"' in text for name in ("born", "zip"))
    # A chain, of which each pass takes the ends, and a class that fits whatever goes.
    links = [(n, f"0{2100 + m}") for n in range(20) for m in (n, n + 1)]
    project.execute("DELETE FROM raw_patients")
    for number, (born, zip_) in enumerate([*links, *[(99, "09999")] * 3]):
        project.execute(
            "INSERT INTO raw_patients VALUES (?, 'c', 'm', DATE '1900-01-01' + CAST(? AS INTEGER),"
            " ?, 'cook', 'flu', DATE '2026-03-01')", number, born, zip_,
        )  # fmt: skip
    project.dbt("run", "--select", "patients_anon")
    assert rows_of(project) == []
    macro.write_text(re.sub(r'"passes": \d+', '"passes": 30', text))
    project.dbt("run", "--select", "patients_anon", "--no-partial-parse")
    assert len(rows_of(project)) == 3


def test_every_fault_of_a_hierarchy_fails_a_test_that_tells_counts(planned):
    planned.dbt("build")
    planned.execute("DELETE FROM kanon_patients_anon_job WHERE value = 'cook'")
    planned.execute(
        "INSERT INTO kanon_patients_anon_job VALUES ('nurse', 'school', '*'), ('x', 'y', 'z')"
    )
    planned.dbt("test", "--select", "kanon_patients_anon_job", "--store-failures", fails=True)
    told = planned.results().items()
    found = {n.split(".")[2].split("_kanon_patients")[0]: s for n, s in told if s != "pass"}
    assert found == {
        "kanon_covers": "warn", "kanon_one_entry": "fail", "kanon_one_root": "fail",
    }  # fmt: skip
    planned.execute(
        "UPDATE kanon_patients_anon_job SET level_1 = 'food', level_2 = 'all' WHERE value = 'x'"
    )
    planned.dbt("test", "--select", "kanon_patients_anon_job", "--store-failures", fails=True)
    assert any("nested_levels" in name for name, s in planned.results().items() if s == "fail")
    stored = planned.execute(
        "SELECT table_schema, table_name FROM information_schema.tables"
        " WHERE table_schema LIKE '%dbt_test__audit'"
    )
    for schema, table in stored:
        for row in planned.execute(f'SELECT * FROM "{schema}"."{table}"'):
            assert all(isinstance(cell, int) for cell in row), table


def test_null_is_a_value_or_a_failure_as_the_policy_says(planned):
    """The package's jobs have NULLs: a class of its own for k, and a failure where NULL is refused."""
    planned.write(
        "models/shown.sql", "select job, count(*) as n from {{ ref('stg_patients') }} group by job"
    )
    planned.write(
        "models/shown.yml",
        "version: 2\nmodels:\n- name: shown\n  data_tests:\n"
        "  - kanon.k_anonymity: {arguments: {columns: [job], k: 1}, name: as_value}\n"
        "  - kanon.k_anonymity: {arguments: {columns: [job], k: 1, nulls: refuse}, name: refused}\n"
        "  - kanon.k_anonymity: {arguments: {columns: [job], k: 1, entity: n}, name: by_entity}\n"
        "  - kanon.k_anonymity: {arguments: {columns: [job], k: 2, entity: n}, name: by_two}\n",
    )
    planned.dbt("build", "--select", "shown", fails=True)
    found = {name.split(".")[2]: status for name, status in planned.results().items()}
    assert found == {
        "shown": "success", "as_value": "pass", "refused": "fail", "by_entity": "pass", "by_two": "fail",
    }  # fmt: skip


def with_column(project, name, expression):
    """Have a column of the source be another expression."""
    model = project.folder / "models/stg_patients.sql"
    text = model.read_text()
    assert f" {name}," in text
    model.write_text(text.replace(f" {name},", f" {expression} as {name},", 1))


def test_values_that_are_equal_are_released_in_one_form(project):
    """A class is of all of them: a reader who saw -0.0 beside 0.0 would see fewer than k of it."""
    shown = "case when patient_id % 50 = 0 then '-0.0' else '0.0' end"
    with_column(project, "zip", f"cast({shown} as double)")
    project.meta(columns={"zip": {"role": "quasi", "hierarchy": "suppress"}})
    project.ready()
    project.kanon("dbt", "plan", ".")
    macro = (project.folder / "macros/kanon/kanon_plan__patients_anon.sql").read_text()
    assert '{"name": "zip", "becomes": "value"' in macro  # at level 0
    project.dbt("build")
    seen = "SELECT COUNT(*) FROM {} GROUP BY CAST(zip AS VARCHAR), {}"
    before = seen.format("stg_patients", "year(born) // 10, sex")
    assert min(project.execute(before)) < (5,)  # there are such rows
    assert min(project.execute(seen.format("patients_anon", "sex, born, job"))) >= (5,)
    rows, wanted = rows_of(project), released_by_apply(project)
    signless = [[row.replace("-0.0", "0.0") for row in each] for each in (rows, wanted)]
    assert sorted(signless[0]) == sorted(signless[1])


def test_a_type_that_lists_values_and_a_collation_are_refused(project):
    """A release of the type would show the values of rows that are left out."""
    with_column(project, "sex", "cast(sex as enum('m', 'f', 'of one'))")
    with_column(project, "zip", "zip collate nocase")
    project.ready()
    told = project.kanon("dbt", "plan", ".", code=1)
    for name in ("sex", "zip"):
        assert f"columns.{name}: is of a type that lists its values, or of a collation" in told
    assert "of one" not in told
    assert project.taken() == {}


def test_a_value_of_another_type_is_not_told_by_the_database(planned):
    """Where a hierarchy is a table, it stays of the type that it was made of."""
    with_config = "models:\n  kanon_integration_tests:\n    kanon_private: {+materialized: table}\n"
    file = planned.folder / "dbt_project.yml"
    file.write_text(file.read_text() + with_config)
    planned.dbt("build")
    before = rows_of(planned)
    with_column(planned, "born", "case when sex = 'm' then name else cast(born as text) end")
    planned.dbt("run", "--select", "stg_patients")
    told = planned.dbt("build", "--select", "patients_anon", fails=True)
    assert "the hierarchies of born were made of other types" in told
    assert rows_of(planned) == before
    hierarchy = "kanon_patients_anon_born"
    told += planned.dbt("test", "--select", hierarchy, "--store-failures")
    failed = [name.split(".")[2] for name, s in planned.results().items() if s == "warn"]
    assert [name.split(hierarchy)[0] for name in failed] == ["kanon_covers_"]
    files = [*(planned.folder / "logs").rglob("*"), planned.folder / "target/run_results.json"]
    logged = "".join(file.read_text() for file in files if file.is_file())
    assert not re.search(r"Person \d", told + logged)


LONG, UNKNOWN = "TOOLONGCANARY", "canary job"


def test_a_value_without_an_entry_costs_its_rows_and_no_more(project):
    """Up to the suppression limit `dbt build` and `dbt check` go on, beyond it both stop."""
    others = {name: {"role": "insensitive"} for name in ("sex", "born", "disease")}
    search = {"metric": "precision"}
    project.meta(
        entity="row", privacy=[{"k": 20}], search=search, without_entry="warn", columns=others
    )
    project.ready()
    project.kanon("dbt", "plan", ".")
    macro = (project.folder / "macros/kanon/kanon_plan__patients_anon.sql").read_text()
    job = macro.split('"name": "job"')[1].split('"name"')[0]
    assert '"becomes": "value"' in job
    assert '"alias": "job_labels"' in job  # a value without an entry is shown at no level
    assert '"alias": "zip_labels"' in macro
    project.dbt("build")
    before = len(rows_of(project))
    add = (
        "INSERT INTO raw_patients SELECT 9000 + i, 'Z', 'm', DATE '1955-01-01', '{}', '{}', 'flu',"
        " DATE '2026-03-01' FROM range({}) AS r (i)"
    )
    project.execute(add.format(LONG, "cook", 3))
    project.execute(add.format("02138", UNKNOWN, 25))
    told = project.kanon("dbt", "check")
    assert (
        "fits: patients_anon\n  suppressed rows: 28 of 628 (limit 31)\n  28 of them have a value"
        in told
    )
    assert told.count("a new plan would be refused: columns.") == 2
    assert LONG not in told
    assert UNKNOWN not in told
    told = project.dbt("build", "--exclude", "raw_patients")
    warned = [name for name, status in project.results().items() if status == "warn"]
    covers = [name.split(".")[2].split("_patients")[0] for name in warned]
    assert covers == ["kanon_covers_kanon", "kanon_covers_kanon"]
    assert len(rows_of(project)) == before
    assert not project.execute("SELECT 1 FROM patients_anon WHERE job = ?", UNKNOWN)
    assert not project.execute("SELECT 1 FROM patients_anon WHERE zip LIKE 'TOO%' OR zip IS NULL")
    assert LONG not in told
    project.execute(add.format(LONG, "cook", 40))
    assert "would suppress 68 of 668 rows" in project.kanon("dbt", "check", code=4)
    project.dbt("build", "--exclude", "raw_patients", fails=True)
    failed = [name.split(".")[2] for name, s in project.results().items() if s == "fail"]
    assert [name.split("_patients")[0] for name in failed] == ["kanon_suppression"]


def test_rows_of_one_person_in_an_edited_model_fail_a_test(planned):
    """The release does not show whose its rows are: a test counts people in the source, and rows alone say nothing."""
    model = planned.folder / "models/kanon/patients_anon.sql"
    text = model.read_text()
    planned.dbt("build")
    assert "pass" in {s for name, s in planned.results().items() if "anon_people" in name}
    columns = [name for name, *_ in planned.execute("DESCRIBE patients_anon")]
    quasi = {"sex", "born", "zip", "job"}
    listed = ", ".join("'one'" if n in quasi else f"min({n}) as {n}" for n in columns)
    config, query = text.split("}}", 1)
    model.write_text(
        f"{config}}}}}\nselect * from ({query}) as r union all\n"
        f"select {listed} from {{{{ ref('stg_patients') }}}}, range(7) as n (i) group by i\n"
    )
    planned.dbt("build", "--exclude", "raw_patients", fails=True)
    failed = [name.split(".")[2] for name, s in planned.results().items() if s == "fail"]
    assert any(name == "patients_anon_people" for name in failed)
    assert not any(name.startswith("kanon_k_anonymity") for name in failed)


def test_a_build_of_the_source_alone_meets_no_test_of_what_was_never_built(planned):
    """dbt runs a test of two relations when either was selected."""
    for file in planned.folder.glob("patients.duckdb*"):
        file.unlink()
    planned.dbt("build", "--select", "+stg_patients")
    ran = [name.split(".")[2] for name in planned.results()]
    assert len([name for name in ran if name.startswith(("kanon_covers", "kanon_supp"))]) == 3
    assert set(planned.results().values()) <= {"success", "pass"}
