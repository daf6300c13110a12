"""All proofs, what is executed for all small tables instead, and why the other templates that decide have neither."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

from tests.proofs import channels, mutants, projects, recounts, releases, searches

QUICK = ("recount: k, by rows", "recount: distinct l, NULL a value, by rows")
"""Proofs that run at each change; the others run with the rest."""
CHECKS = (
    "check: k, by rows",
    "check: k, by people, 2 nodes",
    "check: distinct l, by rows, 2 nodes",
)
"""Checks that are proven; those of other models are compared with their definitions on random tables."""
CACHE = {}
TEMPLATES = Path(__file__).parents[2] / "templates" / "sql"


def all_proofs():
    """Return every proof whose statement the product renders, by its name."""
    if not CACHE:
        made = chain(
            recounts.recounts(),
            (each for each in searches.checks() if each.name in CHECKS),
            searches.others(),
            releases.of_releases(),
            projects.tests_of_dbt(),
            projects.audits_of_sqlmesh(),
        )
        CACHE.update({each.name: each for each in made})
    return CACHE


def compared():
    """Return what becomes too large a formula, by name: it is compared with its definition on random tables alone."""
    checks = (each for each in searches.checks() if each.name not in CHECKS)
    return {each.name: each for each in chain(checks, channels.warehouse())}


EXECUTED = {
    "release/verify": "t-closeness by the order of the values: windows with a frame",
    "recoding/failing_persons": "signatures: texts of lists in their order",
    "release/warehouse_release": "the script of one statement, whose formulas are too large",
}
"""Templates of which a variant becomes no formulas, and what of it; DuckDB runs it for all small tables."""

CHOOSES = "chooses a recoding; what it leaves is recounted by `release/verify`"
NEITHER = {
    "certificate/store_verdicts": "has the text of `certificate/claims`",
    "certificate/postgres/check_claims": "has the text of `certificate/claims`",
    "explorer/count_released_labels": "counts labels that a node shows, and releases none",
    "explorer/example_classes_of_node": "shows classes, and releases none",
    "lattice/class_sizes": "has the classes of `lattice/check`",
    "lattice/kept_labels": "counts for a metric",
    "lattice/suppressed_marginals": "counts for a metric",
    "multi_node/outliers": CHOOSES,
    "multidimensional/cuts/fitting_cuts": CHOOSES,
    "multidimensional/runs/unfit_runs": CHOOSES,
    "multidimensional/cuts/unfit_regions": CHOOSES,
    "new_rows/fitting_regions": CHOOSES,
    "privacy/compatible": "has the candidates of `privacy/verify_candidates`",
    "release/short_classes": "has the classes of `recoding/short_rows`",
    "series/moves/count_cells": "counts cells as `release/verify` counts classes; compared with plain Python on all small histories",
    "series/moves/unfit_cells": "holds rows back; what it leaves is recounted by `series/moves/count_cells`",
    "single_dimensional/bottom_up/smallest_classes": CHOOSES,
    "single_dimensional/bottom_up/smallest_merged": CHOOSES,
    "single_dimensional/class_sizes": CHOOSES,
    "single_dimensional/interval_classes": CHOOSES,
    "single_dimensional/k_optimize/heads": CHOOSES,
    "single_dimensional/kept_tuples": CHOOSES,
    "single_dimensional/top_down/smallest_after": CHOOSES,
}
"""Why a template that decides has neither a proof nor an exhaustive run."""


def name_of(path):
    return path.relative_to(TEMPLATES).as_posix().removesuffix(".sql.j2")


def deciding_templates():
    """Return the names of statements that count a class by a privacy model, in whatever part of theirs."""
    texts = {
        name_of(path): path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.sql.j2")
    }
    decide = {name for name, text in texts.items() if "requirement.fragment" in text}
    decide |= {"privacy/part/fits", "privacy/part/within", "privacy/part/candidates"}
    while True:
        more = {
            name
            for name, text in texts.items()
            if name not in decide and any(f"sql/{each}.sql.j2" in text for each in decide)
        }
        if not more:
            break
        decide |= more
    return {each for each in decide if "/part/" not in each}


def proven_templates():
    """Return the proofs of each template; one of a dialect is named without it."""
    found = {}
    for each in all_proofs().values():
        found.setdefault(each.template, []).append(each)
    return found


def without_dialect(name):
    """Return the name that Python asks a template by."""
    return re.sub(r"/(duckdb|postgres|spark|tsql)/", "/", name)


def page() -> list[str]:
    """Yield the lines of the page of the reference: what each template that decides has."""
    proven = proven_templates()
    yield "# Proofs"
    yield ""
    yield (
        "A statement that decides which classes may be released has a **proof**: "
        "[z3](https://github.com/Z3Prover/z3) shows that its SQL gives what a definition of ten lines gives, for every table "
        "of so many rows, columns, and values in a column besides NULL. What becomes no formulas, or too large ones, "
        "DuckDB **executed** on every table of four rows and two columns. The last table has the reasons of the others."
    )
    yield ""
    yield (
        f"For each of {len(mutants.MUTANTS)} planted faults (`>` for `>=`, a lost NULL, a wrong mask) z3 finds a table on which DuckDB "
        "gives other rows. `pytest tests/proofs --tier all` does it all again."
    )
    yield ""
    yield "| statement | proofs | rows, columns, values |"
    yield "|---|---|---|"
    for name, made in sorted(proven.items()):
        bounds = sorted({each.bounds for each in made}, reverse=True)
        ends = dict.fromkeys([*bounds[:1], *bounds[-1:]])
        shown = " to ".join("{}, {}, {}".format(*each) for each in ends)
        yield f"| `{name}` | {len(made)} | {shown} |"
    yield ""
    yield (
        "Executed: "
        + "; ".join(f"`{name}` ({what})" for name, what in sorted(EXECUTED.items()))
        + "."
    )
    yield ""
    yield "| neither | why |"
    yield "|---|---|"
    for why in dict.fromkeys(NEITHER.values()):
        names = ", ".join(f"`{name}`" for name, other in NEITHER.items() if other == why)
        yield f"| {names} | {why} |"
    yield ""
    yield (
        "`lattice/check` is proven for k and distinct l, and compared with all other models on random tables; tests of dbt and audits of "
        "SQLMesh that the table lacks, with brute force. "
        "Assumed: arithmetic is exact, and a table has no order. Beyond these bounds, and in other dialects, statements rest on the "
        "tests of [each engine](engines.md)."
    )
