"""Builds a release as one query of named steps: labels, classes, failing ones, staged rows, recount.

Releases to tables, files and views execute the steps; scripts and plans print them. For a database that is out of
reach they are one statement: see `warehouse_sql`.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.hierarchies.mapping import NewColumn
from kanon_sql.counting.source.column_problems import key_check, pseudonym_secret
from kanon_sql.engines import commands_sql
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.labels_sql import Released, SourceRows
from kanon_sql.policy.hierarchies.mapping_sql import domain_codes
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.policy_rules import check_counted
from kanon_sql.policy.privacy.candidates_sql import verify_candidates
from kanon_sql.policy.privacy.demands import beside_others, demands, joint_demands, requirements
from kanon_sql.policy.privacy.fitting_sql import ClassPopulation, ValueNodes
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.label_codes import CodedRows
from kanon_sql.recoding.recount import recount_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.exposed_rows import Tabulated
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.recoding.class_values_sql import ClassValues
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.recode import Recoder

    TableNames = Callable[[str, int], exp.Table]

SOURCE = table("kanon_source")
STAGED = table("kanon_staged")
POPULATION = table("kanon_population")
BY_BYTES = frozenset({"text", "other"})
"""The families of types whose values are sorted by their texts' bytes if the policy states no order."""
ALL_ROWS = table("kanon_source_with_nulls")
"""In scripts and plans, the source with the rows that `nulls: suppress` excludes from `SOURCE`."""


def script_table(what: str, number: int = 0) -> exp.Table:
    """Return a readable name for a table between steps, for scripts and plans."""
    return table(f"kanon_{what}_{number}" if number else f"kanon_{what}")


@dataclass(frozen=True, slots=True)
class ReleaseQuery:
    """The steps of a release: the statements of a step read the tables of the steps before it.

    `labels` create the label of each value, `classes` the equivalence classes and the failing ones, `staging` the
    released rows. `failing` is None if every class fits by itself. `order` has the columns of the source. `compared`
    creates the labels of a `population`, which recounts compare the release with. `all_rows` is the source with the
    rows of NULL, if these were excluded. If labels were staged as `codes`, the staged table is a view of these.
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
        """The names of the released columns of quasi-identifiers."""
        return [name for each in self.released for name in each.names]

    @property
    def columns(self) -> list[str]:
        """The names of the release's columns, in the order of the source's columns."""
        return staging_sql.output_columns(self.policy, self.released, self.order)

    @property
    def rows(self) -> CodedRows:
        """The staged rows for counting: with codes of labels, if there are any."""
        return self.codes or CodedRows(self.staged, tuple(self.columns), {}, {})

    def with_masks(
        self, columns: Sequence[ColumnType], tabulated: Tabulated | None = None
    ) -> ReleaseQuery:
        """Return the query that masks columns as the policy says, of the source's `columns`."""
        staging = staging_sql.with_masks(self.staging, self.policy, columns, tabulated)
        return self if staging is self.staging else replace(self, staging=staging)

    def recounts(self) -> list[tuple[Demand, Statement]]:
        """Return the recount of the staged rows over each set of quasi-identifiers, that of all of them first.

        The source is read only if a model compares a class with the values of all rows. Raises
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


@dataclass(frozen=True, slots=True)
class RowsToRecode:
    """The rows of a source, or of a script, with the tables that a recoding reads and names.

    `columns` are those of the source, `quasi` the values and paths of its quasi-identifiers. `many` is the number of
    rows; 0 if it is unknown.
    """

    policy: Policy
    source: exp.Table
    columns: Sequence[ColumnType]
    quasi: Sequence[NewColumn]
    heights: Mapping[str, int]
    boundaries: exp.Table | None
    named: TableNames
    many: int = 0

    @classmethod
    def of(cls, run: Session, planned: Planned, boundaries: exp.Table | None) -> RowsToRecode:
        """Return the rows of a plan's source, with tables of the run."""
        quasi = [
            NewColumn(m.column, m.domain, m.paths, m.hierarchy.height, m.above, m.nulls)
            for m in planned.mapped
        ]
        opened = planned.opened
        return cls(
            run.policy,
            opened.table,
            opened.columns,
            quasi,
            planned.plan.heights,
            boundaries,
            lambda what, _: run.scratch.table(what),
            opened.rows,
        )

    @property
    def order(self) -> list[str]:
        """The names of the source's columns."""
        return [column.name for column in self.columns]

    @property
    def given(self) -> exp.Table:
        """The table of boundaries, which the recoding must have."""
        if self.boundaries is None:
            raise InternalError("a recoding by boundaries is carried out without them")
        return self.boundaries


def query_at_levels(
    rows: RowsToRecode,
    recoder: Recoder[Recoding],
    released: Sequence[Released],
    *,
    staged: exp.Table,
    labels: Iterable[Statement] = (),
    passes: int | None = None,
    population: exp.Table | None = None,
    nodes: Mapping[str, ValueNodes] | None = None,
    all_rows: exp.Table | None = None,
) -> ReleaseQuery:
    """Return the query of a recoding whose columns have labels: of any recoding but regions.

    Classes over several sets are suppressed in `passes` passes, by default as many as the plan's own rows took. If
    sensitive values distinguish classes of a set, these values are numbered, and some rows of a class may be
    suppressed alone. Models that compare with the source read `all_rows`, if rows were excluded from `source`.
    """
    policy, source, named, many = rows.policy, rows.source, rows.named, rows.many
    check_counted(policy, Channel.RELEASE)
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
        numbering.append(domain_codes(codes, source, text, rows=many))
    counted = SourceRows(source, told_apart, needed, policy.entity, many, beside, above, all_rows)
    steps = ClassSteps(policy, counted, failing, named, moved)
    left = moved if recoder.recoding.moves else None
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
            by_bytes=frozenset(each.name for each in rows.columns if each.family in BY_BYTES),
            floating=frozenset(each.name for each in rows.columns if each.family == "float"),
            failing=failing,
            moved=left,
            rows=many,
        )
    staging = staging_sql.stage(
        staged,
        source,
        failing,
        policy,
        told_apart,
        order=rows.order,
        rows=many,
        moved=left,
        of_classes=found,
    )
    classes = [*numbering, *recoder.classes(steps, passes), *(found.steps if found else ())]
    made = ReleaseQuery(
        policy,
        source,
        staged,
        released,
        rows.order,
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
    """Add steps that count a population by the release's classes, and label its rows for the recount.

    The source's rows are labeled too if a class of the population without a row of the source fails: released rows
    alone do not show that.
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
class ClassSteps:
    """The rows whose classes a recoding counts, and the tables that its statements create.

    `moved` is the table with the node of each class that is not released at the first node.
    """

    policy: Policy
    rows: SourceRows
    failing: exp.Table
    named: TableNames
    moved: exp.Table

    def tables(self, what: str, count: int) -> list[exp.Table]:
        """Return the names of the table of all classes and of the `count` - 1 tables made from it."""
        return [self.named("classes", 0), *(self.named(what, n) for n in range(1, count))]

    def unfit(self) -> Iterator[Statement]:
        """Yield the statements that create the classes, and the table of those that fail by themselves."""
        of = staging_sql.failing_persons if self.policy.signature else staging_sql.unfit_classes
        return of(self.failing, self.rows, steps=self.tables("fitting", 2))


def keys(policy: Policy) -> Iterator[Statement]:
    """Yield a script's statements that prepare the secret keys of pseudonyms."""
    for name in key_names(policy):
        yield from commands_sql.set_keys(name)


def key_names(policy: Policy) -> tuple[str, ...]:
    """Return the names of the environment variables that hold the policy's secrets.

    The one by whose hashes rows are dealt is among them also where its column is not released, but counted.
    """
    keyed = (c for c in policy.columns if c.keyed or c.name == policy.dealt_by)
    return tuple(dict.fromkeys(str(c.key_env) for c in keyed))


def key_checks(policy: Policy) -> dict[str, str]:
    """Return the first digits of a hash under each set secret of the policy, by environment variable."""
    return {name: key_check(name) for name in key_names(policy) if pseudonym_secret(name)}


def text_of(statements: Sequence[Statement], dialect: str) -> str:
    return "\n\n".join(f"{s.render(dialect)};" for s in statements) + "\n"
