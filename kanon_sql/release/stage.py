"""Recodes the source into a staging table, recounts it and its risks there, and lists what each way of releasing refuses.

An `Executor` is one way to execute the query of a release, with its reasons. Whether a dialect can express one column
is checked where that column is written: `warehouse_script`.
"""

from __future__ import annotations

from dataclasses import field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, get_args

from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.recodings import (
    Enforced,
    FullDomain,
    LocalSuppression,
    Multidimensional,
    MultiNode,
    Recoding,
    SingleDimensional,
    Way,
)
from kanon_sql.counting.source.released_types import misfit_problems, typed_rows, types_of_release
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.policy_rules import linking_columns, uncounted_problems
from kanon_sql.policy.privacy.demands import (
    beside_others,
    demands,
    requirements,
    sensitive_attributes,
)
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.policy.privacy.risks import (
    BOUNDS,
    ReleaseRisk,
    attacker_risk,
    marketer_risk,
    risk_figures,
    size_counts,
)
from kanon_sql.policy.search import Recode
from kanon_sql.policy.search_options import Algorithm
from kanon_sql.recoding import measured, staging_sql
from kanon_sql.recoding.label_codes import TEXT, stage_rows
from kanon_sql.recoding.linked_rows import count_linked, count_unique
from kanon_sql.recoding.new_rows.boundaries import recode_new
from kanon_sql.recoding.recode import keys_in_session, recode, tabulated_masks
from kanon_sql.recoding.recount import recount, recount_new
from kanon_sql.release.added_rows import AddedRows
from kanon_sql.release.protected_lists import stage_and_mask

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.plans.shown_plan import TextType
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.mask import Mask
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.risks import RiskFigures, SizeCount
    from kanon_sql.policy.search import Search
    from kanon_sql.recoding.new_rows.boundaries import NewRows
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery
    from kanon_sql.recoding.recount import Verification


RECODINGS: dict[type[Recoding], str] = {each: each.phrase for each in get_args(Recoding)}
"""A phrase for messages on each kind of recoding."""


AS_VALUES = frozenset({Nulls.CATEGORY, Nulls.REFUSE})
LEAVING_OUT = AS_VALUES | {Nulls.SUPPRESS}
NOT_AS_VALUES = {
    Nulls.SUPPRESS: "it does not leave out rows with NULL",
    Nulls.WILDCARD: "it does not count the candidates of a row whose NULLs match any value",
}
"""The reason for messages why an executor cannot treat NULL in this way."""


def _masks_all(mask: Mask) -> str:
    del mask
    return ""


NO_SERIES = (
    "it makes each release by itself, and does not remember which rows the others have shown"
)


@dataclass(frozen=True, slots=True)
class Executor:
    """One way to execute the query of a release, with the reasons why it cannot release certain policies.

    An empty reason means that it can. `counts_whole` is true if it counts classes over all quasi-identifiers even if
    the policy requires nothing of these classes. `counts` is the channel in which models are counted. Each recoding
    states whether it can take the `way`; without one all can.
    """

    name: str
    counts: Channel = Channel.RELEASE
    way: Way | None = None
    no_recoding: str = ""
    no_of_rows: str = ""
    no_sets: str = ""
    no_beside: str = ""
    counts_whole: bool = True
    no_pseudonym: str = ""
    why_no_mask: Callable[[Mask], str] = _masks_all
    no_condition: str = ""
    no_weight: str = ""
    no_frequency_set: str = ""
    nulls: frozenset[Nulls] = AS_VALUES
    no_signature: str = ""
    no_series: str = NO_SERIES
    instead: str = "use kanon-sql apply, and release to a table or to files"

    @property
    def recodings(self) -> frozenset[type[Recoding]]:
        """The kinds of recoding that this executor can release."""
        return frozenset(each for each in RECODINGS if self.way is None or self.way in each.ways)

    def refusal(self, what: str, why: str) -> str:
        """Return the message that this executor cannot release `what`, and why, with the alternative."""
        instead = "" if why in {NO_ROWS, NO_TYPES} else f"; {self.instead}"
        return f"{self.name} cannot release {what}: {why}{instead}"


RECODED_BY: dict[Channel, type[Recoding]] = {
    Channel.REGIONS: Multidimensional,
    Channel.CUTS: SingleDimensional,
    Channel.DATAFLY: Enforced,
    Channel.LOCAL_SUPPRESSION: LocalSuppression,
}
"""The searches whose recoding is not FullDomain, by what counts their classes. The recoding of the plan itself is checked again."""

NO_KEY = "it has no safe place for the key of a pseudonym"
NO_BOUNDARIES = "it cannot read the file of boundaries beside the plan"
ONE_STATEMENT = "it is one statement, which counts the classes of one node; plan --algorithm optimal chooses one"
ONE_SET = "it counts the classes over one set of quasi-identifiers"
WHOLE_CLASSES = "it keeps or suppresses whole classes, and some of their rows may have to go"

COUNTS_ROWS = "its statements count each row of the source as one"
LABELS_ALONE = "it has the labels of values, and not what the rows of a class have together"
NO_TYPES = (
    "it reads a database that kanon-sql plans in, and needs the types of all columns; plan there"
)
NO_ROWS = "it has tuples, and not the rows of the source; kanon-sql compile --dialect prints the script that has them"

TABLE = Executor("a table", nulls=frozenset(Nulls), no_frequency_set=NO_ROWS)
FILES = Executor("a release to files", nulls=frozenset(Nulls), no_frequency_set=NO_ROWS)
NEW_ROWS = Executor(
    "a release of new rows",
    Channel.NEW_ROWS,
    nulls=LEAVING_OUT,
    way=Way.NEW_ROWS,
    no_recoding="it keeps or suppresses each class by itself",
    no_frequency_set=NO_ROWS,
)
ADDED_PARTITIONS = Executor(
    "a release of new partitions",
    Channel.NEW_ROWS,
    nulls=LEAVING_OUT,
    way=Way.ADDED_PARTITIONS,
    no_recoding="what a row is released as depends on the rows beside it there",
    no_of_rows="each partition would change what classes have that are published",
    no_sets="rows that are suppressed for one set could not be taken from partitions that are published",
    no_beside=WHOLE_CLASSES,
    no_signature="the rows of a person lie in partitions that are published",
    no_frequency_set=NO_ROWS,
    instead="release all partitions to a new folder",
    why_no_mask=attrgetter("no_new_rows"),
)
SERIES = Executor(
    "a series",
    Channel.NEW_ROWS,
    nulls=LEAVING_OUT,
    way=Way.ADDED_PARTITIONS,
    no_recoding="what a row is released as depends on the rows beside it, which come and go",
    no_of_rows="rows that come and go would change what is released",
    no_sets="rows that appear together for one set may not do so for another",
    no_beside=WHOLE_CLASSES,
    no_weight=COUNTS_ROWS,
    no_frequency_set=NO_ROWS,
    no_signature="the rows of a person appear in several releases",
    no_series="",
    why_no_mask=attrgetter("no_new_rows"),
    instead="say search: {algorithm: optimal}, or leave series out",
)
IN_PLACE = Executor(
    "a release in place",
    nulls=frozenset(Nulls),
    no_condition="rows that the condition leaves out would be removed",
    no_weight="the table has one row for several",
    no_frequency_set=NO_ROWS,
)
VIEW = Executor(
    "a view",
    nulls=LEAVING_OUT,
    way=Way.VIEW,
    no_recoding="it shows every value of a column at one level",
    no_of_rows="it shows rows to come, which would change what their class has",
    no_beside=WHOLE_CLASSES,
    no_pseudonym="whoever reads it would need the key of the pseudonym",
    why_no_mask=attrgetter("no_view"),
    no_condition="it is over the whole source; make a view of those rows the source",
    no_weight=COUNTS_ROWS,
    no_frequency_set=NO_ROWS,
    no_signature="it would need a table of the people who are left out, beside it",
)
SCRIPT = Executor(
    "a script",
    Channel.SCRIPT,
    nulls=LEAVING_OUT,
    no_weight=COUNTS_ROWS,
    no_frequency_set=NO_TYPES,
    why_no_mask=attrgetter("no_script"),
)
SCRIPT_ELSEWHERE = replace(
    SCRIPT,
    name="a script for another database",
    way=Way.SCRIPT_ELSEWHERE,
    no_recoding=NO_BOUNDARIES,
)
SERVER_SCRIPT = replace(SCRIPT_ELSEWHERE, name="a script for a server", no_pseudonym=NO_KEY)
WAREHOUSE_SCRIPT = Executor(
    "a script of one statement",
    Channel.WAREHOUSE,
    Way.ONE_STATEMENT,
    no_recoding=ONE_STATEMENT,
    no_of_rows=LABELS_ALONE,
    no_sets=ONE_SET,
    no_beside=WHOLE_CLASSES,
    no_pseudonym=NO_KEY,
    why_no_mask=attrgetter("no_warehouse"),
    no_weight=COUNTS_ROWS,
)
SQLMESH_MODEL = replace(WAREHOUSE_SCRIPT, name="a SQLMesh model", counts=Channel.SQLMESH)
DBT_MODEL = Executor(
    "a dbt model",
    Channel.DBT,
    Way.DBT_MODEL,
    no_recoding="its macros keep or suppress each class by itself",
    no_of_rows=LABELS_ALONE,
    no_beside=WHOLE_CLASSES,
    why_no_mask=attrgetter("no_dbt"),
    no_condition="it releases a relation as it is; make a model of those rows",
    no_weight=COUNTS_ROWS,
)
DBT_INCREMENTS = Executor(
    "an incremental dbt model",
    Channel.DBT,
    Way.DBT_INCREMENTS,
    no_recoding="a row that it released would have to change when others come",
    no_of_rows=LABELS_ALONE,
    no_sets=ONE_SET,
    no_beside=WHOLE_CLASSES,
    why_no_mask=attrgetter("no_dbt"),
    counts_whole=False,
    no_condition=DBT_MODEL.no_condition,
    no_weight=COUNTS_ROWS,
)

EXECUTORS = (
    TABLE,
    FILES,
    IN_PLACE,
    VIEW,
    NEW_ROWS,
    ADDED_PARTITIONS,
    SERIES,
    SCRIPT,
    SCRIPT_ELSEWHERE,
    SERVER_SCRIPT,
    WAREHOUSE_SCRIPT,
    SQLMESH_MODEL,
    DBT_MODEL,
    DBT_INCREMENTS,
)


def recoding_of(search: Search) -> type[Recoding]:
    """Return the kind of recoding that a search may result in, before there is a plan.

    A search for several nodes, or for cells to suppress, may find that one node or no cell is enough. WithoutSmallest
    is not among the results: it follows from the models, and an executor that does not count these refuses them.
    """
    if search.at_several_nodes:
        return MultiNode
    return RECODED_BY.get(search.options.counted_by, FullDomain)


def _mask_problems(policy: Policy, executor: Executor) -> Iterator[Fault]:
    """Yield a fault for each column whose mask an executor does not write."""
    for column in policy.columns:
        if (mask := column.mask) is None:
            continue
        why = (executor.no_pseudonym if mask.keyed else "") or executor.why_no_mask(mask)
        if why:
            what = "a hashed column" if mask.staged_as == "hash" else f"action: {mask}"
            what = executor.refusal(what, why)
            yield policy.fault(f"columns.{column.name}.action", f"{what}, or drop the column")


def executor_problems(
    policy: Policy, executor: Executor, recoding: Recoding | None = None
) -> Iterator[Fault]:
    """Yield a fault for each part of a policy, or of its plan's recoding, that an executor cannot release."""
    kind = recoding_of(policy.search) if recoding is None else type(recoding)
    if kind not in executor.recodings:
        local = policy.search.recoding is not Recode.FULL_DOMAIN
        where = f"search.{'recoding' if local else 'algorithm'}" if recoding is None else "recoding"
        instead = _at_one_node(policy) if recoding is None else ""
        refusal = executor.refusal(RECODINGS[kind], executor.no_recoding)
        yield policy.fault(where, f"{refusal}{instead}")
    for column in policy.of_rows if executor.no_of_rows else ():
        what = executor.refusal(f"output: {column.output}", executor.no_of_rows)
        yield policy.fault(f"columns.{column.name}.output", f"{what}, or leave output out")
    sets = [each for each in demands(policy.privacy) if each.binding or executor.counts_whole]
    if executor.no_sets and len(sets) > 1:
        what = "classes over several sets of quasi-identifiers"
        where = "recoding" if executor.counts_whole else "loaded_at"
        yield policy.fault(where, executor.refusal(what, executor.no_sets))
    if executor.no_beside and beside_others(sets):
        what = "rows of a class by other sensitive values"
        yield policy.fault("privacy", executor.refusal(what, executor.no_beside))
    if executor.no_condition and policy.source.where is not None:
        what = executor.refusal("rows by a condition", executor.no_condition)
        yield policy.fault("source.where", what)
    if executor.no_weight and policy.source.weight is not None:
        what = executor.refusal("rows by a weight", executor.no_weight)
        yield policy.fault("source.weight", what)
    if executor.no_frequency_set and policy.source.frequency_set is not None:
        what = executor.refusal("a frequency set", executor.no_frequency_set)
        yield policy.fault("source.frequency_set", what)
    if policy.nulls not in executor.nulls:
        what = executor.refusal(f"what nulls: {policy.nulls} leaves", NOT_AS_VALUES[policy.nulls])
        yield policy.fault("nulls", what)
    yield from _mask_problems(policy, executor)
    if executor.no_signature and policy.signature:
        what = executor.refusal("people by all their rows", executor.no_signature)
        yield policy.fault("entity", what)
    if executor.no_series and policy.series is not None:
        yield policy.fault("series", executor.refusal("a series", executor.no_series))
    yield from uncounted_problems(policy, executor.counts)


def _at_one_node(policy: Policy) -> str:
    """Return advice on a search that results in one node, with the columns that lack a hierarchy for it."""
    without = [each.name for each in policy.quasi if each.hierarchy is None]
    hierarchies = f", with a hierarchy for {joined(without)}" if without else ""
    return f", or search one node: search: {{algorithm: {Algorithm.OPTIMAL}}}{hierarchies}"


def check_has_rows(policy: Policy, executor: Executor) -> None:
    """Raise InputError where the source is a frequency set, which has no rows to release."""
    if policy.source.frequency_set is not None:
        what = executor.refusal("a frequency set", executor.no_frequency_set)
        raise InputError(policy.subject, [policy.fault("source.frequency_set", what)])


def check_executor(policy: Policy, executor: Executor, recoding: Recoding) -> None:
    """Raise InputError, with all faults, where an executor cannot release a policy with this recoding."""
    if faults := list(executor_problems(policy, executor, recoding)):
        raise InputError(policy.subject, faults)


def count_risk(
    run: Session,
    query: ReleaseQuery,
    plan: Plan | None = None,
    *,
    sizes: Sequence[SizeCount] | None = None,
) -> RiskFigures:
    """Compute the risks of staged rows from the `sizes` of their classes, in the policy's rows or people.

    Without `sizes` they are counted here, by one more GROUP BY. The journalist and the marketer look for rows in the
    policy's population, or without one in the release itself. Raises StalePlanError where the plan states other risks.
    """
    entity = staging_sql.hidden_entity(run.policy) or run.policy.entity
    if sizes is None:
        sizes = size_counts(run.engine.fetch(_histogram(run, query, entity)))
    if plan is not None and plan.risk is not None and plan.risk != ReleaseRisk.of(sizes, entity):
        what = "is not that of the staged rows; make the plan again and review it"
        raise StalePlanError("plan", [Fault("risk", what)])
    found = risk_figures(sizes, BOUNDS)
    if query.population is None:
        return found
    statement = measured.population_histogram(
        query.staged, query.population.table, query.quasi, entity=entity
    )
    among = size_counts(run.engine.fetch(statement))
    return replace(
        found, journalist=attacker_risk(among, BOUNDS), marketer=marketer_risk(among, BOUNDS)
    )


def _histogram(run: Session, query: ReleaseQuery, entity: str | None) -> Statement:
    if run.policy.signature and entity is not None:
        return measured.signature_histogram(query.staged, query.quasi, entity)
    rows = query.rows
    return measured.class_histogram(rows.table, query.quasi, entity=entity, codes=rows.coded)


@dataclass(frozen=True, slots=True)
class Staged:
    """A staged release: a scratch table that passed its recount, and the query that made it.

    `snapshot` is the version of the lake's table that it was made from. `new` counts new or added rows. If some of its
    texts are released as values of `types`, the table is a view with these.
    """

    table: exp.Table
    columns: tuple[str, ...]
    verification: Verification
    new: NewRows | AddedRows | None = None
    query: ReleaseQuery | None = None
    snapshot: str | None = None
    types: Mapping[str, TextType] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows to publish; the `verification` of a partition counts the published rows too."""
        return self.new.added if isinstance(self.new, AddedRows) else self.verification.rows


def with_types(
    run: Session, planned: Planned, destination: Destination | None, staged: Staged
) -> Staged:
    """Return a staged release with texts as values of the plan's types, if its destination holds types.

    Names of folders are texts. No two texts of a type are equal as values, so that the recount of texts holds.
    """
    if destination is not None and not destination.format.kind.holds_types:
        return staged
    folders = () if destination is None else destination.partition_by
    types = texts_of_types(run, planned, staged.table, without=folders)
    if not types:
        return staged
    view = run.scratch.table("typed")
    run.see(view, typed_rows(view, staged.table, staged.columns, types))
    return replace(staged, table=view, types=types)


def texts_of_types(
    run: Session, planned: Planned, table: exp.Table, *, without: Collection[str]
) -> dict[str, TextType]:
    """Return the types of the plan for columns of a release that are texts in a table.

    Raises StalePlanError where a text is not written as its type writes a value.
    """
    released = types_of_release(run.policy, planned.plan.types)
    if not released:
        return {}
    texts = {each.name for each in run.engine.columns(table) if each.family == "text"}
    types = {name: of for name, of in released.items() if name in texts and name not in without}
    if types and (faults := list(misfit_problems(run, table, types))):
        raise StalePlanError("plan", faults)
    return types


def stage(run: Session, planned: Planned, *, new: bool = False, boundaries: str = "") -> Staged:
    """Recode the source into a scratch table and recount it.

    Guarantee: the table passed its recount and has the plan's numbers; every row of the source is in it, or
    was suppressed in a class that does not fit, or is a new row that the recoding does not assign. Raises
    StalePlanError where it has not the plan's numbers, VerificationError where the recount falls short. Rows
    that are `new` to the plan are recoded by it and pass their own recount, but are not compared with the plan's
    numbers; `boundaries` is the path of the boundaries file.
    """
    journal = run.engine.journal
    with journal.step("recode"):
        staged = run.scratch.table("staged")
        lists: tuple[str, ...] = ()
        new_rows = None
        if new:
            check_executor(run.policy, NEW_ROWS, planned.plan.recoding)
            query, new_rows = recode_new(run, planned, staged, stem=boundaries)
        else:
            query = recode(run, planned, staged)
        opened = planned.opened
        rows = 0 if new else opened.rows
        with (
            keys_in_session(run),
            tabulated_masks(run, opened.table, opened.columns, rows) as tabulated,
        ):
            if tabulated:
                query = query.with_masks(opened.columns, tabulated)
            if any(c.mask is not None and c.mask.is_after_staging for c in run.policy.columns):
                lists = stage_and_mask(run, query)
            else:
                texts = frozenset() if new else _texts(run, planned.opened)
                query = stage_rows(run, query, texts=texts)
    with journal.step("verify"):
        if new_rows is None:
            counted, sizes = recount(run, query.recounts(), planned.plan, planned.opened)
        else:
            counted, sizes = recount_new(run, query.recounts(), new_rows)
        of_plan = planned.plan if new_rows is None else None
        counted = replace(counted, risk=count_risk(run, query, of_plan, sizes=sizes))
        linked = count_linked(run, staged, query.quasi, linking_columns(run.policy))
        coded = query.rows
        unique = count_unique(run, coded.table, rows=counted.rows, codes=coded.coded)
        counted = replace(counted, linked=linked, unique_rows=unique, lists=lists)
    return Staged(staged, tuple(query.columns), counted, new_rows, query, planned.opened.snapshot)


def _texts(run: Session, opened: OpenSource) -> frozenset[str]:
    """Return the text columns of a source of files that no privacy model reads; empty for other sources."""
    if run.policy.source.path is None:  # a view may have other values each time it is read
        return frozenset()
    read = {each.column for each in sensitive_attributes(requirements(run.policy.privacy))}
    return frozenset(
        each.name
        for each in opened.columns
        if each.type == TEXT and not each.collated and each.name not in {*read, run.policy.entity}
    )
