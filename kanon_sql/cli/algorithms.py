"""`kanon-sql algorithms`: what each promises, costs, goes with and can be told; to choose one by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.plain import say_json
from kanon_sql.metrics.column_metrics import Aggregate
from kanon_sql.metrics.registry import METRICS
from kanon_sql.planning.make_plan import MOST_NODES
from kanon_sql.policy.search import Recode, Search
from kanon_sql.policy.search_options import (
    ONE_SET,
    OWN_RECODING,
    Algorithm,
    Among,
    Samarati,
    default_options,
    options_of,
)
from kanon_sql.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterator

WHICH = """\
Which one? optimal, unless the lattice is too large to search whole: then lightning, with a time_limit.
The others are for those who need a method of the literature; compare shows what each makes of a policy.
The policy names one (search: {algorithm: NAME, OPTION: ...}), or plan and anonymize --algorithm NAME.
"""

COMMON = {
    "metric": " | ".join(METRICS),
    "aggregate": f"{' | '.join(Aggregate)}, of metric: loss",
    "suppressed": "counted | ignored, of metric: entropy",
    "recoding": f"{' | '.join(Recode)}; of all but {' and '.join(OWN_RECODING)}",
    "layers": f"the most nodes of recoding: local or cells, {Search().layers} if it is not said",
    "time_limit": "60s, 5m, 500ms; the best that was found by then is given, not proven",
}
"""The options that are not of single algorithms, and how they are written."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def algorithms(*, as_json: bool) -> None:
    """List the algorithms: what each promises, what it costs, what it goes with, its options."""
    if as_json:
        listed = [told(each) for each in ALGORITHMS]
        document = {"status": "ok", "algorithms": listed, "options_of_all": COMMON}
        say_json(document)
        return
    click.echo(WHICH)
    for each in ALGORITHMS:
        click.echo("\n".join(_block(each)) + "\n")
    click.echo("options that are not of single algorithms")
    for name, written in COMMON.items():
        click.echo(f"  {name}: {written}")


def told(algorithm: Algorithm) -> dict[str, object]:
    """Give what is known of an algorithm as plain values."""
    described = ALGORITHMS[algorithm]
    return {
        "name": str(algorithm),
        "default": algorithm is Search().algorithm,
        "promises": _promises(algorithm),
        "cost": described.cost,
        "paper": described.paper,
        "only_monotone_models": described.prunes,
        "several_sets": algorithm not in ONE_SET,
        "most_nodes": MOST_NODES if described.enumerates else None,
        "options": {name: each.shape.written for name, each in options_of(algorithm).items()},
    }


def _promises(algorithm: Algorithm) -> list[str]:
    """Give what is promised, of each choice that it depends on."""
    described, search = ALGORITHMS[algorithm], Search(default_options(algorithm))
    found = {str(described.promises(search)): ""}
    if isinstance(search.options, Samarati):
        for among in Among:
            other = described.promises(Search(replace(search.options, among=among)))
            found.setdefault(str(other), f" (among: {among})")
    return [f"{promise}{where}" for promise, where in found.items()]


def _block(algorithm: Algorithm) -> Iterator[str]:
    described = ALGORITHMS[algorithm]
    yield f"{algorithm} (the default)" if algorithm is Search().algorithm else str(algorithm)
    yield f"  promises: {'; '.join(_promises(algorithm))}"
    yield f"  cost: {described.cost}"
    yield f"  from: {described.paper}"
    models = "monotone models alone" if described.prunes else "any privacy model"
    sets = "one set of quasi-identifiers (no over:)" if algorithm in ONE_SET else "over:"
    size = f"at most {MOST_NODES:,} nodes" if described.enumerates else "a lattice of any size"
    yield f"  goes with: {models}, {sets}, {size}"
    for name, each in options_of(algorithm).items():
        yield f"  {name}: {each.shape.written}"
