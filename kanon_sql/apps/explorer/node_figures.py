"""The figures of one state of the explorer: of a policy and a node, each by SQL over the frequency set."""

from __future__ import annotations

import time
from dataclasses import field, replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.recodings import FullDomain
from kanon_sql.engines.base import whole
from kanon_sql.engines.scratch import scratch
from kanon_sql.evidence.release_quality.simple_counts import count_simply
from kanon_sql.policy.metrics.registry import SUMMARIZED
from kanon_sql.policy.metrics.statistics import Need
from kanon_sql.policy.privacy.demands import AT_ALL, bound_name, demands
from kanon_sql.policy.privacy.risks import BANDS, RiskFigures, risk_figures
from kanon_sql.policy.privacy.risks import BOUNDS as THRESHOLDS
from kanon_sql.recoding.measured import outcome_at_node
from kanon_sql.recoding.planning.make_plan import Planned, plan_of
from kanon_sql.recoding.second_look import examples_of_plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.explorer.searched_state import PreparedSource
    from kanon_sql.counting.lattice.counting_sql import Counting
    from kanon_sql.counting.lattice.result import Verdict
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.risks import SizeCount


def example_classes_of_node(
    counting: Counting,
    finer: exp.Table,
    node: Node,
    *,
    kept: exp.Table | None,
    labels: exp.Table,
    items: Mapping[int, int],
    least: int,
    most: int,
    largest: bool = False,
) -> Statement:
    """Read at most so many classes that a node keeps, or the `largest`, each of at least so many rows or entities.

    `items` number the columns that are shown, at their levels, in the table of `labels`. Binds the node's masks, but
    none with `kept`.
    """
    packing = counting.packing
    columns = [
        {
            "alias": name(f"l{quasi}"),
            "label": column("label", of=f"l{quasi}"),
            "item": column("item", of=f"l{quasi}"),
            "number": literal(item),
            "places": [
                {"key": column(key, of=f"l{quasi}"), "as": name(key), "mask": literal(mask)}
                for key, mask in zip(
                    packing.keys, packing.column_masks(quasi, node.levels[quasi]), strict=True
                )
            ],
        }
        for quasi, item in items.items()
    ]
    leaves = {
        **counting.class_leaves(finer, 1, kept),
        "size": name("entities" if counting.entity else "row_count"),
        "labels": labels,
        "columns": columns,
        "least": least,
        "most": most,
        "largest": largest,
    }
    return Statement("explorer/example_classes_of_node", leaves)


def count_released_labels(
    counting: Counting, finer: exp.Table, node: Node, *, kept: exp.Table | None
) -> Statement:
    """Count the labels of each column in the classes that a node keeps. Binds the node's masks, but none with `kept`."""
    packing = counting.packing
    columns = []
    for at, level in enumerate(node.levels):
        masks = list(zip(packing.keys, packing.column_masks(at, level), strict=True))
        in_use = [(key, mask) for key, mask in masks if mask] or masks[:1]
        places = [{"key": column(key, of="g"), "mask": literal(mask)} for key, mask in in_use]
        columns.append({"alias": name(f"labels_{at}"), "places": places})
    leaves = {**counting.class_leaves(finer, 1, kept), "columns": columns}
    return Statement("explorer/count_released_labels", leaves)


SHOWN = 5
"""The most classes of a release that are shown, each as one row: the rows of a class have the same labels."""

LEAST = 2
"""The least size of a class that is shown, unless a model asks for more."""


@dataclass(frozen=True, slots=True)
class ShownClass:
    """The labels of a class (None for NULL), its number of rows, and its size as the policy counts it."""

    labels: tuple[str | None, ...]
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class StateFigures:
    """The figures of what a state would release, and the labels of a few classes of at least k.

    `sizes` counts all classes of the node, `kept` those that it releases, `before` those of the source. `why` is the
    reason if the state is not `feasible`. `failing` has for each requirement its name and the classes and rows that
    fail by it alone. `sample` describes the sampled rows; it is empty if the figures are of all rows. `shown` has, for each
    column that is cut into regions, the shares of rows that keep one value of it, and that keep nothing of it, and
    the regions in which no column is wider. `released` has the number of labels that rows are released with, of each
    column; it is empty after a search. `alike` are the least and the greatest k that start from the same cuts.
    """

    rows: int
    suppressed: int
    limit: int
    classes: int
    smallest: int
    feasible: bool
    why: str
    entity: str | None
    k: int
    sizes: tuple[SizeCount, ...]
    kept: tuple[SizeCount, ...]
    before: tuple[SizeCount, ...]
    cost: tuple[float, ...]
    metric: str
    quality: Mapping[str, float]
    losses: Mapping[str, float]
    failing: tuple[tuple[str, int, int], ...]
    columns: tuple[str, ...]
    examples: tuple[ShownClass, ...]
    seconds: float
    note: str = ""
    sample: str = ""
    shown: Mapping[str, tuple[float, float, int]] = field(default_factory=dict)
    alike: tuple[int, int] | None = None
    released: Mapping[str, int] = field(default_factory=dict)

    @property
    def risk_before(self) -> RiskFigures | None:
        """The risks of the source as it is."""
        return risk_figures(self.before, THRESHOLDS) if self.before else None

    @property
    def risk_after(self) -> RiskFigures | None:
        """The risks of what would be released; None where no class is."""
        return risk_figures(self.kept, THRESHOLDS) if self.kept else None

    def document(self) -> dict[str, object]:
        """Return the figures as plain values for the page."""
        return {
            "rows": self.rows,
            "suppressed": self.suppressed,
            "limit": self.limit,
            "classes": self.classes,
            "smallest": self.smallest,
            "feasible": self.feasible,
            "why": self.why,
            "entity": self.entity,
            "k": self.k,
            "cost": list(self.cost),
            "metric": self.metric,
            "quality": [
                {"name": each.name, "title": each.title, "text": each.text(self.quality[each.key])}
                for each in SUMMARIZED
                if each.key in self.quality
            ],
            "losses": dict(self.losses),
            "released": dict(self.released),
            "shown": {name: list(shares) for name, shares in self.shown.items()},
            "failing": [
                {"name": name, "classes": classes, "rows": rows}
                for name, classes, rows in self.failing
            ],
            "sizes": bands(self.sizes, self.kept, self.k),
            "before": _risk(self.risk_before),
            "after": _risk(self.risk_after),
            "examples": {
                "columns": list(self.columns),
                "classes": [
                    {"labels": list(each.labels), "rows": each.rows, "size": each.size}
                    for each in self.examples
                ],
            },
            "seconds": self.seconds,
            "note": self.note,
            "sample": self.sample,
            "alike": self.alike and list(self.alike),
        }


def bands(sizes: Sequence[SizeCount], kept: Sequence[SizeCount], k: int) -> list[dict[str, object]]:
    """Count classes and rows by bands of sizes, one of which begins at k: of all classes, and of the released ones."""
    starts = sorted({*BANDS, k})
    found: list[dict[str, object]] = []
    for least, beyond in zip(starts, (*starts[1:], None), strict=True):
        of = [
            [e for e in each if least <= e.size and (beyond is None or e.size < beyond)]
            for each in (sizes, kept)
        ]
        most = None if beyond is None else beyond - 1
        label = (
            f"{least} or more"
            if most is None
            else f"{least}-{most}"
            if most > least
            else f"{least}"
        )
        found.append(
            {
                "label": label,
                "least": least,
                "classes": sum(each.classes for each in of[0]),
                "rows": sum(each.rows for each in of[0]),
                "kept_classes": sum(each.classes for each in of[1]),
                "kept_rows": sum(each.rows for each in of[1]),
            }
        )
    return found


def _risk(found: RiskFigures | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "highest": found.prosecutor.highest,
        "average": found.prosecutor.average,
        "marketer": found.marketer.average,
        "above": dict(found.prosecutor.above),
        "unique_rows": found.unique_rows,
        "classes": found.classes,
        "rows": found.rows,
    }


def figures_of_node(prepared: PreparedSource, policy: Policy, node: Node) -> StateFigures:
    """Count what a policy would release at a node.

    Guarantee: each figure equals that of a plan at this node, and that of an independent count of the same rows.
    """
    began = time.perf_counter()
    checker = prepared.checker(policy)
    own = prepared.rolled_up(checker, node)
    (verdict,) = checker.check([node], detail=True)
    (cost,) = checker.costs([verdict])
    first = demands(policy.privacy)[0]
    outcome = outcome_at_node(
        checker.encoded, checker, verdict, cost, recoding=FullDomain(node), k=first.class_size
    )
    return StateFigures(
        rows=checker.stats.rows,
        suppressed=outcome.suppressed,
        limit=checker.max_suppressed,
        classes=outcome.classes,
        smallest=outcome.smallest,
        feasible=verdict.feasible,
        why=_why(verdict, checker),
        entity=policy.entity,
        k=first.class_size,
        sizes=tuple(prepared.class_sizes(own, node)),
        kept=tuple(checker.class_sizes(verdict)),
        before=tuple(prepared.sizes_before),
        cost=cost,
        metric=policy.metric.label,
        quality=outcome.figures,
        losses=_losses(checker, verdict),
        failing=_failing(checker, node),
        columns=tuple(column.name for column in policy.quasi),
        examples=_examples(prepared, checker, verdict, policy),
        released=_released_labels(checker, verdict, policy),
        seconds=time.perf_counter() - began,
    )


def _released_labels(checker: SqlChecker, verdict: Verdict, policy: Policy) -> dict[str, int]:
    """Count the labels of each column that rows are released with; none where people with equal rows are a class."""
    if policy.signature:
        return {}
    with checker.classes(verdict) as (table, kept, bound):
        statement = count_released_labels(checker.counting, table, verdict.node, kept=kept)
        (found,) = checker.run.engine.fetch(statement, bound)
    return {each.name: whole(many) for each, many in zip(policy.quasi, found, strict=True)}


def count_error_at_node(
    prepared: PreparedSource, policy: Policy, node: Node
) -> tuple[float, float, float] | None:
    """Return the error of simple counts of what a policy would release at a node: spread, and plain.

    Its classes are staged for it, which takes longer than all other figures. It is None at a node that is not
    feasible, and where the error is not measured.
    """
    source = prepared.encoded_for(policy)
    checker = prepared.checker(policy)
    (verdict,) = checker.check([node], detail=True)
    if not verdict.feasible:
        return None
    (cost,) = checker.costs([verdict])
    k = demands(policy.privacy)[0].class_size
    outcome = outcome_at_node(
        source.encoded, checker, verdict, cost, recoding=FullDomain(node), k=k
    )
    with scratch(prepared.run.engine) as tables:
        run = replace(prepared.session(policy), scratch=tables)
        opening = source.opening
        plan = plan_of(run, opening, outcome, metric=policy.metric.label)
        planned = Planned(plan, opening.opened, opening.mapped, encoded=source.encoded)
        _, counts = examples_of_plan(run, planned, count_simply)
    return counts


def _why(verdict: Verdict, checker: SqlChecker) -> str:
    counts, limit = verdict.counts, checker.max_suppressed
    if verdict.feasible:
        return ""
    if not counts.classes:
        return "no class satisfies the privacy models: raise levels, or ask for less"
    if counts.suppressed > limit:
        more = counted(counts.suppressed, "row")
        return (
            f"{more} would be suppressed, and at most {limit:,} may be: raise levels, or allow more"
        )
    return "the classes satisfy the models beside all rows of the source, and not beside the released rows alone: raise levels"


def _losses(checker: SqlChecker, verdict: Verdict) -> dict[str, float]:
    """Return Iyengar's LM of each column: the mean share of other leaves under a row's label; 1 if suppressed."""
    stats, counts = checker.stats, verdict.counts
    (hidden,) = checker.suppressed_figures([verdict], Need.LEAVES)
    kept = stats.rows - counts.suppressed
    found = {}
    for each, of_column, level, of_suppressed in zip(
        checker.encoded.mapped, stats.columns, verdict.node.levels, hidden, strict=True
    ):
        leaves = of_column.levels[level].leaves - of_suppressed
        others = of_column.domain - 1
        generalized = (leaves - kept) / others if others > 0 else 0.0
        found[each.column.name] = (generalized + counts.suppressed) / max(stats.rows, 1)
    return found


def _failing(checker: SqlChecker, node: Node) -> tuple[tuple[str, int, int], ...]:
    """Count the classes and rows that fail by each requirement alone, where there are several."""
    demand = demands(checker.run.policy.privacy)[0]
    binding = [each for each in demand.requirements if each.binding]
    if len(binding) < 2 or not checker.one_pass or checker.counting.joint:
        return ()
    alone = [
        (replace(demand, requirements=tuple(dict.fromkeys((*AT_ALL, each))), of_release=()),)
        for each in binding
    ]
    (found,) = checker.count_under([node], alone)
    names = [bound_name((), each.measure) for each in binding]
    return tuple(
        (name, counts.failing, counts.suppressed) for name, counts in zip(names, found, strict=True)
    )


def _examples(
    prepared: PreparedSource, checker: SqlChecker, verdict: Verdict, policy: Policy
) -> tuple[ShownClass, ...]:
    """Read a few released classes; none where a class is the people with equal rows, who have no single label."""
    if policy.signature or not verdict.counts.classes:
        return ()
    numbers = prepared.class_labels.items.numbers
    items = {quasi: numbers[quasi, level] for quasi, level in enumerate(verdict.node.levels)}
    with checker.classes(verdict) as (table, kept, bound):
        statement = example_classes_of_node(
            checker.counting,
            table,
            verdict.node,
            kept=kept,
            labels=prepared.labels,
            items=items,
            least=max(LEAST, *(each.class_size for each in demands(policy.privacy))),
            most=SHOWN,
        )
        rows = prepared.run.engine.fetch(statement, bound)
    return tuple(
        ShownClass(
            tuple(
                None if label is None else column.output.shown(str(label), level)
                for label, column, level in zip(
                    labels, policy.quasi, verdict.node.levels, strict=True
                )
            ),
            int(str(of_rows)),
            int(str(size)),
        )
        for *labels, of_rows, size in rows
    )


SHOWN_LABELS = 6
"""The most labels of a level that are shown."""


def largest_labels(
    prepared: PreparedSource, policy: Policy, at: int
) -> list[list[dict[str, object]]]:
    """Read the labels of most rows, by level of column `at`: each of at least k rows or people of the source."""
    if policy.signature:
        return []
    checker = prepared.checker(policy)
    counting = replace(checker.counting, requirements=AT_ALL, of_release=(), joint=(), nulls=())
    column = policy.quasi[at]
    numbers = prepared.class_labels.items.numbers
    least = max(LEAST, *(each.class_size for each in demands(policy.privacy)))
    found: list[list[dict[str, object]]] = []
    for level in range(checker.encoded.mapped[at].hierarchy.height + 1):
        node = checker.lattice.of_columns({at: level})
        finer = prepared.sets.covering(node)
        statement = example_classes_of_node(
            counting,
            finer.table,
            node,
            kept=None,
            labels=prepared.labels,
            items={at: numbers[at, level]},
            least=least,
            most=SHOWN_LABELS,
            largest=True,
        )
        rows = prepared.run.engine.fetch(statement, counting.bindings([node]))
        found.append(
            [
                {
                    "label": None if label is None else column.output.shown(str(label), level),
                    "rows": int(str(of_rows)),
                }
                for label, of_rows, _ in rows
            ]
        )
    return found
