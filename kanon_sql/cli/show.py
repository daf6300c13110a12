"""How results are shown: tables on a terminal, one JSON object where that was asked for."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from rich.table import Table

from kanon_sql.cli.plain import (
    cell,
    say,
    say_json,
    show_table,
)
from kanon_sql.documents.text import counted
from kanon_sql.engines.capabilities import ENGINES, TOLD
from kanon_sql.lattice.search_step import SearchStep
from kanon_sql.plans.recodings import (
    Blanked,
    Boxes,
    Enforced,
    FullDomain,
    Layers,
    Parts,
)
from kanon_sql.policy.cut_steps import CutStep
from kanon_sql.policy.model import Algorithm
from kanon_sql.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kanon_sql.plans.plan import Plan
    from kanon_sql.plans.recodings import Blanks, Layer
    from kanon_sql.plans.set_quality import SetFigures
    from kanon_sql.release.anonymize import Release
    from kanon_sql.release.clean import Leftover
    from kanon_sql.release.stage import Verification


ENDED = {
    Algorithm.MONDRIAN: "every box as small as cuts on single columns make it",
    Algorithm.TOP_DOWN: "nothing more can be specialized with a gain",
    Algorithm.BOTTOM_UP: "generalized until all classes were large enough",
    Algorithm.K_OPTIMIZE: "proven optimal",
}
"""What a search without a lattice came to."""

MOST_LISTED = 12
"""Nodes of a plan, or combinations of columns, that are listed each; of more nodes the first and last."""


def installed(library: str) -> str | None:
    """Give the version of an engine's library, without importing it."""
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return None


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "any" if value is None else str(value)


def told(found: Verification) -> str:
    whole = f"{found.rows} rows in {found.classes} classes, the smallest has {found.smallest_class}"
    return "; ".join([whole, *(over(columns, each) for columns, each in found.over.items())])


def show_linked(found: Verification) -> None:
    """Warn of each column that joins the rows of a person."""
    for each in found.linked:
        say(f"warning: {each}")


def over(columns: Iterable[str], found: Verification | SetFigures) -> str:
    """Tell the classes over one set of quasi-identifiers of several."""
    classes = f"{found.classes} classes, the smallest has {found.smallest_class}"
    return f"over {', '.join(columns)}: {classes}"


def bounds(found: Verification, k: int, least: dict[str, int], nulls: str) -> str:
    """Say what each bound asked, what was found, and how many classes fall short of any."""
    if found.rows == 0:
        return "a table without rows passes nothing"
    words = SensitiveNulls(nulls).words
    spread = [
        f"the least diverse has {count} distinct {name}{words}, l is {least[name]}"
        for name, count in found.distinct.items()
    ]
    short = f"{found.short_classes} classes fall short"
    return "; ".join([f"k is {k}", *spread, short])


def show_plan(made: Plan) -> None:
    say("Recoding")
    show_recoding(made)
    share = made.suppressed_rows / made.source_rows
    asked = " and ".join(made.privacy)
    classes = f"{made.classes} classes, the smallest has {made.smallest_class}"
    if made.over:
        say(asked)
    say(f"over all: {classes}" if made.over else f"{asked}: {classes}")
    for each in made.over:
        say(over(each.columns, each))
    say(
        f"{made.suppressed_rows} of {made.source_rows} rows suppressed ({share:.2%}; "
        f"{made.max_suppressed} allowed)"
    )
    for line in _searched(made):
        say(line)
    way = [each for each in made.steps if isinstance(each, SearchStep)]
    for line in _way(made.names, way):
        say(f"  {line}")
    show_cut_steps([each for each in made.steps if isinstance(each, CutStep)])
    match made.recoding:
        case Enforced(least=least):
            more = made.suppressed_rows - way[-1].short_rows if way else 0
            say(f"  and a class of {more} rows, so that {least} are suppressed")
        case Blanked(blanks=blanks):
            show_cells(blanks, made.names)
        case FullDomain() | Layers() | Boxes() | Parts():
            pass
        case _:
            assert_never(made.recoding)
    show_warnings(made)


def _searched(made: Plan) -> Iterator[str]:
    """Say what the recoding costs, whether any costs less, and what it took to find it."""
    cost = ", ".join(f"{part:.6g}" for part in made.cost)
    if made.lattice_nodes is None:
        proven = ENDED[Algorithm(made.algorithm)]
        if "lower_bound" in made.figures and not made.optimal:
            bound = made.figures["lower_bound"]
            proven = f"the best found in the time limit; none costs less than {bound:.6g}"
        elif made.checks_in_time is not None:
            proven = "cut as often as the time limit allowed"
    elif made.optimal:
        proven = "proven optimal"
    elif made.checks_in_time is not None:
        proven = "the best found in the time limit, not proven optimal"
    else:
        proven = "not proven optimal"
    yield f"{made.metric} {cost}, {proven}"
    if made.lattice_nodes is None:
        yield f"cut by {made.algorithm}"
        return
    took = "" if made.checks is None else f"{counted(made.checks, 'check')} in "
    yield f"searched by {made.algorithm}: {took}a lattice of {counted(made.lattice_nodes, 'node')}"
    if made.minimal is not None:
        yield f"{counted(made.minimal, 'minimal node')}, which plan --json lists"


def _way(names: Sequence[str], steps: Sequence[SearchStep]) -> Iterator[str]:
    """Tell the steps of a search that goes one way: the column raised, and what it came to."""
    if steps:
        yield f"at first {counted(steps[0].short_rows, 'row')} in classes too small"
    for before, step in pairwise(steps):
        if step.column is not None:
            at = names.index(step.column)
            values = f"{before.distinct[at]} values, now {step.distinct[at]}"
            short = counted(step.short_rows, "row")
            yield f"{step.column} to level {step.level} ({values}): {short} in classes too small"


def show_cut_steps(steps: Sequence[CutStep]) -> None:
    """Tell the steps of a search over parts, of many the first and the last."""
    half = MOST_LISTED // 2
    skipped = range(half, len(steps) - half) if len(steps) > MOST_LISTED else range(0)
    for number, step in enumerate(steps):
        if number not in skipped:
            say(f"  {_cut_told(number + 1, step)}")
        elif number == skipped.start:
            say(f"  and {counted(len(skipped), 'step')} more, which the plan file has")


def _cut_told(number: int, step: CutStep) -> str:
    """Tell of one part that was replaced by its children, or of children by their node; no values."""
    where = f"places {step.low} to {step.high}"
    level = "" if step.level is None else f", level {step.level}"
    return (
        f"{number}. {step.column}, {where}{level}: information {step.information:.4f}, anonymity "
        f"{step.anonymity:g}, score {step.score:.4g}; smallest {', '.join(map(str, step.smallest))}"
    )


def show_cells(blanks: Blanks, names: Sequence[str]) -> None:
    """Tell which combinations were tested, which had outliers, and which cells these cost."""
    told = [f"  {blanks.tested} combinations of 2 and 3 columns tested"]
    most = sorted(blanks.outliers, key=lambda each: -each.rows)[:MOST_LISTED]
    for each in most:
        columns = ", ".join(names[at] for at in each.columns)
        told.append(f"  {columns}: {each.values} values are too rare, in {each.rows} rows")
    if len(most) < len(blanks.outliers):
        more = len(blanks.outliers) - len(most)
        told.append(f"  and {more} more in fewer rows each; the plan file has them all")
    lost = zip(names, blanks.rows, blanks.released, strict=True)
    told += [
        f"  {name} blanked in {rows} rows, of which {released} are released"
        for name, rows, released in lost
        if rows
    ]
    for line in told:
        say(line)


def show_recoding(made: Plan) -> None:
    """Show the levels of a plan, or its nodes, on as many columns as they take."""
    match made.recoding:
        case Layers(layers=layers):
            show_table(layers_table(layers))
            say(f"levels of {', '.join(made.names)}; what fits at no node is left to the next")
        case Boxes(boxes=boxes, depth=depth):
            say(f"{counted(boxes, 'box')}, cut {counted(depth, 'time')} at most")
        case Parts(parts=parts):
            table = Table()
            table.add_column("quasi-identifier")
            table.add_column("parts", justify="right")
            for name, each in zip(made.names, parts, strict=True):
                table.add_row(cell(name), str(len(each)))
            show_table(table)
        case FullDomain() | Enforced() | Blanked():
            show_table(_levels(made))
        case _:
            assert_never(made.recoding)


def _levels(made: Plan) -> Table:
    table = Table()
    table.add_column("quasi-identifier")
    table.add_column("level", justify="right")
    for name, level in made.levels.items():
        table.add_row(cell(name), f"{level} of {made.heights[name]}")
    return table


LAST_LAYERS = 2


def layers_table(layers: Sequence[Layer]) -> Table:
    """Show the nodes of a recoding in order, each with what fits at none before it."""
    table = Table()
    for heading in ("node", "levels", "rows", "classes"):
        table.add_column(heading, justify="left" if heading == "levels" else "right")
    gap = range(MOST_LISTED - LAST_LAYERS - 1, len(layers) - LAST_LAYERS)
    between = [layers[at] for at in gap] if len(layers) > MOST_LISTED else []
    for number, layer in enumerate(layers):
        if between and number == gap.start:
            sums = (sum(each.rows for each in between), sum(each.classes for each in between))
            table.add_row(f"{gap.start + 1} to {gap.stop}", "..", *map(str, sums))
        if not between or number not in gap:
            levels = ",".join(map(str, layer.node.levels))
            table.add_row(str(number + 1), levels, str(layer.rows), str(layer.classes))
    return table


def show_warnings(made: Plan, *, err: bool = False) -> None:
    """Print warnings, beside standard output where that is something to be read by a machine."""
    for warning in made.warnings:
        say(f"warning: {warning}", error=err)


def show_release(made: Release, *, as_json: bool) -> None:
    if as_json:
        say_json(made.summary())
        return
    found = made.verification
    place = "" if made.place is None else _shown(made.place)
    seconds = sum(made.seconds.values())
    if made.new is not None:
        what = made.new.document(found.rows)
        say(
            f"{what['new_rows']} new rows: {found.rows} released, {what['held_back']} have no place in "
            f"the recoding and are held back, {what['suppressed']} in classes that do not fit"
        )
    say(f"verified: {told(found)}")
    show_linked(found)
    say(f"released to {place} in {seconds:.2f} s")


def _shown(place: str) -> str:
    """Give a path below the current folder as it would be typed there."""
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place


def show_leftovers(found: list[Leftover], *, dry_run: bool, as_json: bool) -> None:
    """Say of each leftover whether it was removed, and why it was not."""
    if as_json:
        listed = [asdict(each) for each in found]
        told = {"status": "ok", "dry_run": dry_run, "leftovers": listed}
        say_json(told)
        return
    removed = "would remove" if dry_run else "removed"
    for each in found:
        say(f"{removed if each.removed else 'kept'} {each.place}: {each.why}")
    many = sum(each.removed for each in found)
    say(f"{removed} {many} {'leftover' if many == 1 else 'leftovers'} of killed runs")


def show_engines() -> None:
    """Print the facts of every engine, and whether its library is here."""
    table = Table()
    table.add_column("engine")
    for facts in ENGINES:
        table.add_column(facts.name)
    table.add_row(
        "installed",
        *(installed(each.library) or "no" for each in ENGINES),
    )
    for field, words in TOLD.items():
        table.add_row(words, *(_fact(getattr(each, field)) for each in ENGINES))
    show_table(table)
    for each in ENGINES:
        if each.extra is not None and installed(each.library) is None:
            say(f"{each.name}: pip install 'kanon-sql[{each.extra}]'")
