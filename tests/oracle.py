"""Brute force in plain Python: what every node of a small lattice comes to, without SQL.

Shares no code with the product, and no import. Beside it, random problems and the policies that
state them. A hierarchy is a mapping from a value to its labels, level 1 to
the root; level 0 is the value. NULL is None: a value of its own, which stays None below the root
unless the hierarchy has an entry for it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import pyarrow as pa
from class_models import Counted
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from class_models import Rule

Value = str | int | None
Levels = tuple[int, ...]

METRICS = (
    "height",
    "distortion",
    "loss",
    "discernibility",
    "class_size",
    "normalized_entropy",
    "ncp",
    "ambiguity",
    "entropy",
)
AGGREGATES = ("sum", "mean", "geometric_mean", "rank", "max")


@dataclass(frozen=True)
class Outcome:
    """One node: its classes by their labels, those that are kept, and the rows it suppresses."""

    rows_of: dict[tuple[Value, ...], list[int]]
    kept: dict[tuple[Value, ...], int]
    sizes: dict[tuple[Value, ...], int]
    suppressed: int
    feasible: bool
    left_out: frozenset[int] = frozenset()

    @property
    def suppressed_rows(self) -> set[int]:
        of_classes = {i for key, rows in self.rows_of.items() if key not in self.kept for i in rows}
        return of_classes | self.left_out


def aggregated(losses: list[Fraction], aggregate: str) -> tuple[float, ...]:
    """The loss of a table from those of its columns."""
    if aggregate == "sum":
        return (float(sum(losses)),)
    if aggregate == "mean":
        return (float(sum(losses) / len(losses)),)
    if aggregate == "max":
        return (float(max(losses)),)
    if aggregate == "geometric_mean":
        return (math.prod(1 + float(x) for x in losses) ** (1 / len(losses)) - 1,)
    return tuple(sorted(map(float, losses), reverse=True))


@dataclass
class Problem:
    """A table, its hierarchies, and what every class must reach.

    `entities` and `spread` give a person and a sensitive value for each row, where they count; NULL
    is a sensitive value only where it `counts_null`;
    `without_entry` are the columns whose NULLs no entry was given for; `over` lists what classes
    over some columns alone must reach too: the columns, a k and an l. A `rule` weighs the values of each class
    (see `class_models.py`). Where rows with NULL are `left_out` they are in no class, and suppressed at every node. By
    `signature` a class is the people whose rows have the same labels, each as often.
    """

    rows: list[tuple[Value, ...]]
    hierarchies: list[dict[Value, list[str | None]]]
    k: int = 1
    max_suppressed: int = 0
    entities: list[Value] | None = None
    spread: list[Value] | None = None
    l: int = 1  # noqa: E741
    counts_null: bool = False
    over: list[tuple[tuple[int, ...], int, int]] = field(default_factory=list)
    without_entry: set[int] = field(default_factory=set)
    rule: Rule | None = None
    leaves_out_nulls: bool = False
    signature: bool = False
    _seen: dict[Levels, Outcome] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for column, hierarchy in enumerate(self.hierarchies):
            height = len(next(iter(hierarchy.values())))
            assert all(len(labels) == height for labels in hierarchy.values())
            roots = {labels[-1] for labels in hierarchy.values()}
            assert len(roots) == 1
            has_null = any(row[column] is None for row in self.rows)
            if has_null and None not in hierarchy and not self.leaves_out_nulls:
                self.without_entry.add(column)
                self.hierarchies[column] = {**hierarchy, None: [None] * (height - 1) + [*roots]}

    @property
    def left_out(self) -> frozenset[int]:
        return frozenset(
            i for i, row in enumerate(self.rows) if self.leaves_out_nulls and None in row
        )

    @property
    def in_classes(self) -> list[int]:
        return [i for i in range(len(self.rows)) if i not in self.left_out]

    @cached_property
    def tops(self) -> Levels:
        return tuple(len(next(iter(h.values()))) for h in self.hierarchies)

    @cached_property
    def nodes(self) -> list[Levels]:
        return list(product(*(range(top + 1) for top in self.tops)))

    def label(self, column: int, value: Value, level: int) -> Value:
        return value if level == 0 else self.hierarchies[column][value][level - 1]

    def generalized(self, row: tuple[Value, ...], node: Levels) -> tuple[Value, ...]:
        return tuple(
            self.label(column, value, level)
            for column, (value, level) in enumerate(zip(row, node, strict=True))
        )

    def outcome(self, node: Levels) -> Outcome:
        if node not in self._seen:
            self._seen[node] = self._count(node)
        return self._seen[node]

    def _count(self, node: Levels) -> Outcome:
        rows_of: dict[tuple[Value, ...], list[int]] = defaultdict(list)
        signatures = self.signatures(node) if self.signature else {}
        for i in self.in_classes:
            labels = self.generalized(self.rows[i], node)
            rows_of[signatures[self.entities[i]] if self.signature else labels].append(i)
        sizes = {key: self.size(rows) for key, rows in rows_of.items()}
        left = self.greatest(node)
        kept = {key: len(rows) for key, rows in rows_of.items() if left.issuperset(rows)}
        suppressed = len(self.rows) - sum(kept.values())
        feasible = bool(kept) and suppressed <= self.max_suppressed
        if self.rule is not None and self.rule.of_release:
            released = self.counts(left)
            feasible &= all(self.rule.fits(self.counts(rows_of[each]), released) for each in kept)
        return Outcome(dict(rows_of), kept, sizes, suppressed, feasible, self.left_out)

    def signatures(self, node: Levels) -> dict[Value, tuple[Value, ...]]:
        """The labels of all rows of each person, in an order that is the same for the same rows."""
        labels: dict[Value, list[tuple[Value, ...]]] = defaultdict(list)
        for person, row in zip(self.entities or (), self.rows, strict=self.entities is not None):
            labels[person].append(self.generalized(row, node))
        return {person: tuple(sorted(own, key=repr)) for person, own in labels.items()}

    def size(self, rows: list[int]) -> int:
        return len(rows) if self.entities is None else len({self.entities[i] for i in rows})

    def fits(self, rows: list[int], k: int, l: int, *, over: bool = False) -> bool:  # noqa: E741
        """Whether a class over all columns fits, or `over` some, of which the rule asks nothing."""
        spread = l if self.spread is None else self.values([self.spread[i] for i in rows])
        unweighed = over or self.rule is None or not self.rule.of_class
        return (
            self.size(rows) >= k
            and spread >= l
            and (unweighed or self.rule.fits(self.counts(rows), self.counts(range(len(self.rows)))))
        )

    def counts(self, rows: Iterable[int]) -> Counter[Value]:
        """How often these rows have each sensitive value that counts; of people, how many have it."""
        assert self.spread is not None
        found = [(self.spread[i], self.entities[i] if self.entities else i) for i in rows]
        had = {(v, who) for v, who in found if self.counts_null or v is not None}
        return Counted((v for v, _ in had), people=len({who for _, who in had}))

    def values(self, cells: list[Value]) -> int:
        """How many sensitive values these are."""
        return len(set(cells) if self.counts_null else set(cells) - {None})

    @property
    def demands(self) -> list[tuple[tuple[int, ...], int, int]]:
        return [(tuple(range(len(self.hierarchies))), self.k, self.l), *self.over]

    def short(self, node: Levels, rows: set[int]) -> list[list[int]]:
        """The classes, over any set of columns, that fall short among these rows alone."""
        found = []
        if self.signature:
            people: dict[object, list[int]] = defaultdict(list)
            signatures = self.signatures(node)
            for i in sorted(rows):
                people[signatures[self.entities[i]]].append(i)
            return [each for each in people.values() if not self.fits(each, self.k, self.l)]
        for columns, k, least in self.demands:
            members: dict[tuple[Value, ...], list[int]] = defaultdict(list)
            for i in sorted(rows):
                labels = self.generalized(self.rows[i], node)
                members[tuple(labels[c] for c in columns)].append(i)
            over = len(columns) < len(self.hierarchies)
            found += [each for each in members.values() if not self.fits(each, k, least, over=over)]
        return found

    def greatest(self, node: Levels) -> set[int]:
        """The rows that are left where all classes that fall short go, again and again.

        Without a rule that is the greatest set of rows in which none does, whatever the order.
        """
        rows = set(self.in_classes)
        while short := self.short(node, rows):
            rows -= set().union(*short)
        return rows

    def enforced(self, node: Levels) -> set[int]:
        """What Datafly suppresses: a class that fits too, where fewer than k entities would go."""
        out = self.outcome(node)
        gone = out.suppressed_rows
        if not gone or self.size(sorted(gone)) >= self.k or not out.kept:
            return gone

        def rank(key: tuple[Value, ...]) -> tuple[object, ...]:
            texts = ((v is not None, b"" if v is None else str(v).encode()) for v in key)
            return (out.kept[key], *texts)

        return gone | set(out.rows_of[min(out.kept, key=rank)])

    @property
    def feasible(self) -> set[Levels]:
        return {node for node in self.nodes if self.outcome(node).feasible}

    @property
    def minimal(self) -> set[Levels]:
        """The feasible nodes with no other feasible node at or below them (Samarati 2001)."""
        feasible = self.feasible
        return {
            node
            for node in feasible
            if not any(
                other != node and all(a <= b for a, b in zip(other, node, strict=True))
                for other in feasible
            )
        }

    @property
    def least_height(self) -> int | None:
        return min(map(sum, self.feasible), default=None)

    def least_distorted(self) -> set[Levels]:
        """The minimal nodes with the highest precision (Sweeney 2002)."""
        least = min(map(self.distortion, self.minimal))
        return {node for node in self.minimal if self.distortion(node) == least}

    def relative_distance(self, node: Levels) -> Fraction:
        return sum(
            (Fraction(a, top) for a, top in zip(node, self.tops, strict=True)), start=Fraction(0)
        )

    def cheapest(self, among: Iterable[Levels], search: Mapping[str, str]) -> set[Levels]:
        """Those of some nodes that cost least, up to the last bits."""
        costs = {node: cost_of(self, node, search) for node in among}
        least = min(costs.values())
        return {node for node, cost in costs.items() if close(cost, least)}

    @property
    def lowest(self) -> set[Levels]:
        """The feasible nodes of least height."""
        return {node for node in self.feasible if sum(node) == self.least_height}

    def preferred(self, preference: str, among: Iterable[Levels] | None = None) -> set[Levels]:
        """All nodes that a preference policy could choose, among those of least height if not said.

        The cost is the loss, the metric of a policy that names none.
        """
        layer = self.lowest if among is None else set(among)
        rank = {
            "minimum_absolute_distance": lambda node: Fraction(sum(node)),
            "minimum_relative_distance": self.relative_distance,
            "maximum_distribution": lambda node: Fraction(-len(self.outcome(node).kept)),
            "minimum_suppression": lambda node: Fraction(self.outcome(node).suppressed),
            "minimum_cost": lambda node: tuple(round(x, 9) for x in self.cost(node, "loss")),
        }[preference]
        best = min(map(rank, layer))
        return {node for node in layer if rank(node) == best}

    def optimum(self, metric: str, **options: object) -> tuple[float, ...] | None:
        """The least cost of any feasible node that keeps at least one class."""
        costs = [
            self.cost(node, metric, **options) for node in self.feasible if self.outcome(node).kept
        ]
        return min(costs, default=None)

    def cost(
        self,
        node: Levels,
        metric: str,
        *,
        aggregate: str = "geometric_mean",
        counted: bool = False,
        ignored: bool = False,
    ) -> tuple[float, ...]:
        if metric == "distortion":
            return (float(self.distortion(node)),)
        if metric == "loss":
            return self.loss(node, aggregate)
        if metric == "discernibility":
            return (float(self.discernibility(node, ignored=ignored)),)
        if metric == "class_size":
            out = self.outcome(node)
            return (len(self.rows) / (len(out.kept) + (out.suppressed > 0)),)
        if metric.endswith("entropy"):
            share = metric.startswith("normalized")
            lost = self.normalized_entropy(node) if share else self.entropy(node)
            return (lost + (self.suppressed_entropy(node) if counted else 0.0),)
        of_node = {"height": sum, "ncp": self.ncp, "ambiguity": self.ambiguity}[metric]
        return (float(of_node(node)),)

    def distortion(self, node: Levels) -> Fraction:
        """1 - Prec over all cells, a suppressed cell being wholly generalized."""
        gone = self.outcome(node).suppressed_rows
        cells = [
            Fraction(1) if i in gone else Fraction(level, top)
            for i in range(len(self.rows))
            for level, top in zip(node, self.tops, strict=True)
        ]
        return sum(cells, start=Fraction(0)) / len(cells)

    def leaves(self, column: int, value: Value, level: int) -> int:
        """How many entries of the hierarchy lie under the value's label."""
        if level == 0:
            return 1
        return self._leaves[column][level - 1][self.label(column, value, level)]

    @cached_property
    def _leaves(self) -> list[list[Counter[Value]]]:
        return [
            [Counter(labels[n] for labels in h.values()) for n in range(top)]
            for h, top in zip(self.hierarchies, self.tops, strict=True)
        ]

    def column_losses(self, node: Levels) -> list[Fraction]:
        gone = self.outcome(node).suppressed_rows
        losses = []
        for column, level in enumerate(node):
            domain = len(self.hierarchies[column])
            total = Fraction(0)
            for i, row in enumerate(self.rows):
                hidden = domain if i in gone else self.leaves(column, row[column], level)
                total += Fraction(hidden - 1, domain - 1) if domain > 1 else 0
            losses.append(total / len(self.rows))
        return losses

    def loss(self, node: Levels, aggregate: str) -> tuple[float, ...]:
        return aggregated(self.column_losses(node), aggregate)

    def discernibility(self, node: Levels, *, ignored: bool = False) -> int:
        out = self.outcome(node)
        if ignored:
            return sum(len(rows) ** 2 for rows in [*out.rows_of.values(), self.left_out])
        return sum(n * n for n in out.kept.values()) + len(self.rows) * out.suppressed

    def entropy(self, node: Levels) -> float:
        """Bits lost by generalizing, over all rows."""
        bits = 0.0
        for column, level in enumerate(node):
            values = [self.rows[i][column] for i in self.in_classes]
            before = Counter(values)
            after = Counter(self.label(column, value, level) for value in values)
            for value, count in before.items():
                bits += count * math.log2(after[self.label(column, value, level)] / count)
        return bits

    def normalized_entropy(self, node: Levels) -> float:
        """The mean over the columns of the bits lost, as a share of those lost where all rows are one."""
        shares = []
        for column, level in enumerate(node):
            values = [self.rows[i][column] for i in self.in_classes]
            before = Counter(values)
            after = Counter(self.label(column, value, level) for value in values)
            whole = sum(n * math.log2(len(values) / n) for n in before.values())
            left = sum(n * math.log2(len(values) / n) for n in after.values())
            shares.append((whole - left) / whole if whole else 0.0)
        return sum(shares) / len(shares)

    def hidden(self, node: Levels) -> list[list[int]]:
        """How many leaves each cell may stand for, row by row: all of them where it is suppressed."""
        gone = self.outcome(node).suppressed_rows
        return [
            [
                len(self.hierarchies[column]) if i in gone else self.leaves(column, value, level)
                for column, (value, level) in enumerate(zip(row, node, strict=True))
            ]
            for i, row in enumerate(self.rows)
        ]

    def ncp(self, node: Levels) -> Fraction:
        """The sum of all cells' penalties: the share of the leaves, none for a single value."""
        return sum(
            (
                Fraction(leaves, len(hierarchy)) if leaves > 1 else Fraction(0)
                for row in self.hidden(node)
                for leaves, hierarchy in zip(row, self.hierarchies, strict=True)
            ),
            start=Fraction(0),
        )

    def ambiguity(self, node: Levels) -> int:
        return sum(math.prod(row) for row in self.hidden(node))

    def suppressed_entropy(self, node: Levels) -> float:
        """Bits that the suppressed rows still had after generalizing."""
        gone = self.outcome(node).suppressed_rows
        bits = 0.0
        for column, level in enumerate(node):
            after = Counter(self.label(column, self.rows[i][column], level) for i in gone)
            bits += sum(c * math.log2(len(gone) / c) for c in after.values())
        return bits


LABELS = ("g", "it's", 'a "b"', "ä;ö", "%s", "{x}", "ünï", "NULL", "$1", "\\", "-- x", "x,y")


@st.composite
def trees(draw, values, *, entry_for_null=False):
    """A random tree over the values (and perhaps more values than the data has)."""
    labels: dict[object, list[str]] = {value: [] for value in values}
    if entry_for_null:
        labels[None] = []
    group = {value: i for i, value in enumerate(labels)}
    height = draw(st.integers(1, 3))
    for level in range(1, height):
        count = len(set(group.values()))
        target = draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
        order = dict(zip(sorted(set(group.values())), target, strict=True))
        group = {value: order[old] for value, old in group.items()}
        word = draw(st.sampled_from(LABELS))
        for value, own in group.items():
            labels[value].append(f"{word}{level}.{own}")
    for own in labels.values():
        own.append("*")
    return labels


@st.composite
def problems(
    draw, *, most_rows=40, entity=True, spread=True, full_suppression=False, several=False
):
    """A random table of two or three quasi-identifiers, with NULLs, hierarchies and demands."""
    width = draw(st.integers(2, 3))
    hierarchies, columns = [], []
    count = draw(st.integers(1, most_rows))
    for _ in range(width):
        numbers = draw(st.booleans())
        size = draw(st.integers(1, 5))
        pool = list(range(-1, size - 1)) if numbers else [f"v{i}" for i in range(size - 1)] + [""]
        beyond = draw(st.integers(0, 2))
        extra = [100 + i if numbers else f"extra'{i}" for i in range(beyond)]
        null = draw(st.sampled_from(("none", "bare", "entry")))
        cell = st.sampled_from([*pool, *([] if null == "none" else [None])])
        hierarchies.append(draw(trees([*pool, *extra], entry_for_null=null == "entry")))
        columns.append(draw(st.lists(cell, min_size=count, max_size=count)))
    rows = list(zip(*columns, strict=True))
    people = spreads = None
    k = draw(st.integers(1, min(5, count)))
    least = 1
    if entity and draw(st.booleans()):
        persons = st.integers(0, draw(st.sampled_from((1, 3, 9))))
        people = draw(st.lists(persons, min_size=count, max_size=count))
    if spread and draw(st.booleans()):
        value = st.sampled_from(("a", "b", "c", None))
        spreads = draw(st.lists(value, min_size=count, max_size=count))
        least = draw(st.integers(1, min(3, count)))
    limit = draw(st.integers(0, count if full_suppression else max(0, count - 1)))
    over = []
    if several:
        columns = st.sets(st.integers(0, width - 1), min_size=1)
        bounds = st.tuples(columns, st.integers(1, min(6, count)), st.integers(1, 3))
        over = [
            (tuple(sorted(c)), k, least if spreads else 1)
            for c, k, least in draw(st.lists(bounds, min_size=1, max_size=3))
        ]
    counts_null = spread and draw(st.booleans())
    return Problem(rows, hierarchies, k, limit, people, spreads, least, counts_null, over)


SEARCHES = [
    {"metric": "height"},
    {"metric": "distortion"},
    *({"metric": "loss", "aggregate": a} for a in ("sum", "mean", "geometric_mean", "rank", "max")),
    {"metric": "discernibility"},
    {"metric": "class_size"},
    {"metric": "normalized_entropy"},
    {"metric": "entropy"},
    {"metric": "entropy", "suppressed": "counted"},
]


AT_ONE_NODE = [
    *SEARCHES,
    {"metric": "discernibility", "suppressed": "ignored"},
    {"metric": "ncp"},
    {"metric": "ambiguity"},
]
"""Those that a release at one node has a cost by, too."""


def cost_of(problem, node, search):
    """The oracle's cost under a policy's `search` entry."""
    return problem.cost(
        node,
        search["metric"],
        aggregate=search.get("aggregate", "geometric_mean"),
        counted=search.get("suppressed") == "counted",
        ignored=search.get("suppressed") == "ignored",
    )


def optimum_of(problem, search):
    return problem.optimum(
        search["metric"],
        aggregate=search.get("aggregate", "geometric_mean"),
        counted=search.get("suppressed") == "counted",
        ignored=search.get("suppressed") == "ignored",
    )


def close(a, b):
    """Whether two costs are equal up to the last bits of a sum, and the ninth place of logarithms."""
    return len(a) == len(b) and all(
        math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-7) for x, y in zip(a, b, strict=True)
    )


def not_above(floor, cost):
    """Whether floor <= cost, compared from the left, forgiving as much as `close`."""
    for a, b in zip(floor, cost, strict=True):
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-7):
            return a < b
    return True


def quoted(value):
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


class Writer:
    """Turns a problem into a policy and an Arrow table; hierarchy files go to one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.files = 0

    def frame(self, problem, order=None):
        order = list(range(len(problem.rows))) if order is None else order
        data = {"id": pa.array(order, pa.int64())}
        for column in range(len(problem.tops)):
            cells = [problem.rows[i][column] for i in order]
            number = any(isinstance(v, int) for v in problem.hierarchies[column])
            data[f"q{column}"] = pa.array(cells, pa.int64() if number else pa.string())
        if problem.spread is not None:
            data["s"] = pa.array([problem.spread[i] for i in order], pa.string())
        if problem.entities is not None:
            data["person"] = pa.array([problem.entities[i] for i in order], pa.int64())
        return pa.table(data)

    def policy(self, problem, search=None, *, kinds=()):
        columns: dict[str, object] = {"id": {"role": "insensitive"}}
        for column, tree in enumerate(problem.hierarchies):
            kind = kinds[column] if column < len(kinds) else "query"
            written = {
                value: labels
                for value, labels in tree.items()
                if value is not None or column not in problem.without_entry
            }
            columns[f"q{column}"] = {"role": "quasi", "hierarchy": self._hierarchy(written, kind)}
        alone = bool(problem.over)  # what asks for nothing need not be said then
        privacy: list[dict[str, object]] = []
        if problem.k > 1 or not alone:
            privacy.append({"k": problem.k})
        if problem.spread is not None:
            more = {} if problem.rule is None else problem.rule.column
            columns["s"] = {"role": "sensitive", **more}
            if problem.l > 1 or not alone or not problem.counts_null:
                privacy.append({"distinct_l": {"column": "s", "l": problem.l}})
        if problem.rule is not None:
            privacy.append(problem.rule.privacy)
        for each, k, least in problem.over:
            asked: dict[str, object] = {"k": k, "over": [f"q{c}" for c in each]}
            if problem.spread is not None:
                asked["distinct_l"] = {"column": "s", "l": least}
            privacy.append(asked)
        if problem.entities is not None:
            accepted = {} if problem.signature else {"linkable": "accept"}
            columns["person"] = {"role": "insensitive", **accepted}
        return {
            "version": 1,
            "source": "given",
            "entity": {"signature": "person"}
            if problem.signature
            else "row"
            if problem.entities is None
            else "person",
            "columns": columns,
            "privacy": privacy,
            "suppression": problem.max_suppressed,
            **({"sensitive_nulls": "value"} if problem.counts_null else {}),
            **({"nulls": "suppress"} if problem.leaves_out_nulls else {}),
            **({"search": search} if search else {}),
        }

    def _hierarchy(self, entries, kind):
        if kind == "csv" and None not in entries and "" not in entries:
            self.files += 1
            path = self.folder / f"{self.files}.csv"
            lines = [
                ";".join('"' + str(c).replace('"', '""') + '"' for c in (value, *labels))
                for value, labels in entries.items()
            ]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            return {"csv": str(path), "delimiter": ";"}
        if kind == "tree" and None not in entries:
            return {"tree": self._tree(entries)}
        names = ", ".join(f"l{i}" for i in range(len(next(iter(entries.values()))) + 1))
        rows = ", ".join(
            "(" + ", ".join(map(quoted, (value, *labels))) + ")"
            for value, labels in entries.items()
        )
        return {"query": f"SELECT * FROM (VALUES {rows}) AS t({names})"}

    def _tree(self, entries):
        root: dict[str, object] = {}
        for value, labels in entries.items():
            at = root
            for label in reversed(labels[1:]):
                at = at.setdefault(label, {})
            at.setdefault(labels[0], []).append(str(value))
        return root
