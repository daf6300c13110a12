"""What a recoding releases, in figures: those of one node, or of sums over all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.lattice.statistics import Need
from kanon_sql.metrics.registry import figures, figures_of
from kanon_sql.privacy.demands import demands

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.lattice.sql_checker import SqlChecker
    from kanon_sql.lattice.statistics import Cost, Sums
    from kanon_sql.plans.recodings import Recoding
    from kanon_sql.privacy.privacy_model import Requirement
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class Finished:
    """A recoding of all rows, and what it took after the search of its first node.

    Without `sums` it releases what its node keeps.
    """

    recoding: Recoding
    sums: Sums | None = None
    checks: int = 0
    cut_short: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a recoding comes to, as a plan tells it; nothing in it is of nodes."""

    recoding: Recoding
    cost: Cost
    optimal: bool
    suppressed: int
    classes: int
    smallest: int
    figures: Mapping[str, float]


def needs_suppression(suppressed: int, rows: int, allowed: int) -> str:
    """Say that the least suppression is more than the policy allows."""
    return (
        f"no recoding satisfies the policy: the least suppression is {suppressed} rows "
        f"({suppressed / rows:.4%}), the policy allows {allowed}"
    )


def unfit(requirements: Sequence[Requirement], counted: Sequence[int]) -> str | None:
    """Say which requirements all rows together do not reach; None where they reach all."""
    told = [
        each.measure.beyond(whole, each.bound)
        for each, whole in zip(requirements, counted, strict=True)
        if not each.holds(whole)
    ]
    return "no recoding satisfies the policy: " + "; ".join(told) if told else None


def outcome_of(
    run: Session, encoded: Encoded, checker: SqlChecker, found: SearchResult, finished: Finished
) -> Outcome:
    """Tell what is released: at one node by a last check of it, at several from their sums."""
    sums = finished.sums
    if sums is None:
        return _of_node(run, encoded, checker, found, finished.recoding)
    return Outcome(
        finished.recoding,
        run.policy.search.cost().cost_of(encoded.facts, sums),
        optimal=False,
        suppressed=sums.suppressed,
        classes=sums.classes,
        smallest=sums.smallest,
        figures=_figures(
            run, encoded, figures_of(encoded.facts, sums), sums.suppressed, sums.classes
        ),
    )


def _of_node(
    run: Session, encoded: Encoded, checker: SqlChecker, found: SearchResult, recoding: Recoding
) -> Outcome:
    verdict = found.verdict
    if not verdict.enforced:
        (verdict,) = checker.check([verdict.node], detail=True)
    (leaves,) = checker.suppressed_figures([verdict], Need.LEAVES)
    counts = verdict.counts
    told = figures(encoded.facts, verdict.node, counts, leaves)
    return Outcome(
        recoding,
        found.cost,
        optimal=found.optimal,
        suppressed=counts.suppressed,
        classes=counts.classes,
        smallest=counts.smallest_kept or 0,
        figures=_figures(run, encoded, told, counts.suppressed, counts.classes),
    )


def _figures(
    run: Session,
    encoded: Encoded,
    of_metrics: Iterable[tuple[str, float]],
    suppressed: int,
    classes: int,
) -> dict[str, float]:
    k = demands(run.policy.privacy)[0].class_size
    return {
        **dict(of_metrics),
        "c_avg": (encoded.facts.rows - suppressed) / classes / k,
        "classes_before": float(encoded.facts.classes),
    }
