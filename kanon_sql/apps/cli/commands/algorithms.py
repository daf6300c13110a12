"""`kanon-sql algorithms`: the guarantees, costs, limits and options of each search algorithm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json
from kanon_sql.apps.cli.options import Command
from kanon_sql.policy.metrics.column_metrics import Aggregate
from kanon_sql.policy.metrics.registry import METRICS
from kanon_sql.policy.search import Recode, Search
from kanon_sql.policy.search_options import Algorithm, Among, Samarati, default_options, options_of
from kanon_sql.recoding.planning.make_plan import MOST_NODES
from kanon_sql.recoding.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterator

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
def command(*, as_json: bool) -> None:
    """List the search algorithms: guarantees, costs, options."""
    if as_json:
        listed = [_summary(each) for each in ALGORITHMS]
        print_json({"status": "ok", "algorithms": listed, "options_of_all": COMMON})
        return
    click.echo(ADVICE)
    for each in ALGORITHMS:
        click.echo("\n".join(_lines(each)) + "\n")
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


def _lines(algorithm: Algorithm) -> Iterator[str]:
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
