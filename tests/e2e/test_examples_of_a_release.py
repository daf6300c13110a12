"""What plan, anonymize and apply show of a release: classes of at least k, and no more of them than labels and sizes.

Every name, disease and ZIP code is planted, so that one that is shown and not released would be found.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict

import duckdb
import pytest

import kanon_sql
from kanon_sql.counting.plans.plan import SHOWN_CLASSES

K = 4
QUASI = ("zip", "sex", "age", "born")
ZIPS = ("02138", "02139", "02141", "10001", "10002")


def people(seed, count=300):
    draw = random.Random(seed)
    return [
        {
            "who": f"canary-{draw.randrange(100)}",
            "zip": draw.choice(ZIPS) if n else "99999",
            "sex": draw.choice(["m", "f", None]),
            "age": draw.randrange(20, 60),
            "born": f"{1950 + draw.randrange(40)}-0{draw.randrange(1, 10)}-11",
            "ill": f"secret-{draw.randrange(3)}",
        }
        for n in range(count)
    ]


def policy(**changes):
    columns = {
        "who": {"role": "identifying", "action": "drop"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year", "decade"]}},
        "ill": {"role": "sensitive"},
        **changes.pop("columns", {}),
    }
    return {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": K},
        "suppression": "5%",
        "release": "release.parquet",
        **changes,
    }


ORDERED = {"age": {"role": "quasi", "order": "number"}, "born": {"role": "quasi", "order": "date"}}
WAYS = {
    "full-domain": {},
    "people": {"entity": "who"},
    "bounds": {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "output": "bounds"}}},
    "local": {"search": {"recoding": "local"}},
    "cells": {"search": {"recoding": "cells"}},
    "mondrian": {"search": {"algorithm": "mondrian"}, "columns": ORDERED},
    "top_down": {
        "search": {"algorithm": "top_down", "target": "ill"},
        "columns": {**ORDERED, "zip": {"role": "quasi", "order": "text"}, "sex": {"role": "insensitive"}},
    },
    "several sets": {"privacy": [{"k": K, "over": ["zip", "age"]}, {"k": K, "over": ["sex", "born"]}]},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, rows, **changes):
    text = "".join(
        ",".join("" if c is None else str(c) for c in row.values()) + "\n" for row in rows
    )
    (folder / "people.csv").write_text(f"{','.join(rows[0])}\n{text}", encoding="utf-8")
    (folder / "policy.yml").write_text(json.dumps(policy(**changes)), encoding="utf-8")
    return "policy.yml"


def released(folder):
    return duckdb.read_parquet(str(folder / "release.parquet")).to_arrow_table().to_pylist()


def texts(row, columns):
    return tuple(None if row[name] is None else str(row[name]) for name in columns)


def values_of(label):
    """The source's values below a label of ZIP code, age or date, by what these labels mean."""
    if label == "*":
        return None
    if label.endswith("*"):
        return lambda value: value.startswith(label.rstrip("*"))
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return lambda value: int(low) <= int(value) < int(high)
    return lambda value: value.startswith(label.removesuffix("0s"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", WAYS)
def test_classes_that_are_shown_are_released_and_no_smaller_than_k(folder, way):
    rows = people(way)
    file = write(folder, rows, **WAYS[way])
    release = kanon_sql.anonymize(file, examples=True)
    found = release.plan.examples
    assert set(found.columns) <= {*QUASI, "age_low", "age_high"}
    counts = Counter(texts(row, found.columns) for row in released(folder))
    shown = [each.labels for each in found.classes]
    assert len(set(shown)) == len(shown) == min(SHOWN_CLASSES, sum(n >= K for n in counts.values()))
    for each in found.classes:
        assert each.rows == counts[each.labels] >= K
        assert (each.people is None) == (way != "people")
        assert each.people is None or K <= each.people <= each.rows
    planned = kanon_sql.plan(file, examples=True).examples
    assert planned == found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_label_beside_a_level_stands_for_several_values_and_at_least_k_rows(folder, seed):
    rows = people(seed)
    file = write(folder, rows)
    release = kanon_sql.anonymize(file, examples=True)
    found = release.plan.examples.labels
    assert set(found) <= {name for name, level in release.plan.levels.items() if level > 0}
    for name, label in found.items():
        under = values_of(label)
        values = {row[name] for row in rows if under is None or under(str(row[name]))}
        assert len(values) > 1, (name, label)
        assert sum(row[name] == label for row in released(folder)) >= K
    most = {name: Counter(row[name] for row in released(folder)) for name in found}
    assert all(most[name][label] == max(most[name].values()) for name, label in found.items())


def test_a_label_of_a_single_value_is_not_shown(folder):
    """All have one ZIP code: above it every label stands for that alone."""
    rows = [{**row, "zip": "02138"} for row in people(5)]
    file = write(
        folder,
        rows,
        columns={"zip": {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"least": 2}}},
    )
    plan = kanon_sql.plan(file, examples=True)
    assert plan.levels["zip"] >= 2
    assert "zip" not in plan.examples.labels


def test_people_are_counted_where_they_repeat(folder):
    """One person in 40 rows has a class of their own: it is no class, and is not shown."""
    rows = [{**row, "who": "canary-x", "zip": "60601"} for row in people(7, 40)] + people(8)
    file = write(folder, rows, entity="who", suppression="30%")
    release = kanon_sql.anonymize(file, examples=True)
    of = defaultdict(set)
    for each in release.plan.examples.classes:
        of[each.labels].add(each.people)
        assert each.people >= K


def test_the_order_of_the_rows_does_not_matter(folder):
    rows = people(3)
    one = kanon_sql.plan(write(folder, rows), examples=True).examples
    other = kanon_sql.plan(write(folder, rows[::-1]), examples=True).examples
    assert one == other


def test_a_plan_has_no_example_unless_asked_and_its_file_never(folder):
    file = write(folder, people(1))
    without, asked = kanon_sql.plan(file), kanon_sql.plan(file, examples=True)
    assert without.examples is None
    counted = [line for line in asked.to_yaml().splitlines() if "count_error" not in line]
    assert counted == without.to_yaml().splitlines()  # which is measured with the examples
    assert "examples" not in json.dumps(asked.summary(), default=str).replace('"examples": 0', "")


def run(*words):
    from click.testing import CliRunner

    from kanon_sql.apps.cli.command_line import main

    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", ["full-domain", "people", "mondrian"])
def test_the_command_line_shows_no_other_value(folder, way):
    """Not a name, not a disease, not the one ZIP code that had to go."""
    rows = people(2)
    write(folder, rows, **WAYS[way])
    shown = [run("plan", "policy.yml"), run("apply", "policy.plan.yml")]
    shown.append(run("anonymize", "policy.yml", "--replace"))
    for text in shown:
        assert "released equivalence classes:" in text
        assert [each for each in ("canary", "secret", "99999") if each in text] == []
    assert all(("for example" in text) == (way != "mondrian") for text in shown)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", ["full-domain", "mondrian"])
@pytest.mark.parametrize("without", ["--no-rows", "--json"])
def test_without_rows_not_a_label_is_shown(folder, way, without):
    rows = people(2)
    write(folder, rows, **WAYS[way])
    run("plan", "policy.yml", "--no-rows")
    shown = [
        run(command, file, without, *more)
        for command, file, *more in (
            ("plan", "policy.yml"),
            ("apply", "policy.plan.yml"),
            ("anonymize", "policy.yml", "--replace"),
        )
    ]
    labels = {str(row[name]) for row in released(folder) for name in QUASI} - {
        "m",
        "f",
        "None",
        "*",
    }
    assert len(labels) > 3
    for text in shown:
        assert [label for label in labels if label in text] == []
        assert "equivalence classes:" not in text


def test_names_of_columns_are_shown_as_they_are_and_command_nothing(folder):
    names = ["rows", "[bold]x", "a\x1b]0;z\nb"]
    rows = [dict(zip(names, (n % 2, n % 3, "v"), strict=True)) for n in range(60)]
    quoted = [
        {f'"{name}"' if "\n" in name else name: cell for name, cell in row.items()} for row in rows
    ]
    write(folder, quoted)
    text = json.dumps(
        {
            **policy(),
            "columns": {name: {"role": "quasi", "hierarchy": "suppress"} for name in names},
        }
    )
    (folder / "policy.yml").write_text(text, encoding="utf-8")
    told = run("plan", "policy.yml")
    shown = told[told.index("released equivalence classes:") :].splitlines()[2]
    assert [cell.strip() for cell in shown.split("┃")[1:-1]] == [
        "rows",
        "[bold]x",
        "a\\x1b]0;z\\nb",
        "rows",
    ]
    assert "\x1b" not in told


@pytest.mark.slow
def test_a_wide_release_has_a_column_for_each_class(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        {**row, **{f"a column of a long name {n}": n % 2 for n in range(9)}} for row in people(4)
    ]
    more = {
        f"a column of a long name {n}": {"role": "quasi", "hierarchy": "suppress"} for n in range(9)
    }
    write(folder, rows, columns=more)
    text = run("plan", "policy.yml")
    table = text[text.index("released equivalence classes:") :].splitlines()
    assert max(map(len, table[1:-1])) <= 80
    assert sum(line.startswith("│ a column of") for line in table) >= 9
