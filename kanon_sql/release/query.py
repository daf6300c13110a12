"""A release as one query of named steps; who executes or prints them is another matter.

Labels, classes with those that fail, staged rows, recount: a table, files and a view execute them, a script
and a plan's own text print them. A database that is not here gets them as one statement: `warehouse_sql`.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.engines import pseudonym_keys_sql
from kanon_sql.errors import InternalError
from kanon_sql.hierarchies.labels_sql import Released, ReleasedRegions, SourceRows
from kanon_sql.hierarchies.mapping_sql import domain_codes
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.recodings import (
    Enforced,
    FullDomain,
    LocalSuppression,
    Multidimensional,
    MultiNode,
    SingleDimensional,
    WithoutSmallest,
    levels_used,
)
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.policy_rules import check_counted
from kanon_sql.privacy.candidates_sql import verify_candidates
from kanon_sql.privacy.demands import (
    beside_others,
    demands,
    joint_demands,
    requirements,
    sensitive_attributes,
)
from kanon_sql.privacy.fitting_sql import ClassPopulation, ValueNodes
from kanon_sql.privacy.populations import population_of
from kanon_sql.privacy.privacy_model import Channel
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.label_codes_sql import CodedRows
from kanon_sql.recoding.local_suppression import suppress_cells_sql
from kanon_sql.recoding.multi_node import remainder_sql
from kanon_sql.release.recount_sql import recount_statement
from kanon_sql.source.column_problems import key_check, pseudonym_secret
from kanon_sql.sql.quoting import table
from kanon_sql.sql.words import DUCKDB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.plans.recodings import Recoding
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.recoding.class_values_sql import ClassValues
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

    TableNames = Callable[[str, int], exp.Table]

SOURCE = table("kanon_source")
STAGED = table("kanon_staged")
POPULATION = table("kanon_population")
BY_BYTES = frozenset({"text", "other"})
"""The families of types whose values stand by the bytes of their texts, where no order is stated."""
ALL_ROWS = table("kanon_source_with_nulls")
"""The source of scripts and plans, with the rows that `nulls: suppress` leaves out of it."""


def script_table(what: str, number: int = 0) -> exp.Table:
    """Name a table between the steps where people read its name: in scripts and plans."""
    return table(f"kanon_{what}_{number}" if number else f"kanon_{what}")


@dataclass(frozen=True, slots=True)
class ReleaseQuery:
    """The steps of a release: each is statements over the tables that the steps before it make.

    `labels` say what each value is released as, `classes` which equivalence classes there are and
    which of them fail, `staging` the rows that are released. There is no table of `failing` classes
    where every class fits by itself. `order` has the columns of the source. A recount compares the release with the
    labels of a `population`, which the steps `compared` write. `all_rows` is the source with the rows of NULL that were
    left out of it, where any were. Where labels were staged as `codes`, the staged table is a view of these.
    """

    policy: Policy
    source: exp.Table
    staged: exp.Table
    released: Sequence[Released]
    order: Sequence[str]
    staging: Statement
    labels: Sequence[Statement] = ()
    classes: Sequence[Statement] = ()
    failing: exp.Table | None = None
    compared: Sequence[Statement] = ()
    population: ClassPopulation | None = None
    nodes: Mapping[str, ValueNodes] = field(default_factory=dict)
    all_rows: exp.Table | None = None
    codes: CodedRows | None = None

    @property
    def before_staging(self) -> list[Statement]:
        return [*self.labels, *self.classes, *self.compared]

    @property
    def quasi(self) -> list[str]:
        """Name the released quasi-identifiers."""
        return [name for each in self.released for name in each.names]

    @property
    def columns(self) -> list[str]:
        """Name the columns of the release, in the order of the source's columns."""
        return staging_sql.output_columns(self.policy, self.released, self.order)

    @property
    def rows(self) -> CodedRows:
        """Give the staged rows as they are counted: with codes, where there are any."""
        return self.codes or CodedRows(self.staged, tuple(self.columns), {})

    def recounts(self) -> list[tuple[Demand, Statement]]:
        """Recount the staged rows, over each set of quasi-identifiers: all of them first.

        The source is read only where a model compares a class with the values of all rows. Raises
        InputError where a model of the policy cannot be recounted.
        """
        check_counted(self.policy, Channel.RELEASE)
        entity = staging_sql.hidden_entity(self.policy) or self.policy.entity
        found = []
        for demand in demands(self.policy.privacy):
            of = [
                each
                for each in self.released
                if not demand.columns or each.column.name in demand.columns
            ]
            quasi = [*(name for each in of for name in each.names), *demand.beside]
            if self.policy.nulls is Nulls.WILDCARD:
                candidates = verify_candidates(self.staged, quasi, least=demand.class_size)
                found.append((demand, candidates))
                continue
            rows = self.rows
            statement = recount_statement(
                rows.table,
                quasi,
                demand.recounted,
                codes=rows.coded,
                entity=entity,
                signature=self.policy.signature,
                source=self.all_rows or self.source,
                of_source=self.policy.entity,
                population=self.population,
                nodes=self.nodes,
            )
            found.append((demand, statement))
        return found


def query_at_levels(
    policy: Policy,
    recoding: Recoding,
    released: Sequence[Released],
    *,
    source: exp.Table,
    staged: exp.Table,
    columns: Sequence[ColumnType],
    named: TableNames,
    labels: Iterable[Statement] = (),
    rows: int = 0,
    passes: int | None = None,
    population: exp.Table | None = None,
    nodes: Mapping[str, ValueNodes] | None = None,
    all_rows: exp.Table | None = None,
) -> ReleaseQuery:
    """Give the query of a recoding whose columns have labels: all but regions.

    Classes over several sets are suppressed in so many `passes`, or as many as the plan's own rows took. Where they are
    told apart by the values of sensitive columns, these are numbered, and rows of one class may be suppressed alone. The
    values of `all_rows` are compared with, where rows were left out of the source.
    """
    check_counted(policy, Channel.RELEASE)
    order = [column.name for column in columns]
    failing, moved = named("failing_classes", 0), named("moved", 0)
    of_classes = named("population_classes", 0)
    beside = None if population is None else ClassPopulation(of_classes, weighted=True)
    needed = requirements(policy.privacy)
    above = nodes or {}
    told_apart = list(released)
    numbering = []
    for number, text in enumerate(beside_others(joint_demands(policy.privacy)), start=1):
        (of,) = (each for each in policy.columns if each.name == text)
        codes = named("beside", number)
        told_apart.append(Released(of, 0, 1, codes))
        numbering.append(domain_codes(codes, source, text, rows=rows))
    counted = SourceRows(source, told_apart, needed, policy.entity, rows, beside, above, all_rows)
    steps = _Classes(policy, counted, failing, named, moved)
    left = moved if recoding.moves else None
    found: ClassValues | None = None
    if policy.of_rows:
        from kanon_sql.recoding.class_values_sql import (  # noqa: PLC0415  few columns are released so
            values_of_classes,
        )

        found = values_of_classes(
            policy,
            staging_sql.recoded(source, policy, told_apart, [], with_hidden=False),
            told_apart,
            named,
            by_bytes=frozenset(each.name for each in columns if each.family in BY_BYTES),
            failing=failing,
            moved=left,
            rows=rows,
        )
    staging = staging_sql.stage(
        staged,
        source,
        failing,
        policy,
        told_apart,
        order=order,
        rows=rows,
        moved=left,
        of_classes=found,
    )
    classes = [*numbering, *steps.of(recoding, passes), *(found.steps if found else ())]
    made = ReleaseQuery(
        policy,
        source,
        staged,
        released,
        order,
        staging,
        list(labels),
        classes,
        failing,
        nodes=above,
        all_rows=all_rows,
    )
    return made if population is None else _beside(made, population, of_classes, named)


def _beside(
    query: ReleaseQuery, population: exp.Table, of_classes: exp.Table, named: TableNames
) -> ReleaseQuery:
    """Count a population by the classes of a release before these, and label its rows for the recount.

    The source's rows too, where a class of the population without one fails: those of the release are not all.
    """
    policy, released = query.policy, query.released
    labels, all_labels = named("population_labels", 0), None
    compared = [staging_sql.labels_of(labels, population, policy, released)]
    if any(each.measure.of_absent for each in requirements(policy.privacy)):
        all_labels = named("source_labels", 0)
        compared.append(staging_sql.labels_of(all_labels, query.source, policy, released))
    counted = SourceRows(population, released, (), None).classes(of_classes)
    return replace(
        query,
        classes=[counted, *query.classes],
        compared=compared,
        population=ClassPopulation(labels, classes=all_labels, source=query.source),
    )


@dataclass(frozen=True, slots=True)
class _Classes:
    """Where the classes of a release are counted: the one place that knows each recoding's SQL.

    `moved` has the node of each class that is not released at the first one.
    """

    policy: Policy
    rows: SourceRows
    failing: exp.Table
    named: TableNames
    moved: exp.Table

    def of(self, recoding: Recoding, passes: int | None) -> Iterator[Statement]:
        """Find the classes of a recoding, and those of them that fail."""
        joint = joint_demands(self.policy.privacy)
        match recoding:
            case MultiNode(nodes=nodes):
                return remainder_sql.released_at_nodes(
                    self.rows,
                    nodes,
                    steps=self._steps("remainder", len(nodes)),
                    moved=self.moved,
                    failing=self.failing,
                )
            case LocalSuppression(moves=True):
                rounds = range(1, recoding.suppressed_cells.rounds + 1)
                return suppress_cells_sql.released_with_suppressed_cells(
                    self.rows,
                    recoding.combinations,
                    steps=[
                        *self._steps("outliers", 2),
                        *(self.named("suppressed", number) for number in rounds),
                        self.named("after_suppression", 1),
                    ],
                    moved=self.moved,
                    failing=self.failing,
                )
            case Enforced() | WithoutSmallest():
                short, steps, also = (
                    self.named("short", 1),
                    self._steps("fitting", 2),
                    recoding.smallest,
                )
                return staging_sql.enforced_classes(
                    short, self.failing, self.rows, steps=steps, smallest=also
                )
            case Multidimensional():
                raise InternalError("regions have no classes of levels")
            case FullDomain(passes=own) if own and self.policy.nulls is Nulls.WILDCARD:
                return staging_sql.classes_without_candidates(
                    self._steps("fitting", (passes or own) + 1),
                    self.failing,
                    self.rows,
                    least=demands(self.policy.privacy)[0].class_size,
                )
            case FullDomain() | SingleDimensional() if joint:
                own = recoding.passes if isinstance(recoding, FullDomain) else 1
                steps = self._steps("fitting", max(passes or own, 1) + 1)
                return staging_sql.joint_classes(steps, self.failing, self.rows, joint)
            case FullDomain() | LocalSuppression() | SingleDimensional():
                of = (
                    staging_sql.failing_persons
                    if self.policy.signature
                    else staging_sql.unfit_classes
                )
                return of(self.failing, self.rows, steps=self._steps("fitting", 2))
            case _:
                assert_never(recoding)

    def _steps(self, what: str, count: int) -> list[exp.Table]:
        """Name the table of all classes, and those that follow from it."""
        return [self.named("classes", 0), *(self.named(what, n) for n in range(1, count))]


def plan_sql(
    run: Session,
    recoding: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
    value_heights: Mapping[str, int] | None = None,
) -> str:
    """Give the recoding's own statements for the plan file: what a reviewer should read.

    `value_heights` are those of the hierarchies of sensitive columns, where a model reads them.
    """
    policy, dialect = run.policy, run.engine.dialect
    # How keys are prepared is printed where a shell of the database could do that.
    prepared = keys(policy) if dialect == DUCKDB else ()
    if isinstance(recoding, Multidimensional):
        return text_of([*prepared, _stage_regions(policy, heights, columns)], dialect)
    if isinstance(recoding, SingleDimensional):
        released = [
            in_intervals(each, script_table("map", n))
            for n, each in enumerate(policy.quasi, start=1)
        ]
    else:
        released = released_columns(policy, recoding, heights, columns, script_table)
    query = query_at_levels(
        policy,
        recoding,
        released,
        source=SOURCE,
        staged=STAGED,
        columns=columns,
        named=script_table,
        population=None if population_of(policy.privacy) is None else POPULATION,
        nodes={
            text: ValueNodes(script_table("nodes", n), height)
            for n, (text, height) in enumerate((value_heights or {}).items(), start=1)
        },
        all_rows=ALL_ROWS if policy.nulls is Nulls.SUPPRESS else None,
    )
    return text_of([*prepared, *query.classes, query.staging], dialect)


def in_intervals(column: Column, map_: exp.Table) -> Released:
    """Release a column by a map that gives each value the interval or node that it lies in."""
    return Released(column, level=1, height=2, table=map_)


def _stage_regions(
    policy: Policy, heights: Mapping[str, int], columns: Sequence[ColumnType]
) -> Statement:
    """Stage rows by their regions, once these are known."""
    from kanon_sql.recoding.multidimensional import (  # noqa: PLC0415  few plans have regions
        assign_regions_sql,
        regions_sql,
    )

    released = [
        ReleasedRegions(
            each,
            0,
            heights[each.name],
            script_table("axis", number),
            boundaries=regions_sql.RegionLabels.of(number - 1, each.output).names,
        )
        for number, each in enumerate(policy.quasi, start=1)
    ]
    relaxed = None
    if policy.search.options.overlapping:
        counted = sensitive_attributes(requirements(policy.privacy))
        codes = {each: script_table("values", n) for n, each in enumerate(counted, start=1)}
        relaxed = assign_regions_sql.RowOrder(None, codes, policy.entity)
    return assign_regions_sql.stage_regions(
        STAGED,
        SOURCE,
        assigned=script_table("region_of_tuple"),
        regions=script_table("regions"),
        policy=policy,
        released=released,
        order=[column.name for column in columns],
        relaxed=relaxed,
    )


def keys(policy: Policy) -> Iterator[Statement]:
    """Prepare the secret keys of pseudonyms in a script."""
    for name in key_names(policy):
        yield from pseudonym_keys_sql.set_keys(name)


def key_names(policy: Policy) -> tuple[str, ...]:
    """Name the environment variables that hold the policy's secrets."""
    return tuple(dict.fromkeys(str(c.key_env) for c in policy.columns if c.pseudonym))


def key_checks(policy: Policy) -> dict[str, str]:
    """Give the first digits of a hash under each secret of the policy that is set, by its environment variable."""
    return {name: key_check(name) for name in key_names(policy) if pseudonym_secret(name)}


def released_columns(
    policy: Policy,
    recoding: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
    named: TableNames,
) -> list[Released]:
    """Give each quasi-identifier the levels it is released at, and the name of its map."""
    # What a database makes of bounds beside decimals or floats may round the values themselves.
    exact = {c.name for c in columns if c.family == "integer"}
    released = []
    for quasi, column in enumerate(policy.quasi):
        level, *others = levels_used(recoding, quasi)
        released.append(
            Released(
                column,
                level,
                heights[column.name],
                named("map", quasi + 1),
                tuple(others),
                column.name in exact,
                recoding.ranks,
            )
        )
    return released


def text_of(statements: Sequence[Statement], dialect: str) -> str:
    return "\n\n".join(f"{s.render(dialect)};" for s in statements) + "\n"
