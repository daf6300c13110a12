"""Codes have the same labels in every database, as paths and as a release."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.errors import HierarchyError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.codes import CodeHierarchy
from tests.codes import CODES, paths_of


def policy_of(level, **more):
    """Release diagnoses at one level; the rows of a code are told apart by a number."""
    return {
        "version": 1,
        "source": {"table": "codes_of_the_test"},
        "entity": "row",
        "columns": {
            "code": {"role": "quasi", "hierarchy": {"code": "icd10"}, "levels": {"least": level, "most": level}},
            "number": {"role": "insensitive"},
        },
        "privacy": [{"k": 1}],
        "suppression": 0,
        **more,
    }  # fmt: skip


@pytest.fixture
def put(place):
    """Put codes where a test looks for them, and leave nothing behind."""

    def put(codes):
        rows = pa.table(
            {"code": pa.array(codes, pa.string()), "number": pa.array(range(len(codes)))}
        )
        place.put("codes_of_the_test", rows)

    yield put
    place.drop("codes_of_the_test")
    place.drop("codes_k1")


@pytest.mark.parametrize("name", CODES)
def test_the_labels_are_those_of_the_scheme(place, put, name):
    put([*CODES[name], None])
    statement = mapping_sql.paths_of_columns(
        table("codes_of_the_test"), ["code"], CodeHierarchy(name)
    )
    rows = place.execute(statement.render(place.name))
    found = [tuple(row) for row in getattr(rows, "fetchall", lambda: rows)()]
    null = (None, *[None] * (CodeHierarchy(name).height - 1), "*")
    assert sorted(found, key=str) == sorted([*paths_of(name), null], key=str)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_a_release_has_the_labels_of_its_level(place, put, level):
    codes = [code for code, labels in CODES["icd10"].items() if labels]
    put([*codes, None])
    kanon_sql.anonymize(policy_of(level), connection=place.connection, release="codes_k1")
    wanted = [(code, *CODES["icd10"][code])[level] for code in codes]
    found = sorted(place.read("codes_k1"), key=lambda row: row[1])
    assert [row[0] for row in found] == [*wanted, None]


def test_a_value_that_is_no_code_is_refused_and_counted(place, put):
    put(["E11.9", "A12", "diabetes", "diabetes"])
    with pytest.raises(HierarchyError, match="2 distinct values are no codes") as caught:
        kanon_sql.anonymize(policy_of(1), connection=place.connection, release="codes_k1")
    assert "diabetes" not in str(caught.value)
    assert "A12" not in str(caught.value)
