"""`demo`: all steps on an embedded sample of invented people, printed one by one."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from kanon_sql.apps.python.anonymize import anonymize
from kanon_sql.counting.plans.shown_plan import proof_text
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.open_view import open_statement
from kanon_sql.engines.base import whole
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.engines.locations import source_from_text
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.recoding.recount import class_sizes

if TYPE_CHECKING:
    from rich.console import Console

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Row

NARROW = 8
"""The most columns of a table that is printed with blanks around its cells, to fit 80 characters."""
SHOWN = 8
SIZES = ("1", "2-4", "5-9", "10-24", "25-99", "100 and more")
SAMPLE = ("people.csv", "people.yml", "education.csv")
RELEASE = "people_k5.parquet"


def run_demo(console: Console, out: str | None) -> dict[str, object]:
    """Anonymize the sample, print each step and return the summary; the files stay in the folder `out`, if it is given.

    Raises ReleaseError, before anything is written, if `out` has a file of the demo with other content.
    """
    with tempfile.TemporaryDirectory(prefix="kanon-sql-demo-") as scratch:
        folder = Path(out) if out else Path(scratch)
        again = _copy_sample(folder)
        file = folder / "people.yml"
        policy = read_policy(file)
        released = anonymize(policy, replace=again, keep_sql=True)
        with open_duckdb() as engine, session(engine, policy, ends_engine=True) as run:
            before, after = (_look(run, folder / name) for name in ("people.csv", RELEASE))
        console.rule("before: invented people, as a hospital would record them")
        _print_rows(console, *before[0])
        console.rule("the policy")
        console.print(Text(file.read_text(encoding="utf-8")), soft_wrap=True)
        console.rule("the SQL of the recoding (first the classes that fail, then the release)")
        console.print(Text(released.plan.sql.strip()), soft_wrap=True)
        console.rule("after")
        _print_rows(console, *after[0])
        console.rule("what changed")
        _print_sizes(console, before[1], after[1])
        levels = ", ".join(
            f"{n} {v} of {released.plan.heights[n]}" for n, v in released.plan.levels.items()
        )
        console.print(Text(f"levels: {levels}"))
        console.print(
            Text(
                f"suppressed rows: {released.plan.suppressed_rows:,} of {released.plan.source_rows:,} "
                f"(limit {released.plan.max_suppressed:,}); {released.plan.metric} {released.plan.cost[0]:.4f}, "
                f"{proof_text(released.plan)} after "
                f"{released.plan.checks:,} checks of {released.plan.lattice_nodes:,} nodes, "
                f"{released.journal.statements} statements in all"
            )
        )
        found = released.verification
        console.print(
            Text(
                f"verdict: PASS. Recounted from the staged rows: {found.rows:,} rows in "
                f"{found.classes:,} equivalence classes, each with at least {found.smallest_class:,} "
                f"people and {min(found.distinct.values())} diseases",
                style="bold green",
            )
        )
        if out:
            console.print(Text(f"kept the files in {out}; next: kanon-sql plan {file}"))
    return released.summary()


def _copy_sample(folder: Path) -> bool:
    """Copy the sample into a folder; returns whether it was there before, so that the release may be replaced."""
    with as_file(files("kanon_sql") / "apps" / "sample") as sample:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            there = [name for name in SAMPLE if (folder / name).exists()]
            again = len(there) == len(SAMPLE)
            others = [n for n in there if (folder / n).read_bytes() != (sample / n).read_bytes()]
            if (folder / RELEASE).exists() and not again:
                others.append(RELEASE)
            if others:
                what = "already exists and is not the demo's; name another folder"
                raise ReleaseError(str(folder), [Fault(name, what) for name in others])
            for name in SAMPLE:
                shutil.copyfile(sample / name, folder / name)
        except OSError as error:
            what = f"cannot be written ({os.strerror(error.errno or 0)})"
            raise ReleaseError(str(folder), [Fault("", what)]) from error
    return again


def _look(
    run: Session, path: Path
) -> tuple[tuple[list[str], list[Row]], dict[int, tuple[int, int]]]:
    """Read a few rows of the sample, and its classes by size."""
    engine, quasi = run.engine, [each.name for each in run.policy.quasi]
    view = run.scratch.table("sample")
    run.see(view, open_statement(engine, source_from_text(str(path)), view, ""))
    names = [c.name for c in engine.columns(view)]
    rows = engine.fetch(source_sql.first_rows(view, SHOWN))
    sizes = engine.fetch(class_sizes(view, quasi))
    counted = (map(whole, row) for row in sizes)
    return (names, rows), {band: (classes, size) for band, classes, size in counted}


def _print_rows(console: Console, names: list[str], rows: list[Row]) -> None:
    # Without the blanks around cells, a wide sample fits 80 characters and no word is broken.
    table = Table(padding=(0, 0) if len(names) > NARROW else (0, 1))
    for name in names:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        table.add_row(*(Text("NULL" if cell is None else str(cell)) for cell in row))
    console.print(table)


def _print_sizes(
    console: Console, before: dict[int, tuple[int, int]], after: dict[int, tuple[int, int]]
) -> None:
    table = Table(title="equivalence classes by size", title_justify="left")
    table.add_column("people in class")
    for when in ("before", "after"):
        table.add_column(f"{when}: classes", justify="right")
        table.add_column("people", justify="right")
    for band, label in enumerate(SIZES):
        cells = [f"{n:,}" for found in (before, after) for n in found.get(band, (0, 0))]
        table.add_row(label, *cells)
    console.print(table)
