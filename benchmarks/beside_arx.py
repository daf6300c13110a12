"""The optimal search of ARX and ours, on Adult and on Adult drawn up to millions of rows: CPU seconds in turn, in one run.

    python -m benchmarks.beside_arx FOLDER --arx libarx-3.9.2.jar --repeat 3 --out arx.json

FOLDER holds adult.csv and its hierarchies, as for `benchmarks.adult`; ARX (https://arx.deidentifier.org) is its library,
a class path as `java -cp` takes it. `java` and `javac` 17 or later are needed, and for 10 million rows 6 GiB of heap.

Nine quasi-identifiers, k = 5, loss, 2 % of the rows suppressed at most; every release is made by a process of its own, start
and imports included. ARX reads and writes CSV, ours does so too, and reads and writes Parquet. ARX's search includes its
encoding, not the reading of rows and hierarchies; ours is given with all that comes before it: opening the file, reading the
hierarchies, encoding. Figures are medians.

The benchmark ends with 1 if the two do not choose the same levels, or do not release the same rows. (ARX's suppressed rows
have a `*` in each cell; ours are left out.)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks.adult import FOLDER
from benchmarks.measure import Measured, machine, middle, run, write, write_policy
from benchmarks.quality import table
from benchmarks.recount import quoted
from benchmarks.scaled import QUASI, generate, nine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).resolve().parent
BEFORE = ("open", "hierarchies", "encode")
K = 5


@dataclass(frozen=True, slots=True)
class Arx:
    """ARX, and how it is started."""

    class_path: str
    heap: str

    @classmethod
    def compiled(cls, given: argparse.Namespace, folder: Path) -> Arx:
        """Compile what runs it, which is no part of what is measured."""
        source = HERE / "RunArx.java"
        subprocess.run(["javac", "-d", str(folder), "-cp", given.arx, str(source)], check=True)
        return cls(os.pathsep.join([str(folder), given.arx]), given.heap)

    def release(self, folder: Path, rows: Path, release: Path, share: float) -> Measured:
        """Anonymize in a process of its own."""
        arguments = [str(rows), str(folder), str(release), str(K), str(share)]
        started = time.perf_counter()
        with subprocess.Popen(
            ["java", f"-Xmx{self.heap}", "-cp", self.class_path, "RunArx", *arguments],
            stdout=subprocess.PIPE,
        ) as process:
            told = process.stdout.read() if process.stdout is not None else b""
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"ARX ended with {process.returncode}")
        taken = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
        return Measured(json.loads(told), *taken, usage.ru_maxrss * 1024)


def ours(
    spec: Mapping[str, object], rows: Path, release: Path, given: argparse.Namespace
) -> Measured:
    """Anonymize in a process of its own, its steps in CPU seconds."""
    file = write_policy({**spec, "source": str(rows)}, release.with_suffix(".yml"))
    return run(
        ["benchmarks.measure", str(file), str(release), "--threads", str(given.threads), "--cpu"]
    )


def differing(theirs: Path, own: Path) -> int:
    """Count the rows of either release that the other lacks, those that ARX suppressed left out."""
    columns = ", ".join(map(quoted, QUASI))
    kept = " OR ".join(f"{quoted(name)} <> '*'" for name in QUASI)
    with duckdb.connect() as connection:
        arx = connection.read_csv(str(theirs), sep=";", header=True, all_varchar=True)
        kanon = connection.read_csv(str(own), header=True, all_varchar=True)
        for name, relation in (("arx", arx.filter(kept)), ("kanon", kanon)):
            relation.aggregate(f"{columns}, COUNT(*) AS n", columns).create(name)
        ((differ,),) = connection.execute(
            "SELECT COALESCE(SUM(n), 0) FROM ((FROM arx EXCEPT FROM kanon) UNION ALL (FROM kanon EXCEPT FROM arx))"
        ).fetchall()
    return int(differ)


def measured(given: argparse.Namespace, arx: Arx, folder: Path, rows: int | None) -> dict[str, Any]:
    """Release so many rows, or Adult itself, by both in turn, again and again."""
    source = given.folder.resolve()
    parquet, csv = folder / "rows.parquet", folder / "rows.csv"
    with duckdb.connect() as connection:
        if rows is None:
            adult = connection.read_csv(
                str(source / "adult.csv"), sep=";", header=True, all_varchar=True
            )
            adult.write_parquet(str(parquet))
        else:
            generate(source, rows, parquet)
        connection.read_parquet(str(parquet)).write_csv(str(csv), sep=";")
    spec = nine(source, parquet, metric="loss", suppression=f"{given.suppression:g}%")
    theirs: list[Measured] = []
    of_csv: list[Measured] = []
    of_parquet: list[Measured] = []
    for _ in range(given.repeat):
        theirs.append(arx.release(source, csv, folder / "arx.csv", given.suppression / 100))
        of_csv.append(ours(spec, csv, folder / "kanon.csv", given))
        of_parquet.append(ours(spec, parquet, folder / "kanon.parquet", given))
    levels = theirs[-1].summary["levels"]
    found = [list(each.summary["levels"].values()) for each in (of_csv[-1], of_parquet[-1])]
    if any(each != levels for each in found):
        sys.exit(f"{rows} rows: ARX chose the levels {levels}, and ours {found}")
    if differ := differing(folder / "arx.csv", folder / "kanon.csv"):
        sys.exit(f"{rows} rows: the releases differ in {differ} rows")
    return {"levels": levels, **figures(theirs, of_csv, of_parquet)}


def figures(
    theirs: Sequence[Measured], of_csv: Sequence[Measured], of_parquet: Sequence[Measured]
) -> dict[str, Any]:
    """Reduce the repetitions to medians, and set one beside the other."""
    told: dict[str, Any] = {}
    for name, runs in (("arx", theirs), ("csv", of_csv), ("parquet", of_parquet)):
        last = runs[-1].summary
        told[name] = {
            "search": middle([_search(each) for each in runs], 2),
            "process_cpu": middle([each.cpu for each in runs], 2),
            "process_wall": middle([each.wall for each in runs], 2),
            "steps": {
                step: middle([_steps(r)[step] for r in runs], 2) for step in _steps(runs[-1])
            },
            "checks": last["checks"],
            "loss": last["loss"] if name == "arx" else last["cost"],
            "peak_mib": round(max(each.peak_bytes for each in runs) / 2**20),
        }
    for name in ("csv", "parquet"):
        for figure in ("search", "process_cpu"):
            told[name][f"{figure} ratio"] = round(told["arx"][figure] / told[name][figure], 1)
    return told


def _steps(of: Measured) -> dict[str, float]:
    """Give the CPU seconds of each step."""
    told: dict[str, float] = of.summary.get("seconds") or {
        step: of.summary[step] for step in ("load", "search", "save")
    }
    return told


def _search(of: Measured) -> float:
    """Give the CPU seconds of a search, with what comes before it where that is ours."""
    steps = _steps(of)
    return steps["search"] + sum(steps.get(step, 0.0) for step in BEFORE)


HEADINGS = ("rows", "released by", "encoding and search", "ratio", "whole process", "ratio", "checks", "peak MiB")  # fmt: skip


def lines(results: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Give the rows of the table that is printed."""
    rows: list[tuple[str, ...]] = []
    for size, told in results.items():
        for key, name in (
            ("arx", "ARX"),
            ("csv", "kanon-sql, CSV"),
            ("parquet", "kanon-sql, Parquet"),
        ):
            each = told[key]
            ratios = [str(each.get(f"{figure} ratio", "")) for figure in ("search", "process_cpu")]
            search, whole = f"{each['search']:.2f}", f"{each['process_cpu']:.2f}"
            rows.append((size, name, search, ratios[0], whole, ratios[1], f"{each['checks']:,}", str(each["peak_mib"])))  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--arx", required=True, metavar="JAR", help="its library, or a class path")
    parser.add_argument("--heap", default="6g", help="of Java, at most")
    parser.add_argument("--rows", default="adult,300000,3000000,10000000")
    parser.add_argument("--suppression", type=float, default=2.0, help="in percent of the rows")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2, help="of ours; ARX searches with one")
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    if not (given.folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    results: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory() as scratch:
        arx = Arx.compiled(given, Path(scratch))
        for rows in given.rows.split(","):
            wanted = None if rows == "adult" else int(rows)
            results[rows] = measured(given, arx, Path(scratch), wanted)
    sys.stdout.write(table(HEADINGS, lines(results)))
    report: dict[str, object] = {
        "benchmark": "beside_arx",
        "machine": machine(),
        "quasi_identifiers": len(QUASI),
        "k": K,
        "suppression": given.suppression,
        "threads": given.threads,
        "repetitions": given.repeat,
        "by_rows": results,
    }
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
