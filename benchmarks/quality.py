"""How much of Adult each recoding keeps, by what its users feel, beside other programs that are run here too.

    python -m benchmarks.quality --out quality.json
    python -m benchmarks.quality --columns 8 --only "mondrian" --k 10
    python -m benchmarks.quality --columns 8 --anonypy PYTHON --mosaicrown PYTHON CHECKOUT \\
        --qiyuangong CHECKOUT --top-down-greedy PYTHON2 CHECKOUT --peers-cache FOLDER

Every release, also that of another program, is written and counted here, by SQL on its own rows that shares nothing
with the product; `benchmarks.kept` says what is counted, and `benchmarks.peers` how to get the others. Of our own
releases whose cells are intervals or nodes, `benchmarks.recount` also checks that every cell is one that its column
can have, and gives the NCP "as released".

With all others at hand the benchmark ends with 1 if at some k no release of ours, with no row suppressed, has a lower
C_DM, NCP (of lines and of sets) and median COUNT error (of lines and of sets) than each of them. CPU seconds are those
of the whole process of another program, and of `anonymize` for ours. A search with a time limit gives the best that it
found by then. A variant whose options this version does not know is left out, and says so.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks import peers
from benchmarks.adult import FOLDER, QUASI
from benchmarks.kept import Kept, Recounter
from benchmarks.measure import machine, write
from benchmarks.recount import ROW, Columns, numbered, recount
from kanon_sql import InfeasibleError, PolicyError, Settings, anonymize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CLASS = "salary-class"
SETS = {8: QUASI, 9: (*QUASI, CLASS)}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to anonymize: how columns are read, what searches, and what may be suppressed."""

    name: str
    columns: Columns
    search: Mapping[str, object]
    suppression: str = "0%"
    timed: bool = False
    targeted: bool = False
    """Whether it needs the class column as its target, which then is no quasi-identifier."""
    output: str | None = None
    """What its texts are released as, where that is not an interval or a node."""


LEAST_DM = {"algorithm": "optimal", "metric": "discernibility"}
BY_LOSS: Mapping[str, object] = {"algorithm": "mondrian", "choose": "loss"}
CUTS: Mapping[str, object] = {"algorithm": "mondrian", "choose": "width", "grouping": "cuts"}
CUTS_BY_LOSS: Mapping[str, object] = {**BY_LOSS, "grouping": "cuts"}
ORDERED: Mapping[str, Mapping[str, object]] = {
    "two stages": {"algorithm": "mondrian"},
    "two stages, equal runs": {"algorithm": "mondrian", "runs": "equal"},
    "two stages, width": {"algorithm": "mondrian", "choose": "width"},
    "mondrian, ordered, loss": CUTS_BY_LOSS,
    "one sort": {"algorithm": "order"},
    "one sort, least loss": {"algorithm": "order", "runs": "least_loss"},
}
"""Searches of lines of texts in the order of their hierarchies, and of how many rows have them."""
LINES = {"": Columns.LINES, ", frequency": Columns.FREQUENCY}
OUTPUTS = {"": None, ", sets": "set"}
VARIANTS = (
    Variant("mondrian, lines", Columns.LINES, CUTS),
    Variant("mondrian, alphabet, loss", Columns.ALPHABET, CUTS_BY_LOSS),
    Variant("mondrian, lines, median", Columns.LINES, {**CUTS, "at": "median"}),
    Variant(
        "mondrian, lines, relaxed", Columns.LINES, {"algorithm": "mondrian", "cuts": "relaxed"}
    ),
    Variant("mondrian", Columns.MIXED, CUTS),
    Variant("mondrian, median", Columns.MIXED, {**CUTS, "at": "median"}),
    Variant("mondrian, loss", Columns.MIXED, CUTS_BY_LOSS),
    *(
        Variant(f"{name}{order}{said}", columns, search, output=output)
        for name, search in ORDERED.items()
        for order, columns in LINES.items()
        for said, output in OUTPUTS.items()
    ),
    Variant("full domain", Columns.TREES, LEAST_DM),
    Variant("full domain, 4 %", Columns.TREES, LEAST_DM, suppression="4%"),
    Variant("top_down", Columns.MIXED, {"algorithm": "top_down"}, targeted=True),
    Variant("bottom_up", Columns.TREES, {"algorithm": "bottom_up"}, targeted=True),
    Variant("k_optimize", Columns.LINES, {"algorithm": "k_optimize"}, timed=True),
    Variant(
        "k_optimize, 4 %", Columns.LINES, {"algorithm": "k_optimize"}, suppression="4%", timed=True
    ),
)


@dataclass(frozen=True, slots=True)
class Tables:
    """Where the hierarchies are, the numbered rows, and the release that is being counted."""

    folder: Path
    source: Path
    release: Path


@dataclass
class Found:
    """What became of one variant or program at one k: what its release keeps, or why there is none."""

    kept: Kept | None = None
    told: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None

    def document(self) -> dict[str, Any]:
        if self.kept is None:
            return {"refused": self.refused}
        return {**self.kept.document(), **self.told}


def policy(
    tables: Tables, names: tuple[str, ...], variant: Variant, *, k: int, seconds: float
) -> dict[str, object]:
    """Give the policy of one variant; columns that are no quasi-identifiers stay as they are."""
    search = dict(variant.search)
    if variant.timed:
        search["time_limit"] = f"{seconds:g}s"
    if variant.targeted:
        search["target"] = CLASS
    return {
        "version": 1,
        "source": str(tables.source),
        "entity": "row",
        "columns": {
            name: variant.columns.entry(tables.folder, name, variant.output)
            if name in names
            else {"role": "insensitive"}
            for name in (ROW, *SETS[9])
        },
        "privacy": {"k": k},
        "suppression": variant.suppression,
        "search": search,
    }


def found(
    tables: Tables,
    recounter: Recounter,
    variant: Variant,
    *,
    k: int,
    seconds: float,
    settings: Settings,
) -> Found:
    """Release by one variant and count it; a release that is not k-anonymous ends the run."""
    names = tuple(recounter.names)
    asked = policy(tables, names, variant, k=k, seconds=seconds)
    began = time.process_time()
    try:
        made = anonymize(asked, release=str(tables.release), replace=True, settings=settings)
    except InfeasibleError:
        return Found(refused="infeasible")
    except PolicyError as error:
        return Found(refused="; ".join(dict.fromkeys(fault.what for fault in error.faults)))
    told: dict[str, Any] = {
        "cpu_seconds": round(time.process_time() - began, 2),
        "optimal": made.plan.optimal,
    }
    kept = recounter.measure(f"'{tables.release}'", shown(recounter, tables.release), k=k)
    plan = made.plan
    if kept.smallest < k or kept.classes != plan.classes:
        sys.exit(f"{variant.name} at k = {k}: the release is not what its plan says")
    if kept.discernibility != plan.figures["discernibility"]:
        sys.exit(f"{variant.name} at k = {k}: C_DM of the plan is not that of the release")
    if variant.output is None:
        counted = recount(tables.folder, tables.source, tables.release, names, variant.columns, k=k)
        told["ncp_as_released"] = counted.ncp
        same = (kept.discernibility, kept.c_avg) == (counted.discernibility, counted.c_avg)
        if not same or not math.isclose(counted.ncp_of_sets, kept.sets.ncp):
            sys.exit(f"{variant.name} at k = {k}: two counts of one release differ")
    for figure in ("gcp", "lower_bound"):
        if figure in plan.figures:
            told[figure] = plan.figures[figure]
    return Found(kept, told)


def shown(recounter: Recounter, release: Path) -> list[str]:
    """Name the columns of a release that its quasi-identifiers became."""
    others = {ROW, *SETS[9]} - set(recounter.names)
    return [each for each in recounter.columns(f"'{release}'") if each not in others]


def of_others(
    given: argparse.Namespace, tables: Tables, recounter: Recounter, k: int
) -> Iterator[tuple[str, Found]]:
    """Run the other programs that are named, or take their releases of the same rows, and count them alike."""
    listed = list(peers.named(given))
    if not listed:
        return
    rows = tables.release.with_name("rows.csv")
    recounter.write_rows(rows)
    kept_in = given.peers_cache or tables.release.with_name("peers")
    for peer in listed:
        made = peers.release_of(peer, tables.folder, rows, kept_in, k)
        csv = f"read_csv('{made.path}', header = true, all_varchar = true)"
        kept = recounter.measure(csv, recounter.names, k=k)
        yield peer.name, Found(kept, {"cpu_seconds": made.cpu, "day": made.day})


JUDGED: Mapping[str, Callable[[Kept], float]] = {
    "C_DM": lambda kept: kept.discernibility,
    "NCP of lines": lambda kept: kept.lines.ncp,
    "NCP of sets": lambda kept: kept.sets.ncp,
    "median COUNT error of lines": lambda kept: kept.lines.count_median,
    "median COUNT error of sets": lambda kept: kept.sets.count_median,
}
"""What has to be lower than that of each other program."""


def not_lower(ours: Kept, others: Mapping[str, Kept]) -> list[str]:
    """Name the figures that some other program has as low, with the lowest of these."""
    listed = []
    for what, figure in JUDGED.items():
        best = min(others, key=lambda name: figure(others[name]))
        if figure(ours) >= figure(others[best]):
            listed.append(f"{what} ({best})")
    return listed


def verdict(k: int, ours: Mapping[str, Found], others: Mapping[str, Found]) -> tuple[bool, str]:
    """Say which of our releases keeps more than every other program at one k, or what the best of them misses."""
    theirs = {name: each.kept for name, each in others.items() if each.kept is not None}
    missed = {
        name: not_lower(each.kept, theirs)
        for name, each in ours.items()
        if each.kept is not None and not each.kept.suppressed
    }
    if not missed:
        return False, f"k = {k}: no release of ours without suppressed rows"
    ahead = [name for name, misses in missed.items() if not misses]
    if ahead:
        return True, f"k = {k}: ahead of all others in every figure: {'; '.join(ahead)}"
    nearest = min(missed, key=lambda name: len(missed[name]))
    return False, f"k = {k}: {nearest} is not ahead in {', '.join(missed[nearest])}"


HEADINGS = ("k", "released by", "classes", "suppressed", "C_DM", "C_AVG", "NCP %", "COUNT error %",
            "marginals %", "1000 pMSE", "CPU s")  # fmt: skip


def lines(results: Mapping[int, Mapping[str, Found]]) -> Iterator[tuple[str, ...]]:
    """Give the rows of the table; figures of lines and of sets are divided by a colon."""
    for k, by_name in results.items():
        for name, each in by_name.items():
            q = each.kept
            if q is None:
                yield (str(k), name, *["-"] * (len(HEADINGS) - 2))
                continue
            both = (q.lines, q.sets)
            yield (
                *(str(k), name, f"{q.classes:,}", f"{q.suppressed:,}"),
                *(f"{q.discernibility:,}", f"{q.c_avg:.2f}"),
                " : ".join(f"{100 * of.ncp:.2f}" for of in both),
                " : ".join(
                    f"{100 * of.count_median:.1f} / {100 * of.count_mean:.1f}" for of in both
                ),
                " : ".join(f"{100 * of.marginals:.1f}" for of in both),
                " : ".join(f"{1000 * of.pmse:.2f}" for of in both),
                f"{each.told['cpu_seconds']:.1f}",
            )


def refusals(results: Mapping[int, Mapping[str, Found]]) -> list[tuple[str, str]]:
    """List what was not released, and why, each once."""
    return list(
        dict.fromkeys(
            (name, each.refused)
            for by_name in results.values()
            for name, each in by_name.items()
            if each.refused is not None
        )
    )


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Lay rows out as Markdown, on columns as wide as they need."""
    widths = [max(len(row[n]) for row in [headings, *rows]) for n in range(len(headings))]
    pad = [str.rjust, str.ljust, *[str.rjust] * (len(headings) - 2)]
    rule = tuple("-" * width for width in widths)
    return "".join(
        "| " + " | ".join(p(c, w) for p, c, w in zip(pad, row, widths, strict=True)) + " |\n"
        for row in [headings, rule, *rows]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--k", default="5,10,25,50,100")
    parser.add_argument("--columns", default="8,9", help="how many quasi-identifiers: 8, 9")
    parser.add_argument("--only", default="", help="variants whose name begins like this")
    parser.add_argument(
        "--time-limit", type=float, default=30.0, help="seconds for each K-Optimize"
    )
    parser.add_argument("--threads", type=int, default=2)
    peers.add_arguments(parser)
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if not (folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    settings = Settings(threads=given.threads)
    by_columns: dict[str, object] = {}
    verdicts: dict[int, str] = {}
    ahead = True
    with TemporaryDirectory() as scratch:
        source = numbered(folder, Path(scratch) / "adult.parquet")
        tables = Tables(folder, source, Path(scratch) / "release.parquet")
        for columns in map(int, given.columns.split(",")):
            asked = [v for v in VARIANTS if v.name.startswith(given.only)]
            if columns == len(SETS[9]):
                asked = [variant for variant in asked if not variant.targeted]
            results: dict[int, dict[str, Found]] = {}
            with Recounter.opened(folder, source, SETS[columns]) as recounter:
                for k in map(int, given.k.split(",")):
                    ours = {
                        variant.name: found(
                            *(tables, recounter, variant),
                            k=k,
                            seconds=given.time_limit,
                            settings=settings,
                        )
                        for variant in asked
                    }
                    others = {}
                    if columns == len(SETS[8]):
                        others = dict(of_others(given, tables, recounter, k))
                    results[k] = {**ours, **{f"({name})": each for name, each in others.items()}}
                    if others:
                        best, verdicts[k] = verdict(k, ours, others)
                        ahead &= best
            by_columns[str(columns)] = {
                str(k): {name: each.document() for name, each in by_name.items()}
                for k, by_name in results.items()
            }
            told = table(HEADINGS, list(lines(results)))
            sys.stdout.write(f"\n{columns} quasi-identifiers; lines : sets\n\n{told}")
            for name, why in refusals(results):
                sys.stdout.write(f"{name}: {why}\n")
            sys.stdout.flush()
    left_out = peers.missing(given)
    for line in verdicts.values():
        sys.stdout.write(f"{line}\n")
    if left_out:
        sys.stdout.write(f"not run: {', '.join(left_out)}\n")
    report: dict[str, object] = {
        "benchmark": "quality",
        "machine": machine(),
        "time_limit": given.time_limit,
        "threads": given.threads,
        "by_quasi_identifiers": by_columns,
        "verdicts": verdicts,
        "not_run": left_out,
    }
    if given.out is not None:
        write(report, given.out)
    if verdicts and not left_out and not ahead:
        sys.exit(1)


if __name__ == "__main__":
    main()
