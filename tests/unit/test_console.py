"""What goes to a terminal: whole figures, long tables cut in the middle, and no character that commands."""

from __future__ import annotations

import json

import pytest
from plans import plan

from kanon_sql.apps.cli.console import print_json, print_line, printable
from kanon_sql.apps.cli.print_results import print_recoding


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 漢字 👩", "plain ü 漢字 👩"),
        ("a\x1b]0;x\x07", "a\\x1b]0;x\\x07"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("\x9b31m\u202e\u2028", "\\x9b31m\\u202e\\u2028"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_does_not_show_as_itself_is_escaped(text, shown, capsys):
    assert printable(text) == shown
    print_line(text)
    assert capsys.readouterr().out == f"{shown}\n"


def test_json_is_escaped_and_reads_as_it_was(capsys):
    told = {"a\x1b\u202e": ["\x9b\n\ud800", "ü"]}
    print_json(told)
    out = capsys.readouterr().out
    assert all(each.isprintable() for each in out[:-1])
    assert "ü" in out
    assert json.loads(out) == told


def layered(count):
    names = [f"a column of a long name, {n}" for n in range(9)]
    layers = [
        {"levels": dict.fromkeys(names, at % 4), "rows": 1_000_000 + at, "classes": 20_000 + at}
        for at in range(count)
    ]
    return plan(dict.fromkeys(names, 0), dict.fromkeys(names, 4), recoding={"layers": layers})


def cells_of(text):
    lines = [line.replace("│", " ").split() for line in text.splitlines() if line.startswith("│")]
    return {line[0]: line[1:] for line in lines}


def test_a_figure_is_never_cut_short_however_narrow_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    print_recoding(layered(12))
    found = cells_of(capsys.readouterr().out)
    assert found["1"] == [",".join("0" * 9), "1,000,000", "20,000"]
    assert found["12"] == [",".join("3" * 9), "1,000,011", "20,011"]
    assert len(found) == 12


def test_nodes_in_the_middle_of_many_are_one_line(capsys):
    print_recoding(layered(30))
    lines = [line.replace("│", " ").split() for line in capsys.readouterr().out.splitlines()]
    numbers = [line[0] for line in lines if line and line[0].isdigit()]
    assert numbers == [*map(str, range(1, 11)), "29", "30"]
    (middle,) = [line for line in lines if line[1:2] == ["to"]]
    rest = range(9, 28)
    rows, classes = (f"{sum(least + at for at in rest):,}" for least in (1_000_000, 20_000))
    assert middle == ["10", "to", "28", "..", rows, classes]
