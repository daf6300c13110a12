"""What Python users meet: one name for an argument, results that know their policy, warnings, lines, types."""

from __future__ import annotations

import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli.commands import main
from kanon_sql.documents.shown import WIDEST, Shown, ShownResult

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
