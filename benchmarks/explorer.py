"""How long the explorer takes to answer: a change of k, of the suppression limit, of a level, once its source is encoded.

    python -m benchmarks.explorer --rows 10000000
    python -m benchmarks.explorer --adult ../shared/data/adult

Each change is one that a person makes next, from the best node on: k up, another limit, each column one level up and
down again. An answer is the figures of the state with its released rows; the charts and the colours of other levels
are asked for after it, a column at a time. Targets: 100 ms on Adult, 1 s on ten million rows.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import kanon_sql
from benchmarks import adult, census
from benchmarks.measure import machine, middle, write, write_policy
from kanon_sql.charts.render import can_render
from kanon_sql.explorer.exploration import Choices, SavedFiles, open_exploration
from kanon_sql.explorer.guarded_app import chart_document
from kanon_sql.explorer.state_names import ChartName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.explorer.exploration import Exploration


def changes(best: Choices, tops: list[int], bound: str) -> Iterator[tuple[str, Choices]]:
    """Give what a person changes, one thing after another."""
    for k in ("6", "10", "25", "5"):
        yield "k", replace(best, entries={bound: k})
    for limit in ("1%", "2%", "10%"):
        yield "suppression", replace(best, entries={"suppression": limit})
    for at, top in enumerate(tops):
        for level in (best.levels[at] + 1, best.levels[at] - 1):
            if 0 <= level <= top:
                levels = (*best.levels[:at], level, *best.levels[at + 1 :])
                yield "level", replace(best, levels=levels)


def measured(explored: Exploration) -> dict[str, object]:
    """Open, search, and answer each change twice: the second time the statements are prepared."""
    began = time.perf_counter()
    start = explored.start()
    opened = time.perf_counter() - began
    best = Choices.read(start["state"], explored.names)
    tops = [len(each["labels"]) - 1 for each in explored.columns(best)]  # type: ignore[arg-type]
    (bound,) = (each.key for each in explored.adjustable.entries.values() if each.name == "k")
    began = time.perf_counter()
    figures = explored.figures(best)
    first = time.perf_counter() - began
    times: dict[str, list[float]] = {"k": [], "suppression": [], "level": []}
    cpu: list[float] = []
    for _ in range(2):
        for what, choices in changes(best, tops, bound):
            began, worked = time.perf_counter(), time.process_time()
            explored.figures(choices)
            times[what].append(time.perf_counter() - began)
            cpu.append(time.process_time() - worked)
    levels = []
    for at in range(len(tops)):
        began = time.perf_counter()
        explored.feasible_levels(best, at)
        levels.append(time.perf_counter() - began)
    drawn = 0.0
    if can_render():
        for name in ChartName:
            began = time.perf_counter()
            chart_document(name, figures)
            drawn = max(drawn, time.perf_counter() - began)
    every = [each for of in times.values() for each in of]
    encoded = explored.prepared(explored.counted(best)).source.encoded
    return {
        "rows": figures.rows,
        "distinct_tuples": encoded.set_rows,
        "quasi_identifiers": len(tops),
        "open_encode_search_seconds": round(opened, 2),
        "first_answer_seconds": round(first, 4),
        "answers": len(every),
        "median_seconds": {what: middle(of) for what, of in times.items()},
        "slowest_seconds": round(max(every), 4),
        "median_cpu_seconds": middle(cpu),
        "slowest_colours_of_a_column_seconds": round(max(levels), 4),
        "slowest_chart_seconds": round(drawn, 4),
    }


def main() -> None:
    """Measure, and print or write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of a generated census")
    parser.add_argument("--source", type=Path, help="a census that was generated before")
    parser.add_argument("--adult", type=Path, help="the folder of Adult, in place of a census")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.adult is not None:
            policy = adult.policy(given.adult.resolve(), k=5, suppression="4%", metric="loss")
        else:
            source = given.source or folder / "census.parquet"
            if given.source is None:
                census.generate(given.rows, source, threads=given.threads)
            policy = census.policy(source.resolve(), k=5, suppression="2%")
        file = write_policy(policy, folder / "policy.yml")
        saved = folder / "s.yml", folder / "s.plan.yml"
        files = SavedFiles(*saved, lambda _, __: None, str(folder / "s"))
        explored = open_exploration(
            str(file), None, files=files, settings=kanon_sql.Settings(threads=given.threads)
        )
        try:
            report = {"machine": machine(), **measured(explored)}
        finally:
            explored.close()
    write(report, given.out)


if __name__ == "__main__":
    main()
