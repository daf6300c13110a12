"""What `plan`, `apply` and `anonymize` print by `--no-rows`, and where they replace a plan."""

from __future__ import annotations

import json

import pytest


def table_of(printed):
    """The lines of the table of columns."""
    lines = printed.splitlines()
    (first,) = [n for n, line in enumerate(lines) if "values" in line and "rows" in line][:1]
    return [line for line in lines[first:] if line.startswith("│")]


def write(lab):
    rows = "".join(f"{10 + n % 20},{n % 2},canary-{n % 3}\n" for n in range(80))
    lab.write("people.csv", f'age,"my ""sex""",ill\n{rows}')
    lab.write(
        "own.yml",
        """version: 1
source: people.csv
entity: row
columns:
  age: {role: quasi, hierarchy: {intervals: [10, 20]}}
  my "sex": {role: quasi, hierarchy: suppress}
  ill: {role: sensitive}
privacy: {k: 15}
search: {algorithm: SEARCH}
release: out.parquet
""",
    )


@pytest.mark.parametrize("search", ["optimal", "mondrian"])
@pytest.mark.parametrize("command", ["plan", "apply", "anonymize"])
def test_without_rows_the_columns_stay_and_no_label_is_printed(lab, command, search):
    write(lab)
    text = (lab.folder / "own.yml").read_text()
    lab.write("own.yml", text.replace("SEARCH", search))
    of = "own.yml"
    if command == "apply":
        lab.done("plan", "own.yml")
        of = "own.plan.yml"
    hidden = table_of(lab.done(command, of, "--no-rows"))
    lab.run("clean")
    for each in ("out.parquet", "out.plan.yml"):
        (lab.folder / each).unlink(missing_ok=True)
    shown = table_of(lab.done(command, of))
    counts = [line.split("│")[1:5] for line in hidden if "age" in line or "sex" in line]
    assert len(counts) == 2
    assert counts == [line.split("│")[1:5] for line in shown if "age" in line or "sex" in line][:2]
    assert not any("[" in line or "NULL" in line for line in hidden)
    assert any("[" in line for line in shown)
    assert "20" in "".join(counts[0])  # ages before


def test_plan_says_that_it_replaces_a_plan(lab):
    write(lab)
    text = (lab.folder / "own.yml").read_text()
    lab.write("own.yml", text.replace("SEARCH", "mondrian"))
    assert "\nwrote own.plan.yml and " in lab.done("plan", "own.yml")
    last = lab.done("plan", "own.yml", "-k", "20").splitlines()[-1]
    assert last.startswith("replaced the earlier plan in own.plan.yml and own.plan.boundaries.")
    assert json.loads(lab.done("plan", "own.yml", "--json"))["replaced"]
    assert not json.loads(lab.done("plan", "own.yml", "-o", "other.yml", "--json"))["replaced"]
    lab.write("mine.yml", "hours: of work\n")
    assert "was not written by kanon-sql" in lab.refused("plan", "own.yml", "-o", "mine.yml")
    assert (lab.folder / "mine.yml").read_text() == "hours: of work\n"
