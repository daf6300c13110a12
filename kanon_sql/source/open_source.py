"""First box: the source, opened, described, and held against the policy's columns."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.engines.base import ColumnType
from kanon_sql.errors import DEBUG, Fault, SourceError, StatementError
from kanon_sql.policy.linkable import JOINS_ROWS, unlinked
from kanon_sql.policy.model import Output, Role
from kanon_sql.privacy.demands import requirements, sensitive_attributes
from kanon_sql.run.session import on_disk, resolve
from kanon_sql.source import source_sql
from kanon_sql.source.files import files_at, open_files
from kanon_sql.source.lineage import open_query, refuse_volatile
from kanon_sql.source.text_files import misfit
from kanon_sql.sql.quoting import condition as condition_of
from kanon_sql.sql.quoting import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.policy.model import Policy, Source
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

DOTTED = re.compile(r'(?:"(?:[^"]|"")+"|[^."]+)(?:\.(?:"(?:[^"]|"")+"|[^."]+)){0,2}')
PART = re.compile(r'"(?:[^"]|"")+"|[^."]+')

ENDINGS = "csv, tsv, txt, parquet, json, jsonl, ndjson"


@dataclass(frozen=True, slots=True)
class OpenSource:
    """The source as the run sees it: `plainly`, some of its columns as plain text."""

    table: exp.Table
    columns: tuple[ColumnType, ...]
    rows: int
    plainly: frozenset[str] = frozenset()

    def type_of(self, name: str) -> str:
        """Give the declared type of a column."""
        return next(column.type for column in self.columns if column.name == name)


def open_source(run: Session, frame: object | None = None) -> OpenSource:
    """Open the policy's source, or a frame given in its place, and check the policy against it.

    Raises SourceError with all faults: columns unclassified or missing, no rows, too few for k.
    """
    view, columns = _see_source(run, frame)
    plainly = frozenset(column.name for column in columns if seen_plainly(column))
    if plainly:
        plain = run.scratch.table("plain")
        run.see(plain, plain_statement(plain, view, columns))
        view, columns = plain, tuple(run.engine.columns(plain))
    _raise_all(run, column_faults(run.policy, columns, run.engine.capabilities))
    opened = OpenSource(view, columns, _count(run, view), plainly)
    _raise_all(run, _row_faults(run, opened))
    return opened


def fingerprint(run: Session, opened: OpenSource, *, portable: bool) -> str:
    """Hash the source's rows, whatever their order, under the run's key: it notices change.

    The hash is what this release of this engine counts fastest, and no other has it. One that is
    `portable` is the same on every engine, and takes some twenty times as long. Raises SourceError
    if the rows are not as many as when the source was opened, or no portable hash is to be had.
    """
    names = [column.name for column in opened.columns]
    if portable:
        _raise_all(run, _not_portable(run, opened))
    say = source_sql.fingerprint if portable else source_sql.hash_rows
    found = _hashed(run, opened, say(opened.table, names, rows=opened.rows))
    hashed = run.key.hash(f"{opened.rows} rows: {found}")
    return hashed if portable else f"{'.'.join(run.engine.version.split('.')[:2])} {hashed}"


def _not_portable(run: Session, opened: OpenSource) -> Iterator[Fault]:
    for column in opened.columns:
        if column.family in {"float", "other"}:
            what = (
                f"is {column.type.split('(')[0]}, whose text is each engine's own: no portable hash"
            )
            yield run.policy.fault(f"columns.{column.name}", f"{what}; cast it in a query")


def seal(run: Session, opened: OpenSource) -> str:
    """Hash a release's rows, whatever their order, so that nobody can make other rows of that hash.

    It is as hard as to break SHA-256 (collisions), and the same on every engine. Columns whose text
    is an engine's own (floats, nested types) bind it to that engine. The hashes of all different
    rows are held at once. Raises SourceError as `fingerprint` does.
    """
    described = [(column.name, column.nested) for column in opened.columns]
    found = _hashed(run, opened, source_sql.seal(opened.table, described, rows=opened.rows))
    own = any(c.family in {"float", "other"} for c in opened.columns)
    by = f"{run.engine.version.split('.')[0]} " if own else ""
    return f"{by}sha256:{found or 0}"


def _hashed(run: Session, opened: OpenSource, statement: Statement) -> object:
    ((count, found),) = run.engine.fetch(statement)
    if (rows := int(str(count or 0))) != opened.rows:
        raise SourceError(run.policy.subject, [changing(run, opened.rows, rows)])
    return found


def changing(run: Session, first: int, then: int) -> Fault:
    """Say that the source changes while it is read."""
    what = f"has {first} rows, but {then} when it was read again; it must not change"
    return run.policy.fault("source", what)


def describe_source(run: Session) -> tuple[ColumnType, ...]:
    """Describe the policy's source and check the policy against its columns; counts no rows."""
    _, columns = _see_source(run, None)
    plain = tuple(ColumnType(c.name, "VARCHAR") if seen_plainly(c) else c for c in columns)
    _raise_all(run, column_faults(run.policy, plain, run.engine.capabilities))
    return columns


def _see_source(run: Session, frame: object | None) -> tuple[exp.Table, tuple[ColumnType, ...]]:
    """Give the source a name of this run, and describe it as it is."""
    view = run.scratch.table("source")
    name = f"source {source_name(run.policy.source)}"
    try:
        if frame is not None:
            run.scratch.is_view(view, view=run.engine.register(view, frame))
        else:
            see_named(run, view, run.policy.source, run.policy.base)
        columns = tuple(run.engine.columns(view))
        if frame is not None or run.policy.source.path is None:  # files have no collations
            columns = with_collations(run, view, columns)
    except StatementError as error:
        what = f"cannot be read ({error.kind}); {DEBUG}=1 shows the database's own words"
        raise SourceError(run.policy.subject, [run.policy.fault(name, what)]) from error
    except SourceError as error:
        faults = [run.policy.fault(name, fault.what) for fault in error.faults]
        raise SourceError(run.policy.subject, faults) from error
    if run.policy.source.where is None:
        return view, columns
    met = run.scratch.table("met")
    statement = filter_statement(run, met, view, columns, run.policy.source.where)
    try:
        run.see(met, statement)
    except StatementError as error:
        raise SourceError(run.policy.subject, [_refused(run, error)]) from error
    return met, columns


def with_collations(
    run: Session, table: exp.Table, columns: Sequence[ColumnType]
) -> tuple[ColumnType, ...]:
    """Say which quasi-identifiers have a collation.

    A reader of the release groups by bytes, and so do we. Entities stay what the source holds equal,
    and so do sensitive values: to tell more of them apart would count more than there are.
    """
    quasi = {column.name for column in run.policy.quasi}
    asked = [column for column in columns if column.name in quasi]
    found = run.engine.collated(table, asked) & quasi if asked else set()
    return tuple(replace(column, collated=column.name in found) for column in columns)


def filter_statement(
    run: Session, view: exp.Table, origin: exp.Table, columns: Sequence[ColumnType], where: str
) -> Statement:
    """Say how only the rows that meet a condition are seen; raises SourceError with its faults.

    Columns are named as the source spells them, in whatever quotes.
    """
    try:
        condition = condition_of(where, dialect=run.engine.dialect)
        refuse_volatile(run.engine, condition)
    except ValueError as error:
        _raise_all(run, [run.policy.fault("source.where", str(error))])
        raise
    there = [column.name for column in columns]
    unknown = sorted({each.name for each in condition.find_all(exp.Column)} - set(there))
    _raise_all(run, (run.policy.fault("source.where", _no_column(n, there)) for n in unknown))
    return source_sql.filter_rows(view, origin, condition)


def _no_column(name: str, there: Iterable[str]) -> str:
    """Say that a condition names what is no column."""
    return f"{name} is not a column of the source{_meant(name, there)}"


def _meant(name: str, there: Iterable[str]) -> str:
    """Ask for the name that was likely meant."""
    folded = {each.casefold(): each for each in sorted(there)}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {folded[close[0]]}?" if close else ""


def _count(run: Session, view: exp.Table) -> int:
    """Count the rows; the first time that a condition is asked of each."""
    try:
        ((count,),) = run.engine.fetch(source_sql.count_rows(view))
    except StatementError as error:
        if run.policy.source.where is None:
            raise
        raise SourceError(run.policy.subject, [_refused(run, error)]) from error
    return int(str(count))


def _refused(run: Session, error: StatementError) -> Fault:
    """Say that a condition, or the source beneath it, could not be read."""
    what = f"was refused by the database ({error.kind}); are its types those of the columns?"
    return run.policy.fault("source.where", f"{what} {DEBUG}=1 shows the database's own words")


def _raise_all(run: Session, faults: Iterable[Fault]) -> None:
    listed = list(faults)
    if listed:
        raise SourceError(run.policy.subject, listed)


def plain_statement(view: exp.Table, origin: exp.Table, columns: Sequence[ColumnType]) -> Statement:
    """Say how a source is seen with some of its columns as plain text."""
    return source_sql.plain(view, origin, [(c.name, seen_plainly(c)) for c in columns])


def seen_plainly(column: ColumnType) -> bool:
    """Whether a column is seen as plain text: its type would list values, or hide differences."""
    return column.enum or column.collated


def source_name(source: Source) -> str:
    """Name a source for messages."""
    return source.path or source.table or ("query" if source.query else "source")


def see_named(run: Session, view: exp.Table, source: Source, base: str) -> None:
    """Give a source a name of this run; raises SourceError where it is not there or not read."""
    try:
        run.see(view, open_statement(run.engine, source, view, base))
    except StatementError as error:
        path, what = source.path or "", "cannot be read"
        if (line := _line_refused(run, source, base, error)) is not None:
            raise SourceError(source_name(source), [Fault("source", line)]) from error
        if "://" in path:
            what = "holds no file that can be read, or is out of reach"
        elif source.query is not None and error.kind == "IOException":
            what = "names a file that cannot be read; relative paths start from the policy's folder"
        elif path and not source_sql.has_ending(path) and Path(resolve(path, base)).is_file():
            what = f"is no Parquet file, and its ending is none of {ENDINGS}"
        what += f" ({error.kind}); {DEBUG}=1 shows the database's own words"
        raise SourceError(source_name(source), [Fault("source", what)]) from error


def _line_refused(run: Session, source: Source, base: str, error: StatementError) -> str | None:
    """Say which line of a text file is why it was refused, if that can be told."""
    if source.path is None or source_sql.kind_of(source.path) != "csv":
        return None
    pattern = files_at(on_disk(source.path, run.engine), base).pattern
    return misfit(pattern, source.delimiter, source.skip, error.cause)


def open_statement(engine: Engine, source: Source, view: exp.Table, base: str) -> Statement:
    """Say how a source is opened; raises SourceError where it is not there."""
    if source.path is not None:
        if not engine.capabilities.reads_files:
            what = f"is a file; {engine.capabilities.name} reads tables and queries"
            raise SourceError(source.path, [Fault("source", what)])
        return open_files(engine, source, view, base)
    if source.query is not None:
        try:
            return open_query(engine, view, source.query, base)
        except ValueError as error:
            raise SourceError("query", [Fault("source.query", str(error))]) from error
    return source_sql.open_table(view, find_table(engine, source.table or ""))


def dotted(text: str) -> exp.Table:
    """Name a table by its parts: dots separate them, double quotes keep a dot in a name.

    >>> dotted('clinic."a.b"').sql(identify=True)
    '"clinic"."a.b"'
    """
    if not DOTTED.fullmatch(text):
        return table(text)
    catalog, schema, own = [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in ["", "", *PART.findall(text)][-3:]
    ]
    return table(own, schema=schema or None, catalog=catalog or None)


def has_table(engine: Engine, text: str) -> bool:
    """Whether there is a table of that name."""
    return next(_tables_called(engine, text), None) is not None


def _tables_called(engine: Engine, text: str) -> Iterator[exp.Table]:
    """Find a table by its whole name, or by its parts where dots separate them."""
    for candidate in dict.fromkeys((table(text), dotted(text))) if text else ():
        if engine.locate(candidate):
            yield candidate


def find_table(engine: Engine, text: str) -> exp.Table:
    """Find a table, or raise SourceError with what the name may stand for."""
    found = next(_tables_called(engine, text), None)
    if found is not None:
        return found
    what = "there is no such table; name a file by its path, or the database by database: FILE"
    if os.path.isdir(text) and engine.capabilities.reads_files:  # noqa: PTH112
        what = f"is a folder; write ./{text}, {text}/ or {{path: {text}}}"
    elif os.path.exists(text):  # noqa: PTH110
        what = f"is a file, but its ending is none of {ENDINGS}"
    raise SourceError(text or "source", [Fault("source", what)])


def column_faults(
    policy: Policy, columns: tuple[ColumnType, ...], facts: Capabilities
) -> Iterator[Fault]:
    """Hold the policy's columns against the source's: each must be in both, in the same case."""
    there = {column.name for column in columns}
    named = {column.name for column in policy.columns}
    if columns and named and not there & named:
        what = "has none of the policy's columns; does the file have a header line?"
        yield policy.fault("source", what)
        return
    for column in columns:
        if column.name not in named:
            what = "is a column of the source that the policy does not classify"
            yield policy.fault(f"columns.{column.name}", what)
    for name in (column.name for column in policy.columns):
        if name not in there:
            what = f"is not a column of the source{_meant(name, there - named)}"
            yield policy.fault(f"columns.{name}", what)
    yield from _type_faults(policy, columns, facts)


def _type_faults(
    policy: Policy, columns: tuple[ColumnType, ...], facts: Capabilities
) -> Iterator[Fault]:
    """Find what the columns' names and types do not allow."""
    folded = {column.name.casefold() for column in columns}
    for quasi in policy.quasi:
        if quasi.output is Output.BOUNDS:
            for name in quasi.released_as:
                if name.casefold() in folded:
                    what = f"output: bounds would write {name}, which is there already"
                    yield policy.fault(f"columns.{quasi.name}", what)
    for name in (name for column in policy.columns for name in (column.name, *column.released_as)):
        if (cut := cut_name(facts, [name])) is not None:
            yield policy.fault(f"columns.{name}", cut)
    for column in columns:
        if "ENUM(" in column.type:
            what = "holds an ENUM inside a nested type, which lists its values; cast it in a query"
            yield policy.fault(f"columns.{column.name}", what)
    values = sensitive_attributes(requirements(policy.privacy))
    counted = [*(q.name for q in policy.quasi), *(each.column for each in values)]
    counted += [] if policy.entity is None else [policy.entity]
    for fault in tagged_faults(columns, counted):
        yield policy.fault(fault.where, fault.what)
    for direct in policy.with_role(Role.IDENTIFYING):
        if direct.pseudonym and not secret(str(direct.key_env)):
            what = f"the environment variable {direct.key_env} must hold a key of 16 bytes or more"
            yield policy.fault(f"columns.{direct.name}.key_env", what)


def tagged_faults(columns: Sequence[ColumnType], counted: Iterable[str]) -> Iterator[Fault]:
    """Find columns that are counted or hashed whose values have types that only a reader sees.

    Rows that their texts put into one class, or values taken for one, can be told apart.
    """
    tagged = {column.name for column in columns if column.tagged}
    for name in dict.fromkeys(counted):
        if name in tagged:
            what = "is of type UNION or VARIANT, whose values differ where their texts do not; cast it in a query"
            yield Fault(f"columns.{name}", what)


def cut_name(facts: Capabilities, names: Iterable[str]) -> str | None:
    """Say that a database would cut one of the names, and so make something of another name."""
    longest = facts.longest_name
    if longest is None or all(len(name.encode()) <= longest for name in names):
        return None
    return f"{facts.name} cuts names at {longest} bytes; give it a shorter one"


def secret(key_env: str) -> bytes | None:
    """Give the secret key of an environment variable, if it is long enough to be one."""
    key = os.environb.get(key_env.encode(), b"")
    return key if len(key) >= 16 else None


def _row_faults(run: Session, opened: OpenSource) -> Iterator[Fault]:
    policy = run.policy
    if opened.rows == 0:
        met = "" if policy.source.where is None else " that meet source.where"
        yield policy.fault(f"source {source_name(policy.source)}", f"has no rows{met}")
        return
    least = requirements(policy.privacy)[0].bound
    if policy.entity is None and opened.rows < least:
        yield policy.fault("privacy", f"k is {least} but the source has only {opened.rows} rows")
    if policy.suppression.rows is not None and policy.suppression.rows > opened.rows:
        what = f"allows {policy.suppression.rows} rows but the source has only {opened.rows}"
        yield policy.fault("suppression", what)
    if policy.entity is not None:
        statement = source_sql.count_missing(opened.table, policy.entity, rows=opened.rows)
        ((missing,),) = run.engine.fetch(statement)
        if missing:
            what = f"{missing} rows have no {policy.entity}, so their person cannot be counted"
            yield policy.fault("entity", what)
    yield from _linking_faults(run, opened)


def _linking_faults(run: Session, opened: OpenSource) -> Iterator[Fault]:
    """Find pseudonyms of values that repeat, which would join the rows of a person."""
    policy = run.policy
    hashed = [column.name for column in unlinked(policy)]
    if not hashed:
        return
    statement = source_sql.count_repeats(opened.table, hashed, rows=opened.rows)
    for name, repeats in zip(hashed, run.engine.fetch(statement)[0], strict=True):
        if repeats:
            what = f"{repeats} rows repeat a value: they would share a pseudonym, {JOINS_ROWS}"
            yield policy.fault(f"columns.{name}", what)
