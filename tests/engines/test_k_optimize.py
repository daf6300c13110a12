"""K-Optimize's statements on every engine: the figures that Python counts, for every model and cost."""

from __future__ import annotations

import random
from itertools import product

import pyarrow as pa
import pytest
from heads import PythonCutter, Table

from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.privacy.k_anonymity import Size
from kanon_sql.policy.privacy.l_diversity import DistinctValues
from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute
from kanon_sql.recoding.single_dimensional.heads import Alphabet, HeadStatements
from kanon_sql.recoding.single_dimensional.k_optimize import begin, k_optimize
from kanon_sql.recoding.single_dimensional.k_optimize_table import KOptimizeTable

ENDS = [(-1, 2), (0, 3), (0, 1)]
MODELS = {
    "rows": {},
    "classes": {"targets": 3},
    "people": {"entity": True, "diversity": 2},
    "classes of people": {"entity": True, "targets": 3},
}


def a_table(**model):
    drawn = random.Random(7)
    rows = [
        {
            "places": tuple(drawn.randint(*end) for end in ENDS),
            "target": drawn.randint(0, 2),
            "entity": drawn.randint(0, 20),
            "value": drawn.randint(0, 2),
        }
        for _ in range(60)
    ]
    return Table(rows, ENDS, k=3, max_suppressed=6, **model)


def frame_of(table):
    columns = {
        **{f"place_{n}": [row["places"][n] for row in table.rows] for n in range(len(ENDS))},
        "target": [row["target"] for row in table.rows],
        "entity": [row["entity"] for row in table.rows],
        "spread_0": [row["value"] for row in table.rows],
    }
    arrays = {name: pa.array(values, pa.int32()) for name, values in columns.items()}
    return pa.table({**arrays, "row_count": pa.array([1] * len(table.rows), pa.int64())})


ON_SPARK = next(iter(MODELS))


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", MODELS)
def test_heads_cost_what_python_counts_and_the_optimum_is_found(place, model):
    if place.name == "spark" and model != ON_SPARK:
        pytest.skip("tested on the other engines: each statement costs Spark tenths of a second")
    table = a_table(**MODELS[model])
    before = place.left()
    place.put("places_of_the_test", frame_of(table))
    needed = [Requirement(Size(), table.k)]
    if table.diversity:
        needed.append(Requirement(DistinctValues(SensitiveAttribute("value")), table.diversity))
    cutting = HeadStatements(
        Alphabet(tuple(ENDS), key_bits=5),
        tuple(needed),
        rows=len(table.rows),
        entity=table.entity,
        targets=table.targets,
    )
    with (
        open_engine(place.connection, None, None, writes=False) as engine,
        scratch(engine) as tables,
    ):
        places = named("places_of_the_test")
        said = KOptimizeTable(engine, tables, cutting, places, max_suppressed=table.max_suppressed)
        python = PythonCutter(table)
        heads = [0, 1, 0b1010010, 0b1111111]
        assert said.cost(heads, heads[-1]) == python.cost(heads, heads[-1])
        nodes = [(head, tail & ~head) for head, tail in product(heads, (0b0101101, 0b1111111))]
        for mine, theirs in zip(said.open(nodes), python.open(nodes), strict=True):
            assert mine.costs == theirs.costs
            told = {child.letter: child.costs for child in mine.children}
            assert {child.letter: child.costs for child in theirs.children}.items() <= told.items()
        if place.name != "spark":  # too slow there for so many statements
            assert k_optimize(said, begin(said)).best.cost == table.optimum()
    place.drop("places_of_the_test")
    assert place.left() == before
