"""What sqlglot makes of the statement for warehouses, recorded: what a reviewer sees changing with it."""

from __future__ import annotations

import os
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
import sqlglot

from kanon_sql.hierarchies.specs import DateUnit, IntervalHierarchy
from kanon_sql.policy.model import Suppression
from kanon_sql.privacy.demands import requirements
from kanon_sql.privacy.distinct_l_diversity import DistinctDiversity
from kanon_sql.privacy.k_anonymity import KAnonymity
from kanon_sql.release.warehouse_dialects import WAREHOUSES
from kanon_sql.release.warehouse_sql import (
    Entries,
    InUnit,
    Masked,
    Root,
    WarehouseColumn,
    Within,
    release,
    written,
)
from kanon_sql.sql.quoting import condition, table

GOLDEN = Path(__file__).parent / "warehouses"
AGES = IntervalHierarchy((Decimal(10),), bottom=Decimal(20), top=Decimal(60))
LIKE_NO_NAME = 'se"x `]; --'
COLUMNS = [
    WarehouseColumn(LIKE_NO_NAME, quasi=True, entries=Entries((("it's", "per\\son"), ("m", None)), of_null="*"), labelled=True),
    WarehouseColumn("job", quasi=True, entries=Entries(table=table("jobs", schema="own"), level="level_1"), labelled=True),
    WarehouseColumn("age", quasi=True, rule=Within(AGES, 1)),
    WarehouseColumn("born", quasi=True, rule=InUnit(DateUnit.MONTH)),
    WarehouseColumn("ward", quasi=True, rule=Root("*")),
    WarehouseColumn("name", null=True),
    WarehouseColumn("disease"),
]  # fmt: skip
ZIP = WarehouseColumn("zip", quasi=True, rule=Masked(5, 3, "**"))


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_the_statement_is_written_as_recorded(dialect):
    warehouse = WAREHOUSES[dialect]
    statement = release(
        table("people_k5", schema="out"),
        table("people", schema="src"),
        [*COLUMNS, *([ZIP] if warehouse.characters else [])],
        warehouse,
        condition=condition("ward <> 4 OR ward IS NULL", dialect="duckdb"),
        entity="who",
        needed=requirements((KAnonymity(5), DistinctDiversity("disease", 2))),
        max_suppressed=Suppression(share=Fraction(1, 8)),
    )
    text = written(statement, warehouse) + "\n"
    recorded = GOLDEN / f"{dialect}.sql"
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        recorded.write_text(text, encoding="utf-8")
    assert text == recorded.read_text(encoding="utf-8")
    assert len(sqlglot.parse(text, read=dialect)) == 1


def test_nothing_else_is_recorded():
    assert {path.stem for path in GOLDEN.iterdir()} == {*WAREHOUSES}
