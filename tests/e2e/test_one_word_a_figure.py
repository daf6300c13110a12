"""The count error is that of simple counts alone: the errors of drawn COUNT queries have a name of their own."""

from __future__ import annotations

from kanon_sql.evidence.release_quality.measures import OF_TWO_COLUMNS


def test_two_figures_have_two_names(lab):
    names = [each.name for each in OF_TWO_COLUMNS]
    assert len({name.lower() for name in names}) == len(names)
    assert [each for each in names if "count error" in each.lower()] == []
    lab.policy()
    told = lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    assert told.count("count error: half of the counts by two columns are off by") == 1
    measured = " ".join(lab.done("quality", "release.parquet", "--plan", "policy.plan.yml").split())
    assert "COUNT queries (median)" in measured
    assert "COUNT queries (mean)" in measured
    assert "COUNT error" not in measured
