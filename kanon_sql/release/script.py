"""Writes the whole release as one SQL script for the database's own shell.

The statements are those that `apply` executes, with readable names of tables.
"""

from __future__ import annotations

import glob
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.sql.quoting import literal, table
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.words import POSTGRES
from kanon_sql.counting.hierarchies.mapping import NewColumn
from kanon_sql.counting.hierarchies.read_paths import hierarchy_of, path_statements
from kanon_sql.counting.hierarchies.value_axes import LinePaths, follows_hierarchy
from kanon_sql.counting.source.open_source import (
    as_read,
    filter_statement,
    is_read_as_text,
    text_columns_statement,
)
from kanon_sql.counting.source.open_view import open_statement
from kanon_sql.counting.source.person_keys import without_nulls_statement
from kanon_sql.counting.source.released_types import typed_rows, types_of_release
from kanon_sql.counting.source.text_files import read_texts
from kanon_sql.engines import commands_sql
from kanon_sql.engines.commands_sql import command, drop_table, drop_view
from kanon_sql.engines.locations import HTTPFS, Format
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.order import BY_BYTES, OrderKind
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.policy.policy_rules import unlinked
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.new_rows.assign import are_trees
from kanon_sql.recoding.query import (
    ALL_ROWS,
    SOURCE,
    STAGED,
    ReleaseQuery,
    RowsToRecode,
    key_names,
    keys,
    script_table,
    text_of,
)
from kanon_sql.recoding.recode import recoder_of
from kanon_sql.release.destination import partition_faults, why_not_written
from kanon_sql.release.script_entries import (
    Bring,
    brought,
    check_condition,
    entries,
    entries_table,
    header,
    sha256_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.plans.shown_plan import TextType
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.release.script_entries import ScriptTarget

EXACT_NUMBERS = frozenset({"integer", "decimal"})
ALL = script_table("source_with_all_rows")
RAW = script_table("source_as_declared")
UNREAD = script_table("source_with_missing_texts")
BOUNDARIES = script_table("boundaries")
VERDICT = script_table("verdict")
TYPED = script_table("typed")
FAILING = script_table("failing_classes")


def release_script(
    run: Session,
    recoded: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
    *,
    target: ScriptTarget,
    suppresses: bool,
    boundaries: str | None = None,
    types: Mapping[str, TextType] | None = None,
) -> str:
    """Return the complete script: source, hierarchies, recoding, recount, release.

    Its dialect is one with its own templates: DuckDB, PostgreSQL or Spark. Regions and intervals are read from the
    file of `boundaries` beside the plan. Texts of a file are released as values of their `types`. If the plan `suppresses` rows, rows without an interval are suppressed
    instead of ending the script. Raises InputError.
    """
    policy = run.policy
    _check_stores(run, target)
    verdicts = _verdicts(policy)
    statements = [*_opening(run, target, verdicts), *_source_statements(run, columns, target)]
    statements += keys(policy)
    if boundaries is not None:
        opened = source_sql.open_file(
            BOUNDARIES, glob.escape(boundaries), kind=Format.PARQUET.value
        )
        statements.append(opened)
    values, query = _query(run, recoded, heights, columns, target)
    _check_types(run, query.released, columns, target)
    _check_places(run, columns)
    statements += [*values, *query.before_staging, query.staging]
    typed = _types(policy, columns, types, target)
    after = None
    for verdict, (_, recount) in zip(verdicts, reversed(query.recounts()), strict=True):
        last = verdict is VERDICT
        keys_, path = (key_names(policy), _path(run, target)) if last else ((), None)
        statements.append(
            staging_sql.require(
                verdict,
                SOURCE,
                FAILING,
                recount,
                key_envs=keys_,
                target=path,
                max_suppressed=policy.suppression,
                spared=recoded.spares_outsiders and suppresses,
                files=_read_beside(run, target, boundaries) if last else (),
                apart=[each.name for each in unlinked(policy)] if last else (),
                types=typed if last else {},
                after=after,
                all_rows=ALL_ROWS if policy.nulls is Nulls.SUPPRESS else None,
            )
        )
        after = verdict
    statements.append(source_sql.first_rows(VERDICT, 1))
    rows = TYPED if typed else STAGED
    if typed:
        statements.append(typed_rows(TYPED, STAGED, query.columns, typed))
    statements.append(_release_statement(run, rows, query.columns, target))
    if target.words.transactions:
        statements += [*_dropped(statements), command("commit")]
    return header(run, target) + text_of(statements, target.dialect)


def _read_beside(
    run: Session, target: ScriptTarget, boundaries: str | None
) -> list[tuple[str, str]]:
    """Return the hierarchy and boundaries files that a DuckDB script reads, each with its SHA-256."""
    if not target.local_files:
        return []
    paths = [
        run.path(each.hierarchy.file)
        for each in run.policy.quasi
        if each.hierarchy is not None
        and each.hierarchy.file is not None
        and not brought(each.hierarchy, target)
    ]
    paths += [] if boundaries is None else [boundaries]
    return [(path, sha256_of(path)) for path in dict.fromkeys(paths) if "://" not in path]


def _opening(
    run: Session, target: ScriptTarget, verdicts: Sequence[exp.Table]
) -> Iterator[Statement]:
    """Yield the script's first statements: transaction, settings, databases, and dropping of old verdicts."""
    if target.words.transactions:
        yield command("begin")
    if target.local_files:
        yield from (drop_table(verdict) for verdict in verdicts)
    if target.local_files and not target.elsewhere:
        yield from (
            command("attach", literal(run.path(path)), name_of(name))
            for name, path in run.policy.attach
        )
    for text, value in commands_sql.OF_SCRIPTS[target.dialect].items():
        yield commands_sql.change_setting(text, value)


def _dropped(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield statements that drop the script's intermediate tables, the last first: they hold rows."""
    for each in reversed(statements):
        made = each.rendered(POSTGRES).makes
        if each.makes_view and isinstance(view := each.leaves["view"], exp.Table):
            yield drop_view(view)
        elif made is not None:
            yield drop_table(made)


def _query(
    run: Session,
    recoding: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
    target: ScriptTarget,
) -> tuple[list[Statement], ReleaseQuery]:
    """Return the statements of the columns' values and hierarchies, and the query that reads these."""
    policy = run.policy
    new = [
        _new_column(run, each, n, heights[each.name], target)
        for n, each in enumerate(policy.quasi, start=1)
    ]
    values = [
        statement
        for number, (each, tree) in enumerate(zip(new, are_trees(policy), strict=True), start=1)
        for statement in _value_statements(run, each, number, target, tree=tree)
    ]
    rows = RowsToRecode(policy, SOURCE, columns, new, heights, BOUNDARIES, script_table)
    return values, recoder_of(recoding).script_query(rows).with_masks(columns)


def _new_column(
    run: Session, own: Column, number: int, height: int, target: ScriptTarget
) -> NewColumn:
    """Return a column with the names of its tables of values and paths, and its order along a hierarchy."""
    domain, paths = script_table("domain", number), script_table("hierarchy", number)
    if not (run.policy.search.options.by_order and follows_hierarchy(own)):
        return NewColumn(own, domain, paths, height)
    if brought(hierarchy_of(own), target):
        levels = len(entries(run, own)[0]) - 1
    else:
        levels, _ = path_statements(run, own, domain, paths)
    return NewColumn(own, domain, paths, levels, LinePaths(paths, levels))


def _check_stores(run: Session, target: ScriptTarget) -> None:
    """Raise InputError where DuckDB's shell cannot read a file, or cannot write the release whole."""
    policy, faults = run.policy, []
    if not target.local_files or target.elsewhere:
        return
    if policy.release is not None and "://" in run.path(policy.release.name):
        what = "a script cannot release to an object store; apply the plan instead"
        faults.append(Fault("release", what))
    if policy.release is not None:
        faults += partition_faults(run.engine.capabilities, policy.release)
    if target.release is None and policy.release is not None:
        why = why_not_written(policy.release.format.kind, target.dialect)
        faults += [] if why is None else [Fault("release", why)]
    paths = {f"columns.{c.name}.hierarchy": c.hierarchy.file or "" for c in policy.quasi
             if c.hierarchy is not None}  # fmt: skip
    for where, path in {"source": policy.source.path or "", **paths}.items():
        scheme, mark, _ = run.path(path).partition("://")
        if mark and scheme.lower() not in HTTPFS:
            what = f"a script cannot read {scheme}://, which the database's shell does not know"
            faults.append(policy.fault(where, what))
    if faults:
        raise InputError(policy.subject, faults)


def _check_types(
    run: Session, released: Sequence[Released], columns: Sequence[ColumnType], target: ScriptTarget
) -> None:
    """Raise InputError for columns whose values the format changes: scripts do not compare what they wrote."""
    policy, faults = run.policy, []
    destination = policy.release
    if target.release is not None or destination is None:
        return
    if not target.local_files:
        return
    kind = destination.format.kind
    labels = {each.column.name for each in released if 0 not in each.levels}
    labels |= {each.name for each in policy.with_role(Role.IDENTIFYING)}
    for column in columns:
        if (lost := kind.lost(column)) and column.name not in labels:
            what = (
                f"is of a type that {kind.label} does not have ({lost}), so that a script would write "
                f"other values without a word; cast it in a query, or release a table or CSV"
            )
            faults.append(policy.fault(f"columns.{column.name}", what))
    if faults:
        raise InputError(policy.subject, faults)


def _check_places(run: Session, columns: Sequence[ColumnType]) -> None:
    """Raise InputError for sets and representatives in an order in which a later value may have no place."""
    policy, placed = run.policy, {each.name: each.family in EXACT_NUMBERS for each in columns}
    what = (
        "and an order that not every value has a place in, which no script checks; apply the plan instead, or remove the "
        "order, by which numbers stand by their size and texts by their bytes"
    )
    faults = [
        policy.fault(f"columns.{each.name}.order", f"has output: {each.output}, {what}")
        for each in policy.of_rows
        if not policy.search.options.by_order and each.order not in {None, *BY_BYTES}
        if not (each.order is OrderKind.NUMBER and placed[each.name])
    ]
    if faults:
        raise InputError(policy.subject, faults)


def _verdicts(policy: Policy) -> list[exp.Table]:
    """Return a verdict's table per set of quasi-identifiers; each needs the previous, the last publishes."""
    others = len(demands(policy.privacy)) - 1
    return [*(table(f"kanon_verdict_{number}") for number in range(others, 0, -1)), VERDICT]


def _source_statements(
    run: Session, columns: Sequence[ColumnType], target: ScriptTarget
) -> list[Statement]:
    """Return the statements that open the source, with missing texts, condition, text columns and NULLs."""
    policy = run.policy
    where = policy.source.where
    columns_read = as_read(policy, columns)
    seen = [_as_there(policy, column, target) for column in columns]
    whole = ALL_ROWS if policy.nulls is Nulls.SUPPRESS else SOURCE
    plain = RAW if any(map(is_read_as_text, seen)) else whole
    read = ALL if where is not None else plain
    opened = UNREAD if columns_read else read
    if target.source is not None:
        opening = [source_sql.open_table(opened, target.source)]
    else:
        opening = [open_statement(run.engine, policy.source, opened, policy.base)]
    if columns_read:
        opening.append(read_texts(read, UNREAD, columns_read))
    if where is not None:
        opening.append(filter_statement(run, plain, ALL, columns, where))
        if target.elsewhere:
            check_condition(run, where, target)
    if plain is RAW:
        opening.append(text_columns_statement(whole, RAW, seen))
    if whole is ALL_ROWS:
        opening.append(without_nulls_statement(policy, SOURCE, ALL_ROWS))
    return opening


def _as_there(policy: Policy, column: ColumnType, target: ScriptTarget) -> ColumnType:
    """Return a column as it may be in another database, where a text may have a collation to remove.

    Counted columns, the entity and sensitive ones, keep the equality of their database.
    """
    if not target.elsewhere or column.family != "text":
        return column
    counted = {c.name for c in policy.with_role(Role.SENSITIVE)} | {policy.entity}
    return replace(column, collated=column.name not in counted)


def _value_statements(
    run: Session, own: NewColumn, number: int, target: ScriptTarget, *, tree: bool
) -> Iterator[Statement]:
    """Yield statements for the values of a column, and for its hierarchy unless it needs only an order."""
    yield mapping_sql.domain(own.domain, SOURCE, own.column.name)
    if not tree and own.above is None:
        return
    paths, opened = table(f"kanon_paths_{number}"), table(f"kanon_hierarchy_source_{number}")
    spec = hierarchy_of(own.column)
    match = spec.match
    read = table(f"kanon_entries_{number}") if match else paths
    if brought(spec, target):
        names = ["value", *(mapping_sql.level(n) for n in range(1, own.height + 1))]
        if target.bring is Bring.TABLES:
            yield mapping_sql.paths_from_table(read, entries_table(number), names)
        else:
            yield mapping_sql.paths_from_rows(read, names, entries(run, own.column))
    else:
        _, made = path_statements(run, own.column, own.domain, read, opened=opened)
        yield from made
    if match:
        yield mapping_sql.matched_paths(paths, read, own.domain, match, own.height)
    yield mapping_sql.paths_complete(own.paths, paths, own.domain, spec, own.height)


def _path(run: Session, target: ScriptTarget) -> str | None:
    """Return the pattern of files that a release to a path would overwrite; None for a table."""
    destination = run.policy.release
    if target.release is not None or destination is None:
        return None
    pattern = glob.escape(run.path(destination.name))
    return f"{pattern}/**" if destination.in_several_files else pattern


def _types(
    policy: Policy,
    columns: Sequence[ColumnType],
    types: Mapping[str, TextType] | None,
    target: ScriptTarget,
) -> dict[str, TextType]:
    """Return the types of released columns; none where a table is read, or files are written that hold no types."""
    files = None if target.release is not None else policy.release
    if target.source is not None or (files is not None and not files.format.kind.holds_types):
        return {}
    texts = {each.name for each in columns if each.family == "text"}
    stated = {name: of for name, of in (types or {}).items() if name in texts}
    return types_of_release(policy, stated)


def _release_statement(
    run: Session, rows: exp.Table, columns: Sequence[str], target: ScriptTarget
) -> Statement:
    destination = run.policy.release
    if target.release is not None or destination is None:
        release = target.release or script_table("release")
        return commands_sql.publish_table(release, rows, columns, replace=False, verdict=VERDICT)
    path = run.path(destination.name)
    return commands_sql.copy_out(rows, columns, destination, path, verdict=VERDICT)
