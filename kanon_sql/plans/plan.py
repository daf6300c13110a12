"""The Plan: what to do and why, as plain data that is read in a pull request and hashed."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the type of a field is its shape
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import yaml

from kanon_sql.documents.keys import Keyed, MapOf
from kanon_sql.documents.lines import read_yaml
from kanon_sql.documents.records import Key, Record, Unwritten
from kanon_sql.documents.shapes import (
    Anything,
    Parsed,
    Published,
    Real,
    Refused,
    Several,
    Shape,
    Text,
    Whole,
    Wrong,
)
from kanon_sql.errors import Fault, InputError
from kanon_sql.lattice.search_step import SearchStep
from kanon_sql.metrics.registry import OLDER_LABELS, quality_of_label
from kanon_sql.plans.recodings import HEIGHTS, RECODING, Recoding
from kanon_sql.plans.set_quality import SetFigures  # noqa: TC001
from kanon_sql.policy.cut_steps import CutStep

FORMAT = 1
if TYPE_CHECKING:
    from kanon_sql.documents.lines import Item
    from kanon_sql.documents.shapes import Known, Schema
    from kanon_sql.metrics.metric import QualityMetric

OF_A_VIEW = (
    "the release is a view: rows that come later into its classes appear at once, and rows that go "
    "may leave a class short; verify it again, or release it again with --replace"
)


class Cost(Shape[tuple[float, ...]]):
    """A number, or a list of them where a cost has several figures."""

    def read(self, item: Item) -> tuple[float, ...]:
        if isinstance(item.value, list):
            return Several(Real()).read(item)
        return (Real().read(item),)

    def schema(self) -> Schema:
        return Several(Real()).schema()

    def write(self, value: tuple[float, ...], known: Known) -> object:
        del known
        return value[0] if len(value) == 1 else list(value)


def _override(value: object) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Wrong(("", "must be a text or a whole number"))
    return value


OVERRIDE = Parsed(Anything(), _override)
METRIC = Parsed(Text(), lambda label: OLDER_LABELS.get(label, label))
STEPS: Shape[tuple[SearchStep | CutStep, ...]] = Several(
    Keyed({"information": Record(CutStep)}, default=Record(SearchStep)), alone=False
)


@dataclass(frozen=True, slots=True, kw_only=True)
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

    policy_file: Annotated[str | None, Key("policy.file")]
    policy_digest: Annotated[str, Key("policy.sha256")]
    overrides: Annotated[Mapping[str, str | int], Key("policy.overrides"), MapOf(OVERRIDE)]
    source_rows: Annotated[int, Key("source.rows")]
    source_fingerprint: Annotated[str | None, Key("source.fingerprint")]
    where: Annotated[str | None, Key("source.where")] = None
    hierarchies: Mapping[str, str]
    privacy: tuple[str, ...]
    algorithm: Annotated[str, Key("search.algorithm")]
    metric: Annotated[str, Key("search.metric"), METRIC]
    optimal: Annotated[bool, Key("search.optimal")]
    cost: Annotated[tuple[float, ...], Key("search.cost"), Cost()]
    lattice_nodes: Annotated[int | None, Key("search.lattice_nodes")] = None
    checks_in_time: Annotated[int | None, Key("search.checks_in_time")] = None
    feasible_nodes: Annotated[int | None, Key("search.feasible_nodes")] = None
    minimal: Annotated[int | None, Key("search.minimal_nodes")] = None
    steps: Annotated[tuple[SearchStep | CutStep, ...], Key("search.steps"), STEPS] = ()
    heights: Annotated[
        Mapping[str, int], Key("recoding.heights"), Published(HEIGHTS, MapOf(Whole(0)))
    ]
    max_suppressed: Annotated[int, Key("recoding.max_suppressed")]
    suppressed_rows: Annotated[int, Key("recoding.suppressed_rows")]
    recoding: Annotated[Recoding, Key("recoding.*"), RECODING]
    classes: Annotated[int, Key("figures.classes")]
    smallest_class: Annotated[int, Key("figures.smallest_class")]
    figures: Annotated[Mapping[str, float], Key("figures.*"), MapOf(Real())]
    over: tuple[SetFigures, ...] = ()
    sql: Annotated[str, Text(any=True)]
    state: Annotated[Mapping[str, object] | None, MapOf(Anything())] = None
    minimal_nodes: Annotated[tuple[tuple[int, ...], ...] | None, Unwritten] = field(
        default=None, compare=False
    )
    view: Annotated[bool, Unwritten] = field(default=False, compare=False)
    notes: Annotated[tuple[str, ...], Unwritten] = field(default=(), compare=False)
    checks: Annotated[int | None, Unwritten] = field(default=None, compare=False)
    effort: Annotated[Mapping[str, int], Unwritten] = field(default_factory=dict, compare=False)
    run: Annotated[Mapping[str, object], Unwritten] = field(default_factory=dict, compare=False)
    beside: Annotated[str | None, Unwritten] = field(default=None, compare=False)

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
        found = PLAN.write(self, {})
        recoding = found["recoding"]
        if isinstance(recoding, dict):  # where the rows go comes before out of how many levels
            where = next(key for key in recoding if key not in BOUNDS)
            found["recoding"] = {where: recoding[where], **recoding}
        return {"kanon_sql_plan": FORMAT, **found}

    def to_yaml(self) -> str:
        """Give the bytes of a plan file."""
        return yaml.dump(
            self.document(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
        )

    @classmethod
    def from_yaml(cls, text: str, subject: str) -> Plan:
        """Read a plan file; the round trip is exact. Raises InputError with all faults."""
        document = read_yaml(text, subject, InputError, any_text=True)
        version = document.entries.get("kanon_sql_plan")
        if version is None or version.value != FORMAT:
            what = "is not a plan that this version can read"
            if "columns" in document.entries:
                what = f"is a policy; make its plan first: kanon-sql plan {subject}"
            raise InputError(subject, [Fault("", what)])
        own = {key: each for key, each in document.entries.items() if each is not version}
        try:
            found = PLAN.read(replace(document, value=own))
        except Refused:
            found = None
        if found is None or document.faults:
            raise InputError(subject, sorted(document.faults, key=lambda fault: fault.line or 0))
        return found

    def summary(self) -> dict[str, object]:
        """Give what `plan --json` prints: one flat object."""
        document = self.document()
        told: dict[str, object] = {
            "status": "feasible",
            "algorithm": self.algorithm,
            "metric": self.metric,
            "optimal": self.optimal,
            "cost": Cost().write(self.cost, {}),
            "levels": dict(self.levels),
            **RECODING.write(self.recoding, {HEIGHTS: self.heights}),
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
            told["over"] = document["over"]
        if self.feasible_nodes is not None:
            told["feasible_nodes"] = self.feasible_nodes
        if self.steps:
            told["steps"] = STEPS.write(self.steps, {})
        if self.minimal_nodes is not None:
            told["minimal_nodes"] = [list(node) for node in self.minimal_nodes]
        if self.checks is not None:
            told["checks"] = self.checks
        if self.effort:
            told["effort"] = dict(self.effort)
        if self.beside is not None:
            told["sides_file"] = self.beside
        return {**told, **self.run}


PLAN = Record(Plan)
BOUNDS = ("heights", "max_suppressed", "suppressed_rows")
"""What is written of any recoding."""


class _Dumper(yaml.SafeDumper):
    """Writes long texts as blocks, so that the SQL in a plan reads as SQL."""


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)
