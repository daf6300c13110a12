"""Adds a partition to a published release, under the plan that recoded the published partitions.

Guarantee: published rows do not change, and together with the new partition they pass the recount of all rows.
A class of the new partition is added if it fits together with the published rows of that class. Otherwise its rows are
suppressed for good, because a partition is released once. A comparison of the releases of two days shows nothing
that the later release does not show by itself, because it has the values of the partition.

If the people that a class counts are not released, they cannot be counted over several partitions. Then the rows of
each class of the new partition must fit by themselves.
"""

from __future__ import annotations

import glob
import json
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.recodings import Way
from kanon_sql.counting.run.session import KEY_ENV
from kanon_sql.counting.source.files import PARQUET_BELOW, open_written
from kanon_sql.counting.source.released_types import typed_rows
from kanon_sql.engines.local_files import lock_folder
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InfeasibleError, InputError, ReleaseError, VerificationError
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import linking_columns, unlinked
from kanon_sql.policy.privacy.demands import demands, in_tree
from kanon_sql.policy.privacy.populations import population_of
from kanon_sql.policy.privacy.privacy_model import Monotony
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.linked_rows import count_linked, count_unique
from kanon_sql.recoding.new_rows.boundaries import boundaries_of_plan
from kanon_sql.recoding.query import RowsToRecode
from kanon_sql.recoding.recode import count_assigned, keys_in_session, recoder_of
from kanon_sql.recoding.recount import fetch_recount, joined, recount_statement
from kanon_sql.release.added_rows import AddedRows
from kanon_sql.release.stage import (
    ADDED_PARTITIONS,
    Staged,
    check_executor,
    executor_problems,
    texts_of_types,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.recount import Verification
    from kanon_sql.release.destination import Publishable


PLAN_KEY = "kanon_sql_plan"
"""The key under which a file of Parquet says by which recoding it was made."""

ADDED_BY_KEY = "kanon_sql_added_by"
"""The key under which it says of how many columns the partition was that it was added with."""

SUPPRESSED_KEY = "kanon_sql_suppressed"
"""The key under which it says which partitions were suppressed whole, by keyed hashes of their values."""


def published_together(
    view: exp.Table,
    published: exp.Table,
    added: exp.Table,
    columns: Sequence[str],
    *,
    folders: Collection[str],
) -> Statement:
    """See published rows and others of the same columns as one table; values of `folders` are texts."""
    described = [{"column": column(c), "as": name(c), "text": c in folders} for c in columns]
    leaves = {"view": view, "published": published, "added": added, "columns": described}
    return Statement("release/published_together", leaves)


def short_classes(short: exp.Table, recount: Statement) -> Statement:
    """List the classes of a recounted table that do not fit, by the bytes of their labels."""
    return Statement("release/short_classes", {**recount.leaves, "short": short})


def fitting_rows(
    staged: exp.Table, added: exp.Table, short: exp.Table, quasi: Sequence[str]
) -> Statement:
    """Copy the rows that are in no short class."""
    described = [column(each, of="t") for each in quasi]
    leaves = {"staged": staged, "added": added, "short": short, "quasi": described}
    return Statement("release/fitting_rows", leaves)


def count_files(pattern: str, recoding_hash: str) -> Statement:
    """Count the files of a release, and those that say that they were made by one recoding."""
    leaves = {"path": literal(pattern), "key": literal(PLAN_KEY), "hash": literal(recoding_hash)}
    return Statement("release/count_files", leaves)


def coarser_files(pattern: str, columns: int) -> Statement:
    """Count the files that were added with a partition of so many columns."""
    leaves = {
        "path": literal(pattern),
        "key": literal(ADDED_BY_KEY),
        "columns": literal(str(columns)),
    }
    return Statement("release/coarser_files", leaves)


def suppressed_partitions(
    source: exp.Table, staged: exp.Table, columns: Sequence[str], *, most: int
) -> Statement:
    """Read the partitions of a source, so many at most, of which a staged release has no row."""
    leaves = {
        "source": source,
        "staged": staged,
        "most": literal(most),
        "columns": [column(each, of="s") for each in columns],
    }
    return Statement("release/suppressed_partitions", leaves)


def suppressed_hashes(pattern: str) -> Statement:
    """Read what the files of a release say of partitions that were suppressed whole."""
    leaves = {"path": literal(pattern), "key": literal(SUPPRESSED_KEY)}
    return Statement("release/suppressed_hashes", leaves)


ONCE = "a partition is released once, because rows that are added to it later could be told from the others"
OTHER_PLAN = (
    "of its {files:,} files {strange:,} do not say that this plan recoded them; partitions are added under the plan "
    "of those that are there. Release all of them to a new folder"
)
MOST_REMEMBERED = 1000
TOO_MANY = "many"
MANY_SUPPRESSED = (
    f"may be one of the {MOST_REMEMBERED:,} and more that were suppressed whole when the others were released, which the "
    f"files do not list; release all of them to a new folder"
)
UNKNOWN_SUPPRESSED = (
    "may be one that was suppressed whole when the others were released: the files say which, under another key. Set "
    "{key_env} to the key of the run that released them, or release all of them to a new folder"
)
BUSY = "another run adds a partition to it; wait until it has ended"


def with_partition(
    run: Session,
    plan: Plan,
    destination: Destination | None,
    partition: Mapping[str, object],
    others: Mapping[str, bool],
) -> Destination:
    """Return the destination with the partition to add to it. Raises InputError with all faults.

    `others` has the names of other options, with whether they are used: none of them goes with a partition.
    """
    values = tuple((name, str(value)) for name, value in partition.items())
    faults = [
        Fault(name, "does not go with partition: nothing that is published changes")
        for name, asked in others.items()
        if asked
    ]
    faults += [
        Fault(
            "partition", f"{name}: its value is read as NULL (missing), and NULL names no partition"
        )
        for name, value in values
        if (value if value.strip(" ") else "") in run.policy.missing_of(name)
    ]
    faults += [
        run.policy.fault(
            f"columns.{each.name}.format", "does not go with a partition by this column"
        )
        for each in run.policy.columns
        if each.format is not None and each.name in partition
    ]
    faults += _destination_problems(run, destination, partition)
    faults += _policy_problems(run.policy, plan, [name for name, _ in values])
    if faults or destination is None:
        raise InputError("partition", faults)
    named = dict(values)
    order = destination.partition_by[: len(values)]
    return replace(destination, added=tuple((name, named[name]) for name in order))


def _destination_problems(
    run: Session, destination: Destination | None, partition: Mapping[str, object]
) -> Iterator[Fault]:
    """Yield a fault for each reason why the destination or the engine cannot take this partition."""
    has_parts = destination is not None and "partition_by" in destination.format.kind.options
    parts = destination.partition_by if destination is not None and has_parts else ()
    if (why := run.engine.why_no_partition(run.policy.source)) is not None:
        yield Fault("partition", why)
    if not parts:
        yield Fault("release", "must be {parquet: FOLDER, partition_by: [...]}")
    elif not partition or {*partition} != {*parts[: len(partition)]}:
        yield Fault("partition", f"must have values of the first columns of {', '.join(parts)}")
    if any(value is None or not str(value) for value in partition.values()):
        yield Fault("partition", "must have values that are not empty")


def _policy_problems(policy: Policy, plan: Plan, names: list[str]) -> Iterator[Fault]:
    """Yield a fault for each part of a policy or plan that cannot be judged over several partitions."""
    yield from executor_problems(policy, ADDED_PARTITIONS, plan.recoding)
    columns = {each.name: each for each in policy.columns}
    for each in names:
        if not _released_as_it_is(columns.get(each), plan):
            what = (
                "must be released as it is (a quasi-identifier at level 0), or the rows of one folder lie in several "
                "partitions; add partitions by another column, or release all of them to a new folder"
            )
            yield policy.fault(f"columns.{each}", what)
    if population_of(policy.privacy) is not None:
        what = "published rows are not compared with a population"
        yield policy.fault("privacy", ADDED_PARTITIONS.refusal("a model of a population", what))
    if in_tree(policy.privacy):
        what = "values of published rows have no place in a hierarchy"
        yield policy.fault("privacy", ADDED_PARTITIONS.refusal("a model of a hierarchy", what))
    if counts_alone(policy) and any(m.monotony is not Monotony.ALWAYS for m in policy.privacy):
        what = "the people in published rows are not known, and a class that fits may no longer do so with others"
        refusal = ADDED_PARTITIONS.refusal("a model that weighs values of people", what)
        yield policy.fault("privacy", refusal)


def _released_as_it_is(column: Column | None, plan: Plan) -> bool:
    """Return True if a folder by this column has the rows of one value: the column is released unchanged."""
    return column is not None and (
        column.role in {Role.SENSITIVE, Role.INSENSITIVE}
        or (Way.ADDED_PARTITIONS in plan.recoding.ways and plan.levels.get(column.name) == 0)
    )


def find_suppressed_partitions(
    run: Session, planned: Planned, staged: Publishable, out: Destination
) -> str | None:
    """Return a text on the source's partitions whose rows were all suppressed; no later run may add these.

    They have no folder, so the files of the release remember them, as keyed hashes that show no value of a row to
    readers of the release. None if there are no such partitions, or if partitions cannot be added to this release.
    """
    policy, plan = run.policy, planned.plan
    columns = {each.name: each for each in policy.columns}
    names = list(takewhile(lambda n: _released_as_it_is(columns.get(n), plan), out.partition_by))
    none_suppressed = staged.rows == planned.opened.source_rows
    if (
        not run.engine.capabilities.adds_partitions
        or not names
        or out.added
        or none_suppressed
        or any(executor_problems(policy, ADDED_PARTITIONS, plan.recoding))
    ):
        return None
    found: list[str] = []
    for number in range(1, len(names) + 1):
        statement = suppressed_partitions(
            planned.opened.source, staged.table, names[:number], most=MOST_REMEMBERED + 1
        )
        found += [_remembered(run, values) for values in run.engine.fetch(statement)]
    key = _key_of(run)
    if len(found) > MOST_REMEMBERED:
        return f"{key} {TOO_MANY}"
    return " ".join([key, *sorted(found)]) if found else None


def _remembered(run: Session, values: Sequence[object]) -> str:
    """Return the first 16 digits of the hash of a partition's values, under the key of plans."""
    text = json.dumps(["partition", *map(str, values)])
    return run.key.hash(text).rpartition(":")[2][:16]


def _key_of(run: Session) -> str:
    """Return the first digits of a hash of the key of plans, which identify the key."""
    return run.key.hash("").split(":")[1]


def _check_not_suppressed(part: _Partition, pattern: str) -> None:
    """Raise ReleaseError where all rows of the partition were suppressed in the first release."""
    run = part.run
    for (text,) in run.engine.fetch(suppressed_hashes(pattern)):
        key, *hashes = str(text).split(" ")
        if key != _key_of(run):
            what = UNKNOWN_SUPPRESSED.format(key_env=KEY_ENV)
        elif hashes == [TOO_MANY]:
            what = MANY_SUPPRESSED
        elif _remembered(run, [value for _, value in part.out.added]) in hashes:
            what = f"was suppressed whole when the others were released; {ONCE}"
        else:
            continue
        raise ReleaseError(part.out.name, [Fault("partition", what)])


def counts_alone(policy: Policy) -> bool:
    """Return True if a new partition's classes must fit by themselves: their people are not released."""
    return staging_sql.hidden_entity(policy) is not None


@contextmanager
def lock_release(run: Session, destination: Destination | None) -> Iterator[None]:
    """Lock a release's folder while a partition is added. Raises ReleaseError where another run does that."""
    if destination is None or not destination.added:
        yield
        return
    with lock_folder(Path(run.path(destination.name))) as locked:
        if not locked:
            raise ReleaseError(destination.name, [Fault("release", BUSY)])
        yield


@dataclass(frozen=True, slots=True)
class _Partition:
    """A partition being added: its recoded rows in `added`, and the `published` rows, if there are any."""

    run: Session
    planned: Planned
    out: Destination
    added: exp.Table
    quasi: tuple[str, ...]
    columns: tuple[str, ...]
    published: exp.Table | None

    @property
    def entity(self) -> str | None:
        policy = self.run.policy
        return staging_sql.hidden_entity(policy) or policy.entity

    def judged(self, rows: exp.Table, what: str) -> exp.Table:
        """Return the table whose classes the rows are judged by: with the published rows, or alone."""
        if self.published is None or counts_alone(self.run.policy):
            return rows
        together = self.run.scratch.table(what)
        statement = published_together(
            together, self.published, rows, self.columns, folders=self.out.partition_by
        )
        self.run.see(together, statement)
        return together

    def recount(
        self, table: exp.Table, needed: tuple[Requirement, ...], source: exp.Table
    ) -> Statement:
        """Return the recount of a table; models that compare classes with the source read `source` instead."""
        return recount_statement(
            table,
            self.quasi,
            needed,
            entity=self.entity,
            source=source,
            of_source=self.entity,
            nodes=self.planned.opened.nodes,
        )


def stage_partition(
    run: Session, planned: Planned, *, out: Destination, boundaries: str = ""
) -> Staged:
    """Recode the rows of a partition, keep those that fit, and recount them with all published rows.

    Raises InfeasibleError where no row can be added, VerificationError where the recount falls short, and ReleaseError
    where the published release is not one that this partition can be added to.
    """
    journal, engine = run.engine.journal, run.engine
    (demand,) = demands(run.policy.privacy)
    with journal.step("recode"):
        part, assigned = _recoded(run, planned, out, boundaries)
        before = 0 if part.published is None else _published_rows(part, part.published)
        every = part.judged(part.added, "candidates")
        short, staged = run.scratch.table("short"), run.scratch.table("staged")
        failing = part.recount(every, demand.requirements, every)
        engine.execute(short_classes(short, failing))
        engine.execute(fitting_rows(staged, part.added, short, part.quasi))
    with journal.step("verify"):
        added = engine.fetch_count(source_sql.count_rows(staged))
        if not added:
            raise InfeasibleError(
                f"none of {planned.opened.source_rows:,} rows of the partition can be added: "
                f"{planned.opened.source_rows - assigned:,} lie outside the plan's recoding, and {assigned:,} are in "
                f"classes that do not fit {'by themselves' if counts_alone(run.policy) else 'with what is published'}"
            )
        whole = part.judged(staged, "published_then")
        found = fetch_recount(
            engine, part.recount(whole, demand.recounted, every), demand.recounted
        )
        alone = fetch_recount(
            engine, part.recount(staged, demand.requirements, every), demand.requirements
        )
        _check(found, added + (before if whole != staged else 0))
        _check_pseudonyms(run, whole, found.rows)
        found = joined(run, {(): found})
        linked = count_linked(run, whole, list(part.quasi), linking_columns(run.policy))
        unique = count_unique(run, whole, rows=found.rows)
        found = replace(found, linked=linked, unique_rows=unique)
    rows = AddedRows(
        planned.opened.source_rows, assigned, added, before, alone.classes, alone.short_classes
    )
    return Staged(staged, part.columns, found, rows)


def _recoded(
    run: Session, planned: Planned, out: Destination, boundaries: str
) -> tuple[_Partition, int]:
    """Recode all rows of a partition, and open the published release; return how many rows were assigned."""
    opened, policy, recoding = planned.opened, run.policy, planned.plan.recoding
    check_executor(policy, ADDED_PARTITIONS, recoding)
    given = boundaries_of_plan(run, planned, stem=boundaries)
    labels, released = recoder_of(recoding).labels(RowsToRecode.of(run, planned, given))
    for statement in labels:
        run.engine.execute(statement)
    order = [column.name for column in opened.columns]
    table = run.scratch.table("added")
    with keys_in_session(run):
        staging = staging_sql.stage(
            table, opened.table, None, policy, released, order=order, rows=opened.rows
        )
        run.engine.execute(staging_sql.with_masks(staging, policy, opened.columns))
    if types := texts_of_types(run, planned, table, without=out.partition_by):
        typed, staged = run.scratch.table("added_values"), run.engine.columns(table)
        run.see(typed, typed_rows(typed, table, [each.name for each in staged], types))
        table = typed
    quasi = tuple(name for each in released for name in each.names)
    columns = tuple(staging_sql.output_columns(policy, released, order))
    part = _Partition(run, planned, out, table, quasi, columns, None)
    part = replace(part, published=_open_published(part))
    return part, count_assigned(run, opened.table, released)


def _open_published(part: _Partition) -> exp.Table | None:
    """Open the released folder, if there is one. Raises ReleaseError where a partition cannot be added."""
    run, out = part.run, part.out
    path = run.path(out.name)
    if not Path(path).exists():
        return None
    pattern = glob.escape(path) + PARQUET_BELOW
    count = count_files(pattern, part.planned.plan.recoding_hash)
    files, own = run.engine.fetch_counts(count)
    if not files:
        return None
    if files != own:
        what = OTHER_PLAN.format(files=files, strange=files - own)
        raise ReleaseError(out.name, [Fault("release", what)])
    _check_not_coarser(part, Path(path))
    _check_not_suppressed(part, pattern)
    published = run.scratch.table("published")
    run.see(published, open_written(run.engine, out, published, path))
    types = {each.name: each.type for each in run.engine.columns(published)}
    now = {each.name: each.type for each in run.engine.columns(part.added)}
    faults = [
        Fault(f"columns.{name}", "has another type than in what is published; cast it in a query")
        for name in part.columns
        if name not in out.partition_by and types.get(name) != now[name]
    ]
    if faults:
        raise ReleaseError(out.name, faults)
    return published


def _check_not_coarser(part: _Partition, folder: Path) -> None:
    """Raise ReleaseError for a part of a partition that was added as a whole: its suppressed rows stay so."""
    for number, (key, value) in enumerate(part.out.added[:-1], start=1):
        below = [each for each in folder.iterdir() if unquote(each.name) == f"{key}={value}"]
        if not below:
            return
        folder = below[0]
        pattern = glob.escape(str(folder)) + PARQUET_BELOW
        if part.run.engine.fetch_count(coarser_files(pattern, number)):
            names = ", ".join(name for name, _ in part.out.added[:number])
            what = f"lies in a partition by {names} that was added as a whole; {ONCE}"
            raise ReleaseError(part.out.name, [Fault("partition", what)])


def _published_rows(part: _Partition, published: exp.Table) -> int:
    """Count the published rows. Raises ReleaseError where any of them belongs to the new partition."""
    run = part.run
    same = run.scratch.table("same_partition")
    run.see(same, source_sql.rows_of_partition(same, published, part.out.added))
    if run.engine.fetch_count(source_sql.count_rows(same)):
        what = f"is in the release already; {ONCE}"
        raise ReleaseError(part.out.name, [Fault("partition", what)])
    return run.engine.fetch_count(source_sql.count_rows(published))


def _check(found: Verification, rows: int) -> None:
    """Raise VerificationError where the recount falls short, or does not count `rows` rows."""
    if found.rows != rows:
        what = f"{counted(rows, 'row')} should be published, and {found.rows:,} were counted"
        raise VerificationError(f"{what}; nothing was published")
    if not found.passed:
        raise VerificationError(
            f"with the partition {found.short_classes:,} of {found.classes:,} classes would fall short, of what "
            f"is published too; nothing was published. Release all partitions to a new folder"
        )


def _check_pseudonyms(run: Session, table: exp.Table, rows: int) -> None:
    """Raise ReleaseError where pseudonyms repeat in another partition and would link a person's rows."""
    hashed = [column.name for column in unlinked(run.policy)]
    if not hashed:
        return
    counts = run.engine.fetch_counts(source_sql.count_repeats(table, hashed, rows=rows))
    faults = [
        run.policy.fault(
            f"columns.{name}",
            f"{repeats:,} of its pseudonyms repeat in what is published, and would link the rows of a person",
        )
        for name, repeats in zip(hashed, counts, strict=True)
        if repeats
    ]
    if faults:
        raise ReleaseError(run.policy.subject, faults)
