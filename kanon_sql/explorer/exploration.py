"""One session of the explorer: a policy, its encoded source, and the figures of each state of the page."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from contextlib import ExitStack, contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.documents.lines import read_yaml
from kanon_sql.documents.text import counted, simple_counts
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError
from kanon_sql.explorer.adjustable_entries import AdjustableEntries
from kanon_sql.explorer.node_figures import (
    ShownClass,
    StateFigures,
    figures_of_node,
    simple_counts_at_node,
)
from kanon_sql.explorer.prepared_source import PreparedSource, encoding_of
from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.node import Node
from kanon_sql.planning.make_plan import (
    make_plan,
    search_plan,
)
from kanon_sql.planning.remarks import check_conflicts
from kanon_sql.policy.overrides import overridden
from kanon_sql.policy.read_policy import policy_from
from kanon_sql.privacy.demands import demands
from kanon_sql.privacy.risks import size_counts
from kanon_sql.recoding.read_examples import read_examples
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.staging_sql import hidden_entity
from kanon_sql.reidentification.risk_sql import class_histogram
from kanon_sql.release.plan_recoding import check_policy_s_release
from kanon_sql.release_quality.simple_counts import count_simply
from kanon_sql.run.inputs import open_run, relative_policy
from kanon_sql.run.interrupts import ended_by_interrupt, forget_interrupt, searching
from kanon_sql.searches.algorithms import ALGORITHMS, LatticeAlgorithm
from kanon_sql.source.open_source import open_source
from kanon_sql.source.sample import numbered_sample, policy_of_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kanon_sql.engines.connect import Settings
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Policy
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


def figures_of_search(run: Session, opened: OpenSource, *, of_rows: int) -> StateFigures:
    """Search an open source as the policy says, stage the release, and count its classes.

    The source may be a sample of one with `of_rows` rows. Raises InfeasibleError.
    """
    began = time.perf_counter()
    planned = make_plan(run, opened=opened, released=True)
    plan, policy = planned.plan, run.policy
    staged = run.scratch.table("staged")
    query = recode(run, planned, staged)
    with keys_in_session(run):
        run.engine.execute(query.staging)
    entity = hidden_entity(policy) or policy.entity
    quasi = [column.name for column in policy.quasi]
    kept, before = (
        tuple(size_counts(run.engine.fetch(class_histogram(table, of, entity=whose))))
        for table, of, whose in (
            (staged, tuple(query.quasi), entity),
            (planned.opened.table, quasi, policy.entity),
        )
    )
    examples = read_examples(run, query, rows=plan.released_rows)
    counts = count_simply(run, planned, staged)
    return StateFigures(
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
        before=before,
        cost=plan.cost,
        metric=plan.metric,
        quality=plan.figures,
        losses={},
        failing=(),
        columns=examples.columns,
        examples=tuple(
            ShownClass(each.labels, each.rows, each.people or each.rows)
            for each in examples.classes
        ),
        seconds=time.perf_counter() - began,
        note=str(plan.recoding),
        counts="" if counts is None else simple_counts(*counts) or "",
        sample=_sample_text(plan.source_rows, of_rows, policy.entity),
    )


def _sample_text(rows: int, of_rows: int, entity: str | None) -> str:
    if rows == of_rows:
        return ""
    people = "" if entity is None else f", all rows of some values of {entity}"
    return f"a sample of {rows:,} of {counted(of_rows, 'row')}{people}, by lot and always the same"


KEPT = 4
"""The most encoded sources that are kept, so that undoing a change of a hierarchy costs nothing."""

SAMPLE = 10_000
"""Rows of the sample that is searched for a state without a node: all rows would take as long as `plan`."""

REMEMBERED = 64
"""The most states whose policies and figures are kept."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A state of the page: changed texts of policy entries, a level of each quasi-identifier, and the held columns.

    A search may choose the level of any column that is not `held`.
    """

    entries: Mapping[str, str]
    levels: tuple[int, ...]
    held: frozenset[str] = frozenset()

    @classmethod
    def read(cls, sent: object, names: tuple[str, ...]) -> Choices:
        """Read a state that the page sends; raises InputError for anything else."""
        what = sent if isinstance(sent, dict) else {}
        entries, levels, held = what.get("entries"), what.get("levels"), what.get("held")
        if (
            isinstance(levels, list)
            and isinstance(entries, dict)
            and isinstance(held, list)
            and all(type(each) is int for each in levels)
            and all(isinstance(each, str) for each in entries.values())
            and all(each in names for each in held)
            and len(levels) == len(names)
        ):
            return cls(entries, tuple(levels), frozenset(held))
        raise InputError("explorer", [Fault("", "got no state of its own page: reload it")])

    def document(self, names: tuple[str, ...]) -> dict[str, object]:
        """Return the state as plain values for the page."""
        held = [name for name in names if name in self.held]
        return {"entries": dict(self.entries), "levels": list(self.levels), "held": held}


@dataclass(frozen=True, slots=True)
class SavedFiles:
    """The files that the explorer saves: a policy, in the folder of the policy it was opened with, and its plan.

    A file is replaced only if its content is what the explorer last saved, or found when it was opened. So nothing
    that a person or another program wrote since is lost.
    """

    policy: Path
    plan: Path
    write: Callable[[Path, str], None]
    boundaries: str
    _known: dict[Path, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in (self.policy, self.plan):
            self._known[path] = _content_hash(path)

    def check_unchanged(self, *paths: Path) -> None:
        """Raise InputError for files that were edited since; a file that was removed or renamed may be written."""
        what = (
            "was changed since the explorer saved or opened it, and is not replaced: rename it, or move it away, "
            "and save again"
        )
        faults = [
            Fault(path.name, what)
            for path in paths
            if _content_hash(path) not in {None, self._known[path]}
        ]
        if faults:
            raise InputError("explorer", faults)

    def save(self, path: Path, text: str) -> None:
        """Write one of the two files. Raises InputError if it was edited since."""
        self.check_unchanged(path)
        self.write(path, text)
        self._known[path] = _content_hash(path)


def _content_hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


@dataclass
class Exploration:
    """A session: a policy, its source as encoded for each set of hierarchies, and the figures of each state.

    Only SQL reads rows, classes and values. One thread at a time may use a session.
    """

    run: Session
    adjustable: AdjustableEntries
    files: SavedFiles
    _stack: ExitStack
    _opened: OpenSource | None = None
    _sample: tuple[OpenSource, str] | None = None
    _prepared: OrderedDict[object, tuple[PreparedSource, ExitStack]] = field(
        default_factory=OrderedDict
    )
    _policies: dict[tuple[tuple[str, str], ...], Policy] = field(default_factory=dict)
    _searched: dict[object, StateFigures] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the policy's order."""
        return tuple(column.name for column in self.run.policy.quasi)

    @property
    def of_nodes(self) -> bool:
        """Whether a state is a node of the lattice; else its figures are those of a search's result."""
        search = self.run.policy.search
        return (
            isinstance(ALGORITHMS[search.algorithm], LatticeAlgorithm)
            and not search.at_several_nodes
            and not search.options.own_recoding
        )

    def policy(self, choices: Choices, *, held: bool = False) -> Policy:
        """Read a state's policy from the text that would be saved; `held` adds held levels. Raises PolicyError."""
        of = {name: choices.levels[at] for at, name in enumerate(self.names)}
        levels = {name: of[name] for name in self.names if held and name in choices.held}
        key = tuple(
            sorted({**choices.entries, **{f"level {n}": str(v) for n, v in levels.items()}}.items())
        )
        if key not in self._policies:
            if len(self._policies) >= REMEMBERED:
                self._policies.clear()
            text = self.adjustable.edited(choices.entries, levels)
            self._policies[key] = self._read(text)
        return self._policies[key]

    def _read(self, text: str) -> Policy:
        own = self.run.policy
        document = read_yaml(text, own.subject)
        has_source = "source" not in self.run.overrides
        read = policy_from(document, subject=own.subject, has_source=has_source)
        read = replace(read, base=own.base, file=own.file, lines=document.lines())
        return overridden(read, self.run.overrides)

    def prepared(self, policy: Policy) -> PreparedSource:
        """Return the encoded source of a policy, a kept one if there is any. Raises HierarchyError."""
        key = encoding_of(policy)
        if key not in self._prepared:
            opened = self.opened()
            while len(self._prepared) >= KEPT:
                _, (_, oldest) = self._prepared.popitem(last=False)
                oldest.close()
            with ExitStack() as stack:
                tables = stack.enter_context(scratch(self.run.engine))
                run = replace(self.run, policy=policy, scratch=tables)
                made = PreparedSource.of(run, opened)
                self._prepared[key] = made, stack.pop_all()
        self._prepared.move_to_end(key)
        return self._prepared[key][0]

    def opened(self) -> OpenSource:
        """Return the source, which is opened once. Raises SourceError."""
        if self._opened is None:
            check_conflicts(self.run)
            with self.run.engine.journal.step("open"):
                self._opened = open_source(self.run, None)
        return self._opened

    def sample(self) -> tuple[OpenSource, str]:
        """Return the sample that is searched (a smaller source has all its rows in it), and its numbering column."""
        if self._sample is None:
            opened = self.opened()
            with self.run.engine.journal.step("sample"):
                _, sample, number = numbered_sample(self.run, opened, SAMPLE)
            self._sample = sample, number
        return self._sample

    def start(self) -> dict[str, object]:
        """Encode the source, search for the best node, and return the values that the page begins with."""
        policy = self.run.policy
        first = Choices({}, (0,) * len(self.names))
        refused, found = "", first
        if self.of_nodes:
            source = self.prepared(policy).encoded_for(policy).encoded
            found = replace(first, levels=source.lattice.top.levels)
            try:
                found = self.best(found)
            except InfeasibleError as error:  # the page begins at the top, and says so
                refused = str(error)
        search = policy.search
        return {
            "policy": Path(policy.file or "policy").name,
            "saves": {"policy": self.files.policy.name, "plan": self.files.plan.name},
            "algorithm": search.algorithm.value,
            "of_nodes": self.of_nodes,
            "refused": refused,
            "names": list(self.names),
            "entries": [each.document() for each in self.adjustable.entries.values()],
            "state": found.document(self.names),
        }

    def columns(self, choices: Choices) -> list[dict[str, object]]:
        """Describe each quasi-identifier in a state: the number of labels by level, its level bounds, its warnings."""
        policy = self.policy(choices)
        if not self.of_nodes:
            return [{"name": name, "labels": [], "least": 0, "most": 0} for name in self.names]
        source = self.prepared(policy).encoded_for(policy).encoded
        bounds = zip(source.lattice.bottoms, source.lattice.tops, strict=True)
        return [
            {
                "name": each.column.name,
                "labels": [level.values for level in stats.levels[: each.hierarchy.height + 1]],
                "least": least,
                "most": most,
                "warnings": list(each.warnings),
            }
            for each, stats, (least, most) in zip(
                source.mapped, source.stats.columns, bounds, strict=True
            )
        ]

    def clamped(self, choices: Choices) -> Choices:
        """Return the state with each level moved into the bounds that its policy sets."""
        if not self.of_nodes:
            return choices
        policy = self.policy(choices)
        lattice = self.prepared(policy).encoded_for(policy).encoded.lattice
        levels = tuple(
            min(max(level, low), high)
            for level, low, high in zip(choices.levels, lattice.bottoms, lattice.tops, strict=True)
        )
        return replace(choices, levels=levels)

    def figures(self, choices: Choices) -> StateFigures:
        """Count what a state would release: at its node, or by a search in a sample of at most `SAMPLE` rows.

        Raises PolicyError, HierarchyError, and InfeasibleError after a search.
        """
        policy = self.policy(choices)
        if self.of_nodes:
            return figures_of_node(self.prepared(policy), policy, Node(choices.levels))
        key = tuple(sorted(choices.entries.items()))
        if key not in self._searched:
            if len(self._searched) >= REMEMBERED:
                self._searched.clear()
            sample, number = self.sample()
            rows, of_rows = sample.source_rows, self.opened().source_rows
            of_sample = policy_of_sample(policy, number, rows=rows, of_rows=of_rows)
            with self._searching(of_sample) as run:
                self._searched[key] = figures_of_search(run, sample, of_rows=of_rows)
        return self._searched[key]

    def simple_counts(self, choices: Choices) -> str:
        """Return a sentence on the error of simple counts of a state; empty where it is not measured."""
        if not self.of_nodes:
            return self.figures(choices).counts
        policy = self.policy(choices)
        return simple_counts_at_node(self.prepared(policy), policy, Node(choices.levels))

    @contextmanager
    def _searching(self, policy: Policy) -> Iterator[Session]:
        """Open a run with separate scratch tables for a search that the page can stop with the best result so far."""
        try:
            with ended_by_interrupt(), scratch(self.run.engine) as tables:
                yield replace(self.run, policy=policy, scratch=tables)
        finally:
            forget_interrupt()

    def feasible_levels(self, choices: Choices, at: int) -> list[dict[str, object]]:
        """Check each level of column `at`, the others unchanged: whether it is feasible, and the rows it suppresses."""
        if not self.of_nodes or not 0 <= at < len(choices.levels):
            return []
        policy = self.policy(choices)
        checker = self.prepared(policy).checker(policy)
        before, after = choices.levels[:at], choices.levels[at + 1 :]
        nodes = [Node((*before, level, *after)) for level in checker.lattice.ranges[at]]
        return [
            {"level": v.node.levels[at], "feasible": v.feasible, "suppressed": v.counts.suppressed}
            for v in checker.check(nodes)
        ]

    def best(self, choices: Choices) -> Choices:
        """Search as the policy says, with the held levels fixed, and return the state at the node that is found.

        Raises InfeasibleError where no node is feasible.
        """
        policy = self.policy(choices, held=True)
        if not self.of_nodes:
            return choices
        prepared = self.prepared(policy)
        source = prepared.encoded_for(policy)
        with self._searching(policy) as run, searching(policy.search.time_limit) as deadline:
            plan = search_plan(run, source, deadline=deadline)
        return replace(choices, levels=plan.recoding.nodes[0].levels)

    def save(self, choices: Choices, *, with_plan: bool) -> dict[str, object]:
        """Write the policy of a state with its held levels and, with `with_plan`, its plan.

        The plan is the one that `kanon-sql plan` makes of that policy: its search chooses all other levels. Raises
        InputError, before anything is written, if one of the files was edited since the explorer last saved it.
        """
        files = self.files
        files.check_unchanged(files.policy, *([files.plan] if with_plan else []))
        levels = {
            name: choices.levels[at] for at, name in enumerate(self.names) if name in choices.held
        }
        text = self.adjustable.edited(choices.entries, levels)
        files.save(files.policy, text)
        saved: dict[str, object] = {"policy": str(files.policy)}
        if with_plan:
            own = replace(self._read(text), file=str(files.policy))
            with self._searching(own) as run:
                check_policy_s_release(run, None, None)
                made = make_plan(run, to_keep=True, boundaries=files.boundaries)
            plan = made.plan.named(relative_policy(str(files.policy), str(files.plan)))
            files.save(files.plan, plan.to_yaml())
            saved |= {"plan": str(files.plan), "found": _found(plan)}
            if self.of_nodes:
                state = replace(choices, levels=plan.recoding.nodes[0].levels)
                saved["state"] = state.document(self.names)
        return saved

    def close(self) -> None:
        """Drop the scratch tables, and close the engine."""
        while self._prepared:
            self._prepared.popitem()[1][1].close()
        self._stack.close()


def _found(plan: Plan) -> str:
    proven = "proven optimal" if plan.optimal else "the best found"
    return f"{plan.recoding}: {plan.classes:,} classes, {plan.suppressed_rows:,} rows suppressed, {proven}"


def open_exploration(
    policy: str,
    source: object,
    *,
    files: SavedFiles,
    settings: Settings | None,
    connection: object | None = None,
    progress: Callable[[str], None] | None = None,
) -> Exploration:
    """Open a policy and the engine of its source; the source is opened later. Raises InputError with all faults."""
    with ExitStack() as stack:
        run, _ = open_run(
            stack,
            policy,
            source,
            connection=connection,
            settings=settings,
            progress=progress,
            writes=False,
            keeps_plan=True,
        )
        text = Path(policy).read_text(encoding="utf-8-sig")
        adjustable = AdjustableEntries(text, run.policy)
        return Exploration(run, adjustable, files, stack.pop_all())
