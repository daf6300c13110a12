"""The Adult table (30 162 people, the classic of the field), as a user runs it: from the shell.

    python -m benchmarks.adult [FOLDER] --out adult.json

The folder holds adult.csv and its hierarchies (hierarchy_age.csv and so on), separated by
semicolons. Every figure is of a process of its own, start and imports included: the default metric
repeated for a median, then each other metric once.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Measured, machine, middle, run, write, write_policy
from kanon_sql.policy.metrics.registry import METRICS

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation")  # fmt: skip
FOLDER = ROOT.parent / "shared" / "data" / "adult"


def policy(folder: Path, *, k: int, suppression: str, metric: str) -> dict[str, object]:
    """Give the policy of the benchmark."""
    columns: dict[str, object] = {
        name: {"role": "quasi", "hierarchy": {"csv": str(folder / f"hierarchy_{name}.csv")}}
        for name in QUASI
    }
    return {
        "version": 1,
        "source": str(folder / "adult.csv"),
        "entity": "row",
        "columns": {**columns, "salary-class": {"role": "sensitive"}},
        "privacy": {"k": k},
        "suppression": suppression,
        "search": {"metric": metric},
    }


def arguments(policy_file: Path, release: Path, threads: int) -> list[str]:
    """Say what is run: the command line, or the Python interface where there is none."""
    if find_spec("kanon_sql.__main__") is not None:
        told = ["anonymize", str(policy_file), "--release", str(release), "--replace", "--json"]
        return ["kanon_sql", *told]
    return ["benchmarks.measure", str(policy_file), str(release), "--threads", str(threads)]


def figures(runs: list[Measured]) -> dict[str, object]:
    """Reduce the repetitions of one metric."""
    last = runs[-1].summary
    return {
        "wall_seconds": middle([r.wall for r in runs]),
        "cpu_seconds": middle([r.cpu for r in runs]),
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
        "seconds": last["seconds"],
        **{key: last[key] for key in ("checks", "statements", "levels", "cost", "optimal")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", default="4%")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="for the Python interface")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    folder = given.folder.resolve()
    if not (folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    results: dict[str, object] = {}
    with TemporaryDirectory() as scratch:
        for metric in sorted(METRICS, key=lambda name: name != "loss"):
            spec = policy(folder, k=given.k, suppression=given.suppression, metric=metric)
            file = write_policy(spec, Path(scratch) / f"{metric}.yml")
            said = arguments(file, Path(scratch) / "release.parquet", given.threads)
            repeat = given.repeat if metric == "loss" else 1
            results[metric] = figures([run(said) for _ in range(repeat)])
    report: dict[str, object] = {
        "benchmark": "adult",
        "machine": machine(),
        "quasi_identifiers": len(QUASI),
        "k": given.k,
        "suppression": given.suppression,
        "repetitions": given.repeat,
        "metrics": results,
    }
    write(report, given.out)


if __name__ == "__main__":
    main()
