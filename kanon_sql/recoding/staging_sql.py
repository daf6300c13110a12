"""Statements that write a recoding: the classes that fail, the staged table, a view."""

from __future__ import annotations

import glob
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.exposed_rows import masked_rows, of_key, read_hash
from kanon_sql.counting.source.released_types import columns_of_types
from kanon_sql.engines.commands_sql import key_variables
from kanon_sql.policy.hierarchies.labels_sql import joins, quasi_columns
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.policy_rules import entity_column, is_released
from kanon_sql.policy.privacy.candidates_sql import MatchedClasses, MatchedColumn, compatible
from kanon_sql.policy.privacy.demands import Demand
from kanon_sql.policy.privacy.fitting_sql import (
    ClassRows,
    FittingSet,
    KeyPart,
    fitting,
    weighed_attributes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.shown_plan import TextType
    from kanon_sql.counting.source.exposed_rows import Tabulated
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.hierarchies.labels_sql import Released, SourceRows
    from kanon_sql.policy.model import Column, Policy, Suppression
    from kanon_sql.recoding.class_values_sql import ClassValues

ENTITY = "_kanon_entity"


def failing_classes(failing: exp.Table, of: SourceRows) -> Statement:
    """Find the classes that do not fit, by the source's own rows."""
    entity = None if of.entity is None else column(of.entity, of="s")
    where = ClassRows(entity, lambda each: column(each.column, of="s"), weighted=False)
    return Statement(
        "recoding/failing_classes",
        {
            "failing": failing,
            "source": of.source,
            **joins(of.released),
            "groups": of.groups,
            "requirements": where.requirements(of.needed),
        },
        scans=of.rows,
    )


def unfit_classes(
    failing: exp.Table, of: SourceRows, *, steps: Sequence[exp.Table]
) -> Iterator[Statement]:
    """Find the classes that do not fit: at once, or by two `steps` where more than their own rows are looked at."""
    if weighed_attributes(of.needed) or any(each.measure.population for each in of.needed):
        yield from joint_classes(steps, failing, of, [Demand((), tuple(of.needed))])
    else:
        yield failing_classes(failing, of)


def failing_persons(
    failing: exp.Table, of: SourceRows, *, steps: Sequence[exp.Table]
) -> Iterator[Statement]:
    """Find the people whose signature does not fit, by the table of all classes: the first of `steps`."""
    yield of.classes(steps[0])
    yield Statement(
        "recoding/failing_persons",
        {
            "failing": failing,
            "classes": steps[0],
            "codes": joins(of.released)["codes"],
            "requirements": of.class_rows.requirements(of.needed),
        },
    )


def enforced_classes(
    short: exp.Table,
    failing: exp.Table,
    of: SourceRows,
    *,
    steps: Sequence[exp.Table],
    smallest: int,
) -> Iterator[Statement]:
    """Find the classes that do not fit, then add so many of the smallest that do, the first by their labels."""
    yield from unfit_classes(short, of, steps=steps)
    leaves = {"failing": failing, "short": short, "source": of.source, "groups": of.groups}
    leaves["classes"] = literal(smallest)
    yield Statement("recoding/enforced_classes", {**leaves, **joins(of.released)}, scans=of.rows)


def joint_classes(
    steps: Sequence[exp.Table], failing: exp.Table, of: SourceRows, demanded: Sequence[Demand]
) -> Iterator[Statement]:
    """Find the classes that do not fit several sets of columns together, by the source's own rows.

    The first of `steps` becomes the table of all classes, each of the others what one more pass
    leaves of it; as many as the plan says leave nothing that falls short.
    """
    of = replace(of, needed=[r for each in demanded for r in each.requirements])
    yield of.classes(steps[0])
    sets = [_fitting_set(each, of) for each in demanded]
    for before, left in pairwise(steps):
        yield fitting(left, before, sets)
    yield _unfit(failing, steps, of)


def _unfit(failing: exp.Table, steps: Sequence[exp.Table], of: SourceRows) -> Statement:
    """Find the classes that the last of some steps has not."""
    return Statement(
        "recoding/unfit_classes",
        {
            "failing": failing,
            "classes": steps[0],
            "fitting": steps[-1],
            "codes": joins(of.released)["codes"],
            "groups": of.groups,
        },
    )


def classes_without_candidates(
    steps: Sequence[exp.Table], failing: exp.Table, of: SourceRows, *, least: int
) -> Iterator[Statement]:
    """Find the classes that keep too few candidates where NULL matches any value, by passes as `joint_classes`."""
    of = replace(of, marks_null=True)
    yield of.classes(steps[0])
    keys = [f"class_{i}" for i, _ in enumerate(of.released)]
    matched = [MatchedColumn(own=key, null=f"null_{i}") for i, key in enumerate(keys)]
    for before, left in pairwise(steps):
        yield compatible(left, before, MatchedClasses(keys, matched), least=least)
    yield _unfit(failing, steps, of)


def _fitting_set(demand: Demand, of: SourceRows) -> FittingSet:
    codes = [
        name(f"class_{i}")
        for i, r in enumerate(of.released)
        if r.column.name in demand.columns or (not demand.columns and r.column.role is Role.QUASI)
    ]
    binding = tuple(each for each in demand.requirements if each.binding)
    return FittingSet([KeyPart(code, code) for code in codes], binding, of.class_rows)


def kept_classes(
    kept: exp.Table,
    source: exp.Table,
    failing: exp.Table,
    released: Sequence[Released],
    *,
    rows: int = 0,
) -> Statement:
    """Find the classes of the source that are released."""
    leaves = {"kept": kept, "source": source, "failing": failing, **joins(released)}
    return Statement("recoding/kept_classes", leaves, scans=rows)


def _in_order(policy: Policy, order: Sequence[str]) -> list[Column]:
    """Return the policy's columns in the order of the source's."""
    known = {each.name: each for each in policy.columns}
    return [known[text] for text in order]


def output_columns(policy: Policy, released: Sequence[Released], order: Sequence[str]) -> list[str]:
    """Name the columns of the release, in the order of the source's columns."""
    quasi = {r.column.name: r.names for r in released}
    names: list[str] = []
    for each in _in_order(policy, order):
        if each.role is Role.QUASI:
            names += quasi[each.name]
        elif not each.is_dropped:
            names.append(each.name)
    return names


def hidden_entity(policy: Policy) -> str | None:
    """Name the staged column of an entity that the release does not show, if it hides it."""
    entity = entity_column(policy)
    if entity is None or is_released(entity):
        return None
    taken = {text.casefold() for c in policy.columns for text in c.released_as}
    free = ENTITY
    while free in taken:
        free += "_"
    return free


def stage(
    staged: exp.Table,
    source: exp.Table,
    failing: exp.Table | None,
    policy: Policy,
    released: Sequence[Released],
    *,
    order: Sequence[str],
    rows: int = 0,
    moved: exp.Table | None = None,
    of_classes: ClassValues | None = None,
) -> Statement:
    """Write the staged table: recoded, failing classes left out if any are known, shuffled.

    `order` names the source's columns as they stand there; `moved` has the level of each column
    for the classes that are not released at the first node, `of_classes` what follows from the rows of a class.
    """
    leaves = recoded(source, policy, released, order, with_hidden=True, of_classes=of_classes)
    leaves["moved"] = moved
    return Statement(
        "recoding/stage",
        {"staged": staged, "failing": failing, "in_any_order": False, **leaves},
        scans=rows,
    )


def weighted(staging: Statement, source: exp.Table, weight: str, *, rows: int = 0) -> Statement:
    """Stage rows of another source that stand for several each, with the column that says for how many."""
    columns = cast("Sequence[dict[str, object]]", staging.leaves["columns"])
    beside = {"from": column(weight, of="s"), "as": name(weight), "kind": "plain"}
    leaves = {**staging.leaves, "source": source, "columns": [*columns, beside]}
    return replace(staging, leaves=leaves, scans=rows)


def with_masks(
    staging: Statement,
    policy: Policy,
    columns: Sequence[ColumnType],
    tabulated: Tabulated | None = None,
) -> Statement:
    """Return a statement that reads its source, of these columns, with masks; itself where no column has one."""
    masked = masked_rows(staging.leaves["source"], policy, columns, tabulated=tabulated)
    if masked is None:
        return staging
    known = {name(each): read_hash(columns, each) for each in tabulated or ()}
    staged = [
        {**each, "kind": "plain", "from": known[of]}
        if each["kind"] == "hash" and (of := each["as"]) in known
        else each
        for each in cast("Sequence[dict[str, Any]]", staging.leaves["columns"])
    ]
    return replace(staging, leaves={**staging.leaves, "columns": staged, "masked": masked})


def in_any_order(staging: Statement) -> Statement:
    """Return a statement that does not shuffle its rows, which are counted and never released: a quarter of its time."""
    return replace(staging, leaves={**staging.leaves, "in_any_order": True})


def labels_of(
    labels: exp.Table,
    table: exp.Table,
    policy: Policy,
    released: Sequence[Released],
    *,
    rows: int = 0,
) -> Statement:
    """Write the labels of a table's quasi-identifiers, row by row, as the release has them."""
    order = [each.column.name for each in released]
    leaves = recoded(table, policy, released, order, with_hidden=False)
    return Statement("recoding/recoded_labels", {"labels": labels, **leaves}, scans=rows)


def recoded_rows(
    rows: exp.Table,
    source: exp.Table,
    policy: Policy,
    released: Sequence[Released],
    *,
    order: Sequence[str],
    beside: Mapping[str, str],
    view: bool,
    many: int = 0,
) -> Statement:
    """Write all rows that the recoding assigns as the release has them, and columns of the source `beside`, by new names.

    A `view` is for rows that are read once.
    """
    leaves = recoded(source, policy, released, order, with_hidden=False)
    columns = cast("Sequence[dict[str, object]]", leaves["columns"])
    others = [
        {"from": column(own, of="s"), "as": name(new), "kind": "plain"}
        for new, own in beside.items()
    ]
    leaves = {**leaves, "labels": rows, "columns": [*columns, *others]}
    template = "series/rows/recoded_rows" if view else "recoding/recoded_labels"
    return Statement(template, leaves, scans=many)


def release_view(
    view: exp.Table,
    source: exp.Table | exp.Subquery,
    kept: exp.Table,
    policy: Policy,
    released: Sequence[Released],
    *,
    order: Sequence[str],
    replace: bool = False,
    is_scratch: bool = False,
) -> Statement:
    """See the source recoded, in the classes that fit; one of scratch holds a hidden entity too."""
    leaves = recoded(source, policy, released, order, with_hidden=is_scratch)
    nulls = [column(each.name, of="s") for each in policy.quasi]
    own = {
        "view": view,
        "kept": kept,
        "replace": replace,
        "is_scratch": is_scratch,
        "known": nulls if policy.nulls is Nulls.SUPPRESS else [],
    }
    return Statement("recoding/release_view", {**own, **leaves})


def _lot_of(policy: Policy) -> dict[str, object] | None:
    """Return the column by whose keyed hash rows with equal values are dealt to regions; None if by chance."""
    own = next((each for each in policy.columns if each.name == policy.dealt_by), None)
    if own is None:
        return None
    inner, outer = map(literal, key_variables(str(own.key_env)))
    return {
        "from": column(own.name, of="s"),
        "purpose": literal("lot"),
        "inner": inner,
        "outer": outer,
    }


def recoded(
    source: exp.Table | exp.Subquery,
    policy: Policy,
    released: Sequence[Released],
    order: Sequence[str],
    *,
    with_hidden: bool,
    of_classes: ClassValues | None = None,
) -> dict[str, object]:
    """Describe what each column becomes, and what is joined for it; rows are not assigned to regions."""
    at = {r.column.name: i for i, r in enumerate(released)}
    by_class = {} if of_classes is None else of_classes.columns
    columns: list[dict[str, object]] = []
    for each in _in_order(policy, order):
        own = column(each.name, of="s")
        if (found := by_class.get(each.name)) is not None:
            columns.append({"from": found, "as": name(each.name), "kind": "plain"})
        elif each.role is Role.QUASI:
            columns += quasi_columns(released[at[each.name]], at[each.name], own)
        elif not each.is_dropped:
            of_rows = each.mask is None or each.mask.is_after_staging
            kind = "plain" if of_rows or each.mask is None else each.mask.staged_as or "masked"
            entry: dict[str, object] = {"from": own, "as": name(each.name), "kind": kind}
            if kind == "hash":
                entry |= of_key(each)
            columns.append(entry)
    shuffled_by = [
        each["as"] for each in columns
    ]  # an order by more would say something of what is not released
    hidden = hidden_entity(policy)
    if with_hidden and policy.entity is not None and hidden is not None:
        columns.append({"from": column(policy.entity, of="s"), "as": name(hidden), "kind": "plain"})
    joined = joins(released)
    if policy.signature and policy.entity is not None:  # who is left out is, with all rows
        joined["codes"] = [{"from": column(policy.entity, of="s"), "as": name("entity")}]
    return {
        "source": source,
        "masked": None,
        "columns": columns,
        "shuffled_by": shuffled_by,
        "moved": None,
        "assigned": None,
        "lined": None,
        "lot_of": _lot_of(policy),
        "numbered": [],
        "nth": None,
        "beside": [],
        "of_sensitive": [],
        "classes": [] if of_classes is None else of_classes.classes,
        **joined,
    }


def suppression_limit(most: Suppression) -> dict[str, object]:
    """Give what a statement compares its suppressed rows with: a number of rows, or a share of those it finds."""
    if most.ratio is None:
        return {"max_suppressed": literal(most.limit(0)), "share": None}
    part, whole = most.ratio
    return {"max_suppressed": None, "share": {"part": literal(part), "whole": literal(whole)}}


def require(
    verdict: exp.Table,
    source: exp.Table,
    failing: exp.Table,
    recount: Statement,
    *,
    key_envs: Sequence[str],
    target: str | None,
    max_suppressed: Suppression,
    spared: bool,
    files: Sequence[tuple[str, str]] = (),
    apart: Sequence[str] = (),
    types: Mapping[str, TextType] | None = None,
    after: exp.Table | None = None,
    all_rows: exp.Table | None = None,
) -> Statement:
    """Create the table without which a script publishes nothing; `recount` is that of `verify`.

    At most `max_suppressed` rows may be left out, or so many of the rows that there are when it runs: those of `failing`, and those without a place in
    the recoding if these are `spared` a refusal. The `files` that a script reads beside its source
    must have these SHA-256, and the pseudonyms that are `apart` must not repeat, and texts must be written as their `types` write values. `target` is a pattern of files that must not be there
    yet; `after` is the table of another recount that must have passed before. `all_rows` is the source with the rows that
    were left out of it, which are suppressed too.
    """
    lost = "the source has rows that the plan's recoding does not assign; make the plan again"
    most = "more rows would be suppressed than the policy allows; make the plan again"
    changed = (
        "a hierarchy, or the boundaries, changed since the script was printed; make the plan again"
    )
    short = "the staged rows fail their recount; make the plan again"
    return Statement(
        "recoding/require",
        {
            **recount.leaves,
            "verdict": verdict,
            "after": after,
            "source": source,
            "all_rows": all_rows or source,
            "failing": failing,
            "lost": None if spared else literal(lost),
            "short": literal(short),
            **suppression_limit(max_suppressed),
            "most": literal(most),
            "keys": [literal(v) for env in key_envs for v in key_variables(env)],
            "keyless": literal("a secret key is missing"),
            "files": [
                {"path": literal(glob.escape(path)), "sha256": literal(digest)}
                for path, digest in files
            ],
            "changed": literal(changed),
            "apart": [column(text) for text in apart],
            "joined": literal("a pseudonym repeats, and would join the rows of a person"),
            "texts": columns_of_types([*(types or {})], types or {}),
            "misfit": literal(
                "a value is not written as the type that the plan releases it as; make the plan again"
            ),
            "target": literal(target) if target is not None else None,
            "taken": literal("there is a release already; move it away first"),
        },
    )
