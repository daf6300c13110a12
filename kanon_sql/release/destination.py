"""The interface of all destinations: what a run asks of one before, while and after it publishes a release there."""

from __future__ import annotations

import glob
import re
from abc import ABC, abstractmethod
from contextlib import contextmanager, nullcontext
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import has_template
from kanon_sql.counting.run.session import on_disk, resolve
from kanon_sql.counting.source.lineage import files_of, find_table
from kanon_sql.engines.base import EQUAL_AS_TEXTS
from kanon_sql.engines.locations import Source
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import (
    DEBUG,
    Fault,
    InternalError,
    ReleaseError,
    StatementError,
    VerificationError,
)
from kanon_sql.policy.privacy.populations import population_of
from kanon_sql.recoding.label_codes import FEW_LABELS
from kanon_sql.release.stage import TABLE, Executor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlglot import exp

    from kanon_sql.counting.plans.shown_plan import TextType
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.destination_format import DestinationFormat
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.hierarchies.entries import HierarchyKind
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.label_codes import CodedRows
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery
    from kanon_sql.release.stage import Staged

REPLACE = "--replace replaces it (from Python: replace=True)"

MANY_ROWS = 100_000
"""From so many rows on, hashing numbers as texts costs more than looking up the types of columns."""


class Publishable(Protocol):
    """A scratch table that can be published: a staged release, or the key of its labels."""

    @property
    def table(self) -> exp.Table: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> int:
        """The number of its rows."""

    @property
    def query(self) -> ReleaseQuery | None:
        """The query that recoded them; None if they are no release."""

    @property
    def snapshot(self) -> str | None:
        """The version of the lake's table that they were made from."""

    @property
    def types(self) -> Mapping[str, TextType]:
        """The types that texts of a text file are released as."""


@dataclass(frozen=True, slots=True)
class StagedRows:
    """Rows to publish that are no release."""

    table: exp.Table
    columns: tuple[str, ...]
    rows: int
    query: None = None
    snapshot: None = None
    types: Mapping[str, TextType] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Publisher(ABC):
    """Publishes a release at one kind of destination, and answers for it in every step of a run.

    When only planning, `replace` is None. An existing release is no fault then, because it may be gone or replaced
    when the plan is carried out, and files of dead runs are not removed. `frame` is the source, if a call passed it.
    With `purge`, dropped rows are removed from the files that may hold them.
    """

    run: Session
    destination: Destination
    frame: object | None
    replace: bool | None
    purge: bool

    shows_later_rows: ClassVar[bool] = False
    """Whether rows that come later are released without another run, as by a view."""

    @property
    def name(self) -> str:
        """The destination's name in messages."""
        return self.destination.name

    @property
    def executor(self) -> Executor:
        """The executor that says which policies cannot be released there."""
        return TABLE

    @classmethod
    @abstractmethod
    def takes(cls, destination: Destination) -> bool:
        """Return whether a destination is of this kind. A kind that comes earlier in `PUBLISHERS` is asked first."""

    @abstractmethod
    def faults(self) -> Iterator[Fault]:
        """Yield a fault for each reason why the destination cannot take the release."""

    def check(self) -> None:
        """Raise ReleaseError where the destination cannot take the release, before anything is written."""
        if faults := list(self.faults()):
            raise ReleaseError(self.name, faults)

    def script_faults(self, *, to_table: bool) -> Iterator[Fault]:
        """Yield a fault for each reason why a script cannot release there; `to_table` if it names a table instead."""
        del to_table
        yield from ()

    @property
    def writers_wait(self) -> str | None:
        """When others wait to write to what the release replaces; None if they never do."""
        return None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock what the release replaces until the run ends, and purge it then.

        Raises ReleaseError where there is nothing to `purge`.
        """
        if self.purge and (why := self.why_not_purged) is not None:
            raise ReleaseError("--purge", [Fault("", why)])
        with self.held():
            yield
        if self.purge:
            self.remove_dropped()

    def held(self) -> AbstractContextManager[None]:
        """Return a context in which others cannot write to what the release replaces."""
        return nullcontext()

    @property
    def why_not_purged(self) -> str | None:
        """Why dropped rows cannot be removed; None if they can."""
        return "goes with a release in place, where raw rows are left behind"

    def remove_dropped(self) -> None:
        """Remove dropped rows from the files that may hold them."""
        raise InternalError(f"{type(self).__name__} purges nothing")

    def stage(self, planned: Planned, staging: Callable[[Session, Planned], Staged]) -> Staged:
        """Stage the release by `staging`, and recount it."""
        return staging(self.run, planned)

    def notes(self, staged: Publishable) -> Iterator[str]:
        """Yield warnings for readers of the release, before it is published."""
        del staged
        yield from ()

    def publish(self, planned: Planned, staged: Publishable) -> None:
        """Publish a verified staging table, completely or not at all. Raises ReleaseError, VerificationError."""
        with self.run.engine.journal.step("publish"), release_errors(self.destination):
            self.write(planned, staged)

    @abstractmethod
    def write(self, planned: Planned, staged: Publishable) -> None:
        """Write the rows, compare them where the destination is not the database, and publish them at once."""

    @property
    def place(self) -> str | None:
        """The path or the name of the published release; None where it stays in the database."""
        return self.destination.name

    def source_at(self, place: str) -> Source:
        """Return the published release as a source, from which it can be read again."""
        return Source(table=place)


class Unpublished(Publisher):
    """A release without a destination, whose rows stay in the database until the caller has read them."""

    place = None

    @classmethod
    def takes(cls, destination: Destination) -> bool:
        del destination
        return False

    def faults(self) -> Iterator[Fault]:
        facts = self.run.engine.capabilities
        if self.replace is not None and not facts.returns_relations:
            yield Fault("", f"is missing; {facts.name} releases to a table")

    def publish(self, planned: Planned, staged: Publishable) -> None:
        """Publish nothing: the caller gets a relation of the rows."""

    write = publish


@contextmanager
def release_errors(destination: Destination) -> Iterator[None]:
    """Turn a StatementError into a ReleaseError that names the destination: nothing was published."""
    try:
        yield
    except StatementError as error:
        dotted = destination.format.kind.in_database and "." in destination.name
        as_table = " as a table of that schema; a file ends in .parquet or .csv" if dotted else ""
        what = (
            f"cannot be written{as_table} ({error.why}); nothing was published. {DEBUG}=1 shows why"
        )
        raise ReleaseError(destination.name, [Fault("release", what)]) from error


def is_what_was_staged(
    run: Session, view: exp.Table, staged: Publishable, *, codes: CodedRows | None = None
) -> bool:
    """Return True if written rows have the staged values. Raises VerificationError where counts differ.

    Of many rows, labels are compared as `codes`, which are hashed in a tenth of the time of their texts. A text that is no
    label is then like NULL, so that the values of each column are counted as well.
    """
    rows = staged.rows
    typed = _typed_alike(run, view, staged)
    table = staged.table
    of_labels: dict[str, exp.Table | None] = {}
    if codes is not None and rows >= MANY_ROWS and not staged.types:
        table = codes.table
        of_labels = {
            each: type_ for each, type_ in codes.types.items() if codes.listed[each] <= FEW_LABELS
        }
    found = _hash(run, view, staged.columns, rows, typed, types=of_labels)
    if int(str(found[0])) != rows:
        raise VerificationError(
            f"{found[0]:,} rows were written where {rows:,} were verified; nothing was published"
        )
    return found == _hash(run, table, staged.columns, rows, typed, types=dict.fromkeys(of_labels))


def check_nothing_lost(run: Session, view: exp.Table, staged: Publishable) -> None:
    """Raise VerificationError, with the columns, where written values are not the staged ones."""
    if is_what_was_staged(run, view, staged):
        return
    rows, typed = staged.rows, _typed_alike(run, view, staged)
    lost = [
        each
        for each in staged.columns
        if _hash(run, view, [each], rows, typed) != _hash(run, staged.table, [each], rows, typed)
    ]
    raise VerificationError(
        f"the files do not hold what was verified ({', '.join(lost or ['rows differ'])}): of a "
        f"type that the format does not have, so cast it in a query; or of partitions whose "
        f"values the name of a folder cannot tell apart. Nothing was published"
    )


def _typed_alike(run: Session, view: exp.Table, staged: Publishable) -> frozenset[str]:
    """Return the columns of `EQUAL_AS_TEXTS` with the same type in files and staging; none of few rows."""
    if staged.rows < MANY_ROWS:
        return frozenset()
    written = {each.name: each.type for each in run.engine.columns(view)}
    return frozenset(
        each.name
        for each in run.engine.columns(staged.table)
        if each.family in EQUAL_AS_TEXTS and each.type == written.get(each.name)
    )


def _hash(
    run: Session,
    table: exp.Table,
    columns: Sequence[str],
    rows: int,
    typed: frozenset[str],
    *,
    types: Mapping[str, exp.Table | None] | None = None,
) -> tuple[object, ...]:
    """Return the number of rows and a hash of columns, by values if `typed`, else by texts, in any order.

    With `types`, labels are hashed as values of these, and the numbers of values follow.
    """
    hashing = source_sql.hash_rows(table, columns, rows=rows, typed=typed, types=types)
    return run.engine.fetch(hashing)[0]


def why_not_written(kind: DestinationFormat, dialect: str) -> str | None:
    """Return why no file of a format is written in a dialect; None if there is a template that does."""
    if kind.library is None and has_template(kind.template, dialect):
        return None
    return f"is {kind.label}, which kanon-sql does not write by {dialect}; release Parquet or CSV"


def partition_faults(facts: Capabilities, destination: Destination) -> Iterator[Fault]:
    """Yield a fault for partition columns whose names folders would escape: some readers do not undo it."""
    for name in destination.partition_by:
        if facts.escaped and re.search(facts.escaped, name):
            what = f"{name} would be a column of another name to who reads the folders, because "
            what += f"{facts.name} escapes what is in it; give it a plain name in a query"
            yield Fault("release.partition_by", what)


SOURCE_ITSELF = "the source itself"


def sources_read(policy: Policy) -> Iterator[tuple[str, Source]]:
    """Yield the sources of rows that a policy reads, each with its description: the source, a population."""
    yield SOURCE_ITSELF, policy.source
    if (population := population_of(policy.privacy)) is not None:
        yield "the population", population


def files_read(run: Session) -> Iterator[tuple[str, str]]:
    """Yield patterns of all files that a run reads, each with a description for messages."""
    policy = run.policy
    for what, each in sources_read(policy):
        if each.path is not None:
            yield what, run.path(each.path)
        if each.lake is not None and each.lake.path is not None:
            yield what, run.path(each.lake.path)
        if each.query is not None:
            for path in files_of(run.engine, each.query, policy.base)[0]:
                yield what, path
    if policy.database is not None:
        yield "the database", run.path(policy.database)
    for name, path in policy.attach:
        yield f"the database {name}", run.path(path)
    if policy.file is not None:
        yield "the policy", resolve(policy.file, "")
    for column in policy.quasi:
        for path in _hierarchy_files(run, column.hierarchy):
            yield f"the hierarchy of {column.name}", path


def _hierarchy_files(run: Session, kind: HierarchyKind | None) -> Iterator[str]:
    """Give patterns of the files that the entries of a hierarchy are read from."""
    if kind is not None and kind.file is not None:
        yield run.path(kind.file)
    if kind is not None and kind.query is not None:
        yield from files_of(run.engine, kind.query, run.policy.base)[0]


def is_opaque(run: Session, frame: object | None) -> bool:
    """Return True if it is unknown which files the source and the hierarchies read."""
    kinds = [each.hierarchy for each in run.policy.columns if each.hierarchy is not None]
    sources = [
        each for of, each in sources_read(run.policy) if frame is None or of != SOURCE_ITSELF
    ]
    tables = [kind.table for kind in kinds if kind.table is not None]
    queries = [kind.query for kind in kinds if kind.query is not None]
    tables += [each.table for each in sources if each.table is not None]
    queries += [each.query for each in sources if each.query is not None]
    found = [each for text in tables for each in run.engine.locate(find_table(run.engine, text))]
    return (
        hasattr(frame, "sql_query")
        or any(each.kind == "view" for each in found)
        or not all(files_of(run.engine, text, run.policy.base)[1] for text in queries)
    )


def is_read(path: Path, pattern: str, *, folders: bool) -> bool:
    """Return True if a path is, or contains, a file of a pattern, or (with `folders`) lies in its folder."""
    target, pattern = path.resolve(), on_disk(pattern)
    matches = {pattern, *glob.glob(pattern, recursive=True)}  # noqa: PTH207  it is a pattern
    for match in matches:
        real = Path(match).resolve()
        if (
            real == target
            or (real.exists() and target.exists() and real.samefile(target))
            or target in real.parents
            or (folders and real.is_dir() and real in target.parents)
        ):
            return True
    return False
