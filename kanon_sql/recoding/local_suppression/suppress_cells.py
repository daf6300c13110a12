"""Local suppression, mu-Argus's last steps: suppress cells in rounds, then check that all classes fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.counting.plans.recodings import LocalSuppression, SuppressedCells
from kanon_sql.errors import InfeasibleError
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import Counts, ReleasedNode, Sums
from kanon_sql.policy.search_options import MuArgus, Repair
from kanon_sql.recoding.local_suppression.suppress_cells_sql import CellSuppression
from kanon_sql.recoding.measured import Finished
from kanon_sql.recoding.multi_node.released_classes import ReleasedClasses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.checker import Verdict
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import Local
    from kanon_sql.counting.run.session import Session


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
