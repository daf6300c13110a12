"""One session of the explorer: a policy, its encoded source, and the figures of each state of the page."""

from __future__ import annotations

import hashlib
import re
from contextlib import ExitStack, contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.explorer.adjustable_entries import AdjustableEntries
from kanon_sql.apps.explorer.node_figures import (
    count_error_at_node,
    figures_of_node,
    largest_labels,
)
from kanon_sql.apps.explorer.searched_state import (
    PreparedSource,
    RecentResults,
    SearchedColumns,
    SearchedState,
    encoding_of,
    is_of_nodes,
    sample_text,
    search_state,
)
from kanon_sql.apps.python.plan_recoding import check_policy_s_release
from kanon_sql.base.documents.keys import read_yaml
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import boundaries_beside
from kanon_sql.counting.plans.shown_plan import proof_text
from kanon_sql.counting.run.inputs import open_run, relative_policy
from kanon_sql.counting.run.session import (
    ended_by_interrupt,
    forget_interrupt,
    resolve,
    searching,
    was_interrupted,
)
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.counting.source.person_keys import numbered_sample, policy_of_sample
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import Fault, InfeasibleError, InputError
from kanon_sql.evidence.release_quality.simple_counts import count_simply
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.read_policy import overridden, policy_from
from kanon_sql.recoding.planning.make_plan import make_plan, search_plan
from kanon_sql.recoding.planning.remarks import check_conflicts
from kanon_sql.recoding.second_look import examples_of_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kanon_sql.apps.explorer.node_figures import StateFigures
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.model import Policy


SAMPLE = 10_000
"""Rows of the sample that states of a larger source are counted in, until its user asks for all rows."""

MOST_NODES = 64
"""The most nodes that one request of the page has checked."""

REMEMBERED = 64
"""The most states whose policies and figures are kept."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A state of the page: changed texts of policy entries, a level of each quasi-identifier, and the held columns.

    A search may choose the level of any column that is not `held`. A large source is counted in a sample, or with
    `all_rows` whole.
    """

    entries: Mapping[str, str]
    levels: tuple[int, ...]
    held: frozenset[str] = frozenset()
    all_rows: bool = False

    @classmethod
    def read(cls, sent: object, names: tuple[str, ...]) -> Choices:
        """Read a state that the page sends; raises InputError for anything else."""
        what = sent if isinstance(sent, dict) else {}
        entries, levels, held = what.get("entries"), what.get("levels"), what.get("held")
        all_rows = what.get("all_rows") is True
        if (
            isinstance(levels, list)
            and isinstance(entries, dict)
            and isinstance(held, list)
            and all(type(each) is int for each in levels)
            and all(isinstance(each, str) for each in entries.values())
            and all(each in names for each in held)
            and len(levels) == len(names)
        ):
            return cls(entries, tuple(levels), frozenset(held), all_rows)
        raise InputError("explorer", [Fault("", "got no state of its own page: reload it")])

    def document(self, names: tuple[str, ...]) -> dict[str, object]:
        """Return the state as plain values for the page."""
        held = [name for name in names if name in self.held]
        return {
            "entries": dict(self.entries),
            "levels": list(self.levels),
            "held": held,
            "all_rows": self.all_rows,
        }


@dataclass(frozen=True, slots=True)
class SavedFiles:
    """The files that the explorer saves: a policy, in the folder of the policy it was opened with, and its plan.

    A file is replaced only if its content is what the explorer last saved, or found when it was opened. So nothing
    that a person or another program wrote since is lost. Another policy than one whose plan was saved gets files of
    the next number: that plan may have been carried out since.
    """

    policy: Path
    plan: Path
    write: Callable[[Path, str], None]
    boundaries: str
    _known: dict[Path, str | None] = field(default_factory=dict)
    _planned: set[str] = field(default_factory=set)

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

    def for_policy(self, text: str) -> SavedFiles:
        """Return the files for a policy's text: the next free ones if a plan of another text was saved."""
        if not self._planned or text in self._planned:
            return self
        stem, number = self.policy.stem, 2
        if (before := re.fullmatch(r"(.+)-(\d+)", stem)) is not None:
            stem, number = before[1], int(before[2]) + 1
        while True:
            policy = self.policy.with_name(f"{stem}-{number}{self.policy.suffix}")
            plan = policy.with_name(f"{policy.stem}.plan.yml")
            if not policy.exists() and not plan.exists():
                return SavedFiles(policy, plan, self.write, boundaries_beside(str(plan)))
            number += 1

    def save_plan(self, policy: str, plan: str) -> None:
        """Write the plan of a policy's text. Raises InputError if the file was edited since."""
        self.save(self.plan, plan)
        self._planned.add(policy)

    def save(self, path: Path, text: str) -> None:
        """Write one of the two files. Raises InputError if it was edited since."""
        self.check_unchanged(path)
        self.write(path, text)
        self._known[path] = _content_hash(path)


def _content_hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


@dataclass(frozen=True, slots=True)
class CountedSource:
    """The source that a state is counted in, all of it or a sample, with the policy for it."""

    policy: Policy
    opened: OpenSource
    sampled: bool


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
    _prepared: RecentResults[PreparedSource] = field(default_factory=RecentResults)
    _mapped: RecentResults[SearchedColumns] = field(default_factory=RecentResults)
    _searched: RecentResults[SearchedState] = field(default_factory=RecentResults)
    _policies: dict[tuple[tuple[str, str], ...], Policy] = field(default_factory=dict)
    _figures: dict[object, StateFigures] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the policy's order."""
        return tuple(column.name for column in self.run.policy.quasi)

    def of_nodes(self, choices: Choices) -> bool:
        """Whether a state is a node of the lattice; else its figures are those of a search's result."""
        return is_of_nodes(self.policy(choices))

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

    def counted(self, choices: Choices, policy: Policy | None = None) -> CountedSource:
        """Return the source that a state is counted in, with its policy. Raises PolicyError and SourceError."""
        policy = self.policy(choices) if policy is None else policy
        opened = self.opened()
        if choices.all_rows or not self.is_large:
            return CountedSource(policy, opened, sampled=False)
        sample, number = self.sample()
        of_sample = policy_of_sample(
            policy, number, rows=sample.source_rows, of_rows=opened.source_rows
        )
        return CountedSource(of_sample, sample, sampled=True)

    @property
    def is_large(self) -> bool:
        """Whether states are counted in a sample at first; a frequency set that was given cannot be sampled."""
        return self.opened().source_rows > SAMPLE and self.run.policy.source.frequency_set is None

    def prepared(self, source: CountedSource) -> PreparedSource:
        """Return a source encoded for its policy, a kept one if there is any. Raises HierarchyError."""

        def made(tables: Scratch) -> PreparedSource:
            run = replace(self.run, policy=source.policy, scratch=tables)
            return PreparedSource.of(run, source.opened)

        key = (source.sampled, encoding_of(source.policy))
        return self._prepared.get(key, self.run, made)

    def mapped(self, source: CountedSource) -> SearchedColumns:
        """Return a source with its columns mapped for a search that cuts them. Raises HierarchyError."""

        def made(tables: Scratch) -> SearchedColumns:
            run = replace(self.run, policy=source.policy, scratch=tables)
            return SearchedColumns.of(run, source.opened)

        policy = source.policy
        key = (source.sampled, encoding_of(policy), policy.search.options)
        return self._mapped.get(key, self.run, made)

    def opened(self) -> OpenSource:
        """Return the source, which is opened once. Raises SourceError."""
        if self._opened is None:
            check_conflicts(self.run.policy)
            with self.run.engine.journal.step("open"):
                self._opened = open_source(self.run, None)
        return self._opened

    def sample(self) -> tuple[OpenSource, str]:
        """Return the sample of a large source, and the column that numbers its rows."""
        if self._sample is None:
            opened = self.opened()
            with self.run.engine.journal.step("sample"):
                _, sample, number = numbered_sample(self.run, opened, SAMPLE)
            self._sample = sample, number
        return self._sample

    def start(self) -> dict[str, object]:
        """Count the source or a sample of it, search it, and return the values that the page begins with."""
        policy = self.run.policy
        first = Choices({}, (0,) * len(self.names))
        refused, found = "", first
        if self.of_nodes(first):
            source = self.counted(first)
            encoded = self.prepared(source).encoded_for(source.policy).encoded
            found = replace(first, levels=encoded.lattice.top.levels)
            try:
                found = self.best(found)
            except InfeasibleError as error:  # the page begins at the top, and says so
                refused = str(error)
        return {
            "policy": Path(policy.file or "policy").name,
            "saves": {"policy": self.files.policy.name, "plan": self.files.plan.name},
            "refused": refused,
            "names": list(self.names),
            "entries": [each.document() for each in self.adjustable.entries.values()],
            "rows": self.opened().source_rows,
            "large": self.is_large,
            "state": found.document(self.names),
        }

    def columns(self, choices: Choices) -> list[dict[str, object]]:
        """Describe each quasi-identifier in a state: the number of labels by level, its level bounds, its warnings."""
        if not self.of_nodes(choices):
            columns = self.mapped(self.counted(choices)).values
            return [
                {"name": name, "labels": [], "least": 0, "most": 0, "values": many}
                for name, many in zip(self.names, columns, strict=True)
            ]
        counted = self.counted(choices)
        source = self.prepared(counted).encoded_for(counted.policy).encoded
        bounds = zip(source.lattice.bottoms, source.lattice.tops, strict=True)
        return [
            {
                "name": each.column.name,
                "values": stats.levels[0].values,
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
        if not self.of_nodes(choices):
            return choices
        source = self.counted(choices)
        lattice = self.prepared(source).encoded_for(source.policy).encoded.lattice
        levels = tuple(
            min(max(level, low), high)
            for level, low, high in zip(choices.levels, lattice.bottoms, lattice.tops, strict=True)
        )
        return replace(choices, levels=levels)

    def figures(self, choices: Choices) -> StateFigures:
        """Count what a state would release, at its node or by a search; of a large source in a sample at first.

        Raises PolicyError, HierarchyError, and InfeasibleError after a search.
        """
        if not self.of_nodes(choices):
            key = self._search_key(choices)
            if key not in self._figures:
                while len(self._figures) >= REMEMBERED:
                    del self._figures[next(iter(self._figures))]
                self._figures[key] = self._search(choices).figures
            return self._figures[key]
        source = self.counted(choices)
        found = figures_of_node(self.prepared(source), source.policy, Node(choices.levels))
        rows = self.opened().source_rows
        return replace(found, sample=sample_text(found.rows, rows, source.policy.entity))

    def _search(self, choices: Choices) -> SearchedState:
        """Search for a state that is no node; its release stays staged while few others were searched since."""
        source = self.counted(choices)
        columns = self.mapped(source)
        of_rows = self.opened().source_rows

        def made(tables: Scratch) -> SearchedState:
            draft = columns.draft if source.sampled else None
            run = replace(self.run, policy=source.policy, scratch=tables, draft=draft)
            with interruptible():
                return search_state(run, columns, of_rows=of_rows)

        return self._searched.get(self._search_key(choices), self.run, made)

    def _search_key(self, choices: Choices) -> object:
        return choices.all_rows and self.is_large, tuple(sorted(choices.entries.items()))

    def count_error(self, choices: Choices) -> tuple[float, float, float] | None:
        """Return the error of simple counts of a state, spread and plain; None where it is not measured."""
        if not self.of_nodes(choices):
            return self._search(choices).count_error()
        source = self.counted(choices)
        return count_error_at_node(self.prepared(source), source.policy, Node(choices.levels))

    @contextmanager
    def _searching(self, policy: Policy) -> Iterator[Session]:
        """Open a run with separate scratch tables for a search that the page can stop with the best result so far."""
        with interruptible(), scratch(self.run.engine) as tables:
            yield replace(self.run, policy=policy, scratch=tables)

    def feasible_levels(self, choices: Choices, at: int) -> list[dict[str, object]]:
        """Check each level of column `at`, the others unchanged."""
        if not self.of_nodes(choices) or not 0 <= at < len(choices.levels):
            return []
        source = self.counted(choices)
        checker = self.prepared(source).checker(source.policy)
        before, after = choices.levels[:at], choices.levels[at + 1 :]
        nodes = [Node((*before, level, *after)) for level in checker.lattice.ranges[at]]
        found = zip(checker.lattice.ranges[at], _verdicts(checker, nodes), strict=True)
        return [{"level": level, **verdict} for level, verdict in found]

    def verdicts(self, choices: Choices, sent: object) -> list[dict[str, object]]:
        """Check nodes that the page draws.

        Raises InputError.
        """
        source = self.counted(choices)
        checker = self.prepared(source).checker(source.policy)
        ranges = checker.lattice.ranges
        nodes = []
        for levels in sent if isinstance(sent, list) else []:
            if not (
                isinstance(levels, list)
                and len(levels) == len(ranges)
                and all(type(n) is int and n in of for n, of in zip(levels, ranges, strict=True))
            ):
                raise InputError(
                    "explorer", [Fault("", "got a node that its lattice does not have")]
                )
            nodes.append(Node(tuple(levels)))
        return _verdicts(checker, nodes[:MOST_NODES])

    def labels(self, choices: Choices, at: int) -> list[list[dict[str, object]]]:
        """Read, for each level of column `at`, the labels of most rows, each of at least k rows or people."""
        if not self.of_nodes(choices) or not 0 <= at < len(choices.levels):
            return []
        source = self.counted(choices)
        return largest_labels(self.prepared(source), source.policy, at)

    def best(self, choices: Choices) -> Choices:
        """Search as the policy says, with the held levels fixed, and return the state at the node that is found.

        A state that is no node is its own best. Raises InfeasibleError where no node is feasible.
        """
        if not self.of_nodes(choices):
            return choices
        counted = self.counted(choices, self.policy(choices, held=True))
        policy = counted.policy
        source = self.prepared(counted).encoded_for(policy)
        with self._searching(policy) as run, searching(policy.search.time_limit) as deadline:
            plan = search_plan(run, source, deadline=deadline)
        return replace(choices, levels=plan.recoding.nodes[0].levels)

    def save(self, choices: Choices, *, with_plan: bool) -> dict[str, object]:
        """Write the policy of a state with its held levels and, with `with_plan`, its plan.

        The plan is the one that `kanon-sql plan` makes of that policy: its search chooses all other levels. Raises
        InputError, before anything is written, if one of the files was edited since the explorer last saved it.
        """
        held = choices.held if self.of_nodes(choices) else frozenset()
        levels = {name: choices.levels[at] for at, name in enumerate(self.names) if name in held}
        text = self.adjustable.edited(choices.entries, levels)
        self.files = files = self.files.for_policy(text)
        files.check_unchanged(files.policy, *([files.plan] if with_plan else []))
        files.save(files.policy, text)
        saved: dict[str, object] = {"policy": str(files.policy)}
        if with_plan:
            own = replace(self._read(text), file=str(files.policy))
            with self._searching(own) as run:
                check_policy_s_release(run, None, None)
                made = make_plan(run, to_keep=True, boundaries=files.boundaries)
                counts = None
                if not was_interrupted():
                    _, counts = examples_of_plan(run, made, count_simply)
            found = made.plan.with_simple_counts(counts)
            plan = found.named(relative_policy(str(files.policy), str(files.plan)))
            files.save_plan(text, plan.to_yaml())
            saved |= {"plan": str(files.plan), "found": _found(plan)}
            if (release := _other_release(own, files.policy)) is not None:
                saved["release"] = release
            if self.of_nodes(choices):
                state = replace(choices, levels=plan.recoding.nodes[0].levels)
                saved["state"] = state.document(self.names)
        return saved

    def close(self) -> None:
        """Drop the scratch tables, and close the engine."""
        for kept in (self._searched, self._mapped, self._prepared):
            kept.close()
        self._stack.close()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the page stop a search with the best result so far."""
    try:
        with ended_by_interrupt():
            yield
    finally:
        forget_interrupt()


def _other_release(policy: Policy, saved: Path) -> str | None:
    """Name another release, beside the saved policy, where the file of the policy's own is there already."""
    own = policy.release
    if own is None or own.in_place or "://" in own.name:
        return None
    there = Path(resolve(own.name, policy.base))
    return str(saved.with_suffix(there.suffix)) if there.suffix and there.is_file() else None


def _verdicts(checker: SqlChecker, nodes: Sequence[Node]) -> list[dict[str, object]]:
    """Check nodes: whether each is feasible, the rows it suppresses, the classes it keeps, and its loss if feasible."""
    checked = checker.check(nodes)
    feasible = [each for each in checked if each.feasible]
    costs = dict(zip((each.node for each in feasible), checker.costs(feasible), strict=True))
    return [
        {
            "levels": list(each.node.levels),
            "feasible": each.feasible,
            "suppressed": each.counts.suppressed,
            "classes": each.counts.classes,
            "loss": costs[each.node][0] if each.feasible else None,
        }
        for each in checked
    ]


def _found(plan: Plan) -> str:
    found = f"{plan.recoding}: {plan.classes:,} classes, {plan.suppressed_rows:,} rows suppressed"
    return f"{found}, {proof_text(plan)}"


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
