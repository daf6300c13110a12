"""The inputs of a run: a policy, a source and a destination, recognized and opened."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from kanon_sql.base.documents.shapes import Wrong
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import Origin
from kanon_sql.counting.run.session import Session, interrupt_report, resolve, session
from kanon_sql.counting.source.column_problems import tagged_type_problems
from kanon_sql.counting.source.lineage import has_table
from kanon_sql.counting.source.open_view import open_as_view
from kanon_sql.engines.connect import Settings, is_address, open_engine
from kanon_sql.engines.local_files import relative_to
from kanon_sql.engines.locations import (
    FILE_ENDINGS,
    HOLDS_KEY,
    Destination,
    Format,
    Source,
    destination_from_text,
    holds_password,
    source_from_text,
)
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError, ReleaseError, SourceError
from kanon_sql.policy.model import Policy, Suppression
from kanon_sql.policy.read_policy import overridden, read_policy, release_from, source_from
from kanon_sql.policy.search import dropped_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import ExitStack

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType, Engine

    PolicyInput = str | Path | Mapping[str, object] | Policy
    ReleaseInput = str | Destination | Mapping[str, object]
    Overrides = Mapping[str, str | int]
    TableInput = object
    """A path, a glob, a table's name, or a frame of any library."""
    Connection = object
    """A connection of DuckDB or psycopg, or a SparkSession."""
    ModelsInput = object
    """Privacy models as a policy states them, or has read them."""
    QueriesInput = object
    """Mappings of columns to SQL conditions, or the path of their YAML file."""


QUERY = re.compile(r"\s*(SELECT|WITH|FROM)\s", re.IGNORECASE)
"""The beginning of a query, where the name of a source may stand."""
OF_FILES = frozenset(
    {
        "path", "delimiter", "encoding", "quote", "comment", "skip", "header", "union_by_name", "sheet", "range", "values",
    }
)  # fmt: skip
"""The keys that a source without a policy may have: the path of files, and how they are read."""


def open_run(
    stack: ExitStack,
    policy_input: PolicyInput | Origin,
    source: object,
    *,
    connection: object | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
    writes: bool,
    release: ReleaseInput | None = None,
    keeps_plan: bool = False,
    frequency_set: str | None = None,
) -> tuple[Session, object | None]:
    """Read the policy, open its engine and a session. Returns the session, and the frame passed, if any.

    A database is opened for writing only if the release is a table in it. With `keeps_plan`, the plan outlives this
    run, or comes from an earlier one, so the user's own key hashes it. A `frequency_set` is read instead of the source.
    Raises InputError.
    """
    stated = dict(overrides or {})
    if isinstance(
        policy_input, Origin
    ):  # what the call does not name is what the plan was made from
        origin, policy_input = policy_input, policy_input.policy
        source = origin.frame if source is None else source
        connection = origin.connection if connection is None else connection
        settings = origin.settings if settings is None else settings
    if source is not None and (frequency_set is not None or "frequency_set" in stated):
        what = "is read instead of the source, and cannot be combined with another source"
        raise InputError("frequency_set", [Fault("", what)])
    has_source = source is None and "source" not in stated
    policy = (
        policy_input
        if isinstance(policy_input, Policy)
        else read_policy(policy_input, has_source=has_source)
    )
    frame = None
    if isinstance(source, str | Path):
        check_no_password("source", str(source))
    elif source is not None:
        frame = source
    before, policy = policy.search, overridden(policy, stated)
    destination = chosen_destination(policy, release, must_publish=False)
    reached = stack.enter_context(interrupt_report())
    engine = stack.enter_context(
        open_engine(
            connection,
            database_of(policy),
            settings,
            writes=writes and destination is not None and destination.format.kind.in_database,
            attach={name: resolve(path, policy.base) for name, path in policy.attach},
        )
    )
    engine.journal.on_step = progress
    if isinstance(source, str | Path):
        stated["source"] = as_in_policy(engine, str(source), policy.base)
        policy = overridden(policy, {"source": stated["source"]})
    if frequency_set is not None:
        stated["frequency_set"] = as_in_policy(engine, frequency_set, policy.base)
        policy = overridden(policy, stated)
    unused = dropped_options(before, policy.search, set(stated))
    return stack.enter_context(
        session(engine, policy, stated, reached, unused, keeps_plan=keeps_plan, ends_engine=True)
    ), frame


def check_no_password(what: str, address: str) -> None:
    """Raise InputError for an address with a password: messages would print it."""
    if holds_password(address):
        raise InputError(what, [Fault("", HOLDS_KEY)])


def named_source(engine: Engine, text: str) -> Source:
    """Return the source that a text names. A bare name is a table if there is one, else a path.

    Raises SourceError if it is both.
    """
    check_no_password("source", text)
    with stated_wrongly("source", text):
        named = source_from_text(text)
    if named.path is not None or named.lake is not None or not os.path.exists(text):  # noqa: PTH110
        return named
    if not has_table(engine, text):
        return Source(path=text)
    what = f"is a table and a path; write ./{text} for the path, or the table with its schema"
    raise SourceError(text, [Fault("source", what)])


def stated_source(engine: Engine, source: str | os.PathLike[str] | Mapping[str, object]) -> Source:
    """Read a source without a policy: a name, a query, or a mapping as in a policy, also as the text of a mapping.

    A text in braces that is the name of a table is not read as a mapping. Raises InputError.
    """
    given: object = source
    if not isinstance(source, Mapping):
        text = os.fspath(source)
        if QUERY.match(text) and not has_table(engine, text):
            return Source(query=text)
        if not is_mapping_text(text) or has_table(engine, text):
            return named_source(engine, text)
        try:
            given = yaml.safe_load(text)
        except yaml.YAMLError:
            given = None
    if isinstance(given, Mapping) and set(given) == {"query"}:
        return source_from(given)
    if not isinstance(given, Mapping) or not OF_FILES.issuperset(given):
        what = f"must be a name, a query, or a mapping of the path of files and {joined(sorted(OF_FILES - {'path'}))}"
        raise InputError("source", [Fault("", what)])
    return source_from(given)


def is_mapping_text(text: str) -> bool:
    """Return whether a text is a mapping in braces, as a policy's source may be, and no existing file."""
    return text.startswith("{") and text.rstrip().endswith("}") and not os.path.exists(text)  # noqa: PTH110


def with_source(engine: Engine, policy: Policy, text: str) -> tuple[Policy, dict[str, str]]:
    """Return the policy with another source of the same rows, and the override by which a plan names it, if it is a name.

    A policy's file stands for its source. Paths in a query start from the policy's folder. Raises InputError and
    PolicyError.
    """
    if text.endswith((".yml", ".yaml")):
        of = read_policy(text)
        found = of.source
        if found.path is not None:
            found = replace(found, path=_path_in_policy(policy.base, resolve(found.path, of.base)))
        return replace(policy, source=found), {}
    found = stated_source(engine, text)
    if found in {Source(path=found.path), Source(table=found.table), Source(lake=found.lake)}:
        given = {"source": as_in_policy(engine, text, policy.base)}
        return overridden(policy, given), given
    own = policy.source
    path = None if found.path is None else _path_in_policy(policy.base, found.path)
    where = None if found.query == own.query else own.where
    found = replace(found, path=path, where=where, weight=own.weight, missing=own.missing)
    return replace(policy, source=found), {}


def as_in_policy(engine: Engine, text: str, base: str) -> str:
    """Return a source's name as it would be in the policy, whose paths are relative to its folder."""
    named = named_source(engine, text)
    if named.lake is not None:
        return named.lake.moved(partial(_path_in_policy, base)).name
    return text if named.path is None else _path_in_policy(base, named.path)


def _path_in_policy(base: str, path: str) -> str:
    return path if "://" in path else path_from(base, resolve(path, ""))


def path_from(folder: str, path: str) -> str:
    """Return a path relative to a folder, always with a slash, so that it is not read as a table's name."""
    relative = relative_to(path, str(Path(folder).absolute()))
    return relative if "/" in relative else f"./{relative}"


def database_of(policy: Policy) -> str | None:
    """Return the policy's database, as an address or the absolute path of a file; None without one."""
    if policy.database is None or is_address(policy.database):
        return policy.database
    return resolve(policy.database, policy.base)


def chosen_destination(
    policy: Policy, release: ReleaseInput | None, *, must_publish: bool
) -> Destination | None:
    if must_publish and release is None and policy.release is None:
        what = "is missing; name it in the policy or by --release"
        raise ReleaseError("release", [Fault("", what)])
    chosen = policy.release
    if isinstance(release, str):
        check_no_password("release", release)
        chosen = _elsewhere(policy.release, release)
    elif isinstance(release, Mapping):
        chosen = release_from(release, policy.columns)
        chosen = _moved_here(chosen)
    elif release is not None:
        chosen = replace(release, added=(), recoded_by=None)  # a run alone knows these
    if chosen is not None and chosen.in_place is not None:
        chosen = _in_place_of(policy.source, chosen)
    if (
        must_publish
        and chosen is not None
        and chosen.format.kind.in_database
        and not policy.database
    ):
        what = "is a table, but no database is named; write database: FILE in the policy"
        raise ReleaseError(chosen.name, [Fault("release", what)])
    return chosen


def _in_place_of(source: Source, destination: Destination) -> Destination:
    """Return the destination of a release in place, with the format and name of its source."""
    if source.lake is not None:
        of = Format(source.lake.format.value)
        return replace(destination, format=of, name=source.lake.location)
    return replace(destination, name=source.table or "")


def _elsewhere(own: Destination | None, text: str) -> Destination:
    """Return the policy's destination at another name, with its other options. Raises ReleaseError.

    A release without other options may also change its kind by the ending: from table to file, or Parquet to CSV.
    """
    with stated_wrongly("release", text):
        named = destination_from_text(text)
    if named.lake is not None or (own is not None and own.lake is not None):
        return _other_lake_table(own, named, text)
    has_ending = named.format.kind.is_file
    is_path = has_ending or "/" in text or "\\" in text
    own = own or named
    more = _other_options(own)
    what = None
    if own.in_place is not None:
        what = "the policy releases in place, which is at its source's name and no other"
    elif is_path == own.format.kind.is_file and (named.format == own.format or not has_ending):
        named = own
    elif more is not None:
        what = f"the policy's release is {more}, which no {named.format.value} is"
        what += "" if is_path else f" (a path would be ./{text})"
    elif is_path and not has_ending:
        what = f"is a path without an ending that tells its kind: {joined(FILE_ENDINGS, 'or')}"
    if what is not None:
        raise ReleaseError("release", [Fault(text, what)])
    if not is_path:
        return replace(named, name=text)
    return replace(named, name=_from_here(text))


def _other_lake_table(own: Destination | None, named: Destination, text: str) -> Destination:
    """Return a destination in a lake in place of the policy's. Raises ReleaseError if options conflict."""
    what = None
    if own is not None and (own.in_place is not None or _other_options(own) is not None):
        what = "the policy's release has options that no table of a lake has"
    elif named.lake is None:
        what = (
            "the policy's release is a table of a lake: name another as delta:PATH, iceberg:NAME or "
            "ducklake:CATALOG#TABLE"
        )
    if what is not None:
        raise ReleaseError("release", [Fault(text, what)])
    return _moved_here(named)


def _moved_here(named: Destination) -> Destination:
    """Return a destination with its path, if it has one, resolved against the current folder."""
    if named.lake is not None:
        return replace(named, name=named.lake.moved(_from_here).location)
    return replace(named, name=_from_here(named.name)) if named.format.kind.is_path else named


@contextmanager
def stated_wrongly(where: str, text: str) -> Iterator[None]:
    """Raise InputError for a name on the command line that would be a fault in a policy, too."""
    try:
        yield
    except Wrong as wrong:
        raise InputError(where, [Fault(text, what) for _, what in wrong.problems]) from wrong


def _from_here(path: str) -> str:
    """Resolve a path against the current folder. A trailing slash stays."""
    slash = "/" if path.endswith("/") and "://" not in path else ""
    return resolve(path.rstrip("/"), "") + slash


def _other_options(own: Destination) -> str | None:
    """Describe the options of a release besides its location; None without options."""
    if own.view:
        return "a view"
    plain, kind = Destination(own.format, own.name), own.format.kind
    options = [name for name in kind.options if getattr(own, name) != getattr(plain, name)]
    return f"{kind.label} with {' and '.join(options)}" if options else None


def relative_policy(policy_file: str, plan_file: str) -> str:
    """Return the policy's path relative to the plan's folder, as a plan file holds it."""
    folder = Path(plan_file).absolute().parent
    return relative_to(str(Path(policy_file).absolute()), str(folder))


NO_POLICY = Policy(Source(), None, (), (), Suppression(rows=0))
"""The policy of a run that needs none."""


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, file or frame as a run reads it. `what` is its name in messages."""

    what: str
    table: exp.Table
    columns: tuple[ColumnType, ...]

    def column_problems(self, names: Iterable[str]) -> Iterator[Fault]:
        """List columns that cannot be counted: they are missing, or of types whose texts hide differences."""
        wanted = list(dict.fromkeys(names))
        there = {column.name for column in self.columns}
        for name in wanted:
            if name not in there:
                yield Fault(name, f"is not a column of {self.what}")
        yield from tagged_type_problems(self.columns, wanted)

    def without_suppressed(
        self, run: Session, quasi: Sequence[str], label: str
    ) -> tuple[NamedTable, int]:
        """Return the table without rows whose quasi-identifiers all are `label` (suppressed), and their count."""
        view = run.scratch.table("not_suppressed")
        run.see(view, source_sql.without_suppressed(view, self.table, quasi, label))
        before, after = (
            run.engine.fetch_count(source_sql.count_rows(each)) for each in (self.table, view)
        )
        return replace(self, table=view), before - after


def open_table(run: Session, source: object, view_name: str, what: str = "the table") -> NamedTable:
    """Open a table, file or glob by name, or a frame. Raises SourceError if it is missing or unreadable."""
    view = run.scratch.table(view_name)
    if isinstance(source, str | Path | Mapping):
        open_as_view(run, view, stated_source(run.engine, source), "")
    else:
        run.scratch.is_view(view, view=run.engine.register(view, source))
    return NamedTable(what, view, tuple(run.engine.columns(view)))


def suppressed_text(rows: int) -> str:
    """Return the sentence that says how rows with the suppression label were treated."""
    were = "is" if rows == 1 else "are"
    return (
        f"{counted(rows, 'row')} {were} in no class: every quasi-identifier is the label of suppressed rows. "
        f"No bound holds for what the other columns say of them"
    )
