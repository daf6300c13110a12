"""Writes a release as a script for a database without an engine here: one statement, made by sqlglot.

It releases only what means the same there: one node, one set of quasi-identifiers, and columns of texts, whole
numbers, dates and truth values. Everything else is refused, with all faults at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import condition as condition_of
from kanon_sql.base.sql.words import DUCKDB
from kanon_sql.counting.hierarchies.read_paths import hierarchy_of
from kanon_sql.counting.source.open_source import as_read, open_rows
from kanon_sql.counting.source.text_files import formats_elsewhere, texts_query
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InputError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.release.script_entries import Bring, check_condition, entries, entries_table, header
from kanon_sql.release.stage import executor_problems
from kanon_sql.release.warehouse_sql import Entries, WarehouseColumn, release, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.errors import Fault
    from kanon_sql.policy.hierarchies.entries import HierarchyKind
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.release.script_entries import Entry, ScriptTarget
    from kanon_sql.release.warehouse_sql import Warehouse

MATCHED = {"text", "integer", "date"}
"""The families of types whose values every database casts to the same texts, which hierarchies name."""
SAME_ALONE = {"text", "integer", "date", "boolean", "decimal", "timestamp"}
"""The families of types whose equal values look the same to a reader."""

INSTEAD = {
    False: "load them: --hierarchies tables",
    True: "join the labels in a model before, and plan on that",
}
"""The advice for a hierarchy of too many entries: in a script, and (True) in a model of SQLMesh."""


def warehouse_script(
    run: Session, plan: Plan, columns: Sequence[ColumnType], target: ScriptTarget
) -> str:
    """Return the script of a plan. Raises InputError with all that cannot be written safely."""
    statement, warehouse = release_statement(run, plan, columns, target)
    texts = [written(statement, warehouse)]
    if warehouse.transaction:
        before = command("abort"), command("one_snapshot"), command("begin")
        texts = [*(each.render(target.dialect) for each in before), *texts]
        texts.append(command("commit").render(target.dialect))
    return header(run, target) + "\n\n".join(f"{each};" for each in texts) + "\n"


def release_statement(
    run: Session, plan: Plan, columns: Sequence[ColumnType], target: ScriptTarget
) -> tuple[Statement, Warehouse]:
    """Return the release as one statement, and its database. Raises InputError with all faults."""
    policy = run.policy
    faults = list(executor_problems(policy, target.executor, plan.recoding))
    faults += _of_columns(run, plan, columns, target)
    texts = [text for each in policy.columns for text in policy.missing_of(each.name)]
    faults += _of_texts(run, "source.missing", texts, target)
    if target.warehouse is not None and not target.warehouse.runs_models:
        faults += formats_elsewhere(policy, target.title)
    if policy.source.where is not None:
        check_condition(run, policy.source.where, target)
        faults += _of_texts(run, "source.where", [policy.source.where], target)
    if faults or target.source is None or target.release is None or target.warehouse is None:
        raise InputError(policy.subject, faults)
    (demand,) = demands(policy.privacy)
    where = policy.source.where
    statement = release(
        target.release,
        read_source(policy, target.source, columns, target.warehouse),
        [made for each in columns for made in _columns(run, plan, each, target)],
        target.warehouse,
        condition=None if where is None else condition_of(where, dialect=run.engine.dialect),
        entity=policy.entity,
        needed=demand.requirements,
        max_suppressed=policy.suppression,
        shuffled=target.sqlmesh,
    )
    return statement, target.warehouse


def read_source(
    policy: Policy, source: exp.Table, columns: Sequence[ColumnType], warehouse: Warehouse
) -> exp.Table | exp.Subquery:
    """Return the source for a warehouse's statement: its table, with texts as the policy reads them."""
    columns_read = as_read(policy, columns)
    if not columns_read:
        return source
    read = texts_query(source, columns_read, points=True, as_bytes=warehouse.bytes)
    return source_sql.in_place_of_table(read, dialect=DUCKDB)


def _of_columns(
    run: Session, plan: Plan, columns: Sequence[ColumnType], target: ScriptTarget
) -> Iterator[Fault]:
    """Yield a fault for columns whose values or names would differ in the target's database."""
    policy, kinds = run.policy, {each.name: each for each in columns}
    names = [name for each in policy.columns for name in (each.name, *each.released_as)]
    for name in dict.fromkeys(names):
        yield from _of_name(run, name, target)
    folded = {name.casefold(): name for name in names}
    for name in dict.fromkeys(names):
        if folded[name.casefold()] != name:
            what = (
                "differs from another column in case alone, which that database may not tell apart"
            )
            yield policy.fault(f"columns.{name}", what)
    for column in policy.quasi:
        level = plan.levels.get(column.name)
        why = None if level is None else _why_not(column, level, kinds[column.name], target)
        if why is not None:
            yield policy.fault(f"columns.{column.name}", why)
    for column in policy.columns:
        found = kinds[column.name]
        if found.enum or found.collated:
            what = "is of a type or a collation of its own, which a script for elsewhere cannot leave behind"
            yield policy.fault(f"columns.{column.name}", what)


def _of_name(run: Session, name: str, target: ScriptTarget) -> Iterator[Fault]:
    """Yield a fault for each reason why the target's database cannot have a column of this name."""
    if (there := target.warehouse) is None:
        return
    where = f"columns.{name}"
    if len(name.encode()) > there.longest_name:
        yield run.policy.fault(
            where, f"is longer than the {there.longest_name} bytes of a name in {there.title}"
        )
    if any(each in name for each in there.barred):
        yield run.policy.fault(
            where, f"holds a character that no column of {there.title} may have in its name"
        )
    yield from _of_texts(run, where, [name], target)


def _of_texts(
    run: Session, where: str, texts: Sequence[str], target: ScriptTarget
) -> Iterator[Fault]:
    """Yield a fault for texts that a shell may change: control characters, and variables it substitutes."""
    replaced = "" if target.warehouse is None else target.warehouse.replaced
    instead = (
        "name it otherwise"
        if target.sqlmesh
        else "name it otherwise, or load it: --hierarchies tables"
    )
    if any(each < " " or each == "\x7f" for text in texts for each in text):
        what = f"holds control characters, which not every shell passes on; {instead}"
        yield run.policy.fault(where, what)
    elif replaced and any(replaced in text for text in texts):
        what = f"holds {replaced}, which shells of that database replace; {instead}"
        yield run.policy.fault(where, what)


def _why_not(column: Column, level: int, found: ColumnType, target: ScriptTarget) -> str | None:
    """Return the reason why a quasi-identifier cannot get the same labels there; None if it can."""
    spec, kind = hierarchy_of(column), found.family
    if column.output.no_warehouse is not None:
        return column.output.no_warehouse
    if spec.has_entries:
        return _why_no_entries(spec, kind=kind, target=target)
    if level == spec.height:
        return None
    checked = spec.casts_texts and kind == "text"
    if level == 0 and not checked:
        return (
            None if kind in SAME_ALONE else f"is of {kind} values, of which equal ones may differ"
        )
    if target.sqlmesh and checked:
        return (
            "is of texts, and the error of one that is no number or day would quote it; cast "
            "it in a table before, and plan on that"
        )
    characters = target.warehouse is None or target.warehouse.characters
    return spec.why_no_rule(level or 1, kind, characters=characters)


def _why_no_entries(spec: HierarchyKind, *, kind: str, target: ScriptTarget) -> str | None:
    if kind not in MATCHED:
        return f"is of {kind} values, which databases show as other texts than its hierarchy names"
    if spec.ragged and target.bring is Bring.TABLES:
        return "has a ragged hierarchy, which a table does not complete; say --hierarchies inline"
    if spec.match and target.bring is Bring.TABLES:
        return "has entries that are matched otherwise than by their text, which a table does not do; say --hierarchies inline"
    return None


def _columns(
    run: Session, plan: Plan, found: ColumnType, target: ScriptTarget
) -> Iterator[WarehouseColumn]:
    """Yield one column of the source as it is released; nothing if it is dropped."""
    column = next(each for each in run.policy.columns if each.name == found.name)
    if (mask := column.mask) is not None:
        if not mask.is_dropped:
            yield WarehouseColumn(column.name, null=mask.staged_as == "null")
        return
    if column.role is not Role.QUASI:
        yield WarehouseColumn(column.name)
        return
    spec, level = hierarchy_of(column), plan.levels[column.name]
    if spec.has_entries:
        entries_ = _entries(run, plan, column, target)
        yield WarehouseColumn(column.name, quasi=True, entries=entries_, labelled=level > 0)
    else:
        checks = level == 0 and spec.casts_texts and found.family == "text"
        rule = spec.rule(1 if checks else level)
        yield WarehouseColumn(column.name, quasi=True, rule=rule, as_is=checks)


def _entries(run: Session, plan: Plan, column: Column, target: ScriptTarget) -> Entries:
    """Return a hierarchy's entries at the plan's level: as pairs, or the table that has them."""
    level, height = plan.levels[column.name], plan.heights[column.name]
    if target.bring is Bring.TABLES:
        number = 1 + [each.name for each in run.policy.quasi].index(column.name)
        at = mapping_sql.level(level) if level else "value"
        return Entries((), entries_table(number), at, None, level == height)
    source = open_rows(run) if hierarchy_of(column).match else None
    found = entries(run, column, instead=INSTEAD[target.sqlmesh], source=source)
    rows = [_lifted(entry, height) for entry in found]
    where = f"columns.{column.name}.hierarchy"
    texts = [text for row in rows for text in (row[0], row[level]) if text is not None]
    if faults := list(_of_texts(run, where, texts, target)):
        raise InputError(run.policy.subject, faults)
    roots = {row[height] for row in rows} if level == height else set()
    root = roots.pop() if len(roots) == 1 else None
    of_null = next((row[level] for row in rows if row[0] is None), root)
    pairs = [(row[0], row[level]) for row in rows if row[0] is not None]
    return Entries(tuple(pairs), of_null=of_null, top=level == height)


def _lifted(entry: Entry, height: int) -> Entry:
    """Repeat the value for the levels that its entry lacks, as `ragged: repeat` says.

    >>> _lifted(["DE", "Europe", "*", None], 3), _lifted(["FR", "a", "b", "*"], 3)
    (['DE', 'DE', 'Europe', '*'], ['FR', 'a', 'b', '*'])
    """
    value, *labels = entry
    given = [label for label in labels[:height] if label is not None]
    if value is None and not given:
        return [value, *labels]
    return [value, *[value] * (height - len(given)), *given]
