"""Values with their labels: the leaves under each label, and the numbers of siblings, against plain Python."""

from __future__ import annotations

import random

import duckdb
import pytest

from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.hierarchies.read_paths import hierarchy_of
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.read_policy import read_policy

PARTS = ["a'b", 'c"d', "naïve 😀", "", "x;y", "%s", "Z", "z", None]


def kind(height):
    """A hierarchy by rule, whose paths are whatever the tables hold."""
    columns = {"q": {"role": "quasi", "hierarchy": {"mask": height}}}
    policy = {"version": 1, "source": "people", "entity": "row", "columns": columns}
    return hierarchy_of(read_policy({**policy, "privacy": {"k": 2}}).quasi[0])


def paths_of(draw, many, height):
    """Values with labels that nest, NULL among them, and several roots."""
    found = {}
    for n in range(many):
        value = None if n == 0 else f"{draw.choice(PARTS)}{n}"
        label = tuple(f"{draw.choice(PARTS)}{draw.randint(0, 2)}" for _ in range(height))
        levels = ["/".join(label[at:]) for at in range(height)]
        levels[0] = None if draw.random() < 0.1 else levels[0]
        found[value] = levels
    return found


def number(label, among):
    """The number of a label among its siblings in the order of bytes, NULL first."""
    return sorted(among, key=lambda each: (each is not None, (each or "").encode())).index(label)


@pytest.mark.parametrize("height", [1, 2, 4])
@pytest.mark.parametrize("several_roots", [False, True])
def test_leaves_and_siblings_are_those_of_plain_python(height, several_roots):
    draw = random.Random(height)
    paths = paths_of(draw, 120, height)
    if not several_roots:
        paths = {value: [*levels[:-1], "*"] for value, levels in paths.items()}
    if height > 1:
        for levels in paths.values():
            levels[-1] = levels[-1] or "root"
    own = [value for n, value in enumerate(paths) if n % 3 < 2]
    names = [f"level_{n}" for n in range(1, height + 1)]
    domain, given, complete, map_ = (table(each) for each in ("d'o", 'pa"ths', "c o", "select"))
    with duckdb.connect() as connection:
        engine = DuckDB(connection)
        connection.execute('CREATE TABLE "d\'o" (value VARCHAR, row_count BIGINT)')
        connection.executemany('INSERT INTO "d\'o" VALUES (?, ?)', [(v, 2) for v in own])
        listed = ", ".join(f"{each} VARCHAR" for each in names)
        connection.execute(f'CREATE TABLE "pa""ths" (value VARCHAR, {listed})')
        marks = ", ".join("?" * (height + 1))
        connection.executemany(
            f'INSERT INTO "pa""ths" VALUES ({marks})', [(v, *of) for v, of in paths.items()]
        )
        engine.execute(mapping_sql.paths_complete(complete, given, domain, kind(height), height))
        engine.execute(
            mapping_sql.map_values(
                map_,
                domain,
                complete,
                height=height,
                as_text=True,
                by_bytes=True,
                several_roots=several_roots,
                rows=0,
            )
        )
        connection.execute('SELECT * FROM "select"')
        head = [each[0] for each in connection.description]
        rows = [dict(zip(head, row, strict=True)) for row in connection.fetchall()]
    kept = {value: of for value, of in paths.items() if of[-1] is not None}
    assert {row["value"] for row in rows} == {value for value in own if value in kept}
    labels = {row["value"]: [row["value"], *kept[row["value"]]] for row in rows}
    for row in rows:
        of = labels[row["value"]]
        assert [row[each] for each in names] == of[1:]
        for at in range(height + 1):
            if at:
                leaves = sum(each[at - 1] == of[at] for each in kept.values())
                assert row[f"leaves_{at}"] == leaves
            if at < height or several_roots:
                among = {
                    each[at]
                    for each in labels.values()
                    if at == height or each[at + 1] == of[at + 1]
                }
                assert row[f"ordinal_{at}"] == number(of[at], among)
