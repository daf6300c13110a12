"""The measurements of a release: the quality of its recoding, its columns, errors of COUNT queries, sizes of classes.

Quality is computed at one node, or from sums over all rows. Classes are counted by size in a table, in a population, or
by signatures.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.charts.bars import ColumnLoss, column_loss, distinct_values
from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.base.documents.text import counted, simple_counts
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import code, column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.metrics.registry import QUALITY, quality_at_node, quality_of_sums
from kanon_sql.policy.metrics.statistics import Need
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import ReleaseRisk

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import SearchResult, Verdict
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.metrics.statistics import Cost, Sums
    from kanon_sql.policy.privacy.privacy_model import Requirement


@dataclass(frozen=True, slots=True)
class ColumnQuality:
    """The measures of one quasi-identifier; one that cannot be measured is None.

    Distinct values count NULL; entropy is in bits per row. `loss` is LM, `certainty` the mean NCP,
    `squared_error` the sum of squared distances of numbers to the middles of their intervals, over
    `squared_rows`.
    """

    name: str
    distinct_before: int
    distinct_after: int
    entropy_before: float
    entropy_after: float
    loss: float | None = None
    certainty: float | None = None
    squared_error: float | None = None
    squared_rows: int = 0
    reason: str | None = None

    @property
    def precision_loss(self) -> float:
        """The share by which the number of distinct values fell; negative if there are more than before."""
        return 1 - self.distinct_after / self.distinct_before

    @property
    def mean_squared_error(self) -> float | None:
        """The squared error per row; None if it was not measured."""
        if self.squared_error is None or not self.squared_rows:
            return None
        return self.squared_error / self.squared_rows

    def summary(self) -> dict[str, object]:
        """Return the column's entry of `quality --json`."""
        return {
            "distinct_before": self.distinct_before,
            "distinct_after": self.distinct_after,
            "precision_loss": self.precision_loss,
            "entropy_before": self.entropy_before,
            "entropy_after": self.entropy_after,
            "loss": self.loss,
            "certainty": self.certainty,
            "squared_error": self.squared_error,
            "mean_squared_error": self.mean_squared_error,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class QueryErrors:
    """The errors of COUNT queries on a release, relative to the same queries on its source.

    `counts` has the true count of each query and its estimate; the error is |estimate - true| / true.
    """

    counts: tuple[tuple[int, float], ...]

    @property
    def errors(self) -> tuple[float, ...]:
        """The relative errors of the queries that match a row of the source."""
        return tuple(abs(estimate - true) / true for true, estimate in self.counts if true)

    @property
    def empty(self) -> int:
        """The number of queries that match no row of the source."""
        return len(self.counts) - len(self.errors)

    @property
    def highest(self) -> float | None:
        """The highest relative error."""
        return max(self.errors, default=None)

    @property
    def mean(self) -> float | None:
        """The mean relative error."""
        errors = self.errors
        return sum(errors) / len(errors) if errors else None

    @property
    def median(self) -> float | None:
        """The median relative error."""
        errors = sorted(self.errors)
        middle = len(errors) // 2
        if not errors:
            return None
        return errors[middle] if len(errors) % 2 else (errors[middle - 1] + errors[middle]) / 2

    def summary(self) -> dict[str, object]:
        """Return the queries' entry of `quality --json`."""
        return {
            "queries": len(self.counts),
            "empty": self.empty,
            "mean": self.mean,
            "median": self.median,
            "highest": self.highest,
        }


SIMPLE_COUNTS = ("count_error", "count_error_plain", "count_error_tenth")
"""The keys of the errors of simple counts: of labels that are spread over what they cover, as they are, and of one in ten."""


@dataclass(frozen=True, slots=True)
class TwoColumns:
    """How well a release keeps pairs of quasi-identifiers; 0 keeps all.

    `count_error` is the median relative error of counts of pairs of bands, with rows spread over the values of
    their label; `count_error_plain` with labels as they are, `count_error_tenth` that of one in ten. `marginals` is the
    mean total variation distance, `pmse` the mean propensity score error.
    """

    count_median: float
    count_mean: float
    marginals: float
    pmse: float
    count_error: float | None = None
    count_error_plain: float | None = None
    count_error_tenth: float | None = None

    @property
    def simple_counts(self) -> str | None:
        """A sentence on the error of simple counts; None if it was not measured."""
        return simple_counts(self.count_error, self.count_error_plain, self.count_error_tenth)

    def summary(self) -> dict[str, float | None]:
        """Return the values by the keys of their measures."""
        return {
            "count_error": self.count_error,
            "count_error_plain": self.count_error_plain,
            "count_error_tenth": self.count_error_tenth,
            "count_error_median": self.count_median,
            "count_error_mean": self.count_mean,
            "marginal_distance": self.marginals,
            "pmse": self.pmse,
        }


UNSEEN = 1e-6
"""The largest change of a figure that is of its last digits alone."""


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """The mean and the standard deviation of a column of numbers in a source and in its release; None of no numbers."""

    name: str
    mean_before: float | None
    mean_after: float | None
    deviation_before: float | None
    deviation_after: float | None


@dataclass(frozen=True, slots=True)
class NumberPair:
    """Pearson's correlation of two columns of numbers in a source and in its release; None where one is constant."""

    one: str
    other: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float:
        """How far the correlation of the release is from that of the source; 0 where one is not known."""
        return 0.0 if self.before is None or self.after is None else abs(self.after - self.before)

    def __str__(self) -> str:
        return f"{self.one} and {self.other}"


@dataclass(frozen=True, slots=True)
class NumbersKept:
    """What a release keeps of columns that can be computed with, each and every two of them."""

    columns: tuple[NumberColumn, ...]
    pairs: tuple[NumberPair, ...]

    def __str__(self) -> str:
        moved = [
            (abs(each.mean_after - each.mean_before) / each.deviation_before, each.name)
            for each in self.columns
            if each.mean_before is not None and each.mean_after is not None
            if each.deviation_before
        ]
        far, column = max(moved, default=(0.0, ""))
        said = [f"means move by up to {far:.2g} SD ({column})"] if far > UNSEEN else []
        turned = self.by_change
        narrowed = any(of.deviation_before != of.deviation_after for of in self.columns)
        if moved and not said and (narrowed or any(of.change > UNSEEN for of in turned)):
            said = ["means stay"]  # else no column of numbers was recoded
        if turned and turned[0].change > UNSEEN:
            said.append(f"correlations move by up to {turned[0].change:.2g} ({turned[0]})")
        return ", ".join(said)

    @property
    def by_change(self) -> list[NumberPair]:
        """The pairs whose correlation is known before and after, the most changed one first."""
        known = [of for of in self.pairs if of.before is not None and of.after is not None]
        return sorted(known, key=lambda of: -of.change)

    def summary(self) -> dict[str, object]:
        """Return the numbers' entry of `quality --json`: those of each column, and the correlations of pairs."""
        columns = {
            of.name: {
                "mean_before": of.mean_before,
                "mean_after": of.mean_after,
                "deviation_before": of.deviation_before,
                "deviation_after": of.deviation_after,
            }
            for of in self.columns
        }
        pairs = [
            {"columns": [of.one, of.other], "before": of.before, "after": of.after}
            for of in self.pairs
        ]
        return {"columns": columns, "correlations": pairs}

    def tables(self) -> list[ShownTable]:
        """Return a table of the columns, and one of the pairs if there are any."""
        columns = [
            [
                of.name,
                *map(
                    _digits,
                    (of.mean_before, of.mean_after, of.deviation_before, of.deviation_after),
                ),
            ]
            for of in self.columns
        ]
        headings = ["number", "mean before", "mean after", "standard deviation before", "after"]
        pairs = [[str(of), _digits(of.before), _digits(of.after)] for of in self.pairs]
        of_pairs = ShownTable(["two numbers", "Pearson's correlation before", "after"], pairs)
        return [ShownTable(headings, columns), *([of_pairs] if pairs else [])]


def _digits(value: float | None) -> str | None:
    return None if value is None else f"{value:.4g}"


@dataclass(frozen=True, slots=True, repr=False)
class Quality(ShownResult):
    """A release measured against its source.

    `figures` has every measure by its key; for one that is None, `reasons` say why. `warnings` name figures that
    differ from those of the plan.
    """

    rows: int
    released_rows: int
    classes: int
    smallest_class: int
    k: int | None
    figures: Mapping[str, float | None]
    reasons: Mapping[str, str]
    columns: tuple[ColumnQuality, ...]
    queries: QueryErrors | None = None
    warnings: tuple[str, ...] = ()
    numbers: NumbersKept | None = None

    @property
    def simple_counts(self) -> str | None:
        """A sentence on the error of simple counts; None if it was not measured."""
        return simple_counts(*(self.figures.get(each) for each in SIMPLE_COUNTS))

    @property
    def suppressed_rows(self) -> int:
        """The number of the source's rows beyond the released ones."""
        return self.rows - self.released_rows

    def _shown(self) -> Shown:
        columns: list[list[object]] = [
            [of.name, of.distinct_before, of.distinct_after, of.certainty] for of in self.columns
        ]
        line = f"{self.released_rows:,} of {counted(self.rows, 'row')} released in {counted(self.classes, 'class')}"
        numbers = "" if self.numbers is None else str(self.numbers)
        return Shown(
            f"{numbers and f'{numbers}; '}{line}, smallest {self.smallest_class:,}",
            [
                *([("numbers", numbers)] if numbers else []),
                *([] if self.simple_counts is None else [("simple counts", self.simple_counts)]),
                ("rows", self.rows),
                ("released rows", self.released_rows),
                ("equivalence classes", self.classes),
                ("smallest class", self.smallest_class),
                *(
                    (QUALITY[name].name if name in QUALITY else name.replace("_", " "), value)
                    for name, value in self.figures.items()
                    if value is not None
                ),
                *(
                    ("not measured", f"{', '.join(names)}: {why}")
                    for why, names in self._unmeasured().items()
                ),
            ],
            [
                ShownTable(["column", "values", "values released", "information loss"], columns),
                *([] if self.numbers is None else self.numbers.tables()),
            ],
            self.warnings,
            charts=self._charts() if self.columns else [],
        )

    def _charts(self) -> list[Chart]:
        before = ("source", [each.distinct_before for each in self.columns])
        after = ("release", [each.distinct_after for each in self.columns])
        charts = [distinct_values([each.name for each in self.columns], [before, after])]
        if any(each.loss is not None for each in self.columns):
            charts.append(column_loss([ColumnLoss(each.name, each.loss) for each in self.columns]))
        return charts

    def _unmeasured(self) -> dict[str, list[str]]:
        why: dict[str, list[str]] = {}
        for name, value in self.figures.items():
            if value is None:
                found = why.setdefault(self.reasons.get(name, "no reason is known"), [])
                found.append(name.replace("_", " "))
        return why

    def summary(self) -> dict[str, object]:
        """Return the object that `quality --json` prints."""
        found: dict[str, object] = {
            "rows": self.rows,
            "released_rows": self.released_rows,
            "suppressed_rows": self.suppressed_rows,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "k": self.k,
            "figures": dict(self.figures),
            "reasons": dict(self.reasons),
            "columns": {each.name: each.summary() for each in self.columns},
        }
        if self.queries is not None:
            found["queries"] = self.queries.summary()
        if self.numbers is not None:
            found["numbers"] = self.numbers.summary()
        return {**found, "warnings": list(self.warnings)}


@dataclass(frozen=True, slots=True)
class Finished:
    """A recoding of all rows, and the checks that it took after the search of its first node.

    Without `sums` it releases the classes that its node keeps.
    """

    recoding: Recoding
    sums: Sums | None = None
    checks: int = 0
    cut_short: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A recoding and the quality of its release, as a plan states it for any kind of recoding."""

    recoding: Recoding
    cost: Cost
    optimal: bool
    suppressed: int
    classes: int
    smallest: int
    figures: Mapping[str, float]
    risk: ReleaseRisk | None = None


def null_rows_beyond(rows: int, of: int, allowed: int, nulls: Mapping[str, int]) -> str:
    """Explain that `nulls: suppress` suppresses more rows than the policy allows, and what to do."""
    where = ", ".join(f"{name} {count:,}" for name, count in nulls.items())
    return (
        f"no recoding satisfies the policy: {counted(rows, 'row')} ({rows / of:.4%}) with NULL in a quasi-identifier "
        f"(by column: {where}) would be suppressed, and the policy allows {allowed:,}; allow {rows:,} or more with "
        f"suppression:, say nulls: category, or leave such a column out of the quasi-identifiers"
    )


def unfit(requirements: Sequence[Requirement], counted: Sequence[int]) -> str | None:
    """Return a message with the requirements that all rows together do not meet; None if they meet all."""
    short = [
        each.measure.beyond(whole, each.bound)
        for each, whole in zip(requirements, counted, strict=True)
        if not each.holds(whole)
    ]
    return "no recoding satisfies the policy: " + "; ".join(short) if short else None


def outcome_of(
    run: Session, encoded: Encoded, checker: SqlChecker, found: SearchResult, finished: Finished
) -> Outcome:
    """Return the quality of a release: at one node by a last check of it, at several from their sums."""
    sums, k = finished.sums, demands(run.policy.privacy)[0].class_size
    if sums is None:
        verdict = found.verdict
        if not verdict.enforced:
            (verdict,) = checker.check([verdict.node], detail=True)
        outcome = outcome_at_node(
            encoded, checker, verdict, found.cost, recoding=finished.recoding, k=k
        )
        risk = ReleaseRisk.of(checker.class_sizes(verdict), run.policy.entity)
        return replace(outcome, optimal=found.optimal, risk=risk)
    return Outcome(
        finished.recoding,
        run.policy.metric.cost_of(encoded.stats, sums),
        optimal=False,
        suppressed=sums.suppressed,
        classes=sums.classes,
        smallest=sums.smallest,
        figures=quality_of_sums(encoded.stats, sums, k),
        risk=ReleaseRisk.of(sums.sizes, run.policy.entity),
    )


def outcome_at_node(
    encoded: Encoded,
    checker: SqlChecker,
    verdict: Verdict,
    cost: Cost,
    *,
    recoding: Recoding,
    k: int,
) -> Outcome:
    """Return the quality of a release at one node, which was checked in detail; it claims no optimum."""
    counts = verdict.counts
    (leaves,) = checker.suppressed_figures([verdict], Need.LEAVES)
    return Outcome(
        recoding,
        cost,
        optimal=False,
        suppressed=counts.suppressed,
        classes=counts.classes,
        smallest=counts.smallest_kept or 0,
        figures=quality_at_node(encoded.stats, verdict.node, counts, leaves, k),
    )


def class_histogram(
    table: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None = None,
    codes: Collection[str] = (),
) -> Statement:
    """Count the classes of each size and their rows; sizes are those of rows, or of an entity's values."""
    counted = _counted(table, quasi, entity, codes)
    return Statement("recoding/class_histogram", {"counted": counted})


def population_histogram(
    table: exp.Table,
    population: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None = None,
    population_entity: str | None = None,
) -> Statement:
    """Count a table's classes by the size that they have in a population, and the rows that it has too few of."""
    tables = [
        {**_counted(table, quasi, entity), "own": True},
        {**_counted(population, quasi, population_entity), "own": False},
    ]
    return Statement("recoding/population_histogram", {"tables": tables})


def signature_histogram(table: exp.Table, quasi: Sequence[str], entity: str) -> Statement:
    """Count the signatures that so many values of an entity have, and their rows."""
    leaves = {
        "source": table,
        "entity": column(entity, of="s"),
        "columns": [column(each, of="s") for each in quasi],
    }
    return Statement("recoding/signature_histogram", leaves)


def _counted(
    table: exp.Table, quasi: Sequence[str], entity: str | None, codes: Collection[str] = ()
) -> dict[str, object]:
    return {
        "table": table,
        "columns": [(code if each in codes else column)(each, of="t") for each in quasi],
        "entity": None if entity is None else column(entity, of="t"),
    }
