"""What the explorer computes and keeps for its pages: encoded sources, and states that a search recodes.

The release of such a state is staged and counted, as it is no single node. `PreparedSource` is a source encoded for one
set of hierarchies and models, from whose frequency set the figures of any node follow. `RecentResults` drops those that
were used longest ago, with their scratch tables.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from kanon_sql.apps.explorer.node_figures import ShownClass, StateFigures
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.encode import lattice_of, look_up
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.result import FrequencySet, FrequencySets
from kanon_sql.counting.lattice.value_counters import first_set
from kanon_sql.counting.run.session import Draft, searching
from kanon_sql.engines.scratch import scratch
from kanon_sql.engines.source import source_sql
from kanon_sql.evidence.explanation.explain_regions import column_widths
from kanon_sql.evidence.release_quality.simple_counts import count_simply
from kanon_sql.policy.metrics.node import joint_sets
from kanon_sql.policy.model import ANY_LEVEL, Rare
from kanon_sql.policy.privacy.demands import (
    AT_ALL,
    demands,
    joint_demands,
    requirements,
    requirements_of_release,
)
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.policy.privacy.risks import SizeCount, size_counts
from kanon_sql.recoding.axes import BILLION
from kanon_sql.recoding.measured import class_histogram
from kanon_sql.recoding.multi_node.released_classes import ClassLabels
from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable, k_of_same_cuts
from kanon_sql.recoding.planning.make_plan import (
    EncodedSource,
    Planned,
    cut_plan,
    encoded,
    make_plan,
    mapped_columns,
)
from kanon_sql.recoding.rare_bounds import count_rare_values
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, CutAlgorithm, LatticeAlgorithm
from kanon_sql.recoding.second_look import read_examples
from kanon_sql.recoding.staging_sql import hidden_entity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.counting.lattice.smallest_classes import LookedUp
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.lattice.value_counters import ValueCounters
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import MappedSource


@dataclass(frozen=True, slots=True)
class SearchedState:
    """A search's figures, and its staged release, on which simple counts are measured when they are asked for."""

    run: Session
    planned: Planned
    staged: exp.Table
    figures: StateFigures

    def count_error(self) -> tuple[float, float, float] | None:
        """Return the error of simple counts: spread, and plain; None where it is not measured."""
        return count_simply(self.run, self.planned, self.staged)


@dataclass(frozen=True, slots=True)
class SearchedColumns:
    """A source with its columns mapped for a search that cuts them: its classes by size, and the values of each column.

    `draft` has what searches of a sample share.
    """

    source: MappedSource
    before: tuple[SizeCount, ...]
    values: tuple[int, ...]
    draft: Draft

    @classmethod
    def of(cls, run: Session, opened: OpenSource) -> SearchedColumns:
        """Map a source, and count its classes and values. Raises HierarchyError."""
        found = mapped_columns(run, opened)
        quasi = [column.name for column in run.policy.quasi]
        sizes = run.engine.fetch(class_histogram(opened.table, quasi, entity=run.policy.entity))
        values = (
            run.engine.fetch_count(source_sql.count_rows(each.domain)) for each in found.mapped
        )
        return cls(found, tuple(size_counts(sizes)), tuple(values), Draft(run.scratch))


def search_state(run: Session, columns: SearchedColumns, *, of_rows: int) -> SearchedState:
    """Search a source as the policy says, stage the release, and count its classes.

    The source may be a sample of one with `of_rows` rows. Raises InfeasibleError.
    """
    began = time.perf_counter()
    source = columns.source
    run, unshown = _without_rare_columns(run, source, of_rows=of_rows)
    planned = _planned(run, source)
    plan, policy = planned.plan, run.policy
    staged = run.scratch.table("staged")
    query = recode(run, planned, staged)
    with keys_in_session(run):
        run.engine.execute(query.staging)
    entity = hidden_entity(policy) or policy.entity
    counted_sizes = run.engine.fetch(class_histogram(staged, tuple(query.quasi), entity=entity))
    kept = tuple(size_counts(counted_sizes))
    examples = read_examples(run, query, rows=plan.released_rows)
    losses, shown = _column_shares(run, planned)
    figures = StateFigures(
        rows=plan.source_rows,
        suppressed=plan.suppressed_rows,
        limit=plan.max_suppressed,
        classes=plan.classes,
        smallest=plan.smallest_class,
        feasible=True,
        why="",
        entity=policy.entity,
        k=demands(policy.privacy)[0].class_size,
        sizes=kept,
        kept=kept,
        before=columns.before,
        cost=plan.cost,
        metric=plan.metric,
        quality=plan.figures,
        losses=losses,
        failing=(),
        columns=examples.columns,
        examples=tuple(
            ShownClass(
                tuple(
                    UNSHOWN if name in unshown else label
                    for name, label in zip(examples.columns, each.labels, strict=True)
                ),
                each.rows,
                each.people or each.rows,
            )
            for each in examples.classes
        ),
        seconds=time.perf_counter() - began,
        note=str(plan.recoding),
        shown=shown,
        sample=sample_text(plan.source_rows, of_rows, policy.entity),
        alike=None if run.draft is None else k_of_same_cuts(policy),
    )
    return SearchedState(run, planned, staged, figures)


UNSHOWN = "not shown: rare in the sample"
"""The cell of a released row in place of a value of the source that too few rows or people of a sample have."""


def _without_rare_columns(
    run: Session, source: MappedSource, *, of_rows: int
) -> tuple[Session, frozenset[str]]:
    """Return the run that searches a sample, and the columns of which no cell may be shown.

    Such a column is released by values that k rows or people have, and none of its values has so many in the sample,
    although many may in the source. The sample is searched as if all could be released.
    """
    policy, opened = run.policy, source.opened
    if opened.source_rows == of_rows:
        return run, frozenset()
    k = demands(policy.privacy)[0].class_size
    found = set()
    for each in source.mapped:
        column = each.column
        if column.output.together and column.rare is Rare.NEAREST and each.units is None:
            statement = count_rare_values(
                opened.table, column.name, entity=policy.entity, least=k, rows=opened.rows
            )
            many, rare = run.engine.fetch_counts(statement)
            if many == rare:
                found.add(column.name)
    columns = tuple(
        replace(each, rare=Rare.SHOW) if each.name in found else each for each in policy.columns
    )
    return replace(run, policy=replace(policy, columns=columns)), frozenset(found)


def _planned(run: Session, source: MappedSource) -> Planned:
    policy = run.policy
    cuts = isinstance(ALGORITHMS[policy.search.algorithm], CutAlgorithm)
    if not cuts or (policy.of_rows and not policy.search.options.cuts_axes):
        return make_plan(run, opened=source.opened, released=True)
    with run.engine.journal.step("search"), searching(policy.search.time_limit) as deadline:
        plan, made = cut_plan(run, source, deadline=deadline)
    return Planned(plan, source.opened, source.mapped, made)


def _column_shares(
    run: Session, planned: Planned
) -> tuple[dict[str, float], dict[str, tuple[float, float, int]]]:
    """Return, for each column cut into regions, the mean width of its labels, and what its rows keep of it.

    That is the share of rows that keep one value, the share of rows whose label covers the whole column, and the
    number of regions in which no column is wider.
    """
    made = planned.cut
    if not isinstance(made, PartitionedTable):
        return {}, {}
    names, whole = [each.column.name for each in planned.mapped], planned.opened.rows
    figures = column_widths(run, made)
    losses = {names[axis]: widths / BILLION / whole for axis, widths, *_ in figures}
    shown = {names[axis]: (one / whole, none / whole, most) for axis, _, one, none, most in figures}
    return losses, shown


def sample_text(rows: int, of_rows: int, entity: str | None) -> str:
    """Describe a sample; empty for all rows."""
    if rows == of_rows:
        return ""
    people = "" if entity is None else f", all rows of some values of {entity}"
    return f"a sample of {rows:,} of {counted(of_rows, 'row')}{people}, chosen at random and always the same"


class ReleaseUse(StrEnum):
    """Values whose counts are right, records that are each true, or one level a column (full-domain generalization)."""

    COUNTS = "counts"
    RECORDS = "records"
    LEVELS = "levels"


def is_of_nodes(policy: Policy) -> bool:
    """Whether a policy's search chooses one node of a lattice."""
    search = policy.search
    return (
        isinstance(ALGORITHMS[search.algorithm], LatticeAlgorithm)
        and not search.at_several_nodes
        and not search.options.own_recoding
    )


def _is_of_regions(policy: Policy) -> bool:
    return policy.search.options.counted_by is Channel.REGIONS


def use_of(policy: Policy) -> ReleaseUse | None:
    """Return what a policy's release is for; None for a recoding that the page does not offer."""
    if is_of_nodes(policy):
        return ReleaseUse.LEVELS
    if not _is_of_regions(policy):
        return None
    if any(column.output.together for column in policy.quasi):
        return ReleaseUse.COUNTS
    return ReleaseUse.RECORDS


def entries_for(
    use: ReleaseUse, policy: Policy, stated: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield the entries at the top of a policy that another use needs, with their values; None removes an entry.

    `stated` are the entries that the policy has.
    """
    if use is ReleaseUse.COUNTS:
        yield "output", "apportioned"
    elif "output" in stated:
        yield "output", None
    if use is ReleaseUse.LEVELS:
        if not is_of_nodes(policy):
            yield "search", {"algorithm": "optimal"}
    elif not _is_of_regions(policy):
        yield "search", {"algorithm": "mondrian", "choose": "width"}


LARGE = 50_000
"""Rows of the first frequency set above which a node's own set is made, as several statements read it."""


def encoding_of(policy: Policy) -> object:
    """Return the key of a policy's frequency set: policies that differ only in bounds and level bounds share a key."""
    columns = tuple(replace(each, levels=ANY_LEVEL) for each in policy.columns)
    counted = {r.measure for demand in demands(policy.privacy) for r in demand.recounted}
    return columns, frozenset(counted)


@dataclass
class PreparedSource:
    """An encoded source, the frequency sets that were rolled up from it, and its tables of labels."""

    run: Session
    source: EncodedSource
    sets: FrequencySets
    counters: ValueCounters | None

    @classmethod
    def of(cls, run: Session, opened: OpenSource) -> PreparedSource:
        """Map and encode a source; raises HierarchyError, with all faults."""
        found = encoded(run, mapped_columns(run, opened))
        counters, first = first_set(run, found.encoded)
        return cls(run, found, FrequencySets(found.encoded.stats, first), counters)

    @cached_property
    def looked_up(self) -> LookedUp:
        """The weights of labels that exact costs need."""
        return look_up(self.run.scratch, self.source.encoded, self.run.policy.metric)

    @cached_property
    def class_labels(self) -> ClassLabels:
        """The numbering of the labels of each column and level."""
        counting = self.source.encoded.counting
        return ClassLabels(counting.packing, entity=counting.entity)

    @cached_property
    def labels(self) -> exp.Table:
        """The label of every code at every level."""
        known = self.source.encoded.known
        return self.run.scratch.create("labels", self.class_labels.labels, known)

    @cached_property
    def sizes_before(self) -> list[SizeCount]:
        """The classes of the source as it is, by their size."""
        return self.class_sizes(self.sets.base)

    def class_sizes(self, of: FrequencySet, node: Node | None = None) -> list[SizeCount]:
        """Count all classes of a node by their size, including the classes that fail."""
        counting = self.source.encoded.counting
        of_all = replace(
            counting, requirements=AT_ALL, of_release=(), joint=(), unavoidable=False, nulls=()
        )
        found = self.run.engine.fetch(
            of_all.class_sizes(of.table), of_all.bindings([node or of.node])
        )
        return size_counts(found)

    def session(self, policy: Policy) -> Session:
        """Return the run with another policy on the same source."""
        return replace(self.run, policy=policy)

    def encoded_for(self, policy: Policy) -> EncodedSource:
        """Return the encoded source with the bounds and the level bounds of another policy."""
        opening, own = self.source.opening, self.source.encoded
        names = {column.name: column for column in policy.columns}
        mapped = tuple(replace(each, column=names[each.column.name]) for each in opening.mapped)
        counting = replace(
            own.counting,
            requirements=requirements(policy.privacy),
            of_release=requirements_of_release(policy.privacy),
            joint=joint_sets(joint_demands(policy.privacy), [c.name for c in policy.quasi]),
        )
        return EncodedSource(
            replace(opening, mapped=mapped),
            replace(own, counting=counting, mapped=mapped, lattice=lattice_of(mapped)),
        )

    def checker(self, policy: Policy) -> SqlChecker:
        """Return a checker of another policy, which shares the frequency sets that were rolled up.

        It counts nodes one by one, and computes no lower bound of the rows that finer nodes suppress.
        """
        of = self.encoded_for(policy).encoded
        limit = policy.suppression.limit(of.stats.rows)
        made = make_checker(
            self.session(policy),
            of,
            metric=policy.metric,
            max_suppressed=limit,
            deadline=None,
            looked_up=self.looked_up,
            first=(self.counters, self.sets.base),
        )
        counting = replace(made.counting, unavoidable=False)
        return replace(made, sets=self.sets, counting=counting)

    def rolled_up(self, checker: SqlChecker, node: Node) -> FrequencySet:
        """Return a frequency set for a node: its own if the first set is large, as several statements read it."""
        encoded = self.source.encoded
        weight = self.run.engine.capabilities_at(encoded.table).statement_weight
        if encoded.set_rows > LARGE * weight:
            checker.keep(node)
        return self.sets.covering(node)


Made = TypeVar("Made")

KEPT = 4
"""The most results that are kept, so that undoing a change costs nothing."""


class RecentResults(Generic[Made]):
    """At most `KEPT` results by their keys."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, tuple[Made, ExitStack]] = OrderedDict()

    def get(self, key: object, run: Session, make: Callable[[Scratch], Made]) -> Made:
        """Return the result of a key, which `make` makes with scratch tables if none is kept."""
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                _, (_, oldest) = self._kept.popitem(last=False)
                oldest.close()
            with ExitStack() as stack:
                made = make(stack.enter_context(scratch(run.engine)))
                self._kept[key] = made, stack.pop_all()
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def close(self) -> None:
        """Drop all results and their tables."""
        while self._kept:
            self._kept.popitem()[1][1].close()


class ChartName(StrEnum):
    """The charts of a state."""

    SIZES = "sizes"
    RISK = "risk"
    LOSS = "loss"
