"""Texts of sensitive columns that stand for a missing value, and the classes that are diverse by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.documents.text import counted, joined
from kanon_sql.engines.base import whole
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.missing_texts import written
from kanon_sql.privacy.demands import AT_ALL, sensitive_attributes
from kanon_sql.release.recount_sql import recount_statement
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.fitting_sql import ValueNodes
    from kanon_sql.privacy.privacy_model import Requirement
    from kanon_sql.run.session import Session


Spelled: TypeAlias = tuple[tuple[str, ...], int]
"""Texts of a column that stand for a missing value, as they are spelled, the most frequent first, and their rows."""


@dataclass(frozen=True, slots=True)
class MissingValues:
    """The texts of a column that stand for a missing value, and their effect on models of diversity.

    Of `all_rows` of the table, `rows` have one of the `texts`. Of `all_classes` that the models apply to, `classes`
    satisfy them only because such texts count as values.
    """

    column: str
    texts: tuple[str, ...]
    rows: int
    all_rows: int
    classes: int
    all_classes: int

    def __str__(self) -> str:
        """Return the warning's text; the texts for missing values in it are from our list, and no person's.

        >>> print(MissingValues("disease", ("NA", "?"), 4, 6, 2, 2))
        columns.disease: 4 of 6 rows have a text that stands for a missing value ('NA' and '?'), and it counts as a value: 2 of 2 equivalence classes are diverse enough only by it; say missing: [NA, '?'], which reads it as NULL
        """
        need = f"{self.classes:,} of {counted(self.all_classes, 'equivalence class')}"
        are = "is" if self.classes == 1 else "are"
        have = "has" if self.rows == 1 else "have"
        return (
            f"columns.{self.column}: {self.rows:,} of {counted(self.all_rows, 'row')} {have} a text that stands for a "
            f"missing value ({joined([repr(text) for text in self.texts])}), and it counts as a value: {need} {are} "
            f"diverse enough only by it; say {written(self.texts)}, which reads it as NULL"
        )


def spelled_missing(
    engine: Engine, table: exp.Table, columns: Iterable[ColumnType]
) -> dict[str, Spelled]:
    """Find, in columns of texts, the spellings that stand for a missing value, and the rows that have one."""
    names = [each.name for each in columns if each.family == "text" or each.enum]
    found: dict[str, Spelled] = {}
    if not names:
        return found
    for number, text, _, rows in engine.fetch(source_sql.count_missing_texts(table, names)):
        name = names[whole(number)]
        found[name] = ((*found.get(name, ((), 0))[0], str(text)), whole(rows))
    return found


def count_missing_values(
    run: Session,
    table: exp.Table,
    demanded: Sequence[Demand],
    over: Callable[[Demand], Sequence[str]],
    *,
    entity: str | None,
    nodes: Mapping[str, ValueNodes] | None = None,
) -> tuple[MissingValues, ...]:
    """Count the classes of a release, or a source, that are diverse only by texts for a missing value.

    `over` returns the columns of the table that form the classes of a demand.
    """
    asked = [(each, _diverse(each)) for each in demanded]
    names = {each.column for _, of in asked for each in sensitive_attributes(of)}
    columns = run.engine.columns(table)
    found = []
    for name, (texts, rows) in spelled_missing(
        run.engine, table, [each for each in columns if each.name in names]
    ).items():
        known = run.scratch.table("known")
        read = [(each, texts if each.name == name else ()) for each in columns]
        run.see(known, source_sql.missing_values(known, table, read))
        needing, of_all, all_rows = 0, 0, 0
        for demand, requirements in asked:
            own = [*AT_ALL, *(each for each in requirements if _of(each) == name)]
            if len(own) == 1:
                continue
            counts = [
                run.engine.fetch(
                    recount_statement(each, over(demand), own, entity=entity, nodes=nodes)
                )[0]
                for each in (table, known)
            ]
            needing = max(needing, whole(counts[1][-1]) - whole(counts[0][-1]))
            of_all, all_rows = max(of_all, whole(counts[0][0])), whole(counts[0][1])
        run.scratch.drop(known)  # the table that it reads may be dropped before the run ends
        found.append(MissingValues(name, texts, rows, all_rows, needing, of_all))
    return tuple(found)


def _diverse(demand: Demand) -> list[Requirement]:
    """Return the requirements of a demand on the sensitive values within a class."""
    return [
        each
        for each in demand.requirements
        if each.measure.sensitive is not None
        and each.measure.reference is None
        and not each.measure.of_all_classes
    ]


def _of(requirement: Requirement) -> str | None:
    return None if requirement.measure.sensitive is None else requirement.measure.sensitive.column
