"""Describes an explanation of regions in sentences, with counts and column names only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import apart, counted, decimal_text
from kanon_sql.explanation.explanation import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.explanation.regions_explanation import (
        LooserModel,
        PartitionOfK,
        RegionColumn,
        RegionsExplanation,
        SizesInK,
    )


UNCUT = "no region can be cut further within the policy"


def regions_headline(explained: RegionsExplanation) -> str:
    """Return a sentence on the search's guarantee, and one on the active models."""
    active = [each.name for each in explained.bounds if each.binds]
    end = "every run of the order is as large as required" if in_runs(explained) else UNCUT
    headline = f"{explained.plan.algorithm}: {end}."
    if not active:
        return headline
    verb = "is" if len(active) == 1 else "are"
    return f"{headline} {' and '.join(active)} {verb} active."


def in_runs(explained: RegionsExplanation) -> bool:
    """Return True if rows were grouped by their order, so that regions are runs and may overlap."""
    return explained.plan.recoding.in_runs


def model_words(explained: RegionsExplanation, bound: LooserModel) -> str:
    """Return a sentence on whether a model is active, and on the loss with the model one step looser."""
    relaxed = bound.relaxed
    if bound.binds is None or relaxed.gcp is None or relaxed.classes is None:
        return f"{bound.name}: whether it is active was not determined in time"
    own = explained.plan.cost[0]
    if not bound.binds:
        return f"{bound.name} is not active: one step looser, no less is lost"
    ours, theirs = apart(own, relaxed.gcp, decimal_text)
    return (
        f"{bound.name} is active: one step looser, gcp would be {theirs} instead of {ours}, with "
        f"{counted(relaxed.classes, 'class')}"
    )


def column_row(explained: RegionsExplanation, column: RegionColumn) -> tuple[str, ...]:
    """Format a column's losses as a row under `COLUMN_HEADINGS`."""
    rows = explained.plan.released_rows or 1
    return (
        column.name,
        f"{column.ncp:.4f}",
        f"{column.share:.0%}",
        f"{column.exact_rows / rows:.0%}",
        f"{column.whole_rows / rows:.0%}",
        f"{column.widest_regions:,}",
    )


COLUMN_HEADINGS = ("column", "ncp", "share", "one value", "nothing", "widest in regions")
"""A column's NCP, its part of the loss, rows that keep one value or nothing, regions it is widest in."""


def end_words(explained: RegionsExplanation) -> Iterator[str]:
    """Yield a sentence for each reason why regions were not cut further, with their numbers."""
    ends, who = explained.ends, "rows" if explained.plan.entity is None else explained.plan.entity
    least = 2 * explained.k
    if in_runs(explained):
        yield f"{counted(ends.small, 'run')} ({counted(ends.small_rows, 'row')}) hold fewer than {least} {who}, and unequal rows"
        yield f"{counted(ends.alike, 'run')} ({counted(ends.alike_rows, 'row')}) have rows that are equal in all columns"
        yield f"{counted(ends.uncut, 'run')} ({counted(ends.uncut_rows, 'row')}) hold more: they were merged, as smaller ones violate a model"
        return
    yield f"{counted(ends.small, 'region')} ({counted(ends.small_rows, 'row')}) hold fewer than {least} {who}: too few for two"
    yield f"{counted(ends.alike, 'region')} ({counted(ends.alike_rows, 'row')}) have rows that are equal in all columns"
    what = "could be cut after the time limit, or no cut" if _late(explained) else "no cut"
    yield f"{counted(ends.uncut, 'region')} ({counted(ends.uncut_rows, 'row')}) hold more, and {what} leaves enough on all sides"


def _late(explained: RegionsExplanation) -> bool:
    return explained.plan.checks_in_time is not None


def size_words(explained: RegionsExplanation) -> Iterator[str]:
    """Yield a sentence for each band of class sizes that has classes."""
    bands: list[SizesInK] = list(explained.sizes)
    for at, band in enumerate(bands):
        if not band.classes:
            continue
        above = bands[at + 1].times if at + 1 < len(bands) else None
        upper = "and more" if above is None else f"to {above} k"
        yield f"{band.times} k {upper}: {counted(band.classes, 'class')}, {counted(band.rows, 'row')}"


def overlap_words(explained: RegionsExplanation) -> str:
    """Return a sentence on how much regions overlap."""
    if explained.overlap is None:
        return "regions do not overlap"
    rows = explained.plan.released_rows or 1
    return (
        f"regions overlap: {explained.overlap.shared_rows / rows:.0%} of rows lie within several boxes, and a row within "
        f"{explained.overlap.boxes_per_row:.2f} on average"
    )


def k_row(found: PartitionOfK) -> tuple[str, ...]:
    """Format the partition for a k as a row under `K_HEADINGS`; the policy's own k is in brackets."""
    partition = found.partition
    k = f"[{found.k}]" if found.of_policy else str(found.k)
    if partition.gcp is None or partition.discernibility is None or partition.classes is None:
        why = "none" if partition.known is Certainty.INFEASIBLE else "-"
        return (k, why, why, why, why)
    return (
        k,
        f"{partition.classes:,}",
        f"{partition.gcp:.4f}",
        f"{partition.discernibility:,.0f}",
        f"{partition.smallest_class:,}",
    )


K_HEADINGS = ("k", "classes", "gcp", "discernibility", "smallest class")
"""The headings of the partitions for several k."""
