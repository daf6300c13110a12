"""The plan of a schema: its value and file, and what differs from another plan."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  a Record reads it
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import yaml

from kanon_sql.apps.schema.schema_policy import ForeignKey, protection_of
from kanon_sql.apps.schema.stage_schema import JoinedPeople
from kanon_sql.base.documents.keys import MapOf, read_yaml
from kanon_sql.base.documents.records import Key, Record
from kanon_sql.base.documents.shapes import Parsed, Refused, Several, Text
from kanon_sql.base.documents.text import clause, counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import ColumnChange, Plan, _Dumper
from kanon_sql.counting.plans.recodings import column_texts
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.evidence.explanation.plan_diff import PlanDiff
from kanon_sql.recoding.planning.open_plan import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.apps.schema.schema_policy import SchemaPolicy


NEVER_KEPT = (
    "indexes, defaults, checks, triggers, sequences, comments and rights are not carried over"
)
FORMAT = 2
EARLIER = (
    "is of a version that gave equal values of different keys one pseudonym: plan again, and release with --replace. All "
    "pseudonyms change, so that they join no earlier release"
)
"""Why a plan or a certificate of the format before is not read."""
SIGN = "kanon_sql_schema_plan"
START = f"{SIGN}: "
"""The text with which the file of a plan begins."""
OF_TABLE = Parsed(
    Text(any=True),
    lambda text: Plan.from_yaml(text, "plan"),
    unparse=lambda plan: plan.to_yaml(),
)


@dataclass(frozen=True, slots=True)
class PlannedKey:
    """A foreign key of the tables, its orphans in the source, and whether the release has it."""

    table: str
    columns: tuple[str, ...]
    to: str
    of: tuple[str, ...]
    orphans: int
    released: bool

    def __str__(self) -> str:
        return str(ForeignKey(self.table, self.columns, self.to, self.of))


NOT_TRUE = "a row does not show what is true of it"


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """A table of the schema: its rows, how many of them are released, and what protects it.

    A counted table has a `plan`; the rows of others are hashed (`fingerprint`). `released_as` is its name in the release. `left_out` rows are outside the subset or
    have no person, `emptied` counts keys of other rows that are not released. Of a table of events, `known` are taken to be
    known of a person, or all where it is None, and `unchanged` rows are released with their own values. `columns` are the
    released columns of a table of which the policy does not list all, and `stand_ins` those that show what stands for a class. `lost` is what the release
    does not have of the declaration of its source. `changes` has the quasi-identifiers before and after, `warnings` what the
    table's own plan and these warn of.
    """

    protection: Annotated[str, Key("protect")]
    rows: int
    released_rows: int
    left_out: int = 0
    emptied: int = 0
    into: str | None = None
    released_as: str | None = None
    fingerprint: str | None = None
    plan: Annotated[Plan | None, OF_TABLE] = None
    known: int | None = None
    unchanged: int | None = None
    columns: Annotated[tuple[str, ...], Several(Text(any=True), alone=False)] = ()
    stand_ins: Annotated[tuple[str, ...], Several(Text(any=True), alone=False)] = ()
    lost: Annotated[tuple[str, ...], Several(Text(any=True), alone=False)] = ()
    changes: Annotated[tuple[ColumnChange, ...], Several(Record(ColumnChange), alone=False)] = ()
    warnings: Annotated[tuple[str, ...], Several(Text(any=True), alone=False)] = ()

    @property
    def limit(self) -> str:
        """What its protection does not promise, and that rows are not true where they show what stands for a class."""
        return "; ".join(filter(None, (protection_of(self.protection).limit, self.not_true)))

    @property
    def not_true(self) -> str:
        """The words for rows that are not true, where columns show what stands for a class; else nothing."""
        if not self.stand_ins:
            return ""
        return f"{NOT_TRUE}, but values that stand for its class, in {joined(self.stand_ins)}"

    @property
    def suppressed(self) -> int:
        """The rows that are read and not released."""
        return 0 if self.into else self.rows - self.left_out - self.released_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaPlan:
    """How each table of a schema is released, made from hashes of the policy and of all rows.

    The same policy and rows give the same bytes of its file.
    """

    policy_file: Annotated[str | None, Key("policy.file")]
    policy_hash: Annotated[str, Key("policy.sha256")]
    release: str | None = None
    joined: Annotated[tuple[JoinedPeople, ...], Several(Record(JoinedPeople), alone=False)]
    foreign_keys: Annotated[tuple[PlannedKey, ...], Several(Record(PlannedKey), alone=False)]
    tables: Annotated[Mapping[str, PlannedTable], MapOf(Record(PlannedTable))]

    def to_yaml(self) -> str:
        """Return the text of a plan file."""
        document = {SIGN: FORMAT, **PLAN_OF_SCHEMA.write(self, {})}
        return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)

    @classmethod
    def from_yaml(cls, text: str, subject: str) -> SchemaPlan:
        """Read a plan file's text. Raises InputError with all faults."""
        document = read_yaml(text, subject, InputError, any_text=True)
        version = document.entries.get(SIGN)
        if version is None or version.value != FORMAT:
            earlier = version is not None and version.value == FORMAT - 1
            what = EARLIER if earlier else "is no plan of a schema that this version can read"
            raise InputError(subject, [Fault("", what)])
        entries = {key: each for key, each in document.entries.items() if each is not version}
        try:
            found = PLAN_OF_SCHEMA.take(document, entries)
        except Refused:
            found = None
        if found is None or document.faults:
            raise InputError(subject, sorted(document.faults, key=lambda fault: fault.line or 0))
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to look at before a release: people below k over the join, orphans, and warnings of each table."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        for each in self.joined:
            if each.below:
                yield each.warning
        for name, table in self.tables.items():
            own = protection_of(table.protection)
            if own.claims_nothing:
                yield f"{name}: {own.words}"
            if own.events and table.suppressed:
                yield (
                    f"{name}: {table.suppressed:,} of {table.rows - table.left_out:,} rows are removed: larger classes, by fewer "
                    f"and coarser quasi-identifiers of people, keep more"
                )
        for key in self.foreign_keys:
            if key.orphans:
                yield (
                    f"{key}: {clause(key.orphans, 'row', 'name a row that is not there')}; rows without their person are left out, and "
                    f"other such keys are released as NULL"
                )
        for name, table in self.tables.items():
            yield from (f"{name}: {warning}" for warning in table.warnings)

    def summary(self) -> dict[str, object]:
        """Return the object that `plan --json` prints."""
        return {
            "status": "feasible",
            "tables": {
                name: {
                    "protect": each.protection,
                    "rows": each.rows,
                    "released_rows": each.released_rows,
                    "left_out": each.left_out,
                    "emptied_keys": each.emptied,
                    "not_kept": list(each.lost),
                    "columns": [asdict(change) for change in each.changes],
                    **({} if each.plan is None else {"plan": each.plan.summary()}),
                    **(
                        {}
                        if each.unchanged is None
                        else {"known": each.known, "unchanged_rows": each.unchanged}
                    ),
                }
                for name, each in self.tables.items()
            },
            "foreign_keys": [
                {"key": str(each), "orphans": each.orphans, "released": each.released}
                for each in self.foreign_keys
            ],
            "joined": [
                {
                    "people_of": each.people_of,
                    "tables": list(each.tables),
                    "k": each.k,
                    "people": each.people,
                    "below": each.below,
                    "fewest": each.fewest,
                }
                for each in self.joined
            ],
            "warnings": list(self.warnings),
        }


PLAN_OF_SCHEMA: Record[SchemaPlan] = Record(SchemaPlan)


def check_policy_of(plan: SchemaPlan, policy: SchemaPolicy) -> None:
    """Raise StalePlanError where a plan was made from another policy, or was edited and says other things of its tables."""
    if plan.policy_hash != policy.digest:
        raise StalePlanError("plan", [Fault("policy", f"changed since the plan was made; {AGAIN}")])
    stated = {
        name: (
            each.protection,
            each.known,
            each.released_as is not None,
            bool(each.columns),
            each.stand_ins,
        )
        for name, each in plan.tables.items()
    }
    wanted = {
        name: (
            each.protection.key,
            each.known,
            each.protection.released,
            each.whole,
            each.stand_ins,
        )
        for name, each in policy.tables.items()
    }
    names = dict.fromkeys([*wanted, *stated])
    faults = [
        Fault(f"tables.{each}", "is not what the policy says of it")
        for each in names
        if stated.get(each) != wanted.get(each)
    ]
    if faults:
        raise StalePlanError("plan", [*faults, Fault("", AGAIN)])


def policy_beside(plan: SchemaPlan, file: Path | None) -> Path:
    """Return the path of the policy that a plan names, from the folder of the plan's file. Raises InputError."""
    if plan.policy_file is None:
        what = "the plan names no file of its policy; give the policy too, as policy="
        raise InputError("plan", [Fault("policy", what)])
    return (Path() if file is None else file.parent) / plan.policy_file


def read_schema_plan(path: Path) -> SchemaPlan:
    """Read the plan of a schema. Raises InputError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), [Fault("", "there is no such plan file")]) from error
    return SchemaPlan.from_yaml(text, str(path))


def figures_of(table: PlannedTable) -> str | None:
    """Describe the classes of a counted table, or what is known and shown of events; None for others."""
    if table.unchanged is not None:
        known = "all" if table.known is None else f"any {table.known}"
        return (
            f"{known} known; {table.released_rows:,} of {table.rows - table.left_out:,} rows, {table.unchanged:,} "
            f"not generalized"
        )
    if table.plan is None:
        return None
    classes = counted(table.plan.classes, "class")
    return f"{', '.join(table.plan.privacy)} ({classes}, smallest {table.plan.smallest_class:,})"


def recoded_columns(table: PlannedTable) -> Iterator[tuple[ColumnChange, str]]:
    """Yield each quasi-identifier of a table before and after, with how it is recoded."""
    how: dict[str, str] = {}
    if (plan := table.plan) is not None:
        how = dict(zip(plan.names, column_texts(plan.recoding, plan.heights), strict=True))
    for each in table.changes:
        yield each, how.get(each.name, "as coarse as each event needs")


def released_of(table: PlannedTable) -> str:
    """Say how many rows of a table are released, or into which table they are folded."""
    return f"in {table.into}" if table.into else f"{table.released_rows:,}"


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """What changed between two plans, as lines, and the differences of the tables' own plans by name."""

    lines: tuple[str, ...]
    tables: dict[str, PlanDiff]

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.lines and all(each.same for each in self.tables.values())

    @property
    def markdown(self) -> str:
        """The differences as Markdown, for a pull request."""
        if self.same:
            return "The plans are the same.\n"
        own = "".join(f"- {each}\n" for each in self.lines)
        parts = [f"## Schema\n\n{own}"] if own else []
        parts += [
            f"## {name}\n\n{each.markdown}" for name, each in self.tables.items() if not each.same
        ]
        return "\n".join(parts)

    def document(self) -> dict[str, object]:
        """Return what `diff --json` prints."""
        changed = {name: each.document() for name, each in self.tables.items() if not each.same}
        return {"same": self.same, "changes": list(self.lines), "tables": changed}


def diff_schemas(old: SchemaPlan, new: SchemaPlan) -> SchemaDiff:
    """Compare a plan of a schema with an older one. No database is needed, and no value of the data is in the result."""
    both = [name for name in new.tables if name in old.tables]
    plans = {
        name: PlanDiff(before, after)
        for name in both
        if (before := old.tables[name].plan) is not None
        and (after := new.tables[name].plan) is not None
    }
    return SchemaDiff(tuple(_lines(old, new)), plans)


def unprotected_tables(plan: SchemaPlan) -> list[str]:
    """Return the tables for which the plan claims nothing."""
    return [
        name for name, each in plan.tables.items() if protection_of(each.protection).claims_nothing
    ]


def verdict_of(plan: SchemaPlan) -> str:
    """Return the sentence that decides: which tables have no guarantee, or whether people stand below k over the join."""
    if bare := unprotected_tables(plan):
        return f"No guarantee for {joined(bare)}"
    if any(each.below for each in plan.joined):
        return "Some people stand below k over the join"
    return "Each table of people is protected, as stated below"


def released_tables(plan: SchemaPlan) -> str:
    """Return how many of the tables are released."""
    count = counted(sum(not each.into for each in plan.tables.values()), "table")
    return f"{count} of {len(plan.tables):,}"


def _lines(old: SchemaPlan, new: SchemaPlan) -> Iterator[str]:
    for name in old.tables.keys() - new.tables.keys():
        yield f"{name}: is not released any more"
    for name, after in new.tables.items():
        before = old.tables.get(name)
        if before is None:
            yield f"{name}: is new, protected by {after.protection}"
        else:
            yield from (f"{name}: {each}" for each in _changes(before, after))
    before_joined = {(each.people_of, each.tables): each for each in old.joined}
    for each in new.joined:
        earlier = before_joined.get((each.people_of, each.tables))
        if earlier is None:
            yield f"new over the join: {each}"
        elif (earlier.below, earlier.people) != (each.below, each.people):
            yield f"{each}; before: {earlier.below:,} of {earlier.people:,}"
    keys = {str(each): each for each in old.foreign_keys}
    for key in new.foreign_keys:
        was = keys.get(str(key))
        if was is not None and was.released != key.released:
            yield f"{key}: {'is' if key.released else 'is not'} in the release now"


def _changes(before: PlannedTable, after: PlannedTable) -> Iterator[str]:
    if before.protection != after.protection:
        yield f"is protected by {after.protection}, no longer by {before.protection}"
    for what, one, other in (
        ("rows", before.rows, after.rows),
        ("released rows", before.released_rows, after.released_rows),
        ("known events", before.known, after.known),
        ("rows not generalized", before.unchanged, after.unchanged),
    ):
        if one != other and None not in {one, other}:
            yield f"{what}: {one:,} before, {other:,} now"
    if before.lost != after.lost:
        yield (
            f"does not keep: {'; '.join(after.lost)}" if after.lost else "keeps all types and keys"
        )
