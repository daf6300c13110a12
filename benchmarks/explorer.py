"""How long the explorer takes to answer: a change of k, of the suppression limit, of a level, once its source is encoded.

    python -m benchmarks.explorer --rows 10000000 --all-rows
    python -m benchmarks.explorer --adult ../shared/data/adult
    python -m benchmarks.explorer --hospital 107859

The last is of a hospital's visits as `init` proposes to release them, for each use of a release: when the page has its
address, its first figures, and its answers, which are of the sample. Targets: 3 s for the address, 1 s for an answer.

Each change is one that a person makes next, from the best node on: k up, another limit, each column one level up and
down again. An answer is the figures of the state with its released rows; the charts and the colours of other levels
are asked for after it, a column at a time. Targets: 100 ms on Adult, 1 s on ten million rows.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import kanon_sql
from benchmarks import adult, census, hospital
from benchmarks.measure import ROOT, machine, middle, run_command, write, write_policy
from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration
from kanon_sql.apps.explorer.guarded_app import chart_document
from kanon_sql.apps.explorer.searched_state import ChartName
from kanon_sql.base.charts.chart import can_render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.apps.explorer.exploration import Exploration


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


def address_seconds(policy: Path) -> tuple[float, float]:
    """Start the command, and give the wall and CPU seconds until it prints the page's address."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "kanon_sql", "explore", policy.name, "--no-browser"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=policy.parent, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as run:
        if run.stdout is None or b"http://" not in run.stdout.readline():
            sys.exit("the explorer printed no address")
        wall = time.perf_counter() - began
        ticks = Path(f"/proc/{run.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        run.send_signal(signal.SIGINT)
        run.communicate()
    return wall, (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def of_proposed(policy: Path, use: str, threads: int) -> dict[str, object]:
    """Measure the page of a policy that `init` wrote, for one use of the release."""
    times: dict[str, list[tuple[float, float]]] = {"first": [], "answers": [], "count_error": []}

    @contextmanager
    def timed(what: str) -> Iterator[None]:
        began, worked = time.perf_counter(), time.process_time()
        yield
        times[what].append((time.perf_counter() - began, time.process_time() - worked))

    saved = policy.with_name("s.yml"), policy.with_name("s.plan.yml")
    files = SavedFiles(*saved, lambda _, __: None, "s")
    settings = kanon_sql.Settings(threads=threads)
    explored = open_exploration(str(policy), None, files=files, settings=settings)
    try:
        entries = list(explored.adjustable.entries.values())
        (bound,) = (each for each in entries if each.name == "k")
        (own,) = (each.words for each in entries if each.kind == "use")
        used = {} if use == own else {"use": use}
        with timed("first"):
            state = Choices.read(explored.start()["state"], explored.names)
            state = replace(state, entries=used)
            top = replace(state, levels=(99,) * len(explored.names))
            state = explored.best(explored.clamped(top))
            figures = explored.figures(state)
        for k in range(int(bound.words) + 1, int(bound.words) + 6):
            state = replace(state, entries={**used, bound.key: str(k)})
            with timed("answers"):
                explored.figures(state)
        with timed("count_error"):
            explored.count_error(state)
    finally:
        explored.close()
    return {
        "counted": figures.sample,
        **{
            f"{what}_seconds": {
                "wall": middle([wall for wall, _ in of]),
                "cpu": middle([cpu for _, cpu in of]),
            }
            for what, of in times.items()
        },
    }


def of_hospital(persons: int, folder: Path, threads: int) -> dict[str, object]:
    """Measure the page of the policy that `init` writes for a hospital's visits."""
    source = folder / "hospital.duckdb"
    rows, _ = hospital.generate(persons, source, threads=threads)
    found: dict[str, object] = {"rows": rows}
    for use in ("counts", "records"):
        policy = folder / f"{use}.yml"
        run_command(["init", source.name, "-o", policy.name, "--for", use], folder)
        wall, cpu = address_seconds(policy)
        address = {"wall": round(wall, 2), "cpu": round(cpu, 2)}
        found[use] = {"address_seconds": address, **of_proposed(policy, use, threads)}
    found["levels"] = of_proposed(folder / "records.yml", "levels", threads)
    return found


def measured(explored: Exploration, *, all_rows: bool) -> dict[str, object]:
    """Open, search, and answer each change twice: the second time the statements are prepared.

    A large source is sampled, unless `all_rows` are counted: then its first answer encodes them.
    """
    began = time.perf_counter()
    start = explored.start()
    opened = time.perf_counter() - began
    best = replace(Choices.read(start["state"], explored.names), all_rows=all_rows)
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
    parser.add_argument("--all-rows", action="store_true", help="and no sample of a large source")
    parser.add_argument("--source", type=Path, help="a census that was generated before")
    parser.add_argument("--adult", type=Path, help="the folder of Adult, in place of a census")
    parser.add_argument("--hospital", type=int, help="people of a hospital, in place of a census")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.hospital is not None:
            found = of_hospital(given.hospital, folder, given.threads)
            write({"machine": machine(), **found}, given.out)
            return
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
            report = {"machine": machine(), **measured(explored, all_rows=given.all_rows)}
        finally:
            explored.close()
    write(report, given.out)


if __name__ == "__main__":
    main()
