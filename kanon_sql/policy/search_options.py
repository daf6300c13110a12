"""Which options of a search go with which algorithm and privacy models, and what another leaves out."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.policy.model import (
    Algorithm,
    Among,
    At,
    Choose,
    Dealing,
    Minimize,
    Output,
    Per,
    Preference,
    Recode,
    Repair,
    Search,
    Variant,
)
from kanon_sql.privacy.demands import joint_demands, uncounted
from kanon_sql.privacy.privacy_model import Channel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum

    from kanon_sql.policy.model import Policy


def _choices(of: type[StrEnum]) -> str:
    return " | ".join(of)


@dataclass(frozen=True, slots=True)
class Option:
    """An option that only some algorithms have, and how it is written in a policy."""

    of: tuple[Algorithm, ...]
    written: str


OF_PARTS = (Algorithm.TOP_DOWN, Algorithm.BOTTOM_UP, Algorithm.K_OPTIMIZE)
"""The algorithms that cut each column's domain into parts, the same for all rows."""

OPTIONS = {
    "preference": Option((Algorithm.SAMARATI, Algorithm.MINGEN), _choices(Preference)),
    "among": Option((Algorithm.SAMARATI,), _choices(Among)),
    "variant": Option((Algorithm.INCOGNITO,), _choices(Variant)),
    "order": Option((Algorithm.GREEDY,), "[COLUMN, ...]"),
    "per": Option((Algorithm.GREEDY,), _choices(Per)),
    "sets": Option((Algorithm.MU_ARGUS,), "{more: [COLUMN, ...], most: [COLUMN, ...]}"),
    "generalize": Option((Algorithm.MU_ARGUS,), "{COLUMN: LEVEL, ...}"),
    "repair": Option((Algorithm.MU_ARGUS,), _choices(Repair)),
    "choose": Option((Algorithm.MONDRIAN,), _choices(Choose)),
    "at": Option((Algorithm.MONDRIAN,), _choices(At)),
    "cuts": Option((Algorithm.MONDRIAN,), _choices(Dealing)),
    "target": Option((*OF_PARTS, Algorithm.MONDRIAN), "COLUMN"),
    "minimize": Option((Algorithm.K_OPTIMIZE,), _choices(Minimize)),
    "score": Option((Algorithm.TOP_DOWN,), _choices(Score)),
    "average": Option((Algorithm.TOP_DOWN,), _choices(Average)),
    "weights": Option((Algorithm.MONDRIAN,), "{COLUMN: NUMBER, ...}"),
}

OF_REGIONS = (Algorithm.MONDRIAN, *OF_PARTS)
"""The algorithms that cut axes, and need no lattice; the values of an axis have an order or a hierarchy."""

OF_LINES = (Algorithm.MONDRIAN, Algorithm.TOP_DOWN, Algorithm.K_OPTIMIZE)
"""Those of them that cut columns by the order of their values, where these have one."""

BY_TARGET = (Choose.INFORMATION, Choose.VARIANCE)
"""What Mondrian chooses cuts by that asks for a target, and for no widths."""

OWN_RECODING = (Algorithm.DATAFLY, Algorithm.MU_ARGUS, *OF_REGIONS)
"""The algorithms that have steps of their own for rows that do not fit."""

ONE_SET = (Algorithm.DATAFLY, Algorithm.MU_ARGUS, Algorithm.MONDRIAN, Algorithm.K_OPTIMIZE)
"""The algorithms that are of one set of quasi-identifiers, and know no others that must fit too."""

COUNTED_BY = {
    **dict.fromkeys(OF_PARTS, Channel.CUTS),
    Algorithm.MONDRIAN: Channel.REGIONS,
    Algorithm.DATAFLY: Channel.DATAFLY,
    Algorithm.MU_ARGUS: Channel.LOCAL_SUPPRESSION,
}
"""How an algorithm that is no search of a lattice counts classes."""

SPELLED = {"count_suppressed": "suppressed"}
"""The options that a policy spells otherwise than `Search` does."""


def conflicts(policy: Policy) -> Iterator[tuple[str, str]]:
    """Give the options of the search that do not go with the rest of the policy, and why."""
    search = policy.search
    joint = bool(joint_demands(policy.privacy))
    of_one_set = "is of one set of quasi-identifiers; leave out over:, or"
    if search.recoding is not Recode.FULL_DOMAIN:
        if search.algorithm in OWN_RECODING:
            what = f"does not go with {search.algorithm}, which says itself what becomes of rows"
            yield "recoding", f"{what} that do not fit"
        if joint:
            yield "recoding", f"{search.recoding} {of_one_set} say full_domain"
    if joint and search.algorithm in ONE_SET:
        yield "algorithm", f"{search.algorithm} {of_one_set} use optimal"
    if search.algorithm in OF_PARTS:
        by_itself = search.algorithm is Algorithm.K_OPTIMIZE
        if search.target is None and not (by_itself and search.minimize is Minimize.DISCERNIBILITY):
            what = "needs target: the column that is to be told from the others"
            yield "target", f"{search.algorithm} {what}"
        if search.time_limit is not None and not by_itself:
            yield "time_limit", f"does not go with {search.algorithm}, which ends by itself"
    yield from _of_models(policy, joint=joint)
    if search.algorithm is Algorithm.MONDRIAN:
        yield from _of_mondrian(search)
    if joint and search.per is Per.RECORD:
        yield "per", f"record {of_one_set} say attribute"


def _of_models(policy: Policy, *, joint: bool) -> Iterator[tuple[str, str]]:
    """Give what the search would have to count and does not, as its way asks more of a model."""
    search = policy.search
    asked = [
        ("algorithm", search.algorithm.value, COUNTED_BY.get(search.algorithm, Channel.LATTICE))
    ]
    if search.recoding is not Recode.FULL_DOMAIN:
        asked.append(("recoding", search.recoding.value, Channel.SEVERAL_NODES))
    if joint:
        asked.append(("algorithm", "over: several sets together", Channel.SEVERAL_SETS))
    for option, what, channel in asked:
        for why in dict.fromkeys(uncounted(policy.privacy, channel)):
            yield option, f"{what} {why}"


def _of_mondrian(search: Search) -> Iterator[tuple[str, str]]:
    """Give the options of Mondrian that do not go with each other."""
    by_target = search.choose in BY_TARGET
    if by_target and search.target is None:
        yield "target", f"choose: {search.choose} needs target: the column that cuts are to tell of"
    if search.target is not None and not by_target:
        yield "target", f"goes with choose: {' or '.join(BY_TARGET)}"
    if search.weights and by_target:
        yield "weights", f"multiply widths, which choose: {search.choose} does not ask for"
    if search.at is not At.BALANCED and search.choose is not Choose.WIDTH:
        yield "at", f"says where, and so does choose: {search.choose}; leave one out"
    if search.cuts is Dealing.RELAXED:
        if search.choose is not Choose.WIDTH:
            what = "cuts each column at half of its rows; leave it out, or say choose: width"
            yield "cuts", f"relaxed {what}"
        if search.at is not At.BALANCED:
            yield "at", "says where, and cuts: relaxed is always at half of the rows; leave it out"


def unsuited(policy: Policy) -> Iterator[tuple[str, str]]:
    """Name the quasi-identifiers that the algorithm cannot use as they are, and say why."""
    algorithm = policy.search.algorithm
    for column in policy.quasi:
        ordered = column.order is not None and algorithm in OF_LINES
        if algorithm is Algorithm.K_OPTIMIZE and column.order is None:
            yield (
                column.name,
                f"has no order, and {algorithm} cuts values by their order: say order:",
            )
        elif column.hierarchy is None and not ordered:
            others = " or ".join(OF_LINES)
            yield column.name, f"has an order, and {algorithm} needs a hierarchy; or use {others}"
        elif column.output.is_centre and algorithm is not Algorithm.MONDRIAN:
            what = f"has output: {column.output}, which is of rows in boxes"
            yield column.name, f"{what}; say output: labels, or use {Algorithm.MONDRIAN}"
        elif algorithm in OF_REGIONS and column.output is Output.BOUNDS and not ordered:
            what = "nodes of hierarchies are released as labels: say output: labels"
            more = ", or an order" if algorithm in OF_LINES else ""
            yield column.name, f"has output: bounds, but by {algorithm} {what}{more}"


def switched(search: Search, algorithm: Algorithm) -> Search:
    """Give a search by another algorithm: what it has no use for is left out.

    Options that only some algorithms have go with those, and the recoding stays unless the
    algorithm has one of its own.
    """
    if algorithm is search.algorithm:
        return search
    default = Search()
    dropped = {
        name: getattr(default, name)
        for name, option in OPTIONS.items()
        if algorithm not in option.of
    }
    if algorithm is Algorithm.MONDRIAN:  # what it chooses by asks for none, unless it is said
        dropped |= {"target": None}
    if algorithm in OWN_RECODING:
        dropped |= {"recoding": default.recoding, "layers": default.layers}
    return replace(search, algorithm=algorithm, **dropped)


def left_out(before: Search, after: Search, said: set[str]) -> tuple[str, ...]:
    """Name the options that one search had and another has not, but for what was `said` of it.

    >>> left_out(Search(per=Per.RECORD, layers=9), Search(layers=9), set())
    ('per',)
    """
    default = Search()
    names = [each.name for each in fields(Search) if each.name not in {*said, "metric"}]
    return tuple(
        SPELLED.get(name, name)
        for name in names
        if getattr(before, name) != getattr(after, name) == getattr(default, name)
    )
