"""The public functions `anonymize`, `apply` and `lint`: all steps from a policy or plan to a release.

Every function takes a policy as a path, a mapping or a Policy, and the policy's own source or another: a path, a glob,
a table's name, a DuckDB relation, or an Arrow, pandas or polars frame. With `connection`, a user's own connection is
used and left as it was found.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack, nullcontext
from dataclasses import replace as changed
from functools import partial
from typing import TYPE_CHECKING, Unpack, cast, overload

from kanon_sql.apps.python.plan_recoding import (
    PublishedRows,
    Release,
    check_policy_s_release,
    chosen_policy,
    open_offering_run,
)
from kanon_sql.counting.hierarchies.mapping import false_labels, map_columns
from kanon_sql.counting.lattice.encode import lattice_of
from kanon_sql.counting.plans.plan import Origin
from kanon_sql.counting.run.arguments import ColumnRoles, checked
from kanon_sql.counting.run.inputs import chosen_destination, database_of, open_run
from kanon_sql.counting.run.session import SearchInterrupted, ended_by_interrupt, was_interrupted
from kanon_sql.counting.source.column_problems import unparsed_warnings
from kanon_sql.counting.source.exposed_rows import identity_warnings
from kanon_sql.counting.source.open_source import open_source, unused_missing
from kanon_sql.counting.source.person_keys import key_beside_rows
from kanon_sql.counting.source.released_types import types_of_columns
from kanon_sql.engines.destination_format import CsvFiles, LibraryRows
from kanon_sql.engines.frames import library_of
from kanon_sql.errors import Fault, InputError, ReleaseError
from kanon_sql.policy.read_policy import is_schema_policy
from kanon_sql.policy.safe_harbor import standard_remarks
from kanon_sql.policy.search_options import Choose
from kanon_sql.recoding.axes import lay_target
from kanon_sql.recoding.linked_rows import (
    linked_in_source,
    lost_to_null,
    missing_in_source,
    notes_of_release,
    sample_of_shown,
    undone_generalization,
)
from kanon_sql.recoding.new_rows.boundaries import boundaries_of
from kanon_sql.recoding.planning.make_plan import (
    Planned,
    StagedTexts,
    check_size,
    make_plan,
    plan_with_types,
)
from kanon_sql.recoding.planning.open_plan import name_plan, open_plan
from kanon_sql.recoding.planning.remarks import check_levels, search_remarks
from kanon_sql.recoding.second_look import (
    MOST_LOOKED_AT,
    all_or_nothing,
    look_again,
    one_row_each,
    other_columns,
    read_examples,
)
from kanon_sql.release.add_partition import lock_release, stage_partition, with_partition
from kanon_sql.release.label_key import names_of_labelled
from kanon_sql.release.publish_lake import publisher_of
from kanon_sql.release.publish_view import again_if_written
from kanon_sql.release.series.step import open_series
from kanon_sql.release.stage import NEW_ROWS, check_has_rows, stage, with_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.arguments import Names
    from kanon_sql.counting.run.inputs import (
        Connection,
        Overrides,
        PolicyInput,
        ReleaseInput,
        TableInput,
    )
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.locations import Destination
    from kanon_sql.release.series.step import OpenSeries
    from kanon_sql.release.stage import Staged


@overload
def anonymize(
    policy: PolicyInput,
    source: TableInput | None = None,
    *,
    release: ReleaseInput | None = None,
    replace: bool = False,
    purge: bool = False,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
    keep_sql: bool = False,
    must_publish: bool = False,
    examples: bool = False,
    keep_plan: bool = False,
    resume: bool = False,
) -> Release: ...
@overload
def anonymize(
    source: TableInput,
    /,
    *,
    quasi: Names,
    release: ReleaseInput | None = None,
    replace: bool = False,
    purge: bool = False,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
    keep_sql: bool = False,
    must_publish: bool = False,
    examples: bool = False,
    keep_plan: bool = False,
    resume: bool = False,
    **columns: Unpack[ColumnRoles],
) -> Release: ...
@checked
@again_if_written
def anonymize(
    policy: PolicyInput | TableInput,
    source: TableInput | None = None,
    *,
    quasi: Names | None = None,
    release: ReleaseInput | None = None,
    replace: bool = False,
    purge: bool = False,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    progress: Callable[[str], None] | None = None,
    keep_sql: bool = False,
    must_publish: bool = False,
    examples: bool = False,
    keep_plan: bool = False,
    resume: bool = False,
    **columns: Unpack[ColumnRoles],
) -> Release:
    """Plan, recode, recount and publish in one run.

    Guarantee: the destination holds a release that passed its recount, or is as it was before. Without a destination
    the release stays in the database, where `Release.relation` reads it.

    Args:
        policy: The policy; with `quasi`, the frame, path or table.
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        release: Where the release is written.
        replace: Whether an existing one may be replaced.
        purge: Whether the database's files are rewritten without the dropped rows.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        overrides: Entries that replace those of the policy, such as `{'k': 10}`.
        progress: A function to call with the name of each step.
        keep_sql: Whether the journal keeps each statement.
        must_publish: Whether a release without a destination is refused.
        examples: Whether the plan has a few labels and classes of at least k rows or people.
        keep_plan: Whether the source is hashed, so that the plan can certify.
        resume: Whether to go on from the tables that a killed run kept in Spark's checkpoint folder.
        sensitive: Columns that nobody may learn about a person.
        keep: Other columns that are released as they are.
        drop: Columns that are not released.
        hierarchies: Hierarchies by column, as a policy has them; others are suggested.
        entity: The column whose people a class counts, or `row`; by default a key of people that repeats.
        k: The least rows, or people, of a class; by default 5, for health data 11.
        l: The least distinct values of each sensitive column in a class; by default 2 or 3.
        suppression: The most suppressed rows, as a number or a share; by default 1%.
        use: `'counts'`: values whose counts are close; `'means'`: for regressions; by default rows are true.

    Returns:
        The release, with its plan and its verification.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read, or has a column without a role.
        InfeasibleError: Nothing satisfies the policy; the text says what would.
        VerificationError: The recount failed; nothing was published.
        ReleaseError: The destination cannot take the release.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> release = kanon_sql.anonymize(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> release.verification.smallest_class, len(release.to_pandas())
    (2, 4)
    """
    chosen, source = chosen_policy(
        "anonymize", policy, source, quasi, columns, connection=connection
    )
    with ExitStack() as stack:
        run, frame = open_offering_run(
            stack,
            chosen,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=True,
            release=release,
            keeps_plan=keep_plan or resume,
        )
        run.engine.journal.keep_text = keep_sql
        destination = chosen_destination(run.policy, release, must_publish=must_publish)
        publisher = publisher_of(run, destination, frame, replace=replace, purge=purge)
        check_has_rows(run.policy, publisher.executor)
        if run.policy.series is not None:
            what = "has one plan for all releases, and this would make one for each: plan once, and apply the plan each time"
            raise InputError(run.policy.subject, [run.policy.fault("series", what)])
        stack.enter_context(publisher.lock())
        publisher.check()
        with ended_by_interrupt():
            staged_once = not publisher.shows_later_rows
            counts = keep_plan and staged_once
            planned = make_plan(
                run,
                frame=frame,
                to_keep=keep_plan,
                released=counts,
                stages=staged_once,
                types=not staged_once,
                resume=resume,
            )
        if was_interrupted():
            if staged_once:
                planned = plan_with_types(run, planned, frame)
            raise SearchInterrupted(planned.plan)
        if quasi is not None:  # nobody has read the policy of the call
            notes = (*planned.plan.notes, *unused_missing(run, frame))
            planned = changed(planned, plan=changed(planned.plan, notes=notes))
        return _finish(
            stack,
            run,
            planned,
            destination,
            frame,
            replace=replace,
            purge=purge,
            examples=examples,
            noted=counts,
            untyped=staged_once,
            measured=True,
            connection=connection,
            settings=settings,
        )


@checked
@again_if_written
def apply(
    plan: str | Path | Plan,
    source: TableInput | None = None,
    *,
    policy: PolicyInput | None = None,
    release: ReleaseInput | None = None,
    replace: bool = False,
    purge: bool = False,
    to_new_rows: bool = False,
    partition: Mapping[str, object] | None = None,
    boundaries: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
    must_publish: bool = False,
    examples: bool = False,
) -> Release:
    """Carry out a plan, if policy, hierarchies and source are still those that it was made from.

    With `to_new_rows` rows in no region, or with a value without a label, are withheld, and classes
    that do not fit are suppressed. With `partition` only its rows are released, as one more folder
    of the release; classes are judged with all published rows. Nothing is written before
    StalePlanError is raised.

    Args:
        plan: The plan, or the path of its file.
        source: The table; by default the policy's source.
        policy: The policy; of a plan, where that names no file of one.
        release: Where the release is written.
        replace: Whether an existing one may be replaced.
        purge: Whether the database's files are rewritten without the dropped rows.
        to_new_rows: Whether the source may have other rows.
        partition: Values of the first columns of `partition_by`, such as `{'day': '2026-11-03'}`.
        boundaries: The file of the boundaries of regions and intervals; by default beside the plan's.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.
        must_publish: Whether a release without a destination is refused.
        examples: Whether the plan has a few labels and classes of at least k rows or people.

    Returns:
        The release, with its plan and its verification.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.
        VerificationError: The recount failed; nothing was published.
        ReleaseError: The destination cannot take the release.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> plan = kanon_sql.plan(policy, people)
    >>> release = kanon_sql.apply(plan, people, policy=policy)
    >>> sorted(set(release.to_pandas()["age"]))
    ['[30, 40)', '[50, 60)']
    """
    named = name_plan(plan, policy)
    boundaries = boundaries or boundaries_of(plan)
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            named.policy,
            source,
            connection=connection,
            settings=settings,
            overrides=named.plan.overrides,
            progress=progress,
            writes=True,
            release=release,
            keeps_plan=True,
        )
        destination = chosen_destination(run.policy, release, must_publish=must_publish)
        others = {"purge": purge, "to_new_rows": to_new_rows}
        used = {**others, "partition": partition is not None}
        series = stack.enter_context(open_series(run, destination, used))
        replace = replace or (series is not None and series.ledger.begun)
        if partition is not None:
            others["replace"] = replace
            destination = with_partition(run, named.plan, destination, partition, others)
        publisher = publisher_of(run, destination, frame, replace=replace, purge=purge)
        check_has_rows(run.policy, NEW_ROWS if to_new_rows else publisher.executor)
        stack.enter_context(publisher.lock())
        publisher.check()
        stack.enter_context(lock_release(run, destination))
        if to_new_rows and publisher.shows_later_rows:
            what = "shows rows to come by itself; release these to a table or a file"
            raise ReleaseError(publisher.name, [Fault("release.view", what)])
        added = () if destination is None else destination.added
        new = to_new_rows or bool(added) or series is not None
        planned = open_plan(run, named, frame, new=new, partition=added)
        staging = partial(stage, new=True, boundaries=boundaries) if to_new_rows else None
        if added and destination is not None:
            staging = partial(stage_partition, out=destination, boundaries=boundaries)
        if series is not None:
            staging = partial(series.stage, boundaries=boundaries)
        return _finish(
            stack,
            run,
            planned,
            destination,
            frame,
            replace=replace,
            purge=purge,
            connection=connection,
            settings=settings,
            staging=staging,
            examples=examples,
            series=series,
        )


@checked
def lint(
    policy: PolicyInput,
    source: TableInput | None = None,
    *,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> list[str]:
    """Check a policy against its source and hierarchies; return warnings, raise InputError for faults.

    Args:
        policy: The policy; of a plan, where that names no file of one.
        source: The table; by default the policy's source.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        Warnings, each as one sentence.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read, or has a column without a role.
        HierarchyError: A hierarchy does not generalize its column.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> kanon_sql.lint(policy, people)
    []
    """
    if source is None and is_schema_policy(policy):
        from kanon_sql.apps.schema.release_schema import (  # noqa: PLC0415  a schema alone
            open_tables,
        )

        own = cast("str | Path | Mapping[str, object]", policy)
        with open_tables(own, connection, settings) as tables:
            return [
                f"tables.{name}: {each}" for name, run in tables for each in _warnings(run, None)
            ]
    with ExitStack() as stack:
        run, frame = open_offering_run(
            stack, policy, source, connection=connection, settings=settings, writes=False
        )
        noted = check_policy_s_release(run, frame, connection)
        return [*_warnings(run, frame), *noted]


def _warnings(run: Session, frame: object | None) -> Iterator[str]:
    """Check a table's policy against its rows; yield what its release would be warned of."""
    opened = open_source(run, frame)
    mapped = map_columns(run, opened)
    check_levels(run.policy, mapped)
    if run.policy.search.options.cutting.criterion is Choose.VARIANCE:
        lay_target(run, opened)
    size = lattice_of(mapped).size
    check_size(run.policy, size, timed=run.policy.search.time_limit is not None)
    key = key_beside_rows(run, opened, whole=True)
    yield from standard_remarks(run.policy)
    for each in mapped:
        for warning in each.warnings:
            yield f"columns.{each.column.name}.hierarchy: {warning}"
    yield from false_labels(run, mapped)
    yield from all_or_nothing(run, mapped)
    yield from search_remarks(run.policy, opened.source_rows, opened.left_out)
    yield from identity_warnings(run, opened, key, whole=True)
    yield from one_row_each(run, opened)
    yield from undone_generalization(run, opened, sample_of_shown(run, opened))
    yield from linked_in_source(run, opened)
    yield from missing_in_source(run, opened)
    yield from unparsed_warnings(opened.unparsed)
    yield from unused_missing(run, frame)


def _finish(
    stack: ExitStack,
    run: Session,
    planned: Planned,
    destination: Destination | None,
    frame: object | None,
    *,
    replace: bool,
    purge: bool,
    connection: object | None,
    settings: Settings | None,
    staging: Callable[[Session, Planned], Staged] | None = None,
    examples: bool,
    noted: bool = False,
    untyped: bool = False,
    measured: bool = False,
    series: OpenSeries | None = None,
) -> Release:
    """Stage, recount and publish a release.

    If `noted`, warnings from its counts are added to the plan's notes, and if it is `measured` and has examples, the
    error of simple counts to the plan's figures. The types of a plan that is `untyped` are found in the staged rows.
    """
    publisher = publisher_of(run, destination, frame, replace=replace, purge=purge)
    planned = changed(planned, plan=changed(planned.plan, view=publisher.shows_later_rows))
    relation, published = None, None
    open_resources = ExitStack()
    staged = publisher.stage(planned, staging or stage)
    if untyped:
        found_texts = StagedTexts(staged.table, staged.columns, staged.verification.rows)
        planned = plan_with_types(run, planned, frame, staged=found_texts)
    if noted and staged.query is not None:
        counted = staged.verification
        found_notes = notes_of_release(
            run,
            planned,
            staged.table,
            staged.query.quasi,
            linked=counted.linked,
            unique=counted.unique_rows,
        )
        notes = (*planned.plan.notes, *found_notes)
        planned = changed(planned, plan=changed(planned.plan, notes=notes))
    elif staged.query is not None and run.policy.series is None:
        notes = (*planned.plan.notes, *lost_to_null(run, planned.opened, staged.table))
        planned = changed(planned, plan=changed(planned.plan, notes=notes))
    if examples and staged.query is not None:
        with run.engine.journal.step("examples"):
            rows = staged.verification.rows
            found = read_examples(run, staged.query, rows=rows)
            found = changed(found, others=other_columns(run.policy))
            if measured or (staged.new is None and rows <= MOST_LOOKED_AT):
                look = look_again(run, planned, staged.query.rows.table)
                found = changed(found, changes=look.changes)
            if measured:
                from kanon_sql.evidence.release_quality.simple_counts import count_simply  # noqa: PLC0415

                counts = count_simply(run, planned, staged.table)
                plan = planned.plan.with_simple_counts(counts)
                planned = changed(planned, plan=changed(plan, remarks=(*plan.remarks, *look.lost)))
        planned = changed(planned, plan=changed(planned.plan, examples=found))
    staged = with_types(run, planned, destination, staged)
    if destination is None:
        relation = run.engine.relation(staged.table, staged.columns)
        open_resources = stack.pop_all()
        weakref.finalize(relation, open_resources.close)  # the rows live as long as what shows them
    types = {}
    if isinstance(destination and destination.format.kind, CsvFiles | LibraryRows):
        types = types_of_columns(run.engine.columns(staged.table))
    notes = (*planned.plan.notes, *publisher.notes(staged))
    planned = changed(planned, plan=changed(planned.plan, notes=notes))
    with nullcontext() if series is None else series.publishing(planned, staged):
        publisher.publish(planned, staged)
    if (place := publisher.place) is not None:
        origin, database = publisher.source_at(place), database_of(run.policy)
        published = PublishedRows(origin, staged.columns, types, connection, database, settings)
    return Release(
        plan=changed(planned.plan, origin=Origin(run.policy, frame, connection, settings)),
        verification=staged.verification,
        destination=destination,
        place=place,
        columns=staged.columns,
        journal=run.engine.journal,
        _relation=relation,
        _held=open_resources,
        new=staged.new if series is None else series.published,
        _library=library_of(frame),
        _published=published,
        labelled=names_of_labelled(run, planned),
    )
