"""The entries of a hierarchy: read from a file, a table, a query or the policy, or created by rule."""

from __future__ import annotations

import hashlib
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import clause, counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.lineage import find_table, open_query
from kanon_sql.counting.source.text_files import records, with_encoding
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.engines.files.file_texts import copy_as_utf8
from kanon_sql.engines.local_files import slashes
from kanon_sql.engines.scratch import scratch
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.entries import Match
from kanon_sql.policy.model import Nulls, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine, Row
    from kanon_sql.policy.hierarchies.entries import HierarchyKind
    from kanon_sql.policy.model import Column


MOST_LEVELS = 64
"""Each level costs a pass over the distinct values. No hierarchy written by a person has more levels."""

MOST_ENTRIES = 10_000_000


def hierarchy_of(column: Column) -> HierarchyKind:
    """Return a quasi-identifier's hierarchy. Raises InternalError without one, which no policy allows."""
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
    whole: bool = False,
) -> tuple[int, list[Statement]]:
    """Build the statements that create the paths of a column's hierarchy, and return its height.

    If the statements are for a script, `opened` names the view through which it reads the query of a hierarchy. The
    values may be known to be of a type of `whole` numbers.
    Raises ValueError and OSError, without a value of the hierarchy in the text.
    """
    kind = hierarchy_of(column)
    if not kind.has_entries:
        bounded = column.output.bounded
        made = mapping_sql.paths_by_rule(paths, domain, kind, bounded=bounded, whole=whole)
        return kind.height, [made]
    if kind.rows is not None:
        names = ["value", *(mapping_sql.level(n) for n in range(1, kind.height + 1))]
        return kind.height, [mapping_sql.paths_from_rows(paths, names, kind.rows)]
    if kind.file is not None:
        return _from_csv(run, kind, paths)
    if kind.table is not None:
        return _from_table(run.engine, find_table(run.engine, kind.table), paths)
    if kind.query is None:
        raise InternalError(f"{kind.key} does not say where its entries are")
    view = run.scratch.table("hierarchy")
    run.see(view, open_query(run.engine, view, kind.query, run.policy.base))
    height, read = _from_table(run.engine, view, paths)
    if opened is None:
        return height, read
    names = [column.name for column in run.engine.columns(view)]
    return height, [
        open_query(run.engine, opened, kind.query, run.policy.base),
        mapping_sql.paths_from_table(paths, opened, names),
    ]


def create_paths(
    run: Session, column: Column, domain: exp.Table, paths: exp.Table
) -> tuple[int, exp.Table]:
    """Create the paths of a column's values; return their height, and the table of the entries as they are written.

    Raises ValueError and OSError, without a value of the hierarchy in the text.
    """
    kind = hierarchy_of(column)
    match = kind.match
    entries = run.scratch.table("entries") if match else paths
    whole = kind.whole_numbers and run.engine.columns(domain)[0].family == "integer"
    height, statements = path_statements(run, column, domain, entries, whole=whole)
    check_height(height)
    if match:
        statements.append(mapping_sql.matched_paths(paths, entries, domain, match, height))
    for statement in statements:
        run.engine.execute(statement)
    return height, entries


def _from_csv(run: Session, kind: HierarchyKind, paths: exp.Table) -> tuple[int, list[Statement]]:
    """Read a hierarchy file in the database, or load it if the database cannot read files of this machine."""
    file, delimiter, height = file_of(run, kind)
    if run.engine.capabilities.local_files:
        return height, [mapping_sql.paths_from_csv(paths, file, delimiter, height)]
    names = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
    run.engine.load(paths, names, csv_rows(file, delimiter, height + 1))
    return height, []


def file_of(run: Session, kind: HierarchyKind) -> tuple[str, str, int]:
    """Return a hierarchy file's path, its delimiter and its height; raises ValueError and OSError."""
    if kind.file is None:
        raise InternalError(f"{kind.key} has no file")
    file = run.path(kind.file)
    if not Path(file).is_file():
        raise ValueError(f"there is no such file ({file})")
    if kind.encoding is not None:
        copy = run.folder() / "hierarchy.csv"
        copy_as_utf8(file, copy, kind.encoding)
        file = slashes(str(copy))
    delimiter, width = csv_shape(file, kind.delimiter)
    return file, delimiter, width - 1


def check_height(height: int) -> None:
    """Raise ValueError for a hierarchy of more than MOST_LEVELS levels."""
    if height > MOST_LEVELS:
        raise ValueError(f"has {height} levels, more than {MOST_LEVELS}; use fewer steps")


def _from_table(engine: Engine, origin: exp.Table, paths: exp.Table) -> tuple[int, list[Statement]]:
    names = [column.name for column in engine.columns(origin)]
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
    try:
        width = max((len(fields) for _, fields in records(path, chosen)), default=0)
    except ValueError as error:
        raise ValueError(with_encoding(path, error, "csv")) from error
    if width < 2:
        raise ValueError("the file has one field a line; it needs the value and at least one level")
    return chosen, width


def csv_rows(file: str, delimiter: str, width: int) -> list[Row]:
    """Read the rows of a hierarchy file by DuckDB, so that all databases get the same rows."""
    with open_duckdb() as reader, scratch(reader) as tables:
        read = tables.table("paths")
        reader.execute(mapping_sql.paths_from_csv(read, file, delimiter, width - 1))
        return reader.fetch(source_sql.first_rows(read, MOST_ENTRIES))


def digest_of(run: Session, kind: HierarchyKind, paths: exp.Table, height: int) -> str:
    """Hash the entries that are outside the policy: the bytes of a file, the paths of a table or query.

    The paths are hashed with the run's key, as they may show which values the source has.
    """
    if kind.file is not None:
        with Path(run.path(kind.file)).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if kind.is_elsewhere:
        names = ["value", *(mapping_sql.level(n) for n in range(1, height + 1))]
        ((count, summed),) = run.engine.fetch(source_sql.fingerprint(paths, names))
        return run.key.hash(f"{count} paths: {summed}")
    return kind.digest


@dataclass(frozen=True, slots=True)
class Level:
    """The counts of `survey_paths` for one level; `edges` are pairs of a label and its parent."""

    entries: int
    labels: int
    edges: int
    blank: int


def path_problems(
    kind: HierarchyKind, survey: Sequence[Level], *, completed: bool = False
) -> Iterator[str]:
    height = len(survey) - 1
    entries, top = survey[0].entries, survey[height]
    if not kind.has_entries:
        if kind.no_path and top.blank:
            yield clause(top.blank, "distinct value", kind.no_path)
        return
    if entries == 0:
        yield "has no entries"
        return
    if survey[0].labels < entries:
        more = entries - survey[0].labels
        if kind.match:
            yield (
                f"{clause(more, 'path', 'are of a value that has another')}: entries that {written_match(kind.match)} makes one have "
                f"other labels; give them the same labels, or leave one of these words out"
            )
        else:
            yield (
                f"{more:,} {'entry repeats' if more == 1 else 'entries repeat'} a value that is mapped already, to other labels"
            )
    blank = max(level.blank for level in survey[1:])
    if blank and not kind.ragged:
        yield (
            f"{blank:,} {'entry has' if blank == 1 else 'entries have'} fewer than {height} levels; write ragged: repeat to let "
            f"a value stand in for the levels it lacks"
        )
    if blank and kind.ragged:
        if completed:
            yield f"{blank:,} {'entry has' if blank == 1 else 'entries have'} a gap between the levels"
        return
    for number in range(1, height):
        level = survey[number]
        if level.edges > level.labels:
            more = level.edges - level.labels
            yield (
                f"{counted(more, 'label')} of level {number} {'has' if more == 1 else 'have'} more than one parent at level "
                f"{number + 1}; name labels by their parents too, or leave one of the levels out"
            )


def domain_problems(
    run: Session,
    opened: OpenSource,
    column: Column,
    counts: Sequence[int],
    *,
    new: bool,
    entries: Callable[[], Statement],
) -> Iterator[str]:
    """Yield the faults of a column's values: without an entry in its hierarchy, or refused NULLs.

    `counts` are those of `survey_domain`; `entries` builds the statement that counts likely entries.
    """
    domain_values, nulls, missing_values, missing_rows, null_rows = counts
    kind = column.hierarchy
    if missing_values and not new and kind is not None and kind.has_entries:
        beside = "" if opened.population is None else ", or in its population,"
        yield f"{counted(missing_values, 'distinct value')} in {counted(missing_rows, 'row')}{beside} ha{'s' if missing_values == 1 else 've'} no entry: add an entry for each"
        if missing_values == domain_values - nulls:
            yield (
                f"no value has an entry: entries are compared as text with the column, which is "
                f"{opened.type_of(column.name).split('(')[0]}"
            )
        likely = run.engine.fetch_counts(entries())
        yield from _likely_entries(kind.match, *likely)
    if nulls and column.role is Role.QUASI and run.policy.nulls is Nulls.REFUSE:
        yield refused_nulls(null_rows)


def _likely_entries(
    match: Sequence[Match], missing: int, trimmed: int, folded: int, numbers: int
) -> Iterator[str]:
    """Yield the advice to match entries in the way that gives most of the values without an entry one."""
    most = max(trimmed, folded, numbers)
    if not most:
        return
    if most == trimmed:
        how, more = "without blanks at the ends", [Match.TRIM]
    elif most == folded:
        how, more = "without blanks at the ends and in one case", [Match.TRIM, Match.FOLD]
    else:
        how, more = "as numbers (34.0 and 034 are 34)", [Match.NUMBER]
    many = "all" if most == missing else f"{most:,}"
    yield (
        f"{many} of the values without an entry would have one {how}: say {written_match([*match, *more])} beside the "
        "hierarchy's entries, which are compared as text"
    )


def written_match(match: Iterable[Match]) -> str:
    """Write the `match` key of a hierarchy.

    >>> written_match([Match.TRIM]), written_match([Match.TRIM, Match.FOLD])
    ('match: trim', 'match: [trim, fold]')
    """
    words = list(dict.fromkeys(each.value for each in match))
    return f"match: {words[0] if len(words) == 1 else '[' + ', '.join(words) + ']'}"


def may_be_null(opened: OpenSource, column: Column, counts: Sequence[int]) -> bool:
    """Whether comparisons of a column must treat NULL as a value; `counts` are those of `survey_domain`.

    True for a type that is named with its schema, too: its equality operator may not be found without the schema.
    """
    return bool(counts[1]) or "." in opened.type_of(column.name)


def refused_nulls(rows: int) -> str:
    verb = "is" if rows == 1 else "are"
    return f"{counted(rows, 'row')} {verb} NULL, and the policy has nulls: refuse"


def warnings_of(survey: Sequence[Level], *, several_roots: bool) -> Iterator[str]:
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
