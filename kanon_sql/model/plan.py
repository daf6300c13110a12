"""The Plan: what to do and why, as plain data that is read in a pull request and hashed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import yaml

from kanon_sql.errors import Fault, InputError
from kanon_sql.model.lattice import Node
from kanon_sql.model.recoding import Blanks, Layer, Outliers, recoding_of
from kanon_sql.model.step import Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.model.recoding import Recoding

FORMAT = 1
OF_A_VIEW = (
    "the release is a view: rows that come later into its classes appear at once, and rows that go "
    "may leave a class short; verify it again, or release it again with --replace"
)


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The released classes over one set of quasi-identifiers of several."""

    columns: tuple[str, ...]
    classes: int
    smallest_class: int

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "columns": list(self.columns),
            "classes": self.classes,
            "smallest_class": self.smallest_class,
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """A chosen recoding, the inputs it holds for, and its figures.

    The document has a fixed order of keys and no time, path or thread count in it: the same
    policy, hierarchies and rows, in any order, give the same bytes, and on every engine the same
    but for `sql`. `view`, `notes`, `checks`, `effort`, `run` and the `minimal_nodes` themselves, of which the
    document has the number, are told of the run that made it, and are no part of the document. Only
    where the time limit ended the search, how many checks there was time for is in it, as
    `checks_in_time`: then another run may find another node. Without a fingerprint it cannot be
    applied later. Where several sets of
    quasi-identifiers must fit together, `passes` is how often rows are suppressed until they do.
    With `least_suppressed` a class that fits is suppressed beside those that do not, so that so
    many are missing at least. `blanks` are the cells that mu-Argus suppresses.
    Where rows are released at several nodes, `layers` has them in order, and `levels` is the first.
    """

    policy_file: str | None
    policy_digest: str
    overrides: Mapping[str, str | int]
    source_rows: int
    source_fingerprint: str | None
    hierarchies: Mapping[str, str]
    algorithm: str
    metric: str
    optimal: bool
    cost: tuple[float, ...]
    levels: Mapping[str, int]
    heights: Mapping[str, int]
    max_suppressed: int
    suppressed_rows: int
    classes: int
    smallest_class: int
    figures: Mapping[str, float]
    lattice_nodes: int
    privacy: tuple[str, ...]
    sql: str
    where: str | None = None
    passes: int = 0
    layers: tuple[Layer, ...] = ()
    over: tuple[SetFigures, ...] = ()
    feasible_nodes: int | None = None
    minimal: int | None = None
    steps: tuple[Step, ...] = ()
    least_suppressed: int = 0
    blanks: Blanks | None = None
    checks_in_time: int | None = None
    minimal_nodes: tuple[tuple[int, ...], ...] | None = field(default=None, compare=False)
    view: bool = field(default=False, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    checks: int | None = field(default=None, compare=False)
    effort: Mapping[str, int] = field(default_factory=dict, compare=False)
    run: Mapping[str, object] = field(default_factory=dict, compare=False)

    def document(self) -> dict[str, object]:
        """Give the plan as nested plain values, in its fixed order."""
        search: dict[str, object] = {
            "algorithm": self.algorithm,
            "metric": self.metric,
            "optimal": self.optimal,
            "cost": self._cost(),
            "lattice_nodes": self.lattice_nodes,
        }
        if self.checks_in_time is not None:
            search["checks_in_time"] = self.checks_in_time
        if self.feasible_nodes is not None:
            search["feasible_nodes"] = self.feasible_nodes
        if self.minimal is not None:
            search["minimal_nodes"] = self.minimal
        if self.steps:
            search["steps"] = [each.document() for each in self.steps]
        source: dict[str, object] = {
            "rows": self.source_rows,
            "fingerprint": self.source_fingerprint,
        }
        if self.where is not None:
            source["where"] = self.where
        recoding: dict[str, object] = {
            **self._levels(),
            "heights": dict(self.heights),
            "max_suppressed": self.max_suppressed,
            "suppressed_rows": self.suppressed_rows,
        }
        if self.least_suppressed:
            recoding["least_suppressed"] = self.least_suppressed
        if self.blanks is not None:
            recoding["blanks"] = self.blanks.document(list(self.levels))
        over: dict[str, object] = {}
        if self.passes:
            recoding["passes"] = self.passes
            over["over"] = [each.document() for each in self.over]
        return {
            "kanon_sql_plan": FORMAT,
            "policy": {
                "file": self.policy_file,
                "sha256": self.policy_digest,
                "overrides": dict(self.overrides),
            },
            "source": source,
            "hierarchies": dict(self.hierarchies),
            "privacy": list(self.privacy),
            "search": search,
            "recoding": recoding,
            "figures": {
                "classes": self.classes,
                "smallest_class": self.smallest_class,
                **self.figures,
            },
            **over,
            "sql": self.sql,
        }

    @property
    def recoding(self) -> Recoding:
        """Give what becomes of the rows."""
        return recoding_of(
            self.levels,
            self.layers,
            heights=self.heights,
            least_suppressed=self.least_suppressed,
            blanks=self.blanks,
        )

    def _levels(self) -> dict[str, object]:
        if self.layers:
            return {"layers": [layer.document(list(self.levels)) for layer in self.layers]}
        return {"levels": dict(self.levels)}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say what a reader of the plan should not miss."""
        told = []
        if self.classes == 1:
            what = "all released rows are one class: their quasi-identifiers say nothing of them"
            told.append(what)
        if self.view:
            told.append(OF_A_VIEW)
        return (*told, *self.notes)

    def named(self, policy_file: str) -> Plan:
        """Give the plan as one that finds its policy there, seen from the plan's own folder."""
        return replace(self, policy_file=policy_file)

    def _cost(self) -> float | list[float]:
        return self.cost[0] if len(self.cost) == 1 else list(self.cost)

    def to_yaml(self) -> str:
        """Give the bytes of a plan file."""
        return yaml.dump(
            self.document(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
        )

    def summary(self) -> dict[str, object]:
        """Give what `plan --json` prints: one flat object."""
        told: dict[str, object] = {
            "status": "feasible",
            "algorithm": self.algorithm,
            "metric": self.metric,
            "optimal": self.optimal,
            "cost": self._cost(),
            "levels": dict(self.levels),
            "rows": self.source_rows,
            "suppressed_rows": self.suppressed_rows,
            "max_suppressed_rows": self.max_suppressed,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "figures": dict(self.figures),
            "lattice_nodes": self.lattice_nodes,
            "warnings": list(self.warnings),
        }
        if self.layers:
            told["layers"] = [layer.document(list(self.levels)) for layer in self.layers]
        if self.checks_in_time is not None:
            told["checks_in_time"] = self.checks_in_time
        if self.where is not None:
            told["where"] = self.where
        if self.over:
            told["over"] = [each.document() for each in self.over]
        if self.feasible_nodes is not None:
            told["feasible_nodes"] = self.feasible_nodes
        if self.steps:
            told["steps"] = [each.document() for each in self.steps]
        if self.least_suppressed:
            told["least_suppressed"] = self.least_suppressed
        if self.blanks is not None:
            told["blanks"] = self.blanks.document(list(self.levels))
        if self.minimal_nodes is not None:
            told["minimal_nodes"] = [list(node) for node in self.minimal_nodes]
        if self.checks is not None:
            told["checks"] = self.checks
        if self.effort:
            told["effort"] = dict(self.effort)
        return {**told, **self.run}

    @classmethod
    def from_yaml(cls, text: str, subject: str) -> Plan:
        """Read a plan file; raises InputError where it is not one."""
        try:
            document = yaml.safe_load(text)
            if not isinstance(document, dict) or document.get("kanon_sql_plan") != FORMAT:
                what = "is not a plan that this version can read"
                if isinstance(document, dict) and "columns" in document:
                    what = f"is a policy; make its plan first: kanon-sql plan {subject}"
                raise InputError(subject, [Fault("", what)])
            return _from_document(document)
        except READING as error:
            if isinstance(error, InputError):
                raise
            raise InputError(subject, [Fault("", "is not a whole plan file")]) from error


def _from_document(document: dict[str, dict[str, object]]) -> Plan:
    """Rebuild a plan from its document; the round trip is exact."""
    raw: dict[str, dict[str, object]] = json.loads(json.dumps(document))
    policy, source, search = raw["policy"], raw["source"], raw["search"]
    recoding, figures = raw["recoding"], dict(raw["figures"])
    cost = search["cost"]
    file = policy["file"]
    told = recoding.get("layers", [recoding])
    if "layers" in recoding and (
        "blanks" in recoding or not isinstance(told, list) or len(told) < 2
    ):
        raise ValueError("layers are two or more, and are not blanked")
    if not isinstance(told, list) or not told:
        raise TypeError("a list was expected")
    levels = {k: _int(v) for k, v in _mapping(told[0]["levels"]).items()}
    return Plan(
        policy_file=None if file is None else str(file),
        policy_digest=str(policy["sha256"]),
        overrides=_mapping(policy["overrides"]),
        source_rows=_int(source["rows"]),
        source_fingerprint=_hash(source["fingerprint"]),
        hierarchies={k: str(v) for k, v in raw["hierarchies"].items()},
        algorithm=str(search["algorithm"]),
        metric=str(search["metric"]),
        optimal=search["optimal"] is True,
        cost=tuple(float(c) for c in cost) if isinstance(cost, list) else (float(str(cost)),),
        levels=levels,
        heights={k: _int(v) for k, v in _mapping(recoding["heights"]).items()},
        max_suppressed=_int(recoding["max_suppressed"]),
        suppressed_rows=_int(recoding["suppressed_rows"]),
        classes=_int(figures.pop("classes")),
        smallest_class=_int(figures.pop("smallest_class")),
        figures={k: float(str(v)) for k, v in figures.items()},
        lattice_nodes=_int(search["lattice_nodes"]),
        privacy=tuple(str(p) for p in raw["privacy"]),
        sql=str(raw["sql"]),
        where=str(source["where"]) if "where" in source else None,
        passes=_int(recoding.get("passes", 0)),
        layers=tuple(_layer(each, list(levels)) for each in told if "layers" in recoding),
        over=tuple(_set_figures(each) for each in document.get("over", ())),
        feasible_nodes=_int(search["feasible_nodes"]) if "feasible_nodes" in search else None,
        minimal=_int(search["minimal_nodes"]) if "minimal_nodes" in search else None,
        checks_in_time=_int(search["checks_in_time"]) if "checks_in_time" in search else None,
        steps=_steps(search.get("steps", [])),
        least_suppressed=_int(recoding.get("least_suppressed", 0)),
        blanks=_blanks(recoding["blanks"], list(_mapping(recoding["levels"])))
        if "blanks" in recoding
        else None,
    )


def _steps(values: object) -> tuple[Step, ...]:
    if not isinstance(values, list):
        raise TypeError("a list was expected")
    return tuple(map(_step, values))


def _step(value: object) -> Step:
    told = _mapping(value)
    column, counts = told.get("generalize"), told["distinct"]
    if not isinstance(counts, list):
        raise TypeError("a list was expected")
    return Step(
        None if column is None else str(column),
        _int(told.get("level", 0)),
        tuple(_int(count) for count in counts),
        _int(told["short_rows"]),
    )


def _layer(value: object, names: list[str]) -> Layer:
    told = _mapping(value)
    levels = _mapping(told["levels"])
    if list(levels) != names:
        raise ValueError("the layers name different columns")
    node = Node(tuple(_int(level) for level in levels.values()))
    return Layer(node, _int(told["rows"]), _int(told["classes"]))


def _blanks(value: object, names: Sequence[str]) -> Blanks:
    told = _mapping(value)
    outliers, blanked = told["outliers"], _mapping(told["blanked"])
    released = _mapping(told["released"])
    if not isinstance(outliers, list) or not {*blanked, *released} <= set(names):
        raise TypeError("a list of outliers and names of columns were expected")
    rounds = _int(told["rounds"])
    if not 0 <= rounds <= len(names) or bool(rounds) != bool(outliers):
        raise ValueError("a round blanks a column for the outliers there are")
    return Blanks(
        tested=_int(told["tested"]),
        outliers=tuple(_outliers(each, names) for each in outliers),
        rounds=rounds,
        rows=tuple(_int(blanked.get(name, 0)) for name in names),
        released=tuple(_int(released.get(name, 0)) for name in names),
    )


def _outliers(value: object, names: Sequence[str]) -> Outliers:
    told = _mapping(value)
    columns = told["columns"]
    if not isinstance(columns, list):
        raise TypeError("a list was expected")
    return Outliers(
        tuple(names.index(name) for name in columns), _int(told["values"]), _int(told["rows"])
    )


def _set_figures(value: object) -> SetFigures:
    told = _mapping(value)
    columns = told["columns"]
    if not isinstance(columns, list):
        raise TypeError("a list was expected")
    names = tuple(str(name) for name in columns)
    return SetFigures(names, _int(told["classes"]), _int(told["smallest_class"]))


def _hash(value: object) -> str | None:
    return None if value is None else str(value)


def _mapping(value: object) -> dict[str, str | int]:
    if not isinstance(value, dict):
        raise TypeError("a mapping was expected")
    return value


def _int(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a whole number was expected")
    return value


READING = (
    yaml.YAMLError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""What goes wrong when a text is no plan."""


class _Dumper(yaml.SafeDumper):
    """Writes long texts as blocks, so that the SQL in a plan reads as SQL."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
