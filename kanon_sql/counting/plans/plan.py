"""The plan: the chosen recoding, its cost, and its inputs. Reads and writes plan files.

A keyed hash in a plan is `hmac-sha256:KEY:HASH`, where KEY is the beginning of a hash of the key. The name of a database
comes first if only that database can compute the hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping  # noqa: TC003  the type of a field is its shape
from dataclasses import field, replace
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import yaml

from kanon_sql.base.documents.keys import Keyed, MapOf, read_yaml
from kanon_sql.base.documents.records import Key, Record, Unwritten
from kanon_sql.base.documents.shapes import (
    Anything,
    Parsed,
    Published,
    Real,
    Refused,
    Several,
    Shape,
    Text,
    Whole,
    Wrong,
)
from kanon_sql.base.documents.shown import Shown, ShownResult
from kanon_sql.base.documents.text import simple_counts
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import SearchStep, SetFigures
from kanon_sql.counting.plans.recodings import RECODING, Recoding
from kanon_sql.counting.plans.shown_plan import TYPES, TextType
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.cut_steps import CutStep
from kanon_sql.policy.metrics.node import HEIGHTS, Lattice
from kanon_sql.policy.metrics.registry import (
    CLASSES_BEFORE,
    OF_SIMPLE_COUNTS,
    OLDER_LABELS,
    quality_of_label,
)
from kanon_sql.policy.model import ANY_LEVEL, LEVEL_BOUNDS, LevelBounds
from kanon_sql.policy.privacy.risks import CountedBy, ReleaseRisk

KEYED = "hmac-sha256"
SNAPSHOT = re.compile(r"(delta|iceberg|ducklake) \S+ (version|snapshot) \d+")
"""The version of a lake's table, which a plan states in place of a hash of the table's rows."""
IN_THE_POLICY = "in the policy"
"""The text in place of the hash of a hierarchy whose entries are in the policy."""


def is_snapshot(text: str) -> bool:
    return SNAPSHOT.fullmatch(text) is not None


def is_portable(hashed: str | None) -> bool:
    """Return True if every database computes the same hash of the source.

    >>> is_portable("hmac-sha256:aa:1"), is_portable("duckdb 2.0 hmac-sha256:aa:1"), is_portable(None)
    (True, False, False)
    """
    return hashed is not None and hashed.startswith(KEYED)


def differ(old: str, new: str) -> bool | None:
    """Return True if two hashes are of different content, None if they have different keys or databases.

    >>> differ("hmac-sha256:aa:1", "hmac-sha256:aa:2"), differ("hmac-sha256:aa:1", "hmac-sha256:bb:1")
    (True, None)
    >>> differ("b3781c", "b3781c"), differ("b3781c", "in the policy"), differ("b3781c", "hmac-sha256:aa:1")
    (False, True, True)
    """
    if KEYED in old and KEYED in new and old.rpartition(":")[0] != new.rpartition(":")[0]:
        return None
    return old != new


def why_not_compared(old: str, new: str) -> str:
    """Explain why two keyed hashes cannot be compared, as a predicate of a sentence."""
    if old.partition(KEYED)[0] != new.partition(KEYED)[0]:
        return "was hashed by another database, or another version of it"
    return "was hashed under another key: set KANON_SQL_PLAN_KEY to the key of the machine that made the plan"


SHOWN_CLASSES = 5
"""The most example classes."""


@dataclass(frozen=True, slots=True)
class ExampleClass:
    """An equivalence class of a release: its labels in the order of the released columns, and its size."""

    labels: tuple[str | None, ...]
    rows: int
    people: int | None = None


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A quasi-identifier before and after a release: its distinct `values` and `labels`, and rows.

    Of the `rows` of the source that have a value, `kept` are released with a value, or a label of some values and not of all.
    Where `values_shown`, a row shows a value that follows from the rows of its class, and no label.
    """

    name: str
    values: int
    rows: int
    labels: int
    kept: int
    values_shown: bool = False


@dataclass(frozen=True, slots=True)
class Examples:
    """Example classes of a release, in an order unrelated to the source's, and labels of its columns.

    Every class, and every label in `labels`, has at least k released rows, or people where these are counted. `labels`
    has a label by quasi-identifier that stands for several values of the source. `columns` are the released columns.
    `changes` has the quasi-identifiers before and after, and `others` what is done to other columns, in words.
    """

    columns: tuple[str, ...]
    classes: tuple[ExampleClass, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[ColumnChange, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)


SUFFIX = ".boundaries"
"""The end of the boundaries file's name, before the extension of its format."""


def boundaries_beside(plan_file: str) -> str:
    """Return the path of a plan's boundaries file, without the extension of its format.

    >>> boundaries_beside("lake/people.plan.yml"), boundaries_beside("people")
    ('lake/people.plan.boundaries', 'people.boundaries')
    """
    return f"{plan_file.removesuffix('.yml').removesuffix('.yaml')}{SUFFIX}"


def cut_beside(boundaries: str) -> str:
    """Return the path of the file of a plan's cut, beside that of its boundaries, both without extension.

    >>> cut_beside("lake/people.plan.boundaries"), cut_beside("people")
    ('lake/people.plan.cut', 'people.cut')
    """
    return f"{boundaries.removesuffix(SUFFIX)}.cut"


def cut_in(folder: OwnFolder) -> str:
    """Return the path of the file of a plan's cut in a folder of this process, without extension."""
    return cut_beside(f"{folder.path}/plan")


FORMAT = 1
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from kanon_sql.base.documents.keys import Item
    from kanon_sql.base.documents.shapes import Known, Schema
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.local_files import OwnFolder
    from kanon_sql.policy.metrics.statistics import QualityMetric
    from kanon_sql.policy.model import Policy

    # What public functions return, which lie above this module and are not imported here.
    Explanation: TypeAlias = Any
    RegionsExplanation: TypeAlias = Any
    Report: TypeAlias = Any

OF_A_VIEW = (
    "the release is a view: rows that are added to its classes later appear at once, and by rows that are added, "
    "changed or deleted a class may come to miss what the privacy models ask; verify it again, or release it again with --replace"
)


class Cost(Shape[tuple[float, ...]]):
    """The cost of a recoding: written as a number, or as a list if the metric ranks by several numbers."""

    def read(self, item: Item) -> tuple[float, ...]:
        if isinstance(item.value, list):
            return Several(Real()).read(item)
        return (Real().read(item),)

    def schema(self) -> Schema:
        return Several(Real()).schema()

    def write(self, value: tuple[float, ...], known: Known) -> object:
        del known
        return value[0] if len(value) == 1 else list(value)


def _override(value: object) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Wrong(("", "must be a text or a whole number"))
    return value


OVERRIDE = Parsed(Anything(), _override)
WITHIN = MapOf(LEVEL_BOUNDS)
METRIC = Parsed(Text(), lambda label: OLDER_LABELS.get(label, label))
STEPS: Shape[tuple[SearchStep | CutStep, ...]] = Several(
    Keyed({"anonymity": Record(CutStep)}, default=Record(SearchStep)), alone=False
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a plan was made from in this process: its policy, the frame if it was one, and the connection.

    `folder` has the cut of a plan into regions that no file is beside.
    """

    policy: Policy
    frame: object | None
    connection: object | None
    settings: Settings | None
    folder: OwnFolder | None = None

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Pickle as None: rows and connections do not leave the process with a plan."""
        return type(None), ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan(ShownResult):
    """A chosen recoding, hashes of the inputs it was made from, and its quality metrics.

    The same policy, hierarchies and rows, in any order, give the same bytes of its file; another engine changes only
    `sql`. Without a `source_fingerprint` it cannot be applied later. `checks_in_time` is set if the time limit ended
    the search; `state` lets it continue, and has no values. `notes`, `remarks`, `unique_beside` (the rows that
    other released columns make unique), `checks`, `run`, `beside`, `cut_file`, `entity` and `examples` are not in the
    file, nor is `origin`, which keeps policy, frame and connection for later calls, nor
    `in_older_words`, which is true if the file has keys of an earlier version.
    """

    policy_file: Annotated[str | None, Key("policy.file")]
    policy_digest: Annotated[str, Key("policy.sha256")]
    overrides: Annotated[Mapping[str, str | int], Key("policy.overrides"), MapOf(OVERRIDE)]
    source_rows: Annotated[int, Key("source.rows")]
    source_fingerprint: Annotated[str | None, Key("source.fingerprint")]
    where: Annotated[str | None, Key("source.where")] = None
    hierarchies: Mapping[str, str]
    pseudonym_keys: Mapping[str, str] | None = None
    types: Annotated[Mapping[str, TextType] | None, TYPES] = None
    privacy: tuple[str, ...]
    algorithm: Annotated[str, Key("search.algorithm")]
    metric: Annotated[str, Key("search.metric"), METRIC]
    optimal: Annotated[bool, Key("search.optimal")]
    cost: Annotated[tuple[float, ...], Key("search.cost"), Cost()]
    lattice_nodes: Annotated[int | None, Key("search.lattice_nodes")] = None
    checks_in_time: Annotated[int | None, Key("search.checks_in_time")] = None
    feasible_nodes: Annotated[int | None, Key("search.feasible_nodes")] = None
    minimal: Annotated[int | None, Key("search.minimal_nodes")] = None
    steps: Annotated[tuple[SearchStep | CutStep, ...], Key("search.steps"), STEPS] = ()
    heights: Annotated[
        Mapping[str, int], Key("recoding.highest_levels"), Published(HEIGHTS, MapOf(Whole(0)))
    ]
    within: Annotated[Mapping[str, LevelBounds] | None, Key("recoding.within"), WITHIN] = None
    max_suppressed: Annotated[int, Key("recoding.max_suppressed")]
    suppressed_rows: Annotated[int, Key("recoding.suppressed_rows")]
    recoding: Annotated[Recoding, Key("recoding.*"), RECODING]
    classes: Annotated[int, Key("figures.classes")]
    smallest_class: Annotated[int, Key("figures.smallest_class")]
    figures: Annotated[Mapping[str, float], Key("figures.*"), MapOf(Real())]
    over: tuple[SetFigures, ...] = ()
    risk: ReleaseRisk | None = None
    sql: Annotated[str, Text(any=True)]
    state: Annotated[Mapping[str, object] | None, MapOf(Anything())] = None
    minimal_nodes: Annotated[tuple[tuple[int, ...], ...] | None, Unwritten] = field(
        default=None, compare=False
    )
    view: Annotated[bool, Unwritten] = field(default=False, compare=False)
    notes: Annotated[tuple[str, ...], Unwritten] = field(default=(), compare=False)
    remarks: Annotated[tuple[str, ...], Unwritten] = field(default=(), compare=False)
    unique_beside: Annotated[str | None, Unwritten] = field(default=None, compare=False)
    checks: Annotated[int | None, Unwritten] = field(default=None, compare=False)
    effort: Annotated[Mapping[str, int], Unwritten] = field(default_factory=dict, compare=False)
    run: Annotated[Mapping[str, object], Unwritten] = field(default_factory=dict, compare=False)
    beside: Annotated[str | None, Unwritten] = field(default=None, compare=False)
    cut_file: Annotated[str | None, Unwritten] = field(default=None, compare=False)
    entity: Annotated[str | None, Unwritten] = field(default=None, compare=False)
    examples: Annotated[Examples | None, Unwritten] = field(default=None, compare=False)
    origin: Annotated[Origin | None, Unwritten] = field(default=None, compare=False)
    in_older_words: Annotated[bool, Unwritten] = field(default=False, compare=False)

    def explain(
        self, *, time_limit: float = 60.0, all_k: bool = False, lattice: str | None = None
    ) -> Explanation | RegionsExplanation:
        """Explain why the plan recodes as it does: `kanon_sql.explain` with its own policy and source."""
        return _public("explain")(self, time_limit=time_limit, all_k=all_k, lattice=lattice)

    def report(
        self,
        page: str | Path | None = None,
        *,
        search: bool | None = None,
        time_limit: float = 20.0,
    ) -> Report:
        """Report on the plan by its own policy and source, and write `page`."""
        found: Report = _public("report")(self, search=search, time_limit=time_limit)
        if page is not None:
            found.write(page)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers in the policy's order, which is the order of a node's levels."""
        return tuple(self.heights)

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels of the first node at which rows are released; empty for regions and intervals."""
        nodes = self.recoding.nodes
        return dict(zip(self.names, nodes[0].levels, strict=True)) if nodes else {}

    @property
    def recoding_hash(self) -> str:
        """A hash of policy, hierarchies, heights and recoding: plans that share it give the same labels.

        It has the older keys of a recoding, so that releases go on that an earlier version began.
        """
        recoding = by_older_keys(RECODING.write(self.recoding, {HEIGHTS: self.heights}))
        parts = [self.policy_digest, dict(self.hierarchies), dict(self.heights), recoding]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def lattice(self) -> Lattice:
        """The nodes within the levels that the policy allows."""
        within = self.within or {}
        bounds = [(within.get(name, ANY_LEVEL), top) for name, top in self.heights.items()]
        tops = tuple(top if of.most is None else of.most for of, top in bounds)
        return Lattice(tops, tuple(of.least for of, _ in bounds))

    @property
    def all_nodes(self) -> int:
        """The number of nodes, those outside the levels that the policy allows among them."""
        return prod(top + 1 for top in self.heights.values())

    @property
    def bounded(self) -> bool:
        """Whether a search of nodes could not choose all of them: the policy bounds levels."""
        return bool(self.within) and self.lattice_nodes not in {None, self.all_nodes}

    @property
    def counts_people(self) -> str | None:
        """The column whose people a class counts; empty if its name is unknown, None if classes count rows."""
        by_people = self.risk is not None and self.risk.counted is CountedBy.PERSONS
        return self.entity or ("" if by_people else None)

    @property
    def suppressed_share(self) -> float | None:
        """The share of suppressed rows; None if the source has no rows."""
        return self.suppressed_rows / self.source_rows if self.source_rows > 0 else None

    @property
    def highest_risk(self) -> float | None:
        """The highest prosecutor risk (El Emam and Dankar, JAMIA 2008): one over the smallest class."""
        return 1 / self.smallest_class if self.smallest_class > 0 else None

    @property
    def simple_counts(self) -> str | None:
        """A sentence on the error of simple counts; None if it was not measured."""
        return simple_counts(*map(self.figures.get, OF_SIMPLE_COUNTS))

    @property
    def types_text(self) -> str | None:
        """The types of columns that are texts in the source; None if there are none."""
        if not self.types:
            return None
        return "; ".join(f"{name} {of}" for name, of in self.types.items())

    def with_simple_counts(self, counts: tuple[float, float, float] | None) -> Plan:
        """Return the plan with the errors of simple counts among its figures, in four digits, if they were measured."""
        if counts is None:
            return self
        figures = (float(f"{each:.4g}") for each in counts)
        own = dict(zip(OF_SIMPLE_COUNTS, figures, strict=True))
        return replace(self, figures={**self.figures, **own})

    @property
    def average_class(self) -> float | None:
        """The average size of a released class, in rows."""
        return self.released_rows / self.classes if self.classes > 0 else None

    @property
    def released_rows(self) -> int:
        """The number of released rows."""
        return self.source_rows - self.suppressed_rows

    @property
    def risk_before(self) -> dict[str, object]:
        """The prosecutor's average risk in the source; empty if tuples were not counted, or people were."""
        rows, tuples = self.source_rows, self.figures.get(CLASSES_BEFORE.key)
        by_rows = self.risk is not None and self.risk.counted is CountedBy.ROWS
        if tuples is None or not by_rows or rows <= 0:
            return {}
        average = {"average": tuples / rows}
        return {"before": {"rows": rows, "classes": tuples, "prosecutor": average}}

    @property
    def ended_by_time_limit(self) -> bool:
        return self.checks_in_time is not None

    @property
    def cost_quality(self) -> QualityMetric | None:
        """The quality metric that the search minimized, if the figures have it with the value of the cost."""
        quality = quality_of_label(self.metric)
        value = self.figures.get(quality.key)
        if value is None or len(self.cost) != 1:
            return None
        return quality if abs(quality.of_cost(self.cost[0]) - value) < 1e-9 else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the release that the plan describes."""
        one_class = (
            "all released rows are in one equivalence class: the quasi-identifiers have no information left; give "
            "them finer hierarchies, drop one of them, or allow more suppression"
        )
        return (
            *([one_class] if self.classes == 1 else []),
            *self.notes,
            *([OF_A_VIEW] if self.view else []),
        )

    def _shown(self) -> Shown:
        from kanon_sql.counting.plans.shown_plan import shown_plan  # noqa: PLC0415  its charts are for notebooks

        return shown_plan(self)

    def named(self, policy_file: str) -> Plan:
        """Return the plan with `policy_file` set to a path relative to the plan's folder."""
        return replace(self, policy_file=policy_file)

    def document(self) -> dict[str, object]:
        """Return the plan as nested mappings, lists and scalars, with its keys in their fixed order."""
        found = PLAN.write(self, {})
        recoding = found["recoding"]
        if isinstance(recoding, dict):  # the recoding itself comes before its bounds
            first = next(key for key in recoding if key not in BOUNDS)
            found["recoding"] = {first: recoding[first], **recoding}
        return {"kanon_sql_plan": FORMAT, **found}

    def to_yaml(self) -> str:
        """Return the text of a plan file, by the keys that it was read with: certificates have a hash of it."""
        document = self.document()
        recoding = document["recoding"]
        if self.in_older_words and isinstance(recoding, dict):
            document["recoding"] = by_older_keys(recoding)
        return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)

    @classmethod
    def from_yaml(cls, text: str, subject: str) -> Plan:
        """Read a plan file's text; `to_yaml` gives the same text again. Raises InputError with all faults."""
        document = read_yaml(text, subject, InputError, any_text=True)
        version = document.entries.get("kanon_sql_plan")
        if version is None or version.value != FORMAT:
            what = "is not a plan that this version can read"
            if "kanon_sql_schema_plan" in document.entries:
                what = "is the plan of a schema of tables, which apply, certify, verify, diff and report take"
            elif {"columns", "tables"} & document.entries.keys():
                what = f"is a policy; make its plan first: kanon-sql plan {subject}"
            raise InputError(subject, [Fault("", what)])
        entries = {key: each for key, each in document.entries.items() if each is not version}
        recoding = entries.get("recoding")
        older = recoding is not None and not OLDER_KEYS.keys().isdisjoint(recoding.entries)
        if recoding is not None and older:
            named = dict(recoding.entries)
            for old, new in OLDER_KEYS.items():
                if old in named and new not in named:  # of both, the older one is a fault
                    named[new] = named.pop(old)
            entries["recoding"] = replace(recoding, value=named)
        try:
            found = replace(PLAN.read(replace(document, value=entries)), in_older_words=older)
        except Refused:
            found = None
        if found is None or document.faults:
            raise InputError(subject, sorted(document.faults, key=lambda fault: fault.line or 0))
        return found

    @property
    def risk_summary(self) -> dict[str, object] | None:
        """The risks before and after, by the keys of `risk --json`; None if the plan states no risks."""
        if self.risk is None:
            return None
        return {**self.risk_before, **self.risk.summary(self.released_rows, self.classes)}

    def summary(self) -> dict[str, object]:
        """Return the object that `plan --json` prints. Keys whose value the plan does not have are left out."""
        listed = self.minimal_nodes
        found: dict[str, object | None] = {
            "status": "feasible",
            "algorithm": self.algorithm,
            "metric": self.metric,
            "optimal": self.optimal,
            "cost": Cost().write(self.cost, {}),
            "levels": dict(self.levels),
            **RECODING.write(self.recoding, {HEIGHTS: self.heights}),
            "rows": self.source_rows,
            "suppressed_rows": self.suppressed_rows,
            "max_suppressed_rows": self.max_suppressed,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "figures": dict(self.figures),
            "risk": self.risk_summary,
            "lattice_nodes": self.lattice_nodes,
            "warnings": list(self.warnings),
            "remarks": list(self.remarks) or None,
            "checks_in_time": self.checks_in_time,
            "where": self.where,
            "within": WITHIN.write(dict(self.within), {}) if self.within else None,
            "over": self.document().get("over"),
            "feasible_nodes": self.feasible_nodes,
            "steps": STEPS.write(self.steps, {}) or None,
            "minimal_nodes": None if listed is None else [list(node) for node in listed],
            "checks": self.checks,
            "effort": dict(self.effort) or None,
            "boundaries_file": self.beside,
        }
        return {key: value for key, value in found.items() if value is not None} | dict(self.run)


PLAN = Record(Plan)
OLDER_KEYS = {
    "boxes": "regions",
    "sides": "boundaries",
    "runs": "overlapping",
    "layers": "nodes",
    "heights": HEIGHTS,
}
"""The keys of a recoding in plans of earlier versions, and those of now."""


def by_older_keys(recoding: Mapping[str, object]) -> dict[str, object]:
    """Return a recoding's entries by the keys of earlier versions, in their order."""
    older = {new: old for old, new in OLDER_KEYS.items()}
    return {older.get(key, key): each for key, each in recoding.items()}


BOUNDS = (HEIGHTS, "within", "max_suppressed", "suppressed_rows")
"""Keys that the document's `recoding` has for every kind of recoding."""


class _Dumper(yaml.SafeDumper):
    """Writes long texts as blocks, so that the SQL in a plan reads as SQL."""


def _public(name: str) -> Callable[..., Any]:
    """Return a public function by its name when it is called: it lies above this module, which cannot import it."""
    found: Callable[..., Any] = getattr(import_module(__name__.partition(".")[0]), name)
    return found


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)
