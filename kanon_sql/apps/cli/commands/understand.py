"""The commands that explain and compare: `explain`, `quality`, `compare`, `algorithms`, `diff` and `explore`."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import console, options, schema_of_tables
from kanon_sql.apps.cli.console import (
    STEPS,
    print_json,
    print_line,
    print_table,
    print_wrapped,
    show_progress,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import print_quality, print_recoding, print_suppressed_cells
from kanon_sql.apps.cli.write import PLAN_START, check_free, check_writable, write
from kanon_sql.apps.explorer.exploration import SavedFiles, open_exploration
from kanon_sql.apps.explorer.serve import opened_pages, serve
from kanon_sql.apps.python.compare_searches import ALL, DEFAULT
from kanon_sql.base.documents.text import counted, printable
from kanon_sql.counting.plans.plan import boundaries_beside
from kanon_sql.errors import Fault, InputError, SourceError
from kanon_sql.evidence.explanation.explanation_text import PartTable, parts_of
from kanon_sql.evidence.explanation.lattice_picture import (
    LATTICE_FILES,
    STARTS,
    kind_of,
    nodes_written,
)
from kanon_sql.evidence.explanation.regions_explanation import RegionsExplanation
from kanon_sql.evidence.release_quality.measures import OF_TWO_COLUMNS
from kanon_sql.policy.metrics.column_metrics import Aggregate
from kanon_sql.policy.metrics.registry import METRICS, SUMMARIZED
from kanon_sql.policy.search import Recode, Search
from kanon_sql.policy.search_options import Algorithm, Among, Samarati, default_options, options_of
from kanon_sql.recoding.planning.make_plan import MOST_NODES
from kanon_sql.recoding.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.apps.python.compare_searches import Compared, Comparison
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.explanation.explanation import Explanation


SAME_START = 12
"""How many first characters a file must share with the new lattice to be replaced; no table does."""


WITHOUT_SOURCE = "explain counts in the source; without it, report measures a release, and kanon-sql diff compares two plans"


@click.command("explain", cls=Command)
@click.argument("plan")
@options.source
@options.option(
    "--lattice FILE",
    f"Write the lattice to this file: {', '.join(LATTICE_FILES)}.",
)
@options.option("--replace", "Replace an existing lattice file.")
@options.option("--all-k", "Search regions under k from 2 to 100.")
@options.time_limit("Time limit of all searches together.")
@options.json
@options.engine
def explain_command(
    *, lattice: str | None, replace: bool, as_json: bool, **values: options.Values
) -> None:
    """Explain a plan, and what other limits would cost.

    Shows which requirements are active, what each column costs, why neighboring nodes were not chosen, and the
    least loss for other limits. Reads only.
    """
    kind = None if lattice is None else kind_of(lattice)
    if lattice is not None and kind is not None:
        if not replace:
            check_free(Path(lattice))
        check_writable(Path(lattice), starts=STARTS[kind])
    try:
        with show_progress() as progress:
            explanation = kanon_sql.explain(lattice=kind, progress=progress, **values)
    except SourceError as error:
        if "there is no such" in str(error):
            console.print_error(WITHOUT_SOURCE)
        raise
    if isinstance(explanation, RegionsExplanation):
        if as_json:
            print_json(explanation.document())
        else:
            _print_explanation(explanation)
        return
    if lattice is not None and kind is not None:
        text = kanon_sql.lattice_text(explanation, kind)
        write(Path(lattice), text, start=text[:SAME_START])
    if as_json:
        print_json({**explanation.document(), "lattice": lattice})
        return
    _print_explanation(explanation)
    if lattice is not None and kind is not None:
        print_line()
        print_line(f"wrote {lattice}: {nodes_written(explanation, kind)}")


def _print_explanation(explanation: Explanation | RegionsExplanation) -> None:
    for part in parts_of(explanation):
        if isinstance(part, str):
            print_line(part)
        elif isinstance(part, PartTable):
            sides: dict[str, Side] = {
                heading: "left" if at < part.texts else "right"
                for at, heading in enumerate(part.headings)
            }
            print_table(sides, part.rows, wrap=part.texts == len(part.headings))
        else:
            print_recoding(part)
            print_suppressed_cells(part)


WITHOUT, QUERIES = "Without a plan or policy", "COUNT queries"


@click.command("quality", cls=Command)
@click.argument("release", metavar="TABLE_OR_FILE")
@options.option("--plan PLAN", "Plan of the release.")
@options.option("--policy POLICY", "Policy of the release, if no plan names it.")
@options.source
@options.quasi(group=WITHOUT)
@options.option("-k K", "k, to compare class sizes with.", type=click.IntRange(1), group=WITHOUT)
@options.option(
    "--class COLUMN",
    "Column that readers of the release predict.",
    name="class_column",
)
@options.option(
    "--workload N",
    "Draw so many COUNT queries, and measure their errors.",
    type=click.IntRange(0),
    default=0,
    group=QUERIES,
)
@options.option(
    "--seed N", "Seed of --workload.", type=int, default=0, show_default=True, group=QUERIES
)
@options.option(
    "--queries FILE",
    "COUNT queries: a YAML file with a list `queries` of mappings of columns to conditions.",
    group=QUERIES,
)
@options.option(
    "--database DATABASE",
    "Database of the tables: a DuckDB file or an address.",
    group=WITHOUT,
)
@options.json
@options.engine
def quality_command(*, quasi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Measure a release against its source.

    Without a plan or policy, give --source and --quasi.
    """
    names = options.read_names(quasi) if quasi else None
    with show_progress("measuring the release"):
        found = kanon_sql.quality(quasi=names, **values)
    if as_json:
        print_json({"status": "ok", **found.summary()})
        return
    print_quality(found)


FEASIBLE = {
    "feasible": "yes",
    "infeasible": "no",
    "out_of_time": "none in time",
    "error": "refused",
}
NOTHING = ["-" for _ in (*OF_TWO_COLUMNS, "suppressed", *SUMMARIZED)]
NARROW = ("searched by", "loss", "counts", "suppressed", "classes", "seconds", "proven", "recoding")
WIDTHS = (13, 6, 6, 10, 7, 7, 7)
"""The widths of all columns but the last; a longer number shifts the columns after it."""
WIDTH = 80
INTERRUPTED = 130


@click.command("compare", cls=Command)
@click.argument("policy")
@options.option(
    "--algorithms NAMES",
    f"Names separated by commas, or {ALL}: see kanon-sql algorithms.",
    multiple=True,
    default=(",".join(DEFAULT),),
    show_default=True,
)
@options.option(
    "--sample N",
    "Search on a sample of N rows; of people, on all rows of some.",
    type=click.IntRange(1),
)
@options.time_limit("Time limit of each search.")
@options.source
@options.limits
@options.option("--wide", "Print all measures at the end, in more than 80 characters.")
@options.json
@options.engine
def compare_command(
    *, algorithms: tuple[str, ...], wide: bool, as_json: bool, **values: options.Values
) -> None:
    """Search with several algorithms and compare what they find.

    Reads only.
    """
    names = options.read_names(algorithms, "--algorithms")
    found: list[Compared] = []
    printer = None if wide or as_json else _Rows()
    try:
        with show_progress() as progress:

            def on_found(each: Compared) -> None:
                found.append(each)
                if printer is not None:
                    printer.add(each)

            comparison = kanon_sql.compare(
                algorithms=names, progress=progress, on_found=on_found, **values
            )
    except KeyboardInterrupt:
        _print_interrupted(found, wide=wide, as_json=as_json)
        sys.exit(INTERRUPTED)
    if as_json:
        print_json(comparison.summary())
        return
    if wide:
        _print_table(comparison.searches)
    _print_below(comparison)


class _Rows:
    """Prints a row when a search ends: on a terminal above the progress, otherwise to the original output."""

    def __init__(self) -> None:
        self._out: TextIO | None = None if sys.stdout.isatty() else sys.stdout
        self._begun = False

    def add(self, each: Compared) -> None:
        if not self._begun:
            self._begun = True
            self._print(_row(NARROW))
        self._print(_row(_narrow(each)))

    def _print(self, text: str) -> None:
        # While rich shows progress on a terminal, it replaces sys.stdout to print above the progress.
        print(text, file=self._out or sys.stdout, flush=True)


def _row(cells: Sequence[str]) -> str:
    """Format a row of at most 80 characters; the last cell is wrapped below itself."""
    aligned = [
        cell.ljust(width) if at in {0, 6} else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells[:-1], WIDTHS, strict=True))
    ]
    before = "  ".join(aligned) + "  "
    left = max(WIDTH - len(before), 7)
    last = printable(cells[-1])
    counts = " " in last and last[0].isdigit()
    between = " " if counts else ","  # a number and its noun, or the levels of a node
    spaced = last.replace(between, f"{between}\0")
    lines = [""]
    for part in spaced.split("\0"):
        if lines[-1] and len(lines[-1]) + len(part) > left:
            lines.append("")
        lines[-1] += part
    return f"\n{' ' * len(before)}".join([before + lines[0], *lines[1:]]).rstrip()


def _narrow(each: Compared) -> tuple[str, ...]:
    seconds = f"{each.seconds:.2f}"
    if each.plan is None:
        return (each.searched_by, "-", "-", "-", "-", seconds, "-", FEASIBLE[each.status])
    return (
        each.searched_by,
        "-" if each.ncp is None else f"{each.ncp:.4f}",
        _percent(None if each.two_columns is None else each.two_columns.count_error),
        f"{each.plan.suppressed_rows:,}",
        f"{each.plan.classes:,}",
        seconds,
        _proven(each),
        each.recoded,
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _proven(each: Compared) -> str:
    if each.plan is None:
        return "-"
    return "yes" if each.plan.optimal else "no" if each.plan.checks_in_time is None else "time up"


def _print_below(comparison: Comparison) -> None:
    """Print the limits that all searches share, and why some searches found nothing."""
    lattice = ""
    if comparison.classes is not None and comparison.lattice_nodes is not None:
        tuples = counted(comparison.classes, "distinct tuple")
        lattice = (
            f"; {tuples}, {counted(comparison.lattice_nodes, 'node')} of one level a column each"
        )
    sampled = ""
    if comparison.sampled_from is not None:
        sampled = f" (a sample of {comparison.sampled_from:,})"
    print_wrapped(
        f"{' and '.join(comparison.privacy)}; suppression limit {comparison.max_suppressed:,} of "
        f"{counted(comparison.rows, 'row')}{sampled}; metric {comparison.metric}{lattice}"
    )
    if comparison.names:
        print_wrapped(f"a node lists the levels of {', '.join(comparison.names)}")
    print_wrapped(
        "loss: information loss, mean over cells (NCP); counts: median error of counts by two columns; seconds: of the search"
    )
    _print_reasons(comparison.searches)
    print_wrapped("to use one, write its search: in the policy, then run: kanon-sql plan POLICY")


def _print_reasons(searches: Sequence[Compared]) -> None:
    for each in searches:
        if each.plan is None:
            print_wrapped(f"{each.searched_by}: {each.error}")


def _print_interrupted(found: Sequence[Compared], *, wide: bool, as_json: bool) -> None:
    """Print the searches that had ended before the interrupt, unless they were printed already."""
    text = f"interrupted; searches that had ended: {len(found)}"
    if as_json:
        searches = [each.summary() for each in found]
        print_json({"status": "interrupted", "error": text, "searches": searches})
    elif wide and found:
        _print_table(found)
    if not as_json:
        _print_reasons(found)
    print_line(f"error: {text}", error=True)


def _print_table(searches: Sequence[Compared]) -> None:
    texts = ("searched by", "released at", "feasible", "proven")
    numbers = (
        "checks",
        "statements",
        "seconds",
        "loss",
        *(m.name for m in OF_TWO_COLUMNS),
        "suppressed",
    )
    columns: dict[str, Side] = {
        **dict.fromkeys(texts, "left"),
        **dict.fromkeys((*numbers, *(m.name for m in SUMMARIZED)), "right"),
    }
    print_table(columns, map(_compared_cells, searches), borders=False)


def _compared_cells(each: Compared) -> list[str]:
    took = [str(each.statements), f"{each.seconds:.2f}"]
    if each.plan is None:
        return [each.searched_by, "-", FEASIBLE[each.status], "-", "-", *took, "-", *NOTHING]
    plan = each.plan
    quality = [
        metric.text(plan.figures[metric.key]) if metric.key in plan.figures else "-"
        for metric in SUMMARIZED
    ]
    return [
        each.searched_by,
        each.recoded,
        FEASIBLE[each.status],
        _proven(each),
        "-" if plan.checks is None else f"{plan.checks:,}",
        *took,
        "-" if each.ncp is None else f"{each.ncp:.4f}",
        *_of_two_columns(each),
        f"{plan.suppressed_rows:,}",
        *quality,
    ]


def _of_two_columns(each: Compared) -> list[str]:
    if each.two_columns is None:
        return ["-" for _ in OF_TWO_COLUMNS]
    found = each.two_columns.summary()
    values = [found[measure.key] for measure in OF_TWO_COLUMNS]
    return ["-" if value is None else f"{value:.4f}" for value in values]


ADVICE = """\
Which one? optimal, unless the lattice is too large to search in full: then lightning with a time_limit.
The others are algorithms of the literature; `kanon-sql compare` shows what each finds for a policy.
Set one in the policy (search: {algorithm: NAME, OPTION: ...}), or by --algorithm of plan and anonymize.
"""

OWN_RECODING = [each for each in Algorithm if default_options(each).own_recoding]
COMMON = {
    "metric": " | ".join(METRICS),
    "aggregate": f"{' | '.join(Aggregate)}; for metric: loss",
    "suppressed": "counted | ignored; for metric: entropy or discernibility",
    "recoding": f"{' | '.join(Recode)}; not for {', '.join(OWN_RECODING)}",
    "max_nodes": f"most nodes of recoding: local or cells; by default {Search().max_nodes}",
    "time_limit": "such as 60s, 5m or 500ms; then the best recoding found is used, without proof",
}
"""The options of all algorithms, with their values."""


@click.command("algorithms", cls=Command)
@options.json
def algorithms_command(*, as_json: bool) -> None:
    """List the search algorithms: guarantees, costs, options."""
    if as_json:
        listed = [_summary(each) for each in ALGORITHMS]
        print_json({"status": "ok", "algorithms": listed, "options_of_all": COMMON})
        return
    click.echo(ADVICE)
    for each in ALGORITHMS:
        click.echo("\n".join(_algorithm_lines(each)) + "\n")
    click.echo("options of all algorithms")
    for name, values in COMMON.items():
        click.echo(f"  {name}: {values}")


def _summary(algorithm: Algorithm) -> dict[str, object]:
    """Return the description of an algorithm for JSON."""
    described = ALGORITHMS[algorithm]
    return {
        "name": str(algorithm),
        "default": algorithm is Search().algorithm,
        "promises": _promises(algorithm),
        "cost": described.cost,
        "paper": described.paper,
        "only_monotone_models": described.prunes,
        "several_sets": default_options(algorithm).several_sets,
        "most_nodes": MOST_NODES if described.enumerates else None,
        "options": {name: each.shape.written for name, each in options_of(algorithm).items()},
    }


def _promises(algorithm: Algorithm) -> list[str]:
    """List the guarantees, each with the option that it depends on."""
    described, search = ALGORITHMS[algorithm], Search(default_options(algorithm))
    found = {str(described.promises(search)): ""}
    if isinstance(search.options, Samarati):
        for among in Among:
            other = described.promises(Search(replace(search.options, among=among)))
            found.setdefault(str(other), f" (among: {among})")
    return [f"{promise}{where}" for promise, where in found.items()]


def _algorithm_lines(algorithm: Algorithm) -> Iterator[str]:
    described = ALGORITHMS[algorithm]
    yield f"{algorithm} (the default)" if algorithm is Search().algorithm else str(algorithm)
    yield f"  guarantees: {'; '.join(_promises(algorithm))}"
    yield f"  cost: {described.cost}"
    yield f"  reference: {described.paper}"
    models = "monotone privacy models only" if described.prunes else "any privacy model"
    one = not default_options(algorithm).several_sets
    sets = f"{'one set' if one else 'several sets'} of quasi-identifiers"
    size = f"up to {MOST_NODES:,} nodes" if described.enumerates else "a lattice of any size"
    yield f"  supports: {models}, {sets}, {size}"
    for name, each in options_of(algorithm).items():
        yield f"  {name}: {each.shape.written}"


STANDARD_INPUT = "-"
WEAKER = 5
"""The exit code of `--fail-if-weaker`, which no error has."""


@click.command("diff", cls=Command)
@click.argument("old")
@click.argument("new")
@options.json
@options.option(
    "--exit-code", "Exit with 1 if the plans differ, as git diff does, and with 2 on errors."
)
@options.option(
    "--fail-if-weaker",
    "Exit with 5 if privacy is weaker, or may be.",
)
def diff_command(
    old: str, new: str, *, as_json: bool, exit_code: bool, fail_if_weaker: bool
) -> None:
    """Print what changed between two plans, for a pull request.

    Of two plan files one may be - for standard input. Policies beside them are compared, too.
    """
    if old == new == STANDARD_INPUT:
        what = "is standard input, which can be only one of the two plans"
        raise InputError(STANDARD_INPUT, [Fault("", what)])
    if schema_of_tables.is_schema_plan(old) and schema_of_tables.is_schema_plan(new):
        schema_of_tables.diff(old, new, as_json=as_json, exit_code=exit_code)
        return
    difference = kanon_sql.diff(_read_plan(old), _read_plan(new))
    if as_json:
        print_json({"status": "ok", **difference.document()})
    else:
        click.echo(difference.markdown, nl=False)
    if fail_if_weaker and difference.may_weaken:
        sys.exit(WEAKER)
    if exit_code and not difference.same:
        sys.exit(1)


def _read_plan(plan: str) -> str | kanon_sql.Plan:
    """Read a plan from standard input; return a path unchanged, as `kanon_sql.diff` opens it."""
    if plan != STANDARD_INPUT:
        return plan
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("standard input", [Fault("", "is not UTF-8 text")]) from error
    return kanon_sql.Plan.from_yaml(text, "standard input")


@click.command("explore", cls=Command)
@click.argument("policy")
@options.option(
    "-o, --output FILE",
    "Policy to save, with its plan; by default NAME.explored.yml beside the policy.",
)
@options.option("--replace", "Save over files that exist.")
@options.option(
    "--port N",
    "Port of 127.0.0.1; by default any that is free.",
    type=click.IntRange(0, 65535),
    default=0,
)
@options.option("--no-browser", "Print the address, and open no browser.")
@options.source
@options.json
@options.engine
def explore_command(
    policy: str,
    output: str | None,
    *,
    replace: bool,
    port: int,
    no_browser: bool,
    source: str | None,
    as_json: bool,
    settings: Settings,
) -> None:
    """Try k, suppression and levels on a page, in a browser.

    It is served to a browser of this machine alone, and saves the policy that you chose with its plan. Ctrl-C ends it.
    """
    files = _files_to_write(policy, output, replace=replace)
    make = partial(open_exploration, policy, source, files=files, settings=settings)
    with opened_pages(make, STEPS) as pages:
        serve(
            pages,
            port=port,
            show=partial(_show_address, files, as_json=as_json),
            opens_browser=not no_browser,
        )
        pages.check_opened()
    if not as_json:
        print_line("the explorer has ended")


def _show_address(files: SavedFiles, address: str, *, as_json: bool) -> None:
    """Print the address, on which the page waits, and the files that it saves to."""
    if as_json:
        saved = {"policy": str(files.policy), "plan": str(files.plan)}
        print_json({"status": "ok", "address": address, **saved})
        return
    print_line(f"the explorer is at {address}")
    print_line("that address works once, in one browser of this machine; end it with Ctrl-C")


def _files_to_write(policy: str, output: str | None, *, replace: bool) -> SavedFiles:
    """Name the files to save to; raises InputError where they exist, or are not beside the policy."""
    own = Path(policy)
    name = own.name.removesuffix(".yml").removesuffix(".yaml")
    chosen = own.with_name(f"{name}.explored.yml") if output is None else Path(output)
    if chosen.absolute().parent != own.absolute().parent:
        what = "must be in the policy's folder, from which its relative paths start"
        raise InputError(str(chosen), [Fault("--output", what)])
    stem = chosen.name.removesuffix(".yml").removesuffix(".yaml")
    plan = chosen.with_name(f"{stem}.plan.yml")
    if not replace:
        check_free(chosen)
        check_free(plan)
    check_writable(plan, starts=(PLAN_START,))
    return SavedFiles(chosen, plan, write, boundaries_beside(str(plan)))
