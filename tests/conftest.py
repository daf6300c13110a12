"""What several test modules build on: the oracle on the path, problems, and checkers for them."""

from __future__ import annotations

import atexit
import gc
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, Phase, settings

sys.path.insert(0, str(Path(__file__).parent))
# Shells that are dependencies of the tests lie beside this Python, be its environment entered or not.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

from candidates import PythonGraphs
from oracle import Writer
from tiers import FULL, RUNNING, TIERS, Tier, is_quick, may_be_quick, not_on, tiers_of

from kanon_sql.apps.cli import console
from kanon_sql.counting.hierarchies.mapping import map_all
from kanon_sql.counting.lattice.encode import encode, value_nodes_of
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.result import Passes, Verdict
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.policy.metrics.statistics import (
    ColumnStatistics,
    Counts,
    LevelStatistics,
    Need,
    TableStatistics,
)
from kanon_sql.policy.read_policy import read_policy

# What is printed to a file does not depend on the terminal of whoever runs the tests.
os.environ.pop("COLUMNS", None)
# Nor does it depend on how fast the machine is: no run of the command line in this process is long enough for progress.
console.BETWEEN_LINES = 3_600.0
# The key of plans that tests make is none of the user's who runs them.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="kanon-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

STARTED_BESIDE = pytest.StashKey[set]()
"""What was in the current folder before the first test."""
SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)
for each in Tier:
    settings.register_profile(
        each.name.lower(),
        deadline=None,
        max_examples=each.examples,
        derandomize=True,
        suppress_health_check=SLOW_IS_FINE,
    )
settings.register_profile(  # --hypothesis-profile=explore: new examples each time, and many
    "explore", deadline=None, max_examples=10 * FULL, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile(  # does not search for a smaller example of a failure
    "unshrunk",
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=SLOW_IS_FINE,
)


def pytest_addoption(parser):
    parser.addoption(
        "--tier",
        choices=["quick", *(each.name.lower() for each in Tier)],
        help="quick: what tells most in a short time; rest: what the default leaves out, with more examples; all: every case",
    )


def pytest_configure(config):
    gc.disable()
    # Each worker reads all tests, and tests start Python anew: what is compiled once stays compiled.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # jsonschema would read 38 grammars of URIs, for seconds in each worker, and no schema here checks a format.
    sys.modules["rfc3987_syntax"] = None
    settings.load_profile((config.option.tier or "default").replace("quick", "default"))
    if config.option.tier != "all":
        keep_to_one_thread()


def keep_to_one_thread():
    """Open databases with one thread: tables are small here, and threads of several workers wait for another."""
    opens = duckdb.connect

    def connect(*args, config=None, **more):
        return opens(*args, config={"threads": 1, **(config or {})}, **more)

    duckdb.connect = connect


def pytest_ignore_collect(collection_path, config):
    """Read no file for the quick tier that has none of its tests: reading all takes as long as running these."""
    if config.option.tier != "quick":
        return None
    place = collection_path.relative_to(config.rootpath).as_posix()
    return None if place in {".", "tests"} or may_be_quick(place) else True


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Look for examples in docstrings where a file has one: to look for them in all takes seconds."""
    found = yield
    if (
        any(isinstance(each, DoctestModule) for each in found)
        and b">>>" not in file_path.read_bytes()
    ):
        found = [each for each in found if not isinstance(each, DoctestModule)]
    return found


def needs_spark(nodeid):
    return "tests/engines/" in nodeid and "spark" in nodeid


def pytest_collection_modifyitems(config, items):
    """Keep the tests of one tier; where files are named and no tier is, all of theirs.

    What takes longest begins first, so that the others' workers are done when it is.
    """
    config.stash[TIERS] = tiers_of(items)
    items.sort(key=lambda item: not needs_spark(item.nodeid))
    asked = config.option.tier
    if config.args and all(".py" in each for each in config.args) and asked is None:
        return
    split = {True: [], False: []}
    for item in items:
        placed = config.stash[TIERS][item.nodeid]
        quick = asked == "quick" and is_quick(item.nodeid) and not {*placed.why} - {"sampled"}
        tier = Tier[asked.upper()] if asked and asked != "quick" else Tier.DEFAULT
        split[quick if asked == "quick" else placed.runs(tier)].append(item)
    items[:] = split[True]
    config.hook.pytest_deselected(items=split[False])


def pytest_collection_finish():
    """Keep what is collected out of the garbage collector's sight to the end: a look at it takes seconds.

    It is thawed after pytest's own end, which collects garbage five times: Python's end frees what DuckDB counts.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)
    gc.enable()
    gc.set_threshold(50_000, 20, 50)


def pytest_sessionstart(session):
    session.config.stash[STARTED_BESIDE] = {*os.listdir()}  # noqa: PTH208  names are compared


def pytest_sessionfinish(session):
    """Fail a run that leaves a file in the folder where it was started; files of tools begin with a point."""
    if hasattr(session.config, "workerinput"):
        return
    left = {each for each in os.listdir() if not each.startswith(".")}  # noqa: PTH208
    if (left := left - session.config.stash[STARTED_BESIDE]) and session.exitstatus == 0:
        print(f"\ntests left in the current folder: {', '.join(sorted(left))}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure():
    gc.enable()  # if nothing was collected


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.config.stash[RUNNING] = item
    if (why := not_on(os.name, item)) is not None:
        pytest.skip(why)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a file in one worker, and all that starts Spark in another: warming it up is dear."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "Spark" if needs_spark(nodeid) else nodeid.partition("::")[0]

    return ByFile(config, log)


def rows_and_logarithms(counts):
    """Sum n ln n exactly, of logarithms to nine places, as a database does."""
    return float(sum(n * Decimal(f"{math.log(n):.9f}") for n in counts))


def stats_of(problem):
    """What the product should find out about a table before any check, counted in Python."""
    columns = []
    for column, top in enumerate(problem.tops):
        levels = []
        for level in range(top + 1):
            counts = Counter(problem.label(column, row[column], level) for row in problem.rows)
            leaves = [problem.leaves(column, row[column], level) for row in problem.rows]
            levels.append(
                LevelStatistics(
                    values=len(counts),
                    leaves=sum(leaves),
                    narrowest=min(leaves),
                    widest=max(leaves),
                    entropy=rows_and_logarithms(counts.values()),
                )
            )
        columns.append(ColumnStatistics(len(problem.hierarchies[column]), tuple(levels)))
    return TableStatistics(len(problem.rows), len(set(problem.rows)), tuple(columns))


def counts_of(problem, node, gone=None):
    """What a check counts at a node; `gone` are the rows suppressed, if not just the short ones."""
    out = problem.outcome(node)
    gone = out.suppressed_rows if gone is None else gone
    kept = {key: n for key, n in out.kept.items() if gone.isdisjoint(out.rows_of[key])}
    squares = sum(n * n for n in kept.values())
    return Counts(
        rows=len(problem.rows),
        classes=len(kept),
        failing=len(out.rows_of) - len(kept),
        suppressed=len(gone),
        smallest=min(out.sizes.values()),
        smallest_kept=min((out.sizes[key] for key in kept), default=0),
        squares=squares,
        failing_squares=sum(len(rows) ** 2 for rows in out.rows_of.values()) - squares,
    )


class FakeChecker:
    """Implements the Checker protocol by counting rows in Python; no database anywhere."""

    several_sets = False

    def __init__(self, problem, metric, *, batch=16, monotone=True, late_after=None, verdicts=None):
        self.problem = problem
        self.lattice = Lattice(problem.tops)
        self.stats = stats_of(problem)
        self.metric = metric
        self.monotone = monotone
        self.batch = batch
        self.max_suppressed = problem.max_suppressed
        self.class_size = problem.k
        self.checked: list[tuple[int, ...]] = []
        self.passes = Passes()
        self.kept: set[Node] = set()
        self._late_after = late_after
        self._verdicts = verdicts or {}

    def check(self, nodes, *, detail=True):
        self.checked += [node.levels for node in nodes]
        return [
            Verdict(
                node,
                counts_of(self.problem, node.levels),
                self._verdicts.get(node.levels, self.problem.outcome(node.levels).feasible),
            )
            for node in nodes
        ]

    def enforced(self, verdict):
        node = verdict.node.levels
        gone = self.problem.enforced(node)
        if gone == self.problem.outcome(node).suppressed_rows:
            return verdict
        counts = counts_of(self.problem, node, gone)
        fits = counts.classes > 0 and len(gone) <= self.max_suppressed
        return Verdict(verdict.node, counts, fits, enforced=True)

    def costs(self, verdicts):
        return [self.metric.cost(self.stats, v.node, v.counts, self._figures(v)) for v in verdicts]

    def _figures(self, verdict):
        node = verdict.node.levels
        out = self.problem.outcome(node)
        gone = self.problem.enforced(node) if verdict.enforced else out.suppressed_rows
        rows = [self.problem.rows[i] for i in gone]
        match self.metric.need:
            case Need.LEAVES:
                return [
                    float(sum(self.problem.leaves(c, row[c], level) for row in rows))
                    for c, level in enumerate(node)
                ]
            case Need.ENTROPY:
                columns = [
                    Counter(self.problem.label(c, row[c], level) for row in rows)
                    for c, level in enumerate(node)
                ]
                return [rows_and_logarithms(counts.values()) for counts in columns]
            case Need.WIDE | Need.AMBIGUITY as need:
                return self._kept_labels(node, gone, need)
        return []

    def _kept_labels(self, node, gone, need):
        problem = self.problem
        kept = [
            [problem.leaves(c, row[c], level) for c, level in enumerate(node)]
            for i, row in enumerate(problem.rows)
            if i not in gone
        ]
        if need is Need.WIDE:
            return [float(sum(row[c] for row in kept if row[c] > 1)) for c in range(len(node))]
        all_tuples = math.prod(map(len, problem.hierarchies))
        return [sum(map(math.prod, kept)) / all_tuples for _ in node]

    def keep(self, node):
        self.passes.made += node not in self.kept
        self.kept.add(node)

    def let_go(self, node):
        self.kept.discard(node)

    def graphs(self):
        return PythonGraphs(self.lattice.tops)

    def late(self):
        return self._late_after is not None and len(self.checked) >= self._late_after


@contextmanager
def sql_checker(policy, frame, *, connection=None, limit=None):
    """The product's own checker for a policy and a frame; gives (checker, encoded, run)."""
    with ExitStack() as stack:
        if connection is None:
            connection = stack.enter_context(duckdb.connect())
        parsed = read_policy(policy)
        run = stack.enter_context(session(DuckDB(connection), parsed))
        opened = open_source(run, frame)
        mapped, of_values = map_all(run, opened)
        encoded = encode(run, value_nodes_of(run.scratch, opened, of_values), mapped)
        if limit is None:
            limit = parsed.suppression.limit(opened.rows)
        checker = make_checker(
            run, encoded, metric=parsed.metric, max_suppressed=limit, deadline=None
        )
        yield checker, encoded, run


def metric_of(search):
    """The product's metric for a policy's `search` entry."""
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"}}
    policy = {"version": 1, "source": "t", "entity": "row", "columns": columns}
    return read_policy({**policy, "privacy": {"k": 1}, "search": search}).metric


@pytest.fixture(scope="session")
def fake_checker():
    """The Checker protocol over the oracle."""
    return FakeChecker


@pytest.fixture(scope="session")
def python_stats():
    return stats_of


@pytest.fixture(scope="session")
def python_counts():
    return counts_of


@pytest.fixture(scope="session")
def metric():
    return metric_of


@pytest.fixture(scope="session")
def sql_check():
    """The product's checker over DuckDB."""
    return sql_checker


@pytest.fixture(scope="session")
def writer(tmp_path_factory):
    """Makes policies, frames and hierarchy files of a problem."""
    return Writer(tmp_path_factory.mktemp("hierarchies"))


@pytest.fixture(scope="session")
def killer():
    """Runs that are killed, by real signals."""
    from killer import killer

    return killer


@pytest.fixture(scope="session")
def dbt():
    """A test that runs dbt asks for this."""
    pytest.importorskip("dbt.adapters.duckdb", reason="no dbt: install dbt-duckdb")


@pytest.fixture(scope="session")
def shared():
    """The folder of reference data beside the repository; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "EXAMPLES.json").is_file():
        pytest.skip("the shared folder with the reference data is not beside this repository")
    return folder
