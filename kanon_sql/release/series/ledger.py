"""The ledger of a series: keyed hashes of the rows that each release has shown, and the policies that cannot have one.

A ledger that is a table of the release's database is written in one transaction with the release. One that is a folder
has a folder for each release: that of the next one is complete before the release is renamed into place, and the former
is removed afterwards. Where a run was killed between these, the folder whose rows the release has is the ledger.
"""

from __future__ import annotations

import re
import shutil
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name, parse_table_name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.base.sql.words import dialect_of_words
from kanon_sql.counting.source.column_problems import pseudonym_secret
from kanon_sql.counting.source.files import open_written
from kanon_sql.engines import commands_sql
from kanon_sql.engines.base import EQUAL_AS_TEXTS, whole
from kanon_sql.engines.local_files import lock_folder, write_through
from kanon_sql.engines.locations import destination_from_text
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError, ReleaseError, StalePlanError, StatementError
from kanon_sql.policy.privacy.privacy_model import Distribution, Monotony
from kanon_sql.release.added_rows import share_shown
from kanon_sql.release.stage import SERIES, executor_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.series_rule import Ledger, Series
    from kanon_sql.release.series.moves import Moves, SeriesRules


HASHES = ("row_hash", "person_hash", "class_hash", "content_hash")
OWN_COLUMNS = (*HASHES, "seen_release", "birth_release", "gone_release", "death_release")
"""The columns of a ledger, beside those of sensitive columns, which have the names of the policy."""
MEANWHILE = (
    "another run has made a release of this series meanwhile; nothing was published. Run it again"
)
CONFLICTS = frozenset(
    {
        "ConstraintException",
        "TransactionException",
        "UniqueViolation",
        "SerializationFailure",
        "DeadlockDetected",
    }
)
"""The errors of DuckDB and PostgreSQL by which the transaction of one of two runs fails: both write the same release."""
OTHER_HASHES = (
    "has hashes of another form, by an earlier version or another database; go on with that one, or name another ledger and "
    "release for a series of other people"
)
BUSY = "another run makes a release of this series; wait until it has ended"
ROWS, RELEASES, ENDED = "rows.parquet", "releases.parquet", "ended"
"""The files of a ledger: two for its last release, and one that marks the series as ended."""
MANY_ROWS = 50_000
"""The rows from which on it is worthwhile to look for shared values."""
SIXTEENTH, MOST_DIFFERENT = f"1{31 * '0'}", 0.9
"""The least hash that a sixteenth of the rows is below, and the share of different ones among them up to which each is hashed
once; with so many, the values of all rows are about a third as many as the rows."""


@dataclass(frozen=True, slots=True)
class LastRelease:
    """The last release of a series, with the counts that its ledger had then."""

    number: int
    released_at: str
    recoding: str
    key_check: str
    key_types: str
    least_people: int
    source_rows: int
    outside: int
    shown: int
    born: int
    withheld: int
    waiting: int
    left: int
    withdrawn: int
    ended: bool

    @property
    def shown_share(self) -> float:
        """The share of the source's rows within the recoding that the release shows."""
        return share_shown(self.shown, self.waiting, self.withheld)


@dataclass(frozen=True, slots=True)
class OpenLedger(ABC):
    """A ledger as a run reads it: the table of rows, that of releases, and the last release if there is one.

    `sensitive` are the columns whose hashed values it holds, because a privacy model counts them.
    """

    run: Session
    place: Ledger
    rows: exp.Table
    releases: exp.Table
    sensitive: tuple[str, ...]
    last: LastRelease | None = None

    @property
    def begun(self) -> bool:
        """Whether the series has a release."""
        return self.last is not None

    @property
    def next_number(self) -> int:
        """The number of the next release."""
        return 1 if self.last is None else self.last.number + 1

    @abstractmethod
    def end(self) -> None:
        """Note that the series has ended, so that it takes no further release."""

    @abstractmethod
    def with_release(
        self, rules: SeriesRules, moves: Moves, release: Mapping[str, object]
    ) -> OpenLedger:
        """Return the ledger after the next release, of which `release` are the leaves of its entry in the list."""

    @abstractmethod
    def written(self, write: Callable[[], OpenLedger]) -> AbstractContextManager[None]:
        """Return a context in which the release is published: the ledger that `write` returns goes with it."""


def described(names: Sequence[str], columns: Sequence[ColumnType]) -> list[dict[str, object]]:
    """Describe columns of the alias `r` whose values become one text."""
    nested = {each.name for each in columns if each.nested}
    return [{"column": column(each, of="r"), "nested": each in nested} for each in names]


@dataclass
class HashedValues:
    """Rows of a table whose values are hashed under a key: each different value once, where many rows share it."""

    run: Session
    rows: exp.Table
    key: exp.Expr
    columns: Mapping[str, ColumnType]
    collated: set[str]
    many: bool

    @classmethod
    def of(cls, run: Session, rows: exp.Table, key: exp.Expr) -> HashedValues:
        engine, found = run.engine, run.engine.columns(rows)
        many = engine.fetch_count(source_sql.count_rows(rows)) >= MANY_ROWS
        columns = {each.name: each for each in found}
        return cls(run, rows, key, columns, engine.collated(rows, found), many)

    def _by_text(self, names: Sequence[str]) -> bool:
        """Whether equal values of some columns may have different texts."""
        alike = all(self.columns[each].family in {"text", *EQUAL_AS_TEXTS} for each in names)
        return not alike or not self.collated.isdisjoint(names)

    def _hashed(self, purpose: str, names: Sequence[str], *, alone: bool) -> dict[str, object]:
        texts = described(names, [*self.columns.values()])
        one = column(names[0], of="r") if alone else None
        return {"purpose": literal(purpose), "alone": one, "texts": texts}

    def different(
        self, hash_: str, purpose: str, names: Sequence[str], *, alone: bool = False
    ) -> exp.Table:
        """List the distinct rows over some columns, with the number of equal rows and the keyed hash of each."""
        made = self.run.scratch.table("values")
        leaves: dict[str, object] = {"hashed": made, "rows": self.rows, "hash": name(hash_)}
        leaves |= {"names": [name(each) for each in names], "by_text": self._by_text(names)}
        leaves |= {"inner": self.key, **self._hashed(purpose, names, alone=alone)}
        self.run.engine.execute(Statement("series/rows/hashed_values", leaves))
        return made

    def hashes(
        self, hash_: str, purpose: str, names: Sequence[str], *, alone: bool = False
    ) -> dict[str, object]:
        """Describe the hash of each row: looked up in the table of distinct values, or computed from the row."""
        known = None
        if self._are_shared(names):
            known = self.different(hash_, purpose, names, alone=alone)
        alias = f"of_{hash_}"
        pairs = [{"own": column(e, of="t"), "value": column(e, of=alias)} for e in names]
        leaves = self._hashed(purpose, names, alone=alone)
        return {"as": name(hash_), "known": known, "alias": name(alias), "pairs": pairs, **leaves}

    def _are_shared(self, names: Sequence[str]) -> bool:
        """Whether many rows have the same values in some columns, as far as some of the rows show it."""
        if not self.many or self._by_text(names):
            return False
        leaves: dict[str, object] = {"rows": self.rows, "names": [name(each) for each in names]}
        statement = Statement("series/rows/count_alike", {**leaves, "until": literal(SIXTEENTH)})
        drawn, different = self.run.engine.fetch_counts(statement)
        return different <= MOST_DIFFERENT * drawn


def check_hashes(run: Session, place: Ledger, rows: exp.Table) -> None:
    """Raise ReleaseError where a ledger has hashes of another type than this database's."""
    types = {each.name: each.type.upper() for each in run.engine.columns(rows)}
    if types.get("row_hash") != dialect_of_words(run.engine.dialect).half_hash_type:
        raise ReleaseError(place.name, [Fault("series.ledger", OTHER_HASHES)])


def last_release(run: Session, releases: exp.Table) -> LastRelease | None:
    """Read the last release of a series; None if it has none."""
    found = run.engine.fetch(Statement("series/ledger/last_release", {"releases": releases}))
    if not found:
        return None
    (
        first,
        *texts,
        people,
        rows,
        outside,
        shown,
        born,
        withheld,
        waiting,
        left,
        withdrawn,
        ended,
    ) = found[0]
    released_at, recoding, key_check, key_types = map(str, texts)
    return LastRelease(
        number=whole(first),
        released_at=released_at,
        recoding=recoding,
        key_check=key_check,
        key_types=key_types,
        least_people=whole(people),
        source_rows=whole(rows),
        outside=whole(outside),
        shown=whole(shown),
        born=whole(born),
        withheld=whole(withheld),
        waiting=whole(waiting),
        left=whole(left),
        withdrawn=whole(withdrawn),
        ended=bool(whole(ended)),
    )


def next_releases(
    run: Session, releases: exp.Table | None, ledger: exp.Table, release: Mapping[str, object]
) -> exp.Table:
    """Make a scratch table that is the list of releases, if there is one, with the next one and the counts of its ledger."""
    made = run.scratch.table("next_releases")
    leaves = {"next": made, "releases": releases, "ledger": ledger, **release}
    run.engine.execute(Statement("series/ledger/next_releases", leaves))
    return made


def check_same_plan(last: LastRelease, recoding: str) -> None:
    """Raise StalePlanError for a plan with another recoding than that of the last release."""
    if last.recoding != recoding:
        what = (
            "is not the plan of the series, whose classes are other ones: go on with that plan, or end the series by "
            "kanon-sql series end, and begin one of other people with another ledger"
        )
        raise StalePlanError("plan", [Fault("series", what)])


def releases_of(text: str) -> exp.Table:
    """Name the table of a series' releases, beside the one of its rows.

    >>> releases_of('clinic."my ledger"').sql(identify=True)
    '"clinic"."my ledger_releases"'
    """
    rows = parse_table_name(text)
    return table(f"{rows.name}_releases", schema=rows.db or None, catalog=rows.catalog or None)


class LedgerTable(OpenLedger):
    """A ledger that is two tables of the release's database."""

    @classmethod
    def open(cls, run: Session, place: Ledger, sensitive: Sequence[str]) -> LedgerTable:
        """Open the ledger, which may not be there yet. Raises ReleaseError where only one of its tables is there."""
        text = str(place.table)
        found = cls(run, place, parse_table_name(text), releases_of(text), tuple(sensitive))
        there = [bool(run.engine.locate(each)) for each in (found.rows, found.releases)]
        if not any(there):
            return found
        if not all(there):
            what = "one of its two tables is missing; restore it, or name another ledger for a series of other people"
            raise ReleaseError(text, [Fault("series.ledger", what)])
        check_hashes(run, place, found.rows)
        return replace(found, last=last_release(run, found.releases))

    def end(self) -> None:
        leaves: dict[str, object] = {"releases": self.releases}
        leaves["number"] = literal(self.next_number - 1)
        self.run.engine.execute(Statement("series/ledger/end_series", leaves))

    def _create(self) -> None:
        hashes = [name(each) for each in (*HASHES, *self.sensitive)]
        leaves = {"ledger": self.rows, "hashes": hashes}
        self.run.engine.execute(Statement("series/ledger/create_ledger", leaves))
        leaves = {"releases": self.releases}
        self.run.engine.execute(Statement("series/ledger/create_releases", leaves))

    def with_release(
        self, rules: SeriesRules, moves: Moves, release: Mapping[str, object]
    ) -> LedgerTable:
        """Change the two tables in the database."""
        rules.write(moves, self.rows, number=self.next_number)
        leaves = {"releases": self.releases, "ledger": self.rows, **release}
        self.run.engine.execute(Statement("series/ledger/add_release", leaves))
        return self

    @contextmanager
    def written(self, write: Callable[[], OpenLedger]) -> Iterator[None]:
        """Write the ledger and the release in one transaction. Raises ReleaseError where another run was faster."""
        faster = ReleaseError(self.place.name, [Fault("series.ledger", MEANWHILE)])
        try:
            with self.run.engine.transaction():
                if self.last is None:
                    self._create()
                elif last_release(self.run, self.releases) != self.last:
                    raise faster
                write()
                yield
        except StatementError as error:
            if error.kind in CONFLICTS:
                raise faster from error
            raise


class LedgerFolder(OpenLedger):
    """A ledger that is a folder of this machine, with a folder for its last release."""

    @property
    def path(self) -> Path:
        return Path(self.run.path(str(self.place.path)))

    @classmethod
    def open(cls, run: Session, place: Ledger, sensitive: Sequence[str]) -> LedgerFolder:
        """Create scratch tables of the newest ledger in the folder, which may be empty."""
        rows, releases = run.scratch.table("ledger"), run.scratch.table("releases")
        empty = cls(run, place, rows, releases, tuple(sensitive))
        return empty.at(max([0, *empty.numbers()]))

    def numbers(self) -> list[int]:
        """List the releases of which the folder has a ledger: one, or two where a run was killed."""
        if not self.path.is_dir():
            return []
        return sorted(int(each.name) for each in self.path.iterdir() if each.name.isdecimal())

    def at(self, number: int) -> LedgerFolder:
        """Read the ledger of one release into scratch tables; 0 means the empty ledger before the first release."""
        run = self.run
        if not number:
            rows, releases = run.scratch.table("ledger"), run.scratch.table("releases")
            return replace(self, rows=rows, releases=releases, last=None)
        made = []
        for what, file in (("ledger", ROWS), ("releases", RELEASES)):
            view, kept = run.scratch.table("read"), run.scratch.table(what)
            path = str(self.path / str(number) / file)
            run.see(view, open_written(run.engine, destination_from_text(path), view, path))
            run.engine.execute(commands_sql.materialize(kept, view))
            made.append(kept)
        rows, releases = made
        check_hashes(run, self.place, rows)
        last = last_release(run, releases)
        if last is not None and (self.path / ENDED).exists():
            last = replace(last, ended=True)
        return replace(self, rows=rows, releases=releases, last=last)

    def keep_only(self, number: int) -> None:
        """Remove the ledgers of other releases than this one."""
        for each in self.path.iterdir():
            if each.name != str(number):
                shutil.rmtree(each, ignore_errors=True)

    def with_release(
        self, rules: SeriesRules, moves: Moves, release: Mapping[str, object]
    ) -> LedgerFolder:
        """Make scratch tables: files are written whole, and not every database changes rows of its scratch tables."""
        rows = rules.next_ledger(self.run, moves, self.rows, number=self.next_number)
        before = self.releases if self.begun else None
        return replace(self, rows=rows, releases=next_releases(self.run, before, rows, release))

    @contextmanager
    def written(self, write: Callable[[], OpenLedger]) -> Iterator[None]:
        """Write the next ledger whole, publish the release by renaming, and remove the former ledger."""
        self._keep_as(self.next_number, write())
        yield  # where it fails, the next run finds which of both ledgers the release agrees with
        self.keep_only(self.next_number)

    def end(self) -> None:
        try:
            (self.path / ENDED).touch()
        except OSError as error:
            what = f"cannot be written ({type(error).__name__})"
            raise ReleaseError(self.place.name, [Fault("series.ledger", what)]) from error

    def _keep_as(self, number: int, ledger: OpenLedger) -> None:
        """Write the tables of a ledger to the folder of one release."""
        made = self.path / f"{number}.unfinished"
        try:
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            if self.last is None:
                (self.path / "0").mkdir(exist_ok=True)  # there was no release before
            for each, file in ((ledger.rows, ROWS), (ledger.releases, RELEASES)):
                path = str(made / file)
                columns = [one.name for one in self.run.engine.columns(each)]
                self.run.engine.write(each, columns, destination_from_text(path), path)
                for part in _files_of(made / file):
                    write_through(part)
            made.rename(self.path / str(number))
        except OSError as error:
            what = f"cannot be written ({type(error).__name__}); nothing was published"
            raise ReleaseError(self.place.name, [Fault("series.ledger", what)]) from error


def _files_of(path: Path) -> list[Path]:
    """List the files of a table: one, or several in a folder."""
    return [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]


@contextmanager
def lock_ledger(run: Session, place: Ledger) -> Iterator[None]:
    """Lock a ledger's folder, after creating it. Raises ReleaseError where another run has it locked."""
    path = Path(run.path(str(place.path)))
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        what = f"cannot be made there ({type(error).__name__}); name a folder of this machine"
        raise ReleaseError(place.name, [Fault("series.ledger", what)]) from error
    with lock_folder(path) as locked:
        if not locked:
            raise ReleaseError(place.name, [Fault("series.ledger", BUSY)])
        yield


def open_ledger(run: Session, place: Ledger, sensitive: Sequence[str]) -> OpenLedger:
    """Open the ledger of a policy's series, wherever it is."""
    kind = LedgerTable if place.table is not None else LedgerFolder
    return kind.open(run, place, sensitive)


OWN = re.compile(
    "|".join(
        [
            *OWN_COLUMNS,
            r"series_(row(_\d+)?|person|copies|stay|nth)",
            r"hashed_text(_\d+)?",
            "row_text",
            "values_text",
            r"sensitive_\d+",
        ]
    )
)
OF_CLASS = frozenset({Distribution.NONE, Distribution.OF_CLASS, Distribution.RANKED})
"""What a model may read of the values of a cell: the cell alone."""


def check_series(
    run: Session, rule: Series, out: Destination | None, others: Mapping[str, bool]
) -> Destination:
    """Return the destination of a series. Raises InputError or ReleaseError, with all faults, where it cannot go on there."""
    faults = [
        Fault(
            option,
            "does not go with a series: each of its releases takes the rows that there are, and replaces the last",
        )
        for option, used in others.items()
        if used
    ]
    faults += policy_faults(run.policy, rule)
    if faults:
        raise InputError(run.policy.subject, faults)
    if out is None:
        raise ReleaseError("release", [Fault("", "is missing; a series needs a table or a file")])
    if found := list(_place_faults(run, rule, out)):
        raise ReleaseError(out.name, found)
    return out


def policy_faults(policy: Policy, rule: Series) -> Iterator[Fault]:
    """Yield a fault for each part of a policy that a series cannot keep."""
    yield from executor_problems(policy, SERIES)
    for model in policy.privacy:
        measures = [each.measure for each in model.requirements]
        if model.monotony is Monotony.NEVER or any(
            each.distribution not in OF_CLASS or each.population is not None or each.of_release
            for each in measures
        ):
            what = (
                f"a series cannot keep {model}: two sets of rows that satisfy it may not do so together, or are compared with "
                f"other rows, which change; use k, distinct_l or entropy_l"
            )
            yield policy.fault("privacy", what)
    for own in policy.columns:
        if not own.is_dropped and any(OWN.fullmatch(each.casefold()) for each in own.released_as):
            yield policy.fault(
                f"columns.{own.name}",
                "has the name of a column of the ledger; rename it in a query",
            )
    if pseudonym_secret(rule.key_env) is None:
        what = f"the environment variable {rule.key_env} must hold a key of 16 bytes or more"
        yield policy.fault("series.key_env", what)


def _place_faults(run: Session, rule: Series, out: Destination) -> Iterator[Fault]:
    """Yield a fault for each reason why release and ledger cannot be written together."""
    facts, is_table = run.engine.capabilities, out.format.kind.in_database
    if not facts.transactions and (is_table or out.lake is not None):
        what = f"{facts.name} writes no two tables in one transaction, so that release and ledger could disagree"
        yield Fault(
            "series", f"{what}; name a folder of Parquet, or run the series in DuckDB or PostgreSQL"
        )
    elif out.view or out.in_place is not None:
        what = "a view" if out.view else "in place"
        yield Fault(
            "release",
            f"is {what}, and a series replaces a release of its own; name a table or a Parquet file",
        )
    elif out.in_several_files or not out.format.kind.takes_series:
        what = "is neither a table, one of a lake, nor Parquet in one place, whose next release appears at once with its ledger"
        yield Fault("release", f"{what}; name one of these")
    elif not is_table and not facts.writes_files:
        what = f"is no table of {facts.name}, and a ledger is one folder of the machine that writes the release; name a table"
        yield Fault("release", what)
    elif out.lake is None and not is_table and run.engine.store(run.path(out.name)) is not None:
        what = "is in an object store, which renames no file; name a file of this machine, and copy it there"
        yield Fault("release", what)
    elif is_table and rule.ledger.table is None:
        yield Fault(
            "series.ledger",
            "must be {table: ...} beside a release that is a table, to be written together",
        )
    elif not is_table and rule.ledger.path is None:
        yield Fault(
            "series.ledger",
            "must be {path: FOLDER} beside a release that is a file or a table of a lake, to be written together",
        )
    elif is_table:
        yield from _table_faults(str(rule.ledger.table), out)


def _table_faults(ledger: str, out: Destination) -> Iterator[Fault]:
    rows, release = parse_table_name(ledger), parse_table_name(out.name)
    if rows.catalog.casefold() != release.catalog.casefold():
        yield Fault(
            "series.ledger",
            "must be in the database of the release, to be written in one transaction",
        )
    if rows.name.casefold() in {release.name.casefold(), f"{release.name}_releases".casefold()}:
        yield Fault("series.ledger", "must have another name than the release")
