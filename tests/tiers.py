"""Two tiers of tests: what each change runs, and the rest, which `pytest --rest` runs before a merge.

The tier of a test follows from what it asks for: a fixture of `REST`, or an engine of `ENGINES` as a
parameter, puts it in the rest. Where no fixture can tell, a mark does: `slow`, or `sampled(n)`, of
whose cases every n-th is of the default tier. The mark `smoke` keeps one test of each server in the
default tier. A property is in the default tier with few examples, and runs again with many in the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import settings

REST = {
    "postgres": "starts PostgreSQL",
    "spark": "starts Spark",
    "server": "PostgreSQL or Spark, beside DuckDB",
    "java": "processes of its own start Spark",
    "killer": "kills runs",
    "dbt": "runs dbt",
    "sqlmesh": "runs SQLMesh",
    "project_of": "projects of dbt and of SQLMesh",
    "tree": "builds the package and installs it",
}
ENGINES = ("postgres", "spark")
NAMES_OF_ENGINES = ("place", "server", "engine", "db")
"""Parameters that name the engine that a test runs on."""

RUNNING = pytest.StashKey[pytest.Item]()
"""The test that runs."""


@dataclass(frozen=True)
class Tier:
    """Where a test runs: in the rest if something puts it there, else by default; a property, in both."""

    why: tuple[str, ...]
    of_property: bool

    def runs(self, *, rest):
        return bool(self.why) or self.of_property if rest else not self.why


TIERS = pytest.StashKey[dict[str, Tier]]()
"""Of each collected test."""

FULL = 40
"""Examples of a property in the rest, where it does not say more or fewer."""


def examples(many, **more):
    """Settings of a property that runs so many examples in the rest, and a share of them by default."""
    return settings(max_examples=max(3, many * settings().max_examples // FULL), **more)


def reasons(item):
    """What puts a test in the rest: fixtures, an engine that is a parameter, a mark."""
    if item.get_closest_marker("smoke"):
        return []
    fixtures = [name for name in getattr(item, "fixturenames", ()) if name in REST]
    given = item.callspec.params if hasattr(item, "callspec") else {}
    engines = [
        f"{name}={given[name]}"
        for name in NAMES_OF_ENGINES
        if isinstance(given.get(name), str) and given[name] in ENGINES
    ]
    return fixtures + engines + ["slow"] * (item.get_closest_marker("slow") is not None)


def tiers_of(items):
    seen = {}
    return {
        item.nodeid: Tier(
            (*reasons(item), *["sampled"] * is_left_out(item, seen)),
            getattr(getattr(item, "obj", None), "is_hypothesis_test", False),
        )
        for item in items
    }


def is_left_out(item, seen):
    """Whether a test of which a sample is enough by default is none of that sample.

    The sample is a Latin one: of several parameters each value is met, if the others have `n` or more.
    """
    mark = item.get_closest_marker("sampled")
    if mark is None:
        return False
    place = 0
    for each in item.iter_markers("parametrize"):
        names = each.args[0].split(",") if isinstance(each.args[0], str) else each.args[0]
        values = tuple(id(item.callspec.params[name.strip()]) for name in names)
        known = seen.setdefault((item.nodeid.partition("[")[0], *names), {})
        place += known.setdefault(values, len(known))
    return place % mark.args[0] != 0


def may_start(item):
    """Whether a test may start an engine of its own: one that does is of the rest, or a smoke test."""
    return bool(reasons(item)) or item.get_closest_marker("smoke") is not None
