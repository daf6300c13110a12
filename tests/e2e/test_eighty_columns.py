"""A terminal of 80 columns shows every command's text whole: no line is longer, and no figure is cut."""

from __future__ import annotations

import json
import random
import re

import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.cli.console import print_line, print_table

NAMES = [
    f"{word}_of_the_patient_{n}"
    for n, word in enumerate(("ward", "insurance", "residence", "admission"))
]
WORDS = [
    ("lint", "wide.yml"),
    ("plan", "wide.yml"),
    ("apply", "wide.plan.yml"),
    ("anonymize", "wide.yml", "--replace"),
    ("anonymize", "wide.yml", "--recoding", "local", "--replace"),
    ("anonymize", "boxes.yml", "--replace"),
    ("verify", "wide.parquet", "--quasi", ",".join(NAMES), "-k", "3"),
    ("verify", "wide.csv", "--quasi", ",".join(NAMES), "-k", "50"),
    ("risk", "wide.csv", "--quasi", ",".join(NAMES), "--entity", "person"),
    ("risk", "wide.csv"),
    ("explain", "wide.plan.yml", "--time-limit", "2s"),
]  # fmt: skip


@pytest.fixture
def wide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("TERM", raising=False)
    draw = random.Random(3)
    rows = [
        [str(n % 150), *(f"{draw.randrange(4)} of a value" for _ in NAMES), "flu"]
        for n in range(300)
    ]
    text = "".join(",".join(row) + "\n" for row in [["person", *NAMES, "diagnosis"], *rows])
    (tmp_path / "wide.csv").write_text(text, encoding="utf-8")
    for name, quasi, search in (
        ("wide", {"role": "quasi", "hierarchy": {"mask": 12}}, "optimal"),
        ("boxes", {"role": "quasi", "order": "text"}, "mondrian"),
    ):
        policy = {
            "version": 1,
            "source": "wide.csv",
            "entity": "row",
            "columns": {
                "person": {"role": "identifying", "action": "drop"},
                **dict.fromkeys(NAMES, quasi),
                "diagnosis": {"role": "sensitive"},
            },
            "privacy": {"k": 3},
            "suppression": "10%",
            "search": {"algorithm": search},
            "release": f"{name}.parquet",
        }
        (tmp_path / f"{name}.yml").write_text(json.dumps(policy), encoding="utf-8")


def lines_of(*words):
    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert done.exit_code in {0, 4}, done.output
    return done.output.splitlines()


@pytest.mark.slow
def test_no_line_of_any_command_is_longer_than_the_terminal(wide):
    for words in WORDS:
        told = lines_of(*words)
        assert len(told) > 0
        assert [line for line in told if len(line) > 80] == [], words


def test_the_demo_fits_but_for_the_text_of_its_files(wide):
    told = lines_of("demo")
    verbatim = range(
        *(
            next(n for n, line in enumerate(told) if f" {of} " in line)
            for of in ("the policy", "after")
        )
    )
    assert [line for n, line in enumerate(told) if len(line) > 80 and n not in verbatim] == []
    assert "…" not in "".join(told)


def test_a_file_gets_each_statement_on_one_line(wide, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    said = lines_of("verify", "wide.csv", "--quasi", ",".join(NAMES), "-k", "50")
    assert [line.split()[0] for line in said] == ["FAIL", "warning:"]
    assert min(map(len, said)) > 80


def test_a_folded_line_holds_the_same_words(capsys, monkeypatch):
    words = " ".join(f"{'x' * (n % 30)}{n:,}" for n in range(200))
    monkeypatch.setenv("COLUMNS", "80")
    print_line(f"  {words}")
    told = capsys.readouterr().out
    assert told.split() == words.split()
    first, *others = told.splitlines()
    assert first.startswith("  0 x1 ")
    assert all(line.startswith("    ") and len(line) <= 80 for line in others)


def test_what_cannot_be_folded_stays_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = "/".join(["a-folder-of-a-long-name"] * 8)
    print_line(f"wrote {path}; next")
    assert path in capsys.readouterr().out


def test_a_table_that_cannot_fit_is_printed_row_by_row(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    headings = {"column": "left", **{f"figure number {n}": "right" for n in range(8)}}
    rows = [("a", *(f"{10**6 + n:,}" for n in range(8))), ("b", *(f"{n:,}" for n in range(8)))]
    print_table(headings, rows)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "column: a"
    assert told[9] == "column: b"
    assert told[1:9] == [f"  figure number {n}: {10**6 + n:,}" for n in range(8)]
    monkeypatch.delenv("COLUMNS")
    print_table(headings, rows)
    (row,) = [line for line in capsys.readouterr().out.splitlines() if "1,000,007" in line]
    assert re.findall(r"1,000,00\d", row) == [f"{10**6 + n:,}" for n in range(8)]
