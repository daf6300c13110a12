"""`init` on Adult, beside the policy that the page on Mondrian writes for it, by one loss counted here."""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter

import duckdb
import pytest
import yaml

pytestmark = pytest.mark.slow

CATEGORIES = (
    "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation",
)  # fmt: skip
INTERVAL = re.compile(r"\[(\d+), (\d+)([\])])")


@pytest.fixture(scope="module")
def adult(shared, tmp_path_factory, lab_in):
    """A folder with Adult and its hierarchies, and two releases of it: by `init`, and by hand."""
    lab = lab_in(tmp_path_factory.mktemp("adult"))
    for file in (shared / "data" / "adult").glob("*.csv"):
        if file.stem == "adult" or file.stem.startswith("hierarchy_"):
            shutil.copyfile(file, lab.folder / file.name)
    answers = ("--sensitive", "none", "--key", "drop")
    lab.done("init", "adult.csv", "--known", "none", *answers[:2], "-o", "first.yml")
    lab.done("anonymize", "first.yml", "--release", "first.parquet")
    columns: dict[str, object] = {"salary-class": {"role": "insensitive"}}
    for name in ("age", *CATEGORIES):
        columns[name] = {"role": "quasi", "hierarchy": {"csv": f"hierarchy_{name}.csv"}}
    policy = {
        "version": 1,
        "source": "adult.csv",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 5},
        "search": {"algorithm": "mondrian"},
        "release": "hand.parquet",
    }
    lab.write("hand.yml", yaml.safe_dump(policy))
    lab.done("anonymize", "hand.yml")
    return lab


def rows_of(lab, file):
    names = ", ".join(f'"{name}"::VARCHAR' for name in ("age", *CATEGORIES))
    return duckdb.read_parquet(str(lab.folder / file)).project(names).fetchall()


def widths(lab):
    """Of each column, how wide a label is: the share of the column's values that lie under it, but for one."""
    with (lab.folder / "adult.csv").open(encoding="utf-8") as file:
        source = list(csv.DictReader(file, delimiter=";"))
    ages = sorted({int(row["age"]) for row in source})

    def of_age(label):
        if label == "*":
            return 1.0
        read = INTERVAL.fullmatch(label) or re.fullmatch(r"(\d+)(?:-(\d+))?()", label)
        low, high, end = read.groups()
        top = int(high or low) - (end == ")")
        inside = [age for age in ages if int(low) <= age <= top]
        return (inside[-1] - inside[0]) / (ages[-1] - ages[0]) if inside else 0.0

    found = [of_age]
    for name in CATEGORIES:
        values = {row[name] for row in source}
        with (lab.folder / f"hierarchy_{name}.csv").open(encoding="utf-8") as file:
            paths = [line for line in csv.reader(file, delimiter=";") if line and line[0] in values]
        under = {
            label: {path[0] for path in paths if label in path} for path in paths for label in path
        }
        under["*"] = values

        def of_category(label, under=under):
            inside = len(under.get(label, under["*"]))
            return inside / len(under["*"]) if inside > 1 else 0.0

        found.append(of_category)
    return found


def ncp(lab, file):
    rows = rows_of(lab, file)
    total = sum(
        sum(width(label) for label, width in zip(row, widths_of, strict=True)) * many
        for widths_of in [widths(lab)]
        for row, many in Counter(rows).items()
    )
    return total / (len(rows) * len(rows[0]))


def test_init_asks_about_a_salary_class_and_reads_the_heights_of_files(adult):
    policy = yaml.safe_load((adult.folder / "first.yml").read_text())
    assert policy["columns"]["salary-class"]["role"] == "insensitive"
    for name in CATEGORIES:
        assert policy["columns"][name]["hierarchy"] == {"csv": f"hierarchy_{name}.csv"}
    asked = adult.done("init", "adult.csv", "-o", "asked.yml")
    assert "taken: --sensitive salary-class" in asked


def test_its_release_is_private_and_as_useful_as_one_by_hand(adult):
    rows = rows_of(adult, "first.parquet")
    assert min(Counter(rows).values()) >= 5
    assert len(rows) == len(rows_of(adult, "hand.parquet"))
    ratio = ncp(adult, "first.parquet") / ncp(adult, "hand.parquet")
    assert ratio <= 1.1
