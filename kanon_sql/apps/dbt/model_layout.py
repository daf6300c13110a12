"""Lays out a release in a dbt project: what each column of the source becomes, and by which relation."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.value_axes import follows_hierarchy
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.mask import tag_of
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import unlinked
from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels
from kanon_sql.recoding.new_rows.assign import are_trees, may_overlap
from kanon_sql.release.stage import DBT_INCREMENTS, DBT_MODEL, check_executor, executor_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.apps.dbt.project import ReleaseRequest
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.hierarchies.entries import HierarchyKind
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.release.stage import Executor

DBTS_OWN = re.compile(r"\{[{%#]|[%#}]\}|^\s*(env_var|ref|var|source|doc)\s*\(.+\)\s*$")
"""Matches text that dbt would read as its own language: anywhere, or as the whole argument of a test."""

KEY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

NO_ADAPTER = "pseudonyms are made by dbt on DuckDB and PostgreSQL alone"

LONGEST_NAME = 63
"""The most bytes of a name on PostgreSQL."""

BOUNDARIES, REGIONS = "boundaries", "regions"
"""The last words of the names of the seed of boundaries, and of the model of regions."""


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """One column of the source in the release: what it becomes, and by which relation.

    `reference` names the hierarchy's model or seed; it is None if no hierarchy is joined. Equal values that may look
    different are released `in_one_form`, since a class holds all of them. A column that becomes a region is released
    as the columns `labels` of the model of regions, whose column `value` has its values (`as_text` if they are texts).
    A column that becomes an interval is released likewise, from the model that `intervals` names. A column that
    becomes levels has a level for each node, `at_nodes`; it is released `as_text` if values stand beside labels or
    bounds of another type. Pseudonyms that must not link rows are `apart`.
    """

    column: Column
    becomes: str
    level: int = 0
    height: int = 0
    reference: str | None = None
    alias: str = ""
    seeded: bool = False
    in_one_form: bool = False
    value: str = ""
    labels: tuple[str, ...] = ()
    as_text: bool = False
    intervals: str = ""
    at_nodes: tuple[int, ...] = ()
    apart: bool = False

    def document(self) -> dict[str, object]:
        """Return the column as plain values for the macros."""
        entry: dict[str, object] = {"name": self.column.name, "becomes": self.becomes}
        if self.becomes != "nothing":
            entry["released"] = list(self.column.released_as)
        if self.column.role is Role.QUASI:
            entry["quasi"] = True
        if self.in_one_form:
            entry["in_one_form"] = True
        if self.becomes == "pseudonym":
            entry["key"] = self.column.key_env
            entry |= {"tag": tag} if (tag := tag_of(self.column.domain)) else {}
        if self.apart:
            entry["apart"] = True
        if self.becomes == "label":
            entry["label"] = root_of(self.column.hierarchy)
        if self.at_nodes:
            entry |= {
                "levels": sorted(set(self.at_nodes)),
                "at_nodes": list(self.at_nodes),
                "bounds": self.column.output.bounded,
                "as_text": self.as_text,
            }
        if self.longest:
            entry["longest"] = self.longest
        if self.becomes in {"region", "interval"}:
            entry |= {"value": self.value, "labels": list(self.labels), "as_text": self.as_text}
        if self.intervals:
            by = f"ref('{self.intervals}')"
            entry |= {"hierarchy": by, "alias": self.alias, "by_text": False}
        elif self.becomes == "region":
            entry["alias"] = "kanon_regions"
        elif self.reference is not None:
            entry |= {
                "level": self.level,
                "height": self.height,
                "hierarchy": self.reference,
                "alias": self.alias,
                "by_text": self.by_text,
                "seeded": self.seeded,
            }
        return entry

    @property
    def longest(self) -> int | None:
        """The characters of the longest text that is released as it is; None where texts may have any length."""
        kind = self.column.hierarchy
        return (
            kind.longest if kind is not None and self.becomes in {"value", "value twice"} else None
        )

    @property
    def by_text(self) -> bool:
        """Whether the hierarchy names values by their text."""
        return not _by_rule(self.column)

    @property
    def name(self) -> str | None:
        """Return the name of the hierarchy's model or seed; None if no hierarchy is joined."""
        return None if self.reference is None else self.reference.split("'")[1]


def check_request(request: ReleaseRequest, policy: Policy) -> None:
    """Raise InputError, with all faults, for a policy that a model of dbt cannot carry out."""
    faults = list(_faults(request, policy))
    if faults:
        raise InputError(request.relation.name, faults)


def lay_out(
    request: ReleaseRequest, policy: Policy, plan: Plan, columns: Sequence[ColumnType]
) -> list[ReleasedColumn]:
    """Return what every column becomes, in the policy's order. Raises InputError for a plan that dbt cannot carry out.

    Columns with the same hierarchy by rule and the same type in the source (by its `columns`) share a model.
    """
    check_executor(policy, _executor(request), plan.recoding)
    families = {each.name: each.family for each in columns}
    names, aliases = _Hierarchies(request, {each.name: each.type for each in columns}), _Names("")
    released: list[ReleasedColumn] = []
    for column in policy.columns:
        match column.role:
            case Role.QUASI if plan.recoding.has_boundaries:
                number = policy.quasi.index(column)
                own = _region(request, policy, number, plan.heights[column.name], names)
                in_regions = plan.recoding.in_regions
                released.append(own if in_regions else _interval(own, names, aliases))
            case Role.QUASI if (
                len(found := levels_used(plan.recoding, policy.quasi.index(column))) > 1
            ):
                at_nodes = [node.levels[policy.quasi.index(column)] for node in plan.recoding.nodes]
                at = {"level": max(found), "height": plan.heights[column.name]}
                released.append(
                    replace(
                        _joined(request, column, **at, names=names, aliases=aliases),
                        becomes="levels",
                        at_nodes=tuple(at_nodes),
                    )
                )
            case Role.QUASI:
                at = {"level": plan.levels[column.name], "height": plan.heights[column.name]}
                family = families[column.name]
                released.append(
                    _quasi(request, column, **at, family=family, names=names, aliases=aliases)
                )
            case Role.IDENTIFYING:
                apart = column in unlinked(policy)
                released.append(ReleasedColumn(column, column.action.in_dbt, apart=apart))
            case Role.SENSITIVE | Role.INSENSITIVE:
                released.append(ReleasedColumn(column, "value"))
            case _:
                assert_never(column.role)
    return released


def _quasi(
    request: ReleaseRequest,
    column: Column,
    *,
    level: int,
    height: int,
    family: str,
    names: _Hierarchies,
    aliases: _Names,
) -> ReleasedColumn:
    """Return a column at one level. Also at level 0 it is joined with a hierarchy that labels only some values."""
    bounds, kind = column.output.bounded, column.hierarchy
    plain = ReleasedColumn(column, "value twice" if bounds else "value")
    if level == 0 and (kind is None or not kind.labels_some(family)):
        return plain
    if level == height and (bounds or _by_rule(column)):
        return ReleasedColumn(column, "null" if bounds else "label")
    joined = _joined(request, column, level=level, height=height, names=names, aliases=aliases)
    return joined if level else replace(joined, becomes=plain.becomes)


def _joined(
    request: ReleaseRequest,
    column: Column,
    *,
    level: int,
    height: int,
    names: _Hierarchies,
    aliases: _Names,
) -> ReleasedColumn:
    """Return a column that is released by a join with its hierarchy."""
    bounds = column.output.bounded
    given = request.given.get(column.name)
    own = f"ref('{names.of(column)}')" if given is None else given.reference
    alias = f"{aliases.of(column.name)}_labels"
    seeded = given is None and not _by_rule(column)
    return ReleasedColumn(
        column, "bounds" if bounds else "labels", level, height, own, alias, seeded
    )


def _region(
    request: ReleaseRequest, policy: Policy, number: int, height: int, names: _Hierarchies
) -> ReleasedColumn:
    """Return a column that is released as regions; its hierarchy is read if its entries decide the region."""
    column = policy.quasi[number]
    own = None
    if column.has_entries and (are_trees(policy)[number] or follows_hierarchy(column)):
        given = request.given.get(column.name)
        own = f"ref('{names.of(column)}')" if given is None else given.reference
    return ReleasedColumn(
        column,
        "region",
        height=height,
        reference=own,
        seeded=own is not None and column.name not in request.given,
        value=f"value_{number}",
        labels=RegionLabels(number, column.output).names,
    )


def _interval(own: ReleasedColumn, names: _Hierarchies, aliases: _Names) -> ReleasedColumn:
    """Return a column whose values are released as intervals or nodes, by a model of this column alone."""
    column = own.column
    return replace(
        own,
        becomes="interval",
        alias=f"{aliases.of(column.name)}_intervals",
        value="value",
        labels=column.output.parts,
        intervals=names.of_intervals(column),
    )


def root_of(kind: HierarchyKind | None) -> str:
    """Return the label of the root of a hierarchy by rule."""
    return ROOT if kind is None else kind.root


def _by_rule(column: Column) -> bool:
    """Whether a hierarchy makes the labels of a column by rule, of any value."""
    return column.hierarchy is not None and not column.hierarchy.has_entries


class _Names:
    """Makes names of lower-case letters, digits and underscores, each only once."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._taken: set[str] = set()

    def of(self, column: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_") or "column"
        name = f"{self._start}{plain}"[: LONGEST_NAME - 10]
        if not name[0].isalpha():
            name = f"c_{name}"
        if name in self._taken:
            name = f"{name}_{hashlib.md5(column.encode()).hexdigest()[:8]}"  # noqa: S324  no secret
        self._taken.add(name)
        return name


class _Hierarchies:
    """Names the relations of hierarchies; columns with the same hierarchy by rule share a relation.

    If other adapters are asked for, each column has a separate relation.
    """

    def __init__(self, request: ReleaseRequest, types: Mapping[str, str]) -> None:
        self._names = _Names(f"kanon_{request.release}_")
        for own in (BOUNDARIES, REGIONS):
            self._names.of(own)
        self._types, self._shares = types, not request.adapters
        self._known: list[tuple[object, str]] = []

    def of_intervals(self, column: Column) -> str:
        """Name the model of a column's intervals; the column's hierarchy may be a seed beside it."""
        return self._names.of(f"{column.name}_intervals")

    def of(self, column: Column) -> str:
        rule = (column.hierarchy, column.output, self._types[column.name])
        shares = self._shares and _by_rule(column)
        for known, name in self._known if shares else ():
            if known == rule:
                return name
        name = self._names.of(column.name)
        if shares:
            self._known.append((rule, name))
        return name


def private_name(request: ReleaseRequest, what: str) -> str:
    """Name a relation of a release that belongs to no single column, such as the model of regions."""
    return _Names(f"kanon_{request.release}_").of(what)


def _executor(request: ReleaseRequest) -> Executor:
    return DBT_MODEL if request.loaded_at is None else DBT_INCREMENTS


def _untyped(request: ReleaseRequest, policy: Policy) -> Iterable[Fault]:
    """List the columns without a declared type that a contract needs: released columns and `loaded_at`."""
    for column in policy.columns:
        released = not column.is_dropped and not column.pseudonym
        counted = column.name == request.loaded_at
        if (released or counted) and column.name not in request.documented.types:
            what = "has no data_type, which the contract of the release needs: state it, or say contract: false"
            yield Fault(f"columns.{column.name}", what)


def _faults(request: ReleaseRequest, policy: Policy) -> Iterable[Fault]:
    if request.documented.contract:
        yield from _untyped(request, policy)
    yield from executor_problems(policy, _executor(request))
    if request.loaded_at is not None and may_overlap(policy):
        what = (
            "makes regions that may overlap, and which one a row is released as depends on the rows beside it, which an "
            "incremental dbt model adds to; say grouping: cuts"
        )
        yield policy.fault("search.algorithm", what)
    for column in policy.columns:
        where = f"columns.{column.name}"
        if column.pseudonym and request.adapters:
            what = f"{NO_ADAPTER}; leave out adapters, or hash the column before dbt reads it"
            yield Fault(f"{where}.action", what)
        if column.pseudonym and not KEY_NAME.fullmatch(str(column.key_env)):
            yield Fault(f"{where}.key_env", "must be letters, digits and underscores for dbt")
        if DBTS_OWN.search(column.name):
            yield Fault(where, "has a name that dbt would read as its own language")
        if len(column.name.splitlines()) > 1:
            yield Fault(
                where, "has a line break in its name, which an indented statement does not keep"
            )
        if column.name.lower().startswith("kanon_"):
            yield Fault(where, "has a name that begins as those that the macros give")
        character = None if column.hierarchy is None else column.hierarchy.character
        if character is not None and (character in "{}%#" or character.splitlines() != [character]):
            what = "masks by a character that dbt would read as its own language, or a line break"
            yield Fault(f"{where}.hierarchy", what)
