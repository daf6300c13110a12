"""Reads a plan, and refuses it unless its policy, source and hierarchies are those it was made from.

Every command that applies, explains, compiles or certifies a plan opens it here: with `open_plan` if it reads
rows, with `check_plan` if not. The checks are private to this module, so that no command can leave one out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.mapping import map_all
from kanon_sql.counting.lattice.encode import lattice_of, value_nodes_of
from kanon_sql.counting.plans.plan import (
    KEYED,
    Origin,
    Plan,
    boundaries_beside,
    cut_beside,
    cut_in,
    differ,
    is_snapshot,
    why_not_compared,
)
from kanon_sql.counting.source.open_source import describe_source, open_source
from kanon_sql.counting.source.open_view import source_name
from kanon_sql.counting.source.released_types import type_problems
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.policy.model import Policy
from kanon_sql.policy.privacy.demands import demands, in_tree, joint_demands
from kanon_sql.policy.read_policy import overridden, read_policy
from kanon_sql.recoding.planning.make_plan import Planned, metric_label
from kanon_sql.recoding.query import key_checks
from kanon_sql.recoding.recode import plan_sql
from kanon_sql.recoding.recount import hashed_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.inputs import PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.metrics.node import Node

AGAIN = "make the plan again and review it"
TO_NEW = "--to-new-rows carries it out on other rows"
OF_SERIES = (
    "has other rows than the plan was made from, and a series goes on with its plan: kanon-sql apply makes its next release, "
    "and kanon-sql report RELEASE --plan PLAN reports on the last one"
)
HASH_MISSING = "is missing: the plan is of a run that is over; anonymize() with keep_plan=True hashes the source"
CHANGED = "changed since the plan was made"
OF_EARLIER = (
    "is of an earlier version, and a test for guesses of the source's rows: take the old plan out of what others can "
    "read, its history too"
)


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """A plan and its policy as a caller gives them, not yet compared with each other.

    `file` is None for a plan made in Python, whose SQL is not compared. Its `policy` may be what the plan was made from.
    """

    plan: Plan
    policy: PolicyInput | Origin
    file: Path | None

    @property
    def unhashed(self) -> bool:
        """Whether it is of an `anonymize` of this process, which hashed no source."""
        return self.plan.origin is not None and self.plan.source_fingerprint is None

    @property
    def kept_cut(self) -> str | None:
        """Name the file of the plan's cut, without its ending: beside the plan's own, or in the folder of its origin."""
        if self.plan.cut_file is not None:
            return self.plan.cut_file.rpartition(".")[0]
        if self.file is not None:
            return cut_beside(boundaries_beside(str(self.file)))
        origin = self.plan.origin
        return None if origin is None or origin.folder is None else cut_in(origin.folder)

    def read_policy(self) -> Policy:
        """Read the policy, with the plan's overrides in place of its own entries. Raises PolicyError."""
        policy = self.policy.policy if isinstance(self.policy, Origin) else self.policy
        read = policy if isinstance(policy, Policy) else read_policy(policy, has_source=False)
        return overridden(read, self.plan.overrides)


def read_plan(plan: str | Path | Plan) -> Plan:
    """Read a plan from a file's path; return a `Plan` unchanged. Raises InputError."""
    if isinstance(plan, Plan):
        return plan
    path = Path(plan)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("", "there is no such plan file")]) from error
    return Plan.from_yaml(text, str(path))


def name_plan(plan: str | Path | Plan, policy: PolicyInput | None) -> NamedPlan:
    """Read a plan and find its policy: the one given, what it was made from, or the file that it names beside its own.

    Raises InputError where there is no such plan, or no policy.
    """
    read, file = read_plan(plan), None if isinstance(plan, Plan) else Path(plan)
    if policy is None:
        if read.origin is not None:
            return NamedPlan(read, read.origin, file)
        if read.policy_file is None:
            what = "the plan names no file of its policy; give the policy too, as policy="
            raise InputError("plan", [Fault("policy", what)])
        policy = (Path() if file is None else file.parent) / read.policy_file
    return NamedPlan(read, policy, file)


def policy_at_hand(plan: str | Path | Plan) -> Policy | None:
    """Return the policy that a plan was made from; None if it is not at hand, or has changed since."""
    try:
        named = name_plan(plan, None)
        policy = named.read_policy()
    except InputError:
        return None
    return None if any(_policy_problems(policy, named.plan)) else policy


def open_plan(
    run: Session,
    named: NamedPlan,
    frame: object | None = None,
    *,
    new: bool = False,
    partition: Sequence[tuple[str, str]] = (),
    to_read: bool = False,
) -> Planned:
    """Open a plan's source and hierarchies, and check that they and the policy are those the plan states.

    The classes are compared later, with the recount of a release; `optimal`, the cost and the numbers that only a
    search counts never are. With `new` rows the source's hash is not compared. A caller that only reads may have a plan of
    `anonymize` in the same process, without a hash: then the number of rows is compared. Of a `partition`, given as columns and
    values, only its rows are read. Raises StalePlanError with all differences.
    """
    chosen = named.plan
    _refuse(_policy_problems(run.policy, chosen))
    journal = run.engine.journal
    with journal.step("open"):
        opened = open_source(run, frame, partition=partition)
        problems = [*_claim_problems(run.policy, chosen)]
    with journal.step("hierarchies"):
        mapped, of_values = map_all(run, opened, new=new)
        opened = value_nodes_of(run.scratch, opened, of_values)
        heights = {each.column.name: each.hierarchy.height for each in of_values}
        problems += _sql_problems(run, named, opened.columns, heights)
    unhashed = to_read and named.unhashed
    if unhashed and opened.source_rows != chosen.source_rows:
        counts = f"{chosen.source_rows:,} rows then, {opened.source_rows:,} now"
        problems += [Fault("source", f"changed since the plan was made ({counts})")]
    if not (new or unhashed):
        with journal.step("fingerprint"):
            found = hashed_as(run, opened, chosen.source_fingerprint)
        of_source = list(_source_problems(run.policy, chosen, opened, found))
        if of_source and run.policy.series is not None and chosen.source_fingerprint is not None:
            raise StalePlanError("plan", [Fault(of_source[0].where, OF_SERIES)])
        problems += of_source
    problems += type_problems(run.policy, opened, chosen.recoding, chosen.types)
    _refuse(
        [
            *problems,
            *(
                _hierarchy_problems(run.policy, chosen, [*mapped, *of_values])
                or _lattice_problems(chosen, mapped)
            ),
        ]
    )
    entity = run.policy.entity
    return Planned(replace(chosen, entity=entity), opened, tuple(mapped), kept_cut=named.kept_cut)


def check_plan(
    run: Session, named: NamedPlan, *, with_source: bool = False
) -> Sequence[ColumnType]:
    """Check, without reading rows, that a plan belongs to the policy and was not edited.

    With `with_source` also compares the plan's SQL, and returns the source's columns, which that needs.
    Raises StalePlanError.
    """
    _refuse(_policy_problems(run.policy, named.plan))
    columns = describe_source(run) if with_source else ()
    # What reads the hierarchy of a sensitive column is carried out where that has been read, and nowhere else.
    comparable = with_source and not in_tree(run.policy.privacy)
    sql = _sql_problems(run, named, columns, {}) if comparable else ()
    _refuse([*_claim_problems(run.policy, named.plan), *sql])
    return columns


def plan_problems(policy: Policy, chosen: Plan, mapped: Sequence[Mapped]) -> list[Fault]:
    """List the differences between a plan and its policy; if none, those of its claims and hierarchies."""
    other = _advised(_policy_problems(policy, chosen))
    return other or _advised(
        [*_claim_problems(policy, chosen), *_hierarchy_problems(policy, chosen, mapped)]
    )


def _refuse(problems: Iterable[Fault]) -> None:
    if faults := _advised(problems):
        raise StalePlanError("plan", faults)


def _advised(problems: Iterable[Fault]) -> list[Fault]:
    """List the problems, and append the advice to make the plan again if there are any."""
    faults = list(problems)
    if len(faults) == 1:
        return [Fault(faults[0].where, f"{faults[0].what}; {AGAIN}")]
    return [*faults, Fault("", AGAIN)] if faults else []


def _policy_problems(policy: Policy, chosen: Plan) -> Iterator[Fault]:
    """Yield a fault if the plan belongs to another policy. The other checks are then of no use."""
    names = [column.name for column in policy.quasi]
    if policy.digest != chosen.policy_digest:
        yield Fault("policy", CHANGED)
    elif list(chosen.names) != names:
        yield Fault("recoding", "does not name the policy's quasi-identifiers")
    elif not all(_is_in(node, chosen.heights.values()) for node in chosen.recoding.nodes):
        yield Fault("recoding.levels", "has a level that its hierarchy does not have")


def _is_in(node: Node, heights: Iterable[int]) -> bool:
    return all(0 <= at <= height for at, height in zip(node.levels, heights, strict=True))


def _claim_problems(policy: Policy, chosen: Plan) -> Iterator[Fault]:
    """Yield a fault for each entry that contradicts the policy although the hash agrees: an edited plan."""
    k = demands(policy.privacy)[0].class_size
    limit = policy.suppression.limit(chosen.source_rows)
    over = [
        each.columns for each in joint_demands(policy.privacy) if each.columns and not each.beside
    ]
    claims: dict[str, tuple[object, object]] = {
        "source.where": (chosen.where, policy.source.where),
        "privacy": (chosen.privacy, tuple(map(str, policy.privacy))),
        "search.algorithm": (chosen.algorithm, policy.search.algorithm.value),
        "search.metric": (chosen.metric, metric_label(policy)),
        "over": ([each.columns for each in chosen.over], over),
        "recoding.within": (chosen.within, policy.within),
        "recoding.max_suppressed": (chosen.max_suppressed, limit),
        **chosen.recoding.claims(k),
    }
    yield from _untrue(claims, "the policy")
    yield from _key_problems(policy, chosen)
    of_all_classes = any(
        each.measure.of_all_classes for model in policy.privacy for each in model.requirements
    )
    if chosen.recoding.of_the_table and not of_all_classes:
        what = "is there, and no model of the policy is of the table as a whole"
        yield Fault("recoding.smallest_suppressed", what)
    if chosen.suppressed_rows > limit:
        yield Fault("recoding.suppressed_rows", "is more than the policy allows")


def _key_problems(policy: Policy, chosen: Plan) -> Iterator[Fault]:
    """Yield a fault for each pseudonym key that is set and is not the plan's; older plans state no keys."""
    kept = chosen.pseudonym_keys or {}
    for name, digits in key_checks(policy).items():
        if kept.get(name, digits) != digits:
            what = "is another key than that of the plan, under which no pseudonym is the same: set that one, or plan with this"
            yield Fault(name, what)


def _sql_problems(
    run: Session,
    named: NamedPlan,
    columns: Sequence[ColumnType],
    value_heights: Mapping[str, int],
) -> Iterator[Fault]:
    """Yield a fault if the SQL in a plan file is not the SQL that the plan would execute."""
    chosen = named.plan
    if named.file and chosen.sql != plan_sql(
        run, chosen.recoding, chosen.heights, columns, value_heights
    ):
        what = "is not what this plan would execute: it, or the source's columns, changed"
        yield Fault("sql", what)


def _untrue(claims: Mapping[str, tuple[object, object]], of: str) -> Iterator[Fault]:
    """Yield a fault for each claim, a pair of the plan's value and the found one, whose values differ."""
    for key, (claim, found) in claims.items():
        if claim != found:
            numbers = f": it is {found}, not {claim}" if isinstance(found, int) else ""
            yield Fault(key, f"is not that of {of}{numbers}")


def _source_problems(
    policy: Policy, chosen: Plan, opened: OpenSource, found: str
) -> Iterator[Fault]:
    """Yield a fault if the source's rows are not known to be those that the plan was made from."""
    claimed = chosen.source_fingerprint
    if claimed is None:
        yield Fault("source.fingerprint", HASH_MISSING)
    elif is_snapshot(claimed) and is_snapshot(found) and claimed != found:
        what = (
            f"has another version than the plan was made of ({claimed} then, {found} now); {TO_NEW}"
        )
        yield Fault(f"source {source_name(policy.source)}", what)
    elif KEYED not in claimed and not is_snapshot(claimed):
        yield Fault("source.fingerprint", OF_EARLIER)
    elif opened.source_rows == chosen.source_rows and differ(claimed, found) is None:
        yield Fault("source", why_not_compared(claimed, found))
    elif (opened.source_rows, found) != (chosen.source_rows, claimed):
        beside = "" if opened.population is None else "or its population "
        what = (
            f"{beside}changed since the plan was made ({chosen.source_rows:,} rows then, {opened.source_rows:,} now); "
            f"{TO_NEW}"
        )
        yield Fault(f"source {source_name(policy.source)}", what)


def _hierarchy_problems(policy: Policy, chosen: Plan, mapped: Sequence[Mapped]) -> list[Fault]:
    """List a fault for each hierarchy that changed since the plan, or whose column the policy lacks."""
    found = []
    for each in mapped:
        name, digest = each.column.name, each.hierarchy.digest
        claimed = chosen.hierarchies.get(name, "")
        if digest != claimed:
            unknown = differ(claimed, digest) is None
            what = why_not_compared(claimed, digest) if unknown else CHANGED
            found.append(Fault(f"columns.{name}.hierarchy", what))
    strangers = sorted({*chosen.hierarchies} - {*chosen.names} - in_tree(policy.privacy))
    what = "is that of no quasi-identifier, nor of values that a model weighs by it"
    return [*found, *(Fault(f"hierarchies.{name}", what) for name in strangers)]


def _lattice_problems(chosen: Plan, mapped: Sequence[Mapped]) -> Iterator[Fault]:
    """Yield a fault where the plan's heights or number of nodes are not those of the hierarchies' lattice."""
    heights = {each.column.name: each.hierarchy.height for each in mapped}
    nodes = lattice_of(mapped).size if chosen.recoding.nodes else None
    claims: dict[str, tuple[object, object]] = {
        f"recoding.highest_levels.{name}": (chosen.heights[name], height)
        for name, height in heights.items()
    }
    claims["search.lattice_nodes"] = (chosen.lattice_nodes, nodes)
    yield from _untrue(claims, "the hierarchies")
