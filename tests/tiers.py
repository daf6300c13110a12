"""Tiers of tests: what one runs while writing, at each change, before a merge, and each week.

The quick tier is a part of the default one. The tier of a test follows from what it asks for: a fixture of `REST`, or an
engine of `ENGINES` as a parameter, puts it in the rest. Where no fixture can tell, a mark does: `slow`, or `rare` for
what no merge waits for. The mark `smoke` keeps one test of each server in the default tier. Of tests that take long, by
`seconds.txt`, a tier runs a share: see `place_in_share`. What runs each week alone (`--tier all`) is: tests marked `rare`;
of the cases of a long table, marked `sampled(n)`, all but every n-th; what is beyond the share; and of a property, most of
its examples.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from math import ceil
from pathlib import Path
from zlib import crc32

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
    "fakesnow": "runs fakesnow",
    "project_of": "projects of dbt and of SQLMesh",
    "tree": "builds the package and installs it",
    "browser": "drives Chromium",
}
AT_LEAST = {
    "spark": 4, "java": 20, "dbt": 8, "sqlmesh": 8, "project_of": 8, "tree": 8, "browser": 4, "killer": 4,
}  # fmt: skip
"""Seconds that a test takes at least which asks for a fixture or an engine, where `seconds.txt` does not say more."""
ENGINES = ("postgres", "spark")
NAMES_OF_ENGINES = ("place", "server", "engine", "db")
"""Parameters that name the engine that a test runs on."""

QUICK = (
    "tests/unit/",
    "tests/contract/",
    *(
        f"tests/corpus/test_corpus.py::test_plan_and_release_are_as_they_were[{policy}]"
        for policy in ("optimal_loss", "local", "cells", "mondrian_loss", "top_down_gain", "mu_argus", "several_sets")
    ),
    "tests/e2e/test_hostile_values.py::test_odd_texts_survive_a_csv_source",
    "tests/properties/test_searches.py::test_the_plan_has_the_least_cost[optimal]",
    "tests/properties/test_release.py::test_the_release_is_the_kept_rows_generalized_and_passes_a_recount",
    "tests/properties/test_mondrian.py::test_the_boxes_are_those_of_plain_recursion",
    "tests/properties/test_class_models.py::test_every_released_class_fits[t-cells]",
    "tests/properties/test_null_matches.py::test_the_release_is_what_brute_force_leaves[optimal]",
)  # fmt: skip
"""What `--tier quick` runs: units and rules of the code, a policy of each recoding, a hostile
table, and five properties against an oracle."""
UNHURRIED = {
    "test_a_database_and_what_draws_tables_are_imported_when_they_are_used",
    "test_a_package_without_charts_starts_no_library",
    "test_a_page_of_the_reference_is_what_the_code_gives",
    "test_a_png_has_twice_the_pixels_of_the_svg",
    "test_a_policy_names_its_database",
    "test_a_privacy_model_of_the_page_is_counted_in_every_channel_or_refused",
    "test_a_release_has_the_labels_of_its_rule",
    "test_a_script_releases_the_same_and_a_warehouse_is_refused_in_words",
    "test_an_engine_of_the_page_plans_and_releases_as_duckdb_does",
    "test_dotted_names_in_tests_resolve",
    "test_each_figure_can_be_reached_and_says_its_numbers",
    "test_every_metric_finds_its_way_in_a_lattice_that_large",
    "test_every_part_of_it_may_be_left_out",
    "test_hostile_labels_are_text_and_long_ones_are_cut",
    "test_in_a_page_the_colours_are_its_variables_and_alone_they_are_fixed",
    "test_it_finds_the_optimum_of_adult",
    "test_it_makes_the_plan_that_duckdb_makes_and_takes_connections_of_its_library",
    "test_its_words_are_those_of_the_report",
    "test_odd_yaml_is_a_policy_error",
    "test_odd_yaml_is_no_plan",
    "test_statements_that_tests_wait_for_exist",
    "test_tests_that_need_posix_say_so",
    "test_the_package_starts_without_any_frame_library",
    "test_the_schema_refuses_what_a_policy_may_not_say",
    "test_what_a_policy_states_wrongly_is_a_fault",
    "test_yaml_that_cannot_be_read_is_an_error_of_ours",
}
"""Tests of units and rules that take longer than the others, and wait for the default tier."""

KINDS = (
    "tests/attacks/",
    "tests/contract/test_packaging.py",
    "tests/e2e/test_action.py::test_weaker",
    "tests/e2e/test_executors.py",
    "tests/e2e/test_installed_wheel.py::test_a_bare",
    "tests/e2e/test_hostile_names.py",
    "tests/e2e/test_hostile_values.py",
    "tests/e2e/test_label_codes.py",
    "tests/e2e/test_mcp.py",
    "tests/e2e/test_models_in_channels.py",
    "tests/e2e/test_masks_in_channels.py",
    "tests/engines/test_every_engine.py",
    "tests/engines/test_recounted_releases.py::test_an_outsider_finds_nothing_wrong_on_duckdb",
    "tests/properties/test_apportioned.py",
)
"""What does not wait for the weekly run, however long it takes: each attack and each hostile name in each channel, each
model and each mask in each channel, each recoding in each output, each engine in each channel, an outsider's recount, and
the package as it is installed."""
SHARES = (0.05, 0.5)
"""Seconds that a test adds to the default tier, and one of a server to the rest, at most and in the mean."""
NEXT_SHARES = 1
"""Of the shares that are not of the default tier, how many are of the rest."""

RUNNING = pytest.StashKey[pytest.Item]()
"""The test that runs."""


class Tier(IntEnum):
    """What `--tier` names: `default` for each change, `rest` before a merge, `all` for every case."""

    DEFAULT = 0
    REST = 1
    ALL = 2

    @property
    def examples(self):
        """Examples of a property, where it does not say more or fewer."""
        return (4, 6, FULL)[self]


@dataclass(frozen=True)
class Placed:
    """The tier of a test, and what put it there."""

    tier: Tier
    why: tuple[str, ...] = ()

    def runs(self, asked):
        """Whether it runs when a tier is asked for."""
        return asked in {Tier.ALL, self.tier}


def read_seconds():
    """Read what tests take: a line for a file, of its tests in the mean, and for each function that takes far more."""
    lines = Path(__file__).with_name("seconds.txt").read_text(encoding="utf-8").splitlines()
    return {name: float(seconds) for seconds, name in (line.split() for line in lines)}


SECONDS = read_seconds()
TIERS = pytest.StashKey[dict[str, Placed]]()
"""Of each collected test."""

FULL = 40
"""Examples of a property where all is run, if it does not say more or fewer."""


def examples(many, **more):
    """Settings of a property that has so many examples where all is run, and a share of them before."""
    return settings(max_examples=max(3, many * settings().max_examples // FULL), **more)


def reasons(item):
    """What puts a test in a later tier: fixtures, an engine that is a parameter, a mark."""
    if item.get_closest_marker("smoke"):
        return []
    fixtures = [name for name in getattr(item, "fixturenames", ()) if name in REST]
    given = item.callspec.params if hasattr(item, "callspec") else {}
    engines = [
        f"{name}={given[name]}"
        for name in NAMES_OF_ENGINES
        if isinstance(given.get(name), str) and given[name] in ENGINES
    ]
    marks = ["slow"] * (item.get_closest_marker("slow") is not None)
    return fixtures + engines + marks + ["rare"] * is_rare(item, given)


def is_quick(nodeid):
    """Whether a test is of the quick tier, by its place and name."""
    name = nodeid.partition("::")[2].partition("[")[0]
    return nodeid.startswith(QUICK) and name not in UNHURRIED


def may_be_quick(path):
    """Whether a file, or what is in a folder, may hold a test of the quick tier; no other is read."""
    path = f"{path}/" if not path.endswith(".py") else path
    return any(each.startswith(path) or path.startswith(each) for each in QUICK)


def is_rare(item, given):
    """Whether a test is marked `rare`; one marked `rare(on=ENGINE)` is so with that engine alone."""
    mark = item.get_closest_marker("rare")
    if mark is None or not mark.kwargs:
        return mark is not None
    return mark.kwargs["on"] in [given.get(name) for name in NAMES_OF_ENGINES]


def tiers_of(items):
    seen = {}
    found = {item.nodeid: placed(item, seen) for item in items}
    keep_one_of_each(items, found)
    return found


def keep_one_of_each(items, found):
    """Put a test of each file, and of each fixture of `REST`, that would run each week alone into the rest: the shortest."""
    groups = defaultdict(list)
    for item in items:
        why = found[item.nodeid].why
        for group in (item.nodeid.partition("::")[0], *{*REST}.intersection(why)):
            groups[group].append(item)
    for tests in groups.values():
        dear = [item for item in tests if "dear" in found[item.nodeid].why]
        if dear and all(found[item.nodeid].tier is Tier.ALL for item in tests):
            least = min(dear, key=lambda item: seconds_of(item, found[item.nodeid].why)).nodeid
            found[least] = Placed(Tier.REST, found[least].why)


def placed(item, seen):
    why, place = reasons(item), place_in_sample(item, seen)
    own = Tier.REST if why else Tier.DEFAULT
    if "rare" in why or place % samples_of(item):
        return Placed(Tier.ALL, (*why, *["sampled"] * ("rare" not in why)))
    share = place_in_share(item, why, place // samples_of(item), SHARES[own])
    if share == 0 or item.get_closest_marker("smoke"):
        return Placed(own, (*why,))
    soon = item.nodeid.startswith(KINDS) or (own is Tier.DEFAULT and share <= NEXT_SHARES)
    return Placed(Tier.REST if soon else Tier.ALL, (*why, "dear"))


def seconds_of(item, why):
    """Return the seconds that a test takes: those of its function or else of its file, and what its server takes at least."""
    names = (item.nodeid.partition("[")[0], item.nodeid.partition("::")[0])
    own = next((SECONDS[name] for name in names if name in SECONDS), 0)
    return max(own, *(AT_LEAST.get(each.rpartition("=")[2], 0) for each in why), 0)


def place_in_share(item, why, place, share):
    """Say to which share of its function's tests a test belongs; the first share is of its own tier.

    There are as many as make a test take `share` seconds in the mean. Which comes first says a hash of the function's name,
    so that it is the same one everywhere.
    """
    many = ceil(seconds_of(item, why) / share) or 1
    return (place + crc32(item.nodeid.partition("[")[0].encode())) % many


def samples_of(item):
    """Return the n of a test that is marked `sampled(n)`, and 1 of any other."""
    mark = item.get_closest_marker("sampled")
    return mark.args[0] if mark else 1


def place_in_sample(item, seen):
    """Number the cases of a test, so that of any n samples by this number each meets all values of each parameter.

    The samples are Latin ones: of several parameters each value is met, if the others have `n` or more.
    """
    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    groups = []
    for each in item.iter_markers("parametrize"):
        names = each.args[0].split(",") if isinstance(each.args[0], str) else each.args[0]
        groups.append([name.strip() for name in names])
    groups += [[name] for name in given if not any(name in names for names in groups)]
    place = 0
    for names in groups:
        values = tuple(id(given[name]) for name in names)
        known = seen.setdefault((item.nodeid.partition("[")[0], *names), {})
        place += known.setdefault(values, len(known))
    return place


def not_on(system, item):
    """Say why a test cannot run on a system, by the name that `os.name` has there; None where it can.

    A test that uses what Windows does not have says so itself; what all tests of an engine need is here.
    """
    if system == "posix":
        return None
    given = item.callspec.params if hasattr(item, "callspec") else {}
    engines = {given[name] for name in NAMES_OF_ENGINES if isinstance(given.get(name), str)}
    names = {*engines, *getattr(item, "fixturenames", ())}
    if names & {*ENGINES, "server", "java"}:
        return "PostgreSQL and Spark of the tests start on Linux and macOS"
    return None


def may_start(item):
    """Whether a test may start an engine of its own: one that does is of a later tier, or a smoke test."""
    return bool(reasons(item)) or item.get_closest_marker("smoke") is not None
