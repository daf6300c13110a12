"""Whole releases by regions and by runs, from a file to a verified one, against one GROUP BY and beside another program.

    python -m benchmarks.whole --rows 100000,1000000,10000000
    python -m benchmarks.whole --rows 100000000 --only "one sort" --memory-limit 4GiB --repeat 1
    python -m benchmarks.whole adult --rows 100000 --peer-rows 100000 --qiyuangong CHECKOUT

Every release is made by a process of its own, start and imports included, of the census with eight ordered
columns, or of Adult where its folder is named. The yardstick, measured beside each, is the GROUP BY of the eight raw
columns over the same Parquet file on a fresh connection with the same settings. Ratios are of CPU seconds, medians
over medians, and of the seconds of all steps; the benchmark ends with 1 where from a million rows on the CPU seconds
of two stages exceed 8 times those of the yardstick, or those of one sort 4 times.

The other program is qiyuangong's Mondrian with relaxed cuts, the fastest of those that `benchmarks.peers` knows. It
reads the same rows as CSV, and so do ours beside it; both at the same k. It runs on Adult, and on censuses of at most
`--peer-rows` rows.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks import adult, census, mondrian
from benchmarks.measure import machine, middle, run, write, write_policy
from benchmarks.peers import Peer, release_of
from benchmarks.pipeline import Base, group_by
from benchmarks.quality import BY_LOSS, CUTS, CUTS_BY_LOSS, table
from benchmarks.recount import ROW, Columns, numbered, quoted
from kanon_sql import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.measure import Measured

SEARCHES: Mapping[str, Mapping[str, object]] = {
    "two stages, loss": BY_LOSS,
    "two stages, width": {"algorithm": "mondrian", "choose": "width"},
    "two stages, equal runs": {"algorithm": "mondrian", "runs": "equal"},
    "one sort": {"algorithm": "order"},
    "cuts, loss": CUTS_BY_LOSS,
    "cuts, width": CUTS,
}
MOST = {**{name: 8.0 for name in SEARCHES if name.startswith("two stages")}, "one sort": 4.0}
"""How many times the CPU seconds of the yardstick a whole process may take, from so many rows on:"""
JUDGED_FROM = 1_000_000
PEER = "qiyuangong relaxed"


def of_census(source: Path, search: Mapping[str, object], k: int) -> dict[str, object]:
    """Give the policy of a census, every column by its order."""
    made = mondrian.policy(source, k=k, lines=True, search={})
    made["search"] = dict(search)
    return made


def of_adult(folder: Path, source: Path, search: Mapping[str, object], k: int) -> dict[str, object]:
    """Give the policy of Adult, texts in the order of their hierarchies."""
    columns = {name: Columns.LINES.entry(folder, name) for name in adult.QUASI}
    return {
        "version": 1,
        "source": str(source),
        "entity": "row",
        "columns": {ROW: {"role": "insensitive"}, **columns},
        "privacy": {"k": k},
        "search": dict(search),
    }


def figures(runs: list[Measured], base: list[Base] | None) -> dict[str, Any]:
    """Reduce the repetitions of one search."""
    last = runs[-1].summary
    steps = {s: middle([r.summary["seconds"][s] for r in runs]) for s in last["seconds"]}
    told: dict[str, Any] = {
        "seconds": steps,
        "process_wall": middle([r.wall for r in runs], 2),
        "process_cpu": middle([r.cpu for r in runs], 2),
        **{key: last[key] for key in ("classes", "smallest_class", "statements")},
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
    }
    if base is not None:
        wall, cpu = middle([b.seconds for b in base]), middle([b.cpu for b in base])
        told["ratios"] = {
            "process cpu/base cpu": round(told["process_cpu"] / cpu, 2),
            "whole/base": round(sum(steps.values()) / wall, 2),
        }
    return told


def released(file: Path, release: Path, given: argparse.Namespace) -> Measured:
    """Anonymize in a process of its own."""
    arguments = ["benchmarks.measure", str(file), str(release), "--threads", str(given.threads)]
    if given.memory_limit is not None:
        arguments += ["--memory-limit", given.memory_limit]
    return run(arguments)


def beside_base(given: argparse.Namespace, folder: Path, rows: int) -> dict[str, Any]:
    """Generate a census, and measure the yardstick and each search in turn, again and again."""
    source = folder / "census.parquet"
    census.generate(rows, source, threads=given.threads, memory_limit=given.memory_limit)
    settings = Settings(threads=given.threads, memory_limit=given.memory_limit)
    files = {}
    for number, name in enumerate(asked(given)):
        spec = of_census(source, SEARCHES[name], given.k)
        files[name] = write_policy(spec, folder / f"policy{number}.yml")
    runs: dict[str, list[Measured]] = {name: [] for name in files}
    distinct = group_by(source, settings, given.k).distinct  # also brings the file into memory
    base: list[Base] = []
    for _ in range(given.repeat):
        base.append(group_by(source, settings, given.k))
        for name, file in files.items():
            runs[name].append(released(file, folder / "release.parquet", given))
    told: dict[str, Any] = {
        "distinct_tuples": distinct,
        "base": {
            "seconds": middle([b.seconds for b in base]),
            "cpu": middle([b.cpu for b in base]),
        },
        "by_search": {name: figures(each, base) for name, each in runs.items()},
    }
    if given.qiyuangong and rows <= given.peer_rows:
        listed = ", ".join(map(quoted, census.QUASI))
        as_csv(source, f"person AS {ROW}, {listed}", folder / "rows.csv")
        told["beside_peer"] = beside_peer(given, folder, people="census")
    source.unlink()
    return told


def as_csv(source: Path, listed: str, out: Path) -> None:
    """Write rows as the other program reads them."""
    with duckdb.connect() as connection:
        connection.read_parquet(str(source)).project(listed).write_csv(str(out))


def beside_peer(given: argparse.Namespace, folder: Path, *, people: str) -> dict[str, Any]:
    """Release the rows of a CSV file by the other program and by each search in turn, again and again."""
    rows = folder / "rows.csv"
    peer = Peer(PEER, sys.executable, given.qiyuangong)
    files = {}
    for number, name in enumerate(asked(given)):
        search = SEARCHES[name]
        if people == "adult":
            spec = of_adult(given.folder.resolve(), rows, search, given.k)
        else:
            spec = {**of_census(rows, search, given.k)}
            spec["columns"] = {
                ROW: {"role": "insensitive"},
                **{c: e for c, e in columns_of(spec).items() if c in census.QUASI},
            }
        files[name] = write_policy(spec, folder / f"beside{number}.yml")
    runs: dict[str, list[Measured]] = {name: [] for name in files}
    theirs: list[float] = []
    counted = (0, 0)
    for turn in range(given.repeat):
        made = release_of(peer, folder, rows, folder / f"peer{turn}", given.k)
        theirs.append(made.cpu)
        counted = classes_of(made.path)
        for name, file in files.items():
            runs[name].append(released(file, folder / "release.parquet", given))
    return {
        PEER: {
            "process_cpu": middle(theirs, 2),
            "classes": counted[0],
            "smallest_class": counted[1],
        },
        **{name: figures(each, None) for name, each in runs.items()},
    }


def columns_of(spec: Mapping[str, object]) -> dict[str, object]:
    columns = spec["columns"]
    if not isinstance(columns, dict):
        raise TypeError("a policy has columns")
    return columns


def classes_of(release: Path) -> tuple[int, int]:
    """Count the classes of a release in CSV whose first column numbers its rows, and the smallest."""
    with duckdb.connect() as connection:
        rows = connection.read_csv(str(release), header=True, all_varchar=True)
        cells = ", ".join(map(quoted, rows.columns[1:]))
        sizes = rows.aggregate(f"COUNT(*) AS n, {cells}", cells)
        ((classes, smallest),) = sizes.aggregate("COUNT(*), MIN(n)").fetchall()
    return int(classes), int(smallest)


def asked(given: argparse.Namespace) -> list[str]:
    """Name the searches that are asked for."""
    return [name for name in SEARCHES if name.startswith(tuple(given.only))]


def lines(results: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Give the rows of the table: the yardstick and each release of each table, with what it took."""
    rows: list[tuple[str, ...]] = []
    for size, told in results.items():
        if "base" in told:
            base = told["base"]
            rows.append((size, "base", "1", f"{base['cpu']:.2f}", f"{base['seconds']:.2f}", "", ""))
        for name, each in [
            *told.get("by_search", {}).items(),
            *told.get("beside_peer", {}).items(),
        ]:
            ratio = each.get("ratios", {}).get("process cpu/base cpu", "")
            wall = f"{each['process_wall']:.2f}" if "process_wall" in each else ""
            peak = str(each.get("peak_mib", ""))
            took = (str(ratio), f"{each['process_cpu']:.2f}", wall)
            rows.append((size, name, *took, f"{each['classes']:,}", peak))
    return rows


HEADINGS = ("rows", "released by", "ratio", "CPU s", "wall s", "classes", "peak MiB")


def within(results: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether every search that is judged takes no more than it may; print what exceeds it."""
    good = True
    for size, told in results.items():
        for name, each in told.get("by_search", {}).items():
            ratio = each["ratios"]["process cpu/base cpu"]
            if size.isdigit() and int(size) >= JUDGED_FROM and ratio > MOST.get(name, ratio):
                sys.stdout.write(f"{size} rows, {name}: {ratio} times the base, not {MOST[name]}\n")
                good = False
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="Adult, released beside the other")
    parser.add_argument("--rows", default="100000,1000000,10000000")
    parser.add_argument("--only", nargs="+", default=["two stages", "one sort"], help="how names of searches begin")  # fmt: skip
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-limit")
    parser.add_argument("--qiyuangong", metavar="CHECKOUT", help="qiyuangong/Mondrian")
    parser.add_argument("--peer-rows", type=int, default=100_000)
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    if given.folder is not None and not (given.folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    if given.folder is not None and not given.qiyuangong:
        sys.exit("Adult is released beside the other program; say --qiyuangong and its checkout")
    results: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if given.folder is not None:
            source = numbered(given.folder.resolve(), folder / "adult.parquet")
            listed = ", ".join(map(quoted, adult.QUASI))
            as_csv(source, f"{ROW}, {listed}", folder / "rows.csv")
            results["Adult"] = {"beside_peer": beside_peer(given, folder, people="adult")}
        for rows in filter(None, given.rows.split(",")):
            results[rows] = beside_base(given, folder, int(rows))
    sys.stdout.write(table(HEADINGS, lines(results)))
    report: dict[str, object] = {
        "benchmark": "whole",
        "machine": machine(),
        "quasi_identifiers": len(census.QUASI),
        "k": given.k,
        "threads": given.threads,
        "memory_limit": given.memory_limit,
        "repetitions": given.repeat,
        "by_rows": results,
    }
    if given.out is not None:
        write(report, given.out)
    if not within(results):
        sys.exit(1)


if __name__ == "__main__":
    main()
