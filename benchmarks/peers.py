"""Other programs that anonymize Adult, run by their own Python and from their own checkout, each release kept in a folder.

    python -m venv anonypy && anonypy/bin/pip install anonypy pandas
    python -m venv mosaicrown && mosaicrown/bin/pip install pandas scipy treelib
    git clone https://github.com/mosaicrown/mondrian
    git clone https://github.com/qiyuangong/Mondrian
    git clone https://github.com/qiyuangong/Top_Down_Greedy_Anonymization

Nothing of them is here. They get the rows as CSV, and what they release of each row comes back as CSV; a release that
is in the folder already, of the same rows, is taken from there with the CPU seconds and the day of its run.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent


class Program(Protocol):
    """A program that can be started: its name, and its command for a table."""

    @property
    def name(self) -> str: ...

    def arguments(self, folder: Path, table: Path, out: Path, k: int) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Peer:
    """A program, and how it is started: its Python, its checkout, and what it takes besides."""

    name: str
    python: str
    checkout: str = "-"
    of_trees: bool = False
    """Whether it is Top-Down Greedy, which needs the hierarchies and Python 2."""

    def arguments(self, folder: Path, table: Path, out: Path, k: int) -> list[str]:
        if self.of_trees:
            script = HERE / "run_top_down_greedy.py2"
            return [
                self.python,
                str(script),
                self.checkout,
                str(table),
                str(out),
                str(k),
                str(folder),
            ]
        script = HERE / "run_peer.py"
        return [self.python, str(script), self.name, self.checkout, str(table), str(out), str(k)]


@dataclass(frozen=True, slots=True)
class PeerRelease:
    """What a program released of each row, and what that took."""

    path: Path
    cpu: float
    day: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says where the programs are."""
    parser.add_argument("--anonypy", metavar="PYTHON", help="a Python that has anonypy")
    parser.add_argument(
        "--mosaicrown",
        nargs=2,
        metavar=("PYTHON", "CHECKOUT"),
        help="a Python with pandas, scipy and treelib, and mosaicrown/mondrian",
    )
    parser.add_argument("--qiyuangong", metavar="CHECKOUT", help="qiyuangong/Mondrian")
    parser.add_argument(
        "--top-down-greedy",
        nargs=2,
        metavar=("PYTHON2", "CHECKOUT"),
        help="Python 2.7, and qiyuangong/Top_Down_Greedy_Anonymization",
    )
    parser.add_argument(
        "--peers-cache", type=Path, metavar="FOLDER", help="where releases of the others are kept"
    )


def named(given: argparse.Namespace) -> Iterator[Peer]:
    """List the programs that the arguments name, and each way to run them that differs."""
    if given.anonypy:
        yield Peer("anonypy", given.anonypy)
    if given.mosaicrown:
        for score in ("span", "norm_span", "neg_entropy"):
            python, checkout = given.mosaicrown
            yield Peer(f"mosaicrown {score}", python, checkout)
    if given.qiyuangong:
        for cuts in ("strict", "relaxed"):
            yield Peer(f"qiyuangong {cuts}", sys.executable, given.qiyuangong)
    if given.top_down_greedy:
        python, checkout = given.top_down_greedy
        yield Peer("qiyuangong top-down greedy", python, checkout, of_trees=True)


def missing(given: argparse.Namespace) -> list[str]:
    """Name the programs that the arguments leave out."""
    every = ("anonypy", "mosaicrown", "qiyuangong", "top_down_greedy")
    return [each.replace("_", "-") for each in every if not getattr(given, each)]


def release_of(peer: Program, folder: Path, table: Path, kept: Path, k: int) -> PeerRelease:
    """Run a program on the table, or take what it released of the same rows before."""
    kept.mkdir(parents=True, exist_ok=True)
    stem = kept / f"{peer.name.replace(' ', '_')}-k{k}"
    path, told = stem.with_suffix(".csv"), stem.with_suffix(".json")
    rows = hashlib.sha256(table.read_bytes()).hexdigest()
    if path.is_file() and told.is_file():
        found = json.loads(told.read_text(encoding="utf-8"))
        if found["rows"] == rows:
            return PeerRelease(path, found["cpu"], found["day"])
    sys.stderr.write(f"{peer.name}, k = {k}\n")
    partial, said = stem.with_suffix(".partial"), stem.with_suffix(".log")
    with (
        said.open("wb") as log,
        subprocess.Popen(
            peer.arguments(folder, table, partial, k),
            stdout=subprocess.DEVNULL,
            stderr=log,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""},
        ) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{peer.name} at k = {k} ended with {process.returncode}: see {said}")
    said.unlink()
    found = {
        "rows": rows,
        "cpu": round(usage.ru_utime + usage.ru_stime, 2),
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
    }
    partial.rename(path)
    told.write_text(json.dumps(found), encoding="utf-8")
    return PeerRelease(path, found["cpu"], found["day"])
