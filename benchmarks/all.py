"""The three tables of docs/benchmarks.md, one after the other: speed beside peers, what is kept beside peers, growth.

    python -m benchmarks.all --quick
    python -m benchmarks.all ADULT --quick --arx libarx-3.9.2.jar --qiyuangong CHECKOUT --anonypy PYTHON --rscript Rscript
    python -m benchmarks.all ADULT --nist national2019.csv --arx libarx-3.9.2.jar

Each table is printed by a benchmark of its own, which this starts: `beside_arx` and `whole` for speed, `side_by_side` for what
is kept, `whole` for growth. ADULT is the folder of adult.csv and its hierarchies. A program that no argument names is left out,
and a table of which nothing is left is said to be. `--quick` takes minutes: Adult and a census of up to 300,000 rows, once each;
without it the census grows to 100 million rows, under 4 GiB.

It ends with 1 where one of them does.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.adult import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPARED = ("anonypy", "dpmm", "sdv", "rscript")
"""What `side_by_side` is told about beside ARX, under the same names."""


def speed(given: argparse.Namespace) -> Iterator[list[str]]:
    """Yield what measures speed beside peers."""
    folder = str(given.folder)
    if given.arx:
        sizes = "adult" if given.quick else "adult,300000,3000000,10000000"
        yield ["beside_arx", folder, "--arx", given.arx, "--rows", sizes, "--repeat", "1"]
    if given.qiyuangong:
        sizes = "" if given.quick else "100000"
        yield ["whole", folder, "--qiyuangong", given.qiyuangong, "--rows", sizes, "--repeat", "1"]


def kept(given: argparse.Namespace) -> Iterator[list[str]]:
    """Yield what measures what is kept beside peers."""
    tables = {"--adult": given.folder / "adult.csv", "--nist": None if given.quick else given.nist}
    named = [
        word
        for option, path in tables.items()
        if path and path.is_file()
        for word in (option, str(path))
    ]
    others = {"arx": given.arx, **{name: getattr(given, name) for name in COMPARED}}
    programs = [word for name, path in others.items() if path for word in (f"--{name}", path)]
    if named:
        yield ["side_by_side", *named, *programs]


def growth(given: argparse.Namespace) -> Iterator[list[str]]:
    """Yield what measures growth."""
    yield ["whole", "--rows", "100000,300000" if given.quick else "1000000,10000000", "--repeat", "1"]  # fmt: skip
    if not given.quick:
        yield ["whole", "--rows", "100000000", "--only", "one sort", "--memory-limit", "4GiB", "--repeat", "1"]  # fmt: skip


TABLES = {"Speed beside peers": speed, "What is kept beside peers": kept, "Growth": growth}


def main() -> None:
    """Start what measures each table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, help="the folder of Adult")
    parser.add_argument("--quick", action="store_true", help="small tables, once each")
    parser.add_argument("--nist", type=Path, metavar="CSV", help="NIST's national2019.csv")
    parser.add_argument("--arx", metavar="JAR", help="ARX's library, or a class path")
    parser.add_argument("--qiyuangong", metavar="CHECKOUT", help="qiyuangong/Mondrian")
    for name in COMPARED:
        parser.add_argument(f"--{name}", help=f"as benchmarks.side_by_side takes --{name}")
    given = parser.parse_args()
    failed = False
    for title, benchmarks in TABLES.items():
        started = list(benchmarks(given))
        nothing = "" if started else "left out: no program or table is named\n"
        sys.stdout.write(f"\n{title}\n{nothing}")
        sys.stdout.flush()
        for name, *arguments in started:
            module = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
            failed |= subprocess.run(module, check=False).returncode != 0
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
