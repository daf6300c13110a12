"""The whole release as one SQL script, which runs by itself in the database's own shell.

The statements are those that `apply` runs, under names that can be read.
"""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError
from kanon_sql.flow.hierarchies import given_hierarchy, path_statements
from kanon_sql.flow.source import dotted, is_enum, open_statement, plain_statement
from kanon_sql.model.policy import Action, Format, Role
from kanon_sql.model.privacy import class_size, diversities, requirements
from kanon_sql.sql import hierarchies, publishing, recoding, sources
from kanon_sql.sql.leaves import table
from kanon_sql.sql.recoding import Released

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engine.base import ColumnType
    from kanon_sql.flow.session import Session
    from kanon_sql.model.policy import Policy
    from kanon_sql.sql.templates import Statement

SOURCE = table("kanon_source")
RAW = table("kanon_source_with_enums")
FAILING = table("kanon_failing_classes")
STAGED = table("kanon_staged")
VERDICT = table("kanon_verdict")


def plan_sql(
    run: Session,
    levels: Mapping[str, int],
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
) -> str:
    """Give the recoding's own statements for the plan file: what a reviewer should read."""
    released = _released(run.policy, levels, heights)
    core = [
        *(keys(run.policy) if run.engine.facts.prints_scripts else ()),
        *core_statements(run.policy, SOURCE, FAILING, STAGED, released, columns=columns),
    ]
    return _text(run, core)


def release_script(
    run: Session,
    levels: Mapping[str, int],
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
) -> str:
    """Give the complete script: source, hierarchies, recoding, recount, release."""
    policy = run.policy
    if not run.engine.facts.prints_scripts:
        what = f"no script can be printed for {run.engine.facts.name} yet; carry the plan out there"
        raise InputError(policy.subject, [Fault("", what)])
    if policy.release is not None and policy.release.in_place is not None:
        what = "a release in place is no script: it depends on what hangs on the table"
        raise InputError(policy.subject, [policy.fault("release", what)])
    released = _released(policy, levels, heights)
    statements = [
        publishing.drop_table(VERDICT),
        *_source_statements(run, columns),
        *keys(policy),
    ]
    for number, each in enumerate(released, start=1):
        statements += _map_statements(run, each, number)
    statements += core_statements(policy, SOURCE, FAILING, STAGED, released, columns=columns)
    recount = verify_statement(policy, STAGED, released)
    statements += [
        recoding.require(
            VERDICT,
            SOURCE,
            FAILING,
            recount,
            key_envs=key_names(policy),
            target=_target(run),
        ),
        sources.first_rows(VERDICT, 1),
        *_release_statements(run, released, columns),
    ]
    return _text(run, statements)


def _source_statements(run: Session, columns: Sequence[ColumnType]) -> list[Statement]:
    """Open the source, and see it without ENUM types where it has them."""
    policy = run.policy
    if not any(is_enum(column) for column in columns):
        return [open_statement(run.engine, policy.source, SOURCE, policy.base)]
    return [
        open_statement(run.engine, policy.source, RAW, policy.base),
        plain_statement(SOURCE, RAW, columns),
    ]


def core_statements(
    policy: Policy,
    source: exp.Table,
    failing: exp.Table,
    staged: exp.Table,
    released: list[Released],
    *,
    columns: Sequence[ColumnType],
    rows: int = 0,
) -> list[Statement]:
    """Say the two statements that recode: which classes fail, and the staged table without them."""
    needed = requirements(policy.privacy)
    return [
        recoding.failing_classes(
            failing, source, released, needed, entity=policy.entity, rows=rows
        ),
        recoding.stage(
            staged, source, failing, policy, released, order=[c.name for c in columns], rows=rows
        ),
    ]


def verify_statement(policy: Policy, staged: exp.Table, released: list[Released]) -> Statement:
    """Say the recount of the staged table."""
    entity = recoding.hidden_entity(policy) or policy.entity
    quasi = [name for each in released for name in each.names]
    return publishing.verify(
        staged,
        quasi,
        k=class_size(policy.privacy),
        diversities=diversities(policy.privacy),
        entity=entity,
    )


def keys(policy: Policy) -> Iterator[Statement]:
    """Say how a script prepares the secret keys of pseudonyms."""
    for name in key_names(policy):
        yield from recoding.set_keys(name)


def key_names(policy: Policy) -> tuple[str, ...]:
    """Name the environment variables that hold the policy's secrets."""
    hashed = (c for c in policy.with_role(Role.IDENTIFYING) if c.action is Action.HASH)
    return tuple(dict.fromkeys(str(c.key_env) for c in hashed))


def _released(
    policy: Policy, levels: Mapping[str, int], heights: Mapping[str, int]
) -> list[Released]:
    return [
        Released(c, levels[c.name], heights[c.name], table(f"kanon_map_{number}"))
        for number, c in enumerate(policy.quasi, start=1)
    ]


def _map_statements(run: Session, each: Released, number: int) -> Iterator[Statement]:
    domain = table(f"kanon_domain_{number}")
    paths = table(f"kanon_paths_{number}")
    complete = table(f"kanon_hierarchy_{number}")
    spec = given_hierarchy(each.column)
    yield hierarchies.domain(domain, SOURCE, each.column.name)
    opened = table(f"kanon_hierarchy_source_{number}")
    _, made = path_statements(run, spec, domain, paths, opened=opened)
    yield from made
    yield hierarchies.paths_complete(complete, paths, domain, spec, each.height)
    yield recoding.release_map(each, domain, complete)


def _target(run: Session) -> str | None:
    """Give the pattern of what a release to a path would overwrite."""
    destination = run.policy.release
    if destination is None or destination.format is Format.TABLE:
        return None
    pattern = glob.escape(run.path(destination.name))
    return f"{pattern}/**" if destination.partition_by else pattern


def _release_statements(
    run: Session, released: list[Released], described: Sequence[ColumnType]
) -> Iterator[Statement]:
    policy = run.policy
    columns = recoding.output_columns(policy, released, [c.name for c in described])
    destination = policy.release
    if destination is None:
        yield publishing.publish_table(
            table("kanon_release"), STAGED, columns, replace=False, verdict=VERDICT
        )
    elif destination.format is Format.TABLE:
        yield publishing.publish_table(
            dotted(destination.name), STAGED, columns, replace=False, verdict=VERDICT
        )
    else:
        yield publishing.copy_out(
            STAGED,
            columns,
            path=run.path(destination.name),
            format_=destination.format,
            partition_by=destination.partition_by,
            verdict=VERDICT,
        )


def _text(run: Session, statements: list[Statement]) -> str:
    return "\n\n".join(f"{s.render(run.engine.dialect)};" for s in statements) + "\n"
