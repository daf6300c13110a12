"""What does not go together in a policy, though each entry may: rules over several of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.policy.model import Output
from kanon_sql.policy.search import Recode
from kanon_sql.policy.search_options import (
    Algorithm,
    At,
    Choose,
    Dealing,
    Greedy,
    KOptimize,
    Minimize,
    Mondrian,
    Per,
    default_options,
)
from kanon_sql.privacy.demands import joint_demands, uncounted
from kanon_sql.privacy.privacy_model import Channel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.policy.model import Policy


def policy_problems(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give what does not go together: the entry that is at fault, and what to do."""
    for option, what in conflicts(policy):
        yield ("search", option), what
    for name, what in unsuited(policy):
        yield ("columns", name), what
    if policy.release is not None and policy.release.in_place is not None:
        if policy.source.path or policy.source.query:
            yield ("release",), "in_place needs a source that is a table of the database"
        if policy.source.where is not None:
            what = "in_place does not go with source.where: what it leaves out would go"
            yield ("release",), what
    if policy.attach and re.match(r"(spark|sc|postgres|postgresql):", policy.database or ""):
        yield ("attach",), "goes with DuckDB; the database named is another"


def conflicts(policy: Policy) -> Iterator[tuple[str, str]]:
    """Give the options of the search that do not go with the rest of the policy, and why."""
    search, options = policy.search, policy.search.options
    joint = bool(joint_demands(policy.privacy))
    of_one_set = "is of one set of quasi-identifiers; leave out over:, or"
    if search.recoding is not Recode.FULL_DOMAIN:
        if options.own_recoding:
            what = f"does not go with {search.algorithm}, which says itself what becomes of rows"
            yield "recoding", f"{what} that do not fit"
        if joint:
            yield "recoding", f"{search.recoding} {of_one_set} say full_domain"
    if joint and not options.several_sets:
        yield "algorithm", f"{search.algorithm} {of_one_set} use optimal"
    if options.counted_by is Channel.CUTS:
        by_itself = isinstance(options, KOptimize)
        of_sizes = isinstance(options, KOptimize) and options.minimize is Minimize.DISCERNIBILITY
        if search.target is None and not of_sizes:
            what = "needs target: the column that is to be told from the others"
            yield "target", f"{search.algorithm} {what}"
        if search.time_limit is not None and not by_itself:
            yield "time_limit", f"does not go with {search.algorithm}, which ends by itself"
    yield from _of_models(policy, joint=joint)
    if isinstance(options, Mondrian):
        yield from _of_mondrian(options)
    if joint and isinstance(options, Greedy) and options.per is Per.RECORD:
        yield "per", f"record {of_one_set} say attribute"


def _of_models(policy: Policy, *, joint: bool) -> Iterator[tuple[str, str]]:
    """Give what the search would have to count and does not, as its way asks more of a model."""
    search = policy.search
    asked = [("algorithm", search.algorithm.value, search.options.counted_by)]
    if search.recoding is not Recode.FULL_DOMAIN:
        asked.append(("recoding", search.recoding.value, Channel.SEVERAL_NODES))
    if joint:
        asked.append(("algorithm", "over: several sets together", Channel.SEVERAL_SETS))
    for option, what, channel in asked:
        for why in dict.fromkeys(uncounted(policy.privacy, channel)):
            yield option, f"{what} {why}"


def _of_mondrian(options: Mondrian) -> Iterator[tuple[str, str]]:
    """Give the options of Mondrian that do not go with each other."""
    if options.by_target and options.target is None:
        yield (
            "target",
            f"choose: {options.choose} needs target: the column that cuts are to tell of",
        )
    if options.target is not None and not options.by_target:
        yield "target", "goes with choose: information or variance"
    if options.weights and options.by_target:
        yield "weights", f"multiply widths, which choose: {options.choose} does not ask for"
    if options.at is not At.BALANCED and options.choose is not Choose.WIDTH:
        yield "at", f"says where, and so does choose: {options.choose}; leave one out"
    if options.cuts is Dealing.RELAXED:
        if options.choose is not Choose.WIDTH:
            what = "cuts each column at half of its rows; leave it out, or say choose: width"
            yield "cuts", f"relaxed {what}"
        if options.at is not At.BALANCED:
            yield "at", "says where, and cuts: relaxed is always at half of the rows; leave it out"


def unsuited(policy: Policy) -> Iterator[tuple[str, str]]:
    """Name the quasi-identifiers that the algorithm cannot use as they are, and say why."""
    options, algorithm = policy.search.options, policy.search.algorithm
    for column in policy.quasi:
        ordered = column.order is not None and options.by_order
        if algorithm is Algorithm.K_OPTIMIZE and column.order is None:
            yield (
                column.name,
                f"has no order, and {algorithm} cuts values by their order: say order:",
            )
        elif column.hierarchy is None and not ordered:
            others = " or ".join(each for each in Algorithm if default_options(each).by_order)
            yield column.name, f"has an order, and {algorithm} needs a hierarchy; or use {others}"
        elif column.output.is_centre and algorithm is not Algorithm.MONDRIAN:
            what = f"has output: {column.output}, which is of rows in boxes"
            yield column.name, f"{what}; say output: labels, or use {Algorithm.MONDRIAN}"
        elif options.cuts_axes and column.output is Output.BOUNDS and not ordered:
            what = "nodes of hierarchies are released as labels: say output: labels"
            more = ", or an order" if options.by_order else ""
            yield column.name, f"has output: bounds, but by {algorithm} {what}{more}"
