"""The quality of a recoding: figures of one node, or of sums over all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.registry import quality_at_node, quality_of_sums
from kanon_sql.policy.metrics.statistics import Need
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import ReleaseRisk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.counting.lattice.checker import Verdict
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import SearchResult
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.metrics.statistics import Cost, Sums
    from kanon_sql.policy.privacy.privacy_model import Requirement


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
