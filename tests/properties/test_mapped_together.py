"""Columns mapped together, in shared tables, against each column mapped by statements of its own."""

from __future__ import annotations

from contextlib import contextmanager

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from kanon_sql.counting.hierarchies import mapping
from kanon_sql.counting.lattice.encode import encode
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.open_source import open_source
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.errors import HierarchyError, StatementError
from kanon_sql.policy.read_policy import read_policy

LABELS = ["a", "b", "A", "é", "x'y", "1", "null", "*"]
CELLS = [None, *LABELS, "none of these"]


@st.composite
def hierarchies(draw):
    """Lines of one hierarchy, mostly sound: of each value, its labels from the finest level on."""
    height = draw(st.integers(1, 3))
    above = [
        draw(st.lists(st.sampled_from(LABELS), min_size=len(LABELS), max_size=len(LABELS)))
        for _ in range(height)
    ]
    lines = []
    for value in draw(st.lists(st.sampled_from(LABELS), min_size=1, unique=draw(st.booleans()))):
        line = [value]
        for labels in above:
            line.append(labels[LABELS.index(line[-1])])
        lines.append(line)
    if draw(st.booleans()):
        lines = [[*line[:-1], "*"] for line in lines]
    if draw(st.integers(0, 5)) == 0:
        lines[0][-1] = "elsewhere"
    return lines


@st.composite
def tables(draw):
    """Hierarchies of two to four columns, how each is stated, and rows; most values have entries."""
    found = draw(st.lists(hierarchies(), min_size=2, max_size=4))
    kinds = draw(st.lists(st.sampled_from(["csv", "tree", "table"]), min_size=4, max_size=4))
    faulty = draw(st.integers(0, 4)) == 0
    columns = []
    for lines in found:
        known = [line[0] for line in lines]
        cells = CELLS if faulty else [*known, *draw(st.sampled_from([[], [None]]))]
        columns.append(draw(st.lists(st.sampled_from(cells), min_size=6, max_size=6)))
    return found, kinds, columns


def stated(connection, folder, at, kind, lines):
    """One hierarchy as a policy states it; a tree has each value once."""
    if kind == "tree" and len({line[0] for line in lines}) == len(lines):
        tree = {"tree": {}}
        for value, *labels in lines:
            inner = tree["tree"]
            for label in reversed(labels[1:]):
                inner = inner.setdefault(label, {})
            inner.setdefault(labels[0], []).append(value)
        return tree
    if kind == "table":
        names = ", ".join(f"c{n}" for n in range(len(lines[0])))
        marks = ", ".join("?" * len(lines[0]))
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE h{at} ({names.replace(',', ' TEXT,')} TEXT)"
        )
        connection.executemany(f"INSERT INTO h{at} VALUES ({marks})", lines)
        return {"table": f"h{at}"}
    file = folder / f"h{at}.csv"
    file.write_text("".join(f"{';'.join(line)}\n" for line in lines), encoding="utf-8")
    return {"csv": str(file)}


@contextmanager
def opened(problem, folder):
    found, kinds, columns = problem
    with duckdb.connect() as connection:
        policy = {
            "version": 1,
            "source": "frame",
            "entity": "row",
            "columns": {
                f"q{at}": {
                    "role": "quasi",
                    "hierarchy": stated(connection, folder, at, kinds[at], lines),
                }
                for at, lines in enumerate(found)
            },
            "privacy": {"k": 2},
            "suppression": "100%",
        }
        frame = pa.table(
            {f"q{at}": pa.array(cells, pa.string()) for at, cells in enumerate(columns)}
        )
        with session(DuckDB(connection), read_policy(policy)) as run:
            yield run, open_source(run, frame), connection


def rows_of(connection, table):
    text = table.sql(dialect="duckdb", identify=True)
    described = connection.execute(f"SELECT * FROM {text}")
    names = [each[0] for each in described.description]
    rows = [dict(zip(names, row, strict=True)) for row in described.fetchall()]
    return sorted(rows, key=lambda row: str(row["value"]))


def found_by(problem, folder):
    """What is known of every column in the end, or the faults."""
    with opened(problem, folder) as (run, source, connection):
        try:
            mapped = mapping.map_columns(run, source)
        except HierarchyError as error:
            return str(error)
        encoded = encode(run, source, mapped)
        shown = [
            {
                "hierarchy": (each.hierarchy.height, each.hierarchy.several_roots),
                "warnings": each.warnings,
                "domain": rows_of(connection, each.domain),
                "paths": rows_of(connection, each.paths),
                "map": [
                    {name: cell for name, cell in row.items() if name != f"ordinal_{height}"}
                    for height in [each.hierarchy.height]
                    for row in rows_of(connection, map_)
                ],
                "codes": rows_of(connection, codes),
            }
            for each, map_, codes in zip(mapped, encoded.maps, encoded.codes, strict=True)
        ]
        return shown, encoded.stats, encoded.counting.packing, encoded.set_rows


@examples(60)
@given(problem=tables())
def test_columns_mapped_together_are_mapped_as_each_alone(problem, tmp_path_factory):
    folder = tmp_path_factory.mktemp("together")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mapping, "map_together", lambda *_, **__: {})
        alone = found_by(problem, folder)
    assert found_by(problem, folder) == alone


def test_statements_do_not_grow_with_the_columns_that_are_mapped_together(tmp_path):
    """Nine columns take a view of their values and one of their paths each, and all else once."""
    lines = [["a", "x", "*"], ["b", "y", "*"]]

    def statements(columns):
        problem = ([lines] * columns, ["csv"] * columns, [["a", "b", "a"]] * columns)
        with opened(problem, tmp_path) as (run, source, _):
            before = run.engine.journal.statements
            mapped = mapping.map_columns(run, source)
            of_hierarchies = run.engine.journal.statements - before
            encode(run, source, mapped)
            return of_hierarchies, run.engine.journal.statements - before - of_hierarchies

    (few, few_encoded), (many, many_encoded) = statements(2), statements(9)
    assert many <= 5 + 2 * 9
    assert many - few == 2 * 7
    assert many_encoded - few_encoded == 2 * 7
    assert many_encoded <= 4 + 2 * 9


def test_a_statement_of_several_that_fails_shows_whose_fault_it_is(tmp_path, monkeypatch):
    lines = [["a", "x"], ["b", "y"]]
    problem = ([lines] * 2, ["csv", "tree"], [["a", "b", "a"]] * 2)
    with opened(problem, tmp_path) as (run, source, _):
        monkeypatch.setattr(run.engine, "fetch", failing_once(run.engine.fetch))
        mapped = mapping.map_columns(run, source)
    assert [each.together for each in mapped] == [None, None]


def failing_once(fetch):
    left = [StatementError("survey", "", ValueError())]

    def fetched(statement, *rest):
        if left:
            raise left.pop()
        return fetch(statement, *rest)

    return fetched
