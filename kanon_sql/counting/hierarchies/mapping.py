"""Creates and checks the tables of all hierarchies: a column's distinct values, and their paths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies import together, value_axes
from kanon_sql.counting.hierarchies.read_paths import (
    Level,
    create_paths,
    digest_of,
    domain_problems,
    hierarchy_of,
    may_be_null,
    path_problems,
    refused_nulls,
    warnings_of,
)
from kanon_sql.counting.hierarchies.together import Outcome, Together, map_together
from kanon_sql.counting.hierarchies.value_axes import (
    LinePaths,
    check_no_problems,
    follows_hierarchy,
    place_on_line,
)
from kanon_sql.errors import DEBUG, Fault, HierarchyError, InputError, InternalError, StatementError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.specs import Hierarchy
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.privacy.demands import demands, sensitive_attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.hierarchies.order import Order
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute


@dataclass(frozen=True, slots=True)
class Mapped:
    """A quasi-identifier's tables: the distinct values (`domain`), and their complete `paths`.

    `warnings` do not stop a run. If a column is cut by its order, `paths` is the line with the places of its values,
    `units` has the units of an order by whole units, `above` the paths of a hierarchy that orders or labels the
    values, and `nodes` the labels above each place, if these are released. The tables of columns that were mapped
    `together` are views. Without `nulls` no value is NULL. `rows` is the count of rows that have the values.
    """

    column: Column
    domain: exp.Table
    paths: exp.Table
    hierarchy: Hierarchy
    warnings: tuple[str, ...]
    units: exp.Table | None = None
    above: LinePaths | None = None
    nodes: exp.Table | None = None
    together: Together | None = None
    nulls: bool = True
    rows: int = 0

    @property
    def as_text(self) -> bool:
        """Whether the hierarchy names values by their text."""
        return self.column.has_entries


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A quasi-identifier's values in the later rows, and the complete paths of its hierarchy, if a tree.

    `above` has the paths of a line that follows its hierarchy. Without `nulls` no value is NULL.
    """

    column: Column
    domain: exp.Table
    paths: exp.Table
    height: int
    above: LinePaths | None = None
    nulls: bool = True


def map_columns(
    run: Session, opened: OpenSource, *, new: bool = False, only_entered: bool = False
) -> list[Mapped]:
    """Create and check every hierarchy; raises HierarchyError with the problems of all of them.

    With `new` rows, which a plan recodes later, values without an entry, a label by rule or a place are no problem:
    they are omitted. With `only_entered` the domain has only values with an entry or label, and no NULL if refused.
    """
    return map_all(run, opened, new=new, only_entered=only_entered)[0]


def map_all(
    run: Session, opened: OpenSource, *, new: bool = False, only_entered: bool = False
) -> tuple[list[Mapped], list[Mapped]]:
    """Create and check the hierarchies of quasi-identifiers, and of sensitive columns that models read.

    Returns the two lists. Orders of sensitive values are checked too. Raises HierarchyError as `map_columns` does.
    """
    faults: list[Fault] = []
    mapped: list[Mapped] = []
    of_values: list[Mapped] = []
    refused: StatementError | None = None
    weighed = sensitive_attributes(_required(run.policy))
    values = [c for each in weighed for c in _in_order(run.policy, each)]
    in_tree = dict.fromkeys(each.column for each in weighed if each.in_tree)
    trees = [each for each in run.policy.columns if each.name in in_tree]
    together = {} if only_entered else map_together(run, opened, new=new)
    domains = _domains(run, opened, [c for c in run.policy.quasi if c.name not in together])
    for column in (*run.policy.quasi, *values, *trees):
        where = f"columns.{column.name}.{'hierarchy' if column.hierarchy else 'order'}"
        by_order = run.policy.search.options.by_order
        try:
            if column.output.is_of_rows and column.order is not None and not by_order:
                where = f"columns.{column.name}.order"  # the values of a class are ordered by it
                _check_order(run, opened, column, new=False)
            if column in trees:
                of_values.append(_map_values(run, opened, column))
            elif column in values:
                _check_order(run, opened, column, new=new)
            elif (found := together.get(column.name)) is not None:
                mapped.append(_mapped(found))
            else:
                found_domain = domains.get(column.name)
                mapped.append(
                    _map_column(
                        run, opened, column, new=new, only_entered=only_entered, known=found_domain
                    )
                )
        except StatementError as error:
            is_file = column.hierarchy is not None and column.hierarchy.file is not None
            ask = "are all lines of equal form?" if is_file else "does it suit the column's values?"
            what = f"cannot be read ({error.why}); {ask}"
            faults.append(run.policy.fault(where, f"{what} {DEBUG}=1 shows the database's message"))
            refused = refused or error
        except InputError as error:
            faults += [run.policy.fault(where, fault.what) for fault in error.faults]
        except (OSError, ValueError) as error:
            faults.append(run.policy.fault(where, str(error)))
    if faults:
        raise HierarchyError(run.policy.subject, faults) from refused
    return mapped, of_values


def _mapped(found: Outcome) -> Mapped:
    """Convert the outcome of a column that was mapped with others; raise it if it is an error."""
    if isinstance(found, Exception):
        raise found
    domain, paths = found.domain, found.paths
    return Mapped(
        found.column,
        domain,
        paths,
        found.hierarchy,
        found.warnings,
        together=found.together,
        nulls=found.nulls,
    )


def _required(policy: Policy) -> tuple[Requirement, ...]:
    return tuple(each for d in demands(policy.privacy) for each in d.recounted)


def _in_order(policy: Policy, attribute: SensitiveAttribute) -> Iterator[Column]:
    """Yield the column of a sensitive attribute with the order that a model gives its values, if any."""
    if attribute.order is not None:
        (column,) = (each for each in policy.columns if each.name == attribute.column)
        yield replace(column, order=attribute.order)


def _map_values(run: Session, opened: OpenSource, column: Column) -> Mapped:
    """Map the values of a sensitive column. Its hierarchy must have one root, through which distances go."""
    alone = replace(opened, population=None)  # a population has the quasi-identifiers only
    by_tree = replace(column, order=None)
    found = _map_column(run, alone, by_tree, new=False, only_entered=False)
    if found.hierarchy.several_roots:
        what = (
            "ends in several labels, between which there is no distance: add a level of one label"
        )
        check_no_problems(what)
    return found


def _check_order(run: Session, opened: OpenSource, column: Column, *, new: bool) -> None:
    """Check that every value of a column has a place in its order; NULL needs none."""
    if column.order is None:
        raise InternalError(f"{column.name} has no order")
    domain = run.scratch.table("domain")
    run.engine.execute(_domain(opened, domain, column))
    place_on_line(run, domain, column.order, new=new, rows=opened.rows)


def _domain(
    opened: OpenSource, domain: exp.Table, column: Column, population: exp.Table | None = None
) -> Statement:
    """Build the statement that counts the distinct values of a column, in rows or in counted tuples."""
    table, weight, size = opened.tuples
    return mapping_sql.domain(
        domain, table, column.name, rows=size, population=population, weight=weight
    )


def _domains(run: Session, opened: OpenSource, columns: Sequence[Column]) -> dict[str, exp.Table]:
    """Count the distinct values of several columns in one statement, on engines with costly statements.

    Returns a view by column. Returns none if the statement fails: separate ones then show the column at fault.
    """
    dear = run.engine.capabilities.statement_weight > 1
    if not dear or len(columns) < 2 or opened.population is not None:
        return {}
    table, weight, size = opened.tuples
    names = {number: each.name for number, each in enumerate(columns)}
    try:
        whole = run.scratch.create(
            "domains", together.all_domains, table, names, rows=size, weight=weight
        )
    except StatementError:
        return {}
    found = {}
    for number, name in names.items():
        found[name] = run.scratch.table("domain")
        run.see(found[name], together.one_domain(found[name], whole, number, number))
    return found


def _map_column(
    run: Session,
    opened: OpenSource,
    column: Column,
    *,
    new: bool,
    only_entered: bool,
    known: exp.Table | None = None,
) -> Mapped:
    if column.order is not None and run.policy.search.options.by_order:
        return _map_line(run, opened, column, column.order, new=new, known=known)
    spec = hierarchy_of(column)
    domain = known or run.scratch.table("domain")
    paths = run.scratch.table("paths")
    complete = run.scratch.table("complete")
    beside = None if opened.population is None else opened.population.table
    if known is None:
        run.engine.execute(_domain(opened, domain, column, population=beside))
    height, entries = create_paths(run, column, domain, paths)
    has_entries = spec.has_entries
    survey = _survey(run.engine, paths, height)
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
        *(() if (new or only_entered) and not has_entries else path_problems(spec, survey)),
        *domain_problems(
            run,
            opened,
            column,
            counts,
            new=new,
            entries=lambda: mapping_sql.likely_entries(domain, paths),
        ),
    )
    run.engine.execute(
        mapping_sql.paths_complete(complete, paths, domain, spec, height, rows=opened.rows)
    )
    if spec.ragged:
        survey = _survey(run.engine, complete, height)
        check_no_problems(*path_problems(spec, survey, completed=True))
    several_roots = has_entries and survey[height].labels > 1
    hierarchy = Hierarchy(height, digest_of(run, spec, entries, height), several_roots)
    return Mapped(
        column,
        domain,
        complete,
        hierarchy,
        tuple(warnings_of(survey, several_roots=several_roots)),
        nulls=may_be_null(opened, column, counts),
        rows=opened.rows,
    )


def _map_line(
    run: Session,
    opened: OpenSource,
    column: Column,
    order: Order,
    *,
    new: bool,
    known: exp.Table | None = None,
) -> Mapped:
    """Order a column's values on a line, which replaces the paths of a hierarchy."""
    domain = known or run.scratch.table("domain")
    if known is None:
        run.engine.execute(_domain(opened, domain, column))
    follows, paths, digest = follows_hierarchy(column), None, "in the policy"
    if follows or column.output.by_nodes:
        paths, digest = _line_paths(run, column, domain, opened.rows)
    along = paths if follows else None
    line, units = place_on_line(run, domain, order, new=new, along=along, rows=opened.rows)
    nulls = run.engine.fetch_count(mapping_sql.count_nulls(domain))
    if run.policy.nulls is Nulls.REFUSE and nulls:
        check_no_problems(refused_nulls(nulls))
    nodes = None
    if paths is not None and column.output.by_nodes:
        nodes = run.scratch.create("line_nodes", value_axes.line_nodes, line, paths)
        if not follows:
            _check_parted(run.engine, nodes, paths.levels)
    return Mapped(column, domain, line, Hierarchy(0, digest), (), units, paths, nodes)


def _check_parted(engine: Engine, nodes: exp.Table, levels: range) -> None:
    """Raise HierarchyError for an order that returns to a node it has left: no interval is that node."""
    parted = engine.fetch_counts(value_axes.parted_nodes(nodes, levels))
    if found := [f"level {n}" for n, count in zip(levels, parted, strict=True) if count]:
        check_no_problems(
            f"and the order do not agree at {joined(found)}: the order leaves a node before it has had all of its "
            f"values, or a value is in no node; say order: text to follow the hierarchy, or output: interval"
        )


def _line_paths(
    run: Session, column: Column, domain: exp.Table, rows: int
) -> tuple[LinePaths, str]:
    """Create and check the paths of the hierarchy of a column with an order, with their hash."""
    spec = hierarchy_of(column)
    paths, complete = run.scratch.table("paths"), run.scratch.table("complete")
    height, entries = create_paths(run, column, domain, paths)
    check_no_problems(*path_problems(spec, _survey(run.engine, paths, height)))
    run.engine.execute(mapping_sql.paths_complete(complete, paths, domain, spec, height, rows=rows))
    if spec.ragged:
        survey = _survey(run.engine, complete, height)
        check_no_problems(*path_problems(spec, survey, completed=True))
    has_entries = spec.has_entries
    return LinePaths(complete, height, has_entries), digest_of(run, spec, entries, height)


def _survey(engine: Engine, paths: exp.Table, height: int) -> list[Level]:
    rows = engine.fetch(mapping_sql.survey_paths(paths, height))
    # A hierarchy without entries has no row in the result.
    found = [Level(*(int(str(cell)) for cell in counts)) for _, *counts in rows]
    return found or [Level(0, 0, 0, 0)] * (height + 1)


def false_labels(run: Session, mapped: Sequence[Mapped]) -> Iterator[str]:
    """Yield a warning for each column with values outside the ranges that their labels name."""
    for each in mapped:
        if not each.as_text or each.above is not None or each.units is not None:
            continue
        statement = mapping_sql.false_labels(each.paths, each.hierarchy.height)
        wrong = run.engine.fetch_counts(statement) if each.hierarchy.height else []
        if any(wrong):
            found = [f"{many:,} at level {at}" for at, many in enumerate(wrong, 1) if many]
            yield (
                f"columns.{each.column.name}.hierarchy: values lie outside the range that their label names: "
                f"{joined(found)}; such a label says something false of a row"
            )
