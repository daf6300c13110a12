"""The plan of a schema as a value and as a file: how each table is recoded, its keys, who stands below k over the join."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  a Record reads it
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import yaml

from kanon_sql.apps.schema.protections import protection_of
from kanon_sql.apps.schema.schema_policy import ForeignKey
from kanon_sql.apps.schema.stage_schema import JoinedPeople
from kanon_sql.base.documents.keys import MapOf
from kanon_sql.base.documents.lines import read_yaml
from kanon_sql.base.documents.records import Key, Record
from kanon_sql.base.documents.shapes import Parsed, Refused, Several, Text
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import Plan, _Dumper
from kanon_sql.errors import Fault, InputError, StalePlanError
from kanon_sql.recoding.planning.open_plan import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.apps.schema.schema_policy import SchemaPolicy

FORMAT = 1
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


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """A table of the schema: its rows, how many of them are released, and what protects it.

    A counted table has a `plan`; the rows of others are hashed (`fingerprint`). `released_as` is its name in the release. `left_out` rows are outside the subset or
    have no person, `emptied` counts keys of other rows that are not released. Of a table of events, `known` are taken to be
    known of a person, or all where it is None, and `unchanged` rows are released with their own values. `columns` are the
    released columns of a table of which the policy does not list all.
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
            raise InputError(
                subject, [Fault("", "is no plan of a schema that this version can read")]
            )
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
                yield str(each)
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
                    f"{key}: {key.orphans:,} rows name a row that is not there; rows without their person are left out, and "
                    f"other such keys are released as NULL"
                )
        for name, table in self.tables.items():
            if table.plan is not None:
                yield from (f"{name}: {warning}" for warning in table.plan.warnings)

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
        name: (each.protection, each.known, each.released_as is not None, bool(each.columns))
        for name, each in plan.tables.items()
    }
    wanted = {
        name: (each.protection.key, each.known, each.protection.released, each.whole)
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
