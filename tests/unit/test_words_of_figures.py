"""Figures have one name each: a loss by regions and a loss by values are told apart, and counts have commas."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kanon_sql.evidence.certificate.claims import Claim, Kind
from kanon_sql.evidence.explanation.explanation_text import measured_words
from kanon_sql.evidence.explanation.recoded_columns import ColumnRecoding, column_text


def explained(penalty, *, cost, metric="gcp", in_regions=True):
    plan = SimpleNamespace(
        metric=metric, cost=(cost,), recoding=SimpleNamespace(in_regions=in_regions)
    )
    found = SimpleNamespace(
        simple_counts=None, count_median=0.1, count_mean=0.2, marginals=0.3, pmse=0.01
    )
    return SimpleNamespace(plan=plan, penalty=penalty, two_columns=found)


def test_the_loss_of_values_that_several_regions_show_is_not_called_that_of_the_regions():
    words = measured_words(explained(0.1988, cost=0.1407))
    assert "information loss" not in words
    assert "stands for 19.9% of its column over all regions that show it, for 14.1% in one" in words


@pytest.mark.parametrize(
    ("penalty", "other"),
    [
        (0.14073, {"cost": 0.14071}),
        (0.2, {"cost": 0.1, "metric": "loss"}),
        (0.2, {"cost": 0.1, "in_regions": False}),
    ],
)
def test_a_loss_that_is_the_plan_s_own_has_its_name(penalty, other):
    assert f"information loss {penalty:.4f} (NCP" in measured_words(explained(penalty, **other))


def test_a_column_in_regions_says_how_many_levels_it_has():
    column = ColumnRecoding((), 1, None, 0, ())
    assert column_text(column) == "in regions, within a hierarchy of 1 level"


def test_a_claim_is_printed_with_commas_and_kept_without():
    claim = Claim(Kind.SUPPRESSED, 1206, found=1178, source_rows=30162)
    assert str(claim).endswith("of the 30,162 source rows that the plan counted: at most 1,206, found 1,178")  # fmt: skip
    assert (claim.text.split()[4], claim.required) == ("30162", "at most 1206")
