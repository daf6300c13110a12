"""A Markdown table of one report, or of two with the ratio of the new figure to the old.

python -m benchmarks.compare new.json
python -m benchmarks.compare old.json new.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

CONDITIONS = ("benchmark", "rows", "quasi_identifiers", "distinct_tuples", "k", "suppression",
              "metric", "threads", "memory_limit", "repetitions")  # fmt: skip


def numbers(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield every figure of a report with the path to it."""
    if isinstance(value, dict):
        for name, below in value.items():
            if name not in ("machine", "levels"):
                yield from numbers(below, f"{path}.{name}" if path else str(name))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def conditions(report: dict[str, Any]) -> str:
    """Say in one line what a report was taken on."""
    machine = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    given = ", ".join(f"{name} {report[name]}" for name in CONDITIONS if report.get(name))
    return f"{given} ({machine})"


def table(reports: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table."""
    found = [
        {path: value for path, value in numbers(report) if path not in CONDITIONS}
        for report in reports
    ]
    if len(found) == 1:
        yield "| figure | value |"
        yield "| --- | ---: |"
        for path, value in found[0].items():
            yield f"| {path} | {value:g} |"
        return
    old, new = found
    yield "| figure | old | new | new/old |"
    yield "| --- | ---: | ---: | ---: |"
    for path in dict.fromkeys([*old, *new]):
        cells = [f"{side[path]:g}" if path in side else "" for side in (old, new)]
        both = path in old and path in new and old[path]
        ratio = f"{new[path] / old[path]:.2f}" if both else ""
        yield f"| {path} | {cells[0]} | {cells[1]} | {ratio} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("reports", type=Path, nargs="+", metavar="report.json")
    given = parser.parse_args()
    if len(given.reports) > 2:
        parser.error("one report, or an old and a new one")
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in given.reports]
    lines = [
        f"{path.stem}: {conditions(r)}  " for path, r in zip(given.reports, reports, strict=True)
    ]
    sys.stdout.write("\n".join([*lines, "", *table(reports), ""]))


if __name__ == "__main__":
    main()
