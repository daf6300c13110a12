"""The explanation of a plan of regions as dataclasses: active models, columns' losses, and other k; and these in words.

Sentences have counts and column names only.
"""

from __future__ import annotations

from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.base.documents.text import apart, counted, decimal_text
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.shown_plan import recoding_text, shown_plan
from kanon_sql.evidence.explanation.explanation import Certainty, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.counting.lattice.result import Guarantee
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.recoding.measured import TwoColumns


UNCUT = "no region can be cut further within the policy"


@dataclass(frozen=True, slots=True)
class Partitioned:
    """The plan's source cut under other requirements; numbers are None if that partition was not made.

    `known` is `best found` if it was cut to the end: no region can be cut further. No partition is proven best.
    `gcp` is the mean NCP of all cells.
    """

    known: Certainty
    regions: int | None = None
    classes: int | None = None
    smallest_class: int | None = None
    gcp: float | None = None
    discernibility: float | None = None
    c_avg: float | None = None

    @property
    def found(self) -> bool:
        return self.known is Certainty.BEST_FOUND


@dataclass(frozen=True, slots=True)
class PartitionOfK:
    """The partition for another k over all quasi-identifiers, with the rest of the policy unchanged."""

    k: int
    of_policy: bool
    partition: Partitioned


@dataclass(frozen=True, slots=True)
class LooserModel:
    """One privacy model, and the partition with each of its bounds one step looser.

    `binds` is true if that partition loses less (GCP), and None if that is unknown.
    """

    name: str
    relaxed: Partitioned
    binds: bool | None


@dataclass(frozen=True, slots=True)
class RegionColumn:
    """The loss of one quasi-identifier: the mean width of its cells, and its `share` in all columns' loss.

    `exact_rows` counts rows that keep one value (on a hierarchy one of the finest released nodes), `whole_rows` rows
    that keep no information. `widest_regions` counts the regions where no column is wider.
    """

    name: str
    ncp: float
    share: float
    exact_rows: int
    whole_rows: int
    widest_regions: int


@dataclass(frozen=True, slots=True)
class RegionEnds:
    """Counts of regions and their rows by the reason why a region was not cut further.

    All rows of an `alike` region are equal. A `small` region holds fewer rows (or entities) than two parts need: 2k.
    Other regions are `uncut`: no cut leaves enough, by every model, on all sides, or time ended before one was tried.
    """

    alike: int
    alike_rows: int
    small: int
    small_rows: int
    uncut: int
    uncut_rows: int


@dataclass(frozen=True, slots=True)
class SizesInK:
    """The classes, and their rows, of at least `times` k and less than the next band's."""

    times: int
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class Overlap:
    """The number of rows whose values lie within several regions, and the mean number of regions per row."""

    shared_rows: int
    boxes_per_row: float


@dataclass(frozen=True, slots=True, repr=False)
class RegionsExplanation(ShownResult):
    """Why a plan's regions are as they are, as plain data.

    `k` is the least size of a region. Partitions that the time limit prevented are marked. `overlap` is None if
    regions cannot overlap. `penalty` is the mean NCP of all cells.
    """

    plan: Plan
    promise: Guarantee
    paper: str
    k: int
    bounds: tuple[LooserModel, ...]
    columns: tuple[RegionColumn, ...]
    ends: RegionEnds
    sizes: tuple[SizesInK, ...]
    overlap: Overlap | None
    other_k: tuple[PartitionOfK, ...]
    penalty: float | None = None
    steps: int | None = None
    """At one of how many places a group of ordered rows ends; None where no losses of groups are compared."""
    sampled: int | None = None
    """Of how many rows one was sampled to choose the first cuts; None where all rows chose them."""
    two_columns: TwoColumns | None = None
    run: Mapping[str, object] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        """Return the explanation as the command prints it."""
        return as_text(self)

    def _shown(self) -> Shown:
        made = shown_plan(self.plan)
        active = [of.name for of in self.bounds if of.binds]
        limits = f"; active: {', '.join(active)}" if active else ""
        columns: list[list[object]] = [
            [of.name, of.ncp, of.share, of.exact_rows, of.whole_rows] for of in self.columns
        ]
        other: list[list[object]] = [
            [of.k, of.partition.classes, of.partition.gcp, of.partition.discernibility, of.partition.known.value]
            for of in self.other_k
        ]  # fmt: skip
        return Shown(
            f"{self.plan.algorithm}{limits}; {recoding_text(self.plan)}",
            made.facts,
            [
                *made.tables,
                ShownTable(["column", "loss", "share of all loss", "rows with one value", "rows lost"], columns),
                ShownTable(["k", "classes", "loss", "discernibility", "how certain"], other),
            ],
            made.warnings,
            charts=made.charts,
        )  # fmt: skip

    def document(self) -> dict[str, object]:
        """Return the object that `explain --json` prints."""
        found = replace(self.plan, checks=None, effort={}, run={}, minimal_nodes=None)
        return {
            **found.summary(),
            "status": "ok",
            "privacy": list(self.plan.privacy),
            "promise": self.promise.value,
            "paper": self.paper,
            "k": self.k,
            "ncp": self.penalty,
            **({} if self.two_columns is None else self.two_columns.summary()),
            "bounds": [
                {"name": of.name, "binds": of.binds, "relaxed": _plain(of.relaxed)}
                for of in self.bounds
            ],
            "columns": [asdict(of) for of in self.columns],
            "ends": asdict(self.ends),
            **({} if self.steps is None else {"steps": self.steps}),
            **({} if self.sampled is None else {"sampled": self.sampled}),
            "sizes": [asdict(of) for of in self.sizes],
            "overlap": None if self.overlap is None else asdict(self.overlap),
            "other_k": [
                {"k": of.k, "of_policy": of.of_policy, **_plain(of.partition)}
                for of in self.other_k
            ],
            **self.run,
        }


def _plain(partition: Partitioned) -> dict[str, object]:
    """Return a partition as plain values, without those that are unknown."""
    found = {key: value for key, value in asdict(partition).items() if value is not None}
    return {**found, "known": partition.known.value}


def regions_headline(explained: RegionsExplanation) -> str:
    """Return a sentence on the search's guarantee, and one on the active models."""
    active = [each.name for each in explained.bounds if each.binds]
    end = "every region satisfies the privacy models" if in_runs(explained) else UNCUT
    headline = f"{explained.plan.algorithm}: {end}."
    if not active:
        return headline
    verb = "is" if len(active) == 1 else "are"
    return f"{headline} {' and '.join(active)} {verb} active."


def in_runs(explained: RegionsExplanation) -> bool:
    """Return True if neighbouring rows were grouped, so that the ranges of regions may overlap."""
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
        f"{bound.name} is active: one step looser, information loss would be {theirs} instead of {ours}, with "
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


COLUMN_HEADINGS = (
    "column", "loss", "share of\nall loss", "rows with\none value", "rows\nlost", "regions where\nit is widest",
)  # fmt: skip
"""A column's NCP, its part of the loss, rows that keep one value or nothing, regions it is widest in."""


def end_words(explained: RegionsExplanation) -> Iterator[str]:
    """Yield a sentence for each reason why regions were not cut further, with their numbers."""
    ends, entity = explained.ends, explained.plan.entity
    who = "rows" if entity is None else f"people ({entity})"
    least = 2 * explained.k
    if in_runs(explained):
        yield f"{counted(ends.small, 'region')} ({counted(ends.small_rows, 'row')}) hold fewer than {least} {who}, too few for two, and rows that differ"
        yield f"{counted(ends.alike, 'region')} ({counted(ends.alike_rows, 'row')}) have rows that are equal in all columns"
        yield f"{counted(ends.uncut, 'region')} ({counted(ends.uncut_rows, 'row')}) hold more: smaller ones would violate a privacy model"
        yield from _size_words(explained)
        return
    yield f"{counted(ends.small, 'region')} ({counted(ends.small_rows, 'row')}) hold fewer than {least} {who}: too few for two"
    yield f"{counted(ends.alike, 'region')} ({counted(ends.alike_rows, 'row')}) have rows that are equal in all columns"
    what = "could be cut after the time limit, or no cut" if _late(explained) else "no cut"
    yield f"{counted(ends.uncut, 'region')} ({counted(ends.uncut_rows, 'row')}) hold more, and {what} leaves enough rows in each part"


def _size_words(explained: RegionsExplanation) -> Iterator[str]:
    """Yield a sentence for each way in which a large table is cut or grouped otherwise than a small one."""
    from kanon_sql.recoding.multidimensional.regions_sql import (  # noqa: PLC0415  results are shown without sqlglot
        FEW_STEPS,
        LARGE,
        STEPS,
    )

    if explained.sampled is not None:
        yield (
            f"the first cuts were chosen on a sample of one row in {explained.sampled}, as the table has {LARGE:,} rows or more and "
            "rows alone are counted; all rows were assigned along these cuts, and cut again where few are left"
        )
    if explained.steps == FEW_STEPS:
        yield (
            f"groups end at one of {FEW_STEPS} steps, and not of {STEPS}, as the table has {LARGE:,} rows or more: this halves "
            "the time of grouping, and costs less than a hundredth of the information loss"
        )


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
        f"regions overlap: {explained.overlap.shared_rows / rows:.0%} of rows are in the ranges of several regions, a row in "
        f"those of {explained.overlap.boxes_per_row:.2f} on average"
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


K_HEADINGS = ("k", "classes", "loss", "discernibility", "smallest class")
"""The headings of the partitions for several k."""
