"""The project of the page on SQLMesh: it builds as shown, and stops what must not be released."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict

import duckdb
import pytest

import kanon_sql

MODEL = "models/patients_anon.sql"
SEED = "seeds/raw_patients.csv"


def plain(text):
    """Without times, and without what fills a line."""
    return [re.sub(r"\d+\.\d\ds|━+|\s+", " ", line).strip() for line in text.splitlines()]


def values_of(project):
    """The values of the patients by which one could be told; jobs are also the policy's, in the model that SQLMesh shows."""
    rows = list(csv.DictReader(project.read(SEED).splitlines()))
    return {row[name] for row in rows for name in ("name", "born", "zip")}


def tells_no_value(told, project):
    found = {each for each in values_of(project) if re.search(rf"(?<![\w-]){each}(?![\w-])", told)}
    return not found


def test_a_newcomer_comes_to_a_release_as_shown(walked, page):
    _, told = walked
    lines = plain(told)
    for line in plain(page["text"][0]):
        assert line == "..." or line in lines


def without_hash(text):
    """A model's text less the hash of its plan, which is another under each key."""
    return re.sub(r"plan [0-9a-f]{12}", "plan", text)


def test_the_model_is_the_one_that_is_shown(project, page):
    (shown,) = page["sql"]
    head, _, tail = without_hash(shown).partition("...\n")
    text = without_hash(project.read(MODEL))
    assert text.startswith(head)
    assert text.endswith(tail)


def test_the_release_has_the_rows_of_apply(project):
    path = str(project.folder / "patients.duckdb")
    with duckdb.connect(path, read_only=True) as connection:
        given = {"policy": str(project.folder / "patients.yml"), "connection": connection}
        named = given.pop("policy")
        plan = kanon_sql.plan(
            named, "clinic.stg_patients", **given
        )  # its own DuckDB is an older one
        committed = (project.folder / "patients.plan.yml").read_text(encoding="utf-8")
        assert plan.recoding == kanon_sql.Plan.from_yaml(committed, "plan").recoding
        with kanon_sql.apply(plan, "clinic.stg_patients", policy=named, **given) as release:
            wanted = sorted(map(str, release.relation.fetchall()))
    assert len(wanted) == 600
    assert project.released() == wanted


def test_what_is_committed_is_built_at_once_where_nothing_is(project):
    """As a colleague does it, and CI: the source that an audit counts is the one of the same run."""
    before = project.released()
    for file in project.folder.glob("patients.duckdb*"):
        file.unlink()
    assert "audits passed 4" in project.plan()
    assert project.released() == before


def test_the_release_has_an_order_of_its_own(project):
    """The source's is that of its numbers: the released rows hold none of it."""
    source = project.fetch("SELECT sex, zip, disease FROM clinic.stg_patients ORDER BY patient_id")
    assert project.fetch("SELECT sex, zip, disease FROM clinic.patients_anon") != source


def test_a_row_that_violates_fails_the_audits_and_no_value_is_told(project):
    """Somebody edits the model, so that the days of birth are released as they are."""
    before = project.released()
    text = project.read(MODEL)
    header = text[: text.index("\n);\n") + 4]
    query = "SELECT sex, born, zip, job, disease FROM clinic.stg_patients;\n"
    project.write(MODEL, f"{header}\n{query}")
    told = project.plan(fails=True)
    classes, diseases = Counter(), defaultdict(set)
    found = "SELECT sex, born, zip, job, disease FROM clinic.stg_patients"
    for *key, disease in project.fetch(found):
        classes[tuple(key)] += 1
        diseases[tuple(key)].add(disease)
    short = sum(size < 5 for size in classes.values())
    alike = sum(len(each) < 2 for each in diseases.values())
    assert f"'kanon_k_anonymity' audit error: {short} rows" in told
    assert f"'kanon_l_diversity' audit error: {alike} rows" in told
    assert "kanon_suppression" not in told
    assert tells_no_value(told, project)
    assert project.released() == before


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("9000,Person 9000,m,1987-11-18,2139,astronaut,flu,2026-03-06\n",
         "the source has rows without a place in the hierarchies; rows: 1"),
        ("".join(f"{9000 + n},Person {9000 + n},x{n},1987-11-18,2139,cook,flu,2026-03-06\n" for n in range(40)),
         "more rows would be suppressed than the policy allows; rows: 40"),
    ],
    ids=["without a place", "too many to suppress"],
)  # fmt: skip
def test_rows_that_do_not_fit_the_plan_make_no_release(project, row, reason):
    before = project.released()
    project.write(SEED, project.read(SEED).rstrip("\n") + "\n" + row)
    told = project.plan(fails=True)
    assert reason in " ".join(told.split())
    assert "astronaut" not in told
    assert tells_no_value(told, project)
    assert project.released() == before


def test_labels_come_through_sqlmesh_as_they_are(project):
    root = "it's @start_ds @{x} {{ x }} \\ ${x} 😀 -- ; /*"
    text = project.read("hierarchies/jobs.csv").replace(";*", f';"{root}"')
    project.write("hierarchies/jobs.csv", text)
    project.shell("kanon-sql plan patients.yml")
    again = "kanon-sql compile patients.plan.yml --sqlmesh clinic.patients_anon"
    project.shell(f"{again} -o models/patients_anon.sql")
    project.plan()
    assert project.fetch("SELECT DISTINCT job FROM clinic.patients_anon") == [(root,)]


def test_a_class_that_falls_short_today_is_suppressed(project):
    row = "9000,Person 9000,x,1987-11-18,2139,cook,flu,2026-03-06\n"
    before = project.released()
    project.write(SEED, project.read(SEED).rstrip("\n") + "\n" + row)
    project.plan()
    assert project.fetch("SELECT COUNT(*) FROM clinic.stg_patients") == [(601,)]
    assert project.released() == before


def test_a_column_that_nothing_is_said_of_stops_the_project(project):
    before = project.released()
    project.change(
        "models/stg_patients.sql", "  disease,\n  CAST", "  disease,\n  name AS nickname,\n  CAST"
    )
    told = project.plan(fails=True)
    assert "'kanon_classified' audit error: 1 row" in told
    assert project.released() == before


NAMES = ('s""e\'x', "select", "ünï code", "D.o.T")
AUDITED = """MODEL (name clinic.audited, kind FULL, audits (
  kanon_k_anonymity(columns := ("{0}", "{1}"), k := 2),
  kanon_k_anonymity(columns := ("{0}", "{1}"), k := 2, entity := "{2}"),
  kanon_k_anonymity(columns := ("{0}", "{1}"), k := 1, nulls := 'refuse'),
  kanon_k_anonymity(columns := ("{0}", "{1}"), k := 1, nulls := 'Refuse'),
  kanon_l_diversity(columns := ("{0}"), sensitive := "{3}", l := 3),
  kanon_l_diversity(columns := ("{0}"), sensitive := "{3}", l := 3, sensitive_nulls := 'value'),
  kanon_suppression(source := clinic.stg_patients, at_most := '99.2%'),
  kanon_suppression(source := clinic.stg_patients, at_most := '99.1%'),
  kanon_suppression(source := clinic.stg_patients, at_most := 595),
  kanon_suppression(source := clinic.stg_patients, at_most := 594),
  kanon_classified(columns := ("{0}", "{1}", "{2}", "{3}"), listed_in := system.information_schema.columns),
  kanon_classified(columns := ("{0}", "{2}", "{3}"), listed_in := system.information_schema.columns),
  kanon_classified(columns := ("{0}", "{1}", "{2}", "{3}", "gone"), listed_in := system.information_schema.columns)
));
SELECT a AS "{0}", b AS "{1}", c AS "{2}", d AS "{3}"
FROM (VALUES ('x', 1, 7, 'p'), ('x', 1, 7, 'q'), ('x', NULL, 8, NULL), ('x', NULL, 9, NULL), ('y', 2, 7, 'p')) AS v(a, b, c, d);
"""


def test_audits_count_by_their_parameters_whatever_the_names(project):
    """Of the classes (x, 1), (x, NULL), (y, 2), these fail: those of one row; of one entity; of a NULL; of y,
    which has one value, and of x, which has two, or three if NULL is one; and all, where NULLs are to be what is not known. 595 of 600 rows are missing, or 99.17 %."""
    project.write("models/audited.sql", AUDITED.format(*NAMES))
    told = project.plan(fails=True)
    found = re.findall(r"'kanon_(\w+)' audit error: (\d+) row", told)
    assert sorted(found) == sorted(
        [
            ("k_anonymity", "1"),
            ("k_anonymity", "2"),
            ("k_anonymity", "1"),
            ("k_anonymity", "3"),
            ("l_diversity", "1"),
            ("l_diversity", "2"),
            ("suppression", "1"),
            ("suppression", "1"),
            ("classified", "1"),
            ("classified", "1"),
        ]
    )
