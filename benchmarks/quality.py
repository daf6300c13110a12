"""How much of Adult each recoding keeps: C_DM, C_AVG and NCP of ours, beside those of others.

    python -m benchmarks.quality --out quality.json
    python -m benchmarks.quality --only mondrian --k 10

Every release is written and recounted here, by SQL on its own rows that shares nothing with the
product, with the definitions by which the others were counted (30,162 rows, n; d columns):

* a class is what a reader cannot tell apart: the rows that are alike in all released columns;
* C_DM is the sum of the squares of the classes, and n for each suppressed row;
* C_AVG is the rows released / classes / k: suppressed rows are neither rows nor a class of it;
* NCP (Xu et al., KDD 2006) is the mean over all n d cells of what each was widened by: age by
  (high - low) / (90 - 17), any other by the share of the column's values that the cell stands for,
  nothing if that is one; a suppressed cell counts as 1. It is also called GCP. "Of sets" is what
  it would be if a cell said which values its class has, as anonypy's do.

The figures of the others are of another day and machine; see `PEERS`. That of a search with a
time limit is the best that it found by then.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.adult import FOLDER, QUASI
from benchmarks.measure import machine, write
from benchmarks.recount import ROW, Columns, Quality, numbered, recount
from kanon_sql import (
    InfeasibleError,
    PolicyError,
    Settings,
    anonymize,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

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


LEAST_DM = {"algorithm": "optimal", "metric": "discernibility"}
VARIANTS = (
    Variant("mondrian, lines", Columns.LINES, {"algorithm": "mondrian"}),
    Variant(
        "mondrian, alphabet, loss", Columns.ALPHABET, {"algorithm": "mondrian", "choose": "loss"}
    ),
    Variant("mondrian, lines, median", Columns.LINES, {"algorithm": "mondrian", "at": "median"}),
    Variant("mondrian, lines, loss", Columns.LINES, {"algorithm": "mondrian", "choose": "loss"}),
    Variant(
        "mondrian, lines, relaxed", Columns.LINES, {"algorithm": "mondrian", "cuts": "relaxed"}
    ),
    Variant("mondrian", Columns.MIXED, {"algorithm": "mondrian"}),
    Variant("mondrian, median", Columns.MIXED, {"algorithm": "mondrian", "at": "median"}),
    Variant("mondrian, loss", Columns.MIXED, {"algorithm": "mondrian", "choose": "loss"}),
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
class Peer:
    """Figures of another program on Adult with eight quasi-identifiers; None where not counted."""

    name: str
    k: int
    discernibility: int
    ncp_percent: float | None = None
    classes: int | None = None
    c_avg: float | None = None
    note: str = ""


PEERS_COUNTED = "2026-11-21"
PEERS = (
    Peer("qiyuangong Mondrian strict", 10, 673_672, 11.2, 1_795, 1.68),
    Peer("qiyuangong Mondrian relaxed", 10, 448_098, 15.9, 2_040, 1.48),
    Peer("qiyuangong Semi-Partition", 10, 458_546, None, 2_289, 1.32),
    Peer("qiyuangong Top-Down Greedy", 10, 407_024, None, 2_408, 1.25),
    Peer("kaylode Mondrian", 10, 861_416, 20.4, 1_436, 2.10),
    Peer("kaylode classic Mondrian", 10, 616_910, 9.6, 1_853, 1.63),
    Peer("anonypy, anonypyx Mondrian", 10, 527_212, 5.9, 1_954, 1.54, "aggregates, no rows"),
    Peer("mosaicrown Mondrian, local", 10, 528_456, 5.7, 1_964, 1.54),
    Peer("mosaicrown Mondrian, Spark", 10, 544_810, 5.9, 1_939, 1.56, "four parts"),
    Peer("spark-privacy-preserver", 10, 532_894, 6.6, 1_943, 1.55),
    Peer("polarfrost", 10, 5_916_764, 35.7, 768, 3.9),
    Peer("kaylode Datafly", 10, 250_319_810, 79.6, 6, 503),
    Peer("anjana", 10, 54_700_000, 36, 275, 10.5, "1,400 rows suppressed"),
    Peer("SDC4Society Flash", 10, 55_200_000, None, 30, 100),
    Peer("mosaicrown Mondrian, local", 5, 330_224, 3.4),
    Peer("anonypy Mondrian", 5, 311_244, 3.2),
    Peer("qiyuangong Mondrian strict", 5, 502_940, 8.3),
    Peer("mosaicrown Mondrian, local", 50, 2_290_464, 14.6),
    Peer("anonypy Mondrian", 50, 2_319_834, 15.4),
    Peer("qiyuangong Mondrian strict", 50, 2_405_520, 22.2),
    Peer("mosaicrown Mondrian, local", 2, 233_924, 1.3),
    Peer("anonypy Mondrian", 2, 208_022, 1.0),
    Peer("qiyuangong Mondrian strict", 2, 426_728, 5.0),
)
"""Counted by ourselves from what the programs release, on a machine like that of
docs/benchmarks.md; the eight columns are all but salary-class. They do not cut alike: some take every column
for a line of codes, as ours under "lines" does, others have hierarchies. Their NCP is of what they
release: an interval or a node counts all values that it covers, a set of values only its own.
Qiyuangong's Basic Mondrian is left out, as its release is not k-anonymous."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Where the hierarchies are, the numbered rows, and the release that is being counted."""

    folder: Path
    source: Path
    release: Path


@dataclass
class Found:
    """What became of one variant at one k: the recount, and what the plan says, or why nothing."""

    quality: Quality | None = None
    told: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None

    def document(self) -> dict[str, Any]:
        if self.quality is None:
            return {"refused": self.refused}
        return {**self.quality.document(), **self.told}


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
            name: variant.columns.entry(tables.folder, name)
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
    names: tuple[str, ...],
    variant: Variant,
    *,
    k: int,
    seconds: float,
    settings: Settings,
) -> Found:
    """Release by one variant and recount it; a release that is not k-anonymous ends the run."""
    asked = policy(tables, names, variant, k=k, seconds=seconds)
    began = time.perf_counter()
    try:
        made = anonymize(asked, release=str(tables.release), replace=True, settings=settings)
    except InfeasibleError:
        return Found(refused="infeasible")
    except PolicyError as error:
        return Found(refused="; ".join(fault.what for fault in error.faults))
    took = time.perf_counter() - began
    quality = recount(tables.folder, tables.source, tables.release, names, variant.columns, k=k)
    plan = made.plan
    if quality.smallest < k or quality.classes != plan.classes:
        sys.exit(f"{variant.name} at k = {k}: the release is not what its plan says")
    if quality.discernibility != plan.figures["discernibility"]:
        sys.exit(f"{variant.name} at k = {k}: C_DM of the plan is not that of the release")
    told: dict[str, Any] = {"seconds": round(took, 2), "optimal": plan.optimal}
    for figure in ("gcp", "lower_bound"):
        if figure in plan.figures:
            told[figure] = plan.figures[figure]
    return Found(quality, told)


HEADINGS = ("k", "released by", "classes", "suppressed", "C_DM", "C_AVG", "NCP %", "of sets %",
            "seconds")  # fmt: skip


def lines(results: dict[int, dict[str, Found]], *, with_peers: bool) -> list[tuple[str, ...]]:
    """Give the rows of the table: for each k ours, and then the others by their C_DM."""
    told: list[tuple[str, ...]] = []
    for k, by_variant in results.items():
        for name, each in by_variant.items():
            q = each.quality
            if q is None:
                told.append((str(k), name, each.refused or "", *[""] * 6))
                continue
            told.append(
                (
                    *(str(k), name, f"{q.classes:,}", f"{q.suppressed:,}"),
                    *(f"{q.discernibility:,}", f"{q.c_avg:.2f}", f"{100 * q.ncp:.2f}"),
                    *(f"{100 * q.ncp_of_sets:.2f}", f"{each.told['seconds']:.1f}"),
                )
            )
        peers = [each for each in PEERS if each.k == k and with_peers]
        for peer in sorted(peers, key=lambda each: each.discernibility):
            classes = "" if peer.classes is None else f"{peer.classes:,}"
            c_avg = "" if peer.c_avg is None else f"{peer.c_avg:.2f}"
            ncp = "" if peer.ncp_percent is None else f"{peer.ncp_percent:.1f}"
            told.append((str(k), f"({peer.name})", classes, "", f"{peer.discernibility:,}",
                         c_avg, ncp, "", ""))  # fmt: skip
    return told


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Lay rows out as Markdown, on columns as wide as they need."""
    widths = [max(len(row[n]) for row in [headings, *rows]) for n in range(len(headings))]
    pad = [str.rjust, str.ljust, *[str.rjust] * (len(headings) - 2)]
    rule = tuple("-" * width for width in widths)
    return "".join(
        "| " + " | ".join(p(c, w) for p, c, w in zip(pad, row, widths, strict=True)) + " |\n"
        for row in [headings, rule, *rows]
    )


def document(peer: Peer) -> dict[str, object]:
    return {name: getattr(peer, name) for name in Peer.__slots__}


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
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if not (folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    settings = Settings(threads=given.threads)
    by_columns: dict[str, object] = {}
    with TemporaryDirectory() as scratch:
        source = numbered(folder, Path(scratch) / "adult.parquet")
        tables = Tables(folder, source, Path(scratch) / "release.parquet")
        for columns in map(int, given.columns.split(",")):
            asked = [v for v in VARIANTS if v.name.startswith(given.only)]
            if columns == len(SETS[9]):
                asked = [variant for variant in asked if not variant.targeted]
            results = {
                k: {
                    variant.name: found(
                        tables,
                        SETS[columns],
                        variant,
                        k=k,
                        seconds=given.time_limit,
                        settings=settings,
                    )
                    for variant in asked
                }
                for k in map(int, given.k.split(","))
            }
            by_columns[str(columns)] = {
                str(k): {name: each.document() for name, each in by_variant.items()}
                for k, by_variant in results.items()
            }
            with_peers = columns == len(SETS[8])
            told = table(HEADINGS, lines(results, with_peers=with_peers))
            sys.stdout.write(f"\n{columns} quasi-identifiers\n\n{told}")
            sys.stdout.flush()
    report: dict[str, object] = {
        "benchmark": "quality",
        "machine": machine(),
        "time_limit": given.time_limit,
        "threads": given.threads,
        "by_quasi_identifiers": by_columns,
        "peers": {"counted": PEERS_COUNTED, "k": [document(peer) for peer in PEERS]},
    }
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
