"""`benchmarks.nist_entry` writes what NIST's archive keeps of an entry: rows whose classes hold, and their labels."""

from __future__ import annotations

import csv
import json
import random
import sys
from collections import Counter

import pytest

from benchmarks import nist_entry
from benchmarks.nist import FEATURES

pytestmark = pytest.mark.slow  # a release of ten features

VALUES = {"AGEP": range(80), "EDU": [*range(1, 13), "N"], "PINCP_DECILE": [*range(10), "N"]}


@pytest.fixture
def extract(tmp_path):
    """A table with the columns of NIST's extract, and one that the demographic set lacks."""
    chosen, path = random.Random(22), tmp_path / "national2019.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["PUMA", *FEATURES])
        for _ in range(600):
            writer.writerow(["01-01301", *(chosen.choice(VALUES.get(n, [1, 2])) for n in FEATURES)])
    return path


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["nist_entry", *map(str, words)])
    nist_entry.main()


def test_an_entry_has_every_row_in_a_class_of_k_and_its_labels(extract, tmp_path, monkeypatch):
    folder = tmp_path / "entry"
    run(monkeypatch, extract, folder, "--team", "the clinic's")
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert names == {f"national/{nist_entry.NAME}.{ending}" for ending in ("csv", "json")}
    with (folder / f"national/{nist_entry.NAME}.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == list(FEATURES)
    assert len(rows) == 600
    assert min(Counter(map(tuple, rows)).values()) >= nist_entry.K
    told = json.loads((folder / f"national/{nist_entry.NAME}.json").read_text(encoding="utf-8"))
    assert told["labels"]["team"] == "the clinic's"
    assert told["labels"]["target dataset"] == "national2019"
    with pytest.raises(SystemExit, match="exists: name a new folder"):
        run(monkeypatch, extract, folder)


def test_what_is_missing_is_named_before_anything_is_written(extract, tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match="there is no file"):
        run(monkeypatch, tmp_path / "gone.csv", tmp_path / "entry")
    with pytest.raises(SystemExit, match="both --sdnist-python and --sdnist-data"):
        run(monkeypatch, extract, tmp_path / "entry", "--sdnist-python", sys.executable)
    assert not (tmp_path / "entry").exists()
