"""Writes `seconds.txt` of what `pytest --durations=0` printed, which is the standard input.

The files that it names are written anew, and those that it does not stay as they are:

    pytest -q -n auto --tier all --durations=0 --durations-min=0 | python tests/measured_seconds.py
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from itertools import chain
from pathlib import Path

FILE = Path(__file__).with_name("seconds.txt")
PHASE = re.compile(r"([0-9.]+)s (?:call|setup|teardown) +((tests/[^:]+)::[^\[]+)(\[.*)?$")
OF_SERVERS = re.compile(r"\b(postgres|spark)\b")
WHOLE = ("tests/unit/", "tests/contract/", "tests/corpus/", "tests/golden/")
"""What no tier runs a share of, unless a line is written by hand."""
FAR_MORE, AT_LEAST, FEW = 2.5, 1.5, 0.15
"""A function has a line of its own if a case takes so many times what its file's do, and so many seconds, or so many times
less, which leaves what is cheap to the default tier; a file, if a test takes more than `FEW`."""


def measured(lines):
    """The seconds of each case by file and function; what a server takes longer is not the test's own."""
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
    for phase in filter(None, map(PHASE.match, lines)):
        seconds, function, file, case = phase.groups()
        if not file.startswith(WHOLE) and not OF_SERVERS.search(case or ""):
            found[file][function][case] += float(seconds)
    return found


def mean(cases):
    return sum(cases) / len(cases)


def lines_of(file, functions):
    """The line of a file, and those of its functions that take far more than the others."""
    usual = {name: [*cases.values()] for name, cases in functions.items()}
    while True:
        of_all = mean([*chain(*usual.values())])
        bound = max(AT_LEAST, FAR_MORE * of_all)
        kept = {name: cases for name, cases in usual.items() if mean(cases) <= bound}
        if len(kept) in {0, len(usual)}:
            break
        usual = kept
    if of_all >= FEW:
        yield file, of_all
    for name, cases in functions.items():
        cheap = of_all >= FEW and FAR_MORE * mean(cases.values()) < of_all
        if cheap or name not in usual:
            yield name, mean(cases.values())


def main():
    known = dict(reversed(line.split()) for line in FILE.read_text(encoding="utf-8").splitlines())
    found = measured(map(str.rstrip, sys.stdin))
    known = {name: told for name, told in known.items() if name.partition("::")[0] not in found}
    for file, functions in found.items():
        known |= {name: f"{seconds:.1f}" for name, seconds in lines_of(file, functions)}
    text = "".join(f"{known[name]} {name}\n" for name in sorted(known))
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
