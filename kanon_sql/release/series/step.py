"""A step of a series: the next release of rows that came and went since the last one.

Guarantee: for every class and every pair of a first and a last release, the rows that are shown from the one to the other
are none or satisfy the policy; rows that are still shown count as one such pair. So what any releases of the series have in
common, and what distinguishes them, is a union of sets that satisfy the policy. The ledger is recounted before anything is
published.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import clause
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name, parse_table_name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.column_problems import key_check, pseudonym_secret
from kanon_sql.counting.source.files import open_written
from kanon_sql.counting.source.open_view import lake_at
from kanon_sql.counting.source.released_types import typed_rows
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines.lakes.lake import has_table, open_lake
from kanon_sql.engines.local_files import remove_leftovers
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import (
    Fault,
    InfeasibleError,
    InputError,
    InternalError,
    ReleaseError,
    StatementError,
    VerificationError,
)
from kanon_sql.policy.policy_rules import linking_columns
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.series_rule import Changes
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.linked_rows import count_linked, count_unique
from kanon_sql.recoding.new_rows.boundaries import boundaries_of_plan
from kanon_sql.recoding.query import RowsToRecode
from kanon_sql.recoding.recode import count_assigned, keys_in_session, recoder_of
from kanon_sql.recoding.recount import fetch_recount, joined, recount_statement
from kanon_sql.release.added_rows import SeriesRows
from kanon_sql.release.destination import release_errors
from kanon_sql.release.series.ledger import (
    HashedValues,
    LedgerFolder,
    OpenLedger,
    check_same_plan,
    check_series,
    described,
    last_release,
    lock_ledger,
    open_ledger,
)
from kanon_sql.release.series.moves import SeriesRules
from kanon_sql.release.stage import SERIES, Staged, check_executor, texts_of_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.lakes.lake_tables import LakeTable
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.series_rule import Series
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.recount import Verification
    from kanon_sql.release.series.moves import Moves

ROW, PERSON = "series_row", "series_person"
"""The columns of recoded rows that a release does not have: the value that a row keeps over time, and the people that classes count."""
ONE_TEXT = frozenset({"text", "integer", "boolean", "date"})
"""The families of types whose equal values have one text, whatever the type within the family is."""
OTHER_RELEASE = (
    "is not the release that the ledger remembers: {strange:,} of its different rows are there more or less often. Restore it, "
    "or name another ledger and release for a series of other people"
)


def moment() -> datetime:
    """Return the time of a release."""
    return datetime.now(UTC)


@contextmanager
def series_key_in_session(run: Session, key_env: str) -> Iterator[exp.Expr]:
    """Store the key of a ledger's hashes in the session for the length of the block; yield its name.

    It is derived from the secret of the environment, which pseudonyms may have too.
    """
    secret = hmac.new(pseudonym_secret(key_env) or b"", b"kanon-sql series", "sha256").digest()
    variable = commands_sql.key_variables(f"{key_env} series")[0]
    run.engine.store_key(variable, secret)
    try:
        yield literal(variable)
    finally:
        with suppress(StatementError):  # in a broken transaction; never hide what broke it
            run.engine.forget_key(variable)


@dataclass
class OpenSeries:
    """The series of a policy at its last release, ready for the next one.

    `stage` sets `moves`, and `published` are the counts of the release once the block of `publishing` has ended.
    """

    run: Session
    rule: Series
    out: Destination
    ledger: OpenLedger
    rules: SeriesRules
    moves: Moves | None = None
    source_rows: int = 0
    outside: int = 0
    key_types: str = ""
    published: SeriesRows | None = None

    @property
    def number(self) -> int:
        return self.ledger.next_number

    @property
    def released_at(self) -> str:
        """The time of the next release, never before the one of the last."""
        now = moment().isoformat(timespec="seconds")
        last = self.ledger.last
        return now if last is None else max(now, last.released_at)

    def stage(self, run: Session, planned: Planned, *, boundaries: str = "") -> Staged:
        """Stage the next release: recode the source, decide which rows come and go, and recount the classes."""
        engine, plan = run.engine, planned.plan
        check_executor(run.policy, SERIES, plan.recoding)
        self._check_same_plan(plan.recoding_hash)
        with engine.journal.step("recode"), keys_in_session(run):
            keys = self._keys(planned)
            recoded, columns, quasi, outside = self._recoded(planned, boundaries, keys)
            self._check_key_types(recoded, keys)
        with engine.journal.step("series"), series_key_in_session(run, self.rule.key_env) as key:
            live = self._live(recoded, columns, list(keys), key)
            changed, gone, contents, missing_since = None, None, None, self.number
            if self.ledger.begun:
                changed, gone = self._changed(live)
            self._check_row_keys(live, changed)
            if self.ledger.begun:
                published = self._published(columns, live)
                contents = self.contents(published, columns, key)
                self._check_published(contents)
                now = datetime.fromisoformat(self.released_at)
                missing_since = self.rules.missing_since(self.ledger.releases, self.number, now)
            moves = self.rules.decide(
                self.ledger.rows,
                gone,
                self._fresh(live, changed, columns, quasi, key),
                number=self.number,
                missing_since=missing_since,
            )
            staged = run.scratch.table("staged")
            leaves: dict[str, object] = {"contents": contents, "leaving": moves.leaving}
            leaves |= {"fresh": moves.fresh, "unfit": moves.withheld_classes}
            leaves |= {"staged": staged, "columns": [name(c) for c in columns]}
            engine.execute(Statement("series/rows/next_rows", leaves))
        self.moves, self.source_rows, self.outside = moves, planned.opened.source_rows, outside
        with engine.journal.step("verify"):
            found = self._recount(staged, quasi)
        return Staged(staged, tuple(columns), found)

    def _check_same_plan(self, recoding: str) -> None:
        """Raise StalePlanError for another recoding than that of the series, ReleaseError for one that has ended."""
        last = self.ledger.last
        if last is None:
            return
        if last.ended:
            what = (
                "has ended; a new series takes another ledger and release, and is safe beside this one only if its people are "
                "others"
            )
            raise ReleaseError(self.rule.ledger.name, [Fault("series", what)])
        check_same_plan(last, recoding)

    def _keys(self, planned: Planned) -> dict[str, str]:
        """Name the columns of the source that identify a row over time, by their names beside the recoded ones."""
        if self.rule.row is not None:
            return {ROW: self.rule.row}
        return {f"{ROW}_{n}": each.name for n, each in enumerate(planned.opened.columns)}

    def _recoded(
        self, planned: Planned, boundaries: str, keys: Mapping[str, str]
    ) -> tuple[exp.Table, list[str], list[str], int]:
        """Recode all rows of the source; return them, the columns that are released, and how many lie outside."""
        run, opened = self.run, planned.opened
        given = boundaries_of_plan(run, planned, stem=boundaries)
        labels, released = recoder_of(planned.plan.recoding).labels(
            RowsToRecode.of(run, planned, given)
        )
        for statement in labels:
            run.engine.execute(statement)
        order = [each.name for each in opened.columns]
        beside = dict(keys)
        if run.policy.entity is not None:
            beside[PERSON] = run.policy.entity
        recoded = run.scratch.table("recoded")
        own = (recoded, opened.table, run.policy, released)
        columns = staging_sql.output_columns(run.policy, released, order)
        view = not planned.plan.types  # texts are read once more, to be checked
        rows = staging_sql.recoded_rows(
            *own, order=order, beside=beside, view=view, many=opened.rows
        )
        run.see(recoded, staging_sql.with_masks(rows, run.policy, opened.columns))
        if types := texts_of_types(run, planned, recoded, without=()):
            typed = run.scratch.table("recoded_values")
            run.see(typed, typed_rows(typed, recoded, [*columns, *beside], types))
            recoded = typed
        quasi = [each for one in released for each in one.names]
        outside = opened.source_rows - count_assigned(run, opened.table, released)
        return recoded, columns, quasi, outside

    def _check_row_keys(self, live: exp.Table, changed: exp.Table | None) -> None:
        """Raise InputError for rows without a value of their own, by which later releases recognize them."""
        if self.rule.row is None:
            return
        ledger = None if changed is None else self.ledger.rows
        leaves: dict[str, object] = {"live": live, "changed": changed, "ledger": ledger}
        statement = Statement("series/rows/count_row_keys", leaves)
        without, repeated = self.run.engine.fetch_counts(statement)
        faults = []
        if without:
            faults.append(
                f"{clause(without, 'row', 'have NULL in it')}, and no later release could recognize such rows"
            )
        if repeated:
            faults.append(
                f"{clause(repeated, 'row', 'have a value that another row has too')}; name a column that is unique"
            )
        if faults:
            policy = self.run.policy
            raise InputError(policy.subject, [policy.fault("series.row", each) for each in faults])

    def _check_key_types(self, recoded: exp.Table, keys: Mapping[str, str]) -> None:
        """Raise InputError for other types than at the last release of what identifies rows and people.

        A number of another type has another text and so another hash: each row, and each person, would be counted as a new one.
        """
        of = {
            **keys,
            **({} if self.run.policy.entity is None else {PERSON: self.run.policy.entity}),
        }
        types = {
            each.name: "text"
            if each.enum
            else each.family
            if each.family in ONE_TEXT
            else each.type
            for each in self.run.engine.columns(recoded)
            if each.name in of
        }
        self.key_types = hashlib.sha256(json.dumps(sorted(types.items())).encode()).hexdigest()
        last = self.ledger.last
        if last is not None and last.key_types != self.key_types:
            now = ", ".join(f"{of[name]} {kind}" for name, kind in types.items())
            what = (
                f"the columns that identify rows and people have other types than in the last release, by which all would be taken "
                f"for new ones (now {now}); cast them in a query to the types that they had"
            )
            policy = self.run.policy
            raise InputError(policy.subject, [policy.fault("series.row", what)])

    def _live(
        self, recoded: exp.Table, columns: Sequence[str], keys: list[str], key: exp.Expr
    ) -> exp.Table:
        """Give each row of the source a keyed hash, by which later releases recognize it.

        Without a column that identifies rows, those with the same values are numbered: which is which does not matter.
        """
        run = self.run
        alike = self.rule.row is None
        hashed = [*keys, *columns] if self.rule.changes is Changes.NEW else keys if alike else []
        leaves: dict[str, object] = {
            "recoded": recoded,
            "columns": [name(each) for each in columns],
            "row": None if alike else column(ROW, of="r"),
            "texts": described(hashed, run.engine.columns(recoded)),
            "alike": alike,
            "person": None if run.policy.entity is None else name(PERSON),
            "inner": key,
        }
        live = run.scratch.table("live")
        run.engine.execute(Statement("series/rows/row_hashes", {"live": live, **leaves}))
        return live

    def _changed(self, live: exp.Table) -> tuple[exp.Table, exp.Table]:
        """List the rows in which source and ledger differ; and of these, the shown ones that are gone or there again."""
        scratch, execute = self.run.scratch, self.run.engine.execute
        changed, gone = scratch.table("changed"), scratch.table("gone")
        leaves: dict[str, object] = {"changed": changed, "live": live, "ledger": self.ledger.rows}
        execute(Statement("series/rows/changed_rows", leaves))
        leaves = {"gone": gone, "changed": changed, "number": literal(self.number)}
        execute(Statement("series/rows/gone_rows", leaves))
        return changed, gone

    def _fresh(
        self,
        live: exp.Table,
        changed: exp.Table | None,
        columns: Sequence[str],
        quasi: Sequence[str],
        key: exp.Expr,
    ) -> exp.Table:
        """List the rows that no release has shown, with keyed hashes of what the ledger remembers."""
        run, fresh, unseen = self.run, self.run.scratch.table("fresh"), live
        number = literal(self.number)
        if changed is not None:
            unseen = run.scratch.table("unseen")
            leaves: dict[str, object] = {"unseen": unseen, "live": live, "changed": changed}
            leaves |= {"ledger": self.ledger.rows, "number": number}
            run.engine.execute(Statement("series/rows/unseen_rows", leaves))
        values = HashedValues.of(run, unseen, key)
        hashes = [
            values.hashes("class_hash", "class", quasi),
            values.hashes("content_hash", "content", columns),
        ]
        if run.policy.entity is not None:
            hashes.append(values.hashes("person_hash", "person", [PERSON], alone=True))
        for number_of, each in enumerate(self.ledger.sensitive, 1):
            hashes.append(values.hashes(f"sensitive_{number_of}", "value", [each], alone=True))
        leaves = {"fresh": fresh, "unseen": unseen, "names": [name(each) for each in columns]}
        leaves |= {"hashes": hashes, "first": number if changed is None else None, "inner": key}
        run.engine.execute(Statement("series/rows/fresh_rows", leaves))
        return fresh

    def _published(self, columns: Sequence[str], live: exp.Table) -> exp.Table:
        """Open the last release. Raises ReleaseError where it is gone or has other columns or types."""
        published = open_published(self.run, self.out)
        if published is None:
            what = (
                "is missing, and the ledger remembers it; restore it, or name another ledger and release for a series of other "
                "people"
            )
            raise ReleaseError(self.out.name, [Fault("release", what)])
        there = {each.name: each.type for each in self.run.engine.columns(published)}
        now = {each.name: each.type for each in self.run.engine.columns(live)}
        others = [each for each in columns if there.get(each) != now[each]]
        if others and self.out.lake is not None and there.keys() >= {*columns}:
            return self._of_types(published, columns, live)
        if others:
            what = "has another type than in the last release; cast it in a query"
            raise ReleaseError(self.out.name, [Fault(f"columns.{each}", what) for each in others])
        return published

    def _of_types(self, rows: exp.Table, columns: Sequence[str], live: exp.Table) -> exp.Table:
        """Copy the rows of a lake's table to columns of the release's own types, not all of which a lake has."""
        copy = self.run.scratch.table("published")
        self.run.engine.execute(commands_sql.empty_copy(copy, live))
        self.run.engine.execute(in_place_sql.insert_rows(copy, columns, rows))
        return copy

    def contents(self, published: exp.Table, columns: Sequence[str], key: exp.Expr) -> exp.Table:
        """List the different rows of the last release, how often each is there, and its keyed hash."""
        return HashedValues.of(self.run, published, key).different(
            "content_hash", "content", columns
        )

    def count_strange(self, contents: exp.Table) -> int:
        """Count the different rows of the last release that are there more or less often than in the ledger."""
        leaves = {"contents": contents, "ledger": self.ledger.rows}
        return self.run.engine.fetch_count(Statement("series/rows/count_strange", leaves))

    def _check_published(self, contents: exp.Table) -> None:
        if strange := self.count_strange(contents):
            what = OTHER_RELEASE.format(strange=strange)
            raise ReleaseError(self.out.name, [Fault("release", what)])

    def _recount(self, staged: exp.Table, quasi: Sequence[str]) -> Verification:
        """Recount the classes of the staged release. Raises InfeasibleError where it has no row."""
        run = self.run
        (demand,) = demands(run.policy.privacy)
        rows = run.engine.fetch_count(source_sql.count_rows(staged))
        if not rows:
            raise InfeasibleError(
                "the release would have no row: no class has enough rows that appear together, and none is shown"
            )
        released = {each.name for each in run.engine.columns(staged)}
        entity = run.policy.entity if run.policy.entity in released else None
        found = fetch_recount(
            run.engine,
            recount_statement(staged, quasi, demand.recounted, entity=entity, source=staged),
            demand.recounted,
        )
        if not found.passed:
            raise VerificationError(
                f"the staged release failed its recount: {found.short_classes:,} of {found.classes:,} classes fall short; "
                f"nothing was published"
            )
        found = joined(run, {(): found})
        linked = count_linked(run, staged, list(quasi), linking_columns(run.policy))
        unique = count_unique(run, staged, rows=found.rows)
        return replace(found, linked=linked, unique_rows=unique)

    @contextmanager
    def publishing(self, planned: Planned, staged: Staged) -> Iterator[None]:
        """Publish the staged release within the block, together with its ledger, which is recounted before."""
        counts: list[SeriesRows] = []

        def write() -> OpenLedger:
            if self.moves is None:
                raise InternalError("a release is published that was not staged")
            entry = self._entry(planned.plan.recoding_hash)
            ledger = self.ledger.with_release(self.rules, self.moves, entry)
            counts.append(self._checked_counts(ledger, staged.verification.rows))
            return ledger

        with release_errors(self.out), self.ledger.written(write):
            yield
        (self.published,) = counts

    def _entry(self, recoding: str) -> dict[str, object]:
        """Return the leaves of the release's entry in the list of the ledger."""
        return {
            "number": literal(self.number),
            "released_at": literal(self.released_at),
            "recoding": literal(recoding),
            "key_check": literal(key_check(self.rule.key_env)),
            "key_types": literal(self.key_types),
            "least_people": literal(self.rules.needed[0].bound),
            "source_rows": literal(self.source_rows),
            "outside": literal(self.outside),
        }

    def _checked_counts(self, ledger: OpenLedger, rows: int) -> SeriesRows:
        """Recount the ledger. Raises VerificationError where a cell falls short, or its rows are not those of the release."""
        engine = self.run.engine
        cells, short, *_ = engine.fetch_counts(self.rules.count_cells(ledger.rows))
        if short:
            raise VerificationError(
                f"the ledger failed its recount: {short:,} of {cells:,} cells (rows with one class, first and last release) "
                f"fall short of the policy; nothing was published"
            )
        last = last_release(self.run, ledger.releases)
        if last is None or last.shown != rows:
            shown = 0 if last is None else last.shown
            raise VerificationError(
                f"{rows:,} rows are staged, and the ledger has {shown:,} that are shown; nothing was published"
            )
        return SeriesRows(
            last.number,
            last.source_rows,
            last.outside,
            last.shown,
            last.born,
            last.withheld,
            last.waiting,
            last.left,
            last.withdrawn,
            cells,
        )

    def agrees(self) -> bool:
        """Whether the published release has the rows that the ledger remembers."""
        published = open_published(self.run, self.out)
        if published is None:
            return False
        columns = [each.name for each in self.run.engine.columns(published)]
        with series_key_in_session(self.run, self.rule.key_env) as key:
            contents = self.contents(published, columns, key)
        return not self.count_strange(contents)


def open_published(run: Session, out: Destination) -> exp.Table | None:
    """Open the published release of a series; None if it is not there."""
    if out.format.kind.in_database:
        named = parse_table_name(out.name)
        return named if run.engine.locate(named) else None
    if out.lake is not None:
        return _open_lake(run, out.lake)
    path = run.path(out.name)
    if not Path(path).exists():
        return None
    view = run.scratch.table("published")
    run.see(view, open_written(run.engine, out, view, path))
    return view


def _open_lake(run: Session, named: LakeTable) -> exp.Table | None:
    """Open the newest version of a lake's table; None if there is no such table."""
    there = lake_at(run.engine, named, run.policy.base)
    if not has_table(run.engine, there):
        return None
    view = run.scratch.table("published")
    run.scratch.is_view(view, view=open_lake(run.engine, there).open_rows(view))
    return view


@contextmanager
def open_series(
    run: Session, out: Destination | None, others: Mapping[str, bool]
) -> Iterator[OpenSeries | None]:
    """Open the series of the run's policy, if it has one, and lock its ledger where that is a folder.

    Raises InputError and ReleaseError, with all faults, where the policy, the database, the destination or other options do
    not go with a series; `others` has the names of options, with whether they are used.
    """
    rule = run.policy.series
    if rule is None:
        yield None
        return
    out = check_series(run, rule, out, others)
    if out.format.kind.is_path and out.lake is None:
        remove_leftovers(
            Path(run.path(out.name)).parent
        )  # a killed run may have moved a folder aside
    rules = SeriesRules.of(run, rule)
    locked = nullcontext() if rule.ledger.path is None else lock_ledger(run, rule.ledger)
    with locked:
        ledger = open_ledger(run, rule.ledger, rules.sensitive)
        series = checked_key(OpenSeries(run, rule, out, ledger, rules))
        yield series if rule.ledger.path is None else _of_the_release(series)


def checked_key(series: OpenSeries) -> OpenSeries:
    """Return the series. Raises InputError where its ledger was written under another key."""
    last, key_env = series.ledger.last, series.rule.key_env
    if last is not None and last.key_check != key_check(key_env):
        what = (
            f"the environment variable {key_env} has another key than the ledger was written under, which would take every "
            f"row for a new one; set the key of the series"
        )
        policy = series.run.policy
        raise InputError(policy.subject, [policy.fault("series.key_env", what)])
    return series


def _of_the_release(series: OpenSeries) -> OpenSeries:
    """Return the series with the ledger that its release agrees with: a killed run may have left two."""
    ledger = series.ledger
    if not isinstance(ledger, LedgerFolder):
        raise InternalError("a ledger in a table is written with its release")
    numbers = ledger.numbers()
    for number in reversed(numbers[1:]):
        newest = replace(series, ledger=ledger.at(number))
        if newest.agrees():
            ledger.keep_only(number)
            return newest
    if len(numbers) < 2:
        return series
    ledger.keep_only(numbers[0])
    return replace(series, ledger=ledger.at(numbers[0]))
