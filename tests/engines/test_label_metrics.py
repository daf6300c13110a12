"""NCP and ambiguity on servers, as DuckDB and brute force have them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from oracle import Problem, optimum_of

import kanon_sql

AGES = ["21", "24", "27", "33", "36", "62", "63", "64"]
HIERARCHY = [
    *(
        f"{age},{'young' if age < '30' else age},{'young' if age < '30' else 'old'},*"
        for age in AGES
    )
]


def policy_of(search, **more):
    return {
        "version": 1,
        "source": "ages",
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"csv": "ages.csv"}},
            "sex": {"role": "quasi", "hierarchy": {"suppress": True}},
        },
        "privacy": {"k": 2},
        "suppression": 1,
        "search": search,
        **more,
    }


@pytest.mark.parametrize("metric", ["ncp", "ambiguity"])
def test_labels_of_other_leaves_count_alike_on_every_engine(metric, server, tmp_path, monkeypatch):
    """A level at which some labels have one leaf and others several, beside one where all are alike."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ages.csv").write_text("\n".join(HIERARCHY) + "\n")
    table = pa.table({"age": [*AGES, "21", "36"], "sex": list("fmfmfmfmmf")})
    problem = Problem(
        list(zip(*table.to_pydict().values(), strict=True)),
        [
            {line.split(",")[0]: line.split(",")[1:] for line in HIERARCHY},
            {"f": ["*"], "m": ["*"]},
        ],
        2,
        1,
    )
    server.put("ages", table)
    plan = kanon_sql.plan(policy_of({"metric": metric}), connection=server.connection)
    assert plan.optimal
    assert plan.cost == pytest.approx(optimum_of(problem, {"metric": metric}))
    assert plan.cost == kanon_sql.plan(policy_of({"metric": metric}), table).cost
