"""A source encoded for one set of hierarchies and models; the figures of any state follow from its frequency set."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.encode import lattice_of, look_up
from kanon_sql.counting.lattice.frequency_sets import FrequencySet, FrequencySets
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.policy.metrics.node import Node, joint_sets
from kanon_sql.policy.model import ANY_LEVEL
from kanon_sql.policy.privacy.demands import (
    AT_ALL,
    demands,
    joint_demands,
    requirements,
    requirements_of_release,
)
from kanon_sql.policy.privacy.risks import SizeCount, size_counts
from kanon_sql.recoding.multi_node.released_classes import ClassLabels
from kanon_sql.recoding.planning.make_plan import EncodedSource, encoded, mapped_columns

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.items_sql import LookedUp
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.model import Policy

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

    @classmethod
    def of(cls, run: Session, opened: OpenSource) -> PreparedSource:
        """Map and encode a source; raises HierarchyError, with all faults."""
        found = encoded(run, mapped_columns(run, opened))
        return cls(run, found, cls._first_set(found.encoded))

    @staticmethod
    def _first_set(of: Encoded) -> FrequencySets:
        source = Node((0,) * len(of.lattice.tops))
        return FrequencySets(of.stats, FrequencySet(source, of.table, of.set_rows))

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
