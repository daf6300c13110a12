"""The decisions of a series: which rows leave its next release, and which appear in it.

All are made from keyed hashes alone, so that a simulation of releases to come makes them as a release does.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.policy.privacy.demands import demands, sensitive_attributes
from kanon_sql.recoding.recount import recount_statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.policy.series_rule import Series

GONE = "the release has {rows} that the source has no more, and series.deletions is refuse; set it to at_once or {{within: 30 days}}"
GONE_OR_CHANGED = (
    "the release has {rows} that the source has no more or with other values, and a series without row takes new "
    "rows alone; restore them, or begin a series of other people whose policy names a row"
)
CELL = ["class_hash", "birth_release"]


def counted_by(policy: Policy) -> tuple[str, ...]:
    """Name the sensitive columns that the policy's models count."""
    needed = demands(policy.privacy)[0].requirements
    return tuple(dict.fromkeys(each.column for each in sensitive_attributes(needed)))


def unfit(
    table: exp.Table,
    needed: Sequence[Requirement],
    made: exp.Table,
    names: Sequence[str],
    group: Sequence[str],
    *,
    entity: str | None,
) -> Statement:
    """List the groups of a table's rows that do not satisfy requirements."""
    counts = recount_statement(table, group, needed, entity=entity)
    leaves = {"names": [name(each) for each in names], "quasi": [column(each) for each in group]}
    return Statement("series/moves/unfit_cells", {**counts.leaves, "unfit": made, **leaves})


@dataclass(frozen=True, slots=True)
class Moves:
    """What a step decides, as tables: the shown rows that are `gone` or there again, and those that leave.

    Of the `fresh` rows, never shown before, the ones of `withheld_classes` are withheld, and the others appear.
    """

    gone: exp.Table | None
    leaving: exp.Table | None
    fresh: exp.Table
    withheld_classes: exp.Table


@dataclass(frozen=True, slots=True)
class SeriesRules:
    """What a series asks of its cells, and how it treats deletions: `within` so many seconds, or not at all if it refuses.

    `needed` are the requirements of the policy on a class, `births` those on rows of a class that appear together. A cell
    counts the values of the column `entity` of the ledger, or rows. `sensitive` are its columns of hashed values.
    """

    run: Session
    needed: tuple[Requirement, ...]
    births: tuple[Requirement, ...]
    entity: str | None
    within: int
    refuses: bool
    sensitive: tuple[str, ...]

    @classmethod
    def of(cls, run: Session, rule: Series) -> SeriesRules:
        """Return the rules of a policy's series."""
        policy = run.policy
        needed = demands(policy.privacy)[0].requirements
        k = needed[0].bound
        births = replace(needed[0], bound=max(k, rule.births.people(k)))
        entity = None if policy.entity is None else "person_hash"
        deletions = rule.deletions
        return cls(
            run,
            needed,
            (births, *needed[1:]),
            entity,
            deletions.within,
            deletions.refuse,
            counted_by(policy),
        )

    @property
    def names(self) -> list[exp.Identifier]:
        """The columns of hashed sensitive values."""
        return [name(each) for each in self.sensitive]

    def decide(
        self,
        ledger: exp.Table,
        gone: exp.Table | None,
        fresh: exp.Table,
        *,
        number: int,
        missing_since: int,
    ) -> Moves:
        """Decide what the release `number` does to the shown rows of a ledger, of which some are `gone`, and to `fresh` rows.

        Deletions may wait no longer in rows that are missing since the release `missing_since` or longer.
        """
        run = self.run
        leaving = None
        if gone is not None:
            leaving = self._leaving(ledger, gone, number=number, missing_since=missing_since)
        held, of_class = run.scratch.table("withheld_classes"), ["class_hash"]
        run.engine.execute(unfit(fresh, self.births, held, of_class, of_class, entity=self.entity))
        return Moves(gone, leaving, fresh, held)

    def _leaving(
        self, ledger: exp.Table, gone: exp.Table, *, number: int, missing_since: int
    ) -> exp.Table:
        """Decide which shown rows leave: deleted ones whose cells can be parted, and those that may wait no longer."""
        run = self.run
        leaving, alive = run.scratch.table("leaving"), run.scratch.table("alive")
        if self.refuses:
            self._refuse(gone)
        leaves: dict[str, object] = {"alive": alive, "ledger": ledger, "gone": gone}
        leaves |= {"person": self.entity is not None, "sensitive": self.names}
        run.see(alive, Statement("series/moves/alive_rows", leaves))
        before = self._unfit(alive)
        parts = [{"parted": gone, "unfit": before}]
        parts += self._companions(alive, before, number=number, missing_since=missing_since)
        leaves = {"leaving": leaving, "ledger": ledger, "parts": parts}
        run.engine.execute(Statement("series/moves/leaving_rows", leaves))
        return leaving

    def missing_since(self, releases: exp.Table, number: int, now: datetime) -> int:
        """Return the release since which rows that are missing in the source may wait no longer, at the release `number`."""
        if not self.within:
            return number
        moment = literal((now - timedelta(seconds=self.within)).isoformat(timespec="seconds"))
        leaves = {"releases": releases, "moment": moment}
        return self.run.engine.fetch_count(Statement("series/ledger/released_before", leaves))

    def _refuse(self, gone: exp.Table) -> None:
        """Raise ReleaseError where a shown row is missing in the source."""
        statement = Statement("series/moves/count_gone", {"gone": gone})
        if rows := self.run.engine.fetch_count(statement):
            rule = self.run.policy.series
            what = GONE_OR_CHANGED if rule is not None and rule.row is None else GONE
            raise ReleaseError(
                "series", [Fault("series.deletions", what.format(rows=counted(rows, "row")))]
            )

    def _unfit(self, parted: exp.Table) -> exp.Table:
        """List the cells of which one part would not satisfy the policy."""
        made = self.run.scratch.table("unfit")
        parts = [*CELL, "leaving"]
        self.run.engine.execute(unfit(parted, self.needed, made, CELL, parts, entity=self.entity))
        return made

    def _companions(
        self, alive: exp.Table, before: exp.Table, *, number: int, missing_since: int
    ) -> Iterator[dict[str, exp.Table]]:
        """Let deletions that may wait no longer leave, each with as few companions of its cell as satisfy the policy.

        The number of companions doubles until both parts of the cell fit, or the whole cell leaves.
        """
        run, due = self.run, self.run.scratch.table("due")
        person = [] if self.entity is None else [self.entity]
        columns = ["row_hash", *CELL, *person, *self.sensitive]
        leaves: dict[str, object] = {
            "due": due,
            "alive": alive,
            "unfit": before,
            "columns": [name(each) for each in columns],
            "missing_since": literal(missing_since),
            "number": literal(number),
        }
        run.engine.execute(Statement("series/moves/due_rows", leaves))
        largest = run.engine.fetch_count(Statement("series/moves/largest_cell", {"due": due}))
        more = 0
        while largest:
            tried = run.scratch.table("tried")
            leaves = {"tried": tried, "due": due, "unfit": before, "more": literal(more)}
            leaves["least"] = literal(self.needed[0].bound)
            run.engine.execute(Statement("series/moves/tried_rows", leaves))
            after = self._unfit(tried)
            yield {"parted": tried, "unfit": after}
            if more >= largest or not run.engine.fetch_count(source_sql.count_rows(after)):
                return
            more, before = max(1, 2 * more), after

    def _fresh_leaves(self, moves: Moves, number: int) -> dict[str, object]:
        leaves: dict[str, object] = {"fresh": moves.fresh, "unfit": moves.withheld_classes}
        leaves |= {"number": literal(number), "sensitive": self.names}
        return {**leaves, "person": self.entity is not None}

    def next_ledger(
        self, run: Session, moves: Moves, ledger: exp.Table, *, number: int
    ) -> exp.Table:
        """Make a scratch table that is the ledger with what was decided; without gone rows there was none before."""
        made = run.scratch.table("next_ledger")
        before = None if moves.gone is None else ledger
        leaves: dict[str, object] = {"next": made, "ledger": before, "gone": moves.gone}
        leaves |= {"leaving": moves.leaving, **self._fresh_leaves(moves, number)}
        run.engine.execute(Statement("series/ledger/next_ledger", leaves))
        return made

    def write(self, moves: Moves, ledger: exp.Table, *, number: int) -> None:
        """Write what was decided to the ledger, which is a table of the database."""
        execute = self.run.engine.execute
        if moves.gone is not None:
            execute(Statement("series/ledger/mark_gone", {"ledger": ledger, "gone": moves.gone}))
            leaves: dict[str, object] = {"ledger": ledger, "leaving": moves.leaving}
            execute(Statement("series/ledger/end_rows", {**leaves, "number": literal(number)}))
            execute(Statement("series/ledger/forget_withheld", {"ledger": ledger}))
        fresh = self._fresh_leaves(moves, number)
        execute(Statement("series/ledger/add_fresh", {"ledger": ledger, **fresh}))

    def count_cells(self, ledger: exp.Table) -> Statement:
        """Return the recount of the cells of a ledger, by a statement that needs no key."""
        return recount_of_cells(ledger, self.needed, entity=self.entity)


def recount_of_cells(
    ledger: exp.Table, needed: Sequence[Requirement], *, entity: str | None
) -> Statement:
    """Return the recount of the cells of a ledger: of all rows that some release has shown."""
    counts = recount_statement(ledger, [*CELL, "death_release"], needed, entity=entity)
    return Statement("series/moves/count_cells", counts.leaves)
