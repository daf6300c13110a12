"""What `python -m benchmarks.all` starts exists, and takes the arguments that it is given."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

import pages
import pytest

PEERS = [
    "--arx", "arx.jar", "--qiyuangong", "Mondrian", "--anonypy", "python", "--dpmm", "python", "--sdv", "python",
    "--rscript", "Rscript",
]  # fmt: skip
STARTED = {
    ("--quick",): ["side_by_side", "whole"],
    ("--quick", *PEERS): ["beside_arx", "whole", "side_by_side", "whole"],
    ("--nist", "national2019.csv", *PEERS): [
        "beside_arx",
        "whole",
        "side_by_side",
        "whole",
        "whole",
    ],
}


@pytest.mark.parametrize("asked", STARTED, ids=len)
def test_all_starts_benchmarks_that_take_what_it_gives_them(asked, monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(pages.ROOT)
    monkeypatch.chdir(tmp_path)
    for name in ("adult.csv", "national2019.csv"):
        Path(name).touch()
    whole = importlib.import_module("benchmarks.all")
    started = []

    def only_note(command, **_):
        started.append(command[2:])
        return argparse.Namespace(returncode=1 if command[2] == "benchmarks.side_by_side" else 0)

    monkeypatch.setattr(whole.subprocess, "run", only_note)
    monkeypatch.setattr("sys.argv", ["all", ".", *asked])
    with pytest.raises(SystemExit) as ended:
        whole.main()
    assert ended.value.code == 1, "one of them failed"
    assert [name.removeprefix("benchmarks.") for name, *_ in started] == STARTED[asked]
    printed = capsys.readouterr().out
    assert [printed.count(title) for title in whole.TABLES] == [1, 1, 1]
    assert printed.count("left out") == (asked == ("--quick",))
    read = argparse.ArgumentParser.parse_args

    def only_read(parser):
        read(parser)
        parser.exit(0)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_read)
    for name, *given in started:
        monkeypatch.setattr("sys.argv", [name, *given])
        with pytest.raises(SystemExit) as ended:
            importlib.import_module(name).main()
        assert ended.value.code == 0, (name, given)
