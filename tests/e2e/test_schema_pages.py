"""The page of a schema, which somebody signs: purpose, columns, thresholds, what is found, all warnings; its picture."""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from hospitals import (
    BILLS,
    DIAGNOSES,
    KEY,
    KEY_ENV,
    PATIENTS,
    PLANTED,
    STAFF,
    VISITS,
    build,
    policy,
    rows_of_hospital,
)

from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.schema.schema_page import picture_of
from kanon_sql.apps.schema.schema_plan import PlannedKey, PlannedTable, SchemaPlan
from kanon_sql.evidence.reports.report import browser

ABOUT = {
    "title": "Visits <of> 2025",
    "purpose": "Research into readmissions",
    "contact": "privacy@example.org",
    "recipients": "The university's institute",
    "terms": "No linking",
    "review": "Each May",
    "threshold": "11, as the hospital asks",
}


def told(*words, code=0):
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == code, (words, done.output, done.exception)
    return done.stdout if code == 0 else " ".join(done.output.split())


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A folder with the plan of a hospital's schema, made once."""
    folder = tmp_path_factory.mktemp("page")
    with duckdb.connect(str(folder / "hospital.duckdb")) as connection:
        build(connection.execute, rows_of_hospital(120))
    stated = policy(database="hospital.duckdb", about=ABOUT)
    stated["tables"][VISITS]["columns"]["ward"]["why"] = "nobody outside knows it"
    (folder / "schema.yml").write_text(yaml.safe_dump(stated, sort_keys=False), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_ENV, KEY)
        patch.chdir(folder)
        summary = json.loads(told("plan", "schema.yml", "--json"))
    return folder, stated, summary


@pytest.fixture
def folder(planned, monkeypatch):
    """The folder without the key of pseudonyms: a page needs neither it nor the tables."""
    monkeypatch.delenv(KEY_ENV, raising=False)
    monkeypatch.chdir(planned[0])
    return planned[0]


@pytest.fixture
def page(folder):
    told("report", "schema.plan.yml", "-o", "page.html", "--replace")
    return (folder / "page.html").read_text(encoding="utf-8")


def words_of(page):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def sections(page):
    """The sections of a page by their titles, each as the rows of its tables."""
    found = {}
    for part in re.split(r"<h2", page)[1:]:
        title = words_of(f"<h2{part.partition('</h2>')[0]}")
        rows = re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL)
        cells = [[words_of(c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]  # fmt: skip
        found[title] = cells
    return found


def test_it_shows_what_the_policy_says_of_the_release(page):
    for text in ABOUT.values():
        assert html.escape(text, quote=False).replace("'", "&#39;") in page or text in words_of(
            page
        )
    assert "<of>" not in page
    assert "for “The university's institute”" in words_of(page)
    assert "What the policy could state" not in page


def test_it_shows_each_column_with_its_role_what_it_shows_and_why(page, planned):
    _, stated, summary = planned
    shown = sections(page)
    for name, table in stated["tables"].items():
        (rows,) = (rows for title, rows in shown.items() if title == f"Columns of {name}")
        found = {row[0]: row[1:] for row in rows[1:]}
        for column, entry in table.get("columns", {}).items():
            role, shows = found[column][:2]
            assert role == entry["role"].replace("quasi", "quasi-identifier")
            assert ("dropped" in shows) is (entry.get("action") == "drop")
        for change in summary["tables"][name]["columns"]:
            kept = f"{change['kept'] / change['rows']:.0%}" if change["rows"] else "-"
            of = [f"{change['values']:,}", f"{change['labels']:,}", kept]
            assert found[change["name"]][2:5] == of
        for domain in stated["keys"].values():
            for each in domain["columns"]:
                if each.startswith(f"{name}.") and name != BILLS:
                    assert found[each.removeprefix(f"{name}.")][0] == "identifying"
    of_visits = {row[0]: row for row in shown[f"Columns of {VISITS}"]}
    assert of_visits["ward"][-1] == "nobody outside knows it"
    assert "nobody has decided" in of_visits["day"][-1]
    assert {row[0] for row in shown[f"Columns of {STAFF}"][1:]} == {"id", "specialty", "head"}
    assert [row[1:3] for row in shown[f"Columns of {BILLS}"][1:]] == [
        ["summary", "number of rows, 2 standing for more"],
        ["summary", "set of year"],
    ]


def test_it_says_the_thresholds_and_what_a_stranger_finds(page, planned):
    _, _, summary = planned
    shown = sections(page)
    finds = {row[0]: row[2] for row in shown["What a stranger could find out"][1:]}
    for name in (PATIENTS, DIAGNOSES):
        least = summary["tables"][name]["plan"]["smallest_class"]
        assert finds[name].endswith(f"a chance of at most 1 in {least}.")
    (joins,) = summary["joined"][:1]
    assert (
        f"Of {joins['people']} people {joins['below']} have fewer than 5 like them" in finds[VISITS]
    )
    assert "nobody has counted" in finds[STAFF]
    assert "the k of its people" in finds[BILLS]
    protects = {row[0]: row for row in shown["Tables and what protects each"][1:]}
    plan = summary["tables"][PATIENTS]["plan"]
    most = (
        f"{plan['suppressed_rows']} of 120 rows suppressed, at most {plan['max_suppressed_rows']}"
    )
    assert protects[PATIENTS][4] == f"5-anonymity; {most}"


def test_it_has_every_warning_of_the_plan_and_so_has_the_text(page, planned):
    _, _, summary = planned
    text = " ".join(told("report", "schema.plan.yml", "--text").split())
    assert len(summary["warnings"]) >= 4
    for warning in summary["warnings"]:
        assert " ".join(warning.split()) in words_of(page)
        assert " ".join(warning.split()) in text
    assert f"{len(summary['warnings'])} warnings of the plan" in words_of(page)


def test_it_says_what_each_table_does_not_keep_of_its_declaration(page, planned):
    _, _, summary = planned
    lost = {name: each["not_kept"] for name, each in summary["tables"].items()}
    assert sum(map(bool, lost.values())) > 1  # pseudonyms in the place of numbers, at least
    text = " ".join(told("report", "schema.plan.yml", "--text").split())
    for each in filter(None, lost.values()):
        assert f"does not keep: {'; '.join(each)}." in words_of(page)
        assert f"does not keep: {'; '.join(each)}." in text


def test_no_page_holds_a_value_or_needs_another_file(page, folder):
    told("report", "schema.plan.yml", "-o", "book.md", "--replace")
    text = told("report", "schema.plan.yml", "--text")
    for each in (page, (folder / "book.md").read_text(encoding="utf-8"), text):
        assert PLANTED not in each
    assert not re.search(r"(src|href)=", page)
    assert "<script" not in page


def test_the_codebook_has_the_released_columns_of_each_released_table(folder, planned):
    told("report", "schema.plan.yml", "-o", "book.md", "--replace")
    book = (folder / "book.md").read_text(encoding="utf-8")
    assert book.startswith("<!-- A codebook")
    parts = {part.partition("\n")[0]: part for part in re.split(r"^## ", book, flags=re.MULTILINE)[1:]}  # fmt: skip
    _, stated, _ = planned
    assert parts.keys() == stated["tables"].keys() - {BILLS}
    listed = {name: set(re.findall(r"^\| (.*?) \|", part, re.MULTILINE)) - {"column"} for name, part in parts.items()}  # fmt: skip
    assert listed[PATIENTS] == {"select", "born", "region", "id", "bills", "years"}
    assert listed[DIAGNOSES] == {"icd", "day"}
    assert listed[STAFF] == {"id", "specialty", "head"}
    assert "Terms of use: No linking" in book
    told("report", "schema.plan.yml", "-o", "book.md", code=1)


@pytest.mark.skipif(browser() is None, reason="no browser prints")
def test_it_is_printed(folder):
    told("report", "schema.plan.yml", "--pdf", "page.pdf", "--replace")
    assert (folder / "page.pdf").read_bytes().startswith(b"%PDF")
    assert "already exists" in told("report", "schema.plan.yml", "--pdf", "page.pdf", code=1)


def test_what_it_has_not_is_refused_in_true_words(folder):
    del folder
    said = told("report", "schema.plan.yml", "--figures", "f", code=1)
    assert (
        "--figures: is for the policy of one table; the page of a schema is written by -o" in said
    )
    said = told("report", "the anon", "--plan", "schema.plan.yml", "-o", "x.html", code=1)
    assert "whose page is of the plan: kanon-sql report schema.plan.yml -o FILE.html" in said
    assert "report take" not in said


def test_it_is_of_the_policy_that_the_plan_was_made_from(folder, planned):
    other = json.loads(json.dumps(planned[1]))
    other["tables"][PATIENTS]["privacy"] = {"k": 3}
    (folder / "other.yml").write_text(yaml.safe_dump(other), encoding="utf-8")
    stale = ("report", "schema.plan.yml", "--policy", "other.yml", "-o", "x.html")
    assert "changed since the plan was made" in told(*stale, code=1)
    (folder / "moved").mkdir(exist_ok=True)
    moved = folder / "moved" / "plan.yml"
    moved.write_bytes((folder / "schema.plan.yml").read_bytes())
    told("report", str(moved), "--policy", "schema.yml", "-o", "moved.html", "--replace")
    assert "Visits" in Path("moved.html").read_text(encoding="utf-8")


def test_an_address_is_shown_without_its_user(folder, planned):
    stated = {**planned[1], "database": "postgresql://ann@db.example:5432/clinic"}
    (folder / "server.yml").write_text(yaml.safe_dump(stated, sort_keys=False), encoding="utf-8")
    told("report", "schema.plan.yml", "--policy", "server.yml", "-o", "s.html", "--replace")
    page = (folder / "s.html").read_text(encoding="utf-8")
    assert "postgresql://db.example/clinic" in page
    assert "ann@" not in page


# The picture: no line crosses a box, and each key has one.


def crossed(picture):
    """The lines of a picture with the boxes whose inside they run through, by plain geometry."""
    found = []
    for line in picture["lines"]:
        points = [tuple(map(int, each.split(","))) for each in line["points"].split()]
        for (x1, y1), (x2, y2) in pairwise(points):
            assert x1 == x2 or y1 == y2
            for box in picture["boxes"]:
                inside_x = max(min(x1, x2), box["x"]) < min(max(x1, x2), box["x"] + 190) if x1 != x2 else box["x"] < x1 < box["x"] + 190  # fmt: skip
                inside_y = max(min(y1, y2), box["y"]) < min(max(y1, y2), box["y"] + 64) if y1 != y2 else box["y"] < y1 < box["y"] + 64  # fmt: skip
                if inside_x and inside_y:
                    found.append((line["words"], box["name"]))
            for x, y in ((x1, y1), (x2, y2)):
                assert 0 <= x <= picture["width"]
                assert 0 <= y <= picture["height"]
    return found


def ends_touch(picture, here, there):
    boxes = {each["name"]: each for each in picture["boxes"]}
    for line in picture["lines"]:
        points = [tuple(map(int, each.split(","))) for each in line["points"].split()]
        for name, (x, y) in ((here(line), points[0]), (there(line), points[-1])):
            box = boxes[name]
            assert box["x"] <= x <= box["x"] + 190
            assert box["y"] <= y <= box["y"] + 64


@pytest.mark.parametrize("seed", range(60))
def test_no_line_runs_through_a_box(seed):
    r = random.Random(seed)
    kinds = ["entity", "cut", "summary", "events", "none", "copy"]
    names = [f"t{n}" for n in range(r.randrange(1, 24))]
    tables = {name: PlannedTable(r.choice(kinds), 5, 5) for name in names}
    keys = tuple(
        PlannedKey(r.choice(names), ("a",), r.choice(names), ("b",), 0, r.random() < 0.7)
        for _ in range(r.randrange(30))
    )
    plan = SchemaPlan(policy_file=None, policy_hash="", joined=(), foreign_keys=keys, tables=tables)
    picture = picture_of(plan)
    assert crossed(picture) == []
    assert [line["words"] for line in picture["lines"]] == list(map(str, keys))
    ends_touch(picture, lambda of: of["words"].partition(".")[0], lambda of: of["words"].partition(" -> ")[2].partition(".")[0])  # fmt: skip


def test_the_check_of_lines_finds_one_through_a_box():
    box = {"x": 0, "y": 0, "name": "a"}
    line = {"points": "-5,30 300,30", "words": "w"}
    with pytest.raises(AssertionError):
        crossed({"lines": [line], "boxes": [box], "width": 400, "height": 100})
    line["points"] = "10,30 300,30"
    assert crossed({"lines": [line], "boxes": [box], "width": 400, "height": 100}) == [("w", "a")]


def test_the_page_is_made_without_the_database(folder, tmp_path):
    for name in ("schema.yml", "schema.plan.yml"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    ran = subprocess.run([sys.executable, "-m", "kanon_sql", "report", "schema.plan.yml", "-o", "p.html"], cwd=tmp_path, capture_output=True, text=True, check=True)  # fmt: skip
    assert "wrote p.html" in ran.stdout
