"""The source: opened, described, hashed, and checked against the policy's columns."""

from __future__ import annotations

from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.documents.text import clause, counted, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import condition as condition_of
from kanon_sql.counting.source.column_problems import (
    column_problems,
    find_stand_ins,
    format_problems,
    linking_problems,
    nested,
    no_column,
    portability_problems,
    unparsed_problems,
)
from kanon_sql.counting.source.lineage import check_not_volatile
from kanon_sql.counting.source.open_view import open_as_view, source_name
from kanon_sql.counting.source.person_keys import (
    CountedRows,
    count_tuples,
    see_repeated,
    weight_problems,
)
from kanon_sql.counting.source.text_files import (
    ReadColumn,
    as_texts,
    count_missing_entries,
    count_unparsed,
    read_columns,
    read_texts,
)
from kanon_sql.engines.base import BY_VALUE, ColumnType, whole
from kanon_sql.engines.locations import Source, source_from_text
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import DEBUG, Fault, InputError, SourceError, StatementError
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.populations import name_of, population_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.column_problems import StandIn
    from kanon_sql.policy.model import Policy, Suppression
    from kanon_sql.policy.privacy.fitting_sql import ValueNodes


def fingerprint(
    run: Session, opened: OpenSource, *, portable: bool, like: str | None = None
) -> str:
    """Hash the source's rows, regardless of their order, under the run's key, to detect changes.

    Rows of a population that the policy compares classes with are hashed, too. For a table of a lake without a
    population, the result is its version instead: it needs no key to compare, and no row is read. The hash is the
    fastest one of this release of this engine, and differs on others. A `portable` hash is the same on every engine,
    and takes about twenty times as long. With `like`, an earlier hash, whole numbers are hashed by value or as texts as they
    were then. Raises SourceError if the count of rows has changed since the source was opened, or if a column's type allows
    no portable hash.
    """
    if opened.snapshot is not None and opened.population is None:
        return opened.snapshot
    table, weight, size = opened.source_tuples
    names = [*(column.name for column in opened.columns), *([] if weight is None else [weight])]
    if portable and (faults := list(portability_problems(run.policy, opened.columns))):
        raise SourceError(run.policy.subject, faults)
    hashing = source_sql.fingerprint if portable else source_sql.hash_rows
    statement, by = hashing(table, names, rows=size), ""
    if not portable and (wholes := run.engine.hashed_by_value(opened.columns, like)):
        statement, by = source_sql.hash_rows(table, names, rows=size, wholes=wholes), BY_VALUE
    text = f"{size} rows: {_fetch_hash(run, size, statement)}"
    if (beside := opened.population) is not None:
        quasi = [column.name for column in run.policy.quasi]
        ((count, of),) = run.engine.fetch(hashing(beside.table, quasi, rows=beside.rows))
        text = f"{text}; population of {whole(count)} rows: {of}"
    hashed = run.key.hash(text)
    return hashed if portable else f"{'.'.join(run.engine.version.split('.')[:2])} {by}{hashed}"


def seal(run: Session, opened: OpenSource) -> str:
    """Hash a release's rows, in any order, so that nobody can construct other rows with the same hash.

    That is as hard as finding collisions of SHA-256. The hash is the same on every engine, unless columns have texts
    that differ between engines (floats, nested types): it then begins with the engine. The hashes of all distinct rows
    are in memory at once. Raises SourceError if the count of rows has changed.
    """
    described = [(column.name, column.nested) for column in opened.columns]
    found = _fetch_hash(
        run, opened.source_rows, source_sql.seal(opened.source, described, rows=opened.source_rows)
    )
    own = any(c.family in {"float", "other"} for c in opened.columns)
    by = f"{run.engine.version.split('.')[0]} " if own else ""
    return f"{by}sha256:{found or 0}"


def _fetch_hash(run: Session, size: int, statement: Statement) -> object:
    ((count, found),) = run.engine.fetch(statement)
    if (rows := whole(count)) != size:
        raise SourceError(run.policy.subject, [source_changed(run, size, rows)])
    return found


@dataclass(frozen=True, slots=True)
class OpenSource:
    """The source as the run reads it. The columns `plainly` are read as plain text.

    `nodes` are hierarchy nodes above the values of sensitive columns, if a model reads them. With `nulls: suppress`,
    the `left_out` rows with NULL in a quasi-identifier are not in `table`, but in `all_rows`. They are suppressed rows,
    and comparisons with the source include them. `stand_ins` are columns that could join the rows of a person whose
    entity the release hides. `unparsed` counts the rows that NULL stands in because no format reads their text. If rows are `counted` tuples, `table` and `all_rows` are views that repeat each tuple by
    its weight. `snapshot` is the version of a table of a lake, whose rows never change.
    """

    table: exp.Table
    columns: tuple[ColumnType, ...]
    rows: int
    plainly: frozenset[str] = frozenset()
    population: OpenPopulation | None = None
    nodes: Mapping[str, ValueNodes] = field(default_factory=dict)
    all_rows: exp.Table | None = None
    left_out: int = 0
    counted: CountedRows | None = None
    all_counted: CountedRows | None = None
    snapshot: str | None = None
    stand_ins: tuple[StandIn, ...] = ()
    unparsed: Mapping[str, int] = field(default_factory=dict)

    @property
    def source(self) -> exp.Table:
        """The table with all rows of the source."""
        return self.table if self.all_rows is None else self.all_rows

    @property
    def tuples(self) -> CountedRows:
        """The rows of `table` as they are read: tuples with a weight, if the source counts its rows."""
        return self.counted or CountedRows(self.table, None, self.rows)

    @property
    def source_tuples(self) -> CountedRows:
        """All rows of the source, with those left out, as they are read."""
        if self.all_rows is None:
            return self.tuples
        return self.all_counted or CountedRows(self.all_rows, None, self.source_rows)

    @property
    def source_rows(self) -> int:
        """The count of rows of the source, with those left out."""
        return self.rows + self.left_out

    def max_suppressed(self, suppression: Suppression) -> int:
        """Return how many rows may be suppressed besides those left out; negative if these exceed the limit."""
        return suppression.limit(self.source_rows) - self.left_out

    @property
    def types(self) -> Mapping[str, str]:
        """The type of each column, as the database names it."""
        return {column.name: column.type for column in self.columns}

    def type_of(self, name: str) -> str:
        return self.types[name]

    @property
    def floating(self) -> frozenset[str]:
        """The names of the columns of floating point."""
        return frozenset(each.name for each in self.columns if each.family == "float")


def open_source(
    run: Session, frame: object | None = None, *, partition: Sequence[tuple[str, str]] = ()
) -> OpenSource:
    """Open the policy's source, or a frame passed in its place, and check the policy against it.

    With a `partition`, only rows whose columns have these values, as texts, are read. They may be fewer than k.
    Raises SourceError with all faults: columns unclassified or missing, no rows, too few for k.
    """
    found = _open_view(run, frame)
    view, columns, weight, snapshot = found.view, found.columns, found.weight, found.snapshot
    plainly = frozenset(column.name for column in columns if is_read_as_text(column))
    if plainly:
        plain = run.scratch.table("plain")
        beside = () if weight is None else (ColumnType(weight, "BIGINT"),)
        run.see(plain, text_columns_statement(plain, view, (*columns, *beside)))
        view, columns = plain, without_weight(run.engine.columns(plain), weight)
    _check_no_problems(run, column_problems(run.policy, columns, run.engine.capabilities))
    if partition:
        part = run.scratch.table("partition")
        run.see(part, source_sql.rows_of_partition(part, view, partition))
        view, snapshot = part, None
    if weight is None:
        opened = OpenSource(view, columns, _count(run, view), plainly, snapshot=snapshot)
    else:
        counted, rows = count_tuples(run, view, weight)
        repeated = see_repeated(run, counted, [each.name for each in columns])
        opened = OpenSource(repeated, columns, rows, plainly, counted=counted)
    if run.policy.nulls is Nulls.SUPPRESS:
        from kanon_sql.counting.source.person_keys import without_nulls  # noqa: PLC0415  few policies ask for it

        opened = without_nulls(run, opened)
    _check_no_problems(run, _row_problems(run, opened, is_part=bool(partition)))
    opened = replace(opened, stand_ins=find_stand_ins(run, opened))
    _check_no_problems(run, linking_problems(run, opened))
    population = _open_population(run, columns)
    return replace(opened, population=population, unparsed=found.unparsed)


@dataclass(frozen=True, slots=True)
class OpenPopulation:
    """A population as the run reads it: only its quasi-identifiers."""

    of: Source
    table: exp.Table
    rows: int


def population_fault(policy: Policy, population: Source, what: str) -> Fault:
    """Return a fault of the policy's population."""
    return policy.fault("privacy", f"the population {name_of(population)} {what}")


def population_changed(run: Session, opened: OpenPopulation, then: int) -> Fault:
    """Return the fault of a population that changes while it is read."""
    what = f"has {opened.rows:,} rows, but {then:,} when it was read again; it must not change"
    return population_fault(run.policy, opened.of, what)


def _check_rows(run: Session, opened: OpenPopulation) -> None:
    """Raise SourceError if a population has no rows, or a NULL that the policy refuses."""
    faults = []
    if not opened.rows:
        faults.append(population_fault(run.policy, opened.of, "has no rows"))
    elif run.policy.nulls is Nulls.REFUSE:
        for quasi in run.policy.quasi:
            statement = source_sql.count_missing(opened.table, quasi.name, rows=opened.rows)
            if nulls := run.engine.fetch_count(statement):
                what = f"has {counted(nulls, 'row')} with NULL in {quasi.name}, and the policy has nulls: refuse"
                faults.append(population_fault(run.policy, opened.of, what))
    if faults:
        raise SourceError(run.policy.subject, faults)


def _open_population(run: Session, columns: Sequence[ColumnType]) -> OpenPopulation | None:
    """Open the population that models compare classes with; None if no model has one."""
    population = population_of(run.policy.privacy)
    if population is None:
        return None
    view, plain = run.scratch.table("population"), run.scratch.table("members")
    try:
        open_as_view(run, view, population, run.policy.base)
        there = tuple(run.engine.columns(view))
        there = there if population.path is not None else with_collations(run, view, there)
    except SourceError as error:
        faults = (population_fault(run.policy, population, each.what) for each in error.faults)
        raise SourceError(run.policy.subject, list(faults)) from error
    _check_no_problems(run, _column_faults(run.policy, population, there, columns))
    quasi = {each.name for each in run.policy.quasi}
    run.see(plain, text_columns_statement(plain, view, [c for c in there if c.name in quasi]))
    count = run.engine.fetch_count(source_sql.count_rows(plain))
    opened = OpenPopulation(population, plain, count)
    _check_rows(run, opened)
    return opened


def open_recoded(run: Session, population: Source, quasi: Sequence[str]) -> exp.Table:
    """Open a population that is recoded like a table. Raises InputError if it lacks a quasi-identifier."""
    view = run.scratch.table("population")
    open_as_view(run, view, population, "")
    there = {each.name for each in run.engine.columns(view)}
    faults = [
        Fault("population", f"has no column {text}: it must be recoded as the table is")
        for text in quasi
        if text not in there
    ]
    if faults:
        raise InputError(name_of(population), faults)
    return view


def source_changed(run: Session, first: int, then: int) -> Fault:
    """Return the fault of a source that changes while it is read."""
    what = f"has {first} rows, but {then} when it was read again; it must not change"
    return run.policy.fault("source", what)


def describe_source(run: Session) -> tuple[ColumnType, ...]:
    """Return the columns of the policy's source, and check the policy against them. Counts no rows."""
    columns = _open_view(run, None).columns
    plain = tuple(ColumnType(c.name, "VARCHAR") if is_read_as_text(c) else c for c in columns)
    _check_no_problems(run, column_problems(run.policy, plain, run.engine.capabilities))
    return columns


def open_rows(run: Session) -> exp.Table:
    """Open the policy's source to read distinct values. Counts no rows and checks nothing."""
    return _open_view(run, None).view


@dataclass(frozen=True, slots=True)
class _View:
    """The source as it is read, under a name of this run.

    `weight` is a column's name, or None if rows are not counted; `snapshot` the version of a table of a lake;
    `unparsed` counts the rows of columns that NULL stands in for a text that no format reads.
    """

    view: exp.Table
    columns: tuple[ColumnType, ...]
    weight: str | None
    snapshot: str | None
    unparsed: Mapping[str, int]


def _open_view(run: Session, frame: object | None) -> _View:
    """Open the source under a name of this run, as the policy reads it."""
    if run.policy.source.frequency_set is not None:
        found, columns, count = open_frequency_set(run, run.policy.source.frequency_set)
        view, columns, unparsed = _see_texts(run, found, columns, count)
        return _View(view, columns, count, None, unparsed)
    view = run.scratch.table("source")
    name = f"source {source_name(run.policy.source)}"
    snapshot = None
    try:
        if frame is not None:
            run.scratch.is_view(view, view=run.engine.register(view, frame))
        else:
            snapshot = open_as_view(run, view, run.policy.source, run.policy.base)
        columns = tuple(run.engine.columns(view))
        if frame is not None or run.policy.source.path is None:  # files have no collations
            columns = with_collations(run, view, columns)
    except StatementError as error:
        what = f"cannot be read ({error.why}); {DEBUG}=1 shows the database's message"
        raise SourceError(run.policy.subject, [run.policy.fault(name, what)]) from error
    except SourceError as error:
        faults = [run.policy.fault(name, fault.what) for fault in error.faults]
        raise SourceError(run.policy.subject, faults) from error
    weight = run.policy.source.weight
    if weight is not None:
        source = None if frame is not None else run.policy.source
        view, columns = _with_number(run, source, view, columns, weight)
        _check_no_problems(run, weight_problems(run.policy, weight, columns))
        columns = without_weight(columns, weight)
    view, columns, unparsed = _see_texts(run, view, columns, weight)
    if run.policy.source.where is None:
        return _View(view, columns, weight, snapshot, unparsed)
    met = run.scratch.table("met")
    statement = filter_statement(run, met, view, columns, run.policy.source.where)
    try:
        run.see(met, statement)
    except StatementError as error:
        raise SourceError(run.policy.subject, [_condition_refused(run, error)]) from error
    return _View(met, columns, weight, snapshot, unparsed)


def _see_texts(
    run: Session, view: exp.Table, columns: tuple[ColumnType, ...], weight: str | None
) -> tuple[exp.Table, tuple[ColumnType, ...], Mapping[str, int]]:
    """See the source with NULL in place of the texts that stand for missing values, and with ISO texts by formats.

    Returns the view, its columns, and the rows of each column that are NULL because no format reads their text. Raises
    SourceError where such texts are refused; they are counted in all rows, before the policy's `where`.
    """
    found = as_read(run.policy, columns)
    if not found:
        return view, columns, {}
    _check_no_problems(run, format_problems(run.policy, columns))
    formatted = [each for each in found if each.format is not None]
    counted = run.engine.fetch_counts(count_unparsed(view, formatted)) if formatted else []
    unread = {each: n for each, n in zip(formatted, counted, strict=True) if n}
    _check_no_problems(run, unparsed_problems(run.policy, unread))
    read = run.scratch.table("read")
    beside = [] if weight is None else [ReadColumn(ColumnType(weight, "BIGINT"))]
    run.see(read, read_texts(read, view, [*found, *beside]))
    return read, as_texts(found), {each.column.name: rows for each, rows in unread.items()}


def unused_missing(run: Session, frame: object | None) -> Iterator[str]:
    """Warn of each text that the policy reads as NULL: that no row has it, or in how many rows it is lost.

    The text comes from the policy.
    """
    policy = run.policy
    stated = [("source", text) for text in policy.source.missing]
    stated += [(f"columns.{each.name}", text) for each in policy.columns for text in each.missing]
    if not stated or policy.source.frequency_set is not None:
        return
    plain = tuple(replace(each, missing=(), format=None) for each in policy.columns)
    # A condition is met by texts as they are read, and these are not: rows are counted before it.
    bare = replace(policy, source=replace(policy.source, missing=(), where=None), columns=plain)
    formats = {each.name: each.format for each in policy.columns}
    opened = _open_view(replace(run, policy=bare), frame)
    view, columns = opened.view, opened.columns
    asked = [
        (where, text, each)
        for where, text in stated
        for each in columns
        if not nested(each) and where in {"source", f"columns.{each.name}"}
    ]
    each_with_text = [ReadColumn(each, (text,), formats.get(each.name)) for _, text, each in asked]
    counts = run.engine.fetch_counts(count_missing_entries(view, each_with_text))
    rows: dict[tuple[str, str], int] = dict.fromkeys(stated, 0)
    for (where, text, _), count in zip(asked, counts, strict=True):
        rows[where, text] += count
    for (where, text), count in rows.items():
        if not count:
            yield f"{where}.missing: no row has {printable(text)!r}"
        else:
            yield f"{where}.missing: {counted(count, 'row')} with {printable(text)!r} read as NULL"


def as_read(policy: Policy, columns: Iterable[ColumnType]) -> list[ReadColumn]:
    """Return how each column is read; an empty list where all are read as they are."""
    listed = list(columns)
    return read_columns(policy, listed, unreadable=[each.name for each in listed if nested(each)])


def open_frequency_set(run: Session, named: str) -> tuple[exp.Table, tuple[ColumnType, ...], str]:
    """Open the frequency set of a source that cannot be reached, with every column of the policy.

    The source's condition (`where`) was applied before the tuples were counted. Returns the view, its columns, and the
    column with the counts.
    """
    from kanon_sql.counting.source.column_problems import (  # noqa: PLC0415  few plans have one
        columns_of_policy,
        count_column,
        frequency_set_problems,
        repeated_tuples,
    )

    origin, view = run.scratch.table("counted"), run.scratch.table("frequency_set_file")
    source = source_from_text(named)
    try:
        open_as_view(run, origin, source, run.policy.base)
        there = tuple(run.engine.columns(origin))
        there = there if source.path is not None else with_collations(run, origin, there)
    except (SourceError, StatementError) as error:
        faults = error.faults if isinstance(error, SourceError) else [Fault("", "cannot be read")]
        found = [run.policy.fault(f"source {named}", fault.what) for fault in faults]
        raise SourceError(run.policy.subject, found) from error
    count = count_column(run.policy)
    origin, there = _with_number(run, source, origin, there, count)
    weights = (weight_problems(run.policy, count, [each]) for each in there if each.name == count)
    found = [*frequency_set_problems(run.policy, there), *chain.from_iterable(weights)]
    _check_no_problems(run, found)
    _check_no_problems(run, repeated_tuples(run, origin, there))
    columns = columns_of_policy(run.policy, there)
    counted = {each.name for each in there}
    listed = [(each.name, each.name in counted) for each in columns]
    run.see(view, source_sql.policy_columns(view, origin, listed, count))
    return view, columns, count


def _with_number(
    run: Session,
    source: Source | None,
    view: exp.Table,
    columns: tuple[ColumnType, ...],
    weight: str,
) -> tuple[exp.Table, tuple[ColumnType, ...]]:
    """Read the weight of a text file as a number, because all fields of such a file are texts."""
    named = [each.name for each in columns]
    path = None if source is None else source.path
    if path is None or source_sql.kind_of(path) != "csv" or weight not in named:
        return view, columns
    read, others = run.scratch.table("weighed"), [each for each in named if each != weight]
    run.see(read, source_sql.read_weight(read, view, others, weight))
    return read, tuple(run.engine.columns(read))


def without_weight(columns: Iterable[ColumnType], weight: str | None) -> tuple[ColumnType, ...]:
    """Return the columns of a source without its weight, which is no attribute of a row."""
    return tuple(each for each in columns if each.name != weight)


def with_collations(
    run: Session, table: exp.Table, columns: Sequence[ColumnType]
) -> tuple[ColumnType, ...]:
    """Return the columns with `collated` set for quasi-identifiers that have a collation.

    Quasi-identifiers are grouped by bytes, as a reader of the release groups them. Entities and sensitive values are
    compared as the source compares them: otherwise more distinct ones would be counted than there are.
    """
    quasi = {column.name for column in run.policy.quasi}
    compared = [column for column in columns if column.name in quasi]
    found = run.engine.collated(table, compared) & quasi if compared else set()
    return tuple(replace(column, collated=column.name in found) for column in columns)


def filter_statement(
    run: Session, view: exp.Table, origin: exp.Table, columns: Sequence[ColumnType], where: str
) -> Statement:
    """Return the statement that keeps the rows which meet a condition. Raises SourceError.

    The condition has to spell columns as the source does, with or without quotes.
    """
    try:
        condition = condition_of(where, dialect=run.engine.dialect)
        check_not_volatile(run.engine, condition)
    except ValueError as error:
        _check_no_problems(run, [run.policy.fault("source.where", str(error))])
        raise
    there = [column.name for column in columns]
    unknown = sorted({each.name for each in condition.find_all(exp.Column)} - set(there))
    _check_no_problems(
        run, (run.policy.fault("source.where", no_column(n, there)) for n in unknown)
    )
    return source_sql.filter_rows(view, origin, condition)


def _count(run: Session, view: exp.Table) -> int:
    """Count the rows. This statement is the first to evaluate the condition, so it reports a refusal."""
    try:
        return run.engine.fetch_count(source_sql.count_rows(view))
    except StatementError as error:
        if run.policy.source.where is None:
            raise
        raise SourceError(run.policy.subject, [_condition_refused(run, error)]) from error


def _condition_refused(run: Session, error: StatementError) -> Fault:
    what = f"was refused by the database ({error.why}); are its types those of the columns?"
    return run.policy.fault("source.where", f"{what} {DEBUG}=1 shows the database's message")


def _check_no_problems(run: Session, faults: Iterable[Fault]) -> None:
    listed = list(faults)
    if listed:
        raise SourceError(run.policy.subject, listed)


def text_columns_statement(
    view: exp.Table, origin: exp.Table, columns: Sequence[ColumnType]
) -> Statement:
    """Return the statement that selects columns of a source, and reads some of them as plain text."""
    return source_sql.text_columns(view, origin, [(c.name, is_read_as_text(c)) for c in columns])


def is_read_as_text(column: ColumnType) -> bool:
    """Return whether a column is read as plain text: its type lists values (ENUM) or ignores differences."""
    return column.enum or column.collated


def _row_problems(run: Session, opened: OpenSource, *, is_part: bool) -> Iterator[Fault]:
    policy = run.policy
    if opened.source_rows == 0:
        met = " of that partition" if is_part else ""
        met += "" if policy.source.where is None else " that meet source.where"
        yield policy.fault(f"source {source_name(policy.source)}", f"has no rows{met}")
        return
    least = requirements(policy.privacy)[0].bound
    if opened.rows == 0:
        what = "has NULL in a quasi-identifier in every row, and the policy has nulls: suppress"
        yield policy.fault(f"source {source_name(policy.source)}", what)
    elif policy.entity is None and opened.rows < least and not is_part:
        without = " without NULL in a quasi-identifier" if opened.left_out else ""
        what = f"k is {least:,} but the source has only {counted(opened.rows, 'row')}{without}"
        yield policy.fault("privacy", what)
    most = policy.suppression.rows
    if most is not None and most > opened.source_rows and not is_part:
        what = f"allows {most:,} rows but the source has only {opened.source_rows:,}"
        yield policy.fault("suppression", what)
    if policy.entity is not None:
        statement = source_sql.count_missing(opened.table, policy.entity, rows=opened.rows)
        if missing := run.engine.fetch_count(statement):
            what = f"{clause(missing, 'row', f'have no {policy.entity}')}, so the person cannot be counted"
            yield policy.fault("entity", what)


def _column_faults(
    policy: Policy, population: Source, there: Sequence[ColumnType], columns: Sequence[ColumnType]
) -> Iterator[Fault]:
    """List the quasi-identifiers that a population lacks, or has of another type than the source."""
    of_source = {each.name: each for each in columns}
    found = {each.name: each for each in there}
    for quasi in policy.quasi:
        own, other = of_source.get(quasi.name), found.get(quasi.name)
        if other is None:
            what = f"has no column {quasi.name}, which is a quasi-identifier; name it so in a query"
            yield population_fault(policy, population, what)
        elif own is not None and _kind(own) != _kind(other):
            what = (
                f"has {quasi.name} as {other.type.split('(')[0]}, and the source as "
                f"{own.type.split('(')[0]}; cast it in a query"
            )
            yield population_fault(policy, population, what)


def _kind(column: ColumnType) -> str:
    """Return the kind of a column's type: values of different kinds cannot be compared. An ENUM is text."""
    if column.enum:
        return "text"
    return column.type if column.family == "other" else column.family
