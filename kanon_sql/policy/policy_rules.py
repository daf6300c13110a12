"""Rules on combinations of a policy's entries: the role of each column, and the channel that counts a release.

k bounds the size of each class. An attacker who links a person's rows sees the labels of all of them
together, and that set of rows may be unique, however large the class of each row is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.shapes import OneOf, Wrong, check
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.masks import APPLIED
from kanon_sql.policy.metrics.registry import metric_named, takes
from kanon_sql.policy.metrics.statistics import EVEN
from kanon_sql.policy.model import ANY_LEVEL, Linkable, Nulls, Role
from kanon_sql.policy.privacy.demands import (
    Over,
    beside_others,
    demands,
    in_tree,
    joint_demands,
    not_of_signatures,
    of_population,
    sensitive_attributes,
    uncounted,
    weighs,
)
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.populations import population_of
from kanon_sql.policy.privacy.privacy_model import OF_PEOPLE, Channel, Monotony, Reference
from kanon_sql.policy.safe_harbor import breaches
from kanon_sql.policy.search import Recode
from kanon_sql.policy.search_options import Algorithm, Per, default_options, options_of
from kanon_sql.policy.series_rule import Changes
from kanon_sql.policy.standards import BY_INIT, GUESSED, WHY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.policy.search import Search


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """A column of the source, its role, how it is released if it is identifying, and why it has this role.

    `stands_in` says that its cells stand for their class, so that no row shows what is true of it.
    """

    column: str
    role: Role
    action: Annotated[str | None, OneOf(tuple(APPLIED))] = None
    why: Annotated[str | None, WHY] = None
    stands_in: bool = False

    def __post_init__(self) -> None:
        always, never = self.role is Role.IDENTIFYING, self.role in {Role.QUASI, Role.SENSITIVE}
        has_action = self.action is not None if always else not (never and self.action)
        check(("action", has_action, "is of identifying and insensitive columns"))
        check(
            ("stands_in", self.role is Role.QUASI or not self.stands_in, "is of quasi-identifiers")
        )

    @property
    def is_dropped(self) -> bool:
        """Whether the release leaves the column out."""
        return self.action is not None and APPLIED[self.action].is_dropped

    @property
    def is_open(self) -> bool:
        """Whether it is released, and nobody said why it could not be known: a reason of `init` may be a guess.

        >>> [ColumnRole("ward", Role.INSENSITIVE, None, why).is_open for why in (None, BY_INIT[0], "public")]
        [True, True, False]
        """
        if self.role is Role.INSENSITIVE:
            return self.why is None or self.why.startswith(BY_INIT)
        return self.role is Role.SENSITIVE and (self.why or "").startswith(GUESSED)

    @property
    def treatment(self) -> str:
        """The way in which the release treats the column, in words.

        >>> ColumnRole("name", Role.IDENTIFYING, "drop").treatment
        'dropped'
        """
        if self.stands_in:
            return "replaced by a value that stands for its class: a row does not show what is true of it"
        if self.role is Role.QUASI:
            return "generalized"
        return "released unchanged" if self.action is None else APPLIED[self.action].treatment


def column_roles(policy: Policy) -> tuple[ColumnRole, ...]:
    """List the role of each column, in the order of the policy."""
    return tuple(
        ColumnRole(
            each.name,
            each.role,
            None if each.mask is None else each.mask.key,
            each.why,
            each.role is Role.QUASI and each.output.is_of_class,
        )
        for each in policy.columns
    )


JOINS_ROWS = (
    "which links all rows of a person: such a set of rows can be unique whatever k is; "
    "use action: drop, or accept it by linkable: accept"
)
SAY_SIGNATURE = (
    "which links all rows of a person, and k people in each class do not protect such a set of rows: say entity: "
    "{{signature: {name}}}, drop it, or accept it by linkable: accept"
)
"""The reason why the entity may not be released where people are counted class by class."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The number of values of a column that links rows, and the number of unique ones.

    A value is unique if no other value has the same set of released rows, by their quasi-identifiers.
    """

    column: str
    values: int
    unique: int

    def __post_init__(self) -> None:
        check(("unique", self.unique <= self.values, "must be at most values"))

    def __str__(self) -> str:
        """Return the text of a warning: the column, its values, and the share of unique ones.

        >>> str(Linked("mrn", 2000, 660))
        'mrn links rows: 660 of its 2,000 values (33.00%) have a set of rows that no other value has'
        """
        share = self.unique / max(self.values, 1)
        return (
            f"{self.column} links rows: {self.unique:,} of its {counted(self.values, 'value')} ({share:.2%}) "
            f"ha{'s' if self.unique == 1 else 've'} a set of rows that no other value has"
        )


def entity_column(policy: Policy) -> Column | None:
    """Return the column whose values the policy counts; None if it counts rows."""
    return next((each for each in policy.columns if each.name == policy.entity), None)


def is_released(column: Column) -> bool:
    """Whether the release shows which rows have equal values of a column, by its values or by pseudonyms."""
    return column.role is not Role.IDENTIFYING or column.pseudonym


def unlinked(policy: Policy) -> list[Column]:
    """List the pseudonyms that must not link rows: those that the policy does not accept as linkable.

    The entity's pseudonym may link rows where people are compared by all their rows (`signature`).
    """
    kept = policy.entity if policy.signature else None
    return [
        c
        for c in policy.columns
        if c.pseudonym and c.linkable is Linkable.REFUSE and c.name != kept
    ]


def linking_columns(policy: Policy) -> list[str]:
    """List the released columns that link the rows of a person.

    They are the entity, if it is released, and the pseudonyms that the policy accepts as linkable.
    """
    accepted = [c.name for c in policy.columns if c.pseudonym and c.linkable is Linkable.ACCEPT]
    entity = entity_column(policy)
    own = [] if entity is None or not is_released(entity) else [entity.name]
    return [c.name for c in policy.columns if c.name in {*accepted, *own}]


def possible_stand_ins(policy: Policy) -> list[str]:
    """List the released columns that must not link rows as the entity does, which the release hides.

    The list is empty without an entity, and if the release has the entity or its pseudonym, which links rows anyway.
    """
    entity = entity_column(policy)
    if entity is None or is_released(entity):
        return []
    return [c.name for c in policy.columns if c.shows_values and c.linkable is Linkable.REFUSE]


def policy_problems(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path of each entry that other entries exclude, and a message on what to do."""
    try:
        population_of(policy.privacy)
    except Wrong as wrong:
        yield from ((("privacy",), what) for _, what in wrong.problems)
    required = [each for model in policy.privacy for each in model.requirements]
    yield from _of_all_classes(policy)
    if policy.entity is not None and any(
        each.measure.of_rows and not each.measure.of_all_classes for each in required
    ):
        what = (
            f"rows of the source are compared with rows of a population, and entity: {policy.entity} has several; say "
            f"entity: row, of a source with a row for each"
        )
        yield ("entity",), what
    yield from _of_left_out(policy)
    yield from _of_wildcard(policy)
    yield from _of_masks(policy)
    yield from _of_signature(policy)
    for each in breaches(policy, definite=True):
        yield each.path, each.what
    for option, what in conflicts(policy):
        yield ("search", option), what
    for name, what in unsuited(policy):
        yield ("columns", name), what
    for name, what in _unread(policy):
        yield ("columns", name), what
    if policy.release is not None and policy.release.in_place is not None:
        if policy.source.path or policy.source.query:
            yield (
                ("release",),
                "in_place needs a source that is a table of the database or of a lake, and no file or query: source: TABLE",
            )
        if policy.source.where is not None:
            what = (
                "in_place cannot be combined with source.where: rows that the condition leaves out"
            )
            yield ("release",), f"{what} would be removed"
    if policy.source.weight is not None and policy.source.weight in {
        each.name for each in policy.columns
    }:
        what = f"{policy.source.weight} is a column under columns: a weight is no attribute, and is not released"
        yield ("source", "weight"), what
    yield from _of_series(policy)
    if policy.attach and re.match(r"(spark|sc|postgres|postgresql):", policy.database or ""):
        yield ("attach",), "is for DuckDB, and the policy names another database"


def _of_series(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the entries of a series that exclude each other, or that ask for less than the policy."""
    rule = policy.series
    if rule is None:
        return
    if rule.births.people(k := demands(policy.privacy)[0].class_size) < k:
        yield ("series", "births", "at_least"), f"must be at least k, which is {k}"
    if rule.row is None and not rule.deletions.refuse:
        what = "deletions must be refuse without row: a deleted row and one whose values changed look the same"
        yield ("series", "deletions"), what
    if rule.row is None and rule.changes is not Changes.FREEZE:
        yield ("series", "changes"), "goes with row, by which a changed row is recognized"


def _of_all_classes(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield entries that cannot be combined with models of the whole table, which need all classes."""
    required = [(model, each.measure) for model in policy.privacy for each in model.requirements]
    whole = dict.fromkeys(model for model, measure in required if measure.of_all_classes)
    if not whole:
        return
    named = next(iter(whole))
    if policy.entity is not None:
        what = (
            f"{named} is a share of rows, and entity: {policy.entity} has several; say entity: row, of a source with a "
            f"row for each"
        )
        yield ("entity",), what
    if any(isinstance(model, Over) for model in whole):
        what = "is of the table as a whole, and so of all quasi-identifiers: remove over:"
        yield ("privacy",), f"{named} {what}"
    if any(measure.of_rest for _, measure in required):
        what = "suppresses classes that fit, which delta_presence counts among what is released"
        yield ("privacy",), f"{named} {what}; leave out one of them"


def _of_left_out(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield entries that need labels of all rows, if nulls: suppress leaves rows with NULL without any."""
    if policy.nulls is not Nulls.SUPPRESS:
        return
    instead = "say nulls: category"
    if policy.search.metric == "entropy" and policy.search.count_suppressed:
        what = f"counted needs the labels of suppressed rows, and nulls: suppress gives rows with NULL none: {instead}"
        yield ("search", "suppressed"), what
    if policy.signature:
        what = (
            f"suppress leaves out rows, and all rows of a person are released together: {instead}"
        )
        yield ("nulls",), what
    required = [each.measure for model in policy.privacy for each in model.requirements]
    if policy.search.options.counted_by is Channel.REGIONS and any(
        measure.reference is Reference.SOURCE for measure in required
    ):
        what = f"suppress leaves rows out of the regions, whose values {policy.search.algorithm} takes for the source's"
        yield ("nulls",), f"{what}: say reference: release, or {instead.removeprefix('say ')}"
    if any(measure.of_rows and not measure.of_all_classes for measure in required):
        what = (
            f"suppress leaves rows with NULL in no class, and delta_presence compares all classes of the population with "
            f"rows of the source: {instead}"
        )
        yield ("nulls",), what


def _of_wildcard(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield entries that cannot be counted with nulls: wildcard, where NULL matches any value."""
    if policy.nulls is not Nulls.WILDCARD:
        return
    instead = "say nulls: category"
    measured = {each.measure for model in policy.privacy for each in model.requirements}
    if measured != {SIZE} or joint_demands(policy.privacy):
        yield (
            ("nulls",),
            f"wildcard is of k alone, over all quasi-identifiers: leave out other models, or {instead}",
        )
    if policy.entity is not None:
        what = f"wildcard counts rows, and entity: {policy.entity} counts what they share: say entity: row, or {instead}"
        yield ("nulls",), what
    for column in policy.quasi:
        if column.output.no_wildcard is not None:
            what = f"has output: {column.output}, which {column.output.no_wildcard}: {instead}"
            yield ("columns", column.name), what


def _of_masks(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the columns that cannot be masked as they are to be."""
    for column in policy.columns:
        if (mask := column.mask) is None:
            continue
        if column.name == policy.entity and (mask.fragment or mask.is_after_staging):
            what = f"is the entity, which action: {mask} may make one of several: say action: drop, or hash"
            yield ("columns", column.name), what
        yield from ((("columns", column.name), what) for what in mask.problems(policy, column))


def conflicts(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield each option of the search that the rest of the policy excludes, and the reason."""
    search, options = policy.search, policy.search.options
    joint = bool(joint_demands(policy.privacy))
    beside = beside_others(demands(policy.privacy))
    several = "beside:" if beside else "over:"
    one_set = f"supports a single set of quasi-identifiers; remove {several}, or"
    if search.recoding is not Recode.FULL_DOMAIN:
        if options.own_recoding:
            what = (
                f"cannot be combined with {search.algorithm}, which determines how rows of classes"
            )
            yield "recoding", f"{what} that fail are released"
        if joint:
            yield "recoding", f"{search.recoding} {one_set} use full_domain"
    if joint and not options.several_sets:
        yield "algorithm", f"{search.algorithm} {one_set} use optimal"
    if options.counted_by is Channel.CUTS:
        if search.target is None and options.needs_target:
            what = "needs target: the column that a model will predict from the release"
            yield "target", f"{search.algorithm} {what}"
        if search.time_limit is not None and not options.ends_in_time:
            yield (
                "time_limit",
                f"cannot be combined with {search.algorithm}, which always runs to its end",
            )
    yield from _without_candidates(policy)
    yield from _of_models(policy, joint=joint)
    yield from _of_rows_of_classes(search, beside=bool(beside))
    yield from _of_factor(policy.search)
    yield from _of_one_node(policy.search)
    yield from options.conflicts()
    if options.counted_by is Channel.REGIONS:
        yield from _of_merged_regions(policy)
    levels = {column.name: column.levels for column in policy.quasi}
    for name, level in options.generalize:
        if not levels[name].holds(level):
            what = f"raises {name} to level {level}, and its column has {levels[name]}"
            yield "generalize", what
    if joint and options.per_record:
        yield "per", f"record {one_set} use attribute"


def _without_candidates(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield search options that exclude nulls: wildcard, by which NULL matches any value."""
    if policy.nulls is not Nulls.WILDCARD:
        return
    search, options = policy.search, policy.search.options
    why = "takes NULL for a value, and nulls: wildcard is for all rows at one node: use"
    if search.recoding is not Recode.FULL_DOMAIN:
        yield "recoding", f"{search.recoding} {why} full_domain"
    if options.own_recoding or not options.several_sets or options.per_record:
        yield "algorithm", f"{search.algorithm} {why} optimal"


def _of_models(policy: Policy, *, joint: bool) -> Iterator[tuple[str, str]]:
    """Yield the search options by which a privacy model cannot be counted, and the reason."""
    search = policy.search
    channels = [("algorithm", search.algorithm.value, search.options.counted_by)]
    if search.recoding is not Recode.FULL_DOMAIN:
        channels.append(("recoding", search.recoding.value, Channel.SEVERAL_NODES))
    elif search.options.per_record:
        channels.append(("per", Per.RECORD.value, Channel.SEVERAL_NODES))
    if joint:
        channels.append(("algorithm", "over: several sets together", Channel.SEVERAL_SETS))
    for option, what, channel in channels:
        for why in dict.fromkeys(_not_counted(policy, channel)):
            yield option, f"{what} {why}"


OF_SIGNATURES = frozenset({Channel.LATTICE, Channel.RELEASE})
"""The channels that compare people by all their rows (`signature`). All others refuse such a policy."""


def _not_counted(policy: Policy, channel: Channel) -> Iterator[str]:
    """Yield why a channel cannot count a policy's models, values of people, or people by all their rows."""
    yield from uncounted(policy.privacy, channel)
    entity = entity_column(policy)
    if channel not in OF_PEOPLE and policy.entity is not None:
        for each in filter(weighs, policy.privacy):
            yield f"weighs the values of rows, and {each} is of the values of people: say entity: row, or leave it out"
    if channel is Channel.CERTIFICATE and entity is not None and not is_released(entity):
        for each in filter(weighs, policy.privacy):
            yield f"cannot count the people of {each}: {entity.name} is not released"
    if policy.signature and channel not in OF_SIGNATURES:
        person = policy.entity
        what = f"does not compare people by all their rows, as entity: {{signature: {person}}} asks"
        yield f"{what}: drop {person}, and say entity: {person}"


def _of_signature(policy: Policy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield entries that exclude a signature, by which people are compared by all their rows."""
    if not policy.signature:
        return
    for what in dict.fromkeys(not_of_signatures(policy.privacy)):
        yield ("privacy",), what
    if policy.search.options.per_record:
        what = (
            "record releases rows at several nodes, where people are not compared by all their rows"
        )
        yield ("search", "per"), f"{what}: use attribute"


def _of_rows_of_classes(search: Search, *, beside: bool) -> Iterator[tuple[str, str]]:
    """Yield options that need whole classes, if a model with `beside` may suppress some rows of a class."""
    what = "with beside: others, by which rows of one class may be suppressed, and not the others"
    if beside and search.options.counted_by is not Channel.LATTICE:
        yield "algorithm", f"{search.algorithm} cannot be combined {what}; use optimal"
    if beside and search.metric == "discernibility":
        yield "metric", f"discernibility, which charges classes, has no floors {what}; use loss"


def _of_factor(search: Search) -> Iterator[tuple[str, str]]:
    """Yield the reason why the search cannot use its generalization factor."""
    factor, metric, key = search.generalization_factor, search.metric, "generalization_factor"
    if factor == EVEN:
        return
    if search.options.cuts_axes:
        yield (
            key,
            f"is of metrics of the lattice, which {search.algorithm} does not search; remove it",
        )
    elif not takes(metric, "factor"):
        yield key, f"does not change metric: {metric}, which ARX defines without it; remove it"
    elif metric == "entropy" and not search.count_suppressed:
        what = "needs suppressed: counted; where suppressed rows are ignored"
        yield key, f"{what}, it changes nothing in what order nodes come"
    elif metric == "class_size" and not factor:
        yield key, "must be more than 0 with metric: class_size, whose kept classes would not count"
    elif metric == "loss" and factor < EVEN and search.labels_vary:
        what = "below 0.5 charges a suppressed row by the node at which it is suppressed, and"
        how = search.algorithm if search.recoding is Recode.FULL_DOMAIN else search.recoding
        yield key, f"{what} {how} releases rows at several; use a factor of at least 0.5"


def _of_one_node(search: Search) -> Iterator[tuple[str, str]]:
    """Yield metric options that are defined at one node only, if the search releases rows at several."""
    if not search.labels_vary:
        return
    how = search.algorithm if search.recoding is Recode.FULL_DOMAIN else search.recoding
    if metric_named(search.metric).at_one_node:
        what = f"{search.metric} counts the labels of one node, and {how} releases rows at several"
        yield "metric", f"{what}; use loss, or another search"
    if search.ignore_suppressed:
        what = (
            f"counts the classes of suppressed rows at one node, and {how} releases rows at several"
        )
        yield "suppressed", f"ignored {what}; remove it"


def _of_merged_regions(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield options by which regions may share labels, if a model may fail on the union of two classes."""
    options = policy.search.options
    alone = [column.output for column in policy.quasi if column.output.regions_may_join]
    if not options.overlapping and not alone:
        return
    for model in policy.privacy:
        if model.monotony is Monotony.NEVER:
            what = f"may release two regions alike that fail {model} together"
            if options.overlapping:
                option, value, instead = options.without_overlap()
                yield option, f"{value} {what}; {instead}"
            else:
                instead = "use output: interval, bounds or set"
                yield "algorithm", f"mondrian with output: {alone[0]} {what}; {instead}"


def unsuited(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield each quasi-identifier that the algorithm cannot use, and the reason."""
    options, algorithm = policy.search.options, policy.search.algorithm
    for column in policy.quasi:
        if column.levels != ANY_LEVEL and column.order is not None and options.by_order:
            what = f"has levels, and {algorithm} cuts values by their order, without regard to them: remove"
            instead = f"use a search of the lattice, such as {Algorithm.OPTIMAL}"
            yield (
                column.name,
                f"{what} {'levels' if options.only_ordered else 'order'}, or {instead}",
            )
        if column.weight != 1 and options.cuts_axes:
            weights = "; say search: weights" if "weights" in options_of(algorithm) else ""
            what = f"has a weight, which is of metrics of the lattice, and {algorithm} does not search it"
            yield column.name, f"{what}: remove it{weights}"
        elif column.weight != 1 and not takes(policy.search.metric, "weights"):
            what = f"has a weight, which metric: {policy.search.metric} does not use, as it adds up no columns"
            yield column.name, f"{what}: remove it, or use another metric"
        ordered = column.order is not None and options.by_order
        if options.only_ordered and column.order is None:
            yield (
                column.name,
                f"has no order, and {algorithm} cuts values by their order: add order:",
            )
        elif column.hierarchy is None and not ordered:
            others = " or ".join(each for each in Algorithm if default_options(each).by_order)
            yield column.name, f"has an order, and {algorithm} needs a hierarchy; or use {others}"
        else:
            yield from ((column.name, what) for what in column.output.problems(policy, column))
            if column.output.is_of_rows and options.counted_by is not Channel.REGIONS:
                yield from ((column.name, what) for what in _of_rows_problems(policy, column))


def _of_rows_problems(policy: Policy, column: Column) -> Iterator[str]:
    """Yield the reasons why a column's output, which follows from the rows of a class, is not possible."""
    output = column.output
    said = f"has output: {output}"
    if output.only_regions is not None:
        yield f"{said}, which is {output.only_regions}"
        return
    if column.levels.least:
        what = f"and levels, whose least is {column.levels.least}: values as they are would be released below it"
        yield f"{said} {what}; leave output out"
    if policy.nulls is Nulls.WILDCARD:
        what = (
            "in which NULL is a value among others, and nulls: wildcard would match any with a row"
        )
        yield f"{said}, {what} of it; leave output out, or nulls: category"
    if policy.source.frequency_set is not None:
        yield f"{said}, which follows from rows, and the source is a frequency set; leave output out"
    for model in policy.privacy:
        if of_population(model):
            what = f"and {model} compares classes with a population, whose rows have no part in what they are released as"
            yield f"{said}, {what}; leave output out"
        elif may_join(policy, column) and (
            model.monotony is Monotony.NEVER or any(r.measure.estimated for r in model.requirements)
        ):
            what = f"by which two classes may be released alike that fail {model} together"
            yield f"{said}, {what}; leave output out"


def may_join(policy: Policy, column: Column) -> bool:
    """Whether a column's output may make classes with different labels equal in the release.

    Labels of one level or of one cut have no value in common; labels of several levels may.
    """
    return column.output.classes_may_join(several_levels=policy.search.labels_vary)


def _unread(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield sensitive columns whose order or hierarchy no privacy model reads."""
    weighed = sensitive_attributes(r for model in policy.privacy for r in model.requirements)
    ordered = {each.column for each in weighed if each.order is not None}
    above = in_tree(policy.privacy)
    for column in policy.with_role(Role.SENSITIVE):
        if column.order is not None and column.name not in ordered:
            yield (
                column.name,
                "has an order, which only t_closeness with distance: ordered reads; remove it",
            )
        if column.hierarchy is not None and column.name not in above:
            what = "has a hierarchy, which only t_closeness with distance: hierarchical reads"
            yield column.name, f"{what}; remove it"


def uncounted_problems(policy: Policy, channel: Channel) -> list[Fault]:
    """List a fault for each reason why a channel cannot count a policy's privacy models."""
    reasons = dict.fromkeys(_not_counted(policy, channel))
    return [policy.fault("privacy", f"{channel} {why}") for why in reasons]


def check_counted(policy: Policy, channel: Channel) -> None:
    """Refuse a policy with a privacy model that a channel cannot count. Raises InputError."""
    if faults := uncounted_problems(policy, channel):
        raise InputError(policy.subject, faults)
