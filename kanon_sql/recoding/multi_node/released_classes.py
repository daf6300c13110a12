"""Classes of releases by several nodes, and local suppression, mu-Argus's last steps: cells are suppressed until all fit.

Classes are distinguished by parts: keys of a frequency set, or codes of a release. A combination of
columns is the bits that it keeps of each part, and a suppressed column has its bits cleared. Which
columns a class lost is a number with a bit a column, so a suppressed cell is a value of its own.

The release is two tables: `moved` has, for each class that is not released at the first node, the level of each of its
columns; `failing` has the classes that are suppressed. Both name classes by the codes of the finest levels used, as
local suppression does, so one statement stages either.

Codes do not distinguish the released classes: classes of different nodes that are released under the same labels are
one. So sums over classes follow rows of a frequency set to their labels.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.smallest_classes import Items
from kanon_sql.counting.plans.recodings import LocalSuppression, SuppressedCells
from kanon_sql.errors import InfeasibleError
from kanon_sql.policy.hierarchies.labels_sql import class_code
from kanon_sql.policy.metrics.column_metrics import Entropy
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import Counts, Need, ReleasedNode, Sums
from kanon_sql.policy.privacy.demands import sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import FittingSet, KeyPart, rest
from kanon_sql.policy.privacy.risks import size_counts
from kanon_sql.policy.search_options import MuArgus, Repair
from kanon_sql.recoding.measured import Finished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.encode import Encoded, QuasiTables
    from kanon_sql.counting.lattice.result import Local, Verdict
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.labels_sql import SourceRows
    from kanon_sql.policy.hierarchies.mapping_sql import Packing
    from kanon_sql.policy.privacy.fitting_sql import ClassRows
    from kanon_sql.policy.privacy.privacy_model import Requirement


SUPPRESSED = "suppressed"
"""The column that has a bit for each column whose cells a class lost."""


@dataclass(frozen=True)
class CellSuppression:
    """How classes are distinguished, and which combinations of columns are tested.

    `parts` are the names of what distinguishes classes; `masks` has, for each column, its bits in each part.
    """

    parts: Sequence[str]
    masks: Sequence[Sequence[int]]
    combinations: Sequence[tuple[int, ...]]
    required: Sequence[Requirement]
    rows: ClassRows

    @property
    def columns(self) -> list[int]:
        """Return the columns that some combination has, and whose cells may be suppressed."""
        return sorted({at for each in self.combinations for at in each})

    @property
    def keys(self) -> list[str]:
        """Name the parts without the bits of suppressed columns."""
        return [f"shown_{part}" for part in self.parts]

    @property
    def _parts(self) -> list[exp.Identifier]:
        return [name(part) for part in self.parts]

    def outliers(self, outliers: exp.Table, classes: exp.Table) -> Statement:
        """Find the combinations of each class whose values do not fit, over all classes."""
        combinations = [
            {
                "members": sum(1 << at for at in each),
                "masks": [sum(self.masks[at][n] for at in each) for n in range(len(self.parts))],
            }
            for each in self.combinations
        ]
        return Statement(
            "multi_node/outliers",
            {
                "outliers": outliers,
                "classes": classes,
                "parts": self._parts,
                "combinations": combinations,
                "requirements": self.rows.requirements(self.required),
            },
        )

    def unresolved(self, outliers: exp.Table) -> Statement:
        return Statement("multi_node/unresolved", {"outliers": outliers})

    def suppress(self, after: exp.Table, before: exp.Table) -> Statement:
        """Suppress one more column of each class: the one in most of the outliers it still has."""
        bits = [1 << at for at in self.columns]
        leaves = {"after": after, "before": before, "parts": self._parts, "bits": bits}
        return Statement("multi_node/suppress_cells", leaves)

    def classes_after(
        self, after: exp.Table, classes: exp.Table, outliers: exp.Table, *, carried: Sequence[str]
    ) -> Statement:
        """Create the table of classes after suppression; `carried` names the columns that they keep."""
        parts = []
        for n, (part, key) in enumerate(zip(self._parts, self.keys, strict=True)):
            cleared = [
                {"bit": 1 << at, "mask": self.masks[at][n]}
                for at in self.columns
                if self.masks[at][n]
            ]
            parts.append({"from": part, "as": name(key), "cleared": cleared})
        leaves = {"after": after, "classes": classes, "outliers": outliers, "parts": parts}
        kept = [name(text) for text in carried]
        return Statement("multi_node/after_suppression", {**leaves, "carried": kept})

    def failing(self, failing: exp.Table, after: exp.Table) -> Statement:
        parts = [KeyPart(name(text), name(text)) for text in (SUPPRESSED, *self.keys)]
        return rest(failing, after, FittingSet(parts, self.required, self.rows))

    def suppressed_columns(self, classes: exp.Table, without: exp.Table | None) -> Statement:
        """Count classes and rows by the columns they lost, but those of another table."""
        keys = [name(text) for text in self.keys]
        leaves = {"classes": classes, "without": without, "keys": keys}
        return Statement("multi_node/suppressed_columns", leaves)


def released_with_suppressed_cells(
    of: SourceRows,
    combinations: Sequence[tuple[int, ...]],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
) -> Iterator[Statement]:
    """Find which cells and which classes are suppressed, by the source's own rows.

    `steps` become the table of all classes, that of outliers, one a round, and classes after suppression.
    """
    all_, outliers, *rounds, after = steps
    yield of.classes(all_)
    codes = [f"class_{n}" for n in range(len(of.released))]
    own = [[-(code == at) for code in range(len(codes))] for at in range(len(codes))]
    suppression = CellSuppression(codes, own, combinations, of.needed, of.class_rows)
    yield suppression.outliers(outliers, all_)
    before = outliers
    for each in rounds:
        yield suppression.suppress(each, before)
        before = each
    levels = [
        {"bit": 1 << at, "level": each.level, "root": each.height}
        for at, each in enumerate(of.released)
    ]
    leaves = {"moved": moved, "outliers": before, "codes": [name(code) for code in codes]}
    yield Statement("multi_node/moved_cells", {**leaves, "levels": levels})
    sensitive = [f"spread_{n}" for n in range(len(sensitive_attributes(of.needed)))]
    carried = [*codes, *sensitive, *([] if of.entity is None else ["entity"]), "row_count"]
    yield suppression.classes_after(after, all_, before, carried=carried)
    yield suppression.failing(failing, after)


class ReleasedClasses:
    """The table of the labels of all codes, and statements that count classes by these labels."""

    def __init__(self, run: Session, encoded: Encoded) -> None:
        self._run = run
        self.labels_of = ClassLabels(encoded.counting.packing, entity=encoded.counting.entity)
        self.labels = run.scratch.create("labels", self.labels_of.labels, encoded.known)

    def classes_at(self, node: Node, of: Encoded, without: exp.Table | None = None) -> exp.Table:
        """Create the table of the classes that a node releases, by their labels, but those of `without`."""
        return self._run.scratch.create(
            "released_classes",
            self.labels_of.released,
            of.table,
            without,
            self.labels,
            node=node,
            rows=of.set_rows,
        )

    def sums(
        self,
        released: Sequence[exp.Table],
        *,
        released_nodes: Sequence[ReleasedNode],
        failing: Encoded,
        suppressed: int,
    ) -> Sums:
        """Sum over tables of released classes; the suppressed rows, in `failing`, count at the last node."""
        run, node = self._run, released_nodes[-1].node
        ((classes, smallest, squares),) = run.engine.fetch(self.labels_of.merged(released))
        leaves, shared = self._totals(released)
        logs: tuple[float, ...] | None = None
        if suppressed:
            _, more = self._totals([self.classes_at(node, failing)])
            shared = tuple(a + b for a, b in zip(shared, more, strict=True))
            if run.policy.search.count_suppressed:
                logs = self._suppressed_logs(failing, node, suppressed)
        return Sums(
            released_nodes=tuple(released_nodes),
            suppressed=suppressed,
            classes=int(str(classes)),
            smallest=int(str(smallest)),
            squares=int(str(squares)),
            leaves=leaves,
            shared=tuple(map(float, shared)),
            suppressed_logs=logs,
            sizes=tuple(size_counts(run.engine.fetch(self.labels_of.class_sizes(released)))),
        )

    def _totals(self, tables: Sequence[exp.Table]) -> tuple[tuple[int, ...], tuple[Decimal, ...]]:
        (row,) = self._run.engine.fetch(self.labels_of.totals(tables))
        return tuple(int(str(c)) for c in row[::2]), tuple(Decimal(str(c)) for c in row[1::2])

    def _suppressed_logs(self, failing: Encoded, node: Node, suppressed: int) -> tuple[float, ...]:
        """Sum c * ln c over the labels that suppressed rows have at a node, where no class fits."""
        metric = Entropy(count_suppressed=True)
        checker = make_checker(
            self._run, failing, metric=metric, max_suppressed=suppressed, deadline=None
        )
        (figures,) = checker.suppressed_figures(checker.check([node]), Need.ENTROPY)
        return tuple(figures)


@dataclass(frozen=True)
class ClassLabels:
    """The labels of every column and level, and the statements that need them."""

    packing: Packing
    entity: bool

    @property
    def items(self) -> Items:
        """Number every column and level."""
        pairs = [(q, n) for q, top in enumerate(self.packing.tops) for n in range(top + 1)]
        return Items({pair: number for number, pair in enumerate(pairs)})

    @property
    def _columns(self) -> list[int]:
        return list(range(len(self.packing.tops)))

    def labels(self, table: exp.Table, known: Sequence[QuasiTables]) -> Statement:
        sources = []
        for (quasi, level), number in self.items.numbers.items():
            of = known[quasi]
            masks = [
                mask if self.packing.uses(quasi, key) else None
                for key, mask in enumerate(self.packing.column_masks(quasi, level))
            ]
            tables = {"codes": of.codes, "map": of.map, "paths": of.paths}
            own = {"item": number, "level": level, "masks": masks}
            sources.append({**own, **tables, **of.label(level)})
        return Statement("multi_node/labels", {"labels": table, "sources": sources})

    def statistics(
        self, remainder: exp.Table, items: exp.Table, labels: exp.Table, *, rows: int
    ) -> Statement:
        keys = [name(key) for key in self.packing.keys]
        leaves = {"remainder": remainder, "items": items, "labels": labels, "keys": keys}
        return Statement("multi_node/remainder_statistics", leaves, scans=rows)

    def released(
        self,
        table: exp.Table,
        before: exp.Table,
        without: exp.Table | None,
        labels: exp.Table,
        *,
        node: Node,
        rows: int = 0,
        suppressed_keys: Sequence[str] = (),
    ) -> Statement:
        """Create the table of the classes of `before` at a node, under their labels, but those of `without`.

        Where cells were suppressed, `suppressed_keys` name the keys without the bits of these.
        """
        keys = suppressed_keys or self.packing.keys
        numbers, tops = self.items.numbers, self.packing.tops
        return Statement(
            "multi_node/released_classes",
            {
                "classes": table,
                "before": before,
                "without": without,
                "keys": [
                    {"from": name(key), "mask": mask}
                    for key, mask in zip(keys, self.packing.masks(node), strict=True)
                ],
                "suppressed": name(SUPPRESSED) if suppressed_keys else None,
                "entity": self.entity,
                "labels": labels,
                "columns": [
                    {
                        "item": numbers[quasi, level],
                        "root": numbers[quasi, tops[quasi]],
                        "bit": 1 << quasi,
                        "masks": self.packing.column_masks(quasi, level),
                    }
                    for quasi, level in enumerate(node.levels)
                ],
            },
            scans=rows,
        )

    def totals(self, released: Sequence[exp.Table]) -> Statement:
        """Sum leaves and logarithms of shared labels, two figures a column."""
        leaves = {"released": released, "columns": self._columns}
        return Statement("multi_node/label_totals", leaves)

    def merged(self, released: Sequence[exp.Table]) -> Statement:
        """Count the equivalence classes, the smallest, and the squares of their rows."""
        leaves = {"released": released, "columns": self._columns, "entity": self.entity}
        return Statement("multi_node/merged_classes", leaves)

    def class_sizes(self, released: Sequence[exp.Table]) -> Statement:
        """Count the equivalence classes of each size, and their rows."""
        leaves = {"released": released, "columns": self._columns, "entity": self.entity}
        return Statement("multi_node/class_sizes", leaves)


def released_at_nodes(
    of: SourceRows,
    nodes: Sequence[Node],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
) -> Iterator[Statement]:
    """Find out at which node each class is released, by the source's own rows.

    The first of `steps` becomes the table of all classes at the finest levels used, each other
    what the nodes before leave of it, and `failing` what the last one leaves.
    """
    yield of.classes(steps[0])
    for node, (before, after) in zip(nodes, pairwise([*steps, failing]), strict=True):
        codes = [
            name(class_code(i, r, at))
            for i, (r, at) in enumerate(zip(of.released, node.levels, strict=True))
        ]
        parts = [KeyPart(code, code) for code in codes]
        yield rest(after, before, FittingSet(parts, of.needed, of.class_rows))
    yield Statement(
        "multi_node/moved",
        {
            "moved": moved,
            "codes": [name(f"class_{i}") for i in range(len(of.released))],
            "levels": [name(f"level_{i}") for i in range(len(of.released))],
            "steps": [
                {"remainder": left, "levels": node.levels}
                for left, node in zip(steps[1:], nodes[1:], strict=True)
            ],
        },
    )


def suppress_cells(
    run: Session, encoded: Encoded, verdict: Verdict, local: Local, *, max_suppressed: int
) -> Finished:
    """Suppress cells until no outlier is left, and then the rows of failing classes if the policy says so.

    Guarantee: all classes released fit, and at most the allowed rows are suppressed. Else InfeasibleError is raised,
    with the number of rows that fail and the suppression that they would take.
    """
    node, roots, left_out = verdict.node, encoded.lattice.roots, encoded.stats.left_out
    max_suppressed -= left_out
    if not local.outliers:
        beside = replace(verdict.counts, suppressed=verdict.counts.suppressed - left_out)
        _check(run, beside, max_suppressed)
        none = (0,) * len(encoded.mapped)
        return Finished(
            LocalSuppression(node, SuppressedCells(local.tested, (), 0, none, none), roots)
        )
    found = _SuppressionRounds(run, encoded, node, local)
    failing, kept = found.patterns(found.failing, None), found.patterns(found.after, found.failing)
    counts = Counts(
        rows=encoded.stats.rows,
        classes=sum(each.classes for each in kept),
        failing=sum(each.classes for each in failing),
        suppressed=sum(each.rows for each in failing),
    )
    _check(run, counts, max_suppressed)
    sums = found.sums(kept, counts.suppressed)
    sums = replace(sums, suppressed=sums.suppressed + left_out)
    rows = [_rows_by_column(nodes, node) for nodes in ([*failing, *kept], kept)]
    suppressed = SuppressedCells(local.tested, local.outliers, found.rounds, *rows)
    return Finished(LocalSuppression(node, suppressed, roots), sums)


def _rows_by_column(nodes: Sequence[ReleasedNode], node: Node) -> tuple[int, ...]:
    """Return, for each column, the rows that are released at a coarser level than the node's."""
    return tuple(
        sum(each.rows for each in nodes if each.node.levels[at] > level)
        for at, level in enumerate(node.levels)
    )


def _check(run: Session, counts: Counts, allowed: int) -> None:
    """Raise InfeasibleError if classes fail, unless the policy suppresses and allows all their rows."""
    suppressed, repaired = counts.suppressed, run.policy.search.of(MuArgus).repair is Repair.RECORDS
    if counts.classes and (not suppressed or (repaired and suppressed <= allowed)):
        return
    models = joined([str(model) for model in run.policy.privacy])
    why = (
        f"mu-Argus does not promise k, and leaves {suppressed:,} rows in "
        f"{counts.failing} classes that fall short of {models}; it is not released"
    )
    share = f"{suppressed:,} of {counts.rows:,} rows ({suppressed / counts.rows:.4%})"
    limit = f"which the policy's suppression of {allowed:,} rows {'does not allow' if suppressed > allowed else 'allows'}"
    if not counts.classes:
        what = "No class would be left without them; ask for less, or use another algorithm"
    elif repaired:
        what = f"To suppress them takes {share}, {limit}"
    else:
        what = f"With search: {{repair: records}} they are suppressed: {share}, {limit}"
    raise InfeasibleError(f"{why}. {what}")


class _SuppressionRounds:
    """The classes of one node on packed keys, after rounds of suppression.

    `after` has all classes as they would be released, `failing` those of them that do not fit.
    """

    def __init__(self, run: Session, encoded: Encoded, node: Node, local: Local) -> None:
        self._run = run
        self._encoded = encoded
        self._node = node
        counting, packing = encoded.counting, encoded.counting.packing
        masks = [packing.column_masks(quasi, level) for quasi, level in enumerate(node.levels)]
        combinations = [each.columns for each in local.outliers]
        self._sql = CellSuppression(
            packing.keys, masks, combinations, counting.requirements, counting.class_rows
        )
        classes, outliers, self.after, self.failing = (
            run.scratch.table(what) for what in ("classes", "outliers", "after", "failing")
        )
        run.engine.execute(counting.roll_up(classes, encoded.table, node, rows=encoded.set_rows))
        run.engine.execute(self._sql.outliers(outliers, classes))
        self.rounds = 0
        while run.engine.fetch(self._sql.unresolved(outliers))[0][0]:
            resolved = run.scratch.create("outliers", self._sql.suppress, outliers)
            run.scratch.drop(outliers)
            outliers = resolved
            self.rounds += 1
        carried = [*packing.keys, *counting.carried]
        run.engine.execute(self._sql.classes_after(self.after, classes, outliers, carried=carried))
        run.engine.execute(self._sql.failing(self.failing, self.after))

    def patterns(self, classes: exp.Table, without: exp.Table | None) -> list[ReleasedNode]:
        """Return the released nodes with their rows and classes; the one without suppressed cells is last."""
        roots = self._encoded.lattice.roots
        nodes = []
        statement = self._sql.suppressed_columns(classes, without)
        for suppressed, many, rows in self._run.engine.fetch(statement):
            bits = int(str(suppressed))
            levels = tuple(
                root if bits >> at & 1 else level
                for at, (level, root) in enumerate(zip(self._node.levels, roots, strict=True))
            )
            nodes.append(ReleasedNode(Node(levels), int(str(rows)), int(str(many))))
        return nodes[1:] + nodes[:1] if nodes[:1] and nodes[0].node == self._node else nodes

    def sums(self, kept: list[ReleasedNode], suppressed: int) -> Sums:
        """Return sums over released classes, by their labels; suppressed rows count at the node itself."""
        found = ReleasedClasses(self._run, self._encoded)
        released = self._run.scratch.create(
            "released_classes",
            found.labels_of.released,
            self.after,
            self.failing,
            found.labels,
            node=self._node,
            suppressed_keys=self._sql.keys,
        )
        at_node = [] if kept[-1].node == self._node else [ReleasedNode(self._node, 0, 0)]
        failing = replace(self._encoded, table=self.failing, set_rows=suppressed)
        return found.sums(
            [released], released_nodes=[*kept, *at_node], failing=failing, suppressed=suppressed
        )
