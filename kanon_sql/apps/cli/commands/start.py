"""The commands to start with: `init`, `suggest` and `demo`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import (
    LEAST_WIDTH,
    new_console,
    print_json,
    print_line,
    print_wrapped,
    seconds_so_far,
    show_progress,
    terminal_width,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.write import check_free, write
from kanon_sql.apps.getting_started.first_policy import Findings, first_policy, inspect_source
from kanon_sql.apps.getting_started.import_arx import imported_project, is_project
from kanon_sql.apps.getting_started.propose_columns import (
    DROPPED,
    Answers,
    ProposedColumn,
    Question,
    answered,
    questions_of,
)
from kanon_sql.apps.getting_started.propose_policy import ASKED
from kanon_sql.apps.getting_started.trial import (
    MOST_ROWS,
    SHOWN,
    policy_of_text,
    try_recodings,
    with_best_search,
)
from kanon_sql.base.documents.text import joined, printable
from kanon_sql.counting.run.arguments import Use
from kanon_sql.errors import Fault, InfeasibleError, InputError, OutOfTimeError
from kanon_sql.policy.model import Role
from kanon_sql.policy.standards import StandardName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.apps.getting_started.trial import Trial, Tried
    from kanon_sql.evidence.release_quality.small_tables import BandTable
    from kanon_sql.policy.model import Policy


ANSWERS, READERS = "Answers to its questions", "For readers of the report"
CHOICES = {"key": ("drop", "signature"), "for": get_args(Use)}
"""The answers of the questions that do not ask for names of columns."""
STATED = {
    "database": "is not for a project of ARX, which holds its table",
    "try": "is not for a project of ARX; write its policy first, then run: kanon-sql suggest POLICY",
    "key": "is not for a project of ARX; change entity and columns in its policy",
    "for": "is not for a project of ARX; say output: in its policy",
    **dict.fromkeys(("standard", *ASKED), "is not for a project of ARX; say about: in its policy"),
}
"""The reasons why options are not for an ARX project; the project states the values of all others."""


@click.command("init", cls=Command)
@click.argument("source", metavar="SOURCE")
@options.option(
    "-o, --output FILE",
    "File to write; - prints the policy.",
    default="policy.yml",
    show_default=True,
)
@options.database
@options.option("--replace", "Replace an existing policy.")
@options.gather(
    "said",
    dict,
    known=options.option(
        "--known COLUMN,COLUMN",
        "Undecided columns that somebody could know; none for none.",
        group=ANSWERS,
    ),
    read=options.option(
        "--read COLUMN=WAY,...",
        "How unclear texts are read: dates day_first, month_first or year_first; 1.234 decimals or thousands.",
        group=ANSWERS,
    ),
    sensitive=options.option(
        "--sensitive COLUMN,COLUMN",
        "Columns that nobody may learn about a person; none for none.",
        group=ANSWERS,
    ),
    drop=options.option(
        "--drop COLUMN,COLUMN",
        "Columns to leave out.",
        group=ANSWERS,
    ),
    key=options.option(
        "--key",
        "The person's key: dropped, or released as a pseudonym that joins rows.",
        type=click.Choice(CHOICES["key"]),
        group=ANSWERS,
    ),
    **{
        "for": options.option(
            "--for",
            "Values whose counts are close, means for regressions, or records that are each true.",
            type=click.Choice(CHOICES["for"]),
            group=ANSWERS,
        )
    },
)
@options.gather(
    "about",
    dict,
    standard=options.option(
        "--standard NAME",
        f"Standard that sets thresholds and hierarchies: {', '.join(StandardName)}.",
        type=click.Choice([each.value for each in StandardName]),
        group=READERS,
    ),
    **{
        key: options.option(
            f"--{key} TEXT", f"{question[:1].upper()}{question[1:]}.", group=READERS
        )
        for key, question in ASKED.items()
    },
)
@options.option(
    "--try",
    "Try kinds of recoding on a sample, and write the search of the best.",
    name="tries",
)
@options.option("--no-rows", "With --try: print no released rows.")
@options.json
@options.option(
    "--show-values",
    "Write values of cleaned columns into comments of the policy, which is data then.",
)
def init_command(
    source: str,
    output: str,
    database: str | None,
    said: dict[str, str | None],
    about: dict[str, str | None],
    *,
    replace: bool,
    tries: bool,
    no_rows: bool,
    show_values: bool,
    as_json: bool,
) -> None:
    """Write a first policy for a table, a file or an ARX project.

    SOURCE is a table, file, folder, query, database (for a policy of its tables), or project of ARX (.deid).
    Proposes roles, hierarchies, k and a query that cleans the source, with reasons. On a terminal it asks what it
    cannot count.
    """
    if output != "-" and not replace:
        check_free(Path(output))
    if is_project(source):
        stated = {"try": "" if tries else None, **said, **about}
        _import_project(source, output, as_json=as_json, database=database, **stated)
        return
    if database is None and schema_of_tables.has_several_tables(source):
        schema_of_tables.init(source, output, as_json=as_json)
        return
    beside = None if output == "-" else output
    with show_progress("looking at the values of the source"):
        found = inspect_source(source, database=database, beside=beside, show_values=show_values)
    standard = about.pop("standard")
    given = Answers(
        standard=None if standard is None else StandardName(standard),
        about={key: text for key, text in about.items() if text is not None},
    )
    for option, text in said.items():
        given = answered(given, option, text, found)
    found.propose(given)  # refuses a name of no column before it asks
    questions = questions_of(found, given)
    asks = is_terminal() and output != "-" and not as_json
    answers = _asked(found, given, questions) if asks else given
    text = found.policy(answers)
    if tries:
        text = _tried(text, output, no_rows=no_rows, as_json=as_json)
    if output != "-":
        write(Path(output), text)
    if as_json:
        _print_json(output, text, [] if answers is not given else questions)
        return
    if output == "-":
        click.echo(text, nl=False)
    else:
        print_line(f"wrote {output}: review every line, then run: kanon-sql lint {output}")
        _print_roles(found.propose(answers))
    if answers is given:
        _print_defaults(questions, error=output == "-")


def is_terminal() -> bool:
    """Whether questions can be asked: input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(found: Findings, given: Answers, questions: Sequence[Question]) -> Answers:
    """Ask the open questions, again after an answer that fits no column; an empty answer is the default."""
    answers = given
    if questions:
        print_line("Proposed by names, types and counts:")
        _print_roles(found.propose(given))
    for each in questions:
        print_line(f"{each.text}{_listed(each)}")
        print_line(f"  default: {each.default.replace(',', ', ')}")
        choices = CHOICES.get(each.option)
        prompt = "  names separated by commas, or none" if choices is None else "  your answer"
        if each.option == "read":
            prompt = "  COLUMN=WAY separated by commas, or none"
        kind = click.STRING if choices is None else click.Choice(choices)
        while True:
            said = click.prompt(prompt, default=each.default, show_default=False, type=kind)
            try:
                found.propose(after := answered(answers, each.option, said, found))
            except InputError as error:
                for fault in error.faults:
                    print_line(f"  {fault.what}")
            else:
                answers = after
                break
    return answers


def _print_roles(columns: Sequence[ProposedColumn]) -> None:
    """Print which columns the proposed policy drops, recodes, and releases as they are."""
    sensitive = [each for each in columns if each.role is Role.SENSITIVE]
    dropped = [each for each in columns if each.rest == DROPPED]
    masked = [each for each in columns if "action: " in each.rest and each not in dropped]
    others = [each for each in columns if each.role is Role.INSENSITIVE and each not in masked]
    for what, of in (
        ("dropped", dropped),
        ("released masked", masked),
        ("recoded (quasi-identifiers)", [each for each in columns if each.role is Role.QUASI]),
        ("released as they are (sensitive)", sensitive),
        ("released as they are (insensitive)", others),
    ):
        if of:
            print_line(f"  {what}: {', '.join(printable(each.profile.name) for each in of)}")
    if guessed := [printable(each.profile.name) for each in columns if each.is_guess]:
        print_line(
            f"DECIDE, as whoever knows a value finds rows by it: {', '.join(guessed)} (released as they are by a guess)"
        )


def _listed(question: Question) -> str:
    return f" {', '.join(question.columns)}" if question.columns else ""


def _print_defaults(questions: Sequence[Question], *, error: bool) -> None:
    """Print the questions without an answer, with the defaults that the policy has."""
    if not questions:
        return
    print_line(
        "The data cannot answer these questions. The policy has the defaults; give an option to change one:",
        error=error,
    )
    for each in questions:
        print_line(f"  {each.text}{_listed(each)}", error=error)
        print_line(f"    taken: --{each.option} {each.default}", error=error)


def _print_json(
    output: str, text: str, questions: Sequence[Question], untranslated: Sequence[str] = ()
) -> None:
    """Print the file, or the policy where none is written, the questions that took their defaults, and what was left."""
    written = {"policy": None, "text": text} if output == "-" else {"policy": output, "text": None}
    asked = [
        {"option": f"--{each.option}", "question": each.text, "columns": list(each.columns), "taken": each.default}
        for each in questions
    ]  # fmt: skip
    print_json(
        {"status": "ok", **written, "questions": asked, "not_taken_over": list(untranslated)}
    )


def _import_project(project: str, output: str, *, as_json: bool, **said: str | None) -> None:
    """Write the policy of an ARX project, and its input and hierarchies into a folder beside it."""
    faults = [
        Fault(f"--{option}", STATED.get(option, "is not for a project of ARX, which states it"))
        for option, text in said.items()
        if text is not None
    ]
    if output == "-":
        what = "prints the policy alone, but a project of ARX becomes files beside it, too: name a file"
        faults.append(Fault("-o -", what))
    if faults:
        raise InputError(project, faults)
    with imported_project(Path(project), Path(output)) as imported:
        write(Path(output), imported.policy)
    if as_json:
        _print_json(output, imported.policy, (), list(map(str, imported.untranslated)))
        return
    for each in imported.untranslated:
        print_line(f"not taken over: {each}")
    print_line(
        f"wrote {imported.folder.name}/, with the raw rows of the project and its hierarchies"
    )
    print_line(f"wrote {output}: review every line, then run: kanon-sql lint {output}")


def _tried(text: str, output: str, *, no_rows: bool, as_json: bool) -> str:
    """Try recodings of a policy's text, and return it with the best search; unchanged if there is none."""
    printed = output != "-" and not as_json
    try:
        with show_progress() as progress:
            trial = try_recodings(
                policy_of_text(text, None if output == "-" else output),
                shown=SHOWN if printed and not no_rows else 0,
                progress=progress,
            )
    except InputError as error:
        print_line(f"not tried: {error}", error=True)
        return text
    if printed:
        print_trial(trial)
    if trial.best is None:
        why = trial.advice or "none of these recodings satisfies the policy"
        print_line(f"the policy's search is left as it was: {why}", error=True)
    return with_best_search(text, trial)


INFEASIBLE = 3
KINDS = {
    "optimal": "one level a column",
    "cells": "several nodes, each class at the first that fits",
    "local": "several nodes, each class at the first that fits",
    "mondrian": "regions with labels of their own",
}
"""What the labels of each kind of recoding follow, in words."""
CLASS_VALUES = "class values"
POLICIES = {".yml", ".yaml"}
WIDTH = 80
WIDEST = 24
GAP = "  "
CUT = "…"


@click.command("suggest", cls=Command)
@click.argument("policy", metavar="POLICY_OR_TABLE")
@options.database
@options.option(
    "--sample N",
    "Most rows to try on; of people, all rows of some.",
    type=click.IntRange(1),
    default=MOST_ROWS,
    show_default=True,
)
@options.time_limit("Time limit of all searches together.", default="20s")
@options.option("--no-rows", "Print no released rows and no small tables.")
@options.source
@options.limits
@options.json
@options.engine
def suggest_command(
    policy: str,
    *,
    database: str | None,
    no_rows: bool,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Try kinds of recoding on a sample and compare them.

    One level a column (optimal), cells, regions (mondrian), and values for counts (output: apportioned). Of a
    table the policy is tried that init suggests. Reads only.
    """
    given = policy if Path(policy).suffix in POLICIES else _proposed(policy, database)
    tried: list[Tried] = []
    try:
        with show_progress() as progress:
            trial = try_recodings(
                given,
                shown=0 if no_rows else SHOWN,
                progress=progress,
                on_tried=tried.append,
                **values,
            )
    except KeyboardInterrupt:
        if not as_json:
            print_tried(tried)
        raise
    if as_json:
        print_json(trial.summary())
    else:
        print_trial(trial)
    if trial.best is None:
        if as_json:
            sys.exit(INFEASIBLE)
        if trial.advice:
            raise OutOfTimeError(trial.advice)
        raise InfeasibleError("none of these recodings satisfies the policy")
    if not as_json:
        where = f"in {policy}" if isinstance(given, str) else "in the policy that init writes"
        print_line(f"To use the {best_text(trial)}, write {where}:")
        print_line(f"search: {trial.best.search}")
        for_counts = trial.for_counts
        if for_counts is not None and for_counts.ended and for_counts.more:
            print_line("To release values for counts, write:")
            for each in (f"search: {for_counts.search}", *for_counts.more):
                print_line(f"  {printable(each)}")


def _proposed(table: str, database: str | None) -> Policy:
    return policy_of_text(first_policy(table, database=database, beside=None), None)


def print_trial(trial: Trial) -> None:
    """Print a trial within 80 columns; a label that is too long for them is cut."""
    lines = [joined(trial.privacy), f"{trial.sample}; tried in {seconds_so_far():.2f} s"]
    if trial.best is not None:
        lines.insert(0, f"{best_text(trial)}: {_kind(trial.best)}")
        lines.append(
            "loss is the information loss (NCP, mean over cells): 0 for original values, 1 for suppressed ones."
        )
    for line in lines:
        print_wrapped(line)
    for each in trial.tried:
        best = f" ({best_text(trial)})" if each is trial.best else ""
        _print_tried(trial, each, best)
    if trial.for_counts is not None:
        best = "best; " if trial.for_counts is trial.best else ""
        _print_tried(
            trial,
            trial.for_counts,
            f" ({best}output: apportioned; a row does not show what is true of it)",
        )
    if any(each.rows for each in trial.tried):
        print_line()
        print_wrapped("All recodings show the same rows of the source, chosen at random.")
    for table in trial.small:
        _print_small(table, trial.small_of)
    if trial.numbered:
        print_line()
        print_wrapped(
            "hidden #1 stands for a value of the table, the first of its column in these lines, hidden #2 for the second."
        )
    if trial.one_level_serves:
        print_line()
        print_wrapped(
            f"{_kind(trial.tried[0])}, has about the least count error too, and each value of a column has one label."
        )
    if trial.best is not None and trial.advice:
        print_line()
        print_wrapped(trial.advice)


def _print_tried(trial: Trial, each: Tried, beside: str) -> None:
    print_line()
    print_wrapped(f"{_kind(each)}{beside}: {each.figures}")
    if each.rows:
        _print_rows(trial.columns, each.rows)


def _kind(tried: Tried) -> str:
    """Name a recoding by its search and by what it releases."""
    name = tried.found.searched_by
    return f"{name}, {CLASS_VALUES if tried.for_counts else KINDS[name]}"


def _print_small(table: BandTable, names: Sequence[str]) -> None:
    """Print counts or rates by bands, of the table and of each recoding."""
    print_line()
    by = " and ".join(map(printable, table.columns))
    if table.rate is None:
        print_wrapped(
            f"Rows by {by}, of the table and of each recoding, each label spread over the values that it covers:"
        )
    else:
        print_wrapped(f"Share of rows with {printable(table.rate.text)}, by {by}:")

    def text(figure: float | None) -> str:
        if figure is None:
            return "-"
        return f"{figure:,.0f}" if table.rate is None else f"{figure:.1%}"

    rows = [[*row.bands, text(row.before), *map(text, row.after)] for row in table.rows]
    _print_rows([*table.columns, "table", *names], rows)


def best_text(trial: Trial) -> str:
    """Describe the recommended search: the best of all, or of those that ended in time."""
    return "best of those that ended" if any(each.out_of_time for each in trial.tried) else "best"


def print_tried(tried: Sequence[Tried]) -> None:
    """Print the searches that ended before a trial was interrupted, with their figures."""
    for each in tried:
        print_wrapped(f"search: {each.search}  # {each.figures}")


def _print_rows(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
    """Print rows under the names of their columns; the columns that do not fit beside others follow below."""
    lines = [columns, *(["NULL" if cell is None else cell for cell in row] for row in rows)]
    cells = [[_cut(printable(text)) for text in line] for line in lines]
    blocks: list[list[str]] = []
    for column in zip(*cells, strict=True):
        width = max(map(len, column))
        aligned = [GAP + cell.ljust(width) for cell in column]
        if blocks and len(blocks[-1][0]) + len(aligned[0]) <= WIDTH:
            blocks[-1] = [line + cell for line, cell in zip(blocks[-1], aligned, strict=True)]
        else:
            blocks.append(aligned)
    for block in blocks:
        for line in block:
            print_line(line.rstrip())


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + CUT


@click.command("demo", cls=Command)
@options.option(
    "-o, --output FOLDER",
    "Keep the sample, the policy and the release in this folder.",
)
@options.json
def demo_command(output: str | None, *, as_json: bool) -> None:
    """Anonymize an embedded sample, and show each step."""
    from kanon_sql.apps.getting_started.demo_run import (  # noqa: PLC0415  draws tables
        run_demo,
    )

    with show_progress("anonymizing the sample"):
        width = terminal_width() or LEAST_WIDTH
        summary = run_demo(new_console(width=width, quiet=as_json), output)
    if as_json:
        print_json({**summary, "folder": output})
