"""Writes the private models of a dbt project that assign values to regions and intervals, and the seed of the boundaries.

The statements are those that assign later rows (`recoding/new_rows/assign.py`), as one query for each dialect. The
seed has raw values, so it is in the project's private folder.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.apps.dbt import build_project_files
from kanon_sql.apps.dbt.model_layout import BOUNDARIES as BOUNDARIES_NAME
from kanon_sql.apps.dbt.model_layout import DBTS_OWN, REGIONS, private_name
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table
from kanon_sql.base.sql.words import DUCKDB, POSTGRES
from kanon_sql.counting.hierarchies.mapping import NewColumn
from kanon_sql.counting.hierarchies.read_paths import hierarchy_of
from kanon_sql.counting.hierarchies.value_axes import LinePaths
from kanon_sql.errors import Fault, InputError, InternalError, StalePlanError, StatementError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.policy.model import Nulls, Role
from kanon_sql.recoding.new_rows import boundaries_sql
from kanon_sql.recoding.new_rows.assign import (
    are_trees,
    assign_column,
    may_overlap,
    rank_column,
    released_tuples,
    weighed_problems,
)
from kanon_sql.recoding.new_rows.boundaries import boundaries_hash, make_boundaries
from kanon_sql.recoding.query import script_table
from kanon_sql.release.stage import recoding_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.apps.dbt.model_layout import ReleasedColumn
    from kanon_sql.apps.dbt.project import ReleaseRequest
    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned


DIALECTS = (DUCKDB, POSTGRES)
"""The targets that models of regions and intervals are written for, and run on in tests."""

SOURCE, BOUNDARIES = table("kanon_source_of_this_model"), table("kanon_boundaries_of_this_model")
VALUES = script_table("values")
ENTRIES = "kanon_entries_of_this_model"
MOST = 100_000
"""The most boundaries of a seed, which goes to git."""

TEXT = "{{ 'string' if target.type in ('databricks', 'spark') else 'text' }}"
"""The type of texts, to which columns of the source are cast before they are compared with boundaries."""

NOT_OF_THE_PLAN = "are not those of the plan, or its columns have other types now; plan again"

NULLS = {"", "null", "none"}
"""Texts that dbt reads as NULL in a seed."""


def check_boundaries_of(run: Session) -> None:
    """Raise InputError, with all reasons, for a policy whose regions or intervals cannot be models of dbt."""
    kind = recoding_of(run.policy.search)
    if not kind.has_boundaries:
        return
    if faults := list(_boundary_problems(run, by_regions=kind.in_regions)):
        raise InputError(run.policy.subject, faults)


def _boundary_problems(run: Session, *, by_regions: bool) -> Iterator[Fault]:
    """List the settings and engines for which dbt cannot build the same regions or intervals again."""
    policy, again = run.policy, "which are others when dbt builds the release again"
    if by_regions:
        yield from weighed_problems(policy)
    if run.engine.dialect not in DIALECTS:
        what = f"makes regions or intervals, which are models for DuckDB and PostgreSQL, not for {run.engine.capabilities.name}"
        yield policy.fault("search.algorithm", what)
    for column, tree in zip(policy.quasi, are_trees(policy), strict=True):
        if column.output.is_of_rows or (column.output.by_nodes and not tree):
            what = f"{column.output} follows from the rows of a region, {again}; say output: interval or bounds"
            yield policy.fault(f"columns.{column.name}.output", what)
        if column.order is OrderKind.FREQUENCY:
            what = f"frequency is that of the rows, {again}; say order: text"
            yield policy.fault(f"columns.{column.name}.order", what)


@dataclass(frozen=True, slots=True)
class BoundaryFiles:
    """The private files of a recoding by boundaries, by name, and the name of the model of regions, if it has one."""

    seeds: dict[str, str]
    models: dict[str, str]
    regions: str | None = None


def boundary_files(
    run: Session,
    request: ReleaseRequest,
    planned: Planned,
    released: Sequence[ReleasedColumn],
    boundaries: BoundarySeed,
) -> BoundaryFiles:
    """Write the seed of a plan's boundaries, and the models that assign rows by them."""
    seed, regions = private_name(request, BOUNDARIES_NAME), private_name(request, REGIONS)
    listed = ", ".join(each.name for each in run.policy.quasi)
    seeds = {
        f"{seed}.csv": boundaries.text,
        f"{seed}.yml": build_project_files.private_properties(
            request,
            "seeds",
            seed,
            f"The boundaries of what {listed} are released as: raw values.",
            column_types(run, boundaries.types),
        ),
    }
    if (boxes := planned.plan.recoding.region_count) is not None:
        text = regions_model(run, request, released, planned.mapped, seed, boxes=boxes)
        properties = build_project_files.regions_properties(request, regions, released)
        return BoundaryFiles(seeds, {f"{regions}.sql": text, f"{regions}.yml": properties}, regions)
    models = {}
    quasi = [each for each in released if each.intervals]
    for n, (each, mapped) in enumerate(zip(quasi, planned.mapped, strict=True)):
        text = intervals_model(run, request, each, mapped, seed, n=n)
        models[f"{each.intervals}.sql"] = text
        properties = build_project_files.intervals_properties(request, each)
        models[f"{each.intervals}.yml"] = properties
    return BoundaryFiles(seeds, models)


def intervals_model(
    run: Session,
    request: ReleaseRequest,
    released: ReleasedColumn,
    mapped: Mapped,
    boundaries: str,
    *,
    n: int,
) -> str:
    """Write the model of one column: its values, and the intervals or nodes that they are released as."""
    own = _new_column(mapped, n + 1)
    steps = [_read([released]), *_values(run, own, n + 1)]
    ranked, coordinates = rank_column(run.policy, n, own, BOUNDARIES, script_table)
    mapping, _ = assign_column(run.policy, n, own, coordinates, BOUNDARIES, named=script_table)
    about = f"the values of {released.column.name}, and the intervals that they are released as"
    relations = _relations(request, {n + 1: released}, boundaries)
    return _model(run, request, [*steps, *ranked, *mapping], relations, about=about)


def regions_model(
    run: Session,
    request: ReleaseRequest,
    released: Sequence[ReleasedColumn],
    mapped: Sequence[Mapped],
    boundaries: str,
    *,
    boxes: int,
) -> str:
    """Write the model of regions: the combinations of values in a region, and the labels they are released as."""
    quasi = [each for each in released if each.becomes == "region"]
    new = [_new_column(each, n) for n, each in enumerate(mapped, start=1)]
    steps = [_read(quasi, run.policy if may_overlap(run.policy) else None)]
    steps += [each for n, own in enumerate(new, start=1) for each in _values(run, own, n)]
    steps += released_tuples(
        run.policy,
        VALUES,
        new,
        BOUNDARIES,
        script_table("released"),
        boxes=boxes,
        named=script_table,
    )
    names = [each.column.name for each in quasi]
    about = f"the combinations of {', '.join(names)}, and what their regions are released as"
    relations = _relations(request, dict(enumerate(quasi, start=1)), boundaries)
    return _model(run, request, steps, relations, about=about)


def _new_column(mapped: Mapped, number: int) -> NewColumn:
    """Name the tables of a column's values and paths; an order that follows its hierarchy uses the paths."""
    domain, paths = script_table("domain", number), script_table("hierarchy", number)
    height = mapped.hierarchy.height
    above = None if mapped.above is None else LinePaths(paths, mapped.above.height)
    return NewColumn(mapped.column, domain, paths, height, above)


def _values(run: Session, own: NewColumn, number: int) -> Iterator[Statement]:
    """Yield the statements of a column's values with an entry, and of their paths unless the order alone recodes."""
    if not are_trees(run.policy)[number - 1] and own.above is None:
        yield mapping_sql.domain(own.domain, VALUES, own.column.name)
        return
    height = own.height if own.above is None else own.above.height
    spec, paths = hierarchy_of(own.column), script_table("paths", number)
    every, listed = script_table("all", number), spec.has_entries
    yield mapping_sql.domain(every, VALUES, own.column.name)
    if listed:
        names = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
        yield mapping_sql.paths_from_table(paths, table(f"{ENTRIES}_{number}"), names)
    else:
        bounded = own.column.output.bounded
        yield mapping_sql.paths_by_rule(paths, every, spec, bounded=bounded)
    nulls = run.policy.nulls is not Nulls.REFUSE
    yield mapping_sql.values_with_entry(
        own.domain, every, paths, height, as_text=listed, nulls=nulls
    )
    yield mapping_sql.paths_complete(own.paths, paths, own.domain, spec, height)


def _read(quasi: Sequence[ReleasedColumn], counted: Policy | None = None) -> Statement:
    """Read the columns that assign rows, each combination once; or all rows, with the columns `counted` in classes."""
    texts = [each.column.name for each in quasi if each.as_text]
    others = [each.column.name for each in quasi if not each.as_text]
    if counted is not None:
        needed = [*(each.name for each in counted.with_role(Role.SENSITIVE)), counted.entity]
        others += [each for each in dict.fromkeys(needed) if each and each not in texts + others]
    return boundaries_sql.source_values(VALUES, SOURCE, texts, others, distinct=counted is None)


def _relations(
    request: ReleaseRequest, quasi: Mapping[int, ReleasedColumn], boundaries: str
) -> dict[str, str]:
    """Return the relations of the project by their placeholders in the query."""
    found = {SOURCE.name: request.relation.reference, BOUNDARIES.name: f"ref('{boundaries}')"}
    for number, each in quasi.items():
        if each.reference is not None:
            entries = f"kanon.single_entries({each.reference}, {each.height})"
            found[f"{ENTRIES}_{number}"] = entries
    return found


def _model(
    run: Session,
    request: ReleaseRequest,
    steps: Sequence[Statement],
    relations: Mapping[str, str],
    *,
    about: str,
) -> str:
    texts: dict[tuple[str, ...], str] = {}
    query = boundaries_sql.one_query(steps)
    for dialect in DIALECTS:
        text = query.render(dialect)
        if DBTS_OWN.search(text):
            what = "has a value or a character that dbt would read as its own language"
            raise InputError(run.policy.subject, [run.policy.fault("columns", what)])
        for stands, relation in relations.items():
            parts = re.split(rf'"?\b{stands}\b"?', text)
            text = f"{{{{ {relation} }}}}".join(parts)
        if "_of_this_model" in text:
            raise InternalError("a relation of a model of regions is not known")
        texts[dialect,] = text
    return build_project_files.model_by_target(
        request, about, texts, what="regions and intervals are not written for this target"
    )


@dataclass(frozen=True, slots=True)
class BoundarySeed:
    """Boundaries as the text of a seed and as a scratch table, with the types of the columns and the hash."""

    text: str
    types: tuple[ColumnType, ...]
    table: exp.Table
    digest: str


def make_seed(run: Session, planned: Planned) -> BoundarySeed:
    """Write the boundaries that a search found as a seed. Raises InputError if the seed would be read back changed."""
    if planned.cut is None:
        raise InternalError("a recoding by boundaries was made without any")
    found = make_boundaries(run, planned.cut, branches=False)
    names = boundaries_sql.columns(are_trees(run.policy))
    rows = list(run.engine.fetch(boundaries_sql.boundary_texts(found, names, MOST + 1)))
    if len(rows) > MOST:
        what = f"has more than {MOST:,} boundaries, too many for a seed of dbt: raise k, or release to a table"
        raise InputError(run.policy.subject, [run.policy.fault("search", what)])
    texts = [[None if cell is None else str(cell) for cell in row] for row in rows]
    if any(cell is not None and _is_null(cell) for row in texts for cell in row):
        what = (
            "cuts a column at an empty text, or at the text null or None, which a seed of dbt would read as NULL; "
            "release to a table"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search", what)])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(["" if cell is None else cell for cell in row] for row in texts)
    seed = read_seed(run, planned, out.getvalue())
    if seed.digest != boundaries_hash(run, found):
        what = "cuts a column of a type that a seed of dbt does not keep; cast it in the model, or release to a table"
        raise InputError(run.policy.subject, [run.policy.fault("search", what)])
    return seed


def _is_null(cell: str) -> bool:
    return cell.strip().lower() in NULLS


def read_seed(run: Session, planned: Planned, text: str) -> BoundarySeed:
    """Load the text of a seed into a table with the types of the source. Raises StalePlanError if it does not fit."""
    policy, source = run.policy, planned.opened.table
    trees = are_trees(policy)
    names = boundaries_sql.columns(trees)
    like = run.scratch.create("like", boundaries_sql.empty_boundaries, source, policy.quasi, trees)
    types = tuple(run.engine.columns(like))
    try:
        rows = list(csv.reader(io.StringIO(text)))
    except csv.Error:
        rows = []
    if not rows or rows[0] != names or any(len(row) != len(names) for row in rows):
        raise StalePlanError("boundaries", [Fault("", NOT_OF_THE_PLAN)])
    loaded = run.scratch.table("boundary_texts")
    cells = (tuple(cell or None for cell in row) for row in rows[1:])
    try:
        run.engine.load(loaded, ["value", *names[1:]], cells)
        table = run.scratch.create("boundaries", boundaries_sql.loaded_boundaries, loaded, types)
    except StatementError:  # its message may quote a value
        raise StalePlanError("boundaries", [Fault("", NOT_OF_THE_PLAN)]) from None
    run.scratch.drop(loaded)
    return BoundarySeed(text, types, table, boundaries_hash(run, table))


def column_types(run: Session, types: Sequence[ColumnType]) -> dict[str, object]:
    """Return the types of a seed's columns by name, each as the target writes it."""
    return {each.name: _in_words(each, run.engine.dialect) for each in types}


def _in_words(column: ColumnType, dialect: str) -> str:
    """Write a type, as Jinja where the targets write it differently; texts have no length."""
    if column.family == "text":
        return TEXT
    try:
        kind = exp.DataType.build(column.type, dialect=dialect)
        words = {each: kind.sql(dialect=each) for each in (DUCKDB, POSTGRES)}
    except (SqlglotError, ValueError):
        words = dict.fromkeys((DUCKDB, POSTGRES), column.type)
    words[dialect] = column.type
    if len(set(words.values())) == 1:
        return column.type
    return f"{{{{ {words!r}.get(target.type, {words[DUCKDB]!r}) }}}}"
