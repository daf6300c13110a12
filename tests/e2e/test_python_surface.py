"""What Python users meet: one name for an argument, results that know their policy, warnings, lines, types."""

from __future__ import annotations

import pickle

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.base.documents.shown import WIDEST, Shown, ShownResult

TABLE = pa.table({"age": ["3*", "3*", "5*", "5*"], "disease": ["flu", "cold", "flu", "cold"]})


@pytest.mark.parametrize("quasi", ["age", ["age"]])
def test_a_column_may_be_named_alone(quasi):
    assert kanon_sql.verify(TABLE, quasi=quasi, k=2).smallest_class == 2
    assert kanon_sql.risk(TABLE, quasi=quasi).classes == 2
    assert kanon_sql.attack_homogeneity(TABLE, quasi=quasi, sensitive="disease").classes == 2


def test_the_earlier_name_of_quasi_warns():
    with pytest.warns(DeprecationWarning, match="qi= is now quasi="):
        assert kanon_sql.verify(TABLE, qi=["age"], k=2).passed


def test_warnings_of_results_are_given_to_python():
    rows = pa.table({"age": [31, 34, 52, 56], "visit": [1, 2, 3, 4]})
    arguments = {"quasi": "age", "keep": "visit", "k": 2}
    with pytest.warns(kanon_sql.KanonWarning) as given:
        release = kanon_sql.anonymize(rows, **arguments)
    assert {str(each.message) for each in given} == set(release.warnings) != set()
    assert {each.filename for each in given} == {__file__}


def test_the_command_line_prints_warnings_itself(tmp_path, recwarn):
    (tmp_path / "rows.csv").write_text("age,visit\n31,1\n34,2\n52,3\n56,4\n", encoding="utf-8")
    done = CliRunner().invoke(
        main, ["verify", str(tmp_path / "rows.csv"), "--qi", "age", "-k", "1"]
    )
    assert "warning" in done.output
    assert not [each for each in recwarn if each.category is kanon_sql.KanonWarning]


PEOPLE = pa.table(
    {
        "age": [31, 34, 36, 33, 52, 55, 58, 57],
        "zip": ["02138", "02138", "02139", "02141", "02141", "02141", "02142", "02138"],
        "disease": ["flu", "ulcer", "flu", "flu", "cancer", "flu", "cancer", "asthma"],
    }
)
POLICY = {
    "version": 1,
    "entity": "row",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "disease": {"role": "sensitive"},
    },
    "privacy": [{"k": 2}, {"distinct_l": {"column": "disease", "l": 2}}],
    "suppression": 2,
}
ROLES = {"quasi": ["age", "zip"], "sensitive": "disease", "k": 2}


@pytest.mark.parametrize("made", [(POLICY, PEOPLE, {}), (PEOPLE, None, ROLES)])
def test_a_plan_knows_what_it_was_made_from(made, tmp_path):
    policy, source, roles = made
    plan = kanon_sql.plan(policy, source, **roles)
    assert plan.explain(time_limit=5).document() is not None
    assert plan.report(tmp_path / "plan.html", search=False).plan.classes == plan.classes
    assert "</html>" in (tmp_path / "plan.html").read_text("utf-8")
    assert kanon_sql.explain(plan).plan == plan
    with kanon_sql.apply(plan) as release:
        assert release.verification.classes == plan.classes


@pytest.mark.parametrize("place", [None, "r.parquet", "r.csv"])
def test_a_release_is_reported_and_recounted_without_its_policy(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release = kanon_sql.anonymize(POLICY, PEOPLE, release=place)
    found = release.verify()
    assert found.passed
    assert (found.rows, found.classes) == (release.verification.rows, release.verification.classes)
    assert found.distinct == release.verification.distinct
    assert release.report(str(tmp_path / "page.html"), search=False).risk.classes == found.classes
    assert "</html>" in (tmp_path / "page.html").read_text("utf-8")
    if place is None:
        release.close()
        with pytest.raises(kanon_sql.ReleaseError, match="was closed"):
            release.verify()


def test_candidates_are_recounted_as_the_policy_counts_them():
    rows = pa.table({"age": [1, 1, 2, None, None, 3], "ward": ["x", "x", "y", "y", "x", "z"]})
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [2]}},
        "ward": {"role": "quasi", "hierarchy": "suppress"},
    }
    policy = {**POLICY, "columns": columns, "privacy": {"k": 2}, "suppression": 1}
    with kanon_sql.anonymize({**policy, "nulls": "wildcard"}, rows) as release:
        found = release.verify()
        assert found.passed
        assert found.smallest_class == release.verification.smallest_class


def test_people_are_recounted_by_all_their_rows():
    visits = pa.table({"who": [1, 1, 2, 2, 3, 4], "age": [31, 52, 33, 57, 36, 38]})
    columns = {
        "who": {"role": "insensitive", "linkable": "accept"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
    }
    policy = {**POLICY, "entity": {"signature": "who"}, "columns": columns, "privacy": {"k": 2}}
    with kanon_sql.anonymize(policy, visits) as release:
        assert release.verify().smallest_class == release.verification.smallest_class == 2


def test_verify_counts_what_the_release_is_now(tmp_path):
    place = tmp_path / "r.parquet"
    release = kanon_sql.anonymize(POLICY, PEOPLE, release=place)
    kanon_sql.anonymize({**POLICY, "privacy": {"k": 1}}, PEOPLE, release=place, replace=True)
    found = release.verify()
    assert not found.passed
    assert found.smallest_class == 1


def test_a_release_in_a_database_is_recounted_there():
    with duckdb.connect() as connection:
        connection.register("people", PEOPLE)
        release = kanon_sql.anonymize(POLICY, "people", connection=connection, release="safe")
        assert release.verify().passed
        assert release.report(search=False).risk.classes == release.verification.classes


def test_people_who_are_not_released_are_not_recounted():
    with_key = PEOPLE.append_column("who", [list(range(8))])
    columns = {**POLICY["columns"], "who": {"role": "identifying", "action": "drop"}}
    policy = {**POLICY, "entity": "who", "columns": columns}
    with kanon_sql.anonymize(policy, with_key) as release:
        assert release.verification.passed
        with pytest.raises(kanon_sql.InputError, match="entity: is not released"):
            release.verify()


def test_what_a_plan_was_made_from_stays_in_the_process():
    plan = kanon_sql.plan(POLICY, PEOPLE)
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    for other in (again, kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")):
        assert other.origin is None
        with pytest.raises(kanon_sql.InputError, match="give the policy too"):
            other.explain()


class OneLine(ShownResult):
    def __init__(self, line, warnings):
        self.line, self.warnings = line, warnings

    def _shown(self):
        return Shown(self.line, warnings=self.warnings)


@pytest.mark.parametrize("warnings", [(), ("one", "two")])
@pytest.mark.parametrize("clause", ["8 rows in 2 equivalence classes", "released to /data/people"])
def test_a_line_that_is_too_long_ends_after_a_clause_or_a_word(clause, warnings):
    for length in range(1, 150):
        line = f"{clause}; {'person ' * length}".strip()
        shown = repr(OneLine(line, warnings)).removesuffix(">").removesuffix("; 2 warnings")
        assert len(repr(OneLine(line, warnings))) <= WIDEST
        kept = shown.removeprefix("<OneLine: ")
        assert kept == line or (kept.endswith(" ...") and line.startswith(kept.removesuffix("...")))
