"""The public function `plan`: chooses a recoding, and writes no release."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace as changed
from functools import partial
from typing import TYPE_CHECKING, Unpack, overload

from kanon_sql.apps.getting_started.chosen_policy import chosen_policy
from kanon_sql.apps.getting_started.offered_entries import open_offering_run
from kanon_sql.counting.plans.plan import Origin
from kanon_sql.counting.run.arguments import ColumnRoles, checked
from kanon_sql.counting.run.inputs import chosen_destination
from kanon_sql.counting.run.interrupts import ended_by_interrupt, was_interrupted
from kanon_sql.recoding.planning.make_plan import make_plan
from kanon_sql.recoding.planning.open_plan import read_plan
from kanon_sql.recoding.read_examples import examples_of_plan
from kanon_sql.recoding.second_look import SecondLook, look_again, other_columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.arguments import Names
    from kanon_sql.counting.run.inputs import Connection, Overrides, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.recoding.planning.make_plan import Planned


@overload
def plan(
    policy: PolicyInput,
    source: TableInput | None = None,
    *,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | Plan | bool | None = None,
    portable: bool = False,
    examples: bool = False,
    frequency_set: str | None = None,
) -> Plan: ...
@overload
def plan(
    source: TableInput,
    /,
    *,
    quasi: Names,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    portable: bool = False,
    examples: bool = False,
    **columns: Unpack[ColumnRoles],
) -> Plan: ...
@checked
def plan(
    policy: PolicyInput | TableInput,
    source: TableInput | None = None,
    *,
    quasi: Names | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    boundaries: str | None = None,
    progress: Callable[[str], None] | None = None,
    resume: str | Path | Plan | bool | None = None,
    portable: bool = False,
    examples: bool = False,
    frequency_set: str | None = None,
    **columns: Unpack[ColumnRoles],
) -> Plan:
    """Choose a recoding; reads only.

    The plan has a hash of the source under the key of the environment (`KANON_SQL_PLAN_KEY`) or of the user on this
    machine, so that nobody else can test guesses of rows. Its file never has `examples`.

    Args:
        policy: The policy; with `quasi`, the frame, path or table.
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        overrides: Entries that replace those of the policy, such as `{'k': 10}`.
        boundaries: The file of the boundaries of regions and intervals; by default beside the plan's.
        progress: A function to call with the name of each step.
        resume: A plan whose search the time limit ended, to continue it; True as in `anonymize`.
        portable: Whether another engine may carry the plan out, for one more pass.
        examples: Whether the plan has a few labels and classes of at least k rows or people.
        frequency_set: The result of `frequency_query`, read instead of the source; the plan is then for
            `compile_sql` only.
        sensitive: Columns that nobody may learn about a person.
        keep: Other columns that are released as they are.
        drop: Columns that are not released.
        hierarchies: Hierarchies by column, as a policy has them; others are suggested.
        entity: The column whose people a class counts, or `row`; by default a key of people that repeats.
        k: The least rows, or people, of a class; by default 5, for health data 11.
        l: The least distinct values of each sensitive column in a class; by default 2 or 3.
        suppression: The most suppressed rows, as a number or a share; by default 1%.

    Returns:
        The plan: a recoding with its figures, to be reviewed and carried out by `apply`.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read, or has a column without a role.
        InfeasibleError: Nothing satisfies the policy; the text says what would.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> plan = kanon_sql.plan(policy, people)
    >>> plan
    <Plan: 2 equivalence classes, smallest 2 rows; 0 of 4 rows suppressed; optimal: age 1 of 2>
    """
    resumed = None if resume is None or isinstance(resume, bool) else read_plan(resume)
    chosen, source = chosen_policy("plan", policy, source, quasi, columns, connection=connection)
    with ExitStack() as stack:
        run, frame = open_offering_run(
            stack,
            chosen,
            source,
            connection=connection,
            settings=settings,
            overrides=overrides,
            progress=progress,
            writes=False,
            keeps_plan=True,
            frequency_set=frequency_set,
        )
        noted = check_policy_s_release(run, frame, connection)
        with ended_by_interrupt():
            planned = make_plan(
                run,
                frame=frame,
                to_keep=True,
                portable=portable,
                boundaries=boundaries,
                resumed=resumed,
                resume=resume is True,
            )
        shown, counts, looks = None, None, list[SecondLook]()
        if examples and not was_interrupted():
            shown, counts = examples_of_plan(run, planned, partial(_measure, looks))
            changes = tuple(each for look in looks for each in look.changes)
            shown = changed(shown, changes=changes, others=other_columns(run.policy))
        plan = planned.plan
        return changed(
            plan.with_simple_counts(counts),
            notes=(*plan.notes, *noted),
            remarks=(*plan.remarks, *(each for look in looks for each in look.lost)),
            examples=shown,
            run=run.engine.journal.summary(),
            origin=Origin(run.policy, frame, connection, settings),
        )


def _measure(
    looks: list[SecondLook], run: Session, planned: Planned, staged: exp.Table, weight: str | None
) -> tuple[float, float] | None:
    """Measure simple counts of staged labels, and add to `looks` what the release does to each column."""
    from kanon_sql.evidence.release_quality.simple_counts import count_simply  # noqa: PLC0415  of examples

    looks.append(look_again(run, planned, staged, weight))
    return count_simply(run, planned, staged, weight)


def check_policy_s_release(
    run: Session, frame: object | None, connection: object | None
) -> tuple[str, ...]:
    """Check the policy's destination, and return a note if a release in place makes writers wait.

    Raises ReleaseError where the destination could never take the release.
    """
    if run.policy.source.frequency_set is not None:  # the release is made where the source is
        return ()
    named = run.policy.release is not None
    destination = chosen_destination(run.policy, None, must_publish=named and connection is None)
    if destination is None:
        return ()
    from kanon_sql.release.publishers import publisher_of  # noqa: PLC0415  few plans have one

    publisher = publisher_of(run, destination, frame)
    publisher.check()
    waits = publisher.writers_wait
    return () if waits is None else (f"release.in_place: {waits}",)
