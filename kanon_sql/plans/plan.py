"""The Plan: what to do and why, as plain data that is read in a pull request and hashed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kanon_sql.metrics.registry import quality_of_label
from kanon_sql.plans.plan_file import (
    cost_told,
    plan_document,
    plan_text,
    read_plan,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.lattice.search_step import SearchStep
    from kanon_sql.metrics.metric import QualityMetric
    from kanon_sql.plans.recodings import Recoding
    from kanon_sql.plans.set_quality import SetFigures
    from kanon_sql.policy.cut_steps import CutStep

OF_A_VIEW = (
    "the release is a view: rows that come later into its classes appear at once, and rows that go "
    "may leave a class short; verify it again, or release it again with --replace"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A chosen recoding, the inputs it holds for, and its figures.

    The document has a fixed order of keys and no time, path or thread count in it: the same
    policy, hierarchies and rows, in any order, give the same bytes, and on every engine the same
    but for `sql`. `view`, `notes`, `checks`, `effort`, `run`, the file `beside` it and the `minimal_nodes` themselves, of which the
    document has the number, are told of the run that made it, and are no part of the document. Only
    where the time limit ended the search, what there was time for is in it, as `checks_in_time`
    (nodes, or the depth of cuts, steps or heads): then another run may find another recoding. `state`
    is how a search was left that can be gone on with; it holds places, and no values. Without a
    fingerprint a plan cannot be applied later. `over` has the figures of each set of quasi-identifiers,
    where several must fit together.
    """

    policy_file: str | None
    policy_digest: str
    overrides: Mapping[str, str | int]
    source_rows: int
    source_fingerprint: str | None
    hierarchies: Mapping[str, str]
    algorithm: str
    metric: str
    optimal: bool
    cost: tuple[float, ...]
    recoding: Recoding
    heights: Mapping[str, int]
    max_suppressed: int
    suppressed_rows: int
    classes: int
    smallest_class: int
    figures: Mapping[str, float]
    lattice_nodes: int | None
    privacy: tuple[str, ...]
    sql: str
    where: str | None = None
    over: tuple[SetFigures, ...] = ()
    feasible_nodes: int | None = None
    minimal: int | None = None
    steps: tuple[SearchStep | CutStep, ...] = ()
    state: Mapping[str, object] | None = None
    checks_in_time: int | None = None
    minimal_nodes: tuple[tuple[int, ...], ...] | None = field(default=None, compare=False)
    view: bool = field(default=False, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    checks: int | None = field(default=None, compare=False)
    effort: Mapping[str, int] = field(default_factory=dict, compare=False)
    run: Mapping[str, object] = field(default_factory=dict, compare=False)
    beside: str | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Give the quasi-identifiers in the policy's order, which is that of a node's levels."""
        return tuple(self.heights)

    @property
    def levels(self) -> Mapping[str, int]:
        """Give the levels of the first node at which rows are released; boxes have none."""
        nodes = self.recoding.nodes
        return dict(zip(self.names, nodes[0].levels, strict=True)) if nodes else {}

    @property
    def suppressed_share(self) -> float | None:
        """Give the share of the rows that is suppressed; None of a file that says there are none."""
        return self.suppressed_rows / self.source_rows if self.source_rows > 0 else None

    @property
    def highest_risk(self) -> float | None:
        """Give the prosecutor's highest risk (El Emam and Dankar, JAMIA 2008): one over the smallest class."""
        return 1 / self.smallest_class if self.smallest_class > 0 else None

    @property
    def average_class(self) -> float | None:
        """Give the released rows a class."""
        released = self.source_rows - self.suppressed_rows
        return released / self.classes if self.classes > 0 else None

    @property
    def ended_by_time_limit(self) -> bool:
        return self.checks_in_time is not None

    @property
    def cost_quality(self) -> QualityMetric | None:
        """Give the quality metric among the figures that shows the cost, if one does."""
        quality = quality_of_label(self.metric)
        shown = self.figures.get(quality.key)
        if shown is None or len(self.cost) != 1:
            return None
        return quality if abs(quality.of_cost(self.cost[0]) - shown) < 1e-9 else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say what a reader of the plan should not miss."""
        told = []
        if self.classes == 1:
            what = "all released rows are one class: their quasi-identifiers say nothing of them"
            told.append(what)
        return (*told, *self.notes, *([OF_A_VIEW] if self.view else []))

    def named(self, policy_file: str) -> Plan:
        """Give the plan as one that finds its policy there, seen from the plan's own folder."""
        return replace(self, policy_file=policy_file)

    def document(self) -> dict[str, object]:
        """Give the plan as nested plain values, in its fixed order."""
        return plan_document(self)

    def to_yaml(self) -> str:
        """Give the bytes of a plan file."""
        return plan_text(self)

    @classmethod
    def from_yaml(cls, text: str, subject: str) -> Plan:
        """Read a plan file; raises InputError where it is not one."""
        return read_plan(cls, text, subject)

    def summary(self) -> dict[str, object]:
        """Give what `plan --json` prints: one flat object."""
        told: dict[str, object] = {
            "status": "feasible",
            "algorithm": self.algorithm,
            "metric": self.metric,
            "optimal": self.optimal,
            "cost": cost_told(self),
            "levels": dict(self.levels),
            **self.recoding.document(self.names),
            "rows": self.source_rows,
            "suppressed_rows": self.suppressed_rows,
            "max_suppressed_rows": self.max_suppressed,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "figures": dict(self.figures),
            **({} if self.lattice_nodes is None else {"lattice_nodes": self.lattice_nodes}),
            "warnings": list(self.warnings),
        }
        if self.checks_in_time is not None:
            told["checks_in_time"] = self.checks_in_time
        if self.where is not None:
            told["where"] = self.where
        if self.over:
            told["over"] = [each.document() for each in self.over]
        if self.feasible_nodes is not None:
            told["feasible_nodes"] = self.feasible_nodes
        if self.steps:
            told["steps"] = [each.document() for each in self.steps]
        if self.minimal_nodes is not None:
            told["minimal_nodes"] = [list(node) for node in self.minimal_nodes]
        if self.checks is not None:
            told["checks"] = self.checks
        if self.effort:
            told["effort"] = dict(self.effort)
        if self.beside is not None:
            told["sides_file"] = self.beside
        return {**told, **self.run}
