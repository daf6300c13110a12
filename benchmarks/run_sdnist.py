"""Scores one deidentified file by NIST's sdnist: what `benchmarks.nist` starts, by the Python that has sdnist.

    PYTHON benchmarks/run_sdnist.py DEID.csv DATA_ROOT

DATA_ROOT is the folder BenchmarkData/ACSDataExcerpts of usnistgov/SDNist. These are the classes and the arguments of
sdnist's own report, without its pictures. It prints JSON.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def main() -> None:
    released, root = map(Path, sys.argv[1:])
    datasets: Any = import_module("sdnist.report.dataset")
    name: Any = import_module("sdnist.load").TestDatasetName.national2019
    log: Any = import_module("sdnist.utils").SimpleLogger()
    of: Any = datasets.Dataset(released, log, name, root, download=False)
    marginals: Any = import_module("sdnist.metrics.kmarginal")
    k_marginal = marginals.KMarginal(of.d_target_data, of.d_synthetic_data).compute_score()
    with TemporaryDirectory() as folder:
        propensity: Any = import_module("sdnist.metrics.propensity")
        scored = propensity.PropensityMSE(of.t_target_data, of.t_synthetic_data, Path(folder))
        pmse = scored.compute_score()
    uniques: Any = import_module("sdnist.metrics.unique_exact_matches")
    matched, share, unique, _ = uniques.unique_exact_matches(of.c_target_data, of.c_synthetic_data)
    found = {
        "k_marginal": round(float(k_marginal), 1),
        "pmse": round(float(pmse), 6),
        "unique_exact_matches": int(matched),
        "of_uniques_percent": float(share),
        "uniques": int(unique),
    }
    sys.stdout.write(f"\n{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
