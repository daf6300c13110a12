"""Random small tables and policies against the oracle of the tests: plain Python that shares no code with the product.

    python -m benchmarks.fuzz [--policies 5000] [--seconds N] [--seed 0] [--projects 100]

Each policy is drawn from a seed of its own: a privacy model (each as often as k), what NULL is, what is counted, a
search, and a channel of release. A search that promises the optimum must find what brute force finds, or nothing where
there is nothing; any other must release only classes that fit, and must not call a policy infeasible that is not. What a
channel releases is compared row by row: with brute force, and with what `apply` releases by the same plan. Channels are
relations, tables, files, views, scripts, the statement of warehouses in DuckDB's words, frequency sets that DuckDB counted,
searches that a time limit ended and that were resumed, pseudonyms, other outputs of a column, and new rows. `--projects`
puts so many policies into one project of dbt, and of SQLMesh where KANON_SQL_SQLMESH names a Python that has it, and
compares what is built. A failure prints its seed and policy; the exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import hmac
import itertools
import json
import math
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

import kanon_sql
from kanon_sql.recoding.single_dimensional.k_optimize_table import KOptimizeTable
from kanon_sql.release.warehouse_sql import HERE, WAREHOUSES

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import class_models
from oracle import AT_ONE_NODE, Levels, Problem, Writer, close, optimum_of
from population_models import PopulationProblem, Presence
from table_models import Bounds, TableProblem

from tests.attacks.projects import in_dbt, in_sqlmesh
from tests.attacks.reader import seen
from tests.dbt.conftest import Project as DbtProject
from tests.sqlmesh.conftest import Project as SQLMeshProject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MODELS = (
    "k", "distinct_l", "alpha", "entropy", "recursive", "t", "ordered t", "hierarchical t", "beta", "enhanced beta",
    "delta", "k_map", "delta_presence", "average_risk", "sample_uniqueness", "population_uniqueness", "over",
    "signature", "wildcard",
)  # fmt: skip
EXACT = ("optimal", "exhaustive", "lightning")
OTHERS = (
    "samarati", "ola", "flash", "incognito", "all_min", "breadth_first", "greedy", "datafly", "mondrian", "mu_argus",
    "top_down", "bottom_up", "k_optimize",
)  # fmt: skip
CUTTING = {"mondrian", "top_down", "bottom_up", "k_optimize"}
CHANNELS = (
    "relation", "table", "parquet", "view", "script", "new rows", "warehouse", "frequency set", "resumed", "pseudonyms",
    "output",
)  # fmt: skip
IN_PROJECTS = {"k", "distinct_l", "alpha", "over"}
"""The models that dbt counts. It refuses a policy of any other, which would leave a project with few releases."""
KEY_ENV, KEY = "KANON_FUZZ_KEY", "a key of people who do not exist"
TEXTS = ("", "a", "é", "Ω'", "名", "%_", "-- x")


class Alarm(Exception):  # noqa: N818  what is raised is the finding itself
    """What the product says is not what brute force says."""


@dataclass
class Matching(Problem):
    """NULL matches any value: a row has the candidates that match it, among the rows that are left."""

    def short(self, node: Levels, rows: set[int]) -> list[list[int]]:
        labels = {i: self.generalized(self.rows[i], node) for i in rows}

        def candidates(i: int) -> int:
            return sum(
                all(
                    a is None or b is None or a == b
                    for a, b in zip(labels[i], labels[j], strict=True)
                )
                for j in rows
            )

        return [[i] for i in rows if candidates(i) < self.k]


@dataclass
class Drawn:
    """One policy with its table, and how it is searched and released."""

    name: str
    problem: Any
    search: dict[str, Any]
    nulls: str
    channel: str
    ended: str = ""


def drawn_tree(rng: random.Random, values: list[Any]) -> dict[Any, list[str | None]]:
    """Draw a hierarchy of up to two levels and a root."""
    labels: dict[Any, list[str | None]] = {v: [] for v in values}
    parent = {v: n for n, v in enumerate(values)}
    for level in range(rng.randint(0, 2)):
        groups = rng.randint(1, len(values))
        merged = {g: rng.randrange(groups) for g in sorted(set(parent.values()))}
        parent = {v: merged[parent[v]] for v in values}
        for v in values:
            labels[v].append(f"é{level}.{parent[v]}")
    return {v: [*own, "*"] for v, own in labels.items()}


def drawn_rule(rng: random.Random, name: str) -> class_models.Rule | None:
    share = Fraction(rng.randint(0, 19), 20)
    by = rng.choice([("source", "release"), ("source",), ("release",)])
    c, absent = Fraction(rng.randint(1, 30), rng.randint(1, 9)), rng.choice(["fails", "ignored"])
    made = {
        "alpha": lambda: class_models.alpha(share),
        "entropy": lambda: class_models.entropy(rng.choice([1, 1.5, 2, 2.5, 3])),
        "recursive": lambda: class_models.recursive(c, rng.randint(1, 3)),
        "t": lambda: class_models.equal_distance(share, *by),
        "ordered t": lambda: class_models.ordered_distance(
            share, rng.sample(["a", "b", "c", "e"], 4), *by
        ),
        "hierarchical t": lambda: class_models.tree_distance(share, *by),
        "beta": lambda: class_models.beta(share + Fraction(1, 20), *by, enhanced=False),
        "enhanced beta": lambda: class_models.beta(share + Fraction(1, 20), *by, enhanced=True),
        "delta": lambda: class_models.delta(Fraction(rng.randint(1, 12), 4), *by, absent=absent),
    }
    return made[name]() if name in made else None


def drawn(seed: int) -> Drawn:
    """Draw a policy and its table."""
    rng = random.Random(seed)
    name = rng.choice(MODELS)
    count, width = rng.randint(1, 16), rng.randint(1, 3)
    of_population = name in {"k_map", "delta_presence"}
    nulls = "wildcard" if name == "wildcard" else "category"
    if not of_population and name not in {"wildcard", "signature", "over"}:
        nulls = rng.choice(["category", "category", "suppress", "refuse"])
    hierarchies, columns, people = [], [], []
    others = rng.randint(1, 20)
    for _ in range(width):
        size = rng.randint(1, 4)
        pool: list[Any] = (
            list(range(-1, size - 1)) if rng.random() < 0.5 else rng.sample(TEXTS, size)
        )
        has_null, entry = rng.random() < 0.4, rng.random() < 0.3
        entry = entry and nulls == "category"
        hierarchies.append(drawn_tree(rng, [*pool, *([None] if has_null and entry else [])]))
        cells = [*pool, *([None] if has_null else [])]
        columns.append([rng.choice(cells) for _ in range(count)])
        people.append([rng.choice(cells) for _ in range(others)])
    given: dict[str, Any] = {
        "rows": list(zip(*columns, strict=True)),
        "hierarchies": hierarchies,
        "k": rng.randint(1, min(5, count)),
        "max_suppressed": rng.choice([0, rng.randint(0, count - 1)]),
        "leaves_out_nulls": nulls == "suppress",
    }
    rule = drawn_rule(rng, name)
    if (
        rule is not None
        or name in {"distinct_l", "over"}
        or (name == "signature" and rng.random() < 0.5)
    ):
        values = rng.choice([("a",), ("a", None), ("a", "b"), ("a", "b", "c", "e", None)])
        given |= {
            "spread": [rng.choice(values) for _ in range(count)],
            "counts_null": rng.random() < 0.3,
            "rule": rule,
            "l": 1 if rule is not None else rng.randint(1, min(3, count)),
        }
    whole_rows = {
        "k_map",
        "delta_presence",
        "average_risk",
        "sample_uniqueness",
        "population_uniqueness",
        "wildcard",
    }
    if name == "signature" or (name not in whole_rows and rng.random() < 0.3):
        given["entities"] = [rng.randint(0, rng.choice([2, 5])) for _ in range(count)]
        given["signature"] = name == "signature"
    if name == "over":
        given["over"] = [
            (
                tuple(sorted(rng.sample(range(width), rng.randint(1, width)))),
                rng.randint(1, min(6, count)),
                given["l"],
            )
            for _ in range(rng.randint(1, 2))
        ]
    problem: Any
    if of_population:
        bounds = sorted(Fraction(rng.randint(0, 10), 10) for _ in range(2))
        own = list(zip(*people, strict=True))
        problem = PopulationProblem(
            **given,
            population=[*(given["rows"] if rng.random() < 0.8 else []), *own],
            k_map=rng.randint(1, 6) if name == "k_map" else 0,
            presence=None
            if name == "k_map"
            else Presence(
                bounds[0] if rng.random() < 0.5 else Fraction(0),
                bounds[1],
                ignored=rng.random() < 0.5,
            ),
        )
    elif name in {"average_risk", "sample_uniqueness", "population_uniqueness"}:
        asked = {
            "average_risk": "risk",
            "sample_uniqueness": "unique",
            "population_uniqueness": "there",
        }[name]
        problem = TableProblem(**given, bounds=Bounds(**{asked: Fraction(rng.randint(0, 12), 20)}))
    else:
        problem = (Matching if name == "wildcard" else Problem)(**given)
    if rng.random() < 0.6:
        search = {**rng.choice(AT_ONE_NODE), "algorithm": rng.choice(EXACT)}
    else:
        search = {"algorithm": rng.choice((*OTHERS, "optimal", "optimal"))}
        if search["algorithm"] == "optimal":
            search["recoding"] = rng.choice(["local", "cells"])
    channel = rng.choice(CHANNELS)
    if channel == "resumed":
        search = {"algorithm": "k_optimize"}  # the only search that goes on from a plan
    return Drawn(name, problem, search, nulls, channel)


def policy_of(each: Drawn, writer: Writer, kinds: Sequence[str] = ()) -> tuple[dict[str, Any], Any]:
    """Write the policy and the table; a population is a file."""
    problem = each.problem
    policy, frame = writer.policy(problem, each.search, kinds=kinds), writer.frame(problem)
    if each.nulls != "category":
        policy["nulls"] = each.nulls
    if each.search["algorithm"] in CUTTING:
        for c, _ in enumerate(problem.tops):
            numbers = pa.types.is_integer(frame.schema.field(f"q{c}").type)
            policy["columns"][f"q{c}"]["order"] = "number" if numbers else "text"
    if each.search["algorithm"] in {"top_down", "bottom_up"} and problem.spread is not None:
        policy["search"]["target"] = "s"
    if isinstance(problem, PopulationProblem):
        names = [f"q{c}" for c, _ in enumerate(problem.tops)]
        cells = zip(*problem.population, strict=True)
        table = pa.table(
            {n: pa.array(c, frame.schema.field(n).type) for n, c in zip(names, cells, strict=True)}
        )
        writer.files += 1
        path = str(writer.folder / f"{writer.files}.parquet")
        pq.write_table(table, path)
        policy["privacy"] = [*policy["privacy"], *problem.privacy(path)]
    if isinstance(problem, TableProblem):
        policy["privacy"] = [*policy["privacy"], *problem.bounds.privacy]
    return policy, frame


def for_channel(each: Drawn, policy: dict[str, Any], rng: random.Random) -> None:
    """Write what a channel needs into a policy."""
    policy["source"] = {"table": "people"}
    if each.channel == "view":
        policy["release"] = {"table": "out", "view": True}
    elif each.channel == "pseudonyms":
        policy["columns"]["pid"] = {"role": "identifying", "action": "hash", "key_env": KEY_ENV}
    elif each.channel == "output":
        column = f"q{rng.randrange(len(each.problem.tops))}"
        policy["columns"][column]["output"] = rng.choice(["set", "representative"])


def planned(
    each: Drawn, policy: dict[str, Any], connection: duckdb.DuckDBPyConnection
) -> kanon_sql.Plan:
    """Plan on the rows, or on what DuckDB counts of them as a warehouse; or until a time limit, and from there."""
    if each.channel == "frequency set":
        query = kanon_sql.frequency_query(policy, dialect="duckdb", table="people")
        connection.execute(f"CREATE TABLE counted AS {query}")
        return kanon_sql.plan(policy, frequency_set="counted", connection=connection)
    if each.channel != "resumed":
        return kanon_sql.plan(policy, connection=connection)
    whole = kanon_sql.plan(policy, connection=connection)
    looks = [2]  # at the clock, until the time limit

    def late(_: KOptimizeTable) -> bool:
        looks[0] -= 1
        return looks[0] < 0

    with mock.patch.object(KOptimizeTable, "late", late):
        plan = kanon_sql.plan(policy, connection=connection)
    if plan.state is not None:
        written = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")
        plan = kanon_sql.plan(
            policy, connection=connection, overrides={"time_limit": "9m"}, resume=written
        )
        if (plan.cost, plan.recoding) != (whole.cost, whole.recoding):
            raise Alarm(f"the whole search costs {whole.cost}, and the resumed one {plan.cost}")
        each.ended = "gone on with"
    return plan


def released(
    each: Drawn,
    policy: dict[str, Any],
    plan: kanon_sql.Plan,
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
) -> list[tuple[Any, ...]]:
    """Release by a channel, and read what a reader gets: the row's number and its labels."""
    given: dict[str, Any] = {"policy": policy, "connection": connection}
    names = ", ".join(["id", *(f"q{c}" for c, _ in enumerate(each.problem.tops))])
    out = "out"
    match each.channel:
        case "relation":
            with kanon_sql.apply(plan, **given) as made:
                return list(made.relation.project(names).fetchall())
        case "table":
            kanon_sql.apply(plan, **given, release=out)
        case "parquet":
            path = folder / "out.parquet"
            path.unlink(missing_ok=True)
            kanon_sql.apply(plan, **given, release=str(path))
            out = f"'{path}'"
        case "view":
            kanon_sql.apply(plan, **given)
        case "script":
            script = kanon_sql.compile_sql(
                plan, policy=policy, connection=connection, dialect="duckdb", release=out
            )
            connection.execute(script)
        case "warehouse" | "frequency set":
            with as_warehouse():
                script = kanon_sql.compile_sql(
                    plan, **given, dialect="duckdb", table="people", release=out
                )
            connection.execute(script)
        case "pseudonyms":
            kanon_sql.apply(plan, **given, release=out)
            for number, pseudonym in connection.execute(f"SELECT id, pid FROM {out}").fetchall():
                due = hmac.new(KEY.encode(), f"é{number}".encode(), "sha256").hexdigest()
                if pseudonym != due:
                    raise Alarm("a pseudonym is not the keyed hash of its row's value")
        case "resumed" | "output":
            kanon_sql.apply(plan, **given, release=out)
        case "new rows":
            kanon_sql.apply(plan, **given, release=out, to_new_rows=True)
        case _:
            raise ValueError(each.channel)
    return list(connection.execute(f"SELECT {names} FROM {out}").fetchall())


@contextlib.contextmanager
def as_warehouse() -> Iterator[None]:
    """Have DuckDB taken for a warehouse, whose script is one statement in words that all of them share."""
    WAREHOUSES["duckdb"] = HERE["duckdb"]
    try:
        yield
    finally:
        del WAREHOUSES["duckdb"]


def one(seed: int, folder: Path) -> str:
    """Draw and check one policy; return how it ended. Raises Alarm."""
    each = drawn(seed)
    problem = each.problem
    policy, frame = policy_of(each, Writer(folder))
    for_channel(each, policy, random.Random(seed))
    exact = each.search["algorithm"] in EXACT and "recoding" not in each.search
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("frame", frame)
        more = ", 'é' || id AS pid" if each.channel == "pseudonyms" else ""
        connection.execute(f"CREATE TABLE people AS SELECT *{more} FROM frame")
        try:
            plan = planned(each, policy, connection)
        except kanon_sql.InfeasibleError as error:
            if problem.feasible and (exact or "no recoding satisfies" in str(error)):
                raise Alarm(f"feasible at {min(problem.feasible)}, and said: {error}") from error
            return "infeasible" if exact else "not found"
        except kanon_sql.KanonError as error:
            if isinstance(error, kanon_sql.InternalError):
                raise Alarm(str(error)) from error
            return "refused"
        try:
            rows = released(each, policy, plan, connection, folder)
        except kanon_sql.InfeasibleError:
            if each.channel != "new rows":
                raise
            return "no new row"
        except kanon_sql.InputError:
            return "refused by the channel"
        if each.channel not in {"new rows", "relation", "frequency set", "view"}:
            due = released(replace(each, channel="relation"), policy, plan, connection, folder)
            if Counter(map(str, rows)) != Counter(map(str, due)):
                raise Alarm(f"{len(rows)} rows are released, and {len(due)} others by apply")
    check_rows(each, rows)
    if exact:
        check_exact(each, plan, rows)
    if each.channel == "output":
        check_output(policy, each, rows)
    return f"released: {each.channel} {each.ended}".strip()


def check_output(policy: dict[str, Any], each: Drawn, rows: list[tuple[Any, ...]]) -> None:
    """A representative is a value of its class; two sets are one text where they are one set."""
    ((place, kind),) = [
        (int(name[1:]), of["output"]) for name, of in policy["columns"].items() if "output" in of
    ]
    texts, values = {}, defaultdict(set)
    for number, *labels in rows:
        key = tuple(
            label for c, label in enumerate(labels) if kind == "representative" or c != place
        )
        values[key, labels[place]].add(each.problem.rows[number][place])
        texts[number] = labels[place]
    for (_, text), own in values.items():
        if kind == "representative" and str(text) not in map(str, own):
            raise Alarm("a representative is no value of its class")
        if kind == "set" and not all(str(v) in str(text) for v in own if v is not None):
            raise Alarm("a set lacks a value of its class")


def check_rows(each: Drawn, rows: list[tuple[Any, ...]]) -> None:
    """Whatever the search: classes that fit by themselves, counted by their labels, and no row twice."""
    problem = each.problem
    ids = [row[0] for row in rows]
    if len(set(ids)) != len(ids):
        raise Alarm("a row is released twice")
    gone = len(problem.rows) - len(ids)
    if each.channel != "new rows" and gone > problem.max_suppressed:
        raise Alarm(f"{gone} rows are suppressed, and {problem.max_suppressed} may be")
    if each.name in {"signature", "wildcard"}:
        return  # compared with brute force at one node
    classes = defaultdict(list)
    for number, *labels in rows:
        classes[tuple(map(str, labels))].append(number)
    for members in classes.values():
        if not problem.fits(members, problem.k, problem.l):
            raise Alarm(f"a class of {len(members)} rows does not fit")
    for columns, k, least in problem.over:
        found = defaultdict(list)
        for number, *labels in rows:
            found[tuple(str(labels[c]) for c in columns)].append(number)
        if not all(problem.fits(members, k, least, over=True) for members in found.values()):
            raise Alarm(f"a class over {columns} does not fit")
    if problem.rule is not None and problem.rule.of_release:
        table = problem.counts(ids)
        if not all(problem.rule.fits(problem.counts(own), table) for own in classes.values()):
            raise Alarm("a class does not fit by the released rows")


def check_exact(each: Drawn, plan: kanon_sql.Plan, rows: list[tuple[Any, ...]]) -> None:
    """The optimum of all nodes, and at it the rows that brute force keeps, under their labels."""
    problem, node = each.problem, tuple(plan.levels.values())
    if node not in problem.feasible:
        raise Alarm(f"{node} is not feasible")
    best = optimum_of(problem, each.search)
    if plan.optimal and not close(tuple(plan.cost), best):
        raise Alarm(f"the optimum costs {best}, and the plan {tuple(plan.cost)}")
    out = problem.outcome(node)
    kept = {i for key in out.kept for i in out.rows_of[key]}
    if (plan.suppressed_rows, plan.classes) != (
        out.suppressed,
        len(out.kept),
    ) and each.name not in {"wildcard", "signature"}:
        raise Alarm(
            f"{plan.suppressed_rows} suppressed, {plan.classes} classes; {out.suppressed}, {len(out.kept)}"
        )
    if each.channel == "new rows":
        return  # judged by themselves: each class by what it is among them
    if {row[0] for row in rows} != kept:
        raise Alarm(f"{len(rows)} rows are released, and brute force keeps {len(kept)} others")
    for number, *labels in rows:
        due = problem.generalized(problem.rows[number], node)
        if each.channel == "output":
            continue  # compared by `check_output`
        if [str(a) for a in labels] != [str(b) for b in due]:
            raise Alarm("a label is not that of its hierarchy")


@dataclass
class Model:
    """A policy as projects read one: what `in_dbt` and `in_sqlmesh` of the attack table ask of an attack."""

    seed: int
    drawn: Drawn
    policy: dict[str, Any]
    source: str
    due: list[tuple[Any, ...]]

    @property
    def name(self) -> str:
        return str(self.seed)

    @property
    def slug(self) -> str:
        return f"t_{self.seed}"

    def columns(self) -> dict[str, Any]:
        return dict(self.policy["columns"])

    def mapping(self, **changes: object) -> dict[str, Any]:
        return {**{k: v for k, v in self.policy.items() if k != "source"}, **changes}


def modelled(seed: int, folder: Path) -> Model | None:
    """Draw a policy that projects can say, with what `apply` releases; None where there is no plan."""
    each = replace(drawn(seed), channel="relation")
    rng = random.Random(seed)
    if each.name not in IN_PROJECTS:
        return None
    if each.nulls != "category" or any(None in tree for tree in each.problem.hierarchies):
        return None  # an entry of NULL is that of a query, which projects do not run
    folder = folder / str(seed)
    folder.mkdir()
    policy, frame = policy_of(each, Writer(folder), kinds=[rng.choice(["tree", "csv"])] * 3)
    path = folder / f"rows_of_{seed}.parquet"
    pq.write_table(frame, path)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{path}'")
        own = {**policy, "source": {"table": "people"}}
        try:
            plan = kanon_sql.plan(own, connection=connection)
            due = released(each, own, plan, connection, folder)
        except kanon_sql.KanonError:
            return None
    return Model(seed, each, policy, f"FROM '{path}'", due)


def projects(seeds: Iterator[int], number: int, folder: Path) -> Iterator[tuple[str, Counter[str]]]:
    """Build policies in one project of dbt and one of SQLMesh. Compares the rows with those of `apply` and the oracle."""
    models = list(itertools.islice(filter(None, (modelled(n, folder) for n in seeds)), number))
    made: dict[str, Callable[[Path], Any]] = {"dbt": lambda own: in_dbt(DbtProject(own), models)}
    if python := os.environ.get("KANON_SQL_SQLMESH"):
        made["SQLMesh"] = lambda own: in_sqlmesh(SQLMeshProject(own, python), models)
    for kind, build in made.items():
        own = Path(tempfile.mkdtemp(dir=folder))
        outcomes = build(own).outcomes
        found = Counter[str]()
        for model in models:
            rows = outcomes[model.name].rows
            if rows is None:
                found["refused"] += 1
                continue
            due = Counter(map(str, ([seen(v) for v in row] for row in model.due)))
            names = ["id", *(f"q{c}" for c, _ in enumerate(model.drawn.problem.tops))]
            got = Counter(str([row[name] for name in names]) for row in rows)
            if got != due:
                print(
                    f"seed {model.seed}: {kind}: {got.total()} rows, and {due.total()} others by apply"
                )
                print(json.dumps(model.policy, ensure_ascii=False, default=str), flush=True)
            found["released" if got == due else "ALARM"] += 1
        yield kind, found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policies", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--projects", type=int, default=0, help="policies of one project")
    asked = parser.parse_args()
    os.environ.setdefault("XDG_STATE_HOME", tempfile.mkdtemp(prefix="kanon-fuzz-"))
    os.environ[KEY_ENV] = KEY
    ends, alarms = Counter[str](), list[object]()
    of_model: dict[str, Counter[str]] = defaultdict(Counter)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in itertools.islice(itertools.count(asked.seed), asked.policies):
            if time.monotonic() - begun > asked.seconds:
                break
            try:
                end = one(seed, Path(folder))
            except Exception as error:  # noqa: BLE001  whatever it is, it is reported with its seed
                end = "ALARM"
                alarms.append(seed)
                each = drawn(seed)
                with contextlib.suppress(Exception):
                    policy, _ = policy_of(each, Writer(Path(folder)))
                    print(json.dumps(policy, ensure_ascii=False, default=str))
                    print(f"rows {each.problem.rows}; {each.channel}; {each.nulls}")
                last = "" if isinstance(error, Alarm) else traceback.format_exc(limit=-3)
                print(f"seed {seed}: {type(error).__name__}: {error}\n{last}", flush=True)
            ends[end] += 1
            of_model[drawn(seed).name][end] += 1
        if asked.projects:
            own = itertools.count(asked.seed + asked.policies)
            for kind, found in projects(own, asked.projects, Path(folder)):
                print(f"{kind}: {dict(found)}", flush=True)
                alarms += [kind] * found["ALARM"]
    done = sum(ends.values())
    print(json.dumps({"policies": done, "seconds": round(time.monotonic() - begun, 1), **ends}))
    for name, found in sorted(of_model.items()):
        print(f"{name}: {dict(found)}")
    print(f"alarms: {alarms}")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
