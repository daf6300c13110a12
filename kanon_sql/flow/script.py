"""The whole release as one SQL script, which runs by itself in the database's own shell.

The statements are those that `apply` runs, under names that can be read.
"""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

from kanon_sql.engine.duckdb import HTTPFS
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.flow.hierarchies import given_hierarchy, path_statements
from kanon_sql.flow.source import (
    dotted,
    filter_statement,
    open_statement,
    plain_statement,
    seen_plainly,
)
from kanon_sql.model.hierarchy import CsvHierarchy
from kanon_sql.model.policy import Action, Dealing, Format, Role
from kanon_sql.model.privacy import demands, joint_demands, requirements
from kanon_sql.model.recoding import (
    Blanked,
    Boxes,
    Enforced,
    FullDomain,
    Layers,
    Parts,
    levels_used,
)
from kanon_sql.sql import blanks, boxing, hierarchies, layers, publishing, recoding, sources
from kanon_sql.sql.leaves import table
from kanon_sql.sql.regions import Shown
from kanon_sql.sql.released import Boxed, Released, release_map

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engine.base import ColumnType
    from kanon_sql.flow.session import Session
    from kanon_sql.model.policy import Column, Policy
    from kanon_sql.model.privacy import Demand
    from kanon_sql.model.recoding import Recoding
    from kanon_sql.sql.templates import Statement

SOURCE = table("kanon_source")
ALL = table("kanon_source_with_all_rows")
RAW = table("kanon_source_as_declared")
FAILING = table("kanon_failing_classes")
STAGED = table("kanon_staged")
VERDICT = table("kanon_verdict")
MOVED = table("kanon_moved")


def plan_sql(
    run: Session,
    recoded: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
) -> str:
    """Give the recoding's own statements for the plan file: what a reviewer should read."""
    if isinstance(recoded, Boxes):
        return _text(run, [*keys(run.policy), _stage_boxes(run, heights, columns)])
    if isinstance(recoded, Parts):
        released = [in_parts(each, _map(n)) for n, each in enumerate(run.policy.quasi, start=1)]
    else:
        released = released_columns(run.policy, recoded, heights, columns, _map)
    core = [
        *(keys(run.policy) if run.engine.facts.prints_scripts else ()),
        *core_statements(
            run.policy,
            SOURCE,
            FAILING,
            STAGED,
            released,
            recoded=recoded,
            columns=columns,
            named=_step,
            moved=MOVED,
        ),
    ]
    return _text(run, core)


def in_parts(column: Column, map_: exp.Table) -> Released:
    """Say how a column in parts is released: by a map that says of each value what its part is."""
    return Released(column, level=1, height=2, table=map_)


def _stage_boxes(
    run: Session, heights: Mapping[str, int], columns: Sequence[ColumnType]
) -> Statement:
    """Say how rows are staged in their boxes, once these are known."""
    released = [
        Boxed(
            each,
            0,
            heights[each.name],
            table(f"kanon_axis_{number}"),
            sides=Shown.of(number - 1, each.output).names,
        )
        for number, each in enumerate(run.policy.quasi, start=1)
    ]
    dealt = None
    if run.policy.search.cuts is Dealing.RELAXED:
        texts = boxing.spread_columns(requirements(run.policy.privacy))
        codes = {text: table(f"kanon_values_{n}") for n, text in enumerate(texts, start=1)}
        dealt = boxing.Dealt(codes, run.policy.entity)
    return boxing.stage_boxes(
        STAGED,
        SOURCE,
        homes=table("kanon_homes"),
        boxes=table("kanon_boxes"),
        policy=run.policy,
        released=released,
        order=[column.name for column in columns],
        dealt=dealt,
    )


def _step(what: str, number: int) -> exp.Table:
    return table(f"kanon_{what}_{number}" if number else "kanon_classes")


def release_script(
    run: Session,
    recoded: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
) -> str:
    """Give the complete script: source, hierarchies, recoding, recount, release."""
    policy = run.policy
    if not recoded.nodes:
        what = (
            f"no script can be printed for what {policy.search.algorithm} cuts; carry the plan out"
        )
        raise InputError(policy.subject, [policy.fault("search.algorithm", what)])
    if not run.engine.facts.prints_scripts:
        what = f"no script can be printed for {run.engine.facts.name} yet; carry the plan out there"
        raise InputError(policy.subject, [Fault("", what)])
    if policy.release is not None and policy.release.view:
        what = "no script can be printed for a view; carry the plan out"
        raise InputError(policy.subject, [Fault("release.view", what)])
    if policy.release is not None and policy.release.in_place is not None:
        what = "a release in place is no script: it depends on what hangs on the table"
        raise InputError(policy.subject, [policy.fault("release", what)])
    _refuse_stores(run)
    released = released_columns(policy, recoded, heights, columns, _map)
    verdicts = _verdicts(policy)
    statements = [
        *(publishing.drop_table(verdict) for verdict in verdicts),
        *(sources.attach(name, run.path(path)) for name, path in policy.attach),
        *_source_statements(run, columns),
        *keys(policy),
    ]
    for number, each in enumerate(released, start=1):
        statements += _map_statements(run, each, number)
    statements += core_statements(
        policy,
        SOURCE,
        FAILING,
        STAGED,
        released,
        recoded=recoded,
        columns=columns,
        named=_step,
        moved=MOVED,
    )
    after = None
    for verdict, (_, recount) in zip(
        verdicts, reversed(verify_statements(policy, STAGED, released)), strict=True
    ):
        keys_, target = (key_names(policy), _target(run)) if verdict is VERDICT else ((), None)
        statements.append(
            recoding.require(
                verdict, SOURCE, FAILING, recount, key_envs=keys_, target=target, after=after
            )
        )
        after = verdict
    statements += [
        sources.first_rows(VERDICT, 1),
        *_release_statements(run, released, columns),
    ]
    return _text(run, statements)


def _refuse_stores(run: Session) -> None:
    """Refuse what the database's own shell cannot reach, or cannot write whole."""
    policy, faults = run.policy, []
    if policy.release is not None and "://" in run.path(policy.release.name):
        what = "no script can be printed for a release to an object store; carry the plan out"
        faults.append(Fault("release", what))
    paths = {f"columns.{c.name}.hierarchy": c.hierarchy.path for c in policy.quasi
             if isinstance(c.hierarchy, CsvHierarchy)}  # fmt: skip
    for where, path in {"source": policy.source.path or "", **paths}.items():
        scheme, mark, _ = run.path(path).partition("://")
        if mark and scheme.lower() not in HTTPFS:
            what = (
                f"no script can be printed for {scheme}://, which the database's shell cannot read"
            )
            faults.append(policy.fault(where, what))
    if faults:
        raise InputError(policy.subject, faults)


def _verdicts(policy: Policy) -> list[exp.Table]:
    """Name a verdict for each set of quasi-identifiers; each needs the one before, the last publishes."""
    others = len(demands(policy.privacy)) - 1
    return [*(table(f"kanon_verdict_{number}") for number in range(others, 0, -1)), VERDICT]


def _source_statements(run: Session, columns: Sequence[ColumnType]) -> list[Statement]:
    """Open the source, see the rows that are meant, and see some columns plainly where need be."""
    policy = run.policy
    where = policy.source.where
    plain = RAW if any(map(seen_plainly, columns)) else SOURCE
    opened = ALL if where is not None else plain
    said = [open_statement(run.engine, policy.source, opened, policy.base)]
    if where is not None:
        said.append(filter_statement(run, plain, ALL, columns, where))
    if plain is RAW:
        said.append(plain_statement(SOURCE, RAW, columns))
    return said


def core_statements(
    policy: Policy,
    source: exp.Table,
    failing: exp.Table,
    staged: exp.Table,
    released: list[Released],
    *,
    recoded: Recoding,
    columns: Sequence[ColumnType],
    named: Callable[[str, int], exp.Table],
    moved: exp.Table,
    rows: int = 0,
    passes: int | None = None,
) -> list[Statement]:
    """Say the statements that recode: where each class goes, which fail, and the staged table.

    `named` names the tables between; `moved` is made where some rows are released at other levels
    than those of the first node. Classes over several sets are suppressed in so many `passes`, or
    as many as the plan's own rows took.
    """
    staging = recoding.stage(
        staged,
        source,
        failing,
        policy,
        released,
        order=[column.name for column in columns],
        rows=rows,
        moved=moved if recoded.moves else None,
    )
    found = _classes(
        policy,
        source,
        failing,
        released,
        recoded=recoded,
        named=named,
        moved=moved,
        rows=rows,
        passes=passes,
    )
    return [*found, staging]


def _classes(
    policy: Policy,
    source: exp.Table,
    failing: exp.Table,
    released: list[Released],
    *,
    recoded: Recoding,
    named: Callable[[str, int], exp.Table],
    moved: exp.Table,
    rows: int,
    passes: int | None,
) -> Iterator[Statement]:
    """Say where each class goes and which fail: the one place that knows each recoding's SQL."""
    entity = policy.entity
    needed = requirements(policy.privacy)
    asked = joint_demands(policy.privacy)
    match recoded:
        case Layers(nodes=nodes):
            return layers.released_in_layers(
                source,
                released,
                nodes,
                needed,
                steps=[named("rest", number) for number in range(len(nodes))],
                moved=moved,
                failing=failing,
                entity=entity,
                rows=rows,
            )
        case Blanked(moves=True):
            rounds = range(1, recoded.blanks.rounds + 1)
            return blanks.released_with_blanks(
                source,
                released,
                recoded.combinations,
                needed,
                steps=[
                    named("classes", 0),
                    named("outliers", 1),
                    *(named("blanks", number) for number in rounds),
                    named("shown", 1),
                ],
                moved=moved,
                failing=failing,
                entity=entity,
                rows=rows,
            )
        case Enforced():
            return recoding.enforced_classes(
                named("short", 1), failing, source, released, needed, entity=entity, rows=rows
            )
        case Boxes():
            raise InternalError("boxes have no classes of levels")
        case FullDomain() | Parts() if asked:
            own = recoded.passes if isinstance(recoded, FullDomain) else 1
            steps = [named("fitting", n) for n in range(max(passes or own, 1) + 1)]
            return recoding.joint_classes(
                steps, failing, source, released, asked, entity=entity, rows=rows
            )
        case FullDomain() | Blanked() | Parts():
            one = recoding.failing_classes(
                failing, source, released, needed, entity=entity, rows=rows
            )
            return iter([one])


def verify_statements(
    policy: Policy, staged: exp.Table, released: Sequence[Released]
) -> list[tuple[Demand, Statement]]:
    """Say the recounts of the staged table, one for each set of quasi-identifiers: all of them first."""
    entity = recoding.hidden_entity(policy) or policy.entity
    said = []
    for demand in demands(policy.privacy):
        of = [r for r in released if not demand.columns or r.column.name in demand.columns]
        recount = publishing.verify(
            staged,
            [name for each in of for name in each.names],
            k=demand.class_size,
            diversities=demand.diversities,
            entity=entity,
        )
        said.append((demand, recount))
    return said


def keys(policy: Policy) -> Iterator[Statement]:
    """Say how a script prepares the secret keys of pseudonyms."""
    for name in key_names(policy):
        yield from recoding.set_keys(name)


def key_names(policy: Policy) -> tuple[str, ...]:
    """Name the environment variables that hold the policy's secrets."""
    hashed = (c for c in policy.with_role(Role.IDENTIFYING) if c.action is Action.HASH)
    return tuple(dict.fromkeys(str(c.key_env) for c in hashed))


def _map(number: int) -> exp.Table:
    return table(f"kanon_map_{number}")


def released_columns(
    policy: Policy,
    recoded: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
    named: Callable[[int], exp.Table],
) -> list[Released]:
    """Give each quasi-identifier the levels it is released at, and the name of its map."""
    # What a database makes of bounds beside decimals or floats may round the values themselves.
    exact = {c.name for c in columns if c.family == "integer"}
    released = []
    for quasi, column in enumerate(policy.quasi):
        level, *others = levels_used(recoded, quasi)
        released.append(
            Released(
                column,
                level,
                heights[column.name],
                named(quasi + 1),
                tuple(others),
                column.name in exact,
                recoded.ranks,
            )
        )
    return released


def _map_statements(run: Session, each: Released, number: int) -> Iterator[Statement]:
    domain = table(f"kanon_domain_{number}")
    paths = table(f"kanon_paths_{number}")
    complete = table(f"kanon_hierarchy_{number}")
    spec = given_hierarchy(each.column)
    yield hierarchies.domain(domain, SOURCE, each.column.name)
    opened = table(f"kanon_hierarchy_source_{number}")
    _, made = path_statements(run, each.column, domain, paths, opened=opened)
    yield from made
    yield hierarchies.paths_complete(complete, paths, domain, spec, each.height)
    yield release_map(each, domain, complete)


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
            STAGED, columns, destination, run.path(destination.name), verdict=VERDICT
        )


def _text(run: Session, statements: list[Statement]) -> str:
    return "\n\n".join(f"{s.render(run.engine.dialect)};" for s in statements) + "\n"
