"""What Python users meet: one name for an argument, results that know their policy, warnings, lines, types."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql

TABLE = pa.table({"age": ["3*", "3*", "5*", "5*"], "disease": ["flu", "cold", "flu", "cold"]})


@pytest.mark.parametrize("quasi", ["age", ["age"]])
def test_a_column_may_be_named_alone(quasi):
    assert kanon_sql.verify(TABLE, quasi=quasi, k=2).smallest_class == 2
    assert kanon_sql.risk(TABLE, quasi=quasi).classes == 2
    assert kanon_sql.attack_homogeneity(TABLE, quasi=quasi, sensitive="disease").classes == 2


def test_the_earlier_name_of_quasi_warns():
    with pytest.warns(DeprecationWarning, match="qi= is now quasi="):
        assert kanon_sql.verify(TABLE, qi=["age"], k=2).passed
