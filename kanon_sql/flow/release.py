"""The last boxes: recode into staging, recount, publish. Or nothing at all."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import (
    Fault,
    ReleaseError,
    StalePlanError,
    StatementError,
    VerificationError,
)
from kanon_sql.flow.script import core_statements, key_names, verify_statement
from kanon_sql.flow.session import DEBUG, resolve
from kanon_sql.flow.source import dotted, find_table, secret
from kanon_sql.model.hierarchy import CsvHierarchy, QueryHierarchy, TableHierarchy
from kanon_sql.model.policy import Format
from kanon_sql.model.privacy import diversities
from kanon_sql.sql import publishing, recoding, sources
from kanon_sql.sql.recoding import Released

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.flow.hierarchies import Mapped
    from kanon_sql.flow.session import Session
    from kanon_sql.flow.source import Opened
    from kanon_sql.model.plan import Plan
    from kanon_sql.model.policy import Destination
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class Verification:
    """The recount of a table, taken from its own rows and nothing else."""

    passed: bool
    rows: int
    classes: int
    smallest_class: int
    short_classes: int
    distinct: dict[str, int]

    def summary(self) -> dict[str, object]:
        """Give what `verify --json` prints."""
        told: dict[str, object] = {
            "passed": self.passed,
            "smallest_class": self.smallest_class,
            "classes": self.classes,
            "rows": self.rows,
            "short_classes": self.short_classes,
        }
        return {**told, "least_distinct": self.distinct} if self.distinct else told


@dataclass(frozen=True, slots=True)
class Staged:
    """The release before it is one: a scratch table that passed its recount."""

    table: exp.Table
    columns: tuple[str, ...]
    verification: Verification


def stage(run: Session, plan: Plan, opened: Opened, mapped: Sequence[Mapped]) -> Staged:
    """Recode the source into a scratch table and recount it.

    Guarantee: what is returned has passed; every row of the source is in it or was suppressed in
    a class that does not fit. Raises StalePlanError when the rows are not those of the plan, and
    VerificationError when the recount falls short.
    """
    journal = run.engine.journal
    with journal.step("recode"):
        released = []
        for each in mapped:
            level = plan.levels[each.column.name]
            table = run.scratch.table("release_map")
            one = Released(each.column, level, each.hierarchy.height, table)
            run.engine.say(recoding.release_map(one, each.domain, each.paths))
            released.append(one)
        failing, staged = run.scratch.table("failing"), run.scratch.table("staged")
        with _keys_in_session(run):
            for statement in core_statements(
                run.policy,
                opened.table,
                failing,
                staged,
                released,
                columns=opened.columns,
                rows=opened.rows,
            ):
                run.engine.say(statement)
    with journal.step("verify"):
        expected = opened.rows - plan.suppressed_rows
        checked = _recount(run, verify_statement(run.policy, staged, released), expected)
    order = [column.name for column in opened.columns]
    return Staged(staged, tuple(recoding.output_columns(run.policy, released, order)), checked)


@contextmanager
def _keys_in_session(run: Session) -> Iterator[None]:
    """Bind the secrets of pseudonyms for as long as they are needed."""
    held: list[str] = []
    try:
        for env in key_names(run.policy):
            for name, pad in recoding.padded_keys(env, secret(env) or b"").items():
                held.append(name)
                run.engine.hold_key(name, pad)
        yield
    finally:
        for name in held:
            with suppress(StatementError):  # in a broken transaction; never hide what broke it
                run.engine.forget_key(name)


def _recount(run: Session, statement: Statement, expected: int) -> Verification:
    """Run the recount of a staged table and refuse to go on where it falls short."""
    spreads = list(diversities(run.policy.privacy))
    verification = read_recount(run.engine.ask(statement)[0], spreads)
    if verification.rows != expected:
        what = f"{expected} rows should be released, staging has {verification.rows}"
        raise StalePlanError("source", [Fault("", f"{what}; the source changed meanwhile")])
    if not verification.passed:
        raise VerificationError(
            f"the staged release failed its recount: {verification.short_classes} of "
            f"{verification.classes} classes fall short, the smallest has "
            f"{verification.smallest_class}; it was dropped and nothing was published"
        )
    return verification


def read_recount(row: Sequence[object], diversities: Sequence[str]) -> Verification:
    """Read the one row of the recount. A table without rows has nothing that could pass."""
    classes, rows, smallest, *rest = (int(str(cell)) if cell is not None else 0 for cell in row)
    short = rest.pop()
    return Verification(
        passed=short == 0 and rows > 0,
        rows=rows,
        classes=classes,
        smallest_class=smallest,
        short_classes=short,
        distinct=dict(zip(diversities, rest, strict=True)),
    )


REPLACE = "--replace replaces it (from Python: replace=True)"


def check_destination(
    run: Session, destination: Destination | None, frame: object | None, *, replace: bool
) -> None:
    """Refuse a destination that cannot take the release, before anything is written."""
    if destination is None:
        if not run.engine.facts.gives_relations:
            what = f"is missing; {run.engine.facts.name} releases to a table"
            raise ReleaseError("release", [Fault("", what)])
        return
    faults = list(_destination_faults(run, destination, frame, replace=replace))
    if faults:
        raise ReleaseError(destination.name, faults)


def _destination_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool
) -> Iterator[Fault]:
    if destination.format is Format.TABLE:
        yield from _table_faults(run, destination, replace=replace)
        return
    if not run.engine.facts.writes_files:
        yield Fault("release", f"is a file; {run.engine.facts.name} releases to tables")
        return
    if "://" in destination.name:
        yield Fault("release", "object stores cannot be written to yet; release to a local path")
        return
    yield from _place_faults(run, destination, frame, replace=replace)


def _place_faults(
    run: Session, destination: Destination, frame: object | None, *, replace: bool
) -> Iterator[Fault]:
    path = Path(run.path(destination.name))
    try:
        for what, pattern in _files_read(run):
            if _is_read(path, pattern, folders=what == SOURCE_ITSELF):
                yield Fault("release", f"is {what}; what a run reads is never written to")
                return
        if path.exists() or path.is_symlink():
            if not replace:
                yield Fault("release", f"is there already; {REPLACE}")
            elif path.is_dir() != bool(destination.partition_by):
                yield Fault("release", "is a folder where a file is to go, or the other way round")
            elif path.is_dir() and not _is_partitioned(path):
                yield Fault("release", "is a folder that holds more than partitions of Parquet")
            elif _opaque_source(run, frame):
                what = "cannot be replaced: the source is a view or a relation, which may read it"
                yield Fault("release", f"{what}; release under a new name")
        folder = path.parent
        if not folder.is_dir():
            yield Fault("release", "its folder is not there")
        elif not os.access(folder, os.W_OK | os.X_OK):
            yield Fault("release", "its folder cannot be written to")
    except OSError as error:
        yield Fault("release", f"is no path that can be written ({os.strerror(error.errno or 0)})")


def _table_faults(run: Session, destination: Destination, *, replace: bool) -> Iterator[Fault]:
    there = set(run.engine.locate(dotted(destination.name)))
    if not there:
        return
    if not replace:
        yield Fault("release", f"there is such a table already; {REPLACE}")
        return
    source = run.policy.source
    read = [source.table] if source.table is not None else []
    opaque = source.query is not None
    for column in run.policy.quasi:
        if isinstance(column.hierarchy, TableHierarchy):
            read.append(column.hierarchy.name)
        opaque = opaque or isinstance(column.hierarchy, QueryHierarchy)
    origins = {found for text in read for found in run.engine.locate(find_table(run.engine, text))}
    if there & origins:
        yield Fault(
            "release", "is the source itself, or a hierarchy; what a run reads is never written to"
        )
    elif opaque or any(origin.kind == "view" for origin in origins):
        what = "cannot be replaced: the run reads a view or a query, which may read this table"
        yield Fault("release", f"{what}; release under a new name")


def _is_partitioned(folder: Path) -> bool:
    """Whether a folder holds nothing but what a partitioned release holds."""
    return all(
        (each.is_dir() and "=" in each.name) or each.suffix == ".parquet"
        for each in folder.rglob("*")
    )


def _opaque_source(run: Session, frame: object | None) -> bool:
    """Whether it cannot be told which files the source reads."""
    if frame is not None:
        return hasattr(frame, "sql_query")
    text = run.policy.source.table
    if text is None:
        return False
    found = run.engine.locate(find_table(run.engine, text))
    return any(each.kind == "view" for each in found)


SOURCE_ITSELF = "the source itself"


def _files_read(run: Session) -> Iterator[tuple[str, str]]:
    """Give patterns of the files that a run reads, and what each is to it."""
    policy = run.policy
    if policy.source.path is not None:
        yield SOURCE_ITSELF, run.path(policy.source.path)
    if policy.source.query is not None:
        for constant in sources.constants(policy.source.query, dialect=run.engine.dialect):
            yield SOURCE_ITSELF, resolve(constant, "")
    if policy.database is not None:
        yield "the database", run.path(policy.database)
    if policy.file is not None:
        yield "the policy", resolve(policy.file, "")
    for column in policy.quasi:
        if isinstance(column.hierarchy, CsvHierarchy):
            yield f"the hierarchy of {column.name}", run.path(column.hierarchy.path)
        if isinstance(column.hierarchy, QueryHierarchy):
            for constant in sources.constants(column.hierarchy.sql, dialect=run.engine.dialect):
                yield f"the hierarchy of {column.name}", resolve(constant, "")


def _is_read(path: Path, pattern: str, *, folders: bool) -> bool:
    """Whether a path is one of the files of a pattern, holds one, or lies in a folder of it."""
    target = path.resolve()
    matches = {pattern, *glob.glob(pattern, recursive=True)}  # noqa: PTH207  it is a pattern
    for match in matches:
        real = Path(match).resolve()
        if (
            real == target
            or target in real.parents
            or (folders and real.is_dir() and real in target.parents)
        ):
            return True
    return False


def publish(run: Session, staged: Staged, destination: Destination, *, replace: bool) -> None:
    """Put a verified staging table where it belongs, whole or not at all.

    A table is made by one statement; a file or folder is written beside its place under a name
    of this run, counted again, and renamed.
    """
    with run.engine.journal.step("publish"), _told_as_release(destination):
        if destination.format is Format.TABLE:
            target = dotted(destination.name)
            whole = run.engine.facts.replaces_tables
            if replace and not whole:
                run.engine.say(publishing.drop_table(target))
            statement = publishing.publish_table(
                target, staged.table, staged.columns, replace=replace and whole
            )
            run.engine.say(statement)
        else:
            _publish_path(run, staged, destination, replace=replace)


@contextmanager
def _told_as_release(destination: Destination) -> Iterator[None]:
    """Say of a refused statement that it was the release, and that nothing was published."""
    try:
        yield
    except StatementError as error:
        what = f"cannot be written ({error.kind}); nothing was published. {DEBUG}=1 shows why"
        raise ReleaseError(destination.name, [Fault("release", what)]) from error


def _publish_path(run: Session, staged: Staged, destination: Destination, *, replace: bool) -> None:
    path = Path(run.path(destination.name))
    mark = secrets.token_hex(4)
    suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    beside = path.with_name(f".{path.name[:100]}.{mark}.kanon{suffix}")
    try:
        run.engine.say(
            publishing.copy_out(
                staged.table,
                staged.columns,
                path=str(beside),
                format_=destination.format,
                partition_by=destination.partition_by,
            )
        )
        _recount_written(run, staged, destination, beside)
        _move(beside, path, mark, replace=replace)
    except OSError as error:
        what = f"cannot be written ({type(error).__name__}: {os.strerror(error.errno or 0)})"
        raise ReleaseError(destination.name, [Fault("release", what)]) from error
    finally:
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        else:
            beside.unlink(missing_ok=True)


def _recount_written(run: Session, staged: Staged, destination: Destination, beside: Path) -> None:
    """Count what was written; a file that is short is no release."""
    view = run.scratch.table("written")
    pattern = glob.escape(str(beside))
    if destination.partition_by:
        pattern += "/**/*.parquet"
    run.see(view, sources.open_as(view, pattern, destination.format))
    ((rows,),) = run.engine.ask(sources.count_rows(view))
    run.scratch.drop(view)
    if rows != staged.verification.rows:
        raise VerificationError(
            f"{rows} rows were written where {staged.verification.rows} were verified; "
            f"nothing was published"
        )


def _move(beside: Path, path: Path, mark: str, *, replace: bool) -> None:
    if beside.is_dir():
        old = path.with_name(f".{path.name[:100]}.{mark}.old")
        try:
            if replace and path.exists():
                path.rename(old)
            beside.rename(path)
        except BaseException:
            if old.exists() and not path.exists():
                old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
        return
    with beside.open("rb") as file:
        os.fsync(file.fileno())
    if replace:
        beside.replace(path)
        return
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:  # no hard links here: the check a moment ago has to do
        beside.replace(path)
