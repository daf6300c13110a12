"""Draws synthetic rows like those of one table: what `benchmarks.side_by_side` starts, by the Python that has the synthesizer.

    PYTHON benchmarks/run_synthesizer.py NAME NUMBERS IN.csv OUT.csv K

It needs nothing of this repository. The table has a number for each row, which is left out, then the columns as texts; those of
NUMBERS, with commas between, are numbers. OUT has as many rows as the table. Each synthesizer has its defaults and one
seed. None of them knows a k, so K is not read.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 22
DELTA = 1e-9
"""The probability with which the privacy of MST may fail."""


def gaussian_copula(frame: Any, numbers: list[str]) -> Any:  # noqa: ANN401
    """Draw by SDV's Gaussian copula."""
    types = {name: {"sdtype": "numerical" if name in numbers else "categorical"} for name in frame}
    metadata: Any = import_module("sdv.metadata").Metadata.load_from_dict(
        {"tables": {"table": {"columns": types}}}
    )
    made = import_module("sdv.single_table").GaussianCopulaSynthesizer(metadata)
    made.fit({"table": frame})
    return made.sample(len(frame))["table"]


def mst(frame: Any, numbers: list[str], epsilon: float) -> Any:  # noqa: ANN401
    """Draw by MST of dpmm: the tree of pairs of columns that keeps most, of counts with noise."""
    del numbers  # each value is a category, as the budget has no part that finds bins
    pipeline: Any = import_module("dpmm.pipelines").MSTPipeline
    made = pipeline(epsilon=epsilon, delta=DELTA, disable_processing=True, n_jobs=1)
    values = {name: sorted(frame[name].unique()) for name in frame.columns}
    coded = frame.apply(lambda column: column.map(values[column.name].index))
    made.fit(coded, {name: len(there) for name, there in values.items()}, random_state=SEED)
    drawn = made.generate(n_records=len(frame), random_state=SEED)
    return drawn.apply(lambda column: column.map(values[column.name].__getitem__))


SYNTHESIZERS: dict[str, Callable[[Any, list[str]], Any]] = {
    "SDV GaussianCopula": gaussian_copula,
    "dpmm MST, epsilon 1": partial(mst, epsilon=1.0),
    "dpmm MST, epsilon 10": partial(mst, epsilon=10.0),
}


def main() -> None:
    name, numbers, table, out, _ = sys.argv[1:]
    pandas, listed = import_module("pandas"), numbers.split(",")
    import_module("numpy").random.seed(SEED)
    frame = pandas.read_csv(table, dtype=str, keep_default_na=False).drop(columns="row_number")
    frame[listed] = frame[listed].astype(int)
    drawn = SYNTHESIZERS[name](frame, listed)
    drawn[listed] = drawn[listed].round().astype(int)
    drawn[list(frame.columns)].to_csv(out, index=False)


if __name__ == "__main__":
    main()
