"""What the table of docs/explanation/recodings.md says of each recoding is counted in its releases."""

from __future__ import annotations

import contextlib

import duckdb
import pages
import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main

PAGE = "docs/explanation/recodings.md"
COUNTED = """
WITH found AS (
  SELECT (p.sex, p.age, p.zip, p.education) AS tuple, (r.sex, r.age, r.zip, r.education) AS labels,
         {'sex': (p.sex, r.sex), 'age': (p.age, r.age), 'zip': (p.zip, r.zip),
          'education': (p.education, r.education)} AS cells
  FROM read_parquet($release) AS r JOIN read_csv('people.csv', all_varchar = true) AS p USING (patient_id)
), cells AS (
  UNPIVOT (SELECT cells.* FROM found) ON sex, age, zip, education INTO NAME name VALUE cell
)
SELECT (SELECT COUNT(*) FROM (SELECT tuple FROM found GROUP BY tuple HAVING COUNT(DISTINCT labels) > 1)),
       (SELECT COUNT(*) FROM (SELECT name, cell[1] FROM cells GROUP BY ALL HAVING COUNT(DISTINCT cell[2]) > 1))
"""
"""How many tuples, and how many values, have several labels."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("recodings")
    with contextlib.chdir(made):
        CliRunner().invoke(main, ["demo", "--out", "."])
        for block in pages.blocks_of(PAGE):
            if block.title is not None:
                (made / block.title).write_text(block.text, encoding="utf-8")
        (program,) = (block.text for block in pages.blocks_of(PAGE) if block.kind == "python")
        exec(compile(program, PAGE, "exec"), {})
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "equal_rows_alike", "one_label"),
    [
        ("full_domain", True, True),
        ("subtrees", True, True),
        ("local", True, False),
        ("cells", True, False),
        ("greedy", True, False),
        ("strict", True, False),
        ("relaxed", False, False),
        ("local_suppression", True, False),
    ],
)
def test_equal_rows_and_values_have_the_labels_of_the_table(
    folder, release, equal_rows_alike, one_label
):
    with contextlib.chdir(folder), duckdb.connect() as connection:
        tuples, values = connection.execute(COUNTED, {"release": f"{release}.parquet"}).fetchone()
    assert (tuples == 0, values == 0) == (equal_rows_alike, one_label)
