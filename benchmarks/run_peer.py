"""Runs one program of others on one table: what `benchmarks.peers` starts, by the Python that has the program.

    PYTHON benchmarks/run_peer.py NAME CHECKOUT IN.csv OUT.csv K

It needs nothing of this repository. The table has a number for each row, then the quasi-identifiers as texts, of
which age (of NIST's extract AGEP) is a number; OUT has the number of each row that was released and what a reader sees in its cells: an interval
as "low..high", a set as its values in order.
"""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

NUMBERS = ("age", "AGEP")
Labelled = tuple[int, list[str]]


def read(path: str) -> tuple[list[str], list[list[str]]]:
    """Read the table: the names of the quasi-identifiers, and the rows with their numbers first."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return head[1:], rows


def as_frame(names: Sequence[str], rows: list[list[str]], *, categories: bool) -> Any:  # noqa: ANN401
    """Give the rows as a frame of pandas, age a number and the other columns objects, or categories."""
    pandas = import_module("pandas")
    frame = pandas.DataFrame([row[1:] for row in rows], columns=list(names), dtype="object")
    for name in names:
        if name in NUMBERS:
            frame[name] = frame[name].astype(int)
        elif categories:
            frame[name] = frame[name].astype("category")
    return frame


def as_seen(
    names: Sequence[str], rows: list[list[str]], parts: Iterable[Iterable[int]]
) -> Iterator[Labelled]:
    """Label the rows of each part by the values that are in it, of age by the ends."""
    for part in parts:
        members = [rows[at] for at in part]
        cells = []
        for at, name in enumerate(names, start=1):
            if name in NUMBERS:
                numbers = [int(row[at]) for row in members]
                cells.append(f"{min(numbers)}..{max(numbers)}")
            else:
                cells.append("|".join(sorted({row[at] for row in members})))
        for row in members:
            yield int(row[0]), cells


def anonypy(checkout: str, names: list[str], rows: list[list[str]], k: int) -> Iterator[Labelled]:
    """Part by anonypy's Mondrian. It publishes a row of aggregates for each part: here each row has them."""
    del checkout
    frame = as_frame(names, rows, categories=True)
    parts = import_module("anonypy.mondrian").Mondrian(frame, names).partition(k)
    return as_seen(names, rows, parts)


def mosaicrown(score: str) -> Callable[[str, list[str], list[list[str]], int], Iterator[Labelled]]:
    """Part by mosaicrown's local Mondrian, by one of its scores of columns."""

    def parted(
        checkout: str, names: list[str], rows: list[list[str]], k: int
    ) -> Iterator[Labelled]:
        sys.path.insert(0, f"{checkout}/local")
        frame = as_frame(names, rows, categories=False)
        scores = import_module("mondrian.score")
        by: Any = getattr(scores, score)
        if score == "norm_span":
            spans = {
                name: frame[name].max() - frame[name].min()
                if name in NUMBERS
                else frame[name].nunique()
                for name in names
            }

            def by(column: Any) -> Any:  # noqa: ANN401
                return scores.norm_span(column, total_spans=spans, categoricals_with_order={})

        valid = import_module("mondrian.validation").get_validation_function(k, None)
        part = import_module("mondrian.mondrian").partition_dataframe
        return as_seen(names, rows, part(frame, names, [], by, valid))

    return parted


def qiyuangong(
    *, relaxed: bool
) -> Callable[[str, list[str], list[list[str]], int], Iterator[Labelled]]:
    """Cut by qiyuangong's Mondrian, which reads texts as the numbers of their first rows, as its own reader does."""

    def cut(checkout: str, names: list[str], rows: list[list[str]], k: int) -> Iterator[Labelled]:
        sys.path.insert(0, checkout)
        sys.setrecursionlimit(100_000)
        codes: list[dict[str, int]] = [{} for _ in names]
        data: list[list[Any]] = []
        for number, *row in rows:
            coded: list[Any] = [
                int(value) if name in NUMBERS else codes[at].setdefault(value, len(codes[at]))
                for at, (name, value) in enumerate(zip(names, row, strict=True))
            ]
            data.append([*coded, number])
        released, _ = import_module("mondrian").mondrian(data, k, relaxed)
        for *cells, number in released:
            yield int(number), [str(cell).replace("~", "..") for cell in cells]

    return cut


PROGRAMS = {
    "anonypy": anonypy,
    "mosaicrown span": mosaicrown("span"),
    "mosaicrown norm_span": mosaicrown("norm_span"),
    "mosaicrown neg_entropy": mosaicrown("neg_entropy"),
    "qiyuangong strict": qiyuangong(relaxed=False),
    "qiyuangong relaxed": qiyuangong(relaxed=True),
}


def main() -> None:
    program, checkout, table, out, k = sys.argv[1:]
    names, rows = read(table)
    with Path(out).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row_number", *names])
        for number, cells in PROGRAMS[program](checkout, names, rows, int(k)):
            writer.writerow([number, *cells])


if __name__ == "__main__":
    main()
