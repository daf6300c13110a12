"""What sqlglot makes of the statement for warehouses, recorded: what a reviewer sees changing with it."""

from __future__ import annotations

import hashlib
import os
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
import sqlglot

from kanon_sql.base.sql.quoting import condition, table
from kanon_sql.policy.hierarchies.entries import Rule
from kanon_sql.policy.hierarchies.specs import DateUnit, IntervalHierarchy
from kanon_sql.policy.model import Suppression
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity
from kanon_sql.release.warehouse_sql import WAREHOUSES, Entries, WarehouseColumn, release, written
from tests.golden.recorded import LONGEST

GOLDEN = Path(__file__).parent / "warehouses"
AGES = IntervalHierarchy((Decimal(10),), bottom=Decimal(20), top=Decimal(60))
LIKE_NO_NAME = 'se"x `]; --'
COLUMNS = [
    WarehouseColumn(LIKE_NO_NAME, quasi=True, entries=Entries((("it's", "per\\son"), ("m", None)), of_null="*"), labelled=True),
    WarehouseColumn("job", quasi=True, entries=Entries(table=table("jobs", schema="own"), level="level_1"), labelled=True),
    WarehouseColumn("age", quasi=True, rule=AGES.rule(1)),
    WarehouseColumn("born", quasi=True, rule=Rule("date", {}, DateUnit.MONTH.value)),
    WarehouseColumn("ward", quasi=True, rule=Rule("root", {"root": "*"})),
    WarehouseColumn("name", null=True),
    WarehouseColumn("disease"),
]  # fmt: skip
ZIP = WarehouseColumn("zip", quasi=True, rule=Rule("mask", {"length": 5, "kept": 3, "mask": "**"}))


MANY = [*COLUMNS, ZIP]
"""One column for each rule of a label, and each way to release a column that has none."""
FEW = [COLUMNS[2]]
"""What a reviewer reads: a column of intervals."""


def text_of(dialect, columns, **more):
    warehouse = WAREHOUSES[dialect]
    has = [each for each in columns if warehouse.characters or each is not ZIP]
    out, source = table("people_k5", schema="out"), table("people", schema="src")
    share = Suppression(share=Fraction(1, 8))
    text = written(release(out, source, has, warehouse, max_suppressed=share, **more), warehouse)
    assert len(sqlglot.parse(text, read=dialect)) == 1
    return text + "\n"


@pytest.fixture(scope="module")
def said():
    """Of each warehouse the statement that a reviewer reads, and one that has every rule."""
    few = {
        each: text_of(each, FEW, condition=None, entity=None, needed=requirements((KAnonymity(5),)))
        for each in WAREHOUSES
    }
    many = {
        each: text_of(
            each,
            MANY,
            condition=condition("ward <> 4 OR ward IS NULL", dialect="duckdb"),
            entity="who",
            needed=requirements((KAnonymity(5), DistinctDiversity("disease", 2))),
        )
        for each in WAREHOUSES
    }
    digests = {each: hashlib.sha256(text.encode()).hexdigest()[:12] for each, text in many.items()}
    files = {f"{each}.sql": text for each, text in few.items() if each != "presto"}
    files["hashes.txt"] = "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items()))
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        for name, text in files.items():
            (GOLDEN / name).write_text(text, encoding="utf-8")
    return {"files": files, "few": few, "many": many}


def test_the_statements_are_written_as_recorded(said):
    recorded = {path.name: path.read_text(encoding="utf-8") for path in GOLDEN.iterdir()}
    assert recorded == said["files"]


def test_presto_runs_what_trino_runs(said):
    assert said["few"]["presto"] == said["few"]["trino"]
    assert said["many"]["presto"] == said["many"]["trino"]


def test_what_is_recorded_can_be_read(said):
    assert max(len(text.splitlines()) for text in said["files"].values()) <= LONGEST
