"""What a classifier still learns: the error of decision trees trained on recoded rows of Adult.

    pip install '.[benchmarks]'
    python -m benchmarks.classification --out classification.json

Two thirds of the rows, drawn by a seed, are anonymized; the class is whether a person earns more
than 50K. A tree (scikit-learn) is trained on what is released of them and scored on the other third,
recoded alike and never looked at by the search. Recoding them is SQL: a value goes to the part of
its column that is nearest, a row to the box that is nearest over all columns, mostly one that it
lies in. All trees see the same features: of age the ends of its interval (of other columns too,
where they are cut by their order), of a hierarchy's node itself and the nodes above it.

Between two errors lies all that a recoding can do: "raw", where nothing is generalized, and "root",
where everything is, and the most frequent class is all that there is to say.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.adult import FOLDER, QUASI
from benchmarks.cells import People
from benchmarks.measure import machine, write
from benchmarks.quality import CLASS, table
from benchmarks.recount import ROW, Columns, numbered
from kanon_sql import (
    InfeasibleError,
    PolicyError,
    Settings,
    anonymize,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LEAF = 20
"""Rows that every leaf of a tree has, so that it does not learn its rows by heart."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to anonymize the training rows; `boxes` are cut over all columns together."""

    name: str
    columns: Columns
    search: Mapping[str, object]
    suppression: str = "0%"
    targeted: bool = True
    timed: bool = False
    boxes: bool = False


LOSS = {"algorithm": "optimal", "metric": "loss"}
INFORMED = {"algorithm": "mondrian", "choose": "information"}
VARIANTS = (
    Variant("top_down", Columns.MIXED, {"algorithm": "top_down"}),
    Variant("top_down, gain alone", Columns.MIXED, {"algorithm": "top_down", "score": "gain"}),
    Variant("bottom_up", Columns.TREES, {"algorithm": "bottom_up"}),
    Variant(
        "k_optimize, 4 %",
        Columns.LINES,
        {"algorithm": "k_optimize", "minimize": "classification"},
        suppression="4%",
        timed=True,
    ),
    Variant("mondrian, information", Columns.MIXED, INFORMED, boxes=True),
    Variant("mondrian", Columns.MIXED, {"algorithm": "mondrian"}, targeted=False, boxes=True),
    Variant("full domain", Columns.TREES, LOSS, targeted=False),
    Variant("full domain, 4 %", Columns.TREES, LOSS, targeted=False, suppression="4%"),
)


def policy(
    folder: Path, source: Path, variant: Variant, *, k: int, seconds: float
) -> dict[str, object]:
    """Give the policy by which the training rows are anonymized."""
    search = dict(variant.search)
    if variant.timed:
        search["time_limit"] = f"{seconds:g}s"
    if variant.targeted:
        search["target"] = CLASS
    return {
        "version": 1,
        "source": str(source),
        "entity": "row",
        "columns": {
            ROW: {"role": "insensitive"},
            **{name: variant.columns.entry(folder, name) for name in QUASI},
            CLASS: {"role": "insensitive"},
        },
        "privacy": {"k": k},
        "suppression": variant.suppression,
        "search": search,
    }


def error(people: People, seed: int) -> float:
    """Train on the rows that were released, and give the share of the others that is told wrong."""
    trees: Any = import_module("sklearn.tree")
    (features, classes), (others, truth) = people.matrices()
    tree = trees.DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=LEAF, random_state=seed
    )
    tree.fit(features, classes)
    return float((tree.predict(others) != truth).mean())


def measured(
    people: People, folder: Path, variant: Variant, given: argparse.Namespace, k: int
) -> dict[str, object]:
    """Anonymize, recode the other rows alike, and score; or say why there is no release."""
    release = people.scratch / "release.parquet"
    asked = policy(folder, people.training, variant, k=k, seconds=given.time_limit)
    began = time.perf_counter()
    try:
        made = anonymize(
            asked, release=str(release), replace=True, settings=Settings(threads=given.threads)
        )
    except InfeasibleError:
        return {"refused": "infeasible"}
    except PolicyError as refused:
        return {"refused": "; ".join(fault.what for fault in refused.faults)}
    took = time.perf_counter() - began
    people.show(release, variant.columns, together=variant.boxes)
    return {
        "error": round(error(people, given.seed), 4),
        "classes": made.plan.classes,
        "suppressed": made.plan.suppressed_rows,
        "seconds": round(took, 2),
    }


def lines(results: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Give the rows of the table: the errors of each variant, by k, in percent."""
    for name, by_k in results.items():
        told = [f"{100 * each['error']:.2f}" if "error" in each else "-" for each in by_k.values()]
        yield ("", name, *told)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--k", default="5,10,25,50,100,200,500")
    parser.add_argument("--only", default="", help="variants whose name begins like this")
    parser.add_argument("--seed", type=int, default=1, help="which rows are for training")
    parser.add_argument(
        "--time-limit", type=float, default=30.0, help="seconds for each K-Optimize"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if not (folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    asked = [int(k) for k in given.k.split(",")]
    with TemporaryDirectory() as scratch:
        source = numbered(folder, Path(scratch) / "adult.parquet")
        with People.split(folder, source, Path(scratch), seed=given.seed) as people:
            people.show_raw()
            raw = {"error": round(error(people, given.seed), 4)}
            people.show_roots()
            root = {"error": round(error(people, given.seed), 4)}
            results = {
                variant.name: {str(k): measured(people, folder, variant, given, k) for k in asked}
                for variant in VARIANTS
                if variant.name.startswith(given.only)
            }
            trained, tested = people.sizes
    both = {
        "raw": dict.fromkeys(map(str, asked), raw),
        "root": dict.fromkeys(map(str, asked), root),
    }
    headings = ("", "error in % at k =", *map(str, asked))
    sys.stdout.write(table(headings, list(lines({**both, **results}))))
    report: dict[str, object] = {
        "benchmark": "classification",
        "machine": machine(),
        "quasi_identifiers": len(QUASI),
        "training_rows": trained,
        "test_rows": tested,
        "seed": given.seed,
        "time_limit": given.time_limit,
        "leaf": LEAF,
        "raw": raw,
        "root": root,
        "by_variant": results,
    }
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
