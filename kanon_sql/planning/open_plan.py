"""Whether a plan is still of the policy, the source and the hierarchies that it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.hierarchies.mapping import map_columns
from kanon_sql.lattice.node import Lattice
from kanon_sql.planning.make_plan import Planned, metric_label
from kanon_sql.plans.hashes import (
    KEYED,
    differ,
    is_portable,
    why_not_compared,
)
from kanon_sql.plans.plan import Plan
from kanon_sql.plans.recodings import Enforced
from kanon_sql.privacy.demands import demands, joint_demands
from kanon_sql.release.query import plan_sql
from kanon_sql.source.open_source import fingerprint, open_source, source_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.lattice.node import Node
    from kanon_sql.run.inputs import PolicyInput
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

AGAIN = "make the plan again and review it"
CHANGED = "changed since the plan was made"
OF_EARLIER = (
    "is of an earlier version, and a test for guesses of the source's rows: take the old plan out of what others can "
    "read, its history too"
)


def read_plan(given: str | Path | Plan) -> Plan:
    """Read a plan from its file, unless it is one. Raises InputError."""
    if isinstance(given, Plan):
        return given
    path = Path(given)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("", "there is no such plan file")]) from error
    return Plan.from_yaml(text, str(path))


def plan_and_policy(
    given: str | Path | Plan, policy: PolicyInput | None
) -> tuple[Plan, PolicyInput]:
    """Find the policy that a plan names, beside the plan."""
    chosen = read_plan(given)
    folder = Path() if isinstance(given, Plan) else Path(given).parent
    if policy is not None:
        return chosen, policy
    if chosen.policy_file is None:
        fault = Fault("policy", "the plan was made from Python; give its policy too")
        raise InputError("plan", [fault])
    return chosen, folder / chosen.policy_file


def check_policy(run: Session, chosen: Plan) -> None:
    """Refuse a plan that is of another policy, or that says of itself what the policy does not."""
    names = [column.name for column in run.policy.quasi]
    faults = []
    if run.policy.digest != chosen.policy_digest:
        faults.append(Fault("policy", f"changed since the plan was made; {AGAIN}"))
    elif list(chosen.names) != names:
        faults.append(Fault("recoding", "does not name the policy's quasi-identifiers"))
    elif not all(_has(node, chosen.heights.values()) for node in chosen.recoding.nodes):
        faults.append(Fault("recoding.levels", "has a level that its hierarchy does not have"))
    if faults:
        raise StalePlanError("plan", faults)


def _has(node: Node, heights: Iterable[int]) -> bool:
    return all(0 <= at <= height for at, height in zip(node.levels, heights, strict=True))


def edited(
    run: Session, chosen: Plan, columns: Sequence[ColumnType], *, from_file: bool
) -> Iterator[Fault]:
    """Find what a plan says otherwise than its policy, and whether its SQL was changed by hand.

    The policy is the one it was made from: it bears its hash.
    """
    policy = run.policy
    k = demands(policy.privacy)[0].class_size
    recoded = chosen.recoding
    over = [each.columns for each in joint_demands(policy.privacy) if each.columns]
    claims: dict[str, tuple[object, object]] = {
        "source.where": (chosen.where, policy.source.where),
        "privacy": (chosen.privacy, tuple(map(str, policy.privacy))),
        "search.algorithm": (chosen.algorithm, policy.search.algorithm.value),
        "search.metric": (chosen.metric, metric_label(policy.search)),
        "over": ([each.columns for each in chosen.over], over),
    }
    if isinstance(recoded, Enforced):
        claims["recoding.least_suppressed"] = (recoded.least, k)
    yield from _untrue(claims, "the policy")
    if from_file and chosen.sql != plan_sql(run, recoded, chosen.heights, columns):
        what = "is not what this plan would run: it, or the source's columns, changed"
        yield Fault("sql", what)


def _untrue(claims: Mapping[str, tuple[object, object]], of: str) -> Iterator[Fault]:
    """Name the keys of a plan that contradict its policy, with their numbers."""
    for key, (claim, found) in claims.items():
        if claim != found:
            numbers = f": it is {found}, not {claim}" if isinstance(found, int) else ""
            yield Fault(key, f"is not that of {of}{numbers}")


def check_unedited(
    run: Session, chosen: Plan, columns: Sequence[ColumnType], *, from_file: bool
) -> None:
    """Refuse a plan that was edited, for what needs no rows."""
    faults = list(edited(run, chosen, columns, from_file=from_file))
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])


def check_suppression(run: Session, chosen: Plan) -> None:
    """Refuse a plan that lets more rows go than its policy does, of as many as it says there were."""
    limit = run.policy.suppression.limit(chosen.source_rows)
    if not chosen.suppressed_rows <= chosen.max_suppressed == limit:
        what = f"is not the policy's: it is {limit}, and what is suppressed at most that"
        raise StalePlanError("plan", [Fault("recoding.max_suppressed", what)])


def replan(
    run: Session, chosen: Plan, frame: object | None, *, from_file: bool, new: bool = False
) -> Planned:
    """Open what the plan was made from and compare it, hash by hash, and what it says of it.

    Its claims about classes are compared with their recount, once there is one. That it is
    `optimal`, its cost and the figures that only a search counts stay its claim. Rows that are `new`
    to it are others, which the same hierarchies put where the plan says.
    """
    check_policy(run, chosen)
    journal = run.engine.journal
    with journal.step("open"):
        opened = open_source(run, frame)
        faults = list(edited(run, chosen, opened.columns, from_file=from_file))
    with journal.step("hierarchies"):
        mapped = map_columns(run, opened, new=new)
    if not new:
        with journal.step("fingerprint"):
            portable = is_portable(chosen.source_fingerprint)
            found = fingerprint(run, opened, portable=portable)
        faults += _of_source(run, chosen, opened, found)
    faults += _of_hierarchies(chosen, mapped)
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])
    return Planned(chosen, opened, tuple(mapped))


def _of_source(run: Session, chosen: Plan, opened: OpenSource, found: str) -> Iterator[Fault]:
    """Hold a plan against the rows: whether they are the same, and how many of them may go."""
    claimed = chosen.source_fingerprint
    if claimed is None:
        yield Fault("source.fingerprint", "is missing: the plan is of a run that is over")
    elif KEYED not in claimed:
        yield Fault("source.fingerprint", OF_EARLIER)
    elif opened.rows == chosen.source_rows and differ(claimed, found) is None:
        yield Fault("source", why_not_compared(claimed, found))
    elif (opened.rows, found) != (chosen.source_rows, claimed):
        what = (
            f"changed since the plan was made ({chosen.source_rows} rows then, {opened.rows} now); "
            f"--to-new-rows carries it out on other rows"
        )
        yield Fault(f"source {source_name(run.policy.source)}", what)
    else:
        limit = run.policy.suppression.limit(opened.rows)
        yield from _untrue(
            {"recoding.max_suppressed": (chosen.max_suppressed, limit)}, "the policy"
        )
        if chosen.suppressed_rows > limit:
            yield Fault("recoding.suppressed_rows", "is more than the policy allows")


def _of_hierarchies(chosen: Plan, mapped: Sequence[Mapped]) -> Iterator[Fault]:
    """Hold a plan against the hierarchies, as they are now, and the lattice that they make."""
    heights = {each.column.name: each.hierarchy.height for each in mapped}
    digests = {each.column.name: each.hierarchy.digest for each in mapped}
    if digests != dict(chosen.hierarchies):
        for name, digest in digests.items():
            claimed = chosen.hierarchies.get(name, "")
            if digest != claimed:
                unknown = differ(claimed, digest) is None
                what = why_not_compared(claimed, digest) if unknown else CHANGED
                yield Fault(f"columns.{name}.hierarchy", what)
        for name in sorted({*chosen.hierarchies} - {*digests}):
            yield Fault(f"hierarchies.{name}", "is that of no quasi-identifier")
        return
    nodes = Lattice(tuple(heights.values())).size if chosen.recoding.nodes else None
    claims: dict[str, tuple[object, object]] = {
        f"recoding.heights.{name}": (chosen.heights[name], height)
        for name, height in heights.items()
    }
    claims["search.lattice_nodes"] = (chosen.lattice_nodes, nodes)
    yield from _untrue(claims, "the hierarchies")
