"""Charts of bars: class sizes, distinct values, distributions, the loss of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.charts.chart import TIP, Chart, data, shortened, told
from kanon_sql.documents.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class SizesOf:
    """The classes of one table: how many classes have each size. `k` is the bound that its policy has, if any."""

    name: str
    sizes: Sequence[tuple[int, int]]
    k: int | None = None


def size_bounds(largest: int, ks: Sequence[int]) -> list[int]:
    """Give the least sizes of the bands in which classes are counted: 1, 2, 5, 10, 20, 50, ..., and each k.

    >>> size_bounds(60, [3])
    [1, 2, 3, 5, 10, 20, 50]
    """
    round_ones = (first * 10**power for power in range(19) for first in (1, 2, 5))
    return sorted(
        {1, *(each for each in round_ones if each <= largest), *(k for k in ks if k <= largest)}
    )


def class_sizes(tables: Sequence[SizesOf], *, counted_by: str = "row") -> Chart:
    """Draw how many classes have which size, a panel for each table; k is marked.

    Args:
        tables: The source, the release, or what other k would give; at most six.
        counted_by: What the size of a class counts, in the singular.
    """
    ks = sorted({each.k for each in tables if each.k is not None})
    largest = max((size for each in tables for size, _ in each.sizes), default=1)
    bounds = size_bounds(largest, ks)
    bands = list(zip(bounds, [*(each - 1 for each in bounds[1:]), None], strict=True))
    labels = [_band(low, high) for low, high in bands]
    values: list[dict[str, object]] = []
    rows: list[tuple[object, ...]] = []
    for table in tables:
        name = shortened(table.name)
        for (low, high), label in zip(bands, labels, strict=True):
            within = [(s, n) for s, n in table.sizes if s >= low and (high is None or s <= high)]
            classes = sum(n for _, n in within)
            members = sum(s * n for s, n in within)
            short = table.k is not None and low < table.k
            rows.append((name, label, classes, members))
            tip = f"{name}: {counted(classes, 'class')} of {label}, {counted(members, counted_by)}"
            values.append(
                {"table": name, "size": label, "classes": classes, "short": short, "tip": tip}
            )
    return Chart(
        "class_sizes",
        "Class sizes",
        "".join(_sizes_text(each) for each in tables),
        {
            "data": data(values),
            "mark": told("bar"),
            "encoding": {
                "x": {"field": "size", "type": "nominal", "sort": labels},
                "y": {"field": "classes", "type": "quantitative"},
                "row": {"field": "table"},
                "description": TIP,
            },
        },
        ("table", f"{counted_by}s in a class", "classes", f"{counted_by}s"),
        tuple(rows),
    )


def _band(low: int, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _sizes_text(table: SizesOf) -> str:
    smallest = min((size for size, classes in table.sizes if classes), default=0)
    return f"{shortened(table.name)}: {sum(n for _, n in table.sizes):,} classes, the smallest has {smallest:,}. "
