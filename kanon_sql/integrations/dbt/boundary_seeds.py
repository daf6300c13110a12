"""The boundaries of regions and intervals as a seed of a dbt project: raw values, in its private folder."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.errors import Fault, InputError, InternalError, StalePlanError, StatementError
from kanon_sql.late_dataclass import dataclass
from kanon_sql.recoding.new_rows import boundaries_sql
from kanon_sql.recoding.new_rows.assign import are_trees
from kanon_sql.recoding.new_rows.boundaries import boundaries_hash, make_boundaries
from kanon_sql.sql.words import DUCKDB, POSTGRES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.run.session import Session

MOST = 100_000
"""The most boundaries of a seed, which goes to git."""

TEXT = "{{ 'string' if target.type in ('databricks', 'spark') else 'text' }}"
"""The type of texts, to which columns of the source are cast before they are compared with boundaries."""

NOT_OF_THE_PLAN = "are not those of the plan, or its columns have other types now; plan again"

NULLS = {"", "null", "none"}
"""Texts that dbt reads as NULL in a seed."""


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
