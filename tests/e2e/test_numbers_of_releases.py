"""The means and correlations of a release of values, in `quality` and in the report, whatever file the release is in."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import InputError
from kanon_sql.evidence.reports.first_screen import answers
from kanon_sql.recoding.measured import NumberColumn, NumberPair, NumbersKept


def people():
    draw = random.Random(1)
    rows = [
        {"age": draw.randint(20, 29), "weight": draw.randint(30, 40) * 2.0, "score": at % 9}
        for at in range(240)
    ]
    return pa.Table.from_pylist(rows)


def released(**stated):
    return kanon_sql.anonymize(
        people(), quasi=["age", "weight"], sensitive="score", use="counts", k=5, **stated
    )


@pytest.mark.parametrize("file", [None, "u.parquet", "u.csv"])
def test_numbers_that_stand_for_a_class_are_compared_in_every_kind_of_file(tmp_path, file):
    place = None if file is None else str(tmp_path / file)
    release = released(**({} if place is None else {"release": place}))
    numbers = kanon_sql.quality(release).numbers
    assert [each.name for each in numbers.columns] == ["age", "weight", "score"]
    assert len(numbers.pairs) == 3
    ages = people()["age"].to_pylist()
    assert numbers.columns[0].mean_before == pytest.approx(sum(ages) / len(ages))
    if place is not None:
        page = kanon_sql.report(place, people(), plan=release.plan)
        assert [each.name for each in page.quality.numbers.columns] == ["age", "weight", "score"]


def test_a_page_is_written_as_html_or_pdf_alone(tmp_path):
    page = released().plan.report(search=False)
    with pytest.raises(InputError, match=r"\.html or \.pdf"):
        page.write(tmp_path / "page.docx")
    assert not list(tmp_path.iterdir())
    page.write(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == [tmp_path / "page.html"]


def test_a_report_shows_an_example_only_with_a_value_before():
    text = released().plan.report(search=False).to_text()
    assert "a value of its class" in text
    assert "for example  ->" not in text
    assert "value before is made up" not in text


def test_the_first_screen_names_the_pair_of_numbers_that_changes_most():
    release = released()
    found = release.report(search=False)
    (said,) = [of for of in answers(found) if of.question == "What do correlations lose?"]
    both = zip(people().to_pandas().corr().stack(), release.to_pandas().corr().stack(), strict=True)
    far = max(abs(after - before) for before, after in both)
    first = said.chart.rows[0]
    assert abs(first[2] - first[1]) == pytest.approx(far, abs=0.001)
    assert f"{first[0]} changes most: {first[1]:.3f} in the source, {first[2]:.3f}" in said.sentence
    assert len(said.chart.rows) == 3


def test_labels_have_no_correlations_on_the_first_screen():
    with kanon_sql.anonymize(people(), quasi=["age", "weight"], sensitive="score", k=5) as release:
        assert "What do correlations lose?" not in [
            each.question for each in answers(release.report(search=False))
        ]


def test_a_change_of_the_last_digits_is_none():
    same = NumberColumn("age", 40.0, 40.0 + 1e-9, 9.0, 9.0)
    pair = NumberPair("age", "bmi", 0.1, 0.2)
    assert (
        str(NumbersKept((same,), (pair,)))
        == "means stay, correlations move by up to 0.1 (age and bmi)"
    )


@pytest.mark.parametrize(
    ("use", "may"),
    [
        ("counts", "a row does not show what is true of it"),
        ("means", "compute means and slopes with it"),
        ("records", "it is no number to compute with"),
    ],
)
def test_a_codebook_tells_who_gets_the_rows_what_each_column_is_for(tmp_path, use, may):
    frame = people().append_column("room", pa.array([f"Planted-{n}" for n in range(240)]))
    with kanon_sql.anonymize(
        frame, quasi=["age", "weight"], sensitive="score", drop="room", k=5, use=use
    ) as release:
        release.report(search=False).write(tmp_path / "codebook.md")
        rows = release.to_pandas()
    text = (tmp_path / "codebook.md").read_text()
    lines = {of.split(" | ")[0].strip("| "): of for of in text.splitlines() if of.startswith("| ")}
    assert list(lines) == ["column", "age", "weight", "score"]
    assert may in lines["age"]
    assert f"{rows['age'].nunique():,} different cells" in lines["age"]
    assert "the row's own value" in lines["score"]
    assert "Planted" not in text
    assert f"at least {rows.groupby(['age', 'weight']).size().min()} rows" in text
    assert ("`*` stands for any value" in text) == bool(
        (rows[["age", "weight"]] == "*").any(axis=None)
    )


def test_the_command_writes_a_codebook_and_replaces_no_other_file(lab):
    people().to_pandas().to_csv(lab.folder / "people.csv", index=False)
    lab.done("init", "people.csv", "-o", "p.yml", "--known", "age,weight", "--sensitive", "score")
    lab.done("plan", "p.yml")
    lab.done("report", "p.plan.yml", "-o", "book.md", "--no-search")
    text = (lab.folder / "book.md").read_text()
    assert "| age | *class*" in text
    assert "<html" not in text
    lab.done("report", "p.plan.yml", "-o", "book.md", "--no-search", "--replace")
    (lab.folder / "own.md").write_text("# Mine\n")
    told = lab.refused("report", "p.plan.yml", "-o", "own.md", "--no-search", "--replace")
    assert "was not written by kanon-sql" in told
