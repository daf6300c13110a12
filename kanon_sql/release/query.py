"""The statements that recode and recount, whoever runs them: `apply`, a view, a script, a plan's own text."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.engines import pseudonym_keys_sql
from kanon_sql.errors import InternalError
from kanon_sql.hierarchies.labels_sql import Boxed, Released, SourceRows
from kanon_sql.plans.recodings import (
    Blanked,
    Boxes,
    Enforced,
    FullDomain,
    Layers,
    Parts,
    levels_used,
)
from kanon_sql.policy.counted import check_counted
from kanon_sql.policy.search_options import Dealing, Mondrian
from kanon_sql.privacy.demands import (
    demands,
    joint_demands,
    requirements,
    sensitive_attributes,
)
from kanon_sql.privacy.privacy_model import Channel
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.local_suppression import suppress_cells_sql
from kanon_sql.recoding.multi_node import remainder_sql
from kanon_sql.recoding.multidimensional import assign_regions_sql
from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels
from kanon_sql.release import recount_sql
from kanon_sql.sql.quoting import table
from kanon_sql.sql.words import DUCKDB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.plans.recodings import Recoding
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

SOURCE = table("kanon_source")
FAILING = table("kanon_failing_classes")
STAGED = table("kanon_staged")
MOVED = table("kanon_moved")


def plan_sql(
    run: Session,
    recoded: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
) -> str:
    """Give the recoding's own statements for the plan file: what a reviewer should read."""
    if isinstance(recoded, Boxes):
        own = [*_keys_of(run), _stage_regions(run, heights, columns)]
        return text_of(own, run.engine.dialect)
    if isinstance(recoded, Parts):
        released = [
            in_parts(each, map_table(n)) for n, each in enumerate(run.policy.quasi, start=1)
        ]
    else:
        released = released_columns(run.policy, recoded, heights, columns, map_table)
    core = [
        *_keys_of(run),
        *core_statements(
            run.policy,
            SOURCE,
            FAILING,
            STAGED,
            released,
            recoded=recoded,
            columns=columns,
            named=step_table,
            moved=MOVED,
        ),
    ]
    return text_of(core, run.engine.dialect)


def _keys_of(run: Session) -> Iterator[Statement]:
    """Say how keys are prepared where a shell of the database could do that."""
    return keys(run.policy) if run.engine.dialect == DUCKDB else iter(())


def in_parts(column: Column, map_: exp.Table) -> Released:
    """Say how a column in parts is released: by a map that says of each value what its part is."""
    return Released(column, level=1, height=2, table=map_)


def _stage_regions(
    run: Session, heights: Mapping[str, int], columns: Sequence[ColumnType]
) -> Statement:
    """Stage rows by their regions, once these are known."""
    released = [
        Boxed(
            each,
            0,
            heights[each.name],
            table(f"kanon_axis_{number}"),
            sides=RegionLabels.of(number - 1, each.output).names,
        )
        for number, each in enumerate(run.policy.quasi, start=1)
    ]
    relaxed = None
    options = run.policy.search.options
    if isinstance(options, Mondrian) and options.cuts is Dealing.RELAXED:
        counted = sensitive_attributes(requirements(run.policy.privacy))
        codes = {each: table(f"kanon_values_{n}") for n, each in enumerate(counted, start=1)}
        relaxed = assign_regions_sql.RowOrder(codes, run.policy.entity)
    return assign_regions_sql.stage_regions(
        STAGED,
        SOURCE,
        assigned=table("kanon_region_of_tuple"),
        regions=table("kanon_regions"),
        policy=run.policy,
        released=released,
        order=[column.name for column in columns],
        relaxed=relaxed,
    )


def step_table(what: str, number: int) -> exp.Table:
    return table(f"kanon_{what}_{number}" if number else "kanon_classes")


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
    check_counted(policy, Channel.RELEASE)
    staging = staging_sql.stage(
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
    of = SourceRows(source, released, requirements(policy.privacy), policy.entity, rows)
    asked = joint_demands(policy.privacy)
    match recoded:
        case Layers(nodes=nodes):
            return remainder_sql.released_at_nodes(
                of,
                nodes,
                steps=[named("remainder", number) for number in range(len(nodes))],
                moved=moved,
                failing=failing,
            )
        case Blanked(moves=True):
            rounds = range(1, recoded.blanks.rounds + 1)
            return suppress_cells_sql.released_with_suppressed_cells(
                of,
                recoded.combinations,
                steps=[
                    named("classes", 0),
                    named("outliers", 1),
                    *(named("suppressed", number) for number in rounds),
                    named("after_suppression", 1),
                ],
                moved=moved,
                failing=failing,
            )
        case Enforced():
            steps = [named("fitting", n) for n in range(2)]
            return staging_sql.enforced_classes(named("short", 1), failing, of, steps=steps)
        case Boxes():
            raise InternalError("boxes have no classes of levels")
        case FullDomain() | Parts() if asked:
            own = recoded.passes if isinstance(recoded, FullDomain) else 1
            steps = [named("fitting", n) for n in range(max(passes or own, 1) + 1)]
            return staging_sql.joint_classes(steps, failing, of, asked)
        case FullDomain() | Blanked() | Parts():
            steps = [named("fitting", n) for n in range(2)]
            return staging_sql.unfit_classes(failing, of, steps=steps)
        case _:
            assert_never(recoded)


def verify_statements(
    policy: Policy, staged: exp.Table, source: exp.Table, released: Sequence[Released]
) -> list[tuple[Demand, Statement]]:
    """Say the recounts of the staged table, one for each set of quasi-identifiers: all of them first.

    The source is read only where a model compares a class with the values of all rows.
    """
    check_counted(policy, Channel.RELEASE)
    entity = staging_sql.hidden_entity(policy) or policy.entity
    said = []
    for demand in demands(policy.privacy):
        of = [r for r in released if not demand.columns or r.column.name in demand.columns]
        recount = recount_sql.verify(
            staged,
            [name for each in of for name in each.names],
            demand.requirements,
            entity=entity,
            source=source,
        )
        said.append((demand, recount))
    return said


def keys(policy: Policy) -> Iterator[Statement]:
    """Say how a script prepares the secret keys of pseudonyms."""
    for name in key_names(policy):
        yield from pseudonym_keys_sql.set_keys(name)


def key_names(policy: Policy) -> tuple[str, ...]:
    """Name the environment variables that hold the policy's secrets."""
    return tuple(dict.fromkeys(str(c.key_env) for c in policy.columns if c.pseudonym))


def map_table(number: int) -> exp.Table:
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


def text_of(statements: list[Statement], dialect: str) -> str:
    return "\n\n".join(f"{s.render(dialect)};" for s in statements) + "\n"
