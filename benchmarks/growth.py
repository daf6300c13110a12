"""How CPU time and memory of each command grow with rows, columns, distinct values, quasi-identifiers, threads and memory.

    python -m benchmarks.growth
    python -m benchmarks.growth --rows 100000,1000000,10000000,100000000 --memory-limits 4GiB --only rows --out growth.json

One size is changed at a time; the others are those of `Size`. `init` writes the policy that all later commands take, for
values of counts, and each command is a process of its own, start and imports included. Columns hold skewed whole numbers;
those that are no quasi-identifiers are released as they are. The yardstick is the GROUP BY of the quasi-identifiers over the
same Parquet file.

Of each command it prints CPU seconds, peak memory, and the exponent between one size and the next: 1 is in proportion to the
size, start and imports taken off. `--seconds` ends a series whose next size would take longer. Rows are drawn into a
temporary folder: 10^9 of 8 columns take 14 GB there.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, replace
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb

from benchmarks.first_policy import taken
from benchmarks.measure import ROOT, machine, middle, own_peak, run, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

GENERATE = Path(__file__).with_suffix(".sql")
FLOOR = ("engines",)
"""A command that reads no table: what starting takes."""


@dataclass(frozen=True, slots=True)
class Size:
    """A table, and what the commands may use."""

    rows: int = 100_000
    columns: int = 8
    distinct: int = 100
    quasi: int = 6
    threads: int = 2
    memory: str = "4GiB"


def names(size: Size) -> list[str]:
    """Name the columns; the first are quasi-identifiers."""
    return [f"c{number:02}" for number in range(max(size.columns, size.quasi))]


def commands(size: Size) -> Mapping[str, tuple[str, ...]]:
    """List the commands to run, in order, with the settings of the engine."""
    own = ("--threads", str(size.threads), "--memory-limit", size.memory)
    quasi = ",".join(names(size)[: size.quasi])
    answers = ("--known", quasi, "--sensitive", "illness", "--for", "counts")
    return {
        "init": ("init", "drawn.parquet", *answers, "-o", "own.yml", "--replace"),
        "plan": ("plan", "own.yml", "-o", "own.plan.yml", *own),
        "apply": ("apply", "own.plan.yml", "--release", "own.parquet", "--replace", *own),
        "verify": ("verify", "own.parquet", "--quasi", quasi, "-k", "11", *own),
        "certify": ("certify", "own.parquet", "--plan", "own.plan.yml", *own),
        "quality": ("quality", "own.parquet", "--plan", "own.plan.yml", *own),
    }


def generate(size: Size, out: Path) -> None:
    """Draw a table and write it as Parquet, in pieces and in bounded memory."""
    with duckdb.connect(config={"threads": 2, "preserve_insertion_order": False}) as connection:
        wanted = {"wanted": size.rows, "columns": len(names(size)), "values": size.distinct}
        for name, value in wanted.items():
            connection.execute(f"SET VARIABLE {name} = ?", [value])
        drawn = connection.sql(GENERATE.read_text(encoding="utf-8"))
        cells = (
            duckdb.FunctionExpression(
                "list_extract",
                duckdb.ColumnExpression("drawn"),
                duckdb.ConstantExpression(number),
            ).alias(name)
            for number, name in enumerate(names(size), start=1)
        )
        drawn.select("person", *cells, "illness").write_parquet(str(out))


def base(size: Size, source: Path) -> None:
    """Group the rows by their quasi-identifiers."""
    with duckdb.connect(config={"threads": size.threads}) as connection:
        columns = [duckdb.ColumnExpression(name) for name in names(size)[: size.quasi]]
        rows = connection.read_parquet(str(source)).select(*columns)
        listed = ", ".join(names(size)[: size.quasi])
        rows.aggregate(f"COUNT(*) AS n, {listed}", listed).aggregate("COUNT(*), MAX(n)").fetchall()


def measured(size: Size, folder: Path, only: Sequence[str]) -> dict[str, dict[str, float]]:
    """Run the commands on one table."""
    source = folder / "drawn.parquet"
    asked = json.dumps(asdict(size))
    run(["benchmarks.growth", "--step", "generate", "--size", asked, "--file", str(source)])
    grouped = ["benchmarks.growth", "--step", "base", "--size", asked, "--file", str(source)]
    run(grouped)  # brings the file into memory
    told = {"base": {"cpu": round(run(grouped).cpu, 2)}}
    for name, arguments in commands(size).items():
        if name in only or name in {"init", "plan", "apply"}:
            one = taken(arguments, folder, ROOT)
            told[name] = {"cpu": round(one["cpu"], 2), "peak_mib": round(one["peak_mib"])}
            print(size, name, told[name], file=sys.stderr, flush=True)
    return told


def series(
    sizes: Sequence[Size], given: argparse.Namespace, start: float
) -> Iterator[dict[str, object]]:
    """Measure sizes in ascending order, each with the exponents since the one before."""
    before: tuple[float, dict[str, dict[str, float]]] | None = None
    for size, unit in zip(sizes, units(sizes), strict=True):
        with TemporaryDirectory() as folder:
            told = measured(size, Path(folder), given.commands)
        grown = {}
        if before is not None and unit > before[0]:
            grown = {
                name: round(
                    log(max(one["cpu"] - start, 0.01) / max(before[1][name]["cpu"] - start, 0.01))
                    / log(unit / before[0]),
                    2,
                )
                for name, one in told.items()
                if name != "base"
            }
        yield {"size": asdict(size), "taken": told, "exponents": grown}
        before = unit, told
        if sum(one["cpu"] for one in told.values()) > given.seconds:
            break


def units(sizes: Sequence[Size]) -> list[float]:
    """Return the size that changes from one to the next; 0 where none of the numbers does."""
    changing = ("rows", "columns", "distinct", "quasi")
    for name in changing:
        values = [float(getattr(size, name)) for size in sizes]
        if len(set(values)) > 1:
            return values
    return [0.0] * len(sizes)


def whole(text: str) -> list[int]:
    """Parse whole numbers between commas."""
    return [int(each) for each in text.split(",")]


def main() -> None:
    """Print the figures of each series, or write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=whole, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--columns", type=whole, default=[8, 30, 100])
    parser.add_argument("--distinct", type=whole, default=[10, 100, 10_000, 100_000])
    parser.add_argument("--quasi", type=whole, default=[4, 10, 20, 40, 70])
    parser.add_argument("--threads", type=whole, default=[1, 2])
    parser.add_argument(
        "--memory-limits", type=lambda text: text.split(","), default=["1GiB", "2GiB"]
    )
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of series")
    parser.add_argument(
        "--commands",
        type=lambda text: text.split(","),
        default=["verify", "certify", "quality"],
        help="beside init, plan and apply",
    )
    parser.add_argument("--seconds", type=float, default=300, help="CPU seconds of a size")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--step", choices=("generate", "base"), help=argparse.SUPPRESS)
    parser.add_argument("--size", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        {"generate": generate, "base": base}[given.step](Size(**json.loads(given.size)), given.file)
        json.dump(own_peak(), sys.stdout)
        return
    usual = Size()
    every = {
        "rows": [replace(usual, rows=each, memory=given.memory_limits[-1]) for each in given.rows],
        "columns": [replace(usual, columns=each) for each in given.columns],
        "distinct": [replace(usual, distinct=each) for each in given.distinct],
        "quasi": [replace(usual, quasi=each) for each in given.quasi],
        "threads": [replace(usual, threads=each) for each in given.threads],
        "memory": [
            replace(usual, rows=max(given.rows), memory=each) for each in given.memory_limits
        ],
    }
    start = middle([taken(FLOOR, ROOT, ROOT)["cpu"] for _ in range(3)])
    told = {
        name: list(series(sizes, given, start))
        for name, sizes in every.items()
        if name in (given.only or every)
    }
    write({"benchmark": "growth", "machine": machine(), "start_cpu": start, **told}, given.out)


if __name__ == "__main__":
    main()
