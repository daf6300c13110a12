"""Every quasi-identifier's hierarchy as tables, checked before anything relies on them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.text import counted, joined
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.engines.scratch import scratch
from kanon_sql.errors import (
    DEBUG,
    Fault,
    HierarchyError,
    InputError,
    InternalError,
    StatementError,
)
from kanon_sql.hierarchies import axes_sql, mapping_sql
from kanon_sql.hierarchies.axes_sql import LinePaths
from kanon_sql.hierarchies.places import check_no_problems, follows_hierarchy, place_on_line
from kanon_sql.hierarchies.specs import (
    CsvHierarchy,
    DateHierarchy,
    Hierarchy,
    HierarchySpec,
    IntervalHierarchy,
    MaskHierarchy,
    QueryHierarchy,
    SuppressHierarchy,
    TableHierarchy,
    TreeHierarchy,
)
from kanon_sql.policy.model import Nulls, Output, Role
from kanon_sql.privacy.demands import demands, sensitive_attributes
from kanon_sql.source import source_sql
from kanon_sql.source.lineage import open_query
from kanon_sql.source.open_source import find_table
from kanon_sql.source.text_files import records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Row
    from kanon_sql.hierarchies.order import Order
    from kanon_sql.policy.model import Column
    from kanon_sql.privacy.privacy_model import Requirement, SensitiveAttribute
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource
    from kanon_sql.sql.templates import Statement

MOST_LEVELS = 64
"""A level costs a pass over the distinct values; no hierarchy written by a person has more."""

MOST_ENTRIES = 10_000_000

NO_PATH = {
    MaskHierarchy: "are longer than the mask",
    IntervalHierarchy: "are not numbers between -10^15 and 10^15",
    DateHierarchy: "are not finite dates",
}


@dataclass(frozen=True, slots=True)
class Mapped:
    """A quasi-identifier's tables: the distinct values, and their complete paths.

    `warnings` do not stop a run. A column that is cut by its order has the places of its values for `paths`: `units`
    are those of an order by whole units, `above` the paths of its hierarchy where that orders or labels it, and
    `nodes` the labels above each place where these are released.
    """

    column: Column
    domain: exp.Table
    paths: exp.Table
    hierarchy: Hierarchy
    warnings: tuple[str, ...]
    units: exp.Table | None = None
    above: LinePaths | None = None
    nodes: exp.Table | None = None

    @property
    def as_text(self) -> bool:
        """Whether the hierarchy names values by their text."""
        return isinstance(self.column.hierarchy, mapping_sql.WITH_ENTRIES)


@dataclass(frozen=True, slots=True)
class Level:
    """The counts of `survey_paths` for one level."""

    entries: int
    labels: int
    edges: int
    blank: int


def map_columns(
    run: Session, opened: OpenSource, *, new: bool = False, only_entered: bool = False
) -> list[Mapped]:
    """Create and check every hierarchy; raises HierarchyError with the problems of all of them.

    With `new` rows of a plan, values without an entry or a place are no problem: they are omitted. With
    `only_entered`, so are those without a label by rule, and NULL where it is refused.
    """
    return map_all(run, opened, new=new, only_entered=only_entered)[0]


def map_all(
    run: Session, opened: OpenSource, *, new: bool = False, only_entered: bool = False
) -> tuple[list[Mapped], list[Mapped]]:
    """Create and check every hierarchy: those of quasi-identifiers, and of the values that models weigh by theirs."""
    faults: list[Fault] = []
    mapped: list[Mapped] = []
    of_values: list[Mapped] = []
    refused: StatementError | None = None
    weighed = sensitive_attributes(_required(run))
    values = [c for each in weighed for c in _in_order(run, each)]
    in_tree = dict.fromkeys(each.column for each in weighed if each.in_tree)
    trees = [each for each in run.policy.columns if each.name in in_tree]
    for column in (*run.policy.quasi, *values, *trees):
        where = f"columns.{column.name}.{'hierarchy' if column.hierarchy else 'order'}"
        try:
            if column in trees:
                of_values.append(_map_values(run, opened, column))
            elif column in values:
                _check_order(run, opened, column, new=new)
            else:
                mapped.append(_map_column(run, opened, column, new=new, only_entered=only_entered))
        except StatementError as error:
            is_file = isinstance(column.hierarchy, CsvHierarchy)
            ask = "are all lines of equal form?" if is_file else "does it suit the column's values?"
            what = f"cannot be read ({error.kind}); {ask}"
            faults.append(run.policy.fault(where, f"{what} {DEBUG}=1 shows the database's message"))
            refused = refused or error
        except InputError as error:
            faults += [run.policy.fault(where, fault.what) for fault in error.faults]
        except (OSError, ValueError) as error:
            faults.append(run.policy.fault(where, str(error)))
    if faults:
        raise HierarchyError(run.policy.subject, faults) from refused
    return mapped, of_values


def _required(run: Session) -> tuple[Requirement, ...]:
    return tuple(each for d in demands(run.policy.privacy) for each in d.recounted)


def _in_order(run: Session, attribute: SensitiveAttribute) -> Iterator[Column]:
    """Give the column of a sensitive attribute whose values a model orders, with that order."""
    if attribute.order is not None:
        (column,) = (each for each in run.policy.columns if each.name == attribute.column)
        yield replace(column, order=attribute.order)


def _map_values(run: Session, opened: OpenSource, column: Column) -> Mapped:
    """Map the values of a sensitive column, which has one root: a distance goes through it."""
    alone = replace(opened, population=None)  # which has the quasi-identifiers only
    by_tree = replace(column, order=None)
    found = _map_column(run, alone, by_tree, new=False, only_entered=False)
    if found.hierarchy.several_roots:
        what = (
            "ends in several labels, between which there is no distance: add a level of one label"
        )
        check_no_problems(what)
    return found


def _check_order(run: Session, opened: OpenSource, column: Column, *, new: bool) -> None:
    """Check that every value of a sensitive column has a place in its order; NULL needs none."""
    if column.order is None:
        raise InternalError(f"{column.name} has no order")
    domain = run.scratch.table("domain")
    run.engine.execute(mapping_sql.domain(domain, opened.table, column.name, rows=opened.rows))
    place_on_line(run, domain, column.order, new=new)


def _map_column(
    run: Session, opened: OpenSource, column: Column, *, new: bool, only_entered: bool
) -> Mapped:
    if column.order is not None and run.policy.search.options.by_order:
        return _map_line(run, opened, column, column.order, new=new)
    spec = hierarchy_of(column)
    domain = run.scratch.table("domain")
    paths = run.scratch.table("paths")
    complete = run.scratch.table("complete")
    beside = None if opened.population is None else opened.population.table
    run.engine.execute(
        mapping_sql.domain(domain, opened.table, column.name, rows=opened.rows, population=beside)
    )
    height, statements = path_statements(run, column, domain, paths)
    _check_height(height)
    for statement in statements:
        run.engine.execute(statement)
    has_entries = isinstance(spec, mapping_sql.WITH_ENTRIES)
    survey = _survey(run, paths, height)
    if only_entered:
        every, domain = domain, run.scratch.table("entered")
        nulls = run.policy.nulls is not Nulls.REFUSE
        run.engine.execute(
            mapping_sql.values_with_entry(
                domain, every, paths, height, as_text=has_entries, nulls=nulls
            )
        )
    counts = run.engine.fetch_counts(mapping_sql.survey_domain(domain, paths, as_text=has_entries))
    check_no_problems(
        *(() if only_entered and not has_entries else _path_problems(spec, survey)),
        *_domain_problems(run, opened, column, counts, new=new),
    )
    run.engine.execute(mapping_sql.paths_complete(complete, paths, domain, spec, height))
    if isinstance(spec, mapping_sql.WITH_ENTRIES) and spec.ragged:
        survey = _survey(run, complete, height)
        check_no_problems(*_path_problems(spec, survey, completed=True))
    several_roots = has_entries and survey[height].labels > 1
    hierarchy = Hierarchy(height, _digest(run, spec, paths, height), several_roots)
    return Mapped(
        column, domain, complete, hierarchy, tuple(_warnings(survey, several_roots=several_roots))
    )


def _map_line(
    run: Session, opened: OpenSource, column: Column, order: Order, *, new: bool
) -> Mapped:
    """Order a column's values on a line, which replaces the paths of a hierarchy."""
    domain = run.scratch.table("domain")
    run.engine.execute(mapping_sql.domain(domain, opened.table, column.name, rows=opened.rows))
    follows, paths, digest = follows_hierarchy(column), None, "in the policy"
    if follows or column.output is Output.NODE:
        paths, digest = _line_paths(run, column, domain)
    line, units = place_on_line(run, domain, order, new=new, along=paths if follows else None)
    nulls = run.engine.fetch_count(mapping_sql.count_nulls(domain))
    if run.policy.nulls is Nulls.REFUSE and nulls:
        check_no_problems(_refused_nulls(nulls))
    nodes = None
    if paths is not None and column.output is Output.NODE:
        nodes = run.scratch.create("line_nodes", axes_sql.line_nodes, line, paths)
        if not follows:
            _check_parted(run, nodes, paths.levels)
    return Mapped(column, domain, line, Hierarchy(0, digest), (), units, paths, nodes)


def _check_parted(run: Session, nodes: exp.Table, levels: range) -> None:
    """Refuse an order that goes through a node of the hierarchy more than once: no interval has one node then."""
    parted = run.engine.fetch_counts(axes_sql.parted_nodes(nodes, levels))
    if found := [f"level {n}" for n, count in zip(levels, parted, strict=True) if count]:
        check_no_problems(
            f"and the order do not agree at {joined(found)}: the order leaves a node before it has had all of its "
            f"values, or a value is in no node; say order: text to follow the hierarchy, or output: interval"
        )


def _line_paths(run: Session, column: Column, domain: exp.Table) -> tuple[LinePaths, str]:
    """Create and check the paths of the hierarchy of a column with an order, with their hash."""
    spec = hierarchy_of(column)
    paths, complete = run.scratch.table("paths"), run.scratch.table("complete")
    height, statements = path_statements(run, column, domain, paths)
    _check_height(height)
    for statement in statements:
        run.engine.execute(statement)
    check_no_problems(*_path_problems(spec, _survey(run, paths, height)))
    run.engine.execute(mapping_sql.paths_complete(complete, paths, domain, spec, height))
    if isinstance(spec, mapping_sql.WITH_ENTRIES) and spec.ragged:
        survey = _survey(run, complete, height)
        check_no_problems(*_path_problems(spec, survey, completed=True))
    has_entries = isinstance(spec, mapping_sql.WITH_ENTRIES)
    return LinePaths(complete, height, has_entries), _digest(run, spec, paths, height)


def _check_height(height: int) -> None:
    if height > MOST_LEVELS:
        raise ValueError(f"has {height} levels, more than {MOST_LEVELS}; use fewer steps")


def _survey(run: Session, paths: exp.Table, height: int) -> list[Level]:
    entries, *cells = run.engine.fetch_counts(mapping_sql.survey_paths(paths, height))
    return [Level(entries, *cells[at : at + 3]) for at in range(0, len(cells), 3)]


def hierarchy_of(column: Column) -> HierarchySpec:
    """Return a quasi-identifier's hierarchy; reading the policy has refused one without."""
    if column.hierarchy is None:
        raise InternalError("a quasi-identifier without a hierarchy passed the policy")
    return column.hierarchy


def path_statements(
    run: Session,
    column: Column,
    domain: exp.Table,
    paths: exp.Table,
    *,
    opened: exp.Table | None = None,
) -> tuple[int, list[Statement]]:
    """Build the statements that create the paths of a column's hierarchy, and return its height.

    `opened` names the view that a query hierarchy is read through, where the statements are for
    a script. Raises ValueError and OSError, without a path or value in the text.
    """
    spec = hierarchy_of(column)
    match spec:
        case CsvHierarchy():
            return _from_csv(run, spec, paths)
        case TreeHierarchy():
            return spec.height, [mapping_sql.paths_from_tree(paths, spec)]
        case TableHierarchy():
            origin = find_table(run.engine, spec.name)
            return _from_table(run, origin, paths)
        case QueryHierarchy():
            view = run.scratch.table("hierarchy")
            run.see(view, open_query(run.engine, view, spec.sql, run.policy.base))
            height, read = _from_table(run, view, paths)
            if opened is None:
                return height, read
            names = [column.name for column in run.engine.columns(view)]
            return height, [
                open_query(run.engine, opened, spec.sql, run.policy.base),
                mapping_sql.paths_from_table(paths, opened, names),
            ]
        case MaskHierarchy() | IntervalHierarchy() | DateHierarchy() | SuppressHierarchy():
            bounded = column.output is Output.BOUNDS
            return spec.height, [mapping_sql.paths_by_rule(paths, domain, spec, bounded=bounded)]
        case _:
            assert_never(spec)


def _from_csv(run: Session, spec: CsvHierarchy, paths: exp.Table) -> tuple[int, list[Statement]]:
    """Read a hierarchy file in the database, or here for a database that reads no files."""
    file = run.path(spec.path)
    if not Path(file).is_file():
        raise ValueError(f"there is no such file ({file})")
    delimiter, width = csv_shape(file, spec.delimiter)
    if run.engine.capabilities.local_files:
        return width - 1, [mapping_sql.paths_from_csv(paths, file, delimiter, width - 1)]
    names = ["value", *(mapping_sql.level(n) for n in range(1, width))]
    run.engine.load(paths, names, csv_rows(file, delimiter, width))
    return width - 1, []


def _from_table(run: Session, origin: exp.Table, paths: exp.Table) -> tuple[int, list[Statement]]:
    names = [column.name for column in run.engine.columns(origin)]
    if len(names) < 2:
        raise ValueError("has one column; it needs the value and at least one level")
    return len(names) - 1, [mapping_sql.paths_from_table(paths, origin, names)]


def csv_shape(path: str, delimiter: str | None) -> tuple[str, int]:
    """Return a hierarchy file's delimiter and its greatest number of fields.

    Raises ValueError, with the number of the line, where it is not CSV to its end.
    """
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        first = next((line for line in lines if line.strip()), "")
    if not first:
        raise ValueError("the file is empty")
    chosen = delimiter or next((d for d in ";\t," if d in first), ";")
    width = max((len(fields) for _, fields in records(path, chosen)), default=0)
    if width < 2:
        raise ValueError("the file has one field a line; it needs the value and at least one level")
    return chosen, width


def csv_rows(file: str, delimiter: str, width: int) -> list[Row]:
    """Read a hierarchy file for a database that reads no files: by DuckDB, so that all are read alike."""
    with open_duckdb() as reader, scratch(reader) as tables:
        read = tables.table("paths")
        reader.execute(mapping_sql.paths_from_csv(read, file, delimiter, width - 1))
        return reader.fetch(source_sql.first_rows(read, MOST_ENTRIES))


def _path_problems(
    spec: HierarchySpec, survey: Sequence[Level], *, completed: bool = False
) -> Iterator[str]:
    height = len(survey) - 1
    entries, top = survey[0].entries, survey[height]
    if not isinstance(spec, mapping_sql.WITH_ENTRIES):
        why = NO_PATH.get(type(spec))
        if why and top.blank:
            yield f"{top.blank} distinct values {why}"
        return
    if entries == 0:
        yield "has no entries"
        return
    if survey[0].labels < entries:
        yield f"{entries - survey[0].labels} entries repeat a value that is mapped already"
    blank = max(level.blank for level in survey[1:])
    if blank and not spec.ragged:
        yield (
            f"{blank} entries are shorter than {height} levels; write ragged: repeat to let a value "
            f"stand in for the levels it lacks"
        )
    if blank and spec.ragged:
        if completed:
            yield f"{blank} entries have a gap between their levels"
        return
    for number in range(1, height):
        level = survey[number]
        if level.edges > level.labels:
            yield (
                f"level {number + 1} is not a function of level {number}: "
                f"{level.edges - level.labels} labels have more than one parent; name labels by their "
                f"parents too, or leave one of the levels out"
            )


def _domain_problems(
    run: Session, opened: OpenSource, column: Column, counts: Sequence[int], *, new: bool
) -> Iterator[str]:
    domain_values, nulls, missing_values, missing_rows, null_rows = counts
    if missing_values and not new and isinstance(column.hierarchy, mapping_sql.WITH_ENTRIES):
        beside = "" if opened.population is None else ", or in its population,"
        yield f"{counted(missing_values, 'distinct value')} in {counted(missing_rows, 'row')}{beside} ha{'s' if missing_values == 1 else 've'} no entry"
        if missing_values == domain_values - nulls:
            yield (
                f"no value has an entry: entries are compared as text with the column, which is "
                f"{opened.type_of(column.name).split('(')[0]}"
            )
    if nulls and column.role is Role.QUASI and run.policy.nulls is Nulls.REFUSE:
        yield _refused_nulls(null_rows)


def _refused_nulls(rows: int) -> str:
    verb = "is" if rows == 1 else "are"
    return f"{counted(rows, 'row')} {verb} NULL, and the policy has nulls: refuse"


def _warnings(survey: Sequence[Level], *, several_roots: bool) -> Iterator[str]:
    if several_roots:
        yield f"its last level has {survey[-1].labels} labels: the column goes no further than these"
    idle = [
        number
        for number in range(1, len(survey))
        if survey[number].labels == survey[number - 1].labels and survey[number].labels > 1
    ]
    for _, run in groupby(enumerate(idle), lambda at: at[1] - at[0]):
        numbers = [number for _, number in run]
        if len(numbers) == 1:
            yield f"level {numbers[0]} changes nothing: it has as many labels as the level below"
        else:
            yield (
                f"levels {numbers[0]} to {numbers[-1]} change nothing: each has as many labels as "
                f"the level below"
            )


def _digest(run: Session, spec: HierarchySpec, paths: exp.Table, height: int) -> str:
    """Hash what the policy's text does not contain: a file's bytes, a table's paths.

    The paths are hashed under the run's key: they may be those of the values that the source has.
    """
    if isinstance(spec, CsvHierarchy):
        with Path(run.path(spec.path)).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if isinstance(spec, TableHierarchy | QueryHierarchy):
        names = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
        ((count, summed),) = run.engine.fetch(source_sql.fingerprint(paths, names))
        return run.key.hash(f"{count} paths: {summed}")
    return "in the policy"
