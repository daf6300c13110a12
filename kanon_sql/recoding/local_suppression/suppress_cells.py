"""mu-Argus's last steps: cells blanked in rounds of SQL, and what is then released, or is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError
from kanon_sql.lattice.node import Node
from kanon_sql.lattice.statistics import Counts, Sums
from kanon_sql.plans.recodings import Blanked, Blanks, Layer
from kanon_sql.policy.search_options import MuArgus, Repair
from kanon_sql.recoding.local_suppression.suppress_cells_sql import Blanking, DisplayedClasses
from kanon_sql.recoding.multi_node.released_classes import ReleasedClasses
from kanon_sql.recoding.quality import Finished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.checker import Verdict
    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.result import Local
    from kanon_sql.run.session import Session


def blank_cells(
    run: Session, encoded: Encoded, verdict: Verdict, local: Local, *, max_suppressed: int
) -> Finished:
    """Blank cells until no outlier is left, and suppress what still falls short if that is asked for.

    Guarantee: what is returned leaves classes that all fit, and suppresses at most MaxSup rows; else
    InfeasibleError tells how many rows fall short, and what suppressing them would take.
    """
    node, tops = verdict.node, encoded.lattice.tops
    if not local.outliers:
        _hold(run, verdict.counts, max_suppressed)
        none = (0,) * len(encoded.mapped)
        return Finished(Blanked(node, Blanks(local.tested, (), 0, none, none), tops))
    blanker = _Blanker(run, encoded, node, local)
    rounds = blanker.blank()
    short, kept = blanker.settle()
    counts = Counts(
        rows=encoded.facts.rows,
        classes=sum(layer.classes for layer in kept),
        failing=sum(layer.classes for layer in short),
        suppressed=sum(layer.rows for layer in short),
    )
    _hold(run, counts, max_suppressed)
    sums = blanker.sums(kept, counts.suppressed)
    rows = [_blanked(layers, node) for layers in ([*short, *kept], kept)]
    return Finished(Blanked(node, Blanks(local.tested, local.outliers, rounds, *rows), tops), sums)


def _blanked(layers: Sequence[Layer], node: Node) -> tuple[int, ...]:
    """Count, a column, the rows that are shown at a coarser level than the node's."""
    return tuple(
        sum(layer.rows for layer in layers if layer.node.levels[at] > level)
        for at, level in enumerate(node.levels)
    )


def _hold(run: Session, counts: Counts, most: int) -> None:
    """Refuse what falls short, unless it is to be suppressed and may be."""
    gone, repaired = counts.suppressed, run.policy.search.of(MuArgus).repair is Repair.RECORDS
    if counts.classes and (not gone or (repaired and gone <= most)):
        return
    models = " and ".join(str(model) for model in run.policy.privacy)
    told = (
        f"mu-Argus does not promise k, and leaves {gone} rows in "
        f"{counts.failing} classes that fall short of {models}; it is not released"
    )
    share = f"{gone} of {counts.rows} rows ({gone / counts.rows:.4%})"
    allowed = f"which the policy's suppression of {most} rows {'does not allow' if gone > most else 'allows'}"
    if not counts.classes:
        what = "No class would be left without them; ask for less, or use another algorithm"
    elif repaired:
        what = f"To suppress them takes {share}, {allowed}"
    else:
        what = f"With search: {{repair: records}} they are suppressed: {share}, {allowed}"
    raise InfeasibleError(f"{told}. {what}")


class _Blanker:
    """One node's classes on packed keys: what they are, which cells they lose, how they are shown."""

    def __init__(self, run: Session, encoded: Encoded, node: Node, local: Local) -> None:
        self._run = run
        self._encoded = encoded
        self._node = node
        counting, packing = encoded.counting, encoded.counting.packing
        places = [packing.column_masks(quasi, level) for quasi, level in enumerate(node.levels)]
        combined = [each.columns for each in local.outliers]
        self._blanking = Blanking(
            packing.keys, places, combined, counting.requirements, counting.class_rows
        )
        self._classes, self._outliers = (run.scratch.table(n) for n in ("classes", "outliers"))
        self._shown = DisplayedClasses(run.scratch.table("shown"), packing.keys)
        self._short = run.scratch.table("short")
        run.engine.execute(counting.roll_up(self._classes, encoded.table, node, rows=encoded.held))

    def blank(self) -> int:
        """Blank a column of each class again and again; gives how many rounds it took."""
        run, rounds = self._run, 0
        run.engine.execute(self._blanking.outliers(self._outliers, self._classes))
        while run.engine.fetch(self._blanking.unresolved(self._outliers))[0][0]:
            after = run.scratch.table("blanks")
            run.engine.execute(self._blanking.blank(after, self._outliers))
            run.scratch.drop(self._outliers)
            self._outliers = after
            rounds += 1
        return rounds

    def settle(self) -> tuple[list[Layer], list[Layer]]:
        """Part the classes that fall short as they are shown from those that are released."""
        run, counting = self._run, self._encoded.counting
        held = [*counting.packing.keys, *counting.held]
        run.engine.execute(
            self._blanking.shown(self._shown, self._classes, self._outliers, held=held)
        )
        run.engine.execute(
            self._shown.short(self._short, counting.requirements, counting.class_rows)
        )
        return self._told(self._short, None), self._told(self._shown.table, self._short)

    def _told(self, table: exp.Table, without: exp.Table | None) -> list[Layer]:
        """Give rows and classes by the node that they are shown at, the one without blanks last."""
        tops = self._encoded.lattice.tops
        layers = []
        for blanked, classes, rows in self._run.engine.fetch(self._shown.patterns(table, without)):
            bits = int(str(blanked))
            levels = tuple(
                top if bits >> at & 1 else level
                for at, (level, top) in enumerate(zip(self._node.levels, tops, strict=True))
            )
            layers.append(Layer(Node(levels), int(str(rows)), int(str(classes))))
        return layers[1:] + layers[:1] if layers[:1] and layers[0].node == self._node else layers

    def sums(self, kept: list[Layer], suppressed: int) -> Sums:
        """Count what is released, as a reader sees it; what is suppressed lies at the node itself."""
        run, seen = self._run, ReleasedClasses(self._run, self._encoded)
        released = run.scratch.table("shown_classes")
        run.engine.execute(
            seen.labelled.shown(
                released, self._shown.table, self._short, seen.labels,
                node=self._node, keys=self._shown.keys,
            )
        )  # fmt: skip
        at_node = [] if kept[-1].node == self._node else [Layer(self._node, 0, 0)]
        gone = replace(self._encoded, table=self._short, held=suppressed)
        return seen.sums([released], layers=[*kept, *at_node], gone=gone, suppressed=suppressed)
